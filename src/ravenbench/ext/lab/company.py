"""Adversaries that look for the originals of spliced texts, asked as a run asks methods that are not its own (ours).

They go by content alone, that of the original where they find it. Handed all texts at once, in one process, they show
no content effect. A run hands no more than problems cite, each call to a process that saw nothing else
(``engine.apart``), and so does a simulation. ``seeker`` goes by the first text of the table that it is handed with the
same words but for content, ``keeper`` by the first that it was ever handed, ``ids`` by what a problem of the same name
asked first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ravenbench.engine.apart import Apart, divided, handed, pickled
from ravenbench.ext.lab.worlds import COMPANY, Cosine, words_of
from ravenbench.types import Floats, Problems

KEPT, NAMED = dict[tuple[str, ...], str](), dict[str, str]()
"""First texts of a process: by their words but for content, and by the name of a problem that asked about them."""


class Company:
    """All of them, in a world of which these words carry no content (``functions``)."""

    def __init__(self, functions: frozenset[str]) -> None:
        self.functions = functions
        self.content = Cosine(lambda text: [word for word in words_of(text) if word not in functions])

    def score(self, problems: Problems) -> Floats:
        """Scores (n, 3) in the order of ``COMPANY``."""
        texts, here, rows = list(problems.texts), dict[tuple[str, ...], set[str]](), list[Any]()
        frames = [tuple(word for word in words_of(text) if word in self.functions) for text in texts]
        for frame, text in zip(frames, texts, strict=True):
            here.setdefault(frame, set()).add(text)
            KEPT.setdefault(frame, text)
        for i, row in enumerate(problems.questioned_index.tolist()):
            frame, known = frames[row], [texts[k] for k in problems.known(i)]
            named = NAMED.setdefault(str(problems.ids[i]), texts[row])
            rows += [("", known, original) for original in (min(here[frame]), KEPT[frame], named)]
        return self.content.score(Problems.of([(f"{i}", *row[1:]) for i, row in enumerate(rows)])).reshape(-1, 3)


def asked_apart(company: Company, problems: Problems, plain: Problems) -> Floats:
    """Scores (n, 3) of an arm that was made from ``plain`` problems, as a run asks."""
    given, learned = np.full((len(problems), len(COMPANY)), np.nan), Apart(pickled(company))
    place = {problems.texts.hash(row): row for row in problems.documents.tolist()}
    for rows in divided(problems, [place.get(plain.texts.hash(row), -1) for row in plain.questioned_index.tolist()]):
        call, order = handed(problems.select(rows))
        with learned.process_for(None) as process:
            given[rows[order]] = process.ask(lambda one, call: (one, {"scores": one.score(call)}), call)["scores"]
    return given
