"""About how long the cells of a plan take and how much memory, from a few problems of it that are tried."""

from __future__ import annotations

import math
import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np

from ravenbench.components import Component, parts
from ravenbench.engine.guard import isolated, one_thread, runs_program, stdout_to_stderr
from ravenbench.engine.pool import Progress, silent
from ravenbench.store.records import CellPlace
from ravenbench.texts import TextTable
from ravenbench.types import Bools, Fold, Ints, Problems
from ravenbench.verifiers.contract.base import as_verifier, fresh

FEWEST, MOST = 8, 32
"""Problems or texts that are tried first, and at most."""
ENOUGH = 0.03
"""CPU seconds of a try from which on no larger one is made."""
LONG = 0.3
"""CPU seconds of a try from which on what it loads weighs little, so that it is not repeated."""
SHORT = 2500
"""Characters of each text that is read for a try."""
REPORT, CELL = 1.5, 0.0025
"""CPU seconds of a report, and of each cell in it."""
BEGINNING = 12_000
"""Characters of each text that is read for a try of what takes no problems."""
Seconds = tuple[float, tuple[str, ...]]
"""CPU seconds, and the names of methods that are not among them, for nobody knows their time."""
HELD = 6
"""Bytes that a worker is taken to hold for each byte of text, mostly counts of words and n-grams: a rough allowance."""


def around(cells: int) -> float:
    """CPU seconds of start and planning, which took as many until now, and of a report of so many cells."""
    return time.process_time() + REPORT + CELL * cells


class _Compiling:
    """CPU seconds that went into kernels being compiled, which is done once on a machine; a listener of numba's."""

    def __init__(self) -> None:
        self.seconds, self._begun = 0.0, list[float]()

    def notify(self, event: Any) -> None:
        if event.is_start:
            self._begun.append(time.process_time())
        elif (begin := self._begun.pop()) and not self._begun:
            self.seconds += time.process_time() - begin


def _timed(work: Callable[[int], object], few: int) -> float:
    """CPU seconds of ``work(few)`` without those in which kernels are compiled."""
    from numba.core.event import Listener, install_listener

    Listener.register(_Compiling)
    compiling, begin = _Compiling(), time.process_time()
    with install_listener("numba:compile", compiling):
        work(few)
    return time.process_time() - begin - compiling.seconds


def reckon(work: Callable[[int], object], whole: float, most: int = MOST, fewest: int = FEWEST) -> float | None:
    """CPU seconds that ``work(whole)`` takes, from ``work`` of few (before them of fewer, to load what it needs), of
    twice as many and so on: what grows with their number goes on growing. None where it fails."""
    import sklearn  # noqa: F401 - what most methods load is no part of their time

    tried = list[tuple[int, float]]()
    count = min(fewest, most)
    try:
        with one_thread(), stdout_to_stderr(), isolated(), warnings.catch_warnings(action="ignore"):
            try:
                first, seconds = max(1, count // 4), _timed(work, max(1, count // 4))
            except Exception:  # too few for it
                first, seconds = count, _timed(work, count)
            if seconds > LONG:
                tried.append((first, seconds))
            while not tried or (tried[-1][1] < ENOUGH and 2 * count <= most):
                count = 2 * count if tried else count
                tried.append((count, _timed(work, count)))
    except Exception:  # whatever a method does on so few is no fault of the plan
        return None
    (few, least), (many, seconds) = tried[-2:] if len(tried) > 1 else [(0, 0.0), tried[0]]
    return seconds + max(seconds - least, 0.0) / (many - few) * max(whole - many, 0)


def of_beginnings(work: Callable[[list[str]], object], texts: Sequence[str]) -> float | None:
    """CPU seconds that ``work`` on all texts takes, from the beginnings of few and of more; None where it fails."""
    short = [text[:BEGINNING] for text in texts[:MOST]]
    whole = sum(map(len, texts)) / max(sum(map(len, short)), 1) * len(short)
    some = len(short) // 4
    try:
        with one_thread(), stdout_to_stderr(), isolated(), warnings.catch_warnings(action="ignore"):
            try:
                _, few = (_timed(lambda count: work(short[:count]), count) for count in (some, some))
            except Exception:  # too few for it
                work(short)
                some, few = 0, 0.0
            many = _timed(lambda count: work(short[:count]), len(short))
    except Exception:
        return None
    each = max(many - few, 0.0) / (len(short) - some)
    return many + each * max(whole - len(short), 0)


def untimed(component: Any) -> bool:
    """Whether a method is not tried for a plan: it runs a program, asks a service, or learns for long."""
    return runs_program(component) or any(getattr(part, "trains_long", False) for part in parts(component))


def of_folds(
    methods: Mapping[str, Any], folds: Sequence[Fold], missing: Iterable[CellPlace], progress: Progress = silent
) -> Seconds:
    """CPU seconds of cells of verifiers, each tried on one fold and reckoned by the bytes of the problems of all."""
    by_name, places = {fold.name: fold for fold in folds}, dict[str, list[Fold]]()
    for place in missing:
        places.setdefault(place.verifier, []).append(by_name[place.fold])
    each = dict[str, float | None]()
    for done, (name, every) in enumerate(places.items()):
        progress("trying methods", done, len(places))
        taught = [fold.train for fold in {fold.train_digest(): fold for fold in every}.values()]
        answered = [fold.test for fold in every]
        each[name] = None if untimed(methods[name]) else _tried(methods[name], every[0], taught, answered)
    return summed(each)


def summed(each: Mapping[str, float | None]) -> Seconds:
    """All seconds that are known, and whose are not."""
    return sum(filter(None, each.values())), tuple(name for name, seconds in each.items() if seconds is None)


class _Beginnings:
    """The beginnings of texts, as a transform."""

    def fit(self, texts: Sequence[str]) -> Self:
        return self

    def transform(self, texts: Sequence[str]) -> list[str]:
        return [text[:SHORT] for text in texts]


def _bytes(problems: Problems) -> float:
    """Bytes of the texts of problems; a text counts as often as it is asked about."""
    size = np.diff(problems.texts.offsets)
    return float(size[problems.known_index].sum() + size[problems.questioned_index].sum())


def _alike(few: Problems, sets: Sequence[Problems]) -> float:
    """How many problems like these few have as many bytes of text as all sets."""
    return sum(map(_bytes, sets)) / max(_bytes(few), 1.0) * len(few)


def _tried(method: Any, fold: Fold, taught: Sequence[Problems], answered: Sequence[Problems]) -> float | None:
    """CPU seconds to learn from these sets of problems and to answer those, by a fold with shortened texts; None if it
    fails."""
    fitted = list[Any]()
    search = {name: few for name, few in getattr(method, "in_small", {}).items() if few < getattr(method, name)}
    longer = math.prod(getattr(method, name) / few for name, few in search.items())
    tried = fresh(method).set_params(**search) if search else method
    rows = first_of_both(fold.train_same, MOST)
    train, same = fold.train.select(rows).map_texts(_Beginnings()), fold.train_same[rows]
    test = fold.test.blind().select(np.arange(min(MOST, len(fold.test)))).map_texts(_Beginnings())

    def fit(count: int) -> None:
        rows = first_of_both(same, count)
        fitted[:] = [as_verifier(fresh(tried)).fit(train.select(rows), same[rows])]

    learning = reckon(fit, _alike(train, taught), len(train))
    answering = learning and reckon(
        lambda count: fitted[0].verify(test.select(np.arange(count))), _alike(test, answered), len(test)
    )
    return None if learning is None or answering is None else longer * learning + answering


def first_of_both(same: Bools, count: int) -> Ints:
    """The first problems of both classes, about as many of each."""
    rank = np.empty(len(same))
    for kind in (same, ~same):
        rank[kind] = np.arange(kind.sum())
    return np.sort(np.argsort(rank, kind="stable")[:count]).astype(np.int64)


def megabytes(texts: TextTable | None) -> float:
    """Memory of a worker: what this process took for the plan at most, and what is held of the texts."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return most + HELD * (0 if texts is None else int(texts.offsets[-1])) / 2**20


def of_authors(
    methods: Mapping[str, Any],
    texts: Sequence[str],
    author: Sequence[Any],
    topic: Sequence[Any],
    fits: float,
    more: Mapping[str, int] | None = None,
) -> Seconds:
    """CPU seconds of methods that name authors, each learning so many times from all of these texts and answering as
    many; ``more`` are further times of some methods, by name."""
    from sklearn.base import clone

    def work(method: Any, count: int) -> None:
        rows = np.unique(np.linspace(0, len(texts) - 1, count).astype(int)).tolist()
        columns = [[column[row] for row in rows] for column in (texts, author, topic)]
        clone(method).fit(*columns[: 3 if getattr(method, "reads_topics", False) else 2]).predict(columns[0])

    each = {
        name: None if isinstance(method, Component) and untimed(method) else reckon(partial(work, method), len(texts))
        for name, method in methods.items()
    }
    further = more or {}
    every = {name: one and one * (fits + further.get(name, 0)) for name, one in each.items()}
    return summed(every)


def of_recipe(recipe: Any, tasks: Sequence[Any], seed: int) -> float | None:
    """CPU seconds that an obfuscator takes for these tasks; None for one that nobody tries: it searches, runs a program
    or sends texts away."""
    if recipe.sends_text or untimed(recipe) or not tasks or recipe.estimate(tasks) is not None:
        return None
    return reckon(lambda few: fresh(recipe).fit(tasks[:few]).obfuscate_all(tasks[:few], seed), len(tasks), 2, 1)
