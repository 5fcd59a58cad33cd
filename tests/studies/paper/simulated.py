"""The simulated model (the paper's section 3 and Figure 1).

A model is right with the probability x, its ability, and else draws a class. The paper draws it by
the shares of the classes, for two classes and for more. Its figure is not printed as numbers; what
the text says of it is set beside exact values here. The lines are exact: scores of the table of
probabilities. Beside each stands a sample of 10,000 from it.
"""

import sys

import numpy as np
import scoring
from scoring import FORMULAS, draws, percent, table, text

N_SAMPLES = 10_000
ABILITIES = (0.0, 0.25, 0.5, 0.75, 1.0)
# The largest class, the others alike: two classes and four.
LARGEST = {2: (0.5, 0.7, 0.9, 0.99), 4: (0.25, 0.5, 0.7, 0.9, 0.97)}
SCORES = {
    "accuracy": "accuracy",
    "balanced accuracy": "balanced_accuracy",
    "F1-Macro": "f1_macro",
    "kappa": "cohen_kappa",
    "MCC-Macro": "mcc_macro",
    "Informedness": "informedness",
    "NIT": "nit",
    "EMA": "ema",
}


def shares_of(k, largest):
    return np.array([largest] + [(1 - largest) / (k - 1)] * (k - 1))


def values(tables):
    return scoring.all_scored(SCORES.values(), tables)


def closed_forms(shares, ability):
    """Return what each score is of who draws by the shares, from accuracy to Informedness."""
    rest, k = 1 - ability, len(shares)
    by_chance = ability + rest * (shares**2).sum(), ability + rest / k
    return np.array([by_chance[0], by_chance[1], by_chance[1], ability, ability, ability])


def lines(k):
    """Return (largest share, ability, exact scores, scores of a sample) in rows."""
    rng = np.random.default_rng(k)
    for largest in LARGEST[k]:
        for ability in ABILITIES:
            cells = draws(shares_of(k, largest), ability)
            sample = rng.multinomial(N_SAMPLES, cells.ravel()).reshape(k, k)
            yield largest, ability, *values([cells, sample]).T


def line_section(k):
    rows, worst = [], 0.0
    for largest, ability, exact, sample in lines(k):
        both = zip(exact, sample, strict=True)
        rows.append([largest, ability, *(f"{percent(a)} / {percent(b)}" for a, b in both)])
        known = closed_forms(shares_of(k, largest), ability)
        worst = max(worst, np.abs(exact[: len(known)] - known).max())
    about = f"""
    Exact / in a sample of {N_SAMPLES:,}. The exact values of all scores but NIT and EMA are the
    closed forms below{"" if worst < 1e-12 else ", but for a mistake"}.
    """
    head = ["largest class", "ability", *SCORES]
    word = {2: "Two", 4: "Four"}[k]
    return "\n\n".join([f"## {word} classes", text(about), table(head, rows)])


def form_section():
    rows = [
        ["accuracy", "x + (1 - x) Σ π²"],
        ["balanced accuracy", "x + (1 - x) / k"],
        ["F1-Macro", "x + (1 - x) / k, as precision and recall of each class are equal"],
        ["kappa, MCC (both kinds)", "x"],
        ["Informedness, by each formula", "x"],
        ["NIT", "2^MI / k: 1/k at x = 0, 2^H / k at x = 1"],
        ["EMA", "2^MI / 2^H: 1 / 2^H at x = 0, 1 at x = 1"],
    ]
    about = """
    With π the shares of k classes, of which the model draws where it does not know:
    """
    end = """
    So kappa, MCC and Informedness are the same line here, and Informedness has it by Powers'
    formula, prevalence-weighted, macro, by equation 5 and by the released code: every class is
    predicted as often as it occurs, and so every precision is its recall. No figure of this model,
    and none of section 5.1, can tell these apart, nor find a mistake in them.
    """
    return "\n\n".join(["## Closed forms", text(about), table(["", ""], rows), text(end)])


# Two other ways to guess, of three classes: evenly, and always the largest class.
SHARES = np.array([0.7, 0.2, 0.1])
OTHER_GUESSES = {
    "by the shares": SHARES,
    "evenly": np.full(3, 1 / 3),
    "by shares in reverse": SHARES[::-1],
    "always the largest": np.array([1.0, 0.0, 0.0]),
}


def other_guesses(ability):
    """Return for each way to guess the scores and the formulas of its exact table."""
    for how, guesses in OTHER_GUESSES.items():
        cells = draws(SHARES, ability, guesses)[None]
        found = dict(zip(SCORES, values(cells)[:, 0], strict=True))
        made = scoring.sums(cells)
        yield how, found | {name: formula(made)[0] for name, formula in FORMULAS.items()}


def other_section():
    parts = []
    shown = ["kappa", "MCC-Macro", *FORMULAS]
    for ability in (0.0, 0.5):
        rows = [
            [how, *(percent(found[name]) for name in shown)]
            for how, found in other_guesses(ability)
        ]
        parts.append(text(f"Ability {percent(ability, 0)}:"))
        parts.append(table(["draws", *shown], rows))
    about = """
    What tells the formulas apart is a model that draws otherwise. Three classes with shares of 70,
    20 and 10 percent:
    """
    end = """
    Powers' formula gives the ability however the model guesses, and so do its prevalence-weighted
    and its macro average: whatever shares q it draws by, TPR - FPR of each class is
    x + (1 - x) q - (1 - x) q. Kappa, MCC, equation 5 and the released code do not; equation 5 calls
    a model perfect that always gives the largest class. The averages differ once a model knows some
    classes better than others.
    """
    return "\n\n".join(["## Guesses that do not follow the prevalence", text(about), *parts,
                        text(end)])  # fmt: skip


def uneven_section():
    abilities = np.array([0.9, 0.5, 0.1])
    rows = []
    for title, by_class in (
        ("best at the largest", abilities),
        ("at the smallest", abilities[::-1]),
    ):
        guessed = np.outer((1 - by_class) * SHARES, SHARES)
        cells = (np.diag(by_class * SHARES) + guessed)[None]
        made = scoring.sums(cells)
        found = dict(zip(SCORES, values(cells)[:, 0], strict=True))
        known = by_class @ SHARES
        rows.append([title, percent(known), percent(found["MCC-Macro"]), percent(found["kappa"]),
                     *(percent(formula(made)[0]) for formula in FORMULAS.values())])  # fmt: skip
    about = """
    The same classes, known to 90, 50 and 10 percent, or the other way round, the rest drawn by the
    shares:
    """
    end = """
    "MCC-Macro behaves as Informedness where ability is even over the classes" is true for draws by
    prevalence, where they are the same. Where ability is uneven no formula finds the share of
    decisions that were informed, which the second column has: what one class is confused with makes
    false positives of another.
    """
    head = ["ability", "share of samples known", "MCC-Macro", "kappa", *FORMULAS]
    return "\n\n".join(["## Uneven ability", text(about), table(head, rows), text(end)])


def small_section():
    rng = np.random.default_rng(1)
    rows = []
    for k, largest in ((2, 0.5), (2, 0.9), (4, 0.25), (4, 0.7)):
        shares = shares_of(k, largest)
        for n in (20, 50, 200):
            drawn = rng.multinomial(n, draws(shares, 0.5).ravel(), size=4000).reshape(-1, k, k)
            kept = drawn[(drawn.sum(axis=2) > 0).sum(axis=1) > 1]
            found = values(kept)
            cells = zip(found.mean(axis=1), found.std(axis=1, ddof=1), strict=True)
            rows.append([k, largest, n, *(f"{percent(m)} ± {percent(s)}" for m, s in cells)])
    about = """
    "Fewer than 50 samples are unstable", says the paper of Informedness, and also that Informedness
    and MCC-Macro find an ability of 0.5 in 46 samples. The mean of 4,000 samples of this ability, ±
    their standard deviation; those with one class are left out:
    """
    end = """
    The standard deviation halves from 50 samples to 200, as that of any mean does, so nothing
    happens at 50. Of two classes that of Informedness is always twice that of balanced accuracy,
    which has half of its range: 12 points with 50 samples of even classes, and 25 where one class
    has 90%, so that only five samples are of the other. What counts is not N but how many samples
    the rarest class has.
    """
    head = ["classes", "largest", "N", *SCORES]
    return "\n\n".join(["## Few samples", text(about), table(head, rows), text(end)])


def claim_section():
    rng = np.random.default_rng(0)
    rows = []
    for n, k in ((50, 2), (50, 4), (1000, 4), (10_000, 4), (1000, 30)):
        chance = np.full((k, k), 1 / k**2).ravel()
        nit = scoring.scored("nit", rng.multinomial(n, chance, size=500).reshape(-1, k, k))
        bias = np.exp((k - 1) ** 2 / (2 * n)) / k
        rows.append([n, k, percent(1 / k), percent(nit.mean()), percent(bias)])
    about = """
    - Accuracy is distorted as either class grows: so it is, by (1 - x) Σ π².
    - Balanced accuracy and F1-Macro are robust to prevalence and pay for chance: so they are and
      do, but F1-Macro only where the model draws by prevalence.
    - NIT is like accuracy because mutual information with a draw from the same prior is high: it is
      not. It is 0, whatever the prior, and NIT is 1/k. What looks like accuracy is that NIT begins
      at 1/k and that its end, 2^H / k, falls as one class grows, where accuracy's beginning rises.
      In a sample mutual information is biased upwards, by about (k - 1)² / 2N nats:
    """
    claims = "\n".join(
        line.removeprefix("    ") for line in about.strip("\n").rstrip().splitlines()
    )
    head = ["N", "k", "1/k", "NIT of a guesser, mean of 500", "by the rule"]
    return "\n\n".join(["## What the paper says of it", claims, table(head, rows)])


def main():
    parts = [*(line_section(k) for k in LARGEST), form_section(), other_section(),
             uneven_section(), small_section(), claim_section()]  # fmt: skip
    scoring.write(scoring.HERE / "SIMULATED.md", sys.modules[__name__], parts)


if __name__ == "__main__":
    main()
