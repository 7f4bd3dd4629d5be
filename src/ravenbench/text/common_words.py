"""Texts that are unlike others in language or kind: hardly any of their words are common ones there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations, islice
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

FEWEST_WORDS, LEAST, PLAINLY, WITHOUT = 50, 0.08, 0.6, 0.02
"""Words of a beginning whose language is asked for; the least share of them that are function words of its language,
of which those of another are a smaller part than ``PLAINLY``; and below which none were left in the text."""


@cache
def function_words() -> dict[str, frozenset[str]]:
    """The most frequent function words of languages, by their English names."""
    listed = [line.partition(": ") for line in phrases("function_words")]
    return {language: frozenset(words.split()) for language, _, words in listed}


@lru_cache(maxsize=4_096)
def function_shares(beginning: str) -> tuple[int, list[tuple[float, str]]]:
    """How many words some text has, and what share of them are function words of each language, the highest first."""
    counts = Counter(word.lower() for word in WORD.findall(beginning))
    whole = counts.total() or 1
    shares = [(sum(counts[w] for w in words) / whole, name) for name, words in function_words().items()]
    return counts.total(), sorted(shares, reverse=True)


def lacks_function_words(text: str) -> int:
    """How many words of its beginning a text has where hardly one is a function word of any language; else 0."""
    count, shares = function_shares(text[:BEGINNING])
    return count if count >= FEWEST_WORDS and shares[0][0] < WITHOUT else 0


def sentence_on_languages(texts: Iterable[str], ids: Iterable[str]) -> list[str]:
    """A sentence on texts that are plainly in other languages than most; none where one in a hundred are."""
    named: dict[str, list[str]] = {}
    for text, name in zip(texts, ids, strict=False):
        count, ((most, language), (next_most, _), *_) = function_shares(text[:BEGINNING])
        if count >= FEWEST_WORDS and next_most < PLAINLY * most >= PLAINLY * LEAST:
            named.setdefault(language, []).append(name)
    (main, most_texts), *others = sorted(named.items(), key=lambda one: -len(one[1])) or [("", [])]
    if 100 * sum(len(names) for _, names in others) <= len(most_texts):
        return []
    shown = ", ".join(f"{len(names):,} in {language} ({first_names(names, 3)})" for language, names in others)
    return [
        f"texts are in several languages, {len(most_texts):,} in {main}, {shown}: these are told apart instead of authors"
    ]


LANGUAGE_WORDS = 100
"""Most frequent words by which languages are told apart."""
OWN_LANGUAGE = 0.4
"""Share of an author's coverage by their own common words that another's reach at least in the same language."""
MOST_COMPARED = 100
"""Authors whose languages are compared."""


def by_language(texts: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Names of authors (the first ``MOST_COMPARED``) by the language of their texts, the largest group first."""
    words = {
        name: Counter(word.lower() for text in some for word in WORD.findall(text))
        for name, some in list(texts.items())[:MOST_COMPARED]
    }
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
