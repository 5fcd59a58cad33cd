"""Formality (the paper's Table 4): which formula its two columns are.

Translations into German, 600 of requests for formal and 600 for informal German. All printed
figures stand for anything that rounds to them.
"""

import sys

import numpy as np
import printed
import scoring
from scoring import OF_TWO_CLASSES, percent, span, table, text

EACH = printed.FORMALITY_CLASSES[0]
USUAL = ("accuracy", "balanced_accuracy", "f1_macro")


def scores(tables):
    """Return the printed scores, and Informedness by each formula."""
    made = scoring.sums(tables)
    values = {name: scoring.scored(name, tables) for name in USUAL}
    return values | {name: scoring.FORMULAS[name](made) for name in OF_TWO_CLASSES}


def off_the_shelf(formal):
    """Return tables of one translation for both requests, so many of them formal."""
    formal = np.asarray(formal)
    return np.array([[formal, EACH - formal], [formal, EACH - formal]]).transpose(2, 0, 1)


def fitting(tables, column, names=USUAL):
    values = scores(tables)
    kept = np.all([printed.prints(values[x], printed.FORMALITY[column][x]) for x in names], axis=0)
    return tables[kept], {name: value[kept] for name, value in values.items()}


def aware_tables(first=EACH, second=EACH):
    """Return all tables of so many requests whose accuracy is printed as that of the model."""
    accuracy = printed.FORMALITY["formality-aware"]["accuracy"]
    rights = printed.numbers_right(first + second, accuracy)
    made = [scoring.tables_right((first, second), right) for right in rights]
    return np.concatenate([np.empty((0, 2, 2), dtype=int), *made])


def uneven_fits(smallest=200):
    """Return for each formula the most even references with all four figures, or None.

    The second class keeps its 600 requests and the first one is smaller.
    """
    found = dict.fromkeys(OF_TWO_CLASSES)
    wanted = printed.FORMALITY["formality-aware"]
    for first in range(EACH, smallest - 1, -1):
        _, values = fitting(aware_tables(first), "formality-aware")
        for name in found:
            if found[name] is None and printed.prints(values[name], wanted["informedness"]).any():
                found[name] = first
    return found


def shelf_fits(first, second=EACH):
    """Return whether one translation for both requests can have the three usual scores."""
    share = np.linspace(0, 1, 10001)
    made = [[first * share, first * (1 - share)], [second * share, second * (1 - share)]]
    tables, _ = fitting(np.array(made).transpose(2, 0, 1), "off-the-shelf")
    return len(tables) > 0


def shelf_section():
    tables, values = fitting(off_the_shelf(range(EACH + 1)), "off-the-shelf")
    share = tables[:, 0, 0] / EACH
    printed_informed = printed.FORMALITY["off-the-shelf"]["informedness"]
    rows = []
    for name in OF_TWO_CLASSES:
        fits = printed.prints(values[name], printed_informed).any()
        made = span(values[name].min(), values[name].max())
        rows.append([name, printed_informed, made, "yes" if fits else "**no**"])
    smaller = np.minimum(share, 1 - share)
    about = f"""
    One translation for both requests: whatever share t of them is formal, both rows of the table
    are alike. Accuracy and balanced accuracy are exactly 50, as printed. F1-Macro is
    t / (2t + 1) + (1 - t) / (3 - 2t) and prints as 49.2 where one of the two answers
    makes {span(smaller.min(), smaller.max())} percent of the translations: {len(tables)} whole
    numbers.

    Powers' Informedness of them is exactly 0, and so is the released code's. Equation 5 gives
    (2t - 1)², which does not print as 0.0:
    """
    head = ["formula", "printed", "these tables", "fits"]
    return "\n\n".join(["## Off-the-shelf", text(about), table(head, rows)])


def aware_section():
    wanted = printed.FORMALITY["formality-aware"]
    values = scores(aware_tables())
    rows = [
        [name, wanted["informedness"], span(values[name].min(), values[name].max())]
        for name in OF_TWO_CLASSES
    ]
    fits = {
        name: "none" if first is None else f"{first} to {EACH}"
        for name, first in uneven_fits().items()
    }
    rows = [[*row, fits[row[0]]] for row in rows]
    low, high = (2 * end - 1 for end in printed.window(wanted["balanced_accuracy"]))
    about = f"""
    With as many requests of each kind accuracy is balanced accuracy, in one run and in the mean of
    several, so that 95.4 and 95.3 can only be two roundings of 95.35. By Powers' formula
    Informedness is twice balanced accuracy less 1: {span(low, high)} with the printed 95.3, and
    {percent(2 * printed.window(wanted["accuracy"])[1] - 1)} at most with an accuracy of 95.4.
    Printed is 91.8, to which a balanced accuracy of 95.9 would belong.

    Could it be another formula, or other numbers of requests, as where an answer that is neither
    formal nor informal was left out? The third column is Informedness of all tables of 600 and 600
    with the printed accuracy; the last the most even numbers, down to 200 and 600, for which some
    table has accuracy, balanced accuracy, F1-Macro and Informedness as printed.
    """
    end = """
    No formula explains this column with 600 requests of each kind, and Powers' with no numbers at
    all. With 36 answers of one kind left out the released code can have made it, and the other
    column too, if there none was left out: with 564 and 600 requests accuracy and F1-Macro of one
    translation for both do not print as 50.0 and 49.2. Equation 5 is excluded by that column.
    """
    head = ["formula", "printed", "600 and 600", "all four figures"]
    return "\n\n".join(["## Formality-aware", text(about), table(head, rows), text(end)])


def main():
    parts = [shelf_section(), aware_section()]
    scoring.write(scoring.HERE / "FORMALITY.md", sys.modules[__name__], parts)


if __name__ == "__main__":
    main()
