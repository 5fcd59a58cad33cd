"""A log of Inspect with a score of two values, of which one is nan in every fourth sample.

In an environment with an old version, `python inspect_log.py inspect_0.3.120.json` writes it here,
without what differs from run to run.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer, stderr
from inspect_ai.solver import generate

OF_SAMPLE = ("id", "epoch", "input", "target", "scores")
OF_EVAL = ("created", "task", "task_args", "dataset", "model", "config", "packages")


@scorer(metrics={"right": [accuracy(), stderr()], "also": [accuracy()]})
def two_values():
    """Right or not, in two values."""

    async def score(state, target):
        is_right = float(state.output.completion == target.text)
        value = {"right": is_right if state.sample_id % 4 < 3 else float("nan"), "also": is_right}
        return Score(value=value, answer=state.output.completion)

    return score


def says_yes():
    """Say yes to every question."""
    said = ModelOutput.from_content("mockllm/yes", "yes")
    said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return said


def make(file: Path) -> None:
    """Ask twenty questions, to twelve of which yes is right."""
    samples = [Sample(f"Is it {i}?", target="yes" if i % 5 < 3 else "no", id=i) for i in range(20)]
    task = Task(dataset=MemoryDataset(samples), solver=generate(), scorer=two_values(), name="quiz")
    model = get_model("mockllm/yes", custom_outputs=[says_yes()] * 20)
    with TemporaryDirectory() as folder:
        eval(task, model=model, log_dir=folder, log_format="json", display="none")
        (path,) = Path(folder).glob("*quiz*.json")
        log = json.loads(path.read_text())
    kept = {name: log[name] for name in ("version", "status")}
    kept["eval"] = {name: log["eval"][name] for name in OF_EVAL if name in log["eval"]}
    kept["eval"]["created"] = "2026-01-01T00:00:00+00:00"
    kept |= {name: log[name] for name in ("plan", "results")}
    kept["samples"] = [{name: sample[name] for name in OF_SAMPLE} for sample in log["samples"]]
    file.write_text(json.dumps(kept, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    make(Path(__file__).with_name(sys.argv[1]))
