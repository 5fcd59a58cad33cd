"""Details of lighteval: Parquet files of what each sample asked and what the model answered.

With `--save-details` lighteval writes details/MODEL/DATE/details_TASK_DATE.parquet. If choices were
scored, a sample has their log-probabilities there; for a generative metric it has text; and if a
task has metrics of both kinds, its file holds each sample twice. The likeliest choice is the one
of the metric `acc`, or of the normalised one that is there instead.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.labels import show
from ..files.arrow import native
from ..files.open import explained, open_whole
from .answers import Answers, check_several, naming_sample, not_one, of_positions
from .verdicts import likeliest, verdict_metric, verdict_of

_FILE = re.compile(r"details_.+_(\d{4}-\d\d-\d\dT[\d.-]+)\.parquet")
_OF_MODEL = ("logprobs", "text", "text_post_processed", "output_tokens")  # its prompt is long
_COLUMNS = ["doc", "metric", *(f"model_response.{name}" for name in _OF_MODEL)]
_OF_CHOICES = ("acc", "acc_norm", "acc_norm_token", "acc_norm_pmi")
_OF_TEXTS = (
    *("extractive_match", "em", "exact_match", "qem", "quasi_exact_match", "pem", "pqem", "f1"),
    *("pass@k", "gpqa_pass@k", "avg@n", "maj@n"),  # of one generation
)


def is_log(path: Path) -> bool:
    """Return whether a file is named as details are."""
    return bool(_FILE.fullmatch(path.name)) and path.is_file()


def read_log(path: Path, verdict: str | None = None) -> Iterator[Answers]:
    """Yield the answers in a details file: those by log-probability, then generated text.

    The verdict is a metric of 0 and 1, by default the accuracy or a match.

    Raises
    ------
    ValueError
        If the file is damaged or not a details file, if there is no sample, if samples cannot be
        scored, if more than one in five have several right answers, or if no metric is the verdict.
    ImportError
        If pyarrow is missing.
    """
    kinds: dict[bool, list[Any]] = {}
    for number, row in enumerate(_rows(path), start=1):
        with naming_sample(f"row {number}"):
            # Generated tokens may have log-probabilities too, but scored choices have no text.
            kinds.setdefault(bool(row["model_response"]["text"]), []).append(row)
    for is_text, rows in sorted(kinds.items()):
        name = "text" if is_text else "log-probabilities"
        yield _answers(path, rows, is_text, name if len(kinds) > 1 else "", verdict)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what is needed of each sample, as nested dicts."""
    with open_whole(str(path)) as stream, explained(stream, "parquet"):
        import pyarrow.parquet

        how = {"pre_buffer": False, "page_checksum_verification": True}
        file = pyarrow.parquet.ParquetFile(native(stream), **how)
        for batch in file.iter_batches(columns=_COLUMNS):
            batch.validate(full=True)  # what is damaged may end the process
            yield from batch.to_pylist()


def _sample(row: dict[str, Any], metric: str, is_extracted: bool) -> tuple[Any, ...]:
    """Return the choices, the position of the right one, and that of the answer, or its text."""
    doc, response = row["doc"], row["model_response"]
    choices = [text.strip() for text in doc["choices"]]
    if len(choices) < 2:
        raise ValueError(f"`choices` must list at least two classes, got {show(doc['choices'])}")
    golds = doc["gold_index"]
    golds = golds if isinstance(golds, list) else [golds]
    if len(golds) != 1 or golds[0] not in range(len(choices)):
        raise not_one(golds)
    gold = int(golds[0])
    if not response["text"]:
        return choices, gold, _likeliest(doc, response, metric)
    # without the reasoning, if lighteval took that out
    texts = response.get("text_post_processed")
    texts = response["text"] if texts is None else texts
    if len(texts) != 1:
        raise ValueError(f"must have one generated text, got {show(texts)}")
    if not is_extracted:
        return choices, gold, texts[0]
    specific, right = doc["specific"] or {}, choices[gold]
    found, of_gold = (specific.get(f"extracted_{x}") for x in ("predictions", "golds"))
    if found is None or (of_gold or [None])[0] != right:
        said = f"must have gold {show(right)} and an answer extracted"
        raise ValueError(f"{said}, got gold {show(of_gold)}, answer {show(found)}")
    return choices, gold, found[0] if found else None  # what was parsed; its text may follow


def _likeliest(doc: dict[str, Any], response: dict[str, Any], metric: str) -> int:
    """Return the position of the likeliest choice, as the metric has it."""
    logprobs, n = list(map(float, response["logprobs"] or ())), len(doc["choices"])
    # perhaps followed by those without the question
    if len(logprobs) not in (n, 2 * n) or any(map(math.isnan, logprobs)):
        raise ValueError(f"`logprobs` must hold one for each of {n} choices, got {show(logprobs)}")
    blank = " " if "ignore_first_space=True" in metric else ""
    measured = [text.removeprefix(blank) for text in doc["choices"]]
    tokens = response.get("output_tokens") or ()
    return likeliest(_plain_name(metric), logprobs, measured, tokens)


def _plain_name(metric: str) -> str:
    """Return `acc_norm` for "acc:logprob_normalization=LogProbCharNorm(name='norm', ...)"."""
    name, _, options = metric.partition(":")
    of_option = re.search(r"logprob_normalization=\w+\(name='(\w+)'", options)
    return f"{name}_{of_option[1]}" if of_option else name


def _answers(path: Path, rows: list[Any], is_text: bool, name: str, wanted: str | None) -> Answers:
    """Return the answers to samples: classes, or generated texts."""
    logged = [row.get("metric") or {} for row in rows]
    metric, shares = verdict_metric(logged, _OF_TEXTS if is_text else _OF_CHOICES, wanted)
    specific = [row["doc"].get("specific") or {} for row in rows]
    is_extracted = any(x.get("extracted_predictions") is not None for x in specific)
    how = "the generated text" if is_text else "the likeliest choice"
    if is_text and is_extracted:
        how = "the answer that lighteval's extractive match found in the text"
    samples, several = [], list[str]()
    for row, values in zip(rows, logged, strict=True):
        doc, verdict = row["doc"], verdict_of(values.get(metric))
        with naming_sample(f"sample {doc['id']}", several):
            read = _sample(row, metric or "acc", is_extracted)
            samples.append((str(doc["id"]), _prompt(doc), verdict, *read))
    check_several(several, len(rows))
    ids, prompts, verdicts, choices, golds, answers = zip(*samples, strict=True)
    return Answers(
        harness="lighteval",
        task=str(rows[0]["doc"]["task_name"]),
        model=_model(path),
        how=how,
        ids=ids,
        prompts=prompts,
        variant=name,
        verdicts=verdicts,
        verdict=metric,
        metrics=shares,
        n_left_out=len(several),
        created=path.name,
        **of_positions(golds, answers, choices),
    )


def _prompt(doc: dict[str, Any]) -> str:
    """Return instruction, examples and question, without a model's chat template."""
    examples = [example["query"] for example in doc.get("fewshot_samples") or ()]
    parts = [doc.get("instruction"), *examples, doc["query"]]
    # a question with pictures, or of several messages, is no text
    return "\n\n".join(str(x) for x in parts if x)


def _model(path: Path) -> str:
    """Return the model as the folders name it: details/MODEL/DATE, or MODEL/DATE as on the Hub."""
    folders, named = path.absolute().parent.parts, _FILE.fullmatch(path.name)
    if named is not None and named[1] == folders[-1]:
        folders = folders[:-1]
    n_named = folders[::-1].index("details") if "details" in folders else 1
    return "/".join(folders[len(folders) - n_named :])
