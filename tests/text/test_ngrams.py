from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.text.counting import CountStore, largest, totals
from ravenbench.text.lexicon import ALL_TOKENS, CONTENT_WORDS, LETTERS, Tokens
from ravenbench.text.ngrams import CharNgrams
from ravenbench.texts import TextTable

MIXED = "Ὁ Σωκράτης   ἔφη·\r\n\tДа, конечно! 😀😀 \x00 end.  "
TEXTS = st.lists(st.text(alphabet=st.characters(codec="utf-8"), max_size=40), max_size=6)
HABITS = st.lists(st.text(alphabet="aB ß\n\t\u3000İΣ😀\x00", max_size=60), max_size=6)


def counts_of(lexicon, texts):
    bounds, ids, counts = lexicon.count(texts)
    assert bounds[-1] == len(ids) == len(counts)
    for a, b in pairwise(bounds):
        yield dict(zip(lexicon.names(ids[a:b].astype(np.int64)), counts[a:b].tolist(), strict=True))


@settings(max_examples=60, deadline=None)
@given(texts=TEXTS | HABITS, n=st.integers(1, 6), lowercase=st.booleans())
def test_equals_plain_slicing(texts, n, lowercase):
    units = CharNgrams(n, lowercase)
    lexicon = units.lexicon()
    for text, counts in zip(texts, counts_of(lexicon, texts), strict=True):
        assert counts == dict(units.reference(text))
    every = np.arange(len(lexicon))
    assert np.array_equal(lexicon.ids(lexicon.names(every)), every)


def test_tables_grow_without_losing_counts():
    rng = np.random.default_rng(0)
    texts = ["".join(chr(c) for c in rng.integers(0x4E00, 0x9FFF, 9000)) for _ in range(6)]
    units = CharNgrams(4)
    lexicon = units.lexicon()
    for text, counts in zip(texts, counts_of(lexicon, texts), strict=True):
        assert counts == dict(units.reference(text))
    assert len(lexicon) > 50_000


@settings(max_examples=40, deadline=None)
@given(texts=TEXTS | HABITS)
def test_tokens_fold_to_lowercase(texts):
    lexicon = ALL_TOKENS.lexicon()
    for text, counts in zip(texts, counts_of(lexicon, texts), strict=True):
        folded: dict[str, int] = {}
        for token, count in counts.items():
            lower = lexicon.names(lexicon.fold[lexicon.ids([token])])[0]
            folded[lower] = folded.get(lower, 0) + count
        assert folded == dict(ALL_TOKENS.reference(text))


def test_content_words_are_long_and_not_numbers():
    assert CONTENT_WORDS.reference("A 12 b2b İ Ώδε да 1990s x") == {
        "b2b": 1,
        "ώδε": 1,
        "да": 1,
        "1990s": 1,
    }
    assert Tokens(r"\w").reference("Ab") == {"a": 1, "b": 1}


def test_a_full_store_starts_again():
    texts, rows = TextTable.collect(["abcd" * 20, "bcde" * 20, "cdef" * 20, MIXED])
    units = CharNgrams(2)
    small, large = CountStore(units.lexicon(), cap=3), CountStore(units.lexicon())
    for documents in (rows, rows[::-1], rows[1:3], rows[:0]):
        a, b = totals(small, texts, documents), totals(large, texts, documents)
        assert largest(small, a, 50)[0] == largest(large, b, 50)[0]


def test_largest_breaks_ties_by_code_point():
    texts, rows = TextTable.collect(["b a ω я a"])
    store = CountStore(ALL_TOKENS.lexicon())
    assert largest(store, totals(store, texts, rows), 3)[0] == ["a", "b", "ω"]


def test_who_changes_a_list_of_units_changes_no_other():
    texts, rows = TextTable.collect(["b a ω я a"])
    store = CountStore(ALL_TOKENS.lexicon())
    total = totals(store, texts, rows)
    store.named(np.flatnonzero(total)).reverse()
    assert store.named(np.flatnonzero(total)) == ["a", "b", "ω", "я"]


def test_a_count_that_fails_leaves_no_trace(monkeypatch):
    texts, rows = TextTable.collect(["one", "two and two", "three", "four or more"])
    store, fresh = (CountStore(CharNgrams(2).lexicon()) for _ in range(2))
    totals(store, texts, rows[:1])
    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr(store, "_count", lambda batch: (_ for _ in ()).throw(MemoryError))
        totals(store, texts, rows[:2])

    def counts(of: CountStore) -> dict[str, int]:
        total = totals(of, texts, rows[2:])
        names = of.lexicon.names(np.arange(len(total)))
        return {name: count for name, count in zip(names, total.tolist(), strict=True) if count}

    assert counts(store) == counts(fresh)


def test_more_characters_than_sixteen_bits_tell_apart_keep_their_ids():
    every = "".join(chr(c) for c in range(32, 0x1F000) if not 0xD800 <= c < 0xE000)
    units = CharNgrams(4, lowercase=False)
    lexicon = units.lexicon()
    first = lexicon.count([MIXED])[1]
    names = lexicon.names(first.astype(np.int64))
    for text, counts in zip([every, MIXED], counts_of(lexicon, [every, MIXED]), strict=True):
        assert counts == dict(units.reference(text))
    assert len(every) > 1 << 16
    assert np.array_equal(lexicon.ids(names), first)


@settings(max_examples=60, deadline=None)
@given(
    texts=TEXTS
    | HABITS
    | st.lists(st.text(alphabet="aA1٣_é.! \u3000\u00b2", max_size=60), max_size=6)
)
@pytest.mark.parametrize("units", [ALL_TOKENS, CONTENT_WORDS, LETTERS])
def test_tokens_are_scanned_as_the_pattern_finds_them(texts, units):
    scanned, found = units.lexicon(), Tokens(units.pattern).lexicon()
    for _ in range(2):
        assert list(counts_of(scanned, texts)) == list(counts_of(found, texts))
