"""Estimate scores with standard errors and confidence intervals, and read samples of models."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from ..core.labels import Codes, Column, Label, Numbers, code_integers, join_columns, show, warn
from ..core.scores import Average, ZeroDivision, __version__, check_zero_division
from ..core.table import Table, Task, is_real, read_weights
from ..inference import score as scoring
from ..inference.registry import SAME_VERSION, score_with_average, warn_of_version
from ..inference.score import INFORMEDNESS, Interval, Prior, Score, warn_of_caveats, wilson_margin
from ..inference.significance import CellPairs, n_groups, with_design_effects
from ..tables import contingency, label_options
from ..tables.contingency import ContingencyTable, SampleOptions
from ..tables.label_options import read_label_columns, read_labels, to_class_names
from ..tables.label_warnings import warn_of_nulls, warn_of_own_labels, warn_of_table
from ..text.layout import Measured, Rows
from ..text.render import as_json, interval_heads, rounded, shown
from ..warnings import IntervalWarning

if TYPE_CHECKING:
    from typing_extensions import Unpack

# the averages that give a single number
AverageOption: TypeAlias = Literal["default", "bias", "prevalence", "macro"]
FEW_GROUPS = 10  # with fewer groups, a sum over groups is far from normally distributed


@dataclass(frozen=True, repr=False)
class Estimate(Measured):
    """A score with its standard error and confidence interval.

    Attributes
    ----------
    metric : str
        The name of the score.
    value : float
        The value of the score.
    standard_error : float
        Standard error by the delta method, in units of the score. It is nan if the score is
        undefined. Except for accuracy, it is also nan if all references (for markedness,
        predictions) are of one class. With `average=None`, it is also nan for a class whose TPR or
        FPR is undefined; in a slice, if all samples of the slice are in one group. If all
        predictions are correct, and it is not nan, it is 0, except for NIT and `corrected_rate`.
    confidence_interval : (float, float)
        Lower and upper end of the interval, which contains a defined value. Except for
        `corrected_rate`, both are nan if the standard error is nan. With a prior, they are also nan
        if a class has too few references; for NIT and EMA, if too many classes may be missing from
        the samples.
    confidence_level : float
        Share of such intervals that should contain the true value.
    effective_sample_size : float
        (sum w)^2 / sum w^2 for weights w; without weights, the number of samples.
    label : label or None
        The class of the score, or None for a score of the whole table.
    signature : str
        A line that records the options, the number of samples and the version.
    caveat : str
        Why the coverage of the interval may be too low, or why there is no interval; empty if no
        reason is known. Except for `corrected_rate`, it is empty if the standard error is nan.
    """

    metric: str
    value: float
    standard_error: float
    confidence_interval: tuple[float, float]
    confidence_level: float
    effective_sample_size: float
    label: Label | None
    signature: str
    caveat: str = field(default="", repr=False)
    n_classes: int = field(default=0, repr=False)

    def __str__(self) -> str:
        """Format the value, its standard error and its interval on one line."""
        name = self.metric if self.label is None else f"{self.metric} of {show(self.label)}"
        error = f", standard error {self.standard_error:.4f}" if self.standard_error > 0 else ""
        return f"{name} {self.value:.4f}{error}, {self.interval_in_words()[1:-1]}"

    def text_tables(self) -> list[Rows]:
        """Tabulate the estimate in one row."""
        name = self.metric if self.label is None else f"{self.metric} of {shown(self.label)}"
        head = ["", "value", *interval_heads(self.confidence_level)]
        return [[head, [name, rounded(self.value, 4), *self.shown()]]]

    def text_lines(self) -> list[str]:
        """Write the signature below the table."""
        return [self.signature]

    def records(self) -> list[dict[str, Any]]:
        """Convert the estimate to a list with one record."""
        plain = {"metric": self.metric, "label": as_json(self.label), "value": as_json(self.value)}
        return [{**plain, **self.fields(), "confidence_level": self.confidence_level}]


def estimates_of(
    table: Table, score: Score, level: float, pairs: CellPairs | None = None, **options: Any
) -> list[Estimate]:
    """Estimate a score, or the score of each class if its average is None, without warnings.

    `pairs` has the samples if they are in groups. `options` appear in the signature. A `prior`
    among them also changes the estimates.
    """
    scoring.check_level(level)
    prior: Prior = options.get("prior")
    adjusted, error, fewest = table, None, math.inf
    if pairs is not None:
        adjusted, error, fewest = with_design_effects(table, score, pairs)
    if score.average is None:
        intervals = scoring.intervals_by_class(score.orient(adjusted)[1], level)
    else:
        intervals = [score.interval(adjusted, level, prior, error)]
    if n_groups(pairs) == 1:  # the variance between groups is unknown
        intervals = [Interval(intervals[0].value)]
    caveat = group_shortage(pairs, fewest) or score.caveat(adjusted, prior)
    line = score.signature(table, interval=level_text(level, pairs), **options)
    labels = score.class_labels(table) if score.average is None else (None,)
    size = scoring.effective_sample_size(table)
    estimates = []
    for label, (value, standard_error, *ends) in zip(labels, intervals, strict=True):
        signature = line if label is None else f"{line}|class:{show(label)}"
        known_caveat = "" if math.isnan(standard_error) else caveat
        results: Any = value, standard_error, tuple(ends), float(level), size
        details: Any = label, signature, known_caveat, table.n_classes
        estimates.append(Estimate(score.name, *results, *details))
    return estimates


def reported_estimates(
    table: Table, level: float | None, scores: Mapping[str, Score], **options: Any
) -> dict[str, Estimate]:
    """Estimate each score of a report without warnings; {} without a confidence level.

    Raises
    ------
    ValueError
        If there are groups without a confidence level, because groups affect only intervals. Also
        if the level is not valid, or if a table of weights lacks squared weights.
    """
    if level is None:
        if options.get("pairs") is not None:
            raise ValueError("`groups` affect only intervals: pass a `confidence_level` like 0.95")
        return {}
    return {name: estimates_of(table, x, level, **options)[0] for name, x in scores.items()}


def warn_of_intervals(estimates: Iterable[Estimate]) -> None:
    """Warn of intervals that have a caveat or are missing because of it, once per caveat."""
    warn_of_caveats([(x.metric, x.caveat, math.isnan(x.confidence_interval[0])) for x in estimates])


def estimate_table(
    table: Table, score: Score, level: float, pairs: CellPairs | None = None, **options: Any
) -> list[Estimate]:
    """Estimate a score, or the score of each class if its average is None, with warnings.

    The options are `prior`, `zero_division` and `ignore_index`.
    """
    zero_division = options.setdefault("zero_division", "warn")
    check_zero_division(zero_division, score.stand_in)
    value = score.value(table, prior=options.get("prior"), zero_division=zero_division)
    estimates = estimates_of(table, score, level, pairs, **options)
    warn_of_intervals(estimates)
    values = value if score.average is None else [value]
    return [replace(result, value=number) for result, number in zip(estimates, values, strict=True)]


class Options(SampleOptions, total=False):
    """Keyword arguments of `estimate`, for type checkers."""

    groups: Any
    confidence_level: float


@overload
def estimate(
    y_true: Any, y_pred: Any = ..., metric: str = ..., *, average: None, **options: Unpack[Options]
) -> list[Estimate]: ...
@overload
def estimate(
    y_true: Any,
    y_pred: Any = ...,
    metric: str = ...,
    *,
    average: AverageOption = ...,
    **options: Unpack[Options],
) -> Estimate: ...
def estimate(
    y_true: Any,
    y_pred: Any = None,
    metric: str = "informedness",
    *,
    labels: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    average: Average | Literal["default"] = "default",
    prior: Mapping[Any, float] | None = None,
    zero_division: ZeroDivision = "warn",
    confidence_level: float = 0.95,
) -> Estimate | list[Estimate]:
    r"""Compute a score with its standard error and confidence interval.

    .. math:: SE^2 = \Big(\sum_{ij} p_{ij} g_{ij}^2 - (\sum_{ij} p_{ij} g_{ij})^2\Big) / N

    where p are the shares of the table's cells, and N is the number of samples. The gradient g of
    the score is with respect to p. For two classes with :math:`n_1` positive and :math:`n_0`
    negative references, the SE of Informedness is
    :math:`\sqrt{TPR(1-TPR)/n_1 + TNR(1-TNR)/n_0}`. For weighted samples,
    :math:`SE^2 = \sum w^2 (g - \bar g)^2 / (\sum w)^2`. With a prior, the total of each row of the
    table counts as fixed, so the mean of g in each row takes the place of the overall mean.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`. Without groups, a `ContingencyTable` may be passed as `y_true`
        instead of labels; `ignore_index` then appears only in the signature.
    metric : str
        The score: "accuracy", "balanced_accuracy", "f1_macro", "cohen_kappa",
        "matthews_corrcoef", "informedness", "markedness", "nit" or "ema".
    groups : array-like of shape (n_samples,), optional
        The group each sample belongs to, for example the document of a question. The standard error
        is then computed from sums by class and group. For the interval, the number of samples of
        each class (for NIT and EMA, of each cell) is divided by its design effect. Groups cannot be
        combined with a prior or `average=None`.
    average : {"bias", "prevalence", "macro"} or None, optional
        Average of Informedness or markedness; by default "bias" for Informedness and "prevalence"
        for markedness. None gives a list with one estimate per class, in label order.
    prior : mapping of class to probability or count, optional
        Class shares to which the references are reweighted, for an average of Informedness.
    zero_division : {"warn", 0.0, 1.0, nan}
        Value of Informedness, markedness or NIT if it is undefined. "warn" gives 1.0 for NIT, and
        0.0 for the others, with a warning. Besides nan, no other number is allowed. Other scores
        ignore the option, but also allow only nan and the number that they give if undefined.
    confidence_level : float
        Level of the interval, between 0 and 1.

    Returns
    -------
    Estimate, or list of Estimate if `average` is None

    Raises
    ------
    ValueError
        As in `informedness_score`. Also if an option is not valid, if there are fewer than two
        groups, or if a table of weights lacks `squared_weights`.

    Warns
    -----
    IntervalWarning
        If the coverage of the interval may be too low, or if the interval is nan although the
        standard error is not. Examples of reasons are fewer than 5 references outside the largest
        class, and fewer than 10 groups. Another example is fewer than 5 effective groups of classes
        that carry more than a tenth of the variance.
    UndefinedMetricWarning, LabelsWarning, InformednessWarning
        As in `informedness_score`.

    References
    ----------
    Wilson (1927), "Probable inference, the law of succession, and statistical inference";
    Newcombe (1998), "Interval estimation for the difference between independent proportions";
    Zou and Donner (2008), "Construction of confidence limits about effect measures"; for NIT
    and EMA Chao, Wang and Jost (2013), "Entropy and the species accumulation curve".

    Examples
    --------
    >>> references = ["ham"] * 90 + ["spam"] * 10
    >>> predictions = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 2 + ["spam"] * 8
    >>> print(estimate(references, predictions))
    informedness 0.7333, standard error 0.1292, 95% interval 0.4112 to 0.9953
    """
    score = score_with_average(metric, average, unknown).require_interval(prior)
    if groups is not None and (prior is not None or average is None):
        raise ValueError("`groups` cannot be combined with `prior` or with average=None")
    table, pairs = read_table(y_true, y_pred, groups, labels, sample_weight, ignore_index, unknown)
    prior, ignore_index = (to_class_names(x, y_true, y_pred) for x in (prior, ignore_index))
    signed: dict[str, Any] = {"zero_division": zero_division, "ignore_index": ignore_index}
    estimates = estimate_table(table, score, confidence_level, pairs, prior=prior, **signed)
    return estimates if average is None else estimates[0]


# Samples of models


def level_text(level: float | None, pairs: CellPairs | None = None) -> str | None:
    """Write the number of groups and the confidence level for a signature; None without a level."""
    if level is None:
        return None
    n = n_groups(pairs)
    return (f"groups:{n}|" if n else "") + f"ci:{float(level)!r}"


def group_shortage(pairs: CellPairs | None, fewest: float, least: int = FEW_GROUPS) -> str:
    """Explain that there are too few groups; empty if there are enough.

    `fewest` is `min_effective_groups` of `GroupVariance`, or inf without groups. `least` is the
    recommended number of groups.
    """
    n = n_groups(pairs)
    shortage = scoring.shortage_message(n, least, "group") if n else ""
    qualifier = " of a class that decides the error"
    return shortage or scoring.shortage_message(fewest, 5, "group", qualifier)


Arrays: TypeAlias = Mapping[str, Any]  # the keys are the names of the caller's arguments


@dataclass(frozen=True)
class ModelSamples:
    """Predictions of one or more models for the same samples.

    With counts, a row represents several samples. Arrays have a value for each counted row: ignored
    samples, and those of weight or count 0, are left out.

    Attributes
    ----------
    arguments : list of str
        Name of the argument that holds each model's predictions.
    rows : index
        Index that selects the counted rows of the input.
    tables : list of ContingencyTable
        The table of each model.
    cells : list of arrays of shape (n_rows,)
        For each model, the position of each row's cell in the model's table.
    references, predictions : array of shape (n_rows,), list of such arrays
        Labels as positions in the combined labels of all tables.
    counts : array of shape (n_rows,)
        Number of samples that each row represents.
    weights, groups : arrays of shape (n_rows,), or None
        Weight of each sample, and code of its group.
    """

    arguments: list[str]
    rows: Any
    tables: list[ContingencyTable]
    cells: list[Codes]
    references: Codes
    predictions: list[Codes]
    counts: Numbers
    weights: Numbers | None
    groups: Codes | None

    def count_samples(self, rows: Numbers) -> int:
        """Count the samples that the selected rows represent."""
        return int((self.counts * rows).sum())

    def pairs_in_groups(self, model: int) -> CellPairs | None:
        """Pair the cell of each sample in a model's table with itself; None without groups."""
        return None if self.groups is None else self.pair(model, model)

    def pair(self, a: int, b: int) -> CellPairs:
        """Pair the cells of two models in each sample.

        Equal pairs are counted, unless samples have weights or groups.
        """
        if self.weights is None and self.groups is None:
            n_cells = len(self.tables[b].rows)
            keys, codes = code_integers(self.cells[a] * n_cells + self.cells[b])
            counts = np.bincount(codes, self.counts)
            return CellPairs(*np.divmod(keys, n_cells), counts, np.ones(len(keys)))
        weights = np.ones(len(self.counts)) if self.weights is None else self.weights
        differ = None if self.groups is None else self.predictions[a] != self.predictions[b]
        return CellPairs(self.cells[a], self.cells[b], self.counts, weights, self.groups, differ)

    def pairs_by_slice(self, slices: Column) -> dict[Any, CellPairs]:
        """Split the grouped samples of a single model by slice; the key None has all samples.

        In each slice, cells are numbered as in the table of the slice, and groups from 0.
        """
        all_pairs: Any = self.pair(0, 0)
        pairs: dict[Any, CellPairs] = {None: all_pairs}
        names, codes = slices.labels_and_codes()
        for code in np.unique(codes).tolist():
            a, _, counts, weights, groups = (column[codes == code] for column in all_pairs[:5])
            (_, cells), (_, groups) = code_integers(a), code_integers(groups)
            pairs[names[code]] = CellPairs(cells, cells, counts, weights, groups)
        return pairs


def read_samples(y_true: Any, predictions: Arrays, extras: Arrays, *options: Any) -> ModelSamples:
    """Read samples with the predictions of one or more models.

    `extras` may have `counts`, `sample_weight` and `groups`. The options are `labels`,
    `ignore_index` and `unknown`, in this order.
    """
    containers = {"y_true": y_true, **predictions}
    (references, *columns), task = read_label_columns(containers, *options, **extras)
    return build_samples(references, dict(zip(predictions, columns, strict=True)), task, extras)


def build_samples(
    references: Column, predictions: Mapping[str, Column], task: Task, extras: Arrays
) -> ModelSamples:
    """Build the samples of models from columns of labels, shape (n_rows,).

    `predictions` maps the argument of each model to its column. `extras` are as in `read_samples`.
    """
    n_rows = len(references)
    weights, counts, groups = map(extras.get, ("sample_weight", "counts", "groups"))
    weights = None if weights is None else read_weights(weights, n_rows)
    times = np.ones(n_rows)
    if counts is not None:
        times = contingency.read_integers(contingency.read_counts(n_rows, counts=counts)[0])
    rows = task.select_samples(references, times if weights is None else np.minimum(times, weights))
    groups = None if groups is None else _codes_of_groups(groups, n_rows, rows)

    references, *columns = (column[rows] for column in (references, *predictions.values()))
    times = times[rows]
    weights = None if weights is None else weights[rows]
    task = task._replace(ignored=None)
    tables = []
    for argument, column in zip(predictions, columns, strict=True):
        if counts is None:
            table = ContingencyTable._from_columns(references, column, task, weights)
        elif weights is None:
            table = ContingencyTable._from_pair_counts(references, column, task, counts=times)
        else:
            sums = {"counts": times * weights, "squared_weights": times * weights**2}
            sums["n_samples"] = times
            table = ContingencyTable._from_pair_counts(references, column, task, **sums)
        warn_of_table(table, ("y_true", argument))
        tables.append(table)
    codes = _encode_rows(tables, references, columns)
    return ModelSamples([*predictions], rows, tables, *codes, times, weights, groups)


def _encode_rows(
    tables: list[ContingencyTable], references: Column, columns: list[Column]
) -> tuple[list[Codes], Codes, list[Codes]]:
    """Encode the cell of each row in each table, the references and the predictions."""
    positions = {label: i for i, label in enumerate(ContingencyTable.sum_of(tables).labels)}
    n_labels = len(positions)
    labels, codes = join_columns([references, *columns]).labels_and_codes()
    # with unknown="wrong", all out-of-class predictions have the last code
    to_position = np.array([positions.get(k, n_labels - 1) for k in labels], dtype=np.int64)
    r, *prediction_codes = to_position[codes].reshape(1 + len(columns), -1)
    # the pairs of codes that occur are the cells of the table, in the same order
    return [code_integers(r * n_labels + p)[1] for p in prediction_codes], r, prediction_codes


def read_table(
    y_true: Any, y_pred: Any, groups: Any, labels: Any, sample_weight: Any, *options: Any
) -> tuple[ContingencyTable, CellPairs | None]:
    """Read the table of one model, and its samples if they are in groups.

    The options are `ignore_index` and `unknown`, in this order.
    """
    if groups is None:
        return contingency.as_table(y_true, y_pred, labels, sample_weight, *options), None
    extras = {"sample_weight": sample_weight, "groups": groups}
    samples = read_samples(y_true, {"y_pred": y_pred}, extras, labels, *options)
    return samples.tables[0], samples.pairs_in_groups(0)


def _codes_of_groups(groups: Any, n_rows: int, rows: Any) -> Codes:
    """Encode the group of each counted row as an integer from 0, in the order of group names."""
    names = read_labels(groups, "groups")
    if len(names) != n_rows:
        numbers = f"{len(names)} for {n_rows} rows"
        raise ValueError(f"`groups` must name a group for each row, got {numbers}")
    _, codes = code_integers(contingency.common_codes(names, names)[1][rows])
    if not codes.any():
        raise ValueError("`groups` must name at least two groups, got one")
    return codes


# Rates that a judge estimates


def corrected_rate(
    y_true: Any,
    y_pred: Any,
    judged: Any,
    *,
    positive: Label,
    confidence_level: float = 0.95,
    groups: None = None,
    prior: None = None,
) -> Estimate:
    r"""Estimate the true rate of a label among answers that only a judge has labelled.

    .. math:: \theta = (q - FPR) / (TPR - FPR)

    where q is the share of `positive` among the judge's labels of these answers. TPR and FPR are
    the judge's true and false positive rates on the answers that people have labelled. The rate is
    clipped to the range from 0 to 1. The judge must have the same error rates on all answers, and
    the answers must be independent.

    The interval contains all rates :math:`\theta` for which
    :math:`q - \theta\,TPR - (1 - \theta)\,FPR` differs from 0 by at most its margin of error.
    This margin adds in quadrature the Wilson margins of q, :math:`\theta\,TPR` and
    :math:`(1 - \theta)\,FPR` on the side towards 0. The interval does not divide by
    J = TPR - FPR, so for a judge hardly better than guessing it is from 0 to 1.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_labelled,)
        Labels by people and by the judge for the same answers: integers, strings or bytes, in any
        container.
    judged : array-like of shape (n_judged,), or tuple of two integers
        The judge's labels of the other answers, or a tuple of two counts: the answers labelled
        `positive`, and all judged answers. A tuple of two numbers is always read as counts.
    positive : label
        The label whose rate is estimated. All other labels count as negative, and so do missing
        labels of the judge. A missing label in `y_true` is an error.
    confidence_level : float
        Level of the interval, between 0 and 1.
    groups, prior : None
        Not supported; any value but None raises ValueError.

    Returns
    -------
    Estimate
        The rate, from 0 to 1. If J is not above 0, or `y_true` is all positive or all negative,
        the value is nan and the interval is 0 to 1. If no rate fits the judge's labels, the value
        is 0 or 1 and the interval is 0 to 1. `effective_sample_size` is the number of labelled
        answers, and `standard_error` is by the delta method.

    Raises
    ------
    ValueError
        As in `informedness_score`. Also if an option is not valid, or if `positive` is not a label
        of `y_true`. Also if `judged` is empty, has only labels that are not in `y_true`, or is a
        tuple of numbers that are not such counts.

    Warns
    -----
    IntervalWarning
        With fewer than 100 labelled answers, or fewer than 5 positive or 5 negative ones. Also if
        the interval of J contains 0, if J is not above 0, or if no rate fits the judge's labels.
    LabelsWarning
        As in `informedness_score`.

    References
    ----------
    Rogan and Gladen (1978), "Estimating prevalence from the results of a screening test"; Zou and
    Donner (2008), "Construction of confidence limits about effect measures"; for another interval
    Lang and Reiczigel (2014), "Confidence limits for prevalence of disease adjusted for estimated
    sensitivity and specificity".

    Examples
    --------
    The judge labels as good 90 of 100 good answers, 20 of 100 bad answers, and 600 of 1,000 answers
    without a label by people:

    >>> people = ["good"] * 100 + ["bad"] * 100
    >>> judge = ["good"] * 90 + ["bad"] * 10 + ["good"] * 20 + ["bad"] * 80
    >>> print(corrected_rate(people, judge, (600, 1000), positive="good"))
    corrected_rate of 'good' 0.5714, standard error 0.0411, 95% interval 0.4870 to 0.6597
    """
    if groups is not None or prior is not None:
        reason = "the interval assumes independent answers and estimates the rate"
        raise ValueError(f"`groups` and `prior` must be left out: {reason}")
    scoring.check_level(confidence_level)
    table = contingency.table_of_labels(y_true, y_pred, None, None, None, "wrong")
    label: Any = read_labels([to_class_names(positive, y_true, y_pred)], "positive").example()
    names = table.labels[: table.n_classes]  # without the None of out-of-class labels
    if label not in names:
        raise ValueError(f"`positive` must be one of {show(names)}, got {show(label)}")
    n_called, n_judged = _count_judged(judged, label, table.labels, y_true, y_pred)
    code = table.labels.index(label)
    sizes = np.array([n_judged, table.reference_totals[code], table.other_references[code]])
    counts = np.array([n_called, table.hits[code], table.false_positives[code]])
    matrix = np.array([counts, sizes - counts]).T[1:]
    j = INFORMEDNESS.interval(ContingencyTable.from_matrix(matrix), confidence_level)

    unit = "labelled answer"
    rarer = scoring.shortage_message(float(sizes[1:].min()), 5, unit, " of the rarer class")
    caveats = [scoring.shortage_message(float(sizes[1:].sum()), 100, unit), rarer]
    if j.low <= 0:
        caveats.append(f"J is {j.value:.2f} ({j.low:.2f} to {j.high:.2f}) and may not be above 0")
    rate = Interval(math.nan)
    if j.value > 0:
        rate = _correct(counts / sizes, sizes, scoring.normal_quantile(confidence_level))
        if math.isnan(rate.low):
            caveats.append("no rate fits, so the judge's error rates may differ on these answers")
    if caveat := "; ".join(filter(None, caveats)):
        warn(f"the corrected rate of {show(label)} is unreliable: {caveat}", IntervalWarning)

    interval = (0.0, 1.0) if math.isnan(rate.low) else (rate.low, rate.high)
    settings = f"judged:{n_judged}|{level_text(confidence_level)}"
    line = f"{scoring.signature_of('corrected_rate', table, interval=settings)}|class:{show(label)}"
    level, size = float(confidence_level), float(table.total)
    return Estimate("corrected_rate", *rate[:2], interval, level, size, label, line, caveat)


def _count_judged(judged: Any, label: Label, labels: Any, *containers: Any) -> tuple[int, int]:
    """Count the judged answers with the label, and all judged answers.

    `labels` are the labels by people, and None if the judge has used another label. `containers`
    hold the labels by people and by the judge.
    """
    if isinstance(judged, tuple) and len(judged) == 2 and all(map(is_real, judged)):
        n_called, n_judged = contingency.read_integers(judged, "judged").tolist()
        is_valid = n_called <= n_judged > 0
    else:
        column = label_options.read_other_predictions(judged, "judged", *containers).tolist()
        n_called, n_judged = column.count(label), len(column)
        is_valid = not {*column}.isdisjoint(labels)
    if not is_valid:
        rule = f"hold labels such as {show(labels)}, or be a tuple of counts (positive, all)"
        raise ValueError(f"`judged` must {rule}, got {show(judged)}")
    return n_called, n_judged


def _correct(shares: Numbers, sizes: Numbers, z: float) -> Interval:
    """Compute the corrected rate from the shares q, TPR and FPR, and their sample sizes.

    The interval is nan if no rate fits q within the margins of error.
    """
    (q, tpr, fpr), variances = shares.tolist(), shares * (1 - shares) / sizes
    low, high = (wilson_margin(x, variances, sizes, z).tolist() for x in (shares, 1 - shares))

    def fits(rate: float) -> bool:
        gap = q - rate * tpr - (1 - rate) * fpr
        margins = (low[0], *high[1:]) if gap > 0 else (high[0], *low[1:])
        return bool(abs(gap) <= math.hypot(*np.multiply(margins, (1, rate, 1 - rate))))

    rate = min(max((q - fpr) / (tpr - fpr), 0.0), 1.0)
    error = math.sqrt(variances @ (1, rate**2, (1 - rate) ** 2)) / (tpr - fpr)
    bounds = []
    for end in (0.0, 1.0):  # bisect between a rate that fits and one that does not
        good, bad = end if fits(end) else rate, end
        for _ in range(60):
            middle = (good + bad) / 2
            good, bad = (middle, bad) if fits(middle) else (good, middle)
        bounds.append(good if fits(rate) else math.nan)
    return Interval(rate, error, *bounds)


# Intervals of metric modules


def warn_of_module(own_table: Any, version: str) -> None:
    """Warn of unusual labels, and if a metric module's version differs from this package's.

    `own_table` is an instance of the module's own copy of `Table`.
    """
    warn_of_version(version)
    warn_of_nulls(own_table)
    if not own_table.is_declared:
        details = own_table.n_classes, own_table.n_samples, own_table.labels[0]
        warn_of_own_labels(*details, "references")


def companions_of(
    score: Mapping[str, Any],
    own_table: Any,
    level: float | None,
    return_signature: bool,
    options: Mapping[str, Any],
    version: str,
) -> dict[str, Any]:
    """Compute the standard error, interval and signature that a metric module adds to its score.

    `score` maps the name of the score to its value. `own_table` is an instance of the module's own
    copy of `Table`. `options` and `version` are those of the module. The result is empty without a
    level, unless `return_signature` is True.

    Raises
    ------
    ValueError
        If the level is not valid, or the options allow no interval.
    RuntimeError
        If a level is passed, and this package computes a different value of a defined score.
    """
    if level is None and not return_signature:
        return {}  # a score alone must not depend on the fields of the module's table
    ((name, value),) = score.items()
    table = Table(*(getattr(own_table, field.name) for field in fields(Table)))
    companions: dict[str, Any] = {}
    if level is not None:
        estimates = _estimates_of_module(name, value, table, level, options, version)
        for attribute in ("standard_error", "confidence_interval"):
            numbers = np.array([getattr(estimate, attribute) for estimate in estimates]).tolist()
            companions[f"{name}_{attribute}"] = numbers if isinstance(value, list) else numbers[0]
    if return_signature:
        settings = {**options, "interval": level_text(level), "version": version}
        companions[f"{name}_signature"] = scoring.signature_of(name, table, **settings)
    return companions


def _estimates_of_module(
    name: str, value: Any, table: Table, level: float, options: Mapping[str, Any], version: str
) -> list[Estimate]:
    """Estimate a module's score, with warnings.

    Raise RuntimeError if the score is defined, and this package computes a different value.
    """
    if options.get("prior_mode", "") == "odds":
        raise ValueError('`confidence_level` must be left out with prior_mode="odds"')
    prior = options.get("prior")
    score = score_with_average(name, options.get("average", "default")).require_interval(prior)
    estimates = estimates_of(table, score, level, prior=prior)
    values = [estimate.value for estimate in estimates]
    is_same = np.allclose(values, value, rtol=0, atol=1e-12, equal_nan=True)
    if not is_same and not score.why_undefined(table):
        metric = f"the metric {name!r} of version {version} scores {value}"
        package = f"the installed package, version {__version__}, scores {values}"
        raise RuntimeError(f"{metric}, and {package}. {SAME_VERSION}")
    warn_of_intervals(estimates)
    return estimates
