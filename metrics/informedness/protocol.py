"""The `evaluate` protocol for labels: `add`, `add_batch` and `compute` read their inputs strictly.

`evaluate.Metric` coerces its inputs: `["001", "1"]` becomes `[1, 1]`, 0.7 becomes 0, None passes.
`LabelInputs` precedes it in the bases. It must not be a subclass of `EvaluationModule`, or
`evaluate` would load it as the metric.

Added samples are kept in memory. With `num_process > 1`, each process opens a file at its first
sample; there the base class waits for all. `compute` writes a row of JSON: process, round, samples.
"""

# `LabelInputs` has half of its attributes from evaluate.Metric, which a type checker cannot see.
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

Batch: TypeAlias = tuple[Column, Column, Any]  # references, predictions, their weights or None
_INT64 = range(-(2**63), 2**63)


class LabelInputs:
    """Mixin for `evaluate.Metric`: `_compute` gets columns, and options may be given at load."""

    def __init__(self, config_name: str | None = None, *args: Any, **kwargs: Any) -> None:
        self.reset()
        self._round = 0
        own = signature(super().__init__).parameters
        self._defaults = {name: kwargs.pop(name) for name in [*kwargs] if name not in own}
        super().__init__(config_name, *args, **kwargs)
        if config_name in ("bias", "prevalence", "macro"):
            self._check_options(["average"])
            raise ValueError(f'`config_name` must name no average: pass average="{config_name}"')
        if self._defaults:
            self._check_options(self._defaults)
            self._try(**self._defaults)
        if self.num_process > 1:  # what the base class calls, once it has read the files
            self._compute = self._compute_stored

    def reset(self) -> None:
        """Drop samples that this process added but did not compute, as after an interrupt."""
        self._batches: list[Batch] = []
        self._singles: list[tuple[Any, Any]] = []  # what `add` took after the last batch
        self._single_kind: type | None = None  # of labels that `add` accepts without further checks

    @property
    def experiment_id(self) -> Any:
        """ID for file names: processes alternate between two, so that one may be a round ahead."""
        turn = f"-{self._round % 2}" if self.num_process > 1 else ""
        return f"{super().experiment_id}{turn}"

    def __len__(self) -> int:
        return sum(len(references) for references, *_ in self._batches) + len(self._singles)

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one prediction and its reference, and if you like their `sample_weight`."""
        # a label of the same type as the last takes 0.3 us here, 13 us through add_batch
        kind = self._single_kind
        is_single = type(prediction) is kind and type(reference) is kind and not kwargs
        if is_single and (kind is not int or (prediction in _INT64 and reference in _INT64)):
            return self._singles.append((reference, prediction))
        if kwargs.get("sample_weight", 0) is None:
            del kwargs["sample_weight"]
        # evaluate.combine passes references and predictions under the names of the features
        sample = {"predictions": prediction, "references": reference} | kwargs
        self.add_batch(**{name: [value] for name, value in sample.items()})

    def add_batch(
        self, *, predictions: Any = None, references: Any = None, sample_weight: Any = None
    ) -> None:
        """Add predictions and their references, with weights of 1 unless given; all or nothing."""
        unknown = self._defaults.get("unknown", "error")
        pair = read_pair(references, predictions, sample_weight=sample_weight, unknown=unknown)
        self._check_options(() if sample_weight is None else ["sample_weight"])
        weights = None if sample_weight is None else read_weights(sample_weight, len(pair[0]))
        r, p = (Column(column.codes.copy(), column.values) for column in pair)  # may change later
        for before, *_ in self._collect_added()[:1]:
            check_same_kind(before, "references added before", r, "references")
        self._join_round()
        if len(r):
            self._batches.append((r, p, weights))
            self._single_kind = type(r.example())

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> Any:
        """Compute the score of the samples passed, together with those added before.

        Samples added before are discarded even if scoring fails. They are kept if an option is
        unknown or the samples passed are invalid.
        With `num_process > 1` only process 0 returns the score. The options are listed below.
        """
        self._check_options(kwargs)
        batches = [*self._collect_added()]
        if predictions is not None or references is not None:
            options = (self._defaults | kwargs).items()
            taken = {name: x for name, x in options if name in ("sample_weight", "unknown")}
            batches.append((*read_pair(references, predictions, **taken), None))
            if len(self):
                others = f"{len(self)} added before. To discard those, call `reset()` first."
                warn(f"`compute` takes the samples passed to it together with {others}")
        batch = _join_batches(batches or [(*read_pair([], []), None)])
        self.reset()
        return (self._score if self.num_process == 1 else self._compute_together)(batch, kwargs)

    def _collect_added(self) -> list[Batch]:
        """Return the batches so far, with the samples of `add` as the last one."""
        if self._singles:
            references, predictions = zip(*self._singles, strict=True)
            self._batches.append((*read_pair(references, predictions), None))
            self._singles = []
        return self._batches

    def _check_options(self, names: Iterable[str]) -> None:
        """Raise TypeError unless the metric has all these options."""
        options = list(signature(type(self)._compute).parameters)[3:]  # after self and the labels
        if odd := [name for name in names if name not in options]:
            raise TypeError(f"{self.name} has no option {odd[0]!r}: it has {', '.join(options)}")

    def _try(self, ignore_index: Any = None, sample_weight: Any = None, **options: Any) -> None:
        """Raise ValueError if `compute` would reject these options: try perfect predictions."""
        if ignore_index is not None:
            read_column([ignore_index], "ignore_index")
        classes = options.get("labels")
        if options.get("prior") is not None:
            classes = [x for x, share in shares_of(options["prior"]).items() if share] or classes
        column = read_column([0, 1] if classes is None else classes, "labels")
        k = len(column)
        sample = column[np.tile(np.arange(k), 10 + 1000 // max(k, 1))]  # enough for an interval
        before = NOTES.set([])  # none of the warnings is of the user's labels
        try:
            type(self)._compute(self, predictions=sample, references=sample, **options)
        finally:
            NOTES.reset(before)

    def _score(self, batch: Batch, options: dict[str, Any]) -> Any:
        """Call the metric's own `_compute`."""
        options = self._defaults | options
        references, predictions, weights = batch
        if weights is not None:
            if options.get("sample_weight") is not None:
                both = "`sample_weight` was given both ways, to `add_batch` and as an option"
                raise ValueError(f"{both}: pass it to `add_batch` alone, with each batch")
            options["sample_weight"] = weights
        # not self._compute, which with several processes is _compute_stored
        return type(self)._compute(self, predictions=predictions, references=references, **options)

    def _join_round(self) -> None:
        """Open the file of the round, once; the base class waits for all processes there."""
        if self.num_process > 1 and self.writer is None:
            super().add_batch(predictions=[""], references=[""])
            self.writer.stream.flush()  # a file without a row could not be read

    def _compute_together(self, batch: Batch, options: dict[str, Any]) -> Any:
        """Write the row of this process, compute by the base class, and go on to the next round."""
        self._join_round()  # a process may have no samples
        content = [self.process_id, self._round, *(x if x is None else x.tolist() for x in batch)]
        row = json.dumps(content, default=lambda label: {"bytes": label.decode("latin-1")})
        try:
            super().add_batch(predictions=[row], references=[""])
            result = super().compute(**options)
        finally:  # also where the base class waited for another process in vain
            self.cache_file_name = self.filelock = self.writer = None
            self._round += 1
        if isinstance(result, BaseException):
            raise result
        return result

    def _compute_stored(self, predictions: Any, references: Any, **options: Any) -> Any:
        """Compute what all processes wrote; return an error, for the base class to clean up."""
        try:
            decoder = json.JSONDecoder(object_hook=lambda label: label["bytes"].encode("latin-1"))
            rows = [decoder.decode(row) for row in predictions if row]
            wanted = dict.fromkeys(range(self.num_process), self._round)
            if (rounds := {process: at for process, at, *_ in rows}) != wanted:
                rule = f"all {self.num_process} processes must be in round {self._round}"
                remedies = "Call `compute` in each process in every round. Give each job in the "
                remedies += "cache folder an `experiment_id`."
                raise ValueError(f"{rule}, got rounds {rounds} by process. {remedies}")
            batches = [
                (*read_pair(r, p, unknown="wrong"), None if weights is None else np.array(weights))
                for *_, r, p, weights in rows
            ]
            return self._score(_join_batches(batches), options)
        except BaseException as error:
            return error


def _join_batches(batches: list[Batch]) -> Batch:
    """Join batches into one; samples without weights weigh 1 if others have weights."""
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
    """Return the score under its name, with what the installed package adds to it.

    This file may be a copy next to a metric script. The installed package warns if the versions
    differ; it also computes intervals and signatures.
    """
    path = sys.path  # a script `informedness.py` in the working directory would hide the package
    sys.path = [folder for folder in path if not Path(folder, "informedness.py").is_file()]
    try:
        package = import_module("informedness.results.estimate")
    except ImportError as error:
        if level is None and not return_signature:
            return {name: value}
        needed = "need the package informedness, which is not installed"
        raise ImportError(f"`confidence_level` and `return_signature` {needed}") from error
    finally:
        sys.path = path
    score = {name: value}
    if NOTES.get() is None:  # these are not samples that options are tried on
        package.warn_of_module(table, __version__)
    extras = package.add_companions(score, table, level, return_signature, options, __version__)
    return score | extras
