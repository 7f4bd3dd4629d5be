"""Pages: self-contained HTML from templates that escape everything they are given."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ravenbench.reports.shared.figures import svg
from ravenbench.reports.shared.public import public
from ravenbench.reports.shared.tables import figure, named, printable

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

    made = Environment(
        loader=PackageLoader("ravenbench.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["figure"] = figure
    made.filters["named"] = named
    return made


def _shown(value: Any) -> Any:
    """Text loses control and direction characters, which could disorder the page around it, and folders of paths."""
    return public(printable(value)) if isinstance(value, str) and not isinstance(value, Markup) else value


def render(template: str, **context: Any) -> str:
    """One page as text, with its policy. Markup (``tables.to_html``, ``inline``) is kept, all other text escaped."""
    page = _CONTROL.sub(" ", environment().get_template(template).render(**context))
    return page.replace(_FIRST, f'{_FIRST}\n<meta http-equiv="Content-Security-Policy" content="{policy(page)}">', 1)


def policy(page: str) -> str:
    """The content-security policy of a page: nothing is loaded, and only the scripts and styles that stand in it hold.

    Each is named by the hash of its text, so what a name might smuggle into the page is not obeyed by the browser.
    """
    scripts = [text for kind, text in _SCRIPT.findall(page) if "json" not in kind]
    allowed = {
        "script-src": _hashes(scripts),
        "style-src-elem": _hashes(_STYLE.findall(page)),
        "style-src-attr": _hashes(html.unescape(text) for text in _ATTRIBUTE.findall(page)),
    }
    if allowed["style-src-attr"]:
        allowed["style-src-attr"] = f"'unsafe-hashes' {allowed['style-src-attr']}"
    rules = [f"{name} {hashes or _NONE}" for name, hashes in allowed.items()]
    return "; ".join([f"default-src {_NONE}", *rules, "img-src data:", f"base-uri {_NONE}", f"form-action {_NONE}"])


def _hashes(texts: Iterable[str]) -> str:
    digests = dict.fromkeys(base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)


_NONE = "'none'"
_FIRST = '<meta charset="utf-8">'
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", re.DOTALL)
_STYLE = re.compile(r"<style[^>]*>(.*?)</style>", re.DOTALL)
_ATTRIBUTE = re.compile(r"<[a-zA-Z][^<>]*?\sstyle=\"([^\"]*)\"")


def inline(figure: Figure, name: str) -> Markup:
    """A figure for the page itself."""
    return Markup(svg(figure, name, inline=True))
