"""What a model can say by heart: an endpoint that knows some texts and no others."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.errors import InputError, RavenError, SpecError
from ravenbench.statistics.shares import auc_of

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
            if (name := re.search(r"Name\w", one)) and "[MASK]" in shown and shown.replace("[MASK]", name[0]) in one:
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


def test_one_answer_to_everything_is_no_knowledge(server, ask):
    stock = " ".join(WORDS[:12])
    sides = [[text(seed).replace(" and then ", f" {more} and then ") for seed in seeds]
             for more, seeds in ((stock, range(6)), (" ".join(WORDS[12:24]), range(6, 12)))]  # fmt: skip
    sides[0] = [f"{' '.join(one.split()[:30])} {stock} {' '.join(one.split()[30:])}" for one in sides[0]]
    server.answers = [said(stock)]
    assert ask(*sides)[0].auc == pytest.approx(0.5, abs=0.2)


def test_authors_and_not_texts_say_how_sure_one_is():
    rng = np.random.default_rng(0)
    false = 0
    for _ in range(400):
        values = np.repeat(rng.normal(size=22), 5) + rng.normal(size=110)
        read, authors = np.arange(110) < 10, np.repeat(np.arange(22), 5)
        _, interval = auc_of(read, values, np.stack([authors, authors], axis=1))
        false += interval[0] > 0.5
    assert false <= 20, "two authors against twenty"
    one = np.where(read, 0, authors)
    assert auc_of(read, values, np.stack([one, one], axis=1))[1] is None


@pytest.mark.parametrize("refusal", ["I'm sorry, but I cannot say how a text goes on.", None])
def test_a_refusal_is_no_answer(refusal, server, ask):
    server.answers = [knows(READ, refusal)]
    assert [(one.texts, one.reference, one.auc) for one in ask(READ, REFERENCE)] == [(6, 0, None)] * 2


@pytest.mark.parametrize("answer", [(500, {}), (200, {}), (200, {"choices": []})])
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
    with pytest.raises(InputError, match="too few texts of a side"):
        ask(READ, REFERENCE, most=3)
    for url in ("http://[::1", "http://localhost:abc/v1", "https://h/v1#key", "http://a b/", "ftp://h"):
        with pytest.raises(SpecError, match="address of an endpoint") as error:
            ravenbench.exposure(READ, REFERENCE, url=url)
        assert "#key" not in str(error.value)
    monkeypatch.setenv("RAVEN_LLM_KEY", "schlüssel")
    with pytest.raises(SpecError, match="RAVEN_LLM_KEY"):
        ask(READ, REFERENCE)


def test_the_command(server, empty_cache, tmp_path):
    server.answers = [knows(READ)]
    for name, texts in (("read", READ), ("reference", REFERENCE)):
        lines = [json.dumps({"text": one, "author": f"a{i}"}) for i, one in enumerate(texts)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    given = [str(tmp_path / "read.jsonl"), "--reference", str(tmp_path / "reference.jsonl"), "--model", "m"]
    shown = CliRunner().invoke(build("exposure"), ["exposure", *given, "--url", server.url, "--json"])
    told = json.loads(shown.stdout)
    assert shown.exit_code == 0 and told["finding"].startswith("m knows these texts better")
    assert {row["part"]: row["auc"] for row in told["rows"]} == {"continuation": 1.0, "masked name": 1.0}
