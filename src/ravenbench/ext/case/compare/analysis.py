"""Computes from a comparison's cells what it states: likelihood ratios (LRs), their worth and their grounds.

In: the ``Store`` (folder) of ``raven compare`` with the verifiers' scores; for the other functions ``PairScores``,
``Validated`` or log10 LRs (n,) with truth (n,).
Out: a ``Comparison`` with one ``CaseFound`` a case: log10 LRs (unbounded, above 0 for the candidate) with bounds and 95
% intervals, or a ``Reason`` for none; C_llr in bits (lower = better), EER from 0 to .5, shares from 0 to 1, counts of
pairs. ``judged_by`` gives the pairs that a case is judged by; ``sets_llr`` and ``disagreement`` one part of it each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import structs

from ravenbench.ext.case import sentences
from ravenbench.ext.case.compare.background import without
from ravenbench.ext.case.compare.dossier import DossierStanding, standing
from ravenbench.ext.case.compare.evidence import Evidence, evidence
from ravenbench.ext.case.compare.model import (
    DRAWS,
    FUSED,
    CombinedLLR,
    PairScores,
    ShapeScores,
    Validated,
    ends_of,
    halved,
    held_out,
    promise,
    read_scores,
    select_pairs,
    subset,
    validate,
    was_transplanted,
)
from ravenbench.ext.case.compare.record import (
    CaseRecord,
    CaseTextRecord,
    ComparePlan,
    FoldRole,
    Reason,
    ShapeRecord,
    Why,
    part_of,
)
from ravenbench.ext.case.content import VerifierContent, verifier_contents
from ravenbench.ext.case.likelihood_ratios import (
    MeasureEstimate,
    cllr,
    cllr_min,
    eer,
    misleading,
)
from ravenbench.ext.case.sentences import NEITHER, WEAK, say, verbal
from ravenbench.ext.case.stated import DrawnPairs, Stated
from ravenbench.reports.answers import Answer
from ravenbench.reports.cells import Failure
from ravenbench.reports.view import unlike
from ravenbench.store.records import Record
from ravenbench.store.store import Store
from ravenbench.types import Floats, Interval

RARE = 0.01
"""Raven answers a case only if more than this proportion of the background's sets of texts by one author agree as
little."""
MOST_SHOWN = 12
"""Number of cases with passages and features; all cases have a page and are in ``case.json``."""
BLIND = 0.9
"""C_llr^min from which style alone shows nothing."""
WORTHLESS = 0.95
"""C_llr from which LRs are hardly better than none: Raven gives no answer if its whole interval is above this, so that
the answer to most cases does not depend on the choice of background authors."""
SURE = 2.58
"""Standard errors on either side of a log10 LR within which another draw is expected in 99 of 100 draws."""
UNSHOWN = 0.3
"""Maximum |log10 LR| if another draw might not show support."""
FIRST = {Why.COPIED: 0, Why.DISAGREEING: 2}
"""Ranks of cases without an answer for these reasons, in a list of cases that need attention."""


LINE = {"name": "verifier", "llr": "log10_lr", "raw": "log10_lr_unbounded"}


class LRLine(Record, frozen=True, kw_only=True, rename=LINE):
    """A verifier (or the combination): its log10 LR within its bounds, ``raw`` before, 95 % interval and bounds (log10
    too), and the quality of such LRs on pairs with known truth: numbers of same-author (``same``) and different-author
    pairs, C_llr and C_llr^min in bits, equal error rate as a proportion (0 to 0.5)."""

    same: int
    different: int
    cllr: float
    cllr_min: float
    eer: float
    name: str
    llr: float
    raw: float
    interval: Interval
    bounds: Interval


class ContentCheck(Record, frozen=True, kw_only=True):
    """The case with other content, all in log10 LRs: of the texts as written, of style alone (the mean over versions),
    of every version; the outcome, and its sentence.

    ``log10_lr_style`` is calibrated on background pairs with content words replaced too; the others are not.
    """

    outcome: str
    sentence: str
    log10_lr_written: float
    log10_lr_style: float
    versions: list[float]


class CaseScored(Record, frozen=True, kw_only=True):
    """The findings for a case that could be scored.

    ``misleading`` is the proportion (0 to 1) of background pairs of the other kind with an LR as strong as the
    combination's, the last of the ``verifiers``, and ``misleading_pairs`` the number of these pairs, and of all;
    ``known_against_others`` are log10 LRs; ``promise`` is the quality of such LRs on authors left out;
    ``bootstrap_samples`` is the number behind the intervals, and ``error`` the standard error of the log10 LR between
    draws of pairs and verifiers.
    """

    verifiers: list[LRLine]
    verifiers_and_content: list[VerifierContent]
    misleading: float
    misleading_pairs: tuple[int, int]
    known_against_others: list[float]
    bootstrap_samples: int
    error: float
    content: ContentCheck | None
    promise: dict[str, MeasureEstimate]

    @property
    def fused(self) -> LRLine:
        """The line of all verifiers together."""
        return self.verifiers[-1]


class ComparedAs(Record, frozen=True, kw_only=True):
    """Numbers of words of the compared texts, and whether the background has too few texts for the case's size."""

    known: list[int]
    questioned: int
    shortened: bool


CASE = {
    "id": "case",
    "compared": "compared_as",
    "alike": "content_similarity",
    "standing": "validated",
}


class CaseFound(Stated, frozen=True, kw_only=True, rename=CASE):
    """A case: its texts, its findings if it was ``scored``, and its relation to the cited dossier; ``alike`` is the
    content similarity (cosine) of its two sides, cut as they were ``compared``; ``pairs`` is the name of the pairs that
    judge it."""

    id: str
    candidate: str
    questioned: CaseTextRecord
    known: list[CaseTextRecord]
    compared: ComparedAs | None
    alike: float | None
    scored: CaseScored | None
    standing: DossierStanding | None = None
    evidence: Evidence | None = None
    pairs: str = ""

    @property
    def line(self) -> LRLine | None:
        """The LR, if Raven gives an answer."""
        return self.scored.fused if self.scored is not None and self.answered else None

    @property
    def attention(self) -> tuple[int, float]:
        """The place of the case in a list of cases that need attention, first the lowest: copies; support for someone
        else; known texts that disagree; other cases without an answer; the rest, by log10 LR."""
        if self.line is None:
            return min((FIRST.get(reason.why, 3) for reason in self.reasons), default=3), 0.0
        for_someone_else = self.line.llr <= -WEAK and self.line.interval[1] < 0
        return (1 if for_someone_else else 4), self.line.llr

    def to_json(self) -> dict[str, Any]:
        """Return an object of plain values; log10 LRs are above 0 for the candidate."""
        plain = super().to_json()
        for name in ("evidence", "pairs"):
            plain.pop(name, None)
        hp, hd = sentences.propositions(self.candidate, self.questioned.name)
        line = self.line
        return plain | {
            "log10_lr": None if line is None else line.llr,
            "interval": None if line is None else line.interval,
            "verbal": None if line is None else verbal(line.llr, line.interval),
            "sentence": None if line is None else self.sentence,
            "propositions": {"hp": hp, "hd": hd},
            "caution": sentences.NO_PROBABILITY.format(name=self.candidate),
        }


@dataclass(frozen=True, eq=False)
class CasePairs(DrawnPairs):
    """Background pairs that judge a case, with the content similarity of their sides."""

    content: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Answer[ComparePlan]):
    """A whole comparison: the findings for every case, the background pairs by name, and the answers of a class to
    expect by chance ("" if there is no answer)."""

    Plan = ComparePlan
    unstated = ("seconds", "evidence")
    cases: tuple[CaseFound, ...]
    pairs: Mapping[str, CasePairs]
    by_chance: str
    failures: tuple[Failure, ...]

    @classmethod
    def of(cls, store: Store) -> Comparison:
        """Return the findings of a comparison; nothing is scored here."""
        store.expect("compare")
        plan = store.plan_as(ComparePlan)
        scores = {s.name: read_scores(store, plan, s) for s in plan.shapes if s.problems}
        errors = {name: between_verifiers(scored, plan.cases) for name, scored in scores.items()}
        cases = [
            _found(plan, case, scores.get(case.shape or ""), store, errors.get(case.shape or "", 0))
            for case in plan.cases
        ]
        if is_class(store):
            cases.sort(key=lambda case: case.attention)
        by_id = {case.id: case for case in plan.cases}
        shown = [case.id for case in cases if case.scored is not None][:MOST_SHOWN]
        cases = [
            structs.replace(case, evidence=_evidence(store, plan, by_id[case.id]))
            if case.id in shown
            else case
            for case in cases
        ]
        pairs = dict[str, CasePairs]()
        for case in cases:
            if case.scored is not None:
                valid = judged_by(by_id[case.id], scores[by_id[case.id].shape or ""])
                of = valid.pairs
                pairs[case.pairs] = CasePairs(valid.llr[FUSED], of.same, of.weight, of.content)
        failures = [failure for scored in scores.values() for failure in scored.failures]
        by_chance = _by_chance(cases, pairs) if is_class(store) else ""
        return cls(tuple(cases), pairs, by_chance, tuple(failures))

    @property
    def members(self) -> bool:
        """Whether the cases are those of a class."""
        return is_class(self.store)


def is_class(store: Store) -> bool:
    """Return whether the cases of a comparison are those of a class."""
    return store.run.spec.get("each") is not None


def _by_chance(cases: list[CaseFound], pairs: Mapping[str, CasePairs]) -> str:
    """What the answers of a class would be if everybody had written their own text: by the share of the background's
    same-author pairs that are as low, one more counted than was seen."""
    given = [case for case in cases if case.answered]
    low = sum(case.line is not None and case.line.llr <= -WEAK for case in given)
    own = [pairs[case.pairs].llr[pairs[case.pairs].same] for case in given]
    chance = float(sum(((values <= -WEAK).sum() + 1) / (len(values) + 1) for values in own))
    return sentences.by_chance(len(given), low, chance) if given else ""


def sets_llr(sets: PairScores, valid: Validated) -> Floats:
    """Return the agreement (sets,) of the background's sets of texts by one author: the lowest log10 LR of a text
    against the others of its set, by verifiers that learned without that author."""
    if not len(sets):
        return np.zeros(0)
    llr = valid.system.of(sets.scores, {}, sets.content).written[FUSED]
    _, place = np.unique(sets.authors, axis=0, return_inverse=True)
    return np.array([llr[place.ravel() == i].min() for i in range(int(place.max()) + 1)])


def disagreement(known: Floats, sets: Floats) -> Reason | None:
    """Return the reason not to answer, or None, from log10 LRs of each known text against the others and those of
    `sets_llr`.

    There is a reason if a text disagrees with the others (below 0) and at most a hundredth of the background's sets
    agree as little; with fewer than a hundred sets, none may.
    """
    if not len(known) or not len(sets):
        return None
    least = float(known.min())
    as_low = int((sets <= least).sum())
    if least >= 0 or as_low > RARE * len(sets):
        return None
    return Reason.of(Why.DISAGREEING, least=least, sets=len(sets), as_low=as_low)


def judged_by(case: CaseRecord, scored: ShapeScores) -> Validated:
    """Return the background pairs that judge a case: for a class those with its candidate on neither side."""
    valid = validate(scored.pairs)
    return valid if case.author is None else held_out(valid, case.author)


def _found(
    plan: ComparePlan, case: CaseRecord, scored: ShapeScores | None, store: Store, error: float
) -> CaseFound:
    """What was found for one case, but its evidence."""
    shape = next((one for one in plan.shapes if one.name == case.shape), None)
    stated = CaseFound(
        id=case.id,
        candidate=case.candidate,
        questioned=case.questioned,
        known=case.known,
        compared=None
        if shape is None
        else ComparedAs(
            known=shape.known, questioned=shape.questioned, shortened=shape.wanted is not None
        ),
        alike=None,
        scored=None,
        sentence="",
        reasons=case.refusals,
        notes=case.notes,
    )
    if scored is not None and not case.refusals:
        stated = (
            _scored(plan, stated, case, scored, store.run.seed, error)
            if scored.verifiers
            else structs.replace(stated, reasons=[Reason.of(Why.UNSCORED)])
        )
    line = stated.line
    said = (
        say("no answer", reasons="; ".join(map(str, stated.reasons)))
        if line is None
        else sentences.answer(
            line.llr,
            line.interval,
            case.candidate,
            case.questioned.name,
            bounded=abs(line.llr) == line.bounds[1],
        )
    )
    return structs.replace(stated, sentence=said)


def _validated(
    plan: ComparePlan, shape: ShapeRecord
) -> tuple[DossierStanding | None, list[Reason]]:
    """How cases of a shape stand to the dossier that is cited, and why they are not answered for it."""
    if plan.validated is None:
        return None, []
    place = standing(plan.validated, shape.known, shape.questioned)
    if place.valid:
        return place, []
    if not plan.validated.unvalidated:
        return place, [Reason.of(Why.NOT_VALIDATED, coverage=place.sentence)]
    anyway = say("answered all the same", coverage=place.sentence)
    return structs.replace(place, sentence=anyway), []


def _scored(
    plan: ComparePlan,
    stated: CaseFound,
    case: CaseRecord,
    scored: ShapeScores,
    seed: int,
    error: float,
) -> CaseFound:
    valid = judged_by(case, scored)
    pairs = valid.pairs
    others = without(case.author, scored.sets.authors[:, :1])
    sets = select_pairs(scored.sets, np.flatnonzero(others))
    plain, off, alone = (scored.asking(asks, case.id) for asks in ("plain", "off", "known"))
    scores = subset(scored.cases, plain)
    content = scored.content[plain]
    moved = {
        name: scored.cases[name][off].mean(axis=0, keepdims=True)
        if off
        else np.full((1, *scored.cases[name].shape[1:]), np.nan)
        for name in pairs.moved
    }
    alike = float(content[0])
    drawn = valid.system.drawn(scores, moved, content)
    case_llr = drawn.over_draws()
    lines = [_line(name, case_llr, drawn, valid) for name in case_llr.llr]
    halves = halved(pairs).drawn(scores, moved, content).llr[FUSED][0].reshape(2, -1)
    error = float(np.hypot(error, np.sqrt(np.mean((halves[0] - halves[1]) ** 2)) / 2))
    lines[-1] = fused = with_error(lines[-1], error)
    known = _fused(valid, scored, alone)
    reasons = _reasons(scored, known, sets_llr(sets, valid), seed)
    people = len(np.unique(pairs.authors))
    beyond = []
    if fused.raw != fused.llr and not reasons:
        at_bound = abs(fused.llr) == valid.system.bound
        why = say("people", count=people, llr=fused.llr) if at_bound else say("drawn", error=error)
        beyond = [why]
    place, unvalidated = _validated(plan, scored.shape)
    as_cases = valid.llr[FUSED]
    other_kind = as_cases[~pairs.same if fused.llr > 0 else pairs.same]
    as_strong = other_kind >= fused.llr if fused.llr > 0 else other_kind <= fused.llr
    return structs.replace(
        stated,
        alike=alike,
        standing=place,
        reasons=[*reasons, *unvalidated],
        notes=[*stated.notes, *beyond, *_on_likeness(alike, valid)],
        pairs=f"{case.shape}" if case.author is None else f"{case.shape}-{case.author}",
        scored=CaseScored(
            verifiers=lines,
            verifiers_and_content=verifier_contents(scored, valid),
            misleading=misleading(as_cases, pairs.same, fused.llr, pairs.weight),
            misleading_pairs=(int(as_strong.sum()), len(other_kind)),
            known_against_others=known.tolist(),
            bootstrap_samples=DRAWS,
            error=error,
            content=_content_check(scored, off, valid, case_llr, fused),
            promise=dict(promise(valid, seed)),
        ),
    )


def _content_check(
    scored: ShapeScores,
    off: list[int],
    valid: Validated,
    case_llr: CombinedLLR,
    line: LRLine,
) -> ContentCheck | None:
    """The check of one case; None where its text could not be transplanted or too few background pairs could.

    ``off`` are the problems with its content replaced; ``case_llr`` is what was measured of the case itself, ``line``
    the answer.
    """
    style = valid.raw.style[FUSED]
    pairs = was_transplanted(valid.pairs) & ~np.isnan(style)
    same = valid.pairs.same[pairs]
    if not off or FUSED not in valid.system.style or not same.any() or same.all():
        return None
    moved = {name: scored.cases[name][off] for name in valid.pairs.moved}
    versions = valid.system.of(subset(scored.cases, off), moved, scored.content[off]).style[FUSED]
    left = cllr_min(valid.system.bounded(style[pairs]), same)
    mean, written = (
        float(valid.system.bounded(each).mean()) for each in (versions, case_llr.written[FUSED])
    )
    weak = verbal(line.llr, line.interval) == NEITHER
    outcome = "nothing" if weak else _outcome(written, mean, left)
    return ContentCheck(
        outcome=outcome,
        sentence=say(f"case {outcome}"),
        log10_lr_written=written,
        log10_lr_style=mean,
        versions=versions.tolist(),
    )


def _outcome(llr: float, style: float, cllr_min: float) -> str:
    """What the check comes to, of which the sentence has no number: one strength stands on a page, the answer's."""
    if cllr_min >= BLIND:
        return "open"
    if abs(llr) < WEAK:
        return "nothing"
    if llr * style > 0 and abs(style) >= abs(llr) / 2:
        return "style"
    return "part" if llr * style > 0 and abs(style) >= WEAK else "content"


def _on_likeness(alike: float, valid: Validated) -> list[str]:
    """What is to be said of how alike in content the two sides are."""
    _, learned = valid.system.both[FUSED]
    here, there = unlike(alike, learned.knee)
    return [say("beyond knee", here=here, there=there)] * (alike > learned.knee)


def _fused(valid: Validated, scored: ShapeScores, rows: list[int]) -> Floats:
    """Log10 LRs (n,) of some of the cases' problems, all verifiers together, before they are held."""
    return (
        valid.system.of(subset(scored.cases, rows), {}, scored.content[rows]).written[FUSED]
        if rows
        else np.zeros(0)
    )


def _evidence(store: Store, plan: ComparePlan, case: CaseRecord) -> Evidence:
    """What is shown of a case: features and passages."""
    shape = next(one for one in plan.shapes if one.name == case.shape)
    name = (
        shape.case_folds[0]
        if case.part is None
        else FoldRole.CASES.of(part_of(shape.name, case.part))
    )
    fold = store.fold(name)
    return evidence(
        store.texts[case.questioned.row],
        [store.texts[text.row] for text in case.known],
        fold.train,
        fold.train_same,
        frozenset(plan.background.functions),
        store.run.seed,
    )


def _line(name: str, case_llr: CombinedLLR, drawn: CombinedLLR, valid: Validated) -> LRLine:
    """The interval covers the value itself, which that of the draws need not, and keeps within the bounds."""
    raw = float(case_llr.llr[name][0])
    bound = valid.system.bound
    ends = *ends_of(drawn.llr[name]), raw
    llr, low, high = (min(max(one, -bound), bound) for one in (raw, min(ends), max(ends)))
    pairs = valid.pairs
    known = valid.llr[name], pairs.same, pairs.weight
    return LRLine(
        name=name,
        llr=llr,
        raw=raw,
        interval=(low, high),
        bounds=(-bound, bound),
        same=int(pairs.same.sum()),
        different=int((~pairs.same).sum()),
        cllr=cllr(*known),
        cllr_min=cllr_min(*known),
        eer=eer(*known),
    )


def between_verifiers(scored: ShapeScores, cases: Sequence[CaseRecord]) -> float:
    """Return the standard error of the log10 LR of a case of a shape, the root mean square over cases, between
    verifiers that learned from other authors or pairs."""
    errors = [
        _error(judged_by(case, scored), scored, case.id)
        for case in cases
        if scored.verifiers and case.shape == scored.shape.name and not case.refusals
    ]
    return float(np.sqrt(np.mean(np.square(errors)))) if errors else 0.0


def _error(valid: Validated, scored: ShapeScores, case: str) -> float:
    """The same of one case, by what was asked of several verifiers."""
    plain, off = (scored.asking(asks, case) for asks in ("plain", "off"))
    count = int((scored.row == plain[0]).sum())

    def mean_of(name: str, rows: Sequence[int]) -> Floats:
        each = [scored.by_fold[name][scored.row == row] for row in rows]
        return np.asarray(np.mean(each, axis=0)) if each else scored.by_fold[name][:count] * np.nan

    scores = {name: mean_of(name, plain) for name in scored.by_fold}
    moved = {name: mean_of(name, off) for name in valid.pairs.moved}
    content = np.full(count, scored.content[plain[0]])
    llr = valid.system.of(scores, moved, content).llr[FUSED]
    return float(llr.std(ddof=1) / np.sqrt(count))


def with_error(line: LRLine, error: float) -> LRLine:
    """Return the line with an interval that includes the ``error`` between draws; if another draw might not reach the
    lowest step of support, the log10 LR stays below that step."""
    margin = SURE * error
    low, high = (
        line.llr + np.sign(end - line.llr) * np.hypot(end - line.llr, margin)
        for end in line.interval
    )
    lower, upper = line.bounds
    interval = max(float(low), lower), min(float(high), upper)
    llr = line.llr
    if abs(llr) >= WEAK > abs(llr) - margin:
        llr = float(np.copysign(UNSHOWN, llr))
    return structs.replace(line, llr=llr, interval=(min(interval[0], llr), max(interval[1], llr)))


def _reasons(scored: ShapeScores, known: Floats, sets: Floats, seed: int) -> list[Reason]:
    """Why a case that was scored is not answered; guessing is asked of the whole background, or class."""
    worth = promise(validate(scored.pairs), seed)["cllr"]
    guessing = worth.low >= WORTHLESS or worth.value >= 1
    reasons = [Reason.of(Why.GUESSING, **structs.asdict(worth))] * guessing
    return [*reasons, *filter(None, [disagreement(known, sets)])]
