"""How often `compare` errs, and how often it finds: part of `make coverage`, writes COMPARISON.md.

Each cell of the study fixes a number of classes k and of samples N, the shares of the classes,
a kind of two models and about what share of the samples they answer differently. Model B copies
A's answer with some probability and else answers as a model of its kind, whose ability is such that
B's score is A's:

- alike: both know 70% and else guess a class by its share;
- renamed: both know 80%, but B exchanges the names of the last two classes, so NIT alone is equal;
- mirrored: A takes a class for the one before it, B for the one behind, of even classes;
- guessers: A guesses by the shares, B evenly;
- constant: A always answers the largest class, B guesses by the shares;
- one class: A's errors are spread over all classes, B's go to the largest;
- traded: A misses the rarest class, B more of the largest.

Where B is better, both are alike but for B's ability of 0.8 beside 0.7, and half of B's answers are
copies. A cell fails where the lower end of the 99.9% Wilson interval of its share of p < 0.05 is
above 0.06; McNemar's exact test, on accuracy, stands beside where B is better.
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
from paper import scoring
from scipy.stats import binomtest

import informedness
from informedness import SCORES, compare
from informedness.core.table import Table
from informedness.statistics.registry import score_named

HERE = Path(__file__).parent
KS, SIZES, SHARES, DIFFERENT = (
    (2, 4, 10, 30),
    (200, 1000, 5000, 20000),
    ("even", "zipf", "90%"),
    (0.005, 0.05, 0.2, 0.4),
)
# Cells in which a longer search found more than is allowed.
KNOWN = [
    ("mirrored", 30, 1000, "90%", 0.4, "informedness"),
    ("one class", 30, 200, "90%", 0.4, "informedness"),
    ("constant", 30, 200, "even", 0.4, "markedness"),
    ("one class", 8, 1000, "95%", 0.05, "f1_macro"),
]
BETTER = list(itertools.product((2, 3, 5), (50, 200, 1000), ("even", "90%")))
BETTER += list(itertools.product((10, 30), (200, 1000, 5000), ("even", "90%")))


def spread(pi, ability):
    """Right with this probability, else evenly one of the other classes."""
    others = (1 - np.eye(len(pi))) / (len(pi) - 1)
    return ability * np.eye(len(pi)) + (1 - ability) * others


def misses(pi, code, recall):
    """Knows 90%, but finds this share of a class."""
    table = of.knows_a_share(pi, 0.9)
    table[code] = (1 - recall) / (len(pi) - 1)
    table[code, code] = recall
    return table


def renamed(pi, ability):
    table = of.knows_a_share(pi, ability)
    table[:, [-2, -1]] = table[:, [-1, -2]]
    return table


def mirrored(pi, ability):
    return ability * np.eye(len(pi)) + (1 - ability) * np.roll(np.eye(len(pi)), -1, axis=1)


# A, and B by its ability
KINDS = {
    "alike": (lambda pi: of.knows_a_share(pi, 0.7), of.knows_a_share),
    "renamed": (lambda pi: of.knows_a_share(pi, 0.8), renamed),
    "mirrored": (lambda pi: of.neighbours(pi, 0.8), mirrored),
    "guessers": (of.guesses_by_share, lambda pi, _: of.guesses_evenly(pi)),
    "constant": (of.constant, lambda pi, _: of.guesses_by_share(pi)),
    "one class": (lambda pi: spread(pi, 0.7), of.falls_to_the_largest),
    "traded": (lambda pi: misses(pi, -1, 0.3), lambda pi, x: misses(pi, 0, x)),
}


def score(shares, metric):
    """Return the score of a population."""
    rows, columns = np.nonzero(shares)
    table = Table(tuple(range(len(shares))), True, rows, columns, shares[rows, columns])
    scored, table = score_named(metric).oriented(table)
    return float(scored.exact(table))


def answered(pi, a, b, copied):
    """Return the shares of (reference, answer of A, answer of B)."""
    shares = (1 - copied) * pi[:, None, None] * a[:, :, None] * b[:, None, :]
    same = np.arange(len(pi))
    shares[:, same, same] += copied * pi[:, None] * a
    return shares


def ability(gap):
    """Return where this function of an ability is 0, None where it is nowhere."""
    tried = np.linspace(0.001, 0.999, 60)
    gaps = np.array([gap(x) for x in tried])
    if np.abs(gaps).max() < 1e-9:
        return 0.5
    turns = np.flatnonzero(np.sign(gaps[1:]) != np.sign(gaps[:-1]))
    if not len(turns):
        return None
    low, high = tried[turns[-1]], tried[turns[-1] + 1]
    above = gap(high) > 0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if (gap(middle) > 0) == above else (middle, high)
    return (low + high) / 2


def equal_models(kind, k, shares, metric, different):
    """Return the shares of a population of two models of one score, None where there is none."""
    pi = of.class_shares(shares, k)
    make_a, make_b = KINDS[kind]
    a, copied = make_a(pi), 0.0
    wanted = score(pi[:, None] * a, metric)

    def gap(x):
        return score(pi[:, None] * (copied * a + (1 - copied) * make_b(pi, x)), metric) - wanted

    for _ in range(30):
        found = ability(gap)
        if found is None:
            return None
        differ = 1 - pi @ (a * make_b(pi, found)).sum(axis=1)
        before, copied = copied, max(0.0, 1 - different / differ)
        if abs(copied - before) < 1e-5:
            break
    population = answered(pi, a, make_b(pi, found), copied)
    equal = abs(score(population.sum(axis=1), metric) - wanted) < 1e-5
    really = (1 - copied) * differ
    return population if equal and 0.7 < really / different < 1.4 else None


def better_models(k, shares):
    pi = of.class_shares(shares, k)
    return answered(pi, of.knows_a_share(pi, 0.7), of.knows_a_share(pi, 0.8), 0.5)


def cells(full):
    """Return the cells: kind ("better" where B is), k, N, shares, different, metric."""
    some = list(KNOWN) if full else []
    for metric in SCORES:
        often = metric in ("informedness", "nit")
        every = list(itertools.product(KINDS, KS, SIZES, SHARES, DIFFERENT))
        rng = np.random.default_rng(SCORES.index(metric))
        for place in rng.permutation(len(every))[: (80 if often else 12) if full else 12]:
            some.append((*every[place], metric))
        if often:
            some += [("better", k, n, shares, 0.0, metric)
                     for k, n, shares in (BETTER if full else BETTER[:4])]  # fmt: skip
    return some


def cell(arguments):
    """Return a row of results for one cell of the study, None where no scores are equal."""
    (kind, k, n, shares, different, metric), runs, n_resamples, seed = arguments
    is_better = kind == "better"
    if is_better:
        population, runs = better_models(k, shares), max(runs // 4, 1)
    else:
        population = equal_models(kind, k, shares, metric, different)
    if population is None:
        return None
    truth = score(population.sum(axis=1), metric) - score(population.sum(axis=2), metric)
    rng = np.random.default_rng([seed, k, n, *shares.encode(), SCORES.index(metric)])
    there = np.flatnonzero(population > 0)
    chances = population.ravel()[there] / population.sum()
    found = dict.fromkeys(("rejected", "covered", "warned", "mcnemar", "width", "different"), 0.0)
    done = 0
    for run in range(runs):
        drawn = rng.multinomial(n, chances)
        counts = drawn[drawn > 0]
        r, a, b = np.unravel_index(there[drawn > 0], population.shape)
        if len(np.unique(r)) < 2:
            continue
        done += 1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = compare(
                r, a, b, counts=counts, metric=metric, labels=range(k),
                n_resamples=n_resamples, seed=run,
            )  # fmt: skip
        low, high = made.confidence_interval
        found["rejected"] += made.p_value < 0.05
        found["covered"] += low - 1e-12 <= truth <= high + 1e-12
        found["warned"] += any(x.category is informedness.IntervalWarning for x in caught)
        found["width"] += high - low
        found["different"] += made.n_different
        changed = made.gained + made.lost
        if is_better:
            found["mcnemar"] += changed > 0 and binomtest(made.gained, changed).pvalue < 0.05
    return {
        "cell": (kind, k, n, shares),
        "metric": metric,
        "better": is_better,
        "truth": truth,
        "done": done,
        "fails": not is_better and of.wilson_bound(found["rejected"], done, -3.2905) > 0.06,
        **{name: total / done for name, total in found.items()},
    }


def markdown(rows, options, minutes):
    """Return the page."""
    about = (
        f"{options.runs} pairs of models a cell where neither is better, a quarter of that where "
        f"B is; {options.n_resamples} swaps each. {of.made_with(minutes)}"
    )
    command = f"    python tests/studies/comparison.py --runs {options.runs} "
    command += f"--n-resamples {options.n_resamples}" + " --corner" * options.corner
    parts = ["# How often a comparison errs, and how often it finds", command]
    parts += ["\n".join(__doc__.splitlines()[2:]), scoring.text(about)]
    for metric, better in itertools.product(SCORES, (False, True)):
        some = [row for row in rows if (row["metric"], row["better"]) == (metric, better)]
        if not some:
            continue
        parts.append(f"## {metric}, {'B is better' if better else 'neither is better'}")
        head = ["kind", "k", "N", "shares", "samples that differ", "p < 0.05"]
        names = ["different", "rejected", "covered", "width", "warned"]
        if better:
            head, names = [*head, "McNemar p < 0.05"], [*names[:2], "mcnemar", *names[2:]]
            covered = [row["covered"] for row in some if row["warned"] < 0.5]
            parts.append(
                f"Without a warning the interval covers {min(covered, default=math.nan):.3f} to "
                f"{max(covered, default=math.nan):.3f}."
            )
        else:
            failed = [row for row in some if row["fails"]]
            silent = sum(row["warned"] < 0.5 for row in failed)
            parts.append(
                f"The share of p < 0.05 is at most {max(row['rejected'] for row in some):.3f}; "
                f"{len(failed)} of {len(some)} cells fail, {silent} of them without a warning."
            )
        head += ["interval covers", "mean width", "warned"] + ["fails"] * (not better)
        cells = [
            [*row["cell"], *(f"{row[name]:.3f}" for name in names),
             *["yes" if row["fails"] else ""] * (not better)]
            for row in some
        ]  # fmt: skip
        parts.append(scoring.table(head, cells, left=0))
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=300, help="pairs of models a cell")
    parser.add_argument("--n-resamples", type=int, default=399)
    parser.add_argument("--corner", action="store_true", help="a few cells of each score")
    parser.add_argument("--output", type=Path, default=HERE / "COMPARISON.md")
    options = parser.parse_args()
    tasks = [(place, options.runs, options.n_resamples, 0) for place in cells(not options.corner)]
    start, rows = time.perf_counter(), []
    with multiprocessing.Pool() as pool:
        for row in filter(None, pool.imap(cell, tasks)):
            rows.append(row)
            print(row["metric"], *row["cell"], "FAILS" * row["fails"], flush=True)
    minutes = (time.perf_counter() - start) / 60
    options.output.write_text(markdown(rows, options, minutes), encoding="utf-8")


if __name__ == "__main__":
    main()
