"""The exact-preimage test: can the edits of a deterministic obfuscator be enumerated back?

Whoever has the program can obfuscate every sentence that may have been the original and keep those that give the
hidden one. Where one is left, the sentence is known with certainty; among several the likeliest is guessed.

References
----------
Kerckhoffs' principle as in Potthast et al. 2016, section 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ravenbench.bench.safety.channel import Channel
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording.words import tokens

TEXTS = 10
"""Texts the test is made on: every candidate is obfuscated."""
CANDIDATES = 64
"""Most candidates tried for one sentence."""
PROBES = 3
"""Texts on which two seeds must agree for an obfuscator to be called deterministic."""


@dataclass(frozen=True)
class Preimage:
    """Changed sentences; those whose true original is among the preimages found, is the likeliest, is the only one."""

    changed: int
    covered: int
    guessed: int
    exact: int

    @property
    def share(self) -> float | None:
        """Share of changed sentences whose likeliest preimage is the true original; None where none changed."""
        return self.guessed / self.changed if self.changed else None


def is_deterministic(obfuscator: Obfuscator, tasks: Sequence[ObfuscationTask]) -> bool:
    """Whether two seeds give the same bytes."""
    return all(obfuscator.obfuscate(task, 1).text == obfuscator.obfuscate(task, 2).text for task in tasks[:PROBES])


def preimages(obfuscator: Obfuscator, done: Sequence[tuple[ObfuscationTask, Rewriting]], channel: Channel) -> Preimage:
    """The test on the first ``TEXTS`` rewritten texts; candidates differ from the hidden sentence in one word."""
    changed = covered = guessed = exact = 0
    for task, rewriting in done[:TEXTS]:
        for original, hidden in _sentences(rewriting):
            changed += 1
            if original is None or hidden is None:
                continue
            found = [text for text in candidates(hidden, channel) if _becomes(obfuscator, task, text) == hidden]
            covered += original in found
            guessed += found[:1] == [original]
            exact += found == [original]
    return Preimage(changed, covered, guessed, exact)


def candidates(hidden: str, channel: Channel) -> list[str]:
    """The sentence itself, and with one word replaced by what it may stand for; the likeliest first."""
    found = {hidden: 1.0}
    for token in tokens(hidden):
        for source, share in channel.others(token.text).items():
            found.setdefault(hidden[: token.start] + source + hidden[token.end :], share / channel.stays(token.text))
    return sorted(found, key=lambda text: (-found[text], text))[:CANDIDATES]


def _becomes(obfuscator: Obfuscator, task: ObfuscationTask, text: str) -> str:
    return obfuscator.obfuscate(replace(task, questioned=text, known=task.known or (task.questioned,)), 0).text


def _sentences(rewriting: Rewriting) -> list[tuple[str | None, str | None]]:
    """Changed sentences and what they became; None where a part's sentences do not correspond."""
    found: list[tuple[str | None, str | None]] = []
    for part in rewriting.parts:
        a = [part.original[x:y] for x, y in sentences(part.original)]
        b = [part.obfuscation[x:y] for x, y in sentences(part.obfuscation)]
        if len(a) == len(b):
            found += [(x, y) for x, y in zip(a, b, strict=True) if x != y]
        elif part.original != part.obfuscation:
            found += [(None, None)] * len(a)
    return found
