"""Makes the leaderboards of a site: one for each run or evaluation, with a row for every system.

In: ``boards``: folders of runs and evaluations by address (``Path``), and submissions (answers, or a run's folder) by
address and system. Out: ``boards``: a list of ``Board``; its ``BoardStanding`` rows have ranks (1 = best, None where
not tested) and ``Number`` figures (a value or None, sometimes with a 95 % interval), AUC and c@1 from 0 to 1, counts of
unanswered problems. InputError or FormatError for folders and answers that do not fit. Steps: ``joined`` gives stores,
``by_method`` standings, ``divisions`` attributes of problems and ``parts_of`` c@1 by part.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from ravenbench import __version__
from ravenbench.errors import FormatError, InputError, counted, first_names
from ravenbench.ext.site.results import ResultFile, StatedSystem, compared
from ravenbench.files import escaped_json
from ravenbench.metrics.pan import STANDARD
from ravenbench.reading.account import ACCOUNT
from ravenbench.reading.answers import Truth
from ravenbench.reading.decoding import Faults
from ravenbench.reading.tabular import ProblemAttribute, quantiles
from ravenbench.reports.content import CLEARED, ContentRow, badge
from ravenbench.reports.outside import FILES, SHOWN, with_answers
from ravenbench.reports.report import report_of
from ravenbench.reports.seeds import pooled_stores, runs_of_seeds
from ravenbench.reports.view import (
    UNDEFINED,
    Col,
    Number,
    Table,
    col,
    figure,
    public_head,
    public_json,
    rows_json,
    table,
    to_csv,
)
from ravenbench.statistics.axes import EFFECTS, Content, Domain
from ravenbench.statistics.estimates import Estimate
from ravenbench.statistics.ranks import tie_groups
from ravenbench.store.plans import content_key
from ravenbench.store.records import GOOD_FAITH, Plan
from ravenbench.store.store import Cell, Store
from ravenbench.tasks.evaluate.analysis import evaluate
from ravenbench.tasks.evaluate.api import is_run, read_run, with_late
from ravenbench.tasks.evaluate.evaluation import (
    BreakDown,
    PairTest,
    differences_table,
    parts_table,
    scores_table,
)
from ravenbench.tasks.pan14.plan import Pan14Plan
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.run.spec import SEED, methods_of
from ravenbench.text.tokens import count_words
from ravenbench.types import Bools, Labels

LEADERS = 5
"""Number of ranks of each leaderboard on a site's first page."""

P = TypeVar("P", bound=Plan)
METRICS = ("auc", "c@1", "overall", "final")
MISLEADS = "misleads"
"""AUC where topic misleads, or helps if that is less: it ranks the systems of a board that have verdicts on content."""
APART = 3
"""More than two values of AUC can differ: what separates two classes."""
CLASSES = (CLEARED, EFFECTS, (Content.UNDECIDED,), (Content.GUESSES,))
"""Outcomes in the order of such a board; after them come methods without a verdict, or without walls."""
LEVEL = 0.05
"""Largest corrected p at which two systems of an evaluation differ."""
REPLICATES = 2_000
"""Draws of bootstraps and randomization tests: enough to distinguish systems on a site."""


Part = tuple[str, int, Number]
"""A part of a leaderboard's problems, their number, and a system's c@1 on them."""


@dataclass(frozen=True)
class BoardStanding:
    """One system on one leaderboard.

    ``tie`` is its rank (the same for its tie group; 1 is best; None for meta-classifiers, or if nothing was tested).
    ``scores`` are by metric (AUC, c@1 …, from 0 to 1); ``open`` and ``missing`` count problems without an answer;
    ``style_left``, ``swing`` and ``gain`` are the verdict's figures, ``content`` and ``domain`` its words, "" if it was
    not requested. ``loss`` is the impact of every obfuscator. ``submitted`` says that its answers are a submission;
    ``parts`` has c@1 on parts of the problems, by attribute. A method with several seeds has one row: ``runs`` are the
    rows of its seeds, its figures are their means, and its intervals go from their lowest limit to their highest.
    ``level`` is the place of its verdict in ``CLASSES``. ``mark`` says who states its figures, alone or with others, or that
    it was withdrawn; "" on boards without result files.
    """

    system: str
    tie: int | None
    scores: Mapping[str, Number]
    open: int | None = 0
    missing: int = 0
    style_left: Number = UNDEFINED
    swing: Number = UNDEFINED
    content: str = ""
    gain: Number = UNDEFINED
    domain: str = ""
    loss: Mapping[str, Number] = field(default_factory=dict)
    submitted: bool = False
    parts: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    runs: tuple[BoardStanding, ...] = ()
    level: int = 0
    mark: str = ""

    @classmethod
    def of_runs(cls, name: str, runs: Sequence[BoardStanding]) -> BoardStanding:
        """Make a method's row from the rows of its seeds, without a rank."""

        def mean(numbers: Sequence[Number]) -> Number:
            values = [one.value for one in numbers]
            ends = [one.interval for one in numbers]
            if None in values:
                return UNDEFINED
            interval = (
                None
                if None in ends
                else (min(e[0] for e in ends if e), max(e[1] for e in ends if e))
            )
            return Number(float(np.mean([v for v in values if v is not None])), interval)

        def part(by: str, place: int) -> Part:
            name, problems, _ = runs[0].parts[by][place]
            return name, problems, mean([run.parts[by][place][2] for run in runs])

        attacks = [a for a in runs[0].loss if all(a in run.loss for run in runs)]
        return cls(
            name,
            None,
            {m: mean([run.scores.get(m, UNDEFINED) for run in runs]) for m in runs[0].scores},
            open=round(sum(run.open or 0 for run in runs) / len(runs)),
            missing=round(sum(run.missing for run in runs) / len(runs)),
            style_left=mean([run.style_left for run in runs]),
            swing=mean([run.swing for run in runs]),
            content=" or ".join(dict.fromkeys(run.content for run in runs)),
            gain=mean([run.gain for run in runs]),
            domain=" or ".join(dict.fromkeys(run.domain for run in runs)),
            loss={a: mean([run.loss[a] for run in runs]) for a in attacks},
            submitted=any(run.submitted for run in runs),
            parts={
                by: tuple(part(by, i) for i in range(len(own))) for by, own in runs[0].parts.items()
            },
            runs=tuple(runs),
            level=max(run.level for run in runs),
        )


@dataclass(frozen=True)
class FoldPage:
    """One fold of a leaderboard: its content, and a table of scores with one row per system."""

    name: str
    info: Mapping[str, Any]
    scores: Table


@dataclass(frozen=True)
class Board:
    """One run or evaluation.

    ``problems`` and ``same`` (same author) count problems. ``text`` is the language and genre, "" if unknown.
    ``metric`` orders ``standings``, best first; ``tables`` are shown below; ``material`` and ``provenance`` are lists
    to read; ``downloads`` are files by name. ``about`` replaces the number of problems; ``titles`` are headings of
    metrics that only this task has. ``data`` is the hash of the data; ``versions`` has for each system the versions of
    Raven and its method, or the hash of its answers; the key "" is for all others.
    """

    key: str
    title: str
    kind: str
    metric: str
    problems: int
    same: int
    standings: tuple[BoardStanding, ...]
    material: Mapping[str, Any]
    provenance: Mapping[str, Any]
    tables: tuple[Table, ...] = ()
    folds: tuple[FoldPage, ...] = ()
    notes: tuple[str, ...] = ()
    downloads: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    about: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)
    data: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    def made_with(self, standing: BoardStanding) -> str:
        """Return the hash of the data and the versions of Raven and of the method behind a row."""
        one = standing.runs[0] if standing.runs else standing
        made = self.versions.get(one.system) or self.versions.get("")
        return ", ".join(filter(None, (self.data and f"data {self.data}", made)))

    @property
    def leaders(self) -> list[BoardStanding]:
        """Systems of the first five ranks (with all ties) or, without ranks, the first five systems."""
        ranked = [s for s in self.standings if s.tie is not None and s.tie <= LEADERS]
        if ranked or not self.standings:
            return ranked
        last = self.standings[:LEADERS][-1].scores[self.metric].value
        return [
            s
            for i, s in enumerate(self.standings)
            if i < LEADERS or s.scores[self.metric].value == last
        ]


class Submitted(Store):
    """A submitted run over the folds of another run: its methods that the other run lacks, with the submission's
    name."""

    def __init__(self, path: Path, name: str, base: Store) -> None:
        super().__init__(path)
        here = [(v.name, v.identity) for v in base.plan.verifiers]
        own = [v.name for v in super().plan_as(Plan).verifiers if (v.name, v.identity) not in here]
        self.names = {method: name if len(own) == 1 else f"{name}: {method}" for method in own}
        self.outside = tuple(self.names.values())

    def plan_as(self, shape: type[P]) -> P:
        """Return the manifest with only the submitted methods."""
        plan = super().plan_as(shape)
        names = self.names
        new = msgspec.structs.replace
        verifiers = [new(v, name=names[v.name]) for v in plan.verifiers if v.name in names]
        return new(
            plan,
            verifiers=verifiers,
            cells=[new(c, verifier=names[c.verifier]) for c in plan.cells if c.verifier in names],
        )


class Joined(Store):
    """A run with a plan that also has the methods and cells of other runs over the same folds."""

    def __init__(self, runs: Sequence[Store]) -> None:
        super().__init__(runs[0].path)
        self.runs = tuple(runs)

    def plan_as(self, shape: type[P]) -> P:
        """Return the manifest of one task, with each method of all runs once."""
        plans = [run.plan_as(shape) for run in self.runs]
        verifiers = {v.name: v for plan in reversed(plans) for v in reversed(plan.verifiers)}
        cells = {(c.verifier, c.fold): c for plan in reversed(plans) for c in reversed(plan.cells)}
        both = ([*reversed(every.values())] for every in (verifiers, cells))
        return msgspec.structs.replace(
            plans[0], **dict(zip(("verifiers", "cells"), both, strict=True))
        )

    def _cell(self, key: str) -> Cell | None:
        """A cell of any of the runs."""
        return next((cell for run in self.runs if (cell := run.read_cell(key)) is not None), None)


def same_folds(one: Store, other: Store) -> bool:
    """Return whether two runs, or two searches, answer the same problems."""
    return (
        one.kind == other.kind
        and one.kind in ("run", "pan14", "retrieve")
        and one.plan.folds == other.plan.folds
    )


def joined(runs: Sequence[Store]) -> list[Store]:
    """Return stores in order; join stores with the same folds into the first, if each adds a method and no two
    different methods have the same name."""
    groups: list[list[Store]] = []
    for run in runs:
        own = {v.name: v.identity for v in run.plan.verifiers}
        for group in groups:
            known = {v.name: v.identity for other in group for v in other.plan.verifiers}
            agree = all(known.get(name, identity) == identity for name, identity in own.items())
            if same_folds(group[0], run) and agree and own.keys() - known.keys():
                group.append(run)
                break
        else:
            groups.append([run])
    return [group[0] if len(group) == 1 else Joined(group) for group in groups]


def by_method(
    standings: Sequence[BoardStanding],
    methods: Mapping[str, tuple[str, ...]],
    metric: str,
    differ: Container[frozenset[str]],
    sign: int = 1,
) -> tuple[BoardStanding, ...]:
    """Return rows with all seeds of a method joined. Two methods differ if each seed of one differs significantly
    (``differ`` has these pairs) from each seed of the other. If no method has several seeds, the rows stay. ``sign`` is
    −1 if lower is better."""
    by_name = {s.system: s for s in standings}
    members = {
        name: [by_name[one] for one in own if one in by_name] for name, own in methods.items()
    }
    if all(len(runs) < 2 for runs in members.values()):
        return tuple(standings)
    rows = [
        BoardStanding.of_runs(name, runs) if runs[1:] else runs[0]
        for name, runs in members.items()
        if runs
    ]
    others = [s for s in standings if not any(s.system in own for own in methods.values())]
    if all(s.tie is None for runs in members.values() for s in runs):
        return (*sorted(rows, key=lambda s: -sign * (s.scores[metric].value or 0)), *others)
    apart = np.zeros((len(rows), len(rows)), dtype=np.bool_)
    for (i, a), (j, b) in combinations(enumerate(rows), 2):
        pairs = (frozenset((x.system, y.system)) for x in a.runs or (a,) for y in b.runs or (b,))
        apart[i, j] = apart[j, i] = all(pair in differ for pair in pairs)
    return (*_ranked(rows, apart, metric, sign), *others)


def _ranked(
    rows: Sequence[BoardStanding], apart: Bools, metric: str, sign: int = 1
) -> list[BoardStanding]:
    """Standings in order, each with its rank; ``apart`` (n, n) says which differ significantly."""

    def height(s: BoardStanding) -> float:
        value = s.scores[metric].value
        return -math.inf if value is None else sign * value - APART * s.level * (metric == MISLEADS)

    ties = tie_groups([height(s) for s in rows], apart).tolist()
    ranked = [replace(s, tie=tie) for s, tie in zip(rows, ties, strict=True)]
    return sorted(ranked, key=lambda s: (s.tie or 0, -height(s), s.system))


def by_topic(standings: Sequence[BoardStanding]) -> tuple[BoardStanding, ...]:
    """Return rows in the order of ``CLASSES``, in each by AUC where topic misleads; two rows differ if their classes
    do, or their intervals do not overlap. Rows without this figure are last, before those without a rank."""
    rows = [s for s in standings if s.tie is not None]
    nothing = -math.inf, -math.inf
    limits = np.array(
        [np.array(s.scores[MISLEADS].interval or nothing) - APART * s.level for s in rows]
    ).reshape(-1, 2)
    above = limits[:, :1] > limits[:, 1]
    return (*_ranked(rows, above | above.T, MISLEADS), *(s for s in standings if s.tie is None))


def with_own_titles(boards: Sequence[Board]) -> list[Board]:
    """Return leaderboards with different titles: if two have the same title, add the options in which they differ, or
    the folder's name."""
    titles = Counter(board.title for board in boards)
    named = []
    for board in boards:
        specs = [other.provenance.get("spec", {}) for other in boards if other.title == board.title]
        own = board.provenance.get("spec", {})
        keys = {key for spec in specs for key in spec} - {"verifiers", "group"}
        unlike = [
            key for key in sorted(keys) if any(spec.get(key) != own.get(key) for spec in specs)
        ]
        shown = ", ".join(f"{key.replace('_', ' ')} {own.get(key, 'not given')}" for key in unlike)
        more = shown if 0 < len(shown) <= 60 else board.key
        named.append(
            replace(board, title=f"{board.title} ({more})") if titles[board.title] > 1 else board
        )
    again = Counter(board.title for board in named)
    return [replace(b, title=f"{b.title} ({b.key})") if again[b.title] > 1 else b for b in named]


def divisions(store: Store, truth: Truth) -> list[ProblemAttribute]:
    """Return the attributes that divide the problems of a run, in the order of the truth."""
    folds = [name.partition("/")[0] for name in truth.ids.tolist()]
    if not set(folds) <= store.plan.folds.keys():  # one fold alone, whose ids have no prefix
        folds = [name for name, record in store.plan.folds.items() if record.transplanted is None][
            :1
        ] * len(folds)
    attributes = [] if truth.group is None else [ProblemAttribute("setup", truth.group)]
    if store.kind == "pan14":
        corpora = store.plan_as(Pan14Plan).corpora
        kinds = {
            c.fold: " ".join(part for part in (c.language, c.genre) if part) or c.name
            for c in corpora
        }
        if len(set(kinds.values())) > 1:
            attributes.append(
                ProblemAttribute("language and genre", Labels.of(kinds[fold] for fold in folds))
            )
    words = []
    for fold in dict.fromkeys(folds):
        test = store.fold(fold).test
        words += [count_words(test.texts[int(row)]) for row in test.questioned_index]
    if len(set(words)) > 1:
        attributes.append(
            ProblemAttribute(
                "words of the questioned text", quantiles(np.array(words, dtype=np.float64))
            )
        )
    return attributes


def kind_of_text(store: Store) -> str:
    """Return language and genre of a run's texts, "" if unknown."""
    if store.kind != "run":
        return ""
    notes = store.plan_as(RunPlan).corpus.notes
    kinds = [notes[key] for key in ("language", "genre") if notes.get(key)]
    return " ".join(kinds or (store.labels["language"].names if "language" in store.labels else ()))


def parts_of(breakdown: BreakDown, system: str) -> tuple[Part, ...]:
    """Return a system's c@1 on every part."""
    pairs = enumerate(zip(breakdown.parts, breakdown.systems[system], strict=True), 1)
    return tuple(
        (name.removeprefix(f"{i}: "), n, Number(own.scores["c@1"], own.interval["c@1"]))
        for i, ((name, n, _), own) in pairs
    )


def boards(
    places: Mapping[str, Path],
    submitted: Mapping[str, Mapping[str, Path]],
    results: Sequence[ResultFile] = (),
) -> list[Board]:
    """Return the leaderboards of folders by address; runs over the same folds have one leaderboard.

    ``submitted`` has submissions by address and system: answers, or a run's folder. A result joins the first board of
    its folds; InputError if there is none that can compare it.
    """
    return with_own_titles(_untitled(places, submitted, results))


def _untitled(
    places: Mapping[str, Path],
    submitted: Mapping[str, Mapping[str, Path]],
    results: Sequence[ResultFile] = (),
) -> list[Board]:
    """The boards, of which several may have one title."""
    made_boards: list[Board] = []
    keys: dict[Path, str] = {}
    runs: list[Store] = []
    for key, place in places.items():
        late = submitted.get(key, {})
        if seeds := runs_of_seeds(place):
            pooled_stores([Store.open(seed) for seed in seeds])  # refused where they differ in more
            if late:
                raise InputError(
                    "a leaderboard of several seeds accepts no answers from outside", file=place
                )
            made_boards.append(
                _over_seeds(
                    _untitled({f"{key}-{i}": seed for i, seed in enumerate(seeds)}, {}), key
                )
            )
            continue
        if not (place / "run.json").is_file():
            made_boards.append(_evaluated(place, key, late))
            continue
        store = Store.open(place)
        keys[store.path] = key
        runs.append(_with_late(store, late))
    for run in joined(runs):
        board = _of_runs(run, keys[run.path])
        if results and board.metric == MISLEADS:
            fitting, stated = compared(_each(run), results)
            results = [one for one in results if one not in fitting]
            board = _with_results(board, fitting, stated)
        made_boards.append(board)
    for one in results:
        raise InputError(
            f"the result of {one.name} does not fit any leaderboard of this site",
            file=one.path,
            found="other texts, another split, or no topics",
            expected="the texts and folds of a run with topics and verdicts on content",
        )
    whole = []
    for b in made_boards:
        said = _said(json.loads(b.downloads["report.json"]), {s.system for s in b.standings})
        whole.append(replace(b, notes=tuple(dict.fromkeys((*b.notes, *said)))))
    return sorted(whole, key=lambda board: list(places).index(board.key))


def _with_late(store: Store, late: Mapping[str, Path]) -> Store:
    """A run with its submissions: answers, or folders of runs over the same folds."""
    answers = {name: folder for name, folder in late.items() if not is_run(folder)}
    theirs = [
        Submitted(folder, name, store) for name, folder in late.items() if name not in answers
    ]
    own = with_answers(store, answers) if answers else store
    lacking = Faults("submissions without all answers", values=True)
    for one in getattr(own, "systems", ()):
        if not one.missing:
            continue
        with lacking.gathered():
            # A board has the problems that all of its systems answer: one that lacks folds would take them away.
            raise InputError(
                f"{one.name} has no answers to {counted(len(one.missing), 'fold')} of the run",
                file=answers[one.name],
                found=first_names(one.missing, SHOWN, ", "),
                expected=f"FOLD/{FILES[0]} for every fold",
                fix="raven export RUN writes the folds that need answers",
            )
    lacking.check()
    return Joined([own, *theirs]) if theirs else own


def _each(run: Store) -> list[Store]:
    """The runs that a board joins."""
    return [inner for one in getattr(run, "runs", (run,)) for inner in getattr(one, "runs", (one,))]


def _of_runs(run: Store, key: str) -> Board:
    """The board of a run, or of several over the same folds, with what made each row and whether it was submitted."""
    each_run = _each(run)
    versions = {
        v.name: (
            "answers from outside"
            if v.version == 0
            else f"Raven {one.run.raven}, method {v.version}"
        )
        for one in reversed(each_run)
        for v in one.plan.verifiers
    } | {"": f"Raven {run.run.raven}"}
    outside = {name for one in each_run for name in getattr(one, "outside", ())}
    board = {"safety": _attacked, "run": _run, "pan14": _run}.get(run.kind, _tabled)(run, key)
    standings = tuple(
        replace(s, submitted=any(one.system in outside for one in (s, *s.runs)))
        for s in board.standings
    )
    outsiders = [s.system for s in standings if s.submitted]
    metas = {
        s.system: (None, s.scores.get("c@1", s.scores[board.metric]).value)
        for s in standings
        if s.system.startswith("meta-")
    }
    late_notes = (
        note for one in each_run for system in getattr(one, "systems", ()) for note in system.notes
    )
    notes = (*board.notes, *_of_late(outsiders, metas), *late_notes)
    return replace(board, standings=standings, notes=notes, data=_data(run), versions=versions)


def _with_results(
    board: Board, fitting: Sequence[ResultFile], stated: Mapping[str, StatedSystem]
) -> Board:
    """A board by topic with rows of what only results state, and of all rows who states their figures."""
    rows = [
        BoardStanding(
            system,
            1,
            {MISLEADS: _number(one.claim.row.lesser)},
            open=None,
            submitted=True,
            **_of_content(one.claim.row),
        )
        for system, one in stated.items()
        if system not in board.versions
    ]
    standings = tuple(
        replace(s, mark=stated[system].authors if system in stated else "")
        for s in by_topic([*board.standings, *rows])
        for system in [(s.runs or (s,))[0].system]
    )
    files = (
        f"{one.author}: {one.path.name}, public key {one.key or 'missing'}." for one in fitting
    )
    versions = {system: one.made for system, one in stated.items()} | {**board.versions}
    return replace(board, standings=standings, notes=(*board.notes, *files), versions=versions)


def _said(report: Any, names: Container[str]) -> Iterator[str]:
    """What a report says of its texts, problems and answers, wherever it stands: what was left out, joined, shared; not
    that a system was left out whose later answers stand on the board, which has these names."""
    for key, value in report.items() if isinstance(report, dict) else enumerate(report):
        if key in ("notes", "remarks", ACCOUNT) and isinstance(value, list):
            yield from (str(sentence) for sentence in value if isinstance(sentence, str))
        elif key == "skipped":
            out = (row for row in value if row["submission"] not in names)
            yield from (
                f"Raven leaves out {row['submission']}: {row.get('all_faults', row['first'])}"
                for row in out
            )
        elif isinstance(value, dict | list):
            yield from _said(value, names)


def _over_seeds(each: Sequence[Board], key: str) -> Board:
    """One board of a spec's runs with several seeds: a system is above another where it is so significantly with each
    seed."""
    by_name = [{s.system: s for s in board.standings} for board in each]
    shared = [
        name
        for name, s in by_name[0].items()
        if s.tie is not None and all(name in one for one in by_name)
    ]
    rows = [BoardStanding.of_runs(name, [one[name] for one in by_name]) for name in shared]
    ties = np.array([[one[name].tie or 0 for one in by_name] for name in shared]).reshape(
        len(shared), len(each)
    )
    apart = (ties[:, None] != ties[None]).all(axis=2)
    first = each[0]
    note = (
        f"Means over {len(each)} seeds; each seed draws again from the same texts. An interval"
        " covers the intervals of all seeds."
    )
    return replace(
        first,
        key=key,
        standings=tuple(_ranked(rows, apart, first.metric)),
        folds=(),
        tables=(),
        notes=(note, *first.notes),
    )


def _data(store: Store) -> str:
    """Hash of the problems that a run answers: runs of the same problems have the same one."""
    digests = sorted(
        f.test_digest
        for f in store.plan.folds.values()
        if f.transplanted is None and f.source is None
    )
    return content_key(digests)[:12]


def _of_content(row: ContentRow) -> dict[str, Any]:
    """What a ``BoardStanding`` has of a verdict; no board clears what did not run behind walls."""
    judged = row.judged
    free = judged.outcome in CLEARED and GOOD_FAITH in judged.confinement
    classes = [judged.outcome in outcomes and not free for outcomes in CLASSES]
    return {
        "style_left": _number(row.figures.style_left),
        "swing": _number(row.figures.swing),
        "content": f"content: {Content.NO_VERDICT} ({judged.confinement})"
        if free
        else badge(judged),
        "level": [*classes, True].index(True),
    }


def _run(store: Store, key: str) -> Board:
    truth, systems, notes = read_run(store)
    report = report_of(store)
    analysis = report.analysis
    content = analysis.content
    topical = content is not None and any(row.lesser is not None for row in content.rows)
    domain = getattr(analysis, "domain", None)
    scored = evaluate(
        truth,
        {s.system: s.value for s in systems},
        metrics=("c@1",),
        replicates=REPLICATES,
        breakdowns=divisions(store, truth),
    )
    standings = []
    for s in (*scored.ranked, *scored.meta):
        row = None if content is None or s.tie_group is None else content.row(s.name)
        gain = None if domain is None or s.tie_group is None else domain.row(s.name)
        gain = None if gain is None or gain.judged.outcome is Domain.NO_VERDICT else gain
        standings.append(
            BoardStanding(
                s.name,
                s.tie_group,
                {m: Number(s.scores[m], s.interval[m]) for m in METRICS}
                | ({MISLEADS: _number(row and row.lesser)} if topical else {}),
                open=int(s.scores["unanswered"] or 0),
                missing=s.missing,
                **({} if row is None else _of_content(row)),
                gain=_number(gain and gain.gain),
                domain="" if gain is None else badge(gain.judged),
                parts={b.by: parts_of(b, s.name) for b in scored.breakdowns},
            )
        )
    methods = methods_of({v.name: v.identity for v in store.plan.verifiers}, _groups(store))
    title, material = _material(store, analysis)
    differ = _differ(scored.pairs, scored.alpha)
    joined_rows = by_method(standings, methods.members, "c@1", differ)
    return Board(
        key=key,
        title=title,
        kind=store.kind,
        metric=MISLEADS if topical else "c@1",
        problems=scored.problems,
        same=scored.same,
        standings=by_topic(joined_rows) if topical else joined_rows,
        material=material,
        provenance=_provenance(store),
        tables=(
            *(parts_table(scored, b, "c@1") for b in scored.breakdowns),
            differences_table(scored.pairs),
        ),
        folds=_folds(analysis) if store.kind == "run" else (),
        notes=tuple(notes),
        text=kind_of_text(store),
        downloads={
            "report.json": _json(report.to_json()),
            "scores.csv": to_csv(scores_table(scored)),
        },
    )


def _differ(pairs: Iterable[PairTest], alpha: float) -> set[frozenset[str]]:
    """Pairs of systems that differ significantly."""
    return {frozenset((p.a, p.b)) for p in pairs if p.p_holm is not None and p.p_holm <= alpha}


def _groups(store: Store) -> list[str]:
    """Groups that the specs of a run, or of several over the same folds, name."""
    return [
        group
        for run in getattr(store, "runs", (store,))
        for group in run.run.spec.get("group") or ()
    ]


def _attacked(store: Store, key: str) -> Board:
    report = report_of(store)
    a = report.analysis
    losses: dict[str, dict[str, Number]] = {name: {} for name in a.verifiers}
    for obfuscator in a.obfuscators:
        for row in obfuscator.verifiers:
            losses[row.verifier][obfuscator.name] = Number(row.mean("impact"), row.interval)
    before = a.accuracy
    ranked = sorted(before, key=lambda name: (-before[name][0], name))
    standings = [
        BoardStanding(name, None, {"accuracy": Number(before[name][0])}, loss=losses[name])
        for name in ranked
    ]
    methods = methods_of({v.name: v.identity for v in store.plan.verifiers if v.name in before})
    return Board(
        key=key,
        title=f"{a.corpus}, under attack",
        kind="safety",
        metric="accuracy",
        problems=a.problems,
        same=a.attacked,
        standings=by_method(standings, methods.members, "accuracy", ()),
        material={"problems": a.problems, "attacked": a.attacked, "seeds": list(a.seeds)},
        provenance=_provenance(store),
        notes=(
            (
                "Impact is the proportion of right answers that an obfuscator takes away by"
                " rewriting texts."
            ),
        ),
        downloads={"report.json": _json(report.to_json())},
    )


SYSTEM = ("system", "method", "verifier")
"""Names that reports use for the column of the compared systems."""


def _tabled(store: Store, key: str) -> Board:
    """The board of any other task: the first table of its report that has systems and measures. InputError if there is
    none."""
    report = report_of(store)
    every = {shown.key: rows_json(shown) for shown in report.tables()}
    for shown in report.tables():
        rows = every[shown.key]
        name = next((n for n in SYSTEM if rows and n in rows[0]), None)
        numbers = [k for k, v in (rows[0] if rows else {}).items() if isinstance(v, float)]
        measures = [k for k in numbers if f"{k}_interval" in rows[0]] or [
            k for k in numbers if k == "accuracy"
        ]
        if name is not None and measures:
            break
    else:
        raise InputError(
            f"raven site cannot show a folder of raven {store.kind}",
            file=store.path,
            expected="a run with a report that compares methods, or a folder of raven evaluate",
        )
    content = {
        row[name]: row for row in every.get("content", []) if name in row and "success_left" in row
    }
    metric = "mrr" if "mrr" in measures else measures[0]

    def number(row: Mapping[str, Any], measure: str) -> Number:
        interval = row.get(f"{measure}_interval")
        return Number(row.get(measure), None if interval is None else tuple(interval))

    def plain(text: str) -> str:
        return re.sub(r"[^a-z0-9@]", "", text.lower())

    standings = []
    for row in rows:
        of_method = content.get(row[name], {})
        standings.append(
            BoardStanding(
                str(row[name]),
                row.get("rank"),
                {m: number(row, m) for m in measures},
                style_left=number(of_method, "success_left"),
                swing=number(of_method, "swing"),
                content=str(of_method.get("verdict", "")),
            )
        )
    spec = _provenance(store).get("spec", {})
    headed = {plain(column.title): column.title for column in shown.columns}
    return Board(
        key=key,
        title=str(
            next(
                (spec[key] for key in ("source", "corpus", "problems") if spec.get(key)), store.kind
            )
        ),
        kind=store.kind,
        metric=metric,
        problems=0,
        same=0,
        standings=tuple(standings),
        material={},
        provenance=_provenance(store),
        notes=() if shown.note is None else (shown.note,),
        downloads={"report.json": _json(report.to_json())},
        about=shown.title,
        titles={m: headed.get(plain(m), m) for m in measures},
    )


def _evaluated(place: Path, key: str, late: Mapping[str, Path]) -> Board:
    file = place / "report.json"
    if not file.is_file():
        raise InputError(
            "this folder contains no run and no evaluation",
            file=place,
            expected="run.json or report.json",
            fix="give the folder of a run, or one of raven evaluate TRUTH ANSWERS --out FOLDER",
        )
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
        if report.get("kind") != "evaluate":
            raise FormatError(
                "raven evaluate did not write this report", file=file, found=report.get("kind")
            )
        before = report
        if late:
            report = {**report, **with_late(place, late).to_json(), "raven": __version__}
            report["hashes"]["systems"] |= before.get("hashes", {}).get("systems", {})
        metric = report["ranked_by"]
        hashes = report.get("hashes", {})
        was = (
            {s["system"]: s[metric] for s in before["meta"].values()}
            if before["ranked_by"] == metric
            else {}
        )
        combined = {s["system"]: (was.get(s["system"]), s[metric]) for s in report["meta"].values()}
        raven = f"Raven {report.get('raven', 'unknown')}"
        shown = dict.fromkeys((*METRICS, metric))
        sign = 1 if metric not in STANDARD or STANDARD[metric].higher else -1
        systems = [*report["systems"], *report["meta"].values()]
        systems.sort(
            key=lambda s: (s["tie_group"] or math.inf, -sign * (s[metric] or 0), s["system"])
        )
        standings = tuple(
            BoardStanding(
                s["system"],
                s["tie_group"],
                {
                    m: Number(s[m], tuple(s["interval"][m]) if s["interval"].get(m) else None)
                    for m in shown
                },
                open=int(s["unanswered"] or 0),
                missing=int(s["missing"]),
                submitted=s["system"] in late,
            )
            for s in systems
        )
        # An evaluation knows systems by their names alone.
        methods = methods_of(
            {s.system: SEED.sub("", s.system) for s in standings if s.tie is not None}
        )
        pairs = msgspec.convert(report["pairs"], list[PairTest])
        tested = [pair for pair in pairs if pair.metric == metric]
        return Board(
            key=key,
            title=str(report.get("title") or place.resolve().name),
            kind="evaluate",
            metric=metric,
            problems=report["problems"],
            same=report["same"],
            standings=by_method(standings, methods.members, metric, _differ(tested, LEVEL), sign),
            titles=(
                {}
                if metric in METRICS
                else {metric: STANDARD[metric].title if metric in STANDARD else metric}
            ),
            material={"problems": report["problems"], "by one author": report["same"]},
            provenance={},
            tables=(differences_table(tested),) if tested else (),
            notes=(*report["notes"], *_of_late(list(late), combined)),
            downloads={"report.json": _json(report)},
            data=str(hashes.get("truth", ""))[:12],
            versions={
                name: f"{raven}, answers {digest[:12]}"
                for name, digest in hashes.get("systems", {}).items()
            }
            | {"": raven},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FormatError(
            "raven evaluate did not write this report",
            file=file,
            found=f"{type(error).__name__}: {error}",
            fix="write the report again: raven evaluate TRUTH ANSWERS --out FOLDER",
        ) from None


def _of_late(
    late: Sequence[str], combined: Mapping[str, tuple[float | None, float | None]]
) -> list[str]:
    """What later submissions did to the rows that combine all systems: their values before, where known, and now."""
    changes = [
        name if before is None else f"{name} {figure(before)} before, {figure(now)} now"
        for name, (before, now) in combined.items()
        if before != now
    ]
    if not late or not changes:
        return []
    return [
        "Rows that combine all systems changed because of later submissions"
        f" ({', '.join(late)}): {'; '.join(changes)}."
    ]


def _material(store: Store, analysis: Any) -> tuple[str, dict[str, Any]]:
    if store.kind == "pan14":
        names = [scores.name for scores in analysis.corpora]
        return "PAN-2014: " + ", ".join(names), {"corpora": names}
    corpus = analysis.plan.corpus
    notes = {
        k: v for k, v in corpus.notes.items() if k in ("source", "licence", "citation", "columns")
    }
    described = {
        "documents": corpus.documents,
        "authors": corpus.authors,
        "topics": corpus.topics,
        **notes,
    }
    return corpus.name, {k: v for k, v in described.items() if v}


def _provenance(store: Store) -> dict[str, Any]:
    head = msgspec.to_builtins(public_head(store.run))
    return {k: v for k, v in head.items() if v not in (None, "", {}, [])}


def _folds(analysis: Any) -> tuple[FoldPage, ...]:
    def metric(name: str) -> Col[Any]:
        return col(name, lambda item: item[1].get(name))

    pages = []
    for fold in analysis.folds:
        system: Col[Any] = col("system", "0", text=True)
        scores = table("fold", fold.name, fold.metrics.items(), system, *map(metric, METRICS[:3]))
        info = {
            k.replace("_", " "): v
            for k, v in msgspec.to_builtins(fold.info).items()
            if isinstance(v, int | float)
        }
        pages.append(FoldPage(fold.name, {"setup": fold.setup, **info}, scores))
    return tuple(pages)


def _number(figure: Estimate | None) -> Number:
    return UNDEFINED if figure is None else Number(figure.value, figure.interval)


def _json(value: Any) -> str:
    return escaped_json(json.dumps(public_json(value), indent=1, ensure_ascii=False))
