"""Logs of harnesses by one command: whose they are, what was no answer, and who is better.

The kept logs are of three models and sixty questions, whose right choices go round A, B, C, B, D:
those of harnesses/arithmetic.py, whose scripts made them. `knows-half` knows every second and says
B to the others: of A, C and D half are found, to each go 6 of 60 predictions, and no other question
gets them; all B are found, to which 42 predictions go, and 18 of the 36 other questions. So
Informedness is 3 (0.1) (0.5) + 0.7 (1 - 0.5) = 0.5.

Covers src: logs/answers.py, logs/runs.py.
"""

import gzip
import json
import math
import re
import shutil
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import pytest

from harnesses.arithmetic import GOLDS, LOG, LOGS, SAID, kept
from informedness import compare, estimate, read_log
from informedness.logs.reading import READERS
from informedness.logs.runs import RunTable
from informedness.logs.verdicts import VerdictError, likeliest_choice
from informedness.tables.label_options import LabelOptions
from informedness.warnings import InformednessWarning
from inputs.answers import classes_found, column, inside, with_columns
from inputs.cases import informedness
from inputs.cli_cases import refused, write
from oracles.golden import close

LETTERS = ["A", "B", "C", "D"]


def warned(text):
    return pytest.warns(InformednessWarning, match=text)


def task_of(model, task="letters", **options):
    """The answers in a log of lm-eval."""
    (answers,) = read_log(LOGS / "lm-eval" / model, task=f"arithmetic_{task}", **options)
    return answers


@pytest.fixture
def report(command):
    return partial(command, "report")


@pytest.mark.parametrize("harness", LOG)
def test_the_kept_logs_hold_what_their_models_said(harness):
    """As the class of a letter, or its position where the choices differ between questions."""
    files = (x for x in sorted((LOGS / harness).rglob("*")) if not x.name.startswith("results_"))
    for log in filter(READERS[harness].is_log, files):
        with warned("left out: .*, includes") if "two" in log.name else nullcontext():
            read = read_log(log)
        for answers in read:
            model = (
                answers.origin.model.removeprefix("mockllm/")
                if answers.origin.epoch != 2
                else "always-b"
            )
            numbers = [int(name.removeprefix("sum-")) for name in answers.ids]
            class_of = dict(zip(LETTERS, answers.choices or LETTERS, strict=True))
            assert answers.references == tuple(class_of[GOLDS[i]] for i in numbers), answers.name
            said = [class_of.get(SAID[model][i]) for i in numbers]
            assert answers.known_predictions() == said, answers.name
            assert len(set(column(answers, "prompt"))) == len(numbers) in (20, 25, 60)
            assert answers.origin.harness == harness


def test_an_average_is_that_of_every_run_and_of_their_mean(report):
    """Of three classes and more the default has another value."""
    read = read_log(LOGS / "lighteval" / "details" / "knows-half")
    values = [run.estimate("informedness", 0.95, "prevalence").value for run in read]
    given = LOGS / "lighteval", "--average", "prevalence", "--format", "json"
    plain = json.loads(report(*given)[1])
    runs, (mean,) = ([x for x in plain[y] if x["model"] == "knows-half"] for y in ("runs", "means"))
    assert [run["informedness"] for run in runs] == values
    assert all("|avg:prevalence|" in run["signature"] for run in runs)
    assert mean["informedness"] == close(sum(values) / len(values))


def test_runs_are_pooled_and_reported_one_by_one_if_asked(report):
    folder = LOGS / "lighteval"
    _, output, errors = report(folder)
    assert re.fullmatch("warning: refuses, arithmetic_text.0: in 60 of 60 .*\n", errors)
    every = report(folder, "--each")[1]
    assert (output.count("F1-macro"), every.count("F1-macro")) == (0, 6)
    assert every.endswith(f"\n\n\n{output}")
    refused(report(folder, "--each", "--format", "csv"), "`--each` applies only to text")


@pytest.mark.parametrize("harness", LOG)
def test_two_logs_are_joined_by_samples_even_if_renamed(harness, command, tmp_path):
    logs = []
    for model in ("always-b", "knows-half"):
        log, folder = kept(harness, model=model), tmp_path / model
        folder.mkdir()
        logs.append(shutil.copy(log, folder / f"renamed{''.join(log.suffixes[-2:])}"))
    how = "--format", "json", "--margin", "0.1", "--from", harness
    said = SAID["always-b"], SAID["knows-half"]
    wanted = compare(GOLDS, *said, labels=LETTERS, unknown="wrong", margin=0.1)
    assert json.loads(command("compare", *logs, *how)[1]) == wanted.to_dict()


def test_options_find_the_class_whatever_the_harness_counts(report):
    """Here it counts all as wrong."""
    answers = with_columns(task_of("knows-half", "generated", variant="text"), verdict=(0.0,) * 60)
    lower = tuple(text.lower() for text in answers.predictions)
    for form, options, wanted in (
        (" {} ", {"strip": True}, lower),
        (" {} ", {"strip": True, "ignore_case": True}, answers.predictions),
        ("I think ({})!", {"extract": r"\((.)\)", "ignore_case": True}, answers.predictions),
    ):
        given = with_columns(answers, prediction=map(form.format, lower))
        assert given.find_classes(LabelOptions(**options)).predictions == wanted
    log = LOGS / "lm-eval" / "knows-half"
    of_text = log, "--task", "arithmetic_generated", "--variant", "text", "--metric", "accuracy"
    told = report(*of_text, "--extract", "[AB]")[2]
    assert re.match(r"warning: lm-eval, .*D\): no answer \(12\)\.\n", told)
    assert report(*of_text, "--extract", "[A-D]")[1] == "0.7\n"
    refused(report(log, "--task", "arithmetic_texts", "--strip"), "`--strip`", "need text, got the")


# samples, accuracy, Informedness, and the square of its error
OF_60, OF_25, OF_20 = (60, 0.7, 0.5, 1 / 144), (25, 0.76, 0.6, 2 / 125), (20, 0.7, 0.5, 1 / 48)


@pytest.mark.parametrize(
    ("given", "tasks"),
    [
        (("lm-eval", "--variant", "letter"), [OF_60, OF_60, OF_25, OF_25]),
        (("lighteval",), [OF_60] * 3),
        (("inspect",), [OF_60, OF_20]),
    ],
)
def test_the_mean_over_tasks_is_the_sum_by_hand(given, tasks, report, tmp_path):
    """Of `knows-half`; each of sixty questions scores 1/2 with an error of 1/12."""
    folder = LOGS / given[0]
    if given[0] == "inspect":  # without other runs of these tasks
        for name in ("choice_knows-half.eval", "choice_always-b.eval", "two_scorers.eval"):
            shutil.copy(folder / name, tmp_path)
        folder = tmp_path
    options = folder, *given[1:], "--confidence-level", "0.95"
    plain = json.loads(report(*options, "--format", "json")[1])
    (mean,) = (x for x in plain["means"] if x["model"].endswith("knows-half"))
    assert all(x["n_not_guessing"] == 0 for x in plain["means"] if x is not mean)  # always B
    runs = [x for x in plain["runs"] if x["model"] == mean["model"]]
    m, (n, accuracies, informedness, variances) = len(tasks), zip(*tasks, strict=True)
    wanted = {"n_tasks": m, "n_samples": sum(n), "n_not_guessing": m}
    wanted |= {"accuracy": sum(accuracies) / m, "nit": sum(run["nit"] for run in runs) / m}
    wanted |= {"informedness": sum(informedness) / m}
    wanted |= {"informedness_standard_error": math.sqrt(sum(variances)) / m}
    ends = zip(*(x["informedness_confidence_interval"] for x in runs), strict=True)
    low, high = (math.dist(of_runs, informedness) / m for of_runs in ends)
    wanted |= {"informedness_low": wanted["informedness"] - low}
    wanted |= {"informedness_high": wanted["informedness"] + high}
    assert {name: mean[name] for name in wanted} == close(wanted)
    assert f"mean of {m} tasks" in report(*options, "--format", "csv")[1]


def test_no_mean_over_tasks_if_one_lacks_a_single_score(report, tmp_path):
    """What a line says to add is what gives one."""
    for name in ("epochs.eval", "two_scorers.eval"):
        shutil.copy(LOGS / "inspect" / name, tmp_path)
    one_epoch = tmp_path, "--extract", "([A-D])", "--epoch", "2"
    for options, why, added in (
        ((LOGS / "lm-eval",), "arithmetic_generated has 2 variants", ["--variant", "text"]),
        (one_epoch, "arithmetic_text has 2 variants", ["--variant", "answer"]),
        ((tmp_path,), "arithmetic has 2 epochs", ["--epochs", "pooled"]),
        ((LOGS / "inspect",), "arithmetic has 3 runs", ["--run"]),
    ):
        plain = json.loads(report(*options, "--format", "json")[1])
        mean = next(x for x in plain["means"] if x["model"].endswith("knows-half"))
        assert {mean[score] for score in ("accuracy", "informedness", "nit")} == {None}
        assert mean["why_not"].startswith(f"{why}. Choose one ")
        assert all(word in mean["why_not"] for word in added)
        assert report(*options)[1].count(why) == 1
        assert "mean of" not in report(*options, "--format", "csv")[1]
        if len(added) == 2:
            assert "No mean" not in report(*options, *added)[1]
    pooled = "--epochs", "pooled", "--confidence-level", "0.9"
    (mean,) = json.loads(report(tmp_path, "--format", "json", *pooled)[1])["means"]
    wanted = {"why_not": None, "n_samples": 60, "n_not_guessing": 2, "informedness": close(0.375)}
    assert wanted.items() <= mean.items()
    of_both = "No mean for lm-eval/always-b, lm-eval/knows-half: arithmetic_generated has 2 "
    assert of_both in report(LOGS / "lm-eval")[1]


def test_files_of_one_name_are_told_apart_by_their_paths(command, tmp_path):
    files = []
    for folder in ("model-one", "model-two"):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / f"{'a-long-summary-' * 5}.csv"
        files.append(write(path, zip("ABAB", "ABAA", "BBAA", strict=True), ("gold", "a", "b")))
    for given in (["report", *files, "-p", "a"], ["compare", *files, "-p", "a", "b"]):
        output = command(*given, "--by-file", "-r", "gold")[1]
        starts = [line.split()[0] for line in output.splitlines() if line.startswith("model-")]
        assert starts[:2] == ["model-one", "model-two"]


def test_files_are_tasks_of_one_model_if_asked(command, tmp_path):
    """Of three of four A's and all B's; of all C's and two of three A's and B's; of one class."""
    sides = {"a.csv": "AABBAABB AABBABBB", "b.csv": "ABCABCABC ABCABCCCC", "c.csv": "AAAA AAAA"}
    files = [write(tmp_path / name, zip(*x.split(), strict=True)) for name, x in sides.items()]
    columns = "-r", "gold", "-p", "model", "--by-file"
    (mean,) = json.loads(command("report", *files[:2], *columns, "--format", "json")[1])["means"]
    assert mean["accuracy"] == close((7 / 8 + 7 / 9) / 2)
    values = [informedness(*map(list, x.split())) for x in [*sides.values()][:2]]
    assert mean["informedness"] == close(sum(values) / 2)
    assert (mean["nit"], mean["n_tasks"], mean["n_samples"]) == (None, 2, 17)
    assert mean["n_not_guessing"] == 1  # eight samples say too little
    output, errors = command("report", tmp_path, *columns, "--no-intervals")[1:]
    assert output.count(": 8 rows") == output.count(": 9 rows") == 1
    assert f"No mean: {files[2]} has references of only one class." in output
    assert all(line.startswith(f"warning: {tmp_path}") for line in errors.splitlines())
    assert [line.split()[0] for line in output.splitlines() if line[1:6] == ".csv "] == [
        *("a.csv", "b.csv", "c.csv")
    ]
    refused(command("report", *files, *columns, "--metric", "nit"), "Leave out --by-file")
    refused(command("report", LOGS, "--by-file"), "`--by-file` applies only to columns")


def test_choices_name_positions():
    answers, named = task_of("knows-half", "texts"), task_of("knows-half", "texts", choices=LETTERS)
    assert (answers.classes, named.classes) == ((0, 1, 2, 3), (*LETTERS,))
    assert [LETTERS[i] for i in answers.predictions] == list(named.predictions)
    with pytest.raises(ValueError, match=r"one of `choices` or .* from 0 to 2, got 3"):
        task_of("knows-half", "texts", choices=LETTERS[:3])


def test_runs_are_compared_by_sample_if_they_are_of_one_task(command):
    a, b = map(task_of, ("always-b", "knows-half"))
    shuffled = replace(b, samples=b.samples[::-1])
    assert a.compare(shuffled).to_dict() == a.compare(b).to_dict()
    with warned(r"1 of 60 prompts differ between .* \(A\) and always-b, .*\(B\)"):
        a.compare(with_columns(a, prompt=("other", *column(a, "prompt")[1:])))
    for other, message in (
        (
            with_columns(a, document=column(b, "document")[::-1]),
            "the documents of 60 of 60 samples differ",
        ),
        (replace(b, samples=b.samples[1:]), r"1 of 60 identifiers in always-b, .* cannot be found"),
        (task_of("always-b", "plain"), "and classes, got .*'arithmetic_letters'"),
    ):
        with pytest.raises(ValueError, match=message):
            a.compare(other)
    others = kept("lm-eval", model="always-b"), kept("lighteval", model="always-b")
    refused(command("compare", *others), "the same harness, task and classes, got ('lm-eval'")


def test_other_files_and_several_runs_are_refused(command, report, tmp_path):
    folders = [LOGS / "lm-eval" / model for model in ("always-b", "knows-half")]
    how = "Choose one with `--task`, `--variant`, `--epoch`, `--run` or `--latest`, or score all "
    said = "must hold one run, got 2: always-b, arithmetic_generated, letter; always-b, "
    given = "compare", *folders, "--task", "arithmetic_generated"
    refused(command(*given), said, f"{how}epochs together with --epochs pooled")
    chosen = "--task", "arithmetic_generated", "--variant", "letter"
    assert command("compare", *folders, *chosen)[0] == 0
    refused(report(*folders, "--task", "x"), "`--task` must be one of 'arithmetic_gene")
    refused(report(kept("lm-eval"), "--labels=A"), "`--labels` applies only to columns")
    said = "must be a log with samples, or a folder of such logs: samples_*.jsonl of lm-eval, det"
    refused(
        report(tmp_path), f"{tmp_path} {said}", "For a renamed log, name its harness with `--fr"
    )
    results = tmp_path / "results_2026-01-01T00-00-00.json"
    results.write_text("{}")
    refused(report(results), "results hold no samples: use --log_samples")
    log = tmp_path / "samples_task_2026-01-01T00-00-00.jsonl.gz"
    log.write_bytes(2 * kept("lm-eval").read_bytes())
    refused(report(log), "sample identifiers must be unique, got '0' 2 times")
    log.write_bytes(gzip.compress(b""))
    refused(report(log), "the log must hold samples, got none")


def test_mixed_folders_score_what_can_be_read(report, tmp_path):
    """Runs of one task, half a log, a failed run, and a scorer whose answers tell no class."""
    log, of_twenty, two = (
        (LOGS / "inspect" / name).read_bytes()
        for name in ("choice_knows-half.eval", "choice_knows-half.json", "two_scorers.eval")
    )
    later = of_twenty.replace(b"-01-01T", b"-02-01T")
    written = {  # the content, and why it is left out
        "failed.json": (of_twenty.replace(b"success", b"err"), "got 'err'"),
        "first.json": (of_twenty, None),
        "half.eval": (log[:3000], "is damaged"),
        "long.eval": (log, None),
        "same.json": (later, None),
        "two.eval": (two, "contradicts"),
        "zlast.json": (later, None),
    }
    for name, (content, _) in written.items():
        (tmp_path / name).write_bytes(content)
    code, output, errors = report(tmp_path, "--format", "json")
    runs = [(x["task"], x["run"], x["variant"], x["n_samples"]) for x in json.loads(output)["runs"]]
    same, last = (f"samples=20, {name}" for name in ("same.json", "zlast.json"))
    first = ("arithmetic", "samples=20, 2026-01-01T00:00:00", "", 20)
    every = [
        ("arithmetic", "samples=60", "", 60),
        ("arithmetic_text", "", "answer", 20),
        *(("arithmetic", name, "", 20) for name in (same, last)),
    ]
    assert sorted(runs) == sorted([first, *every])
    assert code == 1
    lines = [line for line in errors.splitlines() if line.startswith("left out: ")]
    left_out = [(tmp_path / name, why) for name, (_, why) in written.items() if why]
    for line, (file, why) in zip(lines, left_out, strict=True):
        assert line.startswith(f"left out: {file}")
        assert why in line
    latest = json.loads(report(tmp_path, "--latest", "--format", "json")[1])["runs"]
    assert sorted((x["task"], x["run"], x["variant"], x["n_samples"]) for x in latest) == [
        *sorted(every)
    ]
    assert report(tmp_path, "--run", "long", "--metric", "accuracy")[:2] == (0, "0.7\n")
    both = [tmp_path / name for name in ("first.json", "zlast.json")]
    said = "must hold one run, got 2: ", "`--run` or `--latest`, or score all epochs together"
    refused(report(*both, "--metric", "accuracy"), *said)
    assert report(*both, "--latest", "--metric", "accuracy") == (0, "0.7\n", "")
    refused(report(tmp_path, "--run", "x"), "`--run` must be part of the path")
    refused(report(tmp_path, "--run", "half"), "half.eval: the log is damaged")


def test_epochs_are_reported_on_one_by_one_alone_or_together(report):
    log = LOGS / "inspect" / "epochs.eval"
    how = "--format", "json", "--confidence-level", "0.9"
    each, second, (both,) = (
        json.loads(report(log, *options, *how)[1])["runs"]
        for options in ((), ("--epoch", "2"), ("--epochs", "pooled"))
    )
    assert ([x["epoch"] for x in each], each[1:]) == ([1, 2], second)
    assert (both["epoch"], both["n_samples"], both["accuracy"]) == (None, 40, 0.55)
    (answers,) = read_log(log, epochs="pooled")
    assert answers.ids[::20] == ("sum-00, epoch 1", "sum-00, epoch 2")
    sides = list(answers.references), list(answers.predictions)
    with warned("the interval of nit"):
        made = estimate(*sides, "nit", groups=answers.groups, confidence_level=0.9)
    assert both["nit_standard_error"] == made.standard_error
    with warned("interval"):
        guesser = RunTable.from_answers([with_columns(answers, prediction=("B",) * 40)], 0.9)
    assert guesser.runs[0].fields["n_not_guessing"] == 0
    compared = answers.compare(answers)
    assert (compared.difference, compared.n_samples, compared.n_groups) == (0, 40, 20)


@pytest.mark.parametrize(
    ("answers", "golds", "verdicts", "wanted"),
    [
        (["Yes", "NO.", "?"], "yyy", [1, 0, 0], ["yes", "no", "?"]),  # case and punctuation
        (["Yes", "yes, or NO"], "yy", [1, 0], ["yes", "yes, or NO"]),  # the whole of it
        (["Yes", "NO", "no"], "yyn", [0, 0, 1], ["Yes", "NO", "no"]),  # neither
        (["I say yes", "I say no"], "yy", [1, 0], ["yes", "no"]),  # what holds a class
        (["I say yes", "yes"], "yy", [0, 1], ["I say yes", "yes"]),
        (["ja", "nein", "ja", None], "ynnn", [1, 1, 0, 0], ["yes", "no", "yes", None]),
        (["yes", "Yes"], "yy", [None, None], ["yes", "Yes"]),  # no verdict, no folding
        # what a harness cannot have meant
        (["yes", "no"], "yy", [0, 1], None),
        (["yes", "no"], "yy", [1, 0.5], None),
        (["so", "so"], "yn", [1, 1], None),
        (["so", "so"], "yy", [1, 0], None),
        (["all right", "never"], "yy", [1, 0], None),  # and which is "never"?
        ([None, "no"], "yn", [1, 1], None),
        (["no, or yes if so", None], "yn", [1, 0], None),
    ],
)
def test_the_class_is_what_fits_all_verdicts(answers, golds, verdicts, wanted):
    golds = ["yes" if gold == "y" else "no" for gold in golds]
    classes = [{"yes": "yes", "no": "no"}] * len(golds)
    given = answers, golds, verdicts, classes
    if wanted is None:
        with pytest.raises(VerdictError, match=r"(contradicts the answer in|has no answer for) \d"):
            classes_found(*given)
    else:
        assert classes_found(*given) == wanted


def test_the_longest_class_is_found_without_word_spaces():
    classes = [{"不": "no", "不好说": "not sure"}] * 2
    given = ["我觉得不好说吧", "我说不"], ["not sure", "no"], [1, 1], classes
    assert classes_found(*given) == ["not sure", "no"]


def test_a_choice_without_text_is_as_likely_as_it_is():
    for metric, wanted in (("acc_norm", 0), ("acc_norm_token", 0), ("acc_bytes", 1)):
        assert likeliest_choice(metric, [-3.0, -4.0], ["", "é"], [[], [7]]) == wanted


def test_equal_choices_mean_the_right_one_or_the_first():
    rows = [(0, 2, "A", None), (1, 0, "B", None), (2, 1, "A", None), (3, 1, "B", None)]
    answers = inside(rows, choices=(0, 1, 2, 3), texts=(tuple("ABAD"),) * 4)
    assert answers.predictions == (2, 1, 0, 1)


def test_inside_a_run_a_warning_says_what_does_not_fit():
    """And classes that differ by case alone are kept apart."""
    rows = [(0, "b", "a", 0.0), (1, "A", "A", 1.0)]
    assert inside(rows, choices=("a", "A", "b")).predictions == ("a", "A")
    for samples, n in (((0, 1), 2), ((0, 0), 1), ((0, 1, 0, 1), 2)):  # of one epoch or several
        both = [(i, *row[1:]) for i, row in zip(samples, 2 * rows, strict=False)]
        made = inside(both, choices=("a", "A", "b"))
        assert math.isnan(made.standard_error("nit")) == (n == 1)
    rows.append((2, "A", "A", 0.0))
    with warned("no score: .* 1 of 3 samples"):
        assert inside(rows) is None


@pytest.mark.slow
def test_figures_are_of_one_run(report, tmp_path):
    assert report(kept("lm-eval"), "--plot", tmp_path)[2].count("wrote ") == 3
    refused(report(LOGS / "lighteval", "--plot", tmp_path), "must hold one run")


def test_excluded_tasks_are_left_out_of_the_mean(report):
    options = (LOGS / "lm-eval" / "knows-half", "--variant", "letter", "--format", "json")
    found = json.loads(report(*options)[1])["runs"]
    kept = [run for run in found if run["task"] != "arithmetic_plain"]
    shown = json.loads(report(*options, "--exclude-task", "arithmetic_plain")[1])
    assert shown["runs"] == kept
    assert len(kept) == len(found) - 1
    (mean,) = shown["means"]
    assert mean["informedness"] == close(sum(run["informedness"] for run in kept) / len(kept))
    refused(report(*options, "--exclude-task", "plain"), "`--exclude-task` must be one of")
    every = [run["task"] for run in found]
    refused(report(*options, "--exclude-task", *every), "`--exclude-task` must leave a task")
