"""Defines Raven's controls: ``Identity`` (no change), ``Random`` (noise, the floor), ``OtherAuthor`` (the ceiling).

In: for ``obfuscate`` an ``ObfuscationTask`` and a seed; ``OtherAuthor`` is first fitted on the tasks of the document
set; ``Random`` has a ``rate``, the probability that a word is touched, 0 to 1.
Out: a ``Rewriting`` in parts: ``Random`` changes English texts only, ``OtherAuthor`` gives a known text of another
problem. InputError if ``OtherAuthor`` is fitted on fewer than two problems with known texts, was not fitted, or finds
no problem that shares no text with the task; MissingPart if ``Random`` needs lemminflect and it is not installed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

from ravenbench.errors import InputError
from ravenbench.obfuscation import base
from ravenbench.obfuscation.guards import relatives, same_form, stretches
from ravenbench.obfuscation.parts import Edit, from_edits
from ravenbench.obfuscation.wording.words import match_case, related, usual_sense
from ravenbench.text.nltk_data import missing
from ravenbench.types import Share


class Identity(base.Obfuscator):
    """Returns the unchanged text."""

    name = "identity"
    english = False
    hides = False
    provenance = "ours"

    def rewrite(self, task: base.ObfuscationTask, seed: int) -> base.Rewriting:
        return base.unchanged(task.questioned)


class OtherAuthor(base.Obfuscator):
    """Replaces the text by a known text of another problem of the document set.

    It draws among the ten known texts nearest in length, from problems without a document in common with this one. It
    does not know authors, so in a set with few authors the text may by chance be by the same author.
    """

    name = "other-author"
    english = False
    provenance = "ours"

    def fit(self, tasks: Sequence[base.ObfuscationTask]) -> Self:
        """Keep the set's known texts as the pool. InputError if fewer than two problems have known texts."""
        if sum(bool(task.known) for task in tasks) < 2:
            raise InputError(
                "other-author takes texts from the other problems of a set",
                found=f"{len(tasks)} problems",
                fix="give a set of problems with known texts",
            )
        self.pool_ = [frozenset((*task.known, task.questioned)) for task in tasks]
        self.known_ = [task.known for task in tasks]
        return self

    def rewrite(self, task: base.ObfuscationTask, seed: int) -> base.Rewriting:
        if not hasattr(self, "pool_"):
            raise InputError(
                "other-author was not fitted",
                fix="call fit with the tasks of the document set first",
            )
        text = task.questioned
        task_texts = frozenset((*task.known, text))
        texts = sorted(
            {
                known_text
                for pool_texts, known_texts in zip(self.pool_, self.known_, strict=True)
                if not pool_texts & task_texts
                for known_text in known_texts
            }
        )
        if not texts:
            raise InputError(f"{task.id}: every other problem has a text in common with this one")
        near = sorted(texts, key=lambda candidate: (abs(len(candidate) - len(text)), candidate))[
            :10
        ]
        chosen = near[int(self.draws(seed, task, "choose").integers(0, len(near)))]
        return base.Rewriting(
            (base.Part(0, len(text), text, chosen, ("replace",)),), counts={"replace": 1}
        )


_WHOLE = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(eq=False, repr=False)
class Random(base.Obfuscator):
    """Drops each word, exchanges it with the next or replaces it by a WordNet relative, with probability ``rate``.

    Without WordNet words are only dropped and exchanged, and the notes say so.

    Parameters
    ----------
    rate : float
        Proportion of changed words, 0 to 1.
    mode : 'repaired' or 'faithful'
        ``repaired`` leaves names, numbers, abbreviations and fixed phrases alone, exchanges no words across a mark,
        and puts in synonyms and hypernyms in a form that exists; ``faithful`` is noise without such guards.
    """

    name = "random"
    provenance = "ours"
    version = 3

    rate: Share = 0.1
    mode: Literal["repaired", "faithful"] = "repaired"

    def fit(self, tasks: Sequence[base.ObfuscationTask]) -> Self:
        return self

    def rewrite(self, task: base.ObfuscationTask, seed: int) -> base.Rewriting:
        self.fit([task])
        text = task.questioned
        guarded = None if self.mode == "faithful" else stretches(text)
        without_wordnet = missing("wordnet")
        rng = self.draws(seed, task, "noise")
        words = list((_WORD if guarded is None else _WHOLE).finditer(text))
        hit = rng.random(len(words)) < self.rate
        kind = rng.integers(0, 2 if without_wordnet else 3, len(words))
        pick = 0
        edits: list[Edit] = []
        free = 0
        for i, word in enumerate(words):
            if (
                not hit[i]
                or word.start() < free
                or (guarded is not None and guarded.touch(*word.span()))
            ):
                continue
            if kind[i] == 0:
                end = word.end() + (text[word.end() : word.end() + 1] == " ")
                edits.append(Edit(word.start(), end, "", "drop"))
            elif kind[i] == 1 and i + 1 < len(words):
                next_word = words[i + 1]
                end = next_word.end()
                if guarded is not None and (
                    guarded.touch(*next_word.span()) or text[word.end() : next_word.start()] != " "
                ):
                    continue
                swapped = next_word.group() + text[word.end() : next_word.start()] + word.group()
                edits.append(Edit(word.start(), end, swapped, "swap"))
            else:
                alternatives = (
                    ()
                    if without_wordnet
                    else _relatives(word.group())
                    if guarded
                    else sum(related(word.group()), ())
                )
                if not alternatives:
                    continue
                pick = int(rng.integers(0, len(alternatives)))
                end = word.end()
                edits.append(
                    Edit(
                        word.start(), end, match_case(word.group(), alternatives[pick]), "relative"
                    )
                )
            free = end
        parts = from_edits(text, edits)
        notes = (
            (f"no word was replaced by a related word: {without_wordnet}",)
            if without_wordnet
            else ()
        )
        return base.Rewriting(parts, notes, base.count_operations(parts))


def _relatives(word: str) -> tuple[str, ...]:
    sense = usual_sense(word)
    if sense is None:
        return ()
    pos = "a" if sense.pos() == "s" else sense.pos()
    candidates = (
        same_form(word.lower(), lemma, pos)
        for names in relatives(word.lower(), pos)
        for lemma in names
    )
    return tuple(dict.fromkeys(form for form in candidates if form is not None))
