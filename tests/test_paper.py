"""What the pages on the paper say follows from its printed figures, by other arithmetic."""

import importlib
import itertools
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, matthews_corrcoef
from sklearn.model_selection import train_test_split

from golden import VECTORS, close
from informedness import ContingencyTable, score

ROOT = Path(__file__).resolve().parent.parent
PAPER = ROOT / "tests" / "studies" / "paper"


@pytest.fixture
def study(monkeypatch):
    """Return what imports a study by its name."""
    monkeypatch.syspath_prepend(str(PAPER))
    return importlib.import_module


def page(name):
    return (PAPER / f"{name.upper()}.md").read_text(encoding="utf-8")


def plain(path):
    return " ".join((ROOT / path).read_text(encoding="utf-8").split())


def row(text, *cells):
    """Return the cells of the first row of a page that begins with these."""
    start = "| " + " | ".join(cells) + " |"
    line = next(line for line in text.splitlines() if line.startswith(start))
    return line.strip("| ").split(" | ")


def tables_with(counts, right):
    """Return every table of whole numbers with these references and right answers."""

    def rows(i, count):
        for cells in itertools.product(range(count + 1), repeat=len(counts)):
            if sum(cells) == count:
                yield cells

    for made in itertools.product(*(rows(i, count) for i, count in enumerate(counts))):
        if sum(cells[i] for i, cells in enumerate(made)) == right:
            yield np.array(made)


# The formulas


def test_the_formulas_of_the_studies_are_those_of_the_golden_vectors(study):
    keys = {
        "Powers": "informedness",
        "prevalence-weighted": "informedness_prevalence_weighted",
        "macro": "informedness_macro",
        "equation 5": "eq5_printed",
        "released code": "released_code",
    }
    scoring = study("scoring")
    for vector in VECTORS:
        made = scoring.sums(np.array([vector.table], dtype=float))
        for formula, key in keys.items():
            if vector.exact[key] is not None:
                value = scoring.FORMULAS[formula](made)[0]
                assert value == close(vector.exact[key]), (vector.id, formula)


def test_mcc_macro_is_the_mean_of_the_mcc_of_each_class_against_the_others(study):
    references, predictions = np.random.default_rng(0).integers(4, size=(2, 300))
    table = ContingencyTable.from_labels(references, predictions).to_dense()
    by_class = [matthews_corrcoef(references == c, predictions == c) for c in range(4)]
    assert study("scoring").mcc_macro(table[None]) == pytest.approx(np.mean(by_class))


def test_the_printed_digits_of_a_share_are_those_within_half_a_digit(study):
    prints = study("printed").prints
    assert [prints(x / 10000, 56.3) for x in (5624, 5625, 5630, 5635, 5636)] == [0, 1, 1, 1, 0]


# The simulated model


def test_the_closed_forms_are_those_of_exact_fractions(study):
    """Shares 1/2, 3/10 and 1/5, known to a fourth."""
    pi, x = [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)], Fraction(1, 4)
    hits = [p * (x + (1 - x) * p) for p in pi]
    recalls = [hit / p for hit, p in zip(hits, pi, strict=True)]
    gains = [h / p - (p - h) / (1 - p) for h, p in zip(hits, pi, strict=True)]
    assert gains == [x, x, x]
    found = study("simulated").closed_forms(np.array(list(map(float, pi))), float(x))
    assert found[:3].tolist() == [
        close(sum(hits)),
        close(sum(recalls) / 3),
        close(sum(recalls) / 3),  # F1 too: predictions are as common as references
    ]
    assert found[3:].tolist() == [0.25] * 3


def test_only_tpr_less_fpr_gives_the_ability_however_the_model_guesses(study):
    for how, found in study("simulated").other_guesses(0.5):
        for name in ("Powers", "prevalence-weighted", "macro"):
            assert found[name] == pytest.approx(0.5), how
        if how != "by the shares":
            for name in ("kappa", "MCC-Macro", "equation 5", "released code"):
                assert abs(found[name] - 0.5) > 0.05, (how, name)


# GLUE


def test_the_range_of_wnli_is_that_of_all_its_tables(study):
    """40 right of 40 and 31: from all of the larger class to all of the smaller one."""
    exact = [Fraction(40 - h, 31) + Fraction(h, 40) - 1 for h in range(9, 41)]
    low, high, n_fit = study("glue").reach("WNLI", "Powers")
    assert (low, high, n_fit) == (close(min(exact)), close(max(exact)), 0)
    assert (min(exact), max(exact)) == (0, Fraction(9, 40))


def test_the_range_of_means_over_runs_is_that_of_youdens_j(study):
    """J is linear in the right answers: most where they are of the smaller class first."""
    low, high = Fraction(8415, 10000), Fraction(8425, 10000)
    most = (high * 408 - 129) / 279
    least = (low * 408 - 279) / 129
    assert study("glue").hull_reach("MRPC", "Powers") == pytest.approx(
        (float(least), float(most)), abs=1e-6
    )


def test_no_two_classes_but_the_most_uneven_can_have_the_pair_of_qqp(study):
    """All of the smaller class right, and of the larger what 77.45% leave."""
    share = study("glue").most_even("QQP")
    assert share == pytest.approx(0.001 / 0.2265, abs=1e-6)
    for smaller, possible in ((4, True), (5, False)):  # of 1,000; right: all of them, and others
        right = Fraction(7745, 10) - smaller
        assert (right / (1000 - smaller) >= Fraction(7735, 10000)) == possible


def test_no_single_run_of_mrpc_or_rte_has_the_printed_accuracy(study):
    glue = study("glue")
    for task, printed, n in (("MRPC", "84.2", 408), ("RTE", "57.6", 277)):
        assert printed not in {f"{100 * right / n:.1f}" for right in range(n + 1)}
        assert glue.fewest_runs(task, float(printed)) == 2
    assert "51.8" not in {f"{100 * right / 213:.1f}" for right in range(214)}
    assert glue.fewest_runs("WNLI", 51.8) == 4
    assert glue.possible_runs() == [4, 5, 8, 9, 10]


def test_one_who_draws_is_right_as_often_as_shares_meet(study):
    mean, deviation = study("glue").guess_accuracy("WNLI")
    p = Fraction(40, 71)
    assert mean == close(p**2 + (1 - p) ** 2)
    assert deviation == close(math.sqrt(p * (1 - p) / 71))


def test_the_search_finds_the_extremes_of_all_tables(study):
    glue, scoring, counts, right = study("glue"), study("scoring"), (4, 3, 2), 5
    tables = scoring.sums(list(tables_with(counts, right)))
    for formula in ("Powers", "macro", "equation 5", "released code"):
        value, rng = scoring.FORMULAS[formula], np.random.default_rng(0)
        for sign in (1, -1):
            table, found = glue.climb(
                counts, right, lambda made, s=sign, of=value: s * of(made), rng, chains=32,
                steps=400,
            )  # fmt: skip
            assert found == close((sign * value(tables)).max()), formula
            assert (table.sum(axis=1).tolist(), table.trace()) == ([4, 3, 2], right)


@pytest.mark.slow
def test_the_page_on_glue_has_the_ranges_and_verdicts_of_the_code(study):
    glue = study("glue")
    for section in (glue.pair_section, glue.claim_section):
        assert section() in page("glue")
    wnli, qqp = (row(page("glue"), *of)[3:] for of in (("WNLI", "56.3"), ("QQP", "77.4", "77.4")))
    assert wnli == ["**no** (0.0 to 22.5)", "**no** (10.9 to 100.0)", "**no** (6.5 to 50.0)"]
    assert [cell.split()[0] for cell in qqp] == ["**no**", "yes", "mean"]


# KVQA


def test_nit_of_seven_rows_is_more_than_a_perfect_model_would_have(study):
    kvqa = study("kvqa")
    assert kvqa.highest_nit("1-Hop") == pytest.approx(2**7.45 / 5336)
    too_high = [x for x in kvqa.printed.KVQA if kvqa.figure(x, "nit") / 100 > kvqa.highest_nit(x)]
    assert len(too_high) == 7
    assert kvqa.nit_section() in page("kvqa")


def test_the_bound_of_ema_is_reached_by_errors_that_are_spread_evenly(study, monkeypatch):
    """Fano's inequality is an equality there: 4 even classes, 70% right."""
    kvqa = study("kvqa")
    monkeypatch.setitem(kvqa.printed.KVQA, "even", (4, 2.0, 70.0, 0, 0, 0, 0))
    monkeypatch.setattr(kvqa.printed, "HALF_A_DIGIT", 0)
    table = np.full((4, 4), 10) + 60 * np.eye(4, dtype=int)
    assert kvqa.lowest_ema("even") == pytest.approx(
        score(ContingencyTable.from_matrix(table), "ema"), abs=1e-6
    )


@pytest.mark.slow
def test_the_solved_row_is_powers_own_and_its_nit_is_of_something_else(study):
    kvqa = study("kvqa")
    assert kvqa.two_section() in page("kvqa")
    tables, values = kvqa.solved("Intersect.")
    middle = ContingencyTable.from_matrix(np.rint(10000 * tables.mean(axis=0)).astype(int))
    for name, printed in (("accuracy", 79.5), ("f1_macro", 78.5), ("matthews_corrcoef", 59.5)):
        assert 100 * score(middle, name) == pytest.approx(printed, abs=0.05)
    assert 100 * score(middle, "informedness") == pytest.approx(56.3, abs=0.05)
    assert 100 * score(middle, "nit") == pytest.approx(60.5, abs=0.1)
    assert values["equation 5"].min() > 0.6


def test_prevalence_weighted_informedness_is_at_most_accuracy(study):
    scoring = study("scoring")
    tables = np.random.default_rng(0).gamma(0.3, size=(500, 4, 4))
    weighted = scoring.FORMULAS["prevalence-weighted"](scoring.sums(tables))
    assert (weighted <= scoring.scored("accuracy", tables) + 1e-12).all()


def test_a_table_that_is_found_for_a_row_has_its_printed_figures(study):
    kvqa = study("kvqa")
    cells = kvqa.witness("1-Hop Count.", "Powers")
    codes = np.indices(cells.shape).reshape(2, -1)
    table = ContingencyTable.from_counts(*codes, cells.ravel())
    printed = kvqa.printed.KVQA["1-Hop Count."][2:]
    figures = dict(zip(kvqa.printed.KVQA_SCORES, printed, strict=True))
    figures["ema"] = figures.pop("nit")
    del figures["mcc_macro"]
    for name, printed in figures.items():
        assert f"{100 * score(table, name):.1f}" == str(printed)


# Formality


def test_one_translation_for_both_requests_has_the_f1_of_the_page(study):
    wholes = [Fraction(formal, 600) for formal in range(601)]
    f1 = {t: t / (2 * t + 1) + (1 - t) / (3 - 2 * t) for t in wholes}
    wholes = [t for t in wholes if Fraction(4915, 10000) <= f1[t] <= Fraction(4925, 10000)]
    assert all((2 * t - 1) ** 2 > Fraction(5, 100) for t in wholes)  # equation 5
    assert len(wholes) == 10
    formality = study("formality")
    assert formality.shelf_section() in page("formality")
    table = ContingencyTable.from_matrix([[225, 375], [225, 375]])
    assert score(table, "informedness") == 0


def test_no_even_table_has_the_formality_aware_column(study):
    """1,145 of 1,200 are right, and J is 2 x 1145 / 1200 - 1, whatever the rest."""
    rights = [n for n in range(1201) if f"{100 * n / 1200:.1f}" == "95.4"]
    assert rights == [1145]
    formality = study("formality")
    values = formality.scores(formality.aware_tables())
    assert values["Powers"] == close(Fraction(2 * 1145, 1200) - 1)
    assert max(values[name].max() for name in formality.OF_TWO_CLASSES) < 0.9175
    assert formality.uneven_fits(560) == {"Powers": None, "equation 5": 580, "released code": 564}
    assert (formality.shelf_fits(600), formality.shelf_fits(564)) == (True, False)


# Slices


def test_the_questions_are_all_there_and_each_has_one_type(study):
    counts = study("slices").questions()
    assert sum(map(sum, counts.values())) == 9673
    assert sorted(map(len, counts.values())) == [2, 2, 2, 2, 3, 8]


def test_the_spread_of_46_questions_is_that_of_two_binomials(study):
    slices = study("slices")
    for counts in ((23, 23), (32, 14), (41, 5)):
        recalls = [0.5 + 0.5 * n / 46 for n in counts]
        variance = sum(p * (1 - p) / n for p, n in zip(recalls, counts, strict=True))
        made = slices.spread_at(counts)
        assert made.std() == pytest.approx(math.sqrt(variance), rel=0.03)
        shown = row(page("slices"), *next([k] for k, of in slices.FEW.items() if of == counts))
        assert float(shown[2]) / 100 == pytest.approx(math.sqrt(variance), rel=0.03)
        assert float(shown[3]) / 100 == pytest.approx(math.sqrt(variance / 5), rel=0.05)


# Texts


def test_always_answering_the_largest_class_scores_what_the_page_has():
    """Of 90%: accuracy .9, EMA 2^-H, the released code .9 x .9 less 4 x .025 squared."""
    part = page("texts").split("And what always answering sport does:")[1]
    column = 5
    bits = -0.9 * math.log2(0.9) - 0.1 * math.log2(0.025)
    known = {
        "accuracy": 0.9,
        "balanced accuracy": 0.2,
        "F1-Macro": 2 * 0.9 / 1.9 / 5,
        "MCC": 0,
        "NIT": 0.2,
        "EMA": 2**-bits,
        "Powers": 0,
        "equation 5": 1,
        "released code": 0.81 - 4 * 0.025**2,
    }
    for name, value in known.items():
        assert row(part, name)[column] == f"{100 * value:.1f}", name


def test_thinned_texts_have_the_shares_and_weighted_tables_too(study):
    texts = study("texts")
    topics = np.array(["arts", "sports", "tech"])
    labels = np.repeat(topics, 100)
    kept = labels[texts.thinned(np.arange(300), labels, topics, 0.8)]
    assert [int((kept == topic).sum()) for topic in topics] == [12, 100, 12]
    cells = texts.reweighted(np.array([[3, 1, 0], [2, 2, 0], [0, 0, 9]]), np.array([0.1, 0.8, 0.1]))
    assert cells.sum(axis=1).tolist() == close([0.1, 0.8, 0.1])
    assert cells[1].tolist() == close([0.4, 0.4, 0])


@pytest.mark.slow
def test_the_models_of_the_texts_are_trained_and_scored_as_on_the_page(study):
    texts = study("texts")
    topics, tables = texts.trained(0.2)
    assert {of.sum() for of in tables["draws"]} == {1113}
    found = texts.scored_at(topics, tables, 0.95)["logistic regression"]
    part = page("texts").split("What logistic regression scores")[1]
    for name in ("accuracy", "F1-Macro", "MCC", "Powers"):
        assert float(row(part, name)[-1]) == pytest.approx(100 * found[name], abs=1)


# The pages, and what runs them


def test_each_study_has_its_page_and_a_place_in_make_paper(study):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    made = re.search(r"for study in (.*); do", makefile).group(1).split()
    assert {*made, "readme"} == {path.stem.lower() for path in PAPER.glob("*.md")}
    for name in made:
        assert f"]({name.upper()}.md)" in (PAPER / "README.md").read_text(encoding="utf-8")
        title, _, rest = study(name).__doc__.strip().partition(".\n\n")
        assert page(name).startswith(f"# {title}\n")
        assert rest in page(name)


def test_the_page_of_a_quick_study_is_what_it_writes(study, tmp_path, monkeypatch):
    monkeypatch.setattr(study("scoring"), "HERE", tmp_path)
    for name in ("simulated", "formality", "slices"):
        study(name).main()
        made = (tmp_path / f"{name.upper()}.md").read_text(encoding="utf-8")
        assert made == page(name), name


def test_the_documents_say_of_the_tables_what_the_pages_found(study):
    text = plain("docs/papers-values.md")
    pair = row(page("glue"), "QQP", "77.4", "77.4")
    low, high = re.search(r"\((.*) to (.*)\)", pair[3]).groups()
    assert f"that accuracy goes with {low} to {high}; only equation (5) could give the pair" in text
    assert row(page("glue"), "RTE", "57.6", "14.7")[4].startswith("mean only: **no**")
    assert "of 57.6 and an Informedness of 14.7. Equation (5) cannot give this pair." in text
    possible = [
        line.split(" | ")[5] for line in page("kvqa").splitlines() if line.count(" | ") == 8
    ]
    assert (possible.count("**no**"), possible.count("yes")) == (7, 5)
    assert "Seven of the twelve values of NIT in their table on KVQA lie above 2^H / k" in text
    card = plain("metrics/nit/README.md")
    assert "seven of their twelve values for KVQA are higher than 2^H / k allows" in card
    assert row(page("kvqa"), "Boolean")[3] == "81.9"
    assert "81.9 (in percent) for the Boolean questions of KVQA" in card
    row(page("glue"), "CoLA", "79.7", "57.0")
    assert row(page("glue"), "CoLA", "58.1")[5] == "1.2"
    assert (
        "CoLA, for example, 57.0 beside an accuracy of 79.7 for DistilBERT, and 1.2 beside 58.1 for"
    ) in plain("metrics/informedness/README.md")


# The page for those who know accuracy and F1


def test_the_three_models_have_the_scores_worked_out_by_hand():
    text = (ROOT / "docs" / "which-number.md").read_text(encoding="utf-8")
    for name, hits, false in (("always healthy", 0, 0), ("two false", 1, 2), ("five false", 1, 5)):
        right = Fraction(9 - false + hits, 10)
        shown = next(line for line in text.splitlines() if re.match(rf"{name}.* 0\.\d", line))
        assert f" {float(right):.3f} " in shown
        assert f" {float(hits - Fraction(false, 9)):.3f} " in shown


def test_the_walkthrough_of_the_page_is_what_scikit_learn_makes():
    x, y = make_classification(n_samples=10_000, weights=[0.95, 0.05], random_state=42)
    seen, unseen, known, held_out = train_test_split(x, y, test_size=0.2, random_state=2)
    model = LogisticRegression().fit(seen, known)
    found = confusion_matrix(held_out, model.predict(unseen))
    assert found == pytest.approx(np.array([[1866, 18], [68, 48]]), abs=3)
    chances = model.predict_proba(unseen)[:, 1]
    gains = [
        (chances[held_out == 1] > at).mean() - (chances[held_out == 0] > at).mean()
        for at in chances
    ]
    assert max(gains) == pytest.approx(0.75, abs=0.01)


def test_the_page_shows_the_figures_of_the_texts():
    even, last = page("texts").split("What logistic regression scores")[1], -1
    shown = (ROOT / "docs" / "which-number.md").read_text(encoding="utf-8")
    for name in ("accuracy", "F1-Macro", "kappa", "MCC", "Informedness"):
        found = row(even, name.replace("Informedness", "Powers"))
        assert row(shown, name) == [name, found[1], found[last]]


def test_the_page_is_right_about_a_guesser_of_thirty_classes():
    shown = row(page("simulated"), "1000", "30")
    assert float(shown[3]) == pytest.approx(5.4)
    assert "scores 0.054 where its true NIT is 0.033" in plain("docs/which-number.md")


def test_informedness_can_exceed_accuracy():
    table = ContingencyTable.from_matrix([[1, 0, 0], [50, 0, 0], [0, 0, 49]])
    assert score(table, "informedness") > score(table, "accuracy")
