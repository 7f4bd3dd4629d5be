"""What a simulation shows, and its JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ravenbench.bench.simulate.spec import SimulateSpec
from ravenbench.statistics.verdict import shown_under

Interval = tuple[float, float]


@dataclass(frozen=True)
class Dose:
    """Means over trials at one dose, with intervals of trial means (95 %, normal), and shares convicted.

    ``auc`` is of Random's folds; ``diff`` = HITS − Random; ``gain`` and ``null`` are the probe's.
    ``coverage`` is the share of trials whose HITS − Random interval holds the mean over trials.
    """

    dose: float
    auc: float | None
    diff: float
    diff_interval: Interval
    gain: float
    gain_interval: Interval
    null: float
    by_diff: float
    by_gain: float
    coverage: float


@dataclass(frozen=True)
class Power:
    """Share of trials convicted at a dose by a design."""

    test: str
    dose: float
    pools: int | None
    folds: int | None
    repetitions: int | None
    pairs: int | None
    power: float
    interval: Interval | None
    detectable: float | None


@dataclass(frozen=True)
class Simulation:
    """Everything a simulation shows; ``failures`` are replicates without scores, with the reason."""

    design: SimulateSpec
    replicates: int
    pairs_a_set: dict[str, float]
    doses: tuple[Dose, ...]
    power: tuple[Power, ...]
    failures: tuple[tuple[str, str], ...] = ()

    @property
    def false_alarm(self) -> Dose | None:
        """The dose of no reliance, if simulated."""
        return next((d for d in self.doses if d.dose == 0), None)


def to_json(simulation: Simulation) -> dict[str, Any]:
    """``simulate`` in the JSON contract; ``false_alarm_rate`` is the probe's verdict's, None without a dose of 0."""
    found = simulation.false_alarm
    return {
        "corpus": simulation.design.corpus,
        "pairs": simulation.design.pairs,
        "verdicts_given": shown_under(simulation.design.pairs),
        "replicates": simulation.replicates,
        "failures": [{"replicate": name, "error": error} for name, error in simulation.failures],
        "doses": [
            {
                "dose": d.dose,
                "auc": d.auc,
                "diff": d.diff,
                "diff_interval": list(d.diff_interval),
                "gain": d.gain,
                "interval": list(d.gain_interval),
                "null": d.null,
                "convicted_by_diff": d.by_diff,
                "convicted_by_gain": d.by_gain,
                "coverage": d.coverage,
            }
            for d in simulation.doses
        ],
        "false_alarm_rate": None if found is None else found.by_gain,
        "false_alarm_rate_diff": None if found is None else found.by_diff,
        "power": [
            {
                "test": p.test,
                "dose": p.dose,
                "pools": p.pools,
                "folds": p.folds,
                "repetitions": p.repetitions,
                "pairs": p.pairs,
                "power": p.power,
                "interval": None if p.interval is None else list(p.interval),
                "detectable": p.detectable,
            }
            for p in simulation.power
        ],
    }
