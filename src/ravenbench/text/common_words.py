"""Finds texts unlike the others in language or kind: few of their words are the others' common words or function words.

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
"""How many words count as common; texts that they are taken from, the first ones; letters of a text looked at."""
FOREIGN = 0.2
"""A text is unlike others where it has less than this share of a usual one's common words, and less than all but one in
a hundred of them have."""


def coverage(text: str, common: frozenset[str]) -> float:
    """Share of a text's words that are among the common ones, in [0, 1]."""
    words = [word.lower() for word in WORD.findall(text)]
    return sum(word in common for word in words) / len(words) if words else 0.0


@dataclass(frozen=True)
class CommonWords:
    """The most frequent words of some texts, the share of its words that they are in a usual text, and the share below
    which a text is unlike these."""

    words: frozenset[str]
    usual: float
    least: float

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Of some texts."""
        begun = [text[:BEGINNING] for text in islice(texts, SAMPLE)]
        words = frozenset(frequent_words(begun, COMMON))
        shares = [coverage(text, words) for text in begun] or [0.0]
        usual = float(np.median(shares))
        return cls(words, usual, min(FOREIGN * usual, float(np.quantile(shares, 0.01))))

    def unlike(self, texts_by_part: Mapping[str, Sequence[str]]) -> list[str]:
        """A sentence that counts the problems, by name, that have a text which is unlike these; none where none is."""
        smallest_shares = {
            name: min(coverage(text[:BEGINNING], self.words) for text in texts)
            for name, texts in texts_by_part.items()
        }
        odd = [name for name, share in smallest_shares.items() if share < self.least]
        return (
            [
                f"{len(odd):,} of {len(texts_by_part):,} problems to answer have a text that differs "
                f"from the training texts in language or kind, so that an answer has little "
                f"evidence: {first_names(odd)}; of the first, {smallest_shares[odd[0]]:.0%} of a "
                f"text's"
                " words are"
                f" among their most frequent ones, of their own {self.usual:.0%}"
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
"""Letters of a beginning, and its words, whose language is asked for; the least share of them that are function words
of its language, of which those of another are a smaller part than ``PLAINLY``; below which
none were left in it; the share of neighbours in order that makes sorted words."""


@cache
def function_words() -> dict[str, list[str]]:
    """Of the most frequent function words of languages, the English names of the languages that have each."""
    languages: dict[str, list[str]] = {}
    for line in phrases("function_words"):
        language, _, words = line.partition(": ")
        for word in words.split():
            languages.setdefault(word, []).append(language)
    return languages


@lru_cache(maxsize=4_096)
def function_shares(beginning: str) -> tuple[int, list[tuple[str, float]]]:
    """How many words some text has, and what share of them are function words of two languages, the highest first."""
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
    """How many words of its beginning a text has where hardly one is a function word of any language; else 0."""
    count, shares = function_shares(text[:BEGUN])
    return count if count >= 1.5 * FEWEST_WORDS and shares[0][1] < WITHOUT else 0


def in_alphabetical_order(text: str) -> bool:
    """Whether the words at a text's beginning are sorted, either way."""
    words = text[:BEGUN].lower().split()
    steps = Counter((word > next_word) - (word < next_word) for word, next_word in pairwise(words))
    return max(steps[1], steps[-1]) >= max(FEWEST_WORDS / 2, SORTED * (steps[1] + steps[-1]))


def plain_languages(texts: Iterable[str], ids: Iterable[str]) -> dict[str, list[str]]:
    """Ids of texts by the languages that they are plainly in, the most frequent first; none where one in a hundred are
    in others, or where of half of the texts nobody knows the language."""
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
"""Most frequent words by which languages are told apart, a quarter of a short text's; below so many nothing is told."""
OWN_LANGUAGE = 0.4
LONG = 600
"""Share of an author's coverage by their own common words that another's reach at least in the same language; half of
it where one of them has fewer words than ``LONG``."""
MOST_COMPARED = 100
"""Authors whose languages are compared."""


def by_language(texts: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Names of authors (the first ``MOST_COMPARED``) by the language of their texts, the largest group first; not of
    those of fewer words than tell it."""
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
