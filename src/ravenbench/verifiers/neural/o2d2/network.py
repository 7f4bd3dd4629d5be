"""O2D2's network: AdHominem, Bayes factor scoring and uncertainty adaptation, trained side by side."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from ravenbench.topics import devices
from ravenbench.types import Floats
from ravenbench.verifiers.neural.o2d2.adhominem import AdHominem, Shared, Sizes
from ravenbench.verifiers.neural.o2d2.bayes_factor import TwoCovariance
from ravenbench.verifiers.neural.o2d2.contrastive import ContrastiveKernel, contrastive_loss
from ravenbench.verifiers.neural.o2d2.uncertainty import UncertaintyAdaptation, adapted, uncertainty_loss

_FACTORS = 40
_KEEP = 0.8


class O2D2Network(nn.Module):
    """The whole network; each of three losses trains its own part, and no gradient goes back into the part before.

    The contrastive loss shapes the embeddings, the Bayes factors' cross-entropy the two-covariance model, the
    uncertainty loss the confusion matrices.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.encoder = AdHominem(sizes)
        self.kernel = ContrastiveKernel()
        self.factors = nn.Linear(sizes.embedding, _FACTORS)
        self.model = TwoCovariance(_FACTORS)
        self.uncertainty = UncertaintyAdaptation(sizes.embedding)

    def odds(self, y1: torch.Tensor, y2: torch.Tensor) -> torch.Tensor:
        """Log Bayes factors of pairs of embeddings, (n,) double."""
        y = torch.cat([y1, y2])
        if self.training:
            y = Shared(torch.arange(len(y1), device=y.device).repeat(2), len(y1))(y, _KEEP)
        x1, x2 = torch.relu(self.factors(y)).chunk(2)
        odds: torch.Tensor = self.model(x1, x2)
        return odds

    def loss(self, y: torch.Tensor, same: torch.Tensor) -> torch.Tensor:
        """Mean loss of pairs whose embeddings (2 n, d) stand first ones first."""
        y1, y2 = y.chunk(2)
        found = contrastive_loss(self.kernel(y1, y2), same)
        y1, y2 = y1.detach(), y2.detach()
        odds = self.odds(y1, y2)
        found = found + nn.functional.binary_cross_entropy_with_logits(odds, same.double())
        return found + uncertainty_loss(self.uncertainty(y1, y2), odds.detach(), same)

    def judged(self, y1: torch.Tensor, y2: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Probability of the same author (n,), and what the detector sees of each pair, (n, 2 d + 4)."""
        confusion = self.uncertainty(y1, y2)
        p = adapted(confusion, self.odds(y1, y2))[:, 1].exp()
        seen = [(y1 - y2).square(), (y1 + y2).square(), confusion.exp().flatten(1).to(y1.dtype)]
        return p, torch.cat(seen, dim=1)


def judged(network: O2D2Network, y1: Floats, y2: Floats) -> tuple[Floats, Floats]:
    """``O2D2Network.judged`` of arrays, in double precision on the CPU: symmetric, and free of neighbours."""
    sizes = Sizes(1, 1, 1, 1, y1.shape[1])
    with torch.random.fork_rng(devices=[]):
        head = O2D2Network(sizes)
    own = {name: value for name, value in network.state_dict().items() if not name.startswith("encoder.")}
    head.load_state_dict(own, strict=False)
    head.double().eval()
    with devices.inferring(torch.device("cpu")):
        p, seen = head.judged(torch.from_numpy(y1), torch.from_numpy(y2))
    return np.asarray(p.numpy()), np.asarray(seen.numpy())
