"""How much a packed file takes once it is unpacked, as it says itself, before it is unpacked."""

import struct
import zipfile
from typing import Any, BinaryIO


def check_size(size: int, most_bytes: int) -> None:
    """Raise ValueError if a file holds more than this once it is unpacked."""
    if size > most_bytes:
        raise ValueError(f"the file must hold at most {most_bytes:,d} bytes, got {size:,d}")


def size_of_archive(stream: BinaryIO) -> int:
    """Return the bytes of all parts of a ZIP archive; it is not read further than they say."""
    if not zipfile.is_zipfile(stream):
        return 0
    with zipfile.ZipFile(stream) as archive:
        return sum(part.file_size for part in archive.infolist())


def size_of_message(message: Any) -> int:
    """Return the bytes of the buffers of a message of Arrow, each of which begins with its own.

    Raises
    ------
    ValueError
        If the message is damaged.
    """
    if message.type not in ("record batch", "dictionary"):
        return 0
    data, size = message.metadata.to_pybytes(), 0
    try:
        batch = _target(data, _field(data, _target(data, 0), 2))
        if message.type == "dictionary":
            batch = _target(data, _field(data, batch, 1))
        buffers = _target(data, _field(data, batch, 2))
        is_packed = _field(data, batch, 3) > 0
        (n_buffers,) = struct.unpack_from("<I", data, buffers)
        for i in range(n_buffers):
            start, length = struct.unpack_from("<qq", data, buffers + 4 + 16 * i)
            if is_packed and length:
                (unpacked,) = struct.unpack_from("<q", message.body, start)
                length = max(unpacked, length)  # -1: it is not packed
            size += length
    except struct.error as error:
        raise ValueError(f"a message is damaged: {error}") from error
    return size


def _field(data: bytes, table: int, number: int) -> int:
    """Return where a field of a table of FlatBuffers is, 0 if it is not there."""
    begin = table - struct.unpack_from("<i", data, table)[0]
    (size,) = struct.unpack_from("<H", data, begin)
    place = 4 + 2 * number
    offset: int = struct.unpack_from("<H", data, begin + place)[0] if place < size else 0
    return table + offset if offset else 0


def _target(data: bytes, place: int) -> int:
    """Return where the offset in this place leads to."""
    return place + int(struct.unpack_from("<I", data, place)[0])
