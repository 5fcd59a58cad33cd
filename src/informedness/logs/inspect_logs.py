"""Logs of Inspect (`inspect-ai`): `.eval`, a zip of JSON files, and `.json`."""

import json
import math
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.labels import show
from ..errors import optional_import, prefix_errors
from ..text.render import cut
from .answers import Answers, LeftOut, Origin, json_object, part_of, settings_of
from .verdicts import DAMAGES, Sample, SeveralAnswers, Totals, VerdictMetric, target_error

_VERSION = 2  # of the log's schema
_HEADER, _SAMPLES = "header.json", "samples/"
_CREDITS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_CREDITS |= {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}  # in any case
_SETTINGS = "eval.model_args eval.model_roles eval.model_generate_config plan.config "
_SETTINGS += "eval.config.message_limit eval.config.token_limit eval.config.time_limit "
_SETTINGS += "eval.dataset.location"
_HEAD_OF_JSON = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"\w+",\s*"eval":\s*\{')


def is_log(path: Path) -> bool:
    """Recognise a log of Inspect, finished or not."""
    if path.suffix != ".json" or not path.is_file():
        return path.suffix == ".eval" and path.is_file()
    with path.open("rb") as stream:
        return bool(_HEAD_OF_JSON.match(stream.read(4096)))


@dataclass
class _Log:
    """Contents of a log; counts are per epoch.

    Attributes
    ----------
    header : dict
    asked : list of (sample, prompt)
        One entry per sample and epoch.
    golds : dict of (epoch, sample) to (target, letters of the choices)
        One entry per sample with a single target.
    scores : dict of (epoch, scorer, key) to list of Sample
        One entry per scorer, or per named value of it; samples still lack references.
    n_samples, n_errors : Counter of epoch
        Numbers of samples, and of samples that ended in an error.
    """

    header: dict[str, Any]
    asked: list[tuple[str, str]] = field(default_factory=list)
    golds: dict[tuple[int, str], tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    scores: dict[tuple[int, str, str], list[Sample]] = field(default_factory=dict)
    n_samples: Counter[int] = field(default_factory=Counter)
    n_errors: Counter[int] = field(default_factory=Counter)


def read_log(path: Path, verdict: str | None = None) -> Iterator[Answers]:
    """Yield the answers in a log, epoch by epoch and score by score.

    A score is the value of a scorer, or one of its named values. `verdict` must be None.

    Raises
    ------
    ValueError
        If the log is damaged, has another version of the schema or is of a run that did not
        succeed, or if a sample cannot be scored.
    ImportError
        If it is a `.eval` file and nothing is installed that reads Zstandard.
    """
    if verdict is not None:
        raise ValueError("Inspect logs do not support `verdict`: choose a score with `variant`")
    parts = (_parts_of_json if path.suffix == ".json" else _parts_of_eval)(path)
    log = _Log(next(parts))
    _check_status(log.header)
    with prefix_errors("the header", *DAMAGES):
        task, model = (str(log.header["eval"][name]) for name in ("task", "model"))
    _read_samples(parts, log)

    settings = _settings(log)
    classes = classes_of(*zip(*log.golds.values(), strict=True))
    created = str(log.header["eval"].get("created", ""))
    is_named = len({scorer for _, scorer, _ in log.scores}) > 1
    for epoch, scorer, key in sorted(log.scores, key=lambda score: score[0]):
        metric, null = _metric(log, scorer, key)
        samples = _counting(log, (epoch, scorer, key), null)
        if not samples:
            continue
        variant = ", ".join(filter(None, (scorer if is_named else "", key)))
        shown_epoch = epoch if len(log.n_samples) > 1 else None
        n_golds = sum(epoch == other for other, _ in log.golds)
        n_several, n_unscored = log.n_samples[epoch] - n_golds, n_golds - len(samples)
        yield Answers(
            Origin("inspect", task, model, variant, shown_epoch, created, settings),
            f"what scorer {scorer!r} logged as the answer",
            samples,
            classes,
            metric,
            LeftOut(n_several, n_unscored, log.n_errors[epoch]),
        )


def _counting(log: _Log, score: tuple[int, str, str], null: float | None) -> tuple[Sample, ...]:
    """Select the samples that count, in an order that does not depend on which ended first."""
    scored = sorted(log.scores[score], key=lambda x: (x.id, x.prompt))
    return tuple(
        x._replace(
            reference=log.golds[score[0], x.id][0], verdict=null if x.verdict is None else x.verdict
        )
        for x in scored
        if (score[0], x.id) in log.golds and (x.verdict, null) != (None, None)
    )


def _settings(log: _Log) -> dict[str, Any]:
    """Collect the run's settings."""
    # without the solvers' defaults, which differ between versions
    steps = [x for x in part_of(log.header, "plan", "steps") or () if isinstance(x, dict)]
    solvers = [(x.get("solver"), x.get("params_passed", x.get("params"))) for x in steps]
    more = {"solver": ", ".join(f"{name}{passed or ''}" for name, passed in solvers)}
    more["dataset"] = part_of(log.header, "eval", "dataset", "name")
    arguments = part_of(log.header, "eval", "task_args")
    return settings_of(log.asked, log.header, _SETTINGS, arguments, **more)


def _read_samples(parts: Iterator[dict[str, Any]], log: _Log) -> None:
    """Add the samples to the log, or raise ValueError if one is damaged or missing."""
    several = SeveralAnswers()
    for raw in parts:
        with several.skip(f"sample {show(raw.get('id') if isinstance(raw, dict) else raw)}"):
            _add_sample(raw, log)
    _check_samples(log.n_samples.total(), log.header, len(log.scores) + len(several))
    several.check(log.n_samples.total())


def _add_sample(raw: dict[str, Any], log: _Log) -> None:
    epoch, name, choices = raw["epoch"], str(raw["id"]), raw.get("choices") or []
    log.n_samples[epoch] += 1
    log.n_errors[epoch] += bool(raw.get("error") and not raw.get("scores"))
    log.asked.append((name, _prompt(raw["input"], choices)))
    for scorer, key, value, logged in _scores(raw):
        answer, mark = answer_and_verdict(value, logged)
        completion = None if answer else (raw.get("output") or {}).get("completion")
        sample = Sample(name, None, answer, mark, log.asked[-1][1], completion)
        log.scores.setdefault((epoch, scorer, key), []).append(sample)
    letters = letters_of(len(choices))
    log.golds[epoch, name] = gold_of(raw["target"], letters), letters


def _check_status(header: dict[str, Any]) -> None:
    """Raise ValueError unless the run succeeded, with Inspect's reason if there is one."""
    version, status = header.get("version"), header.get("status")
    if version != _VERSION:
        rule = f"must have version {_VERSION}, got {show(version)}"
        raise ValueError(f"{rule}: convert it with `inspect log convert`")
    if status != "success":
        reason = part_of(header, "error", "message") or "finish the run with `inspect eval-retry`"
        raise ValueError(f"must have status 'success', got {show(status)}: {cut(reason, 200)}")


def _metric(log: _Log, scorer: str, key: str) -> tuple[VerdictMetric, float | None]:
    """Build the metric of a score, and decide whether `null` counts as wrong or is skipped.

    Inspect counts a sample as wrong if its scorer returns null. Among several values, Inspect
    before 0.3.260 also writes nan as null, and skips it. The recorded totals show which applies.
    """
    recorded = _recorded(log.header, scorer, key)
    runs = (samples for (_, *score), samples in log.scores.items() if score == [scorer, key])
    verdicts = [(x.id, x.verdict) for samples in runs for x in samples]
    scored = Totals.from_verdicts(verdicts)
    as_wrong = Totals.from_verdicts((x, 0.0 if y is None else y) for x, y in verdicts)
    if as_wrong.agree(recorded) is False and scored.agree(recorded) is not False:
        return VerdictMetric(key or scorer, {}, scored, recorded), None
    return VerdictMetric(key or scorer, {}, as_wrong, recorded), 0.0


def _recorded(header: dict[str, Any], scorer: str, key: str) -> Totals:
    """Read the number of samples and the accuracy that Inspect recorded for a score."""
    recorded = Totals()
    for score in part_of(header, "results", "scores") or ():
        named = [part_of(score, x) for x in ("name", "scorer", "reducer")]
        metric = part_of(score, "metrics", "accuracy") or part_of(score, "metrics", "mean")
        if metric and named in ([key or scorer, scorer, x] for x in (None, "mean")):
            recorded = Totals.from_log(score.get("scored_samples"), part_of(metric, "value"))
    return recorded


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
            names = sorted(set(archive.namelist()))  # a sample that ran again is listed twice
            if _HEADER not in names:
                yield {"version": _VERSION, "status": "started"}
            yield json_object(archive.read(_HEADER))
            yield from (json.loads(archive.read(x)) for x in names if x.startswith(_SAMPLES))
    except damages as error:
        raise ValueError(f"the log is damaged: {error}") from error


def _scores(raw: dict[str, Any]) -> Iterator[tuple[str, str, Any, str | None]]:
    """Yield scorer, key, value and answer of each score; only named values have a key.

    Skip nan, as Inspect does.
    """
    for scorer, score in ({} if raw.get("invalidation") else raw.get("scores") or {}).items():
        values = score["value"] if isinstance(score["value"], dict) else {"": score["value"]}
        for key, value in values.items():
            if value == value:  # false for nan
                yield scorer, key, value, score.get("answer")


def answer_and_verdict(value: Any, answer: str | None) -> tuple[str | None, Any]:
    """Read the answer, None if it is empty, and the verdict, as Inspect's `value_to_float` does.

    Unreadable text is 0. Lists, dicts and None are unchanged.
    """
    if isinstance(value, str):
        value = _CREDITS.get(value, _CREDITS.get(value.lower(), _number(value)))
    return answer or None, float(value) if isinstance(value, float | int) else value


def _number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0


def letters_of(n_choices: int) -> tuple[str, ...]:
    """Name the choices as Inspect does: A to Z, then 1, 2..."""
    return tuple(chr(ord("A") + i) if i < 26 else str(i - 25) for i in range(n_choices))


def gold_of(target: str | list[str], letters: tuple[str, ...]) -> str:
    """Read the one target of a sample, or raise ValueError if it has several or none."""
    golds = [target] if isinstance(target, str) else target
    # as the scorer `choice` reads targets: "A, B" and "AB" are two letters
    words = " ".join(golds).replace(",", " ").split()
    marks = [mark for word in words for mark in ([word] if word.isnumeric() else word)]
    if marks and set(marks) <= set(letters):
        golds = marks
    if len(golds) != 1 or not golds[0]:
        raise target_error(golds)
    return golds[0]


def _prompt(asked: str | list[dict[str, Any]], choices: list[str]) -> str:
    """Write out the prompt, followed by its choices; images appear as hashes."""
    if not isinstance(asked, str):
        # each run gives its messages ids of their own
        messages = [{key: message[key] for key in message if key != "id"} for message in asked]
        asked = json.dumps(messages, ensure_ascii=False, sort_keys=True)
    return "\n".join([asked, *choices])


def _check_samples(n_samples: int, header: dict[str, Any], n_runs: int) -> None:
    """Raise ValueError unless all samples are present, and some have scores."""
    if not n_samples:
        raise ValueError("the log has no samples: run without --no-log-samples")
    results = header.get("results") or {}
    n_total = results.get("total_samples", n_samples)
    if n_samples != n_total and not results.get("early_stopping"):
        total = f"`results.total_samples` in its header is {n_total}"
        raise ValueError(f"the log is damaged: `samples` holds {n_samples} samples, but {total}")
    if not n_runs:
        raise ValueError("no sample has scores, which hold the answers: run `inspect score`")


def classes_of(golds: Sequence[str], letters: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Use the choice letters as classes if every target is one of them."""
    if all(gold in names for gold, names in zip(golds, letters, strict=True)):
        return max(letters, key=len)
    return None
