"""Every golden vector, by every way into the table, within 1e-12 of its exact value."""

import itertools
import math
import warnings
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np
import pytest

import by_table
from golden import BY_ID, VECTORS, Vector, close
from informedness import ContingencyTable
from informedness.warnings import UndefinedMetricWarning
from tables import table_of_labels, table_of_pairs

INFORMEDNESS = {
    "bias": "informedness",
    "prevalence": "informedness_prevalence_weighted",
    "macro": "informedness_macro",
}
MARKEDNESS = {"prevalence": "markedness", "bias": "markedness_bias_weighted"}
OF_CLASSES = [  # the default average first
    (by_table.informedness, INFORMEDNESS, "per_class_tpr_minus_fpr"),
    (by_table.markedness, MARKEDNESS, "per_class_markedness"),
]
ENTROPIES = ("H_ref", "H_pred", "H_ref_given_pred", "H_pred_given_ref")
TRIANGLE = ("DeltaH_prime", "twoMI_prime", "VI_prime")


def matrix(vector: Vector) -> list[list[float]]:
    return [[int(n) if vector.is_counts else float(n) for n in row] for row in vector.table]


def from_matrix(vector: Vector) -> ContingencyTable:
    return ContingencyTable.from_matrix(matrix(vector))


def from_weights(vector: Vector) -> ContingencyTable:
    references, predictions, weights = vector.weighted_samples()
    return table_of_labels(references, predictions, sample_weight=weights)


def ways(vector: Vector) -> Iterable[tuple[str, ContingencyTable]]:
    """Yield the name of every way into the table, and the table."""
    yield "matrix", from_matrix(vector)
    yield "weights", from_weights(vector)
    yield "counts", table_of_pairs(*zip(*vector.cells(), strict=True))
    if vector.is_counts:
        pair = vector.samples()
        yield "integers", table_of_labels(*pair)
        yield "strings", table_of_labels(*(list(map(str, codes)) for codes in pair))


pytestmark = [pytest.mark.digits, pytest.mark.filterwarnings("ignore:informedness. ")]
every_vector = pytest.mark.parametrize("vector", VECTORS, ids=BY_ID)
UNDEFINED = "(is undefined|one sample scores)"


def check_undefined(score: Callable[..., float]) -> None:
    """Check that a score warns and is 0.0, or without a warning what `zero_division` says."""
    with pytest.warns(UndefinedMetricWarning, match=UNDEFINED):
        assert score() == 0.0
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=f".*{UNDEFINED}")
        assert score(zero_division=0.0) == 0.0
        assert math.isnan(score(zero_division=math.nan))


@every_vector
def test_the_table_is_that_of_the_vector_with_rows_as_references(vector):
    for way, table in ways(vector):
        expected = np.array(vector.table, dtype=float)
        assert table.to_dense() == pytest.approx(expected, rel=1e-15), way
        assert len(table.labels) == vector.k, way
    table = from_weights(vector)
    squares = np.array(vector.squared_weights())[table.rows, table.columns]
    assert table.squared_weights == pytest.approx(squares, rel=1e-15)
    assert table.n_samples == 3 * len(list(vector.cells()))


@every_vector
def test_informedness_and_markedness_are_those_of_the_vector(vector):
    for (way, table), (score, keys, by_class) in itertools.product(ways(vector), OF_CLASSES):
        for average, key in keys.items():
            wanted = vector.exact[key]
            if wanted is None:
                check_undefined(partial(score, table, average=average))
            else:
                assert score(table, average=average) == close(wanted), (way, key)
        default = vector.exact[next(iter(keys.values()))]
        assert score(table) == close(default or 0), (way, score)
        # by class they are 0 where the vector has none
        wanted = [float(value or 0) for value in vector.exact[by_class]]
        assert score(table, average=None) == close(wanted), (way, by_class)


@every_vector
def test_accuracy_correlation_and_information_are_those_of_the_vector(vector):
    info = vector.info
    for way, table in ways(vector):
        assert by_table.accuracy(table) == close(vector.exact["accuracy"]), way
        # scikit-learn's convention stands in where the correlation is undefined
        assert by_table.matthews_corrcoef(table) == close(vector.decimal["mcc"] or 0), way
        assert list(by_table.entropies(table)) == [close(info[name]) for name in ENTROPIES], way
        assert by_table.mutual_information(table) == close(info["MI_bits"]), way
        assert by_table.nit(table) == close(info["NIT_k_ref"]), way
        assert by_table.ema(table) == close(info["EMA"]), way
        triangle = [close(info[name]) for name in TRIANGLE]
        assert list(by_table.entropy_triangle(table)) == triangle, way
    declared = ContingencyTable.from_matrix(matrix(vector), labels=range(vector.k))
    assert by_table.nit(declared) == close(info["NIT_k_table"])
