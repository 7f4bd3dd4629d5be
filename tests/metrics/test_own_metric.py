"""A metric from outside: six lines give a column, intervals, paired tests and JSON like any other."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from tests.small_run import SMALL
from typer.testing import CliRunner

import ravenbench
from ravenbench import registry
from ravenbench.cli.main import build
from ravenbench.errors import AnswerError, InputError, RavenError, SpecError
from ravenbench.metrics import scores
from ravenbench.metrics.base import Metric, checked, measure, metrics_of, title_of
from ravenbench.metrics.pan import METRICS, STANDARD
from ravenbench.randomness import stream
from ravenbench.reading.answers import Truth
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.statistics.resampling import (
    BLOCK,
    AnsweredProblems,
    randomization_test,
    rank,
    replicated,
    weighted_sums,
)
from ravenbench.tasks.run.spec import RunSpec
from ravenbench.testing import check_calibrator, check_metric, check_sampler, toy_problems
from ravenbench.types import name_array

pytestmark = pytest.mark.usefixtures("undrawn")


class Balanced(Metric):
    title = "balanced accuracy"

    def value(self, truth, answers):
        return ((answers[truth] > 0.5).mean() + (answers[~truth] < 0.5).mean()) / 2


class Accurate(Metric):
    """What ``accuracy`` is, worked out from the arrays."""

    title = "accurate"

    def value(self, truth, answers):
        return float((np.where(truth, answers > 0.5, answers < 0.5)).mean())


class Share(Metric):
    title = "share right"

    def __init__(self, least: float = 0.5) -> None:
        self.least = least

    def value(self, truth, answers):
        return float(((answers > self.least) == truth).mean())


class Ordered(Balanced):
    def value(self, truth, answers):
        return float(answers[0])


class Upside(Balanced):
    higher = False


def data(n: int = 60):
    rng = stream(1, "own-metric")
    truth = rng.random(n) < 0.5
    near, far = (
        np.clip(0.5 + k * (truth - 0.5) + 0.2 * rng.standard_normal(n), 0, 1) for k in (0.4, 0.1)
    )
    return truth, near, far


@pytest.mark.parametrize("name", sorted(registry.names("metric")))
def test_metrics_of_raven_keep_what_a_metric_promises(name):
    check_metric(registry.parse("metric", name))


@pytest.mark.parametrize("metric", [Balanced(), Share(least=0.6)])
def test_metrics_from_outside_keep_it_too(metric):
    check_metric(metric)


@pytest.mark.parametrize(
    ("metric", "broken"),
    [("Ordered", "order of problems"), ("Upside", "wrong answers get a better value")],
)
def test_what_a_metric_must_not_do_is_named(metric, broken):
    with pytest.raises(AssertionError, match=broken):
        check_metric(globals()[metric]())


@pytest.mark.parametrize("kind", ["calibrator", "sampler"])
def test_calibrators_and_samplers_keep_what_they_promise(kind):
    check = {"calibrator": check_calibrator, "sampler": check_sampler}[kind]
    for name in registry.names(kind):
        check(registry.parse(kind, name))


def test_worked_out_directly_it_is_what_the_formula_gives():
    truth, near, far = data()
    ranked = rank(*checked(truth, near))
    weights = stream(2, "weights").integers(0, 3, (len(truth), BLOCK)).astype(np.int32)
    assert replicated(Accurate(), ranked, weights) == pytest.approx(
        STANDARD["accuracy"].of(weighted_sums(ranked, weights))
    )
    a, b = AnsweredProblems(near, near), AnsweredProblems(far, far)
    own = randomization_test(truth, a, b, Accurate())
    assert own == pytest.approx(randomization_test(truth, a, b, "accuracy"), abs=0.03)
    few = np.flatnonzero(np.arange(len(truth)) < 12)
    small = [AnsweredProblems(x[few], x[few]) for x in (near, far)]
    exact = randomization_test(truth[few], *small, Accurate())
    assert exact == pytest.approx(randomization_test(truth[few], *small, "accuracy"))


def test_it_is_evaluated_like_any_other():
    truth, near, far = data(120)
    known = Truth(name_array(f"p{i}" for i in range(120)), truth)
    got = ravenbench.evaluate(
        known, {"near": near, "far": far}, metrics=["c@1", Balanced()], replicates=300, trials=300
    )
    name = str(Balanced())
    row = got.to_json()["systems"][0]
    assert row[name] == pytest.approx(Balanced().value(truth, near))
    low, high = row["interval"][name]
    assert low < row[name] < high
    pair = next(p for p in got.pairs if p.metric == name)
    assert pair.difference > 0 and pair.p_holm < 0.05 and pair.interval is not None
    assert f"{name}_low" in got.to_polars().columns
    plain = ravenbench.evaluate(known, {"near": near, "far": far}, replicates=300, trials=300)
    assert set(plain.to_json()["systems"][0]) & {name} == set()


def test_lower_is_better_where_it_says_so():
    truth, near, far = data(120)
    known = Truth(name_array(f"p{i}" for i in range(120)), truth)
    got = ravenbench.evaluate(
        known, {"far": far, "near": near}, metrics="ece(bins=4)", replicates=50, trials=50
    )
    values = [s.scores["ece(bins=4)"] for s in got.ranked]
    assert values == sorted(values)
    assert title_of(got.metrics["ece(bins=4)"]) == "ECE (bins=4)"


def test_names_and_what_they_read():
    assert (
        list(metrics_of("auc, c@1, auc")) == ["auc", "c@1"]
        and metrics_of("c@1")["c@1"] == METRICS["c@1"]
    )
    for bad, told in (("acuracy", "accuracy"), ("", "no metric"), ("json:loads", "part of Python")):
        with pytest.raises(SpecError, match=told):
            metrics_of(bad)
    truth, near, _ = data()

    class Raw(Balanced):
        reads = "scores"

    class Odds(Balanced):
        reads = "log-odds"

        def value(self, truth, answers):
            return float(np.median(answers[truth]) > 0)

    class Wrong(Balanced):
        def value(self, truth, answers):
            return "much"

    assert (
        measure(Raw(), truth, near, 10 * near)
        == 0.5 * (10 * near[truth] > 0.5).mean() + 0.5 * (10 * near[~truth] < 0.5).mean()
    )
    assert measure(Odds(), truth, near) == 1.0
    with pytest.raises(InputError, match="raw scores"):
        measure(Raw(), truth, near)
    with pytest.raises(AnswerError, match="failed"):
        measure(Wrong(), truth, near)
    assert scores([True, True], [0.9, 0.8], metrics={"b": Balanced()})["b"] is None


def test_from_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(build("new"), ["new", "metric", "mine"])
    assert shown.exit_code == 0 and "mine:Mine" in shown.output, shown.output
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "test_mine.py"], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stdout
    with pytest.raises(RavenError, match="Python class"):
        build("new")(["new", "metric", "other", "--as", "r"], standalone_mode=False)
    truth, near, far = data()
    lines = (json.dumps({"id": f"p{i}", "same": bool(t)}) for i, t in enumerate(truth))
    (tmp_path / "truth.jsonl").write_text("\n".join(lines))
    for system, values in (("near", near), ("far", far)):
        rows = (json.dumps({"id": f"p{i}", "value": float(v)}) for i, v in enumerate(values))
        (tmp_path / f"{system}.jsonl").write_text("\n".join(rows))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    given = [
        "evaluate",
        "truth.jsonl",
        "near.jsonl",
        "far.jsonl",
        "--metrics",
        "auc, mine:Mine",
        "--replicates",
        "50",
    ]
    shown = CliRunner().invoke(build("evaluate"), [*given, "--trials", "50", "--json"])
    assert shown.exit_code == 0, shown.output
    assert {p["metric"] for p in json.loads(shown.output)["pairs"]} == {"auc", "mine:Mine"}


class Gap(Metric):
    title = "score gap"
    reads = "scores"

    def value(self, truth, answers):
        return float(answers[truth].mean() - answers[~truth].mean())


def test_a_run_reports_it_and_without_one_nothing_is_different(tmp_path):
    own, gap = str(Balanced()), str(Gap())
    given = SMALL | {"verifiers": "style-only, length"}
    found = ravenbench.run(**given, metrics=["auc", Balanced(), Gap()], out=tmp_path / "run")
    report = ravenbench.analyse(found.store)
    folds = [fold for fold in report.folds if fold.setup == "hits"]
    cell = found.store.cell("style-only", folds[0].name)
    truth = found.store.truth(folds[0].name)
    assert folds[0].metrics["style-only"][own] == pytest.approx(
        Balanced().value(truth, cell.answers)
    )
    assert folds[0].metrics["style-only"][gap] == pytest.approx(Gap().value(truth, cell.scores))
    assert {s.metric for s in report.shortcut} == {"auc", "overall", own, gap}
    ravenbench.write_report(found.store)
    rows = json.loads((tmp_path / "run" / "report" / "report.json").read_text())["results"]
    assert all({own, gap} <= set(row) and {own, gap} <= set(row["std"]) for row in rows)
    assert "score gap" in (tmp_path / "run" / "report" / "tables" / "results.csv").read_text()
    plain, named = RunSpec(), RunSpec(metrics="auc")
    assert "metrics" not in plain.resolved() and plain.hash() != named.hash()
    with pytest.raises(SpecError, match="accuracy"):
        ravenbench.run(**SMALL, metrics="acuracy", out=tmp_path / "other")


def test_pan14_reports_it(tmp_path):
    for part, seed in (("train", 1), ("test", 2)):
        problems, same = toy_problems(12, known=2, words=40, seed=seed)
        write_pan_problems(tmp_path / "toy" / part, problems, same)
    given = {"verifiers": "char-ngram, length", "probe": "none", "out": tmp_path / "run"}
    found = ravenbench.pan14([tmp_path / "toy"], **given, metrics=f"c@1, {Balanced()}")
    overview = ravenbench.analyse(found.store)
    name = str(Balanced())
    assert all(name in row.scores and name in row.interval for row in overview.micro.values())
    assert {p.metric for p in overview.pooled.pairs} == {"c@1", "final", name}
    ravenbench.write_report(found.store)
    assert (
        "balanced accuracy" in (tmp_path / "run" / "report" / "tables" / "overall.csv").read_text()
    )
    with pytest.raises(SpecError, match="raw scores"):
        ravenbench.pan14([tmp_path / "toy"], **given, metrics=str(Gap()))
