"""Defines the base class of obfuscators and what they take and give.

In: for ``Obfuscator.obfuscate`` an ``ObfuscationTask`` (a questioned text, its author's other texts, its language) and
a seed (int); for ``obfuscate_all`` several tasks; for ``tasks_of`` ``Problems``; for ``with_questioned`` ``Problems``,
row numbers and their new texts; for ``unchanged`` a text and notes.
Out: a ``Rewriting`` (``obfuscate_all``: a list): the new ``text``, ``Part``s that cover the original without gaps
(half-open spans, code points from 0), notes (sentences), and counts of operations by name. MissingPart without a
resource that is needed, AssertionError if an obfuscator's parts do not give the original. ``tasks_of`` gives tasks,
``with_questioned`` problems, ``count_operations`` the counts of some parts by name.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Literal, Self

import numpy as np

from ravenbench.components import Component
from ravenbench.obfuscation.guards import mended
from ravenbench.obfuscation.wording.words import reason_not_english
from ravenbench.randomness import stream
from ravenbench.reading.pan_obfuscation import Part
from ravenbench.types import Problems

__all__ = ["ObfuscationTask", "Obfuscator", "Part", "Rewriting", "unchanged"]


@dataclass(frozen=True)
class ObfuscationTask:
    """What an obfuscator may see of a problem (texts as ``str``); it never sees the truth or a verifier's score."""

    id: str
    questioned: str
    known: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True)
class Rewriting:
    """A rewritten text as ordered parts.

    Attributes
    ----------
    parts : tuple of Part
        Their originals together are exactly the source; the new text is the concatenation of their obfuscations.
    notes : tuple of str
        Information for a reader: why a text was left unchanged, which resource was missing, which chunks were kept.
    counts : mapping of str to int
        Numbers of operations and failures, by name.
    """

    parts: tuple[Part, ...]
    notes: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def text(self) -> str:
        """The rewritten text."""
        return "".join(part.obfuscation for part in self.parts)

    @cached_property
    def original(self) -> str:
        """The text that was rewritten."""
        return "".join(part.original for part in self.parts)

    @property
    def changed(self) -> bool:
        """Whether the rewriting differs from the original."""
        return self.text != self.original

    def check(self, original: str) -> Self:
        """Return the rewriting itself, if its parts together are ``original``.

        AssertionError otherwise: this is a fault of the obfuscator, not of the input.
        """
        position = 0
        for number, part in enumerate(self.parts, start=1):
            assert part.start == position and part.end >= part.start, (
                f"part {number} starts at {part.start}, not {position}"
            )
            assert part.original == original[part.start : part.end], (
                f"part {number} misquotes the original"
            )
            position = part.end
        assert position == len(original), f"the parts end at {position} of {len(original)}"
        return self


class Obfuscator(Component):
    """Base class of obfuscators, which rewrite questioned texts.

    Subclasses implement ``rewrite``; callers use ``obfuscate``. Class attributes declare properties:

    ``english``
        Texts in other languages stay unchanged; a note says why.
    ``sends_text``
        Texts leave this machine (to an endpoint the user named).
    ``whole_batch``
        All texts are rewritten at once, by ``obfuscate_all``.
    ``hides``
        An unchanged text is a failure, except for a control that changes nothing on purpose.
    ``mode``
        If a recipe has modes: ``repaired`` (the default) or ``faithful``; the results of repaired recipes are mended.
    ``provenance``
        ``sourced`` from a paper or its code, ``reconstructed`` if details are lost, or ``ours``.

    Examples
    --------
    >>> from ravenbench.obfuscation.recipes.controls import Identity
    >>> task = ObfuscationTask("p1", questioned="Nobody knows.", known=("Somebody does.",))
    >>> Identity().obfuscate(task).text
    'Nobody knows.'
    """

    english: ClassVar[bool] = True
    sends_text: ClassVar[bool] = False
    whole_batch: ClassVar[bool] = False
    hides: ClassVar[bool] = True
    provenance: ClassVar[Literal["sourced", "reconstructed", "ours"]] = "sourced"

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Prepare for a document set: load or build what all its texts need. Most obfuscators learn nothing."""
        return self

    @abstractmethod
    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        """Return the rewriting of a non-empty text without byte order mark."""

    def obfuscate(self, task: ObfuscationTask, seed: int = 0) -> Rewriting:
        """Rewrite a task's questioned text; the same arguments always give the same bytes.

        MissingPart if the recipe needs a resource that is not installed; the message names the command that installs
        it.
        """
        text = task.questioned
        bom = "\ufeff" if text.startswith("\ufeff") else ""
        if bom:
            task = replace(task, questioned=text[1:])
        reason = (
            "no words" if not any(character.isalnum() for character in text) else self._reason(task)
        )
        rewriting = (
            unchanged(task.questioned, f"left unchanged: {reason}")
            if reason
            else self.rewrite(task, seed)
        )
        if not reason and not any(character.isalnum() for character in rewriting.text):
            rewriting = unchanged(
                task.questioned, "left unchanged: the rewriting contained no words"
            )
        if getattr(self, "mode", None) == "repaired":
            mended_parts = mended(rewriting.parts)
            count = sum(part.operations.count("mend") for part in mended_parts)
            rewriting = replace(
                rewriting,
                parts=mended_parts,
                counts={**rewriting.counts, **({"mend": count} if count else {})},
            )
        return (_after_bom(rewriting) if bom else rewriting).check(text)

    def stamp(self) -> str:
        """Return what else decides the rewritings besides parameters and version, such as the content of a folder;
        empty if nothing."""
        return ""

    def obfuscate_all(self, tasks: Sequence[ObfuscationTask], seed: int = 0) -> list[Rewriting]:
        """Rewrite all tasks at once, in order; a failure concerns all tasks. For obfuscators that declare
        ``whole_batch``."""
        plain = [replace(task, questioned=task.questioned.removeprefix("\ufeff")) for task in tasks]
        spoken = [
            task for task in plain if any(character.isalnum() for character in task.questioned)
        ]
        results = iter(self.rewrite_all(spoken, seed) if spoken else [])
        rewritings = []
        for task, bare in zip(tasks, plain, strict=True):
            spoke = any(character.isalnum() for character in bare.questioned)
            rewriting = (
                next(results) if spoke else unchanged(bare.questioned, "left unchanged: no words")
            )
            rewritings.append(
                (_after_bom(rewriting) if task.questioned != bare.questioned else rewriting).check(
                    task.questioned
                )
            )
        return rewritings

    def rewrite_all(self, tasks: Sequence[ObfuscationTask], seed: int) -> list[Rewriting]:
        """Return the rewritings of texts with words, in order."""
        return [self.rewrite(task, seed) for task in tasks]

    def draws(
        self, seed: int, task: ObfuscationTask, operation: str, part: int = 0
    ) -> np.random.Generator:
        """Return the random generator for one operation on one part of one problem."""
        return stream(seed, f"obfuscate/{self.name}/{operation}", task.id, part)

    def _reason(self, task: ObfuscationTask) -> str | None:
        return reason_not_english(task.questioned, task.language) if self.english else None


def unchanged(text: str, *notes: str) -> Rewriting:
    """Return a rewriting that leaves the text unchanged, in one part."""
    return Rewriting((Part(0, len(text), text, text),) if text else (), notes)


def count_operations(parts: Sequence[Part]) -> dict[str, int]:
    """Count how often each operation was logged, by name in sorted order."""
    return dict(sorted(Counter(name for part in parts for name in part.operations).items()))


def _after_bom(rewriting: Rewriting) -> Rewriting:
    shifted = [replace(part, start=part.start + 1, end=part.end + 1) for part in rewriting.parts]
    first_part = shifted[0] if shifted else Part(1, 1, "", "")
    first_part = replace(
        first_part,
        start=0,
        original="\ufeff" + first_part.original,
        obfuscation="\ufeff" + first_part.obfuscation,
    )
    return replace(rewriting, parts=(first_part, *shifted[1:]))


def tasks_of(
    problems: Problems, rows: Iterable[int] | None = None, language: str | None = None
) -> list[ObfuscationTask]:
    """Make tasks from verification problems (all, or the given rows), without authors and truth."""
    texts = problems.texts
    return [
        ObfuscationTask(
            str(problems.ids[i]),
            texts[problems.questioned_index[i]],
            tuple(texts.rows(problems.known(i))),
            language,
        )
        for i in (range(len(problems)) if rows is None else rows)
    ]


def with_questioned(problems: Problems, which: Sequence[int], texts: Sequence[str]) -> Problems:
    """Return the same problems with new questioned texts for the given rows, without labels and with calibration
    marks."""
    text_of_row = {int(i): text for i, text in zip(which, texts, strict=True)}
    rows = (
        (
            str(problems.ids[i]),
            problems.texts.rows(problems.known(i)),
            text_of_row[i] if i in text_of_row else problems.texts[problems.questioned_index[i]],
        )
        for i in range(len(problems))
    )
    return Problems.of(
        rows, calibrate=None if problems.calibrate is None else np.asarray(problems.calibrate)
    )
