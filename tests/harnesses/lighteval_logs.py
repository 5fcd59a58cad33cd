"""The logs of lighteval in examples/runs/lighteval.

They want no network: the task is custom, its data a file in a temporary folder, and the models
know their answers. Details hold questions and answers only. Of the results, which also say where
things are on this machine, the scores are kept. In the names of files "_" stands for lighteval's
"|", which Windows does not allow.
"""

import json
import shutil
import tempfile
from pathlib import Path
from types import ModuleType

from arithmetic import LETTERS, QUESTIONS, SAID
from datasets import Dataset
from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.metrics.metrics import Metrics
from lighteval.metrics.utils.metric_utils import Metric
from lighteval.models.abstract_model import LightevalModel, ModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.registry import Registry
from lighteval.tasks.requests import Doc
from lighteval.utils.cache_management import SampleCache

# It would import all its own tasks, of which some ask the network as they are imported.
Registry._load_from_files = Registry._load_from_subdirs = staticmethod(lambda *_: {})

DATE = "2026-01-01T00-00-00.000000"  # of every kept log
TASKS = {
    "arithmetic": (Metrics.loglikelihood_acc, ("always-b", "knows-half")),
    "arithmetic_text": (Metrics.exact_match, ("refuses", "always-b", "knows-half")),
    "arithmetic_sentence": (Metrics.gpqa_instruct_metric, ("knows-half",)),
}


class Model(LightevalModel):
    """One of the models of `arithmetic`; by log-probabilities, its answer has the highest."""

    tokenizer, add_special_tokens, max_length = None, False, 2048

    def __init__(self, name: str, cache: Path, form: str) -> None:
        self.form = form
        self.config = ModelConfig(model_name=name, cache_dir=str(cache))
        self._cache = SampleCache(self.config)  # the pipeline wants one

    def _answers(self, docs: list[Doc]) -> list[str]:
        return [SAID[self.config.model_name][int(doc.id)] for doc in docs]

    def greedy_until(self, docs: list[Doc]) -> list[ModelResponse]:
        return [ModelResponse(text=[self.form.format(x)]) for x in self._answers(docs)]

    def loglikelihood(self, docs: list[Doc]) -> list[ModelResponse]:
        said = zip(docs, self._answers(docs), strict=True)
        chosen = [[answer in choice for choice in doc.choices] for doc, answer in said]
        return [
            ModelResponse(logprobs=[2.0 * x - 2.5 for x in of_doc], argmax_logits_eq_gold=of_doc)
            for of_doc in chosen
        ]

    loglikelihood_rolling = None  # no task asks for it


def prompt(line: dict, task_name: str | None = None) -> Doc:
    options = [f"{a}. {b}" for a, b in zip(LETTERS, line["choices"], strict=True)]
    query = "\n".join([line["question"], *options, "Answer:"])
    return Doc(query, [*LETTERS], LETTERS.index(line["answer"]), task_name=task_name)


def config_of(task: str, folder: Path, **more: object) -> LightevalTaskConfig:
    """The task of these questions, with a file of them in a folder."""
    Dataset.from_list(QUESTIONS).to_json(folder / "data" / "test.jsonl")
    data = {"hf_repo": str(folder / "data"), "hf_subset": "default"}
    data |= {"hf_avail_splits": ["test"], "evaluation_splits": ["test"]}
    return LightevalTaskConfig(name=task, prompt_function=prompt, **data, **more)


def run(task: str, model: str, folder: Path, metrics: list[Metric], form: str) -> dict:
    """Evaluate a model, which puts its answers in a form; save details and return the results."""
    tasks, here = ModuleType("tasks"), {"launcher_type": ParallelismManager.NONE}
    tasks.TASKS_TABLE = [config_of(task, folder, generation_size=8, metrics=metrics)]
    pipeline = Pipeline(
        tasks=f"{task}|0",
        pipeline_parameters=PipelineParameters(custom_tasks_directory=tasks, **here),
        evaluation_tracker=EvaluationTracker(output_dir=str(folder)),
        model=Model(model, folder / "cache", form),
    )
    pipeline.evaluate()
    pipeline.save_and_push_results()
    return pipeline.get_results()["results"]


def make(folder: Path) -> None:
    """Write the logs of all tasks and models, as lighteval lays them out."""
    scores: dict[str, dict] = {}
    for task, (metric, models) in TASKS.items():
        form = "I think the answer is ({})." if "sentence" in task else "{}"
        for model in models:
            with tempfile.TemporaryDirectory() as place:
                run(task, model, Path(place), [metric.value], form)
                (log,) = Path(place).glob(f"details/{model}/*/details_{task}*.parquet")
                kept = folder / "details" / model / DATE / f"details_{task}_0_{DATE}.parquet"
                kept.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(log, kept)
                (results,) = Path(place).glob("results/*/results_*.json")
                of_tasks = json.loads(results.read_text(encoding="utf-8"))["results"]
                scores.setdefault(model, {}).update({f"{task}|0": of_tasks[f"{task}|0"]})
    for model, of_model in scores.items():
        kept = folder / "results" / model / f"results_{DATE}.json"
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({"results": of_model}, indent=1) + "\n", encoding="utf-8")
