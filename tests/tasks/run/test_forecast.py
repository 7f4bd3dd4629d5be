"""A plan is answered from a part of what a run does, and says what all of it holds."""

import pytest

from ravenbench.engine.pool import silent
from ravenbench.tasks.run import forecast as made
from ravenbench.tasks.run.plan import draft
from ravenbench.tasks.run.spec import build

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


def test_iterations_are_scaled():
    sampled = made.SampledPlanning()

    class Encoder:
        iterations = 200

        def set_params(self, iterations):
            other = Encoder()
            other.iterations = iterations
            return other

    def similarity(corpus, encoder):
        return sum(i * i for i in range(40_000 * encoder.iterations)) and encoder.iterations

    assert sampled.compare(similarity, None, Encoder())() == made.ITERATIONS[-1] and sampled.seconds > 0
