"""Scores of neural verifiers change only with a version (contract 4).

Kernels round differently on other processors and training carries that on, so scores agree to a hundredth, which
a change of method does not survive. Write the file anew with
``python tests/ext/shelf/neural/test_neural_versions.py``.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.components import identity
from ravenbench.testing import toy_problems
from ravenbench.verifiers.contract.base import Scorer

pytestmark = pytest.mark.extra
GOLDEN = Path(__file__).with_name("golden_scores.json")
SPECS = {
    "bagnall-2015": "bagnall-2015(hidden=16, epochs=2, characters=10000, references=10, device='cpu')",
    "luar": "luar(layers=1, hidden=16, heads=2, vocabulary=300, dimensions=8, batch=8, epochs=2, device='cpu')",
    "o2d2": "o2d2(hidden=8, vectors=8, batch=10, epochs=2, detector_epochs=0, device='cpu')",
}


def scored(name: str) -> dict[str, Any]:
    component = registry.parse("verifier", SPECS[name])
    train, same = toy_problems(30, known=2, words=80, seed=3)
    test, _ = toy_problems(8, known=2, words=80, seed=4)
    fitted = component.fit(train, same)
    scores = (fitted.score if isinstance(fitted, Scorer) else fitted.verify)(test.blind())
    return {"identity": identity(component), "scores": np.round(scores, 4).tolist()}


@pytest.mark.parametrize("name", sorted(SPECS))
def test_scores_change_only_with_a_version(name, need_extra):
    need_extra("transformers")
    kept, now = json.loads(GOLDEN.read_text())[name], scored(name)
    assert now["identity"] == kept["identity"], (
        "parameters or versions have changed: write the file anew"
    )
    np.testing.assert_allclose(
        now["scores"], kept["scores"], rtol=0, atol=0.01, err_msg="raise the version"
    )


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps({name: scored(name) for name in sorted(SPECS)}, indent=1) + "\n")
