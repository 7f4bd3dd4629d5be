"""From a comparison's folder to what its report says: likelihood ratios, how far to trust them, their grounds."""

from __future__ import annotations

import numpy as np

from ravenbench.bench.compare.record import CaseRecord, ComparePlan
from ravenbench.reports.compare.agreement import disagreement, sets_llr
from ravenbench.reports.compare.content_check import content_check
from ravenbench.reports.compare.evidence import Evidence, evidence
from ravenbench.reports.compare.model import FUSED, Scores, Told, Validated, intervals, taken, validate
from ravenbench.reports.compare.records import Answer, CaseFound, Comparison, Line
from ravenbench.reports.compare.scores import ShapeScores, read_scores
from ravenbench.reports.compare.words import signed
from ravenbench.reports.compare.worth import slices, worth_of
from ravenbench.reports.shared.cell_scores import Failure
from ravenbench.reports.shared.public import public_head
from ravenbench.statistics.likelihood_ratios import misleading
from ravenbench.store.store import Store
from ravenbench.types import Floats

MOST_SHOWN = 12
"""Cases whose evidence is shown; all stand in the table and in ``case.json``."""
BLIND = 0.9
"""C_llr^min from which on pairs like the case cannot be told apart."""
WORTHLESS = 0.95
"""C_llr from which on LRs as they are given are worth hardly more than none."""
NARROW = 0.1
"""Distance of the bounds below which there is no room for an LR."""


def analyse(store: Store) -> Comparison:
    """What a comparison found; nothing is scored here.

    Raises
    ------
    InputError
        If the folder belongs to another task.
    """
    store.expect("compare")
    plan = store.plan_as(ComparePlan)
    shapes = {shape.name: shape for shape in plan.shapes}
    scores = {name: read_scores(store, plan, shape) for name, shape in shapes.items() if shape.problems}
    failures: list[Failure] = [failure for found in scores.values() for failure in found.failures]
    cases = []
    for case in plan.cases:
        shape = None if case.shape is None else shapes[case.shape]
        found = None if case.shape is None else scores.get(case.shape)
        if found is None or case.refusals:
            cases.append(CaseFound(case, shape, None, tuple(case.refusals)))
        elif not found.verifiers:
            cases.append(CaseFound(case, shape, None, ("every verifier failed; the errors are listed below",)))
        else:
            answer = _answer(case, found, store.run.seed)
            shown = _evidence(store, plan, case) if len(cases) < MOST_SHOWN else None
            cases.append(CaseFound(case, shape, answer, answer.reasons, shown))
    rows = {text.row for case in plan.cases for text in (case.questioned, *case.known)}
    return Comparison(
        plan, public_head(store.run), tuple(cases), tuple(failures), {row: store.texts[row] for row in sorted(rows)}
    )


def _answer(case: CaseRecord, found: ShapeScores, seed: int) -> Answer:
    pairs, problems = found.pairs, found.shape.problems
    valid = validate(pairs)

    def of(asks: str) -> list[int]:
        return [i for i, problem in enumerate(problems) if problem.asks == asks and problem.case == case.id]

    plain = of("plain")
    scores, content = taken(found.cases, plain), found.content[plain]
    moved = _mean(taken(found.cases, of("off")))
    alike = float(content[0])
    told = valid.system.told(scores, moved, content)
    ends, draws = intervals(valid, scores, moved, content, seed)
    lines = tuple(_line(name, told, alike, valid, ends) for name in told.llr)
    fused = next(line for line in lines if line.name == FUSED)
    known = _fused(valid, found, of("known"))
    notes = list(case.notes)
    if fused.raw != fused.llr:
        notes.append(
            f"the verifiers' own log10 LR is {signed(fused.raw)}; "
            f"this background supports no value beyond {signed(fused.llr)}"
        )
    notes += _on_likeness(alike, valid, fused.bounds.upper)
    rank, ranked = _rank(case, found, valid, float(told.written[FUSED][0]))
    return Answer(
        lines=lines,
        fused=fused,
        reasons=tuple(_reasons(fused, known, sets_llr(found.sets, valid))),
        notes=tuple(notes),
        alike=alike,
        misleading=misleading(valid.llr[FUSED], pairs.same, fused.llr, pairs.weight),
        content=content_check(found, of, valid, told),
        rank=rank,
        ranked=ranked,
        known=tuple(known.tolist()),
        slices=slices(pairs, valid, alike),
        validated=valid,
        draws=draws,
    )


def _on_likeness(alike: float, valid: Validated, most: float) -> list[str]:
    """What is to be said of how alike in content the two sides are; ``most`` is the greatest log10 LR that is given."""
    pairs, reach, knee = valid.pairs, valid.limits.reach, valid.system.knee
    least = float(np.quantile(pairs.content[pairs.same], 0.05))
    if alike > reach:
        return [
            f"the two sides are more alike in content ({alike:.2f}) than texts by two people in this background, of "
            f"which too few are more alike than {reach:.2f}; it cannot show how such texts by two people score as they "
            "were written, so the log10 likelihood ratio is held below what counts as support for one author, or to "
            f"half of what style alone gives where that is more (here to {signed(most)} at most)"
        ]
    if alike > knee:
        return [
            f"the two sides are more alike in content ({alike:.2f}) than 95 in 100 pairs of texts by two people in the "
            f"background ({knee:.2f}); what background pairs are sure to gain by such likeness is taken off the scores "
            "and half of the log10 likelihood ratio is that of style alone, with content words replaced"
        ]
    if alike < least:
        return [
            f"the two sides are less alike in content ({alike:.2f}) than 95 in 100 pairs of texts by one author in the "
            f"background ({least:.2f}); how far style holds over such a distance is hardly shown"
        ]
    return []


def _fused(valid: Validated, found: ShapeScores, rows: list[int]) -> Floats:
    """Log10 LRs (n,) of some of the cases' problems, all verifiers together, before they are held."""
    return valid.system.written.llr(taken(found.cases, rows), found.content[rows])[FUSED] if rows else np.zeros(0)


def _evidence(store: Store, plan: ComparePlan, case: CaseRecord) -> Evidence:
    fold = store.fold(f"{case.shape}-case")
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
        name: values.mean(axis=0, keepdims=True) if len(values) else np.full((1, *values.shape[1:]), np.nan)
        for name, values in scores.items()
    }


def _line(name: str, told: Told, alike: float, valid: Validated, ends: dict[str, tuple[Floats, Floats]]) -> Line:
    raw, bounds = float(told.llr[name][0]), valid.limits.of(name, alike, float(told.style[name][0]))
    low, high = float(ends[name][0][0]), float(ends[name][1][0])
    worth = worth_of(valid.llr[name], valid.pairs.same, valid.pairs.weight)
    assert worth is not None
    # The ends cover the value itself: a bootstrap percentile interval need not.
    llr = bounds.held(raw)
    return Line(name, llr, raw, (min(low, llr), max(high, llr)), bounds, worth)


def _reasons(fused: Line, known: Floats, sets: Floats) -> list[str]:
    """Why a case that was scored is not answered."""
    found = []
    if fused.worth.cllr_min >= BLIND or fused.worth.cllr >= WORTHLESS:
        found.append(
            "background pairs of this length cannot be told apart "
            f"(C_llr {fused.worth.cllr:.2f}, where 1 is guessing): longer texts or more background authors are needed"
        )
    elif fused.bounds.upper - fused.bounds.lower < NARROW:
        found.append("the background supports no likelihood ratio other than 1")
    told = disagreement(known, sets)
    return found if told is None else [*found, told]


def _rank(case: CaseRecord, found: ShapeScores, valid: Validated, own: float) -> tuple[int, int]:
    """Place of the candidate among background authors by the LR of the questioned text with each, 1 = first."""
    asked = f"text {case.questioned.row}"
    rows = [i for i, p in enumerate(found.shape.problems) if p.asks == "author" and p.case == asked]
    others = _fused(valid, found, rows)
    return 1 + int((others >= own).sum()), 1 + len(others)
