"""Worlds of a simulation, and scorers of which it is known what they look at, fitted on a training set of one (ours).

A world is a corpus, the folds that are transplanted, and the repetitions of the crossed probe. It has a number, and all
its draws come from that number. Of a generated corpus a world is a fresh one, with the seed ``FIRST_SEED`` + number. Of
a real corpus a world is a random half of its topics; such worlds overlap and are not independent, so coverage over them
says little. Names of streams begin with ``study-``: the margins were fixed on worlds that were drawn under these names,
and a world must stay what it was.

Scores become answers by a calibrator that is fitted on what is set apart of the training set, the verifier's own where
it has one.

Blind to content are ``oracle`` (the truth, with fresh noise for every text), ``style`` (words that are known to carry
no content, see ``functions``, and marks), ``trained style`` (how far apart their shares lie, weighed by what a training
set shows) and ``length``.
``topic`` (topic-only, trained) and ``untrained topic`` (a cosine of long words that learns nothing) look at little
else. ``blend D`` is (1 − D) × style + D × topic, ``blend D untrained`` the same with the untrained cosine. Of
``style-only`` and ``function-words`` it is not known beforehand: the most frequent words that they take up reach beyond
function words, so they stand for comparison, and so does ``word lengths`` (it sees the lengths of words alone): these
tell some topic. ``texts D`` is the untrained cosine on texts of known content: a questioned text gets *on* content with
probability D only, and else *off* content once more.

Adversaries go by content, or by no style, and would like not to be found; the probe must not clear them:

``content``      cosine of content words alone (of a generated corpus by its own vocabulary)
``content z``    the same, standardised in its batch; ``content rank``: ranked in it
``silent``       the untrained cosine, but one and the same number for .4 of the texts of the corpus and .99 of others
``memory``       the truth of pairs it was shown, and nothing about others
``rare``         cosine of content words that at most ten texts of the corpus hold
``names``        cosine of words capitalised inside sentences
``numbers``      cosine of words with digits; ``addresses``: of mail addresses and their hosts
``shape``        cosine of how often content words have each length and a capital or none, standardised
``what stays``   guesses topic from what stays when content words are replaced (``problems.references``)
``both ways``    style, plus or minus the untrained cosine, the sign by a hash of the known text
``outliers``     the same at .3 of the cosine, and 1 % of scores are ±10⁶; ``noisy``: with noise for every text
``some``         style, but the untrained cosine for a tenth of the questioned texts
``veto``         style, lowered where it says "same author" and the cosine is low
``seeker``, ``keeper``, ``ids``: content of the original of a spliced text, if they find it (``company``)

Of these the scores are style, and the answers hold the content:

``digits``       the cosine stands in the score's digits after the fourth, and is the answer; ``one bit``: one bit of it
``ties``         style in half deviations, within which the cosine orders answers
``close calls``  the cosine decides where style lies next to its mean; ``abstains``: no answer where it says other
``clipped``      0 or 1, by style and .3 of the cosine
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Self

import numpy as np

from benchmarks.lab.blend import Blend, mixed
from benchmarks.lab.manifold import Manifold
from benchmarks.lab.spec import SimulateSpec, generator
from ravenbench import registry
from ravenbench.errors import CorpusError
from ravenbench.problems import probe, sources
from ravenbench.problems.needs import suggest
from ravenbench.problems.references import (
    LONGEST,
    FromWhatStays,
    _shares,
    _some,
    _standard,
    _usual,
)
from ravenbench.randomness import Draws, stream
from ravenbench.reading.load import load_corpus
from ravenbench.tasks.run.setups import NEAR
from ravenbench.text.content_words import closed_class
from ravenbench.text.segmenters import Segmenter
from ravenbench.text.splicing import Splicer
from ravenbench.text.tokens import frequent_words
from ravenbench.texts import TextTable
from ravenbench.topics.levels import at_level, keep_topics, topic_similarity
from ravenbench.types import Bools, Corpus, Floats, Fold, Ints, Problems
from ravenbench.verifiers.calibrators import ScaledLogistic
from ravenbench.verifiers.contract.base import Calibrator

ENCODER = "lsa"
"""What topics are compared by."""
FIRST_SEED = 50_000
ALIKE = 40
"""So many worlds in a row are samples of one kind: those of ``manifold`` share a language, and so a truth."""


@dataclass(frozen=True)
class StyleReader:
    """Reads what a generator wrote in another script, as a text transform; ``back`` writes it again."""

    back: Callable[[str], str]
    of: Callable[[str], str]

    def fit(self, texts: Sequence[str]) -> Self:
        """Nothing is learned."""
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        """The texts as the generator's words."""
        return list(map(self.of, texts))


@dataclass(frozen=True, eq=False)
class World:
    """One corpus with what is drawn from it; ``inside`` are the topics in use, ``similarity`` that of all topics.

    Scorers know the script in which the corpus is written (``reader``): what the probe does to it is under test, not
    whether they find its words.
    """

    number: int
    corpus: Corpus
    similarity: Floats
    inside: Ints
    folds: tuple[Fold, ...]
    reader: StyleReader | None = None

    def read(self, problems: Problems) -> Problems:
        """Problems as scorers see them."""
        return problems if self.reader is None else problems.map_texts(self.reader)

    def legible(self, fold: Fold) -> Fold:
        """A fold as scorers see it."""
        return replace(fold, train=self.read(fold.train), test=self.read(fold.test))

    def texts(self) -> TextTable:
        """The corpus's texts as scorers see them."""
        texts = self.corpus.texts
        return texts if self.reader is None else TextTable.collect(map(self.reader.of, texts))[0]

    def crossed(self, spec: SimulateSpec) -> Iterator[list[Fold]]:
        """The four folds of each repetition of the crossed probe."""
        pairing = _pairing(spec, self.corpus, self.number)
        part = self.similarity[np.ix_(self.inside, self.inside)]
        for r in range(spec.repetitions):
            rng = stream(self.number, "study-probe", r)
            one, other = probe.domains(part, probe.room_for_tests(len(part), NEAR), NEAR, rng)
            pair = tuple(
                probe.ProbeDomain(self.inside[d.test], self.inside[d.train]) for d in (one, other)
            )
            yield probe.crossed(self.corpus, (pair[0], pair[1]), pairing, name=f"probe-{r}")


def _pairing(spec: SimulateSpec, corpus: Corpus, number: int) -> sources.Pairing:
    rule, documents = registry.parse("pairs", spec.pairs), corpus.notes["defaults"]["documents"]
    return sources.Pairing(rule, documents, draws=Draws(number))


def sample(number: int) -> int:
    """Which worlds are of one kind with this one."""
    return number // ALIKE


def draw(spec: SimulateSpec, number: int) -> World:
    """The world of this number. Raises CorpusError if the corpus has no topics to draw from, or too few of them."""
    source, reader = generator(spec.corpus), None
    if source is None:
        corpus, similarity = _real(spec)
    else:
        source = source.set_params(seed=FIRST_SEED + number)
        if isinstance(source, Manifold) and source.language is None:
            source = source.set_params(language=sample(number))
        corpus = source.load()
        similarity = topic_similarity(corpus, registry.parse("encoder", ENCODER))
        reader = None if source.script == "latin" else StyleReader(*source.spelling())
    defaults = corpus.notes["defaults"]
    size = len(similarity) if source is not None else len(similarity) // 2
    if size < defaults["m"]:
        raise CorpusError(
            "too few topics for a world", found=str(size), expected=f"{defaults['m']} or more"
        )
    inside = np.sort(stream(number, "study-half").permutation(len(similarity))[:size])
    folds: list[Fold] = []
    for pool in range(spec.pools):
        chosen = np.sort(stream(number, "study-pool", pool).permutation(inside)[: defaults["m"]])
        folds += sources.topics(
            corpus, chosen, k=spec.folds, pairing=_pairing(spec, corpus, number), name=f"p{pool}"
        )
    return World(number, corpus, similarity, inside, tuple(folds), reader)


@lru_cache(1)
def _real(spec: SimulateSpec) -> tuple[Corpus, Floats]:
    """The corpus at its level, with the numbers that worlds are drawn by, and how alike its topics are."""
    corpus = load_corpus(spec.corpus, **spec.reading())
    defaults = corpus.notes.get("defaults", {})
    corpus = at_level(
        corpus, spec.topic or defaults.get("topic", "topic"), defaults.get("levels", {})
    )[0]
    sizes = suggest(corpus, defaults=defaults)
    corpus = keep_topics(corpus, sizes.min_docs)
    # A world has half of the topics.
    fitting = {
        "m": min(sizes.topics, max(spec.folds, len(corpus.topic.names) // 2)),
        "documents": sizes.documents,
    }
    corpus = replace(corpus, notes={**corpus.notes, "defaults": fitting | defaults})
    return corpus, topic_similarity(corpus, registry.parse("encoder", ENCODER))


PUBLISHED = (
    "outliers",
    "noisy",
    "some",
    "veto",
    "digits",
    "one bit",
    "ties",
    "close calls",
    "abstains",
    "clipped",
)
"""Adversaries with answers of their own."""
COMPANY = ("seeker", "keeper", "ids")
"""Adversaries that look for originals (``company``)."""
STAYS = "what stays"
BATCHED = ("content z", "content rank")
HIDDEN = (
    "content",
    *BATCHED,
    "silent",
    "memory",
    "rare",
    "names",
    "shape",
    "numbers",
    "addresses",
    STAYS,
    "both ways",
    *PUBLISHED,
)
"""Adversaries but for ``COMPANY``."""
LENGTHS = "word lengths"
MARKS = ".,;:!?-"
STYLE = 100
"""Words without content, in most texts, that the scorer of style sees."""
REFUSED, REFUSED_SPLICED = 0.4, 0.99
RARE = 10
_WORD = re.compile(r"[^\W\d_]+")
_INSIDE = re.compile(r"(?<=[a-z,;:] )[A-Z][^\W\d_]{2,}")
_WITH_DIGIT = re.compile(r"\w*\d\w*")
_ADDRESS = re.compile(r"[\w.]+@[\w.]*\w|\w+\.(?:edu|com|org|net|gov)\b")
SHORT, LONG = 2, 9
"""Letters up to which, and from which on, words have one shape."""


class Cosine:
    """Cosine of the square roots of counts of some units of texts: nothing is learned from any text."""

    def __init__(self, units: Callable[[str], Iterable[str]]) -> None:
        from sklearn.feature_extraction.text import HashingVectorizer

        self._count = HashingVectorizer(
            analyzer=units, n_features=2**18, norm=None, alternate_sign=False
        )
        self._known: dict[int, tuple[TextTable, Any]] = {}

    def score(self, problems: Problems) -> Floats:
        """Of pairs, (n,)."""
        texts = problems.texts
        if id(texts) not in self._known:
            counts = self._count.transform(list(texts)).sqrt()
            length = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
            counts.data /= np.repeat(np.where(length > 0, length, 1), np.diff(counts.indptr))
            self._known[id(texts)] = texts, counts
        counts = self._known[id(texts)][1]
        pairs = counts[problems.known_index].multiply(counts[problems.questioned_index])
        return np.asarray(pairs.sum(axis=1)).ravel()


class Style:
    """Cosine of shares of function words and marks, standardised by those of a table's texts: blind to content."""

    def __init__(self, texts: TextTable, functions: Iterable[str]) -> None:
        from sklearn.feature_extraction.text import CountVectorizer

        units = [*sorted(functions), *MARKS]
        self._count = CountVectorizer(
            vocabulary=units, token_pattern=r"[^\W\d_]+|[" + re.escape(MARKS) + "]"
        )
        self._known: dict[int, tuple[TextTable, Floats]] = {}
        rows = self._shares(texts)
        self._mean, spread = rows.mean(axis=0), rows.std(axis=0)
        self._scale = np.where(spread > 0, spread, 1.0)

    def score(self, problems: Problems) -> Floats:
        """Of pairs, (n,)."""
        cosines: Floats = np.einsum("ij,ij->i", *self._sides(problems))
        return cosines

    def apart(self, problems: Problems) -> Floats:
        """How far both texts lie apart in every share, (n, shares)."""
        return np.asarray(np.abs(np.subtract(*self._sides(problems))), dtype=np.float64)

    def _sides(self, problems: Problems) -> tuple[Floats, Floats]:
        texts = problems.texts
        if id(texts) not in self._known:
            rows = (self._shares(texts) - self._mean) / self._scale
            self._known[id(texts)] = (
                texts,
                rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12),
            )
        rows = self._known[id(texts)][1]
        return rows[problems.known_index], rows[problems.questioned_index]

    def _shares(self, texts: TextTable) -> Floats:
        counts = self._count.transform(list(texts)).toarray()
        sizes = np.array([len(_WORD.findall(text)) for text in texts])
        return np.asarray(counts / np.maximum(sizes, 1)[:, None], dtype=np.float64)


class Adversaries:
    """All of them, for one world, and the scorers of style and lengths that it takes to know its words."""

    def __init__(self, spec: SimulateSpec, world: World, segmenter: Segmenter) -> None:
        texts, reader = world.texts(), world.reader
        known = frozenset(texts.hash(row) for row in range(len(texts)))
        self._original: Callable[[bytes], bool] = known.__contains__
        words = functions(spec, world)
        seen: dict[str, int] = {}
        for text in texts:
            for word in set(words_of(text)):
                seen[word] = seen.get(word, 0) + 1
        self._content = Cosine(lambda text: [word for word in words_of(text) if word not in words])
        rare = {word for word, count in seen.items() if count <= RARE and word not in words}
        self._rare = Cosine(lambda text: [word for word in words_of(text) if word in rare])
        self._visible: dict[str, Cosine | Lengths] = {
            "names": Cosine(_INSIDE.findall),
            "numbers": Cosine(_WITH_DIGIT.findall),
            "addresses": Cosine(_ADDRESS.findall),
            "shape": Lengths(texts, partial(_shapes, functions=words)),
        }
        # What a word is, and so how long it is, depends on the script.
        segments = segmenter.words
        self._lengths = Lengths(
            texts,
            lambda text: _sizes(segments(text if reader is None else reader.back(text))),
        )
        frequent = sorted(words & seen.keys(), key=lambda word: (-seen[word], word))[:STYLE]
        self.style = Style(texts, frequent)

    def of(
        self, problems: Problems, style: Floats, cosine: Floats, truth: Bools
    ) -> dict[str, Floats]:
        """Scores (n,) of each; ``style`` and ``cosine`` are those of other scorers, standardised."""
        table = problems.texts
        hashes = [table.hash(row) for row in problems.questioned_index.tolist()]
        original = np.array([self._original(key) for key in hashes], dtype=np.bool_)
        chance = np.array([_draw(key, b"silent") for key in hashes])
        refused = chance < np.where(original, REFUSED, REFUSED_SPLICED)
        sign = np.array(
            [
                1 if _draw(table.hash(row), b"sign") < 0.5 else -1
                for row in problems.known_index.tolist()
            ]
        )
        content = self._content.score(problems)
        return {
            "content": content,
            "content z": (content - content.mean()) / (content.std() or 1.0),
            "content rank": np.asarray(
                content.argsort(kind="stable").argsort() / len(content), dtype=np.float64
            ),
            "silent": np.where(refused, 0.5, cosine),
            "memory": np.where(original, truth, 0.5),
            "rare": self._rare.score(problems),
            **{name: cosine.score(problems) for name, cosine in self._visible.items()},
            "both ways": style + sign * cosine,
            LENGTHS: self._lengths.score(problems),
            "style": self.style.score(problems),
        }

    def published(
        self, problems: Problems, style: Floats, cosine: Floats
    ) -> dict[str, tuple[Floats, Floats]]:
        """Scores and answers (n,) of those that have answers of their own; arguments as of ``of``."""
        from scipy.special import expit, ndtri

        table = problems.texts
        known = [table.hash(row) for row in problems.known_index.tolist()]
        hashes = [table.hash(row) for row in problems.questioned_index.tolist()]

        def draws(keys: list[bytes], purpose: bytes) -> Floats:
            return np.array([_draw(key, purpose) for key in keys])

        far, noise = draws(hashes, b"far"), ndtri(np.clip(draws(hashes, b"noise"), 1e-9, 1 - 1e-9))
        swayed = style + 0.3 * np.where(draws(known, b"sign") < 0.5, 1, -1) * cosine
        plain, tied, bit = np.round(style, 4), np.round(2 * style) / 2, cosine > 0
        scores = {
            "outliers": np.where(far < 0.005, 1e6, np.where(far < 0.01, -1e6, swayed)),
            "noisy": swayed + noise,
            "some": np.where(draws(hashes, b"some") < 0.1, cosine, style),
            "veto": style - np.where(style > 0, np.maximum(-cosine, 0), 0),
        }
        contradicted = (np.abs(cosine) > 0.7) & (np.sign(cosine) != np.sign(style))
        hidden = {
            "digits": (plain + 9e-5 * expit(cosine), expit(cosine)),
            "one bit": (plain + 5e-5 * bit, expit(style + 2.0 * bit - 1)),
            "ties": (tied, expit(tied + 0.2 * np.tanh(cosine))),
            "close calls": (
                style,
                expit(np.where(np.abs(style) < 0.25, 0.2 * np.sign(cosine), style)),
            ),
            "abstains": (style, np.where(contradicted, 0.5, expit(style))),
            "clipped": (style, (style + 0.3 * cosine > 0) * 1.0),
        }
        return {name: (each, expit(each)) for name, each in scores.items()} | hidden


def functions(spec: SimulateSpec, world: World) -> frozenset[str]:
    """Words that are no content: a generator's own, or those of closed classes."""
    source = generator(spec.corpus)
    if isinstance(source, Manifold):
        language = sample(world.number) if source.language is None else source.language
        return source.set_params(seed=FIRST_SEED + world.number, language=language).functions()
    if source is not None:
        return source.functions()
    return closed_class(frequent_words(world.corpus.texts, 100))


def _shapes(text: str, functions: frozenset[str]) -> list[int]:
    """Length and capital of every content word, as one number."""
    return [
        min(max(len(word), SHORT), LONG) - SHORT + (LONG - SHORT + 1) * word[0].isupper()
        for word in _WORD.findall(text)
        if word.lower() not in functions
    ]


def words_of(text: str) -> list[str]:
    """Words in lowercase."""
    return _WORD.findall(text.lower())


def _draw(key: bytes, purpose: bytes) -> float:
    """A number from 0 to 1 that belongs to a text."""
    return int.from_bytes(hashlib.blake2b(key, digest_size=4, key=purpose).digest(), "big") / 2**32


TRAINED_STYLE = "trained style"
BLIND = ("oracle", "style", TRAINED_STYLE, "length")
"""Scorers that content cannot move."""
COMPARED = ("style-only", "function-words", LENGTHS)
TOPIC = ("topic", "untrained topic")
BLUR = 1.5
"""Spread of the oracle's noise, where truth is 0 or 1."""
LETTERS = 6
"""Letters of a word from which on it counts as content."""


def shown(dose: float) -> str:
    """A dose as in a scorer's name, such as ``.3``."""
    return f"{dose:g}".removeprefix("0")


def blends(doses: Sequence[float]) -> list[str]:
    """Names of the blends, by dose, those with the trained scorer before those with the untrained one."""
    return [f"blend {shown(d)}{kind}" for d in doses for kind in ("", " untrained")]


def names(doses: Sequence[float], company: bool = False) -> list[str]:
    """Names of all scorers, in the order of tables; of ``company`` where it is asked."""
    return [
        *BLIND,
        *COMPARED,
        *TOPIC,
        *blends(doses),
        *(f"texts {shown(d)}" for d in doses),
        *HIDDEN,
        *(COMPANY if company else ()),
    ]


class Lengths:
    """Sees how often a text has words of each length, or ``shape`` (0 to ``LONGEST``), and nothing else: shares,
    standardised by those of a table's texts."""

    def __init__(self, texts: TextTable, shapes: Callable[[str], list[int]]) -> None:
        self._shapes, self._made = shapes, dict[bytes, Floats]()
        self._usual = _usual([self._shares(texts[row]) for row in _some(texts)])

    def score(self, problems: Problems) -> Floats:
        """Cosines, (n,), means over known texts."""
        used = problems.documents
        for key, row in ((problems.texts.hash(row), row) for row in used.tolist()):
            if key not in self._made:
                self._made[key] = _standard(self._shares(problems.texts[row]), self._usual)
        rows = np.stack([self._made[problems.texts.hash(row)] for row in used.tolist()])
        known, questioned = (
            np.searchsorted(used, side)
            for side in (problems.known_index, problems.questioned_index)
        )
        each = np.einsum("ij,ij->i", rows[known], rows[questioned[problems.owner]])
        return np.asarray(
            np.add.reduceat(each, problems.known_ptr[:-1]) / problems.sizes, dtype=np.float64
        )

    def _shares(self, text: str) -> Floats:
        return _shares(self._shapes(text))


def _sizes(words: list[str]) -> list[int]:
    return [min(len(word), LONGEST) for word in words]


class Scorers:
    """All scorers, fitted on one training set (without what is set apart to calibrate on, as a run does); answers, and
    scorers that hide content, are there with the adversaries of the world only."""

    def __init__(
        self,
        fold: Fold,
        untrained: Cosine,
        doses: Sequence[float],
        number: int,
        hidden: Adversaries | None = None,
        splicer: Splicer | None = None,
    ) -> None:
        self.number, self.doses, self.untrained, self.hidden = number, doses, untrained, hidden
        self.stays = None if splicer is None else FromWhatStays(splicer, fold.train)
        learn = (
            np.ones(len(fold.train), dtype=bool)
            if fold.train.calibrate is None
            else ~fold.train.calibrate
        )
        train, same = fold.train.select(learn), fold.train_same[learn]
        self.blend = Blend().fit(train, same)
        self.function = registry.parse("verifier", "function-words").fit(train, same)
        seen = untrained.score(train)
        self.mean, self.scale = float(seen.mean()), float(seen.std()) or 1.0
        self.calibrators: dict[str, Calibrator] = {}
        if hidden is not None:
            from sklearn.linear_model import LogisticRegression

            self.weights = LogisticRegression().fit(hidden.style.apart(train), same)
            left_out = fold.train if learn.all() else fold.train.select(~learn)
            truth = fold.train_same if learn.all() else fold.train_same[~learn]
            own = {name: self.blend.default_calibrator() for name in ("style-only", "topic")}
            for name, scores in self.of(left_out, fold.name, "held", truth).items():
                self.calibrators[name] = own.get(name, ScaledLogistic()).fit(scores, truth)

    def of_version(
        self, problems: Problems, fold: str, version: str, same: Bools
    ) -> dict[str, tuple[Floats, Floats]]:
        """Scores and answers of all scorers but ``texts D``, (n,) each; arguments as of ``of``."""
        assert self.hidden is not None
        scores = self.of(problems, fold, version, same)
        calibrated = {
            name: (each, self.calibrators[name].transform(each)) for name, each in scores.items()
        }
        style = self.blend.standardised(problems)[:, 0]
        return calibrated | self.hidden.published(problems, style, scores["untrained topic"])

    def of(self, problems: Problems, fold: str, version: str, same: Bools) -> dict[str, Floats]:
        """Scores of all scorers but ``texts D``, (n,) each; ``fold`` and ``version`` name the oracle's noise."""
        style_topic = self.blend.standardised(problems)
        cosine = (self.untrained.score(problems) - self.mean) / self.scale
        noise = stream(self.number, "study-oracle", fold, version).standard_normal(len(problems))
        sizes = np.diff(problems.texts.offsets)
        lead = problems.known_index[problems.known_ptr[:-1]]
        longer = np.log(1 + sizes[[lead, problems.questioned_index]])
        scores = {
            "oracle": same + BLUR * noise,
            "style-only": style_topic[:, 0],
            "length": -np.abs(longer[0] - longer[1]),
            "function-words": self.function.score(problems),
            "topic": style_topic[:, 1],
            "untrained topic": cosine,
        }
        style_cosine = np.stack([style_topic[:, 0], cosine], axis=1)
        for dose in self.doses:
            scores[f"blend {shown(dose)}"] = mixed(style_topic, dose)
            scores[f"blend {shown(dose)} untrained"] = mixed(style_cosine, dose)
        if self.hidden is not None:
            scores |= self.hidden.of(problems, style_topic[:, 0], cosine, same)
            if self.stays is not None:
                scores[STAYS] = self.stays.score(problems)
            scores[TRAINED_STYLE] = self.weights.decision_function(
                self.hidden.style.apart(problems)
            )
        return scores


def untrained() -> Cosine:
    """The cosine of long words."""
    return Cosine(re.compile(rf"\b[^\W\d_]{{{LETTERS},}}\b").findall)
