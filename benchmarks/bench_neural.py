"""Scoring with LUAR where documents repeat: what batching gains, and what encoding each document once gains, apart.

300 problems over 60 newsgroup-sized documents, so that each stands in ten. The network is the small one from
scratch, untrained: weights do not change the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from benchmarks.bench_ppm import pronounceable
from benchmarks.measure import compare
from ravenbench.ext.encoders import devices
from ravenbench.ext.shelf.neural.luar import LUAR, tiles
from ravenbench.randomness import stream
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Problems
from ravenbench.verifiers.calibrators import spread

DOCUMENTS, PROBLEMS = 60, 300


def problems() -> Problems:
    """Pairs of different documents whose lengths spread as those of newsgroup posts."""
    rng = stream(0, "bench-neural")
    lengths = np.clip(rng.lognormal(6.8, 0.6, DOCUMENTS), 150, 6000).astype(int)
    table, _ = TextTable.collect(pronounceable(seed, int(n)) for seed, n in enumerate(lengths))
    known = np.arange(PROBLEMS) % DOCUMENTS
    questioned = (known + rng.integers(1, DOCUMENTS, PROBLEMS)) % DOCUMENTS
    ids = [f"p{i}" for i in range(PROBLEMS)]
    return Problems.pairs(table, known, questioned, ids)


def one_at_a_time(fitted: LUAR, texts: list[str]) -> Floats:
    """Embeddings, each text computed alone in a batch of its own size."""
    model, reading = fitted._network(), fitted.reading_
    device = next(model.parameters()).device
    found = []
    with devices.inferring(device):
        for text in texts:
            pieces = tiles(reading.encode([text])[0], fitted.piece, reading.before, reading.after)
            vectors = []
            for piece in pieces:
                ids = torch.from_numpy(piece)[None].to(device)
                vectors.append(model.pieces(ids, torch.ones_like(ids, dtype=torch.bool)))
            found.append(model.text(torch.cat(vectors)).double().cpu().numpy())
    vectors_ = np.stack(found)
    return np.asarray(vectors_ / np.linalg.norm(vectors_, axis=1, keepdims=True))


def rows() -> list[dict[str, Any]]:
    """Batching alone, reuse alone, both; every way gives the same scores."""
    asked = problems()
    fitted = LUAR(epochs=0).fit(asked, np.arange(PROBLEMS) % 2 == 0)
    every = [asked.texts[row] for row in asked.documents]
    sides = [
        [asked.texts[row] for row in index] for index in (asked.known_index, asked.questioned_index)
    ]

    def repeated() -> Floats:
        vectors = fitted.embeddings([*sides[0], *sides[1]])
        return np.asarray(np.einsum("ij,ij->i", vectors[:PROBLEMS], vectors[PROBLEMS:]))

    def neither() -> Floats:
        known, questioned = (one_at_a_time(fitted, side) for side in sides)
        return np.asarray(np.einsum("ij,ij->i", known, questioned))

    for other in (repeated(), neither()):
        assert np.abs(fitted.score(asked) - spread(other, fitted.scale_)).max() <= 1e-3
    return [
        compare(
            "luar: batching, 60 documents",
            lambda: fitted.embeddings(every),
            "one piece at a time",
            lambda: one_at_a_time(fitted, every),
        ),
        compare(
            "luar: reuse, 300 problems, 60 documents",
            lambda: fitted.score(asked),
            "each problem's texts anew, batched",
            repeated,
        ),
        compare(
            "luar: batching and reuse, 300 problems",
            lambda: fitted.score(asked),
            "each problem's pieces one at a time",
            neither,
            rounds=3,
        ),
    ]
