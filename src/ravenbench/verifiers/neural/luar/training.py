"""How LUAR learns: two disjoint episodes an author, contrasted with those of the batch's other authors."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from ravenbench.metrics.pan import auc_of_scores
from ravenbench.types import Floats
from ravenbench.verifiers.neural.luar.episodes import Drawn, tiles
from ravenbench.verifiers.neural.luar.model import Luar, contrastive, stacked
from ravenbench.verifiers.neural.training.authors import Written, pairs
from ravenbench.verifiers.neural.training.backbones import Reading
from ravenbench.verifiers.neural.training.loop import Epoch, Settings, train


class Options(Protocol):
    """What training asks of the verifier it trains for, beside the fields of ``Settings``."""

    reading_: Reading
    model: str | None
    piece: int
    pieces: int
    batch: int
    chunk: int
    learning_rate: float | None
    temperature: float
    held_out: float
    seed: int

    def embeddings(self, texts: list[str]) -> Floats:
        """Unit embeddings under the network as it is by now, (texts, dimensions)."""
        ...


def train_network(
    options: Options,
    model: Luar,
    known: Written,
    texts: list[str],
    device: torch.device,
    spec: dict[str, Any],
    folder: Path,
) -> list[Epoch]:
    """Train in place; the best epoch is the one whose cosines tell held-out authors apart best.

    Parameters
    ----------
    texts : list of str
        Of ``known.documents``.
    """
    reading = options.reading_
    learn, held = known.split(options.held_out, options.seed)
    place = {row: i for i, row in enumerate(known.documents.tolist())}
    ours = [texts[place[row]] for row in learn.documents.tolist()]
    theirs = [texts[place[row]] for row in held.documents.tolist()]
    cut = [tiles(t, options.piece, reading.before, reading.after) for t in reading.encode(ours)]
    drawn = Drawn(cut, learn, authors=options.batch, pieces=options.pieces, seed=options.seed)
    a, b, truth = pairs(held)

    def loss(batch: Any) -> torch.Tensor:
        episodes, author = batch
        vectors = model.embed(stacked(episodes, options.piece, reading.pad, device), options.chunk)
        return contrastive(vectors, torch.from_numpy(author).to(device), options.temperature)

    def separation() -> float:
        vectors = options.embeddings(theirs)
        return auc_of_scores(truth, np.einsum("ij,ij->i", vectors[a], vectors[b])) or 0.0

    rate = options.learning_rate if options.learning_rate is not None else (1e-3 if options.model is None else 2e-5)
    return train(
        model, drawn.epoch, loss, Settings.of(options, learning_rate=rate, weight_decay=0.01), device=device,
        held_out=separation if len(a) else None, spec=spec, folder=folder, name="training luar", lower="chunk",
    )  # fmt: skip
