from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenbench.errors import InputError
from ravenbench.metrics.base import checked, count
from ravenbench.metrics.pan import auc, scores, scores_of

PAN20 = {  # auc, c@1, f1, f05u (2020), overall (2020), f05u, overall
    "boenninghoff20-small": (0.939986, 0.889061, 0.905762, 0.853452, 0.897065, 0.868667, 0.900869),
    "weerasinghe20-small": (0.938713, 0.832856, 0.859970, 0.816656, 0.862049, 0.816656, 0.862049),
    "halvani20-small": (0.877568, 0.796195, 0.806912, 0.818917, 0.824898, 0.820444, 0.825280),
    "niven20-small": (0.794689, 0.785619, 0.778324, 0.841510, 0.800036, 0.841510, 0.800036),
    "faber20-small": (0.293359, 0.331308, 0.261599, 0.313543, 0.299952, 0.294065, 0.295083),
}


def jsonl(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line]


@pytest.mark.data
@pytest.mark.parametrize("system", PAN20)
def test_published_table_of_pan20(pan20: Path, system: str) -> None:
    truth = {str(row["id"]): bool(row["same"]) for row in jsonl(pan20 / "truth.jsonl")}
    answers = {str(row["id"]): row["value"] for row in jsonl(pan20 / system / "answers.jsonl")}
    got = scores(list(truth.values()), [answers.get(i, 0.5) for i in truth])
    old = (got["auc"] + got["c@1"] + got["f05u_2020"] + got["f1"]) / 4  # type: ignore[operator]
    found = (got["auc"], got["c@1"], got["f1"], got["f05u_2020"], old, got["f05u"], got["overall"])
    assert found == pytest.approx(PAN20[system], abs=5.001e-7)


def test_toy_case_of_the_specification() -> None:
    got = scores([1, 1, 0, 0], [0.9, 0.5, 0.4, 0.6])
    assert got["c@1"] == 0.625
    assert got["f05u"] == 0.5
    assert got["f1"] == pytest.approx(2 / 3)
    assert got["auc"] == 0.75
    assert got["brier"] == pytest.approx(1 - (0.01 + 0.25 + 0.16 + 0.36) / 4)
    assert got["final"] == pytest.approx(0.75 * 0.625)
    assert got["unanswered"] == 1
    assert got["f05u_2020"] == pytest.approx(2.5 / (2.5 + 1))


def test_nothing_answered() -> None:
    got = scores([True, False, True], [0.5, 0.5, 0.5])
    assert (got["c@1"], got["f1"], got["f05u"], got["auc"]) == (0, None, 0, 0.5)
    assert got["precision"] is None
    assert got["recall"] is None


def test_one_class_leaves_metrics_undefined() -> None:
    only_different = scores([False, False], [0.1, 0.2])
    assert {k for k, v in only_different.items() if v is None} == {
        "auc",
        "f1",
        "f05u",
        "f05u_2020",
        "precision",
        "recall",
        "overall",
        "overall5",
        "final",
    }
    assert only_different["c@1"] == 1
    only_same = scores([True, True], [0.9, 0.2])
    assert {k for k, v in only_same.items() if v is None} == {"auc", "overall", "overall5", "final"}
    assert only_same["c@1"] == 0.5


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.01, 1.01, "x", [0.5]])
def test_bad_values_are_errors(bad: object) -> None:
    with pytest.raises(InputError):
        scores([True, False], np.array([0.4, bad], dtype=object))


def test_lengths_truth_and_emptiness_are_checked() -> None:
    with pytest.raises(InputError, match="length"):
        scores([True], [0.1, 0.2])
    with pytest.raises(InputError, match="no problem"):
        scores([], [])
    with pytest.raises(InputError, match="boolean"):
        scores([0, 2], [0.1, 0.2])
    with pytest.raises(InputError, match="out of range"):
        scores([True, False], [0.1, 0.2], decision=[1, 0.4])


def test_decisions_of_pan13_count_but_scores_rank() -> None:
    got = scores([True, True, False], [0.9, 0.8, 0.7], decision=[1, 0.5, 0])
    assert got["auc"] == 1
    assert got["c@1"] == pytest.approx((2 + 2 / 3) / 3)
    assert got["unanswered"] == 1


VALUES = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.5, 0.7, 0.70001, 1.0])


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), VALUES), min_size=1, max_size=40))
def test_against_scikit_learn(rows: list[tuple[bool, float]]) -> None:
    from sklearn import metrics as sk

    same, value = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    got = scores(same, value)
    assert got["brier"] == pytest.approx(1 - np.mean((value - same) ** 2))
    if same.all() or not same.any():
        assert auc(same, value) is None
    else:
        assert got["auc"] == pytest.approx(sk.roc_auc_score(same, value))
    answered = value != 0.5
    if answered.any() and same.any():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            truth, said = same[answered], value[answered] > 0.5
            f1 = sk.f1_score(truth, said, zero_division=np.nan)
            assert got["f1"] is None if np.isnan(f1) else got["f1"] == pytest.approx(f1)
            if got["precision"] is not None:
                assert got["precision"] == pytest.approx(sk.precision_score(truth, said))
            if got["recall"] is not None:
                assert got["recall"] == pytest.approx(sk.recall_score(truth, said))


def test_many_at_once_score_as_each_alone() -> None:
    rng = np.random.default_rng(0)
    systems = [
        (rng.random(n) < 0.5, rng.choice([0.0, 0.3, 0.5, 0.8, 1.0], n)) for n in (1, 2, 5, 40)
    ]
    assert scores_of([count(*checked(*system)) for system in systems]) == [
        scores(*system) for system in systems
    ]
    assert scores_of([]) == []
