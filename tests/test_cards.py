"""The metric cards say what is true, and the metric folders are what `evaluate` and the Hub expect.

`tests/conftest.py` points HF_HOME at a temporary folder and keeps `evaluate` off the network.
"""

import difflib
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import evaluate
import evaluate.loading
import numpy as np
import pytest
import yaml
from sklearn.metrics import balanced_accuracy_score

import cases
from golden import BY_ID
from informedness import markedness_score

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("informedness", "nit")
CLASSES = {"informedness": "Informedness", "nit": "NIT"}

# https://huggingface.co/docs/hub/spaces-config-reference
COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
FRONT_MATTER = {
    "sdk": "gradio",
    "sdk_version": "6.31.0",
    "python_version": "3.12",
    "app_file": "app.py",
    "pinned": False,
    "license": "apache-2.0",
    "tags": ["evaluate", "metric"],
}
SECTIONS = [
    "## Metric Description",
    "## How to Use",
    "### Inputs",
    "### Output Values",
    "#### Values from Popular Papers",
    "### Examples",
    "## Limitations and Bias",
    "## Citation(s)",
    "## Further References",
]

HELPER = ROOT / "src" / "informedness" / "core"

each_metric = pytest.mark.parametrize("name", NAMES)


def folder(name):
    return ROOT / "metrics" / name


def card(name, part=2):
    """The card below its front matter, or another part."""
    return (folder(name) / "README.md").read_text("utf-8").split("---\n", 2)[part]


def section(name, heading):
    return section_of(card(name), heading)


def section_of(text, heading):
    """What follows a heading, up to the next one of the same or a higher level."""
    level = heading.split()[0]
    _, _, rest = text.partition(f"\n{heading}\n")
    return re.split(rf"^#{{1,{len(level)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def fences(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def tables(text):
    """Each markdown table as a list of rows of cells, the rule under the header left out."""
    blocks = re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE)
    rows = [[line.strip("|").split(" | ") for line in block.splitlines()] for block in blocks]
    return [[[cell.strip(" *") for cell in row] for row in [t[0], *t[2:]]] for t in rows]


def samples(table):
    """References and predictions, as positions, that make a table of counts."""
    cells = [(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return [i for i, _ in cells], [j for _, j in cells]


def loaded_module(name):
    factory = evaluate.loading.evaluation_module_factory(str(folder(name)), module_type="metric")
    return importlib.import_module(factory.module_path)


# The front matter and the sections


@each_metric
def test_front_matter_is_that_of_a_gradio_space(name):
    assert card(name, 0) == ""
    matter = yaml.safe_load(card(name, 1))
    assert matter.items() >= FRONT_MATTER.items()
    assert {matter["colorFrom"], matter["colorTo"]} <= COLORS
    assert matter["title"]
    assert len(matter["emoji"]) == 1
    assert 0 < len(matter["short_description"]) <= 60
    assert matter["description"]


@each_metric
def test_the_card_has_the_sections_of_a_metric_card_in_order_and_documents_every_option(name):
    headings = re.findall(r"^#+ .*$", re.sub(r"(?ms)^```.*?^```$", "", card(name)), re.MULTILINE)
    assert headings[0].startswith("# Metric Card for ")
    assert [heading for heading in headings if heading in SECTIONS] == SECTIONS
    assert all(section(name, heading).strip() for heading in SECTIONS)
    main_class = evaluate.loading.import_main_class(loaded_module(name).__name__)
    options = re.findall(r"\*\*`(\w+)`\*\*", section(name, "### Inputs"))
    assert {"self", *options} == {*inspect.signature(main_class._compute).parameters}


@each_metric
def test_card_script_and_citation_file_cite_the_same_works(name):
    (bibtex,) = fences(section(name, "## Citation(s)"), "bibtex")
    assert loaded_module(name)._CITATION.strip() == bibtex.strip()
    titles = re.findall(r"^  title = \{(.*)\},?$", bibtex, re.MULTILINE)
    listed = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["references"]
    assert titles
    assert {re.sub(r"[{}\\]", "", title) for title in titles} <= {work["title"] for work in listed}


@each_metric
def test_requirements_are_those_of_the_package_with_the_same_lower_bounds(name):
    lines = (folder(name) / "requirements.txt").read_text().splitlines()
    assert [re.split("[><=]", line)[0] for line in lines] == ["evaluate", "datasets", "numpy"]
    pyproject = (ROOT / "pyproject.toml").read_text()
    for line in lines:
        assert f'"{line}"' in pyproject


# The examples


@each_metric
@pytest.mark.usefixtures("registered")
def test_every_example_of_the_card_prints_what_it_shows(name):
    parse = doctest.DocTestParser().get_examples
    blocks = fences(card(name), "python")
    assert all(block.startswith(">>> ") for block in blocks)
    examples = parse("\n".join(blocks))
    test = doctest.DocTest(examples, {}, f"{name}/README.md", None, 0, None)
    shown = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=shown.append)
    assert results.failed == 0, "".join(shown)
    assert results.attempted == len(examples)
    assert fences(section(name, "### Examples"), "python")


def test_the_cards_are_short_and_share_no_long_block():
    first, second = (card(name).splitlines() for name in NAMES)
    both = difflib.SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    assert max(block.size for block in both) <= 10
    for name in NAMES:
        assert len((folder(name) / "README.md").read_text("utf-8").splitlines()) < 220


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:informedness. ")
def test_the_trainers_on_the_cards_evaluate(load, tmp_path, monkeypatch):
    """That of NIT's card has the arguments of the other one, and both metrics."""
    import trainer_cases

    monkeypatch.chdir(tmp_path)
    samples = trainer_cases.samples("classes")
    names = {"model": trainer_cases.model_of("classes"), "informedness": load("informedness")}
    names |= {"train": samples[:80], "validation": samples[400:]}
    by_prevalence = load("informedness", average="prevalence")
    names["both"] = evaluate.combine([by_prevalence, load("nit")])
    for name in NAMES:
        (snippet,) = fences(card(name), "py")
        exec(snippet, names)
        scores = names["trainer"].evaluate()
        expected = trainer_cases.expected(names["model"], "classes", tmp_path, "prevalence")
        assert scores["eval_informedness"] == pytest.approx(expected[0], abs=1e-12)
    assert scores["eval_nit"] == pytest.approx(expected[1], abs=1e-12)


# The picture


@each_metric
def test_the_picture_and_its_description_have_the_numbers_worked_out_by_hand(name):
    """The filter keeps 84 of 90 ham and catches 8 of 10 spam, or 72 of 90."""
    pairs = samples([[84, 6], [2, 8]]), samples([[84, 6], [18, 72]])
    if name == "informedness":
        of_filter = 84 / 90 - 2 / 10
        rows = [(0.9, 0.5), (0, 0), (92 / 100, 156 / 180), (of_filter, of_filter)]
    else:
        best = [cases.nit(references, references) for references, _ in pairs]
        rows = [(0.5, 0.5), [cases.nit(*pair) for pair in pairs], best, best]
    wanted = [f"{value:.2f}" for row in rows for value in row]
    picture = (folder(name) / "picture.svg").read_text("utf-8")
    assert re.findall(r">(\d\.\d\d)<", picture) == wanted
    whole, *widths = map(int, re.findall(r'<rect x.*? width="(\d+)"', picture))
    assert widths[::2] == [round(whole * value) for row in rows for value in row]
    assert len(picture) < 6000
    description = section(name, "## Metric Description")
    (described,) = re.findall(r"!\[([^]]+)\]\(picture\.svg\)", description)
    assert set(re.findall(r"\d\.\d\d", described)) == set(wanted) - {"0.00"}


# The formulas that share the name; `test_paper.py` holds those of the studies to the golden vectors


def adjusted_balanced_accuracy(table):
    return balanced_accuracy_score(*samples(table), adjusted=True)


def peirce(table):
    """The skill score of several categories of weather forecasts, after Hanssen and Kuipers."""
    cells = np.array(table) / np.sum(table)
    prevalence, bias = cells.sum(axis=1), cells.sum(axis=0)
    return (np.trace(cells) - prevalence @ bias) / (1 - prevalence @ prevalence)


def test_the_formulas_on_page_and_card_have_the_values_they_give(monkeypatch):
    """On the worked example, and for always answering c to the same references."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "studies" / "paper"))
    scoring = importlib.import_module("scoring")
    table = [[int(count) for count in row] for row in BY_ID["pycm_example_weighted"].table]
    always_c = [[0, 0, sum(row)] for row in table]
    by_formula = {
        name: [float(formula(scoring.sums([x]))[0]) for x in (table, always_c)]
        for name, formula in scoring.FORMULAS.items()
    }
    by_hand = [[of(table), of(always_c)] for of in (adjusted_balanced_accuracy, peirce)]
    *averages, printed, released = by_formula.values()
    wanted = [
        [f"{value:.4f}" for value in pair]
        for pair in (*averages, by_hand[0], by_hand[1], printed, released)
    ]
    shown = section("informedness", "#### Formulas that share the name")
    (on_card,) = tables(shown)
    assert f"`{table}`" in shown
    assert [row[1:3] for row in on_card[1:]] == [*wanted[:4], *wanted[5:]]
    assert [row[0] for row in on_card[1:]] == [
        "bias-weighted (the default)",
        "prevalence-weighted",
        "macro",
        "adjusted balanced accuracy",
        "the paper's equation (5), as printed",
        "the paper's released code",
    ]
    counts, on_page, *_ = tables((ROOT / "docs" / "which-formula.md").read_text("utf-8"))
    assert [[int(cell) for cell in row[1:]] for row in counts[1:]] == table
    assert [row[1:3] for row in on_page[1:]] == wanted
    references, predictions = samples(table)
    assert markedness_score(references, predictions) == pytest.approx(released[0], abs=1e-12)


# The folders, as evaluate reads them


@each_metric
def test_a_canonical_metric_of_evaluate_would_pass_with_it(name, monkeypatch, registered):
    """The check of huggingface/evaluate's tests/test_metric_common.py, from this repository."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(doctest, "ELLIPSIS_MARKER", "[...]")
    factory = evaluate.loading.evaluation_module_factory(f"metrics/{name}", module_type="metric")
    module = importlib.import_module(factory.module_path)
    main_class = evaluate.loading.import_main_class(module.__name__)
    assert main_class is getattr(module, CLASSES[name])
    assert issubclass(main_class, evaluate.Metric)
    assert evaluate.load(str(folder(name))).name == name
    parameters = inspect.signature(main_class._compute).parameters.values()
    assert all(parameter.kind != parameter.VAR_KEYWORD for parameter in parameters)
    results = doctest.testmod(module, raise_on_error=True)
    assert results.failed == 0
    assert results.attempted > 1


@each_metric
def test_the_folder_holds_the_files_it_needs_and_evaluate_copies_the_helpers(name):
    """It does so because it finds their names in the script."""
    files = {path.name for path in folder(name).iterdir() if path.is_file()}
    helpers = {path.stem for path in HELPER.glob("*.py")} - {"__init__"}
    own = {f"{name}.py", "README.md", "picture.svg", "requirements.txt"}
    assert files == own | {f"{helper}.py" for helper in helpers}
    found = evaluate.loading.get_imports(str(folder(name) / f"{name}.py"))
    assert {path for kind, path, *_ in found if kind == "internal"} == helpers
    assert {path for kind, path, *_ in found if kind == "library"} == {"datasets", "evaluate"}


def test_helpers_beside_the_scripts_are_copies_of_the_package_s_own():
    command = [sys.executable, "spaces/sync.py", "--check"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
