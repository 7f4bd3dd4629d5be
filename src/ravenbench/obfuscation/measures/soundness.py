"""Measures whether a rewriting still says what the original said.

In: for ``Soundness(similarity).measure`` and ``efficiency`` the ``Part``s of a rewriting (``similarity``: optionally a
function from pairs of texts to cosines); for ``words_lost``, ``numbers`` and ``negations`` both texts; for ``survives``
measures by name.
Out: ``measure`` gives by name ``words_lost`` (content words lost, in 100 words of the original, lower = better),
``chrf`` (0 to 100), ``numbers`` and ``negations`` (those on both sides divided by those on either, 0 to 1) and
``encoder`` (a mean cosine), these higher = better; ``efficiency`` ``changes_per_1000`` words of the original and
``edited_share`` of both texts' words, 0 to 1; None where there is nothing to measure. ``numbers`` and ``negations``
give ``Preserved``, two counts; ``survives`` bool; ``aligned_parts`` and ``aligned_texts`` pairs (original, rewriting).

A similarity measures how close the wording is, not whether the meaning stayed. Numbers and negations are counted
because small changes there can change the meaning.

References
----------
Potthast et al. 2016, section 3.3; Popović 2015 (chrF).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ravenbench.errors import install
from ravenbench.obfuscation.parts import PART_WORDS, sentences
from ravenbench.obfuscation.wording import resources
from ravenbench.reading.pan_obfuscation import Part
from ravenbench.text.alignment import align_sentences, changed, plain_words
from ravenbench.types import Measures

_LONG = 2 * PART_WORDS

Pairs = Sequence[tuple[str, str]]
Similarity = Callable[[Pairs], Sequence[float]]
"""Function from pairs of texts to the cosines of their embeddings."""


class MeaningModel(NamedTuple):
    """A kind of model of meaning that a package registers in ``ravenbench.meaning``.

    ``folder`` takes a name or folder of a model and returns the folder of its files; it loads nothing, and raises
    MissingPart, FormatError or InputError if the model cannot be used. ``load`` gives a ``Similarity`` (registered as
    ``encoder``).
    """

    folder: Callable[[str], Path]
    load: Callable[[str], Any]


def aligned_parts(parts: Sequence[Part]) -> Pairs:
    """Return pairs (original, rewriting) that together are both texts: a rewriting's parts; long parts are cut by
    aligned sentences.

    A passage without a counterpart joins its neighbour, so that only an empty text gives an empty side.
    """
    pairs: list[tuple[str, str]] = []
    for part in parts:
        long = len(plain_words(part.original)) > _LONG
        pairs += (
            aligned_texts(part.original, part.obfuscation)
            if long
            else [(part.original, part.obfuscation)]
        )
    return _joined(pairs)


def aligned_texts(original: str, rewritten: str) -> Pairs:
    """Return pairs of aligned sentences that together are both texts; one side may be empty."""
    original_sentences = [original[x:y] for x, y in sentences(original)]
    rewritten_sentences = [rewritten[x:y] for x, y in sentences(rewritten)]
    beads = align_sentences(original_sentences, rewritten_sentences)
    return [
        (
            "".join(original_sentences[x.a_start : x.a_stop]),
            "".join(rewritten_sentences[x.b_start : x.b_stop]),
        )
        for x in beads
    ]


def _joined(pairs: Pairs) -> Pairs:
    joined: list[tuple[str, str]] = []
    for original, rewritten in pairs:
        if joined and (
            not original.strip()
            or not rewritten.strip()
            or not joined[-1][0].strip()
            or not joined[-1][1].strip()
        ):
            joined[-1] = (joined[-1][0] + original, joined[-1][1] + rewritten)
        else:
            joined.append((original, rewritten))
    return joined


def efficiency(parts: Sequence[Part]) -> Measures:
    """Return ``changes_per_1000`` words of the original, and ``edited_share``, the proportion (0 to 1) of both texts'
    words.

    A maximal run of inserted, deleted and substituted words is one change; changes of white space and punctuation
    alone are none. None for a text without words.
    """
    count = touched = original_words = rewritten_words = 0
    for original, rewritten in aligned_parts(parts):
        words_before = plain_words(original)
        words_after = plain_words(rewritten)
        changes, touched_words = changed(words_before, words_after)
        count = count + changes
        touched = touched + touched_words
        original_words = original_words + len(words_before)
        rewritten_words = rewritten_words + len(words_after)
    return {
        "changes_per_1000": 1000 * count / original_words if original_words else None,
        "edited_share": touched / (original_words + rewritten_words)
        if original_words + rewritten_words
        else None,
    }


_TOKEN = re.compile(r"\d[\d.,]*\d|\d|[^\W\d_]+(?:['’][^\W\d_]+)*")
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: i for i, word in enumerate(_UNITS.split())}
_SMALL |= {word: 10 * i for i, word in enumerate(_TENS.split(), start=2)}
_LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9}
_NEGATING = (
    "not no never none nobody nothing nowhere neither nor cannot without non hardly scarcely barely"
)
_NEGATIVE = frozenset(_NEGATING.split())


class Preserved(NamedTuple):
    """How many items both texts contain, and how many either contains."""

    preserved: int
    total: int

    def __add__(self, other: object) -> Preserved:
        if not isinstance(other, Preserved):
            return NotImplemented
        return Preserved(self.preserved + other.preserved, self.total + other.total)

    @property
    def share(self) -> float | None:
        """``preserved`` divided by ``total``, from 0 to 1; None if neither text contains any."""
        return self.preserved / self.total if self.total else None


def numbers(original: str, rewritten: str) -> Preserved:
    """Count numbers on both sides and on either, as digits or words: 3 and "three" are the same number."""
    numbers_before = number_values(original)
    numbers_after = number_values(rewritten)
    return Preserved(
        (numbers_before & numbers_after).total(), (numbers_before | numbers_after).total()
    )


def negations(original: str, rewritten: str) -> Preserved:
    """Count negating words on both sides and on either; "don't" and "do not" have one each."""
    negations_before = _negations(original)
    negations_after = _negations(rewritten)
    return Preserved(min(negations_before, negations_after), max(negations_before, negations_after))


def words_lost(original: str, rewritten: str) -> float | None:
    """Return how many content words of the original the rewriting lacks, in 100 words; None for a text without words.

    Contractions and British spellings count as their full and American forms. A good synonym counts like a bad one:
    readers reject most replaced words, and of the available measures this one agrees best with them
    (``benchmarks/soundness_grades.py``).
    """
    size = len(plain_words(original))
    return 100 * content_lost(original, rewritten) / size if size else None


def content_lost(original: str, rewritten: str) -> int:
    """Return how many content words of the original the rewriting lacks."""
    return (Counter(_plain_forms(original)) - Counter(_plain_forms(rewritten))).total()


def _plain_forms(text: str) -> list[str]:
    """Content words in lower case and American spelling."""
    spelling = resources.load("british_american")
    functions = _function_words()
    words = (word.casefold().replace("’", "'").removesuffix("'s") for word in plain_words(text))
    return [spelling.get(word, word) for word in words if word not in functions and "'" not in word]


@cache
def _function_words() -> frozenset[str]:
    return frozenset(
        (files("ravenbench.text") / "closed_class" / "en.txt").read_text("utf-8").split()
    )


def number_values(text: str) -> Counter[str]:
    """Count the numbers of a text by value; "twenty-one" is 21, "1,000" is 1000; anything but a plain integer stays as
    written."""
    numbers: Counter[str] = Counter()
    total = current = 0
    last: int | None = None

    def close() -> None:
        nonlocal total, current, last
        if last is not None:
            numbers[str(total + current)] += 1
        total, current, last = 0, 0, None

    for token in _TOKEN.findall(text.casefold()):
        if token[0].isdigit():
            close()
            digits = re.sub(r",(?=\d{3}\b)", "", token)
            numbers[str(int(digits)) if digits.isdecimal() and len(digits) < 4000 else digits] += 1
        elif token in _SMALL:
            value = _SMALL[token]
            # "twenty one" goes on, "one two" begins anew.
            if last is not None and last < 100 and not (last >= 20 and value < 10):
                close()
            current += value
            last = value
        elif token == "hundred" and last is not None and last < 100:
            current, last = max(current, 1) * 100, 100
        elif token in _LARGE and last is not None:
            total, current, last = total + max(current, 1) * _LARGE[token], 0, _LARGE[token]
        elif token != "and" or last is None or last < 100:
            close()
    close()
    return numbers


def _negations(text: str) -> int:
    words = [word.casefold().replace("’", "'") for word in plain_words(text)]
    return sum(word in _NEGATIVE or word.endswith("n't") for word in words)


SURVIVAL: Mapping[str, tuple[float, float]] = {
    "words_lost": (0.0, 1.0),
    "numbers": (0.80, 1.0),
    "negations": (0.80, 1.0),
}
"""Ranges in which a text's meaning counts as having survived: a convention, not a judgement of meaning. Two readers
called 51 of 61 sentences without lost content words correct, of the others 11 of 58: if more than one word in a hundred
is lost, several sentences of a text are wrong. A measure that was not made is left out."""


class Soundness:
    """Measures of rewritings.

    Parameters
    ----------
    similarity : callable, optional
        Cosines of pairs of texts in a sentence encoder (the meaning model ``encoder``).

    Attributes
    ----------
    missing : dict of str to str
        Measures that are not made here, and why.
    """

    def __init__(self, similarity: Similarity | None = None) -> None:
        self.similarity = similarity
        self.missing: dict[str, str] = {}
        if self._chrf is None:
            self.missing["chrf"] = f"sacrebleu: {install('obfuscation')}"
        if similarity is None:
            self.missing["encoder"] = "no sentence encoder was named"

    def measure(self, parts: Sequence[Part]) -> Measures:
        """Take every measure of one rewriting; None where it was not made or there is nothing to measure.

        ``words_lost`` is a number per 100 words, ``chrf`` a percentage, ``numbers`` and ``negations`` are shares,
        ``encoder`` is a cosine. ``chrf`` and ``encoder`` are means over aligned parts.
        """
        pairs = aligned_parts(parts)
        original = "".join(part.original for part in parts)
        rewritten = "".join(part.obfuscation for part in parts)
        measures = {"words_lost": words_lost(original, rewritten), "chrf": self._mean_chrf(pairs)}
        for name, count in (("numbers", numbers), ("negations", negations)):
            preserved = sum(
                (count(original, rewritten) for original, rewritten in pairs), Preserved(0, 0)
            )
            measures[name] = preserved.share
        measures["encoder"] = self._mean_cosine(pairs)
        return measures

    @cached_property
    def _chrf(self) -> Any:
        try:
            from sacrebleu.metrics import CHRF
        except ModuleNotFoundError:
            return None
        return CHRF()

    def _mean_chrf(self, pairs: Pairs) -> float | None:
        spoken = [
            (original.strip(), rewritten.strip())
            for original, rewritten in pairs
            if original.strip()
        ]
        if self._chrf is None or not spoken:
            return None
        return float(
            np.mean(
                [
                    self._chrf.sentence_score(rewritten, [original]).score
                    for original, rewritten in spoken
                ]
            )
        )

    def _mean_cosine(self, pairs: Pairs) -> float | None:
        spoken = [
            (original, rewritten)
            for original, rewritten in pairs
            if original.strip() and rewritten.strip()
        ]
        if self.similarity is None or not spoken:
            return None
        return float(np.asarray(self.similarity(spoken), dtype=np.float64).mean())


def survives(measures: Measures) -> bool:
    """Return whether a text's meaning survived by ``SURVIVAL``; measures that were not made do not count."""
    return all(
        low - 1e-9 <= value <= high + 1e-9
        for name, (low, high) in SURVIVAL.items()
        if (value := measures.get(name)) is not None
    )
