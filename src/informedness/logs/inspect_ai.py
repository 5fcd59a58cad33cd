"""Logs of Inspect (`inspect-ai`): `.eval`, a zip of JSON files, and `.json`."""

import json
import math
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core.labels import show
from ..errors import named_error, optional_import
from ..text.render import cut
from .answers import DAMAGES, Answers, LeftOut, json_object, not_one, part_of
from .runs import settings_of
from .verdicts import Totals

_VERSION = 2  # of the log's schema
_HEADER, _SAMPLES = "header.json", "samples/"
_OF_MARK = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_OF_MARK |= {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}  # in any case
_SETTINGS = "eval.model_args eval.model_roles eval.model_generate_config plan.config "
_SETTINGS += "eval.config.message_limit eval.config.token_limit eval.config.time_limit "
_SETTINGS += "eval.dataset.location"
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
    _check_status(header)
    try:
        task, model = str(header["eval"]["task"]), str(header["eval"]["model"])
    except DAMAGES as error:
        raise named_error("the header", error) from error

    read = _read_samples(parts, header)
    settings = _settings(header, read.asked)
    is_named = len({scorer for _, scorer, _ in read.runs}) > 1
    golds = read.golds
    classes = classes_of(*zip(*golds.values(), strict=True))
    for (epoch, scorer, key), rows in sorted(read.runs.items(), key=lambda run: run[0][0]):
        every = [row for (_, *of), rows in read.runs.items() if of == [scorer, key] for row in rows]
        counted, recorded, null = _totals(every, header, scorer, key)
        # an order that does not depend on when each was done
        samples = [
            (x, golds[epoch, x][0], answer, null if mark is None else mark, prompt, completion)
            for x, prompt, answer, mark, completion in sorted(rows, key=lambda row: row[0])
            if (epoch, x) in golds and (mark, null) != (None, None)
        ]
        if not samples:
            continue
        yield Answers.of(
            samples,
            harness="inspect",
            task=task,
            model=model,
            how=f"what scorer {scorer!r} logged as the answer",
            variant=", ".join(filter(None, (scorer if is_named else "", key))),
            epoch=epoch if len(read.n_samples) > 1 else None,
            verdict=key or scorer,
            choices=classes,
            created=str(header["eval"].get("created", "")),
            n_left_out=read.n_samples[epoch] - len(samples),
            n_unscored=read.n_samples[epoch] - len(samples) - read.n_several[epoch],
            n_errors=read.n_errors[epoch],
            settings=settings,
            counted=counted,
            recorded=recorded,
        )


def _settings(header: dict[str, Any], asked: list[tuple[str, str]]) -> dict[str, Any]:
    """Return what was run."""
    # without the solvers' defaults, which differ between versions
    steps = [x for x in part_of(header, "plan", "steps") or () if isinstance(x, dict)]
    solvers = [(x.get("solver"), x.get("params_passed", x.get("params"))) for x in steps]
    more = {"solver": ", ".join(f"{name}{passed or ''}" for name, passed in solvers)}
    more["dataset"] = part_of(header, "eval", "dataset", "name")
    return settings_of(asked, header, _SETTINGS, part_of(header, "eval", "task_args"), **more)


class _Samples(NamedTuple):
    """What is in the samples of a log; numbers are by epoch.

    Golds, with the letters of the choices, are of the samples that count; `asked` has all. Runs are
    the rows of each epoch, scorer and value.
    """

    golds: dict[tuple[int, str], tuple[str, tuple[str, ...]]]
    asked: list[tuple[str, str]]
    runs: dict[tuple[int, str, str], list[Any]]
    n_samples: Counter[int]
    n_several: Counter[int]
    n_errors: Counter[int]


def _read_samples(parts: Iterator[dict[str, Any]], header: dict[str, Any]) -> _Samples:
    """Return what is in the samples, or raise ValueError if one is damaged or they are too few."""
    golds, asked, runs, n_samples, n_several, n_errors = made = _Samples(
        {}, [], {}, Counter(), Counter(), Counter()
    )
    left_out = LeftOut()
    for raw in parts:
        try:
            epoch, name, choices = raw["epoch"], str(raw["id"]), raw.get("choices") or []
            n_samples[epoch] += 1
            n_errors[epoch] += bool(raw.get("error") and not raw.get("scores"))
            asked.append((name, _prompt(raw["input"], choices)))
            for scorer, key, value, logged in _scores(raw):
                answer, mark = answer_and_verdict(value, logged)
                completion = None if answer else (raw.get("output") or {}).get("completion")
                row = (*asked[-1], answer, mark, completion)
                runs.setdefault((epoch, scorer, key), []).append(row)
            letters = letters_of(len(choices))
            golds[epoch, name] = gold_of(raw["target"], letters), letters
        except DAMAGES as error:
            left_out.add(f"sample {show(raw.get('id') if isinstance(raw, dict) else raw)}", error)
            n_several[epoch] += 1
    _check_samples(n_samples.total(), header, len(runs) + len(left_out))
    left_out.check(n_samples.total())
    return made


def _check_status(header: dict[str, Any]) -> None:
    """Raise ValueError unless the run succeeded, with Inspect's reason if there is one."""
    version, status = header.get("version"), header.get("status")
    if version != _VERSION:
        rule = f"must have version {_VERSION}, got {show(version)}"
        raise ValueError(f"{rule}: convert it with `inspect log convert`")
    if status != "success":
        reason = part_of(header, "error", "message") or "finish the run with `inspect eval-retry`"
        raise ValueError(f"must have status 'success', got {show(status)}: {cut(reason, 200)}")


def _totals(
    rows: list[Any], header: dict[str, Any], scorer: str, key: str
) -> tuple[Totals, Totals, float | None]:
    """Return the totals of a score as read and as recorded, and what a value of `null` counts as.

    Either a scorer gave it, and Inspect takes it for wrong, or it was nan, which Inspect before
    0.3.260 writes so among several values, and does not count: the recorded totals tell which.
    """
    recorded = Totals()
    for score in part_of(header, "results", "scores") or ():
        named = [part_of(score, x) for x in ("name", "scorer", "reducer")]
        metric = part_of(score, "metrics", "accuracy") or part_of(score, "metrics", "mean")
        if metric and named in ([key or scorer, scorer, x] for x in (None, "mean")):
            recorded = Totals.from_log(score.get("scored_samples"), part_of(metric, "value"))
    scored = Totals.from_verdicts((name, mark) for name, _, _, mark, _ in rows)
    as_wrong = Totals.from_verdicts((x, 0.0 if mark is None else mark) for x, *_, mark, _ in rows)
    if as_wrong.agree(recorded) is False and scored.agree(recorded) is not False:
        return scored, recorded, None
    return as_wrong, recorded, 0.0


# From files to samples


def _parts_of_json(path: Path) -> Iterator[dict[str, Any]]:
    log = json_object(path.read_bytes())
    yield log
    yield from log.get("samples") or ()


def _parts_of_eval(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the header and each sample."""
    with optional_import("reading .eval logs needs backports.zstd", "informedness[inspect]"):
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

    So text that it cannot read is 0. Several values, in a list or dict, stay as they are, and so
    does None.
    """
    if isinstance(value, str):
        value = _OF_MARK.get(value, _OF_MARK.get(value.lower(), _number(value)))
    return answer or None, float(value) if isinstance(value, float | int) else value


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
