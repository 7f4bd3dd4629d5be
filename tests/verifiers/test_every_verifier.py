"""Every registered verifier meets what corpora hold: other scripts, one-word texts, copies, many known texts."""

from __future__ import annotations

import numpy as np
import pytest
from registered import INSIDE, bring_tagger, cases

from ravenbench import registry
from ravenbench.testing import toy_problems
from ravenbench.types import Problems
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import as_verifier

GREEK = "Ο συγγραφέας δεν είναι εδώ, αλλά το κείμενό του μένει· κανείς δεν το διάβασε ακόμη. " * 6
DUTCH = (
    "De schrijver is er niet, maar zijn tekst blijft; niemand heeft hem nog gelezen, zo lijkt het. "
    * 6
)
NEEDS = {
    "calibrated": "(function-words)",
    "distorted": "(function-words)",
    "estimator": "(sklearn.svm:SVC(), sklearn.feature_extraction.text:TfidfVectorizer(analyzer='char'))",
    "masked": "(function-words, frequency-mask)",
    "mayor-2014": "(iterations=7)",
    "moreau-2014": "(population=8, generations=2)",
    "meta": "([function-words, length])",
    "stacked": "([function-words, length])",
}


@pytest.mark.parametrize("name", cases(INSIDE))
def test_odd_texts(name, tmp_path, request):
    bring_tagger(name, request)
    train, same = toy_problems(24, known=2, words=80)
    odd = [
        ("greek", [GREEK, GREEK[:200]], GREEK[100:]),
        ("dutch", [DUTCH], DUTCH[90:]),
        ("scripts", [GREEK], DUTCH),
        ("word", ["woord"], "λέξη"),
        ("letter", ["a"], "a"),
        ("marks", ["…!"], DUTCH),
        ("copies", [DUTCH, DUTCH], DUTCH),
        ("many", [f"{DUTCH[i % 90 :]} {i}" for i in range(20)], DUTCH[40:]),
    ]
    verifier = as_verifier(registry.parse("verifier", name + NEEDS.get(name, ""))).fit(train, same)
    problems = Problems.of(odd)
    answers = verifier.verify(problems)
    assert answers.shape == (len(odd),) and np.all((answers >= 0) & (answers <= 1))
    loaded = persist.load(persist.save(verifier, tmp_path / "trained"))
    assert np.array_equal(loaded.verify(problems), answers)
    assert '"ravenbench.' not in (tmp_path / "trained" / "verifier.json").read_text(), (
        "persist.PLACES lacks a class"
    )
