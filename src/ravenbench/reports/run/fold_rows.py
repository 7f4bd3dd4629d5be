"""Metrics of every verifier on every fold of a plan that is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ravenbench.reports.cells import Failure

if TYPE_CHECKING:
    from ravenbench.store.records import FoldRecord
    from ravenbench.store.store import Store


SHOWN = ("auc", "c@1", "f05u", "f1", "overall")
"""Metrics of the paper's Table 2."""


@dataclass(frozen=True)
class FoldRow:
    """One fold: its manifest entry and the metrics of each verifier that completed it."""

    name: str
    setup: str
    info: FoldRecord
    scores: Mapping[str, Mapping[str, float | None]]


def fold_rows(
    store: Store, names: Sequence[str], setups: Iterable[tuple[str, str]]
) -> tuple[tuple[FoldRow, ...], tuple[Failure, ...]]:
    """Rows of (fold, its setup), and the cells among them that have no answers."""
    from ravenbench.metrics.pan import scores_of
    from ravenbench.metrics.sums import Sums, checked, count

    rows: list[FoldRow] = []
    failures: list[Failure] = []
    counted: list[tuple[dict[str, Mapping[str, float | None]], str, Sums]] = []
    for fold, setup in setups:
        info, truth = store.plan.folds[fold], store.truth(fold)
        found: dict[str, Mapping[str, float | None]] = {}
        for name in names:
            cell = store.cell(name, fold)
            if cell is not None and cell.answers is not None:
                counted.append((found, name, count(*checked(truth, cell.answers))))
            else:
                error = "not computed" if cell is None else cell.error or "no answers"
                failures.append(Failure(store.keys.get((name, fold), ""), name, fold, error))
        rows.append(FoldRow(fold, setup, info, found))
    for (found, name, sums), row in zip(counted, scores_of([sums for _, _, sums in counted]), strict=True):
        found[name] = row | {"unanswered": float(sums.unanswered / sums.n)}
    return tuple(rows), tuple(failures)
