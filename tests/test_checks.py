"""The executable contract refuses what breaks it, and says how; it accepts what only rounds otherwise."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from ravenbench import Estimator, registry
from ravenbench.components import foreign
from ravenbench.errors import SpecError
from ravenbench.testing import check_verifier
from ravenbench.verifiers.contract import persist
from ravenbench.verifiers.contract.base import as_verifier
from small_run import few

MINE = '''
import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, StandardScaler
from ravenbench import Scorer


def sides(problems):
    known = [" ".join(problems.texts.rows(problems.known(i))) for i in range(len(problems))]
    return known, [problems.texts[j] for j in problems.questioned_index]


class Plain(Scorer):
    symmetric = False

    def features(self, problems):
        pairs = zip(*sides(problems))
        return np.array([[len(set(a.split()) & set(b.split())), len(a), len(b)] for a, b in pairs], dtype=float)

    def score(self, problems):
        return self.features(problems)[:, 0]


class Hashed(Plain):
    def score(self, problems):
        pairs = zip(*sides(problems))
        return np.array([len({hash(w) % 97 for w in (a + " " + b).split()}) * 1.0 for a, b in pairs])


class Piped(Plain):
    steps = (StandardScaler, MinMaxScaler)

    def fit(self, problems, same):
        parts = FeatureUnion([(step.__name__, step()) for step in self.steps])
        self.pipeline_ = make_pipeline(parts, LogisticRegression()).fit(self.features(problems), same)
        return self

    def score(self, problems):
        return self.pipeline_.decision_function(self.features(problems))


class Stranger(Piped):
    steps = (FunctionTransformer,)


class Single(Plain):
    """Rounds as single precision does, otherwise in batches of other sizes."""

    def score(self, problems):
        exact = self.features(problems)[:, 0]
        return exact + 1e-7 * len(problems)


class Batch(Plain):
    def score(self, problems):
        return self.features(problems)[:, 0] + 0.1 * len(problems)


class Made(Plain):
    def __init__(self, n=3):
        self.n = n
        self.size = 10 * n

    def score(self, problems):
        return super().score(problems) % self.size


class Cache(Plain):
    def __init__(self, n=3):
        self.n = n
        self._kept = {}


class Overlap(TransformerMixin, BaseEstimator):
    """Pairs of texts to numbers."""

    def __init__(self, n=3):
        self.n = n

    def fit(self, pairs, same=None):
        return self

    def transform(self, pairs):
        def grams(text):
            return {text[i : i + self.n] for i in range(len(text))}

        return np.array([[len(grams(a) & grams(b)), len(grams(a) | grams(b))] for a, b in pairs], dtype=float)


class Holds(Plain):
    def __init__(self, model=None):
        self.model = object() if model is None else model


class Forgets(Plain):
    def __init__(self, n=3):
        self.number = n


class Unkept(Plain):
    def fit(self, problems, same):
        self.shift = 0.5
        return self

    def score(self, problems):
        return super().score(problems) + self.shift


class Hesitant(Plain):
    def score(self, problems):
        unsure = np.array([len(text) % 5 == 0 for text in sides(problems)[1]])
        return np.where(unsure, np.nan, super().score(problems))
'''


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "checked_here.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    import checked_here

    yield checked_here
    del sys.modules["checked_here"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Hashed", "another process gives different answers"),
        ("Batch", "depend"),
        ("Made", "__init__ sets the attribute size, which saved copies do not have"),
        ("Cache", "call it kept_"),
        ("Forgets", "__init__ must store n under its own name"),
        (
            "Unkept",
            "after saving and loading it cannot answer .*'shift'.*under names that end in _",
        ),
    ],
)
def test_what_breaks_a_promise_is_told_in_a_sentence(mine, name, said):
    with pytest.raises(AssertionError, match=said):
        check_verifier(getattr(mine, name)())


@pytest.mark.parametrize("name", ["Plain", "Piped", "Single", "Hesitant"])
def test_what_keeps_its_promises_passes(mine, name):
    check_verifier(getattr(mine, name)(), problems=few())


def test_a_pipeline_is_saved_and_loaded_and_a_strangers_step_is_not(mine, tmp_path):
    from ravenbench.testing import toy_problems

    train, same = toy_problems(60)
    verifier = as_verifier(mine.Piped()).fit(train, same)
    loaded = persist.load(persist.save(verifier, tmp_path / "a"), mine.Piped())
    assert (loaded.verify(train) == verifier.verify(train)).all()
    with pytest.raises(SpecError, match="it contains a sklearn"):
        persist.save(as_verifier(mine.Stranger()).fit(train, same), tmp_path / "b")


def test_a_pipeline_over_pairs_is_a_verifier(mine):
    verifier = Estimator(make_pipeline(mine.Overlap(n=2), StandardScaler(), LogisticRegression()))
    check_verifier(verifier, problems=few())
    assert "('overlap', checked_here:Overlap(n=2))" in str(verifier) and foreign(verifier) == [
        "checked_here"
    ]
    assert verifier != Estimator(
        make_pipeline(mine.Overlap(), StandardScaler(), LogisticRegression())
    )


def test_a_classifier_learns_differences_of_vectors():
    verifier = Estimator(LogisticRegression(C=3.0), TfidfVectorizer(analyzer="char"))
    check_verifier(verifier, known=2, problems=few(2))
    assert str(registry.parse("verifier", str(verifier))) == str(verifier)


def test_several_known_texts_are_averaged():
    from ravenbench.testing import toy_problems

    train, same = toy_problems(20, known=2)
    verifier = Estimator(LogisticRegression(), CountVectorizer(analyzer="char")).fit(train, same)
    counts = [
        verifier.texts_.transform([train.texts[r]]).toarray()[0] for r in range(len(train.texts))
    ]
    by_hand = [
        np.abs(
            np.mean([counts[r] for r in train.known(i)], axis=0) - counts[train.questioned_index[i]]
        )
        for i in range(len(train))
    ]
    assert np.allclose(verifier._features(train).toarray(), by_hand)


def test_what_cannot_be_kept_on_disk_can_be_run_and_a_seed_reaches_it():
    verifier = Estimator(
        GradientBoostingClassifier(n_estimators=3), TfidfVectorizer(analyzer="char"), seed=4
    )
    with pytest.warns(UserWarning, match="raven verify --save refuses it"):
        check_verifier(verifier, problems=few())
    assert verifier._fresh(verifier.classifier).random_state == 4


def test_an_estimator_alone_is_told_how_it_becomes_a_verifier(mine):
    with pytest.raises(AssertionError, match="becomes a verifier by"):
        check_verifier(make_pipeline(StandardScaler(), LogisticRegression()))
    with pytest.raises(SpecError, match="write estimator"):
        registry.parse("verifier", "sklearn.linear_model:LogisticRegression()")
    for held in (mine.Holds(), Estimator(FunctionTransformer(len))):
        with pytest.raises(SpecError, match="build the object in fit") as error:
            check_verifier(held)
        assert "put text in quotes" not in str(error.value)
