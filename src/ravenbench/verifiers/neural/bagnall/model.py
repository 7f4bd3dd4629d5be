"""A character model with one recurrent layer for all and a softmax head for every author."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import nn

from ravenbench.randomness import stream
from ravenbench.topics import devices
from ravenbench.topics.batching import batches
from ravenbench.types import Floats, Ints
from ravenbench.verifiers.neural.bagnall.text import START

DEPTH, IGNORED = 70, 10
"""Characters through which errors go back, and characters at the beginning of a text that are not predicted."""
_NOISE = 0.2
_LEAK, _LEAK_FALL, _LEAKED = 5.0, 0.7, 2
_TOKENS = 65536


class ManyHeads(nn.Module):
    """The network: a recurrent layer turns characters into states, each author's head these into a distribution.

    Bagnall's layer has 139 ReSQRT units; ours is a GRU. His presynaptic noise becomes noise on the states that
    heads read.
    """

    def __init__(self, alphabet: int, hidden: int, heads: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(alphabet, hidden // 4)
        self.recurrent = nn.GRU(hidden // 4, hidden, batch_first=True)
        self.weight = nn.Parameter(torch.zeros(heads, hidden, alphabet))
        self.bias = nn.Parameter(torch.zeros(heads, alphabet))

    def states(self, ids: torch.Tensor) -> torch.Tensor:
        """States (n, t, hidden) before each character of (n, t)."""
        before = nn.functional.pad(ids[:, :-1], (1, 0), value=START)
        found: torch.Tensor = self.recurrent(self.letters(before))[0]
        return found

    def cost(self, states: torch.Tensor, ids: torch.Tensor, head: torch.Tensor) -> torch.Tensor:
        """Mean cross-entropy in nats of the characters that count, by each row's head."""
        logits = torch.baddbmm(self.bias[head][:, None, :], states, self.weight[head])
        return nn.functional.cross_entropy(logits.flatten(0, 1).float(), ids.flatten(), ignore_index=START)

    def loss(self, ids: torch.Tensor, head: torch.Tensor, others: torch.Tensor, leak: float) -> torch.Tensor:
        """Cross-entropy by own heads, and a share ``leak`` of that by others, of segments (n, ignored + depth)."""
        states = self.states(ids)
        if self.training:
            states = states + _NOISE * torch.randn_like(states)
        states, ids = states[:, IGNORED:], ids[:, IGNORED:]
        found = self.cost(states, ids, head)
        for other in others:
            found = found + leak / len(others) * self.cost(states, ids, other)
        return found


def segments(
    texts: Sequence[Ints], most: int, batch: int, seed: int
) -> Callable[[int], list[tuple[Ints, Ints, Ints, float]]]:
    """Batches of an epoch: segments (n, 80), their heads (n,), other heads (2, n) and the share these learn.

    An epoch takes about ``most`` characters, from every text alike, each cut at another place every time. Bagnall's
    leakage, by which all heads learn from all authors at first, is a draw of two other heads for each segment, whose
    share falls by .7 an epoch.

    Parameters
    ----------
    texts : sequence of (n,) int64
        Text i belongs to head i.
    """
    each = max(1, most // (DEPTH * max(1, len(texts))))

    def epoch(number: int) -> list[tuple[Ints, Ints, Ints, float]]:
        rng = stream(seed, "bagnall-segments", number)
        ids, heads = [], []
        for head, text in enumerate(texts):
            offset = int(rng.integers(DEPTH))
            starts = np.arange(-offset, max(1, len(text) - IGNORED), DEPTH)
            for start in rng.permutation(starts)[:each].tolist():
                part = text[max(0, start) : start + IGNORED + DEPTH]
                if len(part) > IGNORED:
                    ids.append(np.pad(part, (0, IGNORED + DEPTH - len(part))))
                    heads.append(head)
        order = rng.permutation(len(ids))
        found, own = np.array(ids, dtype=np.int64)[order], np.array(heads, dtype=np.int64)[order]
        other = rng.integers(len(texts), size=(_LEAKED, len(own)))
        leak = _LEAK * _LEAK_FALL**number
        cuts = range(0, len(own), batch)
        return [(found[c : c + batch], own[c : c + batch], other[:, c : c + batch], leak) for c in cuts]

    return epoch


def encoded(model: ManyHeads, texts: Sequence[Ints], device: torch.device) -> list[torch.Tensor]:
    """States before each character of each text, (n, hidden) half precision on the CPU."""
    found: list[torch.Tensor] = [torch.zeros((0, model.recurrent.hidden_size), dtype=torch.float16) for _ in texts]
    with devices.inferring(device, "longest or hidden"):
        model.eval()
        for batch in batches(list(texts), _TOKENS):
            states = model.states(torch.from_numpy(batch.ids).to(device)).half().cpu()
            for place, row in enumerate(batch.rows):
                found[row] = states[place, : len(texts[row])].clone()
    return found


def cross_entropies(states: torch.Tensor, ids: Ints, weight: Floats, bias: Floats) -> Floats:
    """Bits a character of one text under heads (h, hidden, alphabet) and (h, alphabet); 0 where it is too short."""
    if len(ids) <= IGNORED:
        return np.zeros(len(weight))
    x, y = states[IGNORED:].float(), torch.from_numpy(ids[IGNORED:])
    with devices.inferring(torch.device("cpu")):
        found = [
            nn.functional.cross_entropy(torch.addmm(torch.from_numpy(b), x, torch.from_numpy(w)), y).item()
            for w, b in zip(weight, bias, strict=True)
        ]
    return np.asarray(np.array(found) / np.log(2), dtype=np.float64)
