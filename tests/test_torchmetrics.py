"""The metrics of torchmetrics: one table over batches and processes, in Lightning's terms."""

import doctest
import math
import pickle

import numpy as np
import pytest
import torch
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, mutual_info_score
from torchmetrics import MetricCollection

import informedness.torchmetrics
from informedness.torchmetrics import NIT, Informedness
from informedness.warnings import UndefinedMetricWarning

pytestmark = [pytest.mark.full, pytest.mark.slow]  # imports torch

K = 4
GENERATOR = torch.Generator().manual_seed(3)
TARGET = torch.randint(K, (240,), generator=GENERATOR)
SCORES = torch.randn(240, K, generator=GENERATOR) + torch.nn.functional.one_hot(TARGET, K)
PREDS = SCORES.argmax(1)


def expected(preds=PREDS, target=TARGET):
    """Return gains by class, Informedness and NIT, from scikit-learn's sums."""
    table = confusion_matrix(target.flatten(), preds.flatten(), labels=range(K))
    hits, references, predictions = table.diagonal(), table.sum(1), table.sum(0)
    n = table.sum()
    gains = hits / references - (predictions - hits) / (n - references)
    nit = np.exp(mutual_info_score(target.flatten(), preds.flatten())) / K
    return gains, float(predictions @ gains / n), float(nit)


def computed(metric, *batches):
    for batch in batches:
        metric.update(*batch)
    return metric.compute()


def near(value):
    return pytest.approx(value, rel=0, abs=1e-12)


IDS = PREDS.reshape(24, 10), TARGET.reshape(24, 10)
FORMS = {
    "ids": (PREDS, TARGET),
    "ids of tokens": IDS,
    "scores": (SCORES, TARGET),
    "scores of tokens": (SCORES.reshape(24, 10, K).movedim(-1, 1), IDS[1]),
    "scores of pixels": (SCORES.reshape(6, 4, 10, K).movedim(-1, 1), TARGET.reshape(6, 4, 10)),
    "scores that track gradients": (SCORES.clone().requires_grad_(), TARGET),
    "bytes": (PREDS.to(torch.uint8), TARGET.to(torch.uint8)),
}


def test_batches_of_every_form_add_up_to_the_score_of_all_samples():
    gains, informedness, nit = expected()
    wanted = {
        Informedness(K): informedness,
        NIT(K): nit,
        Informedness(K, average=None): gains,
        Informedness(K, average="macro"): gains.mean(),
    }
    for form, (preds, target) in FORMS.items():
        batches = list(zip(preds.split(5), target.split(5), strict=True))
        for metric, value in wanted.items():
            metric.reset()
            found = computed(metric, *batches)
            assert (found.dtype, found.shape) == (torch.float64, np.shape(value)), form
            assert found.tolist() == near(value), form


def test_the_example_in_the_docstring_is_true():
    result = doctest.testmod(informedness.torchmetrics)
    assert (result.failed, result.attempted > 0) == (0, True)


def test_ignored_targets_are_left_out_whatever_is_predicted_there():
    padded, preds, scores = TARGET.clone(), PREDS.clone(), SCORES.clone()
    padded[::3] = preds[::3] = -100
    scores[::3] = math.nan
    kept = torch.arange(240) % 3 > 0
    _, informedness, nit = expected(PREDS[kept], TARGET[kept])
    for batch in ((preds, padded), (scores, padded)):
        assert computed(Informedness(K, ignore_index=-100), batch).item() == near(informedness)
        assert computed(NIT(K, ignore_index=-100), batch).item() == near(nit)


def test_one_score_a_sample_is_cut_at_the_threshold():
    target = (TARGET == 1).long()
    for threshold in (0.0, 0.9, 1):
        scores = SCORES[:, 1].clone()
        scores[0] = threshold  # above it, not at it
        truth = balanced_accuracy_score(target, scores > threshold, adjusted=True)
        metric = Informedness(2, threshold=threshold)
        assert computed(metric, (scores, target)).item() == near(truth), threshold


BINARY = (TARGET > 1).long()
REFUSED = [
    (K, {}, PREDS, TARGET + 1, r"`target` must hold ids in range\(4\), got 4"),
    (K, {"ignore_index": -100}, PREDS, TARGET - 1, r"`target` .* range\(4\), got -1"),
    (K, {}, PREDS + 1, TARGET, r"`preds` must hold ids in range\(4\), got 4"),
    (K, {}, SCORES[:, 0], TARGET, "ids .* or 4 scores per sample"),
    (K, {}, SCORES[:, :3], TARGET, r"dimension 1 of 4 classes, got \(240, 3\)"),
    (K, {}, SCORES.reshape(24, 10, K), IDS[1], r"with preds.movedim\(-1, 1\)"),
    (K, {}, PREDS[:9], TARGET, r"the shape of `target`, \(240,\).* got \(9,\)"),
    (K, {}, torch.nn.functional.one_hot(PREDS, K), TARGET, "must hold scores"),
    (K, {}, PREDS, TARGET.float(), "`target` must hold class ids .* torch.float32"),
    (K, {}, PREDS.tolist(), TARGET, r"`preds` must be a tensor of real numbers, got \["),
    (K, {}, torch.where(SCORES > 2, math.nan, SCORES), TARGET, "must be numbers, got nan"),
    (K, {}, torch.full((240, K), -math.inf), TARGET, "got several inf, or only -inf"),
    (K, {}, torch.where(SCORES > 0, math.inf, SCORES), TARGET, "got several inf"),
    (2, {}, SCORES[:, 0], BINARY, "0.5 for probabilities, 0.0 for logits"),
    (2, {"threshold": 0.5}, SCORES[:, :1], BINARY, r"of 2 classes, got \(240, 1\)"),
    (2, {"threshold": 0.5}, SCORES[:, :2], BINARY, "or no threshold to count the higher"),
    (2, {"threshold": 0}, torch.full((240,), math.nan), BINARY, "must be numbers, got nan"),
]


def test_a_batch_that_is_refused_is_named_and_not_counted():
    for k, options, preds, target, message in REFUSED:
        metric = Informedness(k, **options)
        metric.update(BINARY, BINARY)
        with pytest.raises(ValueError, match=message):
            metric.update(preds, target)
        assert metric.counts.sum() == 240, message


def test_options_that_are_not_valid_are_refused():
    for arguments, message in (
        ({"num_classes": 1}, "`num_classes` must be an integer above 1, got 1"),
        ({"num_classes": 3, "ignore_index": "pad"}, "`ignore_index` .* 'pad'"),
        ({"num_classes": 3, "threshold": 0.5}, "`threshold` must be left out unless .* 2, got 0.5"),
        ({"num_classes": 2, "threshold": math.nan}, "`threshold` must be a finite number, got nan"),
        ({"num_classes": 2, "average": "micro"}, "`average` must be one of .* 'micro'"),
        ({"num_classes": 2, "avrage": None}, "Unexpected keyword arguments: `avrage`"),
    ):
        with pytest.raises(ValueError, match=message):
            Informedness(**arguments)
    with pytest.raises(ValueError, match="`average` must be left out for 'nit'"):
        NIT(3, average="macro")


# In a loop


def test_a_collection_counts_once_for_metrics_that_read_batches_alike():
    collection = MetricCollection([Informedness(K), NIT(K)])
    together = collection(PREDS[:100], TARGET[:100])
    assert together["NIT"].item() == near(expected(PREDS[:100], TARGET[:100])[2])
    collection.update(PREDS[100:], TARGET[100:])
    assert collection.compute_groups == {0: ["Informedness", "NIT"]}
    _, informedness, nit = expected()
    assert collection.compute() == {"Informedness": near(informedness), "NIT": near(nit)}
    collection.reset()
    assert collection["NIT"].counts.sum() == 0


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_collection_keeps_apart_what_only_its_first_batch_makes_equal():
    """As it would share the counts of all metrics that have the same after one batch."""
    one, other = torch.tensor([1, 1, 1, 1]), torch.tensor([1, 0, 1, 0])
    certain, unsure = torch.tensor([0.99, 0.98, 0.97, 0.96]), torch.tensor([0.8, 0.1, 0.95, 0.1])
    scores = [(certain, one), (unsure, other)]
    ids = [((given > 0.5).long(), target) for given, target in scores]
    for first, second, batches in (
        ({"threshold": 0.5}, {"threshold": 0.9}, scores),
        ({"ignore_index": 0}, {"ignore_index": -100}, ids),
        ({}, {"ignore_index": -1}, ids),
    ):
        alone = [Informedness(2, **options) for options in (first, second)]
        both = MetricCollection({"first": alone[0].clone(), "second": alone[1].clone()})
        for batch in batches:
            both.update(*batch)
        assert len(both.compute_groups) == 2, second
        for metric, together in zip(alone, both.values(), strict=True):
            computed(metric, *batches)
            assert torch.equal(together.counts, metric.counts), second


@pytest.mark.filterwarnings("error")
def test_without_a_sample_the_score_is_nan_and_one_class_warns_and_training_goes_on():
    metric, vector = Informedness(K, ignore_index=-100), Informedness(K, average=None)
    with pytest.warns(UserWarning, match="metric Informedness was called before the ``update``"):
        assert vector.compute().isnan().tolist() == [True] * K
    for preds, n in ((PREDS, 240), (PREDS, 0), (SCORES, 0)):
        assert math.isnan(metric(preds[:n], torch.full_like(TARGET[:n], -100)))
    only = torch.tensor([2, 2])
    with pytest.warns(UndefinedMetricWarning, match="all references are 2"):
        assert Informedness(K)(only, only) == 0.0
    metric(PREDS, TARGET)
    assert metric.compute().item() == near(expected()[1])


@pytest.mark.filterwarnings("ignore:The ``compute`` method:UserWarning")  # of torchmetrics: merged
def test_a_metric_is_saved_loaded_pickled_copied_and_merged_with_its_counts():
    metric, loaded, part = (Informedness(K, ignore_index=-1) for _ in range(3))
    metric.update(PREDS[:100], TARGET[:100])
    part.update(PREDS[100:], TARGET[100:])
    assert metric.state_dict() == {}  # as those of torchmetrics: only on demand
    metric.persistent(True)
    loaded.persistent(True)
    loaded.load_state_dict(metric.state_dict())
    for copy in (loaded, metric.clone(), pickle.loads(pickle.dumps(metric))):
        assert torch.equal(copy.counts, metric.counts)
        copy.merge_state(part)
        assert copy.compute().item() == near(expected()[1])
    assert metric.counts.sum() == 100


def test_counts_stay_whole_in_half_precision():
    metric, ones = Informedness(2), torch.ones(4995, dtype=torch.long)
    torch.nn.ModuleList([metric]).half()
    metric.set_dtype(torch.float16)
    metric.update(ones, ones)
    assert (metric.counts.dtype, metric.counts.sum()) == (torch.int64, 4995)
    assert (metric.higher_is_better, metric.is_differentiable) == (True, False)
