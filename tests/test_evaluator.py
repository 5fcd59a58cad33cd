"""evaluate's evaluator with a small model, as the page on evaluate has it."""

import evaluate
import pytest
import torch
import transformers
from datasets import Dataset

from informedness import estimate_from_labels
from test_documents import functions_of

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:informedness")]

TEXTS = ["good film", "bad film", "film was bad", "was good"] * 10
REFERENCES = [1, 0, 0, 1, 0] * 8
LABELS = {"no": 0, "yes": 1}


@pytest.fixture(scope="module")
def pipe(tmp_path_factory):
    """A pipeline of a model that has learnt nothing, but answers one thing and the other."""
    transformers.set_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "good", "bad", "film", "was"]
    vocabulary = tmp_path_factory.mktemp("tokenizer") / "vocab.txt"
    vocabulary.write_text("\n".join(words), encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        initializer_range=1.0,
        label2id=LABELS,
        id2label={code: label for label, code in LABELS.items()},
    )
    model = transformers.BertForSequenceClassification(config).eval()
    tokenizer = transformers.BertTokenizer(str(vocabulary))
    with torch.no_grad():
        inputs = tokenizer(TEXTS, padding=True, return_tensors="pt")
        model.classifier.bias -= model(**inputs).logits.mean(0)
    return transformers.pipeline("text-classification", model=model, tokenizer=tokenizer)


@pytest.fixture
def data():
    return Dataset.from_dict({"text": TEXTS, "label": REFERENCES})


def test_the_evaluator_computes_with_the_options_at_load(
    pipe, data, registered, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    evaluated = functions_of("docs/evaluate.md")["evaluated"]
    result = evaluated(pipe.model, pipe.tokenizer, data)
    predictions = [LABELS[answer["label"]] for answer in pipe(TEXTS)]
    assert set(predictions) == {0, 1}
    expected = estimate_from_labels(REFERENCES, predictions)
    assert result["informedness"] == pytest.approx(expected.value, abs=1e-12)
    assert result["informedness_confidence_interval"] == pytest.approx(
        expected.confidence_interval, abs=1e-12
    )


def test_the_evaluator_takes_the_folder_of_a_model_and_several_metrics(pipe, data, load, tmp_path):
    pipe.save_pretrained(tmp_path)
    metrics = [load("informedness", average="macro"), load("nit", confidence_level=0.9)]
    result = evaluate.evaluator("text-classification").compute(
        model_or_pipeline=str(tmp_path),
        data=data,
        metric=evaluate.combine(metrics),
        label_mapping=LABELS,
    )
    assert {"informedness", "nit", "nit_confidence_interval"} <= set(result)
