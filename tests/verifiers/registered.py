"""Names of verifiers that tests go through, and what some need."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from ravenbench import registry

NEURAL = {
    n
    for n, target in registry.targets("verifier").items()
    if target.startswith("ravenbench.ext.shelf.neural.")
}
"""Tested in their own folder, at sizes that suit a test."""
OUTSIDE = {"command", *NEURAL}
"""Those that are somebody else's program, and those."""
INSIDE = {*registry.names("verifier")} - OUTSIDE
TAGGED = {"harvey-2014"}
"""Those that need NLTK and its tagger."""


def cases(names: Iterable[str]) -> list[object]:
    """Parameters of a test, a name each; those that need a tagger are marked to need its data."""
    return [
        pytest.param(name, marks=pytest.mark.data if name in TAGGED else ())
        for name in sorted(names)
    ]


def bring_tagger(name: str, request: pytest.FixtureRequest) -> None:
    """Bring NLTK and its tagger where a verifier needs it, or skip visibly."""
    if name in TAGGED:
        request.getfixturevalue("need_extra")("nltk")
        request.getfixturevalue("nltk_home")
