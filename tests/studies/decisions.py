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

The difference that is found: `Comparison.detectable` is the mean over samples of equal models, and
the true difference is then made that large, in either direction. New samples should show it (p <
0.05) four times out of five.
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


def drawn(rng, place, n, known, copied, other, is_grouped):
    """Return references and the answers of both models to n samples, and their groups or None."""
    pi = SHARES[place]
    references, guess_a, guess_b = (rng.choice(len(pi), n, p=pi) for _ in range(3))
    answers_a = np.where(rng.random(n) < known, references, guess_a)
    own = np.where(rng.random(n) < other, references, guess_b)
    answers_b = np.where(rng.random(n) < copied, answers_a, own)
    columns = np.array([references, answers_a, answers_b])
    if not is_grouped:
        return columns, None
    groups = np.arange(n) // 5
    is_copy = rng.random(n) < 0.5
    columns = np.where(is_copy, columns[:, groups * 5], columns)
    return columns, groups


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


def power(task):
    """Return how often the difference called detectable is found; None if it cannot be."""
    (place, n, known, copied, is_grouped), n_runs = task
    rng = np.random.default_rng([n, round(10 * known), round(10 * copied), len(place[1]), 7])
    pilots = compared(rng, (place, n, known, copied, known, is_grouped), 40)
    sizes = [made.detectable for made, _ in pilots if made.detectable == made.detectable]
    if not sizes:
        return None
    detectable = float(np.mean(sizes))
    shares = []
    for sign in (-1, 1):
        other = other_share(known, copied, sign * detectable)
        if other is None:
            return None
        found = compared(rng, (place, n, known, copied, other, is_grouped), n_runs)
        shares.append(np.mean([made.p_value < 0.05 for made, _ in found]))
    return float(np.mean(shares))


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
    found_places = [(*place[:2], *place[3:]) for place in places[: options.cells // 4]]
    with multiprocessing.Pool(options.processes) as pool:
        rates = pool.map(pass_rate, [(cell, runs, 1) for cell in places], chunksize=1)
        again = [i for i, rate in enumerate(rates) if rate > AGAIN]
        for i, rate in zip(again, pool.map(pass_rate, [(places[i], 10 * runs, 2) for i in again],
                                           chunksize=1), strict=True):  # fmt: skip
            rates[i] = rate
        equal = pool.map(equal_rate, [(cell, runs) for cell in EQUAL], chunksize=1)
        powers = pool.map(power, [(cell, runs) for cell in found_places], chunksize=1)
    minutes = (time.perf_counter() - start) / 60
    known = [share for share in powers if share is not None]
    command = f"    python tests/studies/decisions.py --runs {runs} --cells {options.cells}"
    head = ["# Decisions", command, "\n".join(__doc__.splitlines()[2:]),
            scoring.text(f"{runs} samples a cell. {of.made_with(minutes)}")]  # fmt: skip
    of_equal = [[f"{n:,d}", *(f"{equal[EQUAL.index((n, m))]:.2f}" for m in (0.01, 0.02, 0.05))]
                for n in dict.fromkeys(n for n, _ in EQUAL)]  # fmt: skip
    (k, shares), knows, copied = OF_EQUAL
    said = f"k = {k}, {shares} of one class, both know {knows}, {copied:.0%} of the answers copied."
    found_text = "No cell was drawn."
    if known:
        found_text = (
            f"Of {len(known)} cells, new samples show the difference {np.mean(known):.3f} of the "
            f"time on average, from {min(known):.3f} to {max(known):.3f}; in "
            f"{sum(0.75 <= share <= 0.85 for share in known)} of them 0.75 to 0.85."
        )
    sections = {
        "B is worse by the margin": rates_table(list(zip(places, rates, strict=True))),
        "B is as good": "\n\n".join([scoring.text(said), scoring.table(
            ["N", "margin .01", "margin .02", "margin .05"], of_equal)]),
        "The difference that is found": scoring.text(found_text),
    }  # fmt: skip
    of.write_page(options.output, "\n\n".join(head), sections)


if __name__ == "__main__":
    main()
