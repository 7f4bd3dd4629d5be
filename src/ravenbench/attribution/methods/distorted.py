"""Any attribution method on distorted texts (Stamatatos 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from ravenbench.components import Component
from ravenbench.text.masks import mask
from ravenbench.types import Floats, Strings


@dataclass(eq=False, repr=False)
class Distorted(Component):
    """A method that reads texts through a mask learned on the training texts.

    Parameters
    ----------
    inner : estimator over texts
    variant : "ma", "sa" or "topic"
        DV-MA and DV-SA keep the frequent words, ``topic`` masks them.
    k : int
        Frequent words.
    """

    name = "distorted"
    provenance: ClassVar[Literal["sourced", "reconstructed", "ours"]] = "sourced"

    inner: Any
    variant: Literal["ma", "sa", "topic"] = "ma"
    k: int = 300

    def fit(self, texts: Sequence[str], authors: Sequence[str]) -> Self:
        """Learn the mask, then the method on masked texts.

        Raises
        ------
        SpecError
            If there is no such variant.
        """
        from sklearn.base import clone

        self.mask_ = mask(self.variant, self.k).fit(texts)
        self.inner_ = clone(self.inner).fit(self.mask_.transform(texts), authors)
        self.classes_: Strings = self.inner_.classes_
        return self

    def predict(self, texts: Sequence[str]) -> Strings:
        """The inner method's prediction on masked texts."""
        predicted: Strings = self.inner_.predict(self.mask_.transform(texts))
        return predicted

    def scores(self, texts: Sequence[str]) -> Floats:
        """The inner method's scores on masked texts."""
        found: Floats = self.inner_.scores(self.mask_.transform(texts))
        return found
