"""Counts kept packed: what comes out is what was counted."""

import numpy as np
import pytest

from ravenbench.text.counting import CountStore, frequencies, totals
from ravenbench.text.ngrams import CharNgrams
from ravenbench.texts import TextTable


class Given:
    """A lexicon of numbers: a text lists the ids and counts it has."""

    fold = None

    def __init__(self, size: int = 1 << 26) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    def ids(self, names):
        return np.array([int(name) for name in names], dtype=np.int64)

    def count(self, texts):
        rows = [np.array(eval_pairs(text), dtype=np.int32).reshape(-1, 2) for text in texts]
        bounds = np.concatenate([[0], np.cumsum([len(r) for r in rows])]).astype(np.int64)
        both = np.concatenate(rows)
        return bounds, both[:, 0].copy(), both[:, 1].copy()


def eval_pairs(text: str) -> list[int]:
    return [int(part) for part in text.split()]


@pytest.mark.parametrize("cap", [1 << 20, 3])
def test_counts_come_back_as_they_were_counted(cap: int) -> None:
    rows = ["1 1 2 254", "0 255 3 256", "16777215 1 16777216 1 20000000 2", "5 70000", "7 1"]
    table, _ = TextTable.collect(rows)
    store = CountStore(Given(), cap)
    order = np.array([3, 0, 2, 1, 4, 0])
    for _ in range(2):
        for start in range(len(order)):
            found = list(store.blocks(table, order[start:]))
            for block in found:
                for i, row in enumerate(order[start:]):
                    part = slice(block.starts[i], block.stops[i])
                    pairs = np.stack([block.ids[part], block.counts[part]], axis=1).ravel()
                    assert pairs.tolist() == eval_pairs(rows[row])


def test_totals_weigh_documents() -> None:
    table, _ = TextTable.collect(["1 300 2 1", "1 5"])
    store = CountStore(Given(8))
    total = totals(store, table, np.array([0, 1]), np.array([1, 2]))
    assert total[1] == 310 and total[2] == 1
    assert frequencies(store, table, np.array([0, 1]))[1][1] == 2


def test_a_text_without_units_is_not_taken_for_the_one_that_follows_it():
    texts, rows = TextTable.collect(["", "abab", "cccc"])
    store = CountStore(CharNgrams(2).lexicon())
    # Both begin at the same place.
    for which, expected in (([0, 1, 2], [1, 2, 3]), ([2], [3]), ([0], []), ([1], [1, 2])):
        (found,) = store.blocks(texts, rows[which])
        assert sorted(found.counts.tolist()) == expected
