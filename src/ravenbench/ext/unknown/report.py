"""Makes the report of ``raven attribute --unknown``: page, tables, figures, JSON, terminal.

In: the folder (``Store``), from which ``naming.analyse`` makes ``NamingAnswers``; for the other functions one
``Named``.
Out: an ``UnknownReport``; probabilities and shares are from 0 to 1, with 95 % intervals, lengths are counts of words.
``candidates``, ``accuracies`` and ``passages``: tables; ``probabilities_figure`` and ``strip_figure``: figures;
``none_of``: a probability or None; ``listed``: text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ravenbench.ext.unknown.naming import (
    NONE,
    Candidate,
    Named,
    NamingAccuracy,
    NamingAnswers,
    analyse,
    barred,
    percent,
)
from ravenbench.reports.page import FAINT, INK, OTHER, SETUP, canvas, style
from ravenbench.reports.report import Report
from ravenbench.reports.view import (
    Col,
    Table,
    col,
    each,
    for_terminal,
    public_head,
    rows_json,
    table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

SHOWN = 8
"""Unknown texts that the page shows in full."""
BARS = 12
"""Answers that a figure shows."""
STRIPS = 4
"""Answers that a strip chart tells apart; the rest are one."""
CAUTION = (
    "These probabilities hold only if one of the candidates, or none of them, wrote the whole text,"
    " and if the candidates' texts are of its kind and time: neither can be learned from the texts"
    " themselves."
)
CONTENT_NOTE = (
    "if listed: probability if one of the candidates wrote it; content replaced: the same when"
    " content words are those of other texts."
)


UNTESTED = (
    "None of the methods ({names}) was tested for content on these texts, so none is called"
    " cleared, and nothing is subtracted from their scores: what is said of content concerns the"
    " answer, which all make together."
)


class UnknownReport(Report[NamingAnswers]):
    """Who wrote each unknown text, how far that is to be trusted, and what it rests on."""

    kind = "unknown"
    template = "ravenbench.ext.unknown:template.html.j2"

    def analyse(self) -> NamingAnswers:
        return analyse(self.store)

    def shown(self) -> list[tuple[str, Named]]:
        """The texts that are shown in full, each with the mark of its names."""
        texts = self.analysis.texts
        return [("" if len(texts) == 1 else f"-{i}", one) for i, one in enumerate(texts[:SHOWN], 1)]

    def tables(self) -> list[Table]:
        return [
            self.answers(),
            *(
                t
                for mark, one in self.shown()
                for t in (candidates(one, mark), accuracies(one, mark))
            ),
        ]

    def listings(self) -> list[Table]:
        return [
            passages(one, mark, self.analysis.plan.candidates)
            for mark, one in self.shown()
            if len(one.passages) > 1
        ]

    def answers(self) -> Table:
        """Every unknown text with its answer, or why it has none."""

        def best(one: Named) -> Candidate | None:
            return one.best if one.answered else None

        return table(
            "answers",
            "Answers",
            self.analysis.texts,
            col("text", lambda n: n.record.name, text=True, json="text"),
            col("words", lambda n: n.record.words, json="words", terminal=False),
            col(
                "most probable",
                lambda n: b.name if (b := best(n)) else "no answer",
                text=True,
                json="answer",
            ),
            col(
                "probability",
                lambda n: (b := best(n)) and b.probability,
                digits=2,
                json="probability",
            ),
            col("95% interval", lambda n: (b := best(n)) and b.interval, digits=2, json="interval"),
            col(
                "if listed",
                lambda n: listed(n) if n.answered else None,
                text=True,
                json="if_listed",
            ),
            col(NONE, lambda n: none_of(n) if n.answered else None, digits=2, json="none"),
            col(
                "why no answer",
                lambda n: "; ".join(n.reasons),
                text=True,
                json="reasons",
                terminal=False,
            ),
            note=(
                "Intervals are over the candidates' texts; if listed: who it is if one of the"
                " candidates wrote it."
            ),
            section="" if len(self.analysis.texts) > 1 else None,
        )

    def figures(self) -> dict[str, Figure]:
        names = [*self.analysis.plan.candidates, NONE]
        drawn = {}
        with style():
            for mark, one in self.shown():
                if one.ranked:
                    drawn[f"probabilities{mark}"] = probabilities_figure(one)
                if len(one.passages) > 1:
                    drawn[f"along{mark}"] = strip_figure(one, names)
        return drawn

    def finding(self) -> str:
        texts = self.analysis.texts
        if len(texts) == 1:
            return texts[0].sentence
        return f"{sum(text.answered for text in texts)} of {len(texts)} texts have an answer."

    def context(self) -> dict[str, Any]:
        plan = self.analysis.plan
        return {
            "texts": [{"named": one, "mark": mark} for mark, one in self.shown()],
            "found": self.analysis,
            "caution": CAUTION,
            "untested": self.untested(),
            "alone": sorted({plan.candidates[k.author] for k in plan.known}),
            "run": msgspec.to_builtins(public_head(self.store.run)),
        }

    def to_json(self) -> dict[str, Any]:
        """Plain values; probabilities in [0, 1]."""
        plan = self.analysis.plan
        reasons = {v.name: v.confinement for v in plan.verifiers if v.confinement} | barred(
            self.store, plan
        )
        return {
            "answers": rows_json(self.answers()),
            "candidates": list(plan.candidates),
            "texts": [_text_json(one) for one in self.analysis.texts],
            "methods": list(self.analysis.methods),
            "methods_and_content": [
                {"method": name, "tested": False, "may_know_more": reasons.get(name)}
                for name in self.analysis.methods
            ],
            "none_beforehand": self.analysis.spec.none,
            "topics": plan.topics or None,
            "not_learned_from": list(plan.left_out),
            "notes": list(plan.notes),
            "caution": CAUTION,
        }

    def untested(self) -> str:
        """What was not asked of the methods."""
        return UNTESTED.format(names=", ".join(self.analysis.methods))

    def closing(self) -> Sequence[RenderableType]:
        from rich.text import Text

        texts = self.analysis.texts
        parts = list[Any]()
        if len(texts) > 1:
            said = [
                (n, (n.sentence,) * bool(n.reasons) + tuple(f"{note}." for note in n.notes))
                for n in texts
            ]
            return [
                for_terminal(self.answers()),
                *(
                    Text(f"{n.record.name}: {sentence}")
                    for n, sentences in said
                    for sentence in sentences
                ),
            ]
        (one,) = texts
        if one.answered:
            parts.append(for_terminal(candidates(replace(one, ranked=one.ranked[:BARS]), "")))
            if (more := len(one.ranked) - BARS) > 0:
                parts.append(Text(f"{more} less probable answers stand on the page."))
        parts += [for_terminal(accuracies(one, ""))] if one.accuracies else []
        parts += [Text(f"note: {note}.") for note in (*one.notes, *self.analysis.plan.notes)]
        about = (one.content, self.untested()) if one.answered else ()
        parts += [Text(text) for text in (one.change, *about) if text]
        return parts


def none_of(one: Named) -> float | None:
    """The probability (0 to 1) of none of them."""
    return next((c.probability for c in one.ranked if c.name == NONE), None)


def listed(one: Named) -> str:
    """The most probable candidate, and how probable if one of the candidates wrote the text."""
    return next(f"{c.name}, {percent(c.listed)}" for c in one.ranked if c.listed is not None)


def candidates(one: Named, mark: str) -> Table:
    """Every answer to one text, the most probable first."""
    return table(
        f"candidates{mark}",
        f"Who wrote {one.record.name}?",
        one.ranked if one.answered else (),
        col("answer", lambda c: c.name, text=True, json="answer"),
        col("probability", lambda c: c.probability, digits=2, json="probability"),
        col("95% interval", lambda c: c.interval, digits=2, json="interval"),
        col("if listed", lambda c: c.listed, digits=2, json="if_listed"),
        col("content replaced", lambda c: c.style, digits=2, json="content_replaced"),
        col("texts", lambda c: c.texts or None, json="texts"),
        col("words", lambda c: c.words or None, json="words"),
        note=f"Intervals are over the candidates' texts; {CONTENT_NOTE}",
    )


_ACCURACY: tuple[Col[NamingAccuracy], ...] = (
    col("the candidates' own texts", lambda a: a.how, text=True, json="how"),
    col("named rightly", lambda a: a.right, digits=2, json="right"),
    col("95% interval", lambda a: a.interval, digits=2, json="interval"),
    col("guessing", lambda a: a.chance, digits=2, json="guessing"),
    col("texts", lambda a: a.texts, json="texts"),
)


def accuracies(one: Named, mark: str) -> Table:
    """A table of how well (share, 0 to 1) the candidates' own texts are named, cut as this one is."""
    rows: Sequence[NamingAccuracy] = one.accuracies
    return table(
        f"accuracy{mark}",
        "How well such texts are named when the truth is known",
        rows,
        *_ACCURACY,
        note="Each candidate counts alike; intervals are Wilson's over texts.",
    )


def passages(one: Named, mark: str, names: Sequence[str]) -> Table:
    """A table of the probabilities (0 to 1) of every passage of a text."""
    return table(
        f"passages{mark}",
        f"Passages of {one.record.name}",
        one.passages,
        col("from word", lambda p: p.begins),
        *each(range(len(names) + 1), lambda i: [*names, NONE][i], lambda p, i: p.probabilities[i]),
    )


def _text_json(one: Named) -> dict[str, Any]:
    return {
        "text": one.record.name,
        "words": one.record.words,
        "answered": one.answered,
        "sentence": one.sentence,
        "reasons": list(one.reasons),
        "notes": list(one.notes),
        "answers": [asdict(c) for c in one.ranked],
        "named_rightly": [asdict(a) for a in one.accuracies],
        "none_recognised": one.recognised,
        "named_where_absent": one.strangers,
        "content": one.content or None,
        "change": one.change or None,
        "under_other_priors": [
            {"none_beforehand": prior, "answer": name, "probability": p}
            for prior, (name, p) in one.priors.items()
        ],
        "passages": [asdict(p) for p in one.passages],
    }


def probabilities_figure(one: Named) -> Figure:
    """Each answer's probability with its interval, the most probable above."""
    rows = one.ranked[:BARS]
    figure, (axes,) = canvas(4.4, 0.55 + 0.26 * len(rows))
    for y, c in enumerate(rows[::-1]):
        color = OTHER if c.name == NONE else SETUP["hits"]
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
    """Probabilities along the text, passage by passage: a strip for each of the answers that lead somewhere."""
    p = np.array([passage.probabilities for passage in one.passages])
    leading = [int(i) for i in np.argsort(-p.mean(axis=0), kind="stable")[:STRIPS]]
    edges = [passage.begins for passage in one.passages] + [one.record.words]
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
