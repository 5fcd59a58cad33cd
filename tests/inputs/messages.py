"""The messages that tests/messages.json holds: inputs, and what each surface says of them.

A case of SAMPLES is said by all surfaces: a file with these columns read in Python, given to the
command line, pasted into the page, and its columns sent to an endpoint. The others belong to one.
Only sentences are kept: what has no two blanks in a row, as tables have, and no signature.
"""

import contextlib
import csv
import html
import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import informedness as package
from harnesses.arithmetic import LOGS
from informedness import ContingencyTable, Tally, compare, report
from informedness.cli import main

Said = list[str]


class Case(NamedTuple):
    """Columns of a file, what they are called, and options of the reader and of the report."""

    references: Any
    predictions: Any
    options: Mapping[str, Any] = MappingProxyType({})
    names: tuple[str, ...] = ("gold", "model")
    chosen: tuple[str, ...] = ()
    asked: Mapping[str, Any] = MappingProxyType({})
    more: tuple[Any, ...] = ()

    def text(self) -> str:
        """Return the file."""
        file = io.StringIO()
        rows = zip(self.references, self.predictions, *self.more, strict=True)
        csv.writer(file, lineterminator="\n").writerows([self.names, *rows])
        return file.getvalue()

    def columns(self) -> tuple[str, str]:
        """Return the columns of references and of predictions."""
        references, predictions = self.chosen or self.names[:2]
        return references, predictions


AB, WRONG = {"labels": ["a", "b"]}, {"labels": ["a", "b"], "unknown": "wrong"}
UNLIKE = 'one\n"two"', "it's `three` | *four*", "\\five"
TRAPS = {
    "the name of an argument": "the `labels`",
    "an argument with a value": 'unknown="wrong"',
    "a flag": "--labels",
    "quotes": 'it\'s "so"',
    "a newline": "one\ntwo",
    "Markdown": "a | *b* _c_ [d](e)",
    "a backtick": "`",
    "a clause": "x; pass `labels` (or `unknown`)",
    "a backslash": "a\\`labels`",
}
SAMPLES = {
    **{f"prediction with {x}": Case("abba", ["a", "b", y, "a"], AB) for x, y in TRAPS.items()},
    **{
        f"class with {x}, not referenced": Case([*"ab" * 6], [*"ab" * 5, y, y])
        for x, y in TRAPS.items()
    },
    "prediction outside labels": Case("abba", "abca", AB),
    "prediction outside labels, wrong": Case("abba" * 5, "abca" * 5, WRONG),
    "reference outside labels": Case("abca", "abba", AB),
    "both outside labels": Case("abca", "abda", AB),
    "no prediction is a class": Case("abba", "cddc"),
    "other case": Case(["Yes", "no"] * 5, ["yes", "no"] * 5),
    "other case, ignored": Case(["Yes", "no"] * 5, ["yes", "no"] * 5, {"ignore_case": True}),
    "blanks": Case([" a", "b"] * 5, ["a", "b"] * 5),
    "labels that differ in case, ignored": Case(
        "ab", "ab", {"labels": ["a", "A"], "ignore_case": True}
    ),
    "missing prediction": Case("abba", ["a", "", "b", "a"]),
    "missing prediction, wrong": Case("abba", ["a", "", "b", "a"], WRONG),
    "missing reference": Case(["a", "", "b", "a"], "abba"),
    "missing reference, left out": Case(["a", "", "b", "a"], "abba", {"drop_null": True}),
    "missing reference, kept": Case(["a", "NA", "b", "a"], "abba", {"keep_missing": True}),
    "all missing": Case(["", ""], "ab", {"drop_null": True}),
    "scores": Case("0110", ["0.1", "0.9", "0.7", "0.2"]),
    "scores with threshold": Case("0110", ["0.1", "0.9", "0.3", "0.2"], {"threshold": 0.5}),
    "text with threshold": Case("0110", ["0.1", "x", "0.7", "0.2"], {"threshold": 0.5}),
    "no number as threshold": Case("0110", "0110", {"threshold": "nan"}),
    "names with threshold": Case("abba", ["0.1", "0.9", "0.7", "0.2"], {"threshold": 0.5}),
    "integers and text": Case("1221", ["1", "2", "x", "1"]),
    "identifiers": Case([f"text {i}" for i in range(20)], [f"text {i}" for i in range(20)]),
    "one class": Case("aaaa", "aaba"),
    "one class, no mistake": Case("aaaa", "aaaa"),
    "labels listed twice": Case("ab", "ab", {"labels": ["a", "a"]}),
    "-100": Case(["a", "b", "-100", "a"] * 3, "abba" * 3),
    "header says the opposite": Case("abba", "abba", {}, ("prediction", "label")),
    "same column twice": Case("abba", "abba", {}, ("gold", "model"), ("gold", "gold")),
    "no such column": Case("abba", "abba", {}, ("gold", "model"), ("gold", "modle")),
    "no such columns": Case("abba", "abba", {}, ("gold", "model"), ("x", "y")),
    "no such column with an argument": Case(
        "abba", "abba", {}, ("gold", 'unknown="wrong"'), ("gold", "`unknown`")
    ),
    "column with an argument": Case("abba", ["a", "", "b", "a"], {}, ("gold", 'unknown="wrong"')),
    "columns of one name": Case("abba", "abba", {}, ("gold", "model", "model"), (), {}, ("abba",)),
    "rows that may be counts": Case(
        "aabb", "abab", {}, ("gold", "model", "n"), (), {}, ([9, 1, 2, 8],)
    ),
    "rows that may be counts in odd columns": Case(
        "aabb", "abab", {}, ("gold", "model", "it's", "`counts`"), (), {}, ([9, 1, 2, 8],) * 2
    ),
    "counts": Case(
        "aabb", "abab", {"counts": "n"}, ("gold", "model", "n"), (), {}, ([9, 1, 2, 8],)
    ),
    "counts that are no numbers": Case(
        "aabb", "abab", {"counts": "n"}, ("gold", "model", "n"), (), {}, (["9", "x", "2", "8"],)
    ),
    "counts that are fractions": Case(
        "aabb", "abab", {"counts": "n"}, ("gold", "model", "n"), (), {}, ([9, 1.5, 2, 8],)
    ),
    "counts that are negative": Case(
        "aabb", "abab", {"counts": "n"}, ("gold", "model", "n"), (), {}, ([9, -1, 2, 8],)
    ),
    "counts in no column": Case("abba", "abba", {"counts": "m"}),
    "counts in the column of labels": Case("1221", "1221", {"counts": "gold"}),
    "a verdict": Case(
        "abba" * 3,
        ["1", "1", "0", "1"] * 3,
        {},
        ("gold", "correct", "model"),
        (),
        {},
        ("abca" * 3,),
    ),
    "no such encoding": Case("abba", "abba", {"encoding": "utf9"}),
    "few samples": Case("abba", "abaa", {}, asked={"confidence_level": 0.95}),
    "macro": Case("abba", "abca", {}, asked={"average": "macro"}),
    "prevalence with an absent class": Case(
        "abba", "abba", {"labels": ["a", "b", "c"]}, asked={"average": "prevalence"}
    ),
    "no such average": Case("abba", "abba", {}, asked={"average": "micro"}),
    "above accuracy": Case("aaaabbbcd", "aaaabbbdc", {}, asked={"confidence_level": 0.95}),
}
TEXTS = {  # of files
    "an empty file": "",
    "a header alone": "gold,model\n",
    "no header": "a,a\nb,b\na,a\n",
    "a row too long": "gold,model\na,a\nb,b,c\n",
    "an open quote": 'gold,model\na,"a\nb,b\n',
    "a title": "Results of today\ngold,model\na,a\nb,b\n",
    "ARFF": "@relation x\n@attribute gold {a,b}\n@data\na,a\n",
    "two headers": "gold,model\na,a\ngold,model\nb,b\n",
    "two tables": "| gold | model |\n|---|---|\n| a | a |\n\n" * 2,
    "a frame cut by pandas": "    gold model\n0   a    a\n..  ...  ...\n9   b    b\n",
    "JSON with a number": '{"gold": "a", "model": 0.5}\n{"gold": "b", "model": 1}\n',
    "JSON without a column": '{"gold": "a", "model": "a"}\n{"gold": "b"}\n',
    "JSON with a list": '{"gold": "a", "model": ["a", "b"]}\n',
    "JSON that is no JSON": '{"gold": "a", "model": "a"}\n{"gold": b}\n',
    "JSON with a key twice": '{"gold": "a", "gold": "b", "model": "a"}\n',
    "JSON of one object": '{"results": {"gold": "a"}}',
}
MATRICES = {
    "a row too short": ([[1, 2], [3]], ["a", "b"]),
    "totals": ([[9, 1, 10], [2, 8, 10], [11, 9, 20]], None),
    "a negative count": ([[9, -1], [2, 8]], ["a", "b"]),
    "labels twice": ([[9, 1], [2, 8]], ["a", "a"]),
    "a label too few": ([[9, 1], [2, 8]], ["a"]),
    "no samples": ([[0, 0], [0, 0]], ["a", "b"]),
    "a class without references": ([[9, 1], [0, 0]], ["a", "b"]),
    "a third class without references": ([[9, 1, 2], [1, 8, 3], [0, 0, 0]], ["a", "b", "c"]),
    "a class that looks like none": ([[9, 1, 2], [1, 8, 3], [0, 0, 0]], ["a", "b", "unknown"]),
    "weights": ([[9.5, 1.25], [2.5, 8]], ["a", "b"]),
    "shares": ([[0.9, 0.1], [0.2, 0.8]], ["a", "b"]),
    "percentages": ([[90, 10], [20, 80]], ["a", "b"]),
    "few samples": ([[2, 1], [1, 2]], ["a", "the `labels`"]),
    "other case": ([[9, 1], [2, 8]], ["Yes", "yes"]),
    "a label with an argument": ([[9, 1, 2], [2, 8, 1], [0, 0, 0]], ["a", "b", 'unknown="wrong"']),
}
MODELS = {  # references, the predictions of two models, and options
    "few differ": ("aabb" * 5, "aabb" * 4 + "abab", "aabb" * 5, {}),
    "none differ": ("aabb" * 5, "aabb" * 5, "aabb" * 5, {}),
    "one class": ("aaaa", "aaba", "abaa", {}),
    "outside in A": ("abba", "abca", "abba", AB),
    "outside in B": ("abba", "abba", "abca", AB),
    "outside in B, undeclared": ("abba" * 3, "abba" * 3, "abca" * 3, {}),
    "outside in B, wrong": ("abba" * 5, "abba" * 5, "abca" * 5, WRONG),
    "missing in B": ("abba", "abba", ["a", "", "b", "a"], {}),
    "no class in B": ("abba", "abba", "cddc", {}),
    "other case in B": (["Yes", "no"] * 5, ["Yes", "no"] * 5, ["yes", "no"] * 5, {}),
    "an argument in B": ("abba", "abba", ["a", "b", "`y_pred_a`", "a"], AB),
}


def as_sentences(text: str) -> Said:
    """Return the lines of a text that are no part of a table and no signature."""
    lines = map(str.strip, text.splitlines())
    return [line for line in lines if line and "  " not in line and "|v:" not in line]


def outcome_of(call: Callable[[], Any]) -> Said:
    """Return the warnings of a call, and its error or the sentences of its result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = call()
            ending = as_sentences(str(result)) if hasattr(result, "to_markdown") else []
            if isinstance(result, str):
                ending = as_sentences(result)
        except Exception as error:
            text = re.sub(" at 0x[0-9a-f]+", "", f"{type(error).__name__}: {error}")
            ending = [text]
    ours = (x for x in caught if str(x.message).startswith("informedness: "))
    return [*(f"{one.category.__name__}: {one.message}" for one in ours), *ending]


# Python


def _report_on_file(case: Case) -> Any:
    Path("data.csv").write_text(case.text(), "utf-8")
    references, predictions = case.columns()
    named = {"references": references, "predictions": predictions}
    return report(package.table_from_file("data.csv", **named, **case.options), **case.asked)


def _read_text(text: str, name: str = "data.csv", **options: Any) -> Any:
    name = name.replace("csv", "jsonl") if text.startswith("{") else name
    Path(name).write_text(text, "utf-8")
    package.table_from_file(name, references="gold", predictions="model", **options)


def _score_matrix(matrix: Any, labels: Any) -> None:
    report(ContingencyTable.from_matrix(np.array(matrix), labels=labels))


def python_cases() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the calls of functions of Python, by what they are about."""
    for name, case in SAMPLES.items():
        yield f"file: {name}", lambda case=case: _report_on_file(case)
    for name, text in TEXTS.items():
        yield f"file: {name}", lambda text=text: _read_text(text)
    for name, (matrix, labels) in MATRICES.items():
        yield f"matrix: {name}", lambda x=matrix, y=labels: _score_matrix(x, y)
    for name, (*columns, options) in MODELS.items():
        lists = [[*column] for column in columns]
        yield f"compare: {name}", lambda x=lists, y=options: compare(*x, **y)
    of_labels, of_counts = ContingencyTable.from_labels, ContingencyTable.from_counts
    score, estimate = package.informedness_score, package.estimate
    a, b = [*"aabb" * 3], [*"abab" * 3]
    series = pd.Series([*"abba"], index=[3, 2, 1, 0])
    # core
    yield "length", lambda: score([*"abb"], [*"ab"])
    yield "length of weights", lambda: score([*"ab"], [*"ab"], sample_weight=[1.0])
    yield "negative weight", lambda: score([*"ab"], [*"ab"], sample_weight=[1.0, -1.0])
    yield "weights of text", lambda: score([*"ab"], [*"ab"], sample_weight=["1", "x"])
    yield "types", lambda: score(["1", "2"], [1, 2])
    yield "mixed types", lambda: score(["1", 2], ["1", "2"])
    yield "fraction", lambda: score([0, 1], [0.5, 1])
    yield "missing", lambda: score(["a", "b"], ["a", None])
    yield "iterator", lambda: score([*"ab"], map(str, "ab"))
    yield "text", lambda: score("ab", [*"ab"])
    yield "mapping", lambda: score({"a": 1}, [*"ab"])
    yield "columns", lambda: score([0, 1, 1], np.eye(3))
    yield "masked", lambda: score(np.ma.array([0, 1], mask=[0, 1]), [0, 1])
    yield "large integer", lambda: score([2**70, 1], [1, 1])
    yield "order of the index", lambda: score(pd.Series([*"abba"]), series)
    yield "no samples", lambda: score([], [])
    yield "all ignored", lambda: score([-100], [1], ignore_index=-100)
    yield "no such unknown", lambda: score(a, b, unknown="wring")
    yield "no such average", lambda: score(a, b, average="bais")
    yield "no labels", lambda: score(a, b, labels=[])
    yield "labels of integers", lambda: score(a, b, labels=[0, 1])
    yield "ignored label of another type", lambda: score(a, b, ignore_index=-100)
    yield "outside", lambda: score([*"abab"], [*"abac"], labels=["a", "b"])
    yield "outside, undeclared", lambda: score([*"abab"], [*"abac"])
    yield "outside in NIT", lambda: package.nit_score([*"abab"], [*"abac"])
    yield "None as a class", lambda: score(["a", "b", "None"], ["a", "b", "None"])
    yield "one class", lambda: score([*"aa"], [*"aa"])
    yield "one class, no such stand-in", lambda: score([*"aa"], [*"aa"], zero_division=3)
    yield "absent class", lambda: score(a, b, labels=[*"abc"], average=None)
    yield "prior as a list", lambda: score(a, b, prior=[0.5, 0.5])
    yield "prior without a class", lambda: score(a, b, prior={"a": 1.0})
    yield "prior of text", lambda: score(a, b, prior={"a": 0.5, "b": "x"})
    yield "prior below 0", lambda: score(a, b, prior={"a": 1.5, "b": -0.5})
    yield "prior with sum 2", lambda: score(a, b, prior={"a": 0.9, "b": 0.9})
    yield "prior of another class", lambda: score(a, b, prior={"a": 0.5, "b": 0.3, "c": 0.2})
    yield "odds", lambda: score(a, [*b[:-1], "c"], prior={"a": 1, "b": 1}, prior_mode="odds")
    # tables
    counts = {"references": [*"ab"], "predictions": [*"ab"]}
    yield "counts of pairs", lambda: of_counts(**counts, counts=[1])
    yield "counts of 0", lambda: of_counts(**counts, counts=[0, 0])
    yield "samples of pairs", lambda: of_counts(**counts, counts=[1.5, 2], n_samples=[1, 0])
    yield "shape of a matrix", lambda: ContingencyTable.from_matrix(np.ones((2, 3)))
    yield (
        "matrix of a frame",
        lambda: ContingencyTable.from_matrix(
            pd.DataFrame([[1, 2], [3, 4]], index=[*"ab"], columns=[*"cd"])
        ),
    )
    yield "matrix of text", lambda: ContingencyTable.from_matrix("ham,spam")
    yield "table and labels", lambda: report(of_labels(references=a, predictions=b), labels=[*"ab"])
    yield "references alone", lambda: report(a)
    yield (
        "sum of types",
        lambda: ContingencyTable.sum_of(
            [of_labels(references=x, predictions=x) for x in (["a"], [1])]
        ),
    )
    yield "tally without samples", lambda: Tally().table
    yield (
        "tally outside",
        lambda: Tally(labels=["a", "b"]).update(references=["a"], predictions=["c"]),
    )
    yield "tallies of options", lambda: Tally(labels=["a", "b"]) + Tally(labels=["a", "c"])
    # inference
    yield "no such metric", lambda: estimate(a, b, metric="informedess")
    yield "no interval", lambda: estimate(a, b, metric="cohen_kappa")
    yield "average of a metric without", lambda: estimate(a, b, metric="nit", average="macro")
    yield "unknown of a metric", lambda: estimate(a, b, metric="markedness", unknown="wrong")
    yield "prior of NIT", lambda: estimate(a, b, metric="nit", prior={"a": 0.5, "b": 0.5})
    yield "level", lambda: estimate(a, b, confidence_level=95)
    yield (
        "weights without squares",
        lambda: estimate(ContingencyTable.from_matrix([[1.5, 2], [3, 4]])),
    )
    # results
    many = np.array([*"abc" * 40])
    yield "estimate", lambda: estimate(a, b)
    yield "estimate in one group", lambda: estimate(a, b, groups=[1] * 12)
    yield "estimate in groups", lambda: estimate(a, b, groups=[*"123"] * 4)
    yield "estimate in groups, all averages", lambda: estimate(a, b, groups=b, average=None)
    yield "report of groups", lambda: report(a, b, groups=b)
    yield "report", lambda: report(many, many[::-1], confidence_level=0.95)
    yield "report of no score", lambda: report(a, b)["kappa"]
    yield "slices of many", lambda: package.slices(many, many, by={"x": np.arange(120) % 60})
    yield "slices of columns", lambda: package.slices(a, b, by={"x": [1, 2]})
    yield "slices of types", lambda: package.slices(a, b, by=["1", 2] * 6)
    yield "slices and groups", lambda: package.slices(a, b, by=b, vs_rest="informedness", groups=b)
    yield "leaderboard", lambda: package.leaderboard(a, {"`y_pred`": b, "labels=1": a})
    yield "leaderboard of a list", lambda: package.leaderboard(a, [b])
    yield (
        "leaderboard outside",
        lambda: package.leaderboard(a, {"x": ["c"] * 12, "y": a}, labels=["a", "b"]),
    )
    yield "leaderboard of names", lambda: package.leaderboard(a, {1: b, "1": a})
    yield "compare with a margin", lambda: compare(a, b, a, margin=0)
    yield "compare within a margin", lambda: compare(a, b, a, margin=0.1)
    yield "compare all averages", lambda: compare(a, b, a, average=None)
    yield "compare weights", lambda: compare(a, b, a, sample_weight=[1, 2])
    tasks = {"x": (a, b, a), "y": (many, many, many[::-1])}
    yield "tasks", lambda: package.compare_tasks(tasks)
    yield "one task", lambda: package.compare_tasks({"x": (a, b, a)})
    yield "tasks of NIT", lambda: package.compare_tasks(tasks, metric="nit")
    yield "task left out", lambda: package.compare_tasks({**tasks, "`labels`": (["a"],) * 3})
    yield "rate of no class", lambda: package.corrected_rate(a, b, positive="c", judged=[1, 2])
    yield "rate", lambda: package.corrected_rate(a, b, positive="a", judged=a)
    yield "rate of few", lambda: package.corrected_rate(a, b, positive="a", judged=[5, 2])
    from informedness.plots import plot_intervals

    yield "no estimates to plot", lambda: plot_intervals({})
    yield "a list of estimates", lambda: plot_intervals([1])
    # functions and what stands above them
    yield "decisions from one column", lambda: package.informed_decisions([[0.5]])
    yield "decisions from logits", lambda: package.informed_decisions([[0.5, 3.0]])
    yield (
        "decisions with shares",
        lambda: package.informed_decisions([[0.5, 0.5]], prevalence=[0.5, 0.1]),
    )
    yield "labels of samples", lambda: package.per_label([[0, 1], [1, 0]], [[0, 2], [1, 0]])
    yield "names of labels", lambda: package.per_label([[0, 1]], [[0, 1]], names=["a"])
    yield "label never right", lambda: package.per_label([[0, 1], [0, 0]], [[0, 1], [0, 1]])
    from informedness.scorers import multimetric_scorers
    from informedness.trainer import ComputeMetrics

    eye, ids = np.eye(3)[[0, 1, 2, 2]] * 5, np.array([0, 1, 2, 1])
    yield "no scorers", lambda: multimetric_scorers()
    yield "no names", lambda: ComputeMetrics("acuracy")
    yield "no pair", lambda: ComputeMetrics("nit")([1])
    yield "one logit", lambda: ComputeMetrics("nit")((eye[:, :1], ids[:2]))
    yield "logits in an odd shape", lambda: ComputeMetrics("nit")((np.ones((4, 2, 3)), ids))
    yield "half references", lambda: ComputeMetrics("nit")((eye, ids + 0.5))
    yield "ids outside", lambda: ComputeMetrics("nit", labels=[0, 1])((eye, ids))
    yield "no config", lambda: ComputeMetrics(config=[3])
    yield "threshold of classes", lambda: ComputeMetrics("nit", threshold=0.5)((eye, ids))
    # files, frames and logs
    frame = pd.DataFrame({"gold": [*"abba"], 'unknown="wrong"': [*"abca"]})
    of_frame = package.table_from_frame
    named = {"references": "gold", "predictions": 'unknown="wrong"'}
    yield "frame", lambda: of_frame(frame, **named, labels=["a", "b"])
    yield (
        "frame without a column",
        lambda: of_frame(frame, references="gold", predictions="unknown"),
    )
    yield "no frame", lambda: of_frame(3, **named)
    text = "gold,model\na,a\nb,`labels`\n"
    yield "choices", lambda: _read_text(text, choices=["a", "b"])
    yield "choices beside labels", lambda: _read_text(text, choices=["a"], labels=["a"])
    yield "no integers", lambda: _read_text(text, numeric=True)
    yield "nothing extracted", lambda: _read_text(text, extract="^[ab]$")
    yield "no pattern", lambda: _read_text(text, extract="(")
    yield "rows of CSV", lambda: _read_text("gold,model\na,a\n", rows="a.b")
    yield "rows of JSON", lambda: _read_text('{"a": [{"gold": 1}]}', "data.json", rows="`rows`")
    yield "no ending", lambda: _read_text("gold,model\na,a\n", "data.odd")
    yield (
        "labels=1.csv",
        lambda: _read_text("gold,model\na,a\nb,c\n", "labels=1.csv", labels=["a", "b"]),
    )
    yield (
        "argmax",
        lambda: package.table_from_file(
            "data.csv", references="gold", predictions="argmax:model,model"
        ),
    )
    yield "no log", lambda: package.read_log("data.csv")
    log = LOGS / "lm-eval" / "knows-half"
    yield "no such task", lambda: package.read_log(log, task="sums")
    yield "task excluded", lambda: package.read_log(log, exclude_task="`task`")
    yield "verdict with extract", lambda: package.read_log(log, verdict="acc", extract="a")
    yield "no such harness", lambda: package.read_log(log, harness="lm_eval")


def python_messages() -> dict[str, Said]:
    """Return what Python says."""
    return {name: outcome_of(call) for name, call in python_cases()}


# The command line

FLAGS = {"file_format": "--input-format"}


def arguments_of(options: Mapping[str, Any]) -> list[str]:
    """Return options of Python as those of the command line."""
    arguments = []
    for name, value in options.items():
        values = [] if value is True else [*map(str, value)] if isinstance(value, list) else [value]
        arguments += [FLAGS.get(name, f"--{name.replace('_', '-')}"), *map(str, values)]
    return arguments


def told_by(*arguments: str) -> Said:
    """Return the exit code of a command and its sentences, errors first."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = main(arguments)
    sentences = as_sentences(output.getvalue())
    return [str(code), *errors.getvalue().splitlines(), *sentences]


ODD = {"the `labels`.csv": "abba", "labels=1.csv": "abca", "it's.csv": "abbb", "c.csv": "abba"}
COMMANDS = {
    "no command": "reprot x.csv",
    "a file as command": "c.csv",
    "no such option": "report c.csv --label a",
    "no number": "report c.csv --threshold x",
    "no file": "report",
    "file not there": "report labels=2.csv -r gold -p model",
    "columns to choose": "report labels=1.csv",
    "predictions to choose": "report labels=1.csv -r gold",
    "labels before the file": "report --labels a b c.csv -r gold -p model c.csv",
    "outside in a file": "report labels=1.csv -r gold -p model --labels a b",
    "outside in two files": [
        "report",
        "c.csv",
        "the `labels`.csv",
        "labels=1.csv",
        *["-r", "gold", "-p", "model", "--labels", "a", "b"],
    ],
    "column in no file": ["report", "it's.csv", *["-r", "gold", "-p", "modle"]],
    "file listed twice": "report c.csv c.csv -r gold -p model",
    "strict": "report labels=1.csv -r gold -p model --strict",
    "choices": "report labels=1.csv -r gold -p model --choices a b",
    "choices beside labels": "report c.csv -r gold -p model --choices a b --labels a b",
    "extract": "report labels=1.csv -r gold -p model --extract [ab]",
    "numeric": "report c.csv -r gold -p model --numeric",
    "encoding of nothing": "report c.csv -r gold -p model --encoding x",
    "joined": "compare c.csv labels=1.csv --on id -r gold -p model",
    "joined with labels": "compare c.csv labels=1.csv --on id -r gold -p model --labels a b",
    "joined without a sample": "compare short.csv labels=1.csv --on id -r gold -p model",
    "joined with the first": "compare labels=1.csv c.csv --on id -r gold -p model --labels a b",
    "joined on no column": "compare c.csv labels=1.csv --on sample -r gold -p model",
    "joined references": "compare c.csv other.csv --on id -r gold -p model",
    "joined on repeated": "compare c.csv labels=1.csv --on gold -r gold -p model",
    "one file joined": "compare c.csv --on id -r gold -p model",
    "one model": "compare c.csv -r gold -p model",
    "models named once": "report wide.csv -r gold -p model model",
    "two models": "compare wide.csv -r gold -p model other --labels a b",
    "two models, wrong": "compare wide.csv -r gold -p model other --labels a b --unknown wrong",
    "two models, missing": "compare gap.csv -r gold -p model other",
    "margin": "compare wide.csv -r gold -p model other --margin 0.1",
    "detect": "compare wide.csv -r gold -p model other --detect 0.1",
    "no margin": "compare wide.csv -r gold -p model other --margin 0",
    "require": "compare wide.csv -r gold -p model other --require not-worse",
    "require better": "compare wide.csv -r gold -p model other --require better",
    "require and fail": "compare wide.csv -r gold -p model other --require better --fail-if worse",
    "leaderboard": "report wide.csv -r gold -p model other",
    "leaderboard with an argument": [
        "report",
        "odd.csv",
        "-r",
        "gold",
        "-p",
        "`labels`",
        "labels=1",
    ],
    "leaderboard outside": [
        "report",
        "odd.csv",
        *["-r", "gold", "--labels", "a", "b", "-p"],
        "`labels`",
        "labels=1",
    ],
    "slices": "report wide.csv -r gold -p model --by other",
    "slices against the rest": "report wide.csv -r gold -p model --by other --vs-rest informedness",
    "slices by no column": "report wide.csv -r gold -p model --by othre",
    "rest without slices": "report wide.csv -r gold -p model --vs-rest nit",
    "groups": "report wide.csv -r gold -p model --groups other --confidence-level 0.9",
    "groups without a level": "report wide.csv -r gold -p model --groups other",
    "weights and counts": "report wide.csv -r gold -p model --weights n --counts n",
    "weights": "report wide.csv -r gold -p model --weights n --confidence-level 0.9",
    "weights that are no numbers": "report wide.csv -r gold -p model --weights other",
    "prior": "report c.csv -r gold -p model --prior labels=1.csv:model --metric nit",
    "prior without a column": "report c.csv -r gold -p model --metric nit --prior x.csv",
    "prior of no column": "report c.csv -r gold -p model --metric ema --prior labels=1.csv:labels",
    "prior of one": "report c.csv -r gold -p model --metric informedness --prior one.csv:gold",
    "odds": "report c.csv -r gold -p model --metric ema --prior one.csv:gold --prior-mode odds",
    "at least": "report c.csv -r gold -p model --at-least 0.5",
    "at least of one": "report c.csv -r gold -p model --at-least 0.5 --metric informedness",
    "level": "report c.csv -r gold -p model --confidence-level 95",
    "no interval": "report c.csv -r gold -p model --metric cohen_kappa --confidence-level 0.9",
    "average of NIT": "report c.csv -r gold -p model --metric nit --average macro",
    "no metric": "report c.csv -r gold -p model --metric f1",
    "threshold": "report c.csv -r gold -p model --threshold 0.5",
    "threshold and extract": "report c.csv -r gold -p model --threshold 0.5 --extract x",
    "lines": "report lines.txt other.txt",
    "lines of lengths": "report lines.txt longer.txt",
    "lines outside": "report lines.txt other.txt --labels a b",
    "matrix": "report matrix.csv",
    "matrix of shares": "report shares.csv",
    "matrix of totals": "report totals.csv",
    "markdown": "report labels=1.csv -r gold -p model --unknown wrong --format markdown",
    "Markdown of odd labels": [
        "report",
        "odd.csv",
        "-r",
        "labels=1",
        "-p",
        "`labels`",
        "--format",
        "markdown",
    ],
    "by file": ["report", "c.csv", "labels=1.csv", *["-r", "gold", "-p", "model", "--by-file"]],
    "by task": "report wide.csv -r gold -p model --by-task other",
    "tasks compared": "compare wide.csv -r gold -p model other --by-task n",
    "ignored": "report c.csv -r gold -p model --ignore-index a",
    "rows": "report c.csv -r gold -p model --rows x",
    "harness of columns": "report c.csv -r gold -p model --task x",
    "plot of a format": "report c.csv -r gold -p model --plot c.csv",
    "several plots": "compare c.csv -r gold -p model --plot x",
    "by in compare": "compare wide.csv -r gold -p model other --by n",
    "two logs": "compare c.csv labels=1.csv",
    "log": "report LOGS/lighteval/details --task arithmetic_letters",
    "log without its task": "report LOGS/lm-eval/knows-half --task `labels`",
    "log with a verdict": "report LOGS/lm-eval/knows-half --verdict nothing",
    "log to strip": "report LOGS/lm-eval/knows-half --task arithmetic_texts --strip",
    "log by another": "report LOGS/lm-eval/knows-half --from inspect",
    "log of no run": "report LOGS/lm-eval/knows-half --run labels=1",
    "several runs compared": "compare LOGS/lm-eval/knows-half LOGS/lm-eval/always-b",
}


def _write_files() -> None:
    def write(name: str, *columns: Any) -> None:
        with Path(name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(zip(*columns, strict=True))

    for name, answers in ODD.items():
        write(name, ["id", *"1234"], ["gold", *"abba"], ["model", *answers])
    wide = ["gold", *"abba" * 3], ["model", *"abab" * 3], ["other", *"abca" * 3]
    write("wide.csv", *wide, ["n", *[1, 2] * 6])
    write("short.csv", ["id", *"123"], ["gold", *"abb"], ["model", *"abb"])
    write("other.csv", ["id", *"1234"], ["gold", *"abbb"], ["model", *"abba"])
    write("gap.csv", ["gold", *"abba"], ["model", *"abba"], ["other", "a", "", "b", "a"])
    traps = [*TRAPS.values()][:4]
    write("odd.csv", ["gold", *"abba"], ["`labels`", *traps], ["labels=1", *reversed(traps)])
    write("one.csv", ["gold", "a", "a"])
    write("lines.txt", "abba")
    write("other.txt", "abca")
    write("longer.txt", "abcab")
    write("matrix.csv", ["", "a", "b"], ["a", "9", "1"], ["b", "2", "8"])
    write("shares.csv", ["", "a", "b"], ["a", "0.9", "0.1"], ["b", "0.2", "0.8"])
    write("totals.csv", ["9", "2", "11"], ["1", "8", "9"], ["10", "10", "20"])


def command_messages() -> dict[str, Said]:
    """Return what the command line says, in the current folder, in which it writes files."""
    said = {}
    for name, case in SAMPLES.items():
        Path("data.csv").write_text(case.text(), "utf-8")
        references, predictions = case.columns()
        options = arguments_of({**case.options, **case.asked})
        columns = "-r", references, f"--predictions={predictions}"
        said[f"file: {name}"] = told_by("report", "data.csv", *columns, *options)
    for name, text in TEXTS.items():
        file = "data.jsonl" if text.startswith("{") else "data.csv"
        Path(file).write_text(text, "utf-8")
        said[f"file: {name}"] = told_by("report", file, "-r", "gold", "-p", "model")
    for name, (*columns, options) in MODELS.items():
        case = Case(*columns[:2], names=("gold", "model", "`y_pred`"), more=(columns[2],))
        Path("data.csv").write_text(case.text(), "utf-8")
        named = "-r", "gold", "-p", "model", "`y_pred`"
        said[f"compare: {name}"] = told_by("compare", "data.csv", *named, *arguments_of(options))
    _write_files()
    for name, command in COMMANDS.items():
        arguments = command.split() if isinstance(command, str) else command
        told = told_by(*(x.replace("LOGS", str(LOGS)) for x in arguments))
        said[name] = [line.replace(str(LOGS), "LOGS") for line in told]
    return said


# The page, by what its doors are given, and its endpoints

MEANT = ("drop_null", "keep_missing", "strip", "ignore_case", "unknown")


def _shown(page: SimpleNamespace, door: str, **values: Any) -> Said:
    """Return the refusal, or what is noted, of what a door is given."""
    from drawn import given  # which is there where a page is

    own = page.app.DOORS[door]
    text = values.get("box", "")
    key = page.form.key_of(text)  # as if it had been seen, so that what was chosen stays
    form = values.pop("form", "names")
    held = given(own, form=form, key=f"{key} {form}", **values)
    found = page.form.read(own, held)
    drawn = found["refusal"] or "".join(
        found.get(name, "") for name in ("account", "story", "details")
    )
    texts = re.findall(r'<(p|details) class="(?:refusal|note|read)[^>]*>(.*?)</\1>', drawn, re.S)
    return [" ".join(html.unescape(re.sub("<[^>]*>", "", text)).split()) for _, text in texts]


def _pressed(
    page: SimpleNamespace, text: str, names: Any, options: dict[str, Any], average: Any
) -> Said:
    references, predictions = names
    meant = [x for x in MEANT if options.get(x) not in (None, False, "error")]
    held = {"column references": references, "column predictions": predictions}
    held |= {"counts": options.get("counts"), "meant": meant, "average": average}
    held |= {"classes": "\n".join(map(str, options.get("labels", ())))}
    threshold = str(options.get("threshold", ""))
    held |= {"encoding": options.get("encoding"), "threshold": threshold}
    return _shown(page, "mine", box=text, **held)


def page_messages(page: SimpleNamespace) -> dict[str, Said]:
    """Return what the page shows of what its controls hold."""
    said = dict[str, Said]()
    for name, case in SAMPLES.items():
        average = case.asked.get("average", "default")
        how = case.columns(), case.options, average
        said[f"file: {name}"] = _pressed(page, case.text(), *how)
    for name, text in TEXTS.items():
        said[f"file: {name}"] = _pressed(page, text, ("gold", "model"), {}, "default")
    for name, (matrix, labels) in MATRICES.items():
        grid = page.data.grid_value(labels or range(len(matrix)), matrix)
        with contextlib.suppress(ValueError):  # of a matrix that no grid can hold
            said[f"matrix: {name}"] = _shown(page, "mine", form="matrix", grid=grid)
    for name, (*columns, options) in MODELS.items():
        case = Case(*columns[:2], names=("gold", "model", "`y_pred`"), more=(columns[2],))
        columns_of = [f"column {role}" for role in page.charts.MODEL_ROLES]
        held = dict(zip(columns_of, case.names, strict=True))
        held |= {"classes": "\n".join(options.get("labels", ()))}
        held |= {"meant": ["unknown"] if "unknown" in options else []}
        said[f"compare: {name}"] = _shown(page, "compare", box=case.text(), **held)
    return said


def _answered(endpoint: Callable[..., Any], *values: Any) -> Said:
    try:
        answer = endpoint(*values)
    except Exception as error:
        return [f"{type(error).__name__}: {getattr(error, 'message', error)}"]
    return [*answer["warnings"], answer["summary"]]


def endpoint_messages(page: SimpleNamespace) -> dict[str, Said]:
    """Return what programs are told by the endpoints, in their language."""
    ends, said = page.endpoints, {}
    score, matrix, compared = map(ends.called, (ends.score, ends.score_matrix, ends.compare))
    for name, case in SAMPLES.items():
        if not case.options.keys() - {"labels", "unknown"} and not case.more and not case.chosen:
            columns = [[x or None for x in side] for side in (case.references, case.predictions)]
            options = {"labels": None, "confidence_level": 0.95, "unknown": "error"} | case.options
            average = case.asked.get("average", "default")
            said[f"score: {name}"] = _answered(score, *columns, *options.values(), average)
    for name, (cells, labels) in MATRICES.items():
        said[f"matrix: {name}"] = _answered(matrix, cells, labels)
    for name, (*columns, options) in MODELS.items():
        lists = [[x or None for x in column] for column in columns]
        asked = options.get("labels"), "informedness", 0.95, options.get("unknown", "error")
        said[f"compare: {name}"] = _answered(compared, *lists, *asked)
    said["text for a list"] = _answered(score, "a, b", [*"ab"])
    said["no such metric"] = _answered(compared, *[[*"ab"]] * 3, None, "f1")
    said["level"] = _answered(score, [*"ab"], [*"ab"], None, 95)
    return said
