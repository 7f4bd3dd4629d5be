"""raven-2026: its features on hand-made cases, and the verifier on small collections."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.references.minmax import reference
from tests.references.s_norm import nearest, s_norm, z_score

from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.shelf.raven.families import Chunked, Delta, MinMax
from ravenbench.ext.shelf.raven.raven_2026 import (
    Cases,
    Extractor,
    Layout,
    Raven2026,
    Ridge,
    feature_names,
    s_norms,
)
from ravenbench.ext.shelf.raven.whitened import Whitened, WhitenedBatch, within
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.text.grams import Grams
from ravenbench.text.views import Views, chunks
from ravenbench.types import Problems

GREEK = ["αλ", "φα", "βή", "τα", "γάμ", "μα", "δέλ", "ψι"]


@given(st.text(alphabet="ab c", max_size=80), st.integers(1, 30))
def test_chunks_keep_every_word_character(text: str, length: int) -> None:
    text = " ".join(text.split())
    parts = chunks(text, length)
    assert len(parts) == max(1, round(len(text) / length))
    assert "".join(parts).replace(" ", "") == text.replace(" ", "")


def test_views_see_syntax_marks_and_shape() -> None:
    views = Views(kept=1).fit(["the the the cat, Dog 12."])
    read = views.read(["The cat; the 7!"])
    the = read["token"][0][0]
    assert views.kept_ == ["the"]
    assert read["mask"][0].startswith(the + "*") and read["mask"][0][3:5] == the + "#"
    assert read["marks"] == [";!"]
    assert read["shape"] == ["Cc;c0!"]
    assert read["char"] == ["the cat; the 7!"]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.text(alphabet="abcβ", max_size=30), min_size=1, max_size=4), st.integers(1, 4))
def test_grams_are_relative_frequencies_of_the_most_frequent(texts: list[str], n: int) -> None:
    counts = [Counter(text[i : i + n] for i in range(len(text) - n + 1)) for text in texts]
    total = sum(counts, Counter())
    grams = Grams(n, 5).fit(texts)
    assert grams.names_ == sorted(total, key=lambda g: (-total[g], g))[:5]
    expected = [[c[name] / max(c.total(), 1) for name in grams.names_] for c in counts]
    assert np.allclose(grams.dense(texts), np.reshape(expected, (len(texts), len(grams.names_))))


def test_z_scores_take_the_nearest_impostors() -> None:
    similarities = np.arange(80.0)
    assert nearest(similarities).tolist() == list(range(60, 80))
    assert nearest(np.arange(12.0)).tolist() == list(range(2, 12))
    assert z_score(70.0, similarities) == pytest.approx((70 - 69.5) / np.arange(60, 80).std())
    assert z_score(5.0, np.full(9, 2.0)) == 0.0


def test_s_norm_averages_both_sides() -> None:
    known, questioned = np.array([[0.0, 2.0], [2.0, 4.0]]), np.array([0.0, 4.0])
    # Known side: means 1 and 3, so (3 − 2) / 1; questioned side: (3 − 2) / 2.
    assert s_norm(np.array([2.0, 4.0]), known, questioned) == pytest.approx((1 + 0.5) / 2)


def test_similarities_are_means_over_chunks() -> None:
    texts = ["abab", "abba", "bbbb", "aabb"]
    documents, impostors = (
        Chunked({"char": texts}, np.array([0, 2, 3, 4])),
        Chunked({"char": texts}, np.array([0, 1, 4])),
    )
    links = np.array([[2, 0], [1, 2]])
    minmax = MinMax("char", 1, 10).fit(texts)
    rows = minmax.grams_.dense(texts)
    everything = np.ones(rows.shape[1], dtype=bool)
    all_pairs = np.array([[reference(x, y, everything) for y in rows] for x in rows])
    each, linked = minmax.between(documents, impostors, links)
    assert np.allclose(
        each,
        [
            [all_pairs[:2, 0].mean(), all_pairs[:2, 1:].mean()],
            [all_pairs[2, 0], all_pairs[2, 1:].mean()],
            [all_pairs[3, 0], all_pairs[3, 1:].mean()],
        ],
    )
    assert np.allclose(linked, [all_pairs[3, :2].mean(), all_pairs[2, 3]])
    delta = Delta("char", 1, 10).fit(texts)
    scores = delta.standard(texts)
    length = np.linalg.norm(scores, axis=1)
    cosines = (
        scores @ scores.T / np.where(np.outer(length, length) > 0, np.outer(length, length), 1)
    )
    each, linked = delta.between(documents, impostors, links)
    assert each[0, 1] == pytest.approx(cosines[:2, 1:].mean())
    assert linked[0] == pytest.approx(cosines[3, :2].mean())


def test_scatter_within_authors() -> None:
    rows = np.array([[0.0], [2.0], [5.0]])
    own, freedom = within(rows, np.array([7, 7, 9]))
    assert freedom == 1
    assert (own**2).mean() == pytest.approx(np.var([0.0, 2.0], ddof=1))


def test_whitening_makes_the_impostors_covariance_the_identity() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0.2], [0, 0, 3]])
    family = Whitened("char", 1, 3)
    family.shrinkage_ = 0.0
    white = family.whiten(rows, rows, np.arange(500))
    assert np.allclose(white.T @ white / 500, np.eye(3), atol=1e-4)


@pytest.mark.parametrize("width", [4, 60])
def test_leaving_authors_out_is_exact_whether_at_once_or_one_by_one(width: int) -> None:
    rng = np.random.default_rng(3)
    pieces = [len(part) for part in np.array_split(np.arange(110), 60)]
    pieces[:4] = [3, 1, 2, 1]
    author = np.sort(rng.integers(0, 25, 60))
    habits = rng.dirichlet(np.ones(width), 25)

    def written(who: int, chunks: int) -> list[str]:
        return [
            "".join(map(chr, 0x4E00 + rng.choice(width, 120, p=habits[who]))) for _ in range(chunks)
        ]

    impostor = [written(who, n) for who, n in zip(author.tolist(), pieces, strict=True)]
    impostor[7] = [""] * pieces[7]
    strangers = [written(int(rng.integers(25)), int(rng.integers(1, 3))) for _ in range(20)]

    def chunked(documents: list[list[str]]) -> Chunked:
        bounds = np.cumsum([0, *map(len, documents)])
        return Chunked({"char": [part for parts in documents for part in parts]}, bounds)

    impostors, documents = chunked(impostor), chunked([*impostor, *strangers])
    family = Whitened("char", 1, width).fit(impostors.views["char"], np.repeat(author, pieces))
    known = [rng.choice(80, rng.integers(1, 4), replace=False) for _ in range(40)]
    asked = rng.integers(0, 80, 40)
    allowed = np.ones((40, 60), dtype=bool)
    for i in range(36):  # The last four leave nobody out.
        own = author[[r for r in (*known[i], asked[i]) if r < 60]]
        allowed[i] = ~np.isin(author, [*own, rng.integers(25)])
    allowed[0] = author == author[0]  # One that keeps a single author, far from all others.
    cases = Cases(known, asked, allowed, np.where(np.arange(80) < 60, np.arange(80), -1))
    some = np.arange(36)
    layouts = [
        (part, Layout.of(cases.take(part), documents, impostors)) for part in (some[:20], some[20:])
    ]
    batch = WhitenedBatch(family, documents, impostors, author)
    linked, mean, side = batch.between(cases, layouts)
    for i in range(40):
        pair, each = batch.alone(known[i], int(asked[i]), allowed[i])
        assert linked[i] == pytest.approx(pair.mean(), abs=1e-9)
        assert np.allclose(mean[i, allowed[i]], each[:-1].mean(axis=0), rtol=0, atol=1e-9)
        assert np.allclose(side[i, allowed[i]], each[-1], rtol=0, atol=1e-9)


def test_batches_cover_all_problems_and_bound_the_rows() -> None:
    known = [np.array([2 * i]) for i in range(30)]
    asked = np.arange(1, 60, 2)
    cases = Cases(known, asked, np.ones((30, 1), dtype=bool), np.full(60, -1))
    found = list(cases.batches(np.arange(30), np.arange(61) * 100))
    assert np.concatenate(found).tolist() == list(range(30))
    assert max(map(len, found)) == 3  # 700 chunks, 200 a problem.


def test_many_problems_are_normalised_as_one() -> None:
    rng = np.random.default_rng(1)
    allowed = rng.random((9, 70)) < 0.8
    allowed[0], allowed[1] = np.arange(70) < 6, np.arange(70) == 3
    known, asked, linked = rng.random((9, 70)), rng.random((9, 70)), rng.random(9)
    expected = [
        s_norm(x[None], k[None, a], q[a])
        for x, k, q, a in zip(linked, known, asked, allowed, strict=True)
    ]
    assert np.allclose(s_norms(linked, known, asked, allowed), expected, rtol=1e-12)


def test_one_odd_feature_is_clipped() -> None:
    rng = np.random.default_rng(0)
    same = np.arange(40) % 2 == 0
    ridge = Ridge(0.05).fit(rng.normal(size=(40, 2)) + same[:, None], same)
    assert np.array_equal(
        ridge.answers(np.array([[1e9, 0.0]])), ridge.answers(np.array([[1e12, 0.0]]))
    )


@pytest.mark.parametrize("known", [1, 3])
def test_keeps_the_contract(known: int) -> None:
    check_verifier(Raven2026(), known=known, problems=toy_problems(12, known, words=40))


def test_separates_toy_authors_in_greek() -> None:
    train, same = toy_problems(40, 2, words=100, alphabet=GREEK)
    test, truth = toy_problems(40, 2, words=100, seed=5, alphabet=GREEK)
    answers = Raven2026().fit(train, same).verify(test.blind())
    assert answers[truth].mean() - answers[~truth].mean() > 0.25


def test_what_cannot_be_told_is_left_unanswered() -> None:
    train, same = toy_problems(12, 1, words=60)
    verifier = Raven2026().fit(train, same)
    asked = Problems.of(
        [
            ("empty", [train.texts[0]], " \n"),
            ("nothing-known", ["", "  "], train.texts[0]),
            ("one-empty", ["", train.texts[0]], train.texts[1]),
            ("one-of-it", [train.texts[0]], train.texts[1]),
            ("word", ["een"], "woord"),
            ("script", [train.texts[0]], "Ένα κείμενο σε άλλη γραφή."),
            ("repeated", [train.texts[0], train.texts[0].replace(" ", "  ")], train.texts[1]),
        ]
    )
    answers = verifier.verify(asked)
    assert answers[:2].tolist() == [0.5, 0.5]
    assert answers[2] == answers[3] == answers[6]
    assert np.isfinite(answers).all()


def test_features_of_a_problem_do_not_see_its_own_authors() -> None:
    train, same = toy_problems(12, 1, words=60)
    extractor = Extractor().fit(train, same)
    first = train.select([0])
    texts = extractor.background_.texts_
    rows = extractor.background_.allowed(
        [" ".join(t.split()) for t in train.texts.rows(first.documents)]
    )
    assert len(texts) - len(rows) == len(first.documents)
    features, able = extractor.measure(first)
    assert able.all() and features.shape == (1, len(feature_names()))
    others = Extractor().fit(train, same)
    own = {texts.index(" ".join(t.split())) for t in train.texts.rows(first.documents)}
    for i in own:
        others.background_.texts_[i] = "quite another text instead, of no consequence"
        others.background_.cluster_[others.background_.texts_[i]] = -1
    assert np.allclose(others.measure(first)[0], features)


def test_length_counts_only_where_asked_for() -> None:
    train, same = toy_problems(12, 1, words=60)
    extractor = Extractor().fit(train, same)
    features, able = extractor.measure(train)
    longer = features.copy()
    longer[:, -1] += np.where(same, 0.0, 5.0)
    plain = [Raven2026().learn(train, same, f, able).answer(f, able) for f in (features, longer)]
    assert np.array_equal(*plain)
    told = Raven2026(length=True).learn(train, same, longer, able)
    assert told.features_[-1] == "length" and told.ridge_.coef_[-1] < 0


def test_bad_training_data_is_one_clear_error() -> None:
    train, same = toy_problems(10, 1, words=30)
    with pytest.raises(CorpusError, match="one class"):
        Raven2026().fit(train, np.ones_like(same))
    with pytest.raises(SpecError, match="out of range"):
        Raven2026(C=0.0).fit(train, same)
    with pytest.raises(CorpusError, match="impostors"):
        one = Problems.of([("a", ["x y", "z w"], "v u"), ("b", ["x y"], "v u")])
        Raven2026().fit(one, np.array([True, False]))
