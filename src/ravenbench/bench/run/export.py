"""A run's folds as PAN problems, so that any outside system can use the benchmark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from ravenbench.bench.shared.store import Store
from ravenbench.formats.output import fresh_folder
from ravenbench.formats.pan_pairs import write_pan_pairs
from ravenbench.formats.pan_problems import write_pan_problems


def export(store: Store, folder: Path) -> list[str]:
    """Write ``FOLDER/<fold>/{train,test}`` for every fold; returns the folds' names.

    Pairs become PAN20–23 jsonl, problems with several known documents PAN13–15 folders.

    Test truth names authors and topics as PAN's does; keep it from the systems under test.

    Raises
    ------
    InputError
        If the folder is there already or cannot be written.
    """
    labels: dict[str, Any] = dict(store.labels)
    with fresh_folder(folder) as place:
        for name in store.plan.folds:
            fold = store.fold(name)
            for part, problems, same in (("train", fold.train, fold.train_same), ("test", fold.test, fold.test_same)):
                write = write_pan_pairs if (problems.sizes == 1).all() else write_pan_problems
                write(place / name / part, replace(problems, **labels), same)
    return list(store.plan.folds)
