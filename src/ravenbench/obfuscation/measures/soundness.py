"""Soundness: whether a rewriting still says what the original said.

Similarity says how close the wording is, not whether the meaning held; the preservation measures look where meaning
is lost without much change of wording. Never read one similarity alone.

References
----------
Potthast et al. 2016, section 3.3; Papineni et al. 2002 (BLEU); Popović 2015 (chrF); Snover et al. 2006 (TER);
Banerjee & Lavie 2005 (METEOR); Chen & Dolan 2011 (PINC).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ravenbench.formats.pan_obfuscation import Part
from ravenbench.obfuscation.measures.neural import Inference, Similarity
from ravenbench.obfuscation.measures.pairing import aligned_parts
from ravenbench.obfuscation.measures.preservation import (
    Preserved,
    antonym_substitutions,
    names_kept,
    negations,
    numbers,
)
from ravenbench.obfuscation.measures.vector_space import VectorSpace
from ravenbench.obfuscation.wording import resources
from ravenbench.text.alignment import match, plain_words
from ravenbench.text.nltk_data import missing
from ravenbench.text.tokens import tokens

PER_PART = ("bleu", "chrf", "ter", "meteor", "pinc")
"""Means over aligned parts; each has a 10th percentile of the worst parts beside it, as ``NAME_p10``."""
ENCODER = ("encoder", "sts")
INFERENCE = ("entails", "entails_share", "entailed", "entailed_share", "contradicted")
FEWER_IS_SOUNDER = frozenset({"ter", "pinc", "antonyms"})

SURVIVAL: Mapping[str, tuple[float, float]] = {
    "meteor": (0.60, 1.0),
    "tfidf": (0.70, 1.0),
    "length_ratio": (0.70, 1.40),
    "numbers": (0.80, 1.0),
    "names": (0.80, 1.0),
    "negations": (0.80, 1.0),
    "antonyms": (0.0, 2.0),
}
"""Ranges within which a text's meaning is taken to have survived: a stated convention, not a judgement of meaning.
Wording may change much (METEOR counts synonyms), facts may not; a measure that was not made is left out."""


SHIFTS_BELOW = 35.0
"""Edit rate up to which TER looks for shifted phrases; above, where the search takes seconds and shifts hardly
matter, it is the edit rate without shifts."""


class Soundness:
    """Measures of rewritings of one set of documents.

    Parameters
    ----------
    originals : sequence of str
        Texts of the problem set: their document frequencies weigh the tf-idf cosine, and they span the LSA's.
    similarity : callable, optional
        Cosines of pairs of texts in a sentence encoder (``obfuscation.measures.neural.sentence_similarity``).
    entailment : callable, optional
        Judgements of pairs by an inference model (``obfuscation.measures.neural.inference``).

    Attributes
    ----------
    missing : dict of str to str
        Measures that are not made here, and why.
    """

    def __init__(
        self,
        originals: Sequence[str],
        similarity: Similarity | None = None,
        entailment: Inference | None = None,
    ) -> None:
        self.similarity, self.entailment = similarity, entailment
        self.missing: dict[str, str] = {}
        self._space = VectorSpace(originals)
        if self._space.no_lsa is not None:
            self.missing["lsa"] = self._space.no_lsa
        if not self._surface:
            self.missing |= dict.fromkeys(("bleu", "chrf", "ter"), "sacrebleu: pip install 'ravenbench[obfuscation]'")
        if (reason := missing("wordnet")) is not None:
            self.missing |= dict.fromkeys(("meteor", "antonyms"), reason)
        if similarity is None:
            self.missing |= dict.fromkeys(ENCODER, "no sentence encoder was given")
        if entailment is None:
            self.missing |= dict.fromkeys(INFERENCE, "no entailment model was given")

    def measure(self, parts: Sequence[Part]) -> dict[str, float | None]:
        """Take every measure of one rewriting; None where it was not made or there is nothing to measure.

        ``bleu``, ``chrf`` and ``ter`` are percentages, ``antonyms`` a number per 1,000 words of the original, all
        others shares or similarities from 0 to 1 (``lsa`` and ``encoder`` from −1), ``sts`` a grade from 0 to 5.
        ``entails`` is the probability that a part entails its rewriting, ``entailed`` the other way round, each with
        the share of parts above 0.5; ``contradicted`` the greater probability of a contradiction either way.
        """
        pairs = aligned_parts(parts)
        original = "".join(part.original for part in parts)
        rewritten = "".join(part.obfuscation for part in parts)
        each = [self._part(a, b) for a, b in pairs]
        found: dict[str, float | None] = {}
        for name in PER_PART:
            values = [v for row in each if (v := row[name]) is not None]
            worst = 90 if name in FEWER_IS_SOUNDER else 10
            found[name] = float(np.mean(values)) if values else None
            found[f"{name}_p10"] = float(np.percentile(values, worst)) if values else None
        size = len(plain_words(original))
        found["tfidf"] = self._space.tfidf(original, rewritten)
        found["lsa"] = self._space.lsa(original, rewritten)
        found["length_ratio"] = len(plain_words(rewritten)) / size if size else None
        for name, count in (("numbers", numbers), ("names", names_kept), ("negations", negations)):
            kept = sum((count(a, b) for a, b in pairs), Preserved(0, 0))
            found[name] = kept.share
        found["antonyms"] = None
        if "antonyms" not in self.missing and size:
            found["antonyms"] = 1000 * sum(antonym_substitutions(a, b) for a, b in pairs) / size
        return found | self._neural(pairs)

    def _part(self, original: str, rewritten: str) -> dict[str, float | None]:
        found: dict[str, float | None] = dict.fromkeys(PER_PART)
        if not original.strip():
            return found
        found["pinc"] = pinc(original, rewritten)
        for name, metric in self._surface.items():
            rate = _edit_rate(original, rewritten) if name == "ter" else 0.0
            near = rate <= SHIFTS_BELOW
            found[name] = float(metric.sentence_score(rewritten.strip(), [original.strip()]).score) if near else rate
        if "meteor" not in self.missing:
            found["meteor"] = meteor(original, rewritten)
        return found

    @cached_property
    def _surface(self) -> dict[str, Any]:
        try:
            from sacrebleu.metrics import BLEU, CHRF, TER
        except ModuleNotFoundError:
            return {}
        return {"bleu": BLEU(effective_order=True), "chrf": CHRF(), "ter": TER(case_sensitive=True)}

    def _neural(self, pairs: Sequence[tuple[str, str]]) -> dict[str, float | None]:
        found: dict[str, float | None] = dict.fromkeys((*ENCODER, *INFERENCE))
        spoken = [(a, b) for a, b in pairs if a.strip() and b.strip()]
        if not spoken:
            return found
        if self.similarity is not None:
            cosines = np.asarray(self.similarity(spoken), dtype=np.float64)
            found["encoder"] = float(cosines.mean())
            found["sts"] = float(5 * np.maximum(0.0, cosines).mean())
        if self.entailment is not None:
            # Both directions, for a summary follows from its original but not the other way round.
            there, back = self.entailment(spoken), self.entailment([(b, a) for a, b in spoken])
            for name, judged in (("entails", there), ("entailed", back)):
                shares = np.array([j.entails for j in judged])
                found[name], found[f"{name}_share"] = float(shares.mean()), float((shares > 0.5).mean())
            worst = [
                max(a.contradicts, b.contradicts)
                for a, b in zip(there, back, strict=True)
                if a.contradicts is not None and b.contradicts is not None
            ]
            found["contradicted"] = float(np.mean(worst)) if worst else None
        return found


def survives(measures: Mapping[str, float | None]) -> bool:
    """Whether a text's meaning survived as ``SURVIVAL`` has it; measures that were not made do not count."""
    return all(
        low - 1e-9 <= value <= high + 1e-9
        for name, (low, high) in SURVIVAL.items()
        if (value := measures.get(name)) is not None
    )


def _edit_rate(original: str, rewritten: str) -> float:
    """Least words inserted, deleted or replaced, from a longest common subsequence, per 100 of the original."""
    a, b = original.split(), rewritten.split()
    return 100 * (max(len(a), len(b)) - len(match(a, b, str))) / max(1, len(a))


def pinc(original: str, rewritten: str, longest: int = 4) -> float | None:
    """Share of the rewriting's distinct n-grams that the original lacks, averaged over n = 1…4; None if it is empty."""
    a, b = tokens(original), tokens(rewritten)
    shares = []
    for n in range(1, longest + 1):
        new = {tuple(b[i : i + n]) for i in range(len(b) - n + 1)}
        if new:
            old = {tuple(a[i : i + n]) for i in range(len(a) - n + 1)}
            shares.append(1 - len(old & new) / len(new))
    return float(np.mean(shares)) if shares else None


def meteor(original: str, rewritten: str) -> float:
    """METEOR with the original as reference: exact, stemmed and WordNet matches, less a penalty for disorder.

    Raises
    ------
    MissingPart
        If WordNet is not here.
    """
    from nltk.translate.meteor_score import single_meteor_score

    a, b = tokens(original), tokens(rewritten)
    return float(single_meteor_score(a, b, wordnet=_CachedSynsets.of())) if a and b else 0.0


class _CachedSynsets:
    """WordNet as METEOR asks it, each word looked up once."""

    _one: _CachedSynsets | None = None

    def __init__(self) -> None:
        self._wordnet = resources.wordnet()
        self._known: dict[str, Any] = {}

    @classmethod
    def of(cls) -> _CachedSynsets:
        if cls._one is None:
            cls._one = cls()
        return cls._one

    def synsets(self, word: str) -> Any:
        if word not in self._known:
            self._known[word] = self._wordnet.synsets(word)
        return self._known[word]
