"""Logs of harnesses by one command: whose they are, what was no answer, and who is better.

The kept logs are of three models and sixty questions, whose right choices go round A, B, C, B, D:
those of harnesses/arithmetic.py, whose scripts made them. `knows-half` knows every second and says
B to the others: of A, C and D half are found, to each go 6 of 60 predictions, and no other question
gets them; all B are found, to which 42 predictions go, and 18 of the 36 other questions. So
Informedness is 3 (0.1) (0.5) + 0.7 (1 - 0.5) = 0.5.
"""

import csv
import gzip
import io
import json
import math
import re
import shutil
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction

import pytest

from cases import informedness
from cli_cases import refused, write
from golden import close
from harnesses.arithmetic import GOLDS, LOG, LOGS, SAID, kept
from informedness import compare, estimate, read_log
from informedness.inputs.text_labels import LabelOptions
from informedness.logs.answers import Answers
from informedness.logs.reading import READERS
from informedness.logs.report import LogReport
from informedness.logs.verdicts import VerdictError, by_verdict, likeliest
from informedness.warnings import InformednessWarning

LETTERS = ["A", "B", "C", "D"]
NONE = dict.fromkeys(("accuracy", "informedness", "nit"))


def warned(text):
    return pytest.warns(InformednessWarning, match=text)


def task_of(model, task="letters", **options):
    """The answers in a log of lm-eval."""
    (answers,) = read_log(LOGS / "lm-eval" / model, task=f"arithmetic_{task}", **options)
    return answers


@pytest.fixture
def report(command):
    return lambda *arguments: command("report", *arguments)


@pytest.mark.parametrize("harness", LOG)
def test_the_kept_logs_hold_what_their_models_said(harness):
    """As the class of a letter, or its position where the choices differ between questions."""
    files = (x for x in sorted((LOGS / harness).rglob("*")) if not x.name.startswith("results_"))
    for log in filter(READERS[harness].is_log, files):
        with warned("left out: .*, includes") if "two" in log.name else nullcontext():
            read = read_log(log)
        for answers in read:
            model = answers.model.removeprefix("mockllm/") if answers.epoch != 2 else "always-b"
            numbers = [int(name.removeprefix("sum-")) for name in answers.ids]
            class_of = dict(zip(LETTERS, answers.choices or LETTERS, strict=True))
            assert answers.references == tuple(class_of[GOLDS[i]] for i in numbers), answers.name
            said = [class_of.get(SAID[model][i]) for i in numbers]
            assert answers.known_predictions() == said, answers.name
            assert len(set(answers.prompts)) == len(numbers) in (20, 25, 60)
            assert answers.harness == harness


def test_several_runs_are_one_table_and_each_has_its_report_if_asked(report):
    folder = LOGS / "lighteval"
    runs = json.loads(report(folder, "--format", "json", "--confidence-level", "0.9")[1])["runs"]
    assert [x["n_unknown"] for x in runs] == [0] * 5 + [60]
    assert all(len(run["informedness_confidence_interval"]) == 2 for run in runs)
    code, output, errors = report(folder)
    assert (code, output.count("Class entropy"), output.count("\n") < 30) == (0, 0, True)
    assert re.fullmatch("warning: refuses, arithmetic_text.0: no label in .*\n", errors)
    every = report(folder, "--each")[1]
    assert (every.count("Class entropy"), every.endswith(f"\n\n\n{output}")) == (6, True)
    assert every.startswith(report(kept("lighteval", model="always-b"))[1].rstrip())
    refused(report(folder, "--each", "--format", "csv"), "`--each` is for text")


@pytest.mark.parametrize("harness", LOG)
def test_two_logs_are_joined_by_the_samples_of_the_harness(harness, command):
    a, b = (kept(harness, model=model) for model in ("always-b", "knows-half"))
    code, output, _ = command("compare", a, b, "--format", "json", "--from", harness)
    said = SAID["always-b"], SAID["knows-half"]
    assert code == 0
    assert json.loads(output) == compare(GOLDS, *said, labels=LETTERS, unknown="wrong").to_dict()


def test_the_class_is_found_by_options_whatever_the_harness_counts(report):
    """Here it counts all as wrong."""
    answers = replace(task_of("knows-half", "generated", variant="text"), verdicts=(0.0,) * 60)
    lower = tuple(text.lower() for text in answers.predictions)
    for form, options, wanted in (
        (" {} ", {"strip": True}, lower),
        (" {} ", {"strip": True, "ignore_case": True}, answers.predictions),
        ("I think ({})!", {"extract": r"\((.)\)", "ignore_case": True}, answers.predictions),
    ):
        given = replace(answers, predictions=tuple(map(form.format, lower)))
        assert given.read(LabelOptions(**options)).predictions == wanted
    log = LOGS / "lm-eval" / "knows-half"
    of_text = log, "--task", "arithmetic_generated", "--variant", "text", "--extract"
    assert "classes (A, B, C, D): no answer (12)." in report(*of_text, "[AB]", "--metric", "nit")[2]
    output = report(*of_text, "[A-D]")[1]
    assert "the answer is what '[A-D]' finds in the text after filter 'text'." in output
    assert "Informedness            0.5000" in output
    for option in (("--extract", "A"), ("--strip",)):
        result = report(log, "--task", "arithmetic_texts", *option)
        refused(result, f"`{option[0]}`", "need text, not the likeliest")


# samples, accuracy, Informedness, and the square of its error
OF_60, OF_25, OF_20 = (60, 0.7, 0.5, 1 / 144), (25, 0.76, 0.6, 2 / 125), (20, 0.7, 0.5, 1 / 48)


@pytest.mark.parametrize(
    ("given", "tasks"),
    [
        (("lm-eval", "--variant", "letter"), [OF_60, OF_60, OF_25, OF_25]),
        (("lighteval",), [OF_60] * 3),
        (("inspect", "--latest"), [OF_60, OF_20]),
    ],
)
def test_the_mean_over_tasks_is_the_sum_by_hand(given, tasks, report):
    """Of `knows-half`; each of sixty questions scores 1/2 with an error of 1/12."""
    options = LOGS / given[0], *given[1:], "--confidence-level", "0.95"
    plain = json.loads(report(*options, "--format", "json")[1])
    (mean,) = (x for x in plain["means"] if x["model"].endswith("knows-half"))
    assert all(x["n_not_guessing"] == 0 for x in plain["means"] if x is not mean)  # always B
    m, (n, accuracies, informedness, variances) = len(tasks), zip(*tasks, strict=True)
    assert (mean["n_tasks"], mean["n_samples"], mean["n_not_guessing"]) == (m, sum(n), m)
    assert mean["accuracy"] == close(math.fsum(accuracies) / m)
    assert mean["informedness"] == close(math.fsum(informedness) / m)
    assert mean["informedness_standard_error"] == close(math.sqrt(sum(variances)) / m)
    runs = [x for x in plain["runs"] if x["model"] == mean["model"]]
    assert mean["nit"] == close(sum(run["nit"] for run in runs) / m)
    ends = zip(*(x["informedness_confidence_interval"] for x in runs), strict=True)
    for name, of_runs in zip(("low", "high"), ends, strict=True):
        reach = math.dist(of_runs, informedness) / m
        assert abs(mean[f"informedness_{name}"] - mean["informedness"]) == close(reach)
    assert f"mean of {m} tasks" in report(*options, "--format", "csv")[1]


def test_there_is_no_mean_over_tasks_of_which_one_has_no_single_score(report, tmp_path):
    for name, task in (("lm-eval", "arithmetic_generated"), ("inspect", "arithmetic")):
        why = f"{task} has several variants, epochs or runs (choose one with --variant, --epoch or "
        code, output, _ = report(LOGS / name, "--format", "json")
        assert code == (name == "inspect")
        means = [x for x in json.loads(output)["means"] if x["model"].endswith("knows-half")]
        assert NONE.items() <= means[0].items()
        assert means[0]["why_not"].startswith(why)
        assert f" tasks: none, because {why}" in report(LOGS / name)[1]
        assert "mean of" not in report(LOGS / name, "--format", "csv")[1]
    for name in ("epochs.eval", "two_scorers.eval"):
        shutil.copy(LOGS / "inspect" / name, tmp_path)
    pooled = "--epochs", "pooled", "--confidence-level", "0.9"
    for options, wanted in (
        ((), {"why_not": f"{why}--run, or pool epochs with --epochs pooled)"}),
        (pooled, {"why_not": None, "informedness": close((0.25 + 0.5) / 2), "n_samples": 60}),
    ):
        (mean,) = json.loads(report(tmp_path, "--format", "json", *options)[1])["means"]
        assert wanted.items() <= mean.items()
    assert mean["n_not_guessing"] == 2


def test_files_are_tasks_of_one_model_if_asked(command, tmp_path):
    """Of three of four A's and all B's; of all C's and two of three A's and B's; of one class."""
    sides = {"a.csv": "AABBAABB AABBABBB", "b.csv": "ABCABCABC ABCABCCCC", "c.csv": "AAAA AAAA"}
    files = [write(tmp_path / name, zip(*x.split(), strict=True)) for name, x in sides.items()]
    columns = "-r", "gold", "-p", "model", "--by-file"
    code, output, _ = command("report", *files[:2], *columns, "--format", "json")
    (mean,) = json.loads(output)["means"]
    assert code == 0
    assert mean["accuracy"] == close((Fraction(7, 8) + Fraction(7, 9)) / 2)
    values = [informedness(*map(list, x.split())) for x in [*sides.values()][:2]]
    assert mean["informedness"] == close(sum(values) / 2)
    assert (mean["nit"], mean["n_tasks"], mean["n_samples"]) == (None, 2, 17)
    assert mean["n_not_guessing"] == 1  # eight samples say too little
    read = command("report", *files[:2], *columns)[1]
    assert read.count(": 8 rows") == read.count(": 9 rows") == 1
    output, errors = command("report", tmp_path, *columns)[1:]
    assert f"mean of 3 tasks: none, because the references of {files[2]} are all of one " in output
    assert all(line.startswith(f"warning: {tmp_path}") for line in errors.splitlines())
    refused(command("report", *files, *columns, "--metric", "nit"), "leave out --by-file")
    refused(command("report", LOGS, "--by-file"), "`--by-file` is for columns")


def test_case_and_blanks_of_columns_are_ignored_where_asked_for(report, tmp_path):
    table = tmp_path / "p.csv"
    table.write_text("gold,model\nYes,yes \nno, No\nno,YES\nYES,yes\n")
    columns = "-r", "gold", "-p", "model", "--ignore-case", "--strip"
    for labels in ((), ("--labels", "YES", "No")):
        assert report(table, *columns, *labels, "--metric", "informedness")[1] == "0.5\n"
    refused(report(table, *columns, "--labels", "no", "No"), "`--labels` must differ in more")


def test_choices_name_positions():
    answers, named = task_of("knows-half", "texts"), task_of("knows-half", "texts", choices=LETTERS)
    assert (answers.classes, named.classes) == ((0, 1, 2, 3), (*LETTERS,))
    assert [LETTERS[i] for i in answers.predictions] == list(named.predictions)
    assert named.report().scores == answers.report().scores
    with pytest.raises(ValueError, match=r"one of `choices` or .* from 0 to 2, got 3"):
        task_of("knows-half", "texts", choices=LETTERS[:3])


def test_runs_are_compared_by_sample_if_they_are_of_one_task(command):
    a, b = task_of("always-b"), task_of("knows-half")
    names = "ids", "references", "predictions", "prompts", "documents"
    shuffled = replace(b, **{name: getattr(b, name)[::-1] for name in names})
    assert a.compare(shuffled).to_dict() == a.compare(b).to_dict()
    with warned(r"the prompts of 1 .* \(A\) and always-b, .*\(B\)"):
        a.compare(replace(a, prompts=("other", *a.prompts[1:])))
    for other, message in (
        (replace(a, documents=b.documents[::-1]), "the documents of 60 of 60 samples differ"),
        (replace(b, **{x: getattr(b, x)[1:] for x in names}), r"1 of 60 in always-b, .* not in"),
        (task_of("always-b", "plain"), "one task, got .*'arithmetic_letters'"),
    ):
        with pytest.raises(ValueError, match=message):
            a.compare(other)
    others = kept("lm-eval", model="always-b"), kept("lighteval", model="always-b")
    refused(command("compare", *others), "the runs must be of one task, got ('lm-eval'")


def test_one_run_is_chosen_by_task_and_variant(command):
    folders = [LOGS / "lm-eval" / model for model in ("always-b", "knows-half")]
    epochs = [LOGS / "inspect" / "epochs.eval"] * 2
    how = "Choose one with `--task`, `--variant`, `--epoch` or `--run`, or score all epochs "
    said = "must hold one run, got 5: always-b, arithmetic_generated, letter; always-b, "
    refused(command("compare", *folders), said, f"{how}together with --epochs pooled")
    refused(command("compare", *epochs), "epoch 1; mockllm/knows-half, arithmetic, epoch 2")
    assert command("compare", *epochs, "--epochs", "pooled")[0] == 0
    task = "--task", "arithmetic_generated"
    assert command("compare", *folders, *task, "--variant", "letter")[0] == 0
    refused(command("report", *folders, "--task", "x"), "`--task` must be one of 'arithmetic_gene")


def test_what_is_no_log_is_refused_and_so_are_options_of_columns_beside_logs(report, tmp_path):
    for option in ("--labels=A", "--weights=w"):
        refused(report(kept("lm-eval"), option), f"`{option.partition('=')[0]}` is for columns")
    (tmp_path / "p.csv").write_text("gold,model\na,a\nb,b\n")
    (tmp_path / "results_2026-01-01T00-00-00.json").write_text("{}")
    said = "is not a log with samples, and holds none: samples_*.jsonl of lm-eval, details_"
    how = "Name the harness of a renamed log with `--from`; read other files with table_from_file, "
    refused(report(tmp_path), f"{tmp_path} {said}", f"{how}or with --references and --pred")
    said = "results hold no samples: lm-eval writes samples_*.jsonl with --log_samples"
    refused(report(tmp_path / "results_2026-01-01T00-00-00.json"), said)
    refused(report(tmp_path / "none.eval"), "none.eval: No such file or directory")


def test_a_folder_of_mixed_runs_gives_what_can_be_read_and_names_what_cannot(report, tmp_path):
    """Runs of one task, half a log, a failed run, and a scorer whose answers tell no class."""
    log, of_twenty, two = (
        (LOGS / "inspect" / name).read_bytes()
        for name in ("choice_knows-half.eval", "choice_knows-half.json", "two_scorers.eval")
    )
    run = "{} of 'mockllm/knows-half, arithmetic': `--run` chooses a run by part of its path"
    written = {  # the content, and why it is left out
        "failed.json": (of_twenty.replace(b"success", b"err"), "got 'err'"),
        "half.eval": (log[:3000], "is damaged"),
        "earlier.eval": (log, run.format("is a later run")),
        "same.json": (of_twenty.replace(b"-01-01T", b"-02-01T"), run.format("of the same date,")),
        "two.eval": (two, "does not fit"),
        "zlast.json": (of_twenty.replace(b"-01-01T", b"-02-01T"), None),
    }
    for name, (content, _) in written.items():
        (tmp_path / name).write_bytes(content)
    code, output, errors = report(tmp_path, "--format", "csv")
    rows = csv.DictReader(io.StringIO(output))
    runs = [(row["task"], row["variant"], row["n_samples"]) for row in rows]
    assert runs == [("arithmetic", "", "20"), ("arithmetic_text", "answer", "20")]
    assert code == 1
    lines = [line for line in errors.splitlines() if line.startswith("left out: ")]
    for line, (name, (_, why)) in zip(lines, [*written.items()][:-1], strict=True):
        assert line.startswith(f"left out: {tmp_path / name}")
        assert why in line
    latest = report(tmp_path, "--latest")[2]
    assert ("earlier.eval" in latest, "same.json" in latest) == (False, True)
    code, output, _ = report(tmp_path, "--run", "earlier", "--format", "csv")
    assert (code, output.count(",60,")) == (0, 1)
    refused(report(tmp_path, "--run", "x"), "`--run` must be part of the path")
    refused(report(tmp_path, "--run", "half"), "half.eval: the log is damaged")
    with warned("left out: "):
        assert len(read_log(tmp_path)) == 2


def test_epochs_are_reported_on_one_by_one_alone_or_together(report):
    log = LOGS / "inspect" / "epochs.eval"
    how = "--format", "json", "--confidence-level", "0.9"
    each, second, (both,) = (
        json.loads(report(log, *options, *how)[1])["runs"]
        for options in ((), ("--epoch", "2"), ("--epochs", "pooled"))
    )
    assert ([x["epoch"] for x in each], each[1:]) == ([1, 2], second)
    assert (both["epoch"], both["n_samples"]) == (None, 40)
    assert both["accuracy"] == sum(x["accuracy"] for x in each) / 2
    (answers,) = read_log(log, epochs="pooled")
    sides = list(answers.references), list(answers.predictions)
    with warned("the interval of nit"):
        made = estimate(*sides, "nit", groups=answers.groups, confidence_level=0.9)
    assert both["nit_standard_error"] == made.standard_error
    assert both["informedness_confidence_interval"] == pytest.approx([0.0475, 0.4525], abs=0.1)
    with warned("interval"):
        guesser = LogReport.from_answers([replace(answers, predictions=("B",) * 40)], 0.9)
    assert guesser.runs[0].fields["n_not_guessing"] == 0
    compared = answers.compare(answers)
    assert (compared.difference, compared.n_samples, compared.n_groups) == (0, 40, 20)
    refused(report(log, "--epoch", "3"), "`--epoch` must be one of 1, 2, got 3")


YES_NO = {"yes": "yes", "no": "no"}


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
    given = answers, golds, verdicts, [YES_NO] * len(golds), range(len(golds))
    if wanted is None:
        with pytest.raises(VerdictError, match=r"does not fit the answer in \d of \d samples"):
            by_verdict(*given)
    else:
        assert by_verdict(*given) == wanted


def test_the_likeliest_choice_is_that_of_each_accuracy():
    """And of equally likely ones the first."""
    logprobs = [-1.0, -3.0, -2.0, -4.0, -1.0, -1.0, -3.0, -2.0, -4.0, -9.0]
    choices, tokens = ["A", "B" * 8, "Ä" * 5, "D", "E"], [[1], [1], [1], [1] * 9, [1]]
    wanted = {"acc": 0, "acc_norm": 1, "acc_bytes": 2, "acc_norm_token": 3, "acc_norm_pmi": 4}
    wanted["acc_mutual_info"] = 4
    assert {x: likeliest(x, logprobs, choices, tokens) for x in wanted} == wanted


def test_samples_that_stand_twice_and_logs_without_samples_are_refused(tmp_path):
    path = tmp_path / "samples_task.jsonl.gz"
    for written, message in (
        (2 * kept("lm-eval").read_bytes(), "sample identifiers must be unique, got '0' 2 times"),
        (gzip.compress(b""), "the log must hold samples, got none"),
    ):
        path.write_bytes(written)
        with pytest.raises(ValueError, match=message):
            read_log(path)


def test_of_choices_called_alike_the_right_one_is_meant_or_else_the_first():
    rows = [(0, 2, "A", None), (1, 0, "B", None), (2, 1, "A", None), (3, 1, "B", None)]
    answers = Answers.inside(rows, choices=(0, 1, 2, 3), texts=(tuple("ABAD"),) * 4)
    assert answers.predictions == (2, 1, 0, 1)


def test_inside_a_run_a_warning_says_what_does_not_fit():
    """And classes that differ by case alone are kept apart."""
    rows = [(0, "b", "a", 0.0), (1, "A", "A", 1.0)]
    assert Answers.inside(rows, choices=("a", "A", "b")).predictions == ("a", "A")
    for samples, n in (((0, 1), 2), ((0, 0), 1), ((0, 1, 0, 1), 2)):  # of one epoch or several
        both = [(i, *row[1:]) for i, row in zip(samples, 2 * rows, strict=False)]
        made = Answers.inside(both, choices=("a", "A", "b"))
        assert math.isnan(made.standard_error("nit")) == (n == 1)
    rows.append((2, "A", "A", 0.0))
    with warned("no score: .* 1 of 3 samples"):
        assert Answers.inside(rows) is None


@pytest.mark.slow
def test_pictures_are_of_one_run(report, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")  # as the command line does, but not for good
    code, _, errors = report(kept("lm-eval"), "--plot", tmp_path / "pictures")
    assert code == 0
    assert errors.count("wrote ") == len([*(tmp_path / "pictures").iterdir()])
    refused(report(LOGS / "lighteval", "--plot", tmp_path), "must hold one run")
