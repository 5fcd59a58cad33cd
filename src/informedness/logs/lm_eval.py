"""Answers in the samples that EleutherAI's lm-evaluation-harness logs with --log_samples.

Each line is one document after one filter: what was asked (`arguments`), what the filter made of
the responses (`filtered_resps`), the target as text, and the value of each metric.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.labels import show
from ..inputs.paths import open_whole
from .answers import Answers, classes_of_choices, json_object, naming, not_one
from .verdicts import likeliest, verdict_metric, verdict_of

NAME = "lm-eval"

_FILE = re.compile(r"(.+)\.jsonl(\.(gz|bz2|xz|zst))?", re.I)
_SAMPLES = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?))?")
_FIELDS = ("doc_id", "target", "arguments", "filtered_resps", "filter", "prompt_hash")
_METRICS_OF_PAIRS = ("informedness", "nit", "mcc", "f1")  # which log [gold, predicted]
OF_CHOICES = ("acc", "acc_norm", "acc_bytes", "acc_mutual_info")  # what the likeliest choice is of
OF_TEXTS = ("exact_match", "acc", "em")
_HOW = {
    "acc_norm": "by its length",
    "acc_bytes": "by its length in bytes",
    "acc_mutual_info": "beyond its likelihood alone",
}

Sample = dict[str, Any]


def is_log(path: Path) -> bool:
    """Return whether a file is a log of samples of lm-eval."""
    if not _FILE.fullmatch(path.name) or not path.is_file():
        return False
    if _task_and_date(path)[1]:
        return True
    try:
        with open_whole(str(path)) as stream:
            return {"doc_id", "filtered_resps"} <= json_object(stream.readline()).keys()
    except ValueError:
        return False


def read_log(path: Path) -> Iterator[Answers]:
    """Yield the answers in a log, after each filter.

    Raises
    ------
    ValueError
        If the file is damaged, or if a sample cannot be scored: it has several right answers, no
        choices, or a target that is none of them.
    """
    task, date = _task_and_date(path)
    results = _results(path, date)
    config = (results.get("configs") or {}).get(task) or {}
    by_filter: dict[str, list[Sample]] = {}
    with open_whole(str(path)) as stream:
        for number, line in enumerate(stream, start=1):
            with naming(f"line {number}"):
                sample = _sample(line, config.get("doc_to_choice"))
            sample["where"] = f"line {number} (doc_id {sample['doc_id']})"
            by_filter.setdefault(str(sample["filter"]), []).append(sample)
    for name, samples in by_filter.items():
        documents = tuple(str(x["doc_hash"]) for x in samples if x.get("doc_hash") is not None)
        yield Answers(
            harness=NAME,
            task=task,
            model=str(results.get("model_name") or path.absolute().parent.name),
            ids=tuple(str(sample["doc_id"]) for sample in samples),
            prompts=tuple(str(sample["prompt_hash"]) for sample in samples),
            documents=documents if len(documents) == len(samples) else (),
            variant="" if name == "none" else name,
            created=date or "",
            **_scored(samples, name),
        )


def _task_and_date(path: Path) -> tuple[str, str | None]:
    file = _FILE.fullmatch(path.name)
    stem = file[1] if file else path.stem
    samples = _SAMPLES.fullmatch(stem)
    return (samples[1], samples[2]) if samples else (stem, None)


def _results(path: Path, date: str | None) -> dict[str, Any]:
    """Return the results of the same run beside its samples; empty if there are none to read."""
    for results in sorted(path.absolute().parent.glob(f"*_{date}.json")) if date else ():
        try:
            return json_object(results.read_bytes())
        except (OSError, ValueError):
            continue  # a name is not worth an error
    return {}


def _sample(line: bytes, field: Any) -> Sample:
    """Return what is needed of a line; its choices are a field, or those of all documents."""
    sample = json_object(line)
    missing = [field for field in _FIELDS if field not in sample]
    if missing:
        raise ValueError(f"must have the fields of a sample, and lacks {', '.join(missing)}")
    responses, requests = sample["filtered_resps"], sample["arguments"]
    if not isinstance(responses, list) or not responses:
        raise ValueError(f"`filtered_resps` must be a list of responses, got {show(responses)}")
    if not isinstance(requests, dict) or not all(isinstance(x, dict) for x in requests.values()):
        raise ValueError(f"`arguments` must be an object of objects, got {show(requests)}")
    # the second argument of each request: a choice, or how to generate
    sample["arguments"] = [request.get("arg_1") for request in requests.values()]
    # the largest of all; a field of the document may list its choices
    listed = (sample.pop("doc", None) or {}).get(field) if isinstance(field, str) else field
    sample["listed"] = [*listed.values()] if isinstance(listed, dict) else listed
    sample.pop("resps", None)
    return sample


def _scored(samples: Sequence[Sample], name: str) -> dict[str, Any]:
    """Return references, predictions, verdicts, choices, and how answers are found."""
    kinds: dict[str, str] = {}
    for sample in samples:
        with naming(sample["where"]):
            kinds[_kind(sample["arguments"])] = sample["where"]
            sample["pair"] = _logged_pair(sample)
    if len(kinds) > 1:
        raise ValueError(f"all samples must be of the same kind, got {show(kinds)}")
    without = [sample["where"] for sample in samples if sample["pair"] is None]
    if 0 < len(without) < len(samples):
        raise ValueError(f"all samples must have the same metrics, got others in {without[0]}")
    if not without:
        _turn(samples)
    metric = verdict_metric(samples, OF_CHOICES if "choices" in kinds else OF_TEXTS)
    for sample in samples:
        sample["verdict"] = None if metric is None else verdict_of(sample[metric])
    if "choices" in kinds:
        return _of_choices(samples, metric or "acc")
    return _of_texts(samples, name)


def _kind(arguments: Sequence[Any]) -> str:
    if arguments and all(isinstance(x, dict) for x in arguments):
        return "texts"
    if len(arguments) > 1 and all(isinstance(x, str) for x in arguments):
        return "choices"
    raise ValueError("must have scored choices or generated text: this task has no classes")


def _logged_pair(sample: Sample) -> list[Any] | None:
    """Return gold and predicted class, if a metric logged both."""
    logged = {metric: sample.get(metric) for metric in _METRICS_OF_PAIRS}
    found = {name: x[:2] for name, x in logged.items() if isinstance(x, list) and len(x) > 1}
    for with_choices in (x for x in logged.values() if isinstance(x, list) and len(x) == 4):
        sample["listed"] = with_choices[3]
    pairs: list[list[Any]] = list(found.values())
    if any(isinstance(gold, list) for gold, _ in pairs):
        raise not_one(pairs[0][0])
    if any(pair not in (pairs[0], pairs[0][::-1]) for pair in pairs):
        raise ValueError(f"metrics in the log disagree, {show(found)}")
    return pairs[0] if pairs else None


def _turn(samples: Sequence[Sample]) -> None:
    """Turn pairs round if what they have first is not the target, and what they have second is.

    A task with its own `process_results` may log the answer before the gold. A gold that is no text
    of the target is at least the same wherever the target is.
    """
    targets = [str(sample["target"]) for sample in samples]
    golds, answers = zip(*(map(str, sample["pair"]) for sample in samples), strict=True)

    def fits(first: Sequence[str], same: bool) -> bool:
        if same:
            return [*first] == targets
        return len(set(zip(targets, first, strict=True))) == len(set(targets))

    for same in (True, False):
        if fits(golds, same) or fits(answers, same):
            if not fits(golds, same):
                for sample in samples:
                    sample["pair"].reverse()
            return


def _of_choices(samples: Sequence[Sample], metric: str) -> dict[str, Any]:
    for sample in samples:
        with naming(sample["where"]):
            sample["choices"], likeliest = _choices_and_likeliest(sample, metric)
            sample["likeliest"] = likeliest
            if sample["pair"] is not None and sample["pair"][1] != likeliest:
                logged = show(sample["pair"][1])
                raise ValueError(f"the likeliest choice is {likeliest}, but a metric has {logged}")
    classes = classes_of_choices([sample["choices"] for sample in samples])
    return {
        "references": tuple(classes[gold] for gold in _golds(samples)),
        "predictions": tuple(classes[sample["likeliest"]] for sample in samples),
        "choices": classes,
        "verdicts": tuple(sample["verdict"] for sample in samples),
        "how": f"the likeliest choice, {_HOW.get(metric, 'whatever its length')}",
    }


def _choices_and_likeliest(sample: Sample, metric: str) -> tuple[list[str], int]:
    """Return the texts of the choices, and the position of the likeliest."""
    responses, texts = sample["filtered_resps"], sample["arguments"]
    try:
        likelihoods = [float(likelihood) for likelihood, _ in responses]
    except (TypeError, ValueError):
        likelihoods = []
    if len(likelihoods) != len(texts) or any(map(math.isnan, likelihoods)):
        raise ValueError(
            f"`filtered_resps` must hold a pair for each of {len(texts)} choices, the first a "
            f"log-likelihood, got {show(responses)}"
        )
    # the harness asks again without a prompt for this metric
    k = len(texts) // 2 if "acc_mutual_info" in sample else len(texts)
    choices = [text.strip() for text in texts[:k]]
    return choices, likeliest_choice(metric, likelihoods, choices)


def likeliest_choice(metric: str, likelihoods: Sequence[float], choices: Sequence[str]) -> int:
    """Return the position of the choice that a metric of the harness takes for the answer."""
    k = len(choices)
    sizes, less = [1] * k, [0.0] * k
    if metric == "acc_norm":
        sizes = [len(choice) or 1 for choice in choices]
    elif metric == "acc_bytes":
        sizes = [len(choice.encode()) or 1 for choice in choices]
    elif metric == "acc_mutual_info":
        less = [*likelihoods[k:]]
    return likeliest(likelihoods[:k], sizes, less)


def _golds(samples: Sequence[Sample]) -> list[int]:
    """Return the position of each right choice.

    A target "2" may be a position or the text of a choice: metrics in the log tell which.
    """
    if samples[0]["pair"] is not None:
        readings = [[sample["pair"][0] for sample in samples]]
    elif all(len(set(sample["choices"])) == 1 for sample in samples):
        readings = [[_position_in_prompts(sample) for sample in samples]]
    else:
        by_text = [_position_of_text(sample) for sample in samples]
        by_position = [_position(sample["target"]) for sample in samples]
        readings = [by_text] if by_text == by_position else [by_text, by_position]
    sound, faults = [], []
    for reading in readings:
        try:
            for sample, gold in zip(samples, reading, strict=True):
                with naming(sample["where"]):
                    _check_gold(sample, gold)
            sound.append(reading)
        except ValueError as error:
            faults.append((reading.count(None), error))
    if not sound:
        raise min(faults, key=lambda fault: fault[0])[1]
    if len(sound) > 1:
        raise ValueError(
            "`target` must be the text of a choice or its position, and here it may be either: log "
            "informedness or mcc, which record the position"
        )
    return sound[0]


def _position_in_prompts(sample: Sample) -> int | None:
    """Return the right one of two prompts, which hold the choices: that of the verdict."""
    if sample["verdict"] not in (0, 1) or len(sample["choices"]) != 2:
        raise ValueError(
            f"{sample['where']}: the log must say which of {len(sample['choices'])} prompts is "
            "right, and has only the text behind them: `mcc` in the metric_list logs it"
        )
    return int(sample["likeliest"] if sample["verdict"] else 1 - sample["likeliest"])


def _position_of_text(sample: Sample) -> int | None:
    target, choices = str(sample["target"]).strip(), sample["choices"]
    return choices.index(target) if target in choices else None


def _position(target: Any) -> int | None:
    return int(target) if re.fullmatch("[0-9]+", str(target)) else None


def _check_gold(sample: Sample, gold: Any) -> None:
    """Raise ValueError if this cannot be the position of the right choice."""
    choices, verdict = sample["choices"], sample["verdict"]
    if type(gold) is not int or not 0 <= gold < len(choices):
        target = _single_target(sample)
        raise ValueError(
            f"`target` must be the text of a choice or its position, got {show(target)} for "
            f"choices {show(choices)}"
        )
    if verdict in (0, 1) and bool(verdict) != (sample["likeliest"] == gold):
        raise ValueError(
            f"the likeliest choice is {sample['likeliest']} and the right one {gold}, but its "
            f"accuracy is {verdict}"
        )


def _single_target(sample: Sample) -> str:
    target = str(sample["target"])
    if target.startswith("[") and target.endswith("]"):
        raise not_one(target)
    return target


def _of_texts(samples: Sequence[Sample], name: str) -> dict[str, Any]:
    kinds: set[type] = set()
    is_pair = samples[0]["pair"] is not None
    for sample in samples:
        with naming(sample["where"]):
            if not is_pair:
                sample["pair"] = _target_and_text(sample, name)
            kinds |= set(map(type, sample["pair"]))
            if kinds not in ({str}, {int}) and not sample["listed"]:
                logged = show(sample["pair"])
                raise ValueError(f"metrics must log texts, or positions, got {logged}")
    golds, answers = zip(*(sample["pair"] for sample in samples), strict=True)
    how = f"the text after filter {name!r}"
    if any(sample["filtered_resps"][0] != sample["pair"][1] for sample in samples):
        how = f"what the metrics took from {how}"
    return {
        "references": golds,
        "predictions": answers,
        "how": how,
        "verdicts": tuple(sample["verdict"] for sample in samples),
        **_of_listed(samples, golds),
    }


def _of_listed(samples: Sequence[Sample], golds: Sequence[Any]) -> dict[str, Any]:
    """Return references and choices if targets are positions in the choices of the documents."""
    golds = [_position(gold) for gold in golds]
    texts = [sample["listed"] for sample in samples]
    for gold, listed in zip(golds, texts, strict=True):
        if not isinstance(listed, list) or gold is None or gold >= len(listed):
            return {}
    texts = [tuple(map(str, listed)) for listed in texts]
    classes = classes_of_choices(texts)
    return {
        "references": tuple(classes[gold] for gold in golds),
        "choices": classes,
        "texts": tuple(texts) if isinstance(classes[0], int) else (),
    }


def _target_and_text(sample: Sample, name: str) -> list[str]:
    """Return the target and the answer as they stand in the log."""
    gold, (answer, *more) = _single_target(sample), sample["filtered_resps"]
    if not isinstance(answer, str) or more:
        answers = show([answer, *more])
        raise ValueError(
            f"must have one answer, got {answers}: end filter {name!r} with take_first"
        )
    return [gold, answer]
