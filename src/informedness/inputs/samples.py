"""Rows of data become samples: labels are read, and what is missing or wrong is said at the end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..contingency import read_whole
from ..core.labels import Column, Label, LabelsWarning, Numbers, check_same_kind, warn
from ..core.table import Task, read_amounts
from .columns import DataError, labelled_among, naming, refuse_all
from .csv import DELIMITERS
from .doubts import COUNT, no_header, warn_of_count, warn_of_swapped
from .fast import read_quickly
from .open import columns_in, list_files, open_whole, read_header
from .read import Amounts, Read, ReadColumn
from .text_labels import AS_THEY_ARE, LabelOptions, at_position, read_labels

_WHOLE, _GAPPED = r"-?(0|[1-9]\d*)", r"-?(0|[1-9]\d*)\.0"
_MOST_CLASSES = 20  # that a remedy lists


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
        options: LabelOptions = AS_THEY_ARE,
        *,
        drop_null: bool = False,
        keep_missing: bool = False,
    ) -> None:
        self.names, self.options, self.keep_missing = names, options, keep_missing
        self.labelled = labelled_among(names)
        self.sources: list[str] = []
        self.header: list[str] = []
        self.is_text = False  # what is read now
        self.class_names: Mapping[str, Sequence[str]] = {}  # by argument, of positions in it
        self.n_rows = 0
        self.left_out = Counter[str]()
        self._drop_null, self._has_text, self._has_gaps = drop_null, False, False
        self._class_names: Sequence[str] | None = None
        self._ignored: Label | None = None
        self._n_missing = Counter[str]()  # by argument
        self.examples: dict[str, Column] = {}
        self._classes = set[Any]()  # of references where something is missing
        self._errors: dict[str, ValueError] = {}
        self._bad: dict[str, None] = {}  # sources with errors or nulls, in order

    def read(self, given: Mapping[str, Any], **times: Numbers) -> dict[str, Any]:
        """Return labels as columns and amounts as arrays, without the rows that are left out.

        There are none once something is wrong, which `end` says. With `times` each row stands for
        so many, as a GROUP BY returns them.
        """
        n, read = len(next(iter(given.values()))), dict[str, Any](times)
        n_rows = read.get("times", np.ones(n, dtype=np.int64))
        keep = np.ones(n, dtype=bool)
        where = f"in the rows from {self.n_rows} on" if self.n_rows else ""
        for argument, values in given.items():
            try:
                with naming(where):
                    column, missing = self.values(argument, values)
                    read[argument] = column
                    if argument in self.labelled[1:] and "references" in read:
                        check_same_kind(read["references"], "references", column, argument)
            except ValueError as error:  # the first about each argument is kept for the end
                self._errors.setdefault(argument, error)
                self._bad |= dict.fromkeys(self.sources[-1:])
                continue
            if n_missing := int(n_rows[missing].sum()):
                self._n_missing[argument] += n_missing
            if n_missing and not self._may_lack(argument):
                self._bad |= {} if self._drop_null else dict.fromkeys(self.sources[-1:])
                self.left_out[_why(argument)] += int(n_rows[missing & keep].sum())
                keep &= ~missing
        self.n_rows += int(n_rows.sum())
        if self._n_missing and "references" in read:
            self._classes |= {*read["references"].coded()[0]} - {None}
        if self._errors or not keep.any():
            return {}
        return read if keep.all() else {name: values[keep] for name, values in read.items()}

    def _may_lack(self, argument: str) -> bool:
        return argument.startswith("predictions") and self.options.unknown == "wrong"

    def values(self, argument: str, values: Any) -> tuple[Any, Numbers]:
        """Return labels as a column or amounts as an array, and which are missing."""
        if argument in ("weights", "counts"):
            if isinstance(values, list):
                missing = np.array([value is None for value in values], dtype=bool)
                amounts = [0 if value is None else value for value in values]
            else:  # of Arrow
                missing = np.asarray(values.is_null())
                amounts = values.fill_null(0) if missing.any() else values
            read = read_whole(amounts) if argument == "counts" else read_amounts(amounts, argument)
            return read, missing
        own = self.class_names.get(argument)
        if argument in self.labelled:
            self._has_text |= self.is_text
            self._class_names = own = own or next(iter(self.class_names.values()), None)
        nulls = self.options.nulls() if self.is_text and not self.keep_missing else ()
        column = values  # joined rows were read before
        if not isinstance(values, Column):
            column = read_labels(values, argument, self.options, own, nulls)
        if column.kind is not None:
            example = read_quickly([column.example()], argument)
            before = self.examples.setdefault(argument, example)
            check_same_kind(before, f"{argument} before", column, argument)
        lacks = column.values is not None and None in column.values
        return column, ~column.differs_from(None) if lacks else np.zeros(len(column), dtype=bool)

    def task(self, references: Column, rows: Mapping[str, Any]) -> Task:
        """Return which references to leave out, as the integer or name of a class that they are.

        Keep account of rows whose reference is ignored, or whose weight is 0.
        """
        self._ignored = self.options.ignored(references.kind == "integers")
        if self._ignored is not None and self._class_names is not None:
            self._ignored = str(at_position(self._ignored, self._class_names))
        times = rows.get("times", np.ones(len(references), dtype=np.int64))
        kept = np.ones(len(references), dtype=bool)
        if self._ignored is not None:
            kept = references.differs_from(self._ignored)
            self.left_out["ignored"] += int(times[~kept].sum())
        if "weights" in rows:
            self.left_out["of weight 0"] += int(times[kept & (rows["weights"] == 0)].sum())
        return Task(None, self._ignored, "error")

    # The end

    def end(
        self, sides: Mapping[str, Amounts], never_repeats: Callable[[], bool]
    ) -> tuple[dict[Any, int], Sequence[Any] | None, Read]:
        """Raise an error about all that is wrong, or warn of what may be.

        Return the integers that text stands for, the declared classes if there are some, and what
        was read. `sides` are the labels of each argument that has some.
        """
        known = [label for label, _ in sides["references"]]
        with_classes = '`unknown` can be "wrong" only with `labels` or `choices`, the known classes'
        lacks = self.options.unknown == "wrong" and self.options.classes(False) is None
        self.refuse([DataError(with_classes, {"labels": []})] if lacks else [], known)
        names = [self.names[x] for x in self.labelled]
        if {*names} <= {str(y) if self._has_text else y for x in sides.values() for y, _ in x}:
            warn(no_header(names), LabelsWarning)
        integers = self._integers([[label for label, _ in side] for side in sides.values()])
        sides = {x: [(integers.get(y, y), n) for y, n in side] for x, side in sides.items()}
        known = [label for label, _ in sides["references"]]
        classes = self.options.classes(is_integer=bool(known) and isinstance(known[0], int))
        if classes is not None and self._class_names is not None:
            classes = [at_position(x, self._class_names) for x in classes]
        for x in self.labelled[1:]:
            warn_of_swapped(self.names["references"], self.names[x])
        used = {name for x, name in self.names.items() if x != "weights"}
        count = next((x for x in self.header if x not in used and COUNT.fullmatch(x)), None)
        if count and "counts" not in self.names and never_repeats():
            warn_of_count(count)
        return integers, classes, self._account(sides, {*(classes or known)}, bool(classes))

    def _integers(self, sides: Sequence[Sequence[Any]]) -> dict[Any, int]:
        """Return the integers that text stands for, if gaps made `1.0` of those on some sides."""
        labels = [[x for x in side if x is not None] for side in sides]
        if not self._has_text or not all(isinstance(x, str) for side in labels for x in side):
            return {}
        forms = {_form(side) for side in labels}
        self._has_gaps = forms == {_WHOLE, _GAPPED}
        every = {x for side in labels for x in side} if self._has_gaps else ()
        return {x: int(x.removesuffix(".0")) for x in every}

    def refuse(self, errors: Iterable[ValueError] = (), classes: Collection[Any] = ()) -> None:
        """Raise one error about all that is wrong, these errors included; nothing if all is well.

        `classes` are those of the references, as far as they are known.
        """
        nulls = [] if self._drop_null else self._null_errors()
        try:
            with naming(first_of([*self._bad] or self.sources)):
                refuse_all([*self._errors.values(), *nulls, *errors])
        except DataError as error:
            if {"unknown", "labels"} & {*error.remedy}:
                ignored, known = str(self.options.ignore_index), {*self.options.known}
                found = [x for x in sorted({*classes, *self._classes}) if str(x) != ignored]
                fit = {*map(str, found)} <= known if known else 0 < len(found) <= _MOST_CLASSES
                labels = {} if known else {"labels": found}
                error.remedy = error.remedy | labels if fit else {}
            raise

    def _null_errors(self) -> list[ValueError]:
        """Return the error about missing values, none if there are none."""
        null = "an empty cell, or text such as NA" if self._has_text else "None (null) or nan"
        lacking = [x for x in self.names if self._n_missing[x] and not self._may_lack(x)]
        found = [
            f"`{x}` must have a value in every row, got {null} in {self._n_missing[x]} of "
            f"{self.n_rows} rows of column {self.names[x]!r}"
            for x in lacking
        ]
        remedy: dict[str, Any] = {}
        how = "drop_null=True leaves out rows with missing values"
        wrong = [x for x in lacking if x.startswith("predictions")]
        if wrong:
            remedy["unknown"] = ["wrong"]
            counted = 'unknown="wrong" with `labels` counts a missing prediction as wrong'
            how = f"{counted}, {how}, which can flatter a model that gives up on hard samples"
        if len(wrong) < len(lacking):
            remedy["drop_null"] = []
        how += ", keep_missing=True reads such text as labels" * self._has_text
        return [DataError(f"{'; '.join(found)}: {how}", remedy)] if found else []

    def _account(
        self, sides: Mapping[str, Amounts], classes: Collection[Any], is_declared: bool
    ) -> Read:
        """Return what was read."""
        columns = []
        for argument, name in self.names.items():
            part = re.sub(r"_([ab])$", lambda found: f" {found[1].upper()}", argument)
            found = sides.get(argument, [])
            labels, outside = ([x for x in found if (x[0] in classes) == is_in] for is_in in (1, 0))
            notes = tuple(self._notes(argument)) if argument in sides else ()
            columns.append(ReadColumn(part, name, labels, outside, is_declared, notes))
        used = {name.removeprefix("argmax:") for name in self.names.values()}
        tops = {*used, *(name.partition(".")[0] for name in used)}
        not_used = tuple(name for name in self.header if name not in tops)
        sources, left_out = tuple(self.sources), +self.left_out
        return Read(sources, self.n_rows, left_out, tuple(columns), not_used, self._ignored)

    def _notes(self, argument: str) -> Iterator[str]:
        if self.options.numeric or self._has_gaps:
            yield "text read as integers"
        if self.options.pattern is not None and argument.startswith("predictions"):
            found = self.n_rows - self._n_missing[argument]
            yield f"an answer extracted from {found:,d} of {self.n_rows:,d}"
        if self._class_names is not None:
            yield "positions read as names of classes"


def first_of(sources: Sequence[str]) -> str:
    """Return the name of the first file, and how many others there are."""
    others = len(sources) - 1
    return " and ".join([*sources[:1], *[f"{others} more"] * (others > 0)])


def _form(labels: Iterable[str]) -> str | None:
    """Return which kind of integers in text all labels are, None if they are not."""
    return next((x for x in (_WHOLE, _GAPPED) if all(re.fullmatch(x, y) for y in labels)), None)


def _why(argument: str) -> str:
    """Return why a row is left out in which this has no value."""
    return f"no {re.split('[ _]', argument)[0].removesuffix('s')}"


def read_files(path: Any, samples: Samples, **how: Any) -> Iterator[dict[str, Any]]:
    """Return the rows of files as `samples` reads them; the options are those of `raw_batches`."""
    return map(samples.read, raw_batches(path, samples.names, samples, **how))


def raw_batches(
    path: Any,
    names: Mapping[str, str],
    samples: Samples,
    *,
    file_format: str | None = None,
    encoding: str | None = None,
    rows: str | None = None,
    most_bytes: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield columns of files by argument as they stand there.

    `samples` keeps account of the files, and of what is in them. The other options are those of
    `table_from_file`; a file may hold `most_bytes` once decompressed.

    Raises
    ------
    ValueError
        If a file is damaged or lacks a column; the message names the file.
    """
    for file, kind in list_files(path, file_format):
        samples.sources.append(file)
        with naming(file), open_whole(file, kind, encoding, most_bytes) as stream:
            found = read_header(stream, kind, names, rows, most_bytes)
            samples.header += [name for name in found.header if name not in samples.header]
            samples.class_names = getattr(found, "class_names", {})
            samples.is_text = kind in DELIMITERS
            yield from columns_in(found, stream, kind, names, samples.keep_missing)
