"""A safety run's store → its numbers. Nothing is fitted, rewritten or measured here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ravenbench.bench.safety.detection import read_detection
from ravenbench.bench.safety.measures import measures_of
from ravenbench.bench.safety.record import Detection, ObfuscatorRecord, RewrittenSet, SafetyPlan
from ravenbench.bench.shared.store import Store
from ravenbench.metrics.safety import (
    WEAK,
    VerificationEffect,
    average_impact,
    dismissals,
    verification_effect,
)
from ravenbench.obfuscation.measures.sensibleness import mean_ranks
from ravenbench.reports.safety.answers import answers_of, mean
from ravenbench.reports.safety.grades import people
from ravenbench.reports.safety.quality import qualities, surviving
from ravenbench.reports.safety.records import ObfuscatorRow, SafetyAnalysis, Shame, VerifierRow
from ravenbench.reports.safety.recovery import recoveries
from ravenbench.statistics.impact import ImpactIntervals, impact_intervals
from ravenbench.statistics.mcnemar import sign_test
from ravenbench.types import Bools, Floats


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
    before = {v.name: answers_of(store, v.name, "original") for v in plan.verifiers}
    excluded = {name: _why_not(same, answers) for name, answers in before.items()}
    accuracy = {}
    for name, answers in before.items():
        if isinstance(answers, str):
            continue
        found = verification_effect(same, answers, answers)
        finite = math.isfinite(found.threshold)
        accuracy[name] = (found.effect.accuracy, found.effect.recall, found.threshold if finite else None)
    detected = read_detection(store.path / "detection.json") or {}
    rows = [_obfuscator(store, plan, entry, same, before, excluded, detected) for entry in plan.obfuscators]
    made = {r.name: {k: q.mean for k, q in r.sensibleness.items()} for r in rows if r.sensibleness}
    ranks = mean_ranks(made)
    ranked = [replace(row, mean_rank=ranks.get(row.name)) for row in rows]
    return SafetyAnalysis(
        corpus=plan.corpus.name,
        problems=len(same),
        attacked=int(same.sum()),
        seeds=tuple(sorted({seed for entry in plan.obfuscators for seed in entry.sets})),
        verifiers=excluded,
        accuracy=accuracy,
        obfuscators=tuple(ranked),
        shame=tuple(_shame(ranked)),
        people=people(store),
        run=store.run,
    )


def _why_not(same: Bools, answers: Floats | str) -> str | None:
    return answers if isinstance(answers, str) else verification_effect(same, answers, answers).excluded


def _obfuscator(
    store: Store,
    plan: SafetyPlan,
    entry: ObfuscatorRecord,
    same: Bools,
    before: Mapping[str, Floats | str],
    excluded: Mapping[str, str | None],
    detected: Mapping[str, Detection],
) -> ObfuscatorRow:
    seeds = entry.sets
    verifiers = [_verifier(store, name, seeds, same, answers, excluded[name]) for name, answers in before.items()]
    counted = [row for row in verifiers if row.excluded is None]
    measured = measures_of(store.path / "measures", entry.name)
    right = _right(store, counted, seeds, same)
    intervals = impact_intervals(*right) if right is not None else ImpactIntervals(None, None, None, ())
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
        recovery=recoveries(store, plan, entry, same, counted, before),
    )


def _verifier(
    store: Store, name: str, seeds: Mapping[int, RewrittenSet], same: Bools, answers: Floats | str, excluded: str | None
) -> VerifierRow:
    effects: dict[int, VerificationEffect] = {}
    for seed, done in seeds.items():
        after = answers_of(store, name, done.fold)
        if isinstance(after, str):
            excluded = excluded or after
        elif not isinstance(answers, str):
            effects[seed] = verification_effect(same, answers, after)
    if len(effects) < len(seeds):
        effects = {}
    first = next(iter(effects.values()), None)
    p = None if first is None else sign_test(first.effect.lost, first.effect.gained)
    return VerifierRow(name, effects, excluded, None, p)


def _right(
    store: Store, counted: Sequence[VerifierRow], seeds: Mapping[int, RewrittenSet], same: Bools
) -> tuple[Bools, Bools] | None:
    """Whether each counted verifier was right on each attacked problem: before (V, P), after (S, V, P)."""
    if not counted or not seeds:
        return None

    def right(row: VerifierRow, fold: str) -> Bools:
        answers = answers_of(store, row.verifier, fold)
        assert row.first is not None and not isinstance(answers, str)
        return np.asarray(answers[same] >= row.first.threshold)

    before = np.array([right(row, "original") for row in counted])
    return before, np.array([[right(row, done.fold) for row in counted] for done in seeds.values()])


def _shame(rows: Sequence[ObfuscatorRow]) -> list[Shame]:
    found = []
    for row in rows:
        for verifier in row.counted:
            for seed, effect in verifier.effects.items():
                reasons = dismissals(effect.effect)
                if reasons is not None:
                    found.append(Shame(row.name, verifier.verifier, seed, effect.effect, reasons))
    return sorted(found, key=lambda s: s.effect.impact)
