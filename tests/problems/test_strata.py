"""Evenly filled strata: one author or two, on one topic or on two."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.problems.strata import evenly
from ravenbench.statistics.axes import Content, content_axis
from ravenbench.statistics.content import ContentFigures
from ravenbench.statistics.estimates import Estimate


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(2, 6), st.integers(1, 15))
def test_every_kind_has_equally_many_pairs(seed: int, authors: int, topics: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    count = 60
    author = rng.integers(0, authors, count)
    topic = rng.integers(0, topics, count)
    rows = np.sort(rng.choice(1_000, count, replace=False)).astype(np.int64)
    pairs = evenly(rows, author, topic, most, np.random.default_rng(seed))
    by = dict(zip(rows.tolist(), zip(author.tolist(), topic.tolist(), strict=True), strict=True))
    kinds: dict[tuple[bool, bool], int] = {}
    for known, questioned, same in zip(pairs.known, pairs.questioned, pairs.same, strict=True):
        (writer, about), (other, elsewhere) = by[int(known)], by[int(questioned)]
        assert known != questioned
        assert (writer == other) == bool(same)
        kind = bool(same), about == elsewhere
        kinds[kind] = kinds.get(kind, 0) + 1
    assert set(kinds.values()) <= {len(pairs) // 4}
    assert len(kinds) in (0, 4)
    assert len(pairs) <= 4 * most
    of_same = {(int(a), int(b)) for a, b in zip(pairs.known, pairs.questioned, strict=True)}
    assert len(of_same) >= len(pairs) // 2, "no same-author pair occurs twice"


def test_authors_take_turns() -> None:
    """One author's many texts do not fill a stratum that others could fill."""
    author = np.array([0] * 40 + [writer for writer in range(1, 11) for _ in range(4)])
    topic = np.tile([0, 0, 1, 1], 20)
    pairs = evenly(np.arange(80), author, topic, 10, np.random.default_rng(1))
    of_first = (author[pairs.known] == 0) & pairs.same
    assert len(pairs) == 40
    assert of_first.sum() <= 2


def test_without_a_second_topic_there_is_none() -> None:
    author = np.repeat(np.arange(10), 4)
    assert not len(evenly(np.arange(40), author, np.zeros(40, int), 10, np.random.default_rng(0)))


@pytest.mark.parametrize(("high", "outcome"), [(0.47, Content.FOLLOWS), (0.53, Content.LESS)])
def test_below_guessing_where_topic_misleads_is_to_follow_topic(
    high: float, outcome: Content
) -> None:
    def of(value: float, half: float) -> Estimate:
        return Estimate(value, half / 2, (value - half, value + half), 50.0)

    nothing = {
        name: of(0.0, 0.005)
        for name in ("drop", "swing", "sway", "shift", "turned", "silence", "null_swing")
    }
    figures = ContentFigures(
        auc=of(0.7, 0.02),
        style_left=of(0.7, 0.02),
        share=of(0.5, 0.01),
        null_share=of(0.5, 0.01),
        null_shift=of(0.01, 0.005),
        null_turned=of(0.01, 0.005),
        same=400,
        different=400,
        folds=5,
        units=80,
        **nothing,
    )
    assert content_axis(figures).outcome is Content.LESS
    judged = content_axis(figures, misleads=of(high - 0.05, 0.05))
    assert judged.outcome is outcome
    assert (Content.FOLLOWS in judged.effects) == (outcome is Content.FOLLOWS)
