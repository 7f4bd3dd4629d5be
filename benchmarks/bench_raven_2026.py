"""What ``raven-2026`` measures on training problems: authors left out at once and, as the peer, problem by problem."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.bench_impostors import texts
from benchmarks.measure import compare
from ravenbench.ext.shelf.raven.raven_2026 import Extractor
from ravenbench.ext.shelf.raven.whitened import WhitenedBatch
from ravenbench.types import Floats, Problems

PROBLEMS = 240


def rows() -> list[dict[str, Any]]:
    """One row; both measure the same features."""
    written = texts(2 * PROBLEMS)
    problems = Problems.of(
        [(f"p{i:03d}", [written[2 * i]], written[2 * i + 1]) for i in range(PROBLEMS)]
    )
    same = np.arange(PROBLEMS) % 2 == 0
    extractor = Extractor().fit(problems, same)

    def at_once() -> Floats:
        return extractor.measure(problems)[0]

    def none(*_: Any) -> Any:
        return np.zeros(len(_[4]), dtype=bool)

    def one_by_one() -> Floats:
        with patch.object(WhitenedBatch, "_without_some", none):
            return extractor.measure(problems)[0]

    assert np.allclose(at_once(), one_by_one(), rtol=0, atol=1e-8), "features differ"
    return [compare("raven-2026, features", at_once, "one problem at a time", one_by_one, rounds=3)]
