"""Passages that texts of several authors share: licences, headers, forms. They are nobody's style, and make texts of
different people look copied from one another."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from ravenbench.errors import offered

FEWEST_AUTHORS = 3
"""Authors in whose texts a line stands before it counts as nobody's: two may quote each other."""
SHORTEST, LONGEST = 40, 400
"""Characters of a line that is looked at; of longer lines their sentences are."""
GUTENBERG = re.compile(r"\bproject gutenberg(?:'s|\(?tm\)?|-tm|™)?\b", re.IGNORECASE)
_START = re.compile(
    r"^.*\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*\n?|^\*END\*[^\n]*\n", re.MULTILINE | re.IGNORECASE
)
_END = re.compile(
    r"^[^\n]*\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG|^End of (?:the |this )?Project Gutenberg", re.M | re.I
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def _units(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        line = line.strip()
        if len(line) > LONGEST:
            yield from (part for part in _SENTENCE.split(line) if len(part) >= SHORTEST)
        elif len(line) >= SHORTEST:
            yield line


def shared_passages(texts: Iterable[str], authors: Iterable[object]) -> frozenset[str]:
    """Lines (of long ones their sentences) that stand in texts of ``FEWEST_AUTHORS`` authors or more."""
    first: dict[int, object] = {}
    several: dict[str, set[object]] = {}
    for text, author in zip(texts, authors, strict=True):
        for unit in set(_units(text)):
            other = first.setdefault(hash(unit), author)
            if other != author:
                several.setdefault(unit, {other}).add(author)
    return frozenset(unit for unit, who in several.items() if len(who) >= FEWEST_AUTHORS)


def shared_in(text: str, shared: Collection[str]) -> str | None:
    """The first of these passages that stands in a text."""
    return next((unit for unit in _units(text) if unit in shared), None) if shared else None


def without_passages(text: str, shared: Collection[str]) -> str:
    """A text without these passages, and without what Project Gutenberg puts before and after it."""
    start = _START.search(text) if "GUTENBERG" in text.upper() else None
    if start is not None:
        text = text[start.end() :]
        if (end := _END.search(text)) is not None:
            text = text[: end.start()]
    if not shared:
        return text

    def without_shared(line: str) -> str | None:
        plain = line.strip()
        if len(plain) <= LONGEST:
            return None if plain in shared else line
        parts = _SENTENCE.split(line)
        left = [part for part in parts if part.strip() not in shared]
        return line if len(left) == len(parts) else " ".join(left)

    return "\n".join(line for each in text.split("\n") if (line := without_shared(each)) is not None)


def cleaner(texts: Iterable[str], authors: Iterable[object], empty: bool = True) -> Callable[[str], str]:
    """What takes out of a text what these share; one that holds nothing else stays unless it may be ``empty``."""
    shared = shared_passages(texts, authors)
    return lambda text: plain if (plain := without_passages(text, shared)).strip() or empty else text


def sentence_on_shared(texts: Sequence[str], authors: Sequence[object]) -> list[str]:
    """A sentence on passages of several authors, where they stand in a few texts, and in one of fifty; or none."""
    shared = shared_passages(texts, authors[: len(texts)])
    begins = {i: unit for i, text in enumerate(texts) if (unit := shared_in(text, shared)) is not None}
    people = len({authors[i] for i in begins})
    if len(begins) < max(FEWEST_AUTHORS, len(texts) // 50):
        return []
    licence = any(GUTENBERG.search(unit) for unit in shared)
    return [
        f"the same passages stand in {len(begins):,} of {len(texts):,} texts, by {people:,} authors, such as "
        f"“{next(iter(begins.values()))[:60]}…”"
        + (" (it looks like the licence of Project Gutenberg)" if licence else "")
        + offered(": they are nobody's style; --strip-shared takes them out")
    ]
