"""Classification scores that pay nothing for guessing: Informedness and NIT.

`informedness_score` and `nit_score` take references and predictions as scikit-learn's functions
do; `report` shows them beside the usual scores; `register` lets `evaluate.load("informedness")`
and `evaluate.load("nit")` find the Hugging Face modules by name.
"""

from .comparison import Comparison, compare
from .contingency import ContingencyTable, EntropyTriangle
from .estimates import Estimate, IntervalWarning, estimate
from .estimates import __version__ as __version__
from .files import table_from_file
from .frames import table_from_frame
from .reading import InformednessWarning, NoSamplesError, UndefinedMetricWarning
from .registration import module_path, register, unregister
from .report import Report, report
from .scores import (
    ema_score,
    entropy_triangle,
    estimate_from_labels,
    informedness_score,
    markedness_score,
    nit_score,
)

__all__ = [
    "Comparison",
    "ContingencyTable",
    "EntropyTriangle",
    "Estimate",
    "InformednessWarning",
    "IntervalWarning",
    "NoSamplesError",
    "Report",
    "UndefinedMetricWarning",
    "compare",
    "ema_score",
    "entropy_triangle",
    "estimate",
    "estimate_from_labels",
    "informedness_score",
    "markedness_score",
    "module_path",
    "nit_score",
    "register",
    "report",
    "table_from_file",
    "table_from_frame",
    "unregister",
]
