"""Makes the report of ``raven attribute --unknown``: page, tables, figures, JSON, terminal.

In: the folder (``Store``), which has ``NamingAnswers``; for the other functions one ``Named``.
Out: an ``UnknownReport``; probabilities and shares are from 0 to 1, with 95 % intervals, lengths are counts of words.
``probabilities_figure`` and ``strip_figure``: figures.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.errors import counted
from ravenbench.ext.case.report import AnswersReport
from ravenbench.ext.case.sentences import percent
from ravenbench.ext.unknown.naming import NONE, Candidate, Named, NamingAnswers
from ravenbench.reports.page import FAINT, INK, OTHER, SETUP, canvas
from ravenbench.reports.view import Table, col, each, for_terminal, rows_json, table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

BARS = 12
"""Maximum number of answers in a figure and on a terminal."""
STRIPS = 4
"""Maximum number of separate answers in a strip chart."""
CAUTION = (
    "These probabilities are valid only if one of the candidates, or none of them, wrote the whole"
    " text, and if the candidates' texts are of the same kind and time. The texts themselves cannot"
    " show either."
)
CANDIDATES_NOTE = (
    "Intervals are over the candidates' texts; if listed: probability if one of the candidates"
    " wrote it; content replaced: the same with content words from other texts."
)
UNTESTED = (
    "Raven did not test the methods ({names}) for content on these texts, so it clears none of them"
    " and subtracts nothing from their scores. The statement on content is about the answer that all"
    " methods make together."
)


class UnknownReport(AnswersReport[NamingAnswers, Named]):
    """Who wrote each unknown text, how far to trust the answer, and its grounds."""

    kind = "unknown"
    template = "ravenbench.ext.unknown:template.html.j2"
    most = 8
    thing = "text"

    @property
    def answers(self) -> Sequence[Named]:
        return self.analysis.texts

    def summary(self) -> Table:
        return table(
            "answers",
            "Answers",
            self.answers,
            col("text", "name", text=True, json="text"),
            col("words", "words", json="words", terminal=False),
            col(
                "most probable",
                lambda n: n.best.name if n.best else "no answer",
                text=True,
                json="answer",
            ),
            col(
                "probability", lambda n: n.best and n.best.probability, digits=2, json="probability"
            ),
            col("95% interval", lambda n: n.best and n.best.interval, digits=2, json="interval"),
            col("if listed", _listed, text=True, json="if_listed"),
            col(NONE, lambda n: n.none and n.none.probability, digits=2, json="none"),
            col(
                "reason for no answer",
                lambda n: "; ".join(map(str, n.reasons)),
                text=True,
                json="reasons",
                terminal=False,
            ),
            note=(
                "Intervals are over the candidates' texts; if listed: the most probable author if"
                " one of the candidates wrote it."
            ),
        )

    def tables_of(self, one: Named, mark: str) -> list[Table]:
        return [
            _candidates(one.name, one.ranked if one.answered else (), mark),
            table(
                f"accuracy{mark}",
                "How often such texts are named correctly when the author is known",
                one.accuracies,
                col("the candidates' known texts", "how", text=True),
                col("named correctly", "right", digits=2),
                col("95% interval", "interval", digits=2),
                col("guessing", "chance", digits=2),
                col("texts", "texts"),
                note="Each candidate has the same weight; intervals are Wilson's over texts.",
                section="trust",
            ),
        ]

    def listings(self) -> list[Table]:
        names = [*self.analysis.plan.candidates, NONE]
        return [
            table(
                f"passages{mark}",
                f"Passages of {one.name}",
                one.passages,
                col("from word", "begins"),
                *each(range(len(names)), lambda i: names[i], lambda p, i: p.probabilities[i]),
            )
            for mark, one in self.shown
            if len(one.passages) > 1
        ]

    def figures_of(self, one: Named) -> dict[str, Figure]:
        names = [*self.analysis.plan.candidates, NONE]
        drawn = {"probabilities": probabilities_figure(one.ranked[:BARS])} if one.ranked else {}
        along = {"along": strip_figure(one, names)} if len(one.passages) > 1 else {}
        return drawn | along

    def context(self) -> dict[str, Any]:
        more = {"percent": percent, "caution": CAUTION, "untested": self._untested()}
        return {**more, **super().context()}

    def context_of(self, one: Named) -> dict[str, Any]:
        return {"title": f"Who wrote {one.name}?"}

    def to_json(self) -> dict[str, Any]:
        """Return plain values; probabilities in [0, 1]."""
        stated = self.analysis
        return {
            "answers": rows_json(self.summary()),
            "candidates": list(stated.plan.candidates),
            "texts": [one.to_json() for one in stated.texts],
            "methods": list(stated.methods),
            "methods_and_content": [
                {"method": name, "tested": False, "may_know_more": why}
                for name, why in stated.methods.items()
            ],
            "none_beforehand": stated.beforehand,
            "topics": stated.plan.topics or None,
            "not_learned_from": list(stated.plan.left_out),
            "notes": list(stated.plan.notes),
            "caution": CAUTION,
        }

    def _untested(self) -> str:
        """What was not asked of the methods."""
        return UNTESTED.format(names=", ".join(self.analysis.methods))

    def said_of_all(self) -> list[str]:
        several = () if self.only is not None else self.answers
        said = [(n.name, [n.sentence] * (not n.answered), n.notes) for n in several]
        return [
            *(f"{name}: {line}" for name, lines, _ in said for line in lines),
            *(f"{name}: {note}." for name, _, notes in said for note in notes),
            *(f"note: {note}." for note in self.analysis.plan.notes),
        ]

    def said(self, one: Named) -> list[RenderableType]:
        from rich.text import Text

        parts: list[Any] = []
        if one.answered:
            parts.append(for_terminal(_candidates(one.name, one.ranked[:BARS], "")))
            if (more := len(one.ranked) - BARS) > 0:
                parts.append(Text(f"The page shows {counted(more, 'less probable answer')}."))
        parts += [for_terminal(made) for made in self.tables_of(one, "")[1:] if made.rows]
        content = [] if one.content is None else [one.content.sentence]
        about = [*content, self._untested()] if one.answered else []
        lines = [*(f"note: {note}." for note in one.notes), *filter(None, (one.change, *about))]
        return [*parts, *map(Text, lines)]


def _listed(one: Named) -> str | None:
    """The most probable candidate, and how probable if one of the candidates wrote the text."""
    first = one.first
    return None if first is None else f"{first.name}, {percent(first.listed or 0)}"


def _candidates(name: str, ranked: Sequence[Candidate], mark: str) -> Table:
    """Every answer to one text, the most probable first."""
    return table(
        f"candidates{mark}",
        f"Who wrote {name}?",
        ranked,
        col("answer", "name", text=True),
        col("probability", "probability", digits=2),
        col("95% interval", "interval", digits=2),
        col("if listed", "listed", digits=2),
        col("content replaced", "style", digits=2),
        col("texts", lambda c: c.texts or None),
        col("words", lambda c: c.words or None),
        note=CANDIDATES_NOTE,
        section="candidates",
    )


def probabilities_figure(rows: Sequence[Candidate]) -> Figure:
    """Draw each answer's probability with its interval, the most probable at the top."""
    figure, (axes,) = canvas(4.4, 0.55 + 0.26 * len(rows))
    for y, c in enumerate(rows[::-1]):
        color = OTHER if c.listed is None else SETUP["hits"]
        if c.interval is not None:
            axes.plot(c.interval, [y, y], color=color, linewidth=1.6, alpha=0.6)
        axes.plot([c.probability], [y], "o", color=color, ms=5, clip_on=False)
    axes.set_yticks(range(len(rows)), [_short(c.name) for c in rows[::-1]])
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.axvline(0.5, color=FAINT, linewidth=0.6)
    axes.set_xlabel("probability")
    return figure


def strip_figure(one: Named, names: Sequence[str]) -> Figure:
    """Draw probabilities along the text, passage by passage: a strip for each leading answer."""
    p = np.array([passage.probabilities for passage in one.passages])
    leading = [int(i) for i in np.argsort(-p.mean(axis=0), kind="stable")[:STRIPS]]
    edges = [passage.begins for passage in one.passages] + [one.words]
    figure, (axes,) = canvas(5.4, 0.6 + 0.32 * len(leading))
    for y, i in enumerate(leading[::-1]):
        for k, value in enumerate(p[:, i]):
            axes.barh(
                y,
                edges[k + 1] - edges[k],
                left=edges[k],
                height=0.8,
                color=SETUP["hits"],
                alpha=float(value),
                linewidth=0,
            )
            if i == p[k].argmax():
                axes.plot((edges[k] + edges[k + 1]) / 2, y, "o", color=INK, markersize=2.5)
    axes.set_yticks(range(len(leading)), [_short(names[i]) for i in leading[::-1]])
    axes.set_xlim(0, edges[-1])
    axes.set_xlabel("word of the text")
    return figure


def _short(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:23]}…"
