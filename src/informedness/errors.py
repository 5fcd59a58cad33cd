"""Errors that say what to do: about data, about a missing package, and by which name."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from .messages import join, message, message_of, with_subject


@contextmanager
def optional_import(what: str, package: str) -> Iterator[None]:
    """Raise ImportError if an import in the block fails: what needs it, the cause, what to install.

    A library built for another version of numpy may be there and yet fail, with any exception.
    """
    try:
        yield
    except Exception as error:
        raise ImportError(f"{what} ({error}): pip install {_packages_of(package)}") from error


def _packages_of(package: str) -> str:
    """List what to install: for our extras what they consist of, which any index has."""
    from importlib.metadata import PackageNotFoundError, requires  # which takes long

    name, _, extra = package.rstrip("]").partition("[")
    lines: list[str] = []
    with suppress(PackageNotFoundError):  # in a Space, which has the package in a folder
        lines = requires(name) or [] if extra else []
    wanted = [x.split(";")[0] for x in lines if re.search(rf"extra == .{extra}.", x)]
    return " ".join(f"'{name}'" for name in wanted or [package])


class DataError(ValueError):
    """Why data cannot be read, and where rows are in a document, if that is all that is wrong."""

    rows: str | None = None


def refuse_all(errors: Sequence[ValueError]) -> None:
    """Raise one error that says all of these; nothing if there are none."""
    if errors:
        raise DataError(join({str(error): error for error in errors}.values()))


@contextmanager
def prefix_errors(what: object, *damages: type[Exception]) -> Iterator[None]:
    """Name a file, a line or a sample in errors about it, unless its name is empty.

    `damages` are other errors that it may raise if it is damaged.
    """
    named: tuple[type[Exception], ...] = (ValueError, RecursionError, *damages)
    try:
        yield
    except named as error:
        raise named_error(what, error) from error


def named_error(what: object, error: Exception) -> DataError:
    """Name what an error is about; errors of other kinds than ours say that it is damaged."""
    reason = message_of(error)
    if not isinstance(error, ValueError):
        kind = type(error).__name__
        reason = message("it is damaged: {kind} {error}", kind=kind, error=error)
    return DataError(with_subject(what, reason))
