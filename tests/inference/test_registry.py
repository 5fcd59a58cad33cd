"""Each metric module of the registry, held to its golden cases.

They are in `vectors.json`.

Covers src: inference/registry.py, results/estimate.py.
"""

import sys

import pytest

from informedness import ContingencyTable, estimate, report
from informedness.inference.registry import MODULES, REPORTED, score_named
from informedness.results import estimate as estimates
from inputs.tables import score_of
from oracles.golden import VECTORS, close

IN_VECTORS = {"informedness": ("exact", "informedness"), "nit": ("info", "NIT_k_ref")}


def golden_cases(name):
    """Return references, predictions, options and value of each golden case of a metric."""
    group, key = IN_VECTORS[name]
    cases = []
    for vector in VECTORS:
        if vector.is_counts and getattr(vector, group)[key] is not None:
            case = dict(zip(("references", "predictions"), vector.samples(), strict=True))
            # a class that no reference has is one only if it is declared; k of NIT counts it then
            options = {"labels": range(len(vector.table))} if name == "informedness" else {}
            cases.append(case | {"options": options, "value": getattr(vector, group)[key]})
    return cases


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("name", MODULES)
def test_every_module_agrees_with_golden_cases_everywhere(name, load):
    metric, cases = load(name), golden_cases(name)
    assert cases
    for case in cases:
        given = {x: case[x] for x in ("references", "predictions")} | case["options"]
        assert metric.compute(**given)[name] == close(case["value"])
        table = ContingencyTable.from_labels(**given)
        assert score_of(table, name) == close(case["value"])
        if name in REPORTED:
            assert report(table).scores[name] == close(case["value"])


INPUTS = {"references": [0, 0, 1, 1] * 20, "predictions": [0, 0, 1, 0] * 20}


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("name", MODULES)
def test_every_module_gives_its_interval_and_signature(name, load):
    result = load(name).compute(**INPUTS, return_signature=True)
    assert result[f"{name}_signature"].startswith(f"{name}|")
    made = load(name).compute(**INPUTS, confidence_level=0.9)
    wanted = estimate(*INPUTS.values(), name, confidence_level=0.9)
    assert made[f"{name}_confidence_interval"] == close([*wanted.confidence_interval])


# Beside the package, which a module needs for intervals and signatures alone


def test_a_module_without_the_package_still_scores(load, monkeypatch):
    for needed in ("inference.registry", "results.estimate"):
        monkeypatch.setitem(sys.modules, f"informedness.{needed}", None)
    for name in MODULES:
        metric = load(name)
        assert metric.compute(**INPUTS).keys() == {name}
        wanted = (
            "^`confidence_level` and `return_signature` need the installed package: pip install"
        )
        for asked in ({"confidence_level": 0.9}, {"return_signature": True}):
            with pytest.raises(ImportError, match=wanted):
                metric.compute(**INPUTS, **asked)


def test_a_module_refuses_intervals_of_another_version(load, monkeypatch):
    wanted = "' of version 0.1.0 scores .* package, version 0.0.9, scores .* same version"
    monkeypatch.setattr(estimates, "__version__", "0.0.9")
    for name in MODULES:
        score = type(score_named(name))
        made = score.clipped_value
        monkeypatch.setattr(score, "clipped_value", lambda *given, made=made: made(*given) + 2e-12)
        with pytest.raises(RuntimeError, match=f"{name}{wanted}"):
            load(name).compute(**INPUTS, confidence_level=0.9)
