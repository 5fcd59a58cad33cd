"""Informedness and NIT as torchmetrics metrics, for Lightning and other PyTorch loops.

    from informedness.torchmetrics import Informedness, NIT

The state is the k x k table of counts, which adds up over batches and processes; the scores are
computed from it as everywhere else, in float64.
"""

import math
from typing import Any, ClassVar, Literal

from .core.labels import show
from .core.scores import Average
from .errors import needing
from .logits import argmax, decisions, warn_of_missing
from .statistics.registry import averaged_score
from .tables.label_options import check_threshold
from .tables.tally import NO_ANSWER, table_of_counts
from .warnings import collected, issue_once

with needing("informedness.torchmetrics needs torchmetrics", "informedness[torchmetrics]"):
    import torch
    from torchmetrics import Metric


class _ScoreOfCounts(Metric):
    """A score of the table that all batches add up to; a subclass says which."""

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
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if type(num_classes) is not int or num_classes < 2:
            raise ValueError(f"`num_classes` must be an integer above 1, got {show(num_classes)}")
        if not (ignore_index is None or type(ignore_index) is int):
            raise ValueError(f"`ignore_index` must be an integer or None, got {show(ignore_index)}")
        check_threshold(threshold)
        if threshold is not None and num_classes != 2:
            rule = f"left out unless `num_classes` is 2, got {threshold} with {num_classes}"
            raise ValueError(f"`threshold` must be {rule}: the highest score counts")
        self._score = averaged_score(self.metric, average)
        self._warned_kinds: set[str] = set()
        self.num_classes = num_classes
        self.ignore_index = ignore_index
        self.average = average
        self.threshold = threshold
        # A MetricCollection lets metrics share one state if its name and value are equal after the
        # first batch: metrics that read batches differently must not.
        self._state = f"counts_without_{ignore_index}_above_{threshold}".replace(".", "_")
        zeros = torch.zeros(num_classes, num_classes + 1, dtype=torch.int64)
        self.add_state(self._state, zeros, dist_reduce_fx="sum")

    @property
    def counts(self) -> Any:
        """The k x k counts so far, int64: rows are targets, columns predictions.

        Predictions that are missing are not among them.
        """
        return getattr(self, self._state)[:, :-1]

    def update(self, preds: torch.Tensor, target: torch.Tensor) -> None:
        """Count a batch.

        Parameters
        ----------
        preds : tensor
            Class ids with the shape of `target`, or scores of shape (N, C, ...), of which the
            highest counts: tokens, too, have their classes in dimension 1. For two classes and with
            a `threshold`, also one score per sample. A prediction is missing, and counts as a wrong
            answer, where a score is nan, none of a sample is finite, or several are inf.
        target : tensor of shape (N, ...)
            Class ids.

        Raises
        ------
        ValueError
            If shapes do not fit, an id is not in range(num_classes), or there is one score per
            sample but no `threshold`; none of the batch is counted.
        """
        k = self.num_classes
        for name, tensor in (("preds", preds), ("target", target)):
            if not isinstance(tensor, torch.Tensor) or tensor.is_complex():
                raise ValueError(f"`{name}` must be a tensor of real numbers, got {show(tensor)}")
        if target.is_floating_point():
            raise ValueError(f"`target` must hold class ids (integers), got {target.dtype}")
        is_counted = torch.ones_like(target, dtype=torch.bool)
        if self.ignore_index is not None:
            is_counted = target.ne(self.ignore_index)
        ids, target = self._ids(preds, target)[is_counted], target[is_counted].long()
        is_missing = ids == NO_ANSWER
        for name, tensor in (("preds", ids[~is_missing]), ("target", target)):
            outside = tensor[(tensor < 0) | (tensor >= k)]
            if len(outside):
                raise ValueError(f"`{name}` must hold ids in range({k}), got {int(outside[0])}")
        cells = target * (k + 1) + ids.masked_fill(is_missing, k)
        counts = torch.bincount(cells, minlength=k * (k + 1)).reshape(k, k + 1)
        setattr(self, self._state, getattr(self, self._state) + counts)

    def _ids(self, preds: torch.Tensor, target: torch.Tensor) -> Any:
        """Return predictions as ids of the shape of the target."""
        shape, dtype = tuple(preds.shape), preds.dtype
        if preds.shape == target.shape:
            if not preds.is_floating_point():
                return preds.long()
            if self.num_classes != 2:
                forms = f"ids (integers) or {self.num_classes} scores per sample in dimension 1"
                raise ValueError(f"`preds` must hold {forms}, got {dtype} of {shape}")
            if self.threshold is None:
                rule = f"`threshold` must be given if `preds` holds one score per sample, {dtype}"
                raise ValueError(f"{rule}: 0.5 for probabilities, 0.0 for logits")
            return decisions(preds[..., None], self.threshold)[..., 0]
        if shape != (*target.shape[:1], self.num_classes, *target.shape[1:]):
            form = f"the shape of `target`, {tuple(target.shape)}, with or without a dimension 1"
            remedy = "move the classes there, for example with preds.movedim(-1, 1)"
            raise ValueError(
                f"`preds` must have {form} of {self.num_classes} classes, got {shape}: {remedy}"
            )
        if not preds.is_floating_point():
            raise ValueError(f"`preds` must hold scores (floats) for its classes, got {dtype}")
        if self.threshold is not None:
            rule = f"`preds` must hold one score per sample if `threshold` is given, got {shape}"
            raise ValueError(f"{rule}: pass preds[:, 1], or no threshold to count the higher score")
        return argmax(preds.movedim(1, -1))

    def compute(self) -> torch.Tensor:
        """Return the score in float64, or float32 on a device without it; nan without samples."""
        # Apple's devices have no float64
        device = self.counts.device
        dtype = torch.float32 if device.type == "mps" else torch.float64
        value = [math.nan] * self.num_classes if self.average is None else math.nan
        counts = getattr(self, self._state).cpu().numpy()
        if counts.any():
            with collected() as notes:
                warn_of_missing(counts[:, -1].sum(), counts.sum())
                value = self._score.value(table_of_counts(counts))
            issue_once(notes, self._warned_kinds)
        return torch.tensor(value, dtype=dtype, device=device)

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Draw the score, or several of `forward`, as other metrics of torchmetrics do."""
        return self._plot(val, ax)

    def set_dtype(self, dst_type: Any) -> Any:
        """Keep the counts as integers: half precision could not count beyond 2048."""
        return self


class Informedness(_ScoreOfCounts):
    """Multi-class Bookmaker Informedness: best 1, chance 0.

    Parameters
    ----------
    num_classes : int
        Class ids are in range(num_classes). The state takes about 8 num_classes² bytes; for
        thousands of classes, `informedness.Tally` holds only the pairs that occur.
    ignore_index : int, optional
        Drops the samples whose *target* equals it, for example -100 on padded tokens.
    average : {"bias", "prevalence", "macro"} or None
        As in `informedness_score`, by default "bias"; None gives a vector with one value per class.
    threshold : float, optional
        For two classes and one score per sample: class 1 is predicted above it. It is never
        guessed.
    **kwargs
        Options of every torchmetrics metric, for example `dist_sync_on_step`.

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
    """Normalised Information Transfer: chance 1 / num_classes, best 1.

    Parameters
    ----------
    num_classes, ignore_index, threshold
        As in `Informedness`. All classes count in k, even those that do not occur. There is no
        `average`.
    **kwargs
        Options of every torchmetrics metric.
    """

    metric = "nit"
    plot_lower_bound: float = 0.0
