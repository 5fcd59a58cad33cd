"""Which columns a file has, for somebody who has not named any."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice

from .inputs.nested import leaves
from .inputs.objects import Objects
from .inputs.paths import open_whole
from .inputs.readers import columns_in, read_header

MOST_ROWS = 10_000  # that are looked at
_MOST_COLUMNS = 40


def columns_listed(
    file: str, kind: str, encoding: str | None, rows: str | None
) -> dict[str, Counter[object]]:
    """Return how often each value occurs in the first rows of each column.

    Columns of JSON are the ways to the values in its first object. Of a column with several values
    per row there is only the name.
    """
    with open_whole(file, kind, encoding) as stream:
        found = read_header(stream, kind, {}, rows)
        names = leaves(found.first) if isinstance(found, Objects) else found.header
        listed = list(islice(dict.fromkeys(names), _MOST_COLUMNS))
        times: dict[str, Counter[object]] = {}
        for name in listed:
            times[name] = Counter()
            with suppress(ValueError):
                stream.seek(0)
                one = read_header(stream, kind, {"predictions": name}, rows)
                batch = next(columns_in(one, stream, kind, {"predictions": name}, False), {})
                values = batch.get("predictions", [])[:MOST_ROWS]
                plain = values if isinstance(values, list) else values.to_pylist()
                times[name] = Counter(value for value in plain if value is not None)
    return times


def sharing(columns: Mapping[str, Counter[object]]) -> Sequence[str]:
    """Return the first columns that have labels in common, which more rows than one have."""
    are_labels = [x for x, times in columns.items() if 1 < 2 * len(times) <= sum(times.values())]
    for first in are_labels:
        alike = [x for x in are_labels if len(columns[x].keys() & columns[first].keys()) > 1]
        if len(alike) > 1:
            return alike
    return []
