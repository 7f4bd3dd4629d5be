"""Isolates user code: a fault of a method makes only its cell (one result) fail, unless it ends the process.

In: a fitted verifier and ``Problems`` (n,); for ``smoke_test`` and ``warm_up_kernels`` verifiers that are not fitted.
Out: scores (n,) or (n, features), no fixed range, and answers (n,) from 0 to 1, both higher = same author, 0.5 =
unanswered; masks (n,) of problems without words or known letters. MethodError or AnswerError where the method fails or
takes more than its seconds; InputError from ``smoke_test``. The others are contexts (one thread, stdout to stderr,
signals), or say whether a method runs a program.

Verifiers with parameters are tried on toy problems before anything is planned: what cannot work fails at once.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import sysconfig
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from ravenbench.components import Component, foreign, parts
from ravenbench.errors import CorpusError, InputError, MethodError, RavenError, SpecError, said
from ravenbench.limits import ENDING, cell_timeout
from ravenbench.text.damage import is_wordless
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Floats, Ints, Problems
from ravenbench.verifiers.contract.base import (
    Calibrated,
    Verifier,
    as_verifier,
    checked_answers,
    checked_scores,
    fresh,
)

_received: list[int] = []
"""Signals to end that were noted in this process."""
_watching: dict[int, Any] = {}
"""What handles them while they are noted."""
THREADS = "OMP_NUM_THREADS"
_worker: list[int] = []
"""The process that called ``in_worker``, if it is this one."""


class Reported(RavenError):
    """What a method raised in a process of its own, as ``tell`` put it there."""


class _TimeUp(BaseException):
    """No ``Exception``, for methods catch those."""


@contextmanager
def isolated() -> Iterator[None]:
    """Raise MethodError if a method raises something that is not an ``Exception``, or takes longer than the limit; a
    ``KeyboardInterrupt`` that a signal caused still ends the program. The current folder is what it was.
    """
    with watched() as noted, _same_folder():
        before = len(noted)
        try:
            with _limited():
                yield
        except _TimeUp as late:
            raise MethodError(
                f"the method took longer than {late} seconds, the limit (--cell-timeout)"
            ) from None
        except Exception:
            if len(noted) > before:
                raise KeyboardInterrupt from None
            raise
        except BaseException as error:
            if len(noted) > before or isinstance(error, GeneratorExit):
                raise
            raise MethodError(
                f"the method tried to end the program ({type(error).__name__}: {said(error)})"
            ) from error
        if len(noted) > before:
            # The method caught what the signal raised.
            raise KeyboardInterrupt


@contextmanager
def _same_folder() -> Iterator[None]:
    """Go back afterwards to the current folder, from which Raven's own paths are meant."""
    folder = None
    with suppress(OSError):  # it may be gone
        folder = os.getcwd()  # noqa: PTH109
    try:
        yield
    finally:
        with suppress(OSError):
            if folder is not None and os.getcwd() != folder:  # noqa: PTH109
                os.chdir(folder)


def in_worker() -> None:
    """Say that this process may be ended: another takes its place."""
    _worker[:] = [os.getpid()]


@contextmanager
def _limited() -> Iterator[None]:
    """Raise ``_TimeUp`` where Python runs when time is up; a worker that does not come back for it is ended."""
    seconds = cell_timeout()
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: Any) -> None:
        raise _TimeUp(f"{seconds:g}")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    if _worker == [os.getpid()]:
        faulthandler.dump_traceback_later(seconds + min(seconds, 10.0), exit=True)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


@contextmanager
def watched() -> Iterator[list[int]]:
    """Note signals to end that arrive meanwhile, once for all guarded within; only the main thread gets them."""
    if threading.current_thread() is not threading.main_thread():
        yield []
        return
    if _watching and all(
        signal.getsignal(signum) is handler for signum, handler in _watching.items()
    ):
        yield _received
        return
    before: dict[int, Any] = {signum: signal.getsignal(signum) for signum in ENDING}
    outer = _watching.copy()

    def note(number: int, frame: Any) -> None:
        try:
            before[number](number, frame)
        except BaseException:
            # One that was put off, since a kernel is being loaded, comes again.
            _received.append(number)
            raise

    for signum, handler in before.items():
        _watching[signum] = note if callable(handler) else handler
        if callable(handler):
            signal.signal(signum, note)
    try:
        yield _received
    finally:
        _watching.clear()
        _watching.update(outer)
        for signum, handler in before.items():
            # A handler may have put another in its own place.
            if signal.getsignal(signum) is note:
                signal.signal(signum, handler)


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """What methods and the libraries below them print goes to stderr: stdout is for results.

    In other threads than the main one, as on a Dask worker, only what Python prints is redirected.
    """
    with redirect_stdout(sys.stderr):
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        flush()
        try:
            stdout = os.dup(1)
        except OSError:  # closed
            yield
            return
        try:
            with suppress(OSError):
                os.dup2(2, 1)
            yield
        finally:
            flush()
            os.dup2(stdout, 1)
            os.close(stdout)


def flush() -> None:
    """Flush the stdout buffers of Python and C."""
    with suppress(OSError, ValueError, AttributeError):
        if sys.__stdout__ is not None:
            sys.__stdout__.flush()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).fflush(None)


@contextmanager
def one_thread() -> Iterator[None]:
    """Linear algebra on one thread: a unit has one core, and sums depend on how many threads share them.

    The limit applies to libraries that are loaded already. So those that methods use are loaded first, and the one of
    scikit-learn, which takes a second to import, reads the environment when a method loads it.
    """
    import scipy.linalg  # noqa: F401

    before = os.environ.get(THREADS)
    libraries = _libraries(len(sys.modules))
    if before == "1" and all(library.num_threads == 1 for library in libraries.lib_controllers):
        yield
        return
    os.environ[THREADS] = "1"
    try:
        with libraries.limit(limits=1):
            yield
    finally:
        if before is None:
            os.environ.pop(THREADS, None)
        else:
            os.environ[THREADS] = before


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """The libraries that are loaded, looked for again (which takes milliseconds) when further modules were imported."""
    return ThreadpoolController()


def tell(error: Exception) -> str:
    """An error as a cell keeps it: one line, then where it happened."""
    if isinstance(error, Reported):
        return str(error.args[0])
    try:
        where = "".join(traceback.format_exception(error))[-2000:]
    except Exception:  # an exception of user code may fail at anything
        where = ""
    # What a bad input says stands in several lines; here the first has all of it.
    message = said(error).replace("\n  ", "; ") if isinstance(error, InputError) else said(error)
    return (
        f"{type(error).__name__}:"
        f" {message}{_line_of_method(error)}\n{where.encode('utf-8', 'backslashreplace').decode()}"
    )


def _line_of_method(error: Exception) -> str:
    """The line of a method's own file at which an error left it; empty where it is none of a user's."""
    installed = (
        str(Path(__file__).parents[1]),
        sysconfig.get_path("purelib"),
        sysconfig.get_path("stdlib"),
    )
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((*installed, "<"))
    ]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""


class Scores(Protocol):
    """What scores problems in the place of a fitted verifier's own scorer."""

    def score(self, problems: Problems) -> Floats: ...


def answer(
    verifier: Verifier, test: Problems, features: Scores | None = None
) -> tuple[Floats, Floats]:
    """Raw scores, and answers (n,) from 0 to 1, of a fitted verifier, the same where it has no scorer; AnswerError
    if they are invalid."""
    if isinstance(verifier, Calibrated):
        raw = features.score(test) if features is not None else verifier.scorer_.score(test)
        scores = checked_scores(raw, len(test), verifier)
        answers = checked_answers(verifier.calibrator_.transform(scores), test.ids, verifier)
        return scores, np.where(without_words(test), 0.5, answers)
    answers = np.where(
        without_words(test), 0.5, checked_answers(verifier.verify(test), test.ids, verifier)
    )
    return answers, answers


_BARE = WeakKeyDictionary[TextTable, NDArray[np.int8]]()
"""Whether the texts of a table contain no word; −1 if this was not asked."""


def without_words(problems: Problems) -> Bools:
    """Return True (n,) for problems with a side without words: there is nothing to go by, and no method's answer
    counts."""
    texts = problems.texts
    rows = problems.documents
    # Every method and fold asks about the same texts.
    seen = _BARE.setdefault(texts, np.full(len(texts), -1, np.int8))
    for row in rows[seen[rows] < 0].tolist():
        seen[row] = is_wordless(texts[row])
    if not (seen[rows] > 0).any():
        return np.zeros(len(problems), dtype=bool)
    bare = seen > 0
    return _one_side(bare, problems)


def _one_side(bare: Bools, problems: Problems) -> Bools:
    """Problems (n,) whose questioned text, or all of whose known texts, are among those marked."""
    known = (
        np.bincount(problems.owner, weights=~bare[problems.known_index], minlength=len(problems))
        == 0
    )
    return np.asarray(bare[problems.questioned_index] | known)


UNTAUGHT = "one side has no letter that occurs in the training texts"
_LETTER = WeakKeyDictionary[TextTable, NDArray[np.int32]]()
"""Code point of a letter from the start of each text of a table, 0 without one, −1 where nobody asked."""


def untaught(taught: Problems, test: Problems) -> Bools:
    """True (n,) for problems one of whose sides has no letter of those learned from, as where they are in another
    script: there is nothing to go by. None where nothing was learned here."""
    rows = test.documents
    letter_code = _LETTER.setdefault(test.texts, np.full(len(test.texts), -1, np.int32))
    for row in rows[letter_code[rows] < 0].tolist():
        letters_of = sorted(filter(str.isalpha, test.texts[row][:80]))
        letter_code[row] = ord(letters_of[len(letters_of) // 2]) if letters_of else 0
    for learned in (
        taught.documents[:1],
        taught.documents[:500],
    ):  # one text has most of the letters
        characters = frozenset[str]().union(
            *(taught.texts[row][:2_000] for row in learned.tolist())
        )
        letters = frozenset(filter(str.isalpha, characters))
        codes = {ord(letter) for letter in letters}
        of_rows = zip(rows.tolist(), letter_code[rows].tolist(), strict=True)
        unlike = [row for row, code in of_rows if code not in codes]
        rows = np.array([row for row in unlike if letters.isdisjoint(test.texts[row])], np.int64)
        if not len(rows):
            break
    if not letters or not len(rows):
        return np.zeros(len(test), dtype=bool)
    return _one_side(np.isin(np.arange(len(test.texts)), rows), test)


def answer_each(verifier: Verifier, test: Problems) -> tuple[Floats, Floats, dict[str, str]]:
    """As ``answer``, but a problem on which the method fails is left unanswered (0.5); also its reason, by id.

    The set is halved until each problem at fault is found. Where more than ten and more than a tenth of them
    fail, or all do, the fault is the method's and its error is raised, as it is for transductive methods.
    """
    faults: dict[str, str] = {}
    most_failures = min(max(10, len(test) // 10), len(test) - 1)

    def work(rows: Ints) -> list[tuple[Ints, Floats, Floats]]:
        try:
            return [
                (rows, *answer(verifier, test if len(rows) == len(test) else test.select(rows)))
            ]
        except (MemoryError, OSError):
            raise
        except Exception as error:
            if len(rows) == 1:
                faults[str(test.ids[rows[0]])] = (
                    f"the method failed ({type(error).__name__}: {said(error)})"
                )
            if verifier.transductive or len(faults) > most_failures:
                raise
        return (
            []
            if len(rows) == 1
            else [answer for half in np.array_split(rows, 2) for answer in work(half)]
        )

    parts = work(np.arange(len(test), dtype=np.int64))
    scores = np.full((len(test), *parts[0][1].shape[1:]), np.nan)
    answers = np.full(len(test), 0.5)
    for rows, score, value in parts:
        scores[rows] = score
        answers[rows] = value
    bare = dict.fromkeys(
        test.ids[without_words(test)].tolist(), "one side has no word that can be used"
    )
    return scores, answers, bare | faults


def runs_program(component: Component) -> bool:
    """Whether a method or one within it runs an outside program or calls a service: nothing but the run itself may."""
    return any(getattr(component_part, "outside", False) for component_part in parts(component))


def smoke_test(components: Mapping[str, Component]) -> None:
    """Fit those of Raven's own verifiers that have parameters, and let them answer toy problems.

    One that runs an outside program or calls a service is fitted, which looks for it, and does not answer. Not tried
    are verifiers at their defaults, neural ones, and those of users and packages, whose needs are not known. InputError
    if one cannot work; nothing was planned or written then.
    """
    tried = {
        name: component
        for name, component in components.items()
        if "(" in str(component) and _ours(component)
    }
    for name, component in tried.items():
        try:
            _on_toys(component)
        except CorpusError:
            # Toy problems can be too few for a method, real ones need not be.
            continue
        except InputError as error:
            raise type(error)(
                f"{name} does not work: {error.problem}",
                found=error.found,
                expected=error.expected,
                fix=error.fix,
            ) from error
        except Exception as error:
            raise SpecError(
                f"{name} does not work: it fails on toy problems",
                found=f"{type(error).__name__}: {said(error)}",
                fix="check its parameters: raven list verifier, and the docstring of the method",
            ) from error


def rehearsable(components: Mapping[str, Component]) -> list[Component]:
    """Raven's own verifiers among these: what others print at import would mix with our output."""
    return [
        component
        for component in components.values()
        if _ours(component) and not runs_program(component)
    ]


def warm_up_kernels(components: Sequence[Component]) -> None:
    """Fit and score toy problems, so that kernels are compiled; errors are ignored."""
    for component in components:
        with suppress(Exception):
            _on_toys(component)


def _on_toys(component: Component) -> None:
    from ravenbench.problems.toys import toy_problems

    with one_thread(), stdout_to_stderr(), isolated():
        verifier = as_verifier(fresh(component)).fit(*toy_problems(60, seed=1))
        if not runs_program(component):
            answer(verifier, toy_problems(20, seed=2)[0].blind())


def _ours(component: Component) -> bool:
    quick = not any(part.trains_long for part in parts(component))
    return quick and not foreign(component)
