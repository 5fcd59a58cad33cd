"""The lines of docs/what-is-read.md for exports of other tools give the scores of their samples.

Each file is written as the tool documents its format.

Covers src: files/reading.py.
"""

import csv
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from informedness import report
from inputs.cli_cases import refused

ROOT = Path(__file__).resolve().parents[2]
ROWS = [*csv.DictReader((ROOT / "examples" / "predictions.csv").read_text("utf-8").splitlines())]
LABELS, ANSWERS = ([row[name] for row in ROWS] for name in ("label", "filter"))
PAIRS = [*zip(range(100), LABELS, ANSWERS, strict=True)]
LINES = re.findall(
    r"^informedness report .+$",
    (ROOT / "docs" / "what-is-read.md")
    .read_text(encoding="utf-8")
    .split("## Files of other tools")[1],
    re.MULTILINE,
)


def of_openai(i, answer):
    """platform.openai.com/docs/guides/batch: a line per request, in any order."""
    choice = {"index": 0, "message": {"role": "assistant", "content": answer}}
    response = {"status_code": 200, "body": {"object": "chat.completion", "choices": [choice]}}
    return json.dumps({"custom_id": f"request-{i}", "response": response, "error": None})


def of_promptfoo(label, answer):
    """promptfoo.dev/docs/configuration/outputs."""
    return {"vars": {"label": label, "message": "..."}, "response": {"output": answer}}


def of_label_studio(*labels):
    """labelstud.io/guide/export: the raw JSON of a task."""
    results = [{"type": "choices", "value": {"choices": [x]}} for x in labels]
    label, answer = ([{"result": [result]}] for result in results)
    return {"annotations": label, "predictions": answer}


def of_names(label):
    """Return an object of numbers as spaCy has it, and a list as pipelines have it, unsorted."""
    scores = {x: 0.75 if x == label else 0.25 for x in ("spam", "ham")}
    return scores, [{"label": x, "score": y} for x, y in scores.items()]


def of_vertex(label, answer):
    """cloud.google.com/vertex-ai/docs: results of a batch prediction for text classification."""
    scores = of_names(answer)[0]
    prediction = {"displayNames": [*scores], "confidences": [*scores.values()]}
    return {"instance": {"label": label}, "prediction": prediction}


def lines_of(rows):
    return "\n".join(map(json.dumps, rows))


REQUESTS = [of_openai(i, answer) for i, _, answer in reversed(PAIRS)]
RESULTS = [of_promptfoo(*labels) for _, *labels in PAIRS]
TABLE = {"columns": ["id", "label", "prediction"], "data": PAIRS}
FILES = {
    "labels.csv": "\n".join(["custom_id,label", *(f"request-{i},{x}" for i, x, _ in PAIRS)]),
    "batch_output.jsonl": "\n".join(REQUESTS),
    "results.json": json.dumps({"results": {"version": 3, "results": RESULTS}}, indent=2),
    "predictions.table.json": json.dumps({**TABLE, "ncols": 3, "nrows": len(PAIRS)}),  # of wandb
    # `mlflow.log_table` writes `DataFrame.to_json(orient="split", index=False)`
    "table.json": json.dumps(TABLE),
    "project.json": json.dumps([of_label_studio(*labels) for _, *labels in PAIRS]),
    "pipeline.jsonl": lines_of({"label": x, "output": of_names(y)[1]} for _, x, y in PAIRS),
    "docs.jsonl": lines_of(
        {"cats": of_names(x)[0], "predicted": of_names(y)[0]} for _, x, y in PAIRS
    ),
    "vertex.jsonl": lines_of(of_vertex(x, y) for _, x, y in PAIRS),
    "best.jsonl": lines_of({"label": x, "prediction": y} for _, x, y in PAIRS),
    "predictions.json": json.dumps({i: {"gold": x, "prediction": y} for i, x, y in PAIRS}),
}


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)


@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(line.split()[2:6]))
def test_the_line_for_each_tool_gives_its_scores(line, command):
    arguments = shlex.split(line)[2:]
    declared = {"labels": ["ham", "spam"], "unknown": "wrong"} if "--labels" in arguments else {}
    code, output, _ = command("report", *arguments, "--format", "json")
    found = json.loads(output)
    assert (code, found.pop("read")[0]["n_rows"]) == (0, 100)
    assert found == report(LABELS, ANSWERS, **declared).to_dict()


@pytest.mark.skipif(not shutil.which("jq"), reason="no jq")
def test_jq_makes_columns_of_vertex_lists_of_names_and_scores():
    (line,) = re.findall(
        "^jq .+", (ROOT / "docs" / "what-is-read.md").read_text("utf-8"), re.MULTILINE
    )
    program = [*shlex.split(line)[:3], "vertex.jsonl"]
    made = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    assert [*map(json.loads, made.splitlines())] == [
        *map(json.loads, FILES["best.jsonl"].splitlines())
    ]


def test_requests_that_failed_are_wrong_answers_or_an_error(command):
    """Which are in a file of their own."""
    Path("batch_output.jsonl").write_text("\n".join(REQUESTS[:-2]))
    plain = shlex.split(LINES[0])[1:]
    counted = [*plain, "--labels", "ham", "spam", "--unknown", "wrong"]
    said = "2 of 100 identifiers in labels.csv cannot be found in batch_output.jsonl"
    assert f"{said}, such as 'request-0'." in command(*plain)[2]
    code, output, _ = command(*counted, "--metric", "accuracy")
    right = sum(label == answer for i, label, answer in PAIRS if i > 1)
    assert (code, float(output)) == (0, pytest.approx(right / 100, abs=1e-12))


def test_without_columns_the_values_within_a_document_are_listed(command):
    """Also the only place where rows can be."""
    line = "  informedness report results.json {}-r vars.label -p response.output{}\n"
    where = "--rows results.results"
    output = command("report", "results.json", "--rows", "results.results")[1]
    assert output.endswith(line.format(f"{where} ", ""))
    assert command("report", "results.json")[1].endswith(line.format("", f" {where}"))


STUDIO = "annotations.0.result.0.value.choices.0", "predictions.0.result.0.value.choices.0"
PUBLISHED = {  # the columns of files as strangers publish them, and the accuracy of their rows
    "columns_and_data.json --rows data": ("label", "pred", 9, 12),
    "two_lists.json --rows results": ("label", "pred", 5, 8),
    "summary_and_samples.json --rows samples": ("doc.Label", "pred_label", 5, 8),
    "conll_blanks.txt": ("gold", "pred", 3, 4),
    "conll_blanks.txt --no-quotes": ("gold", "pred", 3, 4),
    **dict.fromkeys(
        (f"label_studio_{why}.json --drop-null" for why in ("skipped", "unlabelled")),
        (*STUDIO, 11, 13),
    ),
    "label_studio_no_prediction.json --unknown wrong": (*STUDIO, 11, 14),
    "pipeline_all_scores.jsonl": ("gold", "argmax:output", 17, 20),
    "scores_by_name.jsonl": ("argmax:cats", "argmax:pred_cats", 17, 20),
}


@pytest.mark.parametrize("line", PUBLISHED)
def test_published_files_have_the_accuracy_of_their_rows(line, command):
    name, *options = line.split()
    references, predictions, n_right, n_rows = PUBLISHED[line]
    given = ["-r", references, "-p", predictions, *options, "--metric", "accuracy"]
    code, output, _ = command("report", str(ROOT / "tests" / "inputs" / "published" / name), *given)
    assert (code, float(output)) == (0, n_right / n_rows)


OBJECTS = [{"label": x, "pred": y} for x, y in ("ab", "aa", "bb")]
SPLIT = {"columns": ["label", "pred"], "data": [["a", "b"], ["a", "a"]]}  # as long as wide
DOCUMENTS = [  # and what is said of them, with the columns of each place
    (
        {"prompts": [{"raw": "x"}] * 2, "results": OBJECTS},
        "'results' (3 rows) or 'prompts' (2 rows)\n",
    ),
    (
        {"results": {"prompts": [{"raw": "x"}], "results": OBJECTS}},
        "'results.results' (3 rows) or ",
    ),
    ({"schema": {"fields": [{"name": "label"}] * 2}, "data": OBJECTS}, "'data' (3 rows) or "),
    ({"acc": 0.5, "samples": dict(zip("123", OBJECTS, strict=True))}, "--rows samples"),
    (SPLIT, "--rows data"),
    (SPLIT | {"index": [0, 1]}, "--rows data"),
    ({"table": SPLIT, "types": {"label": {"is": "text"}, "pred": {"is": "text"}}}, "table.data"),
    ({"columns": [{"name": "label"}], "data": [["a"], ["b"]]}, "'data' (2 rows) or 'columns'"),
    ({"accuracy": 0.5}, "p.json: 1 row\n"),
]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(("document", "said"), DOCUMENTS)
def test_where_the_rows_of_a_document_may_be_is_said(document, said, indent, command):
    Path("p.json").write_text(json.dumps(document, indent=indent))
    _code, output, error = command("report", "p.json")
    assert said in output + error
    assert "not JSON" not in output + error


def test_rows_that_are_no_list_are_refused_by_what_is_there(command):
    Path("p.json").write_text(json.dumps({"acc": 0.5, "samples": OBJECTS}, indent=2))
    refused(
        command("report", "p.json", "-r", "label", "-p", "pred", "--rows", "acc"),
        "must lead to a list of objects, got 0.5 at 'acc'",
    )
    Path("p.json").write_text(json.dumps({"columns": [{"name": "label"}], "data": [["a"]]}))
    refused(
        command("report", "p.json", "-r", "label", "-p", "pred", "--rows", "data"),
        "entry 0 must be a JSON object, got ['a']",
    )
    Path("p.json").write_text(json.dumps({"columns": ["label", "pred"], "data": [["a"]]}))
    refused(
        command("report", "p.json", "-r", "label", "-p", "pred", "--rows", "data"),
        "p.json: rows must have a cell for each of ['label', 'pred'], got ['a']",
    )
    Path("p.json").write_text(json.dumps(OBJECTS))
    refused(
        command("report", "p.json", "-r", "label", "-p", "pred", "--rows", "data"),
        "got 'data': the document is [{'label': 'a', 'pred': 'b'}, ",
    )


def test_one_object_in_several_lines_is_one_row(command):
    Path("p.json").write_text(json.dumps(OBJECTS[0], indent=2))
    _, output, _ = command("report", "p.json", "-r", "label", "-p", "pred", "--metric", "accuracy")
    assert output == "0.0\n"
