"""Attribution before and after an attack: PAN's macro F1 under weights, authors drawn whole, the test by hand."""

import numpy as np
import pytest

from ravenbench.reading.pan_attribution import UNKNOWN
from ravenbench.reading.pan_attribution import macro_f1 as pan_macro_f1
from ravenbench.statistics.attacks import Texts, attribution_change, impact_intervals, macro_f1

TRUTH = np.array([0, 0, 1, 1, 2, -1, 3, 3, 4])
PROBLEM = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1])
TEXTS = Texts(TRUTH, PROBLEM, TRUTH >= 0)
SAID = np.array([0, 1, 1, 1, -1, 2, 3, 4, 4])


def pan(keep):
    """PAN's own function on the kept texts, a mean over the two problems."""
    found = []
    for problem in (0, 1):
        rows = [i for i in np.flatnonzero(problem == PROBLEM) if keep[i]]
        name = {-1: UNKNOWN, **{a: f"a{a}" for a in range(5)}}
        truth, said = ({str(i): name[codes[i]] for i in rows} for codes in (TRUTH, SAID))
        if any(author != UNKNOWN for author in truth.values()):
            found.append(pan_macro_f1(truth, said, [f"a{a}" for a in range(5)]))
    return np.mean(found)


def test_macro_f1_is_pans_whichever_authors_are_drawn():
    everything = np.ones(9)
    keeps = [everything, TRUTH != 1, (TRUTH != 2) & (TRUTH != -1), PROBLEM == 0]
    found = macro_f1(np.array(keeps, dtype=float), TEXTS, SAID)
    assert found == pytest.approx([pan(keep) for keep in keeps])


def test_an_author_drawn_twice_counts_twice():
    # Authors 0 and 1 of one problem, a text each; only author 0 is recognised: F1 1 and 0.
    texts = Texts(np.array([0, 1]), np.array([0, 0]), np.array([True, True]))
    said = np.array([0, -1])
    assert macro_f1(np.array([[1.0, 1.0], [2.0, 1.0]]), texts, said) == pytest.approx([0.5, 2 / 3])


def test_texts_by_nobody_stand_alone():
    assert Texts(
        np.array([3, -1, 3, -1, 0]), np.zeros(5, int), np.ones(5, bool)
    ).clusters.tolist() == [1, 2, 1, 3, 0]


def test_the_change_by_hand():
    truth = np.repeat(np.arange(6), 2)
    texts = Texts(truth, np.zeros(12, dtype=int), np.ones(12, dtype=bool))
    after = np.where(np.arange(12) < 10, -1, truth)  # both texts of five of six authors are lost
    found = attribution_change(
        texts, (truth, np.ones(12)), [(after, np.repeat([4.0, 1.0], [10, 2]))]
    )
    assert (found.accuracy.before, found.accuracy.after) == (1, pytest.approx(1 / 6))
    assert found.macro_f1.after == pytest.approx(1 / 6)
    assert found.rank.delta == pytest.approx(2.5)
    assert found.p == pytest.approx(
        2 / 2**5
    )  # five authors that could have gone either way, not ten texts
    assert found.accuracy.interval[0] <= found.accuracy.delta <= found.accuracy.interval[1] < 0
    same = attribution_change(texts, (truth, np.full(12, np.nan)), [(truth, np.ones(12))])
    assert same.p == 1 and same.accuracy.interval == (0, 0) and same.rank is None


def test_untouched_texts_do_not_enter_the_test():
    truth = np.array([0, 1, -1, -1])
    texts = Texts(truth, np.zeros(4, dtype=int), truth >= 0)
    found = attribution_change(texts, (truth, np.ones(4)), [(np.array([0, 1, 0, 1]), np.ones(4))])
    assert found.p == 1 and found.accuracy.delta == -0.5


def test_impact_draws_authors():
    rng = np.random.default_rng(0)
    before = rng.random((2, 40)) < 0.9
    after = np.repeat(rng.random((1, 2, 8)) < 0.4, 5, axis=2) & before
    alone = impact_intervals(before, after, clusters=np.arange(40))
    for one, other in zip(alone.each, impact_intervals(before, after).each, strict=True):
        assert one == pytest.approx(other)
    drawn = impact_intervals(before, after, clusters=np.repeat(np.arange(8), 5))
    width = [high - low for low, high in (drawn.each[1], alone.each[1])]
    assert width[0] > 1.5 * width[1] > 0
