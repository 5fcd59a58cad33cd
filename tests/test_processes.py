"""Two processes that score together give the number of one: in Trainer, Accelerate, torchmetrics.

All of it is done by one pair of processes; `distributed_cases.py` is what they run.
"""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import distributed_cases
from test_torchmetrics import PREDS, TARGET, expected, near

pytestmark = [
    pytest.mark.full,
    pytest.mark.slow,
    pytest.mark.xdist_group("processes"),
    pytest.mark.filterwarnings("ignore:informedness. "),
]


@pytest.fixture(scope="module")
def both():
    """Return what each of two processes found."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    environment["ACCELERATE_USE_CPU"] = "1"  # as `accelerate launch --cpu`
    launch = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    script = Path(__file__).with_name("distributed_cases.py")
    result = subprocess.run(
        [sys.executable, *launch, script], capture_output=True, text=True, env=environment
    )
    assert result.returncode == 0, result.stderr[-4000:]
    lines = [line.partition("RESULT ")[2] for line in result.stdout.splitlines()]
    found = [json.loads(line) for line in lines if line]
    assert len(found) == 2
    return found


def test_the_trainer_and_loops_of_accelerate_give_the_number_of_one_process(both):
    alone = distributed_cases.all_cases()
    assert len(alone) > 10
    for found in both:
        assert found["cases"] == alone


def test_metrics_of_torchmetrics_give_the_score_of_all_their_samples(both):
    _, informedness, nit = expected()
    steps = torch.cat([torch.arange(50), torch.arange(150, 200)])
    for result in (found["torchmetrics"] for found in both):
        assert result["first"] == result["twice"] == [near(informedness), near(nit)]
        assert result["step"] == near(expected(PREDS[steps], TARGET[steps])[1])
        assert result["empty"] == near(nit)
        assert math.isnan(result["nothing"])
    assert {found["torchmetrics"]["own"] for found in both} == {150, 90}
