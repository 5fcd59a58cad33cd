"""A real Trainer trains, evaluates, keeps the best model and resumes: in every case, one number."""

import warnings
from functools import partial

import pytest
from tokenizers import Tokenizer, models
from transformers import (
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)

import trainer_cases as cases
from informedness.trainer import ComputeMetrics, argmax_logits
from informedness.warnings import InformednessWarning
from test_documents import functions_of

pytestmark = [
    pytest.mark.full,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:informedness. "),
]

ROWS = {
    "whole": {},
    "batches of tensors": {"batch_eval_metrics": True},
    "lists of batches": {"eval_do_concat_batches": False},
    "lists of batches, on the way": {"eval_do_concat_batches": False, "eval_accumulation_steps": 2},
    "inputs and losses": {"include_for_metrics": ["inputs", "loss"]},
    "ids": {"preprocess": argmax_logits},
    "ids, batches": {"preprocess": argmax_logits, "batch_eval_metrics": True},
}
ONE_DATA_LOADER = {"dataloader_num_workers": 1, "dataloader_persistent_workers": True}
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
    expected, _ = cases.expected(trainer.model, head, tmp_path)
    assert scores["eval_informedness"] == pytest.approx(expected, abs=1e-12)
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
    assert wanted[:2] == pytest.approx(cases.expected(model, head, tmp_path), abs=1e-12)
    # a configuration is enough, also where the first batch fills it in
    if head in ("squared error", "several labels"):
        model.config.problem_type = None
    of_configuration = ComputeMetrics(*cases.NAMES, config=model.config)
    trainer = cases.trainer_of(head, tmp_path, model=model, compute_metrics=of_configuration)
    scores = trainer.evaluate()
    found = [scores[f"eval_{name}"] for name in cases.NAMES[:2]]
    assert found == pytest.approx(wanted[:2], abs=1e-12)


@pytest.mark.parametrize("workers", [{}, ONE_DATA_LOADER])
def test_an_interrupted_evaluation_leaves_nothing_for_the_next(workers, tmp_path):
    model = answering_model("classes")
    options = {"batch_eval_metrics": True, **workers}
    trainer = cases.trainer_of("classes", tmp_path, model=model, **options)
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
    with pytest.warns(InformednessWarning, match="an evaluation was interrupted"):
        assert trainer.evaluate()["eval_informedness"] == whole != 0
    with warnings.catch_warnings():
        warnings.simplefilter("error", InformednessWarning)
        assert trainer.evaluate()["eval_informedness"] == whole


def test_generated_texts_are_scored_as_the_page_shows(tmp_path, registered, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = {"<pad>": 0, "</s>": 1, "no": 2, "yes": 3, "few": 4, "many": 5}
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel(words)), pad_token="<pad>", eos_token="</s>"
    )
    of_texts = functions_of("docs/evaluate.md")["score_of_texts"]
    answers = [n % 2 if n > 5 else 0 for n in range(40)]
    data = [{"input_ids": [4 + n % 2, 1], "labels": [2 + answers[n], 1]} for n in range(40)]
    sizes = {"vocab_size": 6, "d_model": 16, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    set_seed(0)
    trainer = Seq2SeqTrainer(
        T5ForConditionalGeneration(T5Config(**sizes, decoder_start_token_id=0)),
        Seq2SeqTrainingArguments(
            str(tmp_path),
            predict_with_generate=True,
            num_train_epochs=4,
            learning_rate=0.03,
            report_to=[],
            use_cpu=True,
        ),
        train_dataset=data,
        data_collator=cases.collate,
        compute_metrics=partial(of_texts, tokenizer=tokenizer, classes=["no", "yes"]),
    )
    trainer.train()
    predicted = trainer.predict(data)
    expected = float(cases.informedness(answers, (predicted.predictions[:, 1] - 2).tolist()))
    assert predicted.metrics["test_informedness"] == pytest.approx(expected, abs=1e-12)
    assert expected > 0.5
