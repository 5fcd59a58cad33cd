"""Each metric module of the registry, held to its golden cases.

Those of a metric stand in `golden_cases/NAME.json`: a list of references, predictions, options, the
value, and the source it is from. Informedness and NIT have theirs in `vectors.json`.
"""

import json
import sys
import warnings
from pathlib import Path

import pytest

from golden import VECTORS, close
from informedness.results.report import Report
from informedness.statistics import modules
from informedness.statistics.registry import MODULES, REPORTED, reported, score_named
from informedness.statistics.score import ScoreWithInterval
from tables import score_of, table_of_labels

FOLDER = Path(__file__).with_name("golden_cases")
IN_VECTORS = {"informedness": ("exact", "informedness"), "nit": ("info", "NIT_k_ref")}


def golden_cases(name):
    """Return (references, predictions, options, value) of each golden case of a metric."""
    if name not in IN_VECTORS:
        cases = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
        return [
            [case[x] for x in ("references", "predictions", "options", "value")] for case in cases
        ]
    group, key = IN_VECTORS[name]
    return [
        [*vector.samples(), {}, getattr(vector, group)[key]]
        for vector in VECTORS
        if vector.is_counts and getattr(vector, group)[key] is not None
    ]


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("name", MODULES)
def test_every_module_has_golden_cases_that_every_way_to_its_score_agrees_with(name, load):
    metric, cases = load(name), golden_cases(name)
    assert cases
    for references, predictions, options, value in cases:
        inputs = {"references": references, "predictions": predictions}
        assert metric.compute(**inputs, **options)[name] == close(value)
        table = table_of_labels(references, predictions, **options)
        assert score_of(table, name) == close(value)
        if name in REPORTED:
            assert Report.from_table(table).scores[name] == close(value)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_gives_its_interval_and_signature(name, load):
    inputs = {"references": list("aabbc") * 20, "predictions": list("aabbb") * 20}
    asked = {"return_signature": True}
    if isinstance(score_named(name), ScoreWithInterval):
        asked["confidence_level"] = 0.9
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = load(name).compute(**inputs, **asked)
    assert result[f"{name}_signature"].startswith(f"{name}|")
    if "confidence_level" not in asked:
        with pytest.raises(ValueError, match=f"'{name}' has no standard error, interval or test"):
            load(name).compute(**inputs, confidence_level=0.9)
        return
    low, high = result[f"{name}_confidence_interval"]
    assert score_named(name).lowest <= low <= result[name] <= high <= score_named(name).best


# Beside the package, which a module needs for what it tells beside the score, and for nothing else

INPUTS = {"references": [0, 0, 1, 1] * 20, "predictions": [0, 0, 1, 0] * 20}


def test_a_module_without_the_package_scores_and_names_it_for_interval_and_signature(
    load, monkeypatch
):
    monkeypatch.setitem(sys.modules, "informedness.statistics.modules", None)
    for name in MODULES:
        metric = load(name)
        assert metric.compute(**INPUTS).keys() == {name}
        wanted = "^`confidence_level` and `return_signature` need the package informedness, which "
        for asked in ({"confidence_level": 0.9}, {"return_signature": True}):
            with pytest.raises(ImportError, match=wanted):
                metric.compute(**INPUTS, **asked)


@pytest.mark.filterwarnings("ignore:informedness. the interval of nit")
def test_a_module_beside_a_package_that_scores_otherwise_has_no_interval(load, monkeypatch):
    for name in {*MODULES} & {
        score.name for score in reported() if isinstance(score, ScoreWithInterval)
    }:
        metric = load(name)
        score = type(score_named(name))
        made = score.rounded
        monkeypatch.setattr(score, "rounded", lambda *given, made=made: made(*given) + 2e-12)
        monkeypatch.setattr(modules, "__version__", "0.0.9")
        wanted = (
            f"{name}' of version 0.1.0 scores .* package, version 0.0.9, scores .* same version"
        )
        with pytest.raises(RuntimeError, match=wanted):
            metric.compute(**INPUTS, confidence_level=0.9)
        monkeypatch.undo()
        assert len(metric.compute(**INPUTS, confidence_level=0.9)) == 3
