"""A plan is answered from a part of what a run does, and says what all of it holds."""

from dataclasses import dataclass

import numpy as np
import pytest

from ravenbench.corpora.load import load_corpus
from ravenbench.engine.pool import silent
from ravenbench.tasks.run import forecast as made
from ravenbench.tasks.run.plan import draft
from ravenbench.tasks.run.spec import build
from ravenbench.topics.encoders import Encoder

GIVEN = {
    "corpus": "synthetic(documents=600, authors=40, topics=8, words=60)", "verifiers": "length, style-only",
    "topics": 8, "folds": 4, "pools": 1, "samplers": "random", "probe": "transplant",
}  # fmt: skip


def test_a_part_is_transplanted_and_all_of_it_is_said(monkeypatch):
    monkeypatch.setattr(made, "PART", 60)
    spec = build(GIVEN)
    plan, whole = draft(spec, silent).plan, made.forecast(spec)
    assert (whole.cells, whole.fits) == (len(plan.cells), 2 * plan.k)
    arms = [len(entry.rows) for entry in plan.transplant.folds]
    assert whole.transplant.folds == len(arms) == 4
    assert whole.transplant.test == pytest.approx(sum(arms) / 4, rel=0.15)
    assert whole.planning > 0 and set(whole.seconds) == {"length", "style-only"}


def test_where_a_part_is_too_small_all_is_transplanted(monkeypatch):
    monkeypatch.setattr(made, "PART", 8)
    few = made.forecast(build(GIVEN))
    assert few.transplant.folds == 4 and few.transplant_reason is None


@dataclass(eq=False, repr=False)
class Slow(Encoder):
    """Takes as long as it has iterations."""

    name = "slow"

    iterations: int = 200

    def encode(self, texts):
        return np.full((len(texts), 1), sum(i * i for i in range(20_000 * self.iterations)))


def test_iterations_are_scaled(tmp_path, monkeypatch):
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))
    corpus = load_corpus("synthetic(documents=40, authors=10, topics=4, words=20)")
    few, many = made.SampledPlanning(), made.SampledPlanning()
    for sampled, iterations in ((few, 20), (many, 2_000)):
        made_of = sampled.compare(lambda corpus, encoder: pytest.fail("compared whole"), corpus, Slow(iterations))
        assert made_of().shape == (0, 0)
    assert many.seconds > 10 * max(few.seconds, 0) and many.seconds > 0
