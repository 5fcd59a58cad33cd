"""Compare two models on the same samples, and decide whether a build passes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from ..core.labels import Label, show
from ..core.scores import Average, read_prior
from ..core.table import Table, is_real
from ..inference import score as scoring
from ..inference import significance
from ..inference.entropy import effective_totals
from ..inference.registry import score_named, score_with_average
from ..inference.score import INFORMEDNESS, ClassScore, Prior, Score, ratio_or_zero, warn_of_caveats
from ..inference.significance import CellPairs, Influences, PairedTest, n_groups, paired_test
from ..messages import with_subject
from ..tables.contingency import ContingencyTable
from ..tables.label_options import to_class_names
from ..text.layout import Account, Block, Measured, Rows
from ..text.render import interval_heads, shown, shown_p
from ..warnings import collected, prefix_warnings
from .estimate import FEW_GROUPS, Estimate, ModelSamples, group_shortage, level_text, read_samples
from .summary import only_class, out_of_class_share, share_text, title_of

FEW_GROUPS_FOR_ENTROPIES = 20  # for NIT and EMA, because their sums over groups are skewed
# If D^2 / sum(d^2) is larger, with D and d as in `compare`, a significant result has a caveat.
MAX_SHARE_OF_ONE = 0.25
_FEW_DIFFERENT = 30  # with fewer differing predictions, the advice gives their number


@dataclass(frozen=True, repr=False, kw_only=True)
class Difference(Measured):
    """The difference between two models; base of `Comparison` and `SuiteComparison`."""

    metric: str
    difference: float
    standard_error: float
    confidence_interval: tuple[float, float]
    confidence_level: float
    p_value: float
    gained: int
    lost: int
    n_different: int
    margin: float | None = None
    read: tuple[Account, ...] = field(default=(), repr=False)
    caveat: str = field(default="", repr=False)

    scope = ""  # the end of the phrase for the difference, such as " on average over 3 tasks"

    @property
    def verdict(self) -> str:
        """The code "better" or "worse" if B differs significantly from A; otherwise "not shown"."""
        # not p_value < 1 - level: the float 1 - 0.95 is above 0.05
        if 1 - self.p_value > self.confidence_level:
            return "better" if self.difference > 0 else "worse"
        return "not shown"

    @property
    def verdict_in_words(self) -> str:
        """The verdict as a phrase, such as "B is better"."""
        if not self.n_different:
            return "The two models give the same predictions"
        if self.verdict == "not shown":
            return "Too few groups" if math.isnan(self.p_value) else "No significant difference"
        higher = "B" if self.difference > 0 else "A"
        if (self.gained - self.lost) * self.difference < 0:
            return f"{higher} scores higher, but is right less often"
        return f"{higher} is better"

    @property
    def summary(self) -> str:
        """One sentence with the verdict and, if predictions differ, the difference and its test."""
        if not self.n_different:
            return f"{self.verdict_in_words}."
        size = f"{self.difference:+.3f}{self.scope} {self.interval_in_words(3)}"
        return f"{self.verdict_in_words}: {size}, {shown_p(self.p_value, is_in_sentence=True)}."

    @property
    def within_margin(self) -> bool | None:
        """Whether B is shown not to be worse by more than the margin; None without a margin.

        Equal predictions count as shown.
        """
        if self.margin is None:
            return None
        return not self.n_different or self.confidence_interval[0] > -self.margin

    @property
    def loss_phrase(self) -> str:
        """The clause "B is worse"; with a margin, it says whether the loss exceeds the margin."""
        if self.margin is None:
            return "B is worse"
        verb = "is not" if self.within_margin else "may be"
        if self.confidence_interval[1] < -self.margin:
            verb = "is"
        return f"B {verb} worse by more than {self.margin:g}"

    def to_dict(self) -> dict[str, Any]:
        """Convert the fields, the verdict and the summary to plain values for JSON."""
        verdict = {"verdict": self.verdict, "within_margin": self.within_margin}
        return super().to_dict() | verdict | {"summary": self.summary}


@dataclass(frozen=True, repr=False)
class Comparison(Difference):
    """Comparison of two models on the same samples.

    `summary` states the result in a sentence.

    Attributes
    ----------
    metric, confidence_level
        As passed to `compare`.
    a, b, difference : float
        The scores of models A and B, and the difference b - a.
    standard_error : float
        Standard error of the difference by the delta method. It allows for one unseen sample or
        group.
    confidence_interval : (float, float)
        Confidence interval of the difference. It excludes 0 if and only if the p-value is below 1
        minus the confidence level.
    p_value : float
        Two-sided p-value of the null hypothesis that both models have the same true score. It is
        nan with fewer than five groups, or if too few groups have the rare classes (see `compare`).
    test : {"z", "t"}
        Distribution that gives the p-value: "z" for the normal distribution, "t" for Student's t,
        which is used with groups.
    n_samples, n_groups : int
        Numbers of samples and of groups; without groups `n_groups` is None.
    gained, lost, n_different : int
        Numbers of samples that only B predicts correctly, that only A predicts correctly, and whose
        predictions differ. With unknown="wrong", all out-of-class predictions count as equal.
    signature : str
        A line that records the options, the number of samples and the version.
    out_of_class_shares : (float, float)
        Shares of out-of-class predictions of A and of B. Such predictions count as wrong.
    prevalence : Comparison or None
        The same comparison with the prevalence average. It exists only for Informedness with the
        bias average, which is the default, and three or more classes.
    detectable : float
        Smallest true difference that samples like these detect with 80% power. It is nan if no
        prediction differs, or if the p-value is nan.
    margin, within_margin : float, bool or None
        The non-inferiority margin, and whether B is shown not to be worse by more than the margin.
        Both are None without a margin.
    detect : float or None
        Difference for which text and JSON give the required number of samples or groups; by default
        the margin, in text only if the verdict is "not shown".
    names : (str, str)
        Names of the two models in text output.
    caveat : str
        Why the coverage of the interval may be too low, or why there is no interval; empty if no
        reason is known.
    """

    max_name_width = 60

    a: float
    b: float
    test: str
    n_samples: int
    n_groups: int | None
    signature: str
    paired: PairedTest = field(repr=False)
    out_of_class_shares: tuple[float, float] = (0.0, 0.0)
    prevalence: Comparison | None = None
    detectable: float = math.nan
    detect: float | None = None
    names: tuple[str, str] = field(default=("A", "B"), repr=False)
    title: str = field(default="", repr=False)
    n_classes: int = field(default=0, repr=False)
    max_unseen: float = field(default=math.nan, repr=False)

    def samples_for(self, difference: float) -> int | None:
        """Estimate the number of samples, or of groups, that detect a difference with 80% power.

        Further samples are assumed to be like the compared samples. For NIT and EMA, more samples
        reduce only part of the squared error. The result is None if no number is enough, if no
        prediction differs, or if the p-value is nan.

        Raises
        ------
        ValueError
            If the difference is 0 or not finite.

        Examples
        --------
        >>> references = ["ham"] * 80 + ["spam"] * 20
        >>> model_a = ["ham"] * 88 + ["spam"] * 12
        >>> compare(references, model_a, ["ham"] * 82 + ["spam"] * 18).samples_for(0.2)
        400
        """
        if not (math.isfinite(difference) and difference):
            raise ValueError(f"`difference` must be finite and not 0, got {show(difference)}")
        detection = self.paired.detection
        times = math.inf if detection is None else detection.size_factor(difference)
        return math.ceil((self.n_groups or self.n_samples) * times) if times < math.inf else None

    def size_phrase(self, difference: float) -> str:
        """Write the end of a sentence on how many samples or groups a difference needs."""
        n_needed = self.samples_for(difference) if difference else None
        if n_needed is None:
            return "cannot be shown with any number of samples"
        unit = "groups" if self.n_groups else "samples"
        return f"needs about {float(f'{n_needed:.2g}'):,.0f} {unit}"

    def to_dict(self) -> dict[str, Any]:
        """Convert the comparison to plain values for JSON, with the number of samples needed."""
        prevalence = self.prevalence and self.prevalence.to_dict()
        target = self.margin if self.detect is None else self.detect
        n_needed = target and self.samples_for(target)
        return super().to_dict() | {"samples_for": n_needed, "prevalence": prevalence}

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the detectable difference, the margin and the predictions."""
        return (*self._notes_on_size(), *self._notes_on_predictions())

    def _notes_on_size(self) -> Iterator[str]:
        is_undecided, is_tested = self.verdict == "not shown", not math.isnan(self.detectable)
        score = score_named(self.metric)
        if is_undecided and is_tested:
            sentence = f"These samples detect a true difference of {self.detectable:.2g}"
            if self.detectable >= score.highest - score.lowest:
                sentence = "These samples are too few to detect any difference"
            yield f"{sentence} with 80% power."
        if self.margin is not None:
            yield f"{self.loss_phrase}."
        target = self.margin if is_undecided and self.detect is None else self.detect
        if target is not None and is_tested:
            yield f"A true difference of {target:g} {self.size_phrase(target)} (80% power)."

    def _notes_on_predictions(self) -> Iterator[str]:
        if self.n_different:
            n = f"{self.n_different:,} of {self.n_samples:,}"
            counts = f"B is right on {self.gained:,} that A gets wrong, and wrong on {self.lost:,}"
            yield f"Predictions differ for {n} samples: {counts} that A gets right."
        for name, share in zip("AB", self.out_of_class_shares, strict=True):
            if share:
                amount = f"{share_text(share)} of the predictions of {name}"
                yield f"{amount} are out of class and count as wrong."

    def text_tables(self) -> list[Rows]:
        """Tabulate the scores of both models and their difference."""
        rows = [["", self.title, *interval_heads(self.confidence_level), f"p ({self.test} test)"]]
        for letter, name, value in zip("AB", self.names, (self.a, self.b), strict=True):
            rows.append([name if name == letter else f"{letter}: {shown(name)}", f"{value:.4f}"])
        for text, comparison in (("Difference", self), ("  by prevalence", self.prevalence)):
            if comparison is not None:
                difference, p_value = f"{comparison.difference:+.4f}", shown_p(comparison.p_value)
                rows.append([text, difference, *comparison.shown(), p_value])
        return [rows]

    def text_blocks(self) -> list[Block]:
        """List the number of samples, the scores, the verdict, the notes and the signature."""
        n = f"N {self.n_samples:,}" + (f" in {self.n_groups:,} groups" if self.n_groups else "")
        return [n, *self.text_tables(), f"{self.verdict_in_words}.", self.notes, self.signature]

    def records(self) -> list[dict[str, Any]]:
        """Convert the comparison to a list with one record."""
        plain = self.to_dict() | self.fields()
        nested = "confidence_interval", "prevalence", "read"
        return [{name: value for name, value in plain.items() if name not in nested}]


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
    margin: float | None = None,
) -> Comparison:
    r"""Compare two models by the difference between their scores on the same samples.

    The test statistic z for N samples is

    .. math:: z = \frac{B - A}{\sqrt{SE^2 + (B - A)^2 / N}}, \qquad
        SE^2 = \frac{\sum (d - \bar d)^2 + D^2}{N^2}

    where d is the influence of a sample on B - A, from the gradient of the score at each model's
    table. D is the largest influence that one additional sample can have. For accuracy, z is
    (gained - lost) / sqrt(gained + lost + 1), which is McNemar's statistic with 1 added under the
    root. docs/formulas.md describes weighted samples, and NIT and EMA, whose bias is removed.

    The p-value is two-sided, and without groups from the normal distribution. If m predictions
    differ, it is at least 2^(1 - m). With groups, a t-test with Satterthwaite's degrees of freedom
    is applied to the sums of d by class and group. Then m counts the groups in which predictions
    differ. If m < 30 of n groups, D^2 is at least 1 - m/n times the squared influence of one
    additional group.

    Parameters
    ----------
    y_true, y_pred_a, y_pred_b : array-like of shape (n_samples,)
        Labels, all of the same type.
    metric, average, prior
        As in `estimate`; `average` cannot be None.
    labels, ignore_index, unknown
        As in `informedness_score`.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, finite and not negative. A weight of 0 drops the sample.
    counts : array-like of shape (n_samples,), optional
        Number of samples that each row represents, for example from a GROUP BY over the references
        and both predictions. A count of 0 drops the row.
    groups : array-like of shape (n_samples,), optional
        The group each sample belongs to, for example the document of a question. Groups must be
        independent of each other; samples within a group need not be. The interval and the p-value
        are nan with fewer than five groups. They are also nan if classes in fewer than two
        effective groups affect the error, and together are in fewer than two.
    confidence_level : float
        Level of the interval. A model is called better if the p-value is below 1 minus this level.
    margin : float, optional
        Non-inferiority margin, above 0. The result then says whether the interval excludes a larger
        loss.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        As in `informedness_score`. Also if an option is not valid, if there are fewer than two
        groups, or, except for accuracy, if all references are of one class.

    Warns
    -----
    IntervalWarning
        If a table has too few samples by the rules of `estimate`, except that NIT does not need
        1,000 samples. If there are fewer than 10 groups, or 20 for NIT and EMA. If classes in fewer
        than 5 effective groups carry more than a tenth of the variance. If all classes but the
        largest have fewer than 5 references on average (except for accuracy). If the difference is
        significant although D^2 exceeds a quarter of the sum of d^2. There is no such warning if no
        prediction differs.
    UndefinedMetricWarning, LabelsWarning, InformednessWarning
        As in `informedness_score`.

    Examples
    --------
    >>> references = ["ham"] * 80 + ["spam"] * 20
    >>> model_a = ["ham"] * 88 + ["spam"] * 12
    >>> model_b = ["ham"] * 82 + ["spam"] * 18
    >>> print(compare(references, model_a, model_b).summary)
    B is better: +0.300 (95% interval 0.072 to 0.528), p = 0.031.
    """
    score = score_to_compare(metric, average, prior, unknown)
    scoring.check_level(confidence_level)
    check_difference("margin", margin)
    predictions = {"y_pred_a": y_pred_a, "y_pred_b": y_pred_b}
    extras = {"counts": counts, "sample_weight": sample_weight, "groups": groups}
    samples = read_samples(y_true, predictions, extras, labels, ignore_index, unknown)
    containers = y_true, y_pred_a, y_pred_b
    prior, ignore_index = (to_class_names(x, *containers) for x in (prior, ignore_index))
    settings = (0, 1), confidence_level, prior, ignore_index, margin

    def compare_on(score: Score) -> Comparison:
        return compare_pair(score, samples, score_models(score, samples, prior), *settings)

    comparison = compare_on(score)
    if score == INFORMEDNESS and comparison.n_classes > 2:
        with collected():  # the first comparison has issued the warnings
            prevalence = compare_on(score.with_average("prevalence"))
        comparison = replace(comparison, prevalence=prevalence)
    return comparison


def check_difference(name: str, size: Any) -> None:
    """Raise ValueError unless the size of a difference is None, or finite and above 0."""
    if size is not None and not (is_real(size) and 0 < size < math.inf):
        raise ValueError(f"`{name}` must be finite and above 0, got {show(size)}")


def score_to_compare(
    metric: str, average: Average | Literal["default"], prior: Prior = None, unknown: str = "error"
) -> Score:
    """Look up the score to compare models on; raise ValueError if an option does not fit."""
    if average is None:
        raise ValueError("`average` must give a single number, got None")
    return score_with_average(metric, average, unknown).require_interval(prior)


class ComparedModel(NamedTuple):
    """A model to compare, with its table and its score."""

    argument: str  # name of the argument that holds its predictions
    table: ContingencyTable
    value: float
    influences: Influences
    shortage: str  # why its table is too small; empty if it is large enough


def score_models(score: Score, samples: ModelSamples, prior: Prior = None) -> list[ComparedModel]:
    """Score each model; raise ValueError if all references are of one class (not for accuracy)."""
    models = []
    for i, (argument, table) in enumerate(zip(samples.arguments, samples.tables, strict=True)):
        if score.needs_another_class(table):
            rule = "`y_true` must have at least two classes"
            raise ValueError(f"{rule}, but all its labels are {only_class(table)}")
        shortage = score.shortage(table, prior) or _class_shortage(table, score)
        scored = scoring.with_prior(table, prior)
        influences = significance.influences_of(score, table, scored, samples.pairs_in_groups(i))
        with prefix_warnings(f"`{argument}`"):
            value = float(score.value(table, prior=prior))
        models.append(ComparedModel(argument, table, value, influences, shortage))
    return models


def compare_pair(
    score: Score,
    samples: ModelSamples,
    models: Sequence[ComparedModel],
    pair: tuple[int, int],
    level: float,
    prior: Prior = None,
    ignore_index: Label | None = None,
    margin: float | None = None,
) -> Comparison:
    """Compare two of the models; `pair` has the positions of A and of B."""
    a, b = (models[i] for i in pair)
    predictions_a, predictions_b = (samples.predictions[i] for i in pair)
    n_samples = samples.count_samples(samples.references >= 0)
    n_different = samples.count_samples(predictions_a != predictions_b)
    is_right_a, is_right_b = (x == samples.references for x in (predictions_a, predictions_b))
    pairs = samples.pair(*pair)
    if prior is not None:
        totals = a.table.reference_totals
        factors = ratio_or_zero(read_prior(prior, a.table) * float(totals.sum()), totals)
        pairs = pairs._replace(weights=pairs.weights * factors[a.table.rows[pairs.a]])
    difference = b.value - a.value
    test = paired_test(a.influences, b.influences, pairs, difference, n_different, level)
    few_groups = FEW_GROUPS if isinstance(score, ClassScore) else FEW_GROUPS_FOR_ENTROPIES
    caveat = _shortage_of(a, b) or group_shortage(pairs, test.min_effective_groups, few_groups)
    if not caveat and 1 - test.p_value > level and test.share_of_one > MAX_SHARE_OF_ONE:
        caveat = _describe_few_samples(score, (a.table, b.table), n_different)
    if n_different:
        warn_of_caveats([(f"the difference of {score.name}", caveat, math.isnan(test.p_value))])
    widest = score.highest - score.lowest
    interval = test.interval._replace(value=difference).clip(-widest, widest)
    settings = {"ignore_index": ignore_index, "interval": level_text(level, pairs)}
    pooled = replace(a.table + b.table, n_samples=n_samples)
    return Comparison(
        metric=score.name,
        title=title_of(a.table, score),
        a=a.value,
        b=b.value,
        difference=difference,
        standard_error=interval.standard_error,
        confidence_interval=(interval.low, interval.high),
        confidence_level=float(level),
        p_value=test.p_value,
        test="z" if pairs.groups is None else "t",
        n_samples=n_samples,
        n_groups=n_groups(pairs) or None,
        gained=samples.count_samples(is_right_b & ~is_right_a),
        lost=samples.count_samples(is_right_a & ~is_right_b),
        n_different=n_different,
        signature=score.signature(pooled, prior=prior, **settings),
        out_of_class_shares=(out_of_class_share(a.table), out_of_class_share(b.table)),
        detectable=test.detection.difference() if test.detection else math.nan,
        margin=margin,
        caveat=caveat,
        n_classes=a.table.n_classes,
        max_unseen=math.nan if n_different else _max_unseen(score, a.table, pairs, prior),
        paired=test,
    )


def _shortage_of(a: ComparedModel, b: ComparedModel) -> str:
    """Explain that a model has too few samples; empty if both models have enough.

    The model is named unless the same is true of the other model.
    """
    first = a if a.shortage else b
    return first.shortage + (f" (`{first.argument}`)" if a.shortage != b.shortage else "")


def _describe_few_samples(score: Score, tables: Sequence[Table], n_different: int) -> str:
    """State that few samples decide a significant result.

    They are the samples of the rarest class, or those whose predictions differ if they are fewer.
    For accuracy, they are always those whose predictions differ.
    """
    sizes: list[tuple[float, str]] = []
    for table in tables:
        oriented = score.orient(table)[1]
        sizes += zip(effective_totals(oriented)[0], map(show, oriented.labels), strict=True)
    n_rarest, rarest = min(size for size in sizes if size[0] > 0)
    if score.name == "accuracy" or n_different < n_rarest:
        return f"only {n_different:,} predictions differ"
    return f"only {n_rarest:,.0f} samples of class {rarest}"


def _max_unseen(score: Score, table: Table, pairs: CellPairs, prior: Prior) -> float:
    """Compute the largest change of a score that may go undetected if no prediction differs.

    A change to a share 3/n of the predictions for a class affects none of its n samples with a
    probability of 5%. With groups, n is the number of groups that contain the class.
    """
    scored = scoring.with_prior(table, prior)
    widest = score.highest - score.lowest
    if score.why_undefined(scored):
        return widest
    n, *_ = effective_totals(table)
    if pairs.groups is not None:
        classes, _ = np.unique(np.stack([table.rows[pairs.a], pairs.groups]), axis=1)
        n = np.bincount(classes, minlength=len(n))
    shares = scored.reference_totals / float(scored.total) * np.minimum(ratio_or_zero(3, n), 1)
    return min(float((shares[table.rows] * score.influences(scored)[1]).max()), widest)


def _class_shortage(table: Table, score: Score) -> str:
    """Explain that the smaller classes have too few references.

    They must have at least five on average. The text is empty if they do, and for accuracy.
    """
    if score.name == "accuracy":
        return ""
    references, *_ = effective_totals(table)
    n_others = max(np.count_nonzero(references) - 1, 1)
    mean_of_others = float((references.sum() - references.max()) / n_others)
    qualifier = " on average for all classes but the largest"
    return scoring.shortage_message(mean_of_others, 5, "reference", qualifier)


# Decisions about a build


class Decision(NamedTuple):
    """Whether a build fails, and why. The remark is never empty if the build fails."""

    failed: bool
    remark: str


def decide(result: Difference, required: str | None) -> Decision:
    """Let a build fail unless a comparison shows that B is "better" or "not-worse", as required.

    Without a requirement, the build fails only if the comparison shows that B is worse, by more
    than the margin if there is one. "not-worse" allows a loss up to the margin. A comparison with a
    caveat shows nothing. Equal predictions pass as "not-worse" although they prove nothing, because
    users first try an unchanged model. With several tasks, the mean decides.
    """
    if not result.n_different:
        return Decision(required == "better", _same_predictions(result))
    if reason := _why_not_shown(result, f"B is {(required or 'worse').replace('-', ' ')}"):
        return Decision(bool(required), reason)
    passes, claim = bool(result.within_margin), result.loss_phrase
    if not required:
        passes = result.confidence_interval[1] >= -(result.margin or 0.0)
    elif required == "better":
        passes = result.verdict == "better"
        claim = "B is worse" if result.verdict == "worse" else "B is not shown to be better"
    if passes:
        return Decision(False, "")
    # more samples would not help if B is worse
    advice = "" if claim.startswith("B is worse") else _advice(result, required)
    return Decision(True, f"{claim} {result.shown(3)[1]}{advice}")


def decide_at_least(estimate: Estimate, least: float) -> Decision:
    """Let a build fail unless the interval of a score is at or above `least`, without a caveat."""
    if reason := _why_not_shown(estimate, f"{estimate.metric} is at least {least:g}"):
        return Decision(True, reason)
    low, high = estimate.confidence_interval
    if low >= least:
        return Decision(False, "")
    verb = "is" if high < least else "may be"
    return Decision(True, f"{estimate.metric} {verb} below {least:g} {estimate.shown(3)[1]}")


def _why_not_shown(result: Difference | Estimate, claim: str) -> str:
    """Explain that a result has a caveat or lacks an interval; empty if neither is the case."""
    has_interval = not math.isnan(result.confidence_interval[0])
    reason = result.caveat or ("" if has_interval else "there is no interval")
    return reason and with_subject(f"this does not show whether {claim}", reason)


def _advice(result: Difference, required: str | None) -> str:
    """State what these samples can show, and how many a requirement needs; "" for several tasks."""
    if not isinstance(result, Comparison):
        return ""
    name, size = "difference", result.difference
    detection = cast(significance.Detection, result.paired.detection)
    if required == "not-worse":
        name, size = "margin", result.margin or 0.0
        # assume equally good models, whose share of different predictions does not grow
        detection = detection._replace(growth=0.0)
    planned = replace(result, paired=result.paired._replace(detection=detection))
    advice = f". With 80% power, these samples can show a {name} of {detection.difference():.2g}"
    advice += f". A {name} of {size:.2g} {planned.size_phrase(size)}"
    if result.n_different < _FEW_DIFFERENT:
        advice += f". Only {result.n_different} predictions differ"
    return advice


def _same_predictions(result: Difference) -> str:
    """State that no prediction differs, and how large a change could go undetected.

    For several tasks, the change is left out.
    """
    if not isinstance(result, Comparison):
        return "both models give the same predictions in all tasks"
    same = f"both models give the same predictions for {result.n_samples:,} samples"
    change = f"A change of {result.metric} by up to about {result.max_unseen:.2g}"
    return f"{same}. {change} could go undetected"
