"""Efficiency: how much of a text an obfuscation had to change.

References
----------
Kacmarcik & Gamon 2006, Obfuscating document stylometry to preserve author anonymity (14 changes per 1,000 words).
Potthast et al. 2016 advise against ranking obfuscators by it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ravenbench.formats.pan_obfuscation import Part
from ravenbench.obfuscation.measures.pairing import aligned_parts
from ravenbench.text.alignment import changed, plain_words


def efficiency(parts: Sequence[Part]) -> dict[str, float | None]:
    """``changes_per_1000`` words of the original, and the share of both texts' words that an edit touched.

    A maximal run of inserted, deleted and substituted words is one change; changes of white space and punctuation
    alone are none. None for a text without words.
    """
    count = touched = before = after = 0
    for original, rewritten in aligned_parts(parts):
        a, b = plain_words(original), plain_words(rewritten)
        here, words = changed(a, b)
        count, touched, before, after = count + here, touched + words, before + len(a), after + len(b)
    return {
        "changes_per_1000": 1000 * count / before if before else None,
        "edited_share": touched / (before + after) if before + after else None,
    }
