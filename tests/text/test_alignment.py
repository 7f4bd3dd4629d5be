"""Alignments tile both texts exactly and are longest."""

import re
import time
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.references.alignment import common_reference

from ravenbench.text import alignment
from ravenbench.text.alignment import align_sentences, changed, pieces, plain_words, runs

TEXTS = st.text(alphabet="ab. ,\n'’é🙂\t", max_size=40)


@settings(deadline=None, max_examples=60)
@given(TEXTS)
def test_pieces_join_to_the_text(text):
    assert "".join(pieces(text)) == text


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=60))
def test_any_text_is_tiled(text):
    assert "".join(pieces(text)) == text


@settings(deadline=None, max_examples=60)
@given(TEXTS, TEXTS)
def test_runs_tile_both_texts(a, b):
    left, right = pieces(a), pieces(b)
    found = runs(left, right)
    assert "".join(p for r in found for p in left[r.a_start : r.a_stop]) == a
    assert "".join(p for r in found for p in right[r.b_start : r.b_stop]) == b
    for run in found:
        if run.kind == "same":
            assert left[run.a_start : run.a_stop] == right[run.b_start : run.b_stop]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, 4), max_size=25), st.lists(st.integers(0, 4), max_size=25))
def test_a_match_is_longest(a, b):
    found = alignment.match(a, b, str)
    assert len(found) == common_reference(a, b)
    assert all(a[i] == b[j] for i, j in found)
    assert all(x[0] < y[0] and x[1] < y[1] for x, y in pairwise(found))


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from("abcd"), max_size=30), st.lists(st.sampled_from("abcd"), max_size=30)
)
def test_halved_tables_still_match(a, b):
    whole = alignment.match(a, b, str)
    limit, alignment.LARGEST = alignment.LARGEST, 40
    try:
        halved = alignment.match(a, b, str)
    finally:
        alignment.LARGEST = limit
    assert all(a[i] == b[j] for i, j in halved)
    assert len(halved) <= len(whole)


def test_kinds_of_change():
    a, b = "The Cat sat , then left home again today", "The cat sat, then went home again now"
    found = runs(pieces(a), pieces(b), merge=0)
    kinds = [r.kind for r in found]
    assert kinds == ["same", "light", "same", "light", "same", "edit", "same", "edit"]
    assert [r.kind for r in runs(pieces(a), pieces(b))][-1:] == ["edit"]


def test_changes_are_maximal_runs():
    assert changed(plain_words("a b c d e"), plain_words("a x y d e f")) == (2, 5)
    assert changed(["a"], ["a"]) == (0, 0)


def sentences(text):
    return re.findall(r"[^.]+(?:\. *|$)", text)


def test_sentences_split_merged_and_moved():
    a = sentences(
        "One cat sat here. Two dogs ran over there and barked. The end came soon. Birds sing at dawn."
    )
    split = sentences(
        "One cat sat here. Two dogs ran over there. They barked. The end came soon. Birds sing at dawn."
    )
    beads = align_sentences(a, split)
    assert [(x.a_stop - x.a_start, x.b_stop - x.b_start) for x in beads] == [
        (1, 1),
        (1, 2),
        (1, 1),
        (1, 1),
    ]
    moved = align_sentences(a, [a[3] + " ", *a[:3]])
    assert sum(bead.moved for bead in moved) == 2
    assert [bead.a_start for bead in align_sentences(a, [])] == [0, 1, 2, 3]


def test_long_texts_align_in_time():
    words = [f"w{k % 911}" for k in range(6000)]
    text = " ".join(w + ("." if k % 17 == 0 else "") for k, w in enumerate(words))
    other = text.replace("w3 ", "x ").replace("w7 w8", "w8")
    runs(pieces("a"), pieces("b"))
    began = time.process_time()
    align_sentences(sentences(text), sentences(other))
    runs(pieces(text), pieces(other))
    assert time.process_time() - began < 2


def test_chinese_is_cut_into_characters() -> None:
    text = "我的iPhone很好。 किताब don't"
    assert (
        plain_words(text) == ["我", "的", "iPhone", "很", "好", "किताब", "don't"]
        and "".join(pieces(text)) == text
    )
