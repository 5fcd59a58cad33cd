"""Every path says the same of the same labels, and to 1e-12: `kinds` and `cases` say what.

Covers src: tables/doubts.py, warnings.py.
"""

import json
import warnings
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from informedness import Tally, estimate, informedness_score, nit_score, slices, table_from_file
from inputs.cases import CASES, cells_of, informedness
from inputs.cli_cases import write
from inputs.file_cases import COLUMNS
from inputs.kinds import DOMAINS, KINDS, NULL, OUTSIDE, REFUSED, RIGHT, SPELT, warned
from inputs.sources import reader_of
from inputs.tables import table_of, table_of_labels, table_of_pairs
from oracles import dense
from oracles.golden import close

CANNOT_HOLD = (pa.ArrowException, TypeError)  # what a container raises, before anything is read


def tallied(references, predictions):
    tally = Tally()
    tally.update(references=references, predictions=predictions)
    return tally.table.informedness()


def by_functions(kind, **_):
    sides = kind.sides()
    yield lambda: informedness_score(*sides)
    yield lambda: estimate(*sides).value
    yield lambda: table_of_pairs(*sides, np.ones(len(sides[0]))).informedness()
    yield lambda: table_of_labels(*sides).informedness()
    yield lambda: slices(*sides, by=[0] * len(sides[0])).overall.scores["informedness"]
    yield lambda: tallied(*sides)


def by_modules(kind, load, **_):
    metric = load("informedness")

    def in_batches():
        for reference, prediction in zip(*kind.sides(), strict=True):
            metric.add(reference=reference, prediction=prediction)
        return metric.compute()["informedness"]

    given = {"references": kind.references, "predictions": kind.predictions}
    yield lambda: metric.compute(**given)["informedness"]
    yield in_batches


TYPED = "p.jsonl", "p.parquet", "p.xlsx", "polars", "pyarrow", "pandas"


def held(kind, folder, is_text):
    """Yield each source that can hold a kind, and what reads it; an empty cell holds nothing."""
    sides = kind.sides()
    if is_text:
        sides = [[None if x is None else str(x) for x in side] for side in sides]
    for source in ("p.csv",) if is_text else TYPED:
        if source != "p.xlsx" or "" not in [*sides[0], *sides[1]]:
            with suppress(*CANNOT_HOLD):
                named = dict(zip(COLUMNS.values(), sides, strict=True))
                yield source, reader_of(source, named, folder)


def by_sources(kind, is_text, tmp_path, **_):
    for source, read in held(kind, tmp_path, is_text):
        yield lambda read=read: read().informedness()
        if source == "pandas":
            yield lambda read=read: sum(read(by="gold").values()).informedness()


def reported(command, *given):
    """Return a report in JSON; raise an error if it is refused, and warn of what is warned of."""
    code, output, errors = command("report", *given, "--format", "json")
    if code:
        assert (code, output) == (2, "")
        raise ValueError(errors)
    for line in errors.splitlines():
        if line.startswith("warning: "):
            warnings.warn(line, stacklevel=1)
    return json.loads(output)


def by_commands(kind, is_text, tmp_path, command, **_):
    def run(*given):
        return reported(command, *given, "--metric", "informedness")

    for source, _ in held(kind, tmp_path, is_text):
        if source.startswith("p."):
            yield lambda source=source: run(tmp_path / source, "-r", "gold", "-p", "model")
    texts = [["" if x is None else str(x) for x in side] for side in kind.sides()]
    if is_text and all(x.splitlines() == [x] for side in texts for x in side if x):
        for name, side in zip("rp", texts, strict=True):
            (tmp_path / f"{name}.txt").write_text("".join(f"{x}\n" for x in side))
        yield lambda: run(tmp_path / "r.txt", tmp_path / "p.txt")


# Each path, and whether all is text there
PATHS = {
    "functions": (by_functions, False),
    "modules": (by_modules, False),
    "files and frames with types": (by_sources, False),
    "files of text": (by_sources, True),
    "commands on files with types": (by_commands, False),
    "commands on text": (by_commands, True),
}


@pytest.mark.parametrize("name", PATHS)
def test_each_kind_is_scored_right_warned_of_or_refused(name, load, tmp_path, command):
    path, is_text = PATHS[name]
    wrong = []
    for title, kind in KINDS.items():
        expected, value = kind.text if is_text else kind.typed, kind.wanted(is_text)
        are_apart = not {*kind.references} & {*kind.predictions}
        if path in (by_sources, by_commands) and expected == OUTSIDE and are_apart:
            expected = REFUSED
        for call in path(kind, is_text=is_text, load=load, tmp_path=tmp_path, command=command):
            try:
                found, said = warned(call)
            except ValueError as error:
                found, said = None, str(error)
            about = {words for words in (NULL, OUTSIDE, SPELT) if words in said}
            wanted = {expected} - {RIGHT, REFUSED, *([SPELT] if name == "modules" else [])}
            is_right = found is None if expected == REFUSED else found == close(value)
            if (
                not is_right
                or (found is not None and not wanted <= about)
                or (expected == RIGHT and about)
            ):
                wrong.append(f"{title}: {expected}, {value}, got {found}, {said}")
    assert not wrong, "\n".join(wrong)


def test_what_is_declared_is_not_warned_of():
    for title, kind in KINDS.items():
        if kind.typed in (NULL, OUTSIDE, SPELT):
            classes = list(dict.fromkeys([*kind.references, *kind.predictions]))
            found, said = warned(informedness_score, *kind.sides(), labels=classes)
            cells = cells_of(*kind.sides())
            assert found == close(float(dense.score(cells, "informedness", "bias"))), title
            assert not any(words in said for words in (NULL, f"{OUTSIDE} `", SPELT)), title


def test_names_of_a_data_frame_of_counts_are_warned_of_as_samples_are():
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


# Every case of `cases.py`, to 1e-12


def scores_by_functions(case, **_):
    inputs = case.references, case.predictions
    return [score(*inputs, **case.options) for score in (informedness_score, nit_score)]


def scores_by_module(case, load, **_):
    inputs = {"references": case.references, "predictions": case.predictions}
    return [load(x).compute(**inputs, **case.options)[x] for x in ("informedness", "nit")]


def in_json(labels):
    """Return labels as they stand in a file of JSON."""
    is_masked = isinstance(labels, np.ma.MaskedArray)
    values = (labels if is_masked else np.asarray(labels, dtype=object)).tolist()
    return [None if x is pd.NA else x for x in values]


def scores_by_command(case, command, tmp_path, **_):
    columns = {"reference": in_json(case.references), "prediction": in_json(case.predictions)}
    arguments = ["--references", "reference", "--predictions", "prediction", "--keep-missing"]
    for name, value in case.options.items():
        if name == "sample_weight":
            columns["weight"] = value
            arguments += ["--weights", "weight"]
        elif name == "labels":
            arguments += ["--labels", *map(str, value)]
        else:
            arguments += [f"--{name.replace('_', '-')}={value}"]
    if any(isinstance(label, bytes) for label in columns["prediction"]):
        path = tmp_path / "predictions.parquet"
        pa.parquet.write_table(pa.table(columns), path)
    else:
        path = tmp_path / "predictions.jsonl"
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    scores = reported(command, path, *arguments)
    return [scores["informedness"], scores["nit"]]


SCORED = scores_by_functions, scores_by_module, scores_by_command


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", SCORED)
def test_every_path_gives_the_same_value_or_refusal(path, load, command, tmp_path):
    for case in CASES:
        labels = [{*map(str, side)} for side in (case.references, case.predictions)]
        is_apart = not labels[0] & labels[1] and len(case.references) > 1
        if path is scores_by_command and is_apart and not case.refusal:
            with suppress(ValueError):  # but of labels that are only spelt apart, such as 1.0 and 1
                found = path(case, load=load, command=command, tmp_path=tmp_path)
                assert found == close([case.informedness, case.nit]), case.id
            continue
        if not case.refusal:
            found = path(case, load=load, command=command, tmp_path=tmp_path)
            assert found == close([case.informedness, case.nit]), case.id
            continue
        message = case.refusal
        if path is scores_by_functions:  # which name their arguments as scikit-learn does
            message = message.replace("references", "y_true").replace("predictions", "y_pred")
        with pytest.raises(ValueError, match=f"(?s){message}"):
            path(case, load=load, command=command, tmp_path=tmp_path)
