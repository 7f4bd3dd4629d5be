"""Scores by LambdaG: is the questioned text likelier under the known author's grammar than under others' grammars?

In: ``LambdaG`` takes ``Problems`` (n), and for ``fit`` training ``Problems`` and truth, to learn the other authors'
sentences; for ``tokens`` known texts, a questioned one, and the problem's id.
Out: raw scores (n,), log10 likelihood ratios (scaled down with a ``correction``), unbounded, higher = same
author, NaN if a side has no token or training has too few sentences by others; ``tokens``: a list of ``TokenRatio``,
what each token adds, in log10, with half-open offsets in characters, empty if there is no score. CorpusError for
fewer than two authors, InputError for texts too large for the model, SpecError for a parameter, when it is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np

from ravenbench.ext.shelf.published.grammar import (
    SentenceVocabulary,
    grammar_log10,
    sentences,
    spans,
)
from ravenbench.ext.shelf.published.impostors import Background
from ravenbench.randomness import stream
from ravenbench.text.tokens import normalised
from ravenbench.types import Bools, Count, Floats, Ints, Part, Problems, Size
from ravenbench.verifiers.calibrators import LogOdds
from ravenbench.verifiers.contract.base import Calibrator, Scorer


class TokenRatio(NamedTuple):
    """What one token of the questioned text adds to the score.

    ``start`` and ``end`` are its place in the text, in characters; the end of a sentence is also predicted and has an
    empty token, which begins where it ends. ``log10`` is the logarithm of how many times likelier
    the token is, given the tokens before it, in the known author's grammar than on average in the others' grammars; a value
    above 0 supports the author. The sum over a text is its score without a correction.
    """

    token: str
    start: int
    end: int
    log10: float


@dataclass(eq=False, repr=False)
class LambdaG(Scorer):
    """The likelihood ratio of two grammars, λ_G: how much likelier the questioned text is under a grammar model of the
    known texts than under models of other authors' texts, as a logarithm to base 10.

    Also called: likelihood ratio, grammar, idiolect.

    A grammar model learns which tokens follow which, up to ``order`` tokens, and never looks across the end of a
    sentence; it is smoothed by interpolated Kneser–Ney with one discount. The known texts make one model. Each of
    ``references`` others is made from the same number of sentences, drawn without replacement from the training texts of
    other authors, and λ_G is the mean over them. The authors read texts through POSNoise, which keeps grammar and hides
    content: ``masked(lambdag, posnoise)``; without a mask, the method also reads topics.

    Scores follow the authors' package ``lambdag`` 0.2: with the same draws they are equal.

    Parameters
    ----------
    order : int
        Number of tokens of the longest n-gram.
    references : int
        Number of reference models; 100 in the paper, 30 in the authors' packages.
    discount : float
        Subtracted from every count.
    lowercase : bool
        Read texts in lowercase.
    correction : {"none", "square_root", "hapax"}
        Converts λ_G to the scale of a likelihood ratio without training data: divided by the square root of the number
        of tokens of the questioned text, or multiplied by the share of its tokens that occur once. The answer is then
        1 / (1 + 2^−score), as in the authors' package, and only the population of other authors is learned.
    population : int
        Maximum training documents from which reference sentences are drawn; if there are more, a random choice.
    seed : int
        Reference sentences are drawn by problem id, so that rewritten twins share them.

    Attributes
    ----------
    population_ : Background
        Training documents and their authors, as far as problems show: known texts of a problem, and both sides of a
        same-author problem, have one author.

    Notes
    -----
    A problem has no score (NaN, so it stays unanswered) if a side has no token, or training contains fewer
    sentences by other authors than the known texts. Words of the text that look like the package's marks
    (``<s>``, ``</s>``) are words here.

    References
    ----------
    Nini, Halvani, Graner, Titze, Gherardi and Ishihara 2026, Humanities and Social Sciences Communications 13:455.
    Barlow, Nini and Manino 2026, Normalisation-Based Likelihood Ratio Estimation (the corrections).
    """

    name = "lambdag"
    reads = "blanks"
    symmetric = False

    order: Size = 10
    references: Count = 30
    discount: Part = 0.75
    lowercase: bool = True
    correction: Literal["none", "square_root", "hapax"] = "none"
    population: Size = 1000
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Collect the population. CorpusError if fewer than two authors can be distinguished."""
        self.population_ = Background(self.population, self.seed).fit(problems, same)
        self._read: _Population | None = None
        return self

    def score(self, problems: Problems) -> Floats:
        """Return the score of each problem, (n,), a log10 likelihood ratio; higher = same author."""
        population = self._read_population()
        scores = np.full(len(problems), np.nan)
        for i in range(len(problems)):
            known = problems.texts.rows(problems.known(i))
            questioned = problems.texts[problems.questioned_index[i]]
            ratios = self._ratios(population, known, questioned, str(problems.ids[i]))
            if ratios is not None:
                scores[i] = ratios.sum() * self._scale(sentences(questioned, self.lowercase))
        return scores

    def tokens(self, known: Sequence[str], questioned: str, problem: str = "") -> list[TokenRatio]:
        """Return what each token of a questioned text adds to λ_G before any correction; empty if there is no score.

        ``problem``: the problem's id, which decides which reference sentences are drawn.
        """
        ratios = self._ratios(self._read_population(), known, questioned, problem)
        if ratios is None:
            return []
        places = [
            place for sentence in spans(questioned) for place in (*sentence, (sentence[-1][1],) * 2)
        ]
        return [
            TokenRatio(questioned[start:end], start, end, float(ratio))
            for (start, end), ratio in zip(places, ratios, strict=True)
        ]

    def default_calibrator(self) -> Calibrator:
        """Return ``LogOdds`` for corrected scores, which learns nothing; otherwise logistic regression, as in the paper."""
        return super().default_calibrator() if self.correction == "none" else LogOdds(2.0)

    def _read_population(self) -> _Population:
        if (read := vars(self).get("_read")) is None:
            read = self._read = _Population(self.population_, self.lowercase)
        return read

    def _ratios(
        self, population: _Population, known: Sequence[str], questioned: str, problem: str
    ) -> Floats | None:
        """Mean log10 ratio of each token and each end of a sentence, (tokens,); None where there is no score."""
        vocabulary = population.vocabulary
        coded = vocabulary.encode(sentences(questioned, self.lowercase))
        own = vocabulary.encode(sentences(" ".join(known), self.lowercase))
        others = population.sentences_for([*known, questioned])
        if not len(coded) or not len(own) or len(others) < len(own):
            return None
        rng = stream(self.seed, "lambdag", problem)
        samples = [
            rng.choice(len(others), size=len(own), replace=False) for _ in range(self.references)
        ]
        settings = len(vocabulary), self.order, self.discount
        by_author = grammar_log10(coded, own, np.arange(len(own))[None], *settings)
        by_others = grammar_log10(coded, population.sentences, others[np.stack(samples)], *settings)
        return np.asarray(by_author[0] - by_others.mean(axis=0))

    def _scale(self, questioned: list[list[str]]) -> float:
        counts = Counter(token for sentence in questioned for token in sentence)
        total = sum(counts.values())
        if self.correction == "hapax":
            return sum(count == 1 for count in counts.values()) / total
        return 1 / float(np.sqrt(total)) if self.correction == "square_root" else 1.0


class _Population:
    """The sentences of the population as numbers; words of problems join its vocabulary as they come."""

    def __init__(self, documents: Background, lowercase: bool) -> None:
        self.documents = documents
        self.vocabulary = SentenceVocabulary()
        each = [sentences(text, lowercase) for text in documents.written_]
        self.sentences = self.vocabulary.encode(
            sentence for document in each for sentence in document
        )
        self.author = np.repeat(documents.author_, [len(document) for document in each])

    def sentences_for(self, texts: Sequence[str]) -> Ints:
        """Sentences of authors other than those of these texts, as far as is known."""
        own = [
            self.documents.cluster_[text]
            for text in map(normalised, texts)
            if text in self.documents.cluster_
        ]
        return np.flatnonzero(~np.isin(self.author, own)).astype(np.int64)
