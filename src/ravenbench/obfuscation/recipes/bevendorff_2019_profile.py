"""Byte trigram profiles of a questioned text and its author, and the Jensen–Shannon distance between them.

Trigrams the author never uses add ½·count/N each whatever they are, so only the author's are kept: sorted keys,
their fixed shares, and the questioned text's counts, which edits change in place.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
from numba import njit

from ravenbench.types import Floats, Ints

_TABLE = str.maketrans(
    {"‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "–": "-", "—": "-", "−": "-"}
    | {"…": "...", "\n": " ", "\r": " ", "\t": " "}
)


def plain_bytes(text: str) -> bytes:
    """UTF-8 with quotes, dashes and ellipses made plain and every line break a space."""
    # What is plain already, as most single words are, needs no table.
    return (text if text.isascii() and text.isprintable() else text.translate(_TABLE)).encode()


def codes(data: bytes) -> Ints:
    """The trigram at each byte, as an integer below 2²⁴."""
    b = np.frombuffer(data, dtype=np.uint8).astype(np.int64)
    return (b[:-2] << 16) | (b[1:-1] << 8) | b[2:]


def author_profile(known: bytes) -> tuple[Ints, Floats]:
    """The author's trigrams ascending and their shares."""
    keys, counts = np.unique(codes(known), return_counts=True)
    return keys, counts / max(1, counts.sum())


def count_in(keys: Ints, data: bytes) -> Ints:
    """How often each of the author's trigrams occurs."""
    found = codes(data)
    place = np.searchsorted(keys, found)
    hit = (place < len(keys)) & (keys[np.minimum(place, len(keys) - 1)] == found)
    return np.bincount(place[hit], minlength=len(keys)).astype(np.int64)


def reference_distance(known: bytes, questioned: bytes) -> float:
    """√(2·JSD) in bits from the definition, between 0 and √2."""
    p, q = (Counter(text[i : i + 3] for i in range(len(text) - 2)) for text in (known, questioned))
    n, m = sum(p.values()), sum(q.values())
    total = 0.0
    for gram in p.keys() | q.keys():
        a, b = p[gram] / n, q[gram] / m
        middle = (a + b) / 2
        total += sum(x * math.log2(x / middle) for x in (a, b) if x) / 2
    return math.sqrt(2 * max(0.0, total))


@njit(cache=True)
def term(p, q):  # type: ignore[no-untyped-def]
    """One trigram's share of the divergence."""
    middle = 0.5 * (p + q)
    total = 0.0
    if p > 0:
        total += p * np.log2(p / middle)
    if q > 0:
        total += q * np.log2(q / middle)
    return 0.5 * total


@njit(cache=True)
def divergence(shares, counts, n):  # type: ignore[no-untyped-def]
    """Jensen–Shannon divergence in bits, and Σ q·log2(q/m), which says how it falls as n grows."""
    total, own, seen = 0.0, 0.0, 0
    for i in range(len(shares)):
        q = counts[i] / n
        seen += counts[i]
        total += term(shares[i], q)
        if q > 0:
            own += q * np.log2(2 * q / (shares[i] + q))
    rest = (n - seen) / n
    return total + 0.5 * rest, own + rest


@njit(cache=True)
def add_window(keys, counts, window, sign):  # type: ignore[no-untyped-def]
    """Add the trigrams of a few bytes to the counts, or take them away."""
    for i in range(len(window) - 2):
        at = _place(keys, window, i)
        if at >= 0:
            counts[at] += sign


@njit(cache=True)
def gain(keys, shares, counts, n, own, old, new):  # type: ignore[no-untyped-def]
    """Change of the divergence when the bytes ``old`` become ``new`` (both with two bytes of context a side).

    Exact for edits that keep the length; the effect of another n on all other trigrams is taken to first
    order, d/dn = −own/(2n).
    """
    total = 0.0
    for window, sign in ((old, -1), (new, 1)):
        for i in range(len(window) - 2):
            at = _place(keys, window, i)
            if at >= 0:
                before = term(shares[at], counts[at] / n)
                counts[at] += sign
                total += term(shares[at], counts[at] / n) - before
            else:
                total += 0.5 * sign / n
    for window, sign in ((old, 1), (new, -1)):
        add_window(keys, counts, window, sign)
    return total - 0.5 * own / n * (len(new) - len(old))


@njit(cache=True)
def _place(keys, window, i):  # type: ignore[no-untyped-def]
    code = (np.int64(window[i]) << 16) | (np.int64(window[i + 1]) << 8) | np.int64(window[i + 2])
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and keys[low] == code else -1
