"""The published answers score as published, and the scripts that read them do what they say."""

import importlib
import json
from pathlib import Path

import pytest

import study_pages

pd = pytest.importorskip("pandas")

ROOT = Path(__file__).resolve().parent.parent

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
