"""Cross-validation over topics: every topic is tested once (Sawatphol et al. 2024, §5.1)."""

from __future__ import annotations

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.types import Ints


def topic_folds(m: int, k: int, rng: np.random.Generator) -> Ints:
    """The fold of each of m topics, (m,) from 0 to k − 1; sizes differ by one at most.

    Give the topics in sorted order: then nothing but the generator decides.

    Raises
    ------
    CorpusError
        If k is not from 2 to m.
    """
    if not 2 <= k <= m:
        raise CorpusError(
            f"{m} topics cannot be divided into {k} folds",
            found=f"{m} topics, {k} folds",
            expected=f"from 2 to {m} folds" if m >= 2 else "at least 2 topics",
            fix="give fewer --folds or more --topics",
        )
    return rng.permutation(np.arange(m, dtype=np.int64) % k)
