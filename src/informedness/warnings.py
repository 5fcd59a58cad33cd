"""The warnings of this package, to filter by class; each is an `InformednessWarning`.

import warnings

from informedness.warnings import IntervalWarning

warnings.filterwarnings("ignore", category=IntervalWarning)
"""

from .core.labels import InformednessWarning as InformednessWarning
from .core.labels import LabelsWarning as LabelsWarning
from .core.labels import UndefinedMetricWarning as UndefinedMetricWarning
from .statistics.intervals import IntervalWarning as IntervalWarning
