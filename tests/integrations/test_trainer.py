"""A real Trainer trains, keeps the best model and resumes: in every case, one number.

Covers src: trainer.py.
"""

import itertools
from functools import partial

import numpy as np
import pytest
import transformers
from datasets import Dataset
from tokenizers import Tokenizer, models
from tokenizers.pre_tokenizers import Whitespace

from informedness import estimate
from informedness.trainer import ComputeMetrics, argmax_logits
from inputs import trainer_cases as cases
from inputs.cases import nit, warned
from inputs.snippets import ROOT, snippets

pytestmark = [
    pytest.mark.full,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:informedness. "),
]

ROWS = {
    "batches of tensors": {"batch_eval_metrics": True},
    "ids, batches": {"preprocess": argmax_logits, "batch_eval_metrics": True},
    "lists of batches": {"eval_do_concat_batches": False},
    "whole": {},
    "inputs and losses": {"include_for_metrics": ["inputs", "loss"]},
    "lists of batches, on the way": {"eval_do_concat_batches": False, "eval_accumulation_steps": 2},
    "ids": {"preprocess": argmax_logits},
}


def history_of(trainer):
    log = trainer.state.log_history
    return [row["eval_informedness"] for row in log if "eval_informedness" in row]


@pytest.mark.parametrize(
    ("head", "row"), [("tokens", "ids, batches"), ("several labels", "lists of batches")]
)
def test_it_trains_keeps_the_best_model_and_resumes(head, row, tmp_path):
    trainer = cases.trainer_of(head, tmp_path, **ROWS[row])
    trainer.train()
    history = history_of(trainer)
    assert trainer.state.best_metric == max(history) > 0
    best, _ = cases.expected(trainer.model, head, tmp_path)
    assert best == pytest.approx(max(history), abs=1e-12)
    first = min(tmp_path.glob("checkpoint-*"), key=lambda path: int(path.name[11:]))
    resumed = cases.trainer_of(head, tmp_path, **ROWS[row])
    resumed.train(resume_from_checkpoint=str(first))
    assert history_of(resumed) == pytest.approx(history, abs=1e-12)
    assert resumed.state.best_metric == pytest.approx(max(history), abs=1e-12)


@pytest.mark.parametrize("head", cases.HEADS)
def test_every_trainer_setting_gives_one_number_for_a_model(head, tmp_path):
    model = cases.model_of(head, initializer_range=1.0)  # whose answers differ, untrained

    def scores(**options):
        result = cases.trainer_of(head, tmp_path, model=model, **options).evaluate()
        return [result[f"eval_{name}"] for name in cases.NAMES]

    whole = scores()
    assert whole[:2] == pytest.approx(cases.expected(model, head, tmp_path), abs=1e-12)
    for row, model.config.output_hidden_states in itertools.product(ROWS, (True, False)):
        assert scores(**ROWS[row]) == whole, row
    # a configuration is enough, also where the first batch fills it in
    if head in ("squared error", "several labels"):
        model.config.problem_type = None
    of_configuration = ComputeMetrics(*cases.NAMES, config=model.config)
    assert scores(compute_metrics=of_configuration)[:2] == pytest.approx(whole[:2], abs=1e-12)


WAYS = [
    {"eval_do_concat_batches": whole, "batch_eval_metrics": batches, "eval_accumulation_steps": n}
    for whole, batches, n in itertools.product((True, False), (True, False), (None, 2))
]


@pytest.mark.parametrize("has_hidden_states", [False, True])
def test_one_head_scores_alike_in_every_way_and_two_are_refused(has_hidden_states, tmp_path):
    model = cases.model_of("classes", initializer_range=1.0)
    model.config.output_hidden_states = has_hidden_states
    of_classes = {
        cases.trainer_of("classes", tmp_path, model=model, **way).evaluate()["eval_informedness"]
        for way in WAYS
    }
    assert of_classes == {
        cases.trainer_of("classes", tmp_path, model=model).evaluate()["eval_informedness"]
    }

    model.config.num_labels = 2  # start and end
    answers = transformers.BertForQuestionAnswering(model.config)
    pairs = [
        {"input_ids": row["input_ids"], "start_positions": 2, "end_positions": 5}
        for row in cases.samples("classes")[400:]
    ]
    for way in WAYS:
        trainer = cases.trainer_of("classes", tmp_path, model=answers, **way)
        trainer.data_collator = transformers.default_data_collator
        with pytest.raises(ValueError, match=r"a tuple of 2: .*`label_names`"):
            trainer.evaluate(pairs)


def test_four_choices_are_scored_by_a_model_of_two_labels(tmp_path):
    rows = cases.samples("classes")
    choices = [
        {"input_ids": [rows[n + i]["input_ids"] for i in range(4)], "labels": n % 4}
        for n in range(80)
    ]
    config = cases.model_of("classes", initializer_range=1.0).config
    config.num_labels = 2  # the default, which this model does not use
    model = transformers.BertForMultipleChoice(config)
    for way in WAYS:
        metric = ComputeMetrics(*cases.NAMES, config=config)
        trainer = cases.trainer_of("classes", tmp_path, model=model, compute_metrics=metric, **way)
        trainer.data_collator = transformers.default_data_collator
        found, said = warned(lambda trainer=trainer: trainer.predict(choices))
        assert "4 columns where `config.num_labels` is 2" in said
        logits = (
            np.concatenate(found.predictions)
            if isinstance(found.predictions, list)
            else found.predictions
        )
        if logits is None:  # not kept where batches are counted
            continue
        wanted = nit([n % 4 for n in range(80)], logits.argmax(1).tolist(), 4)
        assert found.metrics["test_nit"] == pytest.approx(float(wanted), abs=1e-12)


@pytest.mark.parametrize("n_workers", [0, 1])
def test_an_interrupted_evaluation_leaves_nothing_for_the_next(n_workers, tmp_path):
    model = cases.model_of("classes", initializer_range=1.0)
    options = {"dataloader_num_workers": n_workers, "dataloader_persistent_workers": n_workers > 0}
    trainer = cases.trainer_of("classes", tmp_path, model=model, batch_eval_metrics=True, **options)
    whole = trainer.evaluate()["eval_informedness"]
    forward, calls = model.forward, itertools.count()

    def interrupted(*args, **options):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return forward(*args, **options)

    model.forward = interrupted
    with pytest.raises(KeyboardInterrupt):
        trainer.evaluate()
    for n_warnings in (1, 0):
        scores, said = warned(trainer.evaluate)
        assert scores["eval_informedness"] == whole != 0
        assert said.count("an evaluation was interrupted") == n_warnings


@pytest.fixture
def of_the_page(registered, tmp_path, monkeypatch):
    """Return what the page on evaluate defines, beside registered metrics."""
    monkeypatch.chdir(tmp_path)
    transformers.set_seed(0)
    names = {}
    for _, code, printed in snippets(ROOT / "docs/evaluate.md"):
        if printed is not None:
            exec(compile(code, "docs/evaluate.md", "exec"), names)
    return names


WORDS = ["<pad>", "</s>", "no", "yes", "few", "many", "good", "bad", "film"]
OF_WORDS = Tokenizer(models.WordLevel({word: code for code, word in enumerate(WORDS)}))
OF_WORDS.pre_tokenizer = Whitespace()
TOKENIZER = transformers.PreTrainedTokenizerFast(
    tokenizer_object=OF_WORDS, pad_token="<pad>", eos_token="</s>"
)


def test_generated_texts_are_scored(of_the_page):
    answers = [n % 2 if n > 5 else 0 for n in range(40)]
    data = [{"input_ids": [4 + n % 2, 1], "labels": [2 + answers[n], 1]} for n in range(40)]
    sizes = {"vocab_size": 6, "d_model": 16, "d_ff": 16, "num_layers": 1, "num_heads": 2}
    options = {"num_train_epochs": 4, "learning_rate": 0.03, "report_to": [], "use_cpu": True}
    named = {"tokenizer": TOKENIZER, "classes": ["no", "yes"]}
    trainer = transformers.Seq2SeqTrainer(
        transformers.T5ForConditionalGeneration(
            transformers.T5Config(**sizes, decoder_start_token_id=0)
        ),
        transformers.Seq2SeqTrainingArguments("model", predict_with_generate=True, **options),
        train_dataset=data,
        data_collator=cases.collate,
        compute_metrics=partial(of_the_page["score_of_texts"], **named),
    )
    trainer.train()
    predicted = trainer.predict(data)
    expected = float(cases.informedness(answers, (predicted.predictions[:, 1] - 2).tolist()))
    assert predicted.metrics["test_informedness"] == pytest.approx(expected, abs=1e-12)
    assert expected > 0.5


def test_the_evaluator_computes_with_the_options_at_load(of_the_page):
    texts, references = ["good film", "bad film", "few good", "many bad"] * 10, [1, 0, 2, 1, 0] * 8
    codes = {"no": 0, "yes": 1, "maybe": 2}
    names = {"label2id": codes, "id2label": {code: label for label, code in codes.items()}}
    # it has learnt nothing, but does not always answer the same
    model = cases.model_of("classes", initializer_range=1.0, **names).eval()
    data = Dataset.from_dict({"text": texts, "label": references})
    result = of_the_page["evaluated"](model, TOKENIZER, data)
    tokens = TOKENIZER(texts, padding=True, return_tensors="pt")
    predictions = model(**tokens).logits.argmax(-1).tolist()
    assert len({*predictions}) > 1
    wanted = estimate(references, predictions)
    assert result["informedness"] == pytest.approx(wanted.value, abs=1e-12)
    interval = pytest.approx(wanted.confidence_interval, abs=1e-12)
    assert result["informedness_confidence_interval"] == interval
