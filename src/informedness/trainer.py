"""`compute_metrics` for the transformers Trainer: the same number, whatever it hands over.

Neither torch nor transformers is imported. Tensors are counted on their device, and only the counts
are moved.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from .contingency import ContingencyTable
from .core.labels import (
    Label,
    NoSamplesError,
    Numbers,
    UndefinedMetricWarning,
    as_array,
    check_distinct,
    read_column,
    show,
    warn,
)
from .core.table import check_unknown, is_real
from .inputs.answered import filled
from .results.estimates import estimate
from .statistics.intervals import check_has_interval, check_level
from .statistics.registry import averaged_score, score_named
from .statistics.score import Score
from .tally import Tally

# Pairs of at most 2**10 labels are counted in a table of all pairs; more, by sorting.
_LARGEST_TABLE = 2**20

_THRESHOLDS = (
    "threshold=0.0 for logits, 0.5 for probabilities or outputs trained with squared error"
)


class ComputeMetrics:
    """Scores for `Trainer(compute_metrics=...)`.

    Takes whatever the Trainer hands over with any of its options: arrays or tensors; all at once,
    as a list of batches (`eval_do_concat_batches=False`) or batch by batch
    (`batch_eval_metrics=True`); with or without inputs, losses and hidden states; logits, or ids
    from `preprocess_logits_for_metrics`. Between batches it keeps only counts.

    With several columns of logits the argmax is the prediction. A single column is compared with a
    threshold.

    Parameters
    ----------
    *names : str
        Names of scores in `informedness.SCORES`.
    labels : sequence of int, optional
        The classes of the task; by default those of `config`, or else those that occur.
    prior : mapping of class to probability, optional
        Class shares to which the references are reweighted, for all scores.
    average : {"bias", "prevalence", "macro"} or None, optional
        For the scores that take one; by default each score's own default. None gives one score per
        class, `informedness_NAME`.
    threshold : float, optional
        For a single column of scores, or several labels per sample: scores above it mean class 1.
        By default it follows the loss that `config` implies (0.0 for binary cross-entropy, 0.5 for
        squared error); if that is unknown it is 0.0, with a warning, if some score is negative.
    confidence_level : float, optional
        Adds `NAME_standard_error`, `NAME_low` and `NAME_high`.
    prefix : str
        Put before each name.
    ignore_index : int or None
        Drops the samples or tokens whose reference equals it.
    unknown : {"error", "wrong"}
        Whether a prediction outside the declared classes is refused or counted as a wrong answer.
    multilabel : bool, optional
        Whether each column is a label of its own; by default `config` decides. Scores are then
        means over the labels for which they are defined.
    by_label : bool
        Adds the score of each label, `informedness_NAME`.
    config : optional
        The model's configuration: `num_labels` declares the classes, `id2label` names them.
    history : path, optional
        A JSON Lines file, to which each evaluation appends its table and scores.

    Raises
    ------
    ValueError
        If a score is unknown, or an option is not valid or conflicts with another.

    Notes
    -----
    Counting starts afresh after each result, each error and each interrupted evaluation: batches
    from another call of the Trainer's `evaluation_loop` belong to another evaluation. Called from
    anywhere else, it cannot notice an interruption; `reset` forgets what was counted.

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
        prefix: str = "",
        ignore_index: int | None = -100,
        unknown: str = "error",
        multilabel: bool | None = None,
        by_label: bool = False,
        config: Any = None,
        history: str | os.PathLike[str] | None = None,
    ) -> None:
        self.names = names
        self.labels = None if labels is None else read_column(labels, "labels").tolist()
        self.prior = prior
        self.average = average
        self.threshold = threshold
        self.confidence_level = confidence_level
        self.prefix = prefix
        self.ignore_index = ignore_index
        self.unknown = unknown
        self.multilabel = multilabel
        self.by_label = by_label
        self.config = config
        self.history = history
        self._check_options()
        self.reset()

    def _check_options(self) -> None:
        """Raise ValueError for options that are not valid, before anything is trained."""
        if not self.names:
            raise ValueError("`names` must hold at least one score, got none")
        check_distinct(self.names, "names")
        scores = self._scores()
        if self.average != "default" and not any(score.averages for score in scores):
            raise ValueError(f"`average` must be left out: none of {self.names} takes one")
        if self.labels is not None:
            check_distinct(self.labels, "labels")
        check_unknown(self.unknown, self._classes())
        threshold = self.threshold
        if threshold is not None and not (is_real(threshold) and math.isfinite(threshold)):
            raise ValueError(f"`threshold` must be a finite number, got {show(threshold)}")
        if self.confidence_level is not None:
            check_level(self.confidence_level)
            for score in scores:
                check_has_interval(score, self.prior)
        if self.multilabel:
            self._check_options_of_several_labels()

    def _check_options_of_several_labels(self) -> None:
        if self.confidence_level is not None:
            raise ValueError(
                "`confidence_level` must be left out if samples have several labels, since these "
                f"are not independent of each other, got {self.confidence_level!r}"
            )
        if self.average is None:
            raise ValueError(
                "`average` must not be None if samples have several labels: by_label=True gives a "
                "score for each label"
            )

    def _scores(self) -> list[Score]:
        return [
            averaged_score(name, self.average if score_named(name).averages else "default")
            for name in self.names
        ]

    def reset(self) -> None:
        """Forget what was counted."""
        self._frame: FrameType | None = None
        self._form: str | None = None
        self._tally = Tally(
            labels=self._classes(), ignore_index=self.ignore_index, unknown=self.unknown
        )
        self._cells: Numbers | None = None
        self._any_unsure = self._any_negative = False

    def _classes(self) -> list[Any] | None:
        """Return the declared classes."""
        n_classes = getattr(self.config, "num_labels", 1)
        if self.labels is not None or n_classes < 2:
            return self.labels
        return list(range(n_classes))

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the frame, which cannot be copied."""
        return vars(self) | {"_frame": None}

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
        frame = _evaluation_loop()
        if frame is not self._frame:
            self.reset()
            self._frame = frame
        is_over = True
        try:
            for predictions, references in _batches(*_both(eval_prediction)):
                self._count(*_arrays(predictions, references))
            is_over = compute_result
            return self._result() if compute_result else {}
        finally:
            if is_over:
                self.reset()

    # Counting

    def _count(self, predictions: Any, references: Any) -> None:
        """Count a batch."""
        shapes = f"{tuple(predictions.shape)} and {tuple(references.shape)}"
        if self._has_several_labels(predictions):
            if predictions.ndim != 2 or predictions.shape != references.shape:
                raise ValueError(
                    "predictions and references with several labels per sample must both have "
                    f"shape (n_samples, n_labels), got {shapes}"
                )
            self._check_options_of_several_labels()
            self._count_binary("several labels", predictions, references)
            return
        if references.ndim == 2 and references.shape[1] == 1 and predictions.ndim < 3:
            references = references[:, 0]
        has_columns = predictions.shape[:-1] == references.shape
        if has_columns and predictions.shape[-1] == 1:
            predictions = predictions[..., 0]
        elif has_columns and _is_float(predictions):
            keep = self._counted(references)
            self._count_ids(_argmax(predictions, keep), references)
            return
        if predictions.shape != references.shape:
            raise ValueError(
                "predictions must be logits with the shape of the references plus one axis, or ids "
                f"with the same shape, got shapes {shapes}: if the model returns something else "
                "first, select the logits in `preprocess_logits_for_metrics`"
            )
        is_float = _is_float(predictions)
        is_table = predictions.ndim > 1 and not has_columns
        if is_table and (is_float or _is_float(references)):
            raise ValueError(
                f"predictions and references of the same shape, {tuple(references.shape)}, could "
                "be several labels per sample or tokens: pass multilabel=True for labels; for "
                "tokens flatten both, or pass integer ids and references"
            )
        if is_float:
            columns = (-1, 1)
            self._count_binary(
                "one column", predictions.reshape(columns), references.reshape(columns)
            )
        else:
            self._count_ids(predictions, references)

    def _has_several_labels(self, predictions: Any) -> bool:
        if self.multilabel is not None:
            return self.multilabel
        is_table = predictions.ndim == 2 and predictions.shape[1] > 1
        return is_table and self._problem() == "multi_label_classification"

    def _problem(self) -> str | None:
        """Return the type of problem the model says it was trained for, if it does."""
        return getattr(self.config, "problem_type", None)

    def _counted(self, references: Any) -> Any:
        """Return which samples count."""
        ignored = math.nan if self.ignore_index is None else self.ignore_index
        return references != ignored

    def _is_of(self, form: str) -> None:
        """Raise ValueError if batches of one evaluation have different forms."""
        if self._form not in (None, form):
            raise ValueError(
                f"all batches must have the same form, got {form} after {self._form}: call reset() "
                "between evaluations"
            )
        self._form = form

    def _count_ids(self, predictions: Any, references: Any) -> None:
        """Count one id per sample, or per token."""
        if self.threshold is not None:
            raise ValueError(
                "`threshold` must be left out unless predictions are a single column of scores or "
                f"several labels per sample, got {self.threshold!r}"
            )
        if self.by_label:
            raise ValueError("`by_label` must be left out unless samples have several labels")
        self._is_of("classes")
        predictions, references = predictions.reshape(-1), references.reshape(-1)
        if not _is_tensor(predictions):
            self._tally.update(references, predictions)
            return
        keep = self._counted(references)
        predictions, references = predictions[keep].long(), references[keep]
        if not (references == references.long()).all():
            raise ValueError("`references` must hold whole numbers")
        if len(references):
            pairs = _counts_of_tensors(references.long(), predictions)
            table = ContingencyTable.from_counts(
                *pairs, labels=self._classes(), unknown=self.unknown
            )
            self._tally.add_table(table)

    def _count_binary(self, form: str, predictions: Any, references: Any) -> None:
        """Count scores, or answers 0 and 1, against references 0 and 1 for each column."""
        self._is_of(form)
        keep = self._counted(references)
        _check_binary(references, keep, "references")
        if _is_float(predictions):
            _check_numbers(predictions, keep)
            threshold = self._threshold()
            self._any_unsure |= threshold is None
            self._any_negative |= bool(((predictions < 0) & keep).any())
            is_one = predictions > (0.0 if threshold is None else threshold)
        else:
            _check_binary(predictions, keep, "predictions")
            is_one = predictions == 1
        is_true = references == 1
        pairs = [(r, p) for r in (~is_true, is_true) for p in (~is_one, is_one)]
        cells = np.array([(keep & r & p).sum(0).tolist() for r, p in pairs], dtype=np.int64)
        if self._cells is not None and self._cells.shape != cells.shape:
            raise ValueError(
                "all batches must have the same number of labels, got "
                f"{cells.shape[1]} after {self._cells.shape[1]}"
            )
        self._cells = cells if self._cells is None else self._cells + cells

    def _threshold(self) -> float | None:
        """Return the threshold that was given, or that goes with the model's loss."""
        if self.threshold is not None:
            return self.threshold
        return {"multi_label_classification": 0.0, "regression": 0.5}.get(self._problem() or "")

    # From counts to scores

    def _result(self) -> dict[str, float]:
        """Return the scores of everything counted, and append them to the history."""
        if self._any_unsure:
            self._check_sign()
        if self._form == "several labels":
            tables = self._tables_by_label()
            scores = self._over_labels(tables)
            counted = {"tables": {name: _plain(table) for name, table in tables.items() if table}}
        else:
            one_column = self._form == "one column"
            table = _table_of_two(self._matrices()[0]) if one_column else self._tally.table
            scores = self._of_table(table)
            counted = {"table": _plain(table)}
        scores = {f"{self.prefix}{name}": float(value) for name, value in scores.items()}
        if self.history is not None:
            self._write_history(counted, scores)
        return scores

    def _check_sign(self) -> None:
        """Warn that scores were read as logits, or raise ValueError if they may not be logits."""
        if not self._any_negative:
            raise ValueError(
                f"`threshold` must be given if no score is negative: pass {_THRESHOLDS}; if these "
                "are class ids, convert them to integers"
            )
        warn(
            "some scores are negative, so they were read as logits, and those above 0.0 as class "
            f"1: pass {_THRESHOLDS}"
        )

    def _matrices(self) -> Numbers:
        """Return the counts of each column, a row for each reference."""
        if self._cells is None or not self._cells.any():
            raise NoSamplesError("there must be a sample to score, but none was given")
        if self.labels is not None and {*self.labels} != {0, 1}:
            raise ValueError(f"`labels` must be 0 and 1 for {self._form}, got {self.labels}")
        matrices: Numbers = self._cells.T.reshape(-1, 2, 2)
        return matrices

    def _tables_by_label(self) -> dict[str, ContingencyTable | None]:
        """Return the table of each label, None for one whose samples are all ignored."""
        matrices = self._matrices()
        names = self._class_names(range(len(matrices)))
        tables = [_table_of_two(matrix) if matrix.any() else None for matrix in matrices]
        return dict(zip(names, tables, strict=True))

    def _class_names(self, labels: Sequence[Label | None]) -> list[str]:
        names = getattr(self.config, "id2label", None) or {}
        found = ["unknown" if x is None else str(names.get(x, x)) for x in labels]
        check_distinct(found, "config.id2label")
        return found

    def _of_table(self, table: ContingencyTable) -> dict[str, Any]:
        """Return the scores of one table, with their intervals if wanted."""
        result: dict[str, Any] = {}
        for score in self._scores():
            by_class = bool(score.averages) and score.average is None
            keys = [score.name]
            if by_class:
                is_one_column = self._form == "one column"
                names = map(str, table.labels) if is_one_column else self._class_names(table.labels)
                keys = [f"{score.name}_{name}" for name in names]
            if self.confidence_level is None:
                values = score.value(table, prior=self.prior)
                result |= zip(keys, values if by_class else [values], strict=True)
                continue
            made = estimate(
                table,
                score.name,
                average=score.average if score.averages else "default",
                prior=self.prior,
                confidence_level=self.confidence_level,
            )
            for key, one in zip(keys, made if isinstance(made, list) else [made], strict=True):
                low, high = one.confidence_interval
                result[key] = one.value
                result[f"{key}_standard_error"] = one.standard_error
                result[f"{key}_low"], result[f"{key}_high"] = low, high
        return result

    def _over_labels(self, tables: Mapping[str, ContingencyTable | None]) -> dict[str, Any]:
        """Return the means of scores over labels, and the score of each label if wanted."""
        result: dict[str, Any] = {}
        for score in self._scores():
            defined = {
                name: score.value(table, prior=self.prior)
                for name, table in tables.items()
                if table is not None and not score.undefined(table)
            }
            lacking = [name for name in tables if name not in defined]
            if lacking:
                warn(
                    f"{score.title} is undefined for labels whose references are all the same: "
                    f"{', '.join(map(show, lacking))} left out of the mean",
                    UndefinedMetricWarning,
                )
            values = list(defined.values()) or [score.stand_in]
            result[score.name] = math.fsum(values) / len(values)
            if self.by_label:
                result |= {
                    f"{score.name}_{name}": defined.get(name, score.stand_in) for name in tables
                }
        return result

    def _write_history(self, counted: dict[str, Any], scores: dict[str, float]) -> None:
        """Add a line to the file of the first process."""
        names = {} if self._frame is None else self._frame.f_locals
        trainer: Any = names.get("self")
        if hasattr(trainer, "is_world_process_zero"):
            is_first, step = trainer.is_world_process_zero(), trainer.state.global_step
        else:
            is_first, step = os.environ.get("RANK", "0") == "0", None  # as torchrun sets it
        if not is_first:
            return
        line = {
            "step": step,
            "metric_key_prefix": names.get("metric_key_prefix"),
            **counted,
            "scores": {
                name: None if math.isnan(value) else value for name, value in scores.items()
            },
        }
        path = Path(os.fspath(self.history or ""))
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def argmax_logits(logits: Any, labels: Any) -> Any:
    """Return the classes of logits, for `Trainer(preprocess_logits_for_metrics=...)`.

    The Trainer then gathers and keeps one id per token instead of its logits. Of a tuple, the first
    element is used. A single column, and several labels per sample, are left as they are.

    Examples
    --------
    >>> argmax_logits(np.array([[0.1, 0.7], [0.4, 0.2]]), np.array([1, 1]))
    array([1, 0])
    """
    if isinstance(logits, tuple):
        logits = logits[0]
    has_shape = hasattr(labels, "shape")
    if logits.ndim < 2 or logits.shape[-1] == 1 or (has_shape and logits.shape == labels.shape):
        return logits
    fits = has_shape and logits.shape[:-1] == labels.shape
    return _argmax(logits, labels != -100 if fits else True)


# What the Trainer hands over


def _evaluation_loop() -> FrameType | None:
    """Return the frame of the Trainer's loop that is running in this thread, if there is one."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_name != "evaluation_loop":
        frame = frame.f_back
    return frame


def _both(eval_prediction: Any) -> tuple[Any, Any]:
    """Return predictions and references, without inputs and losses."""
    if hasattr(eval_prediction, "label_ids"):
        return eval_prediction.predictions, eval_prediction.label_ids
    if isinstance(eval_prediction, (tuple, list)) and len(eval_prediction) == 2:
        predictions, references = eval_prediction
        return predictions, references
    raise ValueError(
        "`eval_prediction` must be an EvalPrediction or (predictions, references), "
        f"got {show(eval_prediction)}"
    )


def _batches(predictions: Any, references: Any) -> Iterator[tuple[Any, Any]]:
    """Return pairs of arrays: one, or those of a list of batches."""
    first: Any = references[0] if isinstance(references, list) and references else None
    if not getattr(first, "shape", None):  # a number has the shape ()
        return iter([(predictions, references)])
    if not isinstance(predictions, list) or len(predictions) != len(references):
        raise ValueError(
            f"predictions must come in as many batches as references, {len(references)}"
        )
    return zip(predictions, references, strict=True)


def _arrays(predictions: Any, references: Any) -> tuple[Any, Any]:
    """Return a batch as two arrays, or as two tensors where both are."""
    if isinstance(references, tuple) and references and hasattr(references[0], "shape"):
        raise ValueError(
            f"references must be one array, got {len(references)}: name the one to score in "
            "`label_names` of the TrainingArguments"
        )
    if isinstance(predictions, tuple) and predictions and not np.isscalar(predictions[0]):
        predictions = predictions[0]  # hidden states, attentions and caches follow
    if _is_tensor(predictions) and _is_tensor(references):
        both = predictions.detach(), references.detach().to(predictions.device)
        return both[0], both[1] if _is_float(both[1]) else both[1].long()
    return as_array(predictions, "predictions"), as_array(references, "references")


def _is_tensor(array: Any) -> bool:
    return hasattr(array, "detach")


def _is_float(array: Any) -> bool:
    if _is_tensor(array):
        return bool(array.is_floating_point())
    return bool(array.dtype.kind == "f")


def _argmax(logits: Any, keep: Any) -> Any:
    """Return the argmax over the last axis; raise ValueError for nan in a sample that counts."""
    if _is_tensor(logits):
        largest, ids = logits.detach().max(-1)
    else:
        ids = logits.argmax(-1)
        largest = np.take_along_axis(logits, ids[..., None], -1)[..., 0]
    _check_numbers(largest, keep)
    return ids


def _check_numbers(scores: Any, keep: Any) -> None:
    """Raise ValueError for nan in samples that count."""
    n_missing = int(((scores != scores) & keep).sum())
    if n_missing:
        raise ValueError(
            f"predictions must be numbers, got nan for {n_missing} samples: has training diverged?"
        )


def _check_binary(array: Any, keep: Any, name: str) -> None:
    """Raise ValueError unless all that counts is 0 or 1."""
    bad = keep & (array != 0) & (array != 1)
    if bad.any():
        raise ValueError(
            f"{name} must be 0 or 1 for a single column of scores or several labels, got "
            f"{array[bad][0].item()!r}"
        )


def _counts_of_tensors(references: Any, predictions: Any) -> tuple[Numbers, Numbers, Numbers]:
    """Return the pairs of labels that occur and the number of each, counted where they are."""
    low = int(min(references.min(), predictions.min()))
    n_labels = int(max(references.max(), predictions.max())) - low + 1
    if n_labels >= 2**31:  # pairs would not fit into 64 bits
        both = references.cpu().numpy(), predictions.cpu().numpy()
        return *both, np.ones(len(references), dtype=np.int64)
    pairs = (references - low) * n_labels + (predictions - low)
    if n_labels**2 <= _LARGEST_TABLE:
        table = pairs.bincount()
        found = table.nonzero().squeeze(1)
        counts = table[found]
    else:
        found, counts = pairs.unique(return_counts=True)
    rows, columns = np.divmod(found.cpu().numpy(), n_labels)
    return rows + low, columns + low, counts.cpu().numpy()


def _table_of_two(matrix: Numbers) -> ContingencyTable:
    return ContingencyTable.from_matrix(matrix, labels=(0, 1))


def _plain(table: ContingencyTable) -> dict[str, Any]:
    """Return the arguments of `ContingencyTable.from_counts` that make the table again."""
    classes = [label for label in table.labels if label is not None]
    answers = [table.labels[code] for code in table.columns.tolist()]
    return {
        "references": [table.labels[code] for code in table.rows.tolist()],
        "predictions": filled(answers, classes),
        "counts": table.counts.tolist(),
        "labels": classes if table.declared else None,
        "unknown": "wrong" if None in table.labels else "error",
    }
