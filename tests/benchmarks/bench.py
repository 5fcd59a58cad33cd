"""Time and memory of this package beside its peers: `make bench`.

    .venv/bin/python tests/benchmarks/bench.py --output tests/benchmarks/RESULTS.md

    --only PATTERN   only the works whose name matches this regular expression

A peer that is not installed is reported as such. The Parquet files take 170 MB at a time in TMPDIR.

Labels are uniform over k classes and seeded; 60% of the predictions are right. Time is wall time,
data and objects made beforehand. Those who do a work take turns, so that a disturbance hits all:
each runs once to warm up, then up to 15 times within a budget, and the median counts. A run so slow
that warming up cannot matter counts too: the slowest run once or twice. Memory is the peak resident
size above what it was before the call, in a fresh process that has done the same on few samples. It
may have 16 GiB: what allocates k x k fails there with its own message, and is not run for its time.
"""

import argparse
import ctypes
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

import informedness

SEED, GIB = 2003, 2**30
OURS, MODULES = ("informedness_score", "nit_score"), ("informedness", "nit")
LIMIT, BALANCED, MCC = "bincount of a ready code", "balanced_accuracy_score", "matthews_corrcoef"
MORE = (LIMIT, "accuracy_score", BALANCED, MCC, "mutual_info_score", "torchmetrics")
USUAL = "usual_kind"
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
METRICS = (*MODULES, USUAL)
COUNTERS = ("table_from_file", "DuckDB")
PACKAGES = "informedness numpy scikit-learn torch torchmetrics evaluate pandas pyarrow duckdb"
Results = dict[tuple[str, str], Any]  # (work, who) to seconds or bytes, or why there are none


@dataclass(frozen=True)
class Work:
    """Something to do with n labelled pairs of k classes, who does it, whose memory to measure."""

    name: str
    form: str
    n: int
    k: int
    who: tuple[str, ...]
    peaks: tuple[str, ...] = ()

    def data(self, n: int) -> tuple[Any, Any, Any]:
        """Return references and predictions, and the codes of both."""
        rng = np.random.default_rng(SEED)
        codes = rng.integers(self.k, size=n)
        wrong = (codes + rng.integers(1, self.k, size=n)) % self.k
        pair = codes, np.where(rng.random(n) < 0.6, codes, wrong)
        return *(FORMS[self.form](some, self.k) for some in pair), pair


# Labels, from codes below k
def text(codes: Any, k: int) -> Any:
    return np.array([f"class {code}" for code in range(k)])[codes]


def objects(codes: Any, k: int) -> Any:
    """Return a str object of its own for each sample, scattered over memory as by a shuffle."""
    order = np.random.default_rng(SEED).permutation(len(codes))
    shuffled = np.empty(len(codes), dtype=object)
    shuffled[order] = text(codes[order], k).tolist()
    return shuffled


def ids(codes: Any, k: int, width: int) -> Any:
    return np.sort(np.random.default_rng(SEED).integers(-width, width, size=k))[codes]


INTEGERS: dict[str, Callable[[Any, int], Any]] = {
    "int64": lambda codes, k: codes,
    "int32": lambda codes, k: codes.astype(np.int32),
    "uint8": lambda codes, k: codes.astype(np.uint8),
    "int64 from below 0": lambda codes, k: codes - k // 2,
    "int64 with gaps": partial(ids, width=30_000),
    "int64, one is 2**40": lambda codes, k: np.concatenate([[2**40], codes[1:]]),
    "int64 ids of 63 bits": partial(ids, width=2**62),
    "list of int": lambda codes, k: codes.tolist(),
}
TEXTS: dict[str, Callable[[Any, int], Any]] = {
    "numpy U": text,
    "object array of str": objects,
    "list of str": lambda codes, k: objects(codes, k).tolist(),
    "list of k shared str": lambda codes, k: text(np.arange(k), k).astype("O")[codes].tolist(),
    "pandas object": lambda codes, k: import_module("pandas").Series(objects(codes, k), dtype="O"),
    "pandas str": lambda codes, k: import_module("pandas").Series(objects(codes, k), dtype="str"),
    "pyarrow string": lambda codes, k: pa.array(text(codes, k)),
    "pyarrow dictionary": lambda codes, k: pa.array(text(codes, k)).dictionary_encode(),
}
FORMS = INTEGERS | TEXTS


# Works
def title(form: str, n: float, k: int = 10) -> str:
    return f"{form}, N = {n:.0e}, k = {k:,}".replace("e+0", "e")


def scored(form: str, n: float, k: int = 10, peaks: tuple[str, ...] = (*OURS, BALANCED)) -> Work:
    who = (*OURS, *(MORE if form == "int64" else MORE[:3]))
    return Work(title(form, n, k), form, int(n), k, who, peaks if n >= 1e6 else ())


COMPUTE = title("compute, int64", 1e7)
BATCHES = "1,000 x add_batch of 10,000, compute"
SINGLY, ONCE = "10,000 x add", "1 x add, compute"
FEW = {f"compute, {f}, N = {n:,}": (f, n) for n in (10, 1000) for f in ("int64", "list of int")}
LOAD = "evaluate.load by name, offline"
FILES = [title(f"Parquet of {form}", 1e8, 100) for form in ("int64", "dictionary strings")]
INTEGER_WORKS = [
    *(scored("int64", 10**d, k) for d in (3, 4, 5) for k in (2, 10, 1000, 100_000)),
    *(scored("int64", 10**d, k) for d in (6, 7) for k in (2, 1000)),
    scored("int64", 1e6),
    scored("int64", 1e7, 10, (*OURS, *MORE)),
    scored("int64", 1e6, 100_000, (*OURS, *MORE)),
    scored("int64", 1e7, 100_000, OURS),
    *(scored(form, 1e7) for form in ("int32", "uint8")),
    *(scored(form, 1e6) for form in list(INTEGERS)[3:]),
    scored("int64 ids of 63 bits", 1e6, 100_000, OURS),
]
TEXT_WORKS = [scored(form, 1e6) for form in TEXTS]
METRIC_WORKS = [
    Work(COMPUTE, "int64", 10**7, 10, (*METRICS, *OURS), METRICS),
    Work(BATCHES, "int64", 10**7, 10, METRICS, METRICS),
    Work(SINGLY, "list of int", 10**4, 10, METRICS),
    Work(ONCE, "list of int", 1, 10, METRICS),
    *(Work(name, *few, 10, (*METRICS, *OURS)) for name, few in FEW.items()),
]
GROUPS = {"Integers": INTEGER_WORKS, "Strings": TEXT_WORKS, "Metrics": METRIC_WORKS}
WORKS = {work.name: work for works in GROUPS.values() for work in works}


# Who does them
def register() -> None:
    """Put ours and the peer where `evaluate.load` finds them."""
    modules = Path(informedness.register()["nit"]).parents[1]
    folder = modules / f"evaluate-metric--{USUAL}" / f"{0:064}"
    folder.mkdir(parents=True)
    (folder / f"{USUAL}.py").write_text(PEER)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()


def metric_call(work: str, name: str, y: Any, p: Any) -> Callable[[], object]:
    alone = f"{os.getpid()}-{time.perf_counter_ns()}"  # instances of one id wait for a lock
    it = import_module("evaluate").load(name, experiment_id=alone)
    if work == BATCHES:
        batches = zip(np.array_split(y, 1000), np.array_split(p, 1000), strict=True)
        adds = [partial(it.add_batch, references=a, predictions=b) for a, b in batches]
    elif work in (SINGLY, ONCE):
        adds = [partial(it.add, reference=a, prediction=b) for a, b in zip(y, p, strict=True)]
    else:
        return partial(it.compute, references=y, predictions=p)

    def run() -> None:
        for add in adds:
            add()
        if work != SINGLY:
            it.compute()

    if work == SINGLY:
        run.after = it.compute  # type: ignore[attr-defined]  # not timed
    return run


def score_call(name: str, k: int, y: Any, p: Any, codes: Any, limit: float) -> Any:
    squares = {LIMIT: k, "torchmetrics": k}
    if name in (BALANCED, MCC):
        squares[name] = len(np.union1d(*map(np.unique, codes)))
    square = 8 * squares.get(name, 0) ** 2
    if square > limit:
        return f"asks for {square / GIB:.1f} GiB"
    if name in OURS:
        return partial(getattr(informedness, name), y, p)
    if name == LIMIT:
        return partial(np.bincount, codes[0] * k + codes[1], minlength=k * k)
    if name == "torchmetrics":
        macro = import_module("torchmetrics.functional.classification").multiclass_accuracy
        tensor = import_module("torch").from_numpy
        return partial(macro, tensor(p), tensor(y), k, average="macro")
    options = {"adjusted": True} if name == BALANCED else {}
    return partial(getattr(import_module("sklearn.metrics"), name), y, p, **options)


def prepare(work: Work, name: str, data: Any, limit: float = GIB) -> Any:
    """Return what `name` does with the data, ready to run, or the reason why it does not."""
    try:
        if name in METRICS:
            return metric_call(work.name, name, *data[:2])
        return score_call(name, work.k, *data, limit)
    except ModuleNotFoundError as error:
        return f"{error.name} is not installed"


# Measuring
def clock(run: Callable[[], object], loops: int = 1) -> float:
    start = time.perf_counter()
    for _ in range(loops):
        run()
    seconds = (time.perf_counter() - start) / loops
    getattr(run, "after", lambda: None)()
    return seconds


def measure(work: Work) -> Results:
    """Return the median seconds of everyone who does this work."""
    budget = 2.0
    data = work.data(work.n)
    runs = {name: prepare(work, name, data) for name in work.who}
    times: dict[str, list[float]] = {}
    loops: dict[str, int] = {}
    for name, run in [(name, run) for name, run in runs.items() if callable(run)]:
        try:
            first = clock(run)
            if first < budget / 10:  # imports and caches are behind it now
                first = min(clock(run), clock(run))
        except Exception as error:
            runs[name] = f"fails: {type(error).__name__}: {error}"
            continue
        times[name] = [first] if first > budget / 4 else []
        loops[name] = 1 if hasattr(run, "after") else max(1, int(0.005 / first))
    for _ in range(15):
        for name, taken in times.items():
            if not taken or sum(taken) * loops[name] < budget:
                taken.append(clock(runs[name], loops[name]))
    medians: dict[str, Any] = {name: statistics.median(taken) for name, taken in times.items()}
    return {(work.name, name): medians.get(name, run) for name, run in runs.items()}


def child(kind: str, *arguments: str) -> Any:
    """Return what `child_KIND` returns in a fresh process, or its last line of complaint."""
    command = [sys.executable, __file__, "--child", kind, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last = [str(done.returncode), *done.stderr.splitlines()][-1]
        return "not installed" if "No module named" in last else f"fails: {last}"
    return json.loads(done.stdout.splitlines()[-1])


def status(field: str) -> int:
    """Return bytes: VmRSS is what is resident, VmHWM the most that was since it was reset."""
    found = re.search(rf"{field}:\s+(\d+)", Path("/proc/self/status").read_text())
    return 1024 * int(found.group(1)) if found else 0


def reset_peak() -> int:
    """Return the bytes that are resident, from which VmHWM counts now."""
    ctypes.CDLL(None).malloc_trim(0)  # or what making the data freed hides what is taken
    before = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    return before


def child_peak(name: str, who: str) -> Any:
    """Return the bytes that a call takes above what was there, once it has seen few samples."""
    resource.setrlimit(resource.RLIMIT_AS, (16 * GIB, 16 * GIB))
    work, before = WORKS[name], 0
    try:
        for n in (min(1000, work.n), work.n):
            run = prepare(work, who, work.data(n), limit=float("inf"))
            if isinstance(run, str):
                return run
            before = reset_peak()
            run()
    except (MemoryError, RuntimeError) as error:
        asked = re.search(r"allocate ([\d.]+ \w+)", str(error))
        return f"fails to allocate {asked.group(1) if asked else error}"
    return status("VmHWM") - before


def child_file(path: str, who: str) -> Any:
    """Count a file of pairs; return the rows, the seconds, and the peak of the whole process."""
    if who == "DuckDB":
        engine = import_module("duckdb").connect(config={"threads": 2})
        count = partial(engine.execute, f"SELECT count(*) FROM '{path}' GROUP BY y, p")
    else:
        count = partial(informedness.table_from_file, path, references="y", predictions="p")
    start = time.perf_counter()
    found = count()
    cells = found.fetchall() if who == "DuckDB" else [found.counts.tolist()]
    seconds = time.perf_counter() - start
    return sum(map(sum, cells)), seconds, status("VmHWM")


def child_load(_: str, who: str) -> Any:
    sys.modules["transformers"] = None  # type: ignore[assignment]  # or `import evaluate` takes 5 s
    load = import_module("evaluate").load
    start = time.perf_counter()
    load(who)
    return 0, time.perf_counter() - start, status("VmHWM")


def in_turn(name: str, kind: str, path: str, who: tuple[str, ...], rows: int = 0) -> Any:
    """Return the median seconds and the highest peak, each time in a fresh process."""
    results: tuple[Results, Results] = {}, {}
    turns = [[child(kind, path, one) for one in who] for _ in range(6)]
    for one, answers in zip(who, zip(*turns, strict=True), strict=True):
        wrong = [str(answer) for answer in answers if isinstance(answer, str) or answer[0] != rows]
        seconds = [] if wrong else [answer[1] for answer in answers[1:]]  # the first warms up
        results[0][name, one] = wrong[0] if wrong else statistics.median(seconds)
        results[1][name, one] = wrong[0] if wrong else max(answer[2] for answer in answers)
    return results


def measure_file(name: str) -> Any:
    n, k, size = 10**8, 100, 10**7
    columns = dict(zip("yp", Work("", "int64", size, k, ()).data(size)[2], strict=True))
    if name == FILES[1]:
        words = pa.array(text(np.arange(k), k))
        columns = {c: pa.DictionaryArray.from_arrays(columns[c], words) for c in columns}
    part = pa.table(columns)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/pairs.parquet"
        with pa.parquet.ParquetWriter(path, part.schema) as writer:
            for _ in range(n // size):
                writer.write_table(part)
        return in_turn(name, "file", path, COUNTERS, n)


# Reporting
def targets(seconds: Results, peaks: Results) -> list[str]:
    """Return the table of targets, ours as informedness / NIT."""
    large, ten, wide = title("int64", 1e7), title("int64", 1e6), title("int64", 1e6, 100_000)
    texts, file = [title(form, 1e6) for form in TEXTS], COUNTERS[:1]
    goals: list[tuple[list[str], str, str, float, tuple[str, ...]]] = [
        ([large], "times faster than", BALANCED, 40, OURS),
        ([large], "time over that of", LIMIT, 2, OURS),
        ([large], "MB at the peak", "", 50, OURS),
        ([title("int64", 1e3)], "times faster than", BALANCED, 10, OURS),
        ([wide], "MB at the peak", "", 200, OURS),
        ([wide], "time over that of", ten, 30, OURS),
        (texts[:3], "times faster than", BALANCED, 15, OURS),
        (texts[-2:], "times faster than", BALANCED, 80, OURS),
        ([COMPUTE], "times faster than", USUAL, 500, MODULES),
        ([COMPUTE], "time over that of", OURS[0], 1.5, MODULES[:1]),
        ([COMPUTE], "time over that of", OURS[1], 1.5, MODULES[1:]),
        ([BATCHES], "times faster than", USUAL, 300, MODULES),
        ([SINGLY, ONCE], "times faster than", USUAL, 20, MODULES),
        (list(FEW), "times faster than", USUAL, 10, MODULES),
        ([LOAD], "time over that of", USUAL, 1.5, MODULES),
        (FILES, "time over that of", "DuckDB", 1, file),
        (FILES, "MB at the peak", "", 500, file),
    ]

    def number(results: Results, work: str, who: str) -> float:
        value = results.get((work, who))
        return float("nan") if isinstance(value, str | None) else value

    lines = ["| work | what is compared | target | reached | |", "|---|---|---|---|---|"]
    for work, what, base, bound, who in ((work, *goal[1:]) for goal in goals for work in goal[0]):
        values = [number(peaks, work, one) / 1e6 for one in who]
        if base:
            other = [(base, one) if base in WORKS else (work, base) for one in who]
            values = [number(seconds, work, one) for one in who]
            values = [v / number(seconds, *o) for v, o in zip(values, other, strict=True)]
        more = what == "times faster than"
        values = [1 / value for value in values] if more else values
        met = all(value >= bound if more else value <= bound for value in values)
        answer = "not measured" if any(map(np.isnan, values)) else "yes" if met else "**no**"
        reached = " / ".join(f"{value:.3g}" for value in values).replace("nan", "-")
        sign = ">=" if more else "<="
        lines.append(f"| {work} | {what} {base} | {sign} {bound} | {reached} | {answer} |")
    return lines


def table(results: Results, names: Iterable[str], unit: Callable[[str], float]) -> list[str]:
    """Return a row for each work and a column for each who did it, with ratios to the first."""
    names = [name for name in names if any(name == work for work, _ in results)]
    who = list(dict.fromkeys(who for work, who in results if work in names))
    if not names:
        return ["", "Not run."]
    lines = ["", f"| work | {' | '.join(who)} |", "|---" * (1 + len(who)) + "|"]
    for name in names:
        cells, first = [], results.get((name, who[0]))
        for one in who:
            value = results.get((name, one), "")
            if not isinstance(value, str):
                ratio = f" ({value / first:.3g}x)" if one != who[0] and type(first) is float else ""
                shown = value / unit(name)
                value = (f"{shown:,.0f}" if shown >= 100 else f"{shown:.3g}") + ratio
            cells.append(value.replace("|", "/")[:100])
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def report(seconds: Results, peaks: Results) -> list[str]:
    lines = ["", "## Targets", "", *targets(seconds, peaks)]
    for heading, works in GROUPS.items():
        pairs = {work.name: work.n / 1e9 for work in works}
        lines += ["", f"## {heading}", "", "Nanoseconds per pair:"]
        lines += table(seconds, pairs, pairs.__getitem__)
        lines += ["", "Extra memory at the peak, MB:", *table(peaks, pairs, lambda name: 1e6)]
    lines += ["", "## Loading and files", "", "Seconds:", *table(seconds, [LOAD], lambda name: 1)]
    lines += [*table(seconds, FILES, lambda name: 1), "", "Memory of the whole process, MB:"]
    return [*lines, *table(peaks, FILES, lambda name: 1e6)]


def versions(packages: str) -> str:
    there = {package.name.lower(): package.version for package in metadata.distributions()}
    found = [f"{name} {there.get(name, 'not installed')}" for name in packages.split()]
    return ", ".join([f"Python {sys.version.split()[0]}", *found])


def setting(packages: str) -> str:
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    return f"""    python {" ".join(sys.argv)}

{time.strftime("%Y-%m-%d")}, {os.uname().sysname} {os.uname().machine}, {cpu and cpu.group(1)},
{os.cpu_count()} cores, {memory:.0f} GiB, load {os.getloadavg()[0]:.1f}. {versions(packages)}."""


def page(title: str, about: str, lines: Iterable[str]) -> str:
    """Return a page of its own: how it was made, and these lines."""
    return "\n".join([f"# {title}", "", about, "", *lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.child:
        print(json.dumps(globals()[f"child_{options.child[0]}"](*options.child[1:])))
        return
    seconds: Results = {}
    peaks: Results = {}
    about, start = setting(PACKAGES), time.perf_counter()
    with tempfile.TemporaryDirectory() as home:
        os.environ.update(HF_HOME=home, HF_EVALUATE_OFFLINE="1", HF_UPDATE_DOWNLOAD_COUNTS="0")
        os.environ["EVALUATE_VERBOSITY"] = "error"
        os.environ.pop("HF_MODULES_CACHE", None)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # modules are loaded compiled, as usual
        register()
        for name in filter(options.only.search, (*WORKS, LOAD, *FILES)):
            if name in WORKS:
                seconds |= measure(WORKS[name])
                peaks |= {(name, who): child("peak", name, who) for who in WORKS[name].peaks}
            else:
                is_load = name == LOAD
                taken = in_turn(name, "load", "", METRICS) if is_load else measure_file(name)
                seconds, peaks = seconds | taken[0], peaks | taken[1]
            print(f"{time.perf_counter() - start:4.0f} s  {name}", flush=True)
    minutes = f"The run took {(time.perf_counter() - start) / 60:.1f} minutes."
    text = page("Benchmark", f"{about} {minutes}", report(seconds, peaks))
    print(text)
    if options.output:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
