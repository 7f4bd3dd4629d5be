"""Computes what a run shows in addition to its setups: dependence on the training domain, hard pairs, accuracy over
length.

In: the ``Store`` and plan of ``raven run``, and the names of verifiers.
Out: a ``Probing`` (gains in AUC, differences from −1 to 1; None without topics), one ``Stratum`` a verifier and kind
of pairs (AUC, 0 to 1; C_llr in bits, None where infinite; counts of pairs), one ``LengthRow`` a verifier and length
(words; AUC, c@1 and a share, 0 to 1), their ``Table``s, sentences and figures.

The crossed probe shows how far every verifier depends on the domain it was trained on. Hard pairs are those whose
topics contradict the truth: a description, not a verdict, for communities have styles too, so some of what makes shared
topics hard is style. Lengths answer how many words a verifier needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ravenbench.metrics import scores
from ravenbench.metrics.calibration import cllr_cost
from ravenbench.reports.cells import Failure, SidesOfFold, failure, mean, ranked, sides_of
from ravenbench.reports.content import interval_in_words, judged_cols, name_rows, toned
from ravenbench.reports.page import FAINT, INK, SETUP, canvas
from ravenbench.reports.view import Col, Table, col, figure, interval_of, table, value_of
from ravenbench.statistics.axes import (
    Crossed,
    Domain,
    Judged,
    Repetition,
    alike,
    domain_axis,
    gain_figure,
)
from ravenbench.statistics.content import FEWEST_EVEN
from ravenbench.statistics.estimates import Estimate, mean_auc
from ravenbench.tasks.run.record import ProbeRecord, RunPlan
from ravenbench.types import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ravenbench.store.store import Store
    from ravenbench.tasks.run.record import LengthRecord


FOUR = ("aa", "ab", "ba", "bb")
"""Training domain, test domain."""
FEWEST_PAIRS = 20
"""Test pairs of the rarer class, on average, without which there is no verdict."""


@dataclass(frozen=True)
class DomainRow:
    """One verifier: its gain in AUC from training near the test topics, that of the null, count of complete
    repetitions, verdict."""

    verifier: str
    gain: Estimate | None
    null: Estimate | None
    repetitions: int
    judged: Judged[Domain]


@dataclass(frozen=True, eq=False)
class Probing:
    """The crossed probe of a run.

    ``section`` is the plan's; ``pairs`` is the mean number of test pairs of the rarer class; similarities are mean
    cosines over train × test topics of the same and of the other domain.
    """

    section: ProbeRecord
    rows: tuple[DomainRow, ...]
    pairs: float | None
    matched_similarity: float | None
    mismatched_similarity: float | None
    failures: tuple[Failure, ...]

    def row(self, verifier: str) -> DomainRow:
        """Return the row of a verifier."""
        return next(row for row in self.rows if row.verifier == verifier)


def probing(store: Store, names: Sequence[str]) -> Probing | None:
    """Return gains in AUC and verdicts of the probe of a run; None for runs without topics."""
    plan = store.plan_as(RunPlan)
    section = plan.probe
    if section is None:
        return None
    sides = {
        repetition.folds[k]: sides_of(store, repetition.folds[k], plan.topics)
        for repetition in section.repetitions
        for k in ("aa", "ab")
    }
    counts = [min(side.same.sum(), (~side.same).sum()) for side in sides.values()]
    pairs = float(np.mean(counts)) if counts else None
    rows = []
    failures = []
    for verifier in names:
        complete: dict[bool, list[Repetition]] = {False: [], True: []}
        for repetition in section.repetitions:
            scores = {}
            for cell_name in FOUR:
                cell = store.cell(verifier, repetition.folds[cell_name])
                if (values := ranked(cell)) is not None:
                    scores[cell_name] = values
                else:
                    failures.append(failure(store, cell, verifier, repetition.folds[cell_name]))
            if len(scores) == len(FOUR):
                same_topic = sides[repetition.folds["aa"]]
                other_topic = sides[repetition.folds["ab"]]
                crossed = Crossed(same_topic.same, scores["aa"], scores["ba"], same_topic.topics)
                second = Crossed(other_topic.same, scores["bb"], scores["ab"], other_topic.topics)
                complete[repetition.null].append((crossed, second))
        rows.append(_domain_row(verifier, complete[False], complete[True], pairs, plan))
    real = [repetition for repetition in section.repetitions if not repetition.null]
    return Probing(
        section=section,
        rows=tuple(rows),
        pairs=pairs,
        matched_similarity=mean([repetition.matched_similarity for repetition in real]),
        mismatched_similarity=mean([repetition.mismatched_similarity for repetition in real]),
        failures=tuple(failures),
    )


def _domain_row(
    verifier: str,
    real: list[Repetition],
    null: list[Repetition],
    pairs: float | None,
    plan: RunPlan,
) -> DomainRow:
    gain = gain_figure(real)
    reason = None
    if not plan.matched:
        reason = f"Raven gives verdicts only for matched pairs, and these are {plan.pairs}"
    elif pairs is not None and pairs < FEWEST_PAIRS:
        reason = (
            f"a test set has {pairs:.0f} pairs of its rarer class on average, and Raven needs"
            f" at least {FEWEST_PAIRS}"
        )
    elif gain is None:
        reason = "no repetition is complete"
    if gain is None or reason is not None:
        judged = Judged(Domain.NO_VERDICT, 0.0, reason=reason)
    else:
        judged = domain_axis(gain, len(real), alike=alike(real))
    return DomainRow(verifier, gain, gain_figure(null), len(real), judged)


DETECTABLE = "detectable", "Detectable: smallest true gain detected with 80 % power."


def domain_table(probe: Probing | None) -> Table:
    """Return the gains in AUC of the crossed probe; in JSON ``null`` is the mean gain under permuted similarities."""
    return table(
        "domain",
        "Effect of the training domain",
        () if probe is None or not probe.section.repetitions else probe.rows,
        col("verifier", "verifier", text=True, json="verifier"),
        col("verdict", "judged", text=True, show=toned),
        col("gain", "gain.value", signed=True, json="gain"),
        col("interval", "gain.interval", signed=True, json="interval"),
        col("null", "null.value", signed=True, json="null"),
        col(None, "repetitions", json="repetitions"),
        *judged_cols(lambda row: row.judged, shows=DETECTABLE),
        note=(
            "Gain: rise of AUC by training near the test topics, on the same test pairs, with"
            " 95 % interval. Null: the same with permuted similarities."
        ),
    )


def domain_sentence(row: DomainRow) -> str:
    """Return what the crossed probe found about a verifier."""
    gain = row.gain
    judged = row.judged
    if judged.outcome is Domain.NOT_APPLICABLE:
        return "It learns nothing from training: its answers after both trainings are the same."
    if gain is None or gain.interval is None:
        return f"No verdict on its training domain: {judged.reason}."
    size = figure(abs(gain.value))
    moved = (
        "leaves AUC as it is"
        if float(size) == 0
        else f"{'raises' if gain.value > 0 else 'lowers'} AUC by {size}"
    )
    interval = interval_in_words(gain.interval, signed=True)
    text = f"Training near the test topics {moved}{interval}."
    if judged.outcome is Domain.NO_VERDICT:
        return f"{text} No verdict: {judged.reason}."
    if judged.outcome is Domain.UNDECIDED and judged.needed:
        text += f" About {judged.needed:,} repetitions would decide it with 80 % power."
    return text if judged.reason is None else f"{text} Note: {judged.reason}."


def domain_figure(probe: Probing) -> Figure:
    """Draw the gain in AUC of every verifier (filled) and of its null (open), with intervals."""
    figure, (axes,) = canvas(4.6, 1.2 + 0.4 * len(probe.rows))
    axes.axvline(0, color=INK, linewidth=0.8)
    ends = [-0.02, 0.02]
    for position, row in enumerate(probe.rows):
        for series, color, shift, size in (
            (row.gain, SETUP["hits"], -0.12, 6.5),
            (row.null, FAINT, 0.16, 4.5),
        ):
            if series is None:
                continue
            if series.interval is not None:
                axes.plot(
                    series.interval,
                    (position + shift,) * 2,
                    color=color,
                    linewidth=2,
                    solid_capstyle="butt",
                    alpha=0.75,
                )
            fill = "none" if color == FAINT else color
            axes.plot(
                [series.value],
                [position + shift],
                "o",
                markersize=size,
                color=color,
                markerfacecolor=fill,
            )
            ends += [series.value, *(series.interval or ())]
    name_rows(axes, [row.verifier for row in probe.rows])
    axes.set_xlim(1.08 * min(ends), 1.08 * max(ends))
    axes.set_xlabel("gain in AUC (filled), with permuted similarities (open)")
    axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    return figure


HELPS = "one topic", "two topics"
MISLEADS = "two topics", "one topic"
"""Topics of same-author pairs and of different-author pairs where topic agrees with the truth, and where it contradicts
it."""


@dataclass(frozen=True)
class Stratum:
    """One verifier on same-author pairs of one kind against different-author pairs of one kind.

    ``auc`` is the mean over folds, with an interval over authors and topics; ``cllr`` the cost of the log-likelihood ratio in
    bits of the answers of all folds together, None where it is infinite. ``same`` and ``different`` count pairs.
    """

    verifier: str
    same_author: str
    different_author: str
    same: int
    different: int
    auc: Estimate | None
    cllr: float | None


def strata(store: Store, plan: RunPlan, names: Sequence[str]) -> tuple[Stratum, ...]:
    """Return every stratum of the folds that fill strata evenly; empty without these folds."""
    folds = [] if plan.strata is None else list(plan.strata.folds.values())
    if not folds:
        return ()
    sides = {fold: sides_of(store, fold, plan.topics) for fold in folds}
    similarity = store.similarity()
    kinds = _kinds(sides)
    strata_rows = []
    for name in names:
        answers = {
            fold: answers_of_fold
            for fold in folds
            if (answers_of_fold := store.answers(name, fold)) is not None
        }
        for same_author, different_author, masks in kinds:
            parts_of_stratum = []
            for fold, answers_of_fold in answers.items():
                mask = masks[fold]
                same = sides[fold].same[mask]
                if min(same.sum(), (~same).sum()) >= FEWEST_EVEN:
                    parts_of_stratum.append((sides[fold], mask, answers_of_fold[mask]))
            strata_rows.append(
                _stratum(name, same_author, different_author, parts_of_stratum, similarity)
            )
    return tuple(strata_row for strata_row in strata_rows if strata_row.auc is not None)


Part = tuple[SidesOfFold, Bools, Floats]
"""Problems of a fold, which of them, and the answers to these."""
Kind = tuple[str, str, dict[str, Bools]]


def _kinds(sides: dict[str, SidesOfFold]) -> list[Kind]:
    """Name of the same-author pairs, of the different-author pairs, and which problems of each fold those are."""
    shared = {fold: side.topics[:, 0] == side.topics[:, 1] for fold, side in sides.items()}
    words = {True: "one topic", False: "two topics"}
    kinds: list[Kind] = []
    for same_shares in (True, False):
        for different_shares in (True, False):
            masks = {
                fold: np.where(
                    side.same, shared[fold] == same_shares, shared[fold] == different_shares
                )
                for fold, side in sides.items()
            }
            kinds.append((words[same_shares], words[different_shares], masks))
    return kinds


def _stratum(
    name: str,
    same_author: str,
    different_author: str,
    members: list[Part],
    similarity: Floats,
) -> Stratum:
    if not members:
        return Stratum(name, same_author, different_author, 0, 0, None, None)
    truth = np.concatenate([sides.same[mask] for sides, mask, _ in members])
    auc = mean_auc(
        [(side.same[k], answers, side.authors[k], side.problem[k]) for side, k, answers in members],
        [side.topics[k] for side, k, _ in members],
        similarity,
    )
    answers = np.concatenate([answers for _, _, answers in members])
    count = int(truth.sum())
    return Stratum(
        name,
        same_author,
        different_author,
        count,
        len(truth) - count,
        auc,
        cllr_cost(truth, answers),
    )


def misleading(rows: Sequence[Stratum]) -> dict[str, tuple[Stratum, Stratum]]:
    """Return, by verifier, the stratum where topic helps and the stratum where it misleads, if it has both."""
    by_kind = {(row.verifier, row.same_author, row.different_author): row for row in rows}
    return {
        verifier: (by_kind[verifier, *HELPS], by_kind[verifier, *MISLEADS])
        for verifier in dict.fromkeys(row.verifier for row in rows)
        if {(verifier, *HELPS), (verifier, *MISLEADS)} <= by_kind.keys()
    }


def strata_table(rows: Sequence[Stratum]) -> Table:
    """Return AUC and C_llr by whether same-author and different-author pairs share a topic."""
    return table(
        "strata",
        "Hard pairs: topics shared or not",
        rows,
        col("verifier", "verifier", text=True, json="verifier"),
        col("same author on", "same_author", text=True, json="same_author"),
        col(
            "different authors on",
            "different_author",
            text=True,
            json="different_author",
        ),
        col("same-author pairs", "same", json="n"),
        col("different-author pairs", "different", json="n_different"),
        col("AUC", "auc.value", json="auc"),
        col("interval", "auc.interval", json="interval"),
        col("C_llr", "cllr", json="cllr"),
        note=(
            "Original texts on the test topics of the Random folds, with equally many pairs"
            " of each kind. Topic misleads in the row with one author on two topics and two"
            " authors on one. Communities have styles too, so a gap between rows does not"
            " prove reliance. C_llr: cost of the answers in bits; 1 is a constant answer of"
            " .5."
        ),
        section="scores",
        terminal=False,
    )


COLORS = ("#2b6cb0", "#c05621", "#2f8f7a", "#a3476e", "#9a7d1f", "#6b7280")
MARKS = "osD^vP*X"


@dataclass(frozen=True)
class LengthRow:
    """One verifier on texts of ``words`` words.

    ``auc`` is the mean over folds with an interval over authors, ``c1`` that of c@1, ``problems`` the number of
    answered problems, ``reached`` the proportion of problems whose texts all had this many words.
    """

    verifier: str
    words: int
    problems: int
    reached: float
    auc: Estimate | None
    c1: float | None


def length_rows(
    store: Store, plan: RunPlan, names: Sequence[str]
) -> tuple[tuple[LengthRow, ...], tuple[Failure, ...]]:
    """Return every verifier at every length, and the cells without answers."""
    rows = []
    failures = []
    for record in plan.lengths:
        sides = {fold: sides_of(store, fold, plan.topics) for fold in record.folds}
        for name in names:
            own_rows, missing = _length_row(store, name, record, sides)
            rows.append(own_rows)
            failures += missing
    return tuple(rows), tuple(failures)


def _length_row(
    store: Store, name: str, record: LengthRecord, sides: dict[str, Any]
) -> tuple[LengthRow, list[Failure]]:
    answered = []
    c1 = []
    missing = []
    for fold in record.folds:
        cell = store.cell(name, fold)
        if cell is None or cell.answers is None:
            why = "not answered yet" if cell is None else str(cell.error or "no answers")
            missing.append(Failure(fold, name, fold, why))
            continue
        side = sides[fold]
        answered.append((side.same, cell.answers, side.authors, side.problem))
        c1.append(scores(side.same, cell.answers)["c@1"])
    auc = mean_auc(answered) if answered else None
    return (
        LengthRow(
            name,
            record.words,
            sum(len(same) for same, *_ in answered),
            record.reached,
            auc,
            mean(c1),
        ),
        missing,
    )


LENGTHS: tuple[Col[LengthRow], ...] = (
    col("verifier", "verifier", text=True, json="verifier"),
    col("words", "words", json="words"),
    col("AUC", "auc.value", json="auc"),
    col("from", lambda row: (interval_of(row.auc) or (None, None))[0]),
    col("to", lambda row: (interval_of(row.auc) or (None, None))[1]),
    col(None, "auc.interval", json="interval"),
    col("c@1", "c1", json="c@1"),
    col("problems", "problems", json="problems"),
    col("full length", "reached", json="full_length"),
)


def lengths_table(rows: Sequence[LengthRow]) -> Table:
    """Return a table with one row for each verifier and length."""
    order = list(dict.fromkeys(row.verifier for row in rows))
    note = (
        "All texts, including those for training, are cut to their first words. from, to: 95"
        " % interval of the AUC over authors. full length: proportion of problems whose texts"
        " all had this many words; the others stay shorter."
    )
    by_verifier = sorted(rows, key=lambda row: (order.index(row.verifier), row.words))
    return table("lengths", "How many words are needed", by_verifier, *LENGTHS, note=note)


def lengths_figure(rows: Sequence[LengthRow]) -> Figure:
    """Draw AUC over words, one line for each verifier; bars are 95 % intervals."""
    figure, (axes,) = canvas(4.6, 3.2)
    names = list(dict.fromkeys(row.verifier for row in rows))
    for i, name in enumerate(names):
        points = sorted(
            (row for row in rows if row.verifier == name and row.auc is not None),
            key=lambda row: row.words,
        )
        color = COLORS[i % len(COLORS)]
        word_positions = [point.words * (1 + 0.02 * (i - (len(names) - 1) / 2)) for point in points]
        for position, point in zip(word_positions, points, strict=True):
            if (interval := interval_of(point.auc)) is not None:
                axes.plot(
                    (position, position),
                    interval,
                    color=color,
                    linewidth=1.6,
                    alpha=0.5,
                    solid_capstyle="butt",
                )
        values = [value_of(point.auc) for point in points]
        axes.plot(
            word_positions,
            values,
            marker=MARKS[i % len(MARKS)],
            color=color,
            linewidth=1.2,
            markersize=4.5,
            label=name,
        )
    words = sorted({row.words for row in rows})
    axes.axhline(0.5, color=FAINT, linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xticks(words, [f"{word:,}" for word in words])
    axes.minorticks_off()
    axes.set_xlabel("words in each text")
    axes.set_ylabel("AUC", color=INK)
    axes.grid(axis="y", color=FAINT, alpha=0.25, linewidth=0.6)
    figure.legend(loc="outside lower center", ncols=min(4, len(names)), fontsize=9)
    return figure
