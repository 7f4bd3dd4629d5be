"""The obfuscator that puts another author's text in place of the questioned one: what no rewriting can exceed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from ravenbench.errors import InputError
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Part, Rewriting


class OtherAuthor(Obfuscator):
    """Replaces the text by a known text of another problem of the document set.

    Of the known texts whose problem shares no document with this one, the draw is among the ten nearest in
    length. Authors are unknown here, so a text may by chance be the same author's where a set has few authors.
    """

    name = "other-author"
    english = False
    provenance = "ours"

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Keep the set's known texts as the pool.

        Raises
        ------
        InputError
            If fewer than two problems have known texts.
        """
        if sum(bool(task.known) for task in tasks) < 2:
            raise InputError(
                "other-author takes its texts from the other problems of a set", found=f"{len(tasks)} problems",
                fix="give a set of problems with known texts",
            )  # fmt: skip
        self.pool_ = [frozenset((*task.known, task.questioned)) for task in tasks]
        self.known_ = [task.known for task in tasks]
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        if not hasattr(self, "pool_"):
            raise InputError("other-author was not fitted", fix="call fit with the tasks of the document set first")
        text = task.questioned
        own = frozenset((*task.known, text))
        texts = sorted(
            {t for all_, known in zip(self.pool_, self.known_, strict=True) if not all_ & own for t in known}
        )
        if not texts:
            raise InputError(f"{task.id}: every other problem shares a text with this one")
        near = sorted(texts, key=lambda t: (abs(len(t) - len(text)), t))[:10]
        chosen = near[int(self.draws(seed, task, "choose").integers(0, len(near)))]
        return Rewriting((Part(0, len(text), text, chosen, ("replace",)),), counts={"replace": 1})
