"""What the pages of the studies found, in the words that documents must have."""

import io
import re
from pathlib import Path

import pandas

STUDIES = Path(__file__).resolve().parents[1] / "studies"
BBH = STUDIES.parents[1] / "examples" / "bbh.csv"


def text_of(page):
    return (STUDIES / page).read_text(encoding="utf-8")


def rows_of(page, column):
    """Return the rows of all tables with this column, each with the heading above it."""
    found = []
    for part in text_of(page).split("\n## ")[1:]:
        for block in re.findall(r"(?:^\|.*\n)+", part, re.MULTILINE):
            table = io.StringIO(block)
            rows = pandas.read_csv(table, sep=r"\s*\|\s*", engine="python", skiprows=[1])
            if column in rows:
                found.append(rows.assign(section=part.split("\n")[0]))
    return pandas.concat(found)


def bbh():
    """Return the answers to BIG-Bench Hard as text, empty ones too."""
    return pandas.read_csv(BBH, dtype=str, keep_default_na=False)


def coverage_said():
    """Return words on how often intervals cover the truth, and guessers are told from chance."""
    rows = rows_of("COVERAGE.md", "warned")
    silent, is_declared = rows["warned"] == "no", rows["section"] == "Declared"
    declared = rows[silent & is_declared].set_index("score")["lowest coverage"]
    no_class = rows[silent & (rows["section"] == "No class")].set_index("score")["lowest coverage"]
    of_informedness = no_class[no_class.index.str.startswith("informedness")]
    lowest = rows.groupby("warned")["lowest coverage"].min()
    counted = rows[rows["warned"] != "all"][["cells", "fail"]].sum()
    chance = rows_of("COVERAGE.md", "mean share of p < 0.05")[["cells", "fail"]].sum()
    (n_cells,) = re.findall(r"(\d+) cells of \d+ tables each", text_of("COVERAGE.md"))
    return [
        f"samples, {n_cells} cells in all",
        f"in at least {declared['informedness']:.1%} of the tables of each cell for Informedness, "
        f"{declared['nit']:.1%} for NIT and {declared.min():.1%} for any score",
        f"of one class, in at least {rows[silent & ~is_declared]['lowest coverage'].min():.1%}",
        "Where 5% to 50% of the predictions are out of class, in at least "
        f"{of_informedness.min():.1%} for Informedness by any average",
        f"with a warning, in at least {lowest['yes']:.1%}, and of all tables, in at least "
        f"{lowest['all']:.1%}",
        f"Of {counted['cells']:,} coverage estimates, {counted['fail']} are significantly below "
        "the limit (92%; 88% with a warning)",
        f"In {chance['fail']} of {chance['cells']} cells this share is significantly above 6%",
    ]


def comparison_said():
    """Return words on how often models of one score are told apart, or of two scores."""
    text = " ".join(text_of("COMPARISON.md").split())
    silent, of_all, *no_class = re.findall(
        r"at most ([\d.]+%) of the pairs .*? (\d+) of (\d+) cells fail, .*? ([\d.]+)\.", text
    )
    rows = rows_of("COMPARISON.md", "mean p < 0.05")
    rows = rows[rows["section"] == "Neither is better"]
    highest = rows[rows["pairs"] == "without"].set_index("score")["highest"]
    samples, groups = re.findall(r"([\d.]+) \(standard error", text)
    covered = rows_of("COMPARISON.md", "of the bootstrap")["interval covers"].min()
    return [
        f"p < 0.05 in at most {highest['informedness']:.1%} of the pairs of a cell for "
        f"Informedness, {highest['nit']:.1%} for NIT and {silent[0]} for any score",
        f"{silent[1]} of {silent[2]} cells is significantly above 6%",
        f"With a warning it can be far more, up to {of_all[0]}",
        f"Where 5% to 50% of the predictions are out of class, in at most {no_class[0][0]} without "
        f"a warning, and {no_class[0][1]} of {no_class[0][2]} cells is significantly above 6%",
        f"passed {silent[3]} times as often as it should be, and {samples} "
        f"(samples) or {groups} times (groups)",
        f"intervals of the difference cover it in at least {covered:.0%}",
    ]


def rate_said():
    """Return words on how often the interval of the true rate behind a judge covers it."""
    rows = rows_of("RATE.md", "judgy").set_index("J")
    columns = "covered: mean, lowest", "of these covered"
    columns += "delta method", "Lang and Reiczigel", "judgy"
    pairs = (map(float, rows.loc["all", column].split(", ")) for column in columns)
    means, lowest = zip(*pairs, strict=True)
    lowest_apart = float(rows.loc["apart", "covered: mean, lowest"].split(", ")[1])
    return [
        f"has {rows.loc['all', 'cells']} cells",
        f"in {means[0]:.1%} of the samples on average, and in at least {lowest[0]:.1%} of each "
        f"cell; without a warning, in {means[1]:.1%} and {lowest[1]:.1%}",
        f"{rows.loc['all', 'fail']} cells are significantly below 92%",
        f"the delta method covers it in {means[2]:.1%} and {lowest[2]:.1%}, Lang and Reiczigel's "
        f"interval in {means[3]:.1%} and {lowest[3]:.1%}, and the bootstrap of judgy 0.1.0 in "
        f"{means[4]:.1%} and {lowest[4]:.1%}",
        f"in as little as {lowest_apart:.1%}, always with a warning",
    ]


def decisions_said():
    """Return words on how often models pass that are as good, or worse by the margin."""
    rates = rows_of("DECISIONS.md", "answers that differ").set_index("answers that differ")
    many = rates.loc["30 or more"]
    equal = rows_of("DECISIONS.md", "margin .02").set_index("N")
    return [
        f"a margin of 0.05 in {equal.loc['2,000', 'margin .05']:.0%} of data sets of 2,000 samples",
        f"a margin of 0.02 in {equal.loc['10,000', 'margin .02']:.0%} of those of 10,000",
        f"passes in {many['mean'].iloc[0]:.1%} of data sets on average if 30 or more answers",
        f"in at most {many['highest'].max():.1%} in any cell of the study",
    ]


def found_said():
    """Return words on how often the difference called detectable is found."""
    rows = rows_of("DECISIONS.md", "errors alone")
    by_rule, alone = (
        rows[[f"B is {x}{end}" for x in ("worse", "better")]].apply(
            pandas.to_numeric, errors="coerce"
        )
        for end in ("", ".1")
    )
    worse, better = by_rule.mean()
    n_enough = int((by_rule.fillna(1) >= 0.75).all(axis=1).sum())
    return [
        f"has {len(by_rule)} pairs of equal models",
        f"in {by_rule.stack().mean():.1%} of new samples on average ({worse:.1%} if B is worse, "
        f"{better:.1%} if B is better), and in at least 75% in each direction in {n_enough} of "
        "them",
        f"The lowest share is {by_rule.min().min():.1%}",
        f"errors of equal models alone are found in {alone.stack().mean():.1%}",
    ]


def groups_said():
    """Return words on what groups do to errors of the comparison and to intervals."""
    text = " ".join(text_of("GROUPS.md").split())
    ((n_shares, n_failed),) = re.findall(r"Of (\d+) shares of cells (\d+) fail", text)
    rows = rows_of("GROUPS.md", "covered: macro").astype(str)
    columns = "p < 0.05: macro", "p < 0.05: NIT", "covered: macro", "covered: NIT"
    means = [pandas.to_numeric(rows[x].str.strip("*"), "coerce").mean() for x in columns]
    is_even = (rows["sizes"] == "10") & (rows["groups of the last"] != "3")
    warned = rows[is_even][["warned: macro", "warned: NIT"]].astype(float).max().max()
    gates = rows_of("GROUPS.md", "passes").astype(str)["passes"].str.strip("*").astype(float)
    suites = rows_of("GROUPS.md", "tasks").astype(str)["p < 0.05"].str.strip("*").astype(float)
    apart = re.findall(
        r"Of (\d+) cells `compare` fails in (\d+) .*? of the difference in (\d+), and those of "
        r"`estimate` in (\d+)", text
    )  # fmt: skip
    cells, *failed = (sum(map(int, numbers)) for numbers in zip(*apart, strict=True))
    return [
        f"of {int(n_shares):,} shares without a warning, {n_failed} fail",
        f"p < 0.05 in {means[0]:.1%} (Informedness) and {means[1]:.1%} (NIT) of the pairs",
        f"cover the truth in {means[2]:.1%} and {means[3]:.1%}",
        f"with at least five of each class at most {warned:.0%} of the samples are warned of",
        f"in {gates.mean():.1%} of the samples on average and at most {gates.max():.1%}",
        f"the mean over tasks has p < 0.05 in {suites.min():.1%} to {suites.max():.1%}",
        f"of {cells} cells, `compare` fails in {failed[0]}, its interval in {failed[1]} and that "
        f"of one model in {failed[2]}",
    ]


def suites_said():
    """Return words on suites whose tasks are a sample."""
    rows = rows_of("SUITES.md", "p < 0.05")
    rows = rows[rows["section"] == "Tasks drawn anew"]
    shares = [f"{share:.1%}" for share in rows["p < 0.05"]]
    tasks = [str(n) for n in rows["tasks"]]
    return [
        f"p < 0.05 in {', '.join(shares[:-1])} and {shares[-1]} of suites with "
        f"{', '.join(tasks[:-1])} and {tasks[-1]} tasks"
    ]


def hatecheck_said():
    """Return words on detectors of hate speech, and the rows of the tables that show them."""
    detectors = rows_of("HATECHECK.md", "detector")
    scores = detectors["Informedness"].map("{:.3f}".format).str.replace("-", "\N{MINUS SIGN}")
    accuracies = detectors["accuracy"]
    rows = [
        f"| {name} | {accuracy:.3f} | {score} |"
        for name, accuracy, score in zip(detectors["detector"], accuracies, scores, strict=True)
    ]
    n_below = (accuracies[:-1] < accuracies.iloc[-1]).sum()
    of_groups = rows_of("HATECHECK.md", "ranks").set_index("group")[["accuracy", "Informedness"]]
    for group, *values in of_groups.loc[["women", "black people"]].itertuples():
        rows.append(f"| {group} | " + " | ".join(f"{value:.3f}" for value in values) + " |")
    text = " ".join(text_of("HATECHECK.md").split())
    difference, interval, p_value, found, alarms = re.findall(
        r"differs by ([\d.]+) \((.+?); p = ([\d.]+) by Holm\): Perspective finds (.+?) of the "
        r"hateful cases, but raises an alarm for (.+?) of the others",
        text,
    )[0]
    n_templates, n_pairs = re.findall(r"(\d+) templates are filled .*?Holm, (\d+) pairs", text)[0]
    assert n_below == 3
    return [
        *rows,
        "is right more often than three of them",
        f"on the {n_templates} templates that are filled with each group",
        f"differs by {difference} (95% interval {interval}; p = {p_value}, Holm, {n_pairs} pairs): "
        f"it finds {found} of the hateful texts, but raises an alarm for {alarms} of the others",
    ]


def hatecheck_widths_said():
    """Return words on how much wider intervals by template are."""
    widths = rows_of("HATECHECK.md", "detector")["times as wide"].dropna()
    return [f"intervals are {widths.min():.2f} to {widths.max():.2f} times as wide as without"]
