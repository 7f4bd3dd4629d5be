"""Historical verifiers by hand-computed cases and against the contract."""

from __future__ import annotations

import zlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench import registry
from ravenbench.errors import CorpusError, MissingPart, SpecError
from ravenbench.ext.shelf.published import glad_2015 as glad
from ravenbench.ext.shelf.published import halvani_2014 as halvani
from ravenbench.ext.shelf.published import harvey_2014 as harvey
from ravenbench.ext.shelf.published import layton_2014 as layton
from ravenbench.ext.shelf.published import moreau_2014 as moreau
from ravenbench.ext.shelf.published import one_class, unmasking
from ravenbench.ext.shelf.published import spatium_2015 as spatium
from ravenbench.ext.shelf.published import unmasking as curves
from ravenbench.ext.shelf.published.moreau_2014 import evolve, stalled
from ravenbench.ext.shelf.published.unmasking import folds_of, solve, unmask
from ravenbench.ext.shelf.published.vartapetiance_2014 import patterns
from ravenbench.testing import check_verifier, toy_problems
from small_run import few

SHELF = [
    "spatium-2015",
    "glad-2015",
    "unmasking(runs=1)",
    "unmasking(form='2007', words=20)",
    "layton-2014(lengths=(2, 4), sizes=(50, 200))",
    "halvani-2014",
    "vartapetiance-2014",
    "moreau-2014(population=8, generations=2)",
]


@pytest.mark.parametrize("known", [1, 3])
@pytest.mark.parametrize("spec", SHELF)
def test_contract(spec, known):
    check_verifier(registry.parse("verifier", spec), known=known, problems=few(known))


def test_spatium_leaves_out_ties_at_the_cut():
    counts = Counter("aaabbbccd")
    assert spatium.frequent_untied(counts, 3) == ["a", "b", "c"]
    assert spatium.frequent_untied(counts, 1) == []
    assert spatium.frequent_untied(counts, 9) == ["a", "b", "c", "d"]
    assert spatium.frequencies(counts, ["c", "x"]).tolist() == pytest.approx([2000 / 9, 0])


def test_spatium_ratio_and_answers_by_hand():
    assert spatium.ratio(100, 150) == 1.5
    assert spatium.ratio(100, 102) == 1 == spatium.ratio(0, 0)
    assert spatium.ratio(0, 50) == 50
    found = spatium.answers(np.array([0.5, 0.98, 1.0, 1.5, 9.0, np.nan]), 2.0)
    assert found.tolist() == pytest.approx([0.25, 0.5, 0.5, 0.5 + 0.25 / 1.05, 1, 0.5])


def test_glad_compression_ratio_by_hand():
    x, y = "abcd" * 50, "dcba" * 25
    rate = {text: len(zlib.compress(text.encode())) / len(text) for text in (x, y, x + y)}
    found = glad.compression_ratio(glad.reading(x), glad.reading(y))
    assert found == pytest.approx((rate[x] + rate[y]) / rate[x + y])


def test_glad_features_by_hand():
    row = dict(
        zip(
            glad.FEATURES,
            glad.pair_features(glad.reading("aab. B!"), glad.reading("aab. B!")),
            strict=True,
        )
    )
    assert len(row) == 24
    # Seven characters: a twice, b, ".", " ", "B", "!" once each.
    assert row["known entropy"] == pytest.approx(
        -(2 / 7) * np.log2(2 / 7) - (5 / 7) * np.log2(1 / 7)
    )
    assert row["joint entropy"] == row["known entropy"]
    assert row["known sentence length"] == 1
    assert (
        row["dissimilarity 3"] == 0 and row["overlap 1"] == 6 / 100 and row["overlap 5"] == 3 / 500
    )
    assert (
        row["token cosine"] == pytest.approx(1)
        and row["case difference"] == row["block difference"] == 0
    )
    other = dict(
        zip(
            glad.FEATURES,
            glad.pair_features(glad.reading("aab."), glad.reading("xyz?")),
            strict=True,
        )
    )
    assert (
        other["dissimilarity 1"] == 4 * (3 + 4)
        and other["overlap 1"] == other["punctuation cosine"] == 0
    )


def _svm(chunks, side):
    from sklearn.svm import LinearSVC

    return LinearSVC(
        loss="hinge", C=1.0, dual=True, tol=1e-6, max_iter=100_000, random_state=0
    ).fit(chunks, side)


def test_unmasking_svm_equals_scikit_learn():
    rng = np.random.default_rng(0)
    chunks, side = rng.normal(size=(30, 12)), np.repeat([1.0, -1.0], 15)
    chunks[:15] += 0.4
    train = np.arange(30) % 5 != 0
    alpha, margin = np.empty(30), np.empty(30)
    solve(chunks @ chunks.T + 1, side, train, 1.0, alpha, margin)
    model = _svm(chunks[train], side[train])
    assert margin == pytest.approx(model.decision_function(chunks), abs=0.02)
    assert (alpha * side) @ chunks == pytest.approx(model.coef_[0], abs=0.02)
    assert not alpha[~train].any() and alpha.max() <= 1


def test_unmasking_curve_equals_a_plain_loop():
    rng = np.random.default_rng(1)
    chunks, side = rng.normal(size=(24, 20)), np.repeat([1.0, -1.0], 12)
    chunks[:12, :6] += 1.5
    fold, left, expected = folds_of(12, 12, 4), np.arange(20), []
    for _ in range(5):
        models = [_svm(chunks[fold != f][:, left], side[fold != f]) for f in range(4)]
        right = [
            np.mean(m.predict(chunks[fold == f][:, left]) == side[fold == f])
            for f, m in enumerate(models)
        ]
        expected.append(np.mean(right))
        order = np.argsort(np.mean([m.coef_[0] for m in models], axis=0))
        left = left[order[2:-2]]
    found = unmask(chunks.copy(), side, fold, 1.0, 7, 2)
    assert found[:5] == pytest.approx(expected, abs=1 / 24)
    assert expected[0] > 0.7 > expected[4] and found[5:].tolist() == [0.5, 0.5]


def test_unmasking_curves_by_hand():
    assert curves.points(np.array([1.0, 0.75, 0.4])).tolist() == [1, 0.5, 0]
    found = curves.meta_features(np.array([[1.0, 0.5, 0.75, 0.25]]))
    assert found[0].tolist() == [
        1,
        0.5,
        0.75,
        0.25,
        0.5,
        -0.25,
        0.5,
        0.25,
        0.25,
        0.5,
        0.5,
        -0.25,
        0.25,
        0.25,
    ]
    form = curves.Form("consecutive", words=2, chunks=0, features=9, drop=1, rounds=3, runs=1)
    text = np.array([0, 1, 1, 1, 2], dtype=np.int64)
    chunks = curves.cut(text, 2, form, np.random.default_rng(0))
    assert chunks == pytest.approx(np.array([[1 / 3, 2 / 3], [0, 0.5]]))


def test_unmasking_tells_words_of_one_side_apart():
    one, other = ["a", "b", "c", "d"] * 30, ["e", "f", "g", "h"] * 30
    form = curves.Form("consecutive", words=10, chunks=0, features=8, drop=1, rounds=6, runs=1)
    rng = np.random.default_rng(0)
    assert curves.curve(one, other, form, rng).tolist() == [1, 1, 1, 1, 0.5, 0.5]
    assert np.isnan(curves.curve(one, other[:12], form, rng)).all()


def test_unmasking_names_texts_that_are_too_short():
    train, same = toy_problems(8)
    with pytest.raises(CorpusError, match="short texts"):
        registry.parse("verifier", "unmasking(form='2007')").fit(train, same)


def test_pieces_are_equal_and_complete():
    assert one_class.cut("abcdefg", 3) == ["ab", "cd", "efg"]
    assert one_class.cut("ab", 3) == ["a", "b"] and one_class.cut("", 3) == []
    assert one_class.known_and_questioned(["abcd"], "abcd", "xyzxyz", 2) == (
        ["ab", "cd"],
        ["xy", "zx", "yz"],
    )
    assert one_class.known_and_questioned(["ab", "", "cd"], "ab  cd", "x", 2) == (
        ["ab", "cd"],
        ["x"],
    )
    assert one_class.known_and_questioned(["a"], "a", "x", 2) == ([], [])


def test_layton_distances_by_hand():
    language = layton.LanguageProfile(1).fit(["aabc"])
    assert dict(zip(language.names_, language.frequency_, strict=True)) == {
        "a": 0.5,
        "b": 0.25,
        "c": 0.25,
    }
    ((counts, default),) = layton.tables([["aaab", "abdd"]], language, 3)
    assert counts.tolist() == [[3, 1, 0, 0], [1, 1, 0, 2]] and default.tolist() == [
        0.5,
        0.25,
        0.25,
        0,
    ]
    scap, cng, rlp = layton.distances(counts[:1], counts[1:], default, [2])[:, 0]
    # The most frequent two: {a, b} and {d, a}.
    assert scap == 0.5
    assert cng == pytest.approx(4 + 4 + ((0.75 - 0.25) / 0.5) ** 2)
    # Relative to the language: (.25, 0, −.25, 0) and (−.25, 0, −.25, .5); the largest two are {a, c} and {a, d}.
    p, q = np.array([0.25, -0.25, 0.0]), np.array([-0.25, -0.25, 0.5])
    assert rlp == pytest.approx(1 - p @ q / np.sqrt((p @ p) * (q @ q)))


def test_layton_cng_is_the_kernel():
    from tests.references.cng import reference

    one, other = "the cat sat on the mat and sat", "a dog and a cat sat there then"
    ((counts, default),) = layton.tables([[one, other]], layton.LanguageProfile(3).fit([one]), 10)
    found = layton.distances(counts[:1], counts[1:], default, [5, 10])[2:4, 0]
    grams = [[text[i : i + 3] for i in range(len(text) - 2)] for text in (one, other)]
    assert found == pytest.approx([reference(*grams, size) for size in (5, 10)])


def test_halvani_ratio_by_hand():
    chunks = [Counter("aaab"), Counter("aabb"), Counter("abbb")]
    # Nearest siblings are ½ away; the questioned text is 0 from the first, ½ from the second, 1 from the third.
    assert halvani.ratio(chunks, Counter("aaab")) == pytest.approx(0.25 / 0.5)
    assert np.isnan(halvani.ratio(chunks, Counter()))
    found = [
        halvani.majority(np.array(one))
        for one in ([0.9, 0.7, 0.1], [0.9, 0.1, 0.5], [0.2, 0.5, 0.4])
    ]
    assert found == pytest.approx([0.8, 0.5, 0.3])


def test_halvani_families():
    found = {name: family("Re-do, we!") for name, family in halvani.FAMILIES.items()}
    assert found["punctuation"] == {"-": 1, ",": 1, "!": 1} and found["letters"].total() == 6
    assert halvani.FAMILIES["prefixes"]("Hello to") == {"hel": 1} and halvani.FAMILIES["suffixes"](
        "Hello"
    ) == {"llo": 1}


def test_vartapetiance_patterns_by_hand():
    found = patterns(["the", "of", "x", "of", "the", "of"], ["the", "of"], 3)
    # the→of: gaps 1, 3, 1; of→of: 2, 2 (and 4, too far); of→the: 3, 1; the→the: 4, too far.
    assert found[0] == pytest.approx([0, 3 / 6, 2 / 6, 2 / 6])
    assert found[1] == pytest.approx([0, 5 / 3, 2, 2])
    assert found[2] == pytest.approx([0, 11 / 3 - 25 / 9, 1, 0])


def test_vartapetiance_answers_are_binary():
    train, same = toy_problems(10)
    verifier = registry.parse("verifier", "vartapetiance-2014").fit(train, same)
    assert set(verifier.verify(train)) <= {0.0, 0.5, 1.0}


@pytest.mark.data
@pytest.mark.parametrize("known", [1, 3])
def test_harvey_contract(nltk_home, need_extra, known):
    need_extra("nltk")
    check_verifier(
        registry.parse("verifier", "harvey-2014(chunk=50)"), known=known, problems=few(known)
    )


@pytest.mark.data
def test_harvey_tags_become_one_symbol_a_token(nltk_home, need_extra):
    need_extra("nltk")
    found = harvey.tag_symbols("The cat sat on the mat.")
    assert (
        len(found) == 7 and found[0] == found[4] and found[1] == found[5] and len(set(found)) == 5
    )
    assert harvey.tag_symbols(" ") == ""


def test_harvey_t_by_hand():
    # Means 2 and 4; squared deviations 2 and 2 over 2 degrees of freedom: variance 2, t = 2 / √(2 · (½ + ½)).
    assert harvey.t_value(np.array([1.0, 3]), np.array([3.0, 5])) == pytest.approx(np.sqrt(2))
    assert harvey.t_value(np.array([1.0, 1]), np.array([2.0])) == 10
    assert np.isnan(harvey.t_value(np.array([1.0]), np.array([2.0])))


def test_harvey_scores_by_its_definition(monkeypatch):
    from tests.references.ppm import of_the_kernel as cross_entropy

    from ravenbench.types import Problems

    monkeypatch.setattr(harvey, "tag_symbols", lambda text: text)
    monkeypatch.setattr(harvey.Harvey2014, "require", lambda self: None)
    texts = ["abcabcabdabc", "abcabdabcabc"]
    scorer = harvey.Harvey2014(chunk=6).fit(Problems.of([]), np.zeros(0, bool))
    found = scorer.score(Problems.of([("one", texts[:1], texts[1]), ("none", ["a"], "b")]))
    h = lambda model, text: cross_entropy(model, text, 5, "C")  # noqa: E731
    known = np.array([h("abdabc", "abcabc"), h("abcabc", "abdabc")])
    questioned = np.array([h(texts[0], "abcabd"), h(texts[0], "abcabc")])
    assert found[0] == pytest.approx(-harvey.t_value(known, questioned)) and np.isnan(found[1])


def test_harvey_names_the_missing_tagger(monkeypatch, tmp_path, need_extra):
    need_extra("nltk")
    monkeypatch.setenv("NLTK_DATA", str(tmp_path))
    monkeypatch.setattr("nltk.data.path", [])
    train, same = toy_problems(8)
    with pytest.raises(MissingPart, match=r"nltk\.downloader averaged_perceptron_tagger_eng"):
        registry.parse("verifier", "harvey-2014").fit(train, same)


def test_moreau_means_and_levels_by_hand():
    found = moreau.means(np.array([[0.2], [0.4], [0.9]]))[:, 0]
    assert found == pytest.approx([0.4, 0.5, 0.072 ** (1 / 3), 3 / (5 + 2.5 + 1 / 0.9)])
    assert moreau.levels("The cat. The dog!") == [3 / 4, 3, 2] and moreau.levels("") == [0, 0, 0]


def test_moreau_features_are_similarities_of_each_kind():
    from ravenbench.types import Problems

    texts = ["abab cd.", "abcd abab ab.", "cd cd ab"]
    problems = Problems.of([("one", texts[:2], texts[2]), ("copy", texts[:1], texts[0])])
    observations = moreau.Observations("char2 word1", 100, 1).fit(texts)
    found = observations.features(problems)
    assert found.shape == (2, 2, 4, 5) and observations.count == 5
    assert found[1] == pytest.approx(np.ones((2, 4, 5)))
    # Words of the first: abab, cd, "." once each; of the third: cd ⅔, ab ⅓. Shared is cd alone.
    one = (2 / 9) / np.sqrt((3 / 9) * (5 / 9)), (1 / 3) / (2 - 1 / 3)
    two = (1 / 12) / np.sqrt((4 / 16) * (5 / 9)), 0.25 / (2 - 0.25)
    assert found[0, :, 1, 1] == pytest.approx([(one[0] + two[0]) / 2, (one[1] + two[1]) / 2])


def test_genetic_search_stops_and_finds():
    assert not stalled([1, 2, 3], 2, 2) and not stalled([1, 1, 2, 2], 2, 2)
    assert stalled([2, 2, 1, 1], 2, 2) and stalled([0, 2, 2, 2, 2], 2, 2)
    rng = np.random.default_rng(0)
    start, asked = rng.integers(3, size=(20, 6)), []

    def fitness(genome):
        asked.append(genome.tobytes())
        return float(genome.sum())

    found, values = evolve(start, [3] * 6, fitness, 8, 4, 60, rng)
    assert (
        found.shape == (20, 6)
        and values[0] == found[0].sum() == values.max() >= start.sum(axis=1).max() + 2
    )
    assert len(asked) == len(set(asked))


def test_bad_parameters_are_named():
    train, same = toy_problems(8)
    with pytest.raises(SpecError, match="rounds must be at least 1"):
        registry.parse("verifier", "spatium-2015(rounds=0)").fit(train, same)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(1, 12))
def test_layton_keeps_the_first_of_the_whole_order(values, size):
    row = np.array([values])
    found = layton._first(row, row > 0, size)[0]
    assert found.tolist() == [c for c in np.argsort(-row[0], kind="stable") if row[0, c] > 0][:size]


@settings(max_examples=40, deadline=None)
@given(
    st.text("ab c", min_size=1, max_size=40),
    st.text("ab d", min_size=1, max_size=40),
    st.integers(1, 3),
)
def test_glad_profiles_are_those_of_the_kernel(one, other, n):
    from tests.references.cng import reference

    from ravenbench.text.tokens import collapse

    texts = [collapse(one), collapse(other)]
    grams = [[text[i : i + n] for i in range(len(text) - n + 1)] for text in texts]
    profiles = [glad.profile(text, n, 5) for text in texts]
    assert glad.dissimilarity(*profiles) == pytest.approx(
        reference(*grams, 5) if all(grams) else 4 * sum(map(len, profiles))
    )


def test_glad_joint_entropy_minds_the_seam():
    pair = glad.pair_features(glad.reading("ab "), glad.reading(" ab"))
    assert pair[glad.FEATURES.index("joint entropy")] == pytest.approx(
        glad.entropy(Counter("ab ab"))
    )


@pytest.mark.data
def test_harvey_leaves_other_scripts_unanswered(nltk_home, need_extra):
    from ravenbench.types import Problems
    from ravenbench.verifiers.contract.base import as_verifier

    need_extra("nltk")
    greek = "Ο συγγραφέας δεν είναι εδώ, αλλά το κείμενό του μένει. " * 8
    assert harvey.tag_symbols(greek) == ""
    problems = Problems.of([(str(i), [f"{greek} {i}"], greek) for i in range(6)])
    verifier = as_verifier(registry.parse("verifier", "harvey-2014")).fit(
        problems, np.arange(6) % 2 == 0
    )
    assert verifier.verify(problems).tolist() == [0.5] * 6


@pytest.mark.data
def test_moreau_observes_tags_where_there_is_a_tagger(nltk_home, need_extra):
    from ravenbench.types import Problems

    need_extra("nltk")
    texts = ["The cat sat on the mat.", "A dog ran to the door.", "Why not?"]
    problems = Problems.of([("one", texts[:1], texts[1]), ("none", texts[:1], texts[2])])
    observations = moreau.Observations("char2", 100, 1, tags=True).fit(texts)
    found = observations.features(problems)
    # Of characters, tags 1–4, and levels.
    assert observations.count == found.shape[3] == 1 + 4 + 3
    assert (found[0, :, :, 1:4] > 0.1).all() and (found[1, 0, 0, 2:5] < 1e-3).all()
    with pytest.warns(UserWarning, match="leaves out observations of tags"):
        assert moreau.Observations("char2", 100, 1, tags=True).fit(["Ο συγγραφέας δεν"]).count == 4


def test_unmasking_chooses_c_unless_told():
    train, same = toy_problems(24, known=1, words=60)
    chosen = registry.parse("verifier", "unmasking(runs=1)").fit(train, same)
    assert chosen.C_ in unmasking.GRID
    told = registry.parse("verifier", f"unmasking(runs=1, C={chosen.C_})").fit(train, same)
    assert told.coef_.tolist() == chosen.coef_.tolist()
