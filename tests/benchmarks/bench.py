"""Time and memory of this package beside its peers: `make bench`.

    python tests/benchmarks/bench.py --output tests/benchmarks/RESULTS.md

    --only PATTERN   only the works whose name matches this regular expression
    --loaded         write the page although the machine has other work to do

The files take 700 MB in TMPDIR. To try the benchmark, set BENCH_SHARE, the share of the samples of
each work, to 0.01.

Labels are uniform over k classes and seeded; 60% of the predictions are right. Time is wall time,
data and objects made beforehand; that of a command is that of its whole process. Those who do a
work take turns, so that a disturbance hits all: each runs once to warm up, then up to 15 times
within a budget, and the median counts. A run so slow that warming up cannot matter counts too. The
MB are the peak of ours above what was resident before the call.
"""

import argparse
import csv
import ctypes
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from functools import partial
from importlib import import_module, metadata
from io import StringIO
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import datasets
import duckdb
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests

import informedness
from informedness import (
    ContingencyTable,
    compare,
    estimate,
    leaderboard,
    report,
    table_from_file,
    table_from_frame,
)
from informedness.cli import main as main_of_command
from informedness.results.slices import Slices
from informedness.trainer import ComputeMetrics

SEED, GIB, BUDGET = 2003, 2**30, 2.0
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "informedness numpy scipy scikit-learn evaluate datasets pandas polars pyarrow duckdb openpyxl "
    "statsmodels"
)
FUNCTIONS = ("informedness_score", "nit_score")
USUAL_FORMS = "int64", "list of int"  # that the peer, of int32, takes
SCIKIT, LIMIT, USUAL = "balanced_accuracy_score", "bincount of a ready code", "usual_kind"
PEER = """
import datasets, evaluate, operator
class Peer(evaluate.Metric):
    def _info(self):
        columns = {name: datasets.Value("int32") for name in ("predictions", "references")}
        about = {"description": "", "citation": "", "inputs_description": ""}
        return evaluate.MetricInfo(**about, features=datasets.Features(columns))
    def _compute(self, predictions, references):
        return {"score": sum(map(operator.eq, references, predictions)) / len(references)}
"""


class Work(NamedTuple):
    """Something to do; `make` returns who does it and how, ours first.

    A goal is a bound on the time of ours in times that of a peer, or on its "s" or "MB", or on its
    memory in times that of a peer, "MB of" it.
    """

    name: str
    make: Any
    goals: Any = ()


# Labels, from codes below k

SHARE = float(os.environ.get("BENCH_SHARE", 1))


def many(n):
    """Return how many samples there are of n."""
    return max(100, int(SHARE * n))


def codes(n, k, share=0.6, seed=SEED):
    """Return codes of references and predictions, of which this share is right."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return y, np.where(rng.random(n) < share, y, (y + rng.integers(1, k, size=n)) % k)


def words(k, length=5):
    return np.array([f"c{code:0{length - 1}d}" for code in range(k)])


def scattered(text):
    """Return a str object of its own for each sample, scattered over memory as by a shuffle."""
    order = np.random.default_rng(SEED).permutation(len(text))
    shuffled = np.empty(len(text), dtype=object)
    shuffled[order] = text.tolist()
    return shuffled


def column_of(values):
    """Return a column of `datasets`, as people pass it to evaluate."""
    return datasets.Dataset.from_dict({"label": values})["label"]


INTEGERS = {
    "int64": np.asarray,
    "int64 ids of 63 bits": lambda some: np.arange(-(2**62), 2**62, 2**63 // 10)[some],
    "list of int": np.ndarray.tolist,
    "list of np.int64": list,
    "list of float": lambda some: some.astype(float).tolist(),
    "list of bool": lambda some: (some % 2 == 0).tolist(),
    "datasets column of int": column_of,
    "pandas Int64": lambda some: pd.Series(some, dtype="Int64"),
    "pandas category of int": lambda some: pd.Series(some, dtype="category"),
    "polars Int64": pl.Series,
    "pyarrow int64": pa.array,
    "pyarrow bool": lambda some: pa.array(some % 2 == 0),
    "pyarrow dictionary of int": lambda some: pa.array(some).dictionary_encode(),
}
TEXT = {
    "list of str": lambda text: scattered(text).tolist(),
    "numpy U": np.asarray,
    "object array of str": scattered,
    "datasets column of str": lambda text: column_of(text.tolist()),
    "pandas str": lambda text: pd.Series(scattered(text), dtype="str"),
    "pandas object": lambda text: pd.Series(scattered(text), dtype=object),
    "pandas category": lambda text: pd.Series(text, dtype="category"),
    "polars String": lambda text: pl.Series(text.tolist()),
    "polars Categorical": lambda text: pl.Series(text.tolist(), dtype=pl.Categorical),
    "polars Enum": lambda text: pl.Series(text.tolist(), dtype=pl.Enum(np.unique(text).tolist())),
    "pyarrow string": pa.array,
    "pyarrow dictionary": lambda text: pa.array(text).dictionary_encode(),
}
CODED = "pandas category", "polars Categorical", "polars Enum", "pyarrow dictionary"


def scored(form, n, k, length=5):
    """Score labels in a container, and the same ones as integers, or as a list of text."""
    pair = codes(many(n), k)
    make = INTEGERS.get(form)
    y, p = (make(x) if make else TEXT[form](words(k, length)[x]) for x in pair)
    runs = {name: partial(getattr(informedness, name), y, p) for name in FUNCTIONS}
    if form == "int64":
        runs["accuracy_score"] = partial(accuracy_score, y, p)
    plain = {"int64": pair}
    if form in TEXT:
        plain["list of str"] = [TEXT["list of str"](words(k, length)[x]) for x in pair]
    for name in plain.keys() - {form}:
        runs[name] = partial(informedness.informedness_score, *plain[name])
    if 8 * k**2 < GIB:  # these count in a square
        runs[SCIKIT] = partial(balanced_accuracy_score, y, p, adjusted=True)
        runs[LIMIT] = lambda: np.bincount(pair[0] * k + pair[1], minlength=k * k)
    return runs


def ignoring(form, n, k):
    """Score labels of which three in ten are ignored, and as many without."""
    y, p = codes(many(n), k)
    padded = np.where(np.random.default_rng(1).random(len(y)) < 0.3, -1, y)
    make = INTEGERS.get(form, lambda some: TEXT[form](words(k + 1)[some]))
    label = -1 if form in INTEGERS else str(words(k + 1)[-1])
    score = informedness.informedness_score
    return {
        "ignore_index": partial(score, make(padded), make(p), ignore_index=label),
        "without": partial(score, make(y), make(p)),
    }


def size_of(form):
    """Return how many labels to score in a container."""
    return 10**5 if form.startswith("datasets") else 10**6  # scikit-learn takes 80 s for more


def labels(_):
    for n, k, *goals in (
        (10**3, 2, (1 / 8, SCIKIT)),
        (10**3, 10, (1 / 8, SCIKIT)),
        (10**3, 1000, (1 / 8, SCIKIT)),
        (10**7, 2, (1 / 40, SCIKIT)),
        (10**7, 10, (1 / 40, SCIKIT), (2, LIMIT), (50, "MB")),
        (10**7, 1000),
        (10**6, 100_000, (200, "MB")),
    ):
        yield Work(f"int64, N = {n:,}, k = {k:,}", partial(scored, "int64", n, k), goals)
    for form in INTEGERS:
        n = size_of(form)
        for k in (2, 10, 1000):
            goals = [(1, SCIKIT)]
            goals += [(3, "int64")] * form.startswith(("pandas", "pyarrow dict"))
            if k == 10 or form not in ("int64 ids of 63 bits", "list of bool", "pyarrow bool"):
                yield Work(f"{form}, N = {n:,}, k = {k:,}", partial(scored, form, n, k), goals)
    for form in TEXT:
        n = size_of(form)
        for k, length in ((2, 5), (10, 5), (10, 20), (1000, 5)):
            goals = [(1, SCIKIT)]
            if form in CODED:
                goals.append((3, "int64"))
            elif form != "list of str":
                goals.append((4 if form == "numpy U" and length > 8 else 2, "list of str"))
            name = f"{form}, {length} characters, N = {n:,}, k = {k:,}"
            yield Work(name, partial(scored, form, n, k, length), goals)
    for form in ("int64", "list of str", "pyarrow dictionary"):
        name = f"{form}, 3 in 10 ignored, N = 1,000,000, k = 10"
        yield Work(name, partial(ignoring, form, 10**6, 10), ((2, "without"),))


# Metrics of evaluate


def register():
    """Put ours and the peer where `evaluate.load` finds them."""
    modules = Path(informedness.register()["nit"]).parents[1]
    folder = modules / f"evaluate-metric--{USUAL}" / f"{0:064}"
    folder.mkdir(parents=True)
    (folder / f"{USUAL}.py").write_text(PEER)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()


def computed(form, n, how):
    make = INTEGERS.get(form, lambda some: TEXT[form](words(10)[some]))
    y, p = map(make, codes(many(n), 10))
    runs = {}
    for name in ("informedness", "nit", USUAL):
        if name == USUAL and form not in USUAL_FORMS:
            continue
        alone = f"{os.getpid()}-{time.perf_counter_ns()}"  # instances of one id wait for a lock
        metric = import_module("evaluate").load(name, experiment_id=alone)
        whole = partial(metric.compute, references=y, predictions=p)
        runs[name] = whole if how == "compute" else partial(added, metric, how == "add", y, p)
    if how == "compute":
        runs |= {name: partial(getattr(informedness, name), y, p) for name in FUNCTIONS}
    return runs


def added(metric, singly, y, p):
    if singly:
        for a, b in zip(y, p, strict=True):
            metric.add(reference=a, prediction=b)
    else:
        for a, b in zip(np.array_split(y, 1000), np.array_split(p, 1000), strict=True):
            metric.add_batch(references=a, predictions=b)
    return metric.compute()


def metrics(_):
    register()
    for how, form, n, *goals in (
        ("compute", "int64", 10**7, (1 / 500, USUAL), (2.5, FUNCTIONS[0])),
        ("compute", "int64", 10**6, (1 / 500, USUAL), (1.3, FUNCTIONS[0])),
        ("compute", "int64", 10**5, (1.3, FUNCTIONS[0])),
        ("1,000 x add_batch", "int64", 10**7, (1 / 300, USUAL)),
        ("add", "list of int", 10**4, (1 / 20, USUAL)),
        ("compute", "int64", 10, (1 / 10, USUAL)),
        ("compute", "list of int", 1000, (1 / 10, USUAL)),
    ):
        yield Work(f"{how}, {form}, N = {n:,}, k = 10", partial(computed, form, n, how), goals)
    for form in (
        "list of int",
        "list of np.int64",
        "list of float",
        "list of str",
        "datasets column of int",
        "datasets column of str",
    ):
        for n in (10**5, 10**6):
            name = f"compute, {form}, N = {n:,}, k = 10"
            yield Work(name, partial(computed, form, n, "compute"), ((1.3, FUNCTIONS[0]),))


# Files and slices


def counted(folder, n, form, n_slices):
    """Count a file of pairs, whole or by slice."""
    y, p = codes(many(10**7), 100)
    g = np.random.default_rng(1).integers(max(n_slices, 1), size=len(y))
    columns = {name: pa.array(some, pa.int32()) for name, some in (("y", y), ("p", p), ("g", g))}
    if form == "dictionaries":
        names = pa.array(words(10_000))
        columns = {x: pa.DictionaryArray.from_arrays(some, names) for x, some in columns.items()}
    part, path = pa.table(columns), str(folder / "pairs.parquet")
    with pa.parquet.ParquetWriter(path, part.schema) as writer:
        for _ in range(n // 10**7):
            writer.write_table(part)
    read = partial(table_from_file, path, references="y", predictions="p")
    runs = {"table_from_file": read}
    if n_slices:
        runs = {"by": lambda: str(Slices.from_tables(read(by="g"), by="g")),
                "no slices": lambda: str(report(read()))}  # fmt: skip
    engine = duckdb.connect(config={"threads": 2})
    query = f"SELECT count(*) FROM '{path}' GROUP BY y, p{', g' * bool(n_slices)}"
    return runs | {"DuckDB": lambda: engine.execute(query).fetchall()}


def written(folder, n, kind):
    """Count a file of text labels, beside what reads it without us."""
    sides = [words(10)[some].tolist() for some in codes(many(n), 10)]
    rows, path = list(zip(*sides, strict=True)), folder / f"pairs.{kind}"
    read = partial(table_from_file, path, references="y", predictions="p")
    if kind == "xlsx":
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet()
        for row in (("y", "p"), *rows):
            sheet.append(row)
        book.save(path)
        return {"table_from_file": read, "pandas.read_excel": partial(pd.read_excel, path)}
    if kind == "jsonl":
        with path.open("w") as file:
            for i, (y, p) in enumerate(rows):
                file.write(json.dumps({"id": i, "y": y, "p": p}) + "\n")
        return {"table_from_file": read, "json.loads and Counter": partial(loaded_lines, path)}
    with (folder / "pairs.csv").open("w") as file:
        csv.writer(file).writerows([("y", "p"), *rows])
    if kind == "csv":
        return {"table_from_file": read, "pandas.read_csv": partial(pd.read_csv, path)}
    texts = [folder / f"{name}.txt" for name in ("y", "p")]
    for text, side in zip(texts, sides, strict=True):
        text.write_text("\n".join(side))
    columns = "-r", "y", "-p", "p"
    return {
        "report y.txt p.txt": partial(printed, *texts),
        "CSV": partial(printed, folder / "pairs.csv", *columns),
    }


def loaded_lines(path):
    with path.open() as file:
        return Counter((row["y"], row["p"]) for row in map(json.loads, file))


def printed(*arguments):
    """Run a command in this process."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        if main_of_command(["report", *map(str, arguments)]):
            raise ValueError(f"not read: {arguments}")


def sliced(n, n_slices):
    y, p = codes(many(n), 10)
    g = np.random.default_rng(1).integers(n_slices, size=len(y))
    frame = pd.DataFrame({"g": g, "y": y, "p": p})
    columns = {"references": "y", "predictions": "p"}
    return {
        'by={"g": g}': partial(informedness.slices, y, p, by={"g": g}),
        "by=g": partial(informedness.slices, y, p, by=g),
        "no slices": partial(report, y, p),
        "tables_from_frame, by name": partial(table_from_frame, frame, **columns, by="g"),
        "pandas": frame.groupby(["g", "y", "p"]).size,
    }


def named(n):
    """Report on columns of a frame by their names, and on their arrays."""
    y, p = codes(many(n), 10)
    frame = pd.DataFrame({"y": y, "p": p})
    columns = {"references": "y", "predictions": "p"}
    return {
        "by name": lambda: report(table_from_frame(frame, **columns)),
        "arrays": partial(report, y, p),
    }


def against_rest():
    y, p = codes(20_000, 4, 0.26)
    by = np.random.default_rng(1).integers(4, size=len(y))
    return {"vs_rest": partial(informedness.slices, y, p, by=by, vs_rest="nit")}


def files_and_slices(folder):
    for n, form, n_slices, *goals in (
        (10**8, "integers", 0, (1, "DuckDB"), (500, "MB")),
        (10**8, "dictionaries", 0, (1, "DuckDB"), (500, "MB")),
        (10**7, "integers", 20, (1, "DuckDB")),
        (10**7, "dictionaries", 10_000, (3, "no slices")),
    ):
        name = f"Parquet of {form}, N = {n:,}, k = 100" + f", {n_slices:,} slices" * bool(n_slices)
        yield Work(name, partial(counted, folder, n, form, n_slices), goals)
    for kind, n, *goals in (
        ("csv", 2 * 10**6),
        ("jsonl", 2 * 10**5, (2, "json.loads and Counter")),
        ("jsonl", 2 * 10**6, (2, "json.loads and Counter")),
        ("txt", 2 * 10**6, (2, "CSV"), (2, "MB of CSV")),
        ("xlsx", 50_000),
    ):
        name = f"{kind}, N = {n:,}, k = 10, 5 characters"
        yield Work(name, partial(written, folder, n, kind), goals)
    name = "report on columns of pandas, N = 1,000,000, k = 10"
    yield Work(name, partial(named, 10**6), ((2, "arrays"),))
    for n, n_slices, bound in ((10**7, 20, 0.1), (10**6, 10_000, 1)):
        name = f"slices(y, p, by=...), N = {n:,}, k = 10, {n_slices:,} slices"
        yield Work(name, partial(sliced, n, n_slices), ((bound, "s"),))
    name = 'slices(y, p, by=g, vs_rest="nit"), N = 20,000 near chance, k = 4, 4 slices'
    yield Work(name, against_rest, ((0.3, "s"),))


# Intervals, comparisons, rankings


def estimated(n, k):
    y, p = codes(many(n), k)
    table = ContingencyTable.from_labels(references=y, predictions=p)
    runs = {"report": partial(report, table, confidence_level=0.95),
            "informedness": partial(estimate, table),
            "nit": partial(estimate, table, metric="nit")}  # fmt: skip
    if k < 100:
        runs["kappa of statsmodels"] = partial(cohens_kappa, table.to_dense())
    return runs


def mcnemars(y, a, b):
    return mcnemar(np.bincount(2 * (a == y) + (b == y), minlength=4).reshape(2, 2)).pvalue


def compared(n, k, metric):
    y, a = codes(many(n), k)
    b = np.where(np.random.default_rng(1).random(len(y)) < 0.5, a, y)
    ours = partial(compare, y, a, b, metric=metric)
    return {"compare": ours, "McNemar of statsmodels": partial(mcnemars, y, a, b)}


def ranked(n_models, n, k):
    y, _ = codes(many(n), k)
    models = {}
    for i in range(n_models):
        known = np.random.default_rng(i).random(len(y)) < 0.4 + i / 90
        models[str(i)] = np.where(known, y, codes(len(y), k, seed=i)[0])

    def pairs():
        tests = [mcnemars(y, *pair) for pair in combinations(models.values(), 2)]
        return multipletests(tests, method="holm")

    return {"leaderboard": partial(leaderboard, y, models), "McNemar of statsmodels, Holm": pairs}


def tests(_):
    for n, k, bound in ((10**4, 10, 0.3), (50_000, 1000, 4), (10**6, 10**5, 20)):
        name = f"intervals of a table, N = {n:,}, k = {k:,}"
        yield Work(name, partial(estimated, n, k), ((bound, "s"),))
    for n, k, metric, bound in (
        (10**6, 10, "informedness", 0.5),
        (10**5, 1000, "informedness", 2),
        (10**5, 1000, "nit", 2),
    ):
        name = f"compare by {metric}, N = {n:,}, k = {k:,}"
        yield Work(name, partial(compared, n, k, metric), ((bound, "s"),))
    for n_models, n, k, *goals in (
        (10, 1000, 3, (0.5, "s")),
        (34, 1000, 3, (5, "s")),
        (10, 10_000, 2),
        (10, 10_000, 10),
        (10, 10_000, 1000),
    ):
        name = f"leaderboard of {n_models} models, N = {n:,}, k = {k:,}"
        yield Work(name, partial(ranked, n_models, n, k), goals)


# The Trainer


def evaluated(n, k):
    """Score logits, one row per sample."""
    y, p = codes(many(n), k)
    logits = np.random.default_rng(1).random((len(y), k), dtype=np.float32)
    logits[np.arange(len(y)), p] += 1
    return {
        "ComputeMetrics": lambda: ComputeMetrics("informedness")((logits, y)),
        "argmax alone": partial(logits.argmax, -1),
    }


def tagged(shape, k):
    """Score ids of classes of tokens, half of them padding, all at once."""
    y, p = (some.reshape(shape[0], -1) for some in codes(many(shape[0]) * shape[1], k))
    y = np.where(np.arange(y.shape[1]) < y.shape[1] // 2, y, -100)
    kept = y != -100
    return {
        "ComputeMetrics": lambda: ComputeMetrics("informedness")((p, y)),
        "informedness_score, padding left out": lambda: informedness.informedness_score(
            y[kept], p[kept]
        ),
    }


def trainers(_):
    for k in (10, 1000):
        name = f"logits, N = 100,000, k = {k:,}"
        yield Work(name, partial(evaluated, 10**5, k), ((2, "argmax alone"),))
    for k in (10, 1000):
        name = f"tokens, N = 512 x 2,048, k = {k:,}"
        goal = 2, "informedness_score, padding left out"
        yield Work(name, partial(tagged, (512, 2048), k), (goal,))


# Commands


def commands(folder):
    def run(program, *arguments):
        command = [program, *map(str, arguments)]
        return partial(subprocess.run, command, check=True, capture_output=True)

    python = partial(run, sys.executable)
    csv, y, p = (folder / name for name in ("p.csv", "y.txt", "p.txt"))
    pairs = np.transpose(codes(1000, 3))
    np.savetxt(csv, pairs, "%d", ",", header="y,p", comments="")
    np.savetxt(y, pairs[:, 0], "%d")
    np.savetxt(p, pairs[:, 1], "%d")
    numpy = python("-c", "import numpy")
    for arguments, peer, bound in (
        (("--help",), {"import numpy": numpy}, 0.12),
        (("report", y, p), {"import numpy": numpy}, 0.2),
        (("report", csv, "-r", "y", "-p", "p", "--metric", "informedness"),
         {"import pandas, sklearn": python("-c", "import pandas, sklearn.metrics")}, 0.25),
    ):  # fmt: skip
        name = " ".join(getattr(x, "name", x) for x in ("informedness", *arguments))
        runs = {"informedness": python("-m", "informedness", *arguments)} | peer
        yield Work(name, partial(dict, runs), ((bound, "s"),))
    venv = "--old-file=.venv/.paper", f"BIN={Path(sys.executable).parent}"
    paper = run("make", "--directory", ROOT, *venv, "paper")  # into the pages of the studies
    yield Work("make paper", lambda: {"make paper": paper}, ((60, "s"),))


# The page


def loaded(browser, address, until):
    """Load a page with nothing in the cache; return its requests and kB."""
    context, sizes = browser.new_context(), []
    page = context.new_page()
    page.on("requestfinished", lambda made: sizes.append(made.sizes()["responseBodySize"]))
    page.goto(address)
    page.locator(until).first.wait_for()
    context.close()
    return f"{len(sizes)} requests, {sum(sizes) / 1000:.0f} kB"


def first_page(stack, folder):
    """Load the page of Informedness until it shows a score, and one of Gradio with a box."""
    from screenshots import address_of, chromium, running

    code = "import gradio\nwith gradio.Blocks() as app: gradio.Textbox()\napp.launch()"
    with (folder / "gradio.log").open("w") as log:
        empty = subprocess.Popen([sys.executable, "-u", "-c", code], stdout=log, stderr=log)
    stack.callback(empty.terminate)
    browser = stack.enter_context(chromium())
    ours = partial(loaded, browser, stack.enter_context(running("informedness"))[0], "#score")
    peer = partial(loaded, browser, address_of(empty, folder / "gradio.log"), "textarea")
    return {f"page of {ours()}": ours, f"a box of Gradio, {peer()}": peer}


def dragged(stack, folder):
    """Move a handle of the simulation by a step, until the browser has painted it."""
    from screenshots import chromium, running

    page = stack.enter_context(chromium()).new_page()
    page.goto(f"{stack.enter_context(running('informedness'))[0]}?tab=simulate")
    page.locator("#simulation .moving b").first.wait_for()
    step = """() => new Promise((painted) => {
        const handle = document.querySelector("#spam input");
        handle.value = handle.value % 50 + 1;
        handle.dispatchEvent(new Event("input", { bubbles: true }));
        requestAnimationFrame(() => setTimeout(painted));
    })"""
    return {"the page": partial(page.evaluate, step)}


def pages(folder):
    sys.path.insert(0, str(ROOT / "spaces"))
    for name, start, seconds in (
        ("first page of the Space, cold", first_page, 1),
        ("a step of a handle of the simulation", dragged, 0.05),
    ):
        with ExitStack() as stack:
            yield Work(name, partial(start, stack, folder), ((seconds, "s"),))


GROUPS = {"Labels": labels, "Metrics of evaluate": metrics, "Files and slices": files_and_slices,
          "Intervals, comparisons, rankings": tests, "Trainer": trainers, "Commands": commands,
          "Page": pages}  # fmt: skip


# Measuring


def clock(run, loops=1):
    start = time.perf_counter()
    for _ in range(loops):
        run()
    return (time.perf_counter() - start) / loops


def status(field):
    """Return bytes: VmRSS is what is resident, VmHWM the most that was since it was reset."""
    found = re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())
    return 1024 * int(found.group(1))


def peak(run):
    """Return the seconds, and the MB at the peak above what was there before."""
    ctypes.CDLL(None).malloc_trim(0)  # or what making the data freed hides what is taken
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    return clock(run), (status("VmHWM") - before) / 1e6


def measure(runs):
    """Return the median seconds of everyone, and the MB."""
    times, loops, megabytes = {}, {}, {}
    for name, run in runs.items():
        first, size = peak(run)
        if first < BUDGET / 10:  # imports and caches are behind it now
            first, size = peak(run)
        megabytes[name] = size
        times[name] = [first] if first > BUDGET / 4 else []
        loops[name] = max(1, int(0.005 / first))
    for _ in range(15):
        for name, taken in times.items():
            if not taken or sum(taken) * loops[name] < BUDGET:
                taken.append(clock(runs[name], loops[name]))
    return {name: statistics.median(taken) for name, taken in times.items()}, megabytes


# Reporting


def shown(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def judged(bound, of, seconds, megabytes):
    """Return a goal, what was reached, and whether that is enough."""
    us = next(iter(seconds))
    if of in ("s", "MB"):
        value = seconds[us] if of == "s" else megabytes[us]
        said = f"at most {bound:g} {of}", f"{value:.3g} {of}"
    else:
        peer = of.removeprefix("MB of ")
        amounts = seconds if of == peer else megabytes
        value = amounts[us] / max(amounts[peer], 1e-9)
        said = f"at most {bound:g} times {of}", f"{value:.3g} times"
        if bound < 1:
            said = f"{1 / bound:.3g} times faster than {of}", f"{1 / value:.3g} times faster"
    return *said, "yes" if value <= bound else "**no**"


def table(head, rows):
    lines = [head, [":--"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def setting():
    """Return how and where the page was made."""
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    there = {package.name.lower(): package.version for package in metadata.distributions()}
    versions = [f"{name} {there.get(name, 'not installed')}" for name in PACKAGES.split()]
    return f"""{time.strftime("%Y-%m-%d")}, {os.uname().sysname} {os.uname().machine},
{cpu and cpu.group(1)}, {os.cpu_count()} cores, {memory:.0f} GiB, load {os.getloadavg()[0]:.2f} at
the start. Python {sys.version.split()[0]}, {", ".join(versions)}."""


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    parser.add_argument("--loaded", action="store_true")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    if options.output and load > 0.25 * os.cpu_count() and not options.loaded:
        parser.error(f"the load is {load:.2f}: others use this machine. Wait, or pass --loaded")
    warnings.simplefilter("ignore")
    about, start, goals, parts = setting(), time.perf_counter(), [], []
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HF_HOME=home, HF_EVALUATE_OFFLINE="1", HF_UPDATE_DOWNLOAD_COUNTS="0")
        os.environ["EVALUATE_VERBOSITY"] = "error"
        for heading, works in GROUPS.items():
            rows = []
            for work in works(Path(home)):
                if not options.only.search(work.name):
                    continue
                seconds, megabytes = measure(work.make())
                (who, ours), *others = seconds.items()
                ratios = [f"{name} {shown(s)} ({s / ours:.3g} x)" for name, s in others]
                # not of other processes
                size = "" if works in (commands, pages) else f"{megabytes[who]:.3g}"
                rows.append([work.name, f"{who} {shown(ours)}", size, "; ".join(ratios)])
                found = [judged(*goal, seconds, megabytes) for goal in work.goals]
                goals += [[work.name, *judgement] for judgement in found]
                print(f"{time.perf_counter() - start:4.0f} s", *rows[-1], *found, flush=True)
            if rows:
                parts += [f"## {heading}", table(["work", "ours", "MB", "others"], rows)]
    if options.output:
        minutes = f"The run took {(time.perf_counter() - start) / 60:.1f} minutes."
        met = table(["work", "goal", "reached", ""], goals)
        how = __doc__[__doc__.index("Labels are uniform") :].strip()
        command = f"    python {' '.join(sys.argv)}"
        lines = ["# Benchmark", command, f"{about} {minutes}", how, "## Goals", met, *parts]
        options.output.write_text("\n\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
