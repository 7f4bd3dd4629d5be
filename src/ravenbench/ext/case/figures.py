"""Draws the grounds of a case or a validation: background pairs by their likelihood ratios, and their calibration.

In: ``DrawnPairs``: log10 LRs (n,), higher = same author, with truth and weights; the log10 LR of a case.
Out: figures of matplotlib, one for each function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ravenbench.ext.case.likelihood_ratios import entropy, pav, tippett
from ravenbench.randomness import stream
from ravenbench.reports.page import FAINT, INK, SETUP, canvas
from ravenbench.types import Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ravenbench.ext.case.compare.analysis import CasePairs
    from ravenbench.ext.case.stated import DrawnPairs

LR = "log10 LR"
SAME = SETUP["hits"]
DIFFERENT = SETUP["random"]


def place_figure(pairs: CasePairs, llr: float, interval: Interval, alike: float) -> Figure:
    """Draw background pairs by their log10 LR, one dot each, those at least ``alike`` in content large; the case is a
    line with its interval."""
    figure, (axes,) = canvas(5.0, 2.2)
    large = pairs.content >= alike
    jitter = stream(0, "compare-jitter").random(len(pairs.llr))
    for y, side, color in ((1, pairs.same, SAME), (0, ~pairs.same, DIFFERENT)):
        for chosen, size, alpha in ((side & ~large, 6, 0.4), (side & large, 16, 0.8)):
            heights = y + 0.62 * (jitter[chosen] - 0.5)
            axes.scatter(pairs.llr[chosen], heights, s=size, color=color, alpha=alpha, linewidths=0)
    axes.axvspan(*interval, color=INK, alpha=0.12, linewidth=0)
    axes.axvline(llr, color=INK, linewidth=1.6)
    axes.annotate(
        "this case", (llr, 1.52), ha="center", va="bottom", fontsize=8, annotation_clip=False
    )
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.set_yticks([0, 1], ["two authors", "one author"])
    axes.set_ylim(-0.5, 1.5)
    axes.set_xlabel(LR)
    return figure


def tippett_figure(pairs: DrawnPairs, at: float | None = None) -> Figure:
    """Draw the proportions of both kinds of pairs with at least each log10 LR, with a line at that of a case."""
    figure, (axes,) = canvas(3.3, 2.6)
    curve = tippett(pairs.llr, pairs.same, pairs.weight)
    axes.step(curve.llr, curve.same, where="pre", color=SAME, label="one author")
    axes.step(curve.llr, curve.different, where="pre", color=DIFFERENT, label="two authors")
    if at is not None:
        axes.axvline(at, color=INK, linewidth=1.2)
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.set(xlabel="log10 LR, or more", ylabel="proportion of pairs", ylim=(0, 1.02))
    figure.legend(fontsize=7.5, loc="outside upper center", ncols=2)
    return figure


def pav_figure(pairs: DrawnPairs, at: float | None = None) -> Figure:
    """Draw log10 LRs as given against their PAV calibration; on the diagonal they are well calibrated."""
    figure, (axes,) = canvas(3.3, 2.6)
    curve = pav(pairs.llr, pairs.same, pairs.weight)
    ends = float(np.floor(pairs.llr.min() * 2) / 2), float(np.ceil(pairs.llr.max() * 2) / 2)
    axes.plot(ends, ends, color=FAINT, linewidth=0.8)
    axes.plot(curve.llr, np.clip(curve.best, *ends), color=SAME, linewidth=1.4)
    if at is not None:
        axes.axvline(at, color=INK, linewidth=1.2)
    heights = (ends[0] - 0.05, ends[1] + 0.05)
    axes.set(xlabel="log10 LR given", ylabel="log10 LR after PAV", xlim=ends, ylim=heights)
    return figure


def entropy_figure(pairs: DrawnPairs) -> Figure:
    """Draw the empirical cross-entropy, in bits, over log10 prior odds."""
    figure, (axes,) = canvas(3.3, 2.6)
    curves = entropy(pairs.llr, pairs.same, pairs.weight)
    axes.plot(curves.prior, curves.neutral, color=FAINT, linewidth=1.0, label="without LRs")
    axes.plot(curves.prior, curves.llr, color=SAME, linewidth=1.4, label="these LRs")
    dashed = {"linewidth": 0.9, "linestyle": "--", "label": "best calibration"}
    axes.plot(curves.prior, curves.best, color=INK, **dashed)
    most = 1.3 * max(1.0, float(curves.llr.max()))
    axes.set(xlabel="prior log10 odds", ylabel="cross-entropy in bits", ylim=(0, most))
    axes.legend(fontsize=7, loc="upper center", ncols=3, columnspacing=0.8, handlelength=1.2)
    return figure
