"""Laws that hold for every table, drawn by hypothesis; numbers are in `test_golden.py`."""

import math
import random
from fractions import Fraction
from itertools import chain

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import by_table
from golden import close
from informedness import ContingencyTable, informedness_score, nit_score

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


def law(**drawn):
    """Mark a test that holds for whatever is drawn; the same examples are drawn every time."""
    return lambda test: settings(max_examples=60, deadline=None, derandomize=True)(
        given(**drawn)(test)
    )


AVERAGES = ("bias", "prevalence", "macro")
SCORES = {
    **{
        f"informedness {average}": lambda table, average=average: by_table.informedness(
            table, average=average
        )
        for average in AVERAGES
    },
    **{
        f"markedness {average}": lambda table, average=average: by_table.markedness(
            table, average=average
        )
        for average in AVERAGES
    },
    "NIT": by_table.nit,
    "EMA": by_table.ema,
    "entropies": lambda table: list(by_table.entropies(table)),
    "entropy triangle": lambda table: list(by_table.entropy_triangle(table)),
}

classes = st.integers(0, 4)
pairs = st.lists(st.tuples(classes, classes), min_size=1, max_size=40)
weights = st.integers(1, 64).map(lambda eighths: eighths / 8)  # sums of them are exact
weighted = st.lists(st.tuples(classes, classes, weights), min_size=1, max_size=40)
matrices = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=k, max_size=k)
)
several_counts = st.lists(st.integers(1, 9), min_size=2, max_size=5)


def table_of(samples, **options):
    """Return the table of (reference, prediction) or (reference, prediction, weight) samples."""
    references, predictions, *sample_weight = zip(*samples, strict=True)
    if sample_weight:
        options["sample_weight"] = sample_weight[0]
    return ContingencyTable.from_labels(references, predictions, **options)


def table_of_matrix(matrix):
    assume(any(map(any, matrix)))
    return ContingencyTable.from_matrix(matrix)


def without_a_score(value):
    return pytest.approx(value, rel=0, abs=1e-12, nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
@law(samples=pairs, names=st.permutations("vwxyz"))
def test_renaming_the_classes_changes_no_score(score, samples, names):
    renamed = [(names[i], names[j]) for i, j in samples]
    assert score(table_of(renamed)) == without_a_score(score(table_of(samples)))


@pytest.mark.slow
@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
@law(samples=pairs, order=st.permutations(range(5)))
def test_the_order_of_labels_changes_no_score(score, samples, order):
    wanted = score(table_of(samples, labels=range(5)))
    assert score(table_of(samples, labels=order)) == without_a_score(wanted)


@law(samples=pairs, order=st.permutations(range(5)))
def test_scores_by_class_follow_the_order_of_labels(samples, order):
    by_class = by_table.informedness(table_of(samples, labels=range(5)), average=None)
    ordered = by_table.informedness(table_of(samples, labels=order), average=None)
    assert ordered == close([by_class[label] for label in order])


@law(samples=pairs, seed=st.randoms(use_true_random=False))
def test_the_order_of_the_samples_makes_no_table(samples, seed):
    shuffled = list(samples)
    seed.shuffle(shuffled)
    assert table_of(shuffled) == table_of(samples)


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"labels": [4, 2, 0, 1, 3]}], ids=["seen", "declared"])
@law(chunks=st.lists(pairs, min_size=2, max_size=4))
def test_merged_tables_are_the_table_of_the_samples_together(options, chunks):
    tables = [table_of(chunk, **options) for chunk in chunks]
    assert sum(tables[1:], tables[0]) == table_of(list(chain(*chunks)), **options)


@law(chunks=st.lists(weighted, min_size=2, max_size=4))
def test_merged_weighted_tables_are_the_table_of_the_samples_together(chunks):
    tables = [table_of(chunk) for chunk in chunks]
    merged = sum(tables[1:], tables[0])
    assert merged == table_of(list(chain(*chunks)))
    assert merged.squared_weights.sum() == sum(w**2 for chunk in chunks for *_, w in chunk)


@law(plain=pairs, heavy=weighted)
def test_a_plain_table_merges_with_a_weighted_one_as_weights_of_1(plain, heavy):
    ones = [(i, j, 1.0) for i, j in plain]
    assert table_of(plain) + table_of(heavy) == table_of(ones + heavy)
    assert table_of(heavy) + table_of(plain) == table_of(heavy + ones)


@pytest.mark.slow
@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
@law(samples=st.lists(st.tuples(classes, classes, st.integers(0, 5)), min_size=1, max_size=20))
def test_whole_weights_are_repetitions(score, samples):
    repeated = [(i, j) for i, j, times in samples for _ in range(times)]
    assume(repeated)
    assert score(table_of(samples)) == without_a_score(score(table_of(repeated)))


@pytest.mark.slow
@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
@law(samples=weighted, scale=st.sampled_from([1e-9, 0.3, 7.0, 1e12]))
def test_the_unit_of_the_weights_changes_no_score(score, samples, scale):
    scaled = [(i, j, w * scale) for i, j, w in samples]
    assert score(table_of(scaled)) == without_a_score(score(table_of(samples)))


@pytest.mark.parametrize("average", AVERAGES)
@law(counts=several_counts)
def test_perfect_is_1(average, counts):
    table = ContingencyTable.from_matrix(np.diag(counts))
    assert by_table.informedness(table, average=average) == close(1)
    assert by_table.markedness(table, average=average) == close(1)
    assert by_table.ema(table) == close(1)
    shares = np.array(counts) / sum(counts)
    assert by_table.nit(table) == close(2 ** -(shares @ np.log2(shares)) / len(counts))


@pytest.mark.parametrize("average", AVERAGES)
@law(counts=several_counts, data=st.data())
def test_a_constant_guesser_is_exactly_0(average, counts, data):
    guess = data.draw(st.integers(0, len(counts) - 1))
    references = np.repeat(np.arange(len(counts)), counts)
    predictions = np.full(len(references), guess)
    assert informedness_score(references, predictions, average=average) == 0.0
    assert nit_score(references, predictions) == close(1 / len(counts))


@pytest.mark.parametrize("average", AVERAGES)
@law(rows=several_counts, data=st.data())
def test_guessing_of_any_shares_expects_0(average, rows, data):
    """The expected table of a guesser is r_i c_j / N; one class more may be guessed than is."""
    k = len(rows)
    columns = data.draw(
        st.lists(st.integers(0, 9), min_size=k + 1, max_size=k + 1).filter(any), label="columns"
    )
    table = ContingencyTable.from_matrix(np.outer([*rows, 0], columns))
    assert by_table.informedness(table, average=average) == close(0)
    assert by_table.nit(table) == close(1 / k)


@pytest.mark.slow
@pytest.mark.parametrize("average", AVERAGES)
@law(rows=several_counts, share=st.fractions(0, 1, max_denominator=20), data=st.data())
def test_right_with_probability_x_and_guessing_otherwise_is_x(average, rows, share, data):
    k, total = len(rows), sum(rows)
    guesses = data.draw(st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any))
    expected = [
        [
            total * sum(guesses) * (share * (i == j) + (1 - share) * Fraction(c, sum(guesses))) * r
            for j, c in enumerate(guesses)
        ]
        for i, r in enumerate(rows)
    ]
    whole = [[int(n * share.denominator) for n in row] for row in expected]
    table = ContingencyTable.from_matrix(whole)
    assert by_table.informedness(table, average=average) == close(share)


@law(hits=st.tuples(*[st.integers(0, 9)] * 2), misses=st.tuples(*[st.integers(1, 9)] * 2))
def test_two_classes_are_youdens_j_under_every_average(hits, misses):
    table = ContingencyTable.from_matrix([[hits[0], misses[0]], [misses[1], hits[1]]])
    recalls = [hit / (hit + miss) for hit, miss in zip(hits, misses, strict=True)]
    for average in AVERAGES:
        assert by_table.informedness(table, average=average) == close(sum(recalls) - 1)
    assert by_table.balanced_accuracy(table) == close(sum(recalls) / 2)


@law(matrix=matrices)
def test_no_score_by_class_is_beyond_1(matrix):
    table = table_of_matrix(matrix)
    for score in (by_table.informedness, by_table.markedness):
        assert all(-1 <= value <= 1 for value in score(table, average=None))


@law(samples=weighted)
def test_a_table_transposed_twice_is_the_table(samples):
    table = table_of(samples)
    assert table.transpose().transpose() == table
    assert table.transpose() == table_of([(j, i, w) for i, j, w in samples])


@law(matrix=matrices)
def test_markedness_is_informedness_of_the_transposed_table_with_the_margins_swapped(matrix):
    table = table_of_matrix(matrix)
    for average, swapped in (
        ("bias", "prevalence"),
        ("prevalence", "bias"),
        ("macro", "macro"),
        (None, None),
    ):
        marked = by_table.markedness(table, average=average)
        assert marked == close(by_table.informedness(table.transpose(), average=swapped))


@law(matrix=matrices)
def test_nit_lies_between_chance_and_what_the_references_hold(matrix):
    table = table_of_matrix(matrix)
    k = sum(map(any, matrix))
    best = 2 ** by_table.entropies(table).reference / k
    assert 1 / k - 1e-12 <= by_table.nit(table) <= min(best + 1e-12, 1.0)
    assert best <= 1 + 1e-12


@law(matrix=matrices)
def test_nit_is_the_entropy_modulated_accuracy_times_the_perplexity_of_the_references(matrix):
    table = table_of_matrix(matrix)
    k = sum(map(any, matrix))
    wanted = by_table.ema(table) * 2 ** by_table.entropies(table).reference / k
    assert by_table.nit(table) == close(wanted)


@law(samples=pairs, names=st.permutations(range(5)))
def test_nit_does_not_see_predictions_renamed_consistently(samples, names):
    renamed = [(i, names[j]) for i, j in samples]
    assert by_table.nit(table_of(renamed)) == close(by_table.nit(table_of(samples)))


@law(samples=pairs)
def test_entropies_fit_together(samples):
    table = table_of(samples)
    h, mi = by_table.entropies(table), by_table.mutual_information(table)
    assert min(*h, mi) >= 0
    assert h.joint == close(h.reference + h.prediction_given_reference)
    assert h.joint == close(h.prediction + h.reference_given_prediction)
    assert mi == close(h.reference + h.prediction - h.joint)


@law(matrix=matrices)
def test_the_entropy_triangle_sums_to_1_with_no_coordinate_below_0(matrix):
    coordinates = by_table.entropy_triangle(table_of_matrix(matrix))
    square = np.array(matrix)
    if (square.any(axis=0) | square.any(axis=1)).sum() == 1:
        assert all(map(math.isnan, coordinates))
    else:
        assert sum(coordinates) == close(1)
        assert min(coordinates) >= 0


@law(samples=pairs)
def test_every_way_into_the_table_makes_the_same_one(samples):
    table = table_of(samples, labels=range(5))
    references, predictions = zip(*samples, strict=True)
    counted = ContingencyTable.from_counts(
        references, predictions, [1] * len(samples), labels=range(5)
    )
    assert counted == table
    assert ContingencyTable.from_matrix(table.to_dense(), labels=range(5)) == table


@law(samples=weighted)
def test_a_matrix_with_its_squared_weights_makes_the_weighted_table(samples):
    table = table_of(samples, labels=range(5))
    squares = np.zeros((5, 5))
    squares[table.rows, table.columns] = table.squared_weights
    rebuilt = ContingencyTable.from_matrix(
        table.to_dense(), labels=range(5), squared_weights=squares
    )
    assert (rebuilt.counts == table.counts).all()
    assert (rebuilt.squared_weights == table.squared_weights).all()


@law(samples=pairs)
def test_margins_and_diagonal_are_those_of_the_samples(samples):
    table = table_of(samples, labels=range(5))
    references, predictions = zip(*samples, strict=True)
    assert table.reference_totals.tolist() == [references.count(c) for c in range(5)]
    assert table.prediction_totals.tolist() == [predictions.count(c) for c in range(5)]
    assert table.hits.tolist() == [samples.count((c, c)) for c in range(5)]
    assert table.total == table.n_samples == len(samples)


def test_a_random_guesser_scores_0_on_average():
    """Mean of 400 guessers on 50 samples: its standard error is below .01."""
    draw = random.Random(0)
    references = [0] * 30 + [1] * 15 + [2] * 5
    guesses = [[draw.choices(range(3), (1, 2, 3))[0] for _ in references] for _ in range(400)]
    scores = [informedness_score(references, guess) for guess in guesses]
    assert abs(sum(scores)) / 400 < 0.03


def test_nothing_allocates_a_square_of_many_classes():
    """50000 classes squared would be 20 GB."""
    labels = np.arange(50_000)
    table = ContingencyTable.from_labels(labels, np.roll(labels, 1))
    assert by_table.informedness(table) == close(-1 / 49_999)
    assert by_table.nit(table) == close(1)
