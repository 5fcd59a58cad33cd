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
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from cli_cases import refused
from harnesses.arithmetic import GOLDS, SAID
from informedness import InformednessWarning, compare, estimate_from_labels, read_log
from informedness.logs.answers import Answers
from informedness.logs.reading import READERS
from informedness.logs.report import LogReport
from informedness.logs.verdicts import VerdictError, by_verdict

LOGS = Path(__file__).parent / "logs"
DATE = "2026-01-01T00-00-00.000000"
LETTERS = ["A", "B", "C", "D"]


def lm_eval(model, task="letters"):
    (log,) = LOGS.glob(f"lm-eval/{model}/samples_arithmetic_{task}_*")
    return str(log)


def lighteval(model):
    return str(LOGS / "lighteval/details" / model / DATE / f"details_arithmetic_0_{DATE}.parquet")


def inspect(model, kind="eval"):
    return str(LOGS / "inspect" / f"choice_{model}.{kind}")


HARNESSES = {"lm-eval": lm_eval, "lighteval": lighteval, "inspect": inspect}
HOW = {
    "lm-eval": {
        "the likeliest choice, whatever its length",
        "the text after filter 'letter'",
        "the text after filter 'text'",
    },
    "lighteval": {
        "the likeliest choice",
        "the generated text",
        "the answer that lighteval's extractive match found in the text",
    },
    "inspect": {f"what scorer {name!r} logged as the answer" for name in ("choice", "answer")},
}


@pytest.fixture
def report(command):
    return lambda *arguments: command("report", *arguments)


@pytest.mark.parametrize("harness", HARNESSES)
def test_the_kept_logs_hold_what_their_models_said(harness):
    """As the class of a letter, or its position where the choices differ between questions."""
    hows = set()
    for log in filter(READERS[harness].is_log, sorted((LOGS / harness).rglob("*"))):
        for answers in read_log(log):
            if answers.variant == "includes":  # texts around the class
                continue
            hows.add(answers.how)
            model = answers.model.removeprefix("mockllm/") if answers.epoch != 2 else "always-b"
            numbers = [int(name.removeprefix("sum-")) for name in answers.ids]
            class_of = dict(zip(LETTERS, answers.choices or LETTERS, strict=True))
            right = [class_of[GOLDS[i]] for i in numbers]
            given = [class_of.get(SAID[model][i]) for i in numbers]
            assert answers.references == tuple(right), answers.name
            assert [x if x in class_of.values() else None for x in answers.predictions] == given
            assert len(set(answers.prompts)) == len(numbers) in (20, 25, 60)
            assert answers.harness == harness
    assert hows == HOW[harness]


@pytest.mark.parametrize("harness", HARNESSES)
def test_one_command_gives_the_value_worked_out_by_hand_and_says_whose_it_is(harness, report):
    for model, wanted in (("knows-half", 0.5), ("always-b", 0.0)):
        for said in ([], ["--from", harness]):
            result = report(HARNESSES[harness](model), *said, "--metric", "informedness")
            code, output, errors = result
            assert (code, errors) == (0, ""), result
            assert float(output) == pytest.approx(wanted, abs=1e-12)
    _, output, _ = report(HARNESSES[harness]("knows-half"))
    first, _, rest = output.partition("\n")
    assert first.startswith(f"{harness}, ")
    assert "knows-half" in first
    assert ": the answer is " in first
    assert "Informedness            0.5000" in rest


def test_each_run_has_its_report_and_all_are_one_table(report):
    folder = str(LOGS / "lighteval")
    code, output, _ = report(folder, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(output)))
    assert code == 0
    scores = {(row["model"], row["task"]): float(row["informedness"]) for row in rows}
    assert scores == {
        ("always-b", "arithmetic|0"): 0,
        ("always-b", "arithmetic_text|0"): 0,
        ("knows-half", "arithmetic|0"): pytest.approx(0.5),
        ("knows-half", "arithmetic_sentence|0"): pytest.approx(0.5),
        ("knows-half", "arithmetic_text|0"): pytest.approx(0.5),
        ("refuses", "arithmetic_text|0"): 0,
    }
    assert [row["n_unknown"] for row in rows] == ["0"] * 5 + ["60"]
    runs = json.loads(report(folder, "--format", "json", "--confidence-level", "0.9")[1])["runs"]
    assert [(run["model"], run["task"]) for run in runs] == [*scores]
    assert all(len(run["informedness_confidence_interval"]) == 2 for run in runs)
    assert report(folder)[1].count("Class entropy") == 6
    markdown = report(folder, "--format", "markdown", "--confidence-level", "0.9")[1]
    assert markdown.startswith("| run | N | unknown | Accuracy | Informedness | 90% interval | NIT")


@pytest.fixture
def changed(tmp_path):
    """Return a function that writes the samples of a log with a change."""

    def write(change, task="letters"):
        with gzip.open(lm_eval("knows-half", task), "rt") as file:
            samples = [json.loads(line) for line in file]
        samples = change(samples) or samples
        path = tmp_path / f"samples_arithmetic_{task}_{DATE}.jsonl"
        path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
        return str(path)

    return write


def in_sentences(samples):
    """Return the text after one filter, with the letter within a sentence."""
    fields = ("doc_id", "target", "arguments", "filter", "prompt_hash")
    return [
        {name: sample[name] for name in fields}
        | {"filtered_resps": [f"I think it is ({sample['filtered_resps'][0]})."]}
        for sample in samples
        if sample["filter"] == "text"
    ]


def test_the_class_is_taken_out_of_sentences(report, changed):
    log = changed(in_sentences, "generated")
    _, output, errors = report(log, "--metric", "informedness")
    assert output == "0.0\n"
    assert "Not among the classes (A, B, C, D): 'I think it is (B).' (42), " in errors
    _, output, _ = report(log, "--extract", r"\(([A-D])\)")
    assert "the answer is what '\\\\(([A-D])\\\\)' finds in the text" in output
    assert "Informedness            0.5000" in output
    (answers,) = read_log(log, extract=r"\(([AB])\)", choices=LETTERS)
    assert answers.unknown() == {None: 12}
    assert answers.predictions[:6] == ("A", "B", None, "B", None, "B")


def test_choices_name_positions(report):
    log = lm_eval("knows-half", "texts")
    (answers,) = read_log(log)
    (named,) = read_log(log, choices=LETTERS)
    assert (answers.classes, named.classes) == ((0, 1, 2, 3), (*LETTERS,))
    assert [LETTERS[i] for i in answers.predictions] == list(named.predictions)
    assert named.report().scores == answers.report().scores
    few = report(log, "--choices", "A", "B", "C")
    refused(few, "`--choices` must hold every reference or its position from 0 to 2, got 3")
    refused(report(log, "--extract", "A"), "`--extract` is for generated text: leave it out")


@pytest.mark.parametrize("harness", HARNESSES)
def test_two_logs_are_joined_by_the_samples_of_the_harness(harness, command):
    a, b = (HARNESSES[harness](model) for model in ("always-b", "knows-half"))
    code, output, _ = command("compare", a, b, "--format", "json")
    said = SAID["always-b"], SAID["knows-half"]
    assert code == 0
    assert json.loads(output) == compare(GOLDS, *said, labels=LETTERS, unknown="wrong").to_dict()


def test_samples_need_not_stand_in_one_order(changed):
    shuffled = changed(lambda samples: samples[::-1])
    (a,), (b,), (again,) = map(read_log, (lm_eval("always-b"), lm_eval("knows-half"), shuffled))
    assert again.ids == b.ids[::-1]
    assert a.compare(again).to_dict() == a.compare(b).to_dict()
    with pytest.warns(InformednessWarning, match=r"\(A\) and always-b, arithmetic_letters \(B\)"):
        a.compare(replace(a, prompts=b.prompts[::-1]))
    with pytest.raises(ValueError, match="the documents of 60 of 60 samples differ"):
        a.compare(replace(a, documents=b.documents[::-1]))


def test_runs_that_do_not_belong_together_are_not_compared(command, changed):
    def see_refused(other, *parts):
        refused(command("compare", lm_eval("always-b"), other), *parts)

    asked_otherwise = changed(lambda samples: samples[7].update(prompt_hash="other"))
    code, _, errors = command("compare", lm_eval("always-b"), asked_otherwise)
    assert (code, "the prompts of 1 of 60 samples differ" in errors) == (0, True)
    fewer = changed(lambda samples: samples[:7] + samples[8:])
    see_refused(fewer, "1 of 60 in always-b, arithmetic_letters is not in", "the same samples")
    see_refused(lm_eval("knows-half", "plain"), "one task, got the task 'arithmetic_letters' and")
    see_refused(lighteval("knows-half"), "one task, got the harness 'lm-eval' and 'lighteval'")


def test_one_run_is_chosen_by_task_and_variant(command):
    folders = [str(LOGS / "lm-eval" / model) for model in ("always-b", "knows-half")]
    refused(command("compare", *folders), "must hold one run to compare, got 5", "--task")
    task = "--task", "arithmetic_generated"
    refused(command("compare", *folders, *task), "got 2 (always-b, arithmetic_generated, letter;")
    code, output, _ = command("compare", *folders, *task, "--variant", "letter")
    assert code == 0
    assert output.splitlines()[1].startswith("A: always-b, arithmetic_generated, letter ")
    refused(command("report", *folders, "--task", "x"), "`--task` must be one of 'arithmetic_gene")


def test_options_of_columns_are_refused_beside_logs_and_those_of_logs_beside_columns(
    report, tmp_path
):
    for option in ("--labels=A", "--weights=w"):
        result = report(lm_eval("knows-half"), option)
        refused(result, f"`{option.partition('=')[0]}` is for columns")
    table = tmp_path / "p.csv"
    table.write_text("gold,model\na,a\nb,b\n")
    columns = "-r", "gold", "-p", "model"
    refused(report(str(table), *columns, "--task", "x"), "`--task` is for logs")
    refused(report(str(table)), "p.csv: must be or hold logs", "--references and --predictions")
    refused(report(str(tmp_path)), "must be or hold logs of samples of lm-eval, lighteval, inspect")
    refused(report(str(tmp_path / "none.eval")), "none.eval: there is no such file")


def test_a_folder_of_mixed_runs_gives_what_can_be_read_and_names_what_cannot(report, tmp_path):
    """Two runs of one task, half a log, a failed run, and a scorer whose answers tell no class."""
    log = Path(inspect("knows-half"))
    for name, content in (
        ("earlier.eval", log.read_bytes()),
        ("half.eval", log.read_bytes()[:3000]),
        ("two.eval", (LOGS / "inspect" / "two_scorers.eval").read_bytes()),
        ("later.json", Path(inspect("knows-half", "json")).read_bytes().replace(b"-01T", b"-02T")),
        (
            "failed.json",
            Path(inspect("knows-half", "json")).read_bytes().replace(b"success", b"err"),
        ),
    ):
        (tmp_path / name).write_bytes(content)
    code, output, errors = report(str(tmp_path), "--format", "csv")
    runs = [
        (row["task"], row["variant"], row["n_samples"])
        for row in csv.DictReader(io.StringIO(output))
    ]
    assert runs == [("arithmetic", "", "20"), ("arithmetic_text", "answer", "20")]
    assert code == 1
    lines = [line for line in errors.splitlines() if line.startswith("left out: ")]
    for line, name, why in zip(
        lines,
        ("failed.json", "half.eval", "earlier.eval", "two.eval"),
        ("got 'err'", "is damaged", "`--latest` says that this is meant, `--run`", "does not fit"),
        strict=True,
    ):
        assert line.startswith(f"left out: {tmp_path / name}")
        assert why in line
    assert "earlier.eval" not in report(str(tmp_path), "--latest")[2]
    code, output, _ = report(str(tmp_path), "--run", "earlier", "--format", "csv")
    assert (code, output.count(",60,")) == (0, 1)
    refused(report(str(tmp_path), "--run", "x"), "`--run` must be part of the path")
    refused(report(str(tmp_path), "--run", "half"), "half.eval: the log is damaged")
    with pytest.warns(InformednessWarning, match="left out: "):
        assert len(read_log(tmp_path)) == 2
    with pytest.raises(ValueError, match="`read` must hold the answers of at least one run"):
        LogReport.from_answers([])


def test_epochs_are_reported_on_one_by_one_alone_or_together(report, command):
    log = str(LOGS / "inspect" / "epochs.eval")
    each, second, pooled = (
        json.loads(report(log, *options, "--format", "json", "--confidence-level", "0.9")[1])[
            "runs"
        ]
        for options in ((), ("--epoch", "2"), ("--epochs", "pooled"))
    )
    assert ([x["epoch"] for x in each], each[1:]) == ([1, 2], second)
    (both,) = pooled
    assert (both["epoch"], both["n_samples"]) == (None, 40)
    assert both["accuracy"] == sum(x["accuracy"] for x in each) / 2
    (answers,) = read_log(log, epochs="pooled")
    sides = list(answers.references), list(answers.predictions)
    made = estimate_from_labels(*sides, "nit", groups=answers.ids, confidence_level=0.9)
    assert both["nit_standard_error"] == made.standard_error
    assert both["informedness_confidence_interval"] == pytest.approx([0.0475, 0.4525], abs=0.1)
    code, output, _ = command("compare", log, log, "--epochs", "pooled", "--format", "json")
    compared = json.loads(output)
    assert (code, compared["difference"], compared["n_samples"]) == (0, 0, 40)
    refused(report(log, "--epoch", "3"), "`--epoch` must be one of 1, 2, got 3")
    refused(report(log, "--epoch", "1", "--epochs", "pooled"), "give one of the two")


def test_options_say_what_an_answer_is_whatever_the_harness_counts(report, changed):
    """Here it counts lower case and blanks as wrong."""

    def folded(samples):
        kept = [sample for sample in samples if sample["filter"] == "text"]
        for sample in kept:
            sample["filtered_resps"] = [f" {sample['filtered_resps'][0].lower()}"]
            sample["exact_match"] = 0.0
            for name in ("informedness", "nit"):
                del sample[name]
        return kept

    log = changed(folded, "generated")
    for options, wanted in (((), 0), (["--strip"], 0), (["--strip", "--ignore-case"], 0.5)):
        output = report(log, *options, "--metric", "informedness")[1]
        assert float(output) == pytest.approx(wanted)
    table = Path(log).with_name("p.csv")
    table.write_text("gold,model\nYes,yes \nno, No\nno,YES\nYES,yes\n")
    columns = "-r", "gold", "-p", "model", "--ignore-case", "--strip"
    for labels in ((), ("--labels", "YES", "No")):
        assert report(str(table), *columns, *labels, "--metric", "informedness")[1] == "0.5\n"
    refused(report(str(table), *columns, "--labels", "no", "No"), "`--labels` must differ in more")
    refused(report(lm_eval("knows-half", "texts"), "--strip"), "`--strip` is for generated text")


def test_logs_without_a_reader_are_named_with_the_way_to_columns(report, tmp_path):
    log = tmp_path / "log.jsonl"
    pairs = [("a", "a"), ("b", "b"), ("b", "a")]
    data = [{"type": "match", "data": {"expected": x, "picked": y}} for x, y in pairs]
    log.write_text("".join(json.dumps(line) + "\n" for line in data))
    refused(report(str(log)), "OpenAI's evals", "data.expected and data.picked", "HELM")
    code, output, _ = report(str(log), "-r", "data.expected", "-p", "data.picked")
    assert (code, "0.6667" in output) == (0, True)


YES_NO = {"yes": "yes", "no": "no"}


@pytest.mark.parametrize(
    ("answers", "golds", "verdicts", "wanted"),
    [
        (["Yes", "NO.", "?"], "yyy", [1, 0, 0], ["yes", "no", "?"]),  # case and punctuation
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


def test_samples_that_stand_twice_and_logs_without_samples_are_refused(changed):
    with pytest.raises(ValueError, match=r"an identifier of its own, got '3' 2 times: .* two runs"):
        read_log(changed(lambda samples: [*samples, samples[3]]))
    empty = changed(lambda samples: samples.clear())
    with pytest.raises(ValueError, match="the log must hold samples, got none"):
        read_log(empty)


@pytest.mark.parametrize(
    ("package", "message"),
    [
        ("lm_eval", r"pip install 'lm-eval>=0\.4\.13'"),
        ("lighteval", "pip install .lighteval."),
        ("inspect_ai", r"pip install 'inspect-ai>=0\.3\.241'"),
    ],
)
def test_without_its_harness_a_plug_in_names_what_to_install(monkeypatch, package, message):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"informedness.{package}", raising=False)
    with pytest.raises(ImportError, match=f"informedness.{package} needs .*: {message}"):
        import_module(f"informedness.{package}")


def test_inside_a_run_a_warning_says_what_does_not_fit():
    """And classes that differ by case alone are kept apart."""
    rows = [(0, "a", "A", 0.0), (1, "A", "A", 1.0)]
    assert Answers.inside("", rows, ["a", "A"]).predictions == ("A", "A")
    rows.append((2, "A", "A", 0.0))
    with pytest.warns(InformednessWarning, match="no score of x: .* 1 of 3 samples"):
        assert Answers.inside(" of x", rows, None) is None


@pytest.mark.slow
def test_pictures_are_of_one_run(report, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")  # as the command line does, but not for good
    code, _, errors = report(lm_eval("knows-half"), "--plot", str(tmp_path / "pictures"))
    assert code == 0
    assert errors.count("wrote ") == len([*(tmp_path / "pictures").iterdir()])
    refused(report(str(LOGS / "lighteval"), "--plot", str(tmp_path)), "must hold one run")
