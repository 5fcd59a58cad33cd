"""What to install where an optional library is missing, said in one way."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needing(what: str, package: str) -> Iterator[None]:
    """Raise ImportError if an import in the block fails: what needs it, the cause, what to install.

    A library built for another version of numpy may be there and yet fail, with any exception.
    """
    try:
        yield
    except Exception as error:
        raise ImportError(f"{what} ({error}): pip install '{package}'") from error
