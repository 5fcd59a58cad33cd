"""The lines of docs/files.md for the exports of other tools give the scores of their samples.

Each file is written as the tool documents its format.
"""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

from informedness import report

ROOT = Path(__file__).resolve().parent.parent
with (ROOT / "examples" / "predictions.csv").open(encoding="utf-8") as _stream:
    ROWS = list(csv.DictReader(_stream))
LABELS, ANSWERS = ([row[name] for row in ROWS] for name in ("label", "filter"))
PAIRS = [(i, row["label"], row["filter"]) for i, row in enumerate(ROWS)]
LINES = re.findall(
    r"^informedness report .+$",
    (ROOT / "docs" / "files.md").read_text(encoding="utf-8").split("## Files of other tools")[1],
    re.MULTILINE,
)
TABLE = {"columns": ["id", "label", "prediction"], "data": PAIRS}


def openai_batch(failed=()):
    """platform.openai.com/docs/guides/batch: a line per request, in any order."""

    def line(i, answer):
        choice = {"index": 0, "message": {"role": "assistant", "content": answer}}
        body = {"id": "chatcmpl", "object": "chat.completion", "choices": [choice]}
        response = {"status_code": 200, "request_id": "req", "body": body}
        return {"id": "b", "custom_id": f"request-{i}", "response": response, "error": None}

    # those that failed are in the file of errors
    lines = [json.dumps(line(i, x)) for i, _, x in reversed(PAIRS) if i not in failed]
    labels = ["custom_id,label", *(f"request-{i},{label}" for i, label, _ in PAIRS)]
    return {"labels.csv": "\n".join(labels), "batch_output.jsonl": "\n".join(lines)}


def promptfoo():
    """promptfoo.dev/docs/configuration/outputs."""
    results = [
        {"vars": {"label": label, "message": "..."}, "response": {"output": answer}}
        for _, label, answer in PAIRS
    ]
    inner = {"version": 3, "prompts": [{"raw": "..."}], "results": results, "stats": {}}
    return json.dumps({"results": inner, "config": {"prompts": ["..."]}}, indent=2)


def label_studio():
    """labelstud.io/guide/export: the raw JSON of all tasks."""

    def result(label):
        value = {"choices": [label]}
        return [{"from_name": "label", "to_name": "text", "type": "choices", "value": value}]

    tasks = []
    for i, label, answer in PAIRS:
        annotations = [{"id": i, "result": result(label), "was_cancelled": False}]
        predictions = [{"model_version": "1", "score": 0.9, "result": result(answer)}]
        tasks.append({"id": i, "annotations": annotations, "predictions": predictions})
    return json.dumps(tasks)


FILES = {
    **openai_batch(),
    "results.json": promptfoo(),
    "predictions.table.json": json.dumps({**TABLE, "ncols": 3, "nrows": len(PAIRS)}),  # of wandb
    # `mlflow.log_table` writes `DataFrame.to_json(orient="split", index=False)`
    "table.json": json.dumps(TABLE),
    "project.json": label_studio(),
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


def test_requests_that_failed_are_wrong_answers_or_an_error(command):
    Path("batch_output.jsonl").write_text(openai_batch(failed=(3, 95))["batch_output.jsonl"])
    plain, counted = (shlex.split(line)[1:] for line in LINES[:2])
    code, _, error = command(*plain)
    assert code == 2
    assert "2 of 100 in labels.csv not in batch_output.jsonl, such as 'request-3'" in error
    code, output, _ = command(*counted, "--metric", "accuracy")
    right = sum(label == answer and i not in (3, 95) for i, label, answer in PAIRS)
    assert (code, float(output)) == (0, pytest.approx(right / 100, abs=1e-12))


def test_without_columns_the_values_within_a_document_are_listed(command):
    code, _, error = command("report", "results.json")
    assert (code, error.count("where in one document the rows are, with --rows")) == (2, 1)
    _, _, error = command("report", "results.json", "--rows", "results.results")
    assert "vars.label " in error
    assert "response.output " in error
    assert "--rows results.results --references vars.label --predictions " in error


def test_every_tool_of_the_page_has_a_file_here():
    assert {shlex.split(line)[2] for line in LINES} == {*FILES} - {"batch_output.jsonl"}
