"""Text has a kind once it is read: one answer for a frame in every format, and for shards of it.

Covers src: files/reading.py, files/samples.py.
"""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from informedness import informedness_score, table_from_file, table_from_frame
from informedness.files.samples import labels_of_text
from inputs.cases import warned
from oracles.golden import close

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 200)
RIGHT = np.where(RNG.random(200) < 0.5, TRUTH, RNG.integers(0, 2, 200))
SCORES = np.where(RIGHT, 0.5 + 0.49 * RNG.random(200), 0.5 * RNG.random(200)).round(4)
FRAME = pd.DataFrame(
    {
        "label": TRUTH,
        "float": TRUTH.astype(float),
        "truth": TRUTH.astype(bool),
        "text": np.where(TRUTH, "yes", "no"),
        "model": RIGHT,
        "model float": RIGHT.astype(float),
        "model bool": RIGHT.astype(bool),
        "model text": np.where(RIGHT, "yes", "no"),
        "model score": SCORES,
    }
)
WANTED = informedness_score(TRUTH, RIGHT)
WRITERS = {
    "p.csv": lambda frame, path: frame.to_csv(path, index=False),
    "p.xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "p.parquet": lambda frame, path: frame.to_parquet(path),
    "p.json": lambda frame, path: path.write_text(frame.to_json(orient="records")),
    "p.jsonl": lambda frame, path: path.write_text(frame.to_json(orient="records", lines=True)),
}
ALIKE = ("label", "float", "truth"), ("model", "model float", "model bool")


@pytest.fixture
def read(tmp_path):
    def table_of(name, references, predictions, **options):
        WRITERS[name](FRAME, tmp_path / name)
        return table_from_file(
            tmp_path / name, references=references, predictions=predictions, **options
        )

    return table_of


@pytest.mark.parametrize("name", WRITERS)
def test_a_pair_of_columns_has_one_answer_in_every_format(name, read):
    for references in ALIKE[0]:
        for predictions in ALIKE[1]:
            table, said = warned(read, name, references, predictions)
            assert (table.informedness(), said) == (close(WANTED), ""), (references, predictions)
    assert read(name, "text", "model text").informedness() == close(WANTED)


@pytest.mark.parametrize("name", WRITERS)
def test_a_threshold_cuts_scores_and_the_account_counts_them(name, read):
    n = int((SCORES > 0.5).sum())
    for references, options in (("label", {}), ("text", {"labels": ["no", "yes"]})):
        table = read(name, references, "model score", threshold=0.5, **options)
        assert table.informedness() == close(informedness_score(TRUTH, SCORES > 0.5))
        above = options.get("labels", (0, 1))[1]
        assert f"{above} {n}" in str(table.read[0])
        assert f"above 0.5 read as {above}" in str(table.read[0])


def test_a_frame_takes_a_threshold_and_keeps_missing_scores():
    frame = FRAME.assign(score=np.where(np.arange(200) % 20, SCORES, np.nan))
    sides = {"references": "label", "predictions": "score", "threshold": 0.5}
    with pytest.raises(ValueError, match="in 10 of 200 rows"):
        table_from_frame(frame, **sides)
    table = table_from_frame(frame, **sides, unknown="wrong")
    answers = [None if x != x else int(x > 0.5) for x in frame["score"]]
    assert table.informedness() == informedness_score(TRUTH, answers, unknown="wrong")
    for threshold in (float("nan"), "0.5"):
        with pytest.raises(ValueError, match="`threshold` must be a finite"):
            table_from_frame(frame, **sides | {"threshold": threshold})
    with pytest.raises(ValueError, match="`predictions` must hold scores, got 'yes'"):
        table_from_frame(frame, references="label", predictions="text", threshold=0.5)


def test_a_threshold_needs_two_classes_and_keeps_precision(tmp_path):
    frame = pd.DataFrame({"g": [0, 1, 2, 1], "s": [0.1, 0.7, 0.3, 0.9]})
    sides = {"references": "g", "predictions": "s"}
    with pytest.raises(ValueError, match="makes classes 0 and 1, but the references have"):
        table_from_frame(frame, **sides, threshold=0.5)
    single = pd.DataFrame({"g": [0, 1, 0, 1], "s": frame["s"].astype("float32")})
    single.to_parquet(tmp_path / "p.parquet")
    table = table_from_file(tmp_path / "p.parquet", **sides, threshold=0.1)
    assert table.counts.tolist() == [1, 1, 2]  # 0.1 is not above 0.1


CLASSES = ["bad", "fair", "good"]
THREE = RNG.integers(0, 3, 200)
LIKELY = RNG.random((200, 3)).round(3) + np.eye(3)[THREE] / 2
OF_THREE = pd.DataFrame(LIKELY, columns=["p0", "p1", "p2"]).assign(
    code=THREE, text=np.array(CLASSES)[THREE]
)
OF_SCORES = {"predictions": "argmax:p0,p1,p2"}


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet", "frame"])
def test_argmax_takes_the_highest_column_in_order_of_labels(name, tmp_path):
    """A missing score is a missing prediction."""

    def read(frame, **how):
        if name == "frame":
            return table_from_frame(frame, **how)
        WRITERS[name](frame, tmp_path / name)
        return table_from_file(tmp_path / name, **how)

    answers = LIKELY.argmax(axis=1)
    codes = [*"012"] if name == "p.csv" else [0, 1, 2]
    for references, labels in (("code", codes), ("text", CLASSES)):
        how = {"references": references, "labels": labels, **OF_SCORES}
        assert read(OF_THREE, **how).informedness() == close(informedness_score(THREE, answers))
    lacking = OF_THREE.assign(p1=OF_THREE["p1"].where(np.arange(200) % 10 > 0))
    table = read(lacking, **how, unknown="wrong")
    said = [None if i % 10 == 0 else x for i, x in enumerate(answers.tolist())]
    wanted = informedness_score(THREE, said, labels=[0, 1, 2], unknown="wrong")
    assert table.informedness() == close(wanted)
    with pytest.raises(ValueError, match="in 20 of 200 rows"):
        read(lacking, **how)
    for wrong, message in (
        ({"labels": None}, "`labels` must list a class for each of the 3 columns of scores"),
        ({"labels": [*CLASSES, "x"]}, "`labels` must list a class for each of the 3 columns"),
        (
            {"labels": CLASSES[1:], "threshold": 0.5},
            "in their order, and `threshold` must be left out",
        ),
        ({"predictions": "argmax:p0,p1,nope"}, "'nope'"),
        ({"predictions": "argmax:p0,words,p1"}, "`predictions` must hold scores, got '"),
    ):
        with pytest.raises(ValueError, match=message):
            read(OF_THREE.assign(words="x"), **how | wrong)


@pytest.mark.parametrize("columns", ["ham,spam", "P_ham,p_spam", "ham score,spam score"])
def test_columns_named_as_the_labels_in_another_order_warn(columns, tmp_path):
    scores = pd.DataFrame([[0.9, 0.1], [0.2, 0.8], [0.7, 0.3]], columns=columns.split(","))
    scores.assign(label=["ham", "spam", "ham"]).to_csv(tmp_path / "p.csv")
    names = {"references": "label", "predictions": f"argmax:{columns}"}
    for labels, value, is_warned in ((["ham", "spam"], 1, False), (["spam", "ham"], -1, True)):
        table, said = warned(table_from_file, tmp_path / "p.csv", **names, labels=labels)
        assert table.informedness() == value
        assert ("read as the scores of ['spam', 'ham'], in this order" in said) == is_warned


def test_whole_decimals_are_integers_and_others_are_no_labels(tmp_path):
    frame = FRAME[["label"]].assign(model=[Decimal(int(x)) for x in RIGHT])
    frame.to_parquet(tmp_path / "p.parquet")
    sides = {"references": "label", "predictions": "model"}
    for table in (table_from_frame(frame, **sides), table_from_file(tmp_path, **sides)):
        assert table.informedness() == close(WANTED)
    halves = frame.assign(model=[Decimal("0.5")] * 200)
    with pytest.raises(ValueError, match="`predictions` must hold labels"):
        table_from_frame(halves, **sides)


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_shards_and_options_merge_other_spellings_of_a_class(tmp_path, command):
    """Of three shards one has gaps, and pandas wrote 1.0 there; the prior is of another file."""
    for number, kind in enumerate((int, float, int)):
        part = FRAME[number::3][["label", "model"]].astype(kind)
        part.to_csv(tmp_path / f"{number}.csv", index=False)
    sides = {"references": "label", "predictions": "model"}
    table = table_from_file(tmp_path, **sides)
    assert (table.informedness(), table.labels) == (close(WANTED), (0, 1))
    assert table_from_file(tmp_path, **sides, labels=["0.0", "1.0"]).informedness() == close(WANTED)
    ignored = table_from_file(tmp_path / "1.csv", **sides, ignore_index="1")
    assert ignored.n_samples == int((TRUTH[1::3] == 0).sum())
    given = ("report", tmp_path / "0.csv", "-r", "label", "-p", "model", "--metric", "informedness")
    wanted = informedness_score(TRUTH[::3], RIGHT[::3], prior={0: 0.75, 1: 0.25})
    for kind in (float, int, bool):
        train = pd.DataFrame({"y": np.repeat([0, 1], [30, 10]).astype(kind)})
        train.to_csv(tmp_path / "train.csv", index=False)
        train.to_parquet(tmp_path / "train.parquet")
        for name in ("train.csv", "train.parquet")[: 1 if kind is float else 2]:
            code, output, _ = command(*given, "--prior", f"{tmp_path / name}:y")
            assert (code, float(output)) == (0, close(wanted))


def test_an_ignored_reference_is_found_in_another_case(tmp_path):
    (tmp_path / "p.csv").write_text("g,m\nyes,yes\nno,yes\nN-A,no\n")
    sides = {"path": tmp_path / "p.csv", "references": "g", "predictions": "m"}
    assert table_from_file(**sides, ignore_index="n-a", ignore_case=True).n_samples == 2
    assert table_from_file(**sides, ignore_index="N-A", ignore_case=True).n_samples == 2
    _, said = warned(table_from_file, **sides, ignore_index="-100")
    assert "`ignore_index` leaves out nothing: no reference is '-100'" in said
    frame = pd.DataFrame({"g": [0, 1], "m": [0, 1]})
    options = {"references": "g", "predictions": "m", "ignore_index": -100}
    assert warned(table_from_frame, frame, **options)[1] == ""


def test_integers_in_options_match_the_text_of_a_file(tmp_path):
    (tmp_path / "p.csv").write_text("g,m\n0,0\n1,0\n2,1\n1,1\n0.0,1\n")
    sides = {"path": tmp_path / "p.csv", "references": "g", "predictions": "m"}
    table = table_from_file(**sides, ignore_index=2)
    assert (table.labels, table.counts.tolist()) == ((0, 1), [1, 1, 1, 1])
    for labels in (["0", "0.0", "1", "2"], ["0", "1", "1.0", "2"]):
        with pytest.raises(ValueError, match="`labels` must list each class once"):
            table_from_file(**sides, labels=labels)
    (tmp_path / "p.csv").write_text("g,m\n0,0\n2,0\n2,x\n")
    assert table_from_file(**sides, labels=[0, 2], unknown="wrong").labels == ("0", "2", None)
    with pytest.raises(ValueError, match="must name one column, got 'argmax:g,m'"):
        table_from_file(**sides | {"references": "argmax:g,m"})


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_files_may_spell_a_class_differently_also_in_rows_that_do_not_count(tmp_path):
    sides = {"references": "g", "predictions": "m"}
    (tmp_path / "0.csv").write_text("g,m\n0.0,0.0\n1.0,0.0\n")
    (tmp_path / "1.csv").write_text("g,m\nTrue,True\nFalse,True\n")
    table = table_from_file(tmp_path, **sides)
    assert (table.labels, table.to_dense().tolist()) == ((0, 1), [[1, 1], [1, 1]])
    ignored = table_from_file(tmp_path, **sides, ignore_index=1)
    assert (ignored.labels, ignored.n_samples) == ((0, 1), 2)


def test_listed_classes_of_integers_and_text_are_refused_with_a_reason(tmp_path):
    (tmp_path / "p.json").write_text('[{"g": 1, "m": 2}, {"g": 2, "m": 2}]')
    with pytest.raises(ValueError, match="`labels` must list every reference; 1 is missing"):
        table_from_file(tmp_path, references="g", predictions="m", labels=["1.5", "2"])


@pytest.mark.parametrize(
    ("groups", "meant"),
    [
        ([{"0", "1"}, {"True", "False"}], {"0": 0, "1": 1, "True": 1, "False": 0}),
        ([{"0.0", "1.0"}, {"TRUE", "FALSE"}], {"0.0": 0, "1.0": 1, "TRUE": 1, "FALSE": 0}),
        ([{"true", "false"}, {"True", "False"}], {"true": 1, "false": 0, "True": 1, "False": 0}),
        ([{"007", "7"}, {"7.0"}], {"7.0": "7"}),
        ([{"1", "1.0"}, {"1"}], {"1": 1, "1.0": 1}),
        ([{"0", "0.0", "1"}], {"0": 0, "0.0": 0, "1": 1}),
        ([{"1", "1.00"}], {"1": 1, "1.00": 1}),
        # each has one spelling, or a column has more than truths, or another decimal stands there
        ([{"1.0", "2.0"}, {"1.0"}], {}),
        ([{"True", "False"}, {"True", "maybe"}], {}),
        ([{"0", "1"}, {"True", "False", "maybe"}], {}),
        ([{"0", "1"}, {"True", "true", "False"}], {}),
        ([{"250.01", "2.0"}, {"2"}], {}),
        ([{"1.0", "1.1"}, {"1"}], {}),
        ([{"1", "1.00", ".0"}], {}),
    ],
)
def test_text_is_converted_only_if_a_label_has_two_spellings(groups, meant):
    assert labels_of_text(groups) == meant


YES_NO = "yes", "no"
LONG = "I would say that the answer is yes.", "no, as it stands, it is no"
APART = [  # classes, answers, and what helps
    (("0", "1"), ("0.3", "0.71"), "threshold=0.5"),
    (("0", "1"), YES_NO, "was the wrong column named"),
    (YES_NO, ("Yes ", "NO"), "ignore_case=True or strip=True"),
    (YES_NO, LONG, "`extract` finds"),
    (YES_NO, ("c1", "c2"), "the metric 'nit'"),
]


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize(("classes", "answers", "hint"), APART)
def test_all_predictions_out_of_class_is_an_error_with_a_remedy(
    classes, answers, hint, tmp_path, command
):
    path, frame = tmp_path / "p.json", pd.DataFrame({"g": classes * 2, "m": answers * 2})
    WRITERS[path.name](frame, path)
    sides = {"references": "g", "predictions": "m"}
    for read, data in ((table_from_file, path), (table_from_frame, frame)):
        for unknown in ("error", "wrong"):
            with pytest.raises(ValueError, match=r"none of the 4 `predictions` \(") as error:
                read(data, **sides, unknown=unknown)
            assert all(x in str(error.value) for x in (hint, *(repr(y)[:18] for y in answers)))
        assert read(data, **sides, labels=classes, unknown="wrong").n_samples == 4
    for metric, code in (("nit", 0), ("accuracy", 2)):
        assert command("report", path, "-r", "g", "-p", "m", "--metric", metric)[0] == code


def test_decimal_commas_are_named_where_numbers_are_needed(tmp_path):
    (tmp_path / "p.csv").write_text("y;p;w\n1;0,93;1,5\n0;0,12;2,5\n1;0,4;1,0\n")
    for how in ({"threshold": 0.5}, {}, {"weights": "w"}):
        names = {"references": "y", "predictions": "p"} | how
        with pytest.raises(ValueError, match=r"decimal commas with pandas.read_csv\(path, sep=';'"):
            table_from_file(tmp_path / "p.csv", **names)
