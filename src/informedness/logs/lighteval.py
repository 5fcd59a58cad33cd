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
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from ..core.labels import Label, show
from ..inputs.paths import open_whole
from .answers import Answers, classes_of_choices, naming, not_one

NAME = "lighteval"

_FILE = re.compile(r"details_.+_(\d{4}-\d\d-\d\dT[\d.-]+)\.parquet")
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
        stream.seek(max(size - 8 - length, 0))
        names = stream.read(min(length, size))
    return mark == b"PAR1" and b"model_response" in names and b"gold_index" in names


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
    tasks = sorted({row["doc"]["task_name"] for row in rows})
    if len(tasks) > 1:
        raise ValueError(f"the log must hold one task, got {', '.join(tasks)}")
    # Generated tokens may have log-probabilities too, but scored choices have no text.
    generated = [row for row in rows if row["model_response"]["text"]]
    scored = [row for row in rows if not row["model_response"]["text"]]
    both = bool(generated and scored)
    if scored:
        found, how = _likeliest_choice, "the likeliest choice"
        yield from _answers(path, scored, found, how, "log-probabilities" if both else "")
    if generated:
        found, how = _generations, "the generated text"
        if any(_specific(row, "extracted_predictions") is not None for row in generated):
            found = _extracted
            how = "the answer that lighteval's extractive match found in the text"
        yield from _answers(path, generated, found, how, "text" if both else "")


def gold_of(gold_index: Any, choices: Sequence[Any]) -> int:
    """Return the position of the one right choice.

    Raises
    ------
    ValueError
        If there are several right choices, or if no choice has this position.
    """
    golds = gold_index if isinstance(gold_index, (list, tuple)) else [gold_index]
    if len(golds) != 1:
        raise not_one(golds)
    (gold,) = golds
    if not isinstance(gold, Integral) or int(gold) not in range(len(choices)):
        raise ValueError(f"`gold_index` must be one of {len(choices)} choices, got {show(gold)}")
    return int(gold)


def likeliest(logprobs: Sequence[float], n_choices: int) -> int:
    """Return the position of the highest log-probability, the first if several are equal.

    Raises
    ------
    ValueError
        If there is not one log-probability for each choice, or one is not a number.
    """
    # lighteval's accuracy knows lists in which those without the question follow.
    of_choices = list(logprobs[:n_choices])
    numbers = [x for x in of_choices if isinstance(x, Real) and not math.isnan(x)]
    if len(logprobs) not in (n_choices, 2 * n_choices) or len(numbers) < n_choices:
        raise ValueError(
            f"`logprobs` must hold one number for each of {n_choices} choices, got {show(logprobs)}"
        )
    return of_choices.index(max(of_choices))


def texts_of(texts: Any) -> list[Any]:
    """Return the generations of a sample.

    Raises
    ------
    ValueError
        If there is none.
    """
    if not isinstance(texts, list) or not texts:
        raise ValueError(f"`text` must be a list of generations, got {show(texts)}")
    return texts


def stripped(choices: Any) -> list[str]:
    """Return the texts of choices without surrounding spaces.

    Raises
    ------
    ValueError
        If there are fewer than two, or one is not text.
    """
    texts = [x for x in choices if isinstance(x, str)] if isinstance(choices, (list, tuple)) else []
    if len(texts) < 2 or len(texts) < len(choices):
        raise ValueError(
            f"`choices` must list the texts of at least two classes, got {show(choices)}: a task "
            "that lists only its right answers has no classes to tell apart"
        )
    return [text.strip() for text in texts]


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
            there = [f"{file.schema.column(i).path}." for i in range(len(file.schema))]
            for name in columns:
                if not any(column.startswith(f"{name}.") for column in there):
                    raise ValueError(f"details of lighteval must have the column {name}, got none")
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


def _likeliest_choice(row: dict[str, Any]) -> list[Any]:
    return [likeliest(row["model_response"]["logprobs"] or (), len(row["doc"]["choices"]))]


def _generations(row: dict[str, Any]) -> list[Any]:
    """Return the texts that metrics see: without the reasoning, if lighteval took that out."""
    response = row["model_response"]
    texts = response.get("text_post_processed")
    return texts_of(response["text"] if texts is None else texts)


def _extracted(row: dict[str, Any]) -> list[Any]:
    """Return what was extracted from the one generation, or None."""
    choices = stripped(row["doc"]["choices"])
    n_generations = len(_generations(row))
    if n_generations > 1:
        raise ValueError(f"extracted answers must come from one generation, got {n_generations}")
    found, golds = _specific(row, "extracted_predictions"), _specific(row, "extracted_golds")
    if found is None:
        raise ValueError("the answer extracted from the text must be logged, as in other samples")
    if (golds or [])[:1] != [choices[gold_of(row["doc"]["gold_index"], choices)]]:
        raise ValueError(f"the right choice must be extracted as it stands, got {show(golds)}")
    return [found[0] if found else None]  # what was parsed; its text may follow


def _specific(row: dict[str, Any], name: str) -> Any:
    """Return what a metric has logged about a sample, None if nothing."""
    return (row["doc"].get("specific") or {}).get(name)


def _answers(
    path: Path,
    rows: list[dict[str, Any]],
    answers_of: Callable[[dict[str, Any]], list[Any]],
    how: str,
    variant: str,
) -> Iterator[Answers]:
    """Yield the answers of each generation: texts, or positions of choices."""
    choices, golds, found = [], [], []
    for row in rows:
        with naming(f"sample {row['doc']['id']}"):
            choices.append(stripped(row["doc"]["choices"]))
            golds.append(gold_of(row["doc"]["gold_index"], choices[-1]))
            found.append(answers_of(row))
    numbers = sorted(set(map(len, found)))
    if len(numbers) > 1:
        raise ValueError(f"all samples must have as many generations, got {show(numbers)}")
    classes = classes_of_choices(choices)
    for epoch, answers in enumerate(zip(*found, strict=True), start=1):
        yield Answers(
            harness=NAME,
            task=rows[0]["doc"]["task_name"],
            model=_model(path),
            how=how,
            ids=tuple(str(row["doc"]["id"]) for row in rows),
            references=tuple(classes[gold] for gold in golds),
            predictions=tuple(
                _class_of(answer, texts, classes, answers_of is _likeliest_choice)
                for answer, texts in zip(answers, choices, strict=True)
            ),
            prompts=tuple(_prompt(row["doc"]) for row in rows),
            variant=variant,
            epoch=epoch if numbers[0] > 1 else None,
            choices=classes,
        )


def _class_of(answer: Any, choices: list[str], classes: Sequence[Label], is_position: bool) -> Any:
    """Return the class of an answer, or a text that is none of the choices of its sample."""
    if not is_position and answer not in choices:
        return answer
    return classes[answer if is_position else choices.index(answer)]


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
        return str(json.loads(results.read_text("utf-8"))["config_general"]["model_name"] or "")
    except (OSError, ValueError, LookupError, TypeError):
        return ""  # a name is not worth an error
