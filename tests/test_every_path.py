"""Every case of `cases.py` through function, module and command line, to 1e-12."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from cases import CASES, Case
from informedness import informedness_score, nit_score

Scores = dict[str, float]


def by_functions(case: Case, **_: Any) -> Scores:
    functions = {"informedness": informedness_score, "nit": nit_score}
    inputs = case.references, case.predictions
    return {name: score(*inputs, **case.options) for name, score in functions.items()}


def by_module(case: Case, *, load: Callable[[str], Any], **_: Any) -> Scores:
    inputs = {"references": case.references, "predictions": case.predictions}
    modules = {name: load(name) for name in ("informedness", "nit")}
    return {name: x.compute(**inputs, **case.options)[name] for name, x in modules.items()}


def in_json(labels: Any) -> list[Any]:
    """Return labels as they stand in a file of JSON."""
    is_masked = isinstance(labels, np.ma.MaskedArray)
    values = (labels if is_masked else np.asarray(labels, dtype=object)).tolist()
    return [None if x is pd.NA else x for x in values]


def by_command_line(case: Case, *, command: Any, tmp_path: Any, **_: Any) -> Scores:
    columns = {"reference": in_json(case.references), "prediction": in_json(case.predictions)}
    options = dict(case.options)
    if "sample_weight" in options:
        columns["weight"] = options.pop("sample_weight")
    arguments = ["--references", "reference", "--predictions", "prediction"]
    arguments += ["--weights", "weight"] * ("weight" in columns)
    if "labels" in options:
        arguments += ["--labels", *map(str, options.pop("labels"))]
    for name, value in options.items():
        arguments += [f"--{name.replace('_', '-')}={value}"]
    if any(isinstance(label, bytes) for label in columns["prediction"]):
        path = tmp_path / "predictions.parquet"
        pyarrow.parquet.write_table(pyarrow.table(columns), path)
    else:
        path = tmp_path / "predictions.jsonl"
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    arguments += ["--keep-missing", "--format", "json"]
    code, output, errors = command("report", path, *arguments)
    if code:
        assert (code, output) == (2, "")
        raise ValueError(errors)
    return json.loads(output)


PATHS = [by_functions, by_module, by_command_line]
every_path = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.__name__)


@pytest.fixture
def given(load, command, tmp_path):
    return {"load": load, "command": command, "tmp_path": tmp_path}


@every_path
def test_every_path_gives_the_same_refusal(path, given):
    for case in (case for case in CASES if case.refusal):
        message = case.refusal
        if path is by_functions:  # which name their arguments as scikit-learn does
            message = message.replace("references", "y_true").replace("predictions", "y_pred")
        with pytest.raises(ValueError, match=f"(?s){message}"):
            path(case, **given)


@every_path
@pytest.mark.filterwarnings("ignore")
def test_every_path_gives_the_same_value(path, given):
    for case in (case for case in CASES if not case.refusal):
        scores = path(case, **given)
        found = scores["informedness"], scores["nit"]
        assert found == pytest.approx((case.informedness, case.nit), rel=0, abs=1e-12), case.id
