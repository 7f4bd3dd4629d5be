"""Divides documents into splits, trains a method and gets its answers, and reports the weights of its features.

In: for ``splits`` ``Chosen`` documents, a protocol (``novel-topic`` or ``k-fold``), folds and a seed; for ``fit_split``
and ``predict_split`` documents, a split and a method (for the latter fitted); for ``cues`` lengths of weights and
how much they change (``lengths``, ``moved``); for ``answer_problem`` an ``AttributionProblem``, a method, a lead in [0, 1).
Out: ``splits`` gives ``ProtocolSplit``s (rows from 0); ``fit_split`` a fitted copy; ``predict_split`` author codes (n,)
of held-out texts, −1 = no answer; ``cues`` two lists of ``Cue``s: length of a feature's weights, and the largest change
when a topic is left out, over that length (may exceed 1); ``answer_problem`` an author or ``<UNK>`` by text name.
SpecError for a bad protocol, fold or lead, CorpusError for too few authors, AnswerError for bad predictions. ``fewest``
gives author codes (n,), ``k_fold`` folds (n,) from 0.

Cues: the training sets of k-fold contain every topic, so the model of all documents is used instead. A weight that
changes when one topic is removed was learned from that topic; the others are topic-neutral as far as these topics
show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ravenbench.attribution.posterior import learned
from ravenbench.attribution.selection import Chosen
from ravenbench.errors import AnswerError, CorpusError, SpecError, did_you_mean
from ravenbench.randomness import stream
from ravenbench.reading.pan_attribution import UNKNOWN, AttributionProblem
from ravenbench.text.damage import is_wordless
from ravenbench.types import Bools, Floats, Ints

PROTOCOLS = ("novel-topic", "k-fold")


@dataclass(frozen=True, eq=False)
class ProtocolSplit:
    """``train`` rows to learn from and ``test`` rows to answer; ``unseen`` are authors with documents only in the test
    rows, so each of these documents must count as an error."""

    name: str
    train: Ints
    test: Ints
    unseen: tuple[str, ...]


def splits(
    documents: Chosen, protocol: str, folds: int = 10, seed: int = 0, equal_counts: bool = False
) -> list[ProtocolSplit]:
    """Return the splits of documents by a protocol; under novel-topic, ``equal_counts`` makes them ``equal``.

    SpecError if the protocol is unknown; CorpusError if a training set would have fewer than two authors.
    """
    if protocol == "novel-topic":
        topic_of_text = documents.topic
        names = documents.topics
    elif protocol == "k-fold":
        topic_of_text = k_fold(documents.author, folds, seed)
        names = tuple(f"fold {i + 1}" for i in range(folds))
    else:
        raise SpecError(f"unknown protocol {protocol!r}", fix=did_you_mean(protocol, PROTOCOLS))
    pairs = []
    for number, name in enumerate(names):
        held_out = topic_of_text == number
        if not held_out.any():
            continue
        train = np.flatnonzero(~held_out)
        test = np.flatnonzero(held_out)
        training_authors = np.unique(documents.author[train])
        if len(training_authors) < 2:
            raise CorpusError(
                f"without {name!r}, fewer than two authors are left to learn from",
                found=[documents.authors[author_code] for author_code in training_authors],
                fix="use more authors (--min-docs, --min-topics) or another level of --topic",
            )
        missing = np.setdiff1d(documents.author[test], training_authors)
        pairs.append(
            ProtocolSplit(
                name, train, test, tuple(documents.authors[author_code] for author_code in missing)
            )
        )
    return (
        equal(pairs, documents.author, seed)
        if equal_counts and protocol == "novel-topic"
        else pairs
    )


def equal(parts: Sequence[ProtocolSplit], author: Ints, seed: int) -> list[ProtocolSplit]:
    """Return splits with the same number of training texts of an author in each, drawn from the given splits.

    An author loses training texts when their topic is held out, so numbers of training texts reveal whose topic it is.
    Each author keeps as many texts in all splits as in the split with fewest (but at least one). Authors may still
    differ from each other: this says nothing about the held-out topic, and costs fewer texts than one number for all.
    """
    counts = np.array(
        [np.bincount(author[part.train], minlength=int(author.max()) + 1) for part in parts]
    )
    fewest_texts = np.where(counts > 0, counts, len(author)).min(axis=0)
    drawn_rows = []
    for number, part in enumerate(parts):
        drawn = stream(seed, "equal-counts", number).permutation(part.train)
        train = np.sort(
            np.concatenate(
                [
                    drawn[author[drawn] == author_code][: fewest_texts[author_code]]
                    for author_code in range(len(fewest_texts))
                ]
            )
        )
        drawn_rows.append(ProtocolSplit(part.name, train, part.test, part.unseen))
    return drawn_rows


def fewest(documents: Chosen, parts: Sequence[ProtocolSplit]) -> Ints:
    """Return the answers of a control that reads nothing: for every document (n,) the author with the fewest training texts
    (the first by name, if several)."""
    named: Ints = np.full(len(documents), -1, dtype=np.int64)
    for part in parts:
        counts = np.bincount(documents.author[part.train], minlength=len(documents.authors))
        named[part.test] = np.where(counts > 0, counts, len(documents) + 1).argmin()
    return named


def k_fold(author: Ints, folds: int, seed: int = 0) -> Ints:
    """Return the fold of each document, (n,) from 0: 1/k of each author's documents in every fold, the remainder in the last.

    An author with fewer documents than folds has one document in some folds (drawn), none in others: taken literally,
    the rule would put all of them into the last fold and leave nothing to learn from. SpecError if there are fewer
    than two folds.
    """
    if folds < 2:
        raise SpecError("k-fold needs at least two folds", found=folds)
    fold_of_text = np.empty(len(author), dtype=np.int64)
    for author_code in np.unique(author):
        rng = stream(seed, "k-fold", int(author_code))
        rows = rng.permutation(np.flatnonzero(author == author_code))
        share = len(rows) // folds
        if share:
            fold_of_text[rows] = np.minimum(np.arange(len(rows)) // share, folds - 1)
        else:
            fold_of_text[rows] = rng.permutation(folds)[: len(rows)]
    return fold_of_text


def fit_split(documents: Chosen, part: ProtocolSplit, method: Any) -> Any:
    """Return a fresh copy of a method, fitted on the training rows of a split."""
    from sklearn.base import clone

    texts = [documents.texts[i] for i in part.train]
    authors = [documents.authors[documents.author[i]] for i in part.train]
    if getattr(method, "reads_topics", False):
        return clone(method).fit(
            texts, authors, [documents.topics[documents.topic[i]] for i in part.train]
        )
    return clone(method).fit(texts, authors)


FEW_WORDS = 20


def nothing_seen(fitted: Any, texts: Sequence[str], taught: Sequence[str]) -> Bools:
    """Return a mask (n,) of texts in which a method has nothing to use, so that the name it gives is not an answer: they have
    no word, or no letter from its training; or few words, or mostly other letters, and the scores are those of an empty
    text.
    """
    letters = frozenset().union(*map(frozenset, taught))
    letter_set = frozenset(filter(str.isalpha, letters))
    bare = np.array(
        [is_wordless(text) or letter_set.isdisjoint(text) for text in texts], dtype=np.bool_
    )
    doubtful = [
        i
        for i, text in enumerate(texts)
        if not bare[i]
        and (
            len(text.split()) < FEW_WORDS
            or 2 * sum(character in letters for character in text) < len(text)
        )
    ]
    if doubtful and hasattr(fitted, "scores"):
        with suppress(Exception):  # a method of others may not read an empty text
            scores = np.asarray(
                fitted.scores([*(texts[i] for i in doubtful), ""]), dtype=np.float64
            )
            alike = np.isclose(scores[:-1], scores[-1], rtol=1e-9, atol=1e-12, equal_nan=True)
            bare[doubtful] = alike.all(axis=1)
    return bare


def predict_split(documents: Chosen, part: ProtocolSplit, fitted: Any) -> Ints:
    """Return author codes (n,) of a split's held-out documents, −1 if the method names no author of the corpus, or has
    nothing to use.

    AnswerError if the method does not answer every text once.
    """
    texts = [documents.texts[i] for i in part.test]
    predicted = fitted.predict(texts)
    if isinstance(predicted, np.ma.MaskedArray) or np.shape(predicted) != (len(part.test),):
        raise AnswerError(
            "the method returned unusable predictions",
            found=f"a {type(predicted).__name__} of shape {np.shape(predicted)}",
            expected=f"one author's name for each of {len(part.test)} texts",
            fix="return what predict of a scikit-learn classifier returns",
        )
    code = {name: number for number, name in enumerate(documents.authors)}
    named = np.array([code.get(str(name), -1) for name in predicted], dtype=np.int64)
    return np.where(
        nothing_seen(fitted, texts, [documents.texts[i] for i in part.train]), -1, named
    )


@dataclass(frozen=True)
class Cue:
    """A feature: length of its weight vector (over authors) when all documents are used, the largest change of that vector
    when one topic is held out (as a share of its length), and that topic."""

    feature: str
    weight: float
    change: float
    topic: str


def weights(documents: Chosen, train: Ints, method: Any) -> tuple[list[str], Floats]:
    """Return features and weights (features, authors of the corpus) of the method trained on these documents."""
    from sklearn.base import clone

    names = [documents.authors[documents.author[i]] for i in train]
    fitted = clone(method).fit([documents.texts[i] for i in train], names)
    features, coefficients = fitted.feature_weights()
    wide = np.zeros((len(features), len(documents.authors)))
    wide[:, np.searchsorted(np.asarray(documents.authors), fitted.classes_)] = coefficients
    return features, wide


def moved(
    documents: Chosen, train: Ints, method: Any, features: Sequence[str], base: Floats
) -> Floats:
    """Return how far the weights of these features differ from ``base`` after training on these documents, (features,)."""
    names, shift = weights(documents, train, method)
    index = {name: i for i, name in enumerate(features)}
    positions = np.array([index.get(name, -1) for name in names], dtype=np.int64)
    now = np.zeros_like(base)
    now[positions[positions >= 0]] = shift[positions >= 0]
    return lengths(now - base)


def lengths(rows: Floats) -> Floats:
    """Return the Euclidean length of each row, (n,) of (n, d)."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", rows, rows)))


def cues(
    features: Sequence[str],
    size: Floats,
    moves: Sequence[Floats],
    topics: Sequence[str],
    most: int = 20,
) -> tuple[list[Cue], list[Cue]]:
    """Return the heaviest features whose weights change most when a topic is held out, and those that change least.

    Both lists come from the 25 · ``most`` heaviest features.

    Parameters
    ----------
    size : (features,) float
        Lengths of weights when all documents are used.
    moves : sequence of (features,) float
        How far they change when each of ``topics`` is held out.
    most : int
        Length of the lists.
    """
    table = np.array(moves)
    heavy = sorted(range(len(features)), key=lambda i: (-size[i], features[i]))[: 25 * most]
    heavy = [i for i in heavy if size[i] > 0]
    most = min(most, len(heavy) // 2)
    share = table.max(axis=0) / np.where(size > 0, size, 1)
    topic = [topics[k] for k in table.argmax(axis=0)]
    ranked = sorted(heavy, key=lambda i: (-share[i], features[i]))
    cues_found = [Cue(features[i], float(size[i]), float(share[i]), topic[i]) for i in ranked]
    return cues_found[:most], cues_found[::-1][:most]


BEFOREHAND = 0.2
"""The prior probability, in an open set, that none of the candidates wrote a text."""


def answer_problem(problem: AttributionProblem, method: Any, reject: float = 0.0) -> dict[str, str]:
    """Return the predicted author of each unknown text, by its name; ``<UNK>`` if it is by none of the candidates.

    SpecError if the lead is not in [0, 1), or rejection is requested for a method without scores. With ``reject``, a text
    gets ``<UNK>`` if *none of them* is its most probable author (see ``attribution.posterior``), or the
    most probable author leads the second by less than ``reject``, which is .1 in PAN19's baseline. 0 answers every text, as
    closed sets need, except texts in which a method has nothing to use (``nothing_seen``).
    """
    from sklearn.base import clone

    if not 0 <= reject < 1:
        raise SpecError("the lead for rejection must be in [0, 1)", found=reject)
    if reject and not hasattr(method, "scores"):
        raise SpecError(
            f"{method} gives no scores, so it cannot reject",
            fix="give --reject 0, or another method",
        )
    texts, authors = training(problem.candidates)
    fitted = clone(method).fit(texts, authors)
    names = list(problem.unknown)
    unknown = list(problem.unknown.values())
    bare = nothing_seen(fitted, unknown, texts)
    if not reject:
        predicted = fitted.predict(unknown)
        return {
            n: UNKNOWN if blind else str(answer)
            for n, answer, blind in zip(names, predicted, bare, strict=True)
        }
    scores = np.asarray(fitted.scores(unknown), dtype=np.float64)
    named = np.where(bare, -1, learned(method, texts, authors, BEFOREHAND).named(scores, reject))
    best = [*map(str, fitted.classes_), UNKNOWN]
    return {name: best[i] for name, i in zip(names, named.tolist(), strict=True)}


def training(candidates: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Return the known texts of a problem and their authors, candidates in order of name."""
    pairs = [(text, author) for author in sorted(candidates) for text in candidates[author]]
    return [text for text, _ in pairs], [author for _, author in pairs]
