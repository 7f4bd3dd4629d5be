"""Pools: the topics samplers may choose from, drawn several times so that differences have an interval."""

from __future__ import annotations

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.randomness import stream
from ravenbench.types import Ints

MANY = 10
"""Pools that are advised: intervals over fewer are wide."""


def more_pools(topics: int, m: int, folds: int, share: float, *, fixed: bool = False) -> str | None:
    """Options with which several pools can be drawn that leave a choice of m topics; None where none do.

    Parameters
    ----------
    topics, m, folds : int
        How many topics there are, how many are chosen (the most, of several), and folds over these.
    share : float
        Share of all topics in a pool.
    fixed : bool
        m stays as it is; else fewer topics may be chosen.
    """
    size = round(share * topics)
    if size > m:
        return f"--pools {MANY}"
    if size - 1 >= max(2, folds) and not fixed:
        return f"--pools {MANY} --topics {size - 1}"
    larger = next((s for s in range(1, 100) if round(s / 100 * topics) > m), None)
    if larger is None or round(larger / 100 * topics) >= topics:
        return None
    return f"--pools {MANY} --pool-share {larger / 100:g}"


def draw_pools(topics: int, m: int, pools: int, share: float, seed: int) -> list[Ints]:
    """Seeded subsets of the topics; one pool is all of them.

    Each round deals the topics out anew into as many disjoint pools as the share allows: with halves two, which
    have no topic in common.

    Raises
    ------
    CorpusError
        If a pool of this share could not hold m topics with room to choose.
    """
    if pools == 1:
        return [np.arange(topics, dtype=np.int64)]
    size = round(share * topics)
    if size <= m:
        raise CorpusError(
            f"{topics} topics are too few for {pools} pools from which to choose {m}",
            found=f"pools of {size} topics",
            expected=f"more than {m}, so at least {int(np.ceil((m + 1) / share))} topics",
            fix="give fewer --topics, one --pools, or a finer level of --topic",
        )
    each = topics // size
    rounds = [stream(seed, "pool", r).permutation(topics) for r in range(-(-pools // each))]
    return [np.sort(rounds[p // each][p % each * size :][:size]).astype(np.int64) for p in range(pools)]
