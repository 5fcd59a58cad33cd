"""Logs of Inspect (`inspect-ai`): `.eval`, a zip of JSON files, and `.json`.

What counts is the answer that a scorer logged, never its verdict: C and I, for correct and
incorrect, could be mistaken for classes of a task that has a class C.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..core.labels import show
from .answers import Answers

NAME = "inspect"

_T = TypeVar("_T")

_VERSION = 2  # of the log's schema
_HEADER, _START, _SAMPLES = "header.json", "_journal/start.json", "samples/"
_HEAD_OF_JSON = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"\w+",\s*"eval":\s*\{')


class Verdict(NamedTuple):
    """What a scorer says about a sample."""

    answer: str | None
    """The answer it found; None if it found none."""
    is_right: bool | None
    """Its verdict; None if that is neither C nor I."""


class Sample(NamedTuple):
    """The parts of a sample that count; its events may take megabytes."""

    epoch: int
    id: str
    prompt: str
    letters: tuple[str, ...]
    """Those of its choices; empty if it has none."""
    gold: str
    is_error: bool
    is_invalid: bool
    scores: dict[str, Verdict]

    def has_gold(self, name: str) -> bool:
        """Whether the answer that a scorer logged is the target."""
        return self.scores[name].answer == self.gold


def is_log(path: Path) -> bool:
    """Whether a file is a log of Inspect, finished or not."""
    if path.suffix not in (".eval", ".json") or not path.is_file():
        return False
    if path.suffix == ".json":
        with path.open("rb") as stream:
            return bool(_HEAD_OF_JSON.match(stream.read(4096)))
    from zipfile import BadZipFile, ZipFile  # any Python's reads the names

    try:
        with ZipFile(path) as archive:
            return bool({_HEADER, _START} & set(archive.namelist()))
    except BadZipFile:
        return False


def logs_in(folder: Path) -> list[Path]:
    """Return the logs in a folder and its folders, sorted."""
    return sorted(path for path in folder.rglob("*") if is_log(path))


def read_log(path: Path) -> Iterator[Answers]:
    """Yield the answers in a log, epoch by epoch and scorer by scorer.

    Raises
    ------
    ValueError
        If the log is damaged, has another version of the schema or is of a run that did not
        succeed, or if a sample cannot be scored.
    ImportError
        If it is a `.eval` file and nothing is installed that reads Zstandard.
    """
    header, samples = (_read_json if path.suffix == ".json" else _read_eval)(path)
    _check(samples, header)
    names = list(dict.fromkeys(name for sample in samples for name in sample.scores))
    _check_scores(samples, names)
    choices = classes_of(samples)
    epochs = sorted({sample.epoch for sample in samples})
    for epoch in epochs:
        of_epoch = [sample for sample in samples if sample.epoch == epoch]
        for name in names:
            yield Answers(
                harness=NAME,
                task=header["eval"]["task"],
                model=header["eval"]["model"],
                variant=name if len(names) > 1 else "",
                epoch=epoch if len(epochs) > 1 else None,
                how=_how(name, of_epoch),
                ids=tuple(sample.id for sample in of_epoch),
                references=tuple(sample.gold for sample in of_epoch),
                predictions=tuple(sample.scores[name].answer for sample in of_epoch),
                choices=choices,
                prompts=tuple(sample.prompt for sample in of_epoch),
            )


# From files to samples


def _read_json(path: Path) -> tuple[dict[str, Any], list[Sample]]:
    log = _parsed(path.read_bytes(), "the log")
    _check_header(log)
    return log, _sorted(_sample(raw) for raw in log.get("samples") or ())


def _read_eval(path: Path) -> tuple[dict[str, Any], list[Sample]]:
    zipfile, damages = _zip_with_zstandard()
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(set(archive.namelist()))  # a sample that ran again stands twice
            if _HEADER not in names:
                raise ValueError(_unfinished("started"))
            header = _parsed(archive.read(_HEADER), _HEADER)
            _check_header(header)
            return header, _sorted(
                _sample(_parsed(archive.read(name), name))
                for name in names
                if name.startswith(_SAMPLES)
            )
    except damages as error:
        raise ValueError(f"the log is damaged: {error}") from error


def _zip_with_zstandard() -> tuple[Any, tuple[type[Exception], ...]]:
    """Return a module `zipfile` that reads Zstandard, and what it raises for damaged files."""
    if sys.version_info >= (3, 14):
        import zipfile

        from compression.zstd import ZstdError
    else:
        try:
            from backports.zstd import ZstdError, zipfile
        except ImportError as error:
            raise ImportError(
                "before Python 3.14, reading .eval logs needs backports.zstd: "
                "pip install 'informedness[inspect]'"
            ) from error
    return zipfile, (zipfile.BadZipFile, ZstdError, zlib.error, EOFError, RuntimeError)


def _parsed(text: bytes, name: str) -> dict[str, Any]:
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{name} is damaged: {error}") from error
    if not isinstance(parsed, dict):
        raise ValueError(f"{name} must hold an object, got {show(parsed)}")
    return parsed


def _sorted(samples: Iterable[Sample]) -> list[Sample]:
    """Return samples in an order that does not depend on when each was done."""
    return sorted(samples, key=lambda sample: (sample.epoch, sample.id))


def _sample(raw: dict[str, Any]) -> Sample:
    try:
        choices = raw.get("choices") or []
        letters = letters_of(len(choices))
        scores = {name: _verdict(score) for name, score in (raw.get("scores") or {}).items()}
        return Sample(
            epoch=_of_type(raw["epoch"], int),
            id=str(raw["id"]),
            prompt=_prompt(raw["input"], choices),
            letters=letters,
            gold=gold_of(raw["target"], letters, raw["id"]),
            is_error=raw.get("error") is not None,
            is_invalid=raw.get("invalidation") is not None,
            scores={name: score for name, score in scores.items() if score is not None},
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(
            f"sample {show(raw.get('id'))} is damaged: {type(error).__name__} {error}"
        ) from error


def _verdict(raw: dict[str, Any]) -> Verdict | None:
    """Return a scorer's answer and verdict; None if its value is nan, for no verdict."""
    value, answer = raw["value"], raw.get("answer")
    if isinstance(value, float) and math.isnan(value):
        return None
    return verdict_of(value, None if answer is None else _of_type(answer, str))


def verdict_of(value: Any, answer: str | None) -> Verdict:
    """Return the answer and verdict of a score; an empty answer counts as none."""
    return Verdict(answer or None, value == "C" if value in ("C", "I") else None)


def _of_type(value: Any, kind: type[_T]) -> _T:
    if type(value) is not kind:
        raise TypeError(f"{show(value)} is not of type {kind.__name__}")
    return value


def letters_of(n_choices: int) -> tuple[str, ...]:
    """Return Inspect's names of the choices: A to Z, then 1, 2..."""
    return tuple(chr(ord("A") + i) if i < 26 else str(i - 25) for i in range(n_choices))


def gold_of(target: str | list[str], letters: tuple[str, ...], sample_id: Any) -> str:
    """Return the one target of a sample, or raise ValueError if it has several or none."""
    golds = [_of_type(x, str) for x in ([target] if isinstance(target, str) else target)]
    # as the scorer `choice` reads targets: "A, B" and "AB" are two letters
    words = " ".join(golds).replace(",", " ").split()
    marks = [mark for word in words for mark in ([word] if word.isnumeric() else word)]
    if marks and set(marks) <= set(letters):
        golds = marks
    if len(golds) != 1 or not golds[0]:
        raise ValueError(
            f"sample {show(sample_id)} must have one target to be counted in a class, "
            f"got {show(target)}"
        )
    return golds[0]


def _prompt(asked: str | list[dict[str, Any]], choices: list[str]) -> str:
    """Return what was asked, followed by its choices; images appear as hashes."""
    if not isinstance(asked, str):
        # each run gives its messages ids of their own
        messages = [{key: message[key] for key in message if key != "id"} for message in asked]
        asked = json.dumps(messages, ensure_ascii=False, sort_keys=True)
    return "\n".join([asked, *choices])


# What cannot be scored


def _check_header(header: dict[str, Any]) -> None:
    version, status = header.get("version"), header.get("status")
    if version != _VERSION:
        raise ValueError(
            f"the log must be of version {_VERSION}, got {show(version)}: "
            "`inspect log convert` converts it"
        )
    if status != "success":
        raise ValueError(_unfinished(status))
    try:
        named = isinstance(header["eval"]["task"], str) and isinstance(header["eval"]["model"], str)
    except (KeyError, TypeError):
        named = False
    if not named:
        raise ValueError("the log is damaged: it names no task and model")


def _unfinished(status: Any) -> str:
    return (
        f"the run must have ended with status 'success', got {show(status)}: "
        "`inspect eval-retry` with this log runs the missing samples"
    )


def _check(samples: list[Sample], header: dict[str, Any]) -> None:
    if not samples:
        raise ValueError("the log has no samples: run without --no-log-samples")
    results = header.get("results") or {}
    n_samples = results.get("total_samples", len(samples))
    if n_samples != len(samples) and not results.get("early_stopping"):
        raise ValueError(f"the log is damaged: it holds {len(samples)} of {n_samples} samples")
    for what, bad in (
        ("ended in an error, which is not an answer", [x.id for x in samples if x.is_error]),
        ("are marked as invalid", [x.id for x in samples if x.is_invalid]),
    ):
        if bad:
            raise ValueError(
                f"{len(bad)} of {len(samples)} samples {what}, the first is {show(bad[0])}: "
                "`inspect eval-retry` with this log runs them again"
            )
    for one, other in itertools.pairwise(samples):
        if (one.epoch, one.id) == (other.epoch, other.id):
            raise ValueError(f"the log is damaged: it has sample {show(one.id)} twice")


def _check_scores(samples: list[Sample], names: list[str]) -> None:
    if not names:
        raise ValueError(
            "the samples have no scores, which hold the answers: add them with `inspect score`"
        )
    for name in names:
        without = [sample.id for sample in samples if name not in sample.scores]
        if without:
            raise ValueError(
                f"{len(without)} of {len(samples)} samples have no score of scorer {name!r}, the "
                f"first is {show(without[0])}: score the log again with `inspect score`"
            )


def classes_of(samples: list[Sample]) -> tuple[str, ...] | None:
    """Return the letters of the choices, if every target is one."""
    if all(sample.gold in sample.letters for sample in samples):
        return max((sample.letters for sample in samples), key=len)
    return None


def _how(name: str, samples: list[Sample]) -> str:
    how = f"what scorer {name!r} logged as the answer"
    disputed = sum(x.scores[name].is_right not in (None, x.has_gold(name)) for x in samples)
    if disputed:
        how += (
            f" (it counted {disputed} of them as right although they are not the target, or the "
            "other way round)"
        )
    return how
