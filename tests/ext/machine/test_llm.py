"""A language model behind a local fake server rewrites texts: recorded shapes of good and bad answers."""

import time

import pytest

from ravenbench import registry
from ravenbench.errors import InputError, ProgramError
from ravenbench.ext.machine.llm import chunks
from ravenbench.obfuscation.base import ObfuscationTask

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


@pytest.mark.parametrize(
    ("url", "leaves"),
    [
        ("http://localhost:8000/v1", False), ("http://127.0.0.1:1", False), ("http://127.9.9.9", False),
        ("http://[::1]:80", False), ("https://api.example.org", True), ("http://10.0.0.1", True),
        ("http://localhost.example.org", True), ("", True),
    ],
)  # fmt: skip
def test_what_stays_on_this_machine(url, leaves):
    from ravenbench.ext.machine.llm import leaves_machine

    assert leaves_machine(url) is leaves
    if url:
        assert registry.parse("obfuscator", f"llm(model='m', url={url!r})").sends_text is leaves
