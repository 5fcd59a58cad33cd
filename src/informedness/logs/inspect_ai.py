"""Logs of Inspect (`inspect-ai`): `.eval`, a zip of JSON files, and `.json`."""

from __future__ import annotations

import json
import math
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..core.labels import show
from ..extras import needing
from ..inputs.columns import naming
from .answers import Answers, json_object, not_one
from .verdicts import verdict_of

NAME = "inspect"

_T = TypeVar("_T")

_VERSION = 2  # of the log's schema
_HEADER, _SAMPLES = "header.json", "samples/"
_CONVERT = "`inspect log convert` converts it"
_OF_MARK = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_RETRY = "`inspect eval-retry` with this log runs what is missing"
_HEAD_OF_JSON = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"\w+",\s*"eval":\s*\{')


class Sample(NamedTuple):
    """The parts of a sample that count; its events may take megabytes."""

    epoch: int
    id: str
    prompt: str
    letters: tuple[str, ...]
    """Those of its choices; empty if it has none."""
    gold: str
    scores: dict[str, tuple[str | None, float | None]]
    """By scorer the answer it found and its verdict; none if the sample has an error."""


def is_log(path: Path) -> bool:
    """Whether a file is a log of Inspect, finished or not."""
    if path.suffix != ".json" or not path.is_file():
        return path.suffix == ".eval" and path.is_file()
    with path.open("rb") as stream:
        return bool(_HEAD_OF_JSON.match(stream.read(4096)))


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
    parts = (_parts_of_json if path.suffix == ".json" else _parts_of_eval)(path)
    header = next(parts)
    _check_header(header)
    # an order that does not depend on when each was done
    samples = sorted(map(_sample, parts), key=lambda sample: (sample.epoch, sample.id))
    names = list(dict.fromkeys(name for sample in samples for name in sample.scores))
    _check_samples(samples, header, names)
    choices = classes_of([sample.gold for sample in samples], [x.letters for x in samples])
    epochs = sorted({sample.epoch for sample in samples})
    for epoch in epochs:
        of_epoch = [sample for sample in samples if sample.epoch == epoch]
        for name in names:
            # as Inspect, which leaves out of its metrics what has no score
            scored = [sample for sample in of_epoch if name in sample.scores]
            if not scored:
                continue
            yield Answers.of(
                [(x.id, x.gold, *x.scores[name], x.prompt) for x in scored],
                harness=NAME,
                task=header["eval"]["task"],
                model=header["eval"]["model"],
                how=f"what scorer {name!r} logged as the answer",
                variant=name if len(names) > 1 else "",
                epoch=epoch if len(epochs) > 1 else None,
                choices=choices,
                created=str(header["eval"].get("created", "")),
                n_left_out=len(of_epoch) - len(scored),
            )


# From files to samples


def _parts_of_json(path: Path) -> Iterator[dict[str, Any]]:
    log = json_object(path.read_bytes())
    yield log
    yield from log.get("samples") or ()


def _parts_of_eval(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the header and each sample."""
    with needing("reading .eval logs needs backports.zstd", "informedness[inspect]"):
        if sys.version_info >= (3, 14):
            import zipfile

            from compression.zstd import ZstdError
        else:
            from backports.zstd import ZstdError, zipfile
    damages = zipfile.BadZipFile, ZstdError, zlib.error, EOFError, RuntimeError
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(set(archive.namelist()))  # a sample that ran again stands twice
            if _HEADER not in names:
                yield {"version": _VERSION, "status": "started"}
            for name in (_HEADER, *(name for name in names if name.startswith(_SAMPLES))):
                yield json_object(archive.read(name))
    except damages as error:
        raise ValueError(f"the log is damaged: {error}") from error


def _sample(raw: dict[str, Any]) -> Sample:
    with naming(f"sample {show(raw.get('id'))}"):
        try:
            choices = raw.get("choices") or []
            letters = letters_of(len(choices))
            scores = {} if raw.get("invalidation") else raw.get("scores") or {}
            return Sample(
                epoch=_of_type(raw["epoch"], int),
                id=str(raw["id"]),
                prompt=_prompt(raw["input"], choices),
                letters=letters,
                gold=gold_of(raw["target"], letters),
                scores={
                    name: answer_and_verdict(score["value"], score.get("answer"))
                    for name, score in scores.items()
                    if not (isinstance(score["value"], float) and math.isnan(score["value"]))
                },
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"it is damaged: {type(error).__name__} {error}") from error


def answer_and_verdict(value: Any, answer: Any) -> tuple[str | None, float | None]:
    """Return the answer and verdict of a score; an empty answer counts as none."""
    if answer is not None:
        answer = _of_type(answer, str)
    if isinstance(value, str):
        value = _OF_MARK.get(value)
    return answer or None, verdict_of(value)


def _of_type(value: Any, kind: type[_T]) -> _T:
    if type(value) is not kind:
        raise TypeError(f"{show(value)} is not of type {kind.__name__}")
    return value


def letters_of(n_choices: int) -> tuple[str, ...]:
    """Return Inspect's names of the choices: A to Z, then 1, 2..."""
    return tuple(chr(ord("A") + i) if i < 26 else str(i - 25) for i in range(n_choices))


def gold_of(target: str | list[str], letters: tuple[str, ...]) -> str:
    """Return the one target of a sample, or raise ValueError if it has several or none."""
    golds = [_of_type(x, str) for x in ([target] if isinstance(target, str) else target)]
    # as the scorer `choice` reads targets: "A, B" and "AB" are two letters
    words = " ".join(golds).replace(",", " ").split()
    marks = [mark for word in words for mark in ([word] if word.isnumeric() else word)]
    if marks and set(marks) <= set(letters):
        golds = marks
    if len(golds) != 1 or not golds[0]:
        raise not_one(target)
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
    version, status, run = (header.get(name) for name in ("version", "status", "eval"))
    if version != _VERSION:
        raise ValueError(f"must be of version {_VERSION}, got {show(version)}: {_CONVERT}")
    if status != "success":
        raise ValueError(f"must have ended with status 'success', got {show(status)}: {_RETRY}")
    if not isinstance(run, dict) or {type(run.get("task")), type(run.get("model"))} != {str}:
        raise ValueError("the log is damaged: it names no task and model")


def _check_samples(samples: list[Sample], header: dict[str, Any], names: list[str]) -> None:
    """Raise ValueError unless all samples are there, with the scores of each scorer."""
    n_samples, results = len(samples), header.get("results") or {}
    if not samples:
        raise ValueError("the log has no samples: run without --no-log-samples")
    n_total = results.get("total_samples", n_samples)
    if n_samples != n_total and not results.get("early_stopping"):
        raise ValueError(f"the log is damaged: it holds {n_samples} of {n_total} samples")
    if not names:
        raise ValueError("no scores, which hold the answers: add them with `inspect score`")


def classes_of(golds: Sequence[str], letters: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the letters of the choices, if every target is one."""
    if all(gold in of_sample for gold, of_sample in zip(golds, letters, strict=True)):
        return max(letters, key=len)
    return None
