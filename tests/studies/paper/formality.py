"""Formality, the paper's Table 4, and which formula it is: makes the tables of FORMALITY.md."""

import numpy as np
import printed
import scoring
from scoring import OF_TWO_CLASSES, percent, span, table

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


def shelf_table():
    tables, values = fitting(off_the_shelf(range(EACH + 1)), "off-the-shelf")
    share = tables[:, 0, 0] / EACH
    printed_informed = printed.FORMALITY["off-the-shelf"]["informedness"]
    rows = []
    for name in OF_TWO_CLASSES:
        fits = printed.prints(values[name], printed_informed).any()
        made = span(values[name].min(), values[name].max())
        rows.append([name, printed_informed, made, "yes" if fits else "**no**"])
    smaller = np.minimum(share, 1 - share)
    said = f"makes {span(smaller.min(), smaller.max())} percent of the translations: {len(tables)} "
    return table(["formula", "printed", "these tables", "fits"], rows), f"{said}whole numbers."


def aware_table():
    wanted = printed.FORMALITY["formality-aware"]
    values = scores(aware_tables())
    rows = []
    for name, first in uneven_fits().items():
        made = span(values[name].min(), values[name].max())
        fits = "none" if first is None else f"{first} to {EACH}"
        rows.append([name, wanted["informedness"], made, fits])
    low, high = (2 * end - 1 for end in printed.window(wanted["balanced_accuracy"]))
    most = percent(2 * printed.window(wanted["accuracy"])[1] - 1)
    said = f"{span(low, high)} with the printed 95.3, and {most} at most with an accuracy of 95.4."
    return table(["formula", "printed", "600 and 600", "all four figures"], rows), said


def main():
    tables, said = zip(shelf_table(), aware_table(), strict=True)
    scoring.write("formality", tables, said)


if __name__ == "__main__":
    main()
