"""Compute scores in the transformers Trainer; they do not depend on the form of its input.

This module imports neither torch nor transformers. Logits on a device are reduced to class ids
there, and only the ids are copied to the host.
"""

import math
import os
import sys
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import get_ident
from typing import Any

import numpy as np

from . import logits
from .core.labels import InformednessWarning, Label, Numbers, as_array, check_distinct, show, warn
from .core.scores import ZeroDivision, check_zero_division
from .inference.registry import scores_with_average
from .inference.score import Score, check_level
from .logits import argmax_logits as argmax_logits
from .messages import join
from .multilabel import is_unknown, scores_of_labels
from .results.estimate import estimate_table
from .tables.contingency import MISSING, ContingencyTable, Tally, count_labels, tables_by_label
from .tables.label_options import check_threshold
from .warnings import collected, issue_once

_PADDING = -100  # the label of padding tokens in transformers
_CALLERS: dict[tuple[int, int], int] = {}  # maps process and object to the calling thread
_CLASSES, _ONE_COLUMN = "classes", "one column"  # forms of batches with one label per sample
_ENDS = ("", "_standard_error", "_low", "_high")  # suffixes of the keys of a score and its interval
# Thresholds that fit the losses of transformers, by the value of `config.problem_type`.
_THRESHOLDS: dict[str | None, float] = {"multi_label_classification": 0.0, "regression": 0.5}


class ComputeMetrics:
    """Compute scores in `Trainer(compute_metrics=...)`.

    The Trainer may pass logits or class ids, as arrays or tensors, for all samples or batch by
    batch. Inputs, losses and hidden states are ignored. Only counts are kept between batches.

    With several columns of logits, the argmax is the prediction, unless each column is a label.
    Classes are in the last axis, even for logits of tokens of shape (N, L, C) with L = C. A single
    column, or each of several labels, is compared with a threshold. Class ids may also be text.

    A prediction is missing, and counts as wrong, if a score of the sample is nan, no score is
    finite, or several scores are inf. Markedness is then nan. With several labels per sample, a nan
    affects only its own label, and scores of inf or -inf only matter if no score is finite.

    Parameters
    ----------
    *names : str
        Names of scores, as in `estimate`.
    labels : sequence of labels, optional
        The classes of the task, as ids if predictions are logits or ids. With `config` the default
        is the columns of the logits, or range(config.num_labels) for ids. Without `config`, classes
        are the labels of the references and, for logits, the predicted ids.
    prior : mapping of class to probability or count, optional
        Class shares to which the references are reweighted, for all scores.
    average : {"bias", "prevalence", "macro"} or None, optional
        Average for the scores that have averages; each score has a default. To choose checkpoints
        in tasks with many classes, use "prevalence", which never exceeds accuracy. None computes
        one score per class, with the key `SCORE_CLASS`.
    threshold : float, optional
        Predict class 1 for scores above the threshold, for a single column of scores or several
        labels per sample. The default fits the loss that `config.problem_type` implies: 0.0 for
        binary cross-entropy, 0.5 for squared error. Otherwise there is no default.
    confidence_level : float, optional
        Add `SCORE_standard_error`, `SCORE_low` and `SCORE_high` for this level.
    ignore_index : label or None
        Reference of samples or tokens to leave out, by default -100.
    unknown : {"error", "wrong"}
        Whether predicted labels that are None, or not among declared classes, raise an error or
        count as wrong. Predictions that are missing because of their scores always count as wrong.
    zero_division : {"warn", 0.0, 1.0, nan}
        As in `estimate`.
    multilabel : bool, optional
        Whether each column is a separate label with the classes 0 and 1; by default `config`
        decides. If so, scores are means over the labels for which they are defined; without such
        labels, they have the value of an undefined score. With False, integers 0 and 1 of shape
        (N, L) are class ids of tokens.
    per_label : bool
        Whether to add the score of each label, with the key `SCORE_LABEL`.
    per_class : bool
        Whether to add the score of each class, with the key `SCORE_CLASS`, for scores that have a
        value for each class.
    config : optional
        Configuration of the model. Its classes are declared classes. `id2label` names them, except
        for logits of a single column. Without `labels`, names are also left out if the number of
        columns of the logits is not `num_labels`.

    Attributes
    ----------
    table : ContingencyTable, or dict of str to ContingencyTable
        The table of the last scores; for several labels, a table for each label with samples.
        None before the first result.

    Raises
    ------
    ValueError
        If a score is unknown, or an option is invalid or conflicts with another.

    Warns
    -----
    InformednessWarning
        If an evaluation was interrupted, so that its batches are discarded. If predictions are
        missing. If the number of columns of the logits is not `config.num_labels`, unless `labels`
        lists the classes. If most predictions of tokens are equal to the reference of the next
        token, and far fewer to their own.
    IntervalWarning
        As in `estimate`, with a confidence level.
    UndefinedMetricWarning
        As in `informedness_score`.
    LabelsWarning
        As in `informedness_score`, and if references are not ids of columns of the logits.

    Notes
    -----
    The counts are reset after each result, after each error, and if a new loop over a data loader
    of accelerate follows an interrupted loop. The Trainer uses such data loaders. Other loops must
    call `reset` after an interruption, which cannot be detected without accelerate.

    Each thread needs a separate instance, such as a deep copy.

    For a causal language model, pass predictions[:, :-1] and references[:, 1:], because it predicts
    the next token.

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
        self.threshold, self.confidence_level = threshold, confidence_level
        self.multilabel, self.per_label = multilabel, per_label
        self.config = config
        self.table: ContingencyTable | dict[str, ContingencyTable] | None = None
        self._ignore_index, self._unknown = ignore_index, unknown
        self._has_scores_by_class = average is None or per_class
        self._warned_kinds: set[str] = set()
        self._options: dict[str, Any] = {"prior": prior, "zero_division": zero_division}
        self._scores = _find_scores(names, average, unknown, per_class)
        check_threshold(threshold)
        for score in self._scores:
            check_zero_division(zero_division, score.stand_in)
            if confidence_level is not None:
                check_level(confidence_level)
                score.require_interval(prior)
        self._has_several_labels(n_classes)  # raises an error if options conflict
        self.reset()
        if self._has_scores_by_class and self.labels is not None:
            _class_names(self.labels, config)  # raises an error before training if names are equal

    def _has_several_labels(self, n_columns: int) -> bool:
        """Decide whether each column is a separate label.

        Raises
        ------
        ValueError
            If each column is a label, and other options do not allow several labels.
        """
        has_several = self.multilabel
        if has_several is None:
            problem = getattr(self.config, "problem_type", None)
            has_several = n_columns > 1 and problem == "multi_label_classification"
        if has_several and (self.confidence_level is not None or self._has_scores_by_class):
            rule = "must be left out if samples have several labels. Use `per_label` instead."
            raise ValueError(f"`confidence_level`, `per_class` and average=None {rule}")
        return has_several

    def reset(self) -> None:
        """Discard all counts."""
        # `_count_ids` drops padding. A Tally would reject -100 if labels are text.
        other_index = None if self._ignore_index == _PADDING else self._ignore_index
        self._tally = partial(Tally, ignore_index=other_index, unknown=self._unknown)
        self._counts = _Counts(self._tally(labels=self.labels))
        self._loop: tuple[weakref.ref[Any], int] | None = None

    def __call__(self, eval_prediction: Any, compute_result: bool = True) -> dict[str, float]:
        """Count a batch or all batches, and return the scores.

        Parameters
        ----------
        eval_prediction : EvalPrediction or (predictions, references)
            Predictions and references of a batch, or of all batches.
        compute_result : bool
            Whether to return the scores. With False, count the batch and return an empty dict.

        Returns
        -------
        dict of str to float
            Scores by name, with standard errors and ends of intervals if there is a confidence
            level. The dict is empty if `compute_result` is False.

        Raises
        ------
        ValueError
            As in `informedness_score`. Also if predictions and references do not match, if their
            form is ambiguous or not that of earlier batches, or if there is no threshold for
            scores that need one.
        RuntimeError
            If another thread is calling this instance. The counts are then kept.
        """
        key, thread = (os.getpid(), id(self)), get_ident()
        # `setdefault` is atomic, so that only one thread continues.
        if _CALLERS.setdefault(key, thread) != thread:
            remedy = "Use a deep copy in each thread."
            raise RuntimeError(f"another thread is calling this ComputeMetrics. {remedy}")
        is_over = True
        try:
            self._discard_interrupted()
            for predictions, references in logits.read_batches(eval_prediction):
                self._count(predictions, references)
            is_over = compute_result
            return self._result() if compute_result else {}
        finally:
            if is_over:
                self.reset()
            _CALLERS.pop(key, None)

    def _discard_interrupted(self) -> None:
        """Discard the counts of an interrupted loop over a data loader of accelerate."""
        # An interrupted loop does not remove its data loader from this list.
        state = sys.modules.get("accelerate.state")
        loaders = state.GradientState().dataloader_references if state else [None]
        if loaders[-1] is None:
            return
        loop = weakref.ref(loaders[-1]), loaders.count(loaders[-1])
        if self._counts.form is not None and loop != self._loop:
            warn("an evaluation was interrupted, and its batches are discarded")
            self.reset()
        self._loop = loop

    def _count(self, predictions: Any, references: Numbers) -> None:
        """Count a batch of class ids, of logits, or of binary labels (as scores, or as 0 and 1)."""
        n_columns = predictions.shape[-1] if predictions.ndim == 2 else 1
        if self._has_several_labels(n_columns):
            self._counts.note_form(f"{n_columns} labels")
        else:
            predictions, references, ids = logits.align_predictions(predictions, references)
            if not logits.is_float(predictions):
                if self.threshold is not None or self.per_label:
                    rule = "`threshold` needs one column of scores or several labels"
                    raise ValueError(f"{rule}, and `per_label` needs several labels, got class ids")
                return self._count_ids(predictions, references, ids)
            predictions, references = predictions[:, None], references[:, None]
            self._counts.note_form(_ONE_COLUMN)
        if logits.is_float(predictions):
            # A model of transformers may set `problem_type` only at the first batch.
            implied = _THRESHOLDS.get(getattr(self.config, "problem_type", None))
            threshold = implied if self.threshold is None else self.threshold
            if threshold is None:
                rule = "0.0 for logits, 0.5 for probabilities or after training with squared error"
                raise ValueError(f"`threshold` must be given: {rule}. Convert ids to integers.")
            predictions = logits.above_threshold(predictions, threshold)
        predictions = as_array(predictions, "predictions")
        self._counts.label_counts += count_labels(references, predictions, self._ignore_index)

    def _count_ids(self, predictions: Any, references: Numbers, ids: range | None) -> None:
        """Count one class id per sample or token; `ids` is the range of logit columns, if any."""
        counts = self._counts
        if ids is not None:
            self._declare(ids, references)
        counts.note_form(_CLASSES)
        predictions = as_array(predictions, "predictions")
        is_counted = np.asarray(references != self._ignore_index)
        is_missing = np.asarray(predictions == MISSING)
        if references.ndim == 2 and references.size and predictions.dtype.kind in "iu":
            counts.note_tokens(predictions, references, is_counted)
        counts.n_missing += np.count_nonzero(is_counted & is_missing)
        counts.tally.update_missing(references[is_counted & is_missing])
        kept = is_counted & ~is_missing
        try:
            counts.tally.update(references=references[kept], predictions=predictions[kept])
        except ValueError as error:
            if self._has_labels or self.labels is None:
                raise
            hint = f"by default `config` declares the classes: pass logits; {logits.DECODE_REMEDY})"
            raise ValueError(join([error, hint], " (")) from error

    def _declare(self, ids: range, references: Numbers) -> None:
        """Declare the columns of logits as the classes, unless `labels` lists the classes.

        Without `config`, only note the columns. The tally then finds references without logits.

        Raises
        ------
        ValueError
            If `labels` are text. With `config`, if the logits seem to be of tokens, or their number
            of columns changes.
        """
        counts = self._counts
        if self._has_labels:
            if self.labels is not None and isinstance(self.labels[0], str):
                got = f"got {show(self.labels[0])}. To name the classes, pass config=model.config."
                raise ValueError(f"`labels` must be ids, the columns of logits, {got}")
        elif self.config is None:
            counts.tally.ids = ids
        else:
            if len(ids) != self.config.num_labels:
                logits.check_no_vocabulary(len(ids), references, self.config)
            # Earlier batches may have been ids without logits; their classes are range(num_labels).
            known = counts.class_ids or range(self.config.num_labels)
            if counts.form is None:
                counts.tally, counts.class_ids = self._tally(labels=ids), ids
            elif known != ids:
                got = f"got logits of {len(ids)} columns after {len(known)}"
                raise ValueError(f"batches must have one form, {got}. Call reset() first.")

    def _result(self) -> dict[str, float]:
        """Compute the scores of all counted batches."""
        counts = self._counts
        if counts.form not in (None, _CLASSES):
            return self._result_of_labels()
        table = self.table = counts.tally.table
        if not self._has_labels:
            counts.check_starts(table)
        counts.warn_of_shift()
        logits.warn_of_missing(counts.n_missing, table.total)
        n_columns = None if counts.class_ids is None else len(counts.class_ids)
        return self._score(table, self._config_of(n_columns))

    def _result_of_labels(self) -> dict[str, float]:
        """Compute the scores of a single column, or the mean scores of several labels."""
        counts = self._counts
        n_columns = len(counts.label_counts)
        # A configuration for a single column has one name for two classes.
        config = None if counts.form == _ONE_COLUMN else self._config_of(n_columns)
        names = _class_names(range(n_columns), config)
        tables = self.table = tables_by_label(counts.label_counts, names)
        logits.warn_of_missing(counts.label_counts[..., -1].sum(), counts.label_counts.sum())
        if counts.form == _ONE_COLUMN:
            if self.labels is not None and {*self.labels} != {0, 1}:
                raise ValueError(f"`labels` must be 0 and 1 for one column, got {self.labels}")
            (self.table,) = tables.values()
            return self._score(self.table, None)
        result: dict[str, float] = {}
        for score in self._scores:
            scored = scores_of_labels(tables, names, score, **self._options)
            result[score.name] = scored.mean
            if self.per_label:
                result |= {f"{score.name}_{name}": x for name, x in scored.scores.items()}
        return result

    def _config_of(self, n_columns: int | None) -> Any:
        """Return the configuration if it has as many classes as the logits have columns.

        Otherwise warn and return None. If `n_columns` is None, as without logits, nothing is
        compared.
        """
        if self.config is None or n_columns in (None, self.config.num_labels):
            return self.config
        counts = f"{n_columns} columns where `config.num_labels` is {self.config.num_labels}"
        note = InformednessWarning(f"logits have {counts}. The columns are classes without names.")
        issue_once([note], self._warned_kinds)
        return None

    def _score(self, table: ContingencyTable, config: Any) -> dict[str, float]:
        """Compute all scores of one table, with intervals if there is a confidence level."""
        result: dict[str, float] = {}
        with collected() as notes:
            for score in self._scores:
                fields = self._fields_of(score, table, config)
                if twice := [key for key in fields if key in result]:
                    raise ValueError(f"two results have the key {twice[0]!r}. Rename the class.")
                result |= fields
        issue_once(notes, self._warned_kinds)
        return result

    def _fields_of(self, score: Score, table: ContingencyTable, config: Any) -> dict[str, float]:
        """Compute the fields of one score: of the table, or of each class if its average is None.

        With a confidence level the fields include the standard error and the interval.
        """
        level, is_nan = self.confidence_level, is_unknown(score, table)
        ends = _ENDS if level is not None else _ENDS[:1]
        keys = [score.name]
        if score.average is None:
            labels = table.labels if is_nan else score.class_labels(table)
            keys = [f"{score.name}_{name}" for name in _class_names(labels, config)]
        if is_nan:
            values: Any = [math.nan] * len(keys) * len(ends)
        elif level is None:
            values = score.value(table, **self._options)
        else:
            estimates = estimate_table(table, score, level, **self._options)
            values = [(x.value, x.standard_error, *x.confidence_interval) for x in estimates]
        names = [key + end for key in keys for end in ends]
        return dict(zip(names, np.ravel(values).tolist(), strict=True))


@dataclass
class _Counts:
    """Counts of all batches of one evaluation.

    Attributes
    ----------
    tally : Tally
        Counts of batches with one class id per sample or token.
    label_counts : int64 array of shape (n_labels, 2, 3)
        Counts of batches of 0 and 1, in a single column or one column per label; 0 before the first
        of these batches.
    n_missing : int
        Number of missing predictions of class ids.
    form : str or None
        Form of the batches, such as "3 labels"; None before the first batch.
    class_ids : range or None
        The columns of logits, if they are the declared classes.
    starts : Counter of (int, int)
        Number of sequences for each pair of a first prediction and a first reference.
    shifts : int64 array of shape (3,)
        Numbers of predicted tokens: equal to their reference, equal to the next reference, and in
        total.
    """

    tally: Tally
    label_counts: Any = 0
    n_missing: int = 0
    form: str | None = None
    class_ids: range | None = None
    starts: Counter[tuple[int, int]] = field(default_factory=Counter)
    shifts: Numbers = field(default_factory=lambda: np.zeros(3, dtype=np.int64))

    def note_form(self, form: str) -> None:
        """Note the form of the batches; raise ValueError if an earlier batch has another form."""
        if self.form not in (None, form):
            got = f"got {form} after {self.form}"
            raise ValueError(f"batches must have one form, {got}. Call reset() first.")
        self.form = form

    def note_tokens(self, predictions: Numbers, references: Numbers, is_counted: Numbers) -> None:
        """Count the first ids of sequences, and count predictions that equal a reference.

        The reference is that of the same token or of the next token.
        """
        is_first = is_counted[:, 0] & (predictions[:, 0] != MISSING)
        first_ids = predictions[is_first, 0].tolist(), references[is_first, 0].tolist()
        self.starts.update(zip(*first_ids, strict=True))
        n_equal = np.count_nonzero((predictions == references) & is_counted)
        is_next = (predictions[:, :-1] == references[:, 1:]) & is_counted[:, 1:]
        self.shifts += n_equal, np.count_nonzero(is_next), is_counted.sum()

    def check_starts(self, table: ContingencyTable) -> None:
        """Raise ValueError if all predicted sequences begin with one id, but no reference does.

        Such sequences are probably generated text, which begins with a start token. There must be
        at least five sequences, and different predicted ids.
        """
        first_ids = {prediction for prediction, _ in self.starts}
        is_start = len(first_ids) == 1 and first_ids.isdisjoint(x for _, x in self.starts)
        # A model that predicts the same id for all tokens is untrained, which is not an error.
        is_varied = np.count_nonzero(table.prediction_totals) > 1
        if is_start and is_varied and sum(self.starts.values()) > 4:
            rule = f"all predicted sequences begin with {first_ids.pop()}, but no references do"
            raise ValueError(f"{rule}. For classes of tokens pass `labels`; {logits.DECODE_REMEDY}")

    def warn_of_shift(self) -> None:
        """Warn if most predictions of tokens equal the next reference, and far fewer their own."""
        n_equal, n_following, n = self.shifts.tolist()
        if n_following > max(2 * n_equal, n / 2, 20):
            shift = f"predictions are equal to the next reference for {n_following} of {n} tokens"
            remedy = "For a causal language model pass predictions[:, :-1] and references[:, 1:]."
            warn(f"{shift}. {remedy}")


def _find_scores(names: Sequence[str], average: Any, unknown: str, per_class: bool) -> list[Score]:
    """Find scores by name; with `per_class`, add the values of each class as further scores."""
    if not names:
        raise ValueError("`names` must hold at least one score, such as 'informedness'")
    scores = scores_with_average(names, average, unknown)
    by_class = [score.with_average(None) for score in scores if None in score.averages]
    if per_class and (average is None or not by_class):
        rule = "applies only to scores with an average, such as 'informedness'"
        raise ValueError(f"`per_class` {rule}, got {', '.join(names)} with average={average!r}")
    return scores + by_class if per_class else scores


def _class_names(labels: Sequence[Label | None], config: Any) -> list[str]:
    """List the names of classes for the keys of results; raise ValueError if names are equal."""
    names_by_id = getattr(config, "id2label", None) or {}
    names = [str(names_by_id.get(label, label)) for label in labels if label is not None]
    check_distinct(names, "config.id2label")
    return names
