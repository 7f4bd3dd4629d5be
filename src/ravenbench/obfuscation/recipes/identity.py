"""The obfuscator that changes nothing: every deterministic verifier must show impact 0 on it."""

from __future__ import annotations

from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting, unchanged


class Identity(Obfuscator):
    """Returns the text as it is."""

    name = "identity"
    english = False
    hides = False
    provenance = "ours"

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        return unchanged(task.questioned)
