"""Shows a contrast of two groups of texts: tables, sentences, page and files (``ravenbench.contrast`` in Python).

In: ``TextContrast``: a ``ContrastAnalysis``; its ``write``: a folder.
Out: ``TextContrast``: ``tables`` (one row a word or text), ``figures`` by name, ``sentences``, ``to_json`` plain
values, ``write`` the path of the page (InputError where the folder is taken); zeta is from −1 to 1, in the tables of a
side above 0 for that side, in JSON for the primary one; shares are from 0 to 1. ``stylo_call``: the call of R's stylo
with the same settings (text); ``draw_words`` and ``draw_slices``: one figure each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ravenbench.errors import counted
from ravenbench.ext.contrast.analysis import (
    FIRST,
    FREQUENT,
    FUNCTION,
    HOLDS,
    ONE_TEXT,
    SECOND,
    TOPIC,
    ContrastAnalysis,
    Placed,
)
from ravenbench.ext.map.spec import NO_WORDS
from ravenbench.ext.map.word_tables import call_of_r, frequency_table, table_for_r
from ravenbench.files import write_text
from ravenbench.papers import cited_by
from ravenbench.reports.page import COLORS, FAINT, canvas, style, titled
from ravenbench.reports.report import FolderView, write_parts
from ravenbench.reports.view import (
    Column,
    Section,
    Table,
    col,
    figure,
    printable,
    public,
    rows_json,
    table,
    to_csv,
    to_html,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


SHOWN = 40
DRAWN = 20
BRIEF = 10
"""Number of words of a side on the page, in the figure and on the terminal."""
NOTE = (
    "Zeta: proportion of slices of this side with the word, minus that of the other side. 95%: "
    "interval over the units that the finding names. G²: log-likelihood of the counts, without a "
    "p-value. Kind: function, frequent or content word. If topics have texts on both sides: "
    "'persists in topics' if at least half of the difference surely remains within topics, 'topic' "
    "if less and perhaps nothing remains, otherwise 'unclear'. Of one text: no other text of "
    "this side has the word."
)


class TextContrast(FolderView):
    """The words that each of two groups of texts prefers: tables ``preferred``, ``avoided``, ``texts``, ``words`` (all)
    and ``frequencies``; figures ``words`` and ``slices``.

    Attributes
    ----------
    analysis : ContrastAnalysis
        Everything computed, as arrays.
    """

    kind = "contrast"

    def __init__(self, analysis: ContrastAnalysis) -> None:
        self.analysis = analysis

    def finding(self) -> str:
        return self.sentences[0]

    def page(self) -> tuple[Path | None, str]:
        return self.written, "contrast.write(FOLDER)"

    @cached_property
    def sentences(self) -> list[str]:
        """The findings, one sentence each."""
        return _sentences(self.analysis)

    @cached_property
    def _whole(self) -> list[Table]:
        """The words of each side, all of them."""
        lists = zip(("preferred", "avoided"), (FIRST, SECOND), self.analysis.sides, strict=True)
        return [_listed(self.analysis, key, prefers, side.name) for key, prefers, side in lists]

    def tables(self) -> list[Table]:
        return [*(replace(t, rows=t.rows[:SHOWN]) for t in self._whole), _texts(self.analysis)]

    def listings(self) -> list[Table]:
        a = self.analysis
        names = [d.id for side in a.sides for d in side.documents]
        text = {name: not kind.is_numeric() for name, kind in a.words.schema.items()}
        words = Table(
            "words",
            "All words",
            tuple(Column(*each) for each in text.items()),
            tuple(a.words.rows()),
        )
        return [words, frequency_table(a.frequencies, names)]

    @cached_property
    def _drawn(self) -> dict[str, Figure]:
        from ravenbench.ext.contrast.report import draw_slices, draw_words

        drawn = {"words": draw_words(self.analysis, DRAWN)}
        return drawn | ({"slices": draw_slices(self.analysis)} if self.analysis.placed else {})

    def figures(self) -> dict[str, Figure]:
        return self._drawn

    def brief(self) -> list[Table]:
        """Return the tables for a terminal, with only the first words."""
        return [replace(t, rows=t.rows[:BRIEF], note="") for t in self.tables()[:2]]

    def to_json(self) -> dict[str, Any]:
        """Return plain values; of the words, only those preferred or avoided."""
        a = self.analysis
        listed = a.words.filter(a.words["prefers"] != "").sort("prefers", "rank").to_dicts()
        sides = [
            {
                "name": s.name,
                "texts": len(s.documents),
                "slices": len(s.slices),
                "unit": s.unit_name,
                "units": s.units,
            }
            for s in a.sides
        ]
        return {
            "findings": self.sentences,
            "notes": list(a.notes),
            "settings": a.spec.resolved(),
            "slice": a.size,
            "sides": sides,
            "by_chance": a.chance,
            "held_out": None if a.right is None else a.right[0],
            "held_out_interval": None if a.right is None else a.right[1],
            "words": listed,
            "texts": rows_json(_texts(a)),
        }

    def _fill(self, folder: Path) -> None:
        from ravenbench.reports.page import inline, render

        a = self.analysis
        tables = [t for t in self.tables() if t.rows]
        papers = cited_by("contrast", {}, [])
        figures = {name: inline(drawn, name) for name, drawn in self.figures().items()}
        sections = [
            Section(
                "summary", "Findings", _listing(self.sentences[1:]) + _listing(a.notes, " warn")
            )
        ]
        titles = {"words": "Words", "slices": "Words that others chose"}
        sections += [
            Section(name, titles[name], _wide(titles[name], one)) for name, one in figures.items()
        ]
        sections += [Section(f"section-{t.key}", t.title, to_html(t)) for t in tables]
        sections.append(
            Section(
                "method",
                "Method",
                Markup("<p>{}</p><p>In stylo: <code>{}</code></p>").format(
                    METHOD.format(
                        size=a.size, rare=a.spec.rare_occurrences_threshold, by=a.kept_by
                    ),
                    stylo_call(a),
                ),
            )
        )
        names = " and ".join(side.name for side in a.sides)
        page = render(
            "task.html.j2",
            title=f"Contrast of {names}",
            task="contrast of two groups of texts",
            finding=self.finding(),
            sections=sections,
            papers=papers,
        )
        write_parts(
            folder,
            kind="contrast",
            page=page,
            json=self.to_json(),
            tables=tables,
            figures=self.figures(),
            papers=papers,
            forms=self.forms,
        )
        for long in self.listings():
            write_text(folder / "tables" / f"{long.key}.csv", to_csv(long))
        write_text(
            folder / "tables" / "table_with_frequencies.txt", table_for_r(self.listings()[1])
        )


METHOD = (
    "Raven cuts texts into slices of {size:,} words; a slice contains a word or not. Raven leaves "
    "out words that occur {rare} times or less. Intervals draw all slices of an author (or of a "
    "text; if a side is one text, its slices) together. Shuffled: in 95% of draws in which "
    "authors or texts change sides, no word has a larger Zeta. Words that others chose: Raven "
    "leaves out a tenth of the units, and the other units choose the words. A slice of the tenth "
    "is nearer to the side of which it has more words, measured from the middle of both sides. "
    "Function words are from a list (English, Dutch, Greek); frequent words are chosen by {by}. "
    "Within topics: Zeta in each topic that has texts on both sides, weighted as Mantel and "
    "Haenszel do. Files next to this page: all words (tables/words.csv), frequencies in percent "
    "(tables/frequencies.csv; for R tables/table_with_frequencies.txt)."
)


def _wide(title: str, drawn: Markup) -> Markup:
    head = Markup(
        '<figure><div class="scroll" tabindex="0" role="region" aria-label="Figure: {}">'
    ).format(title)
    return head + drawn + Markup("</div></figure>")


def _listing(sentences: Sequence[str], kind: str = "") -> Markup:
    items = Markup("").join(Markup("<li>{}</li>\n").format(one) for one in sentences)
    return (
        Markup('<div class="finding{}"><ul>{}</ul></div>').format(kind, items)
        if sentences
        else Markup("")
    )


def _listed(a: ContrastAnalysis, key: str, prefers: str, name: str) -> Table:
    """Words of one side, whose numbers are given from its point of view."""
    rows: list[dict[str, Any]] = (
        a.words.filter(a.words["prefers"] == prefers).sort("rank").to_dicts()
    )
    sign, there = (1, SECOND) if prefers == FIRST else (-1, FIRST)

    def of(column: str, sign: int = sign) -> Callable[[dict[str, Any]], float | None]:
        return lambda row: None if row[column] is None else sign * row[column]

    def bounds(row: dict[str, Any]) -> Any:
        ends = row["zeta low"], row["zeta high"]
        return None if None in ends else tuple(sorted(sign * end for end in ends))

    topics = (
        [col("in topics", of("within_topics"), digits=2, terminal=False)]
        if a.words["within_topics"].count()
        else []
    )
    return table(
        key,
        f"Preferred by {name}",
        rows,
        col("word", lambda r: r["word"], text=True),
        col("Zeta", of("zeta"), digits=2),
        col("95%", bounds, digits=2),
        col("here", of(prefers, 1), digits=2),
        col("there", of(there, 1), digits=2),
        col("Eder", of("eder"), digits=2, terminal=False),
        col("G²", of("keyness"), digits=0),
        *topics,
        col("kind", lambda r: r["kind"], text=True),
        note=NOTE,
    )


def _texts(a: ContrastAnalysis) -> Table:
    shares = [(name, attrgetter(name)) for name in ("preferred", "avoided")]
    return table(
        "texts",
        "Texts by the words that others chose",
        a.placed,
        *(col(name, attrgetter(name), text=True, json=name) for name in ("text", "side")),
        col("slices", attrgetter("slices"), json="slices"),
        *(col(name, get, digits=2, json=name) for name, get in shares),
        col(f"nearer to {a.sides[0].name}", attrgetter("nearer"), json="nearer_primary"),
        note=(
            "Preferred, avoided: proportion of the words of the primary and of the secondary side "
            "that a slice has; mean over slices. A text of either side was not used to choose "
            "its words."
        ),
    )


def _sentences(a: ContrastAnalysis) -> list[str]:
    one, other = a.sides
    lists = [a.words.filter(a.words["prefers"] == name).sort("rank") for name in (FIRST, SECOND)]
    best = [", ".join(own["word"][:5]) or "none" for own in lists]
    sides = " and ".join(f"{counted(s.units, s.unit_name)} of {s.name}" for s in a.sides)
    said = [
        f"Of {len(a.words):,} words {one.name} prefers {len(lists[0]):,} (most: {best[0]}) and"
        f" {other.name} {len(lists[1]):,} (most: {best[1]}); {counted(len(one.slices), 'slice')}"
        f" against {len(other.slices):,}, intervals over {sides}."
    ]
    if a.chance is not None:
        above = int((a.words["zeta"].abs() > a.chance).sum())
        nothing = (
            f"No word separates {one.name} from {other.name} better than chance. "
            if not above
            else ""
        )
        said.insert(
            0 if nothing else 1,
            f"{nothing}With the sides shuffled, the largest Zeta of any word is at most"
            f" {figure(a.chance)} (in 95% of draws); {counted(above, 'word')} here"
            f" {'has' if above == 1 else 'have'} a larger one.",
        )
    if a.words["zeta low"].count():
        sure = int(((a.words["zeta low"] > 0) | (a.words["zeta high"] < 0)).sum())
        said.append(
            f"{counted(sure, 'word')} {'has' if sure == 1 else 'have'} an interval without zero; of"
            f" {len(a.words):,} words without any difference, about {len(a.words) / 20:,.0f} would."
        )
    if "slice" in (one.unit_name, other.unit_name):
        said.append(
            "One side is a single text: intervals over its slices say nothing about other texts by"
            " the same author."
        )
    kinds = [kind for own in lists for kind in own["kind"][:SHOWN]]
    if a.words["within_topics"].count():
        holding = kinds.count(HOLDS)
        topical = kinds.count(TOPIC)
        said.append(
            f"Of the first {counted(len(kinds), 'word')}, {holding:,} persist in topics that both"
            f" sides have, {topical:,} are topic, and {len(kinds) - holding - topical:,} are"
            " unclear."
        )
    elif kinds and a.spec.analyzed_features not in NO_WORDS:
        said.append(
            f"Of the first {counted(len(kinds), 'word')}, {kinds.count(FUNCTION):,} are function"
            f" words and {kinds.count(FREQUENT):,} frequent words that no list of function words"
            f" has; {kinds.count(ONE_TEXT):,} are in only one text of their side; the others are "
            f"content words and may be topic."
        )
    if a.right is not None:
        value, (low, high) = a.right
        said.append(
            f"By words that other {one.unit_name}s chose, {figure(value)} [{figure(low)},"
            f" {figure(high)}] of the slices are nearer to their own side (mean of both sides; .500"
            " by chance)."
        )
    said += [_placed_at(a, one_text) for one_text in a.placed if one_text.side == "test"]
    return said


def _placed_at(a: ContrastAnalysis, text: Placed) -> str:
    return (
        f"{text.text}: {text.nearer:,} of {counted(text.slices, 'slice')} nearer to"
        f" {a.sides[0].name} than to {a.sides[1].name}; the topic may be the reason, and somebody "
        f"else may have written the text."
    )


def stylo_call(a: ContrastAnalysis) -> str:
    """Return the call of stylo with the same settings, as far as stylo has them."""
    spec = a.spec
    given: dict[str, Any] = {
        "text.slice.length": a.size,
        "text.slice.overlap": spec.text_slice_overlap,
        "rare.occurrences.threshold": spec.rare_occurrences_threshold,
        "zeta.filter.threshold": spec.zeta_filter_threshold,
        "oppose.method": spec.oppose_method if "eder" in spec.oppose_method else "craig.zeta",
        "corpus.lang": spec.corpus_lang,
        "analyzed.features": spec.analyzed_features,
        "ngram.size": spec.ngram_size,
    }
    if spec.analyzed_features not in ("w", "c"):
        return "oppose() has only words and characters"
    return call_of_r("oppose", given)


def _short(name: str, most: int = 24) -> str:
    name = public(printable(name))
    return name if len(name) <= most else f"{name[: most - 1]}…"


def draw_words(a: ContrastAnalysis, count: int) -> Figure:
    """Draw zeta (−1 to 1) of the words that each side prefers most, with intervals; words that are or may be topic are
    hollow."""
    rows = a.words.filter((a.words["prefers"] != "") & (a.words["rank"] <= count)).sort(
        "zeta", descending=True
    )
    with style():
        drawing, (axes,) = canvas(5.2, 0.6 + 0.155 * len(rows))
        for y, row in enumerate(rows.iter_rows(named=True)):
            color = COLORS[0] if row["zeta"] > 0 else COLORS[1]
            if row["zeta low"] is not None:
                axes.plot([row["zeta low"], row["zeta high"]], [y, y], color=color, linewidth=1)
            fill = color if row["kind"] in (FUNCTION, HOLDS) else "none"
            (made,) = axes.plot(
                [row["zeta"]], [y], "o", color=color, markersize=4, markerfacecolor=fill
            )
            titled(made, f"{row['word']}, {row['kind']}")
        axes.axvline(0, color=FAINT, linewidth=0.8)
        axes.set_yticks(
            range(len(rows)), [public(printable(word)) for word in rows["word"]], fontsize=7.5
        )
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlabel(
            f"{_short(a.sides[1].name)}  ←  Zeta  →  {_short(a.sides[0].name)} (hollow: may be"
            " topic)"
        )
        return drawing


def draw_slices(a: ContrastAnalysis) -> Figure:
    """Draw texts by the proportions of preferred and of avoided words that their slices have."""
    with style():
        drawing, (axes,) = canvas(5.2, 3.8)
        names = [side.name for side in a.sides]
        looks = {names[0]: ("o", COLORS[0]), names[1]: ("s", COLORS[1]), "test": ("^", COLORS[2])}
        for side, (marker, color) in looks.items():
            own = [p for p in a.placed if p.side == side]
            for n, p in enumerate(own):
                label = _short(side) if n == 0 else "_"
                (made,) = axes.plot(
                    [p.avoided], [p.preferred], marker, color=color, markersize=5, label=label
                )
                titled(
                    made, f"{p.text}, {side}, {p.nearer} of {p.slices} slices nearer to {names[0]}"
                )
        axes.set_xlabel(f"share of the words of {_short(names[1])}")
        axes.set_ylabel(f"share of the words of {_short(names[0])}")
        drawing.legend(loc="outside lower center", ncols=3, fontsize=7.5)
        return drawing
