"""Details of lighteval give each sample's right choice and the answer, or say why they cannot.

The kept logs are of lighteval itself: `harnesses/lighteval_logs.py` makes them. In sixty questions
the right choices go round A, B, C, B, D; who knows half of them knows every second, and says B to
the others.
"""

import json
import math
import shutil
import sys
from importlib import import_module
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from informedness.logs.lighteval import NAME, is_log, logs_in, read_log

LOGS = Path(__file__).parent / "logs" / "lighteval"
DATE = "2026-01-01T00-00-00.000000"
GOLDS = ["ABCBD"[i % 5] for i in range(60)]

ALWAYS_B = [[0, 12, 0, 0], [0, 24, 0, 0], [0, 12, 0, 0], [0, 12, 0, 0]]
KNOWS_HALF = [[6, 6, 0, 0], [0, 24, 0, 0], [0, 6, 6, 0], [0, 6, 0, 6]]
REFUSES = [[0, 0, 0, 0, 12], [0, 0, 0, 0, 24], [0, 0, 0, 0, 12], [0, 0, 0, 0, 12], [0] * 5]

# 2^MI / 4: A, C and D have 1/5 of the samples each, found in 1/10; B has 2/5, is said to 7/10.
MI_OF_HALF = 3 * 0.1 * math.log2(0.1 / (0.2 * 0.1)) + 3 * 0.1 * math.log2(0.1 / (0.2 * 0.7))
MI_OF_HALF += 0.4 * math.log2(0.4 / (0.4 * 0.7))


def log_of(model, task):
    return LOGS / "details" / model / DATE / f"details_{task}_0_{DATE}.parquet"


def rows_of(model="knows-half", task="arithmetic"):
    return pyarrow.parquet.read_table(log_of(model, task)).to_pylist()


def write(folder, rows):
    """Write rows as a log."""
    path = folder / "details" / "model" / DATE / f"details_task_{DATE}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


@pytest.fixture
def answers_of(tmp_path):
    """Return a function that writes rows as a log and reads its answers, one if there is one."""

    def read(rows):
        found = list(read_log(write(tmp_path, rows)))
        return found[0] if len(found) == 1 else found

    return read


def changed(task, at, part, **values):
    """Return the rows of a kept log with other values in the rows at some positions."""
    rows = rows_of(task=task)
    for position in at:
        rows[position][part].update(values)
    return rows


def test_a_kept_log_gives_the_table_of_its_design():
    likeliest, text = "the likeliest choice", "the generated text"
    found = "the answer that lighteval's extractive match found in the text"
    nit_of_half = 2**MI_OF_HALF / 4
    for model, task, how, counts, informedness, nit in (
        ("always-b", "arithmetic", likeliest, ALWAYS_B, 0, 1 / 4),
        ("knows-half", "arithmetic", likeliest, KNOWS_HALF, 0.5, nit_of_half),
        ("refuses", "arithmetic_text", text, REFUSES, 0, 1 / 4),
        ("always-b", "arithmetic_text", text, ALWAYS_B, 0, 1 / 4),
        ("knows-half", "arithmetic_text", text, KNOWS_HALF, 0.5, nit_of_half),
        ("knows-half", "arithmetic_sentence", found, KNOWS_HALF, 0.5, nit_of_half),
    ):
        (answers,) = read_log(log_of(model, task))
        assert (answers.harness, answers.model, answers.task) == (NAME, model, f"{task}|0")
        assert (answers.variant, answers.epoch, answers.how) == ("", None, how)
        assert answers.choices == ("A", "B", "C", "D")
        assert answers.unknown() == ({"I cannot answer that.": 60} if model == "refuses" else {})
        table = answers.table()
        assert table.to_dense().tolist() == counts, (model, task)
        assert table.informedness() == pytest.approx(informedness)
        assert table.nit() == pytest.approx(nit)


def test_logs_are_details_and_not_what_stands_beside_them(tmp_path):
    shutil.copytree(LOGS / "details", tmp_path / "details")
    kept = sorted((tmp_path / "details").rglob("*.parquet"))
    (tmp_path / f"results_{DATE}.json").write_text("{}")
    folder = tmp_path / "details" / "model"
    folder.mkdir()
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), folder / f"details_a_{DATE}.parquet")
    (folder / f"details_c_{DATE}.parquet").write_bytes(b"\xff" * 8 + b"PAR1")
    shutil.copy(kept[0], folder / "predictions.parquet")
    assert len(kept) == 6
    assert logs_in(tmp_path) == kept
    assert not is_log(tmp_path / f"details_none_{DATE}.parquet")


def test_one_right_choice_in_a_list_is_right_and_several_are_refused(answers_of):
    rows = rows_of()
    for row in rows:
        row["doc"]["gold_index"] = [row["doc"]["gold_index"]]
    assert answers_of(rows).table().to_dense().tolist() == KNOWS_HALF
    rows[3]["doc"]["gold_index"] = [0, 2]
    name = rows[3]["doc"]["id"]
    with pytest.raises(ValueError, match=rf"^sample {name}: .*one choice, got 2: \[0, 2\]"):
        answers_of(rows)


def test_the_first_of_the_likeliest_choices_is_the_answer(answers_of):
    with_question = [-2.0, -1.0, -1.0, -3.0]
    without = [-0.1, -0.2, -0.3, -0.4]  # log-probabilities of the choices alone are left out
    for logprobs in (with_question, with_question + without):
        rows = changed("arithmetic", range(60), "model_response", logprobs=logprobs)
        assert set(answers_of(rows).predictions) == {"B"}


def test_choices_are_known_without_blanks_or_by_position_where_they_differ(answers_of):
    blanks = changed("arithmetic", range(60), "doc", choices=[" A", " B", " C", " D"])
    differ = changed("arithmetic", [2], "doc", choices=["1", "2", "3", "4"])
    for rows, choices in ((blanks, ("A", "B", "C", "D")), (differ, (0, 1, 2, 3))):
        answers = answers_of(rows)
        assert answers.choices == choices
        assert answers.table().to_dense().tolist() == KNOWS_HALF


def test_text_is_looked_up_among_the_choices_of_its_sample(answers_of):
    rows = changed("arithmetic_text", range(60), "model_response", text_post_processed=["no"])
    rows[0]["doc"].update(choices=["one", "two", "three"], gold_index=2)
    rows[0]["model_response"]["text_post_processed"] = ["two"]
    answers = answers_of(rows)
    assert answers.choices == (0, 1, 2, 3)
    assert (answers.references[0], answers.predictions[:2]) == (2, (1, "no"))


def test_text_counts_as_it_is_but_without_its_reasoning(answers_of):
    for response, unknown in (
        ({"text": ["<think>B</think>C"]}, {}),  # of which lighteval kept what is behind it
        ({"text_post_processed": [" B"]}, {" B": 60}),
        ({"logprobs": [-0.1, -0.2]}, {}),  # of tokens
    ):
        answers = answers_of(changed("arithmetic_text", range(60), "model_response", **response))
        assert answers.how == "the generated text"
        assert answers.unknown() == unknown
        assert unknown or answers.table().to_dense().tolist() == KNOWS_HALF
    left_in = {"text": ["C"], "text_post_processed": None}
    rows = changed("arithmetic_text", range(60), "model_response", **left_in)
    assert set(answers_of(rows).predictions) == {"C"}


def test_each_of_several_generations_is_an_epoch(answers_of):
    rows = changed("arithmetic_text", range(60), "model_response", text_post_processed=["A", "D"])
    first, second = answers_of(rows)
    assert (first.epoch, set(first.predictions)) == (1, {"A"})
    assert (second.epoch, set(second.predictions)) == (2, {"D"})
    assert first.ids == second.ids


def test_a_task_with_both_kinds_of_metrics_gives_both_answers(answers_of):
    generated = rows_of("always-b", "arithmetic_text")
    for row in generated:
        row["doc"]["task_name"] = "arithmetic|0"
    scored, text = answers_of(rows_of() + generated)
    assert (scored.variant, text.variant) == ("log-probabilities", "text")
    assert scored.table().to_dense().tolist() == KNOWS_HALF
    assert text.table().to_dense().tolist() == ALWAYS_B


def test_nothing_extracted_is_no_answer_and_the_first_of_several_counts(answers_of):
    rows = rows_of(task="arithmetic_sentence")
    for row in rows:
        row["doc"]["specific"]["extracted_predictions"] = ["C", "D"]
    rows[0]["doc"]["specific"]["extracted_predictions"] = []
    answers = answers_of(rows)
    assert answers.predictions == (None, *["C"] * 59)
    assert answers.unknown() == {None: 1}


def test_examples_and_instruction_are_part_of_the_prompt(answers_of):
    shots = [{"query": "What is 1 + 1?"}, {"query": "What is 2 + 2?"}]
    rows = changed(
        "arithmetic", range(60), "doc", instruction="Add.", fewshot_samples=shots, query="3 + 3?"
    )
    assert set(answers_of(rows).prompts) == {"Add.\n\nWhat is 1 + 1?\n\nWhat is 2 + 2?\n\n3 + 3?"}


def test_the_model_is_named_by_its_folders_or_as_on_the_hub_by_results(tmp_path):
    folder = tmp_path / "details" / "details" / "org" / "name" / DATE
    folder.mkdir(parents=True)
    path = Path(shutil.copy(log_of("knows-half", "arithmetic"), folder))
    assert next(read_log(path)).model == "org/name"
    (tmp_path / DATE).mkdir()
    path = Path(shutil.copy(log_of("knows-half", "arithmetic"), tmp_path / DATE))
    assert next(read_log(path)).model == ""
    results = tmp_path / f"results_{DATE}.json"
    results.write_text(json.dumps({"config_general": {"model_name": "org/name"}}))
    assert next(read_log(path)).model == "org/name"
    results.write_text("{")
    assert next(read_log(path)).model == ""


RIGHT = "arithmetic", "doc", "gold_index"
LOGPROBS = "arithmetic", "model_response", "logprobs"
TEXTS = "arithmetic_text", "model_response", "text_post_processed"
FOUND_IN = "arithmetic_sentence", "model_response", "text_post_processed"
FOUND = "arithmetic_sentence", "doc", "specific"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (("arithmetic", "doc", "task_name"), "b|0", r"hold one task, got arithmetic\|0, b\|0"),
        (RIGHT, -1, "one of 4 choices, got -1"),
        (RIGHT, None, "one of 4 choices, got None"),
        (LOGPROBS, [-1.0, -2.0, -3.0], "one value for each of 4 choices, got 3"),
        (LOGPROBS, None, "one value for each of 4 choices, got 0"),
        (LOGPROBS, [-1.0, math.nan, -2.0, -3.0], r"must be numbers, got \[-1.0, nan"),
        # the right answer alone, and no other choice
        (("arithmetic_text", "doc", "choices"), ["18"], r"at least two classes, got \['18'\]"),
        (TEXTS, ["A", "D"], "same number of generations, got 1 to 2"),
        (FOUND_IN, ["A", "B"], "from one generation, got 2"),
        # the sample is named once
        (FOUND_IN, [], r"^sample \d+: `text` must be a list of generations"),
        (FOUND, None, "must be logged, as in other samples"),
        (FOUND, {"extracted_predictions": ["B"], "extracted_golds": ["18"]}, r"tracted \['18'\]"),
    ],
)
def test_what_tells_no_choice_is_refused(answers_of, field, value, message):
    task, part, name = field
    with pytest.raises(ValueError, match=message):
        answers_of(changed(task, [9], part, **{name: value}))


def test_a_sample_that_stands_twice_or_is_null_is_refused(answers_of):
    rows = rows_of()
    with pytest.raises(ValueError, match=f"'{rows[0]['doc']['id']}' occurs 2 times"):
        answers_of([*rows, rows[0]])
    with pytest.raises(ValueError, match="row 61 must hold a sample"):
        answers_of([*rows, {"doc": None, "model_response": None, "metric": None}])


def test_a_file_of_something_else_or_of_no_samples_is_refused(tmp_path):
    path = tmp_path / "details.parquet"
    samples = pyarrow.parquet.read_table(log_of("knows-half", "arithmetic"))
    for table, message in (
        (samples.slice(0, 0), "must hold samples, got none"),
        (pyarrow.table({"doc": ["a"]}), "column doc.id, got nothing in 'doc'"),
        (pyarrow.table({"doc": [{"id": "1"}]}), "column doc.task_name, got id in 'doc'"),
    ):
        pyarrow.parquet.write_table(table, path)
        with pytest.raises(ValueError, match=message):
            next(read_log(path))


def test_a_damaged_log_is_refused(tmp_path):
    whole = log_of("knows-half", "arithmetic").read_bytes()
    path = tmp_path / "details.parquet"
    path.write_bytes(b"PAR1" + b"\xff" * 2000 + whole[2004:])
    with pytest.raises(ValueError, match="not readable as Parquet"):
        next(read_log(path))


def test_without_pyarrow_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'informedness\[cli\]'"):
        next(read_log(log_of("knows-half", "arithmetic")))


def test_the_metrics_say_that_they_need_lighteval(monkeypatch):
    monkeypatch.setitem(sys.modules, "lighteval", None)
    monkeypatch.delitem(sys.modules, "informedness.lighteval", raising=False)
    with pytest.raises(ImportError, match="needs lighteval: pip install lighteval"):
        import_module("informedness.lighteval")
