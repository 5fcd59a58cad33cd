"""Plot results with matplotlib: `from informedness.plots import plot_intervals`."""

from .results.figures import plot_confusion_matrix as plot_confusion_matrix
from .results.figures import plot_entropy_triangle as plot_entropy_triangle
from .results.figures import plot_intervals as plot_intervals
