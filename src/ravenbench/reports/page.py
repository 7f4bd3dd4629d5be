"""Makes pages, self-contained HTML from templates that escape everything they are given, and their figures.

In: the name of a template, its values, ``Table`` objects, and matplotlib figures (sizes in inches).
Out: one page as text (``render``), SVG as text (``svg``), markup for a page (``inline``), and files of figures (SVG,
PDF, PNG). ``canvas`` gives an empty figure and its axes, ``policy`` a page's content-security policy (text), ``slugs``
addresses by name (text).

Figures are drawn with fixed colours; their SVG then names them (``currentColor`` for ink, custom properties for
setups), so one file serves light and dark. Text stays text in the reader's system font. Equal data give equal bytes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import io
import logging
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache, partial
from importlib.resources import files as files_of
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from markupsafe import Markup

from ravenbench.errors import OBEYED, counted
from ravenbench.files import write_bytes
from ravenbench.papers import Paper, bibtex
from ravenbench.reports.view import Section, Table, figure, made, named, printable, public, to_html

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure

logger = logging.getLogger(__name__)
INK = "#1b1f27"
FAINT = "#7d8590"
SETUP = {"hits": "#2f5fb3", "random": "#b3632f", "anti": "#7a7a3d", "given": "#2f5fb3"}
OTHER = "#5f5f87"
COLORS = ("#2f7fd0", "#c8642b", "#2f9468", "#a45fc4", "#a8830f", "#d04f77")
"""Legible on white and on black."""
_TITLES: WeakKeyDictionary[Figure, list[str]] = WeakKeyDictionary()
"""What pointing at parts of a figure shows, by the number in their ids."""
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_NAMES = {
    INK: "currentColor",
    FAINT: "var(--faint, #7d8590)",
    OTHER: "var(--other, #5f5f87)",
    **{color: f"var(--{name}, {color})" for name, color in reversed(SETUP.items())},
}
_DARK = (
    "<style>@media (prefers-color-scheme: dark) { svg { color: #e6e6e3; --faint: #8b93a0; --hits:"
    " #7fa8f0; --random: #e39a68; --anti: #b5b56a; --other: #a3a3cf } image { filter:"
    " brightness(1.45) } }</style>"
)


@contextmanager
def style() -> Iterator[None]:
    """Return a context with Raven's matplotlib settings, for drawing and saving."""
    import matplotlib

    settings: dict[str, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "raven",
        "pdf.fonttype": 42,  # many publishers refuse type 3
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
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # SVG keeps text as it is, and readers have other fonts than the one that measures it here.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def svg(figure: Figure, name: str, *, inline: bool = False) -> str:
    """SVG text; ``inline`` leaves out the XML head and the dark-mode rules the page has itself.

    ``name`` makes ids unique if a page has several figures.
    """
    text = OBEYED.sub(" ", _svg_of(figure))
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?(?:</metadata>|\Z)\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"<style.*?(?:</style>|\Z)", "", text, flags=re.DOTALL)
    text = re.sub(r"<[^<>]*>", lambda tag: _retag(tag[0], name), text)
    rem = min(54, figure.get_figwidth() * 8.2)  # its type is as large as the page's
    looks = "stroke-linejoin: round; stroke-linecap: butt" + inline * f"; --wide: {rem:.0f}rem"
    attributes = f'role="img" aria-label="{html.escape(name)}" style="{looks}"'
    text = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', lambda size: attributes, text, count=1)
    titles = _TITLES.get(figure, [])
    text = re.sub(
        rf'<g id="{re.escape(name)}-title(\d+)">',
        lambda group: f"{group[0]}<title>{titles[int(group[1])]}</title>",
        text,
    )
    if inline:
        return text
    start = text.index(">") + 1
    return '<?xml version="1.0" encoding="utf-8"?>\n' + text[:start] + _DARK + text[start:]


@lru_cache(maxsize=16)
def _svg_of(figure: Figure) -> str:
    """What matplotlib draws, kept for the page and the file of a figure."""
    with style():
        return _printed(figure, "svg", "Date", "Creator", "Format", "Type").decode()


def _printed(figure: Figure, kind: str, *unsaid: str) -> bytes:
    """A figure in this form, drawn once: ``savefig`` draws everything first to compute its layout."""
    from matplotlib.backend_bases import get_registered_canvas_class

    layout = figure.get_layout_engine()
    dpi = figure.dpi if kind == "svg" else 200
    buffer = io.BytesIO()
    before = {
        "canvas": figure.canvas,
        "dpi": figure.dpi,
        "layout_engine": layout,
        "facecolor": figure.get_facecolor(),
    }
    # The form's canvas takes the figure over; texts are measured as it draws them, on vectors in points, 72 an inch.
    canvas = get_registered_canvas_class(kind)(figure)
    figure.set(facecolor="none" if kind == "svg" else "white", dpi=dpi if kind == "png" else 72)
    try:
        if layout is not None and figure.axes:
            layout.execute(figure)
            figure.set_layout_engine("none")
        figure.set_dpi(dpi)
        getattr(canvas, f"print_{kind}")(buffer, metadata=dict.fromkeys(unsaid))
    finally:
        figure.set(**before)
    return buffer.getvalue()


def _retag(tag: str, name: str) -> str:
    """One tag with its ids under ``name``, the reader's font and the page's colours; texts are never touched."""
    tag = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{name}-", tag)
    tag = re.sub(r"font-family: [^;\"]*", f"font-family: {_FONT}", tag)
    for color, value in _NAMES.items():
        tag = tag.replace(color, value)
    return tag


FORMS = ("pdf", "png")
"""Forms in which figures are written beside SVG where they are asked for."""


def write_figures(folder: Path, figures: Mapping[str, Figure], forms: Iterable[str] = ()) -> None:
    """Write figures as SVG and in further forms into ``FOLDER/figures``."""
    for name, drawn in figures.items():
        for suffix in ("svg", *forms):
            save(drawn, folder / "figures" / f"{name}.{suffix}")


def save(figure: Figure, path: Path) -> None:
    """Write a figure on white paper; the suffix (``.pdf``, ``.png``, ``.svg``) decides the form."""
    kind = path.suffix.removeprefix(".").lower()
    if kind == "svg":
        write_bytes(path, svg(figure, path.stem).encode())
        return
    drawn, complete = _drawn(figure, kind)
    write_bytes(path, drawn)
    if not complete:
        logger.warning(
            f"{path.name}: no font that matplotlib finds has some of its characters, which are"
            " drawn as boxes\n  fix: use the .svg, which keeps them as text, or install a"
            " font for this script (Noto Sans) and repeat the command"
        )


_FONTS = (
    "DejaVu Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans Thai",
    "Noto Sans Devanagari",
    "PingFang SC",
    "Hiragino Sans",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Leelawadee UI",
    "Nirmala UI",
)
"""Where signs are looked for in a drawing that cannot leave this to its reader, as far as they are installed."""


def _drawn(figure: Figure, kind: str) -> tuple[bytes, bool]:
    """The figure in this form, and whether every sign of it was found in a font."""
    from matplotlib.font_manager import fontManager
    from matplotlib.text import Text

    installed = {font.name for font in fontManager.ttflist}
    texts = figure.findobj(Text)
    with style(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for text in texts:
            text.set_fontfamily([name for name in _FONTS if name in installed])  # type: ignore[attr-defined]
        printed = _printed(figure, kind, "CreationDate" if kind == "pdf" else "Software")
    for text in texts:
        text.set_fontfamily(_FONTS[0])  # type: ignore[attr-defined]
    return printed, not any("Glyph" in str(warning.message) for warning in caught)


def titled(artist: Any, text: str) -> None:
    """Show a text when the pointer is on a part of a figure, in SVG; the part must be in its figure already."""
    titles = _TITLES.setdefault(artist.get_figure(), [])
    artist.set_gid(f"title{len(titles)}")
    titles.append(html.escape(public(printable(text))))


def canvas(width: float, height: float, columns: int = 1) -> tuple[Figure, list[Any]]:
    """Return a figure of this size in inches and a row of axes (perhaps none), without the global state of pyplot."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    # Notebooks show figures of pyplot alone, which these are not, unless they say how.
    figure._repr_png_ = partial(_drawn, figure, "png")  # type: ignore[attr-defined]
    return figure, list(figure.subplots(1, columns, squeeze=False)[0]) if columns else []


@cache
def environment() -> Environment:
    """Return a Jinja environment with autoescape that raises for missing names.

    Every page extends ``base.html.j2`` (blocks ``title``, ``kind``, ``lead``, ``main``, ``footer``); ``values.html.j2``
    shows any JSON value. A template of a package has that package in its name: ``package:template.html.j2``.
    """
    from jinja2 import ChoiceLoader, Environment, FunctionLoader, PackageLoader, StrictUndefined

    jinja = Environment(
        loader=ChoiceLoader(
            [PackageLoader("ravenbench.reports", "templates"), FunctionLoader(_of_package)]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters["counted"] = counted
    jinja.filters["figure"] = figure
    jinja.filters["named"] = named
    jinja.filters["made"] = made
    return jinja


def _shown(value: Any) -> Any:
    """Text loses control and direction characters, which could disorder the page around it, and folders of paths."""
    return (
        public(printable(value))
        if isinstance(value, str) and not isinstance(value, Markup)
        else value
    )


def _of_package(name: str) -> str | None:
    package, colon, file = name.partition(":")
    return files_of(package).joinpath(file).read_text("utf-8") if colon else None


class PageTables:
    """The tables of a page as HTML: ``{{ tables.NAME }}`` in a template are those of a section, one below the other.

    Tables that a template does not use are at the end of the page, so that no table is missing.
    """

    def __init__(self, tables: Iterable[Table]) -> None:
        self._tables = [table for table in tables if table.section is not None]
        self._shown: set[str] = set()

    def each(self, section: str) -> list[Markup]:
        """Return the tables of a section one by one; a table without rows is empty."""
        tables = [table for table in self._tables if (table.section or table.key) == section]
        self._shown.update(table.key for table in tables)
        return [to_html(table) if table.rows else Markup("") for table in tables]

    def __getitem__(self, section: str) -> Markup:
        tables_of_section = self.each(section)
        return Markup("\n").join(tables_of_section) if any(tables_of_section) else Markup("")

    def remaining(self) -> list[Section]:
        """Return a section for each table that has rows and was not used so far."""
        remaining = [table for table in self._tables if table.rows and table.key not in self._shown]
        return [Section(table.key, table.title, to_html(table)) for table in remaining]


def render(template: str, *, tables: Iterable[Table] = (), **context: Any) -> str:
    """Return one page as text, with its policy. Markup (``inline``) stays, all other text is escaped. The contents of
    the page are its headings with an id, by the short title in ``nav`` if there is one. ``incomplete`` warns of missing
    cells above them all, ``tables`` are where the template has their sections (``PageTables``), those of ``appendix``
    end the page, and after them the ``papers`` to cite.
    """
    context = {"incomplete": "", "appendix": [], "tables": PageTables(tables), **context}
    if papers := context.get("papers"):
        context["appendix"] = [*context["appendix"], references(papers)]
    page = OBEYED.sub(" ", environment().get_template(template).render(**context))
    footer = (
        set()
        if context.get("contents_to_the_end")
        else {section.id for section in context["appendix"]}
    )
    headings = [
        (id, short or title) for id, short, title in _HEADING.findall(page) if id not in footer
    ]
    items = "".join(f'<li><a href="#{id}">{title}</a></li>\n' for id, title in headings)
    contents = f'  <nav aria-label="Contents"><ul>\n{items}</ul></nav>\n' if items else ""
    page = _SHORT.sub(r"\1", page.replace("<nav></nav>\n", contents, 1))
    page = _SAID.sub(r'\1<caption class="said">', page)
    return page.replace(
        _FIRST, f'{_FIRST}\n<meta http-equiv="Content-Security-Policy" content="{policy(page)}">', 1
    )


_HEADING = re.compile(r'<h2 id="([^"]*)"(?: nav="([^"]*)")?>([^<]*+(?:<(?!/?h2)[^<]*+)*+)</h2>')
_SAID = re.compile(
    r"(<h([23])\b[^<>]*>([^<]+)</h\2>(?:(?!<h[1-6]\b|<caption>).)*)<caption>(?=\3</caption>)",
    re.DOTALL,
)
"""A table below a heading that says what its caption would."""
_SHORT = re.compile(r'(<h2 id="[^"]*") nav="[^"]*"')


def references(papers: Iterable[Paper]) -> Section:
    """Return the section of a page on what to cite, as text and as BibTeX."""
    papers = list(papers)
    entries = Markup("").join(Markup("<li>{}</li>\n").format(str(paper)) for paper in papers)
    body = Markup(
        "<p>Please cite Raven, the sources of the methods and corpora used here, and the"
        " authors of other systems and texts. The file <code>references.bib</code> next to"
        " this page contains the same references.</p>\n<ul"
        ' class="references">\n{}</ul>\n<details'
        ' class="bibtex"><summary>BibTeX</summary><pre>{}</pre></details>'
    ).format(entries, bibtex(papers))
    return Section("references", "How to cite", body)


def policy(page: str) -> str:
    """Return the content-security policy of a page: nothing is loaded, and only the scripts and styles in it are used.

    Each is named by the hash of its text, so the browser does not run code that a name might bring into the page.
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
    return "; ".join(
        [
            f"default-src {_NONE}",
            *rules,
            "img-src data:",
            f"base-uri {_NONE}",
            f"form-action {_NONE}",
        ]
    )


def _hashes(texts: Iterable[str]) -> str:
    digests = dict.fromkeys(
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts
    )
    return " ".join(f"'sha256-{digest}'" for digest in digests)


_NONE = "'none'"
_FIRST = '<meta charset="utf-8">'
_SCRIPT = re.compile(r"<script([^<>]*)>(.*?)(?:</script>|\Z)", re.DOTALL)
_STYLE = re.compile(r"<style[^<>]*>(.*?)(?:</style>|\Z)", re.DOTALL)
_ATTRIBUTE = re.compile(r"<[a-zA-Z][^<>]*?\sstyle=\"([^\"]*)\"")


def inline(figure: Figure, name: str) -> Markup:
    """Return a figure as markup for the page."""
    return Markup(svg(figure, name, inline=True))


def slugs(names: list[str]) -> dict[str, str]:
    """Return a different address for each name, of letters, digits and hyphens; the same names give the same
    addresses."""
    addresses: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "x"
        free = (
            address
            for i in count(1)
            if (address := plain if i == 1 else f"{plain}-{i}") not in addresses.values()
        )
        addresses[name] = next(free)
    return addresses
