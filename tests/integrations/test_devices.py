"""Tensors on every device that is there, and on an accelerator without waiting for it.

Covers src: logits.py, torchmetrics.py.
"""

import math

import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import DynamicOutputShapeException, FakeTensorMode
from torch.overrides import TorchFunctionMode

import informedness.logits
from informedness import (
    ContingencyTable,
    Tally,
    compare,
    estimate,
    informed_decisions,
    informedness_score,
    per_label,
)
from informedness.logits import above_threshold, argmax
from informedness.tables.contingency import MISSING
from informedness.torchmetrics import NIT, Informedness
from informedness.trainer import ComputeMetrics, argmax_logits
from inputs.cases import warned
from oracles.golden import close as near

pytestmark = [pytest.mark.full, pytest.mark.slow]  # imports torch

GENERATOR = torch.Generator().manual_seed(7)
N, K = 400, 5
TARGET = torch.randint(K, (N,), generator=GENERATOR)
PREDS = torch.where(torch.rand(N, generator=GENERATOR) < 0.6, TARGET, TARGET.flip(0))
DEVICES = ["cpu", "cpu as an accelerator", *["cuda"] * torch.cuda.is_available()]


@pytest.fixture(params=DEVICES)
def device(request, monkeypatch):
    """Return a device; the code for accelerators also runs on the tensors of a CPU."""
    if request.param == "cpu as an accelerator":
        for module in (informedness.logits, informedness.torchmetrics):
            monkeypatch.setattr(module, "is_on_host", lambda _: False)
    return torch.device(request.param.split()[0])


def odd_scores():
    """Return scores, and the class of each sample that has one, decided value by value."""
    inf, nan = math.inf, math.nan
    rows = [
        [0.1, 0.7, 0.2],
        [0.7, 0.7, 0.2],
        [nan, 0.7, 0.2],
        [nan, inf, 0.2],
        [0.1, inf, 0.2],
        [inf, inf, 0.2],
        [inf, -inf, -inf],
        [inf, -inf, 3.0],
        [-inf, -inf, -inf],
        [-inf, -inf, -2.0],
    ]
    wanted = [1, 0, MISSING, MISSING, 1, MISSING, MISSING, 0, MISSING, 2]
    return torch.tensor(rows), wanted


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_logits_with_nan_and_inf_choose_the_same_class(device, dtype):
    scores, wanted = odd_scores()
    scores = scores.to(device, dtype)
    assert argmax(scores).tolist() == wanted
    assert argmax(scores.reshape(2, 5, 3)).tolist() == [wanted[:5], wanted[5:]]
    assert argmax(scores[:0]).tolist() == []
    assert argmax(odd_scores()[0].numpy()).tolist() == wanted


def test_scores_with_nan_and_inf_are_cut_alike(device):
    scores, _ = odd_scores()
    wanted = [
        [
            MISSING if math.isnan(x) or not any(map(math.isfinite, row)) else int(x > 0.5)
            for x in row
        ]
        for row in scores.tolist()
    ]
    assert above_threshold(scores.to(device), 0.5).tolist() == wanted
    assert above_threshold(scores.numpy(), 0.5).tolist() == wanted


def test_samples_with_inf_beyond_the_limit_are_missing(device, monkeypatch):
    monkeypatch.setattr(informedness.logits, "_MAX_SCORES", 2 * K)
    scores = torch.rand(20, K, generator=GENERATOR)
    wanted = scores.argmax(1)
    scores[torch.arange(3, 8), wanted[3:8]] = math.inf
    found = argmax(scores.to(device)).cpu()
    n_answers = int((found == wanted).sum())
    assert n_answers == (20 if informedness.logits.is_on_host(scores) else 17)
    assert (found[found != wanted] == MISSING).all()


@pytest.mark.parametrize("n_scattered", [0, 10**5])
def test_batches_on_a_device_add_up_to_the_score(device, monkeypatch, n_scattered):
    monkeypatch.setattr(informedness.torchmetrics, "_MOST_SCATTERED", n_scattered)
    ignored = torch.arange(N) % 7 == 0
    target = torch.where(ignored, -100, TARGET)
    answers = np.array(PREDS.tolist(), dtype=object)
    answers[5::50] = None
    kept = ~ignored.numpy()
    wanted = informedness_score(
        TARGET.numpy()[kept], answers[kept], labels=range(K), unknown="wrong"
    )
    preds = PREDS.clone()
    preds[5::50] = -1
    metric = Informedness(K, ignore_index=-100, unknown="wrong").to(device)
    for batch in zip(preds.to(device).split(50), target.to(device).split(50), strict=True):
        metric(*batch)
    assert metric.compute().item() == near(wanted)
    scores = torch.nn.functional.one_hot(PREDS, K).float()
    scores[5::50] = math.nan
    metric.reset()
    value, said = warned(lambda: metric(scores.to(device), target.to(device)).item())
    assert value == near(wanted)
    n_missing = int(kept[5::50].sum())
    assert f"{n_missing} of {kept.sum()} predictions are missing" in said


def test_ids_out_of_range_raise_until_reset(device):
    is_seen_at_once = informedness.logits.is_on_host(TARGET.to(device))
    preds, target = PREDS.to(device), TARGET.to(device)
    for name, batch, n in (
        ("preds", (preds + 1, target), int((PREDS == K - 1).sum())),
        ("target", (preds, target - 1), int((TARGET == 0).sum())),
    ):
        outside = f"`{name}` must .*, but {n} of {{}} are outside".format
        metric = NIT(K).to(device)
        score = metric(preds, target).item()
        with pytest.raises(ValueError, match=outside(N)):
            metric(*batch)
        if is_seen_at_once:  # and refused before it is counted
            with pytest.raises(ValueError, match=outside(N)):
                metric.update(*batch)
            assert metric.compute().item() == score
        else:
            metric.update(*batch)
            with pytest.raises(ValueError, match=outside(2 * N)):
                metric.compute()
            metric.update(preds, target)
            with pytest.raises(ValueError, match=outside(3 * N)):
                metric.compute()
        metric.reset()
        metric.update(preds[9:], target[9:])
        metric(preds[:9], target[:9])
        assert metric.compute().item() == score


def test_out_of_range_targets_are_refused(device):
    metric = Informedness(K, unknown="wrong").to(device)
    with pytest.raises(ValueError, match="`target` must hold ids in range"):
        metric(PREDS.to(device) - 1, TARGET.to(device) - 1)


@pytest.mark.parametrize("options", [{}, {"ignore_index": -100}, {"unknown": "wrong"}])
def test_nothing_in_an_update_waits_for_an_accelerator(options):
    """In this mode whatever needs the values of a tensor raises an error."""
    with FakeTensorMode(), torch.device("meta"):
        target = torch.randint(K, (N,))
        scores, logits = torch.rand(N, K), torch.rand(2, 8, 300)
        metric, binary = NIT(K, **options), Informedness(2, threshold=0.5)
        for preds in (target, scores, scores.bfloat16()):
            metric.update(preds, target)
        metric.update(scores.reshape(-1, K, 1, 1), target.reshape(-1, 1, 1))
        binary.update(scores[:, 0], target)
        assert argmax_logits(logits, torch.ones(2, 8)).shape == (2, 8)
        assert above_threshold(scores, 0.5).shape == scores.shape
        with pytest.raises(DynamicOutputShapeException):
            torch.bincount(target)


class Moves(TorchFunctionMode):
    """Counts how often tensors are moved to the host, or asked for a value."""

    ASKING = ("cpu", "numpy", "item", "tolist", "__int__", "__iter__")

    def __init__(self):
        super().__init__()
        self.n_moves = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.n_moves += getattr(function, "__name__", "") in self.ASKING
        return function(*args, **(kwargs or {}))


LOGITS = torch.nn.functional.one_hot(PREDS, K).float()
BITS = (LOGITS > 0).long()
CALLS = {
    "score": (lambda: informedness_score(TARGET, PREDS, sample_weight=LOGITS[:, 0] + 1), 3),
    "estimate": (lambda: estimate(TARGET, PREDS, unknown="wrong", labels=range(K)), 2),
    "compare": (lambda: compare(TARGET, PREDS, PREDS.flip(0)), 3),
    "table": (lambda: ContingencyTable.from_labels(references=TARGET, predictions=PREDS), 2),
    "labels": (lambda: per_label(BITS, BITS), 2),
    "tally": (lambda: Tally().update(references=TARGET, predictions=PREDS), 2),
    "decisions": (lambda: informed_decisions(LOGITS), 1),
    "trainer, logits": (lambda: ComputeMetrics("nit")((LOGITS, TARGET)), 2),
    "trainer, ids": (lambda: ComputeMetrics("nit")((PREDS, TARGET)), 2),
    "trainer, several labels": (
        lambda: ComputeMetrics("nit", multilabel=True, threshold=0.5)((LOGITS, BITS)),
        2,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_each_tensor_is_moved_to_the_host_once(name):
    call, n_tensors = CALLS[name]
    with Moves() as moves:
        warned(call)
    assert moves.n_moves == n_tensors


class OfCuPy:
    """An array as CuPy has it, which needs a GPU: it refuses to become one of numpy by itself."""

    __cuda_array_interface__ = None  # which torch and numba have, too

    def __init__(self, values):
        self._values = np.asarray(values)

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Use `.get()`.")

    def get(self):
        return self._values


def test_arrays_of_cupy_are_copied_from_the_device():
    wanted = informedness_score(TARGET.numpy(), PREDS.numpy())
    assert informedness_score(OfCuPy(TARGET), OfCuPy(PREDS)) == wanted
    tally = Tally()
    tally.update(references=OfCuPy(TARGET), predictions=OfCuPy(PREDS))
    assert tally.table.informedness() == wanted
    assert ComputeMetrics("informedness")((OfCuPy(LOGITS), OfCuPy(TARGET))) == {
        "informedness": near(wanted)
    }
