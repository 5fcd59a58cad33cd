"""The populations of the studies: class shares, and classifiers of many kinds.

A population is a k x k table of probabilities, rows references; samples of it are multinomial. Its
true scores follow from the table. Where some answers are no class, they have a column more.
"""

import itertools
import math
import multiprocessing
import platform
import time
from functools import cache

import numpy as np

import informedness

SHARES = ("even", "geometric", "zipf", "90%", "98%", "99%", "two large", "steep", "95%")


def class_shares(kind, k):
    """Return the shares of the classes, largest first."""
    ranks = np.arange(k)
    if kind == "even":
        shares = np.ones(k)
    elif kind == "geometric":
        shares = 0.6 ** np.minimum(ranks, 12)
    elif kind == "zipf":
        shares = 1 / (1 + ranks)
    elif kind == "steep":
        shares = 1 / (1 + ranks) ** 2
    elif kind == "two large":
        shares = np.where(ranks < 2, 0.45, 0.1 / (k - 2) if k > 2 else 0)
    else:
        largest = float(kind.rstrip("%")) / 100
        shares = np.array([largest] + [(1 - largest) / (k - 1)] * (k - 1))
    return shares / shares.sum()


def knows_a_share(pi, ability):
    """Right with this probability, else guesses a class by its share."""
    return ability * np.eye(len(pi)) + (1 - ability) * pi


def neighbours(pi, ability=0.85):
    """Confuses each class with the next."""
    return ability * np.eye(len(pi)) + (1 - ability) * np.roll(np.eye(len(pi)), 1, axis=1)


def one_missed(pi):
    """Finds 5% of the last class, takes the rest of it for the first; else mostly right."""
    table = knows_a_share(pi, 0.9)
    table[-1] = 0
    table[-1, [0, -1]] = 0.95, 0.05
    return table


def never_predicts(pi):
    """Never answers the last class."""
    table = knows_a_share(pi, 0.8)
    table[:, 0] += table[:, -1]
    table[:, -1] = 0
    return table


def seldom_predicts(pi):
    """Answers the last class a tenth as often as it should."""
    table = knows_a_share(pi, 0.8)
    table[:, 0] += 0.9 * table[:, -1]
    table[:, -1] *= 0.1
    return table


def falls_to_the_largest(pi, ability=0.6):
    """Takes for the first class whatever it does not know."""
    table = ability * np.eye(len(pi))
    table[:, 0] += 1 - ability
    return table


def falls_to_the_rarest(pi, ability=0.9):
    """Takes for the last class whatever it does not know."""
    table = ability * np.eye(len(pi))
    table[:, -1] += 1 - ability
    return table


def guesses_evenly(pi):
    """Knows nothing: every class is as likely."""
    return np.full((len(pi), len(pi)), 1 / len(pi))


def guesses_by_share(pi):
    """Knows nothing: guesses by the shares."""
    return np.tile(pi, (len(pi), 1))


def constant(pi):
    """Always answers the largest class."""
    return falls_to_the_largest(pi, 0.0)


def uneven(pi):
    """Recall from 0.98 down to 0.3, each class confused with a few others above all."""
    k = len(pi)
    rng = np.random.default_rng(k)
    confusion = rng.dirichlet(np.full(k, 0.3), size=k) * (1 - np.eye(k)) + 1e-6 * (1 - np.eye(k))
    recall = np.linspace(0.98, 0.3, k)
    wrong = confusion / confusion.sum(axis=1, keepdims=True)
    return np.diag(recall) + (1 - recall)[:, None] * wrong


def contrary(pi):
    """Right less often than a guesser: mostly answers the next class."""
    return neighbours(pi, 0.2)


def nearby(pi):
    """Right in 0.55; errors halve with each step away, as of grades."""
    ranks = np.arange(len(pi))
    table = 0.5 ** np.abs(ranks[:, None] - ranks) * (1 - np.eye(len(pi)))
    return 0.55 * np.eye(len(pi)) + 0.45 * table / table.sum(axis=1, keepdims=True)


def within_pairs(pi):
    """Knows the pair of classes, and which of the two in 0.7; a last class alone is known."""
    k = len(pi)
    other = np.arange(k) ^ 1
    other[other == k] = k - 1
    return 0.7 * np.eye(k) + 0.3 * np.eye(k)[other]


def learns_by_frequency(pi):
    """Knows n / (n + 50) of a class that has n of 2,000 samples, else guesses by the shares."""
    known = 2000 * pi / (2000 * pi + 50)
    return np.diag(known) + (1 - known)[:, None] * pi


def anything(pi):
    """Rows at random: nothing is known, and each class has its own wrong answers."""
    return np.random.default_rng(len(pi)).dirichlet(np.full(len(pi), 0.5), size=len(pi))


@cache
def _digits(classifier):
    from sklearn.datasets import load_digits
    from sklearn.metrics import confusion_matrix
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    trees = DecisionTreeClassifier(max_depth=6, random_state=0)
    model = {"naive Bayes": GaussianNB(), "tree": trees}[classifier]
    images, digits = load_digits(return_X_y=True)
    return confusion_matrix(digits, cross_val_predict(model, images, digits, cv=10))


def digits_of(pi, classifier):
    """As this classifier confuses the first k of scikit-learn's digits; at most 10."""
    counts = _digits(classifier)[: len(pi), : len(pi)].astype(float)
    return counts / counts.sum(axis=1, keepdims=True)


CLASSIFIERS = {
    "knows 0.2": lambda pi: knows_a_share(pi, 0.2),
    "knows 0.6": lambda pi: knows_a_share(pi, 0.6),
    "knows 0.95": lambda pi: knows_a_share(pi, 0.95),
    "knows 0.995": lambda pi: knows_a_share(pi, 0.995),
    "neighbours": neighbours,
    "one missed": one_missed,
    "never predicts": never_predicts,
    "seldom predicts": seldom_predicts,
    "falls to the largest": falls_to_the_largest,
    "falls to the rarest": falls_to_the_rarest,
    "guesses evenly": guesses_evenly,
    "guesses by share": guesses_by_share,
    "constant": constant,
    "uneven": uneven,
    "contrary": contrary,
    "nearby": nearby,
    "within pairs": within_pairs,
    "learns by frequency": learns_by_frequency,
    "anything": anything,
    "digits by naive Bayes": lambda pi: digits_of(pi, "naive Bayes"),
    "digits by a tree": lambda pi: digits_of(pi, "tree"),
}


def population(k, shares, classifier):
    """Return the table of probabilities."""
    pi = class_shares(shares, k)
    return pi[:, None] * CLASSIFIERS[classifier](pi)


REFUSED = list(itertools.product((0.05, 0.2, 0.5), ("of all", "of the rarest class")))
"""What share of the answers is no class: of all of them, or of those to the last class."""


def with_no_class(table, share, where):
    """Return a table with a column more, into which this share of the answers goes."""
    lost = np.full((len(table), 1), share)
    if where != "of all":
        lost[:-1] = 0
    return np.hstack([table * (1 - lost), lost * table.sum(axis=1, keepdims=True)])


def wilson_bound(count, n, z=3.2905):
    """Return the upper 99.9% bound of a share; with -z the lower one."""
    share = count / n
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return (share + z**2 / (2 * n) + half) / (1 + z**2 / n)


def made_with(minutes):
    """Return the versions, the day and the time that a study took, for its page."""
    return (
        f"Python {platform.python_version()}, numpy {np.__version__}, informedness "
        f"{informedness.__version__}; {time.strftime('%Y-%m-%d')}, {minutes:.0f} minutes on "
        f"{multiprocessing.cpu_count()} cores."
    )


def sections_of(page):
    """Return what stands above the sections of a page, and the sections by their headings."""
    head, *sections = page.read_text(encoding="utf-8").rstrip("\n").split("\n\n## ")
    return head, {text.split("\n")[0]: text.split("\n\n", 1)[1] for text in sections}


def write_page(page, head, sections):
    """Write a page of sections, each below its heading."""
    texts = [head, *(f"## {heading}\n\n{text}" for heading, text in sections.items())]
    page.write_text("\n\n".join(texts) + "\n", encoding="utf-8")
