"""Impostor documents: the texts of the training problems, and which of them may stand against which problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.errors import CorpusError
from ravenbench.randomness import stream
from ravenbench.text.tokens import normalised
from ravenbench.types import Bools, Ints, Problems
from ravenbench.verifiers.contract.folds import author_clusters


@dataclass(eq=False)
class Background:
    """Distinct training documents (white space aside) and the author clusters they are known to form.

    Documents of one known set, and the sides of a same-author problem, are one author's; so are copies.

    Parameters
    ----------
    most : int
        Impostor documents kept; more are thinned out at random.
    seed : int

    Attributes
    ----------
    texts_ : list of str
        Impostor documents, normalised.
    written_ : list of str
        The same as they were written, line breaks and all.
    author_ : (len(texts_),) int64
        Their author clusters.
    cluster_ : dict of str to int
        Author cluster of every training document, by its normalised text.
    """

    most: int
    seed: int

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Collect the documents of training problems.

        Raises
        ------
        CorpusError
            If fewer than two authors can be told apart.
        """
        used = problems.documents
        row: dict[str, int] = {}
        written: list[str] = []
        of = np.full(len(problems.texts), -1, dtype=np.int64)
        for document in used:
            text = problems.texts[document]
            of[document] = row.setdefault(normalised(text), len(row))
            if of[document] == len(written):
                written.append(text)
        cluster = author_clusters(problems, same, of, len(row))
        texts = list(row)
        kept = np.array([i for i, text in enumerate(texts) if text], dtype=np.int64)
        if len(np.unique(cluster[kept])) < 2:
            raise CorpusError(
                "the training problems hold no impostors",
                found=f"{len(kept)} documents that are all one author's",
                expected="documents of two authors or more",
            )
        if len(kept) > self.most:
            rng = stream(self.seed, "impostor-documents")
            kept = np.sort(rng.choice(kept, size=self.most, replace=False))
        self.texts_ = [texts[i] for i in kept]
        self.written_ = [written[i] for i in kept]
        self.author_ = cluster[kept]
        self.cluster_ = {text: int(c) for text, c in zip(texts, cluster, strict=True)}
        return self

    def allowed(self, texts: list[str]) -> Ints:
        """Impostors for a problem with these normalised texts: none of its authors', as far as is known."""
        own = [self.cluster_[text] for text in texts if text in self.cluster_]
        return np.flatnonzero(~np.isin(self.author_, own)).astype(np.int64)
