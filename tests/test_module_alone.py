"""A metric module beside the package: it needs it for `confidence_level`, and for nothing else."""

import sys

import pytest

from informedness.statistics import modules
from informedness.statistics.registry import MODULES

INPUTS = {"references": [0, 0, 1, 1] * 20, "predictions": [0, 0, 1, 0] * 20}


def test_a_module_without_the_package_scores_and_has_no_interval(load, monkeypatch):
    monkeypatch.setitem(sys.modules, "informedness.statistics.modules", None)
    for name in MODULES:
        metric = load(name)
        assert metric.compute(**INPUTS, return_signature=True).keys() == {name, f"{name}_signature"}
        wanted = "^`confidence_level` needs the package: pip install informedness$"
        with pytest.raises(ImportError, match=wanted):
            metric.compute(**INPUTS, confidence_level=0.9)


def test_a_module_beside_a_package_that_scores_otherwise_has_no_interval(load, monkeypatch):
    for name in MODULES:
        metric = load(name)
        made = modules.interval_of

        def other(*arguments, made=made):
            interval = made(*arguments)
            return interval._replace(value=interval.value + 2e-12)

        monkeypatch.setattr(modules, "interval_of", other)
        monkeypatch.setattr(modules, "__version__", "0.0.9")
        wanted = (
            f"{name}' of version 0.1.0 scores .* package, version 0.0.9, scores .* same version"
        )
        with pytest.raises(RuntimeError, match=wanted):
            metric.compute(**INPUTS, confidence_level=0.9)
        monkeypatch.undo()
        assert len(metric.compute(**INPUTS, confidence_level=0.9)) == 3
