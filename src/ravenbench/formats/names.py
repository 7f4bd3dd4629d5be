"""What a name read from a file may be: ids, authors, topics and languages."""

from __future__ import annotations

from pathlib import Path

from ravenbench.errors import FormatError, writable

NAME_LIMIT = 500
"""Most characters of an id, an author, a topic or a language."""


def checked_name(
    name: str, what: str, file: str | Path | None = None, line: int | None = None, *, limit: int = NAME_LIMIT
) -> str:
    """Return a name that can be kept, compared and shown.

    Raises
    ------
    FormatError
        If it is longer than ``limit``, or holds a NUL or half a character (a lone surrogate).
    """
    if len(name) > limit:
        raise FormatError(
            f"{what} is too long to be a name", file=file, line=line, found=f"{len(name):,} characters: {name[:40]}…",
            expected=f"at most {limit} characters", fix="is a text in the place of a name?",
        )  # fmt: skip
    if "\0" in name:
        raise FormatError(f"{what} holds a NUL character", file=file, line=line, found=name, fix="give it another name")
    if not writable(name):
        raise FormatError(
            f"{what} is not valid Unicode: a lone surrogate stands in it", file=file, line=line, found=name,
            fix="repair the file's encoding",
        )  # fmt: skip
    return name
