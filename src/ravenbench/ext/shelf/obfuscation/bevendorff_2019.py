"""Obfuscates by heuristic search away from the author's byte trigram profile (``Bevendorff``).

In: for ``obfuscate`` an ``ObfuscationTask`` (an English text and the author's known texts) and a seed; for ``goal`` a
size in bytes.
Out: a ``Rewriting`` in parts with notes and counts of operations, unchanged (with a note) without known texts or for a
text under three bytes; ``goal``: the distance to reach, √(2 · Jensen–Shannon divergence in bits), at most √2,
higher = less alike. SpecError for an unknown target, MissingPart without lemminflect if synonyms need it (repaired
mode with WordNet); operators that lack another resource are left out.

References
----------
Bevendorff, Potthast, Hagen, Stein (2019), Heuristic Authorship Obfuscation, ACL. The n-gram service of the original
is replaced by the local 4-gram model; its minutes of A* for each problem by a greedy search unless requested.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

from ravenbench.errors import SpecError, did_you_mean
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting, unchanged
from ravenbench.obfuscation.base import count_operations as counted
from ravenbench.obfuscation.guards import stretches
from ravenbench.obfuscation.wording.resources import language_model
from ravenbench.text.nltk_data import missing
from ravenbench.types import Positive, Size

THRESHOLDS = {
    "gutenberg": (-0.10437, 2.0831),
    "pan15": (-0.092848, 1.9863),
    "pan14-ee": (-0.082107, 1.8435),
    "pan14-en": (-0.1, 2.0283),
    "pan13": (-0.092108, 1.9916),
}
"""a, b of ε = a·log₂(bytes) + b: the 70th percentile of distances between different authors."""
_LEAST_BYTES = 3


@dataclass(eq=False, repr=False)
class Bevendorff(Obfuscator):
    """Edits the text until its profile is as far from the author's as that of another author's text.

    Needs known texts (without them a text is left unchanged, with the reason) and no oracle. Without WordNet or
    the language model, the operators that need them are left out, and the notes say so.

    Parameters
    ----------
    target : str
        Corpus whose different-author distances set the goal: gutenberg, pan15, pan14-ee, pan14-en or pan13.
    search : 'greedy' or 'astar'
    nodes : int
        Maximum number of nodes that A* expands; a count, not a time, so that results are reproducible.
    edits : float
        Maximum edits of the greedy search, as a share of the words.
    mode : 'repaired' or 'faithful'
        ``repaired`` leaves names, numbers and fixed phrases unchanged and makes only edits after which the text is
        readable, so it stops farther from the goal; ``faithful`` also removes letters from words and inserts sister
        terms (*cat* for *dog*), as in the paper.
    """

    name = "bevendorff-2019"
    provenance = "reconstructed"
    version = 3

    target: str = "pan14-ee"
    search: Literal["greedy", "astar"] = "greedy"
    nodes: Size = 3000
    edits: Positive = 0.5
    mode: Literal["repaired", "faithful"] = "repaired"

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Load the language model, if its data are on this machine. SpecError for an unknown target."""
        if self.target not in THRESHOLDS:
            raise SpecError(
                f"{self.name}: unknown target",
                found=self.target,
                fix=did_you_mean(self.target, THRESHOLDS),
            )
        if missing("brown") is None:
            language_model()
        return self

    def goal(self, size: int) -> float:
        """Return the Jensen–Shannon distance that a text of ``size`` bytes must reach, at most √2."""
        a, b = THRESHOLDS[self.target]
        return min(math.sqrt(2), a * math.log2(size) + b)

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        self.fit([task])
        from ravenbench.ext.shelf.obfuscation.bevendorff_2019_search import (
            Author,
            EditedText,
            a_star,
            greedy,
        )

        text = task.questioned
        known = " ".join(task.known)
        draft = EditedText.of(text, stretches(text) if self.mode == "repaired" else None)
        if len(known.encode()) < _LEAST_BYTES or len(draft.data) < _LEAST_BYTES:
            return unchanged(
                text,
                "left unchanged, because the method needs known texts and a text of three bytes or"
                " more",
            )
        lacking = {name: missing(name) for name in ("wordnet", "brown")}
        notes = [f"operators left out: {reason}" for reason in lacking.values() if reason]
        author = Author.of(known, lacking["wordnet"] is None, lacking["brown"] is None)
        rng = self.draws(seed, task, "search")
        goal = self.goal(len(draft.data))
        counts: dict[str, int] = {}
        if self.search == "greedy":
            state = greedy(author, draft, goal, rng, max(1, int(self.edits * len(text.split()))))
        else:
            result = a_star(author, draft, goal, rng, self.nodes)
            state = result.state
            counts = {"nodes created": result.created, "nodes expanded": result.expanded}
        if not state.draft.log and state.distance >= goal:
            notes.append(
                "left unchanged, because it is already as far away as another author's text"
            )
        if state.distance < goal:
            notes.append("the goal was not reached")
        parts = state.draft.parts(text)
        return Rewriting(parts, tuple(notes), counted(parts) | counts)
