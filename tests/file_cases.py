"""What the tests of files share: the two ways to read them, which refuse alike."""

import re

import pytest

from informedness import table_from_file
from informedness.inputs.samples import read_columns

COLUMNS = {"references": "gold", "predictions": "model"}


def refused_as(path, pattern, error=ValueError, **options):
    """See that every way to read files refuses a path with the same message."""
    for read in (
        lambda: table_from_file(path, **COLUMNS, **options),
        lambda: read_columns(path, COLUMNS, **options),
    ):
        with pytest.raises(error, match=pattern):
            read()


def refused(path, message):
    """See that the message begins with the file's name."""
    refused_as(path, f"(?s)^{re.escape(str(path))}: {message}")
