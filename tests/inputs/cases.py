"""Labels and options of which every path says the same: a value, a warning or a refusal.

What the form shows is refused, what the table shows is warned of, and nothing else is said. Metric
modules know of missing values and of predictions outside the references alone. Values are computed
by `dense` from the samples, or stand in the golden vectors.
"""

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pandas as pd

from oracles import dense
from oracles.golden import VECTORS

RIGHT, REFUSED = "right", "refused"
NULL, OUTSIDE, SPELT = (
    "counts as a label",
    "has labels that are not classes",
    "differ only in case or whitespace",
)
NO_REFERENCE, NO_PREDICTION = "references.*(missing|null)", "predictions.*(missing|null)"
TRUTH, ANSWERS = "abcbacab", "abcaabab"


def warned(call: Callable[..., Any], *given: Any, **options: Any) -> tuple[Any, str]:
    """Return the value of a call, and all that it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = call(*given, **options)
    return value, " ".join(str(one.message) for one in caught)


def cells_of(references: list[Any], predictions: list[Any]) -> list[list[Fraction]]:
    """Return the table of samples in exact fractions."""
    n = Counter(zip(references, predictions, strict=True))
    labels = {label for pair in n for label in pair}
    return [[Fraction(n[r, p]) for p in labels] for r in labels]


def informedness(references: list[Any], predictions: list[Any], average: str = "bias") -> float:
    """Return Informedness from its definition."""
    cells = dense.spread(cells_of(references, predictions))
    return float(dense.score(cells, "informedness", average))


def nit(references: list[Any], predictions: list[Any], k: int | None = None) -> float:
    """Return 2^MI / k, with k the classes of the references unless given."""
    information = dense.information(dense.precise(cells_of(references, predictions)))
    return float(mpmath.exp(information)) / (k or len(set(references)))


@dataclass(frozen=True)
class Case:
    """Labels, and what is said of them where values have types, and where all is text.

    Where nothing is named there may be warnings of all kinds, and the case is not tried as text.
    """

    references: Any
    predictions: Any
    typed: str | None = None
    text: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    refusal: str = ""  # a regular expression that the error's text matches where values have types
    counted: Any = None  # the samples that count, if not these, or their scores
    k: int | None = None

    def sides(self) -> tuple[Any, Any]:
        """Return the labels of both sides."""
        return self.references, self.predictions

    def wanted(self, is_text: bool = False) -> list[float]:
        """Return Informedness and NIT from their definitions.

        1.0 in text is 1: a gap makes floats of integers. True is 1.
        """
        if isinstance(self.counted, list):
            return self.counted
        sides = self.counted or self.sides()
        if is_text:
            truths = {"True": "1", "False": "0"}
            texts = [map(str, side) for side in sides]
            sides = [[truths.get(x, x.removesuffix(".0")) for x in side] for side in texts]
        return [informedness(*sides), nit(*sides, self.k)]


def _golden() -> Iterator[tuple[str, Case]]:
    for vector in VECTORS:
        references, predictions, weights = vector.weighted_samples()
        options = {"sample_weight": weights}
        if vector.is_counts:
            (references, predictions), options = vector.samples(), {}
        exact = float(vector.exact["informedness"] or 0)
        if {*predictions} - {*references} and len({*references}) > 1:
            exact = informedness(references, predictions)  # there, all labels are classes
        scores = [exact, vector.info["NIT_k_ref"]]
        yield f"golden {vector.id}", Case(references, predictions, None, None, options, "", scores)


def _scored(
    references: Any, predictions: Any, counted: Any = None, k: Any = None, **options: Any
) -> Case:
    return Case(references, predictions, None, None, options, "", counted, k)


def _refused(references: Any, predictions: Any, refusal: str, **options: Any) -> Case:
    return Case(references, predictions, REFUSED, None, options, refusal)


def wrong(*labels: Any) -> dict[str, Any]:
    """Return the options with which predictions outside these labels are wrong answers."""
    return {"labels": list(labels), "unknown": "wrong"}


def spelt(references: Any, predictions: Any, *outcome: Any, refusal: str = "") -> Case:
    """Return a case whose labels a, b and c are spelt so on either side."""
    sides = (TRUTH, references), (ANSWERS, predictions)
    labels = [[names["abc".index(x)] for x in side] for side, names in sides]
    return Case(*labels, *outcome, refusal=refusal)


KINDS = {  # of labels, some of which may be a mistake
    "text": spelt("abc", "abc", RIGHT, RIGHT),
    "integers": spelt(range(3), range(3), RIGHT, RIGHT),
    "whole floats": spelt(range(3), [0.0, 1.0, 2.0], RIGHT, RIGHT),
    "zeros in front": spelt(["1", "01", "001"], ["1", "01", "001"], RIGHT, RIGHT),
    "near spellings": spelt(["spam", "spa", "\u0455pam"], ["spam", "spa", "spam"], RIGHT, RIGHT),
    "identifiers": Case([*range(60)], [7] * 60, RIGHT, RIGHT),
    "free text": Case([f"It is {i}." for i in range(60)], ["It is 7."] * 60, RIGHT, RIGHT),
    "probabilities": spelt(["0.93", "0.5", "1"], ["0.5", ".1", "0.5"], OUTSIDE, OUTSIDE),
    "bools": spelt([True, False, False], [1, 0, 0], RIGHT, RIGHT),
    "scores": spelt([0, 1, 1], [0.9, 0.25, 0.5], REFUSED, REFUSED, refusal="a score, not a label"),
    "one integer in text": Case([1, *TRUTH[1:]], [*ANSWERS], REFUSED, RIGHT, refusal="type"),
    "text beside integers": spelt("012", range(3), REFUSED, RIGHT, refusal="same type"),
    "a null reference": Case([*TRUTH, None], [*ANSWERS, "a"], REFUSED, REFUSED, {}, NO_REFERENCE),
    "a null prediction": Case([*TRUTH, "a"], [*ANSWERS, None], REFUSED, REFUSED, {}, NO_PREDICTION),
    "padding": Case([0, 1, 2, -100], [0, 1, 1, 0], NULL, NULL),
    "padding predicted": Case([0, 1, 2, 0], [0, 1, 1, -100], NULL, NULL),
    "a blank": Case([" ", *TRUTH], ["a", *ANSWERS], NULL, NULL),
    "nothing in common": spelt("abc", "xyz", OUTSIDE, OUTSIDE),
    "integers with none in common": spelt(range(3), range(3, 6), OUTSIDE, OUTSIDE),
    "one prediction outside": Case([*TRUTH, "a"], [*ANSWERS, "x"], OUTSIDE, OUTSIDE),
    "another case": spelt(["yes", "no", "Yes"], ["yes", "no", "yes"], SPELT, SPELT),
    "blanks": spelt(["pos ", "neg", "pos"], ["pos", "neg", "pos"], SPELT, SPELT),
    "composed otherwise": spelt(["\u00e9tat", *"bc"], ["e\u0301tat", *"bc"], OUTSIDE, OUTSIDE),
}
MISSING = ["NA", "N/A", "NaN", "nan", "None", "null", "NULL", "<NA>", "#N/A"]
for word in ("", *MISSING):
    KINDS[f"{word!r} as a reference"] = Case([*TRUTH, word], [*ANSWERS, "a"], NULL, REFUSED)
    KINDS[f"{word!r} as a prediction"] = Case([*TRUTH, "a"], [*ANSWERS, word], NULL, REFUSED)
for word in ("-100", "-100 "):
    KINDS[f"{word!r} in text"] = Case([*TRUTH, word], [*ANSWERS, "a"], NULL, NULL)

ONE_RIGHT, FIRST_RIGHT = ([0, 1], [2, 1]), ([0, 1], [0, 0])
BYTES = b"a", b"b\xff", b"a\x00"
LABELS = {  # that a path could change
    "2**63-1 beside 2**63": spelt([2**63 - 1, 2**63, 0], [2**63 - 1, 2**63, 0]),
    "-1, 2**63 and 2**64-1": spelt([-1, 2**63, 2**64 - 1], [-1, 2**63, 2**64 - 1]),
    "-2**63 and 2**31": spelt([-(2**63), 2**31, 0], [-(2**63), 2**31, 0]),
    # a type on each side, in which none may wrap or round
    "u1 and i8": _scored(np.array([255, 1], "u1"), np.array([-1, 1], "i8"), ONE_RIGHT),
    "u8 and i8": _scored(np.array([2**63, 1], "u8"), np.array([-(2**63), 1]), ONE_RIGHT),
    "floats": _scored(np.array([2.0**63, 1]), np.array([-(2.0**63), 1]), ONE_RIGHT),
    "Int64": _scored(pd.array([2**53, 2**53 + 1], "Int64"), [2**53] * 2, FIRST_RIGHT),
    "a re-indexed Series": _scored(pd.Series([*"ab"], [6, 5]), pd.Series([*"aa"], [6, 5])),
    "bytes": spelt(BYTES, BYTES),
    "a trailing NUL": spelt(["a", "a\x00", "b"], ["a", "a\x00", "b"]),
    "line break, quote and comma": spelt(["a\nb", 'a"b', "a,b"], ["a\nb", 'a"b', "a,b"]),
    "100,000 characters": spelt(["x" * 100_000, *"yz"], ["x" * 100_000, *"yz"]),
    "bool beside int": _scored([True, False, True], [1, False, 0]),
    "-0.0 is 0": _scored([-0.0, 1.0], [0, 1]),
}

WITH_GAP = {  # one missing prediction, and one that is no class
    "text": (list("abab"), ["a", "b", None, "?"]),
    "floats": ([0, 1, 0, 1], np.array([0, 1, np.nan, 7])),
    "integers of pandas": ([0, 1, 0, 1], pd.array([0, 1, None, 7], dtype="Int64")),
    "a masked array": ([0, 1, 0, 1], np.ma.array([0, 1, 0, 7], mask=[0, 0, 1, 0])),
}
TWO_WRONG = [1, 0, 1, 0], [1, 0, 2, 2]
OPTIONS = {
    "wrong if unknown": _scored([*"abab"], ["a", "b", "?", "x"], TWO_WRONG, 2, **wrong(*"ab")),
    **{
        f"wrong if missing, {name}": _scored(r, p, TWO_WRONG, 2, **wrong(*r[:2]))
        for name, (r, p) in WITH_GAP.items()
    },
    "a class without samples": _scored([0, 1, 0, 1], [0, 1, 1, 1], None, 3, labels=[2, 1, 0]),
    "padding is ignored": _scored(
        [0, 1, -100, 0, 1], [0, 1, 1, 1, 1], ([0, 1, 0, 1], [0, 1, 1, 1]), ignore_index=-100
    ),
    "a missing reference": _refused(["a", None], ["a"] * 2, NO_REFERENCE, **wrong(*"ab")),
    "no samples": _refused([], [], "at least one|more than 0"),
    "bytes beside strings": _refused(["a", "b"], [b"a", b"b"], "predictions.*same type.*bytes"),
    "beyond 64 bits": _refused([2**64, 1], [1, 1], "references.*64 bits.*18446744073709551616"),
    "nan": _refused([1.0, 2.0], [1.0, float("nan")], "predictions.*nan.*missing"),
    "a reference outside labels": _refused(["a", "c"], ["a", "a"], "'c'.*", labels=["a", "b"]),
    "a prediction outside": _refused(["a", "b"], ["a", "?"], r"'\?'", labels=["a", "b"]),
    "all ignored": _refused([-100, -100], [0, 1], "all ignored", ignore_index=-100),
    "weights of 0": _refused([0, 1], [0, 1], "all ignored", sample_weight=[0.0, 0.0]),
    "a negative weight": _refused([0, 1], [0, 1], r"weight.*-1\.0", sample_weight=[1.0, -1.0]),
}
CASES = KINDS | LABELS | OPTIONS | dict(_golden())

# Labels of many domains, of which nothing is said: a domain's labels between blanks.
DOMAINS = """
positive negative neutral | 1 2 3 4 5 | FAVOR AGAINST NONE | NN NNS VB , . : '' -LRB- $ #
O B-PER I-PER B-LOC I-LOC | nsubj nsubj:pass aux aux:pass | de en fr no is it as or | true false
^q sd b aa ny % | colour color Colour-blind | 😀 😂 ❤️ 👍 👎 | 体育 财经 | नहीं हाँ | é e è ê | π δ λ Ω
a b c n A B C N | S s z Z T t D d | H He C Co N Na Ni No Os | CO Co CO2 NO No2 | II III IV IIIa
02139 10115 00100 | 2024-01-01 2024-02-01 | 0-10% 10-20% 100% | 0.5 1.0 1.5 | 1.0 1.1 1.10 2.0
<unk> <s> </s> [MASK] | Total All n | say"no" "yes" no | {} {"a":1} | A A- A+ | n/a - NaT
"""
DOMAINS = [x.split(" ") for line in DOMAINS.strip().splitlines() for x in line.split(" | ")]
DOMAINS += [["yes, please", "no, thanks"], ["first\nsecond", "third"], ["very good", "very  good"]]
DOMAINS += [["A long answer. " * 12, "Another long answer. " * 12]]
