"""`compute_metrics` for the transformers Trainer: the same number from every form of its input.

Neither torch nor transformers is imported. Logits on a device are reduced to classes there, and
only these are moved.
"""

from __future__ import annotations

import math
import sys
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .core.labels import NAMES, Label, LabelsWarning, Numbers, as_array, check_distinct, show, warn
from .core.table import labels_at
from .multilabel import check_shapes, count_labels, scores_of_labels, tables_of_labels
from .results.estimate import estimate_of
from .statistics.intervals import check_level
from .statistics.registry import averaged_score, score_named
from .tables.contingency import ContingencyTable
from .tables.label_options import check_threshold
from .tables.tally import Tally
from .warnings import collected, issue

_ONE_COLUMN = "one column"
_DECODE = "generated ids need `batch_decode` first, see Generated text in docs/evaluate.md"
# Above which the losses of transformers mean class 1, by the type of problem.
_THRESHOLDS = {"multi_label_classification": 0.0, "regression": 0.5}


class ComputeMetrics:
    """Scores for `Trainer(compute_metrics=...)`.

    Accepts every form of input that the Trainer can pass: arrays or tensors; all at once, as a list
    of batches or batch by batch; with or without inputs, losses and hidden states; logits, or class
    ids from `preprocess_logits_for_metrics`. Between batches it keeps only counts.

    With several columns of logits the argmax is the prediction. A single column is compared with a
    threshold.

    Parameters
    ----------
    *names : str
        Names of scores, as in `estimate`.
    labels : sequence of int, optional
        The classes of the task; by default those of `config`, or else the columns of logits, or of
        ids those of the references.
    prior : mapping of class to probability, optional
        Class shares to which the references are reweighted, for all scores.
    average : {"bias", "prevalence", "macro"} or None, optional
        To choose checkpoints among many classes take "prevalence", which never exceeds accuracy.
        For the scores that take one; by default each score's own default. None gives one score per
        class, `informedness_NAME`.
    threshold : float, optional
        For a single column of scores, or several labels per sample: scores above it mean class 1.
        By default it follows the loss that `config` implies: 0.0 for binary cross-entropy, 0.5 for
        squared error. It is never guessed.
    confidence_level : float, optional
        Adds `NAME_standard_error`, `NAME_low` and `NAME_high`.
    ignore_index : int or None
        Drops the samples or tokens whose reference equals it.
    unknown : {"error", "wrong"}
        Whether a prediction that is missing, or outside the classes, is an error or a wrong answer.
    multilabel : bool, optional
        Whether each column is a label of its own; by default `config` decides. Scores are then
        means over the labels for which they are defined. False: rows of 0 and 1 are tokens.
    per_label : bool
        Adds the score of each label, `informedness_NAME`.
    config : optional
        The model's configuration: `num_labels` declares the classes, `id2label` names them.

    Attributes
    ----------
    table : ContingencyTable, or dict of str to ContingencyTable
        What the last scores were taken from; with several labels per sample, a table for each
        label that has samples. None before the first result.

    Raises
    ------
    ValueError
        If a score is unknown, or an option is not valid or conflicts with another.

    Warns
    -----
    InformednessWarning
        If an evaluation was interrupted, whose batches are left out of the next one.
    LabelsWarning
        As `informedness_score`; and if references are outside the columns of logits.

    Notes
    -----
    Counting starts afresh after each result, each error, and in each new loop over a data loader of
    accelerate, as those of the Trainer are. In other loops an interruption cannot be noticed:
    `reset` forgets what was counted.

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
        labels: Sequence[int] | None = None,
        prior: Mapping[Any, float] | None = None,
        average: Any = "default",
        threshold: float | None = None,
        confidence_level: float | None = None,
        ignore_index: int | None = -100,
        unknown: str = "error",
        multilabel: bool | None = None,
        per_label: bool = False,
        config: Any = None,
    ) -> None:
        if config is not None and not hasattr(config, "num_labels"):
            raise ValueError(f"`config` must be that of a model, model.config, got {show(config)}")
        self.names = names
        n_classes = getattr(config, "num_labels", 1)
        self._has_labels = labels is not None
        self.labels = range(n_classes) if labels is None and n_classes > 1 else labels
        self.prior = prior
        self.average = average
        self.threshold = threshold
        self.confidence_level = confidence_level
        self.ignore_index = ignore_index
        self.unknown = unknown
        self.multilabel = multilabel
        self.per_label = per_label
        self.config = config
        self.table: ContingencyTable | dict[str, ContingencyTable] | None = None
        self._said: set[str] = set()
        self._check_options()
        self.reset()
        if average is None and self.labels is not None:
            self._class_names(self.labels)  # raises before training if two would be one

    @property
    def _problem(self) -> str | None:
        """What the model is trained for, which transformers may fill in at the first batch."""
        return getattr(self.config, "problem_type", None)

    def _check_options(self) -> None:
        """Raise ValueError for options that are not valid; `reset` checks those of the tally."""
        if not self.names:
            raise ValueError("`names` must hold at least one score, got none")
        with_average = [name for name in self.names if score_named(name).averages]
        check_distinct(self.names, "names")
        averages = dict.fromkeys(self.names, "default") | dict.fromkeys(with_average, self.average)
        self._scores = [averaged_score(*pair, self.unknown) for pair in averages.items()]
        if self.average != "default" and not with_average:
            raise ValueError(f"`average` must be left out: none of {self.names} takes one")
        check_threshold(self.threshold)
        if self.confidence_level is not None:
            check_level(self.confidence_level)
            for score in self._scores:
                score.with_interval(self.prior)
        if self.multilabel:
            self._check_options_of_several_labels()

    def _check_options_of_several_labels(self) -> None:
        if self.confidence_level is not None or self.average is None:
            said = "must be left out if samples have several labels: `per_label` scores each"
            raise ValueError(f"`confidence_level` and average=None {said}")

    def reset(self) -> None:
        """Forget what was counted."""
        self._tally = Tally(
            labels=self.labels, ignore_index=self.ignore_index, unknown=self.unknown
        )
        self._form: str | None = None
        # Where answers are 0 and 1: the counts of each column, a row for each reference.
        self._cells: Numbers = np.array(0)
        # Where answers are sequences of ids: how often each begins with which of both.
        self._starts: Counter[tuple[int, int]] = Counter()
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
            If predictions and references do not fit together, or it is unclear how to read them;
            the message says what to do.
        """
        self._leave_out_interrupted()
        is_over = True
        try:
            for predictions, references in _batches(eval_prediction):
                self._count(predictions, references)
            is_over = compute_result
            return self._result() if compute_result else {}
        finally:
            if is_over:
                self.reset()

    def _leave_out_interrupted(self) -> None:
        """Forget what was counted in another loop over a data loader of accelerate."""
        # a loop that does not come to its end leaves its data loader among the references
        state = sys.modules.get("accelerate.state")
        loaders = state.GradientState().dataloader_references if state else [None]
        if loaders[-1] is None:
            return
        loop = weakref.ref(loaders[-1]), loaders.count(loaders[-1])
        if self._form is not None and loop != self._loop:
            warn("an evaluation was interrupted, and its batches are left out of the next one")
            self.reset()
        self._loop = loop

    def _count(self, predictions: Any, references: Numbers) -> None:
        """Count a batch."""
        if self._has_several_labels(predictions):
            check_shapes(references, predictions)
            self._check_options_of_several_labels()
            self._count_binary(f"{predictions.shape[1]} labels", predictions, references)
            return
        if references.ndim == 2 and references.shape[1] == 1 and predictions.ndim < 3:
            references = references[:, 0]
        has_columns = predictions.shape[:-1] == references.shape
        if has_columns and predictions.shape[-1] == 1:
            predictions, references = predictions.reshape(-1), references.reshape(-1)
        elif has_columns and _is_float(predictions):
            self._tally.ids = range(predictions.shape[-1]) if self.labels is None else None
            predictions = _argmax(predictions, references != self.ignore_index)
        elif predictions.shape != references.shape:
            raise ValueError(
                "predictions must be logits with one axis more than the references, or ids, got "
                f"shapes {tuple(predictions.shape)} and {references.shape}: select logits in "
                f"`preprocess_logits_for_metrics`, references in `label_names`; {_DECODE}"
            )
        elif predictions.ndim > 1 and (_is_float(predictions) or _is_float(references)):
            said = f"arrays of one shape, {references.shape}, could be several labels or tokens"
            raise ValueError(f"{said}: pass multilabel=True for labels; for tokens flatten both")
        if _is_float(predictions):
            self._count_binary(_ONE_COLUMN, predictions[:, None], references[:, None])
        else:
            self._count_ids(as_array(predictions, "predictions"), references)

    def _has_several_labels(self, predictions: Any) -> bool:
        if self.multilabel is not None:
            return self.multilabel
        is_table = predictions.ndim == 2 and predictions.shape[1] > 1
        return is_table and self._problem == "multi_label_classification"

    def _is_of(self, form: str) -> None:
        """Raise ValueError if batches of one evaluation have different forms."""
        if self._form not in (None, form):
            raise ValueError(f"batches must be alike, got {form} after {self._form}: call reset()")
        self._form = form

    def _count_ids(self, predictions: Numbers, references: Numbers) -> None:
        """Count one id per sample, or per token."""
        if self.threshold is not None or self.per_label:
            what = f"one column of scores or several labels, got {predictions.ndim} axes of ids"
            raise ValueError(f"`threshold` and `per_label` are for predictions of {what}")
        self._is_of("classes")
        if references.ndim == 2 and references.size:
            starts = predictions[:, 0].tolist(), references[:, 0].tolist()
            self._starts.update(zip(*starts, strict=True))
        try:
            self._tally.update(references=references.ravel(), predictions=predictions.ravel())
        except ValueError as error:
            if references.ndim < 2 or self._has_labels:
                raise
            raise ValueError(f"{_DECODE}; if these are classes of tokens, {error}") from error

    def _count_binary(self, form: str, predictions: Any, references: Numbers) -> None:
        """Count scores, or answers 0 and 1, against references 0 and 1 for each column."""
        self._is_of(form)
        keep = np.asarray(references != self.ignore_index)
        if _is_float(predictions):
            _check_numbers(predictions != predictions, keep)
            predictions = predictions > self._threshold()
        answers = as_array(predictions, "predictions")
        self._cells = self._cells + count_labels(references, answers, self.ignore_index, NAMES)

    def _threshold(self) -> float:
        """Return the threshold that was given, or that goes with the model's loss."""
        if self.threshold is not None:
            return self.threshold
        if self._problem not in _THRESHOLDS:
            said = "0.0 for logits, 0.5 for probabilities or after squared error"
            raise ValueError(f"`threshold` must be given: {said}; make class ids integers")
        return _THRESHOLDS[self._problem]

    def _result(self) -> dict[str, float]:
        """Return the scores of everything counted."""
        if self._form in (None, "classes"):
            self.table = self._tally.table
            self._check_starts(labels_at(self.table, self.table.prediction_totals > 0))
            self._warn_of_padding(self.table)
            return self._of_table(self.table)
        names = self._class_names(range(len(self._cells)))
        tables = tables_of_labels(self._cells, names)
        if self._form != _ONE_COLUMN:
            self.table = tables
            return self._over_labels(names, tables)
        if self.labels is not None and {*self.labels} != {0, 1}:
            raise ValueError(f"`labels` must be 0 and 1 for {self._form}, got {self.labels}")
        (self.table,) = tables.values()
        return self._of_table(self.table)

    def _check_starts(self, predicted: Any) -> None:
        """Raise ValueError if all predictions begin with an id with which no reference begins."""
        starts = [pair for pair in self._starts.elements() if pair[1] >= 0]
        begun = {prediction for prediction, _ in starts}
        is_apart = len(begun) == 1 and not begun & {reference for _, reference in starts}
        # not if nothing else is predicted, as by a model that has learnt nothing yet
        is_varied = len({*predicted}) > 1
        if is_apart and is_varied and len(starts) > 4 and not self._has_labels:
            raise ValueError(
                f"all sequences of predictions begin with {begun.pop()}, and no references do: "
                f"{_DECODE}; for classes of tokens pass `labels`"
            )

    def _warn_of_padding(self, table: ContingencyTable) -> None:
        """Warn of references such as 255 and -1 for which there are no logits."""
        ids = self._tally.ids
        if ids is None:
            return
        references = labels_at(table, table.reference_totals > 0)
        if odd := [label for label in references if label not in ids]:
            said = f"count as a class, but are not in range({len(ids)}), as logits"
            hint = f"pass ignore_index={odd[0]} if they are padding"
            warn(f"references such as {odd[0]} {said}: {hint}", LabelsWarning)

    def _of_table(self, table: ContingencyTable) -> dict[str, float]:
        """Return the scores of one table, with their intervals if wanted."""
        result: dict[str, float] = {}
        with collected() as notes:
            for score in self._scores:
                keys = [score.name]
                if score.average is None:
                    names = self._class_names(score.class_labels(table))
                    keys = [f"{score.name}_{name}" for name in names]
                if self.confidence_level is None:
                    values = np.ravel(score.value(table, prior=self.prior)).tolist()
                    result |= zip(keys, values, strict=True)
                    continue
                interval = score.with_interval(self.prior)
                estimates = estimate_of(table, interval, self.confidence_level, prior=self.prior)
                for key, estimate in zip(keys, estimates, strict=True):
                    low, high = estimate.confidence_interval
                    result |= {
                        key: estimate.value,
                        f"{key}_standard_error": estimate.standard_error,
                    }
                    result |= {f"{key}_low": low, f"{key}_high": high}
        issue(notes, self._said)
        return result

    def _class_names(self, labels: Sequence[Label | None]) -> list[str]:
        is_named = self._form != _ONE_COLUMN  # which has one name for its two classes
        names = (getattr(self.config, "id2label", None) if is_named else None) or {}
        found = [str(names.get(x, x)) for x in labels]
        check_distinct(found, "config.id2label")
        return found

    def _over_labels(
        self, names: list[str], tables: dict[str, ContingencyTable]
    ) -> dict[str, float]:
        """Return the means of scores over labels, and the score of each label if wanted."""
        result: dict[str, float] = {}
        for score in self._scores:
            made = scores_of_labels(tables, names, score, self.prior)
            result[score.name] = made.mean
            for name in names if self.per_label else ():
                result[f"{score.name}_{name}"] = made.scores[name]
        return result


def argmax_logits(logits: Any, labels: Any) -> Any:
    """Return the classes of logits, for `Trainer(preprocess_logits_for_metrics=...)`.

    The Trainer then gathers and keeps one id per token instead of its logits. Of a tuple, the first
    element is used. A single column, and several labels per sample, are left as they are.

    Examples
    --------
    >>> argmax_logits(np.array([[0.1, 0.7], [0.4, 0.2]]), np.array([1, 1]))
    array([1, 0])
    """
    logits = logits[0] if isinstance(logits, tuple) else logits
    shape = getattr(labels, "shape", None)
    if logits.ndim < 2 or logits.shape[-1] == 1 or logits.shape == shape:
        return logits
    return _argmax(logits, labels != -100 if logits.shape[:-1] == shape else True)


def _batches(eval_prediction: Any) -> Iterator[tuple[Any, Numbers]]:
    """Return predictions, tensors where they are, and references: of all samples or each batch."""
    if hasattr(eval_prediction, "label_ids"):
        predictions, references = eval_prediction.predictions, eval_prediction.label_ids
    elif isinstance(eval_prediction, (tuple, list)) and len(eval_prediction) == 2:
        predictions, references = eval_prediction
    else:
        wanted = "an EvalPrediction or (predictions, references)"
        raise ValueError(f"`eval_prediction` must be {wanted}, got {show(eval_prediction)}")
    first: Any = references[0] if isinstance(references, list) and references else None
    has_batches = getattr(first, "shape", ())  # of a number it is (), too
    both = predictions, references
    pairs = zip(*both, strict=True) if has_batches else [both]
    for logits, labels in pairs:
        logits = logits[0] if isinstance(logits, tuple) else logits
        logits = logits if _is_tensor(logits) else as_array(logits, "predictions")
        if _is_tensor(labels) and _is_float(labels):
            labels = labels.float()  # numpy has no bfloat16
        yield logits, as_array(labels, "references")


def _is_tensor(array: Any) -> bool:
    return hasattr(array, "detach")


def _is_float(array: Any) -> bool:
    dtype = array.dtype
    return bool(dtype.is_floating_point if _is_tensor(array) else dtype.kind == "f")


def _argmax(logits: Any, keep: Any) -> Any:
    """Return the argmax over the last axis; raise ValueError if a sample that counts has none."""
    highest = logits.amax(-1) if _is_tensor(logits) else logits.max(-1)
    _check_numbers(highest != highest, keep)  # which is nan where any logit is
    is_infinite = abs(highest) == math.inf
    if is_infinite.any():
        several = (logits == highest[..., None]).sum(-1) > 1
        _check_numbers(is_infinite & several, keep, "several inf, or only -inf,")
    return logits.argmax(-1)


def _check_numbers(is_bad: Any, keep: Any, what: str = "nan") -> None:
    """Raise ValueError for nan, or something else, in samples that count."""
    n_bad = int((as_array(is_bad, "predictions") & as_array(keep, "references")).sum())
    if n_bad:
        raise ValueError(
            f"predictions must be numbers, got {what} for {n_bad} samples: has training diverged?"
        )
