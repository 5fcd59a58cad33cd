"""Signatures: of samples without weights numbers that differ never share one; a setting has one.

Covers src: inference/score.py.
"""

import itertools
import math
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest

from informedness import estimate
from inputs.tables import score_of, signature, table_of, table_of_labels, table_of_pairs
from oracles.dense import SCORES

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")

REFERENCES = [0, 0, 0, 0, 1, 1, 1, 2, 2, 0, -1, 1] * 5
PREDICTIONS = [0, 0, 1, 0, 1, 1, 0, 2, 1, 2, 1, 1] * 5
OF_CLASSES = "informedness", "markedness"
CLASSES = [-1, 0, 1, 2], [2, 1, 0, -1], [-1, 0, 1, 2, 3], [-1, 0, 1]


def walked():
    """Yield signature, numbers and options: of tables by all options, averages and priors."""
    outside = itertools.product(CLASSES, [None, -1, 2], ["error", "wrong"])
    for number, (labels, ignored, unknown) in enumerate([(None, None, "error"), *outside]):
        options = {"labels": labels, "ignore_index": ignored, "unknown": unknown}
        try:
            table = table_of_labels(REFERENCES, PREDICTIONS, **options)
        except ValueError:  # a label outside the classes
            continue
        there = [x for x in (-1, 0, 1, 2) if x != ignored]
        priors = [
            {},
            *({"prior": dict(zip(there, x, strict=False))} for x in ([1] * 4, [1, 2, 3, 4])),
        ]
        of_averages = [*SCORES, ("informedness", None), ("markedness", None)]
        for (metric, average), prior in itertools.product(of_averages, priors):
            way = prior | {"average": average} if metric in OF_CLASSES else {}
            for mode in ({}, {"prior_mode": "odds"})[: 1 + (metric == "informedness")]:
                line = signature(table, metric, ignore_index=ignored, **way, **mode)
                with suppress(ValueError):  # of answers that are no class it is not known
                    yield line, score_of(table, metric, **way, **mode), (metric, way, mode)
        ways = [{"metric": "nit"}, *priors] if number % 2 else []
        for way, level in itertools.product(ways, (0.95, 0.9, 0.90000000001)):
            made = estimate(table, ignore_index=ignored, **way, confidence_level=level)
            numbers = [made.value, made.standard_error, *made.confidence_interval]
            yield made.signature, numbers, (way, level)


@pytest.mark.slow
def test_signatures_differ_if_n_samples_differ():
    seen = {}
    for line, found, options in walked():
        numbers = repr(np.round(np.array(found, dtype=float), 9).tolist())
        assert seen.setdefault(line, (numbers, options))[0] == numbers, (seen[line], options)
    assert len(seen) > 100


def test_signatures_read_as_they_are_documented():
    table = table_of_labels(["ham", "spam"], ["ham", "spam"])
    start, _, version = signature(table, "nit").rpartition("|")
    assert start == "nit|k:2|n:2|labels:observed"
    assert estimate(table, metric="nit").signature == f"{start}|ci:0.95|{version}"
    assert signature(table, "informedness", ignore_index="a|b") == (
        rf"informedness|avg:bias|k:2|n:2|labels:observed|ignore:'a\x7cb'|prior:none|{version}"
    )


def test_equal_settings_of_other_types_share_a_signature():
    table = table_of_labels([0, 1, 1], [0, 1, 0])
    priors = {0: 0.2, 1: 0.8}, {np.int8(1): 0.8, 0.0: Fraction(1, 5)}, {True: 0.8, 0: 0.2}
    ignored, counts = (-100, -100.0, np.int64(-100)), {np.uint8(1): 4, 0: 1.0}
    found = {
        (signature(table, "informedness", ignore_index=x, prior=y), table.informedness(prior=y))
        for x, y in itertools.product(ignored, (*priors, counts))
    }
    assert len(found) == 1
    # even where a sum lies halfway between two roundings
    sums = (1234.565, math.nextafter(1234.565, 0), math.nextafter(1234.565, 9999))
    tables = [table_of_pairs([0, 1], [0, 1], [x, 0.5], squared_weights=[9, 1]) for x in sums]
    assert len({signature(table, "nit") for table in tables}) == 1


def test_the_signature_has_weights_level_and_zero_division():
    levels, lines = (0.99, 0.9994, 0.9994 + 1e-12), set()
    for last, level in itertools.product((0.5, 1), levels):
        weights = {"sample_weight": [1.5, 2.5, last]}
        lines.add(estimate([0, 1, 1], [0, 1, 0], **weights, confidence_level=level).signature)
    assert len(lines) == 6
    for metric in OF_CLASSES:
        warned, zero, nan = (
            signature(table_of([[5, 3], [0, 0]]), metric, zero_division=value)
            for value in ("warn", 0.0, math.nan)
        )
        assert warned == zero != nan
