"""What lm-eval reports with informedness.lm_eval, and the logs that are kept of it.

`make test-harnesses` runs this, in an environment of its own; `make test` does not.
"""

import doctest
import gzip
import json
import math
import re
from functools import cache

import pytest
from arithmetic import LETTERS, answers, samples
from lm_eval.api.task import ConfigurableTask
from lm_eval.utils import make_table
from lm_eval_logs import KEPT, make, run
from lm_eval_tasks.data import questions

import informedness.lm_eval
from informedness import ContingencyTable, estimate, informedness_score, nit_score
from informedness.lm_eval import Task
from informedness.logs.lm_eval import logs_in, read_log

pytestmark = pytest.mark.filterwarnings("ignore::informedness.IntervalWarning")

GOLDS = [sample["answer"] for sample in samples()]


@cache
def results(model, bootstrap_iters=10):
    tasks = ["arithmetic", "arithmetic_generated", "arithmetic_plain"]
    return run(model, tasks, bootstrap_iters=bootstrap_iters)


def near(value):
    return pytest.approx(value, abs=1e-12)


def expected(said, golds, classes):
    """Both scores and their standard errors, by the functions of the package."""
    table = ContingencyTable.from_labels(golds, said, labels=classes, unknown="wrong")
    options = {"labels": classes, "unknown": "wrong"}
    return {
        "informedness": near(informedness_score(golds, said, **options)),
        "nit": near(nit_score(golds, said, **options)),
        "informedness_stderr": near(estimate(table).standard_error),
        "nit_stderr": near(estimate(table, "nit").standard_error),
    }


TASKS = [
    ("arithmetic_letters", 60, ["none"]),
    ("arithmetic_texts", 25, ["none"]),
    ("arithmetic_generated", 60, ["letter", "text"]),
]
CASES = [("refuses", *TASKS[-1])]  # it has no likeliest choice
CASES += [(model, *task) for model in ("always-b", "knows-half") for task in TASKS]


@pytest.mark.parametrize(("model", "task", "n", "filters"), CASES)
@pytest.mark.parametrize("bootstrap_iters", [0, 10])
def test_the_harness_reports_our_scores_and_errors(model, task, n, filters, bootstrap_iters):
    said, golds = answers(model, samples())[:n], GOLDS[:n]
    if model == "refuses":
        found = run(model, [task], bootstrap_iters=bootstrap_iters)
    else:
        found = results(model, bootstrap_iters)
    for name in filters:
        for metric, value in expected(said, golds, list(LETTERS)).items():
            assert found["results"][task][f"{metric},{name}"] == value


def test_the_table_of_results_shows_value_and_error_beside_the_metrics_of_the_harness():
    rows = re.findall(
        r"\|(\w+) *\|↑  \|([\d.]+)\|±  \|([\d.]+)\|", make_table(results("knows-half"))
    )
    assert rows[:2] == [("informedness", "0.5294", "0.0696"), ("nit", "0.4495", "0.0437")]  # group
    assert rows[2][:2] == ("acc", "0.7000")
    assert rows[3] == ("informedness", "0.5000", "0.0833")
    assert rows[5] == ("nit", "0.4224", "0.0418")


def test_a_group_averages_scores_and_errors_as_the_harness_does_others():
    found = results("knows-half")["results"]
    group = found["arithmetic"]
    # 0.5 of 60 samples and 0.6 of 25, weighted by size
    assert group["informedness,none"] == near((60 * 0.5 + 25 * 0.6) / 85)
    errors = [
        [found[f"arithmetic_{task}"][f"{metric}_stderr,none"] for task in ("letters", "texts")]
        for metric in ("informedness", "nit")
    ]
    (a, b), (c, d) = errors
    pooled = (59 * 60 * a**2 + 24 * 25 * b**2) / (60 + 25 - 2)
    assert group["informedness_stderr,none"] == near(math.sqrt(pooled / 85))
    nits = [found[f"arithmetic_{task}"]["nit,none"] for task in ("letters", "texts")]
    assert group["nit,none"] == near(sum(nits) / 2)
    assert group["nit_stderr,none"] == near(math.sqrt(c**2 + d**2) / 2)


def test_metrics_of_the_harness_are_what_they_are_without_the_class():
    found = results("knows-half")["results"]
    # each second of all questions, and the 12 of the others whose answer is B
    assert found["arithmetic_letters"]["acc,none"] == 42 / 60
    assert found["arithmetic_plain"]["acc,none"] == found["arithmetic_texts"]["acc,none"]
    assert found["arithmetic_generated"]["exact_match,letter"] == 42 / 60


def config(**changes):
    plain = {
        "task": "arithmetic_of_a_test",
        "class": Task,
        "custom_dataset": questions,
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "prompt",
        "doc_to_target": "answer",
        "metric_list": [{"metric": "informedness"}, {"metric": "nit"}],
    }
    return {key: x for key, x in {**plain, **changes}.items() if x is not None}


CHOICES = {
    "output_type": "multiple_choice",
    "doc_to_choice": [*LETTERS],
    "doc_to_target": "position",
}


def test_where_the_score_is_undefined_no_error_is_reported():
    with pytest.warns(UserWarning, match="the score of one sample"):
        found = run("knows-half", [Task(config(**CHOICES))], limit=1)
    (of_task,) = found["results"].values()
    assert of_task["informedness,none"] == 0
    assert of_task["informedness_stderr,none"] == "N/A"
    assert "N/A" in make_table(found)


def test_classes_are_those_of_all_documents_where_a_run_is_limited():
    (limited,) = run("knows-half", [Task(config())], limit=2)["results"].values()
    # A and B are right, of four classes
    assert limited["nit,none"] == near(nit_score(["A", "B"], ["A", "B"], labels=[*LETTERS]))


def test_a_choice_that_is_never_right_counts_among_the_classes():
    choices = [*LETTERS, "E"]
    for changes in (CHOICES, {"doc_to_target": "position"}):
        task = Task(config(**{**changes, "doc_to_choice": choices}))
        (found,) = run("knows-half", [task])["results"].values()
        said = answers("knows-half", samples())
        assert found["nit,none"] == expected(said, GOLDS, choices)["nit"]


def test_generated_texts_are_positions_where_choices_differ_between_documents():
    task = Task(config(doc_to_choice="choices", doc_to_target="position"))
    docs = task.dataset["test"]
    assert task.process_results(docs[0], ["4"])["informedness"] == (0, 1)
    assert task.process_results(docs[0], ["3"])["informedness"] == (0, 0)
    assert task.process_results(docs[2], ["3"])["informedness"] == (2, -1)  # none of its choices
    pairs = [(0, 1), (0, 0), (2, -1), (1, 1)]
    of_four = expected([1, 0, -1, 1], [0, 0, 2, 1], range(4))
    assert {name: task.aggregation()[name](pairs) for name in of_four} == of_four


def test_generated_texts_are_positions_where_two_choices_are_called_alike():
    task = Task(config(doc_to_choice=["A", "B", "A"], doc_to_target=2))
    doc = task.dataset["test"][0]
    pairs = [task.process_results(doc, [said])["nit"] for said in "AB"]
    assert pairs == [(2, 2), (2, 1)]


def test_choices_are_likeliest_without_their_part_that_mutual_information_asks_for():
    metrics = [{"metric": name} for name in ("acc", "acc_mutual_info", "informedness")]
    task = Task(config(**CHOICES, metric_list=metrics))
    of_doc = [(-4.0, False), (-1.0, False), (-2.0, False), (-3.0, False)]
    alone = [(-0.5, False)] * 4
    assert task.process_results(task.dataset["test"][0], of_doc + alone)["informedness"] == (0, 1)


def test_choices_in_the_prompt_are_read(tmp_path):
    """As of Winogrande, where the target is the text behind all choices."""
    task = config(
        output_type="multiple_choice",
        doc_to_text="position",
        doc_to_choice="choices",
        doc_to_target="question",
        metric_list=[{"metric": "acc"}, {"metric": "informedness"}],
        custom_dataset=lambda **_: {
            "test": questions()["test"].map(lambda doc: {"question": "is the sum."})
        },
    )
    found = run("knows-half", [Task(task)], tmp_path)
    (value,) = (x["informedness,none"] for x in found["results"].values())
    assert value == near(0.5)
    (log,) = logs_in(tmp_path)
    (read,) = read_log(log)
    assert read.table().informedness() == near(0.5)


def test_output_alone_is_not_scored():
    task = Task(config(**CHOICES))
    task.override_metric("bypass")
    assert task.process_results(task.dataset["test"][0], [(-1.0, False)] * 4) == {}


def pair_of(doc, results):
    pair = (doc["answer"], results[0])
    return {"informedness": pair, "informedness_stderr": pair}


def test_a_task_with_process_results_of_its_own_names_the_functions():
    metrics = [
        {
            "metric": name,
            "aggregation": getattr(informedness.lm_eval, name),
            "higher_is_better": name == "informedness",
        }
        for name in ("informedness", "informedness_stderr")
    ]
    options = config(process_results=pair_of, metric_list=metrics)
    options.pop("class")
    (found,) = run("refuses", [ConfigurableTask(config=options)])["results"].values()
    right = expected(answers("refuses", samples()), GOLDS, [*LETTERS])
    assert found["informedness,none"] == right["informedness"] == 0
    assert found["informedness_stderr,none"] == right["informedness_stderr"]


REFUSED = {
    "no score": ({"metric_list": [{"metric": "exact_match"}]}, "must name informedness or nit"),
    "an option": (
        {"metric_list": [{"metric": "nit", "average": "macro"}]},
        "nit takes no options, got {'average': 'macro'}",
    ),
    "a mean": (
        {"metric_list": [{"metric": "nit", "aggregation": "mean"}]},
        "the aggregation of nit must be nit",
    ),
    "process_results": ({"process_results": pair_of}, "`process_results` .* must be left out"),
    "no classes": ({"output_type": "loglikelihood"}, "`output_type` .* got loglikelihood"),
    "several targets": (
        {"doc_to_target": "choices"},
        "document 0 .* must have one right answer .* got",
    ),
    "a hidden target": (
        {**CHOICES, "doc_to_target": -1},
        "document 0 .* its position, from 0 to 3, got -1",
    ),
    "a text that is no choice": (
        {**CHOICES, "doc_to_target": "solution"},
        "document 0 .* must be one of the choices .* got '3'",
    ),
    # the harness takes a template of digits for a position
    "digits for a choice": (
        {**CHOICES, "doc_to_choice": "choices", "doc_to_target": "{{choices[position]}}"},
        "document 1 .* got 5 for",
    ),
}


@pytest.mark.parametrize(("changes", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_scored_is_refused_before_the_model_is_asked(changes, message):
    with pytest.raises(ValueError, match=message):
        Task(config(**changes))


def test_several_answers_for_a_document_are_refused():
    task = Task(config())
    with pytest.raises(ValueError, match="end the filters with take_first"):
        task.process_results(task.dataset["test"][0], [["A", "B"]])


def content(path):
    """A log without what changes from version to version."""
    if path.suffix == ".json":
        return {**json.loads(path.read_bytes()), "lm_eval_version": ""}
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as stream:
        return [json.loads(line) for line in stream]


def test_the_kept_logs_are_what_the_harness_writes(tmp_path):
    make(tmp_path)
    made, kept = (
        {str(path.relative_to(folder)): content(path) for path in folder.rglob("*.json*")}
        for folder in (tmp_path, KEPT)
    )
    assert made == kept


def test_the_examples_in_the_docstrings_are_true():
    assert doctest.testmod(informedness.lm_eval).failed == 0
