"""Defines a document that was read: its text, and an account of what was left out of it.

In: what readers of formats found: kinds of things left out, with a sample (text) and a count.
Out: ``Document`` (text as ``str``, author, title, date, hashes …) with ``LeftOut``s (kind, count, beginning), gathered
by ``Account``. ``guarded`` raises Unreadable for whatever a stranger's file makes a reader raise; Unreadable is a
FormatError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ravenbench.errors import FormatError, RavenError, install, said

EXTRA = install("documents")
FIX = "open it in the program that wrote it, and save it again or as plain text"
_SHOWN = 2000
FRONT_AND_BACK = "front and back matter"


class LeftOut(msgspec.Struct, frozen=True):
    """A kind of thing that was left out of a document: how often it was there (``count``), and how it begins."""

    kind: str
    count: int
    sample: str = ""

    def __str__(self) -> str:
        return f"{self.kind} ({self.count:,})"


class Unreadable(FormatError):
    """A document that has no text to give: a scan, a protected or a damaged file, a format that is not read."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """What one person wrote in a file, and what was left out.

    Attributes
    ----------
    path : Path
        The file.
    part : str
        Which of a file's documents this is: a mail's number, a chat's sender; "" where the file holds one.
    text : str
        Without byte order mark and carriage returns.
    author : str or None
        The mail's or message's sender, or whom a TEI header names; None for other formats.
    sender_name : str
        What a mail's sender is called beside the address.
    identity : str
        Which person of that name, by the header's reference (VIAF, GND …); "" where it has none.
    title, date : str
        Of a TEI text, and when a mail was sent or a text first printed, as the header has it.
    left_out : tuple of LeftOut
    notes : tuple of str
        What a reader should know: hints of the author's name, signs of a wrong encoding, macros that did not run.
    unread : tuple of (str, str)
        Of the first document of a file: its further parts that could not be read, with the reason.
    file_sha256, text_sha256 : str
        Of the file's bytes, and of the text in UTF-8.
    """

    path: Path
    text: str
    part: str = ""
    author: str | None = None
    sender_name: str = ""
    identity: str = ""
    title: str = ""
    date: str = ""
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
    file_sha256: str = ""
    text_sha256: str = ""

    @property
    def name(self) -> str:
        """What it is called: the file's name, and which part of it."""
        return f"{self.path.name} ({self.part})" if self.part else self.path.name

    @property
    def account(self) -> str:
        """What was left out, in a line; "" where nothing was."""
        return ", ".join(map(str, self.left_out))


@contextmanager
def guarded(path: Path, what: str) -> Iterator[None]:
    """Raise Unreadable, with its reason, for whatever else than an error of Raven's a stranger's file makes a reader
    raise; ``what`` it should be. Every reader that goes on with the next file or part reads the one before in it.
    """
    try:
        yield
    except MemoryError:
        problem = "reading it takes more memory than the limit"
    except RecursionError:
        problem = "its parts are nested too deep"
    except Exception as error:  # a library's OSError without a number is no error of the system
        if isinstance(error, RavenError) or getattr(error, "errno", None) is not None:
            raise
        problem = f"it is damaged, or no {what} ({type(error).__name__}: {said(error)})"
    else:
        return
    raise Unreadable(problem[:300], file=path, expected=what, fix=FIX)


class Account:
    """Gathers what is left out of a document while it is read."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._samples: dict[str, str] = {}

    def add(self, kind: str, sample: str = "", count: int = 1) -> None:
        """Note that something was left out."""
        if count:
            self._counts[kind] += count
        sample_before = self._samples.get(kind, "")
        lines = "\n".join(
            words for line in sample[: 2 * _SHOWN].split("\n") if (words := " ".join(line.split()))
        )
        if lines and len(sample_before) < _SHOWN:
            whole = f"{sample_before}\n{lines}" if sample_before else lines
            self._samples[kind] = whole if len(whole) <= _SHOWN else whole[: _SHOWN - 1] + "…"

    def left_out(self) -> tuple[LeftOut, ...]:
        """All of it, in the order in which each kind came first."""
        return tuple(
            LeftOut(kind, count, self._samples.get(kind, ""))
            for kind, count in self._counts.items()
        )
