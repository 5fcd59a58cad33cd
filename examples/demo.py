"""Is it an 8? Two classifiers and a dummy on scikit-learn's digits, nine tenths of which are not.

Accuracy puts the dummy, which never says 8, far above a classifier that finds most of them.
"""

import csv
import os
import subprocess
import sys
from pathlib import Path

# The metrics are registered, so nothing needs to be asked of the Hub.
os.environ["HF_EVALUATE_OFFLINE"] = "1"

import evaluate
import numpy as np
from sklearn.datasets import load_digits
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

OUTPUT = Path("demo-output")
CLASSIFIERS = {
    "always the majority": DummyClassifier(strategy="most_frequent"),
    "naive Bayes": GaussianNB(),
    "logistic regression": LogisticRegression(solver="newton-cholesky", tol=1e-10),
}


def program() -> str:
    """Return the path of `informedness` to type, beside this Python."""
    path = Path(sys.executable).with_name("informedness")
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else path.name


def run(*command: str) -> None:
    """Show an `informedness` command and what it prints."""
    print(f"$ {program()} {' '.join(command)}", flush=True)
    subprocess.run([sys.executable, "-m", "informedness", *command], check=True)
    print()


def main() -> None:
    """Register, train, score through `evaluate`, and report on files of predictions."""
    run("register")
    informedness = evaluate.load("informedness")
    nit = evaluate.load("nit")

    pixels, digits = load_digits(return_X_y=True)
    labels = np.where(digits == 8, "8", "other")
    train, test, train_labels, references = train_test_split(
        pixels, labels, test_size=0.5, random_state=0, stratify=labels
    )
    OUTPUT.mkdir(exist_ok=True)
    rows = []
    for name, classifier in CLASSIFIERS.items():
        predictions = classifier.fit(train, train_labels).predict(test)
        path = OUTPUT / f"{name.replace(' ', '_')}.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["reference", "prediction"])
            writer.writerows(zip(references, predictions, strict=True))
        scores = informedness.compute(references=references, predictions=predictions)
        scores |= nit.compute(references=references, predictions=predictions)
        rows.append((name, accuracy_score(references, predictions), *scores.values()))

    columns = ("--references", "reference", "--predictions", "prediction")
    run("report", str(OUTPUT / "naive_Bayes.csv"), *columns)

    print(f"Is it an 8? {len(references)} digits, {(references == 'other').mean():.0%} are not.\n")
    print(f"{'':20} {'accuracy':>9} {'informedness':>13} {'NIT':>7}")
    for name, *values in rows:
        print("{:20} {:9.3f} {:13.3f} {:7.3f}".format(name, *values))
    print("\nNow score a file of your own. This lists its columns and the command to type:")
    print(f"  {program()} report FILE")


if __name__ == "__main__":
    main()
