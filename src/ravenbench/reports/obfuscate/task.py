"""The report of ``raven obfuscate``, as every task offers it."""

from ravenbench.bench.obfuscate.record import ObfuscatePlan
from ravenbench.bench.obfuscate.rewritings import kept_at, read_rewriting
from ravenbench.reports.obfuscate.analysis import analyse, to_json
from ravenbench.reports.obfuscate.page import terminal, write
from ravenbench.reports.report import Gap
from ravenbench.store.store import Store

__all__ = ["analyse", "gaps", "terminal", "to_json", "write"]


def gaps(store: Store) -> list[Gap]:
    """The texts that an obfuscation lacks: it has rewritings in the place of cells."""
    plan = store.plan_as(ObfuscatePlan)
    kept = kept_at(store.path, plan.rewritings)
    found = {text.id: read_rewriting(kept, text.key) for text in plan.texts}
    failed = {name: one.error if one else None for name, one in found.items() if one is None or one.rewriting is None}
    reason = (next(iter(failed.values()), None) or "missing or damaged").splitlines()[0]
    return [Gap(plan.obfuscator, len(plan.texts), tuple(failed), reason)] if failed else []
