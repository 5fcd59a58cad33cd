"""Columns of counts: the rows of a GROUP BY, a pivot or a matrix in long form are not samples."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from ..core.labels import LabelsWarning, warn
from ..core.table import is_real
from .matrices import words_of

# Words of which the name of a column of counts consists. What stands for samples may be added, as
# in "n_samples", "count_star()" and "Anzahl von id"; "word_count" counts something else.
_COUNT = (
    r"n|cnts?|counts?|num|number|nobs|freqs?|frequenc(y|ies)|sizes?|values?|totals?|len|tall(y|ies)"
    r"|occurrences?|support|anz(ahl)?|h(ä|ae)ufigkeit|nombre|effectifs?|fréquences?|total(es)?"
    r"|cuenta|cantidad|conteo|recuento|frecuencias?|n[uú]mero|contagem|quantidade|frequ[eê]ncia|conteggio"
    r"|frequenza|aantal|antall?|liczba|počet|adet|say\u0131|количество|число|частота|数量|件数|個数|计数"
    r"|频数|度数|개수"
)
_SAMPLES = (
    r"of|samples?|docs?|rows?|obs|observations?|cases?|examples?|instances?|records?|items?|star"
    r"|ids?|x|all|von|der|de"
)
# Those of these that are also called so may say how long or large a sample is.
_SIZE = r"len|sizes?|values?|totals?|num|number"
_MOST_SLICES = 20  # in which a table of counts may have each pair of labels
_OTHER = (  # what the whole numbers of samples say, too
    r"ids?|idx|[uq]id|index|row|line\w*|position|nr|no|key|unnamed|level|user|fold|seed|epoch|step"
    r"|tokens?|words?|chars?|characters?|length|age|year|month|day|hour|seconds?|ms|time\w*|date"
    r"|start|end|offset|page|rank|rating|stars|score|confidence|difficulty|price|latency|duration"
    r"|annotators?|raters?|votes?|upvotes|likes|number|item|hash|cluster|chapter"
)
MOST_ROWS = 100_000  # rows looked at: matrices of some hundred classes have no more cells
_STEP = 512


class CountsWatch:
    """Looks for a column of counts beside the columns of these names, which are read as samples."""

    def __init__(self, names: Mapping[str, str], each_row_a_sample: bool | None) -> None:
        self._names, self._is_refused = names, each_row_a_sample is False
        # where rows are known to be samples, or what they stand for
        self.is_over = bool(each_row_a_sample or {"counts", "on"} & {*names})
        self._pairs: set[Any] = set()
        self._n_rows = 0

    def see(self, columns: Mapping[str, Any]) -> None:
        """Look at the labels in rows, up to the first that repeat."""
        labels = [x for name, x in columns.items() if name.startswith(("references", "predict"))]
        for start in range(0, len(labels[0]), _STEP):
            if self.is_over or not self._n_rows == len(self._pairs) <= MOST_ROWS:
                return
            parts = [column[start : start + _STEP] for column in labels]
            rows = list(zip(*map(_listed, parts), strict=True))
            self._n_rows += len(rows)
            self._pairs.update(rows)

    def end(
        self, columns: Iterable[str], values_of: Callable[[str], Sequence[Any]], is_last: bool
    ) -> None:
        """Warn of a column of a file that holds counts, or refuse it."""
        n_rows = self._n_rows if is_last or self._n_rows > len(self._pairs) else 0
        pairs, is_refused = self._pairs, self._is_refused
        self.is_over = warn_of_counts(self._names, columns, values_of, pairs, n_rows, is_refused)


def warn_of_counts(
    names: Mapping[str, str],
    columns: Iterable[str],
    values_of: Callable[[str], Sequence[Any]],
    pairs: Collection[Any],
    n_rows: int,
    is_refused: bool = False,
) -> bool:
    """Warn if one of the columns beside those of these names holds counts; return whether one does.

    `values_of` returns the first values of a column, none of one that cannot be read. `pairs` are
    the different references and predictions in `n_rows` rows.

    Raises
    ------
    ValueError
        If that is refused.
    """
    all_differ = n_rows == len(pairs) and _are_cells(pairs)
    for name in columns:
        is_named = is_called_count(name)
        if "weights" in names:  # which may be counts as well
            is_likely = name == names["weights"] and is_named and all_differ
        else:
            is_repeated = n_rows > _MOST_SLICES * len(pairs)
            is_size = is_repeated and all(re.fullmatch(_SIZE, word) for word in words_of(name))
            is_likely = all_differ or (is_named and not is_size)
            is_likely &= name not in names.values()
        if is_likely and _are_counts(values_of(name), name, is_named):
            why = "" if is_named else ", and no two rows have the same labels"
            message = (
                f"column {name!r} holds whole numbers, as in a table of counts{why}: name it "
                "as `counts` if a row stands for so many samples; each_row_a_sample=True "
                "counts each row once"
            )
            if is_refused:
                raise ValueError(message)
            warn(message, LabelsWarning)
            return True
    return False


def _are_cells(pairs: Collection[Any]) -> bool:
    """Return whether different pairs can be all of a table: one reference has several predictions.

    Or all have the same one. Otherwise they are few samples of as many classes.
    """
    references, predictions = ({pair[i] for pair in pairs} for i in (0, 1))
    n = len(pairs)
    is_table = n > max(len(references), len(predictions)) or len(predictions) == 1
    return is_table and 1 < n <= MOST_ROWS


def is_called_count(name: str) -> bool:
    """Return whether a name is one that programs and people give to columns of counts.

    "0" is that of pandas, "#" one of people.
    """
    words = words_of(name)
    known = all(re.fullmatch(f"{_COUNT}|{_SAMPLES}", word) for word in words)
    is_number = bool(re.search(rf"\b({_SAMPLES}) num(ber)?$", " ".join(words)))  # of a row
    has_count = any(re.fullmatch(_COUNT, word) for word in words)
    return name in ("0", "#") or (known and has_count and not is_number)


def _are_counts(values: Sequence[Any], name: str, is_named: bool) -> bool:
    """Return whether a column can hold counts: whole numbers, but not running ones, nor only 1."""
    distinct = values.unique() if hasattr(values, "unique") else values  # a column of Arrow
    # nan stands for a gap
    found: set[Any] = {whole_number(x) for x in _listed(distinct) if x == x}
    if None in found or found <= ({1} if is_named else {0, 1}):
        return False
    is_running = len(found) == len(values) and max(found) - min(found) == len(values) - 1
    if is_named:
        return not (is_running and len(values) > 2 and min(found) < 2)
    return not is_running and not any(re.fullmatch(_OTHER, word) for word in words_of(name))


def whole_number(value: Any) -> int | None:
    """Return a value as a whole number from 0 on, None if it is not; empty text is 0."""
    if isinstance(value, str):
        value = float(value) if re.fullmatch(r"\d{1,15}(\.0*)?", value) else 0 if not value else -1
    number = float(value) if is_real(value) else -1.0
    return int(number) if number >= 0 and number % 1 == 0 else None


def _listed(values: Any) -> Any:
    return values if isinstance(values, list) else values.to_pylist()  # of Arrow
