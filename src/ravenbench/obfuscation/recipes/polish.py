"""Polishing as a dose: an obfuscator that rewrites a share of a text's sentences and leaves the others alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from ravenbench.errors import ProgramError, SpecError
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Part, Rewriting
from ravenbench.obfuscation.parts import sentences
from ravenbench.services import Asked

_SPOKE = {"wrong length", "cut off", "refusal or preamble", "it repeats the prompt"}
"""Why a sentence stays though the model did answer."""


@dataclass(eq=False, repr=False)
class Polish(Obfuscator):
    """Rewrites a share of the sentences by another obfuscator, each by itself.

    Also called: dose, partial rewriting, LLM polishing, mixed authorship.

    Which sentences are chosen follows from the seed and the text, and those of a smaller share are among those of a
    greater one; a sentence is rewritten alike at every share, so that shares of one run use the same answers of a
    language model. A sentence that cannot be rewritten stays as it was and is counted; a text of which none can stays
    too, but fails where the language model did not answer at all.

    Parameters
    ----------
    obfuscator : Obfuscator
        What rewrites a sentence, such as ``llm(model='MODEL', url='http://localhost:8000/v1')``.
    share : float
        Of the sentences, 0 to 1.
    """

    name = "polish"
    version = 2
    english = False
    hides = False
    provenance = "ours"

    obfuscator: Obfuscator
    share: float

    @property
    def sends_text(self) -> bool:  # type: ignore[override]
        """Whether texts leave this machine."""
        return self.obfuscator.sends_text

    def require(self) -> None:
        """SpecError if this is no share, or the obfuscator does not rewrite sentences by themselves."""
        super().require()
        inner = self.obfuscator
        if not isinstance(inner, Obfuscator) or inner.whole_batch or inner.imitates or inner.needs_oracle:
            raise SpecError("polish needs an obfuscator that rewrites a sentence by itself", found=inner)
        if not 0 <= self.share <= 1:
            raise SpecError("polish: share is one of sentences", found=self.share, expected="a number from 0 to 1")

    def stamp(self) -> str:
        return self.obfuscator.stamp()

    def estimate(self, tasks: Sequence[ObfuscationTask]) -> Asked | None:
        return self.obfuscator.estimate([one for task in tasks for one in self._chosen(task, 0).values()])

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        self.require()
        if chosen := [one for task in tasks for one in self._chosen(task, 0).values()]:
            self.obfuscator.fit(chosen)
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        text, chosen = task.questioned, self._chosen(task, seed)
        parts, counts, why = [], Counter[str](), Counter[str]()
        for number, (start, end) in enumerate(sentences(text)):
            original = new = text[start:end]
            operations: tuple[str, ...] = ()
            if number in chosen:
                body = chosen[number].questioned
                try:
                    done = self.obfuscator.obfuscate(chosen[number], seed)
                    new = original.replace(body, done.text, 1)
                    operations = tuple(name for part in done.parts for name in part.operations)
                except ProgramError as error:
                    why[str(error).splitlines()[0].rpartition(": ")[2].removeprefix("1 ")] += 1
                counts["sentence rewritten" if new != original else "sentence kept"] += 1
            parts.append(Part(start, end, original, new, operations))
        if why and why.total() == len(chosen) and not _SPOKE & why.keys():
            raise ProgramError(f"{self.name}: no sentence was rewritten: {why.most_common(1)[0][0]}")
        notes = tuple(f"sentences kept: {reason}" for reason in sorted(why))
        return Rewriting(tuple(parts), notes, dict(sorted(counts.items())))

    def _chosen(self, task: ObfuscationTask, seed: int) -> dict[int, ObfuscationTask]:
        """The sentences to rewrite, as tasks of their own, by number."""
        bodies = [task.questioned[a:b].strip() for a, b in sentences(task.questioned)]
        order = [i for i in self.draws(seed, task, "sentences").permutation(len(bodies)).tolist() if bodies[i]]
        chosen = order[: int(self.share * len(order) + 0.5)]
        return {i: replace(task, id=f"{task.id}#{i}", questioned=bodies[i]) for i in chosen}
