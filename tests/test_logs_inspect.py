"""Logs of Inspect: kept ones, which test_logs.py describes, and ones that are changed here."""

import json
import math
import zipfile
from pathlib import Path

import pytest

import informedness
from informedness.logs.inspect_ai import is_log, read_log
from informedness.warnings import InformednessWarning

LOGS = Path(__file__).parents[1] / "examples" / "runs" / "inspect"


@pytest.fixture
def changed(tmp_path):
    """Return a function that writes a kept log with a change, and reads it."""

    def read(change, name="choice_knows-half.json"):
        log = json.loads((LOGS / name).read_text("utf-8"))
        change(log)
        (tmp_path / "log.json").write_text(json.dumps(log), "utf-8")
        return list(read_log(tmp_path / "log.json"))

    return read


def first_score(log):
    return log["samples"][0]["scores"]["choice"]


# What is read


def test_an_answer_that_is_empty_missing_or_of_several_letters_is_unknown(changed):
    def change(log):
        first_score(log)["answer"] = ""
        del log["samples"][1]["scores"]["choice"]["answer"]

    (answers,) = changed(change)
    assert answers.predictions[:3] == (None, None, "C")
    assert answers.unknown() == {None: 2}
    (answers,) = changed(lambda log: first_score(log).update(answer="A, C", value="I"))
    assert answers.unknown() == {"A, C": 1}


def test_names_targets_choices_and_prompts_are_those_of_inspect(changed):
    """More than 26 choices go on with numbers; messages have an id of their own in each run."""

    def change(log):
        log["samples"][0].update(choices=[str(i) for i in range(28)], target="2")
        log["samples"][1]["input"] = [{"id": "one", "role": "user", "content": "1 + 2?"}]
        log["samples"][1]["choices"] = ["6", "5", "4", "3"]

    def in_words(log):
        for sample in log["samples"]:
            sample["target"] = ["yes"] if sample["target"] == "B" else ["no"]

    (answers,) = changed(change)
    assert answers.choices[24:] == ("Y", "Z", "1", "2")
    assert answers.name == "mockllm/knows-half, arithmetic"
    assert answers.prompts[2] == "What is 3 + 4?\n5\n6\n7\n8"
    assert answers.prompts[1] == '[{"content": "1 + 2?", "role": "user"}]\n6\n5\n4\n3'
    (answers,) = changed(in_words)
    assert (answers.choices, answers.classes) == (None, ("no", "yes"))


# What is a log


def test_logs_are_known_by_their_names_or_first_lines(tmp_path):
    for name, content in (
        ("a.eval", b"half of one"),
        ("b.json", (LOGS / "choice_knows-half.json").read_bytes()),
        ("samples.json", b'{"version": 2, "results": {}}'),
        ("c.txt", (LOGS / "choice_knows-half.json").read_bytes()),
    ):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.eval").mkdir()
    (tmp_path / "folder.json").mkdir()
    assert sorted(filter(is_log, tmp_path.iterdir())) == [tmp_path / "a.eval", tmp_path / "b.json"]
    assert not is_log(tmp_path / "absent.json")


# What is refused


def test_samples_without_a_score_are_left_out_and_counted(changed, tmp_path):
    """And a second epoch that has none is left out whole."""

    def change(log):
        log["samples"] += [{**sample, "epoch": 2, "scores": {}} for sample in log["samples"]]
        log["results"]["total_samples"] = 40
        first_score(log).update(value=math.nan)
        log["samples"][2]["scores"].clear()
        log["samples"][3].update(error={"message": "x"}, scores=None)
        log["samples"][4].update(invalidation={"author": "x"})

    (answers,) = changed(change)
    assert (len(answers.ids), answers.n_left_out) == (16, 4)
    assert answers.ids[:2] == ("sum-01", "sum-05")
    with pytest.warns(InformednessWarning, match="4 of 20 samples of .*, epoch 1 have no score"):
        informedness.read_log(tmp_path)


def test_marks_and_numbers_are_verdicts_and_other_values_are_none(changed):
    """A class C is none of them, nor is a scorer's own word."""
    values = ["C", "I", "P", "N", 1, 0.5, True, "fine", {"a": 1}, [1]]

    def change(log):
        for sample, value in zip(log["samples"], values, strict=False):
            sample["scores"]["choice"]["value"] = value

    wanted = (1, 0, 0.5, 0, 1, 0.5, 1, None, None, None)
    assert changed(change)[0].verdicts[: len(values)] == wanted


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log.update(status="error"), "must have ended with status 'success', got 'err"),
        (lambda log: log.update(version=1), "must be of version 2, got 1"),
        (lambda log: log.pop("eval"), "damaged: it names no task and model"),
        (lambda log: log.pop("samples"), "no samples: run without --no-log-samples"),
        (
            lambda log: [sample.pop("scores") for sample in log["samples"]],
            "no scores, which hold the answers",
        ),
        (lambda log: log["samples"].pop(), "is damaged: it holds 19 of 20 samples"),
        (lambda log: log["samples"][0].update(target=["A", "B"]), "one right answer.*'A', 'B'"),
        (lambda log: log["samples"][0].update(target="AB"), "one right answer.*'AB'"),
        (lambda log: log["samples"][0].pop("input"), "'sum-00': it is damaged: KeyError 'input'"),
        (lambda log: first_score(log).update(answer=3), "'sum-00': it is damaged: TypeError"),
    ],
)
def test_a_log_that_cannot_be_scored_is_refused(changed, change, message):
    with pytest.raises(ValueError, match=message):
        changed(change)


def test_what_is_no_object_or_has_not_finished_is_refused(tmp_path):
    (tmp_path / "log.json").write_text("[1]")
    with pytest.raises(ValueError, match=r"must be a JSON object, got \[1\]"):
        list(read_log(tmp_path / "log.json"))
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    assert is_log(tmp_path / "log.eval")
    with pytest.raises(ValueError, match="must have ended with status 'success', got 'started'"):
        list(read_log(tmp_path / "log.eval"))


@pytest.mark.slow
def test_a_damaged_log_is_refused_or_read_as_it_was(tmp_path):
    """Each of some bytes is changed, or the file cut there; an answer is never another."""
    whole = (LOGS / "choice_knows-half.eval").read_bytes()
    right = list(read_log(LOGS / "choice_knows-half.eval"))
    path = tmp_path / "log.eval"
    n_refused = 0
    for place in range(7, len(whole), len(whole) // 150):
        flipped = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        for damaged in (whole[:place], flipped):
            path.write_bytes(damaged)
            try:
                assert list(read_log(path)) == right
            except ValueError:
                n_refused += 1
    assert n_refused > 150
