"""Every path says the same of the same labels, and to 1e-12: `cases` says what.

Covers src: tables/label_warnings.py, warnings.py.
"""

import json
import re
import warnings
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from informedness import Tally, estimate, informedness_score, nit_score, slices, table_from_file
from inputs.cases import (
    CASES,
    DOMAINS,
    KINDS,
    NULL,
    OUTSIDE,
    REFUSED,
    RIGHT,
    SPELT,
    cells_of,
    informedness,
    warned,
)
from inputs.cli_cases import write
from inputs.file_cases import COLUMNS
from inputs.sources import reader_of
from inputs.tables import table_of, table_of_labels, table_of_pairs
from oracles import dense
from oracles.golden import close

CANNOT_HOLD = (pa.ArrowException, TypeError)  # what a container raises, before anything is read
NAMES = "informedness", "nit"
SIDES = "-r", "gold", "-p", "model"


def tallied(references, predictions):
    tally = Tally()
    tally.update(references=references, predictions=predictions)
    return tally.table.informedness()


def by_functions(case, **_):
    sides = case.sides()
    yield lambda: [score(*sides, **case.options) for score in (informedness_score, nit_score)]
    if "sample_weight" not in case.options:
        counts = np.ones(len(sides[0]))
        yield lambda: table_of_pairs(*sides, counts, **case.options).informedness()
    if case.text is not None:
        yield lambda: estimate(*sides).value
        yield lambda: table_of_labels(*sides).informedness()
        yield lambda: slices(*sides, by=[0] * len(sides[0])).overall.scores["informedness"]
        yield lambda: tallied(*sides)


def by_modules(case, load, **_):
    def in_batches():
        metric = load("informedness")
        for reference, prediction in zip(*case.sides(), strict=True):
            metric.add(reference=reference, prediction=prediction)
        return metric.compute()["informedness"]

    given = {"references": case.references, "predictions": case.predictions, **case.options}
    yield lambda: [load(name).compute(**given)[name] for name in NAMES]
    if case.text is not None:
        yield in_batches


TYPED = "p.jsonl", "p.parquet", "p.xlsx", "polars", "pyarrow", "pandas"


def held(case, folder, is_text):
    """Yield each source that can hold a case, and what reads it; an empty cell holds nothing."""
    sides = case.sides()
    if is_text:
        sides = [[None if x is None else str(x) for x in side] for side in sides]
    for source in ("p.csv",) if is_text else TYPED:
        if source != "p.xlsx" or "" not in [*sides[0], *sides[1]]:
            with suppress(*CANNOT_HOLD):
                named = dict(zip(COLUMNS.values(), sides, strict=True))
                yield source, reader_of(source, named, folder)


def by_sources(case, is_text, tmp_path, **_):
    for source, read in held(case, tmp_path, is_text) if case.text else ():
        yield lambda read=read: read().informedness()
        if source == "pandas":
            yield lambda read=read: sum(read(by="gold").values()).informedness()


def reported(command, *given):
    """Return two scores; raise an error if they are refused, and warn of what is warned of."""
    code, output, errors = command("report", *given, "--format", "json")
    if code:
        assert (code, output) == (2, "")
        raise ValueError(errors)
    for line in errors.splitlines():
        if line.startswith("warning: "):
            warnings.warn(line, stacklevel=1)
    return [json.loads(output)[name] for name in NAMES]


def by_commands(case, is_text, tmp_path, command, **_):
    if case.text is None:
        yield lambda: with_options(case, tmp_path, command)
        return
    for source, _ in held(case, tmp_path, is_text):
        if source.startswith("p."):
            yield lambda source=source: reported(command, tmp_path / source, *SIDES)
    texts = [["" if x is None else str(x) for x in side] for side in case.sides()]
    if is_text and all(x.splitlines() == [x] for side in texts for x in side if x):
        for name, side in zip("rp", texts, strict=True):
            (tmp_path / f"{name}.txt").write_text("".join(f"{x}\n" for x in side))
        yield lambda: reported(command, tmp_path / "r.txt", tmp_path / "p.txt")


def in_json(labels):
    """Return labels as they stand in a file of JSON."""
    is_masked = isinstance(labels, np.ma.MaskedArray)
    values = (labels if is_masked else np.asarray(labels, dtype=object)).tolist()
    return [None if x is pd.NA else x for x in values]


def with_options(case, folder, command):
    columns = {"gold": in_json(case.references), "model": in_json(case.predictions)}
    arguments = ["--keep-missing"]
    for name, value in case.options.items():
        if name == "sample_weight":
            columns["weight"] = value
            arguments += ["--weights", "weight"]
        elif name == "labels":
            arguments += ["--labels", *map(str, value)]
        else:
            arguments += [f"--{name.replace('_', '-')}={value}"]
    if any(isinstance(label, bytes) for label in columns["model"]):
        path = folder / "p.parquet"
        pa.parquet.write_table(pa.table(columns), path)
    else:
        path = folder / "p.json"
        rows = zip(*columns.values(), strict=True)
        path.write_text(json.dumps([dict(zip(columns, row, strict=True)) for row in rows]))
    return reported(command, path, *SIDES, *arguments)


# Each path, and whether all is text there
PATHS = {
    "functions": (by_functions, False),
    "modules": (by_modules, False),
    "files and frames with types": (by_sources, False),
    "files of text": (by_sources, True),
    "commands on files with types": (by_commands, False),
    "commands on text": (by_commands, True),
}


def what_is_wrong(call, case, name, expected):
    """Return why an answer is not what a path should give; None if it is."""
    is_text = PATHS[name][1]
    refusal, wanted = case.refusal, case.wanted(is_text) if expected != REFUSED else None
    if name == "functions":  # which name their arguments as scikit-learn does
        refusal = refusal.replace("references", "(y_true|references)")
        refusal = refusal.replace("predictions", "(y_pred|predictions)")
    try:
        scores, notes = warned(call)
    except ValueError as error:
        scores, notes = None, str(error)
    doubts = {words for words in (NULL, OUTSIDE, SPELT) if words in notes}
    due = {expected} - {None, RIGHT, REFUSED, *([SPELT] if name == "modules" else [])}
    if expected == REFUSED:
        is_right = scores is None and (is_text or re.search(refusal, notes, re.DOTALL))
    else:
        scores = np.atleast_1d(scores).tolist()
        is_right = scores == close(wanted[: len(scores)]) and due <= doubts
    if is_right and not (expected == RIGHT and doubts):
        return None
    return f"{expected} with {wanted}, got {scores}, {notes}"


@pytest.mark.parametrize("name", PATHS)
def test_each_case_is_scored_right_warned_of_or_refused(name, load, tmp_path, command):
    path, is_text = PATHS[name]
    wrong = []
    for title, case in CASES.items():
        if is_text and case.text is None:
            continue
        expected = case.text if is_text else case.typed
        references, predictions = map(in_json, case.sides())
        are_apart = len(references) > 1 and not {*references} & {*predictions}
        if path in (by_sources, by_commands) and expected in (None, OUTSIDE) and are_apart:
            expected = REFUSED
        for call in path(case, is_text=is_text, load=load, tmp_path=tmp_path, command=command):
            reason = what_is_wrong(call, case, name, expected)
            wrong += [f"{title}: {reason}"] if reason else []
    assert not wrong, "\n".join(wrong)


def test_what_is_declared_is_not_warned_of():
    for title, kind in KINDS.items():
        if kind.typed in (NULL, OUTSIDE, SPELT):
            classes = list(dict.fromkeys([*kind.references, *kind.predictions]))
            found, said = warned(informedness_score, *kind.sides(), labels=classes)
            cells = cells_of(*kind.sides())
            assert found == close(float(dense.score(cells, "informedness", "bias"))), title
            assert not any(words in said for words in (NULL, f"{OUTSIDE} `", SPELT)), title


def test_a_frame_of_counts_warns_like_samples():
    for names, said in ((["a", "NA"], NULL), (["yes", "Yes"], SPELT)):
        assert said in warned(table_of, pd.DataFrame([[2, 1], [1, 2]], names, names))[1], names
    assert OUTSIDE in warned(table_of, [[1, 1], [0, 0]])[1]


def test_labels_of_every_domain_are_scored_without_a_word(tmp_path):
    for labels in DOMAINS:
        references = [labels[i % len(labels)] for i in range(60)]
        predictions = references[:50] + references[:10]
        path = write(tmp_path / "p.csv", list(zip(references, predictions, strict=True)))
        sides = references, predictions
        score, said = warned(informedness_score, *sides)
        table, said_of_file = warned(table_from_file, path, **COLUMNS)
        wanted = close(informedness(*sides))
        assert (score, table.informedness()) == (wanted, wanted), labels
        assert (said, said_of_file) == ("", ""), labels
