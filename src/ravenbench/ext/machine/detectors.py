"""Detectors: methods that answer of one text whether a machine wrote it. They learn, are calibrated and kept as
verifiers are; the text stands on both sides of a problem, and "same" is "a machine wrote it".

The baselines are those of PAN's tasks on generated content since 2024.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.errors import CorpusError, MissingPart, SpecError, install
from ravenbench.types import Bools, Floats, Problems, Size
from ravenbench.verifiers.contract.base import Scorer, Verifier


class Detector(Scorer):
    """Base of detectors whose score is a number a text; what a number says is learned by the calibrator."""

    calibrated_by = "logistic"

    @abstractmethod
    def of_text(self, text: str) -> float:
        """The score of a text; NaN where there is none."""

    def score(self, problems: Problems) -> Floats:
        """Scores of the questioned texts, (n,)."""
        return np.array([self.of_text(problems.texts[row]) for row in problems.questioned_index], dtype=np.float64)


@dataclass(eq=False, repr=False)
class Length(Detector):
    """How many characters a text has: PAN's check of the data, which should be no better than chance."""

    name = "text-length"
    fold_free = False

    def of_text(self, text: str) -> float:
        return float(len(text))


@dataclass(eq=False, repr=False)
class Compression(Detector):
    """Compression-based cosine of a text's two halves under PPMd: how much of one half is said in the other.

    Also called: PPMd, compression, CBC.

    The score is PAN's to the last digit, (C(x) + C(y) − C(xy)) / √(C(x) C(y)) with the sizes C of what ``pyppmd`` makes
    of both halves and of the whole. PAN turns it into an answer by fixed bounds, Raven by what training texts show.

    References
    ----------
    Sculley and Brodley 2006; Halvani, Winter and Graner 2017; Bevendorff et al. 2024, Overview of the Voight-Kampff
    Generative AI Authorship Verification Task.
    """

    name = "ppmd-halves"

    def require(self) -> None:
        """Check that ``pyppmd`` is installed. MissingPart if not."""
        try:
            import pyppmd  # noqa: F401
        except ModuleNotFoundError:
            raise MissingPart("ppmd-halves needs 'pyppmd', which is not installed", fix=install("detect")) from None

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Nothing is learned. MissingPart if ``pyppmd`` is not installed."""
        self.require()
        return self

    def of_text(self, text: str) -> float:
        import pyppmd

        if len(text) < 2:
            return float("nan")
        half = len(text) // 2
        first, second, whole = (len(pyppmd.compress(part)) for part in (text[:half], text[half:], text))
        return float((first + second - whole) / np.sqrt(first * second))


@dataclass(eq=False, repr=False)
class TfidfSVM(Verifier):
    """A linear support vector machine on the thousand most frequent word n-grams, weighted by tf-idf.

    Also called: tf-idf, SVM, bag of words.

    PAN's baseline of 2025 and 2026: words and sequences of up to four, scikit-learn's defaults, the logistic curve of
    the machine's decision as the answer, and 0.5 where that is nearer to it than 0.05, or none of these words stands in
    the text. The machine learns from texts of
    the kind that it is asked about, and knows their topics.

    Parameters
    ----------
    features : int
        Word sequences counted.
    undecided : float
        Answers nearer to 0.5 than this are 0.5.

    Attributes
    ----------
    words_, machine_ : TfidfVectorizer, LinearSVC
        What was learned.

    References
    ----------
    Bevendorff et al. 2025, Overview of the Voight-Kampff Generative AI Authorship Verification Task.
    """

    name = "tfidf-svm"

    features: int = 1000
    undecided: float = 0.05

    def require(self) -> None:
        """SpecError if a parameter is out of range."""
        if self.features < 1 or not 0 <= self.undecided < 0.5:
            raise SpecError(
                "a parameter of tfidf-svm is out of range", found=str(self),
                expected="features of 1 or more, 0 ≤ undecided < .5",
            )  # fmt: skip

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn words and machine. SpecError if a parameter is out of range, CorpusError if one class has no text."""
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.svm import LinearSVC

        self.require()
        if len(set(np.asarray(same).tolist())) < 2:
            raise CorpusError("a detector learns from both", expected="training texts by people and by machines")
        texts = problems.texts.rows(problems.questioned_index)
        self.words_ = TfidfVectorizer(ngram_range=(1, 4), max_features=self.features).fit(texts)
        self.machine_ = LinearSVC(random_state=0).fit(self.words_.transform(texts), np.asarray(same, dtype=int))
        return self

    def verify(self, problems: Problems) -> Floats:
        from scipy.special import expit

        counted = self.words_.transform(problems.texts.rows(problems.questioned_index))
        answers = expit(self.machine_.decision_function(counted))
        unsure = (np.abs(answers - 0.5) < self.undecided) | (counted.getnnz(axis=1) == 0)
        return np.where(unsure, 0.5, answers)


@dataclass(eq=False, repr=False)
class Likelihood(Detector):
    """Mean log-probability of a text's tokens under a causal language model: machines write what models find likely.

    Also called: perplexity, log-likelihood, LLM, GPT.

    Parameters
    ----------
    model : str
        As in the verifier ``causal-lm``.
    longest : int
        Tokens that are read, from the beginning.
    device : str
        auto, cpu, cuda or cuda:NUMBER.

    References
    ----------
    Gehrmann, Strobelt and Rush 2019, GLTR.
    """

    name = "likelihood"

    model: str = "smollm2"
    longest: Size = 512
    device: str = "auto"

    def require(self) -> None:
        """Check that the model is on this machine (``causal``). SpecError if ``longest`` is not positive."""
        from ravenbench.ext.encoders.causal import model_file

        model_file(self.model)

    def model_digest(self) -> str:
        from ravenbench.ext.encoders.causal import digest

        return digest(self.model)

    def of_text(self, text: str) -> float:
        from ravenbench.ext.encoders.causal import open_model

        logs = open_model(self.model, self.device).logs(text, longest=self.longest).logs
        return float(logs.mean()) if len(logs) else float("nan")


def of_pair(first: float, second: float, near: float = 0.001) -> float:
    """PAN 2024's answer to a pair, from how likely a machine wrote each text: above .5 the second is by a person, below
    the first; .5 where the two are nearer than ``near``."""
    if first > second + near:
        return 1 - second / 2
    return first / 2 if second > first + near else 0.5


def as_problems(texts: Sequence[str], ids: Sequence[str]) -> Problems:
    """Texts as problems: each on both sides of one of its own."""
    return Problems.of((name, [text], text) for name, text in zip(ids, texts, strict=True))
