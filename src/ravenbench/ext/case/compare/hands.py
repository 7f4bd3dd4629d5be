"""Whether one hand wrote a questioned text, judged by background texts as long as it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from ravenbench.ext.case.compare.background import Population
from ravenbench.ext.case.compare.material import CaseTexts
from ravenbench.ext.case.compare.record import HandRecord
from ravenbench.text.tokens import count_words

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
        from ravenbench.ext.case.compare.one_hand import EACH, LEAST, STEP

        sizes = [count_words(text) for text in background.corpus.texts]
        wrote = np.bincount(background.corpus.author.codes, sizes)
        lengths = {min(case.questioned.words, MOST) // STEP * STEP for case in cases}
        words = sum(n * np.minimum(wrote // n, EACH).sum() for n in lengths if n >= 2 * LEAST)
        self.seconds = LOOKING * float(words) / 1000
        return {case.id: HandRecord(reason="a plan does not look") for case in cases}


def looked_at(background: Population, cases: Sequence[CaseTexts], seed: int) -> dict[str, HandRecord]:
    """What is found along the questioned text of every case, by the case's id."""
    from ravenbench.ext.case.compare.one_hand import LEAST, STEP, OneHand, one_hand, portions

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
