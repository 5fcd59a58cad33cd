"""The published answers score as published, and the scripts that read them do what they say."""

import importlib
import json
import pickle
import pickletools
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score

from oracles import study_pages

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "tests" / "studies"

# In percent, of BIG-Bench Hard's `..._eval_metrics.jsonl` at commit 9ee07bd.
PUBLISHED = {  # task: (direct, chain of thought)
    "boolean_expressions": (88.4, 92.8),
    "causal_judgement": (63.64, 54.01),
    "date_understanding": (63.6, 87.2),
    "disambiguation_qa": (67.2, 76.0),
    "formal_fallacies": (52.4, 50.4),
    "geometric_shapes": (32.0, 54.4),
    "hyperbaton": (60.4, 66.4),
    "logical_deduction_five_objects": (32.4, 54.8),
    "logical_deduction_seven_objects": (26.0, 38.8),
    "logical_deduction_three_objects": (52.8, 87.6),
    "movie_recommendation": (84.8, 90.4),
    "navigate": (50.4, 96.4),
    "penguins_in_a_table": (66.44, 79.45),
    "reasoning_about_colored_objects": (67.6, 91.6),
    "ruin_names": (75.2, 68.4),
    "salient_translation_error_detection": (62.0, 60.8),
    "snarks": (61.24, 59.55),
    "sports_understanding": (72.8, 97.6),
    "temporal_sequences": (77.6, 96.8),
    "tracking_shuffled_objects_five_objects": (20.4, 89.6),
    "tracking_shuffled_objects_seven_objects": (14.4, 85.6),
    "tracking_shuffled_objects_three_objects": (37.6, 78.4),
    "web_of_lies": (51.6, 95.2),
}


# BIG-Bench Hard


def test_46_runs_have_the_published_accuracy():
    answers = study_pages.bbh()
    assert len(answers) == 5511
    right = answers[["direct", "cot"]].eq(answers["target"], axis=0)
    found = 100 * right.groupby(answers["task"]).mean()
    published = pd.DataFrame.from_dict(PUBLISHED, orient="index", columns=["direct", "cot"])
    assert list(found.index) == list(published.index)
    assert found.to_numpy() == pytest.approx(published.to_numpy(), abs=0.005)


def test_bbh_csv_has_answers_and_no_questions():
    path = ROOT / "examples" / "bbh.csv"
    assert path.stat().st_size < 300_000
    cells = pd.unique(study_pages.bbh()[["target", "direct", "cot"]].to_numpy().ravel())
    assert max(map(len, cells)) < 60
    assert "BENCHMARK DATA SHOULD NEVER APPEAR" in (ROOT / "examples" / "bbh.md").read_text("utf-8")


def test_the_script_makes_such_a_file_of_a_checkout(tmp_path, monkeypatch, capsys):
    answers = {
        "direct": {"sorting": ["(A)", "(B)", "b, c"], "word_sorting": ["a b"]},
        "cot": {
            "sorting": ["One. So the answer is (A).", "It goes on", "the answer is (A) or (B). "],
            "word_sorting": ["So the answer is a b."],
        },
    }
    targets = {"sorting": ["(A)", "(A)", "(B)"], "word_sorting": ["a b"]}
    for prompt, tasks in answers.items():
        folder = tmp_path / "code-davinci-002-outputs" / f"code-davinci-002-{prompt}"
        folder.mkdir(parents=True)
        for task, predictions in tasks.items():
            pairs = zip(predictions, targets[task], strict=True)
            outputs = [{"input": "Q", "prediction": x, "target": target} for x, target in pairs]
            path = folder / f"{task}_few_shot_template_0-255000.json"
            path.write_text(json.dumps({"canary": "", "outputs": outputs}), encoding="utf-8")
    monkeypatch.syspath_prepend(ROOT / "examples")
    importlib.import_module("bbh").main(tmp_path, tmp_path / "made.csv")
    assert (tmp_path / "made.csv").read_text("utf-8").splitlines() == [
        "task,target,direct,cot",
        "sorting,(A),(A),(A)",
        "sorting,(A),(B),",
        'sorting,(B),"b, c",(A) or (B)',
    ]
    assert "3 answers to 1 tasks" in capsys.readouterr().out


# HateCheck


@pytest.fixture
def hatecheck(monkeypatch):
    monkeypatch.syspath_prepend(STUDIES)
    return importlib.import_module("hatecheck")


def test_detectors_have_the_published_accuracy():
    """The values are those of the authors' notebook, 4_eval_models_on_hatecheck.ipynb."""
    detectors = study_pages.rows_of("HATECHECK.md", "detector").set_index("detector")
    found = detectors["accuracy"].round(3).tolist()
    assert found == [0.766, 0.632, 0.602, 0.332, 0.688]
    filled = study_pages.rows_of("HATECHECK.md", "ranks").set_index("group")["accuracy"]
    published = {"women": 80.5, "trans people": 80.8, "gay people": 80.8, "black people": 80.5,
                 "disabled people": 79.8, "Muslims": 79.6, "immigrants": 80.5}  # fmt: skip
    assert {group: 100 * share for group, share in filled.items()} == pytest.approx(published)


def test_a_pickle_of_anything_else_is_refused(hatecheck, tmp_path):
    path = tmp_path / "answers.pkl"
    for loaded in (subprocess.run, pd.read_pickle, eval):
        path.write_bytes(pickle.dumps(loaded))
        with pytest.raises(pickle.UnpicklingError, match="is not part of a data frame"):
            hatecheck.read_pickle(path)
    with path.open("rb") as file:
        reader = hatecheck.OfPandas1(file)
    assert reader.find_class("pandas.core.indexes.numeric", "Int64Index") is pd.Index


@pytest.mark.full
@pytest.mark.slow
def test_the_study_scores_a_checkout(hatecheck, tmp_path, monkeypatch):
    """60 templates have two groups each; the first detector is wrong on every tenth case."""
    n = 120
    kinds = np.array(["hateful", "non-hateful"])
    is_harmless = np.arange(n) // 2 % 2
    cases = pd.DataFrame({
        "functionality": "made_up", "case_id": range(1, n + 1), "test_case": "",
        "label_gold": kinds[is_harmless], "target_ident": np.tile(["women", "Muslims"], n // 2),
        "templ_id": np.arange(n) // 2, "case_templ": "[IDENTITY_P]",
    })  # fmt: skip
    detectors, names = list(hatecheck.DETECTORS.values()), {}
    for place, column in enumerate(detectors):
        cases[column] = kinds[is_harmless ^ (np.arange(n) % (10 + place) == 0)]
    (tmp_path / "hatecheck-data").mkdir()
    cases.to_csv(tmp_path / "hatecheck-data" / "test_suite_cases.csv")
    folder = tmp_path / "hatecheck-experiments" / "Data" / "Test Suite"
    folder.mkdir(parents=True)
    for name, columns in zip(hatecheck.ANSWERS, (detectors[1:3], detectors[::3]), strict=True):
        content = pickle.dumps(cases[["case_id", *columns]], protocol=2)
        (folder / name).write_bytes(content)
        for opcode, argument, _ in pickletools.genops(content):
            if opcode.name == "GLOBAL":
                module, named = argument.split(" ")
                names.setdefault(module, set()).add(named)
    monkeypatch.setattr(hatecheck, "NAMES", names)  # those of today's pandas
    page = tmp_path / "page.md"
    monkeypatch.setattr(sys, "argv", ["hatecheck.py", str(tmp_path), "--output", str(page)])
    hatecheck.main()
    text = page.read_text("utf-8")
    rows = re.findall(r"^\| .*?(\d\.\d{3}) \| (-?\d\.\d{3}) \|", text, re.MULTILINE)
    for row, column in zip(rows[:4], detectors, strict=True):
        sides = cases["label_gold"], cases[column]
        wanted = accuracy_score(*sides), balanced_accuracy_score(*sides, adjusted=True)
        assert [*map(float, row)] == pytest.approx(wanted, abs=5e-4)
    assert "60 templates are filled with each group" in text


# The picture


def texts_of(picture):
    return re.findall(r"<text[^>]*>([^<]+)</text>", picture.read_text("utf-8"))


@pytest.mark.full
@pytest.mark.slow
def test_the_picture_shows_the_answers_and_the_study_as_they_are(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    published = importlib.import_module("published")
    published.main(tmp_path / "drawn.svg")
    assert published.OUTPUT.stat().st_size < 100_000
    texts = texts_of(published.OUTPUT)
    assert texts == texts_of(tmp_path / "drawn.svg")
    assert {"geometric shapes", "SiftNinja", "black people"} <= {*texts}
