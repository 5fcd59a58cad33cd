"""The simulated model of the paper's section 3 and Figure 1: makes the tables of SIMULATED.md."""

import numpy as np
import scoring
from scoring import FORMULAS, draws, percent, table

N_SAMPLES = 10_000
ABILITIES = (0.0, 0.25, 0.5, 0.75, 1.0)
# The largest class, the others alike: two classes and four.
LARGEST = {2: (0.5, 0.7, 0.9, 0.99), 4: (0.25, 0.5, 0.7, 0.9, 0.97)}
SCORES = {title: name for title, name in scoring.SCORES.items() if title != "MCC"}


def shares_of(k, largest):
    return np.array([largest] + [(1 - largest) / (k - 1)] * (k - 1))


def values(tables):
    return scoring.all_scored(SCORES.values(), tables)


def lines(k):
    """Return (largest share, ability, exact scores, scores of a sample) in rows."""
    rng = np.random.default_rng(k)
    for largest in LARGEST[k]:
        for ability in ABILITIES:
            cells = draws(shares_of(k, largest), ability)
            sample = rng.multinomial(N_SAMPLES, cells.ravel()).reshape(k, k)
            yield largest, ability, *values([cells, sample]).T


def line_table(k):
    rows = []
    for largest, ability, exact, sample in lines(k):
        both = zip(exact, sample, strict=True)
        rows.append([largest, ability, *(f"{percent(a)} / {percent(b)}" for a, b in both)])
    return table(["largest class", "ability", *SCORES], rows)


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


def other_table(ability):
    shown = ["kappa", "MCC-Macro", *FORMULAS]
    rows = [[how, *(percent(found[x]) for x in shown)] for how, found in other_guesses(ability)]
    return table(["draws", *shown], rows)


def uneven_table():
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
    head = ["ability", "share of samples known", "MCC-Macro", "kappa", *FORMULAS]
    return table(head, rows)


def small_table():
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
    return table(["classes", "largest", "N", *SCORES], rows)


def chance_table():
    rng = np.random.default_rng(0)
    rows = []
    for n, k in ((50, 2), (50, 4), (1000, 4), (10_000, 4), (1000, 30)):
        chance = np.full((k, k), 1 / k**2).ravel()
        nit = scoring.scored("nit", rng.multinomial(n, chance, size=500).reshape(-1, k, k))
        bias = np.exp((k - 1) ** 2 / (2 * n)) / k
        rows.append([n, k, percent(1 / k), percent(nit.mean()), percent(bias)])
    head = ["N", "k", "1/k", "NIT of a guesser, mean of 500", "by the rule"]
    return table(head, rows)


def main():
    parts = [line_table(k) for k in LARGEST] + [other_table(x) for x in (0.0, 0.5)]
    scoring.write("simulated", [*parts, uneven_table(), small_table(), chance_table()])


if __name__ == "__main__":
    main()
