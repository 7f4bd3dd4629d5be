"""Random generators, one for each (seed, purpose, items), independent of global state and hash order."""

from __future__ import annotations

import hashlib

import numpy as np


def stream(seed: int, purpose: str, *items: str | int) -> np.random.Generator:
    """A generator that depends only on its arguments.

    Two calls with equal arguments give equal streams on every platform and in every process, whatever
    was drawn before, so a score never depends on batch order and rewritten twins can share draws.
    """
    words = [str(int(seed)), purpose, *(f"{type(i).__name__}:{i}" for i in items)]
    digest = hashlib.blake2b("\x1f".join(words).encode(), digest_size=16).digest()
    return np.random.Generator(np.random.PCG64(np.frombuffer(digest, "<u4").astype(np.uint32, copy=False)))
