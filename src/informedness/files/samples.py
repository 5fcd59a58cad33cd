"""Convert rows to samples: read labels in batches, and check them once all rows are read."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from ..core import labels as core_labels
from ..core.labels import NULLS, Column, Label, LabelsWarning, Numbers, show, warn
from ..core.table import Task, read_amounts
from ..errors import prefix_errors, refuse_all
from ..messages import Message, join
from ..tables import label_warnings
from ..tables.contingency import read_integers
from ..tables.label_options import LabelOptions, convert_labels, integer_of, read_labels
from ..text.layout import Account, Amounts, ReadColumn, amounts_of
from ..text.render import amount, shown
from .columns import column_of, columns_of_argument, labelled_arguments, name_list
from .opening import DELIMITERS

_INTEGER = r"-?(0|[1-9]\d*)"
_TRUTH_VALUES = {"True", "False"}, {"true", "false"}, {"TRUE", "FALSE"}


class Source(NamedTuple):
    """A file or a frame to read."""

    name: str
    kind: str  # the format of a file, or "frame"
    header: Sequence[str] = ()
    class_names: Mapping[str, Sequence[str]] = {}  # names of classes by argument
    # Reads the values of these columns of a frame, or the first rows of all columns of a file
    columns: Callable[[Sequence[str]], Mapping[str, Sequence[Any]]] = lambda names: {}


@dataclass
class Samples:
    """Read the rows of a data set in batches, as labels and amounts.

    Errors are collected, also about missing values, and raised together once all rows are read.

    Parameters
    ----------
    names : dict of str to str
        The column of each argument, such as "references", "predictions_a", "weights" or "by 2".
    options : LabelOptions
        Options for reading labels.
    drop_null, keep_missing : bool
        As in `table_from_file`.
    is_label_sensitive : bool
        Whether relabelling the predictions changes the score. If it does not, predictions may have
        other labels than the references.
    prior_labels : collection of str
        Labels of the prior, which may show that texts such as 1.0 and 1 are one label.
    """

    names: Mapping[str, str]
    options: LabelOptions = field(default_factory=LabelOptions)
    drop_null: bool = False
    keep_missing: bool = False
    is_label_sensitive: bool = True
    prior_labels: Collection[str] = ()
    are_labels: bool = False  # whether columns to read hold labels already

    source: Source = field(default_factory=lambda: Source("", ""))  # the source that is being read
    class_names: Sequence[str] = ()  # names of classes in the current source
    # Collected from all sources
    sources: list[str] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    n_rows: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    n_missing: Counter[str] = field(default_factory=Counter)  # missing values by argument
    # The row of the first missing value of each argument, from 1
    first_missing: dict[str, int] = field(default_factory=dict)
    errors: dict[str, ValueError] = field(default_factory=dict)  # the first of each argument
    # Sources with errors, also about missing values, as an ordered set
    faulty_sources: dict[str, None] = field(default_factory=dict)
    # The first label of references and predictions together, and of each other argument
    examples: dict[str, Column] = field(default_factory=dict)
    text_labels: Mapping[Any, Label] = field(default_factory=dict)  # label of each text
    # Distinct texts by number of the source and argument
    texts: dict[tuple[int, str], set[str]] = field(default_factory=dict)
    has_text: bool = False  # whether a source is CSV, TSV or lines of text
    has_integers: bool = False  # whether references are integers
    ignored: Label | None = None  # the reference to leave out

    @property
    def labelled_arguments(self) -> list[str]:
        """The arguments whose columns hold labels to score."""
        return labelled_arguments(self.names)

    # Read rows

    def begin(self, source: Source) -> None:
        """Start another source, and record its name and columns."""
        self.source = source
        self.sources.append(source.name)
        self.header += [name for name in source.header if name not in self.header]
        self.has_text |= source.kind in DELIMITERS
        class_names = (source.class_names.get(argument) for argument in self.labelled_arguments)
        self.class_names = next(filter(None, class_names), ())

    def read(self, batch: Mapping[str, Any], **sums: Numbers) -> dict[str, Any]:
        """Read labels as columns and amounts as arrays, without the rows that are left out.

        The result is empty after an error, which `refuse` raises, or if all rows are left out.
        `sums` are those of a GROUP BY: "times" is the number of rows that each row represents, and
        "squares" the sum of their squared weights.
        """
        n = len(next(iter(batch.values())))
        columns: dict[str, Any] = {**sums}
        times = columns.get("times", np.ones(n, dtype=np.int64))
        keep = np.ones(n, dtype=bool)
        for argument, values in batch.items():
            try:
                with prefix_errors(f"after row {self.n_rows} of the data" if self.n_rows else ""):
                    columns[argument], missing = self.read_values(argument, values)
            except ValueError as error:
                self.errors.setdefault(argument, self._explain_in_sheet(argument, values) or error)
                self.faulty_sources[self.source.name] = None
                continue
            self.n_missing[argument] += int(times[missing].sum())
            is_wrong = argument.startswith("predictions") and self.options.unknown == "wrong"
            if missing.any() and not is_wrong:
                self.first_missing.setdefault(argument, self.n_rows + int(missing.argmax()) + 1)
                if not self.drop_null:
                    self.faulty_sources[self.source.name] = None
                noun = re.split("[ _]", argument)[0].removesuffix("s")  # "prediction", for example
                self.left_out[f"no {noun}"] += int(times[missing & keep].sum())
                keep &= ~missing
        self.n_rows += int(times.sum())
        if self.errors or not keep.any():
            return {}
        selected = slice(None) if keep.all() else keep  # a mask would copy all rows
        return {name: column[selected] for name, column in columns.items()}

    def _explain_in_sheet(self, argument: str, values: Any) -> ValueError | None:
        """Explain an error in a sheet if a row at its end seems to be a total or a note."""
        if self.source.kind != "xlsx" or argument not in self.labelled_arguments:
            return None
        label = next((x for x in values if x is not None), None)
        rows = [i for i, x in enumerate(values) if not isinstance(x, (type(label), type(None)))]
        if not rows or len(values) - rows[0] > max(3, len(values) // 20):
            return None
        row, got = self.n_rows + rows[0] + 1, show(values[rows[0]])
        text = f"`{argument}`: row {row:,d} of the data has {got} where the rows above have labels"
        return ValueError(f"{text} such as {show(label)}. Delete totals and notes at the end.")

    def read_values(self, argument: str, values: Any) -> tuple[Any, Numbers]:
        """Read labels as a column, or amounts as an array; also mark the missing values."""
        if argument in ("weights", "counts"):
            return _read_amounts(argument, values)
        column = values if self.are_labels else self._read_labels(argument, values)
        if column.kind is not None:
            self._check_kind(argument, column)
        return column, ~column.differs_from(None)

    def _read_labels(self, argument: str, values: Any) -> Column:
        """Read labels as a column; convert scores to classes."""
        has_scores = self.options.threshold is not None and argument.startswith("predictions")
        if isinstance(values, tuple) or has_scores:
            values = self._classes_of_scores(values, argument)
        elif self.source.kind == "xlsx" and self.keep_missing:
            values = ["" if value is None else value for value in values]
        is_text = self.source.kind in DELIMITERS
        nulls = self.options.nulls() if is_text and not self.keep_missing else ()
        class_names = self.source.class_names.get(argument, self.class_names)
        column = convert_labels(values, argument, self.options, class_names, nulls, argument)
        is_recorded = is_text and argument in self.labelled_arguments and column.kind == "strings"
        return self._record_texts(argument, column) if is_recorded else column

    def _record_texts(self, argument: str, column: Column) -> Column:
        """Record the texts in a column, and spell references to ignore like `ignore_index`."""
        texts: Sequence[Any] = column.values or ()
        present = {*texts} - {None}
        self.texts.setdefault((len(self.sources), argument), set()).update(present)
        ignored = str(self.options.ignored_label(is_integer=False))
        if argument != "references" or self.options.ignore_index is None:
            return column
        labels = labels_of_text([present, {ignored}])
        spellings = {x for x in texts if labels.get(x, x) == labels.get(ignored, ignored)}
        return Column(column.codes, [ignored if x in spellings else x for x in texts])

    def _classes_of_scores(self, values: Any, argument: str) -> Column:
        """Convert the scores in each row to a class; None if a score is nan.

        A tuple has one column of scores per class. The class with the highest score is used, or
        the first of several such classes. With a single column, scores above the threshold become
        the second of two classes, and other scores the first.
        """
        columns = values if isinstance(values, tuple) else (values,)
        threshold, references = self.options.threshold, self.examples.get("references")
        is_integer = not self.has_text if references is None else references.kind == "integers"
        classes = self.options.classes(is_integer) or ()
        if len(columns) > 1 and (threshold is not None or len(classes) != len(columns)):
            rule = f"`labels` must list a class for each of the {len(columns)} columns of scores"
            got = f"got classes {classes or 'none'}"
            raise ValueError(f"{rule}, in their order, and `threshold` must be left out; {got}")
        scores = np.stack([read_scores(column, argument) for column in columns], axis=1)
        codes = scores.argmax(axis=1) if threshold is None else scores[:, 0] > threshold
        labels = [label if is_integer else str(label) for label in classes or (0, 1)]
        return Column(np.where(np.isnan(scores).any(axis=1), len(labels), codes), [*labels, None])

    def _check_kind(self, argument: str, column: Column) -> None:
        """Raise an error if labels differ in type from references, or from earlier batches.

        The error suggests the option `numeric` if it would help.
        """
        key = "references" if argument in self.labelled_arguments else argument
        first = self.examples.setdefault(key, read_labels([column.example()], key))
        try:
            if key == argument:  # all batches must have labels of one type
                read_labels([first.example(), column.example()], argument)
            core_labels.check_same_kind(first, key, column, argument)
        except ValueError as error:
            examples = first.example(), column.example()
            if self.source.kind == "frame" or None in map(integer_of, examples):
                raise
            raise ValueError(join([error, "numeric=True reads text as integers"])) from error

    def make_task(self, references: Column, rows: Mapping[str, Any]) -> Task:
        """Make a task with the reference to ignore, and count the rows that are left out.

        They are the rows with this reference, and other rows of weight 0.
        """
        self.has_integers = references.kind == "integers"
        ignored = self.options.ignored_label(self.has_integers, self.class_names)
        self.ignored = None if ignored is None else self.spell(ignored)
        times = rows.get("times", np.ones(len(references), dtype=np.int64))
        counted = references.differs_from(self.ignored)
        self.left_out["ignored"] += int(times[~counted].sum())
        if "weights" in rows:
            self.left_out["of weight 0"] += int(times[counted & (rows["weights"] == 0)].sum())
        return Task(None, self.ignored, "error")

    def spell(self, label: Any) -> Any:
        """Spell a label from the options like the references of a text file."""
        if not self.has_text:
            return label
        return self.text_labels.get(str(label), label if self.has_integers else str(label))

    # Finish once all rows are read

    def refuse(self, errors: Iterable[ValueError] = ()) -> None:
        """Raise one error that lists all collected errors and `errors`, unless there are none."""
        with prefix_errors(name_sources([*self.faulty_sources] or self.sources)):
            refuse_all([*self.errors.values(), *self._null_errors(), *errors])

    def _null_errors(self) -> Iterator[ValueError]:
        """Yield the error about missing values, unless they count as wrong or are dropped."""
        arguments = [x for x in self.names if x in self.first_missing and not self.drop_null]
        null = "an empty cell or text such as NA" if self.has_text else "None (null) or nan"
        reasons = [
            f"`{argument}` must have a value in every row, got {null} in "
            f"{self.n_missing[argument]} of {self.n_rows} rows of column {self.names[argument]!r}"
            for argument in arguments
        ]
        if not reasons:
            return
        if len(self.sources) == 1 and self.source.kind != "frame":
            reasons[0] += f", first in row {self.first_missing[arguments[0]]} of the data"
        remedies = "With drop_null=True such rows are left out."
        if any(argument.startswith("predictions") for argument in arguments):
            remedy = 'With unknown="wrong" a missing prediction counts as wrong'
            reason = "leaving it out can flatter a model that gives up on hard samples"
            remedies = f"{remedy}; {reason}. {remedies}"
        if self.has_text:
            remedies += " With keep_missing=True such text is a label."
        yield ValueError(f"{'; '.join(reasons)}. {remedies}")

    def check_labels(
        self, totals: Mapping[str, Amounts], never_repeats: bool
    ) -> tuple[Mapping[Any, Label], Task, Account]:
        """Raise the collected errors, or check the labels of all rows.

        `totals` has pairs of a label and its amount, for each labelled argument. The amount is a
        number of samples or a sum of weights. `never_repeats` says whether there are several rows,
        and no two have the same labels. The results are the label of each text, the task, and
        the account.
        """
        self.refuse()
        _warn_of_no_header(self, totals)
        self.text_labels = self._labels_of_text(totals)
        label_totals = {argument: self._rename(amounts) for argument, amounts in totals.items()}
        references = [label for label, _ in label_totals["references"]]
        self.has_integers = any(isinstance(label, int) for label in references)
        self.ignored = self.text_labels.get(self.ignored, self.ignored)
        classes = self.options.classes(self.has_integers, self.class_names)
        task_classes = None if classes is None else tuple(map(self.spell, classes))
        core_labels.check_distinct(task_classes or (), "labels")
        if task_classes is None:
            self.refuse(_errors_without_labels(self, label_totals, references))
        _warn_of_mistakes(self, label_totals, task_classes or (), never_repeats)
        task = Task(task_classes, self.ignored, self.options.unknown)
        account = self._account(totals, label_totals, {*(task_classes or references)})
        return self.text_labels, task, account

    def _labels_of_text(self, totals: Mapping[str, Amounts]) -> Mapping[Any, Label]:
        """Find the label of each text in columns and options; empty if no text changes.

        It is also empty if no source is text, or a label of the samples is not text.
        """
        labels = {label for label, _ in chain(*totals.values())} - {None}
        if not self.has_text or not all(isinstance(label, str) for label in labels):
            return {}
        ignored = self.options.ignore_index
        options = [self.options.spellings.values(), [] if ignored is None else [str(ignored)]]
        return labels_of_text([*self.texts.values(), *options, self.prior_labels])

    def _rename(self, amounts: Amounts) -> Amounts:
        """Replace texts by their labels, and add up the amounts of texts with the same label."""
        totals = Counter[Any]()
        for label, n in amounts:
            totals[self.text_labels.get(label, label)] += n
        return amounts_of(totals, totals.values())

    def columns_not_used(self) -> list[str]:
        """List the columns that no argument uses."""
        names = chain(*(columns_of_argument(*item).values() for item in self.names.items()))
        used = {column_of(name, self.header) for name in names}
        return [name for name in self.header if name not in used]

    def _account(
        self, texts: Mapping[str, Amounts], totals: Mapping[str, Amounts], classes: Collection[Any]
    ) -> Account:
        """Build the account of a data set; `texts` are the totals before texts become labels."""
        columns = []
        for argument, name in self.names.items():
            role = argument.replace("_a", " A").replace("_b", " B")
            amounts = totals.get(argument, [])
            labels = [pair for pair in amounts if pair[0] in classes]
            out_of_class = [pair for pair in amounts if pair[0] not in classes]
            notes = _notes(self, argument, texts[argument]) if argument in texts else ()
            columns.append(ReadColumn(role, name, labels, out_of_class, tuple(notes)))
        fields = tuple(self.sources), self.n_rows, +self.left_out, tuple(columns)
        return Account(*fields, tuple(self.columns_not_used()), self.ignored)


def _warn_of_mistakes(
    samples: Samples, totals: Mapping[str, Amounts], classes: Sequence[Label], never_repeats: bool
) -> None:
    """Warn of names and labels that are probably mistakes; `classes` are those of the options."""
    names, ignored = samples.names, samples.ignored
    is_file = samples.source.kind != "frame" and len(samples.labelled_arguments) > 1
    if is_file and ignored is not None and not samples.left_out["ignored"]:
        warn(f"`ignore_index` leaves out nothing: no reference is {show(ignored)}", LabelsWarning)
    for argument in samples.labelled_arguments[1:]:
        label_warnings.warn_of_swapped(names["references"], names[argument])
        columns = columns_of_argument(argument, names[argument])
        label_warnings.warn_of_other_order([*columns.values()], classes)
    with suppress(ValueError):  # errors in columns that are not scored
        _warn_of_verdicts(samples, totals)
        if "counts" not in names and never_repeats and _cover_many_pairs(totals):
            _warn_of_counts(samples)


def _errors_without_labels(
    samples: Samples, totals: Mapping[str, Amounts], classes: Sequence[Any]
) -> Iterator[ValueError]:
    """Yield errors about labels that are valid only if the options list the classes."""
    if samples.options.threshold is not None and not {*map(str, classes)} <= {"0", "1"}:
        yield ValueError(
            f"`threshold` makes classes 0 and 1, but the references have {name_list(classes[:3])}. "
            "List two classes as `labels`, the one of low scores first. For more classes, name a "
            "column of scores for each, as in argmax:a,b."
        )
        return
    for argument in samples.labelled_arguments[1:] if samples.is_label_sensitive else ():
        n_samples = {label: n for label, n in totals[argument] if label is not None}
        if n_samples and n_samples.keys().isdisjoint(classes) and samples.n_rows > 1:
            examples = [", ".join(map(show, x[:2])) for x in ([*n_samples], classes)]
            hint = label_warnings.mismatch_hint([*n_samples], classes)
            labels = f"the {amount(sum(n_samples.values()))} `{argument}` ({examples[0]})"
            text = f"none of {labels} is a class of the `references` ({examples[1]})"
            yield ValueError(f"{text}: {hint}")


def _warn_of_verdicts(samples: Samples, totals: Mapping[str, Amounts]) -> None:
    """Warn if predictions are verdicts: if they say whether references and another column agree."""
    names = samples.names
    asked = [names[x] for x in [*totals][1:] if len({*dict(totals[x])} - {None}) == 2]
    columns = samples.source.columns([]) if asked else {}
    for name, pair in label_warnings.verdicts_in(columns, [names["references"]], asked).items():
        if pair:
            text = f"{name!r} says in each row whether {' and '.join(map(repr, pair))} agree: it is"
            warn(f"{text} a verdict. Name {pair[1]!r} as `predictions`.", LabelsWarning)


def _warn_of_counts(samples: Samples) -> None:
    """Warn of columns of whole numbers, unused or named as weights, that may hold counts."""
    weights = [name for argument, name in samples.names.items() if argument == "weights"]
    names = [*samples.columns_not_used(), *weights]
    columns = samples.source.columns(names)
    texts = {name: map(str, columns[name]) for name in names if name in columns}
    pattern = re.compile(r"\+?[0-9]+(\.0*)?")
    if numbers := [name for name, cells in texts.items() if all(map(pattern.fullmatch, cells))]:
        text = "each row has a different pair of labels, as in a table of counts: if it is one, "
        text += f"name {' or '.join(map(repr, numbers))} as `counts`"
        warn(Message(text, "may be counts", columns=numbers), LabelsWarning)


def _notes(samples: Samples, argument: str, texts: Amounts) -> Iterator[str]:
    """Yield notes on how the texts or positions in a column became labels."""
    options, labels_of = samples.options, samples.text_labels
    changed = [str(x) for x, _ in texts if str(labels_of.get(x, x)) != str(x)]
    if options.numeric or any(isinstance(x, int) for x in labels_of.values()):
        yield "text read as integers"
    if changed:
        yield f"{min(changed)} read as {labels_of[min(changed)]!s}"
    if argument.startswith("predictions"):
        yield from _notes_on_predictions(samples, samples.n_rows - samples.n_missing[argument])
    if samples.class_names:
        yield "positions read as names of classes"


def _notes_on_predictions(samples: Samples, n_present: int) -> Iterator[str]:
    """Yield the class of scores above the threshold, and the number of extracted predictions."""
    options = samples.options
    if options.threshold is not None:
        yield f"above {options.threshold:g} read as {(options.classes(False) or (0, 1))[1]!s}"
    if options.pattern is not None:
        yield f"an answer extracted from {n_present:,d} of {samples.n_rows:,d}"


def _warn_of_no_header(samples: Samples, totals: Mapping[str, Amounts]) -> None:
    """Warn if the names of all columns of labels are also labels, as without a header."""
    names = [samples.names[x] for x in samples.labelled_arguments]
    labels = {label for label, _ in chain(*totals.values())}
    if {*names} <= ({*map(str, labels)} if samples.has_text else labels):
        warn(label_warnings.missing_header_message(names), LabelsWarning)


def _read_amounts(argument: str, values: Any) -> tuple[Numbers, Numbers]:
    """Read weights or counts as an array, with 0 for missing values, and mark missing values."""
    values = values if isinstance(values, list) else values.to_pylist()
    missing = np.array([value is None for value in values], dtype=bool)
    amounts = [0 if value is None else value for value in values]
    numbers = read_integers(amounts) if argument == "counts" else read_amounts(amounts, argument)
    return numbers, missing


def read_scores(values: Any, name: str) -> Numbers:
    """Read a column of scores, with nan for missing scores."""
    scores = list[float]()
    cells = values.tolist() if isinstance(values, Column) else values
    for value in cells if isinstance(cells, list) else cells.to_pylist():
        try:
            scores.append(math.nan if value is None or value in NULLS else float(value))
        except (TypeError, ValueError) as error:
            got = f"{show(value)}{label_warnings.decimal_comma_hint(value)}"
            raise ValueError(f"`{name}` must hold scores, got {got}") from error
    # Keep the precision of the column for comparisons with a threshold.
    return np.array(scores, np.float32 if str(getattr(values, "type", "")) == "float" else None)


def name_sources(sources: Sequence[str]) -> str:
    """Name the first source, and count the other sources."""
    first = "".join(map(shown, filter(None, sources[:1])))
    return f"{first} and {len(sources) - 1} more" if len(sources) > 1 else first


def _cover_many_pairs(totals: Mapping[str, Amounts]) -> bool:
    """Check whether samples without repeats cover all pairs of labels, or many of them.

    Many are more than twice as many as there are different labels.
    """
    n_samples = int(sum(n for _, n in totals["references"]))
    labels = [{label for label, _ in amounts} for amounts in totals.values()]
    return n_samples == math.prod(map(len, labels)) or n_samples > 2 * len(set().union(*labels))


# Several spellings of one label


def labels_of_text(groups: Sequence[Collection[str]]) -> dict[str, Label]:
    """Find the label of each text if a label has several spellings; otherwise an empty dict.

    A group holds the texts of a column or an option. True becomes 1, and False 0, if each group
    with truth values spells them in one case and does not hold other text. 2.0 becomes 2 if all
    decimal numbers are whole. If all labels are then whole numbers, they become integers.
    """
    texts = set().union(*groups)
    decimals = {text for text in texts if re.fullmatch(label_warnings.DECIMAL, text)}
    wholes = {x: x.partition(".")[0] for x in decimals if re.fullmatch(rf"{_INTEGER}\.0+", x)}
    if len(wholes) < len(decimals):
        wholes = {}
    spellings = wholes | _truth_values_in(groups)
    counts = Counter(spellings.get(text, text) for text in texts)
    if all(counts[label] == 1 for label in spellings.values()):
        return {}
    if all(re.fullmatch(_INTEGER, label) for label in counts):
        return {text: int(spellings.get(text, text)) for text in texts}
    return dict(spellings)


def _truth_values_in(groups: Sequence[Collection[str]]) -> dict[str, str]:
    """Map each truth value to its digit.

    The result is empty if a group mixes truth values with other text, or spells them in more than
    one case.
    """
    truths = [{*group} for group in groups if not {*chain(*_TRUTH_VALUES)}.isdisjoint(group)]
    if not all(any(group <= words for words in _TRUTH_VALUES) for group in truths):
        return {}
    return {text: str(int(text.lower() == "true")) for text in set().union(*truths)}
