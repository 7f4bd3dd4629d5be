"""A run's answers as one evaluation: every verifier is a system, all complete folds of its setups are pooled."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ravenbench.bench.run.record import RunPlan
from ravenbench.errors import InputError
from ravenbench.files import location
from ravenbench.formats.answers import SystemAnswers, Truth
from ravenbench.store.store import Store
from ravenbench.types import Floats, Fold, Ints, Labels, name_array


def is_run(path: str | Path) -> bool:
    """Whether a path is a folder that a command such as ``raven run`` wrote."""
    place = location(path)
    return (place / "run.json").is_file() and (place / "plan.json").is_file()


def read_run(run: str | Path | Store) -> tuple[Truth, list[SystemAnswers], list[str]]:
    """Truth, the answers of each verifier, and what a reader should know; of a folder, or of a store that is open.

    Ids are prefixed with their fold where there are several folds; a problem's group is its setup where there are
    several. Verifiers without any answers are left out, and then folds that lack a verifier's.

    Raises
    ------
    InputError
        If the folder belongs to another command, or no fold is complete.
    StoreError
        If the folder is damaged.
    """
    store = run if isinstance(run, Store) else Store.open(run)
    path = store.path
    if store.kind not in ("run", "pan14"):
        raise InputError(
            "this folder is not of raven run or raven pan14", file=path, fix="give truth and files of answers"
        )
    # The probes' folds repeat each other's problems on purpose; they are no setup's.
    folds = [name for name, record in store.plan.folds.items() if record.transplanted is None]
    if store.kind == "run":
        folds = list(dict.fromkeys(fold for setup in store.plan_as(RunPlan).setups for fold in setup.folds))
    silent = [
        v.name for v in store.plan.verifiers if not any(_answers(store, v.name, fold) is not None for fold in folds)
    ]
    verifiers = [v.name for v in store.plan.verifiers if v.name not in silent]
    ids, same, authors, setups = [], [], [], []
    values: dict[str, list[np.ndarray]] = {name: [] for name in verifiers}
    left_out = []
    for fold in folds:
        answers = [found for name in verifiers if (found := _answers(store, name, fold)) is not None]
        if len(answers) < len(verifiers):
            left_out.append(fold)
            continue
        problems = store.fold(fold)
        ids += [f"{fold}/{i}" if len(folds) > 1 else i for i in problems.test.ids.tolist()]
        same.append(problems.test_same)
        authors.append(_authors(problems, store.labels.get("author")))
        setups += [store.plan.folds[fold].setup or ""] * len(problems.test)
        for name, own in zip(verifiers, answers, strict=True):
            values[name].append(own)
    if not (verifiers and same):
        raise InputError(
            "no fold of this run has every verifier's answers", file=path, fix=f"repeat raven {store.kind}"
        )
    names = name_array(ids)
    codes = np.concatenate(authors)
    author_names = store.labels["author"].names if "author" in store.labels else ()
    truth = Truth(
        names,
        np.concatenate(same),
        codes if (codes >= 0).any() else None,
        author_names,
        Labels.of(setups) if len(set(setups)) > 1 else None,
    )
    systems = [SystemAnswers(names, np.concatenate(v), name, file=str(path)) for name, v in values.items()]
    notes = []
    if len(folds) > 1:
        notes.append(
            f"{len(same)} folds of {store.path.name} are pooled. A document can occur in several of them; "
            "comparisons that go fold by fold stand in the run's own report."
        )
    if left_out:
        notes.append(f"Left out, since a verifier has no answers there: {', '.join(left_out)}.")
    if silent:
        notes.append(f"Left out, since they answered no fold: {', '.join(silent)}.")
    return truth, systems, notes


def _answers(store: Store, verifier: str, fold: str) -> Floats | None:
    cell = store.cell(verifier, fold)
    return None if cell is None else cell.answers


def _authors(fold: Fold, labels: Labels | None) -> Ints:
    """Author codes of each test problem's first known and its questioned document, (n, 2); −1 where unknown."""
    test = fold.test
    if labels is None:
        return np.full((len(test), 2), -1, dtype=np.int64)
    return np.stack([labels.codes[test.known_index[test.known_ptr[:-1]]], labels.codes[test.questioned_index]], axis=1)
