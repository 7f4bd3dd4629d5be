"""The readers that meet malformed inputs, and what each says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import extensions
from bad_input.answers import ANSWERS
from bad_input.attribution import ATTRIBUTION, REWRITINGS
from bad_input.batches import BATCHES
from bad_input.cases import TEXT, Case
from bad_input.documents import DOCUMENTS
from bad_input.folders import FOLDERS
from bad_input.problems import PROBLEMS
from bad_input.retrieval import RETRIEVAL
from bad_input.specs import COMPONENTS, SPECS, STORES
from bad_input.tables import TABLES
from bad_input.truth import ATTRIBUTES, TRUTH
from ravenbench import registry
from ravenbench.errors import RavenError
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.reading.answers import read_answers, read_truth
from ravenbench.reading.documents import read_documents
from ravenbench.reading.load import load_corpus
from ravenbench.reading.pan_attribution import read_attribution
from ravenbench.reading.pan_obfuscation import read_parts
from ravenbench.reading.problems import read_problem_sets
from ravenbench.reading.reviews import read_reviews
from ravenbench.reading.tabular import read_attribute
from ravenbench.store.records import Head, write_record
from ravenbench.store.store import Store
from ravenbench.tasks.run.spec import build
from ravenbench.texts import TextTable

ESSAY = ObfuscationTask("essay", f"{TEXT} " * 10, language="en")

EVERY = {
    "Corpora: tables": TABLES,
    "Corpora: folders and archives": FOLDERS,
    "Problems": PROBLEMS,
    "Truth": TRUTH,
    "Batches of comparisons": BATCHES,
    "Documents": DOCUMENTS,
    "Answers": ANSWERS,
    "Attributes": ATTRIBUTES,
    "Attribution collections": ATTRIBUTION,
    "Rewritings": REWRITINGS,
    "Queries and candidates": RETRIEVAL,
    **extensions.rows("MALFORMED"),
    "Spec files": SPECS,
    "Components": COMPONENTS,
    "Folders of runs": STORES,
}

PATHS: dict[str, Callable[[Path], Any]] = {
    "document": read_documents,
    "corpus": load_corpus,
    "problems": read_problem_sets,
    "truth": read_truth,
    "answers": read_answers,
    "attribute": lambda path: read_attribute(str(path), ["p1", "p2"]),
    "attribution": read_attribution,
    "parts": lambda path: [part.obfuscation.encode() for part in read_parts(path, TEXT)],
    "rewritten": lambda path: registry.parse("obfuscator", f"rewritings({str(path)!r})").fit(
        [ESSAY]
    ),
    "reviews": read_reviews,
    "spec": lambda path: build({}, path),
    "store": Store.open,
    "texts": TextTable.open,
} | {reader: read for reader, (read, _) in extensions.rows("READERS").items()}
"""Readers of files; the others parse component strings of the kind they are called by."""

COMMANDS = {
    "corpus": "raven run, corpus",
    "document": "raven texts, compare",
    "problems": "raven run --train, verify, pan14",
    "truth": "raven evaluate",
    "answers": "raven evaluate, report",
    "attribute": "raven evaluate --by",
    "attribution": "raven attribute",
    "parts": "raven diff",
    "rewritten": "rewritings()",
    "reviews": "raven safety --grades",
    "spec": "raven run --spec",
    "store": "raven report",
    "texts": "raven report",
    "verifier": "--verifiers",
    "encoder": "--encoder",
    "sampler": "--samplers",
    "obfuscator": "raven obfuscate",
    "attributor": "raven attribute --methods",
} | {reader: command for reader, (_, command) in extensions.rows("READERS").items()}
GROUPS = {
    title: cases
    for title, every in EVERY.items()
    if (cases := [case for case in every if case.reader in COMMANDS])
}
"""Malformed inputs of those readers that are here: an extension brings its own (``tests/ext/NAME/rows.py``)."""


def told(case: Case, folder: Path) -> str:
    """The error that a case meets, with its folder left out; "" where it is accepted.

    Anything else than an error that Raven raises on purpose is let through.
    """
    for name, content in (case.files or {}).items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        data = content() if callable(content) else content
        if data == "HEAD":
            write_record(place, "run", Head(spec={}, data={}, raven="0", python="3", packages={}))
        else:
            place.write_bytes(
                data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
            )
    try:
        if case.files is None:
            registry.parse(case.reader, case.given)
        else:
            PATHS[case.reader](folder / case.given)
    except RavenError as error:
        return str(error).replace(f"{folder}/", "").replace(str(folder), ".")
    return ""
