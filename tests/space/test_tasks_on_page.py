"""Ten tasks of people who come to the page, on a desktop and on a phone, in three steps at most.

Each ends with the number of the command line.
"""

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drawn import BETTER, GOLD, MODEL, rows_of
from playwright.sync_api import Page, expect
from test_app import LOG, account, box, remedy, shows, tab

from informedness.cli import main

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore:informedness. ")]

SIZES = {"desktop": (1280, 720), "phone": (390, 844)}
HAM = "\tham\tspam\nham\t90\t0\nspam\t10\t0\n"
PAPER = "\tham\tspam\nham\t84\t6\nspam\t2\t8\n"
PAIRS = "gold,model,n\na,a,90\na,b,10\nb,b,45\nb,a,5\n"
TABLE, MODELS = rows_of("gold,model", GOLD, MODEL), rows_of("gold,a,b", GOLD, MODEL, BETTER)
MISSING = rows_of("gold,model", GOLD, ["", *MODEL[1:]])
LISTS = f"y_true = {GOLD}\ny_pred = np.array({MODEL})"


def paste(text: str) -> Callable[[Page, Path], Any]:
    return lambda page, _: box(page).fill(text)


def upload(page: Page, file: Path) -> None:
    page.locator("input[type=file]").first.set_input_files(file)


def score_mine(page: Page, _: Path) -> None:
    tab(page, "Score mine")


def says(page: Page, part: str, text: str) -> None:
    expect(page.locator(part)).to_contain_text(text)


NAMES = ("-r", "gold", "-p", "model")
TASKS: dict[str, Any] = {  # steps, a file and options for the command line, and what is seen
    "a teacher sees why 90% right may mean nothing": (
        [],
        ("m.tsv", HAM),
        (),
        lambda page: says(page, "#why .lead", "90 are right, like 0 known and 90 lucky"),
    ),
    "a product manager sees what a good filter knows": (
        [lambda page, _: page.locator("#examples").get_by_text("Knows 73%").click()],
        ("m.tsv", PAPER),
        (),
        lambda page: says(page, "#why .lead", "92 are right, like 73 known and 19 lucky"),
    ),
    "a reviewer checks the matrix of a paper": (
        [score_mine, paste(PAPER)],
        ("m.tsv", PAPER),
        (),
        lambda page: expect(page.locator("#grid .rate")).to_have_text(
            ["recall", "0.933", "0.800", "0.200", "0.067"]
        ),
    ),
    "an analyst pastes rows of a spreadsheet": (
        [score_mine, paste(TABLE.replace(",", "\t"))],
        ("t.csv", TABLE),
        NAMES,
        lambda page: expect(account(page)).to_contain_text("Table with names above: 20 rows"),
    ),
    "an analyst uploads a file": (
        [score_mine, upload],
        ("t.csv", TABLE),
        NAMES,
        lambda page: expect(account(page)).to_contain_text("Table with names above: 20 rows"),
    ),
    "a scientist pastes two lists of Python": (
        [score_mine, paste(LISTS)],
        ("t.csv", TABLE),
        NAMES,
        lambda page: expect(account(page)).to_contain_text("Lists: 20 rows"),
    ),
    "an engineer counts missing answers as wrong": (
        [score_mine, paste(MISSING), lambda page, _: remedy(page, "Count as wrong")],
        ("t.csv", MISSING),
        (*NAMES, "--unknown", "wrong"),
        lambda page: expect(page.locator("#mine-refusal .viz")).to_have_count(0),
    ),
    "someone has counts of pairs of labels": (
        [score_mine, paste(PAIRS), lambda page, _: remedy(page, "Use column 'n' as counts")],
        ("t.csv", PAIRS),
        (*NAMES, "--counts", "n"),
        lambda page: expect(account(page)).not_to_contain_text("not used"),
    ),
    "someone has the log of a harness": (
        [score_mine, lambda page, _: upload(page, LOG)],
        (LOG, ""),
        (),
        lambda page: expect(account(page)).to_contain_text("choice"),
    ),
    "someone chooses between two models": (
        [lambda page, _: tab(page, "Compare two"), paste(MODELS)],
        ("t.csv", MODELS),
        ("-r", "gold", "-p", "a", "b"),
        lambda page: says(page, "#compare .verdict", "No significant difference"),
    ),
}


def on_command_line(file: Path, options: tuple[str, ...]) -> float:
    """Return the number that the command line prints for the same data."""
    printed, is_comparison = io.StringIO(), "b" in options
    asked = ("--format", "json") if is_comparison else ("--metric", "informedness")
    command = ["compare" if is_comparison else "report", str(file), *options, *asked]
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
        assert not main(command)
    text = printed.getvalue()
    return float(json.loads(text)["difference"] if is_comparison else text)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("task", TASKS)
def test_a_task_takes_three_steps_to_the_number(visit, tmp_path, task, size):
    steps, (name, text), options, is_seen = TASKS[task]
    assert len(steps) <= 3
    width, height = SIZES[size]
    page, file = visit(query="?", width=width), tmp_path / name
    page.set_viewport_size({"width": width, "height": height})
    if text:
        file.write_text(text, "utf-8")
    for step in steps:
        step(page, file)
    wanted = on_command_line(file, options)
    if "b" in options:
        shown = f"{wanted:+.3f}".replace("-", "\u2212")
        expect(page.locator("#compare .score")).to_have_text(shown)
    else:
        shows(page, wanted, "mine" if len(steps) > 1 else "why")
    is_seen(page)
