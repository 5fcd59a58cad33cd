"""Reword sentences of the package for the page, without Python names such as `labels=`."""

import re

from informedness.statistics.registry import REPORTED, score_named

_IN_PYTHON = {
    r" \(set zero_division [^)]*\)": "",
    r": score all samples at once; in lm-eval with .*": ": score all samples at once",
    r"or labels= with (all classes|them)": "or a matrix with all classes",
    r', and average="prevalence" gives': ", and the average by prevalence is",
    r"; pass the classes as labels= and unknown=\"wrong\" to count all of them as one answer": (
        "; in Python all of them can be counted as one answer"
    ),
    r"(?<!['\"])`labels`": "the names of the classes",
    r"(?<!['\"])`(references|predictions|matrix|counts)`": r"the \1",
}
_OF_A_SCORE = re.compile(rf"(?<= of )({'|'.join(REPORTED)})(?= may |:)")


def in_plain_words(message: str) -> str:
    """Return an error or a warning in words for someone who uses the page, not Python."""
    plain = _OF_A_SCORE.sub(lambda found: score_named(found[0]).title, message)
    for written, said in _IN_PYTHON.items():
        plain = re.sub(written, said, plain)
    return plain[:1].upper() + plain[1:] if message.startswith("`") else plain
