"""``requirements.lock`` has a version and hashes for all that Raven and its tests need, and names no index."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def locked() -> list[tuple[Requirement, list[str]]]:
    """Every requirement of the lock file with its hashes."""
    text = (ROOT / "requirements.lock").read_text("utf-8").replace("\\\n", " ")
    lines = [line.split() for line in text.splitlines()]
    return [
        (
            Requirement(" ".join(w for w in words if not w.startswith("--"))),
            [w for w in words if w.startswith("--")],
        )
        for words in lines
    ]


def test_every_requirement_is_pinned_with_hashes():
    found = locked()
    assert len(found) > 50 and "://" not in (ROOT / "requirements.lock").read_text("utf-8")
    for requirement, hashes in found:
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert hashes and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", h) for h in hashes), (
            requirement
        )


def test_the_lock_holds_what_the_project_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["test"], *extras["obfuscation"]]
    for python in ("3.11", "3.12", "3.13", "3.14"):
        here = default_environment() | {
            "python_version": python,
            "python_full_version": f"{python}.0",
        }
        versions = {
            canonicalize_name(r.name): next(iter(r.specifier)).version
            for r, _ in locked()
            if r.marker is None or r.marker.evaluate(here)
        }
        for requirement in map(Requirement, asked):
            if requirement.name != "ravenbench":
                assert versions[canonicalize_name(requirement.name)] in requirement.specifier, (
                    python,
                    requirement,
                )
