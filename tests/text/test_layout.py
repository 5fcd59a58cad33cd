"""Every result can be pasted: as text, Markdown, LaTeX, CSV, HTML and a data frame.

Covers src: text/layout.py, text/render.py.
"""

import csv
import io
import json
import subprocess
from xml.etree import ElementTree

import pandas as pd
import pytest
from pylatexenc import latexwalker

from harnesses.arithmetic import kept
from informedness import ContingencyTable, Tally, compare, estimate, leaderboard, report, slices
from informedness.logs.reading import read_log
from informedness.text.render import cut_uniquely, shown_interval
from inputs.tables import table_of_labels

REFERENCES = ["ham"] * 80 + ["spam & eggs_1"] * 20
FIRST, SECOND = ["ham"] * 88 + ["spam & eggs_1"] * 12, ["ham"] * 82 + ["spam & eggs_1"] * 18
BY = ["a<b>"] * 50 + ["100% $x$"] * 50

RESULTS = {
    "report": lambda: report(REFERENCES, FIRST, confidence_level=0.95),
    "slices": lambda: slices(REFERENCES, FIRST, by=BY),
    "leaderboard": lambda: leaderboard(REFERENCES, {"a_1": FIRST, "b|2": SECOND}),
    "estimate": lambda: estimate(REFERENCES, FIRST),
    "comparison": lambda: compare(REFERENCES, FIRST, SECOND),
}
LONG = [f"a class with a long name, number {n % 9}" for n in range(180)]
WIDE = {
    "table of long names": lambda: table_of_labels(LONG, LONG, labels=sorted({*LONG})),
    "table of 300 classes": lambda: table_of_labels(range(300), range(300)),
    "wide report": lambda: report(LONG, LONG[::-1], confidence_level=0.95),
    "wide slices": lambda: slices(LONG, LONG[::-1], by=LONG[::-1], confidence_level=0.95),
}
pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
each_result = pytest.mark.parametrize("name", RESULTS)


@each_result
def test_the_latex_compiles_as_far_as_a_parser_can_tell(name):
    text = RESULTS[name]().to_latex()
    nodes, _, _ = latexwalker.LatexWalker(text, tolerant_parsing=False).get_latex_nodes()
    assert "tabular" in {getattr(node, "environmentname", "") for node in nodes}
    for part in text.split(r"\begin{tabular}{")[1:]:
        columns, body = part.split("}", 1)
        rows = [x for x in body.split(r"\end{tabular}")[0].splitlines() if x.endswith(r"\\")]
        assert {row.count(" & ") + 1 for row in rows} == {len(columns)}


@pytest.mark.release
def test_latex_compiles_with_any_class_names(tmp_path):
    """Also those that begin with what a command before the cell could take for its own."""
    classes = ["[CLS]", "*x", "a\nb", r"\\[1ex]", "50% & {$x_1$}", "#~^<|>", "é`-`"]
    made = dict.fromkeys(classes, classes[1:] + classes[:1])
    results = report(classes, made["*x"]), slices(classes, made["*x"], by=classes)
    body = "\n\n".join(x.to_latex() for x in (*results, leaderboard(classes, made)))
    head = r"\documentclass{article}\usepackage{booktabs}\pdfcompresslevel=0\begin{document}"
    (tmp_path / "t.tex").write_text(f"{head}\n{body}\n" + r"\end{document}", "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="latin-1")
    assert told.returncode == 0, told.stdout[-2000:]
    pages = (tmp_path / "t.pdf").read_bytes()
    assert pages.count(b"[CLS]") >= 4
    assert pages.count(b"*x") >= 4


@each_result
def test_notebook_tables_are_closed_and_escaped(name):
    drawn = ElementTree.fromstring(f"<div>{RESULTS[name]()._repr_html_()}</div>")
    tags = {element.tag for element in drawn.iter()} - {"div"}
    assert {"table"} <= tags <= {"table", "thead", "tbody", "tr", "th", "td", "p"}


@each_result
def test_records_are_what_csv_and_the_data_frame_hold(name):
    result = RESULTS[name]()
    records, frame = result.records(), result.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == list(records[0])
    assert len(frame) == len(records)
    if name != "report":  # whose CSV has the classes too
        rows = list(csv.DictReader(io.StringIO(result.to_csv())))
        assert [list(row) for row in rows] == [list(record) for record in records]
    json.dumps([records, result.to_dict()], allow_nan=False)


@pytest.mark.parametrize("made", (RESULTS | WIDE).values(), ids=RESULTS | WIDE)
def test_a_prompt_shows_the_text_and_tables_fit_80_columns(made):
    result = made()
    assert repr(result) == str(result) != ""
    tables = [x for x in str(result).split("\n\n") if "\n" in x]
    assert max([len(line) for x in tables for line in x.splitlines()], default=0) <= 80


def test_a_prompt_shows_tallies_as_their_table():
    table = ContingencyTable.from_matrix([[1984, 6], [2, 8]], labels=["ham", "<spam>"])
    assert "ham     1,984       6\n<spam>      2       8\n" in repr(table)
    assert "rows are references" in repr(table)
    assert "&lt;spam&gt;" in table._repr_html_()
    tally = Tally()
    assert repr(tally) == "Tally without samples"
    tally.update(references=["ham"], predictions=["<spam>"])
    assert repr(tally) == repr(tally.table)
    for row, start in (
        (RESULTS["leaderboard"]().models[0], "Model(name='b|2'"),
        (RESULTS["slices"]()["a<b>"], "SliceRow(name='a<"),
        (read_log(kept("inspect"))[0], "inspect, mockllm/knows-half, arithmetic: N 60, the"),
    ):
        assert repr(row).startswith(start)
        assert "rows are references" not in repr(row)


def test_a_report_maps_scores_and_slices_map_rows():
    result, sliced = report(REFERENCES, FIRST), slices(REFERENCES, FIRST, by=BY)
    assert dict(result) == result.scores
    assert ("nit" in result, "x" in result, BY[0] in sliced) == (True, False, True)
    assert ([*sliced], len(sliced)) == ([row.name for row in sliced.rows], 2)


def test_interval_ends_never_round_to_unreached_values():
    for ends, digits, wanted in (
        ((0.411, 0.9953), 2, "(0.411 to 0.995)"),
        ((-0.99997, -0.2), 4, "(-0.99997 to -0.20000)"),
        ((0.0004, 1), 3, "(0.0004 to 1.0000)"),
        ((-1e-9, 1 - 1e-9), 2, "(0.00 to 1.00)"),
    ):
        assert shown_interval(0.1, ends, digits)[1] == wanted


def test_names_are_cut_to_their_width_and_told_apart():
    names = [f"{'a' * 50}{i}{'b' * 50}" for i in range(12)]
    for width in (9, 12, 39, 40):
        cut_names = cut_uniquely([*names, *names, "short"], width)
        assert cut_names[:12] == cut_names[12:24]
        assert len({*cut_names}) == 13
        assert max(map(len, cut_names)) == width
