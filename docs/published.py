"""Draw the figure of published-results.md: python docs/published.py [OUTPUT].

BIG-Bench Hard is scored from examples/bbh.csv, and HateCheck read from the tables of its study. Run
it again after a change of either.
"""

import io
import re
import sys
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from informedness import ContingencyTable, estimate

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "docs" / "assets" / "published.svg"
ANSWERS, STUDY = ROOT / "examples" / "bbh.csv", ROOT / "tests" / "studies" / "HATECHECK.md"
INK, BLUE = "black", "#0b4f8a"
# Text stays text, and the same numbers make the same file.
STYLE = {"font.size": 7, "svg.fonttype": "none", "svg.hashsalt": "published"}


def task_rows(column: str) -> pd.DataFrame:
    """Return the scores of a column of bbh.csv, one row per task, best first."""
    rows = {}
    answers = pd.read_csv(ANSWERS, dtype=str, keep_default_na=False)
    for task, part in answers.groupby("task"):
        targets, given = part["target"], part[column]
        table = ContingencyTable.from_labels(
            references=targets, predictions=given, labels=targets.unique(), unknown="wrong"
        )
        made = estimate(table, average="prevalence")
        accuracy = (targets == given).mean()
        rows[task.replace("_", " ")] = (accuracy, made.value, *made.confidence_interval)
    frame = pd.DataFrame.from_dict(
        rows, orient="index", columns=["accuracy", "Informedness", "low", "high"]
    )
    return frame.sort_values("Informedness", ascending=False)


def study_rows(heading: str, interval: str) -> pd.DataFrame:
    """Return the rows of a table of the study on HateCheck, with the bounds of this interval."""
    _, text = STUDY.read_text(encoding="utf-8").split(f"\n## {heading}\n")
    block = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)[0]
    frame = pd.read_csv(io.StringIO(block), sep=r"\s*\|\s*", engine="python", skiprows=[1])
    frame = frame.set_index(frame.columns[1])
    ends = frame[interval].str.extract("(?P<low>.+) to (?P<high>.+)").astype(float)
    return frame[["accuracy", "Informedness"]].join(ends)


def draw(rows: pd.DataFrame, title: str, ax: Axes) -> None:
    """Draw the rows one below the other, with the value at the right."""
    places, values = range(len(rows)), rows["Informedness"]
    ax.hlines(places, rows["low"], rows["high"], color=BLUE, linewidth=1.3)
    ax.plot(values, places, "o", color=BLUE, markersize=4, label="Informedness, 95% interval")
    ax.plot(rows["accuracy"], places, "D", color=INK, mfc="white", ms=3.5, mew=0.8,
            label="accuracy")  # fmt: skip
    for place, value in zip(places, values, strict=True):
        ax.text(
            1.03,
            place,
            f"{round(value, 2) + 0.0:.2f}",
            va="center",
            transform=ax.get_yaxis_transform(),
        )
    ax.axvline(0, color=INK, linewidth=0.8, zorder=0)
    ax.set_yticks(places, rows.index)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlim(-0.12, 1)
    ax.set_xticks([0, 0.5, 1], ["0: guessing", "0.5", "1"])
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.set_title(title, fontsize=7, fontweight="bold", loc="left")


def main(output: str | Path = OUTPUT) -> None:
    """Draw all three parts into one picture."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(7.2, 4.2), layout="constrained")
        axes = figure.subplot_mosaic(
            [["tasks", "detectors"], ["tasks", "groups"]], height_ratios=[5, 7]
        )
        draw(task_rows("direct"), "BIG-Bench Hard, answered directly", axes["tasks"])
        detectors = study_rows("Detectors", "interval by template")
        draw(detectors, "HateCheck: four detectors", axes["detectors"])
        groups = study_rows("Perspective, on the same templates", "interval")
        draw(groups, "Perspective by group, same templates", axes["groups"])
        handles, labels = axes["tasks"].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)
        figure.savefig(output, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])
