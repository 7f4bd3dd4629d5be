"""A prompted language model against a stub server on this machine: no other server is ever asked."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import InputError, MissingPart, SpecError
from ravenbench.ext.machine.prompted_lm import PromptedLM
from ravenbench.services import DiskCache
from ravenbench.tasks.run.forecast import forecast
from ravenbench.tasks.run.spec import build
from ravenbench.testing import check_component, toy_problems
from ravenbench.types import Problems

PAIRS = Problems.of([("one", ["Known text."], "Questioned text."), ("two", ["Known.", "More."], "Another text.")])
SAME = np.array([True, False])
SECRET = "sk-never-to-be-seen"


def completion(content, finish="stop", **message):
    choice = {"message": {"content": content, **message}, "finish_reason": finish}
    return 200, {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 7}}


def says(value):
    return completion(json.dumps({"analysis": "commas", "probability": value}))


@pytest.fixture
def model(server, empty_cache, monkeypatch):
    monkeypatch.setattr("ravenbench.services._WAIT", 0.0)
    monkeypatch.setenv("RAVEN_LLM_KEY", SECRET)
    return PromptedLM(model="stub", url=server.url, retries=1, price_in=1000.0, price_out=0.0)


def test_the_number_is_the_answer_and_is_paid_for_once(model, server, capsys):
    server.answers = [says(0.9), says(0.5)]
    assert model.fit(PAIRS, SAME).verify(PAIRS).tolist() == [0.9, 0.5]
    told = capsys.readouterr().err
    assert "0 answers kept; to ask: 2 questions" in told
    assert "asked 2 questions, 200 tokens in, 14 out, 0.2000 at the given prices" in told
    assert model.verify(PAIRS.select([1, 0])).tolist() == [0.5, 0.9] and len(server.asked) == 2
    assert capsys.readouterr().err == ""
    path, body = server.asked[1]
    assert path == "/chat/completions" and body["model"] == "stub" and body["temperature"] == 0
    system, user = (message["content"] for message in body["messages"])
    assert "punctuation" in system and "subject matter" in system
    assert all(part in user for part in ("Known.", "More.", "<questioned>\nAnother text."))


@pytest.mark.parametrize("damage", ["", "x", "nan", "7", "-1"])
def test_a_damaged_answer_that_was_kept_is_asked_again_and_no_prompt_is_shown(model, server, damage):
    cache = DiskCache("prompted-lm")
    for request in model._requests(PAIRS):
        cache.put([model._url(), request], damage)
    server.answers = [says(0.9), (400, {})]
    with pytest.raises(InputError, match="1 of 2 questions have no answer") as error:
        model.verify(PAIRS)
    assert "Known text." not in str(error.value)


def test_the_key_travels_in_the_header_alone(model, server, tmp_path, capsys, empty_cache):
    server.answers = [says(0.9), (401, {"error": SECRET}), says(0.2)]
    with pytest.raises(InputError, match="key refused") as caught:
        model.fit(PAIRS, SAME).verify(PAIRS)
    assert server.headers[0]["Authorization"] == f"Bearer {SECRET}"
    model.verify(PAIRS)
    out = capsys.readouterr()
    assert SECRET not in str(caught.value) + out.err + out.out + str(model) + json.dumps(server.asked)
    assert not any(SECRET in f.read_text() for f in tmp_path.rglob("*") if f.is_file())


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ((429, {}), "rate limit"),
        (completion("I am sorry, but I cannot help with that."), "refused"),
        (completion(None, refusal="no"), "refused"),
        (completion("{", finish="content_filter"), "refused"),
        (completion('{"probability": 0.5', finish="length"), "cut off"),
        (completion('{"probability": "high"}'), "not a probability"),
        (completion('{"probability": 1.5}'), "not a probability"),
        (completion('{"probability": true}'), "not a probability"),
        (completion('{"answer": 1}'), "not in the form"),
        ((200, {"choices": []}), "not a chat completion"),
        ((200, "no json"), "not JSON"),
    ],
)
def test_what_is_no_answer_fails_is_not_scored_and_is_resumed(model, server, fault, reason):
    refused = fault if fault[0] != 429 else (429, {})
    server.answers = [says(0.8), refused, refused]
    with pytest.raises(InputError, match=reason) as caught:
        model.fit(PAIRS, SAME).verify(PAIRS)
    assert "1 of 2 questions have no answer" in str(caught.value) and "repeat the command" in str(caught.value)
    before = len(server.asked)
    server.answers = [says(0.1)]
    assert model.verify(PAIRS).tolist() == [0.8, 0.1]
    assert len(server.asked) == before + 1


def test_a_rate_limit_that_passes_is_waited_for(model, server):
    server.answers = [(429, {}), says(0.7), says(0.3)]
    assert model.fit(PAIRS, SAME).verify(PAIRS).tolist() == [0.7, 0.3]


def test_an_absent_endpoint_is_named_before_any_work(monkeypatch):
    monkeypatch.delenv("RAVEN_LLM_URL", raising=False)
    with pytest.raises(MissingPart, match="RAVEN_LLM_URL"):
        registry.named("verifier", "length, masked(prompted-lm(model='m'), frequency-mask)")
    with pytest.raises(SpecError, match="holds no key"):
        PromptedLM(model="m", url="http://user:secret@host/v1").require()
    with pytest.raises(SpecError, match="out of range"):
        PromptedLM(model="m", url="http://host/v1", longest=0).require()
    check_component("verifier", PromptedLM(model="m", url="http://host/v1"))


def test_a_plan_asks_nothing_and_says_what_would_be_asked(model, server):
    small = {"topics": 4, "folds": 2, "probe": "none", "limit": 6, "samplers": "random"}
    found = forecast(build({**small, "verifiers": f"length, {model}"}))
    assert server.asked == [] and found.untimed == [str(model)]
    assert found.asked[str(model)]["questions"] > 0 and found.asked[str(model)]["cost"] > 0
    assert set(found.asked) == {str(model)}


def test_texts_are_cut_and_guidance_can_be_left_out(model):
    model.set_params(longest=2, guided=False)
    (request,) = model._requests(Problems.of([("p", ["a b c d"], "e f g")]))
    system, user = (message["content"] for message in request["messages"])
    assert "a b\n" in user and "c" not in user.split("<known")[1].split("</known>")[0].split(">")[1]
    assert "modal verbs" not in system


def test_it_answers_as_a_verifier_does(model, server):
    server.answers = [lambda body: says(0.25 if "toy" in str(body) else 0.75)]
    problems, same = toy_problems(6)
    answers = model.fit(problems, same).verify(problems.blind())
    assert answers.dtype == np.float64 and answers.tolist() == [0.75] * 6
