"""Defines what ``evaluate`` returns: every figure as an attribute, as plain values, as a data frame and as tables.

In: the ``Evaluation`` that ``analysis`` fills; for some tables also a metric's name or a ``BreakDown`` (scores on
parts).
Out: ``Table`` objects with one row a system (or pair of systems, or part), JSON values, polars data frames, LaTeX;
metrics are from 0 to 1 where their definition is, ECE from 0 to 1, C_llr in bits (no upper bound), p from 0 to 1,
ranks from 1 = best, the rest are counts; None where undefined. ``operating`` gives a sentence.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ravenbench.errors import InputError, counted
from ravenbench.files import check_not_forked
from ravenbench.metrics.base import Counted, Metric, title_of
from ravenbench.metrics.calibration import Cllr
from ravenbench.metrics.pan import FORM_2020, METRICS, TITLES
from ravenbench.metrics.roc import Hull, OperatingPoint
from ravenbench.reading.answers import Truth
from ravenbench.reports.view import (
    Col,
    Measure,
    Table,
    col,
    each,
    figure,
    rows_json,
    table,
    to_latex,
)
from ravenbench.shown import Shown
from ravenbench.statistics.ranks import shown_rank, stars
from ravenbench.types import Floats, Interval, Measures

if TYPE_CHECKING:
    import polars


SHOWN = ("auc", "c@1", "f05u", "f1", "brier", "overall", "final")
FURTHER = ("precision", "recall", "overall5")
RANGED = ("auc", "c@1", "overall", "final")
"""Metrics with an interval in break-downs."""
IN_TERMINAL = ("auc", "c@1", "f05u", "overall")
"""Metrics whose intervals fit beside each other in 80 columns."""
STARS = {"***": ".001", "**": ".01", "*": ".05"}
LEAST_STARS = 1_000
"""Trials for each pair from which on a corrected p below .001, which is three stars, can be."""


@dataclass(frozen=True, eq=False)
class SystemScores:
    """One system: every metric in its unit (None where undefined), its intervals, calibration, and its tie group (1 =
    best).

    ``value`` (n,) are its answers, 0 to 1, in truth's order, higher = same author; ``decision`` (n,) 0, 0.5 or 1 where
    given apart from them; ``missing`` counts those filled with 0.5; ``ece`` is from 0 to 1, ``cllr`` in bits. A
    meta-classifier has no tie group.
    """

    name: str
    value: Floats
    scores: Measures
    interval: Mapping[str, Interval | None]
    ece: float
    cllr: Cllr
    missing: int = 0
    tie_group: int | None = None
    decision: Floats | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the object of the system in the ``evaluate`` schema."""
        return {
            "system": self.name,
            **_scores_json(self.scores),
            "missing": self.missing,
            "interval": _ranges(self.interval),
            "tie_group": self.tie_group,
            "calibration": {"ece": self.ece, **self.cllr._asdict()},
        }


@dataclass(frozen=True)
class PairTest:
    """Difference a − b in a metric, in its unit, its bootstrap interval, raw and Holm-corrected p; None where
    undefined."""

    a: str
    b: str
    metric: str
    difference: float | None
    interval: Interval | None
    p: float | None
    p_holm: float | None


class Skipped(NamedTuple):
    """A submission that was left out, with its number of faults and the first ten of them."""

    name: str
    faults: int
    first: tuple[str, ...]

    @classmethod
    def of(cls, name: str, faults: Sequence[InputError]) -> Skipped:
        """Return a submission with these faults, without the names of folders."""

        def in_words(fault: InputError) -> str:
            line = "" if fault.line is None else f"line {fault.line}: "
            shown = "" if fault.found is None else f" (found: {str(fault.found)[:60]})"
            return f"{line}{fault.problem}{shown}"

        return cls(name, len(faults), tuple(map(in_words, faults[:10])))


class PartScores(NamedTuple):
    """Metrics, in their units, and their intervals on some of the problems; None where undefined."""

    scores: Measures
    interval: Mapping[str, Interval | None]

    def to_json(self) -> dict[str, Any]:
        """Return metrics, and intervals under ``interval``."""
        return {**_scores_json(self.scores), "interval": _ranges(self.interval)}


@dataclass(frozen=True)
class BreakDown:
    """Scores on parts of the problems.

    ``parts`` are names with their numbers of problems and of same-author problems; ``left_out`` counts
    problems that belong to no part. ``systems[name]`` has one entry for each part, ``macro[name]`` the plain mean over
    parts.
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
            "parts": [
                {"part": name, "problems": n, "same": same_author}
                for name, n, same_author in self.parts
            ],
            "left_out": self.left_out,
            "systems": [
                {
                    "system": name,
                    "parts": {
                        part_of[0]: scores_of_part.to_json()
                        for part_of, scores_of_part in zip(self.parts, scores_by_part, strict=True)
                    },
                    "macro": self.macro[name].to_json(),
                }
                for name, scores_by_part in self.systems.items()
            ],
        }


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Shown):
    """Every figure of an evaluation.

    ``metrics`` are all that were computed, by name, of which pairs were tested in ``tests``; ``ranked_by`` is the
    tested metric for tie groups; ``unit`` says what the bootstrap drew (problems or authors); ``most_trials`` are those
    of a test of counts that few of the first decide, 0 where there are no more; ``band`` is the half-width chosen on
    training answers, None without; ``operating`` is the hull's point of least expected cost; ``f05u_2020`` says that
    ``f05u`` and the means that include it have their 2020 form; ``digests`` are hashes of files of answers by system.
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
    skipped: tuple[Skipped, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)

    _shown_by = "tasks.evaluate.report:EvaluationView"

    def write(self, folder: str | Path, title: str = "", *, keep_answers: bool = False) -> Path:
        """Write the page, its data, tables and figures: see ``tasks.evaluate.report.write_evaluation``."""
        page: Path = self._view().write(folder, title, keep_answers)
        return page

    def tables(self) -> tuple[Table, ...]:
        """Scores, intervals, significance of each tested metric, calibration, hull, break-downs."""
        matrices = (
            [significance_table(self, test) for test in self.tests] if len(self.systems) > 1 else []
        )
        return (
            scores_table(self),
            intervals_table(self),
            *matrices,
            *([differences_table(self.pairs)] if matrices else []),
            calibration_table(self),
            hull_table(self),
            *(breakdown_table(self, breakdown) for breakdown in self.breakdowns),
            *([skipped_table(self)] if self.skipped else []),
        )

    def to_latex(self) -> str:
        """Return all tables for LaTeX."""
        return "\n".join(map(to_latex, self.tables()))

    @property
    def problems(self) -> int:
        """The number of problems."""
        return len(self.truth)

    @property
    def same(self) -> int:
        """The number of same-author problems."""
        return int(self.truth.same.sum())

    @property
    def ranked_by(self) -> str:
        """The metric for tie groups."""
        return self.tests[0]

    @property
    def added(self) -> tuple[str, ...]:
        """Tested metrics that tables would not show otherwise; accuracy is always tested."""
        shown = {*METRICS, *FORM_2020.values(), "accuracy"}
        return tuple(name for name in self.tests if name not in shown)

    @property
    def ranked(self) -> list[SystemScores]:
        """Systems by tie group, then by the tested metric, then by name."""

        def place(system: SystemScores) -> tuple[int, float, str]:
            value = system.scores[self.ranked_by]
            sign = -1 if self.metrics[self.ranked_by].higher else 1
            return system.tie_group or 0, math.inf if value is None else sign * value, system.name

        return sorted(self.systems, key=place)

    def rank(self, system: SystemScores) -> str:
        """Return a system's rank by tie group: ``5=`` if it shares fifth place, ``–`` if it is a meta-classifier."""
        return shown_rank(system.tie_group, [system.tie_group for system in self.systems])

    def title(self, metric: str) -> str:
        """Return the title of a metric in tables; a note says which metrics have their form of 2020."""
        return TITLES.get(metric) or title_of(self.metrics[metric])

    @property
    def listed(self) -> list[SystemScores]:
        """Systems by rank, then meta-classifiers."""
        return [*self.ranked, *self.meta]

    def hashes(self) -> dict[str, Any]:
        """SHA-256 of the truth (ids and classes) and of every system's answers: of the file that has them, or else of the
        values in truth's order; shortened to 16 digits."""
        truth = "".join(
            f"{i} {int(same_author)}\n"
            for i, same_author in zip(self.truth.ids.tolist(), self.truth.same, strict=True)
        )
        answers = {
            system.name: self.digests.get(
                system.name, hashlib.sha256(system.value.tobytes()).hexdigest()[:16]
            )
            for system in self.systems
        }
        return {"truth": hashlib.sha256(truth.encode()).hexdigest()[:16], "systems": answers}

    def to_json(self) -> dict[str, Any]:
        """One object of plain values, the ``evaluate`` schema; undefined values are None."""
        return {
            "problems": self.problems,
            "same": self.same,
            "f05u_definition": "2020" if self.f05u_2020 else "today",
            "ranked_by": self.ranked_by,
            "interval_unit": self.unit,
            "hashes": self.hashes(),
            "systems": [system.to_json() for system in self.systems],
            "pairs": rows_json(differences_table(self.pairs)),
            "hull": rows_json(hull_table(self)),
            "hull_auc": None if self.hull is None else self.hull.auc,
            "operating_point": self.operating and self.operating._asdict(),
            "meta": {system.name: system.to_json() for system in self.meta},
            "meta_band": self.band,
            "breakdowns": [breakdown.to_json() for breakdown in self.breakdowns],
            "notes": list(self.notes),
            **({"skipped": rows_json(skipped_table(self))} if self.skipped else {}),
        }

    def to_polars(self, table: str | None = None) -> polars.DataFrame:
        """Return a table; by default one row for each system, meta-classifiers last: every metric with ``_low`` and
        ``_high`` of its interval."""
        import polars

        check_not_forked()
        if table is not None:
            return super().to_polars(table)
        rows = []
        for system in (*self.systems, *self.meta):
            row: dict[str, Any] = {
                "system": system.name,
                "meta": system.tie_group is None,
                "tie_group": system.tie_group,
            }
            for metric in (*METRICS, *self.added):
                low, high = system.interval[metric] or (None, None)
                row |= {metric: system.scores[metric], f"{metric}_low": low, f"{metric}_high": high}
            row |= {"unanswered": int(system.scores["unanswered"] or 0), "missing": system.missing}
            rows.append(row | {"ece": system.ece} | system.cllr._asdict())
        return polars.DataFrame(rows, infer_schema_length=None)


def _ranges(intervals: Mapping[str, Interval | None]) -> dict[str, list[float] | None]:
    return {metric: interval and [*interval] for metric, interval in intervals.items()}


def _scores_json(scores: Measures) -> dict[str, float | int | None]:
    """Metrics as they are, ``unanswered`` as a count."""
    return {
        metric: int(value) if metric == "unanswered" and value is not None else value
        for metric, value in scores.items()
    }


NAME: Col[SystemScores] = col("system", "name", text=True)


MISSING = "Missing: problems without any answer; they count as unanswered."


def scores_table(evaluation: Evaluation) -> Table:
    """Return the systems by rank in the tested metric, then the meta-classifiers; the best of each column is marked."""
    metrics = (*SHOWN, *evaluation.added)
    best: dict[str, float | None] = {}
    for metric in metrics:
        known = [
            value for system in evaluation.systems if (value := system.scores[metric]) is not None
        ]
        best[metric] = (max if evaluation.metrics[metric].higher else min)(known, default=None)

    def score(system: SystemScores, metric: str) -> Measure:
        return Measure(
            value := system.scores[metric],
            best=system.tie_group is not None and value is not None and value == best[metric],
        )

    missing = MISSING * any(system.missing for system in evaluation.systems)
    # In 80 columns metrics that were asked for take the place of others.
    decimals = max(1, 4 - len(evaluation.added))
    fitting = (
        (*("auc", "c@1", "overall")[:decimals], *evaluation.added[:5])
        if evaluation.added
        else metrics
    )
    return table(
        "scores",
        "Scores",
        evaluation.listed,
        NAME,
        col("rank", evaluation.rank),
        *each(metrics, evaluation.title, score, terminal=fitting),
        col("unanswered", lambda system: int(system.scores["unanswered"] or 0)),
        col("missing", "missing", terminal=False, about=missing),
        note=(
            f"{evaluation.problems:,} problems, {evaluation.same:,}"
            f" {evaluation.truth.words.all_yes}. "
        )
        + ("F0.5u and overall as defined in 2020. " if evaluation.f05u_2020 else "")
        + (
            f"Systems that share a rank do not all differ significantly in {evaluation.ranked_by}"
            f" (randomization test, Holm, α = {evaluation.alpha})."
        ),
    )


def skipped_table(evaluation: Evaluation) -> Table:
    """Return the submissions that were left out because of faults."""
    return table(
        "skipped",
        "Submissions left out",
        evaluation.skipped,
        col("submission", "name", text=True, json="submission"),
        col("faults", "faults", json="faults"),
        col("first fault", "first.0", text=True, json="first"),
        col(None, lambda one: "; ".join(one.first), json="all_faults"),
        note=(
            "These submissions have faults, and Raven left them out as requested; the others"
            " are evaluated without them."
        ),
    )


def intervals_table(evaluation: Evaluation) -> Table:
    """Return the intervals of every metric."""
    metrics = (*SHOWN, *FURTHER, *evaluation.added)
    return table(
        "intervals",
        f"Intervals ({evaluation.level:.0%})",
        evaluation.listed,
        NAME,
        *each(
            metrics,
            evaluation.title,
            lambda system, metric: system.interval[metric],
            terminal=(*evaluation.added, *IN_TERMINAL)[: len(IN_TERMINAL)],
        ),
        note=(
            f"Bootstrap over {evaluation.unit}; all systems share the same "
            f"{evaluation.replicates:,} replicates."
        ),
    )


def significance_table(evaluation: Evaluation, metric: str) -> Table:
    """Return the star matrix of the PAN-2014 overview, from Holm-corrected p-values."""
    from ravenbench.statistics.resampling import COUNTED, FEWER_TRIALS

    pairs = {
        (pair.a, pair.b): stars(pair.p_holm) for pair in evaluation.pairs if pair.metric == metric
    }

    def significance(
        left_system: tuple[int, SystemScores], right_system: tuple[int, SystemScores]
    ) -> str:
        names = left_system[1].name, right_system[1].name
        return "" if left_system is right_system else pairs.get(names) or pairs[names[::-1]]

    test = "exact sign test" if metric == "accuracy" else "approximate randomization"
    trials = max(evaluation.trials, evaluation.most_trials if metric in COUNTED else 0)
    trials = (
        trials if isinstance(evaluation.metrics[metric], Counted) else min(trials, FEWER_TRIALS)
    )
    least = 0.0 if metric == "accuracy" else len(pairs) / (trials + 1)
    offered = [f"{sign} p < {level}" for sign, level in STARS.items() if least < float(level)]
    note = f"{', '.join([*offered, '= no significant difference'])}; {test}, Holm-corrected."
    if len(offered) < len(STARS):
        needed = (
            f"use trials={LEAST_STARS * len(pairs)} (a key in a file for --spec) to reach ***"
            " (p < .001)"
        )
        needed = (
            needed
            if isinstance(evaluation.metrics[metric], Counted)
            else "this metric allows no more trials"
        )
        note += (
            f" With {trials:,} trials and {counted(len(pairs), 'pair')} no corrected p can be"
            f" below {least:.3g}; {needed}."
        )
    numbered = list(enumerate(evaluation.ranked, 1))
    return table(
        f"significance-{_slug(metric)}",
        f"Significance of differences in {metric}",
        numbered,
        col("no.", "0"),
        col("system", "1.name", text=True),
        *each(numbered, lambda ranked_system: str(ranked_system[0]), significance),
        note=note,
        section="significance",
    )


def differences_table(pairs: Iterable[PairTest]) -> Table:
    """Return every tested difference with its interval, raw and corrected p."""
    return table(
        "differences",
        "Differences between systems",
        pairs,
        col("system a", "a", text=True, json="a"),
        col("system b", "b", text=True, json="b"),
        col("metric", "metric", text=True, json="metric"),
        col("a − b", "difference", signed=True, json="difference"),
        col("interval", "interval", signed=True, json="interval"),
        col("p", "p", probability=True, json="p"),
        col("p Holm", "p_holm", probability=True, json="p_holm"),
        col("stars", lambda pair: stars(pair.p_holm), text=True),
    )


def calibration_table(evaluation: Evaluation) -> Table:
    """Return the calibration of answers: ECE (0 to 1), C_llr in bits, precision and recall."""
    return table(
        "calibration",
        "Calibration, precision and recall",
        evaluation.listed,
        NAME,
        col("ECE", "ece"),
        col("C_llr", "cllr.cllr"),
        col("discrimination", "cllr.discrimination"),
        col("calibration", "cllr.calibration"),
        col("precision", lambda system: system.scores["precision"]),
        col("recall", lambda system: system.scores["recall"]),
        note=(
            "ECE: mean distance between the value and the proportion of "
            f"{evaluation.truth.words.many} in ten bins; 0 is best. C_llr (bits): 0 is"
            " perfect, 1 means no information; it is the sum of discrimination (what the ranking"
            " leaves undecided) and calibration (what recalibration could save). n/a: a wrong"
            " answer of exactly 0 or 1, whose cost is infinite."
        ),
    )


def hull_table(evaluation: Evaluation) -> Table:
    """Return which system reaches which part of the ROC hull."""
    hull = evaluation.hull
    return table(
        "hull",
        "ROC convex hull",
        () if hull is None else hull.stretches,
        col("system", "system", text=True, json="system"),
        col("from FPR", "from_fpr", json="from_fpr"),
        col("to FPR", "to_fpr", json="to_fpr"),
        note=(
            ""
            if hull is None
            else f"Area under the hull: {figure(hull.auc)}. {operating(evaluation)}".strip()
        ),
    )


def operating(evaluation: Evaluation) -> str:
    """Return the point of least expected cost as a sentence, "" without one."""
    point = evaluation.operating
    if point is None:
        return ""
    words = evaluation.truth.words
    rates = f"(false-positive rate {figure(point.fpr)}, true-positive rate {figure(point.tpr)})"
    if point.system is None:
        return f"Least expected cost: always answer “{(words.yes if point.fpr else words.no)}”."
    return (
        f"Least expected cost: {point.system}, with “{words.yes}” at {point.threshold:.4g} or"
        f" more {rates}."
    )


def breakdown_key(evaluation: Evaluation, breakdown: BreakDown) -> str:
    """Return the key of the table of a break-down."""
    return f"by-{evaluation.breakdowns.index(breakdown) + 1}-{_slug(breakdown.by)}"


def breakdown_table(evaluation: Evaluation, breakdown: BreakDown) -> Table:
    """Return the long form: a row for every system and part, then all problems (micro) and the mean over parts (macro)."""
    rows: list[tuple[str, str, int, PartScores | SystemScores]] = []
    for system in evaluation.listed:
        for (part_name, problems, _), scores_of_part in zip(
            breakdown.parts, breakdown.systems[system.name], strict=True
        ):
            rows.append((system.name, part_name, problems, scores_of_part))
        rows.append((system.name, "all (micro)", evaluation.problems, system))
        rows.append(
            (
                system.name,
                "macro mean",
                evaluation.problems - breakdown.left_out,
                breakdown.macro[system.name],
            )
        )

    def value(
        row: tuple[str, str, int, PartScores | SystemScores], metric_column: tuple[str, bool]
    ) -> Any:
        return (
            row[3].interval[metric_column[0]]
            if metric_column[1]
            else row[3].scores[metric_column[0]]
        )

    metrics = [(metric, False) for metric in (*SHOWN, *evaluation.added)] + [
        (metric, True) for metric in (*RANGED, *evaluation.added)
    ]
    metrics.sort(key=lambda metric_column: (*SHOWN, *evaluation.added).index(metric_column[0]))
    note = "“all” pools all problems, as PAN does; the macro mean gives each part the same weight."
    if breakdown.left_out:
        note += f" {counted(breakdown.left_out, 'problem')} without a part: only in “all”."
    return table(
        breakdown_key(evaluation, breakdown),
        f"By {breakdown.by}",
        rows,
        col("system", "0", text=True),
        col("part", "1", text=True),
        col("problems", "2"),
        *each(
            metrics,
            lambda metric_column: (
                evaluation.title(metric_column[0]) + (" interval" if metric_column[1] else "")
            ),
            value,
        ),
        note=note,
    )


def parts_table(evaluation: Evaluation, breakdown: BreakDown, metric: str) -> Table:
    """Return the short form: one metric, with a row for each system and a numbered column for each part."""
    return table(
        f"parts-{evaluation.breakdowns.index(breakdown) + 1}-{_slug(metric)}",
        f"{evaluation.title(metric)} by {breakdown.by}",
        evaluation.listed,
        NAME,
        *each(
            range(len(breakdown.parts)),
            lambda i: str(i + 1),
            lambda system, i: breakdown.systems[system.name][i].scores[metric],
        ),
        col("all", lambda system: system.scores[metric]),
        col("macro", lambda system: breakdown.macro[system.name].scores[metric]),
        note="; ".join(
            f"{i} = {name.removeprefix(f'{i}: ')} ({n:,})"
            for i, (name, n, _) in enumerate(breakdown.parts, 1)
        ),
    )


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower()) or "metric"
