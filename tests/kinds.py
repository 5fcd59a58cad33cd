"""Kinds of labels that may not be what was meant, and what a path to a score does with each.

Functions, modules, frames and files warn and score; the command line and the page, which cannot
know what was meant, refuse. Nulls, scores and columns of two types are refused everywhere, and by
files so is text for a missing value.
"""

from typing import Any, NamedTuple

from cases import informedness

RIGHT, DOUBT, MISSING, REFUSED = "right", "doubt", "missing", "refused"
TRUTH, ANSWERS = "abcbacab", "abcaabab"


class Kind(NamedTuple):
    """Labels, what they are where values have types and where all is text, and what is said."""

    references: list[Any]
    predictions: list[Any]
    typed: str
    text: str
    said: str = ""

    def sides(self) -> tuple[list[Any], list[Any]]:
        """Return the labels of both sides."""
        return self.references, self.predictions

    def pairs(self) -> list[tuple[Any, Any]]:
        """Return reference and prediction of each sample."""
        return list(zip(*self.sides(), strict=True))

    def wanted(self, is_text: bool) -> float:
        """Return Informedness from its definition, in exact arithmetic."""
        return informedness(*([str(x) if is_text else x for x in side] for side in self.sides()))


def spelt(references: Any, predictions: Any, *outcome: str) -> Kind:
    """Return a kind whose labels a, b and c are spelt so on either side."""
    sides = (TRUTH, references), (ANSWERS, predictions)
    return Kind(*([names["abc".index(x)] for x in side] for side, names in sides), *outcome)


KINDS = {
    "text": spelt("abc", "abc", RIGHT, RIGHT),
    "integers": spelt(range(3), range(3), RIGHT, RIGHT),
    "whole floats": spelt(range(3), [0.0, 1.0, 2.0], RIGHT, DOUBT, "case, spaces or marks"),
    "zeros in front": spelt(["1", "01", "001"], ["1", "01", "001"], RIGHT, RIGHT),
    "near spellings": spelt(["spam", "spa", "\u0455pam"], ["spam", "spa", "5pam"], RIGHT, RIGHT),
    "codes and ratings": spelt(["1.1", "1.10", "2"], ["1.1", "1.10", "2"], RIGHT, RIGHT),
    "letters of either case": spelt(["C", "c", "R"], ["C", "c", "R"], RIGHT, RIGHT),
    "bools": spelt([True, False, False], [1, 0, 0], RIGHT, DOUBT, "no label in common"),
    "scores": spelt([0, 1, 1], [0.9, 0.25, 0.5], REFUSED, DOUBT, "decimals"),
    "one integer in text": Kind([1, *TRUTH[1:]], [*ANSWERS], REFUSED, RIGHT),
    "text beside integers": spelt("012", range(3), REFUSED, RIGHT),
    "a null reference": Kind([*TRUTH, None], [*ANSWERS, "a"], REFUSED, REFUSED),
    "a null prediction": Kind([*TRUTH, "a"], [*ANSWERS, None], REFUSED, REFUSED),
    "padding": Kind([0, 1, 2, -100], [0, 1, 1, 0], DOUBT, MISSING, "missing"),
    "padding predicted": Kind([0, 1, 2, 0], [0, 1, 1, -100], DOUBT, MISSING, "missing"),
    "integers that identify": Kind([*range(60)], [7] * 60, DOUBT, DOUBT, "occur once"),
    "free text": Kind([f"It is {i}." for i in range(60)], ["It is 7."] * 60, DOUBT, DOUBT, "once"),
    "a blank": Kind([" ", *TRUTH], ["a", *ANSWERS], DOUBT, DOUBT, "missing"),
    "nothing in common": spelt("abc", "xyz", DOUBT, DOUBT, "no label in common"),
    "integers without any in common": spelt(range(3), range(3, 6), DOUBT, DOUBT, "no label in"),
    "probabilities": spelt(["0.93", "0.5", "1"], ["0.2", ".1", "0.5"], DOUBT, DOUBT, "decimals"),
    "decimal commas": spelt(["0,93", "0,5", "1"], ["0,2", "0,1", "1"], DOUBT, DOUBT, "decimals"),
    "percent": spelt(["93.5%", "5%", "1%"], ["20.5%", "5%", "1%"], DOUBT, DOUBT, "decimals"),
    "exponents": spelt(["9e-1", "1", "2"], ["1e-1", "1", "2"], DOUBT, DOUBT, "decimals"),
}
for names in (["A", "A-", "A+"], [":)", ":(", ";"], ["``", "''", "`"], ["A1", "A1.0", "A10"]):
    KINDS[f"{names} that differ in marks alone"] = spelt(names, names, RIGHT, RIGHT)
for word in ("", "NA", "nan", "None", "null", "<NA>", "#N/A", "#NV", "-100", r"\N", "#DIV/0!"):
    for side, of_sides in {"reference": (word, "a"), "prediction": ("a", word)}.items():
        both = [*TRUTH, of_sides[0]], [*ANSWERS, of_sides[1]]
        KINDS[f"{word!r} as a {side}"] = Kind(*both, MISSING, MISSING, "missing")
LIKE_A = ["A", " a", "\N{NO-BREAK SPACE}a", "a\r", '"a"', "a.", "\N{LEFT DOUBLE QUOTATION MARK}a"]
LIKE_A += ["\N{FULLWIDTH LATIN SMALL LETTER A}", "a!", "(a)", "\u202aa\u202c", "a\ufe0f"]
for x in (*LIKE_A, "a\u200b", "\ufeffa", "a\xad"):
    in_text = REFUSED if "\ufeff" in x else DOUBT  # a mark of two files joined into one
    for name, there, predicted in (
        ("as a reference", [x, *"abc"], [*"aabc"]),
        ("as a prediction", [*"aabc"], [x, *"abc"]),
        ("on one side", [x, "x", "y"], [*"aqr"]),
    ):
        KINDS[f"{x!a} {name}"] = Kind(there, predicted, DOUBT, in_text, "case, spaces or marks")
for predictions in (["FALSE", "TRUE", "?"], ["No", "Yes", "?"]):
    sides = "012", predictions
    KINDS[f"'0' beside {predictions[0]!a}"] = spelt(*sides, DOUBT, DOUBT, "no label in common")
PAIRS = [("\u00e9", "e\u0301"), ("KIRMIZI", "k\u0131rm\u0131z\u0131"), ("\u0130Y\u0130", "iyi")]
for x, like in (*PAIRS, ("18-24", "18\u201324"), ("don't", "don\u2019t"), ("-1", "-1.0")):
    for sides in (([x, "x", "y"], [like, "x", "y"]), ([x, like, "y"], [x, x, "y"])):
        KINDS[f"{sides}"] = spelt(*sides, DOUBT, DOUBT, "case, spaces or marks")
