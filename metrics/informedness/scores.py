r"""Compute Informedness and NIT from a contingency table.

A table has the total N, the diagonal h, the row totals r and the column totals c. pi_i = r_i/N is
the prevalence of class i. beta_j = c_j/N is the bias of class j, its share of the predictions.

    J_c          = TPR_c - FPR_c = h_c/r_c - (c_c - h_c)/(N - r_c)
    Informedness = sum_c beta_c J_c; out-of-class predictions are distributed over the other classes
    NIT          = 2^MI / k,  MI = sum_ij p_ij log2(p_ij / (pi_i beta_j))
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from .labels import NAMES, Numbers, UndefinedMetricWarning, check_choice, show, warn
from .table import Table, is_real, labels_at

__version__ = "0.1.0"
ONLY_ONE_CLASS = "there is only one class: NIT is 1.0 by definition"

Average: TypeAlias = Literal["bias", "prevalence", "macro"] | None
ZeroDivision: TypeAlias = Literal["warn"] | float


def informedness(
    table: Table,
    *,
    average: Average = "bias",
    prior: Mapping[Any, float] | None = None,
    prior_mode: str = "reweight",
    zero_division: ZeroDivision = "warn",
) -> Any:
    """Compute sum_c weight_c J_c: perfect predictions score 1, and guessing scores 0 on average.

    The weights are beta_c for "bias" (Powers 2003) and pi_c for "prevalence" (Powers 2011, eq. 42).
    For "macro" they are equal for all classes in the references. None returns the list of J_c.

    `prior` maps classes to shares q; counts are converted to shares. "reweight" scales the rows of
    the table to these shares. "odds" replaces J_c by p_cc/q_c - (beta_c - p_cc)/(1 - q_c), with
    p_cc = h_c/N. Unless the prior is the prevalence, perfect predictions can then score other than
    1, and guesses other than 0.

    If all references are of one class, the score is undefined. `zero_division` is then its value:
    0.0 or nan. With "warn" the value is 0.0, and a warning is issued. In the list of J_c, only the
    class of the references has this value; other classes have 0.
    """
    check_choice("average", average, ("bias", "prevalence", "macro", None))
    check_choice("prior_mode", prior_mode, ("reweight", "odds"))
    check_zero_division(zero_division, 0.0)
    scored, gains = _apply_prior(table, prior, prior_mode)
    is_odds = prior is not None and prior_mode == "odds"
    why = why_one_class("Informedness", 0.0, table, table.reference_totals, "references")
    undefined = value_if_undefined(why, 0.0, zero_division, table)
    if undefined is not None:
        by_class = np.where(table.reference_totals > 0, undefined, 0.0)[table.is_class]
        return by_class.tolist() if average is None else undefined
    if table.n_samples != 1:
        warn_of_absent("Informedness", table, NAMES, scored, None if is_odds else average)
    if average is None:
        return gains[table.is_class].tolist()
    value = float((gains * class_weights(average, scored)).sum())
    if is_odds:
        return value
    value = min(max(value, -1.0), 1.0)  # rounding may move it out of the range
    if average == "bias" and (why := why_above_accuracy(scored, value, table)):
        warn(f"Informedness {value:.3f} is {why}")
    return value


def _apply_prior(table: Table, prior: Any, prior_mode: str) -> tuple[Table, Numbers]:
    """Apply a prior; return the table that gives the class weights, and the gain of each class."""
    if prior is None:
        return table, class_gains(table)
    shares = read_prior(prior, table)
    if prior_mode == "reweight":
        return (scored := reweight(table, shares)), class_gains(scored)
    if table.out_of_class_totals.any():
        raise ValueError('`prior_mode` must be "reweight" if there are out-of-class predictions')
    bias, hits = table.prediction_totals / table.total, table.hits / table.total
    with np.errstate(divide="ignore", invalid="ignore"):  # 0/0 if there is only one class
        odds = hits / shares - (bias - hits) / (1 - shares)
    return table, np.where(np.isnan(shares), 0.0, odds)


def mean_gain(table: Table, average: str) -> float:
    """Average the gains J_c over the classes, with the weights that `average` names."""
    return float((class_gains(table) * class_weights(average, table)).sum())


def why_above_accuracy(table: Table, value: float, original: Table) -> str:
    """Explain that Informedness with average="bias" exceeds accuracy; "" unless it clearly does.

    `original` is the table before it was reweighted to a prior.
    """
    size = float(original.n_samples or original.total)
    if original.is_weighted and original.squared_weights is not None:  # use the effective number
        size = float(original.total / math.sqrt(original.squared_weights.sum())) ** 2
    has_references = table.reference_totals > 0
    k = np.count_nonzero(has_references)
    share = min(max(value, 0.0), 1.0)
    accuracy = float(table.hits.sum()) / table.total
    # the excess over `share` of a model that knows this share of each class, and guesses the rest
    expected = share * (1 - share) * (k - 2) / size
    if value - expected - accuracy <= max(0.05, size**-0.5):  # may be chance or uneven errors
        return ""
    n_used = np.count_nonzero(has_references & (table.prediction_totals > 0))
    reason = f"above accuracy ({accuracy:.3f}), so it is not a share of the predictions"
    remedy = f'average="prevalence" gives {mean_gain(table, "prevalence"):.3f}'
    return f"{reason}: the model uses {n_used} of the {k} classes, and {remedy}"


def class_gains(table: Any, false_positives: Numbers | None = None) -> Numbers:
    """Compute the gain J_c of each class: its TPR - FPR, or 0 if either rate is undefined."""
    if false_positives is None:
        false_positives = table.distributed_false_positives
    references, others = table.reference_totals, table.other_references
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = table.hits / references - false_positives / others
    return np.where((references > 0) & (others > 0), gains, 0.0)


def class_weights(average: str, table: Any) -> Numbers:
    """Compute the weights of the classes in an average, from a `Table` or from `ClassSums`."""
    if average != "macro":
        predictions = table.hits + table.distributed_false_positives
        return (predictions if average == "bias" else table.reference_totals) / table.total
    present = table.reference_totals > 0
    return present / np.count_nonzero(present, axis=0)


def nit(table: Table, *, zero_division: ZeroDivision = "warn") -> float:
    """Compute 2^MI / k: at most 1, and 1/k if the predictions tell nothing about the references.

    If there is only one class, NIT is 1.0 by definition, and with `zero_division` "warn" a warning
    is issued. With nan, it is nan.
    """
    check_zero_division(zero_division, 1.0)
    k = table.n_classes
    undefined = value_if_undefined(ONLY_ONE_CLASS if k == 1 else "", 1.0, zero_division, table)
    value = min(float(np.exp2(mutual_information(table))) / k, 1.0)
    return value if undefined is None else undefined


def mutual_information(table: Table) -> float:
    """Compute the mutual information in bits.

    In nats it is the sum of p ln(p/e) - (p - e) over all cells, with e = pi beta. No term is
    negative, so terms do not cancel.
    """
    n, shares = table.total, table.counts / table.total
    large = shares > 1e-300  # smaller shares add nothing, and their quotients may overflow
    i, j, p = table.rows[large], table.columns[large], shares[large]
    r, c = table.reference_totals, table.prediction_totals
    expected = r[i] / n * (c[j] / n)
    terms = p * np.log(table.counts[large] / r[i] / (c[j] / n)) - (p - expected)
    no_empty_cells = len(p) == np.count_nonzero(r) * np.count_nonzero(c)
    empty = 0.0 if no_empty_cells else max(1 - float(expected.sum()), 0.0)  # an empty cell adds e
    return max(float(terms.sum()) + empty, 0.0) / math.log(2)


def check_zero_division(value: Any, stand_in: float) -> None:
    """Raise ValueError unless `zero_division` is "warn", nan or `stand_in`.

    `stand_in` is the value that the score has by default if it is undefined.
    """
    is_warn = isinstance(value, str) and value == "warn"
    if not is_warn and (not is_real(value) or (value != stand_in and value == value)):
        raise ValueError(f'`zero_division` must be "warn", {stand_in} or nan, got {show(value)}')


def why_one_class(title: str, value: float, table: Table, totals: Numbers, name: str) -> str:
    """Explain that a score is undefined because one class has all of `totals`; "" otherwise.

    `name` says whether `totals` are those of the references or of the predictions.
    """
    if np.count_nonzero(totals) != 1:
        return ""
    label = show(table.labels[int(np.argmax(totals))])
    return f"all {name} are {label}: {title} is undefined. {value} is returned instead."


def value_if_undefined(why: str, value: float, zero_division: Any, table: Table) -> float | None:
    """Return the value of an undefined score; None if the score is defined (`why` is empty).

    If `zero_division` is a number, it is the value. With "warn" the value is `value`, and a warning
    is issued. A single sample leads to a warning of its own, unless the score is undefined and
    `zero_division` is a number.
    """
    if why and not isinstance(zero_division, str):
        return float(zero_division)
    why_one = "one sample scores the same, right or wrong, so a mean of scores is meaningless"
    if reason := f"{why_one}. Score all samples at once." if table.n_samples == 1 else why:
        warn(reason, UndefinedMetricWarning)
    return value if why else None


def warn_of_absent(title: str, table: Table, names: Any, scored: Table, average: Any) -> None:
    """Warn of predicted classes without references.

    If more than 5% of the predictions are of such classes, the warning also gives the score with
    these classes counted as out of class, unless `average` is None. `names` are the names of
    references and predictions in messages. `scored` is `table`, or `table` reweighted to a prior.
    """
    is_absent = table.is_class & (table.reference_totals == 0) & (table.prediction_totals > 0)
    if not is_absent.any():
        return
    absent = [show(label) for label in labels_at(table, is_absent)]
    listed = ", ".join(absent[:5] + ["..."] * (len(absent) > 5))
    message = f"classes of the {names[1]} that the {names[0]} lack count as 0 in {title}: {listed}"
    share = float(table.prediction_totals[is_absent].sum() / table.total)
    if average is not None and share > 0.05:
        other_value = mean_gain(replace(scored, is_declared=False, class_mask=None), average)
        remedy = "leave out" if table.is_declared else 'pass unknown="wrong", and the others in'
        message = f"{share:.1%} of the predictions are {listed}, which no reference has: {title} "
        message += f"is {mean_gain(scored, average):.3f}; if such labels are not classes, {remedy} "
        message += f"`labels`: the score is then {other_value:.3f}"
    warn(message, UndefinedMetricWarning)


def shares_of(prior: Any) -> dict[Any, float]:
    """Convert a mapping or Series of shares or counts to the share of each class."""
    if not hasattr(prior, "items"):
        wanted = "map each class to its share or count, for example {'a': 0.5, 'b': 0.5}"
        raise ValueError(f"`prior` must {wanted}, got {show(prior)}")
    for label, share in prior.items():
        if not is_real(share) or (hasattr(share, "numerator") and not -1e307 < share < 1e307):
            raise ValueError(f"`prior` must hold numbers, got {show(share)} for {show(label)}")
    shares = {label: float(share) for label, share in prior.items()}
    are_counts = any(shares.values()) and all(map(float.is_integer, shares.values()))
    total = sum(shares.values()) if are_counts else 1.0
    return {label: share / total for label, share in shares.items()}


def read_prior(prior: Any, table: Table) -> Numbers:
    """Read the prior of each label of a table, rescaled to the classes that have references.

    The result has shape (k,), with nan for labels without references.
    """
    shares = shares_of(prior)
    observed = dict.fromkeys(labels_at(table, table.reference_totals > 0))
    classes = labels_at(table, table.is_class)
    if missing := sorted(observed.keys() - shares.keys()):
        label = show(missing[0])
        raise ValueError(f"`prior` must cover every class in the references; {label} is missing")
    for label, share in shares.items():
        if not (0 < share < 1 or (share == 0 and label not in observed)):
            wanted = "hold shares strictly between 0 and 1, or counts above 0, for every class"
            raise ValueError(f"`prior` must {wanted}, got {show(prior[label])} for {show(label)}")
        if label not in classes:
            wanted = f"name classes of the references, got {show(label)}"
            raise ValueError(f"`prior` must {wanted}. If it is a class, list it in `labels`")
    total = math.fsum(shares.values())
    if abs(total - 1) > 1e-6:
        raise ValueError(f"`prior` must sum to 1, or hold counts, got a sum of {total!r}")
    if unused := sorted(shares.keys() - observed.keys()):
        dropped = f"classes without references, which were dropped: {', '.join(map(show, unused))}"
        warn(f"`prior` has {dropped}. The other shares were rescaled to sum to 1.")
    by_class = np.full(len(table.labels), np.nan)
    by_class[table.reference_totals > 0] = [shares[label] for label in observed]
    return by_class / np.nansum(by_class)


def reweight(table: Table, shares: Numbers) -> Table:
    """Scale the rows of a table so that the classes have these shares of the references."""
    counts = table.counts * (shares * table.total / table.reference_totals)[table.rows]
    return replace(table, counts=counts, squared_weights=None, n_samples=None)
