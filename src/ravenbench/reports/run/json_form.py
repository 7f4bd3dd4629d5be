"""The machine-readable form of a run's analysis (``run`` in the JSON contract)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ravenbench.reports.run.records import METRICS, ORDER, TESTED, Analysis
from ravenbench.reports.run.sweep_json import sweep_json
from ravenbench.statistics.gains import GainTest


def to_json(analysis: Analysis) -> dict[str, Any]:
    """Every key always present; None where undefined.

    ``setups`` and ``stability`` always name hits, random and anti (None where a run has no such setup) and
    further setups where there are any. ``difference`` is HITS − Random.
    """
    names = [*ORDER, *(s.name for s in analysis.setups if s.name not in ORDER)]
    found = {s.name: s for s in analysis.setups}
    return {
        "run": analysis.path,
        "report": f"{analysis.path}/report/index.html",
        "pairs": analysis.plan.pairs,
        "metric": TESTED[0],
        "pools": analysis.pools,
        "composition": {key: analysis.composition.get(key) for key in ("same", "different")},
        "detectable": analysis.detectable,
        "setups": {
            name: None
            if name not in found
            else {
                "topics": [list(pool) for pool in found[name].topics],
                "mean_similarity": found[name].mean_similarity,
                "max_similarity": found[name].max_similarity,
            }
            for name in names
        },
        "results": [
            {
                "verifier": r.verifier,
                "setup": r.setup,
                **{m: r.mean[m] for m in METRICS},
                "unanswered": r.unanswered,
                "std": {m: r.std[m] for m in METRICS},
            }
            for r in analysis.results
        ],
        "no_choice": analysis.no_choice,
        "shortcut": [
            {
                "verifier": s.verifier,
                "metric": s.metric,
                "hits": s.hits,
                "random": s.random,
                "difference": s.difference,
                "diff": s.diff,
                "interval": None if s.interval is None else list(s.interval),
                "distinguishable": s.distinguishable,
            }
            for s in analysis.shortcut
        ],
        "sweep": sweep_json(analysis.sweep),
        "probe": _probe(analysis),
        "stability": {
            name: None if name not in found else {m: analysis.stability[name][m] for m in METRICS} for name in names
        },
        "failed": [{"cell": f.cell, "error": f.error} for f in analysis.failures],
    }


def _probe(analysis: Analysis) -> list[dict[str, Any]]:
    """One entry a verifier, in AUC; ``overall`` holds the same figures of the overall score.

    ``gain`` has ``interval``, ``null`` is the mean gain under permuted similarities; the verdict rests on
    ``difference`` = gain − null and ``p_holm``.
    """
    probe = analysis.probe
    if probe is None or not probe.section.repetitions:
        return []
    return [
        {
            "verifier": verifier,
            **_gain(probe.row(verifier, "auc").test),
            "p_holm": judged.p_holm,
            "verdict": str(judged.verdict),
            "reason": judged.reason,
            "overall": _gain(probe.row(verifier, "overall").test),
        }
        for verifier, judged in probe.verdicts.items()
    ]


def _gain(test: GainTest) -> Mapping[str, Any]:
    return {
        "gain": test.gain,
        "interval": _pair(test.interval),
        "null": test.null,
        "null_interval": _pair(test.null_interval),
        "difference": test.difference,
        "difference_interval": _pair(test.difference_interval),
        "p": test.p,
        "detectable": test.detectable,
        "repetitions": test.repetitions,
    }


def _pair(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else list(interval)
