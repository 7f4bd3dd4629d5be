"""From plan to cells: what is missing is computed, what is there is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from ravenbench.bench.run.spec import RunSpec
from ravenbench.bench.shared.engines import Engine
from ravenbench.bench.shared.store import Store
from ravenbench.bench.shared.units import FitUnit, PairUnit, plan_pairs, read_block
from ravenbench.components import Component
from ravenbench.verifiers.contract.base import Scorer

Progress = Callable[[str, int, int], None]
"""Called with (stage, done, total)."""


def silent(stage: str, done: int, total: int) -> None:
    """No progress shown."""


def execute(store: Store, spec: RunSpec, engine: Engine, progress: Progress = silent) -> list[str]:
    """Compute every cell that is missing, damaged or failed; returns the errors of cells that failed now."""
    components = spec.named_verifiers()
    pending: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for entry in store.plan["cells"]:
        cell = store.read_cell(entry["key"])
        if cell is None or cell.error is not None:
            train = store.plan["folds"][entry["fold"]]["train_digest"]
            pending[entry["verifier"], train].append((entry["key"], entry["fold"]))
    if not pending:
        return []
    waiting = {name for name, _ in pending}
    pair_units = _pair_units(store, {n: c for n, c in components.items() if n in waiting})
    fits = [
        FitUnit(
            store.path,
            name,
            components[name],
            tuple(cells),
            tuple(u.key for u in pair_units.get(str(components[name]), ())),
        )
        for (name, _), cells in pending.items()
    ]
    errors: list[str] = []
    missing: list[PairUnit] = [u for units in pair_units.values() for u in units if read_block(store, u.key) is None]
    for stage, units in (("comparing pairs", missing), ("fitting and scoring", fits)):
        if units:
            progress(stage, 0, len(units))
            for done, failed in enumerate(engine(units), start=1):
                errors += failed
                progress(stage, done, len(units))
    return errors


def _pair_units(store: Store, components: dict[str, Component]) -> dict[str, list[PairUnit]]:
    free = [c for c in components.values() if isinstance(c, Scorer) and c.fold_free]
    folds = sorted({entry["fold"] for entry in store.plan["cells"]})
    return plan_pairs(store, free, folds)
