"""The `evaluate` protocol for labels: what `add`, `add_batch` and `compute` take is read strictly.

`evaluate.Metric` coerces its inputs on the way into an Arrow file: `["001", "1"]` becomes
`[1, 1]`, 0.7 becomes 0, None passes. `LabelInputs` goes in front of it in a metric's bases and
reads the inputs itself, with the one reader of this project. It is no `EvaluationModule` of its
own, which `evaluate` would take for the metric.

In one process nothing is written: what `add` and `add_batch` are given waits in memory, and
`compute(predictions=..., references=...)` alone touches no state. Threads may share a metric.
With `num_process > 1` the base class's own `add_batch` and `compute` are used, and labels travel
through its files as text that keeps their type and value exactly. Nothing rests on the names of
its private methods but the check for files that end in the middle.
"""

from __future__ import annotations

import ast
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import datasets

from .coding import Column, compact, join_columns
from .reading import check_same_kind, read_pair

if TYPE_CHECKING:
    from evaluate import Metric as _InFrontOf
else:
    _InFrontOf = object

# An Arrow stream that was closed ends so; one cut short by a dying process does not.
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"

_INT64 = range(-(2**63), 2**63)

# What `add` takes without a second look after labels of a kind.
_SINGLE_KINDS: dict[str | None, type] = {"integers": int, "strings": str}

_STORED = datasets.Features(
    {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
)


class LabelInputs(_InFrontOf):  # type: ignore[misc]
    """Mixin for `evaluate.Metric`: reads predictions and references as labels, strictly.

    It needs `_compute(predictions, references, ...)` to take what `reading.read_column` takes:
    columns of what was added, or whatever the caller of `compute` passed.
    """

    _waiting: list[tuple[Column, Column]]
    _singles: list[Any]  # of `add`, not yet among those waiting: reference, prediction, and so on
    _single_kind: type | None  # what `add` takes without a second look
    _lock: threading.Lock  # for the three above, but `add` appends without it
    _compute: Any

    def __init__(self, config_name: str | None = None, *args: Any, **kwargs: Any) -> None:
        if config_name == "multilabel":
            raise ValueError(
                "`config_name` must not be 'multilabel', this is a metric of one label a sample: "
                "score each of several labels on its own, as a column of 0 and 1"
            )
        self._waiting, self._singles, self._single_kind = [], [], None
        self._lock = threading.Lock()
        super().__init__(config_name, *args, **kwargs)
        if self.num_process > 1:
            self._compute_labels, self._compute = self._compute, self._compute_stored

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock, which cannot be pickled."""
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

    @property
    def features(self) -> Any:
        """What the base class takes: the metric's own, or text where it travels through files."""
        return _STORED if self.num_process > 1 else super().features

    def __len__(self) -> int:
        """Return the number of samples added and not yet computed."""
        if self.num_process > 1:
            return super().__len__()
        with self._lock:
            return sum(len(pair[0]) for pair in self._waiting) + len(self._singles) // 2

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one prediction and its reference, to be computed later.

        Args:
            prediction: a label (integer, string or bytes).
            reference: a label of the same type.

        Raises
        ------
            ValueError: if one of them is not a label, or their types differ.
        """
        # 0.3 us for what is plainly a label like the last one, 13 us by way of add_batch
        kind = self._single_kind
        if (
            type(prediction) is kind
            and type(reference) is kind
            and not kwargs
            and (kind is str or (prediction in _INT64 and reference in _INT64))
        ):
            self._singles.extend((reference, prediction))  # one step, to other threads
            return
        # evaluate.combine passes these under the names of the features
        prediction = kwargs.pop("predictions", prediction)
        reference = kwargs.pop("references", reference)
        self.add_batch(predictions=[prediction], references=[reference], **kwargs)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add predictions and their references, to be computed later.

        Args:
            predictions: labels (integers, strings or bytes), in any container.
            references: as many labels of the same type.

        Raises
        ------
            ValueError: if lengths or types differ, or something is not a label; nothing is added.
        """
        if kwargs:
            raise ValueError(
                f"Bad inputs for evaluation module: {list(kwargs)}. "
                "All required inputs are ['predictions', 'references']"
            )
        pair = read_pair(references, predictions)
        if self.num_process > 1:
            super().add_batch(predictions=_as_text(pair[1]), references=_as_text(pair[0]))
            return
        with self._lock:
            self._gather_singles()
            self._append(pair)

    def compute(
        self, *, predictions: Any = None, references: Any = None, **kwargs: Any
    ) -> dict[str, Any] | None:
        """Compute the score of what is passed, together with what was added before.

        What was added is used up, whether or not the computation succeeds.

        Args:
            predictions: labels (integers, strings or bytes), in any container.
            references: as many labels of the same type.
            **kwargs: options of the metric, as listed below.

        Returns
        -------
            A dictionary with the score; None on the other processes where `num_process > 1`.

        Raises
        ------
            ValueError: if there is nothing to compute, or an input or option is not valid.
        """
        given = predictions is not None or references is not None
        if self.num_process > 1:
            if given:
                self.add_batch(predictions=predictions, references=references)
            result = super().compute(**kwargs)
            if isinstance(result, Exception):
                raise result
            return result
        if given and not len(self):
            return self._compute(predictions=predictions, references=references, **kwargs)
        last = read_pair(references, predictions) if given else None
        with self._lock:
            self._gather_singles()
            if last:
                self._append(last)
            waiting, self._waiting, self._single_kind = self._waiting, [], None
        if not waiting:
            raise ValueError(
                "Evaluation module cache file doesn't exist. Please make sure that you call `add` "
                "or `add_batch` at least once before calling `compute`."
            )
        return self._compute(
            predictions=join_columns([pair[1] for pair in waiting]),
            references=join_columns([pair[0] for pair in waiting]),
            **kwargs,
        )

    def _gather_singles(self) -> None:
        """Put what `add` took among the batches that wait, in its order."""
        singles = self._singles[:]
        del self._singles[: len(singles)]  # other threads may have added more
        if singles:
            self._append(read_pair(singles[::2], singles[1::2]))

    def _append(self, pair: tuple[Column, Column]) -> None:
        """Put references and predictions behind those that wait, unless of another kind."""
        if not len(pair[0]):
            return
        if self._waiting:
            check_same_kind(self._waiting[0][0], "references added before", pair[0], "references")
        self._waiting.append((compact(pair[0]), compact(pair[1])))
        self._single_kind = _SINGLE_KINDS.get(pair[0].kind)

    def _compute_stored(
        self, predictions: Any, references: Any, **kwargs: Any
    ) -> dict[str, Any] | Exception:
        """Compute what all processes wrote; return an error, for the base class to clean up."""
        try:
            inputs = {"predictions": _from_text(predictions), "references": _from_text(references)}
            return self._compute_labels(**inputs, **kwargs)
        except Exception as error:
            return error

    def _get_all_cache_files(self) -> tuple[list[str], list[Any]]:
        """Return what the base class does, once all files are known to be whole."""
        paths, locks = super()._get_all_cache_files()
        for path in paths:
            with Path(path).open("rb") as stream:
                stream.seek(max(0, stream.seek(0, os.SEEK_END) - len(_END_OF_STREAM)))
                finished = stream.read() == _END_OF_STREAM
            if not finished:
                _remove(paths, locks)
                raise ValueError(
                    f"the predictions in {path} end in the middle: the process that wrote them "
                    "died before it called `compute`"
                )
        return paths, locks


def _remove(paths: list[str], locks: list[Any]) -> None:
    """Delete the files and release their locks, process 0 last."""
    for path, lock in reversed(list(zip(paths, locks, strict=True))):
        Path(path).unlink()
        lock.release()


def _as_text(labels: Column) -> list[str]:
    """Return each label as a Python literal in ASCII: 1, '1' and b'1' stay apart."""
    return [ascii(label) for label in labels.tolist()]


def _from_text(texts: Any) -> list[Any]:
    literals = list(texts)
    labels = {literal: ast.literal_eval(literal) for literal in set(literals)}
    return [labels[literal] for literal in literals]
