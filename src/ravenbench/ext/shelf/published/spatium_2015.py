"""Verifies as SPATIUM-L1 (``Spatium2015``, Kocher & Savoy 2015): frequent tokens, compared with impostors.

In: ``Problems`` (n); for ``fit`` training ``Problems`` and truth, whose known sets by other authors are the impostors.
Out: answers (n,) from 0 to 1, higher = same author, 0.5 = unanswered. CorpusError for fewer than two authors, SpecError
for a parameter out of range, when the verifier is made. ``frequent_untied`` takes counts and a size and returns at most
this many tokens; ``frequencies`` takes counts and tokens and returns rates per 1,000 tokens; ``ratio`` takes L1
distances of such rates, to the known texts and the smallest to impostors (below 1 counts as 1), and returns the second
over the first, above 0, above 1 = same author (1 if it is within .025 of 1); ``answers`` returns answers for ratios
(n,) and the largest of training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ravenbench.ext.shelf.published.impostors import Background
from ravenbench.randomness import stream
from ravenbench.text.tokens import lowered, normalised, tokens
from ravenbench.types import Bools, Count, Floats, Problems, Size
from ravenbench.verifiers.contract.base import Verifier

MARGIN = 0.025
"""Ratios closer to 1 than this count as 1."""
_LEAST = 1.0


@dataclass(eq=False, repr=False)
class Spatium2015(Verifier):
    """How much nearer the known documents are to the questioned text than documents by other authors.

    Features are the ``size`` most frequent tokens of the questioned text, without punctuation; if more tokens are equally
    frequent than fit, none of these is used. In every round, d0 is the L1 distance to the known documents
    (concatenated; frequencies per 1000 tokens) and d* the smallest distance to ``impostors`` random known sets by other
    authors, with as many documents if possible. The round gives d* / d0, or 1 if this is within ±.025; the answer is
    a piecewise linear map of the mean R of the rounds. All of this comes from the code.

    Deviations from the code: impostors come from training problems and the largest R is that of training, while
    the code takes both from the test batch; a distance below one token in a thousand counts as one, which corrects
    a division by zero; nothing is rounded. Rejections of the original map stay just below 0.5 only through R / 2.

    Parameters
    ----------
    size : int
        Number of tokens, 200–300 in the paper, 200 in the code.
    rounds, impostors : int
        Rounds for each problem, and known sets by other authors in each round.
    seed : int
        Decides impostors, drawn by problem id.

    Attributes
    ----------
    background_ : Background
    sets_ : list of list of int
        Known sets of training, as rows of the background's texts.
    largest_ : float
        R_max.

    References
    ----------
    Kocher & Savoy 2015 (PAN at CLEF) and its code.
    """

    name = "spatium-2015"
    reads = "words"
    symmetric = False
    provenance = "sourced"

    size: Size = 200
    rounds: Count = 5
    impostors: Size = 3
    seed: int = 0

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Collect impostors and the largest R. CorpusError if training contains fewer than two authors."""
        self.background_ = Background(len(problems.texts), self.seed).fit(problems, same)
        row = {text: i for i, text in enumerate(self.background_.texts_)}
        read = {int(d): normalised(problems.texts[d]) for d in problems.documents}
        profiles = (
            [row[read[int(d)]] for d in problems.known(i) if read[int(d)] in row]
            for i in range(len(problems))
        )
        self.sets_ = [
            list(one) for one in dict.fromkeys(tuple(sorted(rows)) for rows in profiles if rows)
        ]
        ratios = self._ratios(problems)
        self.largest_ = float(np.nanmax(np.append(ratios, 1 + MARGIN)))
        return self

    def verify(self, problems: Problems) -> Floats:
        return answers(self._ratios(problems), self.largest_)

    def _ratios(self, problems: Problems) -> Floats:
        """Mean R of each problem, (n,); NaN where its texts have no usable token or there are no impostors."""
        counts = [Counter(tokens(lowered(text))) for text in self.background_.texts_]
        sets = [sum((counts[row] for row in rows), Counter[str]()) for rows in self.sets_]
        author = np.array(
            [self.background_.author_[rows[0]] for rows in self.sets_], dtype=np.int64
        )
        sizes = np.array([len(rows) for rows in self.sets_], dtype=np.int64)
        read = {int(d): normalised(problems.texts[d]) for d in problems.documents}
        own = {d: Counter(tokens(lowered(text))) for d, text in read.items()}
        ratios = np.full(len(problems), np.nan)
        for i in range(len(problems)):
            rows = [int(row) for row in problems.known(i)]
            questioned = int(problems.questioned_index[i])
            clusters = [self.background_.cluster_.get(read[row], -1) for row in [*rows, questioned]]
            allowed = np.flatnonzero(~np.isin(author, clusters))
            alike = allowed[sizes[allowed] == len(rows)]
            allowed = alike if len(alike) >= self.impostors else allowed
            features = frequent_untied(own[questioned], self.size)
            known = sum((own[row] for row in rows), Counter[str]())
            if not len(allowed) or not features or not known:
                continue
            about = frequencies(own[questioned], features)
            d0 = float(np.abs(frequencies(known, features) - about).sum())
            rng = stream(self.seed, "spatium-impostors", str(problems.ids[i]))
            count = min(self.impostors, len(allowed))
            drawn = [rng.choice(allowed, size=count, replace=False) for _ in range(self.rounds)]
            distances = {
                int(j): np.abs(frequencies(sets[j], features) - about).sum()
                for j in np.unique(np.array(drawn))
            }
            ratios[i] = np.mean(
                [ratio(d0, min(float(distances[int(j)]) for j in some)) for some in drawn]
            )
        return ratios


def frequent_untied(counts: Counter[str], size: int) -> list[str]:
    """Return the ``size`` most frequent tokens in code-point order, without those tied with the first one left out."""
    ranked = sorted(counts.values(), reverse=True)
    least = ranked[size] if len(ranked) > size else 0
    return sorted(token for token, count in counts.items() if count > least)


def frequencies(counts: Counter[str], features: Sequence[str]) -> Floats:
    """Return how often each of ``features`` occurs in a thousand tokens, shape (len(features),)."""
    return np.array([counts[token] for token in features], dtype=np.float64) * (
        1000 / max(counts.total(), 1)
    )


def ratio(d0: float, nearest: float) -> float:
    """Return d* / d0, or 1 if it is within the margin."""
    value = max(nearest, _LEAST) / max(d0, _LEAST)
    return value if abs(value - 1) > MARGIN else 1.0


def answers(ratios: Floats, largest: float) -> Floats:
    """Return answers (n,) from 0 to 1: R ≤ .975 to R / 2, R ≥ 1.025 to .5 + ½ (R − 1) / (1.025 · R_max − 1), at most 1;
    otherwise, and for NaN, 0.5."""
    accepted = np.minimum(1.0, 0.5 + 0.5 * (ratios - 1) / ((1 + MARGIN) * largest - 1))
    low = np.where(ratios <= 1 - MARGIN, ratios / 2, 0.5)
    return np.asarray(np.where(ratios >= 1 + MARGIN, accepted, low), dtype=np.float64)
