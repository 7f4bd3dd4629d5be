"""What a model can say by heart: an endpoint that knows some texts and no others."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.errors import InputError, RavenError

pytest.importorskip("httpx")
WORDS = [c + v for c in "krmtsnlvpdhg" for v in "aeiou"]


def text(seed):
    words = np.random.default_rng(seed).choice(WORDS, 70).tolist()
    return f"{' '.join(words[:60])} and then Name{'abcdefghijklmnopqrst'[seed]} {' '.join(words[60:])}."


TEXTS = [text(seed) for seed in range(18)]
READ, UNREAD, REFERENCE = TEXTS[:6], TEXTS[6:12], TEXTS[12:]


def knows(texts, answer="I do not know."):
    """An endpoint that can recite some texts, up to the limit of tokens."""

    def complete(body):
        shown = body["messages"][1]["content"]
        for one in texts:
            if shown in one:
                return said(one[len(shown) :], "length")
            if (name := re.search(r"Name\w", one)) and shown == one.replace(name[0], "[MASK]"):
                return said(f"{name[0]}.")
        return said(answer)

    return complete


def said(content, finish="stop"):
    return 200, {"choices": [{"message": {"content": content}, "finish_reason": finish}]}


@pytest.fixture
def ask(server, empty_cache):
    return lambda *sides, **how: ravenbench.exposure(*sides, model="m", url=server.url, retries=0, **how)


def test_what_is_known_by_heart_is_seen(server, ask):
    server.answers = [knows(READ)]
    for one in ask(READ, REFERENCE):
        assert one.auc == 1 and 0.5 < one.interval[0] < 0.7, one.part
    for one in ask(UNREAD, REFERENCE):
        assert one.interval[0] <= 0.5 <= one.interval[1]
    asked = len(server.asked)
    assert asked == 36, "nothing is asked twice, of the reference texts either"


def test_a_refusal_is_no_answer(server, ask):
    server.answers = [knows(READ, "I'm sorry, but I cannot say how a text goes on.")]
    assert [(one.texts, one.reference, one.auc) for one in ask(READ, REFERENCE)] == [(6, 0, None)] * 2


@pytest.mark.parametrize("answer", [(500, {}), (200, {}), (200, {"choices": []}), said(None)])
def test_half_an_answer_is_none(answer, server, ask):
    server.answers = [answer]
    with pytest.raises(RavenError, match="does not answer"):
        ask(READ, REFERENCE)


def test_what_cannot_be_compared(server, ask, monkeypatch):
    with pytest.raises(InputError, match="too few texts"):
        ask(READ[:1] * 9, REFERENCE)
    with pytest.raises(InputError, match="among the reference"):
        ask(READ, [*REFERENCE, READ[0]])
    monkeypatch.setenv("RAVEN_LLM_CALLS", "23")
    with pytest.raises(InputError, match="more often than is allowed"):
        ask(READ, REFERENCE)
    assert not server.asked


def test_the_command(server, empty_cache, tmp_path):
    server.answers = [knows(READ)]
    for name, texts in (("read", READ), ("reference", REFERENCE)):
        lines = [json.dumps({"text": one, "author": f"a{i}", "topic": "t"}) for i, one in enumerate(texts)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    given = [str(tmp_path / "read.jsonl"), "--reference", str(tmp_path / "reference.jsonl"), "--model", "m"]
    shown = CliRunner().invoke(build("exposure"), ["exposure", *given, "--url", server.url, "--json"])
    told = json.loads(shown.stdout)
    assert shown.exit_code == 0 and told["finding"].startswith("m knows these texts better")
    assert {row["part"]: row["auc"] for row in told["rows"]} == {"continuation": 1.0, "masked name": 1.0}
