"""The 24 features of GLAD. The code's exact lists of marks and line endings, and the profile length of the
dissimilarities, are not in the sources at hand: those here are ours [O]."""

from __future__ import annotations

import itertools
import zlib
from collections import Counter
from dataclasses import dataclass

import numpy as np

from ravenbench.text.cng import dissimilarities, gram_numbers, profiles
from ravenbench.text.tokens import SENTENCE_END, collapse, tokens, words
from ravenbench.types import Floats, Ints, Problems

LENGTHS = (1, 2, 3, 4, 5)
TOP = (100, 100, 100, 100, 500)
"""N-grams of a profile: 100 in the paper, 500 for n = 5 in the code."""
MARKS = ".,;:!?\"'"
ENDINGS = ".,;:!?-"
FEATURES = (
    *(f"dissimilarity {n}" for n in LENGTHS),
    *(f"overlap {n}" for n in LENGTHS),
    "punctuation cosine",
    "line ending cosine",
    "line shape cosine",
    "case difference",
    "block difference",
    "token cosine",
    "sentence length difference",
    "joint entropy",
    "entropy difference",
    "compression ratio",
    "known entropy",
    "questioned entropy",
    "known sentence length",
    "questioned sentence length",
)


@dataclass(frozen=True, eq=False)
class Reading:
    """What is counted in a text once."""

    text: str
    letters: Ints
    tokens: Counter[str]
    punctuation: Floats
    endings: Floats
    shape: Floats
    case: Floats
    block: Floats
    sentence: float
    entropy: float
    packed: int
    size: int


def problem_features(problems: Problems) -> Floats:
    """Features of each problem averaged over its known documents, (n, 24); empty known documents are left out.

    NaN where the questioned or every known text is empty (white space aside).
    """
    read = {int(row): reading(problems.texts[row]) for row in problems.documents}
    result = np.full((len(problems), len(FEATURES)), np.nan)
    for i in range(len(problems)):
        questioned = read[int(problems.questioned_index[i])]
        known = [one for row in problems.known(i) if (one := read[int(row)]).text.strip()]
        if known and questioned.text.strip():
            result[i] = np.mean([pair_features(one, questioned) for one in known], axis=0)
    return result


def reading(text: str) -> Reading:
    """A text's own figures."""
    raw = text.encode()
    plain = collapse(text)
    found = tokens(text)
    lines = text.splitlines() or [""]
    filled = [line.rstrip() for line in lines if line.strip()]
    blocks = [block for block in text.replace("\r\n", "\n").split("\n\n") if block.strip()]
    letters = max(sum(c.isalpha() for c in text), 1)
    capitals = sum(word[:1].isupper() for word in words(text))
    sentences = max(sum(token in SENTENCE_END for token in found), 1)
    return Reading(
        text=text,
        letters=np.array([ord(c) for c in plain], dtype=np.int64),
        tokens=Counter(token.lower() for token in found),
        punctuation=np.array([text.count(mark) for mark in MARKS]) / max(len(text), 1),
        endings=np.array([sum(line.endswith(mark) for line in filled) for mark in ENDINGS]) / max(len(filled), 1),
        shape=np.array([len(filled) / len(lines), 1 - len(filled) / len(lines), len(lines) / max(len(text), 1)]),
        case=np.array([sum(c.isupper() for c in text) / letters, capitals / max(len(words(text)), 1)]),
        block=np.array([len(blocks) / max(len(lines), 1), len(text) / max(len(blocks), 1)]),
        sentence=len(words(text)) / sentences,
        entropy=entropy(Counter(plain)),
        packed=len(zlib.compress(raw)),
        size=max(len(raw), 1),
    )


def pair_features(known: Reading, questioned: Reading) -> Floats:
    """Features of two documents, (24,)."""
    grams = [gram_numbers([known.letters, questioned.letters], n) for n in LENGTHS]
    found = [profiles(numbers) for numbers in grams]
    pair = np.array([0], dtype=np.int64), np.array([1], dtype=np.int64)
    unlike = [
        dissimilarities(each, *pair, np.array([top], dtype=np.int64))[0, 0]
        for each, top in zip(found, TOP, strict=True)
    ]
    shared = []
    for each, top in zip(found, TOP, strict=True):
        first, second = (each.grams[a:b][each.rank[a:b] < top] for a, b in itertools.pairwise(each.bounds))
        shared.append(len(np.intersect1d(first, second)) / top)
    both = known.text + questioned.text
    names = sorted(known.tokens.keys() | questioned.tokens.keys())
    counts = np.array([[known.tokens[name], questioned.tokens[name]] for name in names], dtype=np.float64)
    return np.array(
        [
            *unlike,
            *shared,
            cosine(known.punctuation, questioned.punctuation),
            cosine(known.endings, questioned.endings),
            cosine(known.shape, questioned.shape),
            difference(known.case, questioned.case),
            difference(known.block, questioned.block),
            cosine(*counts.T),
            abs(known.sentence - questioned.sentence),
            entropy(Counter(collapse(both))),
            abs(known.entropy - questioned.entropy),
            compression_ratio(known, questioned),
            known.entropy,
            questioned.entropy,
            known.sentence,
            questioned.sentence,
        ]
    )


def compression_ratio(known: Reading, questioned: Reading) -> float:
    """(C(x) / |x| + C(y) / |y|) / (C(xy) / |xy|), C the bytes zlib needs: higher where the texts share more."""
    joint = (known.text + questioned.text).encode()
    apart = known.packed / known.size + questioned.packed / questioned.size
    return apart / (len(zlib.compress(joint)) / max(len(joint), 1))


def difference(a: Floats, b: Floats) -> float:
    """Sum of |a − b| / (a + b): each component on a scale of its own, unlike in the code [O]."""
    total = a + b
    return float((np.abs(a - b) / np.where(total > 0, total, 1)).sum())


def cosine(a: Floats, b: Floats) -> float:
    """Cosine of two vectors that are nowhere negative; 1 if both are zero, 0 if one is."""
    length = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / length if length > 0 else float(not a.any() and not b.any())


def entropy(counts: Counter[str]) -> float:
    """Bits a character."""
    share = np.array([counts[c] for c in sorted(counts)], dtype=np.float64) / max(counts.total(), 1)
    return float(-(share * np.log2(share)).sum()) + 0.0
