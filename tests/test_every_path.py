"""Every case of `cases.py` through function, module, report and command line, to 1e-12."""

import contextlib
import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from cases import CASES, Case
from informedness import informedness_score, nit_score, report
from informedness.cli import main

Scores = dict[str, float]


def by_functions(case: Case, **_: Any) -> Scores:
    inputs = case.references, case.predictions
    return {
        "informedness": informedness_score(*inputs, **case.options),
        "nit": nit_score(*inputs, **case.options),
    }


def by_module(case: Case, *, load: Callable[[str], Any], **_: Any) -> Scores:
    inputs = {"references": case.references, "predictions": case.predictions}
    scores: Scores = {}
    for name in ("informedness", "nit"):
        scores |= load(name).compute(**inputs, **case.options)
    return scores


def by_pieces(case: Case, *, load: Callable[[str], Any], **_: Any) -> Scores:
    """Add all but the last samples in batches, the last one by itself."""
    scores: Scores = {}
    references, predictions = (list(x) for x in (case.references, case.predictions))
    size = max(1, len(references) // 3)
    for name in ("informedness", "nit"):
        metric = load(name)
        for start in range(0, len(references) - 1, size):
            stop = min(start + size, len(references) - 1)
            metric.add_batch(references=references[start:stop], predictions=predictions[start:stop])
        if references:
            metric.add(reference=references[-1], prediction=predictions[-1])
        assert len(metric) == len(references)
        if not references:
            metric.add_batch(references=[], predictions=[])
            return metric.compute(references=[], predictions=[], **case.options)
        scores |= metric.compute(**case.options)
    return scores


def by_report(case: Case, **_: Any) -> Scores:
    return report(case.references, case.predictions, **case.options).scores


def by_command_line(case: Case, *, tmp_path: Any, **_: Any) -> Scores:
    columns = {
        "reference": np.asarray(case.references, dtype=object).tolist(),
        "prediction": np.asarray(case.predictions, dtype=object).tolist(),
    }
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
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = main(["report", str(path), *arguments, "--output", "json"])
    if code:
        assert (code, output.getvalue()) == (2, "")
        raise ValueError(errors.getvalue())
    return json.loads(output.getvalue())


PATHS = [by_functions, by_module, by_pieces, by_report, by_command_line]
every_path = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.__name__)


@every_path
def test_every_path_gives_the_same_refusal(path, load, tmp_path):
    for case in (case for case in CASES if case.refusal):
        with pytest.raises(ValueError, match=f"(?s){case.refusal}"):
            path(case, load=load, tmp_path=tmp_path)


@every_path
@pytest.mark.filterwarnings("ignore")
def test_every_path_gives_the_same_value(path, load, tmp_path):
    for case in (case for case in CASES if not case.refusal):
        scores = path(case, load=load, tmp_path=tmp_path)
        assert scores["informedness"] == pytest.approx(case.informedness, rel=0, abs=1e-12), case.id
        assert scores["nit"] == pytest.approx(case.nit, rel=0, abs=1e-12), case.id
