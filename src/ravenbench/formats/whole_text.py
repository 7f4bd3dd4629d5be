"""A text as its file holds it, byte order mark and line ends included, so that offsets count in that file."""

from __future__ import annotations

from pathlib import Path

from ravenbench.formats.archive import decode, no_such

BOM = b"\xef\xbb\xbf"


def read_whole(path: Path) -> str:
    """One text as it is.

    Raises
    ------
    InputError
        If there is none, or it is not UTF-8.
    """
    if not path.is_file():
        raise no_such(path)
    return whole(path.read_bytes(), str(path))


def whole(data: bytes, label: str) -> str:
    """UTF-8 text with its byte order mark and line ends; ``label`` names it in messages."""
    return ("\ufeff" if data.startswith(BOM) else "") + decode(data, label)
