"""Finding text that stands in several posts: repeated lines, and 8-grams of words that reposts share."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ravenbench.randomness import stream
from ravenbench.text.tokens import WORD
from ravenbench.types import Bools

_KEY = re.compile(r"[\W_\d]+")
_NO_LETTERS = {code: " " for code in range(128) if not chr(code).isalpha()}


def line_key(line: str) -> str:
    """A line without case, digits, punctuation and spacing."""
    # The same by a table, which nearly all lines can take and is faster than an expression.
    if line.isascii():
        return " ".join(line.lower().translate(_NO_LETTERS).split())
    return _KEY.sub(" ", line.lower()).strip()


def drop_repeated_lines(
    posts: Sequence[Sequence[str]], authors: Sequence[str], shortest: int = 12, shared: int = 25
) -> list[list[str]]:
    """Drop lines of ≥ ``shortest`` characters that two posts of one author have, or posts of ≥ ``shared`` authors."""
    once: set[tuple[str, str]] = set()
    repeated: set[tuple[str, str]] = set()
    users: Counter[str] = Counter()
    keys = [[line_key(line) if len(line.strip()) >= shortest else "" for line in lines] for lines in posts]
    for post, author in zip(keys, authors, strict=True):
        for key in set(post) - {""}:
            mine = (author, key)
            if mine in once:
                repeated.add(mine)
            else:
                once.add(mine)
                users[key] += 1
    return [
        [
            line
            for line, key in zip(lines, post, strict=True)
            if not key or ((author, key) not in repeated and users[key] < shared)
        ]
        for lines, post, author in zip(posts, keys, authors, strict=True)
    ]


def overlapping(texts: Sequence[str], share: float, n: int = 8) -> Bools:
    """Mark the texts that overlap an earlier one that stays.

    Going through ``texts`` in order, a text goes if it has at least ``share`` of its distinct word ``n``-grams, or
    of those of the other text if that has fewer, in common with one text kept before. Identical texts always
    overlap. Returns shape (len(texts),).
    """
    grams = _ngrams([WORD.findall(text.lower()) for text in texts], n)
    flat = np.concatenate(grams) if grams else np.zeros(0, dtype=np.uint64)
    values, counts = np.unique(flat, return_counts=True)
    common = set(values[counts > 1].tolist())
    places: dict[int, list[int]] = defaultdict(list)
    out = np.zeros(len(texts), dtype=bool)
    for i, own in enumerate(grams):
        mine = [g for g in own.tolist() if g in common]
        hits = Counter(j for g in mine for j in places[g])
        out[i] = any(count >= share * min(len(own), len(grams[j])) for j, count in hits.items())
        if not out[i]:
            for g in mine:
                places[g].append(i)
    return out


def _ngrams(documents: Sequence[Sequence[str]], n: int) -> list[NDArray[np.uint64]]:
    """Distinct hashes of each document's word n-grams; a shorter document is one n-gram."""
    code: defaultdict[str, int] = defaultdict()
    code.default_factory = lambda: len(code) + 1
    # Random weights modulo 2**64: two n-grams of words collide with probability about 2**-60.
    weights = stream(0, "newsgroups-ngrams").integers(1, 2**63, size=n, dtype=np.uint64)
    sizes = np.array([max(len(tokens), n) for tokens in documents], dtype=np.int64)
    ends = np.cumsum(sizes)
    ids = np.zeros(int(sizes.sum()), dtype=np.uint64)
    for tokens, start in zip(documents, (ends - sizes).tolist(), strict=True):
        ids[start : start + len(tokens)] = list(map(code.__getitem__, tokens))
    hashes = np.zeros(len(ids), dtype=np.uint64)
    for place, weight in enumerate(weights):
        hashes[: len(ids) - place] += ids[place:] * weight
    # The last n − 1 places of a document begin no n-gram of its own.
    return [
        np.unique(hashes[end - size : end - n + 1]) for size, end in zip(sizes.tolist(), ends.tolist(), strict=True)
    ]
