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

A cell fails a limit if the 99.9% Wilson bound of its coverage lies below it: 0.92 for intervals
that come without a warning, 0.88 for those that come with one. Cells that lie below it, but not by
so much, are drawn again, with more tables. Tables on which a score is undefined are left out, and
so are cells in which these are more than half, and groups (with a warning, without one) of less
than a tenth of the tables. The p-value that NIT's lower end goes by is always that of the gamma
distribution, since permutations would take days.

The test of chance is studied on guessers alone, with its permutations: the share of tables with
p < 0.05 fails if its lower 99.9% bound lies above 0.06.
"""

import argparse
import itertools
import math
import multiprocessing
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from paper import scoring
from populations import CLASSIFIERS, SHARES, made_with, population, wilson_bound

from informedness import SCORES, ContingencyTable
from informedness.statistics import information
from informedness.statistics.information import independence_test
from informedness.statistics.informed import INFORMEDNESS
from informedness.statistics.registry import averaged_score
from informedness.statistics.sums import sums_of

LEVEL, LIMITS = 0.95, {False: 0.92, True: 0.88}  # without a warning, and with one
KS, SIZES = (2, 4, 7, 20, 50), (100, 500, 2000, 20_000)
GUESSED = (100, 500, 20_000)  # samples of a guesser
MANY_KS, MANY_SIZES, MANY_SHARES = (100, 300, 1000), (1000, 5000), ("even", "zipf")
MANY_CLASSIFIERS = ("knows 0.2", "knows 0.6", "knows 0.95", "uneven")
SOME_KS, SOME_SIZES, SOME_SHARES = (2, 7, 20), (100, 500, 2000), ("even", "zipf", "98%")
WAYS = (
    "declared",
    "observed",
    "random weights",
    "stratified",
    "even prior",
    "by class",
    "many classes",
)
AVERAGED = {
    "informedness, prevalence": averaged_score("informedness", "prevalence"),
    "informedness, macro": averaged_score("informedness", "macro"),
}
ALL = {name: averaged_score(name, "default") for name in SCORES} | AVERAGED
OF_INFORMEDNESS = {name: ALL[name] for name in ("informedness", *AVERAGED)}
STRATA = np.where(np.arange(max(KS)) % 2, 3.0, 1.0)  # weights of the classes
HERE = Path(__file__).parent


def cells_of(way):
    """Return the cells of a way: (way, k, N, shares, classifier)."""
    if way == "many classes":
        grid = (MANY_KS, MANY_SIZES, MANY_SHARES, MANY_CLASSIFIERS)
        return [(way, *place) for place in itertools.product(*grid)]
    whole = way == "declared"
    grid = (KS, SIZES, SHARES) if whole else (SOME_KS, SOME_SIZES, SOME_SHARES)
    return [
        (way, *place)
        for place in itertools.product(*grid, CLASSIFIERS)
        if place[3] != "digits" or place[0] <= 10
    ]


def scores_of(way):
    """Return the scores that are studied in a way."""
    if way in ("even prior", "many classes"):
        return OF_INFORMEDNESS
    return {"informedness": INFORMEDNESS} if way == "by class" else ALL


def drawn(cell, truth, rng):
    """Return a table of samples."""
    way, k, n, *_ = cell
    if way in ("random weights", "stratified"):
        codes = rng.choice(k * k, n, p=truth.ravel())
        weights = rng.exponential(size=n) if way == "random weights" else STRATA[codes // k]
        sums, squares = (np.bincount(codes, weights**p, k * k).reshape(k, k) for p in (1, 2))
        return ContingencyTable.from_matrix(sums, labels=range(k), squared_weights=squares)
    counts = rng.multinomial(n, truth.ravel()).reshape(k, k)
    rows, columns = np.nonzero(counts)
    return ContingencyTable.from_counts(
        references=rows,
        predictions=columns,
        counts=counts[rows, columns],
        labels=None if way == "observed" else range(k),
    )


class Truth:
    """The true scores of a cell."""

    def __init__(self, cell, scores):
        self.way, self.k = cell[:2]
        self.shares, self.scores = population(self.k, *cell[3:]), scores
        shares = self.shares
        if self.way == "stratified":
            shares = shares * STRATA[: self.k, None]
        self.values, whole = self._of(shares / shares.sum())
        sums = sums_of(whole)
        with np.errstate(invalid="ignore"):
            self.f1 = 2 * sums.hits / (sums.references + sums.predictions)
        self.recalls, self.gains = sums.tpr, INFORMEDNESS.averaged(None).rounded(whole)

    def _of(self, shares):
        whole = ContingencyTable.from_matrix(shares, labels=range(self.k))
        return {name: score.rounded(whole) for name, score in self.scores.items()}, whole

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
    if truth.way == "by class":
        intervals = INFORMEDNESS.averaged(None).with_interval().intervals(table, LEVEL)
        for number, (value, made) in enumerate(zip(truth.gains, intervals, strict=True)):
            yield "other classes" if number else "first class", value, made, False
        return
    values, prior = truth.behind(table)
    for name, score in truth.scores.items():
        made = score.interval(table, LEVEL, prior)
        if math.isnan(values[name]):
            made = made._replace(standard_error=math.nan)
        yield (
            name,
            values[name],
            made,
            bool(score.too_few(table, prior) or score.too_few_for_classes(table)),
        )


def run(task):
    """Return what some tables of a cell show, by score and whether there was a warning."""
    cell, names, n_tables, seed = task
    truth = population(cell[1], *cell[3:])
    scores = {
        name: score for name, score in scores_of(cell[0]).items() if not names or name in names
    }
    place = WAYS.index(cell[0]), cell[1], cell[2], SHARES.index(cell[3])
    rng = np.random.default_rng([seed, n_tables, *place, list(CLASSIFIERS).index(cell[4])])
    warnings.filterwarnings("ignore", "informedness: ")
    information._MOST_PERMUTED = 0
    truth = Truth(cell, scores)
    found = defaultdict(lambda: np.zeros(5))  # tables, defined, printed, covered, width
    for _ in range(n_tables):
        table = drawn(cell, truth.shares, rng)
        if np.count_nonzero(table.reference_totals) < 2:
            continue
        for name, value, made, warned in intervals_on(truth, table):
            if math.isnan(made.standard_error):
                continue
            printed = not math.isnan(made.low)
            covered = printed and made.low - 1e-9 <= value <= made.high + 1e-9
            width = made.high - made.low if printed else 0.0
            found[name, warned] += 1, 1, printed, covered, width
    return cell, names, {key: tuple(sums) for key, sums in found.items()}, n_tables


def told_from_chance(task):
    """Return in what share of the tables of a guesser p is below 0.05."""
    (_, k, n, shares, classifier), _, n_tables, seed = task
    truth = population(k, shares, classifier)
    rng = np.random.default_rng([seed, k, n, SHARES.index(shares)])
    found = [
        independence_test(drawn(("declared", k, n), truth, rng)) < 0.05 for _ in range(n_tables)
    ]
    return task[0], float(np.mean(found))


def study(cells, sizes, seed, pool, scores=None):
    """Return for (cell, score, warned): share printed, coverage, mean width, tables.

    Each entry of a first round of `sizes[0]` tables that lies below its limit is drawn again with
    `sizes[1]`, and so on. `scores` are their names, all by default.
    """
    results, tasks = {}, [(cell, scores, sizes[0], seed) for cell in cells]
    for turn, n_tables in enumerate(sizes):
        again = defaultdict(set)
        for done, (cell, names, found, _) in enumerate(pool.imap_unordered(run, tasks, 4), 1):
            if done % 100 == 0:
                print(f"round {turn + 1}: {done} of {len(tasks)}", flush=True)
            for name in names or ():
                for warned in LIMITS:
                    results.pop((cell, name, warned), None)
            defined = defaultdict(float)
            for (name, _), sums in found.items():
                defined[name] += sums[1]
            for (name, warned), (_, given, printed, covered, width) in found.items():
                many = cell[1] - 1 if name == "other classes" else 1
                if defined[name] < n_tables * many / 2 or printed < n_tables * many / 10:
                    continue
                coverage = covered / printed
                results[cell, name, warned] = (
                    printed / given,
                    coverage,
                    width / printed,
                    int(printed),
                )
                below = coverage < LIMITS[warned] <= wilson_bound(covered, printed)
                if below and turn + 1 < len(sizes):
                    again[cell].add(name)
        following = sizes[turn + 1] if turn + 1 < len(sizes) else 0
        tasks = [
            (cell, None if cell[0] == "by class" else tuple(sorted(names)), following, seed)
            for cell, names in again.items()
        ]
    return results


def fails(entry, warned):
    """Whether the coverage lies below its limit, and not by chance."""
    _, coverage, _, printed = entry
    return wilson_bound(coverage * printed, printed) < LIMITS[warned]


def of_guessers(found, n_tables):
    """Return a table of how often guessers are told from chance, by N."""
    rows = []
    for size in sorted({cell[2] for cell in found}):
        shares = [share for cell, share in found.items() if cell[2] == size]
        fail = sum(wilson_bound(x * n_tables, n_tables, -3.2905) > 0.06 for x in shares)
        rows.append([size, len(shares), fail, f"{np.mean(shares):.3f}", f"{max(shares):.3f}"])
    return scoring.table(["N", "cells", "fail", "mean share of p < 0.05", "highest"], rows, left=0)


def page(results, guessers, options, minutes):
    """Return the page."""
    about = (
        f"{len({cell for cell, *_ in results})} cells of {options.tables[0]} tables each, those "
        f"below a limit again with {' and '.join(map(str, options.tables[1:]))}; "
        f"{made_with(minutes)}"
    )
    ways = " ".join(f'"{way}"' if " " in way else way for way in options.ways)
    tables = " ".join(map(str, options.tables))
    command = f"    python tests/studies/coverage.py --tables {tables} --ways {ways}"
    if options.scores:
        command += f" --scores {' '.join(options.scores)}"
    if options.append:
        parts = [f"\n{command} --append", scoring.text(about)]
    else:
        doc = "\n".join(__doc__.splitlines()[2:])
        parts = ["# How often the intervals cover the truth", command, doc, scoring.text(about)]
    for way in WAYS:
        some = {key: entry for key, entry in results.items() if key[0][0] == way}
        if some:
            parts += [f"## {way.capitalize()}", summary(some), failing(some)]
    if not options.append:
        parts += ["## By kind of classifier", by_classifier(results)]
    if guessers:
        about = f"{options.tables[0]} tables each of two guessers, k and class shares as above."
        parts += ["## The test of chance", about, of_guessers(guessers, options.tables[0])]
    return "\n\n".join(parts) + "\n"


def summary(results):
    """Return a table of each score."""
    groups = defaultdict(list)
    for (_, name, warned), entry in results.items():
        groups[name, warned].append(entry)
    rows = []
    for (name, warned), entries in groups.items():
        printed, coverage, width, _ = map(np.array, zip(*entries, strict=True))
        figures = coverage.min(), coverage.mean(), 1 - printed.mean(), width.mean()
        n_failed = sum(fails(entry, warned) for entry in entries)
        rows.append([name, "yes" if warned else "no", len(entries), n_failed,
                     *(f"{figure:.3f}" for figure in figures)])  # fmt: skip
    head = ["score", "warned", "cells", "fail", "lowest coverage", "mean",
            "share without interval", "mean width"]  # fmt: skip
    return scoring.table(head, rows, left=2)


def failing(results):
    """Return the cells that fail, lowest first."""
    found = sorted(
        (entry[1], cell, name, warned, entry[3])
        for (cell, name, warned), entry in results.items()
        if fails(entry, warned)
    )
    lines = ["Cells that fail:", ""]
    for coverage, (_, k, n, shares, classifier), name, warned, tables in found:
        how = "with a warning" if warned else "without a warning"
        place = f"k = {k}, N = {n}, {shares}, {classifier}"
        lines.append(f"- {coverage:.3f} {name}, {how}: {place} ({tables} tables)")
    return "\n".join(lines) if found else "No cell fails."


def by_classifier(results):
    """Return the lowest coverage of each kind of classifier, without and with a warning."""
    lowest = defaultdict(lambda: math.inf)
    for (cell, _, warned), entry in results.items():
        lowest[cell[4], warned] = min(lowest[cell[4], warned], entry[1])
    rows = [
        [name, *(f"{lowest[name, how]:.3f}" if (name, how) in lowest else "" for how in LIMITS)]
        for name in CLASSIFIERS
    ]
    return scoring.table(["classifier", "lowest without a warning", "with a warning"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, nargs="+", default=[100, 1000, 4000])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--append", action="store_true", help="to the page of other ways")
    parser.add_argument("--scores", nargs="+", choices=list(ALL), help="only these")
    parser.add_argument("--k", type=int, nargs="+", help="only these numbers of classes")
    parser.add_argument("--n", type=int, nargs="+", help="only these numbers of samples")
    parser.add_argument("--output", type=Path, default=HERE / "COVERAGE.md")
    options = parser.parse_args()
    cells = [
        cell
        for way in options.ways
        for cell in cells_of(way)
        if cell[1] in (options.k or KS + MANY_KS) and cell[2] in (options.n or SIZES + MANY_SIZES)
    ]
    start = time.perf_counter()
    with multiprocessing.Pool() as pool:
        guessing = [
            ((None, k, n, shares, classifier), None, options.tables[0], 0)
            for k, n, shares, classifier in itertools.product(
                options.k or KS, GUESSED, SHARES, ("guesses evenly", "guesses by share")
            )
            if "declared" in options.ways
        ]
        guessers = dict(pool.imap_unordered(told_from_chance, guessing, 4))
        results = study(cells, options.tables, 0, pool, options.scores)
    minutes = (time.perf_counter() - start) / 60
    with options.output.open("a" if options.append else "w", encoding="utf-8") as stream:
        stream.write(page(results, guessers, options, minutes))


if __name__ == "__main__":
    main()
