"""Recognise the harness that wrote a log, and read the answers in it."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from ..core.labels import check_choice, warn
from ..errors import prefix_errors
from ..files.columns import listed
from ..files.opening import paths_of
from ..messages import Message, join, message, message_of, with_subject
from ..tables.label_options import LabelOptions
from ..tables.label_warnings import warn_of_own_labels
from ..text.render import cut, samples, shown
from ..warnings import prefix_warnings
from . import inspect_logs, lighteval_logs, lm_eval_logs
from .answers import Answers, Origin, finds_in_text
from .verdicts import DAMAGES

Logged = list[tuple[Path, Answers]]
# Each has `is_log(path)` and `read_log(path, verdict)`; the latter yields the answers in a file.
READERS: dict[str, ModuleType] = {
    "lm-eval": lm_eval_logs,
    "lighteval": lighteval_logs,
    "inspect": inspect_logs,
}
_NO_LOG = (
    "{path} is not a log with samples, and holds none: samples_*.jsonl of lm-eval, "
    "details_*.parquet of lighteval, .eval or .json of Inspect. Name the harness of a renamed log "
    "with `harness`. To score columns of other files, name `references` and `predictions`"
)
_ONLY_RESULTS = (
    ". results_*.json hold no samples: lm-eval writes samples_*.jsonl with --log_samples, "
    "lighteval details_*.parquet with --save-details"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d")


def read_log(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    harness: str | None = None,
    task: str | None = None,
    exclude_task: str | Sequence[str] | None = None,
    variant: str | None = None,
    verdict: str | None = None,
    runs: str | None = None,
    latest: bool = False,
    epoch: int | None = None,
    epochs: str = "each",
    extract: str | None = None,
    choices: Sequence[str] | None = None,
    ignore_case: bool = False,
    strip: bool = False,
) -> list[Answers]:
    r"""Read the answers of language models from logs of an evaluation harness.

    Parameters
    ----------
    path : path or sequence of paths
        Logs of samples, or folders to search for them: `samples_*.jsonl` of lm-eval
        (`--log_samples`), `details_*.parquet` of lighteval (`--save-details`), `.eval` or `.json`
        of Inspect.
    harness : {"lm-eval", "lighteval", "inspect"}, optional
        The harness that wrote the logs; by default recognised from the files.
    task : str, optional
        Return only answers to this task, such as "quiz", or "quiz(subject=law)" if several runs
        have different arguments.
    exclude_task : str or sequence of str, optional
        Leave out these tasks, for example from a mean over all others.
    variant : str, optional
        Return only answers of this filter (lm-eval), scorer or named value (Inspect), if a log has
        several.
    verdict : str, optional
        The metric of 0 and 1 that says which answers are right, in logs of lm-eval and lighteval;
        by default the harness's accuracy or exact match.
    runs : str, optional
        Read only logs whose path contains this text.
    latest : bool
        Whether to read only the latest of repeated runs. These share task, model, data, prompts
        and settings; their seeds may differ.
    epoch : int, optional
        Return only answers of this epoch, if a run has several.
    epochs : {"each", "pooled"}
        Whether to return the epochs of a run separately or together. Pooled samples have one
        answer per epoch.
    extract : str, optional
        A regular expression whose first group extracts the class from generated text.
    choices : sequence of str, optional
        The classes of the task; they also name answers that are positions.
    ignore_case, strip : bool
        Whether generated text may differ from a class in case, or in whitespace around it. Without
        these and `extract` the harness decides: an answer that it counts as right is the target.

    Returns
    -------
    list of Answers
        One per run, variant and epoch.

    Raises
    ------
    ValueError
        If no log can be read, or none has the chosen task, variant, run or epoch; if a task to
        exclude is missing or the only one; or if `verdict` is combined with `extract`,
        `ignore_case` or `strip`.
    ImportError
        If a package is missing: pyarrow for lighteval, backports.zstd for `.eval`.

    Warns
    -----
    InformednessWarning
        For each log or run left out because it cannot be read; for samples left out because they
        have no score or several right answers; if no metric of a log was compared with the
        answers; and if the harness recorded another accuracy or number of samples.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> asked = {"gen_args_0": {"arg_0": "Is it spam?", "arg_1": {"until": ["."]}}}
    >>> pairs = [("yes", "yes"), ("no", "no"), ("no", "I cannot say")]
    >>> samples = [
    ...     {"doc_id": i, "target": x, "arguments": asked, "filter": "none", "prompt_hash": "1"}
    ...     | {"filtered_resps": [answer], "doc_hash": "2"} for i, (x, answer) in enumerate(pairs)
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = pathlib.Path(folder, "samples_spam_2026-01-01T00-00-00.jsonl")
    ...     _ = log.write_text("\n".join(map(json.dumps, samples)))
    ...     (answers,) = read_log(log)
    >>> answers.classes, answers.unknown()
    (('no', 'yes'), Counter({'I cannot say': 1}))
    >>> answers.report().scores["informedness"]
    0.5
    """
    options = LabelOptions(extract=extract, choices=choices, ignore_case=ignore_case, strip=strip)
    if verdict is not None and finds_in_text(options):
        raise ValueError("`verdict` does not go with `extract`, `ignore_case` or `strip`")
    check_choice("harness", harness, (None, *READERS))
    check_choice("epochs", epochs, ("each", "pooled"))
    left_out: list[Message] = []
    logged = _read_files(paths_of(path), harness, runs, verdict, left_out)
    logged = _chosen(_named_runs(logged), "task", task)
    logged = _drop_tasks(logged, [exclude_task] if isinstance(exclude_task, str) else exclude_task)
    logged = _chosen(_chosen(logged, "variant", variant), "epoch", epoch)
    if latest:
        logged = _latest(logged)
    logged = _named_runs(_pooled(logged) if epochs == "pooled" else logged)

    read: list[Answers] = []
    for file, answers in logged:
        try:
            names = filter(None, (file, answers.origin.variant))
            with prefix_errors(", ".join(map(shown, names)), *DAMAGES):
                read.append(answers.find_classes(options))
            _warn_of_verdicts(file, read[-1])
            _warn_of_samples(file, read[-1])
        except ValueError as error:
            left_out.append(message_of(error))
    if not read:
        raise ValueError(join(left_out))
    for reason in left_out:
        warn(message("left out: {reason}", "left out", reason=reason))
    return read


# Finding log files


def _read_files(
    paths: Sequence[Any],
    harness: str | None,
    runs: str | None,
    verdict: str | None,
    left_out: list[Message],
) -> Logged:
    """Read the answers in each log; add to `left_out` why others cannot be read."""
    logged: Logged = []
    for file, reader in chain.from_iterable(_logs(Path(path), harness, runs) for path in paths):
        try:
            with prefix_errors(shown(file), *DAMAGES):
                read = list(reader.read_log(file, verdict))
                _check_samples(read)
            logged += [(file, answers) for answers in read]
        except (ValueError, OSError) as error:
            left_out.append(message_of(error))
    return logged


def _check_samples(read: Sequence[Answers]) -> None:
    """Raise ValueError unless a log has samples with unique identifiers."""
    if not read:
        raise ValueError("the log must hold samples, got none")
    for answers in read:
        ((name, times),) = Counter(answers.ids).most_common(1)
        if times > 1:
            raise ValueError(f"sample identifiers must be unique, got {name!r} {times} times")


def _logs(path: Path, harness: str | None, runs: str | None) -> list[tuple[Path, ModuleType]]:
    """Find each log and the reader of its harness; raise ValueError if there are none."""
    top, files = (path, sorted(path.rglob("*"))) if path.is_dir() else (path.parent, [path])
    samples = [file for file in files if not lm_eval_logs.RESULTS.fullmatch(file.name)]
    if harness is None:
        logs = [(x, y) for y in READERS.values() for x in samples if y.is_log(x)]
    else:
        reader = READERS[harness]
        logs = [(x, reader) for x in samples if reader.is_log(x) or x == path]
    if not logs:
        hint = _ONLY_RESULTS if len(samples) < len(files) else ""
        raise ValueError(message(_NO_LOG + hint, path=shown(path)))
    logs = [log for log in logs if runs is None or runs in str(log[0].relative_to(top))]
    if not logs:
        text = "`runs` must be part of the path of a log in {path}, got {runs!r}"
        raise ValueError(message(text, path=shown(path), runs=runs))
    return logs


# Selecting and naming runs


def _chosen(logged: Logged, argument: str, value: Any) -> Logged:
    """Keep answers with this task, variant or epoch, and those without one."""
    if value is None or not logged:
        return logged
    values = {x for _, answers in logged for x in _values(answers, argument)}
    if value not in values:
        names = listed(sorted(values, key=repr), str(value))
        raise ValueError(f"`{argument}` must be one of {names}, got {value!r}")
    return [pair for pair in logged if {value, "", None} & _values(pair[1], argument)]


def _values(answers: Answers, argument: str) -> set[Any]:
    """List what selects these answers: names of the task, or the variant or epoch."""
    origin = answers.origin
    is_task = argument in ("task", "exclude_task")
    return {origin.task, origin.task_name} if is_task else {getattr(origin, argument)}


def _drop_tasks(logged: Logged, excluded: Sequence[str] | None) -> Logged:
    """Leave out tasks by name; each must exist, and at least one other task."""
    dropped = [x for name in excluded or () for x in _chosen(logged, "exclude_task", name)]
    kept = [x for x in logged if x not in dropped]
    if dropped and not kept:
        names = ", ".join(map(repr, excluded or ()))
        raise ValueError(f"`exclude_task` must leave a task, got {names}")
    return kept


def _pooled(logged: Logged) -> Logged:
    """Pool all epochs of a run."""
    runs: defaultdict[tuple[Path, str], list[Answers]] = defaultdict(list)
    for file, answers in logged:
        runs[file, answers.origin.variant].append(answers)
    return [(file, first.pooled(others)) for (file, _), (first, *others) in runs.items()]


def _latest(logged: Logged) -> Logged:
    """Keep the latest of repeated runs; several if they have the same date."""
    dates = [answers.origin.created for _, answers in logged]
    others = {"created": "", "epoch": None, "arguments": "", "run": ""}
    runs = [json.dumps(vars(x.origin) | others, sort_keys=True) for _, x in logged]
    latest = dict(sorted(zip(runs, dates, strict=True)))
    rows = zip(logged, runs, dates, strict=True)
    return [pair for pair, run, date in rows if date == latest[run]]


def _named_runs(logged: Logged) -> Logged:
    """Name each run by its differences from other runs of its model and task.

    Names hold the task arguments that differ. Runs with the same arguments are named by the
    settings that differ, or else by date or path.
    """
    tasks: defaultdict[tuple[str, ...], dict[Path, Origin]] = defaultdict(dict)
    for file, answers in logged:
        origin = answers.origin
        tasks[origin.harness, origin.model, origin.task][file] = origin
    names: dict[Path, tuple[str, str]] = {}
    for runs in tasks.values():
        arguments = _differences([x.settings.get("arguments", {}) for x in runs.values()])
        for text in {*arguments}:
            rows = zip(runs.items(), arguments, strict=True)
            same = dict(run for run, other in rows if other == text)
            names |= {file: (text, name) for file, name in _names_of_runs(same).items()}
    return [
        (x, replace(y, origin=replace(y.origin, arguments=names[x][0], run=names[x][1])))
        for x, y in logged
    ]


def _names_of_runs(runs: Mapping[Path, Origin]) -> dict[Path, str]:
    """Name each run of a task by settings that differ, with a date or path if needed."""
    names = _differences([origin.settings for origin in runs.values()])
    dates = ["".join(_DATE.findall(origin.created)) for origin in runs.values()]
    marks = dates, [file.name for file in runs], [*map(str, runs)]
    named = {}
    for i, (file, name) in enumerate(zip(runs, names, strict=True)):
        mark = next(x[i] for x in marks if x.count(x[i]) == 1)
        parts = (name, mark) if names.count(name) > 1 else (name,)
        named[file] = ", ".join(filter(None, parts))
    return named


def _differences(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Format the settings of each run that differ between runs."""
    names = dict.fromkeys(name for run in settings for name in run)
    differ = [x for x in names if any(run.get(x) != settings[0].get(x) for run in settings)]
    texts = []
    for run in settings:
        shown_settings = [_text(x, run[x]) for x in differ if run.get(x) is not None]
        texts.append(", ".join(filter(None, shown_settings)))
    return texts


def _text(name: str, value: Any) -> str:
    if name in ("asked", "arguments"):
        return ""
    if name == "shots":
        return f"{value}-shot"
    return samples(value) if name == "samples" else f"{name}={cut(str(value), 40)}"


# Warnings


def _warn_of_verdicts(file: Path, answers: Answers) -> None:
    """Warn if no metric is the verdict, or if the harness recorded other totals for it."""
    metric = answers.metric
    if not metric.name and metric.alternatives:
        warn(with_subject(shown(file), metric.unread))
    if metric.name and metric.is_harness_accuracy is False:
        names = {"file": shown(file), "name": shown(answers.name), "by": shown(metric.name)}
        totals = f"{metric.counted}, but the results of the log have {metric.recorded}"
        warn(message(f"{{file}}: the accuracy of {{name}} by {{by}} is {totals}", **names))


def _warn_of_samples(file: Path, answers: Answers) -> None:
    """Warn of samples that do not count, and of references that are all different texts."""
    n_several, n_unscored, n_errors = answers.left_out
    n_samples = len(answers.samples) + answers.left_out.total
    unscored = "no score"
    if n_errors:
        share = "" if n_errors == n_unscored else f", {n_errors} of them"
        unscored += f"{share} because of an error"
    for reason, n in ((unscored, n_unscored), ("several right answers", n_several)):
        if n:
            text = f"{n} of {n_samples} samples of {{name}} have {reason}, and do not count"
            warn(with_subject(shown(file), message(text, name=shown(answers.name))))
    labels = answers.references
    if answers.choices is None:
        with prefix_warnings(shown(file)):
            warn_of_own_labels(len({*labels}), len(labels), labels[0], "references")


def only_run(read: Sequence[Answers], name: str) -> Answers:
    """Get the only run that was read.

    Raises
    ------
    ValueError
        If there is not exactly one; the message names them.
    """
    if len(read) != 1:
        names = "; ".join(shown(answers.name) for answers in read)
        text = (
            "{name} must hold one run, got {n}: {names}. Choose one with `task`, `variant`, "
            '`epoch` or `runs`, or score all epochs together with epochs="pooled". `latest` reads '
            "the latest of runs that repeat each other"
        )
        raise ValueError(message(text, name=name, n=len(read), names=names))
    return read[0]
