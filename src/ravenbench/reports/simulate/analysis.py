"""From a simulation's trials to its figures: dose–response, false alarms, power of smaller designs.

A trial convicts by HITS − Random where the 95 % interval over pools lies below zero, and by the probe where
``statistics.verdict`` says topic-reliant (each dose is judged as the only verifier of its run).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.bench.shared.spec import checked
from ravenbench.bench.simulate.spec import SimulateSpec
from ravenbench.bench.simulate.trials import area
from ravenbench.bench.simulate.unit import trial_of
from ravenbench.errors import InputError
from ravenbench.reports.simulate.records import Dose, Interval, Power, Simulation
from ravenbench.statistics.gains import gain_of, gain_test
from ravenbench.statistics.pools import correlation, pool_mean
from ravenbench.statistics.verdict import Verdict, judge

if TYPE_CHECKING:
    from ravenbench.bench.shared.store import Store
    from ravenbench.bench.simulate.trials import Trial

PAIRS = (60, 120, None)
"""Test pairs kept of a test set; None = all."""


@dataclass(frozen=True)
class _Outcome:
    value: float
    null: float | None
    convicted: bool
    interval: Interval | None
    detectable: float | None


def analyse(store: Store) -> Simulation:
    """Every figure of a simulation's report, over the replicates that have scores.

    Raises
    ------
    InputError
        If the folder belongs to another task, or no replicate has scores.
    """
    store.expect("simulate")
    design = checked(store.run.spec, SimulateSpec)
    failures: list[tuple[str, str]] = []
    found = summarise(design, _trials(store, design, failures))
    return replace(found, failures=tuple(failures))


def _trials(store: Store, design: SimulateSpec, failures: list[tuple[str, str]]) -> Iterator[Trial]:
    """The trials that have scores, one at a time; what the others lack is added to ``failures``."""
    count = 0
    for place in store.plan.cells:
        cell = store.read_cell(place.key)
        if cell is None or cell.error is not None:
            error = "not simulated yet" if cell is None else str(cell.error).splitlines()[0]
            failures.append((place.fold, error))
        else:
            count += 1
            yield trial_of(design, cell.arrays)
    if not count:
        raise InputError(
            "no replicate of this simulation has scores", file=store.path, found=failures[0][1],
            fix="repeat raven simulate",
        )  # fmt: skip


def summarise(design: SimulateSpec, trials: Iterable[Trial]) -> Simulation:
    """Figures of trials, each reduced as it arrives so that scores need not be kept."""
    levels = _levels(design)
    shortcut: dict[tuple[Any, ...], list[_Outcome]] = {}
    probe: dict[tuple[Any, ...], list[_Outcome]] = {}
    random: dict[float, list[float]] = {dose: [] for dose in design.doses}
    sizes: dict[str, list[float]] = {"fold": [], "probe": []}
    count = 0
    for trial in trials:
        count += 1
        sizes["fold"] += [len(same) for setup in trial.setups for same, _ in setup["hits"]]
        sizes["probe"] += [len(four["aa"][0]) for four in trial.gains[False]]
        for dose in design.doses:
            random[dose] += [a for s in trial.setups for f in s["random"] if (a := area(f, dose)) is not None]
            for pairs in PAIRS:
                table = _folds(trial, dose, pairs)
                for pools, folds in levels["shortcut"]:
                    found = _shortcut(table[:pools, :, :folds], trial.pool_topics[:pools])
                    shortcut.setdefault((dose, pools, folds, pairs), []).append(found)
                gains = {null: _gains(trial, null, dose, pairs) for null in (False, True)}
                for repetitions in levels["probe"]:
                    found = _probe(trial, gains, repetitions, pairs)
                    probe.setdefault((dose, repetitions, pairs), []).append(found)
    full = (design.pools, design.folds, None), (design.repetitions, None)
    doses = tuple(_dose(d, random[d], shortcut[d, *full[0]], probe[d, *full[1]]) for d in design.doses)
    power = [_power("hits-random", dose, o, pools=p, folds=f, pairs=n) for (dose, p, f, n), o in shortcut.items()]
    power += [_power("probe", dose, o, repetitions=r, pairs=n) for (dose, r, n), o in probe.items()]
    means = {name: float(np.mean(values)) for name, values in sizes.items()}
    return Simulation(design, count, means, doses, tuple(power))


def _levels(design: SimulateSpec) -> dict[str, Any]:
    """Designs read off the trials: pools × folds, and repetitions."""
    pools = sorted({p for p in (4, 10, 20, 40) if p < design.pools} | {design.pools})
    folds = sorted({max(1, design.folds // 2), design.folds})
    repetitions = sorted({r for r in (5, 10, 20, 40) if r < design.repetitions} | {design.repetitions})
    return {"shortcut": [(p, f) for p in pools for f in folds], "probe": repetitions}


def _folds(trial: Trial, dose: float, pairs: int | None) -> np.ndarray[Any, Any]:
    """AUC by pool, setup (HITS, Random) and fold."""
    return np.array(
        [[[area(f, dose, pairs) for f in setup[name]] for name in ("hits", "random")] for setup in trial.setups],
        dtype=np.float64,
    )


def _shortcut(table: np.ndarray[Any, Any], pools: Sequence[Sequence[int]]) -> _Outcome:
    from ravenbench.statistics.detectable import detectable

    differences = table[:, 0].mean(axis=1) - table[:, 1].mean(axis=1)
    found = pool_mean(differences, pools)
    least = detectable(float(differences.std(ddof=1)), len(differences), correlation=correlation(pools))
    return _Outcome(found.mean, None, found.interval is not None and found.interval[1] < 0, found.interval, least)


def _gains(trial: Trial, null: bool, dose: float, pairs: int | None) -> list[float]:
    found = [gain_of({k: area(s, dose, pairs) for k, s in four.items()}) for four in trial.gains[null]]
    return [gain for gain in found if gain is not None]


def _probe(trial: Trial, gains: dict[bool, list[float]], repetitions: int, pairs: int | None) -> _Outcome:
    test = gain_test(gains[False][:repetitions], gains[True][:repetitions], correlation=correlation(trial.probe_topics))
    truths = [four[k][0][:pairs] for four in trial.gains[False] for k in ("aa", "bb")]
    judged = judge([test], float(np.mean([min(same.sum(), (~same).sum()) for same in truths])))[0]
    assert test.gain is not None
    return _Outcome(test.gain, test.null, judged.verdict is Verdict.RELIANT, test.interval, test.detectable)


def _dose(dose: float, random: Sequence[float], by_diff: Sequence[_Outcome], by_gain: Sequence[_Outcome]) -> Dose:
    diff, diff_interval = _over_trials([o.value for o in by_diff])
    gain, gain_interval = _over_trials([o.value for o in by_gain])
    return Dose(
        dose,
        float(np.mean(random)) if random else None,
        diff,
        diff_interval,
        gain,
        gain_interval,
        float(np.mean([o.null for o in by_gain])),
        _share(o.convicted for o in by_diff),
        _share(o.convicted for o in by_gain),
        _share(o.interval is not None and o.interval[0] <= diff <= o.interval[1] for o in by_diff),
    )


def _power(test: str, dose: float, outcomes: Sequence[_Outcome], **sizes: int | None) -> Power:
    from scipy.stats import binomtest

    hits = sum(o.convicted for o in outcomes)
    interval = binomtest(hits, len(outcomes)).proportion_ci(method="wilson")
    least = [o.detectable for o in outcomes if o.detectable is not None]
    return Power(
        test,
        dose,
        sizes.get("pools"),
        sizes.get("folds"),
        sizes.get("repetitions"),
        sizes.get("pairs"),
        hits / len(outcomes),
        (float(interval.low), float(interval.high)),
        float(np.median(least)) if least else None,
    )


def _over_trials(values: Sequence[float]) -> tuple[float, Interval]:
    mean = float(np.mean(values))
    half = 1.96 * float(np.std(values, ddof=1)) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return mean, (mean - half, mean + half)


def _share(hits: Iterable[bool]) -> float:
    return float(np.mean(list(hits)))
