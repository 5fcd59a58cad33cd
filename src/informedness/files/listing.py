"""Which columns a file has, for somebody who has not named any.

Tested in tests/test_exports.py.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from ..core.labels import NULLS
from ..errors import naming
from ..text.render import shown
from .booleans_and_decimals import labels_of_text
from .csv import DELIMITERS
from .objects import Objects, leaves
from .open import columns_in, list_files, open_whole, read_header

MOST_ROWS = 10_000  # that are looked at
_MOST_COLUMNS = 40


def columns_listed(
    path: str,
    file_format: str | None,
    encoding: str | None,
    rows: str | None,
    no_quotes: bool = False,
) -> dict[str, Counter[object]]:
    """Return how often each value occurs in the first rows of each column, None where it lacks.

    Of a folder it is the first file. Columns of JSON are the ways to the values in its first
    object. Of a column with several values per row, and of a name that several columns have, there
    is only the name.

    Raises
    ------
    ValueError
        If a file of text is damaged, or in another encoding.
    """
    file, kind = list_files(path, file_format)[0]
    nulls = NULLS if kind in DELIMITERS else ()
    header_options: dict[str, Any] = {"rows": rows, "quotes": not no_quotes}
    opened = open_whole(file, kind, encoding, quotes=not no_quotes)
    with naming(shown(file)), opened as stream:

        def counted(names: Sequence[str]) -> dict[str, Counter[object]]:
            stream.seek(0)
            columns = {f"predictions {i}": name for i, name in enumerate(names)}
            header = read_header(stream, kind, columns, **header_options)
            batch = next(columns_in(header, stream, kind, columns, False), {})
            amounts = {}
            for argument, name in columns.items():
                values = batch.get(argument, [])[:MOST_ROWS]
                plain = values if isinstance(values, list) else values.to_pylist()
                amounts[name] = Counter(None if value in nulls else value for value in plain)
            return amounts

        header = read_header(stream, kind, {}, **header_options)
        names = [*leaves(header.first)] if isinstance(header, Objects) else header.header
        times = {name: Counter[object]() for name in islice(dict.fromkeys(names), _MOST_COLUMNS)}
        single = [name for name in times if names.count(name) == 1]
        try:
            return times | (counted(single) if single else {})
        except ValueError:
            if kind in DELIMITERS:
                raise
        for name in single:
            with suppress(ValueError):  # one with several values per row
                times |= counted([name])
    return times


def labels_in(times: Counter[object]) -> set[object]:
    """Return the labels of a column if most occur more than once."""
    return {*times} - {None} if 2 * len(times) <= times.total() else set()


def outside_classes(times: Counter[object], classes: set[object]) -> set[object]:
    """Return the labels of a column that are none of the classes in any spelling, None included."""
    labels = {*times} - {None}
    are_texts = all(isinstance(x, str) for x in labels | classes)
    spellings: Any = labels_of_text([labels, classes]) if are_texts else {}  # type: ignore[list-item]
    known = {spellings.get(x, x) for x in classes}
    return {x for x in times if spellings.get(x, x) not in known}


def is_model(times: Counter[object], classes: set[object]) -> bool:
    """Return whether a column has two labels, and at least half of its filled cells these ones."""
    outside = outside_classes(times, classes) - {None}
    n_filled = times.total() - times[None]
    n_known = n_filled - sum(times[x] for x in outside)
    return len({*times} - {None}) > 1 and 2 * n_known >= n_filled > 0
