"""``raven doctor``: what is there, what is missing, and a test that performs the main job."""

from __future__ import annotations

import json
import shutil
from importlib import metadata

import pytest
from typer.testing import CliRunner

from ravenbench.cli.main import build
from ravenbench.errors import install
from ravenbench.ext.tools import doctor as checkup


def doctor(*arguments: str):
    return CliRunner().invoke(build("doctor"), ["doctor", *arguments])


def test_missing_parts_name_the_command_and_are_no_error(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    real = metadata.version

    def version(name: str) -> str:
        if name in ("torch", "nltk"):
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(checkup.metadata, "version", version)
    monkeypatch.setattr(shutil, "which", lambda program: None)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    shown = doctor("--no-test", "--json")
    assert shown.exit_code == 0, shown.output
    found = {check["name"]: check for check in json.loads(shown.output)["checks"]}
    assert found["neural"]["state"] == "missing" and "torch" in found["neural"]["detail"]
    assert found["neural"]["fix"] == install("neural")
    assert found["newsgroups"]["fix"] == "raven corpus fetch newsgroups"
    assert found["bwrap"]["state"] == "missing" and found["base"]["state"] == "ok"


def test_a_package_that_does_not_fit_is_an_error(monkeypatch):
    real = metadata.version
    monkeypatch.setattr(
        checkup.metadata, "version", lambda name: "0.1" if name == "numba" else real(name)
    )
    shown = doctor("--no-test")
    assert shown.exit_code == 1
    assert "numba 0.1 does not fit" in shown.output and "1 of" in shown.output


def test_every_extra_is_explained():
    extras = set(metadata.metadata("ravenbench").get_all("Provides-Extra") or ())
    assert extras - set(checkup.EXTRAS) == {"all", "test", "test-all"}


def test_the_self_test_performs_the_main_job(monkeypatch):
    found = checkup.self_test()
    assert found.state == "ok" and "report in" in found.detail, found

    def broken(*arguments: object, **options: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("ravenbench.run", broken)
    assert checkup.self_test().detail == "OSError: no space left"


@pytest.mark.parametrize("width", ["60", "80"])
def test_it_fits_the_terminal(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    shown = doctor("--no-test")
    assert max(len(line.rstrip()) for line in shown.output.splitlines()) <= int(width)


def test_the_folder_of_an_unknown_user_is_a_folder_that_is_not_there(monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", "~nobody-of-this-name/data")
    shown = doctor("--no-test", "--json")
    assert shown.exit_code == 0, shown.output


def test_what_may_have_cost_hours_is_not_cleared(monkeypatch, tmp_path):
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path))
    for name in ("translations", "tables"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "answer").write_bytes(b"a" * 1_000_000)
    (kept,) = (check for check in checkup.look_over() if check.name == "caches")
    assert kept.detail.startswith(f"2 MB in {tmp_path}")
    assert checkup.clear_cache() == ["tables"]
    assert [place.name for place in tmp_path.iterdir()] == ["translations"]
