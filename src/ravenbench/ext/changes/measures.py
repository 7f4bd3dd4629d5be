"""PAN's measures of who wrote which part of a text, from counts that add up over problems: hits, answers and truths of
each label, (labels, 3).

References
----------
Zangerle et al. 2019 to 2021, Overview of the Style Change Detection Task at PAN.
Cardoso & Sousa 2011, Measuring the performance of ordinal classification. Int. Journal of Pattern Recognition 25.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravenbench.types import Floats


def label_counts(truth: Sequence[int], answer: Sequence[int], labels: Sequence[int]) -> Floats:
    """Hits, answers and truths of each label, (labels, 3)."""
    true, said = (np.asarray(side)[:, None] == np.asarray(labels) for side in (truth, answer))
    return np.stack([(true & said).sum(axis=0), said.sum(axis=0), true.sum(axis=0)], axis=1).astype(np.float64)


def macro_f1(counts: Floats) -> float:
    """Mean F1 over all labels; 0 for a label that neither truth nor answers have."""
    both = counts[:, 1] + counts[:, 2]
    return float(np.mean(2 * counts[:, 0] / np.where(both > 0, both, 1.0)))


def micro_f1(counts: Floats) -> float:
    """F1 over all labels together, which is accuracy where each thing has one label."""
    return float(2 * counts[:, 0].sum() / max(counts[:, 1:].sum(), 1.0))


def ordinal_index(confusion: Floats) -> float:
    """The ordinal classification index of a table (k, k), true classes in rows: 0 is perfect, 1 the worst.

    Over all paths from the first to the last cell, the least of 1 − what lies on it, plus .75 of the distances that
    what lies on it is wrong by, both as shares.
    """
    k, n = len(confusion), float(confusion.sum())
    wrong = confusion * np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    step = 0.75 * wrong / max(n * (k - 1), 1.0) - confusion / max(n + wrong.sum(), 1.0)
    best = np.full((k + 1, k + 1), np.inf)
    best[0, 0] = 1.0
    for row in range(k):
        for column in range(k):
            best[row + 1, column + 1] = step[row, column] + best[row : row + 2, column : column + 2].min()
    return float(best[k, k])
