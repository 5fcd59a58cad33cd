"""Errors about data and missing packages, which name the cause and the remedy."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from .messages import join, message, message_of, with_subject


@contextmanager
def optional_import(what: str, package: str) -> Iterator[None]:
    """Raise ImportError if an import in the block fails, with the cause and what to install.

    A library built for another version of numpy may be installed and fail, with any exception.
    """
    try:
        yield
    except Exception as error:
        raise ImportError(f"{what} ({error}): pip install {_packages_of(package)}") from error


def _packages_of(package: str) -> str:
    """List the packages to install; extras are expanded, as any index has their parts."""
    from importlib.metadata import PackageNotFoundError, requires  # a slow import

    name, _, extra = package.rstrip("]").partition("[")
    lines: list[str] = []
    with suppress(PackageNotFoundError):  # a Space has the package in a folder
        lines = requires(name) or [] if extra else []
    wanted = [x.split(";")[0] for x in lines if re.search(rf"extra == .{extra}.", x)]
    return " ".join(f"'{name}'" for name in wanted or [package])


class DataError(ValueError):
    """Data that cannot be read; `rows` locates the rows in a document if only that is wrong."""

    rows: str | None = None


def refuse_all(errors: Sequence[ValueError]) -> None:
    """Raise one error with all messages, unless there are no errors."""
    if errors:
        raise DataError(join({str(error): error for error in errors}.values()))


@contextmanager
def prefix_errors(what: object, *damages: type[Exception]) -> Iterator[None]:
    """Prefix errors with the name of a file, line or sample, unless the name is empty.

    `damages` are further exceptions that damaged data may raise.
    """
    named: tuple[type[Exception], ...] = (ValueError, RecursionError, *damages)
    try:
        yield
    except named as error:
        raise named_error(what, error) from error


def named_error(what: object, error: Exception) -> DataError:
    """Prefix an error with its subject; all but ValueError say that the data is damaged."""
    reason = message_of(error)
    if not isinstance(error, ValueError):
        reason = message("it is damaged: {kind} {error}", kind=type(error).__name__, error=error)
    return DataError(with_subject(what, reason))
