"""Endpoints answer from a local fake server: recorded shapes of good and bad answers."""

import sys

import pytest

from ravenbench import registry
from ravenbench.errors import MissingPart, ProgramError
from ravenbench.obfuscation.base import ObfuscationTask

TASK = ObfuscationTask("t", "One sentence. Another one.", (), "en")


def libre(server):
    return registry.parse("obfuscator", f"keswani-2016(libretranslate(url='{server.url}', retries=0))")


def test_libretranslate_goes_round(server, empty_cache):
    server.answers = [lambda body: (200, {"translatedText": f"{body['q']} ({body['target']})"})]
    recipe = libre(server)
    assert not recipe.sends_text
    found = recipe.obfuscate(ObfuscationTask("t", "One sentence. \n\nAnother one.", (), "en"), 1)
    assert found.text == "One sentence. (de) (fr) (en) \n\nAnother one. (de) (fr) (en)"
    assert [(b["source"], b["target"]) for _, b in server.asked[::2]] == [("en", "de"), ("de", "fr"), ("fr", "en")]
    recipe.obfuscate(ObfuscationTask("u", "One sentence.", (), "en"), 2)
    assert len(server.asked) == 6


@pytest.mark.parametrize("answer", [(500, "no"), (200, "<html>"), (200, {"translatedText": ""}), (200, {"error": 1})])
def test_a_sentence_that_cannot_be_translated_stays(server, empty_cache, answer):
    server.answers = [answer, lambda body: (200, {"translatedText": body["q"].upper()})]
    found = libre(server).obfuscate(ObfuscationTask("t", "One sentence. Another one.", (), "en"), 1)
    assert found.text == "One sentence. ANOTHER ONE."
    assert found.counts == {"kept: translation failed": 1, "translate": 1}
    assert found.notes == ("1 of 2 sentences kept: their translation failed",)


def test_half_a_sentence_is_not_taken(server, empty_cache):
    server.answers = [lambda body: (200, {"translatedText": "Only"})]
    with pytest.raises(ProgramError, match="none of 1 sentences was translated"):
        libre(server).obfuscate(ObfuscationTask("t", "This sentence has a good many more words than one.", ()), 1)


@pytest.mark.parametrize("spec", ["ctranslate2(folder='models')", "marian"])
def test_absent_translators_name_the_command(spec, monkeypatch):
    for module in ("transformers", "ctranslate2"):
        monkeypatch.setitem(sys.modules, module, None)
    recipe = registry.parse("obfuscator", f"keswani-2016({spec})")
    with pytest.raises(MissingPart, match="fix: "):
        recipe.obfuscate(TASK)


def test_the_toy_translator_loses_words_and_leaves_residue():
    toy = registry.parse("translator", "toy-lossy")
    german = toy.translate(["Many children have seen large houses."], "en", "de")[0]
    assert german == "Viele kinder seen have groß houses."
    full = registry.parse("translator", "toy-lossy(residue=1.0)")
    assert full.translate(["grand"], "fr", "en") == ["grand"] and toy.translate(["grand"], "fr", "en") == ["great"]
