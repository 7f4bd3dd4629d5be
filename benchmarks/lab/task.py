"""``python -m benchmarks simulate``: both axes of the verdict on scorers whose reliance on content is known.

OUT/run.json, plan.json, cells/   as for a run; a fold is a replicate, and its cell holds the figures of all scorers
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.lab.spec import SimulateSpec, build
from ravenbench.components import identity_hash
from ravenbench.engine.options import PATH, Option
from ravenbench.engine.task import Draft, Task

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ravenbench.store.records import CellPlace, Plan
    from ravenbench.store.store import Store


class Simulate(Task):
    """Test both verdicts of raven run on simulated data, with scorers whose reliance on content is known.

    Shows how often scorers that cannot see content are flagged (false positives), how often scorers that use topic,
    alone or blended with style, are flagged (power), and how often the intervals include the true value (coverage).
    If it is interrupted, the same command continues where it stopped.

        python -m benchmarks simulate

        python -m benchmarks simulate --corpus "manifold(style=0.6, drift=1)" --replicates 40 --seed 3000

        python -m benchmarks simulate --corpus newsgroups --pools 1 --replicates 6
    """

    name = "simulate"
    first = "corpus replicates doses out"
    report = "benchmarks.lab.report:SimulateReport"
    freezes = False
    Spec = SimulateSpec
    own = (
        Option(
            "out", "The simulation's folder or URL; default raven-runs/simulate-<hash>.", takes=PATH
        ),
    )
    positional = ("corpus",)
    order = "corpus text author topic encoding replicates"
    failure = "{count} replicate{s} failed, the first: {first}"
    cell_timeout = False
    plan_help = "Only show what would be simulated."
    spec: SimulateSpec

    def resolve(self) -> None:
        from benchmarks.lab.plan import fingerprint

        self.spec = build(self.values)
        self.data = fingerprint(self.spec)
        self.folder = self.place_or(f"simulate-{identity_hash(self.spec.resolved())[:8]}")

    def draft(self) -> Draft[Any]:
        from benchmarks.lab.plan import draft

        return Draft(draft(self.spec))

    def cells(self, store: Store) -> list[str]:
        from benchmarks.lab.plan import SimulatePlan
        from benchmarks.lab.trials import ReplicateUnit
        from ravenbench.engine.pool import run_units

        seeds = {one.fold: one.seed for one in store.plan_as(SimulatePlan).replicates}
        units = [
            ReplicateUnit(store.path, self.spec, (one,), seeds[one.fold])
            for one in store.unanswered()
        ]
        return run_units(self.engine, units, self.progress, "simulating")

    def fits(self, plan: Plan, missing: Sequence[CellPlace]) -> int:
        from benchmarks.lab.plan import fits

        return len(missing) * fits(self.spec)
