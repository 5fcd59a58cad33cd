"""What a report says of tables of many shapes: `sentences.txt` holds it, to be read line by line.

`python tests/results/test_sentences.py` writes the file anew. Nothing in it may be refuted by a
model that fits its table.

Covers src: results/summary.py.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from informedness import ContingencyTable
from informedness.results.report import Report
from informedness.tables.label_warnings import warn_of_table
from informedness.warnings import InformednessWarning

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
AT_95 = {"confidence_level": 0.95}
GOLDEN = Path(__file__).parent / "sentences.txt"


def of_ability(k, n, share, seed=0):
    """Return a table of a model that knows a share of the answers and guesses the rest."""
    rng = np.random.default_rng(seed)
    references = rng.integers(0, k, n)
    knows = rng.random(n) < share
    predictions = np.where(knows, references, rng.integers(0, k, n))
    return ContingencyTable.from_labels(references=references, predictions=predictions)


def tables():
    """Return the tables by name; some warn as they are made."""
    of, of_labels = ContingencyTable.from_matrix, ContingencyTable.from_labels
    return {
        "a good filter of spam": of([[84, 6], [2, 8]], labels=["ham", "spam"]),
        "always the common class": of([[90, 0], [10, 0]], labels=["ham", "spam"]),
        "all right": of([[60, 0], [0, 40]]),
        "all right but one of 10,000": of([[6000, 0], [1, 3999]]),
        "all wrong, two classes": of([[0, 50], [50, 0]]),
        "all wrong by rotation, three classes": of([[0, 30, 0], [0, 0, 30], [30, 0, 0]]),
        "twelve samples, ten right": of([[5, 1], [1, 5]]),
        "twelve samples, eight right": of([[4, 2], [2, 4]]),
        "one sample": of([[1, 0], [0, 0]]),
        "two samples": of([[1, 0], [0, 1]]),
        "references of one class": of([[7, 3], [0, 0]]),
        "ten classes, two answers": of(np.kron(np.eye(2, dtype=int), [[100, 0, 0, 0, 0]] * 5)),
        "knows three classes unevenly": of([[679, 14, 7], [70, 120, 10], [63, 18, 19]]),
        "never says the third class": of([[900, 0, 0], [50, 50, 0], [50, 50, 0]]),
        "knows about half of each of three classes": of([[67, 18, 15], [17, 66, 17], [15, 17, 68]]),
        "fifty classes, 200 samples, knows a tenth": of_ability(50, 200, 0.1),
        "100,000 samples, knows a hundredth": of_ability(2, 100_000, 0.01),
        "answers outside the classes": of_labels(
            references=["yes", "no"] * 100,
            predictions=["yes", "no"] * 70 + ["maybe"] * 60,
            labels=["yes", "no"],
            unknown="wrong",
        ),
        "answers outside the references, not declared": of_labels(
            references=["yes", "no"] * 100, predictions=["yes", "no"] * 80 + ["maybe"] * 40
        ),
        "a declared class without samples": of(
            [[40, 10, 0], [5, 45, 0], [0, 0, 0]], labels=["a", "b", "c"]
        ),
        "a score that rounds to -0.00": of([[8990, 10], [1000, 0]], labels=["ham", "spam"]),
        "chance at the end of the interval of NIT": of([[40, 20], [20, 30]]),
        "weights": of_labels(
            references=[0, 1] * 60,
            predictions=[0, 1] * 50 + [1, 1] * 10,
            sample_weight=[1, 2.5] * 60,
        ),
    }


def said_of(table):
    """Return what a report says of a table, with intervals and without, and its warnings."""
    lines = []
    for options in ({}, AT_95):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InformednessWarning)
            warn_of_table(table)
            made = Report.from_table(table, **options)
        lines += [line for line in (made.summary, *made.notes) if line not in lines]
    lines += sorted({f"({warning.message})" for warning in caught})
    return lines


def test_no_sentence_has_more_than_25_words():
    lines = GOLDEN.read_text(encoding="utf-8").splitlines()
    said = [line for line in lines if not line.startswith(("#", "("))]
    assert [line for line in said if len(line.split()) > 25] == []


def written():
    blocks = ["\n".join([f"# {name}", *said_of(table)]) for name, table in tables().items()]
    return "\n\n".join(blocks) + "\n"


def test_what_is_said_of_tables_of_many_shapes_has_been_read():
    assert written() == GOLDEN.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(GOLDEN.write_text(written(), encoding="utf-8") == 0)
