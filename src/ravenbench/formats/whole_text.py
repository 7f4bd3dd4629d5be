"""A text as its file holds it, byte order mark and line ends included, so that offsets count in that file."""

from __future__ import annotations

from pathlib import Path

from ravenbench.formats.archive import no_such
from ravenbench.formats.decoding import UTF8, check_controls, decode

BOM = b"\xef\xbb\xbf"


def read_whole(path: Path, encoding: str | None = UTF8) -> str:
    """One text as it is.

    Raises
    ------
    InputError
        If there is none, or it is neither UTF-8 nor in the encoding that was named.
    """
    if not path.is_file():
        raise no_such(path)
    return whole(path.read_bytes(), str(path), encoding)


def whole(data: bytes, label: str, encoding: str | None = UTF8) -> str:
    """Text with its byte order mark and line ends; ``label`` names it in messages."""
    text = decode(data, label, encoding=encoding)
    check_controls(text, label, encoding=encoding)
    return ("\ufeff" if data.startswith(BOM) else "") + text
