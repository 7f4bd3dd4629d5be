"""What ``raven verify`` keeps: its plan, and what stands beside the trained verifier."""

from __future__ import annotations

from ravenbench.engine.transplants import TransplantRecord
from ravenbench.store.records import Plan, Record


class ProblemBlock(Record, frozen=True, kw_only=True):
    """Problems of a fold that are answered together, a cell of its own: the first, and the one after the last."""

    key: str
    start: int
    stop: int
    fold: str = "test"


class VerifyPlan(Plan, frozen=True, kw_only=True):
    """The manifest of ``raven verify``; its fold ``test`` has the problems that it can read.

    Folds ``test-along``, ``test-against``, ``test-off`` and ``test-batch`` are those of the transplant probe,
    ``transplant`` tells of them (None where it was not asked for); their blocks follow those of ``test``.

    ``name`` and ``trained_on`` name the problem sets (None where a trained verifier was loaded); ``learned`` is the
    digest of what was learned from. ``truth`` says whether the test problems came with truth. ``faults`` says why a
    test problem could not be read, ``fault_truth`` has the truth of those that the truth file names; ``left_out``
    says why a training problem was not learned from.
    """

    name: str
    trained_on: str | None
    learned: str
    truth: bool
    blocks: list[ProblemBlock]
    faults: dict[str, str]
    fault_truth: dict[str, bool]
    left_out: dict[str, str]
    notes: list[str]
    transplant: TransplantRecord | None = None


class TrainedRecord(Record, frozen=True, kw_only=True):
    """``trained.json``: the identity of the verifier in ``trained/``, and how long its training took.

    ``seconds`` is None for a verifier that was loaded.
    """

    digest: str
    seconds: float | None
