"""What a plan says that work takes, beside what it takes."""

import time

import numba
import numpy as np
import pytest

from given_problems import made_up
from ravenbench.engine.estimate import FEWEST, of_beginnings, reckon
from ravenbench.engine.pool import silent
from ravenbench.engine.transplants import foreseen_transplants, plan_given_transplants
from ravenbench.problems.sources import given
from ravenbench.store.plans import on_one_table


def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_what_grows_with_the_number_goes_on_growing_and_the_rest_does_not():
    assert reckon(lambda few: busy(0.01 + 0.001 * few), 1000) == pytest.approx(1.01, rel=0.3)


def test_what_is_too_few_for_a_method_is_not_tried():
    def work(few):
        assert few >= FEWEST
        busy(0.04)

    assert reckon(work, FEWEST) == pytest.approx(0.04, rel=0.5)
    assert reckon(lambda few: 1 / 0, 10) is None


def test_a_kernel_that_is_compiled_is_no_part_of_it():
    def work(few):
        @numba.njit
        def kernel(values):
            return np.sort(values)[: len(values) // 2].sum()

        begin = time.process_time()
        kernel(np.arange(few, dtype=float))
        compiled.append(time.process_time() - begin)

    compiled = []
    assert reckon(work, FEWEST) < 0.5 * min(compiled)


def test_texts_are_reckoned_by_their_length():
    texts = ["a" * 24_000] * 100
    assert of_beginnings(lambda some: busy(0.05 + 1e-7 * sum(map(len, some))), texts) == pytest.approx(0.29, rel=0.4)
    assert of_beginnings(lambda some: 1 / 0, texts) is None


def test_what_stands_for_transplants_in_a_plan_is_as_much(monkeypatch):
    (train, train_same), (test, test_same) = made_up(4, seed=1), made_up(100, seed=2)
    _, (train, test) = on_one_table([train, test])
    fold = given(train, train_same, test, test_same, "made")
    whole, foreseen = plan_given_transplants(fold, silent), foreseen_transplants(fold, silent)
    assert [one.name for one in foreseen.folds] == [one.name for one in whole.folds]
    assert foreseen.section.reason is None
    for mine, theirs in zip(foreseen.folds, whole.folds, strict=True):
        assert len(mine.test) == pytest.approx(len(theirs.test), abs=5)
    few = given(train, train_same, test.select(np.arange(12)), test_same[:12], "few")
    assert foreseen_transplants(few, silent).section == plan_given_transplants(few, silent).section
