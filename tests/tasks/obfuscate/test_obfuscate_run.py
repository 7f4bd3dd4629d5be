"""An obfuscation as a run: it resumes, notices damage, tells its plan, and its folder can be reported and read."""

import json
import os
import shutil

import pytest
from typer.testing import CliRunner

from ravenbench import files
from ravenbench.cli.main import build
from ravenbench.engine.pool import local, run_units, silent
from ravenbench.errors import InputError, SpecError, StoreError
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.obfuscation.recipes.controls import Random
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problems import read_problems
from ravenbench.reports.report import analyse, write_report
from ravenbench.store.store import Store
from ravenbench.tasks.api import obfuscate
from ravenbench.tasks.obfuscate.rewritings import RewriteUnit, keys_of, read_rewriting
from ravenbench.testing import toy_problems

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    found, same = toy_problems(12, 2, seed=3, words=80)
    return write_pan_problems(tmp_path_factory.mktemp("sets") / "set", found, same)


@pytest.fixture(scope="module")
def done(problems, tmp_path_factory):
    place = tmp_path_factory.mktemp("out")
    result = obfuscate(
        "random(rate=0.5)", problems, seed=3, out=place / "hidden", folder=place / "run", workers=1
    )
    assert result.errors == ()
    return place


def rewritings(folder):
    return {
        p.name: json.loads(p.read_text())["record"]["parts"]
        for p in folder.glob("rewritings/*.json")
    }


def flipped(data):
    """One bit of the last digit before the middle turned."""
    place = next(i for i in range(len(data) // 2, -1, -1) if chr(data[i]).isdigit())
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def test_the_product_is_that_of_the_rewritings(done, problems):
    store = Store.open(done / "run")
    found = analyse(store)
    assert len(found.texts) == found.changed == 6
    after = read_problems(done / "hidden").problems
    place = {name: i for i, name in enumerate(after.ids.tolist())}
    for text in found.plan.texts:
        parts = rewritings(done / "run")[f"{text.key}.json"]
        assert (
            "".join(p["obfuscation"] for p in parts)
            == after.texts[after.questioned_index[place[text.id]]]
        )
    page = write_report(store).read_text()
    assert "6 of 6 texts changed" in page
    assert json.loads((done / "run" / "report" / "report.json").read_text())["kind"] == "obfuscate"


class Ends(Random):
    """Ends the process it rewrites in."""

    def obfuscate(self, *_):
        os._exit(1)


def test_an_obfuscator_that_ends_its_process_fails_its_texts(tmp_path):
    tasks = [ObfuscationTask(str(number), "A text.", ()) for number in range(2)]
    units = [RewriteUnit(tmp_path, Ends(), 0, (task,)) for task in tasks]
    assert len(run_units(local(2), units, silent, "rewriting")) == 2
    for key in keys_of(Ends(), 0, tasks):
        assert "ended its process" in read_rewriting(tmp_path, key).error


class Killed(BaseException):
    """Stands for the process's end: nothing catches it."""


def test_killed_between_any_two_writes(done, problems, tmp_path, monkeypatch):
    real, count, limit = files.write_bytes, 0, 10**9

    def counting(path, data):
        nonlocal count
        count += 1
        if count > limit:
            raise Killed
        return real(path, data)

    monkeypatch.setattr(files, "write_bytes", counting)
    for stop in range(8):
        count, limit, folder = 0, stop, tmp_path / str(stop)
        with pytest.raises(Killed):
            obfuscate("random(rate=0.5)", problems, seed=3, folder=folder, workers=1)
        limit = 10**9
        obfuscate("random(rate=0.5)", problems, seed=3, folder=folder, workers=1)
        assert rewritings(folder) == rewritings(done / "run"), f"killed after write {stop}"


def test_workers_change_nothing(done, problems, tmp_path):
    seen = []
    found = obfuscate(
        "random(rate=0.5)",
        problems,
        seed=3,
        folder=tmp_path / "run",
        workers=2,
        progress=lambda *a: seen.append(a),
    )
    assert seen[-1] == ("rewriting: random", 2, 2)
    assert rewritings(found.store.path) == rewritings(done / "run")


def test_only_what_is_missing_is_done_again(done, problems, tmp_path, monkeypatch):
    folder = tmp_path / "run"
    shutil.copytree(done / "run", folder)
    first, second, *_ = sorted(folder.glob("rewritings/*.json"))
    first.unlink()
    second.write_bytes(flipped(second.read_bytes()))
    calls, real = [], Random.rewrite
    monkeypatch.setattr(
        Random, "rewrite", lambda self, task, seed: calls.append(task.id) or real(self, task, seed)
    )
    again = obfuscate(
        "random(rate=0.5)", problems, seed=3, folder=folder, out=tmp_path / "hidden", workers=1
    )
    assert len(calls) == 2 and all(again.rewritings)
    assert rewritings(folder) == rewritings(done / "run")
    assert (tmp_path / "hidden" / "truth.txt").read_bytes() == (
        done / "hidden" / "truth.txt"
    ).read_bytes()


@pytest.mark.parametrize("name", ["run.json", "plan.json"])
def test_a_flipped_byte_is_noticed_and_mended(done, problems, tmp_path, name):
    folder = tmp_path / "run"
    shutil.copytree(done / "run", folder)
    (folder / name).write_bytes(flipped((folder / name).read_bytes()))
    with pytest.raises(StoreError, match="damaged"):
        Store.open(folder)
    obfuscate("random(rate=0.5)", problems, seed=3, folder=folder, workers=1)
    assert analyse(Store.open(folder)).changed == 6


def test_a_damaged_rewriting_is_told(done, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(done / "run", folder)
    one = next(folder.glob("rewritings/*.json"))
    one.write_bytes(flipped(one.read_bytes()))
    assert list(analyse(Store.open(folder)).failed.values()) == [
        "the rewriting is missing or damaged: repeat the command"
    ]


def test_a_text_that_fails_is_named_and_nothing_is_written(problems, tmp_path, monkeypatch):
    def fail(self, task, seed):
        raise ValueError("no luck")

    with monkeypatch.context() as broken:
        broken.setattr(Random, "rewrite", fail)
        result = obfuscate(
            "random", problems, folder=tmp_path / "run", out=tmp_path / "hidden", workers=1
        )
    assert len(result.errors) == 6 and "ValueError: no luck" in result.errors[0]
    assert not (tmp_path / "hidden").exists()
    assert len(analyse(Store.open(tmp_path / "run")).failed) == 6
    assert not obfuscate(
        "random", problems, folder=tmp_path / "run", out=tmp_path / "hidden", workers=1
    ).errors
    assert (tmp_path / "hidden").is_dir()


def test_another_spec_or_place_is_refused(done, problems, tmp_path):
    with pytest.raises(InputError, match="another spec"):
        obfuscate("random(rate=0.5)", problems, seed=4, folder=done / "run")
    with pytest.raises(InputError, match="in another folder"):
        obfuscate("random(rate=0.5)", problems, seed=3, folder=done / "run", rewritings=tmp_path)
    with pytest.raises(SpecError, match="split"):
        obfuscate("random", problems, split="dev")


def test_rewritings_can_be_shared(done, problems, tmp_path, monkeypatch):
    monkeypatch.setattr(Random, "rewrite", lambda *a: pytest.fail("a text was rewritten again"))
    kept = done / "run" / "rewritings"
    found = obfuscate(
        "random(rate=0.5)", problems, seed=3, folder=tmp_path / "other", rewritings=kept, workers=1
    )
    assert all(found.rewritings) and not (tmp_path / "other" / "rewritings").exists()
    assert analyse(found.store).changed == 6


def raven(command, *arguments):
    found = CliRunner().invoke(
        build(command), [command, *map(str, arguments)], catch_exceptions=False
    )
    assert found.exit_code == 0, found.output
    return found.stdout


def test_plan_report_and_diff(done, problems, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = json.loads(raven("obfuscate", "random", problems, "--plan", "--json"))
    assert (told["cells"], told["done"], told["fits"]) == (6, 0, 1)
    assert list(tmp_path.iterdir()) == []
    told = json.loads(
        raven(
            "obfuscate",
            "random(rate=0.5)",
            problems,
            "--seed",
            3,
            "--folder",
            done / "run",
            "--plan",
            "--json",
        )
    )
    assert (told["done"], told["fits"]) == (6, 0)
    assert json.loads(raven("report", done / "run", "--json"))["changed"] == 6
    assert "6 comparisons" in raven("diff", done / "run", "--out", tmp_path / "pages")


def test_places_may_be_urls(problems):
    pytest.importorskip("upath")
    out, folder = "memory://obfuscation/hidden", "memory://obfuscation/run"
    result = obfuscate("random", problems, out=out, folder=folder, workers=1)
    assert result.errors == ()
    assert (files.location(out) / "truth.txt").is_file()
    assert analyse(Store.open(folder)).changed == 6
    again = obfuscate("random", problems, out=out, folder=folder, workers=1)
    assert again.errors == (), "its own product may be written again"
    (files.location(out) / "thesis.txt").write_bytes(b"mine")
    with pytest.raises(InputError, match="not empty"):
        obfuscate("random", problems, out=out, folder=folder, workers=1)
