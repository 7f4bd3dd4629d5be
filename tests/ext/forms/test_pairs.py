"""``PairClassifier``: scikit-learn's own checks on pairs of texts, its tools, and the answers of ``raven verify``."""

import json
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks, get_tags

from ravenbench import InputError, PairClassifier, registry, verify
from ravenbench.engine.guard import answer
from ravenbench.problems.sources import given
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.testing import toy_problems
from ravenbench.types import Problems
from ravenbench.verifiers.contract.base import as_verifier


def pairs_of(problems):
    """The texts (n, 2) of problems with one known document."""
    sides = zip(problems.known_index, problems.questioned_index, strict=True)
    return np.array(
        [[problems.texts[k], problems.texts[q]] for k, q in sides],
        dtype=object,
    )


def identified(problems):
    """The same pairs with ids made from their texts, as in the folds of a run."""
    return Problems.pairs(problems.texts, problems.known_index, problems.questioned_index)


@pytest.fixture(scope="module")
def train():
    problems, same = toy_problems(60, known=1, words=80, seed=3)
    return problems.blind(), same


@pytest.fixture(scope="module")
def test():
    problems, same = toy_problems(30, known=1, words=80, seed=4)
    return problems.blind(), same


def test_scikit_learn_finds_no_fault():
    with pytest.warns(SkipTestWarning, match="string=True"):
        results = estimator_checks.check_estimator(PairClassifier())
    assert results
    assert {result["status"] for result in results} == {"passed"}


def test_its_tags_say_that_it_takes_pairs_of_texts_and_two_classes():
    tags = get_tags(PairClassifier())
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert tags.estimator_type == "classifier"
    assert tags.target_tags.required
    assert not tags.classifier_tags.multi_class


WITHOUT_DATA = [
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
]
OF_DATA = [
    "check_classifier_not_supporting_multiclass",
    "check_classifiers_one_label",
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_estimators_fit_returns_self",
    "check_estimators_overwrite_params",
    "check_estimators_pickle",
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_pipeline_consistency",
    "check_requires_y_none",
]


@pytest.mark.parametrize("name", [*WITHOUT_DATA, "check_estimators_unfitted"])
def test_checks_that_need_no_pairs(name):
    getattr(estimator_checks, name)("PairClassifier", PairClassifier("char-ngram"))


class Number(str):
    """A text made from a number, from which a check makes classes."""

    @classmethod
    def of(cls, number):
        made = cls(f"{number:.6f}".translate(str.maketrans("0123456789.-", "abcdefghij x")))
        made.number = number
        return made

    def __int__(self):
        return int(self.number)


@pytest.mark.parametrize("name", OF_DATA)
def test_checks_with_pairs_in_place_of_numbers(name, monkeypatch):
    read = []

    def as_texts(estimator, X, X_test=None, **_):
        read.append(len(X))
        made = np.array([[Number.of(x) for x in row[:2]] for row in X], dtype=object)
        return made if X_test is None else (made, as_texts(estimator, X_test))

    monkeypatch.setattr(estimator_checks, "_enforce_estimator_tags_X", as_texts)
    getattr(estimator_checks, name)("PairClassifier", PairClassifier("char-ngram(n=2)"))
    assert read or name == "check_classifier_not_supporting_multiclass"


@pytest.mark.parametrize(
    "verifier", ["ppm", "char-ngram(n=3)", "impostors(iterations=5)", "chance"]
)
def test_answers_are_those_of_a_fold(verifier, train, test):
    problems, same = train
    questions, truth = test
    fold = given(identified(problems), same, identified(questions), truth)
    component = registry.parse("verifier", verifier)
    fitted = as_verifier(component).fit(fold.train, fold.train_same)
    _, expected = answer(fitted, fold.test)
    model = PairClassifier(verifier).fit(pairs_of(problems), same)
    np.testing.assert_array_equal(model.predict_proba(pairs_of(questions))[:, 1], expected)
    np.testing.assert_array_equal(model.decision_function(pairs_of(questions)), expected - 0.5)
    np.testing.assert_array_equal(model.predict(pairs_of(questions)), expected > 0.5)


def test_answers_are_those_of_raven_verify_to_the_last_digit(train, test, tmp_path):
    write_pan_problems(tmp_path / "train", *train, "english", "essays")
    write_pan_problems(tmp_path / "test", *test, "english", "essays")
    verified = verify(
        "ppm",
        train=tmp_path / "train",
        test=tmp_path / "test",
        out=tmp_path / "answers.jsonl",
        folder=tmp_path / "run",
    )
    lines = (tmp_path / "answers.jsonl").read_text().splitlines()
    answers = {line["id"]: line["value"] for line in map(json.loads, lines)}
    model = PairClassifier().fit(pairs_of(train[0]), train[1])
    mine = model.predict_proba(pairs_of(test[0]))[:, 1]
    assert dict(zip(test[0].ids.tolist(), mine.tolist(), strict=True)) == answers
    assert verified.verifier == "ppm"


def test_a_search_chooses_among_verifiers(train):
    X, y = pairs_of(train[0]), np.where(train[1], "same", "different")
    verifiers = ["chance", "char-ngram(n=3)"]
    search = GridSearchCV(
        PairClassifier(), {"verifier": verifiers}, scoring="roc_auc", cv=3, error_score="raise"
    )
    search.fit(X, y)
    assert search.best_params_ == {"verifier": "char-ngram(n=3)"}
    assert search.best_score_ > 0.8
    assert search.best_estimator_.classes_.tolist() == ["different", "same"]


def test_it_stands_in_a_pipeline_and_is_scored_there(train, test):
    lower = FunctionTransformer(lambda pairs: [(a.lower(), b.lower()) for a, b in pairs])
    pipeline = make_pipeline(lower, PairClassifier("char-ngram(n=3)"))
    rows = [tuple(pair) for pair in pairs_of(train[0])]
    assert cross_val_score(pipeline, rows, train[1], cv=2, scoring="roc_auc").min() > 0.7
    scores = pipeline.fit(rows, train[1]).decision_function(pairs_of(test[0]))
    assert roc_auc_score(test[1], scores) > 0.8
    assert pipeline.score(pairs_of(test[0]), test[1]) > 0.7


def test_a_clone_has_the_parameters_and_nothing_learned(train):
    component = registry.parse("verifier", "char-ngram(n=2)")
    model = PairClassifier(component).fit(pairs_of(train[0]), train[1])
    copy = clone(model)
    assert str(copy.verifier) == "char-ngram(n=2)"
    assert model.get_params()["verifier__n"] == 2
    with pytest.raises(NotFittedError):
        copy.predict(pairs_of(train[0]))
    assert copy.set_params(verifier__n=4).get_params()["verifier__n"] == 4


def test_a_data_frame_and_unicode_arrays_are_pairs_too(train, test):
    pandas = pytest.importorskip("pandas")
    X, questions = pairs_of(train[0]), pairs_of(test[0])
    expected = PairClassifier("char-ngram").fit(X, train[1]).predict_proba(questions)
    frame = pandas.DataFrame(X, columns=["known", "questioned"])
    of_frame = PairClassifier("char-ngram").fit(frame, pandas.Series(train[1]))
    np.testing.assert_array_equal(of_frame.predict_proba(questions.astype(str)), expected)


def test_what_cannot_be_answered_is_a_half_and_said(train):
    model = PairClassifier("char-ngram").fit(pairs_of(train[0]), train[1])
    text = pairs_of(train[0])[0, 0]
    with pytest.warns(UserWarning, match="2 of 3 pairs stay unanswered"):
        answers = model.predict_proba([(text, "…"), (text, "Привет, мир"), (text, text)])
    assert answers[:2].tolist() == [[0.5, 0.5]] * 2
    assert answers[2, 1] > 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict([(text, text)]).tolist() == [True]


GOOD = [("a b c", "a b d"), ("a b c", "x y z")] * 3
TRUTH = [True, False] * 3
BY_SCIKIT_LEARN = ("Unknown label type: continuous", "NaN", "inconsistent numbers of samples")


@pytest.mark.parametrize(
    ("X", "y", "verifier", "says"),
    [
        (["one", "two"], [0, 1], "ppm", "not pairs of texts"),
        ([("a", "b", "c")] * 2, [0, 1], "ppm", r"found: shape \(2, 3\)"),
        ([], [], "ppm", "found: 0 pairs"),
        ([], [0, 1], "ppm", "not pairs of texts"),
        (np.ones((6, 2)), TRUTH, "ppm", "known side of pair 0.*found: float 1.0"),
        ([*GOOD[:5], ("a", None)], TRUTH, "ppm", "questioned side of pair 5"),
        (
            [*GOOD[:5], (["a", "b"], "c")],
            TRUTH,
            "ppm",
            "known side of pair 5.*join several texts",
        ),
        (GOOD, None, "ppm", "requires y to be passed, but the target y is None"),
        (GOOD, [1] * 6, "ppm", "one class.*found: 6 pairs of one class"),
        (GOOD, [0, 1, 2] * 2, "ppm", "Only binary.*multiclass"),
        (GOOD, [0, 1], "ppm", "inconsistent numbers of samples"),
        (GOOD, [0.5, 0.25] * 3, "ppm", "Unknown label type: continuous"),
        (GOOD, [1.0, np.nan] * 3, "ppm", "NaN"),
        (GOOD, TRUTH, "pmp", "unknown verifier 'pmp'"),
        (GOOD, TRUTH, "char-ngram(m=3)", "'m'"),
        (GOOD, TRUTH, 7, "must be text"),
    ],
)
def test_bad_input_is_a_value_error_that_says_what_is_wrong(X, y, verifier, says):
    with pytest.raises(ValueError, match=f"(?s){says}") as caught:
        PairClassifier(verifier).fit(X, y)
    # Scikit-learn itself says what is wrong with a column of classes.
    assert isinstance(caught.value, InputError) or says in BY_SCIKIT_LEARN


def test_pairs_to_answer_are_checked_too(train):
    model = PairClassifier("char-ngram").fit(pairs_of(train[0]), train[1])
    with pytest.raises(InputError, match="shape"):
        model.predict(["one text"])
    with pytest.raises(NotFittedError):
        PairClassifier().predict(GOOD)
