"""The running app scores what was sent, by every way to send it, or refuses it.

Values are computed here, by `oracles.dense` or by hand, and never by the package.
"""

import json
import random
import re
from collections.abc import Sequence
from html import unescape
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
from drawn import Drawn, parsed
from gradio_client import Client
from playwright.sync_api import Page, expect
from test_app import (
    account,
    box,
    count_in,
    menu,
    options,
    paste_into,
    refused,
    second_list,
    shows,
    tab,
)
from visitors import Visitor

from oracles import dense
from oracles.golden import close

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore:informedness. ")]

TRUE, MODEL = [0, 1, 1, 0, 1, 0, 0, 1], [0, 1, 0, 0, 1, 1, 0, 1]


def answered(url: str, door: str, grid: Any = None, **given: Any) -> list[Any]:
    """Return the refusal, the story and the details that a door shows."""
    visitor = Visitor(url, "somebody")
    event = visitor.door(f"{door}-button")
    sent = visitor.given(event, **given)
    names = [visitor.components[x]["props"].get("elem_id") for x in event["inputs"]]
    sent = [grid if x == "grid" and grid else y for x, y in zip(names, sent, strict=True)]
    (answer,) = visitor.answers(event, sent)
    assert answer["success"], answer
    shown = dict(zip(event["outputs"], answer["output"]["data"], strict=True))
    ids = {x["props"].get("elem_id"): i for i, x in visitor.components.items()}
    return [shown[ids[name]] for name in (f"{door}-refusal", door, f"{door}-details")]


def result_of(answer: Sequence[Any]) -> tuple[Drawn, dict[str, Any]]:
    """Return what was drawn of a result, and its copy as JSON."""
    refusal, story, details = answer
    assert not refusal, refusal
    copied = re.search(r'data-copy="(\{.*?)"', story)
    return parsed(story + details), json.loads(unescape(copied[1])) if copied else {}


def refusal_of(answer: Sequence[Any]) -> str:
    assert answer[1:] == ["", ""]
    return parsed(answer[0]).text


def of_lists(url: str, references: str, predictions: str) -> list[Any]:
    lists = {"Paste": references, "List_of_predictions": predictions}
    return answered(url, "mine", **lists)


def cells_of(references: Sequence[Any], predictions: Sequence[Any]) -> Any:
    labels = sorted({*references, *predictions})
    pairs = [*zip(references, predictions, strict=True)]
    return np.array([[pairs.count((i, j)) for j in labels] for i in labels])


def has_scores(copied: dict[str, Any], cells: Any, average: str = "bias") -> None:
    wanted = dense.score(dense.spread(cells), "informedness", average)
    assert copied["informedness"] == close(float(wanted))
    assert copied["nit"] == close(float(dense.score(cells, "nit")))


# Lists

SAME = ["label 0", "label 1", "label 1", "label 0", "label 1", "label 0", "label 0", "label 1"]
LISTS = {
    "torch": "tensor([0, 1, 1, 0,\n        1, 0, 0, 1], device='cuda:0')",
    "numpy in code": "array([0, 1, 1, 0, 1, 0, 0, 1], dtype=int32)",
    "numpy printed": "[0 1 1 0\n 1 0 0 1]",
    "R in code": "c(0, 1, 1, 0, 1, 0, 0, 1)",
    "floats of numpy": "[0. 1. 1. 0.\n 1. 0. 0. 1.]",
    "a tuple": "(0, 1, 1, 0, 1, 0, 0, 1)",
    "a comment": "[0, 1, 1, 0,  # the first half\n 1, 0, 0, 1] # seed 1",
    "scalars of numpy": f"[{', '.join(f'np.int64({label})' for label in TRUE)}]",
    "a name": "y_true = np.array([0, 1, 1, 0, 1, 0, 0, 1])",
    "JSON": "[0, 1, 1, 0, 1, 0, 0, 1]",
    "commas": "0, 1, 1, 0, 1, 0, 0, 1",
    "lines": "0\n1\n1\n0\n1\n0\n0\n1",
    "a Series": "\n".join(f"{i}    {label}" for i, label in enumerate(TRUE))
    + "\nName: y, Length: 8, dtype: int64",
}
OF_WORDS = {
    "a row of a spreadsheet": "\t".join(SAME),
    "numpy": f"array({SAME}, dtype='<U7')",
    "numpy printed": str(np.array(SAME)),
    "a Series": "id\n"
    + "\n".join(f"row {i}   {x}" for i, x in enumerate(SAME))
    + "\ndtype: object",
    "JSON": json.dumps(SAME),
    "R": f"factor(c({', '.join(map(json.dumps, SAME))}))",
}
MARKS = [":)", ":(", ":(", ":)", ":(", ":)", ":)", ":("]
CHOICES = ["(A)", "(B)", "(B)", "(A)", "(B)", "(A)", "(A)", "(B)"]
OF_MARKS = {"lines": "\n".join(MARKS), "commas": ", ".join(MARKS)}
OF_CHOICES = {"lines": "\n".join(CHOICES), "commas": ", ".join(CHOICES)}
CUT = {
    "[0, 1": "The list is not complete",
    "c(0, 1": "The list is not complete",
    "y_true = [0, 1": "The list is not complete",
    "[0 1 1 ... 0 1 0]": "The list is not complete",
    "tensor([0, 1, 1,  ..., 0, 1, 0])": "The list is not complete",
    "0    a\n     ..\n9    b\nLength: 10, dtype: object": "The list is not complete",
    "[1] 0 1\n[4] 1": "The list ends before the text does",
    "[0, 1]\n[1, 0]": "The list ends before the text does",
    "[[0], [1]]": "A list must hold labels, and this one holds lists",
    "[0, , 1]": "Write one label between two commas",
    "['a' 'b', 'c']": "Write one label between two commas",
    "{'a', 'b'}": "has no order",
}


@pytest.mark.parametrize(
    ("texts", "labels"),
    [(LISTS, TRUE), (OF_WORDS, SAME), (OF_MARKS, MARKS), (OF_CHOICES, CHOICES)],
    ids=["numbers", "words", "marks", "choices"],
)
def test_lists_are_the_labels_alone_however_written(app, texts, labels):
    given = [*labels[:2], labels[0], *labels[3:5], labels[1], *labels[6:]]
    for name, text in texts.items():
        _, copied = result_of(of_lists(app("nit"), text, "\n".join(map(str, given))))
        assert (copied["n_samples"], copied["n_classes"]) == (8, 2), name
        classes = [str(row["label"]) for row in copied["per_class"]]
        assert classes == sorted({*map(str, labels)}), name
        has_scores(copied, cells_of(labels, given))


ODD = ["a", "b c", "don't", 'say "x"', "x, y", "[A]", "(B)", ":)", ":(", "...", "#tag", "C#"]
ODD += ["a=b", "12:30", "None", "a;b", "\\d", "{x}", "'", '"', "f(x)", "np.int64(0)", "e (f)"]
IN_LISTS = {  # how these write labels
    "Python": repr,
    "a tuple": lambda labels: repr(tuple(labels)),
    "JSON": json.dumps,
    "numpy": lambda labels: str(np.array(labels, dtype=object)),
    "numpy in code": lambda labels: f"array({labels!r}, dtype=object)",
    "scalars of numpy": lambda labels: f"[{', '.join(f'np.str_({x!r})' for x in labels)}]",
    "R": lambda labels: f"c({', '.join(map(json.dumps, labels))})",
    "lines": "\n".join,
    "a row of a spreadsheet": "\t".join,
}


def test_odd_labels_are_read_as_python_r_and_people_write_them(page):
    choose = random.Random(1)
    for i in range(2000):
        labels = choose.choices(ODD, k=choose.randint(3, 6))
        name, write = [*IN_LISTS.items()][i % len(IN_LISTS)]
        assert page.lists.list_of(write(labels)) == labels, name


def test_a_list_that_is_not_whole_is_refused(app):
    for text, said in CUT.items():
        assert said in refusal_of(of_lists(app("nit"), text, "a\nb")), text


def test_lists_of_many_lines_pasted_as_rows_are_the_lists(visit):
    page, true, model = visit(query="?"), TRUE * 400, MODEL * 400
    tab(page, "Score mine")
    lists = (",\n ".join(map(str, labels)) for labels in (true, model))
    paste_into(box(page), "y_true = [{}]\ny_pred = np.array([{}])".format(*lists))
    expect(menu(page, "references")).to_have_value("y_true")
    shows(page, float(dense.score(cells_of(true, model), "informedness", "bias")))
    expect(account(page)).to_contain_text("3,200 rows")


# Long texts


def paste_by_key(page: Page, text: str) -> None:
    """Paste into the field that has the focus, as a person does: what the browser allows."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+V")


def test_a_paste_above_2_million_characters_is_scored_whole(visit):
    page, n = visit(query="?"), 4000
    true = ["a" if i % 2 else "b" for i in range(n)]
    model = [x if i < n // 2 else "a" for i, x in enumerate(true)]
    rows = (f"{x}\t{y}\t{'text ' * 120}" for x, y in zip(true, model, strict=True))
    text = "\n".join(["label\tprediction\tinput", *rows])
    assert len(text) > 2_000_000
    tab(page, "Score mine")
    box(page).click()
    paste_by_key(page, text)
    expect(menu(page, "references")).to_have_value("label")
    shows(page, 0.5)  # all of b and none of a are right in the second half
    expect(account(page)).to_contain_text("4,000 rows")


def test_a_list_above_2_million_characters_is_refused(visit):
    page = visit(query="?")
    tab(page, "Score mine")
    box(page).fill("a, b")
    second_list(page).click()
    paste_by_key(page, ", ".join(["b" * 200] * 10_000))
    expect(page.get_by_test_id("toast-body")).to_contain_text("at most 2000000 characters")


# The matrix

TRANSPOSED = "Predicted \\ Actual\ta\tb\tc\na\t8\t1\t2\nb\t0\t5\t1\nc\t3\t2\t9\n"


def test_a_transposed_matrix_is_scored_with_a_warning(visit, app):
    page, note = visit(query="?"), "the names suggest the opposite"
    wanted = dense.score([[8, 1, 2], [0, 5, 1], [3, 2, 9]], "informedness", "bias")
    tab(page, "Score mine")
    box(page).fill(TRANSPOSED)
    shows(page, float(wanted))
    warnings = page.locator("#mine .warning")
    expect(warnings).to_contain_text([note])
    copied = page.locator("#mine .copies button", has_text="JSON")
    assert note in json.loads(copied.get_attribute("data-copy"))["warnings"][0]
    visit(query=page.locator("#mine-details .link").get_attribute("href"))
    shows(page, float(wanted))
    expect(warnings).to_contain_text([note])
    count_in(page, 0, 0).fill("9")
    shows(page, float(dense.score([[9, 1, 2], [0, 5, 1], [3, 2, 9]], "informedness", "bias")))
    expect(warnings).to_contain_text([note])


def grid_of(rows: str) -> dict[str, Any]:
    """Return a matrix as its page sends it."""
    cells = [row.split(" ") for row in rows.split("\n")]
    return {"labels": [*"ab"], "cells": cells, "declared": None, "axes": []}


def of_grid(url: str, grid: dict[str, Any], average: str = "default") -> list[Any]:
    return answered(url, "mine", grid, What_it="matrix", Average=average)


UNKNOWN = "unknown number of samples, so there is no interval"
EVEN = "the score is that of equally common classes"
SHARES = {
    "92.0 8.0\n18.0 82.0": [UNKNOWN, EVEN],
    "92% 8%\n18% 82%": [UNKNOWN, EVEN],
    "92,4 7,5\n17,9 82,0": [UNKNOWN, EVEN],
    "100.0 0.0\n0.0 100.0": [UNKNOWN, EVEN],
    "1.0 0.0\n0.0 1.0": [UNKNOWN, EVEN],
    "0.92 0.08\n0.18 0.82": [UNKNOWN, EVEN],
    "46.0 4.0\n9.0 41.0": [UNKNOWN],
    "92 8\n18 82": ["if these are percentages"],
    "93 7\n18 82\n": [],
    "92 8\n18 83": [],
    "30.0 20.0\n3.0 40.0": [],
}


def test_percentages_have_no_interval(app):
    for rows, said in SHARES.items():
        rows = rows.strip() if said else rows.strip().replace("93 7", "93 8")
        grid = grid_of(rows)
        drawn, copied = result_of(of_grid(app("nit"), grid))
        cells = [[float(x.strip("%").replace(",", ".")) for x in row] for row in grid["cells"]]
        has_scores(copied, cells)
        assert len(copied["warnings"]) == len(said), rows
        assert all(any(x in note for note in copied["warnings"]) for x in said), rows
        is_known = UNKNOWN not in said
        assert copied["n_samples"] == (sum(map(sum, cells)) if is_known else None), rows
        assert ("nit_confidence_interval" in copied) == is_known, rows
        assert ("interval" in drawn.id("interval").text.split()[1]) == is_known, rows
    odd = of_grid(app("nit"), grid_of("50% 8%\n18% 82%"))
    assert "Percentages must sum to 100" in refusal_of(odd)


def test_an_endpoint_takes_shares_with_decimals_for_shares(app):
    client = Client(app("nit"), verbose=False, httpx_kwargs={"timeout": 600})
    for matrix, is_known, said in (
        ([[92.5, 7.5], [18.0, 82.0]], False, UNKNOWN),
        ([[92, 8], [18, 82]], True, "if these are percentages"),
    ):
        result = client.predict(matrix, api_name="/score_matrix")
        has_scores(result, matrix)
        assert (result["n_samples"] is not None) == is_known
        assert ("nit_confidence_interval" in result) == is_known
        assert any(said in note for note in result["warnings"])


@pytest.mark.parametrize("metric", ["informedness", "nit"])
def test_a_class_that_is_only_predicted_is_none_by_every_way(visit, app, page, metric):
    (example,) = (x for x in page.limits.EXAMPLES["score"] if "32%" in x["name"])
    names, cells = example["labels"], np.array(example["matrix"])
    assert cells[6].sum() == 0 < cells[:, 6].sum()
    average = "prevalence" if metric == "informedness" else "default"
    counted = dense.spread(cells) if metric == "informedness" else cells
    value = float(dense.score(counted, metric, average))
    page = visit(metric, "?example=4")
    shows(page, value, "why")
    grid = {"labels": names, "cells": cells.astype(str).tolist(), "declared": None, "axes": []}
    _, copied = result_of(of_grid(app(metric), grid, average))
    assert copied[metric] == close(value)
    visit(metric, page.locator("#why-details .link").get_attribute("href"))
    shows(page, value)
    visit(metric, "?tab=mine")
    head = "\t".join(["", *names])
    rows = ("\t".join([name, *row]) for name, row in zip(names, grid["cells"], strict=True))
    box(page).fill("\n".join([head, *rows]))
    if metric == "informedness":
        options(page)
        page.get_by_role("combobox", name="Average").locator("visible=true").click()
        page.get_by_role("option", name=average).click()
    shows(page, value)
    page.get_by_label("Classes without references count").check()
    as_class = float(dense.score(cells, metric, average))
    shows(page, as_class * (0.9 if metric == "nit" else 1))  # of ten classes instead of nine
    page.get_by_role("button", name="Remove class (H)").click()
    expect(page.get_by_label("Classes without references count")).to_be_hidden()
    left = np.delete(np.delete(cells, 6, 0), 6, 1)
    shows(page, float(dense.score(left, metric, average)))


# What hid results


def test_models_with_missing_predictions_are_compared(app):
    a, b = ["x", "", "x", "y", "y", ""], ["x", "x", "y", "y", "x", "y"]
    rows = ["gold\ta\tb", *map("\t".join, zip("xxxyyy", a, b, strict=True))]
    given = {"Paste": "\n".join(rows), "What_is_meant": ["unknown"]}
    drawn, copied = result_of(answered(app("informedness"), "compare", **given))
    # twice the balanced accuracy - 1: 2 of 3 of either class are right by A, and by B
    assert (copied["a"], copied["b"]) == (close(1 / 3), close(1 / 3))
    assert "None" not in drawn.text.replace("None,", "").replace(", None", "")
    assert not drawn.has("link")
    assert "There is no link to this result" in drawn.text


def test_a_link_to_two_models_has_their_average_and_level(visit):
    page = visit(query="?")
    tab(page, "Compare two")
    a, b = [*"xyzzyx" * 5], [*"xyzyyx" * 5]
    rows = ["gold\ta\tb", *map("\t".join, zip("xyzxyz" * 5, a, b, strict=True))]
    box(page).fill("\n".join(rows))
    expect(menu(page, "references")).to_have_value("gold")
    options(page)
    page.get_by_role("combobox", name="Average").locator("visible=true").click()
    page.get_by_role("option", name="macro").click()
    result = page.locator("#compare-bench:not([data-stale]) #compare .copies")
    expect(result.locator("button", has_text="JSON")).to_have_attribute(
        "data-copy", re.compile(r"\|avg:macro\|")
    )
    link = page.locator("#compare-details .link").get_attribute("href")
    assert parse_qs(link)["average"] == ["macro"]
    copied = result.locator("button", has_text="JSON").get_attribute("data-copy")
    visit(query=link)
    again = page.locator("#compare .copies button", has_text="JSON")
    expect(again).to_have_attribute("data-copy", copied)


def test_a_late_answer_leaves_the_refusal_of_newer_inputs(visit):
    page, held = visit(query="?"), list[Any]()
    tab(page, "Score mine")
    box(page).fill("label\tprediction\na\ta\na\tb\nb\tb\nb\tb\n")
    shows(page, 0.5)
    options(page)
    page.route("**/queue/join*", lambda x: x.continue_() if held else held.append(x))
    page.locator("#mine-button").click()
    page.get_by_role("textbox", name=re.compile("^Threshold")).locator("visible=true").click()
    paste_by_key(page, "half")
    held[0].continue_()
    refused(page, "half")
    page.unroute("**/queue/join*")
