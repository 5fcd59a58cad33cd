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
from ..inputs.columns import naming
from ..inputs.open import open_whole
from .answers import Answers, json_object, not_one, of_positions
from .verdicts import likeliest, verdict_metric, verdict_of

NAME = "lm-eval"

_FILE = re.compile(r"(.+)\.jsonl(\.(gz|bz2|zst))?", re.I)
_SAMPLES = re.compile(r"samples_(.+?)(?:_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?))?")
_FIELDS = ("doc_id", "target", "arguments", "filtered_resps", "filter", "prompt_hash")
_METRICS_OF_PAIRS = ("informedness", "nit", "mcc", "f1")  # which log [gold, predicted]
OF_CHOICES = ("acc", "acc_norm", "acc_bytes", "acc_mutual_info")  # what the likeliest choice is of
OF_TEXTS = ("exact_match", "acc", "em")

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
                sample = _sample(line, config)
            sample["where"] = f"line {number}"
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
    try:
        return json_object(path.absolute().with_name(f"results_{date}.json").read_bytes())
    except (OSError, ValueError):
        return {}  # a name is not worth an error


def _sample(line: bytes, config: dict[str, Any]) -> Sample:
    """Return what is needed of a line; the task's configuration names fields of its document."""
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
    arguments = [x.get("arg_1") for x in requests.values()]
    between = " " if config.get("target_delimiter") is None else config["target_delimiter"]
    sample["arguments"] = [x.removeprefix(between) if isinstance(x, str) else x for x in arguments]
    # the largest of all
    doc = sample.pop("doc", None) or {}
    sample.pop("resps", None)
    for name in ("doc_to_choice", "doc_to_text"):
        of_task = config.get(name)
        sample[name] = doc.get(of_task.strip("{ }")) if isinstance(of_task, str) else of_task
    if isinstance(sample["doc_to_choice"], dict):
        sample["doc_to_choice"] = [*sample["doc_to_choice"].values()]
    sample["kind"], sample["pair"] = _kind(sample["arguments"]), _logged_pair(sample)
    return sample


def _scored(samples: Sequence[Sample], name: str) -> dict[str, Any]:
    """Return references, predictions, verdicts, choices, and how answers are found."""
    kinds: dict[str, str] = {}
    for sample in samples:
        has_pairs = "no" if sample["pair"] is None else "with"
        kinds.setdefault(f"{sample['kind']}, {has_pairs} metrics of pairs", sample["where"])
    if len(kinds) > 1:
        raise ValueError(f"all samples must be of the same kind, got {show(kinds)}")
    if samples[0]["pair"] is not None and _fit(samples, 1) > _fit(samples, 0):
        for sample in samples:
            sample["pair"].reverse()
    is_choice = samples[0]["kind"] == "choices"
    metric = verdict_metric(samples, OF_CHOICES if is_choice else OF_TEXTS)
    for sample in samples:
        with naming(sample["where"]):
            sample["verdict"] = None if metric is None else verdict_of(sample[metric])
            if is_choice:
                sample["choices"], sample["likeliest"] = _likeliest(sample, metric or "acc")
            elif sample["pair"] is None:
                sample["pair"] = _target_and_text(sample, name)
    found = _of_choices(samples, metric or "acc") if is_choice else _of_texts(samples, name)
    return {**found, "verdicts": tuple(sample["verdict"] for sample in samples)}


def _kind(arguments: Sequence[Any]) -> str:
    if arguments and all(isinstance(x, dict) for x in arguments):
        return "texts"
    if len(arguments) > 1 and all(isinstance(x, str) for x in arguments):
        return "choices"
    raise ValueError("must have scored choices or generated text: this task has no classes")


def _logged_pair(sample: Sample) -> list[Any] | None:
    """Return gold and predicted class, if a metric logged both."""
    logged = {metric: sample.get(metric) for metric in _METRICS_OF_PAIRS}
    found = {name: x for name, x in logged.items() if isinstance(x, list) and len(x) > 1}
    pairs: list[list[Any]] = [x[:2] for x in found.values()]
    for with_choices in (x for x in found.values() if len(x) == 4):
        sample["doc_to_choice"] = with_choices[3]
    if any(isinstance(gold, list) for gold, _ in pairs):
        raise not_one(pairs[0][0])
    if any(pair not in (pairs[0], pairs[0][::-1]) for pair in pairs):
        raise ValueError(f"metrics in the log disagree, {show(found)}")
    return pairs[0] if pairs else None


def _fit(samples: Sequence[Sample], side: int) -> int:
    """Return how far one side of the pairs is the target: it is (2), another word for it (1).

    A task with its own `process_results` may log the answer before the gold.
    """
    targets = [str(sample["target"]) for sample in samples]
    found = [str(sample["pair"][side]) for sample in samples]
    if found == targets:
        return 2
    n_pairs = len(set(zip(targets, found, strict=True)))
    return int(n_pairs == len(set(targets)) == len(set(found)) > 1)


def _of_choices(samples: Sequence[Sample], metric: str) -> dict[str, Any]:
    found = of_positions(_golds(samples), [sample["choices"] for sample in samples])
    said = tuple(found["choices"][sample["likeliest"]] for sample in samples)
    return {**found, "predictions": said, "how": f"the likeliest choice, as for {metric}"}


def _likeliest(sample: Sample, metric: str) -> tuple[list[str], int]:
    """Return the texts of the choices, and the position of the likeliest."""
    responses, texts = sample["filtered_resps"], sample["arguments"]
    try:
        likelihoods = [float(likelihood) for likelihood, _ in responses]
    except (TypeError, ValueError):
        likelihoods = []
    if len(likelihoods) != len(texts) or any(map(math.isnan, likelihoods)):
        said = f"a pair for each of {len(texts)} choices, the first a log-likelihood"
        raise ValueError(f"`filtered_resps` must hold {said}, got {show(responses)}")
    # the harness asks again without a prompt for this metric
    choices = texts[: len(texts) // 2] if "acc_mutual_info" in sample else texts
    measured = choices
    if len(set(choices)) == 1 and metric in ("acc_norm", "acc_bytes"):
        measured = sample["doc_to_choice"]
        if not isinstance(measured, list) or len(measured) != len(choices):
            said = f"the choices are in the prompts, and {metric} divides by their lengths"
            raise ValueError(f"{said}: list `acc`, or name their field as doc_to_choice")
    return [text.strip() for text in choices], likeliest(metric, likelihoods, measured)


def _golds(samples: Sequence[Sample]) -> Sequence[Any]:
    """Return the position of each right choice.

    A target "2" may be a position or the text of a choice: metrics in the log tell which.
    """
    if samples[0]["pair"] is not None:
        readings = [[sample["pair"][0] for sample in samples]]
    elif all(len(set(sample["choices"])) == 1 for sample in samples):
        readings = [[_position_in_prompts(sample) for sample in samples]]
    else:
        readings = [[_position_of_text(sample) for sample in samples]]
        readings.append([_position(sample["target"]) for sample in samples])
    bad: dict[tuple[Any, ...], list[Sample]] = {}
    for reading in map(tuple, readings):
        pairs = zip(samples, reading, strict=True)
        bad[reading] = [sample for sample, gold in pairs if not _fits(sample, gold)]
    fitting = [reading for reading, of_reading in bad.items() if not of_reading]
    if len(fitting) > 1:
        said = "`target` must be the text of a choice or its position, and here it may be either"
        raise ValueError(f"{said}: log informedness or mcc, which record the position")
    if not fitting:
        first = min(bad.values(), key=len)[0]
        raise ValueError(
            f"{first['where']}: `target` must be the text of one choice or its position, as its "
            f"accuracy says, got {show(first['target'])} for choices {show(first['choices'])}, of "
            f"which {first['likeliest']} is the likeliest, with accuracy {first['verdict']}"
        )
    return fitting[0]


def _fits(sample: Sample, gold: Any) -> bool:
    """Return whether this can be the position of the right choice."""
    is_position = type(gold) is int and 0 <= gold < len(sample["choices"])
    return is_position and sample["verdict"] != (sample["likeliest"] != gold)


def _position_in_prompts(sample: Sample) -> int:
    """Return the right one of several prompts, which hold the choices."""
    gold, n = _position(sample["doc_to_text"]), len(sample["choices"])
    answer: int = sample["likeliest"]
    if gold is not None:
        return gold
    if sample["verdict"] == 1:
        return answer
    if sample["verdict"] == 0 and n == 2:
        return 1 - answer
    said = f"{sample['where']}: the log must say which of {n} prompts is right"
    raise ValueError(f"{said}: a field as doc_to_text does, or `mcc` in the metric_list")


def _position_of_text(sample: Sample) -> int | None:
    target, choices = str(sample["target"]).strip(), sample["choices"]
    return choices.index(target) if target in choices else None


def _position(target: Any) -> int | None:
    return int(target) if re.fullmatch("[0-9]+", str(target)) else None


def _is_list(target: str) -> bool:
    return target.startswith("[") and target.endswith("]")


def _of_texts(samples: Sequence[Sample], name: str) -> dict[str, Any]:
    kinds: set[type] = set()
    for sample in samples:
        kinds.update(map(type, sample["pair"]))
        if kinds not in ({str}, {int}) and not sample["doc_to_choice"]:
            logged = f"got {show(sample['pair'])}"
            raise ValueError(f"{sample['where']}: metrics must log texts, or positions, {logged}")
    golds, answers = zip(*(sample["pair"] for sample in samples), strict=True)
    how = f"the text after filter {name!r}"
    if any(sample["filtered_resps"][0] != sample["pair"][1] for sample in samples):
        how = f"what the metrics took from {how}"
    found = {"references": golds, "predictions": answers, "how": how}
    texts, positions = [sample["doc_to_choice"] for sample in samples], [*map(_position, golds)]
    for gold, listed in zip(positions, texts, strict=True):
        if not isinstance(listed, list) or gold is None or gold >= len(listed):
            return found
    return found | of_positions(positions, texts)


def _target_and_text(sample: Sample, name: str) -> list[str]:
    """Return the target and the answer as they stand in the log."""
    gold, (answer, *more) = str(sample["target"]), sample["filtered_resps"]
    if _is_list(gold):
        raise not_one(gold)
    if not isinstance(answer, str) or more:
        found = show([answer, *more])
        raise ValueError(f"must have one answer, got {found}: end filter {name!r} with take_first")
    return [gold, answer]
