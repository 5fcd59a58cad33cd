"""The messages of logs, results and commands that inputs/messages.py does not provoke.

A case of LOGS writes the files of a harness, of a few samples each, and reads all of them. Every
case has a folder called `model` for itself, so that no message names a place of the machine. Texts
of other libraries, which differ between versions, are not provoked.
"""

import csv
import io
import json
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import informedness as package
from harnesses.arithmetic import LOGS as KEPT
from informedness import ContingencyTable, compare, estimate, read_log, report
from informedness.logs.runs import RunTable
from informedness.results.comparison import decide, decide_at_least
from informedness.results.estimate import companions_of, warn_of_module
from informedness.results.slices import Slices, cut_into_quantiles
from inputs.answers import inside, with_columns
from inputs.messages import Said, outcome_of, told_by

Files = Mapping[str, Any]
Rows = list[dict[str, Any]]

DATE, LATER = "2026-01-01T00-00-00", "2026-02-02T00-00-00"
SAMPLES, RESULTS = f"samples_quiz_{DATE}.jsonl", f"results_{DATE}.json"
DETAILS = f"details_quiz_{DATE}.parquet"
TEN, HALF = "abbabaabab", "abbabababa"  # of the second 6 of 10 are those of the first


# Files of harnesses


def text_lines(targets: Sequence[str], answers: Sequence[Any], **more: Any) -> Rows:
    """Return lines of lm-eval whose answers are generated text."""
    return [
        {"doc_id": i, "target": target, "filtered_resps": [answer], "filter": "none"}
        | {"prompt_hash": f"p{i}", "doc_hash": f"d{i}", "arguments": {"x": {"arg_1": {}}}}
        | {"exact_match": float(target == answer)}
        | more
        for i, (target, answer) in enumerate(zip(targets, answers, strict=True))
    ]


def choice_lines(targets: Sequence[str], answers: Sequence[str], **more: Any) -> Rows:
    """Return lines of lm-eval whose choices are "a" and "b"."""
    scores = {
        "a": [["-0.5", "True"], ["-1.5", "False"]],
        "b": [["-1.5", "False"], ["-0.5", "True"]],
    }
    requests = {"x": {"arg_1": " a"}, "y": {"arg_1": " b"}}
    lines = renamed(text_lines(targets, answers), "exact_match", "acc")
    return [
        {**line, "arguments": requests, "filtered_resps": scores[answer], **more}
        for line, answer in zip(lines, answers, strict=True)
    ]


def renamed(rows: Rows, name: str, other: str) -> Rows:
    """Return rows in which a field has another name."""
    return [{other if x == name else x: value for x, value in row.items()} for row in rows]


def at_first(rows: Rows, **changes: Any) -> Rows:
    """Return rows, of which the first is changed; a change of None deletes a field."""
    first = {name: value for name, value in (rows[0] | changes).items() if value is not None}
    return [first, *rows[1:]]


def inspect_log(
    targets: Sequence[Any], answers: Sequence[Any], task: str = "quiz", **more: Any
) -> dict[str, Any]:
    """Return a log of Inspect whose only scorer is `match`."""
    samples = [
        {"id": f"q{i}", "epoch": 1, "input": f"Question {i}?", "target": target}
        | {"scores": {"match": {"value": "CI"[target != answer], "answer": answer}}}
        for i, (target, answer) in enumerate(zip(targets, answers, strict=True))
    ]
    head = {"task": task, "model": "m", "created": f"{DATE[:10]}T00:00:00"}
    log = {"version": 2, "status": "success", "eval": head, "samples": samples}
    return log | more


def in_epochs(log: dict[str, Any], n_epochs: int = 2) -> dict[str, Any]:
    """Return a log whose samples are asked again in other epochs."""
    samples = [{**x, "epoch": i + 1} for i in range(n_epochs) for x in log["samples"]]
    return log | {"samples": samples}


def by_two_scorers(log: dict[str, Any]) -> dict[str, Any]:
    """Return a log in which another scorer gives the same scores."""
    samples = [
        {**x, "scores": {**x["scores"], "other": x["scores"]["match"]}} for x in log["samples"]
    ]
    return log | {"samples": samples}


def recorded(log: dict[str, Any], accuracy: float, n: int | None = None) -> dict[str, Any]:
    """Return a log in which Inspect has recorded an accuracy, and a number of samples."""
    score = {"name": "match", "scorer": "match", "scored_samples": n}
    score["metrics"] = {"accuracy": {"value": accuracy}}
    return log | {"results": {"scores": [score]}}


def detail_rows(golds: Sequence[Any], answers: str, **more: Any) -> Rows:
    """Return rows of lighteval whose answers are text, or the likeliest choice for capitals."""
    rows = []
    for i, (gold, answer) in enumerate(zip(golds, answers, strict=True)):
        is_text, position = answer.islower(), "ab".index(answer.lower())
        doc = {"id": str(i), "query": f"Question {i}?", "choices": ["a", "b"], "gold_index": gold}
        doc |= {"task_name": "quiz", "specific": None}
        response = {"text": [answer] if is_text else [], "logprobs": [-1.0, -1.0]}
        response["logprobs"][position] = -0.5
        verdict = float(gold == position)
        metric = {"em": verdict if is_text else None, "acc": None if is_text else verdict}
        rows.append({"doc": doc, "metric": metric, "model_response": response})
    for name, value in more.items():
        field, _, key = name.partition("__")
        for row in rows[-1:]:
            row[field] = {**row[field], key: value} if key else value
    return rows


def write(files: Files) -> None:
    """Write files: rows as lines of JSON or as Parquet, an object as JSON, text and archives."""
    for name, content in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            import pyarrow
            import pyarrow.parquet

            table = pyarrow.Table.from_pylist(content) if isinstance(content, list) else content
            pyarrow.parquet.write_table(table, path)
        elif path.suffix == ".eval":
            with zipfile.ZipFile(path, "w") as archive:
                for member, text in content.items():
                    archive.writestr(member, json.dumps(text))
        elif isinstance(content, str):
            path.write_text(content, "utf-8")
        else:
            rows = content if isinstance(content, list) else [content]
            path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")


def in_own_folder(name: str, call: Callable[[], Said], files: Files) -> Said:
    """Return what a call says in a new folder with these files, which is called `model`."""
    start, folder = Path.cwd(), Path(name, "model").absolute()
    folder.mkdir(parents=True)
    os.chdir(folder)
    try:
        write(files)
        lines = call()
    finally:
        os.chdir(start)
    here, version = f"{folder}{os.sep}", package.__version__
    return [line.replace(here, "").replace(version, "VERSION") for line in lines]


def show_runs(confidence_level: float | None = None, **options: Any) -> str:
    """Return what is said of the runs in the current folder, and of each of several."""
    table = RunTable.from_answers(read_log(".", **options), confidence_level)
    return "\n".join([str(table), *(run.how for run in table.runs if len(table.runs) > 1)])


def name_runs(**options: Any) -> str:
    """Return how answers in the current folder describe themselves."""
    return "\n".join(map(repr, read_log(".", **options)))


# Logs: files, options of `read_log`

MANY = [f"right {i}" for i in range(60)]
SCORED = text_lines(TEN, HALF)
OLD = [{name: value for name, value in x.items() if name != "filter"} for x in SCORED]
BY_OWN = renamed(text_lines(TEN, HALF), "exact_match", "mine")
BY_TWO = [{**x, "half": 0.5, "other": x["mine"], "long": [1]} for x in BY_OWN]
SEVERAL = [{**x, "target": "['a', 'b']"} for x in text_lines("ab", "ab")]
POSITIONS = [
    {**x, "arguments": {i: {"arg_1": y} for i, y in enumerate("10")}}
    for x in choice_lines("0101", "aabb")
]
EQUAL = {i: {"arg_1": " it is."} for i in range(3)}
EQUAL_PROMPTS = [
    {**x, "target": "it is.", "arguments": EQUAL, "filtered_resps": [["-1", ""]] * 3}
    for x in choice_lines("ab", "ab")
]
PROMPTS_BY_LENGTH = [
    {**x, "target": "it is.", "arguments": {i: EQUAL[i] for i in range(2)}}
    for x in renamed(choice_lines("ab", "ab"), "acc", "acc_norm")
]
FILTERED = [*SCORED, *text_lines(TEN, TEN, filter="strict")]
OWN_TASK = {"results": {"quiz": {"exact_match,none": 0.7}}}
WITH_NUMBER = OWN_TASK | {"n-samples": {"quiz": {"effective": 9}}}
RIGHT = {"results": {"quiz": {"exact_match,none": 0.6}}}
OTHER_SAMPLES = f"samples_other_{DATE}.jsonl"
LETTERED = {"eval": {"task": "quiz", "model": "m"}}
REPEATED = inspect_log(TEN, HALF)
MARCH = {"eval": {"task": "quiz", "model": "m", "created": "2026-03-03T00:00:00"}}
LAW = {"eval": {"task": "quiz", "model": "m", "task_args": {"subject": "law", "cot": True}}}
ART = {"eval": {"task": "quiz", "model": "m", "task_args": {"subject": "art"}}}
TWO_SCORERS = by_two_scorers(REPEATED)
OTHER_MODEL = {"eval": {"task": "quiz", "model": "`task`"}}
ODD_NAME = {"eval": {"task": "`task`", "model": 'unknown="wrong"'}}


def second_target(log: dict[str, Any], n: int) -> dict[str, Any]:
    """Return a log of which the first samples have two targets."""
    samples = [{**x, "target": ["a", "b"]} if i < n else x for i, x in enumerate(log["samples"])]
    return log | {"samples": samples}


def unscored(log: dict[str, Any], n: int) -> dict[str, Any]:
    """Return a log of which the last samples have no score."""
    samples = [{**x, "scores": {}} if i < n else x for i, x in enumerate(log["samples"][::-1])]
    return log | {"samples": samples}


def graded(value: Any, n: int) -> dict[str, Any]:
    """Return a log whose scorer gives this value to the first samples."""
    log = inspect_log(TEN, HALF)
    samples = [
        {**x, "scores": {"match": {**x["scores"]["match"], "value": value}}} if i < n else x
        for i, x in enumerate(log["samples"])
    ]
    return log | {"samples": samples}


WITHOUT_ANSWERS = inspect_log("aabb", [None] * 4)
for _sample in WITHOUT_ANSWERS["samples"]:
    _sample["scores"]["match"]["value"] = "C"
COMPLETED = WITHOUT_ANSWERS | {
    "samples": [
        {**x, "output": {"completion": f"It is {x['target']}."}} for x in WITHOUT_ANSWERS["samples"]
    ]
}
HALF_ANSWERED = WITHOUT_ANSWERS | {
    "samples": [
        {**x, "scores": {**x["scores"], "other": {"value": "C", "answer": x["target"]}}}
        for x in WITHOUT_ANSWERS["samples"]
    ]
}
LOGS: dict[str, tuple[Files, dict[str, Any]]] = {
    # lm-eval
    "results alone": ({RESULTS: {}}, {}),
    "an array": ({"samples_quiz.jsonl": '[\n{"doc_id": 0}]'}, {}),
    "no filter": ({SAMPLES: [*OLD, *OLD]}, {}),
    "a list for an object": ({SAMPLES: [1]}, {}),
    "results of a list": ({SAMPLES: SCORED, RESULTS: [[7]]}, {}),
    "a field too few": ({SAMPLES: at_first(SCORED, prompt_hash=None)}, {}),
    "text among choices": ({SAMPLES: [*choice_lines("ab", "ab"), *text_lines("ab", "ab")]}, {}),
    "one choice": ({SAMPLES: at_first(SCORED, arguments={"x": {"arg_1": " a"}})}, {}),
    "a score too few": (
        {SAMPLES: at_first(choice_lines("ab", "ab"), filtered_resps=[["-0.5", ""]])},
        {},
    ),
    "two texts": ({SAMPLES: at_first(SCORED, filtered_resps=["a", "b"])}, {}),
    "positions that are texts": ({SAMPLES: renamed(POSITIONS, "acc", "mine")}, {}),
    "a target that is no choice": ({SAMPLES: choice_lines("cab", "aab")}, {}),
    "equal choices": ({SAMPLES: EQUAL_PROMPTS}, {}),
    "equal choices by length": ({SAMPLES: PROMPTS_BY_LENGTH}, {}),
    "all of several targets": ({SAMPLES: SEVERAL}, {}),
    "one of several targets": ({SAMPLES: at_first(SCORED, target="['a', 'b']")}, {}),
    "no target": ({SAMPLES: at_first(SCORED, target="[]")}, {}),
    "no samples": ({SAMPLES: ""}, {}),
    "samples twice": ({SAMPLES: [*SCORED, *SCORED]}, {}),
    "an accuracy": ({SAMPLES: SCORED, RESULTS: RIGHT}, {}),
    "another accuracy": ({SAMPLES: SCORED, RESULTS: OWN_TASK}, {}),
    "another number of samples": ({SAMPLES: SCORED, RESULTS: WITH_NUMBER}, {}),
    "another accuracy of a sample left out": (
        {SAMPLES: at_first(SCORED, target="['a', 'b']"), RESULTS: RIGHT},
        {},
    ),
    "another metric": ({SAMPLES: BY_OWN}, {}),
    "other metrics": ({SAMPLES: BY_TWO}, {}),
    "a metric beside that used": ({SAMPLES: [{**x, "long": [1]} for x in SCORED]}, {}),
    "metrics beside that used": ({SAMPLES: [{**x, "long": 2, "mine": 1} for x in SCORED]}, {}),
    "other metrics by options": ({SAMPLES: BY_TWO}, {"strip": True}),
    "another metric chosen": ({SAMPLES: BY_OWN}, {"verdict": "mine"}),
    "no such verdict": ({SAMPLES: BY_TWO}, {"verdict": "half"}),
    "no such verdict of one": ({SAMPLES: SCORED}, {"verdict": "exact"}),
    "no such verdict of none": (
        {SAMPLES: text_lines(TEN, HALF, exact_match=0.5)},
        {"verdict": "x"},
    ),
    "no such filter": ({SAMPLES: FILTERED}, {"variant": "lenient"}),
    "a filter alone": ({SAMPLES: FILTERED}, {"variant": "strict"}),
    "positions to extract from": ({SAMPLES: choice_lines(TEN, HALF)}, {"extract": "a"}),
    "text to extract from": ({SAMPLES: SCORED}, {"extract": "(a)"}),
    "case to ignore": ({SAMPLES: text_lines(TEN, TEN.upper())}, {"ignore_case": True}),
    "choices of text": ({SAMPLES: SCORED}, {"choices": ["a", "c"]}),
    "choices of positions": (
        {SAMPLES: text_lines("0123", "0123")},
        {"choices": ["yes", "no", "maybe"]},
    ),
    "positions named": ({SAMPLES: text_lines("0101", "0011")}, {"choices": ["yes", "no"]}),
    "answers that are no classes": ({SAMPLES: text_lines("abab", ["a", "x" * 60, "c", "d"])}, {}),
    "four answers that are no classes": ({SAMPLES: text_lines("ababa", "acdef")}, {}),
    "answer in quotes": ({SAMPLES: text_lines("abab", ["a", "b", "it's", 'unknown="wrong"'])}, {}),
    "texts that are no classes": ({SAMPLES: text_lines(MANY, MANY)}, {}),
    "targets of free text": ({SAMPLES: text_lines(MANY, MANY[::-1], exact_match=1.0)}, {}),
    "targets of long text": (
        {SAMPLES: text_lines([x * 20 for x in MANY], MANY, exact_match=1.0)},
        {},
    ),
    "verdicts against answers": ({SAMPLES: text_lines("abab", "baba", exact_match=1.0)}, {}),
    "a verdict against an answer": ({SAMPLES: at_first(SCORED, exact_match=0.0)}, {}),
    "verdicts against positions": ({SAMPLES: text_lines("1010", "0101", exact_match=1.0)}, {}),
    "a log left out": (
        {SAMPLES: SCORED, f"samples_more_{DATE}.jsonl": at_first(SCORED, doc_hash=None)},
        {},
    ),
    # lighteval
    "no documents": ({DETAILS: [{"example": "a"}]}, {}),
    "a document without id": ({DETAILS: [{"doc": {"query": "a"}, "metric": {"acc": 1.0}}]}, {}),
    "one choice in details": (
        {DETAILS: detail_rows([0, 1], "AB", doc__choices=["a"], doc__gold_index=0)},
        {},
    ),
    "no position": ({DETAILS: detail_rows([0, 2], "AB")}, {}),
    "positions of two": ({DETAILS: detail_rows([[0], [0, 1]], "AB")}, {}),
    "no generated text": (
        {DETAILS: detail_rows([0, 1], "ab", model_response__text=["a", "b"])},
        {},
    ),
    "nothing extracted": (
        {
            DETAILS: [
                {**x, "doc": {**x["doc"], "specific": {"extracted_predictions": ["b"]}}}
                for x in detail_rows([0, 1], "ab")
            ]
        },
        {},
    ),
    "numbers too few": ({DETAILS: detail_rows([0, 1], "AB", model_response__logprobs=[-1.0])}, {}),
    "details that contradict": ({DETAILS: detail_rows([0, 1], "AB", metric__acc=0.0)}, {}),
    "details of both kinds": ({DETAILS: detail_rows([0, 1, 0, 1], "abAB")}, {}),
    "a verdict of one kind": ({DETAILS: detail_rows([0, 1, 0, 1], "abAB")}, {"verdict": "em"}),
    "a verdict of no kind": ({DETAILS: detail_rows([0, 1, 0, 1], "abAB")}, {"verdict": "x"}),
    "details": ({DETAILS: detail_rows([0, 1] * 4, "abababba")}, {}),
    "likeliest choices": ({DETAILS: detail_rows([0, 1] * 4, "ABABABBA")}, {}),
    "details with results": (
        {
            DETAILS: detail_rows([0, 1] * 4, "ABABABBA"),
            "results_model.json": {"results": {"quiz": {"acc": 0.75}}},
        },
        {},
    ),
    "details with other results": (
        {
            DETAILS: detail_rows([0, 1] * 4, "ABABABBA"),
            "results_model.json": {"results": {"quiz": {"acc": 0.5}}},
        },
        {},
    ),
    # Inspect
    "a version": ({"a.json": inspect_log("ab", "ab", version=1)}, {}),
    "a run that failed": ({"a.json": inspect_log("ab", "ab", status="error")}, {}),
    "a run that failed with an error": (
        {"a.json": inspect_log("ab", "ab", status="error", error={"message": "no disk " * 60})},
        {},
    ),
    "a run that began": ({"a.eval": {"start.json": {}}}, {}),
    "a header": ({"a.json": inspect_log("ab", "ab", eval={"task": "quiz"})}, {}),
    "no scores": ({"a.json": inspect_log("ab", "ab", samples=[])}, {}),
    "samples missing": ({"a.json": inspect_log("ab", "ab", results={"total_samples": 3})}, {}),
    "a sample without input": (
        {"a.json": inspect_log("ab", "ab", samples=[{"id": "q", "epoch": 1}])},
        {},
    ),
    "verdict of Inspect": ({"a.json": REPEATED}, {"verdict": "match"}),
    "empty target": ({"a.json": inspect_log(["", "a"], "ba")}, {}),
    "targets": ({"a.json": second_target(REPEATED, 1)}, {}),
    "targets of many": ({"a.json": second_target(REPEATED, 3)}, {}),
    "samples without a score": ({"a.json": unscored(REPEATED, 2)}, {}),
    "samples left out for two reasons": ({"a.json": unscored(second_target(REPEATED, 2), 1)}, {}),
    "Inspect": ({"a.json": recorded(REPEATED, 0.6, 10)}, {}),
    "Inspect with another accuracy": ({"a.json": recorded(REPEATED, 0.5, 10)}, {}),
    "Inspect with a sample left out": (
        {"a.json": recorded(second_target(REPEATED, 1), 0.6, 10)},
        {},
    ),
    "answers missing": ({"a.json": inspect_log("aabb", [None, "a", "b", "b"])}, {}),
    "right answers missing": ({"a.json": WITHOUT_ANSWERS}, {}),
    "right answers missing, to extract": ({"a.json": COMPLETED}, {"extract": r"is (\w)"}),
    "no text at all": ({"a.json": WITHOUT_ANSWERS}, {"extract": "a"}),
    "a scorer left out": ({"a.json": HALF_ANSWERED}, {}),
    "an archive of a list": ({"a.eval": {"header.json": [1]}}, {}),
    "partial credit": ({"a.json": graded("P", 4)}, {}),
    "credit of several values": ({"a.json": graded([1, 2], 1)}, {}),
    "epochs": ({"a.json": in_epochs(REPEATED)}, {}),
    "epochs with an accuracy": ({"a.json": recorded(in_epochs(REPEATED), 0.6, 10)}, {}),
    "epochs together": ({"a.json": in_epochs(REPEATED)}, {"epochs": "pooled"}),
    "no such epoch": ({"a.json": in_epochs(REPEATED)}, {"epoch": 3}),
    "no such epochs": ({"a.json": in_epochs(REPEATED)}, {"epochs": "all"}),
    "scorers": ({"a.json": TWO_SCORERS}, {}),
    "one scorer of two": ({"a.json": TWO_SCORERS}, {"variant": "match"}),
    # runs
    "runs": ({"a.json": REPEATED, "b.json": REPEATED | MARCH}, {}),
    "no such run": ({"a.json": REPEATED}, {"runs": "`runs`"}),
    "no such task with arguments": (
        {"a.json": inspect_log(TEN, HALF) | LAW, "b.json": inspect_log(TEN, TEN) | ART},
        {"task": "quiz(subject=maths)"},
    ),
    "task with an argument as name": ({"a.json": inspect_log(TEN, HALF) | ODD_NAME}, {}),
    "every task excluded": ({"a.json": REPEATED}, {"exclude_task": ["quiz"]}),
    "every task of two excluded": (
        {"a.json": REPEATED, "b.json": inspect_log(TEN, HALF, "law")},
        {"exclude_task": ["quiz", "law"]},
    ),
    "no task to exclude": ({"a.json": REPEATED}, {"exclude_task": "law"}),
    # tables of runs
    "tasks": (
        {"a.json": inspect_log(TEN * 9, TEN * 9, "law"), "b.json": inspect_log(TEN * 9, HALF * 9)},
        {"confidence_level": 0.95},
    ),
    "tasks of two models": (
        {
            "a.json": REPEATED,
            "b.json": inspect_log(TEN, TEN, "law"),
            "c.json": REPEATED | OTHER_MODEL,
            "d.json": inspect_log(TEN, TEN, "law", eval={"task": "law", "model": "`task`"}),
        },
        {},
    ),
    "epochs of one task of two": (
        {"a.json": in_epochs(REPEATED), "b.json": inspect_log(TEN, HALF, "law")},
        {},
    ),
    "variants of one task of two": (
        {"a.json": TWO_SCORERS, "b.json": inspect_log(TEN, HALF, "law")},
        {},
    ),
    "runs of one task of two": (
        {"a.json": REPEATED, "b.json": REPEATED | MARCH, "c.json": inspect_log(TEN, TEN, "law")},
        {},
    ),
    "one class in one task of two": (
        {"a.json": REPEATED, "b.json": inspect_log("aaaa", "aaab", "law")},
        {},
    ),
    "no mean for two reasons": (
        {"a.json": in_epochs(REPEATED), "b.json": inspect_log("aaaa", "aaab", "law")},
        {},
    ),
    "no mean of two models": (
        {
            "a.json": in_epochs(REPEATED),
            "b.json": inspect_log(TEN, TEN, "law"),
            "c.json": in_epochs(REPEATED | OTHER_MODEL),
            "d.json": inspect_log(TEN, TEN, "law", eval={"task": "law", "model": "`task`"}),
        },
        {},
    ),
    "an accuracy that differs in one task of two": (
        {"a.json": recorded(REPEATED, 0.5), "b.json": inspect_log(TEN, TEN, "law")},
        {},
    ),
}
NAMED: dict[str, tuple[Files, dict[str, Any]]] = {
    "names of runs by arguments": ({"a.json": REPEATED | LAW, "b.json": REPEATED | ART}, {}),
    "names of runs by dates": ({"a.json": REPEATED, "b.json": REPEATED | MARCH}, {}),
    "names of runs by files": ({"a.json": REPEATED, "b.json": REPEATED}, {}),
    "names of epochs": ({"a.json": in_epochs(TWO_SCORERS)}, {"variant": "match"}),
    "names of shots": (
        {
            SAMPLES: SCORED,
            RESULTS: {"n-shot": {"quiz": 0}, "config": {"model_args": "dtype=float16,seed=1"}},
            f"samples_quiz_{LATER}.jsonl": SCORED,
            f"results_{LATER}.json": {"n-shot": {"quiz": 5}, "system_instruction": "Add. " * 20},
        },
        {},
    ),
}


# Answers that are compared, and what harnesses are told during a run


def answers_of(*files: Any) -> list[Any]:
    """Return the answers in logs of Inspect, each of one run."""
    write({f"{i}.json": log for i, log in enumerate(files)})
    return [read_log(f"{i}.json") for i in range(len(files))]


def compare_answers(*files: Any, change: Callable[[Any], Any] | None = None) -> Any:
    """Compare the only answers in two logs, of which those of B may be changed."""
    (a,), (b,) = answers_of(*files)
    return a.compare(change(b) if change else b)


def compare_runs(*logs: Files) -> Any:
    """Compare all answers in two mappings of logs."""
    from informedness.logs.runs import compare_logs

    for side, files in zip("ab", logs, strict=True):
        write({f"{side}/{name}": log for name, log in files.items()})
    return compare_logs(read_log("a"), read_log("b"))


def with_first(answers: Any, **fields: Any) -> Any:
    """Return answers of which the first sample has other fields."""
    return replace(answers, samples=(answers.samples[0]._replace(**fields), *answers.samples[1:]))


def compare_cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield comparisons of answers in logs."""
    same, better = inspect_log(TEN, HALF), inspect_log(TEN, TEN)
    yield "answers compared", lambda: compare_answers(same, better)
    yield "other tasks", lambda: compare_answers(same, inspect_log(TEN, TEN, "law"))
    yield "other classes", lambda: compare_answers(same, inspect_log(TEN[:-1] + "c", TEN))
    yield "other samples", lambda: compare_answers(same, inspect_log(TEN[:-1], TEN[:-1]))
    yield "other references", lambda: compare_answers(same, inspect_log("b" + TEN[1:], TEN))
    other = partial(with_first, prompt="Other?")
    yield "another prompt", lambda: compare_answers(same, better, change=other)
    other = partial(with_first, document="x")
    yield "another document", lambda: compare_answers(same, better, change=other)
    other = partial(with_columns, prompt=["?"] * 10, document=["?"] * 10)
    yield "other prompts and documents", lambda: compare_answers(same, better, change=other)

    tasks = {f"{x}.json": inspect_log(TEN * 4, HALF * 4, x) for x in ("one", "two")}
    others = {f"{x}.json": inspect_log(TEN * 4, TEN * 4, x) for x in ("one", "two")}
    more, dated = inspect_log(TEN, TEN, "more"), MARCH["eval"] | {"task": "more"}
    yield "tasks of logs", lambda: compare_runs(tasks, others)
    yield "a task of A", lambda: compare_runs(tasks | {"3.json": more}, others)
    yield "a task of B", lambda: compare_runs(tasks, others | {"3.json": more})
    for name, several in {
        "runs": {"3.json": more, "4.json": more | {"eval": dated}},
        "models": {"3.json": more, "4.json": more | {"eval": dated | {"model": "n"}}},
        "epochs": {"3.json": in_epochs(more, 3)},
        "scorers": {"3.json": by_two_scorers(more)},
    }.items():
        yield (
            f"{name} of a task of A",
            lambda x=several: compare_runs(tasks | x, others | {"3.json": more}),
        )
    one = {"3.json": inspect_log("aaaa", "aaab", "more")}
    yield "one class in a task", lambda: compare_runs(tasks | one, others | one)
    yield "one task alone", lambda: compare_runs({"3.json": more}, {"3.json": more})
    odd = {"3.json": inspect_log("abc", "abc", "more")}
    yield "other classes in a task", lambda: compare_runs(tasks | {"3.json": more}, others | odd)

    rows = [(0, "b", "b", 1.0), (1, "a", "a", 1.0), (2, "a", "a", 0.0)]
    yield "verdicts in a run", lambda: inside(rows, choices=("a", "b"))


# Results


def swapped(labels: Sequence[str], step: int, start: int = 0) -> list[str]:
    """Return labels with every so many of "a" and "b" swapped."""
    other = {"a": "b", "b": "a"}
    return [other[x] if i % step == start else x for i, x in enumerate(labels)]


def told_of(result: Any, required: str | None) -> str:
    """Return what a build is told of a comparison."""
    return f"{decide(result, required)}"


def result_cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the calls of functions that score, compare and decide."""
    truth = [*"aabb" * 100]
    good, near, bad = swapped(truth, 9), swapped(truth, 9, 1), swapped(truth, 3)
    rare = [*"a" * 400, *"b" * 40]
    usual = [*"a" * 430, *"b" * 10]
    finder = [*"b" * 40, *"a" * 360, *"b" * 38, *"aa"]
    pairs = {
        "worse": (truth, good, bad),
        "better": (truth, bad, good),
        "alike": (truth, good, near),
        "the same": (truth, good, good),
        "higher in B": (rare, usual, finder),
        "higher in A": (rare, finder, usual),
    }
    for name, columns in pairs.items():
        yield f"models: {name}", lambda x=columns: compare(*x)
        for margin in (0.01, 0.1):
            yield (
                f"models: {name}, margin {margin}",
                lambda x=columns, y=margin: compare(*x, margin=y),
            )
        for required in ("better", "not-worse", None):
            made = partial(compare, *columns, margin=None if required == "better" else 0.05)
            yield f"{required} required: {name}", lambda x=made, y=required: told_of(x(), y)
    made = partial(compare, truth, good, near)
    groups = [i // 4 for i in range(400)]
    few = [i // 100 for i in range(400)]
    yield "worse forbidden, no margin", lambda: told_of(compare(truth, good, bad), None)
    yield (
        "not worse required in groups",
        lambda: told_of(made(groups=groups, margin=0.01), "not-worse"),
    )
    yield "better required in few groups", lambda: told_of(made(groups=few), "better")
    yield "models in groups", lambda: made(groups=groups, margin=0.01)
    yield "models in few groups", lambda: made(groups=few)
    yield "models in other few groups", lambda: made(groups=[i // 50 for i in range(400)])
    yield "models in rows of counts", lambda: made(groups=[1] * 399)
    yield "models, accuracy", lambda: told_of(made(metric="accuracy"), "better")
    yield "models, NIT", lambda: made(metric="nit", margin=0.001)
    yield "size of 0", lambda: made().samples_for(0)
    yield "models with a prior", lambda: made(prior={"a": 0.9, "b": 0.1})
    yield "few samples of models", lambda: compare([*"aabb"], [*"abab"], [*"aaab"])
    yield "few samples of B", lambda: compare([*"ab" * 40], [*"ab" * 40], [*"a" * 80])
    late = [*"a" * 500, *"b" * 8]
    yield "eight of a class", lambda: compare(late, ["a"] * 508, late)
    yield (
        "eight that differ",
        lambda: compare([*"ab" * 50], swapped([*"ab" * 50], 11), [*"ab" * 50]),
    )
    yield ("ten that differ, accuracy", lambda: compare(late, ["a"] * 508, late, metric="accuracy"))
    three = partial(compare, truth, good, [*truth[:19], *good[19:]], confidence_level=0.5)
    yield "three that differ", three
    yield "three that differ, accuracy", lambda: three(metric="accuracy")
    yield "three that differ, required", lambda: told_of(three(), "better")
    rarely = [*"ab" * 2, *"a" * 396]
    yield "few predictions of B", lambda: compare(truth, good, rarely, metric="markedness")
    yield "few predictions of A", lambda: compare(truth, rarely, good, metric="markedness")
    yield "one class of models", lambda: compare(["a"] * 9, ["a"] * 9, ["b"] * 9)
    outside = ["c", *good[1:]]
    wrong = {"labels": ["a", "b"], "unknown": "wrong"}
    yield "outside in A, wrong", lambda: compare(truth, outside, good, **wrong)
    yield "outside in both, wrong", lambda: compare(truth, outside, ["d", "e", *good[2:]], **wrong)
    yield (
        "outside in one of many, wrong",
        lambda: compare(truth * 6, outside + good * 5, good * 6, **wrong),
    )
    yield "three classes", lambda: compare([*"abc" * 30], [*"abc" * 29, *"cab"], [*"abb" * 30])

    # suites
    suite, tasks = package.compare_tasks, {"x": (truth, good, near), "y": (truth, bad, good)}
    yield "suite", lambda: suite(tasks, margin=0.1)
    yield (
        "suite, worse",
        lambda: suite({x: (r, b, a) for x, (r, a, b) in tasks.items()}, margin=0.1),
    )
    yield "suite of a list", lambda: suite([*tasks.values()])
    yield "suite of pairs", lambda: suite({"x": (truth, good)})
    yield "suite without groups", lambda: suite(tasks, groups={"x": groups})
    yield "suite with groups", lambda: suite(tasks, groups={"x": groups, "y": groups})
    yield "suite with few groups", lambda: suite(tasks, groups={"x": few, "y": few})
    single = {"one": (["a"] * 4,) * 3, "`two`": (["b"] * 4,) * 3}
    yield "suite without a task", lambda: suite(tasks | {"one": single["one"]})
    yield "suite without tasks", lambda: suite(tasks | single)
    yield "suite of no task", lambda: suite(single)
    small = {x: ([*"aabb"], [*"abab"], [*"aaab"]) for x in ("p", "q", "r")}
    yield "suite of a small task", lambda: suite({**tasks, "p": small["p"]})
    yield "suite of small tasks", lambda: suite(small)
    wide = {"x": (truth, outside, good), "y": (truth, good, ["d", *good[1:]])}
    yield "suite outside", lambda: suite({**wide, "z": tasks["y"]}, unknown="wrong")
    yield "suite outside in one", lambda: suite({"x": wide["x"], "z": tasks["y"]}, unknown="wrong")
    yield "better required of small tasks", lambda: told_of(suite(small), "better")
    yield (
        "better required of a small task",
        lambda: told_of(suite({**tasks, "p": small["p"]}), "better"),
    )
    yield "suite of equal models", lambda: suite(dict.fromkeys("xy", (truth, good, good)))
    for required in ("better", "not-worse", None):
        yield (
            f"{required} required of a suite",
            lambda x=required: told_of(suite(tasks, margin=0.01), x),
        )
    yield (
        "better required of equals",
        lambda: told_of(suite(dict.fromkeys("xy", (truth,) * 3)), "better"),
    )

    # estimates
    scored = partial(estimate, truth, good)
    for least in (0.5, 0.75, 0.95):
        yield f"at least {least}", lambda x=least: f"{decide_at_least(scored(), x)}"
    yield "at least of few", lambda: f"{decide_at_least(estimate([*'aabb'], [*'abab']), 0.5)}"
    yield "at least in few groups", lambda: f"{decide_at_least(scored(groups=few), 0.5)}"
    yield "groups of fewer rows", lambda: scored(groups=[1, 2])
    yield "one group", lambda: scored(groups=["x"] * 400)
    yield "groups and a prior", lambda: scored(groups=groups, prior={"a": 0.5, "b": 0.5})
    yield "groups of a report without a level", lambda: report(truth, good, groups=groups)
    rate = partial(package.corrected_rate, positive="a")
    yield "rate in groups", lambda: rate(truth, good, truth, groups=groups)
    yield "rate of another label", lambda: package.corrected_rate(truth, good, truth, positive="c")
    yield "rate", lambda: rate(truth, good, (600, 1000))
    yield "rate of more than all", lambda: rate(truth, good, (7, 5))
    yield "rate of other labels", lambda: rate(truth, good, ["x", "y"])
    yield "rate by few labels", lambda: rate([*"aabb" * 3], [*"aabb" * 3], (60, 100))
    yield "rate by one label", lambda: rate([*"a", *"b" * 200], [*"a", *"b" * 200], (60, 100))
    yield "rate by a guesser", lambda: rate(truth, [*"ab" * 200], (60, 100))
    yield "rate by who is wrong", lambda: rate(truth, swapped(truth, 1), (60, 100))
    yield "rate that fits none", lambda: rate(truth, good, (100000, 100000))
    table = ContingencyTable.from_labels(references=truth, predictions=[*"aabb" * 75, *"abab" * 25])
    module = partial(companions_of, {"informedness": 0.75}, table, 0.95, False)
    yield "odds of a module", lambda: module({"prior_mode": "odds"}, package.__version__)
    yield "version of a module", lambda: warn_of_module(table, "0.0.1")
    other = partial(companions_of, {"informedness": 0.5}, table, 0.95, False)
    yield "score of a module", lambda: other({}, "0.0.1")

    # reports
    yield "a worse model", lambda: report(truth, swapped(truth, 1), confidence_level=0.95)
    yield "a perfect model", lambda: report(truth, truth, confidence_level=0.95)
    turned = [{"a": "b", "b": "c", "c": "a"}[x] for x in "abc" * 30]
    yield "classes turned", lambda: report([*"abc" * 30], turned, confidence_level=0.95)
    third = [*"aab" * 10, *"bba" * 10, *"ccc" * 10]
    yield (
        "three classes in a report",
        lambda: report([*"aaa" * 10, *"bbb" * 10, *"ccc" * 10], third),
    )
    hidden = [*"a" * 8, *"b" * 32]
    for n in (1, 3, 39):
        more = [*["?"] * n, *hidden[n:]]
        yield f"{n} outside in a report", lambda x=more: report(hidden, x, **wrong)
        yield (
            f"{n} outside in a report with intervals",
            lambda x=more: report(hidden, x, confidence_level=0.95, **wrong),
        )
    yield "all outside in a report", lambda: report(hidden, ["?"] * 40, **wrong)
    yield "weights in a report", lambda: report(truth, good, sample_weight=[0.5, 1.5] * 200)
    yield (
        "weights outside in a report",
        lambda: report(truth, outside, sample_weight=[0.5, 1.5] * 200, **wrong),
    )
    yield "few groups in a report", lambda: report(truth, good, groups=few, confidence_level=0.9)
    yield (
        "eight groups in a report",
        lambda: report(truth, good, groups=[i // 50 for i in range(400)], confidence_level=0.9),
    )
    yield "one mistake in a report", lambda: report(rare, ["b", *rare[1:]], confidence_level=0.95)
    numbers = [*range(100)] * 2
    tens = [x // 10 * 10 for x in numbers]
    for name in ("accuracy", "nit"):
        yield f"summary of {name}", lambda x=name: str(report(truth, good).summary_of(x))
        yield (
            f"summary of {name} of a guesser",
            lambda x=name: str(report(rare, usual[::-1]).summary_of(x)),
        )

    def show_reports(metric: str | None = None) -> str:
        """Return what is said of two tasks above accuracy."""
        reports = {("m", task): report(numbers, tens) for task in ("`x`", "y")}
        return str(RunTable.from_reports(reports, metric))

    yield "runs above accuracy", show_reports
    yield "runs of a metric", lambda: show_reports("informedness")
    yield "runs of no metric", lambda: show_reports("f1")
    yield "above accuracy", lambda: report(numbers, tens, confidence_level=0.95)

    # slices
    sliced = partial(package.slices, truth, good)
    by = [*"xy" * 200]
    ones = ["x" if x == "a" else "y" for x in truth]
    yield "slices of one class", lambda: sliced(by=ones)
    yield "small slices", lambda: sliced(by=["x"] * 10 + ["y"] * 390)
    yield "small slices of one class", lambda: sliced(by=["x"] * 2 + ["y"] * 398)
    yield "slices and the rest", lambda: sliced(by=by, vs_rest="nit")
    yield "slices of groups", lambda: sliced(by=by, vs_rest="nit", groups=groups)
    yield "slices with a level", lambda: sliced(by=by, confidence_level=0.9)
    yield (
        "slices above accuracy",
        lambda: package.slices(numbers, tens, by=["x"] * 100 + ["y"] * 100),
    )
    yield "slices in no order", lambda: sliced(by=by, sort="size")
    yield "slices to plot", lambda: sliced(by=by).plot()
    yield "slices to plot by no score", lambda: sliced(by=by, confidence_level=0.9).plot("f1")
    yield "tables of slices in a list", lambda: Slices.from_tables([1], by="x")
    yield "no tables of slices", lambda: Slices.from_tables({}, by="x")
    yield "names of slices", lambda: Slices.from_tables({("x", "y"): table}, by="x")
    yield "text to cut", lambda: cut_into_quantiles({"long": table}, 0, 2, "length")

    # leaderboards
    board = package.leaderboard
    yield "no models", lambda: board(truth, {})
    yield "runs of other numbers", lambda: board(truth, {"x": [good, bad], "y": [good]})
    yield "runs of models", lambda: board(truth, {"x": [good, bad], "y": [near, good]})
    yield "runs of one model", lambda: board(truth, {"x": [good, bad]})
    yield "one model alone", lambda: board(truth, {"x": good})
    yield "models above accuracy", lambda: board(numbers, {"x": tens, "y": numbers})


def figure_cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield figures that are refused, and what stands in those that are not."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot

    from informedness import plots

    truth, good = [*"aabb" * 30], swapped([*"aabb" * 30], 7)
    made = {level: estimate(truth, good, confidence_level=level) for level in (0.9, 0.95)}
    table = ContingencyTable.from_labels(references=truth, predictions=good)
    many = ContingencyTable.from_matrix(np.eye(60, dtype=int))

    def texts_of(ax: Any) -> str:
        """Return the texts of a figure but the numbers at its axes, which matplotlib chooses."""
        ticks = [x.get_text() for x in (*ax.get_xticklabels(), *ax.get_yticklabels())]
        names = [x for x in ticks if not re.fullmatch(r"\W?\d+\.\d+", x)]
        texts = ax.get_xlabel(), ax.get_ylabel(), *names, *(x.get_text() for x in ax.texts)
        pyplot.close("all")
        return "\n".join(texts)

    yield "levels of intervals", lambda: plots.plot_intervals({"x": made[0.9], "y": made[0.95]})
    yield "intervals", lambda: texts_of(plots.plot_intervals({"`x`": made[0.9], "y": made[0.9]}))
    yield (
        "many intervals",
        lambda: plots.plot_intervals(dict.fromkeys(range(60), made[0.9])).get_xlabel(),
    )
    yield "many tables", lambda: plots.plot_entropy_triangle(dict.fromkeys(range(99), table))
    yield "tables of numbers", lambda: plots.plot_entropy_triangle({"x": 1})
    yield "no tables", lambda: plots.plot_entropy_triangle({})
    yield "triangle", lambda: texts_of(plots.plot_entropy_triangle(table))
    yield "matrix", lambda: texts_of(plots.plot_confusion_matrix(table))
    yield "matrix of many", lambda: plots.plot_confusion_matrix(many).get_xlabel()
    yield "classes", lambda: texts_of(report(truth, good).plot())
    yield (
        "classes with intervals",
        lambda: texts_of(report(truth, good, confidence_level=0.9).plot()),
    )
    yield "many classes", lambda: report(many).plot().get_yticklabels()[-1].get_text()
    yield "ranks", lambda: texts_of(package.leaderboard(truth, {"x": good, "y": truth}).plot())
    by = [*"xy" * 60]
    yield (
        "slices",
        lambda: texts_of(package.slices(truth, good, by=by, confidence_level=0.9).plot()),
    )


# Commands: files, and the words after `informedness`


def table_text(**columns: Sequence[Any]) -> str:
    """Return columns as CSV."""
    file = io.StringIO()
    rows = zip(*columns.values(), strict=True)
    csv.writer(file, lineterminator="\n").writerows([columns, *rows])
    return file.getvalue()


IDS = [f"id {i}" for i in range(40)]
WIDE = {"gold": "aabb" * 10, "model": "aabb" * 8 + "abab" * 2, "other": "abab" * 10}
WIDE |= {"n": [*range(40)], "task": "pq" * 20, "group": [i // 4 for i in range(40)]}
THREE = {"gold": "abc" * 12, "model": "abc" * 10 + "bcabca", "other": "abb" * 12}
OF_WIDE, OF_THREE = {"x.csv": table_text(**WIDE)}, {"x.csv": table_text(**THREE)}
NAMES, PAIR = "-r gold -p model", "-r gold -p model other"
A_AND_B = {"a.json": inspect_log(TEN * 4, HALF * 4), "b.json": inspect_log(TEN * 4, TEN * 4)}
TASKS = {
    "a.json": inspect_log(TEN * 4, HALF * 4),
    "b.json": inspect_log(TEN * 4, TEN * 4),
    "more.json": inspect_log(TEN * 4, TEN * 4, "more"),
}
IN_FOLDERS = {
    f"{side}/{task}.json": inspect_log(TEN * 4, answers * 4, task)
    for side, answers in (("a", HALF), ("b", TEN))
    for task in ("one", "two")
}
WITH_GAP = dict.fromkeys("ab", "x")
COMMANDS: dict[str, tuple[Files, str]] = {
    # columns to name
    "no columns of labels": ({"x.csv": "a,b\n,\n,\n"}, "report x.csv"),
    "a header alone": ({"x.csv": "gold,model\n"}, "report x.csv"),
    "columns for a score": (OF_WIDE, "report x.csv --metric nit"),
    "columns for a comparison": (OF_WIDE, "compare x.csv"),
    "columns of a file": (OF_WIDE, "report x.csv"),
    "many columns": ({"x.csv": table_text(**{f"c{i}": "ab" for i in range(45)})}, "report x.csv"),
    "one column more": (
        {"x.csv": table_text(**{f"c{i}": "ab" for i in range(41)})},
        "report x.csv",
    ),
    "columns without a header": ({"x.csv": "a,a\nb,b\na,a\nb,a\n"}, "report x.csv"),
    "columns with totals": ({"x.csv": ",a,b,sum\na,9,1,10\nb,2,8,10\n"}, "report x.csv"),
    "columns with verdicts": (
        {"x.csv": table_text(gold="abba", model="abaa", right="1101")},
        "report x.csv",
    ),
    "columns alike": (
        {
            "x.csv": table_text(
                gold=["up", "down"] * 3, one=["up", "down"] * 3, two=["down", "up"] * 3
            )
        },
        "report x.csv",
    ),
    "columns with a gap": (
        {"x.csv": table_text(gold=["up", "down"] * 4, prediction=["up", "", "up", "down"] * 2)},
        "report x.csv",
    ),
    "columns of two files": (
        {"x.csv": table_text(id="123", gold="aba"), "y.csv": table_text(id="123", model="abb")},
        "report x.csv y.csv",
    ),
    "columns of two files to compare": (
        {
            "x.csv": table_text(id="123", gold="aba", model="abb"),
            "y.csv": table_text(id="123", gold="aba", model="aba"),
        },
        "compare x.csv y.csv",
    ),
    "columns of two files without ids": (
        {"x.csv": table_text(id="123", gold="aba"), "y.csv": table_text(id="456", model="abb")},
        "report x.csv y.csv",
    ),
    "columns in a grid": (
        {
            "x.csv": table_text(
                who="xxxyyy", id="123123", label=["up", "down", "up"] * 2, prediction=["up"] * 6
            )
        },
        "report x.csv",
    ),
    "columns after a stop": (OF_WIDE, "report --format json -- x.csv"),
    "rows in a field": (
        {"x.json": '{"rows": [{"gold": "a", "model": "b"}, {"gold": "b", "model": "b"}]}'},
        "report x.json",
    ),
    # reading
    "a prior without a colon": (OF_WIDE, f"report x.csv {NAMES} --metric nit --prior gold"),
    "a prior in odds": (
        OF_WIDE,
        f"report x.csv {NAMES} --metric informedness --prior x.csv:gold --prior-mode odds",
    ),
    "quantiles": (OF_WIDE, f"report x.csv {NAMES} --by n:2"),
    "quantiles of text": (OF_WIDE, f"report x.csv {NAMES} --by other:2"),
    "quantiles of columns": (
        OF_WIDE,
        f"report x.csv {NAMES} --by n:2 --groups group --confidence-level 0.9",
    ),
    "slices of groups": (
        OF_WIDE,
        f"report x.csv {NAMES} --by task --groups group --confidence-level 0.9",
    ),
    "slices against the rest in groups": (
        OF_WIDE,
        f"report x.csv {NAMES} --by task --groups group --confidence-level 0.9 --vs-rest nit",
    ),
    "report of groups": (OF_WIDE, f"report x.csv {NAMES} --groups group --confidence-level 0.9"),
    "a score of groups": (
        OF_WIDE,
        f"report x.csv {NAMES} --groups group --confidence-level 0.9 --metric informedness",
    ),
    # requirements of reports
    "averages": (OF_THREE, f"report x.csv {NAMES} --metric informedness"),
    "at least of three": (OF_THREE, f"report x.csv {NAMES} --metric informedness --at-least 0.5"),
    "at least, passed": (OF_WIDE, f"report x.csv {NAMES} --metric informedness --at-least 0.1"),
    "at least, failed": (OF_WIDE, f"report x.csv {NAMES} --metric informedness --at-least 0.99"),
    "at least of guesses": (OF_WIDE, "report x.csv -r gold -p other --metric nit --at-least 0.5"),
    # comparisons
    "require of three": (OF_THREE, f"compare x.csv {PAIR} --require better"),
    "fail-if of three": (OF_THREE, f"compare x.csv {PAIR} --fail-if worse"),
    "require of three, average": (
        OF_THREE,
        f"compare x.csv {PAIR} --require better --average macro",
    ),
    "fail if worse": (OF_WIDE, f"compare x.csv {PAIR} --fail-if worse"),
    "not worse": (OF_WIDE, f"compare x.csv {PAIR} --require not-worse --margin 0.1"),
    "the same": (OF_WIDE, "compare x.csv x.csv -r gold -p model other --require better --on n"),
    "detect of tasks": (OF_WIDE, f"compare x.csv {PAIR} --by-task task --detect 0.1"),
    "tasks in a column": (OF_WIDE, f"compare x.csv {PAIR} --by-task task --margin 0.1"),
    "tasks required": (OF_WIDE, f"compare x.csv {PAIR} --by-task task --require better"),
    "tasks in groups": (OF_WIDE, f"compare x.csv {PAIR} --by-task task --groups group"),
    "tasks in files": (
        OF_WIDE | {"y.csv": OF_WIDE["x.csv"]},
        f"compare x.csv y.csv {PAIR} --by-file --fail-if worse",
    ),
    "three models": (OF_WIDE, f"compare x.csv {PAIR} task"),
    "one model of a file": (OF_WIDE, f"compare x.csv {NAMES}"),
    "joined by two names": (
        OF_WIDE | {"y.csv": OF_WIDE["x.csv"]},
        f"compare x.csv y.csv {PAIR} --on n --detect 0.2",
    ),
    "lines of two models": (
        {"x.txt": "a\nb\n" * 9, "y.txt": "a\nb\n" * 9, "z.txt": "a\na\n" * 9},
        "compare x.txt y.txt z.txt",
    ),
    "lines twice": ({"x.txt": "a\nb\n", "y.txt": "a\nb\n"}, "compare x.txt y.txt y.txt"),
    # several tasks and files
    "tasks of models": (OF_WIDE, f"report x.csv {PAIR} --by-task task"),
    "tasks of a score": (OF_WIDE, f"report x.csv {NAMES} --by-task task --metric nit"),
    "tasks of one model": (OF_WIDE, f"report x.csv {NAMES} --by-task task"),
    "a file of one class": (
        OF_WIDE | {"y.csv": table_text(gold="aaaa", model="aaab")},
        f"report x.csv y.csv {NAMES} --by-file",
    ),
    # options that conflict
    "figures in an image": (OF_WIDE, f"report x.csv {NAMES} --plot x.png"),
    "figures": (OF_WIDE, f"report x.csv {NAMES} --plot ."),
    "figures of slices": (
        OF_WIDE,
        f"report x.csv {NAMES} --by task --plot . --confidence-level 0.9",
    ),
    **{
        f"rule: {options}": (OF_WIDE, f"report x.csv {options}")
        for options in (
            f"{NAMES} --run x",
            f"{NAMES} --sort nit",
            f"{NAMES} --vs-rest nit --by task --sort size",
            f"{NAMES} --by task --at-least 0.5",
            f"{NAMES} --at-least 0.5",
            f"{NAMES} --prior-mode odds",
            f"{NAMES} --metric nit --no-intervals",
            f"{NAMES} --each",
            f"{NAMES} --by task --metric nit",
            f"{NAMES} --by task --plot . --no-intervals",
            f"{NAMES} --groups group --weights n --confidence-level 0.9",
            f"{NAMES} --groups group --no-intervals",
            f"{PAIR} --weights n",
            f"{PAIR} --at-least 0.5",
            f"{NAMES} --by-file --metric nit",
            f"{NAMES} --by-file --on n",
            f"{NAMES} --by-task task --weights n",
            f"{NAMES} --by-task task --plot .",
            f"{NAMES} --on n --counts n",
            f"{NAMES} --on n",
        )
    },
    "matrix with choices": ({"x.csv": ",a,b\na,9,1\nb,2,8\n"}, "report x.csv --choices a b"),
    "matrix with weights": ({"x.csv": ",a,b\na,9,1\nb,2,8\n"}, "report x.csv --weights n"),
    # logs
    "labels of logs": (A_AND_B, "report a.json --labels a b"),
    "format of logs": (A_AND_B, "report a.json --encoding utf-8"),
    "by file of logs": (A_AND_B, "report a.json --by-file"),
    "each in JSON": (A_AND_B, "report a.json b.json --each --format json"),
    "each run": (A_AND_B, "report a.json b.json --each --no-intervals"),
    "several runs for a score": (A_AND_B, "report a.json b.json --metric nit"),
    "several runs for figures": (A_AND_B, "report a.json b.json --plot ."),
    "a score of a log": (A_AND_B, "report a.json --metric accuracy"),
    "a score of a log with an interval": (
        A_AND_B,
        "report a.json --metric informedness --confidence-level 0.9",
    ),
    "a score of a log with other answers": (
        {"a.json": inspect_log("aabb", "abcd")},
        "report a.json --metric accuracy",
    ),
    "figures of a log": (A_AND_B, "report a.json --plot ."),
    "one log compared": (A_AND_B, "compare a.json"),
    "logs compared": (A_AND_B, "compare a.json b.json --margin 0.1"),
    "logs compared, required": (A_AND_B, "compare a.json b.json --require better"),
    "logs of models compared": (
        A_AND_B | {"b.json": A_AND_B["b.json"] | OTHER_MODEL},
        "compare a.json b.json",
    ),
    "logs of epochs compared": (A_AND_B | {"b.json": in_epochs(REPEATED)}, "compare a.json b.json"),
    "logs of other classes compared": (
        A_AND_B | {"b.json": inspect_log("abc", "abc")},
        "compare a.json b.json",
    ),
    "folders compared": (IN_FOLDERS, "compare a b --margin 0.01"),
    "folders compared, required": (IN_FOLDERS, "compare a b --require better"),
    "folders compared, detect": (IN_FOLDERS, "compare a b --detect 0.1"),
    "folders that lack a task": (
        IN_FOLDERS | {"a/more.json": TASKS["more.json"]},
        "compare a b --fail-if worse",
    ),
    "a folder of logs": (TASKS, "report ."),
    "a folder of no logs": ({"x.txt": "a"}, "report ."),
    "a log left out": (TASKS | {"odd.json": inspect_log("ab", "ab", status="error")}, "report ."),
    "a log left out, strict": (
        {"a.json": REPEATED, "odd.json": inspect_log("ab", "ab", status="error")},
        "report . --strict",
    ),
    "another accuracy, strict": ({"a.json": recorded(REPEATED, 0.5)}, "report . --strict"),
    "latest": (
        {"a.json": REPEATED, "b.json": REPEATED | MARCH},
        "report . --latest --metric accuracy",
    ),
    "verdict with extract": ({SAMPLES: SCORED}, "report . --verdict x --extract a"),
    "other metrics": ({SAMPLES: BY_TWO}, "report . --no-intervals"),
    "a class unseen": ({"a.json": inspect_log(TEN * 2, "abbabaabac" * 2)}, "report a.json"),
}


def kept_cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield what is said of logs that harnesses wrote."""
    log = KEPT / "lm-eval" / "knows-half"
    for name, options in {"all tasks": {}, "one variant": {"variant": "letter"}}.items():
        yield (name, lambda x=options: str(RunTable.from_answers(read_log(log, **x))))


def every_case() -> Iterator[tuple[str, Callable[[], Said], Files]]:
    """Yield calls that return messages, by what they are about, and the files that they read."""
    for show, logs in ((show_runs, LOGS), (name_runs, NAMED)):
        for name, (files, options) in logs.items():
            yield f"log: {name}", partial(outcome_of, partial(show, **options)), files
    for cases in (kept_cases, compare_cases, result_cases, figure_cases):
        kind = cases.__name__.partition("_")[0]
        for name, call in cases():
            yield f"{kind}: {name}", partial(outcome_of, call), {}
    for name, (files, words) in COMMANDS.items():
        yield f"command: {name}", partial(told_by, *words.split()), files


def log_messages() -> dict[str, Said]:
    """Return what is said of logs, results and commands, in folders below the current one."""
    return {
        name: in_own_folder(str(i), call, files)
        for i, (name, call, files) in enumerate(every_case())
    }
