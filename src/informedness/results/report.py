"""The report: every score of a table side by side, and a sentence that explains them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.labels import Label
from ..core.scores import signature_of
from ..core.table import Table
from ..functions import table_given
from ..inputs.answered import by_name
from ..inputs.read import Read, signed
from ..statistics.entropic import entropies
from ..statistics.guessing import guessing_p_value
from ..statistics.informed import INFORMEDNESS
from ..statistics.intervals import check_level, warn_of_few
from ..statistics.registry import MODULES, REPORTED, score_named
from ..statistics.sums import ratio, sums_of
from .estimates import Estimate, estimates_of
from .layout import Result, Rows, aligned, as_json, csv_line, more_rows, padded
from .sentences import headline, summary_of
from .text import interval_heads, rounded, shown, shown_interval
from .unknown import Unknown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = ("prevalence", "bias", "tpr", "fpr", "tpr_minus_fpr", "precision", "f1")
_TITLES = {"tpr": "TPR", "fpr": "FPR", "tpr_minus_fpr": "TPR-FPR", "f1": "F1"}
_MOST_CLASSES = 50
_FAR_APART = 0.02  # averages of Informedness, which are then shown


@dataclass(frozen=True, repr=False)
class Report(Result, Mapping[str, float]):
    """Scores of one contingency table by name; `str()` is the text the command line prints.

    Attributes
    ----------
    table : ContingencyTable
        What everything is computed from.
    scores : dict of str to float
        accuracy, balanced_accuracy, f1_macro, cohen_kappa, matthews_corrcoef, informedness
        and nit, the same numbers that the functions of these names return; nan where undefined
        (kappa), 0.0 with a warning for Informedness of a single class.
    class_entropy : float
        Entropy of the references in bits.
    per_class : list of dict
        For each class its label, prevalence, bias, tpr, fpr, tpr_minus_fpr, precision and f1; nan
        where the denominator is 0. With a confidence level also tpr_minus_fpr_standard_error and
        tpr_minus_fpr_confidence_interval.
    guessing_p_value : float
        How often predictions dealt out at random would fit the references this well; nan for
        weights with unknown squares.
    summary : str
        The result in plain words, Informedness beside accuracy.
    signature : str
        A line that records everything that affects the numbers.
    confidence_level : float or None
        How often the intervals should contain the true value.
    estimates : dict of str to Estimate
        Standard error and interval of each score that `estimate` knows; empty without a confidence
        level.

    Examples
    --------
    >>> report(["ham"] * 90 + ["spam"] * 10, ["ham"] * 100).scores["informedness"]
    0.0
    """

    table: Table
    scores: dict[str, float]
    class_entropy: float
    per_class: list[dict[str, Any]]
    guessing_p_value: float
    summary: str
    signature: str
    confidence_level: float | None = None
    estimates: dict[str, Estimate] = field(default_factory=dict)

    @classmethod
    def from_table(
        cls, table: Table, confidence_level: float | None = None, ignore_index: Label | None = None
    ) -> Report:
        """Return the report on a table, for example one merged from parts or counted by a query.

        Parameters
        ----------
        table : ContingencyTable
            What to report on.
        confidence_level : float, optional
            Adds standard errors and intervals at this level, for example 0.95; see `estimate`.
        ignore_index : label, optional
            The reference that was ignored when the table was made; only for the signature.
        """
        sums = sums_of(table)
        columns = {
            "prevalence": sums.prevalence,
            "bias": sums.bias,
            "tpr": sums.tpr,
            "fpr": sums.fpr,
            "tpr_minus_fpr": sums.tpr - sums.fpr,
            "precision": ratio(sums.hits, sums.predictions),
            "f1": ratio(2 * (sums.hits / sums.total), sums.prevalence + sums.bias),
        }
        lists = {"label": list(table.labels)} | {name: x.tolist() for name, x in columns.items()}
        estimates, how = {}, None
        if confidence_level is not None:
            check_level(confidence_level)
            how = f"ci:{float(confidence_level)!r}"
            estimates = estimates_of(table, confidence_level, ignore_index)
            for (few, is_nan), names in _lacking(table, estimates).items():
                warn_of_few(", ".join(names), few, several=len(names) > 1, is_nan=is_nan)
            by_class = INFORMEDNESS.averaged(None).with_interval()
            made = by_class.intervals(table, confidence_level)
            lists["tpr_minus_fpr_standard_error"] = [x.standard_error for x in made]
            lists["tpr_minus_fpr_confidence_interval"] = [(x.low, x.high) for x in made]
        rows = zip(*lists.values(), strict=True)
        per_class = [dict(zip(lists, row, strict=True)) for row in rows]
        scores = {name: float(score_named(name).value(table)) for name in REPORTED}
        informedness, accuracy = scores["informedness"], scores["accuracy"]
        asked = estimates.get("informedness")
        p_value = math.nan
        if not table.is_weighted or table.squared_weights is not None:
            p_value = guessing_p_value(table)
        return cls(
            table,
            scores,
            entropies(table).reference,
            per_class,
            p_value,
            headline(table, INFORMEDNESS, informedness, accuracy, asked, p_value),
            signed(
                signature_of("report", table, ignore_index=ignore_index, interval=how),
                getattr(table, "read", ()),
            ),
            confidence_level,
            estimates,
        )

    @property
    def read(self) -> tuple[Read, ...]:  # type: ignore[override]
        """What was read of files or data frames; empty for other tables."""
        return getattr(self.table, "read", ())

    @property
    def n_classes(self) -> int:
        """Number of classes: those declared, or those of references and predictions."""
        return sum(label is not None for label in self.table.labels)

    @property
    def unknown(self) -> Unknown | None:
        """Answers that are none of the declared classes, and the scores without them; None if none.

        Examples
        --------
        >>> references, answers = ["yes", "no"] * 4, ["yes", "no"] * 3 + ["yes", "I cannot say."]
        >>> result = report(references, answers, labels=["yes", "no"], unknown="wrong")
        >>> result.unknown.n_samples, result.scores["informedness"], result.unknown.informedness
        (1, 0.78125, 1.0)
        """
        return Unknown.of(self.table)

    def summary_of(self, name: str) -> str:
        """Return a sentence that says what a score means, in view of its interval."""
        given = self.scores[name], self.estimates.get(name)
        return summary_of(self.table, score_named(name), *given, p_value=self.guessing_p_value)

    @property
    def far_averages(self) -> dict[str, float]:
        """Informedness by each of its averages, if they differ by more than 0.02; else empty."""
        if INFORMEDNESS.undefined(self.table):
            return {}
        names = [str(average) for average in INFORMEDNESS.averages if average is not None]
        values = {name: INFORMEDNESS.averaged(name).rounded(self.table) for name in names}
        return values if max(values.values()) - min(values.values()) > _FAR_APART else {}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; undefined numbers are None."""
        table = self.table
        plain: dict[str, Any] = {
            "n_samples": table.n_samples,
            "total_weight": float(table.total),
            "n_classes": self.n_classes,
            "class_entropy_bits": self.class_entropy,
            "guessing_p_value": as_json(self.guessing_p_value),
        }
        if self.confidence_level is not None:
            plain["confidence_level"] = self.confidence_level
        for name, value in self.scores.items():
            plain[name] = as_json(value)
            if name in self.estimates:
                made = self.estimates[name]
                plain[f"{name}_standard_error"] = as_json(made.standard_error)
                plain[f"{name}_confidence_interval"] = as_json(made.confidence_interval)
        if (unknown := self.unknown) is not None:
            plain |= unknown.to_dict()
        plain["per_class"] = [
            {name: as_json(x) for name, x in row.items()} for row in self.per_class
        ]
        return {**plain, "summary": self.summary, "signature": self.signature, **self.plain_read()}

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw how often each class is found (TPR) and how often it is wrongly predicted (FPR).

        The length of the line between the two is the Informedness of the class, printed at the
        right with its interval if the report has one. The class's share of the references follows
        its name. With more than 50 classes, the first 50 are drawn.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        """
        from ..plots import draw_per_class

        return draw_per_class(self, ax)

    def text_tables(self) -> list[Rows]:
        """Return the table of scores and the table of classes."""
        head = ["", "value", *self._interval_heads]
        return [[head, *self._score_rows()], self._class_rows()]

    def text_lines(self) -> list[str]:
        """Return the sentences, the scores without an interval and why, and the signature."""
        several = np.count_nonzero(self.table.reference_totals) > 1
        others = [name for name in MODULES if name in self.scores and name != "informedness"]
        sentences = [self.summary, *(self.summary_of(name) for name in others if several)]
        without = [
            f"No interval of {', '.join(score_named(name).title for name in names)}: {few}."
            for (few, is_nan), names in _lacking(self.table, self.estimates).items()
            if is_nan
        ]
        if averages := self.far_averages:
            named = ", ".join(f"{name} {rounded(value)}" for name, value in averages.items())
            sentences.insert(1, f"Informedness by average: {named}.")
        if (unknown := self.unknown) is not None:
            sentences.append(unknown.summary(self.scores))
        return [*sentences, *without, self.signature]

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each score; `per_class` has those of the classes."""
        records: list[dict[str, Any]] = []
        for name, value in self.scores.items():
            interval = self.estimates[name].fields() if name in self.estimates else {}
            records.append({"score": name, "value": as_json(value), **interval})
        return records

    def to_csv(self) -> str:
        """Return one number per row: score, class (empty for the whole table), value."""
        rows: list[tuple[Any, ...]] = [("score", "class", "value")]
        plain = self.to_dict()
        groups = [("", {name: plain[name] for name in plain if name not in ("summary", "read")})]
        groups += [(row.pop("label"), row) for row in groups[0][1].pop("per_class")]
        for label, values in groups:
            for name, value in values.items():
                if name.endswith("_confidence_interval"):
                    low, high = value or (None, None)
                    rows += [(f"{name}_low", label, low), (f"{name}_high", label, high)]
                else:
                    rows.append((name, label, value))
        return "".join(map(csv_line, rows))

    def __str__(self) -> str:
        """Return the report as text for a terminal."""
        tables = [aligned(self._score_rows()), aligned(self._class_rows())]
        return "\n\n".join([*self.read_blocks(), *tables, *self.text_lines()])

    def __getitem__(self, name: str) -> float:
        """Return a score by its name."""
        return self.scores[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names of the scores."""
        return iter(self.scores)

    def __len__(self) -> int:
        """Return the number of scores."""
        return len(self.scores)

    @property
    def _interval_heads(self) -> list[str]:
        return [] if self.confidence_level is None else interval_heads(self.confidence_level)

    def _score_rows(self) -> Rows:
        n = self.table.n_samples
        rows = [["N", "unknown" if n is None else str(n)]]
        if self.table.is_weighted:
            rows.append(["Total weight", f"{self.table.total:.6g}"])
        rows.append(["Classes", str(self.n_classes)])
        rows.append(["Class entropy", f"{rounded(self.class_entropy, 4)} bits"])
        if self.confidence_level is not None:
            rows.append(["Confidence level", f"{self.confidence_level:.6g}"])
        for name, value in self.scores.items():
            interval = self.estimates[name].shown() if name in self.estimates else []
            rows.append([score_named(name).title, rounded(value, 4), *interval])
        return padded(rows, 2 + len(self._interval_heads))

    def _class_rows(self) -> Rows:
        rows = [[shown(row["label"]), *self._cells(row)] for row in self.per_class[:_MOST_CLASSES]]
        head = ["class"]
        for name in _COLUMNS:
            head += [_TITLES.get(name, name), *self._interval_heads * (name == "tpr_minus_fpr")]
        return [head, *rows, *more_rows(len(self.per_class) - _MOST_CLASSES, len(head))]

    def _cells(self, row: dict[str, Any]) -> list[str]:
        cells = []
        for name in _COLUMNS:
            cells.append(rounded(row[name], 4))
            if f"{name}_standard_error" in row:
                ends = row[f"{name}_confidence_interval"]
                cells += shown_interval(row[f"{name}_standard_error"], ends)
        return cells


def report(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    confidence_level: float | None = None,
) -> Report:
    """Return all scores of a set of predictions side by side, and a sentence that explains them.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`; or a `ContingencyTable` alone in place of `y_true`, with
        `ignore_index` for the signature.
    confidence_level : float, optional
        Adds standard errors and confidence intervals at this level, for example 0.95; see
        `estimate`.

    Returns
    -------
    Report
        With `str()`, `.to_dict()`, `.to_pandas()`, `.to_markdown()`, `.to_latex()` and `.to_csv()`.

    Raises
    ------
    ValueError
        As `informedness_score`; with a confidence level also as `estimate`.

    Warns
    -----
    IntervalWarning
        As for `estimate`, but only one for all scores with the same reason.

    See Also
    --------
    slices : Reports on slices of the samples, for example types of question.

    Examples
    --------
    >>> result = report(["ham"] * 90 + ["spam"] * 10, ["ham"] * 100)
    >>> result.scores["accuracy"], result.scores["informedness"]
    (0.9, 0.0)
    >>> result.summary.partition(";")[0]
    "Accuracy 0.90, but always answering 'ham' would score 0.90 too"
    """
    table = table_given(y_true, y_pred, labels, sample_weight, ignore_index, unknown)
    return Report.from_table(table, confidence_level, by_name(ignore_index, y_true, y_pred))


def _lacking(table: Table, made: dict[str, Estimate]) -> dict[tuple[str, bool], list[str]]:
    """Return the scores, grouped by what their interval lacks and whether it is nan."""
    lacking: dict[tuple[str, bool], list[str]] = {}
    for name, one in made.items():
        if math.isnan(one.standard_error):
            continue
        score = score_named(name).with_interval()
        if few := score.too_few(table) or score.too_few_for_classes(table):
            is_nan = math.isnan(one.confidence_interval[0])
            lacking.setdefault((few, is_nan), []).append(name)
    return lacking
