"""The logs of lm-eval in examples/runs/lm-eval.

Of the results beside the samples only what names model and version, and the totals of each task,
are kept: the rest tells paths.
"""

import gzip
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

from arithmetic import LETTERS, SAID, answers
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

TASKS = Path(__file__).resolve().parent / "lm_eval_tasks"
FIELDS = ("model_source", "model_name", "model_name_sanitized", "lm_eval_version")
FIELDS += ("results", "n-samples", "n-shot")


@register_model("arithmetic")
class Model(LM):
    """One of the three models, by name."""

    def __init__(self, model: str, **_: object) -> None:
        super().__init__()
        self.said = answers(model)

    def answer(self, request):
        return self.said[request.doc["prompt"].split("?")[0] + "?"]

    def generate_until(self, requests, **_):
        """What the model says, in the form that the task may ask for."""
        said = [(self.answer(request), request.args[1].get("form", "{}")) for request in requests]
        return [form.format(text, lower=text.lower()) for text, form in said]

    def loglikelihood(self, requests, **_):
        """Of the choice that the model says -0.5, of the others -1.5, -2.5 and so on."""
        distances = [abs(LETTERS.index(self.answer(request)) - request.idx) for request in requests]
        return [(-0.5 - distance, distance == 0) for distance in distances]

    loglikelihood_rolling = None  # no task asks for it


def run(model, tasks, folder=None, **options):
    """Evaluate a model; with a folder, write the logs there as the command line does."""
    tracker = EvaluationTracker(output_path=str(folder)) if folder else None
    results = simple_evaluate(
        "arithmetic",
        model_args={"model": model},
        tasks=tasks,
        task_manager=TaskManager(include_path=str(TASKS), include_defaults=False),
        evaluation_tracker=tracker,
        log_samples=True,
        **{"bootstrap_iters": 10, **options},
    )
    if tracker:
        written = dict(results)
        logged = written.pop("samples")
        tracker.save_results_aggregated(results=written, samples=logged)
        for task, of_task in logged.items():
            tracker.save_results_samples(task_name=task, samples=of_task)
    return results


def make(folder):
    """Write the logs of all models to a folder, compressed."""
    for model in SAID:
        tasks = ["arithmetic_generated"]
        if model != "refuses":  # it has no likeliest choice
            tasks += ["arithmetic_letters", "arithmetic_texts", "arithmetic_plain"]
        with TemporaryDirectory() as made:
            run(model, tasks, made)
            for path in sorted(Path(made).rglob("*.json*")):
                name = re.sub(r"\d{4}-\d\d-\d\dT[\d.-]+\d", "2026-01-01T00-00-00.000001", path.name)
                to = Path(folder, model, name)
                to.parent.mkdir(parents=True, exist_ok=True)
                text = path.read_text(encoding="utf-8")
                if path.suffix == ".json":
                    results = json.loads(text)
                    kept = {field: results[field] for field in FIELDS}
                    to.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
                else:
                    to.with_name(f"{name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
