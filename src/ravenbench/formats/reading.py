"""The process that reads documents: one that hangs, swells or falls over a file takes no command with it.

``read_apart`` is called by the command, and starts this module as a process of its own, which serves one file after
another: a line of JSON with the path comes in, a line with the documents or the error goes out. Each file has
``SECONDS`` of the processor, and the process ``MEMORY`` bytes of address space.
"""

from __future__ import annotations

import atexit
import importlib
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import msgspec

from ravenbench import errors
from ravenbench.errors import InputError
from ravenbench.formats.document import Document, Unreadable, guarded
from ravenbench.programs.parent import end_with, me
from ravenbench.seams import document_formats

SECONDS = 10
"""Of the processor for a file, and ``A_MEGABYTE`` more for each 2**20 bytes."""
A_MEGABYTE = 10
MEMORY = 2 * 2**30


class _Request(msgspec.Struct):
    path: str
    format: str
    encoding: str | None
    seconds: int
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


class _Server:
    """The process, as the command sees it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        paths = [str(Path(place).absolute()) for place in sys.path if place]
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from ravenbench.formats.reading import serve; serve{me()}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
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


def read_apart(path: Path, name: str, encoding: str | None) -> list[Document]:
    """The documents of a file, read by the process; ``name`` is its format. Raises what the reader raises, and
    Unreadable where the process ended over it."""
    with _lock:
        if _servers and _servers[0].owner != os.getpid():
            _servers.clear()
        if not _servers:
            _servers.append(_Server())
        server = _servers[0]
        answer: _Answer | int | None = None
        try:
            seconds = SECONDS + A_MEGABYTE * (path.stat().st_size // 2**20)
            answer = server.read(_Request(str(path.absolute()), name, encoding, seconds, MEMORY))
        finally:
            if not isinstance(answer, _Answer):
                server.stop()
                _servers.clear()
    if isinstance(answer, int):
        late = answer == -getattr(signal, "SIGXCPU", 0)
        raise Unreadable(
            f"reading it takes more than {seconds} seconds, the limit" if late else "no reader gets through this file",
            file=path, expected=name, fix="open it in the program that wrote it, and save it as plain text",
        )  # fmt: skip
    if answer.error is not None:
        error = answer.error
        kind = Unreadable if error.kind == "Unreadable" else getattr(errors, error.kind, InputError)
        raise kind(error.problem, file=path, found=error.found, expected=error.expected, fix=error.fix)
    return [msgspec.structs.replace(document, path=path) for document in answer.documents]


def serve(parent: int, at_once: bool) -> None:
    """Answer requests until there are no more."""
    end_with(parent, at_once)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints
    for line in sys.stdin.buffer:
        request = msgspec.json.decode(line, type=_Request)
        _limit(request)
        answer = _answer(request)
        out.write(msgspec.json.encode(answer, enc_hook=str) + b"\n")
        out.flush()


def _limit(request: _Request) -> None:
    """Bound what one file may take; some systems know no such limits."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = int(used.ru_utime + used.ru_stime) + request.seconds
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        resource.setrlimit(resource.RLIMIT_AS, (request.memory, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _answer(request: _Request) -> _Answer:
    module, _, function = document_formats()[request.format].reader.partition(":")
    path = Path(request.path)
    try:
        reader = getattr(importlib.import_module(module), function)
        with guarded(path, request.format):
            return _Answer(reader(path, request.encoding))
    except InputError as error:
        found = None if error.found is None else str(error.found)
        return _Answer(error=_Error(type(error).__name__, error.problem, found, error.expected, error.fix))
