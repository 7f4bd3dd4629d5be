"""``raven doctor``: shows what is installed, what is missing, and how to get it.

In: this installation; ``shown``: checks; ``command``: options of the command line.
Out: ``look_over`` yields ``HealthCheck``s, each with its state (ok, missing, wrong) and the command that repairs it;
``self_test`` one; ``clear_cache`` the names of the folders removed; ``shown`` tables for a terminal; ``command`` prints
these, with exit code 1 if something that is installed is wrong.

Nothing is downloaded, and no large package is imported to see whether it is installed.
"""

from __future__ import annotations

import platform
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from importlib import metadata
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import typer

from ravenbench.errors import install
from ravenbench.seams import CHECK_GROUP, absent_extensions, loaded
from ravenbench.text.nltk_data import TAGGER, get, missing

State = Literal["ok", "missing", "wrong"]


class HealthCheck(NamedTuple):
    """One line of the doctor's table: what was checked, its state, and the command that repairs it."""

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
    "signed": "signatures of results",
    "window": "Raven in the browser",
    "docs": "building this documentation",
}
"""The purpose of each extra; what it installs is read from the package's metadata."""

NLTK = {
    "wordnet": ("wordnet", "English words and their relations, for rewriting and lemmas"),
    "tagger": (TAGGER, "English parts of speech, for rewriting, raven map and contrast"),
    "brown": ("brown", "English texts of fifteen genres, for measures of rewriting"),
}
"""NLTK's resources that Raven reads, with their purpose."""


def look_over() -> Iterator[HealthCheck]:
    """Yield every check except the self-test, in the order in which they are shown."""
    from ravenbench import __version__
    from ravenbench.files import cache_folder

    where = f"{__version__}, in {Path(__file__).parents[2]}"
    yield HealthCheck("machine", "raven", "ok", f"{where}; Python {platform.python_version()}")
    yield _packages("", "what Raven always needs")
    for name in sorted(absent_extensions()):
        gone = "its folder was removed from ravenbench/ext"
        fix = "pip install --force-reinstall --no-deps ravenbench"
        yield HealthCheck("packages", f"extension {name}", "missing", gone, fix)
    for extra, purpose in EXTRAS.items():
        yield _packages(extra, purpose)
    for name, (resource, purpose) in NLTK.items():
        yield presence("data", f"NLTK {name}", missing(resource) is None, purpose, get(resource))
    here = shutil.which("bwrap") is not None
    fix = "apt-get install bubblewrap"
    yield presence("outside programs", "bwrap", here, "confines outside programs", fix)
    for checks in loaded(CHECK_GROUP).values():
        yield from (HealthCheck(*seen) for seen in checks())
    size = sum(place.stat().st_size for place in cache_folder().rglob("*") if place.is_file())
    caches = f"{size / 1e6:,.0f} MB in {cache_folder()}; raven doctor --clear-cache frees space"
    yield HealthCheck("stored for speed", "caches", "ok", caches)


def presence(group: str, name: str, here: bool, purpose: str, fix: str) -> HealthCheck:
    """Return the check of something optional that is installed or not."""
    if here:
        return HealthCheck(group, name, "ok", purpose)
    return HealthCheck(group, name, "missing", purpose, fix)


def _packages(extra: str, purpose: str) -> HealthCheck:
    """Whether the packages that an extra, or "" Raven itself, asks for are here and fit."""
    from packaging.requirements import Requirement

    state: State = "missing" if extra else "wrong"
    faults: dict[str, str] = {}
    for wanted in map(Requirement, metadata.requires("ravenbench") or []):
        marker = wanted.marker
        if not (marker.evaluate({"extra": extra}) if marker else not extra):
            continue
        requirement = f"{wanted.name}{wanted.specifier}"
        try:
            version = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            faults[requirement] = f"{wanted.name} is not installed"
            continue
        if not wanted.specifier.contains(version, prereleases=True):
            faults[requirement] = f"{wanted.name} {version} does not fit {wanted.specifier}"
            state = "wrong"
    seen = ("extras", extra) if extra else ("packages", "base")
    if not faults:
        return HealthCheck(*seen, "ok", purpose)
    fix = install(extra) if extra else f"pip install --upgrade {shlex.join(faults)}"
    return HealthCheck(*seen, state, "; ".join([purpose, *faults.values()]), fix)


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
            ravenbench.write_report(run.store)
        except Exception as error:  # whatever fails is what the doctor is asked about
            return HealthCheck("self-test", "main job", "wrong", f"{type(error).__name__}: {error}")
        took = time.perf_counter() - started
    if run.errors:
        return HealthCheck("self-test", "main job", "wrong", run.errors[0])
    return HealthCheck("self-test", "main job", "ok", f"made-up texts to a report in {took:.0f} s")


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
"""Folders in the cache folder that Raven makes again when needed. The content of other folders, such as answers of
translators and trained networks, may have cost hours or money: Raven never removes it."""


def clear_cache() -> list[str]:
    """Remove what Raven can make again, and return its names; a command that reads it now may fail."""
    from ravenbench.files import cache_folder

    present = [name for name in CACHED if (cache_folder() / name).is_dir()]
    for name in present:
        shutil.rmtree(cache_folder() / name, ignore_errors=True)
    return present


def command(
    clear: Annotated[
        bool,
        typer.Option("--clear-cache", help="Only remove what Raven stores for speed."),
    ] = False,
    test: Annotated[
        bool, typer.Option(help="Also perform the main job on a few made-up texts.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Check this installation: packages, extras, data and outside programs, and how to get what is missing.

    Raven downloads nothing, and nothing that is missing is an error: the base installation is enough for the main job.
    The exit code is 1 if something that is installed does not fit or does not work.

        raven doctor

        raven doctor --test      also performs the main job on a few made-up texts, in about ten seconds
    """
    from ravenbench.cli.show import print_json, print_parts, say

    if clear:
        gone = clear_cache()
        if json:
            print_json({"removed": gone})
        else:
            say(f"removed: {', '.join(gone) or 'nothing was stored'}")
        return
    checks = [*look_over(), *([self_test()] if test else [])]
    wrong = sum(check.state == "wrong" for check in checks)
    if json:
        print_json({"ok": not wrong, "checks": [check._asdict() for check in checks]})
    else:
        fits = f"everything that is installed {'works' if test else 'fits'}; start with: raven run"
        finding = f"{wrong} of {len(checks)} with a problem" if wrong else fits
        print_parts(shown(checks), finding=finding)
    if wrong:
        raise typer.Exit(1)


TONES = {"ok": "green", "missing": "yellow", "wrong": "bold red"}


def shown(checks: list[HealthCheck]) -> list[Any]:
    """Return what the terminal shows: all checks, and the commands that install missing parts."""
    from ravenbench.reports.view import Toned, col, for_terminal, table

    name = col("part", itemgetter(1), text=True)
    state = col(
        "state", itemgetter(2), text=True, show=lambda state: Toned.of(state, TONES.get(state, ""))
    )
    purpose = col("what it is", itemgetter(3), text=True)
    every = table("checks", "This installation", checks, name, state, purpose)
    absent = [check for check in checks if check.fix]
    fix = col("command", itemgetter(4), text=True)
    fixes = table("fixes", "How to install what is missing", absent, name, fix)
    return [for_terminal(each) for each in (every, fixes) if each.rows]
