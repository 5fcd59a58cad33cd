"""The `evaluate` protocol for labels: `add`, `add_batch` and `compute` read their inputs strictly.

`evaluate.Metric` coerces its inputs on the way into an Arrow file: `["001", "1"]` becomes
`[1, 1]`, 0.7 becomes 0, None passes. `LabelInputs` goes in front of it in a metric's bases and
reads the inputs itself. It is no `EvaluationModule`: `evaluate` would take it for the metric.

In one process what is added waits in memory. With `num_process > 1` it travels through the base
class's files as Python literals, a prediction and (reference, weight or None) for each sample. What
is added between two calls of `compute` is a round: its files start with process and round, so that
rounds never mix, and two file names take turns, so that a process may run one round ahead.
"""

# `LabelInputs` has half of its attributes from evaluate.Metric, which a type checker cannot see.
# mypy: disable-error-code="attr-defined, call-arg, misc"

from __future__ import annotations

import ast
from collections.abc import Iterable
from inspect import signature
from pathlib import Path
from typing import Any

import datasets
import numpy as np

from .labels import Column, NoSamplesError, check_same_kind, join_columns, read_pair, warn
from .table import Weights, read_weights

# An Arrow stream that was closed ends so; one cut short by a dying process does not.
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"

_INT64 = range(-(2**63), 2**63)
_STORED = datasets.Features(dict.fromkeys(("predictions", "references"), datasets.Value("string")))


class LabelInputs:
    """Mixin for `evaluate.Metric` that reads predictions and references strictly as labels.

    Its `_compute(predictions, references, ...)` takes columns. Its options may also be given to
    `evaluate.load`, as defaults for `compute`; their values are checked once there are labels.
    """

    _batches: list[tuple[Column, Column, Weights | None]]  # references, predictions, their weights
    _singles: list[tuple[Any, Any]]  # (reference, prediction) that `add` took after the last batch
    _single_kind: type | None  # what `add` takes without a second look
    _compute: Any

    def __init__(self, config_name: str | None = None, *args: Any, **kwargs: Any) -> None:
        self._drop_added()
        self._round, self._suffix, self._rows_before = 0, "", 0
        own = signature(super().__init__).parameters
        self._defaults = {name: kwargs.pop(name) for name in [*kwargs] if name not in own}
        super().__init__(config_name, *args, **kwargs)
        self._check_options(self._defaults)
        if self.num_process > 1:
            self._compute = self._compute_stored

    @property
    def features(self) -> Any:
        """What the base class takes: the metric's own features, or text if files are used."""
        return _STORED if self.num_process > 1 else super().features

    @property
    def experiment_id(self) -> Any:
        """The base class's, which its file names start with; several processes add the round."""
        return f"{super().experiment_id}{self._suffix}"

    def __len__(self) -> int:
        """Return the number of samples added and not yet computed."""
        if self.num_process > 1:
            return max(0, super().__len__() - self._rows_before)
        return sum(len(references) for references, *_ in self._batches) + len(self._singles)

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one prediction and its reference, and if you like their `sample_weight`."""
        # 0.3 us for what is plainly a label like the last one, 13 us by way of add_batch
        kind = self._single_kind
        is_single = type(prediction) is kind and type(reference) is kind and not kwargs
        if is_single and (kind is not int or (prediction in _INT64 and reference in _INT64)):
            self._singles.append((reference, prediction))
            return
        # evaluate.combine passes these under the names of the features
        prediction = kwargs.pop("predictions", prediction)
        reference = kwargs.pop("references", reference)
        if kwargs.get("sample_weight") is not None:
            kwargs["sample_weight"] = [kwargs["sample_weight"]]
        self.add_batch(predictions=[prediction], references=[reference], **kwargs)

    def add_batch(
        self, *, predictions: Any = None, references: Any = None, sample_weight: Any = None
    ) -> None:
        """Add predictions and their references, with weights of 1 unless given; all or nothing."""
        unknown = self._defaults.get("unknown", "error")
        pair = read_pair(references, predictions, sample_weight=sample_weight, unknown=unknown)
        weights = None
        if sample_weight is not None:
            self._check_options(["sample_weight"])
            weights = read_weights(sample_weight, len(pair[0]))
        if self.num_process > 1:
            self._join_round()
            given = [None] * len(pair[0]) if weights is None else weights.tolist()
            references = map(ascii, zip(pair[0].tolist(), given, strict=True))
            predictions = map(ascii, pair[1].tolist())
            super().add_batch(predictions=[*predictions], references=[*references])
        elif len(pair[0]):
            self._gather_singles()
            self._check_kind(pair[0])
            # the caller may change its arrays afterwards
            r, p = (Column(column.codes.copy(), column.values) for column in pair)
            self._batches.append((r, p, weights))
            self._single_kind = type(r.example())

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> Any:
        """Compute the score of the samples passed, together with those added before.

        The samples added are used up, whether or not they can be scored, so that none leak into the
        next evaluation. They stay if those passed are refused, if there is no such option, or after
        an interrupt; `reset` drops them. With `num_process > 1` only process 0 returns the score.
        The options are listed below; their defaults are those given to `evaluate.load`.
        """
        self._check_options(kwargs)
        is_given, n_added = predictions is not None or references is not None, len(self)
        if is_given:
            options = self._defaults | kwargs
            how = {name: options[name] for name in ("sample_weight", "unknown") if name in options}
            references, predictions = read_pair(references, predictions, **how)
        if is_given and n_added:
            warn(
                f"`compute` takes the samples passed to it together with {n_added} added before: "
                "call `reset()` first if those are left over from an interrupted evaluation, or "
                "`add_batch` and then `compute()` if they belong together"
            )
        if self.num_process > 1:
            if is_given:
                self.add_batch(predictions=predictions, references=references)
            return self._compute_together(kwargs)
        if is_given and not n_added:
            return self._score(predictions, references, kwargs)
        self._gather_singles()
        if is_given:
            self._check_kind(references)
        batches = [*self._batches, *[(references, predictions, None)] * is_given]
        if not batches:
            raise NoSamplesError("there must be a sample to score, got none: `add` some before")
        r, p, given = zip(*batches, strict=True)
        joined = None
        if any(w is not None for w in given):
            pairs = zip(r, given, strict=True)
            joined = np.concatenate([np.ones(len(x)) if w is None else w for x, w in pairs])
        try:
            result = self._score(join_columns(p), join_columns(r), kwargs, joined)
        except Exception:
            self._drop_added()
            raise
        self._drop_added()
        return result

    def reset(self) -> None:
        """Drop samples that this process added but did not compute, as after an interrupt."""
        if self.num_process == 1:
            self._drop_added()
        elif self._suffix:
            self._write_head()

    def _drop_added(self) -> None:
        self._batches, self._singles, self._single_kind = [], [], None

    def _check_kind(self, references: Column) -> None:
        """Raise ValueError if labels are of another kind than those added before."""
        if self._batches:
            before = self._batches[0][0]
            check_same_kind(before, "references added before", references, "references")

    def _gather_singles(self) -> None:
        """Make a batch of what `add` took."""
        if self._singles:
            references, predictions = zip(*self._singles, strict=True)
            self._batches.append((*read_pair(references, predictions), None))
            self._singles = []

    def _check_options(self, names: Iterable[str]) -> None:
        """Raise TypeError unless the metric has all these options."""
        there = signature(type(self)._compute).parameters
        options = [x for x in there if x not in ("self", "predictions", "references")]
        if odd := [name for name in names if name not in options]:
            its = ", ".join(options)
            raise TypeError(f"{self.name} has no option {odd[0]!r}: its options are {its}")

    def _score(self, predictions: Any, references: Any, options: Any, weights: Any = None) -> Any:
        """Return the result of the metric's own `_compute`; `weights` came with the samples."""
        options = self._defaults | options
        if weights is not None:
            if options.get("sample_weight") is not None:
                raise ValueError(
                    "`sample_weight` was given both ways: leave it out of `compute` and "
                    "`evaluate.load`, and add the last samples with theirs by `add_batch`"
                )
            options["sample_weight"] = weights
        # not self._compute, which is what the base class calls
        return type(self)._compute(self, predictions=predictions, references=references, **options)

    def _write_head(self) -> None:
        """Write process and round as a sample; samples before it in the file are not read."""
        head = ascii((self.process_id, self._round))
        super().add_batch(predictions=[head], references=[head])
        self._rows_before = super().__len__()

    def _join_round(self) -> None:
        """Write the head of the file, once; opening it, the base class waits for all processes."""
        if not self._suffix:
            self._suffix = f"-{self._round % 2}"
            self._write_head()

    def _compute_together(self, options: Any) -> Any:
        """Compute by the base class, and go on to the next round."""
        self._join_round()  # a process may have no samples
        try:
            result = super().compute(**options)
        except Exception as error:
            result = error
        self._round, self._suffix = self._round + 1, ""
        if isinstance(result, BaseException):
            raise result
        return result

    def _compute_stored(self, predictions: Any, references: Any, **options: Any) -> Any:
        """Compute what all processes wrote; return an error, for the base class to clean up."""
        try:
            parts: dict[Any, list[Any]] = {}
            # many are the same
            values = {x: ast.literal_eval(x) for x in {*predictions, *references}}
            written = zip(predictions, references, strict=True)
            for prediction, reference in ((values[p], values[r]) for p, r in written):
                if type(prediction) is tuple:  # a head; after a reset there are two of a process
                    part = parts[prediction] = []
                else:
                    part.append((prediction, *reference))
            if [*parts] != [(number, self._round) for number in range(self.num_process)]:
                found = ", ".join(f"process {number} is in round {at}" for number, at in parts)
                raise ValueError(
                    f"the processes are not in the same round ({found}): let each call `compute` "
                    "in every round, and give each job in the cache folder an `experiment_id`"
                )
            samples = [sample for part in parts.values() for sample in part]
            predictions, references, given = ([s[i] for s in samples] for i in range(3))
            is_given = bool({*given} - {None})
            weights = np.array([1.0 if w is None else w for w in given]) if is_given else None
            return self._score(predictions, references, options, weights)
        except BaseException as error:
            return error

    def _get_all_cache_files(self) -> tuple[list[str], list[Any]]:
        """Return what the base class does, if all files are whole."""
        paths, locks = super()._get_all_cache_files()
        cut_off = [path for path in paths if not Path(path).read_bytes().endswith(_END_OF_STREAM)]
        if not cut_off:
            return paths, locks
        for path, lock in zip(paths, locks, strict=True):
            Path(path).unlink()
            lock.release()
        why = "the process that wrote them died before it called `compute`"
        raise ValueError(f"the predictions in {cut_off[0]} are cut off: {why}")
