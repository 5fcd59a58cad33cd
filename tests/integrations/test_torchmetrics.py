"""The metrics of torchmetrics: one table over batches and processes, in Lightning's terms.

Covers src: torchmetrics.py.
"""

import doctest
import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, mutual_info_score
from torchmetrics import MetricCollection
from torchmetrics.functional.classification import multiclass_recall, multiclass_specificity

import informedness.torchmetrics
from informedness import informedness_score
from informedness.torchmetrics import NIT, Informedness
from informedness.warnings import InformednessWarning, UndefinedMetricWarning
from inputs.cases import warned
from oracles.golden import close as near

pytestmark = [pytest.mark.full, pytest.mark.slow]  # imports torch

K = 4
GENERATOR = torch.Generator().manual_seed(3)
TARGET = torch.randint(K, (240,), generator=GENERATOR)
SCORES = torch.randn(240, K, generator=GENERATOR) + torch.nn.functional.one_hot(TARGET, K)
PREDS = SCORES.argmax(1)


def expected(preds=PREDS, target=TARGET):
    """Return gains by class, Informedness and NIT, from scikit-learn's sums."""
    table = confusion_matrix(target.flatten(), preds.flatten(), labels=range(K))
    hits, references, predictions, n = table.diagonal(), table.sum(1), table.sum(0), table.sum()
    gains = hits / references - (predictions - hits) / (n - references)
    nit = np.exp(mutual_info_score(target.flatten(), preds.flatten())) / K
    return gains, float(predictions @ gains / n), float(nit)


def computed(metric, *batches):
    for batch in batches:
        metric.update(*batch)
    return metric.compute()


KEPT = torch.arange(240) % 3 > 0
PADDED = torch.where(KEPT, TARGET, -100)
IDS = PREDS.reshape(24, 10), TARGET.reshape(24, 10)
FORMS = {
    "ids": (PREDS, TARGET),
    "ids of tokens": IDS,
    "scores": (SCORES, TARGET),
    "scores of pixels that track gradients": (
        SCORES.reshape(6, 4, 10, K).movedim(-1, 1).requires_grad_(),
        TARGET.reshape(6, 4, 10),
    ),
    "bytes": (PREDS.to(torch.uint8), TARGET.to(torch.uint8)),
    "ids, some ignored": (torch.where(KEPT, PREDS, -100), PADDED),
    "scores, some ignored": (torch.where(KEPT[:, None], SCORES, math.nan), PADDED),
}


def test_batches_of_every_form_add_up():
    for form, (preds, target) in FORMS.items():
        kept = target.flatten() != -100
        gains, informedness, nit = expected(PREDS[kept], TARGET[kept])
        batches = list(zip(preds.split(5), target.split(5), strict=True))
        for metric, wanted in (
            (Informedness(K, ignore_index=-100), informedness),
            (NIT(K, ignore_index=-100), nit),
            (Informedness(K, ignore_index=-100, average=None), gains),
        ):
            found = computed(metric, *batches)
            assert (found.dtype, found.shape) == (torch.float64, np.shape(wanted)), form
            assert found.tolist() == near(wanted), form


def test_the_example_in_the_docstring_is_true():
    result = doctest.testmod(informedness.torchmetrics)
    assert (result.failed, result.attempted > 0) == (0, True)


def test_one_score_a_sample_is_cut_at_the_threshold():
    target, scores = (TARGET == 1).long(), SCORES[:, 1].clone()
    scores[0] = 0.5  # above it, not at it
    truth = balanced_accuracy_score(target, scores > 0.5, adjusted=True)
    assert computed(Informedness(2, threshold=0.5), (scores, target)).item() == near(truth)


BINARY = (TARGET > 1).long()
REFUSED = [
    (K, {}, PREDS, TARGET + 1, r"`target` .* range\(4\), but 53 of 240 are outside"),
    (K, {"ignore_index": -100}, PREDS, TARGET - 1, r"`target` .* range\(4\).*are outside"),
    (K, {}, PREDS + 1, TARGET, rf"`preds` .* {(PREDS == 3).sum()} of 240 are outside"),
    (K, {}, SCORES[:, 0], TARGET, "ids or 4 scores in dimension 1"),
    (
        K,
        {},
        SCORES.reshape(24, 10, K),
        IDS[1],
        r"4 classes in dimension 1, .*preds.movedim\(-1, 1\)",
    ),
    (K, {}, SCORES[:, :1], TARGET, r"got \(240, 1\) .* Drop .* preds.squeeze\(1\)"),
    (K, {}, torch.nn.functional.one_hot(PREDS, K), TARGET, "must hold scores"),
    (K, {}, PREDS, TARGET.float(), "`target` must hold class ids .* torch.float32"),
    (K, {}, PREDS.tolist(), TARGET, r"`preds` must be a tensor of real numbers, got \["),
    (K, {}, PREDS, TARGET + 0j, "`target` must be a tensor of real numbers"),
    (2, {}, SCORES[:, 0], BINARY, "0.5 for probabilities, 0.0 for logits"),
    (2, {"threshold": 0.5}, SCORES[:, :2], BINARY, "or no threshold to predict the class"),
]


def test_a_batch_that_is_refused_is_named_and_not_counted():
    for k, options, preds, target, message in REFUSED:
        metric = Informedness(k, **options)
        metric.update(BINARY, BINARY)
        with pytest.raises(ValueError, match=message):
            metric.update(preds, target)
        assert metric.counts.sum() == 240, message


def test_options_that_are_not_valid_are_refused():
    for k, options, message in (
        (1, {}, "`num_classes` must be an integer above 1, got 1"),
        (3, {"ignore_index": "pad"}, "`ignore_index` .* 'pad'"),
        (3, {"threshold": 0.5}, "`threshold` needs num_classes=2, got 3"),
        (2, {"threshold": "0.5"}, "`threshold` must be a finite number, got '0.5'"),
        (2, {"average": "macro"}, "`average` must be left out for 'nit'"),
    ):
        with pytest.raises(ValueError, match=message):
            NIT(k, **options)


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_collection_counts_once_without_false_merging():
    """As it would share the counts of all metrics that have the same after one batch."""
    ones, scores = torch.tensor([1, 1, 1, 1]), torch.tensor([0.8, 0.1, 0.95, 0.1])
    batches = [(torch.full((4,), 0.99), ones), (scores, torch.tensor([1, 0, 1, 0]))]
    cut = {"threshold": 0.5}
    for first, second, n_counts in (
        (cut, cut, 1),
        (cut | {"ignore_index": 0}, cut | {"ignore_index": -100}, 2),
        (cut, {"threshold": 0.9}, 2),
    ):
        alone = Informedness(2, **first), NIT(2, **second)
        both = MetricCollection([metric.clone() for metric in alone])
        computed(both, *batches)
        assert len(both.compute_groups) == n_counts, second
        for metric, together in zip(alone, both.values(), strict=True):
            computed(metric, *batches)
            assert torch.equal(together.counts, metric.counts), second


def test_no_samples_give_nan_and_training_continues():
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
def test_a_metric_is_saved_copied_and_merged_with_its_counts():
    metric, loaded, part = (Informedness(K, ignore_index=-1) for _ in range(3))
    metric.update(PREDS[:100], TARGET[:100])
    part.update(PREDS[100:], TARGET[100:])
    for each in (metric, loaded):
        assert each.state_dict() == {}  # as those of torchmetrics: only on demand
        each.persistent(True)
    loaded.load_state_dict(metric.state_dict())
    for copy in (loaded, metric.clone(), pickle.loads(pickle.dumps(metric))):
        copy.merge_state(part)
        assert copy.compute().item() == near(expected()[1])


def test_counts_stay_whole_in_half_precision():
    metric, ones = Informedness(2), torch.ones(4995, dtype=torch.long)
    torch.nn.ModuleList([metric]).half()
    metric.set_dtype(torch.float16)
    metric.update(ones, ones)
    assert (metric.counts.dtype, metric.counts.sum()) == (torch.int64, 4995)


def test_torchmetrics_scores_have_the_values_on_the_page():
    page = (Path(__file__).parents[2] / "docs" / "which-formula.md").read_text("utf-8")
    shown = re.findall(r"^\| torchmetrics \| .*? \| ([\d., ]+) \|", page, re.MULTILINE)
    target = torch.tensor([0] * 6 + [1] * 3 + [2] * 12)
    preds = torch.tensor([0] * 6 + [1] + [2] * 2 + [0] * 4 + [1] * 2 + [2] * 6)
    mean = multiclass_recall(preds, target, 3) + multiclass_specificity(preds, target, 3) - 1
    assert shown == [f"{float(mean):.4f}"]


def test_tied_nan_scores_are_wrong_and_said_once():
    scores, missing = SCORES.clone(), torch.tensor([3, 50, 51])
    scores[3, 0], scores[50], scores[51, :2] = math.nan, -math.inf, math.inf
    answers = np.array(PREDS.tolist(), dtype=object)
    answers[missing] = None
    options = {"labels": range(K), "unknown": "wrong"}
    wanted = informedness_score(TARGET.numpy(), answers, **options)
    metric, one = Informedness(K), Informedness(2, threshold=0.0)

    def train():
        for size in (8, 7):  # each step with other numbers
            metric.reset()
            for preds, target in zip(scores.split(size), TARGET.split(size), strict=True):
                metric(preds, target)
        return metric.compute().item()

    value, said = warned(train)
    assert value == near(wanted)
    assert metric.counts.sum() == 240 - len(missing)
    assert said.count("the model may have diverged") == 1
    answers = torch.where(scores[:, 0].isfinite(), scores[:, 0] > 0, 1 - BINARY)
    with pytest.warns(InformednessWarning, match="3 of 240 predictions are missing"):
        found = computed(one, (scores[:, 0], BINARY)).item()
    assert found == near(balanced_accuracy_score(BINARY, answers, adjusted=True))


def test_plots_draw_value_and_range_like_torchmetrics():
    for metric, low in ((Informedness(K), -1), (NIT(K), 0)):
        metric.update(PREDS, TARGET)
        _, axes = metric.plot()
        assert axes.lines[0].get_ydata()[0] == metric.compute()
        assert axes.get_ylim() == pytest.approx((low, 1), abs=0.3)
