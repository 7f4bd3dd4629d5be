"""The evidence of a comparison: the text comes back whole, content is hidden, features pull the way they should."""

import numpy as np
import pytest

from ravenbench.reports.compare.evidence import evidence
from ravenbench.reports.compare.heat import heat
from ravenbench.reports.compare.model import comparable, likeness
from ravenbench.reports.compare.passages import hidden
from ravenbench.reports.compare.words import sided, support, times, verbal
from ravenbench.testing import toy_problems
from ravenbench.text.tokens import frequent_words
from ravenbench.types import Problems

FUNCTIONS = frozenset({"the", "of", "whilst", "a"})


def test_content_words_are_hidden_and_nothing_else():
    assert hidden("The Dog of a house, whilst 3 cats.", FUNCTIONS) == "The X of a x, whilst 3 x."


@pytest.fixture(scope="module")
def found():
    rows = [("a", ["the cat sat. a dog of a house. " * 6], "the sea. the ship of the sea. " * 6)]
    rows += [
        ("b", ["of the moon a sun. " * 9], "of the hill a lake. " * 9),
        ("c", ["a hen. the hen. " * 9], "the. a owl of " * 90 + "whilst."),
    ]
    background, same = Problems.of(rows), np.array([False, True, False])
    asked = "Whilst the Cat sat of it, a dog barked.\n\nWhilst the “bird” sang, of it all: the end. " * 4
    known = ["Whilst the man sat of it, a king spoke. Whilst the queen sang, of it all. " * 5]
    return asked, evidence(asked, known, background, same, FUNCTIONS, 0)


def test_the_questioned_text_comes_back_whole(found):
    asked, evidence = found
    told = "".join(token.before + token.text for passage in evidence.passages for token in passage.tokens)
    assert told.split() == asked.split() and evidence.more == 0
    content = {token.text for passage in evidence.passages for token in passage.tokens if token.content}
    assert (
        {"Cat", "sat"} <= content
        and any("bird" in text for text in content)
        and not content & {"the", "Whilst", ",", "“"}
    )
    shown = "".join(str(part["text"]) for part in heat(evidence))
    assert '<span class="' in shown and "Whilst" in shown


def test_what_both_sides_do_and_the_background_does_not_pulls_for(found):
    evidence = found[1]
    pulls = {feature.name: feature for feature in evidence.words}
    assert pulls["whilst"].pull > 0 and pulls["whilst"].known > pulls["whilst"].background > 0
    best = evidence.characters[0]
    assert best.pull > 0 and best.questioned > best.background and best.context[1].lower() in found[0].lower()
    assert all(0 <= feature.content <= 1 for feature in evidence.characters if feature.content is not None)


def test_scale_of_enfsi():
    assert [verbal(x) for x in (0.0, 0.3, 0.31, -1.0, 1.99, 2.0, 3.5, -5, 6)] == [
        "no support for either", "no support for either", "weak support", "moderate support", "moderate support",
        "moderately strong support", "strong support", "very strong support", "extremely strong support",
    ]  # fmt: skip
    assert [sided(x) for x in (1.2, -1.2, -0.1)] == [
        "moderate support", "moderate support for someone else", "no support for either",
    ]  # fmt: skip
    assert support(-1.2, "Ann").endswith("that someone other than Ann wrote the questioned text.")
    assert times(0.5) == "3.2" and times(-2.345) == "220" and times(1.0) == "10"


def test_pairs_count_by_content_within_what_both_kinds_have():
    content = np.concatenate([np.linspace(0.1, 0.5, 41), np.linspace(0.0, 0.2, 41)])
    same = np.arange(82) < 41
    low, high = comparable(content, same)
    assert low == pytest.approx(0.12) and high == pytest.approx(0.19)
    weight = likeness(content, same, 0.9)
    assert np.array_equal(weight, likeness(content, same, high)) and abs(content[np.argmax(weight)] - high) < 0.01


def test_evidence_of_real_problems_is_the_same_twice():
    problems, same = toy_problems(12, 2, seed=4)
    texts = problems.texts.rows(problems.documents)
    functions = frozenset(frequent_words(texts, 40))
    one, two = (evidence(texts[0], texts[1:3], problems, same, functions, 0) for _ in range(2))
    assert one == two and one.passages
