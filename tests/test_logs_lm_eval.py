"""Logs of lm-eval are read as the harness itself takes them, or refused by line and reason.

The models and questions of the kept logs are those of tests/harnesses/arithmetic.py: sixty
questions (25 in two of the tasks), whose answers go round A, B, C, B, D.
"""

import bz2
import gzip
import json
import lzma
import shutil
import sys
from importlib import import_module
from pathlib import Path

import pytest

from informedness.logs.lm_eval import is_log, logs_in, read_log

KEPT = Path(__file__).parent / "logs" / "lm-eval"
DATE = "2026-01-01T00-00-00.000001"
LETTERS = ("A", "B", "C", "D")


def kept(model, task):
    """The kept log of a model in a task."""
    (path,) = (KEPT / model).glob(f"samples_arithmetic_{task}_{DATE}.jsonl*")
    return path


def lines_of(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


@pytest.fixture
def written(tmp_path):
    """Return a function that changes samples of a kept log and writes them."""

    def write(model, task, change, metrics=False):
        samples = lines_of(kept(model, task))
        for sample in samples:
            for name in () if metrics else sample["metrics"]:
                if name not in ("acc", "exact_match"):
                    del sample[name]
        changed = [change(number, sample) or sample for number, sample in enumerate(samples)]
        path = tmp_path / f"samples_{task}_{DATE}.jsonl"
        path.write_text("".join(json.dumps(sample) + "\n" for sample in changed), "utf-8")
        return path

    return write


# What is found in a whole log


def test_all_logs_of_a_folder_are_found_and_nothing_else():
    found = logs_in(KEPT)
    assert len(found) == 9
    beside = [path for path in KEPT.rglob("*") if path not in found]
    assert not any(map(is_log, beside))  # results, and folders


@pytest.mark.parametrize("task", ["letters", "plain", "generated", "texts"])
def test_half_of_the_answers_known_is_an_informedness_of_a_half(task):
    """All B are right, half of the others (3 of 5 of each in 25), and all that is wrong is B."""
    for answers in read_log(kept("knows-half", task)):
        n = len(answers.ids)
        of_class, right = {60: (12, 6), 25: (5, 3)}[n]
        a, b, c, d = answers.choices or LETTERS
        cells = answers.table().to_dense().tolist()
        wrong = of_class - right
        assert cells == [
            [right, wrong, 0, 0],
            [0, 2 * of_class, 0, 0],
            [0, wrong, right, 0],
            [0, wrong, 0, right],
        ]
        assert answers.references[:5] == (a, b, c, b, d)
        assert answers.table().informedness() == pytest.approx({60: 0.5, 25: 0.6}[n], abs=1e-12)
        assert answers.ids == tuple(map(str, range(n)))
        assert len(set(answers.prompts)) == n
        assert (answers.harness, answers.model) == ("lm-eval", "knows-half")
        assert answers.task == f"arithmetic_{task}"


def test_each_filter_has_its_answers_and_refusals_are_unknown():
    letter, text = read_log(kept("refuses", "generated"))
    assert (letter.variant, text.variant) == ("letter", "text")
    assert letter.name == "refuses, arithmetic_generated, letter"
    assert letter.unknown() == {"[invalid]": 60}  # what the filter leaves of no match
    assert text.unknown() == {"I cannot answer that.": 60}
    assert (letter.how, text.how) == (
        "the text after filter 'letter'",
        "the text after filter 'text'",
    )
    assert letter.table().informedness() == 0


# Logs without the pairs that some metrics log


def test_logs_without_pairs_give_the_same_answers(written):
    """In "texts" the targets are digits: those of choices and not positions, as `acc` says."""
    for model in ("always-b", "knows-half"):
        for task in ("letters", "texts", "generated"):
            path = written(model, task, lambda number, sample: None)
            for bare, full in zip(read_log(path), read_log(kept(model, task)), strict=True):
                for field in ("how", "ids", "references", "predictions", "choices", "prompts"):
                    assert getattr(bare, field) == getattr(full, field), (model, task, field)


def test_pairs_tell_the_right_choice_where_the_target_does_not(written):
    """As where choices are in the prompts, and the target is the text behind all of them."""

    def one_text_behind(number, sample):
        sample["target"] = "is the sum."
        for request in sample["arguments"].values():
            request["arg_1"] = " is the sum."

    (answers,) = read_log(written("knows-half", "letters", one_text_behind, metrics=True))
    assert answers.choices == (0, 1, 2, 3)
    assert answers.table().informedness() == pytest.approx(0.5)


def test_texts_that_metrics_turned_into_positions_are_read_as_these(written):
    def by_position(number, sample):
        pair = [LETTERS.index(sample["target"]), 1 if number % 2 else -1]
        sample.update(informedness=pair, nit=pair)

    letter, _ = read_log(written("always-b", "generated", by_position))
    assert letter.how == "what the metrics took from the text after filter 'letter'"
    assert letter.references[:5] == (0, 1, 2, 1, 3)
    assert letter.unknown() == {-1: 30}


def test_neither_length_nor_what_mutual_information_asks_again_plays_a_part(written):
    def change(number, sample):
        sample["acc_mutual_info"] = 0.0
        sample["filtered_resps"] += [["-0.1", "False"]] * 4
        again = {f"gen_args_{4 + i}": {"arg_0": "", "arg_1": f" {x}"} for i, x in enumerate("ABCD")}
        sample["arguments"].update(again)
        sample["arguments"]["gen_args_0"]["arg_1"] = " " + "A" * 100

    (answers,) = read_log(written("always-b", "plain", change))
    assert len(answers.choices) == 4
    assert set(answers.predictions) == {"B"}


def test_the_first_of_equally_likely_choices_is_the_answer(written):
    def tie(number, sample):
        sample["filtered_resps"] = [["-1.0", "False"]] * 4
        del sample["acc"]

    (answers,) = read_log(written("always-b", "letters", tie))
    assert set(answers.predictions) == {"A"}


# Which file, which model


def test_the_task_is_in_the_name_of_the_file(tmp_path):
    for name, task in (
        ("samples_mmlu_pro_2026-01-01T00-00-00.jsonl", "mmlu_pro"),  # a full second
        ("renamed.jsonl", "renamed"),
    ):
        path = tmp_path / name
        shutil.copy(kept("always-b", "texts"), path)
        assert is_log(path)
        (answers,) = read_log(path)
        assert answers.task == task


def test_compressed_logs_are_read(tmp_path):
    log = kept("always-b", "texts").read_bytes()
    for ending, compress in (("bz2", bz2.compress), ("xz", lzma.compress)):
        path = tmp_path / f"renamed.jsonl.{ending}"
        path.write_bytes(compress(log))
        assert path in logs_in(tmp_path)
        (answers,) = read_log(path)
        assert len(answers.ids) == 25


def test_the_model_is_that_of_the_results_of_the_same_run(tmp_path):
    for date in (DATE, "2026-02-02T00-00-00.5"):
        shutil.copy(kept("always-b", "texts"), tmp_path / f"samples_task_{date}.jsonl")
    (tmp_path / f"any_{DATE}.json").write_text('{"model_name": "org/model"}')
    with_results, without = (next(read_log(path)).model for path in logs_in(tmp_path))
    assert (with_results, without) == ("org/model", tmp_path.name)


def test_results_that_are_damaged_are_named(tmp_path):
    path = tmp_path / f"samples_task_{DATE}.jsonl"
    shutil.copy(kept("always-b", "texts"), path)
    (tmp_path / f"results_{DATE}.json").write_text("{")
    with pytest.raises(ValueError, match=r"results_2026.* must be JSON .*: repair or remove it"):
        list(read_log(path))


def test_other_files_are_no_logs(tmp_path):
    for name, text in (
        ("samples_task.jsonl", '{"text": "of another tool"}\n'),
        ("samples_task.jsonl", ""),
        ("samples_task.jsonl", "PK\x03\x04"),
        ("samples_task.jsonl.gz", "not compressed"),
        ("samples_task.csv", "doc_id,filtered_resps\n"),
    ):
        (tmp_path / name).write_text(text)
        assert not is_log(tmp_path / name), text
        assert logs_in(tmp_path) == []
    assert not is_log(tmp_path / "missing.jsonl")


# What is refused


def see_refused(path, message):
    with pytest.raises(ValueError, match=message) as refused:
        list(read_log(path))
    assert str(path) not in str(refused.value)  # the caller adds it


THREE = [["-1.5", "False"]] * 3
ONE_ANSWER = "must have one right answer for a score of classes, got "


@pytest.mark.parametrize(
    ("task", "field", "value", "message"),
    [
        ("letters", "prompt_hash", None, "lacks prompt_hash"),
        ("letters", "filtered_resps", [], r"`filtered_resps` must be a list of .*, got \[\]"),
        ("letters", "filtered_resps", [*THREE, ["nan", "False"]], "for each of 4 choices"),
        ("letters", "arguments", [["", " A"]], "`arguments` must be an object of objects"),
        ("letters", "doc_id", 0, r"\(doc_id 0\) after line 1"),
        ("letters", "target", "[1, 2]", rf"{ONE_ANSWER}'\[1, 2\]'"),
        ("letters", "target", "4", "`target` must be the text of a choice or its .*, got '4'"),
        ("letters", "target", "0", "likeliest choice is 2 and the right one 0, but `acc` .* 1.0"),
        ("letters", "mcc", [[1, 2], 2], rf"{ONE_ANSWER}\[1, 2\]"),
        ("generated", "filtered_resps", [["A", "B"]], "one answer, .* 'letter' with take_first"),
        ("generated", "target", "['A', 'B']", ONE_ANSWER),
        ("generated", "filtered_resps", ["c"], "'c' and the target 'C' are .*`exact_match` .* 1.0"),
    ],
)
def test_a_sample_that_cannot_be_scored_is_refused_by_its_line(
    written, task, field, value, message
):
    def change(number, sample):
        if number == 2:
            sample[field] = value
            if value is None:
                del sample[field]

    see_refused(written("knows-half", task, change), f"line 3.* {message}")


def another_answer(number, sample):
    sample["mcc"] = [int(sample["target"]), 0]


def one_request(number, sample):
    sample["arguments"] = {"gen_args_0": sample["arguments"]["gen_args_0"]}
    sample["filtered_resps"] = sample["filtered_resps"][:1]


def positions_that_are_texts(number, sample):
    """Choices 1, 2, 3, 0: each target is a position, and the text of another choice."""
    del sample["acc"]
    for request, text in zip(sample["arguments"].values(), "1230", strict=True):
        request["arg_1"] = f" {text}"


def generated_in_one(number, sample):
    if number == 2:
        sample["arguments"] = {"gen_args_0": {"arg_0": "", "arg_1": {"until": []}}}


def a_pair_in_one(number, sample):
    if number == 2:
        sample["mcc"] = ["C", "C"]


@pytest.mark.parametrize(
    ("task", "change", "message"),
    [
        ("letters", lambda number, sample: [1], r"line 1 must be a JSON object, got \[1\]"),
        ("letters", another_answer, "line 2 .* the likeliest choice is 1, but a metric .* has 0"),
        ("letters", one_request, "line 1 .* must have scored choices or generated text"),
        ("letters", positions_that_are_texts, "or its position, and here it may be either"),
        ("letters", generated_in_one, "all samples must be of the same kind"),
        ("generated", a_pair_in_one, r"same metrics, and line 1 \(doc_id 0\) lacks the pair"),
        (
            "generated",
            lambda number, sample: sample.update(mcc=["A", "B"], f1=["B", "B"]),
            "line 1 .* metrics in the log disagree",
        ),
        (
            "generated",
            lambda number, sample: sample.update(mcc=[None, "B"]),
            "line 1 .* must log texts, or positions, got",
        ),
    ],
)
def test_samples_that_contradict_themselves_or_each_other_are_refused(
    written, task, change, message
):
    see_refused(written("knows-half", task, change), message)


def test_a_damaged_file_is_a_log_by_its_name_and_refused(tmp_path):
    path = tmp_path / f"samples_task_{DATE}.jsonl"
    for content, message in (
        (b"", "the log must hold samples, got none"),
        (b'{"doc_id": 0\n', "line 1 must be a JSON object: "),
        (b"\xff\xff\n", "line 1 must be a JSON object: "),
    ):
        path.write_bytes(content)
        assert is_log(path)
        with pytest.raises(ValueError, match=message):
            list(read_log(path))


def test_where_the_harness_is_missing_the_plug_in_names_its_installation(monkeypatch):
    monkeypatch.setitem(sys.modules, "lm_eval", None)  # the logs above were read without it
    monkeypatch.delitem(sys.modules, "informedness.lm_eval", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'lm-eval>=0\.4\.13'"):
        import_module("informedness.lm_eval")
