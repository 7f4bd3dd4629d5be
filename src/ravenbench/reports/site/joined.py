"""Runs of different verifiers over the same folds, read as one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from ravenbench.store.records import Plan
from ravenbench.store.store import Cell, Store

P = TypeVar("P", bound=Plan)


class Joined(Store):
    """A run whose plan also has the verifiers and cells of other runs over the same folds."""

    def __init__(self, runs: Sequence[Store]) -> None:
        super().__init__(runs[0].path)
        self.runs = tuple(runs)

    def plan_as(self, shape: type[P]) -> P:
        """The manifest of one task, with the verifiers of all runs."""
        plans = [run.plan_as(shape) for run in self.runs]
        verifiers = [verifier for plan in plans for verifier in plan.verifiers]
        return msgspec.structs.replace(plans[0], verifiers=verifiers, cells=[c for plan in plans for c in plan.cells])

    def read_cell(self, key: str) -> Cell | None:
        """A cell of any of the runs."""
        return next((cell for run in self.runs if (cell := run.read_cell(key)) is not None), None)


def joined(runs: Sequence[Store]) -> list[Store]:
    """Stores in their order; those of ``raven run`` with the same folds and no verifier in common as one, the first."""
    groups: list[list[Store]] = []
    for run in runs:
        names = {v.name for v in run.plan.verifiers}
        for group in groups:
            taken = {v.name for other in group for v in other.plan.verifiers}
            if group[0].kind == run.kind == "run" and group[0].plan.folds == run.plan.folds and not names & taken:
                group.append(run)
                break
        else:
            groups.append([run])
    return [group[0] if len(group) == 1 else Joined(group) for group in groups]
