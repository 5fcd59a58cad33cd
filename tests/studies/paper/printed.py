"""What the paper prints, in percent where nothing else is said, and how many samples it had.

Vickers, Barrault, Monti, Aletras, "We Need to Talk About Classification Evaluation Metrics in NLP"
(IJCNLP-AACL 2023; arXiv 2401.03831).
"""

import math

# Table 2: development sets, class by class. Those of QQP and MNLI are not counted but remembered:
# they add up to the known sizes of 40,430, 9,815 and 9,832.
GLUE_CLASSES = {
    "CoLA": (322, 721),
    "SST-2": (428, 444),
    "MRPC": (129, 279),
    "QQP": (25545, 14885),
    "STS-B": (242, 235, 273, 346, 285, 119),  # rounded to 0..5
    "MNLI-M": (3479, 3123, 3213),
    "MNLI-MM": (3463, 3129, 3240),
    "QNLI": (2702, 2761),
    "RTE": (146, 131),
    "WNLI": (40, 31),
}
GLUE = {
    "DistilBERT": {
        "accuracy": (79.7, 90.5, 84.2, 77.4, 51.8, 81.4, 81.6, 88.6, 57.6, 56.3),
        "informedness": (57.0, 81.0, 69.4, 77.4, 41.6, 72.1, 72.5, 77.2, 14.7, -43.1),
    },
    "Random Guess": {
        "accuracy": (58.1, 51.4, 56.7, 53.5, 18.3, 33.5, 33.6, 50.0, 49.9, 51.8),
        "informedness": (1.2, 2.8, -1.1, 0.0, 1.0, 0.1, 0.5, 0.0, -0.3, 2.0),
    },
}
# Training sets: the share of each class, as remembered; that of STS-B's rounded scores is not known
GLUE_TRAINED = {
    "CoLA": (0.296, 0.704),
    "SST-2": (0.442, 0.558),
    "MRPC": (0.326, 0.674),
    "QQP": (0.631, 0.369),
    "MNLI-M": (1 / 3, 1 / 3, 1 / 3),
    "MNLI-MM": (1 / 3, 1 / 3, 1 / 3),
    "QNLI": (0.5, 0.5),
    "RTE": (1249 / 2490, 1241 / 2490),
    "WNLI": (323 / 635, 312 / 635),
}
GLUE_ALL = {
    "DistilBERT": {"accuracy": 74.9, "informedness": 52.0},
    "Random Guess": {"accuracy": 45.7, "informedness": 0.6},
}

# Table 3: classes, entropy in bits, then scores in the order of KVQA_SCORES.
KVQA_SCORES = ("accuracy", "f1_macro", "informedness", "mcc_macro", "nit")
KVQA = {
    "1-Hop": (5336, 7.4, 66.9, 10.8, 64.6, 10.8, 25.8),
    "1-Hop Count.": (5, 1.1, 79.3, 38.9, 58.1, 31.5, 58.1),
    "1-Hop Subtr.": (66, 4.1, 26.5, 3.0, 18.8, 2.9, 17.3),
    "Boolean": (2, 1.0, 94.9, 63.2, 89.7, 89.7, 81.9),
    "Comparison": (11, 2.1, 91.1, 37.0, 90.2, 47.3, 84.9),
    "Counting": (9, 2.1, 80.9, 56.1, 75.4, 56.2, 61.2),
    "Intersect.": (2, 1.0, 79.5, 78.5, 56.3, 59.5, 62.1),
    "Multi-Ent.": (81, 3.2, 78.0, 10.8, 76.1, 12.0, 56.5),
    "Multi-Hop": (119, 3.6, 87.9, 34.8, 87.0, 43.9, 68.9),
    "Multi-Relat.": (4104, 6.8, 75.4, 11.7, 73.7, 12.1, 38.1),
    "Spatial": (1260, 10.0, 19.9, 7.4, 18.6, 9.2, 16.3),
    "Subtract.": (93, 5.9, 39.8, 36.6, 45.9, 34.3, 8.6),
}

# Table 4: as many formal requests as informal ones.
FORMALITY_CLASSES = (600, 600)
FORMALITY = {
    "off-the-shelf": {
        "accuracy": 50.0, "balanced_accuracy": 50.0, "f1_macro": 49.2, "informedness": 0.0,
    },
    "formality-aware": {
        "accuracy": 95.4, "balanced_accuracy": 95.3, "f1_macro": 95.4, "informedness": 91.8,
    },
}  # fmt: skip

# Section 5.1: the ability of the simulated model, and its runs.
GQA_ABILITY, GQA_RUNS = 0.5, 5

HALF_A_DIGIT = 0.05
"""How far a printed percentage may be from what it stands for."""


def window(percent):
    """Return the lowest and the highest share that is printed so."""
    return (percent - HALF_A_DIGIT - 1e-9) / 100, (percent + HALF_A_DIGIT + 1e-9) / 100


def prints(share, percent):
    """Return whether a share is printed so."""
    low, high = window(percent)
    return (low <= share) & (share <= high)


def numbers_right(n, accuracy):
    """Return which numbers of right answers of n print as this accuracy."""
    low, high = window(accuracy)
    return range(math.ceil(low * n), math.floor(high * n) + 1)
