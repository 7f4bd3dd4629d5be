"""Systems of PAN-2014: Fréry, Modaresi, Castillo, Satyam, Zamani, Mayor."""

from __future__ import annotations

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.ext.shelf.calibrators import Banded
from ravenbench.ext.shelf.published.castillo_2014 import jaccard, voted
from ravenbench.ext.shelf.published.frery_2014 import Frery2014
from ravenbench.ext.shelf.published.mayor_2014 import concentration, sparse_weights
from ravenbench.ext.shelf.published.modaresi_2014 import fuzzy_c_means, memberships
from ravenbench.ext.shelf.published.satyam_2014 import latent, log_entropy, separation
from ravenbench.ext.shelf.published.shelf_views import (
    Members,
    count,
    dense,
    halves,
    sentence_lengths,
    units_of,
)
from ravenbench.ext.shelf.published.zamani_2014 import jensen_shannon, neighbours
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems
from ravenbench.verifiers.contract.base import as_verifier

SHELF = [
    "frery-2014(folds=3, size=2000)",
    "modaresi-2014(restarts=3)",
    "castillo-2014",
    "satyam-2014(lengths=(3, 4))",
    "zamani-2014(others=10)",
    "mayor-2014(iterations=7)",
]


@pytest.mark.parametrize("known", [1, 3])
@pytest.mark.parametrize("spec", SHELF)
def test_contract(spec: str, known: int) -> None:
    train, same = toy_problems(24, known, seed=1, words=60)
    check_verifier(registry.parse("verifier", spec), known=known, problems=(train, same))


@pytest.mark.parametrize("spec", SHELF)
def test_strange_texts(spec: str) -> None:
    """Greek, Dutch, one word, marks alone, digits alone: answered or left unanswered, never an error."""
    train, same = toy_problems(24, 1, seed=1, words=80)
    texts = [
        "Η γλώσσα είναι ένα σύστημα· ο άνθρωπος μιλά, γράφει και σκέφτεται. " * 6,
        "Ja",
        "?!",
        "2014 2014",
        ".",
        "Het meisje zag 's ochtends de zee; ze liep, en liep, en bleef staan. " * 6,
    ]
    rows = [(f"s{i}{j}", [a], b) for i, a in enumerate(texts) for j, b in enumerate(texts)]
    answers = (
        as_verifier(registry.parse("verifier", spec))
        .fit(train, same)
        .verify(Problems.of(rows).blind())
    )
    assert ((answers >= 0) & (answers <= 1)).all()


@pytest.mark.parametrize("spec", SHELF)
def test_tells_toy_authors_apart(spec: str) -> None:
    train, same = toy_problems(60, 3, seed=1)
    test, truth = toy_problems(30, 3, seed=2)
    answers = as_verifier(registry.parse("verifier", spec)).fit(train, same).verify(test.blind())
    assert answers[truth].mean() > answers[~truth].mean() + 0.05


def test_registered_under_what_they_are() -> None:
    kinds = {spec.partition("(")[0]: registry.parse("verifier", spec).provenance for spec in SHELF}
    assert kinds.pop("mayor-2014") == "sourced" and set(kinds.values()) == {"reconstructed"}


def test_streams() -> None:
    text = "The Cat sat; the dog barked. Why?"
    assert list(units_of(text, "word")) == ["the", "cat", "sat", "the", "dog", "barked", "why"]
    assert list(units_of(text, "mark")) == [";", ".", "?"]
    assert list(units_of(text, "stop", frozenset(["the"]))) == ["the", "the"]
    assert list(units_of(text, "prefix")) == ["bar"] and list(units_of(text, "suffix")) == ["ked"]
    assert list(units_of(text, "length")) == ["3", "3", "3", "3", "3", "6", "3"]
    assert sentence_lengths("One two. Three!? Four five six") == (2, 1, 3)
    assert dense(count(["abab", "bab"], 2)).tolist() == [[2.0, 1.0], [1.0, 1.0]]


def test_one_known_document_is_two_halves() -> None:
    assert halves("one two three four") == ["one two", "three four"] and halves("word") == [
        "wo",
        "rd",
    ]
    members = Members(
        Problems.of([("a", ["one two three four"], "five"), ("b", ["six", "five"], "one two")])
    )
    assert [[members.texts[r] for r in rows] for rows in members.known] == [
        ["one two", "three four"],
        ["six", "five"],
    ]
    assert [members.texts[r] for r in members.questioned] == ["five", "one two"]


def test_fuzzy_memberships_by_hand() -> None:
    """Distances 1 and 2 give 1 / (1 + 1/4) = .8; a point on a centre belongs to it alone."""
    centres = np.array([[0.0], [3.0]])
    found = memberships(np.array([[1.0], [0.0], [1.5], [-1.0]]), centres)
    assert found == pytest.approx(np.array([[0.8, 0.2], [1.0, 0.0], [0.5, 0.5], [16 / 17, 1 / 17]]))


def test_fuzzy_c_means_fixed_point() -> None:
    """Four points on a line: the centres solve c = Σμ²x / Σμ² with μ from the distances."""
    points = np.array([[0.0], [1.0], [9.0], [10.0]])
    centres = fuzzy_c_means(points, 2, restarts=3, tolerance=1e-12, seed=0)
    weight = memberships(points, centres) ** 2
    assert centres == pytest.approx((weight.T @ points) / weight.sum(axis=0)[:, None])
    assert centres[:, 0] == pytest.approx([0.5, 9.5], abs=0.05) and centres.sum() == pytest.approx(
        10
    )


def test_concentration_by_hand() -> None:
    """Three classes with ‖δ‖₁ = 3, 1, 0: (3 · 3/4 − 1) / 2 = .625."""
    assert concentration(np.array([2.0, -1.0, 1.0, 0.0]), np.array([0, 0, 1, 2])) == pytest.approx(
        0.625
    )
    assert concentration(np.array([5.0, 0.0]), np.array([0, 1])) == 1
    assert concentration(np.array([1.0, -1.0]), np.array([0, 1])) == 0
    assert concentration(np.zeros(2), np.array([0, 1])) == 0


@pytest.mark.parametrize("penalty", [1e-7, 0.05, 0.3])
def test_sparse_weights_meet_the_optimality_conditions(penalty: float) -> None:
    rng = np.random.default_rng(0)
    columns, target = rng.random((40, 8)), rng.random(40)
    columns /= np.linalg.norm(columns, axis=0)
    x = sparse_weights(columns.T @ columns, columns.T @ target, penalty)
    slope = columns.T @ (target - columns @ x)
    assert slope[x != 0] == pytest.approx(penalty * np.sign(x[x != 0]), abs=1e-8)
    assert (np.abs(slope) <= penalty + 1e-8).all()


def test_log_entropy_by_hand() -> None:
    """A column spread evenly over all rows weighs nothing, one that stands in one row its log count."""
    found = log_entropy(np.array([[1.0, 3.0], [1.0, 0.0]]))
    assert found == pytest.approx(np.array([[0.0, np.log(4)], [0.0, 0.0]]))


def test_latent_keeps_inner_products_up_to_rank() -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((6, 2)) @ rng.random((2, 30))
    found = latent(rows, 10)
    assert found.shape == (6, 5) and found @ found.T == pytest.approx(rows @ rows.T)


def test_separation_by_hand() -> None:
    """Known cosines 1, 0, 0 (mean 1/3, deviation √2/3); the other is orthogonal to all: −1/√2."""
    rows = np.array([[1.0, 0, 0], [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    assert separation(rows, 3) == pytest.approx(-1 / np.sqrt(2))
    assert np.isnan(separation(rows[:3], 2)) and np.isnan(separation(np.ones((4, 2)), 3))


def test_votes_by_hand() -> None:
    similarity = np.array(
        [[1, 0.6, 0.4, 0.3], [0.6, 1, 0.5, 0.4], [0.4, 0.5, 1, 0.5], [0.3, 0.4, 0.5, 1]]
    )
    owner, asked = np.arange(4), np.array([False, False, False, True])
    # Within: .5, .55, .45 (mean .5, deviation .041); towards: .4.
    assert voted(similarity, owner, asked) is False
    similarity[3, :3] = 0.47
    assert voted(similarity, owner, asked) is True
    assert voted(similarity[1:, 1:][1:, 1:], owner[:2], asked[2:]) is None
    assert jaccard(np.array([[1.0, 2, 0], [0, 1, 1], [0, 0, 0]]))[0].tolist() == pytest.approx(
        [1, 1 / 3, 0]
    )


def test_short_single_documents_are_left_unanswered() -> None:
    train, same = toy_problems(10, 1, words=149)
    answers = (
        as_verifier(registry.parse("verifier", "castillo-2014"))
        .fit(train, same)
        .verify(train.blind())
    )
    assert (answers == 0.5).all()


def test_jensen_shannon_by_hand() -> None:
    tiny = 1e-12
    far = jensen_shannon(np.array([1 - tiny, tiny]), np.array([[tiny, 1 - tiny], [1 - tiny, tiny]]))
    assert far == pytest.approx([1, 0], abs=1e-5)
    half = jensen_shannon(np.array([0.5, 0.5]), np.array([[1 - tiny, tiny]]))
    # H(.75, .25) − ½ = .3113
    assert half == pytest.approx([np.sqrt(0.8112781 - 0.5)], abs=1e-5)


def test_neighbours_by_hand() -> None:
    """k = 1 of 5: the three nearest are K at 1 and others at 2, 4; 1/1 against (1/2 + 1/4) / 4."""
    assert neighbours(np.array([1.0, 2.0, 4.0, 8.0, 9.0]), 1) == pytest.approx(1 / (1 + 0.75 / 4))


def test_tree_leaves_are_laplace_corrected() -> None:
    train, same = toy_problems(40, 3, seed=1)
    fitted = Frery2014(folds=3, size=2000).fit(train, same)
    values = set(np.round(fitted.verify(train.blind()), 9))
    possible = {round((a + 1) / (n + 2), 9) for n in range(5, 41) for a in range(n + 1)}
    assert values <= possible and len(values) > 1


def test_banded_leaves_the_middle_unanswered() -> None:
    rng = np.random.default_rng(0)
    scores = np.concatenate(
        [rng.normal(1, 0.3, 60), rng.normal(-1, 0.3, 60), rng.normal(0, 0.05, 40)]
    )
    same = np.concatenate([np.ones(60), np.zeros(60), rng.integers(0, 2, 40)]).astype(bool)
    answers = Banded().fit(scores, same).transform(np.array([-1.0, 0.0, 1.0, np.nan]))
    assert answers[0] < 0.5 < answers[2] and answers[3] == 0.5
    assert 0 <= Banded(most=0.02).fit(scores, same).radius_ <= 0.02
