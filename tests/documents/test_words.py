"""The glossary of CONTRIBUTING.md names places that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| \*\*(.+?)\*\* \| (.+?) \| (.+?) \| `(.+?)` `(.+?)` \|$", re.MULTILINE)


def glossary():
    """Return the rows: term, meaning, words to avoid, file of the package, name in it."""
    return ROW.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))


def test_each_term_is_defined_where_the_glossary_says():
    rows = glossary()
    assert len(rows) >= 40
    assert len({term for term, *_ in rows}) == len(rows)
    for term, _, _, path, name in rows:
        code = (ROOT / "src" / "informedness" / path).read_text(encoding="utf-8")
        assert re.search(rf"^\s*(def|class) {name}\b|^\s*{name}\s*[:=]", code, re.MULTILINE), term
