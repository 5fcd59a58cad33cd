"""Labels that may be a mistake, and what every path to a score does with them.

What the form shows is refused, what the table shows is warned of, and nothing else is said. Metric
modules know of missing values and of predictions outside the references alone.
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from inputs.cases import informedness

RIGHT, REFUSED = "right", "refused"
NULL, OUTSIDE, SPELT = "counts as a class", "is no class of", "differ only in case or whitespace"
TRUTH, ANSWERS = "abcbacab", "abcaabab"


def warned(call: Callable[..., Any], *given: Any, **options: Any) -> tuple[Any, str]:
    """Return the value of a call, and all that it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = call(*given, **options)
    return value, " ".join(str(one.message) for one in caught)


class Kind(NamedTuple):
    """Labels, and what is said where values have types, and where all is text."""

    references: list[Any]
    predictions: list[Any]
    typed: str
    text: str

    def sides(self) -> tuple[list[Any], list[Any]]:
        """Return the labels of both sides."""
        return self.references, self.predictions

    def wanted(self, is_text: bool) -> float:
        """Return Informedness from its definition, in exact arithmetic.

        1.0 in text is 1: a gap makes floats of integers. True is 1.
        """
        truths = {"True": "1", "False": "0"}
        read = (
            (lambda x: truths.get(str(x), str(x).removesuffix(".0"))) if is_text else (lambda x: x)
        )
        return informedness(*(list(map(read, side)) for side in self.sides()))


def spelt(references: Any, predictions: Any, *outcome: Any) -> Kind:
    """Return a kind whose labels a, b and c are spelt so on either side."""
    sides = (TRUTH, references), (ANSWERS, predictions)
    return Kind(*([names["abc".index(x)] for x in side] for side, names in sides), *outcome)


KINDS = {
    "text": spelt("abc", "abc", RIGHT, RIGHT),
    "integers": spelt(range(3), range(3), RIGHT, RIGHT),
    "whole floats": spelt(range(3), [0.0, 1.0, 2.0], RIGHT, RIGHT),
    "zeros in front": spelt(["1", "01", "001"], ["1", "01", "001"], RIGHT, RIGHT),
    "near spellings": spelt(["spam", "spa", "\u0455pam"], ["spam", "spa", "spam"], RIGHT, RIGHT),
    "identifiers": Kind([*range(60)], [7] * 60, RIGHT, RIGHT),
    "free text": Kind([f"It is {i}." for i in range(60)], ["It is 7."] * 60, RIGHT, RIGHT),
    "probabilities": spelt(["0.93", "0.5", "1"], ["0.5", ".1", "0.5"], OUTSIDE, OUTSIDE),
    "bools": spelt([True, False, False], [1, 0, 0], RIGHT, RIGHT),
    "scores": spelt([0, 1, 1], [0.9, 0.25, 0.5], REFUSED, REFUSED),
    "one integer in text": Kind([1, *TRUTH[1:]], [*ANSWERS], REFUSED, RIGHT),
    "text beside integers": spelt("012", range(3), REFUSED, RIGHT),
    "a null reference": Kind([*TRUTH, None], [*ANSWERS, "a"], REFUSED, REFUSED),
    "a null prediction": Kind([*TRUTH, "a"], [*ANSWERS, None], REFUSED, REFUSED),
    "padding": Kind([0, 1, 2, -100], [0, 1, 1, 0], NULL, NULL),
    "padding predicted": Kind([0, 1, 2, 0], [0, 1, 1, -100], NULL, NULL),
    "a blank": Kind([" ", *TRUTH], ["a", *ANSWERS], NULL, NULL),
    "nothing in common": spelt("abc", "xyz", OUTSIDE, OUTSIDE),
    "integers with none in common": spelt(range(3), range(3, 6), OUTSIDE, OUTSIDE),
    "one prediction outside": Kind([*TRUTH, "a"], [*ANSWERS, "x"], OUTSIDE, OUTSIDE),
    "another case": spelt(["yes", "no", "Yes"], ["yes", "no", "yes"], SPELT, SPELT),
    "blanks": spelt(["pos ", "neg", "pos"], ["pos", "neg", "pos"], SPELT, SPELT),
    "composed otherwise": spelt(["\u00e9tat", *"bc"], ["e\u0301tat", *"bc"], OUTSIDE, OUTSIDE),
}
MISSING = ["NA", "N/A", "NaN", "nan", "None", "null", "NULL", "<NA>", "#N/A"]
for word in ("", *MISSING):
    for side, of_sides in {"reference": (word, "a"), "prediction": ("a", word)}.items():
        both = [*TRUTH, of_sides[0]], [*ANSWERS, of_sides[1]]
        KINDS[f"{word!r} as a {side}"] = Kind(*both, NULL, REFUSED)
for word in ("-100", "-100 "):
    KINDS[f"{word!r} in text"] = Kind([*TRUTH, word], [*ANSWERS, "a"], NULL, NULL)

# Labels of many domains, of which nothing is said: a domain's labels between blanks.
DOMAINS = """
positive negative neutral | 1 2 3 4 5 | FAVOR AGAINST NONE | NN NNS VB , . : '' -LRB- $ #
O B-PER I-PER B-LOC I-LOC | nsubj nsubj:pass aux aux:pass | de en fr no is it as or | true false
^q sd b aa ny % | colour color Colour-blind | 😀 😂 ❤️ 👍 👎 | 体育 财经 | नहीं हाँ | é e è ê | π δ λ Ω
a b c n A B C N | S s z Z T t D d | H He C Co N Na Ni No Os | CO Co CO2 NO No2 | II III IV IIIa
02139 10115 00100 | 2024-01-01 2024-02-01 | 0-10% 10-20% 100% | 0.5 1.0 1.5 | 1.0 1.1 1.10 2.0
<unk> <s> </s> [MASK] | Total All n | say"no" "yes" no | {} {"a":1} | A A- A+ | n/a - NaT
"""
DOMAINS = [x.split(" ") for line in DOMAINS.strip().splitlines() for x in line.split(" | ")]
DOMAINS += [["yes, please", "no, thanks"], ["first\nsecond", "third"], ["very good", "very  good"]]
DOMAINS += [["A long answer. " * 12, "Another long answer. " * 12]]
