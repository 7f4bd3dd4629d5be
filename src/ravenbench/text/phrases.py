"""What people and programs write again and again, in lists of this folder's ``phrases``: a pattern a line."""

from __future__ import annotations

from importlib.resources import files


def phrases(name: str) -> list[str]:
    """The lines of a list."""
    return [
        line for line in (files("ravenbench.text") / "phrases" / f"{name}.txt").read_text("utf-8").split("\n") if line
    ]


def any_of(name: str) -> str:
    """The patterns of a list as alternatives of one."""
    return "|".join(phrases(name))
