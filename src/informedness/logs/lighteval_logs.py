"""Read details of lighteval: Parquet files with the question and the answer of each sample.

With `--save-details` lighteval writes details/MODEL/DATE/details_TASK_DATE.parquet. A sample
has log-probabilities if choices were scored, and text if a metric is generative. If a task has
metrics of both kinds, its file has two rows for each sample. By default the likeliest choice
is found as for `acc`, or as for a normalised accuracy if `acc` is missing.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core.labels import show, warn
from ..errors import prefix_errors
from ..files.arrow import open_native
from ..files.opening import open_whole
from ..files.reading import explain_errors
from ..messages import Message, join, message, with_subject
from ..text.render import shown
from . import verdicts
from .answers import Answers, Origin, part_of, read_results, settings_of

_FILE = re.compile(r"details_.+_(\d{4}-\d\d-\d\dT[\d.-]+)\.parquet")
# Omit the prompt in `model_response`, because it is long and not needed.
_COLUMNS = ["doc", "metric", "model_response.logprobs", "model_response.text"]
_COLUMNS += ["model_response.text_post_processed", "model_response.output_tokens"]
_SETTINGS = "config_general.model_config task.hf_repo task.hf_subset task.generation_size"
# Metrics that say which answers are right, in order of preference
CHOICE_METRICS = ("acc", "acc_norm", "acc_norm_token", "acc_norm_pmi")
TEXT_METRICS = (
    *("extractive_match", "em", "exact_match", "qem", "quasi_exact_match", "pem", "pqem", "f1"),
    *("pass@k", "gpqa_pass@k", "avg@n", "maj@n"),  # only if a sample has one generated text
)


def is_log(path: Path) -> bool:
    """Check whether a file has the name of a details file."""
    return bool(_FILE.fullmatch(path.name)) and path.is_file()


def read_log(path: Path, verdict: str | None = None) -> Iterator[Answers]:
    """Yield the answers in a details file: first likeliest choices, then generated texts.

    `verdict` names a metric with values 0 and 1. By default it is the first of `CHOICE_METRICS` or
    `TEXT_METRICS` that is a number in all rows.

    Raises
    ------
    ValueError
        If the file is damaged, has no rows, is not a details file or is from lighteval before 0.11.
        If a sample cannot be scored, or more than
        one in five samples have several right answers. If `verdict` is not a metric with values 0
        and 1 in the file.
    ImportError
        If pyarrow is missing.

    Warns
    -----
    InformednessWarning
        If the file has both kinds of answers, and `verdict` is a metric of only one kind. The other
        kind is left out.
    """
    kinds: dict[str, list[Any]] = {"log-probabilities": [], "text": []}
    for number, row in enumerate(_read_rows(path), start=1):
        with prefix_errors(f"row {number}", *verdicts.DAMAGES):
            row |= {"id": str(row["doc"]["id"]), "prompt": _prompt(row["doc"])}
            row["metrics"] = row.get("metric") or {}
            # Generated text may also have log-probabilities, but scored choices do not have text.
            kinds["text" if row["model_response"]["text"] else "log-probabilities"].append(row)

    refusals: list[Message] = []
    variants = [kind for kind, rows in kinds.items() if rows]
    for kind in variants:
        variant = kind if len(variants) > 1 else ""
        try:
            yield _answers(path, kinds[kind], variant, verdict)
        except verdicts.VerdictError as error:
            refusals.append(with_subject(variant, error))
    if len(refusals) == len(variants):
        raise verdicts.VerdictError(join(refusals or ["the details must have a row, got none"]))
    for reason in refusals:
        warn(message("left out: {file}, {reason}", "left out", file=shown(path), reason=reason))


def _read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the needed columns of each row, as nested dicts."""
    with open_whole(str(path)) as stream, explain_errors(stream, "parquet"):
        import pyarrow.parquet

        options = {"pre_buffer": False, "page_checksum_verification": True}
        file = pyarrow.parquet.ParquetFile(open_native(stream), **options)
        if "doc" not in file.schema_arrow.names:
            rule = "the details must have a column `doc`, which lighteval before 0.11 did not write"
            raise ValueError(f"{rule}: run the task with 0.11 or newer")
        for batch in file.iter_batches(columns=_COLUMNS):
            batch.validate(full=True)  # otherwise damaged data may crash the process
            yield from batch.to_pylist()


def read_sample(row: Any, metric: str, is_text: bool, is_extracted: bool) -> verdicts.Sample:
    """Read a sample with its choices, the position of the right choice, and the answer.

    Parameters
    ----------
    row : dict
        The sample, with the keys "doc", "model_response", "id", "prompt" and "verdict".
    metric : str
        Name of the metric of the verdict; it determines the likeliest choice.
    is_text, is_extracted : bool
        Whether the answer is generated text, and whether lighteval extracted the answer from it.
    """
    choices = tuple(text.strip() for text in row["doc"]["choices"])
    if len(choices) < 2:
        raise ValueError(f"`doc.choices` must hold at least two choices, got {show(choices)}")
    targets = row["doc"]["gold_index"]
    target = verdicts.only_target(targets if isinstance(targets, list) else [targets])
    if target not in range(len(choices)):
        rule = f"`doc.gold_index` must be a position in {len(choices)} choices"
        raise ValueError(f"{rule}, got {show(target)}")
    answer = _text(row, choices[target], is_extracted) if is_text else _likeliest(row, metric)
    fields = row["id"], int(target), answer, row["verdict"], row["prompt"]
    return verdicts.Sample(*fields, choices=choices)


def _text(row: dict[str, Any], right_text: str, is_extracted: bool) -> str | None:
    """Read the generated text, or the answer extracted from it."""
    # prefer the text from which lighteval removed the reasoning, if there is one
    texts = row["model_response"].get("text_post_processed")
    texts = row["model_response"]["text"] if texts is None else texts
    if len(texts) != 1:
        raise ValueError(f"the sample must have one generated text, got {show(texts)}")
    if not is_extracted:
        return str(texts[0])
    names = "extracted_predictions", "extracted_golds"
    answers, targets = (part_of(row, "doc", "specific", name) for name in names)
    if answers is None or (targets or [None])[0] != right_text:
        rule = f"`doc.specific` must hold the extracted target {show(right_text)} and an answer"
        raise ValueError(f"{rule}, got {show(targets)} and {show(answers)}")
    return answers[0] if answers else None  # the parsed answer; its text may follow in the list


def _likeliest(row: dict[str, Any], metric: str) -> int:
    """Find the position of the choice that a metric counts as the answer."""
    response, texts = row["model_response"], row["doc"]["choices"]
    logprobs = list(map(float, response["logprobs"] or ()))
    n = len(texts)
    # log-probabilities of the choices without the question may follow
    if len(logprobs) not in (n, 2 * n) or any(map(math.isnan, logprobs)):
        raise ValueError(f"`logprobs` must be numbers for {n} choices, got {show(logprobs)}")
    # with this option, the length of a choice does not include its first space
    space = " " if "ignore_first_space=True" in metric else ""
    tokens = [tuple(choice_tokens) for choice_tokens in response.get("output_tokens") or ()]
    texts = [text.removeprefix(space) for text in texts]
    # "acc:logprob_normalization=LogProbCharNorm(name='norm', ...)" is `acc_norm`
    name, _, options = (metric or "acc").partition(":")
    option = re.search(r"logprob_normalization=\w+\(name='(\w+)'", options)
    name = f"{name}_{option[1]}" if option else name
    return verdicts.likeliest_choice(name, logprobs, texts, tokens)


def _answers(path: Path, rows: list[Any], variant: str, verdict: str | None) -> Answers:
    """Build answers from rows with scored choices, or from rows with generated texts."""
    is_text = bool(rows[0]["model_response"]["text"])
    task, model = str(rows[0]["doc"]["task_name"]), _model(path)
    results = read_results(_find_results(path, model))
    known = TEXT_METRICS if is_text else CHOICE_METRICS
    metric = verdicts.add_verdicts(rows, known, verdict, part_of(results, "results", task) or {})
    extractions = (part_of(row, "doc", "specific", "extracted_predictions") for row in rows)
    is_extracted = any(answers is not None for answers in extractions)
    how = "the generated text" if is_text else "the likeliest choice"
    if is_text and is_extracted:
        how = "the answer that lighteval's extractive match found in the text"
    samples: list[verdicts.Sample] = []
    skipped = verdicts.SkippedSamples()
    for row in rows:
        with skipped.skip(f"sample {row['id']}"):
            samples.append(read_sample(row, metric.name, is_text, is_extracted))
    skipped.check(len(rows))
    log = {**results, "task": part_of(results, "config_tasks", task)}
    settings = settings_of(rows, log, _SETTINGS)
    origin = Origin("lighteval", task, model, variant, None, path.name, settings)
    left_out = Counter({"several right answers": len(skipped)})
    return Answers.from_samples(samples, origin=origin, how=how, metric=metric, left_out=left_out)


def _find_results(path: Path, model: str) -> Path:
    """Find the results file in a folder above the details, or in results/MODEL of such a folder.

    On the Hub, the file is directly in such a folder. If it is not found, return a path that does
    not exist.
    """
    name = f"results_{path.absolute().parent.name}.json"
    paths = Path("results", model, name), Path(name)
    files = [folder / file for folder in path.absolute().parents for file in paths]
    return next(filter(Path.is_file, files), files[0])


def _prompt(doc: dict[str, Any]) -> str:
    """Join the instruction, the examples and the question, without a chat template."""
    examples = [example["query"] for example in doc.get("fewshot_samples") or ()]
    parts = [doc.get("instruction"), *examples, doc["query"]]
    # questions with images or several messages are not strings
    return "\n\n".join(str(x) for x in parts if x)


def _model(path: Path) -> str:
    """Read the model's name from the folders: details/MODEL/DATE, or MODEL/DATE on the Hub."""
    folders = path.absolute().parent.parts
    match = _FILE.fullmatch(path.name)
    if match is not None and match[1] == folders[-1]:
        folders = folders[:-1]
    n_folders = folders[::-1].index("details") if "details" in folders else 1
    return "/".join(folders[len(folders) - n_folders :])
