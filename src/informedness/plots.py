"""Plots of tables and results with matplotlib, the extra `plot`.

They fit a column of a page, 3.3 inches wide, and use shape and shade to tell things apart, so they
can be printed in grey. Each function draws on `ax` if given, otherwise on a new figure, and returns
the axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .contingency import ContingencyTable
from .core.labels import Numbers, check_choice, show
from .core.table import Table
from .results.estimates import Estimate
from .results.leaderboard import Leaderboard
from .results.report import Report
from .results.slices import Slices
from .results.text import cut, rounded, shown
from .statistics.entropic import triangle_of
from .statistics.registry import SCORES, score, score_named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 3.3  # inches, a column of a page of two
_SIZE = 8  # points
_MOST_ROWS = 50
_MOST_CLASSES = 20  # of a confusion matrix
_MOST_NUMBERED = 12  # beyond it the cells are too small for numbers
_INK = "black"
_BLUE = "#0b4f8a"  # dark in grey
_MARKERS = "os^DvPX*<>"
_LINES = ("-", "--", "-.", ":")
_MOST_TABLES = 30  # of a triangle: as many shapes and shades


def plot_confusion(table: Table | Report, *, ax: Axes | None = None) -> Axes:
    """Draw a table: rows are references, columns predictions, shaded by the share of the row.

    With more than 20 classes, the 20 with the most references are drawn; with more than 12, the
    cells have no numbers.

    Parameters
    ----------
    table : ContingencyTable or Report
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        If matplotlib is missing.

    Examples
    --------
    >>> table = ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"])
    >>> [text.get_text() for text in plot_confusion(table).texts]
    ['84', '6', '2', '8']
    """
    table = _table_of(table, "table")
    classes = [code for code, label in enumerate(table.labels) if label is not None]
    kept = sorted(classes, key=lambda code: -float(table.reference_totals[code]))[:_MOST_CLASSES]
    rows = sorted(kept)
    columns = rows + [code for code, label in enumerate(table.labels) if label is None]
    cells = _cells_of(table, rows, columns)
    names = [cut(shown(table.labels[code]), 16) for code in columns]
    has_numbers = len(columns) <= _MOST_NUMBERED

    ax, size = _axes(ax, 2.9)
    totals = table.reference_totals[rows].astype(np.float64)
    shares = cells / np.where(totals > 0, totals, np.nan)[:, None]
    image = ax.imshow(shares, cmap="Greys", vmin=0, vmax=1)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.046, pad=0.03)
    bar.set_label("share of the row", fontsize=size)
    bar.ax.tick_params(labelsize=size)
    small = size if len(names) <= _MOST_NUMBERED else size * 0.75
    options: dict[str, Any] = {"parse_math": False, "fontsize": small}
    ax.set_yticks(range(len(rows)), names[: len(rows)], **options)
    if max(map(len, names)) * len(names) > 24:  # too long to fit side by side
        options |= {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(len(columns)), names, **options)
    more = f" ({len(rows)} of {len(classes)} classes)" if len(rows) < len(classes) else ""
    ax.set_xlabel(f"prediction{more}", fontsize=size)
    ax.set_ylabel("reference", fontsize=size)
    if has_numbers:
        small = size * (1 if len(columns) <= 6 else 0.7)
        for i, j in np.ndindex(cells.shape):
            colour = "white" if shares[i, j] > 0.5 else _INK
            number = f"{cells[i, j]:.6g}" if table.is_weighted else f"{cells[i, j]:.0f}"
            ax.text(j, i, number, ha="center", va="center", color=colour, fontsize=small)
    return ax


def plot_per_class(result: Table | Report, *, ax: Axes | None = None) -> Axes:
    """Draw how often each class is found (TPR) and how often it is wrongly predicted (FPR).

    The length of the line between the two is the Informedness of the class, printed at the right
    with its interval if the report has one. The class's share of the references follows its name.
    With more than 50 classes, the first 50 are drawn.

    Parameters
    ----------
    result : Report or ContingencyTable
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        If matplotlib is missing.

    Examples
    --------
    >>> table = ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"])
    >>> [text.get_text() for text in plot_per_class(table).texts]
    ['TPR-FPR', '0.73', '0.73']
    """
    report = Report.from_table(result) if isinstance(result, Table) else result
    _check_is(report, Report, "result", "a report or a table")
    classes = report.per_class[:_MOST_ROWS]
    width = 18 if report.confidence_level is None else 12
    names = [
        f"{cut(shown(row['label']), width)} ({_percent(row['prevalence'])})" for row in classes
    ]
    ax, size = _axes(ax, _height(len(classes), 0.95))
    for y, row in enumerate(classes):
        ax.plot([row["fpr"], row["tpr"]], [y, y], color=_BLUE, linewidth=1.5, zorder=1)
    at = range(len(classes))
    style: dict[str, Any] = {"linestyle": "none", "markersize": 5, "color": _BLUE}
    ax.plot([row["tpr"] for row in classes], at, "o", **style)
    ax.plot([row["fpr"] for row in classes], at, "o", **style, mfc="white")
    numbers = []
    for row in classes:
        low, high = row.get("tpr_minus_fpr_confidence_interval", (math.nan, math.nan))
        interval = "" if math.isnan(low) else f" ({rounded(low)} to {rounded(high)})"
        gain = row["tpr_minus_fpr"]
        numbers.append("--" if math.isnan(gain) else rounded(gain) + interval)
    ax.annotate(
        "TPR-FPR", (1.02, 1), xycoords="axes fraction", xytext=(0, 4), textcoords="offset points",
        fontsize=size,
    )  # fmt: skip
    names += _names_of_more(len(report.per_class))
    _rows(ax, names, numbers, size)
    ax.set_xlim(-0.04, 1.04)
    ax.set_xlabel("FPR (hollow) to TPR (filled)", fontsize=size)
    return ax


def plot_intervals(
    results: Leaderboard | Slices | Mapping[Any, Estimate],
    metric: str = "informedness",
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw scores with their intervals, one below the other (a forest plot).

    Values are printed at the right. A leaderboard also shows its letters, and small strokes for the
    runs of a model. A dotted line marks the value of all slices together. With more than 50 slices,
    the first are drawn: order them with `sorted_by`.

    Parameters
    ----------
    results : Leaderboard, Slices, or mapping of name to Estimate
        Slices need a confidence level.
    metric : str
        The score to draw for slices; other results have their own.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        If matplotlib is missing.
    ValueError
        If there are no intervals, or their levels differ.

    Examples
    --------
    >>> from informedness import estimate
    >>> table = ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"])
    >>> plot_intervals({"filter": estimate(table)}).get_xlabel()
    'Informedness, 95% interval'
    """
    rows, title = _intervals_of(results, metric)
    level = _level_of([row.estimate for row in rows])
    shown_rows = rows[:_MOST_ROWS]
    if rows[-1].is_whole and len(rows) > _MOST_ROWS:
        shown_rows = [*rows[: _MOST_ROWS - 1], rows[-1]]
    ax, size = _axes(ax, _height(len(shown_rows), 0.7))
    n_more = len(rows) - len(shown_rows)
    for y, row in enumerate(shown_rows):
        y += bool(n_more and row.is_whole)
        low, high = row.estimate.confidence_interval
        marker = "D" if row.is_whole else "o"
        ax.plot([low, high], [y, y], color=_BLUE, linewidth=1.5, zorder=1)
        fill = "white" if math.isnan(low) else _BLUE
        ax.plot([row.value], [y], marker, color=_BLUE, mfc=fill, markersize=5, zorder=3)
        if len(row.runs) > 1:
            below = [y + 0.3] * len(row.runs)
            ax.plot(row.runs, below, "|", color=_INK, markersize=5, mew=0.7, zorder=2)
        if row.is_whole:
            ax.axvline(row.value, color=_BLUE, linewidth=0.8, linestyle=":", zorder=0)
    numbers = [f"{_number(row.value)} {row.letters}".rstrip() for row in shown_rows]
    names = [cut(row.name, 24) for row in shown_rows]
    if n_more:
        at = len(names) - rows[-1].is_whole
        names.insert(at, f"and {n_more} more")
        numbers.insert(at, "")
    _rows(ax, names, numbers, size)
    low, high = ax.get_xlim()
    if low < 0 < high:
        ax.axvline(0, color=_INK, linewidth=0.8, zorder=0)
    ax.set_xlabel(f"{title}, {100 * level:.6g}% interval", fontsize=size)
    return ax


def plot_entropy_triangle(
    tables: Mapping[Any, Table | Report] | Slices | Table | Report,
    *,
    n_resamples: int = 0,
    seed: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw tables in the entropy triangle (Valverde-Albacete and Pelaez-Moreno 2014).

    At the top the classes are balanced and all information is transferred; at the left they are
    balanced and all of it is lost, as by guessing; at the right all references are of one class and
    all predictions of one class. A table with only one class has no place in the triangle.

    Parameters
    ----------
    tables : mapping of name to ContingencyTable or Report, Slices, or one table or report
    n_resamples : int
        Number of resamples of each table, drawn as a cloud that shows how far other samples would
        move its point. Every resample shows some information by chance, as every sample does, so
        with few samples the cloud lies above the point. Weighted tables have no cloud.
    seed : int
        Seed of the random numbers.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        If matplotlib is missing.
    ValueError
        If there are no tables, or more than 30.

    Examples
    --------
    >>> table = ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"])
    >>> axes = plot_entropy_triangle({"filter": table})
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['filter']
    """
    named = _tables_of(tables)
    if len(named) > _MOST_TABLES:
        raise ValueError(
            f"`tables` must hold at most {_MOST_TABLES}, which can be told apart, got {len(named)}"
        )
    is_below = len(named) > 6  # the legend, beside the top of the triangle if there is room
    ax, size = _axes(ax, 2.7 + 0.16 * math.ceil(len(named) / 2) * is_below)
    top = math.sqrt(3) / 2
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_xlim(-0.16, 1.16)
    ax.set_ylim(-0.16, top + 0.13)
    for share in (0.25, 0.5, 0.75):  # lines of equal coordinates
        for ends in (
            [(0, share, 1 - share), (1 - share, share, 0)],
            [(share, 0, 1 - share), (share, 1 - share, 0)],
            [(0, 1 - share, share), (1 - share, 0, share)],
        ):
            ax.plot(*_places(ends), color="0.85", linewidth=0.6, zorder=0)
    corners = _places([(0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    ax.plot(*corners, color=_INK, linewidth=0.8, zorder=1)
    corner: dict[str, Any] = {"ha": "center", "fontsize": size}
    ax.text(0.5, top + 0.02, "all transferred\n2MI' = 1", va="bottom", **corner)
    ax.text(0, -0.02, "all lost\nVI' = 1", va="top", **corner)
    ax.text(1, -0.02, "one class\nΔH' = 1", va="top", **corner)
    rng = np.random.default_rng(seed)
    handles = []
    for i, table in enumerate(named.values()):
        shade = str(0.55 * (i % 3) / 2)
        if n_resamples and not table.is_weighted:
            cloud = _cloud(table, n_resamples, rng)
            ax.plot(*_places(cloud), ".", color=shade, alpha=0.25, markersize=2, mew=0, zorder=2)
        style: dict[str, Any] = {"color": shade, "mec": "white", "mew": 0.5, "linestyle": "none"}
        marker = _MARKERS[i % len(_MARKERS)]
        handles += ax.plot(*_places([triangle_of(table)]), marker, markersize=6, zorder=3, **style)
    if isinstance(tables, (Mapping, Slices)):
        # names are set afterwards: a legend leaves out those that begin with "_"
        place: dict[str, Any] = {"loc": "upper right", "bbox_to_anchor": (1.04, 1.02)}
        if is_below:
            place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "ncols": 2}
        legend = ax.legend(
            handles, ["name"] * len(handles), fontsize=size, frameon=False, borderpad=0,
            handletextpad=0.1, **place,
        )  # fmt: skip
        for text, name in zip(legend.get_texts(), named, strict=True):
            text.set_text(cut(name, 20 if is_below else 14))
            text.set_parse_math(False)
    return ax


def plot_ability_curves(
    shares: Sequence[float],
    *,
    guesses: Sequence[float] | None = None,
    metrics: Sequence[str] = ("accuracy", "f1_macro", "informedness", "nit"),
    ax: Axes | None = None,
) -> Axes:
    """Draw scores of a model that knows the class with some probability and guesses otherwise.

    That probability is the model's ability; the value of a score at ability 0 is its credit for
    guessing. Scores are exact, computed from the table of probabilities.

    Parameters
    ----------
    shares : sequence of float
        Share of each class in the references; they sum to 1.
    guesses : sequence of float, optional
        Share of each class in the guesses; by default as in the references.
    metrics : sequence of str
        Names of scores in `informedness.SCORES`.
    ax : matplotlib Axes, optional
        Where to draw; by default on a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        If matplotlib is missing.
    ValueError
        If shares are not two or more positive numbers that sum to 1, if guesses do not match them,
        or if a score is unknown.

    Examples
    --------
    >>> axes = plot_ability_curves([0.9, 0.1], metrics=["accuracy", "informedness"])
    >>> [round(float(line.get_ydata()[0]), 2) for line in axes.lines]
    [0.82, 0.0]
    """
    of_references = _read_shares(shares, "shares", least=np.nextafter(0, 1))
    of_guesses = of_references if guesses is None else _read_shares(guesses, "guesses", least=0)
    if len(of_guesses) != len(of_references):
        raise ValueError(
            f"`guesses` must have a share for each of the {len(of_references)} classes of "
            f"`shares`, got {len(of_guesses)}"
        )
    for name in metrics:
        check_choice("metrics", name, SCORES)
    abilities = np.linspace(0, 1, 51)
    known, guessed = np.diag(of_references), np.outer(of_references, of_guesses)
    tables = [ContingencyTable.from_matrix(x * known + (1 - x) * guessed) for x in abilities]
    ax, size = _axes(ax, 2.4 + 0.17 * math.ceil(len(metrics) / 2))
    for i, name in enumerate(metrics):
        values = [float(score(table, name)) for table in tables]
        style, shade = _LINES[i % len(_LINES)], str(0.55 * (i // len(_LINES) % 2))
        title = score_named(name).title
        ax.plot(abilities, values, linestyle=style, color=shade, linewidth=1.3, label=title)
    ax.set_xlim(0, 1)
    ax.set_xlabel("ability (share known, not guessed)", fontsize=size)
    ax.set_ylabel("score", fontsize=size)
    ax.grid(color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    from matplotlib.transforms import ScaledTranslation

    # below the label of the axis, so that there is room for a title
    below = ax.transAxes + ScaledTranslation(0, -(2.4 * size + 12) / 72, ax.figure.dpi_scale_trans)
    ax.legend(
        loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=below, ncols=2, fontsize=size,
        frameon=False, handlelength=2.6, borderpad=0, columnspacing=1, borderaxespad=0,
    )  # fmt: skip
    return ax


def save_plots(result: Report | Leaderboard | Slices, folder: str | Path) -> list[Path]:
    """Save the plots of a result as PNG files in a folder, and return their paths.

    For a report: the confusion matrix, the classes, and the entropy triangle with a cloud of
    resamples. For slices and leaderboards: the intervals.
    """
    pyplot = import_pyplot()
    axes = {}
    if isinstance(result, Report):
        axes["confusion"] = plot_confusion(result)
        axes["per_class"] = plot_per_class(result)
        axes["entropy_triangle"] = plot_entropy_triangle(result, n_resamples=300)
    else:
        axes["intervals"] = plot_intervals(result)
    paths = []
    for name, ax in axes.items():
        paths.append(Path(folder) / f"{name}.png")
        figure: Any = ax.figure
        figure.savefig(paths[-1], dpi=300)
        pyplot.close(figure)
    return paths


# What the functions take


def _check_is(value: object, kind: type[Any], name: str, wanted: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"`{name}` must be {wanted}, got {show(value)}")


def _table_of(result: Any, name: str) -> Table:
    table = result.table if isinstance(result, Report) else result
    _check_is(table, Table, name, "a table or a report")
    return table


def _tables_of(tables: Any) -> dict[str, Table]:
    """Return tables by the names to draw; a single one has none."""
    if isinstance(tables, Slices):
        return {_name_of(row.name): row.table for row in tables.rows}
    if not isinstance(tables, Mapping):
        return {"": _table_of(tables, "tables")}
    if not tables:
        raise ValueError("`tables` must hold at least one table, got none")
    return {_name_of(name): _table_of(table, "tables") for name, table in tables.items()}


def _name_of(name: Any) -> str:
    names = name if isinstance(name, tuple) else (name,)
    return ", ".join(shown(x) for x in names)


def _cells_of(table: Table, rows: list[int], columns: list[int]) -> Numbers:
    """Return some cells of a table, which may have many more."""
    place = {code: i for i, code in enumerate(columns)}
    cells = np.zeros((len(rows), len(columns)))
    for i, j, count in zip(table.rows.tolist(), table.columns.tolist(), table.counts, strict=True):
        if i in place and j in place:
            cells[place[i], place[j]] = count
    return cells


class _Row(NamedTuple):
    """A row of a forest plot."""

    name: str
    value: float
    estimate: Estimate
    letters: str = ""
    runs: tuple[float, ...] = ()
    is_whole: bool = False


def _intervals_of(results: Any, metric: str) -> tuple[list[_Row], str]:
    """Return the rows of a forest plot, and what its axis is called."""
    if isinstance(results, Leaderboard):
        rows = [
            _Row(model.name, model.value, model.estimate, model.letters, model.runs)
            for model in results.models
        ]
        return rows, score_named(results.metric).title
    if isinstance(results, Slices):
        if results.confidence_level is None:
            raise ValueError(
                "`results` must have intervals: make the slices with confidence_level=0.95"
            )
        check_choice("metric", metric, tuple(results.whole.estimates))
        rows = [
            _Row(_name_of(row.name), row.scores[metric], row.estimates[metric])
            for row in results.rows
        ]
        whole = results.whole
        rows.append(_Row("all", whole.scores[metric], whole.estimates[metric], is_whole=True))
        return rows, score_named(metric).title
    _check_is(results, Mapping, "results", "a leaderboard, slices, or estimates by name")
    if not results:
        raise ValueError("`results` must hold at least one estimate, got none")
    for made in results.values():
        _check_is(made, Estimate, "results", "a leaderboard, slices, or estimates by name")
    titles = {score_named(made.metric).title for made in results.values()}
    rows = [_Row(_name_of(name), made.value, made) for name, made in results.items()]
    return rows, titles.pop() if len(titles) == 1 else "score"


def _level_of(estimates: Sequence[Estimate]) -> float:
    levels = {made.confidence_level for made in estimates}
    if len(levels) > 1:
        raise ValueError(
            f"`results` must have intervals of the same confidence level, got {sorted(levels)}"
        )
    return levels.pop()


def _read_shares(values: Any, name: str, least: float) -> Numbers:
    try:
        shares = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.empty(0)
    is_fit = shares.ndim == 1 and len(shares) >= 2 and bool((shares >= least).all())
    if not is_fit or abs(shares.sum() - 1) > 1e-6:
        what = "positive shares" if least else "shares of at least 0"
        raise ValueError(
            f"`{name}` must be {what} of two or more classes that sum to 1, got {show(values)}"
        )
    return shares


# Drawing


def import_pyplot() -> Any:
    """Return matplotlib's pyplot.

    Raises
    ------
    ImportError
        If matplotlib is missing.
    """
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            f"plots need matplotlib ({error}): pip install 'informedness[plot]'"
        ) from error
    return pyplot


def _axes(ax: Axes | None, height: float) -> tuple[Axes, float]:
    """Return the axes to draw on, and the font size."""
    pyplot = import_pyplot()
    if ax is not None:
        return ax, float(pyplot.rcParams["font.size"])
    _, ax = pyplot.subplots(figsize=(WIDTH, height), layout="constrained")
    ax.tick_params(labelsize=_SIZE)
    return ax, _SIZE


def _height(n_rows: int, rest: float) -> float:
    return rest + 0.2 * max(n_rows, 2)


def _rows(ax: Axes, names: list[str], numbers: list[str], size: float) -> None:
    """Name the rows, the first on top, and write their numbers to the right of the axes."""
    ax.set_yticks(range(len(names)), names, fontsize=size, parse_math=False)
    ax.set_ylim(len(names) - 0.5, -0.5)
    for y, number in enumerate(numbers):
        ax.text(1.02, y, number, transform=ax.get_yaxis_transform(), va="center", fontsize=size)
    ax.tick_params(axis="y", length=0)
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
    ax.grid(axis="x", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)


def _names_of_more(n_rows: int) -> list[str]:
    return [f"and {n_rows - _MOST_ROWS} more"] * (n_rows > _MOST_ROWS)


def _number(value: float) -> str:
    return "--" if math.isnan(value) else rounded(value)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.01 or share == 0 else f"{100 * share:.1g}%"


def _places(points: Sequence[tuple[float, float, float]]) -> tuple[Numbers, Numbers]:
    """Return x and y of points of the triangle, given as ΔH', 2MI' and VI'."""
    uneven, told, _ = np.array(points).reshape(-1, 3).T
    return uneven + told / 2, told * math.sqrt(3) / 2


def _cloud(table: Table, n_resamples: int, rng: Any) -> list[Any]:
    """Return the places of tables resampled from one, each with as many samples."""
    counts = rng.multinomial(int(table.total), table.counts / table.total, size=n_resamples)
    occur = np.flatnonzero((table.reference_totals > 0) | (table.prediction_totals > 0))
    codes = np.arange(len(table.labels)) if table.declared else occur
    labels = tuple(table.labels[code] for code in codes)  # those counted, also where not drawn
    rows, columns = np.searchsorted(codes, table.rows), np.searchsorted(codes, table.columns)
    places = []
    for drawn in counts:
        kept = drawn > 0
        cells = rows[kept], columns[kept], drawn[kept]
        places.append(triangle_of(ContingencyTable(labels, True, *cells)))
    return places
