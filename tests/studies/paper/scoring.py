"""Scores of many tables at once, the formulas that are called informedness, and the pages.

All scores are the package's own, but for the two formulas that only the paper has: its equation 5,
and what the code released with it computes. Rows are references, columns are predictions.
"""

import os
import re
import textwrap
from pathlib import Path

import numpy as np
from scipy.special import xlogy

from informedness.inference.registry import score_named
from informedness.inference.score import INFORMEDNESS, ClassSums, ratio_or_zero

HERE = Path(__file__).parent
SCORES = {"accuracy": "accuracy", "balanced accuracy": "balanced_accuracy", "F1-Macro": "f1_macro",
          "kappa": "cohen_kappa", "MCC": "matthews_corrcoef", "MCC-Macro": "mcc_macro",
          "Informedness": "informedness", "NIT": "nit", "EMA": "ema"}  # fmt: skip
"""The names of scores in the package, by their titles on the pages."""


def sums(tables):
    """Return the sums of tables of shape (n, k, k), from which every score has n values."""
    cells = np.moveaxis(np.asarray(tables, dtype=float), 0, -1)
    references, predictions = cells.sum(axis=1), cells.sum(axis=0)
    k = len(references)
    hits = cells[np.arange(k), np.arange(k)]
    return ClassSums(range(k), hits, references, predictions, references.sum(axis=0))


def scored(name, tables):
    """Return a score of each table, by its name in the package, or the paper's "mcc_macro"."""
    if name == "mcc_macro":
        return mcc_macro(tables)
    score = score_named(name)
    if name in ("nit", "ema"):
        return entropic(score, tables)
    values = score.exact_value(sums(tables))
    return np.where(np.isnan(values), score.stand_in, values)


def entropic(score, tables):
    """Return NIT or EMA, from the entropies of the cells, the predictions and the references."""
    shares = tables / np.sum(tables, axis=(1, 2), keepdims=True)
    parts = shares.reshape(len(shares), -1), shares.sum(axis=1), shares.sum(axis=2)
    logarithm = np.dot(score.signs, [xlogy(x, x).sum(axis=1) for x in parts])
    return score.scale(shares.shape[1]) * np.exp(logarithm)


def all_scored(names, tables):
    """Return the scores of each table, a row a score."""
    return np.array([scored(name, tables) for name in names])


def of_two_classes(counts, first, second):
    """Return the tables with so many right answers to each class."""
    return np.array([[first, counts[0] - first], [counts[1] - second, second]]).transpose(2, 0, 1)


def tables_right(counts, right):
    """Return all tables of two classes with so many right answers."""
    first = np.arange(max(0, right - counts[1]), min(counts[0], right) + 1)
    return of_two_classes(counts, first, right - first)


def mcc_macro(tables):
    """Return the mean of the MCC of each class against all others, which the paper reports.

    The package's MCC of several classes is another one: Gorodkin's R_k.
    """
    cells = np.moveaxis(np.asarray(tables, dtype=float), 0, -1)
    k = len(cells)
    one, other = np.eye(k), 1 - np.eye(k)
    # summed rather than subtracted, so that what is 0 is 0
    binary = [
        [np.einsum("ci,ijn,cj->cn", row, cells, column, optimize=True) for column in (one, other)]
        for row in (one, other)
    ]
    binary = np.moveaxis(np.array(binary).reshape(2, 2, -1), -1, 0)
    return scored("matthews_corrcoef", binary).reshape(k, -1).mean(axis=0)


def equation_5(made):
    """As printed: bias x (TPR - prevalence) / (1 - prevalence), summed."""
    pi, beta = made.reference_totals / made.total, made.prediction_totals / made.total
    recalls = ratio_or_zero(made.hits, made.reference_totals)
    return (beta * ratio_or_zero(recalls - pi, 1 - pi)).sum(axis=0)


def released_code(made):
    """Prevalence x (precision - (prevalence - p_cc) / (1 - bias)), summed."""
    missed = made.reference_totals - made.hits
    missed = ratio_or_zero(missed, made.total - made.prediction_totals)
    gains = ratio_or_zero(made.hits, made.prediction_totals) - missed
    return (made.reference_totals / made.total * gains).sum(axis=0)


FORMULAS = {
    "Powers": INFORMEDNESS.exact_value,
    "prevalence-weighted": INFORMEDNESS.with_average("prevalence").exact_value,
    "macro": INFORMEDNESS.with_average("macro").exact_value,
    "equation 5": equation_5,
    "released code": released_code,
}
# Of two classes the first three are one formula, Youden's J.
OF_TWO_CLASSES = ("Powers", "equation 5", "released code")


def draws(shares, ability=0.0, guesses=None):
    """Return the shares of (reference, prediction) of who knows some answers and draws the rest."""
    guesses = shares if guesses is None else guesses
    return ability * np.diag(shares) + (1 - ability) * np.outer(shares, guesses)


# Pages


def percent(share, digits=1):
    """Return a share as percentages are printed, without a minus before 0."""
    if share != share:
        return "-"
    # first without the last digits of the sum, which differ between processors
    shown = round(round(100 * float(share), 9), digits) + 0.0
    return f"{shown:.{digits}f}"


def span(low, high):
    return f"{percent(low)} to {percent(high)}"


def table(head, rows, left=1):
    """Return a table, its first columns to the left."""
    lines = [head, [":--"] * left + ["--:"] * (len(head) - left), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def text(words):
    """Return a paragraph."""
    return textwrap.fill(" ".join(words.split()), 100)


def write(study, tables, said=()):
    """Put the tables of a study into its page, in place of those there.

    The words are the page's own; those with numbers are said again here, and must stand there.
    """
    path = HERE / f"{study.upper()}.md"
    title, *texts = re.split(r"(?m)^(?:\|.*\n)+", path.read_text(encoding="utf-8"))
    if len(texts) != len(tables):
        raise ValueError(f"{path} has {len(texts)} tables, and the study {len(tables)}")
    parts = [f"{made}\n{text}" for made, text in zip(tables, texts, strict=True)]
    page = "".join([title, *parts])
    path.write_text(page, encoding="utf-8")
    print(f"{page.splitlines()[0].removeprefix('# ')}: {os.path.relpath(path)}", flush=True)
    words = " ".join(page.split())
    if missing := [sentence for sentence in said if sentence not in words]:
        raise ValueError(f"{path} does not say: {missing}")
