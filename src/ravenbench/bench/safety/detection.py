"""Detection: can a reader who knows the obfuscators tell rewritten texts from genuine ones?

A logistic regression on language-model (log-probabilities and ranks of tokens), anomaly, character-trigram and
function-word features, trained on the outputs for other authors' texts;
once knowing the obfuscator under test, once knowing only the others.

    OUT/detection.json     results by obfuscator (``DetectionRecord``)

References
----------
Mahmood, Shafiq & Srinivasan 2020, A girl has a name, and it's … adversarial authorship attribution for deobfuscation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench.bench.obfuscate.rewritings import read_rewriting
from ravenbench.bench.safety.record import Detection, DetectionRecord, SafetyPlan
from ravenbench.engine.pool import Progress
from ravenbench.errors import StoreError
from ravenbench.metrics.pan import auc
from ravenbench.metrics.roc import curve
from ravenbench.obfuscation.measures.sensibleness import Sensibleness
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording import resources
from ravenbench.obfuscation.wording.token_ranks import TokenRanks
from ravenbench.store.plans import content_key
from ravenbench.store.records import read_record, write_record
from ravenbench.store.store import Store
from ravenbench.text.nltk_data import missing
from ravenbench.text.tokens import tokens
from ravenbench.types import Bools, Floats, Ints

VERSION = 3
"""Raised by hand whenever detection changes."""
FOLDS = 5
FALSE_ALARMS = 0.01
QUANTILES = np.linspace(0.05, 0.95, 10)
RANKS = (1, 10, 100, 1000)
"""Upper ends of the histogram of token ranks."""


def detect(store: Store, kept: Path, progress: Progress) -> dict[str, Detection]:
    """Detection of each obfuscator's first seed, computed once for the same rewritings."""
    firsts = {o.name: o.first[1] for o in store.plan_as(SafetyPlan).obfuscators if o.first is not None}
    keys = {name: list(done.rewritings.items()) for name, done in firsts.items()}
    address = content_key([VERSION, missing("brown") is None, keys])
    path = store.path / "detection.json"
    if (found := read_detection(path, address)) is not None:
        return found
    fold = store.fold("original")
    groups = dict(zip(fold.test.ids.tolist(), fold.test.groups(fold.test_same).tolist(), strict=True))
    # The originals of the rewritten texts alone: other texts would differ in more than having been rewritten.
    attacked = np.flatnonzero(fold.test_same)
    texts = fold.test.texts.rows(fold.test.questioned_index[attacked])
    genuine = (texts, np.array([groups[i] for i in fold.test.ids[attacked].tolist()]))
    rewritten = {}
    for name, items in keys.items():
        done = [(i, r.rewriting) for i, key in items if (r := read_rewriting(kept, key)) and r.rewriting is not None]
        rewritten[name] = ([r.text for _, r in done], np.array([groups[i] for i, _ in done], dtype=np.int64))
    changed = [name for name, done in firsts.items() if done.changed]
    results = _detect(genuine, rewritten, changed, progress)
    write_record(path, "safety", DetectionRecord(key=address, obfuscators=results))
    return results


def read_detection(path: Path, address: str | None = None) -> dict[str, Detection] | None:
    """Stored results, None where there are none (of this address)."""
    try:
        record = read_record(path, DetectionRecord)
    except (OSError, StoreError):
        return None
    return record.obfuscators if address in (None, record.key) else None


Texts = tuple[Sequence[str], Ints]
"""Texts and the author group of each."""


def _detect(
    genuine: Texts, rewritten: Mapping[str, Texts], changed: Sequence[str], progress: Progress
) -> dict[str, Detection]:
    measure = Sensibleness()
    results = {}
    parts = {name: _Sample.of(texts, measure) for name, texts in {"": genuine, **rewritten}.items()}
    for number, name in enumerate(rewritten):
        progress("detecting rewritings", number, len(rewritten))
        known = _score(parts[""], [parts[name]], parts[name])
        others = [parts[other] for other in changed if other != name]
        unseen = _score(parts[""], others, parts[name]) if others else (None, None)
        results[name] = Detection(auc=known[0], tpr=known[1], auc_unseen=unseen[0], tpr_unseen=unseen[1])
    return results


@dataclass(frozen=True, eq=False)
class _Sample:
    texts: Sequence[str]
    dense: Floats
    group: Ints

    @classmethod
    def of(cls, sample: Texts, measure: Sensibleness) -> _Sample:
        texts, group = sample
        return cls(texts, np.array([_features(text, measure) for text in texts]).reshape(len(texts), -1), group)


def _features(text: str, measure: Sensibleness) -> list[float]:
    """Anomaly rates and, where a language model is here, quantiles and histograms of token probabilities and ranks."""
    found: list[float] = [value or 0.0 for value in measure.of(text).values()]
    if missing("brown") is not None:
        return found
    ranks_of = token_ranks()
    spoken = [words for a, b in sentences(text) if (words := tokens(text[a:b]))] or [[]]
    values = np.concatenate([ranks_of.model.log10(words) for words in spoken])
    ranks = np.concatenate([ranks_of(words) for words in spoken])
    shares = np.histogram(ranks, bins=(1, *(r + 1 for r in RANKS), np.iinfo(np.int64).max))[0] / len(ranks)
    return [*found, *np.quantile(values, QUANTILES), *shares, *np.quantile(np.log10(ranks), QUANTILES)]


@cache
def token_ranks() -> TokenRanks:
    """Ranks under the model of Brown."""
    return TokenRanks(resources.language_model())


def _score(genuine: _Sample, train: Sequence[_Sample], test: _Sample) -> tuple[float | None, float | None]:
    """AUC and TPR over held-out author groups."""
    from sklearn.model_selection import GroupKFold

    count = len(np.unique(genuine.group))
    if count < FOLDS or not len(test.texts):
        return None, None
    same = np.concatenate([np.zeros(len(genuine.texts), dtype=bool), np.ones(len(test.texts), dtype=bool)])
    scores = np.zeros(len(same))
    for _, held in GroupKFold(FOLDS).split(genuine.texts, groups=genuine.group):
        out = np.unique(genuine.group[held])
        fitted = _Detector().fit(_outside(genuine, out), [_outside(s, out) for s in train])
        for sample, start in ((genuine, 0), (test, len(genuine.texts))):
            rows = np.flatnonzero(np.isin(sample.group, out))
            if len(rows):
                scores[start + rows] = fitted.score([sample.texts[int(i)] for i in rows], sample.dense[rows])
    found = curve(same, scores)
    tpr = None if found is None else float(found.tpr[found.fpr <= FALSE_ALARMS].max())
    return auc(same, scores), tpr


def _outside(sample: _Sample, out: Ints) -> _Sample:
    rows: Bools = ~np.isin(sample.group, out)
    return _Sample(
        [t for t, keep in zip(sample.texts, rows, strict=True) if keep], sample.dense[rows], sample.group[rows]
    )


class _Detector:
    """Scaled dense features, character trigrams and frequent words into one logistic regression."""

    def fit(self, genuine: _Sample, rewritten: Sequence[_Sample]) -> _Detector:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler

        texts = [text for sample in (genuine, *rewritten) for text in sample.texts]
        dense = np.concatenate([sample.dense for sample in (genuine, *rewritten)])
        label = np.arange(len(texts)) >= len(genuine.texts)
        self._vectors: list[Any] = [
            TfidfVectorizer(analyzer="char", ngram_range=(3, 3), lowercase=False, max_features=4000, sublinear_tf=True),
            TfidfVectorizer(token_pattern=r"\w+", max_features=150),
        ]
        for vectors in self._vectors:
            vectors.fit(texts)
        self._scaler: Any = StandardScaler().fit(dense)
        self._model: Any = LogisticRegression(class_weight="balanced", solver="liblinear")
        self._model.fit(self._matrix(texts, dense), label)
        return self

    def score(self, texts: Sequence[str], dense: Floats) -> Floats:
        """Probability of being rewritten."""
        return np.asarray(self._model.predict_proba(self._matrix(texts, dense))[:, 1])

    def _matrix(self, texts: Sequence[str], dense: Floats) -> Any:
        from scipy.sparse import csr_array, hstack

        # Ten or so dense features beside rows of length 1: brought to their scale.
        scaled = np.clip(self._scaler.transform(dense), -5, 5) / np.sqrt(dense.shape[1])
        return hstack([csr_array(scaled), *(v.transform(texts) for v in self._vectors)], format="csr")
