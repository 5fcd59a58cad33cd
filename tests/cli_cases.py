"""What the tests of the command line share."""

import csv


def write(path, rows, names=("gold", "model")):
    """Write rows as CSV, the names of the columns first."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def refused(result, *parts):
    """See that the command ended with an error, each of these in its one line."""
    code, output, errors = result
    assert (code, output) == (2, "")
    assert errors.startswith("informedness: error: ")
    assert errors.count("\n") == 1
    for part in parts:
        assert part in errors
