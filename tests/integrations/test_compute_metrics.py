"""`ComputeMetrics` without training: each form of predictions, each refusal, and what it keeps.

Covers src: logits.py, trainer.py.
"""

import copy
import math
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score
from transformers import EvalPrediction

from informedness import NoSamplesError, estimate, informedness_score
from informedness.trainer import ComputeMetrics, argmax_logits
from informedness.warnings import InformednessWarning, collected
from inputs.cases import warned
from inputs.processes import exit_codes, forked, ignoring_threads
from inputs.tables import score_of, table_of_labels

pytestmark = [  # imports torch
    pytest.mark.full,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:informedness. "),
]

NAMES = ("informedness", "nit", "accuracy")
GENERATOR = np.random.default_rng(0)
N, K = 120, 4
REFERENCES = GENERATOR.integers(0, K, N)
LOGITS = GENERATOR.normal(size=(N, K)) + 1.5 * np.eye(K)[REFERENCES]
IDS = LOGITS.argmax(1)
ONE_LOGIT = LOGITS[:, :1] - 0.7
IS_ZERO = (REFERENCES == 0).astype(float)
FLAGS = np.eye(2, dtype=int)[IS_ZERO.astype(int)]
LABELS = (GENERATOR.random((N, K)) < 0.4).astype(float)
SEVERAL = GENERATOR.normal(size=(N, K)) + 2 * LABELS - [0.5, 0.7, 1.1, 0.9]
PADDED, WITH_NAN = REFERENCES.reshape(12, 10).copy(), LOGITS.reshape(12, 10, K).copy()
PADDED[:, 7:], WITH_NAN[:, 7:] = -100, math.nan  # nobody looks there
KEPT = PADDED.ravel() != -100
# What a model generated, from a start (9) to an end (8), beside references to an end.
START, END, PAD = (np.full(N, number) for number in (9, 8, -100))
GENERATED = np.column_stack([START, IDS, END]), np.column_stack([REFERENCES, END, PAD])
OUTSIDE = np.where(IDS == 3, 2, IDS), np.where(REFERENCES > 1, 0, REFERENCES)


def config_of(num_labels, problem_type=None, names=None):
    """Return what `model.config` says."""
    id2label = dict(enumerate(names or range(num_labels)))
    return SimpleNamespace(num_labels=num_labels, problem_type=problem_type, id2label=id2label)


MULTILABEL = config_of(K, "multi_label_classification", ["joy", "fear", "anger", "love"])


def bfloat16(array):
    return torch.tensor(array, dtype=torch.bfloat16)


def scores(references, predictions, **options):
    table = table_of_labels(references, predictions, **options)
    return {name: score_of(table, name) for name in NAMES}


EXPECTED = scores(REFERENCES, IDS)
OF_ONE = scores(IS_ZERO.astype(int), ONE_LOGIT[:, 0] > 0)
OF_ONE["informedness"] = balanced_accuracy_score(IS_ZERO, ONE_LOGIT[:, 0] > 0, adjusted=True)
BY_LABEL = [scores(LABELS[:, i], SEVERAL[:, i] > 0) for i in range(K)]
MEANS = {name: np.mean([found[name] for found in BY_LABEL]) for name in NAMES}
CLASSES, SOME = {"config": config_of(K)}, {"labels": [0, 1], "unknown": "wrong"}
OTHER = {"config": config_of(5)}
with collected():  # a class without references
    WITHOUT_ONE = scores(REFERENCES % 3, IDS, labels=range(K))
OF_THREE = WITHOUT_ONE | {"nit": WITHOUT_ONE["nit"] * K / 3}  # 2^MI of as many classes
ABOVE_0, MORE = {"threshold": 0.0}, {"labels": range(6)}
TOKENS, ONE_TOKENS = (12, 10), ONE_LOGIT.reshape(12, 10, 1)
# as many tokens as classes, which are in the last axis
SQUARE = LOGITS[:16].reshape(4, 4, 4), REFERENCES[:16].reshape(4, 4)
# Predictions, references, options and the scores of each form.
FORMS = {
    "logits": (LOGITS, REFERENCES, {}, EXPECTED),
    "a column of ids": (IDS.astype(np.int8)[:, None], REFERENCES, {}, EXPECTED),
    "references in a column of floats": (LOGITS, REFERENCES[:, None].astype(float), {}, EXPECTED),
    "tokens": (WITH_NAN, PADDED, {}, scores(REFERENCES[KEPT], IDS[KEPT])),
    "sequences of one token": (LOGITS[:, None], REFERENCES[:, None], {}, EXPECTED),
    "as many tokens as classes": (*SQUARE, {}, scores(REFERENCES[:16], IDS[:16])),
    "ids of tokens": (IDS.reshape(TOKENS), PADDED, {}, scores(REFERENCES[KEPT], IDS[KEPT])),
    "a column without references": (LOGITS, REFERENCES % 3, {}, OF_THREE),
    "tokens of 0 and 1": (FLAGS, FLAGS, {"multilabel": False}, dict.fromkeys(NAMES, 1.0)),
    "configured classes": (LOGITS, REFERENCES % 3, CLASSES, WITHOUT_ONE),
    "configured classes of ids": (IDS, REFERENCES % 3, CLASSES, WITHOUT_ONE),
    "other columns than configured": (LOGITS, REFERENCES % 3, OTHER, WITHOUT_ONE),
    "declared classes": (IDS, REFERENCES, CLASSES | MORE, scores(REFERENCES, IDS, **MORE)),
    "answers outside the classes": (*OUTSIDE, SOME, scores(*OUTSIDE[::-1], **SOME)),
    "one logit": (ONE_LOGIT, IS_ZERO, ABOVE_0, OF_ONE),
    "one logit, flat": (ONE_LOGIT[:, 0], IS_ZERO.astype(int), ABOVE_0, OF_ONE),
    "one logit of tokens": (ONE_TOKENS, IS_ZERO.reshape(TOKENS), ABOVE_0, OF_ONE),
    "several labels": (SEVERAL, LABELS, {"config": MULTILABEL}, MEANS),
    "several labels as 0 and 1": (SEVERAL > 0, LABELS, {"config": MULTILABEL}, MEANS),
}


@pytest.mark.parametrize("convert", [np.array, torch.tensor], ids=["numpy", "torch"])
@pytest.mark.parametrize("name", FORMS)
def test_every_form_scores_alike_at_once_and_in_batches(name, convert):
    predictions, references, options, wanted = FORMS[name]
    metric, wanted = ComputeMetrics(*NAMES, **options), pytest.approx(wanted, abs=1e-12)
    assert metric((convert(predictions), convert(references))) == wanted
    for part in (slice(0, 3), slice(3, 4), slice(4, N)):
        batch = EvalPrediction(convert(predictions[part]), convert(references[part]))
        result = metric(batch, compute_result=part.stop == N)
    assert result == wanted
    assert {type(value) for value in result.values()} == {float}


def test_bfloat16_tensors_and_missing_predictions_are_read():
    for predictions, references in (
        (torch.tensor(LOGITS, requires_grad=True), torch.tensor(REFERENCES)),
        (torch.tensor(LOGITS), bfloat16(REFERENCES)),
    ):
        result = ComputeMetrics(*NAMES)((predictions, references))
        assert result == pytest.approx(EXPECTED, abs=1e-12)
    narrow = torch.tensor([156, 3], dtype=torch.uint8)  # 156 - 256 = -100
    assert ComputeMetrics("accuracy")((torch.tensor([156, 4]), narrow)) == {"accuracy": 0.5}
    missing = np.array([0, 2, 1, None], dtype=object)
    assert ComputeMetrics("accuracy", **SOME)((missing, [0, 1, 1, 0])) == {"accuracy": 0.5}
    at_and_above = torch.tensor([0.5, 0.75]), torch.tensor([0, 1])
    assert ComputeMetrics("accuracy", threshold=0.5)(at_and_above) == {"accuracy": 1.0}


def test_options_reach_the_functions_and_keys_name_classes():
    by_prior = {"average": "macro", "prior": {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}}
    result = ComputeMetrics("informedness", "accuracy", **by_prior)((LOGITS, REFERENCES))
    recalls = [np.mean(IDS[c == REFERENCES] == c) for c in range(K)]
    assert result["informedness"] == informedness_score(REFERENCES, IDS, **by_prior)
    assert result["accuracy"] == pytest.approx(np.dot(recalls, [0.1, 0.2, 0.3, 0.4]), abs=1e-12)
    for options in ({"average": None}, by_prior):
        options |= {"confidence_level": 0.9}
        result = ComputeMetrics("informedness", **options)((IDS, REFERENCES))
        for one in np.ravel(estimate(REFERENCES, IDS, **options)):
            key = "informedness" if one.label is None else f"informedness_{one.label}"
            found = [result[f"{key}{end}"] for end in ("", "_standard_error", "_low", "_high")]
            assert found == [one.value, one.standard_error, *one.confidence_interval]
    metric = ComputeMetrics("informedness", "nit", average=None, **SOME)
    assert [*metric(OUTSIDE)] == ["informedness_0", "informedness_1", "nit"]
    assert metric.table == table_of_labels(*OUTSIDE[::-1], **SOME)


def test_what_may_be_padding_is_warned_of():
    with pytest.warns(InformednessWarning, match="-100 in `references` counts as a label"):
        ComputeMetrics("nit", ignore_index=None)((IDS.reshape(12, 10), PADDED))
    with pytest.warns(InformednessWarning, match=r"255 .* no logits in range\(4\).*=255"):
        ComputeMetrics("informedness")((LOGITS, np.where(REFERENCES == 0, 255, REFERENCES)))


TWINS = config_of(K, "multi_label_classification", "abca")
NO_LABELS = "left out if samples have several labels"
NO_OPTIONS = [
    (["informed"], {}, "`names` must be one of"),
    ([], {}, "`names` must hold at least one score, such as 'informedness'"),
    (["nit", "nit"], {}, "'nit' is listed twice"),
    (["nit"], {"config": {"num_labels": 3}}, "`config` must be the configuration of a model"),
    (["informedness"], {"average": "weighted"}, "must be one of .* scikit-learn's 'weighted'"),
    (["nit"], {"average": "macro"}, "`average` must be left out"),
    (["nit"], {"threshold": math.nan}, "`threshold` must be a finite number"),
    (["nit"], {"confidence_level": 0.9, "prior": {0: 0.5, 1: 0.5}}, "`prior` must"),
    (["informedness"], {"average": None, "config": config_of(K, None, "abca")}, "once; 'a'"),
    (["nit"], {"unknown": "skip"}, "`unknown` must be one of"),
    (["nit"], {"multilabel": True, "confidence_level": 0.9}, NO_LABELS),
    (["informedness"], {"config": MULTILABEL, "average": None}, NO_LABELS),
    (["accuracy", "nit"], {"zero_division": 0.0}, '`zero_division` must be "warn", 1.0 or nan'),
]


@pytest.mark.parametrize(("names", "options", "message"), NO_OPTIONS)
def test_options_that_are_not_valid_are_refused_before_training(names, options, message):
    with pytest.raises(ValueError, match=message):
        ComputeMetrics(*names, **options)


DECODE = "`batch_decode`"
IMAGES = GENERATOR.normal(size=(2, 4, 4, 4))
NARROW = IMAGES[:, :, 1:]  # of which no other axis has as many as there are classes
GENERATOR_CONFIG = config_of(2)  # as every configuration has them
UNREADABLE = [
    ((LOGITS, REFERENCES, LOGITS), {}, "must be an EvalPrediction or"),
    ((np.zeros((N, 3, 5)), REFERENCES), {}, "preprocess_logits_for_metrics"),
    ((LOGITS, (REFERENCES, REFERENCES)), {}, "a tuple of 2: .*`label_names`"),  # start and end
    ((LOGITS, [(REFERENCES, REFERENCES)]), {}, "a tuple of 2: .*`label_names`"),
    (([(LOGITS, LOGITS)], [(REFERENCES, REFERENCES)]), {}, "a tuple of 2: .*`label_names`"),
    ((LOGITS.astype(object), REFERENCES), {}, r"got dtype object: .*\.astype\(float\)"),
    ((LOGITS, 0.7 * np.eye(K)[REFERENCES] + 0.3 / K), {}, "argmax of one-hot references"),
    ((LOGITS, REFERENCES[:-1]), {}, r"number of predictions \(120\) and references \(119\)"),
    ((LOGITS, REFERENCES + 0.5), {}, "must hold labels"),
    (({"logits": LOGITS}, REFERENCES), {}, r"predictions must be an array .* got \{'logits': "),
    ((LOGITS, None), {}, "there are no references, got None. .*`label_names`. Pairs of preferred"),
    ((["no", 1], ["no", "yes"]), {}, "must hold labels of one type, got integers"),
    ((["no", "yes"], [0, 1]), {}, "`predictions` .* got strings such as 'no' but integers"),
    ((["no", "yes"], ["no", "yes"]), {"ignore_index": 1}, "`ignore_index` must .* same type"),
    ((IMAGES, IMAGES.argmax(1)), {}, r"got shape \(2, 4, 4, 4\)"),
    ((NARROW[0], NARROW[0].argmax(1)), {}, "Move the classes last"),
    (([0, math.nan, 1], [0, 1, 1]), {"labels": [0, 1]}, "`threshold` must be given"),
    (([0, None, 1], [0, 1, 1]), {}, "a missing value"),
    ((LOGITS, np.full(N, -100)), {}, "expected at least one sample to score"),
    (OUTSIDE, {"labels": [0, 1]}, r'every prediction; 2 is missing. .* unknown="wrong"'),
    # one column
    ((ONE_LOGIT, IS_ZERO), {}, r"0\.0 for logits, 0\.5 for .* integers"),
    ((ONE_LOGIT, IS_ZERO), {"threshold": 0.0, "labels": [1, 2]}, "`labels` must be 0 and 1"),
    ((LOGITS, REFERENCES), {"threshold": 0.0}, "`threshold` needs .* `per_label` needs"),
    ((LOGITS, REFERENCES), {"per_label": True}, "`threshold` needs .* `per_label` needs"),
    # several labels, or tokens
    ((SEVERAL, LABELS), {"threshold": 0.0}, "For several labels pass multilabel=True"),
    ((SEVERAL > 0, LABELS), {}, "For several labels pass multilabel=True"),
    ((SEVERAL, LABELS[:, :3]), {"multilabel": True, "threshold": 0.0}, "must both have shape"),
    ((SEVERAL, LABELS), {"config": TWINS}, r"`config.id2label` must list each class once; 'a'"),
    # generated ids
    ((IDS.reshape(12, 10), PADDED[:, 1:]), {}, f"generated .*{DECODE}"),
    (GENERATED, {}, f"begin with 9, but no references do. .* pass `labels`; .*{DECODE}"),
    ([x[:3] for x in GENERATED], {"config": GENERATOR_CONFIG}, f"missing.* generated .* {DECODE}"),
]


@pytest.mark.parametrize(("given", "options", "message"), UNREADABLE)
def test_what_cannot_be_read_is_refused(given, options, message):
    of_its_own = NoSamplesError if "a sample" in message else ValueError
    with pytest.raises(of_its_own, match=message):
        ComputeMetrics("informedness", **options)(given)


def test_tokens_are_scored_if_they_can_be_classes():
    """Generated ids are refused once all batches are there."""
    for given, options in (
        (GENERATED, {"labels": range(10)}),
        ([part[:4] for part in GENERATED], {}),  # a short last batch
        ([GENERATED[0] * 0 + 9, GENERATED[1]], {}),  # a model that always says the same
        ([GENERATED[0] + np.arange(N)[:, None] % 2, GENERATED[1]], {}),  # two first ids
        ([GENERATED[0], np.column_stack([PAD, REFERENCES, END])], {}),  # after [CLS]
        ([np.where(x == -100, x, x % 2) for x in GENERATED], {"config": GENERATOR_CONFIG}),
    ):
        kept = given[1] != -100
        result = ComputeMetrics("accuracy", **options)(given)
        assert result == {"accuracy": np.mean(given[0][kept] == given[1][kept])}
    metric = ComputeMetrics("accuracy")
    for is_last in (False, True):  # an evaluation before
        metric([GENERATED[0] + np.arange(N)[:, None] % 2, GENERATED[1]], is_last)
    metric([part[:20] for part in GENERATED], compute_result=False)
    with pytest.raises(ValueError, match="`batch_decode`"):
        metric([part[20:] for part in GENERATED])


def test_counting_restarts_after_a_result_or_an_error():
    for options, first, second, message in (
        ({}, (LOGITS, REFERENCES), (ONE_LOGIT, IS_ZERO), "got one column after classes"),
        ({"config": MULTILABEL}, [SEVERAL[:, 1:], LABELS[:, 1:]], (SEVERAL, LABELS), "after 3 lab"),
    ):
        metric = ComputeMetrics("nit", **options)
        half = [part[:60] for part in first]
        of_half = metric(half)
        metric(first, compute_result=False)
        again = pickle.loads(pickle.dumps(metric))
        with pytest.raises(ValueError, match=message):
            metric(second, compute_result=False)
        again.reset()
        assert metric(half) == again(half) == of_half, message


def test_batches_of_ids_and_of_logits_add_up_or_are_refused():
    """With a configuration the classes of ids are its classes, so they must be the columns."""
    wanted = ComputeMetrics(*NAMES, config=config_of(K))((LOGITS, REFERENCES))
    of_ids, of_logits = (IDS[:60], REFERENCES[:60]), (LOGITS[60:], REFERENCES[60:])
    for batches in ((of_ids, of_logits), (of_logits, of_ids)):
        metric = ComputeMetrics(*NAMES, config=config_of(K))
        assert metric(batches[0], compute_result=False) == {}
        assert metric(batches[1]) == wanted
    for n_labels in (1, K + 1):
        metric = ComputeMetrics(*NAMES, config=config_of(n_labels))
        metric(of_ids, compute_result=False)
        with pytest.raises(ValueError, match=f"one form, got logits of 4 columns after {n_labels}"):
            metric(of_logits)


@ignoring_threads
def test_a_call_that_begins_while_a_thread_counts_is_an_error():
    """A copy or fork made meanwhile counts on from what was counted until then."""
    halves = [(LOGITS[:60], REFERENCES[:60]), (LOGITS[60:], REFERENCES[60:])]
    metric = ComputeMetrics(*NAMES)
    wanted = metric((LOGITS, REFERENCES))
    of_half = metric(halves[1])
    for before in (halves[:1], []):
        for half in before:
            metric(half, compute_result=False)
        counted, may_end = Event(), Event()
        rest = halves[len(before) :]

        def batches(counted=counted, may_end=may_end, rest=rest):
            """Yield logits as a thread gets to them, which waits before the last."""
            yield from [logits for logits, _ in rest][:-1]
            counted.set()
            may_end.wait()
            yield rest[-1][0]

        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(metric, (batches(), [references for _, references in rest]))
            try:
                assert counted.wait(60)
                for compute_result in (True, False):
                    with pytest.raises(RuntimeError, match=r"another thread .* in each thread"):
                        metric(halves[0], compute_result)
                for again in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
                    assert again(halves[1]) == wanted
                if hasattr(os, "fork"):
                    child = forked(lambda: np.testing.assert_equal(metric(halves[1]), wanted))
                    assert exit_codes([child]) == [0]
            finally:
                may_end.set()
            assert running.result() == wanted
        assert metric(halves[1]) == of_half


def test_threads_with_copies_or_one_after_the_other_are_right():
    metric = ComputeMetrics(*NAMES)
    wanted = metric((LOGITS, REFERENCES))
    for of_thread in (copy.deepcopy, copy.copy):
        with ThreadPoolExecutor(8) as pool:
            found = pool.map(lambda x: x(metric)((LOGITS, REFERENCES)), [of_thread] * 100)
        assert [*found] == [wanted] * 100
    for _ in range(3):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(metric, (LOGITS, REFERENCES)).result() == wanted


def test_columns_of_logits_are_the_classes_and_config_names_them():
    answers, references = np.array([0, 0, 1, 1] * 25), np.array([0, 1, 1, 1] * 25)
    logits = np.eye(2)[answers]
    k_is_2 = scores(references, answers, labels=range(2))
    for config, key, n_warnings in (
        (config_of(3, None, "abc"), "informedness_0", 1),
        (config_of(2, None, "no"), "informedness_n", 0),
    ):
        metric = ComputeMetrics(*NAMES, config=config, per_class=True)
        for n in (n_warnings, 0):  # once in all
            found, said = warned(lambda metric=metric: metric((logits, references)))
            expected = "2 columns where `config.num_labels` is 3"
            assert said.count(expected) == n
            assert {name: found[name] for name in NAMES} == pytest.approx(k_is_2, abs=1e-12)
            assert key in found
    # without it, the classes are those of the references
    three = np.eye(3)[references]
    found = ComputeMetrics("nit")((three, references))
    assert found == {"nit": scores(references, references)["nit"]}


def test_four_choices_are_scored_despite_num_labels_of_two():
    with pytest.warns(InformednessWarning, match="4 columns where `config.num_labels` is 2"):
        found = ComputeMetrics(*NAMES, config=GENERATOR_CONFIG)((LOGITS, REFERENCES))
    assert found == pytest.approx(EXPECTED, abs=1e-12)
    metric = ComputeMetrics("nit", config=GENERATOR_CONFIG)
    metric((LOGITS, REFERENCES), compute_result=False)
    with pytest.raises(ValueError, match="got logits of 3 columns after 4"):
        metric((LOGITS[:, :3], REFERENCES % 3), compute_result=False)
    with pytest.raises(ValueError, match="declares the classes"):
        metric((IDS, REFERENCES))


def test_language_model_logits_are_refused_with_a_configuration():
    config = config_of(2)
    config.vocab_size = 17
    generator = np.random.default_rng(1)
    tokens = generator.normal(size=(12, 10, 6))
    for logits, references in (
        (generator.normal(size=(N, 17)), REFERENCES),
        (generator.normal(size=(4, 1001)), REFERENCES[:4]),
        (tokens, PADDED),
        (tokens[:, 0], np.where(PADDED[:, 0] == 1, -100, PADDED[:, 0])),
    ):
        with pytest.raises(ValueError, match=r"in a language model.*position that.*`batch_decode`"):
            ComputeMetrics("nit", config=config)((logits, references))
    named = config_of(6)
    assert ComputeMetrics("nit", config=named)((tokens, PADDED))["nit"] > 0


def test_unshifted_next_token_predictions_are_warned_of():
    ids = np.random.default_rng(1).integers(0, 9, size=(12, 11))
    with pytest.warns(InformednessWarning, match="equal to the next reference for 108 of 120"):
        ComputeMetrics("accuracy")((ids[:, 1:], ids[:, :-1]))
    runs = np.repeat(ids, 3, axis=1)  # as tags of words: most are followed by the same
    for predictions, references in ((ids, ids), (runs, runs), (runs[:, 1:], runs[:, :-1])):
        found, said = warned(lambda p=predictions, r=references: ComputeMetrics("accuracy")((p, r)))
        assert found["accuracy"] > 0.6
        assert not said


def test_scores_by_class_stand_beside_the_average():
    names = config_of(K, None, ["red", "green", "low", "blue"])
    found = ComputeMetrics(*NAMES, config=names, per_class=True)((LOGITS, REFERENCES))
    by_class = estimate(REFERENCES, IDS, average=None)
    wanted = {f"informedness_{names.id2label[x.label]}": x.value for x in by_class}
    assert found == pytest.approx(EXPECTED | wanted, abs=1e-12)
    options = {"config": names, "per_class": True, "confidence_level": 0.9}
    with pytest.raises(ValueError, match="two results have the key 'informedness_low'"):
        ComputeMetrics("informedness", **options)((LOGITS, REFERENCES))
    for names, options, message in (
        (["nit"], {}, "`per_class` applies only to .* such as 'informedness', got nit"),
        (["informedness"], {"average": None}, "`per_class` applies only to"),
        (["informedness"], {"config": MULTILABEL}, NO_LABELS),
    ):
        with pytest.raises(ValueError, match=message):
            ComputeMetrics(*names, per_class=True, **options)
    with pytest.raises(ValueError, match=r"`labels` must be ids.*config=model\.config"):
        ComputeMetrics("informedness", labels=["a", "b", "c", "d"])((LOGITS, REFERENCES))


def test_argmax_logits_gives_ids_and_leaves_what_has_none():
    for convert in (np.array, torch.tensor):
        logits, references = convert(LOGITS), convert(REFERENCES)
        for given in (logits, references), ((logits, logits), references), (logits, None):
            assert argmax_logits(*given).tolist() == IDS.tolist()
        for scored, labels in ((ONE_LOGIT, IS_ZERO), (ONE_LOGIT[:, 0], IS_ZERO), (SEVERAL, LABELS)):
            scored = convert(scored)
            assert argmax_logits(scored, convert(labels)) is scored
        with pytest.raises(ValueError, match="Move the classes last"):
            argmax_logits(convert(NARROW), convert(NARROW.argmax(1)))


NAN, INF = math.nan, math.inf
WITHOUT_ANSWER = [NAN, 0, INF, INF], [INF] * K, [-INF] * K, [0, INF, -INF, INF], [INF, *[-INF] * 3]
ROWS = [*WITHOUT_ANSWER, [-INF, 1, -INF, 0], [0, 1, 2, INF]]
DIVERGED = "{} of {} predictions are missing, .* count as wrong: the model may have diverged"


@pytest.mark.parametrize("convert", [np.array, torch.tensor, bfloat16])
@pytest.mark.parametrize("prepare", [lambda logits, _: logits, argmax_logits])
def test_tied_nan_scores_are_wrong_and_warned_of_once(convert, prepare):
    references, answers = REFERENCES.copy(), convert(LOGITS).argmax(1).tolist()
    answers[:7] = [None] * 5 + [1, 3]
    logits = convert(np.concatenate([ROWS, LOGITS[7:]]))
    wanted = {"informedness": informedness_score(references, answers, unknown="wrong")}
    ids = [-1 if answer is None else answer for answer in answers]  # to scikit-learn one more label
    wanted |= {"cohen_kappa": cohen_kappa_score(references, ids), "markedness": NAN}
    metric = ComputeMetrics(*wanted)
    metric((prepare(logits[:9], references[:9]), references[:9]), compute_result=False)
    with pytest.warns(InformednessWarning, match=DIVERGED.format(5, N)) as notes:
        found = metric((prepare(logits[9:], references[9:]), references[9:]))
    assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    assert len(notes) == 1
    references[:5] = -100  # nobody looks there
    again = metric((prepare(logits, references), references))
    assert again["informedness"] == informedness_score(references[5:], answers[5:])
    for score in ("informedness", "markedness"):
        each = {"average": None, "confidence_level": 0.9}
        with pytest.warns(InformednessWarning, match=DIVERGED.format(5, 9)):
            found = ComputeMetrics(score, **each)((prepare(logits[:9], [0]), IDS[:9]))
        assert all(map(math.isnan, found.values())) == (score == "markedness")
        assert f"{score}_3_low" in found


def flipped(references, scores, is_missing):
    """Return 2 BA - 1, where a missing prediction is as good as the other class."""
    answers = np.where(is_missing, 1 - references, scores > 0)
    return balanced_accuracy_score(references, answers, adjusted=True)


def test_samples_without_finite_scores_are_wrong():
    scores, is_missing = SEVERAL.copy(), np.zeros((N, K), dtype=bool)
    scores[0, 1] = scores[1, 2] = NAN
    scores[2:4], scores[4, 0], scores[5, 0] = [[-INF, INF, INF, -INF]] * 2, INF, -INF
    is_missing[0, 1] = is_missing[1, 2] = is_missing[2:4] = True
    columns = [flipped(LABELS[:, i], scores[:, i], is_missing[:, i]) for i in range(K)]
    names = "informedness", "markedness"
    options = {"threshold": 0.0, "multilabel": True, "per_label": True}
    with pytest.warns(InformednessWarning, match=DIVERGED.format(10, N * K)):
        found = ComputeMetrics(*names, **options)((scores, LABELS))
    wanted = {f"informedness_{i}": score for i, score in enumerate(columns)}
    wanted["informedness"] = np.mean(columns)
    wanted |= {name.replace(*names): NAN for name in wanted}
    assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    column = np.where(np.arange(N) % 9, ONE_LOGIT[:, 0], [NAN, INF, -INF] * (N // 3))
    with pytest.warns(InformednessWarning, match=DIVERGED.format(14, N)):
        found = ComputeMetrics(*names, threshold=0.0)((torch.tensor(column), IS_ZERO))
    wanted = flipped(IS_ZERO, column, np.arange(N) % 9 == 0)
    assert found == pytest.approx({names[0]: wanted, names[1]: NAN}, abs=1e-12, nan_ok=True)


def test_only_nan_scores_like_a_model_that_always_refuses():
    rows = np.full((6, 3), NAN), [0, 1, 2] * 2
    for given, options, wanted in (
        (rows, {}, -1 / 2),
        (rows, {"unknown": "wrong"}, -1 / 2),
        ((rows[0][:2, :], np.eye(3)[:2]), {"threshold": 0.5, "multilabel": True}, -1),
    ):
        scores, said = warned(ComputeMetrics("informedness", **options), given)
        assert scores == {"informedness": pytest.approx(wanted, abs=1e-12)}
        has_classes = "multilabel" not in options
        assert (said.count("diverged"), said.count("that are not classes")) == (1, has_classes)


def test_text_is_scored_and_one_class_by_what_zero_division_says():
    texts = ["no", "yes", "yes"], ["no", "yes", "no"]
    padded = {"labels": ["no", "yes"], "ignore_index": "pad"}, [[*side, "pad"] for side in texts]
    for options, given in (({}, texts), ({}, map(np.array, texts)), padded):
        assert ComputeMetrics("informedness", **options)(tuple(given)) == {"informedness": 0.5}
    for options, given in (
        ({}, (LOGITS[:3], [1, 1, 1])),
        ({"multilabel": True, "per_label": True}, (FLAGS[:3], [[0, 1]] * 3)),
    ):
        scores = ComputeMetrics("informedness", zero_division=NAN, **options)(given)
        assert all(map(math.isnan, scores.values()))
