"""Finds texts that differ from the others in language or kind: few of their words are common words of the others, or
function words.

In: ``CommonWords.of``: texts; its ``unlike``: texts by problem; ``plain_languages``: texts and their ids;
``by_language``: texts by author; the others: one text, ``coverage`` also a set of common words in lowercase.
Out: ``CommonWords`` (words; ``usual`` and ``least``, shares of a text's words, 0 to 1); ``unlike`` and
``plain_languages`` ids by language; ``coverage`` a share of words, 0 to 1; ``function_shares`` a
count of words and the two languages with most function words, with shares, 0 to 1; ``lacks_function_words`` a count of
words, 0 = it has some, or is short; ``by_language`` groups of authors; ``in_alphabetical_order`` bool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, islice, pairwise
from typing import Self

import numpy as np

from ravenbench.errors import first_names
from ravenbench.text.mail import phrases
from ravenbench.text.tokens import WORD, frequent_words

COMMON = 200
SAMPLE = 2_000
BEGINNING = 2_000
"""Number of common words; number of texts (the first) from which they are taken; number of characters read from a
text."""
FOREIGN = 0.2
"""A text differs from others if its proportion of common words is less than this part of the usual proportion, and less
than in all but one in a hundred of them."""


def coverage(text: str, common: frozenset[str]) -> float:
    """Return the proportion of a text's words that are among the common words, in [0, 1]."""
    words = [word.lower() for word in WORD.findall(text)]
    return sum(word in common for word in words) / len(words) if words else 0.0


@dataclass(frozen=True)
class CommonWords:
    """The most frequent words of some texts, their usual proportion in a text, and the proportion below which a text
    differs from these texts."""

    words: frozenset[str]
    usual: float
    least: float

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Make it from some texts."""
        begun = [text[:BEGINNING] for text in islice(texts, SAMPLE)]
        words = frozenset(frequent_words(begun, COMMON))
        shares = [coverage(text, words) for text in begun] or [0.0]
        usual = float(np.median(shares))
        return cls(words, usual, min(FOREIGN * usual, float(np.quantile(shares, 0.01))))

    def unlike(self, texts_by_part: Mapping[str, Sequence[str]]) -> list[str]:
        """Return a sentence that counts the problems with a text that differs from these texts; empty if there is
        none."""
        smallest_shares = {
            name: min(coverage(text[:BEGINNING], self.words) for text in texts)
            for name, texts in texts_by_part.items()
        }
        odd = [name for name, share in smallest_shares.items() if share < self.least]
        return (
            [
                f"{len(odd):,} of {len(texts_by_part):,} problems to answer have a text that"
                " differs from the training texts in language or kind, so that an answer has little"
                f" evidence: {first_names(odd)}; of the first, {smallest_shares[odd[0]]:.0%} of a"
                f" text's words are among their most frequent ones, of their own {self.usual:.0%}"
            ]
            if odd
            else []
        )


BEGUN = 1_200
FEWEST_WORDS = 50
LEAST = 0.05
PLAINLY = 0.6
WITHOUT = 0.02
SORTED = 0.85
"""Number of characters and words at a beginning that decide its language; smallest proportion of function words of the
language (the next language must have less than ``PLAINLY`` of it); proportion below which no function words are left;
proportion of ordered neighbours that makes words sorted."""


@cache
def function_words() -> dict[str, list[str]]:
    """Return the most frequent function words of languages, each with the English names of its languages."""
    languages: dict[str, list[str]] = {}
    for line in phrases("function_words"):
        language, _, words = line.partition(": ")
        for word in words.split():
            languages.setdefault(word, []).append(language)
    return languages


@lru_cache(maxsize=4_096)
def function_shares(beginning: str) -> tuple[int, list[tuple[str, float]]]:
    """Return the number of words of a text, and the two languages with the most function words in it (with
    proportions)."""
    counts = Counter(beginning.lower().split())
    counts_by_language = Counter({"": 0, "none": 0})
    word_count = counts.total()
    languages = function_words()
    for word, count in counts.items():
        for language in languages.get(word, ()):
            counts_by_language[language] += count
    return word_count, [
        (language, count / (word_count or 1))
        for language, count in counts_by_language.most_common(2)
    ]


def lacks_function_words(text: str) -> int:
    """Return the number of words at a text's beginning if almost none is a function word of any language; otherwise
    0."""
    count, shares = function_shares(text[:BEGUN])
    return count if count >= 1.5 * FEWEST_WORDS and shares[0][1] < WITHOUT else 0


def in_alphabetical_order(text: str) -> bool:
    """Return whether the words at a text's beginning are sorted, in either direction."""
    words = text[:BEGUN].lower().split()
    steps = Counter((word > next_word) - (word < next_word) for word, next_word in pairwise(words))
    return max(steps[1], steps[-1]) >= max(FEWEST_WORDS / 2, SORTED * (steps[1] + steps[-1]))


def plain_languages(texts: Iterable[str], ids: Iterable[str]) -> dict[str, list[str]]:
    """Return ids of texts by their clear language, the most frequent first; empty if fewer than one in a hundred are in
    other languages, or the language of half of the texts is unknown."""
    named = dict[str, list[str]]()
    several = list(zip(texts, ids, strict=False))
    for text, name in several:
        count, ((language, word_count), (_, next_most)) = function_shares(text[:BEGUN])
        if count >= FEWEST_WORDS and next_most < PLAINLY * word_count and word_count >= LEAST:
            named.setdefault(language, []).append(name)
    by_size = dict(sorted(named.items(), key=lambda entry: -len(entry[1])))
    most, *others = [*map(len, by_size.values())] or [0]
    known = most + sum(others)
    return {} if 100 * sum(others) <= most or 2 * known < len(several) else by_size


LANGUAGE_WORDS = 100
LEAST_WORDS = 150
"""Number of most frequent words that distinguish languages (a quarter of a short text's words); fewest words that
distinguish them."""
OWN_LANGUAGE = 0.4
LONG = 600
"""Smallest part of an author's coverage by the author's common words that another author in the same language reaches;
half of it if one of them has fewer words than ``LONG``."""
MOST_COMPARED = 100
"""Number of authors whose languages are compared."""


def by_language(texts: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return names of authors (the first ``MOST_COMPARED``) by the language of their texts, the largest group first,
    without authors with too few words."""
    words = {
        name: Counter(word.lower() for text in language_texts for word in WORD.findall(text))
        for name, language_texts in list(texts.items())[:MOST_COMPARED]
    }
    words = {name: counts for name, counts in words.items() if counts.total() >= LEAST_WORDS}
    common = {
        name: {word for word, _ in counts.most_common(min(LANGUAGE_WORDS, counts.total() // 4))}
        for name, counts in words.items()
    }

    def covered(name: str, other: str) -> float:
        return sum(words[name][word] for word in common[other]) / max(1, words[name].total())

    group = {name: [name] for name in words}
    for first, second in combinations(words, 2):
        is_short = min(words[first].total(), words[second].total()) < LONG
        least = covered(first, first) * OWN_LANGUAGE / (2 if is_short else 1)
        if group[first] is not group[second] and covered(first, second) >= least:
            group[first] += group[second]
            for name in group[second]:
                group[name] = group[first]
    return sorted({id(names): names for names in group.values()}.values(), key=len, reverse=True)
