"""Runs of one spec with several seeds: what is pooled, how wide intervals are, and what is refused."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.errors import InputError
from ravenbench.reports.seeds import PooledSeeds, pooled_table, pooled_value
from ravenbench.reports.view import Column, Measure, Range, Table

pytestmark = pytest.mark.usefixtures("undrawn")

HOW = {"verifiers": "length", "samplers": "random", "folds": 2, "probe": "none", "workers": 1}


def test_a_number_becomes_a_mean_with_the_spread_between_seeds():
    assert pooled_value([0.2, 0.4, 0.6]) == Measure(pytest.approx(0.4), pytest.approx(0.2))
    assert pooled_value([Measure(0.2, 0.1, "*"), Measure(0.4, 0.3)]) == Measure(
        pytest.approx(0.3), pytest.approx(np.std([0.2, 0.4], ddof=1))
    )
    assert pooled_value([7, 7]) == 7 and pooled_value([0.2, None]) is None
    assert pooled_value(["style", "content", "style"]) == "style (2), content (1)"


def test_more_seeds_make_no_interval_narrower_than_one_run():
    same = pooled_value([Range(0.3, 0.6)] * 9)
    assert (same.low, same.high) == (pytest.approx(0.3), pytest.approx(0.6))
    values = [0.40, 0.44, 0.42]
    wide = pooled_value([Range(v - 0.1, v + 0.2) for v in values])
    within, between = (0.15 / stats.norm.ppf(0.975)) ** 2, np.var(values, ddof=1) / 3
    freedom = 2 * (1 + within / between) ** 2
    half = stats.t.ppf(0.975, freedom) * np.sqrt(within + between)
    assert (wide.low, wide.high) == (pytest.approx(0.47 - half), pytest.approx(0.47 + half))


def test_two_seeds_with_narrow_intervals_have_a_narrow_one():
    """Two seeds alone say little of the spread between seeds, but their own intervals say much of it all."""
    pooled = pooled_value([Range(0.634, 0.709), Range(0.635, 0.732)])
    assert 0.625 < pooled.low < 0.635 and 0.72 < pooled.high < 0.73


def test_an_interval_is_pooled_whatever_column_is_before_it():
    """In the shortcut test the column before holds the difference without its sign."""

    def difference(value):
        columns = (Column("verifier", text=True), Column("Diff"), Column("interval"))
        return Table("x", "", columns, (("a", abs(value), Range(value - 0.02, value + 0.02)),))

    interval = pooled_table([difference(-0.03), difference(-0.03)]).rows[0][2]
    assert (interval.low, interval.high) == (pytest.approx(-0.05), pytest.approx(-0.01))


def test_pooled_intervals_cover_what_is_there():
    """Values of runs hold what the texts add (the same for all seeds) and what drawing adds (anew for each)."""
    draws = np.random.default_rng(5)
    inside = {1: 0, 3: 0}
    for _ in range(2000):
        texts = draws.normal(0, 1)
        for count in inside:
            values = list(texts + draws.normal(0, 1, count))
            if count == 1:
                low, high = values[0] - 1.96, values[0] + 1.96
            else:
                both = pooled_value([Range(v - 1.96, v + 1.96) for v in values])
                low, high = both.low, both.high
            inside[count] += low < 0 < high
    assert inside[1] / 2000 < 0.90 and inside[3] / 2000 > 0.94


def table_of(rows):
    columns = (
        Column("verifier", text=True),
        Column("AUC"),
        Column("95 %"),
        Column("p", probability=True),
    )
    return Table("results", "Results", (*columns, Column("verdict", text=True)), tuple(rows))


def test_rows_are_matched_by_name_and_p_is_left_out():
    one = table_of([("a", 0.8, Range(0.7, 0.9), 0.01, "style"), ("b", 0.6, None, 0.2, "open")])
    two = table_of([("b", 0.7, None, 0.1, "style"), ("a", 0.9, Range(0.8, 1.0), 0.01, "open")])
    pooled = pooled_table([one, two])
    assert [c.title for c in pooled.columns] == ["verifier", "AUC", "95 %", "verdict"]
    assert [row[0] for row in pooled.rows] == ["a", "b"] and pooled.rows[0][
        1
    ].mean == pytest.approx(0.85)
    assert pooled.rows[1][2] is None and pooled.rows[1][3] == "open (1), style (1)"
    assert pooled_table([one, table_of(one.rows[:1])]) is None


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    return ravenbench.run(
        "synthetic", **HOW, seed=[0, 1, 4], out=tmp_path_factory.mktemp("seeds") / "all"
    )


def test_python_runs_each_seed_and_pools(three):
    assert list(three.runs) == [0, 1, 4] and not three.errors
    alone = [run.to_polars("results")["AUC"][0] for run in three.runs.values()]
    pooled = three.to_polars("results")
    assert pooled["AUC"][0] == pytest.approx(np.mean(alone)) and pooled["AUC sd"][
        0
    ] == pytest.approx(np.std(alone, ddof=1))
    page = ravenbench.write_report(three)
    told = json.loads((page.parent / "report.json").read_text())
    assert told["seeds"] == [0, 1, 4] and told["results"][0]["AUC"]["mean"] == pytest.approx(
        np.mean(alone)
    )
    assert all((run.store.path / "report" / "index.html").is_file() for run in three.runs.values())


def test_a_pooled_page_has_a_figure_and_no_more_columns_than_fit(tmp_path):
    columns = (
        Column("verifier", text=True),
        Column("style left"),
        Column("interval of style left"),
        Column("null", terminal=False),
    )

    def one(value):
        rows = (("a", value, Range(value - 0.05, value + 0.05), 0.0),)
        return Seen(Table("content", "Content", columns, rows))

    pooled = PooledSeeds({0: one(0.6), 1: one(0.7)})
    page = pooled.write(tmp_path / "pooled").read_text()
    assert (tmp_path / "pooled" / "figures" / "content.svg").is_file() and "<svg" in page
    assert ">null<" not in page
    assert "null" in (tmp_path / "pooled" / "tables" / "content.csv").read_text()


class Seen:
    """A report of one table."""

    kind, title = "run", ""
    store = SimpleNamespace(path=Path("seed"))

    def __init__(self, table):
        self.table = table

    def tables(self):
        return [self.table]

    def finding(self):
        return "found"

    def papers(self):
        return []


def raven(*arguments):
    return CliRunner().invoke(
        build(arguments[0]), [str(a) for a in arguments], catch_exceptions=False
    )


def test_finished_runs_are_pooled_by_report(three, tmp_path):
    folders = [str(run.store.path) for run in three.runs.values()]
    done = raven("report", *folders[:2], "--out", tmp_path / "two", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["seeds"] == [0, 1]
    assert (tmp_path / "two" / "report" / "index.html").is_file()
    with pytest.raises(InputError, match="have the same seed"):
        raven("report", folders[0], folders[0], "--out", tmp_path / "x")
    other = ravenbench.run("synthetic", **{**HOW, "folds": 3}, seed=1, out=tmp_path / "other")
    with pytest.raises(InputError, match=r"differ not only in their seeds[\s\S]*found: folds"):
        raven("report", folders[0], str(other.store.path))


def test_the_command_takes_seeds(tmp_path):
    words = [
        "--verifiers",
        "length",
        "--samplers",
        "random",
        "--folds",
        "2",
        "--probe",
        "none",
        "--workers",
        "1",
    ]
    done = raven("run", "synthetic", *words, "--seed", "0,2", "--out", tmp_path / "run")
    assert done.exit_code == 0 and "standard deviation between them" in " ".join(
        done.stdout.split()
    )
    assert {p.name for p in (tmp_path / "run").iterdir()} == {"seed-0", "seed-2", "report"}
    assert json.loads(raven("report", tmp_path / "run", "--json").stdout)["seeds"] == [0, 2]
    for wrong in ("0,0", "a", "1,"):
        with pytest.raises(InputError, match="seed: expected"):
            raven("run", "synthetic", "--seed", wrong)
