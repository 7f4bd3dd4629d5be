"""Tables of an evaluation: scores, intervals, significance, differences, calibration, hull, break-downs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ravenbench.metrics.base import title_of
from ravenbench.reports.evaluate.pairwise import LEAST_STARS
from ravenbench.reports.view import Column, Measure, Table, Value, figure, range_of
from ravenbench.statistics.significance import stars

if TYPE_CHECKING:
    from ravenbench.reports.evaluate.records import BreakDown, Findings, PartScores, SystemScores

SHOWN = ("auc", "c@1", "f05u", "f1", "brier", "overall", "final")
FURTHER = ("precision", "recall", "overall5")
_NAME = Column("system", text=True)


def scores(evaluation: Findings) -> Table:
    """Systems by rank in the tested metric, meta-classifiers after them; the best of each column is marked."""
    metrics = (*SHOWN, *evaluation.added)
    best: dict[str, float | None] = {}
    for m in metrics:
        known = [v for s in evaluation.systems if (v := s.scores[m]) is not None]
        best[m] = (max if evaluation.metrics[m].higher else min)(known, default=None)

    def row(system: SystemScores, ranked: bool) -> tuple[Value, ...]:
        cells = [Measure(v := system.scores[m], best=ranked and v is not None and v == best[m]) for m in metrics]
        left_open = int(system.scores["unanswered"] or 0)
        return (system.name, system.tie_group if ranked else "–", *cells, left_open, system.missing)

    rows = [row(s, True) for s in evaluation.ranked] + [row(s, False) for s in evaluation.meta]
    note = (
        f"{evaluation.problems:,} problems, {evaluation.same:,} by the same author. "
        + ("F0.5u and overall in their form of 2020. " if evaluation.f05u_2020 else "")
        + f"Systems with one number in “tie” cannot all be told apart by {evaluation.ranked_by} (randomization test, "
        f"Holm, α = {evaluation.alpha}). “open”: unanswered problems; “miss”: those of them without any answer."
    )
    columns = (_NAME, Column("tie"), *(Column(title_of(evaluation.metrics[m])) for m in metrics))
    return Table("scores", "Scores", (*columns, Column("open"), Column("miss")), tuple(rows), note)


def intervals(evaluation: Findings) -> Table:
    """Intervals of every metric."""
    metrics = (*SHOWN, *FURTHER, *evaluation.added)
    rows = [(s.name, *(range_of(s.interval[m]) for m in metrics)) for s in (*evaluation.ranked, *evaluation.meta)]
    drawn = f"{evaluation.replicates:,} replicates shared by all systems"
    return Table(
        "intervals",
        f"Intervals ({evaluation.level:.0%})",
        (_NAME, *(Column(title_of(evaluation.metrics[m])) for m in metrics)),
        tuple(rows),
        f"Bootstrap over {evaluation.unit}, {drawn}.",
    )


def significance(evaluation: Findings, metric: str) -> Table:
    """The star matrix of the PAN-2014 overview, from Holm-corrected p-values."""
    from ravenbench.statistics.randomization import COUNTED

    names = [s.name for s in evaluation.ranked]
    found = {(p.a, p.b): stars(p.p_holm) for p in evaluation.pairs if p.metric == metric}
    rows: list[tuple[Value, ...]] = []
    for i, a in enumerate(names, 1):
        rows.append((i, a, *("" if a == b else found.get((a, b)) or found[b, a] for b in names)))
    test = "exact sign test" if metric == "accuracy" else "approximate randomization"
    note = f"*** p < .001, ** p < .01, * p < .05, = not told apart; {test}, Holm-corrected."
    trials = max(evaluation.trials, evaluation.most_trials if metric in COUNTED else 0)
    least = len(found) / (trials + 1)
    if metric != "accuracy" and least >= 0.001:
        needed = f"give --trials {LEAST_STARS * len(found)}"
        note += f" With {trials:,} trials and {len(found)} pairs no corrected p is below {least:.2g}: {needed} for ***."
    columns = (Column("no."), _NAME, *(Column(str(i)) for i in range(1, len(names) + 1)))
    return Table(
        f"significance-{_slug(metric)}", f"Significance of differences in {metric}", columns, tuple(rows), note
    )


def differences(evaluation: Findings) -> Table:
    """Every tested difference with its interval, raw and corrected p."""
    rows = tuple(
        (p.a, p.b, p.metric, p.difference, range_of(p.interval), p.p, p.p_holm, stars(p.p_holm))
        for p in evaluation.pairs
    )
    columns = (
        Column("system a", text=True),
        Column("system b", text=True),
        Column("metric", text=True),
        Column("a − b", signed=True),
        Column("interval", signed=True),
        Column("p", probability=True),
        Column("p Holm", probability=True),
        Column("stars", text=True),
    )
    return Table("differences", "Differences between systems", columns, rows)


def calibration(evaluation: Findings) -> Table:
    """Whether values mean what they say."""
    rows = tuple(
        (s.name, s.ece, *s.cllr, s.scores["precision"], s.scores["recall"])
        for s in (*evaluation.ranked, *evaluation.meta)
    )
    note = (
        "ECE: mean distance of value and share of same-author problems over ten bins, 0 is best. C_llr (bits): 0 is "
        "perfect, 1 is knowing nothing; it is the sum of discrimination, what the ranking leaves undecided, and "
        "calibration, what recalibration could save. n/a: an answer of exactly 0 or 1 was wrong, which costs without "
        "limit."
    )
    titles = ("ECE", "C_llr", "discrimination", "calibration", "precision", "recall")
    return Table("calibration", "Calibration, precision and recall", (_NAME, *(Column(t) for t in titles)), rows, note)


def hull(evaluation: Findings) -> Table:
    """Who owns which part of the ROC hull."""
    stretches = [] if evaluation.hull is None else evaluation.hull.stretches
    area = (
        ""
        if evaluation.hull is None
        else f"Area under the hull: {figure(evaluation.hull.auc)}. {operating(evaluation)}"
    )
    columns = (_NAME, Column("from FPR"), Column("to FPR"))
    return Table("hull", "ROC convex hull", columns, tuple(tuple(s) for s in stretches), area.strip())


def operating(evaluation: Findings) -> str:
    """The point of least expected cost as a sentence, "" where there is none."""
    point = evaluation.operating
    if point is None:
        return ""
    rates = f"(false-positive rate {figure(point.fpr)}, true-positive rate {figure(point.tpr)})"
    if point.system is None:
        return f"Least expected cost: answer “{'same author' if point.fpr else 'different authors'}” always."
    return f"Least expected cost: {point.system}, “same author” from {point.threshold:.4g} on {rates}."


def breakdown(evaluation: Findings, found: BreakDown) -> Table:
    """Long form: a row for every system and part, then all problems (micro) and the mean over parts (macro)."""
    columns = [_NAME, Column("part", text=True), Column("problems")]
    ranged = ("auc", "c@1", "overall", "final", *evaluation.added)
    for metric in (*SHOWN, *evaluation.added):
        name = title_of(evaluation.metrics[metric])
        columns += [Column(name), *([Column(f"{name} interval")] if metric in ranged else [])]

    def row(name: str, part: str, problems: int, s: PartScores | SystemScores) -> tuple[Value, ...]:
        cells: list[Value] = []
        for metric in (*SHOWN, *evaluation.added):
            cells.append(s.scores[metric])
            if metric in ranged:
                cells.append(range_of(s.interval[metric]))
        return (name, part, problems, *cells)

    rows = []
    for s in (*evaluation.ranked, *evaluation.meta):
        for (part, problems, _), own in zip(found.parts, found.systems[s.name], strict=True):
            rows.append(row(s.name, part, problems, own))
        rows.append(row(s.name, "all (micro)", evaluation.problems, s))
        rows.append(row(s.name, "macro mean", evaluation.problems - found.left_out, found.macro[s.name]))
    note = "“all” pools every problem as PAN does; the macro mean gives each part the same weight."
    if found.left_out:
        note += f" {found.left_out:,} problems belong to no part and stand in “all” alone."
    key = f"by-{evaluation.breakdowns.index(found) + 1}-{_slug(found.by)}"
    return Table(key, f"By {found.by}", tuple(columns), tuple(rows), note)


def parts(evaluation: Findings, found: BreakDown, metric: str) -> Table:
    """Short form: one metric, a row a system, a numbered column a part."""
    rows = []
    for s in (*evaluation.ranked, *evaluation.meta):
        values = [own.scores[metric] for own in found.systems[s.name]]
        rows.append((s.name, *values, s.scores[metric], found.macro[s.name].scores[metric]))
    numbers = [Column(str(i)) for i in range(1, len(found.parts) + 1)]
    legend = "; ".join(f"{i} = {name.removeprefix(f'{i}: ')} ({n:,})" for i, (name, n, _) in enumerate(found.parts, 1))
    columns = (_NAME, *numbers, Column("all"), Column("macro"))
    key = f"parts-{evaluation.breakdowns.index(found) + 1}-{_slug(metric)}"
    return Table(key, f"{title_of(evaluation.metrics[metric])} by {found.by}", columns, tuple(rows), legend)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower()) or "metric"
