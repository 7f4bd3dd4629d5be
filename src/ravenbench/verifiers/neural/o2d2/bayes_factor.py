"""Bayes factors of the two-covariance model: do two vectors share the author's mean?"""

from __future__ import annotations

import torch
from torch import nn

_FLOOR = 1e-6


def log_bayes_factor(
    x1: torch.Tensor, x2: torch.Tensor, mean: torch.Tensor, between: torch.Tensor, within: torch.Tensor
) -> torch.Tensor:
    """ln p(x1, x2 | one author) − ln p(x1) p(x2), shape (n,).

    An author's mean is N(mean, between⁻¹), a vector of the author N(author's mean, within⁻¹). With Ã = (B + 2W)⁻¹ and
    G̃ = (B + W)⁻¹ the log ratio is

        x1ᵀWÃWx2 + ½ Σ xᵀW(Ã − G̃)Wx + (x1 + x2)ᵀW(Ã − G̃)Bμ + ½ (Bμ)ᵀ(Ã − 2G̃)Bμ + ½ μᵀBμ
        + ½ ln|Ã| − ln|G̃| − ½ ln|B|.

    The constant is that of the model. The code published with O2D2 has 2 ln|G̃| − ln|B| − ln|Ã| + μᵀBμ in its
    place: signs turned round and halves lost, so that its scores are no Bayes factors.

    Parameters
    ----------
    x1, x2 : (n, d)
    mean : (d,)
    between, within : (d, d)
        Precisions B and W.

    References
    ----------
    Brümmer & de Villiers 2010, The speaker partitioning problem; Boenninghoff, Nickel & Kolossa 2021, O2D2:
    Out-of-distribution detector to capture undecidable trials in authorship verification (PAN at CLEF).
    """
    both = torch.linalg.inv(between + 2 * within)
    apart = torch.linalg.inv(between + within)
    centre = between @ mean
    cross = within @ both @ within
    own = within @ (both - apart) @ within
    linear = within @ (both - apart) @ centre
    constant = (
        0.5 * centre @ (both - 2 * apart) @ centre
        + 0.5 * mean @ centre
        - 0.5 * torch.logdet(between + 2 * within)
        + torch.logdet(between + within)
        - 0.5 * torch.logdet(between)
    )
    return (
        ((x1 @ cross) * x2).sum(1)
        + 0.5 * (((x1 @ own) * x1).sum(1) + ((x2 @ own) * x2).sum(1))
        + (x1 + x2) @ linear
        + constant
    )


class TwoCovariance(nn.Module):
    """The model with learned mean and precisions, each L Lᵀ + 10⁻⁶ I with a positive diagonal of L.

    Computed in double precision whatever the network is in: determinants and differences of inverses ask for it.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.mean = nn.Parameter(torch.zeros(size))
        self.between = nn.Parameter(torch.randn(size, size) * 0.01)
        self.within = nn.Parameter(torch.randn(size, size) * 0.01)

    def forward(self, x1: torch.Tensor, x2: torch.Tensor) -> torch.Tensor:
        """Log Bayes factors, (n,) double."""
        with torch.autocast(x1.device.type, enabled=False):
            parts = (self.mean.double(), _precision(self.between.double()), _precision(self.within.double()))
            return log_bayes_factor(x1.double(), x2.double(), *parts)


def _precision(free: torch.Tensor) -> torch.Tensor:
    lower = torch.tril(free, -1) + torch.diag_embed(free.diagonal().exp())
    return lower @ lower.T + _FLOOR * torch.eye(len(free), dtype=free.dtype, device=free.device)
