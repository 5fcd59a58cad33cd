"""The pages on the paper are right about its printed figures, by other arithmetic."""

import importlib
import re
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import entropy
from sklearn.metrics import matthews_corrcoef

from informedness import ContingencyTable
from inputs.tables import score_of, table_of_labels
from oracles.golden import VECTORS, close

PAPER = Path(__file__).resolve().parents[1] / "studies" / "paper"
NAMES = ("scoring", "formality", "glue", "kvqa", "simulated", "slices")
sys.path.append(str(PAPER))
scoring, *STUDIES = map(importlib.import_module, NAMES)
formality, glue, kvqa, simulated, slices = STUDIES


# The formulas


def test_formulas_of_the_studies_agree_with_golden_vectors():
    keys = {
        "Powers": "informedness",
        "prevalence-weighted": "informedness_prevalence_weighted",
        "macro": "informedness_macro",
        "equation 5": "eq5_printed",
        "released code": "released_code",
    }
    for vector in VECTORS:
        made = scoring.sums(np.array([vector.table], dtype=float))
        for formula, key in keys.items():
            if vector.exact[key] is not None:
                value = scoring.FORMULAS[formula](made)[0]
                assert value == close(vector.exact[key]), (vector.id, formula)


def test_mcc_macro_is_the_mean_over_classes_against_the_rest():
    references, predictions = np.random.default_rng(0).integers(4, size=(2, 300))
    table = table_of_labels(references, predictions).to_dense()
    by_class = [matthews_corrcoef(references == c, predictions == c) for c in range(4)]
    assert scoring.mcc_macro(table[None]) == pytest.approx(np.mean(by_class))


# The simulated model


def test_the_lines_are_the_closed_forms_of_the_page():
    for k in simulated.LARGEST:
        for largest, x, exact, _ in simulated.lines(k):
            by_chance = (simulated.shares_of(k, largest) ** 2).sum(), 1 / k, 1 / k, 0, 0, 0
            assert exact[:6] == pytest.approx([x + (1 - x) * score for score in by_chance])


def test_only_tpr_minus_fpr_gives_ability_whatever_the_guesses():
    for how, found in simulated.other_guesses(0.5):
        for name in ("Powers", "prevalence-weighted", "macro"):
            assert found[name] == pytest.approx(0.5), how
        if how != "by the shares":
            for name in ("kappa", "MCC-Macro", "equation 5", "released code"):
                assert abs(found[name] - 0.5) > 0.05, (how, name)


# GLUE


def test_the_range_of_wnli_is_that_of_all_its_tables():
    """40 of 71 answers are right: from all of the larger class to all of the smaller one."""
    exact = [Fraction(40 - h, 31) + Fraction(h, 40) - 1 for h in range(9, 41)]
    low, high, n_fit = glue.reach("WNLI", "Powers")
    assert (low, high, n_fit) == (close(min(exact)), close(max(exact)), 0)
    assert (min(exact), max(exact)) == (0, Fraction(9, 40))


def test_the_range_of_means_over_runs_is_that_of_youdens_j():
    """J is linear in the right answers, and largest if those of the smaller class come first."""
    low, high = Fraction(8415, 10000), Fraction(8425, 10000)
    most = (high * 408 - 129) / 279
    least = (low * 408 - 279) / 129
    assert glue.hull_reach("MRPC", "Powers") == pytest.approx((float(least), float(most)), abs=1e-6)


def test_no_single_run_of_mrpc_or_rte_has_the_printed_accuracy():
    for task, printed, n in (("MRPC", "84.2", 408), ("RTE", "57.6", 277)):
        assert printed not in {f"{100 * right / n:.1f}" for right in range(n + 1)}
        assert glue.fewest_runs(task, float(printed)) == 2


# KVQA


def test_nit_of_seven_rows_exceeds_that_of_a_perfect_model():
    assert kvqa.highest_nit("1-Hop") == pytest.approx(2**7.45 / 5336)
    too_high = [x for x in kvqa.printed.KVQA if kvqa.figure(x, "nit") / 100 > kvqa.highest_nit(x)]
    assert len(too_high) == 7


def test_evenly_spread_errors_reach_the_bound_of_ema(monkeypatch):
    """Fano's inequality is an equality for 4 even classes and 70% right."""
    monkeypatch.setitem(kvqa.printed.KVQA, "even", (4, 2.0, 70.0, 0, 0, 0, 0))
    monkeypatch.setattr(kvqa.printed, "HALF_A_DIGIT", 0)
    table = np.full((4, 4), 10) + 60 * np.eye(4, dtype=int)
    wanted = score_of(ContingencyTable.from_matrix(table), "ema")
    assert kvqa.lowest_ema("even") == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("by_share", [True, False])
def test_naming_common_classes_has_the_scores_of_its_table(by_share):
    shares = kvqa.zipf(40, 3.0)
    assert entropy(shares, base=2) == pytest.approx(3)
    known = shares * (np.arange(40) < 7)
    guesses = known / known.sum() if by_share else np.eye(40)[0]
    cells = 0.6 * np.diag(known) + np.outer(shares - 0.6 * known, guesses)
    found = kvqa.common_only(shares, 7, np.trace(cells), by_share)
    table = ContingencyTable.from_matrix(cells)
    for title, name in (("Powers", "informedness"), ("F1-Macro", "f1_macro")):
        assert found[title] == close(score_of(table, name))
    assert found["MCC-Macro"] == close(scoring.mcc_macro(cells[None])[0])


def test_the_macro_average_of_each_fold_is_what_yardstick_prints():
    """The values are those of https://yardstick.tidymodels.org/reference/j_index.html."""
    made = scoring.sums(slices.folds())
    assert scoring.FORMULAS["macro"](made).round(3).tolist() == [
        0.434, 0.422, 0.533, 0.449, 0.431, 0.413, 0.398, 0.468, 0.435, 0.412
    ]  # fmt: skip


# Formality


def test_no_even_table_has_the_formality_aware_column():
    """1,145 of 1,200 are right, and J is 2 x 1145 / 1200 - 1, whatever the rest."""
    assert [n for n in range(1201) if f"{100 * n / 1200:.1f}" == "95.4"] == [1145]
    values = formality.scores(formality.aware_tables())
    assert values["Powers"] == close(Fraction(2 * 1145, 1200) - 1)
    assert max(values[name].max() for name in formality.OF_TWO_CLASSES) < 0.9175
    assert formality.uneven_fits(560) == {"Powers": None, "equation 5": 580, "released code": 564}
    assert (formality.shelf_fits(600), formality.shelf_fits(564)) == (True, False)


# The pages


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES, ids=[study.__name__ for study in STUDIES])
def test_a_study_makes_the_tables_of_its_page(study, tmp_path, monkeypatch):
    monkeypatch.setattr(scoring, "HERE", tmp_path)
    page = f"{study.__name__.upper()}.md"
    wanted = (PAPER / page).read_text(encoding="utf-8")
    without = re.sub(r"(?m)^(\|.*\n)+", "| |\n", wanted)
    (tmp_path / page).write_text(without, encoding="utf-8")
    study.main()
    assert (tmp_path / page).read_text(encoding="utf-8") == wanted
