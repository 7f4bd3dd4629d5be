"""``ravenbench.site``: boards from folders, and their pages in a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ravenbench.errors import InputError
from ravenbench.files import location, write_text
from ravenbench.formats.output import check_folder
from ravenbench.reports.report import write_whole
from ravenbench.reports.site.collect import boards, takes_answers
from ravenbench.reports.site.pages import site_pages
from ravenbench.reports.site.records import slugs

MOST = 300_000
"""Bytes that no page should exceed."""


def site(
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    title: str = "Authorship verification",
    submitted: Mapping[str, str | Path] | None = None,
) -> Path:
    """Write a static site of runs and evaluations; an earlier one at the same place is replaced when it is whole.

    Parameters
    ----------
    runs : sequence of paths
        Folders of ``raven run``, ``pan14`` and ``safety``, and folders written by ``raven evaluate --out``. Runs of
        other verifiers over the same folds share a leaderboard.
    out : path
        The site's folder.
    title : str
        What stands on top.
    submitted : mapping of str to path, optional
        Answers of systems that were run elsewhere, by name: a folder that holds, for each run by its folder's name (or
        for the only run directly), ``FOLD/answers.jsonl`` for the folds that ``raven export`` wrote.

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
        raise InputError("a site needs at least one run", expected="folders of raven run, pan14, safety or evaluate")
    for place in places:
        if not place.is_dir():
            raise InputError("there is no such folder", file=place)
    names = [place.resolve().name for place in places]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError("two runs have folders of one name", found=repeated, fix="rename one")
    check_folder(out, inputs=[*places, *(submitted or {}).values()], kind="site")
    addresses = slugs(names)
    given = {addresses[name]: _for(name, submitted or {}, only=len(places) == 1) for name in names}
    taking = {addresses[name]: takes_answers(place) for place, name in zip(places, names, strict=True)}
    _check_shown(submitted or {}, given, taking, names)
    found = boards({addresses[name]: place for place, name in zip(places, names, strict=True)}, given)
    pages = site_pages(title, found)

    def write(folder: Path) -> None:
        for address, text in pages.items():
            (folder / address).parent.mkdir(parents=True, exist_ok=True)
            write_text(folder / address, text)
        for one in found:
            for name, text in one.downloads.items():
                (folder / "downloads" / one.key).mkdir(parents=True, exist_ok=True)
                write_text(folder / "downloads" / one.key / name, text)

    return write_whole(location(out), write, "site")


def _check_shown(
    submitted: Mapping[str, str | Path], given: Mapping[str, Mapping[str, Path]], taking: Mapping[str, bool],
    names: Sequence[str],
) -> None:  # fmt: skip
    """Refuse answers that would stand on no board: of no run here, or of one whose board takes none."""
    for name, folder in submitted.items():
        found = [key for key, systems in given.items() if name in systems]
        if not found:
            raise InputError(
                f"the answers of {name} belong to no run of this site", file=folder,
                expected=" or ".join(f"{Path(folder) / run}/FOLD/answers.jsonl" for run in names),
                fix="name the folder within after the run whose folds it answers",
            )  # fmt: skip
        if refused := [key for key in found if not taking[key]]:
            raise InputError(
                f"the board of {refused[0]} takes no answers from outside", file=folder,
                expected="a run of raven run or pan14", fix="raven evaluate judges other answers",
            )  # fmt: skip


def _for(run: str, submitted: Mapping[str, str | Path], only: bool) -> dict[str, Path]:
    found = {}
    for name, folder in submitted.items():
        place = Path(folder)
        if not place.is_dir():
            raise InputError("there is no such folder of answers", file=place)
        if (place / run).is_dir():
            found[name] = place / run
        elif only:
            found[name] = place
    return found
