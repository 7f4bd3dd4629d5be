"""Runs methods that are not Raven's so that they see only the texts of the problems they are handed (contract 22).

In: a method (``Component``), a ``Store``, and ``Problems`` (n) to learn from with truth, or to answer.
Out: ``learned`` gives an ``Apart`` (what the method learned); ``answered`` gives arrays by name: scores, and answers
(n,) from 0 to 1, higher = same author, 0.5 = unanswered; ``exposed`` gives text: why the method may know more ("" = it
does not; None of Raven's methods, and where a plan replaces no content). ``outsider`` (bool) says which methods are
not Raven's; ``parts`` gives rows asked together. Unsendable or MethodError if its process cannot be used.

A call gets a table of its own texts, in an order and under ids that follow from what they hold. No spliced text stands
beside the text that it was made from, so a set may take several calls. Where a plan replaces content, each call is
answered in a process of its own: it saw what the method learned from, and nothing else. That process is watched, by
Python's audit events alone, and not shut in: files that it writes, or that hold texts asked about, programs and
connections could tell it more. So could all that an unconfined program keeps. Where any is seen no method is cleared of
content, and its cells say why (``CellRecord.exposed``); what no event tells of is not seen, and so reports say of every
such method how far it is known (``VerifierRecord.confinement``).
"""

from __future__ import annotations

import bz2
import copy
import gc
import gzip
import hashlib
import io
import lzma
import os
import pickle
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ravenbench import files
from ravenbench.components import Component, foreign
from ravenbench.engine import guard
from ravenbench.errors import MethodError
from ravenbench.limits import RunLimits, hold, limits_here
from ravenbench.programs import adopt_orphans, end_descendants, end_with, me, note, noted, ways
from ravenbench.store.store import Store, open_store
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Ints, Labels, Problems, name_array
from ravenbench.verifiers.contract.base import as_verifier, fresh
from ravenbench.verifiers.contract.languages import check_language

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
AT = {
    "os.mkdir": 0,
    "os.rename": 1,
    "os.link": 1,
    "os.symlink": 1,
    "os.utime": 0,
    "os.chmod": 0,
    "os.chown": 0,
}
AT |= {"os.remove": 0, "os.rmdir": 0}
"""Audit events, beside ``open``, that leave traces on a disk, and which argument is the place; in their last one is the
folder that it lies in."""
MAKES = AT | {"os.truncate": 0, "os.setxattr": 0, "os.removexattr": 0, "sqlite3.connect": 0}
STARTS, CONNECTS = (
    f"it {does} other programs, which may keep what they see" for does in ("starts", "connects to")
)
ACTS = dict.fromkeys(
    ("subprocess.Popen", "os.system", "os.posix_spawn", "os.exec", "os.fork", "os.forkpty"), STARTS
)
ACTS |= dict.fromkeys(("socket.connect", "socket.bind", "socket.sendto"), CONNECTS)
UNTOLD = {"shm_open": "it shares memory with other processes"}
UNTOLD |= dict.fromkeys(("mkfifo", "mknod"), "it makes pipes, which other processes may read")
"""Functions of which no event tells."""
UNSEEN = frozenset(
    {"open", "open64", "openat", "openat64", "creat", "fopen", "system", "fork", "popen", "socket"}
)
UNSEEN |= {
    "syscall",
    "mkdir",
    "rename",
    "link",
    "symlink",
    "shm_open",
    "shmget",
    "mq_open",
    "sem_open",
    *UNTOLD,
}
"""Functions of C by which nothing would be seen of a file or a program."""
LIBRARIES = frozenset({"numba.core.caching", "ctypes.util", "platform", "importlib.metadata"})
"""Modules whose files and programs hold nothing of what is asked, where they and ``TRUSTED`` packages alone act."""
TRUSTED = sys.stdlib_module_names | {"numba", "llvmlite", "numpy", "ravenbench"}
CODE = (".py", ".pyc", ".so", ".pyd", ".dll")
FORKS = sys.platform == "linux"
PRELOADED = (
    "sklearn.pipeline",
    "sklearn.linear_model",
    "sklearn.feature_extraction.text",
    "torch",
    "transformers",
)
"""Modules that are loaded once for all processes, where this one has loaded their package."""
_servers = threading.local()
SAMPLES = 64
LINE = 24
"""Texts of a run that are looked for in a file that a method reads, each by a line of so many bytes at least."""
PATIENCE = 15.0
"""Seconds that a server has for ending what methods left running."""
UNPACKED = 2**28
"""Bytes of a file up to which it is unpacked to look into it."""


def outsider(method: Any) -> bool:
    """True where a method is made of other classes than Raven's and scikit-learn's, or runs an outside program."""
    return isinstance(method, Component) and bool(foreign(method) or guard.runs_program(method))


def arm_id(fold: str, problem: str) -> str:
    """The id of a problem in a fold with other content: an answer kept by its id would else be taken over."""
    return hashlib.blake2b(f"{fold}\x1f{problem}".encode(), digest_size=8).hexdigest()


def replaces_content(store: Store) -> bool:
    """Whether a plan has test sets with other content, so that methods may be cleared of it."""
    return any(record.transplanted for record in store.plan.folds.values())


def own_table(texts: TextTable, row_numbers: Ints) -> tuple[TextTable, Ints]:
    """A table of these rows alone, in the order of their hashes, and the row there of each row (n,) here, −1 without
    one."""
    row_numbers = row_numbers[np.lexsort(texts.hashes[row_numbers].T[::-1])]
    row: Ints = np.full(len(texts), -1, dtype=np.int64)
    row[row_numbers] = np.arange(len(row_numbers))
    return TextTable.of_blocks(texts.blocks(row_numbers))[0], row


def handed(problems: Problems) -> tuple[Problems, Ints]:
    """The same problems over a table of their own texts, and the place (n,) of each among those given.

    They stand in the order of their ids, which are hashes of what they hold; labels name nobody else.
    """
    texts, row = own_table(problems.texts, problems.documents)
    rows_used = np.flatnonzero(row >= 0)[np.argsort(row[row >= 0])]
    repeated = Counter[bytes]()
    names = list[str]()
    for i, questioned in enumerate(problems.questioned_index.tolist()):
        content = problems.texts.hashes[[*problems.known(i), questioned]].tobytes()
        repeated[content] += 1
        names.append(
            hashlib.blake2b(content + bytes(repeated[content]), digest_size=10).hexdigest()
        )
    labels: dict[str, Any] = {
        column: None
        if (old := getattr(problems, column)) is None
        else Labels.of(old.take(rows_used))
        for column in ("author", "topic", "language")
    }
    known = row[problems.known_index]
    questioned_row = row[problems.questioned_index]
    moved = replace(
        problems,
        texts=texts,
        ids=name_array(names),
        known_index=known,
        questioned_index=questioned_row,
        **labels,
    )
    order: Ints = np.argsort(np.array(names, dtype=np.str_), kind="stable").astype(np.int64)
    return moved.select(order), order


def parts(store: Store, fold: str, test: Problems) -> list[Ints]:
    """Rows, (k,) each, of problems of a fold that may be asked together: about equally many, and no spliced text
    beside its original."""
    record = store.plan.folds[fold]
    if record.transplanted is None or record.source is None:
        return [np.arange(len(test), dtype=np.int64)]
    source = store.shared_fold(record.source).test
    origin = dict(
        zip(
            (arm_id(fold, i) for i in source.ids.tolist()),
            source.questioned_index.tolist(),
            strict=True,
        )
    )
    return divided(test, [origin[name] for name in test.ids.tolist()])


def divided(test: Problems, origin: Sequence[int]) -> list[Ints]:
    """Rows of problems that may be asked together, as in ``parts``; ``origin`` (n,) are the rows of the texts that the
    questioned ones were made from, which may be their own."""
    questioned = test.questioned_index.tolist()
    cited = [{*test.known(i).tolist(), row} for i, row in enumerate(questioned)]
    originals = [{made_from} - {row} for made_from, row in zip(origin, questioned, strict=True)]
    groups = next(
        filter(
            None, (_separate_groups(cited, originals, count) for count in range(1, len(test) + 1))
        ),
        [],
    )
    return [np.array(members, dtype=np.int64) for members in groups]


def _separate_groups(
    cited: Sequence[set[int]], originals: Sequence[set[int]], count: int
) -> list[list[int]] | None:
    """Problems in so many groups, none of which cites an original of its own; None where that needs more."""
    groups: list[tuple[list[int], set[int], set[int]]] = [([], set(), set()) for _ in range(count)]
    for i, (rows, original) in enumerate(zip(cited, originals, strict=True)):
        fitting = [group for group in groups if not original & group[1] and not rows & group[2]]
        if not fitting:
            return None
        members, visible, barred = min(fitting, key=lambda group: len(group[0]))
        members.append(i)
        visible |= rows
        barred |= original
    return [group[0] for group in groups]


class Unsendable(Exception):
    """A method cannot be sent to another process."""


class Process:
    """A process that knows what it is sent, with a folder of its own for temporary files; a fork of one that never
    ran a method, where systems fork. One at a time in a thread. ``files`` and ``acts`` gather what the method did
    there: files by path, and whether they were written."""

    def __init__(self) -> None:
        self.scratch = tempfile.TemporaryDirectory(prefix="apart-", ignore_cleanup_errors=True)
        self.files = dict[str, bool]()
        self.acts = list[str]()
        paths = [str(Path.cwd()) if folder == "" else folder for folder in sys.path]
        self._server: subprocess.Popen[bytes] | None = getattr(_servers, "last", None)
        if self._server is None or self._server.poll() is not None:
            code = (
                f"import sys; sys.path[:] = {paths!r}; from ravenbench.engine.apart import serve;"
                f" serve{me()}"
            )
            preload = [name for name in PRELOADED if name.partition(".")[0] in sys.modules]
            self._server = _servers.last = subprocess.Popen(
                [sys.executable, "-c", code, *preload],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                env=os.environ | {guard.THREADS: "1"},
            )
        environment = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self.scratch.name) | {
            guard.THREADS: "1"
        }
        self.pid = self._asked(
            (paths, str(Path.cwd()), dict(os.environ) | environment, asdict(limits_here()))
        )["pid"]

    def ask(self, do: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """What ``do(state, *args)`` gives there, beside the next state.

        Unsendable if it cannot be sent, guard.Reported with what it raised, MethodError if its process ended.
        """
        try:
            message = pickled((do, args))
        except Exception as error:
            raise Unsendable from error
        reply = self._asked(message)
        self.files |= {
            path: written or self.files.get(path, False) for path, written in reply["files"].items()
        }
        self.acts += reply["acts"]
        for escape in filter(None, reply["ways"].split("; ")):
            note(escape)
        if reply["error"] is not None:
            raise guard.Reported(reply["error"]) if reply["began"] else Unsendable(reply["error"])
        return {
            name: _unpacked(value) if isinstance(value, list) else value
            for name, value in reply["result"].items()
        }

    def _asked(self, question: Any) -> dict[str, Any]:
        server = self._server
        message = msgspec.msgpack.encode(question)
        assert server is not None and server.stdin is not None and server.stdout is not None
        try:
            server.stdin.write(len(message).to_bytes(8, "big") + message)
            server.stdin.flush()
            reply: dict[str, Any] = msgspec.msgpack.decode(
                _read_bytes(server.stdout, _size(server.stdout))
            )
        except BaseException as error:
            self.close()
            if not isinstance(error, OSError | msgspec.DecodeError):
                raise
            raise MethodError(
                "the method ended its process (a crash of native code, or memory ran out)"
            ) from None
        return reply

    def close(self, everything: bool = False) -> None:
        """End it, all that it started and what it kept; unless it is ``whole`` with all that it came from."""
        server = self._server
        self._server = None
        if server is None:
            return
        assert server.stdin is not None and server.stdout is not None
        if everything and FORKS:
            with suppress(OSError):
                server.stdin.write(bytes(8))
                server.stdin.flush()
                self.scratch.cleanup()
                return
        with suppress(OSError, AttributeError):
            os.killpg(self.pid, signal.SIGKILL)
        server.terminate()  # it ends what the method left, wherever that went
        try:
            server.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        for pipe in (server.stdin, server.stdout):
            with suppress(OSError):
                pipe.close()
        self.scratch.cleanup()


def _size(pipe: IO[bytes]) -> int:
    return int.from_bytes(_read_bytes(pipe, 8), "big")


def _read_bytes(pipe: IO[bytes], size: int) -> bytes:
    """So many bytes, and none beyond; fewer where the pipe ends."""
    data = bytearray()
    while len(data) < size and (chunk := pipe.read(size - len(data))):
        data += chunk
    return bytes(data)


def pickled(value: Any) -> bytes:
    """A value for another process of this program; classes of scripts and notebooks go with it."""
    import cloudpickle

    return bytes(cloudpickle.dumps(value))


def _unpacked(value: list[Any]) -> NDArray[Any]:
    dtype, shape, data = value
    return np.frombuffer(data, dtype).reshape(shape).copy()


def serve(parent: int, at_once: bool) -> None:
    """Fork a process for each method, one after the other, as long as there are questions; it does nothing else.

    Where systems fork, all that a method started ends with its process, also what began a session of its own.
    """
    if FORKS:
        adopt_orphans()
        signal.signal(signal.SIGTERM, _end)
        end_with(parent, at_once, signal.SIGTERM)
    else:
        end_with(parent, at_once)
    for name in ("cloudpickle", "ravenbench.verifiers.calibrators", *sys.argv[1:]):
        with suppress(Exception):
            import_module(name)
    questions = os.fdopen(os.dup(0), "rb", buffering=0)
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what a method prints is no reply
    mine = me()
    gc.freeze()  # else each fork's first search for garbage copies all that it shares
    while True:
        if FORKS:
            select.select([questions], [], [])  # what is asked is read by who answers it
            if child := os.fork():
                os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
                with suppress(OSError):
                    os.killpg(child, signal.SIGKILL)  # what it left running
                failed = os.waitpid(child, 0)[1]
                end_descendants()
                if failed:
                    os._exit(1)
                continue
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.setpgid(0, 0)
            for pipe in (questions, replies):
                os.register_at_fork(
                    after_in_child=pipe.close
                )  # nobody else answers, or keeps them open
            end_with(*mine)
        _serve(questions, replies)
        os._exit(0)


def _end(number: int, frame: object) -> None:
    """End the server and all that methods left."""
    signal.signal(number, signal.SIG_IGN)
    end_descendants()
    os._exit(1)


def _serve(questions: IO[bytes], replies: IO[bytes]) -> None:
    """Call one function after the other, as they are sent, until none comes."""

    def reply(value: dict[str, Any]) -> None:
        message = msgspec.msgpack.encode(
            value, enc_hook=lambda array: [array.dtype.str, array.shape, array.tobytes()]
        )
        replies.write(len(message).to_bytes(8, "big") + message)
        replies.flush()

    if not (size := _size(questions)):
        os._exit(1)  # nobody asks any more
    sys.path[:], folder, environment, limits = msgspec.msgpack.decode(_read_bytes(questions, size))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    hold(RunLimits(**limits))
    sys.dont_write_bytecode = True
    sys.argv[1:] = []
    tempfile.tempdir = None
    reply({"pid": os.getpid()})
    visible_paths = dict[str, bool]()
    acts = dict[str, None]()
    state = None
    sys.addaudithook(partial(_watch, visible_paths, acts))
    for module in ("_posixshmem", "os", "posix"):
        for name, act in UNTOLD.items():
            with suppress(ImportError, AttributeError):
                _tell(import_module(module), name, act, acts)
    files.stand_alone()
    while size := _size(questions):
        result = dict[str, Any]()
        error = None
        began = False
        with noted():
            try:
                with guard.isolated():
                    question = msgspec.msgpack.decode(_read_bytes(questions, size))
                    do, args = pickle.loads(question)  # noqa: S301 — our own pipe
                    began = True
                    state, result = do(state, *args)
            except Exception as problem:
                error = guard.tell(problem)
            escape = ways()
        reply(
            {
                "result": result,
                "error": error,
                "began": began,
                "ways": escape,
                "files": visible_paths,
                "acts": [*acts],
            }
        )


def _tell(module: Any, name: str, act: str, acts: dict[str, None]) -> None:
    """Have a function note that it is called."""
    function = getattr(module, name)

    def noticed(*args: Any, **named: Any) -> Any:
        acts[act] = None
        return function(*args, **named)

    setattr(module, name, noticed)


def _watch(
    visible_paths: dict[str, bool], acts: dict[str, None], event: str, args: tuple[Any, ...]
) -> None:
    """Note what an audit event tells of files, programs and connections, those of libraries left out."""
    if event == "ctypes.dlsym" and args[1] in UNSEEN:
        acts["it may use files unseen, by functions of C"] = None
    if event != "open" and event not in MAKES and event not in ACTS:
        return
    frame: Any = sys._getframe(1)
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        real = getattr(sys.modules.get(name), "__dict__", None)
        if name.partition(".")[0] not in TRUSTED or real is not frame.f_globals:
            break  # a method's own code, wherever it was called from
        if name in LIBRARIES:
            return
        frame = frame.f_back
    if event in ACTS:
        acts[ACTS[event]] = None
        return
    paths = [(args[MAKES.get(event, 0)], args[-1] if event in AT else -1)]
    paths += [(args[0], args[2])] if event == "os.rename" else []
    for place, folder in paths:
        named = place if event == "open" else _opened(place) or place
        if not isinstance(named, str | bytes | os.PathLike):
            continue
        path = os.path.abspath(os.path.join(_opened(folder), os.fsdecode(named)))  # noqa: PTH100, PTH118 — links stay
        written = event != "open" or bool((args[2] or 0) & WRITES)
        if written or not path.endswith(CODE):
            visible_paths[path] = written or visible_paths.get(path, False)


def _opened(number: Any) -> str:
    """The path of a file or folder that is open under a number; "" where it is none."""
    with suppress(OSError):
        return os.readlink(f"/proc/self/fd/{number}") if isinstance(number, int) else ""  # noqa: PTH115
    return ""


def load(state: Any, value: bytes) -> tuple[Any, dict[str, Any]]:
    """A state that was pickled."""
    return pickle.loads(value), {}  # noqa: S301 — our own pipe


def learn(
    state: Any, method: Component, train: Problems, same: Bools, check: bool
) -> tuple[Any, dict[str, Any]]:
    """A verifier that learns from these problems; with ``check`` only in a language that it can read."""
    if check:
        check_language(method, train)
    return as_verifier(fresh(method)).fit(train, same), {}


def answers(state: Any, test: Problems, singly: bool) -> tuple[Any, dict[str, Any]]:
    """Scores and answers of a verifier, as ``guard.answer`` or ``answer_each``."""
    if singly:
        scores, values, faults = guard.answer_each(state, test)
    else:
        (scores, values), faults = guard.answer(state, test), {}
    return state, {"scores": scores, "answers": values, "faults": faults}


def dump(state: Any) -> tuple[Any, dict[str, Any]]:
    """The state, pickled; nothing where it cannot be."""
    with suppress(Exception):
        return state, {"state": pickled(state)}
    return state, {"state": b""}


class Apart:
    """What a method learned, for processes that are asked once each. Where it cannot be pickled (``state`` is empty)
    each learns ``again``. ``exposed`` says why the method may know more."""

    def __init__(self, state: bytes, again: tuple[Any, ...] = ()) -> None:
        self.state = state
        self.again = again
        self.exposed = ""

    @classmethod
    def learned(cls, store: Store, *again: Any) -> Apart:
        """What a function and its arguments, such as ``learn``, make of a method in a process of its own."""
        apart = cls(b"", again)
        with apart.process_for(store) as process:
            apart.state = process.ask(dump)["state"]
        return apart

    @contextmanager
    def process_for(self, store: Store | None) -> Iterator[Process]:
        """A process that has learned and was asked nothing; it ends with this block. What it saw is held against the
        texts of a run, if there is one."""
        process = Process()
        unbroken = False
        try:
            process.ask(*((load, self.state) if self.state else self.again))
            yield process
            unbroken = True
        finally:
            try:
                self.exposed = self.exposed or ("" if store is None else _exposed(process, store))
            finally:
                process.close(unbroken)


def learned(
    method: Component,
    store: Store,
    train: Problems,
    same: Bools,
    *,
    check: bool = True,
    learn: Callable[..., tuple[Any, dict[str, Any]]] = learn,
) -> Any:
    """An outsider that has learned from training problems, for ``answered``."""
    problems, order = handed(train)
    again = learn, method, problems, np.asarray(same)[order], check
    if foreign(method) and replaces_content(store):
        with suppress(Unsendable):
            return Apart.learned(store, *again)
    return learn(None, *again[1:])[0]


def whole(learned: Any) -> Any:
    """What an outsider has learned, here; where it cannot be sent it learns again."""
    if not isinstance(learned, Apart):
        return learned
    do, *arguments = learned.again
    return load(None, learned.state)[0] if learned.state else do(None, *arguments)[0]


def sent(verifier: Component, store: Store) -> Any:
    """The same of one that learned before."""
    if foreign(verifier) and replaces_content(store):
        with suppress(Exception):
            return Apart(pickled(verifier))
    return verifier


def answered(
    learned: Any,
    store: Store,
    fold: str,
    test: Problems,
    *,
    each: bool = False,
    calls: Sequence[Ints] | None = None,
    answers: Callable[..., tuple[Any, dict[str, Any]]] = answers,
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """What a cell holds of an outsider, asked in as many ``calls`` as that takes (rows of each; by default ``parts``);
    ``each`` as ``answers``."""
    joined: dict[str, NDArray[Any]] = {}
    faults: dict[str, str] = {}
    for rows in parts(store, fold, test) if calls is None else calls:
        problems, order = handed(test.select(rows))
        if isinstance(learned, Apart):
            with learned.process_for(store) as process:
                reply = process.ask(answers, problems, each)
        else:
            _, reply = answers(_copied(learned), problems, each)
        rows_of_problem = rows[order]
        names = dict(zip(problems.ids.tolist(), test.ids[rows_of_problem].tolist(), strict=True))
        faults |= {names[name]: why for name, why in reply.pop("faults", {}).items()}
        for name, values in reply.items():
            joined.setdefault(name, np.full((len(test), *values.shape[1:]), np.nan))[
                rows_of_problem
            ] = values
    return joined, faults


def _copied(verifier: Any) -> Any:
    """A copy, without what earlier test sets may have left in it; the verifier itself where it cannot be copied."""
    try:
        return copy.deepcopy(verifier)
    except Exception:
        return verifier


def exposed(method: Any, store: Store, learned: Any) -> str | None:
    """Why an outsider may know more than it was handed, "" where it does not; None of others, and where none is cleared
    of content."""
    return why(method, store, learned) if outsider(method) and replaces_content(store) else None


def why(method: Any, store: Store, learned: Any) -> str:
    """The same of what is an outsider, where others' content was put into texts."""
    escape = ways()
    if isinstance(learned, Apart):
        reason = learned.exposed
    elif foreign(method):
        reason = "it cannot be sent to another process"
    elif escape:
        reason = "" if escape == "confined" else f"the program may keep what it sees ({escape})"
    else:
        reason = "a service answers it, which may keep what it sees"
    return reason or _taught(store.path, _planned(store))


def _planned(store: Store) -> float:
    """When a run was planned; 0 where nobody knows."""
    plan: Any = store.path / "plan.json"
    with suppress(Exception):
        return float(
            plan.fs.modified(plan.path).timestamp()
            if files.is_remote(plan)
            else plan.stat().st_mtime
        )
    return 0.0


@lru_cache(maxsize=2)
def _taught(run: Path, planned: float) -> str:
    """What methods learn from that may tell of what they are asked; "" where it is nothing."""
    store = open_store(run)
    for source in {
        fold.source: None for fold in store.plan.folds.values() if fold.transplanted and fold.source
    }:
        fold = store.shared_fold(source)
        if not len(fold.train):
            return "what it learned from is not known here"
        if np.isin(fold.test.questioned_index, fold.train.documents).any():
            return "some texts asked about are among those it learned from"
    return ""


def _exposed(process: Process, store: Store) -> str:
    """What would tell a method more than it was handed, by what was seen in its process; "" where there is nothing."""
    planned = _planned(store)
    run = None if files.is_remote(store.path) else os.path.realpath(store.path)
    reasons = list(process.acts)
    scratch = os.path.realpath(process.scratch.name)
    for place, written in process.files.items():
        path = Path(os.path.realpath(place))
        if place == os.devnull or path.is_relative_to(scratch):
            continue
        if written:
            reasons.append(f"it writes files ({path.name})")
        elif re.match(rf"/proc/(?!{process.pid}/)\d+/", place):
            reasons.append("it looks into other processes")
        elif run is not None and path.is_relative_to(run):
            reasons.append(f"it reads the run's own folder ({path.name})")
        elif not path.is_relative_to("/proc") and not path.is_relative_to("/sys"):
            with suppress(OSError):
                if path.is_file() and (
                    (changed := path.stat().st_mtime) > planned or _holds(path, changed, store.path)
                ):
                    reasons.append(f"it reads a file that may hold what is asked ({path.name})")
    return reasons[0] if reasons else ""


@lru_cache(maxsize=256)
def _holds(path: Path, changed: float, run: Path) -> bool:
    """Whether a file, packed or not, holds some texts of a run, or may: there is nothing to know them by."""
    data = path.read_bytes()
    lines = _lines(run)
    versions = [data]
    for unpack in UNPACKS if len(data) < UNPACKED else ():
        with suppress(Exception):
            versions.append(unpack(data))
    return not lines or any(line in version for version in versions for line in lines)


def _unzipped(data: bytes) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return b"\0".join(map(archive.read, archive.namelist()))


UNPACKS: tuple[Callable[[bytes], bytes], ...] = (
    zlib.decompress,
    gzip.decompress,
    bz2.decompress,
    lzma.decompress,
    _unzipped,
)


@lru_cache(maxsize=2)
def _lines(run: Path) -> list[bytes]:
    """The beginning of a long line of some texts of a run, in ASCII where that will do."""
    texts = open_store(run).texts
    lines = list[bytes]()
    for row in np.unique(np.linspace(0, len(texts) - 1, SAMPLES).astype(int)):
        for ends in (rb'[^\x20-\x7e]|["\\]', rb'[\x00-\x1f\x7f"\\]'):
            longest = max(re.split(ends, texts.raw(row)), key=len)
            if len(longest) >= LINE:
                lines.append(longest[: 2 * LINE])
                break
    return lines
