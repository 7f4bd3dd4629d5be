"""Makes random generators, one for each (seed, purpose, items), independent of global state and hash order.

In: ``stream``: a seed (int), a purpose (text), and further items (text or int).
Out: a NumPy generator; equal arguments give equal streams. ``Draws(seed)`` keeps the seed; a call of it takes purpose
and items.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np


def stream(seed: int, purpose: str, *items: str | int) -> np.random.Generator:
    """A generator that depends only on its arguments.

    Two calls with equal arguments give equal streams on every platform and in every process, regardless of earlier
    draws, so a score never depends on batch order, and rewritten twins can share draws.
    """
    words = [str(int(seed)), purpose, *(f"{type(i).__name__}:{i}" for i in items)]
    digest = hashlib.blake2b("\x1f".join(words).encode(), digest_size=16).digest()
    return np.random.Generator(
        np.random.PCG64(np.frombuffer(digest, "<u4").astype(np.uint32, copy=False))
    )


@dataclass(frozen=True)
class Draws:
    """All that is drawn under one seed, a ``stream`` for each purpose: what draws is handed this, not the number."""

    seed: int = 0

    def __call__(self, purpose: str, *items: str | int) -> np.random.Generator:
        return stream(self.seed, purpose, *items)
