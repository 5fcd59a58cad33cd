"""What tests of the page share: samples, hostile labels, and the HTML that it draws."""

import csv
import functools
import io
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder

import informedness
import tables
from informedness.warnings import collected

METRICS = ("informedness", "nit")
LIMIT = 300_000  # milliseconds: a busy machine is slow, not wrong
COLUMNS = (["ham", "ham", "spam", "spam", "eggs"], ["ham", "spam", "spam", "spam", "ham"])
GOLD = ["a", "a", "b", "b", "c"] * 4
MODEL = ["a", "b", "b", "b", "a"] * 4
BETTER = ["a", "a", "b", "b", "a"] * 4


def silently(function: Any) -> Any:
    """Return a function of the package that is an oracle here: nobody asked for its warnings."""

    @functools.wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        with collected():
            return function(*args, **options)

    return called


compare, estimate, report = map(
    silently, (informedness.compare, informedness.estimate, informedness.report)
)
table_of_labels, execute = silently(tables.table_of_labels), silently(exec)


def lines(column: Iterable[Any]) -> str:
    return "\n".join(map(str, column))


def rows_of(header: str, *columns: Iterable[Any], sep: str = ",") -> str:
    """Return a file with these columns."""
    file = io.StringIO()
    csv.writer(file, delimiter=sep, lineterminator="\n").writerows(zip(*columns, strict=True))
    return f"{header}\n{file.getvalue()}"


class _Tree(HTMLParser):
    """Build a tree of the elements."""

    def __init__(self) -> None:
        super().__init__()
        self.builder = TreeBuilder()
        self.handle_endtag, self.handle_data = self.builder.end, self.builder.data

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.builder.start(tag, {name: value or "" for name, value in attrs})
        if tag == "img":  # the only one here that is never closed
            self.builder.end(tag)


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
    """Return the HTML of a result: a story and its details."""
    tree = _Tree()
    tree.feed(f"<div>{html if isinstance(html, str) else ''.join(html)}</div>")
    return Drawn(tree.builder.close())
