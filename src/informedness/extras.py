"""What to install where an optional library is missing, said in one way."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def needing(what: str, package: str) -> Iterator[None]:
    """Raise ImportError if an import in the block fails: what needs it, the cause, what to install.

    A library built for another version of numpy may be there and yet fail, with any exception.
    """
    try:
        yield
    except Exception as error:
        raise ImportError(f"{what} ({error}): pip install {_of_an_extra(package)}") from error


def _of_an_extra(package: str) -> str:
    """Return what to install: of our extras what they consist of, which any index has."""
    from importlib.metadata import PackageNotFoundError, requires  # which takes long

    name, _, extra = package.rstrip("]").partition("[")
    lines: list[str] = []
    with suppress(PackageNotFoundError):  # in a Space, which has the package in a folder
        lines = requires(name) or [] if extra else []
    wanted = [x.split(";")[0] for x in lines if re.search(rf"extra == .{extra}.", x)]
    return " ".join(f"'{name}'" for name in wanted or [package])
