"""The page of an evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ravenbench import __version__
from ravenbench.metrics.base import title_of
from ravenbench.reports.evaluate import tables as evaluation_tables
from ravenbench.reports.evaluate.figures import PANELS
from ravenbench.reports.evaluate.records import Findings
from ravenbench.reports.page import inline, render
from ravenbench.reports.view import to_html

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def evaluation_page(evaluation: Findings, figures: dict[str, Figure]) -> str:
    """One self-contained page."""
    several = len(evaluation.systems) > 1
    sections = {
        "summary": "Findings",
        "scores": "Scores",
        "significance": "Significance" if several else "",
        "roc": "ROC" if evaluation.hull is not None else "",
        "calibration": "Calibration",
        "parts": "Break-downs" if evaluation.breakdowns else "",
        "method": "Method",
    }
    leading = dict.fromkeys(("auc", evaluation.ranked_by))
    groups: dict[int, list[str]] = {}
    for s in evaluation.ranked:
        groups.setdefault(s.tie_group or 0, []).append(s.name)
    return render(
        "evaluate.html.j2",
        sections=[item for item in sections.items() if item[1]],
        e=evaluation,
        several=several,
        groups=list(groups.values()),
        metric=title_of(evaluation.metrics[evaluation.ranked_by]),
        best=evaluation.ranked[0],
        inverted=[s.name for s in evaluation.ranked if (found := s.interval["auc"]) is not None and found[1] < 0.5],
        version=__version__,
        hashes=evaluation.hashes(),
        operating=evaluation_tables.operating(evaluation),
        cut=max(0, len(evaluation.systems) + len(evaluation.meta) - PANELS),
        figures={name: inline(figure, name) for name, figure in figures.items()},
        tables={
            "scores": to_html(evaluation_tables.scores(evaluation)),
            "intervals": to_html(evaluation_tables.intervals(evaluation)),
            "matrices": [to_html(evaluation_tables.significance(evaluation, m)) for m in evaluation.tests]
            if several
            else [],
            "differences": to_html(evaluation_tables.differences(evaluation)),
            "calibration": to_html(evaluation_tables.calibration(evaluation)),
            "hull": to_html(evaluation_tables.hull(evaluation)),
            "parts": [
                {
                    "by": b.by,
                    "short": [to_html(evaluation_tables.parts(evaluation, b, m)) for m in leading],
                    "long": to_html(evaluation_tables.breakdown(evaluation, b)),
                }
                for b in evaluation.breakdowns
            ],
        },
    )
