"""Makes the report of answers to one question or several: a page of the one, or a page of all that leads to one each.

In: the folder (``Store``), from which a subclass has its answers (``Stated``).
Out: ``AnswersReport``, what reports of a case and of an unknown text have alike; ``css_text``: escaped text.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import msgspec
from markupsafe import Markup

from ravenbench.errors import counted
from ravenbench.ext.case.stated import Stated
from ravenbench.files import write_text
from ravenbench.reports.answers import Answer
from ravenbench.reports.page import style
from ravenbench.reports.report import Report
from ravenbench.reports.view import Table, for_terminal, printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

A = TypeVar("A", bound=Answer[Any])
S = TypeVar("S", bound=Stated)
MOST_HEAD = 110
"""Characters of the running head of a printed page."""


class AnswersReport(Report[A], Generic[A, S]):
    """Answers, how far to trust them, and their grounds: what is stated stands in ``answers``, one a text."""

    most: ClassVar[int | None] = None
    """Answers that have a page, by default all."""
    thing: ClassVar[str]
    """What is counted where there are several."""

    @property
    @abstractmethod
    def answers(self) -> Sequence[S]:
        """What is stated, in the order that it is shown in."""

    @abstractmethod
    def summary(self) -> Table:
        """Every answer, or why there is none."""

    @abstractmethod
    def tables_of(self, one: S, mark: str) -> list[Table]:
        """The tables of one answer; ``mark`` tells them from those of another."""

    @abstractmethod
    def figures_of(self, one: S) -> dict[str, Figure]:
        """The figures of one answer."""

    @abstractmethod
    def context_of(self, one: S) -> dict[str, Any]:
        """What the page of one answer is given: its ``title``, and more."""

    @abstractmethod
    def said(self, one: S) -> list[RenderableType]:
        """What a terminal shows of the only answer."""

    def said_of_all(self) -> list[str]:
        """What a terminal shows below the answers."""
        return []

    @cached_property
    def shown(self) -> list[tuple[str, S]]:
        """The answers that have a page, each with the mark of its names."""
        several = len(self.answers) > 1
        return [(f"-{i}" * several, one) for i, one in enumerate(self.answers[: self.most], 1)]

    @property
    def only(self) -> S | None:
        """The answer, where there is one alone."""
        return self.answers[0] if len(self.answers) == 1 else None

    def listed(self) -> Table:
        """The answers, each of which leads to its page."""
        links = [f"answer{mark}.html" for mark, _ in self.shown if mark]
        links += [""] * (len(self.answers) - len(links)) if links else []
        section = "" if self.only is None else None
        return replace(self.summary(), links=tuple(links), section=section)

    def tables(self) -> list[Table]:
        return [self.listed(), *(t for mark, one in self.shown for t in self.tables_of(one, mark))]

    def page_tables(self) -> list[Table]:
        return self.tables() if self.only is not None else [self.listed()]

    def figures(self) -> dict[str, Figure]:
        return {} if self.only is None else self._drawn(self.only)

    def _drawn(self, one: S) -> dict[str, Figure]:
        with style():
            return self.figures_of(one)

    def finding(self) -> str:
        if self.only is not None:
            return self.only.sentence
        answered = sum(one.answered for one in self.answers)
        return f"{answered} of {counted(len(self.answers), self.thing)} answered."

    def context(self) -> dict[str, Any]:
        return {
            "one": None,
            "mark": "",
            "said": self.finding(),
            "head": self.head(counted(len(self.answers), self.thing)),
            "stated": self.analysis,
            "answers": self.answers,
            "plan": self.analysis.plan,
            "run": msgspec.to_builtins(self.analysis.run),
            **({} if self.only is None else self._page_of(self.only)),
        }

    def _page_of(self, one: S) -> dict[str, Any]:
        said = one.sentence if one.answered else "Raven gives no answer; the reason is below."
        context = self.context_of(one)
        return {"one": one, "said": said, "head": self.head(context["title"]), **context}

    def head(self, title: str) -> Markup:
        """The running head of a printed page of this title."""
        return css_text(title)

    def fill(self, folder: Path) -> None:
        """Also a page of each of several answers."""
        super().fill(folder)
        from ravenbench.reports.page import inline, render, write_figures

        for mark, one in self.shown if self.only is None else ():
            figures = {f"{name}{mark}": figure for name, figure in self._drawn(one).items()}
            write_figures(folder, figures, self.forms)
            page = render(
                self.template,
                figures={
                    name.removesuffix(mark): inline(figure, name)
                    for name, figure in figures.items()
                },
                tables=self.tables_of(one, mark),
                papers=self.papers(),
                **self.context() | self._page_of(one),
            )
            write_text(folder / f"answer{mark}.html", page)

    def closing(self) -> list[RenderableType]:
        """The answer in a few lines, or the table of all."""
        from rich.text import Text

        first = [for_terminal(self.summary())] if self.only is None else self.said(self.only)
        return [*first, *map(Text, self.said_of_all())]


def css_text(text: str) -> Markup:
    """Text as a string of CSS; all but letters and digits are escaped, so that none ends the string or the style."""
    short = printable(text)[:MOST_HEAD]
    escaped = "".join(c if c.isascii() and c.isalnum() else f"\\{ord(c):06x}" for c in short)
    return Markup('"{}"').format(escaped)
