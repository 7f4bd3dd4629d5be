"""An attacker who knows the method: words traced back, preimages enumerated."""

import pytest

from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting
from ravenbench.obfuscation.parts import Edit, from_edits
from ravenbench.obfuscation.recipes.controls import Identity
from ravenbench.obfuscation.wording.words import tokens
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.registry import parse
from ravenbench.reports.report import analyse
from ravenbench.tasks.api import safety
from ravenbench.tasks.safety.attacks import (
    Channel,
    Restoration,
    candidates,
    invert,
    is_deterministic,
    preimages,
    restoration,
    stood_for,
)
from ravenbench.tasks.safety.report import SafetyReport
from ravenbench.testing import toy_problems

SECRET = {"big": "large", "small": "little", "quick": "fast"}
# The other way round too: a word of a hidden text has then one preimage.
SECRET |= {new: old for old, new in SECRET.items()}


class Dictionary(Obfuscator):
    """Always the same word for a word: as bad as an obfuscator can be."""

    name = "dictionary"

    def rewrite(self, task, seed):
        edits = [
            Edit(t.start, t.end, SECRET[t.text], "word")
            for t in tokens(task.questioned)
            if t.text in SECRET
        ]
        return Rewriting(from_edits(task.questioned, edits))


LESSONS = "The big dog met a small cat. It was a quick walk. A big day for a small town."
TEXT = "A quick look at the big house. The small door was open. Nothing moved."


@pytest.fixture
def channel():
    hidden = Dictionary().obfuscate(ObfuscationTask("a", LESSONS)).text
    return Channel.learn([([t.text for t in tokens(LESSONS)], [t.text for t in tokens(hidden)])])


def test_what_stood_for_what():
    assert list(stood_for(["a", "b", "c"], ["a", "x", "c"])) == [(0, "a"), (1, "b"), (2, "c")]
    assert list(stood_for(["a", "do", "not", "c"], ["a", "don't", "c"])) == [
        (0, "a"),
        (1, "do not"),
        (2, "c"),
    ]
    assert list(stood_for(["a", "b"], ["a"])) == [(0, "a")]
    assert list(stood_for([], ["a", "b"])) == []


def test_a_channel_knows_sources(channel):
    assert channel.others("large") == {"big": 1.0}
    assert channel.others("dog") == {} and channel.stays("dog") == 1
    assert channel.stays("zebra") == 1


def test_dictionary_is_undone(channel, nltk_home):
    hidden = Dictionary().obfuscate(ObfuscationTask("b", TEXT)).text
    found = invert(hidden, (LESSONS,), channel)
    assert hidden != TEXT and found.text == TEXT
    assert restoration(TEXT, hidden, found) == Restoration(3, 3, 3)


def test_restoration_counts_wrong_and_missed(channel):
    hidden = TEXT.replace("quick", "fast").replace("open", "shut")

    class Found:
        restored = {1: "quick", 5: "small"}

    counted = restoration(TEXT, hidden, Found())
    assert counted == Restoration(2, 2, 1)
    assert (counted.precision, counted.recall) == (0.5, 0.5)
    none = Restoration(0, 0, 0)
    assert none.precision is None and none.recall is None


def test_preimages_of_a_dictionary(channel):
    task = ObfuscationTask("b", TEXT)
    assert is_deterministic(Dictionary(), [task])
    found = preimages(Dictionary(), [(task, Dictionary().obfuscate(task))], channel)
    # The first sentence hides two words, and candidates differ in one.
    assert (found.changed, found.covered, found.guessed, found.exact) == (2, 1, 1, 1)
    assert found.share == 0.5
    assert set(candidates("The large dog", channel)) == {"The large dog", "The big dog"}


def test_what_draws_is_not_enumerated():
    task = ObfuscationTask("a", LESSONS * 3)
    assert not is_deterministic(parse("obfuscator", "random(rate=0.9)"), [task])
    assert is_deterministic(Identity(), [task])


@pytest.mark.data
def test_mansoorizadeh_can_be_enumerated(pan14, nltk_home):
    from ravenbench.reading.problems import read_problems

    problems = read_problems(pan14 / "en_essays.zip", "train").problems
    texts = [problems.texts[q] for q in problems.questioned_index[:24]]
    recipe = parse("obfuscator", "mansoorizadeh-2016")
    tasks = [ObfuscationTask(str(i), text, (text,), "en") for i, text in enumerate(texts)]
    done = [(task, recipe.obfuscate(task)) for task in tasks]
    words = [
        ([t.text for t in tokens(r.original)], [t.text for t in tokens(r.text)]) for _, r in done
    ]
    # Learned on the very texts: what is tested here is the enumeration.
    found = preimages(recipe, done[:2], Channel.learn(words))
    assert found.changed > 5
    assert found.covered > 0.9 * found.changed
    assert found.exact > 0.2 * found.changed
    assert found.guessed > found.exact


def test_attacks_in_a_run(tmp_path):
    for name, seed in (("train", 1), ("test", 2)):
        problems, same = toy_problems(16, 2, seed=seed, words=120)
        write_pan_problems(tmp_path / name, problems, same)
    done = safety(
        tmp_path / "test",
        train=tmp_path / "train",
        obfuscators="identity, random(rate=0.9)",
        verifiers="char-ngram",
        attacks=("invert", "preimage"),
        out=tmp_path / "run",
        workers=1,
    )
    assert done.errors == ()
    analysis = analyse(done.store)
    rows = {o.name: {r.attack: r for r in o.recovery} for o in analysis.obfuscators}
    assert rows["identity"]["invert"].why_not == "no text was changed"
    noise = rows["random(rate=0.9)"]
    assert noise["invert"].why_not is None and noise["invert"].restored is not None
    assert "draws at random" in noise["preimage"].why_not
    assert "i-o01-s0" in done.store.plan.folds and "i-o00-s0" not in done.store.plan.folds
    assert len(SafetyReport(done.store, analysis).recovery().rows) == 4
