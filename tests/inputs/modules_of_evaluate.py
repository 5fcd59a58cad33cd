"""Modules with the names, features and signatures of evaluate's own metrics on the Hub."""

from pathlib import Path

SCRIPT = '''"""{name}, as evaluate has it."""

import datasets
import evaluate
from sklearn.metrics import {function}


class {title}(evaluate.Metric):
    def _info(self):
        return evaluate.MetricInfo(
            description="",
            citation="",
            inputs_description="",
            features=datasets.Features(
                {{"predictions": datasets.Value("int32"), "references": datasets.Value("int32")}}
            ),
        )

    def _compute(self, predictions, references, {options}):
        score = {function}(references, predictions, {passed})
        return {{"{name}": float(score) if getattr(score, "size", 1) == 1 else score}}
'''
MODULES = {
    "accuracy": ("normalize=True, sample_weight=None", "normalize=normalize", "Accuracy"),
    "f1": (
        'labels=None, pos_label=1, average="binary", sample_weight=None',
        "labels=labels, pos_label=pos_label, average=average",
        "F1",
    ),
}


def write_modules(cache: Path) -> None:
    """Put the modules where evaluate looks for those that it has loaded before."""
    for name, (options, passed, title) in MODULES.items():
        folder = cache / "metrics" / f"evaluate-metric--{name}" / f"{len(name):064x}"
        folder.mkdir(parents=True, exist_ok=True)
        for package in (folder, folder.parent):
            (package / "__init__.py").touch()
        function = f"{name}_score"
        fields = {"name": name, "title": title, "function": function}
        script = SCRIPT.format(options=options, passed=passed, **fields)
        (folder / f"{name}.py").write_text(script, "utf-8")
