"""The report: every score of a table side by side, and a sentence that explains them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.labels import Label
from ..core.table import Cells, Table
from ..functions import table_given
from ..inputs.read import Read, signed
from ..inputs.text_labels import by_name
from ..statistics.chance import guessing_p_value
from ..statistics.entropy import NIT, entropies
from ..statistics.intervals import Interval
from ..statistics.margins import INFORMEDNESS, ratio
from ..statistics.paired import CellPairs
from ..statistics.registry import MODULES, reported, score_named
from ..statistics.signature import signature_of
from . import render
from .estimate import Estimate, reported_estimates, warn_of
from .models import settings_of
from .render import Result, Rows
from .sentences import headline, summary_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLUMNS = ("prevalence", "bias", "tpr", "fpr", "tpr_minus_fpr", "precision", "f1")
_TITLES = {"tpr": "TPR", "fpr": "FPR", "tpr_minus_fpr": "TPR-FPR", "f1": "F1"}
_MOST_CLASSES = 50


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
        cls,
        table: Table,
        confidence_level: float | None = None,
        ignore_index: Label | None = None,
        pairs: CellPairs | None = None,
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
        """
        h, r, c, n = table.hits, table.reference_totals, table.prediction_totals, table.total
        tpr, fpr = ratio(h, r), ratio(table.false_positives, table.other_references)
        columns = {
            "prevalence": r / n,
            "bias": c / n,
            "tpr": tpr,
            "fpr": fpr,
            "tpr_minus_fpr": tpr - fpr,
            "precision": ratio(h, c),
            "f1": ratio(2 * (h / n), r / n + c / n),
        }
        lists = {"label": list(table.labels)} | {name: x.tolist() for name, x in columns.items()}
        estimates, how = {}, None
        if confidence_level is not None:
            how = settings_of(confidence_level, pairs)
            options: dict[str, Any] = {"pairs": pairs, "ignore_index": ignore_index}
            estimates = reported_estimates(table, confidence_level, **options)
            warn_of(made for name, made in estimates.items() if name not in _marked(estimates))
            made = [Interval(*[math.nan] * 4)] * len(table.labels)
            if pairs is None:
                by_class = INFORMEDNESS.averaged(None).with_interval()
                made = by_class.intervals(table, confidence_level)
            lists["tpr_minus_fpr_standard_error"] = [x.standard_error for x in made]
            lists["tpr_minus_fpr_confidence_interval"] = [(x.low, x.high) for x in made]
        rows = zip(*lists.values(), strict=True)
        per_class = [dict(zip(lists, row, strict=True)) for row in rows]
        scores = {score.name: float(score.value(table)) for score in reported()}
        informedness, accuracy = scores["informedness"], scores["accuracy"]
        asked = estimates.get("informedness")
        p_value = math.nan
        if pairs is None and (not table.is_weighted or table.squared_weights is not None):
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
    def averages(self) -> dict[str, float]:
        """Informedness by each of its averages; empty for two classes, for which they agree."""
        if len(self.table.labels) < 3 or INFORMEDNESS.undefined(self.table):
            return {}
        names = [str(average) for average in INFORMEDNESS.averages if average is not None]
        return {name: INFORMEDNESS.averaged(name).rounded(self.table) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; undefined numbers are None."""
        table = self.table
        plain: dict[str, Any] = {
            "n_samples": table.n_samples,
            "total_weight": float(table.total),
            "n_classes": self.n_classes,
            "class_entropy_bits": self.class_entropy,
            "guessing_p_value": render.as_json(self.guessing_p_value),
        }
        if self.confidence_level is not None:
            plain["confidence_level"] = self.confidence_level
        for name, value in self.scores.items():
            plain[name] = render.as_json(value)
            if name in self.estimates:
                made = self.estimates[name]
                plain[f"{name}_standard_error"] = render.as_json(made.standard_error)
                plain[f"{name}_confidence_interval"] = render.as_json(made.confidence_interval)
        plain |= {f"{name}_doubt": few for name, few in _marked(self.estimates).items()}
        if (unknown := self.unknown) is not None:
            plain |= unknown.to_dict()
        plain["per_class"] = [
            {name: render.as_json(x) for name, x in row.items()} for row in self.per_class
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
        lacking: dict[str, list[str]] = {}
        for name, made in self.estimates.items():
            if made.doubt and math.isnan(made.confidence_interval[0]):
                lacking.setdefault(made.doubt, []).append(score_named(name).title)
        without = [f"No interval of {', '.join(x)}: {few}." for few, x in lacking.items()]
        for name, few in _marked(self.estimates).items():
            said = f"its interval may cover the truth less often than it says: {few}"
            without.append(f"* {score_named(name).title}: {said}.")
        if averages := self.averages:
            named = ", ".join(f"{name} {render.rounded(value)}" for name, value in averages.items())
            sentences.insert(1, f"Informedness by average: {named}.")
        if (unknown := self.unknown) is not None:
            sentences.append(unknown.summary(self.scores))
        return [*sentences, *without, self.signature]

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each score; `per_class` has those of the classes."""
        records: list[dict[str, Any]] = []
        for name, value in self.scores.items():
            interval = self.estimates[name].fields() if name in self.estimates else {}
            records.append({"score": name, "value": render.as_json(value), **interval})
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
        return "".join(map(render.csv_line, rows))

    def __str__(self) -> str:
        """Return the report as text for a terminal."""
        tables = [render.aligned(self._score_rows()), render.aligned(self._class_rows())]
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
            mark = "*" * (name in _marked(self.estimates))
            title = f"{score_named(name).title}{mark}"
            rows.append([title, render.rounded(value, 4), *interval])
        return render.padded(rows, 2 + len(self._interval_heads))

    def _class_rows(self) -> Rows:
        rows = [
            [render.shown(row["label"]), *self._cells(row)]
            for row in self.per_class[:_MOST_CLASSES]
        ]
        head = ["class"]
        for name in _COLUMNS:
            head += [_TITLES.get(name, name), *self._interval_heads * (name == "tpr_minus_fpr")]
        return [head, *rows, *render.more_rows(len(self.per_class) - _MOST_CLASSES, len(head))]

    def _cells(self, row: dict[str, Any]) -> list[str]:
        cells = []
        for name in _COLUMNS:
            cells.append(render.rounded(row[name], 4))
            if f"{name}_standard_error" in row:
                ends = row[f"{name}_confidence_interval"]
                cells += render.shown_interval(row[f"{name}_standard_error"], ends)
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


def _marked(estimates: Mapping[str, Estimate]) -> dict[str, str]:
    """Return the doubt that marks a row in place of a warning: that of NIT alone, often found."""
    others = {made.doubt for name, made in estimates.items() if name != NIT.name}
    made = estimates.get(NIT.name)
    if made is None or made.doubt in {*others, ""} or math.isnan(made.confidence_interval[0]):
        return {}
    return {NIT.name: made.doubt}


# Answers outside the classes


@dataclass(frozen=True)
class Unknown:
    """Answers outside the declared classes, which count as wrong, and the scores without them.

    Leaving these samples out changes what is scored: the scores without them cover only the samples
    that were answered, with the same classes.

    Attributes
    ----------
    n_samples : int or None
        How many there are; None with weights, because a table then holds sums and not numbers.
    share : float
        Their share of all answers, by weight.
    answered : ContingencyTable or None
        The table of the others; None if there are none.
    informedness, nit : float
        Scores of the others; nan if undefined, for example with references of one class.
    """

    n_samples: int | None
    share: float
    answered: Table | None = None
    informedness: float = math.nan
    nit: float = math.nan

    @classmethod
    def of(cls, table: Table) -> Unknown | None:
        """Return the unknown answers of a table, None if it has none."""
        if table.labels[-1] is not None or not table.prediction_totals[-1]:
            return None
        known = table.columns != len(table.labels) - 1
        share = float(table.prediction_totals[-1] / table.total)
        n, n_answered = None, None
        if not table.is_weighted:
            n_answered = int(table.counts[known].sum())
            n = int(table.total) - n_answered
        if not known.any():
            return cls(n, share)
        columns = table.rows, table.columns, table.counts, table.squared_weights
        cells = Cells(*(None if x is None else x[known] for x in columns))  # type: ignore[arg-type]
        answered = table._of_cells(table.labels[:-1], table.declared, cells, n_answered)
        return cls(n, share, answered, INFORMEDNESS.or_nan(answered), NIT.or_nan(answered))

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of a report; undefined scores are None."""
        return {
            "n_unknown": self.n_samples,
            "unknown_share": self.share,
            "informedness_without_unknown": render.as_json(self.informedness),
            "nit_without_unknown": render.as_json(self.nit),
        }

    def summary(self, scores: Mapping[str, float]) -> str:
        """Return how many there are, and the scores without them beside those of all answers."""
        n, answered = self.n_samples, self.answered
        of_others = "those answered"
        if n is None:
            said = f"Answers with {_percent(self.share)} of the weight were none of the classes"
        else:
            n_answered = 0 if answered is None else answered.total
            were = "was" if n == 1 else "were"
            said = f"{n:,} of {n + n_answered:,} answers ({_percent(self.share)}) {were} "
            said += "none of the classes"
            of_others = f"the {n_answered:,} answered"
        if answered is None:
            return f"{said}; nothing is left to score without them."
        if INFORMEDNESS.undefined(answered):
            label = answered.labels[int(answered.reference_totals.argmax())]
            only = render.cut(render.shown(label, quote=True))
            one_class = f"all references of {of_others} are {only}"
            return f"{said}; {one_class}, so there is nothing to tell apart without them."
        informedness, nit = (
            f"{render.rounded(without, 3)} rather than {render.rounded(scores[name], 3)}"
            for name, without in (("informedness", self.informedness), ("nit", self.nit))
        )
        return f"{said}; on {of_others} Informedness would be {informedness}, and NIT {nit}."


def _percent(share: float) -> str:
    """Return a share in percent, which says 0 or 100 only if it is exactly none or all."""
    text = f"{100 * share:.1f}%"
    if text == "0.0%":
        return "less than 0.1%"
    return "more than 99.9%" if text == "100.0%" and share < 1 else text
