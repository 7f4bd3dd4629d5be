"""Reports the content axis: what a transplant probe (questioned texts with other texts' content words) shows about
verifiers.

In: a ``Store`` whose plan has a transplant probe (``TransplantRecord``), and the names of verifiers; then a
``ContentProbe``.
Out: a ``ContentProbe``, one ``ContentRow`` a verifier (``figures``: AUCs and shares from 0 to 1, and differences of
such from −1 to 1; verdict), None without a probe; ``Table``s, sentences, JSON objects and a matplotlib figure of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np

from ravenbench.engine.transplants import Shown, TransplantRecord, estimate_of
from ravenbench.metrics.pan import auc_of_scores
from ravenbench.reports.cells import Failure, mean, published, sides_of
from ravenbench.reports.page import FAINT, INK, OTHER, SETUP, canvas
from ravenbench.reports.view import (
    Col,
    Table,
    Toned,
    col,
    figure,
    named,
    objects,
    printable,
    table,
    value_of,
    without,
)
from ravenbench.statistics.axes import EFFECTS, Check, Content, Domain, Judged, State, content_axis
from ravenbench.statistics.content import ContentDesign, ContentFigures, KeptFold, Versions, alike
from ravenbench.statistics.estimates import Estimate
from ravenbench.text.splicing import FITTED, FREE, NAMES, NATURAL
from ravenbench.types import Bools, Floats, Interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ravenbench.engine.transplants import ReferenceRecord, TransplantedFold
    from ravenbench.store.records import VerifierRecord
    from ravenbench.store.store import Cell, Store

R = TypeVar("R")
Read = Callable[[str, str], tuple[Floats | None, str]]
"""Answers and scores (2, n) of a verifier on a fold's test problems, scores NaN where it could not answer one; None and
why without any."""
NOTHING = ContentFigures()
NOT_APART = (
    "its test sets were not answered separately, as this version of Raven requires; repeat the run"
)
OLD = (
    "this folder comes from a version of Raven that did not ask for whole test sets; repeat the run"
)


@dataclass(frozen=True)
class ContentRow:
    """One verifier: its figures, the AUC (from, to) as far as content moves it, and the outcome on the content axis.

    All is of its answers; ``behind`` are the figures of its scores where these order problems otherwise. ``whole`` is
    the AUC that tables of scores show: of answers to all problems of the same folds, those that could not be rewritten
    included. ``floor`` is the style left of a scorer that sees content words alone, an AUC. ``helps`` and ``misleads``
    are AUCs on the original texts of pairs whose topics agree with the truth, and contradict it; None where topics are
    unknown; ``topic`` are these two of a scorer that guesses topic from what stays. The row of a verifier is for the
    ``replacement`` that is worst for it; ``by_replacement`` has those of all. Of a verifier that reads grammar what it
    loses is ``natural``, where words were replaced so: ``LOST`` are figures of that replacement.
    """

    verifier: str
    figures: ContentFigures
    reach: Interval | None
    judged: Judged[Content]
    behind: ContentFigures | None = None
    whole: float | None = None
    floor: Estimate | None = None
    helps: Estimate | None = None
    misleads: Estimate | None = None
    topic: tuple[Estimate | None, Estimate | None] = (None, None)
    replacement: str = FITTED
    by_replacement: tuple[ContentRow, ...] = ()
    natural: bool = False

    @property
    def decided(self) -> str | None:
        """The replacement that decided, if several were measured."""
        by = f"{self.replacement}; drop by {NATURAL}" if self.natural else self.replacement
        return by if self.by_replacement else None

    @property
    def lesser(self) -> Estimate | None:
        """The lesser of ``misleads`` and ``helps``: a verifier that goes against topic gains nothing."""
        if self.helps is None or self.misleads is None:
            return None
        return self.helps if self.helps.value < self.misleads.value else self.misleads


LOST = (
    "auc",
    "style_left",
    "drop",
    "silence",
    "turned",
    "shift",
    "null_turned",
    "null_shift",
)
"""Figures of original against replaced texts: those that lost sense moves too."""


@dataclass(frozen=True, eq=False)
class ContentProbe:
    """A transplant probe: its record, one row a verifier, and cells without answers; no row depends on another."""

    section: TransplantRecord
    rows: tuple[ContentRow, ...]
    failures: tuple[Failure, ...]

    def row(self, verifier: str) -> ContentRow:
        """Return the row of a verifier."""
        return next(row for row in self.rows if row.verifier == verifier)


def content_probe(
    store: Store,
    section: TransplantRecord | None,
    names: Sequence[str],
    topics: Sequence[str] = (),
    read: Read | None = None,
    cells: Callable[[str, str], Sequence[Cell | None]] | None = None,
    by_topic: Mapping[str, tuple[Estimate | None, Estimate | None]] = {},
    topic: Shown | None = None,
) -> ContentProbe | None:
    """Return figures (AUC and proportions) and verdicts of a transplant probe; None if it was not asked for.

    ``topics`` are the run's, in the order of its similarities; ``read`` and ``cells`` find scores and cells if there is
    not one cell for each fold. ``by_topic`` has, by verifier, its AUC where topic helps and where it misleads, and
    ``topic`` those of a scorer that guesses topic from what stays (``topic_reference``).
    """
    if section is None:
        return None
    ways = {fold.replacement for fold in section.folds}
    asked_as_sets = FREE in ways and all(fold.arms for fold in section.folds)
    reason = section.reason or (None if asked_as_sets else OLD)
    if reason is not None:
        judged = Judged(Content.NO_VERDICT, 0.0, reason=reason)
        return ContentProbe(
            section, tuple(ContentRow(name, NOTHING, None, judged) for name in names), ()
        )
    reader = read or partial(stored, store)
    cells_of = cells or (lambda name, fold: [store.cell(name, fold)])
    by_way: dict[str, list[TransplantedFold]] = {}
    for transplanted in section.folds:
        by_way.setdefault(transplanted.replacement, []).append(transplanted)
    similarity = store.similarity() if topics else None
    designs = {
        way: ContentDesign(tuple(_kept_fold(store, fold, topics) for fold in folds), similarity)
        for way, folds in by_way.items()
    }
    reference = section.reference()
    # Lengths of words excuse a swing only where words are fitted.
    lengths = {FITTED: None if reference is None else reference.interval("lengths", "swing")}
    floor = None if reference is None else estimate_of(reference.content, "style_left")
    by_what_stays = estimate_of(topic or {}, "helps"), estimate_of(topic or {}, "misleads")
    rows: list[ContentRow] = []
    failures: list[Failure] = []
    for name in names:
        batches = [_batched(reader, name, fold) for fold in section.folds if fold.batch is not None]
        batched = True if True in batches else None if not batches or None in batches else False
        every = {fold.source: reader(name, fold.source)[0] for fold in section.folds}
        whole_auc = mean(
            auc_of_scores(store.truth(fold), scores[0])
            for fold, scores in every.items()
            if scores is not None
        )
        helps, misleads = by_topic.get(name, (None, None))
        filled = [
            cell
            for transplanted in section.folds
            for fold in (transplanted.source, *transplanted.arms.values())
            for cell in cells_of(name, fold)
        ]
        barred = exposure(store, name, filled)
        confined = confinement(store, name, filled)
        measured = dict[str, ContentRow]()
        for way, folds in by_way.items():
            design = designs[way]
            answers, scores = zip(
                *(
                    _versions(reader, name, transplanted, fold.same, failures, store)
                    for transplanted, fold in zip(folds, design.folds, strict=True)
                ),
                strict=True,
            )
            figures, behind = design.judged(answers, scores, batched=batched)
            measured[way] = ContentRow(
                name,
                figures,
                _reach(design.folds, answers),
                Judged(Content.NO_VERDICT, 0.0),
                behind,
                whole_auc,
                floor,
                helps,
                misleads,
                by_what_stays,
                way,
            )
        planned = _planned(store, name)
        natural = measured.get(NATURAL) if planned and planned.reads_grammar else None
        deciding = [
            row if natural is None else _losing(row, natural)
            for way, row in measured.items()
            if way in (FITTED, FREE)
        ]
        judge = partial(_judged, barred=barred, confined=confined, lengths=lengths)
        worst = min(map(judge, deciding), key=lambda row: list(Content).index(row.judged.outcome))
        rows.append(replace(worst, by_replacement=tuple(map(judge, measured.values()))))
    return ContentProbe(section, tuple(rows), tuple(failures))


def _judged(
    row: ContentRow,
    *,
    barred: str | None,
    confined: str,
    lengths: Mapping[str, Interval | None],
) -> ContentRow:
    """A row with its verdict."""
    judged = content_axis(
        row.figures,
        lengths=lengths.get(row.replacement),
        behind=row.behind,
        barred=barred,
        floor=value_of(row.floor),
        misleads=row.misleads,
    )
    refused = row.behind and row.behind.refused
    notes = (
        judged.reason,
        f"{refused} problems could not be answered in every version and count as .5"
        if refused
        else "",
        confined,
    )
    return replace(
        row,
        judged=judged._replace(reason="; ".join(filter(None, notes)) or None, confinement=confined),
    )


def _losing(row: ContentRow, natural: ContentRow) -> ContentRow:
    """The row of a verifier that reads grammar: what it loses, and what changes with that, as words replaced naturally
    show it."""
    return replace(
        row,
        figures=_but_lost(row.figures, natural.figures),
        behind=_but_lost(row.behind or row.figures, natural.behind or natural.figures)
        if row.behind or natural.behind
        else None,
        natural=True,
    )


def _but_lost(figures: ContentFigures, natural: ContentFigures) -> ContentFigures:
    return figures._replace(**{name: getattr(natural, name) for name in LOST})


def joined(sections: Sequence[TransplantRecord]) -> TransplantRecord | None:
    """Return several probes as one over all their folds, without probes that had nothing to ask, unless all had
    nothing."""
    if not sections:
        return None
    sections_asked = [section for section in sections if section.reason is None]
    if not sections_asked:
        return sections[0]
    left_out: dict[str, int] = {}
    for section in sections_asked:
        for why, count in section.left_out.items():
            left_out[why] = left_out.get(why, 0) + count
    folds = [fold for section in sections_asked for fold in section.folds]
    ways = " or ".join(sorted({section.kept_by for section in sections_asked}))
    segmented = "; ".join(sorted({section.segmented for section in sections_asked} - {""}))
    most_words = max(section.function_words for section in sections_asked)
    return msgspec.structs.replace(
        sections_asked[0],
        left_out=left_out,
        folds=folds,
        references=[],
        kept_by=ways,
        function_words=most_words,
        segmented=segmented,
    )


def stored(store: Store, name: str, fold: str) -> tuple[Floats | None, str]:
    """Return answers and scores (2, n) in the cell of a verifier on a fold, None without any, and the reason."""
    cell = store.cell(name, fold)
    return published(cell), "not computed" if cell is None else cell.error or "no answers"


ELSEWHERE = "Raven cannot exclude what it learned elsewhere"


def confinement(store: Store, name: str, cells: Iterable[Cell | None]) -> str:
    """Return how far a method was confined when it filled these cells, and whether it has its own files or weights; ""
    for Raven's methods without them."""
    record = _planned(store, name)
    if record is None or not (record.confinement or record.source):
        return ""
    filled = (cell.record for cell in cells if cell is not None and cell.error is None)
    ways = {one.programs or record.confinement for one in filled}
    return "; ".join([*(sorted(ways) if record.confinement else []), ELSEWHERE])


def _planned(store: Store, name: str) -> VerifierRecord | None:
    return next((verifier for verifier in store.plan.verifiers if verifier.name == name), None)


def exposure(store: Store, name: str, cells: Iterable[Cell | None]) -> str | None:
    """Return why a method may know more than its input for these cells (``engine.apart``); None if it cannot."""
    planned = _planned(store, name)
    source = None if planned is None else planned.source
    for cell in cells:
        if cell is not None and cell.error is None:
            if cell.record.exposed is msgspec.UNSET:
                if source is not None or cell.record.programs:
                    return NOT_APART
            elif cell.record.exposed:
                return cell.record.exposed
    return None


def _batched(read: Read, name: str, transplanted: TransplantedFold) -> bool | None:
    """Whether some problems get other answers or scores in another batch, smaller and in another order; None without
    answers."""
    assert transplanted.batch is not None
    (rerun, _), (first_scores, _), (transplant_scores, _) = (
        read(name, fold)
        for fold in (transplanted.batch, transplanted.source, transplanted.arms["off"])
    )
    if rerun is None or first_scores is None or transplant_scores is None:
        return None
    rerun_positions = np.asarray(transplanted.again, dtype=np.int64)
    before = np.where(
        np.arange(len(rerun_positions)) % 2,
        transplant_scores[:, rerun_positions],
        first_scores[:, np.asarray(transplanted.rows)[rerun_positions]],
    )
    return not all(
        map(alike, rerun, before, np.concatenate([first_scores, transplant_scores], axis=1))
    )


def _reach(folds: Sequence[KeptFold], scores: Sequence[Versions | None]) -> Interval | None:
    """AUC with content against the truth and with it, means over folds: the ends of what content can do."""
    low, high = (
        mean(
            auc_of_scores(fold.same, np.where(fold.same == along, versions.on, versions.off))
            for fold, versions in zip(folds, scores, strict=True)
            if versions is not None
        )
        for along in (False, True)
    )
    return None if low is None or high is None else (low, high)


def _kept_fold(store: Store, transplanted: TransplantedFold, names: Sequence[str]) -> KeptFold:
    sides = sides_of(store, transplanted.source, names)
    rows = np.asarray(transplanted.rows, dtype=np.int64)
    topics = sides.topics[rows]
    known = topics if (topics >= 0).all() else None
    return KeptFold(sides.same[rows], sides.authors[rows], sides.problem[rows], known)


def _versions(
    read: Read,
    name: str,
    transplanted: TransplantedFold,
    same: Bools,
    failures: list[Failure],
    store: Store,
) -> tuple[Versions, Versions] | tuple[None, None]:
    """The answers of a fold, and the scores; None without them."""
    arms = {}
    for arm, fold in {"source": transplanted.source, **transplanted.arms}.items():
        scores, error = read(name, fold)
        if scores is not None:
            arms[arm] = scores
        elif arm != "source":
            failures.append(Failure(store.keys.get((name, fold), fold), name, fold, error))
    if len(arms) <= len(transplanted.arms):
        return None, None
    with_truth = arms["along"]
    against_truth = arms["against"]
    plain = arms["source"][:, np.asarray(transplanted.rows, dtype=np.int64)]
    with_scores = np.where(same, with_truth, against_truth)
    against_scores = np.where(same, against_truth, with_truth)
    of_answers, of_scores = map(
        Versions._make, zip(plain, with_scores, against_scores, arms["off"], strict=True)
    )
    return of_answers, of_scores


TITLE = "AUC with content replaced, and the effect of content"
OVER_GROUPS = "authors, or over groups of linked problems if the authors are not named"


CLEARED = (Content.LESS, Content.FLOOR)


def in_brackets(judged: Judged[Any]) -> str:
    """Return how a method of other authors was confined, to follow a verdict that clears it."""
    return f" ({judged.confinement})" if judged.confinement else ""


def _margin(judged: Judged[Any]) -> str:
    """The margin δ of a verdict, as ±.02."""
    return f"±{judged.margin:.2f}".replace("0.", ".")


def badge(judged: Judged[Any]) -> str:
    """Return the outcome in words that need no context."""
    margin = _margin(judged)
    # Outcomes of both axes compare as text, and some of them read alike.
    if isinstance(judged.outcome, Content):
        if judged.outcome is Content.LESS:
            return f"no content effect beyond {margin}{in_brackets(judged)}"
        if judged.outcome is Content.FLOOR:
            return f"no content effect, but at the floor{in_brackets(judged)}"
        stated = judged.outcome in EFFECTS or judged.outcome is Content.GUESSES
        return str(judged.outcome) if stated else f"content: {judged.outcome}"
    badge_of_outcome = {
        Domain.DEPENDS: "depends on its training domain",
        Domain.LESS: f"no training-domain effect beyond {margin}",
        Domain.NOT_APPLICABLE: "training domain: not applicable",
    }
    return badge_of_outcome.get(judged.outcome, f"training domain: {judged.outcome}")


def toned(judged: Judged[Any]) -> Toned:
    """Return the outcome in words, in its colour."""
    outcome = judged.outcome
    if isinstance(outcome, Domain):
        tones = {Domain.LESS: "green", Domain.DEPENDS: "yellow"}
        return Toned.of(badge(judged), tones.get(outcome, ""))
    tone = "yellow" if outcome in EFFECTS else "green" if outcome in CLEARED else ""
    return Toned.of(badge(judged), tone)


OUTCOMES = {
    Content.RELIES: "relies",
    Content.LOSES: "loses",
    Content.NOTICES: "notices",
    Content.SWAYED: "both ways",
    Content.DISPLACED: "displaced",
    Content.FOLLOWS: "follows topic",
    Content.GUESSES: "guesses",
    Content.FLOOR: "floor",
    Content.LESS: "less",
    Content.UNDECIDED: "undecided",
    Content.NO_VERDICT: "none",
    Domain.DEPENDS: "depends",
    Domain.LESS: "less",
    Domain.UNDECIDED: "undecided",
    Domain.NOT_APPLICABLE: "not applicable",
    Domain.NO_VERDICT: "none",
}
"""Outcomes of both axes in JSON."""


def judged_cols(
    get: Callable[[R], Judged[Any]], shows: tuple[str | None, str] = (None, "")
) -> tuple[Col[R], ...]:
    """Return columns of an outcome and its reasons, in JSON; ``shows`` is heading and explanation of a column with the
    smallest detectable effect."""
    title, about = shows
    return (
        col(None, lambda row: OUTCOMES[get(row).outcome], json="outcome"),
        col(None, lambda row: get(row).margin, json="margin"),
        col(title, lambda row: get(row).shows, json="shows", terminal=False, about=about),
        col(None, lambda row: get(row).needed, json="needed"),
        col(None, lambda row: get(row).reason, json="reason"),
    )


def _matters(depends: bool | None) -> str:
    return "matters" if depends else ""


def _with_interval(
    title: str, path: str, json: str, interval: str, *, signed: bool = False, about: str = ""
) -> tuple[Col[ContentRow], Col[ContentRow]]:
    """The columns of an estimate along this path, and of its interval, which only pages and files have room for."""
    shown = f"interval of {title}"
    return (
        col(title, f"{path}.value", signed=signed, json=json, about=about),
        col(shown, f"{path}.interval", signed=signed, json=interval, terminal=False),
    )


def _beyond_chance(title: str, name: str, about: str = "") -> tuple[Col[ContentRow], ...]:
    """A figure of single answers, and its interval, which no table has room for."""
    key = title.replace(" ", "_")
    return (
        col(
            title,
            f"figures.{name}.value",
            digits=2,
            signed=True,
            json=key,
            terminal=False,
            about=about,
        ),
        col(None, f"figures.{name}.interval", json=f"{key}_interval"),
    )


FIGURES: tuple[Col[ContentRow], ...] = (
    col("AUC before", "figures.auc.value", json="auc"),
    col("style left", "figures.style_left.value", json="style_left"),
    col("floor", "floor.value", json="floor", terminal=False),
    col("interval of floor", "floor.interval", json="floor_interval", terminal=False),
    col(
        "interval of style left",
        "figures.style_left.interval",
        json="style_left_interval",
        terminal=False,
    ),
    *_with_interval("drop", "figures.drop", "drop", "drop_interval", signed=True),
    *_with_interval("swing", "figures.swing", "swing", "interval", signed=True),
    col("on > off", "figures.share.value", digits=2, json="p", terminal=False),
    *_beyond_chance(
        "both ways",
        "sway",
        "Both ways: how far topic changes single answers, in ranks from 0 to 1.",
    ),
    *_beyond_chance(
        "decisions",
        "turned",
        (
            "Decisions, ranks: proportion of decisions that change, and how far answers change in"
            " rank, when content is replaced, beyond the change between two kinds of other"
            " content."
        ),
    ),
    *_beyond_chance("ranks", "shift"),
    *_beyond_chance(
        "left open",
        "silence",
        (
            "Left open: how much the proportion of problems without an answer rises when content"
            " is replaced; an answer that many problems share counts as no answer."
        ),
    ),
    col(
        "null",
        "figures.null_swing.value",
        signed=True,
        json="null_swing",
        terminal=False,
        about="Null: swing between two kinds of other content.",
    ),
    col(
        "null ranks",
        "figures.null_shift.value",
        digits=2,
        json="null_ranks",
        terminal=False,
    ),
    col(None, "figures.null_shift.interval", json="null_ranks_interval"),
    col(
        "null decisions",
        "figures.null_turned.value",
        digits=2,
        json="null_decisions",
        terminal=False,
        about=(
            "Null ranks, decisions: the change of both from one kind of other content to the"
            " other kind."
        ),
    ),
    col(None, "figures.null_turned.interval", json="null_decisions_interval"),
)
"""Figures of answers, or of scores."""
REPLACED: tuple[Col[ContentRow], ...] = (
    col("verifier", "verifier", text=True, json="verifier"),
    col("words", "replacement", text=True, json="replacement"),
    col("verdict", "judged", text=True, show=toned),
    col(None, lambda row: OUTCOMES[row.judged.outcome], json="outcome"),
    *FIGURES,
    col("problems", lambda row: row.figures.same + row.figures.different, json="problems"),
)
CONTENT: tuple[Col[ContentRow], ...] = (
    col("verifier", "verifier", text=True, json="verifier"),
    col("verdict", "judged", text=True, show=toned),
    *_with_interval(
        "misleads",
        "misleads",
        "topic_misleads",
        "topic_misleads_interval",
        about=(
            "Misleads: AUC where topic misleads: original texts, same-author pairs on two"
            " topics against different-author pairs on one; below .5 a verifier follows"
            " topic."
        ),
    ),
    col(
        "helps",
        "helps.value",
        json="topic_helps",
        terminal=False,
        about=(
            "Helps: the same, same-author pairs on one topic against different-author pairs on two."
        ),
    ),
    col(None, "helps.interval", json="topic_helps_interval"),
    col(
        "misleads, floor",
        "topic.1.value",
        json="topic_misleads_floor",
        terminal=False,
        about="Floor of misleads: AUC of a scorer that guesses topic from the words that stay.",
    ),
    col(None, "topic.1.interval", json="topic_misleads_floor_interval"),
    col(None, "topic.0.value", json="topic_helps_floor"),
    col(
        "decided by",
        "decided",
        text=True,
        json="decided_by",
        terminal=False,
        about="Decided by: the way of replacing content words that is worst for the verifier.",
    ),
    *FIGURES,
    col(
        "batch",
        "figures.batched",
        text=True,
        json="batch_matters",
        terminal=False,
        show=_matters,
        about="Batch: “matters” if an answer changes with the other problems of its batch.",
    ),
    col(
        "AUC of all",
        "whole",
        json="auc_of_all",
        terminal=False,
        about="AUC of all: of all problems, as in the tables of scores.",
    ),
    col(
        None,
        lambda row: row.behind and objects([replace(row, figures=row.behind)], *FIGURES)[0],
        json="scores",
    ),
    col(None, lambda row: row.figures.same + row.figures.different, json="problems"),
    col(None, lambda row: [OUTCOMES[effect] for effect in row.judged.effects], json="findings"),
    col(None, "judged.open", json="open"),
    *judged_cols(lambda row: row.judged),
    col(None, lambda row: objects(row.by_replacement, *REPLACED), json="by_replacement"),
)
"""What is said of a verifier; ``interval`` is that of the swing, ``p`` the share of problems scored higher *on*."""


def content_table(probe: ContentProbe | None) -> Table:
    """Return the detailed table: style left (an AUC), drop and swing (differences of AUC) of every verifier, most style
    left first."""
    over = (
        "authors and topics" if probe is not None and probe.section.by == "topic" else OVER_GROUPS
    )
    note = (
        "AUC before: of the answers to the original texts, mean over folds, for the problems"
        " that could be rewritten; an unanswered problem counts as .5. Style left: AUC with"
        " content replaced; .5 is guessing. Floor: style left of a scorer that sees only"
        " content words. Drop: AUC before minus style left. Swing, the content effect: how"
        " much the topic of content words changes AUC; 0 means not at all. 95 % intervals"
        f" over {over}. Verdicts use the answers and the scores behind them."
    )
    rows = () if probe is None or probe.section.reason else best_first(probe.rows)
    shown = table("content", TITLE, rows, *CONTENT, note=note)
    known = any(row.misleads is not None for row in rows)
    topical = ("misleads", "interval of misleads", "helps", "misleads, floor")
    return shown if known else without(shown, *topical)


IN_BRIEF = {
    Content.LOSES: "needs content words",
    Content.NOTICES: "notices the replacement",
    Content.SWAYED: "content changes answers",
    Content.DISPLACED: "content changes answers",
    Content.FLOOR: "not above the floor",
    Content.LESS: "no content effect",
}
"""Outcomes in at most four words, if their names are longer."""


def glance_table(probe: ContentProbe | None) -> Table:
    """Return the table that a page shows first: AUC, style left (an AUC), drop, swing and verdict of each verifier."""

    def with_interval(estimate: Estimate) -> str:
        low, high = map(figure, estimate.interval or (None, None))
        text = figure(estimate.value)
        return (
            f"{text}\N{NO-BREAK SPACE}[{low},\N{NO-BREAK SPACE}{high}]"
            if estimate.interval
            else text
        )

    rows = () if probe is None or probe.section.reason else best_first(probe.rows)
    note = (
        "AUC: .5 is guessing, 1 is perfect. Style left: AUC with the content words of all"
        " questioned texts replaced; high means that the verifier recognises style. Drop: AUC minus"
        " style left. Swing: how much AUC changes with the topic of content words; 0 means not at"
        " all. [ ]: 95 % intervals."
    )
    notes = {
        f"No content effect: not beyond {_margin(row.judged)}."
        for row in rows
        if row.judged.outcome is Content.LESS
    }
    return table(
        "glance",
        "Style or content?",
        rows,
        col("verifier", "verifier", text=True),
        col("AUC", "figures.auc", text=True, show=lambda auc: auc and with_interval(auc)),
        col(
            "style left",
            "figures.style_left",
            text=True,
            show=lambda left: left and with_interval(left),
        ),
        col("drop", "figures.drop.value", signed=True),
        col("swing", "figures.swing.value", signed=True),
        col(
            "verdict",
            "judged",
            text=True,
            show=lambda judged: Toned.of(
                IN_BRIEF.get(judged.outcome, judged.outcome)
                + in_brackets(judged) * (judged.outcome in CLEARED),
                toned(judged).tone,
            ),
        ),
        note=" ".join([note, *sorted(notes)]),
    )


def replacements_table(probe: ContentProbe | None) -> Table:
    """Return figures (AUC and differences) and outcome of every verifier, by replacement of content words."""
    rows = () if probe is None else [row for worst in probe.rows for row in worst.by_replacement]
    ways = {row.replacement for row in rows}
    return table(
        "replacements",
        "Content words replaced in two ways" if len(ways) < 3 else "Content words replaced",
        rows,
        *REPLACED,
        note=" ".join(said for way, said in HELD.items() if way in ways),
        terminal=False,
    )


HELD = {
    FITTED: (
        "Fitted: each content word is replaced by a word of the same length and case; length"
        " and case of every word, number and places of content words, words with digits,"
        " marks and layout stay the same."
    ),
    FREE: (
        "Free: the words of the other text in their order, with their length and case, and"
        " its numbers; only the places of content words, marks and layout stay the same. A"
        " verifier is free of content effects only if both ways agree."
    ),
    NAMES: (
        "Names only: words with a capital inside a sentence, words in addresses, and numbers"
        " are replaced, and all other words stay; this shows how much comes from names, and"
        " does not affect the verdict."
    ),
    NATURAL: (
        "Natural: a word of the same part of speech and inflection, in the case of the"
        " original word, and the numbers of the other text, so that the text can be parsed."
        " It decides the drop of a verifier that declares to read grammar, and nothing for"
        " others."
    ),
}
"""What each replacement leaves unchanged."""


def content_json(probe: ContentProbe | None) -> list[dict[str, Any]]:
    """Return one object for each verifier."""
    return objects(() if probe is None else probe.rows, *CONTENT)


def reference_table(probe: ContentProbe | None) -> Table:
    """Return the results of reference scorers in the same probe, by how many frequent words may stay."""

    def reached(scorer: str, name: str, signed: bool = False) -> tuple[Col[ReferenceRecord], ...]:
        title = f"{scorer}: {name.replace('_', ' ')}"

        def value(reference: ReferenceRecord) -> float | None:
            figures: Mapping[str, Any] = getattr(reference, scorer)
            return figures[name][0] if name in figures else None

        return (
            col(title, value, signed=signed),
            col(
                f"interval of {title}",
                lambda reference: reference.interval(scorer, name),
                signed=signed,
            ),
        )

    return table(
        "references",
        "Reference: what the probe leaves of content and lengths",
        () if probe is None else probe.section.references,
        col("words allowed", lambda reference: str(reference.function_words)),
        col("words kept", lambda reference: str(reference.kept)),
        col(
            "content: AUC",
            lambda reference: reference.content["auc"][0] if "auc" in reference.content else None,
        ),
        *reached("content", "style_left"),
        *reached("content", "swing", signed=True),
        *reached("lengths", "swing", signed=True),
        col("topic named", "named", digits=2),
        note=(
            "Content: a scorer that sees only content words; compare each style left with its"
            " style left. Lengths: a scorer that sees only the lengths of words. Words"
            " allowed: the largest number of frequent words that are not replaced; they are"
            " spread evenly over topics or belong to a closed class. Topic named: proportion"
            " of texts whose topic a classifier names from these words; it was not trained on"
            " their authors."
        ),
        terminal=False,
    )


def reference_sentences(probe: ContentProbe | None) -> list[str]:
    """Return sentences on the floor of style left, the effect of lengths, and the topic that the remaining words
    reveal."""
    reference = None if probe is None else probe.section.reference()
    if probe is None or reference is None or "style_left" not in reference.content:
        return []
    before = figure(reference.content["auc"][0])
    style_left = figure(reference.content["style_left"][0]) + interval_in_words(
        reference.interval("content", "style_left")
    )
    sentences = [
        (
            f"A scorer that sees only content words has an AUC of {before}, and of {style_left}"
            " with content replaced: compare each style left with this value, not with .5."
        )
    ]
    if "swing" in reference.lengths:
        moved = figure(reference.lengths["swing"][0], signed=True)
        sentences.append(
            f"Topic changes the AUC of a scorer that sees only the lengths of words by {moved}."
        )
    if reference.named is not None and probe.section.named is not None:
        sentences.append(
            f"From the {reference.kept} words that stay, a classifier names the topic of "
            f"{reference.named:.0%} of texts by authors it was not trained on; from all"
            f" frequent words, the topic of {probe.section.named:.0%} ({probe.section.topics}"
            " topics)."
        )
    return sentences


def headline(probe: ContentProbe | None) -> str:
    """Return one sentence with the number of verifiers by outcome; empty without a probe."""
    if probe is None or probe.section.reason is not None or not probe.rows:
        return ""
    counts = Counter((row.judged.outcome, in_brackets(row.judged)) for row in probe.rows)
    words: dict[Content, tuple[str, str]] = {
        Content.RELIES: ("relies on content", "rely on content"),
        Content.LOSES: ("needs content words", "need content words"),
        Content.NOTICES: ("notices that content was replaced", "notice that content was replaced"),
        Content.SWAYED: (
            "changes in both directions with content",
            "change in both directions with content",
        ),
        Content.DISPLACED: (
            "answers differently with other content",
            "answer differently with other content",
        ),
        Content.FOLLOWS: ("follows topic", "follow topic"),
        Content.FLOOR: (
            "shows no content effect but is not above the floor",
            "show no content effect but are not above the floor",
        ),
        Content.LESS: ("shows no content effect", "show no content effect"),
        Content.GUESSES: ("is no better than guessing", "are no better than guessing"),
        Content.UNDECIDED: ("is undecided", "are undecided"),
        Content.NO_VERDICT: ("has no verdict", "have no verdict"),
    }
    groups = [
        (outcome, confined)
        for outcome in words
        for confined in sorted({suffix for _, suffix in counts})
    ]
    clauses = [
        f"{n} {words[outcome][n > 1]}{suffix}"
        for outcome, suffix in groups
        if (n := counts[outcome, suffix])
    ]
    total = sum(counts.values())
    listed = clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])} and {clauses[-1]}"
    return (
        f"Of {total} {('verifier' if total == 1 else 'verifiers')} "
        f"{listed}.{_most_left(probe.rows)}"
    )


def best_first(rows: Iterable[ContentRow]) -> list[ContentRow]:
    """Return rows in order: first those without a content effect, by the lower of their AUCs where topic misleads and
    where it helps (by style left if these are unknown), then the others by style left; rows without figures last."""

    def place(row: ContentRow) -> tuple[bool, float]:
        cleared = row.judged.outcome is Content.LESS
        leading = row.lesser if cleared and row.lesser is not None else row.figures.style_left
        return not cleared, 1.0 if leading is None else -leading.value

    return sorted(rows, key=place)


def _most_left(rows: Sequence[ContentRow]) -> str:
    """The best of several verifiers that content does not move, and the one with most style left of all."""
    measured = [row for row in rows if row.figures.style_left is not None]
    if len(rows) < 2 or not measured:
        return ""
    most = max(measured, key=lambda row: value_of(row.figures.style_left) or 0.0)
    most_left = f"{most.verifier} {figure(value_of(most.figures.style_left))}"
    best = best_first(measured)[0]
    if best.judged.outcome is not Content.LESS:
        return f" Most style left: {most_left}, which is not shown to be free of content effects."
    confined = in_brackets(best.judged)
    if best.lesser is not None:
        lesser = figure(best.lesser.value) + interval_in_words(best.lesser.interval)
        left = figure(value_of(best.figures.style_left))
        where = "misleads" if best.lesser is best.misleads else "helps: it goes against topic"
        return (
            f" Best without a content effect: {best.verifier} {lesser} where topic {where},"
            f" style left {left}{confined}"
            f"{'' if best is most else f'; most style left of all: {most_left}'}."
        )
    clear = f"{best.verifier} {figure(value_of(best.figures.style_left))}"
    of_all = "" if best is most else f"; of all: {most_left}"
    return f" Most style left, without a content effect: {clear}{confined}{of_all}."


def content_sentence(row: ContentRow, *, below_table: bool = False) -> str:
    """Return what the probe found of a verifier, within what the intervals allow.

    Without what ``glance_table`` shows, and what it shows of all verifiers, if it is ``below_table``.
    """
    figures = row.figures
    judged = row.judged
    if (
        figures.style_left is None
        or figures.swing is None
        or figures.drop is None
        or figures.auc is None
    ):
        silent = [_finding(check) for check in _stated(judged, frozenset())]
        consequence = "Raven cannot say more on content" if silent else "No verdict on content"
        return " ".join([*silent, f"{consequence}: {judged.reason}."])
    effects = {
        check.effect for check in judged.checks if check.state is State.EFFECT and not check.raw
    }
    sentences = [] if below_table else [_measured(row, Content.RELIES in effects)]
    # The figures above show that topic changes AUC, which says more than that it changes single answers.
    known = {Content.RELIES, Content.SWAYED} if Content.RELIES in effects else set()
    if below_table:
        shown = {Content.LOSES} if row.helps is None else {Content.LOSES, Content.FOLLOWS}
        known |= effects & shown
    if row.misleads is not None and row.helps is not None:
        misleads = figure(row.misleads.value) + interval_in_words(row.misleads.interval)
        helps = figure(row.helps.value)
        if below_table:
            start = "It follows topic: o" if Content.FOLLOWS in effects else "O"
            sentences.append(
                f"{start}n the original texts AUC is {misleads} where topic misleads, {helps} where"
                " it helps."
            )
        else:
            sentences.append(
                f"On the original texts AUC is {misleads} where topic misleads (one author on two"
                f" topics, two authors on one) and {helps} where topic helps."
            )
            sentences += topic_sentence(row)
    if judged.outcome is Content.NO_VERDICT:
        return " ".join([*sentences, f"No verdict: {judged.reason}."])
    if row.replacement == FREE and not below_table:
        sentences.append(
            "The replacement by words of other lengths decided, and these are its figures."
        )
    if row.natural:
        sentences.append(
            "It reads grammar, so style left and drop are measured with words of the same part of"
            " speech and inflection."
        )
    sentences += map(_finding, _stated(judged, known))
    if judged.outcome is Content.GUESSES:
        sentences.append(
            "Its AUC does not differ from guessing, so the lack of a content effect is not an"
            " advantage."
        )
    if judged.outcome is Content.FLOOR:
        sentences.append(
            "Its interval is not above that floor, so the probe does not show that it recognises"
            " style."
        )
    if judged.outcome is Content.UNDECIDED and judged.open:
        names = " and ".join(CHECKS[name] for name in judged.open)
        end = (
            f"about {judged.needed:,} problems would decide it with 80 % power"
            if judged.needed
            else "more problems would hardly decide it"
        )
        sentences.append(
            f"Undecided ({names}): the data allow values on both sides of the margin; {end}."
        )
    if figures.batched:
        sentences.append(
            "Its answers depend on the other problems of a batch; the figures are those of complete"
            " test sets."
        )
    if judged.reason is not None:
        sentences.append(f"Note: {judged.reason}.")
    return " ".join(sentences)


def _measured(row: ContentRow, moves: bool) -> str:
    """AUC, style left and swing of a verifier in a sentence; ``moves``: its swing is an effect."""
    style_left, swing = row.figures.style_left, row.figures.swing
    assert style_left is not None and swing is not None
    left = figure(style_left.value) + interval_in_words(style_left.interval)
    change = figure(swing.value, signed=True) + interval_in_words(swing.interval, signed=True)
    auc = figure(value_of(row.figures.auc))
    if row.whole is not None and figure(row.whole) != auc:
        way = NATURAL if row.natural else row.replacement
        part = "that could be rewritten" if way == FITTED else f"with {way} words"
        auc = f"{figure(row.whole)}; on the problems {part} it is {auc}"
    floor = (
        ""
        if row.floor is None
        else "; a scorer of content words only then has"
        f" {figure(row.floor.value)}{interval_in_words(row.floor.interval)}"
    )
    return (
        f"AUC is {auc}, and {left} with content replaced{floor}. The topic of content words"
        f" {'changes it by' if moves else 'makes a difference of'} {change}."
    )


def topic_sentence(row: ContentRow) -> list[str]:
    """Return what a scorer reaches that guesses topic from the words that are not replaced; empty if it was not run."""
    helps, misleads = row.topic
    if helps is None or misleads is None:
        return []
    return [
        "A scorer that guesses topic from the words that stay has"
        f" {figure(misleads.value)}{interval_in_words(misleads.interval)} where topic misleads and"
        f" {figure(helps.value)} where it helps."
    ]


CHECKS = {
    "swing": "the swing",
    "drop": "the drop",
    "sway": "changes of single answers",
    "silence": "unanswered problems",
    "turned": "changed decisions",
    "shift": "changes of rank",
}


def _stated(judged: Judged[Content], known: AbstractSet[Content]) -> list[Check]:
    """Checks that found an effect, each effect once and of answers where these show it; ``known`` ones are left out.

    That answers change is said where nothing says more.
    """
    strongest: dict[Content, Check] = {}
    for check in judged.checks:
        if check.state is State.EFFECT and check.effect not in known:
            strongest.setdefault(check.effect, check)
    if judged.outcome is not Content.DISPLACED:
        strongest.pop(Content.DISPLACED, None)
    return list(strongest.values())


def _finding(check: Check) -> str:
    """One effect as a sentence of its own."""
    assert check.figure is not None
    value = check.figure.value
    interval = check.figure.interval
    behind = "By the scores behind its answers: " if check.raw else ""
    if check.effect is Content.RELIES:
        moved = figure(value, signed=True) + interval_in_words(interval, signed=True)
        return f"{behind}Topic changes AUC by {moved}."
    if check.effect is Content.LOSES:
        ends = sorted(map(abs, interval)) if interval else None
        amount = f"{figure(abs(value))}{interval_in_words((ends[0], ends[1]) if ends else None)}"
        return (
            f"{behind}It uses content words: without them AUC is {amount}"
            f" {'lower' if value > 0 else 'higher'}."
        )
    if check.effect is Content.NOTICES:
        return (
            f"{behind}It notices the replacement: it answers {abs(100 * value):.0f} %"
            f" {'fewer' if value > 0 else 'more'} of the problems (one answer to many counts as"
            " none)."
        )
    if check.effect is Content.FOLLOWS:
        return "It follows topic, because AUC is below .5 where topic misleads."
    if check.name == "turned":
        return f"With content replaced, {100 * value:.0f} % of its decisions change, beyond chance."
    moved = (
        "Topic changes single answers in both directions"
        if check.name == "sway"
        else "With content replaced, answers change"
    )
    return f"{behind}{moved}, by {figure(value)} in ranks (0 to 1) more than by chance."


def verdicts(probe: ContentProbe | None) -> list[dict[str, str]]:
    """Return a badge, the kind of outcome, and a sentence for each verifier; empty if nothing could be asked."""
    rows = () if probe is None or probe.section.reason is not None else probe.rows
    return [
        {
            "verifier": row.verifier,
            "badge": badge(row.judged),
            "kind": row.judged.outcome.name,
            "text": content_sentence(row),
        }
        for row in rows
    ]


def no_verdict(probe: ContentProbe | None, *, each: bool = True) -> list[str]:
    """Return sentences on what could not be asked: the whole probe, and with ``each``, every verifier without a
    verdict."""
    if probe is None:
        return []
    if probe.section.reason is not None:
        return [f"No verdict on content: {probe.section.reason}."]
    return [
        f"No verdict on content of {row.verifier}: {row.judged.reason}."
        for row in probe.rows
        if each and row.judged.outcome is Content.NO_VERDICT
    ]


def interval_in_words(interval: Interval | None, *, signed: bool = False) -> str:
    """Return an interval to follow a value in a sentence; empty without one."""
    if interval is None:
        return ""
    low, high = (figure(end, signed=signed) for end in interval)
    return f" ({low} to {high})"


def references_json(probe: ContentProbe | None) -> dict[str, Any] | None:
    """Return what the probe leaves: reference scorers by how many words may stay, and topics named; None without a
    probe."""
    if probe is None or not probe.section.references:
        return None
    section = probe.section
    return {
        "kept_by": section.kept_by,
        "segmenter": section.segmenter,
        "segmented": section.segmented,
        "topics": section.topics,
        "topics_named_from_all_words": section.named,
        "by_words": [
            {
                "may_stay": reference.function_words,
                "stay": reference.kept,
                "problems": reference.problems,
                "topics_named": reference.named,
            }
            | {
                "content": _with_intervals(reference.content),
                "lengths": _with_intervals(reference.lengths),
            }
            for reference in section.references
        ],
    }


def _with_intervals(
    figures: Mapping[str, tuple[float, float | None, float | None]],
) -> dict[str, Any]:
    return {
        name: {"value": value, "interval": None if low is None or high is None else [low, high]}
        for name, (value, low, high) in figures.items()
    }


OUTCOME: dict[Content | Domain, str] = {
    Content.RELIES: SETUP["anti"],
    Content.LOSES: SETUP["anti"],
    Content.NOTICES: SETUP["anti"],
    Content.SWAYED: SETUP["anti"],
    Content.DISPLACED: SETUP["anti"],
    Content.FOLLOWS: SETUP["anti"],
    Content.FLOOR: SETUP["random"],
    Content.LESS: SETUP["hits"],
    Content.UNDECIDED: SETUP["random"],
}
"""Colours of the outcomes on the content axis."""


def content_figure(probe: ContentProbe) -> Figure:
    """Return a figure with a point for style left with its interval, and a bar from the AUC with content against the
    truth to the AUC with content in favour."""
    rows = best_first(probe.rows)
    figure, (axes,) = canvas(3.9, 0.8 + 0.3 * len(rows))
    axes.axvline(0.5, color=INK, linewidth=0.8)
    ends = [0.45, 0.7]
    for position, row in enumerate(rows):
        style_left = row.figures.style_left
        if style_left is None or row.reach is None:
            continue
        color = OUTCOME.get(row.judged.outcome, OTHER)
        low, high = row.reach
        axes.barh(position, high - low, left=low, height=0.46, color=color, alpha=0.35)
        if style_left.interval is not None:
            axes.plot(
                style_left.interval,
                (position, position),
                color=INK,
                linewidth=1.4,
                solid_capstyle="butt",
            )
        axes.plot([style_left.value], [position], "o", markersize=4.5, color=color)
        ends += [style_left.value, *row.reach, *(style_left.interval or ())]
    name_rows(axes, [row.verifier for row in rows])
    axes.set_xlim(min(ends) - 0.02, max(ends) + 0.02)
    axes.set_xlabel("AUC (.5 = guessing)")
    axes.grid(axis="x", color=FAINT, alpha=0.25, linewidth=0.6)
    return figure


def name_rows(axes: Any, names: Sequence[str]) -> None:
    """Write the verifier names along the axis, the first at the top; long names are cut."""
    labels = [n if len(n) <= 24 else n[:23] + "…" for n in map(printable, map(named, names))]
    axes.set_yticks(range(len(names)), labels)
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.spines["left"].set_visible(False)
