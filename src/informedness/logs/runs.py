"""Which runs repeat each other, and what distinguishes the runs of a task."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..text.render import cut, samples
from .answers import Answers, part_of

# Dates, ids, seeds, versions, devices, batch sizes and connections, as whole words of a name
_UNCOUNTED = "api_key|(access|api|auth|hf)_token|(eval|job|run|task)_id|batch(es)?|cache|concurrent"
_UNCOUNTED += "|concurrency|connections|devices?|endpoint|gpus?|gpu_memory_utilization|headers|host"
_UNCOUNTED += "|parallel_size|parallelize|password|port|retries|seeds?|sha|timeout|url|workers"
_UNCOUNTED = rf"^(created|id|token|uuid)$|(^|_)({_UNCOUNTED}|(?<!model_)versions?)(_|$)"
_UNCOUNTED += "|(^|_)(date|time)$"
_ADDRESS = " at 0x[0-9a-f]+"  # of a function in memory
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d")

Logged = list[tuple[Path, Answers]]


def settings_of(
    asked: Iterable[tuple[Any, str]], log: Any, places: str, arguments: Any = None, **others: Any
) -> dict[str, Any]:
    """Return what was run.

    Parameters
    ----------
    asked : iterable of (sample, prompt)
        All samples of the log, whether or not they count.
    log : dict
        JSON that holds settings.
    places : str
        Where in it they are, such as "eval.dataset.name"; apart by blanks.
    arguments : dict, optional
        Those of the task, all of which count.
    **others
        More settings.
    """
    pairs = sorted({(str(sample), prompt) for sample, prompt in asked})
    digest = sha256(json.dumps(pairs).encode()).hexdigest()
    others |= {x.rpartition(".")[2]: part_of(log, *x.split(".")) for x in places.split()}
    found = {"samples": len(dict(pairs)), **dict(_flat(others))}
    arguments = arguments if isinstance(arguments, dict) else {}
    return {"asked": digest, "arguments": arguments, **found}


def _flat(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each setting by its name, but for what may differ between a run and its repetition."""
    for name, value in _counted(settings).items():
        if name == "model_args" and isinstance(value, str):  # as lm-eval may write them
            value = _counted(dict(x.partition("=")[::2] for x in value.split(",")))
        yield from _flat(value) if isinstance(value, dict) else [(name, value)]


def _counted(value: Any) -> Any:
    if isinstance(value, Mapping):
        items = [(x, _counted(y)) for x, y in value.items() if not re.search(_UNCOUNTED, x)]
        return {x: y for x, y in items if y not in (None, {}, [], "")}
    if isinstance(value, list):
        return [*map(_counted, value)]
    return re.sub(_ADDRESS, "", value) if isinstance(value, str) else value


def latest_of(logged: Logged) -> Logged:
    """Return the latest of the runs that repeat each other; several if they have one date."""

    def key(answers: Answers) -> str:
        names = answers.harness, answers.model, answers.task, answers.variant
        return json.dumps([*names, answers.settings], sort_keys=True)

    runs = [(file, answers, key(answers)) for file, answers in logged]
    latest = {of_run: x.created for _, x, of_run in sorted(runs, key=lambda run: run[1].created)}
    return [(file, x) for file, x, of_run in runs if x.created == latest[of_run]]


def named_runs(logged: Logged) -> Logged:
    """Return answers with what distinguishes their run from others of its model and task.

    These are the arguments of the task and, between runs with the same, the settings that differ;
    where none tells a run from another, its date or path.
    """
    tasks: dict[tuple[str, ...], dict[str, dict[Path, Answers]]] = {}
    for file, answers in logged:
        arguments = str(answers.settings.get("arguments"))
        by_arguments = tasks.setdefault((answers.harness, answers.model, answers.task), {})
        by_arguments.setdefault(arguments, {})[file] = answers
    names: dict[Path, tuple[str, str]] = {}
    for by_arguments in tasks.values():
        firsts = [next(iter(runs.values())).settings for runs in by_arguments.values()]
        of_task = _differing([x.get("arguments", {}) for x in firsts])
        for arguments, runs in zip(of_task, by_arguments.values(), strict=True):
            of_runs = _differing([x.settings for x in runs.values()])
            dates = ["".join(_DATE.findall(x.created)) for x in runs.values()]
            marks = dates, [file.name for file in runs], [*map(str, runs)]
            for i, (file, name) in enumerate(zip(runs, of_runs, strict=True)):
                mark = next(x[i] for x in marks if x.count(x[i]) == 1)
                both = (name, mark) if of_runs.count(name) > 1 else (name,)
                names[file] = arguments, ", ".join(filter(None, both))
    return [(x, replace(y, arguments=names[x][0], run=names[x][1])) for x, y in logged]


def _differing(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return for each run the settings that are not the same in all of them."""
    keys = dict.fromkeys(
        x for of_run in settings for x in of_run if x not in ("asked", "arguments")
    )
    differ = [x for x in keys if any(y.get(x) != settings[0].get(x) for y in settings)]
    return [
        ", ".join(_text(x, of_run[x]) for x in differ if of_run.get(x) is not None)
        for of_run in settings
    ]


def _text(name: str, value: Any) -> str:
    if name == "shots":
        return f"{value}-shot"
    return samples(value) if name == "samples" else f"{name}={cut(str(value), 40)}"
