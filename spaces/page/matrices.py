"""The contingency table on the page: numbers, colours or a picture."""

import base64
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from data import shown
from PIL import Image

from informedness import ContingencyTable

SLANTED = 5  # classes from which the names of the columns are upright
MOST_CELLS = 30  # classes whose cells are numbers; larger tables are a picture
MOST_TILES = 100  # along the picture's side; each shows the strongest cell of a block of classes
MOST_BARS = 20  # classes with a bar each; if there are more, the commonest ones
MOST_CONFUSED = 8
# visible on white and on black
_RIGHT, _WRONG = (30, 136, 204), (214, 130, 0)


def heat_map(table: ContingencyTable) -> dict[str, Any]:
    """Return what the drawing of a table needs: counts and shares of the row, or a picture."""
    k = len(table.labels)
    names = [shown(label) for label in table.labels]
    drawn: dict[str, Any] = {"k": k, "picture": "", "names": names}
    drawn |= {"confused": [], "equal": 0}
    if k >= SLANTED:
        drawn |= confused_pairs(table)
    if k > MOST_CELLS:
        return {**drawn, "picture": picture(table), "block": -(-k // MOST_TILES)}
    totals = table.reference_totals.tolist()
    cells = [
        [(count, count / total if total else 0.0) for count in row]
        for row, total in zip(table.to_dense().tolist(), totals, strict=True)
    ]
    return {**drawn, "upright": k >= SLANTED, "cells": cells}


def confused_pairs(table: ContingencyTable) -> dict[str, Any]:
    """Return the largest cells off the diagonal, or how many share the largest count.

    Of pairs that are confused equally often, more than the list has room for, none stands out.
    """
    wrong = np.flatnonzero((table.rows != table.columns) & (table.counts > 0))
    totals = table.reference_totals[table.rows[wrong]]
    order = np.lexsort((totals, -table.counts[wrong]))
    counts = table.counts[wrong][order]
    equal = int((counts == counts[0]).sum()) if len(counts) else 0
    if equal > MOST_CONFUSED:
        return {"equal": equal, "most": counts[0].item()}
    pairs = [
        {
            "reference": shown(table.labels[table.rows[cell]]),
            "prediction": shown(table.labels[table.columns[cell]]),
            "count": table.counts[cell].item(),
            "total": table.reference_totals[table.rows[cell]].item(),
        }
        for cell in wrong[order[:MOST_CONFUSED]]
    ]
    return {"confused": pairs}


def picture(table: ContingencyTable) -> str:
    """Return a table as the URL of a picture, whose tiles are stronger for larger shares.

    Levels 1 to 127 are wrong answers, 129 to 255 are right ones, which are drawn over the others.
    """
    k = len(table.labels)
    block = -(-k // MOST_TILES)
    shares = table.counts / table.reference_totals[table.rows]
    levels = 1 + np.rint(126 * shares).astype(np.uint8) + 128 * (table.rows == table.columns)
    pixels = np.zeros((-(-k // block),) * 2, np.uint8)
    np.maximum.at(pixels, (table.rows // block, table.columns // block), levels.astype(np.uint8))
    drawn = Image.fromarray(pixels)
    drawn.putpalette(_WRONG * 128 + _RIGHT * 128)
    opacities = [0, *(80 + 175 * level // 127 for level in range(1, 128))]
    file = io.BytesIO()
    drawn.save(file, "PNG", transparency=bytes(opacities * 2))
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def class_bars(table: ContingencyTable, values: Sequence[float]) -> dict[str, Any]:
    """Return the Informedness of each class, of the commonest ones if there are many."""
    both = table.reference_totals + table.prediction_totals
    codes = np.sort(np.argsort(-both, kind="stable")[:MOST_BARS]).tolist()
    bars = [{"name": shown(table.labels[code]), "value": values[code]} for code in codes]
    return {"bars": bars, "n_classes": len(both)}
