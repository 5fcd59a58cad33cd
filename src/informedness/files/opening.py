"""Find the files of a data set, and open each as a seekable stream, with text in UTF-8."""

import codecs
import gzip
import json
import lzma
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from ..core.labels import check_choice, show, warn
from ..errors import optional_import, prefix_errors
from ..messages import message, with_subject
from ..tables.matrix import rewrite_as_csv
from ..text.render import shown

DELIMITERS = {"csv": ",", "tsv": "\t"}
_FORMAT_NAMES = "arrow", "csv", "json", "jsonl", "parquet", "tsv", "xlsx"
# The format of each file extension
FORMATS = {f".{name}": name for name in _FORMAT_NAMES}
FORMATS |= {".feather": "arrow", ".ipc": "arrow", ".ndjson": "jsonl", ".xlsm": "xlsx"}
# The reader of CSV says how to convert ARFF.
FORMATS |= {".conll": "tsv", ".arff": "csv"}

# Compressions by magic number
_COMPRESSIONS = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zst"}
# Encodings by byte order mark. UTF-32 is first, because its mark starts with that of UTF-16.
_ENCODINGS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32"}
_ENCODINGS |= {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_N_BYTES = 1 << 20  # bytes read, decompressed or decoded at a time, except from xz files
_HIDDEN = (".", "_", "~$")  # prefixes of names; "~$" is for lock files of Excel
# Names of files without data: README, LICENSE and CITATION, unless they have the extension of a
# format, and metadata of `datasets`
_TEXT_NAMES = rf"(README|LICENSE|CITATION)(?!({'|'.join(map(re.escape, FORMATS))})$)(\.\w+)?"
_NO_DATA = re.compile(rf"{_TEXT_NAMES}|(dataset_infos?|state)\.json", re.IGNORECASE)


def list_files(path: Any, file_format: str | None) -> list[tuple[str, str]]:
    """List each file of a data set and its format; `path` is one path or several.

    Raises
    ------
    ValueError
        If there is no file, a path is invalid, a file is listed twice, or a format is unknown. If a
        folder has files of several formats, and `file_format` is None. If a folder has links to
        folders, broken links or pipes, other than hidden ones, or lacks a file that its state.json
        lists.
    FileNotFoundError
        If a path does not exist.
    """
    check_choice("file_format", file_format, (None, *_FORMAT_NAMES))
    files: list[tuple[str, str]] = []
    for entry in paths_of(path):
        parts = _list_data_files(Path(entry)) if Path(entry).is_dir() else [Path(entry)]
        formats = [file_format or _format_of(part) for part in parts]
        if len({*formats}) > 1:
            kinds = ", ".join(sorted({*formats}))
            rule = f"the files in a folder must have one format, got {kinds}: list each file"
            raise ValueError(with_subject(shown(entry), rule))
        files += zip(map(str, parts), formats, strict=True)
    if not files:
        raise ValueError("`path` must name at least one file, got none")
    listed_files: dict[Any, str] = {}
    for file, _ in files:
        identity = file if file == "-" else Path(file).stat()[1:3]  # inode and device
        if identity in listed_files:
            text = "{file}: each file must be listed once; the same file is listed as {same}"
            raise ValueError(message(text, file=shown(file), same=shown(listed_files[identity])))
        listed_files[identity] = file
    return files


def paths_of(path: Any) -> list[Any]:
    """Convert one path or several paths to a list, and check that they exist.

    The path "-", standard input, always exists.

    Raises
    ------
    ValueError
        If a path is empty, or neither text nor `PathLike`.
    FileNotFoundError
        If a path does not exist.
    """
    are_several = isinstance(path, Iterable) and not isinstance(path, (str, bytes, PathLike))
    paths = list(path) if are_several else [path]
    for entry in paths:
        if not isinstance(entry, (str, PathLike)) or not str(entry):
            raise ValueError(f"`path` must be a path or a sequence of paths, got {show(entry)}")
        if str(entry) != "-":
            Path(entry).stat()  # raises an error if the path does not exist
    return paths


def _list_data_files(folder: Path) -> list[Path]:
    """List the data files in a folder and its subfolders.

    Warn of hidden files and folders, and of files without data, which are left out. Files that are
    not in the list of a state.json are left out without a warning.
    """
    paths = sorted(_walk(folder))
    left_out = [x for x in paths if x.name.startswith(_HIDDEN) or _NO_DATA.fullmatch(x.name)]
    parts = [path for path in paths if path not in left_out]
    for part in parts:
        if not part.is_file():
            rule = "a folder must not hold links to folders, broken links or pipes"
            raise ValueError(with_subject(shown(part), f"{rule}: list the files to read"))
    if not parts:
        rule = "the folder must hold at least one data file; hidden files and a README do not count"
        raise ValueError(with_subject(shown(folder), rule))
    if left_out:
        names = ", ".join(shown(path.relative_to(folder)) for path in left_out[:3])
        text = "{folder}: left out hidden entries and files without data, such as {names}"
        warn(message(text, folder=shown(folder), names=names))
    return parts


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its subfolders, as `_select_listed_files` selects them.

    Hidden folders and links to folders are yielded, but not searched.
    """

    def fail(error: OSError) -> None:
        raise error

    for parent, folders, files in os.walk(folder, onerror=fail):
        skipped = {x for x in folders if x.startswith(_HIDDEN) or Path(parent, x).is_symlink()}
        for name in (*_select_listed_files(files, parent), *skipped):
            yield Path(parent, name)
        folders[:] = {*folders} - skipped


def _select_listed_files(files: list[str], folder: str) -> list[str]:
    """Select the files that `datasets` lists in state.json; without this list, select all files.

    Folders that `datasets` writes may also hold caches, which are not listed.
    """
    if "state.json" not in files:
        return files
    path = Path(folder, "state.json")
    with prefix_errors(shown(path)):
        state = json.loads(path.read_text("utf-8"))
        try:
            names = [str(entry["filename"]) for entry in state["_data_files"]]
        except (KeyError, TypeError):  # another program wrote state.json
            return files
        if missing := {*names} - {*files}:
            rule = f"each listed file must be in the same folder; {show(min(missing))} is missing"
            raise ValueError(f"{rule}. Copy the whole folder again.")
        return names


def guess_format(path: Path) -> str | None:
    """Guess the format from the name of a file; None if its extension is unknown."""
    is_compressed = path.suffix.lower().removeprefix(".") in _COMPRESSIONS.values()
    return FORMATS.get((path.with_suffix("") if is_compressed else path).suffix.lower())


def _format_of(path: Path) -> str:
    """Get the format of a file from its name, or raise ValueError; .txt files are read as CSV."""
    file_format = guess_format(path) or ("csv" if path.suffix.lower() == ".txt" else None)
    if file_format is None:
        rule = f"the format must be one of {_FORMAT_NAMES}, and the file name does not say which"
        remedies = "Pass the format as `file_format`, or save the data as CSV or Parquet."
        raise ValueError(with_subject(shown(path), f"{rule}. {remedies}"))
    return file_format


@contextmanager
def open_whole(
    path: str,
    file_format: str | None = None,
    encoding: str | None = None,
    max_bytes: int | None = None,
    has_quotes: bool = True,
) -> Iterator[BinaryIO]:
    """Open a file as a seekable stream of bytes.

    Standard input, pipes and converted files are copied to a temporary file. Compressed files
    (gz, bz2, xz, zst) are decompressed. Text in `encoding`, or in the encoding of its byte order
    mark, is converted to UTF-8. With the `file_format` "csv" or "tsv", a table in Markdown or
    aligned with spaces is converted to CSV. Without `has_quotes`, quotes in the table are ordinary
    characters.

    Raises
    ------
    ValueError
        If `encoding` is passed for a binary format. If the text is not in `encoding`, or not in the
        encoding of its byte order mark. If the file is a ZIP archive and `file_format` is not
        "xlsx". If a compressed file is damaged, or holds more than `max_bytes` once decompressed.
        If standard input is closed. If `rewrite_as_csv` raises an error.
    ImportError
        If a bz2 or zst file needs pyarrow, which is missing.
    """
    if encoding is not None and file_format in ("arrow", "parquet", "xlsx"):
        raise ValueError(f"`encoding` is for text formats, not for {file_format}: leave it out")
    with ExitStack() as stack:
        stream = stack.enter_context(_open_seekable(path))
        # some files are compressed twice
        while compression := _name_of_mark(stream, _COMPRESSIONS):
            pieces = _decompressed_pieces(stream, compression)
            stream = stack.enter_context(_copy(pieces, max_bytes))
        if file_format != "xlsx" and _name_of_mark(stream, {b"PK\x03\x04": "zip"}):
            remedies = 'Unpack it. For an Excel file, pass file_format="xlsx".'
            raise ValueError(f"the file is a ZIP archive. {remedies}")
        if encoding := encoding or _name_of_mark(stream, _ENCODINGS):
            stream = stack.enter_context(_copy(_utf8_pieces(stream, encoding)))
        lines = rewrite_as_csv(stream, has_quotes) if file_format in DELIMITERS else None
        yield stream if lines is None else stack.enter_context(_copy(lines))


@contextmanager
def _open_seekable(path: str) -> Iterator[Any]:
    """Open a file; copy standard input, and files that cannot seek, to a temporary file."""
    if path == "-" and sys.stdin is None:
        raise ValueError("standard input is closed: pass the path of a file")
    with nullcontext(sys.stdin.buffer) if path == "-" else Path(path).open("rb") as stream:
        can_seek = path != "-" and stream.seekable()
        with nullcontext(stream) if can_seek else _copy(_pieces(stream)) as seekable:
            yield seekable


def _name_of_mark(stream: BinaryIO, names: Mapping[bytes, str]) -> str | None:
    """Find the name of the magic number or byte order mark of a stream; None if nothing matches.

    The stream is set back to its start.
    """
    start = stream.read(max(map(len, names)))
    stream.seek(0)
    return next((name for mark, name in names.items() if start.startswith(mark)), None)


def _pieces(stream: Any) -> Iterator[bytes]:
    """Read a stream in pieces of at most `_N_BYTES` bytes."""
    return iter(partial(stream.read, _N_BYTES), b"")


def check_size(size: int, max_bytes: int | None) -> None:
    """Raise ValueError if `size` exceeds `max_bytes`; None means no limit.

    The message does not have the size, because a file may be unpacked only in part.
    """
    if max_bytes is not None and size > max_bytes:
        raise ValueError(f"the file must hold at most {max_bytes:,d} bytes unpacked, got more")


@contextmanager
def _copy(pieces: Iterable[bytes], max_bytes: int | None = None) -> Iterator[Any]:
    """Copy pieces to a temporary file; raise ValueError if they exceed `max_bytes` in total."""
    from tempfile import TemporaryFile  # slow import

    with TemporaryFile() as copy:
        for piece in pieces:
            copy.write(piece)
            check_size(copy.tell(), max_bytes)
        copy.seek(0)
        yield copy


def _utf8_pieces(stream: BinaryIO, encoding: str) -> Iterator[bytes]:
    """Decode the text of a stream, and yield it in UTF-8."""
    try:
        yield from map(str.encode, codecs.iterdecode(_pieces(stream), encoding))
    except (LookupError, TypeError, ValueError) as error:
        text = "the file is not text in {encoding!r}: {error}. Pass its encoding as `encoding`"
        raise ValueError(message(text, encoding=encoding, error=error)) from error


def _decompressed_pieces(stream: BinaryIO, compression: str) -> Iterator[bytes]:
    """Decompress all concatenated streams in a file."""
    try:
        if compression == "xz":
            yield from _xz_pieces(stream)
        elif compression == "gz":
            yield from _pieces(gzip.GzipFile(fileobj=stream))
        else:
            with optional_import(f"reading {compression} files needs pyarrow", "pyarrow>=20"):
                import pyarrow
            file, name = pyarrow.PythonFile(stream, mode="r"), compression.replace("zst", "zstd")
            yield from _pieces(pyarrow.CompressedInputStream(file, name))
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise ValueError(f"the file cannot be decompressed ({compression}): {error}") from error


def _xz_pieces(stream: BinaryIO) -> Iterator[bytes]:
    """Decompress concatenated xz streams; `lzma.open` ignores streams after a damaged header."""
    decompressor = lzma.LZMADecompressor()
    for piece in iter(partial(stream.read, 1 << 10), b""):  # 1 kB can be 7 MB once decompressed
        while piece:
            if decompressor.eof:
                decompressor = lzma.LZMADecompressor()
            yield decompressor.decompress(piece)
            piece = decompressor.unused_data
    if not decompressor.eof:
        raise EOFError("the file is cut off")


def why_not_utf8(lines: Iterable[bytes], first_number: int = 1) -> str:
    """Describe the first line that is not text in UTF-8 or contains NUL; "" without such a line.

    The first of the `lines` has the number `first_number`.
    """
    for number, line in enumerate(lines, start=first_number):
        text = line.decode(errors="surrogateescape")
        if match := re.search("[\0\udc80-\udcff]", text):
            excerpt = text[max(match.start() - 10, 0) : match.start() + 10]
            got = excerpt.encode(errors="surrogateescape")
            rule = f"line {number} is not text in UTF-8, at {got!r}: pass the file's encoding"
            return f"{rule} as `encoding`, such as 'cp1252' or 'utf-16-le'"
    return ""
