"""A safety run's store → its numbers. Nothing is fitted, rewritten or measured here."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ravenbench.obfuscation.measures.sensibleness import mean_ranks
from ravenbench.randomness import stream
from ravenbench.reports.view import Number, public_head
from ravenbench.shown import Shown
from ravenbench.statistics.attacks import (
    WEAK,
    AttributionChange,
    Effect,
    ImpactIntervals,
    Texts,
    VerificationEffect,
    attribution_change,
    average_impact,
    dismissals,
    effect,
    impact,
    impact_intervals,
    verification_effect,
)
from ravenbench.statistics.estimates import Interval, Units, estimate, expanded, mean_effects, share_of
from ravenbench.statistics.ranks import holm, sign_test
from ravenbench.store.records import Head
from ravenbench.store.store import Cell, Store
from ravenbench.tasks.safety.attacked import true_codes
from ravenbench.tasks.safety.attacks import ATTACKS, UNSAFE, recovery, unsafe
from ravenbench.tasks.safety.measures import measures_of, read_detection
from ravenbench.tasks.safety.readers import People, people
from ravenbench.tasks.safety.record import Detection, MeasuredText, ObfuscatorRecord, RewrittenSet, SafetyPlan
from ravenbench.types import Bools, Floats, Ints

LIMIT = 1e-3
"""Answers nearer to 0 or 1 than this are taken for this near: one certain answer would be the whole mean."""


@dataclass(frozen=True)
class ImitationRow:
    """One verifier and one imitation, on the different-author problems whose questioned text was imitated.

    ``genuine`` is the share of same-author problems accepted (answer above .5, where the verifier decides),
    ``strangers`` that of the different-author texts as they were, ``imitated`` that of the imitations in their place.
    ``shift`` is the mean change of log10 odds from the one to the other. ``failed`` counts texts without an imitation,
    mostly because of ``why``.
    """

    imitation: str
    verifier: str = ""
    texts: int = 0
    genuine: float | None = None
    strangers: float | None = None
    imitated: float | None = None
    interval: Interval | None = None
    shift: float | None = None
    shift_interval: Interval | None = None
    failed: int = 0
    why: str = ""
    error: str | None = None


def imitation_row(
    imitation: str, verifier: str, same: Bools, imitated: Bools, sides: Ints, before: Floats, after: Floats
) -> ImitationRow:
    """Compare a verifier's answers (n,) to the problems as they were and with imitations where ``imitated``; ``sides``
    (n, 2) are the codes of their two authors, of whom the first is imitated."""

    def odds(answers: Floats) -> Floats:
        bounded = np.clip(answers[imitated], LIMIT, 1 - LIMIT)
        return np.asarray(np.log10(bounded / (1 - bounded)))

    known, change = sides[imitated, 0], odds(after) - odds(before)
    share, interval = share_of(after[imitated] > 0.5, known)
    units = Units(np.repeat(known[:, None], 2, axis=1), np.arange(len(known)))
    shift = estimate(*mean_effects(change), units)
    return ImitationRow(
        imitation,
        verifier,
        texts=len(known),
        genuine=float((before[same] > 0.5).mean()) if same.any() else None,
        strangers=float((before[imitated] > 0.5).mean()),
        imitated=share,
        interval=interval,
        shift=shift.value,
        shift_interval=shift.interval if shift.error else None,
    )


FEW = 20
"""Attacked problems below which obfuscators are not ranked: one of the reasons why one may seem to help."""


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
        known = [v for v in values if v is not None]
        return sum(known) / len(known) if known and len(known) == len(values) else None


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
    soundness: Mapping[str, Number]
    sensibleness: Mapping[str, Number]
    mean_rank: float | None
    efficiency: Mapping[str, Number]
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


@dataclass(frozen=True, repr=False)
class SafetyAnalysis(Shown):
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
    imitations: tuple[ImitationRow, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def attacks(self) -> str:
        """What the obfuscators were tried on."""
        return "verifiers" if self.attribution is None else "methods"


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
    known = [v for v in values if v is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


@dataclass(frozen=True, eq=False)
class JudgedMethods(ABC):
    """The methods of a safety run, as their cells judge them."""

    store: Store

    @cached_property
    def plan(self) -> SafetyPlan:
        """The plan of the run."""
        return self.store.plan_as(SafetyPlan)

    @cached_property
    def same(self) -> Bools:
        """The truth (n,); those of one author are attacked."""
        return self.store.truth("original")

    @cached_property
    def prior(self) -> dict[str, VerificationEffect | str]:
        """Each method before any attack."""
        return {v.name: self.effect(v.name, "original") for v in self.plan.verifiers}

    @property
    def clusters(self) -> Ints | None:
        """What intervals draw: numbers by attacked text; None where they draw texts."""
        return None

    @abstractmethod
    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        """What a fold of rewritten texts did to a method, or why nothing can be said."""

    @abstractmethod
    def right(self, name: str, fold: str) -> Bools:
        """Whether a method was right on each attacked problem, (P,)."""

    def row(self, name: str, seeds: Mapping[int, RewrittenSet]) -> VerifierRow:
        """A method against the rewritings of an obfuscator, without interval."""
        before = self.prior[name]
        excluded = before if isinstance(before, str) else before.excluded
        effects: dict[int, VerificationEffect] = {}
        for seed, rewritten in seeds.items():
            effect = self.effect(name, rewritten.fold)
            if isinstance(effect, str):
                excluded = excluded or effect
            else:
                effects[seed] = effect
        if len(effects) < len(seeds):
            effects = {}
        first = next(iter(effects.values()), None)
        p = None if first is None else sign_test(first.effect.lost, first.effect.gained)
        return VerifierRow(name, effects, excluded, None, p)

    def rights(self, rows: Sequence[VerifierRow], seeds: Mapping[int, RewrittenSet]) -> tuple[Bools, Bools] | None:
        """Whether each method was right on each attacked problem: before (V, P), after (S, V, P)."""
        if not rows or not seeds:
            return None
        before = np.array([self.right(row.verifier, "original") for row in rows])
        return before, np.array(
            [[self.right(row.verifier, rewritten.fold) for row in rows] for rewritten in seeds.values()]
        )

    def recoveries(self, entry: ObfuscatorRecord, counted: Sequence[VerifierRow]) -> tuple[RecoveryRow, ...]:
        """What attacks on the first seed's obfuscation brought back."""
        return ()


@dataclass(frozen=True, eq=False)
class Verifiers(JudgedMethods):
    """Verifiers, whose thresholds are those of most accuracy before the attack."""

    @cached_property
    def before(self) -> dict[str, Floats | str]:
        """Answers to the untouched problems, or why there are none."""
        return {v.name: answers_of(self.store, v.name, "original") for v in self.plan.verifiers}

    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        before, after = self.before[name], answers_of(self.store, name, fold)
        if isinstance(before, str) or isinstance(after, str):
            return before if isinstance(before, str) else str(after)
        return verification_effect(self.same, before, after)

    def right(self, name: str, fold: str) -> Bools:
        effect, answers = self.effect(name, fold), answers_of(self.store, name, fold)
        assert not isinstance(effect, str) and not isinstance(answers, str)
        return np.asarray(answers[self.same] >= effect.threshold)

    def recoveries(self, entry: ObfuscatorRecord, counted: Sequence[VerifierRow]) -> tuple[RecoveryRow, ...]:
        """A row for every attack that the run was to play."""
        used = {fold.attack for fold in self.plan.folds.values()}
        played = [attack for attack in ATTACKS if attack in used or attack in self.plan.attacks]
        return tuple(self._recovery(attack, entry, counted) for attack in played)

    def _recovery(self, attack: str, entry: ObfuscatorRecord, counted: Sequence[VerifierRow]) -> RecoveryRow:
        if entry.first is None:
            return RecoveryRow(attack, None, None, None, {}, "nothing was rewritten")
        rewritten = entry.first[1]
        if attack == "preimage" and rewritten.preimage is not None:
            share = rewritten.preimage.share
            return RecoveryRow(attack, None, None, None if share is None else share > UNSAFE, {}, restored=share)
        fold = f"{attack[0]}-{rewritten.fold}"
        if fold not in self.plan.folds:
            return RecoveryRow(attack, None, None, None, {}, rewritten.not_played.get(attack) or "it was not played")
        recovered = {}
        for row in counted:
            answers = [answers_of(self.store, row.verifier, name) for name in ("original", rewritten.fold, fold)]
            known = [one for one in answers if not isinstance(one, str)]
            if len(known) == len(answers):
                recovered[row.verifier] = recovery(self.same, *known)
        traced = rewritten.inversion if attack == "invert" else None
        return RecoveryRow(
            attack,
            mean([r.recovery for r in recovered.values() if r.recovery is not None]),
            mean([r.false_accepts for r in recovered.values()]),
            unsafe(list(recovered.values())),
            {name: r.recovery for name, r in recovered.items()},
            restored=None if traced is None else traced.recall,
            precision=None if traced is None else traced.precision,
        )


@dataclass(frozen=True, eq=False)
class Attributors(JudgedMethods):
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
        change = effect(self.texts.truth, before[0], after[0], self.texts.attacked)
        return VerificationEffect(math.nan, change, None, None, None)

    def right(self, name: str, fold: str) -> Bools:
        named = self.named(name, fold)
        assert not isinstance(named, str)
        return np.asarray((named[0] == self.texts.truth)[self.texts.attacked])

    def rows(self) -> tuple[AttributionRow, ...]:
        """A row for every obfuscator and method with answers; p-values are corrected over all of them."""
        rows = []
        for entry in self.plan.hiding:
            for record in self.plan.verifiers:
                before = self.named(record.name, "original")
                after = [self.named(record.name, rewritten.fold) for rewritten in entry.sets.values()]
                answered = [one for one in after if not isinstance(one, str)]
                if isinstance(before, str) or not after or len(answered) < len(after):
                    continue
                change = attribution_change(self.texts, before, answered)
                rows.append(AttributionRow(entry.name, record.name, change, change.p))
        corrected = holm([row.p_holm for row in rows])
        return tuple(replace(row, p_holm=float(p)) for row, p in zip(rows, corrected, strict=True))


def analyse(store: Store) -> SafetyAnalysis:
    """All figures of a safety run; nothing is fitted, rewritten or measured here."""
    store.expect("safety")
    methods = Attributors(store) if store.run.spec.get("methods") else Verifiers(store)
    plan = methods.plan
    known = {name: effect for name, effect in methods.prior.items() if not isinstance(effect, str)}
    detected = read_detection(store.path / "detection.json")
    detections = {} if detected is None else detected.obfuscators
    rows = [_obfuscator(methods, entry, detections.get(entry.name)) for entry in plan.hiding]
    ranks = mean_ranks({r.name: {k: q.value for k, q in r.sensibleness.items()} for r in rows if r.sensibleness})
    ranked = tuple(replace(row, mean_rank=ranks.get(row.name)) for row in rows)
    return SafetyAnalysis(
        corpus=plan.corpus.name,
        notes=tuple(plan.corpus.notes),
        problems=len(methods.same),
        attacked=int(methods.same.sum()),
        seeds=tuple(sorted({seed for entry in plan.obfuscators for seed in entry.sets})),
        verifiers={name: f if isinstance(f, str) else f.excluded for name, f in methods.prior.items()},
        accuracy={
            name: (f.effect.accuracy, f.effect.recall, f.threshold if math.isfinite(f.threshold) else None)
            for name, f in known.items()
        },
        obfuscators=ranked,
        shame=tuple(_shame(ranked, isinstance(methods, Attributors))),
        attribution=methods.rows() if isinstance(methods, Attributors) else None,
        people=people(store),
        run=public_head(store.run),
        imitations=imitations(methods) if isinstance(methods, Verifiers) else (),
    )


def imitations(methods: Verifiers) -> tuple[ImitationRow, ...]:
    """A row for every imitation and verifier, first seed."""
    rows, test = [], methods.store.fold("original").test
    sides = test.writers(methods.same)
    for entry in methods.plan.obfuscators:
        if not entry.imitates:
            continue
        if entry.first is None:
            rows.append(ImitationRow(entry.name, error=entry.error))
            continue
        done = entry.first[1]
        imitated = np.isin(test.ids, [name for name in done.rewritings if name not in done.failed])
        for name, before in methods.before.items():
            after = answers_of(methods.store, name, done.fold)
            if isinstance(before, str) or isinstance(after, str) or not imitated.any():
                wrong = [one for one in (before, after) if isinstance(one, str)]
                rows.append(ImitationRow(entry.name, name, error=[*wrong, "no text was imitated"][0]))
            else:
                row = imitation_row(entry.name, name, methods.same, imitated, sides, before, after)
                why = Counter(reason.rpartition(": ")[2] for reason in done.failed.values()).most_common(1)
                rows.append(replace(row, failed=len(done.failed), why=why[0][0] if why else ""))
    return tuple(rows)


def _obfuscator(methods: JudgedMethods, entry: ObfuscatorRecord, detection: Detection | None) -> ObfuscatorRow:
    seeds = entry.sets
    verifiers = [methods.row(v.name, seeds) for v in methods.plan.verifiers]
    counted = [row for row in verifiers if row.excluded is None]
    right = methods.rights(counted, seeds)
    nothing = ImpactIntervals(None, None, None, ())
    intervals = nothing if right is None else impact_intervals(*right, clusters=methods.clusters)
    each = dict(zip((row.verifier for row in counted), intervals.each, strict=False))
    competent = [row for row in counted if row.first is not None and row.first.effect.accuracy >= WEAK]
    by_seed = {seed: average_impact(row.effects[seed].effect for row in counted) for seed in seeds}
    measured = measures_of(methods.store.path / "measures", entry.name)
    texts = [row for one in measured.values() for row in one.rows.values()]
    ids = methods.store.fold("original").test.ids[methods.same].tolist()
    share, impact_there, impact_interval = _surviving([one.rows for one in measured.values()], ids, right)
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
        surviving=impact_there,
        surviving_interval=impact_interval,
        verifiers=tuple(replace(row, interval=each.get(row.verifier)) for row in verifiers),
        soundness=_quality([text.soundness for text in texts], len(measured)),
        sensibleness=_quality([text.sensibleness for text in texts], len(measured)),
        mean_rank=None,
        efficiency=_quality([text.efficiency for text in texts], len(measured)),
        seconds=sum(rewritten.seconds for rewritten in seeds.values()) / len(seeds) if seeds else None,
        changed=max((rewritten.changed for rewritten in seeds.values()), default=0),
        notes={} if entry.first is None else entry.first[1].notes,
        missing=next(iter(measured.values())).missing if measured else {},
        detection=detection,
        recovery=methods.recoveries(entry, counted),
    )


def _surviving(
    rows: Sequence[Mapping[str, MeasuredText]], ids: Sequence[str], right: tuple[Bools, Bools] | None
) -> tuple[float | None, float | None, Interval | None]:
    """Share of texts whose meaning survived, the average impact on these alone, and its interval (first seed)."""
    if not any(rows):
        return None, None, None
    masks = np.array([[i in measured and measured[i].survives for i in ids] for measured in rows])
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


def _quality(rows: Sequence[Mapping[str, float | None]], seeds: int) -> dict[str, Number]:
    """Means over texts (and seeds) with intervals over texts; None where a measure was made for no text."""
    qualities = {}
    for name in rows[0] if rows else ():
        values = np.array([row[name] for row in rows if row[name] is not None], dtype=np.float64)
        if not len(values):
            qualities[name] = Number(None)
            continue
        rng = stream(0, "quality-interval", name, len(values))
        means = values[rng.integers(0, len(values), (1000, len(values)))].mean(axis=1)
        low, high = np.quantile(means, expanded(0.95, max(2, len(values) // seeds)))
        qualities[name] = Number(float(values.mean()), (float(low), float(high)))
    return qualities


def _shame(rows: Sequence[ObfuscatorRow], attributed: bool) -> list[Shame]:
    """Who gained; guessing among many candidates is right less often than ``WEAK``, which excuses nothing there."""
    shame = []
    for row in rows:
        for verifier in row.counted:
            for seed, one in verifier.effects.items():
                reasons = dismissals(one.effect)
                if reasons is not None:
                    reasons = tuple(number for number in reasons if not (attributed and number == 2))
                    shame.append(Shame(row.name, verifier.verifier, seed, one.effect, reasons))
    return sorted(shame, key=lambda s: s.effect.impact)
