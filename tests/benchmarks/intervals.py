"""Time of intervals beside the usual ways to get one: part of `make bench`.

    .venv/bin/python tests/benchmarks/intervals.py --output tests/benchmarks/INTERVALS.md

Ours are in closed form, from the cells of a table; `compare` draws swaps of counted samples. All
others resample samples, and are asked for 9,999 resamples. Those who would take minutes make fewer,
and what they take is multiplied: the table says how many they made. Medians of several runs.
"""

import argparse
import statistics
import warnings
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
from bench import clock, page, reset_peak, setting, status

from informedness import ContingencyTable, compare, module_path
from informedness.results.report import Report

ALL = 9999
PACKAGES = "informedness numpy scipy scikit-learn confidenceinterval evaluate"


def samples(n, k, share=0.6):
    rng = np.random.default_rng(2003)
    references = rng.integers(k, size=n)
    return references, np.where(rng.random(n) < share, references, rng.integers(k, size=n))


def counted(references, predictions):
    return ContingencyTable.from_labels(references=references, predictions=predictions)


def table_of(n, k):
    """Return a table of n samples, drawn by cell."""
    shares = 0.6 * np.eye(k) / k + 0.4 / k**2
    counts = np.random.default_rng(2003).multinomial(n, shares.ravel())
    return ContingencyTable.from_matrix(counts.reshape(k, k))


def taken(run, repeats):
    """Return the median seconds, and the MB at the peak above what was there before."""
    if repeats > 1:
        run()
    before = reset_peak()
    seconds = statistics.median(clock(run) for _ in range(repeats))
    return seconds, (status("VmHWM") - before) / 2**20


def others(references, predictions):
    """Yield who, how many resamples and how many scores beside them, and what to run."""
    from scipy.stats import bootstrap
    from sklearn.metrics import balanced_accuracy_score

    def score(y, p):
        return balanced_accuracy_score(y, p, adjusted=True)

    options = {"paired": True, "vectorized": False, "method": "percentile", "n_resamples": 99}
    by_scipy = partial(bootstrap, (references, predictions), score, **options)
    yield "scipy.stats.bootstrap of balanced_accuracy_score", 99, 0, by_scipy
    intervals = import_module("confidenceinterval.bootstrap").bootstrap_ci
    options = {"n_resamples": 99, "method": "bootstrap_percentile"}
    by_package = partial(intervals, references, predictions, score, **options)
    yield "confidenceinterval, of balanced_accuracy_score", 99, 0, by_package
    metric = import_module("evaluate").load(module_path("informedness"))
    evaluator = import_module("evaluate.evaluator.base").Evaluator
    inputs = {"references": references, "predictions": predictions}
    by_evaluator = partial(
        evaluator._compute_confidence_interval, metric, inputs, ["informedness"], n_resamples=9
    )
    jackknife = len(references)  # of BCa
    yield "evaluate's evaluator (BCa), of our informedness module", 9, jackknife, by_evaluator


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    lines = [
        "| what | resamples made | s, for 9,999 | MB | target, or beside ours |",
        "|---|--:|--:|--:|---|",
    ]

    def row(what, made, run, repeats=5, target="", beside=0):
        seconds, peak = taken(run, repeats)
        if made:
            seconds *= (ALL + beside) / (made + beside)
        drawn = f"{made:,}" if made else "none"
        lines.append(f"| {what} | {drawn} | {seconds:.3g} | {peak:.0f} | {target} |")
        print(lines[-1], flush=True)
        return seconds

    for n in (10**4, 10**12):
        for metric in ("informedness", "nit"):
            run = partial(table_of(n, 10).estimate, metric)
            row(f"{metric} of a 10 x 10 table, N = {n:.0e}", 0, run, target="< 0.3 s")
    for n, k, target in ((10**4, 100, "< 0.8 s"), (50_000, 1000, "< 4 s")):
        table = counted(*samples(n, k))
        run = partial(Report.from_table, table, 0.95)
        row(f"report with intervals, N = {n:,}, k = {k:,}", 0, run, target=target)
    huge = counted(*samples(10**6, 10**5))
    name = "N = 1e6, k = 1e5"
    row(f"informedness, {name}", 0, huge.estimate, 3, "< 20 s")
    row(f"informedness of each class, {name}", 0, partial(huge.estimate, average=None), 3)
    n, k = 10**4, 10
    references, predictions = samples(n, k)
    third = np.where(np.random.default_rng(1).random(n) < 0.5, predictions, references)
    row(f"compare, N = {n:,}, k = {k}", ALL, partial(compare, references, predictions, third))
    many = [np.tile(x, 100) for x in (references, predictions, third)]
    row(f"compare, N = {100 * n:,}, k = {k}", ALL, partial(compare, *many))
    many_references, many_predictions = samples(50_000, 1000)
    copied = np.random.default_rng(1).random(50_000) < 0.5
    copies = np.where(copied, many_predictions, many_references)
    run = partial(compare, many_references, many_predictions, copies)
    row("compare, N = 50,000, k = 1,000", ALL, run, 3, "< 4 s")
    mine = row(
        f"estimate from labels, N = {n:,}, k = {k}",
        0,
        lambda: counted(references, predictions).estimate(),
    )
    for who, made, beside, run in others(references, predictions):
        seconds = row(f"{who}, N = {n:,}, k = {k}", made, run, 1, beside=beside)
        lines[-1] = lines[-1].removesuffix("|  |") + f"| {seconds / mine:,.0f} times ours |"
    lines = [*__doc__.splitlines()[4:], "", *lines]
    text = page("Benchmark of intervals", setting(PACKAGES), lines)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
