"""From plan to cells: what is missing is computed, what is there is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from ravenbench.bench.shared.pair_blocks import PairUnit, plan_pairs, read_block
from ravenbench.bench.shared.progress import Progress, silent
from ravenbench.bench.shared.store import Store
from ravenbench.bench.shared.units import FitUnit
from ravenbench.bench.shared.work import Engine, carry_out
from ravenbench.components import Component
from ravenbench.verifiers.contract.base import Scorer


def execute(
    store: Store,
    components: Mapping[str, Component],
    engine: Engine,
    progress: Progress = silent,
    *,
    isolate: bool = False,
) -> list[str]:
    """Compute every cell that is missing, damaged or failed; returns the errors of cells that failed now.

    Parameters
    ----------
    components : mapping
        Verifiers by the name the plan gives them.
    isolate : bool
        Leave a problem on which a method fails unanswered, instead of failing its cell.
    """
    pending: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for place in store.unanswered():
        pending[place.verifier, store.plan.folds[place.fold].train_digest].append((place.key, place.fold))
    waiting = {name for name, _ in pending}
    # A problem that fails must fail alone, so its pairs are not compared in blocks with others.
    blocks = {} if isolate else _pair_units(store, {n: c for n, c in components.items() if n in waiting})
    fits = [
        FitUnit(
            store.path,
            name,
            components[name],
            tuple(cells),
            tuple(unit.key for unit in blocks.get(str(components[name]), ())),
            isolate,
        )
        for (name, _), cells in pending.items()
    ]
    missing: list[PairUnit] = [u for units in blocks.values() for u in units if read_block(store, u.key) is None]
    errors = carry_out(engine, missing, progress, "comparing pairs")
    return errors + carry_out(engine, fits, progress, "fitting and scoring")


def _pair_units(store: Store, components: Mapping[str, Component]) -> dict[str, list[PairUnit]]:
    free = [c for c in components.values() if isinstance(c, Scorer) and c.fold_free]
    if not free:
        return {}
    folds = sorted({entry.fold for entry in store.plan.cells})
    return plan_pairs(store, free, folds)
