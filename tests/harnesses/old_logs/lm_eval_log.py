"""Logs of lm-eval before 0.4.7, which do not name the filter of each answer.

In an environment with lm-eval 0.4.3, `PYTHONPATH=.. python lm_eval_log.py` writes them to
lm-eval_0.4.3 here.
"""

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from arithmetic import LETTERS, QUESTIONS, answers
from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.api.registry import register_model
from lm_eval.loggers import EvaluationTracker

DATE = "2026-01-01T00-00-00.000001"
CHOICES = {
    "output_type": "multiple_choice",
    "doc_to_choice": [*LETTERS],
    "doc_to_target": "position",
}
MATCH = {"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}
TEXT = {"output_type": "generate_until", "doc_to_target": "answer", "metric_list": [MATCH]}
TEXT["generation_kwargs"] = {"until": ["\n"]}
LAST = {"function": "take_first"}
STRICT = [{"function": "regex", "regex_pattern": "^([A-D])$"}, LAST]
TWO = [{"name": "strict", "filter": STRICT}, {"name": "flexible", "filter": [LAST]}]
TASKS = {"choices": CHOICES, "text": TEXT, "two_filters": {**TEXT, "filter_list": TWO}}
FIELDS = ("results", "n-shot", "n-samples", "model_name")


@register_model("arithmetic")
class Model(LM):
    """The model that knows every second answer."""

    def answer(self, request):
        """Its answer."""
        return answers("knows-half")[request.doc["question"]]

    def generate_until(self, requests, **_):
        """What it says."""
        return [self.answer(request) for request in requests]

    def loglikelihood(self, requests, **_):
        """Of the choice that it says -0.5, of the others less."""
        distances = [abs(LETTERS.index(self.answer(request)) - request.idx) for request in requests]
        return [(-0.5 - distance, distance == 0) for distance in distances]

    loglikelihood_rolling = None


def make(target: Path) -> None:
    """Write the logs of all tasks, compressed, and what is kept of the results."""
    target.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        docs = [{**x, "position": LETTERS.index(x["answer"])} for x in QUESTIONS[:20]]
        data = Path(folder, "data.json")
        data.write_text(json.dumps(docs))
        of_all = {"dataset_path": "json", "dataset_kwargs": {"data_files": {"test": str(data)}}}
        of_all |= {"test_split": "test", "doc_to_text": "{{question}}"}
        tasks = [{"task": name, **of_all, **task} for name, task in TASKS.items()]
        results = simple_evaluate("arithmetic", tasks=tasks, bootstrap_iters=10)
        samples = results.pop("samples")
        tracker = EvaluationTracker(output_path=folder)
        tracker.general_config_tracker.model_name_sanitized = "knows-half"
        tracker.save_results_aggregated(results=dict(results), samples=samples)
        for task, of_task in samples.items():
            tracker.save_results_samples(task_name=task, samples=of_task)
            (made,) = Path(folder, "knows-half").glob(f"samples_{task}_*.jsonl")
            kept = target / f"samples_{task}_{DATE}.jsonl.gz"
            kept.write_bytes(gzip.compress(made.read_bytes(), mtime=0))
    kept = {name: results[name] for name in FIELDS if name in results}
    (target / f"results_{DATE}.json").write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    make(Path(__file__).with_name("lm-eval_0.4.3"))
