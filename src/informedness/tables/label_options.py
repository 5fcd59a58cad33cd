"""Convert references and predictions to columns of labels, and options to a task.

Options may request these steps, in this order: extract the class from generated text, ignore case
and surrounding whitespace, convert text to integers, and replace positions by the names of choices.
Positions in a column of `datasets` are replaced by the class names of the column.
"""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np

from ..core import labels as core_labels
from ..core.labels import NAMES, NULLS, Column, Label, Numbers, read_column, show
from ..core.table import Task, is_real, read_task
from ..errors import prefix_errors
from .label_warnings import warn_of_swapped

# From containers to columns. The codes of pandas, polars and pyarrow columns are read directly,
# which is faster than reading each value. Only `core.labels.read_column` decides which values are
# labels.


def read_labels(values: Any, name: str, allow_missing: bool = False) -> Column:
    """Read the labels in a container as a column, from its codes if it has codes."""
    return read_column(native_column(values, name, allow_missing), name, allow_missing)


def native_column(values: Any, name: str, allow_missing: bool = False) -> Any:
    """Prepare a container for `read_column`: build a column from its codes, or get its array.

    Return other containers unchanged.
    """
    native = _native_array(values)
    if type(native) is np.ndarray:
        return native
    column = None
    if type(getattr(native, "dtype", None)).__name__ == "CategoricalDtype":
        column = _coded_column([*native.categories], native.codes, name, allow_missing)
    elif hasattr(native, "dictionary_encode") and hasattr(native, "to_pylist"):
        column = _arrow_column(native, name, allow_missing)
    return values if column is None else column


def _native_array(values: Any) -> Any:
    """Get the array in a polars Series, or in a pandas Series with an extension dtype.

    Return other values unchanged. These include polars Series of decimals, 128-bit integers,
    objects, and types that pyarrow cannot read.
    """
    dtype: Any = getattr(values, "dtype", None)
    if hasattr(values, "to_arrow") and hasattr(dtype, "base_type"):
        with suppress(Exception):  # pyarrow is not installed, or does not have the type
            # polars before 2.1 panics on 128-bit integers, and converts objects to bytes
            if dtype.base_type().__name__ not in ("Decimal", "Int128", "Object", "UInt128"):
                return values.to_arrow()
        return values
    native = getattr(values, "array", values) if hasattr(dtype, "construct_array_type") else values
    if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", "") == "pyarrow":
        return native.__arrow_array__()
    is_nullable = native is not values and not hasattr(dtype, "categories")
    return np.asarray(values) if is_nullable and not values.hasnans else native


def _coded_column(
    labels: list[Any], codes: Numbers, name: str, allow_missing: bool
) -> Column | None:
    """Build a column from labels and codes, with -1 for a missing label.

    Return None if a value is not a label, or if a label is missing and that is not allowed.
    """
    is_complete = codes.min(initial=0) >= 0
    if is_complete or allow_missing:
        with suppress(ValueError):
            labels = read_column(labels, name).tolist()
            if is_complete:
                return Column(codes, labels)
            return Column(np.where(codes < 0, np.int64(len(labels)), codes), [*labels, None])
    return None


def _arrow_column(values: Any, name: str, allow_missing: bool) -> Column | None:
    """Build a column from a pyarrow array: its integers, or the codes that pyarrow finds.

    Return None if `read_column` must read the values one by one.
    """
    import pyarrow
    from pyarrow import types

    with prefix_errors(f"`{name}`"):
        values.validate(full=True)  # an invalid index of -1 would select the last label
    if not isinstance(values, pyarrow.ChunkedArray):
        values = pyarrow.chunked_array([values])
    values = values.cast(pyarrow.uint8()) if types.is_boolean(values.type) else values
    if types.is_decimal(values.type):
        with suppress(pyarrow.ArrowInvalid):  # decimals with a fraction are not labels
            values = values.cast(pyarrow.int64())
    kind = values.type
    if (values.null_count and not allow_missing) or not len(values) or types.is_nested(kind):
        return None
    if types.is_integer(kind) and kind != pyarrow.uint64() and not values.null_count:
        return Column(np.from_dlpack(_in_one_chunk(values)))  # np.asarray would import pandas
    try:
        if not types.is_dictionary(kind) or kind.index_type != pyarrow.int32():
            values = values.dictionary_encode()  # imports pyarrow.compute (60 ms)
            values = values.cast(pyarrow.dictionary(pyarrow.int32(), values.type.value_type))
        values = _in_one_chunk(values.unify_dictionaries())
    except (ValueError, NotImplementedError):  # pyarrow cannot code values of this type
        return None
    codes = values.indices
    codes = codes.fill_null(-1) if codes.null_count else codes  # fill_null imports pandas
    return _coded_column(values.dictionary.to_pylist(), np.from_dlpack(codes), name, allow_missing)


def _in_one_chunk(values: Any) -> Any:
    """Join the chunks of a pyarrow array, without a copy if there is only one chunk."""
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()


# Options


def check_threshold(threshold: Any) -> None:
    """Raise ValueError unless the threshold is None or a finite number."""
    if threshold is not None and not (is_real(threshold) and math.isfinite(threshold)):
        raise ValueError(f"`threshold` must be a finite number, got {show(threshold)}")


@dataclass(frozen=True)
class LabelOptions:
    """Options for reading labels, as in `table_from_file`.

    Raises
    ------
    TypeError
        If `choices` or `labels` is an iterator.
    ValueError
        If an option is invalid or conflicts with another.
    """

    numeric: bool = False
    extract: str | re.Pattern[str] | None = None
    choices: Any = None  # a tuple of str after `__post_init__`
    labels: Any = None  # a tuple of labels after `__post_init__`
    ignore_index: Label | None = None
    unknown: str = "error"
    ignore_case: bool = False
    strip: bool = False
    threshold: float | None = None
    pattern: Any = field(init=False, default=None)  # the compiled `extract`
    # Maps the folded text of each class to the text of the class.
    spellings: Mapping[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        core_labels.check_choice("unknown", self.unknown, ("error", "wrong"))
        check_threshold(self.threshold)
        if self.choices is not None and self.labels is not None:
            raise ValueError("`choices` lists the classes of the task. Leave out `labels`")
        option = "labels" if self.choices is None else "choices"
        value = getattr(self, option)
        classes = None if value is None else tuple(read_labels(value, option).tolist())
        if option == "choices":
            _check_choices(classes, self.numeric)
        texts = [*map(str, classes or ())]
        if self.threshold is not None and (self.extract or len(texts) not in (0, 2)):
            remedy = "For more classes, name one column per class, as in argmax:a,b,c"
            raise ValueError(f"`threshold` needs two classes, and excludes `extract`. {remedy}")
        spellings = {self.fold(text): text for text in texts}
        if len(spellings) < len(texts):
            rule = "must be distinct, also without the case and whitespace that options ignore"
            raise ValueError(f"`{option}` {rule}, got {texts}")
        pattern = None if self.extract is None else _compile_pattern(self.extract)
        vars(self).update({option: classes, "spellings": spellings, "pattern": pattern})

    def classes(self, is_integer: bool, names: Sequence[str] = ()) -> Sequence[Label] | None:
        """List the declared classes, spelled like the references; None if they are not declared.

        If the references are integers (`is_integer`), text that spells an integer becomes one.
        Positions in `names` become class names.
        """
        labels = self.labels and [_to_integer(label, is_integer) for label in self.labels]
        return self.choices or (labels and [class_name_at(label, names) for label in labels])

    def fold(self, text: str) -> str:
        """Remove surrounding whitespace and differences of case, if the options ignore them."""
        text = text.strip() if self.strip else text
        return text.casefold() if self.ignore_case else text

    def ignored_label(self, is_integer: bool, names: Sequence[str] = ()) -> Any:
        """Spell `ignore_index` like the other references: as an integer, text or a class name."""
        if isinstance(self.ignore_index, str) and not is_integer:
            return class_name_at(self.fold(self.ignore_index), names)
        if (self.choices is not None or names) and self.ignore_index is not None:
            return str(class_name_at(self.ignore_index, names))
        return _to_integer(self.ignore_index, is_integer)

    def nulls(self) -> Collection[str]:
        """List the texts that mean a missing label in files, unless they are classes or ignored."""
        ignored = () if self.ignore_index is None else (str(self.ignore_index),)
        return NULLS.difference(self.spellings.values(), ignored)


def _check_choices(names: Any, numeric: bool) -> None:
    """Raise ValueError unless choices are text, and do not spell integers if `numeric` is True."""
    if not names or not isinstance(names[0], str):
        raise ValueError(f"`choices` must hold text, the name of each position, got {[*names]!r}")
    if numeric and (text := next((x for x in names if integer_of(x) is not None), None)):
        raise ValueError(f"`choices` must not hold integers with numeric=True, got {show(text)}")


def _compile_pattern(extract: Any) -> re.Pattern[str]:
    """Compile the option `extract`; raise ValueError unless it is a regular expression of text."""
    try:
        pattern = re.compile(extract)
        pattern.search("")  # a bytes pattern raises TypeError
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        rule = f"`extract` must be a regular expression of text, got {show(extract)}"
        raise ValueError(f"{rule}: {error}") from error
    return pattern


# From values to labels


def convert_labels(
    values: Any, role: str, options: LabelOptions, class_names: Any, nulls: Any, name: str
) -> Column:
    """Convert a column of values to labels.

    Missing values and text in `nulls` become None. With unknown="wrong", predictions without an
    answer also become None. Integers are positions in `choices` or, without choices, in
    `class_names`. Only references and predictions are converted; other columns keep their values.
    `role` is the argument of the column, such as "predictions_b". `name` is the name of the column
    to show in messages.

    Raises
    ------
    ValueError
        If a value is not a label, or if `_find_answers`, `_read_integer` or `_to_name` rejects it.
    """
    column = read_labels(values, name, allow_missing=True)
    names = options.choices or (class_names if column.kind == "integers" else None)
    text_changes = nulls, options.numeric, options.strip, options.ignore_case
    is_changed = names or options.pattern or (column.kind == "strings" and any(text_changes))
    if not (is_changed and len(column) and role.startswith(NAMES)):
        return column
    present, positions = core_labels.code_integers(column.codes)  # drops values that no sample has
    values = [None if x in nulls else x for x in Column(present, column.values).tolist()]
    if options.pattern is not None and role.startswith("predictions"):
        values = _find_answers(values, options, name)
    labels = [_convert(value, names, options, role, name) for value in values]
    return read_labels(labels, name, allow_missing=True)[positions]


def _convert(value: Any, names: Any, options: LabelOptions, role: str, name: str) -> Any:
    """Convert one value to a label, or to None as in `_read_integer` and `_to_name`."""
    if isinstance(value, str):
        value = options.spellings.get(options.fold(value), options.fold(value))
        value = _read_integer(value, options, role) if options.numeric else value
    return _to_name(value, names, options, role, name) if names and value is not None else value


def extract_answers(texts: Iterable[str | None], pattern: re.Pattern[str]) -> list[str | None]:
    """Extract from each text the first group of the first match of a pattern.

    Without a group in the pattern, extract the match. The answer is None if the text does not
    match, or the match does not use the group.

    Examples
    --------
    >>> extract_answers(["The answer is B.", "I cannot say"], re.compile("answer is ([A-D])"))
    ['B', None]
    """
    matches = [None if text is None else pattern.search(text) for text in texts]
    group = min(pattern.groups, 1)
    return [None if match is None else match[group] for match in matches]


def _find_answers(texts: list[Any], options: LabelOptions, name: str) -> list[str | None]:
    """Extract the answers from predictions.

    Raises
    ------
    ValueError
        If a prediction is not text. If it has no answer, unless unknown="wrong".
    """
    if bad := [text for text in texts if not isinstance(text, str | None)]:
        raise ValueError(f"`extract` needs text, got {show(bad[0])} in `{name}`")
    answers = dict(zip(texts, extract_answers(texts, options.pattern), strict=True))
    unmatched = [text for text in texts if text is not None and answers[text] is None]
    if unmatched and options.unknown == "error":
        remedy = 'Pass unknown="wrong" to count such predictions as wrong.'
        raise ValueError(f"`extract` found no answer in {show(unmatched[0])} of `{name}`. {remedy}")
    return [answers[text] for text in texts]


def _read_integer(text: str, options: LabelOptions, role: str) -> Label | None:
    """Convert text to an integer if it spells one.

    Other text stays unchanged if there are choices. Without choices it raises ValueError, except
    for predictions with unknown="wrong", where None is returned.
    """
    if (integer := integer_of(text)) is not None or options.choices is not None:
        return text if integer is None else integer
    if role == "references" or options.unknown == "error":
        raise ValueError(f"`{role}` must hold integers with numeric=True, got {show(text)}")
    return None


def _to_name(
    label: Label, names: Sequence[str], options: LabelOptions, role: str, name: str
) -> str | None:
    """Replace the position of a class by its name; keep other text, and the reference to ignore.

    Return None for -1 in a column of `datasets`, and for a predicted position without a name if
    unknown="wrong". Raise ValueError for other positions without a name. Text that spells an
    integer and is not a name also raises it, except in predictions with unknown="wrong".
    """
    if isinstance(label, int) and 0 <= label < len(names):
        return names[label]
    is_prediction = role.startswith("predictions")
    if not is_prediction and str(label) == str(options.ignore_index):
        return str(label)
    if label == -1 and not options.choices:  # `datasets` writes a missing label as -1
        return None
    text = label if isinstance(label, str) else None
    allow_missing = is_prediction and options.unknown == "wrong"
    if allow_missing or (text is not None and (text in names or integer_of(text) is None)):
        return text
    rule = f"must hold names of classes, or their positions from 0 to {len(names) - 1}"
    hint = "" if text is None else ". numeric=True reads such text as a position."
    raise ValueError(f"`{name}` {rule}, got {show(label)}{hint}")


def _to_integer(label: Any, is_integer: bool) -> Any:
    """Convert a label that spells an integer to int, if the references are integers."""
    return integer_of(label) if is_integer and integer_of(label) is not None else label


# References and predictions


def read_label_columns(
    containers: Mapping[str, Any], labels: Any, ignore_index: Any, unknown: str, **other_arrays: Any
) -> tuple[list[Column], Task]:
    """Read references and the predictions of each model as columns, and the options as a task.

    `containers` maps argument names to labels, with the references first. All labels must have the
    same type. `other_arrays`, such as weights, must have the samples in the same order.
    """
    core_labels.check_same_order({**containers, **other_arrays})
    first, *prediction_names = containers
    class_names = class_names_of(*containers.values())
    columns = dict(containers)
    if class_names:
        labels = to_class_names(labels, *containers.values())
        options = LabelOptions(labels=labels, ignore_index=ignore_index, unknown=unknown)
        ignore_index = options.ignored_label(False, class_names)
        for name, container in containers.items():
            role = "references" if name == first else "predictions"
            columns[name] = _name_labels(container, role, options, class_names, name)
    r = columns[first] = read_labels(columns[first], first)
    for name in prediction_names:
        warn_of_swapped(*(getattr(containers[x], "name", None) for x in (first, name)))
        predictions = native_column(columns[name], name, str(unknown) == "wrong")
        columns[name] = core_labels.read_pair(r, predictions, (first, name), unknown=unknown)[1]
    return [*columns.values()], read_task(r, labels, ignore_index, unknown, first)


def read_other_predictions(predictions: Any, name: str, *containers: Any) -> Column:
    """Read predictions for samples other than those in `containers`; they may be missing.

    Positions get class names from `predictions` itself, or else from the first container with class
    names. `name` is the name of the predictions to show in messages.
    """
    options = LabelOptions(unknown="wrong")
    return _name_labels(predictions, "predictions", options, class_names_of(*containers), name)


def _name_labels(container: Any, role: str, options: LabelOptions, names: Any, name: str) -> Column:
    """Read a column, and replace positions by the names of its `ClassLabel`, or else by `names`."""
    own_names = class_names_of(container)
    values = container[:] if own_names else container
    return convert_labels(values, role, options, own_names or names, (), name)


# Names of classes in columns of `datasets`


def to_class_names(labels: Any, *containers: Any) -> Any:
    """Replace class positions in a label, a sequence or the keys of a mapping by class names.

    The names are those of the first container with class names. Without such a container, return
    `labels` unchanged.
    """
    names = None if labels is None else class_names_of(*containers)
    if names is None:
        return labels
    if isinstance(labels, (Integral, str, bytes)):
        return class_name_at(labels, names)
    if isinstance(labels, Mapping) or hasattr(labels, "to_dict"):  # or a Series of counts
        return {class_name_at(label, names): value for label, value in labels.items()}
    return [class_name_at(label, names) for label in read_labels(labels, "labels").tolist()]


def class_names_of(*containers: Any) -> Sequence[str] | None:
    """Find the class names of the first container that is a column of type `ClassLabel`."""
    names = (getattr(getattr(x, "features", None), "names", None) for x in containers)
    return next(filter(None, names), None)


def class_name_at(label: Any, names: Sequence[str]) -> Any:
    """Get the class name at a position, which may be text; return other values unchanged."""
    position = None if label in names else integer_of(label)
    return names[position] if position is not None and 0 <= position < len(names) else label


def integer_of(text: Any) -> int | None:
    """Convert text that spells an integer, such as "1" or "1.0"; return None for other text."""
    # pandas converts integers to floats, such as 1.0, if a column contains nan.
    match = re.fullmatch(r"([+-]?[0-9]+)(\.0*)?", str(text), re.ASCII)
    return int(match[1]) if match else None
