"""Comparison of two models on the same samples: the difference, its interval, and a p-value.

The samples are counted once, by reference and both predictions; interval and p-value take these
counts, so that a million samples cost what a thousand do.
"""

import math
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from ..contingency import ContingencyTable, common_codes
from ..core.intervals import (
    Method,
    draws,
    level_of,
    quantiles,
    resample_sums,
    sums_by,
    warn_of_few,
    with_one_more,
)
from ..core.labels import Codes, Column, Label, Numbers, read_pair, show
from ..core.scores import Average, Score, signature_of
from ..core.table import Table, count_pairs, read_task, sum_by
from ..scores.registry import averaged_score

_FEW_DIFFERENT = 20  # below, the study shows intervals that cover 0.84


@dataclass(frozen=True)
class Comparison:
    """Two models on the same samples; `str()` reads the result in a sentence.

    Attributes
    ----------
    metric : str
        The score compared.
    a, b : float
        The score of each model.
    difference : float
        b - a.
    standard_error : float
        Of the difference, the standard deviation of its resamples.
    confidence_interval : (float, float)
        Of the difference; it contains it, and 0 where the p-value is not below 1 minus the level.
    confidence_level : float
        Share of such intervals that should contain the truth.
    p_value : float
        Chance of a difference at least as large, in either direction, if swapping the two models'
        answers within a sample changed nothing.
    test : {"exact", "permutation"}
        Whether all swaps were weighed, or `n_resamples` random ones.
    n_resamples, seed : int
        Of the interval, and of the test where it is not exact.
    n_samples : int
        The samples compared.
    gained, lost : int
        Samples that B has right and A wrong, and the other way round.
    n_different : int
        Samples to which the models give different answers.
    signature : str
        All that decides the numbers, in a line.
    """

    metric: str
    a: float
    b: float
    difference: float
    standard_error: float
    confidence_interval: tuple[float, float]
    confidence_level: float
    p_value: float
    test: str
    n_resamples: int
    seed: int
    n_samples: int
    gained: int
    lost: int
    n_different: int
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, and the sentence, as plain values for JSON."""
        plain: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        plain["confidence_interval"] = list(self.confidence_interval)
        return {**plain, "sentence": str(self)}

    def __str__(self) -> str:
        """Return the result as a sentence."""
        verdict = "No difference is shown"
        if 1 - self.p_value > self.confidence_level:  # 1 - 0.95 is above 0.05
            verdict = f"{'B' if self.difference > 0 else 'A'} is better"
        low, high = self.confidence_interval
        p = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        return (
            f"{verdict}: {self.difference:+.3f} ({low:.3f} to {high:.3f}), {p}; "
            f"{self.gained} sample{'s' * (self.gained != 1)} gained, {self.lost} lost"
        )


def compare(
    references: Any,
    predictions_a: Any,
    predictions_b: Any,
    *,
    metric: str = "informedness",
    average: Average | Literal["default"] = "default",
    labels: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    seed: int = 0,
) -> Comparison:
    """Return whether model B scores better than model A on the same samples, and how surely.

    The p-value is that of a permutation test. Its null hypothesis: swapping the two answers within
    a sample changes nothing. Each of the n samples with one reference, one answer of A and another
    of B is swapped with probability 1/2, so the number swapped is binomial(n, 1/2). All ways are
    weighed where they are no more than `n_resamples`. The interval is from the Bayesian bootstrap
    of the same counts, each resample with one made-up sample, as `estimate` does; where the test
    does not tell the models apart it is made to reach to 0.

    Parameters
    ----------
    references, predictions_a, predictions_b : array-like of shape (n_samples,)
        Labels of one type.
    metric, average
        As in `estimate`; `average` cannot be None.
    labels, ignore_index, unknown
        As in `informedness_score`.
    confidence_level : float
        Of the interval; the sentence calls a model better where the p-value is below 1 minus it.
    n_resamples, seed : int
        Of the interval and the test. The seed decides both wholly.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        As `informedness_score`, and if an option is not valid or the score is undefined.

    Warns
    -----
    IntervalWarning
        If the answers to fewer than 20 samples differ: then the interval covers too little where
        one model is better. The p-value holds.

    References
    ----------
    Fisher (1935), "The Design of Experiments", for the test; Rubin (1981), "The Bayesian
    bootstrap".

    Examples
    --------
    >>> references = ["ham"] * 80 + ["spam"] * 20
    >>> model_a = ["ham"] * 88 + ["spam"] * 12
    >>> model_b = ["ham"] * 82 + ["spam"] * 18
    >>> print(compare(references, model_a, model_b))
    B is better: +0.300 (0.111 to 0.515), p = 0.031; 6 samples gained, 0 lost
    """
    score = averaged_score(metric, average)
    if score.averages and score.average is None:
        raise ValueError("`average` must be one that gives a single number, got None")
    method = Method(confidence_level, "bootstrap", n_resamples, seed)
    column, column_a = read_pair(references, predictions_a, "predictions_a")
    _, column_b = read_pair(column, predictions_b, "predictions_b")
    *_, task = read_task(column, column_a, labels, ignore_index, unknown)
    options: dict[str, Any] = {"labels": task.classes, "ignore_index": ignore_index}
    options["unknown"] = unknown
    tables = [ContingencyTable.from_labels(column, x, **options) for x in (column_a, column_b)]
    if np.count_nonzero(tables[0].reference_totals) == 1 and metric != "accuracy":
        raise ValueError(
            "`references` must be of two classes or more, for there is nothing to tell apart: all "
            f"are {show(tables[0].labels[int(np.argmax(tables[0].reference_totals))])}"
        )
    a, b = (float(score.value(table)) for table in tables)
    # markedness is informedness of what is exchanged
    taken, _ = score.oriented(tables[0])
    triples = _count_triples(tables, (column, column_a, column_b), task.ignored, taken is not score)
    p_value, test = _permutation_test(triples, taken, method)
    error, low, high = _interval(triples, taken, b - a, method)
    if not 1 - p_value > method.level:  # by the test, which is right also where few answers differ
        low, high = min(low, 0.0), max(high, 0.0)
    r, x, y, n = triples.references, triples.a, triples.b, triples.counts
    if (n_different := int(n[x != y].sum())) < _FEW_DIFFERENT:
        few = f"{n_different} samples that differ, where {_FEW_DIFFERENT} are wanted"
        warn_of_few(f"the difference of {metric}", few)
    settings = f"ci:bootstrap,{float(method.level)!r}|p:{test}|resamples:{n_resamples},seed:{seed}"
    both = replace(tables[0] + tables[1], n_samples=int(n.sum()))
    return Comparison(
        metric=metric,
        a=a,
        b=b,
        difference=b - a,
        standard_error=error,
        confidence_interval=(low, high),
        confidence_level=float(method.level),
        p_value=p_value,
        test=test,
        n_resamples=int(n_resamples),
        seed=int(seed),
        n_samples=int(n.sum()),
        gained=int(n[(y == r) & (x != r)].sum()),
        lost=int(n[(x == r) & (y != r)].sum()),
        n_different=n_different,
        signature=signature_of(score, both, ignore_index=ignore_index, interval=settings),
    )


class _Triples(NamedTuple):
    """Counts of (reference, answer of A, answer of B), by position in the labels of `cells`.

    `cells` is the table of the answers of both together, which has every cell that one of them, or
    a mixture of the two, can have. `to_a` and `to_b` are the cells in it of each triple.
    """

    cells: Table
    references: Codes
    a: Codes
    b: Codes
    counts: Numbers
    to_a: Codes
    to_b: Codes
    transposed: bool  # the cells, for markedness


def _count_triples(
    tables: list[ContingencyTable],
    columns: tuple[Column, ...],
    ignored: Label | None,
    transposed: bool,
) -> _Triples:
    """Return the triples of samples that the two tables count."""
    column, column_a, column_b = columns
    found_a, r, a = common_codes(column, column_a)
    found_b, _, b = common_codes(column, column_b)
    if ignored in found_a:
        keep = r != found_a.index(ignored)
        r, a, b = r[keep], a[keep], b[keep]
    both = tables[0] + tables[1]
    k = len(both.labels)
    position = {label: code for code, label in enumerate(both.labels)}
    outside = position.get(None, 0)
    to_code, to_code_b = (
        np.array([position.get(label, outside) for label in found], dtype=np.int64)
        for found in (found_a, found_b)
    )
    # every answer outside the declared classes is the same wrong answer
    pairs, counted = count_pairs(Column(to_code[r] * k + to_code[a]), Column(to_code_b[b]))
    values, counts = np.asarray(pairs), counted.counts
    (r, a), b = np.divmod(values[counted.rows], k), values[counted.columns]
    cells = both.transpose() if transposed else both
    fused = cells.rows * k + cells.columns
    to_a, to_b = (
        np.searchsorted(fused, answer * k + r if transposed else r * k + answer)
        for answer in (a, b)
    )
    return _Triples(cells, r, a, b, counts, to_a, to_b, transposed)


def _permutation_test(triples: _Triples, score: Score, method: Method) -> tuple[float, str]:
    """Return the two-sided p-value, and whether it is "exact" or by "permutation"."""
    n_resamples = method.n_resamples
    different = np.flatnonzero(triples.a != triples.b)
    n = triples.counts[different]
    if not len(different):
        return 1.0, "exact"
    to_a, to_b = triples.to_a[different], triples.to_b[different]
    size = len(triples.cells.counts)
    ours, theirs = (
        sum_by(to, triples.counts, size)[:, None] for to in (triples.to_a, triples.to_b)
    )

    def differences(swapped: Numbers) -> Numbers:
        """Return the differences after so many swaps of each triple, of shape (n_triples, size)."""
        moved = _scattered(swapped, to_b, size) - _scattered(swapped, to_a, size)
        a, b = (score.of(resample_sums(triples.cells, x)) for x in (ours + moved, theirs - moved))
        return np.asarray(b - a)

    observed = abs(differences(np.zeros((len(n), 1)))[0]) - 1e-12
    # at least 2 ways each, and the product of a million would take long
    if len(n) < n_resamples.bit_length() and math.prod((n + 1).tolist()) <= n_resamples:
        swapped = np.indices((n + 1).tolist()).reshape(len(n), -1)
        binomial = [
            np.array([math.comb(m, x) / 2**m for x in range(m + 1)])[way]
            for m, way in zip(n.tolist(), swapped, strict=True)
        ]
        at_least = abs(differences(swapped.astype(float))) >= observed
        return min(float(np.prod(binomial, axis=0) @ at_least), 1.0), "exact"
    rng, extreme = np.random.default_rng(method.seed), 0
    chunk = max(1, 2**20 // (len(n) + 3 * size))
    for start in range(0, n_resamples, chunk):
        shape = len(n), min(chunk, n_resamples - start)
        swapped = rng.binomial(n[:, None], 0.5, shape).astype(float)
        extreme += int((abs(differences(swapped)) >= observed).sum())
    return (1 + extreme) / (1 + n_resamples), "permutation"


def _scattered(amounts: Numbers, codes: Codes, size: int) -> Numbers:
    """Return the sums of the rows of `amounts` by code."""
    order = np.argsort(codes, kind="stable")
    return sums_by(amounts[order], codes[order], size)


def _interval(
    triples: _Triples, score: Score, value: float, method: Method
) -> tuple[float, float, float]:
    """Return the standard error of the difference and its interval."""
    size, k, counts = len(triples.cells.counts), len(triples.cells.labels), triples.counts
    table = triples.cells.transpose() if triples.transposed else triples.cells
    plain, drawn = [], []
    for draw in draws(counts, counts, table, method, len(counts) + 3 * size + 4 * k, n_answers=2):
        before, after = [], []
        for to, answer in zip((triples.to_a, triples.to_b), draw.answers, strict=True):
            sums = resample_sums(triples.cells, _scattered(draw.counts, to, size))
            at = (answer, draw.reference) if triples.transposed else (draw.reference, answer)
            before.append(score.of(sums))
            after.append(score.of(with_one_more(triples.cells, sums, draw.weight, *at)))
        plain.append(before[1] - before[0])
        drawn.append(after[1] - after[0])
    differences = np.concatenate(drawn)
    low, high = quantiles(differences, method.level, level_of(value, np.concatenate(plain)))
    return float(differences.std(ddof=1)), min(low, value), max(high, value)
