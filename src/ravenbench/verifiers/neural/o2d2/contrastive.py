"""The modified contrastive loss of AdHominem: two thresholds on a learned kernel of the distance."""

from __future__ import annotations

import math

import torch
from torch import nn

_UPPER, _LOWER = 0.91, 0.09


class ContrastiveKernel(nn.Module):
    """p = exp(−α (‖y1 − y2‖²)^β) with trainable α and β, which begin at .09 and 1.5 and stay positive.

    References
    ----------
    Boenninghoff, Rupp, Nickel & Kolossa 2020, Deep Bayes factor scoring for authorship verification (PAN at CLEF).
    """

    def __init__(self, alpha: float = 0.09, beta: float = 1.5) -> None:
        super().__init__()
        self.log_alpha = nn.Parameter(torch.tensor(math.log(alpha)))
        self.log_beta = nn.Parameter(torch.tensor(math.log(beta)))

    def forward(self, y1: torch.Tensor, y2: torch.Tensor) -> torch.Tensor:
        """Similarities in (0, 1], shape (n,)."""
        squared = (y1 - y2).float().square().sum(1).clamp_min(1e-12)
        return torch.exp(-self.log_alpha.exp() * squared ** self.log_beta.exp())


def contrastive_loss(p: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
    """Mean of max(.91 − p, 0)² over same-author and of max(p − .09, 0)² over different-author pairs."""
    one, two = (_UPPER - p).clamp_min(0).square(), (p - _LOWER).clamp_min(0).square()
    return torch.where(same, one, two).mean()
