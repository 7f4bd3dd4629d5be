"""The content axis as plain values, and what both axes have in common."""

from __future__ import annotations

from typing import Any

from ravenbench.reports.shared.content import ContentProbe
from ravenbench.reports.shared.content_words import value_of
from ravenbench.statistics.axes import Content, Domain, Judged, State
from ravenbench.statistics.estimates import Estimate

OUTCOMES = {
    Content.RELIES: "relies",
    Content.LOSES: "loses",
    Content.NOTICES: "notices",
    Content.SWAYED: "both ways",
    Content.GUESSES: "guesses",
    Content.LESS: "less",
    Content.UNDECIDED: "undecided",
    Content.NO_VERDICT: "none",
    Domain.DEPENDS: "depends",
    Domain.LESS: "less",
    Domain.UNDECIDED: "undecided",
    Domain.CANNOT_ASK: "not applicable",
    Domain.NO_VERDICT: "none",
}


def content_json(probe: ContentProbe | None) -> list[dict[str, Any]]:
    """One entry a verifier; ``interval`` is that of the swing, ``p`` the share of problems scored higher *on* topic."""
    return [
        {
            "verifier": row.verifier,
            "auc": value_of(row.figures.auc),
            "style_left": value_of(row.figures.style_left),
            "style_left_interval": figure_interval(row.figures.style_left),
            "swing": value_of(row.figures.swing),
            "interval": figure_interval(row.figures.swing),
            "drop": value_of(row.figures.drop),
            "drop_interval": figure_interval(row.figures.drop),
            "p": value_of(row.figures.share),
            "both_ways": value_of(row.figures.sway),
            "both_ways_interval": figure_interval(row.figures.sway),
            "left_open": value_of(row.figures.silence),
            "left_open_interval": figure_interval(row.figures.silence),
            "batch_matters": row.figures.batched,
            "null_swing": value_of(row.figures.null_swing),
            "problems": row.figures.same + row.figures.different,
            "findings": [OUTCOMES[c.effect] for c in row.judged.checks if c.state is State.EFFECT],
            "open": row.judged.open,
            **judged_json(row.judged),
        }
        for row in (() if probe is None else probe.rows)
    ]


def references_json(probe: ContentProbe | None) -> dict[str, Any] | None:
    """What the probe lets through: reference scorers by how many words may stay, and topics named; None without one."""
    if probe is None or not probe.section.references:
        return None
    section = probe.section
    return {
        "kept_by": section.kept_by,
        "topics": section.topics,
        "topics_named_from_all_words": section.named,
        "by_words": [
            {
                "may_stay": r.function_words,
                "stay": r.kept,
                "problems": r.problems,
                "topics_named": r.named,
                **{
                    scorer: {
                        name: {"value": value, "interval": None if low is None or high is None else [low, high]}
                        for name, (value, low, high) in getattr(r, scorer).items()
                    }
                    for scorer in ("content", "lengths")
                },
            }
            for r in section.references
        ],
    }


def judged_json(judged: Judged) -> dict[str, Any]:
    return {
        "outcome": OUTCOMES[judged.outcome],
        "margin": judged.margin,
        "shows": judged.shows,
        "needed": judged.needed,
        "reason": judged.reason,
    }


def figure_interval(figure: Estimate | None) -> list[float] | None:
    return None if figure is None or figure.interval is None else list(figure.interval)
