"""The `evaluate` protocol for labels: `add`, `add_batch` and `compute` read their inputs strictly.

`evaluate.Metric` coerces its inputs on the way into an Arrow file: `["001", "1"]` becomes
`[1, 1]`, 0.7 becomes 0, None passes. `LabelInputs` goes in front of it in a metric's bases and
reads the inputs itself, with this project's only reader. It is not an `EvaluationModule` itself,
because `evaluate` would take it for the metric.

In one process nothing is written: what is added waits in memory. With `num_process > 1` labels and
weights travel through the base class's files as text that keeps type and value exactly. What is
added between two calls of `compute` is a round. Its files start with the process and the round, so
that rounds never mix, and two file names take turns, so that a process may run one round ahead. As
with every metric of evaluate, one metric is for one thread.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import datasets
import numpy as np

from .labels import Column, check_same_kind, join_columns, read_pair, warn
from .table import Weights, read_weights

if TYPE_CHECKING:
    from evaluate import Metric as _InFrontOf
else:
    _InFrontOf = object

# An Arrow stream that was closed ends so; one cut short by a dying process does not.
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"

_INT64 = range(-(2**63), 2**63)

# What `add` takes without a second look after labels of a kind.
_SINGLE_KINDS: dict[str | None, type] = {"integers": int, "strings": str}

# References, predictions, and their weights if they have any.
_Batch: TypeAlias = tuple[Column, Column, Weights | None]

_STORED = datasets.Features(
    {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
)


class LabelInputs(_InFrontOf):  # type: ignore[misc]
    """Mixin for `evaluate.Metric` that reads predictions and references strictly as labels.

    It needs `_compute(predictions, references, ...)` to accept what `labels.read_column` accepts:
    columns of what was added, or whatever the caller of `compute` passed. Its options may also be
    given to `evaluate.load`, as defaults for `compute`: it checks their names there, and their
    values, which depend on the labels, once there are labels.
    """

    _batches: list[_Batch]
    _singles: list[tuple[Any, Any]]  # (reference, prediction) that `add` took after the last batch
    _single_kind: type | None  # what `add` takes without a second look
    _compute: Any

    def __init__(self, config_name: str | None = None, *args: Any, **kwargs: Any) -> None:
        if config_name == "multilabel":
            raise ValueError(
                "`config_name` must not be 'multilabel', this metric takes one label per sample: "
                "score each of several labels on its own, as a column of 0 and 1"
            )
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
        if is_single and (kind is str or (prediction in _INT64 and reference in _INT64)):
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
        """Add predictions and their references, with weights of 1 unless given.

        Nothing is added if lengths or types differ, or something is not a label or not a weight.
        """
        pair = read_pair(references, predictions)
        weights = None
        if sample_weight is not None:
            self._check_options(["sample_weight"])
            weights = read_weights(sample_weight, len(pair[0]))
        if self.num_process > 1:
            self._join_round()
            super().add_batch(predictions=_as_text(pair[1]), references=_as_text(pair[0], weights))
        elif len(pair[0]):
            self._gather_singles()
            # the caller may change its arrays afterwards
            r, p = (Column(column.codes.copy(), column.values) for column in pair)
            self._batches.append(self._checked((r, p, weights)))
            self._single_kind = _SINGLE_KINDS.get(r.kind)

    def compute(
        self, *, predictions: Any = None, references: Any = None, **kwargs: Any
    ) -> dict[str, Any] | None:
        """Compute the score of the samples passed, together with those added before.

        The samples added are used up, whether or not they can be scored. They stay if those passed
        are refused, or after an interrupt; `reset` drops them. With `num_process > 1` only process
        0 returns the score, and an interrupt while it computes uses them up. The defaults of the
        options, which are listed below, are those given to `evaluate.load`.
        """
        given, n_added = predictions is not None or references is not None, len(self)
        if given:
            references, predictions = read_pair(references, predictions)
        if given and n_added:
            warn(
                f"`compute` takes the samples passed to it together with {n_added} added before: "
                "call `reset()` first if those are left over from an interrupted evaluation, or "
                "`add_batch` and then `compute()` if they belong together"
            )
        if self.num_process > 1:
            if given:
                self.add_batch(predictions=predictions, references=references)
            return self._compute_together(kwargs)
        if given and not n_added:
            return self._score(predictions, references, kwargs)
        self._gather_singles()
        batches = [*self._batches]
        if given:
            batches.append(self._checked((references, predictions, None)))
        if not batches:
            raise ValueError(
                "Evaluation module cache file doesn't exist. Please make sure that you call "
                "`add` or `add_batch` at least once before calling `compute`."
            )
        r, p, weights = zip(*batches, strict=True)
        try:
            result = self._score(join_columns(p), join_columns(r), kwargs, _joined(weights, r))
        except Exception:
            self._drop_added()
            raise
        self._drop_added()
        return result

    def reset(self) -> None:
        """Drop samples that were added but not computed, for example by an interrupted evaluation.

        With `num_process > 1` it drops what this process added: each process calls it for itself.
        """
        if self.num_process == 1:
            self._drop_added()
        elif self._suffix:
            self._write_head()

    def _drop_added(self) -> None:
        self._batches, self._singles, self._single_kind = [], [], None

    def _checked(self, batch: _Batch) -> _Batch:
        """Return a batch, or raise ValueError if its labels are of another kind than before."""
        if self._batches:
            before = "references added before"
            check_same_kind(self._batches[0][0], before, batch[0], "references")
        return batch

    def _gather_singles(self) -> None:
        """Make a batch of what `add` took."""
        if self._singles:
            references, predictions = zip(*self._singles, strict=True)
            self._batches.append((*read_pair(references, predictions), None))
            self._singles = []

    def _check_options(self, names: Iterable[str]) -> None:
        """Raise TypeError unless the metric has all these options."""
        there = [*signature(type(self)._compute).parameters][1:]
        options = [name for name in there if name not in ("predictions", "references")]
        for name in names:
            if name not in options:
                raise TypeError(
                    f"{self.name} has no option {name!r}: its options are {', '.join(options)}"
                )

    def _score(
        self,
        predictions: Any,
        references: Any,
        options: dict[str, Any],
        weights: Weights | None = None,
    ) -> dict[str, Any]:
        """Return the result of the metric's own `_compute`; `weights` came with the samples."""
        self._check_options(options)
        options = self._defaults | options
        if weights is not None:
            if options.get("sample_weight") is not None:
                raise ValueError(
                    "`sample_weight` must be given either for all samples at once or as they are "
                    "added, and was given both ways: leave it out of `compute` and "
                    "`evaluate.load`, and add the last samples with their weights by `add_batch`, "
                    "too"
                )
            options["sample_weight"] = weights
        result: dict[str, Any] = type(self)._compute(
            self, predictions=predictions, references=references, **options
        )
        return result

    # Several processes

    def _write_head(self) -> None:
        """Write process and round as a sample; samples before it in the file are not read."""
        head = ascii((self.process_id, self._round))
        super().add_batch(predictions=[head], references=[head])
        self._rows_before = super().__len__()

    def _join_round(self) -> None:
        """Write the head of the file, once; opening it, the base class waits for all processes."""
        if self._suffix:
            return
        self._suffix = f"-{self._round % 2}"
        self._write_head()

    def _compute_together(self, options: dict[str, Any]) -> dict[str, Any] | None:
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

    def _compute_stored(
        self, predictions: Any, references: Any, **kwargs: Any
    ) -> dict[str, Any] | BaseException:
        """Compute what all processes wrote; return an error, for the base class to clean up."""
        try:
            lines = [text.partition("\n") for text in references]
            columns = _from_text(predictions), _from_text(line[0] for line in lines)
            parts: dict[Any, list[tuple[Any, Any, str]]] = {}
            for prediction, reference, line in zip(*columns, lines, strict=True):
                if type(reference) is tuple:  # a head; after a reset there are two of a process
                    part = parts[reference] = []
                else:
                    part.append((prediction, reference, line[2]))
            if [*parts] != [(number, self._round) for number in range(self.num_process)]:
                found = ", ".join(f"process {number} is in round {at}" for number, at in parts)
                raise ValueError(
                    f"the processes are not in the same round: {found}: start all together, let "
                    "each call `compute` in every round, and give each job that shares the cache "
                    "folder an `experiment_id` of its own"
                )
            samples = [sample for part in parts.values() for sample in part]
            predictions, references, given = ([s[i] for s in samples] for i in range(3))
            weights = np.array([float(w or 1) for w in given]) if any(given) else None
            return self._score(predictions, references, kwargs, weights)
        except BaseException as error:
            return error

    def _get_all_cache_files(self) -> tuple[list[str], list[Any]]:
        """Return what the base class does, once all files are known to be whole."""
        paths, locks = super()._get_all_cache_files()
        for path in paths:
            with Path(path).open("rb") as stream:
                stream.seek(max(0, stream.seek(0, os.SEEK_END) - len(_END_OF_STREAM)))
                is_whole = stream.read() == _END_OF_STREAM
            if not is_whole:
                for other, lock in reversed(list(zip(paths, locks, strict=True))):
                    Path(other).unlink()
                    lock.release()
                raise ValueError(
                    f"the predictions in {path} are cut off: the process that wrote them died "
                    "before it called `compute`"
                )
        return paths, locks


def _joined(weights: Iterable[Weights | None], beside: Iterable[Column]) -> Weights | None:
    """Return the weights of all samples, 1 where a batch has none; None where no batch has any."""
    pairs = [*zip(weights, beside, strict=True)]
    if all(of_batch is None for of_batch, _ in pairs):
        return None
    return np.concatenate([np.ones(len(r)) if w is None else w for w, r in pairs])


def _as_text(labels: Column, weights: Weights | None = None) -> list[str]:
    """Return each label as a Python literal in ASCII: 1, '1' and b'1' stay apart.

    Its weight follows on a second line, which no literal has, with all its digits.
    """
    texts = [ascii(label) for label in labels.tolist()]
    if weights is None:
        return texts
    return [f"{text}\n{weight!r}" for text, weight in zip(texts, weights.tolist(), strict=True)]


def _from_text(texts: Iterable[str]) -> list[Any]:
    literals = list(texts)
    labels = {literal: ast.literal_eval(literal) for literal in set(literals)}
    return [labels[literal] for literal in literals]
