"""Texts that are unlike others in language or kind: hardly any of their words are common ones there."""

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

COMMON, SAMPLE, BEGINNING = 200, 2_000, 2_000
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

    def unlike(self, parts: Mapping[str, Sequence[str]]) -> list[str]:
        """A sentence that counts the problems, by name, that have a text which is unlike these; none where none is."""
        least = {name: min(coverage(text[:BEGINNING], self.words) for text in texts) for name, texts in parts.items()}
        odd = [name for name, share in least.items() if share < self.least]
        return [
            f"{len(odd):,} of {len(parts):,} problems to answer have a text that is unlike those to learn from in "
            f"language or kind, so that an answer has little to go by: {first_names(odd)}; of the first, "
            f"{least[odd[0]]:.0%} of a text's words are among their most frequent ones, of their own {self.usual:.0%}"
        ] if odd else []  # fmt: skip


BEGUN, FEWEST_WORDS, LEAST, PLAINLY, WITHOUT, SORTED = 1_200, 50, 0.05, 0.6, 0.02, 0.85
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
    counts, of = Counter(beginning.lower().split()), Counter({"": 0, "none": 0})
    whole, languages = counts.total(), function_words()
    for word, count in counts.items():
        for language in languages.get(word, ()):
            of[language] += count
    return whole, [(language, count / (whole or 1)) for language, count in of.most_common(2)]


def lacks_function_words(text: str) -> int:
    """How many words of its beginning a text has where hardly one is a function word of any language; else 0."""
    count, shares = function_shares(text[:BEGUN])
    return count if count >= FEWEST_WORDS and shares[0][1] < WITHOUT else 0


def in_alphabetical_order(text: str) -> bool:
    """Whether the words at a text's beginning are sorted, either way."""
    words = text[:BEGUN].lower().split()
    steps = Counter((a > b) - (a < b) for a, b in pairwise(words))
    return max(steps[1], steps[-1]) >= max(FEWEST_WORDS / 2, SORTED * (steps[1] + steps[-1]))


def sentence_on_languages(texts: Iterable[str], ids: Iterable[str]) -> list[str]:
    """A sentence on texts that are plainly in other languages than most; none where one in a hundred are, or where of
    half of the texts nobody knows the language."""
    named, several = dict[str, list[str]](), list(zip(texts, ids, strict=False))
    for text, name in several:
        count, ((language, most), (_, next_most)) = function_shares(text[:BEGUN])
        if count >= FEWEST_WORDS and next_most < PLAINLY * most and most >= LEAST:
            named.setdefault(language, []).append(name)
    (main, most_texts), *others = sorted(named.items(), key=lambda one: -len(one[1])) or [("", [])]
    fewer = sum(len(names) for _, names in others)
    if 100 * fewer <= len(most_texts) or 2 * (fewer + len(most_texts)) < len(several):
        return []
    shown = ", ".join(f"{len(names):,} in {language} ({first_names(names, 3)})" for language, names in others)
    said = f"texts are in several languages, {len(most_texts):,} in {main}, {shown}"
    return [f"{said}: these are told apart instead of authors"]


LANGUAGE_WORDS = 100
"""Most frequent words by which languages are told apart."""
OWN_LANGUAGE = 0.4
"""Share of an author's coverage by their own common words that another's reach at least in the same language."""
MOST_COMPARED = 100
"""Authors whose languages are compared."""


def by_language(texts: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Names of authors (the first ``MOST_COMPARED``) by the language of their texts, the largest group first; not of
    those of fewer words than tell it."""
    words = {
        name: Counter(word.lower() for text in some for word in WORD.findall(text))
        for name, some in list(texts.items())[:MOST_COMPARED]
    }
    words = {name: counts for name, counts in words.items() if counts.total() >= FEWEST_WORDS}
    common = {name: {w for w, _ in counts.most_common(LANGUAGE_WORDS)} for name, counts in words.items()}

    def covered(name: str, by: str) -> float:
        return sum(words[name][word] for word in common[by]) / max(1, words[name].total())

    group = {name: [name] for name in words}
    for a, b in combinations(words, 2):
        if group[a] is not group[b] and covered(a, b) >= OWN_LANGUAGE * covered(a, a):
            group[a] += group[b]
            for name in group[b]:
                group[name] = group[a]
    return sorted({id(names): names for names in group.values()}.values(), key=len, reverse=True)
