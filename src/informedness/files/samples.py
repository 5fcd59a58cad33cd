"""Convert rows of data to samples: read labels in batches, and check them once all are known."""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from ..core.labels import (
    NULLS,
    Column,
    Label,
    LabelsWarning,
    Numbers,
    check_distinct,
    check_same_kind,
    code_integers,
    show,
    warn,
)
from ..core.table import Task, read_amounts
from ..errors import prefix_errors, refuse_all
from ..messages import Message, join, with_subject
from ..tables.containers import read_labels
from ..tables.contingency import read_whole
from ..tables.label_options import LabelOptions, convert_labels, integer_of
from ..tables.label_warnings import (
    DECIMAL,
    decimal_comma_hint,
    mismatch_hint,
    missing_header_message,
    verdicts_in,
    warn_of_other_order,
    warn_of_swapped,
)
from ..text.layout import Account, Amounts, ReadColumn, amounts_of
from ..text.render import amount, shown
from .columns import column_of, columns_to_read, labelled_among

_WHOLE = r"-?(0|[1-9]\d*)"
_TRUTH_VALUES = {"True", "False"}, {"true", "false"}, {"TRUE", "FALSE"}


@dataclass(frozen=True)
class Source:
    """A file or a frame to read, with a function that returns its other columns."""

    name: str = ""
    is_text: bool = False
    is_sheet: bool = False
    is_frame: bool = False
    class_names: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by argument
    # Returns first rows of these columns, by default of all; a frame needs names
    columns: Callable[..., Mapping[str, Sequence[Any]]] = lambda names=(): {}


@dataclass
class Findings:
    """Counts and problems found while reading rows."""

    sources: list[str] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    n_rows: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    n_missing: Counter[str] = field(default_factory=Counter)  # by argument
    first_missing: dict[str, int] = field(default_factory=dict)  # row, counted from 1
    errors: dict[str, ValueError] = field(default_factory=dict)  # the first of each argument
    faulty: dict[str, None] = field(default_factory=dict)  # sources with errors or nulls
    texts: dict[tuple[int, str], set[str]] = field(default_factory=dict)  # by file and argument
    has_text: bool = False
    ignored: Label | None = None

    def blame(self) -> None:
        """Mark the current source as faulty."""
        self.faulty |= dict.fromkeys(self.sources[-1:])


@dataclass
class Samples:
    """Read the rows of a data set in batches, as labels and amounts.

    Parameters
    ----------
    names : dict of str to str
        The column of each argument: references, predictions, weights, counts, by ...
    options : LabelOptions
        Options for reading labels.
    drop_null, keep_missing : bool
        As in `table_from_file`.
    """

    names: Mapping[str, str]
    options: LabelOptions = field(default_factory=LabelOptions)
    drop_null: bool = False
    keep_missing: bool = False
    is_label_sensitive: bool = True  # whether relabelling predictions changes the score
    prior_labels: Collection[str] = ()
    found: Findings = field(default_factory=Findings)
    source: Source = field(default_factory=Source)  # the current one
    first_lines: dict[str, str] = field(default_factory=dict)  # if each line of text is a label
    class_names: Sequence[str] = ()
    examples: dict[str, Column] = field(default_factory=dict)
    meant: Mapping[Any, Label] = field(default_factory=dict)  # label of each text, set at the end
    has_integers: bool = False  # among the references

    @property
    def labelled(self) -> list[str]:
        """The arguments that hold labels to score."""
        return labelled_among(self.names)

    def begin(self, source: Source, header: Sequence[str] = ()) -> None:
        """Start another source, and record its name and columns."""
        self.source = source
        self.found.sources.append(source.name)
        known = self.found.header
        known += [name for name in header if name not in known]

    def read(self, given: Mapping[str, Any], **times: Numbers) -> dict[str, Any]:
        """Read labels as columns and amounts as arrays, without the rows that are left out.

        Return {} after an error, which `end` raises. `times` says how many rows each row of a
        GROUP BY represents.
        """
        n = len(next(iter(given.values())))
        read: dict[str, Any] = {**times}
        n_rows = read.get("times", np.ones(n, dtype=np.int64))
        keep = np.ones(n, dtype=bool)
        where = f"in the rows from {self.found.n_rows} on" if self.found.n_rows else ""
        for argument, values in given.items():
            try:
                with prefix_errors(where):
                    read[argument], missing = self.values(argument, values)
                    if argument in self.labelled[1:] and "references" in read:
                        self._check_kinds(read["references"], read[argument], argument)
            except ValueError as error:
                self._keep_error(argument, values, error)
            else:
                self._count_missing(argument, missing, keep, n_rows)
        self.found.n_rows += int(n_rows.sum())
        if self.found.errors or not keep.any():
            return {}
        return read if keep.all() else {name: values[keep] for name, values in read.items()}

    def _count_missing(self, argument: str, missing: Numbers, keep: Numbers, n: Numbers) -> None:
        """Count missing values, and drop their rows from `keep` unless they are allowed."""
        n_missing = int(n[missing].sum())
        if not n_missing:
            return
        self.found.n_missing[argument] += n_missing
        row = self.found.n_rows + int(missing.argmax()) + 1
        self.found.first_missing.setdefault(argument, row)
        if self.allows_missing(argument):
            return
        if not self.drop_null:
            self.found.blame()
        lacking = re.split("[ _]", argument)[0].removesuffix("s")
        self.found.left_out[f"no {lacking}"] += int(n[missing & keep].sum())
        keep &= ~missing

    def allows_missing(self, argument: str) -> bool:
        """Return whether a missing value counts as wrong and is not an error."""
        return argument.startswith("predictions") and self.options.unknown == "wrong"

    def _keep_error(self, argument: str, values: Any, error: ValueError) -> None:
        """Keep the first error about an argument, to raise it at the end."""
        is_of_sheet = self.source.is_sheet and argument in self.labelled
        odd_row = self._row_below(argument, values) if is_of_sheet else None
        self.found.errors.setdefault(argument, odd_row or error)
        self.found.blame()

    def _row_below(self, argument: str, values: Any) -> ValueError | None:
        """Return an error if a row below the table of a sheet seems to be a total or a share."""
        filled = [(i, value) for i, value in enumerate(values) if value is not None]
        odd = [(i, value) for i, value in filled if type(value) is not type(filled[0][1])]
        if not odd or len(values) - odd[0][0] > max(3, len(values) // 20):
            return None
        (row, value), label = odd[0], filled[0][1]
        return ValueError(
            f"`{argument}`: row {self.found.n_rows + row + 1:,d} has {show(value)} where the rows "
            f"above have labels such as {show(label)}: take out what is below the table"
        )

    def _check_kinds(self, references: Column, column: Column, argument: str) -> None:
        """Refuse text with integers, and suggest the option that converts it."""
        try:
            check_same_kind(references, "references", column, argument)
        except ValueError as error:
            examples = [x.example() for x in (references, column)]
            if self.source.is_frame or None in map(integer_of, examples):
                raise
            raise ValueError(join([error, "numeric=True reads text as integers"])) from error

    def values(self, argument: str, values: Any) -> tuple[Any, Numbers]:
        """Return labels as a column or amounts as an array, and which are missing."""
        if argument in ("weights", "counts"):
            return _amounts_in(argument, values)
        own = self.source.class_names.get(argument)
        if argument in self.labelled:
            self.found.has_text |= self.source.is_text
            own = own or next(iter(self.source.class_names.values()), ())
            self.class_names = own
        column = values  # joined rows are columns already
        if not isinstance(values, Column):
            column = self._labels_in(argument, values, own)
        if column.kind is not None:
            example = read_labels([column.example()], argument)
            before = self.examples.setdefault(argument, example)
            check_same_kind(before, f"{argument} before", column, argument)
        lacks = column.values is not None and None in column.values
        return column, ~column.differs_from(None) if lacks else np.zeros(len(column), dtype=bool)

    def _labels_in(self, argument: str, values: Any, own: Sequence[str] | None) -> Column:
        """Read labels, or the classes of scores, as a column; `own` are the file's class names."""
        is_prediction = argument.startswith("predictions")
        if isinstance(values, tuple) or (is_prediction and self.options.threshold is not None):
            values = self._classes_of_scores(values, argument)
        elif self.source.is_sheet and self.keep_missing:
            values = ["" if value is None else value for value in values]
        if not self.source.is_text:
            return convert_labels(values, argument, self.options, own)
        nulls = () if self.keep_missing else self.options.nulls()
        column = convert_labels(values, argument, self.options, own, nulls)
        is_noted = argument in self.labelled and column.kind == "strings"
        return self._noted(column, argument) if is_noted else column

    def _noted(self, column: Column, argument: str) -> Column:
        """Record the text in a column, and spell the reference to ignore as in the options."""
        present = Column(code_integers(column.codes)[0], column.values).tolist()
        texts = {*present} - {None}
        ignored = self.options.ignored(is_integer=False)
        if argument == "references" and isinstance(ignored, str):
            labels = labels_of_text([texts, {ignored}])
            spellings = {x for x in texts if labels.get(x, x) == labels.get(ignored, ignored)}
            values = [ignored if x in spellings else x for x in column.values or ()]
            column = Column(column.codes, values)
        self.found.texts.setdefault((len(self.found.sources), argument), set()).update(texts)
        return column

    def _classes_of_scores(self, values: Any, argument: str) -> Column:
        """Return the class of each row of scores, None if a score is nan.

        One column gives the second of two classes above the threshold, else the first. A tuple has
        a column per class, and gives the class with the highest score, the first of equal ones.
        """
        threshold = self.options.threshold
        known = self.examples.get("references")
        classes = self.options.classes(known is None or known.kind == "integers")
        columns = values if isinstance(values, tuple) else (values,)
        if len(columns) > 1:
            _check_classes_of_columns(classes, len(columns), threshold)
        scores = np.stack([read_scores(column, argument) for column in columns], axis=1)
        if threshold is not None and str(getattr(columns[0], "type", "")) == "float":
            threshold = float(np.float32(threshold))  # in single precision, like the scores
        codes = scores.argmax(axis=1) if threshold is None else scores[:, 0] > threshold
        labels = [str(x) if self.source.is_text else x for x in classes or (0, 1)]
        return Column(np.where(np.isnan(scores).any(axis=1), len(labels), codes), [*labels, None])

    def task(self, references: Column, rows: Mapping[str, Any]) -> Task:
        """Return a task with the reference to ignore, as an integer or the name of a class.

        Count the rows whose reference is ignored, or whose weight is 0.
        """
        self.has_integers = references.kind == "integers"
        ignored = self.options.ignored(self.has_integers, self.class_names)
        self.found.ignored = ignored = None if ignored is None else self.spelt(ignored)
        times = rows.get("times", np.ones(len(references), dtype=np.int64))
        kept = np.ones(len(references), dtype=bool)
        if ignored is not None:
            kept = references.differs_from(ignored)
            self.found.left_out["ignored"] += int(times[~kept].sum())
        if "weights" in rows:
            self.found.left_out["of weight 0"] += int(times[kept & (rows["weights"] == 0)].sum())
        return Task(None, ignored, "error")

    def spelt(self, label: Any) -> Any:
        """Spell a label of the options like the references, as text in a file of text."""
        if not self.found.has_text:
            return label
        return self.meant.get(str(label), label if self.has_integers else str(label))

    def refuse(self, errors: Iterable[ValueError] = ()) -> None:
        """Raise one error for all problems found, including these, if there are any."""
        nulls = [] if self.drop_null else self._null_errors()
        with prefix_errors(first_of([*self.found.faulty] or self.found.sources)):
            refuse_all([*self.found.errors.values(), *nulls, *errors])

    def _null_errors(self) -> list[ValueError]:
        """Return the error about missing values in a list, empty if none are missing."""
        found = self.found
        lacking = [x for x in self.names if found.n_missing[x] and not self.allows_missing(x)]
        if not lacking:
            return []
        null = "an empty cell, or text such as NA" if found.has_text else "None (null) or nan"
        reasons = [
            f"`{x}` must have a value in every row, got {null} in {found.n_missing[x]} of "
            f"{found.n_rows} rows of column {self.names[x]!r}"
            for x in lacking
        ]
        if len(found.sources) == 1 and not self.source.is_frame:
            reasons[0] += f", first in row {found.first_missing[lacking[0]]}"
        return [ValueError(f"{'; '.join(reasons)}: {self._advice_on_nulls(lacking)}")]

    def _advice_on_nulls(self, arguments: Sequence[str]) -> str:
        """Suggest options for missing values of these arguments."""
        advice = "drop_null=True leaves out rows with missing values"
        if any(x.startswith("predictions") for x in arguments):
            advice = (
                f'unknown="wrong" counts a missing prediction as wrong, {advice}, which can '
                "flatter a model that gives up on hard samples"
            )
        text = ", keep_missing=True reads such text as labels"
        return f"{advice}{text}" if self.found.has_text else advice

    def end(
        self, totals: Mapping[str, Amounts], never_repeats: Callable[[], bool]
    ) -> tuple[Mapping[Any, Label], Task, Account]:
        """Raise the errors found, or warn of likely mistakes.

        Return the label of each text, the task, and the account. `totals` are the labels of each
        argument with labels, with the number of samples of each.
        """
        if self.first_lines and not self.options.spellings:
            _check_lines(self, totals)
        self.refuse()
        _warn_of_no_header(self, totals)
        self.meant = self._meanings_of_text(totals)
        checks = Checks(self, {x: _renamed(y, self.meant) for x, y in totals.items()})
        checks.run(never_repeats)
        task = Task(checks.declared, self.found.ignored, self.options.unknown)
        return self.meant, task, checks.account()

    def _meanings_of_text(self, totals: Mapping[str, Amounts]) -> Mapping[Any, Label]:
        """Return the label of each text in columns and options; empty if none changes."""
        labels = [label for label, _ in chain(*totals.values()) if label is not None]
        if not self.found.has_text or not all(isinstance(label, str) for label in labels):
            return {}
        ignored = self.options.ignore_index
        options = [self.options.spellings.values(), [] if ignored is None else [str(ignored)]]
        return labels_of_text([*self.found.texts.values(), *options, self.prior_labels])


class Checks:
    """Check the labels of all rows, warn of mistakes, and build the account.

    Parameters
    ----------
    samples : Samples
    totals : dict of str to Amounts
        The labels of each argument with labels, and the number of samples of each.
    """

    def __init__(self, samples: Samples, totals: Mapping[str, Amounts]) -> None:
        self.samples, self.found, self.options = samples, samples.found, samples.options
        self.totals = totals
        self.known = [label for label, _ in totals["references"]]
        samples.has_integers = bool(self.known) and isinstance(self.known[0], int)
        self.found.ignored = samples.meant.get(self.found.ignored, self.found.ignored)
        self.declared = self._declared_classes()

    def _declared_classes(self) -> tuple[Any, ...] | None:
        """Return the classes that the options list, spelled like the references."""
        classes = self.options.classes(self.samples.has_integers, self.samples.class_names)
        if classes is None:
            return None
        spelt = [self.samples.spelt(label) for label in classes]
        check_distinct(spelt, "labels")
        return tuple(spelt)

    def run(self, never_repeats: Callable[[], bool]) -> None:
        """Refuse labels that cannot be right, and warn of those that may be wrong."""
        names, labelled = self.samples.names, self.samples.labelled
        if self.declared is None:
            self._refuse_undeclared()
        self._warn_of_none_ignored()
        for argument in labelled[1:]:
            warn_of_swapped(names["references"], names[argument])
            columns = [*columns_to_read({argument: names[argument]}).values()]
            warn_of_other_order(columns, self.declared or ())
        self._warn_of_verdicts()
        if "counts" not in names and never_repeats() and _are_most_pairs(self.totals):
            self._warn_of_counts()

    def _refuse_undeclared(self) -> None:
        """Raise an error about labels that are valid only if the options list the classes."""
        if self.options.threshold is not None and len(self.known) > 2:
            error_text = (
                f"`threshold` is for two classes, and the references have {len(self.known)}: name "
                "a column of scores for each, as in argmax:a,b"
            )
            self.samples.refuse([ValueError(error_text)])
        if self.samples.is_label_sensitive and self.found.n_rows > 1:
            errors = map(self._mismatch_of, self.samples.labelled[1:])
            self.samples.refuse(filter(None, errors))

    def _mismatch_of(self, argument: str) -> ValueError | None:
        """Return an error about predictions if none of them is a class."""
        predictions = {label: n for label, n in self.totals[argument] if label is not None}
        if not predictions or predictions.keys() & {*self.known}:
            return None
        total = amount(sum(predictions.values()))
        examples, classes = (", ".join(map(show, x[:2])) for x in ([*predictions], self.known))
        remedy = mismatch_hint([*predictions], self.known)
        if self.options.threshold is not None:
            remedy = "give their names as `labels`, that of low scores first"
        return ValueError(
            f"none of the {total} `{argument}` ({examples}) is a class of the `references` "
            f"({classes}): {remedy}"
        )

    def _warn_of_none_ignored(self) -> None:
        """Warn if the label to ignore is not a reference of a file."""
        is_named = self.found.ignored is not None and len(self.samples.labelled) > 1
        if is_named and not (self.samples.source.is_frame or self.found.left_out["ignored"]):
            text = f"`ignore_index` leaves out nothing: no reference is {show(self.found.ignored)}"
            warn(text, LabelsWarning)

    def _warn_of_verdicts(self) -> None:
        """Warn of predictions that are verdicts: whether references and a column agree."""
        names = self.samples.names
        labels = {x: {*dict(self.totals[x])} - {None} for x in self.samples.labelled[1:]}
        asked = [names[argument] for argument, two in labels.items() if len(two) == 2]
        columns = self._other_columns() if asked else {}
        for name, agreed in verdicts_in(columns, [names["references"]], asked).items():
            if agreed:
                text = f"{name!r} says in each row whether {' and '.join(map(repr, agreed))} agree"
                warn(f"{text}: it is a verdict on predictions, not predictions", LabelsWarning)

    def _warn_of_counts(self) -> None:
        """Warn if another column has whole numbers, which may be counts of the rows."""
        columns = self._other_columns(self._columns_not_used("weights"))
        if numbers := [name for name, values in columns.items() if _are_whole(values)]:
            text = "each row is another pair of labels: are these counts? Then name "
            text += f"{' or '.join(map(repr, numbers))} as `counts`"
            warn(Message(text, "may be counts", columns=numbers), LabelsWarning)

    def _other_columns(self, *names: Sequence[str]) -> Mapping[str, Sequence[Any]]:
        """Return the first rows of other columns of the source; empty if they are invalid."""
        with suppress(ValueError):
            return self.samples.source.columns(*names)
        return {}

    def _columns_not_used(self, *without: str) -> list[str]:
        """Return the columns that no argument uses, except the arguments in `without`."""
        names, header = self.samples.names, self.found.header
        used = set[str | None]()
        for argument in {*names}.difference(without):
            paths = columns_to_read({argument: names[argument]}).values()
            used |= {column_of(path, header) for path in paths}
        return [name for name in header if name not in used]

    def account(self) -> Account:
        """Build the account of what was read."""
        classes = {*(self.declared or self.known)}
        columns = []
        for argument, name in self.samples.names.items():
            part = re.sub(r"_([ab])$", lambda match: f" {match[1].upper()}", argument)
            amounts = self.totals.get(argument, [])
            labels = [pair for pair in amounts if pair[0] in classes]
            outside = [pair for pair in amounts if pair[0] not in classes]
            notes = tuple(self._notes(argument, amounts)) if argument in self.totals else ()
            columns.append(ReadColumn(part, name, labels, outside, notes))
        return Account(
            sources=tuple(self.found.sources),
            n_rows=self.found.n_rows,
            left_out=+self.found.left_out,
            columns=tuple(columns),
            not_used=tuple(self._columns_not_used()),
            ignored=self.found.ignored,
        )

    def _notes(self, argument: str, amounts: Amounts) -> Iterator[str]:
        """Yield notes on how the labels of a column were converted."""
        meant = self.samples.meant
        texts = [x for (_, name), x in self.found.texts.items() if name == argument]
        changed = [x for x in sorted(set().union(*texts)) if str(meant.get(x, x)) != x]
        if self.options.numeric or any(isinstance(x, int) for x in meant.values()):
            yield "text read as integers"
        if changed:
            yield f"{changed[0]} read as {meant[changed[0]]!s}"
        if argument.startswith("predictions"):
            yield from self._notes_on_predictions(argument, amounts)
        if self.samples.class_names:
            yield "positions read as names of classes"

    def _notes_on_predictions(self, argument: str, amounts: Amounts) -> Iterator[str]:
        """Yield the numbers of scores above the threshold and of extracted predictions."""
        if self.options.threshold is not None:
            above = str((self.options.classes(False) or (0, 1))[1])
            n_above = amount(sum(n for label, n in amounts if str(label) == above))
            total = amount(sum(n for _, n in amounts))
            yield f"above {self.options.threshold:g}: {above} in {n_above} of {total}"
        if self.options.pattern is not None:
            n_extracted = self.found.n_rows - self.found.n_missing[argument]
            yield f"an answer extracted from {n_extracted:,d} of {self.found.n_rows:,d}"


def _warn_of_no_header(samples: Samples, totals: Mapping[str, Amounts]) -> None:
    """Warn if all column names occur as labels, as in a file without a header."""
    names = [samples.names[x] for x in samples.labelled]
    labels = {label for label, _ in chain(*totals.values())}
    if {*names} <= ({*map(str, labels)} if samples.found.has_text else labels):
        warn(missing_header_message(names), LabelsWarning)


def _check_lines(samples: Samples, totals: Mapping[str, Amounts]) -> None:
    """Refuse lines of several cells, except text from which a class is extracted."""
    plain = samples.labelled if samples.options.pattern is None else ["references"]
    labels = {x: [str(y) for y, _ in totals[x] if y is not None] for x in plain}
    n_lines = sum(n for _, n in totals["references"])
    if rows := _rows_among(labels, n_lines):
        argument = rows[0]
        rule = (
            f"each line must be one label, got several cells in {show(labels[argument][0])}: "
            "name their columns with -r and -p, and with --on the one that identifies samples; "
            "without a header, add one as the first line"
        )
        raise ValueError(with_subject(shown(samples.names[argument]), rule))
    if all(2 * len(lines) <= n_lines for lines in labels.values()):
        _warn_of_header(samples, [Counter(dict(totals[x])) for x in plain])


def _warn_of_header(samples: Samples, totals: Sequence[Counter[Any]]) -> None:
    """Warn if the text of the first lines occurs nowhere else, as in a header."""
    heads = [samples.options.fold(line) for line in samples.first_lines.values()][: len(totals)]
    are_alone = all(sum(x[head] for x in totals) == heads.count(head) for head in heads)
    if are_alone and all(any(map(str.isalpha, head)) for head in heads):
        text = f"{' and '.join(map(show, dict.fromkeys(heads)))} in the first line occurs in no"
        warn(f"{text} other: if it is a header, take it out of all files", LabelsWarning)


def _rows_among(lines: Mapping[str, Sequence[str]], n_lines: int) -> list[str]:
    """Return the arguments whose distinct lines are rows of several cells.

    Such lines have tabs or begin with identifiers, or have three cells and mostly occur once.
    """
    tabbed = [x for x, some in lines.items() if some and all("\t" in line for line in some)]
    cells = [line.split() for line in chain(*lines.values())]
    n_cells = min(map(len, cells), default=0)
    if tabbed or n_cells < 2:
        return tabbed
    n_first = len({line[0] for line in cells})  # identifiers are the same in all files
    if n_first == n_lines == len(cells) / len(lines) > 3:
        return [*lines]
    is_row = n_cells > 2 and 2 * min(map(len, lines.values())) > n_lines
    return [*lines] if is_row else []


def _check_classes_of_columns(classes: Any, n_columns: int, threshold: float | None) -> None:
    """Raise an error unless there is a class for each of several columns of scores."""
    if threshold is not None:
        raise ValueError("`threshold` is for one column of scores: leave it out for argmax:")
    if len(classes or ()) != n_columns:
        raise ValueError(
            f"`labels` must list the classes of the {n_columns} columns of scores, in their "
            f"order, got {classes}"
        )


def _amounts_in(argument: str, values: Any) -> tuple[Any, Numbers]:
    """Read weights or counts as an array, 0 if missing, and return which are missing."""
    if isinstance(values, list):
        missing = np.array([value is None for value in values], dtype=bool)
        amounts = [0 if value is None else value for value in values]
    else:  # of Arrow
        missing = np.asarray(values.is_null())
        amounts = values.fill_null(0) if missing.any() else values
    read = read_whole(amounts) if argument == "counts" else read_amounts(amounts, argument)
    return read, missing


def read_scores(values: Any, name: str) -> Numbers:
    """Read a column of scores, nan for missing ones."""
    scores = list[float]()
    for value in values if isinstance(values, list) else values.to_pylist():
        try:
            scores.append(math.nan if value is None or value in NULLS else float(value))
        except (TypeError, ValueError) as error:
            got = f"{show(value)}{decimal_comma_hint(value)}"
            raise ValueError(f"`{name}` must hold scores, got {got}") from error
    return np.array(scores)


def _are_whole(values: Any) -> bool:
    """Return whether a column holds only whole numbers from 0, which may be counts."""
    try:
        numbers = read_scores(values, "counts")
    except ValueError:
        return False
    return bool(((numbers >= 0) & (numbers == np.trunc(numbers))).all())


def first_of(sources: Sequence[str]) -> str:
    """Return the name of the first source, and the number of others."""
    first = "".join(map(shown, sources[:1]))
    return f"{first} and {len(sources) - 1} more" if len(sources) > 1 else first


def _renamed(amounts: Amounts, names: Mapping[Any, Label]) -> Amounts:
    """Rename labels, and add up the amounts of those that become one."""
    totals = Counter[Any]()
    for label, n in amounts:
        totals[names.get(label, label)] += n
    return amounts_of(totals, totals.values())


def _are_most_pairs(totals: Mapping[str, Amounts]) -> bool:
    """Return whether samples without repeats have all or many pairs of labels."""
    n_samples = int(sum(n for _, n in totals["references"]))
    labels = [{label for label, _ in amounts} for amounts in totals.values()]
    has_all = n_samples == math.prod(map(len, labels))
    return has_all or n_samples > 2 * len(set().union(*labels))


# Several spellings of one label


def labels_of_text(groups: Sequence[Collection[str]]) -> dict[str, Label]:
    """Return the label of each text if a label has several spellings; else an empty dict.

    A group is the text of a column, or of an option. True becomes 1 if groups with truth values
    have no other text. 2.0 becomes 2 if all decimals are whole. If all labels are then whole
    numbers, they become integers.
    """
    texts = set().union(*groups)
    decimals = {text for text in texts if re.fullmatch(DECIMAL, text)}
    wholes = {x: x.partition(".")[0] for x in decimals if re.fullmatch(rf"{_WHOLE}\.0+", x)}
    if len(wholes) < len(decimals):
        wholes = {}
    spellings = wholes | _truth_values_in(groups)
    spelt = Counter(spellings.get(text, text) for text in texts)
    if all(spelt[label] == 1 for label in spellings.values()):
        return {}
    if all(re.fullmatch(_WHOLE, label) for label in spelt):
        return {text: int(spellings.get(text, text)) for text in texts}
    return dict(spellings)


def _truth_values_in(groups: Sequence[Collection[str]]) -> dict[str, str]:
    """Return the digit of each truth value; empty if a group mixes them with other text."""
    with_truths = [
        {*group} for group in groups if not set().union(*_TRUTH_VALUES).isdisjoint(group)
    ]
    if not all(any(group <= words for words in _TRUTH_VALUES) for group in with_truths):
        return {}
    return {text: str(int(text.lower() == "true")) for text in set().union(*with_truths)}
