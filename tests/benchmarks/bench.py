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
import ctypes
import json
import operator
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
from importlib import metadata
from io import StringIO
from itertools import combinations, product
from pathlib import Path

HOME = tempfile.TemporaryDirectory()
# Before anything imports evaluate: it reads these once.
os.environ.update(HF_HOME=HOME.name, HF_EVALUATE_OFFLINE="1", HF_UPDATE_DOWNLOAD_COUNTS="0")
os.environ["EVALUATE_VERBOSITY"] = "error"
ROOT, FOLDER = Path(__file__).resolve().parents[2], Path(HOME.name)
sys.path[:0] = [str(ROOT / "spaces"), str(ROOT / "tests" / "space")]

import datasets
import duckdb
import evaluate
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
from screenshots import chromium, running, serving
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from visitors import HARMLESS, HOSTILE, longest_wait

import informedness
from informedness import estimate, informedness_score, nit_score, report, slices
from informedness.cli import main as main_of_command
from informedness.files.joining import joined_rows, whole_columns
from informedness.files.samples import Samples
from informedness.results.slices import Slices
from informedness.tables.label_options import LabelOptions
from informedness.trainer import ComputeMetrics

SEED, GIB, BUDGET = 2003, 2**30, 2.0
SHARE = float(os.environ.get("BENCH_SHARE", 1))
OPEN = ExitStack()  # what a work needs until it is measured
PACKAGES = (
    "informedness numpy scipy scikit-learn evaluate datasets pandas polars pyarrow duckdb openpyxl "
    "statsmodels"
)
COLUMNS = {"references": "y", "predictions": "p"}
OURS, SCIKIT, LIMIT = "informedness_score", "balanced_accuracy_score", "bincount of a ready code"
MCNEMAR, PADDING = "McNemar of statsmodels", "informedness_score, padding left out"
PEER, OF_PEER = "usual_kind", ("int64", "list of int")  # which it takes as int32


# Labels, from codes below k


def codes(n, k, share=0.6, seed=SEED):
    """Return codes of n references and predictions, of which this share is right."""
    n = max(100, int(SHARE * n))
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return y, np.where(rng.random(n) < share, y, (y + rng.integers(1, k, size=n)) % k)


def groups(n_groups, y):
    """Return the number of a group for each sample."""
    return np.random.default_rng(1).integers(n_groups, size=len(y))


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
OF_TEN = "int64 ids of 63 bits", "list of bool", "pyarrow bool"  # are scored with ten classes
OF_EVALUATE = (
    *("list of int", "list of np.int64", "list of float", "list of str"),
    *("datasets column of int", "datasets column of str"),
)
CODED = (
    *("pandas Int64", "pandas category of int", "pyarrow dictionary of int"),
    *("pandas category", "polars Categorical", "polars Enum", "pyarrow dictionary"),
)


def contained(form, pair, k=10, length=5):
    """Return both sides of codes in a container, as integers or as words of this length."""
    if form in INTEGERS:
        return [INTEGERS[form](side) for side in pair]
    return [TEXT[form](words(k, length)[side]) for side in pair]


# What a work does: each function returns who does it and how, ours first


def scored(form, n, k, length=5):
    """Score labels in a container, and the same ones as integers, or as a list of text."""
    y, p = codes(n, k)
    given = contained(form, (y, p), k, length)
    runs = {OURS: partial(informedness_score, *given), "nit_score": partial(nit_score, *given)}
    if form == "int64":
        runs["accuracy_score"] = partial(accuracy_score, *given)
    for plain in ("list of str", "int64") if form in TEXT else ("int64",):
        if plain != form:
            runs[plain] = partial(informedness_score, *contained(plain, (y, p), k, length))
    if 8 * k**2 < GIB:  # these count in a square
        runs[SCIKIT] = partial(balanced_accuracy_score, *given, adjusted=True)
        runs[LIMIT] = lambda: np.bincount(y * k + p, minlength=k * k)
    return runs


def ignoring(form, n):
    """Score labels of which three in ten are ignored, and as many without."""
    y, p = codes(n, 10)
    is_ignored = np.random.default_rng(1).random(len(y)) < 0.3
    padded, p_of_padded = contained(form, (np.where(is_ignored, 10, y), p), 11)
    label = 10 if form in INTEGERS else str(words(11)[10])
    return {
        "ignore_index": partial(informedness_score, padded, p_of_padded, ignore_index=label),
        "without": partial(informedness_score, *contained(form, (y, p))),
    }


class UsualKind(evaluate.Metric):
    """A metric as evaluate has them."""

    def _info(self):
        columns = {name: datasets.Value("int32") for name in ("predictions", "references")}
        about = {"description": "", "citation": "", "inputs_description": ""}
        return evaluate.MetricInfo(**about, features=datasets.Features(columns))

    def _compute(self, predictions, references):
        return {"score": sum(map(operator.eq, references, predictions)) / len(references)}


def computed(way, form, n):
    """Compute metrics of evaluate of samples that are passed at once, in batches or one by one."""
    y, p = contained(form, codes(n, 10))
    alone = {"experiment_id": str(time.perf_counter_ns())}  # instances of one id wait for a lock
    ours = ("informedness", "nit")
    metrics = {name: evaluate.load(str(ROOT / "metrics" / name), **alone) for name in ours}
    if form in OF_PEER:
        metrics[PEER] = UsualKind(**alone)
    runs = {name: partial(WAYS[way], metric, y, p) for name, metric in metrics.items()}
    if way == "compute":
        runs |= {OURS: partial(informedness_score, y, p), "nit_score": partial(nit_score, y, p)}
    return runs


def passed(metric, y, p):
    return metric.compute(references=y, predictions=p)


def added(metric, y, p):
    for a, b in zip(y, p, strict=True):
        metric.add(reference=a, prediction=b)
    return metric.compute()


def added_in_batches(metric, y, p):
    for a, b in zip(np.array_split(y, 1000), np.array_split(p, 1000), strict=True):
        metric.add_batch(references=a, predictions=b)
    return metric.compute()


WAYS = {"compute": passed, "1,000 x add_batch": added_in_batches, "add": added}


def counted(form, n, n_slices=0):
    """Count a file of pairs, whole or by slice."""
    y, p = codes(10**7, 100)
    sides = {"y": y, "p": p, "g": groups(max(n_slices, 1), y)}
    columns = {name: pa.array(side, pa.int32()) for name, side in sides.items()}
    if form == "dictionaries":
        names = pa.array(words(10_000))
        columns = {x: pa.DictionaryArray.from_arrays(side, names) for x, side in columns.items()}
    part, path = pa.table(columns), str(FOLDER / "pairs.parquet")
    with pa.parquet.ParquetWriter(path, part.schema) as writer:
        for _ in range(n // 10**7):
            writer.write_table(part)
    read = partial(informedness.table_from_file, path, **COLUMNS)
    runs, by = {"table_from_file": read}, "y, p"
    if n_slices:
        runs = {
            "by": lambda: str(Slices.from_tables(read(by="g"), by="g")),
            "no slices": lambda: str(report(read())),
        }
        by = "y, p, g"
    engine = duckdb.connect(config={"threads": 2})
    query = f"SELECT count(*) FROM '{path}' GROUP BY {by}"
    return runs | {"DuckDB": lambda: engine.execute(query).fetchall()}


def written(kind, n):
    """Count a file of text labels, beside what reads it without us."""
    frame = pd.DataFrame(dict(zip("yp", contained("list of str", codes(n, 10)), strict=True)))
    path = FOLDER / f"pairs.{kind}"
    ours = {"table_from_file": partial(informedness.table_from_file, path, **COLUMNS)}
    if kind == "xlsx":
        frame.to_excel(path, index=False)
        return ours | {"pandas.read_excel": partial(pd.read_excel, path)}
    if kind == "jsonl":
        frame.reset_index(names="id").to_json(path, orient="records", lines=True)
        return ours | {"json.loads and Counter": partial(loaded_lines, path)}
    frame.to_csv(FOLDER / "pairs.csv", index=False)
    if kind == "csv":
        return ours | {"pandas.read_csv": partial(pd.read_csv, path)}
    texts = [FOLDER / f"{name}.txt" for name in frame]
    for text, side in zip(texts, frame, strict=True):
        text.write_text("\n".join(frame[side]))
    return {
        "report y.txt p.txt": partial(printed, *texts),
        "CSV": partial(printed, FOLDER / "pairs.csv", "-r", "y", "-p", "p"),
    }


TEXTS = {
    "quoted": '"This is a text, number {} of them"'.format,
    "of four lines": '"This is a text,\nnumber {} of them,\n\nand it goes ""on"""'.format,
}


def with_text(kind, n):
    """Write labels beside text, as CSV or JSON lines; return the path."""
    pairs = zip(*contained("list of str", codes(n, 10)), strict=True)
    path = FOLDER / ("texts.jsonl" if kind == "of 40 words" else "texts.csv")
    with path.open("w") as file:
        if kind in TEXTS:
            file.write("y,p,text\n")
            file.writelines(f"{y},{p},{TEXTS[kind](i)}\n" for i, (y, p) in enumerate(pairs))
            return path
        for i, (y, p) in enumerate(pairs):
            row = {"id": i, "text": f"text {i} " * 40, "y": y, "p": p, "scores": [0.1, 0.2, 0.7]}
            file.write(json.dumps(row) + "\n")
    return path


def beside_text(kind, n):
    """Count two columns of a file that has text beside them, and have an engine group by them."""
    path = with_text(kind, n)
    engine = duckdb.connect(config={"threads": 2})
    query = f"SELECT y, p, count(*) FROM '{path}' GROUP BY ALL"
    return {
        "table_from_file": partial(informedness.table_from_file, path, **COLUMNS),
        "DuckDB": lambda: engine.execute(query).fetchall(),
    }


def joined(n):
    """Compare two models in files that have the same identifiers in another order."""
    y, p = contained("list of str", codes(n, 10))
    first = pd.DataFrame({"id": [f"id-{i}" for i in range(len(y))], "y": y, "p": p})
    first.to_csv(FOLDER / "a.csv", index=False)
    first.sample(frac=1, random_state=SEED).to_csv(FOLDER / "b.csv", index=False)
    paths = [str(FOLDER / name) for name in ("a.csv", "b.csv")]
    engine = duckdb.connect(config={"threads": 2})
    query = "SELECT a.y, a.p, b.p, count(*) FROM '{}' a JOIN '{}' b USING (id) GROUP BY ALL"

    def columns():
        samples = Samples({"references": "y", "predictions": "p"}, LabelOptions())
        names = {"references": "y"}, {"predictions": "p"}
        return whole_columns(samples, joined_rows(paths, "id", names, samples))

    return {
        "files joined": columns,
        "DuckDB": lambda: engine.execute(query.format(*paths)).fetchall(),
    }


def weighted(n):
    """Count a table of a database in which each row has another weight."""
    rows = max(100, int(SHARE * n))
    engine = duckdb.connect(config={"threads": 2})
    of_row = "'c' || (hash({}) % 10)"
    engine.execute(
        f"CREATE TABLE t AS SELECT {of_row.format('i')} AS y, {of_row.format('i + 1')} AS p, "
        f"random() AS w FROM range({rows}) r(i)"
    )
    query = "SELECT y, p, count(*) FROM t GROUP BY ALL"
    how = COLUMNS | {"weights": "w"}
    return {
        "table_from_frame": lambda: informedness.table_from_frame(engine.table("t"), **how),
        "DuckDB": lambda: engine.execute(query).fetchall(),
    }


def listed(n):
    """List the columns of a file, and score it."""
    path = with_text("quoted", n)
    command = sys.executable, "-m", "informedness", "report", str(path)
    return {
        "informedness report FILE": process(*command),
        "scoring": process(*command, "-r", "y", "-p", "p"),
    }


def loaded_lines(path):
    with path.open() as file:
        return Counter((row["y"], row["p"]) for row in map(json.loads, file))


def printed(*arguments):
    """Run a command in this process."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        if main_of_command(["report", *map(str, arguments)]):
            raise ValueError(f"not read: {arguments}")


def named(n):
    """Report on columns of a frame by their names, and on their arrays."""
    y, p = codes(n, 10)
    frame = pd.DataFrame({"y": y, "p": p})
    return {
        "by name": lambda: report(informedness.table_from_frame(frame, **COLUMNS)),
        "arrays": partial(report, y, p),
    }


def sliced(n, n_slices):
    y, p = codes(n, 10)
    g = groups(n_slices, y)
    frame = pd.DataFrame({"g": g, "y": y, "p": p})
    return {
        'by={"g": g}': partial(slices, y, p, by={"g": g}),
        "by=g": partial(slices, y, p, by=g),
        "no slices": partial(report, y, p),
        "tables_from_frame, by name": partial(
            informedness.table_from_frame, frame, **COLUMNS, by="g"
        ),
        "pandas": frame.groupby(["g", "y", "p"]).size,
    }


def against_rest(n):
    y, p = codes(n, 4, 0.26)
    return {"vs_rest": partial(slices, y, p, by=groups(4, y), vs_rest="nit")}


def estimated(n, k):
    y, p = codes(n, k)
    table = informedness.ContingencyTable.from_labels(references=y, predictions=p)
    runs = {
        "report": partial(report, table, confidence_level=0.95),
        "informedness": partial(estimate, table),
        "nit": partial(estimate, table, metric="nit"),
    }
    if k < 100:
        runs["kappa of statsmodels"] = partial(cohens_kappa, table.to_dense())
    return runs


def mcnemars(y, a, b):
    return mcnemar(np.bincount(2 * (a == y) + (b == y), minlength=4).reshape(2, 2)).pvalue


def compared(metric, n, k):
    y, a = codes(n, k)
    b = np.where(np.random.default_rng(1).random(len(y)) < 0.5, a, y)
    return {
        "compare": partial(informedness.compare, y, a, b, metric=metric),
        MCNEMAR: partial(mcnemars, y, a, b),
    }


def ranked(n_models, n, k):
    y, _ = codes(n, k)
    models = {}
    for i in range(n_models):
        is_known = np.random.default_rng(i).random(len(y)) < 0.4 + i / 90
        models[str(i)] = np.where(is_known, y, codes(n, k, seed=i)[0])

    def pairs():
        p_values = [mcnemars(y, *pair) for pair in combinations(models.values(), 2)]
        return multipletests(p_values, method="holm")

    return {"leaderboard": partial(informedness.leaderboard, y, models), f"{MCNEMAR}, Holm": pairs}


def evaluated(n, k):
    """Score logits, one row per sample."""
    y, p = codes(n, k)
    logits = np.random.default_rng(1).random((len(y), k), dtype=np.float32)
    logits[np.arange(len(y)), p] += 1
    return {
        "ComputeMetrics": lambda: ComputeMetrics("informedness")((logits, y)),
        "argmax alone": partial(logits.argmax, -1),
    }


def tagged(k):
    """Score ids of classes of tokens, half of them padding, all at once."""
    y, p = (np.resize(side, (512, 2048)) for side in codes(512 * 2048, k))
    y[:, 1024:] = -100
    kept = y != -100
    return {
        "ComputeMetrics": lambda: ComputeMetrics("informedness")((p, y)),
        PADDING: lambda: informedness_score(y[kept], p[kept]),
    }


def process(*command):
    return partial(subprocess.run, command, cwd=FOLDER, check=True, capture_output=True)


def commanded(arguments, peers):
    """Run a command, and import packages, in processes of their own."""
    pairs = np.transpose(codes(1000, 3))
    np.savetxt(FOLDER / "p.csv", pairs, "%d", ",", header="y,p", comments="")
    np.savetxt(FOLDER / "y.txt", pairs[:, 0], "%d")
    np.savetxt(FOLDER / "p.txt", pairs[:, 1], "%d")
    return {
        "informedness": process(sys.executable, "-m", "informedness", *arguments.split()),
        f"import {peers}": process(sys.executable, "-c", f"import {peers}"),
    }


def made(target):
    """Make what needs nothing installed; the paper's figures go into the pages of its studies."""
    options = f"--directory={ROOT}", f"--old-file=.venv/.{target}"
    return {
        f"make {target}": process("make", *options, f"BIN={Path(sys.executable).parent}", target)
    }


def loaded(browser, address, until):
    """Load a page with nothing in the cache; return its requests and kB."""
    context, sizes = browser.new_context(), []
    page = context.new_page()
    page.on("requestfinished", lambda made: sizes.append(made.sizes()["responseBodySize"]))
    page.goto(address)
    page.locator(until).first.wait_for()
    context.close()
    return f"{len(sizes)} requests, {sum(sizes) / 1000:.0f} kB"


def first_page():
    """Load the page of Informedness until it shows a score, and one of Gradio with a box."""
    box = FOLDER / "box"
    box.mkdir()
    code = "import gradio\nwith gradio.Blocks() as app: gradio.Textbox()\napp.launch()"
    (box / "app.py").write_text(code)
    browser = OPEN.enter_context(chromium())
    address, _ = OPEN.enter_context(running("informedness"))
    ours = partial(loaded, browser, address, "#why .score")
    address, _ = OPEN.enter_context(serving(box, sys.executable, dict(os.environ)))
    peer = partial(loaded, browser, address, "textarea")
    return {f"page of {ours()}": ours, f"a box of Gradio, {peer()}": peer}


def dragged():
    """Move a handle of the simulation by a step, until the browser has painted it."""
    page = OPEN.enter_context(chromium()).new_page()
    page.goto(f"{OPEN.enter_context(running('informedness'))[0]}?tab=simulate")
    page.locator("#simulation .moving b").first.wait_for()
    step = """() => new Promise((painted) => {
        const handle = document.querySelector("#spam input");
        handle.value = handle.value % 50 + 1;
        handle.dispatchEvent(new Event("input", { bubbles: true }));
        requestAnimationFrame(() => setTimeout(painted));
    })"""
    return {"the page": partial(page.evaluate, step)}


class Wait(partial):
    """A run that returns the seconds that count, those of one visitor beside others."""


def waited():
    """Ask for a score while ten others send hostile text, or other text that is as long."""
    address, _ = OPEN.enter_context(running("informedness"))
    texts = {"hostile text": HOSTILE, "harmless text": HARMLESS}
    return {f"beside {name}": Wait(longest_wait, address, sent) for name, sent in texts.items()}


# All works: name, what makes the runs, its arguments, goals. A goal is a bound on the time of ours
# in times that of a peer, or on its "s" or "MB", or on its memory in times that of a peer: "MB of"


def of_forms(forms, name, *options):
    """Yield the works that score labels in each container, with each of these options."""
    for form, (k, *length) in product(forms, options):
        n = 10**5 if form.startswith("datasets") else 10**6  # scikit-learn takes 80 s for more
        goals = [(1, SCIKIT)]
        if form in CODED:
            goals.append((3, "int64"))
        elif form in TEXT and form != "list of str":
            goals.append((2, "list of str"))
        if k == 10 or form not in OF_TEN:
            yield name, scored, (form, n, k, *length), *goals


CODES, WORDS = "{}, N = {:,}, k = {:,}", "{0}, {3} characters, N = {1:,}, k = {2:,}"
IGNORED, COMPUTED = "{}, 3 in 10 ignored, N = {:,}, k = 10", "{}, {}, N = {:,}, k = 10"
FILE, PARQUET = "{}, N = {:,}, k = 10, 5 characters", "Parquet of {}, N = {:,}, k = 100"
TEXT_BESIDE = "CSV with a text {} beside the labels, N = {:,}, k = 10"
JSON_BESIDE = "JSON lines with a text {} beside the labels, N = {:,}, k = 10"
JOINED = "two CSV files joined on identifiers, N = {:,}, k = 10"
WEIGHTED = "DuckDB table with a weight of its own in each row, N = {:,}, k = 10"
COLUMNS_OF_PANDAS = "report on columns of pandas, N = {:,}, k = 10"
SLICES = "slices(y, p, by=...), N = {:,}, k = 10, {:,} slices"
AGAINST_REST = 'slices(y, p, by=g, vs_rest="nit"), N = {:,} near chance, k = 4, 4 slices'
INTERVALS = "intervals of a table, N = {:,}, k = {:,}"
COMPARED = "compare by {}, N = {:,}, k = {:,}"
RANKED = "leaderboard of {} models, N = {:,}, k = {:,}"
LOGITS, TOKENS = "logits, N = {:,}, k = {:,}", "tokens, N = 512 x 2,048, k = {:,}"
METRIC = "report p.csv -r y -p p --metric informedness"
WORKS = {
    "Labels": [
        (CODES, scored, ("int64", 10**3, 2), (1 / 8, SCIKIT)),
        (CODES, scored, ("int64", 10**3, 10), (1 / 8, SCIKIT)),
        (CODES, scored, ("int64", 10**3, 1000), (1 / 8, SCIKIT)),
        (CODES, scored, ("int64", 10**7, 2), (1 / 40, SCIKIT)),
        (CODES, scored, ("int64", 10**7, 10), (1 / 40, SCIKIT), (2, LIMIT), (50, "MB")),
        (CODES, scored, ("int64", 10**7, 1000)),
        (CODES, scored, ("int64", 10**6, 100_000), (200, "MB")),
        *of_forms(INTEGERS, CODES, (2,), (10,), (1000,)),
        *of_forms(TEXT, WORDS, (2, 5), (10, 5), (10, 20), (1000, 5)),
        (IGNORED, ignoring, ("int64", 10**6), (2, "without")),
        (IGNORED, ignoring, ("list of str", 10**6), (2, "without")),
        (IGNORED, ignoring, ("pyarrow dictionary", 10**6), (2, "without")),
    ],
    "Metrics of evaluate": [
        (COMPUTED, computed, ("compute", "int64", 10**7), (1 / 500, PEER), (2.5, OURS)),
        (COMPUTED, computed, ("compute", "int64", 10**6), (1 / 500, PEER), (1.3, OURS)),
        (COMPUTED, computed, ("compute", "int64", 10**5), (1.3, OURS)),
        (COMPUTED, computed, ("1,000 x add_batch", "int64", 10**7), (1 / 300, PEER)),
        (COMPUTED, computed, ("add", "list of int", 10**4), (1 / 20, PEER)),
        (COMPUTED, computed, ("compute", "int64", 10), (1 / 10, PEER)),
        (COMPUTED, computed, ("compute", "list of int", 1000), (1 / 10, PEER)),
        *(
            (COMPUTED, computed, ("compute", *options), (1.3, OURS))
            for options in product(OF_EVALUATE, (10**5, 10**6))
        ),
    ],
    "Files and slices": [
        (PARQUET, counted, ("integers", 10**8), (1, "DuckDB"), (500, "MB")),
        (PARQUET, counted, ("dictionaries", 10**8), (1, "DuckDB"), (500, "MB")),
        (f"{PARQUET}, {{}} slices", counted, ("integers", 10**7, 20), (1, "DuckDB")),
        (f"{PARQUET}, {{:,}} slices", counted, ("dictionaries", 10**7, 10**4), (3, "no slices")),
        (FILE, written, ("csv", 2 * 10**6)),
        (FILE, written, ("jsonl", 2 * 10**5), (2, "json.loads and Counter")),
        (FILE, written, ("jsonl", 2 * 10**6), (2, "json.loads and Counter")),
        (FILE, written, ("txt", 2 * 10**6), (2, "CSV"), (2, "MB of CSV")),
        (FILE, written, ("xlsx", 50_000)),
        (TEXT_BESIDE, beside_text, ("quoted", 10**6), (3, "DuckDB")),
        (TEXT_BESIDE, beside_text, ("of four lines", 3 * 10**5), (10, "DuckDB")),
        (JSON_BESIDE, beside_text, ("of 40 words", 3 * 10**5), (4, "DuckDB")),
        (JOINED, joined, (10**6,), (8, "DuckDB")),
        (WEIGHTED, weighted, (2 * 10**7,), (3, "DuckDB"), (500, "MB")),
        (COLUMNS_OF_PANDAS, named, (10**6,), (2, "arrays")),
        (SLICES, sliced, (10**7, 20), (0.1, "s")),
        (SLICES, sliced, (10**6, 10_000), (1, "s")),
        (AGAINST_REST, against_rest, (20_000,), (0.3, "s")),
    ],
    "Intervals, comparisons, rankings": [
        (INTERVALS, estimated, (10**4, 10), (0.3, "s")),
        (INTERVALS, estimated, (50_000, 1000), (4, "s")),
        (INTERVALS, estimated, (10**6, 10**5), (20, "s")),
        (COMPARED, compared, ("informedness", 10**6, 10), (0.5, "s")),
        (COMPARED, compared, ("informedness", 10**5, 1000), (2, "s")),
        (COMPARED, compared, ("nit", 10**5, 1000), (2, "s")),
        (RANKED, ranked, (10, 1000, 3), (0.5, "s")),
        (RANKED, ranked, (34, 1000, 3), (5, "s")),
        (RANKED, ranked, (10, 10_000, 2)),
        (RANKED, ranked, (10, 10_000, 10)),
        (RANKED, ranked, (10, 10_000, 1000)),
    ],
    "Trainer": [
        (LOGITS, evaluated, (10**5, 10), (2, "argmax alone")),
        (LOGITS, evaluated, (10**5, 1000), (2, "argmax alone")),
        (TOKENS, tagged, (10,), (2, PADDING)),
        (TOKENS, tagged, (1000,), (2, PADDING)),
    ],
    "Commands": [
        ("informedness {}", commanded, ("--help", "numpy"), (0.12, "s")),
        ("informedness {}", commanded, ("report y.txt p.txt", "numpy"), (0.2, "s")),
        ("informedness {}", commanded, (METRIC, "pandas, sklearn.metrics"), (0.25, "s")),
        (
            "report on a CSV file that lists its columns, N = {:,}",
            listed,
            (10**6,),
            (1.5, "scoring"),
        ),
        ("make {}", made, ("paper",), (60, "s")),
    ],
    "Page": [
        ("first page of the Space, cold", first_page, (), (1, "s")),
        ("a step of a handle of the simulation", dragged, (), (0.05, "s")),
        ("longest wait of a visitor beside ten others", waited, (), (10, "s")),
    ],
}


# Measuring


def clock(run, loops=1):
    if isinstance(run, Wait):
        return run()
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
    versions = [f"{name} {metadata.version(name)}" for name in PACKAGES.split()]
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
    about, start, reached, parts = setting(), time.perf_counter(), [], []
    for heading, works in WORKS.items():
        rows = []
        for template, make_runs, arguments, *goals in works:
            name = template.format(*arguments)
            if not options.only.search(name):
                continue
            with OPEN:
                seconds, megabytes = measure(make_runs(*arguments))
            (who, ours), *others = seconds.items()
            ratios = [f"{peer} {shown(s)} ({s / ours:.3g} x)" for peer, s in others]
            # not of other processes
            size = "" if heading in ("Commands", "Page") else f"{megabytes[who]:.3g}"
            rows.append([name, f"{who} {shown(ours)}", size, "; ".join(ratios)])
            judgements = [judged(*goal, seconds, megabytes) for goal in goals]
            reached += [[name, *judgement] for judgement in judgements]
            print(f"{time.perf_counter() - start:4.0f} s", *rows[-1], *judgements, flush=True)
        if rows:
            parts += [f"## {heading}", table(["work", "ours", "MB", "others"], rows)]
    if options.output:
        minutes = f"The run took {(time.perf_counter() - start) / 60:.1f} minutes."
        met = table(["work", "goal", "reached", ""], reached)
        how = __doc__[__doc__.index("Labels are uniform") :].strip()
        command = f"    python {' '.join(sys.argv)}"
        lines = ["# Benchmark", command, f"{about} {minutes}", how, "## Goals", met, *parts]
        options.output.write_text("\n\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
