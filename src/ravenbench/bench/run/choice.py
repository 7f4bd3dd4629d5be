"""Whether a plan leaves samplers anything to choose."""

from __future__ import annotations

from ravenbench.bench.run.record import RunPlan
from ravenbench.sampling.samplers import more_pools


def pools_advice(plan: RunPlan, share: float) -> str | None:
    """Options that give a plan of one pool several; None where its topics are too few for any (see ``more_pools``)."""
    chosen = [plan.m] if plan.sweep is None else plan.sweep.m
    return more_pools(len(plan.topics), max(chosen), plan.k, share, fixed=len(chosen) > 1)


def no_choice(plan: RunPlan) -> str | None:
    """Why HITS and Random of a plan cannot be compared, as a sentence; None where they can be, or are not both there.

    They choose alike where as many topics are chosen as there are.
    """
    if not {"hits", "random"} <= {setup.setup for setup in plan.setups}:
        return None
    if any(len(pool.topics) > plan.m for pool in plan.pools):
        return None
    m = plan.m
    cure = f"choose fewer than {m} with --topics, or name" if m > 2 else "name"
    return (
        f"HITS and Random cannot be compared: of {m} topics {m} are chosen, so both take the same and differ by chance "
        f"alone. To compare them, {cure} a level of more topics with --topic."
    )
