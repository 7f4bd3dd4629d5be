"""A safety run as one JSON object (contracts); every key is always there, null where undefined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import msgspec

from ravenbench.metrics.safety import REASONS
from ravenbench.reports.safety.attribution import attribution_json
from ravenbench.reports.safety.records import ObfuscatorRow, Quality, SafetyAnalysis, VerifierRow

_DELTAS = {
    "impact": "impact", "delta_acc": "delta_acc", "delta_rec": "delta_rec", "delta_tnr": "delta_rest",
    "delta_auc": "delta_auc", "delta_c@1": "delta_c1", "delta_final": "delta_final",
}  # fmt: skip


def to_json(analysis: SafetyAnalysis) -> dict[str, Any]:
    """The object ``raven safety --json`` prints and ``report/report.json`` holds."""
    return {
        "corpus": analysis.corpus,
        "problems": analysis.problems,
        "attacked": analysis.attacked,
        "seeds": list(analysis.seeds),
        "obfuscators": [_obfuscator(analysis, row) for row in analysis.obfuscators],
        "hall_of_shame": [
            {
                "obfuscator": s.obfuscator,
                "verifier": s.verifier,
                "seed": s.seed,
                "impact": s.effect.impact,
                "delta_acc": s.effect.delta_acc,
                "delta_rec": s.effect.delta_rec,
                "delta_tnr": s.effect.delta_rest,
                "accuracy": s.effect.accuracy,
                "reasons": list(s.reasons),
            }
            for s in analysis.shame
        ],
        "attribution": attribution_json(analysis),
        "people": None if analysis.people is None else asdict(analysis.people),
        "reasons": {str(number): text for number, text in REASONS.items()},
        "run": {key: value for key, value in msgspec.to_builtins(analysis.run).items() if key != "data"},
    }


def _obfuscator(analysis: SafetyAnalysis, row: ObfuscatorRow) -> dict[str, Any]:
    return {
        "obfuscator": row.name,
        "error": row.error,
        "average_impact": row.average_impact,
        "interval": _pair(row.interval),
        "interval_problems": _pair(row.over_problems),
        "interval_verifiers": _pair(row.over_verifiers),
        "average_impact_by_seed": {str(seed): value for seed, value in row.by_seed.items()},
        "average_impact_competent": row.competent,
        "survivors": row.survivors,
        "average_impact_survivors": row.surviving,
        "interval_survivors": _pair(row.surviving_interval),
        "verifiers": [_verifier(analysis, v) for v in row.verifiers],
        "soundness": _means(row.soundness),
        "sensibleness": _means(row.sensibleness) | {"mean_rank": row.mean_rank},
        "not_measured": dict(row.missing),
        "changes_per_1000": row.efficiency["changes_per_1000"].mean if row.efficiency else None,
        "edited_share": row.efficiency["edited_share"].mean if row.efficiency else None,
        "seconds": row.seconds,
        "changed": row.changed,
        "notes": dict(row.notes),
        "detection": None if row.detection is None else msgspec.to_builtins(row.detection),
        "recovery": [asdict(r) for r in row.recovery],
    }


def _verifier(analysis: SafetyAnalysis, row: VerifierRow) -> dict[str, Any]:
    accuracy, recall, threshold = analysis.accuracy.get(row.verifier, (None, None, None))
    first = row.first
    flips = (
        {k: getattr(first.effect, k) for k in ("lost", "gained", "rest_lost", "rest_gained")}
        if first
        else dict.fromkeys(("lost", "gained", "rest_lost", "rest_gained"))
    )
    return {
        "verifier": row.verifier,
        "threshold": threshold,
        "accuracy": accuracy,
        "recall": recall,
        **{name: row.mean(field) for name, field in _DELTAS.items()},
        **flips,
        "interval": _pair(row.interval),
        "p": row.p,
        "excluded": row.excluded,
    }


def _means(found: Mapping[str, Quality]) -> dict[str, Any]:
    return {name: {"mean": q.mean, "interval": _pair(q.interval)} for name, q in found.items()}


def _pair(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)
