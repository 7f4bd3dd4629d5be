"""Combines verifiers (``Meta``: mean, ``Stacked``: weighted mean); ``Masked`` and ``Distorted`` read masked texts.

In: member verifiers or scorers, or one of them and a mask; then ``Problems`` (n) and, for ``fit``, their truth (n,)
bool, True = same author. For ``under_mask`` verifiers by name and a mask (text); for ``weights`` log-odds, truth, C.
Out: answers (n,) from 0 to 1, higher = same author, exactly 0.5 = unanswered; ``Distorted`` and ``Spreading`` are
scorers: single raw scores in (0, 1), in the order of the inner scorer's (several features unchanged), NaN = cannot
tell. ``answers_of`` returns answers (n, members), ``answers_out_of_fold`` too, NaN if members had only one class to
learn from; ``log_odds`` natural log-odds; ``weights`` coefficients (members,) of at least 0 and an intercept;
``under_mask`` ``Masked`` verifiers by name. SpecError for no members or a mask that masks no texts, MissingPart for
missing parts, CorpusError if one class is absent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np

from ravenbench import registry
from ravenbench.components import Component
from ravenbench.errors import SpecError
from ravenbench.text.masks import mask
from ravenbench.types import Bools, Count, Floats, Problems
from ravenbench.verifiers import calibrators
from ravenbench.verifiers.contract import base
from ravenbench.verifiers.contract.folds import (
    both_classes,
    calibration_folds,
    out_of_fold,
    remove_fold_effect,
)


class Combined(base.Verifier):
    """A verifier made of ``members``: symmetric if all members are, transductive if one is."""

    members: Sequence[Component]

    def copies(self) -> dict[str, Any]:
        return {"members_": [base.as_verifier(member) for member in self.members]}

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Return True if all members are symmetric."""
        return all(base.as_verifier(member).symmetric for member in self.members)

    @property
    def transductive(self) -> bool:  # type: ignore[override]
        """Return True if a member is transductive."""
        return any(base.as_verifier(member).transductive for member in self.members)


@dataclass(eq=False, repr=False)
class Meta(Combined):
    """Unweighted mean of the members' answers; their non-answers count as 0.5.

    Parameters
    ----------
    members : list of verifiers or scorers
        Scorers get their published calibrators.
    band : bool
        Leave answers near 0.5 unanswered, within a half-width that maximises c@1 on out-of-fold answers. The published
        meta-classifier has no band. The band costs five more fits of every member.

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
        """Return "sourced" without the band, which is ours."""
        return "ours" if self.band else "sourced"

    def fit(self, problems: Problems, same: Bools) -> Self:
        same = np.asarray(same, dtype=bool)
        self.radius_ = 0.0
        if self.band:
            held_out = answers_out_of_fold(self.members, problems, same, 5)
            finite = ~np.isnan(held_out).any(axis=1)
            self.radius_ = calibrators.best_radius(held_out[finite].mean(axis=1), same[finite])
        self.members_ = fit_members(self.members, problems, same)
        return self

    def verify(self, problems: Problems) -> Floats:
        return calibrators.apply_band(
            answers_of(self.members_, problems).mean(axis=1), self.radius_
        )


def fit_members(
    members: Sequence[Component], problems: Problems, same: Bools
) -> list[base.Verifier]:
    """Return fitted copies of the members, as verifiers. SpecError if there are no members."""
    if not members:
        raise SpecError(
            "a combination needs members", expected="a list such as [impostors, cng-2013]"
        )
    return [base.as_verifier(base.fresh(member)).fit(problems, same) for member in members]


def answers_of(members: Sequence[base.Verifier], problems: Problems) -> Floats:
    """Return the answers of every member, (n, members), from 0 to 1."""
    return np.stack([member.verify(problems) for member in members], axis=1)


def answers_out_of_fold(
    members: Sequence[Component], problems: Problems, same: Bools, folds: int
) -> Floats:
    """Return answers from 0 to 1 to training problems by members fitted on other folds (``calibration_folds``), (n, members).

    NaN if authors are separated by blocks and the members had only one class to learn from.
    """

    def answered(learned: Bools, judged: Bools) -> Floats:
        fitted = fit_members(members, problems.select(learned), same[learned])
        return answers_of(fitted, problems.select(judged).blind())

    partition = calibration_folds(problems, same, folds)
    fewest = int(partition.kind == "authors")
    return out_of_fold(
        answered, partition, same, least=fewest, otherwise=np.nan, columns=len(members)
    )


@dataclass(eq=False, repr=False)
class Stacked(Combined):
    """Logistic regression over the log-odds of the members' answers, learned on answers out of fold.

    Also called: ensemble, meta-classifier.

    No member has a negative weight (Breiman 1996): a higher answer always means the same author, and if out-of-fold
    answers suggest the opposite, this is chance. Weights are drawn towards those of the plain mean. The members of each
    fold learned from another share of same-author problems, and answer higher or lower only because of that, so answers out
    of fold are compared within a fold (``remove_fold_effect``).

    Marks for calibration are ignored: the folds keep groups together, and members that did not learn from a problem
    answer it.

    Parameters
    ----------
    members : list of verifiers or scorers
    C : float
        Inverse strength of the pull to the plain mean.
    folds : int
        Number of folds of the cross-validation that gives the out-of-fold answers.
    band : bool
        Leave answers near 0.5 unanswered, within a half-width chosen for c@1 on the training problems.

    Attributes
    ----------
    members_ : list of fitted verifiers
    coef_ : (members,) float64
        Weight of each member's log-odds, at least 0.
    intercept_ : float
    radius_ : float
        Half-width of the band.

    References
    ----------
    Wolpert 1992, Stacked generalization. Breiman 1996, Stacked regressions.
    """

    name = "stacked"
    version = 5
    provenance = "ours"

    members: Sequence[Component]
    C: float = 0.1
    folds: Count = 5
    band: bool = False

    def fit(self, problems: Problems, same: Bools) -> Self:
        same = np.asarray(same, dtype=bool)
        problems = replace(problems, calibrate=None)
        held_out = log_odds(answers_out_of_fold(self.members, problems, same, self.folds))
        finite = ~np.isnan(held_out).any(axis=1)
        truth = same[finite]
        held_out = remove_fold_effect(
            held_out[finite], calibration_folds(problems, same, self.folds).fold[finite], truth
        )
        self.coef_, self.intercept_ = weights(held_out, truth, self.C)
        self.radius_ = calibrators.best_radius(self._weighed(held_out), truth) if self.band else 0.0
        self.members_ = fit_members(self.members, problems, same)
        return self

    def verify(self, problems: Problems) -> Floats:
        return calibrators.apply_band(
            self._weighed(log_odds(answers_of(self.members_, problems))), self.radius_
        )

    def _weighed(self, odds: Floats) -> Floats:
        from scipy.special import expit

        # Not a matrix product: its rounding may depend on how many rows there are.
        return np.asarray(expit((odds * self.coef_).sum(axis=1) + self.intercept_))


def weights(odds: Floats, same: Bools, C: float) -> tuple[Floats, float]:
    """Return coefficients (members,) of at least 0 and an intercept, from natural log-odds (n, members).

    They minimise the logistic loss · ``C`` + ½ |coefficients − 1 / members|². CorpusError if one class is absent.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    odds, same = calibrators.learnable(odds, same, Stacked.name)
    members = odds.shape[1]
    design = np.column_stack([odds, np.ones(len(odds))])
    mean = np.append(np.full(members, 1 / members), 0.0)
    sign = np.where(same, 1.0, -1.0)
    pulled = np.append(np.ones(members), 0.0)

    def loss(beta: Floats) -> tuple[float, Floats]:
        margin = sign * (design @ beta)
        off = pulled * (beta - mean)
        slope = C * (design.T @ (-sign * expit(-margin))) + off
        return float(C * np.logaddexp(0.0, -margin).sum() + off @ off / 2), slope

    bounds = [(0.0, None)] * members + [(None, None)]
    beta = minimize(
        loss,
        mean,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-14, "gtol": 1e-9},
    ).x
    return beta[:members], float(beta[members])


def log_odds(answers: Floats) -> Floats:
    """Return natural log(p / (1 − p)) of answers, same shape; answers are clipped to [.01, .99], so that none is infinite."""
    clipped = np.clip(answers, 0.01, 0.99)
    return np.asarray(np.log(clipped / (1 - clipped)))


@dataclass(eq=False, repr=False)
class Spreading(base.Scorer):
    """Spreads the scores of another scorer over (0, 1) in their order, because masked texts are all similar.

    Attributes
    ----------
    inner_ : Scorer
    scale_ : (float, float) or None
        Centre and deviation of the training problems' scores; None if a problem has several.
    """

    inner: base.Scorer
    symmetric, transductive, provenance = base.declared_by("inner")

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.scale_: tuple[float, float] | None = None
        self.inner_ = base.fresh(self.inner).fit(problems, same)
        scores = self.inner_.score(problems)
        finite = ~np.isnan(scores)
        if scores.ndim == 1 and finite.any():
            self.scale_ = calibrators.scale_of(scores[finite], np.asarray(same, dtype=bool)[finite])
        return self

    def copies(self) -> dict[str, Any]:
        return {"inner_": self.inner}

    def score(self, problems: Problems) -> Floats:
        scores = self.inner_.score(problems)
        return scores if self.scale_ is None else calibrators.spread(scores, self.scale_)

    def default_calibrator(self) -> base.Calibrator:
        return self.inner.default_calibrator()


@dataclass(eq=False, repr=False)
class Distorted(Spreading):
    """A scorer that reads texts through a mask learned from the training texts.

    Masked texts are all similar, so single scores are spread over (0, 1) in their order before they are
    calibrated.

    Parameters
    ----------
    inner : Scorer
        The scorer that reads the masked texts.
    variant : "ma", "sa" or "topic"
        DV-MA or DV-SA keep the frequent words, ``topic`` masks them (TopicFit's mask).
    k : int
        Number of frequent words.

    Attributes
    ----------
    mask_ : fitted mask
    inner_ : Scorer
    scale_ : (float, float) or None
        Centre and deviation of the training problems' scores; None if a problem has several.
    """

    name = "distorted"
    version = 2

    inner: base.Scorer
    variant: Literal["ma", "sa", "topic"] = "ma"
    k: int = 300

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.mask_ = mask(self.variant, self.k).fit(problems.texts.rows(problems.documents))
        return super().fit(problems.map_texts(self.mask_), same)

    def copies(self) -> dict[str, Any]:
        return super().copies() | {"mask_": mask(self.variant, self.k)}

    def score(self, problems: Problems) -> Floats:
        return super().score(problems.map_texts(self.mask_))


@dataclass(eq=False, repr=False)
class Masked(base.Verifier):
    """A verifier that reads training and test texts through a mask, such as ``masked(lambdag, posnoise)``.

    The mask is learned from the training texts. A scorer keeps its calibrator; unless that suits scores
    of any scale, they are first spread over (0, 1), because masked texts are all similar.

    Parameters
    ----------
    inner : Scorer or Verifier
        The scorer or verifier that reads the masked texts.
    mask : transform
        ``posnoise``, ``frequency-mask``, ``distortion``, ``topic-mask`` or another text transform.

    Attributes
    ----------
    mask_ : fitted mask
    verifier_ : Verifier
    """

    name = "masked"
    symmetric, transductive, provenance = base.declared_by("inner")

    inner: Component
    mask: Component

    def require(self) -> None:
        """Check that verifier and mask fit together and that nothing is missing.

        SpecError if the mask is not a text transform. MissingPart if one of them needs a missing part.
        """
        if not hasattr(self.mask, "transform") or isinstance(self.mask, base.Learner):
            raise SpecError(
                f"{self.mask} masks no texts",
                expected="masked(VERIFIER, MASK), for example masked(ppm, posnoise)",
            )
        super().require()

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.require()
        same = both_classes(same, "masked")
        mask = base.fresh(self.mask)
        self.mask_ = mask.fit(problems.texts.rows(problems.documents))  # type: ignore[attr-defined]
        self.verifier_ = _answering(self.inner).fit(problems.map_texts(self.mask_), same)
        return self

    def copies(self) -> dict[str, Any]:
        return {"mask_": self.mask, "verifier_": _answering(self.inner)}

    def verify(self, problems: Problems) -> Floats:
        return self.verifier_.verify(problems.map_texts(self.mask_))

    def figures(self) -> dict[str, bytes]:
        return self.verifier_.figures()


def under_mask(verifiers: Mapping[str, Component], mask: str) -> dict[str, Component]:
    """Return the verifiers that read through a mask, by name; a printed form as name becomes that of the masked verifier.

    SpecError if the mask does not parse, MissingPart if it needs a missing part.
    """
    ((_, component),) = registry.named("transform", [mask]).items()
    masked = {name: Masked(verifier, component) for name, verifier in verifiers.items()}
    return {
        str(verifier) if name == str(verifiers[name]) else name: verifier
        for name, verifier in masked.items()
    }


def _answering(inner: Component) -> base.Verifier:
    if isinstance(inner, base.Scorer):
        own_scale = isinstance(
            inner.default_calibrator(), calibrators.LogOdds | calibrators.ScaledLogistic
        )
        return base.Calibrated(base.fresh(inner) if own_scale else Spreading(base.fresh(inner)))
    if isinstance(inner, base.Verifier):
        return base.fresh(inner)
    raise SpecError(f"{inner} does not answer problems", expected="masked(VERIFIER, MASK)")
