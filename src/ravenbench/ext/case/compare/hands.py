"""Whether one hand wrote a questioned text, judged by background texts as long as it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from ravenbench.ext.case.compare.background import Population
from ravenbench.ext.case.compare.material import CaseTexts
from ravenbench.ext.case.compare.record import HandRecord

MOST = 3000
"""Words of a questioned text that are looked at."""
SHRINK = (1.0, 0.71, 0.5, 0.35, 0.25)
"""Lengths tried, as shares of the questioned text's, where the background's authors wrote too little."""


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
