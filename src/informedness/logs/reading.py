"""Which harness wrote a log, and the answers in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from ..core.labels import check_choice
from ..inputs.paths import paths_of
from . import inspect_ai, lighteval, lm_eval
from .answers import Answers, naming

# each has `is_log(path)`, and `read_log(path)`, which yields the answers in a file
READERS: dict[str, ModuleType] = {x.NAME: x for x in (lm_eval, lighteval, inspect_ai)}


def read_log(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    harness: str | None = None,
    task: str | None = None,
    variant: str | None = None,
    extract: str | None = None,
    choices: Sequence[str] | None = None,
) -> list[Answers]:
    r"""Return what language models answered, as an evaluation harness logged it.

    Parameters
    ----------
    path : path or sequence of paths
        Logs of samples, or folders that are searched for them: `samples_*.jsonl` of lm-eval
        (`--log_samples`), `details_*.parquet` of lighteval (`--save-details`), `.eval` or `.json`
        of Inspect.
    harness : {"lm-eval", "lighteval", "inspect"}, optional
        Which harness wrote them; by default recognised from the files.
    task, variant : str, optional
        Return only the answers in this task, or of this filter (lm-eval) or scorer (Inspect).
    extract : str, optional
        A regular expression whose first group takes the class out of generated text.
    choices : sequence of str, optional
        The classes of the task; they also name answers that are positions.

    Returns
    -------
    list of Answers
        One for each model, task, variant and epoch.

    Raises
    ------
    ValueError
        If a file is not a log, is damaged or holds no samples, if nothing in it is of this task or
        variant, or if two files hold the same run.
    ImportError
        If a package is missing: pyarrow for lighteval, backports.zstd for `.eval`.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> log = pathlib.Path(tempfile.mkdtemp()) / "samples_spam_2026-01-01T00-00-00.jsonl"
    >>> asked = {"gen_args_0": {"arg_0": "Is it spam?", "arg_1": {"until": ["."]}}}
    >>> pairs = [("yes", "yes"), ("no", "no"), ("no", "I cannot say")]
    >>> with log.open("w") as file:
    ...     for number, (target, answer) in enumerate(pairs):
    ...         sample = {"doc_id": number, "target": target, "arguments": asked, "filter": "none"}
    ...         sample |= {"filtered_resps": [answer], "prompt_hash": "1"}
    ...         print(json.dumps(sample), file=file)
    >>> (answers,) = read_log(log)
    >>> answers.classes, answers.unknown()
    (('no', 'yes'), Counter({'I cannot say': 1}))
    >>> answers.report().scores["informedness"]
    0.5
    """
    check_choice("harness", harness, (None, *READERS))
    found: dict[str, Path] = {}
    read: list[tuple[Path, Answers]] = []
    for file, reader in _logs(paths_of(path), harness):
        with naming(file):
            of_file = list(reader.read_log(file))
            _check_samples(of_file)
        for answers in of_file:
            if (before := found.setdefault(answers.name, file)) != file:
                raise ValueError(
                    f"{file}: a run must be in one log, got {answers.name!r} in {before} too: "
                    "name only one of them"
                )
            read.append((file, answers))
    chosen = []
    for file, answers in _chosen(_chosen(read, "task", task), "variant", variant):
        with naming(file):
            chosen.append(answers.with_classes(extract, choices))
    return chosen


def _check_samples(read: Sequence[Answers]) -> None:
    """Raise ValueError unless there are samples, each with an identifier of its own."""
    if not read:
        raise ValueError("the log must hold samples, got none")
    for answers in read:
        ((name, times),) = Counter(answers.ids).most_common(1)
        if times > 1:
            raise ValueError(
                f"each sample must have an identifier of its own, got {name!r} {times} times: the "
                "log may hold two runs"
            )


def _logs(paths: Sequence[Any], harness: str | None) -> Iterator[tuple[Path, ModuleType]]:
    """Yield each log and the reader of its harness."""
    readers = list(READERS.values()) if harness is None else [READERS[harness]]
    for path in map(Path, paths):
        if not path.exists():
            raise FileNotFoundError(f"{path}: there is no such file")
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        logs = [(file, reader) for reader in readers for file in files if reader.is_log(file)]
        if harness is not None and not path.is_dir():
            logs = [(path, READERS[harness])]
        if not logs:
            raise ValueError(
                f"{path}: must be or hold logs of samples of {', '.join(r.NAME for r in readers)}, "
                "got none: for other files, name their columns with --references and --predictions "
                "(table_from_file)"
            )
        yield from logs


def _chosen(
    read: list[tuple[Path, Answers]], field: str, wanted: str | None
) -> list[tuple[Path, Answers]]:
    """Return those answers that have the wanted task or variant."""
    if wanted is None:
        return read
    chosen = [(file, answers) for file, answers in read if getattr(answers, field) == wanted]
    if not chosen:
        there = sorted({repr(getattr(answers, field)) for _, answers in read})
        raise ValueError(f"`{field}` must be one of {', '.join(there)}, got {wanted!r}")
    return chosen


def one_run(read: Sequence[Answers], name: str) -> Answers:
    """Return the only run that was read.

    Raises
    ------
    ValueError
        If there are several; the message names them.
    """
    if len(read) != 1:
        runs = "; ".join(answers.name for answers in read)
        raise ValueError(
            f"{name}: must hold one run to compare, got {len(read)} ({runs}): choose with --task "
            "and --variant, or name one log"
        )
    return read[0]
