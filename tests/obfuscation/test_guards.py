"""A regression corpus: what was once seen in rewritings and must not be seen again."""

import re
from types import SimpleNamespace

import pytest

from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.obfuscation.guards import Stretches, _beginnings, article, mended
from ravenbench.obfuscation.wording.resources import wordnet
from ravenbench.reading.pan_obfuscation import Part
from ravenbench.reading.problems import read_problems
from ravenbench.testing import toy_tasks
from ravenbench.text.nltk_data import find

RECIPES = [
    "random(rate=0.5)",
    "mihaylova-2016",
    "mansoorizadeh-2016",
    "raven-hide",
    "bevendorff-2019",
]
KNOWN = (
    "The people who live in the town say that they like the big house and the old school near the river.",
) * 3


def mended_text(original, text):
    return mended((Part(0, len(original), original, text),))[0].obfuscation


def rewrite(spec, text, seed=0, known=KNOWN):
    task = ObfuscationTask("t", text, known, "en")
    return registry.parse("obfuscator", spec).obfuscate(task, seed).text


@pytest.mark.data
@pytest.mark.parametrize("spec", RECIPES)
@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Arnaz was on television. Later Arnaz came back, and people liked what Arnaz did.",
            ["Arnaz"],
        ),
        (
            "They make vitamins, e.g. tocopherol, in a factory. It was big, i.e. huge.",
            ["e.g.", "i.e."],
        ),
        ("No one knows it. He saw no one there, and no one came.", ["no one"]),
        ("He repeats this ad nauseam, and the status quo stays.", ["ad nauseam", "status quo"]),
        ("The school in Flushing opened. The people of Flushing came.", ["Flushing"]),
        (
            "About 3,2 million people live there. It opens at 10:30 and costs 1,204.50 there.",
            ["3,2 million", "10:30"],
        ),
        ("He works for NATO and the BBC. The UN helps too.", ["NATO", "BBC", "UN"]),
        (
            "See https://example.org/the-big-house or write to one@two.org there.",
            ["one@two.org", "the-big-house"],
        ),
        ("He went to high school. A high school is a big building.", ["high school"]),
    ],
)
def test_what_must_stay_stays(spec, text, kept, resources):
    for seed in range(4):
        found = rewrite(spec, text, seed)
        if spec == "mihaylova-2016":
            found = found.replace("for example", "e.g.").replace("that is", "i.e.")
        lost = [phrase for phrase in kept if phrase.lower() not in found.lower()]
        assert not lost, f"{spec}, seed {seed}: {lost} lost in {found!r}"
        assert "arnaz" not in found and "flushing" not in found and "nato" not in found


@pytest.mark.data
def test_forms_that_do_not_exist_are_not_made(resources):
    from ravenbench.obfuscation.guards import inflected, same_form

    assert (
        inflected("dead", "JJR") == "deader"
        and inflected("comfortable", "JJR") == "more comfortable"
    )
    assert inflected("deadening", "JJR") == "more deadening" and inflected("nearer", "JJR") is None
    assert inflected("give up", "VBD") == "gave up" and inflected("blorp", "VBD") is None
    assert (
        same_form("houses", "home", "n") == "homes"
        and same_form("walked", "travel", "v") == "traveled"
    )
    # Past tense or participle? of take they differ.
    assert same_form("carried", "take", "v") is None


@pytest.mark.data
@pytest.mark.parametrize(
    ("word", "other", "pos"),
    [
        ("is", "be", "v"),
        ("death", "birth", "n"),
        ("born", "bear", "v"),
        ("school", "schooling", "n"),
        ("best", "good", "a"),
        ("thought", "thinking", "n"),
        ("big", "small", "a"),
        ("one", "1", "n"),
        ("he", "he", "n"),
        ("e", "vitamin e", "n"),
        ("england", "England", "n"),
        ("come", "go", "v"),
    ],
)
def test_no_antonym_no_form_of_itself_no_name(word, other, pos, resources):
    from ravenbench.obfuscation.guards import acceptable

    assert not acceptable(word, other, pos)


@pytest.mark.data
def test_good_words_may_stand_in(resources):
    from ravenbench.obfuscation.guards import acceptable, relatives

    assert acceptable("big", "large", "a") and acceptable("begin", "start", "v")
    assert "digest" not in relatives("born", "v")[0] and "cat" not in sum(relatives("dog", "n"), ())


@pytest.mark.parametrize(
    ("word", "right"),
    [
        ("apple", "an"),
        ("house", "a"),
        ("hour", "an"),
        ("honest", "an"),
        ("university", "a"),
        ("unimportant", "an"),
        ("uninteresting", "an"),
        ("useful", "a"),
        ("umbrella", "an"),
        ("European", "a"),
        ("one", "a"),
        ("onion", "an"),
        ("MP", "an"),
        ("UFO", "a"),
        ("historical", "a"),
        ("X", "a"),
    ],
)
def test_articles(word, right):
    assert article(word) == right or (word == "X" and article(word) in ("a", "an"))


@pytest.mark.parametrize(
    ("original", "edited", "wanted"),
    [
        ("He has a big idea.", "He has a idea.", "He has an idea."),
        ("It is an old town.", "It is an large town.", "It is a large town."),
        ("The big old house.", "The the old house.", "The old house."),
        ("He came with his dog.", "He came with with his dog.", "He came with his dog."),
        ("However, the town lies there.", "the town lies there.", "The town lies there."),
        (
            "The town is big. It is old.",
            "The town is big It is old.",
            "The town is big. It is old.",
        ),
        ("The town is big.", "The town is", "The town is."),
        ("The dog ran home.", "Besides, The dog ran home.", "Besides, the dog ran home."),
        (
            "Paul ran home. I saw Paul.",
            "Besides, paul ran home. I saw Paul.",
            "Besides, Paul ran home. I saw Paul.",
        ),
        ("He came, and she went.", "He came , and she went.", "He came, and she went."),
        ("He came, and she went.", "He came,and she went.", "He came, and she went."),
        ("He came (late), he said.", "He came , , he said.", "He came, he said."),
        ("He really came.", "He  came.", "He came."),
        (
            "It had had that that effect.",
            "It had had that that result.",
            "It had had that that result.",
        ),
        ("a apple is left as written", "a apple is kept as written", "a apple is kept as written"),
    ],
)
def test_what_edits_left_behind_is_mended(original, edited, wanted):
    assert mended_text(original, edited) == wanted


def test_what_was_not_edited_is_not_mended():
    text = "this Is  odd , is it ?an Text\n\n like that that.  (i.e. not)mine"
    assert mended_text(text, text) == text


def test_stretches_without_resources(no_resources):
    text = "Mr. Bean came at 10:30, i.e. late, and Anna Smith left ad hoc. No one saw U.S. ships."
    found = Stretches(text)
    kept = {text[a:b] for a, b in found.spans}
    assert {"Mr.", "10:30", "i.e.", "ad hoc", "No one", "U.S."} <= kept
    place = text.index("no one".capitalize())
    assert (
        found.touch(place, place + 2)
        and found.cut(place, place + 2)
        and not found.cut(place, place + 6)
    )
    assert not found.touch(text.index("saw"), text.index("saw") + 3)


@pytest.mark.data
@pytest.mark.parametrize("spec", ["random", "bevendorff-2019"])
def test_faithful_mode_keeps_the_faults(spec, resources):
    task = toy_tasks()[0]
    repaired, faithful = (
        rewrite(s, task.questioned, 3, task.known) for s in (spec, f"{spec}(mode='faithful')")
    )
    assert repaired != faithful
    with pytest.raises(SpecError, match="'repaired' or 'faithful'"):
        registry.parse("obfuscator", f"{spec}(mode='x')").fit([])


@pytest.mark.data
def test_anomalies_are_counted_by_kind(resources):
    from benchmarks.anomalies import KINDS, anomalies, per_thousand

    original = "Arnaz saw no one. The death of a pilot is a loss, e.g. for his old mother. It had three pages."
    bad = "After all, arnaz saw no 1. The birth of a airman be an loss , e.g. for his his deadeninger mother "
    bad += "it had 3 pages"
    found = anomalies(original, bad)
    assert set(found) == set(KINDS)
    for kind in (
        "name",
        "phrase",
        "own lemma",
        "antonym",
        "no word",
        "article",
        "doubled word",
        "casing",
        "spacing",
    ):
        assert found[kind], kind
    assert not any(anomalies(original, original).values())
    rates = per_thousand({"a": (original, bad), "b": (original, original)})
    assert rates["antonym"] == pytest.approx(1000 / 44) and rates["number"] == 0


@pytest.mark.data
def test_every_collocation_of_wordnet_is_looked_up(essay_words):
    """Also where its last word is inflected, or all of it irregularly; and of others only those that begin like one."""
    for name in ("high_school", "high_schools", "amici_curiae", "look_up"):
        assert wordnet().synsets(name) and name.rpartition("_")[0] in _beginnings(), name
    for phrase in essay_words:
        assert not wordnet().synsets(phrase) or phrase.rpartition("_")[0] in _beginnings(), phrase


@pytest.mark.data
def test_counts_of_senses_are_those_that_nltk_looks_up(nltk_home):
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    lemmas = [
        lemma
        for word in ("be", "may", "house", "good", "quickly")
        for lemma in wordnet().lemmas(word)
    ]
    counts = [lemma.count() for lemma in lemmas]
    reader = SimpleNamespace(_key_count_file=find("wordnet").join("cntlist.rev").open("utf-8"))
    assert (
        counts == [WordNetCorpusReader.lemma_count(reader, lemma) for lemma in lemmas]
        and max(counts) > 1000
    )


@pytest.fixture
def essay_words(pan14):
    """Two, three and four words in a row of some essays."""
    texts = read_problems(pan14 / "en_essays.zip", "train").problems.texts
    words = re.findall(r"[^\W\d_]+", " ".join(texts[row] for row in range(8)).lower())
    return {"_".join(words[i : i + n]) for n in (2, 3, 4) for i in range(len(words) - n)}
