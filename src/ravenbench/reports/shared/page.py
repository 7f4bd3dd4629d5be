"""Pages: self-contained HTML from templates that escape everything they are given."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ravenbench.reports.shared.figures import svg
from ravenbench.reports.shared.tables import printable

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure


@cache
def environment() -> Environment:
    """Jinja with autoescape, strict about missing names.

    Every page extends ``base.html.j2`` (blocks ``title``, ``kind``, ``lead``, ``main``, ``footer``; ``sections`` is
    a list of (id, heading)); ``values.html.j2`` shows any JSON value.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("ravenbench.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    """Text loses control and direction characters, which could disorder the page around it."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def render(template: str, **context: Any) -> str:
    """One page as text. Markup (``tables.to_html``, ``inline``) is kept, all other text escaped."""
    return environment().get_template(template).render(**context)


def inline(figure: Figure, name: str) -> Markup:
    """A figure for the page itself."""
    return Markup(svg(figure, name, inline=True))
