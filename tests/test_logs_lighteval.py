"""Details of lighteval give each sample's right choice and the answer, or say why they cannot.

The kept logs are of lighteval itself: `harnesses/lighteval_logs.py` makes them. In sixty questions
the right choices go round A, B, C, B, D; who knows half of them knows every second, and says B to
the others.
"""

import copy
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
    path.parent.mkdir(parents=True)
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


@pytest.mark.parametrize(
    ("model", "task", "how", "counts", "informedness", "nit"),
    [
        ("always-b", "arithmetic", "the likeliest choice", ALWAYS_B, 0, 1 / 4),
        ("knows-half", "arithmetic", "the likeliest choice", KNOWS_HALF, 0.5, 2**MI_OF_HALF / 4),
        ("refuses", "arithmetic_text", "the generated text", REFUSES, 0, 1 / 4),
        ("always-b", "arithmetic_text", "the generated text", ALWAYS_B, 0, 1 / 4),
        ("knows-half", "arithmetic_text", "the generated text", KNOWS_HALF, 0.5, 2**MI_OF_HALF / 4),
        (
            "knows-half",
            "arithmetic_sentence",
            "the answer that lighteval's extractive match found in the text",
            KNOWS_HALF,
            0.5,
            2**MI_OF_HALF / 4,
        ),
    ],
)
def test_a_kept_log_gives_the_table_of_its_design(model, task, how, counts, informedness, nit):
    (answers,) = read_log(log_of(model, task))
    assert (answers.harness, answers.model, answers.task) == (NAME, model, f"{task}|0")
    assert (answers.variant, answers.epoch, answers.how) == ("", None, how)
    assert answers.choices == ("A", "B", "C", "D")
    table = answers.table()
    assert table.to_dense().tolist() == counts
    assert table.informedness() == pytest.approx(informedness)
    assert table.nit() == pytest.approx(nit)


def test_samples_keep_their_ids_references_and_prompts():
    (answers,) = read_log(log_of("knows-half", "arithmetic"))
    assert sorted(map(int, answers.ids)) == list(range(60))
    assert list(answers.references) == [GOLDS[int(i)] for i in answers.ids]
    said = [GOLDS[int(i)] if int(i) % 2 == 0 else "B" for i in answers.ids]
    assert list(answers.predictions) == said
    first = answers.ids.index("0")
    assert answers.prompts[first] == "What is 1 + 2?\nA. 3\nB. 4\nC. 5\nD. 6\nAnswer:"


def test_a_refusal_is_an_unknown_answer():
    (answers,) = read_log(log_of("refuses", "arithmetic_text"))
    assert answers.unknown() == {"I cannot answer that.": 60}


def test_logs_are_details_and_not_what_stands_beside_them(tmp_path):
    shutil.copytree(LOGS / "details", tmp_path / "details")
    kept = sorted((tmp_path / "details").rglob("*.parquet"))
    (tmp_path / f"results_{DATE}.json").write_text("{}")
    folder = tmp_path / "details" / "model"
    folder.mkdir()
    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), folder / f"details_a_{DATE}.parquet")
    (folder / f"details_b_{DATE}.parquet").write_bytes(b"PAR1")
    (folder / f"details_c_{DATE}.parquet").write_bytes(b"\xff" * 8 + b"PAR1")
    shutil.copy(kept[0], folder / "predictions.parquet")
    assert len(kept) == 6
    assert logs_in(tmp_path) == kept
    assert not is_log(tmp_path / f"details_none_{DATE}.parquet")


def test_one_right_choice_in_a_list_is_right(answers_of):
    rows = rows_of()
    for row in rows:
        row["doc"]["gold_index"] = [row["doc"]["gold_index"]]
    assert answers_of(rows).table().to_dense().tolist() == KNOWS_HALF


def test_several_right_choices_are_refused(answers_of):
    rows = rows_of()
    for row in rows:
        row["doc"]["gold_index"] = [row["doc"]["gold_index"]]
    rows[3]["doc"]["gold_index"] = [0, 2]
    name = rows[3]["doc"]["id"]
    with pytest.raises(ValueError, match=rf"^sample {name}: .*one choice, got 2: \[0, 2\]"):
        answers_of(rows)


@pytest.mark.parametrize("gold", [-1, 4, None])
def test_a_right_answer_that_is_no_choice_is_refused(answers_of, gold):
    with pytest.raises(ValueError, match=f"one of 4 choices, got {gold}"):
        answers_of(changed("arithmetic", [5], "doc", gold_index=gold))


def test_the_first_of_the_likeliest_choices_is_the_answer(answers_of):
    rows = changed("arithmetic", range(60), "model_response", logprobs=[-2.0, -1.0, -1.0, -3.0])
    assert set(answers_of(rows).predictions) == {"B"}


def test_log_probabilities_without_the_question_are_left_out(answers_of):
    logprobs = [-2.0, -1.0, -3.0, -4.0, -0.1, -0.2, -0.3, -0.4]
    rows = changed("arithmetic", range(60), "model_response", logprobs=logprobs)
    assert set(answers_of(rows).predictions) == {"B"}


@pytest.mark.parametrize(
    ("logprobs", "message"),
    [
        ([-1.0, -2.0, -3.0], "one value for each of 4 choices, got 3"),
        ([], "one value for each of 4 choices, got 0"),
        (None, "one value for each of 4 choices, got 0"),
        ([-1.0, math.nan, -2.0, -3.0], r"must be numbers, got \[-1.0, nan"),
        ([-1.0, None, -2.0, -3.0], r"must be numbers, got \[-1.0, None"),
    ],
)
def test_log_probabilities_that_tell_no_choice_are_refused(answers_of, logprobs, message):
    with pytest.raises(ValueError, match=message):
        answers_of(changed("arithmetic", [7], "model_response", logprobs=logprobs))


def test_choices_are_known_without_blanks_around_them(answers_of):
    answers = answers_of(changed("arithmetic", range(60), "doc", choices=[" A", " B", " C", " D"]))
    assert answers.choices == ("A", "B", "C", "D")
    assert answers.table().to_dense().tolist() == KNOWS_HALF


def test_choices_that_differ_by_sample_are_known_by_position(answers_of):
    answers = answers_of(changed("arithmetic", [2], "doc", choices=["1", "2", "3", "4"]))
    assert answers.choices == (0, 1, 2, 3)
    assert answers.table().to_dense().tolist() == KNOWS_HALF


def test_text_is_looked_up_among_the_choices_of_its_sample(answers_of):
    rows = changed("arithmetic_text", range(60), "model_response", text_post_processed=["no"])
    rows[0]["doc"].update(choices=["one", "two", "three"], gold_index=2)
    rows[0]["model_response"]["text_post_processed"] = ["two"]
    answers = answers_of(rows)
    assert answers.choices == (0, 1, 2, 3)
    assert (answers.references[0], answers.predictions[:2]) == (2, (1, "no"))


def test_a_task_that_lists_its_right_answer_alone_is_refused(answers_of):
    rows = changed("arithmetic_text", range(60), "doc", choices=["18"], gold_index=0)
    with pytest.raises(ValueError, match=r"at least two classes, got \['18'\]"):
        answers_of(rows)


def test_text_counts_without_its_reasoning(answers_of):
    rows = changed("arithmetic_text", range(60), "model_response", text=["<think>B</think>C"])
    assert answers_of(rows).table().to_dense().tolist() == KNOWS_HALF


def test_text_counts_as_it_is_where_reasoning_was_left_in(answers_of):
    response = {"text": ["C"], "text_post_processed": None}
    assert set(
        answers_of(changed("arithmetic_text", range(60), "model_response", **response)).predictions
    ) == {"C"}


def test_text_that_tokens_have_log_probabilities_for_is_text(answers_of):
    rows = changed("arithmetic_text", range(60), "model_response", logprobs=[-0.1, -0.2])
    assert answers_of(rows).how == "the generated text"


def test_text_is_not_stripped(answers_of):
    rows = changed("arithmetic_text", range(60), "model_response", text_post_processed=[" B"])
    assert answers_of(rows).unknown() == {" B": 60}


def test_each_of_several_generations_is_an_epoch(answers_of):
    rows = changed("arithmetic_text", range(60), "model_response", text_post_processed=["A", "D"])
    first, second = answers_of(rows)
    assert (first.epoch, set(first.predictions)) == (1, {"A"})
    assert (second.epoch, set(second.predictions)) == (2, {"D"})
    assert first.ids == second.ids


def test_different_numbers_of_generations_are_refused(answers_of):
    rows = changed("arithmetic_text", [0], "model_response", text_post_processed=["A", "D"])
    with pytest.raises(ValueError, match="same number of generations, got 1 to 2"):
        answers_of(rows)


def test_a_task_with_both_kinds_of_metrics_gives_both_answers(answers_of):
    rows = rows_of(task="arithmetic")
    generated = copy.deepcopy(rows_of("always-b", "arithmetic_text"))
    for row in generated:
        row["doc"]["task_name"] = "arithmetic|0"
    scored, text = answers_of(rows + generated)
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


@pytest.mark.parametrize(
    ("specific", "message"),
    [
        (None, "must be logged, as in other samples"),
        ({"extracted_predictions": ["B"], "extracted_golds": ["18"]}, r"extracted \['18'\]"),
        ({"extracted_predictions": ["B"], "extracted_golds": []}, r"extracted \[\]"),
    ],
)
def test_what_was_extracted_but_is_no_choice_is_refused(answers_of, specific, message):
    with pytest.raises(ValueError, match=message):
        answers_of(changed("arithmetic_sentence", [9], "doc", specific=specific))


def test_what_was_extracted_from_several_generations_is_refused(answers_of):
    rows = changed("arithmetic_sentence", [9], "model_response", text_post_processed=["A", "B"])
    with pytest.raises(ValueError, match="from one generation, got 2"):
        answers_of(rows)


def test_a_sample_without_text_among_what_was_extracted_is_named_once(answers_of):
    rows = changed("arithmetic_sentence", [9], "model_response", text_post_processed=[])
    with pytest.raises(ValueError, match=r"^sample \d+: `text` must be a list of generations"):
        answers_of(rows)


def test_examples_and_instruction_are_part_of_the_prompt(answers_of):
    shots = [{"query": "What is 1 + 1?"}, {"query": "What is 2 + 2?"}]
    rows = changed(
        "arithmetic", range(60), "doc", instruction="Add.", fewshot_samples=shots, query="3 + 3?"
    )
    assert set(answers_of(rows).prompts) == {"Add.\n\nWhat is 1 + 1?\n\nWhat is 2 + 2?\n\n3 + 3?"}


def test_the_model_is_named_by_its_folders(tmp_path):
    folder = tmp_path / "details" / "details" / "org" / "name" / DATE
    folder.mkdir(parents=True)
    path = Path(shutil.copy(log_of("knows-half", "arithmetic"), folder))
    assert next(read_log(path)).model == "org/name"


def test_the_model_is_named_by_results_where_folders_do_not_as_on_the_hub(tmp_path, monkeypatch):
    (tmp_path / DATE).mkdir()
    path = Path(shutil.copy(log_of("knows-half", "arithmetic"), tmp_path / DATE))
    assert next(read_log(path)).model == ""
    results = tmp_path / f"results_{DATE}.json"
    results.write_text(json.dumps({"config_general": {"model_name": "org/name"}}))
    assert next(read_log(path)).model == "org/name"
    monkeypatch.chdir(tmp_path / DATE)
    assert next(read_log(Path(path.name))).model == "org/name"
    results.write_text("{")
    assert next(read_log(path)).model == ""


def test_a_log_of_two_tasks_is_refused(answers_of):
    with pytest.raises(ValueError, match=r"hold one task, got arithmetic\|0, other\|0"):
        answers_of(changed("arithmetic", [0], "doc", task_name="other|0"))


def test_a_sample_that_stands_twice_is_refused(answers_of):
    rows = rows_of()
    with pytest.raises(ValueError, match=f"'{rows[0]['doc']['id']}' occurs 2 times"):
        answers_of([*rows, rows[0]])


def test_a_log_without_samples_is_refused(tmp_path):
    table = pyarrow.parquet.read_table(log_of("knows-half", "arithmetic"))
    path = tmp_path / "details.parquet"
    pyarrow.parquet.write_table(table.slice(0, 0), path)
    with pytest.raises(ValueError, match="must hold samples, got none"):
        next(read_log(path))


def test_a_row_that_is_null_is_refused(answers_of):
    with pytest.raises(ValueError, match="row 61 must hold a sample"):
        answers_of([*rows_of(), {"doc": None, "model_response": None, "metric": None}])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"full_prompt": ["a"]}, "column doc.id, got nothing in 'doc'"),
        ({"doc": ["a"]}, "column doc.id, got nothing in 'doc'"),
        ({"doc": [{"id": "1", "query": "a"}]}, "column doc.task_name, got id, query in 'doc'"),
    ],
)
def test_a_file_of_something_else_is_refused(tmp_path, columns, message):
    path = tmp_path / "details.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(ValueError, match=message):
        next(read_log(path))


def test_a_damaged_log_is_refused(tmp_path):
    whole = log_of("knows-half", "arithmetic").read_bytes()
    path = tmp_path / "details.parquet"
    path.write_bytes(whole[:-100])
    with pytest.raises(ValueError, match="not readable as Parquet"):
        next(read_log(path))
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
