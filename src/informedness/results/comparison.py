"""Comparison of two models on the same samples: the difference, its interval, and a p-value."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..core.labels import Label, show
from ..core.scores import Average, read_prior
from ..core.table import Table
from ..inputs.read import Read
from ..statistics.information import lack
from ..statistics.intervals import warn_of_few
from ..statistics.registry import averaged_score
from ..statistics.score import ScoreWithInterval
from ..statistics.sums import effective_sample_size, quotient
from ..statistics.swaps import Swaps, check_plan
from .layout import Measured, Rows, padded
from .rows import groups_signature, n_groups, read_samples, too_few_groups
from .text import interval_heads, p_text, samples, shown_p


@dataclass(frozen=True, repr=False)
class Comparison(Measured):
    """Two models on the same samples; `str()` gives the result in a sentence.

    Attributes
    ----------
    metric, n_resamples, seed, confidence_level
        As given.
    a, b, difference : float
        The score of each model, and b - a.
    standard_error : float
        Of the difference, by the delta method, with an allowance for what few samples hide.
    confidence_interval : (float, float)
        Of the difference, which it contains; it contains 0 exactly if the p-value is not below 1
        minus the level.
    p_value : float
        Chance of a difference at least this many standard errors from 0, in either direction, if
        the models scored the same.
    test : {"exact", "permutation", "normal"}
        Whether all swaps were enumerated, or random ones drawn; "normal" if none of these reached
        the observed difference, so that the p-value is that of a normal statistic.
    n_samples, n_groups : int
        What was compared; without groups `n_groups` is None.
    gained, lost, n_different : int
        Samples that B gets right and A wrong, the other way round, and all answered differently.
    signature : str
        Everything that determines the numbers, in one line.
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
    n_groups: int | None
    gained: int
    lost: int
    n_different: int
    signature: str
    read: tuple[Read, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, and the sentence, as plain values for JSON."""
        return {**super().to_dict(), "summary": str(self)}

    def __str__(self) -> str:
        """Return the result as a sentence."""
        verdict = "No difference is shown"
        if 1 - self.p_value > self.confidence_level:  # 1 - 0.95 is above 0.05
            higher = "B" if self.difference > 0 else "A"
            verdict = f"{higher} is better"
            if (self.gained - self.lost) * self.difference < 0:
                verdict = f"{higher} scores higher, but is right less often"
        return (
            f"{verdict}: {self.difference:+.3f} {self.shown(3)[1]}, {p_text(self.p_value)}; "
            f"{samples(self.gained)} gained, {self.lost} lost"
        )

    def text_tables(self, a: str = "A", b: str = "B") -> list[Rows]:
        """Return the table of both models and their difference; `a` and `b` are their names."""
        rows = [
            ["", "value", *interval_heads(self.confidence_level)],
            ["N", str(self.n_samples)],
            *([] if self.n_groups is None else [["Groups", str(self.n_groups)]]),
            [a, f"{self.a:.4f}"],
            [b, f"{self.b:.4f}"],
            ["Difference", f"{self.difference:+.4f}", *self.shown()],
            [f"p-value ({self.test})", shown_p(self.p_value)],
            ["Gained by B", str(self.gained)],
            ["Lost by B", str(self.lost)],
            ["Answered differently", str(self.n_different)],
        ]
        return [padded(rows, 4)]

    def text_lines(self) -> list[str]:
        """Return the signature, and the result in a sentence."""
        return [self.signature, str(self)]

    def records(self) -> list[dict[str, Any]]:
        """Return one record."""
        plain = replace(self, read=()).to_dict()
        del plain["confidence_interval"], plain["standard_error"]
        return [plain | self.fields()]


def compare(
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    metric: str = "informedness",
    average: Average | Literal["default"] = "default",
    labels: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    prior: Mapping[Any, float] | None = None,
    sample_weight: Any = None,
    counts: Any = None,
    groups: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    seed: int = 0,
) -> Comparison:
    """Compare two models on the same samples: the difference, its interval and a p-value.

    The p-value is the share of swaps of the two answers to each sample that give a difference of at
    least as many standard errors (Konietschke and Pauly 2014, Statistics and Computing 24, 283-296;
    docs/formulas.md): exact if the answers are exchangeable, right for many samples if only the
    scores are equal, and never below that of a normal statistic. The interval is as many standard
    errors to both sides as the test allows. NIT and EMA are compared with their bias removed.

    Parameters
    ----------
    y_true, y_pred_a, y_pred_b : array-like of shape (n_samples,)
        Labels of one type.
    metric, average, prior
        As in `ContingencyTable.estimate`; `average` cannot be None.
    labels, ignore_index, unknown
        As in `informedness_score`.
    sample_weight : array-like of shape (n_samples,), optional
        Finite and not negative; a weight of 0 drops the sample.
    counts : array-like of shape (n_samples,), optional
        How many samples each row stands for, as a GROUP BY of references and both predictions
        returns it; 0 drops the row.
    groups : array-like of shape (n_samples,), optional
        The group each sample belongs to, for example the document of a question: the answers to all
        samples of a group are swapped together.
    confidence_level : float
        Of the interval; the sentence calls a model better if the p-value is below 1 minus it.
    n_resamples : int
        The most random swaps. If there are no more ways to swap, all are enumerated.
    seed : int
        The same seed gives the same result, and swapping A and B only flips its sign.

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
        If one of the tables has too few samples by the rules of `ContingencyTable.estimate`; if
        there are fewer than 20 groups; if the classes but the largest have fewer than 10 references
        on average (except for accuracy); or if a class with fewer than 5 references has a share of
        the predictions that exceeds the standard error.

    Examples
    --------
    >>> references = ["ham"] * 80 + ["spam"] * 20
    >>> model_a = ["ham"] * 88 + ["spam"] * 12
    >>> model_b = ["ham"] * 82 + ["spam"] * 18
    >>> print(compare(references, model_a, model_b))
    B is better: +0.300 (0.087 to 0.513), p = 0.031; 6 samples gained, 0 lost
    """
    if average is None:
        raise ValueError("`average` must be one that gives a single number, got None")
    score = averaged_score(metric, average).with_interval(prior)
    check_plan(confidence_level, n_resamples, seed)
    answers = {"y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    beside = {"counts": counts, "sample_weight": sample_weight, "groups": groups}
    tables, triples = read_samples(y_true, answers, beside, labels, ignore_index, unknown)
    if score.says_nothing(tables[0]):
        raise ValueError(
            "`y_true` must have at least two classes, or there is nothing to tell apart: all "
            f"are {show(tables[0].labels[int(np.argmax(tables[0].reference_totals))])}"
        )
    lacking = [score.too_few(table, prior) for table in tables] + [too_few_groups(triples)]
    a, b = (float(score.value(table, prior=prior)) for table in tables)
    both = tables[0] + tables[1]
    if prior is not None:
        shares = read_prior(prior, both)
        factors = quotient(shares * both.total, both.reference_totals)
        triples = triples._replace(weights=triples.weights * factors[triples.references])
    swaps = Swaps(both, score, triples, prior is not None)
    interval, p_value, test = swaps.verdict(confidence_level, n_resamples, seed)
    lacking += [_too_rare(table, score, interval.standard_error) for table in tables]
    warn_of_few(f"the difference of {metric}", next(filter(None, lacking), ""))
    kind = "exact" if test == "exact" else "permutation"
    settings = f"ci:{kind},{float(confidence_level)!r}|resamples:{n_resamples},seed:{seed}"
    if groups is not None:
        settings = f"{groups_signature(triples)}|{settings}"
    widest = score.best - score.lowest
    interval = interval._replace(value=b - a).within(-widest, widest)
    r, x, y, n = triples.references, triples.a, triples.b, triples.counts.astype(np.int64)
    n_samples, how = int(n.sum()), {"ignore_index": ignore_index, "interval": settings}
    line = score.signature(replace(both, n_samples=n_samples), prior=prior, **how)
    return Comparison(
        metric=metric,
        a=a,
        b=b,
        difference=b - a,
        standard_error=interval.standard_error,
        confidence_interval=(interval.low, interval.high),
        confidence_level=float(confidence_level),
        p_value=p_value,
        test=test,
        n_resamples=int(n_resamples),
        seed=int(seed),
        n_samples=n_samples,
        n_groups=None if groups is None else n_groups(triples),
        gained=int(n[(y == r) & (x != r)].sum()),
        lost=int(n[(x == r) & (y != r)].sum()),
        n_different=int(n[x != y].sum()),
        signature=line,
    )


def _too_rare(table: Table, score: ScoreWithInterval, error: float) -> str:
    """Return what there is too little of if classes are too small for what a table says of them."""
    references = table.reference_totals * (effective_sample_size(table) / float(table.total))
    others = np.count_nonzero(references) - 1
    each = float((references.sum() - references.max()) / max(others, 1))
    if score.name != "accuracy" and each < 10 - 1e-6:
        return lack(each, 10, "reference", " on average for all classes but the largest")
    few = (references > 0) & (references < 5 - 1e-6)
    shares = np.where(few, table.prediction_totals / float(table.total), 0.0)
    code = int(np.argmax(shares))
    if shares[code] <= error:
        return ""
    said = lack(float(references[code]), 5, "reference", f" of {show(table.labels[code])}")
    return f"{said}, although it gets {shares[code]:.0%} of the predictions"
