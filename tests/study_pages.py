"""What the pages of the studies found, in the words that documents must have."""

import re
from pathlib import Path

STUDIES = Path(__file__).resolve().parent / "studies"


def text_of(page):
    """Return the text of a page with its lines joined."""
    return " ".join((STUDIES / page).read_text(encoding="utf-8").split())


def rows_of(page, column):
    """Return the rows of all tables with this column, as dicts; of two columns the first counts."""
    found, section, head = [], "", []
    for line in (STUDIES / page).read_text(encoding="utf-8").splitlines():
        cells = line.strip("|").split("|")
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif not line.startswith("| "):
            head = []
        elif not head:
            head = [cell.strip() for cell in cells]
        elif column in head and not line.endswith("-: |"):
            values = [float(x) if re.fullmatch(r" [\d.]+ ", x) else x.strip() for x in cells]
            pairs = zip(reversed(head), reversed(values), strict=True)
            found.append({"section": section} | dict(pairs) | {"values": values})
    return found


def coverage_said():
    """Return words on how often intervals cover the truth, and guessers are told from chance."""
    rows = rows_of("COVERAGE.md", "warned")
    silent = [x for x in rows if x["warned"] == "no"]
    declared = {x["score"]: x for x in silent if x["section"] == "Declared"}
    others = [x for x in silent if x["section"] != "Declared"]
    counted = [x for x in rows if x["warned"] != "all"]
    chance = rows_of("COVERAGE.md", "mean share of p < 0.05")
    (n_cells,) = re.findall(r"(\d+) cells of \d+ tables each", text_of("COVERAGE.md"))

    def lowest(rows):
        return f"{min(x['lowest coverage'] for x in rows):.1%}"

    def total(rows, column):
        return f"{sum(x[column] for x in rows):,.0f}"

    return [
        f"samples, {n_cells} cells in all",
        f"in at least {lowest([declared['informedness']])} of the tables of each cell for "
        f"Informedness, {lowest([declared['nit']])} for NIT and {lowest(declared.values())} for",
        f"or of one class, in at least {lowest(others)}",
        f"with a warning, in at least {lowest(x for x in rows if x['warned'] == 'yes')}, and of "
        f"all tables, in at least {lowest(x for x in rows if x['warned'] == 'all')}",
        f"Of {total(counted, 'cells')} coverage estimates, {total(counted, 'fail')} are "
        "significantly below the limit (92%; 88% with a warning)",
        f"In {total(chance, 'fail')} of {total(chance, 'cells')} cells it has so in significantly",
    ]


def comparison_said():
    """Return words on how often models of one score are told apart, or of two scores."""
    text = text_of("COMPARISON.md")
    silent, of_all = re.findall(
        r"at most ([\d.]+%) of the pairs .*? (\d+) of (\d+) cells fail, .*? ([\d.]+)\.", text
    )
    rows = [x for x in rows_of("COMPARISON.md", "highest") if x.get("pairs") == "without"]
    highest = {x["score"]: f"{x['highest']:.1%}" for x in rows}
    samples, groups = re.findall(r"([\d.]+) \(standard error", text)
    covered = min(x["interval covers"] for x in rows_of("COMPARISON.md", "of the bootstrap"))
    return [
        f"p < 0.05 in at most {highest['informedness']} of the pairs of a cell for Informedness, "
        f"{highest['nit']} for NIT and {silent[0]} for any score",
        f"{silent[1]} of {silent[2]} cells is significantly above 6%",
        f"With a warning it can be far more, up to {of_all[0]}",
        f"passed {silent[3]} times as often as it should be in these cells, and {samples} "
        f"(samples) or {groups} times (groups)",
        f"intervals of the difference cover it in at least {covered:.0%}",
    ]


def groups_said():
    """Return words on how often models are told apart by samples in groups."""
    rows = rows_of("GROUPS.md", "equal: p < 0.05")
    nit = [x for x in rows if x["section"] == "NIT"]
    many = [x for x in rows if x["groups"] >= 25]
    fair = [x["values"] for x in many if x["of the t-test"] <= 0.06]
    covered = min(x["interval of the difference covers"] for x in many)
    alike = [max(x["equal: p < 0.05"] for x in of) for of in (rows[: -len(nit)], nit)]
    return [
        f"in at most {alike[0]:.1%} of the pairs for Informedness and {alike[1]:.1%} for NIT",
        f"at most {max(100 * (x[5] - x[4]) for x in fair):.1f} points below the t-test",
        f"cover it in at least {covered:.1%}",
        f"cover the truth in at least {min(x['interval of A covers'] for x in rows):.1%}",
    ]
