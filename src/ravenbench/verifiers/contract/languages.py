"""States what a verifier can do in a language, and refuses texts that it cannot read (ours).

In: a component and ``Problems`` (``check_language``); components by name and a ``TextTable`` (``readable``); or a
component, a kind of writing (``spaces``, ``characters``, ``runs``) and whether the texts are English (``ability``).
Out: ``check_language`` returns nothing, SpecError if the component cannot read the texts; ``readable`` the components
that can, by name, and a note (sentence) on each other component, SpecError if none can; ``ability`` WORKS, ON_CHARACTERS,
REFUSES or UNKNOWN (text); ``reads`` what a component declares that it reads (set of text, empty = nothing); ``table`` a
row for each (name, component): the name and its four abilities.

Raven refuses rather than continue with English resources, or with "words" that are complete sentences if spaces do not
separate words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ravenbench.components import Component, parts
from ravenbench.errors import SpecError
from ravenbench.text.content_words import speaks_english
from ravenbench.text.segmenters import Writing, writing_of
from ravenbench.texts import TextTable
from ravenbench.types import Ints, Problems

_SAMPLE = 20
"""Minimum number of texts checked, if there are as many; fewer than twice this number are checked."""
WRITINGS: dict[Writing, str] = {
    "spaces": "words between spaces, as in most languages",
    "characters": "Chinese and Japanese",
    "runs": "Thai, Lao, Khmer and Burmese",
}
"""Families of languages by how words are separated, with their descriptions."""
WORKS = "works"
ON_CHARACTERS = "works on characters only"
REFUSES = "refuses"
UNKNOWN = "not checked"


def reads(component: Component) -> set[str]:
    """Return what a component and its parts read: some of characters, both, words, blanks, English; empty if
    nothing is declared."""
    return {kind for part in parts(component) if (kind := _declared(part))}


def ability(component: Component, writing: Writing, english: bool) -> str:
    """Return WORKS, ON_CHARACTERS, REFUSES or UNKNOWN, for texts in English or not, of one of the ``WRITINGS``."""
    kinds = reads(component)
    if not kinds:
        return UNKNOWN
    if "English" in kinds and not english:
        return REFUSES
    if writing == "spaces" or kinds <= {"characters"}:
        return WORKS
    if "blanks" in kinds or (writing == "runs" and "words" in kinds):
        return REFUSES
    return ON_CHARACTERS


def check_language(component: Component, problems: Problems) -> None:
    """Raise SpecError for texts that a verifier cannot read; it says why, and which verifiers can."""
    if reads(component) and (
        why := _refusal(component, _sample(problems.texts, problems.documents))
    ):
        raise SpecError(
            f"{component} {why}",
            fix="leave it out of the verifiers, or choose one that reads characters, such as ppm",
        )


def readable(
    components: Mapping[str, Component], texts: TextTable
) -> tuple[dict[str, Component], list[str]]:
    """Return the verifiers that can read these texts, and a note on each one left out. SpecError if none can."""
    sample = _sample(texts, np.arange(len(texts)))
    refusals = {
        name: why for name, component in components.items() if (why := _refusal(component, sample))
    }
    if len(refusals) == len(components):
        name, why = next(iter(refusals.items()))
        raise SpecError(
            f"{name} {why}",
            fix="choose verifiers that read characters, such as --verifiers ppm,char-ngram",
        )
    able = {name: component for name, component in components.items() if name not in refusals}
    return able, [f"Raven leaves out {name}, which {why}" for name, why in refusals.items()]


def _refusal(component: Component, texts: Sequence[str]) -> str | None:
    """Why a verifier cannot read these texts, as what it does; None where it can."""
    writing = writing_of(texts)
    english = writing == "spaces" and ("English" not in reads(component) or speaks_english(texts))
    if ability(component, writing, english) != REFUSES:
        return None
    if writing == "spaces":
        return "reads English only, and these texts are not English"
    return f"reads words, but in {WRITINGS[writing]} spaces do not separate words"


def _sample(texts: TextTable, rows: Ints) -> list[str]:
    return texts.rows(rows[:: max(1, len(rows) // _SAMPLE)])


def table(components: Iterable[tuple[str, Component]]) -> list[tuple[str, ...]]:
    """Return what each named component can do: in English, in other languages with spaces, and in those without."""
    variants: list[tuple[Any, bool]] = [
        ("spaces", True),
        ("spaces", False),
        ("characters", False),
        ("runs", False),
    ]
    return [
        (name, *(ability(component, writing, english) for writing, english in variants))
        for name, component in components
    ]


def _declared(part: Component) -> str:
    if part.reads != "units":
        return part.reads
    units = str(getattr(part, "units", None) or getattr(part, "unit", None) or "char word")
    return "characters" if "word" not in units else "both" if "char" in units else "words"
