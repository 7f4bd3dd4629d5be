"""The functions of tasks as type checkers see them, written by ``python tests/stub.py``."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from ravenbench.components import Component
from ravenbench.engine.pool import Engine, Progress
from ravenbench.engine.task import RunResult
from ravenbench.ext.case.advise.api import Advice
from ravenbench.ext.contrast.report import TextContrast
from ravenbench.ext.map.report import TextMap
from ravenbench.metrics.base import Metric
from ravenbench.obfuscation.base import Obfuscator
from ravenbench.reading.answers import SystemAnswers, Truth
from ravenbench.reading.problem_sets import ProblemSet
from ravenbench.reading.tabular import ProblemAttribute
from ravenbench.tasks.evaluate.evaluation import Evaluation
from ravenbench.tasks.obfuscate.task import ObfuscateResult
from ravenbench.tasks.run.spec import RunSpec
from ravenbench.tasks.verify.task import Verified
from ravenbench.types import Corpus

class Frame(Protocol):
    """A data frame of pandas or polars, or a table of pyarrow."""

    @property
    def columns(self) -> Any: ...

Tabular = Frame | Sequence[Mapping[str, Any]]

def load_corpus(
    corpus: str | Path | Corpus | Tabular,
    *,
    encoding: str | None = "utf-8",
    level: str | None = None,
    pairs: bool = True,
    anonymous: bool = False,
    strip_shared: bool | None = False,
    **options: Any,
) -> Corpus:
    """The corpus of a name, a path or a table in memory."""

def read_problems(
    path: str | Path | Tabular,
    split: str | None = None,
    encoding: str | None = "utf-8",
    **options: bool,
) -> ProblemSet:
    """The problems at a path, or of a table in memory."""

def run(
    corpus: str | Path | Tabular | None = None,
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
    replace: str | None = None,
    repetitions: int | None = None,
    lengths: int | str | Sequence[int] | None = None,
    seed: int | Sequence[int] | None = None,
    unquoted: bool | None = None,
    strip_shared: bool | None = None,
    skip_faulty: bool | None = None,
    train: str | Path | Tabular | None = None,
    test: str | Path | Tabular | None = None,
    allow_shared: bool | None = None,
    aliases: Mapping[str, str] | None = None,
    spec: RunSpec | str | Path | None = None,
    out: str | Path | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    cell_timeout: float | None = None,
    device: str | None = None,
) -> RunResult:
    """Test verifiers: do they recognise style or only topic? Choose topics, answer pairs, replace content, write a
    report."""

def verify(
    verifier: str | Component,
    *,
    test: str | Path | Tabular,
    out: str | Path | None = None,
    train: str | Path | Tabular | None = None,
    save: str | Path | None = None,
    load: str | Path | None = None,
    probe: str | None = None,
    encoding: str | None = None,
    unquoted: bool | None = None,
    strip_shared: bool | None = None,
    skip_faulty: bool | None = None,
    allow_shared: bool | None = None,
    folder: str | Path | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    cell_timeout: float | None = None,
    device: str | None = None,
) -> Verified:
    """Train a verifier on some problems, or load a trained verifier, and answer other problems."""

def pan14(
    data: str | Path | Tabular | Sequence[str | Path | Tabular],
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
    cell_timeout: float | None = None,
    device: str | None = None,
) -> RunResult:
    """Train and test verifiers on each corpus, and report the results as the PAN-2014 overview does."""

def attribute(
    corpus: str | Path | Tabular | Corpus | None = None,
    *,
    unknown: str | Path | Tabular | Sequence[str | Path | Tabular] | None = None,
    candidates: str | Path | Tabular | Corpus | None = None,
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
    docs_per_topic: int | None = None,
    equal_counts: bool | None = None,
    sampler: str | None = None,
    topics: int | None = None,
    encoder: str | None = None,
    unquoted: bool | None = None,
    strip_shared: bool | None = None,
    skip_faulty: bool | None = None,
    seed: int | Sequence[int] | None = None,
    out: str | Path | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    cell_timeout: float | None = None,
) -> RunResult:
    """Name the author of unknown texts (--unknown), or measure how well methods name known authors on new topics."""

def obfuscate(
    obfuscator: str | Obfuscator,
    source: str | Path | Tabular,
    *,
    out: str | Path | None = None,
    encoding: str | None = None,
    seed: int | None = None,
    every: bool | None = None,
    split: str | None = None,
    known: str | Path | Tabular | Sequence[str | Path | Tabular] | None = None,
    language: str | None = None,
    folder: str | Path | None = None,
    rewritings: str | Path | Tabular | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    cell_timeout: float | None = None,
) -> ObfuscateResult:
    """Rewrite questioned texts so that verifiers do not recognise their author."""

def safety(
    problems: str | Path | Tabular,
    *,
    train: str | Path | Tabular | None = None,
    obfuscators: str | Sequence[str | Obfuscator] | None = None,
    verifiers: str | Sequence[str | Component] | None = None,
    methods: str | Sequence[Any] | None = None,
    reject: float | None = None,
    encoding: str | None = None,
    seeds: str | Sequence[int] | None = None,
    attacks: str | Sequence[str] | None = None,
    normalise: str | None = None,
    limit: int | None = None,
    encoder: str | None = None,
    grades: str | Path | Tabular | None = None,
    rewritings: str | Path | Tabular | None = None,
    out: str | Path | None = None,
    unquoted: bool | None = None,
    strip_shared: bool | None = None,
    skip_faulty: bool | None = None,
    allow_shared: bool | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    cell_timeout: float | None = None,
) -> RunResult:
    """Rewrite the questioned texts of same-author problems, verify again, and measure the loss of recall and meaning."""

def compare(
    questioned: str | Path | Tabular | Sequence[str | Path | Tabular] | None = None,
    known: str
    | Path
    | Tabular
    | Sequence[str | Path | Tabular]
    | Mapping[str, str | Path | Tabular | Sequence[str | Path | Tabular]]
    | None = None,
    background: str | Path | Tabular | None = None,
    *,
    unquoted: bool | None = None,
    strip_shared: bool | None = None,
    skip_faulty: bool | None = None,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    batch: str | Path | Tabular | None = None,
    each: str | Path | Tabular | None = None,
    which: str | None = None,
    verifiers: str | Sequence[str | Component] | None = None,
    authors: int | None = None,
    folds: int | None = None,
    donors: int | None = None,
    validated: str | Path | Tabular | None = None,
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
    cell_timeout: float | None = None,
) -> RunResult:
    """Did this person write this text? A likelihood ratio, how far to trust it, and what it rests on."""

def retrieve(
    source: str | Path | Tabular,
    *,
    methods: str | Sequence[str | Component] | None = None,
    k: str | Sequence[int] | None = None,
    unquoted: bool | None = None,
    strip_shared: bool | None = None,
    skip_faulty: bool | None = None,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    rankings: str | Path | Tabular | Sequence[str | Path | Tabular] | None = None,
    queries: int | None = None,
    limit: int | None = None,
    across: bool | None = None,
    rerank: str | Sequence[str | Component] | None = None,
    first: int | None = None,
    train: str | Path | Tabular | None = None,
    content: int | None = None,
    seed: int | Sequence[int] | None = None,
    out: str | Path | None = None,
    frozen: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
    cell_timeout: float | None = None,
    device: str | None = None,
) -> RunResult:
    """Search many candidates for texts by the author of each query, and show how much of the result is topic."""

def validate(
    background: str | Path | Tabular,
    conditions: str | Path | Tabular | None = None,
    *,
    unquoted: bool | None = None,
    strip_shared: bool | None = None,
    skip_faulty: bool | None = None,
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
    cell_timeout: float | None = None,
) -> RunResult:
    """Are the answers of raven compare valid for a kind of case? A dossier with a criterion fixed beforehand."""

def evaluate(
    truth: str | Path | Tabular | Truth,
    answers: str
    | Path
    | Tabular
    | SystemAnswers
    | Sequence[str | Path | Tabular | SystemAnswers]
    | Mapping[str, Any] = (),
    *,
    out: str | Path | None = None,
    lenient: bool = False,
    skip_faulty: bool = False,
    f05u_2020: bool = False,
    metrics: str | Sequence[str | Metric] = "c@1,accuracy",
    trials: int | None = None,
    replicates: int = 10000,
    by: Sequence[str | ProblemAttribute] | None = None,
    encoding: str | None = None,
    training_truth: str | Path | Tabular | Truth | None = None,
    training_answers: str
    | Path
    | Tabular
    | SystemAnswers
    | Sequence[str | Path | Tabular | SystemAnswers]
    | Mapping[str, Any] = (),
    same_share: float | None = None,
    workers: int | None = None,
    seed: int = 0,
    costs: tuple[float, float] = (1.0, 1.0),
    level: float = 0.95,
    alpha: float = 0.05,
) -> Evaluation:
    """Evaluate answers as PAN does, with intervals and significance tests."""

def advise(
    text: str | Path | Tabular,
    known: str | Path | Tabular | Sequence[str | Path | Tabular],
    background: str | Path | Tabular = "",
    *,
    unquoted: bool = False,
    strip_shared: bool = False,
    skip_faulty: bool = False,
    verifiers: str
    | Sequence[
        str | Component
    ] = "raven-2026,impostors,masked(lambdag, frequency-mask),ppm,char-ngram,function-words",
    column: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Advice:
    """Show what identifies you as the author of a text, where, and what a change would gain."""

def contrast(
    primary: str | Path | Tabular | Mapping[str, str] | Corpus,
    secondary: str | Path | Tabular | Mapping[str, str] | Corpus | None = None,
    *,
    corpus: str | Path | Tabular | Mapping[str, str] | Corpus | None = None,
    test: str | Path | Tabular | Mapping[str, str] | Corpus | None = None,
    unquoted: bool | None = None,
    strip_shared: bool | None = None,
    skip_faulty: bool | None = None,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    oppose_method: str | None = None,
    by: str | None = None,
    text_slice_length: int | None = None,
    text_slice_overlap: int | None = None,
    rare_occurrences_threshold: int | None = None,
    zeta_filter_threshold: float | None = None,
    analyzed_features: str | None = None,
    ngram_size: int | None = None,
    preserve_case: bool | None = None,
    corpus_lang: str | None = None,
    function_words: int | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> TextContrast:
    """Show which words each of two groups of texts prefers: Zeta (Burrows, Craig, Eder) and keyness, with intervals."""

def map_texts(
    corpus: str | Path | Tabular | Mapping[str, str] | Corpus,
    *,
    unquoted: bool | None = None,
    strip_shared: bool | None = None,
    skip_faulty: bool | None = None,
    text: str | None = None,
    author: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
    analysis_type: str | None = None,
    distance_measure: str | None = None,
    mfw_min: int | None = None,
    mfw_max: int | None = None,
    mfw_incr: int | None = None,
    culling_min: int | None = None,
    culling_max: int | None = None,
    culling_incr: int | None = None,
    start_at: int | None = None,
    mfw_list_cutoff: int | None = None,
    analyzed_features: str | None = None,
    ngram_size: int | None = None,
    preserve_case: bool | None = None,
    delete_pronouns: bool | None = None,
    corpus_lang: str | None = None,
    sampling: str | None = None,
    sample_size: int | None = None,
    sample_overlap: int | None = None,
    number_of_samples: int | None = None,
    linkage: str | None = None,
    consensus_strength: float | None = None,
    resamples: int | None = None,
    linked_neighbors: int | None = None,
    group_by: str | None = None,
    rolling: str | None = None,
    slice_size: int | None = None,
    slice_overlap: int | None = None,
    classification_method: str | None = None,
    function_words: int | None = None,
    texts: int | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
) -> TextMap:
    """Draw many texts: dendrogram, consensus tree, maps in two dimensions, network of neighbours, rolling
    attribution."""
