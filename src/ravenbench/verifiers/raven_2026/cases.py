"""Problems as the features see them: rows of documents, and which impostors may stand against each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ravenbench.types import Bools, Floats, Ints
from ravenbench.verifiers.raven_2026.families import Chunked

_MORE_ROWS = 700
"""Most chunks beside the impostors' in a batch: their inner products take room by the square."""


@dataclass(frozen=True, eq=False)
class Cases:
    """Problems over a table of distinct documents.

    Attributes
    ----------
    known : list of (k,) int64
        Documents known to be one author's, one or more a problem.
    asked : (m,) int64
        The questioned documents.
    allowed : (m, impostors) bool
        Impostors that are not by a problem's authors, as far as is known; at least one each.
    twin : (documents,) int64
        The impostor that a document is; −1 if it is none.
    """

    known: list[Ints]
    asked: Ints
    allowed: Bools
    twin: Ints

    def __len__(self) -> int:
        return len(self.asked)

    @property
    def links(self) -> Ints:
        """Pairs (questioned, known) of documents, problem by problem, (links, 2)."""
        return np.stack([np.repeat(self.asked, self.sizes), self._flat], axis=1)

    @property
    def sizes(self) -> Ints:
        """Known documents of each problem."""
        return np.array([len(k) for k in self.known], dtype=np.int64)

    @property
    def _flat(self) -> Ints:
        return np.concatenate([np.zeros(0, np.int64), *self.known])

    def over_known(self, values: Floats) -> Floats:
        """Means over each problem's known documents of values (links, …)."""
        if len(values) == len(self):
            return values
        starts = np.cumsum(self.sizes) - self.sizes
        total = np.add.reduceat(values, starts, axis=0)
        return np.asarray(total / self.sizes.reshape(-1, *[1] * (values.ndim - 1)))

    def sides(self, each: Floats) -> tuple[Floats, Floats]:
        """Similarities to impostors, from those of all documents (documents, impostors): of a problem's known
        documents on average and of its questioned one, (m, impostors) each."""
        return self.over_known(each[self._flat]), each[self.asked]

    def take(self, chosen: Ints) -> Cases:
        """Some of the problems."""
        known = [self.known[i] for i in chosen]
        return Cases(known, self.asked[chosen], self.allowed[chosen], self.twin)

    def batches(self, chosen: Ints, bounds: Ints) -> Iterator[Ints]:
        """``chosen`` problems, as many at a time as have not too many chunks that are no impostors'."""
        sizes = np.where(self.twin < 0, np.diff(bounds), 0)
        batch: list[int] = []
        met: set[int] = set()
        rows = 0
        for i in chosen.tolist():
            own = {*self.known[i].tolist(), int(self.asked[i])}
            rows += int(sizes[list(own - met)].sum())
            if batch and rows > _MORE_ROWS:
                yield np.array(batch)
                batch, met, rows = [], set(), int(sizes[list(own)].sum())
            batch.append(i)
            met |= own
        if batch:
            yield np.array(batch)


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the chunks of some problems stand: first the impostors', then those of documents that are none.

    Attributes
    ----------
    extra : (extra,) int64
        Rows of the documents' chunks that follow the impostors'.
    pairs : (links, 2)
        Rows of every problem's known documents and of its questioned one, each with each.
    own, place, own_ends, link_ends, gone, gone_ends
        As ``left_out_kernel.leave_out`` takes them.
    """

    extra: Ints
    pairs: Ints
    own: Ints
    place: Ints
    own_ends: Ints
    link_ends: Ints
    gone: Ints
    gone_ends: Ints

    @classmethod
    def of(cls, cases: Cases, documents: Chunked, impostors: Chunked) -> Layout:
        """The chunks of these problems."""
        used = np.unique(np.concatenate([cases.asked, *cases.known]))
        filled = int(impostors.bounds[-1])
        rows: dict[int, Ints] = {}
        extra = [np.zeros(0, np.int64)]
        for document in used.tolist():
            twin = int(cases.twin[document])
            if twin >= 0:
                rows[document] = np.arange(impostors.bounds[twin], impostors.bounds[twin + 1])
            else:
                extra.append(np.arange(documents.bounds[document], documents.bounds[document + 1]))
                rows[document] = np.arange(filled, filled + len(extra[-1]))
                filled += len(extra[-1])
        own, place, own_ends, pairs, link_ends = [], [], [0], [np.zeros((0, 2), np.int64)], [0]
        for known, asked in zip(cases.known, cases.asked, strict=True):
            parts = [rows[document] for document in (*known.tolist(), int(asked))]
            own.append(np.concatenate(parts))
            place.append(np.repeat(np.arange(len(parts)), [len(part) for part in parts]))
            own_ends.append(own_ends[-1] + len(own[-1]))
            left, right = np.concatenate(parts[:-1]), parts[-1]
            pairs.append(np.stack([np.repeat(left, len(right)), np.tile(right, len(left))], axis=1))
            link_ends.append(link_ends[-1] + len(pairs[-1]))
        owner, gone = np.nonzero(np.repeat(~cases.allowed, np.diff(impostors.bounds), axis=1))
        gone_ends = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(cases)))])
        return cls(
            np.concatenate(extra), np.concatenate(pairs), np.concatenate(own), np.concatenate(place),
            np.array(own_ends), np.array(link_ends), gone, gone_ends,
        )  # fmt: skip
