"""Two processes that score together give the number of one: in Trainer, Accelerate, torchmetrics.

This file is also what the two processes run, once for all tests: then it prints what each found.

Covers src: core/protocol.py.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from accelerate import Accelerator
from accelerate.utils import DataLoaderConfiguration, gather_object
from test_torchmetrics import PREDS, TARGET, K, expected, near
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MetricCollection

from informedness.tables.contingency import Tally
from informedness.torchmetrics import NIT, Informedness
from informedness.trainer import ComputeMetrics, argmax_logits
from inputs import trainer_cases as cases
from inputs.tables import score_of

pytestmark = [
    pytest.mark.full,
    pytest.mark.slow,
    pytest.mark.xdist_group("processes"),
    pytest.mark.filterwarnings("ignore:informedness. "),
]

MARK = "RESULT "
OPTIONS = {
    "whole": {},
    "batches": {"batch_eval_metrics": True},
    "ids in batches": {"batch_eval_metrics": True, "preprocess": argmax_logits},
}


def of_trainer(head, options):
    """Evaluate 299 samples: the last batch is uneven for any number of processes."""
    model = cases.model_of(head, initializer_range=1.0)
    with tempfile.TemporaryDirectory() as folder:
        trainer = cases.trainer_of(
            head, folder, model=model, per_device_eval_batch_size=32, **options
        )
        scores = trainer.evaluate(trainer.eval_dataset[:299])
    return {name: scores[f"eval_{name}"] for name in cases.NAMES}


def of_accelerate(n_samples, *, only_counts):
    """Score in a loop of one's own: gathering predictions, or counts alone.

    The labels are sorted, so that some are seen by one process alone; of 2 samples the second
    process sees none.
    """
    generator = np.random.default_rng(n_samples)
    references = np.sort(generator.integers(0, 5, n_samples))
    logits = generator.normal(size=(n_samples, 5)) + 2 * np.eye(5)[references]
    data = TensorDataset(torch.tensor(logits), torch.tensor(references))
    # a sample that fills up the last batch would be counted twice
    loading = DataLoaderConfiguration(even_batches=not only_counts)
    accelerator = Accelerator(cpu=True, dataloader_config=loading)
    tally = Tally()
    for batch in accelerator.prepare(DataLoader(data, batch_size=2)):
        if not only_counts:
            batch = accelerator.gather_for_metrics(batch)
        tally.update(references=batch[1], predictions=batch[0].argmax(-1))
    if only_counts:
        tally = sum(gather_object([tally]))
    scores = {name: score_of(tally.table, name) for name in cases.NAMES}
    return scores | {"n_samples": tally.table.n_samples}


def all_cases():
    results = {}
    for head in ("tokens", "several labels"):
        for name, options in OPTIONS.items():
            results[f"{head}, {name}"] = of_trainer(head, dict(options))
    for n_samples in (2, 61):
        for only_counts in (False, True):
            name = f"{n_samples} samples, counts alone: {only_counts}"
            results[name] = of_accelerate(n_samples, only_counts=only_counts)
    return results


def of_torchmetrics(rank):
    """Score a share of the samples, and return what this process says of them all."""
    share = [slice(0, 150), slice(150, 240)][rank]  # in 3 batches and in 2
    preds, target = PREDS[share], TARGET[share]
    collection = MetricCollection([Informedness(K), NIT(K)])
    on_step, empty, nothing = Informedness(K, dist_sync_on_step=True), NIT(K), Informedness(K)
    for batch in zip(preds.split(50), target.split(50), strict=True):
        collection.update(*batch)
    if rank:
        empty.update(PREDS, TARGET)
    nothing.update(PREDS[:0], TARGET[:0])
    step = on_step(preds[:50], target[:50])
    first = [value.item() for value in collection.compute().values()]
    own = collection["NIT"].counts.sum()
    collection.update(preds, target)
    return {
        "first": first,
        "own": own.item(),
        "twice": [value.item() for value in collection.compute().values()],
        "step": step.item(),
        "empty": empty.compute().item(),
        "nothing": nothing.compute().item(),
    }


@pytest.fixture(scope="module")
def both():
    """Return what each of two processes found."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    environment["ACCELERATE_USE_CPU"] = "1"  # as `accelerate launch --cpu`
    environment["PYTHONPATH"] = str(Path(__file__).parents[1])  # of the inputs of tests
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", __file__]
    result = subprocess.run(
        [sys.executable, *launch], capture_output=True, text=True, env=environment
    )
    assert result.returncode == 0, result.stderr[-4000:]
    lines = result.stdout.splitlines()
    return [json.loads(line.removeprefix(MARK)) for line in lines if line.startswith(MARK)]


def test_trainer_and_accelerate_agree_with_one_process(both):
    assert [result["cases"] for result in both] == [all_cases()] * 2


def test_torchmetrics_classes_score_all_processes_samples(both):
    _, informedness, nit = expected()
    steps = torch.cat([torch.arange(50), torch.arange(150, 200)])
    results = [result["torchmetrics"] for result in both]
    for result in results:
        assert result["first"] == result["twice"] == [near(informedness), near(nit)]
        assert result["step"] == near(expected(PREDS[steps], TARGET[steps])[1])
        assert result["empty"] == near(nit)
        assert math.isnan(result["nothing"])
    assert {result["own"] for result in results} == {150, 90}


@pytest.mark.filterwarnings("ignore:informedness. an evaluation was interrupted")
def test_evaluations_over_one_data_loader_stay_separate():
    loader = Accelerator(cpu=True).prepare(DataLoader(TensorDataset(torch.arange(4) % 2)))
    compute_metrics = ComputeMetrics("accuracy")
    for (outer,) in loader:
        compute_metrics((1 - outer, outer), compute_result=False)
        for number, (inner,) in enumerate(loader):
            scores = compute_metrics((inner, inner), compute_result=number == 3)
        assert scores == {"accuracy": 1.0}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    results = {"cases": all_cases(), "torchmetrics": of_torchmetrics(torch.distributed.get_rank())}
    # one write, so that the lines of two processes do not mix
    print(f"\n{MARK}{json.dumps(results)}\n", end="", flush=True)
    torch.distributed.barrier()  # a process that ends first would end the threads of the other
    torch.distributed.destroy_process_group()
