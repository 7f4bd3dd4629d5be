"""What an evaluation found, as plain values and as a data frame; ``evaluation`` adds its tables."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from ravenbench.formats.answers import Truth
from ravenbench.metrics.base import Metric
from ravenbench.metrics.calibration import Cllr
from ravenbench.metrics.pan import METRICS, STANDARD
from ravenbench.metrics.roc import Hull, OperatingPoint
from ravenbench.types import Floats

if TYPE_CHECKING:
    import polars

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class SystemScores:
    """One system: every metric (None where undefined), its intervals, calibration, and its tie group (1 = best).

    ``value`` (n,) are its answers in truth's order, ``missing`` counts those filled with 0.5. A meta-classifier
    has no tie group.
    """

    name: str
    value: Floats
    scores: Mapping[str, float | None]
    interval: Mapping[str, Interval | None]
    ece: float
    cllr: Cllr
    missing: int = 0
    tie_group: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The system's object in the ``evaluate`` schema."""
        return {
            "system": self.name,
            **_scores_json(self.scores),
            "missing": self.missing,
            "interval": {m: None if r is None else list(r) for m, r in self.interval.items()},
            "tie_group": self.tie_group,
            "calibration": {"ece": self.ece, **self.cllr._asdict()},
        }


@dataclass(frozen=True)
class PairTest:
    """Difference a − b in a metric, its bootstrap interval, raw and Holm-corrected p; None where undefined."""

    a: str
    b: str
    metric: str
    difference: float | None
    interval: Interval | None
    p: float | None
    p_holm: float | None


class PartScores(NamedTuple):
    """Metrics and their intervals on some of the problems; None where undefined."""

    scores: Mapping[str, float | None]
    interval: Mapping[str, Interval | None]

    def to_json(self) -> dict[str, Any]:
        """Metrics, and intervals under ``interval``."""
        ranges = {m: None if r is None else list(r) for m, r in self.interval.items()}
        return {**_scores_json(self.scores), "interval": ranges}


@dataclass(frozen=True)
class BreakDown:
    """Scores on parts of the problems.

    ``parts`` are names with their problems and how many of these are by one author; ``left_out`` problems belong
    to no part. ``systems[name]`` holds one entry a part, ``macro[name]`` the plain mean over parts.
    """

    by: str
    parts: tuple[tuple[str, int, int], ...]
    left_out: int
    systems: Mapping[str, tuple[PartScores, ...]]
    macro: Mapping[str, PartScores]

    def to_json(self) -> dict[str, Any]:
        """One object of plain values."""
        return {
            "by": self.by,
            "parts": [{"part": name, "problems": n, "same": same} for name, n, same in self.parts],
            "left_out": self.left_out,
            "systems": [
                {
                    "system": name,
                    "parts": {p[0]: s.to_json() for p, s in zip(self.parts, found, strict=True)},
                    "macro": self.macro[name].to_json(),
                }
                for name, found in self.systems.items()
            ],
        }


@dataclass(frozen=True, eq=False)
class Findings:
    """Every figure of an evaluation.

    ``metrics`` are all that were computed, by name, of which pairs were tested in ``tests``; ``ranked_by`` is the
    tested metric that tie groups are by; ``unit`` says what the bootstrap drew (problems or authors); ``most_trials``
    are those of a test of counts that few of the first decide, 0 where there are no more; ``band`` is the half-width
    chosen on training answers, None without; ``operating`` is the hull's point of least expected cost; ``f05u_2020``
    says that ``f05u`` and the means that hold it are in their 2020 form.
    """

    truth: Truth
    systems: tuple[SystemScores, ...]
    meta: tuple[SystemScores, ...]
    pairs: tuple[PairTest, ...]
    hull: Hull | None
    operating: OperatingPoint | None
    breakdowns: tuple[BreakDown, ...]
    tests: tuple[str, ...]
    metrics: Mapping[str, Metric]
    unit: str
    replicates: int
    trials: int
    most_trials: int
    level: float
    alpha: float
    band: float | None
    f05u_2020: bool
    notes: tuple[str, ...]

    @property
    def problems(self) -> int:
        """How many problems."""
        return len(self.truth)

    @property
    def same(self) -> int:
        """How many of them are by one author."""
        return int(self.truth.same.sum())

    @property
    def ranked_by(self) -> str:
        """The metric that tie groups are by."""
        return self.tests[0]

    @property
    def added(self) -> tuple[str, ...]:
        """Tested metrics beside the standard ones."""
        return tuple(name for name in self.tests if name not in STANDARD)

    @property
    def ranked(self) -> list[SystemScores]:
        """Systems by tie group, then by the tested metric, then by name."""

        def place(s: SystemScores) -> tuple[int, float, str]:
            value = s.scores[self.ranked_by]
            sign = -1 if self.metrics[self.ranked_by].higher else 1
            return s.tie_group or 0, math.inf if value is None else sign * value, s.name

        return sorted(self.systems, key=place)

    def hashes(self) -> dict[str, Any]:
        """SHA-256 of the truth (ids and classes) and of every system's answers to it, shortened to 16 digits."""
        truth = "".join(f"{i} {int(same)}\n" for i, same in zip(self.truth.ids.tolist(), self.truth.same, strict=True))
        answers = {s.name: hashlib.sha256(s.value.tobytes()).hexdigest()[:16] for s in self.systems}
        return {"truth": hashlib.sha256(truth.encode()).hexdigest()[:16], "systems": answers}

    def to_json(self) -> dict[str, Any]:
        """One object of plain values, the ``evaluate`` schema; undefined values are None."""
        stretches = [] if self.hull is None else self.hull.stretches
        point = None
        if self.operating is not None:
            point = self.operating._asdict()
            point["threshold"] = None if math.isinf(self.operating.threshold) else self.operating.threshold
        return {
            "problems": self.problems,
            "same": self.same,
            "f05u_definition": "2020" if self.f05u_2020 else "today",
            "ranked_by": self.ranked_by,
            "interval_unit": self.unit,
            "hashes": self.hashes(),
            "systems": [s.to_json() for s in self.systems],
            "pairs": [
                {
                    "a": p.a,
                    "b": p.b,
                    "metric": p.metric,
                    "difference": p.difference,
                    "interval": None if p.interval is None else list(p.interval),
                    "p": p.p,
                    "p_holm": p.p_holm,
                }
                for p in self.pairs
            ],
            "hull": [s._asdict() for s in stretches],
            "hull_auc": None if self.hull is None else self.hull.auc,
            "operating_point": point,
            "meta": {s.name: s.to_json() for s in self.meta},
            "meta_band": self.band,
            "breakdowns": [b.to_json() for b in self.breakdowns],
            "notes": list(self.notes),
        }

    def to_polars(self) -> polars.DataFrame:
        """One row a system, meta-classifiers last: every metric with ``_low`` and ``_high`` of its interval."""
        import polars

        rows = []
        for s in (*self.systems, *self.meta):
            row: dict[str, Any] = {"system": s.name, "meta": s.tie_group is None, "tie_group": s.tie_group}
            for m in (*METRICS, *self.added):
                low, high = s.interval[m] or (None, None)
                row |= {m: s.scores[m], f"{m}_low": low, f"{m}_high": high}
            row |= {"unanswered": int(s.scores["unanswered"] or 0), "missing": s.missing}
            rows.append(row | {"ece": s.ece} | s.cllr._asdict())
        return polars.DataFrame(rows, infer_schema_length=None)


def _scores_json(scores: Mapping[str, float | None]) -> dict[str, float | int | None]:
    """Metrics as they are, ``unanswered`` as a count."""
    return {m: int(v) if m == "unanswered" and v is not None else v for m, v in scores.items()}
