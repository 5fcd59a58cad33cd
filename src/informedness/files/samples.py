"""Rows of data become samples: labels are read, and what is missing or wrong is said at the end."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
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
from ..tables.label_options import DEFAULT_LABEL_OPTIONS, LabelOptions, convert_labels, integer_of
from ..tables.label_warnings import (
    decimal_comma_hint,
    mismatch_hint,
    missing_header_message,
    verdicts_in,
    warn_of_other_order,
    warn_of_swapped,
)
from ..text.account import Amounts, Read, ReadColumn, amounts_of
from ..text.render import amount, shown
from .booleans_and_decimals import labels_of_text
from .columns import columns_to_read, labelled_among
from .objects import column_of


class Samples:
    """Reads the rows of a data set, some at a time, and keeps account of them.

    Parameters
    ----------
    names : dict of str to str
        The column of each argument: references, predictions, weights, counts, by ...
    options : LabelOptions
        What a label is.
    drop_null, keep_missing : bool
        As in `table_from_file`.
    """

    def __init__(
        self,
        names: Mapping[str, str],
        options: LabelOptions = DEFAULT_LABEL_OPTIONS,
        *,
        drop_null: bool = False,
        keep_missing: bool = False,
    ) -> None:
        self.names = names
        self.options = options
        self.keep_missing = keep_missing
        self.labelled = labelled_among(names)
        self.sources: list[str] = []
        self.header: list[str] = []
        self.is_text = False  # what is read now
        self.is_sheet = False
        self.class_names: Mapping[str, Sequence[str]] = {}  # by argument, of positions in it
        self.n_rows = 0
        self.left_out = Counter[str]()
        self.is_of_files = True  # and not of a frame
        self.batches_of: Callable[[str], Iterable[Any]] | None = None  # of any other column
        self.first_rows: Callable[[], Any] | None = None  # of a file that can be read again
        self.first_lines: dict[str, str] = {}  # by argument, of text with a label in each line
        self.is_label_sensitive = True  # whether relabelling predictions changes the score
        self.beside: list[Collection[str]] = []  # labels of other files of the call
        self.meant: Mapping[Any, Label] = {}  # what text stands for, once all is read
        self._texts: defaultdict[tuple[int, str], set[str]] = defaultdict(set)  # by file, argument
        self._drop_null = drop_null
        self._has_text = False
        self._are_integers = False  # the references
        self._class_names: Sequence[str] = ()
        self._ignored: Label | None = None
        self._n_missing = Counter[str]()  # by argument
        self._first_missing: dict[str, int] = {}  # row, from 1 on
        self.examples: dict[str, Column] = {}
        self._errors: dict[str, ValueError] = {}
        self._bad: dict[str, None] = {}  # sources with errors or nulls, in order

    def read(self, given: Mapping[str, Any], **times: Numbers) -> dict[str, Any]:
        """Return labels as columns and amounts as arrays, without the rows that are left out.

        There are none once something is wrong, which `end` says. With `times` each row stands for
        so many, as a GROUP BY returns them.
        """
        n = len(next(iter(given.values())))
        read: dict[str, Any] = {**times}
        n_rows = read.get("times", np.ones(n, dtype=np.int64))
        keep = np.ones(n, dtype=bool)
        where = f"in the rows from {self.n_rows} on" if self.n_rows else ""
        for argument, values in given.items():
            try:
                with prefix_errors(where):
                    column, missing = self.values(argument, values)
                    read[argument] = column
                    if argument in self.labelled[1:] and "references" in read:
                        self._check_kinds(read["references"], column, argument)
            except ValueError as error:
                self._keep_error(argument, values, error)
                continue
            if n_missing := int(n_rows[missing].sum()):
                self._n_missing[argument] += n_missing
                self._first_missing.setdefault(argument, self.n_rows + int(missing.argmax()) + 1)
            if n_missing and not self._may_lack(argument):
                self._bad |= {} if self._drop_null else dict.fromkeys(self.sources[-1:])
                lacking = re.split("[ _]", argument)[0].removesuffix("s")
                self.left_out[f"no {lacking}"] += int(n_rows[missing & keep].sum())
                keep &= ~missing
        self.n_rows += int(n_rows.sum())
        if self._errors or not keep.any():
            return {}
        return read if keep.all() else {name: values[keep] for name, values in read.items()}

    def _keep_error(self, argument: str, values: Any, error: ValueError) -> None:
        """Keep the first error about an argument for the end."""
        is_of_sheet = self.is_sheet and argument in self.labelled
        odd_row = self._row_below(argument, values) if is_of_sheet else None
        self._errors.setdefault(argument, odd_row or error)
        self._bad |= dict.fromkeys(self.sources[-1:])

    def _row_below(self, argument: str, values: Any) -> ValueError | None:
        """Return the error about a row below a table, of which it has a total or a share."""
        filled = [(i, value) for i, value in enumerate(values) if value is not None]
        odd = [(i, value) for i, value in filled if type(value) is not type(filled[0][1])]
        if not odd or len(values) - odd[0][0] > max(3, len(values) // 20):
            return None
        (row, value), label = odd[0], filled[0][1]
        return ValueError(
            f"`{argument}`: row {self.n_rows + row + 1:,d} has {show(value)} where the rows above "
            f"have labels such as {show(label)}: take out what is below the table"
        )

    def _check_kinds(self, references: Column, column: Column, argument: str) -> None:
        """Refuse text beside integers, and say what reads it as integers."""
        try:
            check_same_kind(references, "references", column, argument)
        except ValueError as error:
            examples = [x.example() for x in (references, column)]
            if self.is_of_files and None not in map(integer_of, examples):
                remedy = "numeric=True reads text as integers"
                raise ValueError(join([error, remedy])) from error
            raise

    def _may_lack(self, argument: str) -> bool:
        return argument.startswith("predictions") and self.options.unknown == "wrong"

    def values(self, argument: str, values: Any) -> tuple[Any, Numbers]:
        """Return labels as a column or amounts as an array, and which are missing."""
        if argument in ("weights", "counts"):
            return _amounts_in(argument, values)
        own = self.class_names.get(argument)
        if argument in self.labelled:
            self._has_text |= self.is_text
            self._class_names = own = own or next(iter(self.class_names.values()), ())
        column = values  # joined rows were read before
        if not isinstance(values, Column):
            column = self._labels_in(argument, values, own)
        if column.kind is not None:
            example = read_labels([column.example()], argument)
            before = self.examples.setdefault(argument, example)
            check_same_kind(before, f"{argument} before", column, argument)
        lacks = column.values is not None and None in column.values
        return column, ~column.differs_from(None) if lacks else np.zeros(len(column), dtype=bool)

    def _labels_in(self, argument: str, values: Any, own: Sequence[str] | None) -> Column:
        """Return labels, or the classes of scores, as a column of the classes with these names."""
        is_prediction = argument.startswith("predictions")
        if isinstance(values, tuple) or (is_prediction and self.options.threshold is not None):
            values = self._classes_of_scores(values, argument)
        nulls = self.options.nulls() if self.is_text and not self.keep_missing else ()
        column = convert_labels(values, argument, self.options, own, nulls)
        if argument in self.labelled and self.is_text and column.kind == "strings":
            return self._noted(column, argument)
        return column

    def _noted(self, column: Column, argument: str) -> Column:
        """Take note of the text in a column, in which the reference to ignore is spelt as given."""
        present = Column(code_integers(column.codes)[0], column.values).tolist()
        texts = {*present} - {None}
        ignored = self.options.ignored(is_integer=False)
        if argument == "references" and isinstance(ignored, str):
            labels = labels_of_text([texts, {ignored}])
            spellings = {x for x in texts if labels.get(x, x) == labels.get(ignored, ignored)}
            values = [ignored if x in spellings else x for x in column.values or ()]
            column = Column(column.codes, values)
        self._texts[len(self.sources), argument] |= texts
        return column

    def _classes_of_scores(self, values: Any, argument: str) -> Column:
        """Return the class of each row of scores, None where one is nan.

        Of one column it is the second of two classes above the threshold, and else the first; of
        a tuple, which has a column for each class, it is the first of the highest.
        """
        threshold = self.options.threshold
        known = self.examples.get("references")
        classes = self.options.classes(known is None or known.kind == "integers")
        columns = values if isinstance(values, tuple) else (values,)
        if len(columns) > 1 and threshold is not None:
            raise ValueError("`threshold` is for one column of scores: leave it out for argmax:")
        if len(columns) > 1 and len(classes or ()) != len(columns):
            raise ValueError(
                f"`labels` must list the classes of the {len(columns)} columns of scores, in their "
                f"order, got {classes}"
            )
        scores = np.stack([read_scores(column, argument) for column in columns], axis=1)
        if threshold is not None and str(getattr(columns[0], "type", "")) == "float":
            threshold = float(np.float32(threshold))  # of single precision, as its scores are
        codes = scores.argmax(axis=1) if threshold is None else scores[:, 0] > threshold
        labels = [str(label) if self.is_text else label for label in classes or (0, 1)]
        return Column(np.where(np.isnan(scores).any(axis=1), len(labels), codes), [*labels, None])

    def task(self, references: Column, rows: Mapping[str, Any]) -> Task:
        """Return which references to leave out, as the integer or name of a class that they are.

        Keep account of rows whose reference is ignored, or whose weight is 0.
        """
        self._are_integers = references.kind == "integers"
        ignored = self.options.ignored(self._are_integers, self._class_names)
        self._ignored = None if ignored is None else self.spelt(ignored)
        times = rows.get("times", np.ones(len(references), dtype=np.int64))
        kept = np.ones(len(references), dtype=bool)
        if self._ignored is not None:
            kept = references.differs_from(self._ignored)
            self.left_out["ignored"] += int(times[~kept].sum())
        if "weights" in rows:
            self.left_out["of weight 0"] += int(times[kept & (rows["weights"] == 0)].sum())
        return Task(None, self._ignored, "error")

    def spelt(self, label: Any) -> Any:
        """Return a label of the options as the references are: in a file of text, text."""
        if not self._has_text:
            return label
        return self.meant.get(str(label), label if self._are_integers else str(label))

    # The end

    def end(
        self, sides: Mapping[str, Amounts], never_repeats: Callable[[], bool]
    ) -> tuple[Mapping[Any, Label], Task, Read]:
        """Raise an error about all that is wrong, or warn of what may be.

        Return the integers that text stands for, which labels count, and what was read. `sides` are
        the labels of each argument that has some.
        """
        if self.first_lines and not self.options.known:
            self._check_lines(sides)
        self.refuse()
        self._warn_of_no_header(sides)
        self.meant = meant = self._labels_of_text(sides)
        sides = {x: _renamed(side, meant) for x, side in sides.items()}
        self._ignored = meant.get(self._ignored, self._ignored)
        known = [label for label, _ in sides["references"]]
        self._are_integers = bool(known) and isinstance(known[0], int)
        declared = self._declared_classes()
        if declared is None:
            self._refuse_if_undeclared(sides, known)
        self._warn_of_none_ignored()
        for argument in self.labelled[1:]:
            warn_of_swapped(self.names["references"], self.names[argument])
            columns = [*columns_to_read({argument: self.names[argument]}).values()]
            warn_of_other_order(columns, declared or ())
        self._warn_of_verdicts(sides)
        self._warn_of_counts(sides, never_repeats)
        task = Task(declared, self._ignored, self.options.unknown)
        return meant, task, self._account(sides, {*(declared or known)}, bool(declared))

    def _warn_of_no_header(self, sides: Mapping[str, Amounts]) -> None:
        """Warn of names of columns that are all labels, too."""
        names = [self.names[x] for x in self.labelled]
        if {*names} <= {str(y) if self._has_text else y for x in sides.values() for y, _ in x}:
            warn(missing_header_message(names), LabelsWarning)

    def _declared_classes(self) -> tuple[Any, ...] | None:
        """Return the classes that the options list, spelt as the references are."""
        classes = self.options.classes(self._are_integers, self._class_names)
        if classes is None:
            return None
        spelt = [self.spelt(label) for label in classes]
        check_distinct(spelt, "labels")
        return tuple(spelt)

    def _refuse_if_undeclared(self, sides: Mapping[str, Amounts], known: Sequence[Any]) -> None:
        """Raise an error about labels that are sound only where the options list the classes."""
        if self.options.threshold is not None and len(known) > 2:
            error_text = (
                f"`threshold` is for two classes, and the references have {len(known)}: name a "
                "column of scores for each, as in argmax:a,b"
            )
            self.refuse([ValueError(error_text)])
        if self.is_label_sensitive:
            self.refuse(self._apart(sides, known))

    def _warn_of_none_ignored(self) -> None:
        """Warn of a label to ignore that is no reference of a file."""
        is_named = self.is_of_files and self._ignored is not None and len(self.labelled) > 1
        if is_named and not self.left_out["ignored"]:
            text = f"`ignore_index` leaves out nothing: no reference is {show(self._ignored)}"
            warn(text, LabelsWarning)

    def _warn_of_counts(
        self, sides: Mapping[str, Amounts], never_repeats: Callable[[], bool]
    ) -> None:
        """Warn of rows that are all other pairs of labels, beside a column of whole numbers."""
        may_be_counts = "counts" not in self.names and never_repeats() and _are_most_pairs(sides)
        if may_be_counts and (columns := self.whole_columns()):
            text = "each row is another pair of labels: are these counts? Then name "
            text += f"{' or '.join(map(repr, columns))} as `counts`"
            warn(Message(text, "may be counts", columns=columns), LabelsWarning)

    def _check_lines(self, sides: Mapping[str, Amounts]) -> None:
        """Refuse lines that have several cells, but for text from which a class is extracted."""
        plain = self.labelled if self.options.pattern is None else ["references"]
        labels = {x: [str(y) for y, _ in sides[x] if y is not None] for x in plain}
        n_lines = sum(n for _, n in sides["references"])
        if rows := _rows_among(labels, n_lines):
            argument = rows[0]
            rule = (
                f"each line must be one label, got several cells in {show(labels[argument][0])}: "
                "name their columns with -r and -p, and with --on the one that identifies samples; "
                "without a header, add one as the first line"
            )
            raise ValueError(with_subject(shown(self.names[argument]), rule))
        if all(2 * len(lines) <= n_lines for lines in labels.values()):
            self._warn_of_header([Counter(dict(sides[x])) for x in plain])

    def _warn_of_header(self, sides: Sequence[Counter[Any]]) -> None:
        """Warn of text in the first lines that stands nowhere else in any file."""
        heads = [self.options.fold(line) for line in self.first_lines.values()][: len(sides)]
        are_alone = all(sum(x[head] for x in sides) == heads.count(head) for head in heads)
        if are_alone and all(any(map(str.isalpha, head)) for head in heads):
            text = f"{' and '.join(map(show, dict.fromkeys(heads)))} in the first line occurs in no"
            warn(f"{text} other: if it is a header, take it out of all files", LabelsWarning)

    def _warn_of_verdicts(self, sides: Mapping[str, Amounts]) -> None:
        """Warn of predictions that say in each row whether the references and a column agree."""
        true = self.names["references"]
        are_two = [x for x in self.labelled[1:] if len({*dict(sides[x])} - {None}) == 2]
        asked = [self.names[argument] for argument in are_two]
        columns = dict[str, Any]()
        if asked and self.first_rows is not None:
            with suppress(ValueError):  # of columns that are not asked for
                columns = self.first_rows().columns
        for name, agreed in verdicts_in(columns, [true], asked).items():
            if agreed:
                text = f"{name!r} says in each row whether {' and '.join(map(repr, agreed))} agree"
                warn(f"{text}: it is a verdict on predictions, not predictions", LabelsWarning)

    def _labels_of_text(self, sides: Mapping[str, Amounts]) -> Mapping[Any, Label]:
        """Return what the text of all columns and options stands for; empty if it is as it is."""
        labels = [label for side in sides.values() for label, _ in side if label is not None]
        if not self._has_text or not all(isinstance(label, str) for label in labels):
            return {}
        ignored = self.options.ignore_index
        options = [self.options.known, [] if ignored is None else [str(ignored)], *self.beside]
        return labels_of_text([*self._texts.values(), *options])

    def _apart(self, sides: Mapping[str, Amounts], known: Sequence[Any]) -> list[ValueError]:
        """Return an error for each column of predictions of which none is a class."""
        errors = list[ValueError]()
        for argument in self.labelled[1:]:
            answers = [label for label, _ in sides[argument] if label is not None]
            if self.n_rows > 1 and answers and not {*answers} & {*known}:
                total = amount(sum(n for label, n in sides[argument] if label is not None))
                examples, classes = (", ".join(map(show, x[:2])) for x in (answers, known))
                remedy = mismatch_hint(answers, known)
                if self.options.threshold is not None:
                    remedy = "give their names as `labels`, that of low scores first"
                error_text = (
                    f"none of the {total} `{argument}` ({examples}) is a class of the "
                    f"`references` ({classes}): {remedy}"
                )
                errors.append(ValueError(error_text))
        return errors

    def refuse(self, errors: Iterable[ValueError] = ()) -> None:
        """Raise one error about all that is wrong, these errors included, if something is."""
        nulls = [] if self._drop_null else self._null_errors()
        with prefix_errors(first_of([*self._bad] or self.sources)):
            refuse_all([*self._errors.values(), *nulls, *errors])

    def _null_errors(self) -> list[ValueError]:
        """Return the error about missing values, none if there are none."""
        null = "an empty cell, or text such as NA" if self._has_text else "None (null) or nan"
        lacking = [x for x in self.names if self._n_missing[x] and not self._may_lack(x)]
        reasons = [
            f"`{x}` must have a value in every row, got {null} in {self._n_missing[x]} of "
            f"{self.n_rows} rows of column {self.names[x]!r}"
            for x in lacking
        ]
        if reasons and len(self.sources) == 1 and self.is_of_files:
            reasons[0] += f", first in row {self._first_missing[lacking[0]]}"
        advice = "drop_null=True leaves out rows with missing values"
        if any(x.startswith("predictions") for x in lacking):
            advice = (
                f'unknown="wrong" counts a missing prediction as wrong, {advice}, which can '
                "flatter a model that gives up on hard samples"
            )
        if self._has_text:
            advice += ", keep_missing=True reads such text as labels"
        return [ValueError(f"{'; '.join(reasons)}: {advice}")] if reasons else []

    def _account(
        self, sides: Mapping[str, Amounts], classes: Collection[Any], is_declared: bool
    ) -> Read:
        """Return what was read."""
        columns = []
        for argument, name in self.names.items():
            part = re.sub(r"_([ab])$", lambda match: f" {match[1].upper()}", argument)
            amounts = sides.get(argument, [])
            labels = [pair for pair in amounts if pair[0] in classes]
            outside = [pair for pair in amounts if pair[0] not in classes]
            notes = tuple(self._notes(argument, amounts)) if argument in sides else ()
            columns.append(ReadColumn(part, name, labels, outside, is_declared, notes))
        return Read(
            sources=tuple(self.sources),
            n_rows=self.n_rows,
            left_out=+self.left_out,
            columns=tuple(columns),
            not_used=tuple(self.not_used()),
            ignored=self._ignored,
        )

    def not_used(self, *without: str) -> list[str]:
        """Return the columns that no argument names, or only the arguments `without`."""
        used = set[str | None]()
        for argument in {*self.names}.difference(without):
            ways = columns_to_read({argument: self.names[argument]}).values()
            used |= {column_of(way, self.header) for way in ways}
        return [name for name in self.header if name not in used]

    def whole_columns(self) -> list[str]:
        """Return the other columns, or those of weights, that hold whole numbers: maybe counts."""
        columns = list[str]()
        if self.batches_of is None:  # of what is read only once
            return columns
        for name in self.not_used("weights"):
            with suppress(ValueError):  # a column with several values per row
                if all(map(are_whole, self.batches_of(name))):
                    columns.append(name)
        return columns

    def _notes(self, argument: str, amounts: Amounts) -> Iterator[str]:
        """Yield how the labels of a column were found."""
        texts = set().union(*(x for (_, side), x in self._texts.items() if side == argument))
        changed = [x for x in sorted(texts) if str(self.meant.get(x, x)) != x]
        if self.options.numeric or any(isinstance(x, int) for x in self.meant.values()):
            yield "text read as integers"
        if changed:
            yield f"{changed[0]} read as {self.meant[changed[0]]!s}"
        if self.options.threshold is not None and argument.startswith("predictions"):
            above = str((self.options.classes(False) or (0, 1))[1])
            n_above = amount(sum(n for label, n in amounts if str(label) == above))
            total = amount(sum(n for _, n in amounts))
            yield f"above {self.options.threshold:g}: {above} in {n_above} of {total}"
        if self.options.pattern is not None and argument.startswith("predictions"):
            n_extracted = self.n_rows - self._n_missing[argument]
            yield f"an answer extracted from {n_extracted:,d} of {self.n_rows:,d}"
        if self._class_names:
            yield "positions read as names of classes"


def _rows_among(lines: Mapping[str, Sequence[str]], n_lines: int) -> list[str]:
    """Return the files, by argument, of which the different lines are rows of several cells.

    These have tabs, or three cells between blanks and mostly occur once, or begin with identifiers.
    """
    cells = [line.split() for side in lines.values() for line in side]
    n_cells = min(map(len, cells), default=0)
    are_rows = n_cells > 2 and all(2 * len(side) > n_lines for side in lines.values())
    n_first = len({line[0] for line in cells if line})  # the same in all files
    are_keys = n_cells > 1 and n_first == n_lines == len(cells) / len(lines) > 3
    tabbed = [x for x, side in lines.items() if side and all("\t" in line for line in side)]
    return tabbed or [*lines] if are_rows or are_keys else tabbed


def _amounts_in(argument: str, values: Any) -> tuple[Any, Numbers]:
    """Return weights or counts as an array, 0 for missing ones, and which are missing."""
    if isinstance(values, list):
        missing = np.array([value is None for value in values], dtype=bool)
        amounts = [0 if value is None else value for value in values]
    else:  # of Arrow
        missing = np.asarray(values.is_null())
        amounts = values.fill_null(0) if missing.any() else values
    read = read_whole(amounts) if argument == "counts" else read_amounts(amounts, argument)
    return read, missing


def read_scores(values: Any, name: str) -> Numbers:
    """Return a column of scores, nan for missing ones."""
    scores = list[float]()
    for value in values if isinstance(values, list) else values.to_pylist():
        try:
            scores.append(math.nan if value is None or value in NULLS else float(value))
        except (TypeError, ValueError) as error:
            got = f"{show(value)}{decimal_comma_hint(value)}"
            raise ValueError(f"`{name}` must hold scores, got {got}") from error
    return np.array(scores)


def are_whole(values: Any) -> bool:
    """Return whether a column holds whole numbers alone, none below 0: they may be counts."""
    try:
        numbers = read_scores(values, "counts")
    except ValueError:
        return False
    return bool(((numbers >= 0) & (numbers == np.trunc(numbers))).all())


def first_of(sources: Sequence[str]) -> str:
    """Return the name of the first file, and how many others there are."""
    first = "".join(map(shown, sources[:1]))
    return f"{first} and {len(sources) - 1} more" if len(sources) > 1 else first


def _renamed(side: Amounts, names: Mapping[Any, Label]) -> Amounts:
    """Return labels with other names for some, of which several may become one."""
    totals = Counter[Any]()
    for label, n in side:
        totals[names.get(label, label)] += n
    return amounts_of(totals, totals.values())


def _are_most_pairs(sides: Mapping[str, Amounts]) -> bool:
    """Return whether samples, of which no two are alike, have all pairs of labels, or many."""
    n_samples = int(sum(n for _, n in sides["references"]))
    labels = [{label for label, _ in side} for side in sides.values()]
    has_all = n_samples == math.prod(map(len, labels))
    return has_all or n_samples > 2 * len(set().union(*labels))
