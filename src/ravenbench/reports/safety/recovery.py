"""What attacks on the obfuscations brought back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ravenbench.bench.safety.record import ObfuscatorRecord, SafetyPlan
from ravenbench.bench.safety.recovery import ATTACKS, UNSAFE, recovery, unsafe
from ravenbench.reports.safety.answers import answers_of, mean
from ravenbench.reports.safety.records import RecoveryRow, VerifierRow
from ravenbench.store.store import Store
from ravenbench.types import Bools, Floats


def recoveries(
    store: Store,
    plan: SafetyPlan,
    entry: ObfuscatorRecord,
    same: Bools,
    counted: Sequence[VerifierRow],
    before: Mapping[str, Floats | str],
) -> tuple[RecoveryRow, ...]:
    """A row for every attack that was asked for: the first seed's obfuscation under it."""
    used = {fold.attack for fold in plan.folds.values()}
    asked = [attack for attack in ATTACKS if attack in used or attack in plan.attacks]
    return tuple(_recovery(store, plan, attack, entry, same, counted, before) for attack in asked)


def _recovery(
    store: Store,
    plan: SafetyPlan,
    attack: str,
    entry: ObfuscatorRecord,
    same: Bools,
    counted: Sequence[VerifierRow],
    before: Mapping[str, Floats | str],
) -> RecoveryRow:
    if entry.first is None:
        return RecoveryRow(attack, None, None, None, {}, "nothing was rewritten")
    done = entry.first[1]
    if attack == "preimage" and done.preimage is not None:
        share = done.preimage.share
        return RecoveryRow(attack, None, None, None if share is None else share > UNSAFE, {}, restored=share)
    fold = f"{attack[0]}-{done.fold}"
    if fold not in plan.folds:
        return RecoveryRow(attack, None, None, None, {}, done.not_played.get(attack) or "it was not played")
    found = {}
    for row in counted:
        original = before[row.verifier]
        hidden, attacked = (answers_of(store, row.verifier, name) for name in (done.fold, fold))
        if not isinstance(original, str) and not isinstance(hidden, str) and not isinstance(attacked, str):
            found[row.verifier] = recovery(same, original, hidden, attacked)
    traced = done.inversion if attack == "invert" else None
    return RecoveryRow(
        attack,
        mean([r.recovery for r in found.values() if r.recovery is not None]),
        mean([r.false_accepts for r in found.values()]),
        unsafe(list(found.values())),
        {name: r.recovery for name, r in found.items()},
        restored=None if traced is None else traced.recall,
        precision=None if traced is None else traced.precision,
    )
