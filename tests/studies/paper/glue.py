"""GLUE (the paper's Table 2): what its figures can be.

How it was decided. The references are known, class by class, and the printed accuracy leaves few
numbers of right answers. Of two classes every table with these is tried, and of more classes a
search among whole-numbered tables moves samples from cell to cell towards the lowest score, the
highest, and the printed one; what it finds is a table, what it does not find may still exist. Where
the printed figures may be means over several runs, their pair must lie in the convex hull of the
pairs that single tables can have, which is generous: runs may then differ as they like.

Of two classes Powers' formula, the prevalence-weighted and the macro average are the same.

The references of QQP and MNLI are as remembered and add up to the known sizes; the others were
counted. Shares in training stand for the draws of CoLA, SST-2, MRPC and QQP, and those of the
development set, which are much the same, for all others.
"""

import sys

import numpy as np
import printed
import scoring
from scipy.optimize import linprog
from scipy.spatial import ConvexHull
from scipy.stats import chi2
from scoring import FORMULAS, OF_TWO_CLASSES, percent, span, table, text

TASKS = tuple(printed.GLUE_CLASSES)


def of_row(row, name, task):
    return printed.GLUE[row][name][TASKS.index(task)]


def training_shares(task):
    """Return the shares in training, or those of the development set where they are alike."""
    counts = np.array(printed.GLUE_CLASSES[task])
    return np.array(printed.GLUE_TRAINING.get(task, counts / counts.sum()))


def numbers_right(task, accuracy, runs=1):
    """Return which numbers of right answers in all runs print as this accuracy."""
    return printed.numbers_right(runs * sum(printed.GLUE_CLASSES[task]), accuracy)


def fewest_runs(task, accuracy):
    return next(runs for runs in range(1, 1000) if numbers_right(task, accuracy, runs))


def possible_runs(most=10):
    """Return how many runs can have made every printed accuracy of both rows."""
    rows = [(task, of_row(row, "accuracy", task)) for row in printed.GLUE for task in TASKS]
    return [n for n in range(1, most + 1) if all(numbers_right(*row, n) for row in rows)]


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


def random_tables(counts, right, n, rng):
    """Return n tables with so many right answers, the wrong ones spread at random."""
    k = len(counts)
    tables = np.zeros((n, k, k), dtype=int)
    for made in tables:
        hits = rng.multivariate_hypergeometric(counts, right)
        for i, missed in enumerate(np.array(counts) - hits):
            others = np.arange(k) != i
            made[i, others] = rng.multinomial(missed, rng.dirichlet(np.full(k - 1, 0.3)))
        made[np.arange(k), np.arange(k)] = hits
    return tables


def climb(counts, right, value, rng, chains=32, steps=4000):
    """Return the table of the highest value that a search finds, and that value.

    Each chain moves some samples of a class from one wrong answer to another, or takes right
    answers from one class and gives as many to another, and keeps what is no worse.
    """
    k, n = len(counts), sum(counts)
    tables, chain = random_tables(counts, right, chains, rng), np.arange(chains)
    best = value(scoring.sums(tables))
    for _ in range(steps):
        i, other = rng.integers(k, size=(2, chains))
        j, j2 = (i + rng.integers(1, k, chains)) % k, (other + rng.integers(1, k, chains)) % k
        some = (n * 2.0 ** -rng.uniform(0, np.log2(n) + 1, chains)).astype(int) + 1
        within = rng.random(chains) < 0.5
        j2 = np.where(within, (i + rng.integers(1, k, chains)) % k, j2)
        moved = tables.copy()
        most = np.where(
            within, tables[chain, i, j], np.minimum(tables[chain, i, i], tables[chain, other, j2])
        )
        some = np.minimum(some, most)
        for on, row, source, target in (
            (within, i, j, j2), (~within, i, i, j), (~within, other, j2, other),
        ):  # fmt: skip
            np.subtract.at(moved, (chain[on], row[on], source[on]), some[on])
            np.add.at(moved, (chain[on], row[on], target[on]), some[on])
        found = value(scoring.sums(moved))
        better = found >= best
        tables[better], best[better] = moved[better], found[better]
    top = np.argmax(best)
    return tables[top], best[top]


def searched(task, formula, seed=0, **options):
    """Return the lowest and highest score found, and a table with the printed pair or None."""
    counts = printed.GLUE_CLASSES[task]
    wanted = of_row("DistilBERT", "informedness", task)
    rights = numbers_right(task, of_row("DistilBERT", "accuracy", task))
    right, score = rights[len(rights) // 2], FORMULAS[formula]
    rng = np.random.default_rng(seed)
    low = -climb(counts, right, lambda made: -score(made), rng, **options)[1]
    high = climb(counts, right, score, rng, **options)[1]
    found, off = climb(counts, right, lambda made: -abs(score(made) - wanted / 100), rng, **options)
    return low, high, found if -off <= 0.0005 else None


def guesses(task, n, rng):
    """Return n tables of who draws by the shares in training."""
    shares = training_shares(task)
    rows = [rng.multinomial(count, shares, size=n) for count in printed.GLUE_CLASSES[task]]
    return np.stack(rows, axis=1)


def guess_accuracy(task):
    """Return mean and standard deviation of the accuracy of one who draws."""
    counts, shares = np.array(printed.GLUE_CLASSES[task]), training_shares(task)
    n = counts.sum()
    return counts @ shares / n, np.sqrt(counts @ (shares * (1 - shares))) / n


def guess_rows(n_tables=2000, seed=0):
    rng = np.random.default_rng(seed)
    for task in TASKS:
        drawn = scoring.sums(guesses(task, n_tables, rng))
        spreads = {name: FORMULAS[name](drawn).std() for name in OF_TWO_CLASSES}
        yield task, guess_accuracy(task), spreads


def guess_section():
    rows, squares = [], []
    for task, (mean, deviation), spreads in guess_rows():
        counts = printed.GLUE_CLASSES[task]
        accuracy, informed = (of_row("Random Guess", x, task) for x in ("accuracy", "informedness"))
        squares.append((informed / 100 / spreads["Powers"]) ** 2)
        rows.append(
            [task, accuracy, percent(counts[np.argmax(training_shares(task))] / sum(counts)),
             f"{percent(mean)} ± {percent(deviation)}", fewest_runs(task, accuracy), informed,
             *(f"± {percent(spread)}" for spread in spreads.values())]
        )  # fmt: skip
    head = ["task", "printed accuracy", "commonest class", "draws by shares", "runs, at least",
            "printed Informedness", *OF_TWO_CLASSES]  # fmt: skip
    about = """
    The paper once says that Random Guess gives the class that is most common in training, and
    once that it draws by prior probability. The second is what was printed: each accuracy is that
    of draws, within two standard deviations of one run, and the commonest class would have made
    69.1 of CoLA's 58.1. Always giving one class would also have made every Informedness exactly 0
    by Powers' formula and 100 by equation 5.

    Expected of draws is an Informedness of 0 by each formula, give or take; the standard
    deviations in the last columns are of one run of 2,000 simulated ones. So this row cannot tell
    the formulas apart. It does tell that it is of several runs: "runs, at least" is how many it
    takes until a whole number of right answers prints as this accuracy.
    """
    root, p_value = np.sqrt(np.mean(squares)), chi2(len(TASKS)).cdf(sum(squares))
    end = f"""
    The printed Informedness is {root:.2f} standard deviations of one run from 0, in the root mean
    square over the tasks, by Powers' formula: 1 is expected of one run (and so little with a
    probability of {p_value:.3f}), and 0.45 of the mean of five, of which section 5.1 speaks. Of up
    to ten runs {", ".join(map(str, possible_runs()))} can have made all accuracies of both rows.
    """
    return "\n\n".join(["## Random Guess", text(about), table(head, rows), text(end)])


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

    RTE's pair is possible by Powers' formula and by the released code, not by equation 5. So no
    one formula gives all of this row, with WNLI or without it.
    """
    head = ["task", "accuracy", "Informedness", *OF_TWO_CLASSES]
    parts = ["## DistilBERT on tasks of two classes", text(about), table(head, rows), text(end)]
    return "\n\n".join(parts)


def search_section(**options):
    rows = []
    for task in (x for x in TASKS if len(printed.GLUE_CLASSES[x]) > 2):
        pair = [of_row("DistilBERT", x, task) for x in ("accuracy", "informedness")]
        row = [task, *pair]
        for formula in FORMULAS:
            low, high, found = searched(task, formula, **options)
            row.append(f"{'yes' if found is not None else 'not found'} ({span(low, high)})")
        rows.append(row)
    about = """
    The same for three and six classes, by search: the brackets are what was found beside the
    printed accuracy, and reach at least so far.
    """
    end = """
    Each formula can have made each of these rows.
    """
    head = ["task", "accuracy", "Informedness", *FORMULAS]
    parts = ["## DistilBERT on tasks of more classes", text(about), table(head, rows), text(end)]
    return "\n\n".join(parts)


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
    parts = [guess_section(), pair_section(), search_section(), claim_section()]
    scoring.write(scoring.HERE / "GLUE.md", sys.modules[__name__], parts)


if __name__ == "__main__":
    main()
