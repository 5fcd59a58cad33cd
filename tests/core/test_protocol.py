"""The same calls on the base class of `evaluate` and on these metrics, side by side.

`Plain` is a metric as its author would write it without `protocol.LabelInputs`. Where the base
class is right, both must answer alike, call by call; where it is silently wrong, ours is right.

Covers src: core/protocol.py.
"""

import pickle
import re
import time
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial

import cloudpickle
import datasets
import dill
import evaluate
import numpy as np
import pytest

from informedness import informedness_score, nit_score
from informedness.core.labels import read_pair
from informedness.core.protocol import LabelInputs
from informedness.inference.registry import module_path

pytestmark = pytest.mark.filterwarnings("ignore:informedness")  # scores of few samples

NAMES = "no", "yes", ""
REFERENCES = [NAMES[code] for code in (0, 1, 2, 2, 1, 0, 2, 1, 1, 0)]
PREDICTIONS = [NAMES[code] for code in (0, 1, 2, 1, 1, 2, 2, 0, 1, 0)]
WEIGHTS = [1, 2, 0.5, 3, 1, 0, 2, 1, 4, 1]


def metric_class(*bases):
    """Return a metric that computes Informedness of what its bases hand it."""

    class Plain(*bases):
        def _info(self):
            value = datasets.Value("string")
            features = datasets.Features({"predictions": value, "references": value})
            return evaluate.MetricInfo(
                description="", citation="", inputs_description="", features=features
            )

        def _compute(self, predictions, references, sample_weight=None):
            value = informedness_score(references, predictions, sample_weight=sample_weight)
            return {"informedness": value}

    return Plain


Ours = metric_class(LabelInputs, evaluate.Metric)


class Seen(Ours):
    """A metric that returns the samples it is to compute, and their weights; or raises an error."""

    ends_with = None

    def _compute(self, predictions, references, sample_weight=None):
        if self.ends_with:
            raise self.ends_with
        columns = read_pair(references, predictions)
        weights = [] if sample_weight is None else [sample_weight]
        return {"seen": list(zip(*(x.tolist() for x in (*columns, *weights)), strict=True))}


@pytest.fixture
def build(tmp_path_factory):
    """Return a function that builds the plain metric and ours, with a cache of their own."""

    def both():
        cache = str(tmp_path_factory.mktemp("cache"))
        plain = metric_class(evaluate.Metric)(cache_dir=cache)
        return plain, evaluate.load(module_path("informedness"), cache_dir=cache)

    return both


# Calls, on samples by their numbers


def add(number):
    return "add", {"reference": REFERENCES[number], "prediction": PREDICTIONS[number]}


def columns(start, stop):
    return {"references": REFERENCES[start:stop], "predictions": PREDICTIONS[start:stop]}


def add_batch(start, stop):
    return "add_batch", columns(start, stop)


def compute(start=0, stop=0, **options):
    return "compute", columns(start, stop) | options if stop else options


def played(metric, calls):
    """Make the calls; return what each answered, or the words of its error, and the length then."""
    answers = []
    for name, arguments in calls:
        try:
            answer = getattr(metric, name)(**arguments)
        except ValueError as error:
            # which the base class puts down to a file
            none_there = "cache file doesn't exist" in str(error) or "sample to score" in str(error)
            answer = "no samples" if none_there else str(error)
        answers.append((name, answer, len(metric)))
    return answers


SHORT = {"references": ["no", "yes"], "predictions": ["no"]}
SEQUENCES = [
    [compute(0, 10, sample_weight=WEIGHTS)],
    [*map(add, range(10)), compute(sample_weight=WEIGHTS)],
    [add_batch(0, 4), add_batch(4, 10), compute(sample_weight=WEIGHTS)],
    [add_batch(0, 4), compute(4, 10, sample_weight=WEIGHTS)],  # for more than there are
    [add_batch(0, 5), compute(sample_weight=[1]), add(0), add_batch(1, 10), compute()],
    [compute(0, 5, sample_weight=[-1] * 5), compute(0, 10)],
    [compute(), add_batch(0, 5), compute(), compute()],
    [add_batch(0, 5), ("add_batch", SHORT), ("compute", SHORT), compute()],
]


def drawn(seed):
    """Return twenty calls in any order."""
    generator = np.random.default_rng(seed)
    calls = []
    for _ in range(20):
        start, stop = sorted(generator.choice(11, 2, replace=False).tolist())
        choices = [add(start), add(start), add_batch(start, stop), compute(start, stop)]
        calls.append(choices[generator.integers(4)])
    return calls


def test_each_call_answers_as_in_the_base_class(build):
    for calls in [*SEQUENCES, *map(drawn, range(10))]:
        plain, ours = build()
        assert played(ours, calls) == played(plain, calls), calls


def test_a_metric_that_knows_no_weights_refuses_them(tmp_path):
    class Unweighted(Seen):
        def _compute(self, predictions, references, option=None):
            """Never called."""

    metric = Unweighted(cache_dir=str(tmp_path))
    with pytest.raises(TypeError, match=r"^unweighted has no option 'sample_weight': .* option$"):
        metric.add(reference=0, prediction=0, sample_weight=1)
    assert len(metric) == 0


def test_a_pickled_metric_continues_like_the_original(build):
    calls = [add(0), add_batch(1, 4), add(4), compute(5, 10)]
    for pickler in (cloudpickle, dill):
        plain, ours = build()
        for call, answer in zip(calls, played(plain, calls), strict=True):
            ours = pickle.loads(pickler.dumps(ours))  # the base class fails after an add
            assert played(ours, [call]) == [answer]


def test_combine_gives_all_modules_the_same_samples(build, load):
    plain, ours = build()
    combined = evaluate.combine({"plain": plain, "ours": ours, "nit": load("nit")})
    combined.add(reference="no", prediction="no")
    combined.add(references="yes", predictions="no")
    combined.add_batch(**columns(2, 10))
    for result, weights in (
        (combined.compute(), None),
        (combined.compute(**columns(0, 10), sample_weight=WEIGHTS), WEIGHTS),
    ):
        assert set(result) == {"plain_informedness", "ours_informedness", "nit"}
        assert result["plain_informedness"] == result["ours_informedness"]
        predictions = PREDICTIONS if weights else ["no", "no", *PREDICTIONS[2:]]
        expected = nit_score(REFERENCES, predictions, sample_weight=weights)
        assert result["nit"] == pytest.approx(expected, abs=1e-12)


def test_missing_predictions_follow_the_options_of_compute(load):
    metric, samples = load("nit", unknown="wrong", labels=["a", "b"]), columns(0, 4)
    samples |= {"predictions": [None, "a", "b", "b"], "references": ["a", "a", "b", "b"]}
    for options in ({"unknown": "error"}, {"unknown": "error", "labels": None}):
        metric.add_batch(**samples)
        with pytest.raises(ValueError, match="got None at position 0: a missing value"):
            metric.compute(**options)
    metric.add_batch(**samples)
    assert metric.compute()["nit"] > 0.5


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_failed_computation_discards_what_was_added(error, tmp_path):
    metric = Seen(cache_dir=str(tmp_path))
    metric.add_batch(**columns(0, 4))
    metric.ends_with = error
    with pytest.raises(error):
        metric.compute()
    metric.ends_with = None
    metric.add(reference=2, prediction=1)
    assert metric.compute() == {"seen": [(2, 1)]}
    pair = processes(Seen, tmp_path)
    for pair[0].ends_with in (error, None):
        result, none = gathered(pair, [ONE], [ONE])
        assert none is None
    assert result == {"seen": [(0, 0)] * 2}


# Processes, played by threads: to the locks of the files it is the same

ONE = [0], [0]


def processes(metric_class, cache, n=2, **options):
    """Return the metrics of some processes."""
    options |= {"cache_dir": str(cache), "experiment_id": 2, "num_process": n, "timeout": 300}
    return [metric_class(process_id=number, **options) for number in range(n)]


def together(*calls):
    """Return what each process gets, a call each, or the error that ends it."""
    with ThreadPoolExecutor(len(calls)) as pool:
        calls = [pool.submit(call) for call in calls]
    return [call.exception() or call.result() for call in calls]


def gathered(metrics, *given, **options):
    """Return what each process gets for its batches: references, predictions, maybe weights."""

    def process(metric, batches):
        for batch in batches:
            names = ("references", "predictions", "sample_weight")
            metric.add_batch(**dict(zip(names, batch, strict=False)))
        return metric.compute(**options)

    return together(*(partial(process, *pair) for pair in zip(metrics, given, strict=True)))


STRINGS = [(["001", "1"], ["1", "1"])]
SEEN = [("001", "1"), ("1", "1")]
# No two of them are one number, though some differ by their last digit alone.
EXACT = [0.1, 0.1 + 2**-56, 1 / 3, 5e-324, 2.0**53, 2.0**53 + 2, 1e300, 0.0]
WEIGHTED = [([8], [8], [Decimal("0.3")]), ([9], [9])]
ODD = [b"\xff", b"a\0"], ["\ud800", '{"bytes": "a"}', "[]", "", "a\r\n"], [2**64 - 1, -(2**63)]
BOTH_WAYS = "was passed both to"
TWO_KINDS = "`references` must hold labels of the same type"
ROUNDS = [  # the batches of each process, options, and what the first one sees, or its error
    (STRINGS, [], {}, SEEN),  # or no add at all
    (STRINGS, [([], [])], {}, SEEN),
    ([], STRINGS, {}, SEEN),
    ([ONE], [([1], [0]), ([2], [1])], {}, [(0, 0), (1, 0), (2, 1)]),
    ([ONE], [ONE], {"sample_weight": np.array([3, 0])}, [(0, 0, 3), (0, 0, 0)]),
    (
        [(range(8), range(8), EXACT)],
        WEIGHTED,
        {},
        [(x, x, w) for x, w in enumerate([*EXACT, 0.3, 1.0])],
    ),
    *(([(own, own)], [(own, own)], {}, [*zip(own, own, strict=True)] * 2) for own in ODD),
    ([], [], {}, []),
    (WEIGHTED, [([], [])], {"sample_weight": [1] * 2}, BOTH_WAYS),
    ([(["a"], ["a"])], [ONE], {}, TWO_KINDS),
    ([([b"a"], [b"a"])], [(["a"], ["a"])], {}, TWO_KINDS),
    # compared with the first process that has samples
    ([], [ONE], STRINGS, {}, TWO_KINDS),
]


@pytest.mark.parametrize("round_of_all", ROUNDS)
def test_processes_gather_all_samples_or_get_an_error(round_of_all, tmp_path):
    *given, options, wanted = round_of_all
    metrics = processes(Seen, tmp_path, len(given))
    result, *others = gathered(metrics, *given, **options)
    assert wanted in str(result) if isinstance(wanted, str) else result == {"seen": wanted}
    result, *later = gathered(metrics, *[[ONE]] * len(given))
    assert result == {"seen": [(0, 0)] * len(given)}
    assert {*others, *later} == {None}
    assert not list(tmp_path.rglob("*.arrow"))


def added_one_each(metrics):
    """Let each process add one sample, which is its number."""
    together(*(partial(one.add, reference=n, prediction=n) for n, one in enumerate(metrics)))


def test_a_process_resets_what_it_added_itself(tmp_path):
    pair = processes(Seen, tmp_path)
    added_one_each(pair)
    pair[0].reset()
    assert gathered(pair, [([2], [2])], []) == [{"seen": [(2, 2), (1, 1)]}, None]


def until(happened):
    """Wait for what another thread does, for minutes at most."""
    deadline = time.monotonic() + 300
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_process_may_run_ahead_into_the_next_round(tmp_path):
    slow, fast = pair = processes(Seen, tmp_path)
    added_one_each(pair)
    assert fast.compute() is None
    with ThreadPoolExecutor(1) as pool:
        ahead = pool.submit(fast.add, reference=2, prediction=2)
        until(lambda: len(list(tmp_path.rglob("*-2-1.arrow"))) == 2)  # it has its second file
        assert slow.compute() == {"seen": [(0, 0), (1, 1)]}
        slow.add(reference=3, prediction=3)
        ahead.result()
    assert together(slow.compute, fast.compute) == [{"seen": [(3, 3), (2, 2)]}, None]


def test_processes_of_different_rounds_are_an_error_that_says_so(tmp_path):
    pair = processes(Seen, tmp_path)
    for _ in range(2):
        gathered(pair, [ONE], [ONE])
    pair[1] = processes(Seen, tmp_path)[1]  # as if started anew
    error, none = gathered(pair, [ONE], [ONE])
    assert none is None
    message = r"`compute` equally often, got {0: 2, 1: 0} as earlier calls .*`experiment_id`"
    assert re.search(message, str(error))


def test_a_failed_round_does_not_disturb_the_next(tmp_path):
    first, second = pair = processes(Seen, tmp_path)
    added_one_each(pair)
    first.timeout = 0.1
    with pytest.raises(ValueError, match="Cannot acquire lock"):
        first.compute()
    first.timeout = 300
    assert second.compute() is None
    assert gathered(pair, [ONE], [ONE]) == [{"seen": [(0, 0)] * 2}, None]


def test_a_process_without_samples_stays_in_its_round(tmp_path):
    first, second = processes(Seen, tmp_path)
    first.timeout = second.timeout = 0.1
    with pytest.raises(ValueError, match="Expected to find locked file"):
        second.compute()
    first.add(reference=0, prediction=0)  # finds the second one waiting
    assert second.compute() is None
    assert first.compute() == {"seen": [(0, 0)]}


def test_sides_without_their_names_are_refused(load):
    with pytest.raises(TypeError, match="positional argument"):
        load("nit").compute([0, 1], [0, 1])
