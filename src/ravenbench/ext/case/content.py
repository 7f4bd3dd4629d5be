"""Says of each verifier what was done about likeness in content on this background, and no more.

In: ``ShapeScores`` and ``Validated``: scores and log10 LRs of background pairs made like the case.
Out: ``verifier_contents``: one ``VerifierContent`` a verifier: what was done (text) and the AUC (0 to 1, higher = same
author scores higher) of pairs as written and with content words replaced, None where not measured. ``contents_table``,
``contents_json`` and ``contents_sentence`` show these.

No verdict is made here, as ``raven run --probe transplant`` makes one, so none is called cleared. What likeness in
content adds is taken off scores, and the same pairs are scored with content words replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ravenbench.ext.case.compare.model import ShapeScores, Validated, was_transplanted
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.reports.view import Col, Table, col, objects, table

TAKEN = "taken off"
NOTHING = "none to take off"
BARRED = "not isolated"
UNTESTED = (
    "No verifier was tested for content on this background, so none is called cleared: raven run"
    " BACKGROUND --probe transplant tests them."
)
NOTE = (
    f"{UNTESTED} Taken off: what scores gain by likeness in content is subtracted; none to take"
    " off: background pairs do not show that they gain any. AUC: of background pairs, three in"
    " four of those by two authors being most alike in content, without what is taken off; and"
    " with the content words of the questioned text replaced. Not isolated: the method may know"
    " more than it was handed, so that what it says of replaced content is not used."
)


@dataclass(frozen=True)
class VerifierContent:
    """A verifier: what was done about content (``TAKEN`` …), AUC (0 to 1) of background pairs as written without what
    was taken off and with content replaced, and why it may know more than it was handed, or how one of others was
    confined."""

    verifier: str
    done: str
    written: float | None
    replaced: float | None
    reason: str

    @property
    def said(self) -> str:
        """What was done, and what goes with it."""
        return f"{self.done}: {self.reason}" if self.reason else self.done


def verifier_contents(scored: ShapeScores, valid: Validated) -> tuple[VerifierContent, ...]:
    """One ``VerifierContent`` for each verifier of a shape."""
    pairs = valid.pairs
    rows = was_transplanted(valid.pairs)
    contents = []
    for name, gained in valid.system.written.excess.items():
        reason = scored.barred.get(name, "")
        done = BARRED if reason else TAKEN if gained.slope.any() else NOTHING
        written = auc_of_scores(pairs.same, valid.raw.written[name])
        replaced = None if reason else auc_of_scores(pairs.same[rows], valid.raw.style[name][rows])
        said = [one for one in (reason, scored.confinement[name]) if one]
        contents.append(VerifierContent(name, done, written, replaced, "; ".join(said)))
    return tuple(contents)


_COLUMNS: tuple[Col[VerifierContent], ...] = (
    col("verifier", lambda v: v.verifier, text=True, json="verifier"),
    col("content", lambda v: v.said, text=True),
    col(None, lambda v: v.done, json="done"),
    col(None, lambda v: False, json="tested"),
    col(None, lambda v: v.reason or None, json="reason"),
    col("AUC", lambda v: v.written, digits=2, json="auc"),
    col("AUC, content replaced", lambda v: v.replaced, digits=2, json="auc_content_replaced"),
)


def contents_table(contents: Sequence[VerifierContent], key: str) -> Table:
    """What was done about content, for each verifier."""
    return table(key, "Verifiers and content", contents, *_COLUMNS, note=NOTE)


def contents_json(contents: Sequence[VerifierContent]) -> list[dict[str, object]]:
    """One object a verifier."""
    return objects(contents, *_COLUMNS)


def contents_sentence(contents: Sequence[VerifierContent]) -> str:
    """What was done, in a line or two."""
    return (
        f"Content, by verifier: {'; '.join(f'{v.verifier} {v.said}' for v in contents)}. {UNTESTED}"
    )
