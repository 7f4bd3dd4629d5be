"""The content axis as plain values, and what both axes have in common."""

from __future__ import annotations

from typing import Any

from ravenbench.reports.shared.content import ContentProbe
from ravenbench.reports.shared.content_words import value_of
from ravenbench.statistics.axes import Content, Domain, Judged
from ravenbench.statistics.clustered import Figure

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
            "p": value_of(row.figures.share),
            "null_swing": value_of(row.figures.null_swing),
            "problems": row.figures.same + row.figures.different,
            **judged_json(row.judged),
        }
        for row in (() if probe is None else probe.rows)
    ]


def judged_json(judged: Judged) -> dict[str, Any]:
    return {
        "outcome": OUTCOMES[judged.outcome],
        "margin": judged.margin,
        "shows": judged.shows,
        "needed": judged.needed,
        "reason": judged.reason,
    }


def figure_interval(figure: Figure | None) -> list[float] | None:
    return None if figure is None or figure.interval is None else list(figure.interval)
