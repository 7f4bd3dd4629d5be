"""Shows a map (pictures of how many texts group): tables, sentences, page and files.

In: ``TextMap``: a ``MapAnalysis``; its ``write``: a folder.
Out: ``TextMap``: ``tables`` (one row a text, cluster, link or slice), ``figures`` by name, ``sentences``, ``to_json``
plain values, ``write`` the path of the page (InputError where the folder is taken); ``stylo_call``: the same call in R
(text).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from ravenbench import __version__
from ravenbench.errors import counted, first_names
from ravenbench.ext.map.analysis import ALL, AS_MANY, MASKED, MapAnalysis, MapView, Rolling
from ravenbench.ext.map.grouping import GroupingScore
from ravenbench.ext.map.pictures import draw_legend, draw_map, tree_parts
from ravenbench.ext.map.spec import PICTURES
from ravenbench.ext.map.word_tables import call_of_r, frequency_table, table_for_r
from ravenbench.files import write_text
from ravenbench.papers import cited_by
from ravenbench.reports.report import FolderView, write_parts
from ravenbench.reports.view import (
    Column,
    Table,
    Value,
    col,
    figure,
    rows_json,
    table,
    to_csv,
    to_html,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WHICH = ("all", "masked")
RUNS = 4
"""Number of runs of other authors that the finding names."""
SHOWN = 4
NOT_MASKED = (
    " But every counted word may stay, so Raven masks nothing; a larger mfw-max would show the"
    " effect of content."
)
"""Number of names of a cluster that the page shows."""
NOTE = (
    "Nearness: how much nearer two texts are if they have the same author (pairs on different "
    "topics) or the same topic (pairs by different authors), in mean distances. Share of topic: "
    "nearness of topics divided by the sum of both. Silhouette and adjusted Rand index (of the "
    "dendrogram, cut into as many clusters as there are labels) mix author and topic if authors "
    "keep to their own topics. Intervals: jackknife over authors."
)


class TextMap(FolderView):
    """A map of many texts: pictures, tables and how much of the grouping is topic.

    Figures are named as stylo names its types of analysis: ``CA-all``, ``CA-masked`` and so on; tables ``grouping``,
    ``texts``, ``clusters-…``, ``edges-…``, ``places``, ``rolling-…``, ``distances-…``, those with dots for ``all`` and
    ``masked``, and ``frequencies``.

    Attributes
    ----------
    analysis : MapAnalysis
        Everything computed, as arrays.
    """

    kind = "map"

    def __init__(self, analysis: MapAnalysis) -> None:
        self.analysis = analysis

    def line(self) -> str:
        return f"{self.analysis.name}, {len(self.analysis.texts)} texts. {self.finding()}"

    def finding(self) -> str:
        return self.sentences[0]

    def page(self) -> tuple[Path | None, str]:
        return self.written, "map.write(FOLDER)"

    @cached_property
    def _drawn(self) -> dict[str, Figure]:
        return draw_map(self.analysis)

    def figures(self) -> dict[str, Figure]:
        return self._drawn

    def tables(self) -> list[Table]:
        return list(self._made.values())

    @cached_property
    def _made(self) -> dict[str, Table]:
        a = self.analysis
        made = [
            _grouping(a),
            _texts(a),
            _places(a),
            frequency_table(a.frequencies, [t.id for t in a.texts]),
        ]
        for view, which in zip(a.views, WHICH, strict=True):
            made += [_clusters(a, view, which), _edges(a, view, which), _distances(a, view, which)]
        made += [_rolling(r, which) for r, which in zip(a.rolling, WHICH, strict=False)]
        return {t.key: t for t in made if t.rows}

    @cached_property
    def sentences(self) -> list[str]:
        """The findings, one sentence each."""
        return list(_sentences(self.analysis))

    def brief(self) -> list[Table]:
        """Return the tables for a terminal."""
        return [self._made["grouping"]]

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        short = {
            k: rows_json(t)
            for k, t in self._made.items()
            if not k.startswith(("distances", "frequencies"))
        }
        return {
            "corpus": self.analysis.name,
            "findings": self.sentences,
            "notes": list(self.analysis.notes),
            "settings": self.analysis.spec.resolved(),
            "words": {v.title: list(v.words) for v in self.analysis.views},
            **short,
        }

    def _fill(self, folder: Path) -> None:
        from ravenbench.reports.page import inline, render

        shown = [t for key, t in self._made.items() if key in ("grouping", "texts")]
        names = list(dict.fromkeys(name.rpartition("-")[0] for name in self.figures()))
        parts = {name: [drawn] for name, drawn in self.figures().items()} | tree_parts(
            self.analysis
        )

        def shown_as(name: str) -> Markup:
            return Markup("").join(
                inline(part, f"{name}-{n}") for n, part in enumerate(parts[name])
            )

        pairs = [
            (
                name,
                PICTURES.get(name, "Rolling attribution"),
                [shown_as(f"{name}-{w}") for w in WHICH],
            )
            for name in names
        ]
        papers = cited_by("map", {"corpus": self.analysis.name}, [])
        page = render(
            "ravenbench.ext.map:template.html.j2",
            a=self.analysis,
            sentences=self.sentences,
            pairs=pairs,
            version=__version__,
            tables=shown,
            clusters=_cluster_tables(self),
            papers=papers,
            call=stylo_call(self.analysis),
            legend=inline(draw_legend(self.analysis), "legend"),
        )
        write_parts(
            folder,
            kind="map",
            page=page,
            json=self.to_json(),
            tables=shown,
            figures=self.figures(),
            papers=papers,
            forms=self.forms,
        )
        for key, long in self._made.items():
            if long not in shown:
                write_text(folder / "tables" / f"{key}.csv", to_csv(long))
        write_text(
            folder / "tables" / "table_with_frequencies.txt", table_for_r(self._made["frequencies"])
        )


def _grouping(a: MapAnalysis) -> Table:
    by_name = {title: {(s.measure, s.by): s for s in scores} for title, scores in a.scores.items()}
    rows = [
        r
        for r in by_name[ALL]
        if "both" in r or any(of[r].value is not None for of in by_name.values())
    ]

    def value(title: str) -> Callable[[tuple[str, str]], Any]:
        return lambda row: by_name[title][row].value

    def interval(title: str) -> Callable[[tuple[str, str]], Any]:
        return lambda row: by_name[title][row].interval

    return table(
        "grouping",
        "How much of the grouping is topic",
        rows,
        col(
            "number",
            lambda r: {"topic's share": "share of topic"}.get(r[0], r[0]),
            text=True,
            json="number",
        ),
        col("by", lambda r: {"both": "", "author": a.noun}.get(r[1], r[1]), text=True, json="by"),
        col("all words", value(ALL), json="all", digits=2),
        col("95 %", interval(ALL), json="all_interval", digits=2),
        col("masked", value(MASKED), json="masked", digits=2),
        col("masked 95 %", interval(MASKED), json="masked_interval", digits=2),
        col(
            f"first {a.features[AS_MANY]:,} words",
            value(AS_MANY),
            json="as_many",
            digits=2,
            terminal=False,
        ),
        col(
            "shuffled",
            lambda r: by_name[ALL][r].shuffled_95,
            json="shuffled_95",
            digits=2,
            terminal=False,
            about="Shuffled: 95th percentile when the labels are shuffled.",
        ),
        note=NOTE,
    )


def _nearest(view: MapView, among: Sequence[int] | None = None) -> list[int]:
    """The nearest other text of each, by row; of those in ``among`` where that is given."""
    away = view.distances + np.diag(np.full(len(view.distances), np.inf))
    if among is not None:
        others = np.setdiff1d(np.arange(len(away)), among)
        away[:, others] = np.inf
    return [int(i) for i in away.argmin(axis=1)]


def _texts(a: MapAnalysis) -> Table:
    near = [_nearest(view) for view in a.views]
    return table(
        "texts",
        "Texts",
        range(len(a.texts)),
        col("text", lambda i: a.texts[i].id, text=True, json="text"),
        col("author", lambda i: a.texts[i].author or "", text=True, json="author"),
        *(
            [col(a.noun, lambda i: a.texts[i].group or "", text=True, json="group")]
            if a.spec.group_by
            else []
        ),
        col("topic", lambda i: a.texts[i].topic or "", text=True, json="topic"),
        col("words", lambda i: a.texts[i].words, json="words"),
        col("nearest text", lambda i: a.texts[near[0][i]].id, text=True, json="nearest"),
        col("nearest, masked", lambda i: a.texts[near[1][i]].id, text=True, json="nearest_masked"),
    )


def _places(a: MapAnalysis) -> Table:
    rows = [
        (text.id, name, view.title, float(x), float(y))
        for view in a.views
        for name, places in view.places.items()
        for text, (x, y) in zip(a.texts, places, strict=True)
    ]
    return table(
        "places",
        "Places in two dimensions",
        rows,
        *(
            col(n, itemgetter(i), text=True, json=n)
            for i, n in enumerate(("text", "picture", "words"))
        ),
        *(col(n, itemgetter(i), json=n) for i, n in enumerate("xy", start=3)),
    )


def _clusters(a: MapAnalysis, view: MapView, which: str) -> Table:
    return table(
        f"clusters-{which}",
        f"Clusters of the consensus: {view.title}",
        view.clusters,
        col("texts", lambda c: len(c.members), json="size"),
        col("share of settings", "settings", json="settings", digits=2),
        col("share of resampled word lists", "resampled", json="resampled", digits=2),
        col(
            "which", lambda c: "; ".join(a.texts[i].id for i in c.members), text=True, json="texts"
        ),
    )


def _cluster_tables(m: TextMap) -> list[Markup]:
    """The clusters with a few names each, for the page."""

    def few(row: tuple[Value, ...]) -> tuple[Value, ...]:
        return (*row[:-1], first_names(str(row[-1]).split("; "), SHOWN))

    long = [m._made[key] for which in WHICH if (key := f"clusters-{which}") in m._made]
    return [to_html(replace(t, rows=tuple(map(few, t.rows)))) for t in long]


def _edges(a: MapAnalysis, view: MapView, which: str) -> Table:
    return table(
        f"edges-{which}",
        f"Links of nearest neighbours: {view.title}",
        view.links.items(),
        col("Source", lambda e: a.texts[e[0][0]].id, text=True, json="source"),
        col("Target", lambda e: a.texts[e[0][1]].id, text=True, json="target"),
        col("Weight", "1", json="weight"),
        col("Type", lambda e: "undirected", text=True),
    )


def _distances(a: MapAnalysis, view: MapView, which: str) -> Table:
    columns = (Column("text", text=True), *(Column(t.id) for t in a.texts))
    rows = tuple((t.id, *own) for t, own in zip(a.texts, view.distances.tolist(), strict=True))
    return Table(f"distances-{which}", f"Distances: {view.title}", columns, rows)


def _rolling(r: Rolling, which: str) -> Table:
    return table(
        f"rolling-{which}",
        f"Rolling attribution: {r.title}",
        range(len(r.middle)),
        col("middle word", lambda s: int(r.middle[s]), json="middle"),
        *(
            col(f"rank {k}", list(own).__getitem__, text=True, json=f"rank_{k}")
            for k, own in enumerate(zip(*r.ranking, strict=True), start=1)
        ),
        *(
            col(f"distance to {name}", own.__getitem__, json=f"distance to {name}")
            for name, own in zip(r.authors, r.distances.T.tolist(), strict=True)
        ),
    )


def _sentences(a: MapAnalysis) -> Iterable[str]:
    if len(a.rolling) > 1:
        both = [
            one[0] if one[0] == other[0] else None
            for one, other in zip(*(r.ranking for r in a.rolling), strict=True)
        ]
        yield _hands("all words and masked alike", a.rolling[0], both)
    yield from _on_topic(a)
    counts = dict(zip(a.group.names, a.group.counts().tolist(), strict=True))
    own = [i for i, t in enumerate(a.texts) if counts.get(t.group or "", 0) > 1]
    if own:
        # Who has no name is nobody's neighbour.
        named = [i for i, t in enumerate(a.texts) if t.group]
        nearest = [_nearest(view, named) for view in a.views]
        alike = f"has the same {a.noun}" if a.spec.group_by else "is by the same author"
        alone = len(a.texts) - len(own)
        right = [sum(a.texts[i].group == a.texts[near[i]].group for i in own) for near in nearest]
        yield (
            f"The nearest text {alike} for {right[0]:,} of {len(own):,} texts with all words, "
            f"for {right[1]:,} with content words masked."
            + (NOT_MASKED if {*a.views[0].words} <= {*a.views[1].words} else "")
            + (
                f" {counted(alone, 'text')} left out of this count, because no other text has the"
                f" same {a.noun}."
                if alone
                else ""
            )
        )
    if "BCT" in a.spec.pictures:
        sizes = [len(view.clusters) for view in a.views]
        trees = (
            f"{a.spec.resamples} resampled word lists"
            if a.spec.resamples
            else counted(len(a.settings), "setting")
        )
        yield (
            f"The consensus of {trees} has {counted(sizes[0], 'cluster')} with all words "
            f"and {sizes[1]} with content words masked."
        )
    for r in a.rolling:
        yield _hands(r.title, r, [ranking[0] for ranking in r.ranking])
    own_name = next((t.author for t in a.texts if t.id == a.spec.rolling), None)
    if a.rolling and own_name is not None and own_name not in a.rolling[0].authors:
        yield (
            f"{own_name} is not a candidate, because there is no other text by {own_name} here. One"
            " author is always the nearest."
        )


def _hands(title: str, r: Rolling, nearest: Sequence[str | None]) -> str:
    """Who most slices are nearest to, and where another hand is: the middle words of its slices, the longest runs."""
    most = max(dict.fromkeys(name for name in nearest if name), key=nearest.count, default=None)
    runs = [(name, list(run)) for name, run in groupby(range(len(nearest)), nearest.__getitem__)]
    others = [(name, run) for name, run in runs if name not in (most, None)]
    longest = sorted(sorted(others, key=lambda one: -len(one[1]))[:RUNS], key=lambda one: one[1])
    where = [
        f"{name} at word {r.middle[run[0]]:,}"
        + (f" to {r.middle[run[-1]]:,} ({len(run):,})" if len(run) > 1 else "")
        for name, run in longest
    ]
    more = f", and {counted(len(others) - RUNS, 'shorter run')}" if len(others) > RUNS else ""
    rest = (
        f"another author is nearest: {'; '.join(where)}{more}"
        if others
        else "no other author is nearest anywhere"
    )
    return (
        f"Of {counted(len(nearest), 'slice')} of {r.size:,} words,"
        f" {nearest.count(most) if most else 0:,} are nearest to {most or 'the same author'}, with"
        f" {title}; {rest}."
    )


def _on_topic(a: MapAnalysis) -> Iterable[str]:
    share, near = (
        _score(a, ALL, m, by) for m, by in (("topic's share", "both"), ("nearness", "author"))
    )
    masked_share = _score(a, MASKED, "topic's share", "both")
    if all(t.topic is None for t in a.texts):
        yield (
            "The texts have no topics, so Raven cannot measure how much of the grouping is topic. "
            "The grouping that stays when content words are masked is the only evidence of style."
        )
    elif near.value is None:
        yield (
            "No author writes on two topics, so Raven cannot separate author and topic: the texts "
            "may group by either. The grouping that stays when content words are masked is "
            "better evidence of style."
        )
    elif share.value is None:
        yield (
            "The texts group so weakly by author and by topic that Raven cannot measure the share"
            f" of topic: nearness of authors {_told(near)}, of topics"
            f" {_told(_score(a, ALL, 'nearness', 'topic'))}."
        )
    else:
        after = _told(masked_share) if masked_share.value is not None else "too weak to measure"
        yield (
            f"Share of topic in the grouping of the texts: {_told(share)} with all words, "
            f"{after} with content words masked."
        )


def _score(a: MapAnalysis, title: str, measure: str, by: str) -> GroupingScore:
    return next(s for s in a.scores[title] if (s.measure, s.by) == (measure, by))


def _told(score: GroupingScore) -> str:
    between = "" if score.interval is None else " [{}, {}]".format(*map(figure, score.interval))
    return figure(score.value) + between


def stylo_call(a: MapAnalysis) -> str:
    """Return the call of stylo with the same settings, as far as stylo has them."""
    spec = a.spec
    words = a.spec.steps("mfw")
    culling = a.spec.steps("culling")
    kinds = [name for name in spec.pictures if name in ("CA", "BCT", "MDS", "PCV", "PCR", "tSNE")]
    given: dict[str, Any] = {
        "analysis.type": kinds[0] if kinds else "CA",
        "distance.measure": spec.distance_measure,
        "mfw.min": words[0],
        "mfw.max": words[-1],
        "mfw.incr": spec.mfw_incr,
        "culling.min": culling[0],
        "culling.max": culling[-1],
        "culling.incr": spec.culling_incr,
        "linkage": spec.linkage,
    }
    if spec.analyzed_features in ("w", "c"):
        given |= {"analyzed.features": spec.analyzed_features, "ngram.size": spec.ngram_size}
        given |= {"corpus.lang": spec.corpus_lang}
    else:  # stylo finds none of its own, and reads tables
        given |= {"frequencies": "tables/table_with_frequencies.txt"}
    if spec.sampling != "no":
        given |= {"sampling": f"{spec.sampling}.sampling", "sample.size": spec.sample_size}
    return call_of_r("stylo", given)
