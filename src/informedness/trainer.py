"""`compute_metrics` for the transformers Trainer: the same number from every form of its input.

Neither torch nor transformers is imported. Logits on a device are reduced to classes there, and
only these are moved.
"""

import math
import os
import sys
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from itertools import chain
from threading import get_ident
from typing import Any

import numpy as np

from .core.labels import Label, Numbers, as_array, check_distinct, show, warn
from .core.scores import ZeroDivision, check_zero_division
from .core.table import labels_at
from .inference.registry import scores_with_average
from .inference.score import Score, check_level
from .logits import (
    DECODE,
    SELECT,
    above_threshold,
    align_predictions,
    check_no_vocabulary,
    is_float,
    read_batches,
    warn_of_missing,
)
from .logits import argmax_logits as argmax_logits
from .messages import join
from .multilabel import is_unknown, scores_of_labels
from .results.estimate import estimate_of
from .tables.contingency import ContingencyTable
from .tables.label_options import check_threshold
from .tables.tally import NO_ANSWER, LabelTally, Tally, check_shapes
from .warnings import collected, issue_once

_PADDING = -100  # label that transformers' collators use for padding
_COUNTING: dict[tuple[int, int], int] = {}  # counting threads, by process and object
_CLASSES, _ONE_COLUMN = "classes", "one column"  # forms of batches with one label per sample
_ENDS = ("", "_standard_error", "_low", "_high")  # key suffixes of a score and its interval
# Thresholds implied by the losses of transformers, by the type of problem.
_THRESHOLDS: dict[str | None, float] = {"multi_label_classification": 0.0, "regression": 0.5}


class ComputeMetrics:
    """Scores for `Trainer(compute_metrics=...)`.

    Accepts every form of input that the Trainer can pass: arrays or tensors; all at once, as a list
    of batches or batch by batch; with or without inputs, losses and hidden states; logits, or class
    ids from `preprocess_logits_for_metrics`. Between batches it keeps only counts.

    With several columns of logits the argmax is the prediction. Classes are in the last axis, even
    for token logits of shape (N, L, C) with L = C. A single column is compared with a threshold.
    Labels may also be text.

    A prediction is missing, and counts as wrong, if a score is nan, no score of the sample is
    finite, or several are inf; markedness is then nan. With several labels per sample, a nan
    affects only its own label.

    Parameters
    ----------
    *names : str
        Names of scores, as in `estimate`.
    labels : sequence of labels, optional
        The classes of the task, as ids if predictions are ids. By default, with `config`: the
        columns of logits, or range(config.num_labels) for ids. Without `config`: the labels of
        the references.
    prior : mapping of class to probability, optional
        Class shares to which the references are reweighted, for all scores.
    average : {"bias", "prevalence", "macro"} or None, optional
        Average for scores that have one; by default each score's own. To choose checkpoints with
        many classes, use "prevalence", which never exceeds accuracy. None gives one score per
        class, `informedness_NAME`.
    threshold : float, optional
        For a single column of scores, or several labels per sample: scores above it mean class 1.
        By default it follows the loss that `config` implies: 0.0 for binary cross-entropy, 0.5 for
        squared error. It is never guessed.
    confidence_level : float, optional
        Adds `NAME_standard_error`, `NAME_low` and `NAME_high`.
    ignore_index : label or None
        Drops the samples or tokens whose reference equals it.
    unknown : {"error", "wrong"}
        Whether predicted labels that are missing or out of class raise an error or count as
        wrong.
    zero_division : {"warn", 0.0, 1.0, nan}
        As in `estimate`.
    multilabel : bool, optional
        Whether each column is a separate label; by default `config` decides. Scores are then means
        over the labels for which they are defined. With False, rows of 0 and 1 are tokens.
    per_label : bool
        Adds the score of each label, `informedness_NAME`.
    per_class : bool
        Adds the score of each class, `informedness_NAME`, for the scores that have one.
    config : optional
        The model's configuration: the classes count as declared, and `id2label` names them if
        `num_labels` is the number of columns of the logits.

    Attributes
    ----------
    table : ContingencyTable, or dict of str to ContingencyTable
        The table of the last scores; with several labels per sample, one for each label that has
        samples. None before the first result.

    Raises
    ------
    ValueError
        If a score is unknown, or an option is invalid or conflicts with another.

    Warns
    -----
    InformednessWarning
        If an evaluation was interrupted (the next one discards its batches), or predictions are
        missing.
    LabelsWarning
        As in `informedness_score`, and if references are outside the columns of logits.

    Notes
    -----
    Counts are reset after each result, after each error, and at each new loop over a data loader of
    accelerate, which the Trainer uses. Other loops must call `reset` after an interruption, because
    it cannot be detected there.

    Each thread needs its own instance, such as a deep copy.

    A causal language model predicts the next token: shift its labels first.

    Examples
    --------
    >>> compute_metrics = ComputeMetrics("informedness", "accuracy")
    >>> logits = [[2.0, 0.1], [0.3, 0.9], [1.5, 0.2], [0.6, 0.4]]
    >>> compute_metrics((logits, [0, 1, 1, 0]))
    {'informedness': 0.5, 'accuracy': 0.75}
    """

    def __init__(
        self,
        *names: str,
        labels: Sequence[Label] | None = None,
        prior: Mapping[Any, float] | None = None,
        average: Any = "default",
        threshold: float | None = None,
        confidence_level: float | None = None,
        ignore_index: Label | None = _PADDING,
        unknown: str = "error",
        zero_division: ZeroDivision = "warn",
        multilabel: bool | None = None,
        per_label: bool = False,
        per_class: bool = False,
        config: Any = None,
    ) -> None:
        if config is not None and not hasattr(config, "num_labels"):
            raise ValueError(f"`config` must be that of a model, model.config, got {show(config)}")
        n_classes = getattr(config, "num_labels", 1)
        self._has_labels = labels is not None
        self.labels = range(n_classes) if labels is None and n_classes > 1 else labels
        self.threshold = threshold
        self.confidence_level = confidence_level
        self.multilabel = multilabel
        self.per_label = per_label
        self.config = config
        self.table: ContingencyTable | dict[str, ContingencyTable] | None = None
        self._has_scores_by_class = average is None or per_class
        self._warned_kinds: set[str] = set()
        self._options: dict[str, Any] = {"prior": prior, "zero_division": zero_division}
        self._scores = _scores_named(names, average, unknown, per_class)
        check_threshold(threshold)
        for score in self._scores:
            check_zero_division(zero_division, score.stand_in)
            if confidence_level is not None:
                check_level(confidence_level)
                score.require_interval(prior)
        self._has_several_labels(n_classes)  # raises if options do not allow that
        self._counts = _Counts(self.labels, ignore_index, unknown)
        self.reset()
        if self._has_scores_by_class and self.labels is not None:
            _names_of(self.labels, config)  # raises before training if two classes share a name

    def _has_several_labels(self, n_columns: int) -> bool:
        """Decide whether each column is a label; raise ValueError if options do not allow that."""
        has_several = self.multilabel
        if has_several is None:
            has_several = n_columns > 1 and _problem_of(self.config) == "multi_label_classification"
        if has_several and (self.confidence_level is not None or self._has_scores_by_class):
            rule = "must be left out if samples have several labels: `per_label` scores each"
            raise ValueError(f"`confidence_level`, `per_class` and average=None {rule}")
        return has_several

    def reset(self) -> None:
        """Discard all counts."""
        self._counts.reset()
        self._loop: tuple[weakref.ref[Any], int] | None = None

    def __call__(self, eval_prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """Count a batch or all batches, and return the scores.

        Parameters
        ----------
        eval_prediction : EvalPrediction or (predictions, references)
        compute_result : bool
            False counts the batch and returns no scores yet.

        Returns
        -------
        dict of str to float

        Raises
        ------
        ValueError
            If predictions and references do not match, or their form is ambiguous; the message
            says what to do.
        RuntimeError
            If another thread is still in a call.
        """
        key, thread = (os.getpid(), id(self)), get_ident()
        if _COUNTING.setdefault(key, thread) != thread:  # atomic, so that only one thread passes
            rule = "each thread needs its own, such as a deep copy"
            raise RuntimeError(f"another thread is counting with this ComputeMetrics: {rule}")
        is_over = True
        try:
            self._leave_out_interrupted()
            counts = self._counts.copy()  # so that copies and forks never hold part of a batch
            for predictions, references in read_batches(eval_prediction):
                self._count(counts, predictions, references)
            if compute_result:
                return self._result(counts)
            self._counts, is_over = counts, False
            return {}
        finally:
            if is_over:
                self.reset()
            _COUNTING.pop(key, None)

    def _leave_out_interrupted(self) -> None:
        """Discard the counts of an interrupted loop over a data loader of accelerate."""
        # an interrupted loop leaves its data loader in this list
        state = sys.modules.get("accelerate.state")
        loaders = state.GradientState().dataloader_references if state else [None]
        if loaders[-1] is None:
            return
        loop = weakref.ref(loaders[-1]), loaders.count(loaders[-1])
        if self._counts.form is not None and loop != self._loop:
            warn("an evaluation was interrupted, and its batches are left out of the next one")
            self.reset()
        self._loop = loop

    def _count(self, counts: "_Counts", predictions: Any, references: Numbers) -> None:
        """Count a batch."""
        n_columns = predictions.shape[-1] if predictions.ndim == 2 else 1
        if self._has_several_labels(n_columns):
            check_shapes(references, predictions)
            self._count_labels(counts, f"{n_columns} labels", predictions, references)
            return
        predictions, references, ids = align_predictions(predictions, references)
        if is_float(predictions):
            columns = predictions[:, None], references[:, None]
            self._count_labels(counts, _ONE_COLUMN, *columns)
            return
        if self.threshold is not None or self.per_label:
            form = f"one column of scores or several labels, got {predictions.ndim} axes of ids"
            raise ValueError(f"`threshold` and `per_label` are for predictions of {form}")
        counts.check_form(_CLASSES)
        if ids is not None:
            self._declare(counts, ids, references)
        counts.add_ids(as_array(predictions, "predictions"), references, self._has_labels)

    def _declare(self, counts: "_Counts", ids: range, references: Numbers) -> None:
        """Use the columns of logits as classes, unless `labels` lists them."""
        if self._has_labels:
            if self.labels is not None and isinstance(self.labels[0], str):
                remedy = "their names come from `config`, as in config=model.config"
                raise ValueError(f"`labels` must be ids, the columns of logits: {remedy}")
        elif self.config is None:
            counts.tally.ids = ids
        else:
            if len(ids) != self.config.num_labels:
                check_no_vocabulary(len(ids), references, self.config)
            counts.declare(ids)

    def _count_labels(
        self, counts: "_Counts", form: str, predictions: Any, references: Numbers
    ) -> None:
        """Count scores, or predictions 0 and 1, against references 0 and 1 in each column."""
        counts.check_form(form)
        if is_float(predictions):
            predictions = above_threshold(predictions, _threshold_of(self.config, self.threshold))
        counts.labels.update(references, as_array(predictions, "predictions"))

    def _result(self, counts: "_Counts") -> dict[str, float]:
        """Score everything counted."""
        if counts.form not in (None, _CLASSES):
            return self._result_of_labels(counts)
        table = self.table = counts.tally.table
        if not self._has_labels:
            counts.check_starts(table)
        counts.warn_of_shift()
        warn_of_missing(counts.tally.n_missing, table.total)
        n_columns = None if counts.declared is None else len(counts.declared)
        return self._score(table, self._config_of(n_columns))

    def _result_of_labels(self, counts: "_Counts") -> dict[str, float]:
        """Score a single column, or each of several labels and their mean."""
        has_several = counts.form != _ONE_COLUMN
        n_columns = len(counts.labels.counts)
        config = self._config_of(n_columns) if has_several else None  # has one name for two classes
        names = _names_of(range(n_columns), config)
        tables = counts.labels.tables(names)
        warn_of_missing(counts.labels.counts[..., -1].sum(), counts.labels.counts.sum())
        if has_several:
            self.table = tables
            result: dict[str, float] = {}
            for score in self._scores:
                result |= _over_labels(score, names, tables, self.per_label, **self._options)
            return result
        if self.labels is not None and {*self.labels} != {0, 1}:
            raise ValueError(f"`labels` must be 0 and 1 for {_ONE_COLUMN}, got {self.labels}")
        (self.table,) = tables.values()
        return self._score(self.table, config)

    def _config_of(self, n_columns: int | None) -> Any:
        """Use the configuration only if it has as many classes as the logits have columns."""
        if self.config is None or n_columns in (None, self.config.num_labels):
            return self.config
        with collected() as notes:
            warn(
                f"logits have {n_columns} columns where `config.num_labels` is "
                f"{self.config.num_labels}: the columns are the classes, and have no names; if the "
                f"first output of the model has other values, {SELECT}"
            )
        issue_once(notes, self._warned_kinds)
        return None

    def _score(self, table: ContingencyTable, config: Any) -> dict[str, float]:
        """Score one table, with intervals if wanted."""
        result: dict[str, float] = {}
        with collected() as notes:
            for score in self._scores:
                fields = _fields_of(score, table, config, self.confidence_level, **self._options)
                check_distinct([*result, *fields], "names of scores and classes")
                result |= fields
        issue_once(notes, self._warned_kinds)
        return result


class _Counts:
    """Summed counts of the batches of one evaluation.

    Attributes
    ----------
    tally : Tally
        Counts of ids, one id per sample or token.
    labels : LabelTally
        Counts of 0 and 1, in a single column or one per label.
    form : str or None
        Form of the batches, with the number of labels; None before the first batch.
    declared : range or None
        The columns of logits, if they are the classes.
    """

    def __init__(self, classes: Any, ignore_index: Any, unknown: str) -> None:
        # `add_ids` drops padding; a Tally with this option would reject text labels
        other_index = None if ignore_index == _PADDING else ignore_index
        self._classes = classes
        self._options: dict[str, Any] = {"ignore_index": other_index, "unknown": unknown}
        self._ignore_index = ignore_index
        self.reset()

    def reset(self) -> None:
        """Forget all batches."""
        self.tally = Tally(labels=self._classes, **self._options)
        self.declared: range | None = None
        self.labels = LabelTally(self._ignore_index)
        self.form: str | None = None
        # For sequences of ids: the first ids (prediction, reference), and how many predictions are
        # equal to their own reference, how many to the next one, and how many there are.
        self._starts: Counter[tuple[int, int]] = Counter()
        self._shifts = np.zeros(3, dtype=np.int64)

    def copy(self) -> "_Counts":
        """Copy the counts, so that the original stays unchanged."""
        other = copy(self)
        vars(other).update({name: copy(value) for name, value in vars(self).items()})
        return other

    def check_form(self, form: str) -> None:
        """Raise ValueError if batches of one evaluation have different forms."""
        if self.form not in (None, form):
            raise ValueError(f"batches must be alike, got {form} after {self.form}: call reset()")
        self.form = form

    def declare(self, ids: range) -> None:
        """Declare these ids as classes; all batches of one evaluation must have the same."""
        if self.declared is None:
            self.tally, self.declared = Tally(labels=ids, **self._options), ids
        elif self.declared != ids:
            rule = f"got logits of {len(ids)} columns after {len(self.declared)}"
            raise ValueError(f"batches must be alike, {rule}: call reset()")

    def add_ids(self, predictions: Numbers, references: Numbers, has_labels: bool) -> None:
        """Count one id per sample or token; if `labels` is not given, errors say what to pass."""
        has_tokens = references.ndim == 2
        if has_tokens and references.size and predictions.dtype.kind in "iu":
            self._note_sequences(predictions, references)
        predictions, references = predictions.ravel(), references.ravel()
        is_counted = np.asarray(references != self._ignore_index)
        is_missing = np.asarray(predictions == NO_ANSWER)
        is_answered = is_counted & ~is_missing
        self.tally.update_missing(references[is_counted & is_missing])
        try:
            sides = {"references": references, "predictions": predictions}
            self.tally.update(**{name: side[is_answered] for name, side in sides.items()})
        except ValueError as error:
            if has_labels or not (has_tokens or self._classes):
                raise
            remedy = "pass logits, whose columns count instead, or `labels`"
            rule, separator = f"the classes are those of `config`: {remedy}", "; "
            if has_tokens:
                rule, separator = f"{DECODE}; if these are classes of tokens", ", "
            raise ValueError(join([rule, error], separator)) from error

    def _note_sequences(self, predictions: Numbers, references: Numbers) -> None:
        """Count first ids of sequences, and predictions equal to the next reference."""
        first_ids = zip(predictions[:, 0].tolist(), references[:, 0].tolist(), strict=True)
        self._starts.update(first_ids)
        is_counted = np.asarray(references != self._ignore_index)
        own, following = predictions == references, predictions[:, :-1] == references[:, 1:]
        n_following = np.count_nonzero(following & is_counted[:, 1:])
        self._shifts += np.count_nonzero(own & is_counted), n_following, is_counted.sum()

    def check_starts(self, table: ContingencyTable) -> None:
        """Raise ValueError if all predictions begin with the same id, and no reference does."""
        pairs = [x for x in self._starts.elements() if x[1] >= 0 and x[0] != NO_ANSWER]
        first_ids = {prediction for prediction, _ in pairs}
        is_apart = len(first_ids) == 1 and not first_ids & {reference for _, reference in pairs}
        spelled = table.spelled or table
        predicted = labels_at(spelled, spelled.prediction_totals > 0)
        # an untrained model may predict one id everywhere, which is not an error
        if is_apart and len({*predicted} - {None}) > 1 and len(pairs) > 4:
            raise ValueError(
                f"all sequences of predictions begin with {first_ids.pop()}, and no references do: "
                f"{DECODE}; for classes of tokens pass `labels`"
            )

    def warn_of_shift(self) -> None:
        """Warn if predictions of tokens agree with the next reference, not with their own."""
        n_own, n_following, n = self._shifts.tolist()
        if n_following > max(2 * n_own, n / 2, 20):
            warn(
                f"predictions of tokens are equal to the next reference in {n_following} of {n} "
                f"cases, and to their own in {n_own}: a causal language model predicts the next "
                "token, so pass predictions[:, :-1] and references[:, 1:]"
            )


# Results from options, a configuration and one table


def _scores_named(names: Sequence[str], average: Any, unknown: str, per_class: bool) -> list[Score]:
    """Find scores by name; `per_class` adds those that have a value for each class."""
    if not names:
        raise ValueError("`names` must hold a score: name one, such as 'informedness'")
    scores = scores_with_average(names, average, unknown)
    if not per_class:
        return scores
    by_class = [score.with_average(None) for score in scores if None in score.averages]
    if not by_class or any(score.average is None for score in scores):
        rule = "for scores with a value for each class beside their average"
        known = ", ".join(score.name for score in scores)
        raise ValueError(f"`per_class` is {rule}, such as 'informedness', got {known}")
    return scores + by_class


def _problem_of(config: Any) -> str | None:
    """Read a model's problem type, which transformers may set only at the first batch."""
    return getattr(config, "problem_type", None)


def _threshold_of(config: Any, threshold: float | None) -> float:
    """Use the given threshold, or the one implied by the model's loss."""
    if threshold is None:
        threshold = _THRESHOLDS.get(_problem_of(config))
    if threshold is None:
        values = "0.0 for logits, 0.5 for probabilities or after squared error"
        raise ValueError(f"`threshold` must be given: {values}; make class ids integers")
    return threshold


def _names_of(labels: Sequence[Label | None], config: Any) -> list[str]:
    """Name classes for result keys; raise ValueError if two names are equal."""
    names_by_id = getattr(config, "id2label", None) or {}
    names = [str(names_by_id.get(label, label)) for label in labels if label is not None]
    check_distinct(names, "config.id2label")
    return names


def _fields_of(
    score: Score, table: ContingencyTable, config: Any, level: float | None, **options: Any
) -> dict[str, float]:
    """Score a table, or each of its classes, by key; a level adds intervals."""
    is_nan = is_unknown(score, table)
    keys, ends = [score.name], _ENDS if level is not None else _ENDS[:1]
    if score.average is None:
        labels = table.labels if is_nan else score.class_labels(table)
        keys = [f"{score.name}_{name}" for name in _names_of(labels, config)]
    if is_nan:
        rows = [[math.nan] * len(ends)] * len(keys)
    elif level is None:
        rows = [[value] for value in np.ravel(score.value(table, **options)).tolist()]
    else:
        estimates = estimate_of(table, score.require_interval(options["prior"]), level, **options)
        rows = [[x.value, x.standard_error, *x.confidence_interval] for x in estimates]
    fields = [f"{key}{end}" for key in keys for end in ends]
    return dict(zip(fields, chain(*rows), strict=True))


def _over_labels(
    score: Score, names: list[str], tables: Any, per_label: bool, **options: Any
) -> dict[str, float]:
    """Average a score over labels, by key, and add the score of each label if wanted."""
    scored = scores_of_labels(tables, names, score, **options)
    by_label = {f"{score.name}_{name}": x for name, x in scored.scores.items() if per_label}
    return {score.name: scored.mean, **by_label}
