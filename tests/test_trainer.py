"""A real Trainer with the README's compute_metrics: the best model by Informedness is kept."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    set_seed,
)

pytestmark = pytest.mark.slow

README = Path(__file__).resolve().parent.parent / "README.md"


@pytest.fixture(scope="module")
def compute_metrics(registered):
    """The function as the README has it, with accuracy beside it."""
    section = README.read_text(encoding="utf-8").split("## In the Trainer")[1]
    names = {}
    exec(re.search(r"```python\n(.*?)```", section, re.DOTALL)[1], names)

    def compute(eval_prediction):
        scores = names["compute_metrics"](eval_prediction)
        right = eval_prediction.predictions.argmax(-1) == eval_prediction.label_ids
        return scores | {"accuracy": right.mean()}

    return compute


@pytest.fixture(scope="module")
def datasets():
    """Is it a 0? The 8 x 8 digits as sequences of 64 grey levels; one in ten is."""
    images, digits = load_digits(return_X_y=True)
    samples = [
        {"input_ids": torch.tensor(image, dtype=torch.long), "labels": int(digit == 0)}
        for image, digit in zip(images, digits, strict=True)
    ]
    return samples[:900], samples[900:]


@pytest.fixture
def trainer(compute_metrics, datasets, tmp_path):
    set_seed(0)
    config = BertConfig(
        vocab_size=17,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        num_labels=2,
    )
    arguments = TrainingArguments(
        output_dir=str(tmp_path),
        num_train_epochs=5,
        learning_rate=5e-3,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=256,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        load_best_model_at_end=True,
        metric_for_best_model="informedness",
        use_cpu=True,
        report_to=[],
        disable_tqdm=True,
        seed=0,
    )
    return Trainer(
        model=BertForSequenceClassification(config),
        args=arguments,
        train_dataset=datasets[0],
        eval_dataset=datasets[1],
        compute_metrics=compute_metrics,
    )


def test_the_best_model_by_informedness_is_reloaded_at_the_end(trainer):
    trainer.train()
    history = [row["eval_informedness"] for row in trainer.state.log_history if "eval_nit" in row]
    assert len(history) == 5
    assert trainer.state.best_metric == max(history) > 0.5
    assert trainer.evaluate()["eval_informedness"] == pytest.approx(max(history), abs=1e-12)


def test_a_constant_predictor_has_high_accuracy_and_no_informedness(trainer):
    with torch.no_grad():
        trainer.model.classifier.weight.zero_()
        trainer.model.classifier.bias.copy_(torch.tensor([1.0, 0.0]))
    scores = trainer.evaluate()
    assert scores["eval_accuracy"] >= 0.85
    assert scores["eval_informedness"] == 0.0
    assert scores["eval_nit"] == pytest.approx(0.5, abs=1e-12)


def test_batch_scores_and_the_final_score_agree_for_torch_tensors(registered):
    import evaluate

    metric = evaluate.load("informedness")
    generator = np.random.default_rng(0)
    references, predictions = generator.integers(0, 3, (2, 90))
    for start in range(0, 90, 30):
        part = slice(start, start + 30)
        metric.add_batch(
            references=torch.tensor(references[part]), predictions=torch.tensor(predictions[part])
        )
    whole = evaluate.load("informedness").compute(references=references, predictions=predictions)
    assert metric.compute() == whole
