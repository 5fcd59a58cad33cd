"""Intervals that nobody asked for, and what the command line does with three or more classes.

Covers src: commands/request.py, commands/run.py.
"""

import json
import re

import numpy as np
import pandas as pd
import pytest

from informedness import informedness_score, leaderboard, report, slices
from informedness.warnings import IntervalWarning
from inputs.cli_cases import refused

HEAD = "95% interval"
COLUMNS = ("-r", "gold", "-p", "model")


def written(path, **columns):
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


@pytest.fixture
def spam(tmp_path):
    """A file of 100 samples of two classes whose names have ten characters."""
    gold = ["legitimate"] * 90 + ["unsolicite"] * 10
    model = ["legitimate"] * 84 + ["unsolicite"] * 6 + ["legitimate"] * 2 + ["unsolicite"] * 8
    return written(tmp_path / "spam.csv", gold=gold, model=model)


@pytest.fixture
def three(tmp_path):
    rng = np.random.default_rng(0)
    gold = rng.choice([*"abc"], 400, p=[0.6, 0.3, 0.1])
    model = np.where(rng.random(400) < 0.5, gold, rng.choice([*"abc"], 400))
    other = np.where(rng.random(400) < 0.3, gold, "a")
    length = rng.integers(1, 90, 400)
    kind = rng.choice(["x", "y", "z"], 400)
    columns = {"gold": gold, "model": model, "other": other, "length": length, "kind": kind}
    return written(tmp_path / "three.csv", **columns), pd.DataFrame(columns)


@pytest.mark.parametrize("output", ["text", "html", "markdown", "json", "csv", "latex"])
def test_what_people_read_has_intervals(command, spam, output):
    """What programs read has them only if a level is given."""
    printed = command("report", spam, *COLUMNS, "--format", output)[1]
    is_read = output in ("text", "html", "markdown")
    assert ((HEAD in printed) or ("confidence_interval" in printed)) == is_read
    asked = command("report", spam, *COLUMNS, "--format", output, "--confidence-level", "0.9")[1]
    assert re.search(r"90\\?% interval|confidence_interval", asked)
    bare = command("report", spam, *COLUMNS, "--format", output, "--no-intervals")[1]
    assert "interval" not in bare


def test_a_metric_stays_a_bare_number(command, spam):
    frame = pd.read_csv(spam)
    value = informedness_score(frame["gold"], frame["model"])
    assert command("report", spam, *COLUMNS, "--metric", "informedness")[1] == f"{value!r}\n"
    prior = "--prior", f"{spam}:gold", "--prior-mode", "odds", "--metric", "informedness"
    assert float(command("report", spam, *COLUMNS, *prior)[1]) == pytest.approx(value)
    assert report(frame["gold"], frame["model"]).estimates == {}


def test_slices_logs_and_tasks_have_intervals_by_default(command, three):
    path, _ = three
    for options in (["--by", "kind"], ["--by-task", "kind"]):
        assert HEAD in command("report", path, *COLUMNS, *options)[1]
        assert HEAD not in command("report", path, *COLUMNS, *options, "--no-intervals")[1]
    assert HEAD in command("report", path, *COLUMNS, "--groups", "length")[1]
    refused(
        command("report", path, *COLUMNS, "--no-intervals", "--confidence-level", "0.9"),
        "only to default intervals",
    )


def test_a_caveat_nobody_asked_for_is_a_note_and_no_error(command, tmp_path):
    path = written(tmp_path / "few.csv", gold=[*"aaaaaaaabb"] * 3, model=[*"aaaaaaabbb"] * 3)
    few = written(tmp_path / "fewer.csv", gold=[*"aaaaaaaabb"], model=[*"aaaaaaabbb"])
    for file in (path, few):
        code, output, told = command("report", file, *COLUMNS, "--strict")
        assert (code, told) == (0, "")
    assert "approximate: 2 references outside the largest class" in output
    refused(
        command("report", few, *COLUMNS, "--strict", "--confidence-level", "0.95"),
        "may cover the truth less often than they say",
    )
    with pytest.warns(IntervalWarning):
        report([*"aaaaaaaabb"], [*"aaaaaaabbb"], confidence_level=0.95)


def test_a_report_of_two_classes_fits_on_28_lines(command, spam):
    """Of 80 columns, with names of ten characters."""
    output = command("report", spam, *COLUMNS, "--labels", "legitimate", "unsolicite")[1]
    lines = output.splitlines()
    assert sum(max(1, -(-len(line) // 80)) for line in lines) <= 28
    assert max(map(len, lines[3:])) <= 80


def test_three_classes_show_both_averages(command, three):
    path, frame = three
    output = command("report", path, *COLUMNS)[1]
    by_average = {
        x: informedness_score(frame["gold"], frame["model"], average=x)
        for x in ("bias", "prevalence")
    }
    for average, value in by_average.items():
        assert re.search(rf"^Informedness \({average}\) +{value:.4f}", output, re.M)
    assert "\nInformedness (prevalence): like a model that knows " in output
    plain = json.loads(command("report", path, *COLUMNS, "--format", "json")[1])
    assert plain["informedness"] == pytest.approx(by_average["bias"], abs=1e-12)
    assert plain["informedness_prevalence"] == pytest.approx(by_average["prevalence"], abs=1e-12)
    _, number, told = command("report", path, *COLUMNS, "--metric", "informedness")
    assert float(number) == plain["informedness"]
    assert (
        "is {bias:.4f} by bias, the default, and {prevalence:.4f} by".format(**by_average) in told
    )
    named = command("report", path, *COLUMNS, "--metric", "informedness", "--average", "macro")
    assert "by bias" not in named[2]
    chosen = command("report", path, *COLUMNS, "--average", "macro")[1]
    assert "Informedness (macro)" in chosen
    assert "Informedness (bias)" not in chosen


def test_slices_and_rankings_of_three_classes_use_prevalence(command, three):
    path, frame = three
    wanted = slices(frame["gold"], frame["model"], by=frame["kind"], average="prevalence")
    plain = json.loads(command("report", path, *COLUMNS, "--by", "kind", "--format", "json")[1])
    for record in plain["slices"]:
        score = wanted[record["kind"]].scores["informedness"]
        assert record["informedness"] == pytest.approx(score, abs=1e-12)
    assert (
        "Inf is Informedness (prevalence)" in command("report", path, *COLUMNS, "--by", "kind")[1]
    )
    models = {name: frame[name] for name in ("model", "other")}
    board = leaderboard(frame["gold"], models, average="prevalence")
    output = command("report", path, "-r", "gold", "-p", *models)[1]
    for model in board.models:
        assert re.search(rf"^{model.name} +{model.value:.4f} ", output, re.M)
    assert "Informedness (prevalence)" in output


def test_slices_are_sorted_worst_first_by_a_score(command, three):
    path, frame = three
    sliced = "report", path, *COLUMNS, "--by"
    plain = json.loads(command(*sliced, "length", "--format", "json")[1])
    assert [int(x["length"]) for x in plain["slices"]] == sorted(set(frame["length"]))
    for score in ("informedness", "nit"):
        rows = json.loads(command(*sliced, "kind", "--sort", score, "--format", "json")[1])[
            "slices"
        ]
        assert [x[score] for x in rows] == sorted(x[score] for x in rows)
    refused(command(*sliced, "kind", "--sort", "nonsense"), "`--sort` must be one of")
    refused(command("report", path, *COLUMNS, "--sort", "nit"), "`--sort` applies only to slices")


def test_numbers_are_cut_into_quantiles(command, three, tmp_path):
    """As pandas cuts them; a column of the whole name comes first."""
    path, frame = three
    cut = pd.qcut(frame["length"], 4)
    ends = frame["length"].groupby(cut, observed=True).agg(["min", "max", "size"])
    plain = json.loads(command("report", path, *COLUMNS, "--by", "length:4", "--format", "json")[1])
    assert [(x["length"], x["n_samples"]) for x in plain["slices"]] == [
        (f"{least} to {most}", n) for least, most, n in ends.itertuples(index=False)
    ]
    two = json.loads(
        command("report", path, *COLUMNS, "--by", "kind", "length:2", "--format", "json")[1]
    )
    assert {x["kind"] for x in two["slices"]} == {*"xyz"}
    assert len(two["slices"]) == 6
    named = written(tmp_path / "named.csv", **frame.assign(**{"length:4": frame["kind"]}))
    plain = json.loads(
        command("report", named, *COLUMNS, "--by", "length:4", "--format", "json")[1]
    )
    assert [x["length:4"] for x in plain["slices"]] == [*"xyz"]
    refused(command("report", path, *COLUMNS, "--by", "kind:4"), "must name a column of numbers")
    groups = "--by", "length:4", "--groups", "kind"
    refused(command("report", path, *COLUMNS, *groups), "is passed, got length:4. Add")
    least = "--by", "kind", "--at-least", "0.5"
    refused(command("report", path, *COLUMNS, *least), "only to all samples. Leave out")
