"""Logs of lm-eval are read as the harness itself takes them, or refused by line and reason."""

import bz2
import gzip
import json
import shutil
from pathlib import Path

import pytest

from informedness.inputs.text_labels import AS_THEY_ARE
from informedness.logs.lm_eval import is_log, read_log

KEPT = Path(__file__).parents[1] / "examples" / "runs" / "lm-eval"
DATE = "2026-01-01T00-00-00.000001"
LETTERS = ("A", "B", "C", "D")


def kept(model, task):
    """The kept log of a model in a task."""
    (path,) = (KEPT / model).glob(f"samples_arithmetic_{task}_{DATE}.jsonl*")
    return path


def answers_of(path):
    (answers,) = read_log(path)
    return answers


@pytest.fixture
def written(tmp_path):
    """Return a function that changes samples of a kept log and writes them."""

    def write(model, task, change, metrics=False):
        path = kept(model, task)
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8") as stream:
            samples = [json.loads(line) for line in stream]
        for sample in samples:
            for name in () if metrics else sample["metrics"]:
                if name not in ("acc", "exact_match"):
                    del sample[name]
        changed = [change(number, sample) or sample for number, sample in enumerate(samples)]
        path = tmp_path / f"samples_{task}_{DATE}.jsonl"
        path.write_text("".join(json.dumps(sample) + "\n" for sample in changed), "utf-8")
        return path

    return write


# Logs without the pairs that some metrics log, and with them


def test_logs_without_pairs_give_the_same_answers(written):
    """In "texts" the targets are digits: those of choices and not positions, as `acc` says."""
    for model in ("always-b", "knows-half"):
        for task in ("letters", "texts", "generated"):
            path = written(model, task, lambda number, sample: None)
            for bare, full in zip(read_log(path), read_log(kept(model, task)), strict=True):
                for field in ("how", "ids", "references", "predictions", "choices", "prompts"):
                    assert getattr(bare, field) == getattr(full, field), (model, task, field)


def test_texts_that_metrics_turned_into_positions_are_read_as_these(written):
    def by_position(number, sample):
        sample["nit"] = [LETTERS.index(sample["target"]), 1 if number % 2 else -1]

    letter, _ = read_log(written("always-b", "generated", by_position))
    assert letter.how == "what the metrics took from the text after filter 'letter'"
    assert (letter.references[:5], letter.unknown()) == ((0, 1, 2, 1, 3), {-1: 30})


def test_the_likeliest_choice_is_that_of_the_accuracy_in_the_log(written):
    """By the length behind what the harness writes between question and choice."""

    def change(number, sample):
        sample["arguments"] = {i: {"arg_1": f" {'B' * i} "} for i in range(1, 3)}
        sample["filtered_resps"] = [["-2.0", "False"], ["-2.9", "False"]]
        sample.update(target=str(number % 2), acc_norm=float(number % 2), mcc=[number % 2, 0])
        sample.pop("acc")

    answers = answers_of(written("always-b", "letters", change))
    assert answers.how == "the likeliest choice, as for acc_norm"
    assert {*answers.predictions} == {"BB"}


IN_PROMPTS = [  # the metric, what the configuration names, what else is logged, and what is said
    (2, "acc", None, None, None),
    (3, "acc", None, None, "must say which of 3 prompts is right: a field as doc_to_text"),
    (3, "acc", "{{right}}", None, None),
    (3, "acc", "a {{right}}", "mcc", None),
    (
        3,
        "acc_norm",
        "right",
        None,
        "in the prompts, and acc_norm divides by their lengths: list `acc`",
    ),
]


@pytest.mark.parametrize(("k", "metric", "field", "more", "message"), IN_PROMPTS)
def test_of_prompts_with_one_text_behind_the_right_one_is_told(
    written, k, metric, field, more, message
):
    """As of Winogrande: by the verdict on two, a field of the document, or a metric of pairs."""

    def change(number, sample):
        requests = list(sample["arguments"].values())[:k]
        sample["arguments"] = dict(enumerate({**x, "arg_1": " it is."} for x in requests))
        sample["filtered_resps"] = [["-1.0", "False"], *[["-2.0", "False"]] * (k - 1)]
        right = number % k
        sample.pop("acc")
        sample.update({"target": "it is.", metric: float(right == 0), "doc": {"right": right}})
        if more:
            sample[more] = [right, 0]

    log = written("always-b", "plain", change)
    config = {"configs": {"plain": {"doc_to_text": field}}}
    log.with_name(f"results_{DATE}.json").write_text(json.dumps(config))
    if message:
        with pytest.raises(ValueError, match=message):
            answers_of(log)
    else:
        assert answers_of(log).references == tuple(i % k for i in range(25))


@pytest.mark.parametrize(
    "listed", [None, [*LETTERS], dict(zip("1234", LETTERS, strict=True)), "letters"]
)
def test_targets_are_positions_in_the_choices_that_results_or_metrics_name(written, listed):
    def change(number, sample):
        answer = sample["filtered_resps"][0].lower()
        sample.update(target=str(LETTERS.index(sample["target"])), filtered_resps=[answer])
        if listed is None:
            sample["nit"] = [int(sample["target"]), answer, None, [*LETTERS]]
        sample["doc"]["letters"] = [*LETTERS] if sample["doc_id"] else ["A", "B", "C", "x"]

    log = written("knows-half", "generated", change)
    config = {"configs": {"generated": {"doc_to_choice": listed}}}
    log.with_name(f"results_{DATE}.json").write_text(json.dumps(config))
    for answers in read_log(log):
        assert answers.classes == (LETTERS if listed != "letters" else (0, 1, 2, 3))
        assert answers.read(AS_THEY_ARE).table.informedness() == pytest.approx(0.5)


def test_a_pair_that_is_logged_the_other_way_round_is_turned(written):
    """By the target, or where that is another word by its being the same for each target."""
    for form in ("{}", "{} it is"):

        def change(number, sample, form=form):
            sample["f1"] = [form.format(sample["filtered_resps"][0]), form.format(sample["target"])]

        letter, _ = read_log(written("knows-half", "generated", change))
        assert letter.table.informedness() == pytest.approx(0.5)


# Which file, which model


def test_logs_are_known_by_their_names_or_first_lines(tmp_path):
    log = kept("always-b", "texts").read_bytes()
    assert sum(map(is_log, KEPT.rglob("*"))) == 9  # not the results, and folders
    for name, content, task in (
        ("samples_mmlu_pro_2026-01-01T00-00-00.jsonl", log, "mmlu_pro"),  # a full second
        ("renamed.jsonl", log, "renamed"),
        ("renamed.jsonl.bz2", bz2.compress(log), "renamed"),
        ("samples_task.jsonl", b'{"text": "of another tool"}\n', None),
        ("samples_task.jsonl", b"", None),
        ("samples_task.jsonl", b"PK\x03\x04", None),
        ("samples_task.jsonl.gz", b"not compressed", None),
        ("samples_task.csv", b"doc_id,filtered_resps\n", None),
    ):
        (tmp_path / name).write_bytes(content)
        assert is_log(tmp_path / name) == (task is not None), name
        if task is not None:
            answers = answers_of(tmp_path / name)
            assert (answers.task, len(answers.ids)) == (task, 25)
    assert not is_log(tmp_path / "missing.jsonl")


def test_the_model_is_that_of_the_results_of_the_same_run(tmp_path):
    paths = [tmp_path / f"samples_task_{date}.jsonl" for date in (DATE, "2026-02-02T00-00-00.5")]
    for path in paths:
        shutil.copy(kept("always-b", "texts"), path)
    results = tmp_path / f"results_{DATE}.json"
    for content, model in (('{"model_name": "org/model"}', "org/model"), ("[]", tmp_path.name)):
        results.write_text(content)
        assert [answers_of(path).model for path in paths] == [model, tmp_path.name]
    results.write_text("{")  # as lighteval's, a name is not worth an error
    assert answers_of(paths[0]).model == tmp_path.name
    assert [answers_of(path).created for path in paths] == [DATE, "2026-02-02T00-00-00.5"]


# What is refused


ALL, THIRD = range(60), [2]
THREE = [["-1.5", "False"]] * 3
ONE_ANSWER = "must have one right answer for a score of classes, got "
GENERATED = {"gen_args_0": {"arg_0": "", "arg_1": {"until": []}}}
ONE_TEXT = {"gen_args_0": {"arg_0": "", "arg_1": " A"}}
# each target is a position, and the text of another choice
POSITIONS = {f"gen_args_{i}": {"arg_0": "", "arg_1": f" {x}"} for i, x in enumerate("1230")}


@pytest.mark.parametrize(
    ("task", "lines", "fields", "message"),
    [
        ("letters", THIRD, {"prompt_hash": None}, "lacks prompt_hash"),
        ("letters", THIRD, {"filtered_resps": []}, r"`filtered_resps` must be a list .*, got \[\]"),
        ("letters", THIRD, {"filtered_resps": [*THREE, ["nan", "False"]]}, "each of 4 choices"),
        ("letters", THIRD, {"filtered_resps": [*THREE, "-1.5"]}, "each of 4 choices"),
        ("letters", THIRD, {"arguments": [["", " A"]]}, "`arguments` must be an object of objects"),
        ("letters", THIRD, {"target": "[1, 2]"}, r"text of one choice .* got '\[1, 2\]'"),
        ("letters", THIRD, {"target": "4"}, "must be the text of one choice or its .*, got '4'"),
        ("letters", THIRD, {"target": "0"}, "'0' .* 2 is the likeliest, with accuracy 1.0"),
        ("letters", THIRD, {"mcc": [[1, 2], 2]}, rf"{ONE_ANSWER}\[1, 2\]"),
        ("generated", THIRD, {"filtered_resps": [["A", "B"]]}, "one answer, .* with take_first"),
        ("generated", THIRD, {"target": "['A', 'B']"}, ONE_ANSWER),
        ("letters", ALL, {"arguments": ONE_TEXT}, "^line 1: .*must have scored choices or gen"),
        ("letters", ALL, {"arguments": POSITIONS, "acc": None}, "and here it may be either"),
        ("letters", THIRD, {"arguments": GENERATED}, "all samples must be of the same kind"),
        ("generated", THIRD, {"mcc": ["C", "C"]}, r"no metrics of pairs.: .line 1'"),
        ("generated", ALL, {"mcc": ["A", "B"], "f1": ["B", "B"]}, "^line 1: metrics .* disagree"),
        ("generated", ALL, {"mcc": [None, "B"]}, "^line 1: .*must log texts, or positions, got"),
    ],
)
def test_what_cannot_be_scored_is_refused_by_its_line(written, task, lines, fields, message):
    def change(number, sample):
        if number in lines:
            sample.update(fields)
            for name in [name for name, value in fields.items() if value is None]:
                del sample[name]

    with pytest.raises(ValueError, match=message) as refused:
        list(read_log(written("knows-half", task, change)))
    assert str(refused.value).startswith(("line ", "all samples", "`target`"))  # not with the file


def test_a_damaged_file_is_a_log_by_its_name_and_refused(tmp_path):
    path = tmp_path / f"samples_task_{DATE}.jsonl"
    for content in (b'{"doc_id": 0\n', b"\xff\xff\n", b"[1]\n"):
        path.write_bytes(content)
        assert is_log(path)
        with pytest.raises(ValueError, match=r"^line 1: must be a JSON object(: |, got \[1\])"):
            list(read_log(path))
