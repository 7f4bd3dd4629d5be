"""On damaged copies of real essays each measure moves in its stated direction; without its resource it is not made."""

import re

import numpy as np
import pytest

from ravenbench.obfuscation.measures import sensibleness
from ravenbench.obfuscation.measures.sensibleness import Sensibleness, mean_ranks
from ravenbench.obfuscation.measures.soundness import (
    Soundness,
    aligned_parts,
    efficiency,
    negations,
    number_values,
    numbers,
    survives,
)
from ravenbench.obfuscation.parts import pack
from ravenbench.reading.pan_obfuscation import Part
from ravenbench.reading.problems import read_problems


def whole(original, rewritten):
    return (Part(0, len(original), original, rewritten),)


def by_part(original, change):
    """Parts whose text went through ``change``."""
    return tuple(Part(a, b, original[a:b], change(original[a:b])) for a, b in pack(original))


def shuffled(text):
    words = text.split(" ")
    return " ".join(words[i] for i in np.random.default_rng(0).permutation(len(words)))


def negated(text):
    return re.sub(r"\b(is|are|was|were|can|will|do|does)\b", r"\1 not", text)


def renumbered(text):
    return re.sub(
        r"\d+", lambda m: str(int(m[0]) + 7), re.sub(r"\b(two|three|four|five)\b", "ninety", text)
    )


def respaced(text):
    return re.sub(r"([,.;:!?])(?=\s)", r" \1", text)


@pytest.fixture
def essays(pan14):
    problems = read_problems(pan14 / "en_essays.zip", "train").problems
    texts = problems.texts.rows(problems.questioned_index)
    return [t[:700] for t in texts if re.search(r"\d|\b(two|three|four)\b", t[:700])][:3]


@pytest.fixture
def sound():
    pytest.importorskip("sacrebleu")
    return Soundness()


def mean(rows, name):
    values = [row[name] for row in rows if row[name] is not None]
    assert values, f"{name} was not measured"
    return float(np.mean(values))


@pytest.mark.data
def test_identity_is_perfectly_sound(sound, essays):
    for text in essays:
        found = sound.measure(by_part(text, lambda part: part))
        assert found["words_lost"] == 0
        assert found["chrf"] == pytest.approx(100)
        for name in ("numbers", "negations"):
            assert found[name] in (None, pytest.approx(1)), name
        assert efficiency(by_part(text, lambda part: part)) == {
            "changes_per_1000": 0,
            "edited_share": 0,
        }
        assert survives(found)


@pytest.mark.data
def test_damage_moves_soundness(sound, essays):
    rows = {
        change.__name__: [sound.measure(by_part(text, change)) for text in essays]
        for change in (str, shuffled, negated, renumbered, respaced)
    }
    same = rows.pop("str")
    assert mean(rows["shuffled"], "chrf") < mean(rows["negated"], "chrf") < mean(same, "chrf")
    # What similarities hardly see, preservation does.
    assert mean(rows["negated"], "chrf") > 90
    assert mean(rows["negated"], "negations") < 0.8
    assert not any(survives(row) for row in rows["negated"])
    assert mean(rows["renumbered"], "chrf") > 90
    assert mean(rows["renumbered"], "numbers") < 0.5
    for name in ("numbers", "negations"):
        assert mean(rows["respaced"], name) == pytest.approx(1), name
    assert mean(rows["respaced"], "words_lost") == 0


@pytest.mark.data
def test_damage_moves_sensibleness(essays, nltk_home):
    sense = Sensibleness()
    rows = {
        change.__name__: [sense.measure(text, change(text)) for text in essays]
        for change in (str, shuffled, respaced)
    }
    assert all(v in (0, None) for row in rows["str"] for v in row.values())
    assert mean(rows["shuffled"], "surprisal") > 1
    assert mean(rows["shuffled"], "inner_capital") > 0
    assert mean(rows["respaced"], "space_before_mark") > 50
    assert mean(rows["respaced"], "oov") == pytest.approx(0, abs=5)
    ranks = mean_ranks(
        {k: {n: mean(v, n) for n in ("surprisal", "space_before_mark")} for k, v in rows.items()}
    )
    assert ranks["str"] < min(ranks["shuffled"], ranks["respaced"])


@pytest.mark.parametrize(
    ("damage", "measure"),
    [
        ("He came ,and left.", "space_before_mark"),
        ("He came,and left.", "no_space_after_mark"),
        ("He came,, and left!!", "doubled_marks"),
        ("He came, And left.", "inner_capital"),
        ("He came and and left.", "repeated_words"),
        ("he came, and left.", "lowercase_start"),
        ("He (came, and left.", "unbalanced"),
        ("He came, und left nicht.", "foreign"),
        ("He came, он left.", "foreign"),
        ("Sure! Here is the rewritten text: He came, and left.", "chatter"),
    ],
)
def test_each_anomaly(damage, measure, nltk_home):
    found = Sensibleness().measure("He came, and left.", damage)
    assert found[measure] > 0


def test_misspellings_are_out_of_vocabulary(nltk_home):
    found = Sensibleness().measure("We want to go to the house.", "We want tto go tto the hosue.")
    assert found["oov"] > found["repeated_misspellings"] > 0


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("twenty-one dogs", {"21": 1}),
        ("1,000 and one thousand", {"1000": 2}),
        ("two hundred and five", {"205": 1}),
        ("one two three", {"1": 1, "2": 1, "3": 1}),
        ("nineteen million", {"19000000": 1}),
        ("and hundred", {}),
        ("3.5 or 7", {"3.5": 1, "7": 1}),
        ("in two and a half", {"2": 1}),
        ("00" + "9" * 5000, {"00" + "9" * 5000: 1}),
        ("one" + " hundred" * 3000, {"100": 1}),
    ],
)
def test_numbers_have_values(text, values):
    assert dict(number_values(text)) == values


def test_preservation():
    assert numbers("I have 3 cats", "I have three cats").share == 1
    assert numbers("I have 3 cats", "I have four cats").share == 0
    assert numbers("I have cats", "I have cats").share is None
    assert negations("I don't know", "I do not know").share == 1
    assert negations("I know", "I do not know").share == 0


def test_changes_per_1000_words():
    found = efficiency(whole("one two three four", "one TWO three four five"))
    assert found["changes_per_1000"] == 500
    assert efficiency(whole("...", "!"))["changes_per_1000"] is None


def test_aligned_parts_tile_both_texts():
    original = " ".join(
        f"Sentence number {i} says something about topic {i * 7}." for i in range(40)
    )
    rewritten = original.replace("number", "no.").replace("Sentence no. 5 says", "It says")
    pairs = aligned_parts(whole(original, rewritten))
    assert len(pairs) > 10
    assert "".join(a for a, _ in pairs) == original
    assert "".join(b for _, b in pairs) == rewritten


def test_missing_resources_are_not_measured(monkeypatch):
    monkeypatch.setattr(sensibleness, "missing", lambda name: f"{name} is not here")
    monkeypatch.setattr(Soundness, "_chrf", None)
    sound, sense = Soundness(), Sensibleness()
    found = sound.measure(whole("A good text.", "A bad text."))
    assert found["chrf"] is None and found["encoder"] is None
    assert found["words_lost"] > 0
    assert {"chrf", "encoder"} == set(sound.missing)
    made = sense.measure("A good text.", "A bad , text.")
    assert made["surprisal"] is None
    assert made["oov"] is None
    assert made["space_before_mark"] > 0


def test_neural_measures_use_what_is_given():
    sound = Soundness(lambda pairs: [0.8] * len(pairs))
    found = sound.measure(whole("A longer text here.", "Short text."))
    assert found["encoder"] == 0.8
