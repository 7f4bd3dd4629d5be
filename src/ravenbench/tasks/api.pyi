"""The functions of tasks as type checkers see them, written by ``python -m ravenbench.tasks.functions``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ravenbench.components import Component
from ravenbench.engine.pool import Engine, Progress
from ravenbench.engine.task import RunResult
from ravenbench.obfuscation.base import Obfuscator
from ravenbench.tasks.obfuscate.task import ObfuscateResult
from ravenbench.tasks.run.spec import RunSpec
from ravenbench.tasks.safety.measures import Helpers
from ravenbench.tasks.verify.task import Verified
from ravenbench.types import Corpus

def run(
    corpus: str | Path | None = None,
    *,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    topics: int | str | Sequence[int] | None = None,
    folds: int | None = None,
    pools: int | None = None,
    pool_share: float | None = None,
    pairs: str | None = None,
    samplers: str | None = None,
    docs_per_topic: int | None = None,
    min_docs: int | None = None,
    limit: int | None = None,
    calibration: float | None = None,
    encoder: str | None = None,
    verifiers: str | Sequence[str | Component] | None = None,
    group: str | Sequence[str] | None = None,
    against: str | None = None,
    normalise: str | None = None,
    metrics: str | Sequence[str | Component] | None = None,
    probe: str | None = None,
    repetitions: int | None = None,
    lengths: int | str | Sequence[int] | None = None,
    seed: int | Sequence[int] | None = None,
    train: str | Path | None = None,
    test: str | Path | None = None,
    aliases: Mapping[str, str] | None = None,
    spec: RunSpec | str | Path | None = None,
    out: str | Path | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Does a verifier recognise style or only topic? Samples topics, verifies pairs, replaces content, reports."""

def verify(
    verifier: str | Component,
    *,
    test: str | Path,
    out: str | Path | None = None,
    train: str | Path | None = None,
    save: str | Path | None = None,
    load: str | Path | None = None,
    probe: str | None = None,
    encoding: str | None = None,
    folder: str | Path | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Verified:
    """Train a verifier on problems, or load a trained one, and answer others."""

def pan14(
    data: str | Path | Sequence[str | Path],
    *,
    verifiers: str | Sequence[str | Component] | None = None,
    metrics: str | Sequence[str | Component] | None = None,
    probe: str | None = None,
    encoding: str | None = None,
    out: str | Path | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Train and test verifiers on every corpus given and report them as the PAN-2014 overview does."""

def attribute(
    corpus: str | Corpus | None = None,
    *,
    unknown: str | Path | Sequence[str | Path] | None = None,
    candidates: str | Path | Corpus | None = None,
    none: float | None = None,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    protocol: str | None = None,
    methods: str | Sequence[Any] | None = None,
    folds: int | None = None,
    min_docs: int | None = None,
    min_topics: int | None = None,
    min_per_topic: int | None = None,
    min_topic_docs: int | None = None,
    docs_per_topic: int | None = None,
    equal_counts: bool | None = None,
    merge_authors: bool | None = None,
    sampler: str | None = None,
    topics: int | None = None,
    encoder: str | None = None,
    difference: float | None = None,
    seed: int | Sequence[int] | None = None,
    out: str | Path | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Name the author of unknown texts (--unknown), or measure how well methods name known authors on new topics."""

def obfuscate(
    obfuscator: str | Obfuscator,
    source: str | Path,
    *,
    out: str | Path | None = None,
    encoding: str | None = None,
    seed: int | None = None,
    every: bool | None = None,
    split: str | None = None,
    known: str | Path | Sequence[str | Path] | None = None,
    language: str | None = None,
    train: str | Path | None = None,
    surrogates: str | None = None,
    folder: str | Path | None = None,
    rewritings: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> ObfuscateResult:
    """Rewrite questioned texts so that their author is hidden."""

def safety(
    problems: str | Path,
    *,
    train: str | Path | None = None,
    obfuscators: str | Sequence[str | Obfuscator] | None = None,
    verifiers: str | Sequence[str | Component] | None = None,
    methods: str | Sequence[Any] | None = None,
    reject: float | None = None,
    encoding: str | None = None,
    seeds: str | Sequence[int] | None = None,
    attacks: str | Sequence[str] | None = None,
    normalise: str | None = None,
    surrogates: str | None = None,
    limit: int | None = None,
    grades: str | Path | None = None,
    rewritings: str | Path | None = None,
    out: str | Path | None = None,
    helpers: Helpers | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Rewrite the questioned texts of same-author problems, verify again, and measure what it cost the texts."""

def compare(
    questioned: str | Path | Sequence[str | Path] | None = None,
    known: str | Path | Sequence[str | Path] | Mapping[str, str | Path | Sequence[str | Path]] | None = None,
    background: str | Path | None = None,
    *,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    batch: str | Path | None = None,
    each: str | Path | None = None,
    which: str | None = None,
    verifiers: str | Sequence[str | Component] | None = None,
    authors: int | None = None,
    folds: int | None = None,
    donors: int | None = None,
    validated: str | Path | None = None,
    condition: str | None = None,
    unvalidated: bool | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    case: str | None = None,
    examiner: str | None = None,
    date: str | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Did this person write this text? A likelihood ratio, how far to trust it, and what it rests on."""

def detect(
    texts: str | Path,
    *,
    train: str | Path,
    people: str,
    detectors: str | Sequence[str | Component] | None = None,
    by: str | None = None,
    most: int | None = None,
    encoding: str | None = None,
    seed: int | Sequence[int] | None = None,
    out: str | Path | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """How well do detectors tell machines' texts from people's, and how often do they accuse people?"""

def retrieve(
    source: str | Path,
    *,
    methods: str | Sequence[str | Component] | None = None,
    k: str | Sequence[int] | None = None,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    queries: int | None = None,
    limit: int | None = None,
    across: bool | None = None,
    rerank: str | Sequence[str | Component] | None = None,
    first: int | None = None,
    train: str | Path | None = None,
    content: int | None = None,
    half: bool | None = None,
    seed: int | Sequence[int] | None = None,
    out: str | Path | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Search many candidates for texts by the author of each query, and show how much of what is found is topic."""

def simulate(
    corpus: str | None = None,
    *,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    replicates: int | None = None,
    pairs: str | None = None,
    doses: str | Sequence[float] | None = None,
    pools: int | None = None,
    folds: int | None = None,
    repetitions: int | None = None,
    function_words: int | None = None,
    segmenter: str | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Test both verdicts of raven run on simulated data, with scorers of which it is known what they rely on."""

def unknown(
    *,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    unknown: str | Path | Sequence[str | Path],
    candidates: str | Path | Corpus,
    methods: str | Sequence[str | Component] | None = None,
    none: float | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Who of several candidates wrote a text, or none of them: probabilities, and how far to trust them."""

def validate(
    background: str | Path,
    conditions: str | Path | None = None,
    *,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    verifiers: str | Sequence[str | Component] | None = None,
    authors: int | None = None,
    folds: int | None = None,
    donors: int | None = None,
    most_cllr: float | None = None,
    most_devpav: float | None = None,
    most_mean: float | None = None,
    most_misleading: float | None = None,
    strong: float | None = None,
    reach: float | None = None,
    seed: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Does raven compare hold what it says, for cases of a kind? A dossier whose criterion is fixed before."""
