"""What a run's transplant probe shows: style left and swing of every verifier, and the verdict on its content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.metrics.auc import auc_of_scores
from ravenbench.reports.run.cell_scores import ranked, sides_of
from ravenbench.reports.run.fold_rows import Failure
from ravenbench.statistics.axes import Content, Judged, content_axis
from ravenbench.statistics.content import ContentDesign, ContentFigures, KeptFold, Versions

if TYPE_CHECKING:
    from ravenbench.bench.shared.store import Store
    from ravenbench.bench.shared.transplants import TransplantedFold, TransplantRecord


@dataclass(frozen=True)
class ContentRow:
    """One verifier: its figures, how far content moves its AUC (from, to), and the outcome on the content axis."""

    verifier: str
    figures: ContentFigures
    reach: tuple[float, float] | None
    judged: Judged


@dataclass(frozen=True, eq=False)
class ContentProbe:
    """The transplant probe of a run; a verifier's row depends on no other verifier."""

    section: TransplantRecord
    rows: tuple[ContentRow, ...]
    failures: tuple[Failure, ...]

    def row(self, verifier: str) -> ContentRow:
        """A verifier's row."""
        return next(row for row in self.rows if row.verifier == verifier)


def content_probe(
    store: Store, section: TransplantRecord | None, names: Sequence[str], topics: Sequence[str] = ()
) -> ContentProbe | None:
    """Figures and verdicts of a run's transplant probe; None where it was not asked for.

    ``topics`` are the run's, in the order of its similarities.
    """
    if section is None:
        return None
    nothing = ContentFigures(None, None, None, None, None, None, 0, 0, 0, 0, 0)
    if section.reason is not None:
        judged = Judged(Content.NO_VERDICT, 0.0, reason=section.reason)
        return ContentProbe(section, tuple(ContentRow(name, nothing, None, judged) for name in names), ())
    similarity = store.similarity() if topics else None
    design = ContentDesign(tuple(_kept(store, entry, topics) for entry in section.folds), similarity)
    rows, failures = [], []
    for name in names:
        scores = []
        for entry in section.folds:
            found, failed = _versions(store, name, entry)
            scores.append(found)
            failures += failed
        figures = design.figures(scores)
        rows.append(ContentRow(name, figures, _reach(design.folds, scores), content_axis(figures)))
    return ContentProbe(section, tuple(rows), tuple(failures))


def _reach(folds: Sequence[KeptFold], scores: Sequence[Versions | None]) -> tuple[float, float] | None:
    """AUC with content against the truth and with it, means over folds: the ends of what content can do."""
    ends = []
    for fold, given in zip(folds, scores, strict=True):
        if given is not None:
            against = auc_of_scores(fold.same, np.where(fold.same, given.off, given.on))
            along = auc_of_scores(fold.same, np.where(fold.same, given.on, given.off))
            if against is not None and along is not None:
                ends.append((against, along))
    if not ends:
        return None
    low, high = np.mean(ends, axis=0)
    return float(low), float(high)


def _kept(store: Store, entry: TransplantedFold, names: Sequence[str]) -> KeptFold:
    sides, rows = sides_of(store, entry.source, names), np.asarray(entry.rows, dtype=np.int64)
    topics = sides.topics[rows]
    known = topics if (topics >= 0).all() else None
    return KeptFold(sides.same[rows], sides.authors[rows], sides.problem[rows], known)


def _versions(store: Store, name: str, entry: TransplantedFold) -> tuple[Versions | None, list[Failure]]:
    failures = []
    found = {}
    for version in ("source", "on", "off", "off2"):
        fold = entry.fold(version)
        cell = store.cell(name, fold)
        scores = ranked(cell)
        if scores is not None:
            found[version] = scores
        elif version != "source":
            error = "not computed" if cell is None else cell.error or "no answers"
            failures.append(Failure(store.keys.get((name, fold), ""), name, fold, error))
    if len(found) < 4:
        return None, failures
    rows = np.asarray(entry.rows, dtype=np.int64)
    return Versions(found["source"][rows], found["on"], found["off"], found["off2"]), failures
