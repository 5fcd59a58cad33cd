"""Every snippet of the README runs and prints what stands below it; so do the docstrings."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import shlex
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import by_table
import informedness
from informedness import SCORES as METRICS
from informedness import ContingencyTable, IntervalWarning, estimate
from informedness.cli import main
from informedness.results.rows import FEW_GROUPS

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


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


def write(path, header, rows):
    lines = [header, *(",".join(map(str, row)) for row in rows), ""]
    Path(path).write_text("\n".join(lines), encoding="utf-8")


def test_the_readme_prints_what_it_says(registered, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    filtered = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 2 + ["spam"] * 8
    rows = [("ham" if i < 90 else "spam", "ham", filtered[i]) for i in range(100)]
    write("predictions.csv", "label,model,filter", rows)
    write("a.csv", "id,label,model", [(i, *row[:2]) for i, row in enumerate(rows)])
    write("b.csv", "id,label,model", [(i, row[0], row[2]) for i, row in enumerate(rows)][::-1])
    names = {}
    ran = 0
    for line, code, expected in snippets(ROOT / "README.md"):
        ran += 1
        if expected is not None:
            assert output_of(code, names) == expected, f"README.md, line {line}"
            continue
        command, _, printed = code.partition("\n")
        program, *arguments = shlex.split(command.removeprefix("$ "))
        assert program == "informedness"
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            assert main(arguments) == 0
        assert printed in ("", output.getvalue()), f"README.md, line {line}"
    assert ran > 10


def test_every_text_block_belongs_to_a_snippet():
    languages = [block[0] for block in FENCE.findall((ROOT / "README.md").read_text("utf-8"))]
    for before, language in zip(["", *languages], languages, strict=False):
        assert language != "text" or before == "python"


MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(informedness.__path__, "informedness.")
    if ">>>" in Path(find_spec(name).origin).read_text("utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_true(name):
    result = doctest.testmod(importlib.import_module(name))
    assert (result.failed, result.attempted > 0) == (0, True)


@pytest.mark.parametrize("name", [name for name in informedness.__all__ if name.endswith("_score")])
def test_every_public_score_has_a_docstring_with_all_its_parts(name):
    text = getattr(informedness, name).__doc__
    sections = ("Parameters", "Returns", "Raises", "References", "Examples", ".. math::")
    assert not [part for part in sections if part not in text]


def test_no_link_between_documents_is_broken():
    for path in [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


def plain(name):
    """The text of a document with its lines joined."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def test_informedness_of_a_model_right_nine_times_in_ten_is_what_the_readme_says():
    """From none of ten rare samples found to all of them, at an accuracy of 0.90."""
    matrices = [[[90 - found, found], [10 - found, found]] for found in range(11)]
    assert {np.trace(matrix) for matrix in matrices} == {90}
    scores = [by_table.informedness(ContingencyTable.from_matrix(x)) for x in matrices]
    assert f"anything from {min(scores):g} to {max(scores):.2f}" in plain("README.md")


def test_the_readme_is_right_about_weights_and_copies():
    table = np.array([[84, 6], [2, 8]])
    weighted = ContingencyTable.from_matrix(3 * table, squared_weights=9 * table)
    copies = ContingencyTable.from_matrix(3 * table)
    made = [
        str(estimate(x)).split(" (")[0].removeprefix("informedness ") for x in (weighted, copies)
    ]
    text = plain("README.md")
    assert (
        f"by 3 leaves {made[0]} as it is, where three copies of each would give {made[1]}." in text
    )


def rows_of(page, section):
    """Return the rows of numbers under a heading, each a list of cells."""
    text = (
        (ROOT / "tests" / "studies" / page)
        .read_text(encoding="utf-8")
        .split(f"\n## {section}\n")[1]
    )
    lines = text.split("\n## ")[0].splitlines()
    return [line.strip("| ").split(" | ") for line in lines if re.match(r"\| \d+ \| \d+ \|", line)]


def test_the_readme_says_of_the_intervals_what_the_study_found():
    text, cells = plain("README.md"), {}
    for name in ("Informedness", "NIT"):
        rows = [
            (int(row[1]), float(row[6].split()[0]), float(row[5]), row)
            for row in rows_of("COVERAGE.md", name)
        ]
        cells[name] = [row for row in rows if row[0] >= 200]
        few = min((row for row in rows if row[0] == 50), key=lambda row: row[1])
        assert f"{few[1]:.1%} for {name}" in text
        assert few[2] >= 0.98
    covered = [row[1] for row in cells["Informedness"]]
    assert f"in {len(covered)} settings of 2 to 10 classes" in text
    assert f"covered the truth in {min(covered):.1%} to {max(covered):.1%} of the tables" in text
    covered = [row[1] for row in cells["NIT"]]
    within = sum(0.93 <= share <= 0.98 for share in covered)
    below, above = sum(share < 0.93 for share in covered), sum(share > 0.98 for share in covered)
    lowest = min(cells["NIT"], key=lambda row: row[1])
    assert lowest[3][:4] == ["10", "200", "even", "0.95"]
    assert f"it covered 93% to 98% in {within} of the {len(covered)}, less in {below} " in text
    assert f"(down to {lowest[1]:.1%}: ten even classes" in text
    assert f"and more in {above}." in text
    poor = [row[2] for row in cells["NIT"] if row[1] < 0.9]
    assert len(poor) == 5
    assert min(poor) >= 0.99


def squares(k, each, wrong):
    """A table of k even classes, so many samples each, with so many wrong predictions."""
    table = np.eye(k, dtype=int) * each
    table[0, 0], table[0, 1] = each - wrong, wrong
    return table


RULES = [
    ("50 samples", "informedness", lambda k: [[20, 5], [4, 20]], lambda k: 50),
    (
        "10 samples outside the largest class",
        "informedness",
        lambda k: [[90, 1], [4, 5]],
        lambda k: 10,
    ),
    ("k² samples", "informedness", lambda k: squares(k, k - 1, 1), lambda k: k**2),
]


@pytest.mark.parametrize("k", [9, 12])
@pytest.mark.parametrize(("words", "metric", "matrix", "wanted"), RULES, ids=["few", "rare", "k2"])
def test_the_documents_have_the_rules_of_the_interval_warning(k, words, metric, matrix, wanted):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IntervalWarning)
        estimate(ContingencyTable.from_matrix(matrix(k)), metric, method="delta")
    assert f"where {wanted(k)} are wanted" in str(caught[0].message)
    cards = [f"metrics/{name}/README.md" for name in ("informedness", "nit")]
    wanted_in = cards if "k" not in words else [f"metrics/{metric}/README.md"]
    assert all(words in plain(name) for name in ["README.md", *wanted_in])


@pytest.mark.parametrize("metric", METRICS)
def test_the_rule_of_k_squared_holds_for_any_score_but_accuracy_nit_and_ema(metric):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IntervalWarning)
        estimate(ContingencyTable.from_matrix(squares(9, 8, 1)), metric, method="delta")
    assert any("where 81 are wanted" in str(x.message) for x in caught) == (
        metric not in ("accuracy", "nit", "ema")
    )
    assert "| any but accuracy, NIT and EMA | k² samples |" in plain("README.md")


def test_the_readme_has_the_rule_of_the_warning_of_groups():
    assert f"| samples in groups | {FEW_GROUPS} groups" in plain("README.md")


def test_the_readme_has_the_figures_of_the_benchmark_and_the_goals_they_miss():
    results = (ROOT / "tests" / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in results.splitlines() if line[:2] == "| "]
    targets = {
        (row[0], row[1]): row[2:] for row in rows if len(row) >= 5 and row[2][:2] in (">=", "<=")
    }
    section = (ROOT / "README.md").read_text("utf-8").split("## How fast\n")[1].split("\n## ")[0]
    shown = [line.strip("| ").split(" | ") for line in section.splitlines() if line[:2] == "| "]
    faster = "times faster than balanced_accuracy_score"
    names = {
        "10⁷ pairs of int64, 10 classes": "int64, N = 1e7, k = 10",
        "10³ pairs of int64, 10 classes": "int64, N = 1e3, k = 10",
        "10⁶ pairs in numpy's strings, 10 classes": "numpy U, N = 1e6, k = 10",
        "10⁶ pairs in lists of `str`, 10 classes": "list of str, N = 1e6, k = 10",
    }
    found = {row[0]: row[1:] for row in shown}
    for name, work in names.items():
        goal, reached, *_ = targets[work, faster]
        assert found[name] == [reached.split(" / ")[0], goal.removeprefix(">= ")]
    files = {
        "int64": "Parquet of int64",
        "strings with a dictionary": "Parquet of dictionary strings",
    }
    slower = []
    for name, work in files.items():
        work += ", N = 1e8, k = 100"
        seconds, megabytes = [row[1:] for row in rows if row[0] == work and len(row) == 3]
        pairs = zip(seconds, megabytes, strict=True)
        cells = [f"{s.split(' (')[0]} s, {m} MB" for s, m in pairs]
        assert found[name] == [*cells, "no slower"]
        slower.append(f"{float(targets[work, 'time over that of DuckDB'][1]) - 1:.0%}")
    missed = {work for (work, _), row in targets.items() if row[2].startswith("**no")}
    assert missed == {
        names["10³ pairs of int64, 10 classes"],
        names["10⁶ pairs in lists of `str`, 10 classes"],
    } | {f"{work}, N = 1e8, k = 100" for work in files.values()}
    assert f"ours take {' and '.join(slower)} longer" in plain("README.md")


def test_contributing_names_the_file_of_the_version_and_the_time_of_the_studies():
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (path,) = re.findall(r'\[tool\.hatch\.version\]\npath = "(.*)"', project)
    assert f"Set `__version__` in `{path}`" in plain("CONTRIBUTING.md")
    pages = [ROOT / "tests" / "studies" / name for name in ("COVERAGE.md", "COMPARISON.md")]
    minutes = [
        re.search(r"(\d+) minutes on 2\s+cores", page.read_text("utf-8"))[1] for page in pages
    ]
    assert f"into tests/studies/; {sum(map(int, minutes))} minutes" in plain("CONTRIBUTING.md")
