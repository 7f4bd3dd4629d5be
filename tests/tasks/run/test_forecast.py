"""A plan is answered from a part of what a run does, and says what all of it holds."""

import pytest

from ravenbench.engine.pool import silent
from ravenbench.tasks.run.forecast import forecast
from ravenbench.tasks.run.plan import draft
from ravenbench.tasks.run.spec import build

GIVEN = {
    "corpus": "synthetic(documents=1200, authors=60, topics=16, words=60)",
    "verifiers": "length, style-only",
    "topics": 6,
    "folds": 3,
    "pools": 2,
    "samplers": "random, hits",
    "probe": "both",
    "repetitions": 3,
}


def test_folds_of_one_pool_and_one_repetition_stand_for_all():
    spec = build(GIVEN)
    drafted, told = draft(spec, silent), forecast(spec)
    plan, folds = drafted.plan, {fold.name: fold for fold in drafted.folds}
    trained = {plan.folds[cell.fold].train_digest for cell in plan.cells}
    assert told.cells == pytest.approx(len(plan.cells), rel=0.05)
    assert told.fits == pytest.approx(2 * len(trained), rel=0.05)
    for name in ("hits", "random"):
        sizes = [
            len(folds[f].test) for setup in plan.setups if setup.setup == name for f in setup.folds
        ]
        assert told.setups[name].folds == len(sizes)
        assert told.setups[name].test == pytest.approx(sum(sizes) / len(sizes), rel=0.2)
    probes = [name for entry in plan.probe.repetitions for name in entry.folds.values()]
    assert told.probe.folds == len(probes)
    arms = [len(e.rows) for e in plan.transplant.folds if e.replacement == "fitted"]
    assert told.transplant.folds == len(arms) and told.transplant.test >= 0.8 * sum(arms) / len(
        arms
    )


def test_too_few_problems_to_transplant_are_said():
    corpus = "synthetic(documents=60, authors=10, topics=4, words=20)"
    told = forecast(
        build({**GIVEN, "corpus": corpus, "topics": 4, "folds": 2, "pools": 1, "limit": 16})
    )
    assert told.transplant is None and "20 of each are needed" in told.transplant_reason
