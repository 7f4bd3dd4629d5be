"""The network of LUAR (Rivera-Soto et al. 2021): pieces of a text to one vector, with masks where theirs has none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from ravenbench.types import Ints

QUERIES = 512
"""Pieces whose attention is computed at once, so that a book needs no square of its length."""


@dataclass(frozen=True)
class Episodes:
    """Episodes of pieces as they enter the network.

    Attributes
    ----------
    ids, mask : (pieces, width) int64, bool
    place : (pieces,) int64
        Episode of each piece, ascending; every episode has one.
    """

    ids: torch.Tensor
    mask: torch.Tensor
    place: torch.Tensor


class Luar(nn.Module):
    """Transformer → mean over tokens → self-attention between pieces → maximum over pieces → linear map.

    Names of the parts are those of the published weights.
    """

    def __init__(self, transformer: Any, hidden: int, dimensions: int) -> None:
        super().__init__()
        self.transformer = transformer
        self.linear = nn.Linear(hidden, dimensions)

    def pieces(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Vectors of pieces, (n, hidden): the mean of the last layer over tokens."""
        states = self.transformer(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        kept = mask[:, :, None].to(states.dtype)
        return (states * kept).sum(1) / kept.sum(1)

    def episodes(self, vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Embeddings (n, dimensions) of padded episodes: vectors (n, p, hidden), mask (n, p) True where a piece is."""
        scores = vectors @ vectors.transpose(1, 2) / math.sqrt(vectors.shape[-1])
        weights = scores.masked_fill(~mask[:, None, :], -torch.inf).softmax(-1)
        mixed = (weights @ vectors).masked_fill(~mask[:, :, None], -torch.inf)
        return self.linear(mixed.amax(1))

    def text(self, vectors: torch.Tensor) -> torch.Tensor:
        """Embedding (dimensions,) of one text from all its pieces (p, hidden): ``episodes``, in blocks of queries."""
        parts = []
        for query in vectors.split(QUERIES):
            weights = (query @ vectors.T / math.sqrt(vectors.shape[-1])).softmax(-1)
            parts.append((weights @ vectors).amax(0))
        return self.linear(torch.stack(parts).amax(0))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
        """Embeddings of the episodes whose pieces these are, (episodes, dimensions)."""
        vectors = self.pieces(ids, mask)
        place = place - place[0]
        sizes = torch.bincount(place)
        starts = sizes.cumsum(0) - sizes
        column = torch.arange(len(place), device=place.device) - starts[place]
        padded = vectors.new_zeros((len(sizes), int(sizes.max()), vectors.shape[-1]))
        padded[place, column] = vectors
        there = torch.arange(padded.shape[1], device=place.device)[None] < sizes[:, None]
        return self.episodes(padded, there)

    def embed(self, batch: Episodes, chunk: int = 0) -> torch.Tensor:
        """Embeddings of a batch, ``chunk`` episodes at a time (0: all at once).

        Of a chunk nothing is kept but its embeddings; the backward pass computes it again, dropout and all. That is
        gradient caching (Gao et al. 2021): the gradient is that of the whole batch, the memory that of a chunk.
        """
        episodes = int(batch.place[-1]) + 1
        if not 0 < chunk < episodes:
            return self(batch.ids, batch.mask, batch.place)
        bounds = torch.arange(0, episodes + chunk, chunk, device=batch.place.device)
        cuts = torch.searchsorted(batch.place, bounds).tolist()
        parts = [
            checkpoint(self, batch.ids[a:b], batch.mask[a:b], batch.place[a:b], use_reentrant=False)
            for a, b in pairwise(cuts)
            if b > a
        ]
        return torch.cat(parts)


def contrastive(vectors: torch.Tensor, author: torch.Tensor, temperature: float) -> torch.Tensor:
    """Supervised contrastive loss (Khosla et al. 2020, L_out) of embeddings (n, d) with cosine similarity.

    Mean over anchors i of −(1/|P_i|) Σ_{p∈P_i} ln(exp(z_i·z_p/τ) / Σ_{a≠i} exp(z_i·z_a/τ)); anchors without a
    positive do not count.
    """
    with torch.autocast(vectors.device.type, enabled=False):
        z = nn.functional.normalize(vectors.float(), dim=1)
        self_ = torch.eye(len(z), dtype=torch.bool, device=z.device)
        logits = (z @ z.T / temperature).masked_fill(self_, -torch.inf)
        share = logits.log_softmax(1)
        positive = (author[:, None] == author[None]) & ~self_
        count = positive.sum(1)
        each = -share.masked_fill(~positive, 0.0).sum(1)
        return (each[count > 0] / count[count > 0]).mean()


def stacked(episodes: Sequence[Sequence[Ints]], width: int, pad: int, device: torch.device) -> Episodes:
    """Episodes, each a list of pieces (token numbers, at most ``width``), as tensors."""
    pieces = [piece for episode in episodes for piece in episode]
    ids = np.full((len(pieces), width), pad, dtype=np.int64)
    lengths = np.array([len(piece) for piece in pieces])
    for row, piece in enumerate(pieces):
        ids[row, : len(piece)] = piece
    mask = np.arange(width)[None] < np.maximum(lengths, 1)[:, None]
    place = np.repeat(np.arange(len(episodes)), [len(episode) for episode in episodes])
    return Episodes(*(torch.from_numpy(array).to(device) for array in (ids, mask, place)))
