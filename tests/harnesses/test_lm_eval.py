"""What lm-eval reports with informedness.lm_eval, and the logs that are kept of it.

`make test-harnesses` runs this, in an environment of its own; `make test` does not.
"""

import gzip
import json
import math
import re
from functools import cache

import pytest
from arithmetic import GOLDS, LETTERS, SAID
from lm_eval.api.task import ConfigurableTask
from lm_eval.utils import make_table
from lm_eval_logs import KEPT, make, run
from lm_eval_tasks.data import questions

import informedness.lm_eval
from informedness import nit_score
from informedness.lm_eval import Task
from informedness.logs.lm_eval import is_log, read_log
from tables import table_of_labels

pytestmark = pytest.mark.filterwarnings("ignore::informedness.IntervalWarning")


@cache
def results(model, bootstrap_iters=10):
    tasks = ["arithmetic", "arithmetic_generated", "arithmetic_plain"]
    if model == "refuses":  # it has no likeliest choice
        tasks = ["arithmetic_generated"]
    return run(model, tasks, bootstrap_iters=bootstrap_iters)["results"]


def result_of(model, task, **options):
    (result,) = run(model, [task], **options)["results"].values()
    return result


def near(value):
    return pytest.approx(value, abs=1e-12)


def expected(said, golds, classes):
    """Both scores and their standard errors, by a table of the package."""
    table = table_of_labels(golds, said, labels=classes, unknown="wrong")
    made = {name: table.estimate(name) for name in ("informedness", "nit")}
    errors = {f"{name}_stderr": near(x.standard_error) for name, x in made.items()}
    return {name: near(x.value) for name, x in made.items()} | errors


@pytest.mark.parametrize("model", SAID)
@pytest.mark.parametrize("bootstrap_iters", [0, 10])
def test_the_harness_reports_our_scores_and_errors(model, bootstrap_iters):
    for task, found in results(model, bootstrap_iters).items():
        if task in ("arithmetic", "arithmetic_plain"):  # the group, and the task without a class
            continue
        n = 25 if task == "arithmetic_texts" else 60
        wanted = expected(SAID[model][:n], GOLDS[:n], [*LETTERS])
        for name in ("letter", "text") if task == "arithmetic_generated" else ("none",):
            assert {metric: found[f"{metric},{name}"] for metric in wanted} == wanted


def test_the_table_of_results_shows_value_and_error_beside_the_metrics_of_the_harness():
    shown = make_table(run("knows-half", ["arithmetic"]))
    rows = re.findall(r"\|(\w+) *\|↑  \|([\d.]+)\|±  \|([\d.]+)\|", shown)
    assert rows[:2] == [("informedness", "0.5294", "0.0696"), ("nit", "0.4495", "0.0437")]  # group
    assert rows[2][:2] == ("acc", "0.7000")
    assert rows[3] == ("informedness", "0.5000", "0.0833")
    assert rows[5] == ("nit", "0.4224", "0.0418")


def test_a_group_averages_scores_and_errors_as_the_harness_does_others():
    found = results("knows-half")
    group = found["arithmetic"]
    # 0.5 of 60 samples and 0.6 of 25, weighted by size
    assert group["informedness,none"] == near((60 * 0.5 + 25 * 0.6) / 85)
    a, b = (found["arithmetic_letters"], found["arithmetic_texts"])
    squares = [x["informedness_stderr,none"] ** 2 for x in (a, b)]
    pooled = (59 * 60 * squares[0] + 24 * 25 * squares[1]) / (60 + 25 - 2)
    assert group["informedness_stderr,none"] == near(math.sqrt(pooled / 85))
    assert group["nit,none"] == near((a["nit,none"] + b["nit,none"]) / 2)
    both = math.hypot(a["nit_stderr,none"], b["nit_stderr,none"])
    assert group["nit_stderr,none"] == near(both / 2)


def test_metrics_of_the_harness_are_what_they_are_without_the_class():
    found = results("knows-half")
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
    limited = result_of("knows-half", Task(config()), limit=2)
    # A and B are right, of four classes
    assert limited["nit,none"] == near(nit_score(["A", "B"], ["A", "B"], labels=[*LETTERS]))


def test_a_choice_that_is_never_right_counts_among_the_classes():
    choices = [*LETTERS, "E"]
    for changes in (CHOICES, {"doc_to_target": "position"}):
        task = Task(config(**{**changes, "doc_to_choice": choices}))
        wanted = expected(SAID["knows-half"], GOLDS, choices)["nit"]
        assert result_of("knows-half", task)["nit,none"] == wanted


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
    found = result_of("knows-half", Task(task), folder=tmp_path)
    assert found["informedness,none"] == near(0.5)
    (log,) = filter(is_log, tmp_path.rglob("*"))
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
    names = {"informedness": True, "informedness_stderr": False}
    metrics = [
        {
            "metric": name,
            "aggregation": getattr(informedness.lm_eval, name),
            "higher_is_better": is_better,
        }
        for name, is_better in names.items()
    ]
    options = config(process_results=pair_of, metric_list=metrics)
    options.pop("class")
    found = result_of("refuses", ConfigurableTask(config=options))
    right = expected(SAID["refuses"], GOLDS, [*LETTERS])
    assert [found[f"{name},none"] for name in names] == [right[name] for name in names]
    assert found["informedness,none"] == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metric_list": [{"metric": "exact_match"}]}, "must name informedness or nit"),
        (
            {"metric_list": [{"metric": "nit", "average": "macro"}]},
            "nit takes no options, got {'average': 'macro'}",
        ),
        (
            {"metric_list": [{"metric": "nit", "aggregation": "mean"}]},
            "the aggregation of nit must be nit",
        ),
        ({"process_results": pair_of}, "`process_results` must be left out"),
        ({"output_type": "loglikelihood"}, "`output_type` .* got loglikelihood"),
        ({"doc_to_target": "choices"}, "document 0: must have one right answer .* got"),
        ({**CHOICES, "doc_to_target": -1}, "document 0: .* its position, from 0 to 3, got -1"),
        (
            {**CHOICES, "doc_to_target": "solution"},
            "document 0: .* must be one of the choices .* got '3'",
        ),
        # the harness takes a template of digits for a position
        (
            {**CHOICES, "doc_to_choice": "choices", "doc_to_target": "{{choices[position]}}"},
            "document 1: .* got 5 for",
        ),
    ],
)
def test_what_cannot_be_scored_is_refused_before_the_model_is_asked(changes, message):
    with pytest.raises(ValueError, match=f"^arithmetic_of_a_test: .*{message}"):
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
