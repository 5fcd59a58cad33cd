"""Logs of each harness are read as the harness itself takes them, or refused with the reason.

The kept logs, which test_logs.py describes, are changed here, one or all of their samples.
"""

import gzip
import json
import math
import shutil
import zipfile
from operator import attrgetter, methodcaller

import pyarrow
import pyarrow.parquet
import pytest

from harnesses.arithmetic import LOG, kept
from informedness import read_log
from informedness.inputs.text_labels import AS_THEY_ARE
from informedness.logs.reading import READERS
from informedness.warnings import InformednessWarning
from tables import score_of

DATE = "2026-01-01T00-00-00"
LETTERS = ["A", "B", "C", "D"]
PATHS = {
    "lm-eval": f"samples_task_{DATE}.jsonl",
    "lighteval": f"details/model/{DATE}/details_task_{DATE}.parquet",
    "inspect": "log.json",
}
KNOWS_HALF = [[6, 6, 0, 0], [0, 24, 0, 0], [0, 6, 6, 0], [0, 6, 0, 6]]
DELETED = object()


def parsed(harness, source):
    """Return what is in a log, and its samples."""
    if harness == "lighteval":
        samples = pyarrow.parquet.read_table(source).to_pylist()
    elif harness == "inspect":
        log = json.loads(source.with_suffix(".json").read_text("utf-8"))
        return log, log["samples"]
    else:
        opened = gzip.open if source.suffix == ".gz" else open
        with opened(source, "rt", encoding="utf-8") as stream:
            samples = [json.loads(line) for line in stream]
        for sample in samples:  # as most logs, without our own metrics
            sample.pop("informedness", None), sample.pop("nit", None)
    return samples, samples


def set_in(sample, fields):
    """Set or delete fields, of which some are in others: "doc.choices"."""
    for name, value in fields.items():
        *outer, last = name.split(".")
        inside = sample
        for part in outer:
            inside = inside[part]
        inside[last] = value
        if value is DELETED:
            del inside[last]


@pytest.fixture
def changed(tmp_path):
    """Return a function that changes the samples of a kept log, writes it, and reads it again.

    A change is fields of one or all samples, or a function of the samples, or of Inspect's log.
    """

    def read(harness, change, at=None, log=None, model="knows-half"):
        whole, samples = parsed(harness, kept(harness, log, model))
        if callable(change):
            change(whole)
        else:
            for sample in samples if at is None else [samples[at]]:
                set_in(sample, change)
        target = tmp_path / PATHS[harness]
        target.parent.mkdir(parents=True, exist_ok=True)
        if harness == "lighteval":
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(samples), target)
        else:
            lines = [whole] if harness == "inspect" else samples
            target.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
        found = list(READERS[harness].read_log(target))
        return found[0] if len(found) == 1 else found

    return read


# Which files are logs, of which model and task


def test_logs_are_known_by_their_names_or_heads(tmp_path):
    of_inspect = kept("inspect").with_suffix(".json").read_bytes()
    for name, content, harness in (
        (f"samples_mmlu_pro_{DATE}.jsonl", b"half", "lm-eval"),
        (f"samples_task_{DATE}.1.jsonl.gz", b"", "lm-eval"),
        ("samples_task.jsonl", b"", "lm-eval"),
        (f"results_{DATE}.json", b"{}", "lm-eval"),  # which says what to give instead
        ("renamed.jsonl.gz", kept("lm-eval").read_bytes(), None),
        ("samples_task.csv", b"", None),
        (f"details_arithmetic_0_{DATE}.0.parquet", b"half", "lighteval"),
        ("predictions.parquet", kept("lighteval").read_bytes(), None),
        ("a.eval", b"half", "inspect"),
        ("b.json", of_inspect, "inspect"),
        ("samples.json", b'{"version": 2, "results": {}}', None),
        ("c.txt", of_inspect, None),
    ):
        path, folder = tmp_path / name, tmp_path / "folders" / name
        folder.mkdir(parents=True)
        for exists in (False, True):
            found = [x for x, reader in READERS.items() if reader.is_log(path)]
            assert found == [harness] * (exists and harness is not None), name
            path.write_bytes(content)
        assert not any(reader.is_log(folder) for reader in READERS.values())


@pytest.mark.parametrize("harness", LOG)
def test_a_log_with_another_name_is_read_by_the_name_of_its_harness(harness, tmp_path):
    copy = shutil.copy(kept(harness), tmp_path / f"renamed{''.join(kept(harness).suffixes[-2:])}")
    (answers,) = read_log(copy, harness=harness)
    assert answers.report()["informedness"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("harness", "path", "model", "created"),
    [
        ("lm-eval", f"samples_task_{DATE}.jsonl.gz", "org/model", DATE),  # as the results say
        ("lm-eval", "elsewhere/samples_task_2026-02-02T00-00-00.5.jsonl.gz", "elsewhere", None),
        ("lighteval", "details/details/org/name/{}/{}", "org/name", None),
        ("lighteval", "details_org__name_private/{}/{}", "details_org__name_private", None),
        ("lighteval", "elsewhere/{1}", "elsewhere", None),
    ],
)
def test_the_model_is_that_of_the_results_beside_or_of_the_folders(
    harness, path, model, created, tmp_path
):
    source = kept(harness)
    (tmp_path / f"results_{DATE}.json").write_text('{"model_name": "org/model"}')
    target = tmp_path / path.format(source.parent.name, source.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)
    answers = next(READERS[harness].read_log(target))
    assert answers.model == model
    assert answers.created in (created, target.name, "2026-02-02T00-00-00.5")


def test_results_that_are_damaged_are_refused_by_name(tmp_path):
    shutil.copy(kept("lm-eval"), tmp_path / f"samples_task_{DATE}.jsonl.gz")
    (tmp_path / f"results_{DATE}.json").write_text("{")
    with pytest.raises(ValueError, match=f"results_{DATE}.json: must be a JSON object"):
        read_log(tmp_path)


# lm-eval


@pytest.mark.parametrize("task", ["letters", "texts", "generated"])
@pytest.mark.parametrize("model", ["always-b", "knows-half"])
def test_logs_without_our_metrics_give_the_same_answers(changed, model, task):
    """In "texts" the targets are digits: those of choices and not positions, as `acc` says."""
    bare = changed("lm-eval", {}, log=task, model=model)
    full = READERS["lm-eval"].read_log(kept("lm-eval", task, model))
    for one, other in zip(bare if isinstance(bare, list) else [bare], full, strict=True):
        for field in ("how", "ids", "references", "predictions", "choices", "prompts"):
            assert getattr(one, field) == getattr(other, field), field


def test_texts_that_metrics_turned_into_positions_are_read_as_these(changed):
    def by_position(samples):
        for number, sample in enumerate(samples):
            sample["nit"] = [LETTERS.index(sample["target"]), 1 if number % 2 else -1]

    letter, _ = changed("lm-eval", by_position, log="generated", model="always-b")
    assert letter.how == "what the metrics took from the text after filter 'letter'"
    assert (letter.references[:5], letter.unknown()) == ((0, 1, 2, 1, 3), {-1: 30})


@pytest.mark.parametrize(
    ("metric", "logprobs"), [("acc_norm", (-2.0, -2.9)), ("acc_mutual_info", (-2, -2.9, -1, -9))]
)
def test_the_likeliest_choice_is_that_of_the_accuracy_in_the_log(changed, metric, logprobs):
    """By the length behind what the harness writes before a choice, or without the question."""
    choices = {i: {"arg_1": f" {'B' * (i % 2 + 1)} "} for i in range(len(logprobs))}
    fields = {"arguments": choices, "filtered_resps": [[str(x), "False"] for x in logprobs]}
    fields |= {"acc": DELETED}

    def change(samples):
        for number, sample in enumerate(samples):
            set_in(sample, {**fields, "target": str(number % 2), metric: float(number % 2)})

    answers = changed("lm-eval", change)
    assert answers.how == f"the likeliest choice, as for {metric}"
    assert (answers.choices, {*answers.predictions}) == (("B", "BB"), {"BB"})


@pytest.mark.parametrize(
    ("k", "metric", "logged", "message"),
    [
        (2, "acc", None, None),
        (3, "acc", None, "which prompt is right is not logged: list"),
        (3, "acc", "informedness", None),
        (3, "acc_norm", None, "acc_norm needs choices, which are in the prompts: list `acc`, too"),
    ],
)
def test_of_prompts_with_one_text_behind_the_right_one_is_told(changed, k, metric, logged, message):
    """As of Winogrande: by the verdict on two, or by our own metric."""
    fields = {"arguments": {i: {"arg_1": " it is."} for i in range(k)}, "target": "it is."}
    fields["filtered_resps"] = [["-1.0", "False"], *[["-2.0", "False"]] * (k - 1)]

    def change(samples):
        for number, sample in enumerate(samples):
            right = {metric: float(number % k == 0)} | ({logged: [number % k, 0]} if logged else {})
            set_in(sample, {**fields, "acc": DELETED, **right})

    if message:
        with pytest.raises(ValueError, match=message):
            changed("lm-eval", change, log="plain")
    else:
        assert changed("lm-eval", change, log="plain").references == tuple(i % k for i in range(25))


@pytest.mark.parametrize("listed", [None, LETTERS, "{{letters}}"])
def test_targets_are_positions_in_the_choices_that_results_or_metrics_name(
    changed, listed, tmp_path
):
    def change(samples):
        for sample in samples:
            answer = sample["filtered_resps"][0].lower()
            sample.update(target=str(LETTERS.index(sample["target"])), filtered_resps=[answer])
            if listed is None:
                sample["nit"] = [int(sample["target"]), answer, None, LETTERS]
            sample["doc"]["letters"] = LETTERS if sample["doc_id"] else ["A", "B", "C", "x"]

    config = {"configs": {"task": {"doc_to_choice": listed}}}
    (tmp_path / f"results_{DATE}.json").write_text(json.dumps(config))
    for answers in changed("lm-eval", change, log="generated"):
        assert answers.classes == ((0, 1, 2, 3) if listed == "{{letters}}" else (*LETTERS,))
        assert answers.read(AS_THEY_ARE).table.informedness() == pytest.approx(0.5)


# lighteval

TEXT, PROCESSED = "model_response.text", "model_response.text_post_processed"
LOGPROBS, EXTRACTED = "model_response.logprobs", "doc.specific.extracted_predictions"
BY_TOKENS = "acc:logprob_normalization=LogProbTokenNorm(name='norm_token')"
BY_CHARACTERS = "acc:logprob_normalization=LogProbCharNorm(name='norm', ignore_first_space={})"


@pytest.mark.parametrize(
    ("metrics", "right"),
    [
        (["acc_norm_token:a=1"], 2),
        ([BY_TOKENS], 2),
        (["acc", BY_TOKENS], 0),
        ([BY_CHARACTERS.format("False")], 3),
        ([BY_CHARACTERS.format("True")], 0),
    ],
)
def test_the_likeliest_choice_is_that_of_the_only_accuracy(changed, metrics, right):
    """Normalised as its name says, of which the option may be a part; of several, the plain one."""
    fields = {LOGPROBS: [-1.0, -2.0, -3.0, -1.0], "doc.gold_index": 0}
    fields |= {"model_response.output_tokens": [[1], [1], [1] * 9, [1]]}
    fields |= {"doc.choices": ["A", "B", "C", " D"]}
    fields |= {"metric": dict.fromkeys(metrics, float(right == 0))}
    answers = changed("lighteval", fields).read(AS_THEY_ARE)
    assert {*answers.predictions} == {"ABCD"[right]}


def test_text_is_looked_up_among_the_choices_of_its_sample(changed):
    """But for blanks if the metric says so, and as the metric says where it tells more."""

    def change(rows):
        rows[0]["doc"].update(choices=["one", "two", "three"], gold_index=2)
        for row, text, em in ((rows[0], " Two ", 0), (rows[1], " b.", 1)):
            set_in(row, {PROCESSED: [text], "metric.em": em})

    answers = changed("lighteval", change, log="arithmetic_text").read(AS_THEY_ARE)
    assert answers.choices == (0, 1, 2, 3)
    assert (answers.references[0], answers.predictions[:2]) == (2, (1, 1))
    assert score_of(answers.table, "accuracy") == sum(answers.verdicts) / 60


def test_each_kind_of_metric_is_a_variant(changed):
    """And choices are known without blanks, the right one also in a list."""

    def change(rows):
        for row in rows:
            gold = row["doc"]["gold_index"]
            row["doc"].update(gold_index=[gold], choices=[" A", " B", " C", " D"])
        generated = pyarrow.parquet.read_table(kept("lighteval", "arithmetic_text")).to_pylist()
        for row in generated:
            row["doc"]["gold_index"] = [row["doc"]["gold_index"]]
        rows += generated

    for answers, name in zip(
        changed("lighteval", change), ("log-probabilities", "text"), strict=True
    ):
        assert (answers.variant, answers.choices) == (name, (*LETTERS,))
        assert answers.table.to_dense().tolist() == KNOWS_HALF


def test_an_extracted_answer_that_its_metric_counts_otherwise_is_refused(changed):
    answers = changed("lighteval", {"metric": {"extractive_match": 0.0}}, log="arithmetic_sentence")
    with pytest.raises(ValueError, match="does not fit the answer in 42 of 60 samples"):
        answers.read(AS_THEY_ARE)


# Inspect


def test_samples_without_a_score_are_left_out_and_counted(changed, tmp_path):
    """And a second epoch that has none is left out whole; the order is that of the names."""

    def change(log):
        samples = log["samples"]
        samples += [{**sample, "epoch": 2, "scores": {}} for sample in samples]
        log["results"]["total_samples"] = 40
        samples[0]["scores"]["choice"]["value"] = math.nan
        samples[2]["scores"].clear()
        samples[3].update(error={"message": "x"}, scores=None)
        samples[4].update(invalidation={"author": "x"})
        samples.reverse()

    answers = changed("inspect", change)
    assert (len(answers.ids), answers.n_left_out) == (16, 4)
    assert answers.ids[:2] == ("sum-01", "sum-05")
    with pytest.warns(InformednessWarning, match="4 of 20 samples of .*, epoch 1 have no score"):
        read_log(tmp_path)


# One field changed

ANSWER = "scores.choice.answer"
SHOTS = [{"query": "What is 1 + 1?"}, {"query": "What is 2 + 2?"}]
SHOWN = {"doc.instruction": "Add.", "doc.fewshot_samples": SHOTS, "doc.query": "3 + 3?"}
SAID = {"content": "1 + 2?", "role": "user"}
MESSAGE = [{"id": "one", **SAID}]  # which differs from run to run
# marks and numbers; a class C is none of them, nor is a scorer's own word
MARKS = {"C": 1, "I": 0, "P": 0.5, "N": 0, "fine": None}
SEEN = {
    "unknown": methodcaller("unknown"),
    "matrix": lambda answers: answers.table.to_dense().tolist(),
    "prompts": lambda answers: answers.prompts[0],
}
OF_28 = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "1", "2")

READ = [  # harness, log, fields of one sample or of all, which, what is read
    ("lighteval", "text", {TEXT: ["<think>B</think>C"]}, None, "matrix", KNOWS_HALF),
    ("lighteval", "text", {PROCESSED: [" B"]}, None, "unknown", {" B": 60}),
    ("lighteval", "text", {TEXT: ["C"], PROCESSED: None}, None, "predictions", ("C",) * 60),
    # log-probabilities of tokens
    ("lighteval", "text", {LOGPROBS: [-0.1, -0.2]}, None, "matrix", KNOWS_HALF),
    # nothing extracted is no answer, and the first of several counts
    ("lighteval", "sentence", {EXTRACTED: []}, 0, "unknown", {None: 1}),
    ("lighteval", "sentence", {EXTRACTED: ["C", "D"]}, None, "predictions", ("C",) * 60),
    ("lighteval", None, SHOWN, 0, "prompts", "Add.\n\nWhat is 1 + 1?\n\nWhat is 2 + 2?\n\n3 + 3?"),
    ("lighteval", None, {"doc.query": 7}, None, "prompts", "7"),
    ("inspect", None, {ANSWER: ""}, 0, "unknown", {None: 1}),
    ("inspect", None, {ANSWER: DELETED}, 0, "unknown", {None: 1}),
    ("inspect", None, {"choices": ["?"] * 28, "target": "2"}, 0, "choices", OF_28),
    ("inspect", None, {"target": ["yes"]}, None, "choices", None),
    ("inspect", None, {"target": ["yes"]}, None, "classes", ("yes",)),
    ("inspect", None, {}, None, "prompts", "What is 1 + 2?\n3\n4\n5\n6"),
    ("inspect", None, {"input": MESSAGE}, 0, "prompts", f"{json.dumps([SAID])}\n3\n4\n5\n6"),
    *(
        ("inspect", None, {"scores.choice.value": value}, None, "verdicts", (verdict,) * 20)
        for value, verdict in [*MARKS.items(), (1, 1), (0.5, 0.5), ([1], None)]
    ),
]


@pytest.mark.parametrize(("harness", "log", "fields", "at", "name", "wanted"), READ)
def test_a_log_is_read_as_the_harness_means_it(changed, harness, log, fields, at, name, wanted):
    answers = changed(harness, fields, at, log and f"arithmetic_{log}")
    see = SEEN.get(name, attrgetter(name))
    assert see(answers) == wanted


# What is refused

THREE = [["-1.5", "False"]] * 3
ONE_ANSWER = "must have one right answer for a score of classes, got "
GENERATED = {"gen_args_0": {"arg_0": "", "arg_1": {"until": []}}}
ONE_TEXT = {"gen_args_0": {"arg_0": "", "arg_1": " A"}}
# each target is a position, and the text of another choice
POSITIONS = {f"gen_args_{i}": {"arg_0": "", "arg_1": f" {x}"} for i, x in enumerate("1230")}
OF_B = {"extracted_predictions": ["B"], "extracted_golds": ["18"]}
GOLD_OF_D = "^sample 19: must have gold 'D' and an answer extracted, got gold "
ONE = {"lm-eval": 2, "lighteval": 9, "inspect": 0}

LINE, ROW, SUM = "^line 3: ", "^sample 19: ", "^sample 'sum-00': "
LIKELIEST = {"filtered_resps": [*THREE, ["nan", ""]]}
GENERATION = {PROCESSED: ["A", "D"]}

REFUSED = [  # harness, log, fields of one sample (or of all, if the message does not name it)
    ("lm-eval", "letters", {"prompt_hash": DELETED}, f"{LINE}it is damaged: KeyError 'prompt_h"),
    ("lm-eval", "letters", {"arguments": [["", " A"]]}, f"{LINE}it is damaged: AttributeError"),
    ("lm-eval", "letters", LIKELIEST, f"{LINE}must hold a number for each"),
    ("lm-eval", "letters", {"filtered_resps": [*THREE, "-1.5"]}, f"{LINE}.*values to unpack"),
    ("lm-eval", "letters", {"arguments": GENERATED}, f"{LINE}must hold a number for each"),
    ("lm-eval", "letters", {"target": "[1, 2]"}, rf"{LINE}must have one choice.*'\[1, 2\]'"),
    ("lm-eval", "letters", {"target": "4"}, f"{LINE}.*'target': '4'"),
    ("lm-eval", "letters", {"target": "0"}, f"{LINE}.*'target': '0', 'verdict': 1"),
    ("lm-eval", "generated", {"filtered_resps": [["A", "B"]]}, f"{LINE}.* take_first"),
    ("lm-eval", "generated", {"target": "['A', 'B']"}, f"{LINE}{ONE_ANSWER}"),
    ("lm-eval", "letters", {"arguments": ONE_TEXT}, "must have scored choices or generated text"),
    ("lm-eval", "letters", {"arguments": POSITIONS, "acc": DELETED}, "could be a choice or a posi"),
    ("lighteval", None, {"doc.gold_index": -1}, rf"{ROW}{ONE_ANSWER}\[-1\]"),
    ("lighteval", None, {"doc.gold_index": None}, rf"{ROW}{ONE_ANSWER}\[None\]"),
    ("lighteval", None, {"doc.gold_index": [0, 2]}, rf"{ONE_ANSWER}\[0, 2\]"),
    ("lighteval", None, {LOGPROBS: [-1.0] * 3}, f"{ROW}.*each of 4 choices, got"),
    ("lighteval", None, {LOGPROBS: None}, rf"{ROW}.*each of 4 choices, got \[\]"),
    ("lighteval", None, {LOGPROBS: [math.nan] * 4}, rf"{ROW}.*4 choices, got \[nan"),
    # the right answer alone, and no other choice
    ("lighteval", "arithmetic_text", {"doc.choices": ["18"]}, f"{ROW}.*two classes, got"),
    ("lighteval", "arithmetic_text", {"doc.choices": None}, f"{ROW}it is damaged: TypeErr"),
    ("lighteval", "arithmetic_text", GENERATION, f"{ROW}must have one generated text, got .*'D'"),
    ("lighteval", "arithmetic_sentence", {PROCESSED: []}, f"{ROW}must have one generated text"),
    ("lighteval", "arithmetic_sentence", {"doc.specific": None}, GOLD_OF_D),
    ("lighteval", "arithmetic_sentence", {"doc.specific": OF_B}, GOLD_OF_D),
    ("inspect", None, {"target": ["A", "B"]}, f"{SUM}{ONE_ANSWER}.*'A', 'B'"),
    ("inspect", None, {"target": "AB"}, f"{SUM}{ONE_ANSWER}'AB'"),
    ("inspect", None, {"input": DELETED}, f"{SUM}it is damaged: KeyError 'input'"),
    ("inspect", None, {"scores": DELETED}, "no sample has scores, which hold"),
]


@pytest.mark.parametrize(("harness", "log", "fields", "message"), REFUSED)
def test_what_cannot_be_scored_is_refused_by_its_sample(changed, harness, log, fields, message):
    with pytest.raises(ValueError, match=message):
        changed(harness, fields, ONE[harness] if message[0] == "^" else None, log)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log.update(status="error"), "must have status 'success', got 'error': finish"),
        (lambda log: log.update(version=1), "must have version 2, got 1"),
        (lambda log: log.pop("eval"), "the header: it is damaged: KeyError 'eval'"),
        (lambda log: log.pop("samples"), "no samples: run without --no-log-samples"),
        (lambda log: log["samples"].pop(), "is damaged: it holds 19 of 20 samples"),
    ],
)
def test_a_log_of_a_run_that_has_not_ended_or_lacks_samples_is_refused(changed, change, message):
    with pytest.raises(ValueError, match=message):
        changed("inspect", change)


def test_a_file_that_is_damaged_or_of_something_else_is_refused(tmp_path):
    parquet = kept("lighteval").read_bytes()
    pyarrow.parquet.write_table(pyarrow.table({"doc": [{"id": "1"}]}), tmp_path / "of_others")
    with zipfile.ZipFile(tmp_path / "begun.eval", "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    for name, content, message in (
        ("samples_task.jsonl", b'{"doc_id": 0\n', "^line 1: must be a JSON object: "),
        ("samples_task.jsonl", b"\xff\xff\n", "^line 1: must be a JSON object: "),
        ("samples_task.jsonl", b"[1]\n", r"^line 1: must be a JSON object, got \[1\]"),
        ("d.parquet", parquet[:4] + b"\xff" * 2000 + parquet[2004:], "not readable as parquet"),
        ("d.parquet", (tmp_path / "of_others").read_bytes(), "^row 1: it is damaged: KeyError"),
        ("log.json", b"[1]", r"must be a JSON object, got \[1\]"),
        ("log.eval", (tmp_path / "begun.eval").read_bytes(), "status 'success', got 'started'"),
    ):
        (tmp_path / name).write_bytes(content)
        harness = {"s": "lm-eval", "d": "lighteval", "l": "inspect"}[name[0]]
        with pytest.raises(ValueError, match=message):
            list(READERS[harness].read_log(tmp_path / name))


@pytest.mark.slow
def test_a_damaged_log_is_refused_or_read_as_it_was(tmp_path):
    """Each of some bytes is changed, or the file cut there; an answer is never another."""
    source = kept("inspect")
    whole, right = source.read_bytes(), list(READERS["inspect"].read_log(source))
    path = tmp_path / "log.eval"
    n_refused = 0
    for place in range(7, len(whole), len(whole) // 150):
        flipped = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        for damaged in (whole[:place], flipped):
            path.write_bytes(damaged)
            try:
                assert list(READERS["inspect"].read_log(path)) == right
            except ValueError:
                n_refused += 1
    assert n_refused > 150
