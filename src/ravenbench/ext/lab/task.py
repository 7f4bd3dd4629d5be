"""``ravenbench.simulate``: both axes of the verdict on scorers whose reliance on content is known.

OUT/run.json, plan.json, cells/   as for a run; a fold is a replicate, and its cell holds the figures of all scorers
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ravenbench import registry
from ravenbench.components import identity_hash
from ravenbench.corpora.load import is_named
from ravenbench.engine.options import PATH, Option
from ravenbench.engine.task import Cost, Draft, Task
from ravenbench.ext.lab.spec import SimulateSpec, build

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ravenbench.store.records import CellPlace, Plan
    from ravenbench.store.store import Store

WORLD, FIT, WORD = 0.5, 0.035, 1.5e-5
"""CPU seconds of a world, of each training set in it, and of each word, measured on worlds of 7,200 to 57,600 words."""


class Simulate(Task):
    """Test both verdicts of raven run on simulated data, with scorers of which it is known what they rely on.

    Shows how often scorers that cannot see content are flagged all the same (false positives), how often those that
    use topic, alone or blended with style, are flagged (power), and how often the intervals hold the true value
    (coverage). If it is interrupted, the same command continues where it stopped.

        raven simulate

        raven simulate --corpus "manifold(style=0.6, drift=1)" --replicates 40 --seed 3000

        raven simulate --corpus newsgroups --pools 1 --replicates 6
    """

    name = "simulate"
    first = "corpus replicates doses out"
    report = "ravenbench.ext.lab.report:SimulateReport"
    freezes = False
    Spec = SimulateSpec
    own = (Option("out", "The simulation's folder or URL; default raven-runs/simulate-<hash>.", takes=PATH),)
    positional = ("corpus",)
    order = "corpus text author topic encoding replicates"
    failure = "{count} replicate{s} failed, the first: {first}"
    cell_timeout = False
    plan_help = "Only show what would be simulated."
    spec: SimulateSpec

    def resolve(self) -> None:
        from ravenbench.ext.lab.plan import fingerprint

        self.spec = build(self.values)
        self.data = fingerprint(self.spec)
        self.folder = self.place_or(f"simulate-{identity_hash(self.spec.resolved())[:8]}")

    def draft(self) -> Draft[Any]:
        from ravenbench.ext.lab.plan import draft

        return Draft(draft(self.spec))

    def cells(self, store: Store) -> list[str]:
        from ravenbench.engine.pool import run_units
        from ravenbench.ext.lab.plan import SimulatePlan
        from ravenbench.ext.lab.trials import ReplicateUnit

        seeds = {one.fold: one.seed for one in store.plan_as(SimulatePlan).replicates}
        units = [ReplicateUnit(store.path, self.spec, (one,), seeds[one.fold]) for one in store.unanswered()]
        return run_units(self.engine, units, self.progress, "simulating")

    def cost(self, draft: Draft[Any], missing: Sequence[CellPlace]) -> Cost:
        from ravenbench.engine.estimate import around
        from ravenbench.ext.lab.plan import fits

        source = registry.parse("corpus", self.spec.corpus) if is_named(self.spec.corpus) else None
        words = getattr(source, "documents", 0) * getattr(source, "words", 0)
        seconds = around(0) + len(missing) * (WORLD + FIT * fits(self.spec) + WORD * words)
        return (seconds, ()) if words else (None, (self.spec.corpus,))

    def fits(self, plan: Plan, missing: Sequence[CellPlace]) -> int:
        from ravenbench.ext.lab.plan import fits

        return len(missing) * fits(self.spec)
