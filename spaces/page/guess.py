"""Be the guesser: hidden messages, answered by whoever visits the page; guess.js draws the game."""

from typing import Any

import charts
from data import table_of_labels
from limits import METRIC

from informedness.results.report import Report
from informedness.text.render import rounded
from informedness.warnings import collected

FEWEST = 5  # answers, before which a score jumps from -1 to 1


def guessed(sides: dict[str, Any]) -> str:
    """Return what is said after the guesses so far: the next message, scores, what they mean."""
    truth, answers = sides["truth"], sides["answers"]
    scores, meaning = {}, ""
    if truth:
        with collected():
            report = Report.from_table(table_of_labels(truth, answers, ["ham", "spam"]))
            meaning = charts.verdict(report, None, "informedness")
        scores = {charts.NAMES["accuracy"]: charts.percent(report.scores["accuracy"])}
        if len(truth) < FEWEST or len({*truth}) < 2:
            meaning = f"Informedness takes {FEWEST} messages, of both kinds."
        else:
            names = dict.fromkeys(["informedness", METRIC])
            scores |= {charts.NAMES[name]: rounded(report.scores[name]) for name in names}
    return charts.draw("guessed", **sides, scores=scores, meaning=meaning)
