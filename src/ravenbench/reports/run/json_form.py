"""The machine-readable form of a run's analysis (``run`` in the JSON contract)."""

from __future__ import annotations

from typing import Any

from ravenbench.reports.run.records import METRICS, ORDER, TESTED, Analysis
from ravenbench.reports.run.sweep_json import sweep_json
from ravenbench.statistics.axes import Content, Domain, Judged
from ravenbench.statistics.clustered import Figure


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
        "content": _content(analysis),
        "domain": _domain(analysis),
        "strata": _strata(analysis),
        "stability": {
            name: None if name not in found else {m: analysis.stability[name][m] for m in METRICS} for name in names
        },
        "failed": [{"cell": f.cell, "error": f.error} for f in analysis.failures],
    }


OUTCOMES = {
    Content.RELIES: "relies",
    Content.LESS: "less",
    Content.UNDECIDED: "undecided",
    Content.NO_VERDICT: "none",
    Domain.DEPENDS: "depends",
    Domain.LESS: "less",
    Domain.UNDECIDED: "undecided",
    Domain.CANNOT_ASK: "cannot be asked",
    Domain.NO_VERDICT: "none",
}


def _content(analysis: Analysis) -> list[dict[str, Any]]:
    """One entry a verifier; ``interval`` is that of the swing, ``p`` the share of problems scored higher *on* topic."""
    return [
        {
            "verifier": row.verifier,
            "auc": _value(row.figures.auc),
            "style_left": _value(row.figures.style_left),
            "style_left_interval": _pair(row.figures.style_left),
            "swing": _value(row.figures.swing),
            "interval": _pair(row.figures.swing),
            "p": _value(row.figures.share),
            "null_swing": _value(row.figures.null_swing),
            "problems": row.figures.same + row.figures.different,
            **_judged(row.judged),
        }
        for row in (() if analysis.content is None else analysis.content.rows)
    ]


def _domain(analysis: Analysis) -> list[dict[str, Any]]:
    """One entry a verifier, in AUC; ``null`` is the mean gain under permuted similarities."""
    probe = analysis.probe
    return [
        {
            "verifier": row.verifier,
            "gain": _value(row.gain),
            "interval": _pair(row.gain),
            "null": _value(row.null),
            "repetitions": row.repetitions,
            **_judged(row.judged),
        }
        for row in (() if probe is None or not probe.section.repetitions else probe.rows)
    ]


def _judged(judged: Judged) -> dict[str, Any]:
    return {
        "outcome": OUTCOMES[judged.outcome],
        "margin": judged.margin,
        "shows": judged.shows,
        "needed": judged.needed,
        "reason": judged.reason,
    }


def _strata(analysis: Analysis) -> list[dict[str, Any]]:
    return [
        {
            "verifier": s.verifier,
            "same_author": s.same_author,
            "different_author": s.different_author,
            "n": s.same,
            "n_different": s.different,
            "auc": _value(s.auc),
            "interval": _pair(s.auc),
            "cllr": s.cllr,
        }
        for s in analysis.strata
    ]


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else figure.value


def _pair(figure: Figure | None) -> list[float] | None:
    return None if figure is None or figure.interval is None else list(figure.interval)
