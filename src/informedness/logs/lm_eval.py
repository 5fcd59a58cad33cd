"""Answers in the samples that EleutherAI's lm-evaluation-harness logs with --log_samples.

Each line is one document after one filter: what was asked (`arguments`), what the filter made of
the responses (`filtered_resps`), the target as text, and the value of each metric.
"""

import ast
import gzip
import json
import math
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.labels import show
from ..files.opening import open_whole
from .answers import DAMAGES, Answers, LeftOut, json_object, not_one, part_of, results_in
from .runs import settings_of
from .verdicts import Totals, likeliest, verdict_metric

_DATE = r"\d{4}-\d\d-\d\dT[\d.-]+"
_FILE = re.compile(rf"samples_(?P<task>.+?)(_(?P<date>{_DATE}))?\.jsonl(\.(gz|bz2|zst))?", re.I)
RESULTS = re.compile(r"results_.+\.json")
OF_CHOICES = ("acc", "acc_norm", "acc_bytes", "acc_mutual_info")  # what the likeliest choice is of
OF_TEXTS = ("exact_match", "acc", "em")

_NAMES = ("doc_id", "target", "filtered_resps", "filter", "prompt_hash", "doc_hash")
# what else is no metric
_OTHERS = {"doc", "arguments", "resps", "metrics", "target_hash"}
_OTHERS |= {"informedness", "informedness_stderr", "nit", "nit_stderr"}
_SETTINGS = "config.model_args task.dataset_path task.dataset_name chat_template "
_SETTINGS += "system_instruction generation"
_TOTALS = ("results", "versions")  # are in results
_LARGE = ("doc", "arguments", "resps", "filtered_resps")
_TOO_OLD = "lm-eval before {0} wrote this log, {1}: run the task with {0} or newer"
# a list as Python prints it; parsing any other text as code could warn of it or overflow
_LIST = re.compile(
    r"""\s*\[(?:[][\s,:(){}]|None|True|False|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])"""
    r"""|'(?:[^'\\\n]|\\[\\'"nrtxuU])*'|"(?:[^"\\\n]|\\[\\'"nrtxuU])*")*\]\s*"""
)

Sample = dict[Any, Any]


def is_log(path: Path) -> bool:
    """Return whether a file is named as a log of samples or as results, and may be one."""
    if not path.is_file() or not (_FILE.fullmatch(path.name) or RESULTS.fullmatch(path.name)):
        return False
    if path.suffix == ".json":
        with suppress(ValueError, RecursionError):
            results = json.loads(path.read_bytes())
            return isinstance(results, dict) and {*_TOTALS} <= {*(results or _TOTALS)}
        return False
    opened = gzip.open if path.suffix == ".gz" else open
    with (
        opened(path, "rb") as stream,
        suppress(ValueError, RecursionError, OSError, EOFError, zlib.error),
    ):
        first = json.loads(stream.readline())
        return isinstance(first, dict) and "doc_id" in first
    return True  # compressed in another way, or damaged


def read_log(path: Path, verdict: str | None = None) -> Iterator[Answers]:
    """Yield the answers in a log, after each filter.

    The verdict is a metric of 0 and 1, by default the accuracy or exact match.

    Raises
    ------
    ValueError
        If the file is damaged or holds no samples, if a sample cannot be scored (it has no choices,
        or a target that is none of them), if more than one in five have several right answers, or
        if no metric is the verdict.
    """
    named = _FILE.fullmatch(path.name)
    task, date = named.group("task", "date") if named else (path.stem, None)
    results = results_in(path.absolute().with_name(f"results_{date}.json"))
    config = (results.get("configs") or {}).get(task) or {}
    shares = part_of(results, "results", task) or {}
    n_recorded = part_of(results, "n-samples", task, "effective")

    every, by_filter, n_left_out = _samples(path, config, _only_filter(shares))
    for name, samples in by_filter.items():
        is_choice = "choices" in samples[0]
        metric, metrics = _add_verdicts(samples, is_choice, verdict)
        how, choices = _add_pairs(samples, metric) if is_choice else _position_pairs(samples, name)
        asked = [(x["doc_id"], str(x["prompt_hash"])) for x in every[name]]
        beside = {**results, "task": config, "generation": samples[0]["generation"]}
        yield Answers.of(
            [(str(x["doc_id"]), *x["pair"], x["verdict"], str(x["prompt_hash"])) for x in samples],
            choices,
            harness="lm-eval",
            task=task,
            model=str(results.get("model_name") or path.absolute().parent.name),
            how=how,
            documents=tuple(str(sample["doc_hash"]) for sample in samples),
            variant="" if name == "none" else name,
            verdict=metric,
            metrics=metrics,
            created=date or "",
            n_left_out=n_left_out // len(by_filter),
            settings=settings_of(asked, beside, _SETTINGS, shots=part_of(results, "n-shot", task)),
            counted=Totals.from_verdicts((x["doc_id"], x.get(metric)) for x in every[name]),
            recorded=Totals.from_log(n_recorded, shares.get(f"{metric},{name}")),
        )


def _add_verdicts(
    samples: Sequence[Sample], is_choice: bool, wanted: str | None
) -> tuple[str, dict[str, float]]:
    """Add the verdict of each sample; return its metric, and what each metric counts as right."""
    if odd := [x["where"] for x in samples if ("choices" in x) != is_choice]:
        raise ValueError(f"{odd[0]}: must have choices scored as in the first sample, or none")
    values = [sample["metrics"] for sample in samples]
    known = OF_CHOICES if is_choice else OF_TEXTS
    metric, verdicts, metrics = verdict_metric(values, known, wanted)
    for sample, credit in zip(samples, verdicts, strict=True):
        sample["verdict"] = credit
    return metric, metrics


def _samples(
    path: Path, config: dict[str, Any], default: str
) -> tuple[dict[str, list[Sample]], dict[str, list[Sample]], int]:
    """Return by filter all samples as logged, and those that count; and how many do not.

    Older logs do not name the filter, and have the default.
    """
    every: dict[str, list[Sample]] = {}
    by_filter: dict[str, list[Sample]] = {}
    left_out = LeftOut()
    with open_whole(str(path)) as stream:
        for number, line in enumerate(stream, start=1):
            if number == 1 and line.strip() == b"[":
                raise ValueError(_TOO_OLD.format("0.4.3", "an array of samples"))
            try:
                logged = {"filter": default, **json_object(line)}
                kept = {x: logged[x] for x in logged if x not in _LARGE}
                every.setdefault(str(logged["filter"]), []).append(kept)
                sample = _sample(logged, config) | {"where": f"line {number}"}
                by_filter.setdefault(str(sample["filter"]), []).append(sample)
            except DAMAGES as error:
                left_out.add(f"line {number}", error)
    left_out.check(sum(map(len, by_filter.values())) + len(left_out))
    for samples in every.values():
        if "metrics" not in samples[0] and len({x["doc_id"] for x in samples}) < len(samples):
            raise ValueError(_TOO_OLD.format("0.4.7", "without the filter of each answer"))
    return every, by_filter, len(left_out)


def _only_filter(shares: Mapping[str, Any]) -> str:
    """Return the filter of the results, "none" if there are several or none."""
    filters = {name.partition(",")[2] for name in shares if "," in name}
    return filters.pop() if len(filters) == 1 else "none"


def _sample(logged: Sample, config: dict[str, Any]) -> Sample:
    """Return what is needed of a line; the task's configuration may name the choices."""
    sample: Sample = {name: logged[name] for name in _NAMES}
    sample["metrics"] = {x: logged[x] for x in logged if x not in (*_NAMES, *_OTHERS)}
    arguments, is_choice = _arguments(logged)
    sample["generation"] = None if is_choice else arguments[0]
    delimiter = config.get("target_delimiter", " ")
    texts = [text.removeprefix(delimiter) for text in arguments if is_choice]

    # gold and answer as our metrics log them, perhaps with a verdict and choices
    pair = logged.get("informedness", logged.get("nit"))
    pair = pair if isinstance(pair, list) else []
    if not pair and str(sample["target"]).strip() not in map(str.strip, texts):
        sample["target"] = _gold(sample["target"])
    listed = config.get("doc_to_choice")
    if isinstance(listed, str):
        listed = logged["doc"].get(listed.strip("{ }"))
    sample["doc_to_choice"] = pair[3] if len(pair) == 4 else listed
    sample["pair"] = [pair[0], pair[1]] if pair else []
    if is_choice:
        return sample | _scored_choices(sample, texts)
    return sample | {"pair": sample["pair"] or _target_and_text(sample)}


def _arguments(logged: Sample) -> tuple[list[Any], bool]:
    """Return the second argument of each request: choices, which is told, or how to generate."""
    arguments = [request.get("arg_1") for request in logged["arguments"].values()]
    is_choice = len(arguments) > 1 and all(isinstance(x, str) for x in arguments)
    if not is_choice and not all(isinstance(x, dict) for x in arguments):
        raise ValueError("must have scored choices or generated text: this task has no classes")
    return arguments, is_choice


def _gold(target: Any) -> str:
    """Return the one right answer, which is the text of a list if a task allows several."""
    golds = None
    if _LIST.fullmatch(str(target)):
        with suppress(SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
            golds = ast.literal_eval(str(target).strip())
    if not isinstance(golds, list):
        return str(target)
    if len(golds) != 1:
        raise not_one(golds)
    return str(golds[0])


def _scored_choices(sample: Sample, texts: list[str]) -> Sample:
    """Return the choices as they were scored and without blanks, and their log-likelihoods."""
    responses = sample["filtered_resps"]
    logprobs = [float(logprob) for logprob, _ in responses]
    if len(logprobs) != len(texts) or any(map(math.isnan, logprobs)):
        raise ValueError(f"must hold a number for each choice, got {show(responses)}")
    # the harness asks again without a prompt for this metric
    is_twice = sample["metrics"].get("acc_mutual_info") is not None
    texts = texts[: len(texts) // 2] if is_twice else texts
    return {"logprobs": logprobs, "texts": texts, "choices": [text.strip() for text in texts]}


def _target_and_text(sample: Sample) -> list[str]:
    """Return the target and the answer as they stand in the log."""
    answers = sample["filtered_resps"]
    if len(answers) != 1 or not isinstance(answers[0], str):
        raise ValueError(f"must have one answer, got {show(answers)}: add take_first to the filter")
    return [str(sample["target"]), *answers]


def _add_pairs(samples: Sequence[Sample], metric: str) -> tuple[str, Sequence[Any]]:
    """Add the right and the likeliest choice; return how that is found, and the choices."""
    metric = metric or "acc"
    in_prompts = [x["where"] for x in samples if not x["pair"] and len({*x["texts"]}) == 1]
    if in_prompts and metric in ("acc_norm", "acc_bytes"):
        rule = f"{metric} needs choices, which are in the prompts: list `acc`, too"
        raise ValueError(f"{in_prompts[0]}: {rule}")
    for sample in samples:
        position = likeliest(metric, sample["logprobs"], sample["texts"])
        sample["likeliest"] = sample["pair"][1] if sample["pair"] else position
    for sample, gold in zip(samples, _golds(samples), strict=True):
        sample["pair"] = [gold, sample["likeliest"]]
    return f"the likeliest choice, as for {metric}", [sample["choices"] for sample in samples]


def _position_pairs(samples: Sequence[Sample], name: str) -> tuple[str, Sequence[Any]]:
    """Let golds be positions where all can; return how answers are found, and then the choices."""
    source = f"the text after filter {name!r}"
    if any(sample["filtered_resps"][:1] != sample["pair"][1:] for sample in samples):
        source = f"what the metrics took from {source}"
    golds, _ = zip(*(sample["pair"] for sample in samples), strict=True)
    positions = [*map(_position, golds)]
    choices = [sample["doc_to_choice"] for sample in samples]
    pairs = zip(positions, choices, strict=True)
    if not all(isinstance(texts, list) and gold in range(len(texts)) for gold, texts in pairs):
        return source, ()
    for sample, position in zip(samples, positions, strict=True):
        sample["pair"][0] = position
    return source, choices


def _golds(samples: Sequence[Sample]) -> Sequence[Any]:
    """Return the position of each right choice.

    A target "2" may be a position or the text of a choice: metrics in the log tell which.
    """
    bad: dict[tuple[Any, ...], list[Sample]] = {}
    for reading in map(tuple, _readings_of_golds(samples)):
        pairs = zip(samples, reading, strict=True)
        bad[reading] = [sample for sample, gold in pairs if not _is_gold(gold, sample)]
    fitting = [reading for reading, bad_samples in bad.items() if not bad_samples]
    if len(fitting) > 1:
        raise ValueError("`target` could be a choice or a position: list `informedness`, too")
    if not fitting:
        first = min(bad.values(), key=len)[0]
        fields = {name: first[name] for name in ("target", "choices", "likeliest", "verdict")}
        raise ValueError(f"{first['where']}: must have one choice as target, got {show(fields)}")
    return fitting[0]


def _readings_of_golds(samples: Sequence[Sample]) -> list[list[Any]]:
    """Return which choices may be right: as logged, by the verdict, or by the target."""
    if all(sample["pair"] for sample in samples):
        return [[sample["pair"][0] for sample in samples]]
    if all(len(set(sample["choices"])) == 1 for sample in samples):
        # the choices are in the prompts, and the verdict tells the right one of two
        if any(len(x["choices"]) > 2 or x["verdict"] is None for x in samples):
            raise ValueError("which prompt is right is not logged: list `informedness`, too")
        return [[x["likeliest"] if x["verdict"] else 1 - x["likeliest"] for x in samples]]
    of_texts = [_position_of_text(sample) for sample in samples]
    return [of_texts, [_position(sample["target"]) for sample in samples]]


def _is_gold(position: int | None, sample: Sample) -> bool:
    """Return whether there is a choice at a position, which may be the right one by the verdict."""
    is_choice = position in range(len(sample["choices"]))
    return is_choice and sample["verdict"] != (sample["likeliest"] != position)


def _position_of_text(sample: Sample) -> int | None:
    target, choices = str(sample["target"]).strip(), sample["choices"]
    return choices.index(target) if target in choices else None


def _position(target: Any) -> int | None:
    return int(target) if re.fullmatch("[0-9]+", str(target)) else None
