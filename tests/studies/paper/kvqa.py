"""KVQA (the paper's Table 3): what its rows can be.

Nothing is known of the references but the number of classes and their entropy, so that most rows
can only be bounded. H stands for the entropy, k for the classes, e for the share of errors, and all
printed figures for anything that rounds to them.
"""

import sys
from bisect import bisect_left

import numpy as np
import printed
import scoring
from scipy.optimize import brentq
from scoring import FORMULAS, OF_TWO_CLASSES, percent, span, table, text

from informedness.statistics.registry import score_named
from informedness.statistics.sums import Sums

HALF_A_BIT = 0.05
"""How far a printed entropy may be from what it stands for."""


def entropy_window(row):
    return printed.KVQA[row][1] - HALF_A_BIT, printed.KVQA[row][1] + HALF_A_BIT


def figure(row, name):
    return printed.KVQA[row][2 + printed.KVQA_SCORES.index(name)]


def entropy(shares):
    """Return the entropy of shares over the first axis, in bits."""
    return -(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=0)


# NIT


def highest_nit(row):
    """2^H / k, which a perfect classifier has."""
    return 2 ** entropy_window(row)[1] / printed.KVQA[row][0]


def classes_for_nit(row):
    """Return how few classes have this entropy, and how many leave room for the printed NIT."""
    low, high = entropy_window(row)
    least, _ = printed.window(figure(row, "nit"))
    return int(np.ceil(2**low)), int(np.floor(2**high / least))


def lowest_ema(row):
    """2^-H(reference | prediction) by Fano's inequality: at most h(e) + e log2(k - 1), and H."""
    k = printed.KVQA[row][0]
    wrong = 1 - printed.window(figure(row, "accuracy"))[0]
    fano = entropy(np.array([wrong, 1 - wrong])) + wrong * np.log2(k - 1)
    return 2 ** -min(fano, entropy_window(row)[1])


def nit_section():
    rows = []
    for row, (k, bits, *_) in printed.KVQA.items():
        nit, (few, many) = figure(row, "nit"), classes_for_nit(row)
        too_high = printed.window(nit)[0] > highest_nit(row)
        as_ema = lowest_ema(row) <= printed.window(nit)[1]
        most = f"{few:,} to {many:,}" if many >= few else "none"
        rows.append([row, f"{k:,}", bits, nit, percent(min(highest_nit(row), 1)),
                     "**no**" if too_high else "yes", most,
                     percent(lowest_ema(row)), "yes" if as_ema else "**no**"])  # fmt: skip
    failed = sum(row[5] != "yes" for row in rows)
    head = ["type", "k", "H", "printed NIT", "highest NIT", "possible",
            "classes it could be of", "lowest EMA", "possible as EMA"]  # fmt: skip
    about = f"""
    NIT is 2^MI / k, so at most 2^H / k. {failed} of the 12 printed values lie above that. They are
    not NIT with the printed k and H. Two things could be:

    The k in them is another one. The released code counts the classes in the references it is
    given, and the printed number may be of more questions than were scored; "classes it could be
    of" is how many have the printed entropy and leave room for the printed NIT.

    Or they are entropy-modulated accuracy (EMA, 2^-H(reference|prediction)), which stands in the
    same file of the released code. It is at most 1 and, by Fano's inequality, at least the value
    in the last but one column. No row contradicts that; as NIT with another k, "Comparison" would
    need just five classes of which less than a tenth of a bit is lost although 8.9% of the answers
    are wrong.
    """
    return "\n\n".join(["## NIT against its own maximum", text(about), table(head, rows)])


# Two classes


def tables_of_two(row, shares=None, step=0.001):
    """Return tables of two classes that have the printed entropy and accuracy, on a fine grid.

    The first class is the smaller one, which it may be called.
    """
    low, high = printed.window(figure(row, "accuracy"))
    shares = np.arange(0.36, 0.5 + step / 2, step) if shares is None else shares
    grid = np.meshgrid(shares, np.arange(0, 1 + step / 2, step), np.linspace(low, high, 9))
    share, recall, accuracy = (x.ravel() for x in grid)
    first, second = share * recall, accuracy - share * recall
    bits = entropy(np.array([share, 1 - share]))
    kept = (second >= 0) & (second <= 1 - share) & (bits >= entropy_window(row)[0])
    share, first, second = share[kept], first[kept], second[kept]
    made = np.array([[first, share - first], [1 - share - second, second]])
    return made.transpose(2, 0, 1)


def values_of(tables):
    """Return every score that the row could be made of."""
    made = scoring.sums(tables)
    names = {"F1-Macro": "f1_macro", "MCC": "matthews_corrcoef", "NIT": "nit", "EMA": "ema"}
    values = {title: scoring.scored(name, tables) for title, name in names.items()}
    return values | {name: FORMULAS[name](made) for name in OF_TWO_CLASSES}


def solved(row, f1_of=1.0):
    """Return the tables that also have the printed F1, times this, and MCC; and their scores."""
    tables = tables_of_two(row)
    values = values_of(tables)
    kept = printed.prints(values["F1-Macro"] * f1_of, figure(row, "f1_macro"))
    kept &= printed.prints(values["MCC"], figure(row, "mcc_macro"))
    return tables[kept], {name: value[kept] for name, value in values.items()}


def two_section():
    cells, found = solved("Intersect.")
    printed_of = {"F1-Macro": "f1_macro", "MCC": "mcc_macro", "NIT": "nit", "EMA": "nit"}
    rows = []
    for name, values in found.items():
        wanted = figure("Intersect.", printed_of.get(name, "informedness"))
        low, high = printed.window(wanted)
        fits = values.min() <= high and low <= values.max()
        rows.append([name, wanted, span(values.min(), values.max()), "yes" if fits else "**no**"])
    middle = cells.mean(axis=0)
    smaller = cells[:, 0].sum(axis=1)
    about = f"""
    Two classes, whose shares, right and wrong answers are three numbers; entropy, accuracy, F1 and
    MCC fix them. Of {len(tables_of_two("Intersect.")):,} tables on a grid with the first two
    {len(cells)} have the others too. All are about
    [[{percent(middle[0, 0])}, {percent(middle[0, 1])}],
    [{percent(middle[1, 0])}, {percent(middle[1, 1])}]] in percent of the samples, rows references,
    with {span(smaller.min(), smaller.max())} of the references in the smaller class.
    """
    end = """
    The printed Informedness is Powers' and cannot be equation 5 or the released code. The printed
    NIT fits neither NIT nor EMA of these tables: it is of other predictions, or the row is a mean
    over runs.
    """
    first = ["## Intersect., the row that can be solved", text(about),
             table(["", "printed", "these tables", "fits"], rows), text(end)]  # fmt: skip
    tables = tables_of_two("Boolean")
    values = values_of(tables)
    _, thirds = solved("Boolean", 2 / 3)
    mcc_too = printed.prints(values["MCC"], figure("Boolean", "mcc_macro"))
    both = mcc_too & printed.prints(values["Powers"], figure("Boolean", "informedness"))
    ranges = {name: span(thirds[name].min(), thirds[name].max()) for name in OF_TWO_CLASSES}
    about = f"""
    With two classes, an entropy of 1.0 and an accuracy of 94.9, F1-Macro lies between
    {percent(values["F1-Macro"].min())} and {percent(values["F1-Macro"].max())}; 63.2 is printed.
    It is two thirds of 94.8, and so a mean over three labels, one of which no reference has and
    some answer gives, with an F1 of 0. The printed MCC is not reduced like this. Tables with MCC
    and two thirds of F1 have an Informedness of {ranges["Powers"]} by Powers' formula,
    {ranges["equation 5"]} by equation 5 and {ranges["released code"]} by the released code:
    89.7 can be each. With MCC and Informedness both as printed, NIT is at most
    {percent(values["NIT"][both].max(), 2)} and EMA at most {percent(values["EMA"][both].max(), 2)};
    81.9 is printed, which NIT misses by two hundredths of a point: it is more likely EMA, if it is
    of two labels and one run.
    """
    return "\n\n".join([*first, "## Boolean", text(about)])


# More classes


def zipf(k, bits):
    """Return shares of k classes of this entropy, which fall by a power of the rank."""

    def shares(power):
        weights = np.arange(1, k + 1) ** -power
        return weights / weights.sum()

    return shares(brentq(lambda power: entropy(shares(power)) - bits, 0, 4))


def common_only(shares, n_known, accuracy, by_share=True):
    """Return the scores of a model with this accuracy that only names the commonest classes.

    Of these it knows some. Else it draws one of them by its share, or gives the very commonest.
    """
    k = len(shares)
    common = np.where(np.arange(k) < n_known, shares, 0)
    guesses = common / common.sum() if by_share else np.eye(1, k)[0]
    ability = (accuracy - shares @ guesses) / (common.sum() - shares @ guesses)
    hits = ability * common + (1 - ability) * guesses * shares
    hits[n_known:] = 0
    predictions = ability * common + guesses * (1 - ability * common.sum())
    made = Sums(hits, shares, predictions, 1.0, np.ones(k, bool), k, np.empty(0))
    of_one = np.array(
        [[hits, shares - hits], [predictions - hits, 1 - shares - predictions + hits]]
    )
    mcc = scoring.scored("matthews_corrcoef", of_one.transpose(2, 0, 1)).mean()
    values = {"F1-Macro": score_named("f1_macro").of(made), "MCC-Macro": mcc}
    return values | {name: formula(made) for name, formula in FORMULAS.items()}


def hop_section():
    k, bits, *_ = printed.KVQA["1-Hop"]
    shares, accuracy = zipf(k, bits), figure("1-Hop", "accuracy") / 100
    fewest = int(np.searchsorted(shares.cumsum(), accuracy)) + 1
    rows, unnamed = [], []
    for how, by_share in (("draws by share", True), ("gives the commonest", False)):
        n_known = bisect_left(
            range(k), figure("1-Hop", "f1_macro") / 100, lo=fewest,
            key=lambda n: common_only(shares, n, accuracy, by_share)["F1-Macro"],
        )  # fmt: skip
        values = common_only(shares, n_known, accuracy, by_share)
        rows.append([how, n_known, *map(percent, values.values())])
        unnamed.append(percent(1 - n_known / k, 0))
    about = f"""
    Informedness is printed as {figure("1-Hop", "informedness")}, F1-Macro as
    {figure("1-Hop", "f1_macro")}. A model with the same ability in all classes has the same in
    both. But suppose shares that fall by a power of the rank (Zipf): of {k:,} classes with an
    entropy of {bits} bits the commonest one has {percent(shares[0])}% of the questions, and half of
    the classes share {percent(shares[k // 2 :].sum())}%. Take a model with the printed accuracy
    that only names the commonest classes. Where it does not know, it draws one of these by its
    share, or gives the very commonest. With how many classes has it the printed F1-Macro?
    """
    end = f"""
    So the pattern needs rare classes, and no weak model: classes that are never named have an F1
    and an MCC of 0, and are {" or ".join(unnamed)}% of the classes in the mean. MCC-Macro is then
    as printed too ({figure("1-Hop", "mcc_macro")}). Informedness weights each class by how often it
    is predicted, or occurs. How the model guesses decides whether Powers' formula, the
    prevalence-weighted one or the released code comes close to the printed value. Equation 5 and
    the macro average do not.

    "Subtract." has more Informedness than accuracy. The prevalence-weighted formula is accuracy
    less a sum of false positives, and cannot have that. Nothing said here excludes the others.
    """
    head = ["where it does not know, it", "classes named", "F1-Macro", "MCC-Macro", *FORMULAS]
    return "\n\n".join(["## More classes: 1-Hop and Subtract.", text(about),
                        table(head, rows), text(end)])  # fmt: skip


def main():
    parts = [nit_section(), two_section(), hop_section()]
    scoring.write(scoring.HERE / "KVQA.md", sys.modules[__name__], parts)


if __name__ == "__main__":
    main()
