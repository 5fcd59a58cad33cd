"""The `evaluate` protocol for labels: what `add`, `add_batch` and `compute` take is read strictly.

`evaluate.Metric` coerces its inputs on the way into an Arrow file: `["001", "1"]` becomes
`[1, 1]`, 0.7 becomes 0, None passes. `LabelInputs` goes in front of it in a metric's bases and
reads the inputs itself, with the one reader of this project. It is no `EvaluationModule` of its
own, which `evaluate` would take for the metric.

In one process nothing is written: what `add` and `add_batch` are given waits in memory, and
`compute(predictions=..., references=...)` touches no state at all, so threads may share a metric.
With `num_process > 1` the base class's files, locks and rendezvous are used, and labels travel in
them as text that keeps their type and value exactly.
"""

from __future__ import annotations

import ast
import os
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

_STORED = datasets.Features(
    {"predictions": datasets.Value("string"), "references": datasets.Value("string")}
)


class LabelInputs(_InFrontOf):  # type: ignore[misc]
    """Mixin for `evaluate.Metric`: reads predictions and references as labels, strictly.

    It needs `_compute(predictions, references, ...)` to take what `reading.read_column` takes:
    columns of what was added, or whatever the caller of `compute` passed.
    """

    _waiting: list[tuple[Column, Column]]
    _singles: tuple[list[Any], list[Any]]  # of `add`, not yet among those waiting
    _single_kind: type | None  # what `add` takes without a second look
    data: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._waiting, self._singles, self._single_kind = [], ([], []), None
        super().__init__(*args, **kwargs)

    def __len__(self) -> int:
        """Return the number of samples added and not yet computed."""
        if self.num_process > 1:
            return super().__len__()
        return sum(len(references) for references, _ in self._waiting) + len(self._singles[0])

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one prediction and its reference, to be computed later.

        Args:
            prediction: a label (integer, string or bytes).
            reference: a label of the same type.

        Raises
        ------
            ValueError: if one of them is not a label, or their types differ.
        """
        # 0.5 us for what is plainly a label like the last one, 13 us by way of add_batch
        kind = self._single_kind
        if (
            type(prediction) is kind
            and type(reference) is kind
            and not kwargs
            and (kind is str or (prediction in _INT64 and reference in _INT64))
        ):
            self._singles[0].append(reference)
            self._singles[1].append(prediction)
            return
        # evaluate.combine passes these under the names of the features
        prediction = kwargs.pop("predictions", prediction)
        reference = kwargs.pop("references", reference)
        self.add_batch(predictions=[prediction], references=[reference], **kwargs)
        if self.num_process == 1:
            self._single_kind = type(reference) if type(reference) in (int, str) else None

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
            stored = {"predictions": _as_text(pair[1]), "references": _as_text(pair[0])}
            super().add_batch(**stored)
            return
        self._gather_singles()
        if self._waiting:
            check_same_kind(self._waiting[0][0], "references added before", pair[0], "references")
        if len(pair[0]):
            self._waiting.append((compact(pair[0]), compact(pair[1])))

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
            return self._compute_gathered(**kwargs)
        self._gather_singles()
        if given and not self._waiting:
            return self._compute(predictions=predictions, references=references, **kwargs)
        if given:
            self.add_batch(predictions=predictions, references=references)
        if not self._waiting:
            raise ValueError(
                "Evaluation module cache file doesn't exist. Please make sure that you call `add` "
                "or `add_batch` at least once before calling `compute`."
            )
        waiting, self._waiting, self._single_kind = self._waiting, [], None
        return self._compute(
            predictions=join_columns([pair[1] for pair in waiting]),
            references=join_columns([pair[0] for pair in waiting]),
            **kwargs,
        )

    def _gather_singles(self) -> None:
        """Put what `add` took among the batches that wait, in its order."""
        if self._singles[0]:
            pair, self._singles = read_pair(*self._singles), ([], [])
            self._waiting.append((compact(pair[0]), compact(pair[1])))

    def _compute_gathered(self, **kwargs: Any) -> dict[str, Any] | None:
        """Compute on process 0 what all processes wrote; release the others whatever happens."""
        self._finalize()
        self.cache_file_name = self.filelock = self.selected_feature_format = None
        if self.process_id > 0:
            return None
        try:
            inputs = {name: _from_text(self.data[name][:]) for name in _STORED}
            return self._compute(**inputs, **kwargs)
        finally:
            self.data = self.writer = None
            _remove(self.file_paths, self.filelocks)

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

    def _infer_feature_from_batch(self, batch: Any) -> datasets.Features:
        return _STORED

    def _infer_feature_from_example(self, example: Any) -> datasets.Features:
        return _STORED


def _remove(paths: list[str], locks: list[Any]) -> None:
    """Delete the files and release their locks, process 0 last."""
    for path, lock in reversed(list(zip(paths, locks, strict=True))):
        Path(path).unlink()
        lock.release()


def _as_text(labels: Column) -> list[str]:
    """Return each label as a Python literal in ASCII: 1, '1' and b'1' stay apart."""
    return [ascii(label) for label in labels.tolist()]


def _from_text(literals: list[str]) -> list[Any]:
    labels = {literal: ast.literal_eval(literal) for literal in set(literals)}
    return [labels[literal] for literal in literals]
