"""Answers in the samples that EleutherAI's lm-evaluation-harness logs with --log_samples.

Each line is one document after one filter: what was asked (`arguments`), what the filter made of
the responses (`filtered_resps`), the target as text, and the value of each metric.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.labels import Label, show
from ..inputs.paths import open_whole
from .answers import Answers

NAME = "lm-eval"

_FILE = re.compile(r"(.+)\.jsonl(\.(gz|bz2|xz|zst))?", re.I)
_SAMPLES = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?))?")
_FIELDS = ("doc_id", "target", "arguments", "filtered_resps", "filter", "prompt_hash")
_METRICS_OF_PAIRS = ("informedness", "nit", "mcc", "f1")  # which log [gold, predicted]
_NO_FILTER = "none"

Sample = dict[str, Any]


def is_log(path: Path) -> bool:
    """Return whether a file is a log of samples of lm-eval."""
    file = _FILE.fullmatch(path.name)
    if file is None or not path.is_file():
        return False
    samples = _SAMPLES.fullmatch(file[1])
    if samples and samples[2]:
        return True
    try:
        with open_whole(str(path)) as stream:
            first = json.loads(stream.readline())
    except ValueError:
        return False
    return isinstance(first, dict) and {"doc_id", "filtered_resps"} <= first.keys()


def logs_in(folder: Path) -> list[Path]:
    """Return the logs of samples in a folder and its folders, sorted."""
    return sorted(path for path in folder.rglob("*.jsonl*") if is_log(path))


def read_log(path: Path) -> Iterator[Answers]:
    """Yield the answers in a log, after each filter.

    Raises
    ------
    ValueError
        If the file is damaged, or if a sample cannot be scored: it has several right answers, no
        choices, or a target that is none of them.
    """
    task, date = _task_and_date(path)
    model = _model(path, date)
    by_filter: dict[str, list[Sample]] = {}
    with open_whole(str(path)) as stream:
        for number, line in enumerate(stream, 1):
            sample = _sample(line, number)
            by_filter.setdefault(str(sample["filter"]), []).append(sample)
    if not by_filter:
        raise ValueError("the log must hold samples, got none")
    for name, samples in by_filter.items():
        variant = "" if name == _NO_FILTER else name
        how, references, predictions, choices = _scored(samples, name)
        yield Answers(
            harness=NAME,
            task=task,
            model=model,
            variant=variant,
            epoch=None,
            how=how,
            ids=_ids(samples, name),
            references=tuple(references),
            predictions=tuple(predictions),
            choices=choices,
            prompts=tuple(str(sample["prompt_hash"]) for sample in samples),
        )


def _task_and_date(path: Path) -> tuple[str, str | None]:
    file = _FILE.fullmatch(path.name)
    stem = file[1] if file else path.stem
    samples = _SAMPLES.fullmatch(stem)
    return (samples[1], samples[2]) if samples else (stem, None)


def _model(path: Path, date: str | None) -> str:
    """Return the model named by the results of the same run, or else the folder's name."""
    folder = path.absolute().parent
    for results in sorted(folder.glob(f"*_{date}.json")) if date else ():
        try:
            content = json.loads(results.read_bytes())
        except ValueError as error:
            raise ValueError(
                f"{results.name} beside the log must be JSON ({error}): repair or remove it"
            ) from error
        if isinstance(content, dict) and content.get("model_name"):
            return str(content["model_name"])
    return folder.name


def _sample(line: bytes, number: int) -> Sample:
    """Return what is needed of a line."""
    try:
        sample = json.loads(line)
    except ValueError as error:
        raise ValueError(f"line {number} must be a JSON object: {error}") from error
    if not isinstance(sample, dict):
        raise ValueError(f"line {number} must be a JSON object, got {show(sample)}")
    missing = [field for field in _FIELDS if field not in sample]
    if missing:
        raise ValueError(
            f"line {number} must have the fields that lm-eval logs for a sample, and lacks "
            f"{', '.join(missing)}"
        )
    if not isinstance(sample["filtered_resps"], list) or not sample["filtered_resps"]:
        raise ValueError(
            f"line {number}: `filtered_resps` must be a list of responses, got "
            f"{show(sample['filtered_resps'])}"
        )
    sample["where"] = f"line {number} (doc_id {sample['doc_id']})"
    sample["arguments"] = _arguments(sample)
    for field in ("doc", "resps"):
        sample.pop(field, None)  # the largest of all
    return sample


def _arguments(sample: Sample) -> list[Any]:
    """Return the second argument of each request: a choice, or how to generate."""
    requests = sample["arguments"]
    if not isinstance(requests, dict) or not all(isinstance(x, dict) for x in requests.values()):
        raise ValueError(
            f"{sample['where']}: `arguments` must be an object of objects, as in logs of lm-eval "
            f"0.4.13, got {show(requests)}"
        )
    return [request.get("arg_1") for request in requests.values()]


def _ids(samples: Sequence[Sample], name: str) -> tuple[str, ...]:
    """Return the identifiers, which must be distinct."""
    seen: dict[str, str] = {}
    for sample in samples:
        identifier = str(sample["doc_id"])
        if identifier in seen:
            raise ValueError(
                f"each `doc_id` must occur once for filter {name!r}, got {sample['where']} after "
                f"{seen[identifier]}: the file may hold two runs"
            )
        seen[identifier] = sample["where"]
    return tuple(seen)


def _scored(
    samples: Sequence[Sample], name: str
) -> tuple[str, Sequence[Label], Sequence[Label | None], tuple[Label, ...] | None]:
    """Return how answers are found, references, predictions and choices."""
    kinds = {_kind(sample): sample["where"] for sample in samples}
    if len(kinds) > 1:
        raise ValueError(f"all samples must be of the same kind, got {show(kinds)}")
    found = [_logged_pair(sample) for sample in samples]
    pairs = [pair for pair in found if pair is not None]
    if pairs and None in found:
        raise ValueError(
            f"all samples must have the same metrics, and {samples[found.index(None)]['where']} "
            "lacks the pair of gold and predicted class that others have"
        )
    if "choices" in kinds:
        return _of_choices(samples, pairs)
    return _of_texts(samples, pairs, name)


def _kind(sample: Sample) -> str:
    second = sample["arguments"]
    if second and all(isinstance(x, dict) for x in second):
        return "texts"
    if len(second) > 1 and all(isinstance(x, str) for x in second):
        return "choices"
    raise ValueError(
        f"{sample['where']} must have scored choices or generated text, got log-likelihoods of "
        "given text: this task has no classes"
    )


def _of_choices(
    samples: Sequence[Sample], pairs: Sequence[list[Any]]
) -> tuple[str, Sequence[Label], Sequence[Label], tuple[Label, ...]]:
    texts, predictions = [], []
    for sample in samples:
        likelihoods, choices = _likelihoods(sample)
        texts.append(choices)
        predictions.append(likelihoods.index(max(likelihoods)))
    for sample, prediction, (_, logged) in zip(samples, predictions, pairs, strict=False):
        if logged != prediction:
            raise ValueError(
                f"{sample['where']}: the likeliest choice is {prediction}, but a metric in the "
                f"log has {show(logged)}"
            )
    golds = _golds(samples, texts, predictions, pairs)
    how = "the likeliest choice, whatever its length"
    if all(choices == texts[0] for choices in texts) and len(set(texts[0])) == len(texts[0]):
        labels = texts[0]
        return how, [labels[i] for i in golds], [labels[i] for i in predictions], tuple(labels)
    return how, golds, predictions, tuple(range(max(map(len, texts))))


def _likelihoods(sample: Sample) -> tuple[list[float], list[str]]:
    """Return the log-likelihood and the text of each choice."""
    responses, texts = sample["filtered_resps"], sample["arguments"]
    try:
        likelihoods = [float(likelihood) for likelihood, _ in responses]
    except (TypeError, ValueError):
        likelihoods = []
    if len(likelihoods) != len(texts) or any(map(math.isnan, likelihoods)):
        raise ValueError(
            f"{sample['where']}: `filtered_resps` must hold a log-likelihood and whether it is "
            f"greedy for each of {len(texts)} choices, got {show(responses)}"
        )
    # the harness asks again without a prompt for this metric
    n_choices = len(texts) // 2 if "acc_mutual_info" in sample else len(texts)
    return likelihoods[:n_choices], [text.strip() for text in texts[:n_choices]]


def _logged_pair(sample: Sample) -> list[Any] | None:
    """Return gold and predicted class, if a metric logged both."""
    found = {
        metric: sample[metric]
        for metric in _METRICS_OF_PAIRS
        if isinstance(sample.get(metric), list) and len(sample[metric]) == 2
    }
    pairs: list[list[Any]] = list(found.values())
    if any(isinstance(gold, list) for gold, _ in pairs):
        raise _several(sample, pairs[0][0])
    if any(pair != pairs[0] for pair in pairs):
        raise ValueError(f"{sample['where']}: metrics in the log disagree, {show(found)}")
    return pairs[0] if pairs else None


def _several(sample: Sample, golds: Any) -> ValueError:
    return ValueError(
        f"{sample['where']} must have one right answer for a score of classes, got {show(golds)}"
    )


def _golds(
    samples: Sequence[Sample],
    texts: Sequence[list[str]],
    predictions: Sequence[int],
    pairs: Sequence[list[Any]],
) -> list[int]:
    """Return the position of each right choice.

    A target "2" may be a position or the text of a choice: metrics in the log tell which.
    """
    if pairs:
        readings = [[gold for gold, _ in pairs]]
    else:
        by_text = [
            choices.index(target) if (target := str(sample["target"]).strip()) in choices else None
            for sample, choices in zip(samples, texts, strict=True)
        ]
        by_position = [
            int(sample["target"]) if re.fullmatch("[0-9]+", str(sample["target"])) else None
            for sample in samples
        ]
        readings = [by_text] if by_text == by_position else [by_text, by_position]
    faults = [
        next(filter(None, map(_fault, samples, texts, predictions, reading)), None)
        for reading in readings
    ]
    sound = [reading for reading, fault in zip(readings, faults, strict=True) if fault is None]
    if not sound:
        likelier = min(range(len(readings)), key=lambda i: readings[i].count(None))
        raise ValueError(faults[likelier])
    if len(sound) > 1:
        raise ValueError(
            "`target` must be the text of a choice or its position, and here it may be either: log "
            "informedness or mcc, which record the position"
        )
    return [int(gold) for gold in sound[0]]


def _fault(sample: Sample, choices: list[str], prediction: int, gold: Any) -> str | None:
    """Return why this cannot be the right choice."""
    target = str(sample["target"])
    if type(gold) is not int or not 0 <= gold < len(choices):
        if target.startswith("[") and target.endswith("]"):
            return str(_several(sample, target))
        return (
            f"{sample['where']}: `target` must be the text of a choice or its position, got "
            f"{show(target)} for choices {show(choices)}"
        )
    accuracy = sample.get("acc")
    if accuracy in (0, 1) and bool(accuracy) != (prediction == gold):
        return (
            f"{sample['where']}: the likeliest choice is {prediction} and the right one {gold}, "
            f"but `acc` in the log is {accuracy}"
        )
    return None


def _of_texts(
    samples: Sequence[Sample], pairs: Sequence[list[Any]], name: str
) -> tuple[str, Sequence[Label], Sequence[Label | None], None]:
    if pairs:
        for sample, (gold, predicted) in zip(samples, pairs, strict=True):
            kinds = {type(pairs[0][0]), type(gold), type(predicted)}
            if kinds not in ({str}, {int}):
                raise ValueError(
                    f"{sample['where']}: its metrics must log texts, or positions, got "
                    f"{show([gold, predicted])}"
                )
        texts = [sample["filtered_resps"][0] for sample in samples]
        predicted_of_metrics = [predicted for _, predicted in pairs]
        how = f"the text after filter {name!r}"
        if predicted_of_metrics != texts:
            how = f"what the metrics took from {how}"
        return how, [gold for gold, _ in pairs], predicted_of_metrics, None
    references, predictions = [], []
    for sample in samples:
        gold, answer = str(sample["target"]), sample["filtered_resps"][0]
        if gold.startswith("[") and gold.endswith("]"):
            raise _several(sample, gold)
        if not isinstance(answer, str) or len(sample["filtered_resps"]) > 1:
            raise ValueError(
                f"{sample['where']} must have one answer, got {show(sample['filtered_resps'])}: "
                f"end filter {name!r} with take_first"
            )
        match = sample.get("exact_match")
        if match in (0, 1) and bool(match) != (answer == gold):
            raise ValueError(
                f"{sample['where']}: the answer {show(answer)} and the target {show(gold)} are "
                f"{'equal' if answer == gold else 'different'}, but `exact_match` in the log is "
                f"{match}: add a filter to the task that leaves only the class"
            )
        references.append(gold)
        predictions.append(answer)
    return f"the text after filter {name!r}", references, predictions, None
