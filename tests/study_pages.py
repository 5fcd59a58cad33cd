"""What the pages of the studies found, in the words that documents must have."""

import re
from pathlib import Path

STUDIES = Path(__file__).resolve().parent / "studies"


def _sections(page):
    """Return the text of a page before its first heading of level 2, and each section by name."""
    text = (STUDIES / page).read_text(encoding="utf-8")
    head, *parts = text.split("\n## ")
    return " ".join(head.split()), dict(part.split("\n", 1) for part in parts)


def coverage_said():
    """Return words on how often intervals cover the truth."""
    _, sections = _sections("COVERAGE.md")
    rows = {
        (way, *cells[:2]): cells[2:]
        for way, text in sections.items()
        for cells in (line.strip("| ").split(" | ") for line in text.splitlines())
        if len(cells) == 9 and cells[1] in ("yes", "no", "all")
    }
    lowest = {key: float(cells[2]) for key, cells in rows.items()}
    silent = {key: share for key, share in lowest.items() if key[2] == "no"}
    declared = {name: share for (way, name, _), share in silent.items() if way == "Declared"}
    others = [share for (way, *_), share in silent.items() if way != "Declared"]
    warned = [share for (*_, how), share in lowest.items() if how == "yes"]
    of_all = [share for (*_, how), share in lowest.items() if how == "all"]
    rows = {key: cells for key, cells in rows.items() if key[2] != "all"}
    measured, failed = (sum(int(cells[i]) for cells in rows.values()) for i in (0, 1))
    found = (re.search(r"(\d+) of the \d+ cells", text) for text in sections.values())
    n_cells = sum(int(match[1]) for match in found if match)
    return [
        f"samples, {n_cells:,} cells in all",
        f"in at least {declared['informedness']:.1%} of the tables of each cell for "
        f"Informedness, {declared['nit']:.1%} for NIT and "
        f"{min(declared.values()):.1%} for any score",
        f"or of one class, in at least {min(others):.1%}",
        f"with a warning, in at least {min(warned):.1%}, and of all tables, in at least "
        f"{min(of_all):.1%}",
        f"Of {measured:,} coverage estimates, {failed:,} are significantly below the limit (92%; "
        "88% with a warning)",
    ]


def chance_said():
    """Return words on how often guessers are told from chance."""
    _, sections = _sections("COVERAGE.md")
    rows = re.findall(r"\| \d+ \| (\d+) \| (\d+) \|", sections["The test of chance"])
    cells, failed = (sum(map(int, counts)) for counts in zip(*rows, strict=True))
    return [f"In {failed:,} of {cells:,} cells it has so in significantly more than 6%"]


def groups_said():
    """Return words on how often models are told apart by samples in groups."""
    _, sections = _sections("GROUPS.md")
    rows = {
        name: [
            (int(n), [float(share) for share in shares.split(" | ")])
            for n, shares in re.findall(r"\| (\d+) \| [\dto ]+ \| (.*) \|", text)
        ]
        for name, text in sections.items()
    }
    every = rows["Informedness"] + rows["NIT"]
    many = [shares for n, shares in every if n >= 25]
    of = {name: max(x[0] for _, x in found) for name, found in rows.items()}
    lost = max(shares[3] - shares[2] for shares in many if shares[1] <= 0.06)
    return [
        f"in at most {of['Informedness']:.1%} of the pairs for Informedness and "
        f"{of['NIT']:.1%} for NIT",
        f"with 25 groups or more, at most {100 * lost:.1f} points below the t-test",
        f"cover it in at least {min(x[4] for x in many):.1%}",
        f"intervals of one model | cover the truth in at least {min(x[5] for _, x in every):.1%}",
    ]


def comparison_said():
    """Return words on how often models of one score are told apart."""
    _, sections = _sections("COMPARISON.md")
    equal = sections["Neither is better"]
    said = re.findall(
        r"at most ([\d.]+%) of the pairs .*? (\d+) of (\d+) cells fail, .*? ([\d.]+)\.",
        " ".join(equal.split()),
    )
    (highest, failed, cells, tail), (highest_of_all, *_) = said
    rows = re.findall(
        r"^\| (informedness|nit) \| without \| \d+ \| \d+ \| [\d.]+ \| ([\d.]+) \|", equal, re.M
    )
    of = {name: float(share) for name, share in rows}
    forty = re.search(
        r"tails are ([\d.]+) .* and ([\d.]+) \(", sections["Forty equal models"], re.S
    )
    of_models = re.findall(r"^\| (?:informedness|nit) (.*)$", sections["B is better"], re.M)
    covered = min(float(cells.split(" | ")[7]) for cells in of_models)
    return [
        f"p < 0.05 in at most {of['informedness']:.1%} of the pairs of a cell for Informedness, "
        f"{of['nit']:.1%} for NIT and {highest} for any score",
        f"{failed} of {cells} cells is significantly above 6%",
        f"With a warning it can be far more, up to {highest_of_all}",
        f"passed {tail} times as often as it should be in these cells, and {forty[1]} (samples) or "
        f"{forty[2]} times (groups)",
        f"intervals of the difference cover it in at least {covered:.0%}",
    ]
