"""``raven pan14``: every verifier trained on the train part and tested on the test part of every corpus given.

A run's folder whose folds are corpora. ``plan.json`` has, beside folds, verifiers and cells:

    "corpora": [{"name", "fold", "language", "genre", "train", "test": {"problems", "same", "known", "words"},
                 "faults": {id: reason}, "fault_truth": {id: bool}, "left_out": {id: reason}, "notes": […],
                 "shared": {"documents": in both parts, "problems": [test ids that touch one]}}, …]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ravenbench import registry
from ravenbench.bench.run.execute import Progress, silent
from ravenbench.bench.run.plan import begin, data_hash, describe, manifest, on_one_table, packages
from ravenbench.bench.shared.engines import Engine, local
from ravenbench.bench.shared.folder import take_up
from ravenbench.bench.shared.keys import cell_key, decides
from ravenbench.bench.shared.result import RunResult
from ravenbench.bench.shared.store import Store
from ravenbench.bench.shared.units import FitUnit
from ravenbench.bench.verify.api import check_classes
from ravenbench.components import Component, identity_hash
from ravenbench.errors import FormatError, SpecError
from ravenbench.formats.collector import identity_key
from ravenbench.formats.problem_set import ProblemSet
from ravenbench.formats.problems import read_problem_sets
from ravenbench.problems.sources import given
from ravenbench.types import Bools, Problems

DEFAULT = "raven-2026, impostors, cng-2013, ppm, char-ngram, function-words"
"""The meta-classifier needs no fit: the report averages the answers of all."""


@dataclass(frozen=True, eq=False)
class Parts:
    """A corpus: its training problems and its test problems, both with truth."""

    name: str
    train: ProblemSet
    test: ProblemSet


def pan14(
    data: Sequence[str | Path],
    *,
    verifiers: str | Sequence[str | Component] | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> RunResult:
    """Train and test every verifier on every corpus; resume where an earlier call stopped.

    Parameters
    ----------
    data : sequence of path
        Zips or folders that hold one corpus or several, each with ``train`` and ``test``, or folders of zips.
    verifiers : str or sequence, optional
        Comma-separated names, or components.
    out : path, optional
        The run's folder; by default ``raven-runs/pan14-<hash>``.
    workers : int, optional
        Processes; all cores by default. Decides nothing but time.
    engine : Engine, optional
        Where units are worked on instead (see ``ravenbench.bench.shared.engines``); its workers see the same folder.

    Raises
    ------
    InputError
        Before any long work, if something cannot be used.
    """
    named = named_verifiers(verifiers)
    work = engine or local(workers)
    progress("reading the problems", 0, 0)
    corpora = read_corpora(data)
    for corpus in corpora:
        check_classes(corpus.name, corpus.train.truth())
    hashes = {f"data {i}": data_hash(str(path)) for i, path in enumerate(data)}
    spec = {"verifiers": {name: identity_hash(decides(component)) for name, component in named.items()}}
    folder = Path("raven-runs") / f"pan14-{identity_hash([spec, hashes])[:8]}" if out is None else Path(out)

    def write(store: Store, record: dict[str, Any]) -> None:
        _plan(store, record, named, corpora)

    store = take_up(folder, spec, hashes, write)
    units = []
    for entry in store.plan["cells"]:
        cell = store.read_cell(entry["key"])
        if cell is None or cell.error is not None:
            component = named[entry["verifier"]]
            cells = ((entry["key"], entry["fold"]),)
            units.append(FitUnit(store.path, entry["verifier"], component, cells, isolate=True))
    errors: list[str] = []
    if units:
        progress("fitting and scoring", 0, len(units))
        for done, failed in enumerate(work(units), start=1):
            errors += failed
            progress("fitting and scoring", done, len(units))
    return RunResult(store, tuple(errors))


def named_verifiers(verifiers: str | Sequence[str | Component] | None) -> dict[str, Component]:
    """Verifiers by the name they print; without any given, those of ``DEFAULT`` that are here.

    Raises
    ------
    SpecError
        If one does not parse, two print alike, or there is none.
    """
    if verifiers is None:
        verifiers = [name for name in registry.split(DEFAULT) if name in registry.targets("verifier")]
    texts: Sequence[str | Component] = registry.split(verifiers) if isinstance(verifiers, str) else verifiers
    named: dict[str, Component] = {}
    for text in texts:
        component = registry.parse("verifier", text) if isinstance(text, str) else text
        if str(component) in named:
            raise SpecError(f"verifier {str(component)!r} is listed twice")
        named[str(component)] = component
    if not named:
        raise SpecError("no verifier is given", expected="a comma-separated list", fix=DEFAULT)
    return named


def read_corpora(data: Sequence[str | Path]) -> list[Parts]:
    """Every corpus with a train and a test part, in the order found.

    Raises
    ------
    InputError
        If a path holds none, a part has no truth, or two corpora have one name.
    """
    corpora: list[Parts] = []
    for path in data:
        parts: dict[str, dict[str, ProblemSet]] = {}
        for found in read_problem_sets(path):
            parts.setdefault(found.name, {})[found.split or "whole"] = found
        whole = {name: p for name, p in parts.items() if {"train", "test"} <= p.keys()}
        if not whole:
            seen = ", ".join(f"{name} ({', '.join(sorted(p))})" for name, p in sorted(parts.items()))
            raise FormatError(
                "no corpus here has both a train and a test part", file=path, found=seen,
                expected="CORPUS/train and CORPUS/test, each with truth.txt",
                fix="raven verify takes the two parts from different places",
            )  # fmt: skip
        for name, own in whole.items():
            own["train"].truth()
            own["test"].truth()
            corpora.append(Parts(name, own["train"], own["test"]))
    twice = [name for name, count in Counter(c.name for c in corpora).items() if count > 1]
    if twice:
        raise FormatError("two corpora have one name", found=twice[0], fix="give one of them, or rename its folder")
    return corpora


def shared_documents(train: Problems, test: Problems) -> tuple[int, Bools]:
    """How many documents stand in both sets (white space aside), and which test problems touch one, (n,)."""

    def identities(problems: Problems) -> dict[int, bytes]:
        return {int(row): identity_key(problems.texts[row]) for row in problems.documents}

    asked = identities(test)
    both = set(identities(train).values()) & set(asked.values())
    touched = np.zeros(len(test.texts), dtype=bool)
    touched[[row for row, key in asked.items() if key in both]] = True
    problems = touched[test.questioned_index]
    problems[test.owner[touched[test.known_index]]] = True
    return len(both), problems


def _plan(store: Store, record: dict[str, Any], named: dict[str, Component], corpora: list[Parts]) -> None:
    # At PAN-2014 nobody was told authors or topics: where files give them, verifiers do not see them.
    texts, sets = on_one_table([s.problems.blind() for c in corpora for s in (c.train, c.test)])
    folds = [
        given(sets[2 * i], c.train.truth(), sets[2 * i + 1], c.test.truth(), f"corpus-{i:02d}", setup=c.name)
        for i, c in enumerate(corpora)
    ]
    begin(store, record | {"packages": packages()})
    texts.save(store.path / "texts")
    store.save_labels([texts.hash(i).hex() for i in range(len(texts))], {})
    for fold in folds:
        store.save_fold(fold)
    manifests = {fold.name: manifest(fold) for fold in folds}
    cells = [
        {"key": cell_key(component, info["train_digest"], info["test_digest"]), "verifier": name, "fold": fold}
        for name, component in named.items()
        for fold, info in manifests.items()
    ]
    store.write_plan(
        {
            "corpora": [_entry(c, fold.name) for c, fold in zip(corpora, folds, strict=True)],
            "setups": [{"setup": c.name, "folds": [fold.name]} for c, fold in zip(corpora, folds, strict=True)],
            "folds": manifests,
            "verifiers": [describe(name, component) for name, component in named.items()],
            "cells": cells,
        }
    )


def _entry(corpus: Parts, fold: str) -> dict[str, Any]:
    documents, touched = shared_documents(corpus.train.problems, corpus.test.problems)
    return {
        "name": corpus.name,
        "fold": fold,
        "language": corpus.test.language,
        "genre": corpus.test.genre,
        "train": _sizes(corpus.train),
        "test": _sizes(corpus.test),
        "faults": dict(corpus.test.faults),
        "fault_truth": dict(corpus.test.fault_truth),
        "left_out": dict(corpus.train.faults),
        "notes": [*(f"train: {note}" for note in corpus.train.notes), *(f"test: {note}" for note in corpus.test.notes)],
        "shared": {"documents": documents, "problems": corpus.test.problems.ids[touched].tolist()},
    }


def _sizes(part: ProblemSet) -> dict[str, Any]:
    problems = part.problems
    words = [len(problems.texts[row].split()) for row in problems.documents]
    return {
        "problems": len(problems),
        "same": int(part.truth().sum()),
        "known": float(problems.sizes.mean()),
        "words": float(np.mean(words)),
    }
