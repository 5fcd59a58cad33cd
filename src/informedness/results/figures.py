"""Draw figures of tables and results with matplotlib, which the extra `plot` installs.

New figures are 3.03 inches wide, to fit a column of the ACL style. Items differ in shape and shade,
so that figures can be printed in grey. The functions `plot_...` and `draw_...` draw on `ax` if it
is passed, otherwise on a new figure, and return the axes. Without matplotlib, they raise
ImportError.

The method `plot` of a result calls a function `draw_...` of this module. The public functions are
`plot_...`: `from informedness.plots import plot_intervals`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.labels import Numbers, show
from ..core.table import Table
from ..errors import optional_import
from ..inference.entropy import triangle_of
from ..inference.registry import score_named
from ..tables import matrix
from ..text import render
from .estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 3.03  # inches, one column of a two-column page
_SIZE = 8  # font size in points
_SMALL = 0.7  # factor of the font size for crowded text
_MAX_ROWS = 50  # of a forest plot, or of the rates of classes
_MAX_CLASSES = 20  # of a confusion matrix
_MAX_CHARACTERS = 32  # of the numbers in a row of a confusion matrix
_INK = "black"
_BLUE = "#0b4f8a"  # printed in grey, it is dark
_MARKERS = "os^DvPX*<>"
_MAX_TABLES = 30  # in a triangle, each with its own shape and shade


# One result


def plot_confusion_matrix(table: Table, *, ax: Axes | None = None) -> Axes:
    """Draw a confusion matrix whose cells are shaded by their share of the row.

    Rows are references, columns predictions. With more than 20 classes, the 20 with the most
    references are drawn. Out-of-class predictions, if any, have a column of their own. Numbers are
    omitted if cells are too narrow.

    Parameters
    ----------
    table : ContingencyTable
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from informedness import ContingencyTable
    >>> table = ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"])
    >>> [text.get_text() for text in plot_confusion_matrix(table).texts]
    ['84', '6', '2', '8']
    """
    rows, labels, cells = matrix.most_frequent_classes(table, _MAX_CLASSES)
    n_rows, n_columns = cells.shape
    names = render.cut_uniquely([*map(render.shown, labels)], 12)
    is_full = n_columns > 12 or n_columns * max(map(len, names)) > 100

    ax, size = _choose_axes(ax, 2.9)
    totals = table.reference_totals[rows].astype(np.float64)
    shares = cells / np.where(totals > 0, totals, np.nan)[:, None]
    image = ax.imshow(shares, cmap="Greys", vmin=0, vmax=1)
    bar = ax.figure.colorbar(image, cax=ax.inset_axes((1.03, 0, 0.05, 1)))
    bar.set_label("share of the row", fontsize=size)
    bar.ax.tick_params(labelsize=size)

    text: dict[str, Any] = {"parse_math": False, "fontsize": size * _SMALL if is_full else size}
    ax.set_yticks(range(n_rows), names[:n_rows], **text)
    is_too_long = max(map(len, names)) * n_columns > 24  # to be written side by side
    ax.set_xticks(range(n_columns), names, rotation=90 * is_too_long, **text)
    n_classes = int(np.count_nonzero(table.is_class))
    remark = f" ({n_rows} of {n_classes} classes)" if n_rows < n_classes else ""
    ax.set_xlabel(f"prediction{remark}", fontsize=size)
    ax.set_ylabel("reference", fontsize=size)
    style = ".6g" if table.is_weighted else ".0f"
    numbers = [f"{cell:{style}}" for cell in cells.flat]
    n_characters = n_columns * max(map(len, numbers))  # in a row
    text = {"ha": "center", "va": "center"}
    text["fontsize"] = size * _SMALL if n_characters > _MAX_CHARACTERS / 2 else size
    if n_characters <= _MAX_CHARACTERS:
        for (i, j), number in zip(np.ndindex(cells.shape), numbers, strict=True):
            ax.text(j, i, number, color="white" if shares[i, j] > 0.5 else _INK, **text)
    return ax


def draw_per_class(per_class: list[dict[str, Any]], width: int, ax: Axes | None) -> Axes:
    """Draw TPR and FPR of each class for `Report.plot`, with names cut to `width` characters."""
    classes = per_class[:_MAX_ROWS]
    labels = render.cut_uniquely([render.shown(row["label"]) for row in classes], width)
    names, numbers = [], []
    ax, size = _choose_axes(ax, 0.95 + 0.2 * max(len(classes), 2))
    for y, (label, row) in enumerate(zip(labels, classes, strict=True)):
        names.append(f"{label} ({100 * row['prevalence']:.3g}%)")
        ax.plot([row["fpr"], row["tpr"]], [y, y], color=_BLUE, linewidth=0.19 * size, zorder=1)
        numbers.append(render.rounded(row["tpr_minus_fpr"]))
        if interval := row.get("tpr_minus_fpr_confidence_interval"):
            numbers[-1] += f" {render.shown_interval(0.0, interval, 2)[1]}"
    if (n_hidden := len(per_class) - _MAX_ROWS) > 0:
        names.append(f"and {n_hidden} more")
    for rate, fill in (("tpr", _BLUE), ("fpr", "white")):
        values = [row[rate] for row in classes]
        ax.plot(values, range(len(values)), "o", markersize=0.6 * size, color=_BLUE, mfc=fill)
    _label_rows(ax, names, numbers, size, "TPR-FPR")
    ax.set_xlim(-0.04, 1.04)
    ax.set_xlabel("FPR (hollow) to TPR (filled)", fontsize=size)
    return ax


# Several results


def plot_intervals(estimates: Mapping[Any, Estimate], *, ax: Axes | None = None) -> Axes:
    """Draw scores with their intervals, one below the other (a forest plot).

    Values are printed at the right. With more than 50 estimates, the first 49 and the last are
    drawn.

    Parameters
    ----------
    estimates : mapping of name to Estimate
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    TypeError
        If `estimates` does not map names to Estimate objects.
    ValueError
        If there are no estimates, if their levels differ, or if two names are equal as text.

    Examples
    --------
    >>> from informedness import ContingencyTable
    >>> table = ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"])
    >>> from informedness import estimate
    >>> plot_intervals({"filter": estimate(table)}).get_xlabel()
    'Informedness, 95% interval'
    """
    entries = _read_entries(estimates, Estimate, "estimates")
    titles = {score_named(estimate.metric).title for estimate in entries.values()}
    rows = [ForestRow(name, estimate) for name, estimate in entries.items()]
    return draw_forest(rows, titles.pop() if len(titles) == 1 else "score", ax)


def plot_entropy_triangle(tables: Mapping[Any, Table] | Table, *, ax: Axes | None = None) -> Axes:
    """Draw contingency tables in the entropy triangle (Valverde-Albacete and Pelaez-Moreno 2014).

    At the top, classes are balanced and all information is transferred. At the left, classes are
    balanced and all information is lost, as by guessing. At the right, all references are of one
    class and all predictions of one class. A table with a single label has no point. The legend
    lists the names of all tables; a table without a name has no legend.

    Parameters
    ----------
    tables : mapping of name to ContingencyTable, or one table
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    TypeError
        If `tables` is neither a table nor a mapping of names to tables.
    ValueError
        If there are no tables, if there are more than 30, or if two names are equal as text.

    Examples
    --------
    >>> from informedness import ContingencyTable
    >>> table = ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"])
    >>> axes = plot_entropy_triangle({"filter": table})
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['filter']
    """
    entries = _read_entries({"": tables} if isinstance(tables, Table) else tables, Table, "tables")
    if len(entries) > _MAX_TABLES:
        raise ValueError(f"`tables` must hold at most {_MAX_TABLES} tables, got {len(entries)}")
    ax, size = _choose_axes(ax, 2.5 + 0.13 * math.ceil(len(entries) / 3))
    _draw_triangle(ax, size)
    handles = []
    style: dict[str, Any] = {"ms": 0.75 * size, "zorder": 3, "mec": "white", "mew": 0.5}
    for i, table in enumerate(entries.values()):
        shade = str(0.55 * (i % 3) / 2)
        marker = _MARKERS[i % len(_MARKERS)]
        handles += ax.plot(*_xy_of([triangle_of(table)]), marker, color=shade, **style)
    if not isinstance(tables, Table):
        # set names afterwards, because a legend omits names that begin with "_"
        style = {"frameon": False, "handletextpad": 0.1, "columnspacing": 1, "ncols": 3}
        style |= {"loc": "upper center", "bbox_to_anchor": (0.5, -0.15), "fontsize": _SMALL * size}
        legend = ax.legend(handles, ["name"] * len(handles), **style)
        names = render.cut_uniquely(list(entries), 15)
        for text, name in zip(legend.get_texts(), names, strict=True):
            text.set_text(name)
            text.set_parse_math(False)
    ax.figure.canvas.figure.draw_without_rendering()  # equal scales need two layout passes
    return ax


def _draw_triangle(ax: Axes, size: float) -> None:
    """Draw the sides, the corner names and the lines of equal coordinates."""
    top = math.sqrt(3) / 2
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_axis_off()
    ax.margins(0)
    ax.update_datalim([(-0.03, -0.02), (1.03, top + 0.02)])
    for share in (0.25, 0.5, 0.75):
        ends = np.array([(0, share, 1 - share), (1 - share, share, 0)])
        for turn in range(3):
            ax.plot(*_xy_of(np.roll(ends, turn, axis=1)), color="0.85", linewidth=0.6, zorder=0)
    corners = _xy_of([(0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    ax.plot(*corners, color=_INK, linewidth=0.8, zorder=1)
    centred: dict[str, Any] = {"ha": "center", "fontsize": size}
    ax.text(0.5, top + 0.02, "all transferred\n2MI' = 1", va="bottom", **centred)
    ax.text(0, -0.02, "all lost\nVI' = 1", va="top", **centred)
    ax.text(1, -0.02, "one class\nΔH' = 1", va="top", **centred)


def _xy_of(points: Sequence[Sequence[float]] | Numbers) -> tuple[Numbers, Numbers]:
    """Convert triangle points, shape (n, 3) with ΔH', 2MI' and VI', to x and y."""
    uneven, transferred, _ = np.reshape(points, (-1, 3)).T
    return uneven + transferred / 2, transferred * math.sqrt(3) / 2


# Parts of several plots


def _read_entries(values: Any, kind: type, argument: str) -> dict[str, Any]:
    """Check the types of a mapping's values, and format its names as text."""
    is_mapping = isinstance(values, Mapping)
    if not is_mapping or not all(isinstance(value, kind) for value in values.values()):
        rule = f"map names to {kind.__name__} objects"
        raise TypeError(f"`{argument}` must {rule}, got {show(values)}")
    if not values:
        raise ValueError(f"`{argument}` must have at least one entry, got none")
    names = render.texts_of(map(render.shown_name, values), argument, "entry")
    return dict(zip(names, values.values(), strict=True))


def import_pyplot() -> Any:
    """Import matplotlib's pyplot; without it, raise ImportError with the package to install."""
    with optional_import("plots need matplotlib", "matplotlib>=3.8"):
        from matplotlib import pyplot
    return pyplot


def _choose_axes(ax: Axes | None, height: float) -> tuple[Axes, float]:
    """Choose the axes to draw on, and the font size."""
    pyplot = import_pyplot()
    if ax is not None:
        return ax, float(pyplot.rcParams["font.size"])
    _, ax = pyplot.subplots(figsize=(WIDTH, height), layout="constrained")
    ax.tick_params(labelsize=_SIZE)
    return ax, _SIZE


class ForestRow(NamedTuple):
    """A row of a forest plot.

    `ranks` is printed after the value at the right. `runs` are the scores of several runs, drawn as
    ticks. `is_whole` says whether the estimate is the score of all samples.
    """

    name: str
    estimate: Estimate
    ranks: str = ""
    runs: tuple[float, ...] = ()
    is_whole: bool = False


def draw_forest(rows: list[ForestRow], title: str, ax: Axes | None, head: str = "") -> Axes:
    """Draw intervals one below the other; the last row may be that of all samples.

    `title` names the score below the axis. `head` is the heading of the numbers at the right.
    """
    levels = {row.estimate.confidence_level for row in rows}
    if len(levels) > 1:
        rule = "have intervals of the same confidence level"
        raise ValueError(f"`estimates` must {rule}, got {sorted(levels)}")
    remark = f"\n{_MAX_ROWS} of {len(rows)} rows" if len(rows) > _MAX_ROWS else ""
    rows = [*rows[: _MAX_ROWS - 1], rows[-1]] if remark else rows
    ax, size = _choose_axes(ax, 0.7 + 0.2 * max(len(rows), 2))
    for y, (_, estimate, _, runs, is_whole) in enumerate(rows):
        ax.plot(estimate.confidence_interval, [y, y], color=_BLUE, linewidth=0.19 * size, zorder=1)
        marker = "D" if is_whole else "o"
        ax.plot([estimate.value], [y], marker, color=_BLUE, ms=0.6 * size, zorder=3)
        if len(runs) > 1:
            ax.plot(runs, [y + 0.3] * len(runs), "|", color=_INK, ms=0.6 * size, mew=0.7, zorder=2)
        if is_whole:
            ax.axvline(estimate.value, color=_BLUE, linewidth=0.8, linestyle=":", zorder=0)
    names = render.cut_uniquely([row.name for row in rows], 24)
    numbers = [f"{render.rounded(row.estimate.value)} {row.ranks}".rstrip() for row in rows]
    _label_rows(ax, names, numbers, size, head)
    low, high = ax.get_xlim()
    if low < 0 < high:
        ax.axvline(0, color=_INK, linewidth=0.8, zorder=0)
    ax.set_xlabel(f"{title}, {100 * levels.pop():.6g}% interval{remark}", fontsize=size)
    return ax


def _label_rows(ax: Axes, names: list[str], numbers: list[str], size: float, head: str) -> None:
    """Write names at the left of the rows, and at the right numbers below a heading.

    The first row is at the top.
    """
    ax.set_yticks(range(len(names)), names, fontsize=size, parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    style: dict[str, Any] = {"transform": ax.get_yaxis_transform(), "fontsize": size}
    for y, number in enumerate(numbers):
        ax.text(1.02, y, number, va="center", **style)
    ax.text(1.02, -0.5, head, va="bottom", **style)
    ax.tick_params(axis="y", length=0)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.grid(axis="x", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
