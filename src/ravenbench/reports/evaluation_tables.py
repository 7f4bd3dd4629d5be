"""Tables of an evaluation: scores, intervals, significance, hull."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ravenbench.reports.tables import Column, Measure, Range, Table, Value
from ravenbench.statistics.stars import stars

if TYPE_CHECKING:
    from ravenbench.reports.evaluation import Evaluation, SystemScores

SHOWN = {
    "auc": "AUC",
    "c@1": "c@1",
    "f05u": "F0.5u",
    "f1": "F1",
    "brier": "Brier",
    "overall": "overall",
    "final": "final",
}


WITH_INTERVAL = ("auc", "c@1", "f05u", "overall")
"""Metrics whose intervals fit a terminal; the rest are in CSV and JSON."""


def scores_table(evaluation: Evaluation) -> Table:
    """Systems by rank in the tested metric, meta-classifiers after them; the best of each column is marked."""
    best = {m: max((s.scores[m] or 0.0 for s in evaluation.systems), default=None) for m in SHOWN}

    def row(system: SystemScores, ranked: bool) -> tuple[Value, ...]:
        cells = [Measure(v := system.scores[m], best=ranked and v is not None and v == best[m]) for m in SHOWN]
        left_open = int(system.scores["unanswered"] or 0)
        return (system.name, system.tie_group if ranked else "–", *cells, left_open, system.missing)

    ordered = sorted(evaluation.systems, key=lambda s: (s.tie_group or 0, -(s.scores[evaluation.ranked_by] or 0.0)))
    rows = [row(s, True) for s in ordered] + [row(s, False) for s in evaluation.meta]
    note = (
        f"{evaluation.problems} problems, {evaluation.same} by the same author. Systems with one number in “tie” "
        f"cannot all be separated by {evaluation.ranked_by} (randomization test, Holm, α = {evaluation.alpha}). "
        "“open” counts unanswered problems, “miss.” those without any answer, which count as unanswered."
    )
    columns = (Column("system", text=True), Column("tie"), *(Column(t) for t in SHOWN.values()))
    return Table("scores", "Scores", (*columns, Column("open"), Column("miss.")), tuple(rows), note)


def intervals_table(evaluation: Evaluation) -> Table:
    """Intervals of the leading metrics."""
    rows = []
    for system in (*evaluation.systems, *evaluation.meta):
        ranges = [None if (r := system.interval[m]) is None else Range(*r) for m in WITH_INTERVAL]
        rows.append((system.name, *ranges))
    note = f"Bootstrap over {evaluation.unit}, {evaluation.replicates} replicates shared by all systems."
    return Table(
        "intervals",
        f"Intervals ({evaluation.level:.0%})",
        (Column("system", text=True), *(Column(SHOWN[m]) for m in WITH_INTERVAL)),
        tuple(rows),
        note,
    )


def significance_table(evaluation: Evaluation, metric: str) -> Table:
    """The star matrix of the PAN-2014 overview, from Holm-corrected p-values."""
    names = [s.name for s in evaluation.systems]
    found = {(p.a, p.b): stars(p.p_holm) for p in evaluation.pairs if p.metric == metric}
    rows = tuple(
        (str(i), a, *(found.get((a, b), found.get((b, a), "")) for b in names)) for i, a in enumerate(names, 1)
    )
    note = "*** p < .001, ** p < .01, * p < .05, = not separated; approximate randomization, Holm-corrected."
    columns = (Column(""), Column("system", text=True), *(Column(str(i)) for i in range(1, len(names) + 1)))
    return Table(
        f"significance-{metric.replace('@', '')}", f"Significance of differences in {metric}", columns, rows, note
    )


def hull_table(evaluation: Evaluation) -> Table:
    """Who owns which part of the ROC hull."""
    stretches = [] if evaluation.hull is None else evaluation.hull.stretches
    area = "" if evaluation.hull is None else f"Area under the hull: {evaluation.hull.auc:.3f}."
    columns = (Column("system", text=True), Column("from FPR"), Column("to FPR"))
    return Table("hull", "ROC convex hull", columns, tuple(tuple(s) for s in stretches), area)
