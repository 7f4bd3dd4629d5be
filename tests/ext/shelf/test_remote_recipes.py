"""Endpoints answer from a local fake server: recorded shapes of good and bad answers."""

from dataclasses import dataclass

import pytest

from ravenbench import registry
from ravenbench.errors import ProgramError
from ravenbench.ext.shelf.obfuscation.keswani_2016 import Keswani
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.obfuscation.translators import Translator, is_text

TASK = ObfuscationTask("t", "One sentence. Another one.", (), "en")


@dataclass(eq=False, repr=False)
class Spoken(Translator):
    """Says what a test wants, and keeps what it was asked."""

    name = "spoken"

    def __post_init__(self):
        self.asked = []
        self.say = lambda text, target: f"{text} ({target})"

    def translate(self, texts, source, target):
        self.asked += [(source, target)] * len(texts)
        return [said if is_text(said := self.say(text, target)) else None for text in texts]


def test_a_translation_goes_round_and_is_kept(empty_cache):
    recipe = Keswani(Spoken())
    found = recipe.obfuscate(ObfuscationTask("t", "One sentence. \n\nAnother one.", (), "en"), 1)
    assert found.text == "One sentence. (de) (fr) (en) \n\nAnother one. (de) (fr) (en)"
    assert recipe.translator.asked[::2] == [("en", "de"), ("de", "fr"), ("fr", "en")]
    recipe.obfuscate(ObfuscationTask("u", "One sentence.", (), "en"), 2)
    assert len(recipe.translator.asked) == 6


@pytest.mark.parametrize("failure", [None, "", "\0", "half a pair: \udcff"])
def test_a_sentence_that_cannot_be_translated_stays(empty_cache, failure):
    recipe = Keswani(Spoken())
    recipe.translator.say = lambda text, target: (
        failure if text == "One sentence." else text.upper()
    )
    found = recipe.obfuscate(ObfuscationTask("t", "One sentence. Another one.", (), "en"), 1)
    assert found.text == "One sentence. ANOTHER ONE."
    assert found.counts == {"kept: translation failed": 1, "translate": 1}
    assert found.notes == ("1 of 2 sentences kept, because their translation failed",)


def test_half_a_sentence_is_not_taken(empty_cache):
    recipe = Keswani(Spoken())
    recipe.translator.say = lambda text, target: "Only"
    with pytest.raises(ProgramError, match="translated none of 1 sentences"):
        recipe.obfuscate(
            ObfuscationTask("t", "This sentence has a good many more words than one.", ()), 1
        )


def test_the_toy_translator_loses_words_and_leaves_residue():
    toy = registry.parse("translator", "tests.translators:ToyLossy")
    german = toy.translate(["Many children have seen large houses."], "en", "de")[0]
    assert german == "Viele kinder seen have groß houses."
    full = registry.parse("translator", "tests.translators:ToyLossy(residue=1.0)")
    assert full.translate(["grand"], "fr", "en") == ["grand"] and toy.translate(
        ["grand"], "fr", "en"
    ) == ["great"]
