"""Forecasts what a run would contain and could show, before any of it is computed (contract 7).

In: a ``RunSpec`` and a callback of progress; for ``chance_variance`` a ``Fold``.
Out: a ``Forecast``: counts of documents, topics, cells, fits and folds, mean counts of pairs, and the smallest
differences and gains in AUC (0 to 1) that could be detected, None where unknown; nothing is written. InputError if the
data cannot fill what was asked. ``chance_variance`` gives the variance of a random AUC.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ravenbench.engine.pool import Progress, silent
from ravenbench.statistics.axes import DOMAIN_MARGIN
from ravenbench.statistics.estimates import correlation, detectable
from ravenbench.tasks.run.plan import draft
from ravenbench.tasks.run.record import RepetitionRecord, RunPlan
from ravenbench.tasks.run.setups import SweepSize, no_choice, pools_advice, sweep_sizes
from ravenbench.tasks.run.spec import RunSpec
from ravenbench.topics.levels import parted_by
from ravenbench.types import Fold

FEW = 1
"""Pools, and repetitions of either kind of the crossed probe, of which folds are drawn: the others are alike."""
STEADY = 0.3
"""Spread of a probe's gain against that of independent answers. Both trainings answer the same pairs; a simulated
style-only scorer varied by so much (docs/verdict.md), scorers that lean on topic by more."""


@dataclass(frozen=True)
class MeanSizes:
    """Count of folds, and the mean count of pairs in their training and test sets."""

    folds: int
    train: float
    test: float


@dataclass(frozen=True)
class Forecast:
    """What a run would contain: sizes are mean counts of pairs over folds, drawn of a few pools and repetitions;
    detectable differences are in AUC.

    ``parts`` says what the topics are: topics, or groups of authors where the texts have none. As many problems have
    their content ``transplant``-ed at most. ``more_pools`` are options that give the plan several pools, None where
    there can be none.
    """

    documents: int
    topics: int
    parts: str
    setups: dict[str, MeanSizes]
    sweep: list[SweepSize] | None
    probe: MeanSizes | None
    probe_reason: str | None
    transplant: MeanSizes | None
    transplant_reason: str | None
    cells: int
    fits: int
    detectable: float | None
    no_choice: str | None
    more_pools: str | None
    detectable_gain: float | None

    def to_json(self) -> dict[str, Any]:
        """Return every figure by name."""
        return asdict(self)


def forecast(spec: RunSpec, progress: Progress = silent) -> Forecast:
    """Return the ``Forecast`` of a run, by planning a part of it without writing it. Raises InputError if the data are
    too small for it."""
    drafted = draft(spec, progress, few=FEW)
    plan = drafted.plan
    folds = {fold.name: fold for fold in drafted.folds}
    section = plan.probe
    repetitions = [] if section is None else section.repetitions
    drawn = [repetition for repetition in repetitions if repetition.folds]
    often = dict.fromkeys(folds, len(plan.pools) / min(FEW, len(plan.pools)) if plan.pools else 1.0)
    often |= {
        name: len(repetitions) / len(drawn)
        for repetition in drawn
        for name in repetition.folds.values()
    }
    often |= {
        name: 1.0 for name, fold in folds.items() if fold.labels.get("transplanted") == "batch"
    }
    arms = [name for name, fold in folds.items() if fold.labels.get("transplanted") == "along"]
    trained = {plan.folds[name].train_digest: times for name, times in often.items()}
    trained |= {
        plan.folds[name].train_digest: often[name] for setup in plan.setups for name in setup.folds
    }
    setups = {}
    for name in dict.fromkeys(setup.setup for setup in plan.setups):
        of_setup = [fold for setup in plan.setups if setup.setup == name for fold in setup.folds]
        setups[name] = _sizes(of_setup, folds, often)
    main = [folds[name] for setup in plan.setups for name in setup.folds]
    return Forecast(
        documents=plan.corpus.documents,
        topics=len(plan.topics),
        parts=parted_by(plan.topics),
        setups=setups,
        sweep=_whole_sweep(plan, folds),
        probe=(
            _sizes(
                [fold for repetition in drawn for fold in repetition.folds.values()], folds, often
            )
            if drawn
            else None
        ),
        probe_reason=None if section is None else section.reason,
        transplant=_sizes(arms, folds, often) if arms else None,
        transplant_reason=None if plan.transplant is None else plan.transplant.reason,
        cells=round(sum(often.values()) * len(plan.verifiers)),
        fits=round(sum(trained.values()) * len(plan.verifiers)),
        detectable=_detectable(plan, main),
        no_choice=no_choice(plan),
        more_pools=pools_advice(plan, spec.pool_share),
        detectable_gain=_detectable_gain(repetitions, folds),
    )


def _whole_sweep(plan: RunPlan, folds: Mapping[str, Fold]) -> list[SweepSize] | None:
    """The points of a sweep over all pools."""
    points = sweep_sizes(plan.sweep, folds)
    if points is None:
        return None
    times = len(plan.pools) / min(FEW, len(plan.pools))
    return [
        replace(point, folds=round(point.folds * times), new=round(point.new * times))
        for point in points
    ]


def chance_variance(fold: Fold) -> float:
    """Return the variance of the AUC of uninformative scores: (a + b + 1) / 12ab for a and b pairs of the classes."""
    same = int(fold.test_same.sum())
    different = len(fold.test_same) - same
    return (same + different + 1) / (12 * same * different)


def _detectable(plan: RunPlan, folds: list[Fold]) -> float | None:
    """HITS − Random that would show, were test pairs all that varies."""
    pools = [pool.topics for pool in plan.pools]
    if len(pools) < 2:
        return None
    variance = float(np.mean([chance_variance(fold) for fold in folds]))
    return detectable(math.sqrt(2 * variance / plan.k), len(pools), correlation=correlation(pools))


def _detectable_gain(probes: list[RepetitionRecord], folds: dict[str, Fold]) -> float | None:
    if not probes:
        return None
    drawn = [probe for probe in probes if probe.folds]
    variance = float(
        np.mean(
            [
                chance_variance(folds[repetition.folds[k]])
                for repetition in drawn
                for k in ("aa", "bb")
            ]
        )
    )
    topics = [probe.topics for probe in probes]
    # Real and null repetitions both vary.
    sd = STEADY * math.sqrt(2 * variance)
    gain = detectable(sd, len(probes) // 2, correlation=correlation(topics))
    return None if gain is None else DOMAIN_MARGIN + gain


def _sizes(names: list[str], folds: Mapping[str, Fold], often: Mapping[str, float]) -> MeanSizes:
    train = np.mean([len(folds[name].train) for name in names])
    test = np.mean([len(folds[name].test) for name in names])
    return MeanSizes(round(sum(often[name] for name in names)), float(train), float(test))
