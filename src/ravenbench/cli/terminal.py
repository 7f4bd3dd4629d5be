"""Terminals that show ASCII alone, or another small set, get what is like the characters they lack; and SIGTERM, which
schedulers and service managers send, is obeyed with the care that Ctrl-C gets."""

from __future__ import annotations

import atexit
import codecs
import io
import os
import signal
import sys
import threading
from types import FrameType

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
    undecodable = error.object[error.start : error.end]
    return "".join(_LIKE.get(c) or _otherwise(c) for c in undecodable), error.end


def _otherwise(character: str) -> str:
    if ord(character) in _BOXES:
        return "|" if character in "│┃║╎┊" else "-" if character in "─━═╌┈" else "+"
    return character.encode("ascii", "backslashreplace").decode()


INTERRUPTED, TERMINATED = 130, 143
"""Exit codes: 128 and the number of the signal, as shells count."""

_heard: list[int] = []


def listen() -> None:
    """From now on SIGTERM interrupts as SIGINT does, and either is remembered; a second SIGTERM is ignored."""
    _heard.clear()
    atexit.unregister(_deaf)
    atexit.register(_deaf)  # what is registered first is called last
    signal.signal(signal.SIGTERM, _interrupt)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def interrupted() -> bool:
    """Whether a signal to end came. A library may have made another error of it: drawing in C does."""
    return bool(_heard)


def farewell() -> int:
    """Remove the private folders of workers that were stopped; returns the exit code."""
    from ravenbench.programs.parent import sweep  # numpy comes with it, for which --help need not wait

    sweep(patience=5.0)
    return TERMINATED if signal.SIGTERM in _heard else INTERRUPTED


def obey() -> None:
    """End now if SIGTERM came, which a library may have kept from being heard. Raises SystemExit with 143."""
    if signal.SIGTERM in _heard:
        raise SystemExit(farewell())


def last() -> None:
    """From now on, when nothing is left to be done, a signal ends the process at once and with its own code; and when
    Python itself ends, which would forget that, none does any more."""
    signal.signal(signal.SIGTERM, lambda number, frame: os._exit(TERMINATED))
    if signal.getsignal(signal.SIGINT) is _interrupt:
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))


def _deaf() -> None:
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> None:
    if _compiling(frame):
        # LLVM, interrupted where it loads a kernel, is given nothing and ends the process by a fault.
        later = threading.Timer(0.05, os.kill, (os.getpid(), number))
        later.daemon = True
        later.start()
        return
    if number == signal.SIGTERM:
        signal.signal(number, signal.SIG_IGN)
    _heard.append(number)
    raise KeyboardInterrupt


def _compiling(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_globals.get("__name__", "").split(".")[0] in ("numba", "llvmlite"):
            return True
        frame = frame.f_back
    return False
