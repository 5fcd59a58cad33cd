"""What three parts of the intervals of scores of hits and totals buy: makes ABLATION.md.

The parts, which each of the eight sets has or leaves out:

- unseen: a row of few samples shows less than its variance, so that of its mean is larger by
  p (1 - p) (span / n)^2, with p where the score lies between its bounds.
- cap: the margin of error is at most as if every error were the worst one.
- sizes: z^2 times the variance of the sizes of the rows is added to the squares of the margins.
  Here it is the variance of the score less those of the means of the rows, and at least 0.

All sets make intervals of the same tables, drawn as in coverage.py, whose ways and limits these
are: a coverage fails if its upper 99.9% Wilson bound lies below 0.92 without a warning, else below
0.88. Coverages below 0.93 (0.9 with a warning) of any set are studied again on ten times as many
new tables, which alone count, for all sets. Samples in groups are those of groups.py ("One class in
each group"), without a warning; there a cell fails below 0.93. Widths are relative to the mean
width with all parts.

**Unseen stays**: without it the interval of balanced accuracy covers the truth in 0.83. **The cap
stays** for the width alone: it can only shorten, so no coverage asks for it, and without it one
interval in ten of 100 to 1,000 classes is longer by 46% or more. **Sizes was taken out**: without
it no coverage fails that does not fail with it, and intervals are never longer.
"""

import argparse
import itertools
import math
import multiprocessing
import time
import warnings
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import coverage
import groups
import numpy as np
from coverage import AGAIN, LEVEL, WAYS, Truth, cells_of, drawn, fails, intervals_on, scores_of
from paper import scoring
from populations import CLASSIFIERS, REFUSED, SHARES, made_with, wilson_bound

from informedness.inference import score as scores_module
from informedness.inference.registry import score_with_average
from informedness.inference.score import Interval, normal_quantile, ratio_or_zero, wilson_margin
from informedness.results.estimate import estimates_of

PARTS = "unseen", "cap", "sizes"
SETS = [some for n in (3, 2, 1, 0) for some in combinations(PARTS, n)]
PACKAGE = scores_module.margins_of_error


def margins(rows, level, parts):
    """Return the margins of error below the score and above it, with some parts."""
    z = normal_quantile(level)
    span = rows.below + rows.above
    place = ratio_or_zero((rows.share * rows.below).sum(axis=0), (rows.share * span).sum(axis=0))
    unseen = place * (1 - place) * (span / rows.size) ** 2 * ("unseen" in parts)
    error = np.sqrt(rows.error**2 + (rows.share**2 * unseen).sum(axis=0))

    within = (rows.share**2 * rows.variance / rows.size).sum(axis=0)
    between = np.maximum(rows.error**2 - within, 0) * ("sizes" in parts)

    def margin_for(distance):
        of_rows = rows.share * wilson_margin(
            distance, rows.variance / rows.size + unseen, rows.least_size, z
        )
        margin = np.sqrt((of_rows**2).sum(axis=0) + z**2 * between)
        if "cap" in parts:
            worst = z**2 / 2 * (rows.share * distance / rows.least_size).max(axis=0)
            margin = np.minimum(margin, worst + np.sqrt((z * error) ** 2 + worst**2))
        return np.maximum(margin, z * error)

    return margin_for(rows.below), margin_for(rows.above)


def ends_of_sets(made, rows, number):
    """Return the ends of the intervals of all sets around one without margins."""
    ends = []
    for parts in SETS:
        below, above = (np.atleast_1d(margin)[number] for margin in margins(rows, LEVEL, parts))
        ends += [made.low - below, made.high + above]
    return ends


def run(task):
    """Return of some tables of a cell, by score and warning, the entries of all sets."""
    cell, names, n_tables = task
    place = WAYS.index(cell[0]), cell[1], cell[2], SHARES.index(cell[3])
    which = [REFUSED.index(no_class) for no_class in cell[5:]]
    rng = np.random.default_rng([n_tables, *place, list(CLASSIFIERS).index(cell[4]), *which])
    warnings.filterwarnings("ignore", "informedness: ")
    scores = {name: x for name, x in scores_of(cell[0]).items() if name not in ("nit", "ema")}
    truth, found = Truth(cell, scores), defaultdict(list)
    if names is not None:
        truth.scores = {name: score for name, score in scores.items() if name in names}
    recorded = []

    def record(rows, level):
        recorded.append(rows)
        return np.zeros_like(rows.error), np.zeros_like(rows.error)

    scores_module.margins_of_error = record
    for _ in range(n_tables):
        table = drawn(cell, truth.shares, rng)
        if np.count_nonzero(table.reference_totals) < 2:
            continue
        number = 0
        recorded.clear()
        for name, value, made, warned in intervals_on(truth, table):
            rows = recorded[-1] if recorded else None
            is_class = name in ("first class", "other classes")
            if rows is None or math.isnan(made.standard_error):
                number += is_class
                continue
            lowest = -1.0 if is_class else truth.scores[name].lowest
            codes = np.flatnonzero(table.is_class)
            ends = ends_of_sets(made, rows, codes[number] if is_class else 0)
            number += is_class
            row = value, made.value, *np.clip(ends, lowest, 1.0)
            for which in (warned, None):
                found[name, which].append(row)
    scores_module.margins_of_error = PACKAGE
    return cell, {key: entries(np.array(rows).T) for key, rows in found.items()}


def entries(columns):
    """Return of each set the coverage, number, share printed and mean width."""
    truth, value, *ends = columns
    made = []
    for low, high in zip(ends[::2], ends[1::2], strict=True):
        low, high = np.minimum(low, value), np.maximum(high, value)
        covered, printed, share, _ = coverage.entry(np.array([truth, value, low, high]))
        made.append((covered, printed, share, np.nanmean(high - low) if printed else math.nan))
    return made


def study(cells, n_tables, pool):
    results, again = {}, defaultdict(set)
    tasks = [(cell, None, n_tables) for cell in cells]
    for turn in (1, 10):
        for cell, found in pool.imap_unordered(run, tasks):
            for (name, warned), sets in found.items():
                if sets[0][1] < turn * n_tables / 10:
                    continue
                results[cell, name, warned] = sets
                if min(x[0] for x in sets) < (AGAIN if warned is False else 0.9):
                    again[cell].add(name)
        tasks = [(cell, tuple(sorted(names)), 10 * n_tables) for cell, names in again.items()]
    return results


def run_groups(task):
    """Return the same of samples in groups, of those without a warning."""
    (k, n_rare, sizes, kind), n_tables = task
    rng = np.random.default_rng([k, n_rare, len(sizes), groups.ANSWERS.index(kind)])
    n_groups = [max(48 // (k - 1), 12)] * (k - 1) + [n_rare]
    names = [name for name in groups.SCORES if name != "NIT"]
    found, recorded = defaultdict(list), []

    def record(rows, level):
        recorded.append(rows)
        return np.zeros_like(rows.error), np.zeros_like(rows.error)

    scores_module.margins_of_error = record
    for _ in range(n_tables):
        references, of_samples = groups.groups_of(rng, n_groups, groups.OF_GROUPS[sizes])
        pi = np.bincount(references) / len(references)
        answered = groups.answers_by_group(rng, references, of_samples, k, kind)
        given = references, {"a": answered}, {"groups": of_samples}, range(k), None, "error"
        samples = groups.read_samples(*given)
        for name in names:
            score = score_with_average(*groups.SCORES[name])
            made = estimates_of(samples.tables[0], score, LEVEL, samples.pairs_in_groups(0))[0]
            if made.caveat or math.isnan(made.standard_error):
                continue
            ends = Interval(made.value, made.standard_error, *made.confidence_interval)
            ends = np.clip(ends_of_sets(ends, recorded[-1], 0), score.lowest, 1.0)
            truth = groups.true_score(pi, groups.RIGHT, score)
            found[name, False].append((truth, made.value, *ends))
            found[name, None].append(found[name, False][-1])
    scores_module.margins_of_error = PACKAGE
    cell = "groups", k, n_rare, sizes, kind
    return cell, {key: entries(np.array(rows).T) for key, rows in found.items()}


def study_groups(n_cells, n_tables, pool):
    """Return the same as `study`."""
    grid = [*itertools.product(groups.CLASSES, groups.RARE, groups.OF_GROUPS, groups.ANSWERS)]
    order = np.random.default_rng(0).permutation(len(grid))[:n_cells]
    results = {}
    for cell, found in pool.imap_unordered(run_groups, [(grid[x], n_tables) for x in order]):
        for (name, warned), sets in found.items():
            if sets[0][1] >= n_tables / 2:
                results[cell, name, warned] = sets
    return results


def below_its_bar(found, warned, way):
    """Return whether a coverage lies below its limit, and not by chance."""
    if way != "groups":
        return fails(found, warned)
    return warned is False and wilson_bound(found[0] * found[1], found[1]) < 0.93


def summary(results, way):
    """Return a row for each set of parts."""
    rows, lines = [], []
    for place, parts in enumerate(SETS):
        entries = {key: sets[place] for key, sets in results.items()}
        failed = [key for key, x in entries.items() if below_its_bar(x, key[2], way)]
        lowest = [min(x[0] for key, x in entries.items() if key[2] is w) for w in (False, None)
                  if any(key[2] is w for key in entries)]  # fmt: skip
        widths = [x[3] / results[key][0][3] for key, x in entries.items() if key[2] is None]
        rows.append([", ".join(parts) or "none", len({key[0] for key in entries}),
                     *(sum(key[2] is w for key in failed) for w in (False, True)),
                     f"{lowest[0]:.3f}", f"{np.nanmedian(widths):.3f}",
                     *(f"{np.nanquantile(widths, part):.3f}" for part in (0.1, 0.9))])  # fmt: skip
        for cell, name, warned in failed:
            if warned is not None and not below_its_bar(
                results[cell, name, warned][0], warned, way
            ):
                x = entries[cell, name, warned]
                lines.append(
                    f"- with {', '.join(parts) or 'none'}: {x[0]:.3f} {name}, "
                    f"{'with' if warned else 'without'} a warning: {cell[1:]} ({x[1]} intervals)"
                )
    head = ["parts", "cells", "fail, no warning", "fail, warning", "lowest without a warning",
            "median width", "10% of widths below", "90% of widths below"]  # fmt: skip
    extra = "\n".join(lines) if lines else "No coverage fails that does not fail with all parts."
    return f"## {way.capitalize()}\n\n{scoring.table(head, rows, left=1)}\n\n{extra}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--cells", type=int, nargs=2, default=[60, 30])
    parser.add_argument("--ways", nargs="+", choices=[*WAYS, "groups"], default=[*WAYS, "groups"])
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "ABLATION.md")
    options = parser.parse_args()
    start, sections = time.perf_counter(), []
    with multiprocessing.Pool(options.processes) as pool:
        for way in options.ways:
            number = options.cells[0 if way in (*coverage.MANY, "groups") else 1]
            if way == "groups":
                results = study_groups(number, options.tables, pool)
            else:
                results = study(cells_of(way, number), options.tables, pool)
            sections.append(summary(results, way))
            about = made_with((time.perf_counter() - start) / 60)
            options.output.write_text("\n\n".join([__doc__, about, *sections]) + "\n", "utf-8")
            print(sections[-1], about, flush=True)


if __name__ == "__main__":
    main()
