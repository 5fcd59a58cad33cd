"""Time of the torchmetrics classes and of logits on a GPU, beside their peers: `make bench-gpu`.

    python tests/benchmarks/gpu.py --output tests/benchmarks/RESULTS_GPU.md

Those who do a work take turns. A call is timed with the device idle before it, until the device has
done it; the median of 50 turns counts, after 5 that warm up. In the last work the device is kept
busy by products of matrices, and the time until the call returns is taken.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path

import torch
from torchmetrics.classification import MulticlassConfusionMatrix

from informedness.logits import argmax
from informedness.torchmetrics import Informedness

TURNS, WARM = 50, 5
CHECKED, UNCHECKED = "MulticlassConfusionMatrix", "the same, validate_args=False"
OURS = "Informedness"

Call = Callable[[], object]


def seconds_of(call: Call, *, is_busy: bool = False) -> float:
    """Return the time of a call until the device has done it; if it is busy, until it returns."""
    torch.cuda.synchronize()
    if is_busy:
        matrix = torch.ones(8192, 8192, device="cuda", dtype=torch.bfloat16)
        torch.cuda.synchronize()
        for _ in range(10):
            matrix @ matrix
    start = time.perf_counter()
    call()
    if not is_busy:
        torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    torch.cuda.synchronize()
    return seconds


def medians_of(
    calls: dict[str, Callable[[], object]], *, is_busy: bool = False
) -> dict[str, float]:
    """Return the median time of each call in µs."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(WARM + TURNS):
        for name, call in calls.items():
            seconds = seconds_of(call, is_busy=is_busy)
            if turn >= WARM:
                times[name].append(1e6 * seconds)
    return {name: statistics.median(each) for name, each in times.items()}


def updates_of(n: int, k: int) -> dict[str, Call]:
    """Return an update with n samples of k classes, of ours and of the peers."""
    generator = torch.Generator("cuda").manual_seed(1)
    target = torch.randint(k, (n,), generator=generator, device="cuda")
    preds = torch.randint(k, (n,), generator=generator, device="cuda")
    metrics = {
        OURS: Informedness(k),
        CHECKED: MulticlassConfusionMatrix(k),
        UNCHECKED: MulticlassConfusionMatrix(k, validate_args=False),
    }
    return {
        name: partial(metric.to("cuda").update, preds, target) for name, metric in metrics.items()
    }


def readings_of(n: int, k: int, dtype: torch.dtype) -> dict[str, Call]:
    """Return the choice of classes by logits, of ours and of torch."""
    logits = torch.randn(n, k, device="cuda", dtype=dtype)
    return {"argmax of informedness": lambda: argmax(logits), "argmax": lambda: logits.argmax(-1)}


def rows_of_results() -> list[str]:
    """Return the results as rows of a table."""
    works = {
        **{
            f"update, N {n:,d}, k {k:,d}": (updates_of(n, k), False)
            for n, k in ((32, 2), (1024, 10), (65_536, 10), (65_536, 1000), (10**8, 10))
        },
        "logits (4096, 32000), bf16": (readings_of(4096, 32_000, torch.bfloat16), False),
        "logits (1024, 10)": (readings_of(1024, 10, torch.float32), False),
        "until update returns, N 1,024, k 10, device busy": (updates_of(1024, 10), True),
    }
    rows = ["| work | who | µs | times ours |", "| :-- | :-- | --: | --: |"]
    for work, (calls, is_busy) in works.items():
        medians = medians_of(calls, is_busy=is_busy)
        ours = next(iter(medians.values()))
        for name, time_taken in medians.items():
            rows.append(f"| {work} | {name} | {time_taken:,.0f} | {time_taken / ours:.2f} |")
    return rows


def main() -> int:
    """Write the results, or say what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, help="write the page here instead of printing it")
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print(f"a GPU is missing: torch {torch.__version__} sees none", file=sys.stderr)
        return 1

    versions = [f"{name} {metadata.version(name)}" for name in ("informedness", "torchmetrics")]
    about = [torch.cuda.get_device_name(), f"torch {torch.__version__}", *versions]
    lines = ["# On a GPU", "", f"Made by `make bench-gpu`: {', '.join(about)}.", ""]
    text = "\n".join([*lines, *rows_of_results(), ""])
    if options.output:
        options.output.write_text(text, "utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
