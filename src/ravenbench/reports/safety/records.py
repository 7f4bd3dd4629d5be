"""What a safety run shows, computed from its store: plain records, no presentation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ravenbench.bench.safety.record import Detection
from ravenbench.metrics.safety import Effect, VerificationEffect
from ravenbench.reports.safety.grades import People
from ravenbench.statistics.attacks import AttributionChange
from ravenbench.statistics.estimates import Interval
from ravenbench.store.records import Head


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
