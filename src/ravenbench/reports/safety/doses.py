"""Doses of a rewriting: verification and detection by the share of sentences rewritten, as rows and as curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.metrics.safety import VerificationEffect
from ravenbench.reports.page import COLORS, FAINT, INK, canvas, style
from ravenbench.reports.view import Number, printable
from ravenbench.statistics.shares import auc_of, share_of
from ravenbench.types import Bools, Floats, Ints

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ravenbench.bench.safety.record import DetectedDose


@dataclass(frozen=True)
class DoseRow:
    """What one judge says of one dose.

    ``level`` is a verifier's AUC, or the mean answer of a detector; ``rate`` the share of same-author problems that the
    verifier accepts at its fixed threshold, or of texts that the detector calls rewritten at 1 % false alarms.
    ``rewritten`` is the share of sentences that did change, ``sound`` that of texts within the limits of meaning.
    """

    of: str
    share: float
    judge: str
    detector: bool
    level: Number
    rate: Number
    rewritten: float | None = None
    sound: float | None = None
    meteor: Number | None = None


def verifier_row(
    of: str, share: float, judge: str, same: Bools, sides: Ints, effect: VerificationEffect, after: Floats
) -> DoseRow:
    """A verifier's answers (n,) to all problems, of which those of one author were rewritten; ``sides`` (n, 2) are the
    codes of their two authors."""
    recall = share_of(after[same] >= effect.threshold, sides[same, 0])
    return DoseRow(of, share, judge, False, Number(*auc_of(same, after, sides)), Number(*recall))


def detector_row(of: str, share: float, judge: str, found: DetectedDose) -> DoseRow:
    """A detector's answers to the texts of a dose."""
    return DoseRow(
        of, share, judge, True, Number(found.mean, found.around), Number(found.flagged, found.flagged_around)
    )


def curves(rows: Sequence[DoseRow]) -> dict[str, Figure]:
    """Two figures for each rewriting that has doses: what verifiers and what detectors say."""
    made = {}
    for number, of in enumerate(dict.fromkeys(row.of for row in rows), start=1):
        for key, detector, titles in (
            ("doses", False, ("AUC", "recall at the fixed threshold")),
            ("doses-detected", True, ("mean answer of the detector", "called rewritten, 1 % false alarms")),
        ):
            own = [row for row in rows if row.of == of and row.detector == detector]
            if len({row.share for row in own}) > 1:
                made[f"{key}-{number}"] = _figure(of, own, titles)
    return made


def _figure(of: str, rows: Sequence[DoseRow], titles: tuple[str, str]) -> Figure:
    parts: tuple[Callable[[DoseRow], Number], ...] = (lambda row: row.level, lambda row: row.rate)
    with style():
        figure, axes = canvas(7.2, 3.3, columns=2)
        judges = list(dict.fromkeys(row.judge for row in rows))
        for ax, title, part in zip(axes, titles, parts, strict=True):
            for place, judge in enumerate(judges):
                own = sorted((row for row in rows if row.judge == judge), key=lambda row: row.share)
                # Side by side, so that intervals at one share do not cover each other.
                at = np.array([row.share for row in own]) + 0.012 * (place - (len(judges) - 1) / 2)
                _curve(ax, at, [part(row) for row in own], COLORS[place % len(COLORS)], printable(judge)[:40])
            ax.set_xticks(sorted({row.share for row in rows}))
            ax.set_ylim(-0.03, 1.03)
            ax.set_title(title, color=INK)
            ax.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.6)
        figure.supxlabel(f"share of sentences rewritten by {printable(of)[:60]}", fontsize=9, color=INK)
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8)
    return figure


def _curve(ax: Any, at: Floats, numbers: Sequence[Number], color: str, label: str) -> None:
    ax.plot(at, [number.value for number in numbers], "o-", color=color, markersize=4, linewidth=1.4, label=label)
    for x, number in zip(at, numbers, strict=True):
        if number.interval is not None:
            ax.plot((x, x), number.interval, color=color, linewidth=1.1, alpha=0.6)
