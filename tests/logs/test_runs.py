"""Whether verdicts have the totals that a harness recorded, and which runs repeat each other.

Logs of old versions are in harnesses/old_logs, with what made them; others are kept logs with
changes. What the newest versions write is tested in harnesses/.

Covers src: logs/reading.py, logs/runs.py, logs/verdicts.py.
"""

import gzip
import json
import math
import shutil
from functools import partial
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from harnesses.arithmetic import GOLDS, LOGS, SAID
from informedness import read_log
from informedness.logs.answers import Answers, Origin
from informedness.logs.runs import RunTable, how_found
from informedness.logs.verdicts import Sample, Totals, VerdictError, VerdictMetric
from informedness.warnings import InformednessWarning
from inputs.answers import classes_found
from inputs.cli_cases import refused
from inputs.tables import score_of
from oracles.golden import close

OLD = Path(__file__).resolve().parents[1] / "harnesses" / "old_logs"
DATE = "2026-01-01T00-00-00.000001"
LATER = "2026-02-01T00:00:00+00:00"
DATES = [f"2026-0{month}-01T00-00-00.000000" for month in (1, 2, 3)]
KNOWS_HALF = "mockllm/knows-half, arithmetic"


@pytest.fixture
def report(command):
    return partial(command, "report")


def log_of_inspect():
    return json.loads((LOGS / "inspect" / "choice_knows-half.json").read_bytes())


def changed(log, places, value):
    """Return a copy of a log with a value at a place in it, such as "eval.created"."""
    log = json.loads(json.dumps(log))
    inside = log
    *outer, last = places.split(".")
    for place in outer:
        inside = inside.setdefault(place, {})
    inside[last] = value
    return log


def write(folder, name, log):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(log), "utf-8")
    return folder / name


# What the harness recorded


@pytest.mark.parametrize("version", ["0.3.120", "0.3.240"])
def test_a_value_of_nan_written_as_null_does_not_count(version):
    """Of `right` a quarter has no score; `also` has one everywhere."""
    log = OLD / f"inspect_{version}.json"
    with pytest.warns(InformednessWarning, match="5 of 20 samples of .*, right have no score, and"):
        right, also = read_log(log)
    for answers, n in (right, 15), (also, 20):
        assert (len(answers.ids), score_of(answers.table, "accuracy")) == (n, 0.6)
        assert "; accuracy matches the harness" in how_found(answers)


def test_null_is_wrong_where_the_harness_counted_it_so(tmp_path, report):
    """Its totals then are of all samples; they are compared with what was read in any case."""
    log = json.loads((OLD / "inspect_0.3.240.json").read_bytes())
    for sample in log["samples"][3::4]:  # those of null
        sample["scores"]["two_values"]["answer"] = "perhaps"
    score = log["results"]["scores"][0]
    score.update(scored_samples=20, unscored_samples=0)
    score["metrics"]["accuracy"]["value"] = 0.45
    (answers,) = read_log(write(tmp_path, "log.json", log), variant="right")
    assert (len(answers.ids), score_of(answers.table, "accuracy")) == (20, 0.45)
    assert "; accuracy matches the harness." in how_found(answers)
    score["metrics"]["accuracy"]["value"] = 0.7
    for n, text in (17, "0.7 for 17 samples"), (None, "0.7"):
        score["scored_samples"] = n
        right = write(tmp_path, "log.json", log), "--variant", "right"
        code, output, errors = report(*right)
        assert code == 0
        assert "matches the harness" not in output
        said = f"right is 0.45 for 20 samples, but {text} in the results of the harness\n"
        assert errors.endswith(said)
        refused(report(*right, "--strict"), said.strip())


def with_totals(harness, folder, n_samples, accuracy):
    """Return a folder with a kept log, and such totals beside it or in it."""
    if harness == "inspect":
        log = log_of_inspect()
        log["results"]["scores"][0]["scored_samples"] = n_samples
        log["results"]["scores"][0]["metrics"]["accuracy"]["value"] = accuracy
        write(folder, "log.json", log)
    elif harness == "lm-eval":
        source = LOGS / "lm-eval" / "knows-half"
        folder.mkdir()
        shutil.copy(source / f"samples_arithmetic_letters_{DATE}.jsonl.gz", folder)
        results = json.loads((source / f"results_{DATE}.json").read_bytes())
        results["results"]["arithmetic_letters"]["acc,none"] = accuracy
        results["n-samples"]["arithmetic_letters"]["effective"] = n_samples
        write(folder, f"results_{DATE}.json", results)
    else:
        (log,) = (LOGS / "lighteval").glob("details/knows-half/*/details_arithmetic_0_*.parquet")
        details = folder / "details" / "knows-half" / log.parent.name
        details.mkdir(parents=True)
        shutil.copy(log, details)
        results = folder / "results" / "knows-half"
        name = f"results_{log.parent.name}.json"
        write(results, name, {"results": {"arithmetic|0": {"acc": accuracy}}})
    return folder


@pytest.mark.parametrize("harness", ["lm-eval", "lighteval", "inspect"])
def test_agreement_is_claimed_only_where_the_totals_agree(harness, tmp_path, report):
    n = 20 if harness == "inspect" else 60
    for name, totals, is_claimed in (
        ("same", (n, 0.7), True),
        ("rounded", (n, 0.699999988079071), True),  # as float32 has it
        ("none", (None, None), False),
        ("another", (n, 0.75), False),
        ("fewer", (n - 1, 0.7), harness == "lighteval"),  # which records no number
    ):
        folder = with_totals(harness, tmp_path / name, *totals)
        code, output, errors = report(folder)
        assert code == 0
        assert ("accuracy matches the harness" in output) == is_claimed, name
        is_warned = not is_claimed and name != "none"
        text = f"is 0.7 for {n} samples, but {totals[1]} "
        assert (text in errors) == is_warned, name
        assert report(folder, "--strict")[0] == (2 if is_warned else 0)
        extracted = report(folder, "--choices", *"ABCD")  # by verdicts, too
        assert (text in extracted[2]) == is_warned


def test_where_options_find_the_class_no_verdicts_are_compared(tmp_path, report):
    log = log_of_inspect()
    log["results"]["scores"][0]["metrics"]["accuracy"]["value"] = 0.1
    output, errors = report(write(tmp_path, "log.json", log), "--extract", "([A-D])")[1:]
    assert errors == ""
    assert "matches the harness" not in output


@pytest.mark.parametrize(
    ("n_samples", "accuracy", "recorded", "agrees"),
    [
        (20, 0.45, (20, 0.45), True),
        (20, 0.45, (None, 0.45), True),
        (20, 0.45, (20, 0.6), False),
        (20, 0.45, (15, 0.45), False),
        (20, 0.45, (15, None), False),
        (20, 0.45, (20, None), None),
        (20, 0.45, (None, None), None),
        (20, 0.45, (20, 0.5), False),  # ten of twenty, and not 0.45 rounded
        (12, 5 / 12, (12, 0.4167), True),
        (12, 5 / 12, (12, 0.42), True),
        (12, 5 / 12, (12, 0.41), False),
        (3, 2 / 3, (3, 0.6666666666666666), True),
        (3, 2 / 3, (3, 0.6666666), True),
        (10**6, 0.123459, (10**6, 0.123456), False),
        (8, 0.0, (8, 0), True),
        (8, 1.0, (8, 1), True),
        (8, 0.0, (8, 1e-07), True),
    ],
)
def test_totals_are_compared_to_the_digits_that_a_log_holds(n_samples, accuracy, recorded, agrees):
    assert Totals(n_samples, accuracy).agrees_with(Totals(*recorded)) is agrees


def test_damaged_totals_are_none():
    assert Totals.from_log([20], "0.5") == Totals.from_log(None, math.nan) == (None, None)
    assert Totals.from_log(20, 1) == (20, 1.0)


def test_of_several_epochs_the_mean_of_each_sample_counts():
    verdicts = [("a", 1.0), ("a", 0.0), ("b", 1), ("b", math.nan), ("c", None), ("d", False)]
    assert Totals.from_verdicts(verdicts) == (3, 0.5)
    assert Totals.from_verdicts([]) == (0, None)


# Runs


SOLVERS = [{"solver": "chain_of_thought", "params": {"a": 1}}, {"solver": "generate"}]
SHOWN = "solver=chain_of_thought{'a': 1}, generate"


def two_runs(folder, places, value):
    """Write a log and a later one with a change."""
    log = log_of_inspect()
    write(folder, "a.json", log)
    write(folder, "b.json", changed(changed(log, "eval.created", LATER), places, value))


@pytest.mark.parametrize(
    ("places", "value", "names"),
    [
        ("eval.task_args", {"subject": "law"}, ("", "(subject=law)")),
        ("eval.task_args", {"cot": True, "seed": 2}, ("", "(cot=True, seed=2)")),
        ("eval.dataset.name", "other", (", dataset=arithmetic", ", dataset=other")),
        ("eval.dataset.location", "org/sums", ("", ", location=org/sums")),
        ("eval.model_args", {"dtype": "bf16"}, ("", ", dtype=bf16")),
        ("eval.model_args", {"revision": "step1", "device": 1}, ("", ", revision=step1")),
        ("eval.model_generate_config", {"top_p": 0.5}, ("", ", top_p=0.5")),
        ("eval.model_roles", {"grader": {"model": "x/y", "base_url": "z"}}, ("", ", model=x/y")),
        ("plan.config", {"temperature": 0.0}, ("", ", temperature=0.0")),
        ("plan.config", {"stop_seqs": ["a"], "seed": 3}, ("", ", stop_seqs=['a']")),
        ("plan.steps", SOLVERS, (", solver=multiple_choice", f", {SHOWN}")),
        ("eval.config.message_limit", 3, ("", ", message_limit=3")),
    ],
)
def test_runs_are_named_by_the_settings_that_differ(tmp_path, report, places, value, names):
    """Whatever their dates, and `latest` reads both."""
    two_runs(tmp_path, places, value)
    for options in ({}, {"latest": True}):
        read = read_log(tmp_path, **options)
        assert [answers.name for answers in read] == [f"{KNOWS_HALF}{name}" for name in names]
    (answers,) = read_log(tmp_path, runs="b.json")
    assert answers.name == KNOWS_HALF
    output = report(tmp_path)[1]
    assert all(f"{KNOWS_HALF}{name}  " in output for name in names if len(name) < 30)


def test_a_task_is_chosen_with_its_arguments_or_without(tmp_path):
    two_runs(tmp_path, "eval.task_args", {"subject": "law"})
    assert len(read_log(tmp_path, task="arithmetic")) == 2
    (answers,) = read_log(tmp_path, task="arithmetic(subject=law)")
    assert (answers.origin.created, answers.origin.task_name) == (LATER, "arithmetic")
    with pytest.raises(ValueError, match=r"`task` must be one of 'arithmetic', 'arithmetic\(sub"):
        read_log(tmp_path, task="arithmetic(subject=art)")


@pytest.mark.parametrize(
    ("places", "value"),
    [
        ("eval.task_id", "x"),
        ("eval.eval_id", "x"),
        ("eval.run_id", "x"),
        ("eval.packages", {"inspect_ai": "0.3.120"}),
        ("eval.task_version", 2),
        ("eval.model_base_url", "http://localhost"),
        ("eval.config.max_samples", 3),
        ("eval.config.epochs", 2),
        ("eval.model_args", {"device": "cuda:1", "batch_size": 3, "api_key": "x", "seed": 1}),
        ("eval.model_args", {"max_batch_size": 3, "tensor_parallel_size": 2, "num_gpus": 4}),
        ("eval.model_args", {"api_version": "x", "base_url": "y", "device_map": "auto"}),
        ("eval.model_generate_config", {"seed": 7, "max_connections": 3, "timeout": 2}),
        ("plan.config", {"max_retries": 2, "attempt_timeout": 3, "batch": True, "cache": True}),
        ("plan.steps", [{"solver": "multiple_choice", "params": {"a": 1}, "params_passed": {}}]),
    ],
)
def test_a_run_repeats_another_whatever_its_seed_or_device(tmp_path, report, places, value):
    two_runs(tmp_path, places, value)
    first, second = read_log(tmp_path)
    assert (first.origin.run, second.origin.run) == ("2026-01-01T00:00:00", "2026-02-01T00:00:00")
    (latest,) = read_log(tmp_path, latest=True)
    assert (latest.origin.created, latest.origin.run) == (LATER, "")
    code, output, errors = report(tmp_path)
    assert (code, errors) == (0, "")
    assert all(f"{KNOWS_HALF}, {answers.origin.run}  20" in output for answers in (first, second))


def test_what_differs_from_run_to_run_is_no_argument_of_a_model(tmp_path):
    """As Inspect logs the outputs that its model for tests is given."""
    for month, ident in (1, "a"), (2, "b"):
        said = {"custom_outputs": [{"id": ident, "time": month, "text": "yes"}]}
        said["function"] = f"<function respond at 0x7f{month}>"
        log = changed(log_of_inspect(), "eval.model_args", said)
        write(tmp_path, f"{ident}.json", changed(log, "eval.created", DATES[month]))
    assert len(read_log(tmp_path, latest=True)) == 1


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda log: log["samples"].pop(), ["samples=20", "samples=19"]),
        (lambda log: log["samples"][0].update(id="x"), ["2026-01-01T00:00:00", LATER[:19]]),
        (lambda log: log["samples"][0].update(input="1?"), ["2026-01-01T00:00:00", LATER[:19]]),
    ],
)
def test_runs_of_other_samples_or_prompts_are_no_repetitions(tmp_path, change, names):
    log = log_of_inspect()
    write(tmp_path, "a.json", log)
    other = changed(log, "eval.created", LATER)
    change(other)
    other["results"].update(total_samples=len(other["samples"]), scores=[])
    write(tmp_path, "b.json", other)
    for options in ({}, {"latest": True}):
        assert [answers.origin.run for answers in read_log(tmp_path, **options)] == names


def test_a_sample_that_ended_in_an_error_is_one_of_those_asked(tmp_path):
    log = log_of_inspect()
    write(tmp_path, "a.json", changed(log, "eval.created", LATER))
    log["samples"][0].update(scores=None, error={"message": "no connection"})
    log["results"]["scores"] = []
    write(tmp_path, "b.json", log)
    message = "1 of 20 samples of .* have no score, and do not count"
    with pytest.warns(InformednessWarning, match=message):
        assert [answers.origin.run for answers in read_log(tmp_path)] == [
            LATER[:19],
            "2026-01-01T00:00:00",
        ]
    assert len(read_log(tmp_path, latest=True)) == 1


def test_runs_of_one_date_are_named_by_file_or_path(tmp_path):
    files = [write(tmp_path / folder, "a.json", log_of_inspect()) for folder in "xy"]
    assert [answers.origin.run for answers in read_log(tmp_path)] == [*map(str, files)]
    write(tmp_path / "x", "b.json", log_of_inspect())
    assert [x.origin.run for x in read_log(tmp_path / "x", latest=True)] == ["a.json", "b.json"]


def run_of_lm_eval(folder, day, task="arithmetic_letters", **changes):
    """Write a log of lm-eval with these settings in the results beside it."""
    source = LOGS / "lm-eval" / "knows-half"
    folder.mkdir(exist_ok=True)
    log = source / f"samples_{task}_{DATE}.jsonl.gz"
    shutil.copy(log, folder / f"samples_{task}_{day}.jsonl.gz")
    results = json.loads((source / f"results_{DATE}.json").read_bytes())
    for places, value in changes.items():
        results = changed(results, places, value)
    write(folder, f"results_{day}.json", results)


ARGUMENTS = "config.model_args"
OF_DATES = [date[:19] for date in DATES[:2]]


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ({}, {"n-shot.arithmetic_letters": 2}, ["0-shot", "2-shot"]),
        (
            {},
            {ARGUMENTS: "dtype=float16,device=cpu,max_length=9"},
            ["", "dtype=float16, max_length=9"],
        ),
        ({ARGUMENTS: {"dtype": "x"}}, {ARGUMENTS: "dtype=y,batch_size=3"}, ["dtype=x", "dtype=y"]),
        ({}, {"system_instruction": "Add."}, ["", "system_instruction=Add."]),
        ({}, {"chat_template": "{{x}}"}, ["", "chat_template={{x}}"]),
        ({}, {"configs.arithmetic_letters.dataset_name": "hard"}, ["", "dataset_name=hard"]),
        ({}, {"config.batch_size": 3, "config.device": "cpu", "config.random_seed": 7}, OF_DATES),
        ({ARGUMENTS: "device=cpu"}, {ARGUMENTS: {"seed": 3, "parallelize": True}}, OF_DATES),
        ({}, {"lm_eval_version": "0.4.7", "date": 1.5, "git_hash": "x", "versions": 2}, OF_DATES),
    ],
)
def test_runs_of_lm_eval_are_named_by_what_the_results_say(tmp_path, first, second, names):
    for date, changes in zip(DATES, (first, second), strict=False):
        run_of_lm_eval(tmp_path, date, **changes)
    assert [answers.origin.run for answers in read_log(tmp_path)] == names
    assert len(read_log(tmp_path, latest=True)) == (1 if names == OF_DATES else 2)


def test_generation_settings_of_lm_eval_are_in_the_samples(tmp_path):
    """Also without results; in each run all but the seed count."""
    source = LOGS / "lm-eval" / "knows-half" / f"samples_arithmetic_generated_{DATE}.jsonl.gz"
    samples = [json.loads(x) for x in gzip.decompress(source.read_bytes()).splitlines()]

    def write_run(date, **more):
        for sample in samples:
            sample["arguments"]["gen_args_0"]["arg_1"] = {"until": ["\n"], **more}
        lines = "\n".join(map(json.dumps, samples))
        (tmp_path / f"samples_task_{date}.jsonl").write_text(lines, "utf-8")

    write_run(DATES[0])
    for seed, date in enumerate(DATES[1:]):
        write_run(date, temperature=0.5, seed=seed)
    read = partial(read_log, tmp_path, variant="letter")
    names = ["", *(f"temperature=0.5, {date[:19]}" for date in DATES[1:])]
    assert [answers.origin.run for answers in read()] == names
    assert [answers.origin.run for answers in read(latest=True)] == ["", "temperature=0.5"]
    for sample in samples:
        sample["prompt_hash"] += "x"  # other examples before the question
    write_run(DATES[2], temperature=0.5)
    assert len(read(latest=True)) == 3


def test_runs_of_lighteval_are_named_by_what_the_results_say(tmp_path):
    (log,) = (LOGS / "lighteval").glob("details/knows-half/*/details_arithmetic_0_*.parquet")
    parameters = {"temperature": 0.5, "seed": 3}, {"temperature": 0.5, "seed": 4}, {"top_k": 7}
    for date, generation in zip(DATES, parameters, strict=True):
        folder = tmp_path / "details" / "m" / date
        folder.mkdir(parents=True)
        shutil.copy(log, folder / f"details_arithmetic_0_{date}.parquet")
        config = {"batch_size": int(date[6]), "generation_parameters": generation}
        results = {"config_general": {"model_config": config}}
        results["results"] = {"arithmetic|0": {"acc": 0.7}}
        write(tmp_path / "results" / "m", f"results_{date}.json", results)
    names = [*(f"temperature=0.5, {date}" for date in OF_DATES), "top_k=7"]
    assert [answers.origin.run for answers in read_log(tmp_path)] == names
    latest = read_log(tmp_path, latest=True)
    assert [answers.origin.run for answers in latest] == ["temperature=0.5", "top_k=7"]
    assert all(answers.metric.is_harness_accuracy for answers in latest)


def test_tasks_of_other_arguments_have_a_mean_and_are_compared(tmp_path, command):
    """But not runs of one task with other settings."""
    names = "maths", "law", "art"
    for name in names:
        log = changed(log_of_inspect(), "eval.task_args", {"subject": name})
        write(tmp_path / "inspect", f"{name}.json", log)
    inspect, lm_eval = tmp_path / "inspect", tmp_path / "lm-eval"
    (mean,) = json.loads(command("report", inspect, "--format", "json")[1])["means"]
    assert (mean["n_tasks"], mean["why_not"], mean["informedness"]) == (3, None, close(0.5))
    compared = command("compare", inspect, inspect)[1]
    assert all(f"arithmetic(subject={name})" in compared for name in names)
    run_of_lm_eval(lm_eval, DATES[0])
    run_of_lm_eval(lm_eval, DATES[1], **{"n-shot.arithmetic_letters": 2})
    for task in ("arithmetic_plain", "arithmetic_texts"):
        run_of_lm_eval(lm_eval, DATES[0], task)
    (mean,) = json.loads(command("report", lm_eval, "--format", "json")[1])["means"]
    assert mean["why_not"].startswith("arithmetic_letters has 2 runs. Choose one ")
    assert (
        "Left out: arithmetic_letters has 2 runs. Choose one"
        in command("compare", lm_eval, lm_eval)[1]
    )


# Logs of old versions


def test_a_log_that_does_not_name_its_only_filter_is_read(report):
    folder = OLD / "lm-eval_0.4.3"
    for task, how in ("choices", "the likeliest choice, as for acc"), ("text", "the text after"):
        (answers,) = read_log(folder / f"samples_{task}_{DATE}.jsonl.gz")
        assert answers.predictions == tuple(SAID["knows-half"][:20])
        assert answers.references == tuple(GOLDS[:20])
        assert f"the answer is {how}" in how_found(answers)
        assert "; accuracy matches the harness" in how_found(answers)
    code, _, errors = report(folder)
    assert (code, errors.count("left out: ")) == (1, 1)
    said = "lm-eval before 0.4.7 wrote this log, without the filter of each answer: run the task "
    assert f"two_filters_{DATE}.jsonl.gz: {said}with 0.4.7 or newer" in errors


def test_the_filter_may_be_the_one_that_the_results_name(tmp_path):
    for path in (OLD / "lm-eval_0.4.3").glob("*"):
        shutil.copy(path, tmp_path)
    results = json.loads((tmp_path / f"results_{DATE}.json").read_bytes())
    results["results"]["text"] = {"exact_match,strict": 0.7, "exact_match_stderr,strict": 0.1}
    write(tmp_path, f"results_{DATE}.json", results)
    (answers,) = read_log(tmp_path / f"samples_text_{DATE}.jsonl.gz")
    assert (answers.origin.variant, answers.metric.is_harness_accuracy) == ("strict", True)


def test_a_log_that_is_too_old_says_which_version_is_needed(tmp_path):
    """Before 0.4.3 lm-eval wrote an array, and before 0.11 lighteval had no documents."""
    (tmp_path / "samples_task.jsonl").write_text(json.dumps([{"doc_id": 0}], indent=2))
    with pytest.raises(ValueError, match=r"lm-eval before 0\.4\.3 wrote .* 0\.4\.3 or newer"):
        read_log(tmp_path / "samples_task.jsonl")
    old = {"example": ["a"], "gold_index": ["0"], "choices": ["['A']"], "metrics": ["{'acc': 1}"]}
    path = tmp_path / f"details_task_{DATE}.parquet"
    pyarrow.parquet.write_table(pyarrow.table(old), path)
    with pytest.raises(ValueError, match=r"lighteval before 0\.11 .*: run the task with 0\.11 or"):
        read_log(path)


def test_inspect_s_own_error_is_shown_of_a_run_that_failed(tmp_path):
    log = log_of_inspect() | {"status": "error", "error": {"message": "RuntimeError('no disk')"}}
    with pytest.raises(ValueError, match=r"got 'error': RuntimeError\('no disk'\)$"):
        read_log(write(tmp_path, "log.json", log))


def test_a_folder_of_results_alone_says_how_to_log_samples(tmp_path, report):
    results = write(tmp_path / "model", f"results_{DATE}.json", {})
    said = "results hold no samples: use --log_samples (lighteval: --save-details)"
    for path in (tmp_path, tmp_path / "model", results):
        refused(report(path), said)


# Texts


NAMES = [dict(zip("ABCD", "ABCD", strict=True))]
NOISE = ["@,,c", "..c", "c@@", "#c", ",,b", "%b%", "c,,@", ";c", "&c", "c+", "/c", "!c", "-,c"]
CLEAR = ["(C)", "C.", "**C**", "C)", "[C]", "'C'", '"C"', "`C`", "C!", "C?", "C,", "C...", "C:"]
CLEAR += ["$C$", "{C}", "<C>", r"\(C\)", "~~C~~", "*C", "|C|"]
LOOSE = ["Answer: C", "answer:C", r"\boxed{C}", "the answer is C", "C, because", "C: text", "x=C"]
LOOSE += ["<answer>C</answer>", "</think>C", "I pick (C) here", "C—since", " C\n"]


@pytest.mark.parametrize("right", [[], ["I say C for 3"]])
def test_a_letter_among_other_signs_is_no_answer(right):
    """Whether the harness sees whole texts or looks for the letter in them."""
    n = len(right) + 1
    verdicts = [1.0] * len(right) + [0.0]
    for texts, wanted in (NOISE, None), (CLEAR, "C"), (LOOSE if right else [], "C"):
        for text in texts:
            given = [*right, text], ["C"] * len(right) + ["A"], verdicts, NAMES * n
            assert classes_found(*given)[-1] == (wanted or text), text


def test_a_letter_among_signs_counts_where_the_harness_says_so():
    given = ["@,,c", "@,b", "?"], ["C", "A", "A"], [1.0, 0.0, 0.0], NAMES * 3
    assert classes_found(*given) == ["C", "B", "?"]


OF_ITS_OWN = [f"Ann has {i} apples. #### {i % 3 + i // 5}" for i in range(9)]


@pytest.mark.parametrize(
    ("answers", "golds", "verdicts", "said", "unsaid"),
    [
        ("010101010", OF_ITS_OWN, "110001010", "are free text, not classes: 9", "extract"),
        (["no", "no"], ["no", "yes"], "01", "with `extract`, `ignore_case` or", "`choices`"),
        ("11", "10", "01", "name the classes with `choices`", "free text"),
        ([1, 1], [1, 0], "01", "contradicts the answer in 2 of 2", "`extract`"),
        # four classes are not free text for so few samples
        ("bbaaddcc", "aabbccdd", "11111111", "contradicts the answer in 8 of 8", "free text"),
        ([None, None], ["a", "b"], "01", "the log has no answer for 1 of 2", "`choices`"),
    ],
)
def test_a_refusal_has_the_reason_and_options_that_help(answers, golds, verdicts, said, unsaid):
    classes = [{str(gold): gold for gold in golds}] * len(golds)
    with pytest.raises(VerdictError) as refusal:
        classes_found(answers, golds, [*map(float, verdicts)], classes)
    assert said in str(refusal.value)
    assert unsaid not in str(refusal.value)


def test_a_refusal_shows_an_answer_that_contradicts_its_verdict():
    targets, classes = ["Yes", "No", "No"], [{"Yes": "Yes", "No": "No"}] * 3
    said = r"For example, sample 2 has answer 'Yes', target 'No' and verdict 1\.0\. "
    with pytest.raises(VerdictError, match=said):
        classes_found(["Yes", "No", "Yes"], targets, [1.0] * 3, classes)


def test_the_remedy_for_a_class_unseen_is_an_option_of_logs(tmp_path, report):
    """Of 20 answers 4 are D, which is right nowhere."""
    log = log_of_inspect()
    for sample in log["samples"]:
        answer = sample["scores"]["choice"]["answer"]
        sample["target"] = sample["target"].replace("D", "A")
        sample["scores"]["choice"]["value"] = "C" if answer == sample["target"] else "I"
    log["results"]["scores"] = []
    path = write(tmp_path, "log.json", log)
    said = "if such labels are not classes, leave out `--choices`: the score is then "
    assert said in report(path)[2]
    code, _, errors = report(path, "--choices", "A", "B", "C")
    assert (code, said in errors) == (0, False)


# Marks


def answers_of(task, references, predictions, **more):
    rows = zip(range(len(references)), references, predictions, strict=True)
    origin = Origin(harness="lm-eval", model="m", task=task)
    return Answers(origin, "x", [Sample(*row) for row in rows], metric=VerdictMetric(**more))


def test_each_row_keeps_its_marks_explained_once_below():
    """Numbers in ten groups, always the same of the right group: 0.909 at an accuracy of 0.1."""
    numbers, grouped = [str(i) for i in range(100)], [str(i // 10 * 10) for i in range(100)]
    letters, totals = [*"ABCD"] * 20, Totals(80, 1.0)
    groups = answers_of("groups", numbers * 2, grouped * 2)
    plain = answers_of("plain", letters, letters, name="acc", recorded=totals, counted=totals)
    half = answers_of("half", letters, letters[::-1], shares={"half": math.nan})
    other = answers_of(
        "other", letters, letters, name="acc", recorded=Totals(80, 0.9), counted=totals
    )
    few = answers_of("few", [*"ABCD"] * 5, [*"DDCCBCACBACACBDCADAC"])
    one = answers_of("one", ["A"] * 9, ["A"] * 8 + ["B"])
    with pytest.warns(InformednessWarning, match="groups: .* above accuracy"):
        made = RunTable.from_answers([groups, plain, half, other, few])
    with pytest.warns(InformednessWarning, match="m, one: "):
        undefined = RunTable.from_answers([plain, one])
    cells = {x[0]: x[1:] for x in made.text_tables()[0]}
    shown = {name.removeprefix("m, "): (x[2], *x[4:]) for name, x in cells.items()}
    assert cells["run"][3] == "guessing"
    assert shown["groups"][:2] == ("0.1000", "0.9091^")
    assert shown["plain"][:2] == ("1.0000", "1.0000")
    assert (shown["half"][0], shown["other"][0]) == ("0.0000?", "1.0000?")
    assert shown["few"] == ("0.2000", "-0.0600", "0.3257^")
    assert shown["mean of 5 tasks"][0][-1] == "?"
    lines = made.text_lines()
    for mark in (
        "? after an accuracy",
        "^ Informedness: above accuracy",
        "^ NIT: the part due to chance",
        "-- means",
    ):
        n_lines = sum(line.startswith(mark) for line in lines)
        assert n_lines == (mark != "-- means"), mark
    (row,) = (x for x in undefined.text_tables()[0] if x[0] == "m, one")
    assert row[-4:] == ["0.8889", "1.000", "--", "--"]
    assert "-- means undefined: all references are of one class." in undefined.text_lines()
    assert undefined.records()[1]["informedness"] is None


def test_a_mean_above_the_mean_accuracy_is_marked():
    numbers, grouped = [str(i) for i in range(100)], [str(i // 10 * 10) for i in range(100)]
    tasks = [answers_of(task, numbers, grouped) for task in ("a", "b")]
    with pytest.warns(InformednessWarning, match="above accuracy"):
        text = str(RunTable.from_answers(tasks))
    assert [line.split()[-2] for line in text.splitlines() if "0.9091" in line] == ["0.9091^"] * 3
    assert (
        text.count("^ Informedness: above accuracy, so it is not a share of the predictions.") == 1
    )
