"""What a comparison could show, whether B is within a margin, and the exit code of a build.

Covers src: results/comparison.py.
"""

import json
import math
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy import stats

from harnesses.arithmetic import kept
from informedness import compare, compare_tasks, estimate
from informedness.results.comparison import decide, decide_at_least
from informedness.warnings import IntervalWarning
from inputs.cli_cases import write
from oracles.golden import close

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "continuous-integration.md").read_text(encoding="utf-8")
RNG = np.random.default_rng(3)
N = 600
TRUE = RNG.integers(0, 2, N)
A, B, BAD = (
    np.where(RNG.random(N) < share, TRUE, RNG.integers(0, 2, N)) for share in (0.8, 0.8, 0.5)
)
NEAR = np.where(np.arange(N) % 12 == 0, 1 - A, A)  # worse by about a tenth
GROUPS = np.arange(N) // 6


def growth_of(moved, n):
    """Return by how much the squared error grows: 0.9 of the samples in favour of one model."""
    sizes = np.append(np.abs(moved - moved.mean()), 1)  # and that of the sample more
    return (sizes**3).sum() / (sizes**2).sum() / (0.9 * n)


def test_detectable_differences_have_the_stated_errors():
    """Errors of the normal or of Student's t, of accuracy, which a sample moves by 1/N."""
    moved = (B == TRUE).astype(float) - (A == TRUE)
    in_groups = np.bincount(GROUPS, moved)
    made = compare(TRUE, A, B, metric="accuracy")
    grouped = compare(TRUE, A, B, groups=GROUPS, confidence_level=0.9, metric="accuracy")
    normal, student = stats.norm.ppf, lambda share: stats.t.ppf(share, 98)
    for one, parts, errors in (
        (made, moved, normal(0.975) + normal(0.8)),
        (grouped, in_groups, student(0.95) + student(0.8)),
    ):
        squared = one.standard_error**2 + one.detectable * growth_of(parts, N)
        assert one.detectable == pytest.approx(errors * math.sqrt(squared), rel=1e-9)
        n_units = one.n_groups or N
        for size in (0.02, -0.1):
            falling = (one.standard_error**2 + abs(size) * growth_of(parts, N)) * n_units
            assert one.samples_for(size) == math.ceil(falling * (errors / size) ** 2)
        assert one.samples_for(one.detectable) == pytest.approx(n_units, abs=1)


def test_what_is_detectable_is_said_only_where_it_is_known():
    made = compare(TRUE, A, B)
    for same in (compare(TRUE, A, A), compare(TRUE, A, B, groups=GROUPS // 50)):
        assert math.isnan(same.detectable)
        assert same.to_dict()["detectable"] is None
        assert same.samples_for(0.1) is None
    said = f"detect a true difference of {made.detectable:.2g} with 80% power"
    assert said in made.notes[0]
    assert "80% power" not in str(compare(TRUE, A, BAD))


def test_samples_needed_show_the_difference():
    """Of samples as they are; of NIT the bias stays, and there may be no such number."""
    made = compare(TRUE, A, B)
    more = compare(*(np.tile(x, 4) for x in (TRUE, A, B)))
    assert made.samples_for(more.detectable) == pytest.approx(4 * N, rel=0.02)
    of_nit = compare(TRUE, A, B, metric="nit")
    assert of_nit.samples_for(1e-9) is None
    for wrong in (0.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="`difference` must be finite and not 0"):
            made.samples_for(wrong)


def test_compare_prints_how_many_samples_a_size_takes(run):
    """That of the margin, unless another is asked for."""
    made = compare(TRUE, A, B)
    for options, size in (("--margin 0.2", 0.2), ("--detect 0.03", 0.03)):
        n_needed = made.samples_for(size)
        rounded = f"{float(f'{n_needed:.2g}'):,.0f}"
        said = f"A true difference of {size} needs about {rounded} samples (80% power)."
        assert said in run(f"{COMPARE} a b {options}")[1]
        assert (
            json.loads(run(f"{COMPARE} a b {options} --format json")[1])["samples_for"] == n_needed
        )
    both = json.loads(run(f"{COMPARE} a b --margin 0.2 --detect 0.03 --format json")[1])
    assert (both["margin"], both["detect"]) == (0.2, 0.03)
    assert both["samples_for"] == made.samples_for(0.03)
    assert json.loads(run(f"{COMPARE} a b --format json")[1])["samples_for"] is None
    of_groups = run(f"{COMPARE} a b --groups doc --detect 0.1")[1]
    assert "0.1 needs" not in of_groups  # of too few to test
    assert "A true difference of 0.1 needs" in run(f"{COMPARE} a b --detect 0.1")[1]
    assert "A true difference of 0.1 needs" in run(f"{COMPARE} a bad --detect 0.1")[1]
    assert "needs" not in run(f"{COMPARE} a bad --margin 0.1")[1]  # worse is shown


def test_a_margin_names_samples_that_an_equal_model_needs():
    """The error of equal models, of which no more answers differ."""
    made = compare(TRUE, A, B, margin=0.02)
    reason = decide(made, "not-worse").remark
    errors = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * made.standard_error
    n_needed = float(f"{N * (errors / 0.02) ** 2:.2g}")
    assert f"With 80% power, these samples can show a margin of {errors:.2g}. A margin" in reason
    assert f"A margin of 0.02 needs about {n_needed:,.0f} samples" in reason


def test_equal_scores_by_other_answers_show_nothing():
    references = np.resize([0, 1], 480)
    right_a, right_b = (np.resize(np.repeat(x, 2), 480) for x in ([1, 1, 1, 0], [0, 1, 1, 1]))
    a, b = (np.where(right, references, 1 - references) for right in (right_a, right_b))
    failed, reason = decide(compare(references, a, b), "better")
    assert (failed, reason.partition(" (")[0]) == (True, "B is not shown to be better")
    assert "any number of samples" in reason


def test_verdicts_use_p_and_margins_use_the_interval():
    verdicts = {"worse": (A, BAD), "better": (BAD, A), "not shown": (A, B)}
    for verdict, models in verdicts.items():
        made = compare(TRUE, *models, margin=0.1)
        assert (made.verdict, made.to_dict()["verdict"]) == (verdict, verdict)
        low = made.confidence_interval[0]
        assert made.within_margin == (low > -0.1)
        how = "is" if verdict == "worse" else "is not" if made.within_margin else "may be"
        assert f"B {how} worse by more than 0.1." in made.notes
        for margin, is_within in ((-low, False), (math.nextafter(-low, 1), True)):
            assert low > 0 or compare(TRUE, *models, margin=margin).within_margin == is_within
    assert compare(TRUE, A, B).to_dict()["within_margin"] is None
    slightly = compare(np.tile(TRUE, 9), np.tile(A, 9), np.tile(NEAR, 9), margin=0.3)
    assert (slightly.verdict, slightly.within_margin) == ("worse", True)
    for wrong in (0, -0.1, math.inf, math.nan, "0.1", True):
        with pytest.raises(ValueError, match="`margin` must be finite and above 0"):
            compare(TRUE, A, B, margin=wrong)


def test_the_whole_interval_beyond_the_margin_is_said_to_be_so():
    made = compare(TRUE, A, BAD, margin=0.02)
    assert made.confidence_interval[1] < -0.02
    assert "B is worse by more than 0.02." in made.notes
    for decision in (decide(made, "not-worse"), decide(made, None)):
        assert decision.failed
        assert re.fullmatch(r"B is worse by more than 0.02 \(-0\.\d+ to -0\.\d+\)", decision.remark)
    better = decide(made, "better")
    assert re.fullmatch(r"B is worse \(-0\.\d+ to -0\.\d+\)", better.remark)
    score = estimate(TRUE, A)
    assert re.fullmatch(
        r"informedness is below 0.95 \(0.\d+ to 0.\d+\)", decide_at_least(score, 0.95)[1]
    )
    assert decide_at_least(score, score.confidence_interval[0]) == (False, "")


def test_a_build_fails_if_worse_is_shown():
    """By the interval alone: the p-value, which may be larger for few answers, plays no part."""
    for models, margin, failed in (
        ((A, BAD), None, True),
        ((A, BAD), 0.1, True),
        ((A, BAD), 0.9, False),
        ((A, B), None, False),
        ((BAD, A), 0.02, False),
    ):
        made = compare(TRUE, *models, margin=margin)
        assert decide(made, None).failed == failed
        assert failed == (made.confidence_interval[1] < -(margin or 0))
    few = compare([0, 1] * 30, [0, 1] * 30, [1, 0, 1] + [1, 0, 1] * 19)
    assert decide(few, None).failed == (few.confidence_interval[1] < 0)


WARNED = {
    "groups": {"groups": np.arange(N) // 100},
    "without an interval": {"groups": np.arange(N) // 200},
}


@pytest.mark.parametrize("options", WARNED.values(), ids=WARNED)
def test_a_comparison_with_a_warning_shows_nothing(options):
    for models in ((A, BAD), (BAD, A)):
        with pytest.warns(IntervalWarning):
            made = compare(TRUE, *models, margin=0.9, **options)
        for required in ("better", "not-worse"):
            decision = decide(made, required)
            assert decision.failed
            claim = f"B is {required.replace('-', ' ')}"
            assert decision.remark.startswith(f"this does not show whether {claim}: ")
        passed = decide(made, None)
        assert (passed.failed, "does not show whether B is worse" in passed.remark) == (False, True)


def test_a_score_with_a_warning_shows_nothing():
    with pytest.warns(IntervalWarning):
        made = estimate([0] * 60 + [1] * 4, [0] * 60 + [1] * 4)
    decision = decide_at_least(made, -1)
    assert decision.failed
    assert decision.remark.startswith("this does not show whether informedness is at least -1: 4 r")
    assert not decide_at_least(estimate(TRUE, A), -1).failed


FEW = np.array([0] * 60 + [1] * 4)


def test_caveats_of_tasks_count_above_a_tenth_of_the_variance():
    """A task of 64 samples with 4 of a class, beside one or forty tasks with enough of both."""
    few = FEW, FEW, 1 - FEW
    alone = compare(*few)
    assert alone.caveat
    enough = [x[:60] for x in (TRUE, A, BAD)]
    for n_times, is_warned in ((1, True), (40, False)):
        tasks = {f"enough {i}": enough for i in range(n_times)} | {"few": few}
        made = compare_tasks(tasks, margin=0.99)
        variances = [one.standard_error**2 for one in made.tasks.values()]
        assert (variances[-1] / sum(variances) > 0.1) == is_warned
        assert bool(made.caveat) == is_warned
        assert decide(made, "not-worse").failed == is_warned
        assert decide(compare_tasks(tasks), None).failed != is_warned
    same = compare_tasks({"few": (FEW, FEW, FEW), "large": (TRUE, A, A)})
    assert same.caveat == ""
    decision = decide(same, "not-worse")
    assert decision == (False, "both models give the same predictions in all tasks")


def test_the_same_answers_pass_and_say_what_would_not_be_seen():
    """The largest change if of the n answers to a class a share of 3/n changes, at most all."""
    three = np.resize([0, 0, 0, 0, 1, 1, 2], 700)
    said = {
        ("accuracy", ""): 3 / 700,
        ("balanced_accuracy", ""): 3 / 100 / 3,
        ("informedness", "macro"): (3 / 100 + 3 / 300) / 3,
    }
    for (metric, average), wanted in said.items():
        options = {"average": average} if average else {}
        made = compare(three, three, three, metric=metric, **options)
        assert made.max_unseen == close(wanted)
        told = decide(made, "not-worse").remark
        assert told.startswith(
            f"both models give the same predictions for 700 samples. A change of {metric} by"
        )
    twenty = [0] * 18 + [1] * 2
    assert compare(twenty, twenty, twenty).max_unseen == close(1)
    assert compare(twenty, twenty, twenty, metric="nit").max_unseen <= 1
    counted = compare(FEW, FEW, FEW, sample_weight=np.full(64, 2.0))
    assert counted.max_unseen == close(compare(FEW, FEW, FEW).max_unseen)


def test_the_same_answers_are_within_every_margin():
    for options in ({}, {"groups": GROUPS // 50}):
        assert compare(TRUE, A, A, margin=1e-6, **options).within_margin is True


@pytest.fixture
def run(command, tmp_path):
    columns = TRUE, A, B, BAD, A, GROUPS // 25, TRUE + A, np.arange(N) // 300
    names = "y", "a", "b", "bad", "same", "doc", "k", "task"
    write(tmp_path / "p.csv", zip(*columns, strict=True), names)
    return lambda line: command(*shlex.split(line.replace("p.csv", str(tmp_path / "p.csv"))))


COMPARE, REPORT = "compare p.csv -r y -p", "report p.csv -r y -p a --metric"
INSPECT = shlex.quote(str(kept("inspect")))  # a folder may have a blank in its name
DECIDED = {
    f"{COMPARE} bad a --require better": (0, ""),
    f"{COMPARE} a b --require better": (3, "better): B is not shown to be better (-0."),
    f"{COMPARE} a bad --require better": (3, "failed (--require better): B is worse (-"),
    f"{COMPARE} a b --margin 0.2 --require not-worse": (0, ""),
    f"{COMPARE} a b --margin 0.01 --require not-worse": (3, "B may be worse by more than 0.01 (-"),
    f"{COMPARE} a same --margin 0.01 --require not-worse": (0, "passed (--require not-worse): bo"),
    f"{COMPARE} a same --require better": (3, "failed (--require better): both models give"),
    f"{COMPARE} a b --margin 0.9 --require not-worse --groups doc": (3, "whether B is not worse: "),
    f"{COMPARE} a b --require not-worse": (2, "`--require not-worse` needs a `--margin`"),
    f"{COMPARE} a b --detect 0": (2, "`--detect` must be finite and above 0, got 0.0"),
    f"{COMPARE} a b --by-task task --detect 0.1": (2, "`--detect` applies only to one task"),
    f"{COMPARE} a b --margin 0": (2, "`--margin` must be finite and above 0, got 0.0"),
    "compare none.csv -r y -p a b --margin 0": (2, "`--margin` must be finite"),  # before reading
    f"{COMPARE} a bad --fail-if worse": (3, "failed (--fail-if worse): B is worse (-0."),
    f"{COMPARE} a bad --fail-if worse --margin 0.02": (3, "B is worse by more than 0.02 (-0."),
    f"{COMPARE} a bad --fail-if worse --margin 0.9": (0, ""),
    f"{COMPARE} a b --fail-if worse": (0, ""),
    f"{COMPARE} a same --fail-if worse": (0, "passed (--fail-if worse): both models give"),
    f"{COMPARE} a bad --fail-if worse --groups doc": (0, "passed (--fail-if worse): this does not"),
    f"{COMPARE} a bad --fail-if worse --require better": (2, "`--require` and `--fail-if` cannot"),
    f"{COMPARE} a bad --by-task task --fail-if worse": (
        3,
        "failed (--fail-if worse): B is worse (",
    ),
    f"{COMPARE} a b --by-task task --fail-if worse": (0, ""),
    f"{COMPARE} a b --by-task task --margin 0.3 --require not-worse": (0, ""),
    f"{COMPARE} a b --by-task task --margin 0.01 --require not-worse": (
        3,
        "B may be worse by more",
    ),
    f"{COMPARE} a same --by-task task --margin 0.01 --require not-worse": (0, "in all tasks"),
    f"{COMPARE} a bad --by-task task --fail-if worse --margin 0.02": (
        3,
        "is worse by more than 0.02",
    ),
    f"{COMPARE} a same --by-task task --fail-if worse": (
        0,
        "both models give the same predictions in all tasks",
    ),
    f"{COMPARE} bad a --by-task task --groups doc --require better": (
        3,
        "this does not show wheth",
    ),
    "compare p.csv -r k -p a b --require better": (2, "classes. Add `--average prevalence`"),
    "compare p.csv -r k -p a b --fail-if worse": (2, "`--fail-if` needs `--average` for three"),
    "compare p.csv -r k -p a b --require better --average macro": (
        3,
        "failed (--require better): ",
    ),
    f"{REPORT} informedness --at-least 0.5": (0, ""),
    f"{REPORT} informedness --at-least 0.9": (3, "informedness is below 0.9 (0."),
    f"{REPORT} informedness --at-least 0.78": (3, "may be below 0.78 (0.775 to"),  # at 95%
    f"{REPORT} accuracy --at-least 0.95 --confidence-level 0.9 --format json": (3, "below 0.95"),
    f"{REPORT} informedness --at-least 0.1 --groups doc --confidence-level 0.9": (3, "groups, few"),
    f"{REPORT} nit --at-least 0.1 --ignore-index 0": (3, "whether nit is at least 0.1: "),
    "report p.csv -r k -p a --metric informedness --at-least 0": (2, "`--at-least` needs `--aver"),
    "report p.csv -r k -p a --metric accuracy --at-least 0.2": (0, ""),
    "report p.csv -r y -p a --at-least 0.5": (
        2,
        "`--at-least` applies only to one score of one model",
    ),
    f"{REPORT} nit --by doc --at-least 0.5": (2, "all samples. Leave out --by"),
    f"report {INSPECT} --metric informedness --at-least 0.3": (2, "Add `--average prevalence`"),
    f"report {INSPECT} --metric informedness --average macro --at-least 0.3": (0, ""),
    f"report {INSPECT} --metric informedness --average bias --at-least 0.5": (3, "below 0.5 (0.3"),
    "report p.csv -r y -p a b --metric nit --at-least 0.5": (2, "one score of one model"),
}


@pytest.mark.parametrize("line", DECIDED)
def test_an_unmet_requirement_exits_with_3_and_says_why(line, run):
    wanted, message = DECIDED[line]
    code, _, told = run(line)
    assert (code, message in told) == (wanted, True), told
    if not message:
        assert "ed (--" not in told


def test_json_says_whether_the_build_failed(run):
    for models, wanted in (("a bad", True), ("a b", False)):
        for gate in ("--fail-if worse", "--require better"):
            failed = wanted or gate.endswith("better")
            code, output, _ = run(f"{COMPARE} {models} {gate} --format json")
            assert (json.loads(output)["failed"], code) == (failed, 3 * failed)
    assert "failed" not in json.loads(run(f"{COMPARE} a b --format json")[1])
    line = f"{REPORT} accuracy --at-least 0.99 --confidence-level 0.9 --format json"
    assert json.loads(run(line)[1])["failed"] is True


def workflow():
    """Return the workflow of the page."""
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    return yaml.safe_load(text)


def lines_of_workflow():
    (job,) = workflow()["jobs"].values()
    return [step["run"] for step in job["steps"] if "run" in step]


def test_the_workflow_of_the_page_is_a_whole_one():
    made = workflow()
    assert made[True] == "pull_request"  # which is how YAML reads `on`
    (job,) = made["jobs"].values()
    used = [step["uses"].partition("@")[0] for step in job["steps"] if "uses" in step]
    assert (job["runs-on"], used) == ("ubuntu-latest", ["actions/checkout", "actions/setup-python"])


@pytest.mark.full
def test_the_workflow_installs_this_project(tmp_path):
    """From this clone in place of its address, and without what it needs, which is here."""
    line = shlex.split(lines_of_workflow()[0])
    address = "git+https://github.com/OWNER/informedness"
    (wanted,) = [x for x in line if address in x]
    copy = tmp_path / "informedness"
    ignored = shutil.ignore_patterns(".*", "tests", "build", "dist")
    shutil.copytree(ROOT, copy, ignore=ignored)
    line[line.index(wanted)] = wanted.replace(address, copy.as_uri())
    how = "--no-deps", "--no-build-isolation", "--target", str(tmp_path / "there")
    subprocess.run([sys.executable, "-m", *line, *how], check=True, capture_output=True)
    assert (tmp_path / "there" / "informedness" / "cli.py").exists()


def test_the_commands_of_the_page_pass_and_stop_a_build(command, tmp_path, monkeypatch):
    """The baseline itself and a better model pass, one that guesses does not."""
    monkeypatch.chdir(tmp_path)
    _, predict, *lines = map(shlex.split, lines_of_workflow())
    names = "id", "label", "model"
    write(tmp_path / "baseline.csv", zip(range(N), TRUE, A, strict=True), names)
    for model, wanted in ((A, [0, 0]), (TRUE, [0, 0]), (BAD, [3, 3])):
        write(tmp_path / "model.csv", zip(range(N), TRUE, model, strict=True), names)
        script = "import shutil, sys; shutil.copy('model.csv', sys.argv[2])"
        (tmp_path / predict[1]).write_text(script)
        subprocess.run([sys.executable, *predict[1:]], check=True)
        assert [command(*line[1:])[0] for line in lines] == wanted
