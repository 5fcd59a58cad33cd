"""Two models over several tasks: the mean of the differences, by samples and numpy alone.

Covers src: files/joining.py, results/suite.py.
"""

import csv
import json
import math

import numpy as np
import pytest
from scipy import stats

from harnesses.arithmetic import LOGS
from informedness import compare, compare_tasks, estimate, read_log
from informedness.logs.runs import compare_logs
from informedness.warnings import OwnLabelsWarning, collected
from inputs.cli_cases import refused
from oracles import dense, reference
from oracles.golden import close

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
RNG = np.random.default_rng(11)
SIZES = {"two": (2, 90), "three": (3, 150), "five": (5, 200)}


def drawn(k, n):
    """Return references and the answers of two models, of which B knows more."""
    references = np.arange(n) % k
    a, b = (
        np.where(RNG.random(n) < share, references, RNG.integers(0, k, n)) for share in (0.4, 0.6)
    )
    return references, a, b


TASKS = {name: drawn(*size) for name, size in SIZES.items()}
GROUPS = {name: np.arange(n) // 5 for name, (_, n) in SIZES.items()}


def test_the_mean_and_its_error_are_those_of_the_samples():
    """The sample that might have been there counts once, for the task where it moves most."""
    made, score = compare_tasks(TASKS, average="prevalence"), ("informedness", "prevalence")
    alone = {name: compare(*samples, average="prevalence") for name, samples in TASKS.items()}
    assert made.tasks == alone
    variances, extra = [], []
    for name, (references, *answers) in TASKS.items():
        (k, n), slopes = SIZES[name], []
        for side in answers:
            cells = np.zeros((k, k))
            np.add.at(cells, (references, side), 1)
            slopes.append(n * dense.slopes(cells, *score)[references, side])
        variances.append(np.var(slopes[1] - slopes[0]) / n)
        extra.append(alone[name].standard_error ** 2 - variances[-1])
    error = math.sqrt(sum(variances) + max(extra)) / len(TASKS)
    assert made.difference == close(np.mean([one.difference for one in alone.values()]))
    assert made.standard_error == close(error)
    n_samples = sum(n for _, n in SIZES.values())
    t = made.difference / error
    z = t / math.sqrt(1 + t**2 / n_samples)
    assert made.p_value == pytest.approx(2 * stats.norm.sf(z), rel=1e-9)
    assert made.p_values["two"] >= made.tasks["two"].p_value
    assert (made.verdict, made.to_dict()["verdict"]) == ("better", "better")
    assert made.summary.startswith(
        f"B is better: {made.difference:+.3f} on average over 3 tasks (95%"
    )
    swapped = compare_tasks({x: (r, b, a) for x, (r, a, b) in TASKS.items()}, average="prevalence")
    assert (swapped.difference, swapped.verdict) == (close(-made.difference), "worse")


def test_of_tasks_in_groups_degrees_of_freedom_are_by_welch():
    made = compare_tasks(TASKS, average="macro", groups=GROUPS)
    variances, dfs, extra = [], [], []
    for name, (references, *answers) in TASKS.items():
        (k, n), groups, moved = SIZES[name], GROUPS[name], np.zeros(SIZES[name][1])
        for sign, side in zip((-1, 1), answers, strict=True):
            cells = np.zeros((k, k))
            np.add.at(cells, (references, side), 1)
            moved += sign * dense.slopes(cells, "informedness", "macro")[references, side]
        task = reference.Groups(references, groups, np.ones(n), moved, np.zeros(n))
        variances.append(task.variance)
        dfs.append(task.df)
        extra.append(made.tasks[name].standard_error ** 2 - task.variance)
    variances, dfs = np.array(variances), np.array(dfs)
    error = math.sqrt(variances.sum() + max(extra)) / len(TASKS)
    assert made.standard_error == close(error)
    df = variances.sum() ** 2 / (variances**2 / dfs).sum()
    t = abs(made.difference / error)
    assert made.p_value == pytest.approx(2 * stats.t.sf(t, df), rel=1e-9)
    low, high = made.confidence_interval
    reach = stats.t.ppf(0.975, df) * error
    assert (low, high) == pytest.approx((made.difference - reach, made.difference + reach))


def test_a_task_of_one_class_is_left_out_by_name():
    one = {"flat": (["x"] * 9, ["x"] * 9, ["y"] * 9)}
    with pytest.warns(UserWarning, match="left out: flat, whose references are all 'x'"):
        made = compare_tasks(TASKS | one)
    assert made.left_out == ("flat, whose references are all 'x'",)
    assert made.difference == compare_tasks(TASKS).difference
    assert "Left out: flat" in str(made)
    for wrong, message in (
        (TASKS | {"odd": ([0, 1], [0, 1], [0])}, "odd: .*[Mm]ismatch"),
        (TASKS | {"empty": ([], [], [])}, "empty: expected at least one sample"),
        ({"two": TASKS["two"]}, "at least two tasks must be comparable, got"),
        ({"two": TASKS["two"][:2]}, "`tasks` must map each task"),
        ([TASKS["two"]], "`tasks` must map each task"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_tasks(wrong)
    with pytest.raises(ValueError, match="`groups` must have the groups of each task, got \\[\\]"):
        compare_tasks(TASKS, groups={})
    with pytest.raises(ValueError, match=r"^NIT cannot be averaged over tasks with"):
        compare_tasks(TASKS, metric="nit")
    alike = dict.fromkeys("ab", TASKS["two"])
    assert compare_tasks(alike, metric="nit").difference > 0


@pytest.fixture
def file(tmp_path):
    """Return a file of all tasks, with answers that are no class, and one for each task."""
    rows = [
        (name, f"{name}{r}", f"{name}{a}" if i % 7 else "", f"{name}{b}")
        for name, sides in TASKS.items()
        for i, (r, a, b) in enumerate(zip(*map(np.ndarray.tolist, sides), strict=True))
    ]
    for name in ("all", *TASKS):
        with (tmp_path / f"{name}.csv").open("w", newline="") as stream:
            some = [row for row in rows if name in ("all", row[0])]
            csv.writer(stream).writerows([("task", "gold", "a", "b"), *some])
    return tmp_path / "all.csv"


GIVEN = ["-r", "gold", "--unknown", "wrong", "--average", "prevalence", "--format", "json"]


def test_suite_commands_agree_with_the_function(file, command):
    def sides_of(name):
        r, a, b = ([f"{name}{x}" for x in side.tolist()] for side in TASKS[name])
        return r, [None if i % 7 == 0 else x for i, x in enumerate(a)], b

    tasks = {name: sides_of(name) for name in sorted(TASKS)}
    wanted = compare_tasks(tasks, unknown="wrong", average="prevalence").to_dict()
    code, output, _ = command("compare", file, "-p", "a", "b", "--by-task", "task", *GIVEN)
    plain = json.loads(output)
    assert (code, plain | {"read": []}) == (0, json.loads(json.dumps(wanted)) | {"read": []})
    files = [file.with_name(f"{name}.csv") for name in tasks]
    by_file = json.loads(command("compare", *files, "-p", "a", "b", "--by-file", *GIVEN)[1])
    assert by_file["difference"] == close(plain["difference"])
    assert [one["task"] for one in by_file["tasks"]] == list(map(str, files))
    models = json.loads(command("report", file, "-p", "a", "b", "--by-task", "task", *GIVEN)[1])
    found = {(run["task"], run["model"]): run["informedness"] for run in models["runs"]}
    one_model = json.loads(command("report", file, "-p", "a", "--by-task", "task", *GIVEN)[1])
    for run in one_model["runs"]:
        r, a, b = tasks[run["task"]]
        for model, answers in (("a", a), ("b", b)):
            score = estimate(r, answers, average="prevalence", unknown="wrong").value
            assert found[run["task"], model] == close(score)
        assert run["informedness"] == close(found[run["task"], "a"])
    text = command("report", file, "-p", "a", "b", "--by-task", "task", *GIVEN[:-2])[1]
    assert "mean of 3 tasks" in text


def test_a_build_stops_by_the_mean_and_needs_the_average(file, command):
    given = "compare", file, "-r", "gold", "--unknown", "wrong", "--by-task", "task", "-p"
    required = "--require", "better"
    assert command(*given, "a", "b", *required, "--average", "macro")[0] == 0
    code, _, told = command(*given, "b", "a", *required, "--average", "macro")
    assert (code, "failed (--require better): B is worse (" in told) == (3, True)
    refused(command(*given, "a", "b", *required), "`--require` needs `--average` for three")
    refused(command(*given, "a", "b", "--labels", "x"), "`--labels` applies only to one task")


def test_a_margin_holds_for_the_mean_over_tasks(file, command):
    given = "compare", file, "-r", "gold", "--unknown", "wrong", "--by-task", "task", "-p"
    given = *given, "b", "a", "--average", "macro", "--require", "not-worse", "--margin"
    made = compare_tasks({x: (r, b, a) for x, (r, a, b) in TASKS.items()}, average="macro")
    low, high = made.confidence_interval
    assert high < 0
    for margin, is_within, words in (
        (0.01 - low, True, "is not"),
        (-0.5 * (low + high), False, "may be"),
        (-high / 2, False, "is"),
    ):
        same = compare_tasks(TASKS, average="macro", margin=margin)
        assert (same.margin, same.within_margin) == (margin, True)
        swapped = {x: (r, b, a) for x, (r, a, b) in TASKS.items()}
        same = compare_tasks(swapped, average="macro", margin=margin)
        assert same.within_margin == is_within
        assert same.notes[0] == f"B {words} worse by more than {margin:g}."
    assert command(*given, "0.9")[0] == 0
    code, output, told = command(*given, "0.1")
    assert (code, "worse by more than 0.1" in output, "worse by more" in told) == (3, True, True)
    with pytest.raises(ValueError, match="`margin` must be finite and above 0"):
        compare_tasks(TASKS, margin=0)
    same = {x: (r, a, a) for x, (r, a, _) in TASKS.items()}
    assert compare_tasks(same, margin=1e-6).within_margin is True


def test_a_task_of_three_groups_is_a_caveat_of_the_suite():
    few = {name: np.arange(n) * 3 // n for name, (_, n) in SIZES.items()}
    with pytest.warns(UserWarning, match="two: there is no interval"):
        made = compare_tasks(TASKS, groups=GROUPS | {"two": few["two"]})
    assert made.caveat.startswith("two: 3 groups, fewer")
    assert 0 < made.p_value < 1


def test_logs_are_compared_over_all_tasks_that_both_have(command):
    """Of tasks with several filters there is no one score; one task alone is as before."""
    a, b = (LOGS / "lm-eval" / model for model in ("always-b", "knows-half"))
    made = compare_logs(
        read_log(a), read_log(b), metric="informedness", average="macro", confidence_level=0.95
    )
    code, output, errors = command("compare", a, b, "--average", "macro", "--format", "json")
    assert (code, json.loads(output)) == (1, json.loads(json.dumps(made.to_dict())))
    assert set(made.tasks) == {"arithmetic_letters", "arithmetic_plain", "arithmetic_texts"}
    (line,) = made.left_out
    assert f"left out: {line}" in errors.replace("--variant", "variant")
    assert line.startswith("arithmetic_generated has 2 variants. Choose one with `variant`: ")
    one = json.loads(command("compare", a, b, "--task", "arithmetic_plain", "--format", "json")[1])
    answers = [read_log(log, task="arithmetic_plain")[0] for log in (a, b)]
    assert one["difference"] == answers[0].compare(answers[1]).difference


def test_a_task_of_one_model_alone_is_left_out():
    all_tasks = read_log(LOGS / "lm-eval" / "knows-half")
    fewer = [answers for answers in all_tasks if answers.origin.task_name != "arithmetic_plain"]
    for sides, name in (((all_tasks, fewer), "A"), ((fewer, all_tasks), "B")):
        made = compare_logs(*sides, metric="accuracy", average="default")
        assert f"arithmetic_plain, which only {name} has" in made.left_out


def test_a_task_of_two_models_is_left_out_because_of_the_models():
    a, b = (read_log(LOGS / "lm-eval" / model) for model in ("always-b", "knows-half"))
    both = [*a, *(x for x in b if x.origin.task_name == "arithmetic_plain")]
    made = compare_logs(both, a, metric="accuracy", average="default")
    how = "has 2 models or harnesses. Choose one by part of its path with `runs`"
    assert f"arithmetic_plain {how}" in made.left_out


def test_a_task_may_have_one_sample_of_each_of_its_classes():
    intents = [f"intent {i}" for i in range(60)]
    tasks = dict.fromkeys(("one", "two"), (intents, intents, intents[:30] + intents[:30]))
    with collected() as notes:
        assert compare_tasks(tasks, metric="accuracy").difference == -0.5
    assert not any(isinstance(note, OwnLabelsWarning) for note in notes)
    with pytest.warns(OwnLabelsWarning, match="60 of 60 `y_true` are different labels"):
        compare(*tasks["one"], metric="accuracy")


def test_shares_out_of_class_are_listed_by_task():
    r, known = ["a", "b"] * 40, ["a", "b"] * 20
    tasks = {"one": (r, [*known, *["?"] * 40], r), "two": (r, r, [*known, *["!"] * 40])}
    (note,) = (x for x in compare_tasks(tasks, unknown="wrong").notes if "count as wrong" in x)
    assert note.endswith("wrong: one (50.0%, 0.0%); two (0.0%, 50.0%).")


def test_two_tasks_with_one_name_are_refused():
    task = (["a", "b"] * 40, ["a", "b"] * 40, ["b", "a"] * 40)
    with pytest.raises(ValueError, match="`tasks` must name each task once, got '1' twice"):
        compare_tasks({1: task, "1": task, "two": task})
