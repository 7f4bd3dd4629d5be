"""A safety run's store → its numbers. Nothing is fitted, rewritten or measured here."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ravenbench.bench.safety.attacked import true_codes
from ravenbench.bench.safety.attacks import ATTACKS, UNSAFE, recovery, unsafe
from ravenbench.bench.safety.measures import measures_of, read_detection
from ravenbench.bench.safety.record import (
    Detection,
    MeasuredText,
    MeasuresRecord,
    ObfuscatorRecord,
    RewrittenSet,
    SafetyPlan,
)
from ravenbench.metrics.safety import (
    WEAK,
    Effect,
    VerificationEffect,
    average_impact,
    dismissals,
    effect,
    impact,
    verification_effect,
)
from ravenbench.obfuscation.measures.sensibleness import mean_ranks
from ravenbench.randomness import stream
from ravenbench.reports.safety.readers import People, people
from ravenbench.reports.view import public_head
from ravenbench.statistics.attacks import (
    AttributionChange,
    ImpactIntervals,
    Texts,
    attribution_change,
    impact_intervals,
)
from ravenbench.statistics.estimates import Interval, expanded
from ravenbench.statistics.significance import holm, sign_test
from ravenbench.store.records import Head
from ravenbench.store.store import Cell, Store
from ravenbench.types import Bools, Floats, Ints


@dataclass(frozen=True)
class Quality:
    """One measure of an obfuscator's rewritings: mean over texts and its 95 % interval; None where not measured."""

    mean: float | None
    interval: Interval | None


@dataclass(frozen=True)
class VerifierRow:
    """One verifier against one obfuscator.

    ``effects`` are by seed; ``excluded`` says why it counts towards no average, and is None where it does.
    ``interval`` is of the impact over problems; ``p`` of the sign test on attacked problems, first seed.
    """

    verifier: str
    effects: Mapping[int, VerificationEffect]
    excluded: str | None
    interval: Interval | None
    p: float | None

    @property
    def first(self) -> VerificationEffect | None:
        """The effect with the first seed."""
        return next(iter(self.effects.values()), None)

    def mean(self, field: str) -> float | None:
        """Mean over seeds of a number of the effect: ``impact``, ``delta_acc``, ``delta_auc`` …"""
        values = [getattr(e.effect if hasattr(e.effect, field) else e, field) for e in self.effects.values()]
        made = [v for v in values if v is not None]
        return sum(made) / len(made) if made and len(made) == len(values) else None


@dataclass(frozen=True)
class RecoveryRow:
    """What an attack recovered, averaged over verifiers that lost enough; ``why_not`` where it was not played.

    ``restored`` is the share of altered tokens (*invert*) or changed sentences (*preimage*) brought back,
    ``precision`` that of the attacker's changes that are right.
    """

    attack: str
    recovery: float | None
    false_accepts: float | None
    unsafe: bool | None
    verifiers: Mapping[str, float | None]
    why_not: str | None = None
    restored: float | None = None
    precision: float | None = None


@dataclass(frozen=True)
class ObfuscatorRow:
    """One obfuscator against all verifiers that count.

    ``average_impact`` is the plain mean over them and over seeds; ``interval`` draws problems and verifiers,
    ``over_problems`` and ``over_verifiers`` one of them. ``surviving`` is the average impact on those texts alone
    whose meaning survived, ``survivors`` their share; ``competent`` that over verifiers of at least 60 % accuracy.
    """

    name: str
    error: str | None
    average_impact: float | None
    interval: Interval | None
    over_problems: Interval | None
    over_verifiers: Interval | None
    by_seed: Mapping[int, float | None]
    competent: float | None
    survivors: float | None
    surviving: float | None
    surviving_interval: Interval | None
    verifiers: tuple[VerifierRow, ...]
    soundness: Mapping[str, Quality]
    sensibleness: Mapping[str, Quality]
    mean_rank: float | None
    efficiency: Mapping[str, Quality]
    seconds: float | None
    changed: int
    notes: Mapping[str, int]
    missing: Mapping[str, str]
    detection: Detection | None
    recovery: tuple[RecoveryRow, ...]

    @property
    def counted(self) -> tuple[VerifierRow, ...]:
        """Verifiers that count towards averages."""
        return tuple(row for row in self.verifiers if row.excluded is None)


@dataclass(frozen=True)
class AttributionRow:
    """One attribution method against one obfuscator; ``p_holm`` is corrected over all rows of the run."""

    obfuscator: str
    method: str
    change: AttributionChange
    p_holm: float


@dataclass(frozen=True)
class Shame:
    """A verifier that an obfuscation helped, and the numbers of the reasons that excuse it (none: "?")."""

    obfuscator: str
    verifier: str
    seed: int
    effect: Effect
    reasons: tuple[int, ...]


@dataclass(frozen=True)
class SafetyAnalysis:
    """A whole safety run."""

    corpus: str
    problems: int
    attacked: int
    seeds: tuple[int, ...]
    verifiers: Mapping[str, str | None]
    """Display name → why it is excluded, or None."""
    accuracy: Mapping[str, tuple[float, float, float | None]]
    """Display name → accuracy and recall before, and the threshold where finite."""
    obfuscators: tuple[ObfuscatorRow, ...]
    shame: tuple[Shame, ...]
    attribution: tuple[AttributionRow, ...] | None
    """Where attribution methods were attacked: one row for each and each obfuscator. None where verifiers were."""
    people: People | None
    run: Head

    @property
    def attacks(self) -> str:
        """What the obfuscators were tried on."""
        return "verifiers" if self.attribution is None else "methods"


FEW = 20
"""Attacked problems below which obfuscators are not ranked: reason 3 of the hall of shame."""


def listed(analysis: SafetyAnalysis) -> list[ObfuscatorRow]:
    """Obfuscators by average impact, or in the order they were asked for where problems are too few to rank them."""
    if analysis.attacked < FEW:
        return list(analysis.obfuscators)
    return sorted(analysis.obfuscators, key=lambda o: -(o.average_impact or 0))


def cell_of(store: Store, method: str, fold: str) -> Cell | str:
    """What a method said of a fold, or the reason why there is nothing."""
    cell = store.cell(method, fold)
    if cell is None:
        return "its answers are missing: repeat the command"
    return cell if cell.error is None else f"it failed: {cell.error.splitlines()[0]}"


def answers_of(store: Store, verifier: str, fold: str) -> Floats | str:
    """A verifier's answers to a fold, or the reason why there are none."""
    cell = cell_of(store, verifier, fold)
    if isinstance(cell, str):
        return cell
    assert cell.answers is not None
    return cell.answers


def mean(values: Sequence[float | None]) -> float | None:
    """The mean; None where there are no values or one is None."""
    made = [v for v in values if v is not None]
    return float(np.mean(made)) if made and len(made) == len(values) else None


Prior = tuple[float, float, float | None]
"""Accuracy, recall on what is attacked, and the threshold where finite, all before the attack."""


@dataclass(frozen=True, eq=False)
class Judged(ABC):
    """The methods of a safety run."""

    store: Store

    @property
    def clusters(self) -> Ints | None:
        """What intervals draw: numbers by attacked text; None where they draw texts."""
        return None

    def excluded(self, name: str) -> str | None:
        """Why a method counts towards no average, or None."""
        found = self.effect(name, "original")
        return found if isinstance(found, str) else found.excluded

    def prior(self, name: str) -> Prior | None:
        """How good it was before the attack, None where its answers are missing."""
        found = self.effect(name, "original")
        if isinstance(found, str):
            return None
        threshold = found.threshold if math.isfinite(found.threshold) else None
        return found.effect.accuracy, found.effect.recall, threshold

    @abstractmethod
    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        """What a fold of rewritten texts did to it, or why nothing can be said."""

    @abstractmethod
    def right(self, name: str, fold: str) -> Bools:
        """Whether it was right on each attacked problem, (P,)."""


@dataclass(frozen=True, eq=False)
class Verifiers(Judged):
    """Verifiers, whose thresholds are those of most accuracy before the attack.

    ``same`` (n,) is the truth, ``before`` their answers to the untouched problems or why there are none.
    """

    same: Bools
    before: Mapping[str, Floats | str]

    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        before, after = self.before[name], answers_of(self.store, name, fold)
        if isinstance(before, str) or isinstance(after, str):
            return before if isinstance(before, str) else str(after)
        return verification_effect(self.same, before, after)

    def right(self, name: str, fold: str) -> Bools:
        found, answers = self.effect(name, fold), answers_of(self.store, name, fold)
        assert not isinstance(found, str) and not isinstance(answers, str)
        return np.asarray(answers[self.same] >= found.threshold)


@dataclass(frozen=True, eq=False)
class Attributors(Judged):
    """Attribution methods: right where they name the author, or nobody for a text by no candidate."""

    @cached_property
    def texts(self) -> Texts:
        """The questioned texts and their authors."""
        truth, ids = true_codes(self.store), self.store.fold("original").test.ids.tolist()
        names = np.array([name.partition("/")[0] if "/" in name else "" for name in ids])
        return Texts(truth, np.unique(names, return_inverse=True)[1].astype(np.int64), truth >= 0)

    @property
    def clusters(self) -> Ints:
        """The authors of the attacked texts."""
        return np.unique(self.texts.truth[self.texts.attacked], return_inverse=True)[1].astype(np.int64)

    def named(self, name: str, fold: str) -> tuple[Ints, Floats] | str:
        """Numbers of the authors named and ranks of the true ones, or why there are none."""
        cell = cell_of(self.store, name, fold)
        return cell if isinstance(cell, str) else (cell.arrays["predicted"], cell.arrays["rank"])

    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        before, after = self.named(name, "original"), self.named(name, fold)
        if isinstance(before, str) or isinstance(after, str):
            return before if isinstance(before, str) else str(after)
        found = effect(self.texts.truth, before[0], after[0], self.texts.attacked)
        return VerificationEffect(math.nan, found, None, None, None)

    def right(self, name: str, fold: str) -> Bools:
        found = self.named(name, fold)
        assert not isinstance(found, str)
        return np.asarray((found[0] == self.texts.truth)[self.texts.attacked])


def judged(store: Store) -> Judged:
    """The methods of a safety run."""
    if store.run.spec.get("methods"):
        return Attributors(store)
    names = [v.name for v in store.plan_as(SafetyPlan).verifiers]
    return Verifiers(store, store.truth("original"), {name: answers_of(store, name, "original") for name in names})


def surviving(
    store: Store, rows: Mapping[int, Mapping[str, MeasuredText]], right: tuple[Bools, Bools] | None, same: Bools
) -> tuple[float | None, float | None, Interval | None]:
    """Share of texts whose meaning survived, the average impact on these alone, and its interval (first seed)."""
    if not rows or not any(rows.values()):
        return None, None, None
    ids = store.fold("original").test.ids[same].tolist()
    masks = np.array([[i in found and found[i].survives for i in ids] for found in rows.values()])
    share = float(masks.mean())
    if right is None or len(masks) != len(right[1]) or not masks.any(axis=1).all():
        return share, None, None
    before, after = right
    each = [
        float(impact(before[:, m].mean(axis=1), one[:, m].mean(axis=1)).mean())
        for m, one in zip(masks, after, strict=True)
    ]
    first = impact_intervals(before[:, masks[0]], after[:1][:, :, masks[0]])
    return share, float(np.mean(each)), first.average


def qualities(
    measured: Mapping[int, MeasuresRecord],
) -> tuple[dict[str, Quality], dict[str, Quality], dict[str, Quality]]:
    """Soundness, sensibleness and efficiency over the texts of all seeds."""
    rows = [row for one in measured.values() for row in one.rows.values()]
    return (
        quality([row.soundness for row in rows], len(measured)),
        quality([row.sensibleness for row in rows], len(measured)),
        quality([row.efficiency for row in rows], len(measured)),
    )


def quality(rows: Sequence[Mapping[str, float | None]], seeds: int) -> dict[str, Quality]:
    """Means over texts (and seeds) with intervals over texts; None where a measure was made for no text."""
    names = list(rows[0]) if rows else []
    found = {}
    for name in names:
        values = np.array([row[name] for row in rows if row[name] is not None], dtype=np.float64)
        if not len(values):
            found[name] = Quality(None, None)
            continue
        rng = stream(0, "quality-interval", name, len(values))
        means = values[rng.integers(0, len(values), (1000, len(values)))].mean(axis=1)
        low, high = np.quantile(means, expanded(0.95, max(2, len(values) // seeds)))
        found[name] = Quality(float(values.mean()), (float(low), float(high)))
    return found


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
            for seed, one in verifier.effects.items():
                reasons = dismissals(one.effect)
                if reasons is not None:
                    reasons = tuple(number for number in reasons if not (attributed and number == 2))
                    found.append(Shame(row.name, verifier.verifier, seed, one.effect, reasons))
    return sorted(found, key=lambda s: s.effect.impact)


def attribution_rows(methods: Attributors, entries: Sequence[ObfuscatorRecord]) -> tuple[AttributionRow, ...]:
    """A row for every obfuscator and method with answers; p-values are corrected over all of them."""
    rows = []
    for entry in entries:
        for record in methods.store.plan.verifiers:
            before = methods.named(record.name, "original")
            after = [methods.named(record.name, done.fold) for done in entry.sets.values()]
            there = [one for one in after if not isinstance(one, str)]
            if isinstance(before, str) or not after or len(there) < len(after):
                continue
            found = attribution_change(methods.texts, before, there)
            rows.append(AttributionRow(entry.name, record.name, found, found.p))
    corrected = holm([row.p_holm for row in rows])
    return tuple(replace(row, p_holm=float(p)) for row, p in zip(rows, corrected, strict=True))
