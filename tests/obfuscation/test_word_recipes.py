import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.recipes import mihaylova_2016 as steps
from ravenbench.obfuscation.recipes.mihaylova_2016 import spoken
from ravenbench.obfuscation.recipes.mihaylova_2016_statistics import Measured, Statistics
from ravenbench.randomness import stream


def context(faithful=False, **delta):
    values = dict.fromkeys(Statistics.__dataclass_fields__, 0.0)
    document = Measured(
        Statistics(**values), {}, frozenset(), {"cat": "n", "sat": "v", "ran": "v", "dog": "n"}
    )
    return steps.Context(
        document,
        {"stop": 0, "punctuation": 0, "ttr": 0, "sentence_length": 0} | delta,
        faithful,
        False,
    )


def rng(seed=0):
    return stream(seed, "test-step")


@pytest.mark.parametrize(
    ("numeral", "words"),
    [
        ("0", "zero"),
        ("17", "seventeen"),
        ("42", "forty-two"),
        ("105", "one hundred five"),
        ("1,204.5", "one thousand two hundred four point five"),
        ("2000000", "two million"),
        ("12345678", "one two three four five six seven eight"),
    ],
)
def test_numerals(numeral, words):
    assert spoken(numeral) == words


@pytest.mark.parametrize(
    ("step", "text", "repaired", "faithful"),
    [
        ("operators", "if a+b = c", "if a plus b equals c", None),
        ("operators", "a+b only", "a+b only", None),
        ("numerals", "It has 3 or 4b.", "It has three or 4b.", None),
        (
            "contractions",
            "I can't say we've won't.",
            "I cannot say we have will not.",
            "I ca not say we have wo not.",
        ),
        ("contractions", "Don’t! It's Jim's.", "Do not! It's Jim's.", None),
        ("symbols", "Mr. Bean paid $5 & 10%", "Mister Bean paid 5 dollars and 10 percent", None),
        ("capitals", "THIS is VERY big", "This is Very big", None),
        (
            "numerals",
            "It has 3,2 million since 1984.",
            "It has 3,2 million since nineteen eighty-four.",
            "It has three,2 million since one thousand nine hundred eighty-four.",
        ),
    ],
)
def test_sure_steps(step, text, repaired, faithful):
    run = getattr(steps, step)
    assert run(text, context(), rng()) == repaired
    assert run(text, context(faithful=True), rng()) == (faithful or repaired)


def outcomes(step, text, ctx):
    return {getattr(steps, step)(text, ctx, rng(seed)) for seed in range(40)}


def test_drawn_steps():
    assert outcomes("possessives", "Capital of France is old.", context()) == {
        "Capital of France is old.",
        "France's capital is old.",
    }
    assert outcomes("paraphrases", "As well as this", context()) == {
        "As well as this",
        "Along with this",
    }
    assert outcomes("variants", "The colour of it", context()) == {
        "The colour of it",
        "The color of it",
    }
    assert outcomes("stop_words", "It is very good", context(stop=0.0)) == {"It is very good"}
    assert outcomes("stop_words", "It is very good", context(stop=1.0)) == {"It is good"}
    assert outcomes("punctuation", "a, b; c: 1,000", context(punctuation=1.0)) == {"a b c 1,000"}
    assert len(outcomes("punctuation", "Why? He went to it!", context(punctuation=-0.4))) > 5


def test_would_or_had():
    found = outcomes("contractions", "I'd go", context())
    assert found == {"I would go", "I had go"}


def test_long_sentences_split_and_short_ones_merge():
    assert steps.sentence_length(
        "The cat sat and the dog ran.", context(sentence_length=5.0), rng()
    ) == ("The cat sat. The dog ran.")
    merged = steps.sentence_length(
        "The cat sat. The dog ran. I saw.", context(sentence_length=-5.0), rng()
    )
    assert len(sentences(merged)) == 1 and "the dog ran" in merged and " I saw." in merged


def test_spelling_runs_the_other_way_in_faithful_mode():
    text = "We believe in friends."
    assert steps.spelling("We receive friends.", context(known=1.0), rng()) == "We recieve freinds."
    assert steps.spelling(text, context(known=0.0), rng()) == text
    assert (
        steps.spelling(text, context(faithful=True, known=-1.0), rng()) == "We beleive in freinds."
    )
    assert steps.spelling(text, context(faithful=True, known=-0.0), rng()) == "We  in ."
    assert steps.spelling(text, context(), rng()) == text


def task(text, known=(), name="t"):
    return ObfuscationTask(name, text, known, "en")


@pytest.mark.data
def test_mansoorizadeh_changes_one_frequent_word_a_sentence(resources):
    text = (
        "The big house is a nice place. People often buy a big house. A new car costs much money."
    )
    found = registry.parse("obfuscator", "mansoorizadeh-2016").obfuscate(task(text, (text,)), 1)
    assert 0 < found.counts["synonym"] <= 3
    for (a, b), (c, d) in zip(sentences(text), sentences(found.text), strict=True):
        old, new = text[a:b].split(), found.text[c:d].split()
        assert len(old) - 1 <= sum(x in new for x in old)
    assert (
        found.text
        == registry.parse("obfuscator", "mansoorizadeh-2016").obfuscate(task(text, (text,)), 2).text
    )
    rare = registry.parse("obfuscator", "mansoorizadeh-2016").obfuscate(
        task(text, ("zebra quagga",)), 1
    )
    assert not rare.changed


@pytest.mark.data
def test_mansoorizadeh_faithful_puts_spaces_before_marks(resources):
    text = "The big house, it is nice."
    found = registry.parse("obfuscator", "mansoorizadeh-2016(mode='faithful')").obfuscate(
        task(text), 1
    )
    assert " , it is" in found.text and found.text.endswith(" . ")
    assert "no known text" in found.notes[0]


@pytest.mark.data
def test_mihaylova_faithful_needs_two_sentences(resources):
    found = registry.parse("obfuscator", "mihaylova-2016(mode='faithful')").obfuscate(
        task("Only this one sentence."), 1
    )
    assert not found.changed and "one sentence" in found.notes[0]


@pytest.mark.data
def test_mihaylova_averages_can_be_recomputed(resources):
    from ravenbench.obfuscation.recipes.mihaylova_2016_statistics import average, measure

    text = "The cat sat on the mat. The DOG ran!"
    rates = measure(text).rates
    assert rates.sentence_length == 4.5 and rates.capitals == pytest.approx(1 / 9)
    assert rates.punctuation == pytest.approx(2 / 9) and rates.ttr == pytest.approx(8 / 9)
    assert average([text, text])["ttr"] == pytest.approx(8 / 9)


def test_unknown_modes_are_refused():
    for spec in ("mihaylova-2016(mode='x')", "mansoorizadeh-2016(k=0)"):
        with pytest.raises(SpecError):
            registry.parse("obfuscator", spec).fit([])


@pytest.mark.data
def test_similarity_is_wu_palmer(resources):
    from ravenbench.obfuscation.wording.words import senses, similarity

    dog, cat, run = senses("dog", "n")[0], senses("cat", "n")[0], senses("run", "v")[0]
    assert similarity(dog, dog) == 1 and similarity(dog, cat) == pytest.approx(
        dog.wup_similarity(cat)
    )
    assert similarity(dog, run) == 0 and similarity(run, senses("think", "v")[0]) > 0


@pytest.mark.data
def test_corrections_are_one_or_two_edits_away(resources):
    from ravenbench.obfuscation.recipes.mihaylova_2016 import correct, distances

    assert (
        correct("becuase") == "because"
        and correct("hous") == "house"
        and correct("xqzvwkj") == "xqzvwkj"
    )
    words = ["kitten", "sitting", "mitten", "kit"]
    letters = np.zeros((4, 24), dtype=np.int32)
    for row, word in enumerate(words):
        letters[row, : len(word)] = [ord(c) for c in word]
    code = np.array([ord(c) for c in "kitten"], dtype=np.int32)
    assert distances(code, letters, np.array([len(w) for w in words])).tolist() == [0, 3, 1, 3]


@pytest.mark.data
def test_relatives_do_not_follow_hash_order(resources):
    from ravenbench.obfuscation.wording.words import parents, related, senses

    dog = senses("dog", "n")[0]
    assert [s.name() for s in parents(dog)] == ["canine.n.02", "domestic_animal.n.01"]
    assert related("dog", "n")[1] == ("canine", "canid")


@pytest.mark.data
def test_relatives_are_those_of_the_usual_sense(resources):
    from ravenbench.obfuscation.wording.words import related, usual_sense

    expected = {
        "be": "be.v.01",
        "has": "have.v.01",
        "goes": "travel.v.01",
        "even": "even.r.01",
        "found": "find.v.01",
    }
    assert {word: usual_sense(word).name() for word in expected} == expected
    assert usual_sense("saw", "v").name() == "see.v.01" and usual_sense("light", "v").pos() == "v"
    # He is helium, at astatine, it information technology, can a tin: these words are not in WordNet.
    assert [
        word
        for word in ("he", "at", "it", "or", "may", "can", "English", "xyzzy")
        if usual_sense(word)
    ] == []
    assert related("he") == ((), ()) and "glucinium" not in related("be")[0]
