"""From plan to cells: what is missing is computed, what is there is kept."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ravenbench.bench.shared.counting_ahead import no_counts_left, plan_counting
from ravenbench.bench.shared.encoding import plan_encoding
from ravenbench.bench.shared.opened import keep_open
from ravenbench.bench.shared.pair_blocks import PairUnit, plan_pairs, read_block
from ravenbench.bench.shared.progress import Progress, silent
from ravenbench.bench.shared.store import Store
from ravenbench.bench.shared.units import FitUnit
from ravenbench.bench.shared.work import Engine, carry_out
from ravenbench.components import Component
from ravenbench.verifiers.contract.base import Scorer

FIRST = 2
"""Fits of a verifier that are done before its others: where all their cells fail alike, the others are not tried."""


def execute(
    store: Store,
    components: Mapping[str, Component],
    engine: Engine,
    progress: Progress = silent,
    *,
    isolate: bool = False,
) -> list[str]:
    """Compute every cell that is missing, damaged or failed; returns the errors of cells that failed now.

    A verifier whose first fits all fail alike is not tried on the other folds, whose cells stay missing.

    Parameters
    ----------
    components : mapping
        Verifiers by the name the plan gives them.
    isolate : bool
        Leave a problem on which a method fails unanswered, instead of failing its cell.
    """
    keep_open(store)
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
    first, rest = _first(fits)
    missing: list[PairUnit] = [u for units in blocks.values() for u in units if read_block(store, u.key) is None]
    folds = sorted({fold for cells in pending.values() for _, fold in cells})
    with no_counts_left(store):
        carry_out(engine, plan_encoding(store, {n: components[n] for n in waiting}, folds), progress, "encoding texts")
        counting = plan_counting(store, [unit.component for unit in fits], folds)
        stage = "comparing pairs" if missing else "counting texts"
        errors = carry_out(engine, [*counting, *missing], progress, stage)
        errors += carry_out(engine, first, progress, "first fits")
        hopeless = _failing_alike(store, first)
        untried = [
            f"{unit.verifier} on {fold}: not tried, for its first {FIRST} fits failed alike "
            f"({hopeless[unit.verifier]}); mend it and repeat the command"
            for unit in rest
            if unit.verifier in hopeless
            for _, fold in unit.cells
        ]
        going = _longest_first(store, first, [unit for unit in rest if unit.verifier not in hopeless])
        return untried + errors + carry_out(engine, going, progress, "fitting and scoring")


def _first(fits: Sequence[FitUnit]) -> tuple[list[FitUnit], list[FitUnit]]:
    """The first fits of every verifier that has more than ``FIRST``, and all others."""
    count = Counter(unit.verifier for unit in fits)
    first: list[FitUnit] = []
    rest: list[FitUnit] = []
    seen: Counter[str] = Counter()
    for unit in fits:
        early = count[unit.verifier] > FIRST and seen[unit.verifier] < FIRST
        (first if early else rest).append(unit)
        seen[unit.verifier] += early
    return first, rest


def _failing_alike(store: Store, first: Sequence[FitUnit]) -> dict[str, str]:
    """Verifiers all of whose cells of these fits failed with one error, and that error."""
    told: dict[str, set[str | None]] = defaultdict(set)
    for unit in first:
        for key, _ in unit.cells:
            cell = store.read_cell(key)
            line = None if cell is None or cell.error is None else cell.error.splitlines()[0]
            # What was found may differ from fold to fold, what is wrong does not.
            told[unit.verifier].add(line and line.partition("; found: ")[0])
    return {name: error for name, (error, *more) in told.items() if error is not None and not more}


def _longest_first(store: Store, first: Sequence[FitUnit], rest: Sequence[FitUnit]) -> list[FitUnit]:
    """Units in an order that leaves no worker with a long one at the end, by what the first fits of a method took.

    Methods that were not tried yet go first. Those that take about as long stay in the order of folds, cheap ones all
    together: a worker reads a fold once for all its methods.
    """
    taken: dict[str, float] = defaultdict(float)
    for unit in first:
        done = (store.read_cell(key) for key, _ in unit.cells)
        seconds = sum(cell.record.seconds.fit + cell.record.seconds.score for cell in done if cell is not None)
        taken[unit.verifier] = max(taken[unit.verifier], seconds)
    rank = {name: max(math.ceil(math.log2(seconds)), -3) for name, seconds in taken.items() if seconds > 0}
    return sorted(rest, key=lambda unit: rank.get(unit.verifier, math.inf), reverse=True)


def _pair_units(store: Store, components: Mapping[str, Component]) -> dict[str, list[PairUnit]]:
    free = [c for c in components.values() if isinstance(c, Scorer) and c.fold_free]
    if not free:
        return {}
    folds = sorted({entry.fold for entry in store.plan.cells})
    return plan_pairs(store, free, folds)
