"""Embeddings of documents that do not depend on the documents beside them.

Windows and documents are computed beside others of their very length, in blocks of one size filled up with copies: no
padding is seen by a kernel, and the shape of a block never depends on what is in it. Where in its block a document
stands does depend on its neighbours, and some kernels round rows at the edge of a block differently. With an even
``hidden``, as in the default and the published sizes, embeddings agree to the last bit on the processors tried; with
an odd one they agree to about 1e-7.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from ravenbench.topics import devices
from ravenbench.types import Floats, Ints
from ravenbench.verifiers.neural.o2d2.adhominem import AdHominem
from ravenbench.verifiers.neural.o2d2.text import Reading

_TYPES, _WINDOWS, _DOCUMENTS = 512, 64, 16


def embeddings(model: AdHominem, reading: Reading, device: torch.device) -> Floats:
    """Embeddings of all documents of a reading, (documents, embedding)."""
    if not reading.windows:
        return np.zeros((0, model.metric.out_features))
    lengths, tokens = np.concatenate(reading.lengths), np.concatenate(reading.windows)
    counts = np.array([len(w) for w in reading.windows], dtype=np.int64)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    word, spelling = (torch.from_numpy(a).to(device) for a in (reading.word, reading.spelling))
    with devices.inferring(device, "windows or hidden"):
        model.eval()
        types = _collected(
            [(rows, model.types(word[rows], spelling[rows])[:n]) for rows, n, _ in _blocks(np.zeros(len(word)), _TYPES)]
        )
        windows = _collected(
            [
                (rows, model.windows(types[tokens[rows][:, :length]], torch.full((_WINDOWS,), length))[:n])
                for rows, n, length in _blocks(lengths, _WINDOWS)
            ]
        )
        found = _collected(
            [
                (rows, model.documents(windows[first[rows][:, None] + np.arange(c)], torch.full((_DOCUMENTS,), c))[:n])
                for rows, n, c in _blocks(counts, _DOCUMENTS)
            ]
        )
    return np.asarray(found.double().cpu().numpy())


def _blocks(lengths: Ints | Floats, size: int) -> Iterator[tuple[Ints, int, int]]:
    """Rows of equal length, ``size`` at a time (the last one repeated), how many of them count, and the length."""
    for length in np.unique(lengths).tolist():
        members = np.flatnonzero(lengths == length).astype(np.int64)
        for start in range(0, len(members), size):
            rows = members[start : start + size]
            yield np.concatenate([rows, np.repeat(rows[-1:], size - len(rows))]), len(rows), int(length)


def _collected(parts: list[tuple[Ints, torch.Tensor]]) -> torch.Tensor:
    total = sum(len(values) for _, values in parts)
    found = parts[0][1].new_empty((total, parts[0][1].shape[1]))
    for rows, values in parts:
        found[rows[: len(values)]] = values
    return found
