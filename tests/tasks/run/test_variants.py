"""Several seeds are one method, and every method is compared with one of them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

import ravenbench
from fabricated_run import write_run
from ravenbench import registry
from ravenbench.cli.main import build as command
from ravenbench.errors import SpecError
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.reports.report import terminal
from ravenbench.store.store import Store
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.run.report import RunReport
from ravenbench.tasks.run.spec import build, methods_of

pytestmark = pytest.mark.usefixtures("undrawn")


def component(name: str, **params: object) -> dict[str, object]:
    return {"component": name, "version": 1, "params": params}


def test_a_range_of_seeds_is_a_verifier_each() -> None:
    assert list(registry.named("verifier", "impostors(seed=1..3), length")) == [
        *(f"impostors(seed={n})" for n in (1, 2, 3)),
        "length",
    ]
    own = registry.named("verifier", "mine", {"mine": "calibrated(impostors(seed=1..2))"})
    assert [str(c) for c in own.values()] == [
        "impostors(seed=1)",
        "impostors(seed=2)",
    ] and "mine(seed=2)" in own
    quoted = "command('run seed=1..2 -i $inputDataset -o $outputDir')"
    assert registry.seeds(quoted) == [("", quoted)]


@pytest.mark.parametrize(
    "text", ["impostors(seed=3..1)", "ppm(order=3..5)", "impostors(seed=0..1000)"]
)
def test_a_range_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(SpecError, match="one range of seeds"):
        registry.named("verifier", text)


def test_one_verifier_is_no_range() -> None:
    with pytest.raises(SpecError, match="several verifiers are given"):
        ravenbench.verify("impostors(seed=0..1)", train="here", test="there", out="answers")
    with pytest.raises(SpecError, match="in a list of verifiers"):
        registry.parse("verifier", "impostors(seed=0..1)")


def test_the_seed_of_a_run_leaves_seeds_of_a_method_as_they_are() -> None:
    spec = build({"verifiers": "impostors(seed=0..2), char-ngram", "seed": 2})
    named = {name: c.get_params()["seed"] for name, c in spec.named_verifiers().items()}
    assert named == {
        "impostors": 0,
        "impostors(seed=1)": 1,
        "impostors(seed=2)": 2,
        "char-ngram": 2,
    }
    assert "group" not in spec.resolved() and "against" not in spec.resolved()


def test_methods_are_what_differs_beyond_seeds() -> None:
    nets = {
        f"net(seed={n})": component("net", seed=n, inner=component("part", seed=n, size=4))
        for n in (1, 2)
    }
    every = {
        **nets,
        "large": component("net", seed=1, inner=component("part", seed=1, size=8)),
        "plain": component("p"),
    }
    found = methods_of(every)
    assert found.members == {"net": tuple(nets), "large": ("large",), "plain": ("plain",)}
    assert found.reference == "net" and found.fixed == {"plain"}
    for name in ("net", "net(seed=2)", "net"):
        assert methods_of(every, against=name).reference == "net"
    assert methods_of({"plain": component("p"), "large": component("q")}).reference is None
    grouped = methods_of(every, ["both=large,plain"], "both")
    assert grouped.members["both"] == ("large", "plain") and grouped.reference == "both"


@pytest.mark.parametrize(
    ("groups", "against", "said"),
    [
        (["both=large"], None, "names of at least two verifiers"),
        (["both=large,plian"], None, "did you mean 'plain'"),
        (["a=large,plain", "b=plain,net"], None, "is in two groups"),
        (["net=large,plain"], None, "has the name of another verifier"),
        ([], "lrge", "did you mean 'large'"),
    ],
)
def test_what_names_no_method_is_refused(groups: list[str], against: str | None, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        methods_of({name: component(name) for name in ("large", "plain", "net")}, groups, against)


@pytest.fixture(scope="module")
def seeded_run(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Four verifiers, the first two of which are one method."""
    store = write_run(
        tmp_path_factory.mktemp("variants") / "run",
        pools=1,
        k=2,
        pairs=60,
        failed=(("chance", "p00-hits-0"),),
    )
    plan = store.plan_as(RunPlan)
    identities = [
        component("net", seed=1),
        component("net", seed=2),
        component("topic-fit"),
        component("chance"),
    ]
    verifiers = [
        msgspec.structs.replace(v, identity=i)
        for v, i in zip(plan.verifiers, identities, strict=True)
    ]
    store.write_plan(msgspec.structs.replace(plan, verifiers=verifiers))
    return Store.open(store.path)


def test_a_report_has_methods_and_differences(seeded_run: Store, tmp_path: Path) -> None:
    report = RunReport(seeded_run)
    made = report.to_json()
    assert made["against"] == "char-ngram"
    rows = {(row["method"], row["setup"]): row for row in made["variants"]}
    assert {method for method, _ in rows} == {"char-ngram", "topic-fit", "chance"}
    results = {(row["verifier"], row["setup"]): row["auc"] for row in made["results"]}
    row, both = (
        rows["char-ngram", "hits"],
        [results[name, "hits"] for name in ("char-ngram", "ppm")],
    )
    assert (
        row["runs"] == 2
        and row["auc"] == pytest.approx(np.mean(both))
        and row["verdict"] == "reference"
    )
    assert row["std"]["auc"] == pytest.approx(np.std(both, ddof=1)) and 0 <= row["share"] <= 1
    assert row["difference"] is None and row["p"] is None
    variant = rows["topic-fit", "hits"]
    assert variant["difference"] == pytest.approx(results["topic-fit", "hits"] - row["auc"])
    assert variant["interval"][0] < variant["difference"] < variant["interval"][1]
    assert variant["verdict"] == ("none shown" if variant["p"] >= 0.05 else "worse")
    truth, both = seeded_run.truth("p00-hits-1"), ("char-ngram", "ppm")
    alone = [auc_of_scores(truth, seeded_run.cell(name, "p00-hits-1").answers) for name in both]
    assert rows["chance", "hits"]["difference"] == pytest.approx(0.5 - np.mean(alone)), (
        "folds that both completed"
    )
    report.fill(tmp_path)
    assert '<li><a href="#variants">Variants</a></li>' in (tmp_path / "index.html").read_text()
    assert "Methods against char-ngram" in {
        str(getattr(part, "title", "")) for part in terminal(report)
    }
    json.dumps(made, allow_nan=False)


def test_a_finished_run_is_asked_anew(seeded_run: Store) -> None:
    asked = [
        "report",
        str(seeded_run.path),
        "--json",
        "--group",
        "other=topic-fit,chance",
        "--against",
        "other",
    ]
    done = CliRunner().invoke(command("report"), asked)
    made = json.loads(done.stdout)
    assert made["against"] == "other" and {row["method"] for row in made["variants"]} == {
        "char-ngram",
        "other",
    }
    assert "Methods against other" in (seeded_run.path / "report" / "index.html").read_text()
    assert "group" not in Store.open(seeded_run.path).run.spec
