"""What the commands read: columns of files, two files joined, and the prior."""

from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from os.path import isfile
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.labels import Column, Label
from ..core.table import Task
from ..errors import prefix_errors
from ..inference.registry import score_named
from ..messages import message
from ..tables.label_options import LabelOptions
from ..text.account import lines_of_read
from .rules import OF_FILES, OF_LABELS, OF_NULLS

if TYPE_CHECKING:
    from ..files.joined import Whole
    from ..files.samples import Samples


def values_of(options: Namespace, *names: str) -> dict[str, Any]:
    """Return the values of options by their names, which are those of arguments in Python."""
    return {name: getattr(options, name) for name in names}


def samples_of(options: Namespace, columns: dict[str, str]) -> "Samples":
    """Return what reads these columns, by argument, as labels."""
    from ..files.samples import Samples

    labels = LabelOptions(**values_of(options, *OF_LABELS))
    samples = Samples(columns, labels, **values_of(options, *OF_NULLS))
    samples.is_label_sensitive = (
        options.metric is None or score_named(options.metric).is_label_sensitive
    )
    if not isinstance(options.prior, str | None):
        samples.beside = [{*map(str, options.prior)}]
    return samples


def rows_of(options: Namespace, samples: "Samples", second: Sequence[str] = ()) -> Iterable[Any]:
    """Return the rows of files; or of two joined, of which the second has the last role alone.

    Two files without a column in common have rows in the same order.
    """
    from ..files.batches import read_files
    from ..files.joined import joined_rows
    from ..files.listing import first_rows

    file_options = values_of(options, "encoding", *OF_FILES)
    are_apart = False
    if options.on is None and second and len(options.path) == 2 and all(map(isfile, options.path)):
        with suppress(ValueError):  # of columns that are not asked for
            tops = [first_rows(path, **file_options).columns for path in options.path]
            are_apart = tops[0].keys().isdisjoint(tops[1])
    if not second or (options.on is None and not are_apart):
        return read_files(options.path, samples, **file_options)
    sides = [role for role in samples.names if role != second[-1]], second
    columns = [{role: samples.names[role] for role in side} for side in sides]
    return joined_rows(options.path, options.on, columns, samples, **file_options)


def rows_of_lines(options: Namespace, samples: "Samples") -> Iterable[Any]:
    """Read text files of one label per line, one file for each argument."""
    from ..files.joined import lines_of, samples_of_lines

    samples.sources = list(options.path)
    lines = {role: lines_of(path, options.encoding) for role, path in samples.names.items()}
    return samples_of_lines(lines, samples)


def read_prior(options: Namespace) -> None:
    """Replace FILE:COLUMN by how often each class occurs there, as in the labels of training."""
    if options.prior is None:
        return
    from ..files.batches import read_files
    from ..files.joined import columns_of

    file, _, column = options.prior.rpartition(":")
    if not file:
        rule = "`prior` must be FILE:COLUMN, as in train.csv:label, got {prior}"
        raise ValueError(message(rule, prior=options.prior))
    samples = samples_of(options, {"references": column})
    with prefix_errors("`prior`"):
        rows = read_files(file, samples, **values_of(options, "encoding", *OF_FILES))
        columns, task, account = columns_of(samples, rows)
    options.tell("\n".join(lines_of_read(account)))
    labels = columns["references"].tolist()
    options.prior = Counter(label for label in labels if label != task.ignored)


def respell_prior(options: Namespace, samples: "Samples") -> None:
    """Give the prior by the labels for which the text of all files of the call stands."""
    n_samples: Counter[Label] = Counter()
    for label, n in (options.prior or {}).items():
        n_samples[samples.spelt(label)] += n
    options.prior = n_samples or None


def options_of_task(task: Task) -> dict[str, Any]:
    """Return which labels count, as options of a function."""
    return {"labels": task.classes, "ignore_index": task.ignored, "unknown": task.unknown}


def whole_columns(
    options: Namespace,
    columns: dict[str, str],
    second: Sequence[str] = (),
    *,
    are_lines: bool = False,
) -> "Whole":
    """Return whole columns: these by argument, and those of tasks, groups and counts."""
    from ..files.joined import columns_of

    beside = values_of(options, "groups", "counts") | {"task": options.by_task}
    beside = {argument: name for argument, name in beside.items() if name is not None}
    samples = samples_of(options, columns | beside)
    rows = rows_of_lines(options, samples) if are_lines else rows_of(options, samples, second)
    whole = columns_of(samples, rows)
    respell_prior(options, samples)
    return whole


def columns_by_task(columns: dict[str, Column]) -> Iterator[tuple[str, dict[str, Column]]]:
    """Yield the columns of each task by its name."""
    task_names, task_codes = columns.pop("task").coded()
    for code, name in enumerate(task_names):
        rows = np.flatnonzero(task_codes == code)
        if len(rows):
            yield str(name), {role: column[rows] for role, column in columns.items()}
