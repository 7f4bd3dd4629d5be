"""Compares a text and its rewriting, phrase by phrase, on pages to read and grade.

In: ``compare``: an id, a rewriting's parts (``Part``: original and rewritten), the name of the obfuscator, by verifier
its answers (0 to 1, higher = same author) before and after; pages: ``TextComparison``s; ``index_page``: rows. Out:
``compare``: a ``TextComparison``, with counts of words and changes in a thousand words (or None); HTML pages of one
(``diff_page``), of several of one text (``columns_page``; ValueError for different texts), of an index
(``index_page``). ``shown``: escaped text; ``column_rows``: ``DiffRow`` list.

A line is either a phrase of both texts, or two phrases, the original above the rewriting. The top rows together are the
exact original, the bottom rows the exact rewriting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Literal, NamedTuple

from markupsafe import Markup, escape

from ravenbench.obfuscation.measures.sensibleness import ANOMALIES
from ravenbench.obfuscation.measures.soundness import efficiency
from ravenbench.obfuscation.parts import PART_WORDS, sentences
from ravenbench.obfuscation.wording import resources
from ravenbench.reading.pan_obfuscation import Part
from ravenbench.reading.reviews import VERSION
from ravenbench.reports.page import render
from ravenbench.text.alignment import EqualRun, align_sentences, pieces, plain_words, runs
from ravenbench.text.nltk_data import missing
from ravenbench.texts import content_hash

SHARED = 5
"""Fewest common words for which a phrase gets a separate line."""
LINE = 14
"""Number of words after which a line of changes is broken, if possible."""
STARTLING = (13.0, 16.0, 19.0)
"""Smallest surprisal in bits of a shaded word, by depth of the shade."""


def shown(text: str) -> Markup:
    """Return text escaped for a page: a carriage return stays as a number, other control characters become pictures.

    HTML cannot contain control characters, and direction marks would disorder the text around them: they are shown as
    U+2400 ff. and as their code points.
    """
    if text.isprintable():
        return escape(text)
    return Markup("").join(_character(c) for c in text)


def _character(c: str) -> Markup:
    if c in "\n\t" or c.isprintable() or c.isspace():
        return Markup("&#13;") if c == "\r" else Markup(escape(c))
    if ord(c) < 0x20:
        return Markup('<span class="ctl">{}</span>').format(chr(0x2400 + ord(c)))
    if c == "\u200d" or c == "\ufeff" or 0xFE00 <= ord(c) <= 0xFE0F:
        # Joiners and variation selectors belong to emoji and some scripts; a byte order mark is invisible.
        return Markup(escape(c))
    return Markup('<span class="ctl" data-c="U+{:04X}"></span>').format(ord(c))


@dataclass(frozen=True)
class Line:
    """A phrase of both texts (``rewritten`` is None), or an original and a rewritten phrase, as escaped markup;
    ``changes`` is a count."""

    original: Markup
    rewritten: Markup | None
    changes: int

    @property
    def shown(self) -> Markup:
        """The text of the rewriting here."""
        return self.original if self.rewritten is None else self.rewritten


@dataclass(frozen=True)
class Block:
    """One part, or one pair of aligned sentences: its lines and its annotations, and the original's own text."""

    number: int
    original: str
    lines: tuple[Line, ...]
    operations: Mapping[str, int]
    anomalies: Mapping[str, int]
    moved: bool


@dataclass(frozen=True)
class TextComparison:
    """A text and its rewriting, ready to show.

    ``words`` is a count; ``scores`` are answers (0 to 1, higher = same author) before and after, by verifier; ``facts``
    are further numbers to show.
    """

    id: str
    system: str
    blocks: tuple[Block, ...]
    words: int
    changes_per_1000: float | None
    digests: tuple[str, str]
    notes: tuple[str, ...] = ()
    scores: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def changes(self) -> int:
        """Number of marked changes on the page."""
        return sum(line.changes for block in self.blocks for line in block.lines)

    @property
    def recognised(self) -> tuple[int, int]:
        """Number of verifiers that answer "same author" (above 0.5), before and after."""
        before, after = (sum(pair[i] > 0.5 for pair in self.scores.values()) for i in (0, 1))
        return before, after


def compare(
    name: str,
    parts: Sequence[Part],
    system: str = "",
    *,
    notes: Sequence[str] = (),
    scores: Mapping[str, tuple[float, float]] | None = None,
    facts: Mapping[str, str] | None = None,
    surprisal: bool = True,
) -> TextComparison:
    """Align a rewriting and mark what changed.

    Parameters
    ----------
    parts : sequence of Part
        A rewriting's parts; longer ones are cut by aligned sentences, so one part may be a whole text.
    surprisal : bool
        Shade words of the rewriting that a language model does not expect, if the model is installed.
    """
    original = "".join(part.original for part in parts)
    rewritten = "".join(part.obfuscation for part in parts)
    shade = _Shade() if surprisal and missing("brown") is None else None
    blocks: list[Block] = []
    for a, b, operations, moved in _pairs(parts):
        lines = tuple(_lines(pieces(a), pieces(b), shade))
        anomalies = {k: n for k in ANOMALIES if (n := _more(ANOMALIES[k], a, b))}
        blocks.append(Block(len(blocks) + 1, a, lines, operations, anomalies, moved))
    return TextComparison(
        name,
        system,
        tuple(blocks),
        len(plain_words(original)),
        efficiency(parts)["changes_per_1000"],
        (content_hash(original).hex(), content_hash(rewritten).hex()),
        tuple(notes),
        dict(scores or {}),
        dict(facts or {}),
    )


def diff_page(
    comparison: TextComparison,
    *,
    blind: bool = False,
    index: str | None = None,
    columns: str | None = None,
) -> str:
    """Return one static page; with ``blind`` it opens in blind review.

    ``index`` and ``columns`` are addresses of an index page and of the side-by-side view.
    """
    c = comparison
    about = {
        "review": VERSION,
        "id": c.id,
        "system": c.system,
        "original": c.digests[0],
        "rewritten": c.digests[1],
    }
    return render(
        "ravenbench.ext.site.diff:diff.html.j2",
        c=c,
        about=about,
        blind=blind,
        index=index,
        columns=columns,
    )


def index_page(
    title: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[tuple[str, str]]
) -> str:
    """Return an index of comparisons; rows have ``href``, ``problem``, ``system``, a number or None for each column,
    and the address of a side-by-side view, if any, as ``beside``.

    ``columns`` are (key, heading).
    """
    return render(
        "ravenbench.ext.site.diff:diff_index.html.j2", title=title, rows=rows, columns=columns
    )


def _pairs(parts: Sequence[Part]) -> Iterator[tuple[str, str, Mapping[str, int], bool]]:
    for part in parts:
        operations = {name: part.operations.count(name) for name in dict.fromkeys(part.operations)}
        if (
            max(len(plain_words(part.original)), len(plain_words(part.obfuscation)))
            <= 2 * PART_WORDS
        ):
            yield part.original, part.obfuscation, operations, False
            continue
        a = [part.original[x:y] for x, y in sentences(part.original)]
        b = [part.obfuscation[x:y] for x, y in sentences(part.obfuscation)]
        for bead in align_sentences(a, b):
            yield (
                "".join(a[bead.a_start : bead.a_stop]),
                "".join(b[bead.b_start : bead.b_stop]),
                operations,
                bead.moved,
            )
            operations = {}


def _lines(a: list[str], b: list[str], shade: _Shade | None) -> Iterator[Line]:
    waiting: list[EqualRun] = []
    levels = [0] * len(b) if shade is None else shade(b)

    def stacked() -> Iterator[Line]:
        if waiting:
            changes = sum(run.kind != "same" for run in waiting)
            yield Line(
                _joined(_mark("del", run.kind, a[run.a_start : run.a_stop]) for run in waiting),
                _joined(
                    _mark("ins", r.kind, b[r.b_start : r.b_stop], levels[r.b_start :])
                    for r in waiting
                ),
                changes,
            )
            waiting.clear()

    # Words that both share are no part of a change, however near it stands.
    for run in runs(a, b, merge=0):
        words = _words(a[run.a_start : run.a_stop])
        if run.kind == "same" and (words >= SHARED or (not waiting and words == len(a))):
            yield from stacked()
            yield Line(
                _mark("", "same", b[run.b_start : run.b_stop], levels[run.b_start :]), None, 0
            )
            continue
        waiting_words = sum(
            max(_words(a[r.a_start : r.a_stop]), _words(b[r.b_start : r.b_stop])) for r in waiting
        )
        if waiting_words >= LINE:
            yield from stacked()
        waiting.append(run)
    if waiting and all(run.kind == "same" for run in waiting):
        yield Line(_mark("", "same", a[waiting[0].a_start : waiting[-1].a_stop]), None, 0)
    else:
        yield from stacked()


def _mark(
    tag: Literal["", "del", "ins"], kind: str, tokens: Sequence[str], levels: Sequence[int] = ()
) -> Markup:
    if not tokens:
        return Markup("")
    # The space before a changed word is not marked with it, unless it is all there is.
    blank = (
        kind != "same" and bool(tag) and tokens[0].startswith(" ") and "".join(tokens).strip() != ""
    )
    words = [tokens[0][1:], *tokens[1:]] if blank else tokens
    if any(levels[: len(words)]):
        inner = Markup("").join(
            (
                Markup('<span class="s{}">{}</span>').format(level, shown(token))
                if level
                else shown(token)
            )
            for token, level in zip(words, levels, strict=False)
        )
    else:
        inner = shown("".join(words))
    if kind == "same" or not tag:
        return inner
    return Markup("{}<{} class={}>{}</{}>").format(
        " " if blank else "", Markup(tag), Markup(kind), inner, Markup(tag)
    )


def _joined(phrases: Iterable[Markup]) -> Markup:
    """One row, the line breaks at its end wrapped: where rows stand apart they would only gape."""
    marked = Markup("").join(phrases)
    text = marked.rstrip("\n")
    return (
        text + Markup('<span class="end">{}</span>').format(marked[len(text) :])
        if text != marked
        else marked
    )


def _words(tokens: Sequence[str]) -> int:
    return sum(any(c.isalnum() for c in token) for token in tokens)


def _more(pattern: Any, original: str, rewritten: str) -> int:
    return max(
        0, sum(1 for _ in pattern.finditer(rewritten)) - sum(1 for _ in pattern.finditer(original))
    )


class _Shade:
    """Depth of shading, 0 to 3, of each piece by its surprisal after the pieces before it."""

    def __call__(self, tokens: Sequence[str]) -> list[int]:
        if not tokens:
            return []
        bits = (
            -resources.language_model().log10([token.strip().replace("’", "'") for token in tokens])
            * 3.3219
        )
        shades = [sum(value >= limit for limit in STARTLING) for value in bits[:-1]]
        return [shade if token.strip() else 0 for shade, token in zip(shades, tokens, strict=True)]


class DiffRow(NamedTuple):
    """A passage of the original that starts and ends with a part in every column, and its rewritings."""

    number: int
    original: Markup
    rewritten: tuple[Markup, ...]
    changes: tuple[int, ...]


def columns_page(comparisons: Sequence[TextComparison], *, index: str | None = None) -> str:
    """Return one static page of rewritings of one text; removed words are marked only if there is one rewriting."""
    return render(
        "ravenbench.ext.site.diff:diff_columns.html.j2",
        comparisons=comparisons,
        rows=column_rows(comparisons),
        index=index,
    )


def column_rows(comparisons: Sequence[TextComparison]) -> list[DiffRow]:
    """Return rows between the positions at which parts of all rewritings end; all must have the same original."""
    if len({c.digests[0] for c in comparisons}) != 1:
        raise ValueError("the comparisons have different originals")
    ends = [list(accumulate(len(block.original) for block in c.blocks)) for c in comparisons]
    common = sorted(set.intersection(*(set(e) for e in ends)))
    rows: list[DiffRow] = []
    used = [0] * len(comparisons)
    for end in common:
        columns: list[Sequence[Block]] = []
        for i, c in enumerate(comparisons):
            stop = max(k for k, e in enumerate(ends[i]) if e == end) + 1
            columns.append(c.blocks[used[i] : stop])
            used[i] = stop
        if len(comparisons) == 1:
            original = Markup("").join(
                line.original for block in columns[0] for line in block.lines
            )
        else:
            original = shown("".join(block.original for block in columns[0]))
        rewritten = tuple(
            Markup("").join(line.shown for b in blocks for line in b.lines) for blocks in columns
        )
        changes = tuple(sum(line.changes for b in blocks for line in b.lines) for blocks in columns)
        rows.append(DiffRow(len(rows) + 1, original, rewritten, changes))
    return rows
