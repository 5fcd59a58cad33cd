"""Informedness and NIT as torchmetrics metrics, for Lightning and other PyTorch loops.

    from informedness.torchmetrics import Informedness, NIT

The state is a table of counts, summed over batches and processes. `compute` scores the table in
float64, as everywhere in this package.
"""

import math
from typing import Any, ClassVar, Literal

import numpy as np

from .core.labels import check_choice, show
from .core.scores import Average
from .errors import optional_import
from .inference.registry import score_with_average
from .logits import above_threshold, argmax, is_on_host, warn_of_missing
from .tables.contingency import MISSING, table_of_counts
from .tables.label_options import check_threshold
from .warnings import collected, issue_once

with optional_import("informedness.torchmetrics needs torchmetrics", "torchmetrics>=1.0"):
    import torch
    from torchmetrics import Metric

# Up to this number of samples, `scatter_add_` is faster than `bincount`, and does not wait for the
# device. In larger batches many threads would add to the same bin, and the wait matters less.
_MOST_SCATTERED = 10**5


class _ScoreOfCounts(Metric):
    """Metric that scores the counts of all batches; subclasses set `metric` to a score's name."""

    is_differentiable: bool = False
    higher_is_better: bool = True
    full_state_update: bool = False
    plot_upper_bound: float = 1.0
    plot_legend_name: str = "Class"

    metric: ClassVar[str]

    def __init__(
        self,
        num_classes: int,
        ignore_index: int | None = None,
        *,
        average: Average | Literal["default"] = "default",
        threshold: float | None = None,
        unknown: Literal["error", "wrong"] = "error",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if type(num_classes) is not int or num_classes < 2:
            raise ValueError(f"`num_classes` must be an integer above 1, got {show(num_classes)}")
        if not (ignore_index is None or type(ignore_index) is int):
            raise ValueError(f"`ignore_index` must be an integer or None, got {show(ignore_index)}")
        check_threshold(threshold)
        check_choice("unknown", unknown, ("error", "wrong"))
        if threshold is not None and num_classes != 2:
            raise ValueError(f"`threshold` needs num_classes=2, got {num_classes}")
        self._score = score_with_average(self.metric, average)
        self._warned_kinds: set[str] = set()
        self.num_classes = num_classes
        self.ignore_index = ignore_index
        self.average = average
        self.threshold = threshold
        self.unknown = unknown
        # A MetricCollection shares the states of metrics if their names and values are equal after
        # the first batch. The name therefore lists the options that affect the counts.
        name = f"counts_without_{ignore_index}_above_{threshold}_unknown_{unknown}"
        self._state = name.replace(".", "_")
        # The last row counts targets out of range. The last two columns count missing predictions
        # and out-of-class predictions.
        zeros = torch.zeros(num_classes + 1, num_classes + 2, dtype=torch.int64)
        self.add_state(self._state, zeros, dist_reduce_fx="sum")

    @property
    def counts(self) -> Any:
        """Counts of all batches, an int64 tensor with targets in rows and predictions in columns.

        Its shape is (num_classes, num_classes). Missing and out-of-class predictions are not
        included, and neither are targets out of range.
        """
        return getattr(self, self._state)[:-1, :-2]

    def update(self, preds: torch.Tensor, target: torch.Tensor) -> None:
        """Count a batch.

        Parameters
        ----------
        preds : tensor
            Class ids with the shape of `target`, or scores of shape (N, C, ...). The class with
            the highest score is predicted. Scores of tokens also have the classes in dimension 1.
            With `threshold`, scores have the shape of `target`, one per sample. A prediction is
            missing, and counts as wrong, if a score of the sample is nan, no score is finite, or
            several scores are inf.
        target : tensor of shape (N, ...)
            Class ids.

        Raises
        ------
        ValueError
            If an argument is not a tensor of the right type, if shapes do not match, if `preds` has
            one score per sample without `threshold` or several with it, or if an id is not in
            range(num_classes). The batch is then not counted. With unknown="wrong", predicted ids
            may be out of range. The ids of samples with the target `ignore_index` are not checked.
            On an accelerator, `update` does not check ids, because it would have to wait for them.
            Instead, `compute` raises an error for ids out of range until `reset` is called.
        """
        for name, tensor in (("preds", preds), ("target", target)):
            if not isinstance(tensor, torch.Tensor) or tensor.is_complex():
                raise ValueError(f"`{name}` must be a tensor of real numbers, got {show(tensor)}")
        if target.is_floating_point():
            raise ValueError(f"`target` must hold class ids (integers), got {target.dtype}")
        counts = self._count(self._ids(preds, target).flatten(), target.flatten().long())
        if is_on_host(counts):
            self._check_ids(counts)
        setattr(self, self._state, getattr(self, self._state) + counts)

    def _count(self, ids: Any, target: Any) -> Any:
        """Count a batch. Small batches do not wait for an accelerator, except devices of Apple."""
        k, shape = self.num_classes, getattr(self, self._state).shape
        columns = ids.masked_fill((ids < 0) | (ids >= k), k + 1).masked_fill(ids == MISSING, k)
        cells = target.masked_fill((target < 0) | (target >= k), k) * shape[1] + columns
        n_cells = shape.numel()
        if self.ignore_index is not None:
            cells = cells.masked_fill(target == self.ignore_index, n_cells)  # removed below
        # Devices of Apple cannot scatter 64-bit integers.
        if is_on_host(cells) or cells.device.type == "mps" or len(cells) > _MOST_SCATTERED:
            counts = torch.bincount(cells, minlength=n_cells + 1)
        else:
            counts = torch.zeros(n_cells + 1, dtype=torch.int64, device=cells.device)
            counts.scatter_add_(0, cells, torch.ones_like(cells))
        return counts[:n_cells].reshape(shape)

    def _check_ids(self, counts: Any) -> None:
        """Raise ValueError if the counts include ids that are not in range(num_classes).

        With unknown="wrong", predicted ids are not checked.
        """
        n_out_of_range = {"target": counts[-1].sum()}
        if self.unknown == "error":
            n_out_of_range["preds"] = counts[:, -1].sum()
        for name, n in n_out_of_range.items():
            if n:
                got = f"{n} of {counts.sum()} are outside"
                raise ValueError(f"`{name}` must hold ids in range({self.num_classes}), but {got}")

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Count a batch, and return the score of this batch, as all metrics of torchmetrics do.

        A batch that raises ValueError is not counted.
        """
        before = vars(self).copy()
        try:
            return super().forward(*args, **kwargs)
        except ValueError:
            vars(self).update(before)  # `forward` has replaced the state by that of the batch
            raise

    def _ids(self, preds: torch.Tensor, target: torch.Tensor) -> Any:
        """Convert predictions to class ids with the shape of `target`."""
        k, shape, is_float = self.num_classes, tuple(preds.shape), preds.is_floating_point()
        if preds.shape == target.shape:
            if not is_float:
                return preds.long()
            if self.threshold is None:
                rule = f"must hold ids or {k} scores in dimension 1, got {preds.dtype} of {shape}"
                remedy = "For two classes pass a `threshold`: 0.5 for probabilities, 0.0 for logits"
                raise ValueError(f"`preds` {rule}. {remedy}")
            return above_threshold(preds[..., None], self.threshold)[..., 0]
        if shape != (*target.shape[:1], k, *target.shape[1:]):
            got = f"{k} classes in dimension 1, got {shape} and {tuple(target.shape)}"
            remedy = "Move classes in the last dimension there with preds.movedim(-1, 1)."
            if shape == (*target.shape, 1):
                remedy = f"Drop the dimension of 1 with preds.squeeze({target.ndim})."
            raise ValueError(f"`preds` must have the shape of `target`, or {got}. {remedy}")
        if not is_float:
            raise ValueError(f"`preds` must hold scores (floats), got {preds.dtype}")
        if self.threshold is not None:
            remedy = "Pass preds[:, 1], or no threshold to predict the class with the higher score."
            raise ValueError(f"`threshold` needs one score per sample, got {shape}. {remedy}")
        return argmax(preds.movedim(1, -1))

    def compute(self) -> torch.Tensor:
        """Compute the score of all batches in float64; it is nan without samples.

        The result is float32 on devices of Apple, which do not support float64.

        Raises
        ------
        ValueError
            If ids that `update` did not check are out of range.

        Warns
        -----
        InformednessWarning
            If predictions are missing because of scores. Also as in `informedness_score` or
            `nit_score`. Each kind of warning is issued only once.
        """
        device = self.counts.device
        dtype = torch.float32 if device.type == "mps" else torch.float64
        value = [math.nan] * self.num_classes if self.average is None else math.nan
        counts = getattr(self, self._state).cpu().numpy()
        self._check_ids(counts)
        if counts.any():
            with collected() as notes:
                warn_of_missing(counts[:, -2].sum(), counts.sum())
                # Number of predictions of each target that are missing or out of class.
                wrong = counts[:-1, -2:].sum(axis=1, keepdims=True)
                value = self._score.value(table_of_counts(np.hstack([counts[:-1, :-2], wrong])))
            issue_once(notes, self._warned_kinds)
        return torch.tensor(value, dtype=dtype, device=device)

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot the score, or values that `forward` returned, as other metrics of torchmetrics do.

        `val` is a value or a list of values, by default the result of `compute`. `ax` is the
        matplotlib axes to draw on.
        """
        return self._plot(val, ax)

    def set_dtype(self, dst_type: Any) -> Any:
        """Keep the counts as integers, because half precision cannot count beyond 2048."""
        return self


class Informedness(_ScoreOfCounts):
    """Multi-class Bookmaker Informedness, from -1 to 1; a perfect model scores 1, guessing 0.

    Parameters
    ----------
    num_classes : int
        Number of classes; class ids are in range(num_classes). The state takes about
        8 num_classes² bytes. For thousands of classes use `informedness.Tally`, which stores only
        the pairs that occur.
    ignore_index : int, optional
        Target of samples to leave out, for example -100 for padding tokens.
    average : {"bias", "prevalence", "macro"} or None
        As in `informedness_score`, by default "bias". With None, `compute` returns a vector with
        one value per class.
    threshold : float, optional
        Predict class 1 for scores above the threshold, if there are two classes and one score per
        sample. There is no default, because probabilities need 0.5 and logits 0.0.
    unknown : {"error", "wrong"}
        Whether predicted ids outside range(num_classes), such as -1, raise an error or count as
        wrong. Targets outside the range, except `ignore_index`, always raise an error.
    **kwargs
        Options of all metrics of torchmetrics, for example `dist_sync_on_step`.

    Examples
    --------
    >>> import torch
    >>> metric = Informedness(num_classes=3)
    >>> metric.update(torch.tensor([0, 1]), torch.tensor([0, 1]))
    >>> metric.update(torch.tensor([2, 1]), torch.tensor([2, 2]))
    >>> metric.compute()
    tensor(0.7083, dtype=torch.float64)
    """

    metric = "informedness"
    plot_lower_bound: float = -1.0


class NIT(_ScoreOfCounts):
    """Normalised Information Transfer: at most 1; guesses score 1 / num_classes.

    Parameters
    ----------
    num_classes, ignore_index, threshold, unknown
        As in `Informedness`. The number of classes k includes classes that do not occur. NIT does
        not support `average`.
    **kwargs
        Options of all metrics of torchmetrics.
    """

    metric = "nit"
    plot_lower_bound: float = 0.0
