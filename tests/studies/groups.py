"""What groups do to intervals and comparisons: part of `make coverage`, writes GROUPS.md.

**Informedness** and **NIT**: three classes with shares of 50, 30 and 20%, drawn apart from the
groups. Each cell fixes the number of groups, their sizes (all that are in a range are as likely)
and the correlation within them. A model knows each reference with the ability of its group and else
guesses a class by its share. The abilities of the groups are Beta distributed, so that what is
known correlates as much as stated within a group; the two models' abilities are independent. Both
models know 60% on average where they are equal. Where B is better, its average lies above by 2.5
standard errors of a share. Beside `compare` stands the plain t-test of the sums by group of what
the samples add to the difference: without a sample more, and of NIT with its bias. A row is of four
cells, with the correlations 0, 0.1, 0.3 and 0.5.

**One class in each group**: 2, 3, 5 or 10 classes, the last of which 3 to 12 groups hold, and each
of the others as many as make 48 groups, or 12. The 10 samples of a group, or 2 to 20, or a number
with a geometric distribution of the mean 10, are of one class. A model is right on 70% of each
class and else answers any other class. Its answers in a group are right with a Beta distributed
chance (correlation 0.3), with mistakes one by one or the same mistake in all; or are copies of the
first answer with the chance 0.3 or 0.8. Both models score the same. Truths are those of the shares
of the classes in the samples. A row is of four cells, for the four kinds of answers.

**Gate**: B answers as A, which knows 80%, but that in some groups all its answers are another
class. It is worse by just the margin. A gate stops what is warned of.

**Suites**: the mean over tasks of the cells above with 2 or 5 classes; neither model is better.

Among the runs without a warning a cell fails if the lower end of the 99.9% Wilson interval of its
share of p < 0.05 is above 0.06, or of what a gate lets pass above 0.045, or if the upper end of
that of its coverage is below 0.93.
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
from comparison import score
from paper import scoring
from scipy import stats

from informedness import ContingencyTable, compare, compare_tasks, estimate
from informedness.inference.registry import score_with_average
from informedness.results.comparison import compare_pair, score_models
from informedness.results.estimate import estimates_of, read_samples

HERE = Path(__file__).parent
PI = np.array([0.5, 0.3, 0.2])
GROUPS, SIZES = (5, 10, 25, 100), ((2, 2), (2, 20), (2, 50))
CORRELATIONS = (0.0, 0.1, 0.3, 0.5)
NAMES = ["size", "t size", "power", "t power", "covered", "estimate"]
METRICS = {"informedness": "Informedness", "nit": "NIT"}

CLASSES, RARE = (2, 3, 5, 10), (3, 5, 8, 12)
OF_GROUPS = {"10": (10, 10), "2 to 20": (2, 20), "geometric": None}
ANSWERS = ("right alike", "same mistakes", "copies, 0.3", "copies, 0.8")
RIGHT = 0.7
SCORES = {
    "bias": ("informedness", "bias"),
    "prevalence": ("informedness", "prevalence"),
    "macro": ("informedness", "macro"),
    "NIT": ("nit", "default"),
    "accuracy": ("accuracy", "default"),
}
TESTED = ("bias", "macro", "NIT", "accuracy")
SAME = {"prevalence": "bias", "macro": "bias"}  # for two classes
GATES = list(
    itertools.product(((50, 0.1), (50, 0.3), (100, 0.1), (200, 0.05)), OF_GROUPS, (0.5, 0.2))
)
SUITES = list(itertools.product((3, 10), ("2", "5"), ("10", "2 to 20")))


def answers(rng, references, groups, ability, correlation):
    """Return the answers of a model."""
    of_group = np.full(groups.max() + 1, ability)
    if correlation:
        both = np.array([ability, 1 - ability]) * (1 - correlation) / correlation
        of_group = rng.beta(*both, len(of_group))
    known = rng.random(len(references)) < of_group[groups]
    return np.where(known, references, rng.choice(len(PI), len(references), p=PI))


def cluster_t_test(references, sides, groups, metric):
    """Return the p-value of a t-test of sums by group, from the derivatives of the score."""
    values, moved = [], np.zeros(len(references))
    for sign, answered in zip((-1, 1), sides, strict=True):
        p = np.zeros((len(PI), len(PI)))
        np.add.at(p, (references, answered), 1 / len(references))
        pi, beta = p.sum(axis=1), p.sum(axis=0)
        if metric == "nit":
            ratios = np.where(p > 0, p, 1) / np.where(p > 0, np.outer(pi, beta), 1)
            values.append(np.exp((p * np.log(ratios)).sum()) / len(PI))
            slopes = values[-1] * np.log(ratios)
        else:
            variances = np.where(pi > 0, pi * (1 - pi), np.inf)  # of a class that does not occur
            gains = (np.diag(p) - pi * beta) / variances
            values.append(beta @ gains)
            of_row = beta / variances * (-beta - (1 - 2 * pi) * gains)
            slopes = of_row[:, None] + gains - beta / (1 - pi) + np.diag(beta / variances)
        moved += sign * slopes[references, answered]
    sums = np.bincount(groups, moved - moved.mean())
    n = len(sums)
    error = math.sqrt(n / (n - 1) * (sums**2).sum()) / len(references)
    return 2 * stats.t.sf(abs(values[1] - values[0]) / error, n - 1) if error else 1.0


def cell(arguments):
    """Return a row of results for each metric."""
    (n_groups, sizes, correlation), runs = arguments
    rng = np.random.default_rng([n_groups, *sizes, round(100 * correlation)])
    n = n_groups * sum(sizes) / 2
    more = 1 + (sum(i * i for i in range(sizes[0], sizes[1] + 1))
                / sum(range(sizes[0], sizes[1] + 1)) - 1) * correlation  # fmt: skip
    better = min(0.6 + 2.5 * math.sqrt(2 * 0.24 * more / n), 0.95)
    rows = []
    for metric in METRICS:
        found = {name: np.zeros(runs) for name in NAMES}
        truths = [score(PI[:, None] * of.knows_a_share(PI, x), metric) for x in (0.6, better)]
        for run, ability in itertools.product(range(runs), (0.6, better)):
            of_group = rng.integers(sizes[0], sizes[1] + 1, n_groups)
            groups = np.repeat(np.arange(n_groups), of_group)
            references = rng.choice(len(PI), len(groups), p=PI)
            while len(set(references)) < 2:
                references = rng.choice(len(PI), len(groups), p=PI)
            sides = [answers(rng, references, groups, x, correlation) for x in (0.6, ability)]
            options = {"metric": metric, "groups": groups, "labels": range(len(PI))}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = compare(references, *sides, **options)
            t_test = cluster_t_test(references, sides, groups, metric) < 0.05
            name = "size" if ability == 0.6 else "power"
            found[name][run], found[f"t {name}"][run] = made.p_value < 0.05, t_test
            if name == "size":
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    low, high = estimate(references, sides[0], **options).confidence_interval
                found["estimate"][run] = low <= truths[0] <= high
            else:
                low, high = made.confidence_interval
                found["covered"][run] = low <= truths[1] - truths[0] <= high
        row = {name: float(share.mean()) for name, share in found.items()}
        row |= {"metric": metric, "groups": n_groups, "correlation": correlation}
        row["sizes"] = str(sizes[0]) if sizes[0] == sizes[1] else f"{sizes[0]} to {sizes[1]}"
        rows.append(row)
    return rows


# One class in each group


def groups_of(rng, n_groups, sizes):
    """Return the class and the group of each sample; `n_groups` is by class."""
    n = sum(n_groups)
    of_group = rng.geometric(0.1, n) if sizes is None else rng.integers(sizes[0], sizes[1] + 1, n)
    groups = np.repeat(np.arange(n), of_group)
    return np.repeat(np.arange(len(n_groups)), n_groups)[groups], groups


def answers_by_group(rng, references, groups, k, kind, right=RIGHT):
    """Return the answers of a model that are alike within groups."""
    n, n_groups = len(groups), groups[-1] + 1
    chance, other = np.full(n, right), rng.integers(1, k, n)
    if not kind.startswith("copies"):
        chance = rng.beta(right * 7 / 3, (1 - right) * 7 / 3, n_groups)[groups]  # correlation 0.3
        other = rng.integers(1, k, n_groups)[groups] if kind == "same mistakes" else other
    answered = np.where(rng.random(n) < chance, references, (references + other) % k)
    if kind.startswith("copies"):
        first = np.searchsorted(groups, groups)
        is_copied = rng.random(n) < float(kind.rpartition(" ")[2])
        answered = np.where(is_copied, answered[first], answered)
    return answered


def true_score(pi, right, scored):
    """Return the score of a model that is right on a share of each class."""
    k = len(pi)
    table = np.full((k, k), (1 - right) / (k - 1)) + np.eye(k) * (right - (1 - right) / (k - 1))
    return scored.value(ContingencyTable.from_matrix(1e6 * pi[:, None] * table))


def class_cell(arguments):
    """Return how often each score is tested and covered, and how many runs had no warning."""
    (k, n_rare, sizes, kind), runs = arguments
    place = [k, n_rare, list(OF_GROUPS).index(sizes), ANSWERS.index(kind)]
    rng = np.random.default_rng(place)
    n_groups = [max(48 // (k - 1), 12)] * (k - 1) + [n_rare]
    scores = {name: score_with_average(*score).require_interval() for name, score in SCORES.items()
              if k > 2 or name not in SAME}  # fmt: skip
    truths = {}
    found = {(what, name): [0, 0] for what in ("size", "covered") for name in scores}
    for _ in range(runs):
        references, groups = groups_of(rng, n_groups, OF_GROUPS[sizes])
        pi = np.bincount(references) / len(references)
        sides = {x: answers_by_group(rng, references, groups, k, kind) for x in "ab"}
        samples = read_samples(references, sides, {"groups": groups}, range(k), None, "error")
        for name, scored in scores.items():
            made = estimates_of(samples.tables[0], scored, 0.95, samples.pairs_in_groups(0))[0]
            low, high = made.confidence_interval
            key = name, pi.tobytes()
            if key not in truths:
                truths[key] = true_score(pi, RIGHT, scored)
            is_covered = low <= truths[key] <= high
            found["covered", name] += np.array([is_covered, 1]) * (not made.caveat)
            if name in TESTED:
                models = score_models(scored, samples)
                made = compare_pair(scored, samples, models, (0, 1), 0.95)
                found["size", name] += np.array([made.p_value < 0.05, 1]) * (not made.caveat)
    both = itertools.product(("size", "covered"), SCORES)
    return {(what, name): found[what, name if name in scores else SAME[name]]
            for what, name in both}  # fmt: skip


def gate_cell(arguments):
    """Return how often B passes without a warning, and how often there is one."""
    ((n_groups, share), sizes, of_class), runs = arguments
    rng = np.random.default_rng([n_groups, round(100 * share), round(10 * of_class)])
    passed = n_warned = 0
    n_rare = round(of_class * n_groups)
    for _ in range(runs):
        references, groups = groups_of(rng, [n_groups - n_rare, n_rare], OF_GROUPS[sizes])
        a = answers_by_group(rng, references, groups, 2, "right alike", 0.8)
        is_worse = rng.random(n_groups) < share
        b = np.where(is_worse[groups], 1 - references, a)
        options = {"groups": groups, "margin": 1.6 * share, "labels": [0, 1]}
        made = compare(references, a, b, **options)
        n_warned += bool(made.caveat)
        passed += made.within_margin and not made.caveat
    return passed, n_warned


def suite_cell(arguments):
    """Return how often the mean over tasks is tested and covered, and how many runs there are."""
    (n_tasks, k, sizes), runs = arguments
    rng, k = np.random.default_rng([n_tasks, int(k), len(sizes)]), int(k)
    found = np.zeros(2)
    for _ in range(runs):
        tasks, of_task = {}, {}
        for i in range(n_tasks):
            n_groups = [*rng.integers(5, 16, k)]
            references, groups = groups_of(rng, n_groups, OF_GROUPS[sizes])
            kind = ANSWERS[rng.integers(4)]
            sides = [answers_by_group(rng, references, groups, k, kind) for _ in range(2)]
            tasks[str(i)], of_task[str(i)] = (references, *sides), groups
        made = compare_tasks(tasks, groups=of_task, average="macro")
        found += made.p_value < 0.05, 1
    return found


def share_of(counts, limit, is_coverage=False):
    """Return a share as text, with a star if it is not what it should be, by more than chance."""
    count, n = counts
    if not n:
        return "none"
    if is_coverage:
        is_wrong = of.wilson_bound(count, n) < limit
    else:
        is_wrong = of.wilson_bound(count, n, -3.2905) > limit
    return f"{count / n:.3f}{'*' * bool(is_wrong)}"


def class_rows(places, found, runs):
    """Return what cells show: the number that fail, and rows of means over kinds of answers."""
    cells = dict(zip(places, found, strict=True))
    columns = [("size", name) for name in TESTED] + [("covered", name) for name in SCORES]
    rows, limits = [], {"size": (0.06, False), "covered": (0.93, True)}
    failed = {
        column: [p for p in cells if "*" in share_of(cells[p][column], *limits[column[0]])]
        for column in columns
    }
    for place in dict.fromkeys(p[:3] for p in cells):
        some = [cells[p] for p in cells if p[:3] == place]
        sums = {column: sum(np.array(one[column]) for one in some) for column in columns}
        warned = [1 - sums["covered", name][1] / runs / len(some) for name in ("macro", "NIT")]
        shares = [share_of(sums[x], *limits[x[0]]) for x in columns]
        rows.append([*place, *shares, *(f"{share:.2f}" for share in warned)])
    return failed, rows


def class_sections(options, pool):
    """Return the sections on groups of one class, on gates and on suites."""
    places = list(itertools.product(options.classes, RARE, OF_GROUPS, ANSWERS))
    found = pool.map(class_cell, [(place, options.runs) for place in places], chunksize=1)
    failed, rows = class_rows(places, found, options.runs)
    n_failed = sum(map(len, failed.values()))
    words = f"Of {len(places) * len(failed)} shares of cells {n_failed} fail. "
    for (what, name), cells in failed.items():
        listed = "; ".join(", ".join(map(str, cell)) for cell in cells)
        words += f"{what} of {name}: {listed}. " if listed else ""
    highest = {
        name: max(one["size", name][0] / one["size", name][1] for one in found
                  if one["size", name][1] >= options.runs / 2)
        for name in TESTED
    }  # fmt: skip
    lowest = {
        name: min(one["covered", name][0] / one["covered", name][1] for one in found
                  if one["covered", name][1] >= options.runs / 2)
        for name in SCORES
    }  # fmt: skip
    of_size = ", ".join(f"{name} {share:.3f}" for name, share in highest.items())
    of_coverage = ", ".join(f"{name} {share:.3f}" for name, share in lowest.items())
    words += "Of cells with a warning in fewer than half of the runs, the highest shares of "
    words += f"p < 0.05 are {of_size}, and the lowest coverages {of_coverage}."
    head = ["classes", "groups of the last", "sizes", *(f"p < 0.05: {name}" for name in TESTED)]
    head += [*(f"covered: {name}" for name in SCORES), "warned: macro", "warned: NIT"]
    sections = {
        "One class in each group": f"{scoring.text(words)}\n\n{scoring.table(head, rows, 0)}"
    }

    runs = 4 * options.runs
    found = pool.map(gate_cell, [(place, runs) for place in GATES], chunksize=1)
    rows = [
        [n, share, sizes, of_class, share_of((passed, runs), 0.045), f"{n_warned / runs:.2f}"]
        for ((n, share), sizes, of_class), (passed, n_warned) in zip(GATES, found, strict=True)
    ]
    head = ["groups", "where B is worse", "sizes", "share of the rarer class", "passes", "warned"]
    sections["Gate"] = scoring.table(head, rows, 0)
    found = pool.map(suite_cell, [(place, options.runs) for place in SUITES], chunksize=1)
    rows = [[*place, share_of(counts, 0.06)] for place, counts in zip(SUITES, found, strict=True)]
    sections["Suites"] = scoring.table(["tasks", "classes", "sizes", "p < 0.05"], rows, 0)
    return sections


# Classes drawn apart from groups


def fails(row, name, runs):
    """Return whether a share is not what it should be, by more than chance."""
    if "size" in name:
        return of.wilson_bound(row[name] * runs, runs, -3.2905) > 0.06
    return of.wilson_bound(row[name] * runs, runs) < 0.93


def found_of(rows, runs):
    """Return what rows of one metric show, in words."""
    size, t_size, covered, estimate = (
        sum(fails(row, name, runs) for row in rows)
        for name in ("size", "t size", "covered", "estimate")
    )
    return (
        f"Of {len(rows)} cells `compare` fails in {size} and the t-test in {t_size}, intervals of "
        f"the difference in {covered}, and those of `estimate` in {estimate}. They "
        f"cover at least {min(row['covered'] for row in rows):.3f} and "
        f"{min(row['estimate'] for row in rows):.3f} in each."
    )


def pooled(rows):
    """Return the means over correlations of rows of one metric."""
    found = []
    for n, sizes in dict.fromkeys((row["groups"], row["sizes"]) for row in rows):
        some = [row for row in rows if (row["groups"], row["sizes"]) == (n, sizes)]
        means = {name: np.mean([row[name] for row in some]) for name in NAMES}
        found.append({"groups": n, "sizes": sizes, **means})
    return found


def mixed_sections(rows, runs):
    """Return a section for each score where classes are drawn apart from groups."""
    head = ["groups", "sizes", "equal: p < 0.05", "of the t-test",
            "B better: p < 0.05", "of the t-test", "interval of the difference covers",
            "interval of A covers"]  # fmt: skip
    sections = {}
    for metric, title in METRICS.items():
        some = [row for row in rows if row["metric"] == metric]
        cells = [
            [row["groups"], row["sizes"], *(f"{row[x]:.3f}" for x in NAMES)] for row in pooled(some)
        ]
        words = scoring.text(found_of(some, runs))
        sections[title] = f"{words}\n\n{scoring.table(head, cells, left=0)}"
    return sections


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400, help="pairs of models a cell")
    parser.add_argument("--mixed", type=int, help="as many where classes are drawn apart")
    parser.add_argument("--processes", type=int, help="by default one for each processor")
    parser.add_argument("--groups", type=int, nargs="+", default=list(GROUPS))
    parser.add_argument("--classes", type=int, nargs="+", default=list(CLASSES))
    parser.add_argument("--output", type=Path, default=HERE / "GROUPS.md")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    places = itertools.product(options.groups, SIZES, CORRELATIONS)
    start = time.perf_counter()
    with multiprocessing.Pool(options.processes, warnings.simplefilter, ["ignore"]) as pool:
        sections = class_sections(options, pool)
        mixed_runs = options.mixed or options.runs
        rows = pool.map(cell, [(place, mixed_runs) for place in places], chunksize=1)
    sections |= mixed_sections(list(itertools.chain(*rows)), mixed_runs)
    minutes = (time.perf_counter() - start) / 60
    about = f"{options.runs} pairs of models a cell, four times as many for gates; {mixed_runs} "
    about += (
        f"where classes are drawn apart, and as many where B is better. {of.made_with(minutes)}"
    )
    command = f"    python tests/studies/groups.py --runs {options.runs} --mixed {mixed_runs}"
    parts = ["# Samples in groups", command, "\n".join(__doc__.splitlines()[2:])]
    of.write_page(options.output, "\n\n".join([*parts, scoring.text(about)]), sections)


if __name__ == "__main__":
    main()
