"""Doses: the sentences of a smaller share are among those of a greater one, and use the same answers."""

from __future__ import annotations

import numpy as np
import pytest

import ravenbench
from ravenbench import registry
from ravenbench.bench.safety.measures import _detect_doses
from ravenbench.bench.safety.spec import build
from ravenbench.errors import ProgramError, SpecError
from ravenbench.metrics.safety import verification_effect
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.obfuscation.parts import sentences
from ravenbench.reports.safety.doses import curves, detector_row, verifier_row
from ravenbench.services import said

TASK = ObfuscationTask(
    "t", "The first one is short. Here is another! Is it the third? And the last one ends.\n", ("k",), "en"
)


def polish(inner, share):
    return registry.load("obfuscator", "polish")(inner, share)


def changed(rewriting):
    return {part.start for part in rewriting.parts if part.original != part.obfuscation}


def test_shares_are_nested_and_a_sentence_is_asked_for_once(server, empty_cache):
    def shout(body):
        return 200, {"choices": [{"message": {"content": body["messages"][1]["content"].upper()}}]}

    server.answers = [shout]
    inner = registry.parse("obfuscator", f"llm(model='m', url='{server.url}')")
    doses = [polish(inner, share).obfuscate(TASK, 3) for share in (0, 0.25, 0.5, 1)]
    assert [len(changed(one)) for one in doses] == [0, 1, 2, 4] and len(server.asked) == 4
    assert changed(doses[1]) < changed(doses[2]) < changed(doses[3])
    assert doses[3].text == TASK.questioned.upper() and doses[3].counts == {"sentence rewritten": 4}
    assert changed(polish(inner, 0.5).obfuscate(TASK, 4)) != changed(doses[2]) or len(sentences(TASK.questioned)) < 4
    assert str(polish(inner, 0.5).estimate([TASK])).startswith("2 questions")


def test_a_sentence_that_fails_stays_and_is_counted(server, empty_cache):
    server.answers = [
        lambda body: (
            200,
            {"choices": [{"message": {"content": "Sure, here is it" if "third" in str(body) else "It is."}}]},
        )
    ]
    inner = registry.parse("obfuscator", f"llm(model='m', url='{server.url}')")
    done = polish(inner, 1).obfuscate(TASK, 3)
    assert done.counts == {"sentence kept": 1, "sentence rewritten": 3} and "Is it the third?" in done.text
    assert done.notes == ("sentences kept: refusal or preamble",)
    assert said({"choices": [None]}) == (None, "not a chat completion")
    server.answers = [(500, {})]
    with pytest.raises(ProgramError, match=r"no sentence was rewritten: .*status 500"):
        polish(registry.parse("obfuscator", f"llm(model='n', url='{server.url}', retries=0)"), 0.25).obfuscate(TASK, 3)


def test_what_cannot_be_a_dose():
    for inner, share in (("identity", 1.5), ("command('true')", 0.5), ("imitate(url='http://localhost')", 0.5)):
        with pytest.raises(SpecError):
            polish(registry.parse("obfuscator", inner), share).require()
    with pytest.raises(SpecError, match="shares of sentences"):
        ravenbench.safety("x", train="x", doses="0,half")
    with pytest.raises(SpecError, match="shares of sentences"):
        ravenbench.safety("x", train="x", doses="")


def test_doses_of_a_list_and_what_judges_say_of_them():
    spec = build({"problems": "x", "train": "y", "obfuscators": "random", "doses": "0,.5"})
    assert list(spec.named_obfuscators()) == ["polish(random, share=0.0)", "polish(random, share=0.5)"]
    texts, groups = [f"It was a fine day {i}" for i in range(10)], np.arange(10)
    doses = {"half": (texts, groups), "whole": ([f"zog {text} zog" for text in texts], groups)}
    found = _detect_doses((texts, groups), doses, registry.named("detector", "tfidf-svm"))
    half, whole = (found[name]["tfidf-svm"] for name in doses)
    assert half.flagged == 0 and whole.flagged == 1 and whole.mean > 0.5 > half.mean and whole.texts == 10
    same, answers = np.array([True, True, False, False]), np.array([0.9, 0.3, 0.4, 0.1])
    sides = np.array([[0, 0], [1, 1], [2, 3], [4, 5]])
    effect = verification_effect(same, np.array([0.9, 0.8, 0.4, 0.1]), answers)
    rows = [verifier_row("random", share, "v", same, sides, effect, answers) for share in (0.0, 1.0)]
    assert rows[0].level.value == 0.75 and rows[0].rate.value == 0.5, "at the threshold of the untouched problems"
    rows += [detector_row("random", share, "d", whole) for share in (0.0, 1.0)]
    assert list(curves(rows)) == ["doses-1", "doses-detected-1"]
