import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.ext.shelf.obfuscation.bevendorff_2019_search import EditedText, LetterChange
from ravenbench.obfuscation.parts import Edit, from_edits, pack, sentences

TEXT = st.text(alphabet=st.sampled_from(list("ab .!?\n\r\t\"'…,é😀A")), max_size=120)


@settings(deadline=None, max_examples=150)
@given(TEXT)
def test_sentences_and_parts_tile(text):
    for spans in (sentences(text), pack(text), pack(text, limit=3)):
        assert "".join(text[a:b] for a, b in spans) == text
        assert all(a < b for a, b in spans)


def test_sentences_of_english():
    text = 'Dr. Smith met J. Doe. "Why?" he asked. No\nbreak here! 3.5 is not two…  Title\n\nNext.'
    assert [text[a:b].strip() for a, b in sentences(text)] == [
        "Dr. Smith met J. Doe.",
        '"Why?"',
        "he asked.",
        "No\nbreak here!",
        "3.5 is not two…",
        "Title",
        "Next.",
    ]


def test_parts_hold_at_most_fifty_words():
    text = "one two three four. " * 30 + "word " * 130 + "end. " + "self-made " * 60
    counts = [len(re.findall(r"\w+", text[a:b])) for a, b in pack(text)]
    assert max(counts) <= 50 and counts[0] == 48


@settings(deadline=None, max_examples=100)
@given(
    TEXT,
    st.lists(
        st.tuples(st.integers(0, 120), st.integers(0, 5), st.sampled_from(["", "x", "yy zz"]))
    ),
)
def test_edits_become_parts(text, wanted):
    edits, free, expected, at = [], 0, [], 0
    for start, length, new in sorted(wanted):
        if free <= start and start + length <= len(text):
            edits.append(Edit(start, start + length, new, "edit"))
            free = start + length + 1
    for edit in edits:
        expected += [text[at : edit.start], edit.new]
        at = edit.end
    parts = from_edits(text, edits)
    if text:
        assert "".join(p.obfuscation for p in parts) == "".join([*expected, text[at:]])
        assert sum(len(p.operations) for p in parts) == len(edits)
    assert "".join(p.original for p in parts) == text


def test_overlapping_edits_are_refused():
    with pytest.raises(ValueError, match="overlap"):
        from_edits("abcdef", [Edit(0, 3, "", "a"), Edit(2, 4, "", "b")])


@settings(deadline=None, max_examples=100)
@given(
    TEXT.filter(bool),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 6), st.sampled_from(["", "x", "“…é"]))),
)
def test_a_draft_knows_where_its_text_came_from(text, edits):
    draft = EditedText.of(text)
    for start, length, new in edits:
        low = start % (len(draft.text) + 1)
        high = min(low + length, len(draft.text))
        before = draft
        change = LetterChange(low, high, new, "edit", 1.0)
        old, fresh = before.windows(change)
        draft = before.apply(change)
        assert old in before.data and fresh in draft.data
        assert (draft.origin[1:] >= draft.origin[:-1]).all() and len(draft.origin) == len(
            draft.text
        )
    parts = draft.parts(text)
    assert "".join(p.obfuscation for p in parts) == draft.text
    assert "".join(p.original for p in parts) == text
    assert sum(len(p.operations) for p in parts) == len(edits)


def test_bytes_map_to_characters():
    draft = EditedText.of("a…é“b")
    assert draft.data == 'a...é"b'.encode()
    assert draft.span(1, 4) == (1, 2) and draft.span(4, 6) == (2, 3) and draft.span(6, 8) == (3, 5)
