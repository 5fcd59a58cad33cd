"""The report: every score of a table side by side, and a sentence that explains them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.labels import Label
from ..core.table import labels_at
from ..statistics.chance import guessing_p_value
from ..statistics.class_intervals import wilson_intervals
from ..statistics.class_scores import INFORMEDNESS
from ..statistics.class_sums import ratio
from ..statistics.entropy import NIT, entropies
from ..statistics.paired import CellPairs
from ..statistics.registry import MODULES, reported, score_named
from ..statistics.score import Score, signature_of
from ..tables import matrix
from ..tables.class_names import by_name
from ..tables.contingency import ContingencyTable, table_given
from ..text import layout, render
from ..text.account import Read, signed
from ..text.layout import Result, Rows
from .estimate import Averaged, Estimate, estimates_of, reported_estimates, warn_of
from .models import check_groups_have_level, settings_of, table_in_groups
from .sentences import answered_of, headline, outside_share, share_text, summary_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RATES = ("bias", "tpr", "fpr", "tpr_minus_fpr", "precision", "f1")
_COLUMNS = ("support", "prevalence", *_RATES)
_HEADS = ["bias", "TPR", "FPR", "TPR-FPR", "precision", "F1"]
_INTERVAL = 2 + _HEADS.index("precision")  # stands before it, behind class and N
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
        reported_scores = reported(average)
        informedness = reported_scores["informedness"]
        h, r, c, n = table.hits, table.reference_totals, table.prediction_totals, table.total
        tpr, fpr = ratio(h, r), ratio(table.class_false_positives, table.other_references)
        f1, bias = ratio(2 * (h / n), r / n + c / n), (h + table.class_false_positives) / n
        rates = r, r / n, bias, tpr, fpr, tpr - fpr, ratio(h, c), f1
        labels, of_classes = labels_at(table, table.is_class), (x[table.is_class] for x in rates)
        rows = zip(labels, *(x.tolist() for x in of_classes), strict=True)
        per_class = [dict(zip(("label", *_COLUMNS), row, strict=True)) for row in rows]
        estimates, prevalence, how = {}, None, None
        if confidence_level is not None:
            how = settings_of(confidence_level, pairs)
            options: dict[str, Any] = {"pairs": pairs, "ignore_index": ignore_index}
            estimates = reported_estimates(table, confidence_level, average, **options)
            warn_of(made for name, made in estimates.items() if name not in _marked(estimates))
            if pairs is None:
                by_class = INFORMEDNESS.averaged(None).with_interval()
                gains = by_class.intervals(table, confidence_level)
                recalls = wilson_intervals(table, table.rows, confidence_level)
                precisions = wilson_intervals(table, table.columns, confidence_level)
                made = zip(per_class, gains, recalls, precisions, strict=True)
                for row, gain, recall, precision in made:
                    row["tpr_minus_fpr_standard_error"] = gain.standard_error
                    row["tpr_minus_fpr_confidence_interval"] = gain.low, gain.high
                    row["tpr_confidence_interval"] = recall
                    row["precision_confidence_interval"] = precision
            if table.n_classes > 2:
                score = INFORMEDNESS.averaged("prevalence").with_interval()
                (prevalence,) = estimates_of(table, score, confidence_level, **options)
        scores = {name: float(score.value(table)) for name, score in reported_scores.items()}
        given = scores["informedness"], scores["accuracy"], estimates.get("informedness")
        p_value = math.nan
        if pairs is None and (not table.is_weighted or table.squared_weights is not None):
            p_value = guessing_p_value(table)
        return cls(
            table,
            scores,
            entropies(table).reference,
            per_class,
            p_value,
            headline(table, informedness, *given, p_value),
            signed(
                signature_of(
                    "report", table, average=average, ignore_index=ignore_index, interval=how
                ),
                table.read,
            ),
            confidence_level,
            estimates,
            prevalence,
            average,
        )

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
        table, answered = self.table, None
        n = table.outside_totals.sum()
        if not n:
            return {}
        answered = answered_of(table)
        both = (self._scores[name] for name in ("informedness", "nit"))
        scores = (math.nan if answered is None else x.or_nan(answered) for x in both)
        share = outside_share(table)
        found = {"n_unknown": None if table.is_weighted else int(n), "unknown_share": share}
        names = "informedness_without_unknown", "nit_without_unknown"
        return found | dict(zip(names, scores, strict=True))

    def summary_of(self, name: str) -> str:
        """Return a sentence that says what a score means, in view of its interval."""
        given = self._scores[name], self.scores[name], self.estimates.get(name)
        return str(summary_of(self.table, *given, p_value=self.guessing_p_value))

    @property
    def _scores(self) -> dict[str, Score]:
        return reported(self.average)

    @property
    def averages(self) -> dict[str, float]:
        """Informedness by each of its averages; empty for two classes, for which they agree."""
        if self.table.n_classes < 3 or INFORMEDNESS.undefined(self.table):
            return {}
        names = [str(average) for average in INFORMEDNESS.averages if average is not None]
        return {name: INFORMEDNESS.averaged(name).rounded(self.table) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; undefined numbers are None."""
        plain: dict[str, Any] = {
            "n_samples": self.table.n_samples,
            "total_weight": float(self.table.total),
            "n_classes": self.n_classes,
            "class_entropy_bits": self.class_entropy,
            "guessing_p_value": self.guessing_p_value,
        }
        if self.confidence_level is not None:
            plain["confidence_level"] = self.confidence_level
        if self.average != "default":
            plain["average"] = self.average
        for name, value in self.scores.items():
            plain[name] = value
            if name in self.estimates:
                plain[f"{name}_standard_error"] = self.estimates[name].standard_error
                plain[f"{name}_confidence_interval"] = self.estimates[name].confidence_interval
        plain |= {f"{name}_doubt": few for name, few in _marked(self.estimates).items()}
        plain |= self.unknown
        plain, *per_class = (
            {name: render.as_json(x) for name, x in row.items()} for row in (plain, *self.per_class)
        )
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
        from .figures import draw_per_class

        return draw_per_class(self, ax)

    def text_tables(self) -> list[Rows]:
        """Return the table of scores, that of classes and, of up to eight of them, the cells."""
        tables = [[["", "value", *self._interval_heads], *self._score_rows()], self._class_rows()]
        if len(self.per_class) <= _MOST_IN_MATRIX:
            tables += matrix.Matrix(self.table, has_totals=True).text_tables()
        return tables

    def text_lines(self) -> list[str]:
        """Return the sentences, the scores without an interval and why, and the signature."""
        lines = [self.summary]
        if averages := self.averages:
            shown = {name: f"{name} {render.rounded(value)}" for name, value in averages.items()}
            if self.prevalence is not None:
                shown["prevalence"] += f" {self.prevalence.interval_in_words(2)}"
            lines.append(f"Informedness by average: {', '.join(shown.values())}.")
        if np.count_nonzero(self.table.reference_totals) > 1:
            others = (name for name in MODULES if name in self.scores and name != "informedness")
            lines += map(self.summary_of, others)
        if self.unknown:
            lines.append(self._without_unknown(*self.unknown.values()))
        for name, made in self.estimates.items():
            if made.doubt and math.isnan(made.confidence_interval[0]):
                lines.append(f"No interval of {score_named(name).title}: {made.doubt}.")
        return [*lines, *(f"* {few}." for few in _marked(self.estimates).values()), self.signature]

    def _lead_first(self) -> list[str]:
        return self.text_lines()  # the summary is the first

    def _without_unknown(self, n: int | None, share: float, *without: float) -> str:
        there = "by weight" if n is None else f"{n:,}"
        said = f"{share_text(share)} of the answers ({there}) are none of the classes and count as "
        said += "wrong"
        if INFORMEDNESS.undefined(self.table):
            return f"{said}."
        informedness, nit = (
            f"{render.rounded(value, 3)} rather than {render.rounded(self.scores[name], 3)}"
            for name, value in zip(("informedness", "nit"), without, strict=True)
        )
        return f"{said}; without them Informedness would be {informedness}, and NIT {nit}."

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
        return "\n\n".join([*self.read_blocks(), *tables, *self.text_lines()])

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

    @property
    def _interval_heads(self) -> list[str]:
        return [] if self.confidence_level is None else render.interval_heads(self.confidence_level)

    def _score_rows(self) -> Rows:
        n = self.table.n_samples
        rows = [["N", "unknown" if n is None else str(n)]]
        if self.table.is_weighted:
            rows.append(["Total weight", f"{self.table.total:.6g}"])
        rows.append(["Classes", str(self.n_classes)])
        rows.append(["Class entropy", f"{render.rounded(self.class_entropy, 4)} bits"])
        if self.confidence_level is not None:
            rows.append(["Confidence level", f"{self.confidence_level:.6g}"])
        for name, value in self.scores.items():
            interval = self.estimates[name].shown() if name in self.estimates else []
            title = score_named(name).title + "*" * (name in _marked(self.estimates))
            rows.append([title, render.rounded(value, 4), *interval])
        return layout.padded(rows, 2 + len(self._interval_heads))

    def _class_rows(self) -> Rows:
        amount = "weight" if self.table.is_weighted else "N"
        head, rows = ["class", amount, *_HEADS], []
        if has_intervals := "tpr_minus_fpr_standard_error" in self.per_class[0]:
            head[_INTERVAL:_INTERVAL] = self._interval_heads
        for row in self.per_class[:_MOST_CLASSES]:
            rates = (render.rounded(row[x], 4) for x in _RATES)
            cells = [render.shown(row["label"]), render.amount(row["support"]), *rates]
            if has_intervals:
                ends = row["tpr_minus_fpr_confidence_interval"]
                interval = render.shown_interval(row["tpr_minus_fpr_standard_error"], ends)
                cells[_INTERVAL:_INTERVAL] = interval
            rows.append(cells)
        return [head, *rows, *layout.more_rows(len(self.per_class) - _MOST_CLASSES, len(head))]


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
    pairs, given = None, (labels, sample_weight, ignore_index, unknown)
    if groups is None:
        table = table_given(y_true, y_pred, *given)
    else:
        check_groups_have_level(confidence_level)
        table, pairs = table_in_groups(y_true, y_pred, groups, *given)
    ignored = by_name(ignore_index, y_true, y_pred)
    return Report.from_table(table, confidence_level, ignored, pairs, average)


def _marked(estimates: Mapping[str, Estimate]) -> dict[str, str]:
    """Return the doubt that marks a row in place of a warning: that of NIT alone, often found."""
    others = {made.doubt for name, made in estimates.items() if name != NIT.name}
    made = estimates.get(NIT.name)
    if made is None or made.doubt in {*others, ""} or math.isnan(made.confidence_interval[0]):
        return {}
    return {NIT.name: made.doubt}
