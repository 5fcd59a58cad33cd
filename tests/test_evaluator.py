"""evaluate's evaluator with a small model, as the page on evaluate has it."""

import pytest
import torch
import transformers
from datasets import Dataset

from informedness import estimate
from test_documents import functions_of

pytestmark = [pytest.mark.full, pytest.mark.slow, pytest.mark.filterwarnings("ignore:informedness")]

TEXTS = ["good film", "bad film", "film was bad", "was good"] * 10
REFERENCES = [1, 0, 0, 1, 0] * 8
LABELS = {"no": 0, "yes": 1}


def test_the_evaluator_computes_with_the_options_at_load(registered, tmp_path, monkeypatch):
    # a model that has learnt nothing, but answers one thing and the other
    transformers.set_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "good", "bad", "film", "was"]
    vocabulary = tmp_path / "vocab.txt"
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
    pipe = transformers.pipeline("text-classification", model=model, tokenizer=tokenizer)
    monkeypatch.chdir(tmp_path)
    data = Dataset.from_dict({"text": TEXTS, "label": REFERENCES})
    result = functions_of("docs/evaluate.md")["evaluated"](pipe.model, pipe.tokenizer, data)
    predictions = [LABELS[answer["label"]] for answer in pipe(TEXTS)]
    assert set(predictions) == {0, 1}
    expected = estimate(REFERENCES, predictions)
    assert result["informedness"] == pytest.approx(expected.value, abs=1e-12)
    interval = pytest.approx(expected.confidence_interval, abs=1e-12)
    assert result["informedness_confidence_interval"] == interval
