"""Every golden vector, by every way into the table, within 1e-12 of its exact value."""

import numpy as np
import pytest

from golden import BY_ID, VECTORS, close
from informedness import ContingencyTable
from informedness.core.scores import mutual_information
from informedness.statistics.entropy import entropies, triangle_of
from informedness.statistics.registry import averaged_score
from tables import score_of, table_of_labels, table_of_pairs

pytestmark = [pytest.mark.digits, pytest.mark.filterwarnings("ignore:informedness. ")]

EXACT = {
    ("accuracy", "default"): "accuracy",
    ("informedness", "default"): "informedness",
    ("informedness", "bias"): "informedness",
    ("informedness", "prevalence"): "informedness_prevalence_weighted",
    ("informedness", "macro"): "informedness_macro",
    ("markedness", "default"): "markedness",
    ("markedness", "prevalence"): "markedness",
    ("markedness", "bias"): "markedness_bias_weighted",
}
BY_CLASS = {"informedness": "per_class_tpr_minus_fpr", "markedness": "per_class_markedness"}
ENTROPIES = ("H_ref", "H_pred", "H_ref_given_pred", "H_pred_given_ref")
TRIANGLE = ("DeltaH_prime", "twoMI_prime", "VI_prime")


def ways(vector):
    """Yield the table by every way into it."""
    matrix = [[int(n) if vector.is_counts else float(n) for n in row] for row in vector.table]
    yield ContingencyTable.from_matrix(matrix)
    yield table_of_pairs(*zip(*vector.cells(), strict=True))
    *pair, weights = vector.weighted_samples()
    weighted = table_of_labels(*pair, sample_weight=weights)
    squares = np.array(vector.squared_weights())[weighted.rows, weighted.columns]
    assert weighted.squared_weights == pytest.approx(squares, rel=1e-15)
    yield weighted
    if vector.is_counts:
        yield table_of_labels(*vector.samples())
        yield table_of_labels(*(list(map(str, codes)) for codes in vector.samples()))


@pytest.mark.parametrize("vector", VECTORS, ids=BY_ID)
def test_the_table_and_every_score_are_those_of_the_vector(vector):
    for table in ways(vector):
        cells = np.array(vector.table, dtype=float)
        assert table.to_dense() == pytest.approx(cells, rel=1e-15)
        for (metric, average), key in EXACT.items():
            exact, score = vector.exact[key], averaged_score(metric, average)
            assert bool(score.undefined(table)) == (exact is None), (metric, average)
            assert score.value(table) == close(exact or 0), (metric, average)
        for metric, key in BY_CLASS.items():  # 0 where the vector has none
            wanted = [float(value or 0) for value in vector.exact[key]]
            assert score_of(table, metric, average=None) == close(wanted), metric
        # scikit-learn's convention stands in where the correlation is undefined
        assert score_of(table, "matthews_corrcoef") == close(vector.decimal["mcc"] or 0)
        info = {name: close(value) for name, value in vector.info.items()}
        assert score_of(table, "nit") == info["NIT_k_ref"]
        assert score_of(table, "ema") == info["EMA"]
        assert mutual_information(table) == info["MI_bits"]
        assert list(entropies(table)) == [info[name] for name in ENTROPIES]
        assert list(triangle_of(table)) == [info[name] for name in TRIANGLE]
    declared = ContingencyTable.from_matrix(cells, labels=range(vector.k))
    assert score_of(declared, "nit") == info["NIT_k_table"]
