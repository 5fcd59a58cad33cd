"""Read a source as tables, as columns or as answers in logs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from os.path import isfile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..core.labels import NAMES, Label
from ..errors import prefix_errors
from ..files.columns import named_columns
from ..files.opening import list_files
from ..files.reading import read_files
from ..files.samples import Samples
from ..files.tables import table_of_matrix, tables_of
from ..inference.registry import score_named
from ..messages import message
from ..tables.contingency import ContingencyTable, Slice
from ..tables.label_options import LabelOptions
from ..text.layout import Account
from .console import Console
from .request import Source

if TYPE_CHECKING:
    from ..files.joined import Whole
    from ..logs.answers import Answers

# Number of samples of each class, for example in training data
Prior: TypeAlias = Mapping[Label, int]
PAIR = ("references", "predictions_a", "predictions_b")  # roles if two models are compared


class Labels(NamedTuple):
    """Data that was read: a table, one table per slice, columns, or answers in logs.

    `names` are the names of columns, by argument. The labels of the prior are spelled as those in
    the files. The reference `ignored` is already left out of a table that was not read. `bins` has
    the number of quantiles for each column of numbers to cut.
    """

    data: ContingencyTable | dict[Slice, ContingencyTable] | Whole | list[Answers]
    names: Mapping[str, str] = MappingProxyType({})
    prior: Prior | None = None
    ignored: Label | None = None
    bins: Mapping[str, int] = MappingProxyType({})

    def names_of(self, role: str) -> dict[str, str]:
        """Return the names of the columns in a role, by argument; there may be several."""
        return {x: name for x, name in self.names.items() if x.startswith(role)}

    @property
    def accounts(self) -> Sequence[Account | str]:
        """Accounts of the data, because a score alone does not show them."""
        if isinstance(self.data, ContingencyTable):
            return self.data.read
        if isinstance(self.data, list):
            from ..logs.runs import how_found

            runs = [run for run in self.data if run.unknown()]
            return [message("warning: {found}", found=how_found(run)) for run in runs]
        if isinstance(self.data, dict) or not {*self.names}.isdisjoint({"predictions 1", "task"}):
            return []
        return [self.data.read]


@dataclass(frozen=True)
class Reader:
    """Read the labels in a source; the result is independent of the request.

    `kind` is the kind of source: "columns", "lines", a "matrix" or "logs". With a `metric`, labels
    are checked only as far as it needs. Two models `are_compared`, or each is scored.
    """

    source: Source
    labels: LabelOptions
    kind: str = "columns"
    metric: str | None = None
    are_compared: bool = False
    prior: Prior | None = None

    def with_prior(self, place: str | None, console: Console) -> Reader:
        """Add the class counts in FILE:COLUMN to a copy of the reader, and tell their account."""
        from ..files.joined import whole_columns

        if place is None:
            return self
        file, _, column = place.rpartition(":")
        if not file:
            rule = "`prior` must be FILE:COLUMN, as in train.csv:label, got {prior}"
            raise ValueError(message(rule, prior=place))
        samples = self._samples({"references": column})
        with prefix_errors("`prior`"):
            rows = read_files(file, samples, **vars(self.source.files))
            columns, task, account = whole_columns(samples, rows)
        console.tell_read([account])
        labels = columns["references"].tolist()
        return replace(self, prior=Counter(label for label in labels if label != task.ignored))

    def read(self, is_one_run: bool = False) -> Labels:
        """Read a table, one table per slice, the columns themselves, or answers in logs.

        Several models, groups and tasks need the columns. If `is_one_run`, logs must hold one.
        """
        if self.kind == "logs":
            from ..logs.reading import only_run

            runs = self.read_logs(self.source.path)
            name = " ".join(self.source.path)
            return Labels([only_run(runs, name)] if is_one_run else runs)
        names, columns = self._names(), self.source.columns
        if "predictions" not in names or columns.groups is not None or columns.by_task is not None:
            whole, prior = self.read_columns(names)
            return Labels(whole, names, prior)
        if self.kind == "matrix" and (table := matrix_in(self.source, self.labels)) is not None:
            return Labels(table, names)
        samples = self._samples(names)
        tables = tables_of(samples, self._rows(samples))
        return Labels(tables, names, self._spelt_prior(samples), bins=self._bins())

    def split_by_file(self) -> dict[str, Reader]:
        """Make a reader for each file, by path."""
        files = list_files(self.source.path, self.source.files.file_format)
        sources = {path: replace(self.source, path=(path,)) for path, _ in files}
        return {path: replace(self, source=source) for path, source in sources.items()}

    def read_columns(self, names: Mapping[str, str] | None = None) -> tuple[Whole, Prior | None]:
        """Read the columns, or others given by argument, and the prior."""
        from ..files.joined import whole_columns

        samples = self._samples(names or self._names())
        limits = {} if self.source.most_rows is None else {"most_rows": self.source.most_rows}
        return whole_columns(samples, self._rows(samples), **limits), self._spelt_prior(samples)

    def read_logs(self, path: str | Sequence[str]) -> list[Answers]:
        """Read the answers in the logs of a path, or of several."""
        from ..logs.reading import read_log

        names = "extract", "choices", "ignore_case", "strip"
        text = {name: getattr(self.labels, name) for name in names}
        return read_log(path, **vars(self.source.logs), **text)

    def _names(self) -> dict[str, str]:
        """Name the columns, or the files with one column each, by argument."""
        path, columns = self.source.path, self.source.columns
        if self.kind == "matrix":
            return dict.fromkeys(NAMES, path[0])
        if self.kind == "lines":
            return dict(zip(PAIR if self.are_compared else NAMES, path, strict=True))
        others = {"groups": columns.groups, "counts": columns.counts, "task": columns.by_task}
        given = {argument: name for argument, name in others.items() if name is not None}
        return {**self._names_of_models(), **given}

    def _names_of_models(self) -> dict[str, str]:
        """Name the columns of references and predictions; for one model, also the others."""
        columns = self.source.columns
        references, models = columns.references or "", columns.predictions
        if self.are_compared:
            return dict(zip(PAIR, (references, models[0], models[-1]), strict=True))
        if len(models) > 1:
            numbered = {f"predictions {i}": name for i, name in enumerate(models, start=1)}
            return {"references": references, **numbered}
        cut = {f"{column}:{n}": column for column, n in self._bins().items()}
        by = [cut.get(name, name) for name in columns.by] or None
        return named_columns(references, models[0], columns.weights, columns.counts, by)

    def _bins(self) -> dict[str, int]:
        """Find the columns to cut into quantiles, as in `length:4`, and the number of each.

        A column whose whole name is `length:4` is not cut.
        """
        asked = [re.fullmatch(r"(.+):([2-9]|[1-9]\d)", name) for name in self.source.columns.by]
        if not any(asked):
            return {}
        from ..files.reading import first_rows

        known = first_rows(self.source.path[0], **vars(self.source.files)).columns
        return {x[1]: int(x[2]) for x in asked if x is not None and x[0] not in known}

    def _samples(self, names: Mapping[str, str]) -> Samples:
        """Make the `Samples` that read these columns as labels."""
        samples = Samples(names, self.labels, self.source.drop_null, self.source.keep_missing)
        is_sensitive = self.metric is None or score_named(self.metric).is_label_sensitive
        samples.is_label_sensitive = is_sensitive
        samples.prior_labels = {*map(str, self.prior or ())}
        return samples

    def _rows(self, samples: Samples) -> Iterable[Any]:
        """Read the rows of the files, or of two joined files."""
        from ..files.joined import joined_rows, read_lines, samples_of_lines

        path, on, names = self.source.path, self.source.columns.on, samples.names
        if self.kind == "lines":
            samples.found.sources = [*path]
            encoding = self.source.files.encoding
            return samples_of_lines({x: read_lines(y, encoding) for x, y in names.items()}, samples)
        second = ["references", "predictions_b"] if self.are_compared else ["predictions"]
        options: Any = {**vars(self.source.files), "most_bytes": self.source.most_bytes}
        if not {*second} <= {*names} or (on is None and not self._are_paired()):
            return read_files(path, samples, **options)
        sides = [argument for argument in names if argument != second[-1]], second
        columns = [{argument: names[argument] for argument in side} for side in sides]
        return joined_rows(path, on, columns, samples, **options)

    def _are_paired(self) -> bool:
        """Tell whether two files share no column, so that rows are paired by order."""
        from ..files.reading import first_rows

        path = self.source.path
        if len(path) == 2 and all(map(isfile, path)):
            with suppress(ValueError):  # about columns that are not needed
                tops = [first_rows(file, **vars(self.source.files)).columns for file in path]
                return tops[0].keys().isdisjoint(tops[1])
        return False

    def _spelt_prior(self, samples: Samples) -> Prior | None:
        n_samples: Counter[Label] = Counter()
        for label, n in (self.prior or {}).items():
            n_samples[samples.spelt(label)] += n
        return n_samples or None


def matrix_in(source: Source, labels: LabelOptions) -> ContingencyTable | None:
    """Read the only file as a confusion matrix, if it is one."""
    if len(source.path) != 1 or not all(map(isfile, source.path)):
        return None
    ((path, kind),) = list_files(source.path, source.files.file_format)
    return table_of_matrix(path, kind, source.files.encoding, labels.labels)
