"""File formats: each file is opened once, and read in batches of rows that fit into memory."""

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from ..extras import needing
from .arrow import Arrow, Parquet, columns_of
from .delimited import DELIMITERS, Delimited, said_of_row
from .objects import Objects
from .paths import why_not_utf8
from .unpacked import check_size, size_of_archive


def read_header(
    stream: BinaryIO,
    kind: str,
    names: Mapping[str, str],
    rows: str | None = None,
    most_bytes: int | None = None,
) -> Any:
    """Return a file of which the header is read: a Parquet, Arrow, Delimited or Objects.

    Raises
    ------
    ValueError
        If the file is damaged, lacks one of the columns `names`, by argument, or says that it holds
        more than `most_bytes` once unpacked.
    """
    if kind == "xlsx" and most_bytes is not None:
        check_size(size_of_archive(stream), most_bytes)
    if kind in ("json", "jsonl", "xlsx"):
        return Objects(stream, kind, names, rows)
    if rows is not None:
        raise ValueError(f"`rows` is for JSON, and this file is {kind}: leave it out")
    with explained(stream, kind):
        if kind in DELIMITERS:
            return Delimited(stream, kind, names)
        packed = (Parquet if kind == "parquet" else Arrow)(stream, names)
        if most_bytes is not None:
            check_size(packed.n_bytes, most_bytes)
        return packed


def columns_in(
    file: Any, stream: BinaryIO, kind: str, names: Mapping[str, str], keep_empty: bool
) -> Iterator[dict[str, Any]]:
    """Yield columns by argument in batches of rows, as arrays of Arrow or lists.

    Empty cells of text are nulls unless they are to be kept.
    """
    if isinstance(file, Objects):
        yield from file.batches(keep_empty and kind == "xlsx")
        return
    with explained(stream, kind):
        yield from columns_of(file.batches(keep_empty), names)


@contextmanager
def explained(stream: BinaryIO, kind: str) -> Iterator[None]:
    """Turn the errors of pyarrow and others into ValueError."""
    with needing("reading files other than JSON lines needs pyarrow", "informedness[cli]"):
        import pyarrow
    try:
        yield
    except (pyarrow.ArrowException, csv.Error, OSError, UnicodeError, MemoryError) as error:
        what = str(error) or "it asks for more memory than there is"
        if "UTF8" in what and kind in DELIMITERS:
            stream.seek(0)
            what = why_not_utf8(stream) or what
        what = said_of_row(what) or what
        raise ValueError(f"not readable as {kind}: {what}") from error
