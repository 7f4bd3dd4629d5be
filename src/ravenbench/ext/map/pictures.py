"""Draws the pictures of a map (how many texts group), each of all words and with content words masked.

In: a ``MapAnalysis`` of n texts.
Out: ``draw_map``: matplotlib figures by name (``CA-all``, ``CA-masked`` …); ``tree_parts``: by the same names, trees in
parts of 75 texts, where n is more (else none); ``draw_legend``: one figure.

An author has one colour and one sign in all figures, so that no figure depends only on colour. In the plane, up to
``NAMED`` texts are named if there is room; otherwise pointing at a sign shows the name. Trees name all texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.errors import counted
from ravenbench.ext.map.analysis import MapAnalysis, MapView, Rolling, short_names
from ravenbench.reports.page import COLORS, FAINT, INK, canvas, style, titled
from ravenbench.reports.view import printable, public
from ravenbench.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LOOKS = tuple(islice(zip(cycle(COLORS), cycle(MARKERS), strict=False), len(COLORS) * len(MARKERS)))
"""Six colours and seven signs: 42 pairs; neighbouring pairs differ in both."""
NAMED = 40
ROLLED = 6
"""Number of authors (the nearest) drawn along a text."""
WIDTH = 5.2
ROW = 0.155
FONT = 7.5
SHEET = 75
"""Number of texts of a tree that fit on a sheet of paper."""
LETTERS = 34
"""Number of letters of a name that fit on a leaf."""
STEPS = 200
BESIDE = (
    (5, 0, "left"),
    (-5, 0, "right"),
    (0, 8, "center"),
    (0, -8, "center"),
    (4, 7, "left"),
    (4, -7, "left"),
    (-4, 7, "right"),
    (-4, -7, "right"),
)
"""Places of a name next to its sign: distance in points, and the side of the name."""


def draw_map(a: MapAnalysis) -> dict[str, Figure]:
    """Return figures by name: stylo's ``analysis.type`` or ``rolling``, then ``all`` or ``masked``."""
    drawings = {}
    with style():
        looks = _Looks(a)
        for view, which in zip(a.views, ("all", "masked"), strict=True):
            for name in a.spec.pictures:
                draw: Callable[..., Figure] = {
                    "CA": _dendrogram,
                    "BCT": _consensus,
                    "network": _network,
                }.get(name, _plane)
                drawings[f"{name}-{which}"] = draw(a, view, looks, name)
        for rolling, which in zip(a.rolling, ("all", "masked"), strict=False):
            drawings[f"rolling-{which}"] = _rolling(rolling, looks)
    return {
        name: drawings[name]
        for name in sorted(
            drawings, key=lambda n: [*a.spec.pictures, "rolling"].index(n.split("-")[0])
        )
    }


def tree_parts(a: MapAnalysis) -> dict[str, list[Figure]]:
    """Return trees that are longer than a sheet of paper, in parts of ``SHEET`` texts, by the names of ``draw_map``."""
    parts = [
        range(first, min(first + SHEET, len(a.texts))) for first in range(0, len(a.texts), SHEET)
    ]
    trees = {"CA": _dendrogram, "BCT": _consensus}
    if len(parts) < 2:
        return {}
    with style():
        looks = _Looks(a)
        return {
            f"{name}-{which}": [trees[name](a, view, looks, name, part) for part in parts]
            for view, which in zip(a.views, ("all", "masked"), strict=True)
            for name in a.spec.pictures
            if name in trees
        }


def draw_legend(a: MapAnalysis) -> Figure:
    """Draw the legend of signs and colours for all figures."""
    with style():
        _Looks(a).legend(figure := canvas(WIDTH, 0.1, columns=0)[0])
    return figure


class _Looks:
    """Colour, sign and the line that pointing shows, of each text."""

    def __init__(self, a: MapAnalysis) -> None:
        counts = a.group.counts()
        ranked = sorted(range(len(counts)), key=lambda i: (-counts[i], a.group.names[i]))
        several = [i for i in ranked if counts[i] > 1] or ranked
        self.rolled = _rolled(a.rolling)
        self.of = {} if a.spec.group_by else dict(self.rolled)
        names = [name for i in several if (name := a.group.names[i]) not in self.of]
        self.of |= dict(
            zip(names, [look for look in LOOKS if look not in self.of.values()], strict=False)
        )
        self.rest = len(counts) - len(self.of)
        self.noun = a.noun
        self.names = short_names([t.id for t in a.texts])
        self.texts = [self.of.get(t.group or "", (FAINT, ".")) for t in a.texts]
        self.lines = [
            ", ".join(
                dict.fromkeys(
                    p for p in (t.id, t.author, t.group, t.topic, f"{t.words:,} words") if p
                )
            )
            for t in a.texts
        ]

    def mark(self, axes: Any, i: int, x: float, y: float, size: float = 5, **how: Any) -> None:
        color, marker = self.texts[i]
        (made,) = axes.plot(
            [x], [y], marker, color=color, markersize=size, markeredgewidth=0, clip_on=False, **how
        )
        titled(made, self.lines[i])

    def legend(self, figure: Figure) -> None:
        """What the signs stand for, below a figure, which grows by as much."""
        from matplotlib.lines import Line2D

        signs = [(_cut(name, 24), look) for name, look in self.of.items()]
        signs += [(counted(self.rest, f"more {self.noun}"), (FAINT, "."))] if self.rest else []
        handles = [
            Line2D([], [], linestyle="", marker=m, color=c, label=name) for name, (c, m) in signs
        ]
        columns = max(
            1, min(8, len(signs), 80 // (6 + max((len(name) for name, _ in signs), default=0)))
        )
        figure.set_figheight(figure.get_figheight() + 0.165 * -(-len(signs) // columns))
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=columns,
            fontsize=FONT,
            handletextpad=0.2,
        )


def _cut(name: str, most: int = LETTERS) -> str:
    name = public(printable(name))
    return name if len(name) <= most else f"{name[: most - 9]}…{name[-8:]}"


def _caption(view: MapView, name: str) -> str:
    return f"{name}: {view.title} ({len(view.words):,})"


def _leaves(
    a: MapAnalysis, looks: _Looks, order: Sequence[int], title: str, part: range | None
) -> tuple[Figure, Any]:
    """A figure whose right side names the texts in this order, or a part of them, and its axes for the tree."""
    part = part or range(len(order))
    first = part[0] == 0
    last = part[-1] == len(order) - 1
    height = 0.42 * last + 0.33 * first + ROW * len(part) + 0.001
    figure, _ = canvas(WIDTH, height, columns=0)
    figure.set_layout_engine("none")
    axes: Any = figure.add_axes((0.02, 0.42 * last / height, 0.55, ROW * len(part) / height))
    axes.set_ylim(part[-1] + 0.5, part[0] - 0.5)
    axes.set_title(title if first else "", loc="left", color=INK)
    axes.spines["bottom"].set_visible(last)
    axes.get_xaxis().set_visible(last)
    axes.spines["left"].set_visible(False)
    axes.set_yticks([])
    across = axes.get_yaxis_transform()
    for y in part:
        i = order[y]
        looks.mark(axes, i, 1.025, y, transform=across)
        name = axes.text(
            1.05, y, _cut(looks.names[i]), transform=across, va="center", fontsize=FONT
        )
        titled(name, looks.lines[i])
    return figure, axes


def _dendrogram(
    a: MapAnalysis, view: MapView, looks: _Looks, name: str, part: range | None = None
) -> Figure:
    from matplotlib.collections import LineCollection
    from scipy.cluster.hierarchy import dendrogram

    made = dendrogram(view.tree, no_plot=True)
    figure, axes = _leaves(a, looks, made["leaves"], _caption(view, "Dendrogram"), part)
    # scipy's leaves stand at 5, 15, 25 …
    lines = [
        np.column_stack([x, (np.array(y) - 5) / 10])
        for x, y in zip(made["dcoord"], made["icoord"], strict=True)
    ]
    axes.add_collection(LineCollection(lines, colors=INK, linewidths=0.8, capstyle="round"))
    axes.set_xlim(max(float(view.tree[:, 2].max()) * 1.02, 1e-9), 0)
    axes.set_xlabel(f"height ({a.spec.distance_measure}, {a.spec.linkage})", fontsize=FONT)
    axes.tick_params(labelsize=FONT)
    return figure


def _consensus(
    a: MapAnalysis, view: MapView, looks: _Looks, name: str, part: range | None = None
) -> Figure:
    from scipy.cluster.hierarchy import leaves_list

    place = {int(i): y for y, i in enumerate(leaves_list(view.tree))}
    everything = tuple(range(len(a.texts)))
    clusters = {everything: 1.0} | {c.members: c.support for c in view.clusters}
    children: dict[tuple[int, ...], list[tuple[int, ...]]] = {members: [] for members in clusters}
    above = [set(members) for members in clusters]
    order = list(clusters)
    for n, members in enumerate(order[1:], start=1):
        parent = next(k for k in range(n - 1, -1, -1) if above[k] >= above[n])
        children[order[parent]].append(members)
    leaves: list[int] = []
    segments = list[Any]()
    marks = list[tuple[float, float, float]]()

    def low(members: tuple[int, ...]) -> int:
        return min(place[i] for i in members)

    def depth(members: tuple[int, ...]) -> int:
        return 1 + max((depth(c) for c in children[members]), default=0)

    deepest = depth(everything)

    def put(members: tuple[int, ...], level: int) -> float:
        """Lines of a cluster and all within; returns where its own branch ends."""
        inner = children[members]
        alone = sorted(set(members).difference(*inner), key=lambda i: place[i])
        x = level / deepest
        ends = list[float]()
        for part in sorted([*inner, *((i,) for i in alone)], key=low):
            if part in clusters:
                y = put(part, level + 1)
                right = (level + 1) / deepest
            else:
                leaves.append(part[0])
                y = float(len(leaves) - 1)
                right = 1.0
            segments.append([(x, y), (right, y)])
            ends.append(y)
        segments.append([(x, min(ends)), (x, max(ends))])
        middle = (min(ends) + max(ends)) / 2
        if level:
            marks.append((x, middle, clusters[members]))
        return middle

    put(everything, 0)
    from matplotlib.collections import LineCollection

    figure, axes = _leaves(a, looks, leaves, _caption(view, "Consensus tree"), part)
    axes.add_collection(LineCollection(segments, colors=INK, linewidths=0.8, capstyle="round"))
    for x, y, support in marks:
        how = {"ha": "right", "va": "bottom", "fontsize": 6, "color": INK, "clip_on": True}
        axes.text(x - 0.006, y - 0.08, f"{100 * support:.0f}", **how)
    axes.set_xlim(-0.02, 1)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    return figure


def _plane(a: MapAnalysis, view: MapView, looks: _Looks, name: str) -> Figure:
    axis = {
        "MDS": "MDS",
        "NMDS": "Non-metric MDS",
        "PCV": "PCA, covariances",
        "PCR": "PCA, correlations",
        "tSNE": "t-SNE",
    }
    figure, axes = _scattered(a, looks, view.places[name], _caption(view, axis[name]))
    if name in view.explained:
        first, second = (f"{100 * share:.1f} %" for share in view.explained[name])
        axes.set_xlabel(f"first component, {first} of the variance", fontsize=FONT)
        axes.set_ylabel(f"second, {second}", fontsize=FONT)
    return figure


def _scattered(
    a: MapAnalysis, looks: _Looks, places: Floats, title: str, links: Any = ()
) -> tuple[Figure, Any]:
    """Texts in the plane, named where there is room, else with a legend of authors."""
    named = len(a.texts) <= NAMED
    figure, (axes,) = canvas(WIDTH, 4.6)
    axes.set_title(title, loc="left", color=INK)
    axes.set_xticks([])
    axes.set_yticks([])
    span = np.maximum(np.ptp(places, axis=0), 1e-9)
    low = places.min(axis=0) - 0.08 * span
    axes.set_xlim(low[0], low[0] + 1.16 * span[0])
    axes.set_ylim(low[1], low[1] + 1.16 * span[1])
    if links:
        from matplotlib.collections import LineCollection

        most = max(weight for *_, weight in links)
        lines = [(places[i], places[j]) for i, j, _ in links]
        widest, alpha = (2.2, 0.55) if named else (1.1, 0.3)
        widths = [0.2 + widest * weight / most for *_, weight in links]
        axes.add_collection(
            LineCollection(lines, colors=FAINT, linewidths=widths, alpha=alpha, zorder=0)
        )
    for i, (x, y) in enumerate(places):
        looks.mark(axes, i, x, y, 6 if named else 4.5)
    if named:
        _name(axes, looks, [_cut(name, 26) for name in looks.names], (places - low) / (1.16 * span))
    else:
        looks.legend(figure)
    return figure, axes


def _name(axes: Any, looks: _Looks, names: Sequence[str], at: Floats) -> None:
    """Write names beside their signs, where they cover nothing else, and none where there is no such place; ``at`` in
    shares of the axes."""
    from matplotlib.textpath import TextPath

    points = (at * (WIDTH * 72 - 20, 4.2 * 72)).tolist()
    boxes = [(x - 4, y - 4, x + 4, y + 4) for x, y in points]
    for i, name in sorted(enumerate(names), key=lambda pair: -at[pair[0], 1]):
        wide = TextPath((0, 0), name, size=FONT).get_extents().width + 1
        x, y = points[i]
        choices = []
        for dx, dy, side in BESIDE:
            left = x + dx - {"left": 0.0, "right": wide, "center": wide / 2}[side]
            box = (left, y + dy - FONT / 2, left + wide, y + dy + FONT / 2)
            over = 20 * (max(0.0, -box[0]) + max(0.0, box[2] - (WIDTH * 72 - 20)))
            for other in boxes[:i] + boxes[i + 1 :]:
                high = min(box[3], other[3]) - max(box[1], other[1])
                over += max(0.0, min(box[2], other[2]) - max(box[0], other[0])) * max(0.0, high)
            choices.append((over, dx, dy, side, box))
        over, dx, dy, side, box = min(choices, key=lambda choice: choice[0])
        if over > 0:
            continue
        boxes.append(box)
        text = axes.annotate(
            name,
            at[i],
            (dx, dy),
            xycoords="axes fraction",
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=FONT,
        )
        titled(text, looks.lines[i])


def _network(a: MapAnalysis, view: MapView, looks: _Looks, name: str) -> Figure:
    links = [(i, j, weight) for (i, j), weight in view.links.items()]
    return _scattered(
        a, looks, _pulled(view, len(a.texts)), _caption(view, "Nearest neighbours"), links
    )[0]


def _pulled(view: MapView, count: int) -> Floats:
    """Places of linked texts: links pull, all texts push each other away (Fruchterman & Reingold 1991)."""
    from ravenbench.ext.map.analysis import places_of

    at = places_of("MDS", view.distances, np.empty((count, 0)), 0)[0]
    at = at / max(float(np.abs(at).max()), 1e-12)
    pull = np.zeros((count, count))
    for (i, j), weight in view.links.items():
        pull[i, j] = pull[j, i] = weight
    pull /= max(float(pull.max()), 1e-12)
    ideal = 1.4 / np.sqrt(count)
    for step in range(STEPS):
        apart = at[:, None] - at[None, :]
        length = np.maximum(np.sqrt((apart**2).sum(axis=2)), 0.01 * ideal)
        force = ideal**2 / length**2 - pull * length / ideal
        np.fill_diagonal(force, 0)
        move = np.einsum("ijk,ij->ik", apart, force)
        size = np.maximum(np.sqrt((move**2).sum(axis=1, keepdims=True)), 1e-12)
        at = at + move / size * np.minimum(size, 0.12 * (1 - step / STEPS))
    return np.asarray(at)


def _drawn_authors(r: Rolling) -> list[str]:
    """Authors drawn along a text: those nearest to most slices."""
    first = [ranking[0] for ranking in r.ranking]
    away = r.distances.mean(axis=0)
    return sorted(r.authors, key=lambda name: (-first.count(name), away[r.authors.index(name)]))[
        :ROLLED
    ]


def _rolled(rolling: Sequence[Rolling]) -> dict[str, tuple[str, str]]:
    """A colour and a sign of each author drawn along a text, neither of them twice in one picture."""
    looks: dict[str, tuple[str, str]] = {}
    for r in rolling:
        drawn = _drawn_authors(r)
        for name in drawn:
            if name not in looks:
                used = {part for other in drawn for part in looks.get(other, ())}
                free = (
                    look for look in LOOKS if used.isdisjoint(look) and look not in looks.values()
                )
                looks[name] = next(free)
    return looks


def _rolling(r: Rolling, looks: _Looks) -> Figure:
    """Distances to the nearest authors along a text, and above them in whose hand each slice is."""
    figure, _ = canvas(WIDTH, 4.4, columns=0)
    above, axes = figure.subplots(2, 1, sharex=True, height_ratios=(1, 3))
    above.set_title(f"Rolling: {r.title}", loc="left", color=INK)
    first = [ranking[0] for ranking in r.ranking]
    near = _drawn_authors(r)
    shown = [one if one in near else "another" for one in first]
    rows = [*near, *(["another"] if "another" in shown else [])]
    for row, name in enumerate(rows):
        color, marker = looks.rolled.get(name, (FAINT, "."))
        own = [x for x, one in zip(r.middle, shown, strict=True) if one == name]
        above.plot(own, [row] * len(own), "|", color=color, markersize=5, markeredgewidth=1.2)
        if name in near:
            along = r.distances[:, r.authors.index(name)]
            axes.plot(
                r.middle,
                along,
                color=color,
                linewidth=1.1,
                marker=marker,
                markersize=3.5,
                markevery=(row, max(1, len(r.middle) // 12)),
                label=_cut(name, 24),
            )
    above.set_yticks(range(len(rows)), [_cut(name, 24) for name in rows], fontsize=6.5)
    above.set_ylim(len(rows) - 0.4, -0.6)
    above.set_ylabel("nearest", fontsize=FONT)
    above.tick_params(labelbottom=False, length=0)
    axes.set_xlabel("word", fontsize=FONT)
    axes.set_ylabel("distance to the author's mean text", fontsize=FONT)
    axes.tick_params(labelsize=FONT)
    figure.legend(loc="outside lower center", ncols=3, fontsize=FONT)
    return figure
