"""Obfuscates by one synonym in a sentence for the author's most frequent words, with a language model (``Mansoorizadeh``).

In: for ``obfuscate`` an ``ObfuscationTask`` (an English text and the author's known texts; the seed changes nothing).
For ``frequent_share`` texts; for ``replacements`` a sentence's ``Token``s, such shares, a ``LanguageModel`` and, in
repaired mode, ``Stretches`` to leave alone.
Out: a ``Rewriting`` in parts with notes and counts of operations; ``frequent_share``: shares by token that sum to 1;
``replacements``: a list of ``Replacement`` with scores (gain + 0.1, times the word's share), higher = better.
MissingPart without Brown (``fit``), WordNet, the tagger or lemminflect, if they are needed; SpecError for
a parameter out of range, when the obfuscator is made.

References
----------
Mansoorizadeh, Rahgooy, Aminiyan, Eskandari (2016), Author Obfuscation using WordNet and Language Models, CLEF
working notes. If paper and code disagree, this follows the code: the word distribution is that of the *known*
texts, and a token's score is (gain + 0.1)·P(w), not LM(new)·P(w).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.obfuscation.base import (
    ObfuscationTask,
    Obfuscator,
    Part,
    Rewriting,
    count_operations,
)
from ravenbench.obfuscation.guards import Stretches, acceptable, inflected, stretches
from ravenbench.obfuscation.parts import Edit, from_edits, pack, sentences
from ravenbench.obfuscation.wording import words as wording
from ravenbench.obfuscation.wording.resources import language_model
from ravenbench.text.language_model import LanguageModel
from ravenbench.types import Ints, Size

_FREQUENT = 200
_SENSES = 3
_LEAST_GAIN = -0.05
_BONUS = 0.1


@dataclass(frozen=True)
class Replacement:
    """A candidate for one token and the score it competes with inside its sentence."""

    token: wording.Token
    new: str
    score: float


@dataclass(eq=False, repr=False)
class Mansoorizadeh(Obfuscator):
    """Replaces at most ``k`` words in a sentence; deterministic, so the seed changes nothing and inversion is easy.

    Also called: paraphrase, synonyms, WordNet.

    Parameters
    ----------
    k : int
        Maximum replacements in a sentence.
    mode : 'repaired' or 'faithful'
        ``faithful`` joins tokens with single spaces as the original did, which puts a space before every mark
        and loses paragraphs; and it may replace a word by a form of itself (*is* by its head lemma *be*, inflected to
        *is*), which loses nothing in gain and so wins most sentences. ``repaired`` edits in place and has no such
        candidates.

    Notes
    -----
    Far fewer words change than there are sentences. In English essays (20 words in a sentence, so at most 50 changes per
    1,000 words), a fifth of the sentences contain a frequent content word with a candidate above the minimum gain: about
    11 changes per 1,000 words, 9 in ``faithful`` mode.
    """

    name = "mansoorizadeh-2016"
    version = 3

    k: Size = 1
    mode: Literal["repaired", "faithful"] = "repaired"

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Train the language model, or find it in the cache. MissingPart if Brown is not installed."""
        language_model()
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        self.fit([task])
        text = task.questioned
        share = frequent_share(task.known or (text,))
        model = language_model()
        edits: list[Edit] = []
        for start, end in sentences(text):
            token_list = wording.tokens(text, start, end)
            guarded = None if self.mode == "faithful" else stretches(text)
            best = sorted(
                replacements(token_list, share, model, guarded),
                key=lambda r: (-r.score, r.token.start),
            )
            edits += [
                Edit(r.token.start, r.token.end, r.new, "synonym")
                for r in best[: self.k]
                if r.score > 0
            ]
        parts = from_edits(text, edits) if self.mode == "repaired" else _joined(text, edits)
        notes = (
            () if task.known else ("no known text: word frequencies are those of the text itself",)
        )
        return Rewriting(parts, notes, count_operations(parts))


def frequent_share(texts: Sequence[str]) -> dict[str, float]:
    """Return relative frequencies (shares that sum to 1) of the 200 most frequent tokens among themselves, ties by code
    point."""
    counts = Counter(token.text for text in texts for token in wording.tokens(text))
    chosen = sorted(counts, key=lambda w: (-counts[w], w))[:_FREQUENT]
    total = sum(counts[w] for w in chosen)
    return {w: counts[w] / total for w in chosen}


def replacements(
    token_list: Sequence[wording.Token],
    share: Mapping[str, float],
    model: LanguageModel,
    guarded: Stretches | None = None,
) -> list[Replacement]:
    """Return the best candidate of each frequent content word of a sentence.

    If ``guarded`` says what to leave unchanged, candidates must be acceptable and in an existing form; otherwise they
    may be forms of the word itself.
    """
    if not any(token.text in share for token in token_list):
        return []
    named = wording.tags(token_list)
    words = wording.brown([token.text for token in token_list])
    ids = model.ids(words)
    old: float | None = None
    out = []
    for place, (token, tag) in enumerate(zip(token_list, named, strict=True)):
        pos = wording.wordnet_pos(tag)
        if (
            token.text not in share
            or pos is None
            or (guarded is not None and guarded.touch(token.start, token.end))
        ):
            continue
        own = wording.senses(token.text, pos)
        # A sense headed by a prefix of the word is the word itself, or nearly.
        near = [s for s in own if not token.text.lower().startswith(wording.head(s).lower())]
        if guarded is not None:
            near = [s for s in near if acceptable(token.text, wording.head(s), pos)]
        near = near[:_SENSES]
        best: tuple[float, str] | None = None
        for sense in near:
            form = (
                wording.inflect(wording.head(sense), tag)
                if guarded is None
                else inflected(wording.head(sense), tag)
            )
            if form is None:
                continue
            new = wording.match_case(token.text, form)
            if old is None:
                old = float(model.log10_ids(ids).sum())
            gain = (_spliced(model, ids, place, new) - old) * wording.similarity(own[0], sense)
            if gain > _LEAST_GAIN and (best is None or gain > best[0]):
                best = gain, new
        if best is not None:
            out.append(Replacement(token, best[1], (best[0] + _BONUS) * share[token.text]))
    return out


def _spliced(model: LanguageModel, ids: Ints, place: int, new: str) -> float:
    """log10 probability of the sentence with other words at one place."""
    inner = model.ids(new.split(" "))[1:-1]
    return float(model.log10_ids(np.concatenate([ids[: place + 1], inner, ids[place + 2 :]])).sum())


def _joined(text: str, edits: Sequence[Edit]) -> tuple[Part, ...]:
    by_start = {edit.start: edit for edit in edits}
    parts = []
    for start, end in pack(text):
        token_list = wording.tokens(text, start, end)
        words = [by_start[t.start].new if t.start in by_start else t.text for t in token_list]
        hits = tuple(by_start[t.start].operation for t in token_list if t.start in by_start)
        parts.append(Part(start, end, text[start:end], " ".join([*words, ""]), (*hits, "join")))
    return tuple(parts)
