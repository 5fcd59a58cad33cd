"""Published answers of four detectors of hate speech: `make hatecheck`, writes HATECHECK.md.

HateCheck (Röttger and others 2021, https://aclanthology.org/2021.acl-long.4) tests detectors of
hate speech with short texts, most of them made from templates: 3,728 cases, 69% of them hateful by
design. The labels are read from a clone of github.com/paul-rottger/hatecheck-data (commit d843022,
CC BY 4.0), the detectors' answers of 2020 from one of github.com/paul-rottger/hatecheck-experiments
(commit 42fae2a, without a licence statement). CHECKOUTS is the folder that holds both clones.
No row of either is copied here.

Intervals are at 95%. Those by template take the cases of a template for a group (`groups=`).
"""

import argparse
import pickle
import time
from pathlib import Path

import numpy as np
import pandas as pd
import populations as of
from paper import scoring

from informedness import estimate, leaderboard

HERE = Path(__file__).parent
CASES = "hatecheck-data/test_suite_cases.csv"
ANSWERS = ["results_BERT_weighted_ACL.pkl", "results_commercial_models_ACL.pkl"]
DETECTORS = {
    "Perspective": "pred_perspective",
    "BERT, Davidson 2017": "pred_BERT_davidson2017_weighted",
    "BERT, Founta 2018": "pred_BERT_founta2018_weighted",
    "SiftNinja": "pred_siftninja",
}
ALWAYS = 'always "hateful"'
# What a data frame of pandas 1 names in a pickle. Names are listed, because a module such as pandas
# holds functions that read files or run text.
NAMES = {
    "builtins": {"slice"},
    "numpy": {"dtype", "ndarray"},
    "numpy.core.multiarray": {"_reconstruct"},
    "numpy.core.numeric": {"_frombuffer"},
    "pandas.core.arrays.string_": {"StringArray", "StringDtype"},
    "pandas.core.frame": {"DataFrame"},
    "pandas.core.indexes.base": {"Index", "_new_Index"},
    "pandas.core.indexes.range": {"RangeIndex"},
    "pandas.core.internals.managers": {"BlockManager"},
}


class OfPandas1(pickle.Unpickler):
    """Reads a data frame that pandas 1 wrote, and refuses anything else."""

    def find_class(self, module, name):
        if module == "pandas.core.indexes.numeric":  # pandas 2 has one Index for all of them
            return pd.Index
        if name not in NAMES.get(module, ()):
            raise pickle.UnpicklingError(f"{module}.{name} is not part of a data frame")
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def read_pickle(path):
    with path.open("rb") as file:
        frame = OfPandas1(file).load()
    # built anew, because columns of the type string lack what today's pandas expects of it
    return pd.DataFrame({name: list(np.asarray(frame[name].array)) for name in frame.columns})


def read_cases(checkouts):
    """Return the labels of all cases, their templates and what each detector answered."""
    columns = ["case_id", "label_gold", "target_ident", "templ_id", "case_templ"]
    cases = pd.read_csv(checkouts / CASES, usecols=columns)
    for name in ANSWERS:
        answers = read_pickle(checkouts / "hatecheck-experiments" / "Data" / "Test Suite" / name)
        cases = cases.merge(answers, on="case_id", validate="one_to_one")
    return cases


def accuracy(references, predictions):
    return f"{np.mean(references == predictions):.3f}"


def interval(made):
    low, high = made.confidence_interval
    return f"{low:.3f} to {high:.3f}"


def width(made):
    low, high = made.confidence_interval
    return high - low


def detector_table(cases):
    gold, rows = cases["label_gold"], []
    for title, column in DETECTORS.items():
        single, grouped = (
            estimate(gold, cases[column], groups=groups) for groups in (None, cases["templ_id"])
        )
        rows.append([title, accuracy(gold, cases[column]), f"{grouped.value:.3f}",
                     interval(grouped), interval(single),
                     f"{width(grouped) / width(single):.2f}"])  # fmt: skip
    rows.append([ALWAYS, accuracy(gold, "hateful"), "0.000", "", "", ""])
    head = ["detector", "accuracy", "Informedness", "interval by template", "without groups",
            "times as wide"]  # fmt: skip
    return scoring.table(head, rows)


def group_table(cases):
    """Return the scores of Perspective on all cases that speak of a group, group by group."""
    rows = []
    for target, part in cases.groupby("target_ident"):
        gold, answers = part["label_gold"], part["pred_perspective"]
        made = estimate(gold, answers, groups=part["templ_id"])
        is_hateful = gold == "hateful"
        rows.append([target, len(part), f"{is_hateful.mean():.3f}", accuracy(gold, answers),
                     f"{made.value:.3f}", interval(made)])  # fmt: skip
    rows.sort(key=lambda row: -float(row[4]))
    head = ["group", "cases", "hateful", "accuracy", "Informedness", "interval by template"]
    return scoring.table(head, rows)


def template_section(cases):
    """Return the same of the templates into which every group is put, which ranks the groups."""
    filled = cases[cases["case_templ"].str.contains("IDENTITY", regex=False)]
    answers, labels = (
        filled.pivot(index="templ_id", columns="target_ident", values=column)
        for column in ("pred_perspective", "label_gold")
    )
    gold = labels.iloc[:, 0]
    if answers.isna().any(axis=None) or not labels.eq(gold, axis=0).all(axis=None):
        raise ValueError("a template lacks a group, or has two labels")
    board = leaderboard(gold, dict(answers.items()))
    rows = [[x.name, f"{x.accuracy:.3f}", f"{x.value:.3f}", interval(x.estimate), x.rank_range]
            for x in board.models]  # fmt: skip
    best, worst = board.models[0], board.models[-1]
    made, p_value = (x[worst.name, best.name] for x in (board.comparisons, board.p_values))
    found, alarms = (
        [f"{(answers.loc[gold == label, x.name] == 'hateful').mean():.0%}" for x in (best, worst)]
        for label in ("hateful", "non-hateful")
    )
    n_apart, n_pairs = sum(p < 0.05 for p in board.p_values.values()), len(board.p_values)
    return "\n\n".join([
        scoring.text(f"""{len(gold)} templates are filled with each group in turn and keep their
            label, so two groups compare like two models on the same samples. The accuracy is the
            one that the authors print. Ranks are those that the tests do not rule out (Holm,
            {n_pairs} pairs); {n_apart} pairs are told apart."""),
        scoring.table(["group", "accuracy", "Informedness", "interval", "ranks"], rows),
        scoring.text(f"""Filled with "{best.name}" rather than "{worst.name}", {made.gained}
            templates are answered rightly that were not, and {made.lost} no longer are. So
            accuracy is {best.accuracy:.3f} and {worst.accuracy:.3f}. Informedness differs by
            {made.difference:.3f} ({interval(made)}; p = {p_value:.3f} by Holm): Perspective finds
            {" and ".join(found)} of the hateful cases, but raises an alarm for
            {" and ".join(alarms)} of the others."""),
    ])  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", type=Path, help="the folder that holds both clones")
    parser.add_argument("--output", type=Path, default=HERE / "HATECHECK.md")
    options = parser.parse_args()
    start = time.perf_counter()
    cases = read_cases(options.checkouts)
    sections = {
        "Detectors": detector_table(cases),
        "Perspective, by the group spoken of": group_table(cases),
        "Perspective, on the same templates": template_section(cases),
    }
    made_with = of.made_with((time.perf_counter() - start) / 60)
    command = "    python tests/studies/hatecheck.py CHECKOUTS"
    head = ["# HateCheck", command, "\n".join(__doc__.splitlines()[2:]), made_with]
    of.write_page(options.output, "\n\n".join(head), sections)


if __name__ == "__main__":
    main()
