"""Makes an evaluation's folder, page, figures (standings, ROC curves and their hull, reliability) and terminal tables.

In: an ``Evaluation``, a folder, a title.
Out: ``write_evaluation`` gives the page's path after writing ``index.html``, ``report.json``, tables, figures and
answers there (metrics and rates from 0 to 1); ``evaluation_page`` a page as text, ``closing`` Rich objects, ``draw``
matplotlib figures by name, ``papers`` what to cite. InputError if the place is taken or cannot be written.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench import __version__
from ravenbench.files import location
from ravenbench.metrics.calibration import reliability
from ravenbench.metrics.roc import Curve, curve
from ravenbench.papers import Paper, cited_by
from ravenbench.reading.answers import write_answers
from ravenbench.reports.page import COLORS, FAINT, FORMS, INK, canvas, inline, render, style
from ravenbench.reports.report import write_parts, write_whole
from ravenbench.reports.results import View
from ravenbench.reports.view import (
    Measure,
    Table,
    Value,
    for_terminal,
    highest,
    number,
    printable,
    to_html,
)
from ravenbench.tasks.evaluate.api import keep
from ravenbench.tasks.evaluate.evaluation import (
    Evaluation,
    breakdown_key,
    hull_table,
    intervals_table,
    operating,
    parts_table,
    scores_table,
    significance_table,
    skipped_table,
)
from ravenbench.types import Answers, Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (7, 2, 1.5, 2)))
APART = ("#0072b2", "#c04f00", "#00795a", "#a4527f", "#8a6400", "#3d6f8f")
"""Colours after Okabe and Ito, which readers who see no red or no green can distinguish; darkened for white numbers."""
VERTICES = 300
"""Most vertices drawn of a curve; the hull is always drawn whole."""
PANELS = 24
"""Most reliability diagrams in a figure."""
MOST_COLUMNS = 13
"""Systems or parts that fit side by side in 80 columns."""


class EvaluationView(View):
    """The view of an ``Evaluation``: a finding, tables, figures, and the page that ``write`` makes."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.written: Path | None = None

    def finding(self) -> str:
        """Say which system has the best score, and which systems do not differ significantly from it."""
        evaluation = self.evaluation
        scores = (
            (system.name, system.scores[evaluation.ranked_by]) for system in evaluation.ranked
        )
        text = highest(
            evaluation.title(evaluation.ranked_by),
            scores,
            evaluation.metrics[evaluation.ranked_by].higher,
        )
        tied = [
            system.name
            for system in evaluation.ranked
            if system.tie_group == evaluation.ranked[0].tie_group
        ]
        note = (
            f" The first {len(tied)} of {len(evaluation.ranked)} systems do not all differ"
            " significantly."
        )
        gaps = ", ".join(
            f"{system.name} {system.missing:,}" for system in evaluation.ranked if system.missing
        )
        silent = f" Problems without any answer, counted as unanswered: {gaps}."
        return text + note * (len(tied) > 1) + silent * bool(gaps)

    def tables(self) -> tuple[Table, ...]:
        return self.evaluation.tables()

    def figures(self) -> dict[str, Figure]:
        return draw(self.evaluation)

    def page(self) -> tuple[Path | None, str]:
        return self.written, "evaluation.write(FOLDER)"

    def write(self, folder: str | Path, title: str, keep_answers: bool) -> Path:
        """See ``write_evaluation``."""
        return write_evaluation(self.evaluation, folder, title, keep_answers=keep_answers)


def write_evaluation(
    evaluation: Evaluation, folder: str | Path, title: str = "", *, keep_answers: bool = False
) -> Path:
    """Write everything and return the path of the page; an earlier evaluation is removed only when the new one is
    complete.

    ``index.html``, ``report.json``, ``tables/*.csv`` and ``.tex``, ``figures/*.svg``, ``.pdf`` and ``.png``,
    ``meta/NAME/answers.jsonl``.

    ``folder``: its place; one in an object store is filled when all files are made. InputError if anything other than
    an earlier evaluation is there, or the place cannot be written. ``title`` heads the page and a site's leaderboard.
    ``keep_answers``: truth and answers are written too, so that ``raven site`` can put later ones beside them; such a
    folder is not to be published.
    """
    view: EvaluationView = evaluation._view()
    view.written = write_whole(
        location(folder), lambda place: _write(evaluation, place, title, keep_answers), "evaluate"
    )
    return view.written


def _write(evaluation: Evaluation, folder: Path, title: str, keep_answers: bool) -> None:
    figures = draw(evaluation)
    if keep_answers:
        keep(evaluation, folder)
    for system in evaluation.meta:
        write_answers(
            folder / "meta" / system.name / "answers.jsonl",
            Answers(evaluation.truth.ids, system.value),
        )
    write_parts(
        folder,
        kind="evaluate",
        page=evaluation_page(evaluation, figures, title),
        json={**evaluation.to_json(), "raven": __version__, **({"title": title} if title else {})},
        tables=evaluation.tables(),
        figures=figures,
        papers=papers(evaluation),
        forms=FORMS,
    )


def papers(evaluation: Evaluation) -> list[Paper]:
    """Return the papers to cite for an evaluation."""
    return cited_by("evaluate", {"metrics": evaluation.tests}, [])


def evaluation_page(evaluation: Evaluation, figures: dict[str, Figure], title: str = "") -> str:
    """Return one self-contained page."""
    several = len(evaluation.systems) > 1
    leading = dict.fromkeys(("auc", evaluation.ranked_by))
    groups: dict[str, list[str]] = {}
    for system in evaluation.ranked:
        groups.setdefault(evaluation.rank(system), []).append(system.name)
    return render(
        "ravenbench.tasks.evaluate:template.html.j2",
        papers=papers(evaluation),
        e=evaluation,
        own_title=title,
        several=several,
        groups=groups,
        metric=evaluation.title(evaluation.ranked_by),
        best=evaluation.ranked[0],
        version=__version__,
        hashes=evaluation.hashes(),
        operating=operating(evaluation),
        cut=max(0, len(evaluation.systems) + len(evaluation.meta) - PANELS),
        figures={name: inline(figure, name) for name, figure in figures.items()},
        tables=evaluation.tables(),
        parts=[
            {
                "by": breakdown.by,
                "short": [
                    to_html(parts_table(evaluation, breakdown, metric)) for metric in leading
                ],
                "long": breakdown_key(evaluation, breakdown),
            }
            for breakdown in evaluation.breakdowns
        ],
    )


def closing(evaluation: Evaluation) -> list[RenderableType]:
    """Scores, intervals, star matrix of the ranking metric, hull, break-downs, notes."""
    from rich.text import Text

    tables = [_starred(scores_table(evaluation)), intervals_table(evaluation)]
    if 1 < len(evaluation.systems) <= MOST_COLUMNS:
        tables.append(significance_table(evaluation, evaluation.ranked_by))
    if evaluation.hull is not None:
        tables.append(hull_table(evaluation))
    if evaluation.skipped:
        tables.append(skipped_table(evaluation))
    blocks = [*map(_compact_table, tables)]
    for breakdown in evaluation.breakdowns:
        if len(breakdown.parts) <= MOST_COLUMNS - 3:
            metrics = dict.fromkeys(("auc", evaluation.ranked_by))
            blocks += [
                _compact_table(parts_table(evaluation, breakdown, metric)) for metric in metrics
            ]
        else:
            blocks.append(
                Text(
                    f"By {breakdown.by}: {len(breakdown.parts)} parts, which are in the JSON"
                    " object and with --out."
                )
            )
    if evaluation.band is not None:
        band = f"{evaluation.band:g} of 0.5, as learned in training."
        blocks.append(Text(f"meta-band does not answer problems whose mean is within ± {band}"))
    return [*blocks, *(Text(f"note: {printable(note)}") for note in evaluation.notes)]


def _compact_table(table: Table) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    # Title and note stand apart: inside, they would break at the width of a narrow table.
    rich_table = for_terminal(replace(table, note=""), tight=True)
    rich_table.title = None
    note = [Text(printable(table.note), style="italic dim")] if table.note else []
    return Group(Text(printable(table.title), style="bold"), rich_table, *note)


def _starred(table: Table) -> Table:
    """The best of a column is starred, since bold is lost in a pipe."""

    def cell(value: Value, column_index: int) -> Value:
        if not isinstance(value, Measure):
            return value
        return number(value.mean, table.columns[column_index], short=True) + (
            "*" if value.best else " "
        )

    rows = tuple(tuple(cell(value, i) for i, value in enumerate(row)) for row in table.rows)
    return replace(
        table,
        rows=rows,
        note=f"* best system in this column, without combined answers. {table.note}",
    )


def draw(evaluation: Evaluation) -> dict[str, Figure]:
    """Return the figures by name: ``standings``, ``roc`` if truth has both classes, ``reliability``."""
    figures = {}
    with style():
        figures["standings"] = standings(evaluation)
        if evaluation.hull is not None:
            figures["roc"] = roc(evaluation)
        figures["reliability"] = diagrams(evaluation)
    return figures


def standings(evaluation: Evaluation) -> Figure:
    """Draw a point with its interval for every system in the tested metric; lines separate ranks, meta-classifiers are
    last."""
    systems = [*evaluation.ranked, *evaluation.meta]
    figure, (axes,) = canvas(3.9, 0.75 + 0.24 * len(systems))
    metric = evaluation.ranked_by
    for row_index, system in enumerate(systems):
        if row_index and system.tie_group != systems[row_index - 1].tie_group:
            axes.axhline(
                row_index - 0.5,
                color=FAINT,
                linewidth=0.6,
                linestyle="-" if system.tie_group else (0, (3, 3)),
            )
        value = system.scores[metric]
        interval = system.interval[metric]
        if value is None:
            continue
        if interval is not None:
            axes.plot(
                interval, (row_index, row_index), color=INK, linewidth=1.2, solid_capstyle="butt"
            )
        axes.plot(
            [value], [row_index], "o", markersize=5, color=COLORS[0] if system.tie_group else FAINT
        )
    axes.set_yticks(range(len(systems)), [_shortened(system.name, 26) for system in systems])
    axes.set_ylim(len(systems) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(evaluation.title(metric))
    axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    return figure


def roc(evaluation: Evaluation) -> Figure:
    """Draw the numbered curve of every system, and the hull over all of them as a wide line in the colours of the
    systems that reach it."""
    assert evaluation.hull is not None
    names = [system.name for system in evaluation.ranked]
    look = {
        name: (APART[i % len(APART)], DASHES[i // len(APART) % len(DASHES)])
        for i, name in enumerate(names)
    }
    figure, (axes,) = canvas(5.6, 5.3 + 0.19 * -(-len(names) // 2))
    hull = evaluation.hull
    axes.plot(hull.fpr, hull.tpr, color=FAINT, linewidth=5, alpha=0.3, solid_joinstyle="round")
    for owner, run in groupby(range(len(hull.owner)), key=lambda vertex: hull.owner[vertex]):
        rows = list(run)
        if owner is not None:
            axes.plot(hull.fpr[rows], hull.tpr[rows], color=look[owner][0], linewidth=5, alpha=0.45)
    axes.plot((0, 1), (0, 1), color=FAINT, linewidth=0.7)
    owners = set(hull.owner)
    # Each number at a place of its own along the curves, so that none hides another.
    ways = np.linspace(0.3, 1.7, len(names) + 2)[1:-1]
    for line_index, (system, curve_way) in enumerate(zip(evaluation.ranked, ways, strict=True), 1):
        points = curve(evaluation.truth.same, system.value)
        if points is None:
            continue
        color, dashes = look[system.name]
        along = points.fpr + points.tpr
        fpr, tpr = (float(np.interp(curve_way, along, side)) for side in (points.fpr, points.tpr))
        badge = {"boxstyle": "circle,pad=0.22", "facecolor": color, "linewidth": 0}
        axes.text(
            fpr,
            tpr,
            str(line_index),
            color="white",
            fontsize=7,
            fontweight="bold",
            ha="center",
            va="center",
            bbox=badge,
            zorder=5,
        )
        auc = (
            "n/a"
            if system.scores["auc"] is None
            else f"{system.scores['auc']:.3f}".replace("0.", ".", 1)
        )
        label = f"{line_index} {_shortened(system.name)} {auc}" + (
            " •" if system.name in owners else ""
        )
        axes.plot(*_thinned(points), color=color, linestyle=dashes, linewidth=1.3, label=label)
    point = evaluation.operating
    if point is not None and point.system is not None:
        axes.plot(
            [point.fpr],
            [point.tpr],
            "o",
            color=INK,
            ms=6,
            mfc="none",
            markeredgewidth=1.4,
            clip_on=False,
        )
    axes.set_aspect("equal")
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-0.01, 1.01)
    axes.set_xlabel("false-positive rate")
    axes.set_ylabel("true-positive rate")
    axes.grid(color=FAINT, alpha=0.2, linewidth=0.6)
    figure.legend(loc="outside lower center", ncols=2, fontsize=8.5, handlelength=2.4)
    return figure


def diagrams(evaluation: Evaluation) -> Figure:
    """Draw the mean answer against the proportion of these problems in ten bins; the area of a point is its proportion
    of problems."""
    systems = [*evaluation.ranked, *evaluation.meta][:PANELS]
    columns = min(3, len(systems))
    rows = -(-len(systems) // columns)
    figure, _ = canvas(1.85 * columns + 0.5, 2.05 * rows + 0.35, columns=0)
    grid: Any = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for panel, ax in enumerate(grid.flat):
        if panel >= len(systems):
            ax.set_visible(False)
            continue
        system = systems[panel]
        bins = reliability(evaluation.truth.same, system.value)
        ax.plot((0, 1), (0, 1), color=FAINT, linewidth=0.7)
        ax.plot(bins.value, bins.same, color=COLORS[0], linewidth=1, alpha=0.7)
        ax.scatter(
            bins.value,
            bins.same,
            s=6 + 130 * bins.problems / bins.problems.sum(),
            color=COLORS[0],
            linewidth=0,
        )
        ax.set_title(_shortened(system.name, 22), fontsize=8.5, color=INK)
        ax.text(0.97, 0.04, f"ECE {system.ece:.3f}", transform=ax.transAxes, ha="right", fontsize=8)
        ax.set_aspect("equal")
        ax.set_xlim(-0.04, 1.04)
        ax.set_ylim(-0.04, 1.04)
        ax.set_xticks((0, 0.5, 1), ("0", ".5", "1"))
        ax.set_yticks((0, 0.5, 1), ("0", ".5", "1"))
        if panel + columns >= len(systems):
            ax.tick_params(labelbottom=True)
    figure.supxlabel("mean answer", fontsize=9, color=INK)
    figure.supylabel(f"proportion of {evaluation.truth.words.many}", fontsize=9, color=INK)
    return figure


def _thinned(roc: Curve) -> tuple[Floats, Floats]:
    """The curve through at most ``VERTICES`` of its vertices, evenly along it."""
    if len(roc.fpr) <= VERTICES:
        return roc.fpr, roc.tpr
    length_along = roc.fpr + roc.tpr
    rows = np.unique(
        np.append(
            np.searchsorted(length_along, np.linspace(0, 2, VERTICES - 1)), len(length_along) - 1
        )
    )
    rows = rows[rows < len(length_along)]
    return roc.fpr[rows], roc.tpr[rows]


def _shortened(name: str, limit: int = 30) -> str:
    name = printable(name)
    return name if len(name) <= limit else name[: limit - 1] + "…"
