"""Defines the records of a safety run's folder: its plan, what was measured, and what a detector found.

In: the fields of each record.
Out: typed records of the folder's JSON files: counts of texts, words and sentences; shares, AUC and TPR from
0 to 1; seconds; grades from 1 (fluent) to 5 (unreadable); measures by name, None where there was nothing to measure.
"""

from __future__ import annotations

from typing import Any, Literal

from ravenbench.store.records import Plan, Record
from ravenbench.types import Measures


class AttackedCorpus(Record, frozen=True, kw_only=True):
    """The attacked problems: their name and language, and the parts of them and of the training problems that could not
    be read.

    ``faults`` and ``left_out_of_training`` say by problem why it was left out, ``notes`` what both sets have in common
    or lack.
    """

    name: str
    language: str | None
    faults: dict[str, str]
    left_out_of_training: dict[str, str]
    notes: list[str] = []


class InversionRecord(Record, frozen=True, kw_only=True):
    """What an inverting attacker restored: number of altered words, precision and recall of the attacker, 0 to 1 (None:
    nothing to count)."""

    precision: float | None
    recall: float | None
    altered: int


class PreimageRecord(Record, frozen=True, kw_only=True):
    """Numbers of changed sentences, and of those whose original is among the preimages found, is the likeliest, or is
    the only one.

    ``share`` is that of the changed sentences whose likeliest preimage is the original; None where none changed.
    """

    changed: int
    covered: int
    guessed: int
    exact: int
    share: float | None


class RewrittenSet(Record, frozen=True, kw_only=True):
    """All rewritings of one obfuscator with one seed, and the fold they make.

    ``rewritings`` are keys by problem, ``changed`` the number of changed texts, ``seconds`` the time of rewriting,
    ``failed`` why a text was not rewritten, ``notes`` the obfuscator's notes, ``counts`` the counts of operations.
    ``not_played`` says by attack why it was left out.
    """

    fold: str
    rewritings: dict[str, str]
    changed: int
    seconds: float
    notes: dict[str, int]
    counts: dict[str, int]
    failed: dict[str, str]
    not_played: dict[str, str] = {}
    inversion: InversionRecord | None = None
    preimage: PreimageRecord | None = None


class ObfuscatorRecord(Record, frozen=True, kw_only=True):
    """An obfuscator of the plan and its rewritings by seed; without any, ``error`` says why it could not be used."""

    name: str
    identity: Any
    version: int
    provenance: str
    sends_text: bool
    sets: dict[int, RewrittenSet]
    error: str | None

    @property
    def first(self) -> tuple[int, RewrittenSet] | None:
        """The first seed and its rewritings."""
        return next(iter(self.sets.items()), None)


class SafetyPlan(Plan, frozen=True, kw_only=True):
    """The manifest of a safety run.

    ``attacked`` are the problems whose questioned text was rewritten, ``attacks`` those that were asked for,
    ``rewritings`` the folder that keeps rewritings, as ``tasks.obfuscate.rewritings.place_of`` names it. ``truth``
    names the candidate who wrote each questioned text (or ``<UNK>``) where attribution methods are attacked.
    """

    corpus: AttackedCorpus
    attacked: list[str]
    attacks: list[str]
    obfuscators: list[ObfuscatorRecord]
    rewritings: str
    truth: list[str] = []


class MeasuredText(Record, frozen=True, kw_only=True):
    """Measures of one rewriting by name (None where there was nothing to measure), and whether its meaning survived."""

    soundness: Measures
    sensibleness: Measures
    efficiency: Measures
    survives: bool


class MeasuresRecord(Record, frozen=True, kw_only=True):
    """``measures/KEY.json``: measures of one obfuscator and seed by problem, and why a measure was not made."""

    key: str
    rows: dict[str, MeasuredText]
    missing: dict[str, str]


class MeasuredSet(Record, frozen=True, kw_only=True):
    """The key of the measures of an obfuscator and seed."""

    obfuscator: str
    seed: int
    key: str


class MeasureIndex(Record, frozen=True, kw_only=True):
    """``measures/index.json``: the measures that the latest call made or found."""

    sets: list[MeasuredSet]


class Detection(Record, frozen=True, kw_only=True):
    """How well a detector that learned from other authors' texts separates rewritings from genuine texts.

    ``auc`` and ``tpr`` (at most 1 % of genuine texts flagged), both 0 to 1, for a detector that knows this obfuscator,
    ``auc_unseen`` and ``tpr_unseen`` for one that knows only the others; None if there are no others or too few
    authors.
    """

    auc: float | None
    tpr: float | None
    auc_unseen: float | None
    tpr_unseen: float | None


class DetectionRecord(Record, frozen=True, kw_only=True):
    """``detection.json``: results by obfuscator, with the key of the rewritings on which they depend."""

    key: str
    obfuscators: dict[str, Detection]


class GradedText(Record, frozen=True, kw_only=True):
    """One reader's grade of the rewriting with the key ``key``.

    ``grade`` is 1 (fluent) to 5 (unreadable), ``verdict`` whether it says the same; None where not given. ``blind``
    says whether the grade was given before the original was seen.
    """

    grader: str
    obfuscator: str
    seed: int
    problem: str
    key: str
    grade: int | None
    verdict: Literal["correct", "passable", "incorrect"] | None
    blind: bool


class GradesRecord(Record, frozen=True, kw_only=True):
    """``grades.json``: all readers' grades of this run's rewritings."""

    grades: list[GradedText]
