"""Details of lighteval give each sample's right choice and the answer, or say why they cannot.

In the kept logs, which test_logs.py describes, `knows-half` knows the half of A, C and D.
"""

import math
import shutil
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from informedness.inputs.text_labels import AS_THEY_ARE
from informedness.logs.lighteval import is_log, read_log
from tables import score_of

LOGS = Path(__file__).parents[1] / "examples" / "runs" / "lighteval"
DATE = "2026-01-01T00-00-00.000000"

KNOWS_HALF = [[6, 6, 0, 0], [0, 24, 0, 0], [0, 6, 6, 0], [0, 6, 0, 6]]


def log_of(model, task):
    return LOGS / "details" / model / DATE / f"details_{task}_0_{DATE}.parquet"


def rows_of(model="knows-half", task="arithmetic"):
    return pyarrow.parquet.read_table(log_of(model, task)).to_pylist()


@pytest.fixture
def answers_of(tmp_path):
    """Return a function that writes rows as a log and reads its answers, one if there is one."""

    def read(rows):
        path = tmp_path / "details" / "model" / DATE / f"details_task_{DATE}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
        found = list(read_log(path))
        return found[0] if len(found) == 1 else found

    return read


def changed(task, at, part, **values):
    """Return the rows of a kept log with other values in the rows at some positions."""
    rows = rows_of(task=task)
    for position in at:
        rows[position][part].update(values)
    return rows


def test_logs_and_their_models_are_known_by_their_names(tmp_path):
    """As lighteval writes them, or as they are on the Hub; half a file is one too."""
    for folder, model in (
        ("details/details/org/name/" + DATE, "org/name"),
        ("details_org__name_private/" + DATE, "details_org__name_private"),
        ("elsewhere", "elsewhere"),
    ):
        (tmp_path / folder).mkdir(parents=True)
        path = Path(shutil.copy(log_of("knows-half", "arithmetic"), tmp_path / folder))
        answers = next(read_log(path))
        assert (answers.model, answers.created) == (model, path.name)  # which ends in the date
        shutil.copy(path, path.with_name("predictions.parquet"))
        path.with_name(f"results_{DATE}.json").write_text("{}")
        assert [*filter(is_log, path.parent.iterdir())] == [path]
    path.write_bytes(path.read_bytes()[:-100])
    assert is_log(path)
    assert not is_log(tmp_path / f"details_none_{DATE}.parquet")


def test_one_right_choice_in_a_list_is_right_and_several_are_refused(answers_of):
    """And choices are known without blanks."""
    rows = rows_of()
    for row in rows:
        gold = row["doc"]["gold_index"]
        row["doc"].update(gold_index=[gold], choices=[" A", " B", " C", " D"])
    assert answers_of(rows).choices == ("A", "B", "C", "D")
    assert answers_of(rows).table.to_dense().tolist() == KNOWS_HALF
    rows[3]["doc"]["gold_index"] = [0, 2]
    name = rows[3]["doc"]["id"]
    with pytest.raises(ValueError, match=rf"^sample {name}: .*one right answer .*, got \[0, 2\]"):
        answers_of(rows)


def test_the_likeliest_choice_is_that_of_the_only_accuracy(answers_of):
    """Normalised as its name says, of which the option may be a part; of several, the plain one."""
    response = {"logprobs": [-1.0, -2.0, -3.0, -1.0], "output_tokens": [[1], [1], [1] * 9, [1]]}
    rows = changed("arithmetic", range(60), "model_response", **response)
    by_tokens = "acc:logprob_normalization=LogProbTokenNorm(name='norm_token')"
    by_characters = by_tokens.replace("TokenNorm", "CharNorm").replace("_token'", "', ignore{}")
    for names, right in (
        (["acc_norm_token:a=1"], 2),
        ([by_tokens], 2),
        ([by_tokens, "acc"], 0),
        ([by_characters.format("_first_space=False")], 3),
        ([by_characters.format("_first_space=True")], 0),
    ):
        for row in rows:
            is_right = float(row["doc"]["gold_index"] == right)
            row["metric"] = {names[-1]: is_right, names[0]: is_right if len(names) == 1 else 0.0}
            row["doc"]["choices"] = ["A", "B", "C", " D"]
        answers = answers_of(rows).read(AS_THEY_ARE)
        assert {*answers.predictions} == {"ABCD"[right]}, names


def test_text_is_looked_up_among_the_choices_of_its_sample(answers_of):
    """But for blanks if the metric says so, and as the metric says where it tells more."""
    rows = rows_of(task="arithmetic_text")
    rows[0]["doc"].update(choices=["one", "two", "three"], gold_index=2)
    for row, text, em in ((rows[0], " Two ", 0), (rows[1], " b.", 1)):
        row["model_response"]["text_post_processed"], row["metric"]["em"] = [text], em
    answers = answers_of(rows).read(AS_THEY_ARE)
    assert answers.choices == (0, 1, 2, 3)
    assert (answers.references[0], answers.predictions[:2]) == (2, (1, 1))
    assert score_of(answers.table, "accuracy") == sum(row["metric"]["em"] for row in rows) / 60


def test_text_counts_as_it_is_but_without_its_reasoning(answers_of):
    for response, unknown in (
        ({"text": ["<think>B</think>C"]}, {}),  # of which lighteval kept what is behind it
        ({"text_post_processed": [" B"]}, {" B": 60}),
        ({"logprobs": [-0.1, -0.2]}, {}),  # of tokens
    ):
        answers = answers_of(changed("arithmetic_text", range(60), "model_response", **response))
        assert answers.how == "the generated text"
        assert answers.unknown() == unknown
        assert unknown or answers.table.to_dense().tolist() == KNOWS_HALF
    left_in = {"text": ["C"], "text_post_processed": None}
    rows = changed("arithmetic_text", range(60), "model_response", **left_in)
    assert set(answers_of(rows).predictions) == {"C"}


def test_each_of_several_generations_is_an_epoch_and_each_kind_of_metric_a_variant(answers_of):
    generated = changed("arithmetic_text", range(60), "model_response", text=["A ", "D"])
    for row in generated:
        row["doc"]["task_name"] = "arithmetic|0"
        del row["model_response"]["text_post_processed"]
    scored, *of_text = answers_of(rows_of() + generated)
    assert (scored.variant, scored.table.to_dense().tolist()) == ("log-probabilities", KNOWS_HALF)
    for epoch, (answers, letter) in enumerate(zip(of_text, "AD", strict=True), start=1):
        assert (answers.variant, answers.epoch, answers.ids) == ("text", epoch, scored.ids)
        assert set(answers.predictions) == {letter}


def test_examples_and_instruction_are_part_of_the_prompt(answers_of):
    """And a question that is no text is one all the same."""
    shots = [{"query": "What is 1 + 1?"}, {"query": "What is 2 + 2?"}]
    for more, prompt in (
        ({"instruction": None, "query": 7}, "7"),
        (
            {"instruction": "Add.", "fewshot_samples": shots, "query": "3 + 3?"},
            "Add.\n\nWhat is 1 + 1?\n\nWhat is 2 + 2?\n\n3 + 3?",
        ),
    ):
        assert set(answers_of(changed("arithmetic", range(60), "doc", **more)).prompts) == {prompt}


def test_nothing_extracted_is_no_answer_and_the_first_of_several_counts(answers_of):
    rows = rows_of(task="arithmetic_sentence")
    for number, row in enumerate(rows):
        row["doc"]["specific"]["extracted_predictions"] = ["C", "D"] if number else []
    assert answers_of(rows).predictions == (None, *["C"] * 59)


SENTENCE, OF_B = "arithmetic_sentence", {"extracted_predictions": ["B"], "extracted_golds": ["18"]}


@pytest.mark.parametrize(
    ("task", "part", "values", "message"),
    [
        ("arithmetic", "doc", {"task_name": "b|0"}, r"one task, got arithmetic\|0, b\|0"),
        ("arithmetic", "doc", {"gold_index": -1}, "one of 4 choices, got -1"),
        ("arithmetic", "doc", {"gold_index": None}, "one of 4 choices, got None"),
        ("arithmetic", "model_response", {"logprobs": [-1.0] * 3}, "each of 4 choices, got"),
        ("arithmetic", "model_response", {"logprobs": None}, "each of 4 choices, got None"),
        ("arithmetic", "model_response", {"logprobs": [math.nan] * 4}, r"4 choices, got \[nan"),
        # the right answer alone, and no other choice
        ("arithmetic_text", "doc", {"choices": ["18"]}, r"at least two classes, got \['18'\]"),
        ("arithmetic_text", "model_response", {"text_post_processed": ["A", "D"]}, r"\[1, 2\]"),
        (SENTENCE, "model_response", {"text_post_processed": ["A", "B"]}, "of one generation"),
        # the sample is named once
        (SENTENCE, "model_response", {"text_post_processed": []}, r"^sample \d+: `text` must be"),
        (SENTENCE, "doc", {"specific": None}, "must be logged, as in other samples"),
        (SENTENCE, "doc", {"specific": OF_B}, r"right choice 'D', got \['B'\] and \['18'\]"),
    ],
)
def test_what_tells_no_choice_is_refused(answers_of, task, part, values, message):
    with pytest.raises(ValueError, match=message):
        answers_of(changed(task, [9], part, **values))


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "details.parquet"
    whole = log_of("knows-half", "arithmetic").read_bytes()
    for content, message in (
        (whole[:4] + b"\xff" * 2000 + whole[2004:], "not readable as Parquet"),
        ({"doc": ["a"]}, "column doc.id, got none"),
        ({"doc": [{"id": "1"}]}, "column doc.task_name, got none"),
        ([*rows_of(), {"doc": None, "model_response": None}], "row 61 must hold a sample"),
    ):
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            of = pyarrow.table if isinstance(content, dict) else pyarrow.Table.from_pylist
            pyarrow.parquet.write_table(of(content), path)
        with pytest.raises(ValueError, match=message):
            next(read_log(path))
