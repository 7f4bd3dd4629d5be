"""Makes the report of one answer or several: the page of an answer, or a page that links to each of several.

In: the folder (``Store``), from which a subclass has its answers (``Stated``).
Out: ``AnswersReport``, the common part of reports of a case and of an unknown text; ``css_text``: escaped text.
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
"""Maximum number of characters of the running head of a printed page."""


class AnswersReport(Report[A], Generic[A, S]):
    """Answers, how far to trust them, and their grounds: ``answers`` has one for each text."""

    most: ClassVar[int | None] = None
    """Maximum number of answers with a page, by default all."""
    thing: ClassVar[str]
    """What the report counts if there are several answers."""

    @property
    @abstractmethod
    def answers(self) -> Sequence[S]:
        """The answers, in the order shown."""

    @abstractmethod
    def summary(self) -> Table:
        """Return every answer, or the reason for none."""

    @abstractmethod
    def tables_of(self, one: S, mark: str) -> list[Table]:
        """Return the tables of one answer; ``mark`` distinguishes their names from those of another answer."""

    @abstractmethod
    def figures_of(self, one: S) -> dict[str, Figure]:
        """Return the figures of one answer."""

    @abstractmethod
    def context_of(self, one: S) -> dict[str, Any]:
        """Return the values for the page of one answer: its ``title``, and more."""

    @abstractmethod
    def said(self, one: S) -> list[RenderableType]:
        """Return what a terminal shows of a single answer."""

    def said_of_all(self) -> list[str]:
        """Return what a terminal shows below the answers."""
        return []

    @cached_property
    def shown(self) -> list[tuple[str, S]]:
        """The answers with a page, each with the mark of its names."""
        several = len(self.answers) > 1
        return [(f"-{i}" * several, one) for i, one in enumerate(self.answers[: self.most], 1)]

    @property
    def only(self) -> S | None:
        """The answer, if there is only one."""
        return self.answers[0] if len(self.answers) == 1 else None

    def listed(self) -> Table:
        """Return the table of answers with links to their pages."""
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
        """Return the running head of a printed page with this title."""
        return css_text(title)

    def fill(self, folder: Path) -> None:
        """Also write a page for each of several answers."""
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
        """Return the answer in a few lines, or the table of all."""
        from rich.text import Text

        first = [for_terminal(self.summary())] if self.only is None else self.said(self.only)
        return [*first, *map(Text, self.said_of_all())]


def css_text(text: str) -> Markup:
    """Return text as a CSS string; everything except letters and digits is escaped, so that it cannot end the string or
    the style."""
    short = printable(text)[:MOST_HEAD]
    escaped = "".join(c if c.isascii() and c.isalnum() else f"\\{ord(c):06x}" for c in short)
    return Markup('"{}"').format(escaped)
