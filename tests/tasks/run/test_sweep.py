import csv
import json

import pytest

from ravenbench.engine.pool import silent
from ravenbench.errors import CorpusError, SpecError
from ravenbench.reports.report import analyse, write_report
from ravenbench.tasks.api import run
from ravenbench.tasks.run.analysis import AVERAGE, estimate
from ravenbench.tasks.run.forecast import forecast
from ravenbench.tasks.run.plan import draft
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.run.report import RunReport
from ravenbench.tasks.run.spec import RunSpec, build

pytestmark = pytest.mark.usefixtures("undrawn")

SWEEP = {
    "corpus": "synthetic(documents=900, authors=60, words=60, topics=30)",
    "topics": [6, 10],
    "encoder": "lsa(dimensions=20), nmf(iterations=20)",
    "samplers": "hits, random, grouping",
    "pools": 2,
    "folds": 3,
    "probe": "none",
    "verifiers": "char-ngram, function-words, topic-fit",
}


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    found = run(**SWEEP, out=tmp_path_factory.mktemp("sweep") / "run", workers=1)
    assert found.errors == ()
    return found.store


def test_every_combination_is_a_point_and_equal_choices_share_folds(swept):
    section = swept.plan_as(RunPlan).sweep
    assert (section.m, section.encoders) == ([6, 10], ["lsa(dimensions=20)", "nmf(iterations=20)"])
    places = [(s.pool, s.m, s.encoder, s.setup) for s in section.setups]
    assert len(set(places)) == len(places) == 2 * 2 * 2 * 3
    by_place = dict(zip(places, section.setups, strict=True))
    for setup in swept.plan_as(RunPlan).setups:
        assert by_place[setup.pool, 6, 0, setup.setup].folds == setup.folds
    for pool in (0, 1):
        for m in (6, 10):
            assert by_place[pool, m, 0, "random"].folds == by_place[pool, m, 1, "random"].folds
        smaller, larger = (set(by_place[pool, m, 0, "random"].topics) for m in (6, 10))
        assert smaller < larger
    for (_, m, _, _), entry in by_place.items():
        chosen = set(entry.topics)
        assert len(chosen) == m
        for name in entry.folds:
            info = swept.plan.folds[name]
            assert {*info.train_topics, *info.test_topics} == chosen


def test_a_sweep_goes_on(swept):
    cells = {place.key: swept.cell_path(place.key).stat().st_mtime_ns for place in swept.plan.cells}
    assert run(**SWEEP, out=swept.path, workers=1).errors == ()
    assert {key: swept.cell_path(key).stat().st_mtime_ns for key in cells} == cells


def test_nothing_is_computed_twice(swept):
    keys = [cell.key for cell in swept.plan.cells]
    assert len(set(keys)) == len(keys) == 3 * len(swept.plan.folds)
    assert len(list((swept.path / "cells").iterdir())) == len(keys)


def test_tables_compare_within_pools(swept, tmp_path):
    analysis = analyse(swept)
    sweep = analysis.sweep
    hits, grouping = (sweep.point(s, 10, sweep.encoders[0]) for s in ("hits", "grouping"))
    pairs = zip(grouping.stability[AVERAGE].pools, hits.stability[AVERAGE].pools, strict=True)
    difference = sum(a - b for a, b in pairs) / 2
    found = sweep.contrast(grouping, hits)
    assert found.value == pytest.approx(difference)
    assert found.interval[0] <= difference <= found.interval[1]
    assert grouping.merged > 0 == hits.merged
    assert all(
        p.shared == 1 for p in sweep.points if p.setup == "random" or p.encoder == sweep.encoders[0]
    )
    assert [
        str(table.title)
        for table in RunReport(swept, analysis).closing()
        if "by number" in str(getattr(table, "title", ""))
    ]
    write_report(swept, analysis)
    page = (swept.path / "report" / "index.html").read_text()
    for key in ("similarity", "stability", "samplers", "encoders"):
        assert f'id="table-sweep-{key}"' in page
        with (swept.path / "report" / "tables" / f"sweep-{key}.csv").open() as handle:
            assert len(list(csv.reader(handle))) > 4
    assert "figure-sweep" in page
    made = RunReport(swept, analysis).to_json()["sweep"]
    json.dumps(made, allow_nan=False)
    assert len(made["points"]) == 12


def test_one_pool_has_no_interval():
    assert estimate([0.5], [[0, 1]]).interval is None
    low, high = estimate([0.9, None, 0.2], [[0, 1], [2, 3], [4, 5]]).interval
    assert (low, high) == (-1, 1)


def test_a_plan_says_what_a_sweep_would_hold():
    spec = build(
        {
            **SWEEP,
            "pools": 1,
            "encoder": "lsa(dimensions=20)",
            "topics": "6, 12",
            "verifiers": "chance",
        }
    )
    found = forecast(spec)
    assert [(p.m, p.setup, p.new) for p in found.sweep] == [
        (m, setup, 3) for m in (6, 12) for setup in ("hits", "random", "grouping")
    ]


def test_main_design_of_a_sweep_is_that_of_a_run_without():
    alone = draft(
        build({**SWEEP, "topics": 6, "encoder": "lsa(dimensions=20)", "samplers": "hits, random"}),
        silent,
    )
    swept = draft(build({**SWEEP, "samplers": "hits, random"}), silent)
    assert alone.plan.sweep is None
    assert alone.plan.setups == swept.plan.setups
    assert all(swept.plan.folds[name] == info for name, info in alone.plan.folds.items())


def test_samplers_that_share_a_name_are_told_apart():
    names = list(
        RunSpec(samplers="hits, hybrid(threshold=0.2), hybrid(threshold=-0.2)").named_samplers()
    )
    assert names == ["hits", "hybrid(threshold=0.2)", "hybrid(threshold=-0.2)"]
    spec = build({**SWEEP, "topics": 6, "samplers": ", ".join(names[1:]), "verifiers": "chance"})
    assert len({f for s in draft(spec, silent).plan.setups for f in s.folds}) == 2 * 2 * 3


def test_lists_in_a_file_and_as_flags_are_one_sweep(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(
        '[run]\ntopics = [25, 10]\nencoder = ["lsa", "nmf"]\nsamplers = ["hits", "grouping"]\n'
    )
    spec = build({}, file)
    assert spec == build({"topics": "25,10", "encoder": "lsa, nmf", "samplers": "hits, grouping"})
    assert spec.every_m() == (25, 10)
    assert build({"topics": "25"}) == build({"topics": 25}) == build({"topics": [25]})
    assert build(spec.resolved()) == spec


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"topics": "10,x"}, "topics: expected whole numbers"),
        ({"topics": "10,1"}, "topics: expected a whole number >= 2"),
        ({"topics": "10,10"}, "topics: .*without repetition"),
        ({"topics": []}, "topics: "),
        ({"folds": "5,10"}, "folds: expected a whole number"),
        ({"train": "a", "test": "b", "topics": "5,10"}, "no topics for a sweep"),
        ({"train": "a", "test": "b", "topics": [5, 10]}, "no topics for a sweep"),
    ],
)
def test_impossible_lists_are_refused(given, message):
    with pytest.raises(SpecError, match=message):
        build(given)


@pytest.mark.parametrize(
    ("kind", "text"), [("encoder", "lsa, lsa"), ("samplers", "hits, hits"), ("encoder", ",")]
)
def test_a_part_listed_twice_or_not_at_all_is_refused(kind, text):
    spec = build({kind: text})
    with pytest.raises(SpecError, match=r"duplicate|no encoder is given"):
        _ = spec.encoders(), spec.named_samplers()


def test_more_topics_than_there_are_is_refused_with_the_counts():
    with pytest.raises(CorpusError, match="31 topics cannot be chosen from 30"):
        draft(build({**SWEEP, "topics": "6,31"}), silent)
    with pytest.raises(
        CorpusError, match="30 topics are too few for 2 pools from which to choose 20"
    ):
        draft(build({**SWEEP, "topics": "6,20"}), silent)
    with pytest.raises(CorpusError, match="6 topics cannot be divided into 8 folds"):
        draft(build({**SWEEP, "topics": "10,6", "folds": 8}), silent)
