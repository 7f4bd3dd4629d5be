"""Accuracy over length: how many words does a verifier need?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.metrics import scores
from ravenbench.reports.cells import Failure, ranked, sides_of
from ravenbench.reports.content import figure_interval, value_of
from ravenbench.reports.page import FAINT, INK, canvas
from ravenbench.reports.view import Column, Table
from ravenbench.statistics.estimates import Estimate, Units, estimate, influence, placements, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ravenbench.bench.run.record import LengthRecord, RunPlan
    from ravenbench.store.store import Store

COLORS = ("#2b6cb0", "#c05621", "#2f8f7a", "#a3476e", "#9a7d1f", "#6b7280")
MARKS = "osD^vP*X"


@dataclass(frozen=True)
class LengthRow:
    """One verifier on texts of ``words`` words.

    ``auc`` is the mean over folds with an interval over authors, ``c1`` that of c@1, ``problems`` how many were
    answered, ``reached`` the share of problems all of whose texts had as many words.
    """

    verifier: str
    words: int
    problems: int
    reached: float
    auc: Estimate | None
    c1: float | None


def length_rows(store: Store, plan: RunPlan, names: Sequence[str]) -> tuple[tuple[LengthRow, ...], tuple[Failure, ...]]:
    """Every verifier at every length, and the cells without answers."""
    rows, failures = [], []
    for record in plan.lengths:
        sides = {fold: sides_of(store, fold, plan.topics) for fold in record.folds}
        for name in names:
            found, missing = _row(store, name, record, sides)
            rows.append(found)
            failures += missing
    return tuple(rows), tuple(failures)


def _row(store: Store, name: str, record: LengthRecord, sides: dict[str, Any]) -> tuple[LengthRow, list[Failure]]:
    effects, authors, problems, areas, c1, missing = [], [], [], [], [], []
    for fold in record.folds:
        cell = store.cell(name, fold)
        values = ranked(cell)
        if cell is None or values is None or cell.answers is None:
            why = "not answered yet" if cell is None else str(cell.error or "no answers")
            missing.append(Failure(fold, name, fold, why))
            continue
        side = sides[fold]
        area, place = placements(side.same, values, values)
        areas.append(area)
        effects.append(influence(side.same, area, place))
        authors.append(side.authors)
        problems.append(side.problem)
        c1.append(scores(side.same, cell.answers)["c@1"])
    auc = None
    if areas:
        units = Units(np.concatenate(authors), np.concatenate(problems))
        auc = within(estimate(float(np.mean(areas)), np.concatenate(effects) / len(areas), units), 0.0, 1.0)
    known = [value for value in c1 if value is not None]
    mean = float(np.mean(known)) if known else None
    return LengthRow(name, record.words, sum(map(len, problems)), record.reached, auc, mean), missing


def lengths_table(rows: Sequence[LengthRow]) -> Table:
    """One row a verifier and length."""
    columns = (
        Column("verifier", text=True), Column("words"), Column("AUC"), Column("from"), Column("to"),
        Column("c@1"), Column("problems"), Column("full length"),
    )  # fmt: skip
    found = []
    for r in sorted(rows, key=lambda r: ([x.verifier for x in rows].index(r.verifier), r.words)):
        low, high = figure_interval(r.auc) or (None, None)
        found.append((r.verifier, r.words, value_of(r.auc), low, high, r.c1, r.problems, r.reached))
    note = (
        "All texts, those learned from included, cut to their first words. from, to: 95 % interval of the AUC over "
        "authors. full length: share of problems all of whose texts had as many words; the others stay shorter."
    )
    return Table("lengths", "How many words are needed", columns, tuple(found), note)


def lengths_json(rows: Sequence[LengthRow]) -> list[dict[str, Any]]:
    """One object a verifier and length."""
    return [
        {"verifier": r.verifier, "words": r.words, "auc": value_of(r.auc), "interval": figure_interval(r.auc),
         "c@1": r.c1, "problems": r.problems, "full_length": r.reached}
        for r in rows
    ]  # fmt: skip


def lengths_figure(rows: Sequence[LengthRow]) -> Figure:
    """AUC over words, a line a verifier; bars are 95 % intervals."""
    drawn, (axes,) = canvas(4.6, 3.2)
    names = list(dict.fromkeys(r.verifier for r in rows))
    for i, name in enumerate(names):
        mine = sorted((r for r in rows if r.verifier == name and r.auc is not None), key=lambda r: r.words)
        color = COLORS[i % len(COLORS)]
        places = [r.words * (1 + 0.02 * (i - (len(names) - 1) / 2)) for r in mine]
        for x, r in zip(places, mine, strict=True):
            if (interval := figure_interval(r.auc)) is not None:
                axes.plot((x, x), interval, color=color, linewidth=1.6, alpha=0.5, solid_capstyle="butt")
        values = [value_of(r.auc) for r in mine]
        axes.plot(places, values, marker=MARKS[i % len(MARKS)], color=color, linewidth=1.2, markersize=4.5, label=name)
    words = sorted({r.words for r in rows})
    axes.axhline(0.5, color=FAINT, linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xticks(words, [f"{w:,}" for w in words])
    axes.minorticks_off()
    axes.set_xlabel("words in each text")
    axes.set_ylabel("AUC", color=INK)
    axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.6)
    drawn.legend(loc="outside lower center", ncols=min(4, len(names)), fontsize=9)
    return drawn
