"""The analysis against figures computed by hand from the same store."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import spearmanr, ttest_ind

from ravenbench.metrics import scores
from ravenbench.reports.report import analyse
from ravenbench.statistics.estimates import pool_mean
from ravenbench.store.store import Store
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.run.report import RunReport

KEYS = {
    "run",
    "report",
    "pairs",
    "metric",
    "pools",
    "composition",
    "detectable",
    "setups",
    "results",
    "shortcut",
    "no_choice",
    "sweep",
    "lengths",
    "content",
    "content_references",
    "domain",
    "strata",
    "stability",
    "failed",
    "variants",
    "against",
}


def values(store: Store, verifier: str, setup: str, metric: str) -> dict[tuple[int, int], float]:
    found = {}
    for name, info in store.plan.folds.items():
        if info.setup == setup:
            cell = store.cell(verifier, name)
            if cell is not None and cell.answers is not None:
                found[info.pool, info.fold] = scores(store.truth(name), cell.answers)[metric]
    return found


def test_means_and_the_papers_t_test(made_up: Store) -> None:
    analysis = analyse(made_up)
    hits = list(values(made_up, "topic-fit", "hits", "f05u").values())
    random = list(values(made_up, "topic-fit", "random", "f05u").values())
    r = analysis.result("topic-fit", "hits")
    assert r is not None and r.folds == r.planned == 12
    assert r.mean["f05u"] == pytest.approx(np.mean(hits))
    assert r.std["f05u"] == pytest.approx(np.std(hits, ddof=1))
    assert r.p["f05u"] == pytest.approx(ttest_ind(hits, random).pvalue)
    other = analysis.result("topic-fit", "random")
    assert other is not None and set(other.p.values()) == {None}


def test_shortcut_is_paired_by_pool_and_allows_for_overlap(made_up: Store) -> None:
    analysis = analyse(made_up)
    s = next(s for s in analysis.shortcut if (s.verifier, s.metric) == ("topic-fit", "auc"))
    hits, random = (values(made_up, "topic-fit", setup, "auc") for setup in ("hits", "random"))
    by_pool = [
        np.mean([hits[p, f] for f in range(4)]) - np.mean([random[p, f] for f in range(4)])
        for p in range(3)
    ]
    expected = pool_mean(by_pool, [pool.topics for pool in made_up.plan_as(RunPlan).pools])
    assert s.difference == pytest.approx(expected.mean) and s.difference < 0
    assert s.interval == pytest.approx(expected.interval)
    assert s.diff == pytest.approx(abs(expected.mean))
    assert s.distinguishable is not (expected.interval[0] <= 0 <= expected.interval[1])
    assert analysis.shortcut[0].metric == "auc", "AUC leads"


def test_only_folds_complete_on_both_sides_are_compared(with_failure: Store) -> None:
    analysis = analyse(with_failure)
    s = next(s for s in analysis.shortcut if (s.verifier, s.metric) == ("ppm", "auc"))
    hits, random = (values(with_failure, "ppm", setup, "auc") for setup in ("hits", "random"))
    both = {p: [f for f in range(4) if (p, f) in hits and (p, f) in random] for p in range(3)}
    assert both[0] == [0, 2, 3]
    assert s.random == pytest.approx(
        np.mean([np.mean([random[p, f] for f in both[p]]) for p in both])
    )
    r = analysis.result("ppm", "hits")
    assert r is not None and (r.folds, r.planned) == (11, 12)
    assert [(f.verifier, f.fold) for f in analysis.failures] == [("ppm", "p00-hits-1")]
    assert analysis.failures[0].cell and "no" in analysis.failures[0].error


def test_ranks_and_stability(with_failure: Store) -> None:
    analysis = analyse(with_failure)
    names = analysis.verifiers
    complete = list(values(with_failure, "ppm", "hits", "auc"))
    pools = []
    for pool in range(3):
        table = [
            [values(with_failure, v, "hits", "auc")[k] for v in names]
            for k in complete
            if k[0] == pool
        ]
        pools.append(np.mean([spearmanr(a, b).statistic for a, b in combinations(table, 2)]))
    assert analysis.stability["hits"]["auc"] == pytest.approx(np.mean(pools))
    ranks = [analysis.result(v, "hits").rank for v in names]  # type: ignore[union-attr]
    assert sum(ranks) == pytest.approx(10), "ranks of four verifiers add up to 1+2+3+4"


def test_neighbours_are_the_most_similar_train_test_pairs(made_up: Store) -> None:
    similarity, names = made_up.similarity(), made_up.plan_as(RunPlan).topics
    for setup in analyse(made_up).setups:
        folds = [f for f in made_up.plan.folds.values() if f.setup == setup.name]
        pairs = {frozenset((a, b)) for f in folds for a in f.train_topics for b in f.test_topics}
        best = sorted((similarity[tuple(sorted(p))] for p in pairs), reverse=True)[:5]
        assert [n[2] for n in setup.neighbours] == pytest.approx(best)
        a, b, value = setup.neighbours[0]
        assert similarity[names.index(a), names.index(b)] == pytest.approx(value)


def test_json_has_every_key_and_no_nan(made_up: Store, given_run: Store, one_pool: Store) -> None:
    for store in (made_up, given_run, one_pool):
        made = RunReport(store).to_json()
        assert set(made) == KEYS
        json.dumps(made, allow_nan=False)
        assert {"hits", "random", "anti"} <= set(made["setups"])
        result = {
            "verifier",
            "setup",
            "auc",
            "c@1",
            "f05u",
            "f1",
            "brier",
            "overall",
            "overall5",
            "unanswered",
            "std",
        }
        assert all(set(r) == result for r in made["results"])
        tested = {
            "verifier",
            "metric",
            "hits",
            "random",
            "difference",
            "diff",
            "interval",
            "distinguishable",
        }
        assert all(set(s) == tested for s in made["shortcut"])


def test_one_pool_has_no_interval(one_pool: Store) -> None:
    analysis = analyse(one_pool)
    assert analysis.detectable is None
    assert {(s.interval, s.distinguishable) for s in analysis.shortcut} == {(None, None)}
    assert set(analysis.stability["hits"].values()) == {None}, "one verifier cannot be ranked"


def test_given_problem_sets_have_no_shortcut_test(given_run: Store) -> None:
    analysis = analyse(given_run)
    assert analysis.shortcut == () and [s.name for s in analysis.setups] == ["given"]
    assert RunReport(given_run, analysis).to_json()["setups"]["hits"] is None


def test_repeatable(made_up: Store) -> None:
    first, again = (json.dumps(RunReport(Store.open(made_up.path)).to_json()) for _ in range(2))
    assert first == again
