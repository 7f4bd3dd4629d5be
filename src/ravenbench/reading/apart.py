"""Reads documents in a separate process, so that a file that hangs or crashes its reader does not end the command.

In: the path of a file, the name of its format and an encoding or None.
Out: a list of ``Document``s; the reader's error; Unreadable if reading took more than its limit of processor seconds
or bytes of memory. ``serve`` is that process, ``limited`` gives a part of a file half of the time, ``too_late`` a
sentence.

``read_apart`` is called by the command. It starts this module as a separate process, which reads one file after
another: it receives a line of JSON with the path and sends a line with the documents or the error. Each file has
``A_MEGABYTE`` seconds of processor time for each 2**20 bytes, all files together ``SECONDS`` more, and the process has
``MEMORY`` bytes of address space. Raven imports a reader's ``LIBRARIES`` before it counts time.
"""

from __future__ import annotations

import atexit
import importlib
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from ravenbench import errors
from ravenbench.errors import InputError
from ravenbench.programs import end_with, me
from ravenbench.reading.collector import checked_text
from ravenbench.reading.document import FIX, Document, Unreadable, guarded
from ravenbench.seams import document_formats

SECONDS = 1.0
A_MEGABYTE = 10.0
LEAST = 0.02
"""Seconds of processor time: what all files share (and a command has for the first file of a format); what a file has
for each 2**20 bytes; and what it has at least. Time that a file does not use is added to what all share."""
MEMORY = 2 * 2**30


class _Request(msgspec.Struct):
    path: str
    format: str
    encoding: str | None
    seconds: float
    memory: int


class _Error(msgspec.Struct):
    kind: str
    problem: str
    found: str | None
    expected: str | None
    fix: str | None


class _Answer(msgspec.Struct):
    documents: list[Document] = []
    error: _Error | None = None
    seconds: float = 0.0


class _Late(BaseException):
    """A file's time is over."""


class _Server:
    """The process, as the command sees it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        paths = [str(Path(folder).absolute()) for folder in sys.path if folder]
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-P",
                "-c",
                f"from ravenbench.reading.apart import serve; serve{me()}",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        )
        atexit.register(self.stop)

    def read(self, request: _Request) -> _Answer | int:
        """The answer, or with which code the process ended instead."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(msgspec.json.encode(request) + b"\n")
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if line.endswith(b"\n"):
            return msgspec.json.decode(line, type=_Answer, dec_hook=lambda kind, value: kind(value))
        return self._process.wait()

    def stop(self) -> None:
        if self.owner == os.getpid():
            self._process.kill()
            self._process.communicate()
            atexit.unregister(self.stop)


_lock = threading.Lock()
_servers: list[_Server] = []
_shared = [SECONDS]
_formats = set[str]()


def read_apart(path: Path, name: str, encoding: str | None) -> list[Document]:
    """Read the documents of a file in the separate process; ``name`` is its format.

    Raises what the reader raises, and Unreadable if the process ended while it read the file."""
    with _lock:
        if _servers and _servers[0].owner != os.getpid():
            _servers.clear()
        if not _servers:
            _servers.append(_Server())
        server = _servers[0]
        answer: _Answer | int | None = None
        try:
            size_limit = A_MEGABYTE * path.stat().st_size / 2**20
            seconds = size_limit + max(LEAST, _shared[0]) + SECONDS * (name not in _formats)
            _formats.add(name)
            address = os.fsencode(path.absolute()).decode("latin-1")
            answer = server.read(_Request(address, name, encoding, seconds, MEMORY))
        finally:
            seconds_used = answer.seconds if isinstance(answer, _Answer) else seconds
            _shared[0] = min(SECONDS, max(0.0, _shared[0] + size_limit - seconds_used))
            if not isinstance(answer, _Answer):
                server.stop()
                _servers.clear()
    if isinstance(answer, int):
        late = -answer in [getattr(signal, name, 0) for name in ("SIGXCPU", "SIGVTALRM")]
        raise Unreadable(
            too_late(seconds) if late else "the reader crashed on this file",
            file=path,
            expected=name,
            fix=FIX,
        )
    if answer.error is not None:
        error = answer.error
        kind = Unreadable if error.kind == "Unreadable" else getattr(errors, error.kind, InputError)
        raise kind(
            error.problem, file=path, found=error.found, expected=error.expected, fix=error.fix
        )
    return [msgspec.structs.replace(document, path=path) for document in answer.documents]


def too_late(seconds: float) -> str:
    """Return the sentence on a file that takes more than this many seconds of processor time."""
    return f"reading it takes more than {seconds:.1f} seconds, the limit for a file of this size"


def serve(parent: int, at_once: bool) -> None:
    """Answer requests until there are no more."""
    end_with(parent, at_once)
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints
    for line in sys.stdin.buffer:
        request = msgspec.json.decode(line, type=_Request)
        answer = _answer(request)
        try:
            encoded = msgspec.json.encode(answer, enc_hook=_address)
        except UnicodeEncodeError:
            encoded = msgspec.json.encode(
                _writable_value(msgspec.to_builtins(answer, enc_hook=_address))
            )
        output.write(encoded + b"\n")
        output.flush()


def _address(path: Path) -> str:
    """In the place of a document's path, which the command knows better: a name may be no Unicode."""
    return ""


def _writable_value(value: Any) -> Any:
    """The same with U+FFFD for each half of a character."""
    if isinstance(value, dict):
        return {key: _writable_value(inner_value) for key, inner_value in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_writable_value, value)]
    return (
        value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if isinstance(value, str)
        else value
    )


def _late(*_: object) -> None:
    raise _Late


@contextmanager
def limited(path: Path, size: int) -> Iterator[None]:
    """Raise Unreadable if reading one part of a file (``size`` in bytes) takes half the time of the file, so that Raven
    can still read the other parts; do nothing if no time is counted."""
    seconds_left = (
        signal.getitimer(signal.ITIMER_PROF)[0] if hasattr(signal, "ITIMER_PROF") else 0.0
    )
    seconds = 0.2 + A_MEGABYTE / 2 * size / 2**20
    began = time.process_time()
    if seconds_left <= seconds:
        yield
        return
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds, 1)
        yield
    except _Late:
        raise Unreadable(too_late(seconds), file=path) from None
    finally:
        signal.setitimer(
            signal.ITIMER_PROF, max(LEAST, seconds_left - time.process_time() + began), 1
        )


def _limit(request: _Request) -> None:
    """Bound what one file may take; some systems know no such limits. Native code, which nothing interrupts, ends
    soon after it, and with it the process."""
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        signal.signal(signal.SIGPROF, _late)
        signal.setitimer(signal.ITIMER_PROF, request.seconds, 1)
        signal.setitimer(signal.ITIMER_VIRTUAL, request.seconds + 0.1)
        seconds = math.ceil(time.process_time() + request.seconds + 0.1)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(
            resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1])
        )
        resource.setrlimit(
            resource.RLIMIT_AS, (request.memory, resource.getrlimit(resource.RLIMIT_AS)[1])
        )


def _answer(request: _Request) -> _Answer:
    module, _, function = document_formats()[request.format].reader.partition(":")
    path = Path(os.fsdecode(request.path.encode("latin-1")))
    reading = importlib.import_module(module)
    for library in getattr(reading, "LIBRARIES", ()):
        with suppress(ImportError):
            importlib.import_module(library)
    reader = getattr(reading, function)
    began = time.process_time()
    try:
        _limit(request)
        with guarded(path, request.format):
            documents = reader(path, request.encoding)
            for document in documents:
                checked_text(document.text)
            return _Answer(documents, None, time.process_time() - began)
    except _Late:
        error: InputError = Unreadable(too_late(request.seconds), expected=request.format, fix=FIX)
    except InputError as unread:
        error = unread
    finally:
        with suppress(AttributeError):
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    found = None if error.found is None else str(error.found)
    shown = _Error(type(error).__name__, error.problem, found, error.expected, error.fix)
    return _Answer([], shown, time.process_time() - began)
