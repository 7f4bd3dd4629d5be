"""Output for terminals that show ASCII alone, or another small set: what they lack is written by what is like it."""

from __future__ import annotations

import codecs
import io
import sys

_NAME = "ravenbench-plain"
_LIKE = {
    "–": "-", "—": "-", "−": "-", "‑": "-", "‐": "-", "…": "...", "’": "'", "‘": "'", "“": '"', "”": '"', "·": "-",
    "×": "x", "±": "+-", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "✓": "+", "✗": "x", "█": "#", "░": ".", "•": "*",
    "†": "+", "½": "1/2", "≈": "~", "√": "sqrt ", "⟨": "<", "⟩": ">", "ρ": "rho", "α": "alpha",
    "δ": "delta", "²": "2", "\u00a0": " ", "\u202f": " ", "\u2009": " ",
}  # fmt: skip
_BOXES = range(0x2500, 0x2580)


def make_plain() -> None:
    """Have stdout and stderr write what they cannot encode as the nearest they can, else as its escape; never fail."""
    codecs.register_error(_NAME, _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not writes_all(stream):
            stream.reconfigure(errors=_NAME)


def writes_all(stream: object) -> bool:
    """Whether a stream can write every character."""
    name = getattr(stream, "encoding", None) or "utf-8"
    return codecs.lookup(name).name in ("utf-8", "utf-16", "utf-32")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    return "".join(_LIKE.get(c) or _otherwise(c) for c in found), error.end


def _otherwise(character: str) -> str:
    if ord(character) in _BOXES:
        return "|" if character in "│┃║╎┊" else "-" if character in "─━═╌┈" else "+"
    return character.encode("ascii", "backslashreplace").decode()
