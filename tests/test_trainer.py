"""A real Trainer trains, evaluates, keeps the best model and resumes: in every case, one number."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from tensorboard.backend.event_processing import event_accumulator

import distributed_cases
import trainer_cases as cases
from informedness import ContingencyTable, informedness_score, nit_score
from informedness.trainer import ComputeMetrics, argmax_logits

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:informedness. ")]

ROWS = {
    "whole": {},
    "batches of tensors": {"batch_eval_metrics": True},
    "lists of batches": {"eval_do_concat_batches": False},
    "lists of batches, on the way": {"eval_do_concat_batches": False, "eval_accumulation_steps": 2},
    "inputs and losses": {"include_for_metrics": ["inputs", "loss"]},
    "inputs and losses, batches": {
        "include_for_metrics": ["inputs", "loss"],
        "batch_eval_metrics": True,
    },
    "ids": {"preprocess": argmax_logits},
    "ids, batches": {"preprocess": argmax_logits, "batch_eval_metrics": True},
    "ids, lists of batches": {"preprocess": argmax_logits, "eval_do_concat_batches": False},
    "hidden states": {"hidden": True},
    "hidden states, batches": {"hidden": True, "batch_eval_metrics": True},
    "hidden states, lists of batches": {"hidden": True, "eval_do_concat_batches": False},
    "half precision": {"bf16_full_eval": True, "batch_eval_metrics": True},
}
# every row for one head, and every head in the rows that differ for it
FULL = [("classes", row) for row in ROWS if row != "half precision"]
FULL += [
    (head, row)
    for head in cases.HEADS
    if head != "classes"
    for row in ("whole", "batches of tensors", "lists of batches", "ids, batches")
]


def trainer_of(head, row, folder, **options):
    options |= ROWS[row]
    hidden = options.pop("hidden", False)
    model = cases.model_of(head, output_hidden_states=hidden)
    return cases.trainer_of(head, folder, model=model, **options)


def history_of(trainer, name="informedness"):
    return [row[f"eval_{name}"] for row in trainer.state.log_history if f"eval_{name}" in row]


@pytest.mark.parametrize(("head", "row"), FULL)
def test_it_trains_keeps_the_best_model_and_resumes(head, row, tmp_path):
    trainer = trainer_of(head, row, tmp_path)
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
    resumed = trainer_of(head, row, tmp_path)
    resumed.train(resume_from_checkpoint=str(first))
    assert history_of(resumed) == pytest.approx(history, abs=1e-12)
    assert resumed.state.best_metric == pytest.approx(max(history), abs=1e-12)


def test_the_rows_give_one_number_for_one_model(tmp_path):
    model = cases.model_of("tokens", output_hidden_states=True)
    results = []
    for row in ROWS:
        options = {name: value for name, value in ROWS[row].items() if name != "hidden"}
        if row != "half precision":
            trainer = cases.trainer_of("tokens", tmp_path, model=model, **options)
            results.append([trainer.evaluate()[f"eval_{name}"] for name in cases.NAMES])
    assert len(results) == len(ROWS) - 1
    assert all(result == results[0] for result in results)
    references, answers = (column[:, 0] for column in cases.answers(model, "tokens"))
    wanted = [informedness_score(references, answers), nit_score(references, answers)]
    assert results[0][:2] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("head", cases.HEADS)
def test_half_precision_is_scored(head, tmp_path):
    trainer = trainer_of(head, "half precision", tmp_path)
    in_batches = trainer.evaluate()
    trainer.args.batch_eval_metrics = False
    whole = trainer.evaluate()  # the Trainer makes these float32
    assert next(trainer.model.parameters()).dtype == torch.bfloat16
    for name in cases.NAMES:
        assert in_batches[f"eval_{name}"] == whole[f"eval_{name}"]


def test_a_constant_predictor_has_high_accuracy_and_no_informedness(tmp_path):
    trainer = cases.trainer_of("tokens", tmp_path)
    with torch.no_grad():
        trainer.model.classifier.weight.zero_()
        trainer.model.classifier.bias.copy_(torch.tensor([1.0, 0.0, 0.0]))
    scores = trainer.evaluate()
    assert scores["eval_accuracy"] >= 0.4
    assert scores["eval_informedness"] == 0.0
    assert scores["eval_nit"] == pytest.approx(1 / 3, abs=1e-12)


def test_an_interrupted_evaluation_leaves_nothing_for_the_next(tmp_path):
    trainer = trainer_of("classes", "batches of tensors", tmp_path)
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
    assert trainer.evaluate()["eval_informedness"] == whole


def test_several_data_sets_are_scored_apart(tmp_path):
    trainer = trainer_of("classes", "batches of tensors", tmp_path)
    data = trainer.eval_dataset
    scores = trainer.evaluate({"a": data[:90], "b": data[90:]})
    parts = {"a": trainer.evaluate(data[:90]), "b": trainer.evaluate(data[90:])}
    for name, part in parts.items():
        assert scores[f"eval_{name}_informedness"] == part["eval_informedness"]


def test_the_history_has_step_prefix_table_and_scores(tmp_path):
    path = tmp_path / "run.jsonl"
    model = cases.model_of("classes")
    metric = ComputeMetrics("informedness", config=model.config, history=path)
    trainer = cases.trainer_of("classes", tmp_path, model=model, compute_metrics=metric)
    trainer.train()
    trainer.predict(trainer.eval_dataset)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [line["step"] for line in lines] == [13, 26, 26]
    assert [line["metric_key_prefix"] for line in lines] == ["eval", "eval", "test"]
    assert [line["scores"]["informedness"] for line in lines[:2]] == history_of(trainer)
    table = ContingencyTable.from_counts(**lines[-1]["table"])
    references, answers = (column[:, 0] for column in cases.answers(trainer.model, "classes"))
    assert table == ContingencyTable.from_labels(references, answers, labels=range(3))


def test_tensorboard_gets_plain_scalars(tmp_path, monkeypatch):
    monkeypatch.setenv("TENSORBOARD_LOGGING_DIR", str(tmp_path / "events"))
    metric = ComputeMetrics("informedness", "nit", average=None, confidence_level=0.95)
    trainer = cases.trainer_of(
        "classes",
        tmp_path,
        compute_metrics=metric,
        report_to="tensorboard",
        metric_for_best_model="nit",
    )
    trainer.train()
    events = event_accumulator.EventAccumulator(str(tmp_path / "events"))
    events.Reload()
    names = ["informedness_0", "informedness_0_low", "informedness_2_standard_error", "nit"]
    for name in names:
        written = [event.value for event in events.Scalars(f"eval/{name}")]
        assert written == pytest.approx(history_of(trainer, name), rel=1e-6)


# Several processes


@pytest.fixture(scope="module")
def alone():
    return distributed_cases.all_cases()


def run(n_processes):
    """Return what each process makes of the cases in distributed_cases.py."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    launch = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={n_processes}"]
    result = subprocess.run(
        [sys.executable, *launch, str(Path(__file__).parent / "distributed_cases.py")],
        capture_output=True,
        text=True,
        env=environment,
        timeout=400,
    )
    assert result.returncode == 0, result.stderr[-4000:]
    lines = [line.partition("RESULT ")[2] for line in result.stdout.splitlines()]
    found = [json.loads(line) for line in lines if line]
    assert len(found) == n_processes
    return found


@pytest.mark.parametrize("n_processes", [2, 4])
def test_several_processes_give_the_number_of_one(alone, n_processes):
    assert len(alone) > 10
    for found in run(n_processes):
        assert found == alone
