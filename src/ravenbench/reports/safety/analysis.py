"""A safety run's store → its numbers. Nothing is fitted, rewritten or measured here."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.bench.safety.detection import read_detection
from ravenbench.bench.safety.measures import Row, read_measures
from ravenbench.bench.safety.recovery import ATTACKS, UNSAFE, recovery, unsafe
from ravenbench.bench.shared.store import Store
from ravenbench.errors import InputError
from ravenbench.metrics.safety import (
    WEAK,
    VerificationEffect,
    average_impact,
    dismissals,
    impact,
    verification_effect,
)
from ravenbench.obfuscation.measures.sensibleness import mean_ranks
from ravenbench.randomness import stream
from ravenbench.reports.safety.records import (
    ObfuscatorRow,
    Quality,
    RecoveryRow,
    SafetyAnalysis,
    Shame,
    VerifierRow,
)
from ravenbench.statistics.bootstrap import expanded
from ravenbench.statistics.impact import ImpactIntervals, impact_intervals
from ravenbench.statistics.mcnemar import sign_test
from ravenbench.types import Bools, Floats


def analyse_safety(store: Store) -> SafetyAnalysis:
    """All figures of a safety run.

    Raises
    ------
    InputError
        If the folder holds another kind of run.
    """
    plan = store.plan
    if plan.get("kind") != "safety":
        raise InputError("not a safety run", file=store.path, expected="a folder written by raven safety")
    same = store.truth("original")
    before = {v["name"]: _answers(store, v["name"], "original") for v in plan["verifiers"]}
    excluded = {name: _why_not(same, answers) for name, answers in before.items()}
    accuracy = {}
    for name, answers in before.items():
        if isinstance(answers, str):
            continue
        found = verification_effect(same, answers, answers)
        finite = math.isfinite(found.threshold)
        accuracy[name] = (found.effect.accuracy, found.effect.recall, found.threshold if finite else None)
    rows = [_obfuscator(store, entry, same, before, excluded) for entry in plan["obfuscators"]]
    made = {r.name: {k: q.mean for k, q in r.sensibleness.items()} for r in rows if r.sensibleness}
    ranks = mean_ranks(made)
    ranked = [replace(row, mean_rank=ranks.get(row.name)) for row in rows]
    seeds = tuple(sorted({int(seed) for entry in plan["obfuscators"] for seed in entry["seeds"]}))
    return SafetyAnalysis(
        corpus=plan["corpus"]["name"],
        problems=len(same),
        attacked=int(same.sum()),
        seeds=seeds,
        verifiers=excluded,
        accuracy=accuracy,
        obfuscators=tuple(ranked),
        shame=tuple(_shame(ranked)),
        run={k: v for k, v in store.run.items() if k != "data"},
    )


def _answers(store: Store, verifier: str, fold: str) -> Floats | str:
    """Answers, or why there are none."""
    cell = store.cell(verifier, fold)
    if cell is None:
        return "its answers are missing: repeat the command"
    if cell.answers is None:
        return f"it failed: {str(cell.error).splitlines()[0]}"
    return cell.answers


def _why_not(same: Bools, answers: Floats | str) -> str | None:
    return answers if isinstance(answers, str) else verification_effect(same, answers, answers).excluded


def _obfuscator(
    store: Store,
    entry: Mapping[str, Any],
    same: Bools,
    before: Mapping[str, Floats | str],
    excluded: Mapping[str, str | None],
) -> ObfuscatorRow:
    seeds = {int(seed): info for seed, info in entry["seeds"].items()}
    verifiers = [_verifier(store, name, seeds, same, answers, excluded[name]) for name, answers in before.items()]
    counted = [row for row in verifiers if row.excluded is None]
    measured = _measured(store, entry["name"], seeds)
    rows = {seed: found[0] for seed, found in measured.items()}
    right = _right(store, counted, seeds, same)
    intervals = impact_intervals(*right) if right is not None else ImpactIntervals(None, None, None, ())
    each = dict(zip((row.verifier for row in counted), intervals.each, strict=False))
    competent = [row for row in counted if row.first is not None and row.first.effect.accuracy >= WEAK]
    by_seed = {seed: average_impact(row.effects[seed].effect for row in counted) for seed in seeds}
    shares, surviving, surviving_interval = _surviving(store, rows, right, same)
    quality = {
        part: _quality([row[part] for found in rows.values() for row in found.values()], len(rows))
        for part in ("soundness", "sensibleness", "efficiency")
    }
    detection = read_detection(store.path / "detection.json") or {}
    return ObfuscatorRow(
        name=entry["name"],
        error=entry["error"],
        average_impact=_mean(list(by_seed.values())),
        interval=intervals.average,
        over_problems=intervals.problems,
        over_verifiers=intervals.verifiers,
        by_seed=by_seed,
        competent=_mean([row.mean("impact") for row in competent]),
        survivors=shares,
        surviving=surviving,
        surviving_interval=surviving_interval,
        verifiers=tuple(VerifierRow(r.verifier, r.effects, r.excluded, each.get(r.verifier), r.p) for r in verifiers),
        soundness=quality["soundness"],
        sensibleness=quality["sensibleness"],
        mean_rank=None,
        efficiency=quality["efficiency"],
        seconds=sum(i["seconds"] for i in seeds.values()) / len(seeds) if seeds else None,
        changed=max((i["changed"] for i in seeds.values()), default=0),
        notes=_first(seeds, "notes"),
        missing=next(iter(measured.values()))[1] if measured else {},
        detection=detection.get(entry["name"]),
        recovery=tuple(_recovery(store, attack, seeds, same, counted, before) for attack in _attacks(store)),
    )


def _verifier(
    store: Store, name: str, seeds: Mapping[int, Any], same: Bools, answers: Floats | str, excluded: str | None
) -> VerifierRow:
    effects: dict[int, VerificationEffect] = {}
    for seed, info in seeds.items():
        after = _answers(store, name, info["fold"])
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
    store: Store, counted: Sequence[VerifierRow], seeds: Mapping[int, Any], same: Bools
) -> tuple[Bools, Bools] | None:
    """Whether each counted verifier was right on each attacked problem: before (V, P), after (S, V, P)."""
    if not counted or not seeds:
        return None

    def right(row: VerifierRow, fold: str) -> Bools:
        answers = _answers(store, row.verifier, fold)
        assert row.first is not None and not isinstance(answers, str)
        return np.asarray(answers[same] >= row.first.threshold)

    before = np.array([right(row, "original") for row in counted])
    return before, np.array([[right(row, info["fold"]) for row in counted] for info in seeds.values()])


def _surviving(
    store: Store, rows: Mapping[int, Mapping[str, Row]], right: tuple[Bools, Bools] | None, same: Bools
) -> tuple[float | None, float | None, tuple[float, float] | None]:
    """Share of texts whose meaning survived, the average impact on these alone, and its interval (first seed)."""
    if not rows or not any(rows.values()):
        return None, None, None
    ids = store.fold("original").test.ids[same].tolist()
    masks = np.array([[bool(found.get(i, {}).get("survives")) for i in ids] for found in rows.values()])
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


def _measured(store: Store, name: str, seeds: Mapping[int, Any]) -> dict[int, tuple[dict[str, Row], dict[str, str]]]:
    folder: Path = store.path / "measures"
    try:
        index = json.loads((folder / "index.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    found = {seed: read_measures(folder, index.get(f"{name} {seed}", "")) for seed in seeds}
    return {seed: one for seed, one in found.items() if one is not None}


def _quality(rows: Sequence[Mapping[str, float | None]], seeds: int) -> dict[str, Quality]:
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


def _attacks(store: Store) -> list[str]:
    used = {info.get("attack") for info in store.plan["folds"].values()}
    asked = store.run["spec"]["attacks"]
    return [attack for attack in ATTACKS if attack in used or attack in asked]


def _recovery(
    store: Store,
    attack: str,
    seeds: Mapping[int, Any],
    same: Bools,
    counted: Sequence[VerifierRow],
    before: Mapping[str, Floats | str],
) -> RecoveryRow:
    """The first seed's obfuscation under an attack."""
    info = next(iter(seeds.values()), None)
    if attack == "preimage" and info is not None and "preimages" in info:
        share = info["preimages"]["share"]
        return RecoveryRow(
            attack, None, None, None if share is None else share > UNSAFE, {}, restored=share, precision=None
        )  # fmt: skip
    fold = "" if info is None else f"{attack[0]}-{info['fold']}"
    if info is None or fold not in store.plan["folds"]:
        reason = "nothing was rewritten" if info is None else info.get(attack) or "it was not played"
        return RecoveryRow(attack, None, None, None, {}, reason)
    found = {}
    for row in counted:
        original = before[row.verifier]
        hidden, attacked = (_answers(store, row.verifier, name) for name in (info["fold"], fold))
        if not isinstance(original, str) and not isinstance(hidden, str) and not isinstance(attacked, str):
            found[row.verifier] = recovery(same, original, hidden, attacked)
    traced = info.get("inversion", {}) if attack == "invert" else {}
    return RecoveryRow(
        attack,
        _mean([r.recovery for r in found.values() if r.recovery is not None]),
        _mean([r.false_accepts for r in found.values()]),
        unsafe(list(found.values())),
        {name: r.recovery for name, r in found.items()},
        restored=traced.get("recall"),
        precision=traced.get("precision"),
    )


def _shame(rows: Sequence[ObfuscatorRow]) -> list[Shame]:
    found = []
    for row in rows:
        for verifier in row.counted:
            for seed, effect in verifier.effects.items():
                reasons = dismissals(effect.effect)
                if reasons is not None:
                    found.append(Shame(row.name, verifier.verifier, seed, effect.effect, reasons))
    return sorted(found, key=lambda s: s.effect.impact)


def _first(seeds: Mapping[int, Any], key: str) -> dict[str, int]:
    info = next(iter(seeds.values()), None)
    return {} if info is None else dict(info[key])


def _mean(values: Sequence[float | None]) -> float | None:
    made = [v for v in values if v is not None]
    return float(np.mean(made)) if made and len(made) == len(values) else None
