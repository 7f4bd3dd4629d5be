"""What a comparison's report says, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ravenbench.bench.compare.record import CaseRecord, ComparePlan, ShapeRecord
from ravenbench.reports.compare.evidence import Evidence
from ravenbench.reports.compare.model import Validated
from ravenbench.reports.shared.cell_scores import Failure
from ravenbench.statistics.likelihood_ratios import Bounds
from ravenbench.store.records import Head
from ravenbench.types import Floats

Interval = tuple[float, float]


@dataclass(frozen=True)
class Worth:
    """What LRs were worth on pairs whose truth is known: pairs of each class, C_llr, C_llr^min, equal error rate."""

    same: int
    different: int
    cllr: float
    cllr_min: float
    eer: float


@dataclass(frozen=True)
class Line:
    """One verifier (or the fusion): its log10 LR within its bounds, ``raw`` before, interval, bounds, worth."""

    name: str
    llr: float
    raw: float
    interval: Interval
    bounds: Bounds
    worth: Worth


@dataclass(frozen=True)
class ContentCheck:
    """The case with other content: the log10 LR of the texts as ``written`` and that from ``style`` alone, the mean of
    every version; what content of the known texts' topic and of far topics makes of the LR as written; and the sentence
    that says what it means.

    ``style`` is calibrated on background pairs that were transplanted too; ``written``, ``on`` and ``off`` are not.
    """

    written: float
    style: float
    versions: tuple[float, ...]
    on: float
    off: float
    bounds: Bounds
    worth: Worth
    outcome: str
    sentence: str


@dataclass(frozen=True, eq=False)
class Answer:
    """What was found for one case that could be scored.

    ``reasons`` are why it is not answered all the same; ``alike`` the content similarity of its two sides, cut as they
    were compared; ``misleading`` the share of background pairs of the other kind with an LR as strong; ``rank`` the
    candidate's place among ``ranked`` writers.
    """

    lines: tuple[Line, ...]
    fused: Line
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    alike: float
    misleading: float
    content: ContentCheck | None
    rank: int
    ranked: int
    known: tuple[float, ...]
    slices: tuple[tuple[str, Worth | None], ...]
    validated: Validated
    draws: int


@dataclass(frozen=True, eq=False)
class CaseFound:
    """A case: what was planned of it, its answer where it was scored, and why it is not answered."""

    record: CaseRecord
    shape: ShapeRecord | None
    answer: Answer | None
    reasons: tuple[str, ...]
    evidence: Evidence | None = None

    @property
    def answered(self) -> bool:
        """Whether an LR is given."""
        return self.answer is not None and not self.reasons


@dataclass(frozen=True, eq=False)
class Comparison:
    """A whole comparison: its plan, and what was found for every case."""

    plan: ComparePlan
    run: Head
    cases: tuple[CaseFound, ...]
    failures: tuple[Failure, ...]
    texts: Mapping[int, str]


Scores = Mapping[str, Floats]
