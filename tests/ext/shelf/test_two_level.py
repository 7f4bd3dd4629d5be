"""Two-level models of counts, held against integrals and likelihoods by their definition."""

from __future__ import annotations

import numpy as np
import pytest
from tests.references import two_level as plain

from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.ext.shelf.published.two_level import LN10, DirichletMultinomial, PoissonGamma
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems
from small_run import few

TRAIN, SAME = toy_problems(20, known=2, words=60, seed=8)
TEST, _ = toy_problems(6, known=2, words=60, seed=9)
SPECS = [
    "dirichlet-multinomial",
    "dirichlet-multinomial(unit='character', size=50)",
    "poisson-gamma",
    "poisson-gamma(unit='character', n=2, size=50)",
]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("known", [1, 2])
def test_they_keep_the_contract(spec, known):
    check_verifier(registry.parse("verifier", spec), known=known, problems=few(known))


def sides(problems: Problems, i: int, units: list[str]) -> tuple[list[int], list[int], int, int]:
    known = problems.texts.rows(problems.known(i))
    y, size_y = plain.word_counts(known, units)
    x, size_x = plain.word_counts([problems.texts[problems.questioned_index[i]]], units)
    return x, y, size_x, size_y


def test_poisson_gamma_is_the_product_of_integrals_over_units():
    method = PoissonGamma(size=4).fit(TRAIN, SAME)
    for i, score in enumerate(method.score(TEST)[:2]):
        x, y, size_x, size_y = sides(TEST, i, method.units_)
        # Where a unit varies no more than chance, its gamma distribution is too narrow to integrate, and says nothing.
        each = [
            plain.poisson_gamma(a, b, size_x, size_y, shape, rate)
            for a, b, shape, rate in zip(x, y, method.shape_, method.rate_, strict=True)
            if shape < 1e5
        ]
        assert score == pytest.approx(sum(each) / LN10, abs=1e-3)


def test_dirichlet_multinomial_is_the_integral_over_shares():
    method = DirichletMultinomial(size=2).fit(TRAIN, SAME)
    method.alpha_ = np.array([3.0, 2.5])
    for i, score in enumerate(method.score(TEST)):
        x, y, _, _ = sides(TEST, i, method.units_)
        assert score == pytest.approx(
            plain.dirichlet_two(x, y, method.alpha_.tolist()) / LN10, abs=1e-6
        )


def authors_counts() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.stack(
        [rng.multinomial(300, rng.dirichlet([8.0, 3.0, 1.0])) for _ in range(60)]
    ).astype(float)


def test_learned_parameters_have_the_greatest_likelihood():
    counts = authors_counts()
    dirichlet = DirichletMultinomial()
    dirichlet._learn(counts, counts.sum(axis=1))
    best = plain.dirichlet_likelihood(counts.astype(int).tolist(), dirichlet.alpha_.tolist())
    assert np.allclose(dirichlet.alpha_, [8, 3, 1], rtol=0.35)
    for unit in range(3):
        for factor in (0.97, 1.03):
            other = dirichlet.alpha_.copy()
            other[unit] *= factor
            assert plain.dirichlet_likelihood(counts.astype(int).tolist(), other.tolist()) < best
    gamma, sizes = PoissonGamma(), np.full(60, 400.0)
    gamma._learn(counts, sizes)
    for unit, (shape, rate) in enumerate(zip(gamma.shape_, gamma.rate_, strict=True)):
        column = counts[:, unit].astype(int).tolist()
        best = plain.gamma_likelihood(column, sizes.tolist(), shape, shape / rate)
        for factor in (0.97, 1.03):
            assert (
                plain.gamma_likelihood(column, sizes.tolist(), shape * factor, shape / rate) < best
            )


def test_what_varies_no_more_than_chance_says_nothing():
    method = PoissonGamma()
    method._learn(np.full((30, 1), 50.0), np.full(30, 1000.0))
    zero, ten = np.zeros((1, 1)), np.full((1, 1), 10.0)
    assert abs(method.llr(ten, zero, np.array([200.0]), np.array([200.0]))[0]) < 1e-3


@pytest.mark.parametrize("spec", SPECS)
def test_rare_habits_shared_count_more_than_common_ones(spec):
    """Both sides alike in what few authors do is stronger evidence than alike in what all do."""
    rng = np.random.default_rng(1)
    filler = ["the", "of", "and", "to", "in"]

    def text(habit: str | None, words: int = 200) -> str:
        return " ".join(
            habit if habit and rng.random() < 0.06 else rng.choice(filler) for _ in range(words)
        )

    authors = ["whilst", *[None] * 9, *["upon"] * 10]
    train = Problems.of(
        [(f"t{i}", [text(habit), text(habit)], text(habit)) for i, habit in enumerate(authors)]
    )
    method = registry.parse("verifier", spec).fit(train, np.ones(len(authors), dtype=bool))
    asked = [("rare", "whilst", "whilst"), ("common", "upon", "upon"), ("apart", "whilst", "upon")]
    rare, common, apart = method.score(
        Problems.of([(name, [text(a)], text(b)) for name, a, b in asked])
    )
    assert rare > max(common, 0) and min(common, 0) > apart


def test_a_side_without_known_units_says_nothing():
    problems = Problems.of(
        [("empty", ["…"], TEST.texts[0]), ("other", ["ξένο κείμενο"], TEST.texts[0])]
    )
    for method in (DirichletMultinomial(), PoissonGamma()):
        scores = method.fit(TRAIN, SAME).score(problems)
        assert scores[0] == pytest.approx(0, abs=1e-9) and np.isfinite(scores).all()
    assert DirichletMultinomial().fit(TRAIN, SAME).score(problems)[1] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    "spec", ["poisson-gamma(unit='syllable')", "dirichlet-multinomial(size=1)"]
)
def test_parameters_out_of_range(spec):
    with pytest.raises(SpecError, match="must be"):
        registry.parse("verifier", spec).fit(TRAIN, SAME)
