"""Does a verifier on a language model do better on texts that the model remembers? AUC by quarter of memorisation.

How far a model remembers a text is how much likelier it finds it than its transplanted twin, the same text with content
words of others: those of a content probe, whose cells keep both. Whether it has read them at all is asked by
``ext.machine.exposure``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.reports.view import Table, col, interval_of, rows_json, table, value_of
from ravenbench.statistics.content import KeptFold
from ravenbench.statistics.estimates import Estimate, mean_auc, within
from ravenbench.types import Bools, Floats

if TYPE_CHECKING:
    from ravenbench.engine.transplants import TransplantedFold

Likely = Callable[[str, str], Floats | None]
"""Mean log-probabilities (n,) of a fold's questioned texts under a verifier's model; None where it has none."""
QUARTERS = ("least", "second", "third", "most")


@dataclass(frozen=True)
class Remembered:
    """A verifier on a quarter of the problems, by how far its model remembers the questioned texts: ``gain`` is the
    mean over these, in natural logarithms a token; ``auc`` the mean over folds with an interval over authors."""

    verifier: str
    quarter: str
    problems: int
    gain: float
    auc: Estimate | None


def remembered(
    name: str, entries: Sequence[TransplantedFold], folds: Sequence[KeptFold], plain: Sequence[Floats | None],
    likely: Likely,
) -> list[Remembered]:  # fmt: skip
    """The quarters of a verifier's problems, empty where it is on no language model; ``plain`` are its scores of the
    problems that were transplanted, by fold."""
    parts = []
    for entry, fold, scores in zip(entries, folds, plain, strict=True):
        source, twin = (likely(name, one) for one in (entry.source, entry.arms["off"]))
        if scores is not None and source is not None and twin is not None:
            gains = source[np.asarray(entry.rows, dtype=np.int64)] - twin
            parts.append((fold, scores, gains, np.isfinite(scores) & np.isfinite(gains)))
    if not parts:
        return []
    ends = np.quantile(np.concatenate([gains[known] for _, _, gains, known in parts]), [0.25, 0.5, 0.75])
    return [_quarter(name, k, [(f, s, g, known & (np.searchsorted(ends, g) == k)) for f, s, g, known in parts])
            for k in range(len(QUARTERS))]  # fmt: skip


def _quarter(name: str, k: int, parts: Sequence[tuple[KeptFold, Floats, Floats, Bools]]) -> Remembered:
    gains = np.concatenate([gains[mask] for _, _, gains, mask in parts])
    both = [
        (f.same[m], s[m], f.sides[m], f.problem[m]) for f, s, _, m in parts if len(set(f.same[m].tolist())) == 2
    ]  # fmt: skip
    auc = within(mean_auc(both), 0.0, 1.0) if both else None
    return Remembered(name, QUARTERS[k], len(gains), float(gains.mean()) if len(gains) else float("nan"), auc)


def exposure_table(rows: Sequence[Remembered], key: str = "exposure", corpus: str = "") -> Table:
    """AUC by quarter of memorisation, of every verifier on a language model."""
    title = "AUC by how well the language model remembers the questioned text"
    return table(
        key, f"{title}: {corpus}" if corpus else title, rows,
        col("verifier", lambda r: r.verifier, text=True, json="verifier"),
        col("remembered", lambda r: r.quarter, text=True, json="quarter"),
        col("problems", lambda r: r.problems, json="problems"),
        col("gain", lambda r: r.gain, signed=True, json="gain"),
        col("AUC", lambda r: value_of(r.auc), json="auc"),
        col("interval", lambda r: interval_of(r.auc), json="interval"),
        note="Quarters of the problems by gain: how much likelier the model finds a questioned text than its twin with "
        "other content words, in natural logarithms a token. An AUC that rises with it may come of remembered texts; "
        "texts differ in other ways too. 95 % intervals over authors.",
    )  # fmt: skip


def exposure_json(rows: Sequence[Remembered]) -> dict[str, Any]:
    """The same for ``report.json``: no key where no verifier is on a language model."""
    return {"exposure": rows_json(exposure_table(rows))} if rows else {}
