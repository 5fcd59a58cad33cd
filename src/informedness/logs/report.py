"""The report on logs: one for each model, task and epoch, and one table of them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..inputs.columns import naming
from ..results.render import Result, Rows, aligned, as_json, cut, interval_heads, rounded, shown
from ..results.report import Report
from ..statistics.registry import MODULES, score_named
from .answers import Answers

_SHOWN = ("accuracy", *MODULES)
_MOST_UNKNOWN = 3


@dataclass(frozen=True, repr=False)
class LogReport(Result):
    """Scores of each run in logs: of each model, task, filter or scorer, and epoch.

    Attributes
    ----------
    runs : tuple of (Answers, Report)
        What was read, and the report on it.
    confidence_level : float or None
        How often the intervals should contain the true value.
    """

    runs: tuple[tuple[Answers, Report], ...]
    confidence_level: float | None = None

    @classmethod
    def from_answers(
        cls, read: Sequence[Answers], confidence_level: float | None = None
    ) -> LogReport:
        """Return the report on what `read_log` returns.

        Parameters
        ----------
        read : sequence of Answers
        confidence_level : float, optional
            Adds standard errors and intervals at this level, for example 0.95.

        Raises
        ------
        ValueError
            If there is nothing to report on, or a report cannot be made; the message names the run.
        """
        if not read:
            raise ValueError("`read` must hold the answers of at least one run, got none")
        runs = []
        for answers in read:
            with naming(answers.name):
                runs.append((answers, answers.report(confidence_level)))
        return cls(tuple(runs), confidence_level)

    def text_tables(self) -> list[Rows]:
        """Return one table with a row for each run."""
        read, reports = zip(*self.runs, strict=True)
        columns = [["run", *(shown(x.name) for x in read)]]
        columns.append(["N", *(str(len(x.ids)) for x in read)])
        columns.append(["unknown", *(str(x.unknown().total()) for x in read)])
        for name in _SHOWN:
            columns.append([score_named(name).title, *(rounded(x[name], 4) for x in reports)])
            if name in MODULES and self.confidence_level is not None:
                head = interval_heads(self.confidence_level)[1]
                columns.append([head, *(x.estimates[name].shown()[1] for x in reports)])
        return [[list(row) for row in zip(*columns, strict=True)]]

    def text_lines(self) -> list[str]:
        """Return how the answers of each run were found, and which were not a class."""
        return [how_read(answers) for answers, _ in self.runs]

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each run."""
        records = []
        for answers, report in self.runs:
            record = _origin(answers)
            record |= {"n_samples": len(answers.ids), "n_unknown": answers.unknown().total()}
            for name, value in report.scores.items():
                record[name] = as_json(value)
                if name in report.estimates:
                    record |= report.estimates[name].fields(f"{name}_")
            records.append(record)
        return records

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        runs = [{**_origin(x), "answers": x.how, **report.to_dict()} for x, report in self.runs]
        return {"runs": runs}

    def __str__(self) -> str:
        """Return a report for each run, and if there are several, a table of them all."""
        reports = [f"{how_read(answers)}\n\n{report}" for answers, report in self.runs]
        if len(reports) > 1:
            reports += [aligned(rows, is_cut=False) for rows in self.text_tables()]
        return "\n\n\n".join(reports)


def _origin(answers: Answers) -> dict[str, Any]:
    """Return where answers come from, as fields of a record."""
    names = ("harness", "model", "task", "variant", "epoch", "n_left_out")
    return {name: getattr(answers, name) for name in names}


def how_read(answers: Answers) -> str:
    """Return in one line whose answers these are, how they were found and which are not a class."""
    line = f"{answers.harness}, {shown(answers.name)}: the answer is {answers.how}."
    unknown = answers.unknown()
    if not unknown:
        return line
    commonest = [
        f"{'no answer' if answer is None else cut(repr(answer), 40)} ({n})"
        for answer, n in unknown.most_common(_MOST_UNKNOWN)
    ]
    more = f" and {len(unknown) - _MOST_UNKNOWN} more" if len(unknown) > _MOST_UNKNOWN else ""
    classes = cut(", ".join(map(shown, answers.classes)), 60)
    return f"{line} Not among the classes ({classes}): {', '.join(commonest)}{more}."
