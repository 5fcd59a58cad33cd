"""Report the usual scores of a table side by side, with a summary and notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..core.labels import Label
from ..inference.entropy import guessing_p_value, reference_entropy
from ..inference.registry import scores_in_report
from ..inference.score import INFORMEDNESS, Score, has_standard_errors, rates_by_class, signature_of
from ..inference.significance import CellPairs
from ..messages import Message
from ..tables import matrix
from ..tables.contingency import ContingencyTable
from ..tables.label_options import to_class_names
from ..text import layout, render
from ..text.layout import Account, Block, Result, Rows, add_left_out
from .estimate import AverageOption, Estimate, level_text, read_table, reported_estimates
from .figures import draw_per_class
from .summary import drop_out_of_class, notes_of, out_of_class_share, summarise, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PREVALENCE_SCORE = "informedness_prevalence"  # an extra row, for three or more classes
_NOT_IN_CSV = ("guessing", "best", "summary", "notes", "read")
_MAX_CLASSES = 50  # in text
_MAX_IN_MATRIX = 8  # with more classes, text has no confusion matrix


@dataclass(frozen=True, repr=False)
class Report(Result, Mapping[str, float]):
    """Scores of one contingency table by name.

    `str()` gives the text that the command line prints.

    Attributes
    ----------
    table : ContingencyTable
        The table that the scores are computed from.
    scores : dict of str to float
        accuracy, balanced_accuracy, f1_macro, cohen_kappa, matthews_corrcoef, informedness
        and nit. The first five are those of scikit-learn, except that unknown="wrong" gives
        out-of-class predictions one label. An undefined kappa is nan. Informedness of a single
        class is 0.0, with a warning. With three or more classes and the default average,
        informedness uses "bias", and informedness_prevalence is added.
    class_entropy : float
        Entropy of the references in bits.
    per_class : list of dict
        For each class, its label, support (the number or weight of its references), prevalence,
        bias, tpr, fpr, tpr_minus_fpr, precision and f1. A rate is nan if its denominator is 0.
        Unless samples are in groups, a confidence level adds tpr_minus_fpr_standard_error,
        tpr_minus_fpr_confidence_interval, and Wilson's tpr_confidence_interval and
        precision_confidence_interval.
    average : {"default", "bias", "prevalence", "macro"}
        Average of Informedness in the scores.
    guessing_p_value : float
        P-value of the test of independence: how often randomly permuted predictions would fit the
        references at least as well. It is nan for samples in groups, and for weights without their
        squares.
    summary : str
        What Informedness says about the model, in one sentence. With three or more classes and the
        default average, this is Informedness with the prevalence average. The function
        `informedness.results.summary.summarise` lists the codes.
    notes : tuple of str
        Remarks of one sentence each, for example on the share of out-of-class predictions.
    guessing, best : dict of str to float
        Guessing level and best level, by the name of the score.
    signature : str
        A line that records the options, the number of samples and the version.
    confidence_level : float or None
        Share of intervals that should contain the true value; None without intervals.
    estimates : dict of str to Estimate
        Each score with its standard error and interval; empty without a confidence level.
    read : tuple of Account
        Accounts of the files or data frames that were read.

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
    summary: Message
    notes: tuple[Message, ...]
    marked: frozenset[str] = field(repr=False)  # names of the scores with a mark in text
    metrics: dict[str, Score] = field(repr=False)  # the objects that computed `scores`
    signature: str
    confidence_level: float | None = None
    estimates: dict[str, Estimate] = field(default_factory=dict)
    average: AverageOption = "default"
    read: tuple[Account, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def from_table(
        cls,
        table: ContingencyTable,
        confidence_level: float | None = None,
        ignore_index: Label | None = None,
        pairs: CellPairs | None = None,
        average: AverageOption = "default",
    ) -> Report:
        """Report on a table, for example a table merged from parts or counted by a query.

        Parameters
        ----------
        table : ContingencyTable
            The table to report on.
        confidence_level : float, optional
            Adds standard errors and intervals at this level, for example 0.95; see `estimate`.
        ignore_index : label, optional
            The reference whose samples the table leaves out. It is used only in the signature.
        pairs : CellPairs, optional
            Samples in groups, for the intervals of the scores. Intervals of classes and the test of
            independence assume independent samples, so they are omitted.
        average : {"bias", "prevalence", "macro"}, optional
            Average of Informedness, as in `informedness_score`.
        """
        options: dict[str, Any] = {"ignore_index": ignore_index}
        settings = level_text(confidence_level, pairs)
        line = signature_of("report", table, average=average, interval=settings, **options)
        scores = scores_in_report(average)
        if average == "default" and table.n_classes > 2:
            scores[PREVALENCE_SCORE] = INFORMEDNESS.with_average("prevalence")
            scores["nit"] = scores.pop("nit")  # so that the averages are side by side
        values = {name: _value_of(name, score, table) for name, score in scores.items()}
        estimates = reported_estimates(table, confidence_level, scores, pairs=pairs, **options)
        notes, marked = notes_of(table, scores, values, estimates)

        is_tested = pairs is None and has_standard_errors(table)
        p_value = guessing_p_value(table) if is_tested else math.nan
        main = PREVALENCE_SCORE if PREVALENCE_SCORE in scores else "informedness"
        return cls(
            table=table,
            scores=values,
            class_entropy=reference_entropy(table),
            per_class=rates_by_class(table, confidence_level if pairs is None else None),
            guessing_p_value=p_value,
            summary=summarise(table, scores[main], values[main], estimates.get(main), p_value),
            notes=tuple(notes),
            marked=frozenset(marked),
            metrics=scores,
            signature=add_left_out(line, table.read),
            confidence_level=confidence_level,
            estimates=estimates,
            average=average,
            read=table.read,
        )

    @property
    def n_classes(self) -> int:
        """Number of declared classes; by default, of classes that occur in the references."""
        return self.table.n_classes

    @property
    def guessing(self) -> dict[str, float]:
        """Expected score of the best guesser in large samples, by the name of the score."""
        return {name: score.guessing_level(self.table) for name, score in self.metrics.items()}

    @property
    def best(self) -> dict[str, float]:
        """Score of perfect predictions, by the name of the score."""
        return {name: score.best_level(self.table) for name, score in self.metrics.items()}

    @property
    def out_of_class(self) -> dict[str, Any]:
        """Number and share of out-of-class predictions, and scores without them; {} if none occur.

        The scores `*_in_class` are for samples with predictions in class, and nan if undefined.
        With weights, `n_out_of_class` is None.

        Examples
        --------
        >>> references, answers = ["yes", "no"] * 4, ["yes", "no"] * 3 + ["yes", "I cannot say."]
        >>> result = report(references, answers, labels=["yes", "no"], unknown="wrong")
        >>> result.out_of_class["n_out_of_class"], result.out_of_class["informedness_in_class"]
        (1, 1.0)
        """
        n = self.table.out_of_class_totals.sum()
        if not n:
            return {}
        n_samples = None if self.table.is_weighted else int(n)
        fields = {"n_out_of_class": n_samples, "out_of_class_share": out_of_class_share(self.table)}
        in_class = drop_out_of_class(self.table)
        for name in ("informedness", "nit", "accuracy"):
            score = math.nan if in_class is None else self.metrics[name].value_or_nan(in_class)
            fields[f"{name}_in_class"] = score
        return fields

    def summary_of(self, name: str) -> Message:
        """Summarise in one sentence what a score of the report says about the model."""
        values = self.scores[name], self.estimates.get(name), self.guessing_p_value
        return summarise(self.table, self.metrics[name], *values)

    @property
    def averages(self) -> dict[str, float]:
        """Informedness with each average; {} if undefined, or for fewer than three classes."""
        if self.table.n_classes < 3 or INFORMEDNESS.why_undefined(self.table):
            return {}
        names = [str(average) for average in INFORMEDNESS.averages if average is not None]
        return {name: INFORMEDNESS.with_average(name).clipped_value(self.table) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Convert the report to plain values for JSON; undefined numbers become None."""
        table = self.table
        plain: dict[str, Any] = {"n_samples": table.n_samples, "total_weight": float(table.total)}
        plain |= {"n_classes": self.n_classes, "class_entropy_bits": self.class_entropy}
        plain["guessing_p_value"] = self.guessing_p_value
        plain |= {"confidence_level": self.confidence_level, "average": self.average}
        for name, value in self.scores.items():
            plain[name] = value
            if name in self.estimates:
                plain[f"{name}_standard_error"] = self.estimates[name].standard_error
                plain[f"{name}_confidence_interval"] = self.estimates[name].confidence_interval
        plain |= {f"informedness_{name}": value for name, value in self.averages.items()}
        plain |= self.out_of_class
        rows = (plain, *self.per_class)
        plain, *per_class = ({name: render.as_json(x) for name, x in row.items()} for row in rows)
        plain |= {"per_class": per_class, "guessing": self.guessing, "best": self.best}
        plain |= {"summary": str(self.summary), "notes": [*map(str, self.notes)]}
        return plain | {"signature": self.signature} | self.account_field()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the true and the false positive rate of each class (TPR and FPR).

        The length of the line between both rates is the gain TPR - FPR of the class. The gain is
        printed at the right, with its interval if `per_class` has intervals. The prevalence of the
        class follows its name. With more than 50 classes, the first 50 are drawn.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        return draw_per_class(self.per_class, 18 if self.confidence_level is None else 12, ax)

    def text_tables(self) -> list[Rows]:
        """Tabulate the scores and the classes; for up to eight classes, also the matrix.

        The matrix of two classes is part of the table of classes.
        """
        if len(self.per_class) == 2:
            return [self._score_rows(), self._two_class_rows()]
        tables = [self._score_rows(), self._class_rows()]
        if len(self.per_class) <= _MAX_IN_MATRIX:
            tables += matrix.Matrix(self.table, has_totals=True).text_tables()
        return tables

    def text_blocks(self) -> list[Block]:
        """List the size, scores, summary, classes, matrix, notes and signature, in this order."""
        scores, *class_tables = self.text_tables()
        n, n_classes = self.table.n_samples, render.count_text(self.n_classes, "class", "classes")
        size = ["unknown N" if n is None else f"N {n:,}", n_classes]
        if self.table.is_weighted:
            size.insert(1, f"total weight {self.table.total:.6g}")
        return [", ".join(size), scores, self.summary, *class_tables, self.notes, self.signature]

    def records(self) -> list[dict[str, Any]]:
        """Convert each score to a record; `per_class` holds the records of classes."""
        records: list[dict[str, Any]] = []
        for name, value in self.scores.items():
            interval = self.estimates[name].fields() if name in self.estimates else {}
            records.append({"score": name, "value": render.as_json(value), **interval})
        return records

    def to_csv(self) -> str:
        """Write CSV with the columns score, class (empty for the whole table) and value.

        Guessing levels, best levels, the summary, notes and accounts are left out.
        """
        plain = {name: x for name, x in self.to_dict().items() if name not in _NOT_IN_CSV}
        classes = [(row.pop("label"), row) for row in plain.pop("per_class")]
        rows: list[tuple[Any, ...]] = [("score", "class", "value")]
        for label, values in (("", plain), *classes):
            for name, value in values.items():
                if name.endswith("_confidence_interval"):
                    low, high = value or (None, None)
                    rows += [(f"{name}_low", label, low), (f"{name}_high", label, high)]
                else:
                    rows.append((name, label, value))
        return "".join(map(layout.csv_line, rows))

    def __getitem__(self, name: str) -> float:
        """Look up a score by its name."""
        return self.scores[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the scores."""
        return iter(self.scores)

    def __len__(self) -> int:
        """Count the scores."""
        return len(self.scores)

    def _score_rows(self) -> Rows:
        guessing, best = self.guessing, self.best
        heads = ["guessing", "best"] if set(best.values()) != {1} else ["guessing"]
        rows = [["", "value", *render.interval_heads(self.confidence_level), *heads]]
        for name, score in self.metrics.items():
            title = title_of(self.table, score) + ("*" if name in self.marked else "")
            row = [title, render.rounded(self.scores[name], 4)]
            row += self.estimates[name].shown() if name in self.estimates else []
            levels = (guessing[name],) if best[name] == 1 else (guessing[name], best[name])
            rows.append([*row, *(render.rounded(level, 3) for level in levels)])
        return rows

    def _two_class_rows(self) -> Rows:
        """List the rates and the cells of two classes.

        TPR - FPR is left out, because both classes have the same value, which is Informedness.
        """
        _, labels, cells = matrix.most_frequent_classes(self.table, 2)
        columns = render.cut_uniquely([*map(render.shown, labels)], 20)
        columns_and_labels = zip(columns, labels, strict=True)
        columns = [name if label is None else f"as {name}" for name, label in columns_and_labels]
        rows = [["class", self._unit(), *columns, "TPR", "FPR", "precision", "F1"]]
        for row, amounts in zip(self.per_class, cells.tolist(), strict=True):
            rates = (render.rounded(row[name], 3) for name in ("tpr", "fpr", "precision", "f1"))
            amounts = map(render.amount, (row["support"], *amounts))
            rows.append([render.shown(row["label"]), *amounts, *rates])
        totals = cells.sum().item(), *cells.sum(axis=0).tolist()
        return [*rows, ["total", *map(render.amount, totals), *[""] * 4]]

    def _class_rows(self) -> Rows:
        interval = "tpr_minus_fpr_confidence_interval"
        rows = [["class", self._unit(), "bias", "TPR", "FPR", "TPR-FPR", "precision", "F1"]]
        if interval in self.per_class[0]:
            rows[0].insert(6, render.interval_heads(self.confidence_level)[1])
        for row in self.per_class[:_MAX_CLASSES]:
            names = ("bias", "tpr", "fpr", "tpr_minus_fpr", "precision", "f1")
            rates = (render.rounded(row[name], 3) for name in names)
            rows.append([render.shown(row["label"]), render.amount(row["support"]), *rates])
            if interval in row:
                rows[-1].insert(6, render.shown_interval(math.nan, row[interval], 3)[1])
        return rows + layout.more_rows(len(self.per_class) - _MAX_CLASSES)

    def _unit(self) -> str:
        return "weight" if self.table.is_weighted else "N"


def _value_of(name: str, score: Score, table: ContingencyTable) -> float:
    """Compute a score; do not repeat the warnings of Informedness for its prevalence average."""
    return float(score.clipped_value(table) if name == PREVALENCE_SCORE else score.value(table))


def report(
    y_true: Any,
    y_pred: Any = None,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    average: AverageOption = "default",
    groups: Any = None,
    confidence_level: float | None = None,
) -> Report:
    """Compute the usual scores of predictions side by side, and summarise them in one sentence.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`. Without groups, a `ContingencyTable` may be passed as `y_true`
        instead of labels; `ignore_index` then appears only in the signature.
    average : {"bias", "prevalence", "macro"}, optional
        Average of Informedness, as in `informedness_score`.
    groups : array-like of shape (n_samples,), optional
        As in `estimate`. Groups need a confidence level.
    confidence_level : float, optional
        Adds standard errors and confidence intervals at this level, for example 0.95; see
        `estimate`.

    Returns
    -------
    Report
        It is converted by `str()`, `.to_dict()`, `.to_pandas()`, `.to_markdown()`, `.to_latex()`,
        `.to_html()` and `.to_csv()`.

    Raises
    ------
    ValueError
        As in `informedness_score`; with a confidence level, also as in `estimate`. Also if
        `average` is not valid, or if `groups` are passed without a confidence level.

    Warns
    -----
    IntervalWarning
        As in `estimate`, but once for all scores with the same caveat, and not for a caveat that
        only NIT has, unless NIT has no interval.
    UndefinedMetricWarning, LabelsWarning, InformednessWarning
        As in `informedness_score`.

    See Also
    --------
    slices : Score slices of the samples, for example types of question.

    Examples
    --------
    >>> result = report(["ham"] * 90 + ["spam"] * 10, ["ham"] * 100)
    >>> result.scores["accuracy"], result.scores["informedness"]
    (0.9, 0.0)
    >>> print(result.summary)
    Informedness: cannot be distinguished from guessing on 100 samples.
    """
    table, pairs = read_table(y_true, y_pred, groups, labels, sample_weight, ignore_index, unknown)
    ignored = to_class_names(ignore_index, y_true, y_pred)
    return Report.from_table(table, confidence_level, ignored, pairs, average)
