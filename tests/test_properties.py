"""Scores of tables drawn by hypothesis: as defined, in exact numbers, and two laws of guessing."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import by_table
import dense
from golden import close
from informedness import ContingencyTable
from tables import table_of_labels, table_of_pairs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.digits,
    pytest.mark.filterwarnings("ignore:informedness. "),
]

IRRATIONAL = ("nit", "ema", "matthews_corrcoef")
few = st.lists(st.integers(1, 9), min_size=2, max_size=5)


def law(**drawn):
    """Mark a test that holds for whatever is drawn; the same examples are drawn every time."""
    return lambda test: settings(max_examples=100, deadline=None, derandomize=True)(
        given(**drawn)(test)
    )


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


def exact(cells, metric, average=None, shares=None):
    """Return a score by its definition, nan where that divides by 0."""
    rational = [[Fraction(x) for x in row] for row in cells.tolist()]
    if metric in IRRATIONAL:
        rational = dense.precise(rational)
        if metric == "nit":  # of declared classes
            return float(mpmath.exp(dense.information(rational)) / len(cells))
    try:
        value = dense.score(rational, metric, average, shares)
    except ZeroDivisionError:
        return np.nan
    return [*map(float, value)] if average == "none" else float(value)


def at_odds(cells, average, prior):
    """Return the sum of weight (hits/q - misses/(1 - q)) in shares of all, by its definition."""
    n, columns, score = sum(map(sum, cells)), [*map(sum, zip(*cells, strict=True))], Fraction(0)
    for c, q in prior.items():
        gain = cells[c][c] / q - (columns[c] - cells[c][c]) / (1 - q)
        weights = {"bias": columns[c], "prevalence": sum(cells[c]), "macro": n / len(prior)}
        score += weights[average] * gain / n**2
    return float(score)


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
        for metric, average in dense.SCORES:
            options = {"average": average} if average else {}
            wanted = pytest.approx(exact(cells, metric, average), rel=0, abs=1e-12, nan_ok=True)
            assert getattr(by_table, metric)(table, **options) == wanted, (metric, average)
        for metric in ("informedness", "markedness"):
            by_class = exact(cells, metric, "none")
            wanted = close([by_class[label] for label in table.labels])
            assert getattr(by_table, metric)(table, average=None) == wanted
        for average in dense.AVERAGES if len(there) > 1 and cells.max() < 1e6 else ():
            options = {"average": average, "prior": {c: float(q) for c, q in prior.items()}}
            wanted = exact(cells, "informedness", average, shares)
            assert by_table.informedness(table, **options) == close(wanted)
            odds = at_odds([[Fraction(x) for x in row] for row in cells.tolist()], average, prior)
            assert by_table.informedness(table, prior_mode="odds", **options) == close(odds)
            if np.count_nonzero(cells.sum(axis=0)) > 1:
                wanted = exact(cells, "markedness", average, shares)
                assert by_table.markedness(table, **options) == close(wanted)


@law(rows=few, share=st.fractions(0, 1, max_denominator=20), data=st.data())
def test_right_with_probability_x_and_guessing_otherwise_is_x_and_perfect_is_1(rows, share, data):
    """Of expected tables; any guesser has 0, also one that guesses a class that is none."""
    guesses = data.draw(st.lists(st.integers(0, 9), min_size=len(rows), max_size=len(rows)))
    assume(any(guesses))
    x, rest = share.numerator * sum(guesses), share.denominator - share.numerator
    able = x * np.diag(rows) + rest * np.outer(rows, guesses)
    guessing = np.outer([*rows, 0], [*guesses, data.draw(st.integers(0, 9))])
    of_tables = (*map(ContingencyTable.from_matrix, (able, guessing, np.diag(rows))),)
    for average in dense.AVERAGES:
        found = [by_table.informedness(table, average=average) for table in of_tables]
        assert found == close([float(share), 0, 1])
        constant = ContingencyTable.from_matrix(np.outer(rows, np.eye(len(rows), dtype=int)[0]))
        assert by_table.informedness(constant, average=average) == 0.0
    shares = np.array(rows) / sum(rows)
    perfect = 2 ** -(shares @ np.log2(shares)) / len(rows)
    assert [by_table.nit(table) for table in of_tables[1:]] == close([1 / len(rows), perfect])
