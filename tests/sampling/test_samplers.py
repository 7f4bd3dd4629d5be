import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.references.hits import choose_plainly

from ravenbench import registry
from ravenbench.errors import CorpusError, SpecError
from ravenbench.randomness import stream
from ravenbench.sampling import HITS, Anti, Grouping, Hybrid, Random, choose
from ravenbench.testing import check_component
from ravenbench.topics.levels import cosine_similarity

RNG = np.random.default_rng(0)
SAMPLERS = (HITS(), Random(), Anti(), Grouping(), Hybrid(), Hybrid(threshold=-2))


@st.composite
def similarities(draw):
    size = draw(st.integers(1, 12))
    grid = st.sampled_from([-1.0, -0.25, -1e-17, 0.0, 0.1, 0.25, 0.5, 1.0])
    values = draw(
        hnp.arrays(
            np.float64, (size, size), elements=st.one_of(grid, st.floats(-1, 1, allow_nan=False))
        )
    )
    similarity = np.triu(values, 1)
    similarity = similarity + similarity.T
    np.fill_diagonal(similarity, draw(st.sampled_from([0.0, 1.0])))
    return similarity, draw(st.integers(1, size))


@given(similarities())
def test_hits_chooses_what_the_equations_choose(case):
    similarity, m = case
    assert choose(similarity, m).tolist() == choose_plainly(similarity, m).tolist()


@given(similarities())
def test_float_noise_does_not_matter(case):
    similarity, m = case
    similarity = np.round(similarity, 6)
    noise = np.random.default_rng(1).choice([-1e-17, 1e-16, 0.0], size=similarity.shape)
    assert choose(similarity + noise, m).tolist() == choose(similarity, m).tolist()


@settings(deadline=None)  # The first call compiles.
@given(similarities(), st.integers(0, 3))
def test_every_sampler_keeps_its_promises(case, seed):
    similarity, m = case
    size = len(similarity)
    for sampler in (
        HITS(),
        Random(),
        Anti(),
        Grouping(),
        Hybrid(),
        Hybrid(threshold=-2),
    ):
        selection = sampler.select(similarity, m, stream(seed, "test"))
        assert len(set(selection.chosen.tolist())) == m
        assert selection.merged.shape == (size,) and selection.merged.dtype == np.int64
        assert (selection.merged[selection.chosen] == selection.chosen).all()
        assert set(selection.merged.tolist()) - {-1} == set(selection.chosen.tolist())
        again = sampler.select(similarity, m, stream(seed, "test"))
        assert again.chosen.tolist() == selection.chosen.tolist()


def test_a_duplicate_is_never_chosen_before_an_orthogonal_topic():
    vectors = np.array(
        [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], float
    )
    chosen = choose(cosine_similarity(vectors), 6).tolist()
    assert chosen[:4] == [4, 0, 2, 5]
    assert sorted(chosen[4:]) == [1, 3]


def test_worked_example_of_equation_3():
    # Means to the others: .433 .400 .300 .267. Topic 3 starts; then leakage .5², .1², .2² → 1.
    # Then leakage of 0: mean(.5, .6)·.6 = .33; of 2: mean(.2, .5)·.5 = .175 → 2.
    s = np.array([[1, 0.6, 0.2, 0.5], [0.6, 1, 0.5, 0.1], [0.2, 0.5, 1, 0.2], [0.5, 0.1, 0.2, 1]])
    assert choose(s, 4).tolist() == [3, 1, 2, 0]


def test_two_negative_factors_do_not_make_a_topic_leak():
    s = np.eye(3)
    s[0, 1] = s[1, 0] = -0.6
    s[0, 2] = s[2, 0] = 0.05
    s[1, 2] = s[2, 1] = 0.9
    assert choose(s, 2).tolist() == [0, 1]


def test_negative_similarities_are_counted_in_the_log(caplog):
    s = np.eye(3)
    s[0, 1] = s[1, 0] = -0.2
    with caplog.at_level(logging.INFO, logger="ravenbench"):
        choose(s, 2)
    assert "1 of 3 topic pairs" in caplog.text


def test_anti_takes_a_cluster_and_hits_spreads():
    rng = np.random.default_rng(0)
    centres = np.eye(5).repeat(4, axis=0)
    s = cosine_similarity(centres + rng.normal(scale=0.05, size=centres.shape))
    assert len(set((choose(s, 5) // 4).tolist())) == 5
    assert len(set((Anti().select(s, 4, RNG).chosen // 4).tolist())) == 1


def test_grouping_joins_the_nearest_and_hybrid_only_the_near():
    s = np.array([[1, 0.0, 0.9, 0.3], [0.0, 1, 0.1, 0.4], [0.9, 0.1, 1, 0.2], [0.3, 0.4, 0.2, 1]])
    chosen = choose(s, 2).tolist()
    assert sorted(chosen) == [0, 1]
    assert Grouping().select(s, 2, RNG).merged.tolist() == [0, 1, 0, 1]
    assert Hybrid(threshold=0.5).select(s, 2, RNG).merged.tolist() == [0, 1, 0, -1]


@pytest.mark.parametrize("m", [0, 4])
@pytest.mark.parametrize("name", registry.names("sampler"))
def test_a_number_of_topics_that_is_not_there_is_refused(name, m):
    with pytest.raises(CorpusError, match="3 topics"):
        registry.parse("sampler", name).select(np.eye(3), m, RNG)


@pytest.mark.parametrize("text", [*registry.names("sampler"), "hybrid(threshold=0.25)"])
def test_samplers_are_components(text):
    check_component("sampler", registry.parse("sampler", text))


@pytest.mark.parametrize("draw", [-1, 1.5, "x", True, None])
def test_draws_of_random_are_whole_numbers(draw):
    with pytest.raises(SpecError, match="draw must be"):
        Random(draw).select(np.eye(3), 2, RNG)
