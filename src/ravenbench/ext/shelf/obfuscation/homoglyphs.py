"""Replaces letters by look-alikes (``Homoglyphs``): nothing changes for a reader, everything for a program.

In: for ``obfuscate`` an ``ObfuscationTask`` (a text) and a seed; ``Homoglyphs`` has ``rate``, the share of letters with
a look-alike that are replaced, and ``invisible``, the share of words that get a space without width, 0 to 1 each.
Out: a ``Rewriting`` in parts with counts of operations; SpecError if a share is not from 0 to 1. ``TWINS``: look-alikes
by Latin letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from ravenbench.errors import SpecError
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting, count_operations
from ravenbench.obfuscation.parts import Edit, from_edits
from ravenbench.text.lookalikes import twins
from ravenbench.text.tokens import WORD

ZERO_WIDTH_SPACE = "\u200b"


@dataclass(eq=False, repr=False)
class Homoglyphs(Obfuscator):
    """Replaces Latin letters by identical-looking Cyrillic or Greek letters, and puts invisible spaces in words.

    Also called: look-alike letters, Unicode.

    Ours. It tests whether a verifier reads characters as they are stored: a person sees no difference, and the
    ``normaliser`` removes it completely.

    Parameters
    ----------
    rate : float
        Share of letters with a look-alike that are replaced, 0 to 1.
    invisible : float
        Share of words that get a space without width after their first letter, 0 to 1.
    """

    name = "homoglyphs"
    english = False
    provenance = "ours"

    rate: float = 0.2
    invisible: float = 0.0

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        for name in ("rate", "invisible"):
            if not 0 <= getattr(self, name) <= 1:
                raise SpecError(
                    f"homoglyphs: {name} must be a share",
                    found=getattr(self, name),
                    expected="0 to 1",
                )
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        self.fit([task])
        text = task.questioned
        rng = self.draws(seed, task, "letters")
        edits = list[Edit]()
        for word in WORD.finditer(text):
            hidden = rng.random() < self.invisible
            for place, letter in enumerate(word[0], start=word.start()):
                other = TWINS.get(letter, "") if rng.random() < self.rate else ""
                new = (other or letter) + ZERO_WIDTH_SPACE * (hidden and place == word.start())
                if new != letter:
                    edits.append(Edit(place, place + 1, new, "letter" if other else "space"))
        parts = from_edits(text, edits)
        return Rewriting(parts, counts=count_operations(parts))


TWINS = {latin: other for other, latin in reversed(twins("Latin").items())}
"""The look-alike letter of another alphabet, by Latin letter; Cyrillic if it has one."""
