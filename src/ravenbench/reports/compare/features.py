"""Common words and character n-grams that pull most for and against, each with an instance in context."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ravenbench.reports.compare.passages import LETTERS
from ravenbench.text.tokens import WORD
from ravenbench.types import Floats

SHOWN = 8
"""Features shown on either side."""
AROUND = 32
"""Characters of context on either side."""


@dataclass(frozen=True)
class Feature:
    """A feature that pulls: ``pull`` above 0 for the candidate, how often it stands in a thousand units of the
    questioned text, the known texts and the background, an instance in context (before, itself, after), and the
    share of its instances in the questioned text that lie within content words (None where it has none)."""

    name: str
    pull: float
    questioned: float
    known: float
    background: float
    context: tuple[str, str, str] | None
    content: float | None


def common_words(
    questioned: str, known: Sequence[str], others: Sequence[str], functions: frozenset[str]
) -> tuple[Feature, ...]:
    """Cosine Delta's terms: products of z-scores; above 0 where both sides leave the background the same way."""
    names = sorted(functions)

    def rates(text: str) -> Floats:
        counts = Counter(word.lower() for word in WORD.findall(text))
        return np.array([counts[name] for name in names]) / max(sum(counts.values()), 1)

    rows = np.stack([rates(text) for text in others])
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread = np.where(spread > 0, spread, np.inf)
    asked, own = rates(questioned), np.mean([rates(text) for text in known], axis=0)
    z, y = (asked - mean) / spread, (own - mean) / spread
    pull = z * y / max(float(np.linalg.norm(z) * np.linalg.norm(y)), 1e-12)
    found = []
    for i in _ends(pull):
        place = re.search(rf"\b{re.escape(names[i])}\b", questioned, re.IGNORECASE)
        found.append(_feature(names[i], pull[i], (asked[i], own[i], mean[i]), questioned, place, None))
    return tuple(found)


def ngrams(
    questioned: str, known: Sequence[str], others: Sequence[str], functions: frozenset[str], n: int, *, strongest: bool
) -> tuple[Feature, ...]:
    """Overlap of questioned and known texts in character n-grams, less that of the questioned text with others.

    ``strongest`` compares with the background texts that are most like the questioned one (impostors), feature by
    feature; otherwise with all of them.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    flat = [" ".join(text.split()) for text in (questioned, *known, *others)]
    counter = CountVectorizer(analyzer="char", ngram_range=(n, n), max_features=5000)
    counts = counter.fit_transform(flat).toarray().astype(np.float64)
    rows = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    asked, own, cohort = rows[0], rows[1 : 1 + len(known)].mean(axis=0), rows[1 + len(known) :]
    if strongest:
        alike = cohort @ asked / np.linalg.norm(cohort, axis=1)
        cohort = cohort[np.sort(np.argsort(-alike, kind="stable")[:10])]
    mean = cohort.mean(axis=0)
    pull = np.minimum(asked, own) - np.minimum(cohort, asked).mean(axis=0)
    names = counter.get_feature_names_out()
    found = []
    for i in _ends(pull):
        places = [m.start() for m in re.finditer(f"(?={re.escape(names[i])})", flat[0].lower())]
        place = re.compile(re.escape(names[i]), re.IGNORECASE).search(flat[0])
        share = _within(flat[0], places, n, functions)
        rates = asked[i], own[i], mean[i]
        found.append(_feature(names[i].replace(" ", "␣"), pull[i] * 1000, rates, flat[0], place, share))
    return tuple(found)


def _ends(pull: Floats) -> list[int]:
    """The features that pull most for, and then those that pull most against."""
    order = np.argsort(-pull, kind="stable")
    up = [int(i) for i in order[:SHOWN] if pull[i] > 0]
    return up + [int(i) for i in order[::-1][:SHOWN] if pull[i] < 0]


def _within(text: str, places: Sequence[int], n: int, functions: frozenset[str]) -> float | None:
    """Share of the n-grams at these places of which most letters lie within content words."""
    if not places:
        return None
    content = np.zeros(len(text) + n, dtype=np.float64)
    for match in LETTERS.finditer(text):
        if match[0].lower() not in functions:
            content[match.start() : match.end()] = 1.0
    return float(np.mean([content[place : place + n].sum() > n / 2 for place in places]))


def _feature(
    name: str,
    pull: float,
    rates: tuple[float, float, float],
    text: str,
    place: re.Match[str] | None,
    content: float | None,
) -> Feature:
    context = None
    if place is not None:
        before, after = text[max(0, place.start() - AROUND) : place.start()], text[place.end() : place.end() + AROUND]
        context = before.replace("\n", " "), place[0], after.replace("\n", " ")
    questioned, known, background = (1000 * float(rate) for rate in rates)
    return Feature(name, float(pull), questioned, known, background, context, content)
