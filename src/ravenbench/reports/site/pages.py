"""The pages of a site, as text by address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from ravenbench import __version__
from ravenbench.reports.page import render
from ravenbench.reports.site.records import Board, Number, Standing, slugs
from ravenbench.reports.view import figure, to_html

TITLES = {"auc": "AUC", "c@1": "c@1", "overall": "overall", "final": "AUC · c@1", "accuracy": "accuracy"}


def site_pages(title: str, boards: Sequence[Board]) -> dict[str, str]:
    """Every page by its address: ``index.html``, ``boards/…``, their folds ``boards/KEY/…``, ``systems/…``."""
    names = sorted({s.system for board in boards for s in board.standings if s.tie is not None or s.loss})
    systems = slugs(names)
    common: dict[str, Any] = {"site": title, "number": figure, "shown": with_interval, "titles": TITLES, "mark": mark}
    pages = {
        "index.html": render(
            "site_index.html.j2",
            **common,
            root="",
            boards=boards,
            systems=[(name, systems[name], _profile(name, boards)) for name in names],
            version=__version__,
        )
    }
    for board in boards:
        folds = slugs([fold.name for fold in board.folds])
        pages[f"boards/{board.key}.html"] = render(
            "site_board.html.j2",
            **common,
            root="../",
            board=board,
            systems=systems,
            folds=folds,
            metrics=[m for m in TITLES if any(m in s.scores for s in board.standings)],
            attacks=list(dict.fromkeys(name for s in board.standings for name in s.loss)),
            tables=[to_html(table) for table in board.tables],
        )
        for fold in board.folds:
            pages[f"boards/{board.key}/{folds[fold.name]}.html"] = render(
                "site_fold.html.j2", **common, root="../../", board=board, fold=fold, table=to_html(fold.scores)
            )
    for name in names:
        pages[f"systems/{systems[name]}.html"] = render(
            "site_system.html.j2", **common, root="../", system=name, rows=_profile(name, boards)
        )
    return pages


def _profile(name: str, boards: Sequence[Board]) -> list[tuple[Board, Standing]]:
    return [(board, s) for board in boards for s in board.standings if s.system == name]


def with_interval(found: Number, signed: bool = False) -> Markup:
    """A figure with its interval behind it, in small."""
    if found.value is None:
        return Markup('<span class="na">n/a</span>')
    text = Markup("{}").format(figure(found.value, signed))
    if found.interval is None:
        return text
    low, high = (figure(end, signed) for end in found.interval)
    return text + Markup(' <span class="pm">[{}, {}]</span>').format(low, high)


def mark(found: Number) -> Markup:
    """A point on a line from 0 to 1 with its interval, drawn with .5 as a tick; nothing where there is no figure."""
    if found.value is None:
        return Markup("")
    low, high = found.interval or (found.value, found.value)
    ends = [f"{100 * min(1.0, max(0.0, end)):.1f}" for end in (low, found.value, high)]
    return Markup(
        '<svg class="mark-line" viewBox="0 0 100 12" role="img" aria-label="{}">'
        '<line x1="0" x2="100" y1="6" y2="6" class="axis"/><line x1="50" x2="50" y1="3" y2="9" class="axis"/>'
        '<line x1="{}" x2="{}" y1="6" y2="6" class="range"/><circle cx="{}" cy="6" r="3"/></svg>'
    ).format(figure(found.value), ends[0], ends[2], ends[1])
