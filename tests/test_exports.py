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
LINES = re.findall(
    r"^informedness report .+$",
    (ROOT / "docs" / "files.md").read_text(encoding="utf-8").split("## Files of other tools")[1],
    re.MULTILINE,
)


def write_openai_batch(folder, failed=()):
    """platform.openai.com/docs/guides/batch: a line per request, in any order."""
    lines = ["custom_id,label", *(f"request-{i},{label}" for i, label in enumerate(LABELS))]
    (folder / "labels.csv").write_text("\n".join(lines))
    with (folder / "batch_output.jsonl").open("w") as stream:
        for i, answer in reversed([*enumerate(ANSWERS)]):
            if i in failed:  # in the file of errors
                continue
            choice = {"index": 0, "message": {"role": "assistant", "content": answer}}
            body = {"id": "chatcmpl", "object": "chat.completion", "choices": [choice]}
            response = {"status_code": 200, "request_id": "req", "body": body}
            line = {"id": "batch", "custom_id": f"request-{i}", "response": response, "error": None}
            stream.write(json.dumps(line) + "\n")


def write_promptfoo(folder):
    """promptfoo.dev/docs/configuration/outputs."""
    results = [
        {
            "vars": {"label": label, "message": "..."},
            "response": {"output": answer, "tokenUsage": {"total": 9}},
            "success": label == answer,
        }
        for label, answer in zip(LABELS, ANSWERS, strict=True)
    ]
    inner = {"version": 3, "prompts": [{"raw": "..."}], "results": results, "stats": {}}
    document = {"results": inner, "config": {"prompts": ["..."]}}
    (folder / "results.json").write_text(json.dumps(document, indent=2))


def table(**more):
    rows = [[i, *pair] for i, pair in enumerate(zip(LABELS, ANSWERS, strict=True))]
    return json.dumps({"columns": ["id", "label", "prediction"], "data": rows, **more})


def write_wandb(folder):
    (folder / "predictions.table.json").write_text(table(ncols=3, nrows=len(LABELS)))


def write_mlflow(folder):
    """`mlflow.log_table` writes `DataFrame.to_json(orient="split", index=False)`."""
    (folder / "table.json").write_text(table())


def write_label_studio(folder):
    """labelstud.io/guide/export: the raw JSON of all tasks."""

    def result(label):
        value = {"choices": [label]}
        return [{"from_name": "label", "to_name": "text", "type": "choices", "value": value}]

    tasks = [
        {
            "id": i,
            "data": {"text": "..."},
            "annotations": [{"id": i, "result": result(label), "was_cancelled": False}],
            "predictions": [{"model_version": "1", "score": 0.9, "result": result(answer)}],
        }
        for i, (label, answer) in enumerate(zip(LABELS, ANSWERS, strict=True))
    ]
    (folder / "project.json").write_text(json.dumps(tasks))


def write_opencompass(folder):
    pairs = enumerate(zip(LABELS, ANSWERS, strict=True))
    samples = {str(i): {"gold": label, "prediction": answer} for i, (label, answer) in pairs}
    (folder / "predictions.json").write_text(json.dumps(samples, indent=4))


WRITERS = {
    "labels.csv": write_openai_batch,
    "results.json": write_promptfoo,
    "predictions.table.json": write_wandb,
    "table.json": write_mlflow,
    "project.json": write_label_studio,
    "predictions.json": write_opencompass,
}


@pytest.mark.parametrize("line", LINES, ids=lambda line: " ".join(line.split()[2:6]))
def test_the_line_for_each_tool_gives_its_scores(line, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(line)[2:]
    WRITERS[arguments[0]](tmp_path)
    declared = {"labels": ["ham", "spam"], "unknown": "wrong"} if "--labels" in arguments else {}
    expected = report(LABELS, ANSWERS, **declared).to_dict()
    code, output, _ = command("report", *arguments, "--format", "json")
    found = json.loads(output)
    assert (code, found.pop("read")[0]["n_rows"]) == (0, 100)
    assert found == expected


def test_requests_that_failed_are_wrong_answers_or_an_error(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    write_openai_batch(tmp_path, failed=(3, 95))
    plain, counted = (shlex.split(line)[1:] for line in LINES[:2])
    code, _, error = command(*plain)
    assert code == 2
    assert "2 of 100 in labels.csv not in batch_output.jsonl, such as 'request-3'" in error
    code, output, _ = command(*counted, "--metric", "accuracy")
    answers = [None if i in (3, 95) else answer for i, answer in enumerate(ANSWERS)]
    right = sum(x == y for x, y in zip(LABELS, answers, strict=True))
    assert (code, float(output)) == (0, pytest.approx(right / 100, abs=1e-12))


def test_without_columns_the_values_within_a_document_are_listed(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    write_promptfoo(tmp_path)
    code, _, error = command("report", "results.json")
    assert code == 2
    assert "`--rows` names one" in error
    assert "'results.results' (100)" in error
    _, _, error = command("report", "results.json", "--rows", "results.results")
    assert "vars.label " in error
    assert "response.output " in error
    assert "informedness report results.json --rows results.results -r vars.label -p" in error


def test_every_tool_of_the_page_has_a_file_here():
    assert {shlex.split(line)[2] for line in LINES} == {*WRITERS}
