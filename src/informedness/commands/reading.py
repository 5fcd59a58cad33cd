"""Read the source of a request as tables, as columns or as answers in logs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..core.labels import NAMES, Label
from ..errors import prefix_errors
from ..files.columns import collect_names
from ..files.counting import table_of_matrix, tables_of
from ..files.joining import Whole, joined_rows, read_lines, samples_of_lines, whole_columns
from ..files.opening import guess_format, list_files
from ..files.reading import first_rows, read_files
from ..files.samples import Samples
from ..inference.registry import score_named
from ..messages import message
from ..tables.contingency import ContingencyTable, Slice
from ..tables.label_options import LabelOptions
from ..text.layout import Account
from .console import Console
from .request import ReportRequest, Request, Source

if TYPE_CHECKING:
    from ..logs.answers import Answers

# Maps each class to its number of samples, for example in training data
Prior: TypeAlias = Mapping[Label, int]
# Roles of columns for a comparison
COMPARE_ROLES = ("references", "predictions_a", "predictions_b")


def find_kind(request: Request) -> str:
    """Decide how the source is read: as "columns", "lines" of text, a "matrix" or "logs"."""
    source, is_report = request.source, isinstance(request, ReportRequest)
    if source.columns.references is not None or source.columns.predictions:
        return "columns"
    are_texts = [Path(file).suffix.lower() in (".txt", ".text") for file in source.path]
    if are_texts == [True] * (2 if is_report else 3):  # references, and one or two models
        return "lines"
    if not any(are_texts) and not _is_table_file(source):
        return "logs"
    is_matrix = is_report and _read_matrix(source, request.labels) is not None
    return "matrix" if is_matrix else "columns"


def _is_table_file(source: Source) -> bool:
    """Check whether the first path of a source is a file in the format of tables, not a log."""
    file = Path(source.path[0])
    file_format = source.files.file_format or guess_format(file)
    if source.logs.harness is not None or file_format is None or not file.is_file():
        return False
    from ..logs.reading import READERS

    return not any(reader.is_log(file) for reader in READERS.values())


def _read_matrix(source: Source, labels: LabelOptions) -> ContingencyTable | None:
    """Read a source as a confusion matrix; return None unless it is one file with a matrix."""
    if len(source.path) != 1 or not Path(source.path[0]).is_file():
        return None
    ((path, file_format),) = list_files(source.path, source.files.file_format)
    return table_of_matrix(path, file_format, source.files.encoding, labels.labels, labels.unknown)


class Inputs(NamedTuple):
    """Data to score: a table, one table per slice, columns, or answers in logs.

    `names` maps arguments to the names of columns. Labels of the prior are spelled as in the files.
    """

    data: ContingencyTable | dict[Slice, ContingencyTable] | Whole | list[Answers]
    names: Mapping[str, str] = {}
    prior: Prior | None = None

    def names_of(self, role: str) -> dict[str, str]:
        """Map the arguments of one role, such as "by" and "by 2", to the names of columns."""
        return {x: name for x, name in self.names.items() if x.startswith(role)}

    @property
    def accounts(self) -> Sequence[Account | str]:
        """The accounts that a result for one metric does not show; for logs, warnings."""
        if isinstance(self.data, ContingencyTable):
            return self.data.read
        if isinstance(self.data, list):
            from ..logs.runs import how_found

            return [message("warning: {x}", x=how_found(run)) for run in self.data if run.unknown()]
        if isinstance(self.data, dict) or {"predictions 1", "task"} & self.names.keys():
            return []
        return [self.data.account]


@dataclass(frozen=True)
class Reader:
    """Read the labels in a source.

    `kind` is a result of `find_kind`. With a `metric`, labels are checked only as far as it
    requires. `are_compared` says whether the columns are references and predictions of two models.
    """

    source: Source
    labels: LabelOptions
    kind: str = "columns"
    metric: str | None = None
    are_compared: bool = False
    prior: Prior | None = None

    def with_prior(self, column: str | None, console: Console) -> Reader:
        """Copy the reader with the class counts in FILE:COLUMN as prior, and print their account.

        If `column` is None, return the reader unchanged.

        Raises
        ------
        ValueError
            If `column` is not of the form FILE:COLUMN, or the column cannot be read.
        """
        if column is None:
            return self
        file, _, name = column.rpartition(":")
        if not file:
            rule = "`prior` must be FILE:COLUMN, as in train.csv:label, got {prior}"
            raise ValueError(message(rule, prior=column))
        samples = self._samples({"references": name})
        with prefix_errors("`prior`"):
            rows = read_files(file, samples, **vars(self.source.files))
            columns, task, account = whole_columns(samples, rows)
        console.print(account)
        labels = columns["references"].tolist()
        return replace(self, prior=Counter(label for label in labels if label != task.ignored))

    def read(self, is_one_run: bool = False) -> Inputs:
        """Read a table, one table per slice, the columns themselves, or answers in logs.

        Columns are read for two or more models, for groups and for tasks. If `is_one_run`, logs
        must contain exactly one run.

        Raises
        ------
        ValueError
            If a column is to be cut into quantiles, and columns are read. If the data are invalid.
        """
        if self.kind == "logs":
            from ..logs.reading import only_run

            runs = self.read_logs(self.source.path)
            return Inputs([only_run(runs, " ".join(self.source.path))] if is_one_run else runs)
        if self.kind == "matrix":
            table: Any = _read_matrix(self.source, self.labels)
            return Inputs(table)
        names, columns = self._names(), self.source.columns
        if "predictions" not in names or columns.groups is not None or columns.by_task is not None:
            if bins := [*self._bins()]:
                rule = "`by` must name a column if `groups` is passed, got {name}"
                raise ValueError(message(f"{rule}. Add a column of quantiles.", name=bins[0]))
            whole, prior = self.read_columns(names)
            return Inputs(whole, names, prior)
        samples = self._samples(names)
        tables = tables_of(samples, self._rows(samples))
        for name, (column, n_bins) in self._bins().items():
            from ..results.slices import cut_into_quantiles

            tables = cut_into_quantiles(tables, columns.by.index(name), n_bins, column)
        return Inputs(tables, names, self._spelled_prior(samples))

    def split_by_file(self) -> dict[str, Reader]:
        """Map the path of each file to a reader of this file."""
        files = list_files(self.source.path, self.source.files.file_format)
        return {path: replace(self, source=replace(self.source, path=(path,))) for path, _ in files}

    def read_columns(self, names: Mapping[str, str] | None = None) -> tuple[Whole, Prior | None]:
        """Read the columns in `names`, by default those of the request.

        Also return the prior, spelled as in the files.
        """
        samples = self._samples(names or self._names())
        whole = whole_columns(samples, self._rows(samples), self.source.most_rows)
        return whole, self._spelled_prior(samples)

    def read_logs(self, path: str | Sequence[str]) -> list[Answers]:
        """Read answers from all logs in a file or folder, or in several."""
        from ..logs.reading import read_log

        names = "extract", "choices", "ignore_case", "strip"
        text = {name: getattr(self.labels, name) for name in names}
        return read_log(path, **vars(self.source.logs), **text)

    def _names(self) -> dict[str, str]:
        """Map arguments to names of columns or, for lines of text, to files."""
        path, columns = self.source.path, self.source.columns
        if self.kind == "lines":
            return dict(zip(COMPARE_ROLES if self.are_compared else NAMES, path, strict=True))
        references, models = str(columns.references), columns.predictions
        if self.are_compared:
            names = dict(zip(COMPARE_ROLES, (references, models[0], models[-1]), strict=True))
        elif len(models) > 1:
            numbered = {f"predictions {i}": name for i, name in enumerate(models, start=1)}
            names = {"references": references, **numbered}
        else:
            bins = self._bins()
            by = [bins[name][0] if name in bins else name for name in columns.by] or None
            names = collect_names(references, models[0], columns.weights, columns.counts, by)
        extras = {"groups": columns.groups, "counts": columns.counts, "task": columns.by_task}
        return names | {argument: name for argument, name in extras.items() if name is not None}

    def _bins(self) -> dict[str, tuple[str, int]]:
        """Map names in --by, such as `length:4`, to the column and the number of its quantiles.

        A column that is named `length:4` in the file is not cut.
        """
        matches = [re.fullmatch(r"(.+):([2-9]|[1-9]\d)", name) for name in self.source.columns.by]
        if not any(matches):
            return {}
        known = first_rows(self.source.path[0], **vars(self.source.files)).columns
        cuts = [match for match in matches if match is not None and match[0] not in known]
        return {match[0]: (match[1], int(match[2])) for match in cuts}

    def _samples(self, names: Mapping[str, str]) -> Samples:
        """Make the object that reads the values of these columns as labels."""
        options = self.labels, self.source.drop_null, self.source.keep_missing
        is_sensitive = self.metric is None or score_named(self.metric).is_label_sensitive
        return Samples(names, *options, is_sensitive, {*map(str, self.prior or ())})

    def _rows(self, samples: Samples) -> Iterable[Any]:
        """Read the rows of all files, or join the rows of two files."""
        path, on, names = self.source.path, self.source.columns.on, samples.names
        if self.kind == "lines":
            encoding = self.source.files.encoding
            return samples_of_lines({x: read_lines(y, encoding) for x, y in names.items()}, samples)
        second = ["references", "predictions_b"] if self.are_compared else ["predictions"]
        options: Any = vars(self.source.files)
        if not {*second} <= {*names} or (on is None and not self._are_paired()):
            return read_files(path, samples, **options)
        first = [argument for argument in names if argument != second[-1]]
        columns = [{argument: names[argument] for argument in file} for file in (first, second)]
        return joined_rows(path, on, columns, samples, **options)

    def _are_paired(self) -> bool:
        """Check whether there are two files without a common column.

        Their rows are then paired by position.
        """
        path = self.source.path
        if len(path) == 2 and all(Path(file).is_file() for file in path):
            with suppress(ValueError):  # errors may be about columns that are not needed
                first, second = (first_rows(x, **vars(self.source.files)).columns for x in path)
                return first.keys().isdisjoint(second)
        return False

    def _spelled_prior(self, samples: Samples) -> Prior | None:
        """Count the labels of the prior as the files spell them; return None without a prior."""
        n_samples: Counter[Label] = Counter()
        for label, n in (self.prior or {}).items():
            n_samples[samples.spell(label)] += n
        return n_samples or None
