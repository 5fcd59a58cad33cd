"""Scores as defined: of golden vectors, of tables drawn by hypothesis, and by other libraries.

The oracle of tables that are drawn is `dense.score`, the definitions in fractions.

Covers src: core/scores.py, core/table.py.
"""

import math
from fractions import Fraction
from functools import partial

import mpmath
import numpy as np
import pytest
import sklearn.metrics as peer
from hypothesis import assume
from hypothesis import strategies as st

from informedness import ContingencyTable, estimate, report
from informedness.core.scores import mutual_information
from informedness.inference.entropy import reference_entropy, triangle_of
from informedness.inference.registry import score_with_average
from inputs.laws import law
from inputs.tables import score_of, table_of, table_of_labels, table_of_pairs
from oracles import dense
from oracles.golden import BY_ID, VECTORS, close

pytestmark = [
    pytest.mark.digits,
    pytest.mark.filterwarnings("ignore:informedness. ", "ignore:y_pred contains classes not in"),
]

IRRATIONAL = ("nit", "ema", "matthews_corrcoef")
OF_CLASSES = ("informedness", "markedness")


@st.composite
def tables(draw):
    """Draw counts of one to five classes, nearly all in one cell or of like sizes."""
    k = draw(st.integers(1, 5))
    count = st.one_of(st.just(0), st.integers(1, 9), st.integers(1, 10**16))
    cells = draw(st.lists(count, min_size=k * k, max_size=k * k).filter(any))
    return np.array(cells).reshape(k, k)


def ways(cells, order, is_mine):
    """Yield the table by every way: as a matrix, from labels in some order, and of two parts."""
    is_weighted = cells.dtype.kind == "f"
    i, j = np.nonzero(cells)
    if not is_weighted:
        yield ContingencyTable.from_matrix(cells, labels=range(len(cells)))
        if cells.sum() < 100:
            repeated = np.repeat([i, j], cells[i, j], axis=1)
            yield table_of_labels(*repeated, labels=order)
    yield table_of_labels(i[::-1], j[::-1], sample_weight=cells[i, j][::-1] + 0.0, labels=order)
    mine, parts = np.resize(is_mine, len(i)), []
    for there in (mine, ~mine):
        sizes = {"n_samples": np.ones(there.sum())} if is_weighted else {}
        if there.any():
            pairs = i[there], j[there], cells[i, j][there]
            parts.append(table_of_pairs(*pairs, labels=order, **sizes))
    yield sum(parts)


def rational(cells):
    return [[Fraction(x) for x in row] for row in cells.tolist()]


def exact(cells, metric, average=None, shares=None):
    """Return a score by its definition, nan where that divides by 0."""
    cells = rational(cells)
    if metric in IRRATIONAL:
        cells = dense.precise(cells)
        if metric == "nit":  # of declared classes
            return float(mpmath.exp(dense.information(cells)) / len(cells))
    try:
        value = dense.score(cells, metric, average, shares)
    except ZeroDivisionError:
        return np.nan
    return [*map(float, value)] if average == "none" else float(value)


def check_scores(table, cells):
    """Check every score of a table of declared classes against its definition."""
    for metric, average in dense.SCORES:
        found = score_of(table, metric, average=average or "default")
        wanted = exact(cells, metric, average)
        assert found == pytest.approx(wanted, rel=0, abs=1e-13, nan_ok=True), (metric, average)
    for metric in OF_CLASSES:
        wanted = exact(cells, metric, "none")
        wanted = pytest.approx([wanted[label] for label in table.labels], rel=0, abs=1e-13)
        assert score_of(table, metric, average=None) == wanted


def at_odds(cells, average, q):
    """Return the sum of weight (hits/q - misses/(1 - q)) in shares of all, by its definition."""
    r, c, h = cells.sum(axis=1), cells.sum(axis=0), np.diag(cells)
    gains = dense.over(h, q) - dense.over((c - h) * (q > 0), 1 - q)
    weights = {"bias": c, "prevalence": r, "macro": r.sum() * (q > 0) / np.count_nonzero(q)}
    return (weights[average] * gains).sum() / r.sum() ** 2


# Golden vectors

EXACT = {
    ("accuracy", "default"): "accuracy",
    ("informedness", "default"): "informedness",
    ("informedness", "prevalence"): "informedness_prevalence_weighted",
    ("informedness", "macro"): "informedness_macro",
    ("markedness", "default"): "markedness",
    ("markedness", "bias"): "markedness_bias_weighted",
    ("informedness", None): "per_class_tpr_minus_fpr",
    ("markedness", None): "per_class_markedness",
}
TRIANGLE = ("DeltaH_prime", "twoMI_prime", "VI_prime")


@pytest.mark.parametrize("vector", VECTORS, ids=BY_ID)
def test_golden_vectors_agree_however_the_table_is_made(vector):
    info = {name: close(value) for name, value in vector.info.items()}
    cells = np.array(vector.table, dtype=int if vector.is_counts else float)
    for table in ways(cells, range(len(cells)), np.array([True, False])):
        assert table.to_dense() == pytest.approx(cells, rel=1e-15)
        for (metric, average), key in EXACT.items():
            exact, score = vector.exact[key], score_with_average(metric, average)
            assert average is None or bool(score.why_undefined(table)) == (exact is None), metric
            wanted = [float(x or 0) for x in exact] if average is None else exact or 0
            assert score.value(table) == close(wanted), (metric, average)
        # scikit-learn's convention stands in where the correlation is undefined
        assert score_of(table, "matthews_corrcoef") == close(vector.mcc or 0)
        assert score_of(table, "nit") == info["NIT_k_table"]
        assert score_of(table, "ema") == info["EMA"]
        assert mutual_information(table) == info["MI_bits"]
        assert reference_entropy(table) == info["H_ref"]
    observed = ContingencyTable.from_matrix(cells)
    assert score_of(observed, "nit") == info["NIT_k_ref"]
    assert list(triangle_of(observed)) == [info[name] for name in TRIANGLE]


# Laws


@law(
    counts=tables(),
    scale=st.sampled_from([None, 1e-40, 0.3, 1e30]),
    order=st.permutations(range(5)),
    is_mine=st.lists(st.booleans(), min_size=3, max_size=5),
    parts=st.lists(st.integers(1, 9), min_size=5, max_size=5),
)
def test_every_score_is_exact_by_every_way_into_the_table(counts, scale, order, is_mine, parts):
    cells = counts if scale is None else counts * scale
    order = [label for label in order if label < len(cells)]
    there = np.flatnonzero(cells.sum(axis=1)).tolist()
    prior = {c: Fraction(parts[c], sum(parts[c] for c in there)) for c in there}
    shares = [prior.get(c, 0) for c in range(len(cells))]
    for table in ways(cells, order, np.array(is_mine)):
        assert table.total == pytest.approx(cells.sum(), rel=1e-15)
        check_scores(table, cells)
        for average in dense.AVERAGES if len(there) > 1 and cells.max() < 1e6 else ():
            options = {"average": average, "prior": {c: float(q) for c, q in prior.items()}}
            wanted = exact(cells, "informedness", average, shares)
            assert table.informedness(**options) == close(wanted)
            odds = at_odds(np.array(rational(cells)), average, np.array(shares))
            assert table.informedness(prior_mode="odds", **options) == close(odds)
            if np.count_nonzero(cells.sum(axis=0)) > 1:
                wanted = exact(cells, "markedness", average, shares)
                assert score_of(table, "markedness", **options) == close(wanted)


@law(
    rows=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    guesses=st.lists(st.integers(0, 9), min_size=5, max_size=5),
    share=st.fractions(0, 1, max_denominator=20),
)
def test_right_with_probability_x_and_guessing_otherwise_is_x(rows, guesses, share):
    """Of expected tables: 0 for guessing, also of one class only, and 1 for perfect predictions."""
    for guessed in (guesses[: len(rows)], np.eye(len(rows), dtype=int)[0]):
        assume(sum(guessed))
        right, rest = share.numerator * sum(guessed), share.denominator - share.numerator
        matrix = right * np.diag(rows) + rest * np.outer(rows, guessed)
        table = ContingencyTable.from_matrix(matrix, labels=range(len(rows)))
        for average in dense.AVERAGES:
            assert table.informedness(average=average) == close(share)


@pytest.mark.parametrize("weight", [1, 3, 0.1])
def test_nit_of_perfect_predictions_of_even_classes_is_exactly_1(weight):
    values = [table_of(weight * np.eye(k)).nit() for k in range(2, 61)]
    assert values == close([1] * 59)
    assert max(values) == 1


def test_the_triangle_has_an_empty_class_only_if_it_is_declared():
    cells = [[3, 1, 0], [1, 3, 0], [0, 0, 0]]
    observed, declared = (triangle_of(table_of(cells, labels=x)) for x in (None, range(3)))
    assert observed == close(triangle_of(table_of([[3, 1], [1, 3]])))
    assert declared.delta_h == close(1 - math.log(2, 3))


# Digits: counts of 1e15 and beyond, a hundred classes, weights of any size

BIG = 10**15


def diagonal(k, seed, right, wrong):
    """Return counts up to `right` on the diagonal and up to `wrong` in some of the other cells."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(1, wrong, (k, k), endpoint=True) * (rng.random((k, k)) < 0.1)
    cells[np.diag_indices(k)] = rng.integers(1, right, k, endpoint=True)
    return cells


EXTREME = {
    "nearly all one cell of 1e15": [[BIG, 3], [5, 7]],
    "worse than chance at 1e15": [[BIG, 7], [5, 0]],
    "three of four": [[10**17, 1], [10**17, 10**17]],
    "120 classes, 30 without references": np.where(
        np.arange(120)[:, None] % 4 == 1, 0, diagonal(120, 4, BIG, BIG)
    ),
    "a weight of 1e-18": [[1.0, 1e-18], [1.0, 1.0]],
    "nearly all one weight": [[1e15, 0.3], [0.7, 1.1]],
    "three classes, two large weights": [[1e15, 1 / 3, 0], [1e15, 0.7, 0.1], [0.3, 0, 0.2]],
    "beyond half of the largest": [[8e307, 1e307], [2e307, 3e307]],
    "a weight of 1e-310": np.diag([2, 2, 1e-310]),
    "a weight of 1e-290": np.diag([2, 2, 1e-290]),
    "from 1e-320 to 1e300": [[1e300, 1e-320], [1e299, 1e300]],
    "120 classes, few wrong": diagonal(120, 10, 1000, 3) / 7,
}


def extreme(name):
    """Return cells, and their table."""
    cells = np.array(EXTREME[name])
    (i, j), labels = np.nonzero(cells), range(len(cells))
    if cells.dtype.kind == "i":
        return cells, ContingencyTable.from_matrix(cells, labels=labels)
    return cells, table_of_labels(i, j, sample_weight=cells[i, j], labels=labels)


@pytest.mark.parametrize("name", EXTREME)
def test_scores_and_rates_of_extreme_tables_keep_their_digits(name):
    cells, table = extreme(name)
    check_scores(table, cells)
    cells = rational(cells)
    r, c = [sum(row) for row in cells], [sum(column) for column in zip(*cells, strict=True)]
    for i, rates in enumerate(report(table).per_class):
        hits, n = cells[i][i], sum(r)
        wanted = r[i] / n, c[i] / n, hits / r[i] if r[i] else math.nan, (c[i] - hits) / (n - r[i])
        found = [rates[x] for x in ("prevalence", "bias", "tpr", "fpr")]
        assert found == pytest.approx([*map(float, wanted)], rel=1e-13, abs=0, nan_ok=True)


@pytest.mark.parametrize("metric", ["nit", "informedness", "matthews_corrcoef"])
def test_cells_of_very_different_sizes_have_finite_intervals(metric):
    for name in ("a weight of 1e-18", "three of four"):
        made = estimate(extreme(name)[1], metric=metric)
        assert made.confidence_interval[0] <= made.value <= made.confidence_interval[1], name
        assert math.isfinite(made.standard_error), name


# Other libraries

PEERS = {
    "accuracy": peer.accuracy_score,
    "balanced_accuracy": peer.balanced_accuracy_score,
    "f1_macro": partial(peer.f1_score, average="macro"),
    "cohen_kappa": peer.cohen_kappa_score,
    "matthews_corrcoef": peer.matthews_corrcoef,
}


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("lacking", ["nothing", "references", "predictions"])
def test_scores_beside_informedness_are_those_of_scikit_learn(k, lacking):
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 9, (k, k)) + np.diag(rng.integers(1, 30, k))
    cells[0] *= lacking != "references"
    cells[:, 1] *= lacking != "predictions"
    pair = [np.repeat(side, cells.ravel()) for side in np.indices(cells.shape).reshape(2, -1)]
    # whole weights, because scikit-learn cuts the margins of a contingency to integers
    for weights in (None, np.ceil(100 * rng.exponential(size=len(pair[0])))):
        table = table_of_labels(*pair, sample_weight=weights)
        for metric, theirs in PEERS.items():
            assert score_of(table, metric) == close(theirs(*pair, sample_weight=weights)), metric
