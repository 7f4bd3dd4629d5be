"""``raven doctor``: says what is installed, what is missing, and how to get it.

In: this installation. Out: a list of ``HealthCheck``, one a line of the table, with its state and the command that
would mend it.

Nothing here downloads, and nothing heavy is imported to see whether it is there.
"""

from __future__ import annotations

import platform
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ravenbench.errors import install
from ravenbench.seams import CHECK_GROUP, absent_extensions, loaded

if TYPE_CHECKING:
    from rich.table import Table


State = Literal["ok", "missing", "wrong"]


@dataclass(frozen=True)
class HealthCheck:
    """One line of the doctor's table: what was looked at, how it stands, and the command that would mend it."""

    group: str
    name: str
    state: State
    detail: str
    fix: str = ""


EXTRAS = {
    "obfuscation": "rewriting texts: WordNet, inflection, chrF",
    "neural": "neural verifiers and sentence encoders",
    "masks": "masks by part of speech (POSNoise)",
    "documents": "HTML, Rich Text, PDF and Outlook messages as texts",
    "collections": "tables packed by Zstandard (zst)",
    "languages": "words of Thai, Lao, Khmer and Burmese; endings of agglutinating languages",
    "distributed": "Dask clusters and object stores",
    "docs": "building this documentation",
}
"""What each extra is for; what it installs is read from the package's own metadata."""

NLTK = {
    "wordnet": "English words and their relations, for rewriting and lemmas",
    "averaged_perceptron_tagger_eng": (
        "English parts of speech, for rewriting, raven map and contrast"
    ),
    "brown": "English texts of fifteen genres, for measures of rewriting",
}
"""NLTK's resources that Raven reads, and what for."""

PROGRAMS = {"bwrap": ("confines outside programs", "apt-get install bubblewrap")}


def look_over() -> list[HealthCheck]:
    """Every check but the self-test, in the order in which they are shown."""
    own = [*_machine(), _packages(), *_extensions(), *_extras(), *_data(), *_programs(), *_cache()]
    return [*own, *(HealthCheck(*seen) for each in loaded(CHECK_GROUP).values() for seen in each())]


def _extensions() -> Iterator[HealthCheck]:
    for name in sorted(absent_extensions()):
        fix = "pip install --force-reinstall --no-deps ravenbench"
        yield HealthCheck(
            "packages",
            f"extension {name}",
            "missing",
            "its folder was taken out of ravenbench/ext",
            fix,
        )


def _machine() -> Iterator[HealthCheck]:
    from ravenbench import __version__

    yield HealthCheck("machine", "raven", "ok", f"{__version__}, in {Path(__file__).parents[2]}")
    yield HealthCheck("machine", "Python", "ok", platform.python_version())


def _faults(extra: str) -> dict[str, tuple[State, str]]:
    """What an extra, or "" the package itself, asks for and is not here as it should be: by requirement, its state and
    what is to be said of it."""
    from packaging.requirements import Requirement

    faults: dict[str, tuple[State, str]] = {}
    for line in metadata.requires("ravenbench") or []:
        wanted = Requirement(line)
        marker = wanted.marker
        base = marker is None or marker.evaluate({"extra": ""})
        of_extra = marker is not None and not base and marker.evaluate({"extra": extra})
        if not (of_extra if extra else base):
            continue
        try:
            version = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            faults[f"{wanted.name}{wanted.specifier}"] = ("missing", wanted.name)
            continue
        if not wanted.specifier.contains(version, prereleases=True):
            problem = f"{wanted.name} {version} does not fit {wanted.specifier}"
            faults[f"{wanted.name}{wanted.specifier}"] = ("wrong", problem)
    return faults


def _packages() -> HealthCheck:
    faults = _faults("")
    if not faults:
        return HealthCheck("packages", "base", "ok", "all that Raven needs is installed")
    problems = "; ".join(detail for _, detail in faults.values())
    return HealthCheck(
        "packages", "base", "wrong", problems, f"pip install --upgrade {shlex.join(faults)}"
    )


def _extras() -> Iterator[HealthCheck]:
    for extra, purpose in EXTRAS.items():
        faults = _faults(extra)
        if not faults:
            yield HealthCheck("extras", extra, "ok", purpose)
            continue
        problems = ", ".join(detail for _, detail in faults.values())
        if "wrong" in dict(faults.values()):
            yield HealthCheck("extras", extra, "wrong", problems, install(extra))
        else:
            yield HealthCheck(
                "extras", extra, "missing", f"{purpose}; not installed: {problems}", install(extra)
            )


def _data() -> Iterator[HealthCheck]:
    from ravenbench.text.nltk_data import lies_here

    for name, purpose in NLTK.items():
        here = lies_here(name)
        shown = f"NLTK {name.removeprefix('averaged_perceptron_').removesuffix('_eng')}"
        fix = "" if here else f"python -m nltk.downloader {name}"
        yield HealthCheck("data", shown, "ok" if here else "missing", purpose, fix)


def _programs() -> Iterator[HealthCheck]:
    for program, (purpose, fix) in PROGRAMS.items():
        place = shutil.which(program)
        detail = f"{purpose}: {place}" if place else f"{purpose}; not found"
        yield HealthCheck(
            "outside programs", program, "ok" if place else "missing", detail, "" if place else fix
        )


def self_test() -> HealthCheck:
    """Perform the main job on a few made-up texts in a private folder, from corpus to page."""
    import ravenbench

    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="raven-doctor-") as folder:
        try:
            run = ravenbench.run(
                "synthetic(documents=400, authors=80, topics=8)",
                verifiers="char-ngram, style-only",
                topics=4,
                folds=2,
                pools=1,
                samplers="random",
                probe="transplant",
                out=Path(folder) / "run",
                workers=1,
            )
            page = ravenbench.write_report(run.store)
        except Exception as error:  # whatever fails is what the doctor is asked about
            return HealthCheck("self-test", "main job", "wrong", f"{type(error).__name__}: {error}")
        took = time.perf_counter() - started
        size = Path(str(page)).stat().st_size
    if run.errors:
        return HealthCheck("self-test", "main job", "wrong", run.errors[0])
    return HealthCheck(
        "self-test", "main job", "ok", f"a report of {size / 1000:,.0f} kB in {took:.0f} s"
    )


_MARKS = {"ok": "✓", "missing": "–", "wrong": "✗"}
_STYLES = {"ok": "green", "missing": "yellow", "wrong": "bold red"}


CACHED = (
    "corpora",
    "remarks",
    "tables",
    "embeddings",
    "vectors",
    "fetched",
    "near-words",
    "language-models",
)
"""Folders within the cache folder that are made again when they are needed. What others hold, such as answers of
translators and trained networks, may have cost hours or money: nothing removes it but a person."""


def _cache() -> Iterator[HealthCheck]:
    from ravenbench.files import cache_folder

    sizes = [place.stat().st_size for place in cache_folder().rglob("*") if place.is_file()]
    if sizes:
        size = f"{sum(sizes) / 1e6:,.0f} MB in {cache_folder()}"
        fix = "raven doctor --clear-cache removes what is made again when it is needed"
        yield HealthCheck("kept to be quick", "cache", "ok", size, fix)


def clear_cache() -> list[str]:
    """Remove what is made again when it is needed, and return its names; the command that reads it now may fail."""
    from ravenbench.files import cache_folder

    present = [name for name in CACHED if (cache_folder() / name).is_dir()]
    for name in present:
        shutil.rmtree(cache_folder() / name, ignore_errors=True)
    return present


def command(
    clear: Annotated[
        bool,
        typer.Option("--clear-cache", help="Remove what is kept to be quick, and do nothing else."),
    ] = False,
    test: Annotated[
        bool, typer.Option(help="Also perform the main job on a few made-up texts.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Check this installation: packages, extras, data and outside programs, and how to get what is missing.

    Nothing is downloaded, and nothing that is missing is an error: the base installation is enough for the main job.
    The exit code is 1 where something that is installed does not fit or does not work.

        raven doctor

        raven doctor --test      also performs the main job on a few made-up texts, in about ten seconds
    """
    from ravenbench.cli.show import console, print_json, say

    if clear:
        gone = clear_cache()
        (
            print_json({"removed": gone})
            if json
            else say(f"removed: {', '.join(gone) or 'nothing was kept'}")
        )
        return
    checks = [*look_over(), *([self_test()] if test else [])]
    wrong = [check for check in checks if check.state == "wrong"]
    if json:
        print_json({"ok": not wrong, "checks": [asdict(check) for check in checks]})
    else:
        out = console()
        for group in dict.fromkeys(check.group for check in checks):
            out.print(group, style="bold")
            out.print(
                _table([check for check in checks if check.group == group]),
                width=min(out.width, 80),
            )
        fits = f"everything that is installed {'works' if test else 'fits'}; start with: raven run"
        say(f"{len(wrong)} of {len(checks)} do not work" if wrong else fits)
    if wrong:
        raise typer.Exit(1)


def _table(checks: list[HealthCheck]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    table.add_column(width=1)
    table.add_column(width=17, overflow="fold")
    table.add_column(overflow="fold")
    for check in checks:
        line = Text(check.detail)
        if check.fix:
            line.append(f"\n{check.fix}", style="cyan")
        table.add_row(Text(_MARKS[check.state], style=_STYLES[check.state]), check.name, line)
    return table
