"""Several data sets in one command: each has its run, and the pool ranks obfuscators over all of them."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.errors import SpecError
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reports.seeds import PooledSets
from ravenbench.store.store import Store
from ravenbench.tasks.safety.report import SafetyReport
from ravenbench.tasks.safety.task import folders, trains
from ravenbench.testing import toy_problems


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    for name, seed in (("train", 1), ("one", 2), ("two", 3)):
        write_pan_problems(folder / name, *toy_problems(44, 2, seed=seed, words=150))
    given = [
        "safety",
        str(folder / "one"),
        str(folder / "two"),
        "--train",
        str(folder / "train"),
        "--workers",
        "1",
    ]
    given += [
        "--obfuscators",
        "identity,other-author",
        "--verifiers",
        "char-ngram",
        "--attacks",
        "none",
    ]
    given += ["--out", str(folder / "out"), "--json"]
    found = CliRunner().invoke(build("safety"), given, catch_exceptions=False)
    return folder / "out", found


def test_the_pool_is_the_mean_of_its_data_sets(done):
    folder, found = done
    assert found.exit_code == 0
    made = json.loads(found.stdout)
    assert made["data_sets"] == ["one", "two"]
    assert [row["obfuscator"] for row in made["impact"]] == ["other-author", "identity"]
    for row in made["impact"]:
        each = [
            next(
                o for o in made["runs"][name]["obfuscators"] if o["obfuscator"] == row["obfuscator"]
            )
            for name in ("one", "two")
        ]
        assert row["impact"]["mean"] == pytest.approx(sum(o["average_impact"] for o in each) / 2)
        low, high = row["95 %"]
        assert low <= row["impact"]["mean"] <= high
        assert high - low <= max(o["interval"][1] - o["interval"][0] for o in each) + 1e-9
    page = (folder / "report" / "index.html").read_text()
    assert "data set one, folder one:" in page and "Means over 2 data sets" in page
    assert (folder / "one" / "report" / "index.html").is_file()


def test_what_fails_on_one_set_is_left_out_and_few_problems_are_not_ranked(done):
    folder, _ = done
    one, two = (SafetyReport(Store.open(folder / name)) for name in ("one", "two"))
    assert [
        row[0] for row in PooledSets({"one": one, "two": two}, ranked=False).tables()[0].rows
    ] == [row[0] for row in one.impact().rows]
    second = [
        replace(o, error="it broke") for o in two.analysis.obfuscators if o.name == "identity"
    ]
    rest = [o for o in two.analysis.obfuscators if o.name != "identity"]
    less = SafetyReport(two.store, replace(two.analysis, obfuscators=(*second, *rest)))
    pooled = PooledSets({"one": one, "two": less}, ranked=True)
    assert [row[0] for row in pooled.tables()[0].rows] == ["other-author"]


def test_places_and_training_problems():
    assert folders(["a/x.zip", "b/x.zip", "y/"], "out/", None) == {
        "x-1": "out/x-1",
        "x-2": "out/x-2",
        "y": "out/y",
    }
    assert trains(["a", "b"], ["t"]) == ["t", "t"] and trains(["a"], None) == [None]
    assert list(folders(["x", "b/x", "x-1"], "o", None)) == ["x-1", "x-2", "x-1-3"]
    assert list(folders(["report", "..", "y"], "o", None)) == ["report-1", "..-2", "y"]
    with pytest.raises(SpecError, match="given more than once"):
        folders(["a", "b", "a/"], "o", None)
    for bad in (lambda: folders(["a", "b"], None, None), lambda: folders(["a", "b"], "o", "g")):
        with pytest.raises(SpecError):
            bad()
    with pytest.raises(SpecError, match="one --train for all data sets, or one for each"):
        trains(["a", "b", "c"], ["s", "t"])
