"""Requests hold every option, cannot be written to, and go through two doors.

Covers src: commands/request.py, commands/reading.py, commands/run.py, commands/console.py.
"""

from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest

from informedness import cli, compare, report
from informedness.commands.reading import Reader
from informedness.commands.request import (
    ColumnNames,
    CompareRequest,
    CompareScores,
    ReportRequest,
    ReportScores,
    Source,
    fill,
)
from informedness.commands.run import compare_models, score
from informedness.files.reading import FileOptions
from informedness.tables.label_options import LabelOptions

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # few samples

GOLD, A, B = [*"aaaabbbccc"], [*"aabcbbacca"], [*"aaaabbcccc"]


@pytest.fixture
def path(tmp_path):
    rows = zip(GOLD, A, B, strict=True)
    path = tmp_path / "p.csv"
    path.write_text("\n".join(["gold,a,b", *map(",".join, rows)]))
    return path


def names_in(kind):
    """Return the names of the fields of a request, those of its parts included."""
    names = set()
    for one in fields(kind):
        parts = one.default_factory
        names |= names_in(parts) if is_dataclass(parts) else {one.name}
    return names


@pytest.mark.parametrize(
    ("command", "kind"), [("report", ReportRequest), ("compare", CompareRequest)]
)
def test_every_option_is_a_field_of_a_request(command, kind):
    options = {action.dest for action in cli._parser(command)._actions}
    assert options - names_in(kind) == {"help", "output", "strict"}  # which cli.py needs


def test_a_request_is_frozen_and_has_the_values_that_were_given():
    values = {"path": ["p.csv"], "average": "macro", "labels": ["a", "b"], "rows": "."}
    request = fill(ReportRequest, values)
    assert request.source.path == ("p.csv",)
    assert (request.source.files, request.scores.average) == (FileOptions(rows="."), "macro")
    assert [*request.labels.labels] == ["a", "b"]
    for part in (request, request.source, request.source.columns, request.scores, request.output):
        with pytest.raises(FrozenInstanceError):
            setattr(part, fields(part)[0].name, None)


def test_both_doors_give_what_functions_give(path):
    columns = ColumnNames(references="gold", predictions=("a",))
    labels = Reader(Source((str(path),), columns=columns), LabelOptions()).read()
    made = score(labels, ReportScores(average="macro", confidence_level=0.9))
    expected = report(GOLD, A, average="macro", confidence_level=0.9)
    assert made.scores == pytest.approx(expected.scores, abs=1e-12)
    pair = Source((str(path),), columns=ColumnNames(references="gold", predictions=("a", "b")))
    whole, _ = Reader(pair, LabelOptions(), are_compared=True).read_columns()
    difference = compare_models(whole, CompareScores(metric="accuracy")).difference
    expected = compare(GOLD, A, B, metric="accuracy").difference
    assert difference == pytest.approx(expected, abs=1e-12)


def test_a_column_of_tasks_is_called_by_its_option(path, command):
    code, _, errors = command("report", str(path), "-r", "gold", "-p", "a", "--by-task", "x")
    assert (code, "`--by-task` names column 'x'" in errors) == (2, True)
