"""Slices by question type (the paper's section 5.1, Figures 2 to 4).

The paper simulates a model that is right with probability 1/2, and else draws an answer by the
shares of its question type, on types of GQA's questions as they are and balanced: five runs, with
standard deviations. GQA is on no package index; these are the 9,673 test questions of easy-VQA
(Victor Zhou, MIT licence), whose types are told from their wording. Balanced means that as many
questions of each answer are kept as of its rarest one. The figures are not printed as numbers, so
that only what the text says of them can be set beside ours.
"""

import re
import sys

import numpy as np
import printed
import scoring
from scoring import draws, percent, table, text

SHOWN = {"accuracy": "accuracy", "balanced accuracy": "balanced_accuracy", "F1-Macro": "f1_macro",
         "MCC-Macro": "mcc_macro", "Informedness": "informedness", "NIT": "nit"}  # fmt: skip
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


def slice_section():
    rows = []
    for kind, split, counts, truth, found in slices():
        means, spreads = found.mean(axis=1), found.std(axis=1, ddof=1)
        cells = [f"{percent(m)} ± {percent(s)} ({percent(t)})"
                 for m, s, t in zip(means, spreads, truth, strict=True)]  # fmt: skip
        rows.append([kind, split, f"{counts.sum():,}", len(counts),
                     percent(counts.max() / counts.sum()), *cells])  # fmt: skip
    about = f"""
    Mean ± standard deviation of {printed.GQA_RUNS} runs, and in brackets what is expected of very
    many questions. "75% by accuracy, balanced accuracy and F1 on binary types": true of the
    balanced ones; of the original ones accuracy is 50 + 50 Σ π², with π the shares of the answers.
    That "Informedness and MCC-Macro find 0.5" is true; so would kappa, and any formula that is
    called Informedness, as this model cannot tell them apart.
    """
    head = ["type", "questions", "N", "answers", "commonest", *SHOWN]
    return "\n\n".join(["## Types as they are, and balanced", text(about), table(head, rows)])


def main():
    scoring.write(scoring.HERE / "SLICES.md", sys.modules[__name__], [slice_section()])


if __name__ == "__main__":
    main()
