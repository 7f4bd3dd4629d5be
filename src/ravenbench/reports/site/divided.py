"""Parts of a run's problems that a site scores apart: language and genre, setup, and length."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ravenbench.bench.pan14.record import Pan14Plan
from ravenbench.bench.run.record import RunPlan
from ravenbench.formats.answers import Truth
from ravenbench.formats.attributes import Attribute, quantiles
from ravenbench.formats.problems import read_problems
from ravenbench.reports.evaluate.records import BreakDown
from ravenbench.reports.site.records import Number, Part
from ravenbench.store.store import Store
from ravenbench.text.tokens import count_words
from ravenbench.types import Labels


def divisions(store: Store, truth: Truth) -> list[Attribute]:
    """What the problems of a run can be divided by, in truth's order."""
    folds = [name.partition("/")[0] for name in truth.ids.tolist()]
    if not set(folds) <= store.plan.folds.keys():  # one fold alone, whose ids have no prefix
        folds = [name for name, record in store.plan.folds.items() if record.transplanted is None][:1] * len(folds)
    found = [] if truth.group is None else [Attribute("setup", truth.group)]
    if store.kind == "pan14":
        corpora = store.plan_as(Pan14Plan).corpora
        kinds = {c.fold: " ".join(part for part in (c.language, c.genre) if part) or c.name for c in corpora}
        if len(set(kinds.values())) > 1:
            found.append(Attribute("language and genre", Labels.of(kinds[fold] for fold in folds)))
    words = []
    for fold in dict.fromkeys(folds):
        test = store.fold(fold).test
        words += [count_words(test.texts[int(row)]) for row in test.questioned_index]
    if len(set(words)) > 1:
        found.append(Attribute("words of the questioned text", quantiles(np.array(words, dtype=np.float64))))
    return found


def kind_of_text(store: Store) -> str:
    """Language and genre of a run's texts, "" where nothing says so."""
    if store.kind != "run":
        return ""
    notes = store.plan_as(RunPlan).corpus.notes
    told = [notes[key] for key in ("language", "genre") if notes.get(key)]
    if not told and (given := store.run.spec.get("test")) and Path(given).exists():  # planned before notes had them
        test = read_problems(given, "test")
        told = [part for part in (test.language, test.genre) if part]
    return " ".join(told or (store.labels["language"].names if "language" in store.labels else ()))


def parts_of(found: BreakDown, system: str) -> tuple[Part, ...]:
    """A system's c@1 on every part."""
    pairs = enumerate(zip(found.parts, found.systems[system], strict=True), 1)
    return tuple(
        (name.removeprefix(f"{i}: "), n, Number(own.scores["c@1"], own.interval["c@1"]))
        for i, ((name, n, _), own) in pairs
    )
