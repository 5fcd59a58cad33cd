"""Find likely mistakes in the labels of a table, or in the names of columns.

The warning of out-of-class predictions is in `core.table`, because metric modules issue it without
the package.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ..core.labels import NAMES, NULLS, Label, LabelsWarning, Numbers, show, warn
from ..core.table import Table, amount_text, warn_of_out_of_class
from ..warnings import OwnLabelsWarning

# Words in column names. A word of `_LABEL` means references unless the name also contains a word of
# `_PREDICTED`, as in "predicted label".
_TRUE = re.compile(
    "gold(en)?|true|(ground)?truth|refs?|references?|actual|expected|obs(erved)?|ytest|answerkey"
)
_PREDICTED = re.compile("preds?|predict(ed|ions?)?|yhat|hyp|hypothesis")
_LABEL = re.compile("labels?|targets?")
DECIMAL = r"-?\d*\.\d+"
_MIN_SAMPLES = 50  # fewer samples may all be of different classes if a task has many classes
_MOST_COMPARED = 100  # limit on the columns compared to find verdicts
_LONG = 100  # a label of at least this many characters is text, not the name of a class


def warn_of_table(
    table: Table, names: Sequence[str] = NAMES, has_names: bool = False, has_nulls: bool = False
) -> None:
    """Warn of labels in a table that may be mistakes.

    `names` are the names of references and predictions in messages. `has_names` means that a column
    of `datasets` names the classes, so many different labels are not a mistake. `has_nulls` means
    that text such as "nan" is a label.
    """
    if not has_nulls:
        warn_of_nulls(table, names)
    warn_of_out_of_class(table, names, "error" if table.unmerged_table is None else "wrong")
    if not (table.is_declared or has_names):
        warn_of_own_labels(table.n_classes, table.n_samples, table.labels[0], names[0])
    if not (table.is_declared or table.n_samples == 1 or not isinstance(table.labels[0], str)):
        _warn_of_spellings(filter(None, (table.unmerged_table or table).labels))


def warn_of_nulls(table: Table, names: Sequence[str] = NAMES) -> None:
    """Warn of undeclared labels that look like a missing value, such as "nan" or -100."""
    # the labels are sorted, so none is -100 if the first is not negative
    are_ids = isinstance(table.labels[0], int) and table.labels[0] >= 0
    if are_ids or table.is_declared or table.n_samples == 1:
        return
    codes = [code for code, label in enumerate(table.labels) if _is_null(label)]
    for name, totals in zip(names, (table.reference_totals, table.prediction_totals), strict=True):
        if listed := ", ".join(show(table.labels[code]) for code in codes if totals[code]):
            warn(
                f"{listed} in `{name}` counts as a label, {amount_text(table, totals[codes])}. If "
                "it is a class, list it in `labels`. If it means a missing value, drop the sample, "
                'or pass a missing prediction as None with unknown="wrong".',
                LabelsWarning,
            )


def _is_null(label: Label | None) -> bool:
    """Check whether a label is -100 or text that means a missing value."""
    text = label.decode("latin-1") if isinstance(label, bytes) else str(label)
    return label is not None and text.strip() in (*NULLS, "-100")


def _warn_of_spellings(labels: Iterable[Any]) -> None:
    """Warn of the first label that looks like an earlier label.

    Labels of fewer than three letters, and of 100 characters or more, are not compared.
    """
    known: dict[str, str] = {}
    for label in labels:
        looks = _appearance_of(label[:_LONG])
        is_name = len(label) < _LONG and sum(map(str.isalpha, looks)) > 2
        if is_name and (like := known.setdefault(looks, label)) != label:
            return warn(_difference_of(label, like), LabelsWarning)


def _appearance_of(text: str) -> str:
    """Normalise text, so that labels that look alike become equal.

    Dashes and minus signs become hyphens, and invisible characters are removed. The normalised text
    is case-folded and without surrounding whitespace.
    """
    plain = unicodedata.normalize("NFKC", text)
    kinds = {x: unicodedata.category(x) for x in {*plain}}
    seen = ("-" if kinds[x] == "Pd" or x == "\u2212" else x for x in plain if kinds[x] != "Cf")
    return "".join(seen).strip().casefold()


def _difference_of(label: str, other: str) -> str:
    """Explain how two labels that look alike differ, and how to make them equal."""
    if label.strip().casefold() == other.strip().casefold():
        how = "differ only in case or whitespace around them"
        files = "Read files with ignore_case=True or strip=True"
        lists = "Fold lists with `[x.strip().casefold() for x in labels]`"
        return f"{show(label)} and {show(other)} {how}. {files}. {lists}."
    how = "look alike, but differ in characters such as hyphens, spaces or invisible ones"
    return f"{label!a} and {other!a} {how}. Spell them alike."


def warn_of_own_labels(n_different: int, n_samples: int | None, label: Any, name: str) -> None:
    """Warn if there are nearly as many different labels as samples, as with texts or identifiers.

    There must be at least 50 samples, and different labels for 90% of them. `label` is any of these
    labels: only text causes a warning.
    """
    is_many = n_samples is not None and n_different >= 0.9 * n_samples >= 0.9 * _MIN_SAMPLES
    if is_many and isinstance(label, str):
        remedy = "If they are classes, list all of them in `labels`."
        labels = f"{n_different:,d} of {n_samples:,d} `{name}` are different labels"
        warn(f"{labels}, like texts or identifiers. {remedy}", OwnLabelsWarning)


def warn_of_swapped(references: Any, predictions: Any) -> None:
    """Warn if the names of two columns or axes suggest that they are swapped."""
    if references and role_in(references) == "predictions" and role_in(predictions) == "references":
        how = f"{references!r} is read as references and {predictions!r} as predictions"
        remedy = "Swap them if the names are right."
        warn(f"{how}, but the names suggest the opposite. {remedy}", LabelsWarning)


def warn_of_other_order(columns: Sequence[str], classes: Sequence[Label]) -> None:
    """Warn if the names of score columns suggest another order of the classes."""
    words = [(label, rf"(?<![^\W_]){re.escape(str(label))}(?![^\W_])") for label in classes]
    found = [x for name in columns for x, word in words if re.search(word, name, re.IGNORECASE)]
    if found != [*classes] and sorted(found, key=str) == sorted(classes, key=str):
        how = f"{show([*columns])} are read as the scores of {show([*classes])}, in this order"
        remedy = "If their names are right, list `labels` in the order of the columns."
        warn(f"the columns {how}. {remedy}", LabelsWarning)


def verdicts_in(
    columns: Mapping[str, Sequence[Any]], references: Collection[Any], wanted: Collection[str] = ()
) -> dict[str, tuple[str, ...]]:
    """Find the verdicts: columns that say whether a reference and a prediction agree.

    Map the name of each verdict to the names of its references and predictions. `references` are
    the names of columns that may hold references. `wanted` are the names of columns that may be
    verdicts, by default all.

    If three columns have the same two labels, the verdict and the predictions could be exchanged.
    The verdict is then the column whose name suggests neither references nor predictions, if the
    name of the other suggests either. If the names do not decide, map both columns to ().
    """
    labels = _folded_labels(columns, {*references, *wanted})
    verdicts = dict[str, tuple[str, ...]]()
    binary = [x for x in wanted or labels if len({*labels.get(x, ())} - {""}) == 2]
    known = [x for x in labels if x in references]
    for verdict, true, x in product(binary, known, labels):
        if len({verdict, true, x}) == 3 and _is_verdict(*map(labels.get, (verdict, true, x))):
            is_only_one = not _is_verdict(*map(labels.get, (x, true, verdict)))
            if is_only_one or (role_in(verdict) is None and role_in(x) is not None):
                verdicts[verdict] = true, x
            elif role_in(verdict) is None or role_in(x) is not None:
                verdicts.setdefault(verdict, ())
    return verdicts


def _folded_labels(
    columns: Mapping[str, Sequence[Any]], first: Collection[Any]
) -> dict[str, list[str]]:
    """Fold the labels of at most `_MOST_COMPARED` columns that have several labels.

    Columns in `first` have precedence; columns at the end of the file come next.
    """
    names = [x for x in columns if len(labels_in(columns[x])) > 1][::-1]
    labels = dict[str, list[str]]()
    for name in sorted(names, key=lambda x: x not in first)[:_MOST_COMPARED]:
        texts = {x: folded(x) for x in {*columns[name]}}
        labels[name] = [texts[x] for x in columns[name]]
    return labels


def _is_verdict(verdicts: Any, references: Any, labels: Any) -> bool:
    """Check whether the first column says in which rows the other two columns agree.

    References and predictions may spell the classes differently if at least three classes have
    correct predictions.
    """
    verdict_of: dict[tuple[Any, Any], Any] = {}
    for verdict, *pair in zip(verdicts, references, labels, strict=True):
        if verdict and verdict_of.setdefault(tuple(pair), verdict) != verdict:
            return False
    for right in {*verdict_of.values()}:
        pairs = {pair for pair, verdict in verdict_of.items() if verdict == right}
        are_equal = all((true == x) == ((true, x) in pairs) for true, x in verdict_of)
        # Each reference has one prediction as its partner, and vice versa.
        if len({*dict(pairs).values()}) == len(pairs) > 2 - are_equal:
            return True
    return False


def labels_in(values: Sequence[Any]) -> set[Any]:
    """Collect the labels of a column; return an empty set with fewer than two rows per label."""
    labels = {*values} - {None}
    return labels if 2 * len(labels) <= len(values) else set()


def folded(label: Any) -> str:
    """Convert a label to text without case, outer whitespace and a final ".0"; "" for None."""
    text = "" if label is None else str(label).strip().casefold()
    return re.sub(r"(?<=\d)\.0+$", "", text)


def missing_header_message(names: Iterable[str]) -> str:
    """Explain that the header of a file may be missing, because column names are also labels."""
    listed = " and ".join(map(repr, names))
    remedy = "If the header is missing, add it as the first line"
    return f"{listed} name columns, but are also labels. {remedy}"


def role_in(name: Any) -> str | None:
    """Infer the role of a column or axis from its name: "references", "predictions" or None.

    None means that the name suggests neither, or both.
    """
    matches = [any(map(kind.fullmatch, words_of(name))) for kind in (_TRUE, _PREDICTED, _LABEL)]
    is_true, is_predicted, is_label = matches
    if is_true and is_predicted:
        return None
    return "predictions" if is_predicted else "references" if is_true or is_label else None


def words_of(name: Any) -> list[str]:
    """Split a name such as yTrue or predicted_label into lower-case words; [] if it is not text."""
    spaced = re.sub("(?<=[a-z])(?=[A-Z])", " ", name) if isinstance(name, str) else ""
    joined = re.sub("y_(hat|test)|answer_key", lambda x: x[0].replace("_", ""), spaced.lower())
    return re.findall(r"[^\W\d_]+", joined)


def warn_of_shares(row_totals: Numbers) -> None:
    """Warn if all non-empty rows of a matrix sum to about 1 or 100: shares lack the prevalence."""
    effect = "If its cells are shares of the row, the score is that of equally common classes."
    totals = row_totals[row_totals > 0]
    for total in (1, 100):
        if (np.abs(totals / total - 1) <= 0.02).all():
            warn(f"each row of `matrix` sums to about {total}. {effect}")


def decimal_comma_hint(number: object) -> str:
    """Suggest a remedy if a number has a decimal comma; otherwise return ""."""
    remedy = "pandas.read_csv(path, sep=';', decimal=',').to_csv()"
    is_decimal = re.fullmatch(r"-?\d+,\d+", str(number))
    return f": replace decimal commas with {remedy}" if is_decimal else ""


def mismatch_hint(predictions: Sequence[Any], classes: Sequence[Any]) -> str:
    """Suggest a remedy if no prediction is a class, from the spelling of both."""
    texts, names = [*map(str, predictions)], [*map(str, classes)]
    looks = {_appearance_of(name): name for name in names}
    alike = [text for text in texts if _appearance_of(text) in looks]
    if hint := max(map(decimal_comma_hint, [*texts, *names])):
        return hint.removeprefix(": ")
    if all(name.startswith("__label__") for name in names):
        return r"`extract` '__label__\S+' finds the label of fastText in such text"
    if any(map(re.compile(DECIMAL).fullmatch, texts)):
        return "threshold=0.5 turns scores into two classes. For several columns use argmax:a,b,c"
    if alike:
        return _difference_of(alike[0], looks[_appearance_of(alike[0])])
    if max(map(len, texts)) > 2 * max(map(len, names)) + 20:
        return "`extract` finds the class in longer text"
    remedy = "spell them alike; for clusters use the metric 'nit'"
    if all(map(str.isdigit, texts)) != all(map(str.isdigit, names)):
        remedy = "write both columns as numbers, or pass `choices`"
    return f"was the wrong column named? If not, {remedy}"
