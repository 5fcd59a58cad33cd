"""KVQA, the paper's Table 3, and what its rows can be: makes the tables of KVQA.md."""

from bisect import bisect_left

import numpy as np
import printed
import scoring
from scipy.optimize import brentq
from scoring import FORMULAS, OF_TWO_CLASSES, percent, span, table

from informedness.inference.registry import score_named
from informedness.inference.score import ClassSums

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


def nit_table():
    rows = []
    for row, (k, bits, *_) in printed.KVQA.items():
        nit, (few, many) = figure(row, "nit"), classes_for_nit(row)
        too_high = printed.window(nit)[0] > highest_nit(row)
        as_ema = lowest_ema(row) <= printed.window(nit)[1]
        most = f"{few:,} to {many:,}" if many >= few else "none"
        rows.append([row, f"{k:,}", bits, nit, percent(min(highest_nit(row), 1)),
                     "**no**" if too_high else "yes", most,
                     percent(lowest_ema(row)), "yes" if as_ema else "**no**"])  # fmt: skip
    head = ["type", "k", "H", "printed NIT", "highest NIT", "possible",
            "classes it could be of", "lowest EMA", "possible as EMA"]  # fmt: skip
    return table(head, rows)


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


def two_table():
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
    said = [
        f"Of {len(tables_of_two('Intersect.')):,} tables on a grid with the first two "
        f"{len(cells)} have the others too.",
        f"[[{percent(middle[0, 0])}, {percent(middle[0, 1])}], "
        f"[{percent(middle[1, 0])}, {percent(middle[1, 1])}]] in percent of the samples",
        f"with {span(smaller.min(), smaller.max())} of the references in the smaller class.",
    ]
    return table(["", "printed", "these tables", "fits"], rows), said


def words_on_boolean():
    """Return what the page says of "Boolean", whose F1 is a mean over three labels."""
    tables = tables_of_two("Boolean")
    values = values_of(tables)
    _, thirds = solved("Boolean", 2 / 3)
    mcc_too = printed.prints(values["MCC"], figure("Boolean", "mcc_macro"))
    both = mcc_too & printed.prints(values["Powers"], figure("Boolean", "informedness"))
    ranges = {name: span(thirds[name].min(), thirds[name].max()) for name in OF_TWO_CLASSES}
    least, most = values["F1-Macro"].min(), values["F1-Macro"].max()
    return [
        f"F1-Macro lies between {percent(least)} and {percent(most)}; 63.2 is printed.",
        f"an Informedness of {ranges['Powers']} by Powers' formula, {ranges['equation 5']} by "
        f"equation 5 and {ranges['released code']} by the released code",
        f"NIT is at most {percent(values['NIT'][both].max(), 2)} and EMA at most "
        f"{percent(values['EMA'][both].max(), 2)};",
    ]


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
    made = ClassSums(range(k), hits, shares, predictions, 1.0)
    of_one = np.array(
        [[hits, shares - hits], [predictions - hits, 1 - shares - predictions + hits]]
    )
    mcc = scoring.scored("matthews_corrcoef", of_one.transpose(2, 0, 1)).mean()
    values = {"F1-Macro": score_named("f1_macro").exact_value(made), "MCC-Macro": mcc}
    return values | {name: formula(made) for name, formula in FORMULAS.items()}


def hop_table():
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
    said = [
        f"the commonest one has {percent(shares[0])}% of the questions, and half of the classes "
        f"share {percent(shares[k // 2 :].sum())}%.",
        f"and are {' or '.join(unnamed)}% of the classes in the mean.",
    ]
    head = ["where it does not know, it", "classes named", "F1-Macro", "MCC-Macro", *FORMULAS]
    return table(head, rows), said


def main():
    (solved_row, of_solved), (hop, of_hop) = two_table(), hop_table()
    said = [*of_solved, *words_on_boolean(), *of_hop]
    scoring.write("kvqa", [nit_table(), solved_row, hop], said)


if __name__ == "__main__":
    main()
