"""Uncertainty adaptation: how far a Bayes factor is to be believed, judged from the two embeddings."""

from __future__ import annotations

import torch
from torch import nn

_ENTROPY = 0.105


class UncertaintyAdaptation(nn.Module):
    """A 2 × 2 confusion matrix Π[j | k] for each pair: k is what the Bayes factor says, j what holds.

    References
    ----------
    Boenninghoff, Nickel & Kolossa 2021, O2D2 (PAN at CLEF).
    """

    def __init__(self, size: int, hidden: int = 120, keep: float = 0.8) -> None:
        super().__init__()
        self.inner = nn.Linear(size, hidden)
        self.outer = nn.Linear(hidden, 4)
        self.dropout = nn.Dropout(1 - keep)

    def forward(self, y1: torch.Tensor, y2: torch.Tensor) -> torch.Tensor:
        """ln Π of each pair of embeddings (n, d): (n, 2, 2), row j (1 = same author), column k."""
        z = self.dropout((y1 - y2).square())
        logits = self.outer(self.dropout(torch.tanh(self.inner(z))))
        return logits.reshape(-1, 2, 2).double().log_softmax(dim=1)


def adapted(log_confusion: torch.Tensor, odds: torch.Tensor) -> torch.Tensor:
    """ln p(j) = ln Σ_k Π[j | k] p(k), shape (n, 2), from ln Π (n, 2, 2) and log-odds of the same author (n,)."""
    believed = torch.stack([nn.functional.logsigmoid(-odds), nn.functional.logsigmoid(odds)], dim=1)
    return torch.logsumexp(log_confusion + believed[:, None, :], dim=2)


def uncertainty_loss(log_confusion: torch.Tensor, odds: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """−ln p(truth) less .105 times the entropy of Π, mean over pairs; keeps Π from growing too sure."""
    log_p = adapted(log_confusion, odds)
    picked = log_p.gather(1, same.long()[:, None]).squeeze(1)
    negative_entropy = (log_confusion.exp() * log_confusion).sum(dim=(1, 2))
    return (_ENTROPY * negative_entropy - picked).mean()
