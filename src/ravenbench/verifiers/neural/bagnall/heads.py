"""A head for an author the recurrent layer never saw: the average head, adapted to the author's texts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from ravenbench.topics import devices
from ravenbench.types import Floats, Ints
from ravenbench.verifiers.neural.bagnall.model import IGNORED

_STEPS = 12
_MOST = 20000


def adapted_head(
    states: Sequence[torch.Tensor], texts: Sequence[Ints], weight: Floats, bias: Floats, strength: float
) -> tuple[Floats, Floats]:
    """The head that explains these texts best while it stays near a given one.

    Minimises summed cross-entropy + ½ ``strength`` ‖head − given‖², which is convex, by L-BFGS. Reads no more than the
    first 20,000 characters that count.

    Parameters
    ----------
    states : sequence of (n, hidden)
    texts : sequence of (n,) int64
    weight, bias : (hidden, alphabet), (alphabet,)
    """
    x = torch.cat([s[IGNORED:] for s in states])[:_MOST].float()
    y = torch.from_numpy(np.concatenate([t[IGNORED:] for t in texts]))[:_MOST]
    if not len(y):
        return weight, bias
    device = torch.device("cpu")
    with devices.controlled(0, device), torch.enable_grad():
        given = (torch.from_numpy(weight), torch.from_numpy(bias))
        head = [part.clone().requires_grad_() for part in given]
        solver = torch.optim.LBFGS(head, max_iter=_STEPS, history_size=6, line_search_fn="strong_wolfe")

        def objective() -> torch.Tensor:
            solver.zero_grad()
            loss = nn.functional.cross_entropy(torch.addmm(head[1], x, head[0]), y, reduction="sum")
            for part, old in zip(head, given, strict=True):
                loss = loss + 0.5 * strength * (part - old).square().sum()
            loss = loss / len(y)
            loss.backward()
            return loss

        solver.step(objective)
        return tuple(part.detach().numpy() for part in head)  # type: ignore[return-value]


def rank_scores(own: Floats, others: Floats, own_centre: Floats, centre: Floats) -> Floats:
    """1 − the share of other heads that explain a text better than the asked author's, each less what it costs
    the typical text; equal ones count half.

    Parameters
    ----------
    own, own_centre : (n,)
        Bits a character under own heads; the median of those of reference texts.
    others : (n, heads)
    centre : (heads,)
    """
    relative, asked = others - centre, (own - own_centre)[:, None]
    better = (relative < asked).sum(axis=1) + 0.5 * (relative == asked).sum(axis=1)
    return np.asarray(1 - better / others.shape[1], dtype=np.float64)
