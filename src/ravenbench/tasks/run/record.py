"""Defines the records of the plan of ``raven run``: topics, pools, setups, a sweep, the probe.

In: the fields of each record.
Out: typed records as in ``plan.json`` (``RunPlan``); topics are numbers from 0 into the plan's list of names,
similarities are cosines from −1 to 1, ``reached`` is a share from 0 to 1, other numbers are counts; None where a run
has no such part.
"""

from __future__ import annotations

from typing import Any

from ravenbench.engine.transplants import Shown, TransplantRecord
from ravenbench.problems.pair_rules import Matched
from ravenbench.store.records import Plan, Record


class CorpusRecord(Record, frozen=True, kw_only=True):
    """The corpus of a run, with counts of its documents, authors and topics; ``authors`` is None if they are unknown,
    ``notes`` are the notes of its source."""

    name: str
    documents: int
    authors: int | None
    topics: int
    notes: dict[str, Any]


class PoolRecord(Record, frozen=True, kw_only=True):
    """The topics (indices) from which a sampler may choose."""

    pool: int
    topics: list[int]


class SetupRecord(Record, frozen=True, kw_only=True):
    """A sampler's choice within a pool.

    ``topics`` are in order of choice, ``merged`` says as which chosen topic another topic counts. Similarities are
    cosines over train × test topic pairs, mean over folds; None if a run has no topics.
    """

    pool: int
    setup: str
    topics: list[int]
    merged: dict[int, int]
    mean_similarity: float | None
    max_similarity: float | None
    folds: list[str]


class PointRecord(SetupRecord, frozen=True, kw_only=True):
    """A point of a sweep: m topics chosen by an encoder (its index); similarities also in that encoder."""

    m: int
    encoder: int
    own_mean_similarity: float
    own_max_similarity: float


class SweepRecord(Record, frozen=True, kw_only=True):
    """Every design of a sweep, the main one first; those that choose the same topics share folds."""

    m: list[int]
    encoders: list[str]
    samplers: dict[str, str]
    setups: list[PointRecord]


class DomainRecord(Record, frozen=True, kw_only=True):
    """Topics (indices) of a domain of the probe."""

    test: list[int]
    train: list[int]


class RepetitionRecord(Record, frozen=True, kw_only=True):
    """One repetition of the crossed probe, or (``null``) one with similarities permuted.

    Similarities are mean cosines. ``folds`` are its four by training domain and test domain: aa, ab, ba, bb.
    """

    repetition: int
    null: bool
    domains: list[DomainRecord]
    matched_similarity: float
    mismatched_similarity: float
    folds: dict[str, str]

    @property
    def topics(self) -> list[int]:
        """Every topic, by its number, of either domain."""
        return [topic for domain in self.domains for topic in (*domain.test, *domain.train)]


class ProbeRecord(Record, frozen=True, kw_only=True):
    """The crossed probe: test topics of a domain, training topics for each, repetitions; or the reason why there are
    none."""

    kind: str
    tests: int
    near: int
    planned: int
    left_out: int
    reason: str | None
    repetitions: list[RepetitionRecord]


class LengthRecord(Record, frozen=True, kw_only=True):
    """Folds whose texts were cut to ``words`` words.

    ``reached`` is the proportion of their test problems whose texts all had this many words.
    """

    words: int
    folds: list[str]
    reached: float


class StrataRecord(Record, frozen=True, kw_only=True):
    """Problems of evenly filled strata: their folds, by the fold whose training set answers them, and how
    many ``pairs`` each of the four kinds has in all; ``reason`` says why there are none. ``reference`` has AUCs of a
    scorer that guesses topic from what stays when words are replaced (``topic_reference``)."""

    folds: dict[str, str]
    pairs: int
    reason: str | None = None
    reference: Shown = {}


class RunPlan(Plan, frozen=True, kw_only=True):
    """The manifest of the main job; index in ``topics`` = row of ``similarity.npy``."""

    corpus: CorpusRecord
    topics: list[str]
    encoder: str | None
    second_encoder: str | None
    pairs: str
    k: int
    m: int
    documents_per_topic: int | None
    pools: list[PoolRecord]
    setups: list[SetupRecord]
    sweep: SweepRecord | None
    probe: ProbeRecord | None
    transplant: TransplantRecord | None = None
    strata: StrataRecord | None = None
    lengths: list[LengthRecord] = []

    @property
    def matched(self) -> bool:
        """Whether different-author pairs are drawn from the same pairs of topics as same-author pairs."""
        return self.pairs.partition("(")[0] == Matched.name
