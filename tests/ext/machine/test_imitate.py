"""Imitation of the known author by a language model: what is asked, what is taken, and what verifiers make of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import ravenbench
from ravenbench import registry
from ravenbench.errors import InputError, MissingPart, ProgramError, SpecError
from ravenbench.formats.problems import write_pan_problems
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.tasks.safety.imitation import imitation_row
from ravenbench.testing import toy_problems

KNOWN = "I reckon it was raining; it mostly was. We walked along the river, the dog in front, and said nothing much."
OTHER = (
    "The committee met on Tuesday and decided, after some discussion, that the road would be mended before the winter."
)
TASK = ObfuscationTask("p", OTHER, (KNOWN,), "en")
NEW = "On Tuesday they met, I reckon; talked a bit, and said the road gets mended before winter comes, as it should."


def chat(text, finish="stop"):
    return 200, {"choices": [{"message": {"content": text}, "finish_reason": finish}]}


def imitate(server, **given):
    return registry.load("obfuscator", "imitate")(model="m", url=server.url, retries=0, timeout=5.0, **given)


@pytest.fixture(autouse=True)
def own_cache(empty_cache):
    """Answers of tests stay among tests."""


@pytest.mark.parametrize("prompt", ["zero-shot", "few-shot", "continuation"])
def test_a_model_is_asked_once_and_its_answer_kept(server, prompt):
    server.answers = [chat(NEW)]
    recipe = imitate(server, prompt=prompt).fit([TASK])
    assert recipe.obfuscate(TASK).text == NEW == recipe.obfuscate(TASK).text
    assert len(server.asked) == 1 and "Authorization" not in server.headers[0]
    asked = server.asked[0][1]["messages"][1]["content"]
    assert ("reckon" in asked) == (prompt != "zero-shot")
    assert ("before the winter" in asked) == (prompt != "continuation"), "content is held equal, but for a continuation"


def test_a_style_is_described_first(server):
    server.answers = [chat("Short clauses, semicolons, hedges."), chat(NEW)]
    assert imitate(server, prompt="description").obfuscate(TASK).text == NEW
    first, second = (body["messages"][1]["content"] for _, body in server.asked)
    assert "reckon" in first and "Short clauses" in second and "reckon" not in second


@pytest.mark.parametrize(("answer", "why"), [
    (chat("I'm sorry, I cannot imitate a real person."), "refusal"), (chat(NEW, "length"), "cut off"),
    (chat("Yes."), "wrong length"), (chat(OTHER), "repeats the prompt"), (chat(""), "empty"),
    ((429, {}), "rate limit"), ((200, {"choices": 3}), "not a chat completion"),
])  # fmt: skip
def test_what_is_no_imitation_is_a_failure(server, answer, why):
    server.answers = [answer]
    with pytest.raises(ProgramError, match=why):
        imitate(server).obfuscate(TASK)


def test_calls_are_counted_before_the_first(server, capsys, monkeypatch):
    tasks = [replace(TASK, id=str(i), questioned=f"{OTHER} {i}") for i in range(3)]
    imitate(server, price_in=1e6, price_out=1e6).fit(tasks)
    assert "at most 3 questions" in (said := capsys.readouterr().err) and "at the given prices" in said
    monkeypatch.setenv("RAVEN_LLM_CALLS", "5")
    with pytest.raises(InputError, match="more often than is allowed"):
        imitate(server, prompt="description").fit(tasks)
    assert not server.asked


def test_texts_leave_only_where_an_address_says_so(monkeypatch):
    kind = registry.load("obfuscator", "imitate")
    monkeypatch.setenv("RAVEN_LLM_URL", "http://example.org/v1")
    assert not kind().sends_text and kind(url="https://example.org/v1").sends_text
    for given, error in [({"prompt": "mime"}, SpecError), ({"url": "http://u:key@h/v1"}, SpecError),
                         ({"model": "/no/such/model"}, MissingPart)]:  # fmt: skip
        with pytest.raises(error):
            kind(**given).require()


def test_false_acceptance_and_shift():
    same = np.array([True, True, False, False, False])
    before, after = np.array([0.9, 0.2, 0.1, 0.2, 0.7]), np.array([0.9, 0.2, 0.6, 0.9, 0.7])
    imitated, sides = np.array([False, False, True, True, False]), np.arange(10).reshape(5, 2)
    row = imitation_row("m", "v", same, imitated, sides, before, after)
    assert (row.texts, row.genuine, row.strangers, row.imitated) == (2, 0.5, 0.0, 1.0)
    assert row.shift == pytest.approx(np.log10([1.5 * 9, 9 * 4]).mean()) and row.shift_interval is not None
    one = imitation_row("m", "v", same, imitated, np.zeros((5, 2), int), before, after)
    assert one.shift_interval is None and one.interval[0] < row.interval[0], "two texts that imitate one author"


def test_safety_shows_what_imitation_does(server, tmp_path):
    words = ["ka", "re", "mi", "to", "su", "no", "la", "vi", "po", "de", "ha", "gu"]
    server.answers = [lambda body: chat(" ".join(words[(len(str(body)) + i) % 12] for i in range(30)))]
    for part, seed in (("train", 1), ("test", 2)):
        write_pan_problems(tmp_path / "toy" / part, *toy_problems(16, known=2, words=30, seed=seed))
    result = ravenbench.safety(
        str(tmp_path / "toy"), train=str(tmp_path / "toy"), obfuscators=[imitate(server)],
        verifiers="length", attacks="none", out=tmp_path / "run", workers=1,
    )  # fmt: skip
    from ravenbench.reports.report import report_of

    analysis = report_of(result).analysis
    (row,) = analysis.imitations
    assert row.error is None and row.texts == int((~result.store.truth("original")).sum()) and row.failed == 0
    assert not analysis.obfuscators and "imitations" in report_of(result).to_json()
    assert "Imitation of the known author" in ravenbench.write_report(result).read_text()
    asked = len(server.asked)
    assert asked == row.texts, "same-author problems are not imitated"
