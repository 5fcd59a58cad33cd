"""The report: every score of a table side by side, and one sentence that reads them."""

import csv
import io
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import contingency
from .coding import Label
from .contingency import ContingencyTable

_SCORES: dict[str, tuple[str, Callable[[ContingencyTable], Any]]] = {
    "accuracy": ("Accuracy", contingency.accuracy),
    "balanced_accuracy": ("Balanced accuracy", contingency.balanced_accuracy),
    "f1_macro": ("F1-macro", contingency.f1_macro),
    "cohen_kappa": ("Cohen's kappa", contingency.cohen_kappa),
    "matthews_corrcoef": ("MCC", contingency.matthews_corrcoef),
    "informedness": ("Informedness", contingency.informedness),
    "nit": ("NIT", contingency.nit),
    "ema": ("EMA", contingency.ema),
}
_COLUMNS = {
    "prevalence": "prevalence",
    "bias": "bias",
    "tpr": "TPR",
    "fpr": "FPR",
    "tpr_minus_fpr": "TPR-FPR",
    "precision": "precision",
}
_MOST_CLASSES = 50
_FEW_SAMPLES = 50


@dataclass(frozen=True)
class Report:
    """Scores of one contingency table; `str()` is the text the command line prints.

    Attributes
    ----------
    table : ContingencyTable
        What all of it is computed from.
    scores : dict of str to float
        accuracy, balanced_accuracy, f1_macro, cohen_kappa, matthews_corrcoef, informedness, nit
        and ema, the same numbers as the functions of these names give; nan where undefined
        (kappa), 0.0 with a warning for Informedness of a single class.
    class_entropy : float
        Entropy of the references in bits.
    per_class : list of dict
        For each class its label, prevalence, bias, tpr, fpr, tpr_minus_fpr and precision; nan
        where the denominator is 0.
    sentence : str
        The result in plain words.

    Examples
    --------
    >>> report(["ham"] * 90 + ["spam"] * 10, ["ham"] * 100).scores["informedness"]
    0.0
    """

    table: ContingencyTable
    scores: dict[str, float]
    class_entropy: float
    per_class: list[dict[str, Any]]
    sentence: str

    @classmethod
    def from_table(cls, table: ContingencyTable) -> "Report":
        """Return the report on a table, such as one merged from parts or counted by a query."""
        scores = {name: float(score(table)) for name, (_, score) in _SCORES.items()}
        rates = contingency.class_rates(table)
        precision = contingency.ratio(table.hits, table.prediction_totals)
        columns = {**rates._asdict(), "tpr_minus_fpr": rates.tpr - rates.fpr}
        columns["precision"] = precision
        values = zip(*(columns[name].tolist() for name in _COLUMNS), strict=True)
        per_class = [
            {"label": label, **dict(zip(_COLUMNS, row, strict=True))}
            for label, row in zip(table.labels, values, strict=True)
        ]
        entropy = contingency.entropies(table).reference
        return cls(table, scores, entropy, per_class, _sentence(table, scores))

    @property
    def n_classes(self) -> int:
        """Number of classes: those declared, or those of references and predictions."""
        return sum(label is not None for label in self.table.labels)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; undefined numbers are None."""
        table = self.table
        numbers = {
            "n_samples": table.n_samples,
            "total_weight": float(table.total),
            "n_classes": self.n_classes,
            "class_entropy_bits": self.class_entropy,
            **{name: _finite(value) for name, value in self.scores.items()},
        }
        per_class = [
            {"label": _plain(row["label"]), **{name: _finite(row[name]) for name in _COLUMNS}}
            for row in self.per_class
        ]
        return {**numbers, "per_class": per_class, "sentence": self.sentence}

    def to_markdown(self) -> str:
        """Return the report as two Markdown tables and the sentence."""
        head = [["", "value"], *self._summary()]
        blocks = [_markdown(head), _markdown(self._class_rows()), _escape(self.sentence)]
        return "\n\n".join(blocks)

    def to_csv(self) -> str:
        """Return one number a row: score, class (empty for the whole table), value."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["score", "class", "value"])
        plain = self.to_dict()
        for name, value in plain.items():
            if name not in ("per_class", "sentence"):
                writer.writerow([name, "", value])
        for row in plain["per_class"]:
            writer.writerows([name, row["label"], row[name]] for name in _COLUMNS)
        return text.getvalue()

    def __str__(self) -> str:
        """Return the report as text for a terminal."""
        return "\n\n".join([_aligned(self._summary()), _aligned(self._class_rows()), self.sentence])

    def _summary(self) -> list[list[str]]:
        n = self.table.n_samples
        rows = [["N", "unknown" if n is None else str(n)]]
        if self.table.counts.dtype.kind == "f":
            rows.append(["Total weight", f"{self.table.total:.6g}"])
        rows += [
            ["Classes", str(self.n_classes)],
            ["Class entropy", f"{_rounded(self.class_entropy, 4)} bits"],
        ]
        return rows + [[_SCORES[name][0], _rounded(x, 4)] for name, x in self.scores.items()]

    def _class_rows(self) -> list[list[str]]:
        rows = [["class", *_COLUMNS.values()]]
        for row in self.per_class[:_MOST_CLASSES]:
            rates = [_rounded(row[name], 4) for name in _COLUMNS]
            rows.append([_shown(row["label"]), *rates])
        if (more := len(self.per_class) - _MOST_CLASSES) > 0:
            rows.append([f"and {more} more classes (JSON and CSV list all)", *[""] * len(_COLUMNS)])
        return rows


def report(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
) -> Report:
    """Return the scores people compare, of one set of predictions, and a sentence that reads them.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`.

    Returns
    -------
    Report
        With `str()`, `.to_dict()`, `.to_markdown()` and `.to_csv()`.

    Raises
    ------
    ValueError
        As `informedness_score`.

    Examples
    --------
    >>> result = report(["ham"] * 90 + ["spam"] * 10, ["ham"] * 100)
    >>> result.scores["accuracy"], result.scores["informedness"]
    (0.9, 0.0)
    >>> result.sentence.partition(";")[0]
    "Accuracy 0.90, but always answering 'ham' would score 0.90 too"
    """
    return Report.from_table(
        ContingencyTable.from_labels(
            y_true,
            y_pred,
            labels=labels,
            sample_weight=sample_weight,
            ignore_index=ignore_index,
            unknown=unknown,
        )
    )


def _sentence(table: ContingencyTable, scores: dict[str, float]) -> str:
    """Return what the scores say, in one sentence."""
    totals = table.reference_totals
    majority = int(np.argmax(totals))
    name, share = _shown(table.labels[majority], quote=True), float(totals[majority] / table.total)
    accuracy, score = scores["accuracy"], scores["informedness"]
    if (totals > 0).sum() == 1:
        return (
            f"All references are {name}: with one class there is nothing to tell apart, so "
            f"Informedness is undefined, whatever the accuracy ({_rounded(accuracy)})."
        )
    beside = f"always answering {name} would score {_rounded(share)}"
    if _rounded(accuracy) == _rounded(share):
        beside = f"but {beside} too"
    else:
        beside = f"{'but' if accuracy < share else 'where'} {beside}"
    if (table.rows == table.columns).all():
        verdict = "every decision is informed"
    elif abs(score) < 0.005:
        verdict = "nothing here is informed"
    elif score < 0:
        verdict = "worse than guessing"
    else:
        verdict = f"about {round(100 * score)}% of the decisions are informed, the rest guessed"
    few = ""
    if table.n_samples is not None and table.n_samples < _FEW_SAMPLES:
        few = f" ({table.n_samples} samples are few: take it as a rough figure)"
    figures = f"Accuracy {_rounded(accuracy)}, {beside}; Informedness {_rounded(score)}"
    return f"{figures}: {verdict}{few}."


def _rounded(value: float, digits: int = 2) -> str:
    """Return the number as text, without the sign of a negative zero."""
    return "undefined" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def _finite(value: float) -> float | None:
    return None if math.isnan(value) else value


def _plain(label: Label | None) -> int | str | None:
    return repr(label) if isinstance(label, bytes) else label


def _shown(label: Label | None, quote: bool = False) -> str:
    """Return a label as text; what would not show as it is, as its Python literal."""
    if label is None:
        return "(outside the labels)"
    if not isinstance(label, str):
        return str(label)
    if not label.isprintable():
        return ascii(label)
    return repr(label) if quote or label != label.strip() or not label else label


def _aligned(rows: list[list[str]]) -> str:
    """Return rows as columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for first, *others in rows:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join([first.ljust(widths[0]), *cells]).rstrip())
    return "\n".join(lines)


def _markdown(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(map(_escape, row)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join([" :-- ", *[" --: "] * (len(rows[0]) - 1)]) + "|")
    return "\n".join(lines)


def _escape(text: str) -> str:
    """Return text that Markdown shows as it is, also where it has bars, tags or emphasis in it."""
    for character in "\\`*_[]|~$":
        text = text.replace(character, "\\" + character)
    return text.replace("&", "&amp;").replace("<", "&lt;")
