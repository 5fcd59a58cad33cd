"""Signatures: numbers that differ never share one, and one setting has one."""

import itertools
import math

import numpy as np
import pytest

import by_table
from dense import SCORES
from estimate_cases import different_numbers_of_one_signature, table_of, to_9_digits
from informedness import ContingencyTable, estimate

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


WALK_REFERENCES = [0, 0, 0, 0, 1, 1, 1, 2, 2, 0, -1, 1] * 5
WALK_PREDICTIONS = [0, 0, 1, 0, 1, 1, 0, 2, 1, 2, 1, 1] * 5
ONES = [1.0] * 60
CYCLE, LATER = ([*([0.5, 2, 1, 0.5] * 15)[shift:], *([0.5, 2, 1, 0.5] * 15)[:shift]]
                for shift in (0, 1))  # fmt: skip
TABLE_SETTINGS = {
    "labels": [None, [-1, 0, 1, 2], [2, 1, 0, -1], [-1, 0, 1, 2, 3], [-1, 0, 1]],
    "ignore_index": [None, -1, 2],
    "sample_weight": [None, ONES, CYCLE, LATER, [2 * x for x in CYCLE]],
}


def walked_tables():
    for values in itertools.product(*TABLE_SETTINGS.values()):
        options = dict(zip(TABLE_SETTINGS, values, strict=True))
        for unknown in ("error", "wrong"):
            try:
                table = ContingencyTable.from_labels(
                    WALK_REFERENCES, WALK_PREDICTIONS, unknown=unknown, **options
                )
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
    even = dict.fromkeys(present, 1 / len(present))
    uneven = {x: (code + 1) for code, x in enumerate(present)}
    total = sum(uneven.values())
    return None, even, {x: share / total for x, share in uneven.items()}


@pytest.mark.slow
def test_scores_that_differ_never_share_a_signature():
    def entries():
        for table, ignored in walked_tables():
            for metric, average in [*SCORES, ("informedness", None), ("markedness", None)]:
                for prior in priors_of(table) if metric in ("informedness", "markedness") else [{}]:
                    for mode in ("reweight", "odds") if prior else ("reweight",):
                        options = {}
                        if metric in ("informedness", "markedness"):
                            options = {"average": average, "prior": prior, "prior_mode": mode}
                        yield (
                            by_table.signature(table, metric, ignore_index=ignored, **options),
                            score_or_none(table, metric, options),
                            (metric, options, ignored, table.labels),
                        )

    assert different_numbers_of_one_signature(entries()) == []


@pytest.mark.slow
def test_estimates_that_differ_never_share_a_signature():
    ways = [
        {"metric": "informedness"},
        {"metric": "informedness", "average": "macro"},
        {"metric": "nit"},
    ]
    of_intervals = [{}, {"confidence_level": 0.9}, {"confidence_level": 0.90000000001}]

    def numbers(made):
        return [made.value, made.standard_error, *made.confidence_interval]

    def entries():
        for table, ignored in itertools.islice(walked_tables(), None, None, 2):
            for way, of_interval in itertools.product(ways, of_intervals):
                priors = priors_of(table) if way["metric"] == "informedness" else [None]
                for prior in priors:
                    options = {**way, **of_interval, "prior": prior}
                    made = estimate(table, ignore_index=ignored, **options)
                    yield made.signature, to_9_digits(numbers(made)), options

    assert different_numbers_of_one_signature(entries()) == []


def test_a_value_that_stands_in_for_an_undefined_one_is_in_the_signature():
    table = table_of([[5, 3], [0, 0]])
    for metric in ("informedness", "markedness"):
        lines = [
            by_table.signature(table, metric, zero_division=value)
            for value in ("warn", 0.0, math.nan)
        ]
        assert lines[0] == lines[1] != lines[2]


def test_signatures_read_as_they_are_documented():
    labels = ["ham", "spam"]
    table = ContingencyTable.from_labels(labels, labels)
    version = by_table.signature(table, "nit").rpartition("|")[2]
    line = by_table.signature(table, "informedness", ignore_index="a|b")
    assert (
        line
        == rf"informedness|avg:bias|k:2|n:2|labels:observed|ignore:'a\x7cb'|prior:test|{version}"
    )
    made = estimate(table, "nit")
    assert made.signature == f"nit|k:2|n:2|labels:observed|ci:0.95|{version}"
    assert "|labels:" in by_table.signature(
        ContingencyTable.from_labels(labels, labels, labels=labels), "nit"
    )


def test_equal_settings_of_other_types_have_one_signature():
    table = ContingencyTable.from_labels([0, 1, 1], [0, 1, 0])
    lines = {
        by_table.signature(table, "informedness", ignore_index=ignored, prior=prior)
        for ignored in (-100, -100.0, np.int64(-100))
        for prior in (
            {0: 0.5, 1: 0.5},
            {np.int8(1): 0.5, 0.0: np.float32(0.5)},
            {True: 0.5, 0: 0.5},
        )
    }
    assert len(lines) == 1


def test_the_order_in_which_weights_were_summed_is_not_in_the_signature():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 4, (2, 5000))
    weights = rng.integers(1, 10_000, 5000) / 1000
    lines, totals = set(), set()
    for _ in range(20):
        order = rng.permutation(5000)
        samples = references[order], predictions[order], weights[order]
        tables = [
            ContingencyTable.from_labels(r, p, sample_weight=w)
            for r, p, w in zip(*(np.array_split(side, 7) for side in samples), strict=True)
        ]
        table = sum(tables[1:], tables[0])
        totals.add(table.total)
        lines.add(estimate(table).signature)
    assert len(totals) > 1
    assert len(lines) == 1


def test_a_sum_halfway_between_two_roundings_is_written_in_one_way():
    lines = set()
    for last in (1234.565, math.nextafter(1234.565, 0), math.nextafter(1234.565, 9999)):
        table = ContingencyTable.from_counts([0, 1], [0, 1], [last, 0.5], squared_weights=[9, 1])
        lines.add(by_table.signature(table, "nit"))
    assert len(lines) == 1


def test_squared_weights_and_all_digits_of_the_level_are_in_the_signature():
    lines = {
        estimate(
            ContingencyTable.from_counts(
                [0, 1, 1], [0, 1, 0], [1.5, 2.5, 1], squared_weights=[1, 2, third]
            ),
            confidence_level=level,
        ).signature
        for third in (0.5, 1)
        for level in (0.99, 0.9994, 0.9994 + 1e-12)
    }
    assert len(lines) == 6
