"""Every golden vector, by every way into the table, within 1e-12 of its exact value."""

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

import numpy as np
import pytest

import by_table
from golden import BY_ID, VECTORS, Vector, close
from informedness import (
    ContingencyTable,
    UndefinedMetricWarning,
    ema_score,
    entropy_triangle,
    informedness_score,
    markedness_score,
    nit_score,
)

LETTERS = "abcdefghij"
INFORMEDNESS = {
    "bias": "informedness",
    "prevalence": "informedness_prevalence_weighted",
    "macro": "informedness_macro",
}
MARKEDNESS = {"prevalence": "markedness", "bias": "markedness_bias_weighted"}
ENTROPIES = ("H_ref", "H_pred", "H_joint", "H_ref_given_pred", "H_pred_given_ref")
TRIANGLE = ("DeltaH_prime", "twoMI_prime", "VI_prime")


def letters(codes: Iterable[int]) -> list[str]:
    return [LETTERS[code] for code in codes]


def matrix(vector: Vector) -> list[list[float]]:
    return [[int(n) if vector.is_counts else float(n) for n in row] for row in vector.table]


def from_matrix(vector: Vector) -> ContingencyTable:
    return ContingencyTable.from_matrix(matrix(vector))


def from_integers(vector: Vector) -> ContingencyTable:
    return ContingencyTable.from_labels(*vector.samples())


def from_strings(vector: Vector) -> ContingencyTable:
    return ContingencyTable.from_labels(*map(letters, vector.samples()))


def from_counts(vector: Vector) -> ContingencyTable:
    return ContingencyTable.from_counts(*zip(*vector.cells(), strict=True))


def from_weights(vector: Vector) -> ContingencyTable:
    references, predictions, weights = vector.weighted_samples()
    return ContingencyTable.from_labels(references, predictions, sample_weight=weights)


ALL_WAYS = (from_matrix, from_counts, from_weights)
COUNT_WAYS = (from_integers, from_strings)
WAYS = [(vector, way) for vector in VECTORS for way in ALL_WAYS]
WAYS += [(vector, way) for vector in VECTORS if vector.is_counts for way in COUNT_WAYS]


@pytest.fixture(scope="module", params=WAYS, ids=[f"{v.id}-{way.__name__}" for v, way in WAYS])
def golden(request: pytest.FixtureRequest) -> Iterator[tuple[Vector, ContingencyTable]]:
    vector, way = request.param
    return vector, way(vector)


UNDEFINED = "(is undefined|of one sample is)"


def check_undefined(score: Callable[..., float]) -> None:
    """Check that a score warns and is 0.0, or without a warning what `zero_division` says."""
    with pytest.warns(UndefinedMetricWarning, match=UNDEFINED):
        assert score() == 0.0
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=f".*{UNDEFINED}")
        assert score(zero_division=0.0) == 0.0
        assert math.isnan(score(zero_division=math.nan))


def test_the_table_is_that_of_the_vector_with_rows_as_references(golden):
    vector, table = golden
    assert table.to_dense() == pytest.approx(np.array(vector.table, dtype=float), rel=1e-15)
    assert len(table.labels) == vector.k


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("average", INFORMEDNESS)
def test_informedness(golden, average):
    vector, table = golden
    wanted = vector.exact[INFORMEDNESS[average]]
    if wanted is None:
        check_undefined(lambda **kw: by_table.informedness(table, average=average, **kw))
    else:
        assert by_table.informedness(table, average=average) == close(wanted)


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("average", MARKEDNESS)
def test_markedness(golden, average):
    vector, table = golden
    wanted = vector.exact[MARKEDNESS[average]]
    if wanted is None:
        check_undefined(lambda **kw: by_table.markedness(table, average=average, **kw))
    else:
        assert by_table.markedness(table, average=average) == close(wanted)


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_scores_by_class_are_those_of_the_vector_and_0_where_it_has_none(golden):
    vector, table = golden
    for score, key in (
        (by_table.informedness, "per_class_tpr_minus_fpr"),
        (by_table.markedness, "per_class_markedness"),
    ):
        wanted = [float(value or 0) for value in vector.exact[key]]
        assert score(table, average=None) == pytest.approx(wanted, rel=0, abs=1e-12)


def test_accuracy_and_correlation(golden):
    vector, table = golden
    assert by_table.accuracy(table) == close(vector.exact["accuracy"])
    # scikit-learn's convention stands in where the correlation is undefined
    assert by_table.matthews_corrcoef(table) == close(vector.decimal["mcc"] or 0)


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_information(golden):
    vector, table = golden
    info = vector.info
    assert list(by_table.entropies(table)) == [close(info[name]) for name in ENTROPIES]
    assert by_table.mutual_information(table) == close(info["MI_bits"])
    assert by_table.nit(table) == close(info["NIT_k_ref"])
    assert by_table.ema(table) == close(info["EMA"])
    assert list(by_table.entropy_triangle(table)) == [close(info[name]) for name in TRIANGLE]


@pytest.mark.filterwarnings("ignore:informedness. the score of one sample")
@pytest.mark.parametrize("vector", VECTORS, ids=BY_ID)
def test_declared_classes_all_count_in_the_k_of_nit(vector):
    table = ContingencyTable.from_matrix(matrix(vector), labels=letters(range(vector.k)))
    assert by_table.nit(table) == close(vector.info["NIT_k_table"])


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("name", [str, int])
@pytest.mark.parametrize("vector", VECTORS, ids=BY_ID)
def test_public_functions(vector, name):
    references, predictions, weights = vector.weighted_samples()
    names = [list(map(name, codes)) for codes in (references, predictions)]
    options = {"sample_weight": weights}
    for score, keys in ((informedness_score, INFORMEDNESS), (markedness_score, MARKEDNESS)):
        for average, key in keys.items():
            value = score(*names, average=average, zero_division=math.nan, **options)
            wanted = vector.exact[key]
            assert math.isnan(value) if wanted is None else value == close(wanted)
    info = vector.info
    declared = list(map(name, range(vector.k)))
    assert nit_score(*names, **options) == close(info["NIT_k_ref"])
    assert nit_score(*names, labels=declared, **options) == close(info["NIT_k_table"])
    assert ema_score(*names, **options) == close(info["EMA"])
    assert list(entropy_triangle(*names, **options)) == [close(info[name]) for name in TRIANGLE]


@pytest.mark.parametrize("vector", VECTORS, ids=BY_ID)
def test_default_weights_are_bias_for_informedness_and_prevalence_for_markedness(vector):
    table = from_matrix(vector)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert by_table.informedness(table) == close(vector.exact["informedness"] or 0)
        assert by_table.markedness(table) == close(vector.exact["markedness"] or 0)


@pytest.mark.parametrize("vector", VECTORS, ids=BY_ID)
def test_weighted_samples_leave_the_sum_of_their_squared_weights_in_each_cell(vector):
    table = from_weights(vector)
    squares = np.array(vector.squared_weights())[table.rows, table.columns]
    assert table.squared_weights == pytest.approx(squares, rel=1e-15)
    assert table.n_samples == 3 * len(list(vector.cells()))


@pytest.mark.parametrize("vector", VECTORS, ids=BY_ID)
def test_informedness_warns_only_where_a_class_or_the_score_is_undefined(vector):
    rows, columns = vector.totals()
    undefined = rows.count(0) > 0 or len(rows) - rows.count(0) == 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        by_table.informedness(from_matrix(vector))
    assert bool(caught) == undefined
    assert all(warning.category is UndefinedMetricWarning for warning in caught)
    assert sum(rows) == sum(columns)


# Two other formulas go by the name of informedness. The vectors where either gives another value:
@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize(("other", "n_apart"), [("released_code", 20), ("eq5_printed", 22)])
def test_informedness_is_neither_the_released_code_nor_the_printed_formula(other, n_apart):
    apart = [
        vector
        for vector in VECTORS
        if None not in (vector.exact["informedness"], vector.exact[other])
        and vector.exact["informedness"] != vector.exact[other]
    ]
    assert len(apart) == n_apart
    for vector in apart:
        value = by_table.informedness(from_matrix(vector))
        assert abs(value - float(vector.exact[other])) > 1e-6, vector.id


@pytest.mark.parametrize(
    ("id", "ours", "released", "printed"),
    [
        ("constant_majority_k2", "0", "4/5", "1"),
        ("constant_cola_dev", "0", "57/149", "1"),
        ("yardstick_three_by_three", "31/80", "6448/17325", "25/64"),
        ("delgado2018_never_predicted", "41/1281", "-12169/13671", "1"),
    ],
)
def test_the_three_formulas_on_tables_that_tell_them_apart(id, ours, released, printed):
    vector = BY_ID[id]
    assert by_table.informedness(from_matrix(vector)) == close(Fraction(ours))
    assert vector.exact["released_code"] == Fraction(released)
    assert vector.exact["eq5_printed"] == Fraction(printed)


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize(
    "vector", [v for v in VECTORS if 0 not in v.totals()[1]], ids=lambda vector: vector.id
)
def test_the_released_code_is_our_markedness_where_every_class_is_predicted(vector):
    assert by_table.markedness(from_matrix(vector)) == close(vector.exact["released_code"])


def test_fractional_vector_through_sample_weight_in_tenths():
    references = [0] * 7 + [1] * 14
    predictions = [0] * 12 + [1] * 9
    table = ContingencyTable.from_labels(references, predictions, sample_weight=[0.1] * 21)
    assert table.to_dense() == pytest.approx(np.array([[0.7, 0], [0.5, 0.9]]))
    assert table.squared_weights == pytest.approx([0.07, 0.05, 0.09])
    assert by_table.informedness(table) == close(BY_ID["tfma_weighted"].exact["informedness"])
