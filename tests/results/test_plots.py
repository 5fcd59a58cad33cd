"""Pictures: they show the numbers of their results, fit a column, and look as they did.

`python tests/results/test_plots.py` draws those in tests/results/images again.
Look at each before it is committed.

Covers src: plots.py, results/figures.py.
"""

import math
from functools import partial
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.testing.compare import compare_images

from informedness import ContingencyTable, entropy_triangle, estimate, leaderboard, report, slices
from informedness.plots import plot_confusion_matrix, plot_entropy_triangle, plot_intervals
from informedness.results.report import Report
from informedness.results.slices import Slices
from inputs.tables import table_of_labels

mpl.use("agg")
pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
IMAGES = Path(__file__).parent / "images"
# Root mean square of 0 to 255; the cells of a confusion matrix end between pixels.
TOLERANCE = {"confusion": 8}
MATRIX = np.array([[50, 6, 4], [9, 20, 1], [0, 2, 8]])
LABELS = ["$5$", "_no", "a long name of a class"]
TABLE = ContingencyTable.from_matrix(MATRIX, labels=LABELS)
REPORT = Report.from_table(TABLE, confidence_level=0.9)
TABLES = {
    "_good": ContingencyTable.from_matrix(MATRIX),
    "$x^2$": ContingencyTable.from_matrix([[30, 15, 15], [9, 12, 9], [3, 3, 4]]),
    "one": ContingencyTable.from_matrix([[60, 0], [40, 0]]),
}


def answers(ability, seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(100) < ability, REFERENCES, rng.integers(0, 3, 100))


REFERENCES = np.random.default_rng(0).integers(0, 3, 100)
MODELS = {"_big": [answers(0.8, 1), answers(0.7, 2)], "$small$": [answers(0.3, 3), answers(0.4, 4)]}
BOARD = leaderboard(REFERENCES, MODELS)
SLICES = Slices.from_tables(
    {"colour": TABLE, "a number": ContingencyTable.from_matrix(MATRIX // 2 + 3, labels=LABELS)},
    confidence_level=0.95,
)
PICTURES = {
    "confusion": partial(plot_confusion_matrix, TABLE),
    "per_class": REPORT.plot,
    "intervals_of_models": BOARD.plot,
    "intervals_of_slices": lambda **ax: SLICES.plot("nit", **ax),
    "entropy_triangle": partial(plot_entropy_triangle, TABLES),
}


def draw(name, path):
    """Draw a picture without its text, whose width, and so the layout, is of a version's fonts."""
    mpl.rcdefaults()
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
    yield
    pyplot.close("all")


def numbers_of(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.full  # of the newest matplotlib: older ones place the axes a pixel beside
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did(name, tmp_path):
    new = tmp_path / "new.png"
    draw(name, new)
    assert compare_images(IMAGES / f"{name}.png", new, TOLERANCE.get(name, 1)) is None


ALIKE = [f"runs/a model of {i} layers, with more words/predictions.jsonl" for i in range(30)]


def of_classes(k, count, labels=ALIKE):
    return ContingencyTable.from_matrix(count * (np.eye(k, dtype=int) + 1), labels=labels[:k])


# What is too much for its picture: large numbers, long names, many classes, tables, scores
ESTIMATES = {name: estimate(TABLES["_good"]) for name in ALIKE[:20]}
QUESTIONS = [f"a question about the place {i}" for i in range(12)]
UGLY = {
    "6 of a million": partial(plot_confusion_matrix, of_classes(6, 10**6)),
    "12 names": partial(plot_confusion_matrix, of_classes(12, 7, QUESTIONS)),
    "20 classes": partial(plot_confusion_matrix, of_classes(20, 1)),
    "rows": report(of_classes(20, 9), confidence_level=0.95).plot,
    "models": partial(plot_intervals, ESTIMATES),
    "30 tables": partial(plot_entropy_triangle, dict.fromkeys(ALIKE, TABLE)),
}


def written_on(figure):
    """Return what is written on a figure, and check that nothing is outside or on another."""
    figure.canvas.draw()
    drawn = figure.get_tightbbox().padded(-0.02)
    assert (drawn.min >= 0).all()
    assert (drawn.max <= figure.get_size_inches()).all()
    texts = [x for x in figure.findobj(mpl.text.Text) if x.get_text() and x.get_visible()]
    boxes = [text.get_window_extent().padded(-0.1 * text.get_fontsize()) for text in texts]
    low, high = (np.array([getattr(box, end) for box in boxes]) for end in ("min", "max"))
    overlap = (low[:, None] < high).all(axis=2)
    assert (overlap & overlap.T).sum() == len(texts)  # each with itself
    return texts


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES | UGLY)
def test_all_text_of_figures_is_readable_in_print(name):
    picture = (PICTURES | UGLY)[name]
    texts = written_on(picture().figure)
    assert min(text.get_fontsize() for text in texts) >= 5.5
    assert not any(text.get_parse_math() for text in texts if "$" in text.get_text())
    with mpl.rc_context({"font.size": 14}):
        _, ax = pyplot.subplots(figsize=(13.3, 7.5), layout="constrained")
        assert picture(ax=ax) is ax
        written_on(ax.figure)


def names_of(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_matrices_are_shaded_by_row_with_an_out_of_class_column():
    how = {"labels": ["a", "b", "c"], "unknown": "wrong", "sample_weight": [1, 0.5, 0.5]}
    ax = plot_confusion_matrix(table_of_labels(["a", "b", "b"], ["a", "?", "b"], **how))
    assert numbers_of(ax) == ["1", *"000", "0", "0.5", "0", "0.5", *"0000"]
    shares = np.ma.filled(ax.images[0].get_array(), np.nan)
    assert np.array_equal(shares[:2], [[1, 0, 0, 0], [0, 0.5, 0, 0.5]])
    assert np.isnan(shares[2]).all()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("prediction", "reference")


def test_small_figures_shorten_names_and_leave_out_numbers():
    names = UGLY["30 tables"]().get_legend().get_texts()
    assert len({text.get_text() for text in names}) == 30
    assert len({*names_of(UGLY["models"]())}) == 20
    assert numbers_of(UGLY["6 of a million"]()) == []
    counts = np.arange(1, 61)[::-1] + 100 * (np.arange(60) == 35)
    table = ContingencyTable.from_matrix(np.diag(counts))
    ax = plot_confusion_matrix(table)
    assert names_of(ax) == [*map(str, range(19)), "35"]
    assert ax.get_xlabel() == "prediction (20 of 60 classes)"
    *classes, last = names_of(report(table).plot())
    assert (len(classes), last) == (50, "and 10 more")
    many = Slices.from_tables(dict.fromkeys(range(60), TABLE), confidence_level=0.95)
    assert names_of(many.plot()) == [*map(str, range(49)), "all"]
    assert many.plot().get_xlabel() == "Informedness, 95% interval\n50 of 61 rows"


def test_classes_are_drawn_from_fpr_to_tpr():
    ax = REPORT.plot()
    hits, references = np.diag(MATRIX), MATRIX.sum(axis=1)
    tpr = hits / references
    fpr = (MATRIX.sum(axis=0) - hits) / (MATRIX.sum() - references)
    *links, found, wrong = (line.get_xdata() for line in ax.lines)
    assert np.allclose(links, np.transpose([fpr, tpr]))
    assert np.allclose([found, wrong], [tpr, fpr])
    made = estimate(TABLE, average=None, confidence_level=0.9)
    wanted = ["{:.2f} ({:.2f} to {:.2f})".format(x.value, *x.confidence_interval) for x in made]
    assert numbers_of(ax) == [*wanted, "TPR-FPR"]
    assert [name[-5:] for name in names_of(ax)] == ["(60%)", "(30%)", "(10%)"]


def test_models_are_drawn_with_their_intervals():
    ax = BOARD.plot()
    drawn = [(line.get_marker(), tuple(line.get_xdata())) for line in ax.lines[:6]]
    for model in BOARD.models:
        interval = model.estimate.confidence_interval
        for shown in ("None", interval), ("o", (model.value,)), ("|", model.runs):
            assert drawn.pop(0) == shown
    wanted = [f"{model.value:.2f} {model.rank_range}" for model in BOARD.models]
    assert numbers_of(ax) == [*wanted, "score, ranks"]
    assert names_of(ax) == ["_big", "$small$"]
    assert ax.get_xlabel() == "Informedness, 95% interval"
    assert ax.yaxis_inverted()  # the best on top
    ax = plot_intervals({("a", 1): estimate(TABLE), "b": estimate(TABLE, metric="nit")})
    assert (names_of(ax), ax.get_xlabel()) == (["a, 1", "b"], "score, 95% interval")


def test_tables_lie_in_the_triangle_by_their_coordinates():
    corners = np.array([(1, 0), (0.5, math.sqrt(3) / 2), (0, 0)])  # one class, transferred, lost
    for matrix in (MATRIX, [[50, 0], [0, 50]], [[25, 25], [25, 25]], [[30, 10], [5, 5]]):
        ax = plot_entropy_triangle(ContingencyTable.from_matrix(matrix))
        (place,) = (line.get_xydata()[0] for line in ax.lines if line.get_marker() == "o")
        cells = np.indices(np.shape(matrix)).reshape(2, -1)
        weights = entropy_triangle(*np.repeat(cells, np.ravel(matrix), axis=1))
        assert np.allclose(place, np.array(weights) @ corners)
        said = {text.get_position()[0]: text.get_text().partition("\n")[0] for text in ax.texts}
        assert said == {1: "one class", 0.5: "all transferred", 0: "all lost"}


def test_what_cannot_be_drawn_is_refused():
    levels = {"a": estimate(TABLE), "b": estimate(TABLE, confidence_level=0.9)}
    without_intervals = slices([0, 1] * 40, [0, 1] * 40, by=[0, 1] * 40)
    for plot, wrong, options, message in (
        (Slices.plot, without_intervals, {}, "confidence_level=0.95"),
        (Slices.plot, SLICES, {"metric": "f2"}, "`metric` must be one of"),
        (plot_intervals, {}, {}, "must have at least one entry, got none"),
        (plot_intervals, levels, {}, "same conf"),
        (plot_intervals, dict.fromkeys((1, "1"), levels["a"]), {}, "`estimates` .* '1' twice"),
        (plot_entropy_triangle, dict.fromkeys(range(31), TABLE), {}, "at most 30 tables, got 31"),
    ):
        with pytest.raises(ValueError, match=message):
            plot(wrong, **options)
    for wrong in (MATRIX, {"a": MATRIX}):
        with pytest.raises(TypeError, match="`estimates` must map names to Estimate objects, got"):
            plot_intervals(wrong)


if __name__ == "__main__":
    for each_name in PICTURES:
        draw(each_name, IMAGES / f"{each_name}.png")
