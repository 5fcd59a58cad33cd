"""Which columns a file has, and what stands in their first rows."""

from typing import Any, NamedTuple

from ..core.labels import NULLS
from ..errors import DataError, prefix_errors
from ..text.render import several, shown
from .arrow import as_list
from .delimited import DELIMITERS
from .objects import Objects, columns_within
from .opening import columns_in, list_files, open_whole, read_header

_MOST_ROWS = 10_000  # that are looked at


class Listing(NamedTuple):
    """The first rows of columns, by name, None where a value is missing."""

    columns: dict[str, list[Any]]
    title: str  # the file, and how many rows these are
    rows: str | None  # where they are in a document


def first_rows(
    path: Any,
    file_format: str | None = None,
    encoding: str | None = None,
    rows: str | None = None,
    no_quotes: bool = False,
) -> Listing:
    """Return the first rows of a file, or of the first file of a folder.

    Nested columns are the ways to the values in any of these rows.

    Raises
    ------
    ValueError
        If the file is damaged, or in another encoding.
    """
    file, kind = list_files(path, file_format)[0]
    nulls = NULLS if kind in DELIMITERS else ()
    whole = open_whole(file, kind, encoding, quotes=not no_quotes)
    with prefix_errors(shown(file)), whole as stream:
        try:
            opened = read_header(stream, kind, {}, rows, quotes=not no_quotes)
        except DataError as error:
            if not error.rows:
                raise
            rows = error.rows
            opened = read_header(stream, kind, {}, rows)
        if isinstance(opened, Objects):
            columns, more = opened.first_columns(_MOST_ROWS + 1), None
        else:
            batches = columns_in(opened, stream, kind, {x: x for x in opened.header}, False)
            top = next(batches, {})
            columns = {name: as_list(x[: _MOST_ROWS + 1]) for name, x in top.items()}
            more = next(batches, None)
    n_rows = max(map(len, columns.values()), default=0)
    within: dict[str, list[Any]] = {}
    for name, values in columns.items():
        for way, column in columns_within(name, values[:_MOST_ROWS]).items():
            within[way] = [None if x in nulls or x != x else x for x in column]
    is_whole = n_rows <= _MOST_ROWS and more is None
    n = several(n_rows, "row") if is_whole else f"the first {min(n_rows, _MOST_ROWS):,d} rows"
    return Listing(within, f"{shown(file)}{_place(opened)}: {n}", rows)


def _place(opened: Any) -> str:
    """Return which sheet of several was opened, empty if there is one or none."""
    sheets = [x for x in getattr(opened, "sheets", ()) if x != opened.sheet]
    return f", sheet {opened.sheet} (others: {', '.join(sheets)})" if sheets else ""
