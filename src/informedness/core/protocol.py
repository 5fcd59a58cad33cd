"""The `evaluate` protocol for labels: `add`, `add_batch` and `compute` read their inputs strictly.

`evaluate.Metric` coerces its inputs on the way into an Arrow file: `["001", "1"]` becomes
`[1, 1]`, 0.7 becomes 0, None passes. `LabelInputs` goes in front of it in a metric's bases and
reads the inputs itself, with this project's only reader. It is not an `EvaluationModule` itself,
because `evaluate` would take it for the metric.

In one process nothing is written: what `add` and `add_batch` are given waits in memory, and
`compute(predictions=..., references=...)` alone touches no state. Threads may share a metric, a
process may fork while one of them adds, and a call that is interrupted, for example from the
keyboard, has added or used up either everything or nothing.
With `num_process > 1` the base class's own `add_batch` and `compute` are used, and labels and
weights travel through its files as text that keeps type and value exactly. Everything added between
two calls of `compute` is a round. Each round has its own file names, through `experiment_id`, so
that a process may run ahead. Its files start with the process and the round, so that rounds never
mix; after a reset they start again.
Only the check for truncated files relies on the name of a private method of the base class.
"""

from __future__ import annotations

import ast
import hashlib
import os
import threading
from bisect import bisect_left
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

# What launchers set alike in all processes of a job, and otherwise in another job.
_JOB = ("MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "SLURM_JOB_ID")

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

    # Batches (references, predictions, weights or None) that were added, then what `add` took
    # since, one by one: a reference, its prediction, and so on. An interrupt may come between any
    # two steps, so each step that changes it is one operation of the list.
    _added: list[Any]
    _single_kind: type | None  # what `add` takes without a second look
    # Held for each look at what was added and each step that changes it, by all metrics together,
    # so that no child process starts between two steps. A signal's handler may add, too.
    _lock = threading.RLock()
    _compute: Any

    def __init__(self, config_name: str | None = None, *args: Any, **kwargs: Any) -> None:
        if config_name == "multilabel":
            raise ValueError(
                "`config_name` must not be 'multilabel', this metric takes one label per sample: "
                "score each of several labels on its own, as a column of 0 and 1"
            )
        self._added, self._single_kind = [], None
        self._round, self._files_of_round, self._rows_before = 0, "", 0
        self._is_named = bool(kwargs.get("experiment_id"))
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
        return f"{super().experiment_id}{self._files_of_round}"

    def __len__(self) -> int:
        """Return the number of samples added and not yet computed."""
        if self.num_process > 1:
            return max(0, super().__len__() - self._rows_before)
        with self._lock:
            batches = self._added[: self._count_batches()]
            singles = len(self._added) - len(batches)
            return _count_samples(batches) + singles // 2

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one prediction and its reference, to be computed later.

        Args:
            prediction: a label (integer, string or bytes).
            reference: a label of the same type.
            **kwargs: `sample_weight`, its weight; 1 by default.

        Raises
        ------
            ValueError: if one is not a label, their types differ, or the weight is not valid.
        """
        # 0.3 us for what is plainly a label like the last one, 13 us by way of add_batch
        kind = self._single_kind
        if (
            type(prediction) is kind
            and type(reference) is kind
            and not kwargs
            and (kind is str or (prediction in _INT64 and reference in _INT64))
        ):
            self._added.extend((reference, prediction))
            return
        # evaluate.combine passes these under the names of the features
        prediction = kwargs.pop("predictions", prediction)
        reference = kwargs.pop("references", reference)
        if kwargs.get("sample_weight") is not None:
            kwargs["sample_weight"] = [kwargs["sample_weight"]]
        self.add_batch(predictions=[prediction], references=[reference], **kwargs)

    def add_batch(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        sample_weight: Any = None,
        **kwargs: Any,
    ) -> None:
        """Add predictions and their references, to be computed later.

        Args:
            predictions: labels (integers, strings or bytes), in any container.
            references: as many labels of the same type.
            sample_weight: as many weights; 1 each by default.

        Raises
        ------
            ValueError: if lengths or types differ, or something is not a label or not a weight;
                nothing is added.
            TypeError: if one of them is an iterator, which only the first of several metrics could
                read; or if there are weights and the metric takes none.
        """
        if kwargs:
            raise ValueError(
                f"Bad inputs for evaluation module: {list(kwargs)}. "
                "All required inputs are ['predictions', 'references']"
            )
        pair = read_pair(references, predictions)
        weights = None
        if sample_weight is not None:
            self._check_options(["sample_weight"])
            weights = read_weights(sample_weight, len(pair[0]))
        if self.num_process > 1:
            self._join_round()
            super().add_batch(predictions=_as_text(pair[1]), references=_as_text(pair[0], weights))
            return
        if not len(pair[0]):
            return
        batch = pair[0].compact(), pair[1].compact(), weights
        with self._lock:
            n = self._gather_singles()
            if n:
                _check_goes_on(self._added[0], batch)
            self._added.insert(n, batch)  # other threads may have added single ones since
            self._single_kind = _SINGLE_KINDS.get(pair[0].kind)

    def compute(
        self, *, predictions: Any = None, references: Any = None, **kwargs: Any
    ) -> dict[str, Any] | None:
        """Compute the score of the samples passed, together with those added before.

        The samples added are used up, whether or not the computation succeeds; an interrupt leaves
        them, and `reset` drops them.

        Args:
            predictions: labels (integers, strings or bytes), in any container.
            references: as many labels of the same type.
            **kwargs: options of the metric, as listed below; the defaults are those given to
                `evaluate.load`.

        Returns
        -------
            A dictionary with the score; with `num_process > 1`, None on processes other than 0.

        Raises
        ------
            ValueError: if there is nothing to compute, or an input or option is not valid; or if
                weights are given for all samples and some were added with weights of their own.
            TypeError: if the metric has no such option, or an input is an iterator.

        Warns
        -----
            InformednessWarning: if samples are passed although others were added before.
        """
        given = predictions is not None or references is not None
        if self.num_process > 1:
            if given:
                _warn_of_more(len(self))
                self.add_batch(predictions=predictions, references=references)
            self._join_round()  # a process may have no samples
            try:
                result = super().compute(**kwargs)
            except Exception as error:
                result = error
            self._round, self._files_of_round = self._round + 1, ""
            if isinstance(result, BaseException):
                raise result
            return result
        if given and not self._added:
            return self._score(predictions, references, kwargs)
        last = [(*read_pair(references, predictions), None)] if given else []
        while True:
            with self._lock:
                added = self._added[: self._gather_singles()]
            if added and last:
                _check_goes_on(added[0], last[0])
                _warn_of_more(_count_samples(added))
            batches = [batch for batch in added + last if len(batch[0])]
            if not batches:
                raise ValueError(
                    "Evaluation module cache file doesn't exist. Please make sure that you call "
                    "`add` or `add_batch` at least once before calling `compute`."
                )
            try:
                result = self._score(
                    join_columns([batch[1] for batch in batches]),
                    join_columns([batch[0] for batch in batches]),
                    kwargs,
                    _join_weights(batches),
                )
            except Exception:
                if self._use_up(added):
                    raise
            else:
                if self._use_up(added):
                    return result

    def reset(self) -> None:
        """Drop samples that were added but not computed, for example by an interrupted evaluation.

        With `num_process > 1` it drops what this process added: each process calls it for itself.
        """
        if self.num_process > 1:
            if self._files_of_round:
                self._write_head()
            return
        with self._lock:
            self._added.clear()

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
        if options:
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

    def _count_batches(self) -> int:
        """Return how many batches come before the single samples."""
        if self._added and type(self._added[-1]) is tuple:
            return len(self._added)
        return bisect_left(self._added, True, key=lambda entry: type(entry) is not tuple)

    def _gather_singles(self) -> int:
        """Make a batch of what `add` took; return the number of batches."""
        n, end = self._count_batches(), len(self._added)
        if n == end:
            return n
        singles = self._added[n:end]
        try:
            batch = (*read_pair(singles[::2], singles[1::2]), None)
            if n:
                _check_goes_on(self._added[0], batch)
        except ValueError:  # of another kind, as the one before was used up while `add` took them
            del self._added[n:end]
            raise
        self._added[n:end] = [batch]
        return n + 1

    def _use_up(self, added: list[_Batch]) -> bool:
        """Delete the batches that were computed, unless another thread has used them up."""
        if not added:
            return True
        with self._lock:
            if not self._added or self._added[0] is not added[0]:
                return False
            self._single_kind = None
            del self._added[: len(added)]
            return True

    def _write_head(self) -> None:
        """Write process and round as a sample; samples before it in the file are not read."""
        head = ascii((self.process_id, self._round))
        super().add_batch(predictions=[head], references=[head])
        self._rows_before = super().__len__()

    def _join_round(self) -> None:
        """Write the head of the file, once, and wait until all processes have done so."""
        if self._files_of_round:
            return
        # as a process is one round ahead at most, two names are enough
        self._files_of_round = f"-{self._round % 2}"
        job = [os.environ.get(name, "") for name in _JOB]
        if any(job) and not self._is_named:
            digest = hashlib.sha256(ascii(job).encode()).hexdigest()[:8]
            self._files_of_round = f"-{digest}{self._files_of_round}"
        try:
            self._write_head()
        except ValueError as error:
            raise ValueError(
                f"process {self.process_id} of {self.num_process} did not find all others within "
                f"{self.timeout} s, in round {self._round}: each must call `add`, `add_batch` or "
                "`compute` in every round, with the same cache folder, `num_process` and "
                f"`experiment_id`, or without it the same {', '.join(_JOB)} ({error})"
            ) from error

    def _compute_stored(
        self, predictions: Any, references: Any, **kwargs: Any
    ) -> dict[str, Any] | BaseException:
        """Compute what all processes wrote; return an error, for the base class to clean up."""
        try:
            lines = [text.partition("\n") for text in references]
            columns = _from_text(predictions), _from_text(line[0] for line in lines)
            part: list[tuple[Any, Any, str]] = []
            parts = {}
            for prediction, reference, line in zip(*columns, lines, strict=True):
                if type(reference) is tuple:
                    parts[reference] = part = []
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
                finished = stream.read() == _END_OF_STREAM
            if not finished:
                _remove(paths, locks)
                raise ValueError(
                    f"the predictions in {path} are cut off: the process that wrote them died "
                    "before it called `compute`"
                )
        return paths, locks


if hasattr(os, "register_at_fork"):
    _lock = LabelInputs._lock
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


def _check_goes_on(first: _Batch, batch: _Batch) -> None:
    """Raise ValueError unless the labels are of the same kind as the first ones added."""
    check_same_kind(first[0], "references added before", batch[0], "references")


def _count_samples(batches: list[_Batch]) -> int:
    return sum(len(references) for references, *_ in batches)


def _warn_of_more(n: int) -> None:
    """Warn if samples added before are computed together with those passed to `compute`."""
    if n:
        warn(
            f"`compute` takes the samples passed to it together with {n} added before: call "
            "`reset()` first if those are left over from an interrupted evaluation, or `add_batch` "
            "and then `compute()` if they belong together"
        )


def _join_weights(batches: list[_Batch]) -> Weights | None:
    """Return the weights of all samples, 1 where a batch has none; None where no batch has any."""
    if all(weights is None for *_, weights in batches):
        return None
    return np.concatenate(
        [np.ones(len(r)) if weights is None else weights for r, _, weights in batches]
    )


def _remove(paths: list[str], locks: list[Any]) -> None:
    """Delete the files and release their locks, process 0 last."""
    for path, lock in reversed(list(zip(paths, locks, strict=True))):
        Path(path).unlink()
        lock.release()


def _as_text(labels: Column, weights: Weights | None = None) -> list[str]:
    """Return each label as a Python literal in ASCII: 1, '1' and b'1' stay apart.

    Its weight follows on a second line, which no literal has, with all its digits.
    """
    texts = [ascii(label) for label in labels.tolist()]
    if weights is None:
        return texts
    return [f"{text}\n{weight!r}" for text, weight in zip(texts, weights.tolist(), strict=True)]


def _from_text(texts: Any) -> list[Any]:
    literals = list(texts)
    labels = {literal: ast.literal_eval(literal) for literal in set(literals)}
    return [labels[literal] for literal in literals]
