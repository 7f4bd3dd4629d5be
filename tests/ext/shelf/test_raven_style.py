"""raven-style: what it reads of a text, and that content moves neither features nor answers."""

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import CorpusError, SpecError
from ravenbench.ext.shelf.raven import raven_style as verifier_module
from ravenbench.ext.shelf.raven.alternations import GROUPS
from ravenbench.ext.shelf.raven.mask import ContentMask
from ravenbench.ext.shelf.raven.raven_2026 import Extractor, Ridge, feature_names
from ravenbench.ext.shelf.raven.raven_style import MASKED, NAMES, SHAPES, RavenStyle
from ravenbench.testing import toy_problems
from ravenbench.types import Problems
from ravenbench.verifiers.contract.persist import load, save

ENGLISH = [
    "The ship and the sea were calm, but it was not for long.",
    "I think that he had been in there with us.",
]
SENTENCES = (
    "The {0} was in the {1}, and it is not the {2} that we had. ",
    "But I think: he {0} with a {1} or {2}! ",
    "She has {0} her {1}; they are {2}. ",
    "It was {0}, when you {1} to the {2}, as if there were no {0}. ",
)
WORDS = (
    "lantern",
    "harvest",
    "pigeons",
    "copper",
    "marble",
    "thunder",
    "violet",
    "granite",
    "meadow",
    "pepper",
)
OTHERS = (
    "engines",
    "capital",
    "dollars",
    "market",
    "credit",
    "lenders",
    "broker",
    "revenue",
    "profit",
    "budget",
)


def written(habits, words, rng):
    """A text of an author who prefers some sentences, about some words."""
    chosen = rng.choice(len(SENTENCES), size=12, p=habits)
    return "".join(SENTENCES[c].format(*rng.choice(words, size=3)) for c in chosen)


@pytest.fixture(scope="module")
def taught():
    """Forty problems by ten authors of habits with their truth, and further problems about two subjects."""
    rng = np.random.default_rng(0)
    habits = [rng.dirichlet([0.5] * len(SENTENCES)) for _ in range(10)]
    cases, same = [], []
    for i in range(40):
        a = i % 10
        b = a if i < 20 else (a + 1 + i % 8) % 10
        cases.append((f"p{i}", [written(habits[a], WORDS, rng)], written(habits[b], WORDS, rng)))
        same.append(a == b)
    asked = [
        (
            name,
            [written(habits[i % 10], WORDS, rng)],
            written(habits[(i if i < 20 else i + 1) % 10], WORDS, rng),
        )
        for i, (name, _, _) in enumerate(cases)
    ]
    return Problems.of(cases), np.array(same), asked


@pytest.fixture(scope="module")
def small(taught):
    """A verifier that has learned, and the further problems."""
    problems, same, asked = taught
    return RavenStyle().fit(problems, same), asked


def test_mask_keeps_function_words_marks_and_case_alone():
    mask = ContentMask().fit(ENGLISH)
    assert mask.transform(["The Dog had NOT been, in 1986; b2b"]) == [
        "The X had NOT been, in 0000; x0x"
    ]
    assert ContentMask(lengths=True).fit(ENGLISH).transform(["The Dog, NASA"]) == ["The Xxx, XXXX"]
    blank = ContentMask(blank=True).fit(ENGLISH)
    assert blank.transform(["The Dog had, in 1986; NASA's b2b_x"]) == ["The x had, in 0; x'x 0_x"]
    with pytest.raises(SpecError, match="k must be at least 1"):
        ContentMask(k=0).fit(ENGLISH)


def test_other_content_changes_no_answer(small):
    verifier, asked = small
    replaced = []
    for name, known, questioned in asked:
        for word, other in zip(WORDS, OTHERS, strict=True):
            questioned = questioned.replace(word, other)
        replaced.append((name, known, questioned))
    before, after = (verifier.log_odds(Problems.of(cases)) for cases in (asked, replaced))
    assert all(len(word) == len(other) for word, other in zip(WORDS, OTHERS, strict=True))
    np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("choices", [False, True])
def test_words_of_any_length_and_case_change_no_answer_of_editions_without_forms(
    small, taught, choices
):
    problems, same, asked = taught
    blind = RavenStyle(forms=False, choices=choices).fit(problems, same)
    assert len(blind.features_) == len(NAMES) + len(GROUPS) * choices
    replaced = []
    for name, known, questioned in asked:
        for word in WORDS:
            questioned = questioned.replace(word, word.title() + word)
        replaced.append((name, known, questioned))
    (sees, still_sees), (before, after) = (
        [verifier.log_odds(Problems.of(cases)) for cases in (asked, replaced)]
        for verifier in (small[0], blind)
    )
    np.testing.assert_array_equal(before, after)
    assert np.abs(sees - still_sees).min() > 0


def test_an_answer_depends_on_no_batch_and_no_id(small):
    verifier, asked = small
    whole = verifier.log_odds(Problems.of(asked))
    for i in (7, 30):
        other = ("another", [asked[i][1][0]], asked[i][2])
        strange = (
            "first",
            [asked[i][1][0]],
            "Zounds! whereupon whosoever, notwithstanding albeit hitherto. " * 9,
        )
        alone = verifier.log_odds(Problems.of([strange, other]))
        np.testing.assert_allclose(alone[1], whole[i], rtol=0, atol=1e-12)


def test_it_tells_habits(small):
    verifier, asked = small
    answers = verifier.verify(Problems.of(asked))
    same = np.array([int(name[1:]) < 20 for name, _, _ in asked])
    assert answers[same].mean() > answers[~same].mean() + 0.2


def test_features_are_those_that_are_named():
    assert set(SHAPES) | set(MASKED) == set(feature_names()) - {"length"} and NAMES[-1] == "lambdag"
    problems, same = toy_problems(20, seed=1)
    whole, some = Extractor().fit(problems, same), Extractor(names=SHAPES).fit(problems, same)
    columns = [feature_names().index(name) for name in SHAPES]
    np.testing.assert_allclose(some.measure(problems)[0], whole.measure(problems)[0][:, columns])


def test_a_common_weight_draws_alike_features_together():
    rng = np.random.default_rng(0)
    same = rng.random(60) < 0.5
    features = same[:, None] + rng.normal(size=(60, 8)) * 2
    apart, together = (
        Ridge(0.005).fit(features, same),
        Ridge(0.005, common=20.0).fit(features, same),
    )
    relative = [np.ptp(one.coef_) / one.coef_.mean() for one in (apart, together)]
    assert relative[1] < relative[0] / 2
    odds = together.log_odds(features)
    assert odds[same].mean() > odds[~same].mean()


def test_choices_of_other_languages_change_nothing(monkeypatch, taught):
    problems, same, asked = taught
    monkeypatch.setattr(verifier_module, "speaks_english", lambda texts: False)
    plain, chooses = (
        RavenStyle(forms=False, choices=choices).fit(problems, same) for choices in (False, True)
    )
    assert chooses.features_ == plain.features_ == NAMES
    answers = [one.log_odds(Problems.of(asked)) for one in (plain, chooses)]
    np.testing.assert_array_equal(*answers)


def test_the_last_weights_may_be_free():
    rng = np.random.default_rng(0)
    same = rng.random(60) < 0.5
    features = same[:, None] + rng.normal(size=(60, 3)) * 2
    held, free = (Ridge(0.001, free=last).fit(features, same) for last in (0, 1))
    assert 10 * free.coef_[-1] > 3 * held.coef_[-1] > 0
    assert abs(free.coef_[0] - held.coef_[0]) < held.coef_[0] / 2


@pytest.mark.parametrize("choices", [False, True])
def test_a_saved_one_answers_alike(small, taught, tmp_path, choices):
    verifier, asked = small
    if choices:
        verifier = RavenStyle(forms=False, choices=True).fit(*taught[:2])
    problems = Problems.of(asked)
    again = load(save(verifier, tmp_path / "kept"))
    np.testing.assert_array_equal(again.verify(problems), verifier.verify(problems))


def test_one_class_and_one_author_are_errors():
    problems, same = toy_problems(20, seed=1)
    with pytest.raises(CorpusError, match="one class"):
        RavenStyle().fit(problems, np.ones(len(problems), dtype=bool))
    with pytest.raises(SpecError, match="out of range"):
        RavenStyle(C=0).fit(problems, same)


def test_attribution_is_not_drawn_by_the_subject():
    rng = np.random.default_rng(1)
    habits = {"Ada": [0.7, 0.1, 0.1, 0.1], "Bob": [0.1, 0.1, 0.1, 0.7]}
    subject = {"Ada": WORDS, "Bob": OTHERS}
    texts = [written(habits[a], subject[a], rng) for a in habits for _ in range(8)]
    method = registry.parse("attributor", "raven-style").fit(
        texts, [a for a in habits for _ in range(8)]
    )
    crossed = [
        written(habits[a], subject[b], rng)
        for a, b in (("Ada", "Bob"), ("Bob", "Ada"))
        for _ in range(6)
    ]
    named = method.predict(crossed)
    assert (named == np.repeat(["Ada", "Bob"], 6)).mean() >= 0.75
    np.testing.assert_allclose(method.probabilities(crossed).sum(axis=1), 1)
