"""The plan of a simulation: its replicates, each a fold of the plan and a cell."""

from __future__ import annotations

from ravenbench.store.records import Plan, Record


class ReplicateRecord(Record, frozen=True, kw_only=True):
    """A world: ``seed`` is its number, from which all is drawn; ``fold`` is its entry among folds and cells."""

    number: int
    seed: int
    fold: str


class SimulatePlan(Plan, frozen=True, kw_only=True):
    """The manifest of a simulation.

    A replicate's ``train_digest`` covers the corpus and the world's number, its ``test_digest`` how test sets are
    drawn from it, transplanted and answered. Cells hold the figures of all scorers under the blend's name.
    """

    replicates: list[ReplicateRecord]
