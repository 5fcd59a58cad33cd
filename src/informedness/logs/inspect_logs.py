"""Read logs of Inspect (`inspect-ai`): `.json` files, and `.eval` files, which are zip archives."""

import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from ..core.labels import show
from ..errors import optional_import, prefix_errors
from ..text.render import cut
from .answers import Answers, Origin, json_object, part_of, settings_of
from .verdicts import DAMAGES, Sample, SkippedSamples, Totals, VerdictMetric, only_target

_VERSION = 2  # version of the log's schema
_HEADER, _SAMPLES = "header.json", "samples/"
_CREDITS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # correct, partial, incorrect, no answer
_CREDITS |= {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}  # upper or lower case
_SETTINGS = "eval.model_args eval.model_roles eval.model_generate_config plan.config "
_SETTINGS += "eval.config.message_limit eval.config.token_limit eval.config.time_limit "
_SETTINGS += "eval.dataset.location"
_HEAD_OF_JSON = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"\w+",\s*"eval":\s*\{')
# Samples by epoch, scorer and key. The key is the name of one of the scorer's values, or "" if the
# scorer has a single value without a name. The verdict is this value as a number. A sample with
# several targets has the reference None.
_Scores: TypeAlias = dict[tuple[int, str, str], list[Sample]]


def is_log(path: Path) -> bool:
    """Check whether a file has the extension .eval, or .json and the start of a log of Inspect."""
    if path.suffix != ".json" or not path.is_file():
        return path.suffix == ".eval" and path.is_file()
    with path.open("rb") as stream:
        return bool(_HEAD_OF_JSON.match(stream.read(4096)))


def read_log(path: Path, verdict: str | None = None) -> Iterator[Answers]:
    """Yield the answers in a log for each epoch and each score.

    A score is the value of a scorer, or one of its named values. `verdict` must be None.

    Raises
    ------
    ValueError
        If the log is damaged, or its schema has an unsupported version. If the run did not succeed.
        If a sample does not have a target, or more than one in five samples have several targets.
        If no sample has scores.
    ImportError
        If the log is a `.eval` file, Python is older than 3.14, and `backports.zstd` is missing.
    """
    if verdict is not None:
        raise ValueError("Inspect logs do not support `verdict`: choose a score with `variant`")
    parts = _parts(path)
    header = next(parts)
    _check_status(header)
    with prefix_errors("the header", *DAMAGES):
        task, model = map(str, (header["eval"]["task"], header["eval"]["model"]))
    rows, scores = _read_samples(parts, header)
    created, settings = str(header["eval"].get("created", "")), _settings(rows, header)
    n_samples = Counter(x["epoch"] for x in rows)
    n_several = Counter(x["epoch"] for x in rows if len(x["targets"]) > 1)
    classes = classes_of([(x["targets"][0], x["letters"]) for x in rows if len(x["targets"]) == 1])
    _, scorers, _ = map(set, zip(*scores, strict=True))
    for epoch, scorer, key in sorted(scores, key=lambda score: score[0]):
        metric, samples = _metric_and_samples(scores, header, epoch, scorer, key)
        samples = [x for x in samples if None not in (x.reference, x.verdict)]
        if not samples:
            continue
        samples.sort(key=lambda x: (x.id, x.prompt))  # logs may list them by time
        variant = ", ".join(filter(None, (scorer if len(scorers) > 1 else "", key)))
        shown_epoch = epoch if len(n_samples) > 1 else None
        left_out = Counter({"several right answers": n_several[epoch]})
        left_out["no score"] = n_samples[epoch] - n_several[epoch] - len(samples)
        origin = Origin("inspect", task, model, variant, shown_epoch, created, settings)
        how = f"what scorer {scorer!r} logged as the answer"
        yield Answers(origin, how, tuple(samples), classes, metric, left_out)


def _read_samples(parts: Iterator[Any], header: dict[str, Any]) -> tuple[list[Any], _Scores]:
    """Read the samples; raise ValueError if a sample is damaged or missing, or if none has scores.

    Missing samples are not an error if the header says that the run stopped early. Also raise
    ValueError if more than one in five samples have several targets.

    The first result has a dict for each sample and epoch, with the keys "epoch", "id", "prompt",
    "targets" and "letters". The second result holds the scores.
    """
    rows: list[dict[str, Any]] = []
    scores: _Scores = {}
    skipped = SkippedSamples()
    for raw in parts:
        with skipped.skip(f"sample {show(raw.get('id') if isinstance(raw, dict) else raw)}"):
            _add_sample(raw, rows, scores)
    if not scores:
        raise ValueError("no sample has scores: log samples, or add scores with `inspect score`")
    results = header.get("results") or {}
    n_samples = len(rows)
    n_total = results.get("total_samples", n_samples)
    if n_samples != n_total and not results.get("early_stopping"):
        total = f"`results.total_samples` in its header is {n_total}"
        raise ValueError(f"the log is damaged: it holds {n_samples} samples, but {total}")
    skipped.check(n_samples)
    return rows, scores


def _add_sample(raw: dict[str, Any], rows: list[Any], scores: _Scores) -> None:
    """Add a sample and its scores, then raise SeveralTargetsError if it has several targets.

    Such a sample counts in the totals of the log, but has no reference. Raise ValueError if a
    sample does not have a target.
    """
    epoch, name, choices = raw["epoch"], str(raw["id"]), raw.get("choices") or []
    prompt, letters = _prompt(raw["input"], choices), letters_of(len(choices))
    targets = targets_of(raw["target"], letters)
    rows += [{"epoch": epoch, "id": name, "prompt": prompt, "targets": targets, "letters": letters}]
    for scorer, key, value, text in _scores(raw):
        answer, verdict = answer_and_verdict(value, text)
        completion = None if answer else (raw.get("output") or {}).get("completion")
        reference = targets[0] if len(targets) == 1 else None
        sample = Sample(name, reference, answer, verdict, prompt, completion)
        scores.setdefault((epoch, scorer, key), []).append(sample)
    only_target(targets)


def _settings(rows: list[Any], header: dict[str, Any]) -> dict[str, Any]:
    """Collect the settings of the run, to recognise repeated runs."""
    # omit the solvers' defaults, which differ between versions
    steps = [x for x in part_of(header, "plan", "steps") or () if isinstance(x, dict)]
    solvers = [(x.get("solver"), x.get("params_passed", x.get("params"))) for x in steps]
    more = {"solver": ", ".join(f"{name}{options or ''}" for name, options in solvers)}
    more["dataset"] = part_of(header, "eval", "dataset", "name")
    return settings_of(rows, header, _SETTINGS, part_of(header, "eval", "task_args"), **more)


def _check_status(header: dict[str, Any]) -> None:
    """Raise ValueError unless the schema has a supported version and the run succeeded."""
    version, status = show(header.get("version")), header.get("status")
    if version != str(_VERSION):
        raise ValueError(f"`version` must be {_VERSION}, got {version}: use `inspect log convert`")
    if status != "success":
        reason = part_of(header, "error", "message") or "finish the run with `inspect eval-retry`"
        raise ValueError(f"`status` must be 'success', got {show(status)}: {cut(reason, 200)}")


def _metric_and_samples(
    scores: _Scores, header: dict[str, Any], epoch: int, scorer: str, key: str
) -> tuple[VerdictMetric, list[Sample]]:
    """Build the metric of a score, and read the verdicts of its samples in an epoch.

    If a scorer returns null, Inspect counts the sample as wrong. Inspect before 0.3.260 also writes
    nan as null if a scorer has several values, and skips the sample. The recorded totals decide
    between the two meanings of null.
    """
    recorded = _recorded_totals(header, scorer, key)
    epochs = (y for name, y in scores.items() if name[1:] == (scorer, key))
    verdicts = [(x.id, x.verdict) for x in chain.from_iterable(epochs)]
    totals = Totals.from_verdicts(verdicts)
    with_null = Totals.from_verdicts((x, 0.0 if y is None else y) for x, y in verdicts)
    samples, null = scores[epoch, scorer, key], None
    if totals.agrees_with(recorded) is False or with_null.agrees_with(recorded) is not False:
        totals, null = with_null, 0.0
    samples = [x._replace(verdict=null) if x.verdict is None else x for x in samples]
    return VerdictMetric(key or scorer, {}, totals, recorded), samples


def _recorded_totals(header: dict[str, Any], scorer: str, key: str) -> Totals:
    """Read the number of samples and the accuracy that Inspect recorded for a score.

    The accuracy is the metric `accuracy`, or else `mean`. Ignore reducers other than the mean.
    """
    recorded = Totals()
    for score in part_of(header, "results", "scores") or ():
        names = [part_of(score, x) for x in ("name", "scorer", "reducer")]
        metric = part_of(score, "metrics", "accuracy") or part_of(score, "metrics", "mean")
        if metric and names in ([key or scorer, scorer, x] for x in (None, "mean")):
            recorded = Totals.from_log(score.get("scored_samples"), part_of(metric, "value"))
    return recorded


# From files to samples


def _parts(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the header of a log, then each sample."""
    if path.suffix == ".json":
        log = json_object(path.read_bytes())
        yield log
        yield from log.get("samples") or ()
        return
    with optional_import("reading .eval logs needs backports.zstd", "backports-zstd>=1.0"):
        if sys.version_info >= (3, 14):
            import zipfile
        else:
            from backports.zstd import zipfile
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(set(archive.namelist()))  # a sample that ran twice is listed twice
            if _HEADER not in names:  # Inspect writes the header when the run ends
                yield {"version": _VERSION, "status": "started"}
            yield json_object(archive.read(_HEADER))
            yield from (json.loads(archive.read(x)) for x in names if x.startswith(_SAMPLES))
    except Exception as error:  # zipfile, zstd and json raise different types
        raise ValueError(f"the log is damaged: {error}") from error


def _scores(raw: dict[str, Any]) -> Iterator[tuple[str, str, Any, str | None]]:
    """Yield the scorer, key, value and answer of each score of a sample.

    The key is the name of a value, or "" if a scorer has a single value without a name. Values of
    nan are skipped, as in Inspect. The scores of an invalidated sample are skipped, too.
    """
    for scorer, score in ({} if raw.get("invalidation") else raw.get("scores") or {}).items():
        values = score["value"] if isinstance(score["value"], dict) else {"": score["value"]}
        for key, value in values.items():
            if value == value:  # false for nan
                yield scorer, key, value, score.get("answer")


def answer_and_verdict(value: Any, answer: str | None) -> tuple[str | None, Any]:
    """Convert a score to its answer and its verdict; an empty answer becomes None.

    Text becomes a number as in Inspect's `value_to_float`. Known words, such as "C" and "yes", have
    fixed values. Any other text becomes 0 unless it is a finite number. Lists, dicts and None are
    unchanged.
    """
    if isinstance(value, str):
        value = _CREDITS.get(value, _CREDITS.get(value.lower(), _number(value)))
    return answer or None, float(value) if isinstance(value, float | int) else value


def _number(text: str) -> float:
    """Convert text to a number; 0 unless it is finite."""
    with suppress(ValueError):
        return float(text) if math.isfinite(float(text)) else 0.0
    return 0.0


def letters_of(n_choices: int) -> tuple[str, ...]:
    """List the letters of choices as in Inspect: A to Z, then numbers from 1."""
    return tuple(chr(ord("A") + i) if i < 26 else str(i - 25) for i in range(n_choices))


def targets_of(target: str | list[str], letters: tuple[str, ...]) -> list[str]:
    """List the targets of a sample; split text that consists of letters of its choices.

    A sample whose only target is "" does not have a target: the list is then empty.
    """
    targets = [target] if isinstance(target, str) else target
    if targets == [""]:
        return []
    # as in the scorer `choice`, "A, B" and "AB" are two letters
    words = " ".join(targets).replace(",", " ").split()
    marks = [mark for word in words for mark in ([word] if word.isnumeric() else word)]
    return marks if marks and set(marks) <= set(letters) else targets


def _prompt(text: str | list[dict[str, Any]], choices: list[str]) -> str:
    """Convert the input of a sample to text, followed by its choices."""
    if not isinstance(text, str):
        # omit the ids of messages, which differ between runs
        messages = [{key: message[key] for key in message if key != "id"} for message in text]
        text = json.dumps(messages, ensure_ascii=False, sort_keys=True)
    return "\n".join([text, *choices])


def classes_of(targets: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[str, ...] | None:
    """Choose the longest list of letters as classes; None unless every target is in its own list.

    Each element of `targets` is the target of a sample, with the letters of its choices.
    """
    if all(target in letters for target, letters in targets):
        return max((letters for _, letters in targets), key=len)
    return None
