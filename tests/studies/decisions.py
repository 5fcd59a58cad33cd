"""How often a comparison passes a build: part of `make coverage`, writes DECISIONS.md.

A model knows a share of the references of each class and else guesses a class by its share, so this
share is its Informedness. B copies the answer of A with a fixed probability, so that few answers
differ where it is high. In groups of five each sample is with probability 0.5 a copy of the first.

B is worse by the margin: the true difference is minus the margin, and `compare(margin=)` should
rarely say that B is not worse by more (one-sided 2.5% for a 95% interval). Of the cells, a random
choice by a seed of all in which at least 5% of the answers differ, each is counted by how many
answers differ on average. A cell with a share above 0.05 is drawn anew ten times as often, and
these samples alone count.

B is as good: how often a model passes that is A's equal. That is the price of a margin.

The difference that is found: pairs of equal models which give mostly the same answers, in the cells
of the last table. `Comparison.detectable` is the mean over 40 samples of such a pair, and the true
difference is then made that large: B guesses some of its answers again, or knows them. New samples
should show it (p < 0.05) four times out of five, in either direction. "Errors alone" are as many
standard errors of the equal models, which do not count the answers by which other models differ.
"""

import argparse
import itertools
import multiprocessing
import time
import warnings
from pathlib import Path

import numpy as np
import populations as of
from paper import scoring

from informedness import compare

HERE = Path(__file__).parent
SHARES = {(2, "even"): [0.5, 0.5], (2, "7%"): [0.93, 0.07], (3, "even"): [1 / 3] * 3,
          (3, "steep"): [0.6, 0.3, 0.1], (10, "even"): [0.1] * 10}  # fmt: skip
SIZES, MARGINS, KNOWN, COPIED = (
    (100, 300, 1000, 3000),
    (0.01, 0.02, 0.05, 0.1),
    (0.5, 0.7, 0.9),
    (0.0, 0.5, 0.8),
)
AGAIN, FEW = 0.05, 30
EQUAL = list(itertools.product((1000, 2000, 5000, 10_000), (0.01, 0.02, 0.05)))
OF_EQUAL = (2, "7%"), 0.7, 0.9  # shares, known and copied
KNOWN_OF_FOUND = 0.7
_PLACES, _PREVALENCE = (
    ((2, "even"), (2, "7%"), (3, "steep"), (10, "even")),
    ("informedness", "prevalence"),
)
FOUND = [  # shares, N, share of answers that are copied, whether in groups, score
    *itertools.product(_PLACES, (1000, 3000), (0.8, 0.9, 0.97), (False,), (_PREVALENCE,)),
    *itertools.product(_PLACES[::3], (300,), (0.8, 0.9, 0.97), (False,), (_PREVALENCE,)),
    *itertools.product(_PLACES, (1000, 3000), (0.8, 0.97), (True,), (_PREVALENCE,)),
    *itertools.product(_PLACES[1::2], (1000, 3000), (0.8, 0.97), (False,), (("accuracy", ""),)),
    *itertools.product(
        _PLACES[2:3], (1000, 3000), (0.8, 0.9, 0.97), (False,), (("informedness", "macro"),)
    ),
]


def drawn(rng, place, n, known, copied, other, is_grouped):
    """Return references and the answers of both models to n samples, and their groups or None."""
    pi = SHARES[place]
    references, guess_a, guess_b = (rng.choice(len(pi), n, p=pi) for _ in range(3))
    answers_a = np.where(rng.random(n) < known, references, guess_a)
    own = np.where(rng.random(n) < other, references, guess_b)
    answers_b = np.where(rng.random(n) < copied, answers_a, own)
    columns = np.array([references, answers_a, answers_b])
    return in_groups_of_five(rng, columns) if is_grouped else (columns, None)


def in_groups_of_five(rng, columns):
    """Return samples half of which are copies of the first of their group, and the groups."""
    groups = np.arange(columns.shape[1]) // 5
    is_copy = rng.random(columns.shape[1]) < 0.5
    return np.where(is_copy, columns[:, groups * 5], columns), groups


def other_share(known, copied, difference):
    """Return what B's own answers have to know, for B to differ so much; None if it cannot be."""
    share = known + difference / (1 - copied)
    return share if 0 <= share <= 1 else None


def differing(place, known, copied, other):
    """Return the share of answers that differ."""
    pi = np.array(SHARES[place])
    chance = float((pi**2).sum())
    b_right = other + (1 - other) * chance
    return (1 - copied) * (1 - known * b_right - (1 - known) * chance)


def compared(rng, arguments, n_runs, margin=None):
    """Yield comparisons of new samples that hold all classes."""
    place, n, known, copied, other, is_grouped = arguments
    k = len(SHARES[place])
    for _ in range(n_runs):
        columns, groups = drawn(rng, place, n, known, copied, other, is_grouped)
        while len(np.unique(columns[0])) < 2:
            columns, groups = drawn(rng, place, n, known, copied, other, is_grouped)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            how = {"labels": range(k), "groups": groups, "average": "prevalence"}
            made = compare(*columns, margin=margin, **how)
        is_warned = any("Interval" in type(one.message).__name__ for one in caught)
        yield made, is_warned


def pass_rate(task):
    """Return how often a model that is worse by the margin passes, warned ones not counted."""
    (place, n, margin, known, copied, is_grouped), n_runs, seed = task
    other = other_share(known, copied, -margin)
    rng = np.random.default_rng([seed, n, round(1000 * margin), round(10 * known), len(place[1])])
    found = compared(rng, (place, n, known, copied, other, is_grouped), n_runs, margin)
    passed = [made.within_margin and not is_warned for made, is_warned in found]
    return float(np.mean(passed))


def equal_rate(task):
    """Return how often a model that is as good passes."""
    (n, margin), n_runs = task
    place, known, copied = OF_EQUAL
    rng = np.random.default_rng([n, round(1000 * margin)])
    found = compared(rng, (place, n, known, copied, known, False), n_runs, margin)
    return float(np.mean([made.within_margin and not is_warned for made, is_warned in found]))


def changed(rng, cell, difference):
    """Return references, the answers of A, and those of B, made to differ so much; and groups."""
    place, n, shared, is_grouped, _ = cell
    pi = SHARES[place]
    columns, groups = drawn(rng, place, n, KNOWN_OF_FOUND, shared, KNOWN_OF_FOUND, False)
    answers = columns[0] if difference > 0 else rng.choice(len(pi), n, p=pi)
    room = 1 - KNOWN_OF_FOUND if difference > 0 else KNOWN_OF_FOUND
    is_changed = rng.random(n) < abs(difference) / room
    columns[2] = np.where(is_changed, answers, columns[2])
    return in_groups_of_five(rng, columns) if is_grouped else (columns, groups)


def found_shares(task):
    """Return what is called detectable, and how often it is found of a worse and a better B.

    That is the rule of the package, then so many errors alone; nan of what cannot be.
    """
    cell, n_runs = task
    place, n, shared, _, (metric, average) = cell
    k = len(SHARES[place])
    rng = np.random.default_rng([n, round(100 * shared), *map(ord, place[1] + metric + average)])
    scale = 1 - float(np.square(SHARES[place]).sum()) if metric == "accuracy" else 1.0
    how = {"labels": range(k), "metric": metric, "average": average or "default"}

    def made(difference):
        columns, groups = changed(rng, cell, difference / scale)
        while len(np.unique(columns[0])) < k:
            columns, groups = changed(rng, cell, difference / scale)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return compare(*columns, groups=groups, **how)

    pilots = [
        one
        for one in (made(0.0) for _ in range(min(40, 5 * n_runs)))
        if one.paired.detection is not None
    ]
    by_rule = [one.detectable for one in pilots]
    by_errors = [one.paired.detection.n_errors * one.standard_error for one in pilots]
    shares = []
    for sizes in (by_rule, by_errors):
        difference = float(np.mean(sizes))
        shares.append(difference)
        for sign, room in ((-1, KNOWN_OF_FOUND), (1, 1 - KNOWN_OF_FOUND)):
            can_be = difference / scale <= room
            found = [made(sign * difference).p_value < 0.05 for _ in range(n_runs if can_be else 0)]
            shares.append(float(np.mean(found)) if found else np.nan)
    return shares


def found_table(rows):
    """Return the cells of the difference that is found."""
    head = ["score", "k", "N", "shared", "groups", "difference", "B is worse", "B is better",
            "errors alone", "B is worse", "B is better"]  # fmt: skip
    lines = []
    for ((k, name), n, shared, is_grouped, (metric, average)), shares in rows:
        score = f"{metric}, {average}" if average else metric
        cell = [
            score,
            f"{k}, {name}",
            f"{n:,}",
            f"{shared:.0%}",
            "of five" if is_grouped else "none",
        ]
        lines.append(cell + ["--" if np.isnan(share) else f"{share:.3f}" for share in shares])
    return scoring.table(head, lines, left=2)


def found_summary(rows):
    """Return how often the difference is found over all cells, by either rule."""
    lines = []
    for name, first in (("the rule", 1), ("so many errors alone", 4)):
        shares = np.array([shares[first : first + 2] for _, shares in rows])
        n_enough = int((np.nan_to_num(shares, nan=1.0) >= 0.75).all(axis=1).sum())
        worse, better = (f"{np.nanmean(side):.3f}" for side in shares.T)
        lines.append(
            f"By {name}, new samples show the difference {np.nanmean(shares):.3f} of the time on "
            f"average ({worse} if B is worse, {better} if B is better), from "
            f"{np.nanmin(shares):.3f} to {np.nanmax(shares):.3f}; at least 0.75 in each direction "
            f"in {n_enough} of {len(rows)} cells."
        )
    return scoring.text(" ".join(lines))


def cells(wanted):
    """Return a random choice of the cells in which at least 5% of the answers differ."""
    grid = [
        cell
        for cell in itertools.product(SHARES, SIZES, MARGINS, KNOWN, COPIED, (False, True))
        if (other := other_share(cell[3], cell[4], -cell[2])) is not None
        and differing(cell[0], cell[3], cell[4], other) >= 0.05
    ]
    order = np.random.default_rng(len(grid)).permutation(len(grid))
    return [grid[i] for i in order[:wanted]]


def n_different(cell):
    """Return how many answers differ on average."""
    place, n, margin, known, copied, _ = cell
    return n * differing(place, known, copied, other_share(known, copied, -margin))


def rates_table(rows):
    """Return the table of how often a model passes that is worse by the margin."""
    head = ["groups", "answers that differ", "cells", "mean", "highest", "its cell"]
    lines = []
    for is_grouped, is_few in itertools.product((False, True), (False, True)):
        some = [
            row for row in rows if row[0][5] == is_grouped and (n_different(row[0]) < FEW) == is_few
        ]
        if not some:
            continue
        cell, highest = max(some, key=lambda row: row[1])
        (k, shares), n, margin, known, copied, _ = cell
        where = f"k = {k}, {shares}, N = {n}, margin {margin}, knows {known}, copied {copied}"
        counts = f"under {FEW}" if is_few else f"{FEW} or more"
        mean = f"{np.mean([rate for _, rate in some]):.3f}"
        name = "of five" if is_grouped else "none"
        lines.append([name, counts, str(len(some)), mean, f"{highest:.3f}", where])
    return scoring.table(head, lines, left=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400, help="samples a cell")
    parser.add_argument("--cells", type=int, default=240, help="cells of a worse model")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--output", type=Path, default=HERE / "DECISIONS.md")
    options = parser.parse_args()
    start, runs = time.perf_counter(), options.runs
    places = cells(options.cells)
    with multiprocessing.Pool(options.processes) as pool:
        rates = pool.map(pass_rate, [(cell, runs, 1) for cell in places], chunksize=1)
        again = [i for i, rate in enumerate(rates) if rate > AGAIN]
        for i, rate in zip(again, pool.map(pass_rate, [(places[i], 10 * runs, 2) for i in again],
                                           chunksize=1), strict=True):  # fmt: skip
            rates[i] = rate
        equal = pool.map(equal_rate, [(cell, runs) for cell in EQUAL], chunksize=1)
        found = pool.map(found_shares, [(cell, runs) for cell in FOUND], chunksize=1)
    minutes = (time.perf_counter() - start) / 60
    command = f"    python tests/studies/decisions.py --runs {runs} --cells {options.cells}"
    head = ["# Decisions", command, "\n".join(__doc__.splitlines()[2:]),
            scoring.text(f"{runs} samples a cell. {of.made_with(minutes)}")]  # fmt: skip
    of_equal = [[f"{n:,d}", *(f"{equal[EQUAL.index((n, m))]:.2f}" for m in (0.01, 0.02, 0.05))]
                for n in dict.fromkeys(n for n, _ in EQUAL)]  # fmt: skip
    (k, shares), knows, copied = OF_EQUAL
    said = f"k = {k}, {shares} of one class, both know {knows}, {copied:.0%} of the answers copied."
    rows = list(zip(FOUND, found, strict=True))
    sections = {
        "B is worse by the margin": rates_table(list(zip(places, rates, strict=True))),
        "B is as good": "\n\n".join([scoring.text(said), scoring.table(
            ["N", "margin .01", "margin .02", "margin .05"], of_equal)]),
        "The difference that is found": "\n\n".join([found_summary(rows), found_table(rows)]),
    }  # fmt: skip
    of.write_page(options.output, "\n\n".join(head), sections)


if __name__ == "__main__":
    main()
