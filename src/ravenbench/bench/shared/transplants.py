"""The transplant probe's part of a plan: for folds that exist, test sets whose questioned texts have other content.

They are folds like others (with the training set of the fold they come from), so the fits that exist answer them, as
ordinary cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ravenbench.bench.shared.one_table import on_one_table
from ravenbench.bench.shared.progress import Progress
from ravenbench.bench.shared.record import Record
from ravenbench.problems.donors import ByContent
from ravenbench.problems.linked import known_authors
from ravenbench.problems.transplant import Transplanter
from ravenbench.problems.transplanted import shortage
from ravenbench.texts import TextTable
from ravenbench.types import Fold, Labels

VERSIONS = ("on", "off", "off2")


class TransplantedFold(Record, frozen=True, kw_only=True):
    """The three versions of a fold's test set: names of their folds, and which test problems they hold."""

    source: str
    on: str
    off: str
    off2: str
    rows: list[int]
    left_out: dict[str, int]
    repeated: int

    def fold(self, version: str) -> str:
        """Name of the fold of a version: on, off or off2."""
        return str(getattr(self, version))


class TransplantRecord(Record, frozen=True, kw_only=True):
    """The transplant probe: how donors were chosen, how many frequent words stay, which problems were left out and why.

    ``reason`` says why there is nothing to ask.
    """

    by: str
    function_words: int
    reason: str | None
    left_out: dict[str, int]
    folds: list[TransplantedFold]


@dataclass(frozen=True, eq=False)
class Transplants:
    """A plan's section, its folds (over ``texts``), and the table of all texts, those of the plan first."""

    section: TransplantRecord
    folds: list[Fold]
    texts: TextTable


def plan_transplants(
    transplanter: Transplanter, folds: Sequence[Fold], texts: TextTable, progress: Progress
) -> Transplants:
    """Transplant the test sets of these folds, which lie over ``texts``; nothing here raises for lack of donors."""
    entries, made, left_out = [], [], dict[str, int]()
    same = different = 0
    for done, fold in enumerate(folds):
        progress("transplanting content", done, len(folds))
        found = transplanter.transplant(fold.test, fold.test_same)
        truth = fold.test_same[found.rows]
        for why, count in found.left_out.items():
            left_out[why] = left_out.get(why, 0) + count
        if not len(found):
            continue
        same, different = same + int(truth.sum()), different + int((~truth).sum())
        names = {version: f"{fold.name}-{version}" for version in VERSIONS}
        entries.append(
            TransplantedFold(
                source=fold.name,
                **names,
                rows=found.rows.tolist(),
                left_out=dict(found.left_out),
                repeated=found.repeated,
            )
        )
        for version, problems in zip(VERSIONS, (found.on, found.off, found.off2), strict=True):
            labels = {"transplanted": version, "source": fold.name}
            made.append(replace(fold, name=names[version], test=problems, test_same=truth, labels=labels, counts={}))
    reason = transplanter.refusal or shortage(same, different, left_out)
    if reason is not None:
        entries, made = [], []
    section = TransplantRecord(
        by=transplanter.by,
        function_words=len(transplanter.splicer.functions),
        reason=reason,
        left_out=left_out,
        folds=entries,
    )
    table, tests = on_one_table([fold.test for fold in made], texts)
    return Transplants(section, [replace(f, test=t) for f, t in zip(made, tests, strict=True)], table)


def plan_given_transplants(fold: Fold, progress: Progress, seed: int = 0) -> Transplants:
    """Transplant the test set of a fold of given problems, whose documents have no topics and maybe no authors.

    Donors are the fold's own documents, those to learn from and those to test on, by how alike they are in content;
    one that truth links with an author of a problem gives that problem nothing.
    """
    cited = np.union1d(fold.train.documents, fold.test.documents)
    texts, place = TextTable.of_blocks(fold.test.texts.blocks(cited))
    writers = known_authors([(fold.train, fold.train_same), (fold.test, fold.test_same)]).take(cited)
    codes = np.empty(len(texts), dtype=np.int64)
    codes[place] = writers.codes
    transplanter = Transplanter(texts, author=Labels(codes, writers.names), seed=seed)
    return plan_transplants(transplanter, [fold], fold.test.texts, progress)


def nothing_to_ask(reason: str) -> TransplantRecord:
    """A plan's section that says why nothing could be transplanted."""
    return TransplantRecord(by=ByContent.by, function_words=0, reason=reason, left_out={}, folds=[])


def longer(labels: Labels | None, size: int) -> Labels | None:
    """Labels of a table that has grown to ``size`` texts: the further ones have none."""
    if labels is None:
        return None
    more = np.full(size - len(labels.codes), -1, dtype=np.int64)
    return Labels(np.concatenate([labels.codes, more]), labels.names)
