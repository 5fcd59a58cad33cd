"""Raise errors about data and missing packages that name the cause and the remedy."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .messages import join, message, message_of, with_subject


@contextmanager
def optional_import(what: str, *needed: str) -> Iterator[None]:
    """Raise ImportError if an import in the block fails, with the cause and what to install.

    Any exception counts as a failure, because a library built for another version of numpy may
    raise exceptions other than ImportError.
    """
    try:
        yield
    except Exception as error:
        raise ImportError(f"{what} ({error}): pip install {' '.join(map(repr, needed))}") from error


class DataError(ValueError):
    """Data that cannot be read; `rows` is set if reading these rows of a document would succeed."""

    rows: str | None = None


def refuse_all(errors: Sequence[ValueError]) -> None:
    """Raise one error with the messages of all errors; do nothing without errors."""
    if errors:
        raise DataError(join({str(error): error for error in errors}.values()))


@contextmanager
def prefix_errors(what: object, *damages: type[Exception]) -> Iterator[None]:
    """Prefix errors of the block with the name of a file, line or sample, if there is a name.

    `damages` are additional exception types that damaged data may raise. The message of an error
    other than ValueError says that the data is damaged.
    """
    named: tuple[type[Exception], ...] = (ValueError, RecursionError, *damages)
    try:
        yield
    except named as error:
        reason = message_of(error)
        if not isinstance(error, ValueError):
            kind = type(error).__name__
            reason = message("it is damaged: {kind} {error}", kind=kind, error=error)
        raise DataError(with_subject(what, reason)) from error
