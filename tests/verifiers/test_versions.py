"""Answers change only with a version (contract 4).

Where an answer differs from the one kept in ``tests/golden/answers.json``, a method's answers have changed: raise its
``version`` and write the file anew with ``python tests/verifiers/test_versions.py``.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from registered import INSIDE, bring_tagger, cases

from ravenbench import registry
from ravenbench.errors import MissingPart
from ravenbench.store.plans import decides
from ravenbench.testing import toy_problems
from ravenbench.verifiers.contract.base import as_verifier

GOLDEN = Path(__file__).parents[1] / "golden" / "answers.json"
PARAMETERS = {
    "calibrated": "(function-words, isotonic)",
    "distorted": "(function-words)",
    "estimator": "(sklearn.svm:SVC(), sklearn.feature_extraction.text:TfidfVectorizer(analyzer='char'))",
    "masked": "(function-words, frequency-mask)",
    "moreau-2014": "(population=8, generations=2)",
    "meta": "([function-words, length])",
    "stacked": "([function-words, length])",
}
KEPT: dict[str, Any] = json.loads(GOLDEN.read_text())


def answered(name: str) -> dict[str, Any]:
    component = registry.parse("verifier", name + PARAMETERS.get(name, ""))
    train, same = toy_problems(30, known=2, words=80, seed=3)
    test, _ = toy_problems(8, known=2, words=80, seed=4)
    answers = as_verifier(component).fit(train, same).verify(test.blind())
    return {"decides": decides(component), "answers": np.round(answers, 9).tolist()}


@pytest.mark.parametrize("name", sorted(INSIDE - {*KEPT}))
def test_only_what_lacks_a_resource_is_not_kept(name):
    with pytest.raises(MissingPart):
        answered(name)
        pytest.fail("write the file anew")


@pytest.mark.parametrize("name", cases(KEPT))
def test_answers_change_only_with_a_version(name, request):
    bring_tagger(name, request)
    kept = KEPT[name]
    try:
        now = answered(name)
    except MissingPart as error:
        pytest.skip(str(error))
    assert now["decides"] == kept["decides"], (
        "parameters or versions have changed: write the file anew"
    )
    np.testing.assert_allclose(
        now["answers"], kept["answers"], rtol=0, atol=1e-6, err_msg="raise the version"
    )


if __name__ == "__main__":
    found = dict(KEPT)
    for each in sorted(INSIDE):
        with suppress(MissingPart):
            found[each] = answered(each)
    GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
