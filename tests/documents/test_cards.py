"""The metric cards are true, and the metric folders are what `evaluate` and the Hub expect.

`tests/conftest.py` points HF_HOME at a temporary folder and keeps `evaluate` off the network.
"""

import doctest
import importlib
import inspect
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import evaluate
import evaluate.loading
import pytest
import yaml
from pycm import ConfusionMatrix
from sklearn.metrics import balanced_accuracy_score

from inputs import cases
from oracles.golden import BY_ID

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # what is shown may warn
ROOT = Path(__file__).resolve().parents[2]
NAMES = ("informedness", "nit")
# https://huggingface.co/docs/hub/spaces-config-reference
COLORS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}

each_metric = pytest.mark.parametrize("name", NAMES)


def folder(name):
    return ROOT / "metrics" / name


def card(name, part=2):
    """Return the card below its front matter, or another part."""
    return (folder(name) / "README.md").read_text("utf-8").split("---\n", 2)[part]


def section(name, heading):
    """Return the text below a heading, up to the next one of the same or a higher level."""
    level = heading.index(" ")
    _, _, rest = card(name).partition(f"\n{heading}\n")
    return re.split(rf"^#{{1,{level}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def fences(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def script(name):
    """Return the module that evaluate makes of the script, and the class that it loads."""
    factory = evaluate.loading.evaluation_module_factory(str(folder(name)), module_type="metric")
    module = importlib.import_module(factory.module_path)
    return module, evaluate.loading.import_main_class(module.__name__)


@each_metric
def test_the_hub_accepts_the_front_matter_of_the_card(name):
    assert card(name, 0) == ""
    matter = yaml.safe_load(card(name, 1))
    assert [matter[x] for x in ("sdk", "app_file", "license")] == ["gradio", "app.py", "apache-2.0"]
    assert matter["tags"] == ["evaluate", "metric"]
    assert {matter["colorFrom"], matter["colorTo"]} <= COLORS
    assert (len(matter["emoji"]), len(matter["short_description"]) <= 60) == (1, True)


@each_metric
def test_the_card_documents_every_option_and_cites_its_sources(name, script):
    options = re.findall(r"\*\*`(\w+)`\*\*", section(name, "### Inputs"))
    assert {"self", *options} == {*inspect.signature(script[1]._compute).parameters}
    (bibtex,) = fences(card(name), "bibtex")
    assert script[0]._CITATION.strip() == bibtex.strip()
    works = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["references"]
    titles = re.findall(r"^  title = \{(.*)\},?$", bibtex, re.MULTILINE)
    assert {re.sub(r"[{}\\]", "", title) for title in titles} <= {work["title"] for work in works}


@each_metric
@pytest.mark.usefixtures("registered")
def test_every_example_of_the_card_prints_what_it_shows(name):
    examples = doctest.DocTestParser().get_examples("\n".join(fences(card(name), "python")))
    test = doctest.DocTest(examples, {}, f"{name}/README.md", None, 0, None)
    shown = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=shown.append)
    assert results == (0, len(examples)), "".join(shown)
    assert len(examples) > 5


@pytest.mark.full
@pytest.mark.slow
def test_the_trainers_on_the_cards_evaluate(load, tmp_path, monkeypatch):
    """NIT's card uses the arguments of the other card, and both metrics."""
    from inputs import trainer_cases

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


@each_metric
def test_the_picture_has_the_numbers_worked_out_by_hand(name):
    """The filter keeps 84 of 90 ham and catches 8 of 10 spam, or 72 of 90."""
    columns = ([0] * 90, [0] * 84 + [1] * 6), ([1] * 10, [0] * 2 + [1] * 8)
    pairs = [[ham + n * spam for ham, spam in zip(*columns, strict=True)] for n in (1, 9)]
    if name == "informedness":
        of_filter = 84 / 90 - 2 / 10
        rows = [(0.9, 0.5), (0, 0), (92 / 100, 156 / 180), (of_filter, of_filter)]
    else:
        best = [cases.nit(references, references) for references, _ in pairs]
        rows = [(0.5, 0.5), [cases.nit(*pair) for pair in pairs], best, best]
    wanted = [f"{value:.2f}" for row in rows for value in row]
    picture = (folder(name) / "picture.svg").read_text("utf-8")
    assert re.findall(r">(\d\.\d\d)<", picture) == wanted
    (described,) = re.findall(r"!\[([^]]+)\]\(picture\.svg\)", card(name))
    assert set(re.findall(r"\d\.\d\d", described)) == set(wanted) - {"0.00"}


def test_formulas_of_the_same_name_have_the_values_shown():
    """First the worked example (golden vectors, or by hand), then always answering c."""
    exact = BY_ID["pycm_example_weighted"].exact
    ours = ("informedness", "informedness_prevalence_weighted", "informedness_macro")
    adjusted, peirce = Fraction(5, 12), Fraction(3, 7)
    values = [*map(exact.get, ours), adjusted, peirce, exact["eq5_printed"], exact["released_code"]]
    constant = [0, 0, 0, 0, 0, 1, Fraction(11, 49)]
    wanted = [[f"{float(value):.4f}" for value in column] for column in (values, constant)]
    page = (ROOT / "docs" / "which-formula.md").read_text("utf-8")
    shown = re.findall(r"^\| .* \| (\d\.\d{4}) \| (\d\.\d{4})", page, re.M)
    assert shown == [*zip(*wanted, strict=True)]
    of_card = section("informedness", "#### Formulas that share the name")
    assert re.findall(r"\d\.\d{4}", of_card) == wanted[0][:4] + wanted[0][5:]


def test_scikit_learn_and_pycm_give_the_values_on_the_page():
    cells = {"aa": 6, "bb": 1, "bc": 2, "ca": 4, "cb": 2, "cc": 6}
    y_true, y_pred = zip(*(pair for pair, n in cells.items() for _ in range(n)), strict=True)
    names = {"balanced_accuracy_score": balanced_accuracy_score, "y_true": y_true, "y_pred": y_pred}
    names["matrix"] = ConfusionMatrix([*y_true], [*y_pred])
    page = (ROOT / "docs" / "which-formula.md").read_text("utf-8")
    calls = re.findall(r"^\| (?:scikit-learn|pycm) \| `(.*?)` \| (.*?) \|", page, re.MULTILINE)
    assert len(calls) == 6
    for call, shown in calls:
        value = eval(call, names)
        values = value.values() if isinstance(value, dict) else [value]
        assert ", ".join(f"{of_class:.4f}" for of_class in values) == shown, call


@each_metric
@pytest.mark.usefixtures("registered")
def test_a_canonical_metric_of_evaluate_would_pass_with_it(name, script, monkeypatch):
    """Run the check of huggingface/evaluate's tests/test_metric_common.py."""
    monkeypatch.setattr(doctest, "ELLIPSIS_MARKER", "[...]")
    monkeypatch.chdir(ROOT)
    assert evaluate.load(f"./metrics/{name}").name == name
    results = doctest.testmod(script[0], raise_on_error=True)
    assert (results.failed, results.attempted > 1) == (0, True)


@each_metric
def test_the_folder_holds_script_helpers_and_lower_bounds(name):
    subprocess.run([sys.executable, "spaces/sync.py", "--check"], cwd=ROOT, check=True)
    core = (ROOT / "src" / "informedness" / "core").glob("*.py")
    helpers = {path.name for path in core} - {"__init__.py"}  # which have just been compared
    own = {f"{name}.py", "README.md", "picture.svg", "requirements.txt"}
    assert {path.name for path in folder(name).iterdir() if path.is_file()} == own | helpers
    required = (folder(name) / "requirements.txt").read_text().splitlines()
    assert {re.split("[><=]", line)[0] for line in required} == {"datasets", "evaluate", "numpy"}
    pyproject = (ROOT / "pyproject.toml").read_text()
    assert all(f'"{line}"' in pyproject for line in required)
