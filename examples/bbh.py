"""Make bbh.csv, which bbh.md describes: python examples/bbh.py CHECKOUT [OUTPUT].

CHECKOUT is a clone of https://github.com/suzgunmirac/BIG-Bench-Hard.
"""

import json
import sys
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
FOLDER, MODEL = "code-davinci-002-outputs", "code-davinci-002"
ENDING = "_few_shot_template_0-255000.json"
# Their answers are texts of any kind, not one of a fixed set.
WITHOUT_CLASSES = ("dyck_languages", "multistep_arithmetic_two", "object_counting", "word_sorting")


def outputs_of(checkout: Path, prompt: str, task: str) -> pd.DataFrame:
    """Return the answers of the model to a task, asked with this prompt ("direct" or "cot")."""
    path = checkout / FOLDER / f"{MODEL}-{prompt}" / f"{task}{ENDING}"
    return pd.DataFrame(json.loads(path.read_text(encoding="utf-8"))["outputs"])


def answers_of(checkout: Path, task: str) -> pd.DataFrame:
    """Return a row for each question of a task, without its text."""
    direct, cot = (outputs_of(checkout, prompt, task) for prompt in ("direct", "cot"))
    if not direct["target"].equals(cot["target"]):
        raise ValueError(f"{task}: the two prompts have different targets")
    # empty if the text ends before an answer
    concluded = cot["prediction"].str.partition("answer is")[2]
    return pd.DataFrame(
        {
            "task": task,
            "target": direct["target"],
            "direct": direct["prediction"],
            "cot": concluded.str.strip().str.removesuffix("."),
        }
    )


def main(checkout: str, output: str | Path = HERE / "bbh.csv") -> None:
    """Write the answers to all tasks whose answers are classes."""
    paths = Path(checkout, FOLDER, f"{MODEL}-direct").glob(f"*{ENDING}")
    tasks = sorted({path.name.removesuffix(ENDING) for path in paths} - {*WITHOUT_CLASSES})
    answers = pd.concat([answers_of(Path(checkout), task) for task in tasks])
    answers.to_csv(output, index=False, lineterminator="\n", encoding="utf-8")
    print(f"{output}: {len(answers)} answers to {len(tasks)} tasks, with both prompts")


if __name__ == "__main__":
    main(*sys.argv[1:])
