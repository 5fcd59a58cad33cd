"""What groups do to intervals and comparisons: part of `make coverage`, writes GROUPS.md.

Each cell of the study fixes the number of groups, their sizes (all that are in a range are as
likely) and the correlation within them. Of three classes with shares of 50, 30 and 20%, a model
knows each reference with the ability of its group and else guesses a class by its share. The
abilities of the groups are Beta distributed, so that what is known correlates as much as stated
within a group; the two models' abilities are independent. Both models know 60% on average where
they are equal. Where B is better, its average lies above by 2.5 standard errors of a share.

Beside `compare` stands the plain t-test of the sums by group of what the samples add to the
difference: without a sample more, and of NIT with its bias. A test fails where the lower end of the
99.9% Wilson interval of its share of p < 0.05 is above 0.06, an interval where the upper end of
that of its coverage is below 0.93. A row is of four cells, with the correlations 0, 0.1, 0.3 and
0.5.
"""

import argparse
import itertools
import math
import multiprocessing
import time
import warnings
from pathlib import Path

import numpy as np
import populations as of
from comparison import score
from paper import scoring
from scipy import stats

from informedness import compare, estimate

HERE = Path(__file__).parent
PI = np.array([0.5, 0.3, 0.2])
GROUPS, SIZES = (5, 10, 25, 100, 500), ((2, 2), (2, 20), (2, 50))
CORRELATIONS = (0.0, 0.1, 0.3, 0.5)
NAMES = ["size", "t size", "power", "t power", "covered", "estimate"]
METRICS = {"informedness": "Informedness", "nit": "NIT"}


def answers(rng, references, groups, ability, correlation):
    """Return the answers of a model."""
    of_group = np.full(groups.max() + 1, ability)
    if correlation:
        both = np.array([ability, 1 - ability]) * (1 - correlation) / correlation
        of_group = rng.beta(*both, len(of_group))
    known = rng.random(len(references)) < of_group[groups]
    return np.where(known, references, rng.choice(len(PI), len(references), p=PI))


def cluster_t_test(references, sides, groups, metric):
    """Return the p-value of a t-test of sums by group, from the derivatives of the score."""
    values, moved = [], np.zeros(len(references))
    for sign, answered in zip((-1, 1), sides, strict=True):
        p = np.zeros((len(PI), len(PI)))
        np.add.at(p, (references, answered), 1 / len(references))
        pi, beta = p.sum(axis=1), p.sum(axis=0)
        if metric == "nit":
            ratios = np.where(p > 0, p, 1) / np.where(p > 0, np.outer(pi, beta), 1)
            values.append(np.exp((p * np.log(ratios)).sum()) / len(PI))
            slopes = values[-1] * np.log(ratios)
        else:
            variances = np.where(pi > 0, pi * (1 - pi), np.inf)  # of a class that does not occur
            gains = (np.diag(p) - pi * beta) / variances
            values.append(beta @ gains)
            of_row = beta / variances * (-beta - (1 - 2 * pi) * gains)
            slopes = of_row[:, None] + gains - beta / (1 - pi) + np.diag(beta / variances)
        moved += sign * slopes[references, answered]
    sums = np.bincount(groups, moved - moved.mean())
    n = len(sums)
    error = math.sqrt(n / (n - 1) * (sums**2).sum()) / len(references)
    return 2 * stats.t.sf(abs(values[1] - values[0]) / error, n - 1) if error else 1.0


def cell(arguments):
    """Return a row of results for each metric."""
    (n_groups, sizes, correlation), runs = arguments
    rng = np.random.default_rng([n_groups, *sizes, round(100 * correlation)])
    n = n_groups * sum(sizes) / 2
    more = 1 + (sum(i * i for i in range(sizes[0], sizes[1] + 1))
                / sum(range(sizes[0], sizes[1] + 1)) - 1) * correlation  # fmt: skip
    better = min(0.6 + 2.5 * math.sqrt(2 * 0.24 * more / n), 0.95)
    rows = []
    for metric in METRICS:
        found = {name: np.zeros(runs) for name in NAMES}
        truths = [score(PI[:, None] * of.knows_a_share(PI, x), metric) for x in (0.6, better)]
        for run, ability in itertools.product(range(runs), (0.6, better)):
            of_group = rng.integers(sizes[0], sizes[1] + 1, n_groups)
            groups = np.repeat(np.arange(n_groups), of_group)
            references = rng.choice(len(PI), len(groups), p=PI)
            while len(set(references)) < 2:
                references = rng.choice(len(PI), len(groups), p=PI)
            sides = [answers(rng, references, groups, x, correlation) for x in (0.6, ability)]
            options = {"metric": metric, "groups": groups, "labels": range(len(PI))}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = compare(references, *sides, **options)
            t_test = cluster_t_test(references, sides, groups, metric) < 0.05
            name = "size" if ability == 0.6 else "power"
            found[name][run], found[f"t {name}"][run] = made.p_value < 0.05, t_test
            if name == "size":
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    low, high = estimate(references, sides[0], **options).confidence_interval
                found["estimate"][run] = low <= truths[0] <= high
            else:
                low, high = made.confidence_interval
                found["covered"][run] = low <= truths[1] - truths[0] <= high
        row = {name: float(share.mean()) for name, share in found.items()}
        row |= {"metric": metric, "groups": n_groups, "correlation": correlation}
        row["sizes"] = str(sizes[0]) if sizes[0] == sizes[1] else f"{sizes[0]} to {sizes[1]}"
        rows.append(row)
    return rows


def fails(row, name, runs):
    """Return whether a share is not what it should be, by more than chance."""
    if "size" in name:
        return of.wilson_bound(row[name] * runs, runs, -3.2905) > 0.06
    return of.wilson_bound(row[name] * runs, runs) < 0.93


def found_of(rows, runs):
    """Return what rows of one metric show, in words."""
    size, t_size, covered, estimate = (
        sum(fails(row, name, runs) for row in rows)
        for name in ("size", "t size", "covered", "estimate")
    )
    return (
        f"Of {len(rows)} cells `compare` fails in {size} and the t-test in {t_size}, intervals of "
        f"the difference in {covered}, and those of `estimate` in {estimate}. They "
        f"cover at least {min(row['covered'] for row in rows):.3f} and "
        f"{min(row['estimate'] for row in rows):.3f} in each."
    )


def pooled(rows):
    """Return the means over correlations of rows of one metric."""
    found = []
    for n, sizes in dict.fromkeys((row["groups"], row["sizes"]) for row in rows):
        some = [row for row in rows if (row["groups"], row["sizes"]) == (n, sizes)]
        means = {name: np.mean([row[name] for row in some]) for name in NAMES}
        found.append({"groups": n, "sizes": sizes, **means})
    return found


def markdown(rows, options, minutes):
    """Return the page."""
    about = f"{options.runs} pairs of models a cell, and as many where B is better. "
    about += of.made_with(minutes)
    command = f"    python tests/studies/groups.py --runs {options.runs}"
    parts = ["# Samples in groups", command, "\n".join(__doc__.splitlines()[2:])]
    parts.append(scoring.text(about))
    head = ["groups", "sizes", "equal: p < 0.05", "of the t-test",
            "B better: p < 0.05", "of the t-test", "interval of the difference covers",
            "interval of A covers"]  # fmt: skip
    for metric, title in METRICS.items():
        some = [row for row in rows if row["metric"] == metric]
        parts += [f"## {title}", scoring.text(found_of(some, options.runs))]
        cells = [
            [row["groups"], row["sizes"], *(f"{row[x]:.3f}" for x in NAMES)] for row in pooled(some)
        ]
        parts.append(scoring.table(head, cells, left=0))
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400, help="pairs of models a cell")
    parser.add_argument("--processes", type=int, help="by default one for each processor")
    parser.add_argument("--groups", type=int, nargs="+", default=list(GROUPS))
    parser.add_argument("--output", type=Path, default=HERE / "GROUPS.md")
    options = parser.parse_args()
    places = itertools.product(options.groups, SIZES, CORRELATIONS)
    tasks = [(place, options.runs) for place in places]
    start, rows = time.perf_counter(), []
    with multiprocessing.Pool(options.processes) as pool:
        for found in pool.imap(cell, tasks):
            rows += found
            print(*(f"{key} {value}" for key, value in found[0].items()), flush=True)
            minutes = (time.perf_counter() - start) / 60
            options.output.write_text(markdown(rows, options, minutes), encoding="utf-8")


if __name__ == "__main__":
    main()
