"""What tests of the page share: samples, hostile labels, and the HTML that it draws."""

import csv
import io
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder

METRICS = ("informedness", "nit")
LIMIT = 300_000  # milliseconds: a busy machine is slow, not wrong
COLUMNS = (["ham", "ham", "spam", "spam", "eggs"], ["ham", "spam", "spam", "spam", "ham"])
GOLD = ["a", "a", "b", "b", "c"] * 4
MODEL = ["a", "b", "b", "b", "a"] * 4
BETTER = ["a", "a", "b", "b", "a"] * 4


def rows_of(header: str, *columns: Iterable[Any], sep: str = ",") -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=sep, lineterminator="\n").writerows(zip(*columns, strict=True))
    return f"{header}\n{file.getvalue()}"


def given(door: Any, **values: Any) -> dict[str, Any]:
    """Return what a door is given before anybody has done anything, but for these values."""
    texts = "box", "key", "threshold", "classes"
    start: dict[str, Any] = dict.fromkeys(texts, "") | {"meant": [], "average": "default"}
    start |= dict.fromkeys(("file", "form", "part", "counts", "encoding")) | {"level": 0.95}
    start |= {f"column {role}": None for role in door.roles}
    start |= {f"list {role}": "" for role in door.roles[1:]}
    if door.score_grid:
        start["grid"] = {"labels": [*"ab"], "cells": [["", ""]] * 2, "declared": None, "axes": []}
    return start | values


class Drawn:
    """A part of what was drawn, in which parts are found by an XPath of ElementTree."""

    def __init__(self, element: Element) -> None:
        self.element = element

    def all(self, path: str) -> list["Drawn"]:
        return [Drawn(found) for found in self.element.findall(path)]

    def of(self, name: str) -> list["Drawn"]:
        """Return the parts with a name among their classes."""
        return [part for part in self.all(".//*") if name in part.element.get("class", "").split()]

    def id(self, name: str) -> "Drawn":
        (found,) = self.of(name)
        return found

    def has(self, name: str) -> bool:
        return bool(self.of(name))

    def notes(self) -> list[str]:
        """Return warnings and the story of an example."""
        return [note.text for note in self.of("note")]

    def __getitem__(self, attribute: str) -> str:
        return self.element.attrib[attribute]

    @property
    def text(self) -> str:
        return " ".join("".join(self.element.itertext()).split())


def parsed(html: str | tuple[str, ...]) -> Drawn:
    """Return the HTML of a result, a story and its details; none of it has an element left open."""
    parser, builder = HTMLParser(), TreeBuilder()
    parser.handle_starttag = lambda tag, attrs: builder.start(tag, {x: y or "" for x, y in attrs})
    parser.handle_endtag, parser.handle_data = builder.end, builder.data
    parser.feed(f"<div>{html if isinstance(html, str) else ''.join(html)}</div>")
    return Drawn(builder.close())
