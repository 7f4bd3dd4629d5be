"""Computes the figures of a safety run from its store; it fits, rewrites and measures nothing.

In: the ``Store`` of ``raven safety``.
Out: a ``SafetyAnalysis`` with one ``ObfuscatorRow`` an obfuscator and in it a ``VerifierRow`` a verifier: impact is
the loss relative to what could be lost, from −1 to 1, positive where the obfuscator wins; recall, accuracy and AUC
from 0 to 1; p from 0 to 1; None where undefined. Helpers: ``cell_of`` and ``answers_of`` give a cell, answers (n,), or
a reason (text); ``Verifiers`` and ``Attributors`` judge cells.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ravenbench.obfuscation.measures.sensibleness import mean_ranks
from ravenbench.randomness import stream
from ravenbench.reports.answers import Answer
from ravenbench.reports.view import Number
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
from ravenbench.statistics.estimates import expanded, mean_of_all
from ravenbench.statistics.ranks import holm, sign_test
from ravenbench.statistics.standing import Standing
from ravenbench.store.store import Cell, Store
from ravenbench.tasks.safety.attacked import true_codes
from ravenbench.tasks.safety.attacks import ATTACKS, UNSAFE, recovery, unsafe
from ravenbench.tasks.safety.measures import measures_of, read_detection
from ravenbench.tasks.safety.readers import People, people
from ravenbench.tasks.safety.record import (
    Detection,
    MeasuredText,
    ObfuscatorRecord,
    RewrittenSet,
    SafetyPlan,
)
from ravenbench.types import Bools, Floats, Interval, Ints, Measures

FEW = 20
"""Fewest attacked problems to rank obfuscators; with fewer, an obfuscator may seem to help by chance."""


@dataclass(frozen=True)
class VerifierRow:
    """One verifier against one obfuscator: impacts from −1 to 1, p from 0 to 1.

    ``effects`` are by seed; ``excluded`` says why averages leave it out (None if they include it).
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
        return mean_of_all(
            [
                getattr(effect.effect if hasattr(effect.effect, field) else effect, field)
                for effect in self.effects.values()
            ]
        )


@dataclass(frozen=True)
class RecoveryRow:
    """The proportion of lost recall that an attack recovered, averaged over verifiers that lost enough; ``why_not``
    says why Raven did not play this attack.

    ``restored`` is the proportion of altered tokens (*invert*) or changed sentences (*preimage*) brought back,
    ``precision`` the proportion of correct changes by the attacker.
    """

    attack: str
    recovery: float | None
    false_accepts: float | None
    unsafe: bool | None
    verifiers: Measures
    why_not: str | None = None
    restored: float | None = None
    precision: float | None = None


@dataclass(frozen=True)
class ObfuscatorRow:
    """One obfuscator against all verifiers that count: impacts from −1 to 1, ``seconds``, ``changed`` (count of texts).

    ``average_impact`` is the plain mean over these verifiers and over seeds; ``interval`` draws problems and verifiers,
    ``over_problems`` and ``over_verifiers`` only one of the two. ``surviving`` is the average impact on texts whose
    meaning survived, ``survivors`` their proportion; ``competent`` is the average impact on verifiers with at least 60
    % accuracy.
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
    standing: Standing | None
    """Rank of the median rewritten text among the texts of different-author problems, by mean answers."""

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
    """A verifier that an obfuscation helped, and the numbers of possible reasons (none: "?")."""

    obfuscator: str
    verifier: str
    seed: int
    effect: Effect
    reasons: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class SafetyAnalysis(Answer[SafetyPlan]):
    """A whole safety run: ``problems`` and ``attacked`` are counts of problems, ``accuracy`` has accuracy and recall
    (0 to 1) before the attack and the threshold, by verifier."""

    Plan = SafetyPlan
    files = ("measures/*.json", "detection.json", "grades.json")

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
    """If attribution methods were attacked: one row for each method and obfuscator. None if verifiers were attacked."""
    people: People | None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, store: Store) -> SafetyAnalysis:
        return _analysis(store)

    @property
    def attacks(self) -> str:
        """Whether obfuscators were tried on verifiers or on attribution methods."""
        return "verifiers" if self.attribution is None else "methods"


def listed(analysis: SafetyAnalysis) -> list[ObfuscatorRow]:
    """Return obfuscators by average impact, or in the requested order if there are too few problems to rank them."""
    if analysis.attacked < FEW:
        return list(analysis.obfuscators)
    return sorted(analysis.obfuscators, key=lambda obfuscator: -(obfuscator.average_impact or 0))


def cell_of(store: Store, method: str, fold: str) -> Cell | str:
    """Return a method's answers to a fold, or the reason why there are none."""
    cell = store.cell(method, fold)
    if cell is None:
        return "the answers are missing: repeat the command"
    return cell if cell.error is None else f"the method failed: {cell.error.splitlines()[0]}"


def answers_of(store: Store, verifier: str, fold: str) -> Floats | str:
    """Return a verifier's answers (n,), 0 to 1, to a fold, or the reason why there are none."""
    cell = cell_of(store, verifier, fold)
    if isinstance(cell, str):
        return cell
    assert cell.answers is not None
    return cell.answers


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
        """The truth (n,) bool, True = same author; same-author problems are attacked."""
        return self.store.truth("original")

    @cached_property
    def prior(self) -> dict[str, VerificationEffect | str]:
        """Each method before any attack."""
        return {
            verifier.name: self.effect(verifier.name, "original")
            for verifier in self.plan.verifiers
        }

    @property
    def clusters(self) -> Ints | None:
        """Groups that intervals draw, by attacked text; None if they draw texts."""
        return None

    @abstractmethod
    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        """Return the effect of a fold of rewritten texts on a method, or why it is unknown."""

    @abstractmethod
    def right(self, name: str, fold: str) -> Bools:
        """Return whether a method was right on each attacked problem, (P,) bool."""

    def row(self, name: str, seeds: Mapping[int, RewrittenSet]) -> VerifierRow:
        """Return a row for a method and an obfuscator, without interval."""
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
        first_effect = next(iter(effects.values()), None)
        p_value = (
            None
            if first_effect is None
            else sign_test(first_effect.effect.lost, first_effect.effect.gained)
        )
        return VerifierRow(name, effects, excluded, None, p_value)

    def rights(
        self, rows: Sequence[VerifierRow], seeds: Mapping[int, RewrittenSet]
    ) -> tuple[Bools, Bools] | None:
        """Return whether each method was right on each attacked problem: before (V, P), after (S, V, P)."""
        if not rows or not seeds:
            return None
        before = np.array([self.right(row.verifier, "original") for row in rows])
        return before, np.array(
            [
                [self.right(row.verifier, rewritten.fold) for row in rows]
                for rewritten in seeds.values()
            ]
        )

    def recoveries(
        self, entry: ObfuscatorRecord, counted: Sequence[VerifierRow]
    ) -> tuple[RecoveryRow, ...]:
        """Return what attacks on the first seed's obfuscation brought back."""
        return ()

    def standing(self, counted: Sequence[VerifierRow], entry: ObfuscatorRecord) -> Standing | None:
        """Return how recognisable the median text of the first seed is; None if methods name an author."""
        return None


@dataclass(frozen=True, eq=False)
class Verifiers(JudgedMethods):
    """Verifiers, whose thresholds are those of most accuracy before the attack."""

    @cached_property
    def before(self) -> dict[str, Floats | str]:
        """Answers (n,), 0 to 1, to the untouched problems (or why there are none), by verifier."""
        return {
            verifier.name: answers_of(self.store, verifier.name, "original")
            for verifier in self.plan.verifiers
        }

    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        before = self.before[name]
        after = answers_of(self.store, name, fold)
        if isinstance(before, str) or isinstance(after, str):
            return before if isinstance(before, str) else str(after)
        return verification_effect(self.same, before, after)

    def right(self, name: str, fold: str) -> Bools:
        effect = self.effect(name, fold)
        answers = answers_of(self.store, name, fold)
        assert not isinstance(effect, str) and not isinstance(answers, str)
        assert effect.threshold is not None
        return np.asarray(answers[self.same] >= effect.threshold)

    def standing(self, counted: Sequence[VerifierRow], entry: ObfuscatorRecord) -> Standing | None:
        if entry.first is None:
            return None
        fold = entry.first[1].fold
        given = [answers_of(self.store, row.verifier, fold) for row in counted if row.first]
        known = [answers for answers in given if not isinstance(answers, str)]
        if not known:
            return None
        answers = np.mean(known, axis=0)
        return Standing.of_median(answers[self.same], answers[~self.same])

    def recoveries(
        self, entry: ObfuscatorRecord, counted: Sequence[VerifierRow]
    ) -> tuple[RecoveryRow, ...]:
        """Return a row for every attack that the run was asked to play."""
        attacks = {fold.attack for fold in self.plan.folds.values()}
        played = [attack for attack in ATTACKS if attack in attacks or attack in self.plan.attacks]
        return tuple(self._recovery(attack, entry, counted) for attack in played)

    def _recovery(
        self, attack: str, obfuscator: ObfuscatorRecord, counted: Sequence[VerifierRow]
    ) -> RecoveryRow:
        if obfuscator.first is None:
            return RecoveryRow(attack, None, None, None, {}, "no text was rewritten")
        rewritten = obfuscator.first[1]
        if attack == "preimage" and rewritten.preimage is not None:
            share = rewritten.preimage.share
            return RecoveryRow(
                attack, None, None, None if share is None else share > UNSAFE, {}, restored=share
            )
        fold = f"{attack[0]}-{rewritten.fold}"
        if fold not in self.plan.folds:
            return RecoveryRow(
                attack,
                None,
                None,
                None,
                {},
                rewritten.not_played.get(attack) or "Raven did not play this attack",
            )
        recovered = {}
        for row in counted:
            answers = [
                answers_of(self.store, row.verifier, name)
                for name in ("original", rewritten.fold, fold)
            ]
            known = [answer for answer in answers if not isinstance(answer, str)]
            if len(known) == len(answers):
                recovered[row.verifier] = recovery(self.same, *known)
        traced = rewritten.inversion if attack == "invert" else None
        return RecoveryRow(
            attack,
            mean_of_all(
                [
                    recovery_of_seed.recovery
                    for recovery_of_seed in recovered.values()
                    if recovery_of_seed.recovery is not None
                ]
            ),
            mean_of_all(
                [recovery_of_seed.false_accepts for recovery_of_seed in recovered.values()]
            ),
            unsafe(list(recovered.values())),
            {name: recovery_of_seed.recovery for name, recovery_of_seed in recovered.items()},
            restored=None if traced is None else traced.recall,
            precision=None if traced is None else traced.precision,
        )


@dataclass(frozen=True, eq=False)
class Attributors(JudgedMethods):
    """Attribution methods: right where they name the author, or nobody for a text by no candidate."""

    @cached_property
    def texts(self) -> Texts:
        """The questioned texts and their authors."""
        truth = true_codes(self.store)
        ids = self.store.fold("original").test.ids.tolist()
        names = np.array([name.partition("/")[0] if "/" in name else "" for name in ids])
        return Texts(truth, np.unique(names, return_inverse=True)[1].astype(np.int64), truth >= 0)

    @property
    def clusters(self) -> Ints:
        """The authors of the attacked texts."""
        return np.unique(self.texts.truth[self.texts.attacked], return_inverse=True)[1].astype(
            np.int64
        )

    def named(self, name: str, fold: str) -> tuple[Ints, Floats] | str:
        """Return the numbers of the named authors and the ranks of the true authors, or why there are none."""
        cell = cell_of(self.store, name, fold)
        return cell if isinstance(cell, str) else (cell.arrays["predicted"], cell.arrays["rank"])

    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        before = self.named(name, "original")
        after = self.named(name, fold)
        if isinstance(before, str) or isinstance(after, str):
            return before if isinstance(before, str) else str(after)
        change = effect(self.texts.truth, before[0], after[0], self.texts.attacked)
        return VerificationEffect(None, change, None, None, None)

    def right(self, name: str, fold: str) -> Bools:
        named = self.named(name, fold)
        assert not isinstance(named, str)
        return np.asarray((named[0] == self.texts.truth)[self.texts.attacked])

    def rows(self) -> tuple[AttributionRow, ...]:
        """Return a row for every obfuscator and method with answers; p-values are corrected over all rows."""
        rows = []
        for obfuscator in self.plan.obfuscators:
            for record in self.plan.verifiers:
                before = self.named(record.name, "original")
                after = [
                    self.named(record.name, rewritten.fold)
                    for rewritten in obfuscator.sets.values()
                ]
                answered = [
                    attribution for attribution in after if not isinstance(attribution, str)
                ]
                if isinstance(before, str) or not after or len(answered) < len(after):
                    continue
                change = attribution_change(self.texts, before, answered)
                rows.append(AttributionRow(obfuscator.name, record.name, change, change.p))
        corrected = holm([row.p_holm for row in rows])
        return tuple(
            replace(row, p_holm=float(corrected_p))
            for row, corrected_p in zip(rows, corrected, strict=True)
        )


def _analysis(store: Store) -> SafetyAnalysis:
    store.expect("safety")
    methods = Attributors(store) if store.run.spec.get("methods") else Verifiers(store)
    plan = methods.plan
    known = {name: effect for name, effect in methods.prior.items() if not isinstance(effect, str)}
    detected = read_detection(store.path / "detection.json")
    detections = {} if detected is None else detected.obfuscators
    rows = [
        _obfuscator(methods, obfuscator, detections.get(obfuscator.name))
        for obfuscator in plan.obfuscators
    ]
    ranks = mean_ranks(
        {
            row.name: {k: quality.value for k, quality in row.sensibleness.items()}
            for row in rows
            if row.sensibleness
        }
    )
    ranked = tuple(replace(row, mean_rank=ranks.get(row.name)) for row in rows)
    return SafetyAnalysis(
        corpus=plan.corpus.name,
        notes=tuple(plan.corpus.notes),
        problems=len(methods.same),
        attacked=int(methods.same.sum()),
        seeds=tuple(sorted({seed for obfuscator in plan.obfuscators for seed in obfuscator.sets})),
        verifiers={
            name: effects_or_error
            if isinstance(effects_or_error, str)
            else effects_or_error.excluded
            for name, effects_or_error in methods.prior.items()
        },
        accuracy={
            name: (folded.effect.accuracy, folded.effect.recall, folded.threshold)
            for name, folded in known.items()
        },
        obfuscators=ranked,
        shame=tuple(_shame(ranked, isinstance(methods, Attributors))),
        attribution=methods.rows() if isinstance(methods, Attributors) else None,
        people=people(store),
    )


def _obfuscator(
    methods: JudgedMethods, obfuscator: ObfuscatorRecord, detection: Detection | None
) -> ObfuscatorRow:
    seeds = obfuscator.sets
    verifiers = [methods.row(verifier.name, seeds) for verifier in methods.plan.verifiers]
    counted = [row for row in verifiers if row.excluded is None]
    right = methods.rights(counted, seeds)
    nothing = ImpactIntervals(None, None, None, ())
    intervals = nothing if right is None else impact_intervals(*right, clusters=methods.clusters)
    interval_of = dict(zip((row.verifier for row in counted), intervals.each, strict=False))
    competent = [
        row for row in counted if row.first is not None and row.first.effect.accuracy >= WEAK
    ]
    by_seed = {seed: average_impact(row.effects[seed].effect for row in counted) for seed in seeds}
    measured = measures_of(methods.store.path / "measures", obfuscator.name)
    texts = [row for verifier in measured.values() for row in verifier.rows.values()]
    ids = methods.store.fold("original").test.ids[methods.same].tolist()
    share, impact_there, impact_interval = _surviving(
        [verifier.rows for verifier in measured.values()], ids, right
    )
    return ObfuscatorRow(
        name=obfuscator.name,
        error=obfuscator.error,
        average_impact=mean_of_all(list(by_seed.values())),
        interval=intervals.average,
        over_problems=intervals.problems,
        over_verifiers=intervals.verifiers,
        by_seed=by_seed,
        competent=mean_of_all([row.mean("impact") for row in competent]),
        survivors=share,
        surviving=impact_there,
        surviving_interval=impact_interval,
        verifiers=tuple(replace(row, interval=interval_of.get(row.verifier)) for row in verifiers),
        soundness=_quality([text.soundness for text in texts], len(measured)),
        sensibleness=_quality([text.sensibleness for text in texts], len(measured)),
        mean_rank=None,
        efficiency=_quality([text.efficiency for text in texts], len(measured)),
        seconds=(
            sum(rewritten.seconds for rewritten in seeds.values()) / len(seeds) if seeds else None
        ),
        changed=max((rewritten.changed for rewritten in seeds.values()), default=0),
        notes={} if obfuscator.first is None else obfuscator.first[1].notes,
        missing=next(iter(measured.values())).missing if measured else {},
        detection=detection,
        recovery=methods.recoveries(obfuscator, counted),
        standing=methods.standing(counted, obfuscator),
    )


def _surviving(
    rows: Sequence[Mapping[str, MeasuredText]],
    ids: Sequence[str],
    right: tuple[Bools, Bools] | None,
) -> tuple[float | None, float | None, Interval | None]:
    """Share of texts whose meaning survived, the average impact on these alone, and its interval (first seed)."""
    if not any(rows):
        return None, None, None
    masks = np.array([[i in measured and measured[i].survives for i in ids] for measured in rows])
    share = float(masks.mean())
    if right is None or len(masks) != len(right[1]) or not masks.any(axis=1).all():
        return share, None, None
    before, after = right
    surviving = [
        float(impact(before[:, mask].mean(axis=1), impact_after[:, mask].mean(axis=1)).mean())
        for mask, impact_after in zip(masks, after, strict=True)
    ]
    first_interval = impact_intervals(before[:, masks[0]], after[:1][:, :, masks[0]])
    return share, float(np.mean(surviving)), first_interval.average


def _quality(rows: Sequence[Measures], seeds: int) -> dict[str, Number]:
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
            for seed, measured in verifier.effects.items():
                reasons = dismissals(measured.effect)
                if reasons is not None:
                    reasons = tuple(
                        number for number in reasons if not (attributed and number == 2)
                    )
                    shame.append(Shame(row.name, verifier.verifier, seed, measured.effect, reasons))
    return sorted(shame, key=lambda entry: entry.effect.impact)
