"""Who wrote the training documents, as far as problems and their truth tell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.randomness import stream
from ravenbench.types import Bools, Ints, Problems


@dataclass(frozen=True)
class Written:
    """Training documents by author.

    Attributes
    ----------
    documents : (n,) int64
        Rows of ``problems.texts``, ascending.
    author : (n,) int64
        Author of each, numbered from 0 without gaps.
    """

    documents: Ints
    author: Ints

    def select(self, which: Bools) -> Written:
        """The documents marked in ``which`` (n,), their authors numbered anew."""
        author = np.unique(self.author[which], return_inverse=True)[1]
        return Written(self.documents[which], author.astype(np.int64))

    def of(self, author: int) -> Ints:
        """Places in ``documents`` of one author's."""
        return np.flatnonzero(self.author == author)

    @property
    def sizes(self) -> Ints:
        """Documents of each author, shape (authors,)."""
        return np.bincount(self.author).astype(np.int64)

    def split(self, share: float, seed: int) -> tuple[Written, Written]:
        """Training and held-out documents with no author in both.

        About ``share`` of the authors who have two documents or more are held out, with at least two such authors on
        either side where there are four; with fewer, or a share of 0, nothing is held out.
        """
        several = np.flatnonzero(self.sizes >= 2)
        hold = 0 if share <= 0 or len(several) < 4 else int(np.clip(round(share * len(several)), 2, len(several) - 2))
        drawn = stream(seed, "held-out-authors", len(several)).permutation(several)[:hold]
        held_out = np.isin(self.author, drawn)
        return self.select(~held_out), self.select(held_out)


def written(problems: Problems, same: Bools) -> Written:
    """Documents of training problems with their authors.

    Where documents carry no author, those of a known set and those of a same-author problem are one author's, and what
    is not joined counts as different. CorpusError if all documents are one author's.
    """
    documents = problems.documents
    if problems.author is not None and (problems.author.codes[documents] >= 0).all():
        label: Ints = problems.author.codes[documents]
    else:
        place = np.searchsorted(documents, np.arange(len(problems.texts)))
        label = problems.author_clusters(same, place, len(documents))
    author = np.unique(label, return_inverse=True)[1].astype(np.int64)
    if author.max(initial=0) < 1:
        raise CorpusError("a neural verifier cannot learn from one author", expected="several authors")
    return Written(documents, author)


def pairs(documents: Written, most: int = 2000) -> tuple[Ints, Ints, Bools]:
    """All pairs of documents (rows of ``documents.documents``), or ``most`` of either kind; with their truth."""
    a, b = np.triu_indices(len(documents.documents), 1)
    same = documents.author[a] == documents.author[b]
    rng = stream(0, "held-out-pairs", len(same))
    rows = np.concatenate(
        [np.sort(rng.permutation(np.flatnonzero(same == kind))[:most]) for kind in (True, False)]
    ).astype(np.int64)
    return a[rows].astype(np.int64), b[rows].astype(np.int64), same[rows]
