"""What the command line prints of 34 kinds of data, into tests/results/outputs/; see what changed.

`make outputs` writes the files anew. The data are made from matrices, so they are always the same.
"""

import contextlib
import io
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from informedness.cli import main

ROOT = Path(__file__).resolve().parents[2]
OUTPUTS = Path(__file__).with_name("outputs")
SPAM, THREE = ["ham", "spam"], ["entailment", "neutral", "contradiction"]
Rows = list[list[object]]


def rows_of(matrix: list[list[int]], classes: list[str], others: list[str] = ()) -> Rows:
    """Return one [reference, prediction] per sample; further columns are the other predictions."""
    names = [*classes, *others]
    cells = ((i, j, n) for i, row in enumerate(matrix) for j, n in enumerate(row))
    return [[classes[i], names[j]] for i, j, n in cells for _ in range(n)]


def with_columns(rows: Rows, *columns: Callable[[int], object]) -> Rows:
    """Return rows with more columns, each a function of the number of the row."""
    return [[*row, *(column(i) for column in columns)] for i, row in enumerate(rows)]


def tables() -> dict[str, tuple[str, Rows]]:
    """Return the header and the rows of each file."""
    two = rows_of([[840, 60], [20, 80]], SPAM)
    three = rows_of([[301, 38, 22], [60, 201, 47], [25, 61, 245]], THREE)
    ten = [f"class {letter}" for letter in "ABCDEFGHIJ"]
    wrong = [[12 if i == j else (i * j) % 3 for j in range(10)] for i in range(10)]
    outside = rows_of([[150, 20, 30], [15, 165, 20]], ["yes", "no"], ["cannot say"])
    few_outside = rows_of([[170, 26, 4], [15, 183, 2]], ["yes", "no"], ["cannot say"])
    better = [row[0] if i % 2 else row[1] for i, row in enumerate(two)]
    genres = ["fiction", "news", "mail"]
    uneven = [[row[0], row[1] if i % 3 < 2 or i % 2 else THREE[1]] for i, row in enumerate(three)]
    sliced = with_columns(uneven, lambda i: genres[i % 3], lambda i: 1 + i**2 % 113)
    return {
        "two.csv": ("label,model", two),
        "three.csv": ("label,model", three),
        "ten.csv": ("label,model", rows_of(wrong, ten)),
        "outside.csv": ("label,model", outside),
        "few_outside.csv": ("label,model", few_outside),
        "small.csv": ("label,model", rows_of([[6, 1], [2, 3]], SPAM)),
        "guess.csv": ("label,model", rows_of([[40, 35], [30, 25]], SPAM)),
        "inverted.csv": ("label,model", rows_of([[5, 60], [50, 5]], SPAM)),
        "one_class.csv": ("label,model", rows_of([[40, 10], [0, 0]], SPAM)),
        "constant.csv": ("label,model", rows_of([[90, 0], [10, 0]], SPAM)),
        "weights.csv": ("label,model,weight", with_columns(two, lambda i: 0.5 + i % 3)),
        "grouped.csv": ("label,model,document", with_columns(two, lambda i: i // 4)),
        "slices.csv": ("label,model,genre,length", sliced),
        "models.csv": (
            "label,first,second,third",
            [[*row, b, "ham"] for row, b in zip(two, better, strict=True)],
        ),
        "close.csv": (
            "label,a,b",
            [
                [*row, row[0] if i % 14 == 0 else SPAM[i % 2] if i % 101 == 0 else row[1]]
                for i, row in enumerate(two)
            ],
        ),
        "tasks.csv": ("label,model,genre", with_columns(uneven, lambda i: genres[i % 3])),
        "pairs.csv": (
            "label,a,b,genre",
            with_columns(
                [[*row, row[0] if i % 5 == 0 else row[1]] for i, row in enumerate(three)],
                lambda i: genres[i % 3],
            ),
        ),
        "matrix.csv": (",ham,spam", [["ham", 84, 6], ["spam", 2, 8]]),
    }


ONE = "-r label -p model"
COMMANDS = {
    "01_two_classes": f"report two.csv {ONE}",
    "02_two_classes_with_level": f"report two.csv {ONE} --confidence-level 0.9",
    "03_three_classes": f"report three.csv {ONE}",
    "04_three_classes_prevalence": f"report three.csv {ONE} --average prevalence",
    "05_ten_classes": f"report ten.csv {ONE} --confidence-level 0.95",
    "06_many_out_of_class": f"report outside.csv {ONE}",
    "07_few_out_of_class_declared": f"report few_outside.csv {ONE} --labels yes no --unknown wrong",
    "08_small_sample": f"report small.csv {ONE}",
    "09_guesses": f"report guess.csv {ONE}",
    "10_worse_than_guessing": f"report inverted.csv {ONE}",
    "11_one_class": f"report one_class.csv {ONE}",
    "12_constant": f"report constant.csv {ONE}",
    "13_weights": f"report weights.csv {ONE} --weights weight",
    "14_groups": f"report grouped.csv {ONE} --groups document --confidence-level 0.95",
    "15_matrix": "report matrix.csv",
    "16_slices": f"report slices.csv {ONE} --by genre --vs-rest informedness",
    "17_slices_with_level": f"report slices.csv {ONE} --by length --confidence-level 0.95",
    "18_leaderboard": "report models.csv -r label -p first second third",
    "19_compare_better": "compare models.csv -r label -p first second",
    "20_compare_not_shown": "compare close.csv -r label -p a b --margin 0.02",
    "21_tasks": f"report tasks.csv {ONE} --by-task genre",
    "22_compare_tasks": "compare pairs.csv -r label -p a b --by-task genre",
    "23_one_log": "report runs/lm-eval/knows-half --task arithmetic_letters",
    "24_logs": "report runs/lm-eval",
    "25_html": f"report two.csv {ONE} --format html",
    "26_markdown": f"report three.csv {ONE} --format markdown",
    "27_latex": f"report two.csv {ONE} --format latex",
    "28_json": f"report three.csv {ONE} --format json",
    "29_csv": f"report two.csv {ONE} --format csv",
    "30_metric": f"report three.csv {ONE} --metric informedness",
    "31_compare_three_classes": "compare pairs.csv -r label -p a b",
    "32_no_intervals": f"report two.csv {ONE} --no-intervals",
    "33_slices_in_quantiles": f"report slices.csv {ONE} --by length:4 --sort informedness",
    "34_slices_by_score": f"report slices.csv {ONE} --by genre --sort accuracy",
}


def printed_by(command: str) -> str:
    """Return a command with what it prints: standard error, then standard output."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        exit_code = main(shlex.split(command))
    end = f"(exit code {exit_code})\n" if exit_code else ""
    return f"$ informedness {command}\n{err.getvalue()}{out.getvalue()}{end}"


def outputs() -> dict[str, str]:
    """Return the output of every command by name."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            shutil.copytree(ROOT / "examples" / "runs", "runs")
            for name, (head, rows) in tables().items():
                lines = [head, *(",".join(map(str, row)) for row in rows)]
                Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
            return {name: printed_by(command) for name, command in COMMANDS.items()}
        finally:
            os.chdir(before)


def write_outputs() -> None:
    """Write the outputs of today."""
    OUTPUTS.mkdir(exist_ok=True)
    for name, text in outputs().items():
        (OUTPUTS / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(write_outputs())
