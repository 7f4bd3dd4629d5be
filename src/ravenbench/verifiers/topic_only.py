"""A scorer that sees topic words and no style: the known truth that topic tests must convict."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from ravenbench.text.lexicon import CONTENT_WORDS
from ravenbench.text.tfidf import Tfidf
from ravenbench.text.tokens import frequent_words
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.base import Calibrator, Scorer
from ravenbench.verifiers.calibrators.threshold_band import ThresholdBand
from ravenbench.verifiers.char_ngram import pair_cosines


class TopicOnly(Scorer):
    """Cosine of tf-idf vectors of lowercase words other than the most frequent training words.

    Parameters
    ----------
    without : int
        Most frequent words left out, cases folded: where function words lie.
    size : int
        Most frequent remaining words taken up.
    """

    name: ClassVar[str] = "topic-only"
    provenance: ClassVar[Literal["sourced", "reconstructed", "ours"]] = "ours"

    def __init__(self, without: int = 150, size: int = 3000) -> None:
        self.without = without
        self.size = size

    def fit(self, problems: Problems, same: Bools) -> Self:
        documents = problems.documents
        common = frozenset(frequent_words(problems.texts.rows(documents), self.without))
        self.tfidf_ = Tfidf(CONTENT_WORDS, self.size).fit(problems.texts, documents, drop=common)
        return self

    def score(self, problems: Problems) -> Floats:
        return pair_cosines(self.tfidf_, problems)

    def default_calibrator(self) -> Calibrator:
        return ThresholdBand()
