"""What the tests of the command line share."""

import csv


def write(path, rows, names=("gold", "model")):
    """Write rows as CSV, the names of the columns first."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def without_read(output):
    """Return the text of a result without what was read, the first block."""
    block, _, rest = output.partition("\n\n")
    assert "row" in block.splitlines()[0]
    assert block.splitlines()[1].startswith("references ")
    return rest


def refused(result, *parts):
    """See that the command ended with an error, each of these in it, and maybe a better command."""
    code, output, errors = result
    assert (code, output) == (2, "")
    first, *others = errors.splitlines()
    assert first.startswith("informedness: error: ")
    assert all(line.startswith("  informedness ") for line in others)
    for part in parts:
        assert part in errors
