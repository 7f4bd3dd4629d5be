"""Any scorer on distorted texts (Stamatatos 2017)."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from ravenbench.text.distortion import mask
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.base import Calibrator, Scorer, fresh


class Distorted(Scorer):
    """A scorer that reads texts through a mask learned on the training texts.

    Parameters
    ----------
    inner : Scorer
    variant : "ma", "sa" or "topic"
        DV-MA or DV-SA keep the frequent words, ``topic`` masks them (TopicFit's mask).
    k : int
        Frequent words.

    Attributes
    ----------
    mask_, inner_ : fitted
    """

    name: ClassVar[str] = "distorted"

    def __init__(self, inner: Scorer, variant: Literal["ma", "sa", "topic"] = "ma", k: int = 300) -> None:
        self.inner = inner
        self.variant = variant
        self.k = k

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """The inner scorer's."""
        return self.inner.symmetric

    @property
    def transductive(self) -> bool:  # type: ignore[override]
        """The inner scorer's."""
        return self.inner.transductive

    @property
    def provenance(self) -> Literal["sourced", "reconstructed", "ours"]:  # type: ignore[override]
        """The inner scorer's."""
        return self.inner.provenance

    def fit(self, problems: Problems, same: Bools) -> Self:
        self.mask_ = mask(self.variant, self.k).fit(problems.texts.rows(problems.documents))
        self.inner_ = fresh(self.inner).fit(problems.map_texts(self.mask_), same)
        return self

    def score(self, problems: Problems) -> Floats:
        return self.inner_.score(problems.map_texts(self.mask_))

    def default_calibrator(self) -> Calibrator:
        return self.inner.default_calibrator()
