"""A real Trainer trains, evaluates, keeps the best model and resumes: in every case, one number."""

import json

import numpy as np
import pytest

import trainer_cases as cases
from informedness import ContingencyTable, nit_score
from informedness.trainer import ComputeMetrics, argmax_logits

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:informedness. ")]

ROWS = {
    "whole": {},
    "batches of tensors": {"batch_eval_metrics": True},
    "lists of batches": {"eval_do_concat_batches": False},
    "lists of batches, on the way": {"eval_do_concat_batches": False, "eval_accumulation_steps": 2},
    "inputs and losses": {"include_for_metrics": ["inputs", "loss"]},
    "ids": {"preprocess": argmax_logits},
    "ids, batches": {"preprocess": argmax_logits, "batch_eval_metrics": True},
}
TRAINED = {  # each head, and most rows
    "classes": "batches of tensors",
    "tokens": "ids, batches",
    "one logit": "lists of batches",
    "squared error": "whole",
    "several labels": "batches of tensors",
}


def answering_model(head):
    """Return a model whose answers differ, without training."""
    return cases.model_of(head, initializer_range=1.0)


def history_of(trainer, name="informedness"):
    return [row[f"eval_{name}"] for row in trainer.state.log_history if f"eval_{name}" in row]


@pytest.mark.parametrize("head", cases.HEADS)
def test_it_trains_keeps_the_best_model_and_resumes(head, tmp_path):
    options = ROWS[TRAINED[head]]
    trainer = cases.trainer_of(head, tmp_path, **options)
    trainer.train()
    history = history_of(trainer)
    assert len(history) == 2
    assert trainer.state.best_metric == max(history) > 0
    scores = trainer.evaluate()
    assert scores["eval_informedness"] == max(history)
    assert scores["eval_informedness"] == pytest.approx(cases.expected(trainer.model, head), 1e-12)
    predicted = trainer.predict(trainer.eval_dataset).metrics
    for name in cases.NAMES:
        assert predicted[f"test_{name}"] == scores[f"eval_{name}"]
    (first, _) = sorted(tmp_path.glob("checkpoint-*"), key=lambda x: int(x.name.split("-")[1]))
    resumed = cases.trainer_of(head, tmp_path, **options)
    resumed.train(resume_from_checkpoint=str(first))
    assert history_of(resumed) == pytest.approx(history, abs=1e-12)
    assert resumed.state.best_metric == pytest.approx(max(history), abs=1e-12)


@pytest.mark.parametrize("head", cases.HEADS)
def test_whatever_the_trainer_hands_over_gives_one_number_for_one_model(head, tmp_path):
    model = answering_model(head)
    results = {}
    for hidden_states in (False, True):
        model.config.output_hidden_states = hidden_states
        for row, options in ROWS.items():
            trainer = cases.trainer_of(head, tmp_path, model=model, **options)
            scores = trainer.evaluate()
            results[row, hidden_states] = [scores[f"eval_{name}"] for name in cases.NAMES]
    wanted = results["whole", False]
    for row, result in results.items():
        assert result == wanted, row
    model.config.output_hidden_states = False
    assert wanted[0] == pytest.approx(cases.expected(model, head), abs=1e-12)
    references, answers = (columns.T for columns in cases.answers(model, head))
    nits = [nit_score(*pair) for pair in zip(references, answers, strict=True)]
    assert wanted[1] == pytest.approx(np.mean(nits), abs=1e-12)


def test_an_interrupted_evaluation_leaves_nothing_for_the_next(tmp_path):
    model = answering_model("classes")
    trainer = cases.trainer_of("classes", tmp_path, model=model, batch_eval_metrics=True)
    whole = trainer.evaluate()["eval_informedness"]
    forward, calls = trainer.model.forward, []

    def interrupted(*args, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return forward(*args, **options)

    trainer.model.forward = interrupted
    with pytest.raises(KeyboardInterrupt):
        trainer.evaluate()
    trainer.model.forward = forward
    assert trainer.evaluate()["eval_informedness"] == whole != 0


def test_the_history_gets_each_evaluation(tmp_path):
    path = tmp_path / "run.jsonl"
    model = cases.model_of("classes")
    metric = ComputeMetrics(
        "informedness", "nit", confidence_level=0.95, config=model.config, history=path
    )
    trainer = cases.trainer_of(
        "classes", tmp_path, model=model, compute_metrics=metric, metric_for_best_model="nit"
    )
    trainer.train()
    assert trainer.state.best_metric == max(history_of(trainer, "nit"))
    trainer.predict(trainer.eval_dataset)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["step"] for line in lines] == [13, 26, 26]
    assert [line["metric_key_prefix"] for line in lines] == ["eval", "eval", "test"]
    assert [line["scores"]["informedness"] for line in lines[:2]] == history_of(trainer)
    table = ContingencyTable.from_counts(**lines[-1]["table"])
    references, answers = (column[:, 0] for column in cases.answers(trainer.model, "classes"))
    assert table == ContingencyTable.from_labels(references, answers, labels=range(3))
