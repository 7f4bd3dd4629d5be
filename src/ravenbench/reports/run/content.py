"""What a run's transplant probe shows: style left and swing of every verifier, and the verdict on its content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.reports.run.cell_scores import ranked, sides_of
from ravenbench.reports.run.fold_rows import Failure
from ravenbench.statistics.axes import Content, Judged, content_axis
from ravenbench.statistics.content import ContentDesign, ContentFigures, KeptFold, Versions

if TYPE_CHECKING:
    from ravenbench.bench.shared.store import Store
    from ravenbench.bench.shared.transplants import TransplantedFold, TransplantRecord


@dataclass(frozen=True)
class ContentRow:
    """One verifier: its figures and the outcome on the content axis."""

    verifier: str
    figures: ContentFigures
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


def content_probe(store: Store, section: TransplantRecord | None, names: Sequence[str]) -> ContentProbe | None:
    """Figures and verdicts of a run's transplant probe; None where it was not asked for."""
    if section is None:
        return None
    nothing = ContentFigures(None, None, None, None, None, None, 0, 0, 0, 0, 0)
    if section.reason is not None:
        judged = Judged(Content.NO_VERDICT, 0.0, reason=section.reason)
        return ContentProbe(section, tuple(ContentRow(name, nothing, judged) for name in names), ())
    design = ContentDesign(tuple(_kept(store, entry) for entry in section.folds))
    rows, failures = [], []
    for name in names:
        scores = []
        for entry in section.folds:
            found, failed = _versions(store, name, entry)
            scores.append(found)
            failures += failed
        figures = design.figures(scores)
        rows.append(ContentRow(name, figures, content_axis(figures)))
    return ContentProbe(section, tuple(rows), tuple(failures))


def _kept(store: Store, entry: TransplantedFold) -> KeptFold:
    sides, rows = sides_of(store, entry.source), np.asarray(entry.rows, dtype=np.int64)
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
