"""What a running program uses: processes, memory and disk."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_GIB = 2**30


@dataclass(frozen=True)
class Limits:
    """The most that a program may use.

    Attributes
    ----------
    processes : int
        At one time, threads not counted.
    memory : int
        Bytes that its processes hold together, what they share not counted.
    disk : int
        Bytes below its own folders; no single file may be larger either.
    files : int
        Files open in one process.
    """

    processes: int = 512
    memory: int = 0
    disk: int = 10 * _GIB
    files: int = 4096


@dataclass(frozen=True)
class Usage:
    """What a program uses now."""

    processes: int
    memory: int
    disk: int

    def beyond(self, limits: Limits) -> str | None:
        """What is too much, in words; None while all is within the limits."""
        if self.processes > limits.processes:
            return f"it had {self.processes:,} processes, more than {limits.processes:,}"
        most = limits.memory or machine_memory()
        if most and self.memory > most:
            return f"its processes held {self.memory / _GIB:.2f} GiB of memory, more than {most / _GIB:.2f}"
        if self.disk > limits.disk:
            return f"it wrote {self.disk / _GIB:.2f} GiB, more than {limits.disk / _GIB:.2f}"
        return None


def usage(root: int, folder: Path) -> Usage:
    """What the descendants of process ``root`` use, and what lies below a folder."""
    children = defaultdict(list)
    for place in Path("/proc").glob("[0-9]*"):
        children[parent_of(int(place.name))].append(int(place.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return Usage(len(found), sum(_own_memory(process) for process in found), _size(folder))


def stat(process: int) -> list[str]:
    """State, parent and further numbers of a process (``proc(5)``); [] where there is none or the system hides it."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].decode().split()
    return []


def parent_of(process: int) -> int:
    """The parent of a process, 0 where it is not known."""
    return int(found[1]) if len(found := stat(process)) > 1 else 0


def machine_memory() -> int:
    """Four fifths of this machine's memory in bytes; 0 where the system does not say."""
    try:
        return int(os.sysconf("SC_PHYS_PAGES")) * _PAGE * 4 // 5
    except (ValueError, OSError, AttributeError):
        return 0


def _own_memory(process: int) -> int:
    with suppress(OSError, IndexError, ValueError):
        _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_text().split()
        return (int(resident) - int(shared)) * _PAGE
    return 0


def _size(folder: Path) -> int:
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                total += Path(place, name).lstat().st_blocks * 512
    return total
