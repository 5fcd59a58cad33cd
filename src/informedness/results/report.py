"""The report: every score of a table side by side, and a sentence that explains them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.labels import Label
from ..inference.class_scores import INFORMEDNESS, rates_by_class
from ..inference.entropy import NIT, entropies
from ..inference.independence import guessing_p_value
from ..inference.paired import CellPairs
from ..inference.registry import MODULES, score_named, scores_in_report
from ..inference.score import signature_of
from ..messages import Message
from ..tables import matrix
from ..tables.contingency import ContingencyTable
from ..tables.label_options import to_class_names
from ..text import layout, render
from ..text.account import Read, signed
from ..text.layout import Result, Rows
from .estimate import Averaged, Estimate, estimates_of, reported_estimates, warn_of
from .figures import draw_per_class
from .models import check_groups_have_level, settings_of, table_in_groups
from .sentences import answered_of, headline, outside_share, share_text, summary_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RATES = ("bias", "tpr", "fpr", "tpr_minus_fpr", "precision", "f1")
_HEADS = ["bias", "TPR", "FPR", "TPR-FPR", "precision", "F1"]
_INTERVAL = 2 + _HEADS.index("precision")  # stands before it, behind class and N
_WITHOUT = ("informedness", "nit", "accuracy")  # are also given without answers out of class
_MOST_CLASSES = 50
_MOST_IN_MATRIX = 8


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
        For each class its label, support (how many references it has, or which weight),
        prevalence, bias, tpr, fpr, tpr_minus_fpr, precision and f1; nan where the denominator is
        0. With a confidence level, unless samples are in groups, also
        tpr_minus_fpr_standard_error, tpr_minus_fpr_confidence_interval, and Wilson's
        tpr_confidence_interval and precision_confidence_interval.
    average : {"default", "bias", "prevalence", "macro"}
        That of Informedness in the scores.
    prevalence : Estimate or None
        Informedness by the prevalence average, with a confidence level and three or more classes.
    guessing_p_value : float
        How often predictions dealt out at random would fit the references this well; nan for
        weights with unknown squares.
    summary : str
        The result in plain words, Informedness beside accuracy.
    signature : str
        A line that records the options, the number of samples and the version.
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

    table: ContingencyTable
    scores: dict[str, float]
    class_entropy: float
    per_class: list[dict[str, Any]]
    guessing_p_value: float
    summary: str
    signature: str
    confidence_level: float | None = None
    estimates: dict[str, Estimate] = field(default_factory=dict)
    prevalence: Estimate | None = None
    average: Averaged = "default"

    @classmethod
    def from_table(
        cls,
        table: ContingencyTable,
        confidence_level: float | None = None,
        ignore_index: Label | None = None,
        pairs: CellPairs | None = None,
        average: Averaged = "default",
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
        pairs : CellPairs, optional
            The samples in groups, by which the intervals of the scores then are. There are none of
            classes, and no test of guessing, which takes samples for independent.
        average : {"bias", "prevalence", "macro"}, optional
            That of Informedness, as in `informedness_score`.
        """
        options: dict[str, Any] = {"ignore_index": ignore_index}
        settings = settings_of(confidence_level, pairs)
        line = signature_of("report", table, average=average, interval=settings, **options)
        estimates = reported_estimates(table, confidence_level, average, pairs=pairs, **options)
        marked = _marked(estimates)
        warn_of([one for name, one in estimates.items() if name not in marked])
        per_class = rates_by_class(table, confidence_level if pairs is None else None)
        prevalence = None
        if confidence_level is not None and table.n_classes > 2:
            score = INFORMEDNESS.with_average("prevalence").require_interval()
            (prevalence,) = estimates_of(table, score, confidence_level, pairs, **options)

        reported_scores = scores_in_report(average)
        scores = {name: float(score.value(table)) for name, score in reported_scores.items()}
        p_value = math.nan
        if pairs is None and (not table.is_weighted or table.squared_weights is not None):
            p_value = guessing_p_value(table)
        values = scores["informedness"], scores["accuracy"], estimates.get("informedness")
        bits = entropies(table).reference
        sentence = headline(table, reported_scores["informedness"], *values, p_value)
        line = signed(line, table.read)
        intervals = confidence_level, estimates, prevalence
        return cls(table, scores, bits, per_class, p_value, sentence, line, *intervals, average)

    @property
    def read(self) -> tuple[Read, ...]:  # type: ignore[override]
        """What was read of files or data frames; empty for other tables."""
        return self.table.read

    @property
    def n_classes(self) -> int:
        """Number of classes: those declared, or those of the references."""
        return self.table.n_classes

    @property
    def unknown(self) -> dict[str, Any]:
        """Answers that are none of the classes, and the scores without them; or empty.

        They count as wrong. Without them, only the samples that were answered are scored, with the
        same classes: nan if that is undefined. With weights, the number of answers is None.

        Examples
        --------
        >>> references, answers = ["yes", "no"] * 4, ["yes", "no"] * 3 + ["yes", "I cannot say."]
        >>> result = report(references, answers, labels=["yes", "no"], unknown="wrong")
        >>> result.unknown["n_unknown"], result.unknown["informedness_without_unknown"]
        (1, 1.0)
        """
        n_unknown = self.table.out_of_class_totals.sum()
        if not n_unknown:
            return {}
        n_samples = None if self.table.is_weighted else int(n_unknown)
        unknown = {"n_unknown": n_samples, "unknown_share": outside_share(self.table)}
        answered = answered_of(self.table)
        for name in _WITHOUT:
            score = scores_in_report(self.average)[name]
            value = math.nan if answered is None else score.value_or_nan(answered)
            unknown[f"{name}_without_unknown"] = value
        return unknown

    def summary_of(self, name: str) -> str:
        """Return a sentence that says what a score means, in view of its interval."""
        values = self.scores[name], self.estimates.get(name)
        score = scores_in_report(self.average)[name]
        return str(summary_of(self.table, score, *values, p_value=self.guessing_p_value))

    @property
    def averages(self) -> dict[str, float]:
        """Informedness by each of its averages; empty for two classes, for which they agree."""
        if self.table.n_classes < 3 or INFORMEDNESS.undefined(self.table):
            return {}
        names = [str(average) for average in INFORMEDNESS.averages if average is not None]
        return {name: INFORMEDNESS.with_average(name).clipped_value(self.table) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; undefined numbers are None."""
        table = self.table
        plain: dict[str, Any] = {"n_samples": table.n_samples, "total_weight": float(table.total)}
        plain |= {"n_classes": self.n_classes, "class_entropy_bits": self.class_entropy}
        plain["guessing_p_value"] = self.guessing_p_value
        if self.confidence_level is not None:
            plain["confidence_level"] = self.confidence_level
        if self.average != "default":
            plain["average"] = self.average
        for name, value in self.scores.items():
            plain[name] = value
            if name in self.estimates:
                plain[f"{name}_standard_error"] = self.estimates[name].standard_error
                plain[f"{name}_confidence_interval"] = self.estimates[name].confidence_interval
        plain |= {f"{name}_caveat": caveat for name, caveat in _marked(self.estimates).items()}
        plain |= self.unknown
        rows = (plain, *self.per_class)
        plain, *per_class = ({name: render.as_json(x) for name, x in row.items()} for row in rows)
        plain |= {"per_class": per_class, "summary": self.summary, "signature": self.signature}
        return plain | self.plain_read()

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
        width = 18 if self.confidence_level is None else 12
        return draw_per_class(self.per_class, width, ax)

    def text_tables(self) -> list[Rows]:
        """Return the table of scores, that of classes and, of up to eight of them, the cells."""
        tables = [self._score_rows(), self._class_rows()]
        if len(self.per_class) <= _MOST_IN_MATRIX:
            tables += matrix.Matrix(self.table, has_totals=True).text_tables()
        return tables

    def text_lines(self) -> list[str]:
        """Return the sentences, the scores without an interval and why, and the signature."""
        lines: list[str] = [Message(self.summary)]
        if averages := self.averages:
            parts = {name: f"{name} {render.rounded(value)}" for name, value in averages.items()}
            if self.prevalence is not None:
                parts["prevalence"] += f" {self.prevalence.interval_in_words(2)}"
            lines.append(f"Informedness by average: {', '.join(parts.values())}.")
        if np.count_nonzero(self.table.reference_totals) > 1:
            others = (name for name in MODULES if name in self.scores and name != "informedness")
            lines += (Message(self.summary_of(name)) for name in others)
        if self.unknown:
            lines.append(self._unknown_in_words())
        for name, own in self.estimates.items():
            if own.caveat and math.isnan(own.confidence_interval[0]):
                title = score_named(name).title
                lines.append(Message(f"No interval of {title}: {own.caveat}."))
        lines += (Message(f"* {caveat}.") for caveat in _marked(self.estimates).values())
        return [*lines, self.signature]

    def _unknown_in_words(self) -> str:
        n_unknown, share, *values = self.unknown.values()
        amount = "by weight" if n_unknown is None else f"{n_unknown:,}"
        answers = f"{share_text(share)} of the answers ({amount})"
        sentence = f"{answers} are none of the classes and count as wrong"
        if INFORMEDNESS.undefined(self.table):
            return f"{sentence}."
        rows = zip(values, map(self.scores.__getitem__, _WITHOUT), strict=True)
        informedness, nit, accuracy = (
            " rather than ".join(render.rounded(x, 3) for x in row) for row in rows
        )
        without = f"Informedness would be {informedness}, NIT {nit}, and accuracy {accuracy}"
        return f"{sentence}; without them {without}."

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each score; `per_class` has those of the classes."""
        records: list[dict[str, Any]] = []
        for name, value in self.scores.items():
            interval = self.estimates[name].fields() if name in self.estimates else {}
            records.append({"score": name, "value": render.as_json(value), **interval})
        return records

    def to_csv(self) -> str:
        """Return one number per row: score, class (empty for the whole table), value."""
        plain = {name: x for name, x in self.to_dict().items() if name not in ("summary", "read")}
        groups = [(row.pop("label"), row) for row in plain.pop("per_class")]
        rows: list[tuple[Any, ...]] = [("score", "class", "value")]
        for label, values in (("", plain), *groups):
            for name, value in values.items():
                if name.endswith("_confidence_interval"):
                    low, high = value or (None, None)
                    rows += [(f"{name}_low", label, low), (f"{name}_high", label, high)]
                else:
                    rows.append((name, label, value))
        return "".join(map(layout.csv_line, rows))

    def __str__(self) -> str:
        """Return the report as text for a terminal."""
        (_, *scores), *others = self.text_tables()
        tables = map(layout.aligned, [scores, *others])
        return "\n\n".join([*self.read_blocks(), *tables, *self.named_lines()])

    def __getitem__(self, name: str) -> float:
        """Return a score by its name; KeyError if there is none, with the one that may be meant."""
        if name not in self.scores:
            try:
                score_named(name)
            except ValueError as error:
                raise KeyError(str(error)) from None
        return self.scores[name]

    def __iter__(self) -> Iterator[str]:
        """Return the names of the scores."""
        return iter(self.scores)

    def __len__(self) -> int:
        """Return the number of scores."""
        return len(self.scores)

    def _score_rows(self) -> Rows:
        n = self.table.n_samples
        heads = render.interval_heads(self.confidence_level)
        rows = [["", "value", *heads], ["N", "unknown" if n is None else str(n)]]
        if self.table.is_weighted:
            rows.append(["Total weight", f"{self.table.total:.6g}"])
        rows.append(["Classes", str(self.n_classes)])
        rows.append(["Class entropy", f"{render.rounded(self.class_entropy, 4)} bits"])
        if self.confidence_level is not None:
            rows.append(["Confidence level", f"{self.confidence_level:.6g}"])
        for name, value in self.scores.items():
            interval = self.estimates[name].shown() if name in self.estimates else []
            title = score_named(name).title
            title = f"{title}*" if name in _marked(self.estimates) else title
            rows.append([title, render.rounded(value, 4), *interval])
        return layout.padded(rows, 2 + len(heads))

    def _class_rows(self) -> Rows:
        head = ["class", "weight" if self.table.is_weighted else "N", *_HEADS]
        if has_intervals := "tpr_minus_fpr_standard_error" in self.per_class[0]:
            head[_INTERVAL:_INTERVAL] = render.interval_heads(self.confidence_level)
        rows = [head]
        for row in self.per_class[:_MOST_CLASSES]:
            rates = (render.rounded(row[name], 4) for name in _RATES)
            cells = [render.shown(row["label"]), render.amount(row["support"]), *rates]
            if has_intervals:
                error = row["tpr_minus_fpr_standard_error"]
                interval = row["tpr_minus_fpr_confidence_interval"]
                cells[_INTERVAL:_INTERVAL] = render.shown_interval(error, interval)
            rows.append(cells)
        return rows + layout.more_rows(len(self.per_class) - _MOST_CLASSES, len(head))


def report(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    average: Averaged = "default",
    groups: Any = None,
    confidence_level: float | None = None,
) -> Report:
    """Return all scores of a set of predictions side by side, and a sentence that explains them.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`; or a `ContingencyTable` alone in place of `y_true`, with
        `ignore_index` for the signature.
    average : {"bias", "prevalence", "macro"}, optional
        That of Informedness, as in `informedness_score`.
    groups : array-like of shape (n_samples,), optional
        As in `estimate`; they need a confidence level.
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
    check_groups_have_level(groups, confidence_level)
    options = labels, sample_weight, ignore_index, unknown
    table, pairs = table_in_groups(y_true, y_pred, groups, *options)
    ignored = to_class_names(ignore_index, y_true, y_pred)
    return Report.from_table(table, confidence_level, ignored, pairs, average)


def _marked(estimates: Mapping[str, Estimate]) -> dict[str, str]:
    """Return the caveat that marks a row in place of a warning: that of NIT alone, often found."""
    others = {one.caveat for name, one in estimates.items() if name != NIT.name}
    own = estimates.get(NIT.name)
    if own is None or own.caveat in {*others, ""} or math.isnan(own.confidence_interval[0]):
        return {}
    return {NIT.name: own.caveat}
