"""raven simulate: small, repeatable, and every key of its contract."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from ravenbench.bench.simulate.trials import Design, area, check, trial, trials
from ravenbench.cli.main import build
from ravenbench.errors import SpecError
from ravenbench.reports.simulate.analysis import summarise, to_json
from ravenbench.reports.simulate.page import standing

CORPUS = "synthetic(style=0.5, documents=1800, authors=150, topics=36, words=60)"
TINY = Design(CORPUS, "matched", (0.0, 1.0), pools=2, folds=2, repetitions=5)


@pytest.fixture(scope="module")
def found():
    return summarise(TINY, trials(TINY, 2, 1, lambda *_: None))


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


def test_a_trial_is_a_function_of_its_design_and_number():
    one, again = trial(TINY, 1), trial(TINY, 1)
    for null in (False, True):
        for a, b in zip(one.gains[null], again.gains[null], strict=True):
            assert [area(a[k], 0.3) for k in a] == [area(b[k], 0.3) for k in b]
    assert area(trial(TINY, 0).gains[False][0]["aa"], 0.3) != area(one.gains[False][0]["aa"], 0.3)


def test_the_command_writes_a_page(tmp_path):
    sizes = ["--replicates", "2", "--pools", "2", "--folds", "2", "--repetitions", "2", "--workers", "1"]
    done = CliRunner().invoke(
        build("simulate"), ["simulate", "--corpus", CORPUS, "--doses", "0,1", *sizes, "--out", str(tmp_path / "s")]
    )
    assert done.exit_code == 0, done.output
    assert "Doses of known reliance" in done.output and "under no other pair rule" in " ".join(done.output.split())
    page = (tmp_path / "s" / "index.html").read_text()
    assert "False alarms" in page and "<svg" in page
    assert (tmp_path / "s" / "simulation.json").is_file() and (tmp_path / "s" / "doses.svg").is_file()


def test_other_pair_rules_are_said_to_give_no_verdict(found):
    other = replace(found, design=replace(TINY, pairs="reference"))
    assert "no verdict under reference pairs, only under matched ones" in standing(other)
    assert to_json(other)["verdicts_given"] is False


@pytest.mark.parametrize(
    ("design", "message"),
    [
        (Design("newsgroups"), "synthetic corpus alone"),
        (Design(doses=(0.0, 2.0)), "doses must lie"),
        (Design(pools=1), "two pools"),
        (Design(pairs="matchd"), "no pair rule named"),
    ],
)
def test_what_cannot_be_simulated_is_refused(design, message):
    with pytest.raises(SpecError, match=message):
        check(design)
