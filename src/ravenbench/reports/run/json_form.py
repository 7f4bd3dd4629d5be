"""The machine-readable form of a run's analysis (``run`` in the JSON contract)."""

from __future__ import annotations

from typing import Any

from ravenbench.reports.content import content_json, figure_interval, judged_json, references_json, value_of
from ravenbench.reports.run.lengths import lengths_json
from ravenbench.reports.run.records import METRICS, ORDER, TESTED, Analysis
from ravenbench.reports.run.sweep_json import sweep_json


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
        "lengths": lengths_json(analysis.lengths),
        "content": content_json(analysis.content),
        "content_references": references_json(analysis.content),
        "domain": _domain(analysis),
        "strata": _strata(analysis),
        "stability": {
            name: None if name not in found else {m: analysis.stability[name][m] for m in METRICS} for name in names
        },
        "failed": [{"cell": f.cell, "error": f.error} for f in analysis.failures],
    }


def _domain(analysis: Analysis) -> list[dict[str, Any]]:
    """One entry a verifier, in AUC; ``null`` is the mean gain under permuted similarities."""
    probe = analysis.probe
    return [
        {
            "verifier": row.verifier,
            "gain": value_of(row.gain),
            "interval": figure_interval(row.gain),
            "null": value_of(row.null),
            "repetitions": row.repetitions,
            **judged_json(row.judged),
        }
        for row in (() if probe is None or not probe.section.repetitions else probe.rows)
    ]


def _strata(analysis: Analysis) -> list[dict[str, Any]]:
    return [
        {
            "verifier": s.verifier,
            "same_author": s.same_author,
            "different_author": s.different_author,
            "n": s.same,
            "n_different": s.different,
            "auc": value_of(s.auc),
            "interval": figure_interval(s.auc),
            "cllr": s.cllr,
        }
        for s in analysis.strata
    ]
