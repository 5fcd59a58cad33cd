"""Raise errors for data that cannot be read, and for missing packages."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .messages import join, message, message_of, with_subject


@contextmanager
def optional_import(need: str, *names: str) -> Iterator[None]:
    """Raise ImportError if an import in the block fails, and name the packages to install.

    The message begins with `need`, as in "plots need matplotlib", and ends with the names of
    the packages. Any exception counts as a failure, because a library built for another version of
    numpy may raise exceptions other than ImportError.
    """
    try:
        yield
    except Exception as error:
        raise ImportError(f"{need} ({error}): pip install {' '.join(map(repr, names))}") from error


class DataError(ValueError):
    """Data cannot be read.

    If exactly one part of a document can be read instead, `rows` is the path of this part.
    """

    rows: str | None = None


def refuse_all(errors: Sequence[ValueError]) -> None:
    """Raise one DataError with the distinct messages of all errors, if there are errors."""
    if errors:
        raise DataError(join({str(error): error for error in errors}.values()))


@contextmanager
def prefix_errors(subject: object, *error_types: type[Exception]) -> Iterator[None]:
    """Raise a ValueError of the block as DataError, with a subject, such as a file, as a prefix.

    RecursionError and `error_types`, which damaged data may raise, become DataError, too. For them,
    unless they are ValueErrors, the message says that the data is damaged. An empty subject is left
    out.
    """
    caught_types: tuple[type[Exception], ...] = (ValueError, RecursionError, *error_types)
    try:
        yield
    except caught_types as error:
        reason = message_of(error)
        if not isinstance(error, ValueError):
            kind = type(error).__name__
            reason = message("it is damaged: {kind} {error}", kind=kind, error=error)
        raise DataError(with_subject(subject, reason)) from error
