"""Requests for commands: frozen, in parts whose fields are named like Python arguments."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ..tables.label_options import LabelOptions

if TYPE_CHECKING:
    from ..results.estimate import Averaged

T = TypeVar("T")


@dataclass(frozen=True)
class FileFormat:
    """Options for reading files."""

    file_format: str | None = None
    encoding: str | None = None
    rows: str | None = None
    no_quotes: bool = False


@dataclass(frozen=True)
class ColumnNames:
    """Names of columns, and whether each file, or each value of a column, is a task."""

    references: str | None = None
    predictions: tuple[str, ...] = ()
    weights: str | None = None
    counts: str | None = None
    on: str | None = None
    by: tuple[str, ...] = ()
    by_file: bool = False
    by_task: str | None = None
    groups: str | None = None

    @property
    def are_named(self) -> bool:
        """Whether there are columns to score."""
        return self.references is not None and bool(self.predictions)


@dataclass(frozen=True)
class LogSelection:
    """Selection of the answers in logs."""

    harness: str | None = None
    verdict: str | None = None
    task: str | None = None
    exclude_task: tuple[str, ...] = ()
    variant: str | None = None
    runs: str | None = None
    latest: bool = False
    epoch: int | None = None
    epochs: str = "each"


@dataclass(frozen=True)
class Source:
    """Source of references and predictions: columns or lines of files, or logs.

    `most_bytes` limits each file after decompression, and `most_rows` all files together.
    """

    path: tuple[str, ...] = ()
    files: FileFormat = field(default_factory=FileFormat)
    columns: ColumnNames = field(default_factory=ColumnNames)
    logs: LogSelection = field(default_factory=LogSelection)
    drop_null: bool = False
    keep_missing: bool = False
    most_bytes: int | None = None
    most_rows: int | None = None


@dataclass(frozen=True)
class Scores:
    """The scores to compute; `prior` is FILE:COLUMN."""

    metric: str | None = None
    average: "Averaged" = "default"
    confidence_level: float | None = None
    prior: str | None = None


@dataclass(frozen=True)
class ReportScores(Scores):
    """The scores of a report, and the minimum for one of them."""

    prior_mode: str = "reweight"
    no_intervals: bool = False
    vs_rest: str | None = None
    sort: str = "name"
    at_least: float | None = None


@dataclass(frozen=True)
class CompareScores(Scores):
    """The score that two models are compared on, and the requirement on B."""

    metric: str = "informedness"
    confidence_level: float = 0.95
    margin: float | None = None
    detect: float | None = None
    require: str | None = None
    fail_if: str | None = None

    def arguments(self) -> dict[str, Any]:
        """Return the scores as arguments of `compare`."""
        names = "metric", "average", "confidence_level", "margin"
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Output:
    """Options for writing the result."""

    format: str = "text"
    plot: str | None = None
    each: bool = False


@dataclass(frozen=True)
class Request:
    """The request for either command.

    `given` has the names of the options that differ from their defaults, `typed` the words after
    the command.
    """

    source: Source = field(default_factory=Source)
    labels: LabelOptions = field(default_factory=LabelOptions)
    scores: Scores = field(default_factory=Scores)
    output: Output = field(default_factory=Output)
    given: frozenset[str] = frozenset()
    typed: tuple[str, ...] = ()

    @property
    def has_level(self) -> bool:
        """Whether the result has intervals."""
        return self.scores.confidence_level is not None


@dataclass(frozen=True)
class ReportRequest(Request):
    """The request for `report`."""

    scores: ReportScores = field(default_factory=ReportScores)

    @property
    def has_default_level(self) -> bool:
        """Whether the result has 95% intervals by default."""
        is_number = self.scores.metric is not None
        is_asked = self.scores.confidence_level is not None
        is_read = self.output.format in ("text", "html", "markdown")
        return is_read and not (is_number or is_asked or self.scores.no_intervals)

    @property
    def has_level(self) -> bool:
        """Whether the result has intervals, asked for or not."""
        return super().has_level or self.has_default_level


@dataclass(frozen=True)
class CompareRequest(Request):
    """The request for `compare`."""

    scores: CompareScores = field(default_factory=CompareScores)


def fill(kind: type[T], values: Mapping[str, Any]) -> T:
    """Make a request, or a part of one, from values that are named like its fields."""
    given: dict[str, Any] = {}
    for one in fields(kind):  # type: ignore[arg-type]
        if isinstance(one.default_factory, type) and is_dataclass(one.default_factory):
            given[one.name] = fill(one.default_factory, values)
        elif (value := values.get(one.name)) is not None:
            given[one.name] = tuple(value) if isinstance(value, list) else value
    return kind(**given)
