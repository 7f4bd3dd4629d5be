"""Verifies as Moreau et al. 2014 (``Moreau2014``): a genetic search over observations, measures and learners.

In: ``Problems`` (n) and, for ``fit``, their truth (n,) bool, True = same author. For ``evolve`` genomes (population,
genes) as whole numbers, the number of values of each gene, a fitness (a function of one genome, higher = better), when
to end, and a random generator; for ``levels`` and ``tagged`` a text; for ``means`` values (rows, columns).
Out: ``verify``: answers (n,), 0 to 1, higher = same author, 0.5 = unanswered; ``Observations.features``: similarities
(n, measures, means, observations), 0 to 1; ``evolve``: genomes, best first, and their fitness (here AUC · c@1, 0 to 1);
``levels``: type/token ratio, letters per word, words per sentence; ``tagged``: text, one sign for each tag;
``means``: (4, columns).
SpecError (parameter out of range), CorpusError (a class under four problems), MissingPart without the tagger.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.shelf.published.harvey_2014 import tag_symbols
from ravenbench.ext.shelf.published.impostor_spaces import ImpostorSpace
from ravenbench.metrics.pan import auc, scores
from ravenbench.randomness import stream
from ravenbench.text.minmax import Measure, norms, similarities
from ravenbench.text.nltk_data import TAGGER, find
from ravenbench.text.tokens import SENTENCE_END, lowered, normalised, tokens, words
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.calibrators import apply_band, best_radius
from ravenbench.verifiers.contract.base import Verifier
from ravenbench.verifiers.contract.folds import Folds, calibration_folds, out_of_fold

MEASURES: tuple[Measure, ...] = ("cosine", "minmax")
MEANS = ("median", "arithmetic", "geometric", "harmonic")
LEVELS = ("type/token ratio", "word length", "sentence length")
_LEAST = 1e-6
_PRIVATE = 0xE000


class Observations:
    """Families of n-grams, each a separate observation, and a few levels of complete texts.

    Parameters
    ----------
    units : str
        As in ``ImpostorSpace``.
    size, least : int
        Number of n-grams of each family and length; only n-grams that some training text has ``least`` times.
    tags : bool
        Also count 1–4-grams of part-of-speech tags.
    """

    def __init__(self, units: str, size: int, least: int, tags: bool = False) -> None:
        self.space = ImpostorSpace(units, size, "tf", least)
        self.tags = ImpostorSpace("char1-4", size, "tf", least) if tags else None

    def fit(self, texts: Sequence[str]) -> Self:
        """Learn the vocabulary from normalised texts; without tags if no text is in a script that has a tagger.

        MissingPart if ``tags`` is True and the tagger is not installed.
        """
        self.space.fit(texts)
        if self.tags is not None:
            written = [tagged(text) for text in texts]
            if any(written):
                self.tags.fit(written)
            else:
                warnings.warn(
                    "Raven leaves out observations of tags, because no training text can be tagged",
                    stacklevel=2,
                )
                self.tags = None
        return self

    @property
    def count(self) -> int:
        """Return the number of observations: families of n-grams, and levels."""
        return sum(
            len(space.vocabulary_) for space in (self.space, self.tags) if space is not None
        ) + len(LEVELS)

    def features(self, problems: Problems) -> Floats:
        """Return the mean similarity of the questioned text to the known texts, (n, measures, means, observations).

        All are in [0, 1]; about 0 if a text has nothing of a kind. A level's similarity is the smaller value over
        the larger under either measure.
        """
        used = problems.documents
        texts = [normalised(text) for text in problems.texts.rows(used)]
        kinds = [_Kind(self.space, texts)]
        if self.tags is not None:
            kinds.append(_Kind(self.tags, [tagged(text) for text in texts]))
        level = np.array([levels(text) for text in texts]).reshape(len(texts), len(LEVELS))
        known, questioned = problems.places
        result = np.empty((len(problems), len(MEASURES), len(MEANS), self.count))
        for i, u in enumerate(questioned):
            rows = known[problems.known_ptr[i] : problems.known_ptr[i + 1]]
            high = np.maximum(level[rows], level[u])
            plain = np.minimum(level[rows], level[u]) / np.where(high > 0, high, 1.0)
            for m in range(len(MEASURES)):
                columns = [kind.similarities(int(u), rows, m) for kind in kinds]
                result[i, m] = means(np.concatenate([*columns, plain], axis=1))
        return result


class _Kind:
    """Vectors of texts in one space, each family and length of n-grams by itself."""

    def __init__(self, space: ImpostorSpace, texts: list[str]) -> None:
        longest = max(map(len, texts), default=0)
        self.vectors = space.vectors(
            space.read(texts, space.forest()), np.arange(len(texts)), longest
        )
        sizes = [len(names) for _, _, names in space.vocabulary_]
        self.masks = np.repeat(np.eye(len(sizes), dtype=np.float32), sizes, axis=0)
        self.norms = [norms(self.vectors, self.masks, measure) for measure in MEASURES]

    def similarities(self, u: int, rows: Ints, measure: int) -> Floats:
        """Similarities of text ``u`` to ``rows``, (rows, families)."""
        norm = self.norms[measure]
        return similarities(
            self.vectors.dense(u), norm[u], self.vectors, norm, rows, self.masks, MEASURES[measure]
        )


def tagged(text: str) -> str:
    """Return a text's tags as private characters, which have no lowercase."""
    return "".join([chr(_PRIVATE + ord(symbol)) for symbol in tag_symbols(text)])


def means(values: Floats) -> Floats:
    """Return median, arithmetic, geometric and harmonic mean over rows, (4, columns)."""
    safe = np.maximum(values, _LEAST)
    each = [
        np.median(values, axis=0),
        values.mean(axis=0),
        np.exp(np.log(safe).mean(axis=0)),
        1 / (1 / safe).mean(axis=0),
    ]
    return np.stack(each)


def levels(text: str) -> list[float]:
    """Return the type/token ratio of the first 500 words, mean word length, words per sentence."""
    used = words(lowered(text))
    first = used[:500]
    sentences = sum(token in SENTENCE_END for token in tokens(text))
    return [
        len(set(first)) / max(len(first), 1),
        sum(map(len, used)) / max(len(used), 1),
        len(used) / max(sentences, 1),
    ]


BREEDERS = 0.1
ELITE = 0.1
RANDOM = 0.05
MUTATION = 0.02


def evolve(
    start: Ints,
    choices: Sequence[int],
    fitness: Callable[[Ints], float],
    window: int,
    windows: int,
    most: int,
    rng: np.random.Generator,
) -> tuple[Ints, Floats]:
    """Return the last generation, best first, and its fitness.

    Every generation keeps its elite, adds some random genomes, and is filled up with children of two breeders by
    uniform crossover; each gene mutates with probability .02.

    Parameters
    ----------
    start : (population, genes) int64
    choices : sequence of int
        Values of each gene: 0 … choice − 1.
    window, windows, most : int
        The search ends if none of the last ``windows`` windows of ``window`` generations beats the first of them by mean
        fitness, or after ``most`` generations.
    """
    size = len(start)
    breeders, elite, fresh = (max(2, round(size * share)) for share in (BREEDERS, ELITE, RANDOM))
    elite, fresh = min(elite, size - 1), min(fresh, max(size - elite - 1, 0))
    known: dict[bytes, float] = {}

    def rated(rows: Ints) -> tuple[Ints, Floats]:
        for row in rows:
            if row.tobytes() not in known:
                known[row.tobytes()] = fitness(row)
        values = np.array([known[row.tobytes()] for row in rows])
        order = np.argsort(-values, kind="stable")
        return rows[order], values[order]

    population, values = rated(start)
    history = [float(values.mean())]
    while len(history) < most and not stalled(history, window, windows):
        children = size - elite - fresh
        parents = rng.integers(breeders, size=(2, children))
        take = rng.random((children, len(choices))) < 0.5
        young = np.where(take, population[parents[0]], population[parents[1]])
        young = np.where(
            rng.random(young.shape) < MUTATION, rng.integers(choices, size=young.shape), young
        )
        strangers = rng.integers(choices, size=(fresh, len(choices)))
        population, values = rated(np.concatenate([population[:elite], young, strangers]))
        history.append(float(values.mean()))
    return population, values


def stalled(history: Sequence[float], window: int, windows: int) -> bool:
    """Return True if none of the later of the last ``windows`` windows has a larger mean than the first of them."""
    if len(history) < window * windows:
        return False
    mean = (
        np.array(history[len(history) - window * windows :]).reshape(windows, window).mean(axis=1)
    )
    return bool(mean[1:].max(initial=-np.inf) <= mean[0])


UNITS = "char2-4 word1-3 function3-6 shape1-4"
LEARNERS: tuple[tuple[str, float], ...] = (
    ("tree", 10),
    ("tree", 5),
    ("svr", 0.1),
    ("svr", 1.0),
    ("svr", 10.0),
)
"""Leaves of at least this many problems, or C of a linear support vector regression."""


@dataclass(eq=False, repr=False)
class Moreau2014(Verifier):
    """Regression on similarities of a problem's texts, with settings chosen by a genetic algorithm.

    From the authors' later public code; details of the PAN-2014 run are not confirmed. Observations are word
    1–3-grams, patterns of frequent words (3–6-grams), character 2–4-grams, forms of tokens, type/token ratio, word
    and sentence length. Genes: each observation on or off, cosine or minmax, the mean over known documents (median,
    arithmetic, geometric, harmonic), the learner, and whether answers near 0.5 are left open for c@1. Fitness is
    AUC · c@1 in cross-validation: a population with two folds, then half of it with four; elite 10 %, breeders 10 %,
    random 5 %, mutation .02; a stage ends if no later window (4 of 8 generations, then 3 of 6) beats the first.
    The best of the last generation are rated again in repeated cross-validation.

    Rebuilt by us: scikit-learn's tree instead of M5P, linear support vector regression, uniform crossover,
    similarities stored for the whole search; of the confidence learners, the direct optimum of c@1 and none.
    Part-of-speech 1–4-grams are optional (``tags``), because they need NLTK's tagger for
    English; no skips and no mixtures of tokens and tags. The band is chosen on answers of an outer cross-validation
    that repeats the search in every fold, because a search overfits small corpora.

    Expensive, more than an hour of a core for a default run on newsgroups (``docs/scale.md``): training is a genetic
    search with hundreds of cross-validations, repeated in every fold of the outer cross-validation.

    Parameters
    ----------
    population, generations : int
        Population and generations of the first stage; the second has half of each.
    outer : int
        Folds of the outer cross-validation; each costs one more search.
    size, least : int
        Number of n-grams of each kind, and how often some training text must have one.
    tags : bool
        Observe part-of-speech tags; left out, with a warning, if no training text is in Latin script.
    seed : int

    Attributes
    ----------
    observations_ : Observations
    genome_ : (genes,) int64
    model_ : sklearn.tree.DecisionTreeRegressor, or (coefficients, intercept) of a support vector regression
    radius_ : float

    References
    ----------
    Moreau, Jayapal & Vogel 2014 (PAN at CLEF).
    """

    name = "moreau-2014"
    reads = "both"
    version = 2
    symmetric = False
    provenance = "reconstructed"

    population: int = 100
    generations: int = 60
    outer: int = 2
    size: int = 5000
    least: int = 3
    tags: bool = False
    seed: int = 0

    def require(self) -> None:
        """Check that the tagger is installed if ``tags`` is True. MissingPart if it is not."""
        if self.tags:
            find(TAGGER)

    def fit(self, problems: Problems, same: Bools) -> Self:
        """Search for the best configuration and learn its regression.

        SpecError if a parameter is out of range. CorpusError if a class has fewer than four problems. MissingPart if
        ``tags`` is True and NLTK or its tagger is not installed.
        """
        if (
            self.population < 8
            or min(self.generations, self.size, self.least) < 1
            or self.outer < 2
        ):
            raise SpecError(
                "a parameter of moreau-2014 is out of range",
                found=str(self),
                expected="a population of 8 or more, two outer folds or more, positive numbers",
            )
        same = np.asarray(same, dtype=bool)
        if min(same.sum(), (~same).sum()) < 4:
            raise CorpusError(
                "moreau-2014 has too few training problems for its search",
                found=(
                    f"{int(same.sum())} same-author and {int((~same).sum())} different-author"
                    " problems"
                ),
                expected="at least four of each",
            )
        texts = [normalised(problems.texts[row]) for row in problems.documents]
        self.observations_ = Observations(UNITS, self.size, self.least, self.tags).fit(texts)
        features = self.observations_.features(problems)
        folds = calibration_folds(problems, same, self.outer)

        def answered(rest: Bools, out: Bools) -> Floats:
            genome = self._search(
                features[rest], same[rest], problems.select(rest), int(folds.fold[out][0])
            )
            return _predict(_learn(features[rest], same[rest], genome), features[out], genome)

        held_out = out_of_fold(answered, folds, same, least=2, otherwise=float(same.mean()))
        self.genome_ = self._search(features, same, problems, -1)
        self.radius_ = best_radius(held_out, same, folds.widest) if self.genome_[-1] == 1 else 0.0
        self.model_ = _learn(features, same, self.genome_)
        return self

    def verify(self, problems: Problems) -> Floats:
        features = self.observations_.features(problems)
        answers = apply_band(_predict(self.model_, features, self.genome_), self.radius_)
        return np.where(features.any(axis=(1, 2, 3)), answers, 0.5)

    def _search(self, features: Floats, same: Bools, problems: Problems, part: int) -> Ints:
        choices = [*[2] * features.shape[3], len(MEASURES), len(MEANS), len(LEARNERS), 2]
        rng = stream(self.seed, "moreau-search", part)
        folds = {k: calibration_folds(problems, same, k) for k in (2, 3, 4, 5)}

        def fitness(k: int, genome: Ints) -> float:
            return _fitness(features, same, folds[k], genome)

        rows = rng.integers(choices, size=(self.population, len(choices)))
        rows, _ = evolve(rows, choices, lambda g: fitness(2, g), 8, 4, self.generations, rng)
        rows = rows[: max(4, self.population // 2)]
        rows, _ = evolve(
            rows, choices, lambda g: fitness(4, g), 6, 3, max(1, self.generations // 2), rng
        )
        best = rows[: max(1, self.population // 10)]
        repeated = [np.mean([fitness(k, genome) for k in (3, 4, 5)]) for genome in best]
        chosen: Ints = best[int(np.argmax(repeated))]
        return chosen


def _matrix(features: Floats, genome: Ints) -> Floats:
    """The columns that a genome switches on, (n, chosen); all of them where it switches on none."""
    some = genome[:-4] == 1
    chosen = features[:, genome[-4], genome[-3]]
    return chosen[:, some] if some.any() else chosen


def _learn(features: Floats, same: Bools, genome: Ints) -> Any:
    from sklearn.svm import SVR
    from sklearn.tree import DecisionTreeRegressor

    kind, option = LEARNERS[genome[-2]]
    columns = _matrix(features, genome)
    if kind == "tree":
        return DecisionTreeRegressor(min_samples_leaf=int(option), random_state=0).fit(
            columns, same.astype(np.float64)
        )
    model = SVR(kernel="linear", C=option).fit(columns, same.astype(np.float64))
    return model.coef_[0], float(model.intercept_[0])


def _predict(model: Any, features: Floats, genome: Ints) -> Floats:
    columns = _matrix(features, genome)
    # Not a matrix product: its rounding may depend on how many rows there are.
    linear = isinstance(model, tuple)
    values = (columns * model[0]).sum(axis=1) + model[1] if linear else model.predict(columns)
    return np.asarray(np.clip(values, 0.0, 1.0), dtype=np.float64)


def _fitness(features: Floats, same: Bools, folds: Folds, genome: Ints) -> float:
    def answered(rest: Bools, out: Bools) -> Floats:
        return _predict(_learn(features[rest], same[rest], genome), features[out], genome)

    answers = out_of_fold(answered, folds, same)
    if genome[-1] == 1:
        answers = apply_band(answers, best_radius(answers, same))
    return _final(answers, same)


def _final(answers: Floats, same: Bools) -> float:
    return float((auc(same, answers) or 0.0) * (scores(same, answers)["c@1"] or 0.0))
