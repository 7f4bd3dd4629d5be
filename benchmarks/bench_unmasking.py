"""Unmasking curves (2007's form) of texts of 20,000 words, beside the bitig package on the same texts and settings.

The two differ in their classifier: ours is the paper's linear SVM, bitig's a logistic regression fitted once more on
all chunks in every round. Chunks, features, folds, rounds and removals are as many.
"""

from __future__ import annotations

import resource
from typing import Any

import numpy as np

from benchmarks.bench_ppm import pronounceable
from benchmarks.measure import compare, seconds
from ravenbench.ext.shelf.published.unmasking import Unmasking
from ravenbench.types import Floats, Problems

PROBLEMS, WORDS, LENGTH = 4, 500, 120_000
ROUNDS, FEATURES, DROP = 10, 250, 3
NAME = "unmasking, a problem of two books"


def peer(problems: Problems) -> Floats:
    """bitig's curves, (problems, rounds)."""
    from bitig.features import MFWExtractor  # type: ignore[import-not-found]
    from bitig.forensic import Unmasking as Theirs  # type: ignore[import-not-found]

    method = Theirs(chunk_size=WORDS, n_rounds=ROUNDS, n_eliminate=DROP, n_folds=10)
    curves = []
    for known, questioned in zip(problems.known_index, problems.questioned_index, strict=True):
        result = method.verify(
            questioned=problems.texts[questioned],
            known=problems.texts[known],
            extractor=MFWExtractor(n=FEATURES, scale="zscore", lowercase=True),
        )
        curves.append(result.values["accuracy_curve"])
    return np.array(curves)


def rows() -> list[dict[str, Any]]:
    """One row, seconds a problem; the peer is left out, with the reason, where it is not installed."""
    texts = [pronounceable(seed, LENGTH) for seed in range(2 * PROBLEMS)]
    problems = Problems.of([(str(i), [texts[2 * i]], texts[2 * i + 1]) for i in range(PROBLEMS)])
    method = Unmasking(form="2007", words=WORDS, rounds=ROUNDS, features=FEATURES, drop=DROP)
    method.curves(problems)
    try:
        peer(problems.select([0]))
    except ImportError as error:
        print(f"{NAME}: peer left out, bitig is not installed here ({error})")
        row: dict[str, Any] = {
            "name": NAME,
            "ours_seconds": seconds(lambda: method.curves(problems)),
            **dict.fromkeys(("peer", "peer_seconds", "ratio", "spread")),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
    else:
        row = compare(
            NAME, lambda: method.curves(problems), "bitig", lambda: peer(problems), rounds=3
        )
        row["peer_seconds"] /= PROBLEMS
    row["ours_seconds"] /= PROBLEMS
    return [row]
