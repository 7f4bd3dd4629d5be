"""Shows results: in a notebook as finding, chart and link to the page, elsewhere as one line.

In: a result (a subclass of ``Shown``); its ``to_polars``, ``to_pandas`` and ``figure`` take the name of a table or
figure, None = the first.
Out: ``to_polars`` and ``to_pandas`` data frames, unrounded; ``figure`` one of matplotlib; ``notebook_progress`` a
callback (stage, done, in all), None outside notebooks. InputError for an unknown table or figure, MissingPart from
``to_pandas`` without pandas.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from markupsafe import Markup

if TYPE_CHECKING:
    import pandas
    import polars
    from matplotlib.figure import Figure

LONGEST = 300
"""Characters of a ``repr``."""
OFTEN = 0.2
"""Seconds between two pictures of a bar."""


def notebook_progress() -> Callable[[str, int, int], None] | None:
    """Return a progress callback (stage, done, total) that draws a bar below a notebook cell; None outside notebooks.

    It needs no widgets; an executed notebook keeps one line on the last stage.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if not hasattr(shell, "kernel"):
        return None
    from IPython.display import display

    handle: list[Any] = []
    last_shown = 0.0

    def progress(stage: str, done: int, total: int) -> None:
        nonlocal last_shown
        now = time.monotonic()
        if handle and done < total and now - last_shown < OFTEN:
            return
        last_shown = now
        text = f"{stage}: {done:,} of {total:,}" if total else stage
        bar = Markup('<progress value="{}" max="{}"></progress> {}').format(done, total or 1, text)
        shown = {"text/html": str(bar), "text/plain": text}
        if handle:
            handle[0].update(shown, raw=True)
        else:
            handle.append(display(shown, raw=True, display_id=True))

    return progress


class Shown:
    """Base class of all results: runs, analyses, evaluations, maps, corpora, problems, folds."""

    _shown_by: ClassVar[str] = ""
    """``module:name`` of what makes the view (``reports.results.View``) of an object of this class."""

    def _view(self) -> Any:
        """The view of this result, made once."""
        if "_kept_view" not in self.__dict__:
            module, _, name = self._shown_by.partition(":")
            self.__dict__["_kept_view"] = getattr(import_module(f"ravenbench.{module}"), name)(self)
        return self.__dict__["_kept_view"]

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled and copied: all but the view."""
        return {name: value for name, value in self.__dict__.items() if name != "_kept_view"}

    def __repr__(self) -> str:
        is_known = self._shown_by or "_kept_view" in self.__dict__
        text = f"{type(self).__name__}: {self._view().line()}" if is_known else type(self).__name__
        text = " ".join(
            "".join(character if character.isprintable() else " " for character in text).split()
        )
        return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

    def __str__(self) -> str:
        """As ``repr``, with what was found: ``print`` may take the time that it needs."""
        if self._shown_by or "_kept_view" in self.__dict__:
            from ravenbench.errors import RavenError

            with suppress(RavenError):  # a damaged folder is no reason to print nothing
                self._view().finding()
        return repr(self)

    def _repr_html_(self) -> str:
        html: str = self._view().html()
        return html

    def to_polars(self, table: str | None = None) -> polars.DataFrame:
        """Return a table as a polars data frame, unrounded; by default the first.

        InputError for an unknown table; the error names those that there are.
        """
        frame: polars.DataFrame = self._view().frame(table)
        return frame

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """Return the same as a pandas data frame. MissingPart if pandas is not installed."""
        from ravenbench.errors import MissingPart

        try:
            import pandas
        except ModuleNotFoundError as error:
            raise MissingPart(
                "pandas is not installed",
                fix="run pip install pandas, or use to_polars(), which needs nothing more",
            ) from error
        return pandas.DataFrame(self.to_polars(table).to_dict(as_series=False))

    def figure(self, name: str | None = None) -> Figure:
        """Return a matplotlib figure; by default the main figure.

        InputError if there is no figure of this name; the error names those that there are.
        """
        figure: Figure = self._view().drawn(name)
        return figure
