"""Finds what pulls each way, for a reader to look at: passages, common words and character n-grams, in context.

In: a questioned text, known texts, the background's training ``Problems`` with truth (n,), its most frequent words, a
seed.
Out: an ``Evidence``: passages and their tokens in log10 ratios (unbounded); features with a ``pull`` (words: terms of a
cosine of z-scores, −1 to 1; n-grams: overlap beyond that with others, in a thousand n-grams) and uses a thousand units;
all above 0 for the candidate. ``content`` is the share (0 to 1) of a feature's instances within content words.
``passages``, ``common_words`` and ``ngrams`` each give one part, ``ext.case.choices`` that of choices.

Nothing here enters the likelihood ratio: it shows what methods of these kinds see. *Content words*, all but the
background's most frequent ones, are marked, for what they say may be topic.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from msgspec import Struct

from ravenbench.ext.case.choices import choices
from ravenbench.ext.shelf.published.lambdag import LambdaG
from ravenbench.ext.shelf.raven.alternations import Choice
from ravenbench.text.content_words import LETTERS, hidden
from ravenbench.text.segmenters import writing_of
from ravenbench.text.tokens import HAN, HIRAGANA, MARKS, WORD, lowered
from ravenbench.types import Bools, Floats, Problems

PASSAGE = 45
"""Words from which on a passage ends with its sentence."""

SHOWN = 8
"""Features shown on either side."""
AROUND = 32
"""Characters of context on either side."""
FREQUENT = 5000
"""Character sequences that are looked at, the most frequent."""
MOST_WORDS = 2000
"""Words of a questioned text that are shown."""


class MarkedToken(Struct, frozen=True, array_like=True):
    """A stretch of the questioned text: what stands before it, itself, its log10 ratio (above 0 for the candidate),
    whether it is content."""

    before: str
    text: str
    log10: float
    content: bool


class MarkedPassage(Struct, frozen=True):
    """Some sentences of the questioned text, and the sum of their tokens' log10 ratios (above 0 for the candidate)."""

    tokens: tuple[MarkedToken, ...]
    log10: float


_ALONE = re.compile(f"[{HAN}{HIRAGANA}][{MARKS}]*")
_ENDS = str.maketrans("。！？", ".!?")


def _blanks(text: str) -> str:
    """The text with blanks around every Chinese character and sign of hiragana, and with sentences that end as English
    ones do: LambdaG tells words by blanks. Other texts are what they are."""
    return _ALONE.sub(r" \g<0> ", text.translate(_ENDS)) if _ALONE.search(text) else text


def _back(shown: str, masked: str) -> Callable[[int], int]:
    """Where a place between words of the masked text stands in the text itself."""
    ends = [match.end() for match in LETTERS.finditer(masked)]
    shift = [0, *(a.end() - b for a, b in zip(LETTERS.finditer(shown), ends, strict=True))]
    return lambda place: place + shift[bisect_right(ends, place)]


class _Hide:
    """``hidden`` as a text transform, with blanks between words."""

    def __init__(self, functions: frozenset[str]) -> None:
        self.functions = functions

    def fit(self, texts: Sequence[str]) -> Self:
        """Nothing is learned."""
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """The texts with their content words hidden."""
        return [hidden(_blanks(text), self.functions) for text in texts]


def passages(
    shown: str,
    known: Sequence[str],
    background: Problems,
    same: Bools,
    functions: frozenset[str],
    seed: int,
) -> tuple[MarkedPassage, ...]:
    """λ_G (log10 ratio, above 0 for the candidate) of every token, with content words hidden from the grammars;
    nothing where words cannot be told apart."""
    if writing_of([shown]) == "runs":
        return ()
    hide = _Hide(functions)
    grammar = LambdaG(seed=seed).fit(background.map_texts(hide), same)
    put = [
        at
        for i, m in enumerate(_ALONE.finditer(shown))
        for at in (m.start() + 2 * i, m.end() + 2 * i + 1)
    ]
    unmasked = _back(_blanks(shown), masked := hide.transform([shown])[0])
    ratios = grammar.tokens(hide.transform(known), masked, "evidence")

    def back(place: int) -> int:
        return (there := unmasked(place)) - bisect_left(put, there)

    made: list[MarkedPassage] = []
    tokens: list[MarkedToken] = []
    end = 0
    total = 0.0
    words = 0
    for number, token in enumerate(ratios):
        total += token.log10
        if token.start == token.end:
            # The end of a sentence is weighed too, and has no place of its own.
            last = number == len(ratios) - 1
            if words >= PASSAGE or last:
                rest = shown[end:] if last else ""
                tokens += [MarkedToken(rest, "", 0.0, False)] if rest.strip() else []
                made.append(MarkedPassage(tuple(tokens), total))
                tokens = []
                total = 0.0
                words = 0
            continue
        start = back(token.start)
        stop = back(token.end)
        text = shown[start:stop]
        inside = [lowered(word) for word in LETTERS.findall(text)]
        tokens.append(
            MarkedToken(
                shown[end:start], text, token.log10, any(word not in functions for word in inside)
            )
        )
        end = stop
        words = words + bool(inside)
    return tuple(made)


class Feature(Struct, frozen=True):
    """A feature that pulls: ``pull`` above 0 for the candidate, how often it stands in a thousand units of the
    questioned text, the known texts and the background, an instance in context (before, itself, after), and
    ``content``, the share (0 to 1) of its instances in the questioned text that lie within content words (None where
    it has none)."""

    name: str
    pull: float
    questioned: float
    known: float
    background: float
    context: tuple[str, str, str] | None
    content: float | None


def common_words(
    questioned: str, known: Sequence[str], others: Sequence[str], functions: frozenset[str]
) -> tuple[Feature, ...]:
    """Cosine Delta's terms: products of z-scores; above 0 where both sides leave the background the same way."""
    names = sorted(functions)

    def rates(text: str) -> Floats:
        counts = Counter(lowered(word) for word in WORD.findall(text))
        return np.array([counts[name] for name in names]) / max(sum(counts.values()), 1)

    rows = np.stack([rates(text) for text in others])
    mean = rows.mean(axis=0)
    spread = rows.std(axis=0)
    spread = np.where(spread > 0, spread, np.inf)
    questioned_rates = rates(questioned)
    own = np.mean([rates(text) for text in known], axis=0)
    z = (questioned_rates - mean) / spread
    y = (own - mean) / spread
    pull = z * y / max(float(np.linalg.norm(z) * np.linalg.norm(y)), 1e-12)
    return _features(
        pull,
        (questioned_rates, own, mean),
        questioned,
        lambda i: next((m for m in WORD.finditer(questioned) if lowered(m[0]) == names[i]), None),
        lambda i: (names[i], None),
    )


def ngrams(
    questioned: str,
    known: Sequence[str],
    others: Sequence[str],
    functions: frozenset[str],
    n: int = 4,
) -> tuple[Feature, ...]:
    """Overlap of questioned and known texts in character n-grams, less that of the questioned text with others."""
    from sklearn.feature_extraction.text import CountVectorizer

    flat = [" ".join(text.split()) for text in (questioned, *known, *others)]
    counter = CountVectorizer(analyzer="char", ngram_range=(n, n))
    every = counter.fit_transform(flat).tocsc()
    # Its own limit on features leaves equally frequent ones to the processor.
    frequent = np.sort(np.argsort(-np.asarray(every.sum(axis=0)).ravel(), kind="stable")[:FREQUENT])
    counts = every[:, frequent].toarray().astype(np.float64)
    rows = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    questioned_rates = rows[0]
    own = rows[1 : 1 + len(known)].mean(axis=0)
    cohort = rows[1 + len(known) :]
    mean = cohort.mean(axis=0)
    pull = np.minimum(questioned_rates, own) - np.minimum(cohort, questioned_rates).mean(axis=0)
    names = counter.get_feature_names_out()[frequent]

    def named(i: int) -> tuple[str, float | None]:
        places = [m.start() for m in re.finditer(f"(?={re.escape(names[i])})", flat[0].lower())]
        return names[i].replace(" ", "␣"), _within(flat[0], places, n, functions)

    return _features(
        pull,
        (questioned_rates, own, mean),
        flat[0],
        lambda i: re.compile(re.escape(names[i]), re.IGNORECASE).search(flat[0]),
        named,
        1000,
    )


def _features(
    pull: Floats,
    rates: tuple[Floats, Floats, Floats],
    text: str,
    place: Callable[[int], re.Match[str] | None],
    named: Callable[[int], tuple[str, float | None]],
    times: int = 1,
) -> tuple[Feature, ...]:
    """The features that pull most for, and then those that pull most against; ``place`` finds an instance in the text,
    ``named`` gives what each is called and its share of content."""
    order = np.argsort(-pull, kind="stable")
    chosen = [int(i) for i in order[:SHOWN] if pull[i] > 0]
    chosen += [int(i) for i in order[::-1][:SHOWN] if pull[i] < 0]
    features = []
    for i in chosen:
        name, content = named(i)
        context = None
        if (instance := place(i)) is not None:
            before = text[max(0, instance.start() - AROUND) : instance.start()].replace("\n", " ")
            after = text[instance.end() : instance.end() + AROUND].replace("\n", " ")
            context = before, instance[0], after
        here, known, others = (1000 * float(rate[i]) for rate in rates)
        pulled = float(pull[i] * times)
        features.append(Feature(name, pulled, here, known, others, context, content))
    return tuple(features)


def _within(text: str, places: Sequence[int], n: int, functions: frozenset[str]) -> float | None:
    """Share of the n-grams at these places of which most letters lie within content words."""
    if not places:
        return None
    content = np.zeros(len(text) + n, dtype=np.float64)
    for match in LETTERS.finditer(text):
        if match[0].lower() not in functions:
            content[match.start() : match.end()] = 1.0
    return float(np.mean([content[place : place + n].sum() > n / 2 for place in places]))


class Evidence(Struct, frozen=True):
    """What there is to look at: ``more`` is the count of words of the questioned text that are not shown."""

    passages: tuple[MarkedPassage, ...]
    more: int
    words: tuple[Feature, ...]
    characters: tuple[Feature, ...]
    choices: tuple[Choice, ...]


def evidence(
    questioned: str,
    known: Sequence[str],
    background: Problems,
    same: Bools,
    functions: frozenset[str],
    seed: int,
) -> Evidence:
    """What a questioned and the known texts show against the background's training problems; ``functions`` are the
    background's most frequent words, in lowercase."""
    others = background.texts.rows(background.documents)
    words = list(re.finditer(r"\S+", questioned))
    more = max(0, len(words) - MOST_WORDS)
    shown = questioned[: words[MOST_WORDS - 1].end()] if more else questioned
    return Evidence(
        passages=passages(shown, known, background, same, functions, seed),
        more=more,
        words=common_words(questioned, known, others, functions),
        characters=ngrams(questioned, known, others, functions),
        choices=choices(questioned, known, background, same, seed),
    )
