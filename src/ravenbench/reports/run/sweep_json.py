"""The machine-readable form of a sweep (``sweep`` in a run's JSON)."""

from __future__ import annotations

from typing import Any

from ravenbench.reports.run.sweep import Estimate, Sweep


def sweep_json(sweep: Sweep | None) -> dict[str, Any] | None:
    """Every point with its figures and their intervals; None where a run has one design."""
    if sweep is None:
        return None
    return {
        "m": list(sweep.m),
        "encoders": list(sweep.encoders),
        "samplers": dict(sweep.samplers),
        "points": [
            {
                "setup": p.setup,
                "m": p.m,
                "encoder": p.encoder,
                "mean_similarity": _estimate(p.mean_similarity),
                "max_similarity": _estimate(p.max_similarity),
                "stability": {metric: _estimate(found) for metric, found in p.stability.items()},
                "merged": p.merged,
                "test_pairs": p.test_pairs,
                "shared": p.shared,
            }
            for p in sweep.points
        ],
    }


def _estimate(found: Estimate) -> dict[str, Any]:
    interval = None if found.interval is None else list(found.interval)
    return {"mean": found.mean, "interval": interval, "pools": list(found.pools)}
