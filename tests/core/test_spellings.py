"""With `unknown="wrong"` all predictions out of class are one outcome, however each is spelled.

Covers src: core/table.py, tables/contingency.py.
"""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as peer

import informedness as package
from informedness import Tally, compare, estimate, leaderboard, report, slices, table_from_frame
from informedness.inference.entropy import guessing_p_value
from informedness.inference.registry import REGISTRY, score_named
from informedness.results.slices import Slices
from inputs.tables import table_of_labels
from oracles.golden import close

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
RNG = np.random.default_rng(68)
N = 60
R = np.repeat([*"abc"], 20)[RNG.permutation(N)]
R = np.concatenate([R[R != "c"], R[R == "c"]])  # a batch that predicts c has no reference of it
GUESSES = [np.where(RNG.random(N) < 0.6, R, RNG.choice([*"abc"], N)) for _ in range(2)]
IS_OUT = [RNG.random(N) < share for share in (0.2, 0.1)]
SPELLINGS = {
    "None": lambda i: None,
    "one text": lambda i: "sorry",
    "different texts": lambda i: f"sorry {i}",
    "some of each": lambda i: (None, "sorry", f"no {i}")[i % 3],
}
HOW = {"unknown": "wrong"}
BY, GROUPS = np.arange(N) % 3, np.arange(N) // 4


def spelled(how, model=0):
    """Return answers in which all that are no class are spelled so."""
    pairs = enumerate(zip(GUESSES[model].tolist(), IS_OUT[model], strict=True))
    return [SPELLINGS[how](i) if is_out else answer for i, (answer, is_out) in pairs]


def in_batches(p):
    tally, tables = Tally(**HOW), []
    for part in (slice(0, 30), slice(30, 60)):
        sides = {"references": R[part], "predictions": p[part]}
        tally.update(**sides)
        tables.append(table_of_labels(**sides, **HOW))
    assert tally.table == sum(tables) == table_of_labels(R, p, **HOW)
    return [*report(tally.table, confidence_level=0.95).to_dict().values()]


def of_estimates(p):
    weights = np.arange(N) % 4 + 0.5
    ways = (
        {},
        {"sample_weight": weights},
        {"groups": GROUPS},
        {"prior": dict.fromkeys("abc", 1 / 3)},
    )
    return [estimate(R, p, **HOW, **way).to_dict() for way in ways]


def of_frames(p):
    frame = pd.DataFrame({"r": R, "p": p, "part": BY})
    columns = {"references": "r", "predictions": "p"}
    whole, parts = (table_from_frame(frame, **columns, **HOW, by=by) for by in (None, "part"))
    return whole.to_dense().tolist(), Slices.from_tables(parts).records()


PATHS = {
    "report": lambda p, q: report(R, p, confidence_level=0.9, **HOW).to_dict(),
    "of the others": lambda p, q: str(report(R, p, groups=GROUPS, confidence_level=0.9, **HOW)),
    "estimates": lambda p, q: of_estimates(p),
    "test": lambda p, q: guessing_p_value(table_of_labels(R, p, **HOW)),
    "compare": lambda p, q: compare(R, p, q, **HOW).to_dict(),
    "groups": lambda p, q: compare(R, p, q, metric="nit", groups=GROUPS, **HOW).to_dict(),
    "ranking": lambda p, q: leaderboard(R, {"p": [p, q], "q": [q, p[::-1]]}, **HOW).to_dict(),
    "slices": lambda p, q: slices(R, p, by=BY, vs_rest="nit", **HOW).to_dict(),
    "groups of slices": lambda p, q: slices(
        R, p, by=BY, groups=GROUPS, confidence_level=0.9, **HOW
    ).records(),
    "suite": lambda p, q: package.compare_tasks(
        {"one": (R, p, q), "two": (R, q, p[::-1])}, **HOW
    ).to_dict(),
    "batches": lambda p, q: in_batches(p),
    "frames": lambda p, q: of_frames(p),
}


@pytest.mark.parametrize("path", PATHS)
def test_spelling_of_out_of_class_predictions_is_irrelevant(path):
    found = [str(PATHS[path](spelled(x), spelled(y, 1))) for x, y in ways_to_spell()]
    assert len({*found}) == 1


def ways_to_spell():
    """Yield how the answers of two models are spelled, which need not be alike."""
    names = [*SPELLINGS]
    yield from zip(names, [*names[1:], names[0]], strict=True)


@pytest.mark.parametrize("name", REGISTRY)
def test_the_spelling_changes_no_score_and_no_interval(name):
    entry = score_named(name)
    if not entry.allows_unknown:
        for how in SPELLINGS:
            with pytest.raises(ValueError, match="markedness"):
                estimate(table_of_labels(R, spelled(how), **HOW), None, name)
        return
    found = [report_of(table_of_labels(R, spelled(how), **HOW), entry) for how in SPELLINGS]
    assert found == [found[0]] * len(found)


def report_of(table, score):
    value = score.value(table)
    if not hasattr(score, "interval"):
        return value, score.signature(table)
    return value, score.signature(table), str(score.interval(table, 0.95))


@pytest.mark.parametrize("options", ["--by part", "--metric nit --confidence-level 0.9", ""])
def test_files_and_commands_read_one_outcome(options, command, tmp_path):
    found = []
    for how in SPELLINGS:
        rows = zip(R.tolist(), spelled(how), spelled(how, 1), BY.tolist(), strict=True)
        names = "r", "p", "q", "part"
        path = tmp_path / "p.json"
        path.write_text(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
        lines = [f"report {path.name} -r r -p p {options}"]
        lines += [] if options else [f"compare {path.name} -r r -p p q"]
        for line in lines:
            given = shlex.split(line.replace(path.name, shlex.quote(str(path))))
            code, output, _ = command(*given, "--unknown", "wrong", "--format", "json")
            assert code == 0
            plain = json.loads(output)
            plain.pop("read", None)
            found.append(plain)
    n = len(found) // len(SPELLINGS)
    assert found == found[:n] * len(SPELLINGS)


def test_metric_modules_read_one_outcome(load):
    for name in ("informedness", "nit"):
        sides = [{"references": R, "predictions": spelled(how)} for how in SPELLINGS]
        found = [load(name).compute(**x, **HOW, confidence_level=0.95) for x in sides]
        assert found == [found[0]] * len(found)


def test_other_scores_take_it_as_one_label_like_scikit_learn():
    p = spelled("different texts")
    merged = ["?" if is_out else x for x, is_out in zip(p, IS_OUT[0], strict=True)]
    made = report(R, p, **HOW)
    assert made["f1_macro"] == close(peer.f1_score(R, merged, labels=[*"abc"], average="macro"))
    assert made["cohen_kappa"] == close(peer.cohen_kappa_score(R, merged))
    assert made["matthews_corrcoef"] == close(peer.matthews_corrcoef(R, merged))
    assert made["nit"] == close(np.exp(peer.mutual_info_score(R, merged)) / 3)
    assert made.table.labels == (*"abc", None)
    wanted = peer.confusion_matrix(R, merged, labels=[*"abc?"])
    assert made.table.to_dense().tolist() == wanted.tolist()
    assert "unknown:wrong" in made.signature


def test_two_models_out_of_class_agree_with_each_other():
    p, q = [*"ab"] * 10 + ["sorry"], [*"ab"] * 10 + [None]
    assert compare([*"ab"] * 10 + ["a"], p, q, **HOW).n_different == 0


def test_without_unknown_wrong_each_spelling_stays_a_label():
    p = ["sorry" if x is None else x for x in spelled("None")]
    table = table_of_labels(R, p)
    assert table.labels == (*"abc", "sorry")
    assert table.unmerged_table is None


def test_the_warning_that_quotes_spellings_still_does():
    with pytest.warns(UserWarning, match="'I cannot' and 'sorry' \\(no prediction is a class"):
        report([*"aabb"], ["sorry", "I cannot", "sorry", "sorry"], **HOW)
    with pytest.warns(UserWarning, match="'billing' and 'BILLING' differ only in case"):
        report(["billing", "bug"] * 3, ["BILLING", "bug"] * 3, **HOW)
