"""Declares the option ``--frozen``, which refuses a run whose problems differ from the frozen problems.

In: ``check``: the path of a manifest (written by ``raven freeze``), a draft or an earlier folder, and its resolved
spec as a mapping.
Out: ``check`` returns nothing; it raises the InputError of ``copies.check_frozen`` if a set or split of the manifest
is missing, FormatError for a damaged manifest. ``FROZEN``: the option with this check.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ravenbench.engine.options import PATH, Option
from ravenbench.engine.task import DraftCheck


def check(place: Any, made: Any, spec: Mapping[str, Any]) -> None:
    """Raise an error if not all sets and splits of the manifest are present."""
    from ravenbench.ext.freeze.copies import check_frozen

    check_frozen(place, made, spec)


FROZEN = DraftCheck(
    Option(
        "frozen",
        "Manifest of raven freeze: Raven checks that problems or splits are the same before it"
        " computes anything.",
        takes=PATH,
    ),
    check,
)
