"""Endpoints answer from a local fake server: recorded shapes of good and bad answers."""

import time
from dataclasses import dataclass

import pytest

from ravenbench import registry
from ravenbench.errors import InputError, ProgramError
from ravenbench.ext.machine.llm import chunks
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.obfuscation.recipes.keswani_2016 import Keswani
from ravenbench.obfuscation.translators import Translator, is_text

TEXT = (
    "The first paragraph of this text has a dozen words, or a few more than that.\n\n"
    "The second one is also long enough to be judged by its length, I think.\n"
)
TASK = ObfuscationTask("t", TEXT, (), "en")


def completion(text, finish="stop"):
    return 200, {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}]}


def shouted(body):
    return completion(body["messages"][1]["content"].upper())


def llm(server, **options):
    shown = "".join(f", {k}={v!r}" for k, v in options.items())
    return registry.parse("obfuscator", f"llm(model='m', url='{server.url}', retries=0{shown})")


def test_chunks_keep_paragraphs():
    text = "One two. Three four.\n\n" + "word word word. " * 100 + "\n\nEnd."
    spans = chunks(text)
    assert "".join(text[a:b] for a, b in spans) == text
    assert text[slice(*spans[0])] == "One two. Three four.\n\n" and len(spans) == 4


def test_llm_rewrites_chunk_by_chunk_and_caches(server, empty_cache):
    server.answers = [shouted]
    found = llm(server).obfuscate(TASK, 1)
    assert found.text == TEXT.upper() and found.counts == {"rewrite": 2} and found.notes == ()
    path, body = server.asked[0]
    assert path == "/chat/completions" and body["temperature"] == 0.7 and isinstance(body["seed"], int)
    assert llm(server).obfuscate(TASK, 1).text == found.text and len(server.asked) == 2
    llm(server).obfuscate(TASK, 2)
    assert len(server.asked) == 4


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (completion("Sure, here is the rewritten text: " + TEXT), "refusal or preamble"),
        (completion("I'm sorry, but I cannot help with that request at all, as it would be wrong."), "refusal"),
        (completion("Half a"), "wrong length"),
        (completion("It stops in the middle of a sentence that has about as many words as", "length"), "cut off"),
        (completion(""), "empty"),
        (completion("<html><body>" + "word " * 14), "markup"),
        ((200, "<html>gateway</html>"), "not JSON"),
        ((200, ["list"]), "not a JSON object"),
        ((200, {"error": "x"}), "not a chat completion"),
        ((401, {"error": "no key"}), "status 401"),
        ((503, "busy"), "status 503"),
    ],
)
def test_llm_keeps_a_chunk_that_fails_and_counts_it(server, empty_cache, answer, reason):
    server.answers = [answer, shouted]
    found = llm(server).obfuscate(TASK, 1)
    first, _, second = TEXT.partition("\n\n")
    assert found.text == first + "\n\n" + second.upper()
    assert len(found.notes) == 1 and reason in found.notes[0] and found.notes[0].startswith("1 of 2 chunks kept")
    assert sum(found.counts.values()) == 2


def test_llm_times_out(server, empty_cache):
    server.answers = [lambda body: time.sleep(0.6) or completion("late")]
    with pytest.raises(ProgramError, match=r"none of 2 chunks was rewritten: 2 no answer \(ReadTimeout\)"):
        llm(server, timeout=0.1).obfuscate(TASK, 1)


def test_llm_without_a_server(empty_cache):
    recipe = registry.parse("obfuscator", "llm(model='m', url='http://127.0.0.1:9', retries=0, timeout=0.5)")
    with pytest.raises(ProgramError, match=r"2 no answer \(Connect"):
        recipe.obfuscate(TASK, 1)


def test_llm_key_goes_to_the_endpoint_alone(server, empty_cache, monkeypatch):
    monkeypatch.setenv("RAVEN_LLM_KEY", "secret-key-123")
    server.answers = [shouted, (401, {"error": "secret-key-123 is wrong"})]
    recipe = llm(server)
    found = recipe.obfuscate(TASK, 1)
    assert server.headers[0]["Authorization"] == "Bearer secret-key-123"
    kept = "".join(p.read_text() for p in empty_cache.rglob("*.txt"))
    assert kept and "secret" not in kept + str(recipe) + repr(found)


def test_llm_needs_an_address(monkeypatch):
    monkeypatch.delenv("RAVEN_LLM_URL", raising=False)
    with pytest.raises(InputError, match="RAVEN_LLM_URL"):
        registry.parse("obfuscator", "llm(model='m')").obfuscate(TASK)


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
    recipe.translator.say = lambda text, target: failure if text == "One sentence." else text.upper()
    found = recipe.obfuscate(ObfuscationTask("t", "One sentence. Another one.", (), "en"), 1)
    assert found.text == "One sentence. ANOTHER ONE."
    assert found.counts == {"kept: translation failed": 1, "translate": 1}
    assert found.notes == ("1 of 2 sentences kept: their translation failed",)


def test_half_a_sentence_is_not_taken(empty_cache):
    recipe = Keswani(Spoken())
    recipe.translator.say = lambda text, target: "Only"
    with pytest.raises(ProgramError, match="none of 1 sentences was translated"):
        recipe.obfuscate(ObfuscationTask("t", "This sentence has a good many more words than one.", ()), 1)


def test_the_toy_translator_loses_words_and_leaves_residue():
    toy = registry.parse("translator", "tests.translators:ToyLossy")
    german = toy.translate(["Many children have seen large houses."], "en", "de")[0]
    assert german == "Viele kinder seen have groß houses."
    full = registry.parse("translator", "tests.translators:ToyLossy(residue=1.0)")
    assert full.translate(["grand"], "fr", "en") == ["grand"] and toy.translate(["grand"], "fr", "en") == ["great"]
