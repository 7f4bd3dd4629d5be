"""The plan of a simulation: its replicates, each a fold of the plan and a cell."""

from __future__ import annotations

from ravenbench.bench.shared.record import Plan, Record


class ReplicateRecord(Record, frozen=True, kw_only=True):
    """A fresh corpus with the seed of all its draws; ``fold`` is its entry among folds and cells."""

    number: int
    seed: int
    fold: str


class SimulatePlan(Plan, frozen=True, kw_only=True):
    """The manifest of a simulation.

    A replicate's ``train_digest`` covers the corpus with its seed, its ``test_digest`` how test sets are drawn from
    it; what is fitted is the blend of style and topic, whose dose is chosen afterwards.
    """

    replicates: list[ReplicateRecord]
