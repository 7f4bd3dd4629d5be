"""The plan of a simulation: its worlds, each a fold and a cell."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from benchmarks.lab.blend import Blend
from benchmarks.lab.spec import SimulateSpec
from benchmarks.lab.worlds import (
    ALIKE,
    BLUR,
    ENCODER,
    FIRST_SEED,
    LETTERS,
    RARE,
    REFUSED,
    REFUSED_SPLICED,
    STYLE,
    names,
)
from ravenbench import registry
from ravenbench.components import identity
from ravenbench.problems.donors import TOGETHER
from ravenbench.reading.load import is_named
from ravenbench.statistics.content import COMMON
from ravenbench.store.plans import cell_places, content_key, decides, verifier_record
from ravenbench.store.records import FoldRecord, Plan, Record
from ravenbench.store.resume import data_hash
from ravenbench.tasks.run.setups import NEAR
from ravenbench.text.content_words import EVEN, EVEN_OVER_TEXTS, LOOKED_AT
from ravenbench.verifiers.baselines import StyleOnly, TopicOnly


class ReplicateRecord(Record, frozen=True, kw_only=True):
    """A world: ``seed`` is its number, from which all is drawn; ``fold`` is its entry among folds and cells."""

    number: int
    seed: int
    fold: str


class SimulatePlan(Plan, frozen=True, kw_only=True):
    """The manifest of a simulation.

    A replicate's ``train_digest`` covers the corpus and the world's number, its ``test_digest`` how test sets are
    drawn from it, transplanted and answered. Cells hold the figures of all scorers under the blend's name.
    """

    replicates: list[ReplicateRecord]


NAME = "blend"


def drawing(spec: SimulateSpec) -> str:
    """Key of all that decides how test sets are drawn from a world, transplanted and answered."""
    return content_key(
        [
            identity(registry.parse("pairs", spec.pairs)),
            identity(registry.parse("encoder", ENCODER)),
            identity([StyleOnly(), TopicOnly(), registry.parse("verifier", "function-words")]),
            {
                "pools": spec.pools,
                "folds": spec.folds,
                "repetitions": spec.repetitions,
                "near": NEAR,
            },
            {
                "doses": list(spec.doses),
                "function_words": spec.function_words,
                "blur": BLUR,
                "letters": LETTERS,
            },
            {"first": FIRST_SEED, "alike": ALIKE, "scorers": names(spec.doses, spec.company)},
            {"refused": [REFUSED, REFUSED_SPLICED], "rare": RARE, "style": STYLE, "common": COMMON},
            {"even": [EVEN, EVEN_OVER_TEXTS, LOOKED_AT], "together": TOGETHER},
            {
                "segmenter": spec.segmenter,
                "languages": [find_spec(n) is not None for n in ("icu4py", "snowballstemmer")],
            },
        ]
    )


def fingerprint(spec: SimulateSpec) -> dict[str, str]:
    """Identity of the corpus and of the methods that a simulation uses."""
    return {"methods": content_key([_corpus(spec), drawing(spec), decides(Blend())])}


def _corpus(spec: SimulateSpec) -> Any:
    """What decides which corpus worlds are drawn from: a generator or name, else the file and how it is read."""
    if is_named(spec.corpus) and not any((spec.text, spec.author, spec.topic, spec.encoding)):
        return identity(registry.parse("corpus", spec.corpus))
    return [data_hash(spec.corpus), spec.reading()]


def draft(spec: SimulateSpec) -> SimulatePlan:
    """The plan of a simulation; keys hold all that decides the figures of a world."""
    corpus, drawn = _corpus(spec), drawing(spec)
    replicates, folds = [], {}
    for number in range(spec.replicates):
        seed = spec.seed + number
        name = f"world-{seed:04d}"
        replicates.append(ReplicateRecord(number=number, seed=seed, fold=name))
        folds[name] = FoldRecord(
            train_digest=content_key([corpus, seed]), test_digest=drawn, seed=seed
        )
    return SimulatePlan(
        folds=folds,
        verifiers=[verifier_record(NAME, Blend())],
        cells=cell_places({NAME: Blend()}, folds),
        replicates=replicates,
    )


def fits(spec: SimulateSpec) -> int:
    """How many training sets a world has."""
    return spec.pools * spec.folds + 2 * spec.repetitions
