"""Published approaches to attribution against plain references and examples by hand."""

import math
import zlib
from collections import Counter, defaultdict

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from ravenbench.errors import SpecError
from ravenbench.ext.shelf.attribution.compression import (
    Benedetto2002,
    Khmelev2003,
    MarkovModel,
    Peng2004,
    points,
    repeated,
    suffix_array,
)
from ravenbench.ext.shelf.attribution.escalante_2011 import Escalante2011
from ravenbench.ext.shelf.attribution.profiles import (
    SPACE_FREE,
    Arun2009,
    Koppel2011,
    Stamatatos2007,
)
from ravenbench.ext.shelf.attribution.stamatatos_2006 import Stamatatos2006, discriminant

A = ["the cat sat on the mat and the cat ate", "a cat on the mat is a cat that sat"]
B = ["whilst dogs bark, dogs bite whilst they bark", "dogs, whilst barking, seldom bite"]
TEXTS, AUTHORS = [*A, *B], ["a", "a", "b", "b"]
ASKED = ["the cat on the mat", "dogs bite whilst barking", "naïve 日本"]


def test_zipping_costs_what_zlib_says():
    found = Benedetto2002().fit(TEXTS, AUTHORS).scores(ASKED)
    for i, text in enumerate(ASKED):
        x = text.encode()
        for column, known in enumerate((A, B)):
            costs = [
                len(zlib.compress(t.encode() + x, 9)) - len(zlib.compress(t.encode(), 9))
                for t in known
            ]
            assert found[i, column] == -8 * min(costs) / len(x)


def test_suffixes_are_in_order():
    for text in ("banana", "aaaa", "x", "", "abracadabra " * 3):
        found = suffix_array(points(text)).tolist()
        assert found == sorted(range(len(text)), key=lambda i: text[i:])


def test_the_r_measure_is_the_share_of_pieces_that_stand_there():
    known = "abracadabra, said the wizard; abra"
    for text in ("cadabra", "zzz", "the abra", "wizard of abra", "a"):
        n = len(text)
        pieces = sum(text[i:j] in known for i in range(n) for j in range(i + 1, n + 1))
        assert repeated(points(text), points(known), suffix_array(points(known))) == pieces
    method = Khmelev2003().fit([known, "quite another text"], ["a", "b"])
    assert method.scores(["said the wizard"])[0, 0] == 1
    assert method.scores(["", "日"]).tolist() == [[0, 0], [0, 0]]


def test_space_free_grams_by_hand():
    counts = SPACE_FREE.reference("The cats, at home")
    assert counts == Counter({"the": 1, "cats": 1, "ats,": 1, "at": 1, "home": 1})


def test_votes_of_random_features_by_plain_counting():
    method = Koppel2011(repeats=7).fit(TEXTS, AUTHORS)
    names = method.counts_.vocabulary_
    profiles = [SPACE_FREE.reference(known[0]) + SPACE_FREE.reference(known[1]) for known in (A, B)]
    found = method.scores(ASKED)
    for i, text in enumerate(ASKED):
        mine, votes = SPACE_FREE.reference(text), [0, 0]

        def near(profile, chosen, mine=mine):
            dot = sum(mine[g] * profile[g] for g in chosen)
            norms = [math.sqrt(sum(counts[g] ** 2 for g in chosen)) for counts in (mine, profile)]
            return dot / (norms[0] * norms[1]) if dot else 0.0

        for drawn in method.drawn_:
            each = [near(profile, [names[c] for c in drawn]) for profile in profiles]
            if max(each) > 0:
                votes[each.index(max(each))] += 1
        wanted = [(v + 0.5 * near(p, names)) / 7 for v, p in zip(votes, profiles, strict=True)]
        assert found[i] == pytest.approx(wanted)


def plain_back_off(text, order, kinds):
    """The model of Peng et al. by dictionaries: probability of a character after a string."""
    counts = [Counter(text[i : i + k] for i in range(len(text) - k + 1)) for k in range(order + 1)]

    def discount(k):
        once, twice = (sum(c == n for c in counts[k].values()) for n in (1, 2))
        return min(max(once / max(1, once + 2 * twice), 0.1), 0.95)

    followers = [defaultdict(dict) for _ in range(order + 1)]
    for k in range(1, order + 1):
        for gram, count in counts[k].items():
            followers[k][gram[:-1]][gram[-1]] = count

    def probability(character, context):
        k = len(context) + 1
        after = followers[k].get(context, {})
        total, b = sum(after.values()), discount(k)
        if k == 1:
            if character in after:
                return (after[character] - b) / total
            return b * len(after) / total / (kinds - len(after))
        if not after:
            return probability(character, context[1:])
        if character in after:
            return (after[character] - b) / total
        left = b * len(after) / total
        shorter = {c: probability(c, context[1:]) for c in after}
        return left / (1 - sum(shorter.values())) * probability(character, context[1:])

    return probability


def test_back_off_is_that_of_plain_dictionaries_and_sums_to_one():
    text, asked, order = " ".join(A * 2), "the dog sat and ate a mat", 4
    letters = sorted(set(text))
    ids = {c: i for i, c in enumerate(sorted(set(text)), start=1)}
    kinds = len(ids) + 3
    model = MarkovModel([np.array([ids[c] for c in text])], order, kinds)
    plain = plain_back_off(text, order, kinds)
    found = model.probabilities(np.array([ids.get(c, 0) for c in asked]))
    wanted = [
        plain(c if c in ids else "?", asked[max(0, i - order + 1) : i]) for i, c in enumerate(asked)
    ]
    # A context with a character of no author is unknown to both.
    assert found == pytest.approx(wanted)
    for context in ("the", "cat", "qqq", "at "):
        after = [
            np.array([*(ids.get(c, 0) for c in context), ids.get(letter, 0)]) for letter in letters
        ]
        unknown = model.probabilities(np.array([*(ids.get(c, 0) for c in context), 0]))[-1]
        assert sum(model.probabilities(x)[-1] for x in after) + 3 * unknown == pytest.approx(1)


def test_the_order_of_the_model_has_limits():
    with pytest.raises(SpecError, match="order must be 1 or 2"):
        Peng2004(order=6).fit(TEXTS, AUTHORS)
    assert np.isfinite(Peng2004().fit(TEXTS, AUTHORS).scores(["", "日本", "x"])).all()


def test_a_stopword_graph_by_hand():
    method = Arun2009(stopwords=3, window=3).fit(["the in are the in are"] * 2, ["a", "b"])
    graph = method.graph("The kids are playing in the garden")
    at = [method.node_[word] for word in ("the", "are", "in")]
    the, are, in_ = at
    assert graph[the, are] == graph[are, the] == pytest.approx(math.exp(-2) + math.exp(-3))
    assert graph[in_, the] == pytest.approx(math.exp(-1)) and graph[are, in_] == pytest.approx(
        math.exp(-2)
    )
    assert graph[the, the] == 0  # five words apart: beyond the window
    assert method.scores(["nothing"]).tolist() == [[0, 0]]


def test_the_divergence_of_a_text_from_its_own_graph_is_least():
    method = Arun2009(stopwords=10, smoothing=1e-9).fit(TEXTS, AUTHORS)
    assert method.scores([" ".join(A)]).argmax() == 0 and method.scores([" ".join(B)]).argmax() == 1
    assert (method.scores(TEXTS) <= 1e-9).all()


def test_local_histograms_by_hand():
    method = Escalante2011(n=1, size=10, places=2, width=0.25).fit(["ab", "ba"], ["x", "y"])
    near, far = math.exp(0), math.exp(-0.5 * (0.5 / 0.25) ** 2)
    a, b = method.column_["a"], method.column_["b"]
    found = method.histograms("ab")
    assert found[0, [a, b]] == pytest.approx([near / (near + far), far / (near + far)])
    assert found[1, [a, b]] == pytest.approx([far / (near + far), near / (near + far)])
    assert method.predict(["ab", "ba"]).tolist() == ["x", "y"]  # equal as bags
    assert method.histograms("日").tolist() == [[0, 0], [0, 0]]


def test_a_discriminant_is_scikit_learns():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(3), 10)
    features = rng.normal(size=(30, 4)) + np.eye(3, 4)[codes]
    weights, biases = discriminant(features, codes, 3, 0.2)
    other = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.2).fit(features, codes)
    mine = features @ weights + biases
    theirs = other.decision_function(features)
    assert mine - mine.mean(axis=1, keepdims=True) == pytest.approx(
        theirs - theirs.mean(axis=1, keepdims=True)
    )


def test_every_word_is_in_one_set():
    method = Stamatatos2006(words=12, size=4).fit(TEXTS, AUTHORS)
    assert (
        sorted(np.concatenate(method.sets_).tolist()) == list(range(12)) and len(method.sets_) == 3
    )
    assert method.scores(TEXTS).sum(axis=1) == pytest.approx(np.ones(4))


@pytest.mark.parametrize("norm", [False, True])
def test_the_variant_of_cng_sums_over_the_text_alone(norm):
    method = Stamatatos2007(n=3, size=20, norm=norm).fit(TEXTS, AUTHORS)

    def grams(texts):
        return Counter(t[i : i + 3] for t in texts for i in range(len(t) - 2))

    def profile(counts):
        best = sorted(counts, key=lambda g: (-counts[g], g))[:20]
        return {g: counts[g] / sum(counts.values()) for g in best}

    def apart(f, g):
        return (2 * (f - g) / (f + g)) ** 2

    everything = grams(TEXTS)
    shares = {g: count / sum(everything.values()) for g, count in everything.items()}
    for text, row in zip(ASKED[:2], method.scores(ASKED[:2]), strict=True):
        mine = profile(grams([text]))
        weight = {g: apart(f, shares.get(g, 0)) if norm else 1 for g, f in mine.items()}
        profiles = [profile(grams(known)) for known in (A, B)]
        wanted = [
            -sum(weight[g] * apart(f, p.get(g, 0)) for g, f in mine.items()) for p in profiles
        ]
        assert row == pytest.approx(wanted)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "method", [Stamatatos2006(), Stamatatos2007(), Stamatatos2007(norm=True)], ids=str
)
def test_known_texts_without_anything_to_count_favour_no_author(method):
    found = method.fit(["", "", "", ""], AUTHORS).scores(["", *ASKED])
    assert np.isfinite(found).all() and (found[:, 0] == found[:, 1]).all()
