"""``--frozen``: whether the problems of a draft or of an earlier folder are those that were frozen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ravenbench.engine.options import PATH, Option
from ravenbench.engine.task import DraftCheck


def check(place: Any, made: Any, spec: Mapping[str, Any]) -> None:
    """Refuse what does not hold all sets and splits of the manifest."""
    from ravenbench.ext.freeze.copies import check_frozen

    check_frozen(place, made, spec)


FROZEN = DraftCheck(
    Option(
        "frozen",
        "Manifest of raven freeze: that its problems or splits are these is checked before anything"
        " is computed.",
        takes=PATH,
    ),
    check,
)
