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
from informedness import compare, read_log
from informedness.logs.reading import READERS
from informedness.logs.report import LogReport

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
    with pytest.raises(ValueError, match=r"_letters \(A\) and always-b, arithmetic_letters \(B\)"):
        a.compare(replace(a, prompts=b.prompts[::-1]))


def test_runs_that_do_not_belong_together_are_not_compared(command, changed):
    def see_refused(other, *parts):
        refused(command("compare", lm_eval("always-b"), other), *parts)

    asked_otherwise = changed(lambda samples: samples[7].update(prompt_hash="other"))
    see_refused(asked_otherwise, "the prompts of 1 of 60 samples differ", "they must be equal")
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


def test_one_run_in_two_logs_and_a_damaged_log_are_refused(report, tmp_path):
    both = inspect("knows-half"), inspect("knows-half", "json")
    with pytest.raises(ValueError, match="`read` must hold the answers of at least one run"):
        LogReport.from_answers([])
    refused(report(*both), "a run must be in one log, got 'mockllm/knows-half, arithmetic' in")
    log = tmp_path / "damaged.eval"
    log.write_bytes(Path(inspect("knows-half")).read_bytes()[:3000])
    refused(report(str(log), "--from", "inspect"), f"{log}: ")


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
        ("lighteval", "pip install lighteval"),
        ("inspect_ai", r"pip install 'inspect-ai>=0\.3\.241'"),
    ],
)
def test_without_its_harness_a_plug_in_names_what_to_install(monkeypatch, package, message):
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"informedness.{package}", raising=False)
    with pytest.raises(ImportError, match=f"informedness.{package} needs .*: {message}"):
        import_module(f"informedness.{package}")


@pytest.mark.slow
def test_pictures_are_of_one_run(report, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")  # as the command line does, but not for good
    code, _, errors = report(lm_eval("knows-half"), "--plot", str(tmp_path / "pictures"))
    assert code == 0
    assert errors.count("wrote ") == len([*(tmp_path / "pictures").iterdir()])
    refused(report(str(LOGS / "lighteval"), "--plot", str(tmp_path)), "must hold one run")
