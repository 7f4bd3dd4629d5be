"""Makes tables of records; one line of code defines title, value, digits, JSON key and place in the terminal of a
number.

In: records of any kind, one a row, and a ``Col`` for each value; then a ``Table``, or a number and its ``Column``. Out:
a ``Table``, and it as terminal table, CSV, LaTeX, HTML or JSON; a number as text. Undefined values are "n/a" (contract
16), in CSV empty, in JSON null. ``public`` and its variants give texts and values with names instead of paths;
``named``, ``printable``, ``harmless`` and ``latex`` give safe text. ValueError if a row does not fit the columns.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import msgspec
from markupsafe import Markup, escape

from ravenbench.store.records import Head, VerifierRecord
from ravenbench.types import Interval

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
    """A mean with its spread (both in the unit of its column), a mark of significance, and whether it is the best."""

    mean: float | None
    spread: float | None = None
    mark: str = ""
    best: bool = False


class Toned(str):
    """A text in a colour of the terminal."""

    tone: str

    @classmethod
    def of(cls, text: str, tone: str) -> Toned:
        """Return the text in this colour, "" for none."""
        toned = cls(text)
        toned.tone = tone
        return toned


@dataclass(frozen=True)
class Range:
    """An interval from ``low`` to ``high``, in the unit of its column."""

    low: float
    high: float


@dataclass(frozen=True)
class Number:
    """A value with its 95 % interval (low, high) in the same unit; None where undefined."""

    value: float | None
    interval: Interval | None = None

    def to_json(self) -> dict[str, Any]:
        """Return both by name; the value is always called a mean in JSON."""
        return {
            "mean": self.value,
            "interval": None if self.interval is None else list(self.interval),
        }


UNDEFINED = Number(None)
Value = str | int | float | Measure | Range | None


@dataclass(frozen=True)
class Column:
    """The heading of a column and the form of its numbers; ``text`` columns are aligned left, others right. In
    ``probability`` columns, a value that would round to zero is written as below the smallest number shown; columns
    that do not fit into 80 characters are not for a narrow ``terminal``. ``key`` names it, by default its title;
    ``about`` is its explanation in the note of the table.
    """

    title: str
    text: bool = False
    digits: int = 3
    signed: bool = False
    probability: bool = False
    terminal: bool = True
    key: str = ""
    about: str = ""

    @property
    def name(self) -> str:
        """The name that distinguishes it from the other columns."""
        return self.key or self.title


@dataclass(frozen=True)
class Table:
    """Rows of values under columns.

    ``key`` names its files, ``title`` is its caption, ``note`` explains marks below it, ``objects`` are its rows in
    JSON, ``links`` are the targets of the first column on a page, one for each row or none. ``section`` is its section
    of the page, by the name in the template, by default the key, None if no page has it; with ``terminal`` it is shown
    there too.
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
            raise ValueError(f"table {self.key}: a row does not fit the columns")


@dataclass(frozen=True)
class Col(Generic[R]):
    """The definition of one value of a record: its source, heading, form and JSON key."""

    get: Callable[[R], Any]
    column: Column | None
    show: Callable[[Any], Value] | None
    json: str | None


def col(
    title: str | None,
    get: Callable[[R], Any] | str,
    *,
    digits: int = 3,
    signed: bool = False,
    probability: bool = False,
    text: bool = False,
    json: str | None = None,
    terminal: bool = True,
    show: Callable[[Any], Value] | None = None,
    key: str = "",
    about: str = "",
) -> Col[R]:
    """Define a column of ``table``: one value of each record, in all forms of a report.

    Parameters
    ----------
    title : str, optional
        Heading; None for a value that is only in JSON.
    get : callable or str
        The value of a record, or the path to it: attributes and places (``figures.drop.value``, ``0``), None from
        where one of them is. An interval (low, high) becomes a ``Range``.
    digits, signed, probability, text : int, bool
        As in ``Column``.
    json : str, optional
        Its key in JSON; without one it is not in JSON.
    terminal : bool
        Whether a terminal of 80 columns has room for it; a wider one has.
    show : callable, optional
        The cell made of the value, where the two differ; JSON has the value.
    key, about : str
        As in ``Column``.
    """
    column = (
        None
        if title is None
        else Column(title, text, digits, signed, probability, terminal, key, about)
    )
    return Col(partial(_along, get.split(".")) if isinstance(get, str) else get, column, show, json)


def _along(path: Sequence[str], record: Any) -> Any:
    """What an attribute of a record has, or a place in it, and so on along the path."""
    for step in path:
        if record is None:
            return None
        record = record[int(step)] if step.isdecimal() else getattr(record, step)
    return record


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
    """Define a column for each of several items (metrics, setups …), as ``col``: its title, and its value of a record.

    ``terminal`` has those that fit there, by default all.
    """

    def of(item: T) -> Col[R]:
        key = None if json is None else json(item)
        fits = terminal is None or item in terminal
        return col(
            title(item),
            lambda record: get(record, item),
            digits=digits,
            signed=signed,
            json=key,
            terminal=fits,
        )

    return [of(item) for item in items]


def table(
    key: str,
    title: str,
    rows: Iterable[R],
    *cols: Col[R],
    note: str = "",
    section: str | None = "",
    terminal: bool = True,
) -> Table:
    """Make a table of records, one in each row; a report lists its tables in ``Report.tables``.

    Parameters
    ----------
    key, title, note, section, terminal : str, None, bool
        As in ``Table``.
    rows : iterable
        The records.
    *cols : Col
        What is said of each, in the order of the columns.
    """
    records = list(rows)
    visible = [(col, col.column) for col in cols if col.column is not None]
    columns = tuple(column for _, column in visible)
    cells = tuple(tuple(_cell(column, record) for column, _ in visible) for record in records)
    rows_in_json = tuple(objects(records, *cols))
    note = " ".join(filter(None, (note, *(column.about for column in columns))))
    return Table(key, title, columns, cells, note, rows_in_json, section=section, terminal=terminal)


def objects(rows: Iterable[R], *cols: Col[R]) -> list[dict[str, Any]]:
    """Return records as JSON objects: the values of the columns that have a key, None if undefined."""
    keyed = [(col.json, col.get) for col in cols if col.json is not None]
    return [{key: _plain_json(get(record)) for key, get in keyed} for record in rows]


def rows_json(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table made by ``table`` as JSON objects."""
    return list(table.objects)


def value_of(estimate: Number | Estimate | None) -> float | None:
    """Return the value of an estimate without its interval, in its unit; None without an estimate."""
    return None if estimate is None else estimate.value


def interval_of(estimate: Number | Estimate | None) -> Interval | None:
    """Return the interval (low, high) of an estimate, in its unit; None without one."""
    return None if estimate is None else estimate.interval


def _cell(column: Col[R], record: R) -> Value:
    value = column.get(record)
    value = value if column.show is None else column.show(value)
    return Range(*value) if isinstance(value, tuple) else value


def _plain_json(value: Any) -> Any:
    if isinstance(value, Measure):
        return value.mean
    if isinstance(value, Range):
        return [value.low, value.high]
    return list(value) if isinstance(value, tuple) else value


class Section(NamedTuple):
    """A section that is not in the template of a page: anchor, heading, body."""

    id: str
    heading: str
    body: Markup = Markup("")


def without(table: Table, *names: str) -> Table:
    """Return the same table without these columns and their explanations in the note."""
    indices = [i for i, column in enumerate(table.columns) if column.name not in names]
    note = table.note
    for column in table.columns:
        if column.about and column.name in names:
            note = note.replace(column.about, "")
    return replace(
        table,
        columns=tuple(table.columns[i] for i in indices),
        rows=tuple(tuple(row[i] for i in indices) for row in table.rows),
        note=" ".join(note.split()),
    )


def narrow(table: Table) -> Table:
    """Return the same table with only the columns for a narrow terminal."""
    return without(table, *(column.name for column in table.columns if not column.terminal))


def number(value: float | int | None, column: Column, *, short: bool = False) -> str:
    """Return a number in the form of its column: thousands separated, a real minus sign; ``short`` drops the zero
    before the point."""
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


def unlike(left: float, right: float) -> tuple[str, str]:
    """Return two figures of a comparison with enough digits, at least two, to show that they differ."""
    digits = next((n for n in range(2, 6) if f"{left:.{n}f}" != f"{right:.{n}f}"), 6)
    return f"{left:.{digits}f}", f"{right:.{digits}f}"


def figure(value: float | None, signed: bool = False) -> str:
    """Return a score for a sentence, written as in tables: three decimals, no zero before the point."""
    return number(value, Column("", signed=signed), short=True)


def highest(what: str, scores: Iterable[tuple[str, float | None]], better: bool = True) -> str:
    """Return a sentence on the highest score; the lowest, if higher is not ``better``."""
    known = [(value, name) for name, value in scores if value is not None]
    value, name = (max if better else min)(known, key=itemgetter(0), default=(None, ""))
    end = "Highest" if better else "Lowest"
    return (
        f"No {what} is known."
        if value is None
        else f"{end} {what}: {figure(value)} ({named(name)})."
    )


def plain(value: Value, column: Column, *, short: bool = False) -> str:
    """Return a value as one line of text."""
    if isinstance(value, str):
        return named(value)
    if isinstance(value, Range):
        return (
            f"[{number(value.low, column, short=short)}, {number(value.high, column, short=short)}]"
        )
    if not isinstance(value, Measure):
        return number(value, column, short=short)
    text = number(value.mean, column, short=short)
    if value.mean is not None and value.spread is not None:
        text += f"{'' if short else ' '}±{number(value.spread, Column('', digits=column.digits), short=short)}"
    return text + value.mark


def for_terminal(table: Table, *, tight: bool = False) -> RichTable:
    """Return a rich table that fits the terminal; other texts break before names do, and numbers never break.

    Columns that do not fit into 80 characters are left out, with their explanation in the note, unless the terminal is
    wide enough; ``tight`` has no gaps or edges.
    """
    from rich.console import Console

    console = Console()
    wide = [column.name for column in table.columns if not column.terminal]
    unbroken = console.options.update(width=10 * NARROW)
    for fitting in range(len(wide) if console.width > NARROW else 0, 0, -1):
        rich = _for_terminal(without(table, *wide[fitting:]), tight)
        if console.measure(rich, options=unbroken).maximum <= console.width:
            return rich
    few = narrow(table)
    rich = _for_terminal(few, tight)
    # Two columns of blanks at the edges are not printed.
    excess = console.measure(rich, options=unbroken).maximum - console.width - 2 * (not tight)
    longest = max((len(named(row[0])) for row in few.rows if isinstance(row[0], str)), default=0)
    if (
        0 < excess <= sum(_spare(few, i) for i in range(1, len(few.columns)))
        and longest <= UNBROKEN
    ):
        return _for_terminal(few, tight, whole=True)
    return _for_terminal(few, tight, longest - excess) if 0 < excess < longest else rich


def _spare(table: Table, i: int) -> int:
    """Characters by which a column gets narrower where its texts break between words."""
    column = table.columns[i]
    lines = (
        [column.title, *(plain(row[i], column, short=True) for row in table.rows)]
        if column.text
        else []
    )
    return max(map(len, lines), default=0) - max(
        (len(word) for line in lines for word in line.split()), default=0
    )


def _broken(name: str, width: int) -> str:
    """A name in lines of at most so many characters, where it has seams to break at."""
    lines = [""]
    for piece in re.split(r"(?<=[-:=(,/_ ])|(?<=[a-z])(?=[A-Z])", name):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return "\n".join(lines)


def _for_terminal(
    table: Table, tight: bool, first_column: int = 0, whole: bool = False
) -> RichTable:
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
        cells = [
            Text(printable(plain(value, column, short=True)))
            for value, column in zip(row, table.columns, strict=True)
        ]
        if first_column and isinstance(row[0], str):
            cells[0] = Text(_broken(cells[0].plain, first_column))
        for cell, value in zip(cells, row, strict=True):
            if isinstance(value, Measure) and value.best:
                cell.stylize("bold")
            elif isinstance(value, Toned):
                cell.stylize(value.tone)
        rich.add_row(*cells)
    return rich


def to_csv(table: Table) -> str:
    """Return CSV with the unrounded numbers of ``flat``; n/a is empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    header, rows = flat(table)
    writer.writerow(map(harmless, header))
    for row in rows:
        writer.writerow([harmless(value) if isinstance(value, str) else value for value in row])
    return buffer.getvalue()


def flat(table: Table) -> tuple[list[str], list[list[str | int | float | None]]]:
    """Return headings and unrounded rows; a spread, a mark and the limits of an interval have separate columns."""
    names_by_column = [
        _part_names([row[i] for row in table.rows]) for i in range(len(table.columns))
    ]
    header = [
        f"{column.title} {name}".strip()
        for column, names in zip(table.columns, names_by_column, strict=True)
        for name in names
    ]
    rows = [
        [
            _raw(value, name)
            for value, names in zip(row, names_by_column, strict=True)
            for name in names
        ]
        for row in table.rows
    ]
    return header, rows


def _part_names(values: Sequence[Value]) -> list[str]:
    if any(isinstance(value, Range) for value in values):
        return ["low", "high"]
    measures = [value for value in values if isinstance(value, Measure)]
    part_names = [""]
    if any(measure.spread is not None for measure in measures):
        part_names.append("sd")
    if any(measure.mark for measure in measures):
        part_names.append("mark")
    return part_names


def _raw(value: Value, part_name: str) -> str | int | float | None:
    if isinstance(value, Range):
        return value.low if part_name == "low" else value.high
    if isinstance(value, Measure):
        return {"": value.mean, "sd": value.spread, "mark": value.mark}[part_name]
    return None if part_name else value


def harmless(text: str) -> str:
    """Return text for a CSV cell: a spreadsheet would run a name such as ``=cmd()``, and an apostrophe makes it text.

    Control characters become spaces; a number stays a number.
    """
    safe = public(printable(text))
    if text[:1] not in ("\t", "\r", "\n") and safe.lstrip()[:1] not in _FORMULA:
        return safe
    return safe if _NUMBER.fullmatch(safe) else "'" + safe


_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫")
_NUMBER = re.compile(r"[+-]?(\d++(?:\.\d*+)?|\.\d++)([eE][+-]?\d+)?")


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "−": "$-$",
    "±": r"$\pm$",
    "–": "--",
    "†": r"\dag{}",
    "ρ": r"$\rho$",
    "α": r"$\alpha$",
    "“": "``",
    "”": "''",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "→": r"$\to$",
    "←": r"$\gets$",
    "·": r"$\cdot$",
    "²": "$^2$",
    "√": r"$\surd$",
    "∞": r"$\infty$",
    "Δ": r"$\Delta$",
    "δ": r"$\delta$",
    "Σ": r"$\Sigma$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "ψ": r"$\psi$",
    "ζ": r"$\zeta$",
    "θ": r"$\theta$",
    "λ": r"$\lambda$",
    "…": r"\dots{}",
    "’": "'",
    "•": r"$\bullet$",
    "␣": r"\textvisiblespace{}",
}


def latex(text: str) -> str:
    """Return text that LaTeX prints without changes."""
    return "".join(_LATEX.get(character, character) for character in public(printable(text)))


def to_latex(table: Table) -> str:
    """Return a booktabs table with numbers as on a page and the note below it; a wide table takes both columns of a
    page."""
    star = "*" if len(table.columns) > _IN_A_COLUMN else ""
    letters = "".join("l" if column.text else "r" for column in table.columns)
    rows = [" & ".join(map(_latex_cell, row, table.columns)) for row in table.rows]
    note = (
        f"\\par\\smallskip\\parbox{{\\linewidth}}{{\\raggedright\\scriptsize {latex(table.note)}}}"
    )
    lines = [
        "% needs \\usepackage{booktabs,adjustbox}",
        f"\\begin{{table{star}}}",
        "\\centering\\footnotesize",
        f"\\caption{{{latex(table.title)}.}}",
        f"\\label{{tab:{table.key}}}",
        "\\begin{adjustbox}{max width=\\linewidth}",
        f"\\begin{{tabular}}{{@{{}}{letters}@{{}}}}",
        "\\toprule",
        " & ".join(latex(column.title) for column in table.columns) + r" \\",
        "\\midrule",
        *(f"{row} \\\\" for row in rows),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{adjustbox}",
        *([note] if table.note else []),
        f"\\end{{table{star}}}",
        "",
    ]
    return "\n".join(lines)


_IN_A_COLUMN = 6
"""Most columns of a table in one column of a two-column paper."""


def _latex_cell(value: Value, column: Column) -> str:
    text = latex(plain(value, column, short=True))
    return f"\\textbf{{{text}}}" if isinstance(value, Measure) and value.best else text


def to_html(table: Table, *, sortable: bool = True) -> Markup:
    """Return an HTML table whose headings sort it (by the script of the base page); the first column heads each row."""
    button = Markup('<button type="button">{}</button>') if sortable else Markup("{}")
    head = Markup("").join(
        Markup('<th scope="col"{}>{}</th>').format(
            Markup("") if column.text else Markup(' class="n"'), button.format(column.title)
        )
        for column in table.columns
    )
    body = Markup("").join(
        Markup("<tr>{}</tr>\n").format(
            Markup("").join(
                _html_cell(i, value, column, link)
                for i, (value, column) in enumerate(zip(row, table.columns, strict=True))
            )
        )
        for row, link in zip(table.rows, table.links or ("",) * len(table.rows), strict=True)
    )
    note = Markup('<p class="note">{}</p>').format(public(table.note)) if table.note else Markup("")
    return Markup(
        '<div class="table" id="{}"><div class="scroll" tabindex="0" role="region"'
        ' aria-label="Table: {}">'
        "<table><caption>{}</caption><thead><tr>{}</tr></thead>\n<tbody>{}</tbody></table></div>{}</div>"
    ).format(f"table-{table.key}", table.title, table.title, head, body, note)


def _html_cell(column_index: int, value: Value, column: Column, link: str = "") -> Markup:
    # Thousands of cells: parts are escaped one by one, which is several times as fast as Markup's own formatting.
    tag, end = ('th scope="row"', "th") if column_index == 0 else ("td", "td")
    sort: object = (
        value.mean
        if isinstance(value, Measure)
        else value.low
        if isinstance(value, Range)
        else value
    )
    order = "" if isinstance(sort, str) else f' data-v="{escape("" if sort is None else sort)}"'
    name = (
        column_index == 0
        and isinstance(value, str)
        and len(value) <= UNBROKEN
        and "-" in value
        and " " not in value
    )
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
        inner = (
            f'<span class="na">{text}</span>'
            if text == MISSING
            else escape(public(printable(text)))
        )
    if (
        column_index == 0
        and isinstance(value, str)
        and max(map(len, value.split()), default=0) > UNBROKEN
    ):
        pieces = re.split(r"(?<=[(,=_/])(?=\S)", public(printable(plain(value, column))))
        inner = "<wbr/>".join(map(escape, pieces))
    if link and column_index == 0:
        inner = f'<a href="{escape(link)}">{inner}</a>'
    return Markup(f"<{tag}{kind}{order}>{inner}</{end}>")  # noqa: S704 (its parts are escaped)


def printable(text: str) -> str:
    """Return text without control characters, which are unsafe in XML and in a terminal."""
    return (
        text
        if text.isprintable()
        else "".join(character if character.isprintable() else " " for character in text)
    )


def named(text: str) -> str:
    """Return a component as shown to people: only the last part of a folder among its parameters."""
    return _FOLDER.sub(r"\1…/\2\1", text)


def made(method: VerifierRecord) -> str:
    """Return the version of a method and its sources, as shown to people."""
    after = {
        "sourced": "written from its paper or its code",
        "reconstructed": "reconstructed: its paper leaves details open",
        "ours": "Raven's own",
    }.get(method.provenance or "")
    source = f"files {method.source}" if method.source else ""
    return ", ".join(filter(None, (f"implementation {method.version}", after, source)))


_FOLDER = re.compile(
    r"""(?<==)(['"])(?:[A-Za-z]:|~|\.+)?[/\\](?:[^'"]*[/\\])?([^/\\'"]+)[/\\]*\1"""
)


_STEP = r"[^/\\\n'\"<>|]*[^/\\\s'\"<>|][/\\]+"
_ABSOLUTE = re.compile(rf"(?<![\w.:/\\~>…-])(?:file://)?(?:~\w*|[A-Za-z]:)?[/\\]+(?:{_STEP})+")
"""The folders of an absolute path or of one in a home: they end where a name begins. Links between pages stay."""
_END = re.compile(r"(?<=[^/\\\s])[/\\]+(?=$|['\"])")


def public(text: str) -> str:
    """Return a text with names instead of paths: ``/home/ann/case/q.txt`` becomes ``q.txt``; URLs stay."""
    if ("/" in text or "\\" in text) and _ABSOLUTE.search(text):
        return _ABSOLUTE.sub("", _END.sub("", text))
    return text


def public_json(value: Any) -> Any:
    """Return a JSON value whose texts and keys are ``public``."""
    if isinstance(value, str):
        return public(value)
    if isinstance(value, Mapping):
        return {
            key: public_json(inner)
            for key, inner in _distinct({k: public(k) for k in value}, value).items()
        }
    return [public_json(inner) for inner in value] if isinstance(value, list | tuple) else value


def public_head(head: Head) -> Head:
    """Return what decided a run, with names instead of paths, also for relative paths."""
    data = {key: re.sub(r"(?<!\S)[^\s/\\]*+[/\\](?:.*[/\\])?", "", key) for key in head.data}
    return msgspec.structs.replace(
        head, spec=_public_places(head.spec), data=_distinct(data, head.data)
    )


def _public_places(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _public_places(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_public_places(inner) for inner in value]
    if not isinstance(value, str) or "://" in value:
        return value
    if "(" in value:
        return public(value)
    name, equals, numeral = value.rpartition("=")
    if value[:1] not in "/~.\\" and "," in value:
        return public(value)
    return (
        name + equals + PurePath(numeral.replace("\\", "/")).name
        if "/" in numeral or "\\" in numeral
        else value
    )


def _distinct(names: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values under new names, where several have become one under numbered ones."""
    distinct: dict[str, Any] = {}
    for key, name in names.items():
        longer = name
        count = 1
        while longer in distinct:
            count += 1
            longer = f"{name} ({count})"
        distinct[longer] = values[key]
    return distinct
