"""The meta-classifier of PAN-2014: the mean of several verifiers' answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from ravenbench.components import Component
from ravenbench.errors import SpecError
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.band import apply_band, best_radius
from ravenbench.verifiers.contract.base import Verifier, as_verifier, fresh
from ravenbench.verifiers.contract.folds import calibration_folds, out_of_fold


class Combined(Verifier):
    """A verifier made of ``members``, symmetric if all of them are and transductive if one is."""

    members: Sequence[Component]

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """True if all members are symmetric."""
        return all(as_verifier(member).symmetric for member in self.members)

    @property
    def transductive(self) -> bool:  # type: ignore[override]
        """True if a member is transductive."""
        return any(as_verifier(member).transductive for member in self.members)


@dataclass(eq=False, repr=False)
class Meta(Combined):
    """Unweighted mean of the members' answers, in which their non-answers count as 0.5.

    Parameters
    ----------
    members : list of verifiers or scorers
        Scorers get their published calibrators.
    band : bool
        Leave answers near 0.5 unanswered, within a half-width chosen on out-of-fold answers for c@1. The published
        meta-classifier has no such band. It costs five more fits of every member.

    Attributes
    ----------
    members_ : list of fitted verifiers
    radius_ : float
        Half-width of the band.

    References
    ----------
    Stamatatos et al. 2014, overview of the author identification task at PAN-2014, section 4.
    """

    name = "meta"
    version = 2

    members: Sequence[Component]
    band: bool = False

    @property
    def provenance(self) -> Literal["sourced", "reconstructed", "ours"]:  # type: ignore[override]
        """Sourced without the band, which is ours."""
        return "ours" if self.band else "sourced"

    def fit(self, problems: Problems, same: Bools) -> Self:
        same = np.asarray(same, dtype=bool)
        self.radius_ = 0.0
        if self.band:
            apart = answers_apart(self.members, problems, same, 5)
            told = ~np.isnan(apart).any(axis=1)
            self.radius_ = best_radius(apart[told].mean(axis=1), same[told])
        self.members_ = fit_members(self.members, problems, same)
        return self

    def verify(self, problems: Problems) -> Floats:
        return apply_band(answers_of(self.members_, problems).mean(axis=1), self.radius_)


def fit_members(members: Sequence[Component], problems: Problems, same: Bools) -> list[Verifier]:
    """Fitted copies.

    Raises
    ------
    SpecError
        If there are no members.
    """
    if not members:
        raise SpecError("a combination needs members", expected="a list such as [impostors, cng-2013]")
    return [as_verifier(fresh(member)).fit(problems, same) for member in members]


def answers_of(members: Sequence[Verifier], problems: Problems) -> Floats:
    """Answers of every member, (n, members)."""
    return np.stack([member.verify(problems) for member in members], axis=1)


def answers_apart(members: Sequence[Component], problems: Problems, same: Bools, folds: int) -> Floats:
    """Answers to training problems by members fitted on other folds, which share no author with them, (n, members).

    NaN where the members had one class alone to learn from.
    """

    def answered(rest: Bools, out: Bools) -> Floats:
        fitted = fit_members(members, problems.select(rest), same[rest])
        return answers_of(fitted, problems.select(out).blind())

    found = calibration_folds(problems, same, folds)
    least = int(found.kind == "authors")
    return out_of_fold(answered, found, same, least=least, otherwise=np.nan, columns=len(members))
