"""Did one hand write a text? Likelihood ratios along it, and a change that is found at a known rate of false alarms
(ours).

Wherever a text could change hands, the words before and the words after (at most ``WINDOW`` each) are compared by the
two-level models of ``shelf.published.two_level``, calibrated on texts by other people, the *background*: an LR
above 1 says that one author wrote both sides. A text has many such places, and what its author writes about changes
along it. Two things keep that from being taken for another hand:

- content words are hidden before anything is counted, so that the same sentences with another text's content words
  (``text.splicing``, the transplant) give the same LRs to the last digit;
- the curve is held against those of background texts by one author each, of the same length, by models that knew
  nothing of that author. How far it falls below their mean, in their deviations at that place, is compared with how far
  theirs fall anywhere: of texts by one hand at most one in twenty is said to change hands, as far as they are like the
  background's. The conformal p-value counts authors, not texts, for some people write less evenly than others: to say
  how often a person's text seems to change hands, so many people must be at hand.

Two background authors' texts spliced at their middle tell how often a change is found. ``looked_at`` asks so of every
case's questioned text, by background texts as long as it.

References
----------
Vovk, Gammerman & Shafer 2005, Algorithmic Learning in a Random World (conformal p-values).
Chen & Zhang 2015, Graph-based change-point detection. Annals of Statistics 43 (scan statistics, standardised by place).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from ravenbench.ext.case.compare.background import Population
from ravenbench.ext.case.compare.material import CaseTexts
from ravenbench.ext.case.compare.record import HandRecord
from ravenbench.ext.case.likelihood_ratios import LN10, Calibration, calibrate
from ravenbench.ext.shelf.published.two_level import DirichletMultinomial, PoissonGamma, TwoLevel
from ravenbench.randomness import stream
from ravenbench.text.content_words import LETTERS, hidden, hidden_share
from ravenbench.text.splicing import Splicer
from ravenbench.text.tokens import SPACED, count_words, cut
from ravenbench.texts import TextTable
from ravenbench.types import Floats, Ints, Problems

STEP, LEAST, WINDOW = 50, 100, 500
"""Words between two places that are looked at; before the first and after the last place; on either side at most."""
ALARMS = 0.05
"""Rate of false alarms."""
EACH = 4
"""Texts of one background author at most."""
PARTS = 3
"""Parts of the authors; the texts of one are looked at by what was learned from the others."""
FEWEST = 20
"""Background authors below whom nothing is said: of fewer, none can be one in twenty."""
BAND = (0.05, 0.95)


def models() -> tuple[TwoLevel, ...]:
    """What is counted: characters and words of texts whose content words are hidden."""
    return (
        PoissonGamma(unit="character", n=3, size=200),
        PoissonGamma(unit="character", n=2, size=200),
        PoissonGamma(unit="character", n=1, size=60),
        DirichletMultinomial(unit="word", size=150),
    )


@dataclass(frozen=True)
class HandChange:
    """What was found along a text.

    Attributes
    ----------
    places : (k,) int64
        Words before each place.
    llr, low, high : (k,) float
        Log10 LR that one author wrote both sides of a place, above 0 = one; and the band in which nine in ten
        background texts by one author lie there.
    p : float
        Share of authors whose texts by one hand fall as far below the others anywhere; 1 / (authors + 1) at least.
    place : int
        Words before the place where the curve falls farthest below those of texts by one hand.
    authors, texts : int
        Background authors, and their texts by one hand each, that were compared.
    power : float
        Share of background texts spliced at their middle, two authors each, that were found to change hands.
    """

    places: Ints
    llr: Floats
    low: Floats
    high: Floats
    p: float
    place: int
    authors: int
    texts: int
    power: float

    @property
    def changes_hand(self) -> bool:
        """Whether a change of hand was found, at a rate of false alarms of ``ALARMS``."""
        return self.p <= ALARMS


@dataclass(frozen=True, eq=False)
class HandReader:
    """Models and their calibration, learned from texts by known authors; ``functions`` are the words that are seen."""

    functions: frozenset[str]
    models: tuple[TwoLevel, ...]
    calibration: Calibration

    def curves(self, texts: Sequence[str]) -> list[Floats]:
        """Log10 LRs (k,) at every place of every text."""
        return [self.calibration.llr(rows) for rows in _sides(self.models, texts, self.functions)]


def learn(texts: Sequence[str], author: Ints, functions: frozenset[str], seed: int) -> HandReader:
    """A reader that knows texts of one length and their authors (n,).

    Models learn how authors differ; their LRs are calibrated at the middle of texts by one author, and of texts whose
    second half is another author's.
    """
    fitted = fitted_models([hidden(text, functions) for text in texts], author)
    both = [*texts, *spliced(texts, author, seed)]
    same = np.arange(len(both)) < len(texts)
    middle = [rows[len(rows) // 2] for rows in _sides(fitted, both, functions)]
    return HandReader(functions, fitted, calibrate(np.stack(middle), same))


def fitted_models(shown: Sequence[str], author: Ints) -> tuple[TwoLevel, ...]:
    """The models, having learned how authors (n,) of texts with hidden content differ."""
    by_author = [(int(code), np.flatnonzero(author == code)) for code in np.unique(author)]
    rows = [(str(a), [shown[i] for i in own[:-1]] or [shown[own[-1]]], shown[own[-1]]) for a, own in by_author]
    return tuple(model.fit(Problems.of(rows), np.ones(len(rows), dtype=np.bool_)) for model in models())


def spliced(texts: Sequence[str], author: Ints, seed: int, share: float = 0.5) -> list[str]:
    """The first part of every text, and the rest of one by another author drawn at random; authors (n,)."""
    joined = []
    for i, text in enumerate(texts):
        others = np.flatnonzero(author != author[i])
        other = texts[int(stream(seed, "one-hand-splice", i).choice(others))]
        words = int(count_words(text) * share)
        joined.append(f"{cut(text, words)}\n\n{cut(other, count_words(other), words)}")
    return joined


def portions(documents: Sequence[Sequence[str]], words: int, most: int = EACH) -> tuple[list[str], Ints]:
    """Texts of so many words by one author each, and their authors (n,), from every author's documents: parts of long
    ones where there are such, else several joined; at most so many of each author."""
    texts, author = list[str](), list[int]()
    for number, own in enumerate(documents):
        mine = [cut(text, words, at) for text in own for at in range(0, count_words(text) - words + 1, words)]
        if not mine:
            joined = "\n\n".join(own)
            mine = [cut(joined, words, at) for at in range(0, count_words(joined) - words + 1, words)]
        texts += mine[:most]
        author += [number] * len(mine[:most])
    return texts, np.array(author, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class OneHand:
    """The curves of background texts by one author each, and what is needed to look at another text of their length."""

    reader: HandReader
    words: int
    mean: Floats
    deviation: Floats
    low: Floats
    high: Floats
    falls: Floats
    weight: Floats
    power: float
    hidden: float

    def look(self, text: str) -> HandChange:
        """What is found along a text, of which as many words are looked at as the background texts have."""
        (llr,) = self.reader.curves([cut(text, self.words)])
        fall = (self.mean - llr) / self.deviation
        place = int(np.argmax(fall))
        (p,) = _chance(self.falls, self.weight, fall[place : place + 1]).tolist()
        places, authors = _places(self.words // STEP) * STEP, round(self.weight.sum())
        return HandChange(places, llr, self.low, self.high, p, int(places[place]), authors, len(self.falls), self.power)


def one_hand(texts: Sequence[str], author: Ints, seed: int = 0) -> OneHand | str:
    """What texts of one length by known authors (n,) show; or the reason why they show nothing."""
    people = np.unique(author)
    if len(people) < FEWEST:
        return f"{len(people)} authors of the background wrote texts as long, and {FEWEST} are needed"
    words = min(map(count_words, texts))
    if words < 2 * LEAST:
        return f"it is too short: {2 * LEAST} words are needed to look for a change of hand"
    texts = [cut(text, words) for text in texts]
    functions = Splicer(TextTable.collect(texts)[0]).functions
    part = stream(seed, "one-hand-parts").permutation(len(people))[np.searchsorted(people, author)] % PARTS
    own, other = np.zeros((2, len(texts), len(_places(words // STEP))))
    for number in range(PARTS):
        members = np.flatnonzero(part == number)
        rest = np.flatnonzero(part != number)
        reader = learn([texts[i] for i in rest], author[rest], functions, seed)
        mine = [texts[i] for i in members]
        own[members] = reader.curves(mine)
        other[members] = reader.curves(spliced(mine, author[members], seed + 1))
    _, code, size = np.unique(author, return_inverse=True, return_counts=True)
    weight = np.asarray(1.0 / size[code])  # every author counts the same
    mean = np.average(own, axis=0, weights=weight)
    deviation = np.sqrt(np.average((own - mean) ** 2, axis=0, weights=weight)) + 1e-9
    falls = ((mean - own) / deviation).max(axis=1)
    spliced_falls = ((mean - other) / deviation).max(axis=1)
    low, high = np.quantile(own, BAND, axis=0)
    power = float(np.average(_chance(falls, weight, spliced_falls) <= ALARMS, weights=weight))
    share = hidden_share(map(LETTERS.findall, texts), functions)
    return OneHand(
        learn(texts, author, functions, seed), words, mean, deviation, low, high, falls, weight, power, share
    )


def _chance(falls: Floats, weight: Floats, values: Floats) -> Floats:
    """Share of authors whose texts fall as far as each value (n,), the author of the value's text among them."""
    above = (weight[None, :] * (falls[None, :] >= values[:, None])).sum(axis=1)
    return np.asarray((1 + above) / (weight.sum() + 1))


def _places(steps: int) -> Ints:
    """The places of a text of so many steps, by steps before them."""
    first = LEAST // STEP
    return np.arange(first, steps - first + 1, dtype=np.int64)


def _sides(fitted: Sequence[TwoLevel], texts: Sequence[str], functions: frozenset[str]) -> list[Floats]:
    """Log10 LRs (k, models) of the words before and after every place of every text."""
    blocks = [[hidden(block, functions) for block in _blocks(text)] for text in texts]
    table, row = TextTable.collect([block for own in blocks for block in own])
    ends = np.cumsum([0, *map(len, blocks)])
    llr = [np.zeros((len(_places(len(own))), len(fitted))) for own in blocks]
    for column, model in enumerate(fitted):
        counts, sizes = model.counts(table, np.arange(len(table)))
        for i, (first, last) in enumerate(pairwise(ends)):
            places, mine = _places(int(last - first)), row[first:last]
            whole = np.vstack([np.zeros(counts.shape[1]), counts[mine].cumsum(axis=0)])
            size = np.concatenate([[0.0], sizes[mine].cumsum()])
            before, after = np.maximum(places - WINDOW // STEP, 0), np.minimum(places + WINDOW // STEP, len(mine))
            llr[i][:, column] = model.llr(
                whole[after] - whole[places], whole[places] - whole[before],
                size[after] - size[places], size[places] - size[before],
            ) / LN10  # fmt: skip
    return llr


def _blocks(text: str) -> list[str]:
    """The text in steps of ``STEP`` words; what is left over at its end is left out."""
    ends = [match.end() for match in SPACED.finditer(text)]
    edges = [0, *(ends[i - 1] for i in range(STEP, len(ends) + 1, STEP))]
    return [text[first:last] for first, last in pairwise(edges)]


MOST = 3000
"""Words of a questioned text that are looked at."""
SHRINK = (1.0, 0.71, 0.5, 0.35, 0.25)
"""Lengths tried, as shares of the questioned text's, where the background's authors wrote too little."""
LOOKING = 0.035
"""CPU seconds a thousand words of background texts that are learned from."""
RECKONED = "Numbers of background problems are reckoned from one part of its authors."
"""What a plan says of its counts."""
Look = Callable[[Population, Sequence[CaseTexts], int], dict[str, HandRecord]]
"""What ``looked_at`` is."""


class Reckoned:
    """Looks at no text: for a plan, ``seconds`` are what looking would take."""

    seconds = 0.0

    def __call__(self, background: Population, cases: Sequence[CaseTexts], seed: int) -> dict[str, HandRecord]:
        sizes = [count_words(text) for text in background.corpus.texts]
        wrote = np.bincount(background.corpus.author.codes, sizes)
        lengths = {min(case.questioned.words, MOST) // STEP * STEP for case in cases}
        words = sum(n * np.minimum(wrote // n, EACH).sum() for n in lengths if n >= 2 * LEAST)
        self.seconds = LOOKING * float(words) / 1000
        return {case.id: HandRecord(reason="a plan does not look") for case in cases}


def looked_at(background: Population, cases: Sequence[CaseTexts], seed: int) -> dict[str, HandRecord]:
    """What is found along the questioned text of every case, by the case's id."""
    texts, author = background.corpus.texts, background.corpus.author.codes
    documents = [texts.rows(np.flatnonzero(author == code)) for code in range(len(background.authors))]

    @cache
    def known(words: int) -> OneHand | str:
        return one_hand(*portions(documents, words), seed)

    records = {}
    for case in cases:
        result: OneHand | str = f"it has fewer than {2 * LEAST} words"
        for share in SHRINK:
            words = int(min(case.questioned.words, MOST) * share) // STEP * STEP
            if words >= 2 * LEAST:
                result = known(words)
            if isinstance(result, OneHand):
                break
        if isinstance(result, str):
            records[case.id] = HandRecord(reason=result)
            continue
        change = result.look(case.questioned.text)
        llr, low, high = ([round(float(v), 4) for v in values] for values in (change.llr, change.low, change.high))
        records[case.id] = HandRecord(
            words=result.words, places=change.places.tolist(), llr=llr, low=low, high=high, p=round(change.p, 4),
            place=change.place, changes=change.changes_hand, authors=change.authors, texts=change.texts,
            power=round(change.power, 4), hidden=round(result.hidden, 4),
        )  # fmt: skip
    return records
