"""Read the samples that EleutherAI's lm-evaluation-harness logs with --log_samples.

Each line holds the result of one filter for one document: the requests (`arguments`), the filtered
responses (`filtered_resps`), the target as text, and the value of each metric.
"""

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.labels import show
from ..files.opening import open_whole
from .answers import Answers, Origin, json_object, part_of, read_results, settings_of
from .verdicts import Sample, SkippedSamples, add_verdicts, likeliest_choice, only_target

_DATE = r"\d{4}-\d\d-\d\dT[\d.-]+"
_FILE = re.compile(rf"samples_(.+?)(?:_({_DATE}))?\.jsonl(\.(gz|bz2|zst))?", re.I)
RESULTS = re.compile(rf"results_{_DATE}\.json")
# Metrics that say which answers are right, in order of preference. A metric of choices also defines
# the likeliest choice.
CHOICE_METRICS = "acc", "acc_norm", "acc_bytes", "acc_mutual_info"
TEXT_METRICS = "exact_match", "acc", "em"

# Fields of a line that are not metrics, and metrics that do not say which answers are right
_NO_METRICS = {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter"}
_NO_METRICS |= {"metrics", "doc_hash", "prompt_hash", "target_hash"}
_NO_METRICS |= {"informedness", "informedness_stderr", "nit", "nit_stderr"}
_SETTINGS = "config.model_args task.dataset_path task.dataset_name chat_template "
_SETTINGS += "system_instruction generation"
_TOO_OLD = "lm-eval before {0} wrote this log, {1}: run the task with {0} or newer"
# Matches a list as Python prints it. Parsing other text as code could raise warnings or overflow.
_LIST = re.compile(
    r"""\s*\[(?:[][\s,:(){}]|None|True|False|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])"""
    r"""|'(?:[^'\\\n]|\\[\\'"nrtxuU])*'|"(?:[^"\\\n]|\\[\\'"nrtxuU])*")*\]\s*"""
)

_Line = dict[str, Any]  # the needed fields of a line of a log


def is_log(path: Path) -> bool:
    """Check whether a file has the name of a log of samples, or of a file of results.

    A log without a date in its name must also have "doc_id" near its start.
    """
    samples = _FILE.fullmatch(path.name)
    if samples is None or samples[2] or not path.is_file():
        return path.is_file() and bool(samples or RESULTS.fullmatch(path.name))
    with suppress(ValueError, OSError), open_whole(str(path)) as stream:
        return b'"doc_id"' in stream.read(4096)
    return False


def read_log(path: Path, verdict: str | None = None) -> Iterator[Answers]:
    """Yield the answers of each filter in a log.

    `verdict` names a metric with values 0 and 1; by default it is an accuracy or an exact match.

    Raises
    ------
    ValueError
        If the file is damaged, has only results, or comes from a version of lm-eval that is too
        old. If a sample has neither scored choices nor one generated text, or samples are of both
        kinds. If the target of scored choices is not one of them or contradicts the verdicts, or
        the log does not say which one it is. If more than one in five samples have several right
        answers, or a sample has none. If `verdict` is not a metric with values 0 and 1 in the log.
    ImportError
        If the file is compressed with bz2 or zstd, and pyarrow is missing.
    """
    if RESULTS.fullmatch(path.name):
        raise ValueError("results hold no samples: use --log_samples (lighteval: --save-details)")
    match = _FILE.fullmatch(path.name)
    task, date = match.groups("")[:2] if match else (path.stem, "")
    results = read_results(path.absolute().with_name(f"results_{date}.json"))
    config = results.get("configs", {}).get(task, {})
    model = str(results.get("model_name") or path.absolute().parent.name)
    values = part_of(results, "results", task) or {}
    for name, all_lines in _read_lines(path, config, values).items():
        recorded = {x.partition(",")[0]: y for x, y in values.items() if x.endswith(f",{name}")}
        n_recorded = part_of(results, "n-samples", task, "effective")
        lines = [line for line in all_lines if "pair" in line]
        is_choice = "texts" in lines[0]
        if odd := [line["name"] for line in lines if ("texts" in line) != is_choice]:
            raise ValueError(f"{odd[0]}: either all samples or none must have scored choices")
        known = CHOICE_METRICS if is_choice else TEXT_METRICS
        metric = add_verdicts(all_lines, known, verdict, recorded, n_recorded)
        how = _complete_pairs(lines, metric.name, name)
        log = {**results, "task": config, "generation": lines[0]["generation"]}
        settings = settings_of(all_lines, log, _SETTINGS, shots=part_of(log, "n-shot", task))
        variant = "" if name == "none" else name
        origin = Origin("lm-eval", task, model, variant, None, date, settings)
        left_out = Counter({"several right answers": len(all_lines) - len(lines)})
        fields: dict[str, Any] = {"origin": origin, "how": how, "metric": metric}
        yield Answers.from_samples([*map(_sample, lines)], **fields, left_out=left_out)


def _sample(line: _Line) -> Sample:
    """Convert a line with a complete pair to a sample."""
    # A completion is not needed, because lm-eval logs an answer for every filter.
    fields = line["id"], *line["pair"], line["verdict"], line["prompt"], None, line["document"]
    return Sample(*fields)._replace(choices=tuple(map(str, line.get("choices", ()))))


def _read_lines(path: Path, config: Any, values: Any) -> dict[str, list[_Line]]:
    """Read the needed fields of each line, and group the lines by filter.

    Lines with several right answers do not have the key "pair", and are not scored. If lines do not
    name their filter, as in older logs, it is the only filter in the results, or "none" if the
    results do not have exactly one.

    Parameters
    ----------
    path : Path
        The log.
    config : dict
        Configuration of the task in the results.
    values : dict
        Results of the task by metric and filter, with keys such as "acc,none".
    """
    filters = {name.partition(",")[2] for name in values if "," in name}
    default = filters.pop() if len(filters) == 1 else "none"
    lines: dict[str, list[_Line]] = {}
    skipped = SkippedSamples()
    logged: dict[str, Any] = {}
    with open_whole(str(path)) as stream:
        for number, text in enumerate(stream, start=1):
            if number == 1 and text.strip() == b"[":
                raise ValueError(_TOO_OLD.format("0.4.3", "an array of samples"))
            with skipped.skip(f"line {number}"):
                logged = json_object(text)
                line: _Line = {"name": f"line {number}", "id": str(logged["doc_id"])}
                line |= {"prompt": str(logged["prompt_hash"]), "document": str(logged["doc_hash"])}
                line |= {"target": logged["target"], "answers": logged["filtered_resps"]}
                line["metrics"] = {x: y for x, y in logged.items() if x not in _NO_METRICS}
                lines.setdefault(str(logged.get("filter", default)), []).append(line)
                line |= _read_line(line, logged, config)
    ids = [x["id"] for filter_lines in lines.values() for x in filter_lines]
    skipped.check(len(ids))
    if "filter" not in logged and len({*ids}) < len(ids):
        raise ValueError(_TOO_OLD.format("0.4.7", "without the filter of each answer"))
    return lines


# Target and answer of a line


def _read_line(line: _Line, logged: dict[str, Any], config: dict[str, Any]) -> _Line:
    """Read the target and the answer of a line.

    `line` has the fields that were read before, and `logged` all fields. Unless the metrics of
    `informedness.lm_eval` logged the target, replace "target" of `line` by the only target.

    Returns
    -------
    dict
        "pair" holds the target and the answer; it is empty if finding them needs all lines.
        "generation" holds the options for generating text, and None for scored choices. "names"
        holds the choices that the metrics of `informedness.lm_eval` logged, or else those in the
        task's configuration; it is empty if there are none. Scored choices add the keys of
        `_scored_choices`.
    """
    arguments, is_choice = _read_arguments(logged)
    delimiter = config.get("target_delimiter", " ")
    texts = [text.removeprefix(delimiter) for text in arguments if is_choice]
    # The metrics of informedness.lm_eval log the target and the answer, perhaps with a verdict and
    # the choices.
    value = logged.get("informedness", logged.get("nit"))
    value = value if isinstance(value, list) else []
    pair = [value[0], value[1]] if value else []
    if not pair:
        line["target"] = _read_target(line["target"], texts)
    names = value[3] if value[3:] else config.get("doc_to_choice")
    if isinstance(names, str):  # a field of the document, such as "{{choices}}"
        names = logged["doc"].get(names.strip("{ }"))
    fields = {"generation": None, "pair": pair, "names": names if isinstance(names, list) else []}
    if is_choice:
        return fields | _scored_choices(line, texts)
    return fields | {"generation": arguments[0], "pair": pair or _target_and_text(line)}


def _read_arguments(logged: dict[str, Any]) -> tuple[list[Any], bool]:
    """Read the second argument of each request, and whether these arguments are choices.

    Arguments that are not choices are options for generating text.
    """
    arguments = [request.get("arg_1") for request in logged["arguments"].values()]
    is_choice = len(arguments) > 1 and all(isinstance(x, str) for x in arguments)
    if not is_choice and not all(isinstance(x, dict) for x in arguments):
        raise ValueError("a task needs scored choices or generated text to have classes")
    return arguments, is_choice


def _read_target(target: Any, texts: list[str]) -> str:
    """Read the only target of a line, which may be the text of a list of targets.

    Text that is among the choices `texts` is not a list.
    """
    targets = None
    if _LIST.fullmatch(str(target)) and str(target).strip() not in map(str.strip, texts):
        with suppress(SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
            targets = ast.literal_eval(str(target).strip())
    return str(only_target(targets) if isinstance(targets, list) else target)


def _scored_choices(line: _Line, texts: list[str]) -> _Line:
    """Read the choices, with and without surrounding whitespace, and their log-probabilities."""
    logprobs = [float(logprob) for logprob, _ in line["answers"]]
    if len(logprobs) != len(texts) or any(map(math.isnan, logprobs)):
        rule = "`filtered_resps` must hold a number for each choice"
        raise ValueError(f"{rule}, got {show(line['answers'])}")
    # For acc_mutual_info the harness scores each choice again without the prompt.
    is_twice = line["metrics"].get("acc_mutual_info") is not None
    texts = texts[: len(texts) // 2] if is_twice else texts
    return {"logprobs": logprobs, "texts": texts, "choices": [text.strip() for text in texts]}


def _target_and_text(line: _Line) -> list[str]:
    """Pair the target of a line with its only answer, which must be text."""
    answers = line["answers"]
    if len(answers) != 1 or not isinstance(answers[0], str):
        raise ValueError(f"the filter must return one text, got {show(answers)}: add take_first")
    return [str(line["target"]), *answers]


def _complete_pairs(lines: Sequence[_Line], metric: str, name: str) -> str:
    """Complete the pair of each line of a filter, and describe what was read as the answer.

    Targets of generated texts become positions if each is a position among the names of choices.
    """
    if "texts" not in lines[0]:
        pairs = [(line, _position(line["pair"][0])) for line in lines]
        if all(position in range(len(line["names"])) for line, position in pairs):
            for line, position in pairs:
                line |= {"pair": [position, line["pair"][1]], "choices": line["names"]}
        return f"the text after filter {name!r}"
    metric = metric or "acc"
    for line in lines:
        likeliest = likeliest_choice(metric, line["logprobs"], line["texts"])
        line["likeliest"] = line["pair"][1] if line["pair"] else likeliest
    for line, reference in zip(lines, _references(lines, metric), strict=True):
        line["pair"] = [reference, line["likeliest"]]
    return f"the likeliest choice, as for {metric}"


def _references(lines: Sequence[_Line], metric: str) -> Sequence[Any]:
    """Find the position of the right choice in each line.

    A target "2" can be a position or the text of a choice. The verdicts decide which it is; raise
    ValueError if they allow both, with different results, or neither.
    """
    consistent, contradictions = [], []
    for references in zip(*(_possible_references(line, metric) for line in lines), strict=True):
        pairs = zip(lines, references, strict=True)
        contradictions.append([line for line, x in pairs if _is_contradicted(x, line)])
        if not contradictions[-1]:
            consistent.append(references)
    if consistent[1:] and consistent[0] != consistent[1]:
        raise ValueError("`target` may mean a text or a position: add informedness to metric_list")
    if not consistent:
        x = min(contradictions, key=len)[0]
        fields = show({name: x[name] for name in ("target", "choices", "likeliest", "verdict")})
        raise ValueError(f"{x['name']}: `target` must match a choice and the verdict, got {fields}")
    return consistent[0]


def _possible_references(line: _Line, metric: str) -> list[Any]:
    """Read the target as the text of a choice, and as a position; return both positions.

    A position is None if the target cannot be read in this way. Both positions are equal if the
    metrics of `informedness.lm_eval` logged the position. They are also equal if the choices are in
    the prompts, and all texts are the same. The verdict then shows which of two choices is right;
    raise ValueError if it cannot.
    """
    if line["pair"]:
        return [line["pair"][0]] * 2
    target, choices, likeliest = str(line["target"]).strip(), line["choices"], line["likeliest"]
    if len({*choices}) > 1:
        return [choices.index(target) if target in choices else None, _position(line["target"])]
    if len(choices) > 2 or line["verdict"] is None or metric in ("acc_norm", "acc_bytes"):
        raise ValueError("the log does not mark the right prompt: add informedness to metric_list")
    return [int(likeliest if line["verdict"] else 1 - likeliest)] * 2


def _is_contradicted(reference: Any, line: _Line) -> bool:
    """Check whether a reference is not the position of a choice, or contradicts the verdict."""
    is_wrong = line["likeliest"] != reference
    return reference not in range(len(line["choices"])) or line["verdict"] == is_wrong


def _position(target: Any) -> int | None:
    """Convert a target to a position; None unless it consists of digits."""
    return int(target) if re.fullmatch("[0-9]+", str(target)) else None
