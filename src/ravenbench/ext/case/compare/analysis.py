"""Computes from a comparison's folder what its report says: likelihood ratios (LRs), their worth and their grounds.

In: the ``Store`` (folder) of ``raven compare`` with the verifiers' scores; for the other functions ``PairScores``,
``Validated`` or log10 LRs (n,) with truth (n,).
Out: a ``Comparison`` with one ``CaseFound`` a case: log10 LRs (unbounded, above 0 for the candidate) with bounds and 95
% intervals, or a ``Reason`` for none; C_llr in bits (lower = better), EER from 0 to .5, shares from 0 to 1, counts of
pairs. ``worth_of``, ``slices``, ``misled``, ``sets_llr``, ``disagreement``, ``content_check`` and ``too_few`` each give
one part of it, None where there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from ravenbench.ext.case.compare import sentences
from ravenbench.ext.case.compare.dossier import DossierStanding, standing
from ravenbench.ext.case.compare.evidence import Evidence, evidence
from ravenbench.ext.case.compare.model import (
    FUSED,
    CombinedLLR,
    PairScores,
    Scores,
    ShapeScores,
    Validated,
    held_out,
    intervals,
    promise,
    read_scores,
    select_pairs,
    subset,
    validate,
    was_transplanted,
)
from ravenbench.ext.case.compare.record import (
    CaseRecord,
    ComparePlan,
    FoldRole,
    Reason,
    ShapeRecord,
    Why,
    of_text,
    part_of,
)
from ravenbench.ext.case.compare.sentences import NEITHER, WEAK, signed, verbal
from ravenbench.ext.case.content import VerifierContent, verifier_contents
from ravenbench.ext.case.likelihood_ratios import (
    Bounds,
    MeasureEstimate,
    cllr,
    cllr_min,
    eer,
    elub,
    misleading,
)
from ravenbench.reports.cells import Failure
from ravenbench.reports.view import public_head, unlike
from ravenbench.shown import Shown
from ravenbench.store.records import Head
from ravenbench.store.store import Store
from ravenbench.types import Bools, Floats

Interval = tuple[float, float]
FEWEST = 10
"""Pairs of each class below which nothing is said of a slice."""
RARE = 0.01
"""Share of the background's sets of texts by one author that may agree less than a case that is answered."""
MOST_SHOWN = 12
"""Cases whose passages and features are shown; all have a page and stand in ``case.json``."""
BLIND = 0.9
"""C_llr^min from which on style alone tells nothing."""
WORTHLESS = 0.95
"""C_llr from which on LRs as they are given are worth hardly more than none: nothing is answered where all of its
interval lies there, so that the answer to most cases does not hang on which people are in the background."""
FEW_AUTHORS = 20
"""Background authors from which on their number alone is no reason not to answer (benchmarks/study_few_authors.py)."""
NARROW = 0.1
"""Distance of the bounds below which there is no room for an LR."""


@dataclass(frozen=True)
class Worth:
    """What LRs were worth on pairs whose truth is known: counts of pairs by one author (``same``) and by two, C_llr
    and C_llr^min in bits, equal error rate as a share (0 to 0.5)."""

    same: int
    different: int
    cllr: float
    cllr_min: float
    eer: float


@dataclass(frozen=True)
class LRLine:
    """One verifier (or the fusion): its log10 LR within its bounds, ``raw`` before, 95 % interval and bounds (log10
    too), worth."""

    name: str
    llr: float
    raw: float
    interval: Interval
    bounds: Bounds
    worth: Worth


@dataclass(frozen=True)
class ContentCheck:
    """The case with other content, all in log10 LRs: that of the texts as ``written`` and that from ``style`` alone,
    the mean of every version; what content of the known texts' topic (``on``) and of far topics (``off``) makes of
    the LR as written; and the sentence that says what it means.

    ``style`` is calibrated on background pairs that were transplanted too; ``written``, ``on`` and ``off`` are not.
    """

    written: float
    style: float
    versions: tuple[float, ...]
    on: float
    off: float
    bounds: Bounds
    worth: Worth
    outcome: str
    sentence: str


@dataclass(frozen=True, eq=False)
class Answer:
    """What was found for one case that could be scored.

    ``reasons`` are why it is not answered all the same; ``alike`` the content similarity (cosine) of its two sides,
    cut as they were compared; ``misleading`` the share (0 to 1) of background pairs of the other kind with an LR as
    strong, and ``misled`` how many these are, of how many; ``known`` log10 LRs of the known texts against one
    another; ``promise`` what such LRs were worth on people left out; ``rank`` the candidate's place (1 = first) among
    ``ranked`` writers; ``draws`` the count of samples behind the intervals; ``contents`` what was done about content
    of each verifier.
    """

    lines: tuple[LRLine, ...]
    fused: LRLine
    reasons: tuple[Reason, ...]
    notes: tuple[str, ...]
    alike: float
    misleading: float
    misled: tuple[int, int]
    content: ContentCheck | None
    rank: int
    ranked: int
    known: tuple[float, ...]
    slices: tuple[tuple[str, Worth | None], ...]
    promise: Mapping[str, MeasureEstimate]
    validated: Validated
    draws: int
    contents: tuple[VerifierContent, ...]


@dataclass(frozen=True, eq=False)
class CaseFound:
    """A case: what was planned of it, its answer where it was scored, why it is not answered, and how it stands to the
    dossier that is cited."""

    record: CaseRecord
    shape: ShapeRecord | None
    answer: Answer | None
    reasons: tuple[Reason, ...]
    evidence: Evidence | None = None
    standing: DossierStanding | None = None

    @property
    def answered(self) -> bool:
        """Whether an LR is given."""
        return self.answer is not None and not self.reasons

    @property
    def llr(self) -> float | None:
        """The log10 LR that is given, if one is."""
        return self.answer.fused.llr if self.answer is not None and self.answered else None

    @property
    def interval(self) -> Interval | None:
        """Its 95 % interval."""
        return self.answer.fused.interval if self.answer is not None and self.answered else None

    @property
    def sentence(self) -> str:
        """The answer in one sentence, or why there is none."""
        if self.answer is None or not self.answered:
            return f"No answer is given: {'; '.join(self.reasons)}."
        fused = self.answer.fused
        names = self.record.candidate, self.record.questioned.name
        return sentences.answer(fused.llr, fused.interval, *names, bounded=fused.llr != fused.raw)

    @property
    def attention(self) -> tuple[int, float]:
        """Where the case stands in a list of what needs attention, least first: copies; support for someone else;
        known texts that disagree; other cases without an answer; the rest, by log10 LR."""
        first = {Why.COPIED: 0, Why.DISAGREEING: 2}
        if self.llr is None:
            return min((first.get(reason.why, 3) for reason in self.reasons), default=3), 0.0
        for_someone_else = self.llr <= -WEAK and self.interval is not None and self.interval[1] < 0
        return (1 if for_someone_else else 4), self.llr


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """A whole comparison: its plan, and what was found for every case."""

    plan: ComparePlan
    run: Head
    cases: tuple[CaseFound, ...]
    failures: tuple[Failure, ...]

    @property
    def members(self) -> bool:
        """Whether the cases are those of a class."""
        return self.run.spec.get("each") is not None

    def as_low(self, llr: float) -> float:
        """The count (expected) of the answered texts that would have a log10 LR this low or lower by chance, if each
        were by its author: by the share of the background's same-author pairs, one more counted than was seen."""
        validated = [
            case.answer.validated
            for case in self.cases
            if case.answer is not None and case.answered
        ]
        own = [valid.as_cases()[valid.pairs.same] for valid in validated]
        return float(sum(((values <= llr).sum() + 1) / (len(values) + 1) for values in own))

    @property
    def by_chance(self) -> str:
        """What the answers of a class would be if everybody had written their own text; "" where none is given."""
        given = [case.llr for case in self.cases if case.llr is not None]
        low = sum(llr <= -WEAK for llr in given)
        return sentences.by_chance(len(given), low, self.as_low(-WEAK)) if given else ""


def worth_of(
    llr: Floats, same: Bools, weight: Floats | None = None, fewest: int = 1
) -> Worth | None:
    """C_llr and C_llr^min (bits) and equal error rate (share) of log10 LRs (n,); None where a class has fewer pairs
    than ``fewest``."""
    count = int(same.sum())
    others = int((~same).sum())
    if min(count, others) < fewest:
        return None
    return Worth(
        count, others, cllr(llr, same, weight), cllr_min(llr, same, weight), eer(llr, same, weight)
    )


def slices(pairs: PairScores, valid: Validated, at: float) -> tuple[tuple[str, Worth | None], ...]:
    """The fusion's worth on all pairs, by what they stand for; on those as alike in content as the case or more; by
    content similarity; and on unseen topics."""
    llr = valid.llr[FUSED]
    low, high = np.quantile(pairs.content, [1 / 3, 2 / 3])
    near = pairs.content > high
    far = pairs.content <= low
    parts = {
        "content as alike as in this case, or more": pairs.content >= at,
        "content most alike": near,
        "content between": ~near & ~far,
        "content least alike": far,
        "topic never seen in training": pairs.unseen,
    }
    return (
        ("all pairs", worth_of(llr, pairs.same, pairs.weight)),
        ("all pairs, each counting alike", worth_of(llr, pairs.same)),
        *(
            (name, worth_of(llr[part], pairs.same[part], None, FEWEST))
            for name, part in parts.items()
        ),
    )


def misled(valid: Validated, at: float) -> tuple[int, int]:
    """Counts: of background pairs of the other kind with a log10 LR at least as strong, each counted once, and of all
    of that kind."""
    side = ~valid.pairs.same if at > 0 else valid.pairs.same
    llr = valid.as_cases()[side]
    return int((llr >= at if at > 0 else llr <= at).sum()), int(side.sum())


def sets_llr(sets: PairScores, valid: Validated) -> Floats:
    """Agreement (sets,) of the background's sets of texts, each by one author: the lowest log10 LR of a text against
    the others of its set, by verifiers that learned without that author."""
    if not len(sets):
        return np.zeros(0)
    llr = valid.system.written.llr(sets.scores, sets.content)[FUSED]
    _, place = np.unique(sets.authors, axis=0, return_inverse=True)
    return np.array([llr[place.ravel() == i].min() for i in range(int(place.max()) + 1)])


def disagreement(known: Floats, sets: Floats) -> Reason | None:
    """The reason not to answer, or None, from log10 LRs of each known text against the others and those of `sets_llr`.

    There is one where a text speaks against the others (below 0) and at most a hundredth of the background's sets agree
    as little; where they are fewer than a hundred, none of them may.
    """
    if not len(known) or not len(sets):
        return None
    least = float(known.min())
    as_low = int((sets <= least).sum())
    if least >= 0 or as_low > RARE * len(sets):
        return None
    return Reason(
        Why.DISAGREEING,
        "the known texts disagree among themselves: one of them, held against the others, has a"
        f" log10 LR of {signed(least)}; of {len(sets)} sets of as many texts by one background"
        f" author each, {as_low} agree as little; they may not be by one writer",
    )


def content_check(
    scored: ShapeScores,
    rows: Callable[[str], list[int]],
    valid: Validated,
    case_llr: CombinedLLR,
    line: LRLine,
) -> ContentCheck | None:
    """The check of one case; None where its text could not be transplanted or too few background pairs could.

    ``rows`` gives the case's problems by what they ask; ``case_llr`` is what was measured of the case itself, ``line``
    the answer.
    """
    on = rows("on")
    off = rows("off")
    style = valid.raw.style[FUSED]
    pairs = was_transplanted(valid.pairs) & ~np.isnan(valid.raw.style[FUSED])
    same = valid.pairs.same[pairs]
    if not on or not off or valid.system.style is None or not same.any() or same.all():
        return None
    versions = valid.system.style.llr(subset(scored.cases, off), scored.content[off])[FUSED]
    bounds = elub(style[pairs], same)
    bounded = np.clip(style[pairs], *bounds)
    worth = worth_of(bounded, same)
    assert worth is not None
    mean = bounds.bounded(float(versions.mean()))
    written = valid.limits.bounds[FUSED].bounded(float(case_llr.written[FUSED][0]))
    weak = verbal(line.llr, line.interval) == NEITHER
    outcome, sentence = ("nothing", NOTHING) if weak else _outcome(written, mean, worth.cllr_min)
    return ContentCheck(
        written=written,
        style=mean,
        versions=tuple(versions.tolist()),
        on=float(_fused(valid, scored, on).mean()),
        off=float(_fused(valid, scored, off).mean()),
        bounds=bounds,
        worth=worth,
        outcome=outcome,
        sentence=sentence,
    )


NOTHING = "The evidence is too weak to say whether it comes from style or content."


def _outcome(llr: float, style: float, cllr_min: float) -> tuple[str, str]:
    """What the check says and its sentence, which has no number: one strength stands on a page, the answer's."""
    if cllr_min >= BLIND:
        return (
            "open",
            (
                "Without content words, style alone tells hardly anything in this background, so it"
                " stays open how much of the LR is style."
            ),
        )
    if abs(llr) < WEAK:
        return "nothing", NOTHING
    if llr * style > 0 and abs(style) >= abs(llr) / 2:
        return (
            "style",
            (
                "The evidence is style: with content words from other texts at least half of it is"
                " left."
            ),
        )
    if llr * style > 0 and abs(style) >= WEAK:
        return (
            "part",
            (
                "The evidence is style in part, and rests on content for the rest: with content"
                " words from other texts less than half of it is left."
            ),
        )
    return (
        "content",
        "The evidence rests on content: with content words from other texts nothing of it is left.",
    )


def analyse(store: Store) -> Comparison:
    """What a comparison found; nothing is scored here."""
    store.expect("compare")
    plan = store.plan_as(ComparePlan)
    shapes = {shape.name: shape for shape in plan.shapes}
    scores = {
        name: read_scores(store, plan, shape) for name, shape in shapes.items() if shape.problems
    }
    failures: list[Failure] = [failure for scored in scores.values() for failure in scored.failures]
    cases = list[CaseFound]()
    for case in plan.cases:
        shape = None if case.shape is None else shapes[case.shape]
        scored = None if case.shape is None else scores.get(case.shape)
        if scored is None or case.refusals:
            cases.append(CaseFound(case, shape, None, case.reasons))
        elif not scored.verifiers:
            failed = Reason(Why.UNSCORED, "every verifier failed; the errors are listed below")
            cases.append(CaseFound(case, shape, None, (failed,)))
        else:
            answer = _answer(case, scored, store.run.seed)
            place, reasons = _validated(plan, scored.shape)
            cases.append(
                CaseFound(case, shape, answer, (*answer.reasons, *reasons), standing=place)
            )
    if store.run.spec.get("each") is not None:
        cases.sort(key=lambda case: case.attention)
    shown = [case for case in cases if case.answer is not None][:MOST_SHOWN]
    cases = [
        replace(case, evidence=_evidence(store, plan, case.record)) if case in shown else case
        for case in cases
    ]
    return Comparison(plan, public_head(store.run), tuple(cases), tuple(failures))


def _validated(
    plan: ComparePlan, shape: ShapeRecord
) -> tuple[DossierStanding | None, list[Reason]]:
    """How cases of a shape stand to the dossier that is cited, and why they are not answered for it."""
    if plan.validated is None:
        return None, []
    place = standing(plan.validated, shape.known, shape.questioned)
    if place.valid:
        return place, []
    reason = Reason(Why.NOT_VALIDATED, f"it is not validated for cases like this. {place.sentence}")
    if not plan.validated.unvalidated:
        return place, [reason]
    sentence = f"{place.sentence}. It is answered all the same, because --unvalidated says so"
    return place._replace(sentence=sentence), []


def _answer(case: CaseRecord, scored: ShapeScores, seed: int) -> Answer:
    problems = scored.problems
    valid = validate(scored.pairs)
    sets = scored.sets
    if case.part is not None:
        valid = held_out(valid, case.part)
        sets = select_pairs(sets, np.flatnonzero(sets.fold != case.part))

    def of(asks: str) -> list[int]:
        return [
            i
            for i, problem in enumerate(problems)
            if problem.asks == asks and problem.case == case.id
        ]

    plain = of("plain")
    scores = subset(scored.cases, plain)
    content = scored.content[plain]
    moved = _mean(subset(scored.cases, of("off")))
    alike = float(content[0])
    case_llr = valid.system.combined(scores, moved, content)
    ends, draws = intervals(valid, scores, moved, content, seed)
    lines = tuple(_line(name, case_llr, alike, valid, ends) for name in case_llr.llr)
    fused = next(line for line in lines if line.name == FUSED)
    known = _fused(valid, scored, of("known"))
    notes = list(case.notes)
    reasons = _reasons(fused, validate(scored.pairs), known, sets_llr(sets, valid), seed)
    if fused.raw != fused.llr and not reasons:
        notes.append(
            f"the verifiers' scores say more, but the {len(np.unique(valid.pairs.authors))} people"
            f" whose texts make the background's pairs support no value beyond {signed(fused.llr)}"
        )
    notes += _on_likeness(alike, valid, fused.bounds.upper)
    rank, ranked = _rank(case, scored, valid, float(case_llr.written[FUSED][0]))
    return Answer(
        lines=lines,
        fused=fused,
        reasons=tuple(reasons),
        notes=tuple(notes),
        alike=alike,
        misleading=misleading(valid.as_cases(), valid.pairs.same, fused.llr, valid.pairs.weight),
        misled=misled(valid, fused.llr),
        content=content_check(scored, of, valid, case_llr, fused),
        rank=rank,
        ranked=ranked,
        known=tuple(known.tolist()),
        slices=slices(valid.pairs, valid, alike),
        promise=promise(valid, seed),
        validated=valid,
        draws=draws,
        contents=verifier_contents(scored, valid),
    )


def _on_likeness(alike: float, valid: Validated, most: float) -> list[str]:
    """What is to be said of how alike in content the two sides are; ``most`` is the greatest log10 LR that is given."""
    pairs = valid.pairs
    reach = valid.limits.reach
    knee = valid.system.knee
    least = float(np.quantile(pairs.content[pairs.same], 0.05))
    if alike > reach:
        here, there = unlike(alike, reach)
        return [
            f"the two sides are more alike in content ({here}) than this background can judge: too"
            f" few of its texts by two people are more alike than {there}. So no log10 likelihood"
            f" ratio above {signed(most)} is given (see Method)"
        ]
    if alike > knee:
        here, there = unlike(alike, knee)
        return [
            f"the two sides are more alike in content ({here}) than 95 in 100 pairs of texts by two"
            f" people in the background ({there}); what background pairs are sure to gain by such"
            " likeness is taken off the scores and half of the log10 likelihood ratio is that of"
            " style alone, with content words replaced"
        ]
    if alike < least:
        here, there = unlike(alike, least)
        return [
            f"the two sides are less alike in content ({here}) than 95 in 100 pairs of texts by one"
            f" author in the background ({there}); how far style holds over such a distance is"
            " hardly shown"
        ]
    return []


def _fused(valid: Validated, scored: ShapeScores, rows: list[int]) -> Floats:
    """Log10 LRs (n,) of some of the cases' problems, all verifiers together, before they are held."""
    return (
        valid.system.written.llr(subset(scored.cases, rows), scored.content[rows])[FUSED]
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


def _mean(scores: Scores) -> dict[str, Floats]:
    """The mean of all versions' scores, as scores of one problem; nan where there is none."""
    return {
        name: (
            values.mean(axis=0, keepdims=True)
            if len(values)
            else np.full((1, *values.shape[1:]), np.nan)
        )
        for name, values in scores.items()
    }


def _line(
    name: str,
    case_llr: CombinedLLR,
    alike: float,
    valid: Validated,
    ends: dict[str, tuple[Floats, Floats]],
) -> LRLine:
    raw = float(case_llr.llr[name][0])
    bounds = valid.limits.of(name, alike, float(case_llr.style[name][0]))
    low = float(ends[name][0][0])
    high = float(ends[name][1][0])
    worth = worth_of(valid.llr[name], valid.pairs.same, valid.pairs.weight)
    assert worth is not None
    # The ends cover the value itself, which a bootstrap percentile interval need not, and keep within its bounds.
    llr = bounds.bounded(raw)
    return LRLine(
        name,
        llr,
        raw,
        (min(bounds.bounded(low), llr), max(bounds.bounded(high), llr)),
        bounds,
        worth,
    )


def _reasons(
    fused: LRLine, every: Validated, known: Floats, sets: Floats, seed: int
) -> list[Reason]:
    """Why a case that was scored is not answered; ``every`` has the pairs of the whole background, or class."""
    reasons = []
    worth = promise(every, seed)["cllr"]
    if worth.low >= WORTHLESS or worth.value >= 1:
        reasons.append(
            Reason(
                Why.GUESSING,
                f"background pairs of this length cannot be told apart (C_llr {worth.value:.2f},"
                f" 95% interval {worth.low:.2f} to {worth.high:.2f}, where 1 is guessing): longer"
                " texts or more background authors are needed",
            )
        )
    elif (few := too_few(every, seed)) is not None:
        reasons.append(few)
    elif fused.bounds.upper - fused.bounds.lower < NARROW:
        reasons.append(
            Reason(Why.NARROW, "the background supports no likelihood ratio other than 1")
        )
    disagreeing = disagreement(known, sets)
    return reasons if disagreeing is None else [*reasons, disagreeing]


def too_few(valid: Validated, seed: int) -> Reason | None:
    """The reason not to answer by a background of few authors whose C_llr may be that of guessing, and what would help;
    None where there is none."""
    count = len(np.unique(valid.pairs.authors))
    worth = promise(valid, seed)["cllr"]
    high = worth.high
    cost = min(worth.value, WORTHLESS)
    if count >= FEW_AUTHORS or high < 1:
        return None
    # The interval narrows with the square root of the number of authors.
    wanted = min(FEW_AUTHORS, ceil(count * ((high - cost) / (1 - cost)) ** 2))
    return Reason(
        Why.FEW_AUTHORS,
        f"the background has {count} authors, too few to show that such likelihood ratios are worth"
        f" more than none (C_llr {cost:.2f}, but up to {high:.2f} with other authors, where 1 is"
        f" guessing); about {max(1, wanted - count)} more authors like these would help, or longer"
        " texts",
    )


def _rank(case: CaseRecord, scored: ShapeScores, valid: Validated, own: float) -> tuple[int, int]:
    """Place of the candidate among background authors by the LR of the questioned text with each, 1 = first."""
    text_id = of_text(case.questioned.row)
    rows = [i for i, p in enumerate(scored.problems) if p.asks == "author" and p.case == text_id]
    others = _fused(valid, scored, rows)
    return 1 + int((others >= own).sum()), 1 + len(others)
