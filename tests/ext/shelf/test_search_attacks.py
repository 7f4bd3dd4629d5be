import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.references.trigram_distance import reference_distance

from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.ext.shelf.obfuscation.bevendorff_2019_search import (
    Author,
    EditedText,
    LetterChange,
    SearchState,
    plain_bytes,
)
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.testing import toy_tasks

KNOWN = "".join(toy_tasks(1)[0].known)
TEXT = toy_tasks(1)[0].questioned


def state(text, known=KNOWN):
    return SearchState.of(Author.of(known, False, False), EditedText.of(text))


def test_distances_at_the_ends():
    assert state(KNOWN).distance == pytest.approx(0, abs=1e-7)
    assert state("xyzxyzxyz", "abcabcabc").distance == pytest.approx(math.sqrt(2))
    assert reference_distance(b"abcabc", b"xyzxyz") == pytest.approx(math.sqrt(2))


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**6), st.integers(0, 8), st.sampled_from(["", "e", "the ", "…", "é"])
        )
    )
)
def test_counts_follow_edits(edits):
    found = state(TEXT)
    for start, length, new in edits:
        low = start % (len(found.draft.text) - 10)
        found.make(LetterChange(low, low + length, new, "edit", 1.0))
        if len(found.draft.text) < 30:
            break
    expected = reference_distance(plain_bytes(KNOWN), found.draft.data)
    assert found.distance == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 6), st.sampled_from(["", "abc", "often ", "x"]))
def test_predicted_gain_is_what_happens(start, length, new):
    found = state(TEXT * 4)
    low = start % (len(found.draft.text) - 10)
    change = LetterChange(low, low + length, new, "edit", 1.0)
    before = found.distance**2 / 2
    won = found.gain(*found.draft.windows(change))
    found.make(change)
    tolerance = 1e-9 if len(new) == length else 2e-4
    assert found.distance**2 / 2 - before == pytest.approx(won, abs=tolerance)


def test_greedy_search_reaches_its_goal(no_resources):
    task = ObfuscationTask("t", TEXT * 8, (KNOWN,), "en")
    recipe = registry.parse("obfuscator", "bevendorff-2019")
    found = recipe.obfuscate(task, 1)
    goal = recipe.goal(len(plain_bytes(task.questioned)))
    reached = reference_distance(plain_bytes(KNOWN), plain_bytes(found.text)) >= goal
    assert reached or "the goal was not reached" in found.notes
    before = reference_distance(plain_bytes(KNOWN), plain_bytes(task.questioned))
    assert reference_distance(plain_bytes(KNOWN), plain_bytes(found.text)) > before


def test_a_star_spends_no_more_than_greedy(no_resources, monkeypatch):
    from ravenbench.ext.shelf.obfuscation.bevendorff_2019 import Bevendorff

    monkeypatch.setattr(Bevendorff, "goal", lambda self, size: state(TEXT).distance + 0.02)
    cost = {"delete trigram": 40, "flip": 30, "punctuation": 3}
    spent = []
    for search in ("astar", "greedy"):
        found = Bevendorff(search=search, nodes=2000).obfuscate(
            ObfuscationTask("t", TEXT, (KNOWN,), "en"), 1
        )
        assert "the goal was not reached" not in found.notes
        spent.append(sum(cost[name] * n for name, n in found.counts.items() if name in cost))
    assert 0 < spent[0] <= spent[1] + 40
    assert found.changed


def test_bevendorff_without_known_texts():
    found = registry.parse("obfuscator", "bevendorff-2019").obfuscate(
        ObfuscationTask("t", TEXT, (), "en")
    )
    assert not found.changed and "known texts" in found.notes[0]


def test_bevendorff_leaves_alone_what_is_far_enough(no_resources):
    text = "xyz qqq jjj zzz vvv kkk www " * 100
    found = registry.parse("obfuscator", "bevendorff-2019").rewrite(
        ObfuscationTask("t", text, (KNOWN,), "en"), 1
    )
    assert not found.changed and "already as far" in found.notes[-1]


def test_bevendorff_parameters():
    with pytest.raises(SpecError, match="did you mean 'pan15'"):
        registry.parse("obfuscator", "bevendorff-2019(target='pan16')").fit([])
