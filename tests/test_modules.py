"""The `evaluate` protocol: what the base class promises, kept; what it gets wrong, right."""

import copy
import json
import os
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import cloudpickle
import dill
import evaluate
import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score

from informedness import informedness_score, module_path

REFERENCES = [0, 1, 2, 2, 1, 0, 2]
PREDICTIONS = [0, 1, 2, 1, 1, 2, 2]
SCORE = informedness_score(REFERENCES, PREDICTIONS)


@pytest.fixture(params=["informedness", "nit"])
def name(request):
    return request.param


@pytest.fixture
def metric(load):
    return load("informedness")


def test_average_none_lists_the_classes_and_their_labels(metric):
    result = metric.compute(references=["b", "a"], predictions=["b", "b"], average=None)
    assert result == {"informedness": [0.0, 0.0], "labels": ["a", "b"]}


def test_adding_in_any_way_is_computing_at_once(load, name):
    whole = load(name).compute(references=REFERENCES, predictions=PREDICTIONS)
    metric = load(name)
    metric.add(reference=REFERENCES[0], prediction=PREDICTIONS[0])
    metric.add_batch(references=REFERENCES[1:3], predictions=np.array(PREDICTIONS[1:3]))
    metric.add_batch(references=(), predictions=[])
    assert len(metric) == 3
    with pytest.warns(UserWarning, match="3 added before"):
        result = metric.compute(references=REFERENCES[3:], predictions=PREDICTIONS[3:])
    assert result == whole
    assert len(metric) == 0


@pytest.mark.parametrize("labels", [None, ["a", "b"]], ids=["observed", "declared"])
def test_one_sample_such_as_a_last_batch_is_scored_with_one_warning(load, name, labels):
    metric = load(name)
    value = {"informedness": 0.0, "nit": 0.5 if labels else 1.0}[name]
    for answer in ("a", "b"):
        with pytest.warns(UserWarning, match="^informedness: the score of one sample") as caught:
            result = metric.compute(references=["a"], predictions=[answer], labels=labels)
        assert result == {name: value}
        (warning,) = caught
        assert warning.filename == __file__


def test_samples_added_one_by_one_are_not_taken_for_one(load, name):
    metric = load(name)
    for reference, prediction in zip(REFERENCES, PREDICTIONS, strict=True):
        metric.add(reference=reference, prediction=prediction)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric.compute()


@pytest.mark.parametrize("labels", [[0, 1, 2], ["a", "b", "c"], [True, 2**64 - 1, -1]])
def test_adding_one_by_one_is_as_strict_as_adding_a_batch(metric, labels):
    for number in range(30):
        metric.add(reference=labels[number % 3], prediction=labels[number % 2])
    other = 1 if isinstance(labels[0], str) else "a"
    for bad in (None, 0.5, other, 2**64, [1]):
        with pytest.raises(ValueError, match="predictions"):
            metric.add(reference=labels[0], prediction=bad)
    metric.add_batch(references=labels, predictions=labels)
    metric.add(reference=labels[0], prediction=labels[1])
    assert len(metric) == 34
    references = [labels[number % 3] for number in range(30)] + labels + labels[:1]
    predictions = [labels[number % 2] for number in range(30)] + labels + labels[1:2]
    weights = list(range(1, 35))
    expected = informedness_score(references, predictions, sample_weight=weights)
    assert metric.compute(sample_weight=weights) == {"informedness": expected}
    metric.add(reference=other, prediction=other)  # the next computation may be of another kind
    assert len(metric) == 1


def test_weights_given_at_compute_belong_to_what_was_added(metric):
    weights = [1, 2, 0.5, 3, 1, 1, 2]
    metric.add_batch(references=REFERENCES[:4], predictions=PREDICTIONS[:4])
    metric.add_batch(references=REFERENCES[4:], predictions=PREDICTIONS[4:])
    expected = informedness_score(REFERENCES, PREDICTIONS, sample_weight=weights)
    assert metric.compute(sample_weight=weights) == {"informedness": expected}


BINARY = [x % 2 for x in REFERENCES], [x % 2 for x in PREDICTIONS]
WEIGHTS = [1, Decimal("0.25"), 5, 0.5, np.float32(3), 0, 1.75]


def test_weights_come_with_batches_and_are_1_where_there_are_none(metric):
    references, predictions = BINARY
    for numbers in (range(2), [2], range(3, 7)):
        batch = [list(map(column.__getitem__, numbers)) for column in (*BINARY, WEIGHTS)]
        if len(batch[0]) == 1:
            metric.add(reference=batch[0][0], prediction=batch[1][0], sample_weight=batch[2][0])
        else:
            metric.add_batch(references=batch[0], predictions=batch[1], sample_weight=batch[2])
    metric.add_batch(references=[1, 0], predictions=[1, 1])
    metric.add(reference=0, prediction=0)
    weights = [float(weight) for weight in WEIGHTS] + [1.0] * 3
    references, predictions = [*references, 1, 0, 0], [*predictions, 1, 1, 0]
    youden = balanced_accuracy_score(references, predictions, sample_weight=weights, adjusted=True)
    assert metric.compute() == {"informedness": pytest.approx(youden, abs=1e-12)}


@pytest.mark.parametrize(
    "weights",
    [[2**53 + 1, 2**62, 3], [Decimal("0.1"), Fraction(1, 3), 2**70], [0.1, 0.7, 1e-300]],
    ids=["integers", "fractions", "floats"],
)
def test_weights_of_batches_are_worth_what_they_are_to_compute(metric, weights):
    references, predictions = [0, 0, 1], [0, 1, 1]
    expected = informedness_score(references, predictions, sample_weight=weights)
    metric.add_batch(references=references, predictions=predictions, sample_weight=weights)
    assert metric.compute() == {"informedness": expected}
    for sample in zip(references, predictions, weights, strict=True):
        metric.add(**dict(zip(("reference", "prediction", "sample_weight"), sample, strict=True)))
    assert metric.compute() == {"informedness": expected}


def test_a_weight_of_none_at_add_is_no_weight(metric):
    metric.add(reference=0, prediction=0, sample_weight=None)
    metric.add_batch(references=[1], predictions=[1], sample_weight=None)
    assert metric.compute(sample_weight=[1, 2]) == {"informedness": 1.0}


def test_a_batch_all_of_weight_0_counts_for_nothing_beside_others(metric):
    metric.add_batch(references=[0, 1], predictions=[1, 0], sample_weight=[0, 0])
    metric.add_batch(references=REFERENCES, predictions=PREDICTIONS)
    metric.add_batch(references=[], predictions=[], sample_weight=[])
    assert metric.compute() == {"informedness": pytest.approx(SCORE, abs=1e-12)}


BAD_WEIGHTS = {
    "negative": [1, -1],
    "nan": [1, float("nan")],
    "infinite": [1, float("inf")],
    "text": ["1", "2"],
    "None": [1, None],
    "one": [1],
    "a number": 1,
    "matrix": [[1], [1]],
    "2**63": np.array([2**63, 1], np.uint64),
}


@pytest.mark.parametrize("bad", BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
@pytest.mark.parametrize("processes", [1, 2])
def test_bad_weights_are_refused_as_by_compute_before_anything_is_added(
    load, tmp_path, processes, bad
):
    options = {"num_process": 2, "process_id": 0, "timeout": 0.1} if processes > 1 else {}
    metric = load("informedness", cache_dir=str(tmp_path), **options)
    inputs = {"references": [0, 1], "predictions": [0, 1], "sample_weight": bad}
    with pytest.raises(ValueError, match="`sample_weight`") as expected:
        informedness_score([0, 1], [0, 1], sample_weight=bad)
    with pytest.raises(ValueError, match="`sample_weight`") as caught:
        metric.add_batch(**inputs)
    assert str(caught.value) == str(expected.value)
    assert len(metric) == 0
    assert not list(tmp_path.rglob("*.arrow"))


@pytest.mark.filterwarnings("ignore:informedness. `compute` takes")
def test_weights_for_all_samples_are_refused_where_some_came_with_their_own(load):
    inputs = {"references": REFERENCES, "predictions": PREDICTIONS}
    at_load = load("informedness", sample_weight=[1] * 7)
    for metric, options in [
        (load("informedness"), {"sample_weight": [1] * 7}),
        (load("informedness"), {"sample_weight": [1] * 14} | inputs),
        (at_load, {}),
    ]:
        metric.add_batch(**inputs, sample_weight=[2] * 7)
        with pytest.raises(
            ValueError, match=r"`sample_weight` .* both ways: leave it out .*`add_batch`"
        ):
            metric.compute(**options)
    at_load.add_batch(**inputs, sample_weight=[2] * 7)
    assert at_load.compute(sample_weight=None) == {"informedness": SCORE}


def test_a_buffer_of_weights_may_be_refilled(metric):
    weights = np.array([1.0, 2, 3, 4, 5, 6, 7])
    expected = informedness_score(REFERENCES, PREDICTIONS, sample_weight=weights.copy())
    metric.add_batch(references=REFERENCES, predictions=PREDICTIONS, sample_weight=weights)
    weights[:] = 1
    assert metric.compute() == {"informedness": expected}


def test_what_an_evaluation_left_is_dropped_by_reset(metric):
    metric.reset()
    metric.add_batch(references=["a", "b"], predictions=["b", "a"], sample_weight=[1, 2])
    metric.add(reference="a", prediction="b")
    metric.reset()
    assert len(metric) == 0
    with pytest.raises(ValueError, match="at least once"):
        metric.compute()
    metric.add(reference=1, prediction=1)  # of any type
    metric.add(reference=0, prediction=0)
    assert metric.compute() == {"informedness": 1.0}


LEFT = r"^informedness: `compute` .* 3 added before: call `reset\(\)` first if .*`add_batch`"


def test_a_warning_says_how_many_samples_are_left_and_it_can_be_filtered(metric):
    right = {"references": [0, 1], "predictions": [0, 1]}
    metric.add(reference=0, prediction=1)
    metric.add_batch(references=[0, 1], predictions=[1, 0])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "informedness: `compute` takes")
        with pytest.raises(UserWarning, match=LEFT) as caught:
            metric.compute(**right)
        assert type(caught.value).__name__ == "InformednessWarning"
        assert len(metric) == 3
        metric.reset()
        assert metric.compute(**right) == {"informedness": 1.0}
        metric.add_batch(**right)
        assert metric.compute() == {"informedness": 1.0}
    metric.add_batch(references=[0, 1, 1], predictions=[1, 0, 0])
    with pytest.warns(UserWarning, match=LEFT) as caught:
        metric.compute(**right)
    assert caught[0].filename == __file__


def test_combine_drops_weights_at_add_batch_and_each_metric_takes_them(load):
    metrics = {"informedness": load("informedness"), "nit": load("nit")}
    inputs = {"references": REFERENCES, "predictions": PREDICTIONS}
    weights = [1, 2, 3, 4, 5, 6, 7]
    combined = evaluate.combine([*metrics.values()])
    plain = combined.compute(**inputs)
    combined.add_batch(**inputs, sample_weight=weights)
    assert combined.compute() == plain  # evaluate hands labels on, and nothing else
    for metric in metrics.values():
        metric.add_batch(**inputs, sample_weight=weights)
    weighted = combined.compute()
    assert weighted != pytest.approx(plain)
    assert weighted == combined.compute(**inputs, sample_weight=weights)


def test_a_batch_is_copied_so_the_caller_may_refill_its_buffer(metric):
    references, predictions = np.array(REFERENCES), np.array(PREDICTIONS)
    metric.add_batch(references=references, predictions=predictions)
    references[:], predictions[:] = 0, 1
    assert metric.compute() == {"informedness": SCORE}


def test_integers_that_no_one_dtype_holds_stay_apart_across_batches(metric):
    metric.add_batch(references=[-1, 2**63], predictions=[-1, 2**63])
    metric.add_batch(references=np.array([2**63 + 1], np.uint64), predictions=[2**63])
    result = metric.compute(average=None)
    assert result["labels"] == [-1, 2**63, 2**63 + 1]
    assert result["informedness"] == [1.0, 0.5, 0.0]


def test_a_refused_batch_leaves_what_was_added(metric):
    metric.add_batch(references=REFERENCES, predictions=PREDICTIONS)
    for bad in ([0.5], ["x"], [None]):
        with pytest.raises(ValueError, match="predictions"):
            metric.add_batch(references=[1], predictions=bad)
    with pytest.raises(ValueError, match="references added before"):
        metric.add_batch(references=["x"], predictions=["x"])
    assert metric.compute() == {"informedness": SCORE}


def test_a_failed_compute_uses_up_what_was_added_and_the_metric_works_on(metric):
    metric.add_batch(references=[0, 1], predictions=[1, 1])
    with pytest.raises(ValueError, match="sample_weight"):
        metric.compute(sample_weight=[1])
    assert metric.compute(references=REFERENCES, predictions=PREDICTIONS) == {"informedness": SCORE}


def test_compute_without_anything_says_to_add_first(metric):
    with pytest.raises(ValueError, match="call `add` or `add_batch` at least once before"):
        metric.compute()


def test_inputs_that_do_not_exist_are_refused_as_in_the_base_class(metric):
    with pytest.raises(ValueError, match=r"Bad inputs for evaluation module: \['weights'\]"):
        metric.add_batch(references=[0], predictions=[0], weights=[1])
    with pytest.raises(TypeError, match="weights"):
        metric.compute(references=[0, 1], predictions=[0, 1], weights=[1, 1])


def test_lengths_that_differ_are_refused_with_the_words_of_the_base_class(metric):
    message = r"^Mismatch in the number of predictions \(2\) and references \(3\)$"
    for call in (metric.compute, metric.add_batch):
        with pytest.raises(ValueError, match=message):
            call(references=[0, 1, 1], predictions=[0, 1])


def test_one_of_the_two_inputs_alone_is_refused(metric):
    with pytest.raises(ValueError, match="`references` must be a sequence of labels, got None"):
        metric.compute(predictions=[0, 1])


def test_threads_may_share_a_metric(metric):
    generator = np.random.default_rng(0)
    inputs = [generator.integers(0, 4, (2, 5000)) for _ in range(16)]
    expected = [informedness_score(*pair) for pair in inputs]
    wrong = []

    def work(number):
        for _ in range(20):
            references, predictions = inputs[number]
            result = metric.compute(references=references, predictions=predictions)
            if result != {"informedness": expected[number]}:
                wrong.append(result)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("pickle", [cloudpickle, dill], ids=["cloudpickle", "dill"])
def test_a_metric_survives_pickling_with_what_was_added(metric, pickle):
    empty = pickle.loads(pickle.dumps(metric))
    assert empty.compute(references=REFERENCES, predictions=PREDICTIONS) == {"informedness": SCORE}
    metric.add_batch(references=REFERENCES[2:], predictions=PREDICTIONS[2:])
    for reference, prediction in zip(REFERENCES[:2], PREDICTIONS[:2], strict=True):
        metric.add(reference=reference, prediction=prediction)
    filled = pickle.loads(pickle.dumps(metric))
    assert filled.compute() == metric.compute() == {"informedness": SCORE}


def test_a_copy_adds_for_itself(metric):
    metric.add(reference=1, prediction=1)
    other = copy.deepcopy(metric)
    other.add(reference=1, prediction=1)
    assert (len(metric), len(other)) == (1, 2)


@pytest.mark.parametrize("keep_in_memory", [True, False])
def test_keep_in_memory_changes_nothing_and_no_file_is_written(load, tmp_path, keep_in_memory):
    metric = load("informedness", keep_in_memory=keep_in_memory, cache_dir=str(tmp_path))
    metric.add_batch(references=REFERENCES, predictions=PREDICTIONS)
    assert metric.compute() == {"informedness": SCORE}
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_combine_computes_both_in_every_way(load):
    both = {"informedness": SCORE} | load("nit").compute(
        references=REFERENCES, predictions=PREDICTIONS
    )
    combined = evaluate.combine(["informedness", "nit"])
    assert combined.compute(references=REFERENCES, predictions=PREDICTIONS) == both
    combined.add(reference=REFERENCES[0], prediction=PREDICTIONS[0])
    combined.add_batch(references=REFERENCES[1:], predictions=PREDICTIONS[1:])
    assert combined.compute() == both
    weighted = combined.compute(
        references=[*REFERENCES, 0], predictions=[*PREDICTIONS, 1], sample_weight=[1] * 7 + [0]
    )
    assert weighted == pytest.approx(both, abs=1e-12)


@pytest.mark.parametrize("way", ["compute", "add_batch"])
@pytest.mark.parametrize("of", ["predictions", "references", "both"])
def test_iterators_are_refused_before_the_first_of_combined_metrics_eats_them(load, way, of):
    metrics = [load("informedness"), load("nit")]
    combined = evaluate.combine(metrics)
    inputs = {"references": REFERENCES, "predictions": PREDICTIONS}
    combined.add_batch(**inputs)
    iterators = {name: iter(inputs[name]) for name in inputs if of in (name, "both")}
    with pytest.raises(TypeError, match=r"iterator.*pass list\("):
        getattr(combined, way)(**inputs | iterators)
    assert [len(metric) for metric in metrics] == [7, 7]
    assert all(next(iterator) == 0 for iterator in iterators.values())


IGNORED = {"references": [*REFERENCES, -100], "predictions": [*PREDICTIONS, 0]}


@pytest.mark.parametrize("way", ["compute", "add", "add_batch"])
def test_options_at_load_are_the_defaults_of_compute(load, way):
    metric = load("informedness", average="macro", ignore_index=-100)
    macro = informedness_score(REFERENCES, PREDICTIONS, average="macro")
    assert macro != pytest.approx(SCORE)
    for options, expected in [({}, macro), ({"average": "bias"}, SCORE), ({}, macro)]:
        if way == "compute":
            result = metric.compute(**IGNORED, **options)
        elif way == "add_batch":
            metric.add_batch(**IGNORED)
            result = metric.compute(**options)
        else:
            for reference, prediction in zip(*IGNORED.values(), strict=True):
                metric.add(reference=reference, prediction=prediction)
            result = metric.compute(**options)
        assert result == {"informedness": expected}
    each = metric.compute(**IGNORED, average=None)
    assert each["labels"] == [0, 1, 2]


def test_options_at_load_stand_beside_those_of_the_base_class(load, tmp_path):
    metric = load(
        "informedness",
        "mine",
        average="macro",
        seed=3,
        timeout=7,
        experiment_id="one",
        keep_in_memory=True,
        cache_dir=str(tmp_path),
    )
    assert (metric.config_name, metric.seed, metric.timeout) == ("mine", 3, 7)
    assert (metric.experiment_id, metric.keep_in_memory) == ("one", True)
    expected = {"informedness": informedness_score(REFERENCES, PREDICTIONS, average="macro")}
    assert metric.compute(references=REFERENCES, predictions=PREDICTIONS) == expected
    copied = dill.loads(dill.dumps(metric))
    assert copied.compute(references=REFERENCES, predictions=PREDICTIONS) == expected


def test_an_option_there_is_not_is_refused_at_load_and_at_compute_with_those_there_are(load, name):
    message = f"^{name} has no option 'averge': its options are labels, .*return_signature$"
    with pytest.raises(TypeError, match=message):
        load(name, averge="macro")
    metric = load(name)
    with pytest.raises(TypeError, match=message):
        metric.compute(references=REFERENCES, predictions=PREDICTIONS, averge="macro")
    metric.add_batch(references=REFERENCES, predictions=PREDICTIONS)
    with pytest.raises(TypeError, match=message):
        metric.compute(averge="macro")
    assert len(metric) == 0  # as after any computation that fails


def test_a_value_at_load_that_is_not_valid_is_refused_at_compute(load):
    metric = load("informedness", average="makro")
    with pytest.raises(ValueError, match=r"`average` must be one of .*'makro'"):
        metric.compute(references=REFERENCES, predictions=PREDICTIONS)


def test_combine_computes_each_metric_with_its_own_options_at_load(load):
    plain = load("informedness")
    metrics = {"macro": load("informedness", average="macro"), "bias": plain, "nit": load("nit")}
    inputs = {"references": REFERENCES, "predictions": PREDICTIONS}
    assert evaluate.combine(metrics).compute(**inputs) == {
        "macro_informedness": informedness_score(REFERENCES, PREDICTIONS, average="macro"),
        "bias_informedness": SCORE,
        **load("nit").compute(**inputs),
    }


def test_results_are_builtin_numbers_that_evaluate_can_save(load, tmp_path):
    result = load("nit").compute(references=np.array([0, 1]), predictions=np.array([0, 1]))
    result |= load("informedness").compute(
        references=np.array(["a", "b"]), predictions=np.array(["a", "a"]), average=None
    )
    path = evaluate.save(tmp_path / "result.json", **result)
    saved = json.loads(Path(path).read_text(encoding="utf-8"))
    assert {name: saved[name] for name in result} == result


@pytest.mark.filterwarnings("ignore:informedness")  # intervals of few samples
@pytest.mark.parametrize(
    ("labels", "saved"),
    [
        ([b"a", b"\xff"], ["b'a'", "b'\\xff'"]),
        ([-1, 2**64 - 1], [-1, 2**64 - 1]),
        (["\ud800", "\u00e9"], ["\u00e9", "\ud800"]),
        (np.array([True, False]), [0, 1]),
        (np.array(["a", "b"]), ["a", "b"]),
    ],
    ids=["bytes", "integers", "strings", "bools", "array"],
)
def test_a_result_of_any_labels_can_be_saved(metric, tmp_path, labels, saved):
    result = metric.compute(
        references=labels,
        predictions=labels,
        average=None,
        confidence_level=0.95,
        return_signature=True,
    )
    assert result["labels"] == saved
    path = evaluate.save(tmp_path / "result.json", **result)
    assert json.loads(Path(path).read_text(encoding="utf-8"))["labels"] == saved


def test_bytes_of_ones_own_cannot_be_saved_but_as_text(tmp_path):
    with pytest.raises(TypeError, match="bytes is not JSON serializable"):
        evaluate.save(tmp_path / "bytes.json", labels=[b"a"])
    path = evaluate.save(tmp_path / "text.json", labels=[repr(b"a")])
    assert json.loads(Path(path).read_text(encoding="utf-8"))["labels"] == ["b'a'"]


def test_a_batch_that_is_ignored_as_a_whole_is_an_error_of_its_own_kind(load):
    metric = load("informedness", ignore_index=-100)
    metric.add_batch(references=[-100, -100], predictions=[0, 1])
    with pytest.raises(ValueError, match="none is left: all are ignored") as caught:
        metric.compute()
    assert type(caught.value).__name__ == "NoSamplesError"
    assert metric.compute(references=[0, 1], predictions=[0, 1]) == {"informedness": 1.0}


def test_the_features_name_both_kinds_of_label(metric):
    kinds = [features["predictions"].dtype for features in metric.features]
    assert kinds == ["int64", "string"]


WORKER = textwrap.dedent(
    """
    import json, os, sys, warnings
    import evaluate
    path, rank, cache, experiment, mode = sys.argv[1:]
    rank = int(rank)
    warnings.simplefilter("ignore")
    metric = evaluate.load(
        path, num_process=2, process_id=rank, cache_dir=cache, experiment_id=experiment
    )
    metric.timeout = 300  # the other one may take long to start
    if mode == "labels":
        batches = [
            [(["001", "1"], ["001", "001"]), (["a\\0", "\\ud800"], ["a", "\\ud800"])],
            [(["1", "\u00e9"], ["1", "e\u0301"]), (["a", "001"], ["a", "001"])],
        ][rank]
    else:
        batches = [[([2**64 - 1, 5], [5, 5])], [([-3], [-3]), ([], [])]][rank]
    for references, predictions in batches:
        metric.add_batch(references=references, predictions=predictions)
    if mode == "death" and rank == 1:
        metric.add_batch(references=[0, 1] * 2000, predictions=[0, 1] * 2000)
        os._exit(1)
    options = {"no_such_option": 1} if mode == "error" else {}
    try:
        print(json.dumps(metric.compute(**options)))
    except (TypeError, ValueError) as error:
        print(json.dumps(str(error)))
    if mode == "error":
        for references, predictions in batches:
            metric.add_batch(references=references, predictions=predictions)
        print(json.dumps(metric.compute()))
    """
)


def in_two_processes(mode, tmp_path, path):
    arguments = [str(tmp_path), f"experiment-{mode}", mode]
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, path, str(rank), *arguments],
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    return [
        [json.loads(line) for line in worker.communicate(timeout=600)[0].splitlines()]
        for worker in workers
    ]


@pytest.mark.slow
def test_two_processes_gather_strings_exactly(tmp_path):
    references = ["001", "1", "a\0", "\ud800", "1", "\u00e9", "a", "001"]
    predictions = ["001", "001", "a", "\ud800", "1", "e\u0301", "a", "001"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = informedness_score(references, predictions)
    first, second = in_two_processes("labels", tmp_path, module_path("informedness"))
    assert (first, second) == ([{"informedness": expected}], [None])
    assert not list(tmp_path.rglob("*.arrow"))


@pytest.mark.slow
def test_two_processes_gather_large_integers_and_recover_from_an_error(tmp_path):
    expected = informedness_score([2**64 - 1, 5, -3], [5, 5, -3])
    first, second = in_two_processes("error", tmp_path, module_path("informedness"))
    assert "no_such_option" in first[0]
    assert first[1] == {"informedness": expected}
    assert second == [None, None]


@pytest.mark.slow
def test_a_process_that_dies_half_way_is_not_scored_on_what_it_left(tmp_path):
    first, second = in_two_processes("death", tmp_path, module_path("informedness"))
    assert "experiment-death-0-2-1.arrow are cut off" in first[0]
    assert second == []


JOB = """
import sys
import evaluate
path, rank, cache, label = sys.argv[1:]
metric = evaluate.load(path, num_process=2, process_id=int(rank), cache_dir=cache, timeout=300)
metric.add_batch(references=["a", label], predictions=["a", label])
print(metric.compute(return_signature=True, average=None))
"""


@pytest.mark.slow
def test_two_jobs_that_their_launcher_tells_apart_may_share_a_cache_folder(tmp_path):
    def start(job, rank):
        arguments = [module_path("informedness"), str(rank), str(tmp_path), job]
        environment = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": job}
        command = [sys.executable, "-c", JOB, *arguments]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    # the first process of the one and the second of the other meet first
    workers = {("b", 0): start("b", 0), ("c", 1): start("c", 1)}
    while len(list(tmp_path.rglob("*-[01].arrow"))) < 2:
        assert not any(worker.poll() for worker in workers.values())
        time.sleep(0.05)
    workers |= {("c", 0): start("c", 0), ("b", 1): start("b", 1)}
    outputs = {key: worker.communicate(timeout=600)[0] for key, worker in workers.items()}
    assert (outputs["b", 1], outputs["c", 1]) == ("None\n", "None\n")
    for job in "bc":
        assert f"'labels': ['a', '{job}']" in outputs[job, 0]
