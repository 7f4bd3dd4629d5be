"""Interrupted anywhere, damaged anywhere, run anyhow: the answers are those of an untouched run."""

import os
import shutil
import subprocess
import sys
from types import SimpleNamespace

import msgspec
import pytest

from ravenbench import registry
from ravenbench.errors import InputError, StoreError
from ravenbench.store import resume
from ravenbench.store.plans import cell_key
from ravenbench.store.store import Store
from ravenbench.tasks.api import run
from small_run import SMALL
from stored import answers

pytestmark = pytest.mark.usefixtures("undrawn")

OPTIONS = {**SMALL, "verifiers": "length, ppm(order=2), chance"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    result = run(out=folder, workers=1, **OPTIONS)
    assert not result.errors
    found = answers(folder)
    assert len(found) == 2 * 4 * 3 and all(found.values())
    return folder


def test_a_field_that_came_later_is_no_other_spec(whole):
    from ravenbench.store.resume import _check_same

    store = Store.open(whole)
    kept = store.run
    assert _check_same(
        store, "run", msgspec.structs.replace(kept, spec={**kept.spec, "came_later": None})
    )
    with pytest.raises(InputError, match="came_later: None there, 3 now"):
        _check_same(
            store, "run", msgspec.structs.replace(kept, spec={**kept.spec, "came_later": 3})
        )


@pytest.mark.parametrize(("workers", "hash_seed"), [(1, "1"), (2, "2")])
def test_any_number_of_workers_and_any_hash_seed(whole, tmp_path, workers, hash_seed):
    code = f"from ravenbench.tasks.api import run\nrun(out='run', workers={workers}, **{OPTIONS!r})"
    env = {**os.environ, "PYTHONHASHSEED": hash_seed}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, check=True)
    assert answers(tmp_path / "run") == answers(whole)


def test_a_finished_run_computes_nothing_again(whole, monkeypatch):
    from ravenbench.engine import cells as module

    monkeypatch.setattr(module, "plan_pairs", lambda *a: pytest.fail("work was done again"))
    assert run(out=whole, workers=1, **OPTIONS).errors == ()


def test_a_failed_cell_is_data_and_is_tried_again(tmp_path, monkeypatch):
    from ravenbench.verifiers.baselines import Length

    real = Length.pair_features

    def broken(self, texts, known, questioned):
        raise ValueError("no luck")

    monkeypatch.setattr(Length, "pair_features", broken)
    options = {**OPTIONS, "verifiers": "length, chance"}
    result = run(out=tmp_path / "r", workers=1, **options)
    assert len(result.errors) == 4 and "no luck" in result.errors[0]
    store = Store.open(tmp_path / "r")
    fold = next(iter(store.plan.folds))
    assert "no luck" in store.cell("length", fold).error
    assert store.cell("chance", fold).error is None
    monkeypatch.setattr(Length, "pair_features", real)
    assert run(out=tmp_path / "r", workers=1, **options).errors == ()
    assert store.cell("length", fold).error is None


def test_another_version_of_a_method_is_not_mixed_in(whole, monkeypatch):
    """The calibrator a scorer comes with counts too."""
    scorer = registry.parse("verifier", "length")
    before = cell_key(scorer, "a", "b")
    for owner in (
        type(scorer),
        type(scorer.default_calibrator()),
        registry.resolve("sampler", "hits"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(owner, "version", 99)
            assert (cell_key(scorer, "a", "b") == before) == (owner.name == "hits")
            with pytest.raises(
                InputError, match=r"methods of this run changed after it began[\s\S]*found: methods"
            ):
                run(out=whole, workers=1, **OPTIONS)
    run(out=whole, workers=1, **OPTIONS)


def test_another_run_in_the_place_of_an_earlier_one(tmp_path):
    """A worker that outlives a run's folder must not answer from what lay there before."""
    folder, other = tmp_path / "run", OPTIONS | {"seed": 7, "verifiers": "length"}
    run(out=tmp_path / "fresh", workers=1, **other)
    run(out=folder, workers=1, **(OPTIONS | {"verifiers": "length"}))
    shutil.rmtree(folder)
    run(out=folder, workers=1, **other)
    assert answers(folder) == answers(tmp_path / "fresh")
    stored, expected = Store.open(folder), Store.open(tmp_path / "fresh")
    for place in stored.plan.cells:
        here, there = (
            msgspec.to_builtins(store.read_cell(place.key).record) for store in (stored, expected)
        )
        assert here | {"seconds": None} == there | {"seconds": None}


def test_a_folder_that_was_handed_over_imports_nothing(tmp_path, monkeypatch):
    """The class that a plan names is looked at only where the command has imported its module."""
    marker = tmp_path / "imported"
    module = f"open({str(marker)!r}, 'w')\nclass X: pass\n"
    (tmp_path / "strange_module.py").write_text(module)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "strange-re.py").write_text((tmp_path / "strange_module.py").read_text())
    for spec in (
        "strange_module:X",
        "masked(strange_module:X, frequency-mask)",
        "strange-re:X",  # whose last part is a module that is here
    ):
        record = SimpleNamespace(name="x", spec=spec, source="abc", version=1)
        resume._name_edited(SimpleNamespace(plan=SimpleNamespace(verifiers=[record])))
    assert not marker.exists()


@pytest.mark.parametrize(
    ("spec", "looked_at"),
    [
        ("command('curl http://host:80/a')", True),
        ('command("it\'s at host:80")', True),
        (r"command('it\'s at host:80', folder='a:b')", True),
        ("meta([command('a'), strange_module:X, command('b')])", False),
        (r"meta([command('\\'), strange_module:X, command('b')])", False),
        ("meta([command('\\\n'), strange_module:X, command('b')])", False),
        ("""meta([command("'"), strange_module:X, command("'")])""", False),
    ],
)
def test_what_stands_in_quotes_names_no_module(spec, looked_at, monkeypatch, caplog):
    monkeypatch.setattr(resume, "source_hash", lambda component: "another")
    record = SimpleNamespace(name="x", spec=spec, source="abc", version=1)
    resume._name_edited(SimpleNamespace(plan=SimpleNamespace(verifiers=[record])))
    assert ("its file changed" in caplog.text) == looked_at


@pytest.mark.parametrize("key", ["../../victim/x", "a/../../../x"])
def test_a_plan_names_no_file_outside_of_its_folder(tmp_path, key):
    store = Store(tmp_path / "run")
    with pytest.raises(StoreError, match="outside its folder"):
        store.cell_path(key)
    assert store.cell_path("/tmp/x").is_relative_to(tmp_path / "run" / "cells")
