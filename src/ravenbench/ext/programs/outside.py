"""Takes texts that were rewritten elsewhere, from files or by running a program, and refuses what cannot be theirs.

In: ``Rewritings(folder)``: a folder or table of rewritings; ``Command(command)``: a command line (timeout in seconds
for all texts together); both take ``ObfuscationTask``s with the original texts; ``find``: a folder or table;
``objection``: two texts.
Out: ``rewrite`` a ``Rewriting`` (parts and counts of operations), ``rewrite_all`` one a text; ``find``: ``Found`` by id
(where it is, and its text or its file of parts); ``objection``: the reason or None. FormatError where one is empty, for
another text, in another language, or has 10 times more or fewer words (of 20 or more); InputError from ``fit`` where
rewritings or the program are missing, or rewritings too many; ProgramError where the program fails.

a folder    ID/obfuscation.json (PAN 2016), ID/obfuscated.txt, or a problem set's ID/unknown.txt
            ID.obfuscation.json or ID.json (PAN 2016), ID.txt, or the file ID itself
a table     .jsonl or .csv with the columns id and text; optionally original, or original_sha256
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self

from ravenbench.errors import FormatError, InputError, ProgramError
from ravenbench.ext.programs.process import Rules, arguments
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting, count_operations
from ravenbench.obfuscation.wording.words import is_no_longer_english
from ravenbench.programs import private_folder
from ravenbench.reading.archive import Archive, read_whole
from ravenbench.reading.pan_obfuscation import Part, read_parts
from ravenbench.reading.tabular import table_kind, table_rows
from ravenbench.text.alignment import plain_words
from ravenbench.types import Positive

LONGEST = 10
"""A rewriting with so many times the words of its original, or so few, is another text."""
_SHORT = 20
_NAMES = ("obfuscation.json", "obfuscated.txt", "unknown.txt")
_SUFFIXES = (".obfuscation.json", ".json", ".txt", "")


@dataclass(frozen=True)
class Found:
    """A rewriting as it was found: where, and its text or the file of its parts.

    ``original`` is the text, ``digest`` the SHA-256 of the text that it says it rewrites, where it says so.
    """

    place: str
    line: int | None = None
    text: str | None = None
    parts: Path | None = None
    original: str | None = None
    digest: str | None = None

    def read(self, original: str) -> tuple[Part, ...]:
        """Its parts, checked against the text that was rewritten.

        FormatError if it rewrites another text, is empty, far too long or short, in another language or no UTF-8.
        """
        other = "it rewrites another text"
        if self.original is not None and self.original.strip() != original.strip():
            raise FormatError(
                other,
                file=self.place,
                line=self.line,
                found=self.original[:80],
                expected=original[:80],
            )
        wanted = hashlib.sha256(original.encode()).hexdigest()
        if self.digest is not None and self.digest.lower() != wanted:
            raise FormatError(
                f"{other}: the hash differs",
                file=self.place,
                line=self.line,
                found=self.digest,
                expected=wanted,
            )
        if self.parts is not None:
            parts = read_parts(self.parts, original)
        else:
            assert self.text is not None
            parts = (
                Part(
                    0,
                    len(original),
                    original,
                    self.text,
                    ("rewrite",) if self.text != original else (),
                ),
            )
        fault = objection(original, "".join(part.obfuscation for part in parts))
        if fault is not None:
            raise FormatError(
                f"this is no rewriting of its text: {fault}", file=self.place, line=self.line
            )
        return parts


def objection(original: str, rewritten: str) -> str | None:
    """The reason why a text can be no rewriting of another, or None."""
    if "\0" in rewritten:
        return "it holds a NUL character"
    if not any(c.isalnum() for c in rewritten):
        return "it has no words"
    before = len(plain_words(original))
    after = len(plain_words(rewritten))
    if before >= _SHORT and not before / LONGEST < after < before * LONGEST:
        return f"it has {after:,} words where the original has {before:,}"
    if is_no_longer_english(original, rewritten):
        return "it is in another language, or in none"
    return None


def find(place: Path) -> dict[str, Found]:
    """Every rewriting of a folder or a table as ``Found``, by id.

    FormatError if this is no place for rewritings, or a table cannot be read.
    """
    if place.is_dir():
        rewritings = _of_folder(place)
    elif table_kind(place.name) is not None:
        rewritings = _of_table(place)
    else:
        raise FormatError(
            "no rewritings are here",
            file=place,
            expected=(
                "a folder with ID/obfuscation.json, ID.txt or a problem set, or a .csv or .jsonl"
                " with id and text"
            ),
        )
    return rewritings


def _of_folder(place: Path) -> dict[str, Found]:
    rewritings: dict[str, Found] = {}
    for file in sorted(p for p in place.rglob("*") if p.is_file()):
        inside = file.relative_to(place).as_posix()
        folder, _, name = inside.rpartition("/")
        if folder and name in _NAMES:
            if folder not in rewritings or _NAMES.index(name) < _NAMES.index(
                Path(rewritings[folder].place).name
            ):
                rewritings[folder] = _file(file)
            continue
        suffix = next(s for s in _SUFFIXES if inside.endswith(s))
        if (
            suffix == ""
            or inside in ("contents.json", "truth.txt")
            or name.startswith(("known", "same-author", "original"))
        ):
            continue
        known = rewritings.get(inside.removesuffix(suffix))
        # Parts say more than the text beside them.
        if known is None or known.parts is None:
            rewritings[inside.removesuffix(suffix)] = _file(file)
    return rewritings


def _file(file: Path) -> Found:
    if file.suffix == ".json":
        return Found(str(file), parts=file)
    return Found(str(file), text=read_whole(file))


def _of_table(place: Path) -> dict[str, Found]:
    rewritings: dict[str, Found] = {}
    with Archive(place) as archive:
        rows = list(table_rows(archive, place.name))
    for line, row in rows:
        name = row.get("id")
        text = row.get("text")
        if not isinstance(name, str) or not isinstance(text, str):
            raise FormatError(
                "not a rewriting", file=place, line=line, found=row, expected="columns id and text"
            )
        if name in rewritings:
            raise FormatError(f"the id {name} stands twice", file=place, line=line)
        source = {
            key: value
            for key in ("original", "original_sha256")
            if isinstance(value := row.get(key), str) and value
        }
        rewritings[name] = Found(
            str(place),
            line,
            text,
            original=source.get("original"),
            digest=source.get("original_sha256"),
        )
    return rewritings


_INPUT = "inputDataset"
_OUTPUT = "outputDir"
_SEED = "seed"


@dataclass(eq=False, repr=False)
class Command(Obfuscator):
    """Runs a program that rewrites texts, once for all of them, sandboxed like an outside verifier.

    It finds, as at PAN 2016, a folder for each text (``0001``, ``0002`` …) with ``original.txt`` and what the same
    author wrote as ``same-author01.txt`` …, and writes ``0001/obfuscation.json`` (parts, as PAN asks for) or
    ``0001/obfuscated.txt`` into its output folder. Truth and scores are not shown. Where bubblewrap works (Linux) it
    has no network and reads nothing but the system, its input and what it names.

    A crash, a timeout, and a text that is missing, half written, empty or no rewriting of its original fail the whole
    batch: nothing is taken from it.

    Parameters
    ----------
    command : str
        Program and arguments, split as a shell does; no shell is started. ``$inputDataset``, ``$outputDir`` and
        ``$seed`` stand for its folders and the seed; a command with none of them gets ``-i INPUT -o OUTPUT``.
    timeout : float
        Seconds for all texts.
    folder : str
        Where files named in the command lie.
    release : str
        Of the program: part of its identity, so that a change of it makes kept rewritings stale.
    confine, readable
        Whether it is confined, and what it may read then: as of the verifier ``command``.
    """

    name = "command"
    english = False
    provenance = "ours"
    outside = True
    whole_batch = True
    not_in_key = ("confine", "readable")

    command: str
    timeout: Positive = 3600.0
    folder: str = "."
    release: str = ""
    confine: Literal["auto", "required", "off"] = "auto"
    readable: tuple[str, ...] = ()

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Check that the program is there.

        SpecError if a parameter cannot be used; InputError if the program is not there.
        """
        self._rules().check()
        self._argv({})
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        return self.rewrite_all([task], seed)[0]

    def rewrite_all(self, tasks: Sequence[ObfuscationTask], seed: int) -> list[Rewriting]:
        """Run the program once on all texts.

        ProgramError if it fails, or delivers less than a rewriting of every text.
        """
        with private_folder() as home:
            input_folder = home / "input"
            output_folder = home / "output"
            work = home / "work"
            for place in (input_folder, output_folder, work):
                place.mkdir()
            names = [f"{number:04d}" for number in range(1, len(tasks) + 1)]
            for name, task in zip(names, tasks, strict=True):
                (input_folder / name).mkdir()
                (input_folder / name / "original.txt").write_bytes(task.questioned.encode())
                for number, text in enumerate(task.known, start=1):
                    (input_folder / name / f"same-author{number:02d}.txt").write_bytes(
                        text.encode()
                    )
            argv = self._argv({_INPUT: input_folder, _OUTPUT: output_folder, _SEED: str(seed)})
            own = Path(self.folder).absolute()
            reads = [input_folder] if own == Path.cwd() else [own, input_folder]
            ran = self._rules().run(argv, work, self.timeout, reads, [output_folder])
            try:
                rewritings = find(output_folder)
                missing = [
                    task.id
                    for name, task in zip(names, tasks, strict=True)
                    if name not in rewritings
                ]
                if missing:
                    raise FormatError(
                        f"{len(missing):,} texts were not rewritten", found=", ".join(missing[:5])
                    )
                every = [
                    rewritings[name].read(task.questioned)
                    for name, task in zip(names, tasks, strict=True)
                ]
            except (FormatError, OSError) as error:
                message = str(error).replace(str(output_folder), _OUTPUT)
                raise ProgramError(
                    f"{self.command}: its rewritings cannot be used: {message}{ran.tail()}"
                ) from None
        return [Rewriting(parts, (), count_operations(parts)) for parts in every]

    def _rules(self) -> Rules:
        return Rules(self.confine, self.readable)

    def _argv(self, places: dict[str, str | Path]) -> list[str]:
        known: dict[str, str | Path] = {name: f"${name}" for name in (_INPUT, _OUTPUT, _SEED)}
        return arguments(self.command, self.folder, known | places, f"-i ${_INPUT} -o ${_OUTPUT}")


@dataclass(eq=False, repr=False)
class Rewritings(Obfuscator):
    """Takes texts that were rewritten elsewhere, by the ids of the problems.

    Every text needed must be there, no other may be, and each must be a rewriting of its own text: parts and hashes are
    compared, and what is empty, in another language, or ten times as long is refused. Nothing is scored before all of
    that holds.

    Parameters
    ----------
    folder : str
        A folder with ``ID/obfuscation.json`` (the form of PAN 2016), ``ID/obfuscated.txt``, ``ID.txt`` or a problem
        set as ``raven obfuscate`` writes it; or a ``.csv`` or ``.jsonl`` with ``id`` and ``text`` (and ``original`` or
        ``original_sha256``, which are then compared).
    subset : bool
        Take those needed and ignore further ones, as with ``--limit``.
    label : str
        What it is called in tables, where several folders are compared.
    """

    name = "rewritings"
    english = False
    provenance = "ours"

    folder: str
    subset: bool = False
    label: str = ""

    def stamp(self) -> str:
        """A hash of all that lies in the folder, so that a change makes what rests on it anew."""
        place = self._place()
        files = sorted(p for p in place.rglob("*") if p.is_file()) if place.is_dir() else [place]
        total = hashlib.sha256()
        for file in files:
            total.update(f"{file.relative_to(place) if place.is_dir() else ''}\0".encode())
            total.update(hashlib.sha256(file.read_bytes()).digest())
        return total.hexdigest()

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Find the rewritings and check that they cover the tasks, and each its text.

        InputError if one is missing, too many or no rewriting of its text.
        """
        rewritings = find(self._place())
        if not rewritings:
            raise InputError(
                "no rewritings are here",
                file=self.folder,
                expected="files or rows named by problem ids",
            )
        names = {
            task.id: name for task in tasks if (name := _named(task.id, rewritings)) is not None
        }
        missing = [task.id for task in tasks if task.id not in names]
        if missing:
            raise InputError(
                f"{len(missing):,} of {len(tasks):,} texts have no rewriting",
                file=self.folder,
                found=f"none for {', '.join(missing[:5])}",
                fix="name each file, folder or row by the problem's id",
            )
        extra = sorted(rewritings.keys() - set(names.values()))
        if extra and not self.subset:
            raise InputError(
                f"{len(extra):,} rewritings belong to no text that is to be rewritten",
                file=self.folder,
                found=", ".join(extra[:5]),
                fix="remove them, or say subset=True if the problems are a part of all",
            )
        self.found_ = {task.id: rewritings[names[task.id]] for task in tasks}
        for task in tasks:
            self.found_[task.id].read(task.questioned.removeprefix("\ufeff"))
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        if task.id not in getattr(self, "found_", {}):
            raise FormatError("this text has no rewriting", file=self.folder, found=task.id)
        parts = self.found_[task.id].read(task.questioned)
        return Rewriting(parts, (), count_operations(parts))

    def _place(self) -> Path:
        place = Path(self.folder)
        if not place.exists():
            raise InputError(
                "there are no rewritings here", file=self.folder, fix="rewritings('FOLDER')"
            )
        return place


def _named(task: str, rewritings: dict[str, Found]) -> str | None:
    """The name under which a task's rewriting lies: its id, with or without ``.txt``."""
    return next((name for name in (task, task.removesuffix(".txt")) if name in rewritings), None)
