"""Any verifier on masked texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from ravenbench import registry
from ravenbench.components import Component
from ravenbench.errors import SpecError
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators.log_odds import LogOdds
from ravenbench.verifiers.calibrators.scaled_logistic import ScaledLogistic
from ravenbench.verifiers.combinations.spreading import Spreading
from ravenbench.verifiers.contract.base import Calibrated, Learner, Scorer, Verifier, fresh
from ravenbench.verifiers.contract.folds import both_classes


@dataclass(eq=False, repr=False)
class Masked(Verifier):
    """A verifier that reads training and test texts through a mask, such as ``masked(lambdag, posnoise)``.

    The mask is learned on the training texts. A scorer keeps the calibrator it comes with; unless that suits scores
    of any scale, they are spread over (0, 1) first, since masked texts are all alike.

    Parameters
    ----------
    inner : Scorer or Verifier
        What reads the masked texts.
    mask : transform
        ``posnoise``, ``frequency-mask``, ``distortion``, ``topic-mask`` or another text transform.

    Attributes
    ----------
    mask_ : fitted mask
    verifier_ : Verifier
    """

    name = "masked"

    inner: Component
    mask: Component

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """True if the inner verifier is symmetric."""
        return bool(getattr(self.inner, "symmetric", False))

    @property
    def transductive(self) -> bool:  # type: ignore[override]
        """True if the inner verifier is transductive."""
        return bool(getattr(self.inner, "transductive", False))

    @property
    def provenance(self) -> Literal["sourced", "reconstructed", "ours"]:  # type: ignore[override]
        """Where the inner verifier comes from."""
        found: Literal["sourced", "reconstructed", "ours"] = getattr(self.inner, "provenance", "ours")
        return found

    def require(self) -> None:
        """Check that the two fit together, and that nothing is missing.

        Raises
        ------
        SpecError
            If the mask is no text transform.
        MissingPart
            If one of them needs something that is not here.
        """
        if not hasattr(self.mask, "transform") or isinstance(self.mask, Learner):
            raise SpecError(
                f"{self.mask} masks no texts", expected="masked(VERIFIER, MASK), e.g. masked(ppm, posnoise)"
            )
        super().require()

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.require()
        same = both_classes(same, "masked")
        mask = fresh(self.mask)
        self.mask_ = mask.fit(problems.texts.rows(problems.documents))  # type: ignore[attr-defined]
        self.verifier_ = _answering(self.inner).fit(problems.map_texts(self.mask_), same)
        return self

    def verify(self, problems: Problems) -> Floats:
        return self.verifier_.verify(problems.map_texts(self.mask_))

    def figures(self) -> dict[str, bytes]:
        return self.verifier_.figures()


def under_mask(verifiers: Mapping[str, Component], mask: str) -> dict[str, Component]:
    """The verifiers reading through a mask, by name; a printed form as name becomes that of the masked one.

    Raises
    ------
    SpecError, MissingPart
        If the mask does not parse, or needs something that is not here.
    """
    ((_, component),) = registry.named("transform", [mask]).items()
    found = {name: Masked(verifier, component) for name, verifier in verifiers.items()}
    return {str(v) if name == str(verifiers[name]) else name: v for name, v in found.items()}


def _answering(inner: Component) -> Verifier:
    if isinstance(inner, Scorer):
        own_scale = isinstance(inner.default_calibrator(), LogOdds | ScaledLogistic)
        return Calibrated(fresh(inner) if own_scale else Spreading(fresh(inner)))
    if isinstance(inner, Verifier):
        return fresh(inner)
    raise SpecError(f"{inner} answers no problems", expected="masked(VERIFIER, MASK)")
