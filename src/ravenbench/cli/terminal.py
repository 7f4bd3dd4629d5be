"""What a terminal that has not every character is told in their place."""

from __future__ import annotations

import codecs
import io
import sys

_PLAIN = {
    "−": "-", "–": "-", "—": "-", "─": "-", "━": "-", "±": "+/-", "×": "x", "≥": ">=", "≤": "<=", "≠": "!=", "≈": "~",
    "·": "*", "√": "sqrt ", "…": "...", "“": '"', "”": '"', "‘": "'", "’": "'", "•": "*", "✓": "ok", "✗": "x",
    "→": "->", "⟨": "<", "⟩": ">", "│": "|", "ρ": "rho", "α": "alpha", "δ": "delta", "†": "+", "\xa0": " ",
}  # fmt: skip


def speak_plainly() -> None:
    """Have output that cannot be written as its terminal's encoding asks come in ASCII, and never as an error."""
    codecs.register_error("raven-plain", _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="raven-plain")


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    return "".join(_PLAIN.get(c, c.encode("ascii", "backslashreplace").decode()) for c in found), error.end
