"""The `evaluate` protocol: what the base class promises, kept; what it gets wrong, right.

Covers src: core/protocol.py.
"""

import json
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import datasets
import dill
import evaluate
import numpy as np
import pytest

from informedness import informedness_score, nit_score
from informedness.inference.registry import module_path

REFERENCES = [0, 1, 2, 2, 1, 0, 2]
PREDICTIONS = [0, 1, 2, 1, 1, 2, 2]
WEIGHTS = [1, 1, 0.1, 0, 1, 1 / 3, 2]
SCORE = informedness_score(REFERENCES, PREDICTIONS)


@pytest.fixture
def metric(load):
    return load("informedness")


def test_adding_one_by_one_is_as_strict_as_adding_a_batch(metric):
    for labels, other in (([0, 1], "a"), (["a", "b"], 1), ([True, 2**64 - 1], "a")):
        metric.add(reference=labels[0], prediction=labels[0])
        for bad in (None, 0.5, other, 2**64, [1]):
            with pytest.raises(ValueError, match="predictions"):
                metric.add(prediction=bad, reference=labels[0])
            with pytest.raises(ValueError, match="references"):
                metric.add(prediction=labels[0], reference=bad)
        with pytest.raises(TypeError, match="weight"):
            metric.add(reference=labels[0], prediction=labels[0], weight=None)
        with pytest.raises(ValueError, match="references added before"):
            metric.add_batch(references=[other], predictions=[other])
        metric.add(reference=labels[1], prediction=labels[1])
        assert metric.compute() == {"informedness": 1.0}  # the next may be of another kind


@pytest.mark.parametrize("name", ["informedness", "nit"])
def test_intervals_come_from_the_package_beside_a_script(name):
    options = f"references={REFERENCES * 9}, predictions={PREDICTIONS * 9}, confidence_level=0.95"
    code = f"import evaluate; print(evaluate.load({f'../{name}'!r}).compute({options}))"
    folder = Path(module_path("informedness"))
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, text=True, capture_output=True, check=True
    )
    assert f"'{name}_confidence_interval': [" in found.stdout


@pytest.mark.filterwarnings("ignore:informedness")
@pytest.mark.parametrize("name", ["informedness", "nit"])
def test_add_and_add_batch_collect_all_samples_and_weights(name, load, tmp_path):
    metric = load(name, cache_dir=str(tmp_path))
    score = {"informedness": informedness_score, "nit": nit_score}[name]
    for labels in ([-1, 2**63 + 1, 2**63], ["a", "a\0", "001"], [b"a", b"\xff", b""]):
        r, p = ([labels[code] for code in side] for side in (REFERENCES, PREDICTIONS))
        metric.add(reference=r[0], prediction=p[0])
        metric.add(reference=r[1], prediction=p[1])
        metric.add_batch(references=r[2:4], predictions=p[2:4], sample_weight=np.array([0.1, 0]))
        metric.add_batch(references=[], predictions=[], sample_weight=[])
        metric.add(reference=r[4], prediction=p[4], sample_weight=None)
        metric.add(reference=r[5], prediction=p[5], sample_weight=Fraction(1, 3))
        assert len(metric) == 6
        metric.add_batch(references=r[6:], predictions=p[6:], sample_weight=[Decimal(2)])
        assert metric.compute() == {name: score(r, p, sample_weight=WEIGHTS)}
        assert len(metric) == 0
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]  # it all waits in memory


def test_what_is_refused_leaves_what_was_added_and_opens_no_file(load, tmp_path):
    for options in ({}, {"num_process": 2, "process_id": 0, "timeout": 0.1}):
        metric = load("informedness", cache_dir=str(tmp_path), **options)
        with pytest.raises(ValueError, match="`sample_weight`"):
            metric.add_batch(references=[0, 1], predictions=[0, 1], sample_weight=[1, -1])
        assert len(metric) == 0
    assert not list(tmp_path.rglob("*.arrow"))
    metric = load("nit")
    metric.add_batch(references=REFERENCES, predictions=PREDICTIONS)
    with pytest.raises(ValueError, match=r"`references` must be a sequence .*None"):
        metric.compute(predictions=[0, 1])
    with pytest.raises(TypeError, match=r"^nit has no option 'averge': it has labels, "):
        metric.compute(averge="macro")
    assert len(metric) == len(REFERENCES)


@pytest.mark.filterwarnings("ignore:informedness. `compute` takes")
def test_weights_are_refused_if_samples_have_their_own(load):
    inputs = {"references": REFERENCES, "predictions": PREDICTIONS}
    at_load = load("informedness", sample_weight=[1] * 7)
    for metric, options in [
        (load("informedness"), {"sample_weight": [1] * 7}),
        (load("informedness"), {"sample_weight": [1] * 14} | inputs),
        (at_load, {}),
    ]:
        metric.add_batch(**inputs, sample_weight=[2] * 7)
        with pytest.raises(
            ValueError, match=r"`sample_weight` .* both to .*Pass it only to `add_batch`"
        ):
            metric.compute(**options)
    at_load.add_batch(**inputs, sample_weight=[2] * 7)
    assert at_load.compute(sample_weight=None) == {"informedness": SCORE}


LEFT = r"^informedness: `compute` .* 3 added before. To discard those, call `reset\(\)` first"


def test_a_warning_says_how_many_samples_are_left(metric):
    right = {"references": [0, 1], "predictions": [0, 1]}
    metric.add(reference=0, prediction=1)
    metric.add_batch(references=[0, 1], predictions=[1, 0])
    with pytest.warns(UserWarning, match=LEFT) as caught:
        metric.compute(**right)
    assert caught[0].category.__name__ == "InformednessWarning"
    assert caught[0].filename == __file__
    assert metric.compute(**right) == {"informedness": 1.0}


def test_a_batch_is_copied_so_the_caller_may_refill_its_buffers(metric):
    batch = {"references": REFERENCES, "predictions": PREDICTIONS, "sample_weight": WEIGHTS}
    batch = {name: np.array(values) for name, values in batch.items()}
    metric.add_batch(**batch)
    for buffer in batch.values():
        buffer[:] = 1
    expected = informedness_score(REFERENCES, PREDICTIONS, sample_weight=WEIGHTS)
    assert metric.compute() == {"informedness": expected}


IGNORED = {"references": [*REFERENCES, -100], "predictions": [*PREDICTIONS, 0]}


def test_options_at_load_are_the_defaults_of_compute(load):
    own = {"seed": 3, "experiment_id": "one"}
    metric = load("informedness", "mine", average="macro", ignore_index=-100, **own)
    assert (metric.config_name, metric.seed, metric.experiment_id) == ("mine", 3, "one")
    macro = informedness_score(REFERENCES, PREDICTIONS, average="macro")
    for options, expected in [({}, macro), ({"average": "bias"}, SCORE), ({}, macro)]:
        assert metric.compute(**IGNORED, **options) == {"informedness": expected}
        metric.add_batch(**IGNORED)
        assert metric.compute(**options) == {"informedness": expected}
    assert dill.loads(dill.dumps(metric)).compute(**IGNORED) == {"informedness": macro}


def test_an_unknown_option_is_refused_at_load(load):
    with pytest.raises(TypeError, match=r"^nit has no option 'averge': .*return_signature$"):
        load("nit", averge="macro")
    with pytest.raises(ValueError, match=r'`config_name` .* Pass average="macro"'):
        load("informedness", "macro")
    with pytest.raises(TypeError, match=r"^nit has no option 'average'"):
        load("nit", "macro")


AT_90 = {"confidence_level": 0.9, "prior": {0: 0.25, 1: 0.75}}
WRONG = {"unknown": "wrong"}
OPTIONS = [  # and what is wrong with them
    ({"average": "weighted"}, "`average` must be one of .* 'prevalence' is scikit-learn's"),
    ({"prior_mode": "odd"}, "`prior_mode` must be one of"),
    ({"zero_division": 1}, "`zero_division` must be"),
    ({"unknown": "ignore"}, "`unknown` must be one of"),
    ({"labels": ["a", "a"]}, "`labels` must list each class once"),
    ({"labels": [0.5]}, "`labels` must hold labels"),
    ({"labels": []}, "`labels` must list at least one class"),
    ({"prior": {"a": 0.5, "b": 0.4}}, "`prior` must sum to 1"),
    ({"prior": {"a": 0.5, "b": 0.5}, "labels": ["a", "c"]}, "'b' is missing"),
    ({"prior": [0.5, 0.5]}, "`prior` must map each class"),
    ({"ignore_index": 0.5}, "`ignore_index` must hold labels"),
    ({"confidence_level": 95}, "`confidence_level` must"),
    (AT_90 | {"prior_mode": "odds"}, '`confidence_level` must be left out .*"odds"'),
    (AT_90 | {"average": None}, "`prior` must be left out"),
    ({"average": None, "labels": [3]}, ""),
    (WRONG, ""),  # with labels at compute
    (WRONG | {"labels": [b"x", b"y"], "ignore_index": b"z"}, ""),
    ({"labels": ["a", "b", "c"], "prior": {"a": 0.5, "b": 0.5, "c": 0}}, ""),
    ({"prior": Counter("aab"), "ignore_index": "PAD"}, ""),
    ({"prior_mode": "odds", "ignore_index": 0}, ""),
    ({"confidence_level": 0.9, "return_signature": True, "zero_division": float("nan")}, ""),
]


@pytest.mark.parametrize(("options", "wrong"), OPTIONS)
def test_impossible_options_are_refused_at_load(load, options, wrong):
    with pytest.raises(ValueError, match=wrong) if wrong else nullcontext():
        load("informedness", **options)


@pytest.mark.filterwarnings("ignore:informedness")  # intervals of few samples
def test_a_result_of_any_labels_can_be_saved(metric, load, tmp_path):
    for labels, saved in [
        ([b"a", b"\xff"], ["b'a'", "b'\\xff'"]),
        ([-1, 2**64 - 1], [-1, 2**64 - 1]),
        (["\ud800", "\u00e9"], ["\u00e9", "\ud800"]),
        (np.array([True, False]), [0, 1]),
    ]:
        both = {"references": labels, "predictions": labels}
        options = {"average": None, "confidence_level": 0.95, "return_signature": True}
        result = metric.compute(**both, **options)
        assert result["labels"] == saved
        result |= load("nit").compute(**both)
        path = evaluate.save(tmp_path / "result.json", **result)
        read = json.loads(Path(path).read_text(encoding="utf-8"))
        assert {name: read[name] for name in result} == result


# With transformers, `import evaluate` imports torch too, which takes seconds.
DIES = """
import os, sys
sys.modules["transformers"] = None
import evaluate
metric = evaluate.load(
    sys.argv[1], num_process=2, process_id=1, cache_dir=sys.argv[2], experiment_id="two"
)
metric.add_batch(references=[0, 1], predictions=[0, 1])
os._exit(1)
"""


@pytest.mark.slow
def test_what_a_process_left_that_died_is_not_scored(load, tmp_path):
    two = {"num_process": 2, "process_id": 0, "cache_dir": str(tmp_path), "experiment_id": "two"}
    metric = load("informedness", **two, timeout=600)
    command = [sys.executable, "-c", DIES, module_path("informedness"), str(tmp_path)]
    with subprocess.Popen(command):
        metric.add(reference=0, prediction=0)  # waits for the other one
        with pytest.raises(ValueError, match=r"equally often, got {0: 0} as earlier calls by"):
            metric.compute()
    assert not list(tmp_path.rglob("*.arrow"))


@pytest.mark.full
def test_a_column_of_datasets_is_read_as_a_whole(metric, monkeypatch):
    data = datasets.Dataset.from_dict({"references": REFERENCES, "predictions": PREDICTIONS})
    monkeypatch.setattr(datasets.arrow_dataset.Column, "__iter__", None)  # row by row, in seconds
    for as_read in (data, data.with_format("numpy"), data.with_format("torch")):
        sides = {name: as_read[name] for name in ("references", "predictions")}
        assert metric.compute(**sides) == {"informedness": SCORE}
        metric.add_batch(references=data.select_columns(["references"]), predictions=PREDICTIONS)
        assert metric.compute() == {"informedness": SCORE}
        assert informedness_score(*sides.values()) == SCORE
