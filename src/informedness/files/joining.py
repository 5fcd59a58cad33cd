"""Read samples into memory: from files, lines of text, or two files whose rows are matched.

Rows are matched by identifier or by position.
"""

import io
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, count
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..core.labels import Column, LabelsWarning, Numbers, check_same_kind, join_columns, show, warn
from ..core.table import Task
from ..errors import optional_import, prefix_errors
from ..messages import Message, join, message, with_subject
from ..tables.contingency import common_codes
from ..tables.label_options import LabelOptions, read_labels
from ..text.layout import Account, amounts_of
from ..text.render import shown
from .opening import open_whole, why_not_utf8
from .reading import raw_batches
from .samples import Samples, Source, labels_of_text

Batches: TypeAlias = Iterable[Mapping[str, Any]]
Columns: TypeAlias = Mapping[str, Column]  # by argument

_MOST_ROWS = 1 << 29  # a column of this length takes up to 4 GiB


class Whole(NamedTuple):
    """All samples, in memory: columns by argument, the task, and the account."""

    columns: dict[str, Column]
    task: Task
    account: Account


def whole_columns(samples: Samples, batches: Batches, most_rows: int | None = None) -> Whole:
    """Join batches into columns, and check their labels.

    Each row is repeated as often as its number in "counts" says.

    Raises
    ------
    ValueError
        If a label is not valid, or there are more than `most_rows` rows, by default 2**29.
    """
    arguments = [x for x in samples.names if x != "counts"]
    columns = _join_batches(arguments, batches, most_rows or _MOST_ROWS)
    references, labelled = columns["references"], samples.labelled_arguments
    ignored = samples.make_task(references, {}).ignored
    counted = slice(None) if ignored is None else references.differs_from(ignored)
    totals = {}
    for argument in labelled:
        values, codes = columns[argument][counted].labels_and_codes()
        totals[argument] = amounts_of(values, np.bincount(codes, minlength=len(values)).tolist())
    never_repeats = _never_repeat([columns[argument] for argument in labelled])
    text_labels, task, account = samples.check_labels(totals, never_repeats)
    for argument in labelled if text_labels else ():
        values, codes = columns[argument].labels_and_codes()
        labels = [text_labels.get(label, label) for label in values]
        columns[argument] = read_labels(labels, argument, allow_missing=True)[codes]
    return Whole(columns, task, account)


def _join_batches(arguments: Sequence[str], batches: Batches, most_rows: int) -> dict[str, Column]:
    """Join the columns of all batches, and repeat each row as often as its count says."""
    parts = list[dict[str, Column]]()
    n_rows = 0
    for batch in filter(None, batches):
        counts = batch.get("counts", np.ones(len(batch["references"]), dtype=np.int64))
        n_rows += int(counts.sum())
        if n_rows > most_rows:
            text = f"the data must have at most {most_rows:,d} rows, got more: leave out rows"
            raise ValueError(Message(text, "too many rows", most=most_rows))
        rows = np.repeat(np.arange(len(counts)), counts)
        parts.append({argument: batch[argument][rows] for argument in arguments})
    empty = Column(np.zeros(0, dtype=np.int64), [])
    return {x: join_columns([part[x] for part in parts] or [empty]) for x in arguments}


def _never_repeat(columns: Sequence[Column]) -> bool:
    """Check whether there are at least two rows, and no two have the same labels."""
    labels, codes = zip(*(column.labels_and_codes() for column in columns), strict=True)
    n_rows = len(codes[0])
    return 1 < n_rows <= math.prod(map(len, labels)) and (
        n_rows == len(np.unique(np.stack(codes, axis=1), axis=0))
    )


# Lines of text


def read_lines(path: str, encoding: str | None) -> Column:
    """Read the lines of a text file of labels.

    Blocks of 2^16 characters stay in the cache, so a report takes a quarter of the time that it
    takes with lists of lines.
    """
    positions = defaultdict[str, int](count().__next__)
    with prefix_errors(shown(path)), open_whole(path, None, encoding) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig")
        blocks = iter(lambda: text.read(1 << 16) + text.readline(), "")
        lines = chain.from_iterable(block.removesuffix("\n").split("\n") for block in blocks)
        with suppress(UnicodeError):
            codes = np.fromiter(map(positions.__getitem__, lines), np.int32)
            if not any("\0" in line for line in positions):
                return Column(codes, [*positions])
        stream.seek(0)
        raise ValueError(why_not_utf8(stream.read().splitlines()))


def samples_of_lines(lines: Mapping[str, Column], samples: Samples) -> list[dict[str, Any]]:
    """Read samples from the lines of each argument, with one label per line.

    The list has one batch, or is empty without samples. Empty lines after the last line that is not
    empty in any of the files are samples only with `keep_missing`.

    Raises
    ------
    ValueError
        If the files differ in their number of lines. If lines have several cells, unless the
        options list the classes.
    """
    samples.begin(Source("", "csv"))  # nulls and integers are text, as in CSV
    samples.sources = [samples.names[argument] for argument in lines]
    n_lines = max(map(len if samples.keep_missing else _count_filled, lines.values()))
    _check_same_rows({samples.names[x]: min(n_lines, len(y)) for x, y in lines.items()})
    if n_lines and not samples.options.spellings:
        _check_lines({samples.names[x]: y[:n_lines] for x, y in lines.items()}, samples.options)
    return [samples.read({x: y[:n_lines] for x, y in lines.items()})] if n_lines else []


def _count_filled(lines: Column) -> int:
    """Count the lines up to the last line that is not empty."""
    return int(np.flatnonzero(lines.differs_from("")).max(initial=-1)) + 1


def _check_same_rows(n_rows: Mapping[str, int]) -> None:
    """Raise an error if files whose rows are paired by position have different numbers of rows."""
    if len({*n_rows.values()}) > 1:
        amounts = ", ".join(f"{n:,d} in {shown(file)}" for file, n in n_rows.items())
        rule = f"expected the same number of rows in each file, got {amounts}"
        raise ValueError(f"{rule}. To join files on an identifier, name its column as `on`.")


def _check_lines(lines: Mapping[str, Column], options: LabelOptions) -> None:
    """Raise an error if lines have several cells, and warn if the first lines look like headers.

    If classes are extracted from text, only the references are checked. A header is recognised
    only if the texts in each file occur at least twice on average.
    """
    checked_files = [*lines][: None if options.pattern is None else 1]
    first_lines = {file: lines[file].example() for file in checked_files}
    counts = {file: Counter[str]() for file in checked_files}
    for file in checked_files:
        values, codes = lines[file].labels_and_codes()
        for code, n in enumerate(np.bincount(codes).tolist()):
            counts[file][options.fold(values[code])] += n
        del counts[file][""]
    for file in _files_with_cells(counts):
        text = f"expected one label in each line, got several cells in {show(first_lines[file])}."
        text += " Name the columns of labels as `references and predictions`, and the column that"
        text += " identifies samples as `on`. Without a header, add one as the first line."
        raise ValueError(with_subject(shown(file), text))
    if all(2 * len(x) <= x.total() for x in counts.values()):
        _warn_of_header([*map(options.fold, first_lines.values())], counts.values())


def _warn_of_header(lines: Sequence[str], files: Collection[Counter[str]]) -> None:
    """Warn if the texts in the first lines have letters, and do not occur in any other line."""
    are_alone = all(sum(counts[line] for counts in files) == lines.count(line) for line in lines)
    if are_alone and all(any(map(str.isalpha, line)) for line in lines):
        text = f"only the first line has {' and '.join(map(show, dict.fromkeys(lines)))}"
        warn(f"{text}. If it is a header, remove it from all files.", LabelsWarning)


def _files_with_cells(counts: Mapping[str, Counter[str]]) -> list[str]:
    """Find the files whose lines are rows of several cells.

    They are the files in which all lines have tabs. If there are none, they are all files, or none.
    They are all files if every line has at least three words, and more than half of the lines in
    each file are distinct. They are also all files if the shortest line has two words, and the
    first words are identifiers: more than three, distinct, and the same in all files. Empty lines
    are ignored.
    """
    tabbed = [file for file, lines in counts.items() if lines and all("\t" in x for x in lines)]
    cells = [line.split() for line in chain(*counts.values())]
    n_cells = min(map(len, cells), default=0)
    if tabbed or n_cells < 2:
        return tabbed
    n_lines = max(map(Counter.total, counts.values()))
    are_rows = 2 * min(map(len, counts.values())) > n_lines
    if n_cells == 2:  # then all files must have the same identifiers
        are_rows = len({x for x, *_ in cells}) == n_lines == len(cells) / len(counts) > 3
    return [*counts] if are_rows else []


# Joins


def joined_rows(
    paths: Sequence[Any],
    on: str | None,
    names: Sequence[dict[str, str]],
    samples: Samples,
    **file_options: Any,
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of two files, which are joined on identifiers or paired by position.

    Parameters
    ----------
    paths : two paths
        Files, or folders of part files.
    on : str, optional
        Name of the column of identifiers in both files. By default, rows are paired by position.
    names : two dicts of str to str
        Column names by argument, for each file. If both files have an argument, such as the
        references of two models, its values must be equal for the same identifier.
    samples : Samples
        Reader of the rows.
    **file_options
        Options for reading files, as in `FileOptions`.

    Raises
    ------
    ValueError
        If a file is damaged, lacks a column or has no rows. If an identifier repeats in a file, has
        different references, or is missing in one file. With one model, however, additional
        identifiers in the second file are left out, and with unknown="wrong" identifiers that are
        missing in it count as wrong. Without identifiers, if the numbers of rows differ.
    """
    keys = {} if on is None else {"on": on}
    references = names[0]["references"]
    is_one_model = "references" not in names[1]
    may_repeat = is_one_model and references not in names[1].values()
    optional = {"references": references} if may_repeat else {}  # must be equal if present
    first = _read_columns(paths[0], keys | names[0], samples, **file_options)
    second = _read_columns(paths[1], keys | names[1], samples, optional=optional, **file_options)
    if "references" in second and samples.has_text:
        _spell_alike(first, second)  # predictions are respelled once all rows are read
    files = [*map(str, paths)]
    if on is None:
        n_rows = len(first["references"]), len(second["predictions"])
        _check_same_rows(dict(zip(files, n_rows, strict=True)))
        samples.sources[-1] += " (rows paired by position)"
    else:
        _code_identifiers(first, second)
        unknown = None
        if is_one_model:
            unknown = samples.options.unknown
            has_reference = np.isin(second["on"].codes, first["on"].codes)
            n_left_out = int(np.count_nonzero(~has_reference))
            samples.left_out["no reference"] += n_left_out
            samples.n_rows += n_left_out
            second = {argument: column[has_reference] for argument, column in second.items()}
        second = align_rows(first, second, files, f"`on` {on!r}", unknown)
    rows = {**second, **first}
    samples.examples.clear()
    samples.are_labels = True
    yield samples.read({argument: rows[argument] for argument in samples.names})


def _read_columns(
    path: Any, names: Mapping[str, str], samples: Samples, **file_options: Any
) -> dict[str, Any]:
    """Read the columns of one file; weights become a list, and identifiers arrays of text."""
    # Forget the labels of the other file, because `align_rows` compares their types.
    samples.examples.clear()
    parts = defaultdict[str, list[Any]](list)
    for columns in raw_batches(path, names, samples, **file_options):
        for argument, values in columns.items():
            if argument == "weights":
                parts[argument] += values if isinstance(values, list) else values.to_pylist()
            elif argument == "on":
                parts[argument] += _read_identifiers(values).chunks
            else:
                parts[argument].append(samples.read_values(argument, values)[0])
    if not parts:
        raise ValueError(with_subject(shown(path), "the data must have rows to join, got none"))
    return {x: y if x in ("weights", "on") else join_columns(y) for x, y in parts.items()}


def _read_identifiers(values: Any) -> Any:
    """Convert identifiers to a chunked pyarrow array of text, in which 7.0 becomes 7.

    Matching a million identifiers in two files then takes a quarter of the time that Python
    strings would take.
    """
    with optional_import("joining files needs pyarrow", "pyarrow>=20"):
        import pyarrow.compute
    if isinstance(values, list):
        texts = [None if value is None else str(value) for value in values]
        values = pyarrow.chunked_array([texts], pyarrow.string())
    texts = values.cast(pyarrow.large_string())
    return pyarrow.compute.replace_substring_regex(texts, r"^(-?\d+)\.0+$", r"\1")


def _code_identifiers(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Replace the identifiers of two files by columns with the same codes."""
    import pyarrow

    n_first = sum(map(len, first["on"]))
    ids = pyarrow.concat_arrays([*first["on"], *second["on"]]).dictionary_encode("encode")
    column = Column(np.from_dlpack(ids.indices), ids.dictionary.to_pylist())
    first["on"], second["on"] = column[:n_first], column[n_first:]


def _spell_alike(*files: dict[str, Any]) -> None:
    """Replace equal references, such as 7.0 and 7, by the same spelling in all files."""
    columns = [file["references"].labels_and_codes() for file in files]
    groups = [{x for x in labels if isinstance(x, str)} for labels, _ in columns]
    spellings = {text: str(label) for text, label in labels_of_text(groups).items()}
    for file, (labels, codes) in zip(files, columns, strict=True):
        file["references"] = Column(codes, [spellings.get(x, x) for x in labels])


def align_rows(
    first: Columns, second: Columns, names: Sequence[str], on: str, unknown: str | None = None
) -> dict[str, Column]:
    """Order the rows of a second model like those of the first, by identifier.

    Parameters
    ----------
    first, second : dict of str to Column
        Columns by argument; "on" holds the identifiers. For the same identifier, columns that both
        models have must be equal, except "predictions".
    names : two str
        Names of the two models or files in messages.
    on : str
        Name of the identifiers in messages.
    unknown : {"error", "wrong"}, optional
        How a missing prediction counts, if `first` has the references and `second` the predictions.
        With None, for two models, a missing identifier is an error.

    Raises
    ------
    ValueError
        If an identifier repeats, or is in only one of the two unless `unknown` is "wrong". If
        columns that both have differ.
    """
    rows, unmatched = _match_rows(first["on"], second["on"], names, on)
    if unmatched and unknown != "wrong":
        remedy = "Keep only the samples that both hold."
        if unknown is not None:
            remedy = 'Add the missing rows, or pass unknown="wrong" to count them as wrong.'
        raise ValueError(join([*unmatched, remedy], " "))

    is_matched = rows >= 0
    missing = Column(np.zeros(1, dtype=np.int64), [None])  # appended: row -1 is the last row
    columns = dict[str, Column]()
    for argument in second.keys() - {"on"}:
        column = second[argument]
        columns[argument] = (join_columns([column, missing]) if unmatched else column)[rows]
        if argument in first and argument != "predictions":
            a, b, ids = (x[is_matched] for x in (first[argument], columns[argument], first["on"]))
            with prefix_errors(Message(on)):
                _check_equal(argument, a, b, ids, names)
    return columns


def _match_rows(
    a: Column, b: Column, names: Sequence[str], on: str
) -> tuple[Numbers, list[Message]]:
    """Find the row in `b` of each identifier in `a`; -1 if `b` lacks the identifier.

    The messages are about identifiers that only one of the files has. An identifier that repeats
    raises ValueError.
    """
    check_same_kind(a, f"on of {names[0]}", b, f"on of {names[1]}")
    ids, *codes = a.values, a.codes, b.codes
    if ids is None or ids is not b.values:  # otherwise both columns already share their codes
        ids, *codes = common_codes(a, b)
    row_of = []  # for each file, the row of each code
    for name, row_codes in zip(names, codes, strict=True):
        rows = np.full(len(ids), -1)
        rows[row_codes] = np.arange(len(row_codes))
        repeated = row_codes[rows[row_codes] != np.arange(len(row_codes))]
        if len(repeated):
            text = "{n} of {total} rows of {name} repeat an identifier, such as {sample!r}; each "
            values = {"n": len(repeated), "total": len(row_codes), "name": name}
            description = message(f"{text}must occur once", **values, sample=ids[repeated[0]])
            raise ValueError(with_subject(Message(on), description))
        row_of.append(rows)
    unmatched = []
    for i, j in (0, 1), (1, 0):
        missing = codes[i][row_of[j][codes[i]] < 0]
        if len(missing):
            text = "{n} of {total} identifiers in {a} cannot be found in {b}, such as {sample!r}."
            values = {"n": len(missing), "total": len(codes[i]), "a": names[i], "b": names[j]}
            unmatched.append(message(text, "samples missing", sample=ids[missing[0]], **values))
    return row_of[1][codes[0]], unmatched


def _check_equal(argument: str, a: Column, b: Column, ids: Column, names: Sequence[str]) -> None:
    """Raise an error if the values of two columns, whose rows have the same `ids`, differ."""
    check_same_kind(a, f"{argument} of {names[0]}", b, f"{argument} of {names[1]}")
    values, codes_a, codes_b = common_codes(a, b)
    unequal = np.flatnonzero(codes_a != codes_b)
    if len(unequal):
        row = unequal[0]
        text = (
            f"the {argument} of {{n}} of {{total}} samples differ between {{name_a}} and "
            "{name_b}, such as {a!r} and {b!r} for {sample!r}; they must be equal"
        )
        fields = {"a": values[codes_a[row]], "b": values[codes_b[row]], "argument": argument}
        fields |= {"n": len(unequal), "total": len(ids), "sample": ids[[row]].tolist()[0]}
        fields |= {"name_a": names[0], "name_b": names[1]}
        raise ValueError(message(text, "references differ", **fields))
