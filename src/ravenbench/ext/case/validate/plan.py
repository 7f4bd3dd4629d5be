"""Makes the plan of a dossier: background pairs as ``compare`` makes them for each size, and those under conditions.

In: a ``ValidateSpec`` (path of a background, criterion) and a list of ``Condition`` (words, known texts, labels).
Out: a ``Draft`` of a ``ValidatePlan``: pairs with truth (True = one author) by fold, a ``TestedRecord`` a condition;
``criterion_lines``: sentences. InputError if the background cannot be read, is too small or lacks a label, SpecError if
a verifier cannot be used.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from ravenbench.engine.pool import Progress, silent
from ravenbench.engine.task import Draft
from ravenbench.ext.case.compare.background import (
    FEWEST_AUTHORS,
    NEAREST,
    Population,
    Shaped,
    choose,
    cross_pairs,
    fitting_shape,
    problems_of,
    strangers,
)
from ravenbench.ext.case.compare.dossier import Condition, Criterion, fixed_hash
from ravenbench.ext.case.compare.plan import (
    LaidOut,
    background_record,
    components_of,
    readable_verifiers,
    usual_coverage,
)
from ravenbench.ext.case.compare.record import (
    BackgroundRecord,
    ShapeRecord,
    under,
)
from ravenbench.ext.case.like_case import AuthorTexts, Shape
from ravenbench.ext.case.sentences import say
from ravenbench.ext.case.validate.conditions import ConditionSides, check, shape_under
from ravenbench.ext.case.validate.spec import ValidateSpec
from ravenbench.problems.transplant import Transplanter
from ravenbench.reading.load import load_corpus
from ravenbench.store.records import Plan, Record
from ravenbench.types import Bools, Corpus, Problems


class TestedRecord(Record, frozen=True, kw_only=True):
    """A cell: its condition, the shape from whose pairs its LRs are learned, the ``pairs`` that test it (those of the
    shape if the condition names no label), and the ``reason`` if it cannot be tested."""

    condition: Condition
    shape: str | None
    pairs: ShapeRecord | None
    reason: str | None = None


class ValidatePlan(Plan, frozen=True, kw_only=True):
    """The manifest of ``raven validate``. ``background_sha`` identifies its background for a comparison."""

    background: BackgroundRecord
    criterion: Criterion
    fixed: str
    shapes: list[ShapeRecord]
    tested: list[TestedRecord]
    notes: list[str] = []


class Tested(Shaped):
    """A shape without cases and, in each of its folds, the pairs under conditions of this size: ``under`` by number."""

    def __init__(
        self,
        spec: ValidateSpec,
        background: Population,
        corpus: Corpus,
        wanted: Shape,
        name: str,
        conditions: dict[int, Condition],
    ) -> None:
        self._sides = {
            number: ConditionSides(one, background, corpus) for number, one in conditions.items()
        }
        self._found: dict[int, list[AuthorTexts]] = {}
        self._folds_under: dict[int, list[str]] = {number: [] for number in conditions}
        super().__init__(spec.compared(), background, wanted, name, ())
        self.under = {number: self._under(number) for number in self._found}

    def _splicer(self, everyone: Sequence[AuthorTexts]) -> Transplanter:
        able = sorted({one.author for one in everyone})
        self._found = {
            number: sides.writers(self.background, self.shape, self.seed, able)
            for number, sides in self._sides.items()
        }
        more = [one for by_author in self._found.values() for one in by_author]
        return super()._splicer([*everyone, *more])

    def _fold(
        self, number: int, able: Sequence[int], part: Sequence[int]
    ) -> tuple[Problems, Bools]:
        train, train_same = super()._fold(number, able, part)
        for condition, sides in self._sides.items():
            tested = [one for one in self._found[condition] if one.author in part]
            pairs = cross_pairs(self.background, tested, self.seed, NEAREST, sides.allowed(tested))
            if not pairs:
                continue
            name = under(self.folds[-1], condition)
            pairs_asked = problems_of(tested, [pair for pair, _ in pairs])
            rows = [
                (tested[p.known[0]].author, tested[p.questioned[0]].author, alike)
                for p, alike in pairs
            ]
            self._add_pairs(
                name, (train, train_same), *pairs_asked, np.array(rows, dtype=np.float64)
            )
            self._folds_under[condition].append(name)
        return train, train_same

    def _under(self, condition: int) -> ShapeRecord:
        by_author = self._found[condition]
        sides = self._sides[condition]
        return msgspec.structs.replace(
            self.record,
            name=under(self.name, condition),
            authors=[one.author for one in by_author if one.own],
            folds=self._folds_under[condition],
            strangers=strangers(self.background, by_author, sides.allowed(by_author)),
        )


def draft(
    spec: ValidateSpec,
    conditions: Sequence[Condition],
    progress: Progress = silent,
) -> Draft[ValidatePlan]:
    """Return the ``Draft`` of a dossier with all pairs. Raises InputError if the background cannot be read, is too
    small or lacks a label, SpecError if a verifier cannot be used here."""
    compared = spec.compared()
    components = components_of(compared)
    progress("reading the background", 0, 0)
    corpus = load_corpus(spec.background, **spec.reading())
    components, notes = readable_verifiers(components, corpus)
    check(conditions, corpus, Path(spec.conditions or ""))
    background = choose(corpus, np.ones(len(corpus), dtype=np.bool_), spec.authors, spec.seed)
    sizes = sorted({shape_under(condition) for condition in conditions})
    made: dict[Shape, Tested] = {}
    for number, wanted in enumerate(sizes):
        progress("making background pairs", number, len(sizes))
        if fitting_shape(background, wanted)[0] == wanted:
            here = {
                i: one
                for i, one in enumerate(conditions)
                if one.between and shape_under(one) == wanted
            }
            made[wanted] = Tested(spec, background, corpus, wanted, f"s{number}", here)
    tested = [_tested(i, one, made.get(shape_under(one))) for i, one in enumerate(conditions)]
    used = {one.shape for one in tested}
    shapes = [one for one in made.values() if one.record.name in used]
    laid_out = LaidOut([part for one in shapes for part in one.parts], components)
    criterion = spec.criterion()
    plan = ValidatePlan(
        **laid_out.common,
        background=background_record(background, [], usual_coverage(background)[1]),
        criterion=criterion,
        fixed=fixed_hash(criterion, conditions),
        shapes=[one.record for one in shapes],
        tested=tested,
        notes=notes,
    )
    return laid_out.draft(plan)


def _tested(number: int, condition: Condition, made: Tested | None) -> TestedRecord:
    reason = None
    pairs = None
    if made is None or not made.folds:
        reason = say("too small")
    else:
        pairs = made.under[number] if condition.between else made.record
        least = made.background.fewest
        if len(pairs.authors) < least or not pairs.strangers:
            reason = say("too few sides", count=len(pairs.authors), least=least)
    if reason is not None or made is None:
        return TestedRecord(condition=condition, shape=None, pairs=None, reason=reason)
    return TestedRecord(condition=condition, shape=made.record.name, pairs=pairs)


def criterion_lines(criterion: Criterion) -> list[str]:
    """Return a criterion in sentences."""
    values = msgspec.to_builtins(criterion) | {"strength": 10**criterion.strong}
    needed = {"shown": criterion.fewest_shown, "strong_from": criterion.fewest_strong}
    values |= {"least": FEWEST_AUTHORS, **needed}
    return [say(code, **values) for code in ("passes", "people needed", "falls")]
