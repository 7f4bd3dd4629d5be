"""Makes a manifest of a comparison's texts: for each shape of case, folds of background pairs and one with the cases.

In: a ``CompareSpec`` and a ``Material`` (its cases).
Out: ``draft``: a ``Draft`` of a ``ComparePlan``: problems with truth by fold (a part of the background's authors),
texts, and records of cases and of the background (``background_record``); ``usual_coverage``: shares of common words, 0
to 1; lengths are counts of words. InputError if the background cannot be read or has one author, SpecError if a
verifier cannot be used. ``components_of`` and ``readable_verifiers`` give verifiers by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ravenbench.components import Component
from ravenbench.engine.pool import Progress, silent
from ravenbench.engine.task import Draft
from ravenbench.errors import SpecError
from ravenbench.ext.case.compare.background import (
    FEWEST_ADVISED,
    Part,
    Population,
    Shaped,
    case_shape,
    choose,
    fitting_shape,
    joined_known,
)
from ravenbench.ext.case.compare.classes import class_shapes
from ravenbench.ext.case.compare.dossier import Cited, standing
from ravenbench.ext.case.compare.material import (
    CaseTexts,
    Material,
    Screened,
    capitals,
    not_comparable,
    plainly,
    screen,
    unlike,
)
from ravenbench.ext.case.compare.record import (
    BackgroundRecord,
    CaseRecord,
    CaseTextRecord,
    ComparePlan,
    Reason,
    ShapeRecord,
    Why,
    pairs_array,
)
from ravenbench.ext.case.compare.spec import CompareSpec
from ravenbench.ext.case.like_case import Shape
from ravenbench.ext.case.sentences import say
from ravenbench.reading.account import ACCOUNT, Note, in_words
from ravenbench.reading.load import load_corpus, without_shared
from ravenbench.reading.remarks import prepared_otherwise
from ravenbench.reading.texts import Text
from ravenbench.store.plans import cell_places, fold_record, on_one_table, verifier_record
from ravenbench.store.records import Plan
from ravenbench.text.common_words import coverage
from ravenbench.texts import TextTable, content_hash
from ravenbench.types import Corpus
from ravenbench.verifiers.contract.base import as_verifier
from ravenbench.verifiers.contract.languages import readable

P = TypeVar("P", bound=Plan)


def draft(
    spec: CompareSpec,
    material: Material,
    progress: Progress = silent,
    whole: bool = False,
    citation: Cited | None = None,
) -> Draft[ComparePlan]:
    """Return the ``Draft`` of a comparison: choose the background's pairs and make the problems of all cases that
    are not refused, by the cited dossier or otherwise. Raises InputError if the background cannot be read or has only
    one author, SpecError if a verifier cannot be used here. ``whole``: as for ``Shaped``."""
    components = components_of(spec)
    progress("reading the background", 0, 0)
    members = material.corpus is not None
    corpus = material.corpus or load_corpus(
        spec.background, **{**spec.reading(), "strip_shared": None if spec.strip_shared else False}
    )
    if spec.strip_shared and not members:
        plain = plainly(material.cases, corpus)
        corpus = without_shared(corpus)
        material = material.of(plain)
    components, notes = readable_verifiers(components, corpus)
    notes += map(str, _preparation(material.cases, corpus))
    screened = screen(material.cases, corpus, members)
    fewest = FEWEST_ADVISED if whole else None
    background = choose(corpus, screened.usable, spec.authors, spec.seed, fewest)
    usual, spread = usual_coverage(background)
    refusals = {
        case.id: [*screened.refusals[case.id], *not_comparable(case)] for case in material.cases
    }
    usual_capitals = capitals(background.corpus.texts)
    for case in material.cases:
        if all(reason.why is not Why.NO_BLANKS for reason in refusals[case.id]):
            refusals[case.id] += unlike(case, background.space.functions, usual, usual_capitals)
    case_texts = TextTable.collect(
        [text.text for case in material.cases for text in (case.questioned, *case.candidate.texts)]
    )[0]
    row = {case_texts.hash(i): i for i in range(len(case_texts))}
    shapes: list[ShapeRecord] = []
    parts: list[Part] = []
    placed = dict[str, tuple[ShapeRecord, int | None]]()
    ready = [case for case in material.cases if not refusals[case.id]]
    for wanted, cases in class_shapes(background, ready) if members else _by_shape(ready):
        progress("making background pairs", len(shapes), 0)
        if unvalidated := _not_validated(citation, fitting_shape(background, wanted)[0]):
            refusals |= {case.id: unvalidated for case in cases}
            continue
        shaped = Shaped(spec, background, wanted, f"s{len(shapes)}", cases, whole)
        few = _too_few(shaped, background)
        refusals |= {case.id: few for case in cases} if few else shaped.refused
        if shaped.record.problems:
            shapes.append(shaped.record)
            parts += shaped.parts
            placed |= {c.id: (shaped.record, shaped.part.get(c.id)) for c in shaped.cases}
    laid_out = LaidOut(parts, components, case_texts)
    plan = ComparePlan(
        **laid_out.common,
        background=background_record(background, screened.left_out, spread),
        shapes=shapes,
        cases=[
            _case_record(
                one, background, placed.get(one.id, (None, None)), refusals[one.id], screened, row
            )
            for one in material.cases
        ],
        notes=[*material.notes, *notes],
        copies=list(material.copies),
        validated=citation,
    )
    return laid_out.draft(plan)


def _preparation(cases: Sequence[CaseTexts], corpus: Corpus) -> list[Note]:
    """Marks of preparation that tell texts of cases from the background's; those that tell questioned from known texts
    only where the background tells no more."""
    questioned = [(case.questioned.name, case.questioned.text) for case in cases]
    known = [(text.name, text.text) for case in cases for text in case.candidate.texts]
    texts = list(dict.fromkeys(questioned + known))
    notes = prepared_otherwise(texts, corpus.texts, "background texts")
    marks = {note.values["mark"] for note in notes}
    among_them = prepared_otherwise(questioned, (text for _, text in known), "known texts")
    return notes + [note for note in among_them if note.values["mark"] not in marks]


def _not_validated(citation: Cited | None, shape: Shape) -> list[Reason]:
    """Why cases of a shape are not answered for the dossier that is cited."""
    if citation is None or citation.unvalidated:
        return []
    place = standing(citation, shape.known, shape.questioned)
    return [Reason.of(Why.NOT_VALIDATED, coverage=place.sentence)] * (not place.valid)


def _too_few(shaped: Shaped, background: Population) -> list[Reason]:
    """The refusal of a shape that too few background authors can fill, and what would help."""
    shape = shaped.record
    more = background.fewest - shaped.count
    if more <= 0:
        return []
    others = len(background.authors) - len(shape.authors)
    rest = f", or more and longer texts by the other {others}" if others else ""
    said = say(
        "few texts",
        count=shaped.count,
        least=background.fewest,
        more=more,
        texts=len(shape.known),
        words=shape.questioned,
        rest=rest,
    )
    return [Reason(Why.FEW_AUTHORS, said)]


class LaidOut:
    """Folds of background pairs, and of cases, as a plan has them: their texts in one table, with the texts of cases."""

    def __init__(
        self,
        parts: Sequence[Part],
        components: Mapping[str, Component],
        texts: TextTable | None = None,
    ) -> None:
        sides = [side for fold, _ in parts for side in (fold.train, fold.test)]
        self.texts, moved = on_one_table(sides, texts)
        self.folds = [
            replace(fold, train=train, test=test.blind())
            for (fold, _), train, test in zip(parts, moved[::2], moved[1::2], strict=True)
        ]
        self.arrays = {pairs_array(fold.name): array for fold, array in parts if array is not None}
        records = {fold.name: fold_record(fold) for fold in self.folds}
        verifiers = [verifier_record(name, component) for name, component in components.items()]
        cells = cell_places(components, records)
        self.common: dict[str, Any] = {"folds": records, "verifiers": verifiers, "cells": cells}
        """The parts that every plan has."""

    def draft(self, plan: P) -> Draft[P]:
        """Return the draft of a plan."""
        return Draft(plan, self.folds, self.texts, arrays=self.arrays)


def _by_shape(cases: Sequence[CaseTexts]) -> list[tuple[Shape, list[CaseTexts]]]:
    """Cases by their own shape."""
    return [
        (shape, [c for c in cases if case_shape(c) == shape])
        for shape in sorted({case_shape(c) for c in cases})
    ]


def components_of(spec: CompareSpec) -> dict[str, Component]:
    """Return the verifiers of a comparison, by name. Raises SpecError for the first whose scores cannot be calibrated
    across folds."""
    components = spec.components()
    for name, component in components.items():
        if as_verifier(component).transductive or not getattr(component, "cross_fit", True):
            raise SpecError(
                f"{name} changes its scale each time it learns, so Raven cannot calibrate its"
                " scores"
            )
    return components


def readable_verifiers(
    components: Mapping[str, Component], corpus: Corpus
) -> tuple[dict[str, Component], list[str]]:
    """Return the verifiers that can read a background, and notes on the others, on its texts that name their author,
    and on parts left out of documents. Raises SpecError if no verifier can."""
    components, unread = readable(components, corpus.texts)
    return components, [
        *(f"background: {sentence}" for sentence in corpus.notes.get(ACCOUNT, ())),
        *unread,
    ]


def usual_coverage(background: Population) -> tuple[float, list[float]]:
    """Return proportions (0 to 1) of common words in the background's texts: that of a typical text; then minimum,
    median and maximum."""
    shares = [coverage(text, background.space.functions) for text in background.corpus.texts]
    low, middle, high = (float(np.quantile(shares, q)) for q in (0.0, 0.5, 1.0))
    return middle, [low, middle, high]


def background_record(
    background: Population, left_out: list[str], spread: list[float]
) -> BackgroundRecord:
    """Return the record of a plan's background."""
    words = [len(text.split()) for text in background.corpus.texts]
    return BackgroundRecord(
        name=background.corpus.name,
        notes={
            key: value
            for key, value in in_words(background.corpus.notes).items()
            if key != "defaults"
        },
        documents=len(background.corpus),
        authors=list(background.authors),
        all_authors=len(background.authors) + background.dropped,
        left_out=left_out,
        coverage=spread,
        words=[int(np.min(words)), int(np.median(words)), int(np.max(words))],
        functions=sorted(background.space.functions),
    )


def _case_record(
    case: CaseTexts,
    background: Population,
    place: tuple[ShapeRecord | None, int | None],
    refusals: list[Reason],
    screened: Screened,
    row: dict[bytes, int],
) -> CaseRecord:
    def text_record(text: Text) -> CaseTextRecord:
        return CaseTextRecord(
            name=text.name,
            row=row[content_hash(text.text)],
            words=text.words,
            sha256=text.sha256,
            coverage=coverage(text.text, background.space.functions),
            left_out="" if text.document is None else text.document.account,
        )

    shape, part = place
    members = background.authors if part is not None else ()
    most = 0 if shape is None else len(shape.known)
    known_names = [
        " and ".join(text.name for text in case.candidate.texts if text.text in joined)
        for joined in joined_known(case, most)
    ]
    return CaseRecord(
        id=case.id,
        candidate=case.candidate.name,
        questioned=text_record(case.questioned),
        known=[text_record(text) for text in case.candidate.texts],
        shape=None if shape is None else shape.name,
        refusals=refusals,
        notes=screened.notes[case.id],
        part=part,
        author=members.index(case.candidate.name) if case.candidate.name in members else None,
        known_names=known_names,
    )
