"""Does the evidence rest on style or on content? The case asked again with its content words replaced (transplant).

LRs without content words are calibrated on background pairs treated in the same way, three strangers in four being
those nearest in content: whoever writes about the same thing also shares some common words.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ravenbench.reports.compare.model import FUSED, Told, Validated, able, taken
from ravenbench.reports.compare.records import ContentCheck
from ravenbench.reports.compare.scores import ShapeScores
from ravenbench.reports.compare.words import SCALE, signed
from ravenbench.reports.compare.worth import worth_of
from ravenbench.statistics.likelihood_ratios import elub

WEAK = SCALE[-1][0]
BLIND = 0.9


def content_check(
    found: ShapeScores, rows: Callable[[str], list[int]], valid: Validated, told: Told
) -> ContentCheck | None:
    """The check of one case; None where its text could not be transplanted or too few background pairs could.

    ``rows`` gives the case's problems by what they ask; ``told`` is what was found for the case itself.
    """
    on, off = rows("on"), rows("off")
    style, pairs = valid.raw.style[FUSED], able(valid.pairs) & ~np.isnan(valid.raw.style[FUSED])
    same = valid.pairs.same[pairs]
    if not on or not off or valid.system.style is None or not same.any() or same.all():
        return None
    versions = valid.system.style.llr(taken(found.cases, off), found.content[off])[FUSED]
    bounds = elub(style[pairs], same)
    held = np.clip(style[pairs], *bounds)
    worth = worth_of(held, same)
    assert worth is not None
    mean = bounds.held(float(versions.mean()))
    written = valid.limits.bounds[FUSED].held(float(told.written[FUSED][0]))
    plain = {
        name: float(valid.system.written.llr(taken(found.cases, r), found.content[r])[FUSED].mean())
        for name, r in (("on", on), ("off", off))
    }
    outcome, sentence = _told(written, mean, worth.cllr_min)
    return ContentCheck(
        written=written,
        style=mean,
        versions=tuple(versions.tolist()),
        on=plain["on"],
        off=plain["off"],
        bounds=bounds,
        worth=worth,
        outcome=outcome,
        sentence=sentence,
    )


def _told(llr: float, style: float, cllr_min: float) -> tuple[str, str]:
    as_written = (
        f"the texts as written have a log10 LR of {signed(llr)}, with content words from other texts {signed(style)}"
    )
    if cllr_min >= BLIND:
        return "open", (
            "Without content words, style alone tells hardly anything in this background, so it stays open how much of "
            f"the LR is style ({as_written})."
        )
    if abs(llr) < WEAK:
        return "nothing", f"There is hardly any evidence whose ground could be asked for ({as_written})."
    if llr * style > 0 and abs(style) >= abs(llr) / 2:
        return "style", f"The evidence is style: {as_written}."
    if llr * style > 0 and abs(style) >= WEAK:
        return "part", f"The evidence is style in part, and rests on content for the rest: {as_written}."
    return "content", f"The evidence rests on content: {as_written}."
