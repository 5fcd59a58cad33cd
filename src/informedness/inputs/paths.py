"""Which files a data set consists of; each is opened once and read as it is."""

import bz2
import codecs
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from ..core.labels import check_choice, show, warn
from ..extras import needing

FORMATS = {
    ".arrow": "arrow",
    ".csv": "csv",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".tsv": "tsv",
    ".xlsm": "xlsx",
    ".xlsx": "xlsx",
}

_COMPRESSIONS = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_ZIP, _XLS = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_BYTE_ORDER_MARKS = {  # that of UTF-32 begins with that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BETWEEN_WORDS = re.compile(rb'[\s,;|"]')
# Encodings of text without a mark, in which a word is shown that is not in UTF-8.
_ENCODINGS = ("cp1252", "cp1250", "cp1251", "cp932", "gb18030", "big5", "cp949")
_LOST = "\ufffd"  # in place of bytes that are none of an encoding
_PIECE = 1 << 20  # bytes read, decompressed or decoded at a time
_HIDDEN = (".", "_", "~$")  # the last is that of a book which is open in Excel
# Files beside the data in a folder: texts about it, unless their ending says that they are data,
# and what `datasets` writes.
_TEXTS = re.compile(r"(README|LICENSE|CITATION)(\.\w+)?", re.I)
_INFOS = ("dataset_info.json", "dataset_infos.json", "state.json")
_URL = re.compile(r"[a-zA-Z][\w+.-]+:/")  # of two letters or more: "C:/" is a drive


def list_files(path: Any, file_format: str | None) -> list[tuple[str, str]]:
    """Return each file of a data set and its format; `path` is one path or several.

    Raises
    ------
    ValueError
        If there is no file, a file is listed twice, a format is unknown, or a folder has files of
        several formats or something that is not a file.
    """
    check_choice("file_format", file_format, (None, *sorted(set(FORMATS.values()))))
    files: list[tuple[str, str]] = []
    for one in paths_of(path):
        parts = _parts(Path(one)) if Path(one).is_dir() else [Path(one)]
        found = [(str(part), file_format or _format(part)) for part in parts]
        kinds = sorted({kind for _, kind in found})
        if len(kinds) > 1:
            raise ValueError(
                f"{one}: the files of a folder must have one format, got {', '.join(kinds)}: "
                "list the files to read"
            )
        files += found
    if not files:
        raise ValueError("`path` must name at least one file, got none")
    _check_once([file for file, _ in files])
    return files


def paths_of(path: Any) -> list[Any]:
    """Return one path or several as a list."""
    several = isinstance(path, Iterable) and not isinstance(path, (str, bytes, PathLike))
    paths = list(path) if several else [path]
    for one in paths:
        if not isinstance(one, (str, PathLike)):
            raise ValueError(f"`path` must be a path or a sequence of paths, got {show(one)}")
        if _URL.match(str(one)) and not Path(one).exists():
            raise ValueError(
                f"{one}: `path` must name files on this machine: download it first, or open it as "
                "a data frame (pandas, polars, DuckDB) for table_from_frame"
            )
    for one in paths:
        _check_there(one)
    return paths


def _check_there(path: Any) -> None:
    if str(path) != "-" and not Path(path).exists():
        help_ = ": name the files themselves" if set("*?[") & set(str(path)) else ""
        raise FileNotFoundError(f"{path}: there is no such file or folder{help_}")


def _parts(folder: Path) -> list[Path]:
    """Return the files of data in a folder and its folders, and warn of what is left out."""

    def unreadable(error: OSError) -> None:
        raise error

    parts: list[Path] = []
    left_out: list[Path] = []
    for place, folders, files in os.walk(folder, onerror=unreadable):
        left_out += [Path(place, name) for name in folders if name.startswith(_HIDDEN)]
        folders[:] = [name for name in folders if not name.startswith(_HIDDEN)]
        for part in (Path(place, name) for name in files):
            (left_out if _is_beside(part) else parts).append(part)
        for name in folders:
            if Path(place, name).is_symlink():  # it may lead back to where we are
                raise ValueError(
                    f"{Path(place, name)}: a folder of parts must not hold a link to a folder: "
                    "pass the folder it leads to as a path of its own"
                )
    for part in parts:
        if not part.is_file():
            kind = "a broken link" if part.is_symlink() else "a pipe or device"
            raise ValueError(f"{part}: a folder of parts must hold files, got {kind}")
    if not parts:
        raise ValueError(f"{folder}: the folder must hold files of predictions, got none")
    if left_out:
        names = ", ".join(str(path.relative_to(folder)) for path in sorted(left_out)[:3])
        more = f" and {len(left_out) - 3} more" if len(left_out) > 3 else ""
        warn(f"{folder}: left out hidden files and files without data ({names}{more})")
    return sorted(parts)


def _is_beside(part: Path) -> bool:
    """Return whether a file in a folder cannot be data, whatever else is there."""
    if part.name.startswith(_HIDDEN) or part.name in _INFOS:
        return True
    return _TEXTS.fullmatch(part.name) is not None and named_format(part) is None


def named_format(path: Path) -> str | None:
    """Return the format that the name of a file says, None if it says none."""
    is_compressed = path.suffix.lower().removeprefix(".") in _COMPRESSIONS.values()
    return FORMATS.get((path.with_suffix("") if is_compressed else path).suffix.lower())


def _format(path: Path) -> str:
    file_format = named_format(path) or ("csv" if path.suffix.lower() == ".txt" else None)
    if file_format is None:
        raise ValueError(
            f"{path}: the format must be one of {sorted(set(FORMATS.values()))}, and the file name "
            "does not say which: give it as file_format="
        )
    return file_format


def _check_once(files: list[str]) -> None:
    """Raise ValueError if a file is listed twice, under one name or two."""
    names: dict[Any, str] = {}
    for file in files:
        status = None if file == "-" else Path(file).stat()
        identity = status and (status.st_dev, status.st_ino)
        if identity in names:
            raise ValueError(
                f"{file}: a data set must list each file once, got the same as {names[identity]}"
            )
        names[identity] = file


@contextmanager
def open_whole(
    path: str,
    *,
    encoding: str | None = None,
    is_archive: bool = False,
    most_bytes: int | None = None,
) -> Iterator[BinaryIO]:
    """Open a file for reading in any order, and check that it does not change until it is closed.

    A compressed file (gz, bz2, xz, zst) is decompressed into a temporary file first, and text in
    this encoding, or in one that a mark shows, becomes UTF-8 in one; standard input is copied into
    one. Only a format that is one itself may be a ZIP archive.

    Raises
    ------
    ValueError
        If the file is a ZIP archive, is damaged, is not in the encoding, holds more than
        `most_bytes` once decompressed, or changes in size while it is read.
    """
    with ExitStack() as stack:
        if path == "-":
            stream = stack.enter_context(_copied(_pieces(sys.stdin.buffer)))
        else:
            _check_there(path)
            stream = stack.enter_context(Path(path).open("rb"))
        size = os.fstat(stream.fileno()).st_size
        with _decompressed(stream, is_archive, most_bytes) as plain, _utf8(plain, encoding) as text:
            yield text
        left = os.fstat(stream.fileno()).st_size
        if left != size:
            raise ValueError(
                f"the file must not change while it is read, got {size} bytes at first and {left} "
                "at the end"
            )


def _pieces(stream: Any) -> Iterator[bytes]:
    return iter(partial(stream.read, _PIECE), b"")


def _copied(pieces: Iterable[bytes], most_bytes: int | None = None) -> Any:
    """Copy what can only be read once into a temporary file."""
    from tempfile import TemporaryFile  # which takes long

    copy = TemporaryFile()  # noqa: SIM115 the caller closes it
    for piece in pieces:
        copy.write(piece)
        if most_bytes is not None and copy.tell() > most_bytes:
            copy.close()
            raise ValueError(f"the file must hold at most {most_bytes:,d} bytes, got more")
    copy.seek(0)
    return copy


def check_encoding(encoding: Any) -> None:
    """Raise ValueError unless this is an encoding of text that Python knows, or None."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, TypeError, ValueError) as error:
        raise ValueError(
            f"`encoding` must be one that Python knows, such as 'cp1252', got {show(encoding)}"
        ) from error


@contextmanager
def _utf8(stream: BinaryIO, encoding: str | None) -> Iterator[BinaryIO]:
    """Give the stream itself, or a file with its text in UTF-8 if it has another encoding."""
    start = stream.read(4)
    stream.seek(0)
    marks = (name for mark, name in _BYTE_ORDER_MARKS.items() if start.startswith(mark))
    encoding = encoding or next(marks, None)
    if encoding is None:
        yield stream
        return
    text = io.TextIOWrapper(stream, encoding=encoding, newline="")
    from tempfile import TemporaryFile

    with TemporaryFile() as copy:
        try:
            while piece := text.read(_PIECE):
                copy.write(piece.encode())
        except UnicodeError as error:
            raise ValueError(f"the file is not in the encoding {encoding}: {error}") from error
        finally:
            text.detach()
        copy.seek(0)
        yield copy


def why_not_utf8(lines: Iterable[bytes], first: int = 1) -> str:
    """Return what to say of lines of text that are not in UTF-8; empty if they are.

    What a word is in other encodings shows a reader which one is right.
    """
    for number, line in enumerate(lines, start=first):
        if b"\0\0" in line:
            return f"line {number} holds bytes that are no text: the file has another format"
        if b"\0" in line:
            likely = "utf-16-be" if line.startswith(b"\0") else "utf-16-le"
            return (
                f"line {number} holds a character of code 0, as in UTF-16 without a mark: give "
                f"{likely!r} as encoding="
            )
        try:
            line.decode()
        except UnicodeDecodeError as error:
            sides = line[: error.start], line[error.start :]
            before, after = (_BETWEEN_WORDS.split(side) for side in sides)
            word = before[-1] + after[0]
            # to the first encoding in which it reads so, in their order
            readings = {word.decode(name, "replace"): name for name in reversed(_ENCODINGS)}
            are_texts = [(x, y) for x, y in readings.items() if x.isprintable() and _LOST not in x]
            shown = [f"{text!r} in {name}" for text, name in reversed(are_texts)]
            would = f" ({word!r} would be {', '.join(shown)})" if shown else ""
            return f"line {number} is not in UTF-8{would}: give the right one as encoding="
    return ""


@contextmanager
def _decompressed(stream: BinaryIO, is_archive: bool, most_bytes: int | None) -> Iterator[BinaryIO]:
    """Give the stream itself, or a file with its decompressed content."""
    start = stream.read(max(map(len, _COMPRESSIONS)))
    stream.seek(0)
    if start.startswith(_ZIP) and not is_archive:
        raise ValueError(
            "the file is a ZIP archive, which may hold several files: unpack it, and name the "
            "files to read; an Excel file needs the ending .xlsx"
        )
    if start.startswith(_XLS):
        raise ValueError("the file is of Excel before 2007 (.xls): save it as .xlsx or CSV")
    name = next((name for mark, name in _COMPRESSIONS.items() if start.startswith(mark)), None)
    if name is None:
        yield stream
        return
    openers: dict[str, Callable[[BinaryIO], Iterator[bytes]]] = {
        "gz": lambda stream: _pieces(gzip.GzipFile(fileobj=stream)),
        "bz2": partial(_of_streams, new=bz2.BZ2Decompressor),
        "xz": partial(_of_streams, new=lzma.LZMADecompressor),
        "zst": lambda stream: _pieces(_open_zst(stream)),
    }
    try:
        plain = _copied(openers[name](stream), most_bytes)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise ValueError(f"the file cannot be decompressed ({name}): {error}") from error
    with plain, _decompressed(plain, is_archive, most_bytes) as inner:  # some are compressed twice
        yield inner


def _of_streams(stream: BinaryIO, new: Callable[[], Any]) -> Iterator[bytes]:
    """Yield what is in one or several bz2 or xz streams, to the end of the file.

    `bz2.open` and `lzma.open` pass over what is damaged from the second header on.
    """
    one, compressed = new(), b""
    while True:
        if one.eof:
            compressed = one.unused_data.lstrip(b"\0")  # which may stand between two
            while not compressed and (more := stream.read(_PIECE)):
                compressed = more.lstrip(b"\0")
            if not compressed:
                return
            one = new()
        elif one.needs_input:
            compressed = stream.read(_PIECE)
            if not compressed:
                raise EOFError("the file is cut off")
        yield one.decompress(compressed, _PIECE)
        compressed = b""


def _open_zst(stream: BinaryIO) -> Any:
    with needing("reading zst files needs pyarrow", "informedness[cli]"):
        import pyarrow
    again = os.fdopen(os.dup(stream.fileno()), "rb")  # because pyarrow closes what it has read
    again.seek(0)
    return pyarrow.CompressedInputStream(pyarrow.PythonFile(again, mode="r"), "zstd")
