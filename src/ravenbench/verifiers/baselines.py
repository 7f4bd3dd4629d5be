"""Defines baseline methods (n-grams, compression, function words) and controls.

In: ``Problems`` (n); ``fit`` also takes their truth, which these methods do not use; ``pair_features`` of ``PPM`` and
``Length`` takes a ``TextTable`` and rows of known and of questioned texts.
Out: raw scores (n,), higher = same author: ``CharNgram``, ``TopicFit`` and ``TopicOnly`` give cosines, 0 to 1, 0 for a
text without known units; ``FunctionWords`` and ``StyleOnly`` (1 + cosine) / 2; ``Chance`` a random number in [0, 1);
``Length`` minus the absolute natural log ratio of lengths, at most 0. ``PPM`` gives features (n, 2) in bits per
character, low = same author, NaN for an empty text. Controls: ``StyleOnly`` reads style, ``TopicOnly`` and ``TopicFit``
topic, ``Chance`` and ``Length`` neither. Helpers: ``training_documents`` gives rows and weights, ``pair_cosines`` and
``profile_cosines`` scores (n,), ``largest_usable`` a number of words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.randomness import stream
from ravenbench.text.counting import CountStore, largest, totals, with_counts
from ravenbench.text.lexicon import ALL_TOKENS
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import Tfidf, TokenProfiles, row_cosines, spread_counts, unit
from ravenbench.text.tokens import lowered
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Few, Floats, Ints, Problems
from ravenbench.types import Length as NgramLength
from ravenbench.verifiers.contract.base import FoldFree, Scorer, mean_by_problem


@dataclass(eq=False, repr=False)
class CharNgram(Scorer):
    """Cosine between tf-idf vectors of character n-grams; averaged over several known documents.

    Also called: tf-idf, TFIDF, character n-grams, PAN baseline.

    Parameters
    ----------
    n, size : int
        Length of the n-grams, and number of the most frequent n-grams used.
    lowercase : bool
    bags : int
        If positive, use the mean cosine over this many random halves of the vocabulary, drawn at fit.
    reference : bool
        Learn from pair texts as PAN does, so that a text in two problems counts twice; by default every
        document counts once.
    seed : int
        Decides the halves.

    References
    ----------
    Baseline code of PAN 2020–2023 and of Sawatphol et al. 2024.
    """

    name = "char-ngram"
    reads = "characters"
    calibrated_by = "threshold-band"

    n: NgramLength = 4
    size: int = 3000
    lowercase: bool = True
    bags: Few = 0
    reference: bool = False
    seed: int = 0

    @property
    def counted(self) -> CharNgrams:
        """Return the units that are counted in whole texts."""
        return CharNgrams(self.n, self.lowercase)

    def fit(self, problems: Problems, same: Bools) -> Self:
        documents, weights = training_documents(problems, self.reference)
        self.tfidf_ = Tfidf(self.counted, self.size).fit(problems.texts, documents, weights)
        width = len(self.tfidf_.vocabulary_)
        self.halves_ = np.zeros((self.bags, width), np.bool_)
        for bag in range(self.bags):
            rng = stream(self.seed, "char-ngram-bag", bag)
            self.halves_[bag, rng.permutation(width)[: (width + 1) // 2]] = True
        return self

    def score(self, problems: Problems) -> Floats:
        return pair_cosines(self.tfidf_, problems, self.halves_ if self.bags else None)


def training_documents(problems: Problems, repeated: bool) -> tuple[Ints, Ints | None]:
    """Return rows of ``texts`` to learn from, and how often each counts (None: once) if repetitions count."""
    documents = problems.documents
    if not repeated:
        return documents, None
    uses = np.concatenate([problems.known_index, problems.questioned_index])
    return documents, np.bincount(uses, minlength=len(problems.texts))[documents]


def pair_cosines(tfidf: Tfidf, problems: Problems, halves: Bools | None = None) -> Floats:
    """Return the cosine of each problem's texts, averaged over its known documents, shape (n,).

    ``halves`` (bags, vocabulary) averages over bags of features too.
    """
    rows = tfidf.rows(problems.texts, problems.documents)
    known, places = problems.places
    questioned = places[problems.owner]
    if halves is None:
        cosines = row_cosines(rows, known, questioned)
    else:
        cosines = np.mean([row_cosines(rows, known, questioned, keep) for keep in halves], axis=0)
    return mean_by_problem(cosines, problems)


@dataclass(eq=False, repr=False)
class PPM(FoldFree):
    """Cross-entropies in bits per character, low if the texts are alike; the calibrator learns the sign.

    Also called: compression, cross-entropy.

    The baseline of PAN20–23 after Teahan & Harper (2003) and, with raw features, of HITS; features and answers are not
    rounded. See ``ravenbench.text.ppm`` for the model.

    With several known documents, the features of the pairs are averaged. A problem with an empty text has NaN
    features: calibrators leave it unanswered.

    Parameters
    ----------
    features : "symmetric" or "raw"
        ``[(h1 + h2) / 2, |h1 − h2|]`` (PAN20/21 and the paper), or ``[h1, h2]`` (PAN22/23 and the HITS code),
        which changes when the texts of a pair are exchanged. h1 is the questioned text under the known
        text's model.
    order : int
        Length of the longest context, 0 … 5.
    escape : "C", optional
        PPM-C's escape probabilities instead of plain shares.
    """

    name = "ppm"
    reads = "characters"
    calibrated_by = "logistic"

    features: Literal["symmetric", "raw"] = "symmetric"
    order: Literal[0, 1, 2, 3, 4, 5] = 5
    escape: Literal["C"] | None = None

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """True if exchanging the texts of a pair leaves the answer unchanged."""
        return self.features == "symmetric"

    def pair_features(self, texts: TextTable, known: Ints, questioned: Ints) -> Floats:
        """Return features of document pairs, (n, 2), as in ``features``, in bits per character."""
        from ravenbench.text.ppm import cross_entropies

        entropies = cross_entropies(texts, known, questioned, self.order, self.escape)
        if self.features == "raw":
            return entropies
        return np.stack([entropies.mean(axis=1), np.abs(entropies[:, 0] - entropies[:, 1])], axis=1)


@dataclass(eq=False, repr=False)
class FunctionWords(Scorer):
    """(1 + cosine) / 2 of z-scored relative frequencies of the most frequent training words.

    The words come from training texts, so any language is possible; nearly all of the first 150 words of a mixed corpus
    are function words. The score is averaged over several known documents.

    Parameters
    ----------
    words : int

    References
    ----------
    Smith & Aldridge 2011; Evert et al. 2017 (Cosine Delta).
    """

    name = "function-words"
    reads = "words"
    calibrated_by = "threshold-band"
    counted = ALL_TOKENS

    words: int = 150

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.profiles_ = TokenProfiles(self.words).fit(problems.texts, problems.documents)
        return self

    def score(self, problems: Problems) -> Floats:
        return profile_cosines(self.profiles_, problems)


def profile_cosines(profiles: TokenProfiles, problems: Problems) -> Floats:
    """Return (1 + cosine) / 2 of each problem's profiles, (n,) from 0 to 1, averaged over known documents; a zero profile
    has cosine 0."""
    rows = unit(profiles.transform(problems.texts, problems.documents))
    known, questioned = problems.places
    cosines = (1 + np.einsum("ij,ij->i", rows[known], rows[questioned[problems.owner]])) / 2
    return mean_by_problem(np.clip(cosines, 0, 1), problems)


@dataclass(eq=False, repr=False)
class Chance(Scorer):
    """A uniform draw from [0, 1) for each problem id.

    Parameters
    ----------
    seed : int
        Decides the draws, together with the problem's id.
    """

    name = "chance"
    calibrated_by = "threshold-band"
    provenance = "ours"

    seed: int = 0

    def score(self, problems: Problems) -> Floats:
        draws = [stream(self.seed, "chance", name).random() for name in problems.ids.tolist()]
        return np.array(draws, dtype=np.float64)


class Length(FoldFree):
    """Minus the absolute logarithm of the ratio of lengths (characters, each plus one): 0 for equal lengths."""

    name = "length"
    calibrated_by = "logistic"
    provenance = "ours"

    def pair_features(self, texts: TextTable, known: Ints, questioned: Ints) -> Floats:
        used_texts, positions = np.unique(np.concatenate([known, questioned]), return_inverse=True)
        size = np.array([len(texts[row]) + 1.0 for row in used_texts])[positions]
        known_size = size[: len(known)]
        questioned_size = size[len(known) :]
        # The ratio is exact, so that equal ratios are ties on every processor; logarithms differ in their last digit.
        return np.asarray(
            np.log(
                np.minimum(known_size, questioned_size) / np.maximum(known_size, questioned_size)
            ),
            dtype=np.float64,
        )


@dataclass(eq=False, repr=False)
class StyleOnly(Scorer):
    """(1 + cosine) / 2 of z-scored frequencies of few words, punctuation marks, and sentence length.

    Content words count only in the number of words of a text.

    Parameters
    ----------
    words, marks : int
        Numbers of the most frequent training words and marks used.
    """

    name = "style-only"
    reads = "words"
    calibrated_by = "threshold-band"
    provenance = "ours"
    counted = ALL_TOKENS

    words: int = 60
    marks: int = 12

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.profiles_ = TokenProfiles(self.words, self.marks, sentences=True).fit(
            problems.texts, problems.documents
        )
        return self

    def score(self, problems: Problems) -> Floats:
        return profile_cosines(self.profiles_, problems)


LADDER = (10_000, 3_000, 1_000, 300, 200, 100)
SHORT = 1_000
ENOUGH = 40
REFERENCE_MASK = 10_000


@dataclass(eq=False, repr=False)
class TopicFit(Scorer):
    """Cosine between word tf-idf vectors without the most frequent training words and without numbers.

    This equals masking every text with ``TopicMask`` and counting words, but reads cached word counts, so a mask
    costs nothing. One-letter words are not features.

    Parameters
    ----------
    mask : int, optional
        Number of training words masked. The default is the largest of 10,000, 3,000, 1,000, 300, 200 and 100 that leaves at
        least 40 words in the median training document (100 if none does): the published 10,000 leaves
        nothing of a short text. Only training texts decide, not truth.
    size : int
        Number of the most frequent remaining words used.
    folded : bool
        Count lowercase forms for the mask. By default, cases are counted separately but masked by lowercase form, as
        published; names that occur only capitalised therefore stay visible, as a control for topic fit needs.
    reference : bool
        As published: mask 10,000 unless given, and texts that occur in two problems count twice. (The
        published code leaves test texts unmasked, which changes nothing, because masked words are not features.)

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
    reads = "words"
    calibrated_by = "threshold-band"
    counted = ALL_TOKENS

    mask: int | None = None
    size: int = 3000
    folded: bool = False
    reference: bool = False

    def fit(self, problems: Problems, same: Bools) -> Self:
        documents, weights = training_documents(problems, self.reference)
        with_counts(
            ALL_TOKENS, lambda store: self._choose(store, problems.texts, documents, weights)
        )
        self.tfidf_ = Tfidf(ALL_TOKENS, self.size, content=True).fit(
            problems.texts, documents, weights, self.masked_
        )
        return self

    def _choose(
        self, store: CountStore, texts: TextTable, documents: Ints, weights: Ints | None
    ) -> None:
        total = totals(store, texts, documents, weights) * store.lexicon.content
        if self.folded:
            total = np.bincount(store.lexicon.fold, weights=total).astype(np.int64)
        mask = REFERENCE_MASK if self.mask is None and self.reference else self.mask
        if mask is not None:
            self.mask_ = mask
            ranked = largest(store, total, mask)[0]
        else:
            # Ranking ten thousand words takes longer than all the rest, and short texts never need it.
            ranked, ids = largest(store, total, SHORT)
            self.mask_ = largest_usable(store, texts, documents, ids)
            if self.mask_ == SHORT:
                ranked, ids = largest(store, total, LADDER[0])
                self.mask_ = largest_usable(store, texts, documents, ids)
        self.masked_ = frozenset(word for word in ranked[: self.mask_] if word == lowered(word))

    def score(self, problems: Problems) -> Floats:
        return pair_cosines(self.tfidf_, problems)


def largest_usable(store: CountStore, texts: TextTable, documents: Ints, ranked: Ints) -> int:
    """Return the largest mask (a number of words) of the ladder, no larger than ``ranked`` (ids), that leaves the median
    document enough words."""
    ladder = [step for step in LADDER if step <= max(len(ranked), LADDER[-1])]
    words_left = []
    for rows in store.blocks(texts, documents):
        # By how many steps of the ladder, the smallest first, a word is left.
        reach = np.full(
            len(store.lexicon), np.searchsorted(ladder[::-1], len(ranked), side="right")
        )
        reach[ranked] = np.searchsorted(ladder[::-1], np.arange(len(ranked)), side="right")
        column = reach[store.lexicon.fold] * store.lexicon.content
        counts = spread_counts(
            rows.ids, rows.counts, rows.starts, rows.stops, column, len(ladder) + 1
        )
        words_left.append(np.cumsum(counts[:, :0:-1], axis=1))
    medians = np.median(np.concatenate(words_left), axis=0) if words_left else np.zeros(len(ladder))
    usable = np.flatnonzero(medians >= ENOUGH)
    return ladder[int(usable[0])] if len(usable) else LADDER[-1]


@dataclass(eq=False, repr=False)
class TopicOnly(Scorer):
    """Cosine of tf-idf vectors of lowercase words other than the most frequent training words.

    Parameters
    ----------
    without : int
        Number of the most frequent words left out, mostly function words; cases are folded.
    size : int
        Number of the most frequent remaining words used.
    """

    name = "topic-only"
    reads = "words"
    calibrated_by = "threshold-band"
    provenance = "ours"

    without: int = 150
    size: int = 3000

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.topic_fit_ = TopicFit(self.without, self.size, folded=True).fit(problems, same)
        return self

    def score(self, problems: Problems) -> Floats:
        return self.topic_fit_.score(problems)
