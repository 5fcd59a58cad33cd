"""How often intervals cover the truth: `make coverage` writes COVERAGE.md and coverage.png.

Each cell of the study fixes a number of classes k, a number of samples N, the shares of the classes
and an ability x: a classifier that is right with probability x, and else guesses a class by its
share. Its true Informedness is x; its true NIT follows from the table of probabilities. Tables are
drawn from these probabilities, and every method makes its interval of each.

`auto`, `delta` and `bootstrap` are this project's. The others are written here, from their
definitions: Wald (value +- z SE), percentile and BCa (multinomial resamples of the cells; the
acceleration from the gradient), Dirichlet(n) and Dirichlet(n + 1/k^2) (quantiles of draws).
"""

import argparse
import itertools
import math
import multiprocessing
import platform
import textwrap
import time
import warnings
from pathlib import Path
from statistics import NormalDist

import numpy as np

import informedness
from informedness import ContingencyTable, IntervalWarning, estimate

KS, SIZES, ABILITIES = (2, 3, 5, 10), (50, 200, 1000, 10_000), (0.2, 0.6, 0.95, 0.99)
SHARES = ("even", "geometric", "majority")
METHODS = ("auto", "delta", "bootstrap", "Wald", "percentile", "BCa", "Dir(n)", "Dir(n+1/k²)")
METRICS = ("informedness", "nit")
LEVEL = 0.95
Z = NormalDist().inv_cdf((1 + LEVEL) / 2)
HERE = Path(__file__).parent


def class_shares(kind, k):
    if kind == "even":
        return np.full(k, 1 / k)
    if kind == "geometric":
        return 0.6 ** np.arange(k) / (0.6 ** np.arange(k)).sum()
    return np.array([0.9] + [0.1 / (k - 1)] * (k - 1))


def informedness_of(tables):
    """Return Informedness of tables of shape (..., k, k)."""
    hits = np.diagonal(tables, axis1=-2, axis2=-1)
    r, c, n = tables.sum(-1), tables.sum(-2), tables.sum((-2, -1))[..., None]
    with np.errstate(all="ignore"):
        gains = hits / r - (c - hits) / (n - r)
    return (c * np.where(np.isfinite(gains) & (r > 0), gains, 0) / n).sum(-1)


def nit_of(tables):
    """Return NIT of tables of shape (..., k, k), k as given."""

    def entropic(x):
        return x * np.log(np.where(x > 0, x, 1))

    n = tables.sum((-2, -1))
    parts = entropic(tables).sum((-2, -1)), entropic(tables.sum(-1)), entropic(tables.sum(-2))
    return (
        np.exp((parts[0] - parts[1].sum(-1) - parts[2].sum(-1)) / n + np.log(n)) / tables.shape[-1]
    )


SCORES = {"informedness": informedness_of, "nit": nit_of}


def own(table, metric, n_resamples, seed):
    """Return this project's intervals by method, and Wald's by its standard error."""
    found = {}
    for method in ("delta", "bootstrap"):
        result = estimate(table, metric, method=method, n_resamples=n_resamples, seed=seed)
        found[method] = result.confidence_interval
    found["Wald"] = (
        result.value - Z * result.standard_error,
        result.value + Z * result.standard_error,
    )
    found["auto"] = found["delta" if metric == "nit" else "bootstrap"]
    return found


def others(counts, metric, draws):
    """Return the intervals of the usual methods of resampling."""
    score = SCORES[metric]
    value, resamples = float(score(counts)), score(draws["multinomial"])
    ends = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
    found = {"percentile": np.quantile(resamples, ends)}
    below = np.mean(resamples < value - 1e-12) + np.mean(abs(resamples - value) <= 1e-12) / 2
    z0 = NormalDist().inv_cdf(min(max(below, 1e-3), 1 - 1e-3))
    levels = []
    for z in (-Z, Z):
        moved = z0 + (z0 + z) / (1 - acceleration(counts, score) * (z0 + z))
        levels.append(NormalDist().cdf(moved))
    found["BCa"] = np.quantile(resamples, levels)
    found["Dir(n)"] = np.quantile(score(draws["gamma"]), ends)
    found["Dir(n+1/k²)"] = np.quantile(score(draws["gamma"] + draws["prior"]), ends)
    return found


def acceleration(counts, score):
    """Return the acceleration of BCa, by leaving one sample of each cell out."""
    n, cells = counts.sum(), np.argwhere(counts)
    left = np.repeat(counts[None], len(cells), axis=0)
    left[np.arange(len(cells)), cells[:, 0], cells[:, 1]] -= 1
    times, without = counts[cells[:, 0], cells[:, 1]], score(left)
    influence = times @ without / n - without
    second = times @ influence**2
    return 0.0 if second <= 1e-24 else times @ influence**3 / (6 * second**1.5)


def warned(place, truth, runs, seed):
    """Return the share of tables, others than those of the coverage, that come with a warning."""
    k, n, shares, ability = place
    rng = np.random.default_rng([seed, 1, k, n, SHARES.index(shares), int(100 * ability)])
    found, done = dict.fromkeys(METRICS, 0), 0
    for counts in rng.multinomial(n, truth.ravel(), runs).reshape(runs, k, k):
        if np.count_nonzero(counts.sum(1)) < 2:
            continue
        done += 1
        table = ContingencyTable.from_matrix(counts, labels=range(k))
        for metric in METRICS:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                estimate(table, metric, method="delta")
            found[metric] += any(issubclass(x.category, IntervalWarning) for x in caught)
    return {metric: count / done for metric, count in found.items()}


def cell(arguments):
    """Return a row of results for one cell of the study."""
    (k, n, shares, ability), runs, n_resamples, seed = arguments
    pi = class_shares(shares, k)
    truth = ability * np.diag(pi) + (1 - ability) * np.outer(pi, pi)
    true_values = {metric: float(SCORES[metric](truth)) for metric in METRICS}
    rng = np.random.default_rng([seed, k, n, SHARES.index(shares), int(100 * ability)])
    hit = {(metric, method): 0 for metric in METRICS for method in METHODS}
    width = dict.fromkeys(hit, 0.0)
    done = 0
    for run in range(runs):
        counts = rng.multinomial(n, truth.ravel()).reshape(k, k).astype(float)
        if np.count_nonzero(counts.sum(1)) < 2:
            continue  # of one class, where the scores are undefined
        done += 1
        # k is known in the study, as it is in a task; only what is seen is resampled
        table = ContingencyTable.from_matrix(counts.astype(int), labels=range(k))
        draws = {
            "multinomial": rng.multinomial(n, counts.ravel() / n, n_resamples).reshape(-1, k, k),
            "gamma": rng.standard_gamma(counts, (n_resamples, k, k)),
            "prior": rng.standard_gamma(1 / k**2, (n_resamples, k, k)),
        }
        for metric in METRICS:
            ours = own(table, metric, n_resamples, run)
            for method, (low, high) in {**ours, **others(counts, metric, draws)}.items():
                hit[metric, method] += low - 1e-12 <= true_values[metric] <= high + 1e-12
                width[metric, method] += high - low
    return {
        "cell": (k, n, shares, ability),
        "truth": true_values,
        "runs": done,
        "coverage": {key: count / done for key, count in hit.items()},
        "width": {key: total / done for key, total in width.items()},
        "warned": warned(arguments[0], truth, runs, seed),
    }


def markdown(rows, options, minutes):
    """Return the page."""
    versions = f"Python {platform.python_version()}, numpy {np.__version__}"
    about = (
        f"{options.runs} tables a cell, so that a coverage of 0.95 has a standard error of "
        f"{math.sqrt(0.95 * 0.05 / options.runs):.3f}; {options.n_resamples} resamples each, whose "
        "quantiles lie a little too near: with 599 they cover 0.947 for 0.95. Tables of one class "
        "in the references are left out. The share warned is of as many tables more. "
        f"{versions}, informedness {informedness.__version__}; {time.strftime('%Y-%m-%d')}, "
        f"{minutes:.0f} minutes on {multiprocessing.cpu_count()} cores."
    )
    lines = [
        "# How often the intervals cover the truth",
        "",
        f"    python tests/studies/coverage.py --runs {options.runs} "
        f"--n-resamples {options.n_resamples} --seed {options.seed}",
        "",
        *__doc__.splitlines()[2:],
        "",
        *textwrap.wrap(about, 100),
        "",
        "![Coverage by method](COVERAGE.png)",
    ]
    for metric in METRICS:
        lines += ["", f"## {'NIT' if metric == 'nit' else 'Informedness'}", ""]
        lines += summary(rows, metric)
        lines += ["", *failing(rows, metric)]
        lines += ["", "Coverage and, in brackets, mean width of each method:", ""]
        head = ["k", "N", "shares", "x", "truth", "warned", *METHODS]
        lines += ["| " + " | ".join(head) + " |", "|" + " --: |" * len(head)]
        for row in rows:
            figures = [
                f"{row['coverage'][metric, m]:.3f} ({row['width'][metric, m]:.3f})" for m in METHODS
            ]
            about = [*row["cell"], f"{row['truth'][metric]:.3f}", f"{row['warned'][metric]:.2f}"]
            lines.append("| " + " | ".join(map(str, [*about, *figures])) + " |")
    return "\n".join(lines) + "\n"


def summary(rows, metric):
    """Return a table of how each method does on the cells of at least 200 samples, and on all."""
    lines = [
        "| method | N >= 200: within 0.93 to 0.98 | below 0.93 | below 0.90 | lowest | N = 50: "
        "below 0.90 | lowest | mean width |",
        "|" + " --: |" * 8,
    ]
    for method in METHODS:
        large = [r["coverage"][metric, method] for r in rows if r["cell"][1] >= 200]
        small = [r["coverage"][metric, method] for r in rows if r["cell"][1] < 200]
        width = np.mean([r["width"][metric, method] for r in rows])
        within = sum(0.93 <= c <= 0.98 for c in large)
        figures = [
            f"{within} of {len(large)} ({within / max(1, len(large)):.0%})",
            sum(c < 0.93 for c in large),
            sum(c < 0.90 for c in large),
            f"{min(large, default=math.nan):.3f}",
            f"{sum(c < 0.90 for c in small)} of {len(small)}",
            f"{min(small, default=math.nan):.3f}",
            f"{width:.3f}",
        ]
        lines.append(f"| {method} | " + " | ".join(map(str, figures)) + " |")
    return lines


def failing(rows, metric):
    """Return the cells in which "auto" covers less than 0.93 or more than 0.98."""
    lines = ['Cells in which "auto" covers less than 0.93 or more than 0.98, lowest first:', ""]
    found = sorted(
        (row for row in rows if not 0.93 <= row["coverage"][metric, "auto"] <= 0.98),
        key=lambda row: row["coverage"][metric, "auto"],
    )
    for row in found:
        k, n, shares, ability = row["cell"]
        lines.append(
            f"- {row['coverage'][metric, 'auto']:.3f}: k = {k}, N = {n}, {shares}, x = {ability}; "
            f"warned in {row['warned'][metric]:.0%}"
        )
    return lines if found else [*lines, "none."]


def plot(rows, path):
    """Draw the coverage of every cell, one dot each, by method."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 1, figsize=(9, 7), sharex=True, constrained_layout=True)
    jitter = np.random.default_rng(0).uniform(-0.08, 0.08, len(rows))
    for axis, metric in zip(axes, METRICS, strict=True):
        axis.axhspan(0.93, 0.98, color="0.9")
        axis.axhline(0.95, color="0.5", linewidth=0.8)
        for position, size in enumerate(SIZES):
            some = [i for i, row in enumerate(rows) if row["cell"][1] == size]
            for place, method in enumerate(METHODS):
                across = place + (position - 1.5) / 5 + jitter[some]
                up = [rows[i]["coverage"][metric, method] for i in some]
                label = f"N = {size}" if place == 0 else None
                axis.plot(across, up, ".", color=f"C{position}", markersize=4, label=label)
        axis.set_ylabel(f"coverage of {'NIT' if metric == 'nit' else 'Informedness'}")
        axis.set_ylim(-0.02, 1.02)
    axes[1].set_xticks(range(len(METHODS)), METHODS)
    axes[0].legend(loc="lower right", ncols=4)
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000, help="tables a cell")
    parser.add_argument("--n-resamples", type=int, default=599)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="only cells whose k,N are these, as 2,50")
    parser.add_argument("--no-plot", action="store_true", help="which needs matplotlib")
    parser.add_argument("--output", type=Path, default=HERE / "COVERAGE.md")
    options = parser.parse_args()
    cells = list(itertools.product(KS, SIZES, SHARES, ABILITIES))
    if options.only:
        cells = [c for c in cells if f"{c[0]},{c[1]}" in options.only.split()]
    tasks = [(c, options.runs, options.n_resamples, options.seed) for c in reversed(cells)]
    start = time.perf_counter()
    with multiprocessing.Pool() as pool:
        rows = []
        for row in pool.imap(cell, tasks):
            rows.insert(0, row)
            figures = [f"{m} {row['coverage'][m, 'auto']:.3f}" for m in METRICS]
            print(*row["cell"], *figures, flush=True)
    minutes = (time.perf_counter() - start) / 60
    options.output.write_text(markdown(rows, options, minutes), encoding="utf-8")
    if not options.no_plot:
        plot(rows, options.output.with_suffix(".png"))


if __name__ == "__main__":
    main()
