"""Messages: words and values, with the names of each surface."""

import ast
import copy
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example
from hypothesis import strategies as st

from informedness.core.labels import show, warn
from informedness.errors import DataError, prefix_errors, refuse_all
from informedness.messages import Message, join, message, message_of, parts_of, render, with_subject
from informedness.warnings import collected, prefix_warnings
from inputs.laws import law

TEXTS = st.text(alphabet=st.sampled_from("ab'\"\\`=; (labels\n\0é\u200b"), max_size=200)
QUOTES = "'\"\\" * 40  # shortened in the middle, where an escape may be cut


def named(name, value):
    return f"<{name}>" if value is None else f"<{name}={value}>"


def control(name, value):
    return {"y": "Y"}.get(name)


@law(value=TEXTS | st.binary(max_size=200))
@example(value=QUOTES)
@example(value=QUOTES.encode())
@example(value=np.str_(QUOTES))
def test_what_show_writes_of_a_text_is_exactly_one_value(value):
    text = f'`labels` must list {show(value)}: got={show(value)}, pass unknown="wrong"'
    assert len(parts_of(text)) == 5
    assert len(show(value)) <= 80
    if type(value) in (str, bytes):
        assert "..." in show(value) or show(value) == repr(value)
        assert [*parts_of(text)[1::2]] == [show(value)] * 2
    assert render(text, named) == (
        f"<labels> must list {show(value)}: got={show(value)}, pass <unknown=wrong>"
    )


@law(
    value=st.lists(TEXTS | st.binary(max_size=99) | st.none(), max_size=8)
    | st.integers()
    | st.floats()
)
def test_what_show_writes_of_a_list_or_a_number_is_never_renamed(value):
    text = f'`labels` must list {show(value)}: pass unknown="wrong"'
    assert render(text, named) == f"<labels> must list {show(value)}: pass <unknown=wrong>"


@law(first=TEXTS, second=TEXTS)
def test_a_field_is_one_value_whatever_its_text(first, second):
    said = message("{a} of `{name}`: {b!r}", name="on", a=first, b=second)
    assert said.parts == ("", first, " of `on`: ", show(second), "")
    assert said == f"{first} of `on`: {show(second)}"
    assert render(said, named) == f"{first} of <on>: {show(second)}"


def test_a_message_in_a_field_keeps_its_words():
    inner = message("`runs` of {file}", file="by=1.csv")
    said = message("left out: {line}", "left out", line=inner)
    assert render(said, named) == "left out: <runs> of by=1.csv"
    assert said.code == "left out"
    assert said.values == {"line": inner}
    assert render(message("left out: {line}", line=str(inner)), named) == f"left out: {inner}"


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
@pytest.mark.parametrize("kind", [ValueError, ImportError, UserWarning, DataError])
def test_copies_of_errors_keep_parts_code_and_values(kind, again):
    said = message(
        "{file}: `labels` must list {label!r}", "outside", file="labels=1.csv", label="x"
    )
    for copied in (again(said), message_of(again(kind(said)))):
        assert isinstance(copied, Message)
        assert (copied, copied.parts, copied.code) == (said, said.parts, "outside")
        assert copied.values == {"file": "labels=1.csv", "label": "x"}
        assert render(copied, named) == "labels=1.csv: <labels> must list 'x'"


def test_a_message_without_a_code_keeps_no_values():
    error = ValueError(message("`metric` must be a text, got {x!r}", x=lambda: 0))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_an_error_keeps_parts_and_code_with_a_subject():
    with (
        pytest.raises(ValueError, match=r"^a=1\.csv: add `x`; `labels`") as caught,
        prefix_errors("a=1.csv"),
    ):
        refuse_all(
            [ValueError("add `x`"), ValueError(Message("`labels` must list 'x'", "outside"))]
        )
    said = message_of(caught.value)
    assert said.code == "outside"
    assert render(said, named) == "a=1.csv: add <x>; <labels> must list 'x'"


def test_a_warning_keeps_its_parts_after_the_prefix():
    with collected() as notes, prefix_warnings("by=1.csv"):
        warn(message("{file}: `by` twice", "twice", file="on=1.csv"))
    assert str(notes[0]) == "informedness: by=1.csv: on=1.csv: `by` twice"
    said = message_of(notes[0])
    assert (said.code, render(said, named)) == ("twice", "by=1.csv: on=1.csv: <by> twice")


def test_a_warning_before_an_error_is_issued():
    with pytest.raises(KeyError), collected() as notes, prefix_warnings("a.csv"):
        raise KeyError(warn("few rows"))
    assert [*map(str, notes)] == ["informedness: a.csv: few rows"]


def test_a_subject_is_a_value_unless_an_argument():
    assert render(with_subject("on=1.csv", "`x`"), named) == "on=1.csv: <x>"
    assert render(with_subject("`y_pred['a`b']`", "`x`"), named) == "<y_pred['a`b']>: <x>"
    assert render(with_subject(Message("`by` and 'by'"), "`x`"), named) == "<by> and 'by': <x>"
    assert with_subject("", "`x`") == "`x`"


def test_the_code_of_an_error_of_core_is_an_attribute():
    error = ValueError("`labels` must list 'x'")
    error.code = "references outside"
    with pytest.raises(DataError) as caught, prefix_errors("a.csv"):
        raise error
    assert message_of(caught.value).code == "references outside"


def test_joined_messages_keep_the_first_code():
    said = join(["`a`", Message("`b`", "first", n=1), message("{x}", "second", x="`c`")])
    assert (said, said.code, said.values) == ("`a`; `b`; `c`", "first", {"n": 1})
    assert render(said, named) == "<a>; <b>; `c`"
    assert join([]) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a score; `x` cuts it (pass y=1); leave it out", "a score; leave it out"),
        ("a score (for `x` of (2), pass y=1) is none", "a score is none"),
        ("a score (pass y=1) is none", "a score (pass Y) is none"),
        ("a score; use `y` (or `x`); leave it out", "a score; use Y; leave it out"),
        ("Pass a score. Cut it by `x`. Leave it out.", "Pass a score. Leave it out."),
        ("`x` of 'a; `x`'; z=True; 'b' and `y`", "x of 'a; `x`'; 'b' and Y"),
    ],
)
def test_clauses_on_arguments_a_surface_lacks_are_left_out(text, expected):
    assert render(text, control, keeps_clauses=False) == expected


def test_settings_are_renamed_and_other_python_stays():
    text = 'pass a="b", c=0.5, d=True or encoding=: x.y=2, z=1.csv in `f(z=3)` and `g`.'
    expected = "pass <a=b>, <c=0.5>, <d=True> or <encoding=>: x.y=2, z=1.csv in `f(z=3)` and `g`."
    assert render(text, lambda x, y: None if y is None else named(x, y)) == expected


def test_characters_that_mark_places_are_never_taken_for_them():
    assert render("a\0001\0 `labels` 'x' \1", named) == "a?1? <labels> 'x' ?"


def test_what_is_rendered_has_its_parts_code_and_values():
    said = message("`labels` in {file}", "twice", file="`labels`=1.csv")
    once = render(said, lambda name, _: f"`{name.replace('labels', 'choices')}`")
    assert (once, once.code, once.values) == ("`choices` in `labels`=1.csv", "twice", said.values)
    assert render(once, named) == "<choices> in `labels`=1.csv"


# No program reads words

ROOT = Path(__file__).parents[1]
FILES = [*ROOT.glob("src/**/*.py"), *ROOT.glob("spaces/**/*.py")]
# What reads or changes text, with a text to look for among its arguments
CUTS = {"startswith", "endswith", "removeprefix", "removesuffix", "replace", "split", "rsplit"}
CUTS |= {"partition", "rpartition", "find", "rfind", "index", "rindex", "count", "strip"}
CUTS |= {"search", "match", "fullmatch", "sub", "subn", "findall", "finditer"}  # of re
READERS = {"str", "repr", "message_of"}
SOURCES = {"error", "note", "warning"}  # what is called so has a message, in any file


def is_said(node, sources, names):
    """Return whether a piece of code has the text of an error or a warning, or one of `names`."""
    if isinstance(node, ast.Name) and node.id in names:
        return True
    inner = []
    if isinstance(node, ast.Attribute):
        if node.attr in ("code", "values"):  # what programs may read
            return False
        inner = [node.value] if node.attr in ("args", "message") else []
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in READERS:
        inner = node.args
    if any(getattr(x, "id", "") in sources for x in inner):
        return True
    return any(is_said(x, sources, names) for x in ast.iter_child_nodes(node))


def has_text(nodes):
    parts = (part for node in nodes for part in ast.walk(node))
    return any(isinstance(x, ast.Constant) and x.value and isinstance(x.value, str) for x in parts)


def words_read(text):
    """Return the lines of code that look for words in what an error or a warning says."""
    tree, lines = ast.parse(text), set()
    for scope in (
        x for x in ast.walk(tree) if isinstance(x, ast.FunctionDef | ast.AsyncFunctionDef)
    ):
        nodes = [*ast.walk(scope)]
        caught = {x.name for x in nodes if isinstance(x, ast.ExceptHandler)}
        given = [x for x in nodes if isinstance(x, ast.Assign | ast.AnnAssign | ast.NamedExpr)]
        names, n_before = set(), -1
        while len(names) > n_before:
            n_before = len(names)
            for node in given:
                if node.value and is_said(node.value, SOURCES | caught, names):
                    targets = getattr(node, "targets", None) or [node.target]
                    names |= {x.id for x in targets if isinstance(x, ast.Name)}
        for node in nodes:
            if isinstance(node, ast.Compare):
                read = texts = [node.left, *node.comparators]
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in CUTS:
                read, texts = [node.func.value, *node.args], node.args
            else:
                continue
            if has_text(texts) and any(is_said(x, SOURCES | caught, names) for x in read):
                lines.add(node.lineno)
    return sorted(lines)


@pytest.mark.parametrize("path", FILES, ids=lambda x: x.relative_to(ROOT).as_posix())
def test_no_program_reads_the_words_of_errors_and_warnings(path):
    assert words_read(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "line",
    [
        '"every" in str(error)',
        'str(note).startswith("left out: ")',
        'error.args[0].replace("labels", "choices")',
        'text = str(error)\n    text.split("\'")[1]',
        'text = str(error)\n    again = text.lower()\n    again == "no"',
        're.sub("[a-z]", "", str(note))',
        're.search("left out", warning.message.args[0])',
        'message_of(error) == "no"',
        'try: f()\n    except E as e: "no" in str(e)',
    ],
)
def test_code_that_reads_the_words_of_errors_is_found(line):
    assert len(words_read(f"def f():\n    {line}\n")) == 1
    assert words_read("def f():\n    message_of(error).code == 'a'\n    'a' in text\n") == []
