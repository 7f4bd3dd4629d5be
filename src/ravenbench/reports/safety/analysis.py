"""A safety run's store → its numbers. Nothing is fitted, rewritten or measured here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ravenbench.bench.safety.detection import read_detection
from ravenbench.bench.safety.measures import measures_of
from ravenbench.bench.safety.record import Detection, ObfuscatorRecord, RewrittenSet, SafetyPlan
from ravenbench.metrics.safety import WEAK, VerificationEffect, average_impact, dismissals
from ravenbench.obfuscation.measures.sensibleness import mean_ranks
from ravenbench.reports.safety.answers import mean
from ravenbench.reports.safety.attribution import attribution_rows
from ravenbench.reports.safety.grades import people
from ravenbench.reports.safety.judged import Attributors, Judged, Verifiers, judged
from ravenbench.reports.safety.quality import qualities, surviving
from ravenbench.reports.safety.records import ObfuscatorRow, SafetyAnalysis, Shame, VerifierRow
from ravenbench.reports.safety.recovery import recoveries
from ravenbench.reports.shared.public import public_head
from ravenbench.statistics.attacks import ImpactIntervals, impact_intervals
from ravenbench.statistics.significance import sign_test
from ravenbench.store.store import Store
from ravenbench.types import Bools


def analyse(store: Store) -> SafetyAnalysis:
    """All figures of a safety run.

    Raises
    ------
    InputError
        If the folder belongs to another task.
    """
    store.expect("safety")
    plan = store.plan_as(SafetyPlan)
    same = store.truth("original")
    methods = judged(store)
    excluded = {v.name: methods.excluded(v.name) for v in plan.verifiers}
    prior = {v.name: methods.prior(v.name) for v in plan.verifiers}
    detected = read_detection(store.path / "detection.json") or {}
    rows = [_obfuscator(store, plan, entry, same, methods, excluded, detected) for entry in plan.obfuscators]
    made = {r.name: {k: q.mean for k, q in r.sensibleness.items()} for r in rows if r.sensibleness}
    ranks = mean_ranks(made)
    ranked = [replace(row, mean_rank=ranks.get(row.name)) for row in rows]
    return SafetyAnalysis(
        corpus=plan.corpus.name,
        problems=len(same),
        attacked=int(same.sum()),
        seeds=tuple(sorted({seed for entry in plan.obfuscators for seed in entry.sets})),
        verifiers=excluded,
        accuracy={name: found for name, found in prior.items() if found is not None},
        obfuscators=tuple(ranked),
        shame=tuple(_shame(ranked, isinstance(methods, Attributors))),
        attribution=attribution_rows(methods, plan.obfuscators) if isinstance(methods, Attributors) else None,
        people=people(store),
        run=public_head(store.run),
    )


def _obfuscator(
    store: Store,
    plan: SafetyPlan,
    entry: ObfuscatorRecord,
    same: Bools,
    methods: Judged,
    excluded: Mapping[str, str | None],
    detected: Mapping[str, Detection],
) -> ObfuscatorRow:
    seeds = entry.sets
    verifiers = [_verifier(methods, name, seeds, why) for name, why in excluded.items()]
    counted = [row for row in verifiers if row.excluded is None]
    measured = measures_of(store.path / "measures", entry.name)
    right = _right(methods, counted, seeds)
    intervals = (
        impact_intervals(*right, clusters=methods.clusters)
        if right is not None
        else ImpactIntervals(None, None, None, ())
    )
    each = dict(zip((row.verifier for row in counted), intervals.each, strict=False))
    competent = [row for row in counted if row.first is not None and row.first.effect.accuracy >= WEAK]
    by_seed = {seed: average_impact(row.effects[seed].effect for row in counted) for seed in seeds}
    rows = {seed: found.rows for seed, found in measured.items()}
    share, there, there_interval = surviving(store, rows, right, same)
    soundness, sensibleness, efficiency = qualities(measured)
    return ObfuscatorRow(
        name=entry.name,
        error=entry.error,
        average_impact=mean(list(by_seed.values())),
        interval=intervals.average,
        over_problems=intervals.problems,
        over_verifiers=intervals.verifiers,
        by_seed=by_seed,
        competent=mean([row.mean("impact") for row in competent]),
        survivors=share,
        surviving=there,
        surviving_interval=there_interval,
        verifiers=tuple(VerifierRow(r.verifier, r.effects, r.excluded, each.get(r.verifier), r.p) for r in verifiers),
        soundness=soundness,
        sensibleness=sensibleness,
        mean_rank=None,
        efficiency=efficiency,
        seconds=sum(done.seconds for done in seeds.values()) / len(seeds) if seeds else None,
        changed=max((done.changed for done in seeds.values()), default=0),
        notes={} if entry.first is None else entry.first[1].notes,
        missing=next(iter(measured.values())).missing if measured else {},
        detection=detected.get(entry.name),
        recovery=recoveries(store, plan, entry, same, counted, methods.before)
        if isinstance(methods, Verifiers)
        else (),
    )


def _verifier(methods: Judged, name: str, seeds: Mapping[int, RewrittenSet], excluded: str | None) -> VerifierRow:
    effects: dict[int, VerificationEffect] = {}
    for seed, done in seeds.items():
        found = methods.effect(name, done.fold)
        if isinstance(found, str):
            excluded = excluded or found
        else:
            effects[seed] = found
    if len(effects) < len(seeds):
        effects = {}
    first = next(iter(effects.values()), None)
    p = None if first is None else sign_test(first.effect.lost, first.effect.gained)
    return VerifierRow(name, effects, excluded, None, p)


def _right(
    methods: Judged, counted: Sequence[VerifierRow], seeds: Mapping[int, RewrittenSet]
) -> tuple[Bools, Bools] | None:
    """Whether each counted verifier was right on each attacked problem: before (V, P), after (S, V, P)."""
    if not counted or not seeds:
        return None
    before = np.array([methods.right(row.verifier, "original") for row in counted])
    after = [[methods.right(row.verifier, done.fold) for row in counted] for done in seeds.values()]
    return before, np.array(after)


def _shame(rows: Sequence[ObfuscatorRow], attributed: bool) -> list[Shame]:
    """Who gained; guessing among many candidates is right less often than ``WEAK``, which excuses nothing there."""
    found = []
    for row in rows:
        for verifier in row.counted:
            for seed, effect in verifier.effects.items():
                reasons = dismissals(effect.effect)
                if reasons is not None:
                    reasons = tuple(number for number in reasons if not (attributed and number == 2))
                    found.append(Shame(row.name, verifier.verifier, seed, effect.effect, reasons))
    return sorted(found, key=lambda s: s.effect.impact)
