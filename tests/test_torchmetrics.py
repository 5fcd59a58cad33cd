"""The metrics of torchmetrics: one table over batches and processes, in Lightning's terms."""

import doctest
import math
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, mutual_info_score
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassConfusionMatrix
from torchmetrics.functional import classification as functional

import informedness.torchmetrics
from informedness import UndefinedMetricWarning
from informedness.torchmetrics import Informedness, Nit

pytestmark = pytest.mark.slow  # imports torch

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
    for form, (preds, target) in FORMS.items():
        batches = list(zip(preds.split(5), target.split(5), strict=True))
        value = computed(Informedness(K), *batches)
        assert (value.dtype, value.shape) == (torch.float64, ()), form
        assert value.item() == near(informedness), form
        assert computed(Nit(K), *batches).item() == near(nit), form
        vector = computed(Informedness(K, average=None), *batches)
        assert (vector.dtype, vector.shape) == (torch.float64, (K,)), form
        assert vector.tolist() == near(gains), form
        macro = computed(Informedness(K, average="macro"), *batches)
        assert macro.item() == near(gains.mean()), form


def test_the_example_in_the_docstring_is_true():
    result = doctest.testmod(informedness.torchmetrics)
    assert (result.failed, result.attempted > 0) == (0, True)


def test_the_state_is_one_table_of_counts_with_targets_as_rows():
    metric, theirs = Informedness(K), MulticlassConfusionMatrix(K)
    computed(theirs, (PREDS, TARGET))
    computed(metric, (PREDS, TARGET))
    assert torch.equal(metric.counts, theirs.compute())
    assert len(metric.metric_state) == 1


def test_ignored_targets_are_left_out_whatever_is_predicted_there():
    padded, preds, scores = TARGET.clone(), PREDS.clone(), SCORES.clone()
    padded[::3] = preds[::3] = -100
    scores[::3] = math.nan
    kept = torch.arange(240) % 3 > 0
    _, informedness, nit = expected(PREDS[kept], TARGET[kept])
    for batch in ((preds, padded), (scores, padded)):
        assert computed(Informedness(K, ignore_index=-100), batch).item() == near(informedness)
        assert computed(Nit(K, ignore_index=-100), batch).item() == near(nit)


def test_one_score_a_sample_is_cut_at_the_threshold():
    target = (TARGET == 1).long()
    for threshold in (0.0, 0.9, 1):
        scores = SCORES[:, 1].clone()
        scores[0] = threshold  # above it, not at it
        truth = balanced_accuracy_score(target, scores > threshold, adjusted=True)
        metric = Informedness(2, threshold=threshold)
        assert computed(metric, (scores, target)).item() == near(truth), threshold


REFUSED = {
    "a target outside": ({}, PREDS, TARGET + 1, r"`target` must hold ids in range\(4\), got 4"),
    "a target beside padding": (
        {"ignore_index": -100},
        PREDS,
        TARGET - 1,
        r"`target` must hold ids in range\(4\), or ignore_index=-100, got -1",
    ),
    "a prediction outside": ({}, PREDS + 1, TARGET, r"`preds` must hold ids in range\(4\), got 4"),
    "one score of many classes": ({}, SCORES[:, 0], TARGET, "ids .* or 4 scores per sample"),
    "too few classes": ({}, SCORES[:, :3], TARGET, r"4 classes in an extra .* \(240, 3\)"),
    "classes last": ({}, SCORES.reshape(24, 10, K), IDS[1], r"with preds.movedim\(-1, 1\)"),
    "another length": ({}, PREDS[:9], TARGET, r"the shape of `target`, \(240,\).* got \(9,\)"),
    "one-hot ids": ({}, torch.nn.functional.one_hot(PREDS, K), TARGET, "must hold scores"),
    "float targets": ({}, PREDS, TARGET.float(), "`target` must hold class ids .* torch.float32"),
    "no tensor": ({}, PREDS.tolist(), TARGET, r"`preds` must be a tensor of real numbers, got \["),
    "a nan": ({}, torch.where(SCORES > 2, math.nan, SCORES), TARGET, "`preds` .* got nan"),
}
BINARY = (TARGET > 1).long()
REFUSED_OF_TWO = {
    "no threshold": ({}, SCORES[:, 0], BINARY, "threshold=0.5 for probabilities, threshold=0.0"),
    "a column": ({"threshold": 0.5}, SCORES[:, :1], BINARY, r"or 2 classes .* got \(240, 1\)"),
    "both scores": ({"threshold": 0.5}, SCORES[:, :2], BINARY, r"leave out the threshold"),
    "one nan": ({"threshold": 0}, torch.full((240,), math.nan), BINARY, "`preds` .* got nan"),
}


def test_a_batch_that_is_refused_is_named_and_not_counted():
    cases = [(K, *case) for case in REFUSED.values()]
    cases += [(2, *case) for case in REFUSED_OF_TWO.values()]
    for k, options, preds, target, message in cases:
        for of in (Informedness, Nit):
            metric = of(k, **options)
            metric.update(BINARY, BINARY)
            with pytest.raises(ValueError, match=message):
                metric.update(preds, target)
            assert metric.counts.sum() == 240, message


def test_options_that_are_not_valid_are_refused():
    for arguments, message in (
        ({"num_classes": 1}, "`num_classes` must be an integer of at least 2, got 1"),
        ({"num_classes": 3, "ignore_index": "pad"}, "`ignore_index` .* 'pad'"),
        ({"num_classes": 3, "threshold": 0.5}, "`threshold` must be left out unless .* 2, got 0.5"),
        ({"num_classes": 2, "threshold": math.nan}, "`threshold` must be a finite number, got nan"),
        ({"num_classes": 2, "average": "micro"}, "`average` must be one of .* 'micro'"),
        ({"num_classes": 2, "zero_division": 1.0}, '`zero_division` must be "warn", 0.0 or nan'),
        ({"num_classes": 2, "avrage": None}, "Unexpected keyword arguments: `avrage`"),
    ):
        with pytest.raises(ValueError, match=message):
            Informedness(**arguments)


# In a loop


def test_forward_gives_the_score_of_the_batch_and_compute_that_of_the_epoch():
    metric = Informedness(K)
    for epoch in range(2):
        for preds, target in zip(PREDS.split(60), TARGET.split(60), strict=True):
            assert metric(preds, target).item() == near(expected(preds, target)[1])
        assert metric.compute().item() == near(expected()[1])
        assert metric.counts.sum() == 240, epoch
        metric.reset()
        assert metric.counts.sum() == 0


def test_a_collection_counts_once_for_metrics_that_read_batches_alike():
    collection = MetricCollection([Informedness(K), Nit(K)])
    together = collection(PREDS[:100], TARGET[:100])
    assert together["Nit"].item() == near(expected(PREDS[:100], TARGET[:100])[2])
    collection.update(PREDS[100:], TARGET[100:])
    assert collection.compute_groups == {0: ["Informedness", "Nit"]}
    _, informedness, nit = expected()
    assert {name: value.item() for name, value in collection.compute().items()} == {
        "Informedness": near(informedness),
        "Nit": near(nit),
    }
    collection.reset()
    assert collection["Nit"].counts.sum() == 0


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
        both = {"first": Informedness(2, **first), "second": Informedness(2, **second)}
        collection = MetricCollection(both)
        for batch in batches:
            collection.update(*batch)
        assert len(collection.compute_groups) == 2, second
        for name, options in (("first", first), ("second", second)):
            alone = Informedness(2, **options)
            computed(alone, *batches)
            assert torch.equal(collection[name].counts, alone.counts), options


def test_without_a_sample_the_score_is_nan_and_training_goes_on():
    metric, vector = Informedness(K, ignore_index=-100), Informedness(K, average=None)
    with pytest.warns(UserWarning, match="metric Informedness was called before the ``update``"):
        assert vector.compute().isnan().tolist() == [True] * K
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(metric(PREDS, torch.full_like(TARGET, -100)))
        assert math.isnan(metric(PREDS[:0], TARGET[:0]))
        assert math.isnan(metric(SCORES[:0], TARGET[:0]))
        metric(PREDS, TARGET)
        assert metric.compute().item() == near(expected()[1])


def test_a_batch_of_one_class_warns_unless_zero_division_says_what_it_is():
    with pytest.warns(UndefinedMetricWarning, match="all references are 2"):
        assert Informedness(K)(torch.tensor([2, 2]), torch.tensor([2, 2])) == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        metric = Informedness(K, zero_division=math.nan)
        assert math.isnan(metric(torch.tensor([2, 2]), torch.tensor([2, 2])))


def test_a_metric_is_saved_loaded_pickled_and_copied_with_its_counts():
    for metric in (Informedness(K, ignore_index=-1), Nit(K)):
        metric.update(PREDS[:100], TARGET[:100])
        assert metric.state_dict() == {}  # as those of torchmetrics: only on demand
        metric.persistent(True)
        loaded = type(metric)(K, ignore_index=metric.ignore_index)
        loaded.persistent(True)
        loaded.load_state_dict(metric.state_dict())
        copies = [loaded, metric.clone(), pickle.loads(pickle.dumps(metric))]
        score = metric.compute()
        for copy in copies:
            assert torch.equal(copy.counts, metric.counts)
            copy.update(PREDS[100:], TARGET[100:])
            assert copy.compute().item() == near(expected()[1 + isinstance(metric, Nit)])
        assert (metric.counts.sum(), metric.compute()) == (100, score)


def test_counts_stay_whole_in_half_precision():
    for halved in (lambda m: m.half(), lambda m: m.set_dtype(torch.float16)):
        metric = Informedness(2)
        module = torch.nn.Module()
        module.metric = metric
        halved(metric)
        module.half()
        for _ in range(5):
            metric.update(torch.ones(999, dtype=torch.long), torch.ones(999, dtype=torch.long))
        assert (metric.counts.dtype, metric.counts.sum()) == (torch.int64, 4995)


def test_what_torchmetrics_asks_of_a_metric():
    for of, lowest in ((Informedness, -1.0), (Nit, 0.0)):
        metric = of(K)
        assert (metric.higher_is_better, metric.is_differentiable) == (True, False)
        assert (metric.plot_lower_bound, metric.plot_upper_bound) == (lowest, 1.0)
        assert metric.full_state_update is False
    merged, part = Informedness(K), Informedness(K)
    merged.update(PREDS[:50], TARGET[:50])
    part.update(PREDS[50:], TARGET[50:])
    merged.merge_state(part)
    assert merged.compute().item() == near(expected()[1])
    _, axes = merged.plot()
    assert axes.lines[0].get_ydata() == [near(expected()[1])]


# Without torchmetrics


def test_the_page_on_formulas_says_what_scores_of_torchmetrics_are():
    """On the table of that page: three classes, of which c is mistaken for both others."""
    cells = {"aa": 6, "bb": 1, "bc": 2, "ca": 4, "cb": 2, "cc": 6}
    pairs = [[*map("abc".index, pair)] for pair, count in cells.items() for _ in range(count)]
    target, preds = torch.tensor(pairs).T
    sums = {}
    for average in ("none", "macro"):
        recall, specificity = (
            of(preds, target, 3, average=average)
            for of in (functional.multiclass_recall, functional.multiclass_specificity)
        )
        sums[average] = [f"{x:.4f}" for x in (recall + specificity - 1).reshape(-1).tolist()]
    balanced = functional.multiclass_accuracy(preds, target, 3, average="macro")
    page = (Path(__file__).resolve().parent.parent / "docs" / "which-formula.md").read_text("utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if "| torchm" in line]
    shown = [row[2] for row in rows]
    assert shown == [", ".join(sums["none"]), *sums["macro"], f"{balanced:.4f}"]
