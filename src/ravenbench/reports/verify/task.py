"""The report of ``raven verify``, as every task offers it."""

from ravenbench.bench.verify.record import VerifyPlan
from ravenbench.reports.verify.analysis import analyse, to_json
from ravenbench.reports.verify.folder import terminal, write
from ravenbench.store.store import Store

__all__ = ["analyse", "planned", "terminal", "to_json", "write"]


def planned(store: Store) -> list[tuple[str, str, str]]:
    """Method, fold and key of every block of problems."""
    plan = store.plan_as(VerifyPlan)
    name = plan.verifiers[0].name
    return [(name, f"{b.fold}, problems {b.start + 1} to {b.stop}", b.key) for b in plan.blocks]
