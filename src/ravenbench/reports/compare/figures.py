"""The figures of a comparison: where the case lies among background pairs, Tippett curves, calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ravenbench.randomness import stream
from ravenbench.reports.compare.model import FUSED
from ravenbench.reports.compare.records import Answer
from ravenbench.reports.page import FAINT, INK, SETUP, canvas
from ravenbench.statistics.likelihood_ratios import pav, tippett

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SAME, DIFFERENT = SETUP["hits"], SETUP["random"]


def place_figure(answer: Answer) -> Figure:
    """Background pairs by the LR they would be given, one dot each, those as alike in content as the case large; the
    case is a line with its interval."""
    figure, (axes,) = canvas(5.0, 2.2)
    valid = answer.validated
    llr, same, alike = valid.llr[FUSED], valid.pairs.same, valid.pairs.content >= answer.alike
    jitter = stream(0, "compare-jitter").random(len(llr))
    for y, side, color in ((1, same, SAME), (0, ~same, DIFFERENT)):
        for chosen, size, alpha in ((side & ~alike, 6, 0.4), (side & alike, 16, 0.8)):
            axes.scatter(llr[chosen], y + 0.62 * (jitter[chosen] - 0.5), s=size, color=color, alpha=alpha, linewidths=0)
    axes.axvspan(*answer.fused.interval, color=INK, alpha=0.12, linewidth=0)
    axes.axvline(answer.fused.llr, color=INK, linewidth=1.6)
    axes.annotate("this case", (answer.fused.llr, 1.52), ha="center", va="bottom", fontsize=8, annotation_clip=False)
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.set_yticks([0, 1], ["two authors", "one author"])
    axes.set_ylim(-0.5, 1.5)
    axes.set_xlabel("log10 LR")
    return figure


def tippett_figure(answer: Answer) -> Figure:
    """Shares of both kinds of pairs with at least each LR."""
    figure, (axes,) = canvas(3.6, 2.7)
    valid = answer.validated
    curve = tippett(valid.llr[FUSED], valid.pairs.same, valid.pairs.weight)
    axes.step(curve.llr, curve.same, where="pre", color=SAME, label="one author")
    axes.step(curve.llr, curve.different, where="pre", color=DIFFERENT, label="two authors")
    axes.axvline(answer.fused.llr, color=INK, linewidth=1.2)
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.set_xlabel("log10 LR")
    axes.set_ylabel("share of pairs")
    axes.set_ylim(0, 1.02)
    axes.legend(fontsize=7.5, loc="lower left")
    return figure


def pav_figure(answer: Answer) -> Figure:
    """What LRs were given, against what they should have been; on the diagonal they are calibrated."""
    figure, (axes,) = canvas(3.6, 2.7)
    valid = answer.validated
    curve = pav(valid.llr[FUSED], valid.pairs.same, valid.pairs.weight)
    ends = float(np.floor(curve.llr.min() * 2) / 2), float(np.ceil(curve.llr.max() * 2) / 2)
    axes.plot(ends, ends, color=FAINT, linewidth=0.8)
    axes.plot(curve.llr, np.clip(curve.best, *ends), color=SETUP["hits"], linewidth=1.4)
    axes.axvline(answer.fused.llr, color=INK, linewidth=1.2)
    axes.set_xlim(*ends)
    axes.set_ylim(ends[0] - 0.05, ends[1] + 0.05)
    axes.set_xlabel("log10 LR given")
    axes.set_ylabel("log10 LR after PAV")
    return figure
