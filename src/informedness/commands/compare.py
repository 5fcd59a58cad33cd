"""The command `compare`."""

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..files.opening import list_files
from ..messages import message
from ..text.account import signed
from ..text.layout import aligned
from ..text.render import shown
from .output import check_average, formatted, tell_decision
from .reading import columns_by_task, options_of_task, read_prior, values_of, whole_columns
from .rules import OF_ESTIMATE, OF_LOGS, OF_TEXT, check_options

if TYPE_CHECKING:
    from ..files.joined import Whole
    from ..results.comparison import Comparison
    from ..results.suite import SuiteComparison

_OF_COMPARISON = (*OF_ESTIMATE, "prior", "margin")
_SIDES = ("references", "predictions_a", "predictions_b")


def compare(options: Namespace) -> str:
    """Return the comparison of two models."""
    source = check_options(options)
    read_prior(options)
    _check_questions(options)
    if source == "logs":
        result, (name_a, name_b) = _of_logs(options)
    else:
        result, (name_a, name_b) = _of_columns(options, source)
    if options.detect is not None:
        if hasattr(result, "tasks"):
            raise ValueError("`--detect` is for one task, got several")
        result = replace(result, detect=options.detect)
    _decide(result, options)
    if options.format != "text" or hasattr(result, "tasks"):
        return formatted(result, options)
    (rows,) = result.text_tables(f"A: {shown(name_a)}", f"B: {shown(name_b)}")
    lines = result.with_names(options.naming).named_lines()
    return "\n\n".join([*result.read_blocks(), aligned(rows[1:], 60), *lines])


def _check_questions(options: Namespace) -> None:
    """Raise ValueError unless it is clear what a comparison shall show."""
    from ..results.comparison import check_size

    check_size("detect", options.detect)
    if options.require == "not-worse" and options.margin is None:
        raise ValueError("`--require` not-worse needs the `--margin` that is tolerable")
    if options.require and options.fail_if:
        raise ValueError("`--require` and `--fail-if` are two questions: leave out one of them")


def _decide(result: Any, options: Namespace) -> None:
    """Decide whether a build passes, if something is asked for that it depends on."""
    from ..results.requirement import decide_required, decide_worse

    if options.require or options.fail_if:
        tasks = getattr(result, "tasks", {"": result}).values()
        gate = "require" if options.require else "fail-if"
        check_average(options, gate, max(task.n_classes for task in tasks))
        required = options.require
        decision = decide_required(result, required) if required else decide_worse(result)
        tell_decision(decision, f"{gate} {required or options.fail_if}", options)


def _of_logs(options: Namespace) -> "tuple[Comparison | SuiteComparison, list[str]]":
    """Return the comparison of two logs of one task, and what to call A and B."""
    from ..logs.reading import one_run, read_log

    if len(options.path) != 2:
        rule = "without `--references` and `--predictions` there must be two logs of harnesses"
        raise ValueError(message(f"{rule}, got {{paths}}", paths=" ".join(options.path)))
    options.flags["labels"] = options.flags["choices"]  # which name the classes of logs
    log_options = values_of(options, *OF_LOGS, *OF_TEXT)
    runs_a, runs_b = (read_log(path, **log_options) for path in options.path)
    if len({run.task_name for run in runs_a} & {run.task_name for run in runs_b}) > 1:
        from ..logs.suite import compare_logs

        of_suite = values_of(options, *OF_ESTIMATE, "margin")
        return compare_logs(runs_a, runs_b, **of_suite), options.path
    path_a, path_b = options.path
    run_a, run_b = one_run(runs_a, path_a), one_run(runs_b, path_b)
    comparison = run_a.compare(run_b, **values_of(options, *_OF_COMPARISON))
    names = [run_a.name, run_b.name]
    return comparison, names if run_a.name != run_b.name else options.path


def _of_columns(
    options: Namespace, source: str
) -> "tuple[Comparison | SuiteComparison, list[str]]":
    """Return the comparison of two columns, and what to call A and B."""
    if source == "lines":
        columns = dict(zip(_SIDES, options.path, strict=True))
        whole = whole_columns(options, columns, are_lines=True)
        return _comparison(whole, options), options.path[1:]

    models = options.predictions
    if len(models) > 2 or (len(models) < 2 and options.on is None):
        rule = "`--predictions` must name two columns, or with --on one in each of two files"
        text = f"{rule}, got {{models}}; `informedness report` ranks several"
        raise ValueError(message(text, models=" ".join(models)))
    names = models if options.on is None else options.path
    if options.on is not None and len(models) == 2:
        names = [f"{path}, {model}" for path, model in zip(options.path, models, strict=True)]
    if options.by_task is not None or options.by_file:
        return _of_tasks(options), names
    return _comparison(_columns(options), options), names


def _comparison(whole: "Whole", options: Namespace) -> "Comparison":
    """Compare the two models whose labels were read."""
    from ..results.comparison import compare

    columns, task, account = whole
    sides: Any = (columns[side] for side in _SIDES)
    of_comparison = options_of_task(task) | values_of(options, *_OF_COMPARISON)
    comparison = compare(*sides, groups=columns.get("groups"), **of_comparison)
    signature = signed(comparison.signature, [account])
    return replace(comparison, read=(account,), signature=signature)


def _columns(options: Namespace) -> "Whole":
    """Return the columns of a comparison."""
    names = options.references, options.predictions[0], options.predictions[-1]
    columns = dict(zip(_SIDES, names, strict=True))
    return whole_columns(options, columns, ["references", "predictions_b"])


def _of_tasks(options: Namespace) -> "SuiteComparison":
    """Return the comparison over the tasks in a column, or over files."""
    from ..results.suite import compare_tasks

    if options.by_task is not None:
        columns, _, account = _columns(options)
        columns_of, accounts = dict(columns_by_task(columns)), [account]
    else:
        columns_of, accounts = {}, []
        for path, _ in list_files(options.path, options.file_format):
            options.path = [path]
            columns_of[path], _, account = _columns(options)
            accounts.append(account)
    tasks = {name: [columns[side] for side in _SIDES] for name, columns in columns_of.items()}
    groups = None
    if options.groups is not None:
        groups = {name: columns["groups"] for name, columns in columns_of.items()}
    of_suite = values_of(options, *OF_ESTIMATE, "unknown", "margin")
    comparison = compare_tasks(tasks, groups=groups, **of_suite)
    return replace(comparison, read=tuple(accounts))
