"""The plan of ``raven attribute``: documents, splits, and the weights that held-out topics change."""

from __future__ import annotations

from ravenbench.store.records import Plan, Record


class DocumentsRecord(Record, frozen=True, kw_only=True):
    """Documents that take part, by their corpus, authors and topics; what was left out by reason, names joined."""

    corpus: str
    authors: list[str]
    topics: list[str]
    dropped: dict[str, int]
    dropped_authors: dict[str, int]
    merged: dict[str, str]


class SplitRecord(Record, frozen=True, kw_only=True):
    """One split of a protocol; ``fold`` is its entry among folds and cells, ``unseen`` authors are not taught."""

    name: str
    fold: str
    documents: int
    unseen: list[str]


class ProtocolRecord(Record, frozen=True, kw_only=True):
    """A protocol's splits; row i of ``splits.npy`` says in which split of protocol i each document is held out."""

    protocol: str
    splits: list[SplitRecord]


class CuesRecord(Record, frozen=True, kw_only=True):
    """The method whose weights are compared: the cell of those that all documents teach, and a cell for each topic
    held out, in the order of the novel-topic splits."""

    method: str
    base: str
    moved: list[str]


class AttributePlan(Plan, frozen=True, kw_only=True):
    """The manifest of an attribution; ``documents.npy`` holds text row, author code and topic code of each document."""

    documents: DocumentsRecord
    protocols: list[ProtocolRecord]
    cues: CuesRecord | None
