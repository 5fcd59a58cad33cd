"""Labels that may be a mistake, and what every path to a score does with them.

What the form shows is refused, what the table shows is warned of, and nothing else is said. Metric
modules know of missing values and of predictions outside the references alone.
"""

from typing import Any, NamedTuple

from cases import informedness

RIGHT, REFUSED = "right", "refused"
NULL, OUTSIDE, SPELT = "counts as a class", "is no class of", "differ only in case or blanks"
TRUTH, ANSWERS = "abcbacab", "abcaabab"


class Kind(NamedTuple):
    """Labels, and what is said where values have types, and where all is text."""

    references: list[Any]
    predictions: list[Any]
    typed: str
    text: str
    wanted_in_text: tuple[list[Any], list[Any]] | None = None

    def sides(self) -> tuple[list[Any], list[Any]]:
        """Return the labels of both sides."""
        return self.references, self.predictions

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return reference and prediction of each sample."""
        return list(zip(*self.sides(), strict=True))

    def wanted(self, is_text: bool) -> float:
        """Return Informedness from its definition, in exact arithmetic."""
        if is_text and self.wanted_in_text:
            return informedness(*self.wanted_in_text)
        return informedness(*([str(x) if is_text else x for x in side] for side in self.sides()))


def spelt(references: Any, predictions: Any, *outcome: Any) -> Kind:
    """Return a kind whose labels a, b and c are spelt so on either side."""
    sides = (TRUTH, references), (ANSWERS, predictions)
    return Kind(*([names["abc".index(x)] for x in side] for side, names in sides), *outcome)


KINDS = {
    "text": spelt("abc", "abc", RIGHT, RIGHT),
    "integers": spelt(range(3), range(3), RIGHT, RIGHT),
    # which a gap makes of integers: both are integers in text, too
    "whole floats": spelt(
        range(3), [0.0, 1.0, 2.0], RIGHT, RIGHT, spelt(range(3), range(3), "", "").sides()
    ),
    "zeros in front": spelt(["1", "01", "001"], ["1", "01", "001"], RIGHT, RIGHT),
    "near spellings": spelt(["spam", "spa", "\u0455pam"], ["spam", "spa", "spam"], RIGHT, RIGHT),
    "codes and ratings": spelt(["1.1", "1.10", "2"], ["1.1", "1.10", "2"], RIGHT, RIGHT),
    "letters of either case": spelt(["C", "c", "R"], ["C", "c", "R"], RIGHT, RIGHT),
    "elements": spelt(["Co", "CO", "co"], ["Co", "CO", "co"], RIGHT, RIGHT),
    "marks": spelt(["A", "A-", "A+"], ["A", "A-", "A+"], RIGHT, RIGHT),
    "morse": spelt([".-", "-----", "."], [".-", "-----", "."], RIGHT, RIGHT),
    "identifiers": Kind([*range(60)], [7] * 60, RIGHT, RIGHT),
    "free text": Kind([f"It is {i}." for i in range(60)], ["It is 7."] * 60, RIGHT, RIGHT),
    "totals": spelt(["Total", "All", "n"], ["Total", "All", "n"], RIGHT, RIGHT),
    "other words for nothing": spelt(["n/a", "-", "NaT"], ["n/a", "-", "NaT"], RIGHT, RIGHT),
    "probabilities": spelt(["0.93", "0.5", "1"], ["0.5", ".1", "0.5"], OUTSIDE, OUTSIDE),
    "bools": spelt([True, False, False], [1, 0, 0], RIGHT, OUTSIDE),
    "scores": spelt([0, 1, 1], [0.9, 0.25, 0.5], REFUSED, OUTSIDE),
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
    "composed otherwise": spelt(
        ["\u00e9t\u00e9", "b", "c"], ["e\u0301te\u0301", "b", "c"], *[OUTSIDE] * 2
    ),
}
for word in ("", "NA", "N/A", "NaN", "nan", "None", "null", "NULL", "<NA>", "#N/A"):
    for side, of_sides in {"reference": (word, "a"), "prediction": ("a", word)}.items():
        both = [*TRUTH, of_sides[0]], [*ANSWERS, of_sides[1]]
        KINDS[f"{word!r} as a {side}"] = Kind(*both, NULL, REFUSED)
for word in ("-100", "-100 "):
    KINDS[f"{word!r} in text"] = Kind([*TRUTH, word], [*ANSWERS, "a"], NULL, NULL)
