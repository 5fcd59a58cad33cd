"""The same calls on the base class of `evaluate` and on these metrics, side by side.

`Plain` is a metric as its author would write it without `protocol.LabelInputs`. Where the base
class is right, both must answer alike, call by call; where it is silently wrong, ours is right.
"""

import os
import re
import signal
import sys
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import count
from pathlib import Path

import cloudpickle
import datasets
import dill
import evaluate
import numpy as np
import pytest

from informedness import InformednessWarning, informedness_score, module_path, nit_score
from informedness.core import protocol
from informedness.core.labels import read_pair
from informedness.core.protocol import LabelInputs

pytestmark = pytest.mark.filterwarnings("ignore:informedness")  # scores of few samples

SCORES = {"informedness": informedness_score, "nit": nit_score}
KINDS = {"integers": (0, 1, 2), "strings": ("no", "yes", "")}
REFERENCES = (0, 1, 2, 2, 1, 0, 2, 1, 1, 0)
PREDICTIONS = (0, 1, 2, 1, 1, 2, 2, 0, 1, 0)
WEIGHTS = [1, 2, 0.5, 3, 1, 0, 2, 1, 4, 1]


def features(*kinds):
    return [
        datasets.Features({"predictions": datasets.Value(k), "references": datasets.Value(k)})
        for k in kinds
    ]


def metric_class(*bases, score="informedness", takes=("int64", "string")):
    """Return a metric that computes the score of what its bases hand it."""

    class Plain(*bases):
        def _info(self):
            return evaluate.MetricInfo(
                description="", citation="", inputs_description="", features=features(*takes)
            )

        def _compute(self, predictions, references, sample_weight=None):
            value = SCORES[score](references, predictions, sample_weight=sample_weight)
            return {score: value}

    return Plain


class Seen(LabelInputs, evaluate.Metric):
    """A metric that returns the samples it is to compute."""

    def _info(self):
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=features("string")
        )

    def _compute(self, predictions, references, option=None):
        pair = read_pair(references, predictions)
        return {"seen": list(zip(pair[0].tolist(), pair[1].tolist(), strict=True))}


class SeenWeights(Seen):
    """A metric that returns the samples it is to compute, each with its weight."""

    def _compute(self, predictions, references, sample_weight=None):
        pairs = super()._compute(predictions, references)["seen"]
        weights = [None] * len(pairs) if sample_weight is None else sample_weight.tolist()
        return {"seen": [(*pair, w) for pair, w in zip(pairs, weights, strict=True)]}


@pytest.fixture(params=SCORES)
def score(request):
    return request.param


@pytest.fixture
def build(score, tmp_path):
    """Return a function that builds the plain metric and ours, each with a cache of its own."""

    def both(**options):
        plain = metric_class(evaluate.Metric, score=score)
        ours = evaluate.load(module_path(score), cache_dir=str(tmp_path / "ours"), **options)
        return plain(cache_dir=str(tmp_path / "plain"), **options), ours

    return both


# Calls, on samples by their numbers: labels are filled in by `played`.


def add(number):
    return "add", {"reference": REFERENCES[number], "prediction": PREDICTIONS[number]}


def columns(start, stop):
    return {"references": REFERENCES[start:stop], "predictions": PREDICTIONS[start:stop]}


def add_batch(start, stop):
    return "add_batch", columns(start, stop)


def compute(start=0, stop=0, **options):
    return "compute", columns(start, stop) | options if stop else options


def played(metric, calls, labels=KINDS["integers"]):
    """Make the calls; return what each answered, or the words of its error, and the length then."""
    answers = []
    for name, arguments in calls:
        filled = dict(arguments)
        for column in {"references", "predictions"} & set(filled):
            filled[column] = [labels[code] for code in filled[column]]
        for single in {"reference", "prediction"} & set(filled):
            filled[single] = labels[filled[single]]
        try:
            answer = getattr(metric, name)(**filled)
        except ValueError as error:
            answer = str(error)
        answers.append((name, answer, len(metric)))
    return answers


SEQUENCES = {
    "compute": [compute(0, 10)],
    "add, compute": [*map(add, range(10)), compute()],
    "add_batch, compute": [add_batch(0, 4), add_batch(4, 5), add_batch(5, 10), compute()],
    "add, add_batch": [add(0), add_batch(1, 5), add(5), add(6), add_batch(7, 10), compute()],
    "add_batch, add": [add_batch(0, 5), add(5), add(6), compute()],
    "add, compute of more": [*map(add, range(5)), compute(5, 10)],
    "add_batch, compute of more": [add_batch(0, 3), add_batch(3, 5), compute(5, 10)],
    "all of them": [add(0), add_batch(1, 3), add(3), compute(4, 10)],
    "weights for compute": [compute(0, 10, sample_weight=WEIGHTS)],
    "weights for add": [*map(add, range(10)), compute(sample_weight=WEIGHTS)],
    "weights for add_batch": [add_batch(0, 4), add_batch(4, 10), compute(sample_weight=WEIGHTS)],
    "weights for more": [add_batch(0, 4), compute(4, 10, sample_weight=WEIGHTS)],
    "one compute after another": [compute(0, 5), compute(5, 10), compute(0, 10)],
    "rounds": [
        add(0),
        add(1),
        compute(),
        add_batch(0, 5),
        compute(5, 8),
        add(1),
        add(2),
        compute(),
    ],
    "an error, then a score": [
        add_batch(0, 5),
        compute(sample_weight=[1]),
        add(0),
        add_batch(1, 10),
        compute(),
    ],
    "an error of compute alone": [compute(0, 5, sample_weight=[-1] * 5), compute(0, 10)],
    "an unknown option": [add_batch(0, 5), compute(sample_weight="x"), compute(0, 10)],
}


@pytest.mark.slow
@pytest.mark.parametrize("keep_in_memory", [False, True], ids=["in files", "in memory"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("calls", SEQUENCES.values(), ids=SEQUENCES)
def test_each_call_answers_as_in_the_base_class(build, calls, kind, keep_in_memory):
    plain, ours = build(keep_in_memory=keep_in_memory)
    assert played(ours, calls, KINDS[kind]) == played(plain, calls, KINDS[kind])


@pytest.mark.parametrize("seed", range(10))
def test_any_mix_of_calls_answers_as_in_the_base_class(build, seed):
    generator = np.random.default_rng(seed)
    calls = []
    for _ in range(20):
        start, stop = sorted(generator.choice(11, 2, replace=False).tolist())
        choices = [add(start), add(start), add_batch(start, stop), compute(start, stop)]
        calls.append(choices[generator.integers(4)])
    plain, ours = build(keep_in_memory=True)
    assert played(ours, calls) == played(plain, calls)


@pytest.mark.parametrize(
    "calls",
    [
        [compute()],
        [add_batch(0, 5), compute(), compute()],
        [add_batch(0, 5), ("add_batch", {"references": (0, 1), "predictions": (0,)}), compute()],
        [("add_batch", {"references": (0,), "predictions": (0, 1, 1)})],
        [add_batch(0, 5), ("compute", {"references": (0, 1), "predictions": (0,)}), compute()],
        [("add_batch", columns(0, 5) | {"weights": (1,)}), ("add", {"weight": 1})],
    ],
    ids=["nothing", "nothing left", "lengths", "first lengths", "lengths at compute", "names"],
)
def test_a_refusal_has_the_words_of_the_base_class(build, calls):
    plain, ours = build()
    expected = played(plain, calls)
    assert any(isinstance(answer, str) for _, answer, _ in expected)
    assert played(ours, calls) == expected


def test_a_metric_that_knows_no_weights_refuses_them(tmp_path):
    metric = Seen(cache_dir=str(tmp_path))
    message = "^seen has no option 'sample_weight': its options are option$"
    with pytest.raises(TypeError, match=message):
        metric.add(reference=0, prediction=0, sample_weight=1)
    with pytest.raises(TypeError, match=message):
        metric.add_batch(**columns(0, 2), sample_weight=[1, 2])
    assert len(metric) == 0


def test_weights_follow_the_order_of_the_calls_where_the_base_class_writes_batches_first(build):
    _, ours = build()
    calls = [add(0), add(1), add_batch(2, 5), add(5), compute(6, 10, sample_weight=WEIGHTS)]
    _, expected, _ = played(ours, [compute(0, 10, sample_weight=WEIGHTS)])[0]
    assert played(ours, calls)[-1] == ("compute", expected, 0)


def given(metric, way, references, predictions):
    """Give the metric labels in one of the three ways, and return the score."""
    if way == "compute":
        return metric.compute(references=references, predictions=predictions)
    if way == "add_batch":
        metric.add_batch(references=references, predictions=predictions)
    else:
        for reference, prediction in zip(references, predictions, strict=True):
            metric.add(reference=reference, prediction=prediction)
    return metric.compute()


WAYS = ["add", "add_batch", "compute"]


@pytest.mark.parametrize(
    ("references", "predictions", "right"),
    [
        (["001", "1"], ["1", "1"], 0.0),
        ([2**63, 2**63 + 1], [2**63, 2**63], 0.0),
        ([b"1", b"1", b"2"], [b"1", b"1", b"2"], 1.0),
    ],
    ids=["leading zeros", "2**63", "bytes"],
)
@pytest.mark.parametrize("way", WAYS)
def test_labels_that_the_base_class_alters_or_fails_on_are_scored(
    load, way, references, predictions, right
):
    assert given(load("informedness"), way, references, predictions) == {"informedness": right}


@pytest.mark.parametrize("bad", [0.7, "2", None, 1 + 1j], ids=str)
@pytest.mark.parametrize("way", WAYS)
def test_what_the_base_class_would_coerce_to_a_label_is_refused(load, way, bad):
    with pytest.raises(ValueError, match="`predictions`"):
        given(load("informedness"), way, [1, 2, 3], [1, bad, 3])


@pytest.mark.parametrize("pickle", [cloudpickle, dill], ids=["cloudpickle", "dill"])
def test_pickled_before_an_add_and_after_it_goes_on_as_the_original(build, pickle):
    plain, ours = (pickle.loads(pickle.dumps(metric)) for metric in build())
    calls = [add(0), add_batch(1, 4), add(4), compute(5, 10)]
    expected = played(plain, calls)
    for call, answer in zip(calls, expected, strict=True):  # the base class fails after an add
        ours = pickle.loads(pickle.dumps(ours))
        assert played(ours, [call]) == [answer]
    assert played(ours, calls) == expected


def test_combine_gives_another_module_and_ours_the_same_samples(build, score):
    combined = evaluate.combine(dict(zip(("plain", "ours"), build(), strict=True)))
    combined.add(reference=0, prediction=0)
    combined.add(references=1, predictions=0)
    combined.add_batch(**columns(0, 5))
    for result in (
        combined.compute(),
        combined.compute(**columns(0, 10)),
        combined.compute(**columns(0, 10), sample_weight=WEIGHTS),
    ):
        assert set(result) == {f"plain_{score}", f"ours_{score}"}
        assert len(set(result.values())) == 1


# Threads


@pytest.fixture
def _quick_switches():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("_quick_switches")
@pytest.mark.parametrize("kind", KINDS)
def test_what_threads_add_at_once_stays_in_pairs(load, kind):
    metric, labels = load("informedness"), KINDS[kind]

    def work(thread):
        for number in range(1500):
            label = labels[(number + thread) % 3]
            if number % 100:
                metric.add(reference=label, prediction=label)
            else:
                metric.add_batch(references=[label], predictions=[label])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(metric) == 8 * 1500
    assert metric.compute() == {"informedness": 1.0}


@pytest.mark.usefixtures("_quick_switches")
def test_one_of_the_threads_that_compute_at_once_takes_what_was_added(load):
    metric = load("informedness")
    own = {"references": [0, 1, 1], "predictions": [0, 1, 1]}
    wrong = {"references": [0, 1], "predictions": [1, 0]}
    with ThreadPoolExecutor(8) as pool:
        for _ in range(60):
            metric.add_batch(**wrong)
            calls = [pool.submit(metric.compute, **own) for _ in range(8)]
            results = sorted(call.result()["informedness"] for call in calls)
            assert results == [pytest.approx(1 / 6), *[1.0] * 7]


@pytest.mark.usefixtures("_quick_switches")
def test_a_thread_computes_with_all_that_it_added_while_others_add(load):
    metric, done = load("informedness"), threading.Event()

    def add_right_ones():
        while not done.is_set():
            metric.add(reference=0, prediction=0)
            metric.add_batch(references=[0, 1], predictions=[0, 1])

    def add_a_wrong_one():
        metric.add_batch(references=[0, 1], predictions=[0, 1])
        metric.add(reference=1, prediction=0)
        time.sleep(0)  # lets another thread go on
        return metric.compute()["informedness"]

    with ThreadPoolExecutor(3) as pool:
        others = [pool.submit(add_right_ones) for _ in range(2)]
        try:
            assert max(add_a_wrong_one() for _ in range(300)) < 1
        finally:
            done.set()
    assert not any(other.exception() for other in others)


@pytest.mark.usefixtures("_quick_switches")
def test_kinds_added_by_threads_at_once_never_mix(tmp_path):
    metric = Seen(cache_dir=str(tmp_path))

    def work(kind):
        results, errors = [], []
        for number in range(400):
            label = KINDS[kind][number % 3]
            try:
                metric.add(reference=label, prediction=label)
                if number % 7 == 0:
                    results.append(metric.compute()["seen"])
            except ValueError as error:
                errors.append(str(error))
        return results, errors

    with ThreadPoolExecutor(4) as pool:
        for results, errors in pool.map(work, [*KINDS, *KINDS]):
            for seen in results:
                assert len({type(label) for pair in seen for label in pair}) == 1
            for error in errors:
                assert re.search("references added before|labels of one type|at least once", error)


def test_what_is_added_while_another_thread_changes_the_kind_is_refused(monkeypatch):
    metric = metric_class(LabelInputs, evaluate.Metric)()
    metric.add(reference=0, prediction=0)

    class BetweenTheLookAndTheStep:
        """Stands in `add` for the range of its labels, and does what another thread might."""

        def __contains__(self, label):
            monkeypatch.undo()
            metric.compute()
            metric.add_batch(references=["no", "yes"], predictions=["no", "yes"])
            return True

    monkeypatch.setattr(protocol, "_INT64", BetweenTheLookAndTheStep())
    metric.add(reference=1, prediction=1)
    with pytest.raises(ValueError, match="references added before"):
        metric.compute()
    assert metric.compute() == {"informedness": 1.0}


@pytest.mark.usefixtures("_quick_switches")
def test_weights_that_threads_add_at_once_stay_with_their_samples(tmp_path):
    metric, n = SeenWeights(cache_dir=str(tmp_path)), 300

    def work(thread):
        for number in range(n):
            label = thread * n + number
            if number % 3:
                metric.add(reference=label, prediction=label, sample_weight=label / 7)
            else:
                metric.add_batch(references=[label], predictions=[label])
                metric.add(reference=-1, prediction=-1)  # the way without a second look

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    expected = [(x, x, x / 7 if x % n % 3 else 1) for x in range(8 * n)]
    seen = sorted(metric.compute()["seen"])
    assert seen == sorted([(-1, -1, 1)] * (8 * n // 3) + expected)


@pytest.mark.usefixtures("_quick_switches")
def test_a_reset_while_other_threads_add_drops_whole_samples(tmp_path):
    metric, done = Seen(cache_dir=str(tmp_path)), threading.Event()

    def add_pairs():
        while not done.is_set():
            metric.add(reference=0, prediction=1)
            metric.add_batch(references=[0, 0], predictions=[1, 1])

    with ThreadPoolExecutor(2) as pool:
        others = [pool.submit(add_pairs) for _ in range(2)]
        try:
            for _ in range(300):
                metric.reset()
                metric.add(reference=0, prediction=1)
                assert set(metric.compute()["seen"]) == {(0, 1)}
        finally:
            done.set()
    assert not any(other.exception() for other in others)


def test_a_reset_while_a_computation_runs_is_of_what_it_computes_too(tmp_path):
    class ResetOnce(Seen):
        def _compute(self, predictions, references):
            del ResetOnce._compute
            self.reset()  # as another thread might
            self.add(reference=2, prediction=2)
            return Seen._compute(self, predictions, references)

    metric = ResetOnce(cache_dir=str(tmp_path))
    metric.add_batch(**columns(0, 5))
    assert metric.compute() == {"seen": [(2, 2)]}


# Interrupts and forks


def interrupted(moment, call, **arguments):
    """Make a call, interrupted at the nth moment a signal can strike; return whether it came to it.

    A signal does not strike on the way out of a lock.
    """
    moments = count()

    def strike(_frame, event, function):
        leaving = event == "c_call" and function.__name__ in ("__exit__", "setprofile")
        if not leaving and next(moments) == moment:
            raise KeyboardInterrupt

    sys.setprofile(strike)
    try:
        call(**arguments)
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


@pytest.mark.parametrize("more", [0, 3], ids=["alone", "with more"])
def test_compute_interrupted_anywhere_has_used_up_all_or_nothing(tmp_path, more):
    metric, last = Seen(cache_dir=str(tmp_path)), compute(10 - more, 10 if more else 0)
    whole = {"seen": list(zip(REFERENCES, PREDICTIONS, strict=True))}
    used_up = {"seen": whole["seen"][7:]} if more else None
    for moment in count():
        played(metric, [add(0), add(1), add_batch(2, 4), *map(add, range(4, 10 - more))])
        struck = interrupted(moment, metric.compute, **last[1])
        left = len(metric)
        assert left in ((10 - more, 0) if struck else (0,))
        try:
            again = metric.compute(**last[1])
        except ValueError:
            again = None
        assert again == (whole if left else used_up)
        if not struck:
            break
    assert moment > 20


ADDING = {
    "add": add(9),
    "add_batch": add_batch(5, 10),
    "weights": ("add_batch", columns(5, 10) | {"sample_weight": WEIGHTS[5:]}),
}


@pytest.mark.parametrize("call", ADDING.values(), ids=ADDING)
def test_adding_interrupted_anywhere_has_added_all_or_nothing(tmp_path, call):
    class WithWeights(Seen):
        def _compute(self, predictions, references, sample_weight=None):
            return super()._compute(predictions, references)

    metric = WithWeights(cache_dir=str(tmp_path))
    pairs = list(zip(REFERENCES, PREDICTIONS, strict=True))
    for moment in count():
        played(metric, [add_batch(0, 2), add(2), add(3), add(4)])
        struck = interrupted(moment, getattr(metric, call[0]), **call[1])
        metric.add(reference=2, prediction=1)
        added = pairs[9:] if call[0] == "add" else pairs[5:]
        possible = [[*pairs[:5], *more, (2, 1)] for more in ([], added)]
        assert metric.compute()["seen"] in (possible if struck else possible[1:])
        if not struck:
            break


def test_a_reset_interrupted_anywhere_has_dropped_all_or_nothing(tmp_path):
    metric = Seen(cache_dir=str(tmp_path))
    for moment in count():
        played(metric, [add_batch(0, 2), add(2), add(3)])
        struck = interrupted(moment, metric.reset)
        left = len(metric)
        assert left in ((4, 0) if struck else (0,))
        metric.add(reference=0, prediction=0)
        assert len(metric.compute()["seen"]) == left + 1
        if not struck:
            break


def test_a_failed_computation_uses_up_what_was_added_and_no_more(tmp_path):
    class FailsOnce(Seen):
        def _compute(self, predictions, references):
            del FailsOnce._compute
            self.add_batch(references=[2], predictions=[2])  # as another thread might
            raise ValueError("it fails")

    metric = FailsOnce(cache_dir=str(tmp_path))
    metric.add_batch(**columns(0, 5))
    with pytest.raises(ValueError, match="it fails"):
        metric.compute()
    assert metric.compute() == {"seen": [(2, 2)]}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
@pytest.mark.slow
def test_a_child_forked_while_another_thread_adds_goes_on(tmp_path, monkeypatch):
    metric, inside = Seen(cache_dir=str(tmp_path)), threading.Event()
    metric.add_batch(**columns(0, 5))

    def slow(*_):
        inside.set()
        time.sleep(0.5)

    with ThreadPoolExecutor(1) as pool:
        monkeypatch.setattr(protocol, "check_same_kind", slow)
        pool.submit(metric.add_batch, **columns(5, 8))
        inside.wait()
        child = os.fork()
        if not child:
            signal.alarm(60)  # ends the child if it hangs
            metric.add(reference=2, prediction=2)
            seen = metric.compute()["seen"]
            whole = [*zip(REFERENCES[:8], PREDICTIONS[:8], strict=True), (2, 2)]
            os._exit(0 if seen in (whole, [*whole[:5], (2, 2)]) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# Two processes, played by two threads: to the locks of the files it is the same


def of_two(metric_class, number, cache, **options):
    """Return the metric of one of two processes."""
    names = {"cache_dir": str(cache), "experiment_id": "two", "timeout": 100}
    return metric_class(num_process=2, process_id=number, **names | options)


def both(*calls):
    """Return what each of two processes gets, a call each."""
    with ThreadPoolExecutor(2) as pool:
        calls = [pool.submit(call) for call in calls]
    return [call.exception() or call.result() for call in calls]


def in_two_processes(metric_class, batches, cache, **options):
    """Return what each of two processes gets that adds its batches, then computes."""

    def process(number):
        metric = of_two(metric_class, number, cache)
        for references, predictions in batches[number]:
            metric.add_batch(references=references, predictions=predictions)
        return metric.compute(**options)

    return both(lambda: process(0), lambda: process(1))


def evaluate_with_another_name_for(name):
    """Return the base class as it would be in a version of evaluate that calls `name` otherwise."""
    source = Path(evaluate.module.__file__).read_text(encoding="utf-8")
    assert name in source
    module = types.ModuleType("evaluate.another_version")
    module.__package__ = "evaluate"
    exec(source.replace(name, f"{name}_by_another_name"), vars(module))
    return module.Metric


PRIVATE_NAMES = [
    "_finalize",
    "_get_all_cache_files",
    "_infer_feature_from_batch",
    "_infer_feature_from_example",
    "_init_writer",
    "cache_file_name",
    "file_paths",
    "filelocks",
    "selected_feature_format",
    "self.data",
    "self.writer",
]


@pytest.fixture(params=PRIVATE_NAMES)
def another_metric(request):
    return evaluate_with_another_name_for(request.param)


@pytest.mark.slow
def test_processes_gather_whatever_the_private_names_of_the_base_class(another_metric, tmp_path):
    half = REFERENCES[:5], PREDICTIONS[:5]
    batches = [[half], [(REFERENCES[5:8], PREDICTIONS[5:8]), (REFERENCES[8:], PREDICTIONS[8:])]]
    plain, none = in_two_processes(metric_class(another_metric), batches, tmp_path / "plain")
    assert none is None
    ours = metric_class(LabelInputs, another_metric)
    assert in_two_processes(ours, batches, tmp_path) == [plain, None]
    strings = [[(["001", "1"], ["1", "1"])], [([], [])]]
    assert in_two_processes(ours, strings, tmp_path) == [{"informedness": 0.0}, None]
    error, none = in_two_processes(ours, batches, tmp_path, sample_weight=[1])
    assert "sample_weight" in str(error)
    assert none is None
    assert in_two_processes(ours, batches, tmp_path) == [plain, None]
    assert not list(tmp_path.rglob("*.arrow"))


def test_processes_compute_with_the_options_at_load(tmp_path):
    def with_weights(**options):
        ours = metric_class(LabelInputs, evaluate.Metric)
        return ours(sample_weight=WEIGHTS, **options)

    batches = [[(REFERENCES[:5], PREDICTIONS[:5])], [(REFERENCES[5:], PREDICTIONS[5:])]]
    expected = informedness_score(REFERENCES, PREDICTIONS, sample_weight=WEIGHTS)
    assert in_two_processes(with_weights, batches, tmp_path) == [{"informedness": expected}, None]
    plain = {"informedness": informedness_score(REFERENCES, PREDICTIONS)}
    assert in_two_processes(with_weights, batches, tmp_path, sample_weight=None) == [plain, None]
    error, none = in_two_processes(with_weights, batches, tmp_path, no_such_option=1)
    assert str(error) == "plain has no option 'no_such_option': its options are sample_weight"
    assert none is None


# No two of them are one number, though some differ by their last digit alone.
EXACT = [0.1, 0.1 + 2**-56, 1 / 3, 5e-324, 2.0**53, 2.0**53 + 2, 1e300, 0.0]


def test_processes_gather_weights_to_the_last_digit(tmp_path):
    metrics = [of_two(SeenWeights, number, tmp_path) for number in range(2)]

    def first():
        metrics[0].add_batch(references=range(8), predictions=range(8), sample_weight=EXACT)
        return metrics[0].compute()

    def second():
        metrics[1].add(reference=8, prediction=8, sample_weight=Decimal("0.3"))
        metrics[1].add_batch(references=[9], predictions=[9])
        return metrics[1].compute()

    seen = [(x, x, w) for x, w in enumerate([*EXACT, 0.3, 1.0])]
    assert both(first, second) == [{"seen": seen}, None]
    without = [(0, 0, None)] * 2
    inputs = {"references": [0], "predictions": [0]}
    assert both(*(lambda m=m: m.compute(**inputs) for m in metrics)) == [{"seen": without}, None]


def test_strings_with_line_breaks_and_weights_pass_between_processes(tmp_path):
    labels = ["a\n0.5", "\n", "0.5", "a\r\n", "\u2028"]

    def process(number):
        metric = of_two(SeenWeights, number, tmp_path)
        weights = [0.25] * 5 if number else None
        metric.add_batch(references=labels, predictions=labels, sample_weight=weights)
        return metric.compute()

    seen = [(x, x, w) for w in (1.0, 0.25) for x in labels]
    assert both(lambda: process(0), lambda: process(1)) == [{"seen": seen}, None]


def test_weights_of_batches_and_of_compute_are_refused_beside_each_other_by_processes(tmp_path):
    metrics = [of_two(SeenWeights, number, tmp_path) for number in range(2)]

    def process(metric):
        metric.add(reference=0, prediction=0, sample_weight=2)
        return metric.compute(sample_weight=[1, 1])

    error, none = both(*(lambda m=m: process(m) for m in metrics))
    assert "was given both ways" in str(error)
    assert none is None


def test_a_process_resets_what_it_added_itself(tmp_path):
    metrics = [of_two(Seen, number, tmp_path) for number in range(2)]

    def first():
        metrics[0].add_batch(references=[0, 1], predictions=[0, 1])
        metrics[0].reset()
        assert len(metrics[0]) == 0
        metrics[0].add(reference=2, prediction=2)
        metrics[0].reset()
        metrics[0].add(reference=3, prediction=3)
        assert len(metrics[0]) == 1
        return metrics[0].compute()

    def second():
        metrics[1].add(reference=4, prediction=4)
        return metrics[1].compute()

    assert both(first, second) == [{"seen": [(3, 3), (4, 4)]}, None]
    inputs = {"references": [5], "predictions": [5]}
    again = both(*(lambda m=m: m.compute(**inputs) for m in metrics))
    assert again == [{"seen": [(5, 5)] * 2}, None]
    assert not list(tmp_path.rglob("*.arrow"))


def test_a_reset_of_nothing_waits_for_no_process(tmp_path):
    metric = of_two(Seen, 0, tmp_path, timeout=0.1)
    metric.reset()
    with pytest.raises(ValueError, match="did not find all others"):
        metric.add(reference=0, prediction=0)


def test_a_process_warns_of_what_it_added_before(tmp_path):
    metrics = [of_two(Seen, number, tmp_path) for number in range(2)]
    inputs = {"references": [0], "predictions": [0]}

    def first():
        metrics[0].add_batch(references=[0] * 3, predictions=[0] * 3)
        with pytest.warns(InformednessWarning, match=r"3 added before.*`reset\(\)`"):
            return metrics[0].compute(**inputs)

    result, none = both(first, lambda: metrics[1].compute(**inputs))
    assert (len(result["seen"]), none) == (5, None)


def test_combine_in_two_processes_has_its_scores_where_each_metric_computes(tmp_path):
    """`combined.compute()` itself fails on all processes but the first, when it merges None."""

    def process(number, way):
        names = [Seen, metric_class(LabelInputs, evaluate.Metric)]
        metrics = [
            of_two(name, number, tmp_path, experiment_id=f"{way}-{place}")
            for place, name in enumerate(names)
        ]
        combined = evaluate.combine(metrics)
        combined.add_batch(**columns(0, 10))
        if way == "compute":
            return combined.compute()
        return [metric.compute() for metric in combined.evaluation_modules]

    expected = informedness_score(REFERENCES, PREDICTIONS)
    result, error = both(lambda: process(0, "compute"), lambda: process(1, "compute"))
    assert result["informedness"] == pytest.approx(expected, abs=1e-12)
    assert isinstance(error, AttributeError)
    assert str(error) == "'NoneType' object has no attribute 'keys'"
    results, nothing = both(lambda: process(0, "each"), lambda: process(1, "each"))
    assert results[1]["informedness"] == pytest.approx(expected, abs=1e-12)
    assert nothing == [None, None]


@pytest.mark.slow
def test_a_process_may_run_ahead_into_the_next_round(tmp_path):
    ahead = threading.Event()
    metrics = [of_two(Seen, number, tmp_path) for number in range(2)]

    def slow():
        results = []
        for number in range(4):
            metrics[0].add(reference=0, prediction=number)
            ahead.wait()
            ahead.clear()
            results.append(metrics[0].compute()["seen"])
        return results

    def fast():
        for number in range(4):
            metrics[1].add_batch(references=[1], predictions=[number])
            assert len(metrics[1]) == 1
            assert metrics[1].compute() is None
            # the other one reads when this one has overwritten its file, or waits to
            threading.Timer(0.5, ahead.set).start()

    results, none = both(slow, fast)
    assert none is None
    assert results == [[(0, number), (1, number)] for number in range(4)]
    assert not list(tmp_path.rglob("*.arrow"))


def test_processes_of_different_rounds_are_an_error_that_says_so(tmp_path):
    metrics = [of_two(Seen, number, tmp_path) for number in range(2)]
    inputs = {"references": [0], "predictions": [0]}
    for _ in range(2):
        assert both(*(lambda m=m: m.compute(**inputs) for m in metrics))[0] == {
            "seen": [(0, 0)] * 2
        }
    metrics[1] = of_two(Seen, 1, tmp_path)  # as if started anew
    error, none = both(*(lambda m=m: m.compute(**inputs) for m in metrics))
    assert none is None
    message = r"process 0 is in round 2, process 1 is in round 0: .*`compute`.*`experiment_id`"
    assert re.search(message, str(error))


def test_a_process_without_samples_needs_no_add(tmp_path):
    metrics = [of_two(Seen, number, tmp_path) for number in range(2)]
    for first, second, seen in [(1, 0, 1), (0, 2, 2), (0, 0, 0), (1, 1, 2)]:

        def process(metric, n):
            for _ in range(n):
                metric.add(reference=0, prediction=0)
            return metric.compute()

        result, none = both(
            lambda n=first: process(metrics[0], n), lambda n=second: process(metrics[1], n)
        )
        assert none is None
        assert result == {"seen": [(0, 0)] * seen}


def test_a_process_that_the_others_wait_for_in_vain_is_named_with_what_to_do(tmp_path):
    for number in range(2):
        metric = of_two(Seen, number, tmp_path, timeout=0.2)
        with pytest.raises(ValueError, match=rf"process {number} of 2 .*0.2 s.*each must call"):
            metric.add(reference=0, prediction=0)


def test_the_mark_of_a_job_is_all_that_its_launcher_says_of_it(tmp_path, monkeypatch):
    def name(**options):
        metric = of_two(Seen, 0, tmp_path, timeout=0.1, **options)
        with pytest.raises(ValueError, match="MASTER_ADDR"):
            metric.add(reference=0, prediction=0)
        return metric.experiment_id

    variables = ["MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "SLURM_JOB_ID"]
    for variable in variables:
        monkeypatch.delenv(variable, raising=False)
    names = {name(experiment_id=None)}
    for variable in variables:
        monkeypatch.setenv(variable, "29500")
        names.add(name(experiment_id=None))
    assert len(names) == 5
    assert name() == "two-0"  # the user's own


@pytest.mark.parametrize("ends_with", [KeyboardInterrupt, ValueError])
def test_a_computation_of_two_processes_that_fails_leaves_the_next_round_alone(tmp_path, ends_with):
    class FailsOnce(Seen):
        def _compute(self, predictions, references):
            del FailsOnce._compute
            raise ends_with

    metrics = [of_two(FailsOnce, number, tmp_path) for number in range(2)]
    inputs = {"references": [0], "predictions": [0]}
    error, none = both(*(lambda m=m: m.compute(**inputs) for m in metrics))
    assert isinstance(error, ends_with)
    assert none is None
    assert both(*(lambda m=m: m.compute(**inputs) for m in metrics)) == [
        {"seen": [(0, 0)] * 2},
        None,
    ]


# One label a sample


@pytest.mark.parametrize("options", [{"config_name": "multilabel"}, {}], ids=["named", "first"])
def test_multilabel_is_refused_with_what_to_do(score, options):
    arguments = [module_path(score)] if options else [module_path(score), "multilabel"]
    with pytest.raises(ValueError, match=r"`config_name`.*'multilabel'.*score each of several"):
        evaluate.load(*arguments, **options)


def test_another_config_name_is_a_name_and_no_more(score):
    metric = evaluate.load(module_path(score), "mine")
    assert metric.config_name == "mine"
    plain = evaluate.load(module_path(score))
    assert played(metric, SEQUENCES["all of them"]) == played(plain, SEQUENCES["all of them"])


@pytest.mark.parametrize(
    "several",
    [[[1, 0], [0, 1]], np.eye(2, dtype=int), [np.array([1, 0])] * 2, [["a"], ["b", "c"]], [("a",)]],
    ids=["lists", "array", "list of arrays", "sets of strings", "tuples"],
)
@pytest.mark.parametrize("way", ["compute", "add_batch", "add"])
def test_several_labels_a_sample_are_refused_with_what_to_do(load, way, several):
    metric = load("informedness")
    names = ("reference", "prediction") if way == "add" else ("references", "predictions")
    inputs = dict.fromkeys(names, several[0] if way == "add" else several)
    with pytest.raises(ValueError, match=r"references.*one.*score several labels.*one by one"):
        getattr(metric, way)(**inputs)
    assert len(metric) == 0


@pytest.mark.parametrize(
    "takes", [("int64", "string"), ("int32",), ("string",), ("int8", "bool")], ids=str
)
@pytest.mark.parametrize("processes", [1, 2])
def test_features_of_one_label_a_sample_change_nothing(tmp_path, takes, processes):
    ours = metric_class(LabelInputs, evaluate.Metric, takes=takes)
    expected = {"informedness": informedness_score(REFERENCES, PREDICTIONS)}
    if processes == 1:
        metric = ours(cache_dir=str(tmp_path))
        assert [feature["references"].dtype for feature in metric.features] == list(takes)
        assert metric.compute(**columns(0, 10)) == expected
    else:
        batches = [[(REFERENCES[:5], PREDICTIONS[:5])], [(REFERENCES[5:], PREDICTIONS[5:])]]
        assert in_two_processes(ours, batches, tmp_path) == [expected, None]
