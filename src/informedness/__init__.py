"""Classification scores that give no credit for guessing: Informedness and NIT.

`informedness_score` and `nit_score` take references and predictions like scikit-learn's metric
functions; `report` shows them beside the usual scores; `register` lets
`evaluate.load("informedness")` and `evaluate.load("nit")` find the Hugging Face modules by name.

Whatever a score does not need is imported on first use, so `import informedness` costs what
`import numpy` costs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .contingency import ContingencyTable
from .core.labels import InformednessWarning, NoSamplesError, UndefinedMetricWarning
from .core.scores import __version__ as __version__
from .functions import ema_score, entropy_triangle, informedness_score, markedness_score, nit_score

if TYPE_CHECKING:
    from .decisions import informed_decisions
    from .inputs.files import table_from_file
    from .inputs.frames import table_from_frame
    from .logs.answers import Answers
    from .logs.comparing import compare_answers
    from .logs.reading import read_log
    from .logs.report import LogReport
    from .plots import (
        plot_ability_curves,
        plot_confusion,
        plot_entropy_triangle,
        plot_intervals,
        plot_per_class,
    )
    from .registration import register, unregister
    from .results.comparison import Comparison, compare
    from .results.estimates import Estimate, estimate, estimate_from_labels
    from .results.leaderboard import Leaderboard, leaderboard
    from .results.report import Report, report
    from .results.slices import Slices
    from .statistics.entropic import EntropyTriangle
    from .statistics.intervals import IntervalWarning
    from .statistics.registry import SCORES, module_path, score
    from .tally import Tally

__all__ = [
    "SCORES",
    "Answers",
    "Comparison",
    "ContingencyTable",
    "EntropyTriangle",
    "Estimate",
    "InformednessWarning",
    "IntervalWarning",
    "Leaderboard",
    "LogReport",
    "NoSamplesError",
    "Report",
    "Slices",
    "Tally",
    "UndefinedMetricWarning",
    "compare",
    "compare_answers",
    "ema_score",
    "entropy_triangle",
    "estimate",
    "estimate_from_labels",
    "informed_decisions",
    "informedness_score",
    "leaderboard",
    "markedness_score",
    "module_path",
    "nit_score",
    "plot_ability_curves",
    "plot_confusion",
    "plot_entropy_triangle",
    "plot_intervals",
    "plot_per_class",
    "read_log",
    "register",
    "report",
    "score",
    "table_from_file",
    "table_from_frame",
    "unregister",
]

_AT_FIRST_USE = {
    "Answers": "logs.answers",
    "Comparison": "results.comparison",
    "EntropyTriangle": "statistics.entropic",
    "Estimate": "results.estimates",
    "IntervalWarning": "statistics.intervals",
    "Leaderboard": "results.leaderboard",
    "LogReport": "logs.report",
    "Report": "results.report",
    "SCORES": "statistics.registry",
    "Slices": "results.slices",
    "Tally": "tally",
    "compare": "results.comparison",
    "compare_answers": "logs.comparing",
    "estimate": "results.estimates",
    "estimate_from_labels": "results.estimates",
    "informed_decisions": "decisions",
    "leaderboard": "results.leaderboard",
    "module_path": "statistics.registry",
    "plot_ability_curves": "plots",
    "plot_confusion": "plots",
    "plot_entropy_triangle": "plots",
    "plot_intervals": "plots",
    "plot_per_class": "plots",
    "read_log": "logs.reading",
    "register": "registration",
    "report": "results.report",
    "score": "statistics.registry",
    "table_from_file": "inputs.files",
    "table_from_frame": "inputs.frames",
    "unregister": "registration",
}


def __getattr__(name: str) -> Any:
    if name not in _AT_FIRST_USE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_AT_FIRST_USE[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
