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
from .core.labels import InformednessWarning, LabelsWarning, NoSamplesError, UndefinedMetricWarning
from .core.scores import __version__ as __version__
from .functions import ema_score, entropy_triangle, informedness_score, markedness_score, nit_score

if TYPE_CHECKING:
    from .decisions import informed_decisions
    from .inputs.files import table_from_file
    from .inputs.frames import table_from_frame
    from .logs.reading import read_log
    from .registration import register, unregister
    from .results.comparison import compare
    from .results.estimates import estimate_from_labels
    from .results.leaderboard import leaderboard
    from .results.report import report
    from .statistics.intervals import IntervalWarning
    from .statistics.registry import SCORES, module_path
    from .tally import Tally

__all__ = [
    "SCORES",
    "ContingencyTable",
    "InformednessWarning",
    "IntervalWarning",
    "LabelsWarning",
    "NoSamplesError",
    "Tally",
    "UndefinedMetricWarning",
    "compare",
    "ema_score",
    "entropy_triangle",
    "estimate_from_labels",
    "informed_decisions",
    "informedness_score",
    "leaderboard",
    "markedness_score",
    "module_path",
    "nit_score",
    "read_log",
    "register",
    "report",
    "table_from_file",
    "table_from_frame",
    "unregister",
]

_AT_FIRST_USE = {
    "IntervalWarning": "statistics.intervals",
    "SCORES": "statistics.registry",
    "Tally": "tally",
    "compare": "results.comparison",
    "estimate_from_labels": "results.estimates",
    "informed_decisions": "decisions",
    "leaderboard": "results.leaderboard",
    "module_path": "statistics.registry",
    "read_log": "logs.reading",
    "register": "registration",
    "report": "results.report",
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
    return ["__version__", *__all__]
