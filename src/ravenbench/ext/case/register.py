"""Decides whether a case's texts are of another kind (register) than a background's, by rates that differ between
kinds.

In: texts; profiles (n, f) of n background authors, (m, f) of m cases.
Out: ``profile``: (f,) mean square roots of rates per hundred words; ``as_far``: proportions (m,), 0 to 1, of the
background's authors, counting the case, that differ as much from the others as the case does.

Rates are those of pronouns, verbs, function words, nominal style (Biber 1988), lengths of sentences and punctuation;
lists of words are English, and remain 0 elsewhere. The distance is Mahalanobis's, with a shrunk covariance (Ledoit &
Wolf 2004); that of each background author is measured from the others.

References
----------
Biber 1988, Variation across Speech and Writing. Cambridge University Press.
Ledoit & Wolf 2004, A well-conditioned estimator for large-dimensional covariance matrices. J. Multivariate Analysis 88.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ravenbench.text.tokens import count_words
from ravenbench.types import Floats

LEAST = 0.1
"""Minimum standard deviation of a rate over authors, so that an unused rate does not decide."""
RATES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?i)\b(?:i|me|my|mine|myself|we|us|our|ours)\b",
        r"(?i)\b(?:you|your|yours)\b",
        r"(?i)\b(?:he|him|his|she|her|hers|they|them|their)\b",
        r"(?i)\b(?:it|its|this|that|these|those)\b",
        r"(?i)\b(?:was|were|had|did)\b",
        r"(?i)\b(?:is|are|am|have|has|do|does|be)\b",
        r"(?i)\b(?:will|would|can|could|may|might|must|shall|should)\b",
        r"(?i)\b(?:not|no|never|nor|\w+n['’]t)\b",
        r"(?i)\b(?:the|an?)\b",
        r"(?i)\b(?:of|in|to|for|on|by|with|at|from)\b",
        r"(?i)\b(?:and|but|or|so|because|if)\b",
        r"\b\w+ed\b",
        r"\b\w+ing\b",
        r"\b\w+(?:tions?|ment|ness|ity|ance|ence|ism)\b",
        r"\b\w+ly\b",
        r"\b\d+\b",
        r",",
        r"[.!?…。！？]+",
        r"[?!？！]",
        r"[\"“”«»]",
        r"\w['’]\w",
        r"[()\[\]]",
        r"[:;]",
        r"[-–—]",
        r"[^\w\s.,!?…\"“”«»'’()\[\]:;–—-]",
        r"\b[A-Z]\w",
        r"\b[A-Z]{2,}\b",
    )
)


def rates(text: str) -> Floats:
    """Return square roots of the frequency of each of ``RATES`` per hundred words, and that of different words."""
    words = max(count_words(text), 1)
    different = len(set(text.lower().split()))
    counts = [different, *(len(pattern.findall(text)) for pattern in RATES)]
    return np.sqrt(100.0 * np.array(counts) / words)


def profile(texts: Sequence[str]) -> Floats:
    """Return mean rates (f,) of the texts of one author or one case."""
    return np.asarray(np.mean([rates(text) for text in texts], axis=0))


def as_far(authors: Floats, cases: Floats) -> Floats:
    """Return proportions (m,) of authors with profiles (n, f) that differ as much from the others as cases with
    profiles (m, f)."""
    own = np.array([distance(np.delete(authors, i, axis=0), row) for i, row in enumerate(authors)])
    each = [np.sum(own >= distance(authors, case)) for case in cases]
    return (1 + np.array(each)) / (1 + len(own))


def distance(rows: Floats, row: Floats) -> float:
    """Return the squared Mahalanobis distance of a row (f,) from others (n, f)."""
    from sklearn.covariance import ledoit_wolf

    centre = rows.mean(axis=0)
    scale = np.maximum(rows.std(axis=0), LEAST)
    covariance, _ = ledoit_wolf((rows - centre) / scale)
    away = (row - centre) / scale
    return float(away @ np.linalg.solve(covariance, away))
