"""Slices by question type, the paper's section 5.1: makes the tables of SLICES.md."""

import re

import numpy as np
import printed
import scoring
from scoring import FORMULAS, draws, percent, table

LEFT_OUT = ("kappa", "MCC", "EMA")
SHOWN = {title: name for title, name in scoring.SCORES.items() if title not in LEFT_OUT}
COLOURS = "red|green|blue|black|gray|teal|brown|yellow"


def type_of(question):
    """Return the type of a question: what it asks for, and whether it denies it."""
    words = question.rstrip("?").split()
    if words[0] == "what":
        asks_colour = "color" in words
        return "which colour" if asks_colour else "which shape"
    subject = "colour" if re.search(rf"\b({COLOURS})\b", question) else "shape"
    return f"is there {'no ' if {'no', 'not'} & set(words) else 'a '}{subject}"


def questions():
    """Return the number of questions of each answer, by type."""
    from easy_vqa import get_test_questions

    asked, answers, _ = get_test_questions()
    counts = {}
    for question, answer in zip(asked, answers, strict=True):
        of_type = counts.setdefault(type_of(question), {})
        of_type[answer] = of_type.get(answer, 0) + 1
    return {kind: np.array(sorted(of.values())[::-1]) for kind, of in sorted(counts.items())}


def balanced(counts):
    return np.full_like(counts, counts.min())


def runs(counts, n_runs, rng, ability=printed.GQA_ABILITY):
    """Return a table for each run of the model over the same questions."""
    shares = counts / counts.sum()
    answers = ability * np.eye(len(counts)) + (1 - ability) * shares
    rows = [rng.multinomial(n, p, size=n_runs) for n, p in zip(counts, answers, strict=True)]
    return np.stack(rows, axis=1)


def values(tables):
    return scoring.all_scored(SHOWN.values(), tables)


def slices(n_runs=printed.GQA_RUNS, seed=0):
    """Return (type, split, counts, truth, scores of the runs) in rows."""
    rng = np.random.default_rng(seed)
    for kind, counts in questions().items():
        for split, of_split in (("original", counts), ("balanced", balanced(counts))):
            truth = values(draws(of_split / of_split.sum(), printed.GQA_ABILITY)[None])[:, 0]
            yield kind, split, of_split, truth, values(runs(of_split, n_runs, rng))


def slice_table():
    rows = []
    for kind, split, counts, truth, found in slices():
        means, spreads = found.mean(axis=1), found.std(axis=1, ddof=1)
        cells = [f"{percent(m)} ± {percent(s)} ({percent(t)})"
                 for m, s, t in zip(means, spreads, truth, strict=True)]  # fmt: skip
        rows.append([kind, split, f"{counts.sum():,}", len(counts),
                     percent(counts.max() / counts.sum()), *cells])  # fmt: skip
    head = ["type", "questions", "N", "answers", "commonest", *SHOWN]
    return table(head, rows)


# A linear discriminant analysis of four classes (VF, F, M, L) in ten folds, references in rows: the
# counts of hpc_cv in R's modeldata (MIT licence), data of Kuhn and Johnson (2013).
HPC_CV = """
166 11 0 0  33 71 3 1  8 24 5 4  1 7 3 10
166 11 0 0  37 65 1 5  5 23 6 7  1 6 4 10
167 8 2 0  33 71 1 3  4 19 11 7  2 4 1 14
163 14 0 0  38 64 4 2  6 25 8 2  2 3 4 12
162 15 0 0  36 66 3 3  5 20 10 6  1 10 1 9
162 15 0 0  43 62 1 2  6 20 8 7  0 7 4 10
156 18 2 0  38 61 2 6  10 19 4 8  1 7 1 12
164 11 0 2  37 65 4 2  7 22 10 3  1 4 4 12
156 20 1 0  40 56 2 10  4 28 7 2  0 4 2 14
158 18 1 0  36 66 3 2  9 19 10 4  0 8 4 8
"""


def folds():
    """Return the table of each fold."""
    return np.array(HPC_CV.split(), dtype=int).reshape(-1, 4, 4)


def fold_table():
    made = scoring.sums(folds())
    found = {name: scoring.scored(score, folds()) for name, score in SHOWN.items()}
    del found["Informedness"]
    found |= {name: formula(made) for name, formula in FORMULAS.items()}
    rows = []
    for name, of in found.items():
        mean = f"{percent(of.mean())} ± {percent(of.std(ddof=1))}"
        rows.append([name, percent(of.min()), percent(of.max()), mean])
    return table(["score", "lowest fold", "highest fold", "mean ± SD"], rows)


def main():
    scoring.write("slices", [slice_table(), fold_table()])


if __name__ == "__main__":
    main()
