"""What a comparison could show, whether B is within a margin, and the exit code of a build.

Covers src: results/requirement.py.
"""

import math
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import stats

from harnesses.arithmetic import kept
from informedness import compare
from informedness.results.requirement import why_not_shown
from inputs.cli_cases import write
from oracles.golden import close

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
PAGE = (Path(__file__).resolve().parent.parent / "docs" / "continuous-integration.md").read_text(
    encoding="utf-8"
)
RNG = np.random.default_rng(3)
N = 600
TRUE = RNG.integers(0, 2, N)
A, B, BAD = (
    np.where(RNG.random(N) < share, TRUE, RNG.integers(0, 2, N)) for share in (0.8, 0.8, 0.5)
)
NEAR = np.where(np.arange(N) % 12 == 0, 1 - A, A)  # worse by about a tenth
GROUPS = np.arange(N) // 6


def test_the_detectable_difference_is_that_many_errors_of_the_normal_or_of_student():
    made = compare(TRUE, A, B)
    needed = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert made.detectable == close(needed * made.standard_error)
    grouped = compare(TRUE, A, B, groups=GROUPS, confidence_level=0.9)
    needed = stats.t.ppf(0.95, 98) + stats.t.ppf(0.8, 98)
    assert grouped.detectable == pytest.approx(needed * grouped.standard_error, rel=1e-9)
    for same in (compare(TRUE, A, A), compare(TRUE, A, B, groups=GROUPS // 50)):
        assert math.isnan(same.detectable)
        assert same.to_dict()["detectable"] is None
        assert same.samples_for(0.1) is None
    assert f"would show a true difference of {made.detectable:.2g} four times" in made.summary
    assert "four times out of five" not in compare(TRUE, A, BAD).summary


def test_so_many_samples_have_the_error_that_shows_a_difference():
    """Of samples as they are; of NIT the bias stays, and there may be no such number."""
    made = compare(TRUE, A, B)
    for difference in (0.03, -0.1, made.detectable):
        times = made.samples_for(difference) / N
        assert made.detectable / math.sqrt(times) == pytest.approx(abs(difference), rel=0.002)
    times = 4
    more = compare(*(np.tile(x, times) for x in (TRUE, A, B)))
    assert more.detectable == pytest.approx(made.detectable / 2, rel=0.01)
    assert made.samples_for(more.detectable) == pytest.approx(times * N, rel=0.02)
    of_groups = compare(TRUE, A, B, groups=GROUPS)
    assert of_groups.samples_for(of_groups.detectable) == pytest.approx(100, abs=1)
    of_nit = compare(TRUE, A, B, metric="nit")
    assert of_nit.samples_for(1e-9) is None
    for wrong in (0.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="`difference` must be finite and not 0"):
            made.samples_for(wrong)


def test_models_that_score_the_same_by_other_answers_are_not_shown_to_be_better():
    references = np.resize([0, 1], 480)
    right_a, right_b = (np.resize(np.repeat(x, 2), 480) for x in ([1, 1, 1, 0], [0, 1, 1, 1]))
    a, b = (np.where(right, references, 1 - references) for right in (right_a, right_b))
    reason = why_not_shown(compare(references, a, b), "better")
    assert reason.startswith("B is not shown to be better (")
    assert "any number of samples" in reason


def test_a_verdict_is_by_the_p_value_and_a_margin_by_the_interval_that_is_printed():
    verdicts = {"worse": (A, BAD), "better": (BAD, A), "not shown": (A, B)}
    for verdict, models in verdicts.items():
        made = compare(TRUE, *models, margin=0.1)
        assert (made.verdict, made.to_dict()["verdict"]) == (verdict, verdict)
        low = made.confidence_interval[0]
        assert made.within_margin == (low > -0.1)
        how = "is not" if made.within_margin else "may be"
        assert f"; B {how} worse by more than 0.1; " in made.summary
        for margin, is_within in ((-low, False), (math.nextafter(-low, 1), True)):
            assert low > 0 or compare(TRUE, *models, margin=margin).within_margin == is_within
    assert compare(TRUE, A, B).to_dict()["within_margin"] is None
    slightly = compare(np.tile(TRUE, 9), np.tile(A, 9), np.tile(NEAR, 9), margin=0.3)
    assert (slightly.verdict, slightly.within_margin) == ("worse", True)
    for wrong in (0, -0.1, math.inf, math.nan, "0.1", True):
        with pytest.raises(ValueError, match="`margin` must be finite and above 0"):
            compare(TRUE, A, B, margin=wrong)


@pytest.fixture
def run(command, tmp_path):
    columns = TRUE, A, B, BAD, A, GROUPS // 25, TRUE + A
    names = "y", "a", "b", "bad", "same", "doc", "k"
    write(tmp_path / "p.csv", zip(*columns, strict=True), names)
    return lambda line: command(*shlex.split(line.replace("p.csv", str(tmp_path / "p.csv"))))


COMPARE, REPORT = "compare p.csv -r y -p", "report p.csv -r y -p a --metric"
INSPECT = shlex.quote(str(kept("inspect")))  # a folder may have a blank in its name
DECIDED = {
    f"{COMPARE} bad a --require better": (0, ""),
    f"{COMPARE} a b --require better": (3, "required better: B is not shown to be better (-0."),
    f"{COMPARE} a bad --require better": (3, "samples like these can show a difference of about"),
    f"{COMPARE} a b --margin 0.2 --require not-worse": (0, ""),
    f"{COMPARE} a b --margin 0.01 --require not-worse": (3, "B may be worse by more than 0.01 (-"),
    f"{COMPARE} a same --margin 0.01 --require not-worse": (0, "the same answers on 600 samples; "),
    f"{COMPARE} a same --require better": (3, "only 0 answers differ"),
    f"{COMPARE} a b --margin 0.9 --require not-worse --groups doc": (3, "fewer than the recommend"),
    f"{COMPARE} a b --require not-worse": (2, "`--require` not-worse needs the `--margin`"),
    f"{COMPARE} a b --margin 0": (2, "`--margin` must be finite and above 0, got 0.0"),
    "compare p.csv -r k -p a b --require better": (2, "`--require` needs `--average` for three"),
    "compare p.csv -r k -p a b --require better --average macro": (3, "required better: "),
    f"{REPORT} informedness --at-least 0.5": (0, ""),
    f"{REPORT} informedness --at-least 0.9": (3, "informedness may be below 0.9 (0."),
    f"{REPORT} informedness --at-least 0.78": (3, "0.78 (0.775 to"),  # at the level of 95%
    f"{REPORT} accuracy --at-least 0.9 --confidence-level 0.9 --format json": (3, "below 0.9"),
    f"{REPORT} nit --at-least 0.1 --ignore-index 0": (3, "nit has no interval: "),
    "report p.csv -r y -p a --at-least 0.5": (2, "`--at-least` is for one score of one model"),
    f"{REPORT} nit --by doc --at-least 0.5": (2, "add --metric"),
    f"report {INSPECT} --metric informedness --at-least 0.3": (0, ""),
    f"report {INSPECT} --metric informedness --at-least 0.5": (3, "may be below 0.5 (0.3"),
    "report p.csv -r y -p a b --metric nit --at-least 0.5": (2, "one score of one model"),
}


@pytest.mark.parametrize("line", DECIDED)
def test_a_build_stops_with_3_unless_what_is_required_is_shown_and_a_line_says_why(line, run):
    wanted, message = DECIDED[line]
    code, _, told = run(line)
    assert (code, message in told) == (wanted, True), told
    if not message:
        assert "required" not in told


def test_the_commands_of_the_page_pass_and_stop_a_build(command, tmp_path, monkeypatch):
    """The baseline itself and a better model pass, one that guesses does not."""
    monkeypatch.chdir(tmp_path)
    (steps,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    lines = [step["run"] for step in yaml.safe_load(steps)][1:]
    names = "id", "label", "model"
    write(tmp_path / "baseline.csv", zip(range(N), TRUE, A, strict=True), names)
    for model, wanted in ((A, [0, 0]), (TRUE, [0, 0]), (BAD, [3, 3])):
        write(tmp_path / "new.csv", zip(range(N), TRUE, model, strict=True), names)
        assert [command(*shlex.split(line)[1:])[0] for line in lines] == wanted
