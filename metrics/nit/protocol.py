"""Define the base class of the `evaluate` metrics, which reads labels without changing them.

`evaluate.Metric` converts its inputs: `["001", "1"]` becomes `[1, 1]`, 0.7 becomes 0, and None is
accepted. A metric lists `LabelInputs` as a base class before `evaluate.Metric`. `LabelInputs` must
not be a subclass of `EvaluationModule`, because `evaluate` would then load it as the metric.

A round is what happens up to and including one call of `compute`. Added samples are kept in memory
until `compute` scores them, or `reset` discards them. With `num_process > 1`, each process opens a
file when it adds the first samples of a round, or else in `compute`. The base class then waits for
the other processes. `compute` writes a row of JSON to this file, with the number of the process,
the number of the round, and the samples.
"""

# Many attributes of `LabelInputs` come from evaluate.Metric, which mypy cannot see.
# mypy: disable-error-code="attr-defined, call-arg, misc"

import json
import sys
from collections.abc import Iterable
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from .labels import NOTES, Column, check_same_kind, join_columns, read_column, read_pair, warn
from .scores import __version__, shares_of
from .table import Table, read_weights

Batch: TypeAlias = tuple[Column, Column, Any]  # references, predictions, and weights or None
_INT64 = range(-(2**63), 2**63)


class LabelInputs:
    """Mixin that makes an `evaluate.Metric` pass labels to `_compute` as columns.

    `evaluate.load` also takes the options of `_compute`.
    """

    def __init__(self, config_name: str | None = None, *args: Any, **kwargs: Any) -> None:
        self.reset()
        self._round = 0
        known = signature(super().__init__).parameters
        self._defaults = {name: kwargs.pop(name) for name in [*kwargs] if name not in known}
        super().__init__(config_name, *args, **kwargs)
        if config_name in ("bias", "prevalence", "macro"):
            self._check_options(["average"])
            raise ValueError(f'`config_name` must not be an average. Pass average="{config_name}".')
        if self._defaults:
            self._check_options(self._defaults)
            self._try(**self._defaults)
        if self.num_process > 1:  # the base class calls `_compute` after reading the files
            self._compute = self._compute_stored

    def reset(self) -> None:
        """Discard the samples added since the last `compute`, for example after an interrupt."""
        self._batches: list[Batch] = []
        self._singles: list[tuple[Any, Any]] = []  # added by `add` after the last batch
        # The type of the labels that `add` accepts without further checks
        self._single_kind: type | None = None

    @property
    def experiment_id(self) -> Any:
        """ID for file names; with several processes, it alternates between rounds.

        The reason is that a process may be one round ahead of another.
        """
        turn = f"-{self._round % 2}" if self.num_process > 1 else ""
        return f"{super().experiment_id}{turn}"

    def __len__(self) -> int:
        return sum(len(references) for references, *_ in self._batches) + len(self._singles)

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add a prediction and its reference, optionally with a `sample_weight`."""
        # a label of the same type as the previous one takes 0.3 us here, and 13 us in add_batch
        kind = self._single_kind
        is_single = type(prediction) is kind and type(reference) is kind and not kwargs
        if is_single and (kind is not int or (prediction in _INT64 and reference in _INT64)):
            return self._singles.append((reference, prediction))
        if kwargs.get("sample_weight", 0) is None:
            del kwargs["sample_weight"]
        # evaluate.combine passes the two labels as `predictions` and `references`
        sample = {"predictions": prediction, "references": reference} | kwargs
        self.add_batch(**{name: [value] for name, value in sample.items()})

    def add_batch(
        self, *, predictions: Any = None, references: Any = None, sample_weight: Any = None
    ) -> None:
        """Add predictions and their references, with weights of 1 by default.

        If an input is invalid, none of these samples is added.
        """
        unknown = self._defaults.get("unknown", "error")
        pair = read_pair(references, predictions, sample_weight=sample_weight, unknown=unknown)
        self._check_options(() if sample_weight is None else ["sample_weight"])
        weights = None if sample_weight is None else read_weights(sample_weight, len(pair[0]))
        # copied, because the caller may reuse the arrays
        r, p = (Column(column.codes.copy(), column.values) for column in pair)
        for before, *_ in self._collect_added()[:1]:
            check_same_kind(before, "references added before", r, "references")
        self._join_round()
        if len(r):
            self._batches.append((r, p, weights))
            self._single_kind = type(r.example())

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> Any:
        """Compute the score of the samples passed and of those added before.

        Samples added before are discarded even if scoring fails. They are kept if the metric lacks
        an option, or if the samples passed are invalid. With `num_process > 1` only process 0
        returns the score. `evaluate` appends the description of the metric's options to this
        docstring.
        """
        self._check_options(kwargs)
        batches = [*self._collect_added()]
        if predictions is not None or references is not None:
            options = (self._defaults | kwargs).items()
            pair_options = {name: x for name, x in options if name in ("sample_weight", "unknown")}
            batches.append((*read_pair(references, predictions, **pair_options), None))
            if len(self):
                added = f"{len(self)} added before. To discard those, call `reset()` first."
                warn(f"`compute` takes the samples passed to it together with {added}")
        batch = _join_batches(batches or [(*read_pair([], []), None)])
        self.reset()
        return (self._score if self.num_process == 1 else self._compute_together)(batch, kwargs)

    def _collect_added(self) -> list[Batch]:
        """Read the samples of `add` into a last batch, and list all batches."""
        if self._singles:
            references, predictions = zip(*self._singles, strict=True)
            self._batches.append((*read_pair(references, predictions), None))
            self._singles = []
        return self._batches

    def _check_options(self, names: Iterable[str]) -> None:
        """Raise TypeError if the metric lacks any of these options."""
        options = list(signature(type(self)._compute).parameters)[3:]  # after self and the labels
        if bad := [name for name in names if name not in options]:
            raise TypeError(f"{self.name} has no option {bad[0]!r}: it has {', '.join(options)}")

    def _try(self, ignore_index: Any = None, sample_weight: Any = None, **options: Any) -> None:
        """Score perfect predictions, so that invalid options raise an error before `compute`."""
        if ignore_index is not None:
            read_column([ignore_index], "ignore_index")
        classes = options.get("labels")
        if options.get("prior") is not None:
            classes = [x for x, share in shares_of(options["prior"]).items() if share] or classes
        column = read_column([0, 1] if classes is None else classes, "labels")
        k = len(column)
        sample = column[np.tile(np.arange(k), 10 + 1000 // max(k, 1))]  # enough for an interval
        before = NOTES.set([])  # discard warnings, which are not about the user's labels
        try:
            type(self)._compute(self, predictions=sample, references=sample, **options)
        finally:
            NOTES.reset(before)

    def _score(self, batch: Batch, options: dict[str, Any]) -> Any:
        """Score a batch by `_compute`, with the options passed to `compute` or `evaluate.load`."""
        options = self._defaults | options
        references, predictions, weights = batch
        if weights is not None:
            if options.get("sample_weight") is not None:
                both = "`sample_weight` was passed both to `add_batch` and as an option"
                raise ValueError(f"{both}. Pass it only to `add_batch`, with each batch.")
            options["sample_weight"] = weights
        # with several processes, self._compute is _compute_stored
        return type(self)._compute(self, predictions=predictions, references=references, **options)

    def _join_round(self) -> None:
        """Open the file of the round, unless it is open or there is only one process.

        The base class then waits for all processes.
        """
        if self.num_process > 1 and self.writer is None:
            super().add_batch(predictions=[""], references=[""])
            self.writer.stream.flush()  # a file without a row could not be read

    def _compute_together(self, batch: Batch, options: dict[str, Any]) -> Any:
        """Write the samples of this process, compute the score, and start the next round."""
        self._join_round()  # a process may have no samples
        content = [self.process_id, self._round, *(x if x is None else x.tolist() for x in batch)]
        row = json.dumps(content, default=lambda label: {"bytes": label.decode("latin-1")})
        try:
            super().add_batch(predictions=[row], references=[""])
            result = super().compute(**options)
        finally:  # also if the base class waited in vain for another process
            self.cache_file_name = self.filelock = self.writer = None
            self._round += 1
        if isinstance(result, BaseException):
            raise result
        return result

    def _compute_stored(self, predictions: Any, references: Any, **options: Any) -> Any:
        """Score the samples that all processes wrote.

        An error is returned and not raised, so that the base class still removes its files.
        """
        try:
            decoder = json.JSONDecoder(object_hook=lambda label: label["bytes"].encode("latin-1"))
            rows = [decoder.decode(row) for row in predictions if row]
            wanted = dict.fromkeys(range(self.num_process), self._round)
            if (rounds := {process: at for process, at, *_ in rows}) != wanted:
                rule = f"all {self.num_process} processes must call `compute` equally often"
                remedies = "Call it in each process, even without samples. Give each job that "
                remedies += "shares the cache folder an `experiment_id` of its own."
                raise ValueError(f"{rule}, got {rounds} as earlier calls by process. {remedies}")
            batches = [
                (*read_pair(r, p, unknown="wrong"), None if weights is None else np.array(weights))
                for *_, r, p, weights in rows
            ]
            return self._score(_join_batches(batches), options)
        except BaseException as error:
            return error


def _join_batches(batches: list[Batch]) -> Batch:
    """Join batches into one; if only some batches have weights, other samples get a weight of 1."""
    if len(batches) == 1:
        return batches[0]
    r, p, batch_weights = zip(*batches, strict=True)
    first = next(filter(len, r), r[0])  # a process may have no samples
    for references in r:
        check_same_kind(first, "references added before", references, "references")
    filled = [np.ones(len(x)) if w is None else w for x, w in zip(r, batch_weights, strict=True)]
    weights = np.concatenate(filled) if any(w is not None for w in batch_weights) else None
    return join_columns(r), join_columns(p), weights


def result_of(
    name: str, value: Any, table: Table, level: float | None, return_signature: bool, **options: Any
) -> dict[str, Any]:
    """Return the score under its name, with the interval and the signature if requested.

    This file may be a copy next to a metric script. The installed package computes intervals and
    signatures. It also warns of unusual labels, and of a version of the script that is not its own.
    """
    path = sys.path  # a script `informedness.py` in the working directory would hide the package
    sys.path = [folder for folder in path if not Path(folder, "informedness.py").is_file()]
    try:
        package = import_module("informedness.results.estimate")
    except ImportError as error:
        if level is None and not return_signature:
            return {name: value}
        needed = "need the installed package: pip install informedness"
        raise ImportError(f"`confidence_level` and `return_signature` {needed}") from error
    finally:
        sys.path = path
    score = {name: value}
    if NOTES.get() is None:  # not while `_try` checks options
        package.warn_of_module(table, __version__)
    extras = package.companions_of(score, table, level, return_signature, options, __version__)
    return score | extras
