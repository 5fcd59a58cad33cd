"""Every snippet of the documents and docstrings runs, and prints what is shown below it."""

import doctest
import importlib
import inspect
import itertools
import os
import pkgutil
import re
import shlex
import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

import informedness
from informedness import ContingencyTable, estimate
from informedness.inference.entropy import ENOUGH_FOR_ALL_CLASSES
from informedness.inference.score import FEW_SAMPLES
from informedness.results.comparison import FEW_GROUPS_FOR_ENTROPIES
from informedness.results.estimate import FEW_GROUPS
from inputs.snippets import ROOT, snippets
from oracles import study_pages

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # what is shown may warn
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    *(f"docs/{path.name}" for path in sorted(ROOT.glob("docs/*.md"))),
    "tests/studies/paper/README.md",
]
WITH_TORCH = "docs/other-loops.md", "docs/recipes.md"
STUDIES = "tests/studies/README.md"
HOW_SURE, METHODS = "docs/how-sure.md", "docs/formulas.md"
COMMAND = re.compile(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", re.MULTILINE)  # and what it prints


def as_shown(shown, printed):
    """Return what code prints, of a page with three dots the lines that begin as its lines do."""
    if "...\n" not in shown:
        return printed
    lines, found = printed.splitlines(keepends=True), []
    for line in filter(lambda line: line.strip("\n."), shown.splitlines(keepends=True)):
        start, rest = re.split(r"  |:", line)[0], range(found[-1] + 1 if found else 0, len(lines))
        alike = [i for i in rest if re.split(r"  |:", lines[i])[0] == start]
        found += ([i for i in rest if lines[i] == line] or alike)[:1]
    kept, before = [], -1
    for i in [*found, len(lines)]:
        if skipped := lines[before + 1 : i]:
            kept.append("\n" if {*skipped} == {"\n"} else "...\n")
        kept += lines[i : i + 1]
        before = i
    return "".join(kept)


def is_shown(shown, printed):
    """Tell whether a page shows what code prints; a line of three dots matches any lines."""
    return re.fullmatch(".*".join(map(re.escape, shown.split("...\n"))), printed, re.DOTALL)


@pytest.mark.slow
@pytest.mark.digits
@pytest.mark.parametrize(
    "page", [pytest.param(x, marks=[pytest.mark.full] if x in WITH_TORCH else []) for x in PAGES]
)
def test_the_documents_print_what_they_say(
    page, registered, tmp_path, monkeypatch, command, capsys
):
    """Output of commands is that of both streams, as on a terminal, or standard output alone."""
    shutil.copytree(ROOT / "examples", tmp_path, dirs_exist_ok=True)
    if page == "README.md":  # whose commands run in the folder above
        shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names, text = {}, (ROOT / page).read_text(encoding="utf-8")
    for line, code, expected in snippets(ROOT / page):
        if expected is not None:
            exec(compile(code, page, "exec"), names)
            printed = capsys.readouterr().out
            is_right = is_shown(expected, printed) or printed == expected
            if not is_right and os.environ.get("WRITE_DOCUMENTS"):
                text = text.replace(
                    code + "```\n\n```text\n" + expected,
                    code + "```\n\n```text\n" + as_shown(expected, printed),
                )
                continue
            assert is_right, f"{page}, line {line}"
            continue
        for typed, shown in COMMAND.findall(code):
            program, *arguments = shlex.split(typed)
            if program in ("git", "python3", "pip"):
                continue  # how to install
            exit_code, out, err = command(*arguments)
            assert (program, exit_code) == ("informedness", int("left out: " in err)), err
            is_right = shown == "" or is_shown(shown, out) or is_shown(shown, err + out)
            if not is_right and os.environ.get("WRITE_DOCUMENTS"):
                said = err if {*shown.splitlines()} & {*err.splitlines()} else ""
                text = text.replace(f"$ {typed}{shown}", f"$ {typed}{as_shown(shown, said + out)}")
                continue
            assert is_right, f"{page}, line {line}"
    if os.environ.get("WRITE_DOCUMENTS"):
        (ROOT / page).write_text(text, encoding="utf-8")


def outputs_of(notebook):
    """Return what each cell prints, as one text, because Jupyter splits it on a slow machine.

    The HTML of tables follows, and the types of pictures.
    """
    outputs = [cell.get("outputs", []) for cell in notebook.cells]
    printed = ["".join(one.get("text", "") for one in of_cell) for of_cell in outputs]
    shown = [one["data"] for of_cell in outputs for one in of_cell if "data" in one]
    return printed, [data.get("text/html") or sorted(data) for data in shown]


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.digits
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_prints_what_stands_in_it(monkeypatch):
    import nbformat

    monkeypatch.syspath_prepend(ROOT / "examples")
    run_notebook = importlib.import_module("run_notebook")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the command line sets it for its pictures
    path = ROOT / "examples" / "paper.ipynb"
    committed = outputs_of(nbformat.read(path, as_version=4))
    assert outputs_of(run_notebook.executed(path)) == committed
    assert ["image/png", "text/plain"] in committed[1]
    assert path.stat().st_size < 60_000


def test_filters_on_the_evaluate_page_match_its_warnings(load):
    """One warns of samples that an evaluation left, the other of a single sample."""
    text = plain("docs/evaluate.md")
    left, of_one = re.findall(r'filterwarnings\("ignore", "(.*?)"\)', text)
    metric = load("informedness")
    metric.add_batch(references=[0, 1], predictions=[1, 0])
    with pytest.warns(UserWarning, match=f"^{left}"):
        score = metric.compute(references=[0, 1, 1], predictions=[0, 1, 1])["informedness"]
    assert f"the five samples would make up one score, {score:.2f}" in text
    with pytest.warns(UserWarning, match=f"^{of_one}"):
        load("nit").compute(references=[0], predictions=[0])


@pytest.mark.slow
def test_processes_score_together_as_the_evaluate_page_says(registered, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for _, code, expected in snippets(ROOT / "docs/evaluate.md"):
        if expected is not None:
            exec(code, names)
    batches = [([0, 1], [0, 1], [1, 0.1]), ([1, 1], [0, 1], None)], [([0], [1], [1 / 3])]
    with ThreadPoolExecutor(2) as pool:
        calls = [
            pool.submit(names["score_of_all"], batches[n], n, 2, str(tmp_path)) for n in range(2)
        ]
    right = 1 / (1 + 1 / 3) + 1.1 / 2.1 - 1
    assert [call.result() for call in calls] == [{"informedness": pytest.approx(right)}, None]


# These import torch, or a harness; the tests of each run its examples.
ELSEWHERE = {
    f"informedness.{name}"
    for name in ("torchmetrics", "helm", "lm_eval", "lighteval", "inspect_ai")
}


def test_the_examples_in_docstrings_are_true():
    for _, name, _ in pkgutil.walk_packages(informedness.__path__, "informedness."):
        if ">>>" in Path(find_spec(name).origin).read_text("utf-8") and name not in ELSEWHERE:
            result = doctest.testmod(importlib.import_module(name))
            assert (result.failed, result.attempted > 0) == (0, True), name


def test_the_documents_have_every_option_and_its_python_name(command):
    _, shown, _ = command("report", "--help")
    text = plain("docs/files.md")
    pages = text + plain("docs/slices.md") + plain("docs/language-models.md")
    assert {*re.findall(r"--[a-z-]+", shown)} <= {*re.findall(r"--[a-z-]+", pages)}
    listed = {*re.findall(r"`(\w+)`", " ".join(re.findall(r"\| [^|]+ \| ([^|]+) \|", text)))}
    assert {*inspect.signature(informedness.table_from_file).parameters} - {"path"} <= listed


# Numbers in the prose, each computed anew


def plain(name):
    """Return the text of a document with its lines joined."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def log_said():
    """Return the sentence to publish on two example logs."""
    a, b = (
        informedness.read_log(ROOT / "examples/runs/lm-eval" / model, task="arithmetic_letters")[0]
        for model in ("always-b", "knows-half")
    )
    made, both = b.report(0.95), a.compare(b, average="prevalence")
    low, high = made.estimates["informedness_prevalence"].confidence_interval
    least, most = both.confidence_interval
    assert (both.p_value < 0.001, b.unknown()) == (True, {})
    return [
        f"knows-half answers {made['accuracy']:.0%} correctly",
        f"always answering B would give {a.report()['accuracy']:.0%}.",
        f"Informedness (prevalence) is {made['informedness_prevalence']:.2f} (95% interval "
        f"{low:.2f} to {high:.2f})",
        f"{both.difference:.2f} > above that of a model that always answers B ({least:.2f} to "
        f"{most:.2f}, p < 0.001)",
    ]


def samples_said():
    """Return words on copies, and on the number of samples for a margin of error of 0.1."""
    matrices = [[84, 6], [2, 8]], [[252, 18], [6, 24]], [[96, 96]] * 2
    once, copies, even = map(ContingencyTable.from_matrix, matrices)
    assert estimate(even).confidence_interval == pytest.approx((-0.1, 0.1), abs=3e-4)
    return [
        f"the standard error stays {estimate(once).standard_error:.4f}. With three copies of each "
        f"sample it would be {estimate(copies).standard_error:.4f}.",
        "two classes with about 192 samples each",
    ]


def warned_said():
    """Return the limits below which an interval warns."""
    in_groups = f"{FEW_GROUPS} groups; for differences of NIT and EMA {FEW_GROUPS_FOR_ENTROPIES}"
    return [
        f"{FEW_SAMPLES} samples",
        f"| samples in groups | {in_groups} |",
        f"| NIT, without `labels` | {ENOUGH_FOR_ALL_CLASSES:,} samples",
    ]


def bbh_said():
    """Return words on the answers to BIG-Bench Hard, and the rows of the table that shows them."""
    answers, tables, guessed = study_pages.bbh(), {}, {"direct": [], "cot": []}
    for (task, part), prompt in itertools.product(answers.groupby("task"), guessed):
        targets, labels = part["target"], part["target"].unique()
        table = ContingencyTable.from_labels(
            references=targets, predictions=part[prompt], labels=labels, unknown="wrong"
        )
        low, high = estimate(table, average="prevalence").confidence_interval
        is_guess = low <= 0 <= high
        assert is_guess == (informedness.report(table).guessing_p_value >= 0.05)
        tables[task, prompt] = table
        guessed[prompt] += [task] if is_guess else []
    rows = []
    for task in ("geometric_shapes", "navigate", "formal_fallacies", "web_of_lies"):
        table, part = tables[task, "direct"], answers[answers["task"] == task]
        shares = part["target"].value_counts(normalize=True)
        numbers = (part["target"] == part["direct"]).mean(), shares.max()
        score = table.informedness(average="prevalence")
        rows.append(f"| {task} | {len(shares)} | {numbers[0]:.3f} | {numbers[1]:.3f} | {score:.2f}")
    lies = part["direct"].value_counts()
    by_bias = tables["geometric_shapes", "direct"].informedness()
    return [
        *rows,
        f"by the default average their Informedness is {by_bias:.2f}",
        f'it answers "{lies.index[0]}" to {lies.iloc[0]} of {lies.sum()} questions',
        f"In all, {len(guessed['direct'])} of the {len(tables) // 2} tasks cannot be distinguished "
        f"from guessing. After a chain of thought, {len(guessed['cot'])} cannot "
        f"({' and '.join(guessed['cot'])})",
    ]


def suite_said():
    """Return the verdict on two prompts over all tasks of BIG-Bench Hard."""
    tasks = {
        task: (part["target"], part["direct"], part["cot"])
        for task, part in study_pages.bbh().groupby("task")
    }
    made = informedness.compare_tasks(tasks, average="prevalence", unknown="wrong")
    (verdict,) = re.findall(r"^B is better: .*(?=\.$)", str(made), re.MULTILINE)
    return [f'The verdict is "{verdict}"']


def rare_said():
    """Return the scores of a model whose doubtful answers are a class with one reference."""
    texts = ["ok"] * 899 + ["toxic"] * 100 + ["rare"]
    answers = ["ok"] * 889 + ["rare"] * 10 + ["ok"] * 20 + ["rare"] * 81
    scores = [
        f"{informedness.informedness_score(texts, answers, average=average):.2f} ({average})"
        for average in ("bias", "prevalence", "macro")
    ]
    without = informedness.informedness_score(texts[:-1], answers[:-1], unknown="wrong")
    words = f"it scores {scores[0]}, {scores[1]} or {scores[2]}."
    return [words, f"and the score is {without:.2f}.".replace("-", "\N{MINUS SIGN}")]


def months_said():
    """Return the scores of one filter in two months with other inputs."""
    scores = []
    for plain_ones, unclear, obvious in ((700, 200, 100), (400, 550, 50)):
        spam_missed, ham_marked = 0.02 * plain_ones + 0.4 * unclear, 0.1 * obvious
        matrix = [[plain_ones + unclear - spam_missed, ham_marked], [spam_missed, 0.9 * obvious]]
        scores.append(f"{ContingencyTable.from_matrix(matrix).informedness():.3f}")
    return [
        f"with 700, 200 and 100 messages of these kinds, it scores {scores[0]}.",
        f"with 400, 550 and 50, the same filter scores {scores[1]}.",
    ]


def methods_said():
    """Return the results of two studies that the page on methods repeats."""
    intervals, equal_models = study_pages.coverage_said()[1], study_pages.comparison_said()[0]
    return [
        intervals.replace("of each cell", "in each setting of the study"),
        equal_models.replace("of a cell", "in any setting"),
    ]


SAID = {
    METHODS: [methods_said],
    STUDIES: [
        study_pages.coverage_said,
        study_pages.comparison_said,
        study_pages.groups_said,
        study_pages.rate_said,
        study_pages.found_said,
    ],
    HOW_SURE: [samples_said, log_said, study_pages.hatecheck_widths_said],
    "docs/which-number.md": [months_said, rare_said],
    "docs/published-results.md": [bbh_said, suite_said, study_pages.hatecheck_said],
    "docs/undefined.md": [warned_said],
    "docs/continuous-integration.md": [study_pages.decisions_said],
    "docs/language-models.md": [study_pages.suites_said],
}


@pytest.mark.parametrize("page", SAID)
def test_numbers_in_prose_are_those_of_package_and_studies(page):
    text = plain(page)
    assert [words for said in SAID[page] for words in said() if words not in text] == []


def test_the_first_screen_has_25_lines():
    """Definitions, installation, a command and the lines for other uses come first."""
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    first = "\n".join(lines[:26])
    for part in (
        "2^MI / k",
        "pip install",
        "informedness report",
        "ComputeMetrics",
        "evaluate.load",
    ):
        assert part in first
    assert lines[26] == "## Is it for me?"


def test_the_page_on_performance_has_the_ratios_of_the_benchmark():
    """A million labels in ten classes were counted; a tenth for a column of `datasets`."""
    results = (ROOT / "tests" / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    page = plain("docs/performance.md")
    rows = re.findall(
        r"^\| (.*), N = 1(?:,0)?00,000, k = 10 \| .*bincount .*\((.*) x\)", results, re.M
    )
    ratios = {name.split(",")[0]: 1 / float(share) for name, share in rows}
    for words, *names in (
        ("pyarrow dictionaries", "int64", "pandas Int64", "pandas category", "polars Enum"),
        ("polars Categorical", "polars Categorical"),
        ("polars or pyarrow", "pandas str", "polars String"),
        ("`datasets`", "list of int", "list of np.int64", "datasets column of int"),
        ("looked up", "list of str", "numpy U", "object array of str"),
    ):
        low, high = map(float, re.search(rf"{words} \| ([\d.]+) to ([\d.]+) \|", page).groups())
        assert [name for name in names if not low <= ratios[name] <= high] == []


def test_warnings_on_the_edge_case_page_are_the_package_s():
    page = (ROOT / "docs" / "undefined.md").read_text(encoding="utf-8")
    source = "\n".join(path.read_text("utf-8") for path in ROOT.glob("src/**/*.py"))
    source = re.sub(r'"\n\s*f?"', "", source)  # texts that go on in the next line
    parts = re.findall(r'^\| "(.*?)" \|', page, re.MULTILINE)
    assert len(parts) == 10
    assert [part for part in parts if part not in source] == []
