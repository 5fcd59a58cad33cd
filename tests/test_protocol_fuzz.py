"""Random samples in random containers, split at random over calls, score as one call.

The draws are the same every time. `FUZZ_ROUNDS=5000` draws more of them.
"""

import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tensors
from informedness import informedness_score, nit_score

ROUNDS = int(os.environ.get("FUZZ_ROUNDS", "60"))

LABELS = {
    "small": [0, 1, 2, 3],
    "wide": [-(2**63), -1, 2**31, 2**63 - 1],
    "unsigned": [0, 2**63, 2**63 + 1, 2**64 - 1],
    "mixed signs": [-1, 5, 2**63, 2**64 - 1],
    "strings": ["a", "b", "", "001"],
    "odd strings": ["a\x00", "a", "\u00e9", "e\u0301"],
    "bytes": [b"a", b"a\x00", b"\xff", b""],
}
CONTAINERS = [
    list,
    lambda labels: np.array([*labels, None], dtype=object)[:-1],
    lambda labels: pd.Series(labels, index=range(3, 3 + len(labels)), dtype=object),
    lambda labels: pd.Categorical(labels, categories=sorted(set(labels))),
]
SMALL_INTEGERS = [
    lambda labels: np.array(labels, dtype=np.int8),
    lambda labels: np.array(labels, dtype=">u2"),
    lambda labels: np.array(labels, dtype=np.float32),
    *tensors.LABELS.values(),
]
STRINGS = [lambda labels: pa.array(labels, type=pa.string()).dictionary_encode()]


def containers_of(kind):
    more = {"small": SMALL_INTEGERS, "strings": STRINGS, "odd strings": STRINGS}
    return CONTAINERS + more.get(kind, [])


def drawn_calls(generator, kind, references, predictions):
    """Return calls of `add` and `add_batch` that add the samples in their order."""
    containers, calls, start = containers_of(kind), [], 0
    while start < len(references):
        stop = start + int(generator.choice([0, 1, 1, 1, 2, 7]))
        part = references[start:stop], predictions[start:stop]
        if stop == start + 1 and generator.random() < 0.7:
            calls.append(("add", {"reference": part[0][0], "prediction": part[1][0]}))
        else:
            boxed = [
                containers[generator.integers(len(containers))](labels) if labels else []
                for labels in part
            ]
            calls.append(
                ("add_batch", dict(zip(("references", "predictions"), boxed, strict=True)))
            )
        start = max(start, stop)
    return calls


def weighted(calls, weights):
    """Return the calls with weights; one without a weight is of samples that weigh 1."""
    start, with_weights = 0, []
    for name, arguments in calls:
        stop = start + (1 if name == "add" else len(arguments["references"]))
        given = weights[start] if name == "add" else weights[start:stop]
        more = {} if set(weights[start:stop]) == {1} else {"sample_weight": given}
        with_weights.append((name, arguments | more))
        start = stop
    return with_weights


def made(metric, calls):
    for name, arguments in calls:
        getattr(metric, name)(**arguments)


@pytest.mark.filterwarnings("ignore:informedness")
def test_any_split_into_calls_scores_as_one_call(load):
    functions = {"informedness": informedness_score, "nit": nit_score}
    metrics = {name: load(name) for name in functions}
    for seed in range(ROUNDS):
        name, kind = [*functions][seed % 2], [*LABELS][seed % len(LABELS)]
        metric, function = metrics[name], functions[name]
        generator = np.random.default_rng([9, seed])
        n = int(generator.integers(1, 40))
        references, predictions = (
            [LABELS[kind][code] for code in codes] for codes in generator.integers(0, 4, (2, n))
        )
        calls = drawn_calls(generator, kind, references, predictions)
        last = int(generator.integers(0, n + 1)) if generator.random() < 0.5 else n
        made(metric, drawn_calls(generator, kind, references[:last], predictions[:last]))
        assert len(metric) == last, seed
        rest = {"references": references[last:], "predictions": predictions[last:]}
        expected = pytest.approx(function(references, predictions), abs=1e-12)
        assert metric.compute(**rest if last < n else {}) == {name: expected}, seed
        weights = (generator.integers(1, 4, n) / generator.choice([1, 3])).tolist()
        expected = function(references, predictions, sample_weight=weights)
        expected = {name: pytest.approx(expected, abs=1e-12)}
        made(metric, calls)
        assert metric.compute(sample_weight=weights) == expected, seed
        made(metric, weighted(calls, weights))
        assert metric.compute() == expected, seed
        assert len(metric) == 0, seed
