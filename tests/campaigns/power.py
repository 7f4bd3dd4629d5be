"""Power cuts: what the disk had not been told to keep is lost, cut short or emptied, as after a real one.

Raven's files are written under another name, synced (or not) and renamed. The shim notes every ``fsync`` and rename of
``ravenbench.files``. At a cut each file whose content was not synced is kept, cut short, emptied or filled with zeros,
and each rename that no sync of its folder made durable is kept or undone.
"""

from __future__ import annotations

import os
import random
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from campaigns.job import differences, state, work
from campaigns.outcome import Outcome
from ravenbench import files


class Cut(BaseException):
    """The power is gone; nothing catches it."""


class Disk:
    """What is durable below a folder, and the moment at which the power goes."""

    def __init__(self, folder: Path, after: int | None) -> None:
        self.folder, self.after, self.events = folder.resolve(), after, 0
        self.synced: set[int] = set()
        self.renames: list[tuple[Path, bytes | None]] = []
        self._replace = os.replace

    def _event(self) -> None:
        self.events += 1
        if self.after is not None and self.events > self.after:
            raise Cut

    def fsync(self, handle: int) -> None:
        """Content of a file, or names in a folder, become durable."""
        self._event()
        found = os.fstat(handle)
        if stat.S_ISDIR(found.st_mode):
            place = next(
                (p for p, _ in self.renames if p.parent.stat().st_ino == found.st_ino), None
            )
            if place is not None:
                self.renames = [(p, old) for p, old in self.renames if p.parent != place.parent]
        else:
            self.synced.add(found.st_ino)

    def sync_all(self, folder: Path) -> bool:
        """All files of the file system become durable."""
        self._event()
        self.synced |= {p.stat().st_ino for p in self.folder.rglob("*") if p.is_file()}
        self.renames.clear()
        return True

    def replace(self, source: Any, target: Any, **how: Any) -> None:
        """A file takes another's place, for now in memory alone."""
        self._event()
        place = Path(target).absolute()
        old = place.read_bytes() if place.is_file() else None
        self._replace(source, target, **how)
        if self.folder in place.resolve().parents:
            self.renames.append((place, old))

    def lose(self, rng: random.Random) -> None:
        """Leave below the folder what a disk may hold after the cut."""
        pending = dict(self.renames)
        for place in sorted(p for p in self.folder.rglob("*") if p.is_file() and p.name != ".lock"):
            old, whole = pending.get(place, b""), place.stat().st_ino in self.synced
            fate = rng.choice(("kept", "cut", "empty", "zeros", "undone"))
            if fate == "undone" and place in pending:
                place.unlink() if old is None else place.write_bytes(old)
            elif not whole and fate in ("cut", "empty", "zeros"):
                data = place.read_bytes()
                left = data[: rng.randrange(len(data) + 1)] if fate == "cut" else b""
                place.write_bytes(bytes(len(data)) if fate == "zeros" else left)


@contextmanager
def disk(folder: Path, after: int | None = None) -> Iterator[Disk]:
    """Everything that ``ravenbench.files`` syncs and renames goes through this disk."""
    found = Disk(folder, after)
    kept: list[tuple[Any, str, Callable[..., Any]]] = [
        (os, "fsync", os.fsync),
        (os, "replace", os.replace),
        (files, "_sync_file_system", files._sync_file_system),
    ]
    os.fsync, os.replace, files._sync_file_system = found.fsync, found.replace, found.sync_all
    try:
        yield found
    finally:
        for owner, name, real in kept:
            setattr(owner, name, real)


def cut_power(
    outcome: Outcome, scratch: Path, expected: dict[str, str], cuts: int, seed: int
) -> None:
    """Cut the power after random syncs and renames, and once in ten tries after the job said that it was done."""
    rng, folder = random.Random(f"power-{seed}-{outcome.tried}"), scratch / "power"
    folder.mkdir()
    with disk(folder) as counted:
        work(folder / "run")
    total = counted.events
    while outcome.wants(cuts):
        number = outcome.tried
        shutil.rmtree(folder)
        folder.mkdir()
        done = number % 10 == 9
        after = total if done else rng.randrange(total)
        told = f"seed {seed}, cut {number} after event {after} of {total}"
        with disk(folder, None if done else after) as cut, suppress(Cut):
            work(folder / "run")
        cut.lose(rng)
        if done:
            from ravenbench.store.store import Store

            missing = Store.open(folder / "run").unanswered()
            outcome.count(
                not missing, f"{told}: cells missing though the job was done: {missing[:2]}"
            )
            outcome.note("after the job was done")
            continue
        try:
            work(folder / "run")
            wrong = differences(state(folder / "run"), expected)
        except Exception as error:  # every refusal here is a loss: nobody has touched this folder
            wrong = [f"{type(error).__name__}: {error}"]
        outcome.count(not wrong, f"{told}: {wrong[:3]}")
    shutil.rmtree(folder)
