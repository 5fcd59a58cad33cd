"""Logs of harnesses by one command: whose they are, what was no answer, and who is better.

The kept logs are of three models and sixty questions, whose right choices go round A, B, C, B, D.
`knows-half` knows every second and says B to the others: of A, C and D half are found, to each go 6
of 60 predictions, and no other question gets them; all B are found, to which 42 predictions go, and
18 of the 36 other questions. So Informedness is 3 (0.1) (0.5) + 0.7 (1 - 0.5) = 0.5.
"""

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from cli_cases import refused
from informedness import compare, read_log
from informedness.logs.comparing import compare_answers
from informedness.logs.report import LogReport

LOGS = Path(__file__).parent / "logs"
DATE = "2026-01-01T00-00-00.000000"
GOLDS = ["ABCBD"[i % 5] for i in range(60)]
KNOWS_HALF = [gold if i % 2 == 0 else "B" for i, gold in enumerate(GOLDS)]


def lm_eval(model, task="letters"):
    (log,) = LOGS.glob(f"lm-eval/{model}/samples_arithmetic_{task}_*")
    return str(log)


def lighteval(model, task="arithmetic"):
    return str(LOGS / "lighteval/details" / model / DATE / f"details_{task}_0_{DATE}.parquet")


def inspect(model, kind="eval"):
    return str(LOGS / "inspect" / f"choice_{model}.{kind}")


HARNESSES = {"lm-eval": lm_eval, "lighteval": lighteval, "inspect": inspect}


@pytest.fixture
def report(command):
    return lambda *arguments: command("report", *arguments)


@pytest.mark.parametrize("harness", HARNESSES)
def test_one_command_gives_the_value_worked_out_by_hand_and_says_whose_it_is(harness, report):
    for model, wanted in (("knows-half", 0.5), ("always-b", 0.0)):
        for said in ([], ["--from", harness]):
            result = report(HARNESSES[harness](model), *said, "--score", "informedness")
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
    code, output, _ = report(folder, "--output", "csv")
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
    runs = json.loads(report(folder, "--output", "json", "--confidence-level", "0.9")[1])["runs"]
    assert [(run["model"], run["task"]) for run in runs] == [*scores]
    assert all(len(run["informedness_confidence_interval"]) == 2 for run in runs)
    assert report(folder)[1].count("Class entropy") == 6
    assert report(folder, "--output", "markdown")[1].startswith("| run | N | unknown |")


def samples_of(log):
    with gzip.open(log, "rt") as file:
        return [json.loads(line) for line in file]


def written(path, samples):
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    return str(path)


def sentences(tmp_path):
    """A log of generated text in which the letter stands within a sentence."""
    samples = samples_of(lm_eval("knows-half", "generated"))
    samples = [sample for sample in samples if sample["filter"] == "text"]
    for sample in samples:
        for metric in ("informedness", "nit", "exact_match"):
            sample.pop(metric, None)
        sample["filtered_resps"] = [f"I think it is ({sample['filtered_resps'][0]})."]
    return written(tmp_path / f"samples_talk_{DATE}.jsonl", samples)


def test_the_class_is_taken_out_of_sentences(report, tmp_path):
    log = sentences(tmp_path)
    _, output, errors = report(log, "--score", "informedness")
    assert output == "0.0\n"
    assert "Not among the classes (A, B, C, D): 'I think it is (B).' (42), " in errors
    _, output, _ = report(log, "--extract", r"\(([A-D])\)")
    assert "the answer is what '\\\\(([A-D])\\\\)' finds in the text" in output
    assert "Informedness            0.5000" in output
    (answers,) = read_log(log, extract=r"\(([AB])\)", choices=["A", "B", "C", "D"])
    assert answers.unknown() == {None: 12}
    assert answers.predictions[:6] == ("A", "B", None, "B", None, "B")


def test_choices_name_positions(report):
    (answers,) = read_log(lm_eval("knows-half", "texts"))
    assert answers.classes == (0, 1, 2, 3)
    (named,) = read_log(lm_eval("knows-half", "texts"), choices=["A", "B", "C", "D"])
    assert list(named.predictions) == KNOWS_HALF[:25]
    assert named.report().scores == answers.report().scores
    few = report(lm_eval("knows-half", "texts"), "--choices", "A", "B", "C")
    refused(few, "`--choices` must hold every reference or its position from 0 to 2, got 3")
    refused(report(lm_eval("knows-half", "texts"), "--extract", "A"), "`--extract` is for gener")


@pytest.mark.parametrize("harness", HARNESSES)
def test_two_logs_are_joined_by_the_samples_of_the_harness(harness, command):
    a, b = (HARNESSES[harness](model) for model in ("always-b", "knows-half"))
    code, output, _ = command("compare", a, b, "--output", "json")
    wanted = compare(GOLDS, ["B"] * 60, KNOWS_HALF, labels=["A", "B", "C", "D"], unknown="wrong")
    assert code == 0
    assert json.loads(output) == wanted.to_dict()


def test_samples_need_not_stand_in_one_order(tmp_path):
    other_order = samples_of(lm_eval("knows-half"))[::-1]
    shuffled = written(tmp_path / f"samples_arithmetic_letters_{DATE}.jsonl", other_order)
    (a,), (b,), (again,) = map(read_log, (lm_eval("always-b"), lm_eval("knows-half"), shuffled))
    assert again.ids == b.ids[::-1]
    assert compare_answers(a, again).to_dict() == compare_answers(a, b).to_dict()


def changed(tmp_path, change):
    """The log of `knows-half` with one sample changed."""
    samples = samples_of(lm_eval("knows-half"))
    change(samples)
    return written(tmp_path / f"samples_arithmetic_letters_{DATE}.jsonl", samples)


def test_different_prompts_and_different_samples_are_errors(command, tmp_path):
    other = changed(tmp_path, lambda samples: samples[7].update(prompt_hash="other"))
    result = command("compare", lm_eval("always-b"), other)
    refused(result, "the prompts of 1 of 60 samples differ between", "they must be equal")
    fewer = changed(tmp_path, lambda samples: samples.pop(7))
    result = command("compare", lm_eval("always-b"), fewer)
    refused(
        result, "1 of 60 in always-b, arithmetic_letters is not in", "must hold the same samples"
    )


def test_runs_of_different_tasks_are_not_compared(command):
    result = command("compare", lm_eval("always-b"), lm_eval("knows-half", "plain"))
    refused(result, "must be runs of one task, got the task 'arithmetic_letters' and")
    result = command("compare", lm_eval("always-b"), lighteval("knows-half"))
    refused(result, "must be runs of one task, got the harness 'lm-eval' and 'lighteval'")


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


@pytest.mark.slow
def test_pictures_are_of_one_run(report, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")  # as the command line does, but not for good
    code, _, errors = report(lm_eval("knows-half"), "--plot", str(tmp_path / "pictures"))
    assert code == 0
    assert errors.count("wrote ") == len([*(tmp_path / "pictures").iterdir()])
    refused(report(str(LOGS / "lighteval"), "--plot", str(tmp_path)), "must hold one run")
