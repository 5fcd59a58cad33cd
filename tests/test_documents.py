"""Every snippet of the documents runs and prints what stands below it; so do the docstrings."""

import contextlib
import doctest
import importlib
import io
import math
import pkgutil
import re
import shlex
import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import informedness
import study_pages
from informedness import ContingencyTable, estimate
from informedness.cli import main
from informedness.results.comparison import FEW_GROUPS_IN_CELLS
from informedness.results.models import FEW_GROUPS
from informedness.statistics.entropy import ENOUGH_TO_SEE
from informedness.statistics.intervals import FEW_SAMPLES

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{path.name}" for path in sorted(ROOT.glob("docs/*.md"))),
]
WITH_TORCH = "docs/other-loops.md"
CARDS = [f"metrics/{name}/README.md" for name in ("informedness", "nit")]
HOW_SURE, METHODS = "docs/how-sure.md", "docs/formulas.md"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", re.MULTILINE)  # and what it prints


def snippets(path):
    """Return (line, language, code, what it prints) of each fenced block that runs."""
    text = path.read_text(encoding="utf-8")
    blocks = [(text[: m.start()].count("\n") + 1, *m.groups()) for m in FENCE.finditer(text)]
    for number, (line, language, code) in enumerate(blocks):
        following = blocks[number + 1][1:] if number + 1 < len(blocks) else ("", "")
        if language == "python":
            yield line, code, following[1] if following[0] == "text" else ""
        elif language == "console":
            yield line, code, None


def output_of(code, names):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), names)
    return printed.getvalue()


def functions_of(page):
    """Return what the snippets of a document define."""
    names = {}
    for _, code, expected in snippets(ROOT / page):
        if expected is not None:
            output_of(code, names)
    return names


@pytest.mark.slow
@pytest.mark.digits
@pytest.mark.parametrize(
    "page", [pytest.param(x, marks=[pytest.mark.full] if x == WITH_TORCH else []) for x in PAGES]
)
def test_the_documents_print_what_they_say(page, registered, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    names = {}
    ran = 0
    for line, code, expected in snippets(ROOT / page):
        ran += 1
        if expected is not None:
            assert output_of(code, names) == expected, f"{page}, line {line}"
            continue
        for command, printed in COMMAND.findall(code):
            program, *arguments = shlex.split(command)
            assert program == "informedness"
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                assert main(arguments) == 0
            assert printed in ("", output.getvalue()), f"{page}, line {line}"
    text = (ROOT / page).read_text(encoding="utf-8")
    assert ran == len(re.findall("^```(?:python|console)$", text, re.MULTILINE))


def test_the_sentence_to_publish_is_that_of_the_log():
    log = {"task": "arithmetic_letters"}
    (a,), (b,) = (
        informedness.read_log(ROOT / "examples/runs/lm-eval" / model, **log)
        for model in ("always-b", "knows-half")
    )
    made, both = b.report(0.95), a.compare(b)
    low, high = made.estimates["informedness"].confidence_interval
    least, most = both.confidence_interval
    text = plain("docs/language-models.md").replace("> ", "")
    assert f"knows-half answers {made['accuracy']:.0%} correctly" in text
    assert f"always answering B would give {a.report()['accuracy']:.0%}." in text
    assert (
        f"Informedness is {made['informedness']:.2f} (95% interval {low:.2f} to {high:.2f})" in text
    )
    assert f"{both.difference:.2f} above that of a model that always answers B" in text
    assert f"({least:.2f} to {most:.2f}, p < 0.001)" in text
    assert both.p_value < 0.001
    assert not b.unknown()


@pytest.mark.slow
def test_the_corrected_rate_of_the_page_on_judges_covers_the_true_one(monkeypatch):
    """As often as it says; and 192 labels of each kind give J to 0.1 for any judge."""
    monkeypatch.chdir(ROOT / "examples")
    corrected = functions_of("docs/judges.md")["corrected_rate"]
    rng, covered, found = np.random.default_rng(0), 0, []
    true, tpr, fpr, n_judged, n_good, n_bad = 0.66, 0.86, 0.1, 2000, 192, 192
    for _ in range(1000):
        hits, alarms = rng.binomial(n_good, tpr), rng.binomial(n_bad, fpr)
        matrix = [[hits, n_good - hits], [alarms, n_bad - alarms]]
        table = informedness.ContingencyTable.from_matrix(matrix, labels=["good", "bad"])
        judged = rng.binomial(n_judged, true * tpr + (1 - true) * fpr)
        rate, reach = corrected(judged, n_judged, table)
        covered += abs(rate - true) <= reach
        found.append(rate)
    assert 0.935 < covered / 1000 < 0.965
    assert np.mean(found) == pytest.approx(true, abs=0.003)
    for n, is_enough in ((192, True), (191, False)):
        table = informedness.ContingencyTable.from_matrix([[n, n], [n, n]])  # 2 n of each
        error = math.sqrt(2) * informedness.estimate(table).standard_error
        assert (1.96 * error < 0.1001) == is_enough


def test_the_filters_of_the_page_on_evaluate_are_those_of_its_warnings(load):
    """Of samples left by an evaluation, which it is right about, and of one sample."""
    text = plain("docs/evaluate.md")
    left, of_one = re.findall(r'filterwarnings\("ignore", "(.*?)"\)', text)
    metric = load("informedness")
    metric.add_batch(references=[0, 1], predictions=[1, 0])
    with pytest.warns(UserWarning, match=f"^{left}"):
        score = metric.compute(references=[0, 1, 1], predictions=[0, 1, 1])["informedness"]
    assert f"the five samples would make up one score, {score:.2f}." in text
    with pytest.warns(UserWarning, match=f"^{of_one}"):
        load("nit").compute(references=[0], predictions=[0])


@pytest.mark.slow
def test_several_processes_score_together_as_the_page_on_evaluate_does(
    registered, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    names = functions_of("docs/evaluate.md")
    batches = [([0, 1], [0, 1], [1, 0.1]), ([1, 1], [0, 1], None)], [([0], [1], [1 / 3])]
    with ThreadPoolExecutor(2) as pool:
        calls = [
            pool.submit(names["score_of_all"], batches[n], n, 2, str(tmp_path)) for n in range(2)
        ]
    right = 1 / (1 + 1 / 3) + 1.1 / 2.1 - 1
    assert [call.result() for call in calls] == [{"informedness": pytest.approx(right)}, None]


# These import torch, or a harness; the tests of each run its examples.
ELSEWHERE = {f"informedness.{name}" for name in ("torchmetrics", "lm_eval", "inspect_ai")}
MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(informedness.__path__, "informedness.")
    if ">>>" in Path(find_spec(name).origin).read_text("utf-8") and name not in ELSEWHERE
]


def test_the_examples_in_docstrings_are_true():
    for name in MODULES:
        result = doctest.testmod(importlib.import_module(name))
        assert (result.failed, result.attempted > 0) == (0, True), name


def test_no_link_between_documents_is_broken():
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def plain(name):
    """The text of a document with its lines joined."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def test_the_page_on_how_sure_is_right_about_weights_and_copies():
    table = np.array([[84, 6], [2, 8]])
    weighted = ContingencyTable.from_matrix(3 * table, squared_weights=9 * table)
    copies = ContingencyTable.from_matrix(3 * table)
    plain_table = ContingencyTable.from_matrix(table)
    errors = [estimate(x).standard_error for x in (plain_table, weighted, copies)]
    assert errors[0] == pytest.approx(errors[1], abs=1e-12)
    said = f"the standard error stays {errors[1]:.4f}. With three copies of each sample it would be"
    assert f"{said} {errors[2]:.4f}." in plain(HOW_SURE)


def test_the_page_on_how_sure_has_the_samples_that_an_interval_of_a_tenth_takes():
    low, high = estimate(ContingencyTable.from_matrix([[96, 96]] * 2)).confidence_interval
    assert (low, high) == (pytest.approx(-0.1, abs=1e-3), pytest.approx(0.1, abs=1e-3))
    assert "two classes with about 192 samples each" in plain(HOW_SURE)


def test_the_page_on_how_sure_says_what_the_studies_found():
    text, pages = plain(METHODS), study_pages
    for said in (pages.coverage_said, pages.comparison_said, pages.chance_said, pages.groups_said):
        assert [words for words in said() if words not in text] == []


def test_the_documents_have_the_rule_of_predictions_outside_the_references():
    """Which `test_degenerate.py` finds."""
    said = "10 (k \N{MINUS SIGN} 1) samples for each different prediction"
    assert all(said in plain(page) for page in (HOW_SURE, "docs/undefined.md"))


def test_the_documents_have_the_limits_below_which_a_warning_comes():
    for page in [HOW_SURE, "docs/undefined.md", *CARDS]:
        assert f"{FEW_SAMPLES} samples" in plain(page), page
    text = plain(HOW_SURE)
    # where classes are not declared, as `test_intervals_of_nit.py` finds
    for words in ("5 references of a class", "5 samples outside the largest class", "below 3"):
        assert words in text
    assert all(words in plain(CARDS[1]) for words in ("5 references of a class", "Below 3"))
    of_groups = f"{FEW_GROUPS} groups; for differences of NIT and EMA {FEW_GROUPS_IN_CELLS} |"
    assert f"| samples in groups | {of_groups}" in text
    assert f"| NIT, without `labels` | {ENOUGH_TO_SEE:,} samples" in text
    assert "| the difference of two models, except in accuracy | 5 references on average" in text


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_the_page_on_how_sure_has_the_numbers_of_the_test_of_chance():
    """In steps of 1 / (999 + 1) where predictions are dealt out, and so up to 2,000 samples."""
    steps = []
    for largest in (1994, 1995):
        sparse = ContingencyTable.from_matrix([[largest, 3], [2, 1]])
        steps.append(estimate(sparse, metric="nit").independence_p_value * 1000)
    assert steps[0] == pytest.approx(round(steps[0]), abs=1e-9)
    assert abs(steps[1] - round(steps[1])) > 1e-6
    said = "Up to 2,000 samples without weights, where expected counts are below 5"
    assert said in plain(METHODS)
