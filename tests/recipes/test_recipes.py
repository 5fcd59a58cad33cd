"""The complete examples run with the libraries they name, and print what stands below them."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "recipes.md"
TOKENS, STOPPING = (
    "## Token classification with the Trainer\n",
    "## Early stopping with xgboost, LightGBM and skorch\n",
)
FENCES = re.compile(r"^```py\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("heading", [TOKENS, STOPPING])
def test_the_recipes_print_what_they_say(heading, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    text = PAGE.read_text(encoding="utf-8").partition(heading)[2]
    fences = FENCES.findall(text.partition("\n## ")[0])
    assert fences
    for code, expected in fences:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, PAGE.name, "exec"), names)
        assert printed.getvalue().endswith(expected), code  # the Trainer prints its logs, too
    if heading == TOKENS:
        search_with_a_trial_that_diverges(names)


def search_with_a_trial_that_diverges(names):
    """Search by the sum of all metrics but for `compute_objective`, to the end."""
    import optuna

    trainer, best = names["trainer"], names["best"]
    assert set(best.hyperparameters) == {"learning_rate"}
    assert best.objective <= 1  # with bounds and errors it would not be
    found = []

    def objective(metrics):
        found.append(metrics["eval_informedness"])
        return found[-1]

    rates = {"learning_rate": [1e-2, 1e30]}
    with pytest.warns(UserWarning, match="the model may have diverged"):
        best = trainer.hyperparameter_search(
            hp_space=lambda trial: {
                "learning_rate": trial.suggest_categorical("learning_rate", rates["learning_rate"])
            },
            compute_objective=objective,
            direction="maximize",
            n_trials=2,
            sampler=optuna.samplers.GridSampler(rates, seed=0),
        )
    assert best.hyperparameters == {"learning_rate": 1e-2}
    assert (best.objective, len(found)) == (max(found), 4)
    assert min(found) < 0
