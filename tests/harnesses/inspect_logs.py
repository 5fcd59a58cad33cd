"""The logs of Inspect in examples/runs/inspect.

Each is what Inspect writes, read again by Inspect, and written by it without what differs from run
to run (dates, ids, durations), names the machine (the repository, files) or is of no use here
(events, messages).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from arithmetic import QUESTIONS, REFUSAL, SAID, answers
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import Model, ModelAPI, ModelOutput, ModelUsage, get_model, modelapi
from inspect_ai.scorer import answer, choice, includes
from inspect_ai.solver import generate, multiple_choice


def output(name: str, text: str) -> ModelOutput:
    """What a model says; without its usage, tokens would be counted by a vocabulary to fetch."""
    said = ModelOutput.from_content(f"mockllm/{name}", text)
    said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return said


def saying(name: str, respond: Callable[[str], str]) -> Model:
    """A model that says what a function makes of the last message."""
    said = {"custom_outputs": lambda messages, *_: output(name, respond(messages[-1].text))}
    return get_model(f"mockllm/{name}", memoize=False, **said)


def model(name: str, later: str | None = None) -> Model:
    """One of the models of `arithmetic`; `later` answers where a question is asked again."""
    said = answers(name), answers(later or name)
    asked: Counter[str] = Counter()

    def respond(message: str) -> str:
        question = next(text for text in said[0] if text in message)
        text = said[asked[question] > 0][question]
        asked[question] += 1
        return text if text == REFUSAL else f"ANSWER: {text}"

    return saying(name, respond)


@modelapi("always")
class Always(ModelAPI):
    """The model always/b of a command line, which says B."""

    async def generate(self, *_, **__):
        return output("b", "ANSWER: B")


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


def make(target: Path) -> None:
    """Write the logs to a folder, the latest last."""
    scorers = [answer("letter"), includes()]
    freely = {"dataset": by_letter(n=20).dataset, "solver": generate(), "scorer": scorers}
    with TemporaryDirectory() as folder:
        made = {
            "choice_knows-half.json": run(by_letter(n=20), model("knows-half"), folder, "json"),
            "epochs.eval": run(by_letter(n=20, epochs=2), model("knows-half", "always-b"), folder),
            "two_scorers.eval": run(
                Task(name="arithmetic_text", **freely), model("knows-half"), folder
            ),
            **{f"choice_{name}.eval": run(by_letter(), model(name), folder) for name in SAID},
        }
    target.mkdir(parents=True, exist_ok=True)
    for day, (name, log) in enumerate(made.items(), start=1):
        write_eval_log(scrubbed(log, f"2026-01-{day:02}T00:00:00+00:00"), str(target / name))
