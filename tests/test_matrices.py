"""Confusion matrices: totals are no class, and rows that are called predictions are not scored."""

import numpy as np
import pandas as pd
import pytest

from informedness import (
    ContingencyTable,
    InformednessWarning,
    LabelsWarning,
    informedness_score,
    table_from_file,
    table_from_frame,
)

pytestmark = pytest.mark.filterwarnings("error:informedness. each")

REFERENCES = ["no"] * 12 + ["yes"] * 12
PREDICTIONS = ["no"] * 10 + ["yes"] * 2 + ["no"] * 3 + ["yes"] * 9
OF_THREE = [list("aabbccca"), list("ababcbca")]
WITH_TOTALS = [[10, 2, 12], [3, 9, 12], [13, 11, 24]]
ROUNDED = [[0.42, 0.08, 0.5], [0.13, 0.38, 0.5], [0.54, 0.46, 1.0]]


def crosstab(references=REFERENCES, predictions=PREDICTIONS, **options):
    return pd.crosstab(np.array(references), np.array(predictions), **options)


def is_refused(matrix, wanted, **options):
    with pytest.raises(ValueError, match=wanted):
        ContingencyTable.from_matrix(matrix, **options)


def test_totals_are_refused_whatever_they_are_called_and_however_they_are_rounded():
    of_both = "got the sums of the others as its last row and column, .*: leave them out"
    for name in ("All", "Total", "Gesamt", "Summe", "Ensemble", "合計", ""):
        for columns in ((REFERENCES, PREDICTIONS), OF_THREE):
            for normalize in (False, True):
                frame = crosstab(*columns, margins=True, margins_name=name, normalize=normalize)
                for matrix in (frame, frame.round(2), (100 * frame).round(0)):
                    is_refused(matrix, of_both)
                    is_refused(matrix.to_numpy(), of_both)
    is_refused(WITH_TOTALS, of_both, labels=["no", "yes", "x"])
    is_refused(np.flip(WITH_TOTALS), of_both.replace("last", "first"))
    is_refused(ROUNDED, of_both)
    is_refused(crosstab(REFERENCES, ["no"] * 24, margins=True, margins_name="Total"), of_both)
    is_refused(pd.DataFrame([[5, 5], [5, 5]], ["no", "All"], ["no", "All"]), of_both)


def test_totals_of_rows_or_of_columns_alone_are_refused_where_they_have_no_counterpart():
    for name in ("All", "Gesamt"):
        whole = crosstab(margins=True, margins_name=name)
        for frame in (whole, whole / 24, (whole / 24).round(2)):
            is_refused(frame.iloc[:, :2], f"its last row, '{name}': .* give it a column too")
            is_refused(frame.iloc[:2], f"its last column, '{name}': .* give it a row too")
            is_refused(frame.rename(columns={name: "sum"}), f"its last row, '{name}'")
        for normalize, kind in (("index", "row"), ("columns", "column")):
            shares = crosstab(margins=True, margins_name=name, normalize=normalize)
            for frame in (shares, shares.round(2), 100 * shares):
                is_refused(frame, f"means of the others as its last {kind}, '{name}'")
    is_refused(pd.DataFrame([[5], [7], [12]], ["no", "yes", "All"], ["no"]), "its last row, 'All'")


def test_recalls_beside_counts_are_refused_and_shares_of_rows_or_columns_are_warned_of():
    for name, recall in (("recall", [0.67, 0.5, 0.67]), ("error", [0.33, 0.5, 0.33])):
        frame = crosstab(*OF_THREE).assign(**{name: recall})
        is_refused(frame, f"got shares beside counts as its last column, '{name}': leave it out")
        frame.loc["precision"] = [66.67, 33.33, 100, 62.5]
        is_refused(frame.to_numpy(), "shares beside counts as its last row, 3")
    for normalize, kind in (("index", "row"), ("columns", "column")):
        shares = crosstab(*OF_THREE, normalize=normalize).to_numpy()
        for matrix in (shares, shares.round(2), (100 * shares).round(1)):
            with pytest.warns(
                InformednessWarning, match=f"each {kind} of `matrix` sums to 1(00)?:"
            ):
                ContingencyTable.from_matrix(matrix)
            ContingencyTable.from_matrix(matrix, squared_weights=matrix)
    ContingencyTable.from_matrix(crosstab(*OF_THREE, normalize=True))


def test_what_only_looks_like_totals_is_scored():
    for matrix in (
        [[5, 5], [5, 5]],
        [[0, 0, 0], [0, 5, 0], [0, 0, 5]],
        [[1, 0, 1], [0, 0, 0], [1, 0, 1]],
        [[10, 2, 12], [3, 9, 12], [13, 11, 25]],  # counts are exact
        [[10, 2, 12], [3, 9, 12], [13, 12, 25]],
        [[0.42, 0.08, 0.5], [0.13, 0.38, 0.5], [0.54, 0.46, 1.1]],
        [[2, 1, 0.7], [1, 1, 0.5], [0, 1, 2]],  # of weighted samples, and not the recalls
        np.diag([1, 2, 3]),
    ):
        table = ContingencyTable.from_matrix(matrix)
        assert np.array_equal(table.to_dense(), matrix)
    names = ["x", "y", "all"]
    for cells in ([[12, 2, 0], [3, 40, 1], [0, 0, 8]], [[7, 1, 8], [2, 6, 1], [9, 7, 9]]):
        frame = pd.DataFrame(cells, names, names)
        wanted = ContingencyTable.from_matrix(cells, labels=names)
        assert ContingencyTable.from_matrix(frame, labels=names) == wanted
    is_refused(np.zeros((3, 3)), "must sum to more than 0")
    # a class that is never predicted, with as many samples as the others, or half of all
    for cells in ([[80, 20], [30, 70], [50, 50]], [[8, 2], [3, 7], [11, 8]], [[1, 0], [0, 1]]):
        rows = list("abc")[: len(cells)]
        table = ContingencyTable.from_matrix(pd.DataFrame(cells, rows, ["a", "b"]))
        assert table.to_dense()[:, :2].tolist() == cells
    constant = crosstab(["a", "b", "c", "c"], ["a"] * 4)
    assert ContingencyTable.from_matrix(constant).reference_totals.tolist() == [1, 1, 2]


ROLES = (
    ("predicted", "actual"),
    ("prediction", None),
    ("Predictions", "label"),
    ("y_pred", "y_true"),
    ("yPred", "class"),
    ("y_hat", "y"),
    ("Predicted label", "True label"),
    (None, "true"),
    ("x", "references"),
    ("model", "label"),
    ("output", "gold"),
    ("Vorhersage", "Wahrheit"),
    ("prédit", "réel"),
)


def test_rows_that_are_called_predictions_are_refused_and_score_when_they_are_turned():
    wanted = informedness_score(REFERENCES, PREDICTIONS)
    for rows, columns in ROLES:
        frame = crosstab(PREDICTIONS, REFERENCES).rename_axis(index=rows, columns=columns)
        is_refused(frame, "must have references as rows .* pass matrix.T")
        assert ContingencyTable.from_matrix(frame.T).informedness() == wanted


def test_other_names_of_the_axes_say_nothing():
    wanted = informedness_score(REFERENCES, PREDICTIONS)
    for rows, columns in (
        ("row_0", "col_0"),
        ("label", "model"),
        ("model", "x"),
        ("x", "label"),
        ("predicted", "predicted_again"),
        ("gold", "true"),
        ("true_pred", "x"),
        (0, ("pred", 1)),
        ("hypertension", "x"),
        ("prognosis", "predator"),
        ("x", "Wahrscheinlichkeit"),
    ):
        frame = crosstab().rename_axis(index=[rows], columns=[columns])
        assert ContingencyTable.from_matrix(frame).informedness() == wanted


@pytest.mark.filterwarnings("error::informedness.LabelsWarning")
def test_pairs_that_are_totals_are_warned_of_unless_they_are_declared(tmp_path):
    pairs = {"aa": 50, "ab": 10, "ba": 5, "bb": 35}
    of_rows, of_columns = {"aT": 60, "bT": 40}, {"Ta": 55, "Tb": 45}

    def frame_of(counts):
        rows = [[*("Total" if x == "T" else x for x in pair), n] for pair, n in counts.items()]
        return pd.DataFrame(rows, columns=["references", "predictions", "counts"])

    named = {name: name for name in frame_of(pairs)}
    for totals in (of_rows, of_columns, of_rows | of_columns | {"TT": 100}):
        frame = frame_of(pairs | totals)
        frame.to_csv(tmp_path / "p.csv", index=False)
        for made in (
            lambda frame=frame: ContingencyTable.from_counts(**frame.to_dict("list")),
            lambda frame=frame: table_from_frame(frame, **named),
            lambda: table_from_file(tmp_path / "p.csv", **named),
        ):
            with pytest.warns(LabelsWarning, match="'Total' are the sums of all others"):
                made()
    ContingencyTable.from_counts(**frame.to_dict("list"), labels=["a", "b", "Total"])
    for counts in (pairs, pairs | {"aT": 60, "bT": 41}):
        ContingencyTable.from_counts(**frame_of(counts).to_dict("list"))
