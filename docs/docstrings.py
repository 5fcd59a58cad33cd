"""Extend mkdocstrings for the docstrings of the reference."""

import re
from typing import Any

import griffe
from latex2mathml.converter import convert

BLOCK = re.compile(r"^\.\. math::(.*(?:\n(?:[ ]+.*)?)*)", re.MULTILINE)
INLINE = re.compile(r":math:`([^`]+)`")
NAME = re.compile(r"(?<![\\A-Za-z])([A-Z]{2,}|[a-z]{3,})")
CHOICES = re.compile(r"^(\w+ : )\{(.*)\}", re.MULTILINE)


class Docstrings(griffe.Extension):
    """Turn formulas into MathML, which browsers draw without a script, and keep choices whole."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Rewrite the docstring of one object."""
        if obj.docstring:
            text = BLOCK.sub(lambda x: mathml(x[1], "block") + "\n\n", obj.docstring.value)
            text = INLINE.sub(lambda x: mathml(x[1], "inline"), text)
            # as a set or a tuple, mkdocstrings would show "a" without its quotes
            obj.docstring.value = CHOICES.sub(r"\1one of \2", text)


def mathml(latex: str, display: str) -> str:
    """Return one formula as MathML, with its names upright."""
    return convert(NAME.sub(r"\\mathrm{\1}", " ".join(latex.split())), display=display)
