"""Embeddings of texts under a trained LUAR network: every piece once, in batches whose shapes follow from lengths."""

from __future__ import annotations

import numpy as np
import torch

from ravenbench.text.tfidf import unit
from ravenbench.topics import devices
from ravenbench.topics.batching import batches
from ravenbench.types import Floats
from ravenbench.verifiers.neural.luar.episodes import tiles
from ravenbench.verifiers.neural.luar.model import Luar
from ravenbench.verifiers.neural.training.backbones import Reading


def embeddings(model: Luar, reading: Reading, texts: list[str], piece: int, tokens: int) -> Floats:
    """Unit embeddings, (texts, dimensions); ``tokens`` are computed at once.

    Raises
    ------
    InputError
        If the GPU's memory does not suffice.
    """
    device = next(model.parameters()).device
    cut = [tiles(t, piece, reading.before, reading.after) for t in reading.encode(texts)]
    pieces = [each for text in cut for each in text]
    found = torch.zeros((len(pieces), model.linear.in_features), device=device)
    with devices.inferring(device, "tokens"):
        for batch in batches(pieces, tokens, reading.pad):
            ids, mask = (torch.from_numpy(part).to(device) for part in (batch.ids, batch.mask))
            found[batch.rows] = model.pieces(ids, mask)[: len(batch.rows)].float()
        ends = np.cumsum([len(text) for text in cut])
        each = [model.text(found[end - len(text) : end]).double() for text, end in zip(cut, ends, strict=True)]
        vectors = torch.stack(each).cpu().numpy() if each else np.zeros((0, model.linear.out_features))
    return unit(vectors)
