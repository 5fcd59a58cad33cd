"""The logs of Inspect in examples/runs/inspect.

Each is what Inspect writes, read again by Inspect, and written by it without what differs from run
to run (dates, ids, durations), names the machine (the repository, files) or is of no use here
(events, messages).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from arithmetic import QUESTIONS, REFUSAL, SAID, answers
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import answer, choice, includes
from inspect_ai.solver import generate, multiple_choice

DATE = "2026-01-{:02}T00:00:00+00:00"


def output(name: str, text: str) -> ModelOutput:
    """What a model says; without its usage, tokens would be counted by a vocabulary to fetch."""
    said = ModelOutput.from_content(f"mockllm/{name}", text)
    said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return said


def model(name: str, later: str | None = None) -> Model:
    """One of the models of `arithmetic`; `later` answers where a question is asked again."""
    said = answers(name), answers(later or name)
    asked: Counter[str] = Counter()

    def respond(messages, tools, tool_choice, config):
        question = next(text for text in said[0] if text in messages[-1].text)
        text = said[asked[question] > 0][question]
        asked[question] += 1
        return output(name, text if text == REFUSAL else f"ANSWER: {text}")

    return get_model(f"mockllm/{name}", custom_outputs=respond, memoize=False)


def by_letter(scorer=None, n: int = 60, **options) -> Task:
    """The first questions with their choices, of which the model names a letter."""
    samples = [
        Sample(id=x["id"], input=x["question"], choices=x["choices"], target=x["answer"])
        for x in QUESTIONS[:n]
    ]
    return Task(
        name="arithmetic",
        dataset=MemoryDataset(samples, name="arithmetic"),
        solver=multiple_choice(),
        scorer=scorer or choice(),
        **options,
    )


def in_words(scorer) -> Task:
    """The first 20 questions, answered freely."""
    dataset = by_letter(n=20).dataset
    return Task(name="arithmetic_text", dataset=dataset, solver=generate(), scorer=scorer)


def run(task: Task, of: Model, folder: str, log_format: str = "eval", **options) -> EvalLog:
    """Run a task and return its log, whose samples have been asked one after the other."""
    options.update(log_dir=folder, log_format=log_format, display="none", max_samples=1)
    (log,) = eval(task, model=of, **options)
    return read_eval_log(log.location)


def scrubbed(log: EvalLog, date: str) -> EvalLog:
    """The log without what names a machine or differs from run to run, of this date."""
    spec = log.eval
    spec.created = log.stats.started_at = log.stats.completed_at = date
    spec.eval_id = spec.run_id = spec.task_id = "0"
    spec.revision = spec.task_file = None
    spec.model_args = {}
    log.reductions = None
    for sample in log.samples:
        sample.uuid = sample.started_at = sample.completed_at = None
        sample.total_time = sample.working_time = None
        sample.messages, sample.events, sample.attachments = [], [], {}
        sample.model_usage, sample.role_usage = {}, {}
        sample.output = ModelOutput(model=sample.output.model, completion=sample.output.completion)
    return log


def logs(folder: str) -> dict[str, EvalLog]:
    """Return the logs by the names of the files they are kept in, the latest last."""
    both = in_words([answer("letter"), includes()])
    made = {
        "choice_knows-half.json": run(by_letter(n=20), model("knows-half"), folder, "json"),
        "epochs.eval": run(by_letter(n=20, epochs=2), model("knows-half", "always-b"), folder),
        "two_scorers.eval": run(both, model("knows-half"), folder),
        **{f"choice_{name}.eval": run(by_letter(), model(name), folder) for name in SAID},
    }
    days = enumerate(made.items(), start=1)
    return {name: scrubbed(log, DATE.format(day)) for day, (name, log) in days}


def make(target: Path) -> None:
    """Write the logs to a folder."""
    target.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        for name, log in logs(folder).items():
            write_eval_log(log, str(target / name))
