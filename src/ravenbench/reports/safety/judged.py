"""What was attacked, as its cells hold it: verifiers at their thresholds, attribution methods by the author named."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ravenbench.bench.safety.attribution import true_codes
from ravenbench.bench.safety.record import SafetyPlan
from ravenbench.metrics.safety import VerificationEffect, effect, verification_effect
from ravenbench.reports.safety.answers import answers_of, cell_of
from ravenbench.statistics.attacks import Texts
from ravenbench.store.store import Store
from ravenbench.types import Bools, Floats, Ints

Prior = tuple[float, float, float | None]
"""Accuracy, recall on what is attacked, and the threshold where finite, all before the attack."""


@dataclass(frozen=True, eq=False)
class Judged(ABC):
    """The methods of a safety run."""

    store: Store

    @property
    def clusters(self) -> Ints | None:
        """What intervals draw: numbers by attacked text; None where they draw texts."""
        return None

    def excluded(self, name: str) -> str | None:
        """Why a method counts towards no average, or None."""
        found = self.effect(name, "original")
        return found if isinstance(found, str) else found.excluded

    def prior(self, name: str) -> Prior | None:
        """How good it was before the attack, None where its answers are missing."""
        found = self.effect(name, "original")
        if isinstance(found, str):
            return None
        threshold = found.threshold if math.isfinite(found.threshold) else None
        return found.effect.accuracy, found.effect.recall, threshold

    @abstractmethod
    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        """What a fold of rewritten texts did to it, or why nothing can be said."""

    @abstractmethod
    def right(self, name: str, fold: str) -> Bools:
        """Whether it was right on each attacked problem, (P,)."""


@dataclass(frozen=True, eq=False)
class Verifiers(Judged):
    """Verifiers, whose thresholds are those of most accuracy before the attack.

    ``same`` (n,) is the truth, ``before`` their answers to the untouched problems or why there are none.
    """

    same: Bools
    before: Mapping[str, Floats | str]

    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        before, after = self.before[name], answers_of(self.store, name, fold)
        if isinstance(before, str) or isinstance(after, str):
            return before if isinstance(before, str) else str(after)
        return verification_effect(self.same, before, after)

    def right(self, name: str, fold: str) -> Bools:
        found, answers = self.effect(name, fold), answers_of(self.store, name, fold)
        assert not isinstance(found, str) and not isinstance(answers, str)
        return np.asarray(answers[self.same] >= found.threshold)


@dataclass(frozen=True, eq=False)
class Attributors(Judged):
    """Attribution methods: right where they name the author, or nobody for a text by no candidate."""

    @cached_property
    def texts(self) -> Texts:
        """The questioned texts and their authors."""
        truth, ids = true_codes(self.store), self.store.fold("original").test.ids.tolist()
        names = np.array([name.partition("/")[0] if "/" in name else "" for name in ids])
        return Texts(truth, np.unique(names, return_inverse=True)[1].astype(np.int64), truth >= 0)

    @property
    def clusters(self) -> Ints:
        """The authors of the attacked texts."""
        return np.unique(self.texts.truth[self.texts.attacked], return_inverse=True)[1].astype(np.int64)

    def named(self, name: str, fold: str) -> tuple[Ints, Floats] | str:
        """Numbers of the authors named and ranks of the true ones, or why there are none."""
        cell = cell_of(self.store, name, fold)
        return cell if isinstance(cell, str) else (cell.arrays["predicted"], cell.arrays["rank"])

    def effect(self, name: str, fold: str) -> VerificationEffect | str:
        before, after = self.named(name, "original"), self.named(name, fold)
        if isinstance(before, str) or isinstance(after, str):
            return before if isinstance(before, str) else str(after)
        found = effect(self.texts.truth, before[0], after[0], self.texts.attacked)
        return VerificationEffect(math.nan, found, None, None, None)

    def right(self, name: str, fold: str) -> Bools:
        found = self.named(name, fold)
        assert not isinstance(found, str)
        return np.asarray((found[0] == self.texts.truth)[self.texts.attacked])


def judged(store: Store) -> Judged:
    """The methods of a safety run."""
    if store.run.spec.get("methods"):
        return Attributors(store)
    names = [v.name for v in store.plan_as(SafetyPlan).verifiers]
    return Verifiers(store, store.truth("original"), {name: answers_of(store, name, "original") for name in names})
