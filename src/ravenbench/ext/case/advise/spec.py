"""Defines what decides advice: the text, and the texts with which Raven compares it.

In: options of the command line, or arguments in Python.
Out: a checked ``AdviseSpec``: paths of the text, the known texts and the background, names of verifiers and of the
columns of a table, an encoding and a seed (integer); None where not given.
"""

from __future__ import annotations

from typing import Annotated

from ravenbench.engine.options import PATH, PATHS, Encoding, TextsSpec, about, options_of
from ravenbench.ext.case.compare.spec import DEFAULT, CompareSpec, Same

COMPARED = options_of(CompareSpec)


class AdviseSpec(TextsSpec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The text, and the texts with which Raven compares it."""

    text: Annotated[
        str,
        about(
            "The text whose author wants to stay unknown: a document (.txt, .docx).",
            takes=PATH,
            metavar="TEXT",
        ),
    ]
    known: Annotated[
        tuple[str, ...],
        about(
            "Your other texts: documents or a folder of documents; may be repeated.",
            takes=PATHS,
            many=True,
        ),
    ]
    background: Annotated[
        str, about(f"{COMPARED['background'].help} Default: pieces of Brown.", takes=PATH)
    ] = ""
    verifiers: Same = DEFAULT
    column: Annotated[
        str | None, about(COMPARED["text"].help, flags=("--text",), metavar="COLUMN")
    ] = None
    author: Annotated[str | None, about(COMPARED["author"].help, metavar="COLUMN")] = None
    topic: Annotated[str | None, about(COMPARED["topic"].help, metavar="COLUMN")] = None
    encoding: Encoding = None
    seed: Annotated[int | None, about(COMPARED["seed"].help)] = None
