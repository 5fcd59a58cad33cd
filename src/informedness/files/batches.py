"""Files in batches of rows, by argument: as they stand there, or as samples."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import DataError, prefix_errors
from ..messages import join
from ..text.render import shown
from .columns import by_argument, columns_to_read
from .delimited import DELIMITERS
from .listing import first_rows
from .objects import column_of
from .opening import columns_in, list_files, open_whole, read_header
from .samples import Samples


def read_files(path: Any, samples: Samples, **file_options: Any) -> Iterator[dict[str, Any]]:
    """Return the rows of files as `samples` reads them; the options are those of `raw_batches`."""
    return map(samples.read, raw_batches(path, samples.names, samples, **file_options))


def raw_batches(
    path: Any,
    names: Mapping[str, str],
    samples: Samples,
    *,
    file_format: str | None = None,
    encoding: str | None = None,
    rows: str | None = None,
    no_quotes: bool = False,
    most_bytes: int | None = None,
    beside: Mapping[str, str] | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield columns of files by argument as they stand there, and those `beside` that there are.

    `samples` keeps account of the files, and of what is in them. The other options are those of
    `table_from_file`; a file may hold `most_bytes` once decompressed.

    Raises
    ------
    ValueError
        If a file is damaged or lacks a column; the message names the file.
    """
    columns = columns_to_read(names)
    files = list_files(path, file_format)
    for file, kind in files:
        samples.sources.append(file)
        opened = open_whole(file, kind, encoding, most_bytes, not no_quotes)
        with prefix_errors(shown(file)), opened as stream:
            if beside:
                header = read_header(stream, kind, {}, rows, None, not no_quotes).header
                columns |= {x: name for x, name in beside.items() if column_of(name, header)}
                stream.seek(0)
            try:
                read = read_header(stream, kind, columns, rows, most_bytes, not no_quotes)
            except DataError as error:
                joins = "several files are read as one, and `on` joins two"
                raise DataError(join([error, joins][: len(files)])) from None
            samples.header += [name for name in read.header if name not in samples.header]
            if len(getattr(read, "sheets", ())) > 1:
                samples.sources[-1] += f", sheet {read.sheet}"
            samples.class_names = getattr(read, "class_names", {})
            samples.is_text, samples.is_sheet = kind in DELIMITERS, kind == "xlsx"
            options: dict[str, Any] = {"encoding": encoding, "rows": rows, "no_quotes": no_quotes}
            again = partial(_batches_of, samples.names, file, kind, options)
            samples.batches_of = again if Path(file).is_file() else None  # a pipe is read only once
            top = partial(first_rows, file, kind, **options)
            samples.first_rows = top if Path(file).is_file() else None
            for batch in columns_in(read, stream, kind, columns, samples.keep_missing):
                yield by_argument(batch)


def _batches_of(
    names: Mapping[str, str], file: str, kind: str, options: Mapping[str, Any], name: str
) -> Iterator[Any]:
    """Yield a column of a file beside those of these names, in batches."""
    columns = {**names, "other": name}
    for batch in raw_batches(file, columns, Samples(columns), file_format=kind, **options):
        yield batch["other"]
