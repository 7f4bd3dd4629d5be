"""A table is a view of records: title, value, digits, JSON key and place in the terminal of a number stand in one line.

From there it goes to the terminal, CSV, LaTeX, HTML and JSON. Undefined values are "n/a" (contract 16), in JSON null.
Below stands what of names and paths may be published.
"""

from __future__ import annotations

import csv
import io
import re
import textwrap
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from operator import itemgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import msgspec
from markupsafe import Markup, escape

from ravenbench.store.records import Head, VerifierRecord

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from ravenbench.statistics.estimates import Estimate


MISSING = "n/a"
UNBROKEN = 24
"""Characters without a blank in a name that a page does not break; more may break behind signs, not in words."""
NARROW = 100
"""Columns of a terminal up to which tables are those for 80."""
R = TypeVar("R")
T = TypeVar("T")


@dataclass(frozen=True)
class Measure:
    """A mean with its spread, a mark of significance, and whether it is the best of its column."""

    mean: float | None
    spread: float | None = None
    mark: str = ""
    best: bool = False


@dataclass(frozen=True)
class Range:
    """An interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Number:
    """A value with its 95 % interval; None where undefined."""

    value: float | None
    interval: tuple[float, float] | None = None

    def to_json(self) -> dict[str, Any]:
        """Both by name; the value is a mean wherever it stands in JSON."""
        return {"mean": self.value, "interval": None if self.interval is None else list(self.interval)}


UNDEFINED = Number(None)
Value = str | int | float | Measure | Range | None


@dataclass(frozen=True)
class Column:
    """A column's heading and how its numbers are written; ``text`` columns are set left, others right.

    Of ``probability`` columns, what would round to zero is written as below the least number shown; columns that 80
    characters do not hold are not for a narrow ``terminal``. ``tones`` are colours there of texts by
    their beginnings.
    """

    title: str
    text: bool = False
    digits: int = 3
    signed: bool = False
    probability: bool = False
    terminal: bool = True
    tones: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """Rows of values under columns.

    ``key`` names its files, ``title`` is its caption, ``note`` explains marks below it, ``objects`` are
    its rows in JSON, ``links`` where the first column leads on a page, a row each or none at all. ``section`` is the
    page's, by the name that its template has for it, by default the key, None where no page has it; ``terminal``: it is
    shown there too.
    """

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""
    objects: tuple[dict[str, Any], ...] = ()
    links: tuple[str, ...] = ()
    section: str | None = ""
    terminal: bool = True

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"table {self.key}: a row does not fit its columns")


@dataclass(frozen=True)
class Col(Generic[R]):
    """All that a report says of one value of a record: where it is read, and how it is headed, shown and keyed."""

    get: Callable[[R], Any]
    column: Column | None
    show: Callable[[Any], Value] | None
    json: str | None


def col(
    title: str | None,
    get: Callable[[R], Any],
    *,
    digits: int = 3,
    signed: bool = False,
    probability: bool = False,
    text: bool = False,
    json: str | None = None,
    terminal: bool = True,
    show: Callable[[Any], Value] | None = None,
    tones: Mapping[str, str] | None = None,
) -> Col[R]:
    """A column of ``table``: one value of each record, in all the forms that a report has.

    Parameters
    ----------
    title : str, optional
        Heading; None for a value that stands in JSON alone.
    get : callable
        The value of a record. An interval (low, high) becomes a ``Range``.
    digits, signed, probability, text : int, bool
        As in ``Column``.
    json : str, optional
        Its key in JSON; without one it does not stand there.
    terminal : bool
        Whether a terminal of 80 columns has room for it; a wider one has.
    show : callable, optional
        The cell made of the value, where the two differ; JSON has the value.
    tones : mapping of str to str, optional
        As in ``Column``.
    """
    column = None if title is None else Column(title, text, digits, signed, probability, terminal, tones or {})
    return Col(get, column, show, json)


def each(
    items: Iterable[T],
    title: Callable[[T], str | None],
    get: Callable[[R, T], Any],
    *,
    digits: int = 3,
    signed: bool = False,
    json: Callable[[T], str] | None = None,
    terminal: Container[T] | None = None,
) -> list[Col[R]]:
    """A column for each of several things (metrics, setups …), as ``col``: its title, and its value of a record.

    ``terminal`` holds those that it has room for, by default all.
    """

    def of(item: T) -> Col[R]:
        key, fits = None if json is None else json(item), terminal is None or item in terminal
        return col(title(item), lambda r: get(r, item), digits=digits, signed=signed, json=key, terminal=fits)

    return [of(item) for item in items]


def table(
    key: str, title: str, rows: Iterable[R], *cols: Col[R], note: str = "", keys: Sequence[str] = (),
    section: str | None = "", terminal: bool = True,
) -> Table:  # fmt: skip
    """A table of records, one a row: all that is said of it, but that a report has it (``Report.tables``).

    Parameters
    ----------
    key, title, note, section, terminal : str, None, bool
        As in ``Table``.
    rows : iterable
        The records.
    *cols : Col
        What is said of each, in the order of the columns.
    keys : sequence of str, optional
        JSON's first keys, where they come in another order than the columns.
    """
    records = list(rows)
    visible = [(c, c.column) for c in cols if c.column is not None]
    columns = tuple(column for _, column in visible)
    cells = tuple(tuple(_cell(c, record) for c, _ in visible) for record in records)
    rows_in_json = tuple(objects(records, *cols, keys=keys))
    return Table(key, title, columns, cells, note, rows_in_json, section=section, terminal=terminal)


def objects(rows: Iterable[R], *cols: Col[R], keys: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Records as JSON objects: the values of the columns that have a key, undefined ones None."""
    keyed = {c.json: c.get for c in cols if c.json is not None}
    order = dict.fromkeys([*keys, *keyed])
    return [{key: _plain_json(keyed[key](record)) for key in order} for record in rows]


def rows_json(table: Table) -> list[dict[str, Any]]:
    """The rows of a table made by ``table`` as JSON objects."""
    return list(table.objects)


def value_of(estimate: Number | Estimate | None) -> float | None:
    """An estimate without its interval."""
    return None if estimate is None else estimate.value


def interval_of(estimate: Number | Estimate | None) -> tuple[float, float] | None:
    """The interval of an estimate, where it has one."""
    return None if estimate is None else estimate.interval


def _cell(c: Col[R], record: R) -> Value:
    value = c.get(record)
    value = value if c.show is None else c.show(value)
    return Range(*value) if isinstance(value, tuple) else value


def _plain_json(value: Any) -> Any:
    if isinstance(value, Measure):
        return value.mean
    if isinstance(value, Range):
        return [value.low, value.high]
    return list(value) if isinstance(value, tuple) else value


class Section(NamedTuple):
    """A section of a page that no template has: anchor, heading, body."""

    id: str
    heading: str
    body: Markup = Markup("")


def without(table: Table, *titles: str) -> Table:
    """The same table without these columns, and without the sentences of its note that begin by naming these alone."""
    indices = [i for i, column in enumerate(table.columns) if column.title not in titles]
    columns = tuple(table.columns[i] for i in indices)
    sentences = re.split(r"(?<=[.;]) (?=[A-Z])", table.note)
    gone = {title.lower() for title in titles}
    note = " ".join(s for s in sentences if not gone.issuperset(s.partition(":")[0].lower().split(", ")))
    return replace(table, columns=columns, rows=tuple(tuple(row[i] for i in indices) for row in table.rows), note=note)


def number(value: float | int | None, column: Column, *, short: bool = False) -> str:
    """A number in a column's form: thousands apart, a real minus sign; ``short`` drops the zero before the point."""
    if value is None:
        return MISSING
    if isinstance(value, int):
        return f"{value:,}"
    if column.probability and value < (least := 10.0**-column.digits):
        return f"< {number(least, replace(column, probability=False), short=short)}"
    rounded = round(value, column.digits) + 0.0
    sign = "−" if rounded < 0 else "+" if column.signed and rounded > 0 else ""
    body = f"{abs(rounded):,.{column.digits}f}"
    return sign + (body[1:] if short and body.startswith("0.") else body)


def unlike(one: float, other: float) -> tuple[str, str]:
    """Two figures of a comparison, with as many digits, two or more, as it takes to see that they differ."""
    digits = next((n for n in range(2, 6) if f"{one:.{n}f}" != f"{other:.{n}f}"), 6)
    return f"{one:.{digits}f}", f"{other:.{digits}f}"


def figure(value: float | None, signed: bool = False) -> str:
    """A score in a sentence, as it stands in tables: three decimals, no zero before the point."""
    return number(value, Column("", signed=signed), short=True)


def highest(what: str, scores: Iterable[tuple[str, float | None]], better: bool = True) -> str:
    """Whose score is highest, in a sentence; lowest, where higher is not ``better``."""
    known = [(value, name) for name, value in scores if value is not None]
    value, name = (max if better else min)(known, key=itemgetter(0), default=(None, ""))
    end = "Highest" if better else "Lowest"
    return f"No {what} is known." if value is None else f"{end} {what}: {figure(value)} ({named(name)})."


def plain(value: Value, column: Column, *, short: bool = False) -> str:
    """A value as one line of text."""
    if isinstance(value, str):
        return named(value)
    if isinstance(value, Range):
        return f"[{number(value.low, column, short=short)}, {number(value.high, column, short=short)}]"
    if not isinstance(value, Measure):
        return number(value, column, short=short)
    text = number(value.mean, column, short=short)
    if value.mean is not None and value.spread is not None:
        text += f"{'' if short else ' '}±{number(value.spread, Column('', digits=column.digits), short=short)}"
    return text + value.mark


def for_terminal(table: Table, *, tight: bool = False) -> RichTable:
    """A rich table that fits the terminal; other texts give way before names, numbers never break.

    Columns that 80 characters do not hold are left out, with what the note says of them, unless the terminal is wide
    enough; ``tight`` has no gaps or edges.
    """
    from rich.console import Console

    console = Console()
    wide = [column.title for column in table.columns if not column.terminal]
    unbroken = console.options.update(width=10 * NARROW)
    for fitting in range(len(wide) if console.width > NARROW else 0, 0, -1):
        rich = _for_terminal(without(table, *wide[fitting:]), tight)
        if console.measure(rich, options=unbroken).maximum <= console.width:
            return rich
    narrow = without(table, *wide)
    rich = _for_terminal(narrow, tight)
    # Two columns of blanks at the edges are not printed.
    excess = console.measure(rich, options=unbroken).maximum - console.width - 2 * (not tight)
    longest = max((len(named(row[0])) for row in narrow.rows if isinstance(row[0], str)), default=0)
    if 0 < excess <= sum(_spare(narrow, i) for i in range(1, len(narrow.columns))) and longest <= UNBROKEN:
        return _for_terminal(narrow, tight, whole=True)
    return _for_terminal(narrow, tight, longest - excess) if 0 < excess < longest else rich


def _spare(table: Table, i: int) -> int:
    """Characters by which a column gets narrower where its texts break between words."""
    column = table.columns[i]
    lines = [column.title, *(plain(row[i], column, short=True) for row in table.rows)] if column.text else []
    return max(map(len, lines), default=0) - max((len(word) for line in lines for word in line.split()), default=0)


def _broken(name: str, width: int) -> str:
    """A name in lines of at most so many characters, where it has seams to break at."""
    lines = [""]
    for part in re.split(r"(?<=[-:=(,/_ ])|(?<=[a-z])(?=[A-Z])", name):
        if lines[-1] and len(lines[-1]) + len(part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _for_terminal(table: Table, tight: bool, first: int = 0, whole: bool = False) -> RichTable:
    """With ``first`` names in the first column are no longer than that where they can be broken; not if ``whole``."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    rich = RichTable(
        title=Text(table.title),
        caption=Text(table.note) if table.note else None,
        box=box.SIMPLE_HEAD,
        padding=0 if tight else (0, 1, 0, 0),
        show_edge=not tight,
        pad_edge=False,
        title_justify="left",
        caption_justify="left",
        title_style="bold",
    )
    for column in table.columns:
        rich.add_column(
            Text(column.title),
            justify="left" if column.text else "right",
            no_wrap=not column.text or (whole and column is table.columns[0]),
            overflow="fold" if column.text else "ellipsis",
            style="cyan" if column is table.columns[0] else None,
        )
    for row in table.rows:
        cells = [Text(printable(plain(v, c, short=True))) for v, c in zip(row, table.columns, strict=True)]
        if first and isinstance(row[0], str):
            cells[0] = Text(_broken(cells[0].plain, first))
        for cell, value, column in zip(cells, row, table.columns, strict=True):
            if isinstance(value, Measure) and value.best:
                cell.stylize("bold")
            elif tone := next((style for start, style in column.tones.items() if str(value).startswith(start)), ""):
                cell.stylize(tone)
        rich.add_row(*cells)
    return rich


def to_csv(table: Table) -> str:
    """Unrounded numbers, as ``flat`` gives them; n/a is empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    header, rows = flat(table)
    writer.writerow(map(harmless, header))
    for row in rows:
        writer.writerow([harmless(value) if isinstance(value, str) else value for value in row])
    return buffer.getvalue()


def flat(table: Table) -> tuple[list[str], list[list[str | int | float | None]]]:
    """Heads and unrounded rows; a spread, a mark and the ends of an interval have columns of their own."""
    parts = [_parts([row[i] for row in table.rows]) for i in range(len(table.columns))]
    header = [f"{c.title} {part}".strip() for c, names in zip(table.columns, parts, strict=True) for part in names]
    rows = [[_raw(v, part) for v, names in zip(row, parts, strict=True) for part in names] for row in table.rows]
    return header, rows


def _parts(values: Sequence[Value]) -> list[str]:
    if any(isinstance(v, Range) for v in values):
        return ["low", "high"]
    measures = [v for v in values if isinstance(v, Measure)]
    parts = [""]
    if any(v.spread is not None for v in measures):
        parts.append("sd")
    if any(v.mark for v in measures):
        parts.append("mark")
    return parts


def _raw(value: Value, part: str) -> str | int | float | None:
    if isinstance(value, Range):
        return value.low if part == "low" else value.high
    if isinstance(value, Measure):
        return {"": value.mean, "sd": value.spread, "mark": value.mark}[part]
    return None if part else value


def harmless(text: str) -> str:
    """Text for a CSV cell: a spreadsheet would run a name such as ``=cmd()``; the apostrophe makes it text.

    Control characters become spaces; what is a number stays one.
    """
    safe = public(printable(text))
    if text[:1] not in ("\t", "\r", "\n") and safe.lstrip()[:1] not in _FORMULA:
        return safe
    return safe if _NUMBER.fullmatch(safe) else "'" + safe


_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫")
_NUMBER = re.compile(r"[+-]?(\d++(?:\.\d*+)?|\.\d++)([eE][+-]?\d+)?")


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "−": "$-$",
    "±": r"$\pm$", "–": "--", "†": r"\dag{}", "ρ": r"$\rho$", "α": r"$\alpha$", "“": "``", '”': "''", "≥": r"$\geq$",
    "≠": r"$\neq$", "×": r"$\times$", "≤": r"$\leq$", "→": r"$\to$", "←": r"$\gets$", "·": r"$\cdot$", "²": "$^2$",
    "√": r"$\surd$", "∞": r"$\infty$", "Δ": r"$\Delta$", "δ": r"$\delta$", "Σ": r"$\Sigma$", "σ": r"$\sigma$",
    "τ": r"$\tau$", "ψ": r"$\psi$", "ζ": r"$\zeta$", "θ": r"$\theta$", "λ": r"$\lambda$", "…": r"\dots{}", "’": "'",
    "•": r"$\bullet$", "␣": r"\textvisiblespace{}",
}  # fmt: skip


def latex(text: str) -> str:
    """Text that LaTeX prints as it is."""
    return "".join(_LATEX.get(c, c) for c in public(printable(text)))


def to_latex(table: Table) -> str:
    """A booktabs table for a column of a two-column paper, numbers as on a page; the note stands in comments, but for
    what it says of marks such as stars, which is printed.

    Where that makes it fit, it is set smaller, spreads stand below their means, texts break, or the columns that a
    terminal lacks are left out, intervals last; else it is a ``table*`` over both columns, or a comment that says that
    none is wide enough.
    """
    optional = [i for i, column in enumerate(table.columns) if not column.terminal]
    ranged = {i for i in optional if any(isinstance(row[i], Range) for row in table.rows)}
    short, bare = (without(table, *(table.columns[i].title for i in optional if i not in r)) for r in (ranged, ()))
    ways = [
        *product((1, 2), (False, True), (table, short), _SIZES),
        *product((2,), (False, True), (bare,), (*_SIZES, _LAST)),
    ]
    fitting = next((way for way in ways if _room(*way) >= 0), None)
    if fitting is None:
        return f"% {latex(table.title)}: too wide for a page; tables/{table.key}.csv has it\n"
    columns, breaks, chosen, size = fitting
    room = _room(columns, False, chosen, size)
    spec = "".join(_alignment(chosen, i, size, room if breaks else 0) for i in range(len(chosen.columns)))
    star = "*" * (columns - 1)
    missing = [c.title for c in table.columns if c not in chosen.columns]
    remarks = [
        "needs \\usepackage{booktabs" + (",array}" if "p{" in spec else "}"),
        latex(table.note),
        latex(f"Columns in the CSV file alone: {', '.join(missing)}." if missing else ""),
    ]
    lines = [f"% {line}" for remark in remarks for line in textwrap.wrap(remark, 110)]
    lines += [f"\\begin{{table{star}}}", f"\\centering\\{size.name}\\setlength{{\\tabcolsep}}{{{size.gap:g}pt}}"]
    lines += [f"\\caption{{{latex(table.title)}.}}", f"\\label{{tab:{table.key}}}"]
    lines += [f"\\begin{{tabular}}{{@{{}}{spec}@{{}}}}", "\\toprule"]
    widths = [full for full, _ in _widths(chosen, size)]
    heads = [
        _stack(textwrap.wrap(c.title, int(w) or 1, break_long_words=False), c)
        for c, w in zip(chosen.columns, widths, strict=True)
    ]
    lines += [" & ".join(heads) + r" \\", "\\midrule"]
    for row in chosen.rows:
        cells = []
        for value, column in zip(row, chosen.columns, strict=True):
            text = _stack(_lines(value, column, size), column)
            if breaks and column.text:
                text = re.sub(r"(?<=[(,=/])|(?<=\\_)", r"\\allowbreak{}", text)
            cells.append(f"\\textbf{{{text}}}" if isinstance(value, Measure) and value.best else text)
        lines.append(" & ".join(cells) + r" \\")
    lines += ["\\bottomrule", "\\end{tabular}"]
    if marks := _of_marks(chosen):
        lines.append(f"\\par\\smallskip\\parbox{{\\linewidth}}{{\\raggedright\\scriptsize {latex(marks)}}}")
    return "\n".join([*lines, f"\\end{{table{star}}}", ""])


def _of_marks(table: Table) -> str:
    """What a table's note says of the marks that stand in its cells and heads."""
    cells = [v.mark if isinstance(v, Measure) else v for row in table.rows for v in row if isinstance(v, Measure | str)]
    texts = [*cells, *(column.title for column in table.columns)]
    marks = {c for text in texts for c in text if c in "*†‡"} | {"=" for text in cells if text == "="}
    return " ".join(s for s in re.split(r"(?<=[.;]) ", table.note) if any(mark in s for mark in marks)).rstrip(";")


class _Size(NamedTuple):
    """A size of type: its name, pt a digit, half a gap between columns in pt, whether spreads stand below means."""

    name: str
    digit: float
    gap: float
    below: bool


_SIZES = (_Size("footnotesize", 4.3, 3, False), _Size("scriptsize", 4, 2, False), _Size("scriptsize", 4, 2, True))
_LAST = _Size("scriptsize", 4, 1, True)
_COLUMN, _BETWEEN = 214, 17
"""Widths of a column and of the gap between two, in pt, as in papers of the ACL, less 5 pt to spare."""
_LEAST = 12
"""Characters that a column of texts keeps where texts break."""


def _lines(value: Value, column: Column, size: _Size) -> list[str]:
    text = plain(value, column, short=True)
    mean, sign, spread = text.partition("±") if isinstance(value, Measure) and size.below else (text, "", "")
    return [mean, sign + spread] if sign else [text]


def _stack(lines: Sequence[str], column: Column) -> str:
    side, texts = "l" if column.text else "r", " \\\\ ".join(latex(line) for line in lines)
    return f"\\shortstack[{side}]{{{texts}}}" if len(lines) > 1 else texts


_BREAK = re.compile(r"(?<=[-(,=_/])|\s+")
"""Where a text in a narrow column may break."""


@lru_cache(maxsize=2**14)
def _wide(text: str) -> float:
    """The width of a text in digits, about, in the type that LaTeX has by default."""
    return sum(0.65 if c in _THIN else 1.6 if c in _THICK else 1.4 if c.isupper() else 1.0 for c in text)


_THIN, _THICK = frozenset("iljtfrI.,:;'!|()[] -"), frozenset("mwMW−+=<>±≥≤≠%")


def _widths(table: Table, size: _Size) -> list[tuple[float, float]]:
    """Digits that each column's widest line takes, and its widest word where its texts may break."""
    widths = list[tuple[float, float]]()
    for i, column in enumerate(table.columns):
        lines = [line for row in table.rows for line in _lines(row[i], column, size)]
        words = [word for line in (*lines, column.title) for word in _BREAK.split(line) if word]
        least = max(map(_wide, words), default=0)
        full = max([*map(_wide, lines), *map(_wide, column.title.split())], default=0)
        widths.append((full, max(least, min(full, _LEAST)) if column.text else full))
    return widths


def _room(columns: int, breaks: bool, table: Table, size: _Size) -> float:
    """Digits that a table leaves free in one or two columns of a paper; below 0 it is too wide."""
    page = _COLUMN * columns + _BETWEEN * (columns - 1) - 2 * size.gap * (len(table.columns) - 1)
    return page / size.digit - sum(width[breaks] for width in _widths(table, size))


def _alignment(table: Table, i: int, size: _Size, room: float) -> str:
    """A column's letter, or the width of one whose texts break."""
    full, least = _widths(table, size)[i]
    spare = sum(full - least for full, least in _widths(table, size))
    if room >= 0 or full == least:
        return "l" if table.columns[i].text else "r"
    width = full + room * (full - least) / spare
    return f">{{\\raggedright\\arraybackslash}}p{{{width * size.digit:.0f}pt}}"


def to_html(table: Table, *, sortable: bool = True) -> Markup:
    """A table whose headings sort it (with the base page's script); the first column heads each row."""
    button = Markup('<button type="button">{}</button>') if sortable else Markup("{}")
    head = Markup("").join(
        Markup('<th scope="col"{}>{}</th>').format(
            Markup("") if c.text else Markup(' class="n"'), button.format(c.title)
        )
        for c in table.columns
    )
    body = Markup("").join(
        Markup("<tr>{}</tr>\n").format(
            Markup("").join(_html_cell(i, v, c, link) for i, (v, c) in enumerate(zip(row, table.columns, strict=True)))
        )
        for row, link in zip(table.rows, table.links or ("",) * len(table.rows), strict=True)
    )
    note = Markup('<p class="note">{}</p>').format(public(table.note)) if table.note else Markup("")
    return Markup(
        '<div class="table" id="{}"><div class="scroll" tabindex="0" role="region" aria-label="Table: {}">'
        "<table><caption>{}</caption><thead><tr>{}</tr></thead>\n<tbody>{}</tbody></table></div>{}</div>"
    ).format(f"table-{table.key}", table.title, table.title, head, body, note)


def _html_cell(place: int, value: Value, column: Column, link: str = "") -> Markup:
    # Thousands of cells: parts are escaped one by one, which is several times as fast as Markup's own formatting.
    tag, end = ('th scope="row"', "th") if place == 0 else ("td", "td")
    sort: object = value.mean if isinstance(value, Measure) else value.low if isinstance(value, Range) else value
    order = "" if isinstance(sort, str) else f' data-v="{escape("" if sort is None else sort)}"'
    name = place == 0 and isinstance(value, str) and len(value) <= UNBROKEN and "-" in value and " " not in value
    kind = ' class="name"' if name else "" if column.text else ' class="n"'
    if isinstance(value, Measure) and value.mean is not None:
        mean = escape(number(value.mean, column, short=True))
        inner = f"<b>{mean}</b>" if value.best else f"{mean}"
        if value.spread is not None:
            spread = number(value.spread, Column("", digits=column.digits), short=True)
            inner += f' <span class="pm">±{escape(spread)}</span>'
        inner += f'<span class="mark">{escape(value.mark)}</span>'
    else:
        text = plain(value, column, short=True)
        inner = f'<span class="na">{text}</span>' if text == MISSING else escape(public(printable(text)))
    if place == 0 and isinstance(value, str) and max(map(len, value.split()), default=0) > UNBROKEN:
        parts = re.split(r"(?<=[(,=_/])(?=\S)", public(printable(plain(value, column))))
        inner = "<wbr/>".join(map(escape, parts))
    if link and place == 0:
        inner = f'<a href="{escape(link)}">{inner}</a>'
    return Markup(f"<{tag}{kind}{order}>{inner}</{end}>")  # noqa: S704 (its parts are escaped)


def printable(text: str) -> str:
    """Text without control characters, which neither XML nor a terminal should be given."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def named(text: str) -> str:
    """A component as people are shown it: of a folder among its parameters the last part alone."""
    return _FOLDER.sub(r"\1…/\2\1", text)


def made(method: VerifierRecord) -> str:
    """Which version of a method this is, and what it was written after, as people are told it."""
    after = {
        "sourced": "written after its paper or its code",
        "reconstructed": "reconstructed: its paper leaves details open",
        "ours": "Raven's own",
    }.get(method.provenance or "")
    source = f"files {method.source}" if method.source else ""
    return ", ".join(filter(None, (f"implementation {method.version}", after, source)))


_FOLDER = re.compile(r"""(?<==)(['"])(?:[A-Za-z]:|~|\.+)?[/\\](?:[^'"]*[/\\])?([^/\\'"]+)[/\\]*\1""")


_STEP = r"[^/\\\n'\"<>|]*[^/\\\s'\"<>|][/\\]+"
_ABSOLUTE = re.compile(rf"(?<![\w.:/\\~>…-])(?:file://)?(?:~\w*|[A-Za-z]:)?[/\\]+(?:{_STEP})+")
"""The folders of an absolute path or of one in a home: they end where a name begins. Links between pages stay."""
_END = re.compile(r"(?<=[^/\\\s])[/\\]+(?=$|['\"])")


def public(text: str) -> str:
    """A text whose paths are names: ``/home/ann/case/q.txt`` becomes ``q.txt``; addresses stay."""
    if ("/" in text or "\\" in text) and _ABSOLUTE.search(text):
        return _ABSOLUTE.sub("", _END.sub("", text))
    return text


def public_json(value: Any) -> Any:
    """A JSON value whose texts and keys are ``public``."""
    if isinstance(value, str):
        return public(value)
    if isinstance(value, Mapping):
        return {key: public_json(inner) for key, inner in _distinct({k: public(k) for k in value}, value).items()}
    return [public_json(inner) for inner in value] if isinstance(value, list | tuple) else value


def public_head(head: Head) -> Head:
    """What decided a run, its places by their names alone, also those given from the folder of the command."""
    data = {key: re.sub(r"(?<!\S)[^\s/\\]*+[/\\](?:.*[/\\])?", "", key) for key in head.data}
    return msgspec.structs.replace(head, spec=_places(head.spec), data=_distinct(data, head.data))


def _places(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _places(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_places(inner) for inner in value]
    if not isinstance(value, str) or "://" in value:
        return value
    if "(" in value:
        return public(value)
    name, equals, place = value.rpartition("=")
    if value[:1] not in "/~.\\" and "," in value:
        return public(value)
    return name + equals + PurePath(place.replace("\\", "/")).name if "/" in place or "\\" in place else value


def _distinct(names: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values under new names, where several have become one under numbered ones."""
    distinct: dict[str, Any] = {}
    for key, name in names.items():
        other, count = name, 1
        while other in distinct:
            count += 1
            other = f"{name} ({count})"
        distinct[other] = values[key]
    return distinct
