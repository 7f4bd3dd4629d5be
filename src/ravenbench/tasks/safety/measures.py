"""What is known of rewritings beside the cells, and kept beside them: their quality, detection, people's grades.

    OUT/measures/KEY.json       soundness, sensibleness, efficiency of one obfuscator and seed (``MeasuresRecord``)
    OUT/measures/index.json     which key belongs to which obfuscator and seed (``MeasureIndex``)
    OUT/detection.json          whether rewritings can be told from genuine texts, by obfuscator (``DetectionRecord``)
    OUT/grades.json             what people said of them, matched by hash (``GradesRecord``)

Detection is a logistic regression on language-model (log-probabilities and ranks of tokens), anomaly,
character-trigram and function-word features, trained on the outputs for other authors' texts; once knowing the
obfuscator under test, once knowing only the others.

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

from ravenbench import seams
from ravenbench.engine.pool import Engine, Progress, run_units
from ravenbench.errors import InputError, MissingPart
from ravenbench.files import make_folder
from ravenbench.formats.reviews import Review
from ravenbench.metrics.pan import auc
from ravenbench.metrics.roc import curve
from ravenbench.obfuscation.measures.sensibleness import Sensibleness
from ravenbench.obfuscation.measures.soundness import MeaningModel, Soundness, efficiency, survives
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording import resources
from ravenbench.obfuscation.wording.token_ranks import TokenRanks
from ravenbench.store.plans import content_key
from ravenbench.store.records import record_or_none, write_record
from ravenbench.store.store import Store
from ravenbench.tasks.obfuscate.rewritings import read_rewriting
from ravenbench.tasks.safety import record as records
from ravenbench.text.nltk_data import missing
from ravenbench.text.tokens import tokens
from ravenbench.texts import content_hash
from ravenbench.types import Floats, Ints

VERSION = 2
"""Raised by hand whenever a measure changes."""


@dataclass(frozen=True)
class Helpers:
    """A model of meaning (``seams.MEANING_GROUP``), by name or folder, which decides some measures."""

    encoder: str | None = None

    def check(self) -> None:
        """Refuse what cannot be used; nothing is loaded. Raises InputError if a model is not on this machine."""
        if self.encoder is not None:
            _meaning_model("encoder").folder(self.encoder)

    def soundness(self, originals: Sequence[str]) -> Soundness:
        """Soundness with these models."""
        return Soundness(originals, None if self.encoder is None else _meaning_model("encoder").load(self.encoder))


NO_HELPERS = Helpers()


def _meaning_model(kind: str) -> MeaningModel:
    if (point := seams.registered(seams.MEANING_GROUP).get(kind)) is None:
        raise MissingPart(
            f"--{kind} needs a package that loads such models", fix="install ravenbench as it is published"
        )
    model: MeaningModel = point.load()
    return model


@dataclass(frozen=True)
class MeasureUnit:
    """All rewritings of one obfuscator with one seed."""

    folder: Path
    rewritings: Path
    key: str
    keys: tuple[str, ...]
    helpers: Helpers

    def work(self) -> list[str]:
        """Measure and commit."""
        stored = [one for key in self.keys if (one := read_rewriting(self.rewritings, key)) is not None]
        texts = {one.id: one.rewriting for one in stored if one.rewriting is not None}
        sound = self.helpers.soundness([rewriting.original for rewriting in texts.values()])
        sense = _sensibleness(*_resources())
        rows: dict[str, records.MeasuredText] = {}
        for name, rewriting in texts.items():
            soundness = sound.measure(rewriting.parts)
            rows[name] = records.MeasuredText(
                soundness=_numbers(soundness),
                sensibleness=_numbers(sense.measure(rewriting.original, rewriting.text)),
                efficiency=_numbers(efficiency(rewriting.parts)),
                survives=survives(soundness),
            )
        record = records.MeasuresRecord(key=self.key, rows=rows, missing={**sound.missing, **sense.missing})
        write_record(self.folder / f"{self.key}.json", "safety", record)
        return []


def measure(
    folder: Path,
    rewritings_folder: Path,
    obfuscators: Sequence[records.ObfuscatorRecord],
    engine: Engine,
    helpers: Helpers,
    progress: Progress,
) -> None:
    """Measure the quality of every set of rewritings that is not measured yet, and write the index.

    Measures go to ``folder``; rewritings are in ``rewritings_folder``.
    """
    make_folder(folder)
    units, sets = [], []
    for entry in obfuscators:
        for seed, done in entry.sets.items():
            keys = tuple(done.rewritings.values())
            key = measures_key(keys, helpers)
            sets.append(records.MeasuredSet(obfuscator=entry.name, seed=seed, key=key))
            if read_measures(folder, key) is None:
                units.append(MeasureUnit(folder, rewritings_folder, key, keys, helpers))
    index = records.MeasureIndex(sets=sets)
    if record_or_none(folder / "index.json", records.MeasureIndex) != index:
        write_record(folder / "index.json", "safety", index)
    run_units(engine, units, progress, "measuring rewritings")


@cache
def _sensibleness(*resources: bool) -> Sensibleness:
    """Originals, and rewritings that are to be detected, are measured once while these resources are here."""
    return Sensibleness()


def _resources() -> tuple[bool, ...]:
    return tuple(missing(name) is None for name in ("wordnet", "brown"))


def measures_key(keys: Sequence[str], helpers: Helpers) -> str:
    """Address of one obfuscator's measures; a resource that is here now and was not then gives another. None stands for
    a server and a model that earlier versions asked."""
    return content_key([VERSION, [*_resources()], [None, helpers.encoder, None], *keys])


def read_measures(folder: Path, key: str) -> records.MeasuresRecord | None:
    """Measures of one obfuscator and seed, None where they are missing or damaged."""
    record = record_or_none(folder / f"{key}.json", records.MeasuresRecord)
    return record if record is not None and record.key == key else None


def measures_of(folder: Path, obfuscator: str) -> dict[int, records.MeasuresRecord]:
    """Measures of one obfuscator by seed, those that are there."""
    index = record_or_none(folder / "index.json", records.MeasureIndex)
    keys = {} if index is None else {one.seed: one.key for one in index.sets if one.obfuscator == obfuscator}
    measures = {seed: read_measures(folder, key) for seed, key in keys.items()}
    return {seed: one for seed, one in measures.items() if one is not None}


def unmeasured(store: Store) -> dict[str, int]:
    """What a finished folder holds beside its cells, and how often it is missing here or damaged."""
    plan = store.plan_as(records.SafetyPlan)
    lost = {
        f"measures of {entry.name}": len(entry.sets) - len(measures_of(store.path / "measures", entry.name))
        for entry in plan.hiding
    }
    judged = any(entry.first is not None for entry in plan.hiding) and not store.run.spec.get("methods")
    lost["detection"] = int(judged and read_detection(store.path / "detection.json") is None)
    grades = store.path / NAME
    lost["grades by people"] = int(grades.exists() and record_or_none(grades, records.GradesRecord) is None)
    return {what: count for what, count in lost.items() if count > 0}


def _numbers(values: Mapping[str, float | None]) -> dict[str, float | None]:
    return {name: None if value is None else float(value) for name, value in values.items()}


DETECTION = 3
"""Raised by hand whenever detection changes."""
FOLDS = 5
FALSE_ALARMS = 0.01
QUANTILES = np.linspace(0.05, 0.95, 10)
RANKS = (1, 10, 100, 1000)
"""Upper ends of the histogram of token ranks."""


def detect(store: Store, rewritings_folder: Path, progress: Progress) -> None:
    """Detection of each obfuscator's first seed, computed once for the same rewritings."""
    entries = [o for o in store.plan_as(records.SafetyPlan).hiding if o.first is not None]
    firsts = {o.name: o.first[1] for o in entries if o.first is not None}
    keys = {name: list(done.rewritings.items()) for name, done in firsts.items()}
    address = content_key([DETECTION, missing("brown") is None, keys])
    path = store.path / "detection.json"
    if (earlier := read_detection(path)) is not None and earlier.key == address:
        return
    fold = store.fold("original")
    groups = dict(zip(fold.test.ids.tolist(), fold.test.groups(fold.test_same).tolist(), strict=True))
    # The originals of the rewritten texts alone: other texts would differ in more than having been rewritten.
    attacked = np.flatnonzero(fold.test_same)
    texts = fold.test.texts.rows(fold.test.questioned_index[attacked])
    genuine = (texts, np.array([groups[i] for i in fold.test.ids[attacked].tolist()]))
    rewritten = {}
    for name, items in keys.items():
        done = [
            (i, r.rewriting)
            for i, key in items
            if (r := read_rewriting(rewritings_folder, key)) and r.rewriting is not None
        ]
        rewritten[name] = ([r.text for _, r in done], np.array([groups[i] for i, _ in done], dtype=np.int64))
    changed = [name for name, done in firsts.items() if done.changed]
    results = _detect(genuine, rewritten, changed, progress)
    write_record(path, "safety", records.DetectionRecord(key=address, obfuscators=results))


def read_detection(path: Path) -> records.DetectionRecord | None:
    """Stored results, None where there are none."""
    return record_or_none(path, records.DetectionRecord)


Texts = tuple[Sequence[str], Ints]
"""Texts and the author group of each."""


def _detect(
    genuine: Texts, rewritten: Mapping[str, Texts], changed: Sequence[str], progress: Progress
) -> dict[str, records.Detection]:
    if not rewritten:
        return {}
    measure = _sensibleness(*_resources())
    results = {}
    samples = {"": genuine, **rewritten}
    counted = _count([text for texts, _ in samples.values() for text in texts])
    parts, start = dict[str, _Sample](), 0
    for name, (texts, group) in samples.items():
        dense = np.array([_features(text, measure) for text in texts]).reshape(len(texts), -1)
        stop = start + len(texts)
        parts[name] = _Sample(tuple(one[start:stop] for one in counted), dense, group)
        start = stop
    for number, name in enumerate(rewritten):
        progress("detecting rewritings", number, len(rewritten))
        known = _score(parts[""], [parts[name]], parts[name])
        others = [parts[other] for other in changed if other != name]
        unseen = _score(parts[""], others, parts[name]) if others else (None, None)
        results[name] = records.Detection(auc=known[0], tpr=known[1], auc_unseen=unseen[0], tpr_unseen=unseen[1])
    return results


@dataclass(frozen=True, eq=False)
class _Sample:
    """Texts: how often each trigram and word stands in them (``FREQUENT``), dense features, groups of authors."""

    counts: tuple[Any, ...]
    dense: Floats
    group: Ints

    def rows(self, rows: Ints) -> _Sample:
        """Some of the texts."""
        return _Sample(tuple(one[rows] for one in self.counts), self.dense[rows], self.group[rows])


FREQUENT = (4000, 150)
"""How many character trigrams and words are features."""


def _count(texts: Sequence[str]) -> list[Any]:
    """Sparse counts (texts, all trigrams) and (texts, all words), columns in order, once for all detectors."""
    from sklearn.feature_extraction.text import CountVectorizer

    kinds: tuple[dict[str, Any], ...] = (
        {"analyzer": "char", "ngram_range": (3, 3), "lowercase": False},
        {"token_pattern": r"\w+"},
    )
    counts = [CountVectorizer(**kind, dtype=np.float64).fit_transform(texts) for kind in kinds]
    for one in counts:
        one.sort_indices()
    return counts


def _features(text: str, measure: Sensibleness) -> list[float]:
    """Anomaly rates and, where a language model is here, quantiles and histograms of token probabilities and ranks."""
    numbers: list[float] = [value or 0.0 for value in measure.of(text).values()]
    if missing("brown") is not None:
        return numbers
    ranks_of = _token_ranks()
    spoken = [words for a, b in sentences(text) if (words := tokens(text[a:b]))] or [[]]
    ranks, values = (np.concatenate(parts) for parts in zip(*(ranks_of(words) for words in spoken), strict=True))
    shares = np.histogram(ranks, bins=(1, *(r + 1 for r in RANKS), np.iinfo(np.int64).max))[0] / len(ranks)
    return [*numbers, *np.quantile(values, QUANTILES), *shares, *np.quantile(np.log10(ranks), QUANTILES)]


@cache
def _token_ranks() -> TokenRanks:
    return TokenRanks(resources.language_model())


def _score(genuine: _Sample, train: Sequence[_Sample], test: _Sample) -> tuple[float | None, float | None]:
    """AUC and TPR over held-out author groups."""
    from sklearn.model_selection import GroupKFold

    count = len(np.unique(genuine.group))
    if count < FOLDS or not len(test.group):
        return None, None
    same = np.concatenate([np.zeros(len(genuine.group), dtype=bool), np.ones(len(test.group), dtype=bool)])
    scores = np.zeros(len(same))
    for _, test_rows in GroupKFold(FOLDS).split(genuine.dense, groups=genuine.group):
        out = np.unique(genuine.group[test_rows])
        fitted = _Detector().fit(_outside(genuine, out), [_outside(s, out) for s in train])
        for sample, start in ((genuine, 0), (test, len(genuine.group))):
            rows = np.flatnonzero(np.isin(sample.group, out))
            if len(rows):
                scores[start + rows] = fitted.score(sample.rows(rows))
    roc = curve(same, scores)
    tpr = None if roc is None else float(roc.tpr[roc.fpr <= FALSE_ALARMS].max())
    return auc(same, scores), tpr


def _outside(sample: _Sample, out: Ints) -> _Sample:
    return sample.rows(np.flatnonzero(~np.isin(sample.group, out)))


class _Detector:
    """Scaled dense features, character trigrams and frequent words into one logistic regression."""

    def fit(self, genuine: _Sample, rewritten: Sequence[_Sample]) -> _Detector:
        from scipy.sparse import vstack
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler

        samples = (genuine, *rewritten)
        counts = tuple(vstack(kind, format="csr") for kind in zip(*(s.counts for s in samples), strict=True))
        dense = np.concatenate([sample.dense for sample in samples])
        label = np.arange(len(dense)) >= len(genuine.dense)
        self._columns = [_most(kind, most) for kind, most in zip(counts, FREQUENT, strict=True)]
        self._weights: list[Any] = [
            TfidfTransformer(sublinear_tf=sublinear).fit(kind[:, columns])
            for kind, columns, sublinear in zip(counts, self._columns, (True, False), strict=True)
        ]
        self._scaler: Any = StandardScaler().fit(dense)
        self._model: Any = LogisticRegression(class_weight="balanced", solver="liblinear")
        self._model.fit(self._matrix(counts, dense), label)
        return self

    def score(self, sample: _Sample) -> Floats:
        """Probability of being rewritten."""
        return np.asarray(self._model.predict_proba(self._matrix(sample.counts, sample.dense))[:, 1])

    def _matrix(self, counts: Sequence[Any], dense: Floats) -> Any:
        from scipy.sparse import csr_array, hstack

        # Ten or so dense features beside rows of length 1: brought to their scale.
        scaled = np.clip(self._scaler.transform(dense), -5, 5) / np.sqrt(dense.shape[1])
        weighed = (w.transform(c[:, k]) for w, c, k in zip(self._weights, counts, self._columns, strict=True))
        return hstack([csr_array(scaled), *weighed], format="csr")


def _most(counts: Any, most: int) -> Ints:
    """Columns, ascending, of the features that stand most often in these texts; of equally frequent ones those that
    ``CountVectorizer(max_features=most)`` takes.
    """
    total = np.asarray(counts.sum(axis=0)).ravel()
    present = np.flatnonzero(total)
    return np.sort(present[(-total[present]).argsort()[:most]])


NAME = "grades.json"


def keep_grades(store: Store, rewritings_folder: Path, reviews: Sequence[Review]) -> None:
    """Match reviews with the run's rewritings, then write them all; those of an earlier call are replaced.

    Raises InputError if a reviewed text is not among the rewritings in ``rewritings_folder``, or is not the one that is
    there; then nothing is written.
    """
    there: dict[tuple[str, str], dict[tuple[str, str], tuple[int, str]]] = {}
    for entry in store.plan_as(records.SafetyPlan).obfuscators:
        for seed, done in entry.sets.items():
            for problem, key in done.rewritings.items():
                stored = read_rewriting(rewritings_folder, key)
                if stored is not None and stored.rewriting is not None:
                    original, text = (content_hash(t).hex() for t in (stored.rewriting.original, stored.rewriting.text))
                    there.setdefault((problem, entry.name), {}).setdefault((original, text), (seed, key))
    write_record(
        store.path / NAME, "safety", records.GradesRecord(grades=[_matched(review, there) for review in reviews])
    )


def read_grades(store: Store) -> list[records.GradedText]:
    """Grades of rewritings that the run still has; none where there are none or their file is damaged."""
    record = record_or_none(store.path / NAME, records.GradesRecord)
    sets = {entry.name: entry.sets for entry in store.plan_as(records.SafetyPlan).obfuscators}
    return [
        one
        for one in ([] if record is None else record.grades)
        if (done := sets.get(one.obfuscator, {}).get(one.seed)) and done.rewritings.get(one.problem) == one.key
    ]


def _matched(
    review: Review, there: dict[tuple[str, str], dict[tuple[str, str], tuple[int, str]]]
) -> records.GradedText:
    texts = there.get((review.id, review.system))
    named = f"{review.id}, rewritten by {review.system or 'nobody named'}"
    if texts is None:
        raise InputError(
            "a text was graded that is not in this run", file=review.file, found=named,
            fix="give the folder of grades that belongs to this run, read with raven diff RUN",
        )  # fmt: skip
    place = texts.get((review.original, review.rewritten))
    if place is None:
        raise InputError(
            "another version of this text was graded: its hash differs", file=review.file, found=named,
            fix="read and grade the pages that raven diff makes of this run",
        )  # fmt: skip
    seed, key = place
    return records.GradedText(
        grader=review.grader,
        obfuscator=review.system,
        seed=seed,
        problem=review.id,
        key=key,
        grade=review.grade,
        verdict=review.verdict,
        blind=review.blind,
    )
