import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.references.trigram_distance import reference_distance

from ravenbench import registry
from ravenbench.errors import InputError, SpecError
from ravenbench.ext.shelf.obfuscation.bevendorff_2019_search import (
    Author,
    EditedText,
    LetterChange,
    SearchState,
    plain_bytes,
)
from ravenbench.ext.shelf.obfuscation.mutant_x_2019 import positional_meteor
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
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 8), st.sampled_from(["", "e", "the ", "…", "é"]))))
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
        found = Bevendorff(search=search, nodes=2000).obfuscate(ObfuscationTask("t", TEXT, (KNOWN,), "en"), 1)
        assert "the goal was not reached" not in found.notes
        spent.append(sum(cost[name] * n for name, n in found.counts.items() if name in cost))
    assert 0 < spent[0] <= spent[1] + 40
    assert found.changed


def test_bevendorff_without_known_texts():
    found = registry.parse("obfuscator", "bevendorff-2019").obfuscate(ObfuscationTask("t", TEXT, (), "en"))
    assert not found.changed and "known texts" in found.notes[0]


def test_bevendorff_leaves_alone_what_is_far_enough(no_resources):
    text = "xyz qqq jjj zzz vvv kkk www " * 100
    found = registry.parse("obfuscator", "bevendorff-2019").rewrite(ObfuscationTask("t", text, (KNOWN,), "en"), 1)
    assert not found.changed and "already as far" in found.notes[-1]


def test_bevendorff_parameters():
    with pytest.raises(SpecError, match="did you mean 'pan15'"):
        registry.parse("obfuscator", "bevendorff-2019(target='pan16')").fit([])


@pytest.mark.data
def test_mutants_mislead_a_surrogate(resources):
    task = toy_tasks(1)[0]

    def oracle(variants, known):
        # An author is recognised by the words that stay.
        words = set(task.questioned.split())
        return np.array([len(words & set(v.split())) / len(words) - 0.2 for v in variants])

    found = registry.parse("obfuscator", "mutant-x-2019").obfuscate(task, 1, oracle)
    assert oracle([found.text], ())[0] < 0.5 and found.counts["mutate"] > 0 and not found.notes
    known = registry.parse("obfuscator", "mutant-x-2019").obfuscate(task, 1, lambda v, k: np.zeros(len(v)))
    assert not known.changed and "do not recognise" in known.notes[0]


@pytest.mark.data
def test_mutants_imitate(resources, tmp_path):
    task = toy_tasks(1)[0]
    (tmp_path / "other.txt").write_text("Somebody else.")

    def oracle(variants, known):
        # The other is recognised by the words that are new; the author always.
        words = set(task.questioned.split())
        fresh = np.array([len(set(v.split()) - words) / len(words) + 0.4 for v in variants])
        return fresh if known == ("Somebody else.",) else np.ones(len(variants))

    recipe = registry.parse("obfuscator", f"mutant-x-2019(imitate={str(tmp_path)!r})")
    found = recipe.obfuscate(task, 1, oracle)
    assert oracle([found.text], ("Somebody else.",))[0] > 0.5 and not found.notes
    assert "take it for the other's" in recipe.obfuscate(task, 1, lambda v, k: np.ones(len(v))).notes[0]
    before = recipe.stamp()
    (tmp_path / "other.txt").write_text("Somebody new.")
    assert recipe.stamp() != before and registry.parse("obfuscator", "mutant-x-2019").stamp() == ""
    with pytest.raises(InputError, match="no text to imitate"):
        registry.parse("obfuscator", "mutant-x-2019(imitate='nowhere')").fit([task])


@pytest.mark.data
def test_neighbours_of_an_encoder_are_guarded(resources, monkeypatch):
    from ravenbench.ext.shelf.obfuscation import mutant_x_2019 as near

    words = ("big", "bigger", "great", "small", "mighty", "grow", "distant")
    space = np.array([[1, 0], [1, 0.01], [1, 0.1], [1, 0.2], [1, 0.3], [1, 0.1], [0, 1]], dtype=float)
    space /= np.linalg.norm(space, axis=1, keepdims=True)
    monkeypatch.setattr(near, "_space", lambda model: (words, space))
    near.near_words.cache_clear()
    # No form of the word, no antonym, no other part of speech, nothing far away; the nearest first.
    assert near.near_words("any", "big", "a", "JJ") == ("great", "mighty")
    assert near.near_words("any", "unknown", "a", "JJ") == ()
    near.near_words.cache_clear()


def test_positional_meteor():
    assert positional_meteor([True] * 10) == pytest.approx(1 - 0.5 / 1000)
    assert positional_meteor([False] * 3) == 0
    assert positional_meteor([True, False, True, True]) == pytest.approx(0.75 * (1 - 0.5 * (2 / 3) ** 3))
