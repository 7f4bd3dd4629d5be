"""raven simulate: small, repeatable, resumed, and every key of its contract."""

import json
import shutil

import msgspec
import pytest
from typer.testing import CliRunner

from ravenbench.bench.shared.store import Store
from ravenbench.bench.simulate.api import outlook, simulate
from ravenbench.bench.simulate.spec import SimulateSpec, build
from ravenbench.bench.simulate.trials import area, trial
from ravenbench.bench.simulate.unit import arrays_of, trial_of
from ravenbench.cli.main import build as commands
from ravenbench.errors import InputError, SpecError, StoreError
from ravenbench.reports.of_any import analyse
from ravenbench.reports.simulate.page import standing
from ravenbench.reports.simulate.task import to_json

CORPUS = "synthetic(style=0.5, documents=1800, authors=150, topics=36, words=60)"
SIZES = {"corpus": CORPUS, "doses": (0.0, 1.0), "pools": 2, "folds": 2, "repetitions": 5, "replicates": 2}
TINY = SimulateSpec(**SIZES)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return simulate(**SIZES, out=tmp_path_factory.mktemp("simulate") / "run", workers=1).store


@pytest.fixture(scope="module")
def found(store):
    return analyse(store)


def raven(*arguments):
    return CliRunner().invoke(commands(arguments[0]), [str(a) for a in arguments])


def test_topic_gains_and_style_does_not(found):
    style, topic = found.doses
    assert topic.gain > 0.08 > abs(style.gain) and topic.by_gain == 1
    assert abs(topic.null) < 0.1 and style.auc > topic.auc


def test_json(found):
    made = to_json(found)
    json.dumps(made, allow_nan=False)
    assert made["verdicts_given"]
    assert {"doses", "false_alarm_rate", "power"} <= set(made)
    assert {"dose", "diff", "gain", "interval"} <= set(made["doses"][0])
    designs = {(p["test"], p["pools"], p["folds"], p["repetitions"], p["pairs"]) for p in made["power"]}
    assert ("hits-random", 2, 1, None, 60) in designs and ("probe", None, None, 5, None) in designs


def test_a_trial_is_a_function_of_its_design_and_seed():
    one, again = trial(TINY, 1), trial(TINY, 1)
    kept = trial_of(TINY, arrays_of(one))
    for null in (False, True):
        for a, b, c in zip(one.gains[null], again.gains[null], kept.gains[null], strict=True):
            assert [area(a[k], 0.3) for k in a] == [area(b[k], 0.3) for k in b] == [area(c[k], 0.3) for k in c]
    assert [area(f, 1.0) for s in one.setups for f in s["hits"]] == [
        area(f, 1.0) for s in kept.setups for f in s["hits"]
    ]
    assert (kept.pool_topics, kept.probe_topics) == (one.pool_topics, one.probe_topics)
    assert area(trial(TINY, 0).gains[False][0]["aa"], 0.3) != area(one.gains[False][0]["aa"], 0.3)


def test_the_command_writes_a_page_and_goes_on(tmp_path):
    sizes = ["--replicates", "2", "--pools", "2", "--folds", "2", "--repetitions", "2", "--workers", "1"]
    arguments = ["simulate", "--corpus", CORPUS, "--doses", "0,1", *sizes, "--out", tmp_path / "s"]
    planned = json.loads(raven(*arguments, "--plan", "--json").output)
    assert (planned["cells"], planned["done"], planned["fits"]) == (2, 0, 2 * 16)
    assert not (tmp_path / "s").exists()
    done = raven(*arguments)
    assert done.exit_code == 0, done.output
    assert "Doses of known reliance" in done.output and "under no other pair rule" in " ".join(done.output.split())
    report = tmp_path / "s" / "report"
    page = (report / "index.html").read_text()
    assert "False alarms" in page and "<svg" in page
    assert (report / "tables" / "doses.csv").is_file() and (report / "figures" / "doses.svg").is_file()
    assert json.loads((report / "report.json").read_text())["kind"] == "simulate"
    assert "2 of them done" in raven(*arguments, "--plan").output
    shutil.rmtree(report)
    again = raven("report", tmp_path / "s", "--json")
    assert again.exit_code == 0 and (report / "index.html").read_text() == page
    assert json.loads(again.output)["replicates"] == 2


def test_an_interrupted_simulation_goes_on(store, found, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(store.path, folder)
    first, second = (folder / "cells" / place.key for place in store.plan.cells)
    stamp = (first / "cell.json").stat().st_mtime_ns
    shutil.rmtree(second)
    assert outlook(TINY, folder).done == 1
    part = analyse(Store.open(folder))
    assert part.replicates == 1 and part.failures == (("replicate-001", "not simulated yet"),)
    assert simulate(**SIZES, out=folder, workers=2).errors == ()
    assert to_json(analyse(Store.open(folder))) == to_json(found)
    assert (first / "cell.json").stat().st_mtime_ns == stamp, "what was there is kept"
    with pytest.raises(InputError, match="another spec"):
        simulate(**{**SIZES, "seed": 1}, out=folder)


def test_a_flipped_byte_is_noticed(store, found, tmp_path):
    cell = f"cells/{store.plan.cells[0].key}"
    for name in ("run.json", "plan.json", f"{cell}/cell.json", f"{cell}/parts.npy"):
        folder = tmp_path / name.replace("/", "-")
        shutil.copytree(store.path, folder)
        data = bytearray((folder / name).read_bytes())
        data[len(data) // 2] ^= 1
        (folder / name).write_bytes(data)
        if name.startswith("cells"):
            assert Store.open(folder).read_cell(store.plan.cells[0].key) is None
        else:
            with pytest.raises(StoreError):
                Store.open(folder)
        simulate(**SIZES, out=folder, workers=1)
        assert to_json(analyse(Store.open(folder))) == to_json(found)


def test_replicates_that_fail_are_told(tmp_path):
    few = {**SIZES, "corpus": "synthetic(documents=60, topics=3, words=20)"}
    result = simulate(**few, out=tmp_path / "run", workers=1)
    assert len(result.errors) == 2 and "too few" in result.errors[0]
    with pytest.raises(InputError, match="no replicate of this simulation has scores"):
        analyse(result.store)


def test_other_pair_rules_are_said_to_give_no_verdict(found):
    design = msgspec.structs.replace(TINY, pairs="reference")
    other = type(found)(**{**vars(found), "design": design})
    assert "no verdict under reference pairs, only under matched ones" in standing(other)
    assert to_json(other)["verdicts_given"] is False


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"corpus": "newsgroups"}, "synthetic corpus alone"),
        ({"doses": (0.0, 2.0)}, "doses must be"),
        ({"doses": "0, much"}, "doses must be"),
        ({"pools": 1}, "pools: expected"),
        ({"repetitions": 1}, "repetitions: expected"),
        ({"pairs": "matchd"}, "no pair rule named"),
    ],
)
def test_what_cannot_be_simulated_is_refused(given, message):
    with pytest.raises(SpecError, match=message):
        build(given)
