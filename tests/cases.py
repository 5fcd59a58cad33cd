"""One file of cases, which every path to a score must answer alike: a value or a refusal.

Values are computed here from the samples, in exact fractions (Informedness) and plain `math` (NIT),
or stand in the golden vectors; nothing of the package is used.
"""

import math
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from golden import VECTORS


@dataclass(frozen=True)
class Case:
    """Inputs, and what each path must make of them."""

    id: str
    references: Any
    predictions: Any
    options: dict[str, Any] = field(default_factory=dict)
    informedness: float | None = None
    nit: float | None = None
    refusal: str | None = None
    """A regular expression that the error's text matches."""


def informedness(references: list[Any], predictions: list[Any]) -> float:
    """Return sum over c of bias_c (TPR_c - FPR_c), exactly; 0 for a class without references."""
    n = len(references)
    rows, columns = Counter(references), Counter(predictions)
    hits = Counter(r for r, p in zip(references, predictions, strict=True) if r == p)
    return float(
        sum(
            Fraction(columns[c], n)
            * (Fraction(hits[c], rows[c]) - Fraction(columns[c] - hits[c], n - rows[c]))
            for c in columns
            if rows[c]
        )
    )


def nit(references: list[Any], predictions: list[Any], k: int | None = None) -> float:
    """Return 2^MI / k, with k the classes of the references unless given."""
    n = len(references)
    rows, columns = Counter(references), Counter(predictions)
    cells = Counter(zip(references, predictions, strict=True))
    information = math.fsum(
        m / n * math.log2(m * n / (rows[r] * columns[c])) for (r, c), m in cells.items()
    )
    return 2**information / (k or len(rows))


def _golden() -> list[Case]:
    cases = []
    for vector in VECTORS:
        if vector.is_counts:
            references, predictions = vector.samples()
            options = {}
        else:
            references, predictions, weights = vector.weighted_samples()
            options = {"sample_weight": weights}
        exact = vector.exact["informedness"]
        cases.append(
            Case(
                f"golden {vector.id}",
                references,
                predictions,
                options,
                informedness=0.0 if exact is None else float(exact),
                nit=vector.info["NIT_k_ref"],
            )
        )
    return cases


def _labels(name: str, *labels: Any, box: Any = list) -> Case:
    """A case whose references and predictions are these labels, in a fixed pattern of hits."""
    pattern = [(0, 0), (0, 1), (1, 1), (1, 1), (1, 0), (0, 0), (1, 1)]
    if len(labels) > 2:
        pattern += [(2, 2), (2, 0), (2, 2), (0, 2)]
    codes = tuple(zip(*pattern, strict=True))
    return Case(
        name,
        *(box([labels[code] for code in column]) for column in codes),
        informedness=informedness(*codes),
        nit=nit(*codes),
    )


def _refused(name: str, references: Any, predictions: Any, text: str, **options: Any) -> Case:
    return Case(name, references, predictions, options, refusal=text)


def _reindexed(labels: list[Any]) -> pd.Series:
    return pd.Series(labels, index=range(5, 5 + len(labels)))


HARD_LABELS = [
    _labels("'001' beside '1'", "001", "1"),
    _labels("'1', '1.0' and '01'", "1", "1.0", "01"),
    _labels("2**63-1 beside 2**63", 2**63 - 1, 2**63),
    _labels("2**63-1 beside 2**63-2", 2**63 - 1, 2**63 - 2),
    _labels("-1, 2**63 and 2**64-1", -1, 2**63, 2**64 - 1),
    _labels("2**53 beside 2**53+1", 2**53, 2**53 + 1),
    _labels("-2**63 and 2**31", -(2**63), 2**31, 0),
    _labels("uint8 255", 255, 0, box=lambda labels: np.array(labels, dtype=np.uint8)),
    _labels("a re-indexed Series", "a", "b", "c", box=_reindexed),
    _labels("a re-indexed Series of integers", 3, 1, 2, box=_reindexed),
    _labels("bytes", b"a", b"b\xff", b"a\x00"),
    _labels("look-alikes", "a", "а"),  # noqa: RUF001 the second is Cyrillic
    _labels("composed and decomposed", "\u00e9", "e\u0301"),
    _labels("a trailing NUL", "a", "a\x00"),
    _labels("blanks", "a", " a", "a "),
    _labels("an empty string", "", "x"),
    _labels("'nan', 'None' and 'null'", "nan", "None", "null"),
    _labels("a label with line break, quote and comma", "a\nb", 'a"b', "a,b"),
    _labels("a label of 100,000 characters", "x" * 100_000, "y"),
    _labels("bools", True, False),
    _labels("floats that are whole", 1.0, 2.0, 0.0),
    Case(
        "bool beside int",
        [True, 0, 1, False],
        [1, 0, False, 0],
        informedness=0.5,
        nit=nit([1, 0, 1, 0], [1, 0, 0, 0]),
    ),
    Case("-0.0 is 0", [-0.0, 1.0], [0, 1], informedness=1.0, nit=1.0),
]

REFUSED = [
    _refused("None in predictions", ["a", "b"], ["a", None], "predictions.*None.*missing"),
    _refused("None in references", [1, None], [1, 1], "references.*(None|nan).*missing"),
    _refused(
        "a score for a label",
        [1, 0],
        [1, 0.7],
        r"predictions.*0\.7.*a score, not a label: .*argmax.*\(np\.ravel\(logits\) > 0\)",
    ),
    _refused("a string in last place", [1, 0, 1], [1, 0, "x"], "type.*'x'|'x'.*type"),
    _refused("a string in first place", [1, 0, 1], ["x", 0, 1], "type.*'x'|'x'.*type"),
    _refused("strings beside integers", ["a", "b"], [0, 1], "predictions.*same type.*integers"),
    _refused("bytes beside strings", ["a", "b"], [b"a", b"b"], "predictions.*same type.*bytes"),
    _refused("beyond 64 bits", [2**64, 1], [1, 1], "references.*64 bits.*18446744073709551616"),
    _refused("nan", [1.0, 2.0], [1.0, float("nan")], "predictions.*nan.*missing"),
    _refused("no samples", [], [], "at least one|must be a sample"),
    _refused("a reference outside labels", ["a", "c"], ["a", "a"], "'c'.*", labels=["a", "b"]),
    _refused("a prediction outside labels", ["a", "b"], ["a", "?"], r"'\?'", labels=["a", "b"]),
    _refused("all ignored", [-100, -100], [0, 1], "none is left", ignore_index=-100),
    _refused("weights that sum to 0", [0, 1], [0, 1], "none is left", sample_weight=[0.0, 0.0]),
    _refused("a negative weight", [0, 1], [0, 1], r"weight.*-1\.0", sample_weight=[1.0, -1.0]),
]

DEGENERATE = [
    Case("never predicted", [0, 0, 1], [0, 0, 0], informedness=0.0, nit=0.5),
    Case(
        "predicted but not in the references",
        ["a", "b", "a", "b"],
        ["a", "b", "c", "b"],
        informedness=0.25 * (0.5 - 0) + 0.5 * (1 - 0),
        nit=nit(["a", "b", "a", "b"], ["a", "b", "c", "b"]),
    ),
    Case("one class", ["a", "a"], ["a", "a"], informedness=0.0, nit=1.0),
    Case("one class, two predicted", ["a", "a"], ["a", "b"], informedness=0.0, nit=1.0),
    Case("one sample", [3], [3], informedness=0.0, nit=1.0),
    Case("nothing in common", ["a", "b"], ["c", "d"], informedness=0.0, nit=1.0),
    Case(
        "an unknown answer counts as wrong",
        ["yes", "no", "yes", "no"],
        ["yes", "no", "I cannot say", "it depends"],
        {"labels": ["yes", "no"], "unknown": "wrong"},
        informedness=0.25 * 0.5 + 0.25 * 0.5,
        nit=nit([1, 0, 1, 0], [1, 0, 2, 2], k=2),
    ),
    Case(
        "a class of the task that the samples miss",
        [0, 1, 0, 1],
        [0, 1, 1, 1],
        {"labels": [2, 1, 0]},
        informedness=0.5,
        nit=nit([0, 1, 0, 1], [0, 1, 1, 1], k=3),
    ),
    Case(
        "padding is ignored",
        [0, 1, -100, 0, 1],
        [0, 1, 1, 1, 1],
        {"ignore_index": -100},
        informedness=0.5,
        nit=nit([0, 1, 0, 1], [0, 1, 1, 1]),
    ),
    Case(
        "weights are repeats",
        [0, 1, 0, 2],
        [0, 1, 1, 0],
        {"sample_weight": [2, 1, 3, 0]},
        informedness=informedness([0, 0, 1, 0, 0, 0], [0, 0, 1, 1, 1, 1]),
        nit=nit([0, 0, 1, 0, 0, 0], [0, 0, 1, 1, 1, 1]),
    ),
    Case(
        "a weight of 1e-18 beside 1",
        [0, 0, 1, 1],
        [0, 1, 0, 1],
        {"sample_weight": [1.0, 1e-18, 1.0, 1.0]},
        informedness=informedness([0, 1, 1], [0, 0, 1]),
        nit=nit([0, 1, 1], [0, 0, 1]),
    ),
    Case(
        "answers that never repeat",
        ["a", "b"] * 20,
        [f"answer {number}" for number in range(40)],
        informedness=0.0,
        nit=1.0,
    ),
]

CASES = [*_golden(), *HARD_LABELS, *DEGENERATE, *REFUSED]
