"""Tensors of torch as inputs, and as what is refused; none where torch is not installed."""

try:
    import torch
except ImportError:  # beside the lowest versions that pyproject.toml allows
    MAKERS, FLAT, LABELS, NO_LABELS, NO_WEIGHTS = [], {}, {}, {}, {}
else:
    MAKERS = [torch.tensor]
    TYPES = torch.int64, torch.uint8, torch.float16, torch.float32, torch.float64
    FLAT = {
        **{f"{d}": lambda values, d=d: torch.tensor(values, dtype=d) for d in TYPES},
        "torch, tracking gradients": lambda values: torch.tensor(
            list(map(float, values)), requires_grad=True
        ),
        "list of 0-d tensors": lambda values: list(torch.tensor(values)),
    }
    LABELS = FLAT | {
        "torch column": lambda values: torch.tensor(values)[:, None],
        "list of 0-d bfloat16 tensors": lambda v: list(torch.tensor(v, dtype=torch.bfloat16)),
        "list of 0-d tensors, tracking gradients": lambda values: list(
            FLAT["torch, tracking gradients"](values)
        ),
    }
    NO_LABELS = {
        "logits of torch": (torch.ones(6, 3), r"got an array of shape \(6, 3\).*argmax"),
        "one logit of torch": (torch.full((6, 1), 0.5), "got 0.5 at .* score.*For logits"),
        "list with a score of torch": ([*torch.ones(5), torch.tensor(0.5)], "got .*0.5.* score"),
        "torch sparse": (torch.tensor([0, 1, 2, 1, 0, 2]).to_sparse(), "[Ss]parse"),
        "torch without data": (torch.ones(6, device="meta"), "meta"),
        "torch bfloat16": (torch.ones(6, dtype=torch.bfloat16), "BFloat16"),
    }
    NO_WEIGHTS = {"torch bfloat16": NO_LABELS["torch bfloat16"]}
