"""Declares the option ``--frozen``: refuses a run whose problems are not those that were frozen.

In: ``check``: the path of a manifest (what ``raven freeze`` writes), a draft or an earlier folder, and its resolved
spec as a mapping.
Out: ``check`` gives nothing; it raises the InputError of ``copies.check_frozen`` where a set or split of the manifest
is lacking, FormatError for a damaged manifest. ``FROZEN``: the option with this check.
"""

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
