"""How often `compare` errs, and how often it finds: part of `make coverage`, writes COMPARISON.md.

A cell of the study is a kind of two models, a number of classes k and of samples N, the shares of
the classes, about what share of the samples both answer differently, a score, and a way to weigh
the samples. Model B copies A's answer with some probability and else answers as a model of its
kind, whose ability is such that B's score is A's:

- alike: both know 70% and else guess a class by its share;
- renamed: both know 80%, but B exchanges the names of the last two classes, so NIT alone is equal;
- mirrored: A takes a class for the one before it, B for the one behind, of even classes;
- guessers: A guesses by the shares, B evenly;
- constant: A always answers the largest class, B guesses by the shares;
- one class: A's errors are spread over all classes, B's go to the largest;
- traded: A misses the rarest class, B more of the largest.

The ways:

- plain: samples alone, without weights.
- random weights: each sample has a weight from an exponential distribution.
- stratified: every second class has three times the weight of the others.
- even prior: the references are reweighted to even shares of the classes.
- groups: of 2 to 14 samples, of which each is with probability 0.3 a copy of the first.
- both, or B: 5%, 20% or 50% of the answers of both models, or of B's own, are no class and count as
  wrong ones: of all answers, or of those to the rarest class. These cells have a section of their
  own, on Informedness of models that are alike, mirrored, one class or traded.

Cells are a random choice, by a seed, of all there are, and some of 300 and 1,000 classes; all are
fixed before any is drawn. Classes are declared. A share of p < 0.05 above 0.065 counts as not yet
known: that cell is studied on ten times as many pairs of models, new ones, which alone count.

Pairs without a warning are counted, unless they are less than a tenth, and all pairs. Those with a
warning are not counted on their own, because one of the warnings comes only where p is low. A cell
fails where the lower 99.9% Wilson bound of its share of p < 0.05 is above 0.06. "Tail" is the share
of p < 0.05/780, Holm's first step for 40 models, in multiples of 0.05/780.

Forty equal models: the tail of pairs that are alike, on many more tables.

Where B is better, A knows 70% of each class and B 80%, and half of B's answers are copies. Beside
`compare` stand McNemar's exact test, on accuracy, and the percentile bootstrap of 200 resamples. An
interval fails where the upper 99.9% bound of its coverage is below 0.92.

A slice against the rest: both are samples of one population. Shares of p < 0.05 and of p < 0.05/20,
Holm's first step for 20 slices.

A section that names a command was made by it alone (`--add`), after the others.
"""

import argparse
import itertools
import math
import multiprocessing
import time
import warnings
from collections import defaultdict
from functools import cache
from pathlib import Path

import numpy as np
import populations as of
from paper import scoring
from scipy.stats import binomtest

from informedness import ContingencyTable, compare
from informedness.core.table import Table
from informedness.inference.registry import SCORES, score_with_average
from informedness.results.slices import difference_from_rest
from informedness.warnings import IntervalWarning

HERE = Path(__file__).parent
DOC = "\n".join(__doc__.splitlines()[2:])
KS, SIZES, SHARES, DIFFERENT = (
    (2, 3, 5, 10, 30, 100),
    (20, 30, 50, 100, 200, 1000, 5000, 20000),
    ("even", "zipf", "90%", "98%"),
    (0.005, 0.02, 0.05, 0.2, 0.4, 0.7),
)
WAYS = ("plain", "random weights", "stratified", "even prior", "groups")
# Cells in which a longer search found more than is allowed, of other tests; and of many classes.
KNOWN = [
    ("mirrored", 30, 1000, "90%", 0.4, "informedness", "plain"),
    ("one class", 30, 200, "90%", 0.4, "informedness", "plain"),
    ("constant", 30, 200, "even", 0.4, "markedness", "plain"),
    ("one class", 8, 1000, "95%", 0.05, "f1_macro", "plain"),
    ("one class", 7, 5000, "98%", 0.4, "f1_macro", "plain"),
    ("constant", 3, 200, "90%", 0.1, "informedness", "stratified"),
    ("guessers", 10, 5000, "98%", 0.05, "informedness, prevalence", "plain"),
    *itertools.product(
        ("alike",), (300, 1000), (1000, 5000), ("even", "zipf"), (0.1,),
        ("informedness", "informedness, prevalence", "nit", "f1_macro"), ("plain",),
    ),
    *itertools.product(
        ("mirrored",), (300, 1000), (1000, 5000), ("even",), (0.2,),
        ("informedness", "f1_macro"), ("plain",),
    ),
]  # fmt: skip
BETTER = list(itertools.product((2, 3, 5), (50, 200, 1000), ("even", "90%")))
BETTER += list(itertools.product((10, 30), (200, 1000, 5000), ("even", "90%")))
FORTY = list(itertools.product(
    ((2, 50, "even"), (3, 200, "zipf"), (10, 1000, "zipf")),
    ("informedness", "nit", "accuracy"), ("plain", "groups"),
))  # fmt: skip
SLICES = list(itertools.product(((2, "even"), (2, "90%"), (3, "zipf"), (5, "even"), (10, "zipf")),
                                (0.5, 0.9), (30, 100, 400)))  # fmt: skip
NO_CLASS = {f"{who}, {share:.0%} {where}": (who, share, where)
            for who, (share, where) in itertools.product(("both", "B"), of.REFUSED)}  # fmt: skip
OF_NO_CLASS = "Answers that are no class"  # the heading of their section
AVERAGED = ["informedness, prevalence", "informedness, macro"]
AVERAGED += ["markedness, bias", "markedness, macro"]
OF_INFORMEDNESS = ["informedness", *AVERAGED[:2]]
METRICS = [*SCORES, *AVERAGED]
WHICH = ("without", "all")  # pairs: those without a warning, and all
TAIL, AGAIN, LIMIT = 0.05 / 780, 0.065, 0.06


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
ABILITIES = {"alike": 0.7, "mirrored": 0.8}  # of B, where the scores are equal by symmetry


def options_of(metric):
    """Return the arguments that name a score."""
    name, _, average = metric.partition(", ")
    return {"metric": name, "average": average or "default"}


def score(shares, metric):
    """Return the score of a population."""
    rows, columns = np.nonzero(shares)
    labels = (*range(len(shares)), None)[: shares.shape[1]]
    table = Table(labels, True, rows, columns, shares[rows, columns])
    scored, table = score_with_average(*options_of(metric).values()).orient(table)
    return float(scored.exact_value(table))


class Pair:
    """A population of two models: class shares, how each answers, and how often B copies A."""

    def __init__(self, pi, a, b, copied):
        self.shares, self.copied, self.tables = np.cumsum(pi), copied, (a, b)
        self.n_answers = a.shape[1]
        ends = [np.cumsum(table, axis=1) + np.arange(len(pi))[:, None] for table in (a, b)]
        for table in ends:  # whose rows end at whole numbers
            table[:, -1] = np.arange(1, len(pi) + 1)
        self.ends = [table.ravel() for table in ends]

    def drawn(self, rng, n):
        """Return references and answers of n samples."""
        r = np.searchsorted(self.shares, rng.random(n) * self.shares[-1], side="right")
        a, b = (
            np.searchsorted(ends, r + rng.random(n), side="right") - r * self.n_answers
            for ends in self.ends
        )
        return np.array([r, a, np.where(rng.random(n) < self.copied, a, b)])


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


@cache
def equal_models(kind, k, shares, different, metric, way):
    """Return a pair of models of one score and the difference that is left, None if there is none.

    They answer about as many samples differently as wanted.
    """
    pi = of.class_shares(shares, k)
    scored = pi  # shares of the classes as they are scored
    if way == "stratified":
        scored = weights_of_classes(k) * pi / (weights_of_classes(k) * pi).sum()
    elif way == "even prior":
        scored = np.full(k, 1 / k)
    make_a, make_b = KINDS[kind]
    if way in NO_CLASS:
        make_a, make_b = lacking_answers(make_a, make_b, *NO_CLASS[way])
    a, copied = make_a(pi), 0.0
    if k > 100:  # where the search would take hours
        b = make_b(pi, ABILITIES[kind])
        return Pair(pi, a, b, 1 - different / (1 - pi @ (a * b).sum(axis=1))), 0.0
    wanted = score(scored[:, None] * a, metric)

    def gap(x):
        mixed = copied * a + (1 - copied) * make_b(pi, x)
        return score(scored[:, None] * mixed, metric) - wanted

    for _ in range(12):
        found = ability(gap)
        if found is None:
            return None
        b = make_b(pi, found)
        differ = 1 - pi @ (a * b).sum(axis=1)
        before, copied = copied, max(0.0, 1 - different / differ)
        if abs(copied - before) < 1e-5:
            break
    left, really = gap(found), (1 - copied) * differ
    is_equal = abs(left) < 1e-5 and 0.7 < really / different < 1.4
    return (Pair(pi, a, b, copied), left) if is_equal else None


def lacking_answers(make_a, make_b, who, share, where):
    """Return the makers of two models, of which both or B give answers that are no class."""
    of_a = share if who == "both" else 0.0
    return (
        lambda pi: of.with_no_class(make_a(pi), of_a, where),
        lambda pi, x: of.with_no_class(make_b(pi, x), share, where),
    )


def weights_of_classes(k):
    return np.where(np.arange(k) % 2, 3.0, 1.0)


def better_models(k, shares):
    pi = of.class_shares(shares, k)
    return Pair(pi, of.knows_a_share(pi, 0.7), of.knows_a_share(pi, 0.8), 0.5)


def cells(full):
    """Return the cells: kind, k, N, shares, share that differs, score, way."""
    some = list(KNOWN) if full else []
    for number, metric in enumerate(METRICS):
        often = metric in ("informedness", "nit")
        wanted = (150 if often else 40) if full else 6
        grid = itertools.product(KINDS, KS, SIZES, SHARES, DIFFERENT)
        grid = [x for x in grid if x[4] * x[2] >= 1 and (x[1] < 100 or x[2] >= 1000)]
        rng, found = np.random.default_rng(number), 0
        for place in rng.permutation(len(grid)):
            chosen = rng.random()
            way = "plain" if chosen < 0.6 else WAYS[1 + int((chosen - 0.6) * 10)]
            if way == "even prior" and not metric.startswith("informedness"):
                way = "plain"
            cell = (*grid[place], metric, way)
            if found < wanted and equal_models(*cell[:2], *cell[3:]) is not None:
                found += 1
                some.append(cell)
    return some


def cells_of_no_class(wanted):
    """Return this many cells of each average of Informedness where some answers are no class."""
    some = []
    for metric in OF_INFORMEDNESS:
        kinds = "alike", "mirrored", "one class", "traded"
        sides = (2, 3, 10), (60, 150, 300, 1000), SHARES[:3], DIFFERENT[2:]
        grid = [x for x in itertools.product(kinds, *sides, NO_CLASS) if x[4] * x[2] >= 1]
        rng = np.random.default_rng([METRICS.index(metric), len(grid)])
        order = (grid[place] for place in rng.permutation(len(grid)))
        found = ((*place, metric, way) for *place, way in order)
        equal = (x for x in found if equal_models(*x[:2], *x[3:]) is not None)
        some += itertools.islice(equal, wanted)
    return some


def in_groups(rng, columns):
    """Return the columns with copies in groups of 2 to 14 samples, and the groups."""
    n = columns.shape[1]
    sizes = rng.integers(2, 15, n)
    groups = np.repeat(np.arange(n), sizes)[:n]
    first = np.flatnonzero(np.diff(groups, prepend=-1))[groups]
    return columns[:, np.where(rng.random(n) < 0.3, first, np.arange(n))], groups


def compared(rng, columns, k, metric, way):
    """Return a comparison of samples, and whether it warned; None if they are unfit."""
    extra = {}
    if way == "groups":
        columns, extra["groups"] = in_groups(rng, columns)
        if extra["groups"].max() < 4:
            return None
    elif way == "random weights":
        extra["sample_weight"] = rng.exponential(size=columns.shape[1])
    elif way == "stratified":
        extra["sample_weight"] = weights_of_classes(k)[columns[0]]
    there = np.unique(columns[0])
    if len(there) < 2 or (way == "even prior" and len(there) < k):
        return None
    if way == "even prior":
        extra["prior"] = dict.fromkeys(range(k), 1 / k)
    elif way in NO_CLASS:
        extra["unknown"] = "wrong"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = compare(*columns, **options_of(metric), labels=range(k), **extra)
    return made, any(x.category is IntervalWarning for x in caught)


def cell(task):
    """Return counts of what some pairs show, of those without a warning and of all."""
    (kind, k, n, shares, different, metric, way), runs = task
    pair, left = equal_models(kind, k, shares, different, metric, way)
    words = f"{kind} {shares} {metric} {way}".encode()
    rng = np.random.default_rng([runs, k, n, round(1000 * different), *words])
    found = {which: defaultdict(float) for which in WHICH}
    for _ in range(runs):
        made = compared(rng, pair.drawn(rng, n), k, metric, way)
        if made is not None:
            comparison, warned = made
            low, high = comparison.confidence_interval
            for which in WHICH[warned:]:
                seen = found[which]
                seen["done"] += 1
                seen["different"] += comparison.n_different
                seen["rejected"] += comparison.p_value < 0.05
                seen["tail"] += comparison.p_value < TAIL
                seen["covered"] += low - 1e-12 <= left <= high + 1e-12
                seen["width"] += high - low
    return task[0], found


def study(places, runs, pool):
    """Return rows of results: cell, which pairs, and shares; and counts of all cells."""
    rows, again, counts = {}, [], {}
    tasks = [(place, runs) for place in places]
    for turn in (1, 10):
        for place, found in pool.imap(cell, tasks):
            total = found["all"]["done"]
            shares = {
                which: {"share": seen["done"] / total, "done": seen["done"]}
                | {name: seen[name] / seen["done"] for name in
                   ("different", "rejected", "tail", "covered", "width")}
                for which, seen in found.items() if seen["done"] >= max(total / 10, 1)
            }  # fmt: skip
            rows[place] = shares
            counts[place] = {
                which: np.array([seen[name] for name in ("done", "rejected", "tail")])
                for which, seen in found.items()
            }
            if turn == 1 and any(x["rejected"] > AGAIN for x in shares.values()):
                again.append(place)
            print(*place, {w: round(x["rejected"], 3) for w, x in shares.items()}, flush=True)
        tasks = [(place, 10 * runs) for place in again]
    of_all = {which: sum(x[which] for x in counts.values()) for which in WHICH}
    rows = [(place, which, x) for place, shares in rows.items() for which, x in shares.items()]
    return rows, of_all


def fails(found):
    """Return whether p < 0.05 more often than wanted, and not by chance."""
    return of.wilson_bound(found["rejected"] * found["done"], found["done"], -3.2905) > LIMIT


def summary(rows):
    """Return a table of each score."""
    table = []
    for metric, which in itertools.product(METRICS, WHICH):
        some = [x for place, w, x in rows if (place[5], w) == (metric, which)]
        if not some:
            continue
        done, rejected = np.array([(x["done"], x["rejected"]) for x in some]).T
        tail = sum(x["tail"] * x["done"] for x in some) / done.sum() / TAIL
        table.append([metric, which, len(some), sum(map(fails, some)),
                      f"{rejected.mean():.3f}", f"{rejected.max():.3f}",
                      f"{min(x['covered'] for x in some):.3f}", f"{tail:.1f}"])  # fmt: skip
    head = ["score", "pairs", "cells", "fail", "mean p < 0.05", "highest", "lowest coverage",
            "tail"]  # fmt: skip
    return scoring.table(head, table, left=2)


def said_of(rows, counts):
    """Return what the cells show, in words."""
    said = []
    for which, words in zip(WHICH, ("Without a warning", "With or without"), strict=True):
        some, (done, rejected, tail) = [x for _, w, x in rows if w == which], counts[which]
        highest = max((x["rejected"] for x in some), default=0)
        said.append(
            f"{words} p < 0.05 in at most {highest:.1%} of the pairs of a cell, and in "
            f"{rejected / max(done, 1):.1%} of all pairs; {sum(map(fails, some))} of {len(some)} "
            f"cells fail, and the tail of all pairs is {tail / max(done, 1) / TAIL:.2f}."
        )
    return " ".join(said)


def details(rows):
    """Return a table of all cells of a score."""
    cells = [
        [place[0], place[6], *place[1:4], which,
         *(f"{x[name]:.3f}" for name in ("share", "different", "rejected", "covered", "width")),
         "yes" if fails(x) else ""]
        for place, which, x in rows
    ]  # fmt: skip
    head = ["kind", "way", "k", "N", "shares", "pairs", "of all", "samples that differ",
            "p < 0.05", "interval covers", "mean width", "fails"]  # fmt: skip
    return scoring.table(head, cells, left=2)


def section_of_no_class(rows, counts):
    """Return what the cells show where some answers are no class."""
    texts = [scoring.text(said_of(rows, counts)), summary(rows)]
    for metric in OF_INFORMEDNESS:
        texts += [f"### {metric}", details([row for row in rows if row[0][5] == metric])]
    return "\n\n".join(texts)


def bootstrap_rejects(rng, columns, k, metric):
    """Return whether 0 lies outside the 95% percentile interval of 200 resamples."""
    triples, counts = np.unique(columns, axis=1, return_counts=True)
    r, *sides = triples
    drawn = rng.multinomial(counts.sum(), counts / counts.sum(), 200)
    values = []
    for answers in sides:
        table = np.zeros((200, k * k))
        np.add.at(table.T, r * k + answers, drawn.T)
        p = table.reshape(200, k, k) / counts.sum()
        pi, beta, hits = p.sum(axis=2), p.sum(axis=1), np.einsum("nii->ni", p)
        if metric == "nit":
            expected = pi[:, :, None] * beta[:, None, :]
            terms = p * np.log(np.where(p > 0, p, 1) / np.where(p > 0, expected, 1))
            values.append(np.exp(terms.sum(axis=(1, 2))) / k)
        else:
            spread = np.where(pi * (1 - pi) > 0, pi * (1 - pi), np.inf)
            values.append((beta * (hits - pi * beta) / spread).sum(axis=1))
    low, high = np.quantile(values[1] - values[0], (0.025, 0.975))
    return low > 0 or high < 0


def better_cell(task):
    """Return what pairs show of which B is better."""
    (k, n, shares), metric, runs = task
    pair, rng = better_models(k, shares), np.random.default_rng([k, n, len(shares)])
    a, b = pair.tables
    pi = of.class_shares(shares, k)[:, None]
    truth = score(pi * (0.5 * a + 0.5 * b), metric) - score(pi * a, metric)
    found = defaultdict(float)
    for _ in range(runs):
        columns = pair.drawn(rng, n)
        made = compared(rng, columns, k, metric, "plain")
        if made is None:
            continue
        comparison, warned = made
        low, high = comparison.confidence_interval
        changed = comparison.gained + comparison.lost
        found["done"] += 1
        found["different"] += comparison.n_different
        found["power"] += comparison.p_value < 0.05
        found["mcnemar"] += changed and binomtest(comparison.gained, changed).pvalue < 0.05
        found["bootstrap"] += bootstrap_rejects(rng, columns, k, metric)
        found["covered"] += low - 1e-12 <= truth <= high + 1e-12
        found["width"] += high - low
        found["warned"] += warned
    done = found["done"]
    shares_of = {name: total / done for name, total in found.items()}
    return (metric, k, n, shares), shares_of | {"done": done}


def better_table(rows):
    """Return a table of the cells in which B is better."""
    names = ["different", "power", "mcnemar", "bootstrap", "covered", "width", "warned"]
    cells = []
    for place, x in rows:
        failed = of.wilson_bound(x["covered"] * x["done"], x["done"]) < 0.92
        cells.append([*place, *(f"{x[name]:.3f}" for name in names), "yes" if failed else ""])
    head = ["score", "k", "N", "shares", "samples that differ", "p < 0.05", "McNemar p < 0.05",
            "of the bootstrap", "interval covers", "mean width", "warned", "fails"]  # fmt: skip
    return scoring.table(head, cells, left=1)


def forty_cell(task):
    """Return how often pairs that are alike have p < 0.05, and p < 0.05/780."""
    ((k, n, shares), metric, way), runs, part = task
    pair, _ = equal_models("alike", k, shares, 0.2, metric, "plain")
    rng, found = np.random.default_rng([part, k, n, METRICS.index(metric), len(way)]), np.zeros(3)
    for _ in range(runs):
        made = compared(rng, pair.drawn(rng, n), k, metric, way)
        if made is not None:
            p = made[0].p_value
            found += 1, p < 0.05, p < TAIL
    return task[0], found


def forty_table(found):
    """Return a table of the pairs that are alike."""
    cells = []
    for (place, metric, way), (done, rejected, tail) in found.items():
        times = tail / done / TAIL
        cells.append([metric, way, *place, int(done), f"{rejected / done:.4f}", f"{times:.2f}"])
    head = ["score", "way", "k", "N", "shares", "pairs", "p < 0.05", "tail"]
    return scoring.table(head, cells, left=2)


def forty_said(found):
    """Return the tails with groups and without, in words."""
    said = []
    for way, words in (("plain", "samples alone"), ("groups", "groups")):
        done, _, tail = sum(x for (*_, w), x in found.items() if w == way)
        error = math.sqrt(max(tail, 1)) / done / TAIL
        said.append(f"{tail / done / TAIL:.2f} (standard error {error:.2f}) of {words}")
    return "Together the tails are " + " and ".join(said) + "."


def slice_cell(task):
    """Return how often a slice differs from the rest although both are alike, by score."""
    ((k, shares), known, n), runs = task
    pi = of.class_shares(shares, k)
    chances = (pi[:, None] * of.knows_a_share(pi, known)).ravel()
    rng, found = np.random.default_rng([k, n, round(10 * known)]), {}
    for metric in ("informedness", "nit", "accuracy", "f1_macro"):
        scored, p_values = score_with_average(metric, "default"), []
        for _ in range(runs):
            sides = [
                ContingencyTable.from_matrix(rng.multinomial(size, chances).reshape(k, k),
                                             labels=range(k))
                for size in (n, 10 * n)
            ]  # fmt: skip
            p_values.append(difference_from_rest(scored, *sides)[1])
        known_p = np.array(p_values)[~np.isnan(p_values)]
        found[metric] = (known_p < 0.05).mean(), (known_p < 0.05 / 20).mean()
    return found


def slice_table(found):
    """Return a table of the slices by score."""
    rows = []
    for metric in found[0]:
        sizes, tails = np.array([one[metric] for one in found]).T
        numbers = sizes.mean(), sizes.max(), tails.mean(), tails.max()
        rows.append([metric, len(sizes), *(f"{x:.4f}" for x in numbers)])
    head = ["score", "cells", "mean p < 0.05", "highest", "mean p < 0.05/20", "highest"]
    return scoring.table(head, rows, left=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400, help="pairs of models a cell")
    parser.add_argument("--forty", type=int, default=80_000, help="pairs that are alike, a cell")
    parser.add_argument("--no-class", type=int, default=60,
                        help="cells of each score where some answers are no class")  # fmt: skip
    parser.add_argument("--corner", action="store_true", help="a few cells of each score")
    parser.add_argument("--add", action="store_true",
                        help="only those where some answers are no class")  # fmt: skip
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--output", type=Path, default=HERE / "COMPARISON.md")
    options = parser.parse_args()
    start, runs = time.perf_counter(), options.runs
    warnings.filterwarnings("ignore", "informedness: ")
    better = BETTER[:2] if options.corner else BETTER
    # before processes are made, which then share its search
    places = [] if options.add else cells(not options.corner)
    places_of_no_class = cells_of_no_class(options.no_class)
    with multiprocessing.Pool(options.processes) as pool:
        of_no_class = section_of_no_class(*study(places_of_no_class, runs, pool))
        if options.add:
            made = of.made_with((time.perf_counter() - start) / 60)
            command = f"--runs {runs} --no-class {options.no_class} --add"
            head, sections = of.sections_of(options.output)
            title, first, *_, about = head.split("\n\n")  # of the sections that stay
            command = f"    python tests/studies/comparison.py {command}"
            sections[OF_NO_CLASS] = "\n\n".join([command, made, of_no_class])
            of.write_page(options.output, "\n\n".join([title, first, DOC, about]), sections)
            return
        rows, counts = study(places, runs, pool)
        tasks = [(place, metric, max(runs // 4, 1)) for metric in ("informedness", "nit")
                 for place in better]  # fmt: skip
        found_better = list(pool.imap(better_cell, tasks))
        forty = defaultdict(lambda: np.zeros(3))
        parts = [(place, -(-options.forty // 8), part) for place in FORTY for part in range(8)]
        for place, found in pool.imap(forty_cell, parts):
            forty[place] += found
        slices = pool.map(slice_cell, [(place, max(runs // 2, 2)) for place in SLICES])
    minutes = (time.perf_counter() - start) / 60
    command = f"    python tests/studies/comparison.py --runs {runs} --forty {options.forty}"
    command += f" --no-class {options.no_class}" + " --corner" * options.corner
    about = f"{runs} pairs of models a cell, and a quarter of that where B is better. "
    head = ["# How often a comparison errs, and how often it finds", command, DOC,
            scoring.text(about + of.made_with(minutes))]  # fmt: skip
    sections = {
        "Neither is better": f"{scoring.text(said_of(rows, counts))}\n\n{summary(rows)}",
        "Forty equal models": f"{scoring.text(forty_said(forty))}\n\n{forty_table(forty)}",
        "B is better": better_table(found_better),
        "A slice against the rest": slice_table(slices),
    }
    for metric in METRICS:
        sections[f"Cells of {metric}"] = details([row for row in rows if row[0][5] == metric])
    sections[OF_NO_CLASS] = of_no_class
    of.write_page(options.output, "\n\n".join(head), sections)


if __name__ == "__main__":
    main()
