"""Obfuscation by fourteen operations that pull a text towards average style.

References
----------
Mihaylova, Karadjov, Nakov, Kiprov, Georgiev, Koychev (2016), SU@PAN'2016: Author Obfuscation, CLEF working notes.
The word lists are Raven's own; the paraphrase subset of the original was never published.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, Self

from ravenbench.obfuscation.base import (
    ObfuscationTask,
    Obfuscator,
    Part,
    Rewriting,
    check_mode,
    count_operations,
    unchanged,
)
from ravenbench.obfuscation.guards.stretches import stretches
from ravenbench.obfuscation.parts import pack, sentences
from ravenbench.obfuscation.recipes.mihaylova_2016_statistics import has_vocabulary, measure
from ravenbench.obfuscation.recipes.mihaylova_2016_steps import STEPS, Context
from ravenbench.obfuscation.wording.lists import load
from ravenbench.obfuscation.wording.resources import language_model
from ravenbench.text.nltk_data import missing


@dataclass(eq=False, repr=False)
class Mihaylova(Obfuscator):
    """Measures the whole text, then passes each part of at most fifty words through fourteen steps.

    Without WordNet, Brown or the tagger it runs without the steps that need them, and the notes say so.

    Parameters
    ----------
    mode : 'repaired' or 'faithful'
        ``faithful`` keeps the original's defects: tokens joined by single spaces (paragraphs are lost),
        replaced words lose their capitals, contractions are cut greedily (*ca not*), spelling is changed in
        the opposite direction to the paper's and unselected misspellable words vanish, and a text of one
        sentence yields nothing.
    """

    name = "mihaylova-2016"
    provenance = "reconstructed"
    version = 2

    mode: Literal["repaired", "faithful"] = "repaired"

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Load those resources that are installed.

        Raises
        ------
        SpecError
            If the mode is neither of the two.
        """
        check_mode(self.name, self.mode)
        if has_vocabulary():
            language_model()
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        self.fit([task])
        text = task.questioned
        faithful = self.mode == "faithful"
        spans = sentences(text)
        if faithful and len(spans) == 1:
            return unchanged(text, "left unchanged: the original yields nothing for a text of one sentence")
        context = self._context(text, faithful)
        parts = []
        for number, (start, end) in enumerate(pack(text, spans)):
            original = text[start:end]
            new, names = original, []
            for step in STEPS:
                changed = step(new, context, self.draws(seed, task, step.__name__, number))
                if changed != new:
                    names.append(step.__name__)
                new = changed
            parts.append(Part(start, end, original, _respaced(new) if faithful else new, tuple(names)))
        return Rewriting(tuple(parts), self._notes(), count_operations(parts))

    def _context(self, text: str, faithful: bool) -> Context:
        document = measure(text)
        targets = load("mihaylova_targets")
        values = asdict(document.rates)
        delta = {name: values[name] - target for name, target in targets.items() if values[name] is not None}
        names = frozenset() if faithful else stretches(text).names
        return Context(document, delta, faithful, missing("wordnet") is None, names)

    def _notes(self) -> tuple[str, ...]:
        needs = {
            "wordnet": "no synonyms, glosses or spelling",
            "brown": "no spelling",
            "averaged_perceptron_tagger_eng": "no synonyms, glosses or splits at 'and'",
        }
        found = ((effect, missing(resource)) for resource, effect in needs.items())
        return tuple(f"{effect}: {reason}" for effect, reason in found if reason)


def _respaced(text: str) -> str:
    """Join tokens by single spaces, with none before a mark."""
    words = re.findall(r"\w+(?:[-'’]\w+)*|[^\w\s]", text)
    return re.sub(r" (?=[.,;:!?%)\]])", "", " ".join(words)) + " "
