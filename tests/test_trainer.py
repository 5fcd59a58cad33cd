"""A real Trainer trains, evaluates, keeps the best model and resumes: in every case, one number."""

import itertools
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


def history_of(trainer):
    found = (row.get("eval_informedness") for row in trainer.state.log_history)
    return [value for value in found if value is not None]


@pytest.mark.parametrize("head", cases.HEADS)
def test_it_trains_keeps_the_best_model_and_resumes(head, tmp_path):
    trainer = cases.trainer_of(head, tmp_path, **ROWS[TRAINED[head]])
    trainer.train()
    history = history_of(trainer)
    assert len(history) == 2
    assert trainer.state.best_metric == max(history) > 0
    best, _ = cases.expected(trainer.model, head, tmp_path)
    assert best == pytest.approx(max(history), abs=1e-12)
    (first, _) = sorted(tmp_path.glob("checkpoint-*"), key=lambda x: int(x.name.split("-")[1]))
    resumed = cases.trainer_of(head, tmp_path, **ROWS[TRAINED[head]])
    resumed.train(resume_from_checkpoint=str(first))
    assert history_of(resumed) == pytest.approx(history, abs=1e-12)
    assert resumed.state.best_metric == pytest.approx(max(history), abs=1e-12)


@pytest.mark.parametrize("head", cases.HEADS)
def test_whatever_the_trainer_hands_over_gives_one_number_for_one_model(head, tmp_path):
    model = cases.model_of(head, initializer_range=1.0)  # whose answers differ, untrained

    def scores(kind="eval", **options):
        trainer = cases.trainer_of(head, tmp_path, model=model, **options)
        data = trainer.eval_dataset
        found = trainer.evaluate() if kind == "eval" else trainer.predict(data).metrics
        return [found.get(f"{kind}_{name}") for name in cases.NAMES]

    whole = scores()
    assert whole[:2] == pytest.approx(cases.expected(model, head, tmp_path), abs=1e-12)
    assert scores("test") == whole
    for row, hidden_states in itertools.product(ROWS, (False, True)):
        model.config.output_hidden_states = hidden_states
        assert scores(**ROWS[row]) == whole, (row, hidden_states)
    # a configuration is enough, also where the first batch fills it in
    model.config.output_hidden_states = False
    if head in ("squared error", "several labels"):
        model.config.problem_type = None
    of_configuration = ComputeMetrics(*cases.NAMES, config=model.config)
    found = scores(compute_metrics=of_configuration)
    assert found[:2] == pytest.approx(whole[:2], abs=1e-12)


@pytest.mark.parametrize("workers", [{}, ONE_DATA_LOADER])
def test_an_interrupted_evaluation_leaves_nothing_for_the_next(workers, tmp_path):
    model = cases.model_of("classes", initializer_range=1.0)
    trainer = cases.trainer_of("classes", tmp_path, model=model, batch_eval_metrics=True, **workers)
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
