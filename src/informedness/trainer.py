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
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, product
from threading import get_ident
from typing import Any

import numpy as np

from . import logits
from .core.labels import Label, Numbers, as_array, check_distinct, show, warn
from .core.scores import ZeroDivision, check_zero_division
from .core.table import labels_at
from .inference.registry import scores_with_average
from .inference.score import Score, check_level
from .logits import argmax_logits as argmax_logits
from .messages import join
from .multilabel import is_unknown, scores_of_labels
from .results.estimate import estimate_table
from .tables.contingency import NO_ANSWER, ContingencyTable, LabelTally, Tally, check_shapes
from .tables.label_options import check_threshold
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
            rule = "must be the configuration of a model, as in model.config"
            raise ValueError(f"`config` {rule}, got {show(config)}")
        n_classes = getattr(config, "num_labels", 1)
        self._has_labels = labels is not None
        self.labels = range(n_classes) if labels is None and n_classes > 1 else labels
        self.threshold = threshold
        self.confidence_level = confidence_level
        self.multilabel = multilabel
        self.per_label = per_label
        self.config = config
        self.table: ContingencyTable | dict[str, ContingencyTable] | None = None
        self._ignore_index, self._unknown = ignore_index, unknown
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
        self.reset()
        if self._has_scores_by_class and self.labels is not None:
            _names_of(self.labels, config)  # raises before training if two classes share a name

    def _has_several_labels(self, n_columns: int) -> bool:
        """Decide whether each column is a label; raise ValueError if options do not allow that."""
        has_several = self.multilabel
        if has_several is None:
            problem = getattr(self.config, "problem_type", None)
            has_several = n_columns > 1 and problem == "multi_label_classification"
        if has_several and (self.confidence_level is not None or self._has_scores_by_class):
            rule = "must be left out if samples have several labels. `per_label` scores each label"
            raise ValueError(f"`confidence_level`, `per_class` and average=None {rule}")
        return has_several

    def reset(self) -> None:
        """Discard all counts."""
        # padding is dropped before; a Tally with this option would reject text labels
        other_index = None if self._ignore_index == _PADDING else self._ignore_index
        self._tally = partial(Tally, ignore_index=other_index, unknown=self._unknown)
        self._counts = _Counts(self._tally(labels=self.labels), LabelTally(self._ignore_index))
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
            for predictions, references in logits.read_batches(eval_prediction):
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
        """Count a batch: ids, or scores or predictions 0 and 1 against references 0 and 1."""
        n_columns = predictions.shape[-1] if predictions.ndim == 2 else 1
        if self._has_several_labels(n_columns):
            check_shapes(references, predictions)
            counts.check_form(f"{n_columns} labels")
        else:
            predictions, references, ids = logits.align_predictions(predictions, references)
            if not logits.is_float(predictions):
                if self.threshold is not None or self.per_label:
                    rule = "are for one column of scores or several labels"
                    raise ValueError(f"`threshold` and `per_label` {rule}, got ids of classes")
                return self._count_ids(counts, predictions, references, ids)
            predictions, references = predictions[:, None], references[:, None]
            counts.check_form(_ONE_COLUMN)
        if logits.is_float(predictions):
            # transformers may set the type of problem only at the first batch
            implied = _THRESHOLDS.get(getattr(self.config, "problem_type", None))
            threshold = implied if self.threshold is None else self.threshold
            if threshold is None:
                raise ValueError(
                    "`threshold` must be given: 0.0 for logits, 0.5 for probabilities or after "
                    "squared error. If these are ids of classes, convert them to integers"
                )
            predictions = logits.above_threshold(predictions, threshold)
        counts.labels.update(references, as_array(predictions, "predictions"))

    def _count_ids(
        self, counts: "_Counts", predictions: Any, references: Numbers, ids: range | None
    ) -> None:
        """Count one id per sample or token; `ids` are the columns of logits."""
        counts.check_form(_CLASSES)
        if ids is not None:
            self._declare(counts, ids, references)
        predictions = as_array(predictions, "predictions")
        is_counted = np.asarray(references != self._ignore_index)
        is_missing = np.asarray(predictions == NO_ANSWER)
        if references.ndim == 2 and references.size and predictions.dtype.kind in "iu":
            counts.note_sequences(predictions, references, is_counted)
        counts.tally.update_missing(references[is_counted & is_missing])
        kept = is_counted & ~is_missing
        try:
            counts.tally.update(references=references[kept], predictions=predictions[kept])
        except ValueError as error:
            has_tokens = references.ndim == 2
            if self._has_labels or not (has_tokens or self.labels):
                raise
            own = "the classes are those of `config`: pass logits, whose columns count instead"
            hint = logits.DECODE if has_tokens else f"{own}, or `labels`"
            raise ValueError(join([hint, error])) from error

    def _declare(self, counts: "_Counts", ids: range, references: Numbers) -> None:
        """Use the columns of logits as classes, unless `labels` lists them."""
        if self._has_labels:
            if self.labels is not None and isinstance(self.labels[0], str):
                remedy = "Their names come from `config`, as in config=model.config"
                raise ValueError(f"`labels` must be ids, the columns of logits. {remedy}")
        elif self.config is None:
            counts.tally.ids = ids
        else:
            if len(ids) != self.config.num_labels:
                logits.check_no_vocabulary(len(ids), references, self.config)
            if counts.declared is None:
                counts.tally, counts.declared = self._tally(labels=ids), ids
            elif counts.declared != ids:
                rule = f"got logits of {len(ids)} columns after {len(counts.declared)}"
                raise ValueError(f"batches must be alike, {rule}: call reset()")

    def _result(self, counts: "_Counts") -> dict[str, float]:
        """Score everything counted."""
        if counts.form not in (None, _CLASSES):
            return self._result_of_labels(counts)
        table = self.table = counts.tally.table
        if not self._has_labels:
            counts.check_starts(table)
        counts.warn_of_shift()
        logits.warn_of_missing(counts.tally.n_missing, table.total)
        n_columns = None if counts.declared is None else len(counts.declared)
        return self._score(table, self._config_of(n_columns))

    def _result_of_labels(self, counts: "_Counts") -> dict[str, float]:
        """Score a single column, or each of several labels and their mean."""
        has_several = counts.form != _ONE_COLUMN
        n_columns = len(counts.labels.counts)
        config = self._config_of(n_columns) if has_several else None  # has one name for two classes
        names = _names_of(range(n_columns), config)
        tables = counts.labels.tables(names)
        logits.warn_of_missing(counts.labels.counts[..., -1].sum(), counts.labels.counts.sum())
        if has_several:
            self.table = tables
            result: dict[str, float] = {}
            for score in self._scores:
                scored = scores_of_labels(tables, names, score, **self._options)
                result[score.name] = scored.mean
                if self.per_label:
                    result |= {f"{score.name}_{name}": x for name, x in scored.scores.items()}
            return result
        if self.labels is not None and {*self.labels} != {0, 1}:
            raise ValueError(f"`labels` must be 0 and 1 for one column, got {self.labels}")
        (self.table,) = tables.values()
        return self._score(self.table, config)

    def _config_of(self, n_columns: int | None) -> Any:
        """Use the configuration only if it has as many classes as the logits have columns."""
        if self.config is None or n_columns in (None, self.config.num_labels):
            return self.config
        with collected() as notes:
            warn(
                f"logits have {n_columns} columns where `config.num_labels` is "
                f"{self.config.num_labels}. The columns count as classes without names. If the "
                f"first output of the model is not its logits, {logits.SELECT}"
            )
        issue_once(notes, self._warned_kinds)
        return None

    def _score(self, table: ContingencyTable, config: Any) -> dict[str, float]:
        """Score one table, with intervals if wanted."""
        result: dict[str, float] = {}
        with collected() as notes:
            for score in self._scores:
                fields = self._fields_of(score, table, config)
                check_distinct([*result, *fields], "names of scores and classes")
                result |= fields
        issue_once(notes, self._warned_kinds)
        return result

    def _fields_of(self, score: Score, table: ContingencyTable, config: Any) -> dict[str, float]:
        """Score a table, or each of its classes, by key; a level adds intervals."""
        level, is_nan = self.confidence_level, is_unknown(score, table)
        keys, ends = [score.name], _ENDS[:1] if level is None else _ENDS
        if score.average is None:
            labels = table.labels if is_nan else score.class_labels(table)
            keys = [f"{score.name}_{name}" for name in _names_of(labels, config)]
        if is_nan:
            values = [math.nan] * len(keys) * len(ends)
        elif level is None:
            values = np.ravel(score.value(table, **self._options)).tolist()
        else:
            score = score.require_interval(self._options["prior"])
            estimates = estimate_table(table, score, level, **self._options)
            rows = ([x.value, x.standard_error, *x.confidence_interval] for x in estimates)
            values = [*chain.from_iterable(rows)]
        return dict(zip(map("".join, product(keys, ends)), values, strict=True))


@dataclass
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
    starts : Counter of (int, int)
        First ids of sequences: (prediction, reference).
    shifts : array of three int
        How many predictions of tokens are equal to their own reference, how many to the next one,
        and how many there are.
    """

    tally: Tally
    labels: LabelTally
    form: str | None = None
    declared: range | None = None
    starts: Counter[tuple[int, int]] = field(default_factory=Counter)
    shifts: Numbers = field(default_factory=lambda: np.zeros(3, dtype=np.int64))

    def copy(self) -> "_Counts":
        """Copy the counts, so that the original stays unchanged."""
        return replace(self, **{name: copy(value) for name, value in vars(self).items()})

    def check_form(self, form: str) -> None:
        """Raise ValueError if batches of one evaluation have different forms."""
        if self.form not in (None, form):
            raise ValueError(f"batches must be alike, got {form} after {self.form}: call reset()")
        self.form = form

    def note_sequences(
        self, predictions: Numbers, references: Numbers, is_counted: Numbers
    ) -> None:
        """Count first ids of sequences, and predictions equal to the next reference."""
        is_first = is_counted[:, 0] & (predictions[:, 0] != NO_ANSWER)
        first_ids = predictions[is_first, 0].tolist(), references[is_first, 0].tolist()
        self.starts.update(zip(*first_ids, strict=True))
        n_own = np.count_nonzero((predictions == references) & is_counted)
        is_next = (predictions[:, :-1] == references[:, 1:]) & is_counted[:, 1:]
        self.shifts += n_own, np.count_nonzero(is_next), is_counted.sum()

    def check_starts(self, table: ContingencyTable) -> None:
        """Raise ValueError if all predictions begin with the same id, and no reference does."""
        first_ids = {prediction for prediction, _ in self.starts}
        is_start = len(first_ids) == 1 and first_ids.isdisjoint(x for _, x in self.starts)
        spelled = table.spelled or table
        predicted = labels_at(spelled, spelled.prediction_totals > 0)
        # an untrained model may predict one id everywhere, which is not an error
        if is_start and len({*predicted} - {None}) > 1 and sum(self.starts.values()) > 4:
            raise ValueError(
                f"all sequences of predictions begin with {first_ids.pop()}, and no references do: "
                f"{logits.DECODE}; for classes of tokens pass `labels`"
            )

    def warn_of_shift(self) -> None:
        """Warn if predictions of tokens agree with the next reference, not with their own."""
        n_own, n_following, n = self.shifts.tolist()
        if n_following > max(2 * n_own, n / 2, 20):
            warn(
                f"predictions of tokens are equal to the next reference in {n_following} of {n} "
                f"cases, and to their own in {n_own}: a causal language model predicts the next "
                "token, so pass predictions[:, :-1] and references[:, 1:]"
            )


def _scores_named(names: Sequence[str], average: Any, unknown: str, per_class: bool) -> list[Score]:
    """Find scores by name; `per_class` adds those that have a value for each class."""
    if not names:
        raise ValueError("`names` must hold a score: name one, such as 'informedness'")
    scores = scores_with_average(names, average, unknown)
    if not per_class:
        return scores
    by_class = [score.with_average(None) for score in scores if None in score.averages]
    if not by_class or any(score.average is None for score in scores):
        rule = "for scores with an average and a value for each class"
        known = ", ".join(score.name for score in scores)
        raise ValueError(f"`per_class` is {rule}, such as 'informedness', got {known}")
    return scores + by_class


def _names_of(labels: Sequence[Label | None], config: Any) -> list[str]:
    """Name classes for result keys; raise ValueError if two names are equal."""
    names_by_id = getattr(config, "id2label", None) or {}
    names = [str(names_by_id.get(label, label)) for label in labels if label is not None]
    check_distinct(names, "config.id2label")
    return names
