"""Runs methods that are not Raven's so that they see only the texts of the problems they are handed (contract 22).

In: a method (``Component``), a ``Store``, and ``Problems`` (n) to learn from with truth, or to answer.
Out: ``learned`` gives an ``Apart`` (what the method learned); ``answered`` gives arrays by name: scores, and answers
(n,) from 0 to 1, higher = same author, 0.5 = unanswered; ``exposed`` gives text: why the method may know more ("" = it
does not; None of Raven's methods, and where a plan replaces no content). ``outsider`` (bool) says which methods are
not Raven's; ``parts`` gives rows asked together. Unsendable or MethodError if its process cannot be used.

A call gets a table of its own texts, in an order and under ids that follow from their content. A spliced text and its
original are never in the same call, so a set may take several calls. Each call is answered in a process of its own,
behind walls (``engine.walls``) where the system has them: it saw what the method learned from, and nothing else, and
leaves nothing to the next. How it ran, "confined" or "not confined: in good faith" and why, is noted as that of outside
programs is (``CellRecord.programs``). What a method brings along, in its code, its files or weights, no wall keeps out:
reports say so of every such method.
"""

from __future__ import annotations

import copy
import gc
import hashlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib import import_module
from itertools import chain
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from ravenbench import files, registry
from ravenbench.components import Component, foreign, is_estimator, is_known, leaves
from ravenbench.engine import guard, walls
from ravenbench.errors import MethodError, visible
from ravenbench.limits import RunLimits, hold, limits_here
from ravenbench.programs import (
    adopt_orphans,
    die_with_parent,
    end_descendants,
    end_with,
    me,
    note,
    noted,
    ways,
)
from ravenbench.store.records import GOOD_FAITH
from ravenbench.store.store import Store, open_store
from ravenbench.text.copies import Copies, Sketch
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Ints, Labels, Problems, name_array
from ravenbench.verifiers.contract.base import as_verifier, checked_answers, fresh
from ravenbench.verifiers.contract.languages import check_language

FORKS = sys.platform == "linux"
PRELOADED = (
    "sklearn.pipeline",
    "sklearn.linear_model",
    "sklearn.feature_extraction.text",
    "torch",
    "transformers",
    "numba",
)
"""Modules that are loaded once for all processes, where this one or a method has loaded their package."""
_used = set[str]()
_servers = threading.local()
MOST_OPEN = 2**20
MOST_COPIED = 0.01
"""Share of texts asked about that may repeat texts learned from: so few move no AUC by the margin of the verdict."""
PATIENCE = 15.0
"""Seconds that a server has for ending what methods left running."""


def made_here(method: Any) -> str:
    """Why others' code may have seen a run: it was loaded in this process; "" where it was not."""
    return "its code ran in Raven's own process" if any(map(ran_here, _others(method))) else ""


def ran_here(one: Any) -> bool:
    """Say whether code of others, which this is or represents, was loaded in this process."""
    return not _stands(one) or one.was_here or _module(one) in sys.modules


def _module(one: Any) -> str:
    """The module of what is of others, as the user named it where that is known."""
    # Its object may have a parameter that is called as what its class stands for.
    cls: Any = type(one)
    return str(cls.stands_for[-1].partition(":")[0] if _stands(one) else cls.__module__)


def _stands(value: Any) -> bool:
    """Whether a value stands for one of a class of others, as its class alone cannot say."""
    return type(value) in registry.STAND_INS.values()


def _others(method: Any) -> list[Any]:
    """What a method and its parts are of others' classes."""
    return [one for one in _told(method) if _configured(one) and not is_known(type(one))]


def _told(method: Any) -> Iterator[Any]:
    """A method, and what its user said of it and its parts; not what others' code replied of these."""
    for one in leaves(method):
        yield one
        if _configured(one):
            yield from _told(one.given_ if _stands(one) else one.get_params(deep=False))


def _configured(value: Any) -> bool:
    return isinstance(value, Component) or is_estimator(value)


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

    They are in the order of their ids, which are hashes of their content; labels name nobody else.
    """
    texts, row = own_table(problems.texts, problems.documents)
    rows_used = np.argsort(row)[(row < 0).sum() :]
    repeated = Counter[bytes]()
    names = list[str]()
    for i, questioned in enumerate(problems.questioned_index.tolist()):
        content = problems.texts.hashes[[*problems.known(i), questioned]].tobytes()
        repeated[content] += 1
        names.append(
            hashlib.blake2b(content + bytes(repeated[content]), digest_size=10).hexdigest()
        )
    labels: dict[str, Any] = {
        column: Labels.of(old.take(rows_used))
        for column in ("author", "topic", "language")
        if (old := getattr(problems, column)) is not None
    }
    moved = replace(
        problems,
        texts=texts,
        ids=name_array(names),
        known_index=row[problems.known_index],
        questioned_index=row[problems.questioned_index],
        **labels,
    )
    order: Ints = np.argsort(names)
    return moved.select(order), order


def parts(store: Store, fold: str, test: Problems) -> list[Ints]:
    """Rows, (k,) each, of problems of a fold that may be asked together: about equally many, and no spliced text
    beside its original."""
    record = store.plan.folds[fold]
    if record.transplanted is None or record.source is None:
        return [np.arange(len(test), dtype=np.int64)]
    source = store.shared_fold(record.source).test
    origin = {
        arm_id(fold, name): row
        for name, row in zip(source.ids.tolist(), source.questioned_index.tolist(), strict=True)
    }
    return divided(test, [origin[name] for name in test.ids.tolist()])


def divided(test: Problems, origin: Sequence[int]) -> list[Ints]:
    """Rows of problems that may be asked together, as in ``parts``; ``origin`` (n,) are the rows of the texts that the
    questioned ones were made from, which may be their own."""
    questioned = test.questioned_index.tolist()
    cited = [{*test.known(i).tolist(), row} for i, row in enumerate(questioned)]
    originals = [{made_from} - {row} for made_from, row in zip(origin, questioned, strict=True)]
    for count in range(1, len(test) + 1):
        members = [list[int]() for _ in range(count)]
        seen = [set[int]() for _ in range(count)]
        barred = [set[int]() for _ in range(count)]
        for i, rows in enumerate(cited):
            fitting = [
                group
                for group in range(count)
                if originals[i].isdisjoint(seen[group]) and rows.isdisjoint(barred[group])
            ]
            if not fitting:
                break
            smallest = min(fitting, key=lambda group: len(members[group]))
            members[smallest].append(i)
            seen[smallest] |= rows
            barred[smallest] |= originals[i]
        else:
            return [np.array(group, dtype=np.int64) for group in members]
    return []


Given = tuple[Any, dict[str, Any]]
"""What a function gives that is called in a process: the next state there, and the reply."""


class Unsendable(Exception):
    """A method cannot be sent to another process."""


@contextmanager
def process(view: Sequence[str]) -> Iterator[Process]:
    """A ``Process`` that sees a view (``walls.view``) of the file system; one at a time in a thread.

    With this block it ends, and so do all that it started and what it kept; unless the block ends in order, what it was
    forked from too.
    """
    folder = str(Path.cwd())
    paths = [one or folder for one in sys.path]
    server: Server | None = getattr(_servers, "last", None)
    if server is None or not server.serves():
        if server is not None:
            server.end()
        server = _servers.last = Server(paths)
    environment = os.environ | {guard.THREADS: "1"}
    unbroken = False
    with (
        tempfile.TemporaryDirectory(prefix="apart-", ignore_cleanup_errors=True) as scratch,
        tempfile.TemporaryFile(buffering=0) as log,
        server.begin(log.fileno()) as line,
    ):
        process = Process(line, log)
        setup = paths, folder, environment, asdict(limits_here()), scratch, view
        try:
            process.obstacle = process.reply_to(msgspec.msgpack.encode(setup))["obstacle"]
            yield process
            unbroken = FORKS
        finally:
            if not unbroken:
                server.end()
            process.tell()


@dataclass
class Process:
    """A process behind walls that knows what it is sent; ``obstacle`` says why there are no walls, and its folder for
    temporary files is then one of this process. It is a fork of one that never ran a method, where systems fork."""

    line: Connection
    log: IO[bytes]
    """What it prints, of which so many bytes were ``printed`` here."""
    printed: int = 0
    obstacle: str = ""

    def ask(self, do: Callable[..., Any], *args: Any) -> dict[str, Any]:
        """What ``do(state, *args)`` gives there, beside the next state.

        Unsendable if it cannot be sent, guard.Reported with what it raised, MethodError if its process ended.
        """
        try:
            question = pickled((do, args))
        except Exception as error:
            raise Unsendable from error
        reply = self.reply_to(question)
        _used.update(name for name in PRELOADED if name in reply["loaded"])
        for escape in filter(None, reply["ways"].split("; ")):
            note(escape)
        if reply["error"] is not None:
            raise guard.Reported(reply["error"]) if reply["began"] else Unsendable(reply["error"])
        result: dict[str, Any] = reply["result"]
        for name, value in result.items():
            if isinstance(value, list):
                dtype, shape, data = value
                result[name] = np.frombuffer(data, dtype).reshape(shape).copy()
        return result

    def reply_to(self, question: bytes) -> dict[str, Any]:
        """Its reply to one message."""
        try:
            self.line.send_bytes(question)
            reply: dict[str, Any] = msgspec.msgpack.decode(self.line.recv_bytes())
        except (OSError, EOFError, msgspec.DecodeError):
            raise MethodError(
                "the method ended its process (native code crashed, or memory ran out)"
            ) from None
        self.tell()
        return reply

    def tell(self) -> None:
        """Print what the method printed, without what steers a terminal."""
        while said := os.pread(self.log.fileno(), 2**20, self.printed):
            self.printed += len(said)
            with suppress(OSError):
                os.write(2, visible(said.decode(errors="replace")).encode())


class Server:
    """What processes are forked from: it has loaded Raven and libraries, and saw no text and no code of others."""

    def __init__(self, paths: Sequence[str]) -> None:
        # What lies elsewhere may be others' code under the name of a library.
        installed = [
            one for one in paths if "-packages" in one or one.startswith(sys.base_prefix + os.sep)
        ]
        installed.append(str(Path(files.__file__).parents[1]))
        code = (
            f"import sys; sys.path[:] = {installed!r}; from ravenbench.engine.apart import serve;"
            f" serve{me()}"
        )
        self.of = os.getpid()
        self.loaded = {*_loaded(), *_used}
        self.control, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-c", code, *sorted(self.loaded)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env=os.environ | {guard.THREADS: "1"},
            )

    def serves(self) -> bool:
        """Whether it lives, is this process's own, and has loaded what methods use."""
        mine = self.of == os.getpid() and self.process.poll() is None
        return mine and self.loaded >= _used

    def begin(self, log: int) -> Connection:
        """Start a process that prints into an open file; the line to it."""
        ours, theirs = Pipe()
        with theirs, suppress(OSError):  # a server that ended answers nothing
            socket.send_fds(self.control, [b"begin"], [theirs.fileno(), log])
        return ours

    def end(self) -> None:
        """End it and what came from it, unless it is another process's."""
        if self.of != os.getpid():
            return
        self.process.terminate()  # it ends what the method left, wherever that went
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.control.close()


def _loaded() -> list[str]:
    """What of ``PRELOADED`` is of packages that this process has loaded."""
    return [name for name in PRELOADED if name.partition(".")[0] in sys.modules]


def pickled(value: Any) -> bytes:
    """A value for another process of this program; classes of scripts and notebooks go with it."""
    import cloudpickle

    return bytes(cloudpickle.dumps(value))


def serve(parent: int, at_once: bool) -> None:
    """Fork a process for each method, one after the other, as long as one is asked for; it does nothing else.

    Where systems fork, all that a method started ends with its process, also what began a session of its own; elsewhere
    this process is that of the first method.
    """
    for name in ("cloudpickle", "ravenbench.verifiers.calibrators", *sys.argv[1:]):
        with suppress(Exception):
            import_module(name)
    obstacle = walls.obstacle()
    adopt_orphans()
    signal.signal(signal.SIGTERM, _end)
    end_with(parent, at_once, signal.SIGTERM)
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    gc.freeze()  # else each fork's first search for garbage copies all that it shares
    while True:
        handed_over, numbers, *_ = socket.recv_fds(control, 16, 2)
        end_descendants()  # the last process, which answers no more
        if not handed_over:
            os._exit(0)
        if not FORKS or not os.fork():
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _begin(numbers[0], numbers[1], obstacle)
        for number in numbers:
            os.close(number)


def _begin(line: int, log: int, obstacle: str) -> None:
    """Have a process of its own answer, and end all that it leaves."""
    if FORKS:
        os.setpgid(0, 0)
        adopt_orphans()
        child = os.fork() if obstacle else walls.enter()
        die_with_parent()
        if child:
            os.closerange(0, MOST_OPEN)
            os.waitpid(child, 0)
            end_descendants()
            os._exit(0)
    for number in (1, 2):
        os.dup2(log, number)
    os.dup2(line, 3)
    os.closerange(4, MOST_OPEN)
    _answer(Connection(3), obstacle)


def _end(number: int, frame: object) -> None:
    """End the server and all that methods left."""
    signal.signal(number, signal.SIG_IGN)
    end_descendants()
    os._exit(1)


def _answer(line: Connection, obstacle: str) -> None:
    """Call one function after the other, as they are sent, until none comes."""
    setup = msgspec.msgpack.decode(line.recv_bytes())
    sys.path[:], folder, environment, limits, scratch, view = setup
    os.environ.clear()
    os.environ.update(environment)
    if not obstacle:
        os.chdir(folder)
        walls.close(scratch, view)
        scratch = tempfile.mkdtemp(dir=walls.PRIVATE_FOLDERS[0])
        os.environ.update(walls.inside())
    os.chdir(folder)
    os.environ.update(dict.fromkeys(("TMPDIR", "TEMP", "TMP"), scratch))
    hold(RunLimits(**limits))
    sys.dont_write_bytecode = True
    sys.argv[1:] = []
    tempfile.tempdir = None
    reply: dict[str, Any] = {"obstacle": obstacle}
    state = None
    files.stand_alone()
    while True:
        line.send_bytes(
            msgspec.msgpack.encode(
                reply, enc_hook=lambda array: [array.dtype.str, array.shape, array.tobytes()]
            )
        )
        try:
            question = line.recv_bytes()
        except EOFError:
            os._exit(0)
        result = dict[str, Any]()
        error = None
        began = False
        with noted():
            try:
                with guard.isolated():
                    do, args = pickle.loads(question)  # noqa: S301 — our own pipe
                    began = True
                    state, result = do(state, *args)
            except Exception as problem:
                error = guard.tell(problem)
                if isinstance(problem, FileNotFoundError) and not obstacle:
                    error = error.replace("\n", f" ({walls.SEEN})\n", 1)
            escape = ways()
        guard.flush()  # what it printed, which a process that ends so does not write
        outcome = {"error": error, "began": began, "ways": escape, "loaded": _loaded()}
        reply = {"result": result, **outcome}


def load(state: Any, value: bytes) -> Given:
    """A state that was pickled."""
    return pickle.loads(value), {}  # noqa: S301 — our own pipe


def learn(state: Any, method: Component, train: Problems, same: Bools, check: bool) -> Given:
    """A verifier that learns from these problems; with ``check`` only in a language that it can read."""
    if check:
        check_language(method, train)
    return as_verifier(fresh(method)).fit(train, same), {}


def answers(state: Any, test: Problems, singly: bool) -> Given:
    """Scores and answers of a verifier, as ``guard.answer`` or ``answer_each``."""
    if singly:
        scores, values, faults = guard.answer_each(state, test)
    else:
        (scores, values), faults = guard.answer(state, test), {}
    return state, {"scores": scores, "answers": values, "faults": faults}


def dump(state: Any) -> Given:
    """The state, pickled; nothing where it cannot be."""
    with suppress(Exception):
        return state, {"state": pickled(state)}
    return state, {"state": b""}


@dataclass(frozen=True)
class Apart:
    """What a method learned, for processes that are asked once each: a function and its arguments make it there, such
    as ``load``, or ``learn`` of what cannot be pickled. Whether it was shut in is noted as that of programs is
    (``programs.ways``)."""

    method: Any
    made_by: tuple[Any, ...]

    @classmethod
    def learned(cls, method: Any, store: Store | None, *made_by: Any) -> Apart:
        """What a function and its arguments make of a method in a process of its own."""
        again = cls(method, made_by)
        with again.process_for(store) as process:
            state = process.ask(dump)["state"]
        return cls(method, (load, state)) if state else again

    @contextmanager
    def process_for(self, store: Store | None) -> Iterator[Process]:
        """A process that has learned and was asked nothing; it ends with this block. The folder of a run is not seen
        there."""
        texts = [one for one in _told(self.method) if isinstance(one, str)]
        run = None if store is None else store.path
        with process(walls.view(map(_module, _others(self.method)), texts, run)) as knowing:
            obstacle = knowing.obstacle or made_here(self.method)
            note(f"{GOOD_FAITH} ({obstacle})" if obstacle else "confined")
            knowing.ask(*self.made_by)
            yield knowing


def learned(
    method: Component,
    store: Store,
    train: Problems,
    same: Bools,
    *,
    check: bool = True,
    here: bool = False,
    learn: Callable[..., Given] = learn,
) -> Any:
    """An outsider that has learned from training problems, for ``answered``; ``here``: in this process, as one that is
    saved must."""
    problems, order = handed(train)
    lesson = method, problems, np.asarray(same)[order], check
    if not here and foreign(method) and (not made_here(method) or replaces_content(store)):
        with suppress(Unsendable):
            return Apart.learned(method, store, learn, *lesson)
    return learn(None, *lesson)[0]


def sent(verifier: Component, store: Store) -> Any:
    """The same of one that learned before."""
    if foreign(verifier) and replaces_content(store):
        with suppress(Exception):
            return Apart(verifier, (load, pickled(verifier)))
    return verifier


def answered(
    learned: Any,
    store: Store,
    fold: str,
    test: Problems,
    *,
    each: bool = False,
    calls: Sequence[Ints] | None = None,
    answers: Callable[..., Given] = answers,
) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the content of a cell of an outsider, asked in as many ``calls`` as necessary (rows of each; by default
    ``parts``); ``each`` as ``answers``."""
    joined: dict[str, NDArray[Any]] = {}
    faults: dict[str, str] = {}
    for rows in parts(store, fold, test) if calls is None else calls:
        problems, order = handed(test.select(rows))
        if isinstance(learned, Apart):
            with learned.process_for(store) as process:
                reply = process.ask(answers, problems, each)
            if "answers" in reply:  # that they were checked there, its code may have seen to
                checked_answers(reply["answers"], problems.ids, learned.method)
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
        reason = ""
    elif foreign(method):
        reason = "it cannot be sent to another process"
    elif escape:
        reason = "" if escape == "confined" else f"the program may keep what it sees ({escape})"
    else:
        reason = "a service answers, and the service may keep what it sees"
    return reason or _taught(store.path, files.sha256(store.path / "plan.json"))


@lru_cache(maxsize=2)
def _taught(run: Path, plan: str) -> str:
    """Return the training data that may reveal the questions to a method; "" where it is nothing."""
    store = open_store(run)
    sources = {fold.source: 1 for fold in store.plan.folds.values() if fold.transplanted}
    folds = [store.shared_fold(source) for source in sources if source]
    if not folds:
        return ""
    sides = [(fold.train.documents, fold.test.questioned_index) for fold in folds]
    rows = np.unique(np.concatenate([*chain(*sides)]))
    copies = Copies.among([Sketch.of(store.texts[row]) for row in rows.tolist()])
    copied_from = np.zeros(len(store.texts), np.int64)
    copied_from[rows] = copies.sources()
    for taught, questioned in sides:
        if not len(taught):
            return "Raven does not know what texts it learned from"
        if np.isin(questioned, taught).any():
            return "some of the questioned texts are among those it learned from"
        copied = np.isin(copied_from[questioned], copied_from[taught])
        if copied.mean() > MOST_COPIED:
            return (
                f"{copied.sum()} of {len(copied)} questioned texts repeat texts that it learned"
                " from"
            )
    return ""
