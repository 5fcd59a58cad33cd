"""How often `corrected_rate` covers the true rate: part of `make coverage`, writes RATE.md.

A cell of the study fixes the true rate, the TPR and FPR of the judge, the number of labelled and of
judged answers, and how many of the labelled ones are positive: as many as chance has it, half of
them, or four of five; at least one, and not all. How many answers the judge calls positive is
drawn, for the labelled ones of either kind and for the others.

Apart from these stand cells of 30 labelled answers in which Wilson's interval of FPR itself covers
it too rarely, because the judge is expected to make far less than one mistake in those of a kind:
judges with an FPR of 0.02, or three negative answers. With 30 answers the package always warns.
In a first run, cells like these were among the 810 and some failed; they were set apart after it.

Beside the interval of the package stand those of the delta method, of Lang and Reiczigel (2014),
and of the bootstrap as judgy 0.1.0 has it, which draws the labelled answers anew and keeps the
judged rate. They have no interval if the judge is no better than guessing in the sample. Such
samples count for the package alone, whose interval is then 0 to 1.

All samples of a cell count, with a warning or without one. Coverage without a warning is that of
cells where at least a tenth of the samples have none. If one of both is below 0.93, the cell is
studied on ten times as many samples, new ones, which alone count. A cell fails if the upper 99.9%
Wilson bound of its coverage of all samples lies below 0.92.
"""

import argparse
import itertools
import multiprocessing
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import populations as of
from paper import scoring

from informedness import corrected_rate

HERE = Path(__file__).parent
RATES = (0.05, 0.2, 0.5, 0.8, 0.95)
JUDGES = ((0.6, 0.4), (0.95, 0.75), (0.75, 0.25), (0.98, 0.48), (0.55, 0.05), (0.95, 0.05))
LABELLED, JUDGED = (30, 100, 500), (50, 500, 5000)
SHARES = {"as in the answers": None, "half positive": 0.5, "four of five positive": 0.8}
CELLS = list(itertools.product(RATES, JUDGES, LABELLED, JUDGED, SHARES))
RARELY_WRONG, THREE = ((0.52, 0.02), (0.92, 0.02)), "all but three positive"
SHARES[THREE] = 0.9
CELLS += itertools.product(RATES, JUDGES, (30,), JUDGED, (THREE,))
CELLS += itertools.product(RATES, RARELY_WRONG, (30,), JUDGED, SHARES)
N_CELLS = 810  # the first ones
Z, LIMIT, AGAIN, RESAMPLES = 1.959964, 0.92, 0.93, 500
PEERS = ("delta method", "Lang and Reiczigel", "judgy")


def samples_of(rng, cell, n):
    """Return of n samples how many are called positive, and of how many: judged, TPR, FPR."""
    rate, judge, n_labelled, n_judged, which = cell
    positive = np.full(n, round(n_labelled * (SHARES[which] or 0)))
    if SHARES[which] is None:
        positive = np.clip(rng.binomial(n_labelled, rate, n), 1, n_labelled - 1)
    sizes = np.array([np.full(n, n_judged), positive, n_labelled - positive])
    chances = rate * judge[0] + (1 - rate) * judge[1], *judge
    return np.array([rng.binomial(*one) for one in zip(sizes, chances, strict=True)]), sizes


def by_delta(counts, sizes):
    """Return the ends of the interval of the delta method for each sample."""
    p, tpr, fpr = counts / sizes
    rate = (p - fpr) / (tpr - fpr)
    variances = counts / sizes * (1 - counts / sizes) / sizes
    reach = Z * np.sqrt(variances[0] + rate**2 * variances[1] + (1 - rate) ** 2 * variances[2])
    return rate - reach / (tpr - fpr), rate + reach / (tpr - fpr)


def by_lang_and_reiczigel(counts, sizes):
    """Return the same of Lang and Reiczigel: of samples with made-up answers, and moved."""
    more = np.array([[Z**2], [2], [2]])
    p, tpr, fpr = shares = (counts + more / 2) / (sizes + more)
    rate = (p - fpr) / (tpr - fpr)
    variances = shares * (1 - shares) / (sizes + more)
    moved = 2 * Z**2 * (rate * variances[1] - (1 - rate) * variances[2])
    reach = Z * np.sqrt(variances[0] + rate**2 * variances[1] + (1 - rate) ** 2 * variances[2])
    return rate + moved - reach / (tpr - fpr), rate + moved + reach / (tpr - fpr)


def by_judgy(counts, sizes, rng):
    """Return the same of judgy: percentiles of resampled labels, those better than guessing."""
    (_, hits, alarms), (_, positive, negative) = counts, sizes
    cells = np.array([hits, positive - hits, alarms, negative - alarms]).T
    shares = cells / cells.sum(axis=1, keepdims=True)
    drawn = rng.multinomial(positive + negative, shares, size=(RESAMPLES, len(shares)))
    a, b, c, d = np.moveaxis(drawn, -1, 0)
    tpr, fpr = a / (a + b), c / (c + d)
    rates = np.where(tpr > fpr, np.clip((counts[0] / sizes[0] - fpr) / (tpr - fpr), 0, 1), np.nan)
    return np.nanquantile(rates, [0.025, 0.975], axis=0)


@cache
def by_package(n_called, hits, alarms, n_judged, positive, negative):
    """Return the ends of the interval of the package for a sample, and whether it warns."""
    people = np.repeat([1, 0], [positive, negative])
    judge = np.repeat([1, 0, 1, 0], [hits, positive - hits, alarms, negative - alarms])
    made = corrected_rate(people, judge, (n_called, n_judged), positive=1)
    return *made.confidence_interval, made.caveat != ""


def covered(cell, runs, seed):
    """Return the results of a cell on so many samples."""
    rng, rate = np.random.default_rng([*seed, CELLS.index(cell)]), cell[0]
    counts, sizes = samples_of(rng, cell, runs)
    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore")
        made = np.array([by_package(*one) for one in np.concatenate([counts, sizes]).T.tolist()])
        low, high, is_warned = made.T
        is_held, is_silent = (low <= rate) & (rate <= high), is_warned == 0
        row = {"all": is_held.mean(), "width": (high - low).mean(), "silent": is_silent.mean()}
        row["unwarned"] = is_held[is_silent].mean() if row["silent"] >= 0.1 else np.nan
        is_better = np.diff(counts / sizes, axis=0)[1] < 0
        counts, sizes = counts[:, is_better], sizes[:, is_better]
        ends = by_delta(counts, sizes), by_lang_and_reiczigel(counts, sizes)
        ends = *ends, by_judgy(counts, sizes, rng)
    for name, (low, high) in zip(PEERS, ends, strict=True):
        row[name] = ((low <= rate) & (rate <= high)).mean()
    return row | {"runs": runs}


def cell_of(task):
    """Return the results of a cell, on more samples if its coverage is not yet known."""
    cell, runs = task
    row = covered(cell, runs, [0])
    if np.nanmin([row["all"], row["unwarned"]]) < AGAIN:
        row = covered(cell, 10 * runs, [1])
    return {"cell": cell} | row


def fails(row):
    """Return whether a cell covers the rate too rarely, by more than chance."""
    return of.wilson_bound(row["all"] * row["runs"], row["runs"]) < LIMIT


def summary(name, rows):
    """Return a row of the table: mean and lowest coverage of some cells."""
    means = []
    for key in ("all", "unwarned", *PEERS):
        shares = np.array([row[key] for row in rows])
        shares = shares[~np.isnan(shares)]
        means.append(f"{shares.mean():.3f}, {shares.min():.3f}" if len(shares) else "")
    silent, width = (np.mean([row[key] for row in rows]) for key in ("silent", "width"))
    return [*name, len(rows), sum(map(fails, rows)), means[0], f"{silent:.0%}", *means[1:],
            f"{width:.2f}"]  # fmt: skip


def markdown(rows, options, minutes):
    """Return the page."""
    groups, rows_apart = {}, [row for row in rows if row["cell"] in CELLS[N_CELLS:]]
    rows = [row for row in rows if row["cell"] in CELLS[:N_CELLS]]
    for row in rows:
        _, (tpr, fpr), n_labelled, *_ = row["cell"]
        groups.setdefault((f"{tpr - fpr:.1f}", n_labelled), []).append(row)
    lines = [summary(name, groups[name]) for name in sorted(groups)]
    lines += [summary(("all", ""), rows), summary(("apart", 30), rows_apart)]
    head = ["J", "labelled", "cells", "fail", "covered: mean, lowest", "without a warning",
            "of these covered", *PEERS, "mean width"]  # fmt: skip
    worst = sorted(rows, key=lambda row: row["all"])[: options.worst]
    worst += sorted(rows_apart, key=lambda row: row["all"])[:3]
    cells = [
        [f"{row['all']:.3f}", rate, *judge, *others, row["runs"]]
        for row in worst
        for rate, judge, *others in [row["cell"]]
    ]
    about = f"{len(rows)} cells of {options.runs} samples each, and {len(rows_apart)} apart. "
    about += of.made_with(minutes)
    parts = ["# The true rate behind a judge"]
    parts.append(f"    python tests/studies/rate_behind_a_judge.py --runs {options.runs}")
    parts += ["\n".join(__doc__.splitlines()[2:]), scoring.text(about), "## Coverage"]
    parts += [scoring.table(head, lines, left=0), "## The cells that cover it least"]
    head = ["covered", "rate", "TPR", "FPR", "labelled", "judged", "which are labelled", "samples"]
    parts.append(scoring.table(head, cells, left=0))
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200, help="samples of a cell")
    parser.add_argument("--every", type=int, default=1, help="study every n-th cell alone")
    parser.add_argument("--worst", type=int, default=10, help="cells to list")
    parser.add_argument("--processes", type=int, help="by default one for each processor")
    parser.add_argument("--output", type=Path, default=HERE / "RATE.md")
    options = parser.parse_args()
    tasks = [(cell, options.runs) for cell in CELLS[:: options.every]]
    start = time.perf_counter()
    with multiprocessing.Pool(options.processes) as pool:
        rows = pool.map(cell_of, tasks, chunksize=1)
    minutes = (time.perf_counter() - start) / 60
    options.output.write_text(markdown(rows, options, minutes), encoding="utf-8")


if __name__ == "__main__":
    main()
