"""Details of lighteval: Parquet files of what each sample asked and what the model answered.

With `--save-details` lighteval writes details/MODEL/DATE/details_TASK_DATE.parquet. If choices were
scored, a sample has their log-probabilities there; for a generative metric it has text; and if a
task has metrics of both kinds, its file holds each sample twice. The likeliest choice is the one
with the highest raw log-probability, whether or not a metric of the task normalises by length.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from ..core.labels import Label, show
from ..inputs.paths import open_whole
from .answers import Answers

NAME = "lighteval"

_FILE = re.compile(r"details_.+_(\d{4}-\d\d-\d\dT[\d.-]+)\.parquet")
_MAGIC = b"PAR1"
_COLUMNS = {
    "doc": ("id", "task_name", "query", "choices", "gold_index"),
    "model_response": ("logprobs", "text"),
}
_OPTIONAL = (  # null in some tasks, which leaves no such column
    "doc.instruction",
    "doc.fewshot_samples.list.element.query",
    "doc.specific.extracted_golds",
    "doc.specific.extracted_predictions",
    "model_response.text_post_processed",
)


def is_log(path: Path) -> bool:
    """Return whether a file is named as details are, and is Parquet with their columns."""
    if not _FILE.fullmatch(path.name) or not path.is_file():
        return False
    with path.open("rb") as stream:
        # The names of columns stand at the end, followed by their length and the mark.
        size = stream.seek(0, 2)
        stream.seek(max(size - 8, 0))
        length, mark = int.from_bytes(stream.read(4), "little"), stream.read(4)
        if mark != _MAGIC or length > size - 8:
            return False
        stream.seek(size - 8 - length)
        names = stream.read(length)
    return b"model_response" in names and b"gold_index" in names


def logs_in(folder: Path) -> list[Path]:
    """Return the details in a folder and its folders, sorted."""
    return sorted(path for path in folder.rglob("details_*.parquet") if is_log(path))


def read_log(path: Path) -> Iterator[Answers]:
    """Yield the answers in a details file: those by log-probability, then each generation.

    Raises
    ------
    ValueError
        If the file is damaged or not a details file, if there is no sample, or if samples cannot
        be scored.
    ImportError
        If pyarrow is missing.
    """
    rows = _read_rows(path)
    if not rows:
        raise ValueError("the log must hold samples, got none")
    tasks = sorted({row["doc"]["task_name"] for row in rows})
    if len(tasks) > 1:
        raise ValueError(f"the log must hold one task, got {', '.join(tasks)}")
    # Generated tokens may have log-probabilities too, but scored choices have no text.
    generated = [row for row in rows if row["model_response"]["text"]]
    scored = [row for row in rows if not row["model_response"]["text"]]
    both = bool(generated and scored)
    if scored:
        yield _scored_answers(path, scored, "log-probabilities" if both else "")
    if generated:
        yield from _generated_answers(path, generated, "text" if both else "")


def gold_of(gold_index: Any, choices: Sequence[Any]) -> int:
    """Return the position of the one right choice.

    Raises
    ------
    ValueError
        If there are several right choices, or if no choice has this position.
    """
    golds = list(gold_index) if isinstance(gold_index, (list, tuple)) else [gold_index]
    if len(golds) != 1:
        raise ValueError(f"`gold_index` must be one choice, got {len(golds)}: {show(golds)}")
    (gold,) = golds
    if not isinstance(gold, Integral) or int(gold) not in range(len(choices)):
        raise ValueError(
            f"`gold_index` must be the position of one of {len(choices)} choices, got {show(gold)}"
        )
    return int(gold)


def likeliest(logprobs: Sequence[float], n_choices: int) -> int:
    """Return the position of the highest log-probability, the first if several are equal.

    Raises
    ------
    ValueError
        If there is not one log-probability for each choice, or one is not a number.
    """
    # lighteval's accuracy knows lists in which those without the question follow.
    if not n_choices or len(logprobs) not in (n_choices, 2 * n_choices):
        raise ValueError(
            f"`logprobs` must have one value for each of {n_choices} choices, got {len(logprobs)}"
        )
    of_choices = logprobs[:n_choices]
    if any(not isinstance(value, Real) or math.isnan(value) for value in of_choices):
        raise ValueError(f"`logprobs` must be numbers, got {show(list(of_choices))}")
    return max(range(n_choices), key=of_choices.__getitem__)


def stripped(choices: Any) -> list[str]:
    """Return the texts of choices without surrounding spaces.

    Raises
    ------
    ValueError
        If there are fewer than two, or one is not text.
    """
    if not isinstance(choices, (list, tuple)) or len(choices) < 2:
        raise ValueError(
            f"`choices` must list at least two classes, got {show(choices)}: a task that "
            "lists only its right answers has no classes to tell apart"
        )
    for choice in choices:
        if not isinstance(choice, str):
            raise ValueError(f"`choices` must be text, got {show(choice)}")
    return [choice.strip() for choice in choices]


def _read_rows(path: Path) -> list[dict[str, Any]]:
    """Return what is needed of each sample, as nested dicts."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "reading lighteval's details needs pyarrow: pip install 'informedness[cli]'"
        ) from error
    columns = [f"{part}.{name}" for part, names in _COLUMNS.items() for name in names]
    rows: list[dict[str, Any]] = []
    with open_whole(str(path)) as stream:
        try:
            file = pyarrow.parquet.ParquetFile(
                stream, pre_buffer=False, page_checksum_verification=True
            )
            _check_columns(file.schema_arrow)
            for batch in file.iter_batches(columns=[*columns, *_OPTIONAL]):
                batch.validate(full=True)  # what is damaged may end the process
                rows += batch.to_pylist()
        except (pyarrow.ArrowException, OSError, UnicodeError, MemoryError) as error:
            what = str(error) or "it asks for more memory than there is"
            raise ValueError(f"not readable as Parquet: {what}") from error
    for number, row in enumerate(rows, start=1):
        if None in row.values():
            raise ValueError(f"row {number} must hold a sample, got null")
    return rows


def _check_columns(schema: Any) -> None:
    """Raise ValueError unless all columns are there."""
    for part, names in _COLUMNS.items():
        kind = schema.field(part).type if part in schema.names else None
        there = [kind.field(i).name for i in range(kind.num_fields)] if kind else []
        for name in names:
            if name not in there:
                raise ValueError(
                    f"details of lighteval must have the column {part}.{name}, got "
                    f"{', '.join(there) or 'nothing'} in {part!r}"
                )


@contextmanager
def _naming(row: dict[str, Any]) -> Iterator[None]:
    """Name the sample in errors about it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"sample {row['doc']['id']}: {error}") from error


def _scored_answers(path: Path, rows: list[dict[str, Any]], variant: str) -> Answers:
    """Return the answers to choices that were scored."""
    classes = _Classes(rows)
    found = []
    for row in rows:
        with _naming(row):
            logprobs = row["model_response"]["logprobs"] or ()
            found.append(likeliest(logprobs, len(row["doc"]["choices"])))
    predictions = [classes.label(position) for position in found]
    return _answers(path, rows, classes, predictions, variant, None, "the likeliest choice")


def _generated_answers(path: Path, rows: list[dict[str, Any]], variant: str) -> Iterator[Answers]:
    """Yield the answers in the text of each generation."""
    classes = _Classes(rows)
    if any(_specific(row, "extracted_predictions") is not None for row in rows):
        texts = [_extracted(row) for row in rows]
        how = "the answer that lighteval's extractive match found in the text"
    else:
        texts = [_generations(row) for row in rows]
        how = "the generated text"
    numbers = sorted({len(generations) for generations in texts})
    if len(numbers) > 1:
        raise ValueError(
            f"samples must have the same number of generations, got {numbers[0]} to {numbers[-1]}"
        )
    (n_generations,) = numbers
    for i in range(n_generations):
        predictions = [
            classes.of_text(generations[i], choices)
            for generations, choices in zip(texts, classes.texts, strict=True)
        ]
        epoch = i + 1 if n_generations > 1 else None
        yield _answers(path, rows, classes, predictions, variant, epoch, how)


def _generations(row: dict[str, Any]) -> list[str | None]:
    """Return the texts that metrics see: without the reasoning, if lighteval took that out."""
    response = row["model_response"]
    texts = response.get("text_post_processed")
    texts = response["text"] if texts is None else texts
    with _naming(row):
        if not isinstance(texts, list) or not texts:
            raise ValueError(f"`text` must be a list of generations, got {show(texts)}")
    return texts


def _extracted(row: dict[str, Any]) -> list[str | None]:
    """Return what was extracted from the one generation, or None."""
    choices, gold = row["doc"]["choices"], row["doc"]["gold_index"]
    n_generations = len(_generations(row))
    with _naming(row):
        if n_generations > 1:
            raise ValueError(
                f"extracted answers must come from one generation, got {n_generations}, and the "
                "log does not say which of them an answer is from"
            )
        found, golds = (_specific(row, f"extracted_{x}") for x in ("predictions", "golds"))
        if found is None:
            raise ValueError(
                "the answer extracted from the text must be logged, as in other samples"
            )
        if (golds or [])[:1] != [stripped(choices)[gold_of(gold, choices)]]:
            raise ValueError(
                "the extracted answer must be a choice: from the right one lighteval extracted "
                f"{show(golds)}"
            )
    return found[:1] or [None]  # what was parsed; its text may follow


def _specific(row: dict[str, Any], name: str) -> Any:
    """Return what a metric has logged about a sample, None if nothing."""
    return (row["doc"].get("specific") or {}).get(name)


class _Classes:
    """The classes: the choices' texts if all samples have the same, otherwise positions."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.texts = []
        for row in rows:
            with _naming(row):
                self.texts.append(stripped(row["doc"]["choices"]))
        first = self.texts[0]
        self._are_texts = len(set(first)) == len(first) and all(x == first for x in self.texts)
        self.labels: tuple[Label, ...] = (
            tuple(first) if self._are_texts else tuple(range(max(map(len, self.texts))))
        )

    def label(self, position: int) -> Label:
        """Return the class of the choice at a position."""
        return self.labels[position]

    def of_text(self, text: str | None, choices: Sequence[str]) -> Label | None:
        """Return the class of a text among the choices of its sample, or else the text itself."""
        if self._are_texts or text not in choices:
            return text
        return choices.index(text)


def _answers(
    path: Path,
    rows: list[dict[str, Any]],
    classes: _Classes,
    predictions: list[Any],
    variant: str,
    epoch: int | None,
    how: str,
) -> Answers:
    references = []
    for row in rows:
        with _naming(row):
            gold = gold_of(row["doc"]["gold_index"], row["doc"]["choices"])
            references.append(classes.label(gold))
    ids = [str(row["doc"]["id"]) for row in rows]
    ((name, times),) = Counter(ids).most_common(1)
    if times > 1:
        raise ValueError(f"each sample must have an id of its own, {name!r} occurs {times} times")
    return Answers(
        harness=NAME,
        task=rows[0]["doc"]["task_name"],
        model=_model(path),
        variant=variant,
        epoch=epoch,
        how=how,
        ids=tuple(ids),
        references=tuple(references),
        predictions=tuple(predictions),
        choices=classes.labels,
        prompts=tuple(_prompt(row["doc"]) for row in rows),
    )


def _prompt(doc: dict[str, Any]) -> str:
    """Return instruction, examples and question, without a model's chat template."""
    examples = [example["query"] for example in doc.get("fewshot_samples") or ()]
    parts = [doc.get("instruction"), *examples, doc["query"]]
    return "\n\n".join(part for part in parts if part)


def _model(path: Path) -> str:
    """Return the model named by the results of the same run, or else by the folders."""
    named = _FILE.fullmatch(path.name)
    *folders, date = path.absolute().parent.parts
    if named is None or named[1] != date:
        return ""
    if "details" in folders:
        start = len(folders) - folders[::-1].index("details")
        return "/".join(folders[start:])
    results = path.absolute().parent.parent / f"results_{date}.json"  # as on the Hub
    try:
        model = json.loads(results.read_text("utf-8"))["config_general"]["model_name"]
    except (OSError, ValueError, LookupError, TypeError):
        return ""  # a name is not worth an error
    return model if isinstance(model, str) else ""
