"""Methods against their definitions, scikit-learn, and each other's contract."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC
from tests.references.ppm import of_the_kernel as cross_entropy

from ravenbench import registry
from ravenbench.attribution import linear
from ravenbench.attribution.base import author_means
from ravenbench.attribution.counts import Counts, PaperWords, prepare
from ravenbench.errors import InputError, SpecError
from ravenbench.ext.shelf.attribution.profiles import CNG, SCAP, compare
from ravenbench.text.ngrams import CharNgrams
from ravenbench.texts import TextTable
from toy_topics import simulate

SPECS = [
    "maxent",
    "svm",
    "svm(n=4, size=500)",
    "nb",
    "burrows-delta",
    "cosine-delta",
    "ppm",
    "cng(size=300)",
    "scap(n=3, size=300)",
    "function-words",
    "topic-words(without=30)",
    "distorted(svm)",
    "stamatatos-2006(words=60)",
    "stamatatos-2007(n=3)",
    "benedetto-2002",
    "khmelev-2003",
    "peng-2004",
    "arun-2009",
    "koppel-2011(repeats=20)",
    "escalante-2011(size=300)",
    "distorted(nb, variant='sa', k=20)",
    "distorted(cosine-delta, variant='topic', k=20)",
]


@pytest.fixture(scope="module")
def toy():
    corpus = simulate(authors=4, topics=3, docs=4, words=80, moving=False)
    texts, authors = list(corpus.texts), list(corpus.author)
    test = np.arange(len(texts)) % 3 == 0
    return (
        [t for t, out in zip(texts, test, strict=True) if not out],
        [a for a, out in zip(authors, test, strict=True) if not out],
        [t for t, out in zip(texts, test, strict=True) if out],
        [a for a, out in zip(authors, test, strict=True) if out],
    )


@pytest.mark.parametrize("spec", SPECS)
def test_contract(spec, toy):
    train, authors, test, truth = toy
    method = registry.parse("attributor", spec)
    assert str(registry.parse("attributor", str(method))) == str(method)
    method.fit(train, authors)
    scores = method.scores(test)
    assert list(method.classes_) == sorted(set(authors))
    assert scores.shape == (len(test), 4) and np.isfinite(scores).all()
    predicted = method.predict(test)
    assert np.mean(predicted == np.array(truth)) > 0.3, "worse than chance"
    # Each text is answered alone, and the order of training texts means nothing.
    assert np.allclose(method.scores(test[:1]), scores[:1])
    again = registry.parse("attributor", spec).fit(train[::-1], authors[::-1])
    assert np.allclose(again.scores(test), scores, atol=5e-3 * max(1.0, np.abs(scores).max()))
    assert method.scores([]).shape == (0, 4) or spec.startswith("distorted")


def test_paper_text():
    assert prepare("Don't stop—well-known, A1b2?\tYes") == "dont stopwellknown a1b2\tyes"
    assert prepare("Ἀθήνα, ΟΔΟΣ!") == "ἀθήνα οδος"


def test_counts_equal_scikit_learn(toy):
    train, _, test, _ = toy
    table, rows = TextTable.collect([*train, *test])
    known, unknown = rows[: len(train)], rows[len(train) :]
    words = Counts(PaperWords()).fit(table, known)
    peer = CountVectorizer(preprocessor=prepare, tokenizer=str.split, token_pattern=None).fit(train)
    assert words.vocabulary_ == sorted(peer.vocabulary_)
    assert (words.transform(table, unknown) != peer.transform(test)).nnz == 0
    grams = Counts(CharNgrams(3, True)).fit(table, known)
    peer = CountVectorizer(analyzer="char", ngram_range=(3, 3)).fit(train)
    assert grams.vocabulary_ == sorted(peer.vocabulary_)
    assert (grams.transform(table, unknown) != peer.transform(test)).nnz == 0


@pytest.fixture(scope="module")
def features(toy):
    train, authors, test, _ = toy
    table, rows = TextTable.collect([*train, *test])
    counts = Counts(CharNgrams(4)).fit(table, rows[: len(train)])
    codes = np.unique(authors, return_inverse=True)[1].astype(np.int64)
    return (
        counts.transform(table, rows[: len(train)]),
        codes,
        counts.transform(table, rows[len(train) :]),
    )


@pytest.mark.parametrize("authors", [2, 4])
def test_maxent_in_document_space_is_maxent(features, authors, monkeypatch):
    monkeypatch.setattr(linear, "_TOLERANCE", 1e-7)
    x, y, unseen = features
    kept = y < authors
    x, y = x[kept], y[kept]
    weights, biases = linear.maxent(x, y, 1.0)
    peer = LogisticRegression(max_iter=5000, tol=1e-7).fit(x, y)
    logits = unseen @ weights + biases
    ours = np.exp(logits - logits.max(axis=1, keepdims=True))
    assert np.allclose(
        ours / ours.sum(axis=1, keepdims=True), peer.predict_proba(unseen), atol=2e-3
    )


@pytest.mark.parametrize("c", [0.1, 1.0, 10.0])
def test_dual_svm_is_linear_svc(features, c):
    x, y, unseen = features
    norms = np.sqrt(x.multiply(x).sum(axis=1))
    x, unseen = x / norms[:, None], unseen / 20
    weights, biases = linear.svm(x, y, 4, c)
    peer = LinearSVC(C=c, tol=1e-6, max_iter=20000).fit(x, y)
    assert np.allclose(unseen @ weights + biases, peer.decision_function(unseen), atol=5e-3)


def test_many_documents_take_scikit_learn(features, monkeypatch):
    x, y, unseen = features
    dual = [f(x, y, *rest) for f, rest in ((linear.svm, (4, 0.01)), (linear.maxent, (0.01,)))]
    monkeypatch.setattr(linear, "DUAL_LIMIT", 1)
    plain = [f(x, y, *rest) for f, rest in ((linear.svm, (4, 0.01)), (linear.maxent, (0.01,)))]
    for (w, b), (v, d) in zip(dual, plain, strict=True):
        assert np.allclose(unseen @ w + b, unseen @ v + d, atol=0.03)


def test_naive_bayes_is_scikit_learn_s(toy):
    train, authors, test, _ = toy
    peer = CountVectorizer(preprocessor=prepare, tokenizer=str.split, token_pattern=None)
    model = MultinomialNB().fit(peer.fit_transform(train), authors)
    ours = registry.parse("attributor", "nb").fit(train, authors)
    assert np.allclose(ours.scores(test), model.predict_joint_log_proba(peer.transform(test)))


def plain_cng(train, authors, test, n, size, shared):
    """Dissimilarities by dictionaries."""

    def profile(texts):
        counts = sum((CharNgrams(n, False).reference(text) for text in texts), Counter())
        total = sum(counts.values())
        return {g: c / total for g, c in sorted(counts.items(), key=lambda i: (-i[1], i[0]))[:size]}

    names = sorted(set(authors))
    of = [profile([t for t, a in zip(train, authors, strict=True) if a == name]) for name in names]
    rows = []
    for text in test:
        p = profile([text])
        if shared:
            rows.append([len(p.keys() & q.keys()) / size for q in of])
        else:
            rows.append(
                [
                    -sum(
                        (2 * (p.get(g, 0) - q.get(g, 0)) / (p.get(g, 0) + q.get(g, 0))) ** 2
                        for g in {*p, *q}
                    )
                    for q in of
                ]
            )
    return np.array(rows)


@pytest.mark.parametrize("shared", [False, True])
def test_profiles_equal_plain_dictionaries(toy, shared):
    train, authors, test, _ = toy
    method = (SCAP if shared else CNG)(n=3, size=80).fit(train, authors)
    test = [*test, "Ein Text ganz ohne Bekanntes: §§§"]
    assert np.allclose(method.scores(test), plain_cng(train, authors, test, 3, 80, shared))


def test_profile_kernel_skips_what_nobody_holds():
    profiles = np.array([[0.5, 0.0]])
    shared, match = compare(np.array([0.5, 0.2]), np.array([0, -1]), np.array([0, 2]), profiles)
    assert shared.tolist() == [[1, 0]] and match.tolist() == [[0, 0]]


def test_ppm_is_cross_entropy_of_joined_texts(toy):
    train, authors, test, _ = toy
    method = registry.parse("attributor", "ppm").fit(train, authors)
    joined = "\n".join(t for t, a in zip(train, authors, strict=True) if a == "author 1")
    assert method.scores(test[:1])[0, 1] == pytest.approx(-cross_entropy(joined, test[0]))


def test_delta_by_hand():
    rows = np.array([[0.0, 2.0], [2.0, 0.0], [4.0, 4.0]])
    assert author_means(rows, np.array([0, 0, 1]), 2).tolist() == [[1, 1], [4, 4]]
    train = ["a a a b", "a a b b", "b b b a", "b b b b"]
    delta = registry.parse("attributor", "burrows-delta(words=2)").fit(train, ["x", "x", "y", "y"])
    assert delta.predict(["a a a", "b b b"]).tolist() == ["x", "y"]


def test_bad_input_is_named():
    with pytest.raises(InputError, match="two authors"):
        registry.parse("attributor", "nb").fit(["a", "b"], ["x", "x"])
    with pytest.raises(InputError, match="differ in number"):
        registry.parse("attributor", "nb").fit(["a"], ["x", "y"])
    with pytest.raises(SpecError, match="variant must be"):
        registry.parse("attributor", "distorted(nb, variant='no')").fit(["a", "b"], ["x", "y"])
    with pytest.raises(SpecError, match="unknown attributor"):
        registry.parse("attributor", "maxnet")
