"""Which columns a file has, for somebody who has not named any."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice

from .core.labels import NULLS
from .inputs.csv import DELIMITERS
from .inputs.objects import Objects, leaves
from .inputs.open import columns_in, open_whole, read_header

MOST_ROWS = 10_000  # that are looked at
_MOST_COLUMNS = 40


def columns_listed(
    file: str, kind: str, encoding: str | None, rows: str | None
) -> dict[str, Counter[object]]:
    """Return how often each value occurs in the first rows of each column, None where it lacks.

    Columns of JSON are the ways to the values in its first object. Of a column with several values
    per row, and of a name that several columns have, there is only the name.

    Raises
    ------
    ValueError
        If a file of text is damaged, or in another encoding.
    """
    nulls = NULLS if kind in DELIMITERS else ()
    with open_whole(file, kind, encoding) as stream:

        def counted(names: Sequence[str]) -> dict[str, Counter[object]]:
            stream.seek(0)
            columns = {f"predictions {i}": name for i, name in enumerate(names)}
            one = read_header(stream, kind, columns, rows)
            batch = next(columns_in(one, stream, kind, columns, False), {})
            read = (batch.get(x, [])[:MOST_ROWS] for x in columns)
            plain = (x if isinstance(x, list) else x.to_pylist() for x in read)
            values = ((None if value in nulls else value for value in some) for some in plain)
            return dict(zip(names, map(Counter, values), strict=True))

        found = read_header(stream, kind, {}, rows)
        names = [*leaves(found.first)] if isinstance(found, Objects) else found.header
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


def sharing(columns: Mapping[str, Counter[object]]) -> list[str]:
    """Return the first columns with several labels in common, then those that hold one of these.

    More rows than one have a label.
    """
    found = {
        name: {str(x).removesuffix(".0") if isinstance(x, str) else x for x in times}
        for name, times in columns.items()
        if 1 < 2 * len(times) <= sum(times.values())
    }
    several = {x: labels for x, labels in found.items() if len(labels) > 1}
    groups = [[x for x in several if len(several[x] & own) > 1] for own in several.values()]
    alike = next((x for x in groups if len(x) > 1), [*several][:1])
    alike += [x for x in found if x not in several and any(found[x] <= several[y] for y in alike)]
    return alike if len(alike) > 1 else []
