"""Adversaries that look for the originals of spliced texts, asked as a run asks methods that are not its own (ours).

All three go by content alone: by that of the original where they have it, and else by that of the text itself. Handed
all texts at once, in one process, they show no content effect. A run hands no more than problems cite, each call to a
process that saw nothing else (``engine.apart``); so does a simulation, and finds them.

``seeker``  looks for a text with the same words but its content words in the table that it is handed
``keeper``  looks for it among all texts that it was ever asked about
``ids``     remembers which text a problem of the same name had first
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ravenbench.engine.apart import Apart, divided, handed, pickled
from ravenbench.ext.lab.worlds import COMPANY, Cosine, _words
from ravenbench.types import Floats, Problems

KEPT: dict[tuple[str, ...], str] = {}
"""Texts that the process was asked about, by their words but content words."""
NAMED: dict[str, str] = {}
"""The questioned text that a problem had first."""


class Company:
    """All three, for a world's words that carry no content (``functions``)."""

    def __init__(self, functions: frozenset[str]) -> None:
        self.functions = functions
        self.content = Cosine(lambda text: [word for word in _words(text) if word not in functions])

    def score(self, problems: Problems) -> Floats:
        """Scores (n, 3) in the order of ``COMPANY``."""
        texts = list(problems.texts)
        frames = [tuple(word for word in _words(text) if word in self.functions) for text in texts]
        table: dict[tuple[str, ...], list[str]] = {}
        for frame, text in zip(frames, texts, strict=True):
            table.setdefault(frame, []).append(text)
            KEPT.setdefault(frame, text)
        originals: list[list[str]] = []
        for name, row in zip(problems.ids.tolist(), problems.questioned_index.tolist(), strict=True):
            others = [text for text in table[frames[row]] if text != texts[row]]
            originals.append(
                [(others or texts[row : row + 1])[0], KEPT[frames[row]], NAMED.setdefault(name, texts[row])]
            )
        rows = [
            (f"{i}", [problems.texts[k] for k in problems.known(i)], original)
            for i, found in enumerate(originals)
            for original in found
        ]
        return self.content.score(Problems.of(rows)).reshape(-1, len(COMPANY))


def scores(state: Company, problems: Problems) -> tuple[Company, dict[str, Any]]:
    """In a process of its own: the scores of one call."""
    return state, {"scores": state.score(problems)}


def asked_apart(company: Company, problems: Problems, plain: Problems) -> Floats:
    """Scores (n, 3) of an arm that was made from ``plain`` problems, as a run asks."""
    given, learned = np.full((len(problems), len(COMPANY)), np.nan), Apart(pickled(company))
    place = {problems.texts.hash(row): row for row in problems.documents.tolist()}
    origin = [place.get(plain.texts.hash(row), -1) for row in plain.questioned_index.tolist()]
    for rows in divided(problems, origin):
        call, order = handed(problems.select(rows))
        with learned.process_for(None) as process:
            given[rows[order]] = process.ask(scores, call)["scores"]
    return given
