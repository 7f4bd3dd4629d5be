"""Defines raven-style (``RavenStyle``): the recipe of ``raven-2026`` on texts without their content.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author.
Out: ``verify`` gives answers (n,), probabilities of the same author from 0 to 1, 0.5 = unanswered;
``BlindExtractor.measure`` features (n, features), higher = more alike (mean z-scores against impostors, and log10
ratios by LambdaG and by alternations), and which problems can be decided (n,) bool. SpecError for C or impostors out of
range, CorpusError for one class or fewer than two authors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ravenbench.ext.shelf.published.lambdag import LambdaG
from ravenbench.ext.shelf.raven.alternations import GROUPS, Alternations, grouped
from ravenbench.ext.shelf.raven.mask import ContentMask
from ravenbench.ext.shelf.raven.raven_2026 import Extractor, Fused, Ridge, feature_names
from ravenbench.text.content_words import speaks_english
from ravenbench.types import Bools, Floats, Problems, name_array

SHAPES = tuple(name for name in feature_names() if "shape" in name)
"""Families that use only lengths and capitals of words, from the unchanged texts."""
MASKED = tuple(name for name in feature_names() if name not in (*SHAPES, "length"))
"""Families that read texts through ``content-mask``."""
NAMES = (*MASKED, *SHAPES, "lambdag")
"""All features, in order, except those of alternations, which come last (``GROUPS``)."""


@dataclass(eq=False)
class BlindExtractor:
    """Learns masks, impostors, vocabularies and scales from training problems and measures problems.

    Attributes
    ----------
    mask_ : ContentMask
    masked_, shapes_ : Extractor
    grammar_ : LambdaG
    choices_ : Alternations or None
    """

    impostors: int = 400
    seed: int = 0
    forms: bool = True
    choices: bool = False

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn from training problems. CorpusError if fewer than two authors can be distinguished."""
        self.mask_ = ContentMask(blank=not self.forms).fit(problems.texts.rows(problems.documents))
        masked = problems.map_texts(self.mask_)
        self.masked_ = Extractor(self.impostors, self.seed, MASKED).fit(masked, same)
        shown = problems if self.forms else masked
        self.shapes_ = Extractor(self.impostors, self.seed, SHAPES).fit(shown, same)
        self.grammar_ = LambdaG(seed=self.seed).fit(masked, same)
        self.choices_ = None
        if self.choices and speaks_english(problems.texts.rows(problems.documents)):
            self.choices_ = Alternations(seed=self.seed).fit(masked, same)
        return self

    def measure(self, problems: Problems) -> tuple[Floats, Bools]:
        """Return features (n, features), and which problems can be decided (n,); the others' features are 0."""
        masked = problems.map_texts(self.mask_)
        (words, able), (shapes, shaped) = (
            self.masked_.measure(masked),
            self.shapes_.measure(problems if self.forms else masked),
        )
        # Reference sentences are drawn by id: by what is known, they are those of no batch and of all rewritten twins.
        known = (
            b"".join(masked.texts.hash(row) for row in masked.known(i).tolist())
            for i in range(len(masked))
        )
        grammar = np.nan_to_num(
            self.grammar_.score(replace(masked, ids=name_array(each.hex() for each in known)))
        )
        measured = [words, shapes, grammar[:, None]]
        if self.choices_ is not None:
            measured.append(grouped(self.choices_.ratios(masked)))
        features = np.concatenate(measured, axis=1)
        able = able & shaped
        return np.where(able[:, None], features, 0.0), able


@dataclass(eq=False, repr=False)
class RavenStyle(Fused):
    """``raven-2026`` without content: the same similarities, normalised by impostors, of texts with hidden content words,
    and LambdaG of these texts.

    All families except those of shapes read texts through ``content-mask``; the shapes use only how long words are and
    whether they begin with a capital. The regression shrinks features with the same information towards one weight
    (``common``), which helps if training problems are few. Of what the transplant probe replaces, only lengths and capitals
    are used, and without ``forms`` nothing is: use that edition (``docs/raven-style.md``).

    Parameters
    ----------
    C : float
        Inverse strength of the ridge.
    impostors : int
        Maximum number of training documents used as impostors.
    common : float
        How much less regularised the weight shared by all features is than single weights.
    seed : int
        Seed for drawing impostors if there are more, and reference sentences.
    forms : bool
        Whether to use how long content words and numbers are and which words begin with a capital; otherwise each is
        one sign for all families.
    choices : bool
        Add the ``alternations`` of masked texts, if the training texts are English: contractions, words of one
        meaning, sentences, marks.

    Attributes
    ----------
    extractor_ : BlindExtractor
    ridge_ : Ridge
    features_ : tuple of str
        Names of the features, in the order of ``ridge_.coef_``.
    radius_ : float
        Half-width of the band.
    """

    name = "raven-style"
    reads = "blanks"
    version = 1
    provenance = "ours"

    C: float = 0.02
    impostors: int = 400
    common: float = 2.0
    seed: int = 0
    forms: bool = True
    choices: bool = False

    def _measurer(self) -> BlindExtractor:
        return BlindExtractor(self.impostors, self.seed, self.forms, self.choices)

    def _names(self) -> tuple[str, ...]:
        return NAMES if getattr(self.extractor_, "choices_", None) is None else NAMES + GROUPS

    def _ridge(self) -> Ridge:
        return Ridge(self.C, self.common, len(self._names()) - len(NAMES))
