"""Classification scores that give no credit for guessing: Informedness and NIT.

`informedness_score` and `nit_score` take references and predictions like scikit-learn's metric
functions; `report` shows them beside the usual scores; `register` lets
`evaluate.load("informedness")` and `evaluate.load("nit")` find the Hugging Face modules by name.

Each name is imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .contingency import ContingencyTable
    from .core.labels import (
        InformednessWarning,
        LabelsWarning,
        NoSamplesError,
        UndefinedMetricWarning,
    )
    from .core.scores import __version__ as __version__
    from .decisions import informed_decisions
    from .functions import (
        ema_score,
        entropy_triangle,
        informedness_score,
        markedness_score,
        nit_score,
    )
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

_NAMES = {
    "contingency": "ContingencyTable",
    "core.labels": "InformednessWarning LabelsWarning NoSamplesError UndefinedMetricWarning",
    "core.scores": "__version__",
    "decisions": "informed_decisions",
    "functions": "ema_score entropy_triangle informedness_score markedness_score nit_score",
    "inputs.files": "table_from_file",
    "inputs.frames": "table_from_frame",
    "logs.reading": "read_log",
    "registration": "register unregister",
    "results.comparison": "compare",
    "results.estimates": "estimate_from_labels",
    "results.leaderboard": "leaderboard",
    "results.report": "report",
    "statistics.intervals": "IntervalWarning",
    "statistics.registry": "SCORES module_path",
    "tally": "Tally",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return ["__version__", *__all__]
