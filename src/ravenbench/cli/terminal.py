"""Lets limited terminals show every text, and lets signals to end (SIGTERM, SIGHUP) be obeyed as Ctrl-C is.

In: ``sys.stdout``, ``sys.stderr`` and signals of this process.
Out: ``make_plain`` has streams write every text, characters that they lack as the nearest they have or as escapes;
``writes_all`` and ``interrupted`` are bool; ``farewell`` returns an exit code, 128 plus the signal's number; ``obey``
raises SystemExit if a signal came. ``listen`` and ``last`` set what a signal does.
"""

from __future__ import annotations

import atexit
import codecs
import io
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

from ravenbench.limits import ENDING

_NAME = "ravenbench-plain"
_LIKE = {
    "–": "-",
    "—": "-",
    "−": "-",
    "‑": "-",
    "‐": "-",
    "…": "...",
    "’": "'",
    "‘": "'",
    "“": '"',
    "”": '"',
    "·": "-",
    "×": "x",
    "±": "+-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "→": "->",
    "✓": "+",
    "✗": "x",
    "█": "#",
    "░": ".",
    "•": "*",
    "†": "+",
    "½": "1/2",
    "≈": "~",
    "√": "sqrt ",
    "⟨": "<",
    "⟩": ">",
    "ρ": "rho",
    "α": "alpha",
    "δ": "delta",
    "²": "2",
    "\u00a0": " ",
    "\u202f": " ",
    "\u2009": " ",
}
_BOXES = range(0x2500, 0x2580)


def make_plain() -> None:
    """Have stdout and stderr write what they cannot encode as the nearest they can, else as its escape; never fail."""
    codecs.register_error(_NAME, _like_characters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and not writes_all(stream):
            stream.reconfigure(errors=_NAME)


def writes_all(stream: object) -> bool:
    """Whether a stream can write every character."""
    name = getattr(stream, "encoding", None) or "utf-8"
    return codecs.lookup(name).name in ("utf-8", "utf-16", "utf-32")


def _like_characters(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    undecodable = error.object[error.start : error.end]
    return "".join(_LIKE.get(c) or _otherwise(c) for c in undecodable), error.end


def _otherwise(character: str) -> str:
    if ord(character) in _BOXES:
        return "|" if character in "│┃║╎┊" else "-" if character in "─━═╌┈" else "+"
    return character.encode("ascii", "backslashreplace").decode()


INTERRUPTED = 130
"""Exit code: 128 and the number of the signal, as shells count."""

_heard: list[int] = []


def listen() -> None:
    """From now on SIGTERM and SIGHUP interrupt as SIGINT does, and each is remembered; after one of them both are
    ignored. So is SIGHUP if the process that started this one ignores it (nohup)."""
    _heard.clear()
    sys.unraisablehook = _lost
    atexit.unregister(_deaf)
    atexit.register(_deaf)  # what is registered first is called last
    for signum in ENDING:
        before = signal.getsignal(signum)
        if (
            signum == signal.SIGTERM
            or before is signal.default_int_handler
            or before == signal.SIG_DFL
        ):
            signal.signal(signum, _interrupt)


def interrupted() -> bool:
    """Whether a signal to end came. A library may have made another error of it: drawing in C does."""
    return bool(_heard)


def farewell() -> int:
    """Remove the private folders of workers that were stopped; return the exit code, 128 plus the signal's number."""
    from ravenbench.programs import sweep  # numpy comes with it, for which --help need not wait

    sweep(patience=5.0)
    return 128 + next((number for number in _heard if number != signal.SIGINT), signal.SIGINT)


def obey() -> None:
    """End now if SIGTERM or SIGHUP came, which a library may have kept from being heard. Raises SystemExit."""
    if {*_heard} - {signal.SIGINT}:
        raise SystemExit(farewell())


def last() -> None:
    """From now on, when nothing is left to be done, a signal ends the process at once and with its own code; and when
    Python itself ends, which would forget that, none does any more."""
    for signum in ENDING:
        if signal.getsignal(signum) is _interrupt:
            signal.signal(signum, lambda number, frame: os._exit(128 + number))
    # Interrupted within text that a library has Python execute, ``python -m`` ends by SIGINT, unless more is executed.
    exec("")  # noqa: S102


def _deaf() -> None:
    for signum in ENDING:
        signal.signal(signum, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _is_in_library(frame):
        # LLVM, interrupted where it loads a kernel, ends the process by a fault; polars, interrupted in Python that it
        # calls from Rust, prints a panic.
        _again(number)
        return
    for other in ENDING if number != signal.SIGINT else ():
        if other != signal.SIGINT:
            signal.signal(other, signal.SIG_IGN)
    _heard.append(number)
    raise KeyboardInterrupt


def _again(number: int) -> None:
    later = threading.Timer(0.05, os.kill, (os.getpid(), number))
    later.daemon = True
    later.start()


def _lost(error: Any) -> None:
    """What Python calls for an error that nobody can hear, as in ``__del__``: a signal comes again then."""
    if error.exc_type is not KeyboardInterrupt or not _heard:
        sys.__unraisablehook__(error)
        return
    signal.signal(_heard[-1], _interrupt)
    _again(_heard.pop())


def _is_in_library(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] in ("numba", "llvmlite", "polars"):
            return True
        frame = frame.f_back
    return False
