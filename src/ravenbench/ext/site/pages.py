"""Makes leaderboards of any number of runs and evaluations as static pages in a folder (``ravenbench.site``).

In: ``site``: folders of runs and evaluations, a folder to write, and submissions by name (answers or a run's folder);
the others ``Board`` objects (from ``boards.boards``), ``Number`` figures or a folder. Out: ``site``: the path of the
site's first page; ``site_pages``: HTML by address; ``leaderboard``: a table; ``downloads``: texts of files by name;
``place``: a rank as text, 1 = best. Scores such as AUC and c@1 are from 0 to 1. InputError for folders or answers that
do not fit. ``with_interval`` and ``mark`` give a figure as HTML, ``answered_by_file`` True or False.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ravenbench import __version__
from ravenbench.errors import (
    InputError,
    SpecError,
    counted,
    first_names,
    remark,
    some,
)
from ravenbench.ext.site.boards import (
    MISLEADS,
    Board,
    BoardStanding,
    Submitted,
    boards,
    same_folds,
)
from ravenbench.ext.site.results import read_result
from ravenbench.files import location, write_text
from ravenbench.outputs import begins, check_folder
from ravenbench.papers import Paper, bibtex, cited_by
from ravenbench.reports.envelope import CONTENT_TYPE
from ravenbench.reports.outside import FILES, takes_answers
from ravenbench.reports.page import render, slugs
from ravenbench.reports.report import report_class, report_of, write_whole
from ravenbench.reports.seeds import runs_of_seeds
from ravenbench.reports.view import (
    Col,
    Number,
    Table,
    col,
    each,
    figure,
    interval_of,
    rows_json,
    table,
    to_csv,
    to_html,
    to_latex,
    value_of,
)
from ravenbench.statistics.ranks import shown_rank
from ravenbench.store.store import Store
from ravenbench.tasks.evaluate.api import is_run
from ravenbench.text.names import name_key
from ravenbench.types import Interval

TITLES = {
    MISLEADS: "AUC where topic misleads",
    "auc": "AUC",
    "c@1": "c@1",
    "overall": "overall",
    "final": "AUC · c@1",
    "accuracy": "accuracy",
}

MOST = 300_000
"""Most bytes that a page should have."""


def site_pages(title: str, boards: Sequence[Board], papers: Sequence[Paper] = ()) -> dict[str, str]:
    """Return the HTML of every page by its address: ``index.html``, ``boards/…``, their folds ``boards/KEY/…``,
    ``systems/…``."""
    names = sorted(
        {
            s.system
            for board in boards
            for s in board.standings
            if s.tie is not None or s.loss or s.mark
        }
    )
    systems = slugs(names)
    common: dict[str, Any] = {
        "site": title,
        "number": figure,
        "shown": with_interval,
        "place": place,
        "titles": (
            titles := TITLES | {key: name for board in boards for key, name in board.titles.items()}
        ),
        "mark": mark,
    }
    pages = {
        "index.html": render(
            "ravenbench.ext.site:index.html.j2",
            **common,
            root="",
            boards=boards,
            addresses=systems,
            systems=[(name, systems[name], _profile(name, boards)) for name in names],
            version=__version__,
            papers=papers,
            contents_to_the_end=True,
        )
    }
    for board in boards:
        folds = slugs([fold.name for fold in board.folds])
        pages[f"boards/{board.key}.html"] = render(
            "ravenbench.ext.site:board.html.j2",
            **common,
            root="../",
            board=board,
            systems=systems,
            folds=folds,
            metrics=[m for m in titles if any(m in s.scores for s in board.standings)],
            attacks=_attacks(board),
            downloads=list(downloads(board)),
            parts=[to_html(table) for table in board.tables],
        )
        for fold in board.folds:
            pages[f"boards/{board.key}/{folds[fold.name]}.html"] = render(
                "ravenbench.ext.site:fold.html.j2",
                **common,
                root="../../",
                board=board,
                fold=fold,
                table=to_html(fold.scores),
            )
    for name in names:
        pages[f"systems/{systems[name]}.html"] = render(
            "ravenbench.ext.site:system.html.j2",
            **common,
            root="../",
            system=name,
            rows=_profile(name, boards),
        )
    return pages


def _profile(name: str, boards: Sequence[Board]) -> list[tuple[Board, BoardStanding]]:
    return [(board, s) for board in boards for s in board.standings if s.system == name]


def with_interval(estimate: Number, signed: bool = False) -> Markup:
    """Return a figure, followed by its interval in small type."""
    if estimate.value is None:
        return Markup('<span class="na">n/a</span>')
    text = Markup("{}").format(figure(estimate.value, signed))
    if estimate.interval is None:
        return text
    low, high = (figure(end, signed) for end in estimate.interval)
    return text + Markup(' <span class="pm">[{}, {}]</span>').format(low, high)


def _value(metric: str, standing: BoardStanding) -> float | None:
    return value_of(standing.scores.get(metric))


def _interval(metric: str, standing: BoardStanding) -> Interval | None:
    return interval_of(standing.scores.get(metric))


def leaderboard(board: Board) -> Table:
    """Return a leaderboard as a table to download."""
    titles = TITLES | dict(board.titles)
    metrics = [m for m in titles if any(m in s.scores for s in board.standings)]
    cols: list[Col[BoardStanding]] = []
    for m in metrics:
        cols.append(col(titles[m], partial(_value, m), json=m))
        cols.append(col(f"{titles[m]} interval", partial(_interval, m), json=f"{m}_interval"))
    return table(
        "leaderboard",
        board.title,
        board.standings,
        col("system", "system", text=True, json="system"),
        col("rank", lambda s: place(board, s), json="rank"),
        *cols,
        *(
            ()
            if board.kind == "safety" or board.about
            else (col("unanswered", "open", json="unanswered"),)
        ),
        *each(
            _attacks(board),
            lambda a: f"impact of {a}",
            lambda s, a: value_of(s.loss.get(a)),
            json=str,
        ),
        col("stated by", "mark", text=True, json="stated_by"),
        col("made with", board.made_with, text=True, json="made_with"),
        col(None, "submitted", json="submitted"),
    )


def _attacks(board: Board) -> list[str]:
    return list(dict.fromkeys(name for s in board.standings for name in s.loss))


def downloads(board: Board) -> dict[str, str]:
    """Return files of a leaderboard by name: for spreadsheets, LaTeX and JSON, and its provenance."""
    shown = leaderboard(board)
    return {
        "leaderboard.csv": to_csv(shown),
        "leaderboard.tex": to_latex(shown),
        "leaderboard.json": json.dumps(rows_json(shown), indent=1),
        **board.downloads,
    }


def place(board: Board, standing: BoardStanding) -> str:
    """Return the rank of a system on a leaderboard as text, ``5=`` if others have the same rank."""
    return shown_rank(standing.tie, [s.tie for s in board.standings])


def mark(estimate: Number) -> Markup:
    """Draw a point with its interval on a line from 0 to 1, with a tick at .5; empty if there is no figure."""
    if estimate.value is None:
        return Markup("")
    low, high = estimate.interval or (estimate.value, estimate.value)
    ends = [f"{100 * min(1.0, max(0.0, end)):.1f}" for end in (low, estimate.value, high)]
    return Markup(
        '<svg class="mark-line" viewBox="0 0 100 12" role="img" aria-label="{}"><line x1="0"'
        ' x2="100" y1="6" y2="6" class="axis"/><line x1="50" x2="50" y1="3" y2="9"'
        ' class="axis"/><line x1="{}" x2="{}" y1="6" y2="6" class="range"/><circle cx="{}" cy="6"'
        ' r="3"/></svg>'
    ).format(figure(estimate.value), ends[0], ends[2], ends[1])


def site(
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    title: str = "Authorship verification",
    submitted: Mapping[str, str | Path] | None = None,
    public: Sequence[Path] = (),
    withdrawn: Collection[str] = (),
) -> Path:
    """Write a static site of runs and evaluations; it replaces an earlier site when it is complete.

    Parameters
    ----------
    runs : sequence of paths
        Folders of ``raven run``, ``pan14``, ``safety``, ``retrieve`` and of any task whose report compares methods, and
        folders written by ``raven evaluate --out``. Runs of other verifiers over the same folds have one leaderboard.
    out : path
        Folder for the site.
    title : str
        Heading of every page.
    submitted : mapping of str to path, optional
        Submissions by name: the folder of a run or a search over the same data; or a folder of answers with
        ``FOLD/answers.jsonl`` for the folds that ``raven export`` wrote, in a folder for each leaderboard (or directly,
        if there is only one). For an evaluation that kept its answers: a file or a folder of answers. For a search: a
        file of rankings. Or a result file of ``raven export --result`` over the folds of a run.
    public : sequence of paths
        Public keys: the owner of one of them must have signed each result file. Without them Raven uses the keys that
        the files name.
    withdrawn : collection of str
        Systems that keep their rows without a rank.

    Returns
    -------
    Path
        The first page.

    Raises
    ------
    InputError
        If a folder cannot be used, or answers are not valid: the site is then not written.
    """
    places = [Path(place) for place in runs]
    if not places:
        raise InputError(
            "raven site needs at least one run",
            expected="folders of raven run, retrieve, evaluate …",
        )
    if missing := [place for place in places if not place.is_dir()]:
        raise InputError("folder not found", file=missing[0])
    names = [place.resolve().name for place in places]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(
            "the folders of two runs have the same name",
            found=", ".join(
                str(place) for place, name in zip(places, names, strict=True) if name == repeated
            ),
            expected="each run once, each in a folder with a different name",
            fix=(
                "give each run once; if there are two runs, rename one folder, because the site "
                "names each run after its folder"
            ),
        )
    late = {name: Path(place) for name, place in (submitted or {}).items()}
    check_folder(out, inputs=[*places, *late.values(), *public], kind="site")
    by_address = dict(zip(slugs(names).values(), places, strict=True))
    results = [
        read_result(name, file, public)
        for name, file in late.items()
        if file.is_file() and begins(file, CONTENT_TYPE.encode())
    ]
    for one in results:
        del late[one.name]
    all_boards = boards(by_address, _submissions(by_address, late), results)
    if unknown := {*withdrawn} - {s.system for board in all_boards for s in board.standings}:
        raise SpecError("no leaderboard has this system", found=first_names(sorted(unknown)))
    all_boards = [_without(withdrawn, board) for board in all_boards]
    remark(
        f"{s.system} has no answer to {s.missing:,} of the {counted(board.problems, 'problem')} of "
        f"{board.title}; these count as unanswered"
        for board in all_boards
        for s in board.standings
        if s.missing
    )
    remark(_alike(all_boards))
    _check_kept(location(out), all_boards)
    papers = list(dict.fromkeys(paper for place in places for paper in _papers(place)))
    pages = site_pages(title, all_boards, papers)

    def write(folder: Path) -> None:
        for address, text in pages.items():
            (folder / address).parent.mkdir(parents=True, exist_ok=True)
            write_text(folder / address, text)
        write_text(folder / "references.bib", bibtex(papers))
        for one in all_boards:
            for name, text in downloads(one).items():
                (folder / "downloads" / one.key).mkdir(parents=True, exist_ok=True)
                write_text(folder / "downloads" / one.key / name, text)

    return write_whole(location(out), write, "site")


def _check_kept(out: Path, boards: Sequence[Board]) -> None:
    """InputError if the site that is there has a submission which no board has now, or cannot be read."""
    before = set[str]()
    for file in out.glob("downloads/*/leaderboard.json"):
        try:
            rows = json.loads(file.read_text(encoding="utf-8"))
            before |= {str(row["system"]) for row in rows if row.get("submitted")}
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            fix = "remove the folder first, then give all submissions again"
            raise InputError(
                "this file is not a leaderboard written by raven site", file=file, fix=fix
            ) from error
    if gone := sorted(before - {s.system for board in boards for s in board.standings}):
        raise InputError(
            "the existing site has submissions that are missing from this command",
            file=out,
            found=first_names(gone),
            fix=f"give them again (--submit {gone[0]}=PLACE), or remove the folder first",
        )


def _without(names: Collection[str], board: Board) -> Board:
    """A board whose withdrawn systems are last and have no rank. A rank counts the systems above: reports of earlier
    versions number groups without gaps."""
    ties = sorted(s.tie for s in board.standings if s.tie and s.system not in names)
    rows = [
        replace(s, tie=None, mark="; ".join(filter(None, ("withdrawn", s.mark))))
        if s.system in names
        else replace(s, tie=s.tie and ties.index(s.tie) + 1)
        for s in sorted(board.standings, key=lambda s: s.system in names)
    ]
    return replace(board, standings=tuple(rows))


def _alike(boards: Sequence[Board]) -> list[str]:
    """Sentences on systems that may be one, under names in two spellings, and on boards of the same results."""
    spelt = defaultdict[str, set[str]](set)
    made = defaultdict[object, list[str]](list)
    for board in boards:
        for s in board.standings:
            spelt[name_key(s.system)].add(s.system)
        if board.data:
            made[
                board.data, frozenset((s.system, board.made_with(s)) for s in board.standings)
            ].append(board.title)
    said: dict[str, Mapping[Any, Collection[str]]] = {
        "systems whose names differ only in spelling": spelt,
        "the same results are on several leaderboards": made,
    }
    groups = {
        what: [" / ".join(sorted(of)) for of in each.values() if len(of) > 1]
        for what, each in said.items()
    }
    return [f"{what}: {first_names(of)}" for what, of in groups.items() if of]


def _papers(place: Path) -> list[Paper]:
    """What whoever uses the board of a run or an evaluation cites."""
    place = next(iter(runs_of_seeds(place)), place)
    run = (place / "run.json").is_file()
    return report_of(Store.open(place)).papers() if run else cited_by("evaluate", {}, [])


def _submissions(
    places: Mapping[str, Path], submitted: Mapping[str, Path]
) -> dict[str, dict[str, Path]]:
    """Where the submissions to each board lie; one that would stand on no board is refused."""
    folders: dict[str, dict[str, Path]] = {key: {} for key in places}
    for name, folder in submitted.items():
        if not folder.exists():
            raise InputError("file or folder of answers not found", file=folder)
        if is_run(folder):
            folders[_board_of(folder, name, places)][name] = folder
            continue
        within = {key: folder / place.resolve().name for key, place in places.items()}
        judged = [
            key for key, place in places.items() if folder.is_file() and answered_by_file(place)
        ]
        for key, place in within.items():
            if place.is_dir() or len(places) == 1 or judged == [key]:
                folders[key][name] = place if place.is_dir() else folder
        rest = [
            file
            for key in within
            if name in folders[key] and folders[key][name].is_dir()
            for file in _beside(folders[key][name])
        ]
        remark(
            [f"Raven did not read other files next to the answers of {name}: {some(rest)}"]
            * bool(rest)
        )
        answered = [key for key in places if name in folders[key]]
        if not answered:
            raise InputError(
                f"the answers of {name} do not belong to any run of this site",
                file=folder,
                expected=" or ".join(f"{place}/FOLD/answers.jsonl" for place in within.values()),
                fix=(
                    "give the inner folder the name of the run that it answers; a file answers the"
                    " only evaluation"
                ),
            )
        for key in answered:
            if is_run(places[key]) and not takes_answers(kind := Store.open(places[key]).kind):
                raise InputError(
                    f"the leaderboard of {key} accepts no answers from outside",
                    file=folder,
                    expected=f"the folder of raven {kind} with the same data",
                )
    return folders


def _beside(folder: Path) -> list[str]:
    """Files in folders of answers that are none, or are none of this fold."""
    read = {
        places[0]
        for one in (folder, *folder.iterdir())
        if (places := [one / n for n in FILES if (one / n).is_file()])
    }
    tables = {one.parent for one in read}
    return [
        str(one.relative_to(folder))
        for place in tables
        for one in place.iterdir()
        if one.is_file() and one not in read
    ]


def answered_by_file(place: Path) -> bool:
    """Return whether answers to this folder are one file: for an evaluation, or a search."""
    return not is_run(place) or hasattr(report_class(Store.open(place).kind), "read_answers")


def _board_of(folder: Path, name: str, places: Mapping[str, Path]) -> str:
    """The board that a submitted run joins. InputError if there is none, or it is not complete, or brings nothing."""
    run = Store.open(folder)
    here = [(k, Store.open(place)) for k, place in places.items() if is_run(place)]
    key, base = next(((key, store) for key, store in here if same_folds(store, run)), (None, None))
    if key is None or base is None:
        raise InputError(
            f"{name} does not fit any leaderboard of this site",
            file=folder,
            found=f"a folder of raven {run.kind} with other data or other options",
            expected=("a run or search with the same data and options, but other methods"),
        )
    if left := run.unanswered():
        raise InputError(
            f"{name} has no results for {counted(len(left), 'cell')}",
            file=folder,
            fix=f"repeat raven {run.kind}",
        )
    if not Submitted(folder, name, base).names:
        raise InputError(f"{name} has no method that {key} lacks", file=folder, fix="leave it out")
    return key
