"""Logs of Inspect (`inspect-ai`): `.eval`, a zip of JSON files, and `.json`.

Tested in tests/test_logs_of_harnesses.py.
"""

import json
import math
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.labels import show
from ..errors import needing
from .answers import DAMAGES, Answers, LeftOut, json_object, not_one, sample_error

_VERSION = 2  # of the log's schema
_HEADER, _SAMPLES = "header.json", "samples/"
_OF_MARK = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_OF_MARK |= {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}  # in any case
_HEAD_OF_JSON = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"\w+",\s*"eval":\s*\{')


def is_log(path: Path) -> bool:
    """Whether a file is a log of Inspect, finished or not."""
    if path.suffix != ".json" or not path.is_file():
        return path.suffix == ".eval" and path.is_file()
    with path.open("rb") as stream:
        return bool(_HEAD_OF_JSON.match(stream.read(4096)))


def read_log(path: Path, verdict: str | None = None) -> Iterator[Answers]:
    """Yield the answers in a log, epoch by epoch and score by score.

    A score is what a scorer gives, or one of its values by name. There is no choice of a verdict.

    Raises
    ------
    ValueError
        If the log is damaged, has another version of the schema or is of a run that did not
        succeed, or if a sample cannot be scored.
    ImportError
        If it is a `.eval` file and nothing is installed that reads Zstandard.
    """
    if verdict is not None:
        raise ValueError("`verdict` is not for logs of Inspect: choose a score with `variant`")
    parts = (_parts_of_json if path.suffix == ".json" else _parts_of_eval)(path)
    header = next(parts)
    version, status = header.get("version"), header.get("status")
    if version != _VERSION:
        rule = f"must have version {_VERSION}, got {show(version)}"
        raise ValueError(f"{rule}: convert it with `inspect log convert`")
    if status != "success":
        rule = f"must have status 'success', got {show(status)}"
        raise ValueError(f"{rule}: finish the run with `inspect eval-retry`")
    try:
        task, model = str(header["eval"]["task"]), str(header["eval"]["model"])
    except DAMAGES as error:
        raise sample_error("the header", error) from error

    golds, letters = [], []
    left_out = LeftOut()
    n_samples, n_several = Counter[int](), Counter[int]()  # by epoch
    runs: dict[tuple[int, str, str], list[Any]] = {}  # the rows of each epoch, scorer and value
    for raw in parts:
        try:
            epoch = raw["epoch"]
            n_samples[epoch] += 1
            choices = raw.get("choices") or []
            names = letters_of(len(choices))
            golds.append(gold_of(raw["target"], names))
            letters.append(names)
            prompt = _prompt(raw["input"], choices)
            for scorer, key, value, logged in _scores(raw):
                answer, mark = answer_and_verdict(value, logged)
                completion = None if answer else (raw.get("output") or {}).get("completion")
                row = (str(raw["id"]), golds[-1], answer, mark, prompt, completion)
                runs.setdefault((epoch, scorer, key), []).append(row)
        except DAMAGES as error:
            left_out.add(f"sample {show(raw.get('id') if isinstance(raw, dict) else raw)}", error)
            n_several[epoch] += 1
    _check_samples(n_samples.total(), header, len(runs) + len(left_out))
    left_out.check(n_samples.total())

    is_named = len({scorer for _, scorer, _ in runs}) > 1
    for (epoch, scorer, key), unsorted in sorted(runs.items(), key=lambda run: run[0][0]):
        # an order that does not depend on when each was done
        rows = sorted(unsorted, key=lambda row: row[0])
        yield Answers.of(
            rows,
            harness="inspect",
            task=task,
            model=model,
            how=f"what scorer {scorer!r} logged as the answer",
            variant=", ".join(filter(None, (scorer if is_named else "", key))),
            epoch=epoch if len(n_samples) > 1 else None,
            verdict=key or scorer,
            choices=classes_of(golds, letters),
            created=str(header["eval"].get("created", "")),
            n_left_out=n_samples[epoch] - len(rows),
            n_unscored=n_samples[epoch] - len(rows) - n_several[epoch],
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
    damages = zipfile.BadZipFile, ZstdError, zlib.error, EOFError, RuntimeError, ValueError
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(set(archive.namelist()))  # a sample that ran again stands twice
            if _HEADER not in names:
                yield {"version": _VERSION, "status": "started"}
            yield json_object(archive.read(_HEADER))
            yield from (json.loads(archive.read(x)) for x in names if x.startswith(_SAMPLES))
    except damages as error:
        raise ValueError(f"the log is damaged: {error}") from error


def _scores(raw: dict[str, Any]) -> Iterator[tuple[str, str, Any, str | None]]:
    """Yield scorer, key, value and answer of each score; only values by name have a key.

    As in Inspect, those of nan do not count.
    """
    for scorer, score in ({} if raw.get("invalidation") else raw.get("scores") or {}).items():
        values = score["value"] if isinstance(score["value"], dict) else {"": score["value"]}
        for key, value in values.items():
            if value == value:  # which nan is not
                yield scorer, key, value, score.get("answer")


def answer_and_verdict(value: Any, answer: str | None) -> tuple[str | None, Any]:
    """Return the answer, None if it is empty, and the verdict, as Inspect's `value_to_float` does.

    So text that it cannot read is 0. Several values, in a list or dict, stay as they are.
    """
    if isinstance(value, str):
        value = _OF_MARK.get(value, _OF_MARK.get(value.lower(), _number(value)))
    is_one = isinstance(value, float | int | None)
    return answer or None, float(value or 0) if is_one else value


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0


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
        raise not_one(golds)
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
        by_header = f"`results.total_samples` in its header is {n_total}"
        raise ValueError(
            f"the log is damaged: `samples` holds {n_samples} samples, but {by_header}"
        )
    if not n_runs:
        raise ValueError("no sample has scores, which hold the answers: run `inspect score`")


def classes_of(golds: Sequence[str], letters: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the letters of the choices, if every target is one."""
    if all(gold in of_sample for gold, of_sample in zip(golds, letters, strict=True)):
        return max(letters, key=len)
    return None
