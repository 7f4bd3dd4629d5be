"""Pairing each stretch of an original with the stretch of the rewriting that renders it."""

from __future__ import annotations

from collections.abc import Sequence

from ravenbench.formats.pan_obfuscation import Part
from ravenbench.obfuscation.parts import PART_WORDS, sentences
from ravenbench.text.alignment import align_sentences, plain_words

_LONG = 2 * PART_WORDS


def aligned_parts(parts: Sequence[Part]) -> list[tuple[str, str]]:
    """Pairs (original, rewriting) that tile both texts: a rewriting's parts, long ones cut by aligned sentences.

    A stretch without a counterpart joins its neighbour, so that only an empty text gives an empty side.
    """
    found: list[tuple[str, str]] = []
    for part in parts:
        long = len(plain_words(part.original)) > _LONG
        found += aligned_texts(part.original, part.obfuscation) if long else [(part.original, part.obfuscation)]
    return _joined(found)


def aligned_texts(original: str, rewritten: str) -> list[tuple[str, str]]:
    """Pairs of aligned sentences that tile both texts; one side may be empty."""
    a = [original[x:y] for x, y in sentences(original)]
    b = [rewritten[x:y] for x, y in sentences(rewritten)]
    beads = align_sentences(a, b)
    return [("".join(a[x.a_start : x.a_stop]), "".join(b[x.b_start : x.b_stop])) for x in beads]


def _joined(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    kept: list[tuple[str, str]] = []
    for a, b in pairs:
        if kept and (not a.strip() or not b.strip() or not kept[-1][0].strip() or not kept[-1][1].strip()):
            kept[-1] = (kept[-1][0] + a, kept[-1][1] + b)
        else:
            kept.append((a, b))
    return kept
