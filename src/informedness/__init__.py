"""Classification scores that account for guessing: Informedness and NIT.

`informedness_score` and `nit_score` take references and predictions like the metric functions of
scikit-learn. `report` lists both scores together with other scores. After `register`, the calls
`evaluate.load("informedness")` and `evaluate.load("nit")` find the Hugging Face modules by name.

To make `import informedness` fast, each name is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .core.labels import NoSamplesError as NoSamplesError
    from .core.scores import __version__ as __version__
    from .files.counting import table_from_file as table_from_file
    from .files.counting import table_from_frame as table_from_frame
    from .functions import ema_score as ema_score
    from .functions import entropy_triangle as entropy_triangle
    from .functions import informed_decisions as informed_decisions
    from .functions import informedness_score as informedness_score
    from .functions import markedness_score as markedness_score
    from .functions import nit_score as nit_score
    from .logs.reading import read_log as read_log
    from .multilabel import per_label as per_label
    from .registration import register as register
    from .registration import unregister as unregister
    from .results.comparison import compare as compare
    from .results.estimate import corrected_rate as corrected_rate
    from .results.estimate import estimate as estimate
    from .results.leaderboard import leaderboard as leaderboard
    from .results.report import report as report
    from .results.slices import slices as slices
    from .results.suite import compare_tasks as compare_tasks
    from .tables.contingency import ContingencyTable as ContingencyTable
    from .tables.contingency import Tally as Tally

_NAMES = {
    "tables.contingency": "ContingencyTable Tally",
    "core.labels": "NoSamplesError",
    "core.scores": "__version__",
    "functions": "ema_score entropy_triangle informed_decisions informedness_score "
    "markedness_score nit_score",
    "files.counting": "table_from_file table_from_frame",
    "logs.reading": "read_log",
    "multilabel": "per_label",
    "registration": "register unregister",
    "results.comparison": "compare",
    "results.estimate": "corrected_rate estimate",
    "results.leaderboard": "leaderboard",
    "results.report": "report",
    "results.slices": "slices",
    "results.suite": "compare_tasks",
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = sorted(_MODULES.keys() - {"__version__"})


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_MODULES[name]}", __name__), name)


def __dir__() -> list[str]:
    return ["__version__", *__all__]
