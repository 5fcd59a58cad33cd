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


class Drawn:
    """A part of what was drawn, in which parts are found by an XPath of ElementTree."""

    def __init__(self, element: Element) -> None:
        self.element = element

    def all(self, path: str) -> list["Drawn"]:
        return [Drawn(found) for found in self.element.findall(path)]

    def id(self, name: str) -> "Drawn":
        (found,) = self.all(f".//*[@id='{name}']")
        return found

    def has(self, name: str) -> bool:
        return bool(self.all(f".//*[@id='{name}']"))

    def notes(self) -> list[str]:
        """Return what was taken for what, warnings and the story of an example."""
        return [note.text for note in self.all(".//p") if "note" in note.element.get("class", "")]

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
