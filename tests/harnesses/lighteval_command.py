"""The command `lighteval` with the task "arithmetic" alone, whose data are here.

It would import all its own tasks, of which some ask the network.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from inspect_ai.dataset import Sample
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice
from inspect_logs import Always
from lighteval.__main__ import app
from lighteval.metrics.metrics import Metrics
from lighteval.tasks.registry import Registry
from lighteval_logs import config_of


def sample(line: dict) -> Sample:
    """A question with its choices."""
    asked = {"choices": line["choices"], "target": line["answer"], "id": line["id"]}
    return Sample(line["question"], **asked)


if __name__ == "__main__":
    assert Always  # registered for `lighteval eval always/b`
    with TemporaryDirectory() as folder:
        solved = {"solver": [multiple_choice()], "scorer": choice()}
        solved["metrics"] = [Metrics.loglikelihood_acc.value]
        config = config_of("arithmetic", Path(folder), sample_fields=sample, **solved)
        Registry.load_all_task_configs = staticmethod(lambda *_, **__: {"arithmetic": config})
        sys.exit(app())
