"""Logs of Inspect (`inspect-ai`): `.eval`, a zip of JSON files, and `.json`."""

import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.labels import show
from ..errors import needing
from .answers import Answers, json_object, naming_sample, not_one
from .verdicts import verdict_of

_VERSION = 2  # of the log's schema
_HEADER, _SAMPLES = "header.json", "samples/"
_OF_MARK = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_HEAD_OF_JSON = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"\w+",\s*"eval":\s*\{')


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
    version, status = header.get("version"), header.get("status")
    if version != _VERSION:
        said = f"must have version {_VERSION}, got {show(version)}"
        raise ValueError(f"{said}: convert it with `inspect log convert`")
    if status != "success":
        said = f"must have status 'success', got {show(status)}"
        raise ValueError(f"{said}: finish the run with `inspect eval-retry`")
    with naming_sample("the header"):
        task, model = header["eval"]["task"], header["eval"]["model"]
    golds, letters = [], []
    n_samples: Counter[int] = Counter()  # by epoch
    runs: dict[tuple[int, str], list[Any]] = {}  # the rows of each epoch and scorer
    for raw in parts:
        with naming_sample(f"sample {show(raw.get('id'))}"):
            choices, epoch = raw.get("choices") or [], raw["epoch"]
            letters.append(letters_of(len(choices)))
            golds.append(gold_of(raw["target"], letters[-1]))
            n_samples[epoch] += 1
            prompt = _prompt(raw["input"], choices)
            for name, score in _scores(raw).items():
                found = answer_and_verdict(score["value"], score.get("answer"))
                row = (str(raw["id"]), golds[-1], *found, prompt)
                runs.setdefault((epoch, name), []).append(row)
    _check_samples(n_samples.total(), header, len(runs))
    for epoch, name in sorted(runs, key=lambda run: run[0]):
        # an order that does not depend on when each was done
        rows = sorted(runs[epoch, name], key=lambda row: row[0])
        yield Answers.of(
            rows,
            harness="inspect",
            task=task,
            model=model,
            how=f"what scorer {name!r} logged as the answer",
            variant=name if len({name for _, name in runs}) > 1 else "",
            epoch=epoch if len(n_samples) > 1 else None,
            choices=classes_of(golds, letters),
            created=str(header["eval"].get("created", "")),
            n_left_out=n_samples[epoch] - len(rows),
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


def _scores(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the scores of a sample by scorer; as Inspect, without those that have no value."""
    scores = {} if raw.get("invalidation") else raw.get("scores") or {}
    return {x: y for x, y in scores.items() if y["value"] == y["value"]}  # which nan is not


def answer_and_verdict(value: Any, answer: str | None) -> tuple[str | None, float | None]:
    """Return the answer and verdict of a score; an empty answer counts as none."""
    if isinstance(value, str):
        value = _OF_MARK.get(value)
    return answer or None, verdict_of(value)


def letters_of(n_choices: int) -> tuple[str, ...]:
    """Return Inspect's names of the choices: A to Z, then 1, 2..."""
    return tuple(chr(ord("A") + i) if i < 26 else str(i - 25) for i in range(n_choices))


def gold_of(target: str | list[str], letters: tuple[str, ...]) -> str:
    """Return the one target of a sample, or raise ValueError if it has several or none."""
    golds = [target] if isinstance(target, str) else target
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


def _check_samples(n_samples: int, header: dict[str, Any], n_runs: int) -> None:
    """Raise ValueError unless all samples are there, and some have scores."""
    if not n_samples:
        raise ValueError("the log has no samples: run without --no-log-samples")
    results = header.get("results") or {}
    n_total = results.get("total_samples", n_samples)
    if n_samples != n_total and not results.get("early_stopping"):
        raise ValueError(f"the log is damaged: it holds {n_samples} of {n_total} samples")
    if not n_runs:
        raise ValueError("no sample has scores, which hold the answers: run `inspect score`")


def classes_of(golds: Sequence[str], letters: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the letters of the choices, if every target is one."""
    if all(gold in of_sample for gold, of_sample in zip(golds, letters, strict=True)):
        return max(letters, key=len)
    return None
