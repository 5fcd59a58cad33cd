"""How often `compare` errs, and how often it finds: part of `make coverage`, writes COMPARISON.md.

Each cell of the study fixes a number of classes k, a number of samples N, the shares of the classes
and the abilities of two classifiers. Model A is right with its ability, and else guesses a class by
its share. Model B copies A's answer with probability 1/2, and else answers as one of its own
ability: so the models err together, as models do. Where both have the ability 0.7 neither is
better; where B has 0.8 it is.

McNemar's exact test, on accuracy, stands beside.
"""

import argparse
import itertools
import math
import multiprocessing
import platform
import textwrap
import time
from pathlib import Path

import numpy as np
from coverage import SCORES, class_shares
from scipy.stats import binomtest

import informedness
from informedness import compare

KS, SIZES, SHARES = (2, 3, 5), (50, 200, 1000), ("even", "majority")
METRICS = ("informedness", "nit")
HERE = Path(__file__).parent


def answers(rng, references, pi, ability):
    guesses = rng.choice(len(pi), len(references), p=pi)
    return np.where(rng.random(len(references)) < ability, references, guesses)


def cell(arguments):
    """Return a row of results for one cell of the study."""
    (k, n, shares, better), metric, runs, n_resamples, seed = arguments
    pi = class_shares(shares, k)
    abilities = 0.7, 0.8 if better else 0.7
    # of B as a whole: half its answers are A's
    tables = [
        x * np.diag(pi) + (1 - x) * np.outer(pi, pi) for x in (abilities[0], sum(abilities) / 2)
    ]
    scores = [float(SCORES[metric](table)) for table in tables]
    truth = scores[1] - scores[0]
    place = KS.index(k), n, SHARES.index(shares), int(better), METRICS.index(metric)
    rng = np.random.default_rng([seed, *place])
    found = dict.fromkeys(("rejected", "many", "rejected_of_many", "mcnemar", "covered"), 0)
    width, different, done = 0.0, 0, 0
    for run in range(runs):
        references = rng.choice(k, n, p=pi)
        if len(np.unique(references)) < 2:
            continue
        done += 1
        a = answers(rng, references, pi, abilities[0])
        b = np.where(rng.random(n) < 0.5, a, answers(rng, references, pi, abilities[1]))
        result = compare(
            references, a, b, metric=metric, labels=range(k), n_resamples=n_resamples, seed=run
        )
        low, high = result.confidence_interval
        found["rejected"] += result.p_value < 0.05
        found["many"] += result.n_different >= 50
        found["rejected_of_many"] += result.p_value < 0.05 and result.n_different >= 50
        found["covered"] += low - 1e-12 <= truth <= high + 1e-12
        changed = result.gained + result.lost
        found["mcnemar"] += changed > 0 and binomtest(result.gained, changed).pvalue < 0.05
        width += high - low
        different += result.n_different
    shares_of = {name: count / done for name, count in found.items()}
    of_many = found["rejected_of_many"] / found["many"] if found["many"] else math.nan
    return {
        "cell": (k, n, shares),
        "better": better,
        "metric": metric,
        "truth": truth,
        "different": different / done,
        "width": width / done,
        **shares_of,
        "rejected_of_many": of_many,
    }


def markdown(rows, options, minutes):
    """Return the page."""
    versions = f"Python {platform.python_version()}, numpy {np.__version__}"
    about = (
        f"{options.runs} pairs of models a cell where neither is better, a quarter of that where "
        f"B is; {options.n_resamples} swaps and resamples each. {versions}, "
        f"informedness {informedness.__version__}; {time.strftime('%Y-%m-%d')}, {minutes:.0f} "
        f"minutes on {multiprocessing.cpu_count()} cores."
    )
    lines = [
        "# How often a comparison errs, and how often it finds",
        "",
        f"    python tests/studies/comparison.py --runs {options.runs} "
        f"--n-resamples {options.n_resamples} --seed {options.seed}",
        "",
        *__doc__.splitlines()[2:],
        "",
        *textwrap.wrap(about, 100),
    ]
    for metric in METRICS:
        name = "NIT" if metric == "nit" else "Informedness"
        for better in (False, True):
            some = [row for row in rows if (row["metric"], row["better"]) == (metric, better)]
            what = "B is better" if better else "neither is better"
            lines += ["", f"## {name}, {what}", ""]
            if not better:
                highest = max(row["rejected"] for row in some)
                many = [r["rejected_of_many"] for r in some if r["many"] > 0.99]
                lines += [
                    f"The share of p < 0.05 is at most {highest:.3f}; where at least 50 samples "
                    f"differ it is at least {min(many, default=math.nan):.3f}. The interval covers "
                    f"{min(r['covered'] for r in some):.3f} to "
                    f"{max(r['covered'] for r in some):.3f}.",
                    "",
                ]
            head = ["k", "N", "shares", "difference", "samples that differ", "p < 0.05"]
            head += ["McNemar p < 0.05", "interval covers", "mean width"]
            lines += ["| " + " | ".join(head) + " |", "|" + " --: |" * len(head)]
            for row in some:
                figures = [f"{row['truth']:.3f}", f"{row['different']:.1f}"]
                names = ("rejected", "mcnemar", "covered", "width")
                figures += [f"{row[name]:.3f}" for name in names]
                lines.append("| " + " | ".join(map(str, [*row["cell"], *figures])) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=4000, help="pairs of models a cell")
    parser.add_argument("--n-resamples", type=int, default=999)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="only cells of these k, as 2")
    parser.add_argument("--output", type=Path, default=HERE / "COMPARISON.md")
    options = parser.parse_args()
    tasks = [
        (place, metric, runs, options.n_resamples, options.seed)
        for metric, *place in itertools.product(METRICS, KS, SIZES, SHARES, (False, True))
        for place in [tuple(place)]
        if options.only is None or str(place[0]) in options.only.split()
        for runs in [options.runs // (4 if place[-1] else 1)]
    ]
    start, rows = time.perf_counter(), []
    with multiprocessing.Pool() as pool:
        for row in pool.imap(cell, tasks):
            rows.append(row)
            print(row["metric"], *row["cell"], row["better"], f"{row['rejected']:.3f}", flush=True)
    minutes = (time.perf_counter() - start) / 60
    options.output.write_text(markdown(rows, options, minutes), encoding="utf-8")


if __name__ == "__main__":
    main()
