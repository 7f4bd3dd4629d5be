"""Counts made ahead are those that a process makes for itself."""

import numpy as np
import pytest

from ravenbench.text import counting
from ravenbench.text.counting import folder_of, frequencies, open_counts
from ravenbench.text.lexicon import ALL_TOKENS
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import Tfidf
from ravenbench.texts import TextTable

TEXTS = ["a b a.", "", "Ωδε b " * 300, "c d e", "The the THE end\n"]


def read(store: counting.CountStore, table: TextTable, rows: list[int]) -> list[dict[str, int]]:
    found = []
    for block in store.blocks(table, np.array(rows)):
        for start, stop in zip(block.starts, block.stops, strict=True):
            names = store.lexicon.names(block.ids[start:stop].astype(np.int64))
            found.append(dict(zip(names, block.counts[start:stop].tolist(), strict=True)))
    return found


@pytest.mark.parametrize("units", [CharNgrams(2), ALL_TOKENS])
def test_a_file_is_read_in_the_place_of_counting(tmp_path, monkeypatch, units):
    table = TextTable.collect(TEXTS)[0].save(tmp_path / "texts")
    own, early = (counting.CountStore(units.lexicon(), units=units) for _ in range(2))
    early.lexicon.ids(["zz", " b"] if isinstance(units, CharNgrams) else ["zz", "b"])
    wanted = read(own, table, [4, 0, 2, 1])
    assert max(wanted[2].values()) >= 300, "a count that stands apart belongs into the test"
    monkeypatch.setattr(counting, "_AHEAD", 2)
    counting.count_ahead(table, np.array([0, 1, 2, 4]), units)
    monkeypatch.setattr(early, "_places", lambda *_: pytest.fail("counted"))
    fresh = counting.CountStore(units.lexicon(), units=units)
    assert read(early, table, [4, 0, 2, 1]) == wanted == read(fresh, table, [4, 0, 2, 1])
    assert fresh._slot == {}
    # A row that is not in the file is counted, and so is its block.
    assert read(fresh, table, [3, 0]) == read(own, table, [3, 0])


def test_counts_of_another_table_are_not_read(tmp_path):
    table = TextTable.collect(TEXTS)[0].save(tmp_path / "texts")
    counting.count_ahead(table, np.arange(2), ALL_TOKENS)
    ids = ALL_TOKENS.lexicon().ids
    assert (
        open_counts(table, ALL_TOKENS, ids) is not None
        and open_counts(table, CharNgrams(2), ids) is None
    )
    assert (
        open_counts(TextTable.collect(TEXTS[1:])[0].save(tmp_path / "texts"), ALL_TOKENS, ids)
        is None
    )


@pytest.mark.parametrize("suffix", [".packed", ".index"])
@pytest.mark.parametrize("damage", [lambda b: b[:-4], lambda b: b"", lambda b: None])
def test_damaged_counts_are_not_read(tmp_path, suffix, damage):
    table = TextTable.collect(TEXTS)[0].save(tmp_path / "texts")
    counting.count_ahead(table, np.arange(2), ALL_TOKENS)
    (file,) = folder_of(table).glob(f"*{suffix}")
    left = damage(file.read_bytes())
    file.unlink()
    if left is not None:
        file.write_bytes(left)
    assert open_counts(table, ALL_TOKENS, ALL_TOKENS.lexicon().ids) is None


def test_a_count_that_fails_leaves_no_file(tmp_path, monkeypatch):
    table = TextTable.collect(TEXTS)[0].save(tmp_path / "texts")
    monkeypatch.setattr(counting, "MOST_UNITS", 3)
    with pytest.raises(ValueError, match="more units"):
        counting.count_ahead(table, np.arange(5), ALL_TOKENS)
    assert not list(folder_of(table).iterdir())


def test_a_fit_reads_only_documents_in_which_it_differs_from_the_one_before(monkeypatch):
    table, rows = TextTable.collect([f"a{i} b{i % 3} cc" for i in range(20)])
    read, blocks = list[int](), counting.CountStore.blocks
    monkeypatch.setattr(
        counting.CountStore, "blocks", lambda *given: read.append(len(given[2])) or blocks(*given)
    )
    for units in (CharNgrams(3), ALL_TOKENS):
        counting.forget_counts()
        for chosen, differ in ((rows[:16], 16), (rows[1:18], 3)):
            read.clear()
            Tfidf(units, 5).fit(table, chosen)
            assert read[0] == differ


def test_sums_of_overlapping_sets_follow_from_each_other():
    table, rows = TextTable.collect([f"{i} {i % 3} x" for i in range(20)])
    kept = counting.CountStore(ALL_TOKENS.lexicon())
    for wanted in (
        rows[:16],
        rows[2:18],
        rows[[0, 5]],
        rows[1:18],
        rows[:0],
        rows[::-1],
        rows[[3, 3, 4]],
    ):
        found = frequencies(kept, table, wanted)
        one = frequencies(kept, table, wanted, np.ones(len(wanted), np.int64))
        assert all(np.array_equal(a, b) for a, b in zip(found, one, strict=True))
        found[0][:] = -1  # what a caller does with its sums is its own affair
