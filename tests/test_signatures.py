"""Signatures: of samples without weights numbers that differ never share one; a setting has one."""

import itertools
import math

import numpy as np
import pytest

import by_table
from dense import SCORES
from estimate_cases import different_numbers_of_one_signature, table_of, to_9_digits
from informedness import estimate
from tables import table_of_labels, table_of_pairs

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


REFERENCES = [0, 0, 0, 0, 1, 1, 1, 2, 2, 0, -1, 1] * 5
PREDICTIONS = [0, 0, 1, 0, 1, 1, 0, 2, 1, 2, 1, 1] * 5
TABLE_SETTINGS = {
    "labels": [None, [-1, 0, 1, 2], [2, 1, 0, -1], [-1, 0, 1, 2, 3], [-1, 0, 1]],
    "ignore_index": [None, -1, 2],
    "unknown": ["error", "wrong"],
}


def walked_tables():
    """Yield the table of every combination of options that is valid, and what it ignores."""
    for values in itertools.product(*TABLE_SETTINGS.values()):
        options = dict(zip(TABLE_SETTINGS, values, strict=True))
        try:
            table = table_of_labels(REFERENCES, PREDICTIONS, **options)
        except ValueError:  # a label outside the classes
            continue
        yield table, options["ignore_index"]


def score_or_none(table, metric, options):
    """Return the score to 9 digits, or None for what is refused."""
    try:
        return to_9_digits(getattr(by_table, metric)(table, **options))
    except ValueError:
        return None


def priors_of(table):
    present = [table.labels[code] for code in np.flatnonzero(table.reference_totals)]
    total = len(present) * (len(present) + 1) / 2
    uneven = {label: (code + 1) / total for code, label in enumerate(present)}
    return None, dict.fromkeys(present, 1 / len(present)), uneven


@pytest.mark.slow
def test_numbers_of_samples_without_weights_that_differ_never_share_a_signature():
    def entries():
        for number, (table, ignored) in enumerate(walked_tables()):
            for metric, average in [*SCORES, ("informedness", None), ("markedness", None)]:
                ways = [{}]
                if metric in ("informedness", "markedness"):
                    ways = [{"average": average, "prior": prior} for prior in priors_of(table)]
                    ways += [way | {"prior_mode": "odds"} for way in ways[1:]]
                for way in ways:
                    line = by_table.signature(table, metric, ignore_index=ignored, **way)
                    yield line, score_or_none(table, metric, way), (metric, way, ignored)
            ways = [{"metric": "nit"}, *({"prior": prior} for prior in priors_of(table))]
            for way, level in itertools.product(ways, (0.95, 0.9, 0.90000000001)):
                if number % 2:
                    break
                made = estimate(table, ignore_index=ignored, **way, confidence_level=level)
                numbers = [made.value, made.standard_error, *made.confidence_interval]
                yield made.signature, to_9_digits(numbers), (way, level)

    assert different_numbers_of_one_signature(entries()) == []


def test_a_value_that_stands_in_for_an_undefined_one_is_in_the_signature():
    table = table_of([[5, 3], [0, 0]])
    for metric in ("informedness", "markedness"):
        warned, zero, nan = (
            by_table.signature(table, metric, zero_division=value)
            for value in ("warn", 0.0, math.nan)
        )
        assert warned == zero != nan


def test_signatures_read_as_they_are_documented():
    table = table_of_labels(["ham", "spam"], ["ham", "spam"])
    start, _, version = by_table.signature(table, "nit").rpartition("|")
    assert start == "nit|k:2|n:2|labels:observed"
    assert estimate(table, metric="nit").signature == f"{start}|ci:0.95|{version}"
    assert by_table.signature(table, "informedness", ignore_index="a|b") == (
        rf"informedness|avg:bias|k:2|n:2|labels:observed|ignore:'a\x7cb'|prior:test|{version}"
    )


def test_equal_settings_of_other_types_have_one_signature():
    table = table_of_labels([0, 1, 1], [0, 1, 0])
    priors = {0: 0.5, 1: 0.5}, {np.int8(1): 0.5, 0.0: np.float32(0.5)}, {True: 0.5, 0: 0.5}
    lines = {
        by_table.signature(table, "informedness", ignore_index=ignored, prior=prior)
        for ignored in (-100, -100.0, np.int64(-100))
        for prior in priors
    }
    assert len(lines) == 1


def test_the_order_in_which_weights_were_summed_is_not_in_the_signature():
    """Even where a sum lies halfway between two roundings."""
    lines = set()
    for last in (1234.565, math.nextafter(1234.565, 0), math.nextafter(1234.565, 9999)):
        table = table_of_pairs([0, 1], [0, 1], [last, 0.5], squared_weights=[9, 1])
        lines.add(by_table.signature(table, "nit"))
    assert len(lines) == 1


def test_the_sum_of_weights_and_all_digits_of_the_level_are_in_the_signature():
    lines = set()
    for third in (0.5, 1):
        weights = [1.5, 2.5, third]
        table = table_of_pairs([0, 1, 1], [0, 1, 0], weights, squared_weights=[1, 2, third])
        for level in (0.99, 0.9994, 0.9994 + 1e-12):
            lines.add(estimate(table, confidence_level=level).signature)
    assert len(lines) == 6
