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


def spread_at(counts, n_runs=20_000, seed=0):
    """Return Informedness in many runs over these questions."""
    rng = np.random.default_rng(seed)
    return scoring.scored("informedness", runs(np.array(counts), n_runs, rng))


# 46 questions of two answers: how they might be shared
FEW = {"even": (23, 23), "70%": (32, 14), "90%": (41, 5)}


def few_rows():
    """Return (shares, counts, spread of a run, of a mean of five, share of means near) in rows."""
    rng = np.random.default_rng(1)
    for title, counts in FEW.items():
        found = spread_at(counts)
        means = rng.permutation(found).reshape(-1, printed.GQA_RUNS).mean(axis=1)
        near = np.abs(means - printed.GQA_ABILITY) < 0.05
        yield title, counts, found.std(), means.std(), near.mean()


def closer(first, second, n_runs=20_000):
    """Return how often a mean of five runs is closer to the truth on the first than the second."""
    off = []
    for seed, counts in enumerate((first, second)):
        means = spread_at(counts, n_runs, seed).reshape(-1, printed.GQA_RUNS).mean(axis=1)
        off.append(np.abs(means - printed.GQA_ABILITY))
    return (off[0] < off[1]).mean()


def few_section():
    rows = [
        [title, " + ".join(map(str, counts)), percent(one), percent(five), f"{100 * near:.0f}%"]
        for title, counts, one, five, near in few_rows()
    ]
    uneven, even = FEW["70%"], (14, 14)
    share = closer(uneven, even)
    about = """
    The paper says that 0.5 is found with 46 samples too, and that the type of these is closer to
    the truth unbalanced than balanced. What Informedness does on 46 questions of two answers, when
    the truth is 50:
    """
    end = f"""
    So a single run tells little, and that a mean of five came out near 50 is luck about as much as
    it is the score. Of 46 questions as 32 + 14, the mean of five runs is closer to the
    truth than of the 28 that balancing leaves (14 + 14) in {100 * share:.0f}% of all such
    experiments, for want of questions alone; which of the two is closer in one experiment says
    little of balancing.

    Five runs show how the simulated model's luck varies over the same questions. They do not show
    what other questions would have made of it, and for a real model, whose answers do not vary, the
    spread over runs is 0. The interval of one run is the one to report.
    """
    head = ["commoner answer", "questions", "standard deviation of a run", "of a mean of five",
            "means within 5 points"]  # fmt: skip
    return "\n\n".join([f"## {printed.GQA_FEW} questions", text(about), table(head, rows),
                        text(end)])  # fmt: skip


def main():
    parts = [slice_section(), few_section()]
    scoring.write(scoring.HERE / "SLICES.md", sys.modules[__name__], parts)


if __name__ == "__main__":
    main()
