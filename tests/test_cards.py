"""The metric cards say what is true, and the metric folders are what `evaluate` and the Hub expect.

`tests/conftest.py` points HF_HOME at a temporary folder and keeps `evaluate` off the network.
"""

import doctest
import importlib
import inspect
import json
import re
import subprocess
import sys
import warnings
from fractions import Fraction
from functools import partial
from pathlib import Path

import evaluate
import evaluate.loading
import numpy as np
import pytest
import yaml
from sklearn.metrics import balanced_accuracy_score

import dense
from informedness import ContingencyTable, estimate, informedness_score, markedness_score, nit_score

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("informedness", "nit")
CLASSES = {"informedness": "Informedness", "nit": "Nit"}
VECTORS = {
    vector["id"]: vector
    for vector in json.loads((ROOT / "tests" / "vectors.json").read_text())["vectors"]
}

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
PAPERS_VALUES = (ROOT / "docs" / "papers-values.md").read_text("utf-8")

each_metric = pytest.mark.parametrize("name", NAMES)


def folder(name):
    return ROOT / "metrics" / name


def front_matter(name):
    opening, matter, _ = (folder(name) / "README.md").read_text("utf-8").split("---\n", 2)
    assert opening == ""
    return yaml.safe_load(matter)


def card(name):
    """The card below its front matter."""
    return (folder(name) / "README.md").read_text("utf-8").split("---\n", 2)[2]


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
    matter = front_matter(name)
    assert matter.items() >= FRONT_MATTER.items()
    assert set(matter) - set(FRONT_MATTER) == {
        "title",
        "emoji",
        "colorFrom",
        "colorTo",
        "short_description",
        "description",
    }
    assert {matter["colorFrom"], matter["colorTo"]} <= COLORS
    assert matter["title"]
    assert len(matter["emoji"]) == 1
    assert ord(matter["emoji"]) >= 0x1F300
    assert 0 < len(matter["short_description"]) <= 60
    assert len(matter["description"]) > 60


@each_metric
def test_the_card_has_the_sections_of_a_metric_card_in_order(name):
    headings = re.findall(r"^#+ .*$", re.sub(r"(?ms)^```.*?^```$", "", card(name)), re.MULTILINE)
    assert headings[0].startswith("# Metric Card for ")
    assert [heading for heading in headings if heading in SECTIONS] == SECTIONS
    for heading in SECTIONS:
        assert section(name, heading).strip()


@each_metric
def test_the_card_documents_every_option_and_no_other(name):
    main_class = evaluate.loading.import_main_class(loaded_module(name).__name__)
    inputs = section(name, "### Inputs")
    assert set(re.findall(r"^- \*\*`(\w+)`\*\*", inputs, re.MULTILINE)) == (
        set(inspect.signature(main_class._compute).parameters) - {"self"}
    )


@each_metric
def test_the_card_cites_its_sources_and_links_the_paper_at_arxiv_alone(name):
    text = card(name)
    (bibtex,) = fences(section(name, "## Citation(s)"), "bibtex")
    assert bibtex.count("{") == bibtex.count("}")
    assert "eprint = {2401.03831}" in bibtex
    for source in ("2401.03831", "Powers", "10.1371/journal.pone.0084217"):
        assert source in text
    assert set(re.findall(r"https?://[^\s)>\"`]+", text)) == {
        "https://arxiv.org/abs/2401.03831",
        "https://doi.org/10.1371/journal.pone.0084217",
    }


def plain(bibtex):
    """A field of BibTeX as it is read, without braces and escapes."""
    for written, letter in (('{\\"i}', "ï"), ("{\\'a}", "á"), ("\\", "")):
        bibtex = bibtex.replace(written, letter)
    return re.sub("[{}]", "", bibtex)


def entries(bibtex):
    """The fields of each entry of BibTeX by their names."""
    return [
        {key: plain(value) for key, value in re.findall(r"^  (\w+) = \{(.*)\},?$", entry, re.M)}
        for entry in bibtex.split("\n}")[:-1]
    ]


@each_metric
def test_the_script_cites_what_the_card_cites(name):
    (bibtex,) = fences(section(name, "## Citation(s)"), "bibtex")
    assert loaded_module(name)._CITATION.strip() == bibtex.strip()


def test_the_citation_file_has_the_references_of_the_cards():
    cited, listed = [], []
    for name in NAMES:
        (bibtex,) = fences(section(name, "## Citation(s)"), "bibtex")
        for entry in entries(bibtex):
            venue = entry.get("booktitle", entry.get("journal"))
            cited.append([*map(entry.get, ("title", "author", "year", "doi", "pages")), venue])
    for work in yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["references"]:
        authors = [
            f"{author['family-names']}, {author['given-names']}" for author in work["authors"]
        ]
        pages = "--".join(str(work[end]) for end in ("start", "end") if end in work) or None
        venue = work.get("collection-title", work.get("journal"))
        listed.append(
            [work["title"], " and ".join(authors), str(work["year"]), work.get("doi"), pages, venue]
        )
    assert len(listed) == 4
    assert all(work in listed for work in cited)
    assert all(work in cited for work in listed)


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
def test_every_example_of_the_card_prints_what_it_shows_and_there_are_at_least_six(name):
    parse = doctest.DocTestParser().get_examples
    blocks = fences(card(name), "python")
    assert all(block.startswith(">>> ") for block in blocks)
    examples = parse("\n".join(blocks))
    assert len(examples) > len(blocks)
    test = doctest.DocTest(examples, {}, f"{name}/README.md", None, 0, None)
    shown = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=shown.append)
    assert results.failed == 0, "".join(shown)
    assert results.attempted == len(examples)
    blocks = fences(section(name, "### Examples"), "python")
    assert len(blocks) >= 6
    assert all(parse(block)[-1].want for block in blocks)


@each_metric
def test_the_filter_on_the_card_silences_its_warning(name):
    (said,) = set(re.findall(r"warnings\.filterwarnings\(.*?\)", card(name)))
    metric = evaluate.load(str(folder(name)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metric.compute(references=["a", "a"], predictions=["a", "b"])
        assert caught
        exec(said)
        before = len(caught)
        metric.compute(references=["a", "a"], predictions=["a", "b"])
        assert len(caught) == before


@pytest.mark.slow
@each_metric
@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.usefixtures("registered")
def test_the_trainer_on_the_card_evaluates(name, tmp_path, monkeypatch):
    from transformers import Trainer, TrainingArguments

    import trainer_cases

    monkeypatch.chdir(tmp_path)
    samples = trainer_cases.samples("classes")
    names = {
        "model": trainer_cases.model_of("classes"),
        "args": TrainingArguments("checkpoints"),
        "Trainer": Trainer,
        "train": samples[:80],
        "validation": samples[400:],
        "informedness": evaluate.load("informedness"),
        "both": evaluate.combine([evaluate.load(metric) for metric in NAMES]),
    }
    (snippet,) = fences(card(name), "py")
    exec(snippet, names)
    references, answers = trainer_cases.answers(names["model"], "classes")[:2]
    scores = names["trainer"].evaluate()
    functions = {"informedness": informedness_score, "nit": nit_score}
    for metric in NAMES if name == "nit" else NAMES[:1]:
        expected = functions[metric](references, answers)
        assert scores[f"eval_{metric}"] == pytest.approx(expected, abs=1e-12)


# The picture


@each_metric
def test_the_picture_is_the_one_its_script_draws_and_small(name, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "spaces"))
    drawn = importlib.import_module("card_pictures").picture(name)
    assert (folder(name) / "picture.svg").read_text("utf-8") == drawn
    assert len(drawn) < 6000
    assert re.search(r"!\[[^]]+\]\(picture\.svg\)", section(name, "## Metric Description"))


@each_metric
def test_the_picture_and_its_description_have_the_numbers_worked_out_by_hand(name):
    """The filter keeps 84 of 90 ham and catches 8 of 10 spam, or 72 of 90."""
    if name == "informedness":
        of_filter = 84 / 90 - 2 / 10
        rows = [(0.9, 0.5), (0, 0), (92 / 100, 156 / 180), (of_filter, of_filter)]
    else:
        cells = (  # count, and the sums of its row and column
            (100, [(84, 90, 86), (6, 90, 14), (2, 10, 86), (8, 10, 14)]),
            (180, [(84, 90, 102), (6, 90, 78), (18, 90, 102), (72, 90, 78)]),
        )
        of_filter = [
            2 ** sum(count / n * np.log2(count * n / (row * column)) for count, row, column in x)
            / 2
            for n, x in cells
        ]
        best = 2 ** -sum(share * np.log2(share) for share in (0.9, 0.1)) / 2
        rows = [(0.5, 0.5), of_filter, (best, 1), (best, 1)]
    wanted = [f"{value:.2f}" for row in rows for value in row]
    picture = (folder(name) / "picture.svg").read_text("utf-8")
    assert re.findall(r">(\d\.\d\d)<", picture) == wanted
    (described,) = re.findall(r"!\[([^]]+)\]", card(name))
    assert set(re.findall(r"\d\.\d\d", described)) == set(wanted) - {"0.00"}


# The formulas that share the name, in exact fractions


def ratio(numerator, denominator):
    return numerator / denominator if denominator else Fraction(0)


def shares(table):
    """Diagonal, row and column shares of a table of counts; rows are references."""
    counts = [[Fraction(n) for n in row] for row in table]
    total = sum(map(sum, counts))
    hits = [row[i] / total for i, row in enumerate(counts)]
    prevalence = [sum(row) / total for row in counts]
    bias = [sum(column) / total for column in zip(*counts, strict=True)]
    return list(zip(hits, prevalence, bias, strict=True))


def averaged(table, average):
    counts = [[Fraction(n) for n in row] for row in table]
    return dense.score(counts, "informedness", average)


def bias_weighted(table):
    return averaged(table, "bias")


def adjusted_balanced_accuracy(table):
    recalls = [hit / p for hit, p, _ in shares(table) if p]
    chance = Fraction(1, len(recalls))
    return (sum(recalls) / len(recalls) - chance) / (1 - chance)


def printed_equation(table):
    return sum(b * (ratio(hit, p) - p) / (1 - p) for hit, p, b in shares(table))


def released_code(table):
    """Gain 1/bias for each right sample and -1/(1 - bias) for each wrong one, times prevalence."""
    return sum(p * (ratio(hit, b) - ratio(p - hit, 1 - b)) for hit, p, b in shares(table))


FORMULAS = {
    "bias-weighted (the default)": (bias_weighted, "informedness"),
    "prevalence-weighted": (
        partial(averaged, average="prevalence"),
        "informedness_prevalence_weighted",
    ),
    "macro": (partial(averaged, average="macro"), "informedness_macro"),
    "adjusted balanced accuracy": (adjusted_balanced_accuracy, None),
    "the paper's equation (5), as printed": (printed_equation, "eq5_printed"),
    "the paper's released code": (released_code, "released_code"),
}


def worked_example():
    """The matrix on the page of the paper's values, and the rows of the card's formulas."""
    (formulas,) = tables(section("informedness", "#### Formulas that share the name"))
    (counts,) = tables(section_of(PAPERS_VALUES, "## Three formulas"))
    return [[int(cell) for cell in row[1:]] for row in counts[1:]], formulas[1:], counts


def test_each_formula_is_the_one_behind_the_golden_vectors():
    for formula, (function, key) in FORMULAS.items():
        vectors = [
            vector for vector in VECTORS.values() if key and vector["exact"][key] is not None
        ]
        assert len(vectors) >= 30 or not key, formula
        for vector in vectors:
            assert function(vector["table"]) == Fraction(vector["exact"][key]), (
                formula,
                vector["id"],
            )


def test_the_worked_example_is_a_golden_vector_with_its_axes_named():
    table, _, rows = worked_example()
    assert rows[0] == ["reference \\ prediction", "a", "b", "c"]
    assert [row[0] for row in rows[1:]] == ["a", "b", "c"]
    assert table == VECTORS["pycm_example_weighted"]["table"]
    assert f"`{table}`" in section("informedness", "#### Formulas that share the name")


def peirce(table):
    """The skill score of several categories of weather forecasts, after Hanssen and Kuipers."""
    found = shares(table)
    guessed = sum(p * b for _, p, b in found)
    return (sum(hit for hit, _, _ in found) - guessed) / (1 - sum(p * p for _, p, _ in found))


def test_the_formulas_on_page_and_card_have_the_values_they_give():
    """On the worked example, and for always answering c to the same references."""
    table, on_card, _ = worked_example()
    always_c = [[0, 0, sum(row)] for row in table]
    functions = {label: function for label, (function, _) in FORMULAS.items()}
    values = {
        label: [f"{float(of(x)):.4f}" for x in (table, always_c)]
        for label, of in (functions | {"peirce": peirce}).items()
    }
    assert {row[0]: row[1:3] for row in on_card} == {label: values[label] for label in FORMULAS}
    assert [row[0] for row in on_card] == list(FORMULAS)
    assert len({values[label][0] for label in FORMULAS}) == len(FORMULAS)
    counts, on_page, *_ = tables((ROOT / "docs" / "which-formula.md").read_text("utf-8"))
    assert [[int(cell) for cell in row[1:]] for row in counts[1:]] == table
    order = [*FORMULAS]
    order.insert(4, "peirce")
    assert [row[1:3] for row in on_page[1:]] == [values[label] for label in order]


def test_scikit_learn_and_this_package_agree_with_the_formulas_on_the_card():
    table, _, _ = worked_example()
    references, predictions = samples(table)
    for average in ("bias", "prevalence", "macro"):
        score = informedness_score(references, predictions, average=average)
        assert score == pytest.approx(float(averaged(table, average)), abs=1e-12)
    assert balanced_accuracy_score(references, predictions, adjusted=True) == pytest.approx(
        float(adjusted_balanced_accuracy(table)), abs=1e-12
    )
    swapped = float(released_code(table))
    assert markedness_score(references, predictions) == pytest.approx(swapped, abs=1e-12)
    assert informedness_score(predictions, references) == pytest.approx(swapped, abs=1e-12)


# Numbers in the running text


def test_the_text_is_right_about_the_constant_classifiers_of_the_paper():
    """0.80 by the released code at a prevalence of 0.9, 1 by the printed equation."""
    table = [[9, 0], [1, 0]]
    assert released_code(table) == Fraction(8, 10)
    assert printed_equation(table) == 1
    assert bias_weighted(table) == 0


def test_the_text_is_right_about_the_last_table_of_the_paper():
    text = " ".join(PAPERS_VALUES.split())
    printed = re.search(
        r"an Informedness of (\d+\.\d)\. This cannot be .*"
        r" accuracy of (\d+\.\d) makes (\d+\.\d)",
        text,
    )
    informed, balanced, made = map(float, printed.groups())
    assert made == pytest.approx(2 * balanced - 100)
    assert abs(informed - made) > 2 * 0.05 + 0.05  # by more than rounding makes


@each_metric
def test_the_text_is_right_about_a_weight_of_three_and_three_copies(name):
    table = np.array([[84, 6], [2, 8]])
    weighted = ContingencyTable.from_matrix(3 * table, squared_weights=9 * table)
    copies = ContingencyTable.from_matrix(3 * table)
    once = estimate(ContingencyTable.from_matrix(table), name)
    for made, error in ((weighted, once.standard_error), (copies, once.standard_error / 3**0.5)):
        assert estimate(made, name).value == pytest.approx(once.value)
        assert estimate(made, name).standard_error == pytest.approx(error)


def test_the_text_is_right_about_three_classes_mistaken_in_a_circle():
    assert informedness_score([0, 1, 2], [1, 2, 0]) == pytest.approx(-0.5)


def test_averages_agree_where_every_class_is_known_equally_well():
    """Half known, the rest guessed with shares unlike the prevalences: 1/2 by each average."""
    prevalence, guesses = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.2, 0.6])
    counts = 100 * (np.diag(prevalence) + np.outer(prevalence, guesses))
    references, predictions = samples(np.rint(counts).astype(int).tolist())
    for average in ("bias", "prevalence", "macro"):
        score = informedness_score(references, predictions, average=average)
        assert score == pytest.approx(0.5), average


def test_the_text_is_right_about_guessing_on_fifty_samples():
    """Standard deviation about 0.16 at 90% in one class, mean 0."""
    references, predictions = np.random.default_rng(0).random((2, 4000, 50)) < 0.9
    n = references.sum(1)
    positive = (references & predictions).sum(1) / n
    scores = (positive - (~references & predictions).sum(1) / np.maximum(50 - n, 1))[n < 50]
    assert np.std(scores) == pytest.approx(0.16, abs=0.01)
    assert np.mean(scores) == pytest.approx(0, abs=0.01)


def test_the_text_is_right_about_the_bias_of_nit():
    """20 random guesses among four classes of five references each: about 0.34, not 0.25."""
    guesses = np.random.default_rng(0).integers(0, 4, (4000, 4, 5))
    counts = (guesses[..., None] == np.arange(4)).sum(2)
    totals = np.maximum(counts.sum(1, keepdims=True), 1)
    share = counts / (5 * totals)  # of a cell in both its margins
    information = (counts * np.log2(np.where(counts, 20 * share, 1))).sum((1, 2)) / 20
    assert np.mean(2**information / 4) == pytest.approx(0.34, abs=0.005)


def test_the_text_is_right_about_the_best_nit_of_uneven_classes():
    references = [0] * 9 + [1]
    entropy = -sum(share * np.log2(share) for share in (0.9, 0.1))
    assert nit_score(references, references) == pytest.approx(2**entropy / 2, abs=1e-12)
    assert f"{nit_score(references, references):.4f}" == "0.6921"


@pytest.mark.filterwarnings("ignore:informedness")
def test_the_corner_cases_of_nit_are_those_of_its_table():
    three = {"labels": ["a", "b", "c"]}
    assert nit_score(["a", "b", "c"], ["a", "b", "b"]) == pytest.approx(2 ** (-2 / 3))
    assert nit_score(["a", "b"], ["a", "x"]) == 1
    assert nit_score(["a", "b"], ["a", "b"], **three) == pytest.approx(2 / 3)
    assert nit_score(["a", "a"], ["a", "b"]) == 1
    assert nit_score(["a", "a"], ["a", "a"], labels=["a"]) == 1
    assert nit_score(["a", "a"], ["a", "b"], **three) == pytest.approx(1 / 3)
    assert nit_score(["a", "b"], ["a", "?"], unknown="wrong", **three) == pytest.approx(2 / 3)
    for references, predictions in ((["a"], ["?"]), (["?"], ["a"])):
        with pytest.raises(ValueError, match=r"'\?' is missing"):
            nit_score(references, predictions, **three)
    with pytest.raises(ValueError, match="there must be a sample to score"):
        nit_score([], [])


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
def test_evaluate_copies_every_helper_because_it_finds_its_name_in_the_script(name):
    helpers = {path.stem for path in folder(name).glob("*.py")} - {name}
    found = evaluate.loading.get_imports(str(folder(name) / f"{name}.py"))
    assert {path for kind, path, *_ in found if kind == "internal"} == helpers
    assert {path for kind, path, *_ in found if kind == "library"} == {"datasets", "evaluate"}


@each_metric
def test_the_folder_holds_the_files_it_needs_and_nothing_else(name):
    own = {f"{name}.py", "README.md", "picture.svg", "requirements.txt"}
    files = {path.name for path in folder(name).iterdir() if path.is_file()}
    assert files >= own
    assert files - own == {path.name for path in HELPER.glob("*.py")} - {"__init__.py"}


def test_helpers_beside_the_scripts_are_copies_of_the_package_s_own():
    command = [sys.executable, "spaces/sync.py", "--check"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
