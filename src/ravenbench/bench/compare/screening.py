"""What keeps texts from being compared: copies, a candidate among the background's authors, another language."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ravenbench.bench.compare.material import Case, Text
from ravenbench.text.tokens import WORD
from ravenbench.types import Bools, Corpus

RUN = 8
"""Words in a row that count as copied where they stand in two texts."""
COPIED = 0.3
"""Share of a questioned text's runs of words that makes it a copy."""
SHARED = 0.1
"""Share of a background text's runs of words by which it counts as the candidate's or the questioned text."""
FEWEST_RUNS = 3
FEWEST_WORDS = 50
"""Words of a questioned text, and of all known texts together, below which nothing is said."""
FOREIGN = 0.6
"""A text that holds less than this share of the common words of a usual background text is unlike it."""


def runs(text: str) -> frozenset[tuple[str, ...]]:
    """All runs of ``RUN`` lowercase words."""
    words = [word.lower() for word in WORD.findall(text)]
    return frozenset(zip(*(words[i:] for i in range(RUN)), strict=False))


def is_copy(one: frozenset[tuple[str, ...]], other: frozenset[tuple[str, ...]], share: float) -> bool:
    """Whether so large a share of the first text's runs stands in the second."""
    common = len(one & other)
    return common >= FEWEST_RUNS and common >= share * len(one)


@dataclass
class Screened:
    """``kept`` (documents,) of the background, ``left_out`` in words, and what refuses a case by its id."""

    kept: Bools
    left_out: list[str]
    refusals: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)


def screen(cases: Sequence[Case], corpus: Corpus) -> Screened:
    """Leave out of the background whoever is a candidate, by name or by text, and find copies.

    A background author is left out whole when the name is a candidate's, or a text repeats a known one. A questioned
    text that repeats a known or a background text refuses its case: that is copying, and says nothing of style.
    """
    found = Screened(np.ones(len(corpus), dtype=np.bool_), [])
    asked = {case.questioned.path: case.questioned for case in cases}
    own = {case.candidate: [runs(text.text) for text in case.candidate.texts] for case in cases}
    names = {_folded(candidate.name): candidate.name for candidate in own}
    gone: dict[int, str] = {}
    for code, author in enumerate(corpus.author.names):
        if (name := names.get(_folded(author))) is not None:
            gone[code] = f"{author}: has the name of the candidate {name}"
    questions = {path: runs(text.text) for path, text in asked.items()}
    copied: dict[object, str] = {}
    for row in range(len(corpus)):
        code = int(corpus.author.codes[row])
        here = runs(corpus.texts[row])
        for candidate, several in own.items():
            if code not in gone and any(is_copy(here, one, SHARED) or is_copy(one, here, SHARED) for one in several):
                gone[code] = (
                    f"{corpus.author.names[code]}: {corpus.ids[row]} shares long passages with a known text of "
                    f"{candidate.name}"
                )
        for path, one in questions.items():
            if is_copy(one, here, COPIED):
                copied[path] = corpus.ids[row]
            if is_copy(here, one, SHARED) or is_copy(one, here, SHARED):
                found.kept[row] = False
                found.left_out.append(f"{corpus.ids[row]}: shares long passages with the questioned text {path.name}")
    found.left_out += [gone[code] for code in sorted(gone)]
    found.kept &= ~np.isin(corpus.author.codes, list(gone))
    for case in cases:
        path = case.questioned.path
        if path in copied:
            found.refusals.setdefault(case.id, []).append(
                f"the questioned text repeats the background text {copied[path]}: it was copied or is by that author, "
                "which a comparison of style cannot tell"
            )
        for text, known in zip(case.candidate.texts, own[case.candidate], strict=True):
            if is_copy(questions[path], known, COPIED) or _alike(case.questioned, text):
                found.refusals.setdefault(case.id, []).append(
                    f"the questioned text repeats the known text {text.name}: identical passages are a finding of "
                    "their own, and style is not what makes them alike"
                )
            elif is_copy(questions[path], known, SHARED):
                found.notes.setdefault(case.id, []).append(
                    f"the questioned text shares passages with the known text {text.name}; "
                    "quotations should be taken out"
                )
    return found


def too_short(case: Case) -> list[str]:
    """Refusals of a case whose texts are too short to look at."""
    found = []
    known = sum(text.words for text in case.candidate.texts)
    if case.questioned.words < FEWEST_WORDS:
        found.append(
            f"the questioned text has {case.questioned.words} words; fewer than {FEWEST_WORDS} are not compared"
        )
    if known < FEWEST_WORDS:
        found.append(f"the known texts have {known} words together; fewer than {FEWEST_WORDS} are not compared")
    return found


def coverage(text: str, functions: frozenset[str]) -> float:
    """Share of a text's words that are among the background's most frequent ones, in [0, 1]."""
    words = [word.lower() for word in WORD.findall(text)]
    return sum(word in functions for word in words) / len(words) if words else 0.0


def unlike(name: str, share: float, usual: float) -> str | None:
    """The refusal of a text of another language or kind than the background, or None."""
    if share >= FOREIGN * usual:
        return None
    return (
        f"{name} is unlike the background in language or kind: {share:.0%} of its words are among the background's "
        f"most frequent ones, of a usual background text {usual:.0%}"
    )


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().replace("_", " ").split())


def _alike(one: Text, other: Text) -> bool:
    return one.text.split() == other.text.split()
