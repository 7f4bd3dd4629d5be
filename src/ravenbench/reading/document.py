"""Defines a document that was read: its text, and an account of what was left out.

In: what readers of formats found: kinds of things left out, with a sample (text) and a count.
Out: ``Document`` (text as ``str``, author, title, date, hashes …) with ``LeftOut``s (kind, count, beginning), gathered
by ``Account``. ``guarded`` raises Unreadable for any error of a reader on a bad file; Unreadable is a
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
    """One kind of thing left out of a document: how often it occurred (``count``), and how it begins."""

    kind: str
    count: int
    sample: str = ""

    def __str__(self) -> str:
        return f"{self.kind} ({self.count:,})"


class Unreadable(FormatError):
    """A document from which Raven cannot read text: a scan, a protected or damaged file, an unknown format."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """What one person wrote in a file, and what was left out.

    Attributes
    ----------
    path : Path
        The file.
    part : str
        Which of a file's documents this is: a mail's number, a chat's sender; "" if the file contains one.
    text : str
        Without byte order mark and carriage returns.
    author : str or None
        The sender of the mail or message, or the author in a TEI header; None for other formats.
    sender_name : str
        The name of a mail's sender next to the address.
    identity : str
        The header's reference for this person (VIAF, GND …); "" if it has none.
    title, date : str
        The title of a TEI text, and when a mail was sent or a text first printed, as in the header.
    left_out : tuple of LeftOut
    notes : tuple of str
        Hints at the author's name, signs of a wrong encoding, macros that did not run.
    unread : tuple of (str, str)
        For the first document of a file: further parts that Raven could not read, with the reason.
    file_sha256, text_sha256 : str
        Hashes of the file's bytes, and of the text in UTF-8.
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
        """Return the document's name: the file's name and the part."""
        return f"{self.path.name} ({self.part})" if self.part else self.path.name

    @property
    def account(self) -> str:
        """Return what was left out, in a line; "" if nothing was."""
        return ", ".join(map(str, self.left_out))


@contextmanager
def guarded(path: Path, what: str) -> Iterator[None]:
    """Raise Unreadable, with its reason, for any error of a reader on a bad file that is not already an error of
    Raven's; ``what`` names the expected format. Every reader that continues with the next file or part reads inside it.
    """
    try:
        yield
    except MemoryError:
        problem = "reading it takes more memory than the limit"
    except RecursionError:
        problem = "its parts are nested too deeply"
    except Exception as error:  # a library's OSError without a number is no error of the system
        if isinstance(error, RavenError) or getattr(error, "errno", None) is not None:
            raise
        problem = f"it is damaged, or not {what} ({type(error).__name__}: {said(error)})"
    else:
        return
    raise Unreadable(problem[:300], file=path, expected=what, fix=FIX)


class Account:
    """Collects what is left out of a document while it is read."""

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
        """Return everything left out, in the order in which each kind first occurred."""
        return tuple(
            LeftOut(kind, count, self._samples.get(kind, ""))
            for kind, count in self._counts.items()
        )
