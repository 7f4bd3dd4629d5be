"""TopicFit: a scorer that compares texts without their frequent words and so should fail on unseen topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.text.counting import CountStore, largest, totals, with_counts
from ravenbench.text.lexicon import ALL_TOKENS
from ravenbench.text.tfidf import Tfidf, spread_counts
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.baselines.char_ngram import pair_cosines, training_documents
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.contract.base import Calibrator, Scorer

LADDER = (10_000, 3_000, 1_000, 300, 200, 100)
SHORT = 1_000
ENOUGH = 40
REFERENCE_MASK = 10_000


@dataclass(eq=False, repr=False)
class TopicFit(Scorer):
    """Cosine between word tf-idf vectors without the most frequent training words and without numbers.

    Equals masking every text with ``TopicMask`` and counting words, but reads cached word counts, so a mask
    costs nothing. One-letter words are no features.

    Parameters
    ----------
    mask : int, optional
        Training words masked. By default the largest of 10,000, 3,000, 1,000, 300, 200 and 100 that leaves at
        least 40 words in the median training document (100 where none does): the published 10,000 leaves
        nothing of a short text. Only training texts decide, no truth.
    size : int
        Most frequent remaining words taken up.
    folded : bool
        Count lowercase forms for the mask. By default cases are counted apart but masked by lowercase form, as
        published, so names that stand only capitalised stay visible, as a control for topic fit wants.
    reference : bool
        As published: mask 10,000 unless given, and texts that occur in two problems count twice. (The
        published code leaves test texts unmasked, which changes nothing, since masked words are no features.)

    Attributes
    ----------
    mask_ : int
        Mask in use.
    masked_ : frozenset of str
        Lowercase words masked.

    References
    ----------
    Sawatphol et al. 2024 and its code.
    """

    name = "topic-fit"
    counted = ALL_TOKENS

    mask: int | None = None
    size: int = 3000
    folded: bool = False
    reference: bool = False

    def fit(self, problems: Problems, same: Bools) -> Self:
        documents, weights = training_documents(problems, self.reference)
        with_counts(ALL_TOKENS, lambda store: self._choose(store, problems.texts, documents, weights))
        self.tfidf_ = Tfidf(ALL_TOKENS, self.size, content=True).fit(problems.texts, documents, weights, self.masked_)
        return self

    def _choose(self, store: CountStore, texts: TextTable, documents: Ints, weights: Ints | None) -> None:
        total = totals(store, texts, documents, weights) * store.lexicon.content
        if self.folded:
            total = np.bincount(store.lexicon.fold, weights=total).astype(np.int64)
        mask = REFERENCE_MASK if self.mask is None and self.reference else self.mask
        if mask is not None:
            self.mask_, ranked = mask, largest(store, total, mask)[0]
        else:
            # Ranking ten thousand words takes longer than all the rest, and short texts never need it.
            ranked, ids = largest(store, total, SHORT)
            self.mask_ = largest_usable(store, texts, documents, ids)
            if self.mask_ == SHORT:
                ranked, ids = largest(store, total, LADDER[0])
                self.mask_ = largest_usable(store, texts, documents, ids)
        self.masked_ = frozenset(word for word in ranked[: self.mask_] if word == word.lower())

    def score(self, problems: Problems) -> Floats:
        return pair_cosines(self.tfidf_, problems)

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()


def largest_usable(store: CountStore, texts: TextTable, documents: Ints, ranked: Ints) -> int:
    """The largest mask of the ladder, no larger than ``ranked`` (ids), that leaves the median document enough words."""
    ladder = [step for step in LADDER if step <= max(len(ranked), LADDER[-1])]
    left = []
    for rows in store.blocks(texts, documents):
        # By how many steps of the ladder, the smallest first, a word is left.
        reach = np.full(len(store.lexicon), np.searchsorted(ladder[::-1], len(ranked), side="right"))
        reach[ranked] = np.searchsorted(ladder[::-1], np.arange(len(ranked)), side="right")
        column = reach[store.lexicon.fold] * store.lexicon.content
        counts = spread_counts(rows.ids, rows.counts, rows.starts, rows.stops, column, len(ladder) + 1)
        left.append(np.cumsum(counts[:, :0:-1], axis=1))
    medians = np.median(np.concatenate(left), axis=0) if left else np.zeros(len(ladder))
    usable = np.flatnonzero(medians >= ENOUGH)
    return ladder[int(usable[0])] if len(usable) else LADDER[-1]
