"""Logs of each harness are read as the harness itself takes them, or refused with the reason.

The kept logs, which test_logs.py describes, are changed here, one or all of their samples.

Covers src: logs/inspect_logs.py, logs/lighteval_logs.py, logs/lm_eval_logs.py, logs/reading.py,
logs/verdicts.py.
"""

import bz2
import gzip
import json
import math
import shutil
import zipfile
from functools import partial, reduce
from operator import attrgetter, getitem, methodcaller

import pyarrow
import pyarrow.parquet
import pytest

from harnesses.arithmetic import kept
from informedness import read_log
from informedness.logs.reading import READERS
from informedness.logs.runs import how_found, how_to_choose
from informedness.tables.label_options import LabelOptions
from informedness.warnings import InformednessWarning
from inputs.answers import column
from inputs.cases import warned
from inputs.tables import score_of

DATE = "2026-01-01T00-00-00"
LETTERS = ["A", "B", "C", "D"]
PATHS = {
    "lm-eval": f"samples_task_{DATE}.jsonl",
    "lighteval": f"details/model/{DATE}/details_task_{DATE}.parquet",
    "inspect": "log.json",
}
KNOWS_HALF = [[6, 6, 0, 0], [0, 24, 0, 0], [0, 6, 6, 0], [0, 6, 0, 6]]
DELETED = object()


def parsed(harness, log):
    """Return what is in a kept log, and its samples."""
    source = kept(harness, log)
    if harness == "inspect":
        whole = json.loads(source.with_suffix(".json").read_bytes())
        return whole, whole["samples"]
    if harness == "lighteval":
        samples = pyarrow.parquet.read_table(source).to_pylist()
    else:
        samples = [json.loads(x) for x in gzip.decompress(source.read_bytes()).splitlines()]
        for sample in samples:  # as most logs, without our own metrics
            sample.pop("informedness", None), sample.pop("nit", None)
    return samples, samples


def set_in(sample, fields):
    """Set or delete fields, of which some are in others: "doc.choices"."""
    for name, value in fields.items():
        *outer, last = name.split(".")
        inside = reduce(getitem, outer, sample)
        inside[last] = value
        if value is DELETED:
            del inside[last]


def type_of(values):
    """Return the type of values with fields in their order, which pyarrow 20 sorts by itself."""
    values = [value for value in values if value is not None]
    if any(isinstance(value, dict) for value in values):
        names = dict.fromkeys(name for value in values for name in value)
        fields = {name: type_of([value.get(name) for value in values]) for name in names}
        return pyarrow.struct(fields.items())
    if any(isinstance(value, list) for value in values):
        return pyarrow.list_(type_of([element for value in values for element in value]))
    return pyarrow.infer_type(values)


def changed(folder, harness, log, change, at=None):
    """Change the samples of a kept log, write it to a folder, and return what is read from it.

    A change is fields of one or all samples, or a function of the samples, or of Inspect's log.
    """
    whole, samples = parsed(harness, log)
    if callable(change):
        change(whole)
    else:
        for sample in samples if at is None else [samples[at]]:
            set_in(sample, change)
    target = folder / PATHS[harness]
    target.parent.mkdir(parents=True, exist_ok=True)
    if harness == "lighteval":
        table = pyarrow.Table.from_pylist(samples, pyarrow.schema([*type_of(samples)]))
        pyarrow.parquet.write_table(table, target)
    else:
        lines = [whole] if harness == "inspect" else samples
        target.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return list(READERS[harness].read_log(target))


def record(harness, folder, verdicts, metric=None, accuracy=None):
    """Write the results of a harness beside a log that `changed` writes; Inspect's has its own."""
    share = sum(verdicts) / len(verdicts) if accuracy is None else accuracy
    if harness == "lm-eval":
        plain = {"results": {"task": {f"{metric or 'acc'},none": share}}}
        plain["n-samples"] = {"task": {"effective": len(verdicts)}}
        folder /= f"results_{DATE}.json"
    elif harness == "lighteval":
        plain = {"results": {"arithmetic|0": {metric or "acc": share}}}
        folder = folder / "results" / "model" / f"results_{DATE}.json"
    if harness != "inspect":
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.write_text(json.dumps(plain))


def test_logs_are_known_by_names_and_heads_and_folders_are_none(tmp_path):
    of_inspect = kept("inspect").with_suffix(".json").read_bytes()
    for name, content, *harness in (
        (f"samples_task_{DATE}.1.jsonl.gz", b"", "lm-eval"),
        ("samples_task.jsonl", b'{"doc_id": 0, "doc": {"', "lm-eval"),
        ("samples_task.jsonl.gz", b"half"),
        ("samples_named.jsonl.gz", gzip.compress(b'{"doc_id": 0, "doc": {'), "lm-eval"),
        ("samples_named.jsonl.bz2", bz2.compress(b'{"doc_id": 0, "doc": {'), "lm-eval"),
        (f"results_{DATE}.json", b"{}", "lm-eval"),  # which says what to give instead
        ("samples_mymodel.jsonl", b'{"id": 1, "label": "a", "pred": "a"}\n'),
        ("samples_mymodel.jsonl.gz", gzip.compress(b'{"id": 1, "label": "a"}\n')),
        ("samples_list.jsonl", b'[{"id": 1, "label": "a", "pred": "a"}]'),
        ("results_mymodel.json", b'[{"id": 1, "label": "a", "pred": "a"}]'),
        ("results_table.json", b'{"columns": ["label", "pred"], "data": [["a", "a"]]}'),
        ("renamed.jsonl.gz", kept("lm-eval").read_bytes()),
        (f"details_arithmetic_0_{DATE}.0.parquet", b"half", "lighteval"),
        ("predictions.parquet", kept("lighteval").read_bytes()),
        ("a.eval", b"half", "inspect"),
        ("b.json", of_inspect, "inspect"),
        ("samples.json", b'{"version": 2, "results": {}}'),
        ("c.txt", of_inspect),
    ):
        (tmp_path / name).write_bytes(content)
        (tmp_path / "folders" / name).mkdir(parents=True)
        for path, wanted in (name, harness), (f"folders/{name}", []), (f"nowhere/{name}", []):
            found = [x for x, reader in READERS.items() if reader.is_log(tmp_path / path)]
            assert found == wanted, path


def test_the_model_name_comes_from_results_or_folders(tmp_path):
    (tmp_path / f"results_{DATE}.json").write_text('{"model_name": "org/model"}')
    for harness, path, model in (
        ("lm-eval", f"samples_task_{DATE}.jsonl.gz", "org/model"),  # as the results say
        ("lm-eval", "elsewhere/samples_task_2026-02-02T00-00-00.5.jsonl.gz", "elsewhere"),
        ("lighteval", "details/details/org/name/{}/{}", "org/name"),
        ("lighteval", "details_org__name_private/{}/{}", "details_org__name_private"),
        ("lighteval", "elsewhere/{1}", "elsewhere"),
    ):
        source = kept(harness)
        target = tmp_path / path.format(source.parent.name, source.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        answers = next(READERS[harness].read_log(target))
        assert answers.origin.model == model
        assert answers.origin.created.startswith("details_" if harness == "lighteval" else "2026-0")
        assert answers.origin.created in target.name


@pytest.mark.parametrize("task", ["letters", "texts", "generated"])
def test_lm_eval_logs_without_our_metrics_score_alike(tmp_path, task):
    """In "texts" the targets are digits: those of choices and not positions, as `acc` says."""
    full = READERS["lm-eval"].read_log(kept("lm-eval", task))
    for one, other in zip(changed(tmp_path, "lm-eval", task, {}), full, strict=True):
        assert (one.how, one.choices) == (other.how, other.choices)
        for field in ("id", "reference", "prediction", "prompt"):
            assert column(one, field) == column(other, field), field


@pytest.mark.parametrize("listed", [None, LETTERS, "{{letters}}"])
def test_targets_are_positions_in_the_choices(listed, tmp_path):
    def change(samples):
        for sample in samples:
            answer = sample["filtered_resps"][0].lower()
            sample.update(target=str(LETTERS.index(sample["target"])), filtered_resps=[answer])
            if listed is None:
                sample["nit"] = [int(sample["target"]), answer, None, LETTERS]
            sample["doc"]["letters"] = LETTERS if sample["doc_id"] else ["A", "B", "C", "x"]

    config = {"configs": {"task": {"doc_to_choice": listed}}}
    (tmp_path / f"results_{DATE}.json").write_text(json.dumps(config))
    for answers in changed(tmp_path, "lm-eval", "generated", change):
        assert answers.classes == ((0, 1, 2, 3) if listed == "{{letters}}" else (*LETTERS,))
        assert answers.find_classes(LabelOptions()).table.informedness() == pytest.approx(0.5)


@pytest.mark.parametrize("delimiter", [None, "::"])
def test_choices_follow_the_delimiter_of_the_task(delimiter, tmp_path):
    (wanted,) = changed(tmp_path, "lm-eval", "letters", {})

    def change(samples):
        for sample in samples:
            for request in sample["arguments"].values():
                request["arg_1"] = f"{delimiter or ' '}{request['arg_1'].strip()}"

    config = {} if delimiter is None else {"target_delimiter": delimiter}
    written = json.dumps({"configs": {"task": config}})
    (tmp_path / f"results_{DATE}.json").write_text(written)
    (answers,) = changed(tmp_path, "lm-eval", "letters", change)
    assert (answers.choices, answers.references) == (wanted.choices, wanted.references)


TEXTS = "arithmetic_text"
TEXT, PROCESSED = "model_response.text", "model_response.text_post_processed"
LOGPROBS, EXTRACTED = "model_response.logprobs", "doc.specific.extracted_predictions"


def test_text_is_looked_up_among_the_choices_of_its_sample(tmp_path):
    """But for blanks if the metric says so, and as the metric says where it tells more."""

    def change(rows):
        rows[0]["doc"].update(choices=["one", "two", "three"], gold_index=2)
        for row, text, em in ((rows[0], " Two ", 0), (rows[1], " b.", 1)):
            set_in(row, {PROCESSED: [text], "metric.em": em})

    (answers,) = changed(tmp_path, "lighteval", "arithmetic_text", change)
    answers = answers.find_classes(LabelOptions())
    assert answers.choices == (0, 1, 2, 3)
    assert (answers.references[0], answers.predictions[:2]) == (2, (1, 1))
    assert score_of(answers.table, "accuracy") == sum(column(answers, "verdict")) / 60


def test_each_kind_of_metric_is_a_variant(tmp_path):
    """And choices are known without blanks, the right one also in a list."""

    def change(rows):
        rows += parsed("lighteval", TEXTS)[0]
        for row in rows:
            golds = [row["doc"]["gold_index"]]
            row["doc"].update(gold_index=golds, choices=[" A", " B", " C", " D"])

    both = changed(tmp_path, "lighteval", None, change)
    assert [answers.origin.variant for answers in both] == ["log-probabilities", "text"]
    several = how_to_choose("task", [vars(answers.origin) for answers in both])
    assert several == ("task has 2 variants. Choose one with `variant`: log-probabilities, text")
    for verdict, left_out in (("em", "log-probabilities"), ("acc", "text")):
        message = f"left out: .*.parquet, {left_out}.*: `verdict` must .*, got '{verdict}'"
        with pytest.warns(InformednessWarning, match=message):
            both += read_log(tmp_path, verdict=verdict)
    for answers in both:
        assert answers.choices == (*LETTERS,)
        assert answers.table.to_dense().tolist() == KNOWS_HALF
    with pytest.raises(ValueError, match=r"'acc', got 'x'; text: `verdict` .*: 'em', got 'x'"):
        read_log(tmp_path, verdict="x")


@pytest.mark.parametrize("harness", ["lm-eval", "lighteval"])
def test_a_task_metric_is_the_verdict_only_if_asked(tmp_path, harness):
    """One of the task's own, for which the letter in brackets is the answer, and half of it."""
    log, name = {"lm-eval": ("generated", "exact_match"), "lighteval": (TEXTS, "em")}[harness]

    def change(samples):
        for sample in samples:
            metrics = sample if harness == "lm-eval" else sample["metric"]
            is_right = metrics.pop(name)
            metrics.update(my_acc=is_right, half=is_right / 2, length=[7])
            if harness == "lm-eval":
                sample["filtered_resps"] = [f"A or ({sample['filtered_resps'][0]})"]
            else:
                text = sample["model_response"]["text"][0]
                set_in(sample, {TEXT: [f"A or ({text})"], PROCESSED: None})

    changed(tmp_path, harness, log, change)
    read = partial(read_log, tmp_path, variant="text" if harness == "lm-eval" else None)
    with pytest.warns(InformednessWarning, match=r"the log's half, my_acc .0.7000., length were"):
        (answers,) = read()
    assert answers.unknown().total() == 60
    assert "half, my_acc (0.7000), length were not used: pass `verdict` 'my_acc'." in how_found(
        answers
    )
    (answers,) = read(verdict="my_acc")
    assert score_of(answers.table, "accuracy") == 0.7
    assert answers.metric.is_harness_accuracy is None  # the log has no results
    assert "; the log's half, length were not used." in how_found(answers)
    assert "the harness" not in how_found(answers)
    (answers,) = read(extract=r"\((.)\)")
    assert answers.table.to_dense().tolist() == KNOWS_HALF
    assert how_found(answers).endswith("; the log's half, my_acc, length were not used.")
    for verdict in ("half", "length", "my"):
        with pytest.raises(ValueError, match=f"of 0 and 1 in the log: 'my_acc'.*, got '{verdict}'"):
            read(verdict=verdict)
    with pytest.raises(ValueError, match="`verdict` cannot be combined with `extract`"):
        read(verdict="my_acc", strip=True)


@pytest.mark.parametrize("harness", PATHS)
def test_samples_with_several_right_answers_are_left_out(tmp_path, harness):
    """All samples then have lists, which lm-eval writes as text."""
    (every,) = changed(tmp_path, harness, None, {})
    n = len(every.ids) // 5
    record(harness, tmp_path, column(every, "verdict"))

    def change(whole, n_several=n):
        for i, sample in enumerate(whole["samples"] if harness == "inspect" else whole):
            holder, name = sample, "target"
            if harness == "lighteval":
                holder, name = sample["doc"], "gold_index"
            golds = [holder[name]] * (1 if i >= n_several else 2)
            holder[name] = str(golds) if harness == "lm-eval" else golds

    changed(tmp_path, harness, None, change)
    message = f"{n} of {5 * n} samples of .* several right answers"
    with pytest.warns(InformednessWarning, match=message):
        (answers,) = read_log(tmp_path)
    for name in ("id", "reference", "prediction", "verdict"):
        assert column(answers, name) == column(every, name)[n:]
    assert "; accuracy matches the harness for the samples that count" in how_found(answers)
    with pytest.raises(ValueError, match=f"exactly one .*; {n + 1} of {5 * n} samples have sev"):
        changed(tmp_path, harness, None, partial(change, n_several=n + 1))


def test_a_sample_left_out_counts_once_for_each_filter(tmp_path):
    def change(samples):
        for sample in samples:
            sample["target"] = str([sample["target"]] * (1 if sample["doc_id"] else 2))

    read = changed(tmp_path, "lm-eval", "generated", change)
    assert [answers.left_out.total() for answers in read] == [1, 1]


def test_samples_without_a_score_are_counted_by_reason(tmp_path):
    """And a second epoch that has none is left out whole; the order is that of the names."""

    def change(log):
        samples = log["samples"]
        samples += [{**sample, "epoch": 2, "scores": {}} for sample in samples]
        log["results"]["total_samples"] = 40
        samples[0]["scores"]["choice"]["value"] = math.nan
        samples[2]["scores"].clear()
        samples[3].update(error={"message": "x"}, scores=None)
        samples[4].update(invalidation={"author": "x"})
        samples[19].update(target=["A", "B"])
        samples.reverse()

    (answers,) = changed(tmp_path, "inspect", None, change)
    assert (len(answers.ids), answers.left_out.total(), answers.left_out["no score"]) == (15, 5, 4)
    assert answers.ids[:2] == ("sum-01", "sum-05")
    unscored = "4 of 20 samples of .*, epoch 1 have no score, and"
    totals = "epoch 1 by choice is 0.625 for 16 samples, but 0.7 for 20 samples in the results"
    with (
        pytest.warns(InformednessWarning, match=unscored),
        pytest.warns(InformednessWarning, match="1 of 20 .*, epoch 1 have several right answers"),
        pytest.warns(InformednessWarning, match=totals),
    ):
        read_log(tmp_path)


def of_choices(texts, logprobs, **more):
    """Return the fields of a sample of lm-eval with these choices and their log-likelihoods."""
    arguments = {i: {"arg_1": text} for i, text in enumerate(texts)}
    scored = [[str(logprob), "False"] for logprob in logprobs]
    return {"arguments": arguments, "filtered_resps": scored, "acc": DELETED, **more}


def prompts(k, **more):
    """Return those of a sample as Winogrande has them, k prompts with one text behind them."""
    return of_choices([" it is."] * k, [-1.0, *[-2.0] * (k - 1)], target="it is.", **more)


# the second is right, by its length behind the blank, or without the question
BY_LENGTH = of_choices([" B", " BB"], (-2.0, -2.9), target="1", acc_norm=1.0)
BY_BYTES = of_choices([" BB", " Ä", " Ä€"], (-2.0, -2.0, -3.0), target="2", acc_bytes=1.0)
WITHOUT = of_choices([" B", " BB"] * 2, (-2.0, -2.9, -1, -9), target="1", acc_mutual_info=1.0)
LENGTHS = {LOGPROBS: [-1.0, -2.0, -3.0, -1.0], "doc.choices": ["A", "B", "C", " D"]}
LENGTHS |= {"doc.gold_index": 0, "model_response.output_tokens": [[1], [1], [1] * 9, [1]]}
BY_TOKENS = "acc:logprob_normalization=LogProbTokenNorm(name='norm_token')"
BY_CHARACTERS = "acc:logprob_normalization=LogProbCharNorm(name='norm', ignore_first_space={})"
NORMALISED = [  # of equally likely choices the first counts, and of several metrics the plain one
    (["acc_norm_token:a=1"], "C"),
    ([BY_TOKENS], "C"),
    (["acc", BY_TOKENS], "A"),
    ([BY_CHARACTERS.format("False")], "D"),
    ([BY_CHARACTERS.format("True")], "A"),
]
OF_PMI = {LOGPROBS: [-1.0, -2.0, -3.0, -1.0, -1.0, -9.0, -3.0, -1.0]}
OF_PMI |= {"doc.gold_index": 1, "metric": {"acc_norm_pmi": 1.0}}

ANSWER = "scores.choice.answer"
SHOTS = [{"query": "What is 1 + 1?"}, {"query": "What is 2 + 2?"}]
SHOWN = {"doc.instruction": "Add.", "doc.fewshot_samples": SHOTS, "doc.query": "3 + 3?"}
SAID = {"content": "1 + 2?", "role": "user"}
MESSAGE = [{"id": "one", **SAID}]  # which differs from run to run
# marks and numbers; a scorer's own word counts as nothing
MARKS = {"C": 1, "I": 0, "P": 0.5, "N": 0, "fine": 0, "True": 1, "no": 0, "0.5": 0.5, "inf": 0}
SEEN = {
    "unknown": methodcaller("unknown"),
    "matrix": lambda answers: answers.table.to_dense().tolist(),
    "prompts": lambda answers: column(answers, "prompt")[0],
    "answer": lambda answers: {*answers.predictions},
    "task": attrgetter("origin.task"),
    "verdicts": lambda answers: column(answers, "verdict"),
}
OF_28 = (*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "1", "2")

READ = [  # harness, log, fields of one sample or of all, which, what is read
    ("lm-eval", "generated", {"nit": [1, -1]}, None, "unknown", {-1: 60}),
    ("lm-eval", None, BY_LENGTH, None, "answer", {"BB"}),
    ("lm-eval", None, BY_BYTES, None, "answer", {"Ä€"}),
    ("lm-eval", None, WITHOUT, None, "answer", {"BB"}),
    ("lm-eval", None, WITHOUT, None, "how", "the likeliest choice, as for acc_mutual_info"),
    # which prompt is right is told by the verdict on two, or by our own metric
    ("lm-eval", "plain", prompts(2, acc=0.0), None, "references", (1,) * 25),
    ("lm-eval", "plain", prompts(2, acc=1.0), None, "references", (0,) * 25),
    ("lm-eval", "plain", prompts(3, acc=0.0, informedness=[2, 0]), None, "references", (2,) * 25),
    *(
        ("lighteval", None, {**LENGTHS, "metric": dict.fromkeys(names, 0.0)}, None, "answer", {x})
        for names, x in NORMALISED
    ),
    ("lighteval", None, OF_PMI, None, "answer", {"B"}),
    ("lighteval", "arithmetic_text", {TEXT: ["<think>B</think>C"]}, None, "matrix", KNOWS_HALF),
    ("lighteval", "arithmetic_text", {PROCESSED: [" B"]}, None, "unknown", {" B": 60}),
    ("lighteval", "arithmetic_text", {TEXT: ["C"], PROCESSED: None}, None, "answer", {"C"}),
    # log-probabilities of tokens
    ("lighteval", "arithmetic_text", {LOGPROBS: [-0.1, -0.2]}, None, "matrix", KNOWS_HALF),
    # nothing extracted is no answer, and the first of several counts
    ("lighteval", "arithmetic_sentence", {EXTRACTED: []}, 0, "unknown", {None: 1}),
    ("lighteval", "arithmetic_sentence", {EXTRACTED: ["C", "D"]}, None, "answer", {"C"}),
    ("lighteval", None, SHOWN, 0, "prompts", "Add.\n\nWhat is 1 + 1?\n\nWhat is 2 + 2?\n\n3 + 3?"),
    ("lighteval", None, {"doc.query": 7}, None, "prompts", "7"),
    ("inspect", None, {ANSWER: ""}, 0, "unknown", {None: 1}),
    ("inspect", None, {ANSWER: DELETED}, 0, "unknown", {None: 1}),
    ("inspect", None, {"choices": ["?"] * 28, "target": "2"}, 0, "choices", OF_28),
    ("inspect", None, {"target": ["yes"]}, None, "classes", ("yes",)),
    ("inspect", None, {}, None, "prompts", "What is 1 + 2?\n3\n4\n5\n6"),
    ("inspect", None, lambda log: log["eval"].update(task=["x"]), None, "task", "['x']"),
    ("inspect", None, {"input": MESSAGE}, 0, "prompts", f"{json.dumps([SAID])}\n3\n4\n5\n6"),
    *(
        ("inspect", None, {"scores.choice.value": value}, None, "verdicts", (verdict,) * 20)
        for value, verdict in [*MARKS.items(), (1, 1), (0.5, 0.5), ([1], [1])]
    ),
]


@pytest.mark.parametrize(("harness", "log", "fields", "at", "name", "wanted"), READ)
def test_a_log_is_read_as_the_harness_means_it(tmp_path, harness, log, fields, at, name, wanted):
    see = SEEN.get(name, attrgetter(name))
    assert see(changed(tmp_path, harness, log, fields, at)[0]) == wanted


THREE = [["-1.5", "False"]] * 3
ONE_ANSWER = "the sample must have exactly one right answer, got "
ONE_TEXT = {"gen_args_0": {"arg_0": "", "arg_1": " A"}}
GENERATED = {"arguments": {"gen_args_0": {"arg_1": {"until": []}}}, "filtered_resps": ["A"]}
# each target is a position, and the text of another choice
POSITIONS = {f"gen_args_{i}": {"arg_0": "", "arg_1": f" {x}"} for i, x in enumerate("1230")}
OF_B = {"extracted_predictions": ["B"], "extracted_golds": ["18"]}
GOLD_OF_D = "^sample 19: `doc.specific` must hold the extracted target 'D' and an answer, got "
WRONG = {"metric": {"extractive_match": 0.0}}
ONE = {"lm-eval": 2, "lighteval": 9, "inspect": 0}

LINE, ROW, SUM = "^line 3: ", "^sample 19: ", "^sample 'sum-00': "
LIKELIEST = {"filtered_resps": [*THREE, ["nan", ""]]}
TOO_FEW = "it holds 19 samples, but `results.total_samples` in its header is 20"
GENERATION = {PROCESSED: ["A", "D"]}

REFUSED = [  # harness, log, fields of one sample (or of all, if the message does not name it)
    ("lm-eval", "letters", {"prompt_hash": DELETED}, f"{LINE}it is damaged: KeyError 'prompt_h"),
    ("lm-eval", "letters", {"nit": [1]}, f"{LINE}it is damaged: IndexError"),
    ("lm-eval", "letters", LIKELIEST, f"{LINE}`filtered_resps` must hold a number"),
    ("lm-eval", "letters", {"filtered_resps": THREE}, f"{LINE}`filtered_resps` must hold a number"),
    ("lm-eval", "letters", {"target": "[1, 2]"}, rf"{ONE_ANSWER}\[1, 2\]; 60 of 60 samples"),
    ("lm-eval", "letters", {"target": "0"}, f"{LINE}.*'target': '0', 'verdict': 1"),
    ("lm-eval", "generated", {"filtered_resps": [["A", "B"]]}, f"{LINE}.* take_first"),
    ("lm-eval", "generated", {"target": "['A', 'B']"}, f"line 1: {ONE_ANSWER}"),
    ("lm-eval", "letters", {"arguments": ONE_TEXT}, "needs scored choices or generated text"),
    ("lm-eval", "letters", {"arguments": POSITIONS, "acc": DELETED}, "mean a text or a position"),
    ("lm-eval", "letters", GENERATED, f"{LINE}either all samples or none must have scored"),
    ("lm-eval", "plain", prompts(3, acc=0.0), "does not mark the right prompt: add"),
    ("lm-eval", "plain", prompts(2, acc_norm=0.0), "does not mark the right prompt: add"),
    ("lighteval", None, {"doc.id": DELETED}, "row 1: it is damaged: KeyError 'id'"),
    (
        "lighteval",
        None,
        {"doc.gold_index": -1},
        f"{ROW}`doc.gold_index` must be a pos.* in 4 choices, got -1",
    ),
    ("lighteval", None, {LOGPROBS: [-1.0] * 3}, f"{ROW}.*numbers for 4 choices, got"),
    ("lighteval", None, {LOGPROBS: [math.nan] * 4}, rf"{ROW}.*4 choices, got \[nan"),
    # the right answer alone, and no other choice
    ("lighteval", "arithmetic_text", {"doc.choices": ["18"]}, f"{ROW}.*two choices, got"),
    ("lighteval", "arithmetic_text", {"doc.choices": None}, f"{ROW}it is damaged: TypeErr"),
    ("lighteval", "arithmetic_text", GENERATION, f"{ROW}.* one generated text, got .*'D'"),
    ("lighteval", "arithmetic_sentence", {"doc.specific": None}, GOLD_OF_D),
    ("lighteval", "arithmetic_sentence", {"doc.specific": OF_B}, GOLD_OF_D),
    ("lighteval", "arithmetic_sentence", WRONG, "contradicts the answer in 42 of 60 samples"),
    ("inspect", None, {"target": ["A", "B"]}, f"{ONE_ANSWER}.*'A', 'B'.; 20 of 20 samples"),
    ("inspect", None, {"target": "AB"}, f"sample 'sum-00': {ONE_ANSWER}.*'A', 'B'"),
    ("inspect", None, {"target": ""}, rf"{SUM}{ONE_ANSWER}\[\]$"),
    ("inspect", None, {ANSWER: None}, "14 of 20 samples that .* right. Log the answers. Or find"),
    ("inspect", None, {"input": DELETED}, f"{SUM}it is damaged: KeyError 'input'"),
    ("inspect", None, lambda log: log["samples"].append([1]), r"^sample \[1\]: it is damaged"),
    ("inspect", None, {"scores": DELETED}, "no sample has scores: log samples, or add"),
    # a run that has not ended, or lacks samples
    ("inspect", None, lambda log: log.update(status="error"), "'success', got 'error': finish the"),
    ("inspect", None, lambda log: log.update(version=1), "`version` must be 2, got 1"),
    ("inspect", None, lambda log: log.pop("eval"), "the header: it is damaged: KeyError 'eval'"),
    ("inspect", None, lambda log: log.pop("samples"), "no sample has scores: log samples, or"),
    ("inspect", None, lambda log: log["samples"].pop(), TOO_FEW),
]


@pytest.mark.parametrize(("harness", "log", "change", "message"), REFUSED)
def test_what_cannot_be_scored_is_refused_by_its_sample(tmp_path, harness, log, change, message):
    at = ONE[harness] if message[0] == "^" else None
    with pytest.raises(ValueError, match=message):
        [
            answers.find_classes(LabelOptions())
            for answers in changed(tmp_path, harness, log, change, at)
        ]


def test_a_file_that_is_damaged_or_of_something_else_is_refused(tmp_path):
    parquet, log = kept("lighteval").read_bytes(), kept("inspect").read_bytes()
    pyarrow.parquet.write_table(pyarrow.table({"doc": [{"id": "1"}]}), tmp_path / "of_others")
    pyarrow.parquet.write_table(
        pyarrow.parquet.read_table(kept("lighteval"))[:0], tmp_path / "empty"
    )
    with zipfile.ZipFile(tmp_path / "begun.eval", "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    (tmp_path / f"results_{DATE}.json").write_text("{")
    for name, content, message in (
        ("samples_task.jsonl", b'{"doc_id": 0\n', "^line 1: the text must be a JSON object: "),
        ("samples_task.jsonl", b"[1]\n", r"^line 1: the text must be a JSON object, got \[1\]"),
        (f"samples_task_{DATE}.jsonl", b"", f"results_{DATE}.json: the text must be a JSON object"),
        ("d.parquet", parquet[:4] + b"\xff" * 2000 + parquet[2004:], "not readable as parquet"),
        ("d.parquet", (tmp_path / "of_others").read_bytes(), "^row 1: it is damaged: KeyError"),
        ("d.parquet", (tmp_path / "empty").read_bytes(), "^the details must have a row, got none$"),
        ("log.eval", (tmp_path / "begun.eval").read_bytes(), "must be 'success', got 'started'"),
        ("log.eval", log.replace(b"\x28\xb5\x2f\xfd", b"\xff" * 4), "the log is damaged"),
    ):
        (tmp_path / name).write_bytes(content)
        harness = {"s": "lm-eval", "d": "lighteval", "l": "inspect"}[name[0]]
        with pytest.raises(ValueError, match=message):
            list(READERS[harness].read_log(tmp_path / name))


DEEP = 100_000 * "["
LINE_OF_TEXT = {"doc_id": 0, "target": "a", "filtered_resps": ["a"], "filter": "none"}
LINE_OF_TEXT |= {"prompt_hash": "", "doc_hash": "", "arguments": {"x": {"arg_1": {}}}}
HEAD = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
SAMPLE = {"id": 1, "epoch": 1, "target": "a", "input": "?"}
SAMPLE |= {"scores": {"s": {"value": "C", "answer": "a"}}}


def with_deep(fields):
    """Return an object of JSON with one more field, which is nested too deeply."""
    return f'{json.dumps(fields)[:-1]}, "x": {DEEP}'


def test_a_log_without_any_text_has_none_to_find_a_class_in(tmp_path):
    (answers,) = changed(tmp_path, "inspect", None, {ANSWER: None, "output": DELETED})
    with pytest.raises(ValueError, match="must have answers or completions to search, got"):
        answers.find_classes(LabelOptions(extract="[A-D]"))


DAMAGED = {  # by the name of the file; of .eval logs, the files in it
    f"samples_1_{DATE}.jsonl": DEEP,
    "samples_2.jsonl": with_deep(LINE_OF_TEXT),
    "samples_3.jsonl": json.dumps(LINE_OF_TEXT) + "\n" + with_deep(LINE_OF_TEXT),
    "samples_4.jsonl": json.dumps(LINE_OF_TEXT | {"nit": [None, "a"]}) + "\n",
    "samples_5_2027-01-01T00-00-00.jsonl": json.dumps(LINE_OF_TEXT),  # beside damaged results
    "1.json": with_deep(HEAD),
    "2.json": json.dumps(HEAD | {"samples": 7}),
    "3.json": json.dumps(HEAD | {"samples": [SAMPLE], "results": [7]}),
    "4.json": json.dumps(HEAD | {"samples": [SAMPLE | {"target": {}}]}),
    "5.json": json.dumps(HEAD | {"samples": [SAMPLE | {"scores": {"s": {"value": 10**400}}}]}),
    "6.json": json.dumps(HEAD | {"samples": [SAMPLE | {"target": [["a"]]}]}),
    "1.eval": {"header.json": DEEP, "samples/1.json": "{}"},
    "2.eval": {"header.json": json.dumps(HEAD), "samples/1.json": DEEP},
    "3.eval": {"header.json": json.dumps(HEAD), "samples/1.json": "7"},
}
DAMAGED["samples_4.jsonl"] += json.dumps(LINE_OF_TEXT)
RESULTS_OF_5 = "results_2027-01-01T00-00-00.json"


@pytest.mark.parametrize(
    "of_results", [DEEP, "[7]", "{", '{"configs": [7]}', '{"configs": {"5": 7}}']
)
def test_a_damaged_log_is_left_out_by_name_and_others_are_read(tmp_path, of_results):
    for harness in PATHS:
        changed(tmp_path, harness, None, {})
    whole = read_log(tmp_path)
    assert [answers.origin.harness for answers in whole] == [*PATHS]
    (tmp_path / RESULTS_OF_5).write_text(of_results)
    for name, content in DAMAGED.items():
        if isinstance(content, str):
            (tmp_path / name).write_text(content)
            continue
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for member, text in content.items():
                archive.writestr(member, text)
    read, said = warned(read_log, tmp_path)
    assert read == whole
    left_out = {name: said.count(f"left out: {tmp_path / name}") for name in DAMAGED}
    assert left_out == dict.fromkeys(DAMAGED, 1)


TARGETS = {  # as lm-eval logs them, and what the one right answer is
    "A": "A",
    "[0]": "0",
    " ['A'] ": "A",
    "['it\\'s \\u20ac']": "it's €",
    '["it\'s", ]': "it's",
    "[-1.5]": "-1.5",
    "[[1, 2]]": "[1, 2]",
    "[{'a': (1, None)}]": "{'a': (1, None)}",
}
NO_LISTS = [  # texts that Python reads as something else, warns of, or overflows at
    *("-" * 30_000, f"[{'-' * 30_000}1]", "[" * 30_000, "[" * 250 + "]" * 250, f"[{'1' * 9999}]"),
    *("1if x", "[1if x else 2]", "[1 is 1]", "[0777]", "[A]", "[1or 2]", "[1](2)", "[1], [2]"),
    *("['\\d']", "['\\x']", "[{[]: 1}]", "['a\0']", "(1, 2)", "{'a'}", "1e5", "[1", "1]", ""),
]


@pytest.mark.parametrize(
    ("target", "gold"), [*TARGETS.items(), *((text, text) for text in NO_LISTS)]
)
def test_a_target_is_a_list_only_as_python_prints_one(tmp_path, target, gold):
    line = LINE_OF_TEXT | {"target": target}
    (tmp_path / "samples_t.jsonl").write_text(json.dumps(line))
    (answers,), said = warned(read_log, tmp_path)
    assert (answers.references, said) == ((gold,), "")
