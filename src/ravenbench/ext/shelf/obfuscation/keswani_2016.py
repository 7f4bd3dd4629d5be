"""Obfuscates by round-trip translation (``Keswani``): English to German to French and back.

In: for ``obfuscate`` an ``ObfuscationTask`` (an English text; the seed changes nothing); ``Keswani`` has a
``Translator`` and a chain of language codes.
Out: a ``Rewriting`` in parts with notes, and counts of sentences translated, and of sentences kept because their
translation failed. SpecError for a chain of fewer than two legs or that does not end where it began, MissingPart
without a leg's translator, ProgramError if no sentence was translated or the chain did not come back to English.

References
----------
Keswani, Trivedi, Mehta, Majumder (2016), Author Masking through Translation, CLEF working notes. They used Moses
models of Europarl; here, any translator can be used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from ravenbench.errors import ProgramError, SpecError
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Part, Rewriting
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.translators import Translator, is_text
from ravenbench.obfuscation.wording.words import is_no_longer_english
from ravenbench.services import DiskCache

_LEAST = 0.3
_MOST = 3.0
_SHORT = 5
"""A translation outside these ratios of words is half a text or a runaway; shorter sentences are not judged."""


@dataclass(eq=False, repr=False)
class Keswani(Obfuscator):
    """Translates sentence by sentence along a chain of languages that ends where it began.

    Also called: paraphrase, back-translation, round-trip translation.

    If the translation of a sentence fails on any leg, the original is kept and counted. Answers of real translators
    are stored in the user's cache folder.

    Parameters
    ----------
    translator : Translator
        ``apertium`` or ``command``. ``raven list translators`` says what this machine can do.
    chain : tuple of str
        Language codes, the last that of the texts; checked leg by leg before any work.
    """

    name = "keswani-2016"
    provenance = "reconstructed"

    translator: Translator
    chain: tuple[str, ...] = ("en", "de", "fr", "en")

    @property
    def sends_text(self) -> bool:  # type: ignore[override]
        """Return whether texts leave this machine, because the translator is a server."""
        return self.translator.remote

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Check that every leg of the chain can be translated here.

        SpecError if the chain has no leg, or does not end where it began; MissingPart, which names the command, if a leg's
        translator is not installed.
        """
        if len(self.chain) < 3 or self.chain[0] != self.chain[-1] or "" in self.chain:
            raise SpecError(
                f"{self.name}: the chain must end where it began",
                found=self.chain,
                expected="('en', 'de', 'fr', 'en')",
            )
        for source, target in zip(self.chain, self.chain[1:], strict=False):
            self.translator.check_leg(source, target)
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        text = task.questioned
        spans = sentences(text)
        bodies = [text[a:b].strip() for a, b in spans]
        texts = [body for body in dict.fromkeys(bodies) if any(c.isalpha() for c in body)]
        translated: dict[str, str | None] = {body: body for body in texts}
        for source, target in zip(self.chain, self.chain[1:], strict=False):
            live = [(body, now) for body, now in translated.items() if now is not None]
            for (body, _), new in zip(
                live, self._leg([now for _, now in live], source, target), strict=True
            ):
                translated[body] = new
        counts: Counter[str] = Counter()
        parts = []
        for (start, end), body in zip(spans, bodies, strict=True):
            original = text[start:end]
            new = translated.get(body, body)
            if new is not None and not _plausible(body, new):
                new = None
            if new is None:
                counts["kept: translation failed"] += 1
                parts.append(Part(start, end, original, original))
                continue
            changed = new != body
            counts["translate"] += changed
            lead = original[: len(original) - len(original.lstrip())]
            tail = original[len(original.rstrip()) :]
            parts.append(
                Part(start, end, original, lead + new + tail, ("translate",) if changed else ())
            )
        untranslated = counts["kept: translation failed"]
        if spans and untranslated == len(spans):
            raise ProgramError(
                f"{self.name}: {self.translator} translated none of {untranslated} sentences"
            )
        whole = "".join(part.obfuscation for part in parts)
        if self.chain[-1] == "en" and is_no_longer_english(text, whole):
            message = (
                f"{self.name}: the chain did not come back to English; does {self.translator} swap"
                " languages?"
            )
            raise ProgramError(message)
        notes = (
            [f"{untranslated} of {len(spans)} sentences kept, because their translation failed"]
            if untranslated
            else []
        )
        return Rewriting(
            tuple(parts), tuple(notes), {name: n for name, n in sorted(counts.items()) if n}
        )

    def _leg(self, texts: list[str], source: str, target: str) -> list[str | None]:
        if not self.translator.cached:
            return self.translator.translate(texts, source, target)
        cache = DiskCache("translations")
        fingerprint = self.translator.fingerprint
        known_texts = {
            text: cache.get([fingerprint, source, target, text], is_text) for text in texts
        }
        missing = [text for text, known in known_texts.items() if known is None]
        for text, new in zip(
            missing,
            self.translator.translate(missing, source, target) if missing else [],
            strict=True,
        ):
            if new is not None:
                cache.put([fingerprint, source, target, text], new)
            known_texts[text] = new
        return [known_texts[text] for text in texts]


def _plausible(old: str, new: str) -> bool:
    before = len(old.split())
    after = len(new.split())
    return before < _SHORT or _LEAST <= after / before <= _MOST
