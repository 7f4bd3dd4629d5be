"""Several data sets in one command: each has its run, and the pool ranks obfuscators over all of them."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.errors import SpecError
from ravenbench.formats.problems import write_pan_problems
from ravenbench.store.store import Store
from ravenbench.tasks.safety.analysis import analyse
from ravenbench.tasks.safety.pooled import pool, pooled_tables
from ravenbench.tasks.safety.task import folders, trains
from ravenbench.testing import toy_problems


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    for name, seed in (("train", 1), ("one", 2), ("two", 3)):
        write_pan_problems(folder / name, *toy_problems(44, 2, seed=seed, words=150))
    given = ["safety", str(folder / "one"), str(folder / "two"), "--train", str(folder / "train"), "--workers", "1"]
    given += ["--obfuscators", "identity,other-author", "--verifiers", "char-ngram", "--attacks", "none"]
    given += ["--out", str(folder / "out"), "--json"]
    found = CliRunner().invoke(build("safety"), given, catch_exceptions=False)
    return folder / "out", found


def test_the_pool_is_the_mean_of_its_data_sets(done):
    folder, found = done
    assert found.exit_code == 0
    made = json.loads(found.stdout)
    assert [o["obfuscator"] for o in made["obfuscators"]] == ["other-author", "identity"] and made["ranked"]
    for o in made["obfuscators"]:
        each = {
            name: next(x for x in made["runs"][name]["obfuscators"] if x["obfuscator"] == o["obfuscator"])
            for name in ("one", "two")
        }
        assert o["average_impact"] == pytest.approx(sum(x["average_impact"] for x in each.values()) / 2)
        assert o["by_data_set"] == {name: x["average_impact"] for name, x in each.items()}
        low, high = o["interval"]
        assert low <= o["average_impact"] <= high
        lengths = [x["interval_problems"][1] - x["interval_problems"][0] for x in each.values()]
        assert high - low <= sum(lengths) / 2 + 1e-9  # no wider than if all went wrong together
        assert o["delta_acc"] == pytest.approx(sum(x["verifiers"][0]["delta_acc"] for x in each.values()) / 2)
    page = (folder / "report" / "index.html").read_text()
    assert '<a href="../one/report/index.html">one</a>' in page and "averages by obfuscator" in page
    assert (folder / "one" / "report" / "index.html").is_file()


def test_what_fails_on_one_set_is_left_out_and_few_problems_are_not_ranked(done):
    folder, _ = done
    found = {name: analyse(Store.open(folder / name)) for name in ("one", "two")}
    second = [replace(o, average_impact=None, error="it broke") for o in found["two"].obfuscators[:1]]
    less = replace(found["two"], obfuscators=(*second, *found["two"].obfuscators[1:]), attacked=4)
    made = pool({"one": found["one"], "two": less})
    assert made.partial == {"identity": "nothing on two: it broke"} and not made.ranked
    tables = {table.key: table for table in pooled_tables(made)}
    assert "Not ranked" in tables["pooled"].note and tables["left-out"].rows == (
        ("identity", made.partial["identity"]),
    )


def test_places_and_training_problems():
    assert folders(["a/x.zip", "b/x.zip", "y/"], "out/", None) == {
        "x-1": "out/x-1", "x-2": "out/x-2", "y": "out/y",
    }  # fmt: skip
    assert trains(["a", "b"], ["t"]) == ["t", "t"] and trains(["a"], None) == [None]
    assert list(folders(["x", "b/x", "x-1"], "o", None)) == ["x-1", "x-2", "x-1-3"]
    assert list(folders(["report", "..", "y"], "o", None)) == ["report-1", "..-2", "y"]
    with pytest.raises(SpecError, match="given twice"):
        folders(["a", "b", "a/"], "o", None)
    for bad in (lambda: folders(["a", "b"], None, None), lambda: folders(["a", "b"], "o", "g")):
        with pytest.raises(SpecError):
            bad()
    with pytest.raises(SpecError, match="one for all or one each"):
        trains(["a", "b", "c"], ["s", "t"])
