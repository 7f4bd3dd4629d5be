"""Verifies as GLAD (``Glad2015``, Hürlimann et al. 2015): an SVM over 24 comparisons of known and questioned text.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author. For ``reading`` a text; for
``pair_features`` and ``compression_ratio`` two such readings; for ``profile`` a text, n and a size.
Out: raw scores (n,), decision values, unbounded, higher = same author, NaN if a side is empty; ``problem_features``
(n, 24), NaN likewise, and ``pair_features`` (24,). CorpusError if one class is absent; SpecError for an unknown kernel,
when the scorer is made. ``reading`` counts a text, ``profile`` gives frequencies by n-gram; of two profiles, readings
or vectors ``dissimilarity`` ≥ 0 (higher = less alike), ``compression_ratio`` > 0 (higher = more alike), ``difference``
≥ 0, ``cosine`` 0 to 1; of counts ``entropy`` in bits per character.
"""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, Self

import numpy as np

from ravenbench.ext.shelf.published.one_class import sides
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.tfidf import centre_of
from ravenbench.text.tokens import SENTENCE_END, collapse, frequent, lowered, tokens, words
from ravenbench.types import Bools, Floats, Problems
from ravenbench.verifiers.calibrators import learnable
from ravenbench.verifiers.contract.base import Scorer

LENGTHS = (1, 2, 3, 4, 5)
TOP = (100, 100, 100, 100, 500)
"""N-grams of a profile: 100 in the paper, 500 for n = 5 in the code."""
MARKS = ".,;:!?\"'"
ENDINGS = ".,;:!?-"
FEATURES = (
    *(f"dissimilarity {n}" for n in LENGTHS),
    *(f"overlap {n}" for n in LENGTHS),
    "punctuation cosine",
    "line ending cosine",
    "line shape cosine",
    "case difference",
    "block difference",
    "token cosine",
    "sentence length difference",
    "joint entropy",
    "entropy difference",
    "compression ratio",
    "known entropy",
    "questioned entropy",
    "known sentence length",
    "questioned sentence length",
)


@dataclass(frozen=True, eq=False)
class GladReading:
    """The counts of a text, computed once for all its pairs."""

    text: str
    profiles: tuple[dict[str, float], ...]
    letters: Counter[str]
    tokens: Counter[str]
    length: float
    punctuation: Floats
    endings: Floats
    shape: Floats
    case: Floats
    block: Floats
    sentence: float
    entropy: float
    packed: int
    size: int


def problem_features(problems: Problems) -> Floats:
    """Return features of each problem averaged over its known documents, (n, 24); empty known documents are left out.

    NaN if the questioned or every known text is empty (except white space).
    """
    result = np.full((len(problems), len(FEATURES)), np.nan)
    for i, (known, questioned) in enumerate(sides(problems, reading)):
        known = [one for one in known if one.text.strip()]
        if known and questioned.text.strip():
            result[i] = np.mean([pair_features(one, questioned) for one in known], axis=0)
    return result


@lru_cache(maxsize=1024)
def reading(text: str) -> GladReading:
    """Return the counts of a text as ``GladReading``; they are stored, because cross-fitting uses texts repeatedly."""
    raw = text.encode()
    plain = collapse(text)
    units = tokens(text)
    lines = text.splitlines() or [""]
    filled = [line.rstrip() for line in lines if line.strip()]
    blocks = [block for block in text.replace("\r\n", "\n").split("\n\n") if block.strip()]
    letters = Counter(plain)
    characters = Counter(text)
    alphabetic = max(sum(count for c, count in characters.items() if c.isalpha()), 1)
    upper = sum(count for c, count in characters.items() if c.isupper())
    own = words(text)
    capitals = sum(word[:1].isupper() for word in own)
    token_counts = Counter([lowered(token) for token in units])
    sentences = max(sum(token in SENTENCE_END for token in units), 1)
    return GladReading(
        text=text,
        profiles=tuple(profile(plain, n, size) for n, size in zip(LENGTHS, TOP, strict=True)),
        letters=letters,
        tokens=token_counts,
        length=float(sum(count * count for count in token_counts.values())),
        punctuation=np.array([characters[mark] for mark in MARKS]) / max(len(text), 1),
        endings=np.array([sum(line.endswith(mark) for line in filled) for mark in ENDINGS])
        / max(len(filled), 1),
        shape=np.array(
            [len(filled) / len(lines), 1 - len(filled) / len(lines), len(lines) / max(len(text), 1)]
        ),
        case=np.array([upper / alphabetic, capitals / max(len(own), 1)]),
        block=np.array([len(blocks) / max(len(lines), 1), len(text) / max(len(blocks), 1)]),
        sentence=len(own) / sentences,
        entropy=entropy(letters),
        packed=len(zlib.compress(raw)),
        size=max(len(raw), 1),
    )


def profile(plain: str, n: int, size: int) -> dict[str, float]:
    """Return relative frequencies of a text's ``size`` most frequent n-grams, ties by code point."""
    lexicon = CharNgrams(n, lowercase=False).lexicon()
    _, ids, counts = lexicon.count([plain])
    if len(counts) > size:
        most_frequent = counts >= np.partition(counts, -size)[-size]
        ids = ids[most_frequent]
        counts = counts[most_frequent]
    number = dict(zip(lexicon.names(ids.astype(np.int64)), counts.tolist(), strict=True))
    total = max(len(plain) - n + 1, 1)
    return {name: number[name] / total for name in frequent(Counter(number), size)}


def dissimilarity(p: dict[str, float], q: dict[str, float]) -> float:
    """Return Σ ((p − q) / ((p + q) / 2))² over the n-grams of either profile (Kešelj et al. 2003)."""
    both = sum(
        (2 * (p[name] - q[name]) / (p[name] + q[name])) ** 2 for name in sorted(p.keys() & q.keys())
    )
    return both + 4.0 * len(p.keys() ^ q.keys())


@lru_cache(maxsize=2048)
def pair_features(known: GladReading, questioned: GladReading) -> Floats:
    """Return features of two documents, (24,); stored like ``reading``."""
    unlike = [dissimilarity(p, q) for p, q in zip(known.profiles, questioned.profiles, strict=True)]
    shared = [
        len(p.keys() & q.keys()) / top
        for p, q, top in zip(known.profiles, questioned.profiles, TOP, strict=True)
    ]
    product = sum(count * questioned.tokens[token] for token, count in known.tokens.items())
    length = np.sqrt(known.length * questioned.length)
    # These are the joint text's letters: white space collapses at the seam alone.
    seam = known.text[-1:].isspace() and questioned.text[:1].isspace()
    joint = (
        Counter(collapse(known.text + questioned.text))
        if seam
        else known.letters + questioned.letters
    )
    return np.array(
        [
            *unlike,
            *shared,
            cosine(known.punctuation, questioned.punctuation),
            cosine(known.endings, questioned.endings),
            cosine(known.shape, questioned.shape),
            difference(known.case, questioned.case),
            difference(known.block, questioned.block),
            product / length if length > 0 else float(known.length == questioned.length),
            abs(known.sentence - questioned.sentence),
            entropy(joint),
            abs(known.entropy - questioned.entropy),
            compression_ratio(known, questioned),
            known.entropy,
            questioned.entropy,
            known.sentence,
            questioned.sentence,
        ]
    )


def compression_ratio(known: GladReading, questioned: GladReading) -> float:
    """(C(x) / |x| + C(y) / |y|) / (C(xy) / |xy|), C the bytes zlib needs: higher where the texts share more."""
    joint = (known.text + questioned.text).encode()
    separate = known.packed / known.size + questioned.packed / questioned.size
    return separate / (len(zlib.compress(joint)) / max(len(joint), 1))


def difference(a: Floats, b: Floats) -> float:
    """Return the sum of |a − b| / (a + b), which scales each component separately (unlike the code)."""
    total = a + b
    return float((np.abs(a - b) / np.where(total > 0, total, 1)).sum())


def cosine(a: Floats, b: Floats) -> float:
    """Return the cosine of two non-negative vectors; 1 if both are zero, 0 if one is."""
    length = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / length if length > 0 else float(not a.any() and not b.any())


def entropy(counts: Counter[str]) -> float:
    """Return the entropy of a distribution of characters, in bits per character."""
    share = np.array([counts[c] for c in sorted(counts)], dtype=np.float64) / max(counts.total(), 1)
    return float(-(share * np.log2(share)).sum()) + 0.0


@dataclass(eq=False, repr=False)
class Glad2015(Scorer):
    """Decision value of a support vector machine over 24 features of a problem, after the authors' code.

    Features are averaged over known documents and standardised by training; the machine has an RBF kernel and
    scikit-learn's defaults, or in the variant ``sigmoid`` C = .1 and γ = coef0 = .01. The code uses the
    machine's own probabilities; ours come from the calibrator, a logistic regression on out-of-fold decision values
    (Platt's scaling), without what a fold's share of same-author problems adds.

    Bugs of the code are corrected: each overlap uses its own n when several known documents are averaged, blank lines
    are counted, only training decides the scale. The code's exact lists of marks and line endings, and the profile length
    of the dissimilarities, are not in the available sources: those here are ours.

    Parameters
    ----------
    kernel : {"rbf", "sigmoid"}

    Attributes
    ----------
    mean_, deviation_ : (24,) float64
    model_ : sklearn.svm.SVC

    References
    ----------
    Hürlimann, Weck, van den Berg, Šuster & Nissim 2015 (PAN at CLEF) and its code.
    """

    name = "glad-2015"
    reads = "both"
    calibrated_by = "logistic(radius=0.0)"
    version = 2
    symmetric = False
    supervised = True
    provenance = "reconstructed"

    kernel: Literal["rbf", "sigmoid"] = "rbf"

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Learn scales and the SVM. CorpusError if one class is absent."""
        from sklearn.svm import SVC

        features, same = learnable(problem_features(problems), same, self.name)
        self.mean_, self.deviation_ = centre_of(features)
        options = {} if self.kernel == "rbf" else {"C": 0.1, "gamma": 0.01, "coef0": 0.01}
        self.model_ = SVC(kernel=self.kernel, **options).fit(self._scaled(features), same)
        return self

    def score(self, problems: Problems) -> Floats:
        """Return decision values, (n,); NaN if the questioned or every known text is empty."""
        features = problem_features(problems)
        finite = ~np.isnan(features).any(axis=1)
        scores = np.full(len(features), np.nan)
        if finite.any():
            scores[finite] = self.model_.decision_function(self._scaled(features[finite]))
        return scores

    def _scaled(self, features: Floats) -> Floats:
        assert features.shape[1] == len(FEATURES)
        return np.asarray((features - self.mean_) / self.deviation_, dtype=np.float64)
