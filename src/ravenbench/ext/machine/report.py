"""The report of ``raven detect``: false alarms on texts by people, and only then PAN's measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ravenbench.errors import counted
from ravenbench.ext.machine.detectors import of_pair
from ravenbench.ext.machine.task import LEAST, TEST, DetectPlan
from ravenbench.formats.tabular import quantiles
from ravenbench.metrics.pan import STANDARD, scores
from ravenbench.reports.report import Report
from ravenbench.reports.view import Col, Table, col, each, table
from ravenbench.shown import Shown
from ravenbench.statistics.estimates import share_of
from ravenbench.types import Bools, Floats

if TYPE_CHECKING:
    from rich.console import RenderableType

MEASURES = ("auc", "brier", "c@1", "f1_2024", "f05u", "overall_2024", "fpr", "fnr")
"""PAN's measures since 2024."""


@dataclass(frozen=True)
class AlarmShare:
    """How many of a part's texts a detector calls a machine's, with a 95 % interval; None where there are too few."""

    detector: str
    source: str
    part: str
    texts: int
    value: float | None
    interval: tuple[float, float] | None
    unanswered: int


@dataclass(frozen=True, repr=False)
class DetectorFigures(Shown):
    """False alarms on people's texts, then PAN's measures, then shares by genre and model."""

    alarms: tuple[AlarmShare, ...]
    scores: Mapping[str, Mapping[str, float | None]]
    shares: tuple[AlarmShare, ...]
    withheld: tuple[str, ...]
    """Detectors without an answer on people's texts, of which nothing else is shown."""
    learned: Mapping[str, int]
    """Texts by people that were left out, since detectors learn from them, by corpus."""
    remarks: tuple[str, ...] = ()
    """What is to be known of the texts."""


def cut(name: str, most: int = 32) -> str:
    """A part's name, shortened for show."""
    return name if len(name) <= most else name[: most - 1] + "…"


class DetectReport(Report[DetectorFigures]):
    """False alarms on texts by people first; a detector that has none to show shows nothing else."""

    kind = "detect"
    title = "Was it a machine?"

    def analyse(self) -> DetectorFigures:
        plan = self.store.plan_as(DetectPlan)
        alarms, measured, shares, withheld = [], {}, [], []
        for detector in (v.name for v in plan.verifiers):
            cells = {fold: self.store.cell(detector, fold) for fold in plan.folds}
            read = {fold: c.answers for fold, c in cells.items() if c is not None and c.answers is not None}
            if not plan.people.keys() <= read.keys():
                withheld.append(detector)
                continue
            for fold, corpus in plan.people.items():
                alarms += self._parts(detector, fold, corpus, read[fold], plan.parts[fold], ~self.store.truth(fold))
            if TEST not in read:
                continue
            answers = read[TEST]
            same = self.store.truth(TEST)
            shares += self._parts(detector, TEST, "people", answers, plan.parts[TEST], ~same)
            shares += self._parts(detector, TEST, "machines", answers, plan.parts[TEST], same)
            if plan.pairs:
                answers = np.array([of_pair(a, b) for a, b in answers.reshape(-1, 2)])
                same = same.reshape(-1, 2)[:, 0]
            of_pan = scores(same, answers, metrics={name: STANDARD[name] for name in MEASURES})
            measured[detector] = {**of_pan, "open": int((answers == 0.5).sum())}
        learned = {plan.people[fold]: count for fold, count in plan.learned.items() if count}
        return DetectorFigures(tuple(alarms), measured, tuple(shares), tuple(withheld), learned, tuple(plan.remarks))

    def _parts(
        self, detector: str, fold: str, source: str, answers: Floats, columns: Mapping[str, Sequence[str | None]],
        among: Bools,
    ) -> list[AlarmShare]:  # fmt: skip
        """Shares among some of a fold's texts: of all, by length, and by each column but the author."""
        test = self.store.shared_fold(fold).test
        words = np.array([len(test.texts[row].split()) for row in test.questioned_index], dtype=np.float64)
        if not among.any():
            return []
        divided = {"words": list(quantiles(np.where(among, words, np.nan))), **columns}
        names = [name or f"\0{i}" for i, name in enumerate(divided.pop("author", [None] * len(words)))]
        authors = np.unique(names, return_inverse=True)[1]
        parts = [("all", among)]
        for column, labels in divided.items():
            for label in sorted({one for one, inside in zip(labels, among, strict=True) if one and inside}):
                name = f"{label.partition(': ')[2]} words" if column == "words" else f"{column} {label}"
                parts.append((name, among & np.array([one == label for one in labels])))
        shares = []
        for part, inside in parts:
            texts, open_ = int(inside.sum()), int((answers[inside] == 0.5).sum())
            if texts < LEAST and part != "all":
                continue
            share = share_of(answers[inside] > 0.5, authors[inside]) if texts >= LEAST else None
            value, interval = share or (None, None)
            shares.append(AlarmShare(detector, source, part, texts, value, interval, open_))
        return shares

    def finding(self) -> str:
        whole = [share for share in self.analysis.alarms if share.part == "all" and share.interval is not None]
        if not whole:
            return "No detector has answered the texts by people."
        worst = max(whole, key=lambda share: (share.value, share.interval))
        low, high = worst.interval or (0.0, 1.0)
        if not worst.value:
            return (
                f"None of {worst.texts:,} texts that people wrote is called a machine's ({worst.detector} on "
                f"{worst.source}, {worst.unanswered:,} left open; 95 % interval up to {high:.1%})."
            )
        return (
            f"Up to {worst.value:.1%} of texts that people wrote are called a machine's "
            f"({worst.detector} on {worst.source}, {worst.unanswered:,} of {worst.texts:,} left open, "
            f"95 % interval {low:.1%} to {high:.1%})."
        )

    def closing(self) -> list[RenderableType]:
        return [*(f"Mind: {sentence}." for sentence in self.analysis.remarks), *super().closing()]

    def tables(self) -> list[Table]:
        a = self.analysis
        columns: tuple[Col[AlarmShare], ...] = (
            col("detector", lambda s: s.detector, text=True, json="detector"),
            col("texts by", lambda s: s.source, text=True, json="source"),
            col("part", lambda s: s.part, text=True, json="part", show=cut),
            col("texts", lambda s: s.texts, json="texts"),
        )
        interval: Col[AlarmShare] = col("95 %", lambda s: s.interval, json="interval")
        open_: Col[AlarmShare] = col("open", lambda s: s.unanswered, json="unanswered")
        note = (
            "Texts that people wrote before there were such machines, as the user says; Raven checks no date. Answers "
            "above .5 are false alarms. Intervals count texts of one author as far as these are independent. "
            f"Open: answers of .5, which accuse nobody. Parts of fewer than {LEAST} texts are left out."
        )
        for corpus, count in a.learned.items():
            note += f" Left out of {corpus}, since detectors learn from them: {counted(count, 'text')}."
        if a.withheld:
            note += f" No answer, and so nothing else is shown: {', '.join(a.withheld)}."
        title = "False alarms on people's texts"
        alarm: Col[AlarmShare] = col("false alarms", lambda s: s.value, json="false_alarms")
        remark: Col[str] = col("remark", str, text=True, json="remark")
        called: Col[AlarmShare] = col("called a machine's", lambda s: s.value, json="share")
        return [
            table("false-alarms", title, a.alarms, *columns, alarm, interval, open_, note=note),
            table(
                "scores", "PAN's measures", a.scores.items(),
                col("detector", lambda row: row[0], text=True, json="detector"),
                *each(
                    MEASURES, lambda name: STANDARD[name].title.removesuffix(" (2024)"),
                    lambda row, name: row[1][name], json=lambda name: name,
                ),
                col("open", lambda row: row[1]["open"], digits=0, json="unanswered"),
                note="As PAN 2025 and 2026 compute them: a machine is the positive class; mean is of the first five. "
                "FPR and FNR take an answer of .5 for a machine, as PAN's evaluator does; lower is better.",
            ),
            table(
                "shares", "Called a machine's, among texts with labels", a.shares, *columns, called, interval, open_,
                terminal=False,
            ),
            *([table("remarks", "Remarks on the texts", a.remarks, remark, terminal=False)] if a.remarks else []),
        ]  # fmt: skip
