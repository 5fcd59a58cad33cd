"""The metric cards say what is true, and the metric folders are what `evaluate` and the Hub expect.

`tests/conftest.py` points HF_HOME at a temporary folder and keeps `evaluate` off the network.
"""

import ast
import doctest
import importlib
import inspect
import itertools
import json
import re
import subprocess
import sys
import warnings
from fractions import Fraction
from pathlib import Path

import evaluate
import evaluate.loading
import numpy as np
import pytest
import yaml
from sklearn.metrics import balanced_accuracy_score

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


@pytest.fixture
def local_metrics(monkeypatch):
    """Let `evaluate.load` find our two names in this repository, as evaluate's own tests do."""
    load = evaluate.load
    monkeypatch.setattr(
        evaluate,
        "load",
        lambda path, *args, **kwargs: load(
            str(folder(path)) if path in NAMES else path, *args, **kwargs
        ),
    )


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
    cited = []
    for name in NAMES:
        (bibtex,) = fences(section(name, "## Citation(s)"), "bibtex")
        cited += [
            {
                "title": entry["title"],
                "authors": entry["author"].split(" and "),
                "year": int(entry["year"]),
                "venue": entry.get("booktitle", entry.get("journal")),
                "doi": entry.get("doi"),
                "pages": entry.get("pages"),
            }
            for entry in entries(bibtex)
        ]
    listed = [
        {
            "title": reference["title"],
            "authors": [
                f"{author['family-names']}, {author['given-names']}"
                for author in reference["authors"]
            ],
            "year": reference["year"],
            "venue": reference.get("collection-title", reference.get("journal")),
            "doi": reference.get("doi"),
            "pages": "--".join(str(reference[end]) for end in ("start", "end") if end in reference)
            or None,
        }
        for reference in yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["references"]
    ]
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
@pytest.mark.usefixtures("local_metrics")
def test_every_example_of_the_card_prints_what_it_shows(name):
    blocks = fences(card(name), "python")
    assert all(block.startswith(">>> ") for block in blocks)
    examples = doctest.DocTestParser().get_examples("\n".join(blocks))
    assert len(examples) > len(blocks)
    test = doctest.DocTest(examples, {}, f"{name}/README.md", None, 0, None)
    shown = []
    results = doctest.DocTestRunner(verbose=False).run(test, out=shown.append)
    assert results.failed == 0, "".join(shown)
    assert results.attempted == len(examples)


@each_metric
def test_the_card_shows_at_least_six_examples_each_with_output(name):
    blocks = fences(section(name, "### Examples"), "python")
    assert len(blocks) >= 6
    for block in blocks:
        assert doctest.DocTestParser().get_examples(block)[-1].want


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
@pytest.mark.usefixtures("local_metrics")
def test_the_trainer_on_the_card_evaluates(name, tmp_path, monkeypatch):
    from transformers import Trainer, TrainingArguments

    import trainer_cases

    monkeypatch.chdir(tmp_path)
    samples = trainer_cases.samples("classes")
    names = {
        "model": trainer_cases.model_of("classes"),
        "args": TrainingArguments("checkpoints"),
        "Trainer": Trainer,
        "train": samples[:400],
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


def gains(table):
    """TPR - FPR of each class of the references, 0 for the others."""
    return [
        ratio(hit, p) - ratio(b - hit, 1 - p) if p else Fraction(0) for hit, p, b in shares(table)
    ]


def bias_weighted(table):
    pairs = zip(gains(table), shares(table), strict=True)
    return sum(gain * b for gain, (_, _, b) in pairs)


def prevalence_weighted(table):
    pairs = zip(gains(table), shares(table), strict=True)
    return sum(gain * p for gain, (_, p, _) in pairs)


def macro(table):
    present = sum(p > 0 for _, p, _ in shares(table))
    return sum(gains(table)) / present


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
    "prevalence-weighted": (prevalence_weighted, "informedness_prevalence_weighted"),
    "macro": (macro, "informedness_macro"),
    "adjusted balanced accuracy": (adjusted_balanced_accuracy, None),
    "the paper's equation (5), as printed": (printed_equation, "eq5_printed"),
    "the paper's released code": (released_code, "released_code"),
}


def worked_example():
    """The matrix on the page of the paper's values, and the rows of the card's formulas."""
    (formulas,) = tables(section("informedness", "#### Formulas that share the name"))
    (counts,) = tables(section_of(PAPERS_VALUES, "## Three formulas"))
    return [[int(cell) for cell in row[1:]] for row in counts[1:]], formulas[1:], counts


@pytest.mark.parametrize("formula", [name for name, (_, key) in FORMULAS.items() if key])
def test_each_formula_is_the_one_behind_the_golden_vectors(formula):
    function, key = FORMULAS[formula]
    checked = 0
    for vector in VECTORS.values():
        if vector["exact"][key] is not None:
            assert function(vector["table"]) == Fraction(vector["exact"][key]), vector["id"]
            checked += 1
    assert checked >= 30


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


def test_the_formulas_on_their_page_have_the_values_it_gives():
    counts, formulas, *_ = tables((ROOT / "docs" / "which-formula.md").read_text("utf-8"))
    table = [[int(cell) for cell in row[1:]] for row in counts[1:]]
    assert table == worked_example()[0]
    always_c = [[0, 0, sum(row)] for row in table]
    functions = [function for function, _ in FORMULAS.values()]
    functions.insert(4, peirce)
    values = [[f"{float(of(x)):.4f}" for x in (table, always_c)] for of in functions]
    assert [row[1:3] for row in formulas[1:]] == values


def test_the_formulas_on_the_card_have_the_values_it_gives():
    """On the worked example, and for always answering c to the same references."""
    table, formulas, _ = worked_example()
    always_c = [[0, 0, sum(row)] for row in table]
    assert [row[0] for row in formulas] == list(FORMULAS)
    for label, value, constant, _ in formulas:
        function, _ = FORMULAS[label]
        assert f"{float(function(table)):.4f}" == value
        assert f"{float(function(always_c)):.4f}" == constant
    assert len({value for _, value, _, _ in formulas}) == len(FORMULAS)


def test_scikit_learn_and_this_package_agree_with_the_formulas_on_the_card():
    table, _, _ = worked_example()
    references, predictions = samples(table)
    for average, function in (
        ("bias", bias_weighted),
        ("prevalence", prevalence_weighted),
        ("macro", macro),
    ):
        score = informedness_score(references, predictions, average=average)
        assert score == pytest.approx(float(function(table)), abs=1e-12)
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


def test_the_text_is_right_that_no_formula_gives_the_printed_pair_of_wnli():
    """71 samples, 40 and 31 of a class; of all tables whose accuracy prints as 56.3."""
    formulas = bias_weighted, printed_equation, released_code
    found = [[], [], []]
    for first, second in itertools.product(range(41), range(32)):
        if round(100 * (first + second) / 71, 1) == 56.3:
            table = [[first, 40 - first], [31 - second, second]]
            for scores, formula in zip(found, formulas, strict=True):
                scores.append(float(formula(table)))
    assert all(len(scores) == 32 for scores in found)
    assert min(map(min, found)) > -0.0001


@pytest.mark.slow
def test_the_text_is_right_that_the_printed_informedness_of_intersect_is_powers_own():
    """Of all tables of two classes whose entropy, accuracy, F1 and MCC print as theirs."""
    rounding = np.linspace(-0.0005, 0.0005, 9)
    share, recall, shift = np.meshgrid(np.arange(0.3, 0.7, 0.001), np.arange(0, 1, 0.001), rounding)
    a = share * recall  # shares of the cells, references in rows: a, b and c, d
    d = 0.795 + shift - a
    b, c = share - a, 1 - share - d
    possible = (d >= 0) & (c >= 0)
    a, b, c, d, share = (x[possible] for x in (a, b, c, d, share))
    bias = a + c
    entropy = -share * np.log2(share) - (1 - share) * np.log2(1 - share)
    f1 = a / (2 * a + b + c) + d / (2 * d + b + c)
    mcc = (a * d - b * c) / np.sqrt(share * (1 - share) * bias * (1 - bias))
    printed = (abs(entropy - 1) < 0.05) & (abs(f1 - 0.785) < 0.0005) & (abs(mcc - 0.595) < 0.0005)
    assert printed.sum() > 50
    cells = np.stack([a, b, c, d])[:, printed].T.reshape(-1, 2, 2)
    ranges = []
    for formula in (bias_weighted, printed_equation, released_code):
        scores = [float(formula(table)) for table in cells.tolist()]
        ranges.append((min(scores), max(scores)))
    assert [low <= 0.563 <= high for low, high in ranges] == [True, False, False]
    assert all(low > 0.6 for low, _ in ranges[1:])


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


def test_the_text_is_right_about_the_odds():
    references = ["yes"] * 7 + ["no"] * 3
    options = {"prior": {"yes": 0.5, "no": 0.5}, "prior_mode": "odds"}
    assert informedness_score(references, references, **options) == pytest.approx(1.16)
    assert informedness_score(references, ["yes"] * 10, **options) == pytest.approx(0.8)


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


@pytest.mark.parametrize("average", ["bias", "prevalence", "macro"])
def test_averages_agree_where_every_class_is_known_equally_well(average):
    """Half known, the rest guessed with shares unlike the prevalences: 1/2 by each average."""
    prevalence, guesses = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.2, 0.6])
    counts = 100 * (np.diag(prevalence) + np.outer(prevalence, guesses))
    references, predictions = samples(np.rint(counts).astype(int).tolist())
    assert informedness_score(references, predictions, average=average) == pytest.approx(0.5)


@pytest.mark.slow
def test_the_text_is_right_about_guessing_on_fifty_samples():
    """Standard deviation about 0.16 at 90% in one class, mean 0."""
    random = np.random.default_rng(0)
    scores = []
    while len(scores) < 4000:
        references, predictions = random.random((2, 50)) < 0.9
        if 0 < references.sum() < 50:
            counts = np.bincount(2 * references + predictions, minlength=4).reshape(2, 2)
            scores.append(float(bias_weighted(counts.tolist())))
    assert np.std(scores) == pytest.approx(0.16, abs=0.01)
    assert np.mean(scores) == pytest.approx(0, abs=0.01)


@pytest.mark.slow
def test_the_text_is_right_about_the_bias_of_nit():
    """20 random guesses among four classes of five references each: about 0.34, not 0.25."""
    random = np.random.default_rng(0)
    references = np.repeat(np.arange(4), 5)
    scores = [nit_score(references, random.integers(0, 4, 20)) for _ in range(4000)]
    assert np.mean(scores) == pytest.approx(0.34, abs=0.005)


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
def test_a_canonical_metric_of_evaluate_would_pass_with_it(name, monkeypatch, local_metrics):
    """The check of huggingface/evaluate's tests/test_metric_common.py, from this repository."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(doctest, "ELLIPSIS_MARKER", "[...]")
    factory = evaluate.loading.evaluation_module_factory(f"metrics/{name}", module_type="metric")
    module = importlib.import_module(factory.module_path)
    main_class = evaluate.loading.import_main_class(module.__name__)
    parameters = inspect.signature(main_class._compute).parameters.values()
    assert all(parameter.kind != parameter.VAR_KEYWORD for parameter in parameters)
    results = doctest.testmod(module, raise_on_error=True)
    assert results.failed == 0
    assert results.attempted > 1


@each_metric
def test_the_main_class_is_the_metric_itself(name):
    module = loaded_module(name)
    main_class = evaluate.loading.import_main_class(module.__name__)
    assert main_class is getattr(module, CLASSES[name])
    assert issubclass(main_class, evaluate.Metric)
    assert main_class.__module__ == module.__name__
    assert evaluate.load(str(folder(name))).name == name


@each_metric
def test_evaluate_copies_every_helper_because_the_script_names_it(name):
    """One name a line, at column 0, no comment: evaluate finds them with a regular expression."""
    script = folder(name) / f"{name}.py"
    text = script.read_text()
    helpers = {path.stem for path in folder(name).glob("*.py")} - {name}
    lines = text.splitlines()
    named = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            assert node.col_offset == 0
            assert len(node.names) == 1
            if isinstance(node, ast.ImportFrom):
                assert node.level == 1
                line = f"from .{node.module} import {node.names[0].name}"
                assert lines[node.lineno - 1] == line
                named.add(node.module)
            else:
                assert lines[node.lineno - 1] == f"import {node.names[0].name}"
    assert named == helpers
    assert "'''" not in text
    found = evaluate.loading.get_imports(str(script))
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
    for name in NAMES:
        for copy in folder(name).glob("*.py"):
            if copy.stem != name:
                assert copy.read_bytes() == (HELPER / copy.name).read_bytes()
