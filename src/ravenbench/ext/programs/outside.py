"""Reads texts that were rewritten elsewhere, from files or by running a program, and refuses invalid rewritings.

In: ``Rewritings(folder)``: a folder or table of rewritings; ``Command(command)``: a command line (timeout in seconds
for all texts together); both take ``ObfuscationTask``s with the original texts;
``checked_parts``: a ``FoundRewriting``; ``objection``: two texts.
Out: ``rewrite`` a ``Rewriting`` (parts and counts of operations), ``rewrite_all`` one for each text; ``checked_parts``:
parts; ``objection``: the reason or None. FormatError if a rewriting is empty, for
another text, in another language, or has 10 times more or fewer words (of 20 or more); InputError from ``fit`` if
rewritings or the program are missing, or there are too many; ProgramError if the program fails.

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

from ravenbench.errors import FormatError, InputError, ProgramError, counted
from ravenbench.ext.programs.process import Rules, arguments
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting, count_operations
from ravenbench.obfuscation.wording.words import is_no_longer_english
from ravenbench.programs import private_folder
from ravenbench.reading.pan_obfuscation import FoundRewriting, Part, find_rewritings, read_parts
from ravenbench.text.alignment import plain_words
from ravenbench.types import Positive

LONGEST = 10
"""A rewriting with this many times more or fewer words than its original is another text."""
_SHORT = 20


def checked_parts(rewriting: FoundRewriting, original: str) -> tuple[Part, ...]:
    """Return the parts of a rewriting, checked against the text that was rewritten.

    FormatError if it rewrites another text, is empty, far too long or short, in another language or not UTF-8.
    """
    other = "it rewrites another text"
    if rewriting.original is not None and rewriting.original.strip() != original.strip():
        raise FormatError(
            other,
            file=rewriting.place,
            line=rewriting.line,
            found=rewriting.original[:80],
            expected=original[:80],
        )
    wanted = hashlib.sha256(original.encode()).hexdigest()
    if rewriting.digest is not None and rewriting.digest.lower() != wanted:
        raise FormatError(
            f"{other}: the hash differs",
            file=rewriting.place,
            line=rewriting.line,
            found=rewriting.digest,
            expected=wanted,
        )
    if rewriting.parts is not None:
        parts = read_parts(rewriting.parts, original)
    else:
        assert rewriting.text is not None
        parts = (
            Part(
                0,
                len(original),
                original,
                rewriting.text,
                ("rewrite",) if rewriting.text != original else (),
            ),
        )
    fault = objection(original, "".join(part.obfuscation for part in parts))
    if fault is not None:
        raise FormatError(
            f"this is not a rewriting of its text: {fault}",
            file=rewriting.place,
            line=rewriting.line,
        )
    return parts


def objection(original: str, rewritten: str) -> str | None:
    """Return the reason why a text cannot be a rewriting of another, or None."""
    if "\0" in rewritten:
        return "it contains a NUL character"
    if not any(c.isalnum() for c in rewritten):
        return "it has no words"
    before = len(plain_words(original))
    after = len(plain_words(rewritten))
    if before >= _SHORT and not before / LONGEST < after < before * LONGEST:
        return f"it has {after:,} words, but the original has {before:,}"
    if is_no_longer_english(original, rewritten):
        return "it is in another language, or in no language"
    return None


_INPUT = "inputDataset"
_OUTPUT = "outputDir"
_SEED = "seed"


@dataclass(eq=False, repr=False)
class Command(Obfuscator):
    """Runs a program that rewrites texts, once for all texts, sandboxed like an outside verifier.

    As at PAN 2016, the program finds a folder for each text (``0001``, ``0002`` …) with ``original.txt`` and other texts by
    the same author as ``same-author01.txt`` …, and writes ``0001/obfuscation.json`` (parts, in PAN's form) or
    ``0001/obfuscated.txt`` into its output folder. It does not see truth and scores. If bubblewrap works (Linux), it
    has no network and can read only the system, its input and the files that it names.

    A crash, a timeout, and a text that is missing, incomplete, empty or not a rewriting of its original make the whole
    batch fail: Raven uses nothing of it.

    Parameters
    ----------
    command : str
        Program and arguments, split as in a shell; no shell is started. ``$inputDataset``, ``$outputDir`` and
        ``$seed`` are replaced by its folders and the seed; a command with none of them gets ``-i INPUT -o OUTPUT``.
    timeout : float
        Seconds for all texts.
    folder : str
        The folder of files named in the command.
    release : str
        Version of the program: part of its identity, so that Raven does not reuse rewritings of another version.
    confine, readable
        Whether it is confined, and what it may then read: as for the verifier ``command``.
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
        """Check that the program exists.

        SpecError if a parameter is invalid; InputError if the program is not found.
        """
        self._rules().check()
        self._argv({})
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        return self.rewrite_all([task], seed)[0]

    def rewrite_all(self, tasks: Sequence[ObfuscationTask], seed: int) -> list[Rewriting]:
        """Run the program once on all texts.

        ProgramError if it fails, or does not deliver a rewriting of every text.
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
                rewritings = find_rewritings(output_folder)
                missing = [
                    task.id
                    for name, task in zip(names, tasks, strict=True)
                    if name not in rewritings
                ]
                if missing:
                    raise FormatError(
                        f"{counted(len(missing), 'text')} not rewritten",
                        found=", ".join(missing[:5]),
                    )
                every = [
                    checked_parts(rewritings[name], task.questioned)
                    for name, task in zip(names, tasks, strict=True)
                ]
            except (FormatError, OSError) as error:
                message = str(error).replace(str(output_folder), _OUTPUT)
                raise ProgramError(
                    f"{self.command}: unusable rewritings: {message}{ran.tail()}"
                ) from None
        return [Rewriting(parts, (), count_operations(parts)) for parts in every]

    def _rules(self) -> Rules:
        return Rules(self.confine, self.readable)

    def _argv(self, places: dict[str, str | Path]) -> list[str]:
        known: dict[str, str | Path] = {name: f"${name}" for name in (_INPUT, _OUTPUT, _SEED)}
        return arguments(self.command, self.folder, known | places, f"-i ${_INPUT} -o ${_OUTPUT}")


@dataclass(eq=False, repr=False)
class Rewritings(Obfuscator):
    """Reads texts that were rewritten elsewhere and matches them to the problems by id.

    Every text must have a rewriting, no other may exist, and each must be a rewriting of its text: Raven compares parts and
    hashes, and refuses rewritings that are empty, in another language, or ten times as long. It scores nothing before
    all rewritings are valid.

    Parameters
    ----------
    folder : str
        A folder with ``ID/obfuscation.json`` (the form of PAN 2016), ``ID/obfuscated.txt``, ``ID.txt`` or a problem
        set as ``raven obfuscate`` writes it; or a ``.csv`` or ``.jsonl`` with ``id`` and ``text`` (and ``original`` or
        ``original_sha256``, which are then compared).
    subset : bool
        Use the needed rewritings and ignore others, as with ``--limit``.
    label : str
        Its name in tables, if several folders are compared.
    """

    name = "rewritings"
    english = False
    provenance = "ours"

    folder: str
    subset: bool = False
    label: str = ""

    def stamp(self) -> str:
        """Return a hash of everything in the folder, so that a change makes Raven compute dependent results again."""
        place = self._place()
        files = sorted(p for p in place.rglob("*") if p.is_file()) if place.is_dir() else [place]
        total = hashlib.sha256()
        for file in files:
            total.update(f"{file.relative_to(place) if place.is_dir() else ''}\0".encode())
            total.update(hashlib.sha256(file.read_bytes()).digest())
        return total.hexdigest()

    def fit(self, tasks: Sequence[ObfuscationTask]) -> Self:
        """Find the rewritings and check that there is one for each task, and that each matches its text.

        InputError if one is missing, superfluous or not a rewriting of its text.
        """
        rewritings = find_rewritings(self._place())
        if not rewritings:
            raise InputError(
                "no rewritings found here",
                file=self.folder,
                expected="files or rows named by problem ids",
            )
        names = {
            task.id: name for task in tasks if (name := _named(task.id, rewritings)) is not None
        }
        missing = [task.id for task in tasks if task.id not in names]
        if missing:
            raise InputError(
                f"no rewriting for {len(missing):,} of {counted(len(tasks), 'text')}",
                file=self.folder,
                found=f"none for {', '.join(missing[:5])}",
                fix="name each file, folder or row by the problem's id",
            )
        extra = sorted(rewritings.keys() - set(names.values()))
        if extra and not self.subset:
            raise InputError(
                f"{counted(len(extra), 'rewriting')} without a text to rewrite",
                file=self.folder,
                found=", ".join(extra[:5]),
                fix="remove them, or set subset=True if the problems are only a part of all",
            )
        self.found_ = {task.id: rewritings[names[task.id]] for task in tasks}
        for task in tasks:
            checked_parts(self.found_[task.id], task.questioned.removeprefix("\ufeff"))
        return self

    def rewrite(self, task: ObfuscationTask, seed: int) -> Rewriting:
        if task.id not in getattr(self, "found_", {}):
            raise FormatError("this text has no rewriting", file=self.folder, found=task.id)
        parts = checked_parts(self.found_[task.id], task.questioned)
        return Rewriting(parts, (), count_operations(parts))

    def _place(self) -> Path:
        place = Path(self.folder)
        if not place.exists():
            raise InputError(
                "no rewritings found here", file=self.folder, fix="rewritings('FOLDER')"
            )
        return place


def _named(task: str, rewritings: dict[str, FoundRewriting]) -> str | None:
    """The name under which a task's rewriting lies: its id, with or without ``.txt``."""
    return next((name for name in (task, task.removesuffix(".txt")) if name in rewritings), None)
