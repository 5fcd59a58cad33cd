"""`ComputeMetrics` without training: each form of predictions, each refusal, and what it keeps."""

import copy
import itertools
import math
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from transformers import EvalPrediction

from informedness import NoSamplesError, estimate, informedness_score, nit_score
from informedness.trainer import ComputeMetrics, argmax_logits
from informedness.warnings import InformednessWarning, UndefinedMetricWarning
from tables import table_of_labels

pytestmark = [pytest.mark.full, pytest.mark.slow]  # imports torch

NAMES = ("informedness", "nit", "accuracy")
GENERATOR = np.random.default_rng(0)
N, K = 120, 4
REFERENCES = GENERATOR.integers(0, K, N)
LOGITS = GENERATOR.normal(size=(N, K)) + 1.5 * np.eye(K)[REFERENCES]
IDS = LOGITS.argmax(1)
EXPECTED = {
    "informedness": informedness_score(REFERENCES, IDS),
    "nit": nit_score(REFERENCES, IDS),
    "accuracy": accuracy_score(REFERENCES, IDS),
}
ONE_LOGIT = LOGITS[:, :1] - 0.7
IS_ZERO = (REFERENCES == 0).astype(float)
CUTS = [0, 20, 21, N]
PARTS = [slice(*pair) for pair in itertools.pairwise(CUTS)]
HIDDEN = np.zeros((N, 3, 5))


def in_batches(compute_metrics, predictions, references, convert=torch.tensor):
    """Score as under `batch_eval_metrics`: the result comes with the last batch."""
    results = [
        compute_metrics(
            EvalPrediction(convert(predictions[part]), convert(references[part])),
            compute_result=part is PARTS[-1],
        )
        for part in PARTS
    ]
    assert results[:-1] == [{}, {}]
    return results[-1]


FORMS = [
    (LOGITS, REFERENCES),  # and what test_trainer.py has of the Trainer
    EvalPrediction(IDS.astype(np.int8)[:, None], REFERENCES),
    EvalPrediction(LOGITS, REFERENCES[:, None]),
    EvalPrediction(LOGITS.tolist(), REFERENCES.tolist()),
    EvalPrediction(torch.tensor(LOGITS, requires_grad=True), torch.tensor(REFERENCES)),
    EvalPrediction(torch.tensor(LOGITS), REFERENCES.astype(float)),
    EvalPrediction(torch.tensor(LOGITS), torch.tensor(REFERENCES, dtype=torch.float32)),
]


def test_every_form_of_several_columns_gives_the_same_number_and_so_do_batches():
    for number, given in enumerate(FORMS):
        assert ComputeMetrics(*NAMES)(given) == pytest.approx(EXPECTED, abs=1e-12), number
    for convert, predictions in itertools.product((torch.tensor, np.array), (LOGITS, IDS)):
        result = in_batches(ComputeMetrics(*NAMES), predictions, REFERENCES, convert)
        assert result == pytest.approx(EXPECTED, abs=1e-12), convert


def test_results_are_plain_floats_under_plain_names():
    metric = ComputeMetrics("informedness", "matthews_corrcoef", confidence_level=0.9)
    result = metric((LOGITS, REFERENCES))
    assert {type(value) for value in result.values()} == {float}
    of_informedness = [f"informedness{end}" for end in ("", "_standard_error", "_low", "_high")]
    assert [*result][:5] == [*of_informedness, "matthews_corrcoef"]
    wanted = estimate(REFERENCES, IDS, confidence_level=0.9)
    assert result["informedness_standard_error"] == wanted.standard_error
    assert (result["informedness_low"], result["informedness_high"]) == wanted.confidence_interval
    result = ComputeMetrics("informedness", average=None, confidence_level=0.9)(FORMS[0])
    for one in estimate(REFERENCES, IDS, average=None, confidence_level=0.9):
        assert result[f"informedness_{one.label}"] == one.value
        assert result[f"informedness_{one.label}_high"] == one.confidence_interval[1]


def test_padding_is_left_out_of_tokens_and_rows_of_0_and_1_may_be_none(recwarn):
    references, logits = REFERENCES.reshape(12, 10).copy(), LOGITS.reshape(12, 10, K).copy()
    references[:, 7:] = -100
    logits[:, 7:] = math.nan  # nobody looks there
    kept = np.arange(N).reshape(12, 10)[:, :7].ravel()
    for convert, predictions in itertools.product(
        (torch.tensor, np.array), (logits, logits.argmax(-1))
    ):
        result = ComputeMetrics("informedness")((convert(predictions), convert(references)))
        assert result["informedness"] == informedness_score(REFERENCES[kept], IDS[kept]), convert
    narrow = torch.tensor([156, 3], dtype=torch.uint8)  # 156 - 256 = -100
    assert ComputeMetrics("accuracy")((torch.tensor([156, 4]), narrow)) == {"accuracy": 0.5}
    with pytest.warns(InformednessWarning, match="-100 in `references` counts as a class"):
        ComputeMetrics("nit", ignore_index=None)((IDS.reshape(12, 10), references))
    with pytest.warns(InformednessWarning, match=r"255 .* not in range\(4\).* ignore_index=255"):
        ComputeMetrics("informedness")((LOGITS, np.where(REFERENCES == 0, 255, REFERENCES)))
    flags = np.eye(2, dtype=int)[(REFERENCES == 0).astype(int)]
    recwarn.clear()
    for options in ({}, {"multilabel": False}, {"multilabel": True}, {"labels": np.arange(2)}):
        ComputeMetrics("nit", **options)((flags, flags))
    ComputeMetrics("nit")((flags, np.concatenate([[[-100, 0]], flags[1:]])))
    assert not recwarn.list


# One column


ONE_COLUMN = [
    (ONE_LOGIT, IS_ZERO),
    (ONE_LOGIT[:, 0], IS_ZERO),
    (ONE_LOGIT, IS_ZERO[:, None]),
    (ONE_LOGIT, IS_ZERO.astype(int)),
    ((ONE_LOGIT, HIDDEN), IS_ZERO),
    (torch.tensor(ONE_LOGIT), torch.tensor(IS_ZERO)),
    (torch.tensor(ONE_LOGIT), torch.tensor(IS_ZERO, dtype=torch.bfloat16)),  # not of numpy
    (ONE_LOGIT.reshape(12, 10, 1), IS_ZERO.reshape(12, 10)),
]
OF_ONE = {
    "informedness": 2 * balanced_accuracy_score(IS_ZERO, ONE_LOGIT[:, 0] > 0) - 1,
    "nit": nit_score(IS_ZERO.astype(int), (ONE_LOGIT[:, 0] > 0).astype(int)),
    "accuracy": accuracy_score(IS_ZERO, ONE_LOGIT[:, 0] > 0),
}


def test_one_column_is_read_by_the_threshold_given_or_that_of_the_loss():
    for number, given in enumerate(ONE_COLUMN):
        result = ComputeMetrics(*NAMES, threshold=0.0)(given)
        assert result == pytest.approx(OF_ONE, abs=1e-12), number
        with pytest.raises(ValueError, match=r"0\.0 for logits, 0\.5 for prob.*integers"):
            ComputeMetrics(*NAMES)(given)
    probabilities = 1 / (1 + np.exp(-ONE_LOGIT))
    metric = ComputeMetrics(*NAMES, threshold=0.5)
    assert metric((probabilities, IS_ZERO)) == pytest.approx(OF_ONE, abs=1e-12)
    assert in_batches(metric, probabilities, IS_ZERO) == pytest.approx(OF_ONE, abs=1e-12)
    by_class = ComputeMetrics("informedness", threshold=0.5, average=None)
    assert [*by_class((probabilities, IS_ZERO))] == ["informedness_0", "informedness_1"]
    at_and_above = torch.tensor([0.5, 0.75]), torch.tensor([0, 1])
    assert ComputeMetrics("accuracy", threshold=0.5)(at_and_above) == {"accuracy": 1.0}
    for problem, threshold in (("regression", 0.5), ("multi_label_classification", 0.0)):
        config = SimpleNamespace(problem_type=problem, num_labels=1)
        result = ComputeMetrics("informedness", config=config)((ONE_LOGIT, IS_ZERO[:, None]))
        wanted = informedness_score(IS_ZERO, ONE_LOGIT[:, 0] > threshold)
        assert result["informedness"] == wanted, problem


# Several labels

SHIFT = np.array([0.5, 0.7, 1.1, 0.9])
LABELS = (GENERATOR.random((N, K)) < 0.4).astype(float)
SEVERAL = GENERATOR.normal(size=(N, K)) + 2 * LABELS - SHIFT
MULTILABEL = SimpleNamespace(
    problem_type="multi_label_classification",
    num_labels=K,
    id2label={0: "joy", 1: "fear", 2: "anger", 3: "love"},
)
BY_LABEL = [informedness_score(LABELS[:, i], SEVERAL[:, i] > 0) for i in range(K)]


def test_several_labels_are_scored_one_by_one():
    nits = [nit_score(LABELS[:, i], SEVERAL[:, i] > 0) for i in range(K)]
    named = [*MULTILABEL.id2label.values()]
    ids = (SEVERAL > 0).astype(int)
    for options, names, predictions in (
        ({"config": MULTILABEL}, named, SEVERAL),
        ({"config": MULTILABEL}, named, ids),
        ({"multilabel": True, "threshold": 0.0}, range(K), SEVERAL),
    ):
        metric = ComputeMetrics("informedness", "nit", per_label=True, **options)
        wanted = {"informedness": np.mean(BY_LABEL), "nit": np.mean(nits)}
        wanted |= {f"informedness_{x}": value for x, value in zip(names, BY_LABEL, strict=True)}
        wanted |= {f"nit_{x}": value for x, value in zip(names, nits, strict=True)}
        wanted = pytest.approx(wanted, abs=1e-12)
        for convert in (np.array, torch.tensor):
            assert metric((convert(predictions), convert(LABELS))) == wanted, options
            assert in_batches(metric, predictions, LABELS, convert) == wanted, options


def test_labels_without_a_score_are_named_and_left_out_of_the_mean():
    references = LABELS.copy()
    references[:, 1], references[:, 3], references[:40, 2] = 0, -100, -100
    metric = ComputeMetrics("informedness", "accuracy", config=MULTILABEL, per_label=True)
    with pytest.warns(UndefinedMetricWarning) as caught:
        result = metric((SEVERAL, references))
    (informedness, accuracy) = (str(x.message) for x in caught)
    assert "Informedness is undefined for labels" in informedness
    assert "'fear', 'love' left out of the mean" in informedness
    assert "'love' left out of the mean" in accuracy
    assert "fear" not in accuracy  # which is defined for one class
    of_the_rest = informedness_score(LABELS[40:, 2], SEVERAL[40:, 2] > 0)
    assert result["informedness_anger"] == of_the_rest
    assert result["informedness"] == pytest.approx((BY_LABEL[0] + of_the_rest) / 2, abs=1e-12)
    assert result["informedness_fear"] == result["informedness_love"] == 0.0
    assert [*metric.table] == ["joy", "fear", "anger"]
    wanted = table_of_labels(LABELS[40:, 2], SEVERAL[40:, 2] > 0, labels=[0, 1])
    assert metric.table["anger"] == wanted


def test_several_labels_have_no_interval_and_no_average_none():
    for options in ({"confidence_level": 0.9}, {"average": None}):
        for of_labels in ({"multilabel": True}, {"config": MULTILABEL}):
            with pytest.raises(ValueError, match="must be left out if samples have several labels"):
                ComputeMetrics("informedness", **options, **of_labels)((SEVERAL, LABELS))


# Options


def test_options_that_are_not_valid_are_refused_before_training():
    for names, options, message in (
        (["informed"], {}, "`metric` must be one of"),
        ([], {}, "`names` must hold at least one"),
        (["nit", "nit"], {}, "'nit' is listed twice"),
        ([["nit", "ema"]], {}, r"`metric` must be one of .* got \['nit', 'ema'\]"),
        (["nit"], {"config": {"num_labels": 3}}, "`config` must be that of a model"),
        (["informedness"], {"average": "weighted"}, "must be one of .* scikit-learn's 'weighted'"),
        (["nit"], {"average": "macro"}, "`average` must be left out"),
        (["nit"], {"threshold": math.nan}, "`threshold` must be a finite number"),
        (["nit"], {"confidence_level": 0.9, "prior": {0: 0.5, 1: 0.5}}, "`prior` must"),
        (["informedness"], {"average": None, "config": TWINS}, "list each class once, 'a'"),
        (
            ["informedness"],
            {"average": None, "confidence_level": 0.9, "config": OF_INTERVALS},
            "must not name a class 'a_low', .*: rename it",
        ),
        (["nit"], {"unknown": "wrong"}, '`unknown` can be "wrong" only'),
    ):
        with pytest.raises(ValueError, match=message):
            ComputeMetrics(*names, **options)


def test_classes_are_those_declared_and_named_by_the_configuration():
    config = SimpleNamespace(num_labels=5, id2label=dict(enumerate("abcde")))
    metric = ComputeMetrics("informedness", "nit", average=None, config=config)
    result = metric((IDS, REFERENCES))
    wanted = informedness_score(REFERENCES, IDS, labels=range(5), average=None)
    assert [*result] == [*(f"informedness_{x}" for x in "abcde"), "nit"]
    assert [*result.values()][:5] == pytest.approx(wanted, abs=1e-12)
    assert result["nit"] == nit_score(REFERENCES, IDS, labels=range(5))
    declared = ComputeMetrics("nit", config=config, labels=range(6))((IDS, REFERENCES))
    assert declared["nit"] == nit_score(REFERENCES, IDS, labels=range(6))


def test_prior_and_average_are_those_of_the_functions():
    prior = {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4}
    metric = ComputeMetrics("informedness", "accuracy", average="macro", prior=prior)
    result = metric((LOGITS, REFERENCES))
    wanted = informedness_score(REFERENCES, IDS, average="macro", prior=prior)
    assert result["informedness"] == wanted
    recalls = [np.mean(IDS[c == REFERENCES] == c) for c in range(K)]
    assert result["accuracy"] == pytest.approx(np.dot(recalls, [*prior.values()]), abs=1e-12)


# What a model generated, from a start (9) to an end (8), beside references to an end.
START, END, PAD = (np.full(N, number) for number in (9, 8, -100))
GENERATED = np.column_stack([START, IDS, END]), np.column_stack([REFERENCES, END, PAD])
TWINS = SimpleNamespace(**vars(MULTILABEL) | {"id2label": dict(enumerate("abca"))})
OF_INTERVALS = SimpleNamespace(num_labels=2, id2label={0: "a", 1: "a_low"})
UNREADABLE = [
    ((np.full((2, 3), math.nan), [0, 1]), {}, "got nan for 2 samples"),
    ((np.array([math.nan, 1.0]), [0, 1]), {"threshold": 0.0}, "got nan for 1 samples"),
    ((LOGITS, REFERENCES, HIDDEN), {}, "must be an EvalPrediction or"),
    ((LOGITS, REFERENCES[1:]), {}, r"got shapes \(120, 4\) and \(119,\)"),
    ((HIDDEN, REFERENCES), {}, "preprocess_logits_for_metrics"),
    ((LOGITS.argsort(1), REFERENCES), {}, "must be logits with one axis"),
    ((LOGITS, (REFERENCES, REFERENCES)), {}, "`label_names`"),  # of questions: start and end
    ((IDS.reshape(12, 10), REFERENCES.reshape(12, 10)[:, 1:]), {}, "generated .*`batch_decode`"),
    (GENERATED, {}, "begin with 9, and no references do: .*`batch_decode`.*; for .* pass `labels`"),
    ((ONE_LOGIT, REFERENCES), {"threshold": 0.0}, "references must be 0 or 1 .* got 3"),
    ((ONE_LOGIT, IS_ZERO), {"threshold": 0.0, "labels": [1, 2]}, "`labels` must be 0 and 1"),
    ((LOGITS, REFERENCES), {"threshold": 0.0}, "`threshold` and `per_label` are for"),
    ((LOGITS, REFERENCES), {"per_label": True}, "`threshold` and `per_label` are for"),
    ((LOGITS, REFERENCES + 0.5), {}, "must hold labels"),
    ((SEVERAL, LABELS), {"threshold": 0.0}, "multilabel=True for labels; for tokens flatten"),
    (((SEVERAL > 0).astype(int), LABELS), {}, "multilabel=True for labels; for tokens flatten"),
    ((SEVERAL, LABELS[:, :3]), {"multilabel": True}, "several labels must be"),
    ((SEVERAL, LABELS), {"config": TWINS}, r"`config.id2label` must list each class once, 'a'"),
    ((LOGITS, np.full(N, -100)), {}, "there must be a sample to score"),
    ((ONE_LOGIT, np.full(N, -100)), {"threshold": 0.0}, "there must be a sample to score"),
    ((np.zeros((0, 3)), np.zeros(0, int)), {}, "there must be a sample to score"),
]


def test_what_cannot_be_read_is_refused():
    for given, options, message in UNREADABLE:
        metric = ComputeMetrics("informedness", **options)
        of_its_own = NoSamplesError if "a sample" in message else ValueError
        with pytest.raises(of_its_own, match=message):
            metric(given)


def test_tokens_whose_first_is_never_right_are_scored_if_they_can_be_classes():
    """Generated ids are refused once all batches are there."""
    for given, options in (
        (GENERATED, {"labels": range(10)}),
        ([part[:4] for part in GENERATED], {}),  # a short last batch
        ([GENERATED[0] * 0 + 9, GENERATED[1]], {}),  # a model that always says the same
        ([GENERATED[0], np.column_stack([PAD, REFERENCES, END])], {}),  # after [CLS]
    ):
        kept = given[1] != -100
        result = ComputeMetrics("accuracy", **options)(given)
        assert result == {"accuracy": np.mean(given[0][kept] == given[1][kept])}
    with pytest.raises(ValueError, match="`batch_decode`"):
        in_batches(ComputeMetrics("accuracy"), *GENERATED)


def test_generated_ids_are_named_beside_the_configuration_of_a_model_that_generates():
    """Its `num_labels` is 2, as in every configuration."""
    config = SimpleNamespace(problem_type=None, num_labels=2, id2label={0: "LABEL_0", 1: "LABEL_1"})
    for given in (GENERATED, [part[:3] for part in GENERATED], [GENERATED[1], GENERATED[1]]):
        with pytest.raises(ValueError, match=r"^generated ids need `batch_decode` first.* missing"):
            ComputeMetrics("informedness", config=config)(given)
    of_tokens = [np.where(part == -100, part, part % 2) for part in GENERATED]
    assert ComputeMetrics("accuracy", config=config)(of_tokens)["accuracy"] > 0


def test_batches_of_two_forms_or_numbers_of_labels_are_not_added_up():
    regression = SimpleNamespace(problem_type="regression", num_labels=1)
    metric = ComputeMetrics("nit", config=regression)
    metric((ONE_LOGIT, IS_ZERO), compute_result=False)
    with pytest.raises(ValueError, match="got classes after one column"):
        metric((LOGITS, REFERENCES))
    metric = ComputeMetrics("nit", multilabel=True, threshold=0.0)
    metric((SEVERAL[:, :1], LABELS[:, :1]), compute_result=False)
    with pytest.raises(ValueError, match="got 4 labels after 1 labels"):
        metric((SEVERAL, LABELS))


# State


def test_it_starts_afresh_after_a_result_an_error_and_a_reset():
    metric = ComputeMetrics("informedness")
    half = slice(0, 60)
    metric((LOGITS, REFERENCES))
    of_half = {"informedness": informedness_score(REFERENCES[half], IDS[half])}
    assert metric((LOGITS[half], REFERENCES[half])) == of_half
    metric((LOGITS, REFERENCES), compute_result=False)
    with pytest.raises(ValueError, match="must be logits"):
        metric((LOGITS[1:], REFERENCES))
    assert metric((LOGITS[half], REFERENCES[half])) == of_half
    metric((LOGITS, REFERENCES), compute_result=False)
    metric.reset()
    again = pickle.loads(pickle.dumps(metric))
    assert again((LOGITS[half], REFERENCES[half])) == of_half
    assert again.table == table_of_labels(REFERENCES[half], IDS[half])


def test_threads_may_share_it_and_a_copy_counts_for_itself():
    given = np.array([0.2, 0.7]), np.array([0, 1])
    metric = ComputeMetrics("informedness", threshold=0.5)
    sys.setswitchinterval(1e-7)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda _: metric(given, compute_result=False), range(9000)))
    sys.setswitchinterval(5e-3)  # the usual one
    for one in (copy.copy(metric), metric):
        one(given)
        assert one.table.n_samples == 18_002


# Answers outside the declared classes


THREE = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 2.0], [0.0, 2.0, 1.0], [1.0, 0.0, 2.0]])


def test_a_prediction_outside_the_classes_is_refused_or_wrong():
    """Answers 0, 2, 1, 2 to 0, 1, 1, 0: each class is found half the time, and never in error."""
    with pytest.raises(ValueError, match=r'every prediction, 2 is missing: .* unknown="wrong"'):
        ComputeMetrics("informedness", labels=[0, 1])((THREE, [0, 1, 1, 0]))
    metric = ComputeMetrics("informedness", "accuracy", labels=[0, 1], unknown="wrong")
    expected = {"informedness": 1 / 4 * 1 / 2 + 1 / 4 * 1 / 2, "accuracy": 1 / 2}
    for convert in (np.asarray, torch.tensor):
        assert metric((convert(THREE), convert([0, 1, 1, 0]))) == expected
    options = {"labels": [0, 1], "unknown": "wrong"}
    missing = np.array([0, 2, 1, None], dtype=object)
    assert (
        ComputeMetrics("informedness", "accuracy", **options)((missing, [0, 1, 1, 0])) == expected
    )
    by_class = ComputeMetrics("informedness", average=None, **options)
    found = by_class((THREE, [0, 1, 1, 0]))
    assert by_class.table == table_of_labels([0, 1, 1, 0], [0, 2, 1, 2], **options)
    assert [*found] == ["informedness_0", "informedness_1", "informedness_unknown"]


# argmax_logits


def test_argmax_logits_gives_ids_and_leaves_what_has_none():
    for convert in (np.array, torch.tensor):
        logits, references = convert(LOGITS), convert(REFERENCES)
        for given in (logits, references), ((logits, logits), references), (logits, None):
            assert argmax_logits(*given).tolist() == IDS.tolist()
        for scores, labels in ((ONE_LOGIT, IS_ZERO), (ONE_LOGIT[:, 0], IS_ZERO), (SEVERAL, LABELS)):
            scores = convert(scores)
            assert argmax_logits(scores, convert(labels)) is scores
        infinite = [[-math.inf, 1.0, -math.inf], [0.0, 1.0, math.inf], [2.0, 2.0, 1.0]]
        assert argmax_logits(convert(infinite), convert([0, 0, 0])).tolist() == [1, 2, 0]


def test_rows_without_a_highest_logit_are_refused_but_not_on_padding():
    nan, inf = math.nan, math.inf
    rows = [nan, 0, inf, inf], [inf] * K, [-inf] * K, [0, inf, -inf, inf]
    dtypes = torch.float32, torch.bfloat16, torch.float16, None
    for dtype, row in itertools.product(dtypes, rows):
        got = "nan" if nan in row else "several inf, or only -inf,"
        logits, references = LOGITS.copy(), REFERENCES.copy()
        logits[3] = row
        if dtype is not None:
            logits, references = torch.tensor(logits, dtype=dtype), torch.tensor(references)
        for reduced in (argmax_logits, lambda *pair: ComputeMetrics("informedness")(pair)):
            with pytest.raises(ValueError, match=f"got {got} for 1 samples"):
                reduced(logits, references)
        references[3] = -100
        ids = argmax_logits(logits, references)
        kept = np.arange(N) != 3
        wanted = informedness_score(REFERENCES[kept], ids[kept])
        for predictions in (ids, logits):
            result = ComputeMetrics("informedness")((predictions, references))
            assert result["informedness"] == wanted, (dtype, row)
