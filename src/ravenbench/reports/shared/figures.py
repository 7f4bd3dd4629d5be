"""Figures as SVG that follow the page's colours, and as PDF or PNG on paper's.

Drawn with fixed colours; the SVG then names them (``currentColor`` for ink, custom properties for setups), so one
file serves light and dark. Text stays text in the reader's system font. Equal data give equal bytes.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenbench.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT = "#1b1f27", "#7d8590"
SETUP = {"hits": "#2f5fb3", "random": "#b3632f", "anti": "#7a7a3d", "given": "#2f5fb3"}
OTHER = "#5f5f87"
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_NAMES = {
    INK: "currentColor",
    FAINT: "var(--faint, #7d8590)",
    OTHER: "var(--other, #5f5f87)",
    **{color: f"var(--{name}, {color})" for name, color in reversed(SETUP.items())},
}
_DARK = (
    "<style>@media (prefers-color-scheme: dark) { svg { color: #e6e6e3; --faint: #8b93a0; --hits: #7fa8f0; "
    "--random: #e39a68; --anti: #b5b56a; --other: #a3a3cf } image { filter: brightness(1.45) } }</style>"
)


@contextmanager
def style() -> Iterator[None]:
    """Raven's settings, for drawing and for saving."""
    import matplotlib

    settings: dict[str, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "raven",
        "font.family": ["DejaVu Sans"],
        "font.size": 9,
        "text.parse_math": False,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": FAINT,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 9.5,
        "axes.titleweight": "bold",
        "xtick.color": INK,
        "ytick.color": INK,
        "xtick.major.width": 0.6,
        "ytick.major.size": 0,
        "legend.frameon": False,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
    }
    with matplotlib.rc_context(settings):
        yield


def svg(figure: Figure, name: str, *, inline: bool = False) -> str:
    """SVG text; ``inline`` leaves out the XML head and the dark-mode rules the page has itself.

    ``name`` keeps ids apart where several figures stand in one page.
    """
    text = re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f]", " ", _drawn(figure))
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"<style.*?</style>", "", text, flags=re.DOTALL)
    text = re.sub(r"<[^>]*>", lambda tag: _retag(tag[0], name), text)
    size = r'width="[\d.]+pt" height="[\d.]+pt"'
    text = re.sub(
        size,
        f'role="img" aria-label="{html.escape(name)}" style="stroke-linejoin: round; stroke-linecap: butt"',
        text,
        count=1,
    )
    if inline:
        return text
    place = text.index(">") + 1
    return '<?xml version="1.0" encoding="utf-8"?>\n' + text[:place] + _DARK + text[place:]


@lru_cache(maxsize=16)
def _drawn(figure: Figure) -> str:
    """What matplotlib draws, kept for the page and the file of a figure."""
    with style():
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return buffer.getvalue()


def _retag(tag: str, name: str) -> str:
    """One tag with its ids under ``name``, the reader's font and the page's colours; texts are never touched."""
    tag = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", tag)
    tag = re.sub(r"font-family: [^;\"]*", f"font-family: {_FONT}", tag)
    for color, value in _NAMES.items():
        tag = tag.replace(color, value)
    return tag


def save(figure: Figure, path: Path) -> None:
    """Write a figure on white paper; the suffix (``.pdf``, ``.png``, ``.svg``) decides the form."""
    kind = path.suffix.removeprefix(".").lower()
    if kind == "svg":
        write_bytes(path, svg(figure, path.stem).encode())
        return
    buffer = io.BytesIO()
    metadata = {"CreationDate": None} if kind == "pdf" else {"Software": None}
    with style():
        figure.savefig(buffer, format=kind, dpi=200, facecolor="white", metadata=metadata)
    write_bytes(path, buffer.getvalue())


def canvas(width: float, height: float, columns: int = 1) -> tuple[Figure, list[Any]]:
    """A figure of this size in inches and a row of axes (perhaps none), without pyplot's global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(1, columns, squeeze=False)[0]) if columns else []
