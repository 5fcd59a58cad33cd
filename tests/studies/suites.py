"""How often the mean over tasks errs: part of `make coverage`, writes SUITES.md.

A suite has 3, 10 or 57 tasks of 30 to 300 samples and 2 to 5 even classes. A model knows a share of
the references of each task and else guesses; the shares of a task are drawn once, around 0.6, and
both models have the same on average over the suite (neither is better), while in single tasks
either can be. B copies the answer of A with probability 0.3. In groups of five each sample is with
probability 0.5 a copy of the first.

Beside the error of the package, which counts the sample that might have been there once, stands
that which counts it once for each task. Shares of p < 0.05 and of p < 0.001 are among suites of
which neither model is better, the coverage is of 95% intervals of the mean difference.

**Tasks drawn anew**: in each suite the true differences of the tasks are normal around 0 with a
standard deviation of 0.07. The mean over these tasks is then not 0, though that over all tasks is.
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

from informedness import compare_tasks

HERE = Path(__file__).parent
N_TASKS, GROUPED = (3, 10, 57), (False, True)
N_DRAWN, DEVIATION = (3, 8, 23), 0.07
COPIED, KNOWN, SPREAD = 0.3, 0.6, 0.2


def suite(rng, n_tasks, is_drawn=False):
    """Return the classes, samples and what both models know of each task.

    They are equal on average over these tasks, or if tasks are drawn, over all.
    """
    classes, sizes = rng.integers(2, 6, n_tasks), rng.integers(30, 301, n_tasks)
    known_a, own = (KNOWN + SPREAD * (rng.random(n_tasks) - 0.5) for _ in range(2))
    known_b = COPIED * known_a + (1 - COPIED) * own
    if is_drawn:
        own = known_a + DEVIATION * rng.standard_normal(n_tasks) / (1 - COPIED)
        return list(zip(classes, sizes, known_a, own, strict=True))
    own = own + (known_a.mean() - known_b.mean()) / (1 - COPIED)
    return list(zip(classes, sizes, known_a, own, strict=True))


def drawn(rng, tasks, is_grouped):
    """Return the samples of all tasks by name, and their groups or None."""
    samples, groups = {}, {} if is_grouped else None
    for name, (k, n, known_a, own) in enumerate(tasks):
        references, guess_a, guess_b = rng.integers(0, k, (3, n))
        a = np.where(rng.random(n) < known_a, references, guess_a)
        b = np.where(rng.random(n) < own, references, guess_b)
        b = np.where(rng.random(n) < COPIED, a, b)
        columns = np.array([references, a, b])
        if is_grouped:
            of_sample = np.arange(n) // 5
            columns = np.where(rng.random(n) < 0.5, columns[:, of_sample * 5], columns)
            groups[str(name)] = of_sample
        samples[str(name)] = tuple(columns)
    return samples, groups


def cell(arguments):
    """Return shares of p below 0.05 and 0.001, of p with more errors, and the coverage."""
    (n_tasks, is_grouped, is_drawn), n_runs, seed = arguments
    rng = np.random.default_rng([n_tasks, is_grouped, is_drawn, seed])
    counts = np.zeros(4)
    for _ in range(n_runs):
        samples, groups = drawn(rng, suite(rng, n_tasks, is_drawn), is_grouped)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = compare_tasks(samples, groups=groups, average="prevalence")
        extra = sum(one.paired.extra_variance for one in made.tasks.values())
        once = max(one.paired.extra_variance for one in made.tasks.values())
        wider = math.sqrt(made.standard_error**2 + (extra - once) / n_tasks**2)
        low, high = made.confidence_interval
        reach = (high - low) / 2 * wider / made.standard_error
        counts += (
            made.p_value < 0.05,
            made.p_value < 0.001,
            abs(made.difference) > reach,
            low <= 0 <= high,
        )
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=4000, help="suites a cell")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--output", type=Path, default=HERE / "SUITES.md")
    options = parser.parse_args()
    start, parts = time.perf_counter(), 8
    places = [*itertools.product(N_TASKS, GROUPED, (False,)), *((n, False, True) for n in N_DRAWN)]
    tasks = [(place, math.ceil(options.runs / parts), i) for place in places for i in range(parts)]
    with multiprocessing.Pool(options.processes) as pool:
        found = pool.map(cell, tasks, chunksize=1)
    n_runs = parts * math.ceil(options.runs / parts)
    rows, of_drawn = [], []
    for i, (n_tasks, is_grouped, is_drawn) in enumerate(places):
        at_05, at_001, wider, covered = sum(found[parts * i : parts * (i + 1)]) / n_runs
        if is_drawn:
            of_drawn.append([str(n_tasks), f"{at_05:.4f}"])
            continue
        name = "of five" if is_grouped else "none"
        rows.append(
            [str(n_tasks), name, f"{at_05:.4f}", f"{at_001:.4f}", f"{wider:.4f}", f"{covered:.4f}"]
        )
    minutes = (time.perf_counter() - start) / 60
    head = ["tasks", "groups", "p < 0.05", "p < 0.001", "p < 0.05, counted in each", "covered"]
    command = f"    python tests/studies/suites.py --runs {options.runs}"
    intro = ["# The mean over tasks", command, "\n".join(__doc__.splitlines()[2:]),
             scoring.text(f"{n_runs} suites a cell. {of.made_with(minutes)}")]  # fmt: skip
    sections = {"Neither is better": scoring.table(head, rows, left=2)}
    sections["Tasks drawn anew"] = scoring.table(["tasks", "p < 0.05"], of_drawn)
    of.write_page(options.output, "\n\n".join(intro), sections)


if __name__ == "__main__":
    main()
