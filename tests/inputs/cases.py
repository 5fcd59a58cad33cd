"""One file of cases, which every path to a score must answer alike: a value or a refusal.

Values are computed by `dense` from the samples, or stand in the golden vectors.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pandas as pd

from oracles import dense
from oracles.golden import VECTORS


@dataclass(frozen=True)
class Case:
    """Inputs, and what each path must make of them."""

    id: str
    references: Any
    predictions: Any
    options: dict[str, Any] = field(default_factory=dict)
    informedness: float | None = None
    nit: float | None = None
    refusal: str | None = None  # a regular expression that the error's text matches


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


def _golden() -> Iterator[Case]:
    for vector in VECTORS:
        references, predictions, weights = vector.weighted_samples()
        options = {"sample_weight": weights}
        if vector.is_counts:
            (references, predictions), options = vector.samples(), {}
        exact = float(vector.exact["informedness"] or 0)
        if {*predictions} - {*references} and len({*references}) > 1:
            exact = informedness(references, predictions)  # there, all labels are classes
        scores = {"informedness": exact, "nit": vector.info["NIT_k_ref"]}
        yield Case(f"golden {vector.id}", references, predictions, options, **scores)


def _scored(
    name: str, references: Any, predictions: Any, counted: Any = None, k: Any = None, **options: Any
) -> Case:
    """A case of the scores of `counted`, the samples themselves unless given."""
    counted = counted or (references, predictions)
    scores = {"informedness": informedness(*counted), "nit": nit(*counted, k)}
    return Case(name, references, predictions, options, **scores)


def _labels(name: str, *labels: Any, box: Any = list) -> Case:
    """A case whose references and predictions are these labels, in a fixed pattern of hits."""
    pattern = [(0, 0), (0, 1), (1, 1), (1, 1), (1, 0), (0, 0), (1, 1)]
    if len(labels) > 2:
        pattern += [(2, 2), (2, 0), (2, 2), (0, 2)]
    codes = tuple(zip(*pattern, strict=True))
    return _scored(name, *(box([labels[code] for code in side]) for side in codes), codes)


def _refused(name: str, references: Any, predictions: Any, text: str, **options: Any) -> Case:
    return Case(name, references, predictions, options, refusal=text)


def wrong(*labels: Any) -> dict[str, Any]:
    """Return the options with which predictions outside these labels are wrong answers."""
    return {"labels": list(labels), "unknown": "wrong"}


ONE_RIGHT = [0, 1], [2, 1]
HARD_LABELS = [
    _labels("2**63-1 beside 2**63", 2**63 - 1, 2**63),
    _labels("-1, 2**63 and 2**64-1", -1, 2**63, 2**64 - 1),
    _labels("2**53 beside 2**53+1", 2**53, 2**53 + 1),
    _labels("-2**63 and 2**31", -(2**63), 2**31, 0),
    _labels("uint8 255", 255, 0, box=lambda labels: np.array(labels, dtype=np.uint8)),
    # a type on each side, in which none may wrap or round
    _scored("u1 and i8", np.array([255, 1], "u1"), np.array([-1, 1], "i8"), ONE_RIGHT),
    _scored("u8 and i8", np.array([2**63, 1], "u8"), np.array([-(2**63), 1]), ONE_RIGHT),
    _scored("whole floats", np.array([2.0**63, 1]), np.array([-(2.0**63), 1]), ONE_RIGHT),
    _scored("Int64", pd.array([2**53, 2**53 + 1], "Int64"), [2**53] * 2, ([0, 1], [0, 0])),
    _labels(
        "a re-indexed Series", "a", "b", "c", box=lambda x: pd.Series(x, index=range(5, 5 + len(x)))
    ),
    _labels("bytes", b"a", b"b\xff", b"a\x00"),
    _labels("a trailing NUL", "a", "a\x00"),
    _labels("a label with line break, quote and comma", "a\nb", 'a"b', "a,b"),
    _labels("a label of 100,000 characters", "x" * 100_000, "y"),
    _scored("bool beside int", [True, 0, 1, False], [1, 0, False, 0]),
    _scored("-0.0 is 0", [-0.0, 1.0], [0, 1]),
]

REFUSED = [
    _refused("None in predictions", ["a", "b"], ["a", None], "predictions.*None.*missing"),
    _refused("None in references", [1, None], [1, 1], "references.*(None|nan).*missing"),
    _refused("a score", [1, 0], [1, 0.7], r"predictions.*0\.7.*a score, not .*argmax.* > 0 of a"),
    _refused("a string in last place", [1, 0, 1], [1, 0, "x"], "type.*'x'|'x'.*type"),
    _refused("a string in first place", [1, 0, 1], ["x", 0, 1], "type.*'x'|'x'.*type"),
    _refused("strings beside integers", ["a", "b"], [0, 1], "predictions.*same type.*integers"),
    _refused("bytes beside strings", ["a", "b"], [b"a", b"b"], "predictions.*same type.*bytes"),
    _refused("beyond 64 bits", [2**64, 1], [1, 1], "references.*64 bits.*18446744073709551616"),
    _refused("nan", [1.0, 2.0], [1.0, float("nan")], "predictions.*nan.*missing"),
    _refused("a missing reference", ["a", None], ["a"] * 2, "references.*missing", **wrong(*"ab")),
    _refused("no samples", [], [], "at least one|must be a sample"),
    _refused("a reference outside labels", ["a", "c"], ["a", "a"], "'c'.*", labels=["a", "b"]),
    _refused("a prediction outside labels", ["a", "b"], ["a", "?"], r"'\?'", labels=["a", "b"]),
    _refused("all ignored", [-100, -100], [0, 1], "none is left", ignore_index=-100),
    _refused("weights that sum to 0", [0, 1], [0, 1], "none is left", sample_weight=[0.0, 0.0]),
    _refused("a negative weight", [0, 1], [0, 1], r"weight.*-1\.0", sample_weight=[1.0, -1.0]),
]

WITH_GAP = {  # one missing prediction, and one that is no class
    "text": (list("abab"), ["a", "b", None, "?"]),
    "floats": ([0, 1, 0, 1], np.array([0, 1, np.nan, 7])),
    "integers of pandas": ([0, 1, 0, 1], pd.array([0, 1, None, 7], dtype="Int64")),
    "a masked array": ([0, 1, 0, 1], np.ma.array([0, 1, 0, 7], mask=[0, 0, 1, 0])),
}
TWO_WRONG = {"counted": ([1, 0, 1, 0], [1, 0, 2, 2]), "k": 2}
IGNORED = {"counted": ([0, 1, 0, 1], [0, 1, 1, 1]), "ignore_index": -100}
REPEATED = [0, 0, 1, 0, 0, 0], [0, 0, 1, 1, 1, 1]
DEGENERATE = [
    _scored("never predicted", [0, 0, 1], [0, 0, 0]),
    _scored("predicted but not in the references", list("abab"), list("abcb")),
    _scored("one class", ["a", "a"], ["a", "a"]),
    _scored("one class, two predicted", ["a", "a"], ["a", "b"]),
    _scored("one sample", [3], [3]),
    _scored("nothing in common", ["a", "b"], ["c", "d"]),
    _scored("wrong if unknown", [*"abab"], ["a", "b", "?", "x"], **TWO_WRONG, **wrong(*"ab")),
    *(
        _scored(f"wrong if missing, {name}", r, p, **TWO_WRONG, **wrong(*r[:2]))
        for name, (r, p) in WITH_GAP.items()
    ),
    _scored("a class that the samples miss", [0, 1, 0, 1], [0, 1, 1, 1], k=3, labels=[2, 1, 0]),
    _scored("padding is ignored", [0, 1, -100, 0, 1], [0, 1, 1, 1, 1], **IGNORED),
    _scored("weights", [0, 1, 0, 2], [0, 1, 1, 0], REPEATED, sample_weight=[2, 1, 3, 0]),
    _scored(
        "a weight of 1e-18 beside 1",
        *([0, 0, 1, 1], [0, 1, 0, 1], ([0, 1, 1], [0, 0, 1])),
        sample_weight=[1.0, 1e-18, 1.0, 1.0],
    ),
    _scored("answers that never repeat", ["a", "b"] * 20, [f"answer {n}" for n in range(40)]),
]

CASES = [*_golden(), *HARD_LABELS, *DEGENERATE, *REFUSED]
