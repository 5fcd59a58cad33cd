"""GLUE (the paper's Table 2): what its figures can be.

How it was decided. The references are known, class by class, and the printed accuracy leaves few
numbers of right answers. Of two classes every table with these is tried. Where the printed figures
may be means over several runs, their pair must lie in the convex hull of the pairs that single
tables can have, which is generous: runs may then differ as they like.

Of two classes Powers' formula, the prevalence-weighted and the macro average are the same.

The references of QQP and MNLI are as remembered and add up to the known sizes; the others were
counted. No formula here uses shares of the training sets, but for Random Guess.
"""

import sys

import numpy as np
import printed
import scoring
from scipy.optimize import linprog
from scipy.spatial import ConvexHull
from scoring import FORMULAS, OF_TWO_CLASSES, percent, span, table, text

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


def pair_section():
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
    about = """
    Can a table with these references have the printed pair? In brackets the lowest and the highest
    Informedness beside the printed accuracy. No single run of MRPC or RTE has the printed
    accuracy (it takes two at least), so for these the brackets are those of means. "Mean only"
    elsewhere means that runs as unlike each other as a perfect and a constant one could have this
    mean, and no single one.
    """
    low, high, _ = reach("QQP", "Powers")
    wnli, qqp = (
        span(*accuracies_beside(task, of_row("DistilBERT", "informedness", task)))
        for task in ("WNLI", "QQP")
    )
    end = f"""
    WNLI's pair is impossible by every formula, also as a mean of whatever runs. 56.3 is 40 of 71,
    the share of the larger class, which a classifier that always gives that class would have; its
    Informedness would be 0. By Powers' formula -43.1 goes with an accuracy of {wnli}.

    QQP's pair is impossible by Powers' formula, and by the released code for any single run.
    77.4 is printed twice there: an Informedness of 77.4 goes with an accuracy of {qqp} by
    Powers' formula, and an accuracy of 77.4 with an Informedness of {span(low, high)}.
    Equation 5 alone could have the pair. By Powers' formula it is impossible for any two classes of
    which the smaller one has more than {percent(most_even("QQP"))}% of the samples.

    RTE's pair is possible by Powers' formula and by the released code; equation 5 misses it by 0.03
    of a point. So no one formula gives all of this row to the printed digits, with WNLI or without
    it.
    """
    head = ["task", "accuracy", "Informedness", *OF_TWO_CLASSES]
    parts = ["## DistilBERT on tasks of two classes", text(about), table(head, rows), text(end)]
    return "\n\n".join(parts)


def random_section():
    rows = []
    for task, counts in printed.GLUE_CLASSES.items():
        shares = np.array(counts) / sum(counts)
        drawn = np.array(printed.GLUE_TRAINED.get(task, shares))
        accuracy = shares @ drawn
        error = np.sqrt(shares @ (drawn * (1 - drawn)) / sum(counts))
        said = of_row("Random Guess", "accuracy", task)
        rows.append([task, said, percent(accuracy, 2), percent(error), percent(shares @ shares, 2),
                     percent(shares[drawn.argmax()])])  # fmt: skip
    about = """
    It is described once as the most common class of the training set and once as a draw by its
    shares. The column "draws" has the accuracy to be expected of a draw by the shares of the
    training set, and the next one the standard deviation of a run; all printed values lie within
    one. The most common class is more than five away for CoLA, MRPC and QQP: it was a draw.

    The training shares of CoLA, SST-2, MRPC and QQP are rounded, and those of MNLI, QNLI, RTE and
    WNLI are as remembered. Those of STS-B are not known, and the shares of the development set
    stand in for them. The last but one column has these for all tasks: 33.4 in place of 33.33 for
    MNLI, 50.8 in place of 50.11 for WNLI, and for RTE a tenth of a point more.
    """
    head = ["task", "printed", "draws", "± SD", "by development shares", "most common"]
    return "\n\n".join(["## Random Guess", text(about), table(head, rows)])


def claim_section():
    rows = []
    for task in TASKS:
        counts = np.array(printed.GLUE_CLASSES[task])
        pair = [of_row("DistilBERT", x, task) for x in ("accuracy", "informedness")]
        rows.append([task, len(counts), percent(counts.max() / counts.sum()), *pair,
                     f"{pair[0] - pair[1]:.1f}"])  # fmt: skip
    rows.sort(key=lambda row: float(row[2]))
    means = {
        (row, name): np.mean(figures)
        for row, both in printed.GLUE.items()
        for name, figures in both.items()
    }
    said = ", ".join(
        f"{mean:.2f} (printed {printed.GLUE_ALL[row][name]})" for (row, name), mean in means.items()
    )
    about = f"""
    "Informedness is below accuracy on all tasks": on all but QQP, where they are printed equal.

    "The gap grows with imbalance": not in these figures. Among the tasks of two classes the even
    ones have gaps from 9.5 (SST-2) to 99.4 (WNLI), the uneven ones from 0 (QQP) to 22.7 (CoLA); how
    good the model is counts for more. Of two models with the same ability x in every class that
    draw the rest by its share, the gap is (1 - x) times the sum of squared shares, which does grow
    with imbalance and shrink with the number of classes.

    "All", called the mean of nine tasks, is that of the ten columns, WNLI's -43.1 among them:
    {said}.
    """
    head = ["task", "classes", "largest class", "accuracy", "Informedness", "gap"]
    return "\n\n".join(["## What it says of them", text(about), table(head, rows)])


def main():
    parts = [pair_section(), random_section(), claim_section()]
    scoring.write(scoring.HERE / "GLUE.md", sys.modules[__name__], parts)


if __name__ == "__main__":
    main()
