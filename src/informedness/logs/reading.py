"""Recognise the harness that wrote a log, and read the answers in it."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from ..core.labels import check_choice, warn
from ..errors import prefix_errors
from ..files.columns import name_list
from ..files.opening import paths_of
from ..messages import Message, join, message, message_of
from ..tables.label_options import LabelOptions
from ..tables.label_warnings import warn_of_own_labels
from ..text.render import cut, shown
from ..warnings import prefix_warnings
from . import inspect_logs, lighteval_logs, lm_eval_logs
from .answers import Answers, Origin, finds_in_text
from .verdicts import DAMAGES

# Each module has `is_log(path)`, and `read_log(path, verdict)`, which yields the answers in a log.
READERS: dict[str, ModuleType] = {
    "lm-eval": lm_eval_logs,
    "lighteval": lighteval_logs,
    "inspect": inspect_logs,
}
_NO_LOG = (
    "{path} must be a log with samples, or a folder of such logs: samples_*.jsonl of lm-eval, "
    "details_*.parquet of lighteval, .eval or .json of Inspect. For a renamed log, name its "
    "harness with `harness`. For other files, name columns as `references and predictions`"
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
        The harness that wrote the logs. By default it is recognised from the files.
    task : str, optional
        Return only answers to this task, such as "quiz". If a model has runs of the task with
        different arguments, "quiz(subject=law)" chooses those with this argument.
    exclude_task : str or sequence of str, optional
        Leave out these tasks, for example from the mean over tasks.
    variant : str, optional
        Return only answers of this variant, and answers without a variant. A variant is a filter of
        lm-eval other than "none", a scorer or named value of Inspect (or both), or
        "log-probabilities" or "text" of lighteval.
    verdict : str, optional
        Name of the metric with values 0 and 1 that says which answers are right, in logs of
        lm-eval and lighteval. By default it is a metric of the log such as `acc` or `exact_match`,
        if there is one.
    runs : str, optional
        Read only logs whose name, or path below a folder in `path`, contains this text.
    latest : bool
        Whether to return only the latest of repeated runs; all of those with the latest date.
        Repeated runs share task, model, data, prompts and settings, except settings such as seeds,
        batch sizes and devices.
    epoch : int, optional
        Return only answers of this epoch, and answers of runs with a single epoch.
    epochs : {"each", "pooled"}
        Whether to return the epochs of a run separately or together. A pooled sample has an answer
        for each epoch in which it has a score.
    extract : str, optional
        A regular expression that finds the class in generated text, as in `table_from_file`.
    choices : sequence of str, optional
        The classes of the task. References and answers that are positions in this list are replaced
        by the classes.
    ignore_case, strip : bool
        Whether generated text may differ from a class in case, or in whitespace around it. Without
        these options and `extract`, the harness decides: an answer that it counts as right has the
        class of the target.

    Returns
    -------
    list of Answers
        The answers of each run, variant and epoch.

    Raises
    ------
    ValueError
        If there is no log at a path, or none whose path contains `runs`. If no run can be read. If
        no log has the chosen task, variant or epoch. If a task to exclude is missing, or no other
        task is left. If an option is not valid, or `verdict` is combined with `extract`,
        `ignore_case` or `strip`.
    ImportError
        If a package is missing: pyarrow for lighteval, and for files of lm-eval compressed with
        zstd; backports.zstd for `.eval` before Python 3.14.

    Warns
    -----
    InformednessWarning
        If a log or a run is left out because it cannot be read. If samples are left out because
        they have no score or several right answers. If a log has metrics that could be the
        `verdict`, but none of them was used. If the harness recorded a different accuracy or number
        of samples. If a log does not name the classes, and nearly all of at least 50 references are
        different texts.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> request = {"gen_args_0": {"arg_0": "Is it spam?", "arg_1": {"until": ["."]}}}
    >>> pairs = [("yes", "yes"), ("no", "no"), ("no", "I cannot say")]
    >>> samples = [
    ...     {"doc_id": i, "target": x, "arguments": request, "filter": "none", "prompt_hash": "1"}
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
        raise ValueError("`verdict` cannot be combined with `extract`, `ignore_case` or `strip`")
    check_choice("harness", harness, (None, *READERS))
    check_choice("epochs", epochs, ("each", "pooled"))
    left_out: list[Message] = []
    all_answers: list[Answers] = []
    for source in map(Path, paths_of(path)):
        for file, reader in _find_logs(source, harness, runs):
            with _collect_errors(left_out, file):
                all_answers += _read_file(file, reader, verdict)
    all_answers = _drop_tasks(_select(_name_runs(all_answers), "task", task), exclude_task)
    all_answers = _select(_select(all_answers, "variant", variant), "epoch", epoch)
    if latest:
        all_answers = _keep_latest(all_answers)
    all_answers = _name_runs(_pool_epochs(all_answers) if epochs == "pooled" else all_answers)

    found: list[Answers] = []
    for answers in all_answers:
        with _collect_errors(left_out, answers.origin.file, answers.origin.variant):
            found.append(answers.find_classes(options))
            with prefix_warnings(shown(answers.origin.file)):
                _warn_of(found[-1])
    if not found:
        raise ValueError(join(left_out))
    for reason in left_out:
        warn(message("left out: {reason}", "left out", reason=reason))
    return found


@contextmanager
def _collect_errors(left_out: list[Message], *names: object) -> Iterator[None]:
    """Add the message of an error in the block to `left_out`, with names as a prefix.

    The errors are ValueError, OSError and those of damaged logs in `DAMAGES`. Others are raised.
    """
    try:
        with prefix_errors(", ".join(map(shown, filter(None, names))), *DAMAGES):
            yield
    except (ValueError, OSError) as error:
        left_out.append(message_of(error))


# Finding log files


def _find_logs(path: Path, harness: str | None, runs: str | None) -> list[tuple[Path, ModuleType]]:
    """Find each log and the reader of its harness.

    Raise ValueError if there are no logs, or none whose path contains `runs`.
    """
    logs = _list_logs(path, harness)
    if not logs:
        raise ValueError(message(_NO_LOG, path=shown(path)))
    top = path if path.is_dir() else path.parent
    logs = [log for log in logs if runs is None or runs in str(log[0].relative_to(top))]
    if not logs:
        text = "`runs` must be part of the path of a log in {path}, got {runs!r}"
        raise ValueError(message(text, path=shown(path), runs=runs))
    return logs


def _list_logs(path: Path, harness: str | None) -> list[tuple[Path, ModuleType]]:
    """List the logs at a path; if there are only files of results, list the first of them.

    The reader of a file of results raises an error that says what to do. If `path` is a file and
    `harness` is given, the file can have any name.
    """
    if harness is not None and not path.is_dir():
        return [(path, READERS[harness])]
    readers = READERS.values() if harness is None else [READERS[harness]]
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    logs = [(file, reader) for reader in readers for file in files if reader.is_log(file)]
    return [log for log in logs if not lm_eval_logs.RESULTS.fullmatch(log[0].name)] or logs[:1]


def _read_file(file: Path, reader: ModuleType, verdict: str | None) -> list[Answers]:
    """Read the answers in a log; raise ValueError unless it has samples with unique identifiers."""
    found = []
    for answers in reader.read_log(file, verdict):
        ((name, times),) = Counter(answers.ids).most_common(1)
        if times > 1:
            raise ValueError(f"sample identifiers must be unique, got {name!r} {times} times")
        found.append(replace(answers, origin=replace(answers.origin, file=str(file))))
    if not found:
        raise ValueError("the log must hold samples, got none")
    return found


# Selecting and naming runs


def _select(all_answers: list[Answers], argument: str, value: Any) -> list[Answers]:
    """Keep answers whose task, variant or epoch is this value, or is empty or None.

    Without a value, keep all. Raise ValueError if there are answers, but none has this value.
    """
    if value is None or not all_answers:
        return all_answers
    values = {x for answers in all_answers for x in _values_of(answers.origin, argument)}
    if value not in values:
        names = name_list(sorted(values, key=repr), str(value))
        raise ValueError(f"`{argument}` must be one of {names}, got {value!r}")
    return [x for x in all_answers if {value, "", None} & _values_of(x.origin, argument)]


def _values_of(origin: Origin, argument: str) -> set[Any]:
    """Collect the values of a `read_log` argument that select answers of this origin."""
    is_task = argument in ("task", "exclude_task")
    return {origin.task, origin.task_name} if is_task else {getattr(origin, argument)}


def _drop_tasks(all_answers: list[Answers], excluded: str | Sequence[str] | None) -> list[Answers]:
    """Leave out tasks by name; raise ValueError if one is missing, or no task would remain."""
    names = [excluded] if isinstance(excluded, str) else excluded or ()
    dropped = [x.origin for name in names for x in _select(all_answers, "exclude_task", name)]
    kept = [x for x in all_answers if x.origin not in dropped]
    if dropped and not kept:
        raise ValueError(f"`exclude_task` must leave a task, got {', '.join(map(repr, names))}")
    return kept


def _pool_epochs(all_answers: list[Answers]) -> list[Answers]:
    """Pool the answers of all epochs of each run and variant."""
    runs: defaultdict[tuple[str, str], list[Answers]] = defaultdict(list)
    for answers in all_answers:
        runs[answers.origin.file, answers.origin.variant].append(answers)
    return [first.pooled(later) for first, *later in runs.values()]


def _keep_latest(all_answers: list[Answers]) -> list[Answers]:
    """Keep the latest of repeated runs; keep all runs that have the latest date."""
    # Reset the attributes in which repeated runs may differ.
    defaults = {"file": "", "created": "", "epoch": None, "arguments": "", "run": ""}
    origins = [x.origin for x in all_answers]
    runs = [(json.dumps(vars(x) | defaults, sort_keys=True), x.created) for x in origins]
    latest = dict(sorted(runs))
    return [x for x, (run, date) in zip(all_answers, runs, strict=True) if date == latest[run]]


def _name_runs(all_answers: list[Answers]) -> list[Answers]:
    """Name each run by its differences from other runs of its harness, model and task.

    The name lists the task arguments that differ. Runs with the same arguments are named by the
    settings that differ. Runs that these settings do not distinguish also have a date, file name
    or path.
    """
    tasks: defaultdict[tuple[str, ...], dict[str, Origin]] = defaultdict(dict)
    for origin in (answers.origin for answers in all_answers):
        tasks[origin.harness, origin.model, origin.task][origin.file] = origin
    names: dict[str, dict[str, Any]] = {}
    for runs in tasks.values():
        texts = _differences([origin.settings.get("arguments", {}) for origin in runs.values()])
        for arguments in {*texts}:
            same = [x for x, text in zip(runs.values(), texts, strict=True) if text == arguments]
            for origin, run in zip(same, _names_of_runs(same), strict=True):
                names[origin.file] = {"arguments": arguments, "run": run}
    return [replace(x, origin=replace(x.origin, **names[x.origin.file])) for x in all_answers]


def _names_of_runs(runs: Sequence[Origin]) -> list[str]:
    """Name each run of a task by settings that differ.

    If names are equal, add the date of the log, its name or its path, whichever is unique first.
    """
    texts = _differences([run.settings for run in runs])
    dates = ["".join(_DATE.findall(run.created)) for run in runs]
    marks = dates, [Path(run.file).name for run in runs], [run.file for run in runs]
    names = []
    for i, text in enumerate(texts):
        mark = next(x[i] for x in marks if x.count(x[i]) == 1)
        parts = [text, mark] if texts.count(text) > 1 else [text]
        names.append(", ".join(filter(None, parts)))
    return names


def _differences(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Format, for each run, the settings that differ between runs, except prompts and arguments."""
    names = dict.fromkeys(x for run in settings for x in run if x not in ("asked", "arguments"))
    differ = [x for x in names if any(run.get(x) != settings[0].get(x) for run in settings)]
    texts = []
    for run in settings:
        known = {x: cut(str(run[x]), 40) for x in differ if run.get(x) is not None}
        pairs = (f"{y}-shot" if x == "shots" else f"{x}={y}" for x, y in known.items())
        texts.append(", ".join(pairs))
    return texts


# Warnings


def _warn_of(answers: Answers) -> None:
    """Warn if verdicts, samples or references of a run need attention.

    Warn if the log has metrics that could give the verdicts, but none was used. Warn if the harness
    recorded other totals, if samples do not count, or if nearly all references are different texts.
    """
    name, metric = shown(answers.name), answers.metric
    if not metric.name and metric.alternatives:
        warn(metric.unused_metrics_message)
    if metric.name and metric.is_harness_accuracy is False:
        totals = f"{metric.counted}, but {metric.recorded} in the results of the harness"
        text = f"the accuracy of {{name}} by {{metric}} is {totals}"
        warn(message(text, name=name, metric=shown(metric.name)))
    n_samples = len(answers.samples) + answers.left_out.total()
    for reason, n in (+answers.left_out).items():
        text = f"{n} of {n_samples} samples of {{name}} have {reason}, and do not count"
        warn(message(text, name=name))
    labels = answers.references
    if answers.choices is None:
        warn_of_own_labels(len({*labels}), len(labels), labels[0], "references")


def only_run(runs: Sequence[Answers], name: str) -> Answers:
    """Get the only element of `runs`, which has one element for each run, variant and epoch.

    Raises
    ------
    ValueError
        If there is not exactly one element. The message names all of them.
    """
    if len(runs) != 1:
        names = "; ".join(shown(answers.name) for answers in runs)
        text = "{name} must hold one run, got {n}: {names}. Choose one with `task`, `variant`, "
        text += '`epoch`, `runs` or `latest`, or score all epochs together with epochs="pooled"'
        raise ValueError(message(text, name=name, n=len(runs), names=names))
    return runs[0]
