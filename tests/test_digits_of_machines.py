"""Exact equality where it is promised: on every processor, whatever its BLAS makes of a sum."""

import ast
from pathlib import Path

import mpmath
import numpy as np
import pytest

import informedness
from dense import SCORES
from estimate_cases import options_of
from informedness import compare, estimate_from_labels, leaderboard

pytestmark = [pytest.mark.digits, pytest.mark.filterwarnings("ignore:informedness. ")]

OF_BLAS = {"dot", "inner", "linalg", "matmul", "matvec", "tensordot", "vdot", "vecdot", "vecmat"}


def random_answers(seed, k, size):
    rng = np.random.default_rng(seed)
    references = np.append(rng.choice(k, size - 2, p=rng.dirichlet(np.ones(k))), [0, 1])
    # k itself is a class that only answers have
    return references, *(
        np.where(rng.random(size) < skill, references, rng.integers(0, k + 1, size))
        for skill in rng.random(2)
    )


def random_extras(seed, k, size):
    rng = np.random.default_rng(seed)
    weights, groups = rng.random(size), rng.integers(0, 8, size)
    return (
        {},
        {"sample_weight": weights},
        {"sample_weight": weights, "groups": groups},
        {"sample_weight": weights, "counts": rng.integers(0, 5, size) + 1},
        {"groups": groups, "labels": range(k), "unknown": "wrong"},
    )


def mirrored(made, turned):
    low, high = made.confidence_interval
    return (
        (turned.a, turned.b, turned.difference) == (made.b, made.a, -made.difference)
        and turned.confidence_interval == (-high, -low)
        and (turned.p_value, turned.standard_error) == (made.p_value, made.standard_error)
        and (turned.gained, turned.lost) == (made.lost, made.gained)
        and turned.signature == made.signature
    )


@pytest.mark.parametrize(("k", "size"), [(2, 14), (3, 100), (20, 200)])
def test_comparisons_mirror_to_the_last_digit_and_equal_models_differ_by_0(k, size):
    references, a, b = random_answers(k, k, size)
    for extra in random_extras(k, k, size):
        for score in SCORES:
            options = {**options_of(score), **extra, "n_resamples": 100}
            made = compare(references, a, b, **options)
            assert mirrored(made, compare(references, b, a, **options)), (score, [*extra])
            alike = compare(references, a, a, **options)
            low, high = alike.confidence_interval
            assert (alike.difference, alike.p_value, low) == (0, 1, -high), (score, [*extra])


@pytest.mark.parametrize("only_one_has", ["B", "d"])  # sorted before the other classes, and behind
def test_comparisons_with_a_prior_mirror_where_only_one_model_has_a_class(only_one_has):
    references, a = list("aabbccaabbcc") * 5, list("aabbbcabbacc") * 5
    b = list(f"aa{only_one_has}bccaabccb") * 5
    weights = np.random.default_rng(0).random(60)
    prior = {"a": 0.5, "b": 0.2, "c": 0.3}
    for weighted in ({}, {"sample_weight": weights}):
        options = {"prior": prior, "n_resamples": 100, **weighted}
        made = compare(references, a, b, **options)
        assert mirrored(made, compare(references, b, a, **options)), [*weighted]
        # as if the class were known: no reference has it
        known = compare(references, a, b, labels=list("abc"), unknown="wrong", **options)
        assert made.standard_error == pytest.approx(known.standard_error, abs=1e-12)


def test_models_that_only_rename_classes_keep_their_order_in_a_leaderboard():
    for seed in range(5):
        references, answers, _ = random_answers(seed, 5, 200)
        models = {"plain": answers % 5, "renamed": np.array([3, 0, 4, 2, 1])[answers % 5]}
        for given in (["plain", "renamed"], ["renamed", "plain"]):
            for metric in ("nit", "ema"):
                of_given = {name: models[name] for name in given}
                board = leaderboard(references, of_given, metric=metric, n_resamples=100)
                assert [model.name for model in board.models] == given, (seed, metric)
                assert board.text_tables()[1][1][1] == "+0.0000"


def test_the_order_of_runs_does_not_rank_a_model():
    rng = np.random.default_rng(2)
    references = rng.integers(0, 3, 10)
    for _ in range(5):
        runs = [np.where(rng.random(10) < 0.6, references, 1).tolist() for _ in range(3)]
        models = {"first": runs, "second": runs[::-1], "third": [runs[1], runs[2], runs[0]]}
        board = leaderboard(references, models, n_resamples=100)
        assert [model.name for model in board.models] == [*models]
        assert len({model.value for model in board.models}) == 1


def test_the_jackknife_of_many_groups_keeps_its_digits():
    cells = {(0, 0): 12234, (0, 1): 821, (1, 0): 545, (1, 1): 6387}
    references, predictions = np.repeat(np.array([*cells]), [*cells.values()], axis=0).T
    size = len(references)
    made = estimate_from_labels(references, predictions, "ema", groups=range(size))
    low, high = map(mpmath.mpf, made.confidence_interval)
    with mpmath.workdps(40):

        def logarithm(counts):
            """Return ln EMA = sum n_ij ln(n_ij / c_j) / N."""
            columns = [counts[0, j] + counts[1, j] for j in range(2)]
            terms = (n * mpmath.log(mpmath.mpf(n) / columns[j]) for (_, j), n in counts.items())
            return mpmath.fsum(terms) / sum(columns)

        left_out = mpmath.fsum(n * logarithm({**cells, cell: n - 1}) for cell, n in cells.items())
        centre = mpmath.exp(size * logarithm(cells) - (size - 1) * left_out / size)
        assert float(abs(mpmath.sqrt(low * high) - centre)) < 1e-13


def test_no_product_is_left_to_blas():
    for path in Path(informedness.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not isinstance(node, ast.MatMult), path.name
            if isinstance(node, ast.Attribute):
                assert node.attr not in OF_BLAS, f"{path.name}, line {node.lineno}"
            if isinstance(node, ast.keyword):
                assert node.arg != "optimize", f"{path.name}, line {node.lineno}"  # of einsum
