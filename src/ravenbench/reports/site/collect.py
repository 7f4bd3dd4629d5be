"""A board from what a command kept: a folder of ``raven run``, ``pan14`` or ``safety``, or a report of ``evaluate``."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from ravenbench.errors import FormatError, InputError
from ravenbench.reports.evaluate.analysis import evaluate
from ravenbench.reports.evaluate.evaluation import Evaluation
from ravenbench.reports.evaluate.of_run import read_run
from ravenbench.reports.evaluate.tables import parts
from ravenbench.reports.of_any import report_of
from ravenbench.reports.shared.content_words import badge
from ravenbench.reports.shared.outside import TASKS, with_answers
from ravenbench.reports.shared.public import public_head, public_json
from ravenbench.reports.shared.tables import Column, Table, to_csv
from ravenbench.reports.site.divided import divisions, kind_of_text, parts_of
from ravenbench.reports.site.joined import joined
from ravenbench.reports.site.records import Board, FoldPage, Number, Standing
from ravenbench.statistics.axes import Domain
from ravenbench.statistics.estimates import Estimate
from ravenbench.store.store import Store

METRICS = ("auc", "c@1", "overall", "final")
REPLICATES = 2_000
"""Of bootstraps and randomization tests: enough to tell systems apart at the level of a site."""


def boards(places: Mapping[str, Path], submitted: Mapping[str, Mapping[str, Path]]) -> list[Board]:
    """Everything that a site shows of some folders; runs of other verifiers over the same folds share a board.

    Parameters
    ----------
    places : mapping of str to Path
        Folders of ``raven run``, ``pan14`` or ``safety``, or ones that ``raven evaluate --out`` wrote, by address.
    submitted : mapping
        Answers from outside by address and system, for runs that take them.

    Raises
    ------
    InputError
        If a folder is of another kind, or answers are not valid.
    """
    found: list[Board] = []
    keys: dict[Path, str] = {}
    runs: list[Store] = []
    for key, place in places.items():
        if (place / "report.json").is_file() and not (place / "run.json").is_file():
            found.append(_evaluated(place, key))
            continue
        store = Store.open(place)
        if store.kind not in ("run", "pan14", "safety"):
            raise InputError(
                f"a site has no place for a folder of raven {store.kind}", file=place,
                expected="folders of raven run, pan14, safety or evaluate",
            )  # fmt: skip
        keys[store.path] = key
        runs.append(with_answers(store, submitted[key]) if submitted.get(key) else store)
    for run in joined(runs):
        key = keys[run.path]
        found.append(_attacked(run, key) if run.kind == "safety" else _run(run, key))
    order = list(places)
    return sorted(found, key=lambda board: order.index(board.key))


def takes_answers(place: Path) -> bool:
    """Whether the board of a folder can show systems that were run elsewhere."""
    return (place / "run.json").is_file() and Store.open(place).kind in TASKS


def _run(store: Store, key: str) -> Board:
    truth, systems, notes = read_run(store)
    report = report_of(store)
    found = report.analyse(store)
    content, probe = found.content, getattr(found, "probe", None)
    scored = evaluate(
        truth, {s.system: s.value for s in systems}, metrics=("c@1",), replicates=REPLICATES,
        breakdowns=divisions(store, truth),
    )  # fmt: skip
    outside = [name for run in getattr(store, "runs", (store,)) for name in getattr(run, "outside", ())]
    standings = []
    for s in (*scored.ranked, *scored.meta):
        row = None if content is None or s.tie_group is None else content.row(s.name)
        gain = None if probe is None or s.tie_group is None else probe.row(s.name)
        gain = None if gain is None or gain.judged.outcome is Domain.NO_VERDICT else gain
        standings.append(
            Standing(
                s.name,
                s.tie_group,
                {m: Number(s.scores[m], s.interval[m]) for m in METRICS},
                open=int(s.scores["unanswered"] or 0),
                missing=s.missing,
                style_left=_number(row and row.figures.style_left),
                swing=_number(row and row.figures.swing),
                content="" if row is None else badge(row.judged),
                gain=_number(gain and gain.gain),
                domain="" if gain is None else badge(gain.judged),
                submitted=s.name in outside,
                parts={b.by: parts_of(b, s.name) for b in scored.breakdowns},
            )
        )
    made = report.to_json(found)
    title, material = _material(store, found)
    return Board(
        key=key,
        title=title,
        kind=store.kind,
        metric="c@1",
        problems=scored.problems,
        same=scored.same,
        standings=tuple(standings),
        material=material,
        provenance=_provenance(store),
        tables=tuple(parts(scored, b, "c@1") for b in scored.breakdowns),
        folds=_folds(found) if store.kind == "run" else (),
        notes=tuple(notes),
        text=kind_of_text(store),
        downloads={"report.json": _json(made), "scores.csv": _scores(scored)},
    )


def _attacked(store: Store, key: str) -> Board:
    report = report_of(store)
    found = report.analyse(store)
    losses: dict[str, dict[str, Number]] = {name: {} for name in found.verifiers}
    for obfuscator in found.obfuscators:
        for row in obfuscator.verifiers:
            losses[row.verifier][obfuscator.name] = Number(row.mean("impact"), row.interval)
    before = found.accuracy
    ranked = sorted(before, key=lambda name: (-before[name][0], name))
    standings = [
        Standing(name, None, {"accuracy": Number(before[name][0])}, loss=losses.get(name, {})) for name in ranked
    ]
    return Board(
        key=key,
        title=f"{found.corpus}, under attack",
        kind="safety",
        metric="accuracy",
        problems=found.problems,
        same=found.attacked,
        standings=tuple(standings),
        material={"problems": found.problems, "attacked": found.attacked, "seeds": list(found.seeds)},
        provenance=_provenance(store),
        notes=("Impact is the share of right answers on rewritten texts that an obfuscator takes away.",),
        downloads={"report.json": _json(report.to_json(found))},
    )


def _evaluated(place: Path, key: str) -> Board:
    file = place / "report.json"
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if found.get("kind") != "evaluate":
            raise FormatError("this report is not of raven evaluate", file=file, found=found.get("kind"))
        metric = found["ranked_by"]
        systems = [*found["systems"], *found["meta"].values()]
        groups = [s["tie_group"] for s in systems if s["tie_group"] is not None]
        systems.sort(key=lambda s: (s["tie_group"] or math.inf, -(s[metric] or 0), s["system"]))
        standings = tuple(
            Standing(
                s["system"],
                # Reports of earlier versions number groups without gaps.
                None if s["tie_group"] is None else 1 + sum(group < s["tie_group"] for group in groups),
                {m: Number(s[m], tuple(s["interval"][m]) if s["interval"].get(m) else None) for m in METRICS},
                open=int(s["unanswered"] or 0),
                missing=int(s["missing"]),
            )
            for s in systems
        )
        return Board(
            key=key,
            title=place.resolve().name,
            kind="evaluate",
            metric=metric,
            problems=found["problems"],
            same=found["same"],
            standings=standings,
            material={"problems": found["problems"], "by one author": found["same"]},
            provenance={},
            notes=tuple(found["notes"]),
            downloads={"report.json": _json(found)},
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(
            "this is not a report of raven evaluate", file=file, found=f"{type(error).__name__}: {error}",
            fix="make it again: raven evaluate TRUTH ANSWERS --out FOLDER",
        ) from None  # fmt: skip


def _material(store: Store, found: Any) -> tuple[str, dict[str, Any]]:
    if store.kind == "pan14":
        names = [scores.name for scores in found.corpora]
        return "PAN-2014: " + ", ".join(names), {"corpora": names}
    corpus = found.plan.corpus
    notes = {k: v for k, v in corpus.notes.items() if k in ("source", "licence", "citation", "columns")}
    told = {"documents": corpus.documents, "authors": corpus.authors, "topics": corpus.topics, **notes}
    return corpus.name, {k: v for k, v in told.items() if v}


def _provenance(store: Store) -> dict[str, Any]:
    head: dict[str, Any] = msgspec.to_builtins(public_head(store.run))
    return {k: v for k, v in head.items() if v not in (None, "", {}, [])}


def _folds(found: Any) -> tuple[FoldPage, ...]:
    columns = (Column("system", text=True), *(Column(m) for m in METRICS[:3]))
    pages = []
    for fold in found.folds:
        rows = tuple((name, *(scores.get(m) for m in METRICS[:3])) for name, scores in fold.scores.items())
        info = {k.replace("_", " "): v for k, v in msgspec.to_builtins(fold.info).items() if isinstance(v, int | float)}
        pages.append(FoldPage(fold.name, {"setup": fold.setup, **info}, Table("fold", fold.name, columns, rows)))
    return tuple(pages)


def _number(figure: Estimate | None) -> Number:
    return Number(None) if figure is None else Number(figure.value, figure.interval)


def _scores(scored: Evaluation | Any) -> str:
    from ravenbench.reports.evaluate.tables import scores

    return to_csv(scores(scored))


def _json(value: Any) -> str:
    return json.dumps(public_json(value), indent=1, ensure_ascii=False)
