"""The plan of ``raven pan14``: its folds are corpora."""

from __future__ import annotations

from ravenbench.engine.transplants import TransplantRecord
from ravenbench.store.records import Plan, Record


class PartRecord(Record, frozen=True, kw_only=True):
    """What one part of a corpus holds: problems, same-author ones among them, and means of two sizes.

    ``known`` is the mean number of known documents in a problem, ``words`` the mean number of words in a document.
    """

    problems: int
    same: int
    known: float
    words: float


class SharedRecord(Record, frozen=True, kw_only=True):
    """How many documents stand in both parts of a corpus, and the ids of the test problems that touch one."""

    documents: int
    problems: list[str]


class CorpusRecord(Record, frozen=True, kw_only=True):
    """One corpus and the fold it is.

    ``faults`` says why a test problem could not be read, ``fault_truth`` has the truth of those that the truth file
    names; ``left_out`` says why a training problem was not learned from. ``transplant`` is the transplant probe,
    None where it was not asked for.
    """

    name: str
    fold: str
    language: str | None
    genre: str | None
    train: PartRecord
    test: PartRecord
    faults: dict[str, str]
    fault_truth: dict[str, bool]
    left_out: dict[str, str]
    notes: list[str]
    shared: SharedRecord
    transplant: TransplantRecord | None = None


class Pan14Plan(Plan, frozen=True, kw_only=True):
    """The manifest of ``raven pan14``: beside folds, verifiers and cells, the corpora in the order given."""

    corpora: list[CorpusRecord]
