"""What a comparison would do: ``raven compare --plan``."""

from __future__ import annotations

from pathlib import Path

from ravenbench.bench.compare.api import asked
from ravenbench.bench.compare.cost import cost
from ravenbench.bench.compare.plan import Draft, draft
from ravenbench.bench.compare.record import ComparePlan
from ravenbench.bench.task import Outlook
from ravenbench.engine.pool import Progress, silent
from ravenbench.store.resume import earlier


def outlook(out: str | Path | None = None, progress: Progress = silent, **given: object) -> Outlook:
    """What ``compare`` would do with the same arguments; nothing is written and no method is run.

    Raises
    ------
    InputError
        If something cannot be used.
    """
    spec, material, folder, data = asked(given, out)
    made = draft(spec, material, progress)
    store = earlier(folder, "compare", spec.resolved(), data, spec.seed)
    missing = made.plan.cells if store is None else store.unanswered()
    return Outlook(
        task="compare",
        folder=str(folder),
        problems={name: count for name, count in _counts(made).items() if count},
        cells=len(made.plan.cells),
        done=len(made.plan.cells) - len(missing),
        fits=len({(place.verifier, made.plan.folds[place.fold].train_digest) for place in missing}),
        notes=tuple(_told(made.plan)),
        cpu_seconds=cost(made.folds, missing),
    )


def _counts(made: Draft) -> dict[str, int]:
    """Problems by what they are for."""
    asks = [problem.asks for shape in made.plan.shapes for problem in shape.problems]
    size = {fold.name: len(fold.test) for fold in made.folds}
    pairs = [fold for shape in made.plan.shapes for fold in shape.folds]
    return {
        "the cases themselves": asks.count("plain"),
        "the cases with content replaced": asks.count("on") + asks.count("off"),
        "background authors in the candidate's place": asks.count("author"),
        "known texts against one another": asks.count("known") + sum(size.get(f"{fold}-known", 0) for fold in pairs),
        "background pairs": sum(size[fold] for fold in pairs),
        "background pairs with content replaced": sum(size[f"{fold}-off"] for fold in pairs),
    }


def _told(plan: ComparePlan) -> list[str]:
    """What is compared, in sentences."""
    background = plan.background
    notes = [
        f"{len(plan.cases)} case{'s' * (len(plan.cases) > 1)}; the background has {len(background.authors)} authors "
        f"with {background.documents} texts."
    ]
    for shape in plan.shapes:
        names = [case.id for case in plan.cases if case.shape == shape.name]
        cut = "" if shape.wanted is None else ", as long as this background can give"
        notes.append(
            f"{', '.join(names[:3])}{' …' * (len(names) > 3)}: {len(shape.known)} known and a questioned text of up to "
            f"{max(*shape.known, shape.questioned)} words{cut}, against {len(shape.authors)} authors."
        )
    notes += [f"{case.id}: no answer, for {reason}." for case in plan.cases for reason in case.refusals]
    notes += [f"Left out of the background: {text}." for text in background.left_out]
    return notes + [f"Note: {note}." for note in plan.notes]
