"""Decides which frequent words have no content and stay when content is replaced, and how much topic they show (ours).

In: ``keep``: words by frequency, whether each is even (bool), how many may stay; ``spread_…`` and ``named_topics``:
sparse counts of words (n, w), codes of author and topic (n,), −1 = unknown; spreads also sizes of texts (n,) in words;
``hidden`` a text, ``hidden_share`` texts as lists of words, both with the words that stay; ``speaks_english`` texts.
Out: ``keep`` and ``closed_class`` a set of words; ``spread_over_topics`` (w,) (NaN = unknown) and ``spread_over_texts``
(w,) (0 = even or unknown), no upper bound, by chance a little below 0; ``named_topics`` a share of texts, 0 to 1, or
None; ``hidden`` a masked text, ``hidden_share`` a share of words, 0 to 1, ``hidden_sentence`` a sentence;
``speaks_english`` bool.

Rank does not tell function words from content: where everybody writes about computers, *windows* is among the 200
most frequent words. A word stays if it is frequent and spreads evenly over topics, or belongs to a closed class
(articles, pronouns, prepositions, conjunctions, auxiliary verbs) of a language of which there is a list.

How evenly a word spreads over topics is measured between authors: with r its rate in all texts, xᵢ its count in what
one author wrote on one topic and nᵢ the words of that,

    spread = Σ (xᵢ − r·nᵢ)(xⱼ − r·nⱼ) / Σ r·nᵢ · r·nⱼ    over pairs i, j of two authors on one topic.

That is the squared coefficient of variation of its rate over topics. Repetitions by one author are not included, so
that a habit of style does not count as a topic. A word without a topic has 0; a word in only one topic of twenty has
19.

If authors or topics are unknown, the same is computed over texts, between two words of one text. Habits and repetitions
are then included, so the limit is higher.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.randomness import stream
from ravenbench.text.tokens import HAN, HIRAGANA, MARKS, frequent_words, joined, lowered
from ravenbench.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array


EVEN = 1.5
"""Largest spread of a frequent word that stays. Even if register depends strongly on topic, hardly a function word has
more; content words have 2 to 20 (worlds 0 to 11 of ``benchmarks simulate``, 20 Newsgroups)."""
EVEN_OVER_TEXTS = 2.0
"""The same over texts: 143 of the 200 most frequent words of 20 Newsgroups have less, and none of them is uneven over
topics."""
LOOKED_AT = 4
"""Number of frequent words examined, as a multiple of those that may stay."""
SHOWS_LANGUAGE = 0.3
"""Smallest proportion of the 100 most frequent words in a list for which texts count as in its language."""
MOST_TOPICS = 500
"""Most topics that a classifier must distinguish."""
PARTS = 5
"""Number of parts of the authors; topics of each part are named after learning from the other parts."""

BY_TOPICS = "spread over topics"
BY_TEXTS = "spread over texts"
BY_LIST = "a list of function words"


def keep(ranked: Sequence[str], even: Bools, count: int) -> frozenset[str]:
    """Return at most ``count`` of the ``ranked`` words (the most frequent first, in lowercase) that stay: those that
    are ``even`` (ranked,), and those of closed classes."""
    closed = closed_class(ranked)
    staying = [
        word
        for word, stays in zip(ranked[: LOOKED_AT * count], even, strict=False)
        if stays or word in closed
    ]
    return frozenset(staying[:count])


def closed_class(ranked: Sequence[str]) -> frozenset[str]:
    """Return function words of the languages that the most frequent words indicate; empty if these have no list."""
    most_frequent = set(ranked[:100])
    if not most_frequent:
        return frozenset()
    return frozenset().union(
        *(
            words
            for words in _lists()
            if len(most_frequent & words) >= SHOWS_LANGUAGE * len(most_frequent)
        )
    )


def speaks_english(texts: Sequence[str]) -> bool:
    """Return whether the most frequent words of some texts are function words of English."""
    most_frequent = set(frequent_words(texts, 100))
    english = frozenset(
        (files("ravenbench.text") / "closed_class" / "en.txt").read_text("utf-8").split()
    )
    return len(most_frequent & english) >= SHOWS_LANGUAGE * len(most_frequent)


@cache
def _lists() -> tuple[frozenset[str], ...]:
    folder = files("ravenbench.text") / "closed_class"
    return tuple(
        frozenset(entry.read_text("utf-8").split()) for entry in sorted(folder.iterdir(), key=str)
    )


def spread_over_topics(counts: csr_array, sizes: Floats, author: Ints, topic: Ints) -> Floats:
    """Return how unevenly words spread over topics (see the module), (w,), 0 = even; NaN if unknown.

    ``counts`` (n, w) are sparse word counts of each text; ``sizes`` (n,) all its words, also those not counted;
    ``author`` and ``topic`` (n,) are codes, −1 = unknown: these texts do not count.
    """
    is_labelled = (author >= 0) & (topic >= 0)
    counts = counts[is_labelled]
    sizes = sizes[is_labelled]
    author = author[is_labelled]
    topic = topic[is_labelled]
    if len(np.unique(topic)) < 2 or not sizes.sum():
        return np.full(counts.shape[1], np.nan)
    rate = np.asarray(counts.sum(axis=0)).ravel() / sizes.sum()
    width = int(author.max()) + 1
    cell, cell_of_text = np.unique(topic * width + author, return_inverse=True)
    of_cell, in_cell = _summed(counts, sizes, cell_of_text, len(cell))
    of_topic, in_topic = _summed(of_cell, in_cell, cell // width, int(topic.max()) + 1)

    def products(values: csr_array, weights: Floats) -> tuple[Floats, Floats, float]:
        square = values.multiply(values).sum(axis=0)
        mixed = values.multiply(weights[:, None]).sum(axis=0)
        return np.asarray(square).ravel(), np.asarray(mixed).ravel(), float((weights**2).sum())

    (xx, xn, nn), (own_xx, own_xn, own_nn) = (
        products(of_topic, in_topic),
        products(of_cell, in_cell),
    )
    pairs = nn - own_nn
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = ((xx - own_xx) - 2 * rate * (xn - own_xn) + rate**2 * pairs) / (rate**2 * pairs)
    return np.where(np.isfinite(spread), spread, np.nan)


def spread_over_texts(counts: csr_array, sizes: Floats) -> Floats:
    """Return how unevenly words spread over texts, (w,), 0 = even or unknown; arguments as in
    ``spread_over_topics``."""
    total = np.asarray(counts.sum(axis=0)).ravel()
    rate = total / max(float(sizes.sum()), 1.0)
    pairs = float((sizes * (sizes - 1)).sum())
    xx = np.asarray(counts.multiply(counts).sum(axis=0)).ravel() - total
    xn = np.asarray(counts.multiply((sizes - 1)[:, None]).sum(axis=0)).ravel()
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = (xx - 2 * rate * xn + rate**2 * pairs) / (rate**2 * pairs)
    return np.where(np.isfinite(spread), spread, 0.0)


def named_topics(counts: csr_array, author: Ints, topic: Ints, seed: int = 0) -> float | None:
    """Return the proportion (0 to 1) of texts whose topic naive Bayes names from these words, after learning from other
    authors.

    Topics are the most frequent, at most ``MOST_TOPICS``. None if fewer than two topics, or fewer authors than parts,
    are known. Arguments as in ``spread_over_topics``.
    """
    sizes = np.bincount(topic[topic >= 0], minlength=1)
    large = np.isin(topic, np.argsort(-sizes, kind="stable")[:MOST_TOPICS])
    is_usable = (author >= 0) & (topic >= 0) & large
    counts = counts[is_usable].astype(np.float64)
    author = author[is_usable]
    topic = topic[is_usable]
    names, topic = np.unique(topic, return_inverse=True)
    writers, author = np.unique(author, return_inverse=True)
    if len(names) < 2 or len(writers) < PARTS:
        return None
    part = stream(seed, "named-topics").permutation(len(writers))[author] % PARTS
    hits = 0
    for number in range(PARTS):
        in_fold = part == number
        learned, _ = _summed(
            counts[~in_fold], np.zeros(int((~in_fold).sum())), topic[~in_fold], len(names)
        )
        weights = learned.toarray() + 0.5
        weights = np.log(weights / weights.sum(axis=1, keepdims=True))
        prior = np.log(np.bincount(topic[~in_fold], minlength=len(names)) + 0.5)
        hits += int(
            (np.argmax(counts[in_fold] @ weights.T + prior, axis=1) == topic[in_fold]).sum()
        )
    return hits / len(topic)


def _summed(counts: csr_array, sizes: Floats, group: Ints, size: int) -> tuple[csr_array, Floats]:
    """Rows and their sizes added up by group."""
    from scipy.sparse import csr_array

    adding = csr_array(
        (np.ones(len(group)), (group, np.arange(len(group)))), shape=(size, len(group))
    )
    return csr_array(adding @ counts), np.bincount(group, sizes, size).astype(np.float64)


FUNCTION_WORDS = 200
"""Number of most frequent words that do not count as content."""
LETTERS = re.compile(joined(rf"[^\W\d_{HAN}{HIRAGANA}]+") + rf"|[{HAN}{HIRAGANA}][{MARKS}]*")
"""Runs of letters; a Chinese character or a sign of hiragana is a word of its own."""


def hidden(text: str, functions: frozenset[str]) -> str:
    """Return the text with ``x`` (``X`` for a capital) instead of every content word."""

    def stand_in(match: re.Match[str]) -> str:
        word = match[0]
        return word if lowered(word) in functions else "X" if word[0].isupper() else "x"

    return LETTERS.sub(stand_in, text)


LITTLE = 0.4
"""Smallest proportion of hidden words that counts as enough: a mask hides .43 of the words of posts (20 Newsgroups) and
.36 to .38 of novels (ELTeC), with two to six of their 200 most frequent words, including names."""


def hidden_share(texts: Iterable[Iterable[str]], functions: frozenset[str]) -> float:
    """Return the proportion of words that a mask hides, in [0, 1]."""
    hides = [lowered(word) not in functions for words in texts for word in words]
    return sum(hides) / max(len(hides), 1)


def hidden_sentence(share: float) -> str:
    """Return a sentence on how much a mask hides (``share`` from 0 to 1), with a warning if it is little."""
    little = (
        " This is a small proportion: frequent words of a subject, also names, may have stayed."
        " What remains may therefore be more than style."
    )
    return (
        f"{share:.0%} of the words count as content words and are hidden."
        f"{little * (share < LITTLE)}"
    )
