"""Laws that hold for every table, drawn by hypothesis; numbers are in `test_golden.py`."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import by_table
from golden import close
from informedness import ContingencyTable
from tables import table_of_labels

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:informedness. ")]


def law(**drawn):
    """Mark a test that holds for whatever is drawn; the same examples are drawn every time."""
    return lambda test: settings(max_examples=60, deadline=None, derandomize=True)(
        given(**drawn)(test)
    )


AVERAGES = ("bias", "prevalence", "macro")

classes = st.integers(0, 4)
pairs = st.lists(st.tuples(classes, classes), min_size=1, max_size=40)
several_counts = st.lists(st.integers(1, 9), min_size=2, max_size=5)


def table_of(samples, **options):
    """Return the table of (reference, prediction) or (reference, prediction, weight) samples."""
    references, predictions, *sample_weight = zip(*samples, strict=True)
    if sample_weight:
        options["sample_weight"] = sample_weight[0]
    return table_of_labels(references, predictions, **options)


def scores(table):
    """Return every score of this project's own."""
    found = {
        (name, average): getattr(by_table, name)(table, average=average)
        for name in ("informedness", "markedness")
        for average in AVERAGES
    }
    found |= {name: getattr(by_table, name)(table) for name in ("nit", "ema")}
    found |= by_table.entropies(table)._asdict() | by_table.entropy_triangle(table)._asdict()
    return found


def close_to(found):
    return pytest.approx(found, rel=0, abs=1e-12, nan_ok=True)


@law(
    samples=st.lists(st.tuples(classes, classes, st.integers(1, 5)), min_size=1, max_size=20),
    names=st.permutations("vwxyz"),
    order=st.permutations(range(5)),
    scale=st.sampled_from([1e-9, 0.3, 7.0, 1e12]),
)
def test_names_order_and_unit_change_no_score_and_whole_weights_are_repetitions(
    samples, names, order, scale
):
    wanted = close_to(scores(table_of(samples)))
    assert scores(table_of([(names[i], names[j], w) for i, j, w in samples])) == wanted
    assert scores(table_of([(i, j, w * scale) for i, j, w in samples])) == wanted
    assert scores(table_of([(i, j) for i, j, times in samples for _ in range(times)])) == wanted
    # predictions may be renamed among themselves
    renamed = table_of([(i, order[j], w) for i, j, w in samples])
    assert by_table.nit(renamed) == close(by_table.nit(table_of(samples)))
    table, ordered = table_of(samples, labels=range(5)), table_of(samples, labels=order)
    assert scores(ordered) == close_to(scores(table))
    by_class = by_table.informedness(table, average=None)
    wanted = close([by_class[label] for label in order])
    assert by_table.informedness(ordered, average=None) == wanted


@law(rows=several_counts, data=st.data())
def test_guessing_of_any_shares_expects_0_and_of_one_class_is_exactly_0(rows, data):
    """The expected table of a guesser is r_i c_j / N; one class more may be guessed than is."""
    k = len(rows)
    columns = data.draw(
        st.lists(st.integers(0, 9), min_size=k + 1, max_size=k + 1).filter(any), label="columns"
    )
    constant = np.eye(k + 1, dtype=int)[data.draw(st.integers(0, k - 1))]
    for average in AVERAGES:
        table = ContingencyTable.from_matrix(np.outer([*rows, 0], columns))
        assert by_table.informedness(table, average=average) == close(0)
        assert by_table.nit(table) == close(1 / k)
        table = ContingencyTable.from_matrix(np.outer([*rows, 0], constant))
        assert by_table.informedness(table, average=average) == 0.0


@law(rows=several_counts, share=st.fractions(0, 1, max_denominator=20), data=st.data())
def test_right_with_probability_x_and_guessing_otherwise_is_x_and_perfect_is_1(rows, share, data):
    guesses = data.draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    assume(any(guesses))
    x, rest = share.numerator * sum(guesses), share.denominator - share.numerator
    expected = x * np.diag(rows) + rest * np.outer(rows, guesses)
    table, perfect = map(ContingencyTable.from_matrix, (expected, np.diag(rows)))
    for average in AVERAGES:
        assert by_table.informedness(table, average=average) == close(share)
        assert by_table.informedness(perfect, average=average) == close(1)
    shares = np.array(rows) / sum(rows)
    assert by_table.nit(perfect) == close(2 ** -(shares @ np.log2(shares)) / len(rows))
