"""HITS: 100 of 4,000 topics (the size of PAN20's fandoms) against the equations read plainly."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
from tests.references.hits import choose_plainly

from benchmarks.measure import compare, seconds
from ravenbench.randomness import stream
from ravenbench.sampling import choose
from ravenbench.topics.levels import cosine_similarity

TOPICS, DIMENSIONS, CHOSEN = 4000, 100, 100
PLAIN_TOPICS, PLAIN_CHOSEN = 400, 100
"""What the plain implementation can do in seconds; both are timed on it."""


def rows() -> list[dict[str, Any]]:
    """A small size beside the plain implementation; the full size beside numpy, and with its similarities."""
    rng = stream(0, "benchmark-hits")
    vectors = rng.normal(size=(TOPICS, DIMENSIONS)) + 0.5
    few = cosine_similarity(vectors[:PLAIN_TOPICS])
    assert choose(few, PLAIN_CHOSEN).tolist() == choose_plainly(few, PLAIN_CHOSEN).tolist()
    plain = compare(
        f"HITS, {PLAIN_CHOSEN} of {PLAIN_TOPICS} topics",
        lambda: choose(few, PLAIN_CHOSEN),
        "plain reading of Eqs. 2-3",
        lambda: choose_plainly(few, PLAIN_CHOSEN),
        rounds=3,
        repeat=20,
    )
    similarity = cosine_similarity(vectors)
    stepwise = compare(
        f"HITS, {CHOSEN} of {TOPICS} topics",
        lambda: choose(similarity, CHOSEN),
        "numpy, each set anew at every step",
        lambda: _without_running_sums(similarity),
        rounds=5,
    )
    whole = {
        **stepwise,
        "name": f"HITS, {CHOSEN} of {TOPICS} topics, similarities included",
        "ours_seconds": statistics.median(
            seconds(lambda: choose(cosine_similarity(vectors), CHOSEN)) for _ in range(5)
        ),
        "peer": None,
        "peer_seconds": None,
        "ratio": None,
        "spread": None,
    }
    return [plain, stepwise, whole]


def _without_running_sums(
    similarity: np.ndarray[tuple[int, int], np.dtype[np.float64]],
) -> list[int]:
    """Eqs. 2–3 in numpy, recomputed over all chosen topics at every step."""
    off = similarity - np.diag(np.diag(similarity))
    chosen = [int(np.argmin(off.sum(axis=1)))]
    while len(chosen) < CHOSEN:
        sets = np.clip(similarity[:, chosen], 0, None)
        leakage = sets.mean(axis=1) * sets.max(axis=1)
        leakage[chosen] = np.inf
        chosen.append(int(np.argmin(leakage)))
    return chosen
