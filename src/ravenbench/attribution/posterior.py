"""Turns scores of methods into probabilities of each candidate author, and of "none of them" (ours).

In: for ``learned`` a method, known texts, their authors and the prior probability of *none of them*, in (0, 1); or for
``Posterior(none).fit`` scores (methods, n, candidates) of known texts, higher = more likely, NaN = not scored, by
models that did not learn from the text (``closed``) or from its author (``absent``), and author codes (n,) from 0.
Out: a fitted ``Posterior``: ``of`` takes scores (methods, texts, candidates) and returns probabilities (texts,
candidates + 1) from 0 to 1 that sum to 1, *none of them* last; ``named`` takes one method's scores and the minimum lead,
and returns the number (from 0) of the most probable candidate (texts,), −1 = none, or too small a lead. Helpers:
``parts`` returns which known texts are held out together (n,), ``held_out`` and ``scored`` scores (texts, candidates).
No error of its own.

Texts of known authors are scored by methods that did not learn from them, and again by methods that did not learn
from their authors at all: for the latter, the author is *none of them*. Scores of each method are put on one scale, by
their standard deviation over the candidates of one text. Candidate a of a text then has the utility ``Σ w_m c_ma``,
with c the scores of method m minus their mean over the candidates, and *none of them* has ``b``; probabilities are
their softmax. How high all candidates score means nothing here: with many methods it depends on a text's length. The
parameters w and b maximise the likelihood of the known texts, each candidate counting equally, with a normal prior
around values learned on other collections (``CONTRAST`` …, chosen by ``benchmarks.study_unknown``): few texts hardly
change these values, many do.

Authors are the unit for how often a candidate is named although somebody else wrote the text: the authors left out in
turn, and ``NAMED`` of other collections. *None of them* is never less probable than this share allows, because
observations of so few others cannot exclude another author.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ravenbench.randomness import stream
from ravenbench.types import Floats, Ints

CONTRAST = 1.95
NONE = 0.67
"""The prior's mean of Σ w, and of b minus the prior log odds of *none of them* against one candidate."""
SPREADS = (0.53, 0.32)
"""The prior's standard deviations: of each w, and of b."""
LIKELY = 0.5
"""Minimum probability at which a candidate counts as named."""
NAMED = (-1.99, -0.87, 4.1)
"""From other collections: the log odds that somebody is named although the author is not a candidate, if *none of them*
has even prior odds; what each unit of those log odds adds; and how many authors this counts for."""
MOST_SCORES = 1_000_000
"""Maximum texts times candidates that a posterior learns from; of more texts, every second, third … is taken."""
GROUPS = 4
"""Number of parts of the texts, and of the candidates, that ``learned`` leaves out in turn."""


def parts(codes: Ints, document: Ints, topic: Ints, count: int, seed: int) -> Ints:
    """Return which known texts (n,) are held out together: an author's texts on one topic, so that what is learned is valid
    for texts on new topics; for an author with one topic, the texts of one document."""
    part = np.zeros(len(codes), dtype=np.int64)
    for author in np.unique(codes):
        rows = np.flatnonzero(codes == author)
        group = topic[rows] if len(np.unique(topic[rows])) > 1 else document[rows]
        names, group_of_text = np.unique(group, return_inverse=True)
        part[rows] = (
            stream(seed, "posterior-parts", int(author)).permutation(len(names))[group_of_text]
            % count
        )
    return part


def held_out(
    method: Any, texts: Sequence[str], codes: Ints, part: Ints, judged: Ints | None = None
) -> Floats:
    """Return scores (n, candidates) of texts by a method that learned from all texts outside their ``part`` (n,).

    NaN for a candidate who has no text in the other parts, and for texts if fewer than two candidates have one.
    ``judged`` (n,) may assign texts to parts for scoring in another way than for holding out.
    """
    scores = np.full((len(texts), int(codes.max()) + 1), np.nan)
    for number in np.unique(part):
        training = np.flatnonzero(part != number)
        rows = np.flatnonzero((part if judged is None else judged) == number)
        scores[rows] = scored(method, texts, codes, training, [texts[i] for i in rows.tolist()])
    return scores


def scored(
    method: Any, texts: Sequence[str], codes: Ints, rows: Ints, unknown: Sequence[str]
) -> Floats:
    """Return scores (unknown, candidates) by a method that learned from ``rows`` of known texts; NaN as in ``held_out``."""
    from sklearn.base import clone

    scores = np.full((len(unknown), int(codes.max()) + 1), np.nan)
    present = np.unique(codes[rows])
    if len(present) > 1 and len(unknown):
        # Names of one width sort as the codes do.
        fitted = clone(method).fit([texts[i] for i in rows], [f"{codes[i]:08d}" for i in rows])
        scores[:, present] = fitted.scores(list(unknown))
    return scores


class Posterior:
    """Probabilities (0 to 1) of every candidate and of none of them, from scores of m methods.

    Parameters
    ----------
    none : float
        The probability, before anything is read, that none of the candidates wrote a text; in (0, 1). The
        candidates share the rest equally.

    Attributes
    ----------
    weights_ : (m + 1,) float
        w of the m methods, and b.
    named_ : (2,) float
        Numbers of authors (not candidates) in whose texts somebody is named, and in whose texts nobody is: a beta
        distribution of that share.
    """

    def __init__(self, none: float = 0.2) -> None:
        self.none = none

    def fit(self, closed: Floats, absent: Floats, codes: Ints, size: float | None = None) -> Self:
        """Learn from scores (methods, n, candidates) of known texts by authors ``codes`` (n,).

        Parameters
        ----------
        closed : (methods, n, candidates) float
            Scores by methods that did not learn from the text (NaN: not scored).
        absent : (methods, n, candidates) float
            Scores by methods that did not learn from its author; NaN for candidates that were left out.
        size : float, optional
            Number of independent texts, by default n.
        """
        from scipy.optimize import minimize

        step = 1 + closed[0].size // MOST_SCORES
        closed, absent, codes, size = (
            closed[:, ::step],
            absent[:, ::step],
            codes[::step],
            size or len(codes),
        )
        methods, _, candidates = closed.shape
        is_candidate = np.isfinite(closed)
        freedom = np.maximum(is_candidate.sum(axis=2) - 1, 0).sum(axis=1)
        margin = closed - np.nansum(closed, axis=2, keepdims=True) / np.maximum(
            is_candidate.sum(axis=2, keepdims=True), 1
        )
        self.scale_ = np.sqrt(np.nansum(margin**2, axis=(1, 2)) / np.maximum(freedom, 1)) + 1e-12
        is_complete = np.isfinite(closed).all(axis=(0, 2))
        strange = np.isfinite(absent).any(axis=2).all(axis=0)
        weight = size / candidates / np.bincount(codes, minlength=candidates)[codes]
        cases = [self._alternatives(closed[:, is_complete]), self._alternatives(absent[:, strange])]
        x, is_candidate = (np.concatenate(arrays) for arrays in zip(*cases, strict=True))
        answer = np.concatenate([codes[is_complete], np.full(strange.sum(), candidates)])
        worth = np.concatenate([(1 - self.none) * weight[is_complete], self.none * weight[strange]])
        rows = np.arange(len(answer))
        sizes = [methods, 1]
        precision = np.repeat(np.square(SPREADS), sizes) ** -1
        bias = NONE + np.log(candidates * self.none / (1 - self.none))
        centre = np.repeat([CONTRAST / methods, bias], sizes)

        def loss(theta: Floats) -> tuple[float, Floats]:
            log_p = _log_softmax(x @ theta, is_candidate)
            moved = theta - centre
            slope = np.einsum("nk,nkp->np", np.exp(log_p), x) - x[rows, answer]
            return (
                float(-worth @ log_p[rows, answer] + 0.5 * (precision * moved) @ moved),
                worth @ slope + precision * moved,
            )

        bounds = [(0, None)] * methods + [(None, None)]
        self.weights_: Floats = minimize(loss, centre, jac=True, method="L-BFGS-B", bounds=bounds).x
        self.named_ = self._named(cases[1], codes[strange])
        return self

    def of(self, scores: Floats) -> Floats:
        """Return probabilities (n, candidates + 1) of texts with scores (methods, n, candidates), *none of them* last."""
        probabilities = self._unbounded(*self._alternatives(scores))
        share = self.named_[0] / self.named_.sum()
        none = np.maximum(
            probabilities[:, -1], self.none * share / (self.none * share + 1 - self.none)
        )
        probabilities[:, :-1] *= ((1 - none) / np.maximum(1 - probabilities[:, -1], 1e-300))[
            :, None
        ]
        probabilities[:, -1] = none
        return probabilities

    def named(self, scores: Floats, lead: float) -> Ints:
        """Return the number of the most probable candidate by one method's scores (n, candidates), −1 if *none of them* is
        more probable, or the most probable answer leads the second by less than ``lead``."""
        probabilities = self.of(scores[None])
        best_candidate = probabilities.argmax(axis=1)
        second, best = np.sort(probabilities, axis=1)[:, -2:].T
        return np.where(
            (best_candidate < scores.shape[1]) & (best - second >= lead), best_candidate, -1
        )

    def _unbounded(self, x: Floats, is_candidate: Floats) -> Floats:
        return np.asarray(np.exp(_log_softmax(x @ self.weights_, is_candidate)))

    def _named(self, absent: tuple[Floats, Floats], codes: Ints) -> Floats:
        """``named_`` of texts by authors ``codes`` who were left out; each author counts as one."""
        from scipy.special import expit, logit

        even, slope, authors = NAMED
        usual = expit(even + slope * logit(self.none))
        named = self._unbounded(*absent)[:, :-1].max(axis=1) >= LIKELY
        shares = [named[codes == author].mean() for author in np.unique(codes)]
        return np.array(
            [authors * usual + sum(shares), authors * (1 - usual) + len(shares) - sum(shares)]
        )

    def _alternatives(self, scores: Floats) -> tuple[Floats, Floats]:
        """What the utilities of all answers are made of (n, candidates + 1, m + 1), and which answers there are."""
        methods, n, candidates = scores.shape
        is_candidate = np.isfinite(scores).all(axis=0)
        scaled = np.where(is_candidate, scores, 0) / self.scale_[:, None, None]
        level = scaled.sum(axis=2) / np.maximum(is_candidate.sum(axis=1), 1)
        x = np.zeros((n, candidates + 1, methods + 1))
        x[:, :candidates, :methods] = np.moveaxis(
            np.where(is_candidate, scaled - level[:, :, None], 0), 0, 2
        )
        x[:, candidates, -1] = 1
        return x, np.column_stack([is_candidate, np.ones(n, dtype=np.bool_)])


def _log_softmax(utility: Floats, is_candidate: Floats) -> Floats:
    """Logarithms of probabilities; an answer that is not there has a probability of next to none."""
    from scipy.special import log_softmax

    return np.asarray(log_softmax(np.where(is_candidate, utility, -1e3), axis=1))


def learned(method: Any, texts: Sequence[str], authors: Sequence[str], none: float) -> Posterior:
    """Return the ``Posterior`` of one method's scores, learned from known texts; columns are authors, sorted."""
    codes = np.unique(np.asarray(authors, dtype=np.str_), return_inverse=True)[1].astype(np.int64)
    count = int(codes.max()) + 1
    part = parts(codes, np.arange(len(codes)), np.full(len(codes), -1), GROUPS, 0)
    away = stream(0, "posterior-candidates").permutation(count)[codes] % min(GROUPS, count)
    closed, absent = (held_out(method, texts, codes, out)[None] for out in (part, away))
    return Posterior(none).fit(closed, absent, codes)
