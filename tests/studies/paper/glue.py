"""GLUE, the paper's Table 2, and what its figures can be: makes the tables of GLUE.md."""

import numpy as np
import printed
import scoring
from scipy.optimize import linprog
from scipy.spatial import ConvexHull
from scoring import FORMULAS, OF_TWO_CLASSES, percent, span, table

TASKS = tuple(printed.GLUE_CLASSES)


def of_row(row, name, task):
    return printed.GLUE[row][name][TASKS.index(task)]


def numbers_right(task, accuracy, runs=1):
    """Return which numbers of right answers in all runs print as this accuracy."""
    return printed.numbers_right(runs * sum(printed.GLUE_CLASSES[task]), accuracy)


def fewest_runs(task, accuracy):
    return next(runs for runs in range(1, 1000) if numbers_right(task, accuracy, runs))


def reach(task, formula):
    """Return the lowest and highest score beside the printed accuracy, and how many print as ours.

    None where one table cannot have the accuracy.
    """
    counts = printed.GLUE_CLASSES[task]
    wanted = of_row("DistilBERT", "informedness", task)
    rights = numbers_right(task, of_row("DistilBERT", "accuracy", task))
    if not rights:
        return None
    tables = np.concatenate([scoring.tables_right(counts, right) for right in rights])
    scores = FORMULAS[formula](scoring.sums(tables))
    return scores.min(), scores.max(), int(printed.prints(scores, wanted).sum())


def accuracies_beside(task, informed):
    """Return the lowest and highest accuracy that goes with Powers' Informedness of two classes."""
    recalls = 1 + informed / 100
    other = max(recalls - 1, 0)  # one class has all of the recall that it can
    shares = np.array(printed.GLUE_CLASSES[task]) / sum(printed.GLUE_CLASSES[task])
    ends = [shares @ pair for pair in ((recalls - other, other), (other, recalls - other))]
    return min(ends), max(ends)


def most_even(task):
    """Return the largest share of a smaller class with which Powers' formula can give the pair.

    The score is highest where all of the smaller class is right: (accuracy - share) / (1 - share).
    """
    _, accuracy = printed.window(of_row("DistilBERT", "accuracy", task))
    informed, _ = printed.window(of_row("DistilBERT", "informedness", task))
    return max((accuracy - informed) / (1 - informed), 0.0)


def hull_reach(task, formula, steps=400):
    """Return the lowest and highest mean of scores of any tables whose mean accuracy prints so."""
    counts = printed.GLUE_CLASSES[task]
    tried = [np.unique(np.linspace(0, n, steps).round()) for n in counts]
    first, second = (x.ravel() for x in np.meshgrid(*tried))
    made = scoring.sums(scoring.of_two_classes(counts, first, second))
    accuracy = (first + second) / sum(counts)
    hull = ConvexHull(np.column_stack([accuracy, FORMULAS[formula](made)])).equations
    within = [printed.window(of_row("DistilBERT", "accuracy", task)), (None, None)]
    ends = [
        linprog([0, sign], A_ub=hull[:, :2], b_ub=-hull[:, 2], bounds=within).x[1]
        for sign in (1, -1)
    ]
    return tuple(ends)


def pair_table():
    rows = []
    for task in (x for x in TASKS if len(printed.GLUE_CLASSES[x]) == 2):
        pair = [of_row("DistilBERT", x, task) for x in ("accuracy", "informedness")]
        row = [task, *pair]
        for formula in OF_TWO_CLASSES:
            one, (low, high) = reach(task, formula), hull_reach(task, formula)
            bottom, top = printed.window(pair[1])
            as_mean = low <= top and bottom <= high
            if one is None:
                row.append(f"mean only: {'yes' if as_mean else '**no**'} ({span(low, high)})")
            else:
                said = "yes" if one[2] else "mean only" if as_mean else "**no**"
                row.append(f"{said} ({span(*one[:2])})")
        rows.append(row)
    low, high, _ = reach("QQP", "Powers")
    wnli, qqp = (
        span(*accuracies_beside(task, of_row("DistilBERT", "informedness", task)))
        for task in ("WNLI", "QQP")
    )
    said = [
        f"By Powers' formula -43.1 goes with an accuracy of {wnli}.",
        f"an Informedness of 77.4 goes with an accuracy of {qqp} by Powers' formula",
        f"an accuracy of 77.4 with an Informedness of {span(low, high)}.",
        f"of which the smaller one has more than {percent(most_even('QQP'))}% of the samples.",
    ]
    return table(["task", "accuracy", "Informedness", *OF_TWO_CLASSES], rows), said


def random_table():
    rows = []
    for task, counts in printed.GLUE_CLASSES.items():
        shares = np.array(counts) / sum(counts)
        drawn = np.array(printed.GLUE_TRAINED.get(task, shares))
        accuracy = shares @ drawn
        error = np.sqrt(shares @ (drawn * (1 - drawn)) / sum(counts))
        said = of_row("Random Guess", "accuracy", task)
        rows.append([task, said, percent(accuracy, 2), percent(error), percent(shares @ shares, 2),
                     percent(shares[drawn.argmax()])])  # fmt: skip
    head = ["task", "printed", "draws", "± SD", "by development shares", "most common"]
    return table(head, rows)


def gap_table():
    rows = []
    for task in TASKS:
        counts = np.array(printed.GLUE_CLASSES[task])
        pair = [of_row("DistilBERT", x, task) for x in ("accuracy", "informedness")]
        rows.append([task, len(counts), percent(counts.max() / counts.sum()), *pair,
                     f"{pair[0] - pair[1]:.1f}"])  # fmt: skip
    rows.sort(key=lambda row: float(row[2]))
    said = [
        f"{np.mean(figures):.2f} (printed {printed.GLUE_ALL[row][name]})"
        for row, both in printed.GLUE.items()
        for name, figures in both.items()
    ]
    head = ["task", "classes", "largest class", "accuracy", "Informedness", "gap"]
    return table(head, rows), said


def main():
    (pairs, of_pairs), (gaps, of_means) = pair_table(), gap_table()
    scoring.write("glue", [pairs, random_table(), gaps], [*of_pairs, *of_means])


if __name__ == "__main__":
    main()
