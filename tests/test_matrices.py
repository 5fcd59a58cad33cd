"""Confusion matrices: totals are refused, and what else looks odd is scored with a warning."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from informedness import ContingencyTable, informedness_score

REFERENCES = ["no"] * 12 + ["yes"] * 12
PREDICTIONS = ["no"] * 10 + ["yes"] * 2 + ["no"] * 3 + ["yes"] * 9
OF_THREE = [list("aabbccca"), list("ababcbca")]


def crosstab(references=REFERENCES, predictions=PREDICTIONS, **options):
    return pd.crosstab(np.array(references), np.array(predictions), **options)


def warned(matrix, **options):
    """Return the table of a matrix, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = ContingencyTable.from_matrix(matrix, **options)
    return table, " ".join(str(one.message) for one in caught)


def test_sums_as_the_last_row_and_column_are_refused_whatever_they_are_called():
    wanted = "sums of the others as its last row and column: .* labels= if they are a class"
    for name in ("All", "Total", "Gesamt", "合計", ""):
        for columns in ((REFERENCES, PREDICTIONS), OF_THREE):
            for normalize in (False, True):
                frame = crosstab(*columns, margins=True, margins_name=name, normalize=normalize)
                for matrix in (frame, frame.to_numpy(), frame.to_numpy().tolist()):
                    with pytest.raises(ValueError, match=wanted):
                        ContingencyTable.from_matrix(matrix)
                labels = [*sorted({*columns[0]}), name]  # whoever names the classes means them
                table = ContingencyTable.from_matrix(frame.to_numpy(), labels=labels)
                assert np.array_equal(table.to_dense(), frame.to_numpy())


def test_what_is_no_sum_on_both_sides_is_scored():
    with_totals = crosstab(*OF_THREE, margins=True)
    for matrix in (
        [[5, 5], [5, 5]],  # of two classes
        [[0, 0, 0], [0, 5, 0], [0, 0, 5]],
        [[10, 2, 12], [3, 9, 12], [13, 11, 25]],  # counts are exact
        with_totals.iloc[:, :3],  # a class that is never predicted
        with_totals.iloc[:3],
        crosstab(*OF_THREE).assign(recall=[0.67, 0.5, 0.67]),
        np.diag([1, 2, 3]),
        np.diag([1, 2, 3]) / 6,
        scipy.sparse.coo_matrix(np.diag([1, 2, 3])),
    ):
        table, said = warned(matrix)
        cells = matrix.toarray() if hasattr(matrix, "toarray") else np.array(matrix)
        assert table.total == pytest.approx(cells.sum())
        assert "sum" not in said
    with pytest.raises(ValueError, match="must sum to more than 0"):
        ContingencyTable.from_matrix(np.zeros((3, 3)))


def test_rows_of_shares_are_warned_of():
    shares = crosstab(*OF_THREE, normalize="index").to_numpy()
    for matrix in (shares, shares.round(2), np.where(shares == 1, 0, shares)):
        assert "each row of `matrix` sums to 1:" in warned(matrix)[1]
    for matrix in (
        crosstab(*OF_THREE, normalize=True),
        np.eye(3),  # counts
        shares * 8,
        crosstab(*OF_THREE).to_numpy() / 2,
    ):
        assert "each row" not in warned(matrix)[1]
    assert "each row" not in warned(shares, squared_weights=shares)[1]


SWAPPED = (
    "predicted/actual, Predictions/label, y_pred/y_true, yPred/target, Predicted label/True label, "
    "hypothesis/reference"
)
NOT_SWAPPED = (
    "row_0/col_0, label/model, model/label, x/true, predicted/predicted_again, gold/true, "
    "true_pred/label, prognosis/reflex, Vorhersage/Wahrheit"
)
AXES = [
    *((*x.split("/"), True) for x in SWAPPED.split(", ")),
    *((*x.split("/"), False) for x in NOT_SWAPPED.split(", ")),
    ("prediction", None, False),
    (0, ("pred", 1), False),
]


def test_axes_whose_names_say_outright_that_they_are_swapped_are_warned_of():
    wanted = informedness_score(REFERENCES, PREDICTIONS)
    for rows, columns, is_swapped in AXES:
        frame = crosstab().rename_axis(index=[rows], columns=[columns])
        table, said = warned(frame)
        assert ("names say the opposite" in said) == is_swapped, (rows, columns)
        assert table.informedness() == wanted
        assert warned(frame.T.rename_axis(index=[columns], columns=[rows]))[1] == ""
