"""The dials do what they say when the real verifiers run the main job (issue: with style at zero, style is chance)."""

import numpy as np
import pytest

from ravenbench.metrics.pan import auc
from ravenbench.tasks.api import run

NAMES = ["char-ngram", "ppm", "topic-fit", "style-only", "topic-only"]


def mean_auc(folder, corpus, verifiers, samplers="random"):
    options = {
        "topics": 20,
        "folds": 5,
        "pools": 1,
        "docs_per_topic": 50,
        "samplers": samplers,
        "probe": "none",
    }
    result = run(corpus, verifiers=verifiers, out=folder, workers=1, **options)
    assert not result.errors
    store = result.store
    return {
        name: np.mean([auc(store.truth(f), store.cell(name, f).answers) for f in store.plan.folds])
        for name in verifiers
    }


def test_with_style_at_zero_a_style_only_verifier_scores_chance(tmp_path):
    assert mean_auc(tmp_path / "r", "synthetic(style=0)", ["style-only"])[
        "style-only"
    ] == pytest.approx(0.5, abs=0.05)


def test_with_topic_at_zero_topic_fit_scores_chance(tmp_path):
    found = mean_auc(tmp_path / "r", "synthetic(topic=0)", ["topic-fit", "topic-only"])
    assert found["topic-fit"] == pytest.approx(0.5, abs=0.05)
    assert found["topic-only"] == pytest.approx(0.5, abs=0.05)


def test_at_the_defaults_no_verifier_exceeds_95_and_style_is_found(tmp_path):
    found = mean_auc(tmp_path / "r", "synthetic", NAMES, "anti")
    assert max(found.values()) < 0.95
    assert min(found["char-ngram"], found["ppm"], found["style-only"]) > 0.6
    assert found["topic-fit"] > 0.55
