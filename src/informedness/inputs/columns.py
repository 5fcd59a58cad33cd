"""What files and data frames share: names of columns, what is wrong with data, and amounts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.labels import show
from .nested import closest, listed


class DataError(ValueError):
    """Why data cannot be read; `remedy` are the options with which it can be."""

    def __init__(self, message: str, remedy: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.remedy = dict(remedy or {})


def refuse_all(errors: Sequence[ValueError]) -> None:
    """Raise one error that says all of these; nothing if there are none."""
    if errors:
        remedy: dict[str, Any] = {}
        for error in errors:
            of_error = dict(getattr(error, "remedy", {}))
            columns = remedy.get("columns", {}) | of_error.get("columns", {})
            remedy |= of_error | ({"columns": columns} if columns else {})
        raise DataError("; ".join(dict.fromkeys(map(str, errors))), remedy)


@contextmanager
def naming(what: object) -> Iterator[None]:
    """Name a file, a line or a sample in errors about it, unless its name is empty."""
    try:
        yield
    except ValueError as error:
        said = f"{what}: {error}" if what != "" else str(error)
        raise DataError(said, getattr(error, "remedy", None)) from error


def named_columns(
    references: Any, predictions: Any, weights: Any, counts: Any, by: Any
) -> dict[str, str]:
    """Return names of columns by argument, those to slice by under "by", "by 2", "by 3"."""
    if weights is not None and counts is not None:
        raise ValueError(
            "`counts` are numbers of samples, and `weights` sums of their weights: give one of them"
        )
    columns = [*by] if isinstance(by, Sequence) and not isinstance(by, str) else [by]
    if by is not None and not columns:
        raise ValueError("`by` must name at least one column, got none")
    names = {"references": references, "predictions": predictions}
    if by is not None:
        names |= {f"by {i}" if i > 1 else "by": x for i, x in enumerate(columns, start=1)}
    names |= {x: y for x, y in (("weights", weights), ("counts", counts)) if y is not None}
    for argument, name in names.items():
        if not isinstance(name, (str, int, tuple)):
            raise ValueError(f"`{argument}` must be the name of a column, got {show(name)}")
    for amount in {"counts", "weights"} & {*names}:
        if [*names.values()].count(names[amount]) > 1:
            raise ValueError(
                f"`{amount}` must name a column of its own, got {names[amount]!r}, which holds "
                "labels, too"
            )
    return {argument: str(name) for argument, name in names.items()}


def labelled_among(names: Iterable[str]) -> list[str]:
    """Return the arguments that hold labels to score."""
    return [name for name in names if name.startswith(("references", "predictions"))]


def slices_of(columns: Mapping[str, Any]) -> Any:
    """Return the column to slice by, or if there are several, a mapping by argument."""
    found = {name: column for name, column in columns.items() if name.partition(" ")[0] == "by"}
    return found["by"] if len(found) == 1 else found


def check_columns(names: Mapping[str, str], present: Sequence[str]) -> None:
    """Raise one error about all of `names`, by argument, that are not the name of one column."""
    said, columns = [], dict[str, str]()
    for argument, name in names.items():
        if present.count(name) != 1:
            there = "occurs twice" if name in present else "does not exist"
            said.append(f"`{argument}` names column {name!r}, which {there}")
            if close := closest(name, present):
                columns[name] = close
    if said:
        known = listed(present, *names.values())
        raise DataError(f"{'; '.join(said)}; the columns are {known}", {"columns": columns})


def no_samples(n_rows: int) -> ValueError:
    """Return the error that none of so many rows is a sample to score."""
    dropped = ", of which none is left: all are ignored, null or of weight 0" if n_rows else ""
    return ValueError(f"there must be a sample to score, got {n_rows} samples{dropped}")
