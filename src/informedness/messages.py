"""Write messages that name Python arguments, and rename the arguments for other surfaces.

A message consists of words and values. Words may name an argument, as in `labels`, or an argument
with its value, as in unknown="wrong". Values are fields, or literals in quotes as written by `show`
and !r. Each surface renames the arguments in words, and never changes values. Programs test the
code of a message, never its words.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from string import Formatter
from typing import Any, TypeAlias

from .core.labels import WARNING_PREFIX, show

# The parts of a message: words at even positions, values at odd positions.
Parts: TypeAlias = Sequence[str]
# A function of an argument and its value, if any, that gives the name of the argument on a surface,
# or None if the surface does not have the argument.
Naming: TypeAlias = Callable[[str, str | None], str | None]

_LITERAL = r"b?'(?:\\.|[^'\\])*'|b?\"(?:\\.|[^\"\\])*\""
_CODE = rf"`(?:[^`'\"]|{_LITERAL})*`"  # an argument, as in `y_pred['a']`, or Python code
_VALUE = re.compile(rf"({_CODE})|(?<!\w)(?!(?<==)\"\w+\")({_LITERAL})", re.DOTALL)
_NAME = rf"`((?:[^`'\"\0]|{_LITERAL})*)`"
_SETTING = r"(?<![\w.`])(\w+)=(?:\"(\w+)\"|(\d+(?:\.\d+)?|True)(?!\.?\w)|(?=[ `,;:.)]|$))"
_ARGUMENT = re.compile(f"{_NAME}|{_SETTING}", re.DOTALL)
# Placeholder for a value, with its position. Mark before an argument that a surface does not have.
_PLACEHOLDER, _UNNAMED = re.compile("\0([0-9]+)\0"), "\1"
_REMARK = re.compile(rf" \((?:[^()]|\([^()]*\))*{_UNNAMED}(?:[^()]|\([^()]*\))*\)")
_TEXT = r"(?:(?!; |\. [A-Z]).)*"
_CLAUSE = re.compile(rf"(?:; |\. (?=[A-Z])){_TEXT}{_UNNAMED}{_TEXT}(?<!\.)", re.DOTALL)


class Message(str):
    """The text of a message, with its words and values in `parts`.

    Programs test `code`, and read `values`, which maps the names of fields to their values. Without
    a code, both are empty.
    """

    parts: Parts
    code: str
    values: Mapping[str, Any]

    def __new__(cls, text: str, code: str = "", /, **values: Any) -> "Message":
        """Make a message from a text; its literals in quotes become the values in `parts`."""
        return _make_message(parts_of(text), code, values)

    def __radd__(self, prefix: str) -> "Message":
        """Add a prefix to the words of the message, as `warn` does."""
        return _make_message(_concatenate(parts_of(prefix), self.parts), self.code, self.values)


def message(template: str, code: str = "", /, **fields: Any) -> Message:
    """Fill the fields of a template with values; `show` formats {x!r}.

    A field in backticks is the name of an argument. A field that is a message keeps its parts. With
    a code, the message has the fields as its `values`. If `code` is empty, the first field that is
    a message with a code gives its code and its `values`.
    """
    parts: Parts = ("",)
    for position, part in enumerate(_fill_template(template, fields)):
        parts = _concatenate(parts, ("", part, "") if position % 2 else parts_of(part))
    if code:
        return _make_message(parts, code, fields)
    first = next((x for x in fields.values() if isinstance(x, Message) and x.code), Message(""))
    return _make_message(parts, first.code, first.values)


def _fill_template(template: str, fields: Mapping[str, Any]) -> Parts:
    """Fill the fields of a template.

    Names of arguments become words, and messages keep their parts. Other fields become values.
    """
    parts = [""]
    for words, name, spec, conversion in Formatter().parse(template):
        parts[-1] += words
        if not name:
            continue
        value = fields[name]
        if isinstance(value, Message):
            parts = [*_concatenate(parts, value.parts)]
        elif parts[-1].endswith("`"):
            parts[-1] += value
        else:
            parts += [show(value) if conversion else format(value, spec or ""), ""]
    return parts


def message_of(source: object) -> Message:
    """Extract the message of an error, a warning or a text, without the prefix of warnings."""
    text: Any = source
    if isinstance(source, BaseException) and len(source.args) == 1:
        text = source.args[0]
    prefixed = text if isinstance(text, Message) else Message(str(text))
    words, *rest = prefixed.parts
    code = prefixed.code or getattr(source, "code", "")  # errors of `core` have an attribute `code`
    return _make_message([words.removeprefix(WARNING_PREFIX), *rest], code, prefixed.values)


def join(sources: Iterable[object], separator: str = "; ") -> Message:
    """Join messages; the code and its values are those of the first message with a code."""
    messages = {f"x{i}": message_of(source) for i, source in enumerate(sources)}
    return message(separator.join(f"{{{name}}}" for name in messages), **messages)


def with_subject(subject: object, source: object) -> Message:
    """Prefix a message with the name of its subject, unless the name is empty.

    The name is a value, unless it is a message or an argument in backticks. File names never begin
    with a backtick, because `text.render.shown` quotes those that do.
    """
    if str(subject).startswith("`"):
        subject = message_of(subject)
    text = message_of(source)
    return text if subject == "" else message("{subject}: {text}", subject=subject, text=text)


def without_subject(source: object, prefixes: tuple[str, ...]) -> Message:
    """Remove the subject of a message if it is a value that starts with one of the prefixes."""
    text = message_of(source)
    first, *rest = text.parts
    if first or not (rest and rest[0].startswith(prefixes)):
        return text
    return _make_message([rest[1].removeprefix(": "), *rest[2:]], text.code, text.values)


def render(source: object, naming: Naming, keeps_clauses: bool = True) -> Message:
    """Rename the arguments in a message for a surface.

    Arguments that the surface does not have keep their names. If `keeps_clauses` is False, clauses
    with such arguments are removed: clauses after a semicolon, sentences after the first, and text
    in round brackets. The first clause is kept, but such arguments in it lose their backticks.
    """
    source = message_of(source)
    words = [re.sub(f"[\0{_UNNAMED}]", "?", part) for part in source.parts[::2]]
    text = words[0] + "".join(f"\0{2 * i + 1}\0{x}" for i, x in enumerate(words[1:]))

    def rename(match: re.Match[str]) -> str:
        name, setting, *values = match.groups()
        value = None if setting is None else next(filter(None, values), "")
        new_name = naming(name if setting is None else setting, value)
        if new_name is not None:
            return new_name
        return match[0] if keeps_clauses else f"{_UNNAMED}{match[0].strip('`')}"

    text = _ARGUMENT.sub(rename, text)
    if not keeps_clauses:
        text = _CLAUSE.sub("", _REMARK.sub("", text)).replace(_UNNAMED, "")
    parts = _PLACEHOLDER.split(text)
    parts[1::2] = [source.parts[int(position)] for position in parts[1::2]]
    return _make_message(parts, source.code, source.values)


def parts_of(text: str) -> Parts:
    """Split a text into its words and its values, which are literals in quotes.

    Literals in backticks, and the value of an argument, as in unknown="wrong", belong to the words.
    A message keeps its parts.
    """
    if isinstance(text, Message):
        return text.parts
    parts, end = [""], 0
    for match in _VALUE.finditer(text):
        parts[-1] += text[end : match.start()] + (match[1] or "")
        parts += [match[2], ""] if match[2] else []
        end = match.end()
    parts[-1] += text[end:]
    return tuple(parts)


def _make_message(parts: Parts, code: str, values: Mapping[str, Any]) -> Message:
    """Make a message from parts."""
    made = str.__new__(Message, "".join(parts))
    made.parts, made.code, made.values = tuple(parts), code, values
    return made


def _concatenate(first: Parts, second: Parts) -> Parts:
    """Concatenate two sequences of parts; the words at the joint become one part."""
    *head, last = first
    start, *tail = second
    return (*head, last + start, *tail)
