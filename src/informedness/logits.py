"""Read model outputs batch by batch, and predict the classes with the highest scores.

The outputs may be numpy arrays or torch tensors. Tensors of predictions stay on their device, and
torch is not imported.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from .core.labels import Numbers, as_array, show, warn
from .tables.contingency import MISSING

_MAX_SCORES = 2**23  # limit on scores read again on an accelerator, in case the highest is inf
_MAX_CLASSES = 1000  # limit on columns taken for classes if `config.num_labels` differs
SELECT_REMEDY = "select logits in `preprocess_logits_for_metrics`, and references in `label_names`"
DECODE_REMEDY = "generated ids need `batch_decode` first, see Generated text in docs/evaluate.md"


def read_batches(eval_prediction: Any) -> Iterator[tuple[Any, Numbers]]:
    """Yield pairs of predictions and references, by batch or all at once.

    Tensors of predictions stay on their device. If predictions are a tuple, its first element is
    used.

    Raises
    ------
    ValueError
        If the input is neither an EvalPrediction nor a pair, if the predictions or the references
        are not an array or a list, or if their numbers of batches differ.
    """
    if hasattr(eval_prediction, "label_ids"):
        pair = eval_prediction.predictions, eval_prediction.label_ids
    elif isinstance(eval_prediction, (tuple, list)) and len(eval_prediction) == 2:
        pair = tuple(eval_prediction)
    else:
        expected = "an EvalPrediction or (predictions, references)"
        raise ValueError(f"`eval_prediction` must be {expected}, got {show(eval_prediction)}")
    for predictions, references in zip(*pair, strict=True) if _are_batches(pair[1]) else [pair]:
        logits = predictions[0] if isinstance(predictions, tuple) else predictions
        if not is_tensor(logits):
            logits = _read_array(logits, "predictions")
        if is_tensor(references) and is_float(references):
            references = references.float()  # numpy has no bfloat16
        yield logits, _read_array(references, "references")


def _are_batches(references: Any) -> bool:
    """Check whether references are a list of batches, which are arrays or tuples of arrays."""
    first = references[0] if isinstance(references, list) and references else None
    return bool(getattr(first, "shape", ())) or _are_arrays(first)  # the shape of a number is ()


def _are_arrays(values: Any) -> bool:
    """Check whether values are a tuple of arrays, as models with several heads return."""
    return isinstance(values, tuple) and bool(values) and bool(getattr(values[0], "shape", ()))


def _read_array(values: Any, name: str) -> Numbers:
    """Convert values to an array; raise ValueError for None, a number or several arrays."""
    if _are_arrays(values):
        raise ValueError(f"{name} must be one array, got a tuple of {len(values)}: {SELECT_REMEDY}")
    if values is None and name == "references":
        hint = "Name their column in `label_names`. Pairs of preferred answers have no labels."
        raise ValueError(f"there are no references, got None. {hint}")
    array = as_array(values, name)
    if array.ndim == 0:
        raise ValueError(f"{name} must be an array or a list, got {show(values)}: {SELECT_REMEDY}")
    # numpy would turn numbers among text into text
    return np.array(values, dtype=object) if array.dtype.kind in "US" else array


def is_tensor(array: Any) -> bool:
    """Check whether an array is a torch tensor."""
    return hasattr(array, "detach")


def is_on_host(array: Any) -> bool:
    """Check whether an array or tensor is in main memory, not on an accelerator."""
    return not is_tensor(array) or bool(array.device.type == "cpu")


def is_float(array: Any) -> bool:
    """Check whether an array or tensor has a floating-point type."""
    return "float" in str(array.dtype)


def align_predictions(predictions: Any, references: Numbers) -> tuple[Any, Numbers, range | None]:
    """Reduce predictions to one id or score per reference.

    Also return the references in the same shape, and the range of possible ids. The range is None
    unless the predictions are logits with several columns.

    Raises
    ------
    ValueError
        As in `has_classes`. Also if the shapes do not match, or if samples could have several
        labels. Also if the last axis holds several classes and the predictions have dtype object.
    """
    if references.ndim == 2 and references.shape[1] == 1 and predictions.ndim < 3:
        references = references[:, 0]
    has_columns = has_classes(predictions, references.shape)
    if has_columns and predictions.shape[-1] == 1:
        return predictions.reshape(-1), references.reshape(-1), None
    if has_columns and is_float(predictions):
        return argmax(predictions), references, range(predictions.shape[-1])
    if has_columns and str(predictions.dtype) == "object":
        raise ValueError("predictions must be floats, got dtype object: use .astype(float)")
    _check_shapes(predictions, references)
    return predictions, references, None


def _check_shapes(predictions: Any, references: Numbers) -> None:
    """Raise ValueError if shapes differ, or for floats with several axes."""
    if predictions.shape != references.shape:
        if len(predictions) != len(references):
            sizes = f"predictions ({len(predictions)}) and references ({len(references)})"
            raise ValueError(f"Mismatch in the number of {sizes}")
        rule = "must be floats with one axis more than the references, or ids in their shape"
        got = f"{predictions.dtype} of shapes {tuple(predictions.shape)} and {references.shape}"
        raise ValueError(f"predictions {rule}, got {got}: {SELECT_REMEDY}; {DECODE_REMEDY}")
    if predictions.ndim > 1 and (is_float(predictions) or is_float(references)):
        shapes = f"arrays of one shape, {references.shape}, could be several labels or tokens"
        remedies = "For several labels pass multilabel=True. Take the argmax of one-hot references."
        raise ValueError(f"{shapes}. {remedies} Flatten arrays of tokens.")


def has_classes(predictions: Any, shape: tuple[int, ...]) -> bool:
    """Check whether predictions have the axes of the references, and a last axis of classes.

    `shape` is the shape of the references.

    Raises
    ------
    ValueError
        If the classes are in the second axis, or if this is possible with more than three axes.
    """
    full_shape = tuple(predictions.shape)
    is_last = full_shape[:-1] == shape
    is_second = len(full_shape) > 2 and (full_shape[0], *full_shape[2:]) == shape
    if is_second and (len(full_shape) > 3 or not is_last):
        rule = f"the classes in the last axis, got shape {full_shape} for references of {shape}"
        raise ValueError(f"predictions must have {rule}. Move the classes last, then flatten both.")
    return is_last


def check_no_vocabulary(n_columns: int, references: Numbers, config: Any) -> None:
    """Raise ValueError if logits appear to be scores of tokens, not of the configured classes."""
    is_padded = references.ndim > 1 or bool(np.any(references == -100))
    if is_padded or n_columns > _MAX_CLASSES or n_columns == getattr(config, "vocab_size", None):
        counts = f"logits have {n_columns} columns and `config.num_labels` is {config.num_labels}"
        remedy = "Keep the logits of the position that predicts the answer, and of its choices"
        raise ValueError(f"{counts}, as in a language model. {remedy}; {DECODE_REMEDY}")


def argmax(logits: Any) -> Any:
    """Find the id of the highest score in the last axis, or the first id if scores are equal.

    The id is `MISSING` if a score is nan, if no score is finite, or if several scores are inf.

    On an accelerator, this function does not wait for values. It therefore reads up to
    `_MAX_SCORES` scores again, and at least one sample, beginning with the samples whose highest
    score is inf. The ids of further such samples are `MISSING`.
    """
    # The highest score is nan if a score is nan.
    highest, ids = logits.max(-1) if is_tensor(logits) else (logits.max(-1), logits.argmax(-1))
    has_answer = (abs(highest) < math.inf).reshape(-1)
    if is_on_host(ids) and has_answer.all():
        return ids

    # An infinite score is a prediction if all other scores are finite or -inf, and one is finite.
    is_infinite = (highest == math.inf).reshape(-1)
    samples = logits.reshape(-1, logits.shape[-1])
    positions = _positions_of(is_infinite, samples.shape[-1])
    scores = samples[positions]
    is_single = (scores == math.inf).sum(-1) == 1
    has_finite = (abs(scores) < math.inf).any(-1)
    has_answer[positions] |= is_infinite[positions] & is_single & has_finite
    return _set_missing(ids, ~has_answer.reshape(ids.shape))


def _positions_of(flags: Any, n_scores: int) -> Any:
    """Find the positions of true flags; on an accelerator, a fixed number of positions.

    `n_scores` is the number of scores at each position.
    """
    if not is_tensor(flags):
        return np.flatnonzero(flags)
    if is_on_host(flags):
        return flags.nonzero()[:, 0]
    # To count the true flags, this function would have to wait for the device.
    return flags.int().topk(min(len(flags), max(1, _MAX_SCORES // n_scores))).indices


def _set_missing(ids: Any, is_missing: Any) -> Any:
    """Replace the ids of missing predictions by `MISSING`."""
    if is_tensor(ids):
        return ids.masked_fill(is_missing, MISSING)
    return np.where(is_missing, MISSING, ids)


def argmax_logits(logits: Any, labels: Any) -> Any:
    """Reduce logits to classes, for `Trainer(preprocess_logits_for_metrics=...)`.

    The Trainer then gathers one id per sample or token instead of its logits. If logits are a
    tuple, its first element is used. Logits with a single column are not changed, and neither are
    logits in the shape of the labels, because samples may have several labels. The id is -2**30 if
    a score is nan, if no score is finite, or if several scores are inf. `ComputeMetrics` treats
    such predictions as missing.

    Raises
    ------
    ValueError
        As in `has_classes`.

    Examples
    --------
    >>> argmax_logits(np.array([[0.1, 0.7], [0.4, 0.2]]), np.array([1, 1]))
    array([1, 0])
    """
    logits = logits[0] if isinstance(logits, tuple) else logits
    shape = tuple(getattr(labels, "shape", ()))
    if logits.ndim < 2 or logits.shape[-1] == 1 or tuple(logits.shape) == shape:
        return logits
    has_classes(logits, shape)  # raises ValueError if classes are in another axis
    return argmax(logits)


def above_threshold(scores: Any, threshold: float) -> Any:
    """Predict 1 for scores above a threshold, and otherwise 0; the last axis has the labels.

    The prediction is `MISSING` for a score of nan, and for all labels of a sample without a
    finite score.
    """
    ids = (scores > threshold) * 1
    is_finite = abs(scores) < math.inf
    if is_on_host(ids) and is_finite.all():
        return ids
    return _set_missing(ids, (scores != scores) | ~is_finite.any(-1)[..., None])


def warn_of_missing(n_missing: int, n_predictions: int) -> None:
    """Warn if predictions are missing."""
    if n_missing:
        why = "are missing, because scores are nan or infinite, and count as wrong"
        warn(f"{n_missing} of {n_predictions} predictions {why}: the model may have diverged")
