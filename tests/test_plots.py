"""Pictures: they show the numbers of their results, fit a column, and look as they did.

`python tests/test_plots.py` draws those in tests/images again; look at each before it is committed.
"""

import math
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb
from matplotlib.testing.compare import compare_images

from informedness import (
    ContingencyTable,
    Slices,
    entropy_triangle,
    estimate,
    leaderboard,
    plot_ability_curves,
    plot_confusion,
    plot_entropy_triangle,
    plot_intervals,
    plot_per_class,
    report,
)
from informedness.results.report import Report

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
IMAGES = Path(__file__).parent / "images"
# Root mean square of 0 to 255. Between matplotlib 3.8 and 3.11 it is 6.3 for a confusion matrix,
# whose cells end between pixels, and 0 for the others; without its cloud the triangle differs by 2.
TOLERANCE = {"confusion": 8}
MATRIX = np.array([[50, 6, 4], [9, 20, 1], [0, 2, 8]])
LABELS = ["$5$", "_no", "a long name of a class"]
TABLE = ContingencyTable.from_matrix(MATRIX, labels=LABELS)
REPORT = Report.from_table(TABLE, confidence_level=0.9)
MATRICES = {
    "_good": MATRIX,
    "$x^2$": [[30, 15, 15], [9, 12, 9], [3, 3, 4]],
    "one": [[60, 0], [40, 0]],
}
TABLES = {name: ContingencyTable.from_matrix(matrix) for name, matrix in MATRICES.items()}


def answers(ability, seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(100) < ability, REFERENCES, rng.integers(0, 3, 100))


REFERENCES = np.random.default_rng(0).integers(0, 3, 100)
BOARD = leaderboard(
    REFERENCES,
    {"_big": [answers(0.8, 1), answers(0.7, 2)], "$small$": [answers(0.3, 3), answers(0.4, 4)]},
    n_resamples=199,
)
SLICES = Slices.from_tables(
    {"colour": TABLE, "a number": ContingencyTable.from_matrix(MATRIX // 2 + 3, labels=LABELS)},
    confidence_level=0.95,
)
PICTURES = {
    "confusion": lambda **ax: plot_confusion(TABLE, **ax),
    "per_class": lambda **ax: plot_per_class(REPORT, **ax),
    "intervals_of_models": lambda **ax: plot_intervals(BOARD, **ax),
    "intervals_of_slices": lambda **ax: plot_intervals(SLICES, "nit", **ax),
    "entropy_triangle": lambda **ax: plot_entropy_triangle(TABLES, n_resamples=50, **ax),
    "ability_curves": lambda **ax: plot_ability_curves([0.7, 0.2, 0.1], **ax),
}


def draw(name, path):
    """Draw a picture without its text, whose width, and so the layout, is of a version's fonts."""
    mpl.rcdefaults()
    mpl.use("agg")
    ax = PICTURES[name]()
    ax.figure.set_layout_engine("none")
    for axes, left, width in zip(ax.figure.axes, (0.1, 0.9), (0.75, 0.05), strict=False):
        axes.set_position([left, 0.15, width, 0.6])
        axes.tick_params(labelbottom=False, labelleft=False, labelright=False)
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    for text in ax.figure.findobj(mpl.text.Text):
        text.set_text("")
    ax.figure.savefig(path, dpi=80)


@pytest.fixture(autouse=True)
def no_windows():
    mpl.use("agg")
    yield
    pyplot.close("all")


def sizes_of(ax):
    """Return the sizes of the letters in a picture."""
    return {text.get_fontsize() for text in ax.figure.findobj(mpl.text.Text) if text.get_text()}


def numbers_of(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did(name, tmp_path):
    draw(name, tmp_path / "new.png")
    assert (
        compare_images(IMAGES / f"{name}.png", tmp_path / "new.png", TOLERANCE.get(name, 1)) is None
    )


@pytest.mark.slow
def test_everything_written_lies_within_a_column_in_letters_that_can_be_read():
    for name, picture in PICTURES.items():
        ax = picture()
        figure = ax.figure
        assert figure.get_size_inches()[0] == 3.3
        figure.canvas.draw()
        drawn = figure.get_tightbbox().padded(-0.01)
        assert (drawn.min >= 0).all(), name
        assert (drawn.max <= figure.get_size_inches()).all(), name
        assert min(sizes_of(ax)) >= 5.5, name


def test_given_axes_are_drawn_on_in_the_letters_of_their_figure():
    for name, picture in PICTURES.items():
        with mpl.rc_context({"font.size": 13}):
            _, axes = pyplot.subplots(1, 2)
            assert picture(ax=axes[1]) is axes[1]
            sizes = sizes_of(axes[1])
        assert len(pyplot.get_fignums()) == 1, name
        assert not axes[0].has_data()
        assert sizes == {13}, name
        # what a colour says must be said by shade or shape too
        colours = {to_rgb(line.get_color()) for line in axes[1].lines}
        shades = {round(float(np.dot(colour, (0.299, 0.587, 0.114))), 1) for colour in colours}
        assert len(shades) == len(colours), name
        pyplot.close("all")


def test_names_are_written_as_they_are():
    for ax in (plot_confusion(TABLE), plot_per_class(REPORT)):
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert names[0].startswith("$5$")
        assert names[1].startswith("_no")
        assert not any(label.get_parse_math() for label in ax.get_yticklabels())
    legend = plot_entropy_triangle(TABLES).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == [*TABLES]
    assert not any(text.get_parse_math() for text in legend.get_texts())
    assert len(legend.legend_handles) == len(TABLES)


# What is drawn


def test_a_confusion_matrix_has_the_counts_and_is_shaded_by_row():
    ax = plot_confusion(TABLE)
    assert numbers_of(ax) == [str(count) for count in MATRIX.ravel()]
    assert np.allclose(ax.images[0].get_array(), MATRIX / MATRIX.sum(axis=1, keepdims=True))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("prediction", "reference")
    assert numbers_of(plot_confusion(REPORT)) == numbers_of(ax)


def test_answers_outside_the_classes_are_a_column_and_no_row():
    table = ContingencyTable.from_labels(
        ["a", "b", "b"], ["a", "?", "b"], labels=["a", "b", "c"], unknown="wrong"
    )
    ax = plot_confusion(table)
    assert numbers_of(ax) == [*"1000", *"0101", *"0000"]
    shares = np.ma.filled(ax.images[0].get_array(), np.nan)
    assert np.array_equal(shares[:2], [[1, 0, 0, 0], [0, 0.5, 0, 0.5]])
    assert np.isnan(shares[2]).all()


def test_of_many_classes_the_most_common_are_drawn_in_their_order():
    counts = np.arange(1, 41)[::-1] + 100 * (np.arange(40) == 35)
    ax = plot_confusion(ContingencyTable.from_matrix(np.diag(counts)))
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [*map(str, range(19)), "35"]
    assert ax.get_xlabel() == "prediction (20 of 40 classes)"
    assert numbers_of(ax) == []


def test_classes_are_drawn_from_fpr_to_tpr():
    ax = plot_per_class(REPORT)
    n, references = MATRIX.sum(), MATRIX.sum(axis=1)
    tpr = np.diag(MATRIX) / references
    fpr = (MATRIX.sum(axis=0) - np.diag(MATRIX)) / (n - references)
    *links, found, wrong = ax.lines
    assert np.allclose([line.get_xdata() for line in links], np.transpose([fpr, tpr]))
    assert np.allclose(found.get_xdata(), tpr)
    assert np.allclose(wrong.get_xdata(), fpr)
    made = estimate(TABLE, average=None, confidence_level=0.9)
    ends = [x.confidence_interval for x in made]
    expected = [
        f"{gain:.2f} ({low:.2f} to {high:.2f})"
        for gain, (low, high) in zip(tpr - fpr, ends, strict=True)
    ]
    assert [text for text in numbers_of(ax) if text != "TPR-FPR"] == expected
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert [name[-5:] for name in names] == ["(60%)", "(30%)", "(10%)"]


def test_models_are_drawn_with_their_intervals_letters_and_runs():
    ax = plot_intervals(BOARD)
    lines = [line for line in ax.lines if len(line.get_xdata()) == 2 and line.get_marker() != "|"]
    assert [tuple(line.get_xdata()) for line in lines[:2]] == [
        model.estimate.confidence_interval for model in BOARD.models
    ]
    points = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "o"]
    assert points == [model.value for model in BOARD.models]
    runs = [tuple(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"]
    assert runs == [model.runs for model in BOARD.models]
    assert numbers_of(ax) == [f"{model.value:.2f} {model.letters}" for model in BOARD.models]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["_big", "$small$"]
    assert ax.get_xlabel() == "Informedness, 95% interval"
    assert ax.yaxis_inverted()  # the best on top


def test_slices_are_drawn_with_the_whole_last():
    ax = plot_intervals(SLICES, "nit")
    rows = [*SLICES.rows, SLICES.whole]
    assert numbers_of(ax) == [f"{row.scores['nit']:.2f}" for row in rows]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["colour", "a number", "all"]
    whole = [line.get_xdata()[0] for line in ax.lines if line.get_marker() == "D"]
    assert whole == [SLICES.whole.scores["nit"]]
    assert ax.get_xlabel() == "NIT, 95% interval"


def test_of_many_slices_the_first_are_drawn_and_the_whole():
    many = Slices.from_tables(dict.fromkeys(range(60), TABLE), confidence_level=0.95)
    ax = plot_intervals(many)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [*map(str, range(49)), "and 11 more", "all"]
    (whole,) = (line.get_ydata()[0] for line in ax.lines if line.get_marker() == "D")
    assert names[whole] == "all"


def test_a_score_without_an_interval_is_a_hollow_point():
    table = ContingencyTable.from_matrix([[40, 1], [1, 1]])
    made = {"nit": estimate(table, "nit"), "informedness": estimate(table)}
    assert math.isnan(made["nit"].confidence_interval[0])
    ax = plot_intervals(made)
    points = [line for line in ax.lines if line.get_marker() == "o"]
    assert [point.get_markerfacecolor() == "white" for point in points] == [True, False]
    assert ax.get_xlabel() == "score, 95% interval"


def place_of(ax):
    """Return x and y of the points of tables."""
    ends = [line.get_xydata()[0] for line in ax.lines if line.get_markersize() == 6 and
            line.get_linestyle() == "None"]  # fmt: skip
    return np.array(ends)


def test_tables_lie_in_the_triangle_by_their_coordinates():
    corners = {"one class": (1, 0), "transferred": (0.5, math.sqrt(3) / 2), "lost": (0, 0)}
    references, predictions = np.nonzero(MATRIX)
    repeated = [np.repeat(x, MATRIX[references, predictions]) for x in (references, predictions)]
    weights = entropy_triangle(*repeated)
    wanted = np.array(weights) @ np.array([*corners.values()])
    (place,) = place_of(plot_entropy_triangle(TABLE))
    assert np.allclose(place, wanted)
    extremes = {
        "right": [[50, 0], [0, 50]],
        "coin": [[25, 25], [25, 25]],
        "same": [[60, 40], [0, 0]],
    }
    tables = {name: ContingencyTable.from_matrix(x, labels=[0, 1]) for name, x in extremes.items()}
    right, coin, same = place_of(plot_entropy_triangle(tables))
    assert np.allclose(right, corners["transferred"])
    assert np.allclose(coin, corners["lost"])
    assert 0.5 < same[0] < 1
    assert same[1] == pytest.approx(0)


def test_a_cloud_lies_about_its_point_and_is_narrower_for_more_samples():
    spreads = []
    for factor in (1, 100):
        table = ContingencyTable.from_matrix(MATRIX * factor)
        ax = plot_entropy_triangle(table, n_resamples=300)
        (cloud,) = (line.get_xydata() for line in ax.lines if line.get_marker() == ".")
        assert cloud.shape == (300, 2)
        spread = cloud.std(axis=0)
        assert (abs(cloud.mean(axis=0) - place_of(ax)[0]) < spread).all()
        spreads.append(spread)
    assert np.allclose(spreads[0] / spreads[1], 10, rtol=0.25)
    # a resample without the rarest class has no fewer classes for it
    table = ContingencyTable.from_matrix([[50, 0, 0], [0, 50, 0], [0, 0, 1]])
    ax = plot_entropy_triangle(table, n_resamples=50)
    (cloud,) = (line.get_xydata() for line in ax.lines if line.get_marker() == ".")
    assert cloud[:, 1].max() < 0.9 * math.sqrt(3) / 2


def test_ability_curves_are_the_closed_forms():
    for shares in ([0.9, 0.1], [0.4, 0.3, 0.2, 0.1]):
        ax = plot_ability_curves(shares, metrics=["accuracy", "balanced_accuracy", "informedness"])
        x = ax.lines[0].get_xdata()
        accuracy, balanced, informedness = (line.get_ydata() for line in ax.lines)
        assert np.allclose(accuracy, x + (1 - x) * np.square(shares).sum())
        assert np.allclose(balanced, x + (1 - x) / len(shares))
        assert np.allclose(informedness, x)
    # however the model guesses
    ax = plot_ability_curves([0.7, 0.2, 0.1], guesses=[0, 0.5, 0.5], metrics=["informedness"])
    assert np.allclose(*ax.lines[0].get_data())


def test_what_cannot_be_drawn_is_refused():
    one = {"a": estimate(TABLE)}
    for wrong, message in (
        (lambda: plot_intervals(report([0, 1] * 40, [0, 1] * 40, by=[0, 1] * 40)), "intervals"),
        (lambda: plot_intervals({}), "at least one"),
        (lambda: plot_intervals({**one, "b": estimate(TABLE, confidence_level=0.9)}), "same conf"),
        (lambda: plot_intervals(SLICES, "f2"), "`metric` must be one of"),
        (lambda: plot_entropy_triangle({}), "at least one"),
        (lambda: plot_entropy_triangle(dict.fromkeys(range(31), TABLE)), "at most 30"),
        (lambda: plot_ability_curves([0.5, 0.4]), "sum to 1"),
        (lambda: plot_ability_curves([1.0, 0.0]), "positive"),
        (lambda: plot_ability_curves(["a", "b"]), "shares"),
        (lambda: plot_ability_curves([0.5, 0.5], guesses=[1.0]), "`guesses`"),
        (lambda: plot_ability_curves([0.5, 0.5], guesses=[0.2, 0.3, 0.5]), "2 classes"),
        (lambda: plot_ability_curves([0.5, 0.5], metrics=["f2"]), "`metrics` must be one of"),
    ):
        with pytest.raises(ValueError, match=message):
            wrong()
    for wrong in (plot_confusion, plot_per_class, plot_intervals, plot_entropy_triangle):
        with pytest.raises(TypeError, match="must be"):
            wrong(MATRIX)


# The command line


@pytest.fixture
def file(tmp_path):
    rows = ["gold,model,other,type"]
    rows += [f"{i % 3},{(i % 3) if i % 5 else 0},0,{'xy'[i % 2]}" for i in range(90)]
    (tmp_path / "p.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path / "p.csv"


@pytest.mark.slow
def test_the_command_writes_pictures_and_prints_what_it_does_without(command, file):
    for number, (options, names) in enumerate(
        (
            (["-p", "model"], ["confusion", "per_class", "entropy_triangle"]),
            (["-p", "model", "other"], ["intervals"]),
            (["-p", "model", "--by", "type", "--confidence-level", "0.9"], ["intervals"]),
        )
    ):
        folder = file.parent / f"new {number}" / "pictures"
        arguments = ["report", file, "-r", "gold", *options]
        plain = command(*arguments)
        code, output, errors = command(*arguments, "--plot", folder)
        paths = [folder / f"{name}.png" for name in names]
        assert (code, output) == plain[:2]
        assert code == 0
        assert errors == "".join(f"wrote {path}\n" for path in paths) + plain[2]
        assert sorted(folder.iterdir()) == sorted(paths)
        assert {path.read_bytes()[:4] for path in paths} == {b"\x89PNG"}
        assert pyplot.get_fignums() == []


def test_the_command_says_what_pictures_need(command, file):
    folder = file.parent / "pictures"
    arguments = ["report", file, "-r", "gold", "-p", "model", "--plot", folder]
    for options, message in (
        (["--by", "type"], "add --confidence-level 0.95"),
        (["--score", "nit"], "leave out --plot"),
    ):
        code, output, errors = command(*arguments, *options)
        assert (code, output) == (2, "")
        assert message in errors
        assert not folder.exists()


if __name__ == "__main__":
    for each_name in PICTURES:
        draw(each_name, IMAGES / f"{each_name}.png")
