"""What lm-eval reports with informedness.lm_eval.

Covers src: lm_eval.py.
"""

import math

import pytest
from arithmetic import GOLDS, LETTERS, SAID
from lm_eval.api.task import ConfigurableTask
from lm_eval.utils import make_table
from lm_eval_logs import run
from lm_eval_tasks.data import questions

import informedness.lm_eval
from informedness import estimate, nit_score
from informedness import read_log as read
from informedness.lm_eval import Task
from informedness.logs.runs import how_found
from informedness.warnings import InformednessWarning
from inputs.tables import score_of, table_of_labels
from oracles.golden import close

pytestmark = pytest.mark.filterwarnings("ignore::informedness.warnings.IntervalWarning")


def result_of(model, task, **options):
    (result,) = run(model, [task], **options)["results"].values()
    return result


def expected(said, golds, classes):
    """Both scores and their standard errors, by a table of the package."""
    table = table_of_labels(golds, said, labels=classes, unknown="wrong")
    made = {name: estimate(table, metric=name) for name in ("informedness", "nit")}
    errors = {f"{name}_stderr": close(x.standard_error) for name, x in made.items()}
    return {name: close(x.value) for name, x in made.items()} | errors


@pytest.mark.parametrize("n", [0, 10])
def test_the_harness_reports_our_scores_and_group_means(n):
    """The errors need no bootstrap."""
    results = run("knows-half", ["arithmetic_generated", "arithmetic"], bootstrap_iters=n)[
        "results"
    ]
    group = results.pop("arithmetic")
    assert group["informedness,none"] == close((0.5 * 60 + 0.6 * 25) / 85)
    for task, found in results.items():
        n = 25 if task == "arithmetic_texts" else 60
        wanted = expected(SAID["knows-half"][:n], GOLDS[:n], [*LETTERS])
        for name in ("letter", "text") if task == "arithmetic_generated" else ("none",):
            assert {metric: found[f"{metric},{name}"] for metric in wanted} == wanted


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


FOLDED = {"doc_to_choice": [*LETTERS], "doc_to_target": "position"}
CHOICES = {"output_type": "multiple_choice", **FOLDED}


def test_where_the_score_is_undefined_no_error_is_reported():
    with pytest.warns(UserWarning, match="one sample scores the same"):
        found = run("knows-half", [Task(config(**CHOICES))], limit=1)
    (of_task,) = found["results"].values()
    assert of_task["informedness,none"] == 0
    assert of_task["informedness_stderr,none"] == "N/A"
    assert "N/A" in make_table(found)


def test_a_limited_run_has_the_classes_of_all_documents():
    """A and B are right, of so many classes."""
    for changes, classes in ({}, "ABCD"), ({**CHOICES, "doc_to_choice": [*"ABCDE"]}, "ABCDE"):
        limited = result_of("knows-half", Task(config(**changes)), limit=2)
        assert limited["nit,none"] == close(nit_score([*"AB"], [*"AB"], labels=[*classes]))


def test_generated_text_is_looked_up_among_its_choices():
    task = Task(config(doc_to_choice="choices", doc_to_target="position"))
    doc, *docs = task.dataset["test"].select(range(3))
    texts = [["4"], ["3"], ["5"], ["3"]]
    pairs = zip([doc, doc, *docs], texts, strict=True)
    logged = [task.process_results(*pair)["nit"] for pair in pairs]
    wanted = expected((1, 0, 1, -1), (0, 0, 1, 2), range(4))
    for name in ("informedness", "nit"):
        assert task.aggregation()[name](logged) == wanted[name]
    with pytest.raises(ValueError, match="add take_first"):
        task.process_results(doc, [["A", "B"]])


def of_metrics(*metrics, **options):
    of_harness = {"aggregation": "mean", "higher_is_better": True, **options}
    harness = [{"metric": metric, **of_harness} for metric in metrics]
    return [*harness, {"metric": "informedness"}, {"metric": "nit"}]


def test_answers_that_do_not_fit_the_verdicts_have_no_score():
    """As of a metric that counts a text as right for two classes."""
    rows = [["A", "B", 1.0], ["B", "B", 1.0], ["B", "A", 0.0]]
    with pytest.warns(UserWarning, match="contradicts the answer in 1 of 3 samples"):
        assert math.isnan(informedness.lm_eval.informedness(rows))


def position(doc):
    return doc["position"]


@pytest.mark.parametrize(
    ("model", "metric", "n", "gold"),
    [
        ("knows-half", "acc", 2, "position"),
        ("knows-half", "acc_norm", 4, "{{position}}"),
        ("knows-half", "acc_mutual_info", 4, position),
        ("always-b", "acc_bytes", 4, "position"),
    ],
)
def test_choices_in_the_prompts_are_read(tmp_path, model, metric, n, gold):
    """As of Winogrande: from the log of two prompts by its accuracy, of more by our metrics."""

    def in_prompts(doc):
        prompts = ["Perhaps " * i + text for i, text in enumerate(doc["choices"][:n])]
        return {"question": "the sum.", "choices": prompts}

    def data(**_):
        docs = questions()["test"].filter(lambda doc: doc["position"] < n)
        return {"test": docs.map(in_prompts)}

    changes = {"doc_to_text": gold, "doc_to_choice": "choices", "doc_to_target": "question"}
    changes |= {"output_type": "multiple_choice", "custom_dataset": data}
    task = Task(config(**changes, metric_list=of_metrics(metric)))
    found = result_of(model, task, folder=tmp_path / "ours")
    changes |= {"class": None, "metric_list": of_metrics(metric)[:1]}
    result_of(model, ConfigurableTask(config=config(**changes)), folder=tmp_path / "plain")
    for folder in ("ours", "plain") if n == 2 else ("ours",):
        (answers,) = read(tmp_path / folder)
        assert answers.references == tuple(i for i in map(LETTERS.index, GOLDS) if i < n)
        assert score_of(answers.table, "accuracy") == close(found[f"{metric},none"])
        assert answers.table.informedness() == close(found["informedness,none"])


def test_output_alone_is_not_scored():
    task = Task(config(**CHOICES))
    task.override_metric("bypass")
    assert task.process_results(task.dataset["test"][0], [(-1.0, False)] * 4) == {}


def test_importing_the_module_replaces_nothing_of_the_harness():
    from lm_eval import evaluator_utils
    from lm_eval.api import metrics, registry

    assert evaluator_utils.stderr_for_metric is metrics.stderr_for_metric
    assert metrics.stderr_for_metric.__module__ == "lm_eval.api.metrics"
    for name in ("informedness", "informedness_stderr", "nit", "nit_stderr"):
        assert registry.get_aggregation(name) is getattr(informedness.lm_eval, name)


def pair_of(doc, results):
    pair = doc["answer"], results[0]
    return {"informedness": pair, "informedness_stderr": pair}


def test_own_process_results_name_our_functions(tmp_path):
    metrics = [
        {"metric": name, "aggregation": getattr(informedness.lm_eval, name), "higher_is_better": x}
        for name, x in (("informedness", True), ("informedness_stderr", False))
    ]
    options = config(process_results=pair_of, metric_list=metrics, **{"class": None})
    found = result_of("knows-half", ConfigurableTask(config=options), folder=tmp_path)
    right = expected(SAID["knows-half"], GOLDS, [*LETTERS])
    for name in ("informedness", "informedness_stderr"):
        assert found[f"{name},none"] == right[name]
    (answers,) = read(tmp_path)
    assert answers.table.informedness() == right["informedness"]


def of_my_own(doc, results):
    """Right is the letter in brackets, or half of it."""
    is_right = f"({doc['answer']})" in results[0]
    return {"my_acc": float(is_right), "half": is_right / 2, "length": [len(results[0])]}


def test_a_task_metric_is_the_verdict_only_if_asked(tmp_path):
    metrics = [{"metric": "length", "aggregation": len, "higher_is_better": True}]
    metrics += of_metrics("my_acc", "half")[:2]
    form = {"until": ["\n"], "form": "A or ({})"}
    own = {"process_results": of_my_own, "metric_list": metrics, "generation_kwargs": form}
    task = ConfigurableTask(config=config(**own, **{"class": None}))
    found = result_of("knows-half", task, folder=tmp_path)
    with pytest.warns(InformednessWarning, match=r"the log's half, my_acc .0.7000., length were"):
        (answers,) = read(tmp_path)
    assert score_of(answers.table, "accuracy") == 0
    assert "half, my_acc (0.7000), length were not used: pass `verdict` 'my_acc'." in how_found(
        answers
    )
    (answers,) = read(tmp_path, verdict="my_acc")
    assert score_of(answers.table, "accuracy") == close(found["my_acc,none"]) == close(0.7)
    assert "; accuracy matches the harness; the log's half, length were" in how_found(answers)
    (answers,) = read(tmp_path, extract=r"\((.)\)")
    assert score_of(answers.table, "accuracy") == close(0.7)
    assert how_found(answers).endswith("; the log's half, my_acc, length were not used.")
    for verdict in "half", "length", "my":
        with pytest.raises(ValueError, match=f"of 0 and 1 in the log: 'my_acc'.*, got '{verdict}'"):
            read(tmp_path, verdict=verdict)
    with pytest.raises(ValueError, match="`verdict` cannot be combined with `extract`"):
        read(tmp_path, verdict="my_acc", strip=True)


@pytest.mark.parametrize(
    ("changes", "name", "metric", "more"),
    [({}, "answer", "exact_match", "C"), (CHOICES, "position", "acc", 2)],
)
def test_documents_with_several_targets_are_left_out(changes, name, metric, more, tmp_path):
    """The harness then wants a list of each."""
    for n_several in (12, 13):

        def targets(doc, n_several=n_several):
            is_early = int(doc["prompt"].split()[2]) <= n_several
            return [doc[name], more] if is_early else [doc[name]]

        own = {"doc_to_target": targets, "class": None, "metric_list": of_metrics(metric)[:1]}
        task = ConfigurableTask(config=config(**{**changes, **own}))
        result_of("knows-half", task, folder=tmp_path / str(n_several))
    with pytest.warns(InformednessWarning, match="12 of 60 samples of .* several right answers"):
        (answers,) = read(tmp_path / "12")
    assert answers.references == (*GOLDS[12:],)
    assert answers.predictions == (*SAID["knows-half"][12:],)
    assert "; accuracy matches the harness for the samples that count." in how_found(answers)
    with pytest.raises(ValueError, match=r"line 1: .* exactly one .*; 13 of 60 samples have sev"):
        read(tmp_path / "13")


def test_runs_with_other_examples_or_settings_are_named_by_them(tmp_path):
    """And one with another seed alone repeats another."""
    text = ["arithmetic_generated"]
    for folder, tasks, options in (
        ("shots", ["arithmetic_plain"], {"num_fewshot": 0}),
        ("shots", ["arithmetic_plain"], {"num_fewshot": 2}),
        ("text", text, {}),
        ("text", text, {"gen_kwargs": "temperature=0.5,seed=1"}),
        ("text", text, {"gen_kwargs": "temperature=0.5,seed=2", "batch_size": 3}),
    ):
        run("knows-half", tasks, tmp_path / folder, **options)
    assert [answers.origin.run for answers in read(tmp_path / "shots")] == ["0-shot", "2-shot"]
    assert all(
        answers.metric.is_harness_accuracy for answers in read(tmp_path / "shots", latest=True)
    )
    runs = read(tmp_path / "text", variant="letter")
    assert [answers.origin.run.partition(", ")[0] for answers in runs] == [
        "",
        *["temperature=0.5"] * 2,
    ]
    latest = read(tmp_path / "text", variant="letter", latest=True)
    assert [answers.origin.run for answers in latest] == ["", "temperature=0.5"]


def test_targets_that_are_texts_of_their_own_are_no_classes(tmp_path):
    """As of gsm8k, whose metric finds the number in them."""
    ignored = {"regexes_to_ignore": ["(?s).*#### "], "ignore_case": True}
    changes = {"doc_to_target": "{{prompt}} #### {{answer}}", "class": None}
    task = ConfigurableTask(
        config=config(**changes, metric_list=of_metrics("exact_match", **ignored)[:1])
    )
    found = result_of("knows-half", task, folder=tmp_path)
    assert found["exact_match,none"] == close(0.7)
    with pytest.raises(ValueError, match="are free text, not classes: 60 different targets"):
        read(tmp_path)


def of_nit(**options):
    return {"metric_list": [{"metric": "nit", **options}]}


OF_DIGITS = {"doc_to_choice": "choices", "doc_to_target": "{{choices[position]}}"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (of_nit(average="macro"), "nit must not have options .*, got {'average': 'macro'}"),
        (of_nit(aggregation="mean"), "nit must not have options or another aggregation"),
        ({"process_results": pair_of}, "`process_results` cannot be combined with "),
        ({"output_type": "loglikelihood"}, "`output_type` .* got 'loglikelihood'"),
        ({"doc_to_target": "choices"}, "document 0: the document must have one right answer, got"),
        ({**CHOICES, "doc_to_target": -1}, "document 0: the target must be one of .*, got -1"),
        ({**CHOICES, "doc_to_target": "solution"}, "document 0: .* must be one of .*, got '3'"),
        # the harness takes a template of digits for a position
        ({**CHOICES, **OF_DIGITS}, "document 1: .* got 5"),
    ],
)
def test_unscorable_tasks_are_refused_before_the_model_runs(changes, message):
    with pytest.raises(ValueError, match=f"^arithmetic_of_a_test: .*{message}"):
        Task(config(**changes))
