"""Declares ``raven corpus``, and checks whether corpora that need no import are on this machine.

In: nothing.
Out: ``CORPUS``: a ``Command`` record (place of the function, a line of help, its section in the list); ``checks``: an
iterator of (group, name, ok or missing, what was found, a command to install it), five texts each.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ravenbench.seams import CORPORA, Command

CORPUS = Command(
    "ravenbench.ext.corpora.command:app", "List, describe, import and fetch corpora.", CORPORA, 0
)


def checks() -> Iterator[tuple[str, str, str, str, str]]:
    """Yield the state of the made-up texts and of 20 Newsgroups on this machine."""
    from ravenbench.files import expanded  # numpy comes with it

    yield (
        "data",
        "synthetic",
        "ok",
        "made-up texts of known authors and topics, always available",
        "",
    )
    # scikit-learn's own name of the folder and of the file; asking scikit-learn would make the folder.
    home = expanded(Path(os.environ.get("SCIKIT_LEARN_DATA") or "~/scikit_learn_data"))
    if (home / "20news-bydate_py3.pkz").is_file():
        yield "data", "newsgroups", "ok", f"20 Newsgroups in {home}", ""
    else:
        yield (
            "data",
            "newsgroups",
            "missing",
            f"20 Newsgroups, not in {home}",
            "raven corpus fetch newsgroups",
        )
