"""Makes the report of ``raven retrieve``: tables, figures, sentences and JSON.

In: the folder (``Store``) of a search, from which ``analyse_search`` makes a ``Search``; optionally a ranking made elsewhere.
Out: a ``RetrieveReport``; success, recall, nDCG, MRR, AUC (higher = better) and EER (lower = better) are from 0 to 1,
over queries, with 95 % intervals over authors. ``titled``: a measure's heading (text).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec

from ravenbench.errors import counted
from ravenbench.ext.retrieval.analysis import Search, SearchRow, analyse_search
from ravenbench.ext.retrieval.audit import FAULTS
from ravenbench.ext.retrieval.measures import FEWEST_UNITS, NDCG, RANK_MARGIN
from ravenbench.ext.retrieval.pool import KINDS
from ravenbench.ext.retrieval.rankings import Ranking
from ravenbench.ext.retrieval.task import TAUGHT, SearchUnit, stored_pool, version_of
from ravenbench.reports.outside import Outside, outside_cell
from ravenbench.reports.page import COLORS, FAINT, canvas, style
from ravenbench.reports.report import Report
from ravenbench.reports.view import (
    Col,
    Section,
    Table,
    col,
    each,
    figure,
    for_terminal,
    interval_of,
    named,
    public_head,
    table,
    value_of,
)
from ravenbench.statistics.estimates import Estimate
from ravenbench.statistics.ranks import shown_rank
from ravenbench.store.records import CellPlace
from ravenbench.store.store import Cell

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from ravenbench.reading.decoding import Faults
    from ravenbench.store.store import Store

HEADINGS = {
    "methods": "All candidates",
    "content": "Other content",
    "parts": "Without topic and language",
    "pairs": "Tests",
    "audit": "Labels",
}
TITLES = {
    "success": "Success",
    "recall": "Recall",
    "ndcg": "nDCG",
    "mrr": "MRR",
    "auc": "AUC",
    "eer": "EER",
}
FEW_AUTHORS = 30
"""Number of authors of queries below which the report shows a warning."""
EASY = 0.25
"""Success by chance from which the report shows a warning."""


FLIPPED = "p: by flipping the signs of authors' differences;"
LACKING = (
    "AUC, EER: n/a if not all scores are on one scale: a verifier ordered the first candidates"
    " again, or a ranking made elsewhere has only places or leaves candidates out."
)


class RetrieveReport(Report[Search]):
    """The report of a search: measures of every method, also without help from topic and language, and tests."""

    kind = "retrieve"
    template = "ravenbench.ext.retrieval:template.html.j2"
    takes_answers = True

    @staticmethod
    def read_answers(store: Store, name: str, place: Path, faults: Faults) -> Outside:
        """Read a later ranking, whose cells are computed but not stored."""
        ranking = Ranking(str(place))
        cells = dict[str, Cell]()
        ranking.read(stored_pool(store), faults)
        folds = [] if faults else [fold for fold in store.plan.folds if fold != TAUGHT]
        for fold in folds:
            if version_of(fold) == "plain" or ranking.transplanted_:
                unit = SearchUnit(
                    store.path, ranking, (at := CellPlace(key="", verifier=name, fold=fold),)
                )
                cells[fold] = outside_cell(store, name, fold, unit.answer(store, ranking, at)[0])
        return Outside(name, str(place), cells, (), () if faults else tuple(ranking.notes(name)))

    def analyse(self) -> Search:
        return analyse_search(self.store)

    @property
    def main(self) -> str:
        """Return the key of the success that is shown first."""
        return f"success@{self.analysis.depth}"

    def finding(self) -> str:
        rows = self.analysis.methods
        key = self.main
        best = next((row for row in rows if not row.known["shortcut"]), None)
        if best is None:
            return "No method has results."
        text = (
            f"{named(best.method)} has the highest MRR, {_said(best, 'mrr')}, and {titled(key)}"
            f" {_said(best, key)}"
        )
        first = value_of(best.figures["mrr"])
        same = [
            named(r.method)
            for r in rows
            if r.known["rank"] and value_of(r.figures["mrr"]) == first and r != best
        ]
        if same:
            text += f"; {' and '.join(same)} {'has' if len(same) == 1 else 'have'} the same"
        blind = [row for row in rows if row.known["shortcut"]]
        if blind:
            rival = max(blind, key=lambda row: value_of(row.figures[key]) or 0.0)
            text += f"; {rival.method} reads no text and has {titled(key)} {_value(rival, key)}"
        return text + "."

    def sentences(self) -> list[str]:
        """Return the findings and the warnings."""
        a = self.analysis
        lines = [self.finding()]
        success = titled(self.main)
        for row in a.content:
            lines.append(
                f"{named(row.method)}: {_verdict(row)} (replacement: {row.known['decided_by']})."
                f" With other content off topic, {success} is {_said(row, 'success_left')}, with"
                f" own content {_value(row, 'success')}, with content on topic {_value(row, 'on')}."
            )
        if not a.content and a.plan.left_out:
            why = "; ".join(
                f"{reason}: {count}" for reason, count in sorted(a.plan.left_out.items())
            )
            lines.append(f"Raven did not measure the effect of content ({why}).")
        blind = {row.method for row in a.methods if row.known["shortcut"]}
        lower = [
            f"{named(row.method)} by {_said(row, 'drop')}"
            for row in a.parts
            if row.known["part"] == KINDS["topic"]
            and row.method not in blind
            and (interval_of(row.figures["drop"]) or (0.0,))[0] > 0
        ]
        if lower:
            lines.append(
                f"Part of {success} comes from topic. Among candidates {KINDS['topic']}, it is"
                f" lower than among as many drawn at random: {', '.join(lower)}."
            )
        return lines + a.plan.doubts() + self.warnings()

    def warnings(self) -> list[str]:
        """Return warnings that a reader must know before using the figures."""
        a = self.analysis
        lines = list(self.analysis.plan.warnings)
        if a.authors < FEW_AUTHORS:
            lines.append(
                f"Warning: the queries are by only {counted(a.authors, 'author')}; intervals of so"
                " few are rough."
            )
        for row in a.methods:
            if row.method == "chance" and (value_of(row.figures[self.main]) or 0.0) >= EASY:
                lines.append(
                    f"Warning: chance has {titled(self.main)} {_value(row, self.main)}, because a"
                    " query has many true candidates or there are few others; MRR and smaller"
                    " depths show more."
                )
        return lines

    def tables(self) -> list[Table]:
        return [
            one
            for one in (self.methods, self.content, self.parts, self.pairs, self.audit, self.clean)
            if one.rows
        ]

    @property
    def methods(self) -> Table:
        """The table of all candidates."""
        a = self.analysis
        ranks = [row.known["rank"] for row in a.methods if row.known["rank"] is not None]
        measures = [
            *(f"success@{k}" for k in a.spec.k),
            f"recall@{a.depth}",
            "mrr",
            f"ndcg@{NDCG}",
            "auc",
            "eer",
        ]
        lacking = LACKING * any("auc" not in row.figures for row in a.methods)
        return table(
            "methods",
            f"{a.plan.queries:,} queries, {a.plan.candidates:,} candidates",
            a.methods,
            METHOD,
            col(
                "rank",
                lambda r: r.known["rank"],
                show=lambda rank: shown_rank(rank, ranks),
                text=True,
                json="rank",
            ),
            col(None, lambda r: r.known["shortcut"], json="shortcut"),
            *chain.from_iterable(
                _with_interval(
                    titled(m), m, 2 * (m in (self.main, "mrr")), about=lacking * (m == "auc")
                )
                for m in measures
            ),
            note=(
                "95% intervals: bootstrap over authors of queries"
                f" ({counted(a.authors, 'author')}). Ranks are by MRR and shared if no test"
                " separates methods. Methods without a rank read no text, so they do not measure"
                " style."
            ),
        )

    @property
    def content(self) -> Table:
        """The table of queries with other content."""
        a = self.analysis
        return table(
            "content",
            "Queries with replaced content",
            a.content,
            METHOD,
            col("verdict", _verdict, text=True, json="verdict"),
            _known("decided by", "decided_by", text=True, terminal=False),
            *_with_interval(titled(self.main), "success", 1),
            *_with_interval("left", "success_left", 1),
            *_with_interval("MRR", "mrr", 0),
            *_with_interval("MRR left", "mrr_left", 0),
            *_with_interval("swing in Success", "swing", 0, signed=True),
            *_with_interval("swing in rank", "swing_in_rank", 1, signed=True),
            *_with_interval("drop in rank", "drop_in_rank", 0, signed=True),
            *_with_interval("both ways", "sway_in_rank", 0, signed=True),
            *_with_interval("change in rank", "shift_in_rank", 0, signed=True),
            *_with_interval("null", "null_in_rank", 0, signed=True),
            note=(
                f"{a.plan.transplanted:,} queries keep their style and get the content words of"
                " other texts, fitted (words of the same length and case) and free (any length, in"
                " their own order and case, and numbers); the replacement that is worst for a"
                " method decides, and the table shows its figures. Left: content off the topic of"
                " their true candidates. Swing: value with content on topic minus value off topic."
                " In rank: binary logarithms; +1: content halves the rank. Change: how much single"
                " ranks change with other content, beyond chance. Verdict: these against δ ="
                f" {RANK_MARGIN}; none if fewer than {FEWEST_UNITS} authors wrote the queries."
            ),
        )

    @property
    def parts(self) -> Table:
        """The table of other parts of the candidates."""
        kinds = {row.known["part"] for row in self.analysis.parts}
        alone = f"Among candidates {kinds.pop()}" if len(kinds) == 1 else ""
        return table(
            "parts",
            alone or "Without help from topic or language",
            self.analysis.parts,
            METHOD,
            _known(None if alone else "candidates", "part", text=True),
            *(
                _known(key.replace("_candidates", " number"), key, terminal=False)
                for key in ("queries", "median_candidates")
            ),
            *_with_interval(titled(self.main), "success"),
            col(
                "same number at random",
                lambda r: value_of(r.figures["random"]),
                json="random",
                terminal=False,
            ),
            *_with_interval("drop", "drop", signed=True),
            *_with_interval("MRR", "mrr", 0),
            note=(
                "Drop: Success among the same number of candidates, drawn at random from all, minus"
                " Success here. A smaller number of candidates does not cause a drop."
            ),
        )

    @property
    def pairs(self) -> Table:
        """The table of tests."""
        return table(
            "pairs",
            "Tests between methods",
            self.analysis.pairs,
            col("method", "method", text=True, json="one"),
            _known("against", "other", text=True),
            *_with_interval("difference in MRR", "difference", signed=True),
            _known("p", "p", probability=True, terminal=False, about=FLIPPED),
            _known("p by Holm", "p_holm", probability=True, about="Holm: corrected for all pairs."),
        )

    @property
    def audit(self) -> Table:
        """The table of wrong labels."""
        plan = self.analysis.plan
        return table(
            "audit",
            "Labels that may be wrong",
            plan.faults.items(),
            col("labels", lambda r: FAULTS[r[0]][0], text=True, json="fault"),
            col("queries", "1.0", json="queries"),
            col("candidates", "1.1", json="candidates"),
            col("examples", lambda r: ", ".join(plan.named.get(r[0], ())), text=True, json="named"),
            col(
                "what to do", lambda r: FAULTS[r[0]][1] if any(r[1]) else "", text=True, json="fix"
            ),
            note=(
                f"Of {plan.queries:,} queries and {plan.candidates:,} candidates, checked"
                " before the search."
            ),
        )

    @property
    def clean(self) -> Table:
        """The table of figures without the affected queries."""
        return table(
            "clean",
            "Without queries that have faulty labels",
            self.analysis.clean,
            METHOD,
            *_with_interval(titled(self.main), "success", 0),
            *_with_interval("without them", "clean"),
            *_with_interval("difference", "difference", signed=True),
            section="audit",
        )

    def listings(self) -> list[Table]:
        a = self.analysis
        questions = self.analysis.pool.plain
        authors = questions.queries.labels.get("author") or [""] * len(questions.queries)
        return [
            table(
                "queries",
                "Rank of the best true candidate",
                range(len(questions.queries)),
                col("query", lambda i: questions.queries.ids[i], text=True),
                col("author", lambda i: authors[i] or "", text=True),
                col(
                    "true candidates",
                    lambda i: int(questions.true_ptr[i + 1] - questions.true_ptr[i]),
                ),
                *each(
                    a.bits, lambda name: name, lambda i, name: float(2 ** a.bits[name][i]), digits=1
                ),
            )
        ]

    def figures(self) -> dict[str, Figure]:
        a = self.analysis
        # From Success with content off topic to that with content on it; the ring is that with the queries' own.
        made = {"content": self._drawn(a.content, 0.3, "", _moved)} if a.content else {}
        return made | (
            {"found": self._drawn(a.methods, 0.27, ", 95% interval", self._success)}
            if a.methods
            else {}
        )

    def _drawn(
        self,
        rows: Sequence[SearchRow],
        height: float,
        label: str,
        draw: Callable[[Any, int, SearchRow], None],
    ) -> Figure:
        """A line of Success for each method, as ``draw`` puts it at its place."""
        with style():
            drawing, (axes,) = canvas(6.4, 0.9 + height * len(rows))
            for place, row in enumerate(reversed(rows)):
                draw(axes, place, row)
            axes.set_yticks(range(len(rows)), [named(row.method) for row in reversed(rows)])
            axes.set_xlim(-0.02, 1.02)  # a point at an end is seen whole
            axes.set_xlabel(titled(self.main) + label)
            axes.set_ylim(-0.6, len(rows) - 0.4)
        return drawing

    def _success(self, axes: Any, place: int, row: SearchRow) -> None:
        main = row.figures[self.main]
        color = FAINT if row.known["shortcut"] else COLORS[0]
        axes.plot(interval_of(main) or (value_of(main),) * 2, [place, place], color=color, lw=1.6)
        axes.plot([value_of(main)], [place], "o", color=color, ms=5)

    def sections(self) -> list[Section]:
        keys = {one.key for one in self.tables()}
        made = [Section(key, heading) for key, heading in HEADINGS.items() if key in keys]
        return [Section("found", "Findings"), *made, Section("provenance", "Provenance")]

    def context(self) -> dict[str, Any]:
        return {
            "a": self.analysis,
            "lines": self.sentences(),
            "run": msgspec.to_builtins(public_head(self.store.run)),
        }

    def to_json(self) -> dict[str, Any]:
        a = self.analysis
        return {
            "source": a.plan.source,
            "queries": a.plan.queries,
            "candidates": a.plan.candidates,
            "authors": a.authors,
            "data": self.store.plan.folds["plain-0"].train_digest,
            "findings": self.sentences(),
            **super().to_json(),
        }

    def closing(self) -> list[RenderableType]:
        from rich.text import Text

        return [*map(Text, self.sentences()[1:]), *map(for_terminal, self.tables()[:3])]


METHOD: Col[SearchRow] = col("method", "method", text=True, json="method")


def titled(measure: str) -> str:
    """Return a measure as in the headings of tables, such as ``Success@8``."""
    name, at, depth = measure.partition("@")
    return TITLES[name] + at + depth


def _verdict(row: SearchRow) -> str:
    return str(row.known["verdict"]).replace("δ", f"{RANK_MARGIN}")


def _value(row: SearchRow, key: str) -> str:
    return figure(value_of(row.figures[key]))


def _said(row: SearchRow, key: str) -> str:
    interval = interval_of(row.figures[key])
    ends = "" if interval is None else f" [{figure(interval[0])}, {figure(interval[1])}]"
    return _value(row, key) + ends


def _moved(axes: Any, place: int, row: SearchRow) -> None:
    left, on, own = (value_of(row.figures[key]) or 0.0 for key in ("success_left", "on", "success"))
    axes.plot([left, on], [place, place], color=COLORS[1], lw=4, solid_capstyle="butt")
    axes.plot([left], [place], "o", color=COLORS[0], ms=6)
    axes.plot([own], [place], "o", mfc="none", color=COLORS[0], ms=7)


def _known(title: str | None, key: str, **how: Any) -> Col[SearchRow]:
    return col(title, lambda r: r.known[key], json=key, **how)


def _with_interval(
    title: str, key: str, fits: int = 2, signed: bool = False, about: str = ""
) -> list[Col[SearchRow]]:
    """A figure and its interval; 80 columns hold ``fits`` of the two."""

    def of(read: Callable[[Estimate | None], Any], row: SearchRow) -> Any:
        return read(row.figures.get(key))

    return [
        col(title, partial(of, value_of), json=key, signed=signed, terminal=fits > 0, about=about),
        col(
            f"{title} 95%",
            partial(of, interval_of),
            json=f"{key}_interval",
            signed=signed,
            terminal=fits > 1,
        ),
    ]
