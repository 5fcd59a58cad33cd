"""Tiny BERTs on scikit-learn's digits, a head of each kind, and the scores of their answers.

The 8 x 8 images are read as 16 grey levels, each the mean of 2 x 2 pixels.
"""

from typing import Any

import numpy as np
import torch
import transformers
from sklearn.datasets import load_digits
from torch.nn.utils.rnn import pad_sequence

from informedness.trainer import ComputeMetrics
from inputs.cases import informedness, nit

NAMES = ("informedness", "nit", "accuracy")
# Of each head the number of labels, how its answers are read, and the type of problem.
HEADS: dict[str, tuple[int, dict[str, Any], str | None]] = {
    "classes": (3, {}, None),
    "tokens": (3, {}, None),
    "one logit": (1, {"threshold": 0.0}, "multi_label_classification"),
    "squared error": (1, {"threshold": 0.5}, None),
    "several labels": (3, {"multilabel": True, "threshold": 0.0}, "multi_label_classification"),
}


def samples(head: str) -> list[dict[str, Any]]:
    """Return the images with the references of a head: sequences of 8 to 16 tokens."""
    images, digits = load_digits(return_X_y=True)
    pixels = images[:700].reshape(-1, 4, 2, 4, 2).mean((2, 4)).reshape(-1, 16).astype(int)
    found = []
    for number, (levels, digit) in enumerate(zip(pixels.tolist(), digits.tolist(), strict=False)):
        ink = [float(levels[5] > 8), float(levels[10] > 8), float(max(levels) > 12)]
        levels = levels[: 16 - number % 9] if head == "tokens" else levels
        references = {
            "classes": digit % 3,
            # the grey level of the token before it
            "tokens": [-100, *(min(level // 4, 2) for level in levels[:-1])],
            "one logit": ink[2:],
            "squared error": ink[2],
            "several labels": ink,
        }
        found.append({"input_ids": levels, "labels": references[head]})
    return found


def collate(rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
    """Pad a batch to the longest sequence in it."""

    def padded(values: list[Any], padding: int) -> torch.Tensor:
        return pad_sequence([*map(torch.tensor, values)], True, padding)

    ids, labels = ([row[name] for row in rows] for name in ("input_ids", "labels"))
    return {
        "input_ids": padded(ids, 0),
        "attention_mask": padded([[1] * len(x) for x in ids], 0),
        "labels": padded(labels, -100) if isinstance(labels[0], list) else torch.tensor(labels),
    }


def model_of(head: str, **options: Any) -> Any:
    """Return a new model, the same each time."""
    transformers.set_seed(0)
    num_labels, _, problem_type = HEADS[head]
    layers = {"num_hidden_layers": 1, "num_attention_heads": 2, "hidden_dropout_prob": 0.0}
    sizes = {"vocab_size": 17, "hidden_size": 32, "intermediate_size": 64}
    options |= {"num_labels": num_labels, "problem_type": problem_type}
    config = transformers.BertConfig(**layers, **sizes, max_position_embeddings=16, **options)
    if head == "tokens":
        return transformers.BertForTokenClassification(config)
    return transformers.BertForSequenceClassification(config)


def trainer_of(
    head: str, folder: Any, *, compute_metrics: Any = None, model: Any = None, **options: Any
) -> transformers.Trainer:
    """Return a Trainer that keeps the best model by Informedness; 400 samples of 700 to train."""
    data = samples(head)
    preprocess = options.pop("preprocess", None)
    defaults = {
        "num_train_epochs": 2,
        "learning_rate": 1e-2,
        "per_device_train_batch_size": 32,
        "per_device_eval_batch_size": 64,
        "eval_strategy": "epoch",
        "save_strategy": "epoch",
        "load_best_model_at_end": True,
        "metric_for_best_model": "informedness",
        "use_cpu": True,
        "report_to": [],
        "seed": 0,
    }
    return transformers.Trainer(
        model=model or model_of(head),
        args=transformers.TrainingArguments(str(folder), **(defaults | options)),
        train_dataset=data[:400],
        eval_dataset=data[400:],
        data_collator=collate,
        compute_metrics=compute_metrics or ComputeMetrics(*NAMES, **HEADS[head][1]),
        preprocess_logits_for_metrics=preprocess,
    )


def expected(model: Any, head: str, folder: Any, average: str = "bias") -> tuple[float, float]:
    """Return Informedness and NIT of the model's answers, without this package."""
    trainer = trainer_of(head, folder, compute_metrics=lambda _: {}, model=model)
    found = trainer.predict(trainer.eval_dataset)
    cut, logits = HEADS[head][1].get("threshold"), found.predictions
    decided = logits.argmax(-1) if cut is None else (logits > cut).astype(int)
    kept = found.label_ids != -100
    sides = (found.label_ids[kept].astype(int), decided.reshape(kept.shape)[kept])
    columns = 3 if head == "several labels" else 1
    pairs = list(zip(*(side.reshape(-1, columns).T.tolist() for side in sides), strict=True))
    of_labels = [(informedness(*pair, average=average), nit(*pair)) for pair in pairs]
    return tuple(np.array(of_labels, dtype=float).mean(axis=0).tolist())
