"""Makes padded batches of sequences of similar length, and encodes each distinct document once.

In: for ``batches`` sequences of token numbers, maximum tokens (and sequences) in a batch, the padding number; for
``distinct`` ``Problems`` and a function from texts to vectors; for ``width_of`` a length in tokens.
Out: ``batches`` gives an iterator of ``Batch``, shortest first: rows (b,) of the sequences from 0, ids (size, width),
mask (True = a token); ``distinct`` vectors (documents, …), and (sum k,) the rows from 0 of the known documents of all
problems and of their questioned documents; ``width_of`` a width in tokens. No error of its own.

The shape of a sequence's batch depends only on its length: widths come from a fixed ladder,
a width has one batch size, and empty rows fill the rest. In layers of even size, kernels round
identically in equal shapes, on the tested processors, so a vector does not depend on its neighbours, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ravenbench.types import Floats, Ints, Problems


@dataclass(frozen=True)
class Batch:
    """A padded batch of sequences.

    Attributes
    ----------
    rows : (b,) int64
        Numbers of the sequences; rows of ``ids`` from b on are empty.
    ids : (size, width) int64
        Filled up with the padding number.
    mask : (size, width) bool
        True for a token. An empty row has one, so that every softmax has an input.
    """

    rows: Ints
    ids: Ints
    mask: NDArray[np.bool_]


def width_of(length: int) -> int:
    """Return the width (tokens) of a batch for a length, by the ladder 8, 16, 24, 32, then eight steps per octave (36, 40 …):
    at most an eighth of it is padding."""
    if length <= 32:
        return max(8, -(-length // 8) * 8)
    step = 1 << max(2, (length - 1).bit_length() - 4)
    return -(-length // step) * step


def batches(
    sequences: Sequence[Sequence[int] | Ints],
    tokens: int = 4096,
    pad: int = 0,
    most: int | None = None,
) -> Iterator[Batch]:
    """Yield batches of sequences of about equal length, shortest first.

    Parameters
    ----------
    sequences : sequence of 1-d int
    tokens : int
        Maximum tokens in a batch, including padding; a longer sequence is a separate batch.
    pad : int
        The padding number.
    most : int, optional
        Maximum sequences in a batch: with few short sequences, many rows would be empty.
    """
    widths = np.array([width_of(len(s)) for s in sequences], dtype=np.int64)
    for width in np.unique(widths).tolist():
        size = max(1, min(tokens // width, most or tokens))
        members = np.flatnonzero(widths == width)
        for start in range(0, len(members), size):
            rows = members[start : start + size]
            ids = np.full((size, width), pad, dtype=np.int64)
            mask = np.zeros((size, width), dtype=np.bool_)
            mask[:, 0] = True
            for place, row in enumerate(rows):
                length = len(sequences[row])
                ids[place, :length] = sequences[row]
                mask[place, :length] = True
            yield Batch(rows, ids, mask)


def distinct(
    problems: Problems, encode: Callable[[list[str]], Floats]
) -> tuple[Floats, Ints, Ints]:
    """Encode each distinct document once, even if it is in several problems.

    Returns
    -------
    vectors : (documents, …) float64
    known : (sum k,) int64
        Row of ``vectors`` of each entry of ``problems.known_index``.
    questioned : (sum k,) int64
        Row of the questioned document that entry is compared with.
    """
    vectors = encode([problems.texts[row] for row in problems.documents])
    known, questioned = problems.places
    return vectors, known, questioned[problems.owner]
