"""What a transplant probe shows: the figures of every verifier, and the verdict on what content does to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ravenbench.metrics.pan import auc_of_scores
from ravenbench.reports.shared.cell_scores import Failure, answered, sides_of
from ravenbench.statistics.axes import Content, Judged, content_axis
from ravenbench.statistics.content import ContentDesign, ContentFigures, KeptFold, Versions, alike, left_open
from ravenbench.statistics.estimates import Interval
from ravenbench.types import Bools, Floats

if TYPE_CHECKING:
    from ravenbench.engine.transplants import TransplantedFold, TransplantRecord
    from ravenbench.store.store import Store

Read = Callable[[str, str], tuple[Floats | None, str]]
"""Scores (n,) of a verifier on a fold's test problems, NaN where it could not answer one; None and why without any."""
NOTHING = ContentFigures()
OLD = "the folder comes from a version of Raven that did not ask the arms as sets; make the run again"


@dataclass(frozen=True)
class ContentRow:
    """One verifier: its figures, how far content moves its AUC (from, to), and the outcome on the content axis.

    ``refused`` counts problems that it could not answer in every version; its AUCs are without them.
    """

    verifier: str
    figures: ContentFigures
    reach: tuple[float, float] | None
    judged: Judged
    refused: int = 0


@dataclass(frozen=True, eq=False)
class ContentProbe:
    """A transplant probe; a verifier's row depends on no other verifier."""

    section: TransplantRecord
    rows: tuple[ContentRow, ...]
    failures: tuple[Failure, ...]

    def row(self, verifier: str) -> ContentRow:
        """A verifier's row."""
        return next(row for row in self.rows if row.verifier == verifier)


def content_probe(
    store: Store,
    section: TransplantRecord | None,
    names: Sequence[str],
    topics: Sequence[str] = (),
    read: Read | None = None,
) -> ContentProbe | None:
    """Figures and verdicts of a transplant probe; None where it was not asked for.

    ``topics`` are the run's, in the order of its similarities; ``read`` finds scores where
    they are not in one cell for each fold.
    """
    if section is None:
        return None
    if section.reason is not None:
        judged = Judged(Content.NO_VERDICT, 0.0, reason=section.reason)
        return ContentProbe(section, tuple(ContentRow(name, NOTHING, None, judged) for name in names), ())
    if not all(entry.arms for entry in section.folds):
        judged = Judged(Content.NO_VERDICT, 0.0, reason=OLD)
        return ContentProbe(section, tuple(ContentRow(name, NOTHING, None, judged) for name in names), ())
    found = read or partial(stored, store)
    similarity = store.similarity() if topics else None
    design = ContentDesign(tuple(_kept(store, entry, topics) for entry in section.folds), similarity)
    reference = section.reference()
    lengths = None if reference is None else reference.interval("lengths", "swing")
    rows: list[ContentRow] = []
    failures: list[Failure] = []
    for name in names:
        scores = [
            _versions(found, name, entry, fold.same, failures, store)
            for entry, fold in zip(section.folds, design.folds, strict=True)
        ]
        told = [_batched(found, name, entry) for entry in section.folds if entry.batch is not None]
        batched = None if not told or None in told else any(told)
        rows.append(_row(name, design, scores, True if True in told else batched, lengths))
    return ContentProbe(section, tuple(rows), tuple(failures))


def joined(sections: Sequence[TransplantRecord]) -> TransplantRecord | None:
    """Several probes as one over all their folds; those with nothing to ask are left out, unless all are."""
    if not sections:
        return None
    asked = [section for section in sections if section.reason is None]
    if not asked:
        return sections[0]
    left_out: dict[str, int] = {}
    for section in asked:
        for why, count in section.left_out.items():
            left_out[why] = left_out.get(why, 0) + count
    folds = [fold for section in asked for fold in section.folds]
    ways = " or ".join(sorted({section.kept_by for section in asked}))
    most = max(section.function_words for section in asked)
    return msgspec.structs.replace(
        asked[0], left_out=left_out, folds=folds, references=[], kept_by=ways, function_words=most
    )


def stored(store: Store, name: str, fold: str) -> tuple[Floats | None, str]:
    """What the cell of a verifier on a fold holds."""
    cell = store.cell(name, fold)
    return answered(cell), "not computed" if cell is None else cell.error or "no answers"


def _row(
    name: str, design: ContentDesign, scores: Sequence[Versions | None], batched: bool | None, lengths: Interval | None
) -> ContentRow:
    silence = design.silence([None if given is None else left_open(given) for given in scores])
    complete: list[Bools | None] = [
        None if s is None else np.asarray(np.isfinite(np.stack(s)).all(axis=0), dtype=np.bool_) for s in scores
    ]
    refused = sum(0 if mask is None else int((~mask).sum()) for mask in complete)
    if refused:
        pairs = list(zip(design.folds, complete, strict=True))
        design = ContentDesign(
            tuple(fold if mask is None else _only(fold, mask) for fold, mask in pairs), design.similarity
        )
        scores = [
            None if s is None or mask is None else Versions(*(values[mask] for values in s))
            for s, mask in zip(scores, complete, strict=True)
        ]
    figures = design.figures(scores, batched=batched)._replace(silence=silence)
    judged = content_axis(figures, lengths=lengths)
    if refused:
        note = f"{refused} problems could not be answered in every version and are left out of AUCs"
        judged = judged._replace(reason=note if judged.reason is None else f"{judged.reason}; {note}")
    return ContentRow(name, figures, _reach(design.folds, scores), judged, refused)


def _batched(read: Read, name: str, entry: TransplantedFold) -> bool | None:
    """Whether some problems get other scores in another batch, smaller and in another order; None without answers."""
    assert entry.batch is not None
    (again, _), (first, _), (off, _) = (read(name, fold) for fold in (entry.batch, entry.source, entry.arms["off"]))
    if again is None or first is None or off is None:
        return None
    place = np.asarray(entry.again, dtype=np.int64)
    before = np.where(np.arange(len(place)) % 2, off[place], first[np.asarray(entry.rows)[place]])
    return not alike(again, before, np.concatenate([first, off]))


def _only(fold: KeptFold, mask: Bools) -> KeptFold:
    topics = None if fold.topics is None else fold.topics[mask]
    return KeptFold(fold.same[mask], fold.sides[mask], fold.problem[mask], topics)


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


def _versions(
    read: Read, name: str, entry: TransplantedFold, same: Bools, failures: list[Failure], store: Store
) -> Versions | None:
    found = {}
    for arm in ("source", *entry.arms):
        fold = entry.fold(arm)
        scores, error = read(name, fold)
        if scores is not None:
            found[arm] = scores
        elif arm != "source":
            failures.append(Failure(store.keys.get((name, fold), fold), name, fold, error))
    if len(found) <= len(entry.arms):
        return None
    along, against = found["along"], found["against"]
    plain = found["source"][np.asarray(entry.rows, dtype=np.int64)]
    return Versions(plain, np.where(same, along, against), np.where(same, against, along), found["off"])
