"""Measures rewritings: quality, detection and grades by readers, kept as files next to a run's cells.

In: a ``Store``, the folder of rewritings, ``Review``s (grades by readers), and optionally a model of meaning.
Out: the files below, where measures are by name (shares, bits a token, changes a thousand words), AUC and TPR are from
0 to 1, and grades are 1 (fluent) to 5 (unreadable); the ``read_…`` functions give their records, None or empty where
missing. InputError if a graded text is not in the run, MissingPart where nothing loads the model:

    OUT/measures/KEY.json       soundness, sensibleness, efficiency of one obfuscator and seed (``MeasuresRecord``)
    OUT/measures/index.json     which key belongs to which obfuscator and seed (``MeasureIndex``)
    OUT/detection.json          how well a detector separates rewritings from genuine texts, by obfuscator
    (``DetectionRecord``) OUT/grades.json             grades by readers, matched by hash (``GradesRecord``)

Detection is a logistic regression on language-model (log-probabilities and ranks of tokens), anomaly,
character-trigram and function-word features, trained on rewritings of texts by other authors: once with the tested
obfuscator, once only with the others.

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
from ravenbench.metrics.pan import auc
from ravenbench.metrics.roc import curve
from ravenbench.obfuscation.measures.sensibleness import Sensibleness
from ravenbench.obfuscation.measures.soundness import MeaningModel, Soundness, efficiency, survives
from ravenbench.obfuscation.parts import sentences
from ravenbench.obfuscation.wording import resources
from ravenbench.obfuscation.wording.token_ranks import TokenRanks
from ravenbench.reading.reviews import Review
from ravenbench.store.plans import content_key
from ravenbench.store.records import record_or_none, write_record
from ravenbench.store.store import Store
from ravenbench.tasks.obfuscate.rewritings import read_rewriting
from ravenbench.tasks.safety import record as records
from ravenbench.text.nltk_data import missing
from ravenbench.text.tokens import tokens
from ravenbench.texts import content_hash
from ravenbench.types import Floats, Ints, Measures

VERSION = 3
"""Increase it whenever a measure changes."""


def check_encoder(encoder: str | None) -> None:
    """Refuse a sentence encoder that cannot be used; nothing is loaded. Raises InputError if it is not on this
    machine."""
    if encoder is not None:
        _meaning_model().folder(encoder)


def soundness_by(encoder: str | None) -> Soundness:
    """Return the measures of soundness, with a sentence encoder (a name or folder) if one is given."""
    return Soundness(None if encoder is None else _meaning_model().load(encoder))


def _meaning_model() -> MeaningModel:
    if (point := seams.registered(seams.MEANING_GROUP).get("encoder")) is None:
        raise MissingPart(
            "--encoder needs a package that can load sentence encoders",
            fix="install the published ravenbench package",
        )
    model: MeaningModel = point.load()
    return model


@dataclass(frozen=True)
class MeasureUnit:
    """All rewritings of one obfuscator with one seed; ``work`` measures them and writes one ``MeasuresRecord``."""

    folder: Path
    rewritings: Path
    key: str
    keys: tuple[str, ...]
    encoder: str | None

    def work(self) -> list[str]:
        """Measure and commit."""
        stored = [
            outcome
            for key in self.keys
            if (outcome := read_rewriting(self.rewritings, key)) is not None
        ]
        texts = {
            outcome.id: outcome.rewriting for outcome in stored if outcome.rewriting is not None
        }
        sound = soundness_by(self.encoder)
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
        record = records.MeasuresRecord(
            key=self.key, rows=rows, missing={**sound.missing, **sense.missing}
        )
        write_record(self.folder / f"{self.key}.json", "safety", record)
        return []


def measure(
    folder: Path,
    rewritings_folder: Path,
    obfuscators: Sequence[records.ObfuscatorRecord],
    engine: Engine,
    encoder: str | None,
    progress: Progress,
) -> None:
    """Measure the quality of every set of rewritings that is not measured yet, and write the index.

    Measures go to ``folder``; rewritings are in ``rewritings_folder``.
    """
    make_folder(folder)
    units = []
    sets = []
    for obfuscator in obfuscators:
        for seed, done in obfuscator.sets.items():
            keys = tuple(done.rewritings.values())
            key = measures_key(keys, encoder)
            sets.append(records.MeasuredSet(obfuscator=obfuscator.name, seed=seed, key=key))
            if read_measures(folder, key) is None:
                units.append(MeasureUnit(folder, rewritings_folder, key, keys, encoder))
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


def measures_key(keys: Sequence[str], encoder: str | None) -> str:
    """Return the key of one obfuscator's measures, which changes if a resource is newly installed. The None values are
    a server and a model of earlier versions."""
    return content_key([VERSION, [*_resources()], [None, encoder, None], *keys])


def read_measures(folder: Path, key: str) -> records.MeasuresRecord | None:
    """Read the measures (``MeasuresRecord``) of one obfuscator and seed; None if they are missing or damaged."""
    record = record_or_none(folder / f"{key}.json", records.MeasuresRecord)
    return record if record is not None and record.key == key else None


def measures_of(folder: Path, obfuscator: str) -> dict[int, records.MeasuresRecord]:
    """Return the existing measures of one obfuscator by seed."""
    index = record_or_none(folder / "index.json", records.MeasureIndex)
    keys = (
        {}
        if index is None
        else {
            rewriting_set.seed: rewriting_set.key
            for rewriting_set in index.sets
            if rewriting_set.obfuscator == obfuscator
        }
    )
    measures = {seed: read_measures(folder, key) for seed, key in keys.items()}
    return {seed: measured for seed, measured in measures.items() if measured is not None}


def unmeasured(store: Store) -> dict[str, int]:
    """Return, by name, how many of the files that a finished folder has next to its cells are missing or damaged."""
    plan = store.plan_as(records.SafetyPlan)
    lost = {
        f"measures of {obfuscator.name}": (
            len(obfuscator.sets) - len(measures_of(store.path / "measures", obfuscator.name))
        )
        for obfuscator in plan.obfuscators
    }
    judged = any(
        obfuscator.first is not None for obfuscator in plan.obfuscators
    ) and not store.run.spec.get("methods")
    lost["detection"] = int(judged and read_detection(store.path / "detection.json") is None)
    grades = store.path / NAME
    lost["grades by readers"] = int(
        grades.exists() and record_or_none(grades, records.GradesRecord) is None
    )
    return {measure: count for measure, count in lost.items() if count > 0}


def _numbers(values: Measures) -> Measures:
    return {name: None if value is None else float(value) for name, value in values.items()}


DETECTION = 3
"""Increase it whenever detection changes."""
FOLDS = 5
FALSE_ALARMS = 0.01
QUANTILES = np.linspace(0.05, 0.95, 10)
RANKS = (1, 10, 100, 1000)
"""Upper ends of the histogram of token ranks."""


def detect(store: Store, rewritings_folder: Path, progress: Progress) -> None:
    """Measure the detection of each obfuscator's first seed, once for the same rewritings."""
    entries = [
        obfuscator
        for obfuscator in store.plan_as(records.SafetyPlan).obfuscators
        if obfuscator.first is not None
    ]
    firsts = {
        obfuscator.name: obfuscator.first[1]
        for obfuscator in entries
        if obfuscator.first is not None
    }
    keys = {name: list(done.rewritings.items()) for name, done in firsts.items()}
    address = content_key([DETECTION, missing("brown") is None, keys])
    path = store.path / "detection.json"
    if (earlier := read_detection(path)) is not None and earlier.key == address:
        return
    fold = store.fold("original")
    groups = dict(
        zip(fold.test.ids.tolist(), fold.test.groups(fold.test_same).tolist(), strict=True)
    )
    # The originals of the rewritten texts alone: other texts would differ in more than having been rewritten.
    attacked = np.flatnonzero(fold.test_same)
    texts = fold.test.texts.rows(fold.test.questioned_index[attacked])
    genuine = (texts, np.array([groups[i] for i in fold.test.ids[attacked].tolist()]))
    rewritten = {}
    for name, items in keys.items():
        done = [
            (i, outcome.rewriting)
            for i, key in items
            if (outcome := read_rewriting(rewritings_folder, key)) and outcome.rewriting is not None
        ]
        rewritten[name] = (
            [outcome.text for _, outcome in done],
            np.array([groups[i] for i, _ in done], dtype=np.int64),
        )
    changed = [name for name, done in firsts.items() if done.changed]
    results = _detect(genuine, rewritten, changed, progress)
    write_record(path, "safety", records.DetectionRecord(key=address, obfuscators=results))


def read_detection(path: Path) -> records.DetectionRecord | None:
    """Read stored results; None if there are none."""
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
    parts = dict[str, _Sample]()
    start = 0
    for name, (texts, group) in samples.items():
        dense = np.array([_features(text, measure) for text in texts]).reshape(len(texts), -1)
        stop = start + len(texts)
        parts[name] = _Sample(tuple(array[start:stop] for array in counted), dense, group)
        start = stop
    for number, name in enumerate(rewritten):
        progress("detecting rewritings", number, len(rewritten))
        known = _score(parts[""], [parts[name]], parts[name])
        other_samples = [parts[other_name] for other_name in changed if other_name != name]
        unseen = _score(parts[""], other_samples, parts[name]) if other_samples else (None, None)
        results[name] = records.Detection(
            auc=known[0], tpr=known[1], auc_unseen=unseen[0], tpr_unseen=unseen[1]
        )
    return results


@dataclass(frozen=True, eq=False)
class _Sample:
    """Texts (n,): counts (n, features) of trigrams and words in them (``FREQUENT``), dense features, groups of
    authors."""

    counts: tuple[Any, ...]
    dense: Floats
    group: Ints

    def rows(self, rows: Ints) -> _Sample:
        """Some of the texts."""
        return _Sample(
            tuple(count[rows] for count in self.counts), self.dense[rows], self.group[rows]
        )


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
    for count in counts:
        count.sort_indices()
    return counts


def _features(text: str, measure: Sensibleness) -> list[float]:
    """Anomaly rates and, where a language model is here, quantiles and histograms of token probabilities and ranks."""
    numbers: list[float] = [value or 0.0 for value in measure.of(text).values()]
    if missing("brown") is not None:
        return numbers
    ranks_of = _token_ranks()
    spoken = [words for start, end in sentences(text) if (words := tokens(text[start:end]))] or [[]]
    ranks, values = (
        np.concatenate(arrays)
        for arrays in zip(*(ranks_of(words) for words in spoken), strict=True)
    )
    shares = np.histogram(ranks, bins=(1, *(rank + 1 for rank in RANKS), np.iinfo(np.int64).max))[
        0
    ] / len(ranks)
    return [
        *numbers,
        *np.quantile(values, QUANTILES),
        *shares,
        *np.quantile(np.log10(ranks), QUANTILES),
    ]


@cache
def _token_ranks() -> TokenRanks:
    return TokenRanks(resources.language_model())


def _score(
    genuine: _Sample, train: Sequence[_Sample], test: _Sample
) -> tuple[float | None, float | None]:
    """AUC and TPR over held-out author groups."""
    from sklearn.model_selection import GroupKFold

    count = len(np.unique(genuine.group))
    if count < FOLDS or not len(test.group):
        return None, None
    truth = np.concatenate(
        [np.zeros(len(genuine.group), dtype=bool), np.ones(len(test.group), dtype=bool)]
    )
    scores = np.zeros(len(truth))
    for _, test_rows in GroupKFold(FOLDS).split(genuine.dense, groups=genuine.group):
        tested_groups = np.unique(genuine.group[test_rows])
        fitted = _Detector().fit(
            _rows_outside(genuine, tested_groups),
            [_rows_outside(sample, tested_groups) for sample in train],
        )
        for sample, start in ((genuine, 0), (test, len(genuine.group))):
            rows = np.flatnonzero(np.isin(sample.group, tested_groups))
            if len(rows):
                scores[start + rows] = fitted.score(sample.rows(rows))
    roc = curve(truth, scores)
    tpr = None if roc is None else float(roc.tpr[roc.fpr <= FALSE_ALARMS].max())
    return auc(truth, scores), tpr


def _rows_outside(sample: _Sample, groups: Ints) -> _Sample:
    return sample.rows(np.flatnonzero(~np.isin(sample.group, groups)))


class _Detector:
    """Scaled dense features, character trigrams and frequent words into one logistic regression."""

    def fit(self, genuine: _Sample, rewritten: Sequence[_Sample]) -> _Detector:
        from scipy.sparse import vstack
        from sklearn.feature_extraction.text import TfidfTransformer
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler

        samples = (genuine, *rewritten)
        counts = tuple(
            vstack(kind, format="csr")
            for kind in zip(*(sample.counts for sample in samples), strict=True)
        )
        dense = np.concatenate([sample.dense for sample in samples])
        label = np.arange(len(dense)) >= len(genuine.dense)
        self._columns = [
            _commonest_columns(kind, limit) for kind, limit in zip(counts, FREQUENT, strict=True)
        ]
        self._weights: list[Any] = [
            TfidfTransformer(sublinear_tf=sublinear).fit(kind[:, columns])
            for kind, columns, sublinear in zip(counts, self._columns, (True, False), strict=True)
        ]
        self._scaler: Any = StandardScaler().fit(dense)
        self._model: Any = LogisticRegression(class_weight="balanced", solver="liblinear")
        self._model.fit(self._matrix(counts, dense), label)
        return self

    def score(self, sample: _Sample) -> Floats:
        """Probability (n,), 0 to 1, that each text is rewritten."""
        return np.asarray(
            self._model.predict_proba(self._matrix(sample.counts, sample.dense))[:, 1]
        )

    def _matrix(self, counts: Sequence[Any], dense: Floats) -> Any:
        from scipy.sparse import csr_array, hstack

        # Ten or so dense features beside rows of length 1: brought to their scale.
        scaled = np.clip(self._scaler.transform(dense), -5, 5) / np.sqrt(dense.shape[1])
        weighed = (
            weight.transform(count[:, k])
            for weight, count, k in zip(self._weights, counts, self._columns, strict=True)
        )
        return hstack([csr_array(scaled), *weighed], format="csr")


def _commonest_columns(counts: Any, limit: int) -> Ints:
    """Columns, ascending, of the features that stand most often in these texts; of equally frequent ones those that
    ``CountVectorizer(max_features=most)`` takes.
    """
    total = np.asarray(counts.sum(axis=0)).ravel()
    present = np.flatnonzero(total)
    return np.sort(present[(-total[present]).argsort()[:limit]])


NAME = "grades.json"


def keep_grades(store: Store, rewritings_folder: Path, reviews: Sequence[Review]) -> None:
    """Match reviews with the run's rewritings, then write them all; those of an earlier call are replaced.

    Raises InputError, and writes nothing, if a reviewed text is not in ``rewritings_folder`` or differs from the text
    there.
    """
    graded: dict[tuple[str, str], dict[tuple[str, str], tuple[int, str]]] = {}
    for obfuscator in store.plan_as(records.SafetyPlan).obfuscators:
        for seed, done in obfuscator.sets.items():
            for problem, key in done.rewritings.items():
                stored = read_rewriting(rewritings_folder, key)
                if stored is not None and stored.rewriting is not None:
                    original, text = (
                        content_hash(text).hex()
                        for text in (stored.rewriting.original, stored.rewriting.text)
                    )
                    graded.setdefault((problem, obfuscator.name), {}).setdefault(
                        (original, text), (seed, key)
                    )
    write_record(
        store.path / NAME,
        "safety",
        records.GradesRecord(grades=[_graded_text(review, graded) for review in reviews]),
    )


def read_grades(store: Store) -> list[records.GradedText]:
    """Read the grades of rewritings that the run still has; empty if there are none or their file is damaged."""
    record = record_or_none(store.path / NAME, records.GradesRecord)
    sets = {
        obfuscator.name: obfuscator.sets
        for obfuscator in store.plan_as(records.SafetyPlan).obfuscators
    }
    return [
        grade
        for grade in ([] if record is None else record.grades)
        if (done := sets.get(grade.obfuscator, {}).get(grade.seed))
        and done.rewritings.get(grade.problem) == grade.key
    ]


def _graded_text(
    review: Review, graded: dict[tuple[str, str], dict[tuple[str, str], tuple[int, str]]]
) -> records.GradedText:
    texts = graded.get((review.id, review.system))
    named = f"{review.id}, rewritten by {review.system or 'nobody named'}"
    if texts is None:
        raise InputError(
            "the grades include a text that is not in this run",
            file=review.file,
            found=named,
            fix="give the folder of grades for this run (from the pages of raven diff RUN)",
        )
    text_key = texts.get((review.original, review.rewritten))
    if text_key is None:
        raise InputError(
            "the grade is for another version of this text: the hashes differ",
            file=review.file,
            found=named,
            fix="grade the pages that raven diff makes from this run",
        )
    seed, key = text_key
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
