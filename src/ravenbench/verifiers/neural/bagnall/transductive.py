"""Bagnall 2015 as published: trained on the very problems it answers, whose median it takes for the middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import torch

from ravenbench.topics import devices
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import Verifier
from ravenbench.verifiers.neural.bagnall.model import cross_entropies, encoded
from ravenbench.verifiers.neural.bagnall.roles import roles, sum_of
from ravenbench.verifiers.neural.bagnall.text import Alphabet
from ravenbench.verifiers.neural.bagnall.training import trained


@dataclass(eq=False, repr=False)
class Bagnall2015Transductive(Verifier):
    """One head for the known documents of every problem asked, and one for the training texts (the control corpus).

    An answer depends on the other problems of its batch, and on the assumption that half of them are positive: not to
    be compared with verifiers that see one problem at a time. Parameters as for ``bagnall-2015``. It is as dear: a
    network is trained anew on every test set (``docs/scale.md``).

    Bits a character of every questioned text under every head; each head's median subtracted; the own head's rank
    among the rows; the batch's median becomes the middle, by two straight lines. Nothing is left unanswered but where
    that middle is met exactly.

    References
    ----------
    Bagnall 2015, Author identification using multi-headed recurrent neural networks (PAN at CLEF).
    """

    name = "bagnall-2015-transductive"
    symmetric = False
    transductive = True

    hidden: int = 128
    epochs: int = 12
    characters: int = 200_000
    longest: int = 6000
    batch: int = 40
    accumulate: int = 1
    learning_rate: float = 4e-3
    precision: str = "auto"
    deterministic: bool = True
    device: str = "auto"
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Keep the training texts as control corpus; their truth is not used."""
        texts = [problems.texts[row] for row in problems.documents]
        self.alphabet_ = Alphabet.of(texts)
        self.control_: Ints = np.concatenate([self.alphabet_.read(text, self.longest) for text in texts])
        return self

    def verify(self, problems: Problems) -> Floats:
        device = devices.pick(self.device)
        rows = problems.documents.tolist()
        read = {row: self.alphabet_.read(problems.texts[row], self.longest) for row in rows}
        parts = [roles(problems, i, read) for i in range(len(problems))]
        taught = sorted({part[0] for part in parts})
        joined = [np.concatenate([read[row] for row in group]) for group in taught]
        model, _ = trained(self, [*joined, self.control_], len(self.alphabet_), device, {}, None)
        weight, bias = (value.detach().float().cpu().numpy()[:-1] for value in (model.weight, model.bias))
        states: dict[int, torch.Tensor] = dict(zip(rows, encoded(model, [read[r] for r in rows], device), strict=True))
        asked = sorted({part[1] for part in parts})
        table = np.stack([sum_of(a, read, lambda r: cross_entropies(states[r], read[r], weight, bias)) for a in asked])
        table = table - np.median(table, axis=0)
        row = np.array([asked.index(part[1]) for part in parts])
        head = np.array([taught.index(part[0]) for part in parts])
        own = table[row, head][:, None]
        better = (table[row] < own).sum(axis=1) + 0.5 * ((table[row] == own).sum(axis=1) - 1)
        return recentred(1 - better / table.shape[1])


def recentred(scores: Floats) -> Floats:
    """Scores in (0, 1] on two straight lines that meet at 0.5 where their median is."""
    middle = float(np.median(scores))
    low = 0.5 * scores / middle
    high = 0.5 + 0.5 * (scores - middle) / (1 - middle) if middle < 1 else np.full(len(scores), 0.5)
    return np.asarray(np.clip(np.where(scores <= middle, low, high), 0, 1), dtype=np.float64)
