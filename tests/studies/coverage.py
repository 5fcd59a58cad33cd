"""How often intervals cover the truth: `make coverage` writes COVERAGE.md.

A cell of the study is a population (`populations.py`: a number of classes k, shares of the classes,
a kind of classifier), a number of samples N, and a way to make the table. Tables of N samples are
drawn from the population; each score of each gets its 95% interval, and either that holds the true
score of the population or not. The ways:

- declared: the classes of the population are declared, whether or not a sample has them.
- observed: classes are those of the sample. Averages over classes (balanced accuracy, F1-macro,
  average="macro") are then of the classes that it has, and so is what counts as their truth.
- random weights: each sample has a weight from an exponential distribution.
- stratified: every second class has three times the weight of the others.
- even prior: the references are reweighted to even shares of the classes that the sample has.
- by class: Informedness of each class against all others; the first class, and all others pooled.
- many classes: declared, 100 to 1,000 of them, for the averages of Informedness.
- few samples: declared, 20 or 30 samples.
- no class: declared, but 5%, 20% or 50% of the answers are no class and count as wrong ones: of all
  of them, or of those to the rarest class. Markedness is not known of these. Informedness of each
  class is studied too.

Cells and numbers of tables are fixed before any is drawn. The cells are a random choice, by a seed,
of all those of a way; no k and N are among those on which the formulas were chosen, except 2
classes with 20 or 30 samples or where some answers are no class, and 100 classes or more. Of each
cell the same number of tables is drawn, and all scores are computed from the same tables. A
coverage below 0.93 counts as not yet known: that score is studied on ten times as many tables, new
ones, which alone count. So a coverage c has the standard error sqrt(c (1 - c) / tables), .011 at
.95 of 400 tables and .004 at .93 of 4,000; a true .92 is found at .93 or more of 400 tables in 27%
of cells, a true .90 in 3%.

A coverage is counted apart for tables on which the interval comes with a warning, for those on
which it comes without one, and for all. It fails if its upper 99.9% Wilson bound lies below 0.92
without a warning, else below 0.88. Tables on which a score is undefined are left out, and so are
groups (with a warning, without one) of less than a tenth of the tables. Width is that of the mean
interval over 2 x 1.96 true standard deviations of the score, which an interval of normal errors
has: 1 is as short as can be.

The test of chance is studied on guessers alone: the share of tables with p < 0.05 fails if its
lower 99.9% bound lies above 0.06.

What each part buys: the same, of declared classes, with one part of the formulas left out at a time
(tests/oracles/reference.py, which agrees with the package to 1e-10).

A section that names a command was made by it alone (`--add`), after the others.
"""

import argparse
import itertools
import math
import multiprocessing
import re
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from paper import scoring
from populations import (
    CLASSIFIERS,
    REFUSED,
    SHARES,
    made_with,
    population,
    sections_of,
    wilson_bound,
    with_no_class,
    write_page,
)

from informedness import ContingencyTable
from informedness.inference.entropy import chi_squared_p_value
from informedness.inference.registry import SCORES, score_with_average
from informedness.inference.score import INFORMEDNESS, intervals_by_class, ratio_or_nan

sys.path.append(str(Path(__file__).parents[1]))
from oracles import reference

LEVEL, LIMITS, AGAIN = 0.95, {False: 0.92, True: 0.88, None: 0.88}, 0.93
# The formulas were chosen on k = 2, 4, 7, 20 and 50, N = 100, 200, 500, 2,000 and 20,000, the first
# six kinds of shares, and the classifiers before "nearby" with naive Bayes.
SOME_KS, SOME_SIZES, SOME_SHARES = (3, 10, 30), (150, 300, 1000), ("even", "steep", "95%")
GRIDS = {  # k, N, shares, classifiers, and which answers are no class
    "declared": ((3, 5, 10, 30), (150, 300, 1000, 5000), SHARES, CLASSIFIERS),
    "observed": (SOME_KS, SOME_SIZES, SOME_SHARES, CLASSIFIERS),
    "random weights": (SOME_KS, SOME_SIZES, SOME_SHARES, CLASSIFIERS),
    "stratified": (SOME_KS, SOME_SIZES, SOME_SHARES, CLASSIFIERS),
    "even prior": (SOME_KS, SOME_SIZES, SOME_SHARES, CLASSIFIERS),
    "by class": (SOME_KS, SOME_SIZES, SOME_SHARES, CLASSIFIERS),
    "many classes": (
        (100, 300, 1000),
        (1000, 5000),
        ("even", "zipf"),
        ("knows 0.2", "knows 0.6", "knows 0.95", "uneven"),
    ),
    "few samples": ((2, 3, 5), (20, 30), SOME_SHARES, CLASSIFIERS),
    "no class": ((2, 3, 10), (60, 150, 300, 1000), SOME_SHARES, CLASSIFIERS, REFUSED),
}
WAYS = tuple(GRIDS)
MANY = ("declared", "no class")  # of which more cells are studied
GUESSED = ((3, 10, 30), (150, 1000, 5000), SHARES, ("guesses evenly", "guesses by share"))
WARNED = {False: "no", True: "yes", None: "all"}
AVERAGED = {
    "informedness, prevalence": score_with_average("informedness", "prevalence"),
    "informedness, macro": score_with_average("informedness", "macro"),
}
ALL = {name: score_with_average(name, "default") for name in SCORES} | AVERAGED
OF_INFORMEDNESS = {name: ALL[name] for name in ("informedness", *AVERAGED)}
STRATA = np.where(np.arange(50) % 2, 3.0, 1.0)  # weights of the classes
PARTS = {  # of the formulas, and the scores that have them
    "": ("informedness", "informedness, macro", "f1_macro", "nit"),
    "wilson": ("informedness", "informedness, macro", "f1_macro"),
    "unseen": ("informedness", "informedness, macro", "f1_macro"),
    "cap": ("informedness", "informedness, macro", "f1_macro"),
    "floor": ("informedness", "informedness, macro", "f1_macro"),
    "absent": ("informedness", "informedness, macro", "f1_macro"),
    "excess": ("informedness",),
    "unseen kinds": ("nit",),
    "empty cells": ("nit",),
    "variance": ("nit",),
    "slope": ("nit",),
}
HERE = Path(__file__).parent


def cells_of(way, number=None):
    """Return the cells of a way, (way, k, N, shares, classifier), or a random choice of them.

    Where some answers are no class, these come last.
    """
    grid = [
        (way, *place)
        for place in itertools.product(*GRIDS[way])
        if not place[3].startswith("digits") or place[0] <= 10
    ]
    order = np.random.default_rng(WAYS.index(way)).permutation(len(grid))
    return [grid[place] for place in order[:number]]


def scores_of(way):
    """Return the scores that are studied in a way."""
    if way in ("even prior", "many classes"):
        return OF_INFORMEDNESS
    if way == "no class":
        return {name: score for name, score in ALL.items() if name != "markedness"}
    return {"informedness": INFORMEDNESS} if way == "by class" else ALL


def drawn(cell, truth, rng):
    """Return a table of samples."""
    way, k, n, *_ = cell
    if way in ("random weights", "stratified"):
        codes = rng.choice(k * k, n, p=truth.ravel())
        weights = rng.exponential(size=n) if way == "random weights" else STRATA[codes // k]
        sums, squares = (np.bincount(codes, weights**p, k * k).reshape(k, k) for p in (1, 2))
        return ContingencyTable.from_matrix(sums, labels=range(k), squared_weights=squares)
    counts = rng.multinomial(n, truth.ravel()).reshape(truth.shape)
    return counted(counts, None if way == "observed" else range(k))


def counted(amounts, labels):
    """Return the table of an array; answers in a column more than it has rows are no class."""
    rows, columns = np.nonzero(amounts)
    return ContingencyTable.from_counts(
        references=rows,
        predictions=columns,
        counts=amounts[rows, columns],
        labels=labels,
        unknown="wrong" if amounts.shape[1] > len(amounts) else "error",
    )


class Truth:
    """The true scores of a cell."""

    def __init__(self, cell, scores):
        self.way, self.k = cell[:2]
        self.shares, self.scores = population(self.k, *cell[3:5]), scores
        if self.way == "no class":
            self.shares = with_no_class(self.shares, *cell[5])
        shares = self.shares
        if self.way == "stratified":
            shares = shares * STRATA[: self.k, None]
        self.values, whole = self._of(shares / shares.sum())
        hits, references = whole.hits, whole.reference_totals
        self.f1 = ratio_or_nan(2 * hits, references + whole.prediction_totals)
        self.recalls = ratio_or_nan(hits, references)
        self.gains = INFORMEDNESS.with_average(None).clipped_value(whole)

    def _of(self, shares):
        whole = counted(shares, range(self.k))
        return {name: score.clipped_value(whole) for name, score in self.scores.items()}, whole

    def behind(self, table):
        """Return the true scores that a table estimates, and the prior that it is scored under."""
        seen = np.array(table.labels)[table.reference_totals > 0]
        if self.way == "even prior":
            shares = np.zeros((self.k, self.k))
            shares[seen] = self.shares[seen] / self.shares[seen].sum(axis=1, keepdims=True)
            prior = {int(label): 1 / len(seen) for label in seen}
            return self._of(shares / len(seen))[0], prior
        if self.way == "observed":
            of_seen = {
                "informedness, macro": np.mean(np.array(self.gains)[seen]),
                "balanced_accuracy": np.mean(self.recalls[seen]),
                "f1_macro": np.mean(self.f1[list(table.labels)]),
            }
            return self.values | of_seen, None
        return self.values, None


def intervals_on(truth, table):
    """Yield (score, true value, interval, whether it comes with a warning) of one table."""
    if truth.way in ("by class", "no class"):
        intervals = intervals_by_class(table, LEVEL)
        for number, (value, made) in enumerate(zip(truth.gains, intervals, strict=True)):
            few = table.reference_totals[number] < 5
            yield "other classes" if number else "first class", value, made, bool(few)
    if truth.way == "by class":
        return
    values, prior = truth.behind(table)
    for name, score in truth.scores.items():
        made = score.interval(table, LEVEL, prior)
        few = score.caveat(table, prior)
        if not math.isnan(values[name]):
            yield name, values[name], made, bool(few)


def run(task):
    """Return what some tables of a cell show, by score and whether there was a warning."""
    cell, names, n_tables = task
    scores = {name: score for name, score in scores_of(cell[0]).items() if name in (names or ALL)}
    place = WAYS.index(cell[0]), cell[1], cell[2], SHARES.index(cell[3])
    which = [REFUSED.index(no_class) for no_class in cell[5:]]
    rng = np.random.default_rng([n_tables, *place, list(CLASSIFIERS).index(cell[4]), *which])
    warnings.filterwarnings("ignore", "informedness: ")
    truth, found = Truth(cell, scores), defaultdict(list)
    for _ in range(n_tables):
        table = drawn(cell, truth.shares, rng)
        if np.count_nonzero(table.reference_totals) < 2:
            continue
        for name, value, made, warned in intervals_on(truth, table):
            if not math.isnan(made.standard_error):
                for which in (warned, None):  # and of all tables
                    found[name, which].append((value, made.value, made.low, made.high))
    return cell, {key: entry(np.array(rows).T) for key, rows in found.items()}


def entry(columns):
    """Return of (truth, value, low, high): coverage, number, share printed, relative width."""
    truth, value, low, high = columns
    printed = ~np.isnan(low)
    if not printed.any():
        return math.nan, 0, 0.0, math.nan
    covered = ((low - 1e-9 <= truth) & (truth <= high + 1e-9))[printed].mean()
    spread = 2 * 1.96 * (value - truth).std()
    width = (high - low)[printed].mean() / spread if spread > 1e-9 else math.nan
    return covered, int(printed.sum()), printed.mean(), width


def study(cells, n_tables, pool):
    """Return for (cell, score, warned): coverage, number, share printed, relative width."""
    results, again = {}, defaultdict(set)
    tasks = [(cell, None, n_tables) for cell in cells]
    for turn in (1, 10):
        for cell, found in pool.imap_unordered(run, tasks):
            for (name, warned), (coverage, printed, *rest) in found.items():
                if printed < turn * n_tables / 10:
                    continue
                results[cell, name, warned] = coverage, printed, *rest
                if coverage < (AGAIN if warned is False else 0.9):
                    again[cell].add(name)
        tasks = [
            (cell, None if cell[0] == "by class" else tuple(sorted(names)), 10 * n_tables)
            for cell, names in again.items()
        ]
    return results


def fails(found, warned):
    """Whether the coverage lies below its limit, and not by chance."""
    coverage, printed, *_ = found
    return wilson_bound(coverage * printed, printed) < LIMITS[warned]


def told_from_chance(task):
    """Return in what share of the tables of a guesser p is below 0.05."""
    (k, n, shares, classifier), n_tables = task
    truth = population(k, shares, classifier)
    rng = np.random.default_rng([k, n, SHARES.index(shares)])
    tables = (drawn(("declared", k, n), truth, rng) for _ in range(n_tables))
    return n, float(np.mean([chi_squared_p_value(table) < 0.05 for table in tables]))


def of_guessers(found, n_tables):
    """Return a table of how often guessers are told from chance, by N."""
    rows = []
    for size in sorted({n for n, _ in found}):
        shares = [share for n, share in found if n == size]
        fail = sum(wilson_bound(x * n_tables, n_tables, -3.2905) > 0.06 for x in shares)
        rows.append([size, len(shares), fail, f"{np.mean(shares):.3f}", f"{max(shares):.3f}"])
    return scoring.table(["N", "cells", "fail", "mean share of p < 0.05", "highest"], rows, left=0)


def run_parts(task):
    """Return coverage and width of a cell by score and the part that is left out."""
    cell, n_tables = task
    truth = Truth(cell, {name: ALL[name] for name in PARTS[""]})
    rng = np.random.default_rng([cell[1], cell[2], SHARES.index(cell[3])])
    found = defaultdict(list)
    for _ in range(n_tables):
        counts = rng.multinomial(cell[2], truth.shares.ravel()).reshape(truth.shares.shape)
        if np.count_nonzero(counts.sum(axis=1)) < 2:
            continue
        for part, names in PARTS.items():
            for name in names:
                metric, _, average = name.partition(", ")
                average = average or ("bias" if metric == "informedness" else None)
                value, _, *ends = reference.interval(
                    counts, metric, average, LEVEL, without=(part,)
                )
                found[name, part].append((truth.values[name], value, *ends))
    return {key: entry(np.array(rows).T) for key, rows in found.items()}


def of_parts(found):
    """Return a table of what each part buys, of scores and cells together."""
    rows = []
    for part, names in PARTS.items():
        for name in names:
            coverage, _, _, width = np.array([cell[name, part] for cell in found]).T
            widths = np.nanmedian(width), np.nanquantile(width, 0.9)
            below = [int((coverage < limit).sum()) for limit in (0.9, AGAIN)]
            rows.append([name, part or "nothing", f"{coverage.min():.3f}", *below,
                         *(f"{w:.2f}" for w in widths)])  # fmt: skip
    rows.sort(key=lambda row: list(ALL).index(row[0]))
    head = ["score", "without", "lowest coverage", "cells below .90", "below .93", "median width",
            "90% of widths below"]  # fmt: skip
    return scoring.table(head, rows, left=2)


def summary(results):
    """Return a table of each score."""
    groups = defaultdict(list)
    order = {key: place for place, key in enumerate(WARNED)}
    for (_, name, warned), found in sorted(results.items(), key=lambda item: order[item[0][2]]):
        groups[name, warned].append(found)
    rows = []
    for (name, warned), found in groups.items():
        coverage, _, printed, width = map(np.array, zip(*found, strict=True))
        n_failed = sum(fails(one, warned) for one in found)
        widths = [f"{x:.2f}" for x in (np.nanmedian(width), np.nanquantile(width, 0.9))]
        rows.append([name, WARNED[warned], len(found), n_failed,
                     *(f"{x:.3f}" for x in (coverage.min(), coverage.mean(), 1 - printed.mean())),
                     *widths])  # fmt: skip
    head = ["score", "warned", "cells", "fail", "lowest coverage", "mean",
            "share without interval", "median width", "90% of widths below"]  # fmt: skip
    return scoring.table(head, rows, left=2)


def failing(results):
    """Return the cells that fail, lowest first."""
    found = sorted(
        (
            (entry[0], cell, name, warned, entry[1])
            for (cell, name, warned), entry in results.items()
            if fails(entry, warned)
        ),
        key=lambda one: one[:3],
    )
    lines = ["Cells that fail:", ""]
    for coverage, (_, k, n, *kinds), name, warned, tables in found:
        how = {False: "without a warning", True: "with a warning", None: "all"}[warned]
        words = [kind if isinstance(kind, str) else "{:.0%} {}".format(*kind) for kind in kinds]
        place = f"k = {k}, N = {n}, {', '.join(words)}"
        lines.append(f"- {coverage:.3f} {name}, {how}: {place} ({tables} intervals)")
    return "\n".join(lines) if found else "No cell fails."


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=400, help="of each cell")
    parser.add_argument("--cells", type=int, nargs=2, default=[400, 60],
                        help=f"of {' and '.join(MANY)}, and of each other way")  # fmt: skip
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--add", action="store_true", help="to the page, which keeps its others")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--output", type=Path, default=HERE / "COVERAGE.md")
    options = parser.parse_args()
    start, n_tables = time.perf_counter(), options.tables
    many, some = options.cells
    sizes = {way: many if way in MANY else some for way in options.ways}
    command = "python tests/studies/coverage.py " + " ".join(
        f'"{word}"' if " " in word else word
        for word in ("--tables", str(n_tables), "--cells", *map(str, options.cells), "--ways",
                     *options.ways, *["--add"] * options.add)
    )  # fmt: skip
    first, made_before, sections = f"    {command}", "", {}
    if options.add:  # the others keep what is said of how they were made
        head, sections = sections_of(options.output)
        _, first, *_, about = head.split("\n\n")
        made_before = " ".join(about.split()).split("; ", 1)[1]

    def made():
        return made_with((time.perf_counter() - start) / 60)

    def write():
        numbers = re.findall(r"^(\d+) of the \d+ cells of", "\n".join(sections.values()), re.M)
        about = f"{sum(map(int, numbers))} cells of {n_tables} tables each; {made_before or made()}"
        doc = "\n".join(__doc__.splitlines()[2:])
        head = ["# How often the intervals cover the truth", first, doc, scoring.text(about)]
        write_page(options.output, "\n\n".join(head), sections)

    with multiprocessing.Pool(options.processes) as pool:
        for way, number in sizes.items():
            cells = cells_of(way, number)
            results = study(cells, n_tables, pool)
            about = [f"{len(cells)} of the {len(cells_of(way))} cells of this way."]
            about += [f"    {command}", made()] if options.add else []
            sections[way.capitalize()] = "\n\n".join([*about, summary(results), failing(results)])
            write()  # what is done, should the rest be cut off
            if way == "declared":
                sections |= section_of_chance(pool, n_tables, some)
                sections |= section_of_parts(pool, n_tables // 2, some)
                write()


def section_of_chance(pool, n_tables, some):
    """Return the section on how often guessers are told from chance."""
    grid = list(itertools.product(*GUESSED))
    order = np.random.default_rng(0).permutation(len(grid))[: max(3, some // 2)]
    found = list(pool.imap_unordered(told_from_chance, [(grid[x], n_tables) for x in order]))
    about = f"{n_tables} tables each of {len(found)} guessers of the {len(grid)} there are."
    return {"The test of chance": f"{about}\n\n{of_guessers(found, n_tables)}"}


def section_of_parts(pool, n_tables, some):
    """Return what each part of the formulas buys."""
    cells = [cell for cell in cells_of("declared") if cell[2] <= 2000][:some]
    found = list(pool.imap_unordered(run_parts, [(cell, n_tables) for cell in cells]))
    about = (
        f"{n_tables} tables each of {len(cells)} cells of up to 2,000 samples, the same for all "
        "parts. What lowers coverage here is needed; what does not may be in cells not drawn."
    )
    return {"What each part buys": f"{about}\n\n{of_parts(found)}"}


if __name__ == "__main__":
    main()
