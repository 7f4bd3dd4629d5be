"""Says after each saved version of a text what the version changed, for better or worse, and what to change next.

In: for ``Coach`` the ``Advice`` of the first version; for ``look`` a later version.
Out: ``look`` gives lines for a terminal and keeps the version; ``done`` says whether no further change would help.
Answers are from 0 (two authors) to 1 (one), a change is the mean answer with an edit less that without: below 0 hides.
"""

from __future__ import annotations

import numpy as np

from ravenbench.ext.case.advise.api import Advice, advise_on
from ravenbench.ext.case.advise.report import clip, finding, place_of, shown_change, summary
from ravenbench.reports.view import figure
from ravenbench.text.alignment import pieces, runs

EDITS = 8
"""Number of edits (the longest) that are undone one by one, to see what each did."""
PLACES = 3
LEAST = 0.005
"""Smallest gain for which a habit or a sentence is worth a change."""


class Coach:
    """One person's work on a text: the last version, and what verifiers answer about it."""

    def __init__(self, advice: Advice) -> None:
        self.advice = advice

    @property
    def done(self) -> bool:
        """Whether no habit and no sentence gains ``LEAST``."""
        return not self._next()

    def look(self, text: str) -> list[str]:
        """Return what a version changed, and what to do next."""
        before = self.advice
        self.advice = advise_on(text, before.judge, ())
        return [
            *self._edits(before.text),
            *summary(before.answers, self.advice.answers),
            *self.next(),
        ]

    def next(self) -> list[str]:
        """Return how recognisable the last version is, and the next places that are worth a change."""
        by = ", ".join(self.advice.recognised_by) or "no single verifier"
        tips = self._next()
        if not tips:
            tips = [
                f"no further change would help: no habit and no sentence gains {figure(LEAST)}."
            ]
            if self.advice.personal:
                named = ", ".join(one.kind for one in self.advice.personal)
                tips.append(f"The text still contains details that identify you: {named}.")
        return [finding(self.advice), f"still recognised by: {by}", *tips]

    def _next(self) -> list[str]:
        """Habits that are no topic's, and sentences, whose change gains most."""
        now = self.advice
        worth = [
            (tip.gain, place_of(now, tip))
            for tip in now.tips
            if tip.gain is not None and not tip.habit.content
        ]
        worth += [
            (
                one.gain,
                f"rewrite sentence {now.sentence(one.start)}:"
                f" {clip(now.text[one.start : one.end], 50)}",
            )
            for one in now.sentences
        ]
        best = sorted((one for one in worth if one[0] >= LEAST), key=lambda one: -one[0])
        return [f"next: {where} ({figure(-gain, signed=True)})" for gain, where in best[:PLACES]]

    def _edits(self, old: str) -> list[str]:
        """Each edit with what it changed, what hid most first, and what was worse last."""
        a = pieces(old)
        b = pieces(self.advice.text)
        changed = sorted(
            (run for run in runs(a, b) if run.kind != "same"),
            key=lambda run: run.a_start - run.a_stop + run.b_start - run.b_stop,
        )
        chosen = changed[:EDITS]
        undone = [
            "".join([*b[: run.b_start], *a[run.a_start : run.a_stop], *b[run.b_stop :]])
            for run in chosen
        ]
        answers = self.advice.judge.answers(undone) if undone else {}
        without = np.mean(list(answers.values()), axis=0) if answers else np.zeros(0)
        effects = (self.advice.mean - without).tolist()
        lines = [
            f"{shown_change(a, b, run)} ({figure(effect, signed=True)}"
            f"{': worse than before' * (effect >= LEAST)})"
            for effect, run in sorted(zip(effects, chosen, strict=True), key=lambda one: one[0])
        ]
        more = len(changed) - len(chosen)
        return lines + [f"… and {more} more"] * (more > 0)
