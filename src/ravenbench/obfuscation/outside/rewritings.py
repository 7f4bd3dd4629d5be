"""The obfuscator that takes texts rewritten elsewhere: by another system, or by people."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from ravenbench.errors import FormatError, InputError
from ravenbench.obfuscation.base import ObfuscationTask, Obfuscator, Rewriting, count_operations
from ravenbench.obfuscation.outside.reading import Found, find


@dataclass(eq=False, repr=False)
class Rewritings(Obfuscator):
    """Takes texts that were rewritten elsewhere, by the ids of the problems.

    Every text asked for must be there, no other may be, and each must be a rewriting of its own text: parts and
    hashes are compared, and what is empty, in another language, or ten times as long is refused. Nothing is scored
    before all of that holds.

    Parameters
    ----------
    folder : str
        A folder with ``ID/obfuscation.json`` (the form of PAN 2016), ``ID/obfuscated.txt``, ``ID.txt`` or a problem
        set as ``raven obfuscate`` writes it; or a ``.csv`` or ``.jsonl`` with ``id`` and ``text`` (and ``original`` or
        ``original_sha256``, which are then compared).
    subset : bool
        Take those asked for and leave further ones aside, as with ``--limit``.
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

        Raises
        ------
        InputError
            If one is missing, too many or no rewriting of its text.
        """
        found = find(self._place())
        if not found:
            raise InputError("no rewritings are here", file=self.folder, expected="files or rows named by problem ids")
        names = {task.id: name for task in tasks if (name := _named(task.id, found)) is not None}
        missing = [task.id for task in tasks if task.id not in names]
        if missing:
            raise InputError(
                f"{len(missing):,} of {len(tasks):,} texts have no rewriting", file=self.folder,
                found=f"none for {', '.join(missing[:5])}", fix="name each file, folder or row by the problem's id",
            )  # fmt: skip
        extra = sorted(found.keys() - set(names.values()))
        if extra and not self.subset:
            raise InputError(
                f"{len(extra):,} rewritings belong to no text that is to be rewritten", file=self.folder,
                found=", ".join(extra[:5]), fix="remove them, or say subset=True if the problems are a part of all",
            )  # fmt: skip
        self.found_ = {task.id: found[names[task.id]] for task in tasks}
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
            raise InputError("there are no rewritings here", file=self.folder, fix="rewritings('FOLDER')")
        return place


def _named(task: str, found: dict[str, Found]) -> str | None:
    """The name under which a task's rewriting lies: its id, with or without ``.txt``."""
    return next((name for name in (task, task.removesuffix(".txt")) if name in found), None)
