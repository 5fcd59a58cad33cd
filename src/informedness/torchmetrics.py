"""Informedness and NIT as torchmetrics metrics, for Lightning and other PyTorch loops.

    from informedness.torchmetrics import Informedness, NIT

The state is the k x k table of counts, which adds up over batches and processes; the scores are
computed from it as everywhere else, in float64.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from .core.labels import show
from .core.scores import Average
from .errors import needing
from .statistics.registry import averaged_score
from .tables.contingency import ContingencyTable
from .tables.label_options import check_threshold
from .trainer import _argmax, _check_numbers
from .warnings import collected, issue

with needing("informedness.torchmetrics needs torchmetrics", "informedness[torchmetrics]"):
    import torch
    from torchmetrics import Metric


class _ScoreOfCounts(Metric):
    """A score of the table that all batches add up to; a subclass says which."""

    is_differentiable: bool = False
    higher_is_better: bool = True
    full_state_update: bool = False

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
            said = f"left out unless `num_classes` is 2, got {threshold} with {num_classes}"
            raise ValueError(f"`threshold` must be {said}: the highest score counts")
        self._score = averaged_score(self.metric, average)
        self._said: set[str] = set()
        self.num_classes, self.ignore_index = num_classes, ignore_index
        self.average, self.threshold = average, threshold
        # A MetricCollection lets metrics share one state if its name and value are equal after the
        # first batch: metrics that read batches differently must not.
        self._state = f"counts_without_{ignore_index}_above_{threshold}".replace(".", "_")
        zeros = torch.zeros(num_classes, num_classes, dtype=torch.int64)
        self.add_state(self._state, zeros, dist_reduce_fx="sum")

    @property
    def counts(self) -> torch.Tensor:
        """The k x k counts so far, int64: rows are targets, columns predictions."""
        counts: torch.Tensor = getattr(self, self._state)
        return counts

    def update(self, preds: torch.Tensor, target: torch.Tensor) -> None:
        """Count a batch.

        Parameters
        ----------
        preds : tensor
            Class ids with the shape of `target`, or scores of shape (N, C, ...), of which the
            highest counts. For two classes and with a `threshold`, also one score per sample.
        target : tensor of shape (N, ...)
            Class ids.

        Raises
        ------
        ValueError
            If shapes do not fit, an id is not in range(num_classes), a score is nan, infinite
            scores leave open which is the highest, or there is one score per sample but no
            `threshold`; none of the batch is counted.
        """
        k = self.num_classes
        for name, tensor in (("preds", preds), ("target", target)):
            if not isinstance(tensor, torch.Tensor) or tensor.is_complex():
                raise ValueError(f"`{name}` must be a tensor of real numbers, got {show(tensor)}")
        if target.is_floating_point():
            raise ValueError(f"`target` must hold class ids (integers), got {target.dtype}")
        counted = torch.ones_like(target, dtype=torch.bool)
        if self.ignore_index is not None:
            counted = target.ne(self.ignore_index)
        ids, target = self._ids(preds, target, counted)[counted], target[counted].long()
        for name, tensor in (("preds", ids), ("target", target)):
            outside = tensor[(tensor < 0) | (tensor >= k)]
            if len(outside):
                raise ValueError(f"`{name}` must hold ids in range({k}), got {int(outside[0])}")
        cells = torch.bincount(target * k + ids, minlength=k * k).reshape(k, k)
        setattr(self, self._state, self.counts + cells)

    def _ids(
        self, preds: torch.Tensor, target: torch.Tensor, counted: torch.Tensor
    ) -> torch.Tensor:
        """Return predictions as ids of the shape of the target."""
        shape, dtype = tuple(preds.shape), preds.dtype
        if preds.shape == target.shape:
            if not preds.is_floating_point():
                return preds.long()
            if self.num_classes != 2:
                said = f"ids (integers) or {self.num_classes} scores per sample in dimension 1"
                raise ValueError(f"`preds` must hold {said}, got {dtype} of {shape}")
            if self.threshold is None:
                said = f"`threshold` must be given if `preds` holds one score per sample, {dtype}"
                raise ValueError(f"{said}: 0.5 for probabilities, 0.0 for logits")
            _check_numbers(preds.isnan(), counted)
            return (preds > self.threshold).long()
        if shape != (*target.shape[:1], self.num_classes, *target.shape[1:]):
            said = f"the shape of `target`, {tuple(target.shape)}, with or without a dimension 1"
            remedy = "move the classes there, for example with preds.movedim(-1, 1)"
            raise ValueError(
                f"`preds` must have {said} of {self.num_classes} classes, got {shape}: {remedy}"
            )
        if not preds.is_floating_point():
            raise ValueError(f"`preds` must hold scores (floats) for its classes, got {dtype}")
        if self.threshold is not None:
            said = f"`preds` must hold one score per sample if `threshold` is given, got {shape}"
            raise ValueError(f"{said}: pass preds[:, 1], or no threshold to count the higher score")
        ids: torch.Tensor = _argmax(preds.movedim(1, -1), counted)
        return ids

    def compute(self) -> torch.Tensor:
        """Return the score in float64, or float32 on a device without it; nan without samples."""
        # Apple's devices have no float64
        dtype = torch.float32 if self.counts.device.type == "mps" else torch.float64
        value = [math.nan] * self.num_classes if self.average is None else math.nan
        counts = self.counts.cpu().numpy()
        if counts.any():
            table = ContingencyTable.from_matrix(counts, labels=range(self.num_classes))
            with collected() as notes:
                value = self._score.value(table)
            issue(notes, self._said)
        return torch.tensor(value, dtype=dtype, device=self.counts.device)

    def set_dtype(self, dst_type: Any) -> Any:
        """Keep the counts as integers: half precision could not count beyond 2048."""
        return self


class Informedness(_ScoreOfCounts):
    """Multi-class Bookmaker Informedness: best 1, chance 0.

    Parameters
    ----------
    num_classes : int
        Class ids are in range(num_classes). The state takes 8 num_classes² bytes; for thousands of
        classes, `informedness.Tally` holds only the pairs that occur.
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
