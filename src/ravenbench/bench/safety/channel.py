"""What an obfuscator makes of words, learned by an attacker who runs it on texts of his own.

References
----------
Le, Safavi-Naini & Galib 2015, Secure obfuscation of authoring style (for each word consider all that could have
become it).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ravenbench.text.alignment import match

LONGEST = 3
"""Most words of an original phrase that one word may stand for."""
MOST = 20
"""Most sources kept of one word."""


@dataclass(frozen=True)
class Channel:
    """Words of rewritings → what they stood for: originals (words joined by spaces) and P(word | original).

    A word that was met is among its own sources where it ever came through unchanged.
    """

    sources: Mapping[str, Mapping[str, float]]

    @classmethod
    def learn(cls, pairs: Iterable[tuple[Sequence[str], Sequence[str]]]) -> Channel:
        """From tokens of originals and their rewritings."""
        became: defaultdict[str, Counter[str]] = defaultdict(Counter)
        total: Counter[str] = Counter()
        for a, b in pairs:
            total.update(a)
            for place, source in stood_for(a, b):
                became[b[place]][source] += 1
                if " " in source:
                    total[source] += 1
        found = {}
        for word in sorted(became):
            shares = {s: min(1.0, n / total[s]) for s, n in became[word].items()}
            best = sorted(shares, key=lambda s: (-shares[s], s))[:MOST]
            found[word] = {s: shares[s] for s in best}
        return cls(found)

    def others(self, word: str) -> dict[str, float]:
        """What a word may stand for beside itself."""
        return {s: share for s, share in self.sources.get(word, {}).items() if s != word}

    def stays(self, word: str) -> float:
        """P(word | word); a word never met comes through."""
        return self.sources.get(word, {word: 1.0}).get(word, 1e-3)


def stood_for(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Place in the rewriting ``b`` and what stood there in the original ``a``, where that can be said."""
    i = j = 0
    for x, y in [*match(a, b, lambda word: word), (len(a), len(b))]:
        if x - i == y - j:
            yield from ((j + k, a[i + k]) for k in range(x - i))
        elif y - j == 1 and 0 < x - i <= LONGEST:
            yield j, " ".join(a[i:x])
        if x < len(a):
            yield y, a[x]
        i, j = x + 1, y + 1
