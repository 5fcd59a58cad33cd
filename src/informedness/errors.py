"""Raise errors that name the cause and the remedy, for data and for missing packages."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .messages import join, message, message_of, with_subject


@contextmanager
def optional_import(need: str, *needed: str) -> Iterator[None]:
    """Raise ImportError if an import in the block fails, and name the packages to install.

    Any exception counts as a failure, because a library built for another version of numpy may
    raise exceptions other than ImportError.
    """
    try:
        yield
    except Exception as error:
        raise ImportError(f"{need} ({error}): pip install {' '.join(map(repr, needed))}") from error


class DataError(ValueError):
    """Data cannot be read.

    If a part of a document can be read instead, `rows` is the path of this part.
    """

    rows: str | None = None


def refuse_all(errors: Sequence[ValueError]) -> None:
    """Raise one DataError with the messages of all errors, if there are errors."""
    if errors:
        raise DataError(join({str(error): error for error in errors}.values()))


@contextmanager
def prefix_errors(subject: object, *damages: type[Exception]) -> Iterator[None]:
    """Raise errors of the block as DataError, with the name of a file, line or sample as a prefix.

    An empty name is left out. `damages` are additional exception types that damaged data may raise.
    For errors other than ValueError, the message says that the data is damaged.
    """
    prefixed: tuple[type[Exception], ...] = (ValueError, RecursionError, *damages)
    try:
        yield
    except prefixed as error:
        reason = message_of(error)
        if not isinstance(error, ValueError):
            kind = type(error).__name__
            reason = message("it is damaged: {kind} {error}", kind=kind, error=error)
        raise DataError(with_subject(subject, reason)) from error
