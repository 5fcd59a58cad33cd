"""Sixty questions for HELM, with what the model answers; a plugin of `helm-run`.

The answers of the first kind of run are words, those of the second letters of choices.
"""

import re
from typing import Any

from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.metrics.metric import MetricSpec
from helm.benchmark.run_spec import RunSpec, run_spec_function
from helm.benchmark.scenarios.scenario import (
    CORRECT_TAG,
    TEST_SPLIT,
    Input,
    Instance,
    Output,
    Reference,
    Scenario,
    ScenarioSpec,
)
from helm.clients.simple_client import SimpleClient

GOLD = ["Yes"] * 20 + ["No"] * 40
OTHER = {"Yes": "No", "No": "Yes"}
SAID = ["perhaps" if i % 10 == 9 else OTHER[x] if i % 4 == 0 else x for i, x in enumerate(GOLD)]


class Says(SimpleClient):
    """A model that says the word behind the question mark."""

    def invoke_model(self, raw_request: Any) -> dict[str, list[str]]:
        return {"completions": re.findall(r"\? (\w+)", raw_request["prompt"])}


class Sums(Scenario):
    """Whether something is so, and what the model is to say, with or without choices."""

    name, description, tags = "sums", "Sixty questions", ["classification"]

    def __init__(self, has_choices: bool) -> None:
        super().__init__()
        self.has_choices = has_choices

    def get_instances(self, output_path: str) -> list[Instance]:
        instances = []
        for i, (gold, said) in enumerate(zip(GOLD, SAID, strict=True)):
            references = [Reference(Output(gold), tags=[CORRECT_TAG])]
            if self.has_choices:
                references.insert(i % 2, Reference(Output(OTHER[gold]), tags=[]))
                texts = [reference.output.text for reference in references]
                said = "AB"[texts.index(said)] if said in texts else said
            question = Input(text=f"Is it {i}? {said}")
            instances.append(Instance(question, references, split=TEST_SPLIT))
        return instances


@run_spec_function("sums")
def sums(choices: str = "no") -> RunSpec:
    """Return the run, whose prompt has the word to be said."""
    has_choices = choices == "yes"
    adapter = AdapterSpec(
        method="multiple_choice_joint" if has_choices else "generation",
        input_prefix="",
        output_prefix="",
        reference_prefix="A. ",
        max_train_instances=0,
        num_outputs=1,
        max_tokens=5,
    )
    scored = MetricSpec("informedness.helm.InformednessMetric", {"labels": ["yes", "no"]})
    of_helm = MetricSpec("helm.benchmark.metrics.classification_metrics.ClassificationMetric", {})
    return RunSpec(
        name="choices" if has_choices else "words",
        scenario_spec=ScenarioSpec("sums.Sums", {"has_choices": has_choices}),
        adapter_spec=adapter,
        metric_specs=[scored] if has_choices else [scored, of_helm],
        groups=[],
    )
