"""Methods as stylometric packages run them: n-gram tracing, General Impostors and Cosine Delta."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from tests.references.minmax import reference

from ravenbench import registry
from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.shelf.published.cosine_delta import CosineDelta
from ravenbench.ext.shelf.published.impostors import GeneralImpostors, _Arena
from ravenbench.ext.shelf.published.ngram_tracing import Coefficient, NgramTracing
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.text.minmax import Vectors, norms
from ravenbench.types import Problems
from small_run import few

TRAIN, SAME = toy_problems(20, known=2, words=60, seed=8)


@pytest.mark.parametrize(
    "spec",
    [
        "ngram-tracing",
        "ngram-tracing(n=2, unit='word', coefficient='phi')",
        "general-impostors(size=500, iterations=20)",
        "general-impostors(known='nearest', draw='half', size=500, iterations=20, measure='cosine')",
        "cosine-delta",
    ],
)
@pytest.mark.parametrize("known", [1, 2])
def test_they_keep_the_contract(spec, known):
    check_verifier(registry.parse("verifier", spec), known=known, problems=few(known))


def test_coefficients_of_n_gram_tracing():
    pair = Problems.of([("p", ["abcd. xyz", "ABC"], "abcz! abcq")])
    # Questioned: abc bcz cz! bcq; known: abc bcd cd. xyz; both: abc.
    both, q, k = 1, 4, 4
    train = Problems.of([("t", ["abcd"], "mnop")])
    everything = {"abc", "bcd", "mno", "nop", "bcz", "cz!", "bcq", "cd.", "xyz"}
    neither = len(everything) - (q + k - both)
    expected = {
        "simpson": both / q,
        "overlap": both / min(q, k),
        "jaccard": both / (q + k - both),
        "kulczynski": (both / q + both / k) / 2,
        "phi": (both * neither - 9) / math.sqrt(q * k * (3 + neither) ** 2),
        "cole": (both * neither - 9) / (q * (3 + neither)),
    }
    for coefficient in get_args(Coefficient):
        method = NgramTracing(n=3, coefficient=coefficient).fit(train, np.array([False]))
        assert method.score(pair)[0] == pytest.approx(expected[coefficient])
    words = NgramTracing(n=2, unit="word").fit(train, np.array([False]))
    assert words.grams(["One two. One, two"]) == {"one two", "two .", "one ,", ", two"}


def test_texts_shorter_than_an_n_gram_are_unanswered():
    problems = Problems.of(
        [("short", ["a long enough text"], "a b. c"), ("empty", [" "], "a long enough text")]
    )
    scores = NgramTracing().fit(TRAIN, SAME).score(problems)
    assert np.isnan(scores).all()
    no_words = Problems.of([("marks", ["?!"], "a text"), ("fine", ["a text"], "a text")])
    scores = CosineDelta().fit(TRAIN, SAME).score(no_words)
    assert np.isnan(scores[0]) and np.isfinite(scores[1])


def test_cosine_delta_is_the_cosine_of_z_scores():
    method = CosineDelta(words=5, marks=0).fit(TRAIN, SAME)
    profiles = method.profiles_.transform(TRAIN.texts, np.arange(len(TRAIN.texts)))

    def cosine(a, b):
        return profiles[a] @ profiles[b] / np.linalg.norm(profiles[a]) / np.linalg.norm(profiles[b])

    expected = [
        np.mean([cosine(k, TRAIN.questioned_index[i]) for k in TRAIN.known(i)])
        for i in range(len(TRAIN))
    ]
    np.testing.assert_allclose(method.score(TRAIN), expected)


def dense_rows(rng, rows=23, features=120):
    found = np.where(rng.random((rows, features)) < 0.5, rng.random((rows, features)), 0.0)
    found[0] = 0.9 * found[0] + 0.1 * found[1]
    return found


def peer_draws(seed, features, impostors, iterations, draw):
    rng = np.random.default_rng(seed)
    masks = np.zeros((features, iterations), dtype=np.float32)
    draws = np.empty((iterations, draw), dtype=np.int64)
    for t in range(iterations):
        masks[rng.choice(features, size=features // 2, replace=False), t] = 1
        draws[t] = rng.choice(impostors, size=draw, replace=False)
    return masks, draws


@pytest.mark.parametrize("measure", ["minmax", "cosine"])
@pytest.mark.parametrize("known", ["centroid", "nearest"])
def test_general_impostors_equal_their_definition_and_bitig(measure, known):
    dense = dense_rows(np.random.default_rng(1))
    masks, draws = peer_draws(7, 120, 20, 40, 5)
    arena = object.__new__(_Arena)
    arena.measure, arena.masks = measure, masks
    arena.chosen = GeneralImpostors(known=known, measure=measure).settings()
    arena.own, arena.others = Vectors.of(dense[:3]), Vectors.of(dense[3:])
    arena.own_norms, arena.others_norms = (
        norms(side, masks, measure) for side in (arena.own, arena.others)
    )
    arena.row = {0: 0, 1: 1, 2: 2}
    found = arena.contest(np.array([1, 2]), 0, np.arange(20), draws)
    won = 0
    for t in range(40):
        subset = masks[:, t] > 0
        side = dense[1:3].mean(axis=0, keepdims=True) if known == "centroid" else dense[1:3]
        nearest = max(reference(dense[0], one, subset, measure) for one in side)
        won += nearest > max(reference(dense[0], dense[3 + j], subset, measure) for j in draws[t])
    assert found == won / 40 and 0 < found < 1
    forensic = pytest.importorskip(
        "bitig.forensic", reason="the peer package bitig is not installed"
    )
    from bitig.features import FeatureMatrix

    def matrix(rows):
        return FeatureMatrix(
            rows, [str(i) for i in range(len(rows))], [str(i) for i in range(120)], "x"
        )

    peer = forensic.GeneralImpostors(
        n_iterations=40, impostor_sample_size=5, similarity=measure, aggregate=known, seed=7
    ).verify(questioned=matrix(dense[:1]), known=matrix(dense[1:3]), impostors=matrix(dense[3:]))
    assert found == peer.values["score"]


def test_general_impostors_need_others():
    one = Problems.of([("p", ["A text. " * 5], "Another text. " * 5)])
    with pytest.raises(CorpusError, match="no impostors"):
        GeneralImpostors().fit(one, np.array([True]))
    two = Problems.of([("p", ["A text. " * 5], "Another text. " * 5)])
    assert np.isnan(GeneralImpostors().fit(two, np.array([False])).score(two)).all()


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (NgramTracing, {"n": 0}),
        (NgramTracing, {"unit": "letter"}),
        (GeneralImpostors, {"draw": "all"}),
        (GeneralImpostors, {"share": 0.0}),
        (CosineDelta, {"words": 1}),
    ],
)
def test_parameters_out_of_range(kind, wrong):
    with pytest.raises(SpecError, match=r"out of range|must be"):
        kind(**wrong).fit(TRAIN, SAME)
