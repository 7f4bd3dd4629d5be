"""Reports what was done about similarity in content on this background for each verifier.

In: ``ShapeScores`` and ``Validated``: scores and log10 LRs of background pairs made like the case.
Out: ``verifier_contents``: one ``VerifierContent`` for each verifier: what was done (text) and the AUC (0 to 1, higher =
same author scores higher) of pairs as written and with content words replaced, None if not measured.
``contents_table`` and ``contents_sentence`` show these.

This is not a verdict as from ``raven run --probe transplant``, so no verifier is called cleared. Raven subtracts what
similarity in content adds to scores, and scores the same pairs with content words replaced.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ravenbench.ext.case.compare.model import FUSED, ShapeScores, Validated
from ravenbench.ext.case.sentences import say
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.reports.view import Table, col, table
from ravenbench.store.records import Record

TAKEN = "taken off"
NOTHING = "none to take off"
BARRED = "not isolated"
UNTESTED = (
    "Raven did not test the verifiers for content on this background, so it clears none of them:"
    " raven run BACKGROUND --probe transplant tests them."
)
NOTE = (
    f"{UNTESTED} Taken off: Raven subtracts what scores gain by similarity in content; none to take"
    " off: background pairs show no such gain. AUC: of background pairs after this subtraction"
    " (three in four different-author pairs were chosen for similar content), and with the content"
    " words of the questioned text replaced. Not isolated: the method may know more than it was"
    " given, so Raven does not use its scores of replaced content."
)


class VerifierContent(Record, frozen=True, kw_only=True):
    """A verifier: what was done about content (``TAKEN`` …), why it may know more than it was given or how it was
    confined, and AUC (0 to 1) of background pairs as written after subtraction and with content replaced. ``tested`` is
    always False."""

    verifier: str
    done: str
    tested: bool = False
    reason: str | None
    auc: float | None
    auc_content_replaced: float | None

    @property
    def said(self) -> str:
        """What was done, with the reason."""
        return f"{self.done}: {self.reason}" if self.reason else self.done


def verifier_contents(scored: ShapeScores, valid: Validated) -> list[VerifierContent]:
    """Return one ``VerifierContent`` for each verifier of a shape."""
    pairs = valid.pairs
    contents = []
    for name, (_, learned) in valid.system.written.items():
        if name == FUSED:
            continue
        barred = scored.barred.get(name, "")
        style = valid.raw.style[name]
        moved = ~np.isnan(style)
        left = None if barred else auc_of_scores(pairs.same[moved], style[moved])
        said = "; ".join(filter(None, (barred, scored.confinement[name])))
        contents.append(
            VerifierContent(
                verifier=name,
                done=BARRED if barred else TAKEN if learned.slope.any() else NOTHING,
                reason=said or None,
                auc=auc_of_scores(pairs.same, valid.raw.written[name]),
                auc_content_replaced=left,
            )
        )
    return contents


def contents_table(
    contents: Sequence[VerifierContent], key: str, section: str | None = ""
) -> Table:
    """Return a table of what was done about content for each verifier."""
    return table(
        key,
        "Verifiers and content",
        contents,
        col("verifier", "verifier", text=True),
        col("content", "said", text=True),
        col("AUC", "auc", digits=2),
        col("AUC, content replaced", "auc_content_replaced", digits=2),
        note=NOTE,
        section=section,
    )


def contents_sentence(contents: Sequence[VerifierContent]) -> str:
    """Return what was done, in a line or two."""
    verifiers = "; ".join(f"{v.verifier} {v.said}" for v in contents)
    return say("by verifier", verifiers=verifiers, untested=UNTESTED)
